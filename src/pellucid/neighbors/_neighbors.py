"""What neighbor estimators share: parameters, the door for rows, the choice of an index, and the questions to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    ParameterError,
    PellucidWarning,
    count,
    format_message,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.types import Array
from pellucid.data.design import Design, InputSpec
from pellucid.metrics.gower import NEEDS as OF_MIXED_TABLES
from pellucid.metrics.gower import as_mixed_table, gower_columns, mixed_numbers
from pellucid.models.neighbors.index import Found, Neighborhoods
from pellucid.neighbors._choice import build_index, chosen_algorithm
from pellucid.neighbors._distances import (
    GOWER,
    MISSING,
    OF_TEXTS,
    PRECOMPUTED,
    Distance,
    fault_of_name,
    named_distance,
    settled,
)
from pellucid.neighbors._measures import Flagged, Mixed, Written
from pellucid.neighbors._questions import (
    Asked,
    AskedForNearest,
    AskedForWithin,
    OwnRows,
    Queries,
    kept,
    without_itself,
    without_own,
)
from pellucid.neighbors._scales import warn_unscaled
from pellucid.neighbors._tables import GivenIndex, TableIndex
from pellucid.neighbors._texts import one_column, read_texts
from pellucid.neighbors._tree_of_points import TreeOfPoints


class Neighbors(Asked):
    """Keeps rows in an index and asks it for those that are near.

    ``index_`` is the index, ``distance_`` the distance as it is used, ``algorithm_`` the kind of index.
    """

    algorithm: Literal["auto", "brute", "kd_tree", "ball_tree", "lsh", "graph", "lists"] = param(
        default="auto",
        doc="How neighbors are found. 'brute' compares with every row, 'kd_tree' and 'ball_tree' leave out parts of "
        "the table: these are exact and give the same answer to the last bit. 'auto' chooses among them. 'lsh', "
        "'graph' and 'lists' are approximate: fast on large tables, they may miss neighbors.",
    )
    leaf_size: int = param(default=30, low=1, doc="Rows in a leaf of a tree: speed and memory, not the answer.")
    metric: str | Callable = param(  # type: ignore[type-arg]
        default="minkowski",
        check=fault_of_name,
        doc="The distance: 'minkowski' (with p), 'euclidean', 'manhattan', 'chebyshev', 'cosine', 'hamming', "
        "'jaccard', 'tanimoto', 'mahalanobis', 'seuclidean', 'canberra', 'braycurtis', 'nan_euclidean' (missing "
        "values), 'gower' (mixed tables), 'edit', 'damerau', 'jaro_winkler' (one column of texts), 'precomputed' (X "
        "holds distances), scikit-learn's other ones, or a function of two rows, which is slow.",
    )
    p: float | None = param(
        default=2,
        low=0,
        low_open=True,
        doc="Power of the Minkowski distance: 1 Manhattan, 2 Euclidean, inf the largest.",
    )
    metric_params: dict | None = param(  # type: ignore[type-arg]
        default=None,
        doc="More about the distance: w (weights of columns) for 'minkowski', V for 'seuclidean', V or VI for "
        "'mahalanobis', insert, delete and substitute for 'edit'; for a function, its keyword arguments.",
    )
    n_jobs: int | None = param(default=None, doc="Threads; None for all cores. It changes no bit of the answer.")

    @property
    def input_spec(self) -> InputSpec:  # type: ignore[override]
        """Rows as the metric takes them."""
        if self.metric == GOWER:
            return OF_MIXED_TABLES
        if self.metric in OF_TEXTS:
            return InputSpec(raw=True)
        if self.metric == MISSING:
            return InputSpec(missing=True)
        dense = callable(self.metric) or named_distance(self.metric, 2, None, "").measure is not None
        return InputSpec(sparse=not dense and self.metric not in ("seuclidean", "mahalanobis", "correlation"))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == PRECOMPUTED
        tags.input_tags.string |= self.metric in OF_TEXTS
        return tags

    def _check_params(self) -> None:
        super()._check_params()
        self._named()

    def _named(self) -> Distance:
        return named_distance(self.metric, self.p, self.metric_params, type(self).__name__)

    # ------------------------------------------------------------------------------------------------------------ fit

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Any:
        return super()._fit_table(self._taken(X), y, sample_weight, record)

    def _taken(self, X: Any) -> Any:
        """Lists of texts, and lists of rows that mix words and numbers, as tables."""
        if isinstance(X, TreeOfPoints):
            return self._rows_of_tree(X)
        return one_column(X) if self.metric in OF_TEXTS else as_mixed_table(X) if self.metric == GOWER else X

    def _rows_of_tree(self, tree: TreeOfPoints) -> Any:
        """The rows of a tree that was built before; the distance must be the same."""
        own, his = self._named().metric, tree.metric
        plain = his.stretch is None and his.turn is None
        if own is None or not plain or (own.kind, own.p) != (his.kind, his.p):
            requirement = (
                f"the distance must be that of the {type(tree).__name__}, {his.kind if plain else 'of turned rows'}"
            )
            hint = "give the same metric and p, or fit to the rows themselves"
            raise ParameterError(
                format_message(
                    type(self).__name__, requirement, actual=f"got metric={short_repr(self.metric)}", hint=hint
                )
            )
        return tree.data

    def _fit_index(self, d: Design, sample: Array | None = None) -> None:
        """The index of the rows of a table, or of some of them."""
        who = type(self).__name__
        if self.metric == PRECOMPUTED:
            self._check_square(d, sample)
        rows = _own_copy(self._rows_of(d), d, sample)
        distance = self._named()
        self.effective_metric_, self.effective_metric_params_ = distance.name, dict(distance.params)
        if self.metric == GOWER:
            distance = replace(distance, measure=Mixed(gower_columns(d)))
        self.distance_: Distance = settled(distance, rows, who)
        if self.distance_.by_scale:
            warn_unscaled(d, who, self._threads)
        rows = self.distance_.ready(rows)
        self.n_samples_fit_ = int(rows.shape[0])
        self.algorithm_, self.index_ = self._index(rows)

    def _index(self, rows: Any) -> tuple[str, Any]:
        who = type(self).__name__
        if self.metric == PRECOMPUTED:
            return "brute", GivenIndex(rows, who)
        if self.distance_.measure is not None:
            self._refuse_algorithm()
            return "brute", TableIndex(rows, self.distance_.measure)
        assert self.distance_.metric is not None
        if scipy.sparse.issparse(rows) and self.algorithm not in ("auto", "brute"):
            actual = f"algorithm={self.algorithm!r} with a sparse table: all rows are compared instead"
            warn(format_message(who, "cannot use an index with sparse input", actual=actual), PellucidWarning)
        algorithm = chosen_algorithm(self.algorithm, self.distance_.metric, rows, who)
        k = getattr(self, "n_neighbors", 10)
        return algorithm, build_index(algorithm, rows, self.distance_.metric, self.leaf_size, k, who)

    def _refuse_algorithm(self) -> None:
        """A metric that no index knows; a warning where scikit-learn's ball tree takes it: functions and flags."""
        metric = "a function as metric" if callable(self.metric) else f"metric {self.metric!r}"
        who, requirement = type(self).__name__, f"{metric} is known to brute force alone"
        if self.algorithm == "ball_tree" and isinstance(self.distance_.measure, Written | Flagged):
            actual = "algorithm='ball_tree': all rows are compared instead, with the same answer"
            warn(format_message(who, requirement, actual=actual, hint="use 'auto'"), PellucidWarning)
        elif self.algorithm not in ("auto", "brute"):
            raise ParameterError(
                format_message(who, requirement, actual=f"got algorithm={self.algorithm!r}", hint="use 'auto'")
            )

    def _check_square(self, d: Design, sample: Array | None) -> None:
        if d.n_rows != d.n_cols:
            requirement = "Precomputed matrix must be square: one row and one column a fitted row"
            raise DataError(format_message(d.who, requirement, actual=f"Input is a {d.n_rows}x{d.n_cols} matrix"))
        if sample is not None:
            raise ParameterError(format_message(d.who, "max_samples must be None with metric='precomputed'"))

    def _rows_of(self, d: Design) -> Any:
        """Rows of a table as the metric takes them."""
        if self.metric in OF_TEXTS:
            return read_texts(d)
        if self.metric == GOWER:
            return mixed_numbers(d)
        if self.metric == PRECOMPUTED:
            _refuse_negative(d)
        return d.numbers

    # -------------------------------------------------------------------------------------------------------- queries

    def _validate_predict(self, X: Any) -> Design:
        return super()._validate_predict(None if X is None else self._taken(X))

    def _queries(self, d: Design) -> Queries:
        if isinstance(d, OwnRows):
            return Queries(self._fitted_rows, self.n_samples_fit_, np.arange(self.n_samples_fit_))
        return Queries(self.distance_.ready(self._rows_of(d)), d.n_rows)

    @property
    def _fitted_rows(self) -> Any:
        """The rows as the index was given them."""
        return self.index_.source if hasattr(self.index_, "source") else self.index_.rows

    def _nearest(self, queries: Queries, k: int) -> Found:
        """The k nearest fitted rows of each query."""
        neighbors = self._search(queries, k)
        lost = (neighbors.rows < 0) | (neighbors.rows >= self.n_samples_fit_) | np.isnan(neighbors.distances)
        if self.metric == MISSING:
            lost |= np.isinf(neighbors.distances)
        if lost.any():
            wrong = np.flatnonzero(lost.any(axis=1))
            requirement = f"a row must have a column in common with {count(k, 'fitted row')} or more"
            hint = "impute missing values, or leave out rows that are mostly empty"
            raise DataError(
                format_message(
                    type(self).__name__, requirement, actual=f"{noun_list('row', wrong)} of X has too few", hint=hint
                )
            )
        return Found(neighbors.distances**2, neighbors.rows) if self.distance_.squared else neighbors

    def _search(self, queries: Queries, k: int) -> Found:
        if queries.own is None:
            return self.index_.nearest(queries.rows, k, self._threads)  # type: ignore[no-any-return]
        if queries.n == self.n_samples_fit_ and hasattr(self.index_, "nearest_others"):
            return self.index_.nearest_others(k, self._threads)  # type: ignore[no-any-return]
        return without_itself(self.index_.nearest(queries.rows, k + 1, self._threads), queries.own)

    def _within(self, queries: Queries, radius: float) -> Neighborhoods:
        """All fitted rows at most so far away."""
        if not self.distance_.squared:
            return without_own(self.index_.within(queries.rows, float(radius), self._threads), queries)
        # A square root may round the radius down; what lies beyond it is taken out again.
        reach = float(np.nextafter(np.sqrt(radius), np.inf))
        neighbors = without_own(self.index_.within(queries.rows, reach, self._threads), queries)
        squares = neighbors.distances**2
        return kept(Neighborhoods(neighbors.starts, squares, neighbors.rows), squares <= radius)


def _own_copy(rows: Any, d: Design, sample: Array | None) -> Any:
    """Rows that nobody else can change, in C order."""
    if sample is not None:
        return rows[sample]
    if scipy.sparse.issparse(rows):
        return rows.copy()
    if rows is d.numbers:
        return np.array(rows, order="C", copy=True)
    return rows


def _refuse_negative(d: Design) -> None:
    stored = d.numbers.data if scipy.sparse.issparse(d.numbers) else d.numbers
    if np.min(stored, initial=0.0) < 0:
        requirement = "Negative values in data passed to precomputed distance matrix: distances must be 0 or more"
        raise DataError(format_message(d.who, requirement, actual=f"found {np.min(stored):g}"))


class KNeighbors(AskedForNearest, Neighbors):
    """Answers for the k nearest rows."""

    n_neighbors: int = param(default=5, low=1, kw_only=False, doc="How many neighbors, k.")


class RadiusNeighbors(AskedForWithin, Neighbors):
    """Answers for all rows within a radius."""

    radius: float = param(default=1.0, low=0, kw_only=False, doc="How far away a neighbor may be; the bound is in.")
