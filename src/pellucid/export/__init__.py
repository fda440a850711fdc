"""Fitted models in other languages: ONNX, Python, C and SQL."""
