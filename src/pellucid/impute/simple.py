"""One value for all that is missing in a column."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.coding import distinct
from pellucid.data.design import Design, InputSpec, check_finite, infer_schema
from pellucid.data.figures import Figures
from pellucid.data.kinds import NUMERIC, is_missing
from pellucid.estimator.trace import Trace
from pellucid.impute._columns import (
    as_statistics,
    central,
    chosen,
    filled,
    mean,
    median,
    read_columns,
    skewness,
    stacked,
)
from pellucid.impute._imputer import Imputer, numbers_of

__all__ = ["SimpleImputer"]

_NUMBERS_ONLY = ("mean", "median")


class SimpleImputer(Imputer):
    """Fills what is missing in a column with one value: its mean, median, most frequent value, or a constant.

    ``mean``: the sum of the values over their number n.  ``median``: the middle one in ascending order, or the mean of
    the middle two.  ``most_frequent``: the mode, the smallest of equally frequent ones; for names too.  ``auto``
    chooses for each column: the mode for names, flags and times; for numbers the mean, but the median where the column
    is skewed, ``|g| > skew_limit`` with the skewness  ``g = m3 / m2^1.5``,  m2 and m3 the mean second and third powers
    of the distances from the mean. The mean follows a long tail and outliers, the median does not.

    Every filled value is the same: the column's spread shrinks and its relation to others weakens. `KNNImputer` and
    `IterativeImputer` use the other columns; `ClassImputer` a value for each group. Medians are found by selection,
    modes by counting, in time linear in the rows. Float32 stays float32; columns of names come out as objects; with
    ``set_output`` and a frame each column keeps its own type where that holds the value. Sparse tables stay sparse
    (CSC): zeros that are not stored are values.

    Parameters, attributes and results are scikit-learn's. Beyond: strategy "auto", flags and times, None as a missing
    value beside NaN, and a constant's default, 0 or 'missing_value', is chosen for each column of a mixed table.

    Attributes
    ----------
    statistics_ : one value a column
        What is filled in; NaN for a column without values, which is dropped.
    strategies_ : list
        The strategy of each column: what "auto" chose.
    indicator_ : MissingIndicator or None
        Which columns get an indicator, with `add_indicator`.

    Examples
    --------
    >>> from pellucid.impute import SimpleImputer
    >>> nan = float("nan")
    >>> SimpleImputer().fit_transform([[7, 2], [4, nan], [nan, 5]]).tolist()
    [[7.0, 2.0], [4.0, 3.5], [5.5, 5.0]]
    >>> auto = SimpleImputer(strategy="auto").fit([[1, 1, "b"], [2, 1, "b"], [3, 1, "a"], [nan, 1, None], [6, 90, "a"]])
    >>> auto.strategies_, auto.statistics_.tolist()
    (['mean', 'median', 'most_frequent'], [3.0, 1.0, 'a'])
    """

    strategy: Literal["mean", "median", "most_frequent", "constant", "auto"] | Callable = param(  # type: ignore[type-arg]
        default="mean",
        doc="What is filled in; a function is given the present values of a column and returns a number.",
    )
    fill_value: Any = param(
        default=None, doc="The constant of strategy='constant'; None is 0 for numbers and 'missing_value' for the rest."
    )
    copy: bool = param(default=True, doc="False: a dense float array is written over instead of copied.")
    skew_limit: float = param(
        default=1.0, low=0, doc="With strategy='auto': a column whose skewness is further from 0 gets its median."
    )

    input_spec = InputSpec(sparse=True, missing=True, categories=True, raw=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        names = not (callable(self.strategy) or self.strategy in _NUMBERS_ONLY)
        tags.input_tags.categorical = tags.input_tags.string = names
        return tags

    # -------------------------------------------------------------------------------------------------------------- fit

    def _fit(self, d: Design, trace: Trace) -> None:
        if self._as_numbers(d):
            self._fit_numbers(numbers_of(d, self.missing_values))
        else:
            self._fit_columns(d)

    def _as_numbers(self, d: Design) -> bool:
        """Is the table read as one block of floats? Else column by column, each as it is."""
        if callable(self.strategy) or self.strategy in _NUMBERS_ONLY or d.table.is_sparse:
            if not d.table.is_sparse:
                self._refuse_names(d)
            return True
        return not d.table.is_frame and d.table.source.dtype.kind == "f"

    def _refuse_names(self, d: Design) -> None:
        if d.table.is_frame or d.table.source.dtype.kind not in "biuf":
            for j, kind in enumerate(d.table.kinds):
                present = [v for v in d.table.column(j).tolist() if not is_missing(v)] if kind not in NUMERIC else []
                if any(isinstance(v, str | bytes) and v != self.missing_values for v in present):
                    name = self.strategy if isinstance(self.strategy, str) else "a callable"
                    requirement = f"Cannot use {name} strategy with non-numeric data"
                    text = next(v for v in present if isinstance(v, str | bytes))
                    actual = f"column {d.table.label(j)} holds {short_repr(text)}"
                    hint = "use strategy='most_frequent', 'constant' or 'auto' for names"
                    raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))

    def _fit_numbers(self, d: Design) -> None:
        if d.table.is_sparse:
            values, empty, used = self._sparse_statistics(d)
        else:
            values, empty, used = self._dense_statistics(d)
        self._finish(d, list(values), empty, used)
        missing = None
        if self.add_indicator:
            missing = _where_nan_sparse(d) if d.table.is_sparse else np.isnan(d.numbers)
        self._fit_indicator(missing)

    def _fit_columns(self, d: Design) -> None:
        columns = read_columns(d, self.missing_values)
        values, used = [], []
        for column in columns:
            used.append(chosen(column, self.strategy, self.skew_limit))
            constant = used[-1] == "constant"
            found = self._constant(column.is_number, column.values.dtype, d) if constant else None
            values.append(found if constant else central(column, used[-1], d.who, self._threads))
        self._finish(d, values, np.array([column.missing.all() for column in columns]), used)
        self._fit_indicator(np.column_stack([column.missing for column in columns]) if self.add_indicator else None)

    def _finish(self, d: Design, values: list[Any], empty: Flags, used: list[Any]) -> None:
        """A column without values has NaN, or with `keep_empty_features` 0 or the constant."""
        for j in np.flatnonzero(empty).tolist():
            constant = isinstance(self.strategy, str) and self.strategy == "constant"
            if not (self.keep_empty_features and constant):
                values[j] = 0 if self.keep_empty_features else np.nan
        self.statistics_ = as_statistics(values)
        self.strategies_ = used
        self._keep_columns(empty, d, f" with strategy={self.strategy!r}")

    def _constant(self, number: bool, dtype: np.dtype[Any], d: Design) -> Any:
        if self.fill_value is None:
            return 0 if number or dtype.kind in "biuf" else "missing_value"
        value = self.fill_value
        if dtype.kind in "biuf" and not isinstance(value, Real | np.bool_):
            requirement = (
                f"fill_value={value!r} (of type {type(value)!r}) cannot be cast to the input data that is {dtype!r}"
            )
            raise ParameterError(
                format_message(d.who, requirement, actual="", hint="give a number for columns of numbers")
            )
        whole = isinstance(value, Real) and float(value).is_integer()
        if dtype.kind in "biu" and not whole and not d.table.is_frame:
            requirement = (
                f"fill_value={value!r} (of type {type(value)!r}) cannot be cast to the input data that is {dtype!r}"
            )
            raise ParameterError(
                format_message(d.who, requirement, actual="", hint="turn the table into floats, or fill a whole number")
            )
        return value

    # ---------------------------------------------------------------------------------------------------- dense numbers

    def _dense_statistics(self, d: Design) -> tuple[Any, Flags, list[Any]]:
        figures = Figures.read(d, self._threads) if self.strategy == "mean" else Figures.read_ends(d, self._threads)
        empty = np.asarray(figures.count == 0)
        if self.strategy == "mean":
            return figures.means, empty, ["mean"] * d.n_cols
        if self.strategy == "median":
            return np.asarray(_core.column_medians(d.matrix, self._threads)), empty, ["median"] * d.n_cols
        found, used = np.empty(d.n_cols, dtype=object), []
        for j in range(d.n_cols):
            column = d.numbers[:, j]
            found[j], how = self._statistic(column[~np.isnan(column)].astype(np.float64), d)
            used.append(how)
        return found, empty, used

    def _statistic(self, present: Floats, d: Design) -> tuple[Any, Any]:
        """The value of one column of numbers, and the strategy that gave it."""
        how = self.strategy
        if how == "auto":
            how = "median" if abs(skewness(present)) > self.skew_limit else "mean"
        if how == "constant":
            return self._constant(True, present.dtype, d), how
        if callable(how):
            return self._called(present, d), how
        if len(present) == 0:
            return np.nan, how
        if how == "most_frequent":
            values, counts = distinct(present, self._threads)
            return float(values[int(np.argmax(counts))]), how
        return (median(present) if how == "median" else mean(present)), how

    def _called(self, present: Floats, d: Design) -> float:
        assert callable(self.strategy)
        value = self.strategy(present)
        if not isinstance(value, Real) or isinstance(value, bool):
            requirement = "strategy must be a function that returns one number for the values of a column"
            raise ParameterError(format_message(d.who, requirement, actual=f"it returned {short_repr(value)}"))
        return float(value)

    # ----------------------------------------------------------------------------------------------------------- sparse

    def _sparse_statistics(self, d: Design) -> tuple[Any, Flags, list[Any]]:
        """Zeros that are not stored are values like any other; a function is given the stored values that are not 0."""
        check_finite(d, allow_nan=True)
        columns = d.numbers.tocsc()
        found, used = np.empty(d.n_cols, dtype=object), []
        empty = np.zeros(d.n_cols, dtype=bool)
        for j in range(d.n_cols):
            stored = columns.data[columns.indptr[j] : columns.indptr[j + 1]]
            present = stored[~np.isnan(stored)]
            zeros = d.n_rows - len(stored)
            empty[j] = zeros + len(present) == 0
            if callable(self.strategy):
                found[j], how = self._called(present[present != 0], d), self.strategy
            else:
                found[j], how = self._statistic(np.concatenate([present, np.zeros(zeros)]), d)
            used.append(how)
        return found, empty, used

    def _transform_sparse(self, d: Design) -> Any:
        check_finite(d, allow_nan=True)
        columns = d.numbers.tocsc(copy=True)
        where = np.isnan(columns.data)
        missing = _where_nan_sparse(d) if self.add_indicator else None
        values = self.statistics_.astype(np.float64)
        columns.data[where] = np.repeat(values, np.diff(columns.indptr))[where]
        kept = columns if len(self._kept_) == d.n_cols else columns[:, self._kept_]
        return self._with_indicator(kept.astype(d.dtype), missing)

    # -------------------------------------------------------------------------------------------------------- transform

    def _transform(self, d: Design) -> Any:
        self._warn_of_dropped(d)
        numeric = self.statistics_.dtype != object
        library = self._library(d)
        if not library and numeric and self._as_numbers(d):
            inner = numbers_of(d, self.missing_values)
            return self._transform_sparse(inner) if d.table.is_sparse else self._transform_numbers(inner, d)
        return self._transform_columns(d, library)

    def _transform_numbers(self, d: Design, outer: Design) -> Array:
        numbers, n_kept = d.numbers, len(self._kept_)
        missing = np.isnan(numbers) if self.add_indicator else None
        given = isinstance(outer.table.source, np.ndarray) and np.shares_memory(numbers, outer.table.source)
        in_place = not self.copy and given and numbers.flags.writeable and n_kept == d.n_cols
        if in_place:
            check_finite(d, allow_nan=True)
            out = numbers
        else:
            by_column = numbers.flags.f_contiguous and not numbers.flags.c_contiguous
            out = np.empty((d.n_rows, n_kept), dtype=d.dtype, order="F" if by_column else "C")
        values = np.ascontiguousarray(self.statistics_[self._kept_], dtype=np.float64)
        if not _core.fill_missing(d.matrix, self._kept_.astype(np.int64), values, out, self._threads):
            check_finite(d, allow_nan=True)
        return np.asarray(self._with_indicator(out, missing))

    def _transform_columns(self, d: Design, library: str) -> Any:
        columns = read_columns(d, self.missing_values)
        done = {j: filled(columns[j].values, columns[j].missing, self._value(j)) for j in self._kept_.tolist()}
        missing = {j: column.missing for j, column in enumerate(columns)}
        if library:
            changed = {j: values for j, values in done.items() if missing[j].any()}
            return self._as_frame(d, changed, missing)
        numbers = [
            column.astype(np.float64)
            if d.table.is_frame and column.dtype == object and columns[j].is_number
            else column
            for j, column in done.items()
        ]
        objects = not d.table.is_frame and d.table.source.dtype == object
        flags = np.column_stack([column.missing for column in columns]) if self.add_indicator else None
        return self._with_indicator(stacked(numbers, d.n_rows, objects), flags)

    def _value(self, j: int) -> Any:
        value = self.statistics_[j]
        return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value

    def inverse_transform(self, X: Any) -> Array:
        """The table with its missing values put back where the indicator has them.

        Parameters
        ----------
        X : what `transform` made, with `add_indicator`
        """
        self._check_fitted()
        who = type(self).__name__
        if self.indicator_ is None:
            requirement = (
                "'inverse_transform' works only when 'SimpleImputer' is instantiated with 'add_indicator=True'"
            )
            raise ParameterError(
                format_message(who, requirement, actual=f"Got 'add_indicator={self.add_indicator}' instead")
            )
        table = infer_schema(X, InputSpec(missing=True, categories=True, raw=True), who).table
        n_kept, flagged = len(self._kept_), self.indicator_.features_
        if table.n_cols != n_kept + len(flagged):
            requirement = (
                f"X must have {count(n_kept, 'filled column')} and {count(len(flagged), 'column')} of the indicator"
            )
            actual = f"got {count(table.n_cols, 'column')}"
            raise DataError(format_message(who, requirement, actual=actual, hint="give what transform makes"))
        columns = [table.column(j) for j in range(table.n_cols)]
        objects = any(column.dtype.kind not in "biuf" for column in columns) or isinstance(self.missing_values, str)
        marker = self.missing_values if objects or not is_missing(self.missing_values) else np.nan
        out = np.full((table.n_rows, self.n_features_in_), marker, dtype=object if objects else np.float64)
        for place, j in enumerate(self._kept_.tolist()):
            out[:, j] = columns[place]
        for place, j in enumerate(flagged.tolist()):
            out[columns[n_kept + place].astype(bool), j] = marker
        return out


def _where_nan_sparse(d: Design) -> Any:
    csr = d.numbers
    found = type(csr)((np.isnan(csr.data), csr.indices, csr.indptr), shape=csr.shape).tocsc()
    found.eliminate_zeros()
    return found
