"""Condensed nearest neighbors: the rows near the borders are enough."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message, short_repr
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.models.neighbors.metric import KINDS
from pellucid.neighbors._prototypes import reach_of
from pellucid.neighbors._selection import RowSelector

__all__ = ["CondensedNearestNeighbors"]


def _rows(value: Any) -> str | None:
    try:
        numbers = np.asarray(value)
    except ValueError:  # lists of several lengths
        numbers = np.empty(0)
    if isinstance(value, str) or (numbers.ndim == 1 and numbers.size and numbers.dtype.kind in "iu"):
        return None
    return f"start must be 'each_class', 'first' or row numbers; got {short_repr(value)}"


class CondensedNearestNeighbors(RowSelector):
    """Keeps the rows that nearest neighbors need: a small store that classifies all others rightly.

    The store S begins with the first row of each class. Pass after pass goes over the rows that are not in S, in order;
    a row x_i whose class is not what its nearest rows in S say, ``vote of the n_neighbors nearest of S != y_i``, is
    added at once. It ends with a pass that adds none: then S classifies every row of the table (Hart's condensing).

    Rows inside a class are hardly ever added, rows near the borders are. What is kept depends on the order: rows come
    as they stand, or shuffled. Noisy rows are kept, being exceptions; `EditedNearestNeighbors` before this one removes
    them. The store is consistent, not the smallest that is.

    Give what `fit_resample` returns to `KNeighborsClassifier`, or let this model predict by its store. Prefer all rows
    with a search tree (`KNeighborsClassifier`) where memory and time allow: a little accuracy is lost here.

    Attributes
    ----------
    sample_indices_ : numbers of the kept rows, in order
    added_ : the same in the order in which they came into the store
    n_kept_ : how many they are
    n_iter_ : passes made, the last without an addition
    classes_ : the labels, sorted
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Among stored rows at the same distance the one stored earlier counts as nearer; of classes with equally many votes
    the one with the nearest row wins. Rows with the same values and different labels are both kept. imbalanced-learn's
    class of a similar name keeps all rows of the smallest class and draws the others at random; this is the plain rule.

    References
    ----------
    Hart: The condensed nearest neighbor rule. IEEE Transactions on Information Theory 14, 1968.

    Examples
    --------
    The store begins with the rows 0 and 3. Row 2 is nearer to 4 (class b) than to 0 and is added; the others are right.

    >>> model = CondensedNearestNeighbors()
    >>> model.fit_resample([[0], [1], [2.5], [4], [5]], ["a", "a", "a", "b", "b"])
    ([[0], [2.5], [4]], ['a', 'a', 'b'])
    >>> model.sample_indices_
    array([0, 2, 3])
    """

    start: Literal["each_class", "first"] | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default="each_class",
        check=_rows,
        doc="What the store begins with: the first row of each class in the order, the first row alone (as Hart), or "
        "the rows with these numbers.",
    )
    shuffle: bool = param(default=False, doc="Do rows come in a random order? Else as they stand.")
    random_state: int | np.random.RandomState | None = param(default=None, doc="Seed of that order.")

    iterative = False

    def _select(self, d: Design, codes: Array, trace: Trace) -> Array:
        self._seed_ = seed_from(self.random_state) if self.shuffle else 0
        order = np.arange(d.n_rows, dtype=np.int64)
        if self.shuffle:
            order = np.argsort(uniform(self._seed_, 0, d.n_rows), kind="stable").astype(np.int64)
        scale = reach_of(d)
        store, passes, judged = _core.condense(
            d.matrix,
            codes,
            order,
            self._first(d, codes, order),
            self.n_neighbors,
            KINDS.index(self.metric),
            scale,
            trace.record,
            self._threads,
        )
        self.added_, self.n_iter_ = store.astype(np.intp), passes
        if trace.record:
            trace.take(
                {"judgments": (["pass", "row", "nearest", "distance", "said", "added"], self._told(judged, scale))}
            )
        return store

    def _told(self, judged: Floats, scale: Floats | None) -> Floats:
        """Judgments with distances in the units of the table."""
        if self.metric == "euclidean":
            judged[:, 3] = np.sqrt(judged[:, 3])
        if scale is not None:
            judged[:, 3] /= scale[0]
        return judged

    def _first(self, d: Design, codes: Array, order: Array) -> Array:
        if not isinstance(self.start, str):
            rows = np.asarray(self.start, dtype=np.int64)
            wrong = rows[(rows < 0) | (rows >= d.n_rows)]
            if len(wrong):
                requirement = f"start must hold row numbers between 0 and {d.n_rows - 1}"
                raise ParameterError(format_message(d.who, requirement, actual=f"got {wrong[0]}"))
            return rows
        if self.start == "first":
            return order[:1]
        firsts = [int(np.argmax(codes[order] == k)) for k in range(len(self.classes_))]
        return np.asarray(order[np.sort(firsts)])
