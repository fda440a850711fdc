"""What methods share that keep some rows of a table as prototypes: the kept rows, and predictions by them."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils import _safe_indexing

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.trace import Trace
from pellucid.models.neighbors.metric import Metric
from pellucid.neighbors._choice import build_index, chosen_algorithm
from pellucid.neighbors._prototypes import PrototypeClassifier, codes_of, reach_of, vote
from pellucid.neighbors._scales import warn_unscaled

_LEAF = 30  # rows of a tree's leaf


class RowSelector(PrototypeClassifier):
    """Keeps rows; a subclass writes ``_select(design, codes, trace)``, which answers the numbers of those kept."""

    n_neighbors: int = param(default=1, low=1, kw_only=False, doc="How many of the nearest rows vote.")
    metric: Literal["euclidean", "manhattan", "chebyshev"] = param(default="euclidean", doc="Distance between rows.")
    n_jobs: int | None = param(
        default=None,
        doc="Threads: None or -1 for all available cores. Their number changes no bit of the result.",
    )

    input_spec = InputSpec()
    instead = "KNeighborsClassifier on the rows of fit_resample has shares of votes"

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Chooses the rows to keep.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, or list of rows.
        y : n labels
            The class of each row.

        Returns
        -------
        self
        """
        self._run_fit(X, y, None)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Chooses the rows to keep and answers them, in their order, with their labels.

        A frame stays a frame of its library, with its index.

        Parameters
        ----------
        X, y : as `fit` takes them

        Returns
        -------
        X, y : the rows of `sample_indices_` and their labels
        """
        self.fit(X, y)
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def _fit(self, d: Design, trace: Trace) -> None:
        if d.weight is not None:
            raise DataError(
                format_message(
                    d.who, "rows must count alike", actual="got sample_weight", hint="repeat rows to weigh them"
                )
            )
        warn_unscaled(d, d.who, self._threads)
        codes = codes_of(d)
        selected = np.sort(self._select(d, codes, trace))
        self.sample_indices_ = selected.astype(np.intp)
        self.n_kept_ = len(selected)
        self._rows_ = np.ascontiguousarray(d.numbers[selected])
        self._codes_ = codes[selected]

    def _select(self, d: Design, codes: Array, trace: Trace) -> Array:
        raise TypeError(f"{type(self).__name__} must write _select")

    def _predict_codes(self, d: Design) -> Array:
        scale = reach_of(d, self._rows_)
        rows, queries = (_scaled(table, scale) for table in (self._rows_, d.numbers))
        index = _index_of(rows, self.metric, d.who)
        neighbors = index.nearest(queries, min(self.n_neighbors, len(rows)), self._threads)
        return vote(self._codes_[neighbors.rows], len(self.classes_))


def _scaled(table: Array, scale: Floats | None) -> Array:
    return table if scale is None else table * scale


def _index_of(rows: Array, metric: str, who: str) -> Any:
    """The fastest exact index."""
    kind = Metric(metric)
    return build_index(chosen_algorithm("auto", kind, rows, who), rows, kind, _LEAF, 1, who)


def nearest_others(
    table: Array, k: int, metric: str, scale: Floats | None, threads: int, who: str
) -> tuple[Floats, Array]:
    """Distances and numbers of the k rows nearest to each row besides itself, nearest first, then by number."""
    neighbors = _index_of(_scaled(table, scale), metric, who).nearest_others(k, threads)
    return neighbors.distances if scale is None else neighbors.distances / scale[0], neighbors.rows
