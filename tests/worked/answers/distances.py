"""Answers by ``pellucid.metrics.distances`` and ``pellucid.metrics.kernels``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid import metrics
from pellucid.reference import distances as reference

from ..frame import Example, PathName, answers


@answers("000-euclidean-distance")
def two_rows(example: Example, path: PathName) -> Mapping[str, Any]:
    a, b = example.data["a"], example.data["b"]
    if path == "reference":
        squares = reference.squared_differences(a, b)
        whole, distance = squares.sum(), reference.euclidean(a, b)
    else:  # a column at a time
        squares = metrics.euclidean_distances(np.array(a)[:, None], np.array(b)[:, None], squared=True).diagonal()
        whole, distance = metrics.euclidean_distances([a], [b], squared=True)[0, 0], metrics.euclidean_distance(a, b)
    return {
        "squared difference 1": squares[0],
        "squared difference 2": squares[1],
        "sum of squared differences": whole,
        "distance": distance,
    }


@answers("003-euclidean-distance")
def two_cars(example: Example, path: PathName) -> Mapping[str, Any]:
    p, q = example.data["p"], example.data["q"]
    if path == "kernel":
        return {"distance": metrics.euclidean_distance(p, q)}
    squares = reference.squared_differences(p, q)
    line = {
        "differences": (np.array(p) - np.array(q)).tolist(),
        "squares": squares.tolist(),
        "sum": squares.sum(),
        "root": reference.euclidean(p, q),
    }
    return {"distance": reference.euclidean(p, q), "trace: 1": line}


@answers("000-inner-product")
def inner_product(example: Example, path: PathName) -> Mapping[str, Any]:
    return {"inner product": _product(example, path)}


@answers("003-scalar-product")
def scalar_product(example: Example, path: PathName) -> Mapping[str, Any]:
    return {"a.b": _product(example, path)}


def _product(example: Example, path: PathName) -> float:
    a, b = example.data["a"], example.data["b"]
    if path == "reference":
        return reference.inner_product(a, b)
    return float(metrics.linear_kernel([a], [b])[0, 0])
