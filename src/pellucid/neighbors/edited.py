"""Edited nearest neighbors: rows that their neighbors contradict are dropped."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, format_message, join_some, short_repr, warn
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design
from pellucid.estimator.trace import Trace
from pellucid.neighbors._prototypes import reach_of, vote
from pellucid.neighbors._selection import RowSelector, nearest_others

__all__ = ["EditedNearestNeighbors"]

_TOLD = 10_000  # rows of a round that are recorded


def _labels(value: Any) -> str | None:
    wrong = value is not None and any(label is None for label in np.asarray(value, dtype=object).ravel().tolist())
    return f"classes must be labels; got {short_repr(value)}" if wrong else None


class EditedNearestNeighbors(RowSelector):
    """Drops the rows whose nearest neighbors say another class: noise, and what overlaps at the borders.

    Every row x_i is classified by the `n_neighbors` rows nearest to it, itself left out, and dropped if that is not its
    class y_i. All rows are judged by the whole table, then dropped together (Wilson's editing). ``method="repeated"``
    edits what is left again, until nothing is dropped; ``"all_k"`` drops a row that 1, 2, ... or `n_neighbors`
    neighbors contradict (Tomek). ``agreement="all"`` keeps a row only if all its neighbors have its class.

    What is left has smooth borders: one nearest neighbor on it does about as well as many on the whole table. It stays
    large; `CondensedNearestNeighbors` after this one makes it small. Where a class is rare its rows have few
    neighbors of their own and vanish first: name the classes that may lose rows in `classes`.

    Give what `fit_resample` returns to `KNeighborsClassifier`, or let this model predict by the rows it kept. Prefer a
    larger `n_neighbors` there to editing here, where rows are needed as they are.

    Attributes
    ----------
    sample_indices_ : numbers of the kept rows, in order
    n_kept_ : how many they are
    dropped_in_ : for each row the round in which it was dropped, 0 for those kept
    n_iter_ : rounds made, with "repeated" the last one without a drop
    classes_ : the labels, sorted
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Among rows at the same distance the one with the smaller number counts as nearer; of classes with equally many votes
    the one with the nearest row wins. A class never loses its last rows: where a round would drop all that it has left,
    they stay, and a warning says so. imbalanced-learn's class of the same name spares the smallest class and asks all
    neighbors to agree; here that is ``agreement="all"`` with `classes`.

    References
    ----------
    Wilson: Asymptotic properties of nearest neighbor rules using edited data. IEEE Transactions on Systems, Man, and
    Cybernetics 2, 1972.
    Tomek: An experiment with the edited nearest-neighbor rule. The same, 6, 1976.

    Examples
    --------
    Row 2, of class b, lies among rows of class a: two of its three neighbors say a.

    >>> model = EditedNearestNeighbors()
    >>> X, y = [[0], [1], [2], [3], [8], [9], [10]], ["a", "a", "b", "a", "b", "b", "b"]
    >>> model.fit(X, y).sample_indices_
    array([0, 1, 3, 4, 5, 6])
    """

    n_neighbors: int = param(default=3, low=1, kw_only=False, doc="How many of the nearest other rows vote.")
    method: Literal["wilson", "repeated", "all_k"] = param(
        default="wilson", doc="Edit once; until nothing is dropped; or by 1, 2, ... n_neighbors neighbors at once."
    )
    agreement: Literal["majority", "all"] = param(
        default="majority", doc="Must most of the neighbors have the row's class, or all?"
    )
    classes: list | tuple | np.ndarray | None = param(  # type: ignore[type-arg]
        default=None, check=_labels, doc="Labels whose rows may be dropped; None: all."
    )
    max_iter: int = param(default=100, low=1, doc="Most rounds of 'repeated'.")

    def _select(self, d: Design, codes: Array, trace: Trace) -> Array:
        if self.n_neighbors >= d.n_rows:
            requirement = "n_neighbors must be below the number of rows"
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"got n_neighbors={self.n_neighbors} with n_samples = {d.n_rows}"
                )
            )
        may_go = self._may_go(codes)
        rows, scale = np.arange(d.n_rows), reach_of(d)
        self.dropped_in_ = np.zeros(d.n_rows, dtype=np.intp)
        self.n_iter_, spared = 0, set[int]()
        table = np.ascontiguousarray(d.numbers)
        for _ in range(self.max_iter if self.method == "repeated" else 1):
            if self.n_neighbors >= len(rows):
                break
            self.n_iter_ += 1
            neighbors = nearest_others(table[rows], self.n_neighbors, self.metric, scale, self._threads, d.who)
            keep = self._agree(codes[rows], codes[rows[neighbors[1]]]) | ~may_go[rows]
            keep = _spare(keep, codes[rows], len(self.classes_), spared)
            if trace.record:
                trace.take(self._told(rows, keep, *neighbors))
            self.dropped_in_[rows[~keep]] = self.n_iter_
            if keep.all():
                break
            rows = rows[keep]
        self._warn(d, spared)
        return rows

    def _may_go(self, codes: Array) -> Flags:
        if self.classes is None:
            return np.ones(len(codes), dtype=bool)
        known = self.classes_.tolist()
        wanted = np.asarray(self.classes).ravel().tolist()
        other = [label for label in wanted if label not in known]
        if other:
            actual = f"got {other[0]!r}; y has {short_repr(known)}"
            raise ParameterError(
                format_message(type(self).__name__, "classes must be labels that y has", actual=actual)
            )
        return np.isin(codes, [known.index(label) for label in wanted])

    def _agree(self, own: Array, near: Array) -> Flags:
        """Do the neighbors, nearest first, say the row's own class?"""
        if self.agreement == "all":
            return np.asarray((near == own[:, None]).all(axis=1))
        k, classes = near.shape[1], len(self.classes_)
        counts = range(1, k + 1) if self.method == "all_k" else [k]
        return np.asarray(np.all([vote(near[:, :some_], classes) == own for some_ in counts], axis=0))

    def _told(self, rows: Array, keep: Flags, distances: Floats, near: Array) -> Any:
        """What a round saw: one line a row."""
        k = near.shape[1]
        columns = ["round", "row", "kept", *(f"near_{j}" for j in range(k)), *(f"distance_{j}" for j in range(k))]
        lines = np.column_stack([np.full(len(rows), self.n_iter_), rows, keep, rows[near], distances])
        return {"rounds": (columns, lines[:_TOLD].astype(np.float64))}

    def _warn(self, d: Design, spared: set[int]) -> None:
        if spared:
            labels = join_some(repr(label) for label in self.classes_[sorted(spared)].tolist())
            requirement = "a class keeps its last rows"
            actual = f"all that were left of {labels} have neighbors of other classes"
            hint = "fewer neighbors, or classes=[...] without it"
            warn(format_message(d.who, requirement, actual=actual, hint=hint), PellucidWarning)


def _spare(keep: Flags, codes: Array, classes: int, spared: set[int]) -> Flags:
    """Rows of a class that would vanish stay."""
    for k in range(classes):
        own = codes == k
        if own.any() and not keep[own].any():
            keep = keep | own
            spared.add(k)
    return keep
