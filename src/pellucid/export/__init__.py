"""Fitted models in other languages: ONNX, Python, C and SQL.

Examples
--------
>>> from pellucid.export import to_python
>>> from pellucid.linear_model import LinearRegression
>>> names: dict = {}
>>> exec(to_python(LinearRegression().fit([[0.0], [1.0]], [1.0, 3.0])), names)
>>> round(names["predict"]([2.0]), 9)
5.0
"""

from pellucid.export.c_code import to_c
from pellucid.export.onnx import to_onnx
from pellucid.export.python_code import to_python
from pellucid.export.sql_code import to_sql

__all__ = ["to_c", "to_onnx", "to_python", "to_sql"]
