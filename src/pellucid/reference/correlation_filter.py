"""Columns left out until no two that stay are correlated above a threshold, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.reference.feature_scores import correlation


def ranks(x: Any) -> np.ndarray[Any, Any]:
    """Ranks from 1; equal values share the mean of their ranks."""
    x = np.asarray(x)
    return np.array([(x < v).sum() + ((x == v).sum() + 1) / 2 for v in x])


def correlations(X: Any, spearman: bool = False) -> np.ndarray[Any, Any]:
    """Of every pair of columns."""
    columns = [ranks(x) if spearman else x for x in np.asarray(X, dtype=np.float64).T]
    return np.array([[correlation(a, b) for b in columns] for a in columns])


def correlation_filter(
    X: Any, y: Any = None, threshold: float = 0.9, keep: str = "first", spearman: bool = False
) -> tuple[list[int], dict[int, int]]:
    """The columns that stay, and for each of the others the one that stays in its place."""
    X = np.asarray(X, dtype=np.float64)
    size = np.abs(correlations(X, spearman))
    p = len(size)
    if keep == "target":
        relevance = [abs(correlation(ranks(x), ranks(y)) if spearman else correlation(x, y)) for x in X.T]
        order = sorted(range(p), key=lambda j: -relevance[j])
    elif keep == "least_redundant":
        order = sorted(range(p), key=lambda j: (size[j].sum() - 1) / (p - 1))
    else:
        order = list(range(p))
    stays: list[int] = []
    instead: dict[int, int] = {}
    for j in order:
        near = [k for k in stays if size[j, k] > threshold or size[j, k] > 1 - 1e-13]
        if near:
            instead[j] = max(near, key=lambda k: (size[j, k], -k))
        else:
            stays.append(j)
    return sorted(stays), instead
