"""Answers to the worked examples: one module a family, one function an example."""
