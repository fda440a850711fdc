"""Columns bent so that they look more normal: powers, logarithms and roots."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, DataTypeError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.data.figures import Figures, check_range
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._column_map import OUTSIDE, ColumnMap, refuse_small

__all__ = ["LogTransformer", "PowerTransformer", "RootTransformer"]

_POSITIVE = "The Box-Cox transformation can only be applied to strictly positive data"


class PowerTransformer(ColumnMap):
    """Raises every column to the power that makes it look most normal.

    Box-Cox, for x > 0:  ``y = (x^λ - 1) / λ``,  and  ``ln x``  for λ = 0.

    Yeo-Johnson, for all x:  ``y = ((1 + x)^λ - 1) / λ``  for x ≥ 0  and  ``y = -((1 - x)^(2 - λ) - 1) / (2 - λ)``  for
    x < 0, with ``ln(1 + x)`` for λ = 0 and ``-ln(1 - x)`` for λ = 2.

    λ is the one of greatest likelihood, if y is normal:  ``L(λ) = -n/2 ln var(y) + (λ - 1) S``,  where S is the sum
    of ``ln x``, or of ``sign(x) ln(1 + |x|)``. It is concave in λ, and its maximum is found by Newton's method on
    its slope. With `standardize` the columns are then brought to a mean of 0 and a standard deviation of 1.

    A power takes away skewness, not outliers or several peaks: `QuantileTransformer` makes any column normal, but
    keeps only the order of its values. Trees do not care about either. Missing values are left out of the fit and
    stay missing. A constant column has λ = 1. float32 stays float32, what is learned is float64.

    Numbers far from zero, such as years, can have a λ for which all y agree in nearly all of their digits. Their
    standardized values are worked out without y, and lose nothing; scikit-learn's can all become the same. λ is kept
    where y is a number.

    Attributes
    ----------
    lambdas_ : one number a column
        The powers.

    Examples
    --------
    >>> from pellucid.preprocessing import PowerTransformer
    >>> model = PowerTransformer("box-cox", standardize=False).fit([[1], [2], [4], [8], [16]])
    >>> abs(model.lambdas_.round(6)).tolist()  # symmetric once the logarithm is taken
    [0.0]
    >>> model.transform([[1], [2]]).ravel().round(4).tolist()
    [0.0, 0.6931]
    """

    method: Literal["yeo-johnson", "box-cox"] = param(
        default="yeo-johnson", kw_only=False, doc="Which power: 'box-cox' takes numbers above 0 only."
    )
    standardize: bool = param(default=True, doc="Is the result brought to mean 0 and standard deviation 1?")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.method == "box-cox"
        return tags

    def _check_domain(self, d: Design) -> None:
        if self.method == "box-cox":
            refuse_small(d, np.zeros(d.n_cols), _POSITIVE, "use method='yeo-johnson', which takes any number", False)

    def _fit(self, d: Design, trace: Trace) -> None:
        ends = Figures.read_ends(d, self._threads)
        check_range(ends.low, ends.high, d.who, d.column_labels())
        if (ends.low <= 0).any():
            self._check_domain(d)
        box_cox = self.method == "box-cox"
        fit = _core.fit_powers(d.matrix, box_cox, ends.low, ends.high, self._threads)
        self.lambdas_, self._center_, self._mean_, self._scale_, held = fit
        self._held_ = held.astype(bool)

    def _powers(self) -> Floats:
        """Rows for the kernel: lambda, what y is relative to, its mean and its standard deviation."""
        if self.standardize:
            return np.array([self.lambdas_, self._center_, self._mean_, self._scale_])
        zero = np.zeros_like(self.lambdas_)
        return np.array([self.lambdas_, zero, zero, zero + 1])

    def _transform(self, d: Design) -> Array:
        return self._mapped(d, _core.power_columns, self.method == "box-cox", self._powers())

    def inverse_transform(self, X: Any) -> Any:
        """The columns as they were before `transform`, up to rounding.

        Numbers that no value becomes, such as a y below ``-1 / λ`` for λ > 0, are answered with NaN and a warning.

        Parameters
        ----------
        X : a table of transformed columns
        """
        return self._unmapped(
            self._validate_predict(X), _core.unpower_columns, self.method == "box-cox", self._powers()
        )


def _check_shift(value: Any) -> str | None:
    """A shift is a finite number."""
    return (
        None if value == "auto" or math.isfinite(value) else f"shift must be a finite number or 'auto'; got {value!r}"
    )


class LogTransformer(ColumnMap):
    """Takes the logarithm of every column.

    ``y = log(x + shift)``  to the base e, 2 or 10.

    Makes products to sums and long right tails short: for prices, incomes, counts, concentrations, all that grows
    by factors. With ``shift="auto"`` a column of numbers above 0 is taken as it is, and any other so far up that
    its smallest value becomes 1, with logarithm 0. ``shift=1`` is the usual ``log(1 + x)`` for counts, worked out
    without loss for x near 0; then sparse tables are taken, whose zeros stay zeros. `PowerTransformer` finds out by
    itself how strongly to bend. Missing values stay missing. A value for which there is no logarithm is refused, in
    `transform` too. float32 stays float32. scikit-learn has no such transformer.

    Attributes
    ----------
    shift_ : one number a column
        What is added before the logarithm is taken.

    Examples
    --------
    >>> from pellucid.preprocessing import LogTransformer
    >>> LogTransformer(base=10).fit_transform([[1, 0], [10, 9], [1000, 99]]).tolist()
    [[0.0, 0.0], [1.0, 1.0], [3.0, 2.0]]
    >>> LogTransformer(base=2, shift=0).fit([[1]]).inverse_transform([[3], [-1]]).ravel().tolist()
    [8.0, 0.5]
    """

    base: Literal["e", 2, 10] = param(default="e", doc="Base of the logarithm.")
    shift: float | Literal["auto"] = param(
        default="auto", check=_check_shift, doc="What is added first: a number, or what each column needs."
    )

    input_spec = InputSpec(sparse=True, missing=True, check_finite="kernel")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.shift == 1
        tags.input_tags.positive_only = self.shift != "auto"
        return tags

    def _refuse_sparse(self, d: Design) -> None:
        if d.table.is_sparse and self.shift != 1:
            requirement, actual = (
                "X must be dense unless shift=1",
                "Sparse data was passed, whose zeros would not stay zeros",
            )
            raise DataTypeError(
                format_message(d.who, requirement, actual=actual, hint="pass shift=1, or use X.toarray()")
            )

    def _check_domain(self, d: Design) -> None:
        hint = (
            "use a larger shift" if self.shift != "auto" else "fit on rows that hold the smallest values, or set shift"
        )
        refuse_small(d, -self.shift_, "x + shift must be above 0 to have a logarithm", hint, False)

    def _fit(self, d: Design, trace: Trace) -> None:
        self._refuse_sparse(d)
        ends = Figures.read_ends(d, self._threads)
        check_range(ends.low, ends.high, d.who, d.column_labels())
        low = np.where(ends.count > 0, ends.low, 1.0)
        if self.shift == "auto":
            up = 1 - low
            with np.errstate(over="ignore"):
                up = np.where(up + low > 0, up, np.nextafter(-low, np.inf))  # 1 is nothing beside a large number
            self.shift_ = np.where(low > 0, 0.0, up)
        else:
            self.shift_ = np.full(d.n_cols, float(self.shift))
        if not np.isfinite(self.shift_).all():
            requirement = "a column must lie above the lowest number of float64 to be shifted"
            actual, hint = (
                f"column {d.table.label(int(np.argmin(low)))} does not",
                "divide the column by a constant before",
            )
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
        if (low + self.shift_ <= 0).any():
            self._check_domain(d)

    @property
    def _base(self) -> int:
        return 0 if self.base == "e" else self.base

    def _transform(self, d: Design) -> Any:
        self._refuse_sparse(d)
        if d.table.is_sparse:
            return self._stored(d, self._of_stored(d, _core.log_columns))
        return self._mapped(d, _core.log_columns, self._base, self.shift_)

    def _of_stored(self, d: Design, write: Any) -> Floats:
        stored = d.numbers.data[:, None]
        out = np.empty_like(stored)
        if write(_core.dense(stored), self._base, np.ones(1), out, self._threads) & OUTSIDE:
            self._check_domain(d)
        return np.asarray(out[:, 0])

    def inverse_transform(self, X: Any) -> Any:
        """The columns as they were before `transform`, up to rounding:  ``x = base^y - shift``.

        Parameters
        ----------
        X : a table of logarithms
        """
        d = self._validate_predict(X)
        self._refuse_sparse(d)
        if d.table.is_sparse:
            return self._stored(d, self._of_stored(d, _core.unlog_columns))
        return self._unmapped(d, _core.unlog_columns, self._base, self.shift_)


class RootTransformer(ColumnMap):
    """Takes the square root, or another root, of every column.

    ``y = x^(1/degree)``;  of odd degree, the root of a negative number is the negative root of its size.

    A milder bend than the logarithm, which 0 survives: the square root evens out the spread of counts, the cube
    root that of volumes and takes any number. Zeros stay zeros, hence sparse tables. `PowerTransformer` finds out
    by itself how strongly to bend. Missing values stay missing. Negative numbers are refused where the degree is
    even. float32 stays float32. scikit-learn has no such transformer.

    Attributes
    ----------
    n_features_in_ : int
        Columns; nothing else is learned.

    Examples
    --------
    >>> from pellucid.preprocessing import RootTransformer
    >>> RootTransformer().fit_transform([[0, 4], [9, 16]]).tolist()
    [[0.0, 2.0], [3.0, 4.0]]
    >>> RootTransformer(3).fit([[1]]).transform([[-8], [27]]).ravel().tolist()
    [-2.0, 3.0]
    >>> RootTransformer(3).fit([[1]]).inverse_transform([[-2], [3]]).ravel().tolist()
    [-8.0, 27.0]
    """

    degree: int = param(
        default=2, low=1, high=1000, kw_only=False, doc="2 for the square root, 3 for the cube root, ..."
    )

    input_spec = InputSpec(sparse=True, missing=True, check_finite="kernel")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._even
        return tags

    @property
    def _even(self) -> bool:
        return isinstance(self.degree, int | np.integer) and self.degree % 2 == 0

    def _check_domain(self, d: Design) -> None:
        if self._even:
            requirement = f"x must be at least 0 to have a root of degree {self.degree}"
            refuse_small(d, np.zeros(d.n_cols), requirement, "use an odd degree, or PowerTransformer", True)

    def _fit(self, d: Design, trace: Trace) -> None:
        if (Figures.read_ends(d, self._threads).low < 0).any():
            self._check_domain(d)

    def _transform(self, d: Design) -> Any:
        if d.table.is_sparse:
            return self._stored(d, self._of_stored(d, _core.root_columns))
        return self._mapped(d, _core.root_columns, int(self.degree))

    def _of_stored(self, d: Design, write: Any) -> Floats:
        stored = d.numbers.data[:, None]
        out = np.empty_like(stored)
        if write(_core.dense(stored), int(self.degree), out, self._threads) & OUTSIDE:
            self._check_domain(d)
        return np.asarray(out[:, 0])

    def inverse_transform(self, X: Any) -> Any:
        """The columns as they were before `transform`, up to rounding:  ``x = y^degree``.

        Parameters
        ----------
        X : a table of roots
        """
        d = self._validate_predict(X)
        if d.table.is_sparse:
            return self._stored(d, self._of_stored(d, _core.unroot_columns))
        return self._unmapped(d, _core.unroot_columns, int(self.degree))
