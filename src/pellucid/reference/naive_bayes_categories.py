"""Naive Bayes of categories and of mixed columns in plain steps: counts, shares, densities, products."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Factor = Callable[[Any, Any], float]  # P(value | class), or the density there


def is_missing(value: Any) -> bool:
    """None or NaN."""
    return value is None or value != value


# ------------------------------------------------------------------------------------------------------------ smoothing


def laplace(count: float, rows: float, values: int, alpha: float = 1.0) -> float:
    """(N_kc + alpha) / (N_c + alpha K), K being the number of values of the attribute."""
    return (count + alpha) / (rows + alpha * values)


def m_estimate(count: float, rows: float, m: float, p: float) -> float:
    """(N_kc + m p) / (N_c + m)."""
    return (count + m * p) / (rows + m)


# -------------------------------------------------------------------------------------------------------------- columns


def priors(y: Sequence[Any]) -> dict[Any, float]:
    """The share of each class, classes in order."""
    return {c: sum(1 for label in y if label == c) / len(y) for c in sorted(set(y))}


def frequencies(column: Sequence[Any], y: Sequence[Any]) -> dict[Any, dict[Any, int]]:
    """How often each value occurs in each class; missing values are left out."""
    table: dict[Any, dict[Any, int]] = {}
    for value in sorted({v for v in column if not is_missing(v)}):
        table[value] = dict.fromkeys(sorted(set(y)), 0)
    for value, label in zip(column, y, strict=True):
        if not is_missing(value):
            table[value][label] += 1
    return table


def likelihoods(table: Mapping[Any, Mapping[Any, int]], alpha: float = 1.0) -> dict[Any, dict[Any, float]]:
    """P(value | class) from a frequency table; alpha = 0 is no smoothing."""
    classes = list(next(iter(table.values())))
    rows = {c: sum(counts[c] for counts in table.values()) for c in classes}
    return {
        value: {c: laplace(counts[c], rows[c], len(table), alpha) for c in classes} for value, counts in table.items()
    }


def categories(column: Sequence[Any], y: Sequence[Any], alpha: float = 1.0) -> Factor:
    """The factor of a column of categories; a value that was never seen has the count 0."""
    table = frequencies(column, y)
    shares = likelihoods(table, alpha)

    def factor(value: Any, label: Any) -> float:
        if value in shares:
            return shares[value][label]
        rows = sum(counts[label] for counts in table.values())
        return laplace(0, rows, len(table), alpha)

    return factor


def moments(column: Sequence[float], y: Sequence[Any], label: Any, ddof: int = 0) -> tuple[float, float]:
    """Mean and variance of a class."""
    class_values = [x for x, c in zip(column, y, strict=True) if c == label and not is_missing(x)]
    mean = sum(class_values) / len(class_values)
    return mean, sum((x - mean) ** 2 for x in class_values) / (len(class_values) - ddof)


def gaussian(column: Sequence[float], y: Sequence[Any], ddof: int = 0) -> Factor:
    """The factor of a column of numbers with a bell for each class."""
    class_moments = {c: moments(column, y, c, ddof) for c in set(y)}

    def factor(value: Any, label: Any) -> float:
        mean, variance = class_moments[label]
        return math.exp(-((value - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)

    return factor


def kernels(column: Sequence[float], y: Sequence[Any], bandwidth: float | str = "scott") -> Factor:
    """The factor of a column of numbers with a small bell on every value of the class."""
    class_kernels = {}
    for c in set(y):
        class_values = [x for x, label in zip(column, y, strict=True) if label == c and not is_missing(x)]
        n = len(class_values)
        if isinstance(bandwidth, str):
            _, variance = moments(column, y, c, ddof=1)
            width = math.sqrt(variance) * (n if bandwidth == "scott" else 0.75 * n) ** -0.2
        else:
            width = bandwidth
        class_kernels[c] = class_values, width

    def factor(value: Any, label: Any) -> float:
        class_values, h = class_kernels[label]
        heights = [math.exp(-(((value - x) / h) ** 2) / 2) for x in class_values]
        return float(sum(heights) / (len(class_values) * h * math.sqrt(2 * math.pi)))

    return factor


def split(column: Sequence[float], y: Sequence[Any], cut: float, alpha: float = 1.0) -> Factor:
    """The factor of a column of numbers by the side of a cut on which they lie."""
    sides = [None if is_missing(x) else x >= cut for x in column]
    inner = categories(sides, y, alpha)
    return lambda value, label: inner(value >= cut, label)


# -------------------------------------------------------------------------------------------------------------- product


def scores(row: Sequence[Any], prior: Mapping[Any, float], factors: Sequence[Factor]) -> dict[Any, float]:
    """P(c) times the factor of every column that has a value."""
    class_scores = {}
    for label, share in prior.items():
        product = share
        for value, factor in zip(row, factors, strict=True):
            if not is_missing(value):
                product *= factor(value, label)
        class_scores[label] = product
    return class_scores


def normalized(products: Mapping[Any, float]) -> dict[Any, float]:
    """Each product's share of their sum."""
    total = sum(products.values())
    return {label: product / total for label, product in products.items()}


def decide(products: Mapping[Any, float]) -> Any:
    """The class of the largest product, or None where two are equal: no decision."""
    top = max(products.values())
    best = [label for label, product in products.items() if math.isclose(product, top, rel_tol=1e-12)]
    return best[0] if len(best) == 1 else None
