"""Columns brought to a common scale."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from scipy.special import ndtri
from sklearn.callback import with_callbacks

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.data.design import Design, InputSpec, check_finite
from pellucid.data.figures import Figures, check_range
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._scaler import EndsScaler, FiguresScaler, Scaler, or_one

__all__ = ["MaxAbsScaler", "MeanNormalizer", "MinMaxScaler", "RobustScaler", "StandardScaler"]


class StandardScaler(FiguresScaler):
    """Gives every column a mean of 0 and a standard deviation of 1.

    ``z = (x - m) / s``  with the column's mean  ``m = (x_1 + ... + x_n) / n``  and its standard deviation
    ``s = sqrt(((x_1 - m)² + ... + (x_n - m)²) / (n - ddof))``.  With weights every x counts w times and n is their sum.

    Distances, penalties and steps of descent then treat all columns alike. The mean and the spread follow outliers:
    `RobustScaler` does not. Missing values are left out of the figures and stay missing. A constant column is
    divided by 1. It is one whose values are all equal; scikit-learn also takes a column for constant whose spread is
    small beside its mean, as its sums are less exact. Sparse tables need ``with_mean=False``. float32 stays float32,
    the figures are float64.

    Attributes
    ----------
    mean_ : one number a column, or None
        Means; None if neither they nor the spreads are used.
    var_, scale_ : one number a column, or None
        Variances and standard deviations, the latter 1 for a constant column; None without `with_std`.
    n_samples_seen_ : int, or one number a column
        Rows with a value (sums of weights, where there are any); one number if it is the same for all columns.

    Examples
    --------
    >>> from pellucid.preprocessing import StandardScaler
    >>> scaler = StandardScaler().fit([[1, 5], [3, 5], [5, 5]])
    >>> scaler.mean_.tolist(), scaler.var_.round(4).tolist(), scaler.scale_.round(4).tolist()
    ([3.0, 5.0], [2.6667, 0.0], [1.633, 1.0])
    >>> scaler.transform([[1, 5], [3, 6]]).round(4).tolist()
    [[-1.2247, 0.0], [0.0, 1.0]]
    >>> StandardScaler(ddof=1).fit_transform([[1], [3], [5]]).ravel().tolist()
    [-1.0, 0.0, 1.0]
    """

    with_mean: bool = param(default=True, doc="Is the mean taken off? A sparse table needs False.")
    with_std: bool = param(default=True, doc="Is the rest divided by the standard deviation?")
    ddof: Literal[0, 1] = param(
        default=0, doc="What is taken off n in the variance: 0 as scikit-learn does, or 1, for the sample variance."
    )

    input_spec = InputSpec(sparse=True, missing=True, check_finite="kernel")

    def _centering(self) -> str:
        return "with_mean" if self.with_mean else ""

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learns the mean and the spread of every column.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : not looked at
            There for scikit-learn's sake.
        sample_weight : how often each row counts, optional

        Returns
        -------
        self
        """
        self._run_fit(X, None, sample_weight)
        return self

    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learns from one more part of a table: after all parts, what `fit` learns from the whole, up to rounding.

        Parameters
        ----------
        X : some rows of the table
        y : not looked at
            There for scikit-learn's sake.
        sample_weight : how often each of these rows counts, optional

        Returns
        -------
        self
        """
        return self._fit_part(X, sample_weight)

    def _learn(self, figures: Figures) -> None:
        variance, scale = self._spread(figures) if self.with_std else (None, None)
        seen = figures.weight if figures.weighted else figures.count.astype(np.int64)
        self.mean_: Floats | None = figures.means if self.with_mean or self.with_std else None
        self.var_: Floats | None = variance
        self.scale_: Floats | None = scale
        self.n_samples_seen_ = seen[0] if len(seen) and (seen == seen[0]).all() else seen

    def _spread(self, figures: Figures) -> tuple[Floats, Floats]:
        divisor = figures.weight - self.ddof
        constant = figures.is_constant | (figures.count == 0)
        if (divisor[~constant] <= 0).any():
            actual = f"got weights whose sum is {figures.weight[~constant].min():g}"
            requirement = "with ddof=1 the weights must add up to more than 1"
            raise DataError(
                format_message(
                    type(self).__name__, requirement, actual=actual, hint="ddof=0, or weights that count rows"
                )
            )
        with np.errstate(over="ignore", under="ignore"):
            in_units = np.where(constant, 0.0, figures.square) / np.where(constant, 1.0, divisor)
            variance = in_units / figures.unit / figures.unit
        scale = np.where(constant, 1.0, np.sqrt(in_units) / figures.unit)
        empty = figures.count == 0
        return np.where(empty, np.nan, variance), np.where(empty, np.nan, scale)

    def _line(self) -> tuple[Any, Any, Any]:
        return self.mean_ if self.with_mean else 0.0, self.scale_ if self.with_std else 1.0, 0.0


def _check_pair(name: str, low: float, high: float, strict: bool) -> Any:
    """A check that a parameter is two numbers in order."""

    def check(value: Any) -> str | None:
        numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in value)
        if len(value) == 2 and numbers and low <= value[0] <= value[1] <= high and (value[0] < value[1] or not strict):
            return None
        order = "the smaller first" if strict else "the larger not first"
        limits = "" if np.isinf(high) else f" from {low:g} to {high:g}"
        return f"{name} must be two numbers{limits}, {order}; got {value!r}"

    return check


class MinMaxScaler(EndsScaler):
    """Brings every column into the same range, from 0 to 1 unless told.

    ``z = (x - min) / (max - min) * (b - a) + a``  for the range from a to b: the smallest value of a column becomes a,
    the largest b.

    Zeros do not stay zeros, hence no sparse tables: see `MaxAbsScaler`. One outlier presses all others together:
    `RobustScaler` does not let it. Missing values are left out of the figures and stay missing. A constant column
    becomes a. Later values beyond those of `fit` leave the range unless `clip` holds them. float32 stays float32.

    Attributes
    ----------
    data_min_, data_max_, data_range_ : one number a column
        Smallest and largest value, and their distance.
    scale_, min_ : one number a column
        The same map as a line,  ``z = x * scale_ + min_``.
    n_samples_seen_ : int
        Rows seen.

    Examples
    --------
    >>> from pellucid.preprocessing import MinMaxScaler
    >>> scaler = MinMaxScaler().fit([[10, 1], [20, 1], [50, 1]])
    >>> scaler.transform([[10, 1], [20, 1], [60, 2]]).tolist()
    [[0.0, 0.0], [0.25, 0.0], [1.25, 1.0]]
    """

    feature_range: tuple | list = param(  # type: ignore[type-arg]
        default=(0, 1),
        kw_only=False,
        check=_check_pair("feature_range", -np.finfo(np.float64).max, np.inf, strict=True),
        doc="Where the smallest and the largest value of a column go.",
    )
    clip: bool = param(default=False, doc="Are later values beyond those of `fit` set to the end of the range?")

    def _learn(self, figures: Figures) -> None:
        a, b = (float(v) for v in self.feature_range)
        self.data_min_, self.data_max_ = figures.ends
        self.data_range_ = self.data_max_ - self.data_min_
        with np.errstate(over="ignore"):
            self.scale_ = (b - a) / or_one(self.data_range_)
            self.min_ = a - self.data_min_ * self.scale_
        self.n_samples_seen_ = figures.rows

    def _line(self) -> tuple[Any, Any, Any]:
        a, b = (float(v) for v in self.feature_range)
        return self.data_min_, or_one(self.data_range_) / (b - a), a

    def _limits(self) -> tuple[float, float]:
        a, b = self.feature_range
        return (float(a), float(b)) if self.clip else (-np.inf, np.inf)


class MaxAbsScaler(EndsScaler):
    """Divides every column by its largest absolute value, so that it lies between -1 and 1.

    ``z = x / max(|x_1|, ..., |x_n|)``.  Zeros stay zeros: the scaler for sparse tables.

    One outlier presses all others together; `RobustScaler` is not moved by it. Missing values are left out of the
    figures and stay missing. A column of zeros stays as it is. float32 stays float32.

    Attributes
    ----------
    max_abs_ : one number a column
        Largest absolute value.
    scale_ : one number a column
        What the column is divided by: the same, but 1 instead of 0.
    n_samples_seen_ : int
        Rows seen.

    Examples
    --------
    >>> from pellucid.preprocessing import MaxAbsScaler
    >>> MaxAbsScaler().fit_transform([[1, 0], [-4, 0], [2, 0]]).tolist()
    [[0.25, 0.0], [-1.0, 0.0], [0.5, 0.0]]
    """

    clip: bool = param(default=False, doc="Are later values beyond those of `fit` set to -1 or 1?")

    input_spec = InputSpec(sparse=True, missing=True, check_finite="kernel")

    def _learn(self, figures: Figures) -> None:
        low, high = figures.ends
        self.max_abs_ = np.maximum(np.abs(low), np.abs(high))
        self.scale_ = or_one(self.max_abs_)
        self.n_samples_seen_ = figures.rows

    def _line(self) -> tuple[Any, Any, Any]:
        return 0.0, self.scale_, 0.0

    def _limits(self) -> tuple[float, float]:
        return (-1.0, 1.0) if self.clip else (-np.inf, np.inf)


class MeanNormalizer(FiguresScaler):
    """Takes off every column its mean and divides by its range.

    ``z = (x - m) / (max - min)``  with the column's mean m: the mean becomes 0 and the ends lie one apart, both between
    -1 and 1.

    Between `StandardScaler` and `MinMaxScaler`: centered as by the first, of width 1 as by the second. Outliers move
    both figures. Missing values are left out of the figures and stay missing. A constant column becomes 0. float32
    stays float32. scikit-learn has no such scaler.

    Attributes
    ----------
    mean_ : one number a column
        Means.
    data_min_, data_max_, data_range_ : one number a column
        Smallest and largest value, and their distance.
    scale_ : one number a column
        What the rest is divided by: the range, but 1 for a constant column.
    n_samples_seen_ : int
        Rows seen.

    Examples
    --------
    >>> from pellucid.preprocessing import MeanNormalizer
    >>> MeanNormalizer().fit_transform([[1, 7], [2, 7], [6, 7]]).tolist()
    [[-0.4, 0.0], [-0.2, 0.0], [0.6, 0.0]]
    """

    def _learn(self, figures: Figures) -> None:
        self.mean_ = figures.means
        self.data_min_, self.data_max_ = figures.ends
        self.data_range_ = self.data_max_ - self.data_min_
        self.scale_ = or_one(self.data_range_)
        self.n_samples_seen_ = figures.rows

    def _line(self) -> tuple[Any, Any, Any]:
        return self.mean_, self.scale_, 0.0


class RobustScaler(Scaler):
    """Takes off every column its median and divides by the distance between its quartiles.

    ``z = (x - median) / (Q3 - Q1)``,  where a quantile of share p stands at place ``1 + (n - 1) p`` of the ordered
    values, between its two neighbors in proportion.

    Up to a quarter of the values may be wild without any effect on the others. Where nothing is wild, `StandardScaler`
    wastes less of the data. Missing values are left out of the figures and stay missing. A distance of 0 is taken
    as 1. Sparse tables need ``with_centering=False``. float32 stays float32.

    Attributes
    ----------
    center_ : one number a column, or None
        Medians; None without `with_centering`.
    scale_ : one number a column, or None
        Distances between the quantiles, 1 instead of 0; None without `with_scaling`.

    Examples
    --------
    >>> from pellucid.preprocessing import RobustScaler
    >>> scaler = RobustScaler().fit([[1], [2], [3], [4], [1000]])
    >>> scaler.center_.tolist(), scaler.scale_.tolist()
    ([3.0], [2.0])
    >>> scaler.transform([[1], [3], [4]]).ravel().tolist()
    [-1.0, 0.0, 0.5]
    """

    with_centering: bool = param(default=True, doc="Is the median taken off? A sparse table needs False.")
    with_scaling: bool = param(default=True, doc="Is the rest divided by the distance between the quantiles?")
    quantile_range: tuple | list = param(  # type: ignore[type-arg]
        default=(25.0, 75.0),
        check=_check_pair("quantile_range", 0, 100, strict=False),
        doc="The two quantiles whose distance is the scale, in percent.",
    )
    unit_variance: bool = param(
        default=False, doc="Is the distance divided by that of a normal distribution, whose result then has variance 1?"
    )

    input_spec = InputSpec(sparse=True, missing=True, check_finite="kernel")

    def _check_params(self) -> None:
        super()._check_params()
        low, high = self.quantile_range
        if self.unit_variance and not 0 < low < high < 100:
            requirement = "unit_variance must have two different quantiles between 0 and 100, both excluded"
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual=f"got quantile_range={self.quantile_range!r}")
            )

    def _centering(self) -> str:
        return "with_centering" if self.with_centering else ""

    def _fit(self, d: Design, trace: Trace) -> None:
        self._refuse_centering(d)
        check_finite(d, allow_nan=True)
        low, high = (float(q) / 100 for q in self.quantile_range)
        shares = np.array(sorted((low, 0.5, high)))
        found = self._quantiles(d, shares)
        middle, first, last = (int(np.flatnonzero(shares == share)[0]) for share in (0.5, low, high))
        check_range(found[:, first], found[:, last], d.who, d.column_labels())
        scale = or_one(found[:, last] - found[:, first])
        normal = float(ndtri(high) - ndtri(low)) if self.unit_variance else 1.0
        self.center_: Floats | None = found[:, middle].copy() if self.with_centering else None
        self.scale_: Floats | None = scale / normal if self.with_scaling else None

    def _quantiles(self, d: Design, shares: Floats) -> Floats:
        if not d.table.is_sparse:
            return np.asarray(_core.column_quantiles(d.matrix, shares, self._threads))
        columns = d.numbers.tocsc()
        found = np.empty((d.n_cols, len(shares)))
        for j in range(d.n_cols):
            stored = columns.data[columns.indptr[j] : columns.indptr[j + 1]]
            column = np.concatenate([stored, np.zeros(d.n_rows - len(stored))])[:, None]
            found[j] = _core.column_quantiles(_core.dense(column), shares, 1)[0]
        return found

    def _line(self) -> tuple[Any, Any, Any]:
        return self.center_ if self.with_centering else 0.0, self.scale_ if self.with_scaling else 1.0, 0.0
