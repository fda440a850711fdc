"""Fitted models as ONNX graphs, which other programs and languages run."""

from pellucid.export.onnx.model import to_onnx

__all__ = ["to_onnx"]
