"""Powers and products of columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from numbers import Integral
from typing import Any, Literal

import numpy as np
import scipy.sparse
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Array
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import Transformer
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._terms import Terms, bytes_in_words, in_words, memory, term_name

__all__ = ["PolynomialFeatures"]

_MUST = "degree must be a whole number of at least 0, or two of them: lowest and highest"


def _check_degree(value: Any) -> str | None:
    pair = list(value) if isinstance(value, tuple | list) else [0, value]
    whole = all(isinstance(d, Integral) and not isinstance(d, bool) for d in pair)
    if whole and len(pair) == 2 and 0 <= pair[0] <= pair[1]:
        return None
    return f"{_MUST}; got {value!r}"


class PolynomialFeatures(Transformer):
    """Adds powers and products of the columns, so that a straight-line model can follow a curve.

    From the columns ``x_1 ... x_n`` come all products  ``x_1^k_1 x_2^k_2 ... x_n^k_n``  with whole exponents
    ``k_1 + ... + k_n <= d``,  the degree: for two columns a, b and degree 2 these are ``1, a, b, a², ab, b²``. There
    are ``(n + d)! / (n! d!)`` of them, the constant 1 included.

    Each product is one multiplication: its first column times a product of one degree less. The order is
    scikit-learn's: by degree, then by column. The first columns of a result are therefore the whole result of a lower
    degree. Their number grows fast, 100 columns of degree 3 make 176,851, and what does not fit into memory is refused
    before it is made. So are products beyond the largest number (scikit-learn returns infinity): scale the columns
    before. For many columns a kernel method has the same products without writing them out.

    Missing values are refused. Sparse tables give a CSR table of any degree, in which a product is stored if all its
    columns are. float32 stays float32.

    Attributes
    ----------
    powers_ : n_output_features_ x n_features_in_ whole numbers
        The exponent of each column in each product; worked out when asked for.
    n_output_features_ : int
        How many columns come out.

    Examples
    --------
    >>> from pellucid.preprocessing import PolynomialFeatures
    >>> poly = PolynomialFeatures(degree=2)
    >>> poly.fit_transform([[2, 3], [4, 5]])
    array([[ 1.,  2.,  3.,  4.,  6.,  9.],
           [ 1.,  4.,  5., 16., 20., 25.]])
    >>> poly.get_feature_names_out(["a", "b"]).tolist()
    ['1', 'a', 'b', 'a^2', 'a b', 'b^2']
    """

    degree: int | tuple | list = param(  # type: ignore[type-arg]
        default=2,
        kw_only=False,
        check=_check_degree,
        doc="The highest degree of a product; or (lowest, highest). The constant 1 is `include_bias`' alone.",
    )
    interaction_only: bool = param(default=False, doc="Only products of distinct columns: a b, but not a^2.")
    include_bias: bool = param(
        default=True, doc="Is there a first column of ones? A model with an intercept needs none."
    )
    order: Literal["C", "F"] = param(
        default="C", doc="Order of a dense result in memory: by row ('C') or by column ('F')."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check_params(self) -> None:
        super()._check_params()
        if not self.include_bias and self._degrees()[1] == 0:
            actual = f"degree={self.degree!r} without the column of ones leaves an empty output"
            raise ParameterError(format_message(type(self).__name__, "there must be a column to make", actual=actual))

    def _degrees(self) -> tuple[int, int]:
        low, high = self.degree if isinstance(self.degree, tuple | list) else (0, self.degree)
        return int(low), int(high)

    def _terms(self, columns: int, high: int | None = None) -> Terms:
        low, highest = self._degrees()
        return Terms(
            columns, low, highest if high is None else high, bool(self.interaction_only), bool(self.include_bias)
        )

    def _fit(self, d: Design, trace: Trace) -> None:
        self._terms_ = self._terms(d.n_cols)
        self.n_output_features_ = self._terms_.count
        if self.n_output_features_ == 0:
            actual = f"there are no products of {self._terms_.low} distinct columns out of {d.n_cols}"
            raise DataError(format_message(d.who, "there must be a column to make", actual=actual))
        if self.n_output_features_ > np.iinfo(np.intp).max:
            self._refuse_size(d.n_rows * self.n_output_features_ * d.dtype.itemsize)

    def _refuse_size(self, size: int) -> None:
        terms, who = self._terms_, type(self).__name__
        made = f"{terms.columns} columns to degree {terms.high} make {in_words(self.n_output_features_)} columns"
        hint = "choose a lower degree, fewer columns or rows, interaction_only=True, or a kernel method"
        raise DataError(
            format_message(
                who, "the result must fit into memory", actual=f"{made}, which take {bytes_in_words(size)}", hint=hint
            )
        )

    def _transform(self, d: Design) -> Any:
        found = self._transform_sparse(d) if d.table.is_sparse else self._transform_dense(d)
        if self._may_overflow(d):
            self._check_products(d, found)
        return found

    def _transform_dense(self, d: Design) -> Array:
        self._check_size(d.n_rows * self._terms_.count * d.dtype.itemsize)
        out = np.empty((d.n_rows, self._terms_.count), dtype=d.dtype, order=self.order)
        _core.polynomial(d.matrix, self._plan(), out, self._threads)
        return out

    def _plan(self) -> _core.PolynomialPlan:
        terms = self._terms_
        return _core.PolynomialPlan(terms.columns, terms.low, terms.high, terms.distinct, terms.ones)

    def _check_size(self, size: int) -> None:
        if size > memory():
            self._refuse_size(size)

    def _may_overflow(self, d: Design) -> bool:
        """Could some product be beyond the largest float? That takes one look at X, not at the result."""
        numbers = d.numbers.data if d.table.is_sparse else d.numbers
        if self._terms_.high < 2 or numbers.size == 0:
            return False
        largest = max(float(numbers.max()), -float(numbers.min()), 1.0)
        return bool(self._terms_.high * np.log(largest) > np.log(np.finfo(d.dtype).max) - 1e-3)

    def _check_products(self, d: Design, found: Any) -> None:
        values = found.data[:, None] if d.table.is_sparse else found
        if _core.all_finite(_core.dense(values), self._threads):
            return
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(values)))
        if d.table.is_sparse:
            row, column = int(np.searchsorted(found.indptr, row, side="right")) - 1, int(found.indices[row])
        product = next(islice(self._terms_.products(), column, None))
        name = term_name(product, d.column_labels())
        requirement, where = f"every product must fit into {d.dtype}", f"{name!r} of row {row} is too large"
        raise DataError(
            format_message(d.who, requirement, actual=where, hint="scale the columns before, or choose a lower degree")
        )

    def _transform_sparse(self, d: Design) -> Any:
        terms = self._terms_
        lengths, place = np.unique(np.diff(d.numbers.indptr), return_inverse=True)
        stored = [Terms(int(n), terms.low, terms.high, terms.distinct, terms.ones).count for n in lengths]
        rows = np.bincount(place, minlength=len(stored))
        total = sum(n * int(times) for n, times in zip(stored, rows, strict=True))
        index = np.dtype(np.int32 if max(total, terms.count) <= np.iinfo(np.int32).max else np.int64)
        self._check_size(total * (d.dtype.itemsize + index.itemsize))
        starts = np.zeros(d.n_rows + 1, dtype=np.int64)
        np.cumsum(np.array(stored, dtype=np.int64)[place], out=starts[1:])
        indices, values = np.empty(total, dtype=index), np.empty(total, dtype=d.dtype)
        _core.polynomial_sparse(d.matrix, self._plan(), starts, indices, values, self._threads)
        kind = scipy.sparse.csr_matrix if scipy.sparse.isspmatrix(d.table.source) else scipy.sparse.csr_array
        found = kind((values, indices, starts.astype(index)), shape=(d.n_rows, terms.count))
        found.has_canonical_format = True
        return found

    @property
    def powers_(self) -> Array:
        """The exponent of each column in each product."""
        self._check_fitted()
        self._check_size(self.n_output_features_ * self.n_features_in_ * 8)
        return self._terms_.powers()

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The products in words: ``"1"``, ``"a"``, ``"a^2"``, ``"a b"``.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        return np.array(self._terms_.names(self._names_in(input_features)), dtype=object)

    def nested_feature_counts(self, name: str, values: Sequence[Any]) -> list[int] | None:
        """How many leading columns of this one's output are the output of a transformer with each value of a parameter.

        That holds for whole degrees up to the fitted one; None for any other parameter or value.
        """
        self._check_fitted()
        terms = self._terms_
        whole = all(isinstance(d, Integral) and not isinstance(d, bool) for d in values)
        if name != "degree" or not whole or terms.low > 1 or not all(0 <= int(d) <= terms.high for d in values):
            return None
        widths = [Terms(terms.columns, 0, int(d), terms.distinct, terms.ones).count for d in values]
        return widths if widths and min(widths) > 0 else None
