"""Polynomial terms in plain steps: which products of columns there are, how many, and their values."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray


def products(n: int, low: int, high: int, distinct: bool = False, ones: bool = True) -> list[tuple[int, ...]]:
    """Every product of columns, written as the numbers of its columns: (0, 0, 1) is x0 x0 x1.

    Shorter products come first, those of one length in alphabetical order. () is the product of nothing, 1.
    """
    choose = combinations if distinct else combinations_with_replacement
    found: list[tuple[int, ...]] = [()] if ones else []
    for degree in range(max(low, 1), high + 1):
        found += choose(range(n), degree)
    return found


def count(n: int, degree: int) -> int:
    """Products of n columns up to a degree, the constant included: (n + d)! / (n! d!)."""
    return comb(n + degree, degree)


def count_distinct(n: int, degree: int) -> int:
    """Products of distinct columns: for each length the number of ways to choose so many of n."""
    return sum(comb(n, length) for length in range(degree + 1))


def name(product: tuple[int, ...], columns: list[str]) -> str:
    """A product in words: each column once, with its power where that is not 1."""
    powers = [(column, product.count(j)) for j, column in enumerate(columns) if j in product]
    return " ".join(column if power == 1 else f"{column}^{power}" for column, power in powers) or "1"


def powers(product: tuple[int, ...], n: int) -> list[int]:
    """How often each column occurs in a product."""
    return [product.count(j) for j in range(n)]


def expand(
    X: ArrayLike, low: int, high: int, distinct: bool = False, ones: bool = True, dtype: type = np.float64
) -> NDArray[np.floating]:
    """The value of every product for every row: the first column times the product of the others."""
    table: NDArray[np.floating] = np.asarray(X, dtype=dtype)

    def value(product: tuple[int, ...]) -> NDArray[np.floating]:
        if not product:
            return np.ones(len(table), dtype=dtype)
        first, *others = product
        return table[:, first] * value(tuple(others)) if others else table[:, first]

    listed = products(table.shape[1], low, high, distinct, ones)
    return np.column_stack([value(product) for product in listed]).astype(dtype)
