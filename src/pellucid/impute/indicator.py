"""Where values are missing, as columns of their own."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from sklearn import get_config
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message, noun_list, short_repr
from pellucid.base.types import Array, Flags
from pellucid.data.coding import column_of
from pellucid.data.design import Design, InputSpec, infer_schema
from pellucid.data.kinds import is_missing
from pellucid.estimator.roles import Transformer
from pellucid.estimator.trace import Trace
from pellucid.impute._columns import check_marker, refuse_unmarked, where_marked

__all__ = ["MissingIndicator"]


class MissingIndicator(Transformer):
    """Says where values are missing: a column of true and false for each column that has gaps.

    ``z_ij = (x_ij is missing)``.  That a value is missing may itself tell something: an imputer fills the gap, and
    these columns, beside it, keep the fact.

    Every kind of column is taken: numbers, names, flags, times. NaN, None, NaT and pandas.NA are all missing where
    `missing_values` is one of them (scikit-learn tells None from NaN). The imputers of this family add these columns
    themselves with ``add_indicator=True``.

    Attributes
    ----------
    features_ : array of whole numbers
        Positions of the columns that have an indicator.

    Examples
    --------
    >>> from pellucid.impute import MissingIndicator
    >>> indicator = MissingIndicator().fit([[1, None, 3], [4, 0, 2], [8, 1, float("nan")]])
    >>> indicator.features_.tolist()
    [1, 2]
    >>> indicator.transform([[1, 2, None], [3, None, 4]]).tolist()
    [[False, True], [True, False]]
    >>> indicator.get_feature_names_out().tolist()
    ['missingindicator_x1', 'missingindicator_x2']
    """

    missing_values: Any = param(
        default=np.nan,
        check=check_marker,
        doc="What stands for a missing value: NaN, None and pandas.NA all mean any of these; or a number or text.",
    )
    features: Literal["missing-only", "all"] = param(
        default="missing-only", doc="Which columns get an indicator: those with a missing value in `fit`, or all."
    )
    sparse: Literal["auto"] | bool = param(
        default="auto", doc="Is the result a sparse matrix (CSC)? 'auto': if the table is one."
    )
    error_on_new: bool = param(
        default=True,
        doc="Is a missing value in a column that had none in `fit` refused? With features='missing-only' only.",
    )

    input_spec = InputSpec(sparse=True, missing=True, categories=True, raw=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = is_missing(self.missing_values)
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        self._fitted_on(self._missing(d), d.n_cols)

    def _fitted_on(self, missing: Any, columns: int, names: Array | None = None) -> Self:
        """Learns from a table of flags instead of values; imputers call it."""
        self.n_features_in_ = columns
        if names is not None:
            self.feature_names_in_ = names
        counts = np.asarray(missing.sum(axis=0)).ravel()
        self.features_ = np.arange(columns) if self.features == "all" else np.flatnonzero(counts)
        return self

    def _missing(self, d: Design) -> Any:
        """Where cells are missing: a dense table of flags, or a CSC matrix of those that are."""
        if d.table.is_sparse:
            return self._missing_sparse(d)
        refuse_unmarked(d.table, self.missing_values, d.who)
        found = np.empty((d.n_rows, d.n_cols), dtype=bool)
        for j in range(d.n_cols):
            column_of(d.table, j, d.who)  # refuses infinity
            found[:, j] = where_marked(d.table, j, self.missing_values)
        return found

    def _missing_sparse(self, d: Design) -> Any:
        marker = self.missing_values
        if not is_missing(marker) and (isinstance(marker, str) or marker == 0):
            requirement = "missing_values must be a number other than 0, or NaN, for a sparse table"
            actual = f"Sparse input with missing_values={short_repr(marker)} is not supported"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="Provide a dense array instead: X.toarray()")
            )
        csr = infer_schema(d.table.source, InputSpec(sparse=True, missing=is_missing(marker)), d.who).numbers
        flags: Flags = np.isnan(csr.data) if is_missing(marker) else csr.data == marker
        found = type(csr)((flags, csr.indices, csr.indptr), shape=csr.shape).tocsc()
        found.eliminate_zeros()
        return found

    def _transform(self, d: Design) -> Any:
        missing = self._missing(d)
        counts = np.asarray(missing.sum(axis=0)).ravel()
        new = np.setdiff1d(np.flatnonzero(counts), self.features_)
        if self.error_on_new and self.features == "missing-only" and len(new):
            labels = [d.table.label(int(j)) for j in new]
            requirement = f"The features {new} have missing values in transform but have no missing values in fit"
            hint = "pass error_on_new=False, or features='all'"
            raise DataError(format_message(d.who, requirement, actual=noun_list("column", labels), hint=hint))
        found = missing[:, self.features_]
        if self.sparse is True or (self.sparse == "auto" and d.table.is_sparse):
            arrays = get_config()["sparse_interface"] == "sparray"
            kind = scipy.sparse.csc_array if arrays else scipy.sparse.csc_matrix
            return kind(found)
        return found.toarray() if scipy.sparse.issparse(found) else found

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the indicators: 'missingindicator_' and the column's.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        names = self._names_in(input_features)
        return np.array([f"{type(self).__name__.lower()}_{names[j]}" for j in self.features_], dtype=object)
