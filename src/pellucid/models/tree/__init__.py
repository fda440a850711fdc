"""The tree that a fit leaves behind, and what can be asked of it."""
