"""The command `pellucid`."""
