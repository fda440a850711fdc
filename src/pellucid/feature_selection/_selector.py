"""What selectors share: which columns stay, and the table with those alone."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config

from pellucid.base.errors import DataError, PellucidWarning, format_message, warn
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design
from pellucid.data.table import Table, read_table
from pellucid.data.target import attach_labels, attach_numbers, check_rows, read_target
from pellucid.estimator.roles import OptionalTarget


class Selector(OptionalTarget):
    """Keeps some of the columns as they are. A subclass writes `_fit` and `_support`."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _support(self) -> Flags:
        """Which columns stay: one flag a column of the fitted table."""
        raise TypeError(f"{type(self).__name__} must write _support")

    def get_support(self, indices: bool = False) -> Array:
        """Which columns stay.

        Parameters
        ----------
        indices : True for their positions, counted from 0, instead of one flag a column
        """
        self._check_fitted()
        support = self._support()
        return np.flatnonzero(support) if indices else support

    def _transform(self, d: Design) -> Any:
        columns = [int(j) for j in np.flatnonzero(self._support())]
        if not columns:
            requirement, hint = "No features were selected", "loosen the rule, or look whether the data are too noisy"
            warn(
                format_message(type(self).__name__, requirement, actual="the result has no columns", hint=hint),
                PellucidWarning,
            )
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if d.table.is_frame and _library(d.table) == wanted:
            return d.table.take(columns).source.to_native()  # as they are: whole numbers, flags and all
        return take_columns(d.table, columns, d.numbers)

    def inverse_transform(self, X: Any) -> Any:
        """The chosen columns at their old places, and zeros in those that were left out.

        Parameters
        ----------
        X : a table of the columns that `transform` gives
        """
        support = self.get_support()
        table = read_table(X, type(self).__name__)
        if table.n_cols != support.sum():
            actual = f"X has a different shape than during fitting: {table.n_cols} instead of {int(support.sum())}"
            raise DataError(
                format_message(type(self).__name__, "X must have the columns that were selected", actual=actual)
            )
        if table.is_sparse:
            columns = table.source.tocsc()
            starts = np.zeros(len(support) + 1, dtype=columns.indptr.dtype)
            starts[1:][support] = np.diff(columns.indptr)
            parts = (columns.data, columns.indices, np.cumsum(starts, dtype=starts.dtype))
            return type(columns)(parts, shape=(table.n_rows, len(support)))
        values = take_columns(table, range(table.n_cols), None)
        out = np.zeros((table.n_rows, len(support)), dtype=values.dtype)
        out[:, support] = values
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that stay.

        Parameters
        ----------
        input_features : names of the columns of the fitted table, optional
            Its own, or x0, x1, ... unless told.
        """
        self._check_fitted()
        return np.array(self._names_in(input_features), dtype=object)[self._support()]


def _library(table: Table) -> str:
    return str(type(table.source.to_native()).__module__).split(".")[0]


def take_columns(table: Table, columns: Any, numbers: Any) -> Any:
    """Some columns as an array or a sparse matrix, with the values and the type that they came in where one fits all.

    numbers : the same table as numbers, for columns that have no common type
    """
    if not table.is_frame:
        return (table.source.tocsr() if table.is_sparse else table.source)[:, list(columns)]
    values = [table.column(j) for j in columns]
    if not values:
        return np.empty((table.n_rows, 0))
    plain = all(column.dtype.kind in "biuf" for column in values)
    if numbers is not None and (not plain or any(table.missing(j).any() for j in columns)):
        return np.ascontiguousarray(numbers[:, list(columns)])
    return np.column_stack(values)


def attach_any(d: Design, y: Any) -> None:
    """A target of any kind: numbers as they are, everything else as labels."""
    array = _plain(read_target(y, d.who))
    check_rows(array, d)
    attach_numbers(d, array) if array.dtype.kind in "biuf" else attach_labels(d, array)


def _plain(array: Array) -> Array:
    """Numbers that came as objects are numbers."""
    if array.dtype == object and all(isinstance(v, Real) for v in array.ravel().tolist()):
        return np.array(array.tolist())
    return array


def target_of(d: Design) -> Any:
    """The target that `attach_any` read, as functions and estimators take it; None where there is none."""
    if not d.y.size:
        return None
    if d.classes:
        columns = [labels[d.y[:, j].astype(np.intp)] for j, labels in enumerate(d.classes)]
        return columns[0] if d.y_is_vector else np.column_stack(columns)
    return d.y[:, 0] if d.y_is_vector else d.y


def dense(numbers: Any) -> Floats:
    """Numbers of a table as a dense float64 array."""
    return np.asarray(numbers.toarray() if scipy.sparse.issparse(numbers) else numbers, dtype=np.float64)
