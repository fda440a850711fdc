"""Ridge regression as a textbook writes it.

Least squares with a price on the coefficients: of all w and b, those that make ``sum_i s_i (y_i - b - x_i . w)^2 +
alpha ||w||^2`` smallest, with weights s_i of one unless given. The intercept b costs nothing. Setting the gradient to
zero gives ``(X^T S X + alpha A) theta = X^T S y``, X with a leading column of ones, theta with the intercept first, and
A the identity with a zero in the intercept's place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ridge:
    """The equation, its parts and its solution."""

    xtx: Array
    xty: Array
    penalized: Array  # X^T S X + alpha A
    theta: Array


def ridge(
    X: ArrayLike,
    y: ArrayLike,
    alpha: float = 1.0,
    weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    cost: Literal["sum", "mean", "half_mean"] = "sum",
) -> Ridge:
    """The closed form. ``cost`` says how errors and penalty are weighed against each other:

    sum        ``SSE + alpha ||w||^2``
    mean       ``SSE/n + alpha/2 ||w||^2``, which is ``sum`` with alpha n/2
    half_mean  ``SSE/(2n) + alpha/2 ||w||^2``, which is ``sum`` with alpha n

    With weights, n is their sum.
    """
    design = _design(X, fit_intercept)
    s = _weights(weight, len(design))
    strength = alpha * {"sum": 1.0, "mean": s.sum() / 2, "half_mean": s.sum()}[cost]
    A = np.eye(design.shape[1])
    if fit_intercept:
        A[0, 0] = 0
    xtx = design.T @ (s[:, None] * design)
    xty = design.T @ (s * np.asarray(y, dtype=np.float64).T).T
    penalized = xtx + strength * A
    return Ridge(xtx, xty, penalized, np.linalg.solve(penalized, xty))


def predict(X: ArrayLike, theta: Array, fit_intercept: bool = True) -> Array:
    """``b + x . w`` of every row."""
    predictions: Array = _design(X, fit_intercept) @ theta
    return predictions


def objective(
    X: ArrayLike, y: ArrayLike, theta: Array, alpha: float, weight: ArrayLike | None = None, fit_intercept: bool = True
) -> float:
    """``SSE + alpha ||w||^2``: what the solution makes smallest."""
    error = np.asarray(y, dtype=np.float64) - predict(X, theta, fit_intercept)
    return float(_weights(weight, len(error)) @ error**2 + alpha * (theta[int(fit_intercept) :] ** 2).sum())


def leave_one_out(
    X: ArrayLike, y: ArrayLike, alpha: float, weight: ArrayLike | None = None, fit_intercept: bool = True
) -> Array:
    """The error of every row, predicted by the fit to all the others: n fits, one after the other."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    s = _weights(weight, len(X))
    errors = np.empty(len(X))
    for i in range(len(X)):
        training_rows = np.arange(len(X)) != i
        theta = ridge(X[training_rows], y[training_rows], alpha, s[training_rows], fit_intercept).theta
        errors[i] = y[i] - predict(X[[i]], theta, fit_intercept)[0]
    return errors


@dataclass(frozen=True)
class Leverages:
    """Fitted values, leverages, and the errors that rows left out would have."""

    fitted: Array
    leverage: Array
    errors: Array


def leave_one_out_at_once(
    X: ArrayLike, y: ArrayLike, alpha: float, weight: ArrayLike | None = None, fit_intercept: bool = True
) -> Leverages:
    """The same errors from one fit: ``e_i = (y_i - f_i) / (1 - h_i)``, ``h_i = s_i x_i^T (X^T S X + alpha A)^-1 x_i``.

    Leaving row i out takes ``s_i x_i x_i^T`` off the matrix; by the rule of Sherman and Morrison its inverse changes in
    one direction alone, and the error grows by the factor 1 / (1 - h_i).
    """
    design, s = _design(X, fit_intercept), _weights(weight, len(np.asarray(X)))
    solved = ridge(X, y, alpha, weight, fit_intercept)
    fitted = predict(X, solved.theta, fit_intercept)
    leverage = s * np.einsum("ij,jk,ik->i", design, np.linalg.inv(solved.penalized), design)
    return Leverages(fitted, leverage, (np.asarray(y, dtype=np.float64) - fitted) / (1 - leverage))


@dataclass(frozen=True)
class Choice:
    """The score of every alpha, and the best."""

    scores: Array
    alpha: float


def choose_by_leaving_out(
    X: ArrayLike, y: ArrayLike, alphas: Sequence[float], weight: ArrayLike | None = None, fit_intercept: bool = True
) -> Choice:
    """The alpha with the smallest mean of ``s_i e_i^2`` over rows left out."""
    s = _weights(weight, len(np.asarray(X)))
    scores = [-float(np.mean(s * leave_one_out(X, y, alpha, weight, fit_intercept) ** 2)) for alpha in alphas]
    return Choice(np.array(scores), alphas[int(np.argmax(scores))])


def choose_by_parts(
    X: ArrayLike,
    y: ArrayLike,
    alphas: Sequence[float],
    parts: Sequence[ArrayLike],
    score: Callable[[Array, Array], float] | None = None,
    fit_intercept: bool = True,
) -> Choice:
    """The alpha with the best mean score (R² unless told) over parts, each predicted by the fit to the others."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    measure = score or r2
    scores = np.empty((len(parts), len(alphas)))
    for k, fold in enumerate(parts):
        train = np.setdiff1d(np.arange(len(X)), fold)
        for a, alpha in enumerate(alphas):
            theta = ridge(X[train], y[train], alpha, fit_intercept=fit_intercept).theta
            scores[k, a] = measure(y[np.asarray(fold)], predict(X[np.asarray(fold)], theta, fit_intercept))
    mean = scores.mean(axis=0)
    return Choice(mean, alphas[int(np.argmax(mean))])


def r2(y: Array, predicted: Array) -> float:
    """``1 - SSE / SST``."""
    return float(1 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def signs(labels: Sequence[object]) -> tuple[list[object], Array]:
    """Classes as targets: one column of -1 and +1 for two classes, one a class for more."""
    classes = sorted(set(labels))  # type: ignore[type-var]
    columns = classes[1:] if len(classes) == 2 else classes
    return classes, np.array(
        [[1.0 if label == positive_label else -1.0 for positive_label in columns] for label in labels]
    )


def _design(X: ArrayLike, fit_intercept: bool) -> Array:
    table = np.asarray(X, dtype=np.float64)
    return np.column_stack([np.ones(len(table)), table]) if fit_intercept else table


def _weights(weight: ArrayLike | None, rows: int) -> Array:
    return np.ones(rows) if weight is None else np.asarray(weight, dtype=np.float64)
