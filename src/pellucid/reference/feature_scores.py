"""Scores of single columns, step by step: chi-squared, F of groups, F of a line, and mutual information."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np


def chi2(x: Any, y: Any) -> float:
    """Sum over the classes of (observed - expected)² / expected, where a class is expected its share of the total."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
    statistic = 0.0
    for label in np.unique(y):
        here = y == label
        observed = x[here].sum()
        expected = here.mean() * x.sum()
        statistic += (observed - expected) ** 2 / expected
    return float(statistic)


def f_classif(x: Any, y: Any) -> float:
    """Mean square between the classes over the mean square within them."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
    labels = np.unique(y)
    between = within = 0.0
    for label in labels:
        group = x[y == label]
        between += len(group) * (group.mean() - x.mean()) ** 2
        within += ((group - group.mean()) ** 2).sum()
    return float((between / (len(labels) - 1)) / (within / (len(x) - len(labels))))


def correlation(x: Any, y: Any) -> float:
    """Sum of products of deviations over the root of the product of their sums of squares."""
    dx = np.asarray(x, dtype=np.float64) - np.mean(x)
    dy = np.asarray(y, dtype=np.float64) - np.mean(y)
    return float((dx * dy).sum() / np.sqrt((dx**2).sum() * (dy**2).sum()))


def f_regression(x: Any, y: Any) -> float:
    """What a line explains over what it leaves, by its correlation."""
    r = correlation(x, y)
    return float(r**2 / (1 - r**2) * (len(x) - 2))


def mutual_information(x: Any, y: Any) -> float:
    """Of two columns of categories: the sum of p(a, b) ln(p(a, b) / (p(a) p(b))) over the pairs that occur."""
    x, y = np.asarray(x), np.asarray(y)
    n, information = len(x), 0.0
    for a in np.unique(x):
        for b in np.unique(y):
            both = int(((x == a) & (y == b)).sum())
            if both:
                information += both / n * log(n * both / ((x == a).sum() * (y == b).sum()))
    return information


def digamma(n: int) -> float:
    """Of a whole number: -0.5772... + 1 + 1/2 + ... + 1/(n - 1)."""
    return -0.57721566490153286 + sum(1 / i for i in range(1, n))


def neighbor_information(x: Any, y: Any, k: int = 3) -> float:
    """Of a number and a class (Ross 2014): rows nearer than the k-th neighbor in one's own class are counted."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
    sizes = {label: int((y == label).sum()) for label in np.unique(y)}
    rows = [i for i in range(len(x)) if sizes[y[i]] > 1]
    mean_k = mean_size = mean_count = 0.0
    for i in rows:
        apart = np.abs(x[rows] - x[i])
        same_class = np.sort(apart[y[rows] == y[i]])  # the first is the row itself
        nearest = min(k, sizes[y[i]] - 1)
        mean_k += digamma(nearest) / len(rows)
        mean_size += digamma(sizes[y[i]]) / len(rows)
        mean_count += digamma(max(1, int((apart < same_class[nearest]).sum()))) / len(rows)
    return max(0.0, digamma(len(rows)) + mean_k - mean_size - mean_count)


def plane_information(x: Any, y: Any, k: int = 3) -> float:
    """Of two numbers (Kraskov and others 2004): rows nearer than the k-th neighbor in the plane, along each axis."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n, both = len(x), 0.0
    for i in range(n):
        along_x, along_y = np.abs(x - x[i]), np.abs(y - y[i])
        radius = np.sort(np.delete(np.maximum(along_x, along_y), i))[k - 1]
        nx, ny = max(1, int((along_x < radius).sum())), max(1, int((along_y < radius).sum()))
        both += (digamma(nx) + digamma(ny)) / n
    return max(0.0, digamma(n) + digamma(k) - both)
