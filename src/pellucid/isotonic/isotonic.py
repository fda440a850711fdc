"""Isotonic regression: the function nearest to the data that never falls (or never rises)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import TransformerMixin
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    DataTypeError,
    ParameterError,
    PellucidWarning,
    format_message,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.target import attach_numbers, read_target, warn_column_vector
from pellucid.estimator.roles import Regressor
from pellucid.estimator.trace import Trace

__all__ = ["IsotonicRegression", "check_increasing", "isotonic_regression"]

# Values of X that lie closer together than this are one value: differences of rounding, not of the data.
_TIE = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-15}


def _unit(values: Floats) -> float:
    """The power of two that brings the largest value to between 1/2 and 1, so that no sum overflows."""
    largest = float(np.abs(values).max(initial=0.0))
    return math.ldexp(1.0, min(math.frexp(largest)[1], 1023)) if largest > 0 else 1.0


def tie_width(x: Floats, dtype: Any) -> float:
    """Values of x closer together than this count as one."""
    return _TIE[np.dtype(dtype)] * min(1.0, _unit(x))


def _limits(low: float | None, high: float | None, who: str) -> tuple[float, float]:
    limits = (-math.inf if low is None else float(low)), (math.inf if high is None else float(high))
    if limits[0] > limits[1]:
        raise ParameterError(
            format_message(who, "y_min must be at most y_max", actual=f"got y_min={low} and y_max={high}")
        )
    return limits


def _sequence(values: Any, who: str, name: str) -> Array:
    """One column of finite numbers; single precision stays single."""
    array = np.asarray(read_target(values, who) if name == "y" else values)
    if array.ndim != 1 or array.size == 0:
        raise DataError(
            format_message(who, f"{name} must be a list of at least one number", actual=f"got shape {array.shape}")
        )
    if array.dtype.kind not in "biufO":
        raise DataTypeError(
            format_message(who, f"{name} must hold numbers", actual=f"found {short_repr(array[0].item())}")
        )
    try:
        numbers = array if array.dtype == np.float32 else np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataTypeError(format_message(who, f"{name} must hold numbers", actual=str(error).rstrip("."))) from None
    if not np.isfinite(numbers).all():
        raise DataError(
            format_message(
                who,
                f"{name} must be finite",
                actual=f"NaN or infinity in {noun_list('row', np.flatnonzero(~np.isfinite(numbers)))}",
            )
        )
    return numbers


def isotonic_regression(
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    y_min: float | None = None,
    y_max: float | None = None,
    increasing: bool = True,
) -> Array:
    """The sequence nearest to y that never falls: neighbors that fall are replaced by their mean until none does.

    ``minimize sum_i w_i (f_i - y_i)²  subject to  f_1 <= f_2 <= ... <= f_n``

    by pooling adjacent violators, in one pass over y.

    Parameters
    ----------
    y : n numbers, in their order
    sample_weight : n numbers above zero, optional
    y_min, y_max : limits of f; what lies beyond is set to the limit
    increasing : False for a sequence that never rises

    Examples
    --------
    >>> from pellucid.isotonic import isotonic_regression
    >>> isotonic_regression([1, 3, 2, 4])
    array([1. , 2.5, 2.5, 4. ])
    """
    who = "isotonic_regression"
    values = _sequence(y, who, "y")
    low, high = _limits(y_min, y_max, who)
    weight = None if sample_weight is None else _positive_weights(sample_weight, len(values), who)
    sign = 1.0 if increasing else -1.0
    unit = sign * _unit(values.astype(np.float64, copy=False))
    fitted = _core.pool_in_order(np.ascontiguousarray(values / unit, dtype=np.float64), weight) * unit
    return np.asarray(np.clip(fitted, low, high), dtype=values.dtype)


def _positive_weights(sample_weight: Any, n: int, who: str) -> Floats:
    weight = np.ascontiguousarray(_sequence(sample_weight, who, "sample_weight"), dtype=np.float64)
    if len(weight) != n:
        raise DataError(
            format_message(who, "sample_weight must have one value a row", actual=f"got {len(weight)} for {n}")
        )
    if (weight <= 0).any():
        rows = noun_list("row", np.flatnonzero(weight <= 0))
        raise DataError(
            format_message(
                who, "every weight must be above zero", actual=f"it is not in {rows}", hint="drop these rows"
            )
        )
    return weight / _unit(weight)


# ------------------------------------------------------------------------------------------------------ which direction


def _ranks(values: Floats, weight: Floats) -> Floats:
    """Places in the ordered column, equal values sharing the mean of theirs; a weight of 2 takes two places."""
    _, code = np.unique(values, return_inverse=True)
    size = np.bincount(code, weights=weight)
    return np.asarray((np.cumsum(size) - size + (size + 1) / 2)[code])


def _rank_correlation(x: Floats, y: Floats, weight: Floats) -> float:
    """Spearman's rho; 0 where one of the two is constant."""
    a, b = (ranks - np.average(ranks, weights=weight) for ranks in (_ranks(x, weight), _ranks(y, weight)))
    spread = math.sqrt(float(weight @ a**2) * float(weight @ b**2))
    return float(weight @ (a * b)) / spread if spread > 0 else 0.0


def _rises(x: Floats, y: Floats, weight: Floats, who: str) -> bool:
    rho, n = _rank_correlation(x, y, weight), len(x)
    if abs(rho) < 1 and n > 3 and abs(math.atanh(rho)) < 1.96 / math.sqrt(n - 3):
        hint = "say increasing=True or increasing=False"
        requirement = "whether y rises or falls with X must be plain from their rank correlation"
        warn(
            format_message(who, requirement, actual=f"rho={rho:.3f} on {n} rows may be chance", hint=hint),
            PellucidWarning,
        )
    return rho >= 0


def check_increasing(x: ArrayLike, y: ArrayLike) -> bool:
    """Does y rise with x? The sign of Spearman's rank correlation rho tells.

    A warning is given where 0 lies inside its 95 % interval  ``tanh(artanh(rho) ± 1.96 / sqrt(n - 3))``.

    Examples
    --------
    >>> from pellucid.isotonic import check_increasing
    >>> check_increasing([1, 2, 3, 4], [1, 4, 9, 16]), check_increasing([1, 2, 3, 4], [9, 5, 2, 1])
    (True, False)
    """
    who = "check_increasing"
    a, b = (_sequence(values, who, name).astype(np.float64) for values, name in ((x, "x"), (y, "y")))
    if len(a) != len(b):
        raise DataError(
            format_message(who, "x and y must have the same number of values", actual=f"got {len(a)} and {len(b)}")
        )
    return _rises(a, b, np.ones(len(a)), who)


# ------------------------------------------------------------------------------------------------------------ estimator


@dataclass(frozen=True, eq=False)
class Interpolation:
    """The fitted function: linear between its corners, NaN (or an error) beyond the first and the last.

    A function of one corner is that constant everywhere.
    """

    x: Array
    y: Array
    outside: Literal["nan", "clip", "raise"]

    def __call__(self, values: ArrayLike) -> Floats:
        at = np.asarray(values, dtype=np.float64)
        if len(self.x) == 1:
            return np.full(at.shape, float(self.y[0]))
        beyond = (at < self.x[0]) | (at > self.x[-1])
        found = np.interp(at, self.x.astype(np.float64), self.y.astype(np.float64))
        if not beyond.any() or self.outside == "clip":
            return np.asarray(found)
        if self.outside == "raise":
            rows = noun_list("row", np.flatnonzero(beyond))
            raise DataError(
                format_message(
                    "IsotonicRegression",
                    f"X must lie between {self.x[0]:g} and {self.x[-1]:g}, as in fit",
                    actual=f"a value in x_new is outside the interpolation range in {rows}",
                    hint="out_of_bounds='clip' takes the nearest value that fit saw",
                )
            )
        return np.where(beyond, np.nan, found)


class IsotonicRegression(TransformerMixin, Regressor):
    """Fits a function of one column that never falls, and is otherwise free: the nearest to the data of all such.

    With targets ``y_i`` and weights ``w_i``, rows ordered by x, it solves

    ``minimize sum_i w_i (f_i - y_i)²  subject to  f_1 <= f_2 <= ... <= f_n``

    by pooling adjacent violators: every row starts as a block of its own; while a block's mean is not above the mean of
    the block before it, the two become one, and the mean of all its rows is their common value. Rows of one x are one
    block from the start. Between the rows the function is interpolated linearly. It is used to calibrate probabilities
    and scores; with few rows its steps follow the noise, and a sigmoid or a line is steadier.

    Values of x closer than 1e-15 (1e-6 in single precision) count as equal, as in scikit-learn; where all of them are
    small, closer than that share of the largest.

    Attributes
    ----------
    X_thresholds_ : corners of the fitted function: x
    y_thresholds_ : corners of the fitted function: y
    X_min_ : smallest x
    X_max_ : largest x
    f_ : the fitted function, for any array
    increasing_ : does it rise?

    Examples
    --------
    The second and third target fall, so they are pooled to their mean:

    >>> from pellucid.isotonic import IsotonicRegression
    >>> model = IsotonicRegression().fit([1, 2, 3, 4], [1, 3, 2, 4])
    >>> model.predict([1, 2, 3, 3.5])
    array([1.  , 2.5 , 2.5 , 3.25])

    References
    ----------
    Ayer, Brunk, Ewing, Reid and Silverman, Annals of Mathematical Statistics 26, 1955.
    """

    y_min: float | None = param(default=None, doc="Lower limit of the fitted values; None for none.")
    y_max: float | None = param(default=None, doc="Upper limit of the fitted values; None for none.")
    increasing: bool | Literal["auto"] = param(
        default=True, doc="Never falling (True), never rising (False), or as the rank correlation says ('auto')."
    )
    out_of_bounds: Literal["nan", "clip", "raise"] = param(
        default="nan", doc="Beyond the x of fit: 'nan', the value at the nearest end ('clip'), or an error ('raise')."
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.multi_output = False
        return tags

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        return super()._fit_table(_as_column(X), y, sample_weight, record)

    def _validate_predict(self, X: Any) -> Design:
        return super()._validate_predict(_as_column(X))

    def _attach_target(self, d: Design, y: Any) -> None:
        if d.n_cols != 1:
            requirement = (
                "X must be one column: Isotonic regression input X should be a 1d array or 2d array with 1 feature"
            )
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"got {d.n_cols} columns", hint="give the one that orders the rows"
                )
            )
        attach_numbers(d, y)
        if d.y.shape[1] > 1:
            raise DataError(
                format_message(
                    d.who, "y must be one target", actual=f"got {d.y.shape[1]} columns", hint="fit one model each"
                )
            )
        if not d.y_is_vector:
            warn_column_vector()
            d.y_is_vector = True

    def _fit(self, d: Design, trace: Trace) -> None:
        low, high = _limits(self.y_min, self.y_max, d.who)
        x, y, weight = self._counted_rows(d)
        self.increasing_ = self._direction(x, y, weight, d.who)
        unit = _unit(y) if self.increasing_ else -_unit(y)
        ends = sorted((low / unit, high / unit))
        tie = tie_width(x, d.dtype)
        corners, values = _core.fit_isotonic(x, y / unit, weight, tie, ends[0], ends[1], self._threads)
        self.X_thresholds_ = corners.astype(d.dtype)
        self.y_thresholds_ = np.clip(values * unit, low, high).astype(d.dtype)
        self.X_min_, self.X_max_ = self.X_thresholds_[0], self.X_thresholds_[-1]

    def _counted_rows(self, d: Design) -> tuple[Floats, Floats, Floats | None]:
        """The rows that count: those of weight zero are left out."""
        x, y, weight = d.numbers[:, 0].astype(np.float64), d.y[:, 0], d.unit_weight[0]
        if weight is not None and not weight.all():
            keep = weight > 0
            x, y, weight = x[keep], y[keep], weight[keep]
        return np.ascontiguousarray(x), np.ascontiguousarray(y), weight

    def _direction(self, x: Floats, y: Floats, weight: Floats | None, who: str) -> bool:
        if self.increasing != "auto":
            return bool(self.increasing)
        return _rises(x, y, np.ones(len(x)) if weight is None else weight, who)

    @property
    def f_(self) -> Interpolation:
        """The fitted function."""
        self._check_fitted()
        return Interpolation(self.X_thresholds_, self.y_thresholds_, self.out_of_bounds)

    def _predict(self, d: Design) -> Array:
        return self.f_(d.numbers[:, 0]).astype(self.X_thresholds_.dtype)

    def transform(self, X: Any) -> Array:
        """The fitted function at each row: the same as `predict`."""
        return self.predict(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The name of the one column that `transform` gives."""
        self._check_fitted()
        return np.array(["isotonicregression0"], dtype=object)


def _as_column(X: Any) -> Any:
    """A list or array of numbers as a table of one column; a table as it is."""
    shape = getattr(X, "shape", None)
    if isinstance(X, (list, tuple)) and len(X) and (isinstance(X[0], str) or not hasattr(X[0], "__len__")):
        return np.asarray(X).reshape(-1, 1)
    if (shape is not None and len(shape) == 1) or (hasattr(X, "combine_chunks") and not hasattr(X, "column_names")):
        return np.asarray(X).reshape(-1, 1)
    return X
