"""Awkward data for boosting."""

from __future__ import annotations

from typing import Any

import numpy as np


def boosting_problem(seed: int) -> tuple[Any, Any, Any, list[int]]:
    """A table with ties, gaps and codes of categories, its classes, weights with zeros, and which columns are codes."""
    rng = np.random.default_rng(seed)
    n, p, classes = int(rng.integers(3, 80)), int(rng.integers(1, 5)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, p))
    if rng.random() < 0.5:
        X = np.round(X)
    y = np.where(rng.random(n) < 0.3, rng.integers(0, classes, n), (X[:, 0] > 0) * (classes - 1))
    y[:2] = 0, 1
    categories = [p - 1] if rng.random() < 0.4 else []
    if categories:
        X[:, -1] = rng.integers(0, 5, n)
    if rng.random() < 0.4:
        X[rng.random((n, p)) < 0.15] = np.nan
    weight = rng.random(n)
    if rng.random() < 0.3:
        weight[rng.random(n) < 0.3] = 0
    weight[:2] = 1
    return X, y, weight, categories
