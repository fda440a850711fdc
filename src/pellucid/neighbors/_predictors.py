"""What classifiers and regressors by neighbors share: sampled rows, lists of neighbors, many k from one search."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.path import FitPath
from pellucid.models.neighbors.index import Neighborhoods
from pellucid.neighbors._neighbors import KNeighbors, Neighbors
from pellucid.neighbors._questions import Queries
from pellucid.neighbors._votes import WEIGHTS_DOC, Lists, Weights, drawn_rows

_CELLS = 1 << 22  # neighbors looked up at a time, which bounds memory at 64 MB
_STREAM = 0


class Predictor(Neighbors):
    """Predicts from the targets of neighbors."""

    weights: Weights = param(default="uniform", doc=WEIGHTS_DOC)
    max_samples: int | float | None = param(
        default=None,
        low=0,
        low_open=True,
        doc="Fit to some of the rows only, drawn at random: how many, or which share of them. Of each class the same "
        "share is drawn, and one row at least. `sample_indices_` are their numbers; everything else (row numbers, "
        "X=None) speaks of the drawn rows alone.",
    )
    random_state: Any = param(default=None, doc="Seed of the draw, for `max_samples`.")

    def _fit_rows(self, d: Design, groups: Array | None) -> None:
        """The index; targets and weights of the rows that were drawn, if some were."""
        sample = self._draw(d, groups)
        if sample is not None:
            self.sample_indices_ = sample
        self._fit_index(d, sample)
        y = d.y if sample is None else d.y[sample]
        weight = d.weight if sample is None or d.weight is None else d.weight[sample]
        self._keep_target(np.ascontiguousarray(y), d)
        self._row_weight_ = None if weight is None else np.array(weight)

    def _keep_target(self, y: Floats, d: Design) -> None:
        raise TypeError(f"{type(self).__name__} must write _keep_target")

    def _draw(self, d: Design, groups: Array | None) -> Array | None:
        if self.max_samples is None:
            return None
        n, most = d.n_rows, self.max_samples
        if isinstance(most, numbers.Integral):
            wanted, requirement = int(most), f"max_samples must be at most the number of rows, {n}"
        else:
            wanted, requirement = max(1, round(float(most) * n)), "max_samples as a share must be at most 1"
        if wanted > n or (not isinstance(most, numbers.Integral) and most > 1):
            raise ParameterError(format_message(d.who, requirement, actual=f"got {most!r}"))
        return drawn_rows(n, wanted, groups, uniform(seed_from(self.random_state), _STREAM, n))

    def _in_parts(self, d: Design, each: int, answer: Callable[[Queries], Any]) -> Any:
        """An answer to all queries, asked in parts whose neighbors take bounded room: an array, or a list of them."""
        queries = self._queries(d)
        size = max(1, _CELLS // max(1, each))
        if queries.n <= size:
            return answer(queries)
        parts = [answer(queries.take(np.arange(a, min(queries.n, a + size)))) for a in range(0, queries.n, size)]
        if isinstance(parts[0], list):
            return [np.concatenate(one) for one in zip(*parts, strict=True)]
        return np.concatenate(parts)


class KPredictor(KNeighbors, Predictor):
    """Predicts from the k nearest rows. One search answers for many k."""

    include_equal: bool = param(
        default=False,
        doc="Do all rows count that are as near as the k-th neighbor? Else the first k in the order of the table.",
    )

    path_parameters = ("n_neighbors",)
    shared_methods: ClassVar[tuple[str, ...]] = ()

    def _lists(self, queries: Queries, k: int) -> Lists:
        """The neighbors that count: k of them, or more where the k-th place is shared and all of them are wanted."""
        return self._with_equals(queries, k) if self.include_equal else self._nearest(queries, k)

    def _most(self, queries: Queries) -> int:
        return self.n_samples_fit_ - (queries.own is not None)

    def _with_equals(self, queries: Queries, k: int) -> Neighborhoods:
        """All rows at most as far away as the k-th: more are asked for until one lies beyond."""
        max_width, width = self._most(queries), min(k + 1, self._most(queries))
        distances: list[Any] = [None] * queries.n
        rows: list[Any] = [None] * queries.n
        open_ = np.arange(queries.n)
        while len(open_):
            neighbors = self._nearest(queries.take(open_) if len(open_) < queries.n else queries, width)
            near = neighbors.distances <= neighbors.distances[:, k - 1 : k]
            done = (~near[:, -1]) | (width == max_width)
            for i in np.flatnonzero(done):
                distances[open_[i]], rows[open_[i]] = neighbors.distances[i, near[i]], neighbors.rows[i, near[i]]
            open_, width = open_[~done], min(2 * width, max_width)
        starts = np.append(0, np.cumsum([len(one) for one in rows])).astype(np.int64)
        return Neighborhoods(starts, np.concatenate(distances), np.concatenate(rows))

    # ------------------------------------------------------------------------------------------------------ many k

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        first = models[0].fit(X, y, **params)
        for model in models:  # one that cannot answer would take the others with it
            if model.n_neighbors > first.n_samples_fit_:
                first._checked_k(model.n_neighbors, first._validate_predict(X))
        learned = {key: value for key, value in vars(first).items() if key not in first.get_params(deep=False)}
        for model in models[1:]:
            model.__dict__.update(learned)
        return KPath(models)

    def _answers(self, method: str, d: Design, counts: Sequence[int]) -> list[Array]:
        """What `method` gives for several k, from one search for the largest."""
        raise TypeError(f"{type(self).__name__} must write _answers")

    @property
    def _shares_search(self) -> bool:
        """Are the neighbors of a smaller k the first ones of a larger k, and nothing else?"""
        return not self.include_equal and not callable(self.weights)

    def _refuse_weight(self, d: Design) -> None:
        if d.weight is not None:
            requirement = "takes no weights of rows: of a row written twice both would be among the k nearest"
            hint = "write rows more than once, or use RadiusNeighbors, where a weight is a row's share of the vote"
            raise DataError(format_message(d.who, requirement, actual="sample_weight was given", hint=hint))


class KPath(FitPath):
    """Models that differ in k alone: the neighbors of the largest k answer for all of them."""

    def answer(self, method: str, X: Any) -> list[Array]:
        first = self.models[0]
        if not first._shares_search or method not in first.shared_methods:
            return super().answer(method, X)
        d = first._validate_predict(X)
        for model in self.models:
            model._checked_k(None, d)
        counts = sorted({int(model.n_neighbors) for model in self.models})
        found = dict(zip(counts, first._answers(method, d, counts), strict=True))
        return [found[int(model.n_neighbors)] for model in self.models]
