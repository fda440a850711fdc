"""Metrics: figures by hand, words of errors, and warnings."""
