"""Classes by the votes of the k nearest rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.neighbors._predictors import KPredictor
from pellucid.neighbors._questions import Queries
from pellucid.neighbors._votes import votes_of
from pellucid.neighbors._voting import Voting

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(KPredictor, Voting):
    """Gives a row the class that most of the k nearest rows have.

    ``P(c | x) = sum of w_i over the neighbors i of class c / sum of w_i over all k``  with w = 1, 1/d or 1/d² for a
    neighbor at distance d. The class with the largest share is predicted.

    Nothing is learned: the rows themselves are the model, kept in an index (see `NearestNeighbors`). Small k follow
    every row, noise included; large k smooth, up to the most frequent class everywhere. k is chosen by
    cross-validation: a search over k costs about one search for the largest. For two classes an odd k has no ties.

    Of classes with equal votes the first in `classes_` wins (``ties="first"``, as in scikit-learn), the one with the
    nearest neighbor (``"nearest"``; then the smaller sum of distances), or one more neighbor is asked until one class
    leads (``"expand"``; probabilities are then those of the vote that decided). Rows at equal distances count in the
    order of the table, so that exactly k vote; with ``include_equal`` all that are as near as the k-th do.

    Prefer a linear or tree-based model with many columns, where all rows are about equally far; on large tables with
    few rows that matter, condensed prototypes or `LVQClassifier` answer faster. Columns should be on one scale.

    Attributes
    ----------
    classes_ : the classes, sorted; a list of them for several targets
    index_, algorithm_, distance_ : the rows, arranged for the search; which kind of index; the distance
    effective_metric_, effective_metric_params_ : scikit-learn's name of the distance and its parameters
    n_samples_fit_ : number of fitted rows
    outputs_2d_ : were there several targets?
    sample_indices_ : numbers of the rows drawn, with `max_samples`

    Examples
    --------
    Of the three rows nearest to 4, at distances 1, 2 and 2, two are red:

    >>> from pellucid.neighbors import KNeighborsClassifier
    >>> X, y = [[1], [2], [5], [6], [9]], ["blue", "red", "blue", "red", "red"]
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[4]])
    array(['red'], dtype='<U4')
    >>> model.predict_proba([[4]])
    array([[0.33333333, 0.66666667]])
    >>> KNeighborsClassifier(3, weights="distance").fit(X, y).predict_proba([[4]])  # 1 against 1/2 + 1/2
    array([[0.5, 0.5]])

    Notes
    -----
    `predict(None)` predicts the fitted rows, each from the others: leave-one-out in one call. Beyond scikit-learn:
    weights 1/d², `ties`, `include_equal`, `max_samples`, Gower's and edit distances.
    """

    ties: Literal["first", "nearest", "expand"] = param(
        default="first",
        doc="Who wins among classes with equal votes: the first class, the one with the nearest neighbor, or the one "
        "that leads when k is enlarged one by one.",
    )

    shared_methods: ClassVar[tuple[str, ...]] = ("predict", "predict_proba")

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Keeps the rows of a table and their labels.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows; n x n distances for
            ``metric="precomputed"``, texts for edit distances.
        y : n labels, or n x t labels
            The class of each row.

        Returns
        -------
        self
        """
        self._run_fit(X, y, None)
        return self

    def _check_params(self) -> None:
        super()._check_params()
        if self.include_equal and self.ties == "expand":
            requirement = "ties='expand' enlarges k one row at a time, which include_equal=True rules out"
            raise ParameterError(format_message(type(self).__name__, requirement, hint="choose one of them"))

    def _fit(self, d: Design, trace: Trace) -> None:
        self._refuse_weight(d)
        self._fit_rows(d, None if self.max_samples is None else self._groups(d))

    def _predict_codes(self, d: Design) -> Array:
        k = self._checked_k(None, d)
        codes: Array = self._in_parts(d, k, lambda queries: self._vote(queries, k))
        return codes if self.outputs_2d_ else codes[:, 0]

    def _vote(self, queries: Queries, k: int) -> Array:
        if self.ties == "expand":
            return np.column_stack([self._settled(queries, k, t)[0] for t in range(len(self._codes_))])
        return np.asarray(self._winners(self._lists(queries, k), self.ties)[0])

    def _settled(self, queries: Queries, k: int, target: int) -> tuple[Array, Array]:
        """Winners of one target and how many neighbors it took, k enlarged where the vote is tied.

        Most votes are not tied, so few rows are asked again.
        """
        max_width, width = self._most(queries), min(k + 1, self._most(queries))
        codes, classes = self._codes_[target], len(self._labels[target])
        winners, took = np.empty(queries.n, dtype=np.int32), np.empty(queries.n, dtype=np.int64)
        tied = np.arange(queries.n)
        while len(tied):
            neighbors = self._nearest(queries.take(tied) if len(tied) < queries.n else queries, width)
            votes = votes_of(neighbors, self.weights, type(self).__name__)
            winners[tied], used = _core.class_settled(votes, codes, classes, k, self._threads)
            took[tied] = np.where(used == 0, max_width, used)
            tied = tied[(used == 0) & (width < max_width)]
            width = min(2 * width, max_width)
        return winners, took

    def _predict_proba(self, d: Design) -> Any:
        k = self._checked_k(None, d)
        ask = self._settled_shares if self.ties == "expand" else self._plain_shares
        probabilities = self._in_parts(d, k, lambda queries: ask(queries, k))
        return probabilities if self.outputs_2d_ else probabilities[0]

    def _plain_shares(self, queries: Queries, k: int) -> list[Floats]:
        return [part[0] for part in self._shares(self._lists(queries, k))]

    def _settled_shares(self, queries: Queries, k: int) -> list[Floats]:
        """Shares of the vote that decided."""
        out = []
        for target, labels in enumerate(self._labels):
            took = self._settled(queries, k, target)[1]
            shares = np.empty((queries.n, len(labels)))
            for count in np.unique(took).tolist():
                places = np.flatnonzero(took == count)
                shares[places] = self._shares(self._nearest(queries.take(places), count))[target][0]
            out.append(shares)
        return out

    @property
    def _shares_search(self) -> bool:
        return super()._shares_search and self.ties != "expand"

    def _answers(self, method: str, d: Design, counts: Sequence[int]) -> list[Any]:
        max_count = counts[-1]
        if method == "predict":
            codes = self._in_parts(
                d,
                max_count,
                lambda queries: self._winners(self._nearest(queries, max_count), self.ties, counts).swapaxes(0, 1),
            )
            return [self._decoded(codes[:, a]) for a in range(len(counts))]
        probabilities = self._in_parts(
            d,
            max_count,
            lambda queries: [p.swapaxes(0, 1) for p in self._shares(self._nearest(queries, max_count), counts)],
        )
        each = [[np.ascontiguousarray(p[:, a]) for p in probabilities] for a in range(len(counts))]
        return each if self.outputs_2d_ else [one[0] for one in each]

    def _decoded(self, codes: Array) -> Array:
        """Labels of codes, as `predict` gives them."""
        if self.outputs_2d_:
            return np.column_stack([labels[codes[:, t]] for t, labels in enumerate(self._labels)])
        return np.asarray(self.classes_[codes[:, 0]])
