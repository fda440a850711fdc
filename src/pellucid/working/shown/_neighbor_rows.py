"""What the workings of neighbor estimators share: the distances of one row, and its neighbors in order."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import DataError
from pellucid.base.types import Array, Floats
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.index import Found
from pellucid.neighbors._distances import OF_TEXTS, PRECOMPUTED
from pellucid.neighbors._measures import Mixed
from pellucid.neighbors._questions import Queries
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import equal, lookup, rank, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._neighbor_distances import (
    MOST_WIDE,
    Asked,
    columns_of,
    distances,
    laid_out,
)

MOST_ROWS = 60  # fitted rows of which every distance is laid out
MOST_NEAR = 12  # of a larger table
MOST_NEIGHBORS = 200
MOST_ASKED = 3
ROUNDING = 1e-13  # distances nearer to each other are told apart by their last digits alone
APPROXIMATE = ("lsh", "graph", "lists")

Search = Callable[[Any, Queries], tuple[Array, Floats]]


@dataclass
class Near:
    """The neighbors of one row on a page, nearest first: their distances and, where they have one, their targets."""

    axis: Axis
    distance: Cell
    target: Cell | None
    row_weight: Cell | None
    tag: str
    row: int


def plain(values: Array) -> Array:
    """Labels as a page has them: words, or numbers."""
    return values if values.dtype.kind in "OUT" else values.astype(np.float64)


def targets_of(model: Any, target: int) -> Array | None:
    """The target of each fitted row; None for estimators without one."""
    if hasattr(model, "_codes_"):
        return plain(np.asarray(model._labels[target])[model._codes_[target]])
    return np.asarray(model._y_[:, target]) if hasattr(model, "_y_") else None


def dense(rows: Any) -> Any:
    """Rows of an index as an array."""
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)


# --------------------------------------------------------------------------------------------------------------- asking


class Page:
    """The fitted rows beside the rows that are asked about: one table for all of them where they are few."""

    def __init__(self, w: Working, model: Any, data: Given, search: Search) -> None:
        self.w, self.model, self.data, self.search = w, model, data, search
        self.asked = model._queries(model._validate_predict(data.table))
        self.rows = model._fitted_rows
        self.n = model.n_samples_fit_
        self.targets = targets_of(model, data.target)
        self.weight = getattr(model, "_row_weight_", None)
        self.words = model.schema_.categories if isinstance(model.distance_.measure, Mixed) else {}
        self.is_numbers = model.metric not in OF_TEXTS and model.metric != PRECOMPUTED
        self.whole: Listed | None = None

    def each(self) -> list[int]:
        """The rows that are asked about."""
        return self.data.rows or list(range(min(self.asked.n, MOST_ASKED)))

    def begin(self) -> None:
        """The table of fitted rows, where every query sees all of them."""
        if self.n <= MOST_ROWS and self.asked.own is None:
            self.w.step("Fitted rows", "Numbered from 1, in the order in which the model was given them.")
            self.whole = self.listed(np.arange(self.n), "")
        if self.model.distance_.centered:
            self.w.note("Each row is brought to mean 0 first.")

    def listed(self, rows: Array, tag: str) -> Listed:
        """Some fitted rows as a table."""
        w, axis = self.w, Axis("row", (rows + 1).tolist(), "i", "n")
        text = "number" if len(rows) == self.n else "place in this list"
        at = w.given(f"{tag}at", np.arange(1.0, len(rows) + 1), axis, symbol="a", label=text)
        number = at if len(rows) == self.n else w.given(f"{tag}row", rows + 1.0, axis, symbol="r", label="row")
        x: list[Cell] = []
        has: list[Cell | None] = []
        if self.is_numbers and self.rows.shape[1] <= MOST_WIDE:
            table = dense(self.rows[rows]).astype(np.float64)
            x, has = columns_of(w, table, axis, self.data.names, self.words, tag)
        elif self.model.metric in OF_TEXTS:
            w.given(f"{tag}x", np.array([str(t) for t in self.rows[rows]], dtype=object), axis, symbol="x",
                    label="text")  # fmt: skip
        y = None
        if self.targets is not None:
            y = w.given(f"{tag}y", self.targets[rows], axis, symbol="y", label="target")
        weight = None
        if self.weight is not None:
            weight = w.given(f"{tag}weight", self.weight[rows], axis, symbol="w", label="weight of the row")
        return Listed(axis, rows, at, number, x, has, y, weight)

    def ask(self, number: int, i: int) -> Near | None:
        """One row: its distances and its neighbors."""
        w, model, tag = self.w, self.model, f"q{number}_"
        title = f"Row {i}"
        query = self.asked.take(np.array([i]))
        neighbors, apart = self.search(model, query)
        if len(neighbors) == 0:
            w.step(title, "No fitted row is near enough.")
            return None
        if len(neighbors) > MOST_NEIGHBORS:
            return self._given(title, tag, i, neighbors, apart)
        rows_shown, far = self._beside(query, neighbors, apart)
        few = len(rows_shown) < self.n - (query.own is not None)
        text = "The distance of every fitted row"
        if few:
            text = f"Of {self.n} fitted rows the {len(rows_shown)} nearest, nearest first; the others are not shown"
            w.note("Fitted rows are numbered from 1, in the order in which the model was given them.")
        w.step(f"{title}: distances", f"{text}.")
        listed = self.whole if self.whole is not None and not few else self.listed(rows_shown, tag)
        d = self._distance(query, listed, far, tag)
        return self._neighbors(title, tag, i, listed, d, far, neighbors, apart)

    def _given(self, title: str, tag: str, i: int, neighbors: Array, apart: Floats) -> Near:
        """Many neighbors: listed, not worked out."""
        w = self.w
        w.step(f"{title}: neighbors", f"{len(neighbors)} fitted rows, nearest first; distances are not laid out.")
        w.note("Fitted rows are numbered from 1, in the order in which the model was given them.")
        axis = Axis("neighbor", range(1, len(neighbors) + 1), "k", "K")
        w.given(f"{tag}neighbor", neighbors + 1.0, axis, symbol="r", label="row")
        e = w.given(f"{tag}e", apart, axis, symbol="e", label="distance")
        w.check(e, apart, "distances")
        y = None
        if self.targets is not None:
            y = w.given(f"{tag}t", self.targets[neighbors], axis, symbol="y", label="target")
        weight = None
        if self.weight is not None:
            weight = w.given(f"{tag}v", self.weight[neighbors], axis, symbol="v", label="weight of the row")
        return Near(axis, e, y, weight, tag, i)

    def _beside(self, query: Queries, neighbors: Array, apart: Floats) -> tuple[Array, Floats]:
        """The rows that are laid out, and their distances as the model has them."""
        n_available = self.n - (query.own is not None)
        n_wanted = n_available if self.n <= MOST_ROWS else min(n_available, max(len(neighbors) + 3, MOST_NEAR))
        near = self._ordered(query, n_wanted)
        distance_of = dict(zip(near.rows[0].tolist(), near.distances[0].tolist(), strict=True))
        distance_of.update(zip(neighbors.tolist(), apart.tolist(), strict=True))
        rows = np.array(
            sorted(distance_of) if self.n <= MOST_ROWS else sorted(distance_of, key=lambda r: (distance_of[r], r))
        )
        return rows, np.array([distance_of[row] for row in rows.tolist()])

    def _ordered(self, query: Queries, n_wanted: int) -> Found:
        """The nearest rows of all, whatever an approximate index finds."""
        model = self.model
        if model.algorithm_ in APPROXIMATE:
            nearest = BruteIndex(self.rows, model.distance_.metric).nearest(query.rows, n_wanted, 1)
            return Found(nearest.distances**2, nearest.rows) if model.distance_.squared else nearest
        try:
            return model._nearest(query, n_wanted)  # type: ignore[no-any-return]
        except DataError:  # some rows have no column in common with this one
            rows, apart = self.search(model, query)
            return Found(apart[None], rows[None])

    def _distance(self, query: Queries, listed: Listed, far: Floats, tag: str) -> Cell:
        w, how = self.w, self.model.distance_
        row = dense(query.rows).ravel()
        if not (self.is_numbers and listed.x):
            if self.model.metric in OF_TEXTS:
                w.given(f"{tag}q", str(row[0]), symbol="q", label="text")
            return self._told(listed, far, tag)
        table = dense(self.rows[listed.rows]).astype(np.float64)
        row = row.astype(np.float64)
        if not laid_out(how, table, row):
            return self._told(listed, far, tag)
        compared = Asked(row, table, self.data.names, self.words, tag)
        d = distances(w, how, compared, listed.axis, listed.x, listed.has)
        single = getattr(self.rows, "dtype", None) == np.float32
        w.check(d, far, "distances", tolerance=1e-5 if single else 1e-9, scale=self._scale(table, row))
        return d

    def _told(self, listed: Listed, far: Floats, tag: str) -> Cell:
        """Distances as the model has them: by a function, of many columns, or of numbers out of range."""
        self.w.note("Distances that are no formula of a few columns are given, not laid out.")
        d = self.w.given(f"{tag}d", far, listed.axis, symbol="d", label="distance")
        self.w.check(d, far, "distances")
        return d

    def _scale(self, table: Floats, row: Floats) -> float:
        how = self.model.distance_
        largest = max(float(np.nanmax(np.abs(table), initial=0.0)), float(np.nanmax(np.abs(row), initial=0.0)))
        if how.metric is not None and how.metric.kind in ("cosine", "tanimoto", "haversine"):
            return 1.0
        grown = 1.0
        if how.metric is not None:
            for factor in (how.metric.stretch, how.metric.turn):
                grown = grown if factor is None else float(np.abs(factor).max())
        return float((largest * grown) ** 2 if how.squared else largest * grown)

    # ------------------------------------------------------------------------------------------------------ neighbors

    def _neighbors(
        self, title: str, tag: str, i: int, listed: Listed, d: Cell, far: Floats, neighbors: Array, apart: Floats
    ) -> Near:
        w, k = self.w, len(neighbors)
        position_of = {int(row): at for at, row in enumerate(listed.rows)}
        at = np.array([position_of[int(row)] for row in neighbors])
        order = self._order(listed, d, far, at, tag)
        w.step(f"{title}: neighbors", self._sentence(k))
        if not hasattr(self.model, "n_neighbors"):
            self._inside(k, tag, d, far)
        axis = Axis("neighbor", range(1, k + 1), "k", "K")
        number = w.given(f"{tag}k", np.arange(1.0, k + 1), axis, symbol="k", label="neighbor")
        spot = sum_(where(equal(order, number), listed.at, 0), listed.axis)
        text = "row" if listed.number is listed.at else "place in the list"
        where_ = w.cell(f"{tag}place", spot, symbol="b", label=text, equals=at + 1.0, attribute="kneighbors(X)")
        if listed.number is not listed.at:
            w.cell(f"{tag}neighbor", lookup(listed.number, where_), symbol="r", label="row", equals=neighbors + 1.0,
                   attribute="kneighbors(X)")  # fmt: skip
        e = self._distances_of(d, where_, at, apart, axis, tag)
        y = weight = None
        if listed.y is not None:
            assert self.targets is not None
            y = w.cell(f"{tag}t", lookup(listed.y, where_), symbol="y", label="target", equals=self.targets[neighbors],
                       attribute="targets of the neighbors")  # fmt: skip
        if listed.weight is not None:
            weight = w.cell(f"{tag}v", lookup(listed.weight, where_), symbol="v", label="weight of the row")
        return Near(axis, e, y, weight, tag, i)

    def _distances_of(self, d: Cell, where_: Cell, at: Array, apart: Floats, axis: Axis, tag: str) -> Cell:
        w, formula = self.w, np.asarray(d.value)[at]
        if np.allclose(formula, apart, rtol=1e-10, atol=0):
            return w.cell(f"{tag}e", lookup(d, where_), symbol="e", label="distance", equals=apart,
                          attribute="kneighbors(X)")  # fmt: skip
        w.note("Of distances that are little more than rounding the model's own are used.")
        e = w.given(f"{tag}e", apart, axis, symbol="e", label="distance")
        w.check(e, apart, "kneighbors(X)")
        return e

    def _order(self, listed: Listed, d: Cell, far: Floats, at: Array, tag: str) -> Cell:
        """The place of each row when they are sorted by distance, of equals the earlier first."""
        w, values, k = self.w, np.asarray(d.value, dtype=np.float64), len(at)
        remaining = np.setdiff1d(np.lexsort((listed.rows, far)), at, assume_unique=True)
        remaining = remaining[np.lexsort((listed.rows[remaining], far[remaining]))]
        want = np.empty(len(far))
        want[np.concatenate([at, remaining])] = np.arange(1.0, len(far) + 1)
        style: dict[str, Any] = {"symbol": "o", "label": "place by distance"}
        if not _same_order(values, listed.rows, want, k):
            w.note("Rows whose distances differ by rounding, or that the index found first, come in the model's order.")
            return w.given(f"{tag}o", want, listed.axis, **style)
        formula: Expr = rank(d)
        plain_rank = np.searchsorted(np.sort(values), values) + 1.0
        if not np.array_equal(plain_rank[want <= k], want[want <= k]) or (plain_rank[want > k] <= k).any():
            w.note("Of rows at equal distances the one with the smaller number comes first.")
            shared = w.cell(f"{tag}rank", formula, symbol="p", label="place, shared by equals")
            key = shared + listed.number / (self.n + 1)
            sorted_by = w.cell(f"{tag}key", key, symbol="s", label="place, and behind the point the row's number")
            formula = rank(sorted_by)
        order = w.cell(f"{tag}o", formula, **style)
        w.check(order, np.where(want <= k, want, np.asarray(order.value)), "the order of kneighbors(X)")
        return order

    def _sentence(self, k: int) -> str:
        """How many count, and why."""
        model = self.model
        if not hasattr(model, "n_neighbors"):
            return f"The rows within {float(model.radius):g}, nearest first: {k}."
        if getattr(model, "include_equal", False):
            return f"The {model.n_neighbors} nearest rows, and those as near as the last of them: {k}."
        if k > model.n_neighbors and getattr(model, "ties", "") == "expand":
            return f"The vote of {model.n_neighbors} is tied, and more are asked until one class leads: {k}."
        return "The nearest row." if k == 1 else f"The {k} nearest rows, nearest first."

    def _inside(self, k: int, tag: str, d: Cell, far: Floats) -> None:
        """How many rows lie within the radius, unless rounding decides it."""
        bound, values = float(self.model.radius), np.asarray(d.value)
        if np.abs(values - bound).min() > ROUNDING * bound or np.array_equal(values, far):
            radius = self.w.given(f"{tag}radius", bound, symbol="R", label="radius")
            self.w.cell(f"{tag}inside", sum_(where(d <= radius, 1, 0)), symbol="K", label="rows within it",
                        equals=float(k), attribute="radius_neighbors(X)")  # fmt: skip


@dataclass
class Listed:
    """Fitted rows as a table of a page."""

    axis: Axis
    rows: Array
    at: Cell
    number: Cell
    x: list[Cell]
    has: list[Cell | None]
    y: Cell | None
    weight: Cell | None


def _same_order(values: Floats, rows: Array, want: Floats, k: int) -> bool:
    """Do the page's distances give the model's order, with no two that differ in their last digits alone?"""
    order = np.lexsort((rows, values))
    sorted_ = values[order]
    steps = np.diff(sorted_[: k + 1])
    scale = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    return bool(
        np.array_equal(want[order[:k]], np.arange(1.0, k + 1))
        and not ((steps > 0) & (steps <= ROUNDING * scale)).any()
        and np.isfinite(values).all()
    )


def answers(model: Any, data: Given, method: str = "predict") -> Any:
    """What the model says of all rows, asked once; what there is to warn of, it says when it is asked itself."""
    if f"said by {method}" not in data.options:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data.options[f"said by {method}"] = getattr(model, method)(data.table)
    return data.options[f"said by {method}"]
