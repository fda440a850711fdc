"""Weights of words, in plain steps: how often in this text, in how many texts, and over the size of the row."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray


def inverse_frequency(
    documents: int, n: int, smooth: bool = True, add_one: bool = True, base: float | None = None
) -> float:
    """The weight of a term that stands in so many of n texts; one of none counts as one of one."""
    ratio = (n + 1) / (documents + 1) if smooth else n / max(documents, 1)
    idf = log(ratio) if base is None else log(ratio) / log(base)
    return idf + 1 if add_one else idf


def row_size(row: list[float], norm: str | None) -> float:
    """Sum of absolute values, root of the sum of squares, or 1; 1 for a row of zeros."""
    if norm is None:
        return 1.0
    size = sum(abs(value) for value in row) if norm == "l1" else sqrt(sum(value * value for value in row))
    return size or 1.0


def weights(
    counts: ArrayLike,
    norm: str | None = "l2",
    use_idf: bool = True,
    sublinear: bool = False,
    smooth: bool = True,
    add_one: bool = True,
    base: float | None = None,
) -> NDArray[np.float64]:
    """Term frequency times inverse document frequency of each count, over the size of its row."""
    rows = np.asarray(counts, dtype=np.float64).tolist()
    n = len(rows)
    idf = [1.0] * len(rows[0])
    if use_idf:
        idf = [
            inverse_frequency(sum(row[j] != 0 for row in rows), n, smooth, add_one, base) for j in range(len(rows[0]))
        ]
    weighted_rows = []
    for row in rows:
        tf = [1 + log(x) if sublinear and x > 0 else x for x in row]
        weighed = [term_value * weight for term_value, weight in zip(tf, idf, strict=True)]
        weighted_rows.append([term_value / row_size(weighed, norm) for term_value in weighed])
    return np.array(weighted_rows)
