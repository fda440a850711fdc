"""Bias, variance and noise on simulated data; and the bootstrap of any statistic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri
from sklearn.base import clone
from sklearn.utils import check_random_state

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Floats

__all__ = ["BiasVariance", "Bootstrap", "bias_variance", "bootstrap"]


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """Where a model's error comes from: ``error = bias² + variance + noise``, each the mean over the test points.

    by_point : one row a test point, columns bias², variance, noise, error
    predictions : one row a training set, one column a test point
    """

    bias2: float
    variance: float
    noise: float
    error: float
    by_point: Floats
    predictions: Floats

    def __str__(self) -> str:
        return (
            f"bias² {self.bias2:.6g} + variance {self.variance:.6g} + noise {self.noise:.6g} = "
            f"{self.bias2 + self.variance + self.noise:.6g}   (error measured {self.error:.6g})"
        )


def bias_variance(
    model: Any,
    truth: Callable[[Floats], ArrayLike],
    X: ArrayLike,
    X_test: ArrayLike | None = None,
    *,
    noise: float = 1.0,
    n_sets: int = 200,
    random_state: Any = None,
) -> BiasVariance:
    """How far a model is off on average, how much it wavers, and what no model can explain.

    Many training sets ``y = f(X) + noise`` are drawn from a known truth f and the model is fitted to each. At a test
    point x with mean prediction ``m(x)`` over the sets:

    ``bias²(x) = (m(x) - f(x))²``,  ``variance(x) = mean (prediction - m(x))²``,  ``noise = sd²``

    and the mean squared error against fresh observations is their sum. A model that is too simple has bias, one that is
    too flexible variance.

    Parameters
    ----------
    model : a regressor
    truth : the function f of a table
    X, X_test : rows to train on (the same in every set) and to judge at (X unless given)
    noise : standard deviation of the noise
    n_sets : number of training sets

    Examples
    --------
    >>> from pellucid.dummy import DummyRegressor
    >>> X = [[-1.0], [0.0], [1.0]]
    >>> found = bias_variance(DummyRegressor(), lambda X: X[:, 0], X, noise=0.0, n_sets=5)
    >>> found.variance, round(found.bias2, 12)  # the mean 0 is off by 1, 0 and 1
    (0.0, 0.666666666667)
    """
    if n_sets < 2 or not noise >= 0:
        requirement = "n_sets must be at least 2 and noise not negative"
        raise ParameterError(
            format_message("bias_variance", requirement, actual=f"got n_sets={n_sets!r}, noise={noise!r}")
        )
    train = np.asarray(X, dtype=np.float64)
    test = train if X_test is None else np.asarray(X_test, dtype=np.float64)
    right, goal = (np.asarray(truth(table), dtype=np.float64).ravel() for table in (train, test))
    if len(right) != len(train) or not (np.isfinite(right).all() and np.isfinite(goal).all()):
        raise DataError(format_message("bias_variance", "truth must give one finite number for each row"))
    random = check_random_state(random_state)
    predictions, errors = np.empty((n_sets, len(test))), np.empty((n_sets, len(test)))
    for k in range(n_sets):
        fitted = clone(model).fit(train, right + noise * random.normal(size=len(train)))
        predictions[k] = np.ravel(fitted.predict(test))
        errors[k] = (predictions[k] - (goal + noise * random.normal(size=len(test)))) ** 2
    bias2 = (predictions.mean(axis=0) - goal) ** 2
    variance = predictions.var(axis=0)
    by_point = np.column_stack([bias2, variance, np.full(len(test), noise**2), errors.mean(axis=0)])
    means = by_point.mean(axis=0)
    return BiasVariance(float(means[0]), float(means[1]), float(means[2]), float(means[3]), by_point, predictions)


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A statistic with its uncertainty, from samples drawn with replacement.

    estimate : the statistic of the data
    mean : the mean over the samples; standard_error : their standard deviation; bias : mean less estimate
    low, high : confidence interval of ``level`` by ``method``
    """

    estimate: float
    mean: float
    standard_error: float
    bias: float
    low: float
    high: float
    level: float
    method: str
    samples: Floats


def bootstrap(
    statistic: Callable[..., float],
    *data: ArrayLike,
    n_resamples: int = 1000,
    level: float = 0.95,
    method: Literal["percentile", "basic", "bca"] = "percentile",
    random_state: Any = None,
) -> Bootstrap:
    """How sure is a statistic: it is worked out again on many samples of the same size, drawn with replacement.

    Several columns of data are drawn row by row, together. Intervals from the samples' quantiles ``q``:

    percentile  ``[q(a/2), q(1 - a/2)]``
    basic       ``[2 est - q(1 - a/2), 2 est - q(a/2)]``, the same turned around the estimate
    bca         percentile with shifted places, corrected for bias (the share of samples below the estimate) and for
                acceleration (the skewness of the estimates with one row left out): Efron 1987

    Examples
    --------
    >>> found = bootstrap(lambda x: x.mean(), [1.0, 2.0, 3.0, 4.0, 5.0], random_state=0)
    >>> found.estimate, found.low < 3 < found.high
    (3.0, True)
    """
    columns = [np.asarray(column) for column in data]
    n = _checked(columns, n_resamples, level, method)
    random = check_random_state(random_state)
    estimate = float(statistic(*columns))
    samples = np.empty(n_resamples)
    for k in range(n_resamples):
        rows = random.randint(0, n, size=n)
        samples[k] = float(statistic(*(column[rows] for column in columns)))
    shares = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        shares = _corrected(statistic, columns, n, estimate, samples, shares)
    low, high = np.quantile(samples, shares)
    if method == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    mean = float(samples.mean())
    return Bootstrap(
        estimate, mean, float(samples.std(ddof=1)), mean - estimate, float(low), float(high), level, method, samples
    )


def _checked(columns: list[Any], n_resamples: int, level: float, method: str) -> int:
    lengths = {len(column) for column in columns if column.ndim}
    if len(lengths) != 1 or min(lengths) < 2 or any(column.ndim == 0 for column in columns):
        requirement = "data must be columns or tables of the same length, at least two rows"
        raise DataError(format_message("bootstrap", requirement, actual=f"got {sorted(lengths) or 'none'}"))
    if n_resamples < 2 or not 0 < level < 1 or method not in ("percentile", "basic", "bca"):
        requirement = "n_resamples must be at least 2, level between 0 and 1, method 'percentile', 'basic' or 'bca'"
        raise ParameterError(
            format_message("bootstrap", requirement, actual=f"got {n_resamples!r}, {level!r}, {method!r}")
        )
    return int(lengths.pop())


def _corrected(
    statistic: Callable[..., float], columns: list[Any], n: int, estimate: float, samples: Floats, shares: Floats
) -> Floats:
    """The places of the quantiles: ``Phi(z0 + (z0 + z) / (1 - a (z0 + z)))``."""
    below = np.mean(samples < estimate) + np.mean(samples == estimate) / 2
    shift = float(ndtri(np.clip(below, 1e-12, 1 - 1e-12)))
    left_out = np.array([float(statistic(*(np.delete(column, i, axis=0) for column in columns))) for i in range(n)])
    apart = left_out.mean() - left_out
    spread = float((apart**2).sum()) ** 1.5
    acceleration = float((apart**3).sum()) / (6 * spread) if spread > 0 else 0.0
    z = shift + ndtri(shares)
    return np.asarray(ndtr(shift + z / (1 - acceleration * z)))
