"""Indices of rows: which rows lie nearest to others."""
