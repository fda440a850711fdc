"""Predicting ratings from similar users or similar items, step by step.

A table of ratings has a row for each user and a column for each item, and NaN where there is no rating.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def cosine(a: Any, b: Any) -> float:
    """``sum a b / (|a| |b|)``; 0 where one of them has no length."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    lengths = np.sqrt(np.sum(a**2)) * np.sqrt(np.sum(b**2))
    return float(np.sum(a * b) / lengths) if lengths > 0 else 0.0


def similarity(a: Any, b: Any, over: Literal["all", "common"] = "all", centered: bool = False) -> float:
    """How alike two rows of ratings are.

    over "all": a missing rating counts as zero. "common": only where both have a rating, and with `centered` after the
    mean of these is taken off each (Pearson's correlation).
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    both = ~np.isnan(a) & ~np.isnan(b)
    if not both.any():
        return 0.0
    if over == "all":
        return cosine(np.nan_to_num(a), np.nan_to_num(b))
    a, b = a[both], b[both]
    return cosine(a - a.mean(), b - b.mean()) if centered else cosine(a, b)


def similarities(rows: Any, over: Literal["all", "common"] = "all", centered: bool = False) -> Floats:
    """All rows against all; 1 on the diagonal."""
    table = np.asarray(rows, dtype=float)
    found = np.eye(len(table))
    for i in range(len(table)):
        for j in range(i):
            found[i, j] = found[j, i] = similarity(table[i], table[j], over, centered)
    return found


def without_means(table: Any, axis: int) -> Floats:
    """Ratings minus the mean of their row (axis 1) or column (axis 0)."""
    table = np.asarray(table, dtype=float)
    return np.asarray(table - np.nanmean(table, axis=axis, keepdims=True))


def neighbors(similar: Any, ratings: Any, k: int, above: float = 0.0) -> list[int]:
    """The k most similar rows, most similar first, among those that have a rating and are more similar than `above`."""
    similar, ratings = np.asarray(similar, dtype=float), np.asarray(ratings, dtype=float)
    able = [i for i in range(len(similar)) if not np.isnan(ratings[i]) and similar[i] > above]
    return sorted(able, key=lambda i: (-similar[i], i))[:k]


def weighted_mean(weights: Any, values: Any) -> float:
    """``sum w x / sum |w|``"""
    weights, values = np.asarray(weights, dtype=float), np.asarray(values, dtype=float)
    return float(np.sum(weights * values) / np.sum(np.abs(weights)))


def predict_by_users(table: Any, user: int, item: int, similar: Any, k: int, centered: bool = True) -> float:
    """``mean_u + sum s_uv (r_vj - mean_v) / sum |s_uv|`` over the k most similar users who rated the item."""
    table = np.asarray(table, dtype=float)
    means = np.nanmean(table, axis=1) if centered else np.zeros(len(table))
    user_similarities = np.array(similar, dtype=float)[user]
    user_similarities[user] = -np.inf
    neighbor_indices = neighbors(user_similarities, table[:, item], k)
    return float(
        means[user] + weighted_mean(user_similarities[neighbor_indices], (table[:, item] - means)[neighbor_indices])
    )


def predict_by_items(table: Any, user: int, item: int, similar: Any, k: int, centered: bool = False) -> float:
    """``sum s_ji r_ui / sum |s_ji|`` over the k items most similar to j that the user rated, or the same with means."""
    table = np.asarray(table, dtype=float)
    means = np.nanmean(table, axis=0) if centered else np.zeros(table.shape[1])
    item_similarities = np.array(similar, dtype=float)[item]
    item_similarities[item] = -np.inf
    neighbor_indices = neighbors(item_similarities, table[user], k)
    return float(
        means[item] + weighted_mean(item_similarities[neighbor_indices], (table[user] - means)[neighbor_indices])
    )
