"""The quantiles of each column, and each value's place among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import count, equal, floor, lookup, normal_quantile, nth_smallest, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown.power import Later, each_later
from pellucid.working.shown.scaling import MOST_COLUMNS

MOST_ORDERED = 500  # values that are put in order by formula


@shows("QuantileTransformer.fit")
def quantile_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Quantiles"
    w.intro = "The values of a column in order, and those at equal distances from the first to the last."
    if hasattr(data.table, "tocsc"):
        left_out = "are left out" if model.ignore_implicit_zeros else "are values like others"
        w.note(f"Zeros that are not stored {left_out}.")
    rows = _drawn(model, data)
    if len(rows) < len(data.row_axis):
        w.note(f"The quantiles are those of {len(rows)} of the {len(data.row_axis)} rows, drawn at random.")
    for j in range(min(len(data.names), MOST_COLUMNS)):
        _quantiles(w, model, data, j, rows)
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The last {len(data.names) - MOST_COLUMNS} columns are not shown.")


def _drawn(model: Any, data: Given) -> Array:
    """The rows that the fit looked at, in the order of the table."""
    random = np.random.RandomState()
    random.set_state(model._drawn_from_)
    rows = model._draw(len(data.row_axis), random) if not hasattr(data.table, "tocsc") else np.empty(0)
    return np.sort(rows) if len(rows) else np.arange(len(data.row_axis))


def _quantiles(w: Working, model: Any, data: Given, j: int, rows: Array) -> None:
    name, several = data.names[j], len(data.names) > 1
    tag, mark = (f"_{j + 1}", f"_{{{j + 1}}}") if several else ("", "")
    values = data.X[rows, j]
    if model.ignore_implicit_zeros and hasattr(data.table, "tocsc"):
        values = np.where(values == 0, np.nan, values)
    there = ~np.isnan(values)
    left_out = int((~there).sum())
    w.step(f"Column {name}", f"Its values; rows without one are left out: {left_out}." if left_out else "Its values.")
    if not there.any():
        w.note(f"Column {name} has no values: there is nothing to work out.")
        return
    axis = Axis("row", (rows[there] + 1).tolist(), "i", "n")
    x = w.given(f"x{tag}", values[there], axis, symbol=f"x{mark}", label=name)
    n = w.cell(f"n{tag}", count(x), symbol=f"n{mark}", label="number of values")
    ordered = _in_order(w, x, name, tag, mark)
    w.step(f"Quantiles of {name}", "The value at the place of each share, between its two neighbors in proportion.")
    shares = Axis("share", range(1, model.n_quantiles_ + 1), "k", "m")
    r = w.given(f"share{tag}", model.references_, shares, symbol="r", label="share")
    rank = w.cell(f"place{tag}", 1 + (n - 1) * r, symbol=f"p{mark}", label="place")
    whole_rank = w.cell(f"whole{tag}", floor(rank), symbol=f"w{mark}", label="whole places")
    after = w.cell(f"after{tag}", where(whole_rank < n, whole_rank + 1, n), symbol=f"v{mark}", label="the next")
    below = lookup(ordered, whole_rank)
    w.cell(
        f"quantile{tag}", below + (rank - whole_rank) * (lookup(ordered, after) - below), symbol=f"q{mark}",
        label="quantile", equals=_wanted(model, data, j), attribute=f"quantiles_[:, {j}]",
        scale=float(np.abs(values[there]).max()),
    )  # fmt: skip


def _wanted(model: Any, data: Given, j: int) -> Floats | None:
    """The model's quantiles; none where only a part of a sparse column was looked at."""
    sparse = hasattr(data.table, "tocsc")
    stored = int((data.X[:, j] != 0).sum())
    some = sparse and model.subsample is not None and stored > model.subsample
    return None if some else np.asarray(model.quantiles_[:, j])


def _in_order(w: Working, x: Cell, name: str, tag: str, mark: str) -> Cell:
    values = np.asarray(x.value)
    w.step(f"Column {name} in order", "The values from the smallest to the largest.")
    rank_axis = Axis("place", range(1, len(values) + 1), "k", "n")
    if len(values) > MOST_ORDERED:
        return w.given(f"ordered{tag}", np.sort(values), rank_axis, symbol=f"o{mark}", label="value at place k")
    k = w.given(f"k{tag}", np.arange(1.0, len(values) + 1), rank_axis, symbol="k", label="place")
    return w.cell(f"ordered{tag}", nth_smallest(x, k), symbol=f"o{mark}", label="value at place k")


# ------------------------------------------------------------------------------------------------------------ transform


@shows("QuantileTransformer.transform")
def quantile_transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Places among the quantiles"
    w.intro = "Between the shares of the two quantiles around a value; in the middle of those that equal it."
    sparse = hasattr(data.table, "tocsc")

    def show(c: Later, transformed: Array) -> None:
        if np.isnan(model.quantiles_[:, c.j]).any():
            w.note(f"Column {c.name} had no values in the fit: it has no places.")
            return
        formula = _place(c, model)
        c.result(where(equal(c.x, 0), 0, formula) if sparse else formula, model.output_distribution, transformed)

    each_later(w, model, data, show)
    if sparse:
        w.note("Zeros that are not stored stay zeros.")


def _without_rounding(quantiles: Floats, x: Floats) -> Floats:
    """The quantiles, those that are a value of x but for rounding made so: a spreadsheet takes them for equal."""
    adjusted = np.array(quantiles, dtype=float)
    distinct = np.unique(x)
    at = np.clip(np.searchsorted(distinct, adjusted), 1, len(distinct)) - 1
    for near in (distinct[at], distinct[np.minimum(at + 1, len(distinct) - 1)]):
        close = np.abs(near - adjusted) <= 1e-13 * np.abs(adjusted)
        apart = np.diff(adjusted, prepend=-np.inf, append=np.inf) > 1e-9 * np.abs(near).max()
        alone = apart[:-1] & apart[1:]
        adjusted = np.where(close & alone, near, adjusted)
    return adjusted


def _place(c: Later, model: Any) -> Expr:
    values = _without_rounding(model.quantiles_[:, c.j], np.asarray(c.x.value, dtype=float))
    m = len(values)
    axis = Axis("quantile", range(1, m + 1), "k", "m")
    q = c.w.given(f"quantile{c.tag}", values, axis, symbol=f"q{c.mark}", label="quantile")
    r = c.w.given(f"share{c.tag}", model.references_, axis, symbol="r", label="its share")

    up = c.cell("up", sum_(where(q <= c.x, 1, 0), axis), "a", "quantiles that are not above it")
    under = c.cell("under", sum_(where(q < c.x, 1, 0), axis), "u", "quantiles below it")
    f = c.cell("before", where(up < 1, 1, up), "f", "place of the last that is not above it")
    b = c.cell("behind", where(under < m, under + 1, m), "b", "place of the first that is not below it")
    low, high = lookup(q, f), lookup(q, b)
    fraction = c.cell("way", where(high > low, (c.x - low) / (high - low), 0.5), "h", "share of the way between them")
    between = lookup(r, f) + fraction * (lookup(r, b) - lookup(r, f))
    last = float(model.references_[-1])
    first = c.given("first", float(values[0]), "s", "smallest quantile")
    top = c.given("last", float(values[-1]), "t", "largest quantile")
    inside = where(c.x <= first, 0, where(c.x >= top, last, between))
    if model.output_distribution == "uniform":
        return inside
    u = c.cell("u", inside, "p", "place from 0 to 1")
    c.w.note("A normal number at place 0 or 1 would be infinite: places are held a ten-millionth away from both.")
    margin, lowest, highest = model._normal().tolist()
    low = c.given("low", lowest, "L", "normal number at a ten-millionth")
    high = c.given("high", highest, "U", "normal number at one less a ten-millionth")
    e = c.given("margin", margin, r"\epsilon", "what counts as an end")
    z = c.cell("normal", where(u <= 0, low, where(u >= 1, high, normal_quantile(u))), "y", "normal number at the place")
    clipped = c.cell("held", where(z < low, low, where(z > high, high, z)), "v", "held between both ends")
    return where(c.x - e < first, low, where(c.x + e > top, high, clipped))
