"""Columns added or dropped one at a time by the cross-validated score of least squares, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np


def held_out_r2(X: Any, y: Any, columns: list[int], folds: list[tuple[Any, Any]]) -> float:
    """Mean over the folds of R² on the rows held out, of least squares on the others."""
    scores = []
    for train, test in folds:
        A = np.column_stack([np.ones(len(train)), X[train][:, columns]])
        beta = np.linalg.lstsq(A, y[train], rcond=None)[0]
        error = y[test] - beta[0] - X[test][:, columns] @ beta[1:]
        scores.append(1 - (error**2).sum() / ((y[test] - y[test].mean()) ** 2).sum())
    return float(np.mean(scores))


def forward(X: Any, y: Any, k: int, folds: list[tuple[Any, Any]]) -> list[tuple[int, float]]:
    """k columns in the order in which they come in, each with the score of the set."""
    selected: list[int] = []
    path = []
    for _ in range(k):
        waiting = [j for j in range(X.shape[1]) if j not in selected]
        scores = {j: held_out_r2(X, y, [*selected, j], folds) for j in waiting}
        best = max(scores, key=lambda j: scores[j])
        selected.append(best)
        path.append((best, scores[best]))
    return path


def backward(X: Any, y: Any, k: int, folds: list[tuple[Any, Any]]) -> list[tuple[int, float]]:
    """Columns in the order in which they go out until k are left, each with the score of what is left."""
    remaining = list(range(X.shape[1]))
    path = []
    while len(remaining) > k:
        scores = {j: held_out_r2(X, y, [i for i in remaining if i != j], folds) for j in remaining}
        best = max(scores, key=lambda j: scores[j])
        remaining.remove(best)
        path.append((best, scores[best]))
    return path
