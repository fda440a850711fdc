"""What imputers share: the table as numbers, columns that stay, indicator columns, and frames that keep their types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, cast

import numpy as np
import scipy.sparse
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, PellucidWarning, format_message, short_repr, warn
from pellucid.base.types import Array, Flags
from pellucid.data.design import Design, InputSpec, infer_schema
from pellucid.data.filled import filled_frame
from pellucid.data.kinds import is_missing
from pellucid.estimator.roles import Transformer
from pellucid.impute._columns import check_marker, refuse_unmarked, where_marked
from pellucid.impute.indicator import MissingIndicator

_NUMBERS = InputSpec(sparse=True, missing=True, check_finite="kernel")


def numbers_of(d: Design, marker: Any) -> Design:
    """A table as numbers, dense or CSR, in which whatever is missing is NaN; infinity is left to the kernels."""
    inner = infer_schema(d.table.source, _NUMBERS, d.who) if d.X is None else replace(d)
    if is_missing(marker):
        return inner
    refuse_unmarked(d.table, marker, d.who)
    if not isinstance(marker, Real):
        requirement = "'X' and 'missing_values' types are expected to be both numerical"
        raise DataError(
            format_message(d.who, requirement, actual=f"X holds numbers and missing_values is {short_repr(marker)}")
        )
    if inner.table.is_sparse:
        return _marked_sparse(inner, float(marker))
    numbers = np.array(inner.numbers, copy=True)
    numbers[numbers == marker] = np.nan
    inner.numbers, inner.X = numbers, _core.dense(numbers)
    return inner


def _marked_sparse(inner: Design, marker: float) -> Design:
    if marker == 0:
        requirement, actual = (
            "missing_values must not be 0 for a sparse table",
            "Imputation not possible: zeros are not stored",
        )
        raise DataError(
            format_message(inner.who, requirement, actual=actual, hint="Provide a dense array instead: X.toarray()")
        )
    csr = inner.numbers.copy()
    csr.data[csr.data == marker] = np.nan
    inner.numbers = csr
    inner.X = _core.csr(csr.data, csr.indices, csr.indptr, inner.n_cols)
    return inner


class Imputer(Transformer):
    """Fills what is missing. A subclass sets `_kept_` and, in `_fit`, calls `_fit_indicator`."""

    missing_values: Any = param(
        default=np.nan,
        check=check_marker,
        doc="What stands for a missing value: NaN, None and pandas.NA all mean any of these; or a number or text.",
    )
    add_indicator: bool = param(
        default=False, doc="Are columns of 0 and 1 added that say where a value was missing (`MissingIndicator`)?"
    )
    keep_empty_features: bool = param(
        default=False, doc="Does a column without any value in `fit` stay, filled with 0? Else it is dropped."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(missing=True, check_finite="kernel")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = is_missing(self.missing_values)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # ---------------------------------------------------------------------------------------------------------- columns

    def _keep_columns(self, empty: Flags, d: Design, why: str) -> None:
        """Which columns stay: those with a value, or all."""
        self._kept_: Array = np.arange(d.n_cols) if self.keep_empty_features else np.flatnonzero(~empty)
        self._dropped_why_ = why

    def _warn_of_dropped(self, d: Design) -> None:
        if len(self._kept_) < d.n_cols:
            labels = d.column_labels()
            dropped = [labels[j] for j in range(d.n_cols) if j not in set(self._kept_.tolist())]
            names: Any = np.array(dropped) if d.schema.names is not None else [int(name[1:]) for name in dropped]
            message = (
                f"Skipping features without any observed values: {names}. At least one non-missing value is needed"
            )
            warn(f"{message} for imputation{self._dropped_why_}.", PellucidWarning)

    # -------------------------------------------------------------------------------------------------------- indicator

    def _fit_indicator(self, missing: Any) -> None:
        """missing : where a cell is missing, rows by columns; or None, when it is not asked for."""
        self.indicator_: MissingIndicator | None = None
        if self.add_indicator:
            made = MissingIndicator(missing_values=self.missing_values, error_on_new=False)
            self.indicator_ = made._fitted_on(missing, self.n_features_in_, getattr(self, "feature_names_in_", None))

    def _with_indicator(self, X: Any, missing: Any) -> Any:
        """The filled table with the columns of the indicator beside it."""
        if self.indicator_ is None:
            return X
        flags = missing[:, self.indicator_.features_]
        if scipy.sparse.issparse(X):
            kind = scipy.sparse.csc_array if isinstance(X, scipy.sparse.sparray) else scipy.sparse.csc_matrix
            return kind(scipy.sparse.hstack([X, kind(flags)], format="csc"))
        return np.hstack([X, flags])

    def _indicator_columns(self, missing: Mapping[int, Flags]) -> dict[str, Array]:
        if self.indicator_ is None:
            return {}
        names = self.indicator_.get_feature_names_out(self._names_in(None)).tolist()
        return {name: missing[int(j)] for name, j in zip(names, self.indicator_.features_, strict=True)}

    # ----------------------------------------------------------------------------------------------------------- frames

    def _library(self, d: Design) -> str:
        """The library of the frame that comes out with its columns' own types; '' if it is an array."""
        asked = str(_get_output_config("transform", self)["dense"])
        return asked if d.table.is_frame and asked in ("pandas", "polars") else ""

    def _as_frame(self, d: Design, columns: Mapping[int, Array], missing: Mapping[int, Flags]) -> Any:
        kept = cast("list[int]", self._kept_.tolist())
        return filled_frame(d.table, self._library(d), columns, kept, self._indicator_columns(missing))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns that stay, then those of the indicator.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        names = np.array(self._names_in(input_features), dtype=object)
        if self.indicator_ is None:
            return np.asarray(names[self._kept_])
        return np.concatenate([names[self._kept_], self.indicator_.get_feature_names_out(names)])


def marked(d: Design, marker: Any) -> Flags:
    """Where each cell of a dense table is missing."""
    found = np.empty((d.n_rows, d.n_cols), dtype=bool, order="F")
    for j in range(d.n_cols):
        found[:, j] = where_marked(d.table, j, marker)
    return found
