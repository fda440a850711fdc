"""The rules that a fit leaves behind, and what can be asked of them."""
