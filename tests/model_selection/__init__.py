"""Splitting, cross-validation, and whether a difference is real."""
