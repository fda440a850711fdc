"""Texts as counts of their words."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.callback import with_callbacks

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.text._lexicon import Lexicon
from pellucid.text._reader import TextReader, given_terms, side_by_side, sparse_rows

__all__ = ["CountVectorizer"]


def _check_share(name: str) -> Any:
    def check(value: Any) -> str | None:
        if isinstance(value, float | np.floating) and value > 1:
            return f"{name} must be a share from 0 to 1, or a whole number of texts; got {value!r}"
        return None

    return check


def _check_dtype(value: Any) -> str | None:
    try:
        if np.dtype(value).kind in "biuf" and value is not None:
            return None
    except TypeError:
        pass
    return f"dtype must be a type of numbers; got {value!r}"


class CountVectorizer(TextReader):
    """Counts how often each word stands in each text.

    ``x_ij = number of times that term j stands in text i``

    A text is put into lower case and cut into words of two or more letters, digits or underscores; a term is a word, or
    ``ngram_range`` words in a row. The columns are the terms of all texts in alphabetical order. Terms in few or in
    nearly all texts can be left out (``min_df``, ``max_df``), or all but the most frequent (``max_features``; of terms
    equally frequent the first in the alphabet stays). The order of the words is lost: "dog bites man" and "man bites
    dog" are the same row. Words of all texts weigh most this way; `TfidfVectorizer` weighs them by how rare they are,
    and `HashingVectorizer` needs no fit and no memory for words.

    X may be a list, an array or a series of texts, or a table of columns of texts: then each column has words of its
    own, called ``column=word`` where there are several. Words end where Python's ``\\w`` says so, in every script. The
    result is a sparse matrix, on any number of threads the same.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each term; of several columns of texts under the name ``column=word``.
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
    >>> from pellucid.text import CountVectorizer
    >>> texts = ["The cat sat.", "The cat saw the other cat!"]
    >>> model = CountVectorizer()
    >>> model.fit_transform(texts).toarray()
    array([[1, 0, 1, 0, 1],
           [2, 1, 0, 1, 2]])
    >>> model.get_feature_names_out().tolist()
    ['cat', 'other', 'sat', 'saw', 'the']
    >>> CountVectorizer(stop_words="english", ngram_range=(2, 2)).fit(texts).vocabulary_
    {'cat sat': 0, 'cat saw': 1, 'saw cat': 2}
    """

    max_df: int | float = param(
        default=1.0,
        low=0,
        check=_check_share("max_df"),
        doc="Terms in more texts than this are left out: share or number.",
    )
    min_df: int | float = param(
        default=1,
        low=0,
        check=_check_share("min_df"),
        doc="Terms in fewer texts than this are left out: share or number.",
    )
    max_features: int | None = param(default=None, low=1, doc="Only so many terms are kept, the most frequent ones.")
    vocabulary: Any = param(
        default=None, doc="Terms given beforehand: a list, or a dict from term to column. None: those of the texts."
    )
    binary: bool = param(default=False, doc="Does a term that is there count 1, however often?")
    dtype: Any = param(default=np.int64, check=_check_dtype, doc="Type of the counts.")
    missing: Literal["empty", "error"] = param(
        default="empty", doc="What a missing text is: a text without words, or an error."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    _floats: ClassVar[bool] = False

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learns the terms of texts and counts them, in one pass.

        Parameters
        ----------
        X : texts
            A list, an array or a series of texts, or a table of columns of texts.
        y : not looked at
            There for scikit-learn's sake.

        Returns
        -------
        sparse matrix : a row for each text, a column for each term
        """
        self._refuse_frames()
        self._wanted: list[Any] = []
        try:
            self._run_fit(X, None, None)
            return self._wanted[0]
        finally:
            del self._wanted

    def _fit(self, d: Design, trace: Trace) -> None:
        self._warn_of_stop_words()
        self.n_documents_ = d.n_rows
        self.fixed_vocabulary_ = self.vocabulary is not None
        found = [self._fit_column(d, j) for j in range(d.n_cols)]
        self.lexicons_ = [lexicon for lexicon, _, _ in found]
        self.document_counts_ = np.concatenate([documents for _, documents, _ in found])
        names = self._names()
        self.vocabulary_: dict[str, int] = dict(zip(names, range(len(names)), strict=True))
        self._learn()
        if hasattr(self, "_wanted"):
            self._wanted.append(self._finish([rows for _, _, rows in found]))

    def _learn(self) -> None:
        """What else a subclass learns from how many texts have each term."""

    def _finish(self, blocks: list[Any]) -> Any:
        """What becomes of the counts of each column of texts."""
        return side_by_side([block.astype(self.dtype, copy=False) for block in blocks])

    def _fit_column(self, d: Design, j: int) -> tuple[Lexicon, Array, Any]:
        texts, in_words, analysis = self._read_column(d, j)
        if self.vocabulary is not None:
            lexicon = Lexicon(given_terms(self.vocabulary, d.who))
            parts = _core.text_transform(texts, in_words, analysis, lexicon.table, self.binary, self._threads)
            rows = sparse_rows(parts, len(lexicon))
            return lexicon, np.bincount(rows.indices, minlength=len(lexicon)).astype(np.int64), rows
        low, high = self._limits(d)
        most = None if self.max_features is None else int(self.max_features)
        terms, documents, met, parts = _core.text_fit(
            texts, in_words, analysis, low, high, most, self.binary, self._threads
        )
        if not terms:
            raise DataError(self._no_terms(d, met))
        return Lexicon(terms), documents, sparse_rows(parts, len(terms))

    def _limits(self, d: Design) -> tuple[float, float]:
        """Fewest and most texts that a term may be in."""

        def texts(limit: float) -> float:
            return float(limit if isinstance(limit, int | np.integer) else limit * d.n_rows)

        low, high = texts(self.min_df), texts(self.max_df)
        if high < low:
            actual = f"max_df corresponds to < documents than min_df: {high:g} and {low:g} of {count(d.n_rows, 'text')}"
            raise ParameterError(format_message(d.who, "max_df must not be below min_df", actual=actual))
        return low, high

    def _no_terms(self, d: Design, met: int) -> str:
        if met == 0:
            actual = "empty vocabulary; perhaps the documents only contain stop words"
            hint = r"token_pattern=r'\w+' takes words of one letter, too"
            return format_message(d.who, "the texts must have words", actual=actual, hint=hint)
        actual = f"After pruning, no terms remain of {met:,}. Try a lower min_df or a higher max_df"
        return format_message(d.who, "some terms must be kept", actual=actual)

    def transform(self, X: Any) -> Any:
        """How often each text has each term, as a sparse matrix. No fit is needed where the vocabulary is given."""
        if self.vocabulary is not None and not self.__sklearn_is_fitted__() and not self._floats:
            return self.fit_transform(X)
        return super().transform(X)

    def _transform(self, d: Design) -> Any:
        blocks = []
        for j, lexicon in enumerate(self.lexicons_):
            texts, in_words, analysis = self._read_column(d, j)
            parts = _core.text_transform(texts, in_words, analysis, lexicon.table, self.binary, self._threads)
            blocks.append(sparse_rows(parts, len(lexicon)))
        return self._finish(blocks)

    def _names(self) -> list[str]:
        if len(self.lexicons_) == 1:
            return list(self.lexicons_[0].terms)
        columns = self._names_in(None)
        return [f"{name}={term}" for name, one in zip(columns, self.lexicons_, strict=True) for term in one.terms]

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The terms in the order of their columns; of several columns of texts as ``column=word``.

        Parameters
        ----------
        input_features : not looked at
            There for scikit-learn's sake.
        """
        if self.vocabulary is None or self._floats or self.__sklearn_is_fitted__():
            self._check_fitted()
            return np.array(self._names(), dtype=object)
        return np.array(given_terms(self.vocabulary, type(self).__name__), dtype=object)

    def inverse_transform(self, X: Any) -> list[Array]:
        """The terms that each row of a matrix of counts or weights has, in the order of their columns.

        Parameters
        ----------
        X : sparse or dense matrix with the columns that `transform` gives

        Returns
        -------
        list of arrays of terms, one a row
        """
        names = self.get_feature_names_out()
        rows = X.tocsr() if issparse(X) else np.atleast_2d(np.asarray(X))
        if rows.shape[1] != len(names):
            actual = f"got {rows.shape[1]} for {count(len(names), 'term')}"
            raise DataError(format_message(type(self).__name__, "X must have a column for each term", actual=actual))
        return [names[np.sort(rows[i].nonzero()[-1])] for i in range(rows.shape[0])]
