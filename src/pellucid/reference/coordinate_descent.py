"""The lasso and the elastic net as a textbook has them: one coefficient at a time, and the exact path of the lasso.

The cost is  ``1/(2S) sum_i s_i (y_i - b - x_i . w)^2 + l1 |w|_1 + l2/2 |w|^2``  with ``S = sum_i s_i``,
``l1 = alpha l1_ratio`` and ``l2 = alpha (1 - l1_ratio)``; with ``cost="squared"`` both are halved, which minimizes
``1/S sum_i s_i (...)^2 + alpha l1_ratio |w|_1 + alpha (1 - l1_ratio)/2 |w|^2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
DIGITS = 80


@dataclass(frozen=True)
class Pass:
    """One pass over all columns: the coefficients after it, the cost and the duality gap there."""

    coef: Array
    objective: float
    gap: float


@dataclass(frozen=True)
class Fit:
    """Coefficients and intercept, and how the passes went."""

    coef: Array
    intercept: float
    passes: tuple[Pass, ...]
    converged: bool


def soft_threshold(a: float, l1: float) -> float:
    """``sign(a) max(|a| - l1, 0)``: toward zero by l1, and zero within."""
    return float(np.sign(a) * max(abs(a) - l1, 0.0))


def coordinate_descent(
    X: ArrayLike,
    y: ArrayLike,
    alpha: float,
    l1_ratio: float = 1.0,
    *,
    cost: Literal["half_squared", "squared"] = "half_squared",
    fit_intercept: bool = True,
    positive: bool = False,
    weight: ArrayLike | None = None,
    start: ArrayLike | None = None,
    max_iter: int = 100_000,
    tol: float = 1e-12,
) -> Fit:
    """Cyclic coordinate descent; stops when the duality gap is at most tol times the mean square of the target, and no
    coefficient moved the predictions by more than 1e-10 of its root.

    ``w_j = soft(rho_j, l1) / (q_j + l2)``,  rho_j the mean product of column j with what the others leave of y.
    """
    A, target = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    s = np.ones(len(A)) if weight is None else np.asarray(weight, dtype=np.float64)
    s = s / s.sum()
    scale = 2.0 if cost == "squared" else 1.0
    l1, l2 = alpha * l1_ratio / scale, alpha * (1 - l1_ratio) / scale
    mean_x, mean_y = (s @ A, float(s @ target)) if fit_intercept else (np.zeros(A.shape[1]), 0.0)
    Z, t = A - mean_x, target - mean_y
    q = s @ Z**2

    w = np.zeros(A.shape[1]) if start is None else np.array(start, dtype=np.float64)
    r, passes, converged = t - Z @ w, list[Pass](), False
    while len(passes) < max_iter and not converged:
        moved = 0.0
        for j in range(len(w)):
            if q[j] == 0:
                continue
            rho = s @ (Z[:, j] * r) + q[j] * w[j]
            best = (max(rho - l1, 0.0) if positive else soft_threshold(rho, l1)) / (q[j] + l2)
            r -= (best - w[j]) * Z[:, j]
            moved = max(moved, abs(best - w[j]) * float(np.sqrt(q[j])))
            w[j] = best
        dual_gap = duality_gap(s, Z, t, w, l1, l2, positive)
        passes.append(Pass(w.copy(), objective(s, r, w, l1, l2) * scale, dual_gap * scale))
        converged = dual_gap <= tol * float(s @ t**2) and moved <= 1e-10 * float(np.sqrt(s @ t**2))
    return Fit(w, mean_y - float(mean_x @ w), tuple(passes), converged)


def objective(s: Array, r: Array, w: Array, l1: float, l2: float) -> float:
    """Half the mean square of the residual, and the penalty."""
    return float(s @ r**2 / 2 + l1 * np.abs(w).sum() + l2 / 2 * w @ w)


def duality_gap(s: Array, Z: Array, t: Array, w: Array, l1: float, l2: float, positive: bool = False) -> float:
    """The cost at w less a bound from below: the dual cost of c r, scaled until no slope of it is above l1."""
    r = t - Z @ w
    gradient = Z.T @ (s * r) - l2 * w
    steepest = float(np.max(gradient if positive else np.abs(gradient), initial=0.0))
    if l1 == 0:  # the conjugate of l2/2 w^2 is g^2/(2 l2), finite everywhere
        return float(s @ (r * (r - t)) + l2 / 2 * w @ w + np.sum((gradient + l2 * w) ** 2) / (2 * l2))
    c = min(1.0, l1 / steepest) if steepest > 0 else 1.0
    dual = c * (s @ (r * t)) - c**2 / 2 * (s @ r**2 + l2 * w @ w)
    return max(0.0, objective(s, r, w, l1, l2) - float(dual))


def largest_alpha(X: ArrayLike, y: ArrayLike) -> float:
    """The smallest alpha at which all coefficients of the lasso are zero: the largest ``|mean(x (y - mean(y)))|``."""
    A, t = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return float(np.abs((A - A.mean(axis=0)).T @ (t - t.mean())).max() / len(t))


# --------------------------------------------------------------------------------------------- exactly, in many digits


@dataclass(frozen=True)
class Event:
    """At this alpha a column joins or leaves those with a coefficient; ``before`` are the columns above it."""

    alpha: float
    what: Literal["add", "drop", "end"]
    column: int | None
    before: tuple[int, ...]


def powers(x: ArrayLike, degree: int) -> list[list[Decimal]]:
    """x, x^2, ... less their means, over their standard deviations, in 80 digits."""
    with localcontext(prec=DIGITS):
        base = [Decimal(float(value)) for value in np.asarray(x)]
        found = []
        for k in range(1, degree + 1):
            column = _centered([value**k for value in base])
            size = (sum((v * v for v in column), Decimal(0)) / len(column)).sqrt()
            found.append([v / size for v in column])
        return found


def _centered(column: Sequence[Decimal]) -> list[Decimal]:
    mean = sum(column, Decimal(0)) / len(column)
    return [value - mean for value in column]


def _products(columns: Sequence[Sequence[Decimal]], y: Sequence[float]) -> tuple[list[list[Decimal]], list[Decimal]]:
    """Mean products of the centered columns with each other and with the centered target."""
    t = _centered([Decimal(float(value)) for value in y])
    z = [_centered(column) for column in columns]

    def mean(a: Sequence[Decimal], b: Sequence[Decimal]) -> Decimal:
        return sum((u * v for u, v in zip(a, b, strict=True)), Decimal(0)) / len(t)

    return [[mean(a, b) for b in z] for a in z], [mean(a, t) for a in z]


def _solve(G: list[list[Decimal]], *sides: list[Decimal]) -> list[list[Decimal]]:
    """Gauss elimination of a positive definite matrix, for several right sides."""
    k = len(G)
    rows = [[*G[i], *(side[i] for side in sides)] for i in range(k)]
    for i in range(k):
        for j in range(k):
            if j != i:
                factor = rows[j][i] / rows[i][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [[rows[i][k + m] / rows[i][i] for i in range(k)] for m in range(len(sides))]


def solve_with_signs(columns: Sequence[Sequence[Decimal]], y: Sequence[float], alpha: float, signs: ArrayLike) -> Array:
    """Coefficients of the lasso when their signs are known: ``G_A w_A = c_A - alpha s_A``, the others zero."""
    s = [int(value) for value in np.asarray(signs)]
    used = [j for j, value in enumerate(s) if value]
    with localcontext(prec=DIGITS):
        G, c = _products(columns, y)
        rhs = [c[j] - Decimal(alpha) * s[j] for j in used]
        (solution,) = _solve([[G[i][j] for j in used] for i in used], rhs)
    w = np.zeros(len(s))
    w[used] = [float(value) for value in solution]
    return w


def lasso_homotopy(
    columns: Sequence[Sequence[Decimal]], y: Sequence[float], smallest: float
) -> tuple[list[Event], Array]:
    """Every alpha down to the smallest at which a column joins or leaves, and the coefficients at the end.

    Between two such alphas the coefficients are straight lines in alpha,  ``w_A = G_A^-1 c_A - alpha G_A^-1 s_A``;  one
    leaves where its line meets zero, one joins where its slope  ``c_j - G_jA w_A``  reaches alpha (Efron, Hastie,
    Johnstone, Tibshirani 2004, with drops).
    """
    with localcontext(prec=DIGITS):
        G, c = _products(columns, y)
        first = max(range(len(c)), key=lambda j: abs(c[j]))
        alpha, signs, events = abs(c[first]), {first: _sign(c[first])}, list[Event]()
        while True:
            used = sorted(signs)
            inner = [[G[i][j] for j in used] for i in used]
            at_zero, fall = _solve(inner, [c[j] for j in used], [Decimal(signs[j]) for j in used])
            below = alpha * (1 - Decimal(10) ** -50)
            candidates: list[tuple[Decimal, str, int]] = []
            for position, j in enumerate(used):
                if fall[position] != 0 and 0 < at_zero[position] / fall[position] < below:
                    candidates.append((at_zero[position] / fall[position], "drop", j))
            for j in set(range(len(c))) - set(used):
                residual_product = c[j] - sum((G[j][k] * at_zero[i] for i, k in enumerate(used)), Decimal(0))
                rate = sum((G[j][k] * fall[i] for i, k in enumerate(used)), Decimal(0))
                # rest + alpha slope = +-alpha
                candidates += [
                    (at, "add", j)
                    for at in (residual_product / (1 - rate), -residual_product / (1 + rate))
                    if 0 < at < below
                ]
            alpha, what, column = max(candidates, default=(Decimal(0), "end", -1))
            if alpha <= Decimal(smallest):
                events.append(Event(smallest, "end", None, tuple(used)))
                w = np.zeros(len(c))
                w[used] = [float(a - Decimal(smallest) * b) for a, b in zip(at_zero, fall, strict=True)]
                return events, w
            events.append(Event(float(alpha), "add" if what == "add" else "drop", column, tuple(used)))
            if what == "drop":
                del signs[column]
            else:
                w_now = {k: at_zero[i] - alpha * fall[i] for i, k in enumerate(used)}
                signs[column] = _sign(c[column] - sum((G[column][k] * value for k, value in w_now.items()), Decimal(0)))


def _sign(value: Decimal) -> int:
    return 1 if value > 0 else -1
