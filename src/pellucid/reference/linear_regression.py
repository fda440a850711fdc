"""Least squares in the ways a textbook teaches it.

The model is ``y = theta_0 + theta_1 x_1 + ... + theta_p x_p + error``. Least squares chooses the theta that makes the
sum of squared errors ``sum_i w_i (y_i - theta^T x_i)^2`` smallest (all ``w_i = 1`` unless weights are given).

Everywhere below, n rows, p columns of X, and ``theta`` with the intercept first; without intercept theta has no such
entry. A y of shape (n, k) gives a theta of shape (p + 1, k), one column an output.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from pellucid.reference import statistics

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Simple:
    """A line through points, with the steps that lead to it."""

    mean_x: float
    mean_y: float
    deviation_x: Array
    deviation_y: Array
    products: Array
    squares: Array
    sxy: float
    sxx: float
    slope: float
    intercept: float


def simple(x: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None) -> Simple:
    """Fit a line by means and deviations.

    slope      ``theta_1 = Sxy / Sxx``,  ``Sxy = sum w (x - m_x)(y - m_y)``,  ``Sxx = sum w (x - m_x)^2``
    intercept  ``theta_0 = m_y - theta_1 m_x``
    """
    x_values, y_values = _array(x), _array(y)
    w = _weights(weight, len(x_values))
    mean_x = float((w * x_values).sum() / w.sum())
    mean_y = float((w * y_values).sum() / w.sum())

    deviation_x = x_values - mean_x
    deviation_y = y_values - mean_y
    products = w * deviation_x * deviation_y
    squares = w * deviation_x**2
    sxy, sxx = float(products.sum()), float(squares.sum())
    if sxx == 0:
        raise ValueError(f"simple: x must take at least two values; all are {mean_x:g}.")

    slope = sxy / sxx
    intercept = mean_y - slope * mean_x
    return Simple(mean_x, mean_y, deviation_x, deviation_y, products, squares, sxy, sxx, slope, intercept)


@dataclass(frozen=True)
class Correlation:
    """A line from the correlation of x and y and their standard deviations."""

    r: float
    standard_deviation_x: float
    standard_deviation_y: float
    slope: float
    intercept: float


def correlation(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Fit a line by the correlation: ``theta_1 = r s_y / s_x`` with both standard deviations of divisor n - 1."""
    r = statistics.correlation(x, y)
    sd_x = statistics.standard_deviation(x)
    sd_y = statistics.standard_deviation(y)
    slope = r * sd_y / sd_x
    return Correlation(r, sd_x, sd_y, slope, statistics.mean(y) - slope * statistics.mean(x))


@dataclass(frozen=True)
class Normal:
    """The normal equation and its solution."""

    xtx: Array
    xty: Array
    inverse: Array
    theta: Array


def normal(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None, fit_intercept: bool = True) -> Normal:
    """Solve the normal equation ``(X^T W X) theta = X^T W y``, X with a leading column of ones for the intercept.

    It is the condition that the gradient of the sum of squared errors is zero: the residuals stand at right angles to
    every column of X. Forming ``X^T X`` squares the condition number; :func:`qr` and :func:`svd` do not form it.
    """
    design = with_ones(X) if fit_intercept else _array(X)
    weighted = design * _weights(weight, len(design))[:, None]
    xtx = weighted.T @ design
    xty = weighted.T @ _array(y)
    inverse = _array(np.linalg.inv(xtx))
    return Normal(xtx, xty, inverse, theta=inverse @ xty)


@dataclass(frozen=True)
class QR:
    """The triangular system to which Householder's reflections reduce least squares."""

    r: Array
    qty: Array
    theta: Array


def qr(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None, fit_intercept: bool = True) -> QR:
    """Solve by ``X = Q R`` with orthogonal Q and upper triangular R: ``R theta = Q^T y``, from the last row upwards.

    Q keeps lengths, so ``|y - X theta| = |Q^T y - R theta|``, and the triangular system makes its upper part zero.
    """
    design = with_ones(X) if fit_intercept else _array(X)
    root = np.sqrt(_weights(weight, len(design)))[:, None]
    outputs = _array(y).reshape(len(design), -1)
    r, qty = triangular(design * root, outputs * root)

    size = np.abs(np.diag(r))
    if len(design) < len(size) or size.min() <= size.max() * np.finfo(float).eps * max(design.shape):
        raise ValueError("qr: the columns of X must be linearly independent; some are not.\nhint: use svd.")
    theta = back_substitution(r, qty)
    return QR(r, qty, theta if np.ndim(y) == 2 else theta[:, 0])


def triangular(A: Array, B: Array) -> tuple[Array, Array]:
    """Reduce A to upper triangular R by Householder's reflections, and B along with it: returns R and ``Q^T B``.

    Step j mirrors ``a``, column j from row j downwards, onto the first axis. The mirror stands at right angles to
    ``v = a + sign(a_1) |a| e_1``, and mirroring z is ``z - 2 v (v^T z) / (v^T v)``.
    """
    r, qtb = A.copy(), B.copy()
    columns = min(A.shape)
    for j in range(columns):
        v = r[j:, j].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        length = v @ v
        if length == 0:
            continue
        r[j:] -= 2 * np.outer(v, v @ r[j:]) / length
        qtb[j:] -= 2 * np.outer(v, v @ qtb[j:]) / length
    return np.triu(r[:columns]), qtb[:columns]


def back_substitution(r: Array, b: Array) -> Array:
    """Solve ``R theta = b`` for upper triangular R: ``theta_j = (b_j - sum_{k>j} R_jk theta_k) / R_jj``."""
    theta = np.zeros((r.shape[1], b.shape[1]))
    for j in reversed(range(len(theta))):
        theta[j] = (b[j] - r[j, j + 1 :] @ theta[j + 1 :]) / r[j, j]
    return theta


@dataclass(frozen=True)
class SVD:
    """The singular value decomposition of the (centered) data and the solution of smallest norm."""

    singular: Array
    cutoff: float
    rank: int
    pseudoinverse: Array
    theta: Array


def svd(
    X: ArrayLike,
    y: ArrayLike,
    weight: ArrayLike | None = None,
    fit_intercept: bool = True,
    rcond: float | None = None,
) -> SVD:
    """Solve by the pseudoinverse: ``X = U S V^T``, ``X+ = V S+ U^T``, ``theta = X+ y``.

    S+ holds 1/s for the singular values s above ``rcond s_max`` and 0 for the others, which are rounding noise; their
    number is the rank. Of all solutions this is the shortest, so it exists where columns depend on each other.

    With intercept, X and y are centered first and ``theta_0 = m_y - m_x^T theta``: the norm of the coefficients alone
    is smallest and the intercept costs nothing. For the pseudoinverse of a matrix with a column of ones, give that
    matrix with ``fit_intercept=False``.
    """
    table, outputs = _array(X), _array(y)
    w = _weights(weight, len(table))
    mean_x, mean_y = _means(table, outputs, w, fit_intercept)
    root = np.sqrt(w)

    u, singular, vt = np.linalg.svd((table - mean_x) * root[:, None], full_matrices=False)
    relative = np.finfo(float).eps * max(table.shape) if rcond is None else rcond
    cutoff = float(relative * singular.max(initial=0.0))
    is_used = singular > cutoff
    inverted = np.where(is_used, 1 / np.where(is_used, singular, 1), 0)

    pseudoinverse = vt.T @ (inverted[:, None] * u.T)
    coefficients = pseudoinverse @ _scale_rows(outputs - mean_y, root)
    theta = _prepend_intercept(coefficients, mean_x, mean_y) if fit_intercept else coefficients
    return SVD(singular, cutoff, int(is_used.sum()), pseudoinverse, theta)


@dataclass(frozen=True)
class ActiveSetStep:
    """One pass of the active-set method: which column came in, which went out, and where that led."""

    entered: int
    gradient: Array
    left: tuple[int, ...]
    free: tuple[int, ...]
    coefficients: Array


@dataclass(frozen=True)
class Nonnegative:
    """Least squares with coefficients that are not negative."""

    theta: Array
    gradient: Array
    steps: tuple[ActiveSetStep, ...]


def nonnegative(X: ArrayLike, y: ArrayLike, weight: ArrayLike | None = None, fit_intercept: bool = True) -> Nonnegative:
    """Least squares under ``theta_j >= 0`` (the intercept is free), by Lawson and Hanson's active set.

    Start with every coefficient held at zero. While some held coefficient would lower the cost if it grew (its
    ``g_j = x_j^T (y - X theta)`` is positive), free the one with the largest g and solve least squares over the free
    ones; any that comes out negative is met on the way there, held again, and the rest solved once more.

    At the end ``theta_j > 0, g_j = 0`` or ``theta_j = 0, g_j <= 0``: the Karush-Kuhn-Tucker conditions.
    """
    table, target = _array(X), _array(y)
    w = _weights(weight, len(table))
    mean_x, mean_y = _means(table, target, w, fit_intercept)
    A = (table - mean_x) * np.sqrt(w)[:, None]
    b = (target - mean_y) * np.sqrt(w)

    theta, steps = np.zeros(A.shape[1]), list[ActiveSetStep]()
    free, refused = np.zeros(A.shape[1], dtype=bool), np.zeros(A.shape[1], dtype=bool)
    tolerance = 10 * np.finfo(float).eps * max(A.shape) * np.linalg.norm(A, axis=0) * np.linalg.norm(b)
    gradient = A.T @ b
    while (candidates := ~free & ~refused & (gradient > tolerance)).any():
        entered = int(np.argmax(np.where(candidates, gradient, -np.inf)))
        free[entered] = True
        theta, left = _solve_free(A, b, theta, free)
        steps.append(ActiveSetStep(entered, gradient, left, tuple(np.flatnonzero(free).tolist()), theta))
        if entered in left:  # its gradient was rounding noise
            refused[entered] = True
        else:
            refused[:] = False
        gradient = A.T @ (b - A @ theta)

    full = _prepend_intercept(theta, mean_x, mean_y) if fit_intercept else theta
    return Nonnegative(full, gradient, tuple(steps))


def _solve_free(A: Array, b: Array, theta: Array, free: NDArray[np.bool_]) -> tuple[Array, tuple[int, ...]]:
    """Least squares over the free columns; moves from theta toward it only as far as no coefficient turns negative.

    The share of the way to the first zero is ``min_j theta_j / (theta_j - goal_j)`` over the goals that are negative.
    Columns met at zero are taken out of ``free`` and returned.
    """
    removed: list[int] = []
    while True:
        goal = np.zeros_like(theta)
        goal[free] = np.linalg.lstsq(A[:, free], b)[0]
        blocked = np.flatnonzero(free & (goal <= 0))
        if len(blocked) == 0:
            return goal, tuple(removed)
        distance = np.maximum(theta[blocked] - goal[blocked], np.finfo(float).tiny)
        share = theta[blocked] / distance
        blocking = blocked[share == share.min()]
        theta = theta + share.min() * (goal - theta)
        theta[blocking] = 0
        free[blocking] = False
        removed += blocking.tolist()


@dataclass(frozen=True)
class Inference:
    """How well a fitted theta describes the data, and how sure each coefficient is."""

    fitted: Array
    residuals: Array
    sse: float
    ssr: float
    sst: float
    r2: float
    adjusted_r2: float
    mse_n: float
    mse_df: float
    df_residual: int
    critical: float
    standard_errors: Array
    t_values: Array
    p_values: Array
    intervals: Array


def inference(
    X: ArrayLike,
    y: ArrayLike,
    theta: ArrayLike,
    level: float = 0.95,
    critical: float | None = None,
    weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> Inference:
    """Sums of squares, the coefficient of determination, standard errors, t values and intervals of the coefficients.

    ``SSE = sum w (y - f)^2``, ``SSR = sum w (f - m_y)^2``, ``SST = sum w (y - m_y)^2``, ``R2 = 1 - SSE/SST``
    ``adjusted R2 = 1 - (1 - R2)(n - 1)/(n - p - 1)``
    ``s^2 = SSE/(n - p - 1)``, ``se_j = s sqrt([(X^T W X)^-1]_jj)``, ``t_j = theta_j / se_j``, ``theta_j +- t* se_j``

    with f the fitted values, n the number of rows whose weight is not zero, and t* Student's quantile for n - p - 1
    degrees of freedom, or ``critical`` where a value is read off a table. Without intercept ``m_y`` is 0 in all sums
    and the degrees of freedom are n - p. Weights are those of observations that differ in precision: multiplying them
    by a constant changes neither the standard errors nor the intervals.
    """
    design = with_ones(X) if fit_intercept else _array(X)
    target, coefficients = _array(y), _array(theta)
    w = _weights(weight, len(design))
    n, parameters = int(np.count_nonzero(w)), design.shape[1]

    fitted = design @ coefficients
    residuals = target - fitted
    center = (w * target).sum() / w.sum() if fit_intercept else 0.0
    sse = float((w * residuals**2).sum())
    ssr = float((w * (fitted - center) ** 2).sum())
    sst = float((w * (target - center) ** 2).sum())

    df = n - parameters
    r2 = 1 - sse / sst if sst > 0 else np.nan
    adjusted_r2 = 1 - (1 - r2) * (n - int(fit_intercept)) / df if df > 0 else np.nan
    mse_df = sse / df if df > 0 else np.nan

    inverse = np.linalg.inv((design * w[:, None]).T @ design)
    standard_errors = np.sqrt(mse_df * np.diag(inverse))
    with np.errstate(divide="ignore", invalid="ignore"):
        t_values = coefficients / standard_errors
    p_values = 2 * stdtr(df, -np.abs(t_values))
    quantile = statistics.student_t_critical(df, 1 - level) if critical is None else critical
    margin = quantile * standard_errors
    return Inference(
        fitted=fitted,
        residuals=residuals,
        sse=sse,
        ssr=ssr,
        sst=sst,
        r2=r2,
        adjusted_r2=adjusted_r2,
        mse_n=sse / n,
        mse_df=mse_df,
        df_residual=df,
        critical=quantile,
        standard_errors=standard_errors,
        t_values=t_values,
        p_values=p_values,
        intervals=np.column_stack([coefficients - margin, coefficients + margin]),
    )


@dataclass(frozen=True)
class Intervals:
    """Estimates for new rows with the interval of the mean response and the wider one of a single new observation."""

    estimate: Array
    leverage: Array
    standard_error_mean: Array
    standard_error_prediction: Array
    confidence: Array
    prediction: Array


def intervals(
    X: ArrayLike,
    y: ArrayLike,
    theta: ArrayLike,
    X_new: ArrayLike,
    level: float = 0.95,
    critical: float | None = None,
    weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> Intervals:
    """Confidence interval of the mean response and prediction interval at new rows.

    ``f = theta^T x``, leverage ``h = x^T (X^T W X)^-1 x``; the mean response has the standard error ``s sqrt(h)``, one
    new observation of weight 1 scatters around it and has ``s sqrt(1 + h)``.
    """
    fit = inference(X, y, theta, level, critical, weight, fit_intercept)
    design, new = (with_ones(X), with_ones(X_new)) if fit_intercept else (_array(X), _array(X_new))
    inverse = np.linalg.inv((design * _weights(weight, len(design))[:, None]).T @ design)
    s = sqrt(fit.mse_df)

    estimate = new @ _array(theta)
    leverage = ((new @ inverse) * new).sum(axis=1)
    se_mean = s * np.sqrt(leverage)
    se_prediction = s * np.sqrt(1 + leverage)

    def around(standard_error: Array) -> Array:
        return np.column_stack([estimate - fit.critical * standard_error, estimate + fit.critical * standard_error])

    return Intervals(estimate, leverage, se_mean, se_prediction, around(se_mean), around(se_prediction))


def predict(X: ArrayLike, theta: ArrayLike, fit_intercept: bool = True) -> Array:
    """Fitted values ``f = theta_0 + theta_1 x_1 + ... + theta_p x_p``."""
    return (with_ones(X) if fit_intercept else _array(X)) @ _array(theta)


def with_ones(X: ArrayLike) -> Array:
    """X with a leading column of ones, whose coefficient is the intercept."""
    table = _array(X)
    return np.column_stack([np.ones(len(table)), table])


def _array(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)


def _weights(weight: ArrayLike | None, n: int) -> Array:
    return np.ones(n) if weight is None else _array(weight)


def _scale_rows(values: Array, factor: Array) -> Array:
    return values * factor if values.ndim == 1 else values * factor[:, None]


def _means(X: Array, y: Array, w: Array, fit_intercept: bool) -> tuple[Array, Array]:
    """Weighted means of the columns of X and of y; zeros where there is no intercept to take them up."""
    if not fit_intercept:
        return np.zeros(X.shape[1]), np.zeros(y.shape[1:])
    return w @ X / w.sum(), np.asarray(w @ y / w.sum())


def _prepend_intercept(coefficients: Array, mean_x: Array, mean_y: Array) -> Array:
    """Put ``theta_0 = m_y - m_x^T theta`` in front: the line passes through the point of the means."""
    intercept = mean_y - mean_x @ coefficients
    return np.concatenate([np.reshape(intercept, (1, *mean_y.shape)), coefficients])
