"""Words weighed by how rare they are."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import SameNames
from pellucid.estimator.trace import Trace
from pellucid.text._reader import side_by_side
from pellucid.text._weights import NORMS, GivesSparse, check_base, inverse_document_frequency
from pellucid.text.count_vectorizer import CountVectorizer

__all__ = ["TfidfTransformer", "TfidfVectorizer"]


class TfidfTransformer(GivesSparse, SameNames):
    """Weighs counts of words: rare words count more, long texts no more than short ones.

    ``w_ij = tf_ij idf_j / |row i|``  with  ``idf_j = log((1 + n) / (1 + df_j)) + 1``

    where ``tf_ij`` is the count of term j in text i (``1 + log(count)``  with ``sublinear_tf``), n the number of texts,
    ``df_j`` the number of texts that have the term, and ``|row|`` the size of the row before it is divided. The ones
    added to n and df act as one more text that has every term; without them (``smooth_idf=False``) it is
    ``log(n / df_j) + 1``. Textbooks leave the last 1 out, so that a term of all texts weighs nothing
    (``add_one=False``), and take logarithms of base 2 or 10 (``log_base``), which changes nothing but the share of that
    1. A term of no text counts as a term of one. The inner product of two rows is then the cosine of the angle between
    them. The result is a sparse matrix, as with scikit-learn, whose numbers it gives.

    Attributes
    ----------
    idf_ : array of numbers
        The weight of each column, where ``use_idf`` is on.
    document_counts_ : array of whole numbers
        How many rows have something other than 0 in each column.
    n_documents_ : int
        Rows seen by `fit`.

    Examples
    --------
    >>> from pellucid.text import TfidfTransformer
    >>> counts = [[2, 0, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0]]
    >>> model = TfidfTransformer(smooth_idf=False, add_one=False, log_base=2, norm=None).fit(counts)
    >>> model.idf_
    array([0., 2., 2.])
    >>> model.transform(counts).toarray()[0]
    array([0., 0., 2.])
    """

    norm: Literal["l1", "l2"] | None = param(
        default="l2", doc="Rows are divided by the sum of absolute values, the root of the sum of squares, or nothing."
    )
    use_idf: bool = param(default=True, doc="Are terms weighed by how rare they are? False: idf is 1 for all.")
    smooth_idf: bool = param(default=True, doc="Is one text added that has every term once?")
    sublinear_tf: bool = param(default=False, doc="Does a count x weigh 1 + log(x)?")
    add_one: bool = param(default=True, doc="Is 1 added to idf, so that a term of all texts keeps some weight?")
    log_base: float | None = param(
        default=None, low=0, low_open=True, check=check_base, doc="Base of the logarithm of idf; None: e."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec: ClassVar[InputSpec] = InputSpec(sparse=True)
    calls_blas: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.positive_only = bool(self.sublinear_tf)
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        self._refuse_negative(d)
        self.n_documents_ = d.n_rows
        if d.table.is_sparse:
            self.document_counts_ = _core.count_rows_with(d.numbers.indices, d.numbers.data, d.n_cols)
        else:
            self.document_counts_ = np.count_nonzero(d.numbers, axis=0).astype(np.int64)
        if self.use_idf:
            self.idf_: Floats = inverse_document_frequency(
                self.document_counts_, d.n_rows, self.smooth_idf, self.add_one, self.log_base
            )

    def _refuse_negative(self, d: Design) -> None:
        values = d.numbers.data if d.table.is_sparse else d.numbers
        if self.sublinear_tf and values.size and values.min() < 0:
            actual = f"Negative values in data passed to {d.who}: the smallest is {float(values.min()):g}"
            hint = "sublinear_tf=False takes them"
            raise DataError(
                format_message(
                    d.who, "counts must be zero or more where their logarithm is taken", actual=actual, hint=hint
                )
            )

    def _transform(self, d: Design) -> Any:
        self._refuse_negative(d)
        if d.table.is_sparse:
            made = type(d.numbers)((d.numbers.data.copy(), d.numbers.indices, d.numbers.indptr), shape=d.numbers.shape)
            made.indices, made.indptr = made.indices.copy(), made.indptr.copy()
        else:
            made = csr_matrix(np.asarray(d.numbers, dtype=np.float64))
        idf = self.idf_ if self.use_idf else None
        _core.weigh_rows(made.indptr, made.indices, made.data, idf, self.sublinear_tf, NORMS[self.norm], self._threads)
        return made.astype(d.dtype, copy=False)


class TfidfVectorizer(CountVectorizer):
    """Counts the words of texts and weighs them by how rare they are: `CountVectorizer` and `TfidfTransformer` in one.

    ``w_ij = tf_ij idf_j / |row i|``  with  ``idf_j = log((1 + n) / (1 + df_j)) + 1``

    where ``tf_ij`` is how often term j stands in text i, n the number of texts and ``df_j`` how many of them have the
    term. How texts are cut is told there, and where conventions of idf differ here: `TfidfTransformer`. Of a table with
    several columns of texts each column has its own words, and its part of a row is weighed by itself.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term; of several columns of texts under the name ``column=word``.
    idf_ : array of numbers
        The weight of each term, where ``use_idf`` is on.
    document_counts_ : array of whole numbers
        How many texts have each term.
    n_documents_ : int
        Texts seen by `fit`.
    fixed_vocabulary_ : bool
        Was the vocabulary given?
    lexicons_ : list
        The terms of each column of texts.

    Examples
    --------
    >>> from pellucid.text import TfidfVectorizer
    >>> texts = ["red fish", "blue fish"]
    >>> model = TfidfVectorizer(smooth_idf=False, add_one=False, log_base=2, norm=None).fit(texts)
    >>> model.get_feature_names_out().tolist(), model.idf_.tolist()
    (['blue', 'fish', 'red'], [1.0, 0.0, 1.0])
    >>> TfidfVectorizer(use_idf=False).fit_transform(["red red red fish fish fish fish"]).toarray()
    array([[0.8, 0.6]])
    """

    norm: Literal["l1", "l2"] | None = param(
        default="l2", doc="Rows are divided by the sum of absolute values, the root of the sum of squares, or nothing."
    )
    use_idf: bool = param(default=True, doc="Are terms weighed by how rare they are? False: idf is 1 for all.")
    smooth_idf: bool = param(default=True, doc="Is one text added that has every term once?")
    sublinear_tf: bool = param(default=False, doc="Does a count x weigh 1 + log(x)?")
    add_one: bool = param(default=True, doc="Is 1 added to idf, so that a term of all texts keeps some weight?")
    log_base: float | None = param(
        default=None, low=0, low_open=True, check=check_base, doc="Base of the logarithm of idf; None: e."
    )

    _defaults: ClassVar[dict[str, Any]] = {"dtype": np.float64}
    _floats: ClassVar[bool] = True

    def _check_params(self) -> None:
        super()._check_params()
        if np.dtype(self.dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
            requirement = "dtype must be float64 or float32"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {self.dtype!r}"))

    def _learn(self) -> None:
        if self.use_idf:
            self.idf_: Floats = inverse_document_frequency(
                self.document_counts_, self.n_documents_, self.smooth_idf, self.add_one, self.log_base
            )

    def _finish(self, blocks: list[Any]) -> Any:
        """Each column's counts become weights; the counts were made for this and are written over."""
        first = 0
        for rows in blocks:
            last = first + rows.shape[1]
            idf = self.idf_[first:last] if self.use_idf else None
            norm = NORMS[self.norm]
            _core.weigh_rows(rows.indptr, rows.indices, rows.data, idf, self.sublinear_tf, norm, self._threads)
            first = last
        return side_by_side([rows.astype(self.dtype, copy=False) for rows in blocks])
