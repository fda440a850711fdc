"""Polynomial regression in plain steps: every degree judged on every fold, the best fitted to all rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Fold = tuple[ArrayLike, ArrayLike]


def powers_of(x: ArrayLike, degree: int) -> Floats:
    """One row a value: 1, x, x^2, ... x^degree."""
    values = np.asarray(x, dtype=np.float64)
    columns = [np.ones(len(values))]
    for _ in range(degree):
        columns.append(columns[-1] * values)
    return np.column_stack(columns)


def fit(x: ArrayLike, y: ArrayLike, degree: int) -> Floats:
    """Coefficients of 1, x, x^2, ... with the least sum of squared errors."""
    powers = powers_of(x, degree)
    found, *_ = np.linalg.lstsq(powers, np.asarray(y, dtype=np.float64), rcond=None)
    return np.asarray(found, dtype=np.float64)


def predict(coefficients: Floats, x: ArrayLike) -> Floats:
    """b_0 + b_1 x + b_2 x^2 + ..."""
    return np.asarray(powers_of(x, len(coefficients) - 1) @ coefficients)


def mean_squared_error(y: ArrayLike, predicted: ArrayLike) -> float:
    return float(np.mean((np.asarray(y) - np.asarray(predicted)) ** 2))


def errors_by_degree(x: ArrayLike, y: ArrayLike, degrees: Sequence[int], folds: Sequence[Fold]) -> Floats:
    """Mean squared error on the rows held out: one row a degree, one column a fold.

    A fold is (rows to fit, rows held out); a single fold is hold-out validation, k of them k-fold cross-validation.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    table = np.empty((len(degrees), len(folds)))
    for i, degree in enumerate(degrees):
        for k, (train, test) in enumerate(folds):
            coefficients = fit(x[np.asarray(train)], y[np.asarray(train)], degree)
            held_out = np.asarray(test)
            table[i, k] = mean_squared_error(y[held_out], predict(coefficients, x[held_out]))
    return table


def choose(errors: Floats, degrees: Sequence[int]) -> int:
    """The degree with the smallest mean error over the folds, the lowest of equals."""
    return int(degrees[int(np.argmin(errors.mean(axis=1)))])


def choose_simplest(errors: Floats, degrees: Sequence[int]) -> int:
    """The lowest degree whose mean error is within one standard error of the smallest."""
    means = errors.mean(axis=1)
    best = int(np.argmin(means))
    standard_error = errors[best].std(ddof=1) / np.sqrt(errors.shape[1])
    return min(degree for degree, mean in zip(degrees, means, strict=True) if mean <= means[best] + standard_error)
