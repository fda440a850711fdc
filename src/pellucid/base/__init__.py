"""The layer below everything: declarations, errors, threads, randomness, the registry."""
