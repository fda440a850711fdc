"""Worked examples: data, settings and figures done by hand, answered by the reference and by the kernels."""
