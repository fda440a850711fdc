"""Texts as numbers without a vocabulary: the column of a word is worked out from the word itself."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.data.design import Design, infer_schema
from pellucid.estimator.trace import Trace
from pellucid.text._reader import TextReader, side_by_side, sparse_rows
from pellucid.text._texts import column_of
from pellucid.text._weights import NORMS

__all__ = ["HashingVectorizer"]


def _check_float(value: Any) -> str | None:
    if value in (np.float64, np.float32, "float64", "float32"):
        return None
    return f"dtype must be float64 or float32; got {value!r}"


class HashingVectorizer(TextReader):
    """Counts words in columns that a hash of the word chooses: no fit, no vocabulary, any number of texts.

    With ``h(t)``  a whole number of 32 bits worked out from the bytes of term t (MurmurHash3), the term counts in
    column  ``|h(t)| mod n_features``,  with the sign of ``h(t)``  where ``alternate_sign`` is on, and each row is
    divided by its size.

    Texts can come in parts, on several machines, and nothing is kept of them. Two words may meet in one column: with
    2^20 columns that is rare, and the signs keep it from adding up in the mean. What cannot be had is the way back from
    a column to its word; where that matters, or the weight of rare words does, use `CountVectorizer` or
    `TfidfVectorizer`. Columns and signs are those of scikit-learn. Several columns of texts stand side by side,
    ``n_features`` columns for each.

    Attributes
    ----------
    n_features_in_ : int
        Columns of texts seen by `fit`, if there was one.

    Examples
    --------
    >>> from pellucid.text import HashingVectorizer
    >>> made = HashingVectorizer().transform(["red red blue", "blue"])
    >>> made.shape, made.nnz
    ((2, 1048576), 3)
    >>> sorted(abs(made[0].data).round(4).tolist())  # 1 and 2 over the root of 5
    [0.4472, 0.8944]
    """

    n_features: int = param(default=2**20, low=1, high=2**31 - 1, doc="Columns of the result.")
    binary: bool = param(default=False, doc="Does a term that is there count 1, however often?")
    norm: Literal["l1", "l2"] | None = param(
        default="l2", doc="Rows are divided by the sum of absolute values, the root of the sum of squares, or nothing."
    )
    alternate_sign: bool = param(
        default=True, doc="Do terms whose hash is below zero count down, so that meetings cancel in the mean?"
    )
    dtype: Any = param(default=np.float64, check=_check_float, doc="Type of the result: float64 or float32.")
    missing: Literal["empty", "error"] = param(
        default="empty", doc="What a missing text is: a text without words, or an error."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        self._warn_of_stop_words()
        if self.input == "content" and not callable(self.analyzer):
            for j in range(d.n_cols):
                self._texts(d, j, column_of(d, j))

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Does what `fit` does: nothing is learned."""
        self.fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Checks the texts as `fit` does and gives their hashed counts; texts that come one by one are read once."""
        self._check_params()
        texts = self._as_table(X)
        return self.fit(texts).transform(texts)

    def transform(self, X: Any) -> Any:
        """The hashed counts of each text as a sparse matrix. No fit is needed before."""
        self._refuse_frames()
        if self.__sklearn_is_fitted__():
            return self._transform(self._validate_predict(X))
        self._check_params()
        return self._transform(infer_schema(self._as_table(X), self.input_spec, type(self).__name__))

    def _transform(self, d: Design) -> Any:
        blocks = []
        for j in range(d.n_cols):
            texts, in_words, analysis = self._read_column(d, j)
            parts = _core.text_hash(
                texts, in_words, analysis, int(self.n_features), self.alternate_sign, self.binary, self._threads
            )
            rows = sparse_rows(parts, int(self.n_features))
            if self.norm is not None:
                _core.weigh_rows(rows.indptr, rows.indices, rows.data, None, False, NORMS[self.norm], self._threads)
            blocks.append(rows.astype(self.dtype, copy=False))
        return side_by_side(blocks)
