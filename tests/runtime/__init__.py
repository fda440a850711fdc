"""What happens while a fit runs: threads, processes, Ctrl-C, callbacks, memory, what an import loads."""
