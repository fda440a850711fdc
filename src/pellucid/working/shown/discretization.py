"""The edges of each column's bins, and the bin of each value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import count, equal, floor, max_, min_, nth_smallest, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._cuts import show_cut
from pellucid.working.shown.scaling import MOST_COLUMNS, Column, _each_column

MOST_CUTS = 6
MOST_BINS = 12
_BETWEEN = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


@shows("KBinsDiscretizer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Edges of the bins"
    w.intro = _INTROS[model.strategy]
    rows = model._drawn_rows(len(data.X), data.weight)
    if rows is not None:
        w.note(f"Of {len(data.X):,} rows {len(rows):,} were drawn with replacement; the working is that of these.")
        drawn_axis = Axis("drawn row", (rows + 1).tolist(), "i", "n")
        drawn_targets = None if data.y is None else data.y[rows]
        data = replace(data, X=data.X[rows], y=drawn_targets, weight=None, row_axis=drawn_axis)
    _each_column(w, data, lambda c: _column(c, model, data))


_INTROS = {
    "uniform": "Bins of equal width between the smallest and the largest value.",
    "quantile": "Bins of equal frequency: the edges are quantiles.",
    "kmeans": "Edges half way between the centers of clusters.",
    "tree": "Cuts that tell most about the target, one after the other.",
}


def _column(c: Column, model: Any, data: Given) -> None:
    edges = model.bin_edges_[c.j]
    low = c.cell("low", min_(c.x), "a", "smallest value")
    high = c.cell("high", max_(c.x), "b", "largest value")
    if np.isinf(edges[0]):
        c.w.note(f"Column {c.name} is constant: it has one bin.")
        c.cell("bins", where(high > low, 2, 1), "k", "bins", model.n_bins_, "n_bins_")
        return
    if model.strategy == "tree":
        _tree(c, model, data)
        return
    n_bins = model.n_bins if np.ndim(model.n_bins) == 0 else model.n_bins[c.j]
    if model.strategy == "kmeans" or (model.strategy == "quantile" and c.weight is not None):
        (_kmeans if model.strategy == "kmeans" else _weighted)(c, model, edges, low, high)
        return
    axis = Axis("edge", range(int(n_bins) + 1), "e", "k")
    share = np.linspace(0, 100, int(n_bins) + 1) / 100
    p = c.w.given(f"p{c.tag}", share, axis, symbol=f"p{c.mark}", label="share of the way")
    formula = low + p * (high - low) if model.strategy == "uniform" else _quantile(c, model.quantile_method, p)
    all_ = c.w.cell(
        f"edge{c.tag}", formula, symbol=f"e{c.mark}", label="edge", scale=c.size,
        equals=edges if len(edges) == len(axis) else None, attribute=f"bin_edges_[{c.j}]",
    )  # fmt: skip
    if len(edges) == len(axis):
        return
    c.w.note("Edges that would end a bin of no width are left out.")
    values = np.asarray(all_.value)
    kept_edges = np.array([int(np.abs(values - edge).argmin()) + 1 for edge in edges], dtype=np.float64)
    kept_axis = Axis("edge", range(len(edges)), "e", "k")
    edge_numbers = c.w.given(
        f"place{c.tag}", kept_edges, kept_axis, symbol=f"r{c.mark}", label="edges that are kept, from 1"
    )
    c.w.cell(
        f"kept{c.tag}", nth_smallest(all_, edge_numbers), symbol=f"f{c.mark}", label="edge", equals=edges,
        attribute=f"bin_edges_[{c.j}]", scale=c.size,
    )  # fmt: skip


def _quantile(c: Column, method: str, p: Cell) -> Expr:
    """The value at a place among the ordered ones, counted from 1, between its two neighbors."""
    w, n = c.w, c.cell("n", count(c.x), "n", "number of values")
    if method == "linear":
        formula: Expr = 1 + (n - 1) * p
    elif method in _BETWEEN:
        alpha, beta = _BETWEEN[method]
        formula = n * p + alpha + p * (1 - alpha - beta)
    else:
        formula = n * p - 0.5 if method == "closest_observation" else n * p
    rank = w.cell(f"at{c.tag}", formula, symbol=f"t{c.mark}", label="place among the ordered values, from 1")
    whole_rank = w.cell(f"whole{c.tag}", floor(rank), symbol=f"s{c.mark}", label="whole places")
    fraction: Expr = rank - whole_rank
    if method == "averaged_inverted_cdf":
        fraction = where(equal(rank, whole_rank), 0.5, 1)
    elif method == "inverted_cdf":
        fraction = where(equal(rank, whole_rank), 0, 1)
    elif method == "closest_observation":
        even = where(equal(whole_rank, 2 * floor(whole_rank / 2)), 0, 1)
        fraction = where(equal(rank, whole_rank), even, 1)
    q = w.cell(f"part{c.tag}", fraction, symbol=f"q{c.mark}", label="share of the upper neighbor")
    last = float(len(c.axis))
    low_at = w.cell(f"low_at{c.tag}", _held(whole_rank, last), symbol=f"g{c.mark}", label="lower neighbor")
    high_at = w.cell(f"high_at{c.tag}", _held(whole_rank + 1, last), symbol=f"h{c.mark}", label="upper neighbor")
    below = w.cell(f"below{c.tag}", nth_smallest(c.x, low_at), symbol=f"u{c.mark}", label="its value")
    above = w.cell(f"above{c.tag}", nth_smallest(c.x, high_at), symbol=f"v{c.mark}", label="its value")
    return below + q * (above - below)


def _held(rank: Expr, last: float) -> Expr:
    return where(rank < 1, 1, where(rank > last, last, rank))


def _inside(c: Column, edges: Floats) -> Expr:
    """Which values lie in each bin, each as often as its weight; the last bin has its upper edge too."""
    axis = Axis("bin", range(len(edges) - 1), "b", "k")
    start = c.w.given(f"from{c.tag}", edges[:-1], axis, symbol=f"e{c.mark}", label="from")
    beyond = np.append(edges[1:-1], edges[-1] + abs(edges[-1]) + 1)
    stop = c.w.given(f"to{c.tag}", beyond, axis, symbol=f"f{c.mark}", label="to, without")
    return where(c.x >= start, where(c.x < stop, 1 if c.weight is None else c.weight, 0), 0)


def _weighted(c: Column, model: Any, edges: Floats, low: Cell, high: Cell) -> None:
    assert c.weight is not None
    c.w.note("With weights an edge is the smallest value up to which the weights make the share of the edge.")
    axis = Axis("edge", range(len(edges)), "e", "k")
    edge = c.w.given(f"edge{c.tag}", edges, axis, symbol=f"e{c.mark}", label="edge")
    all_ = c.cell("all", sum_(c.weight), "W", "sum of the weights")
    reached = sum_(where(c.x <= edge, c.weight, 0), c.axis)
    c.w.cell(f"reached{c.tag}", reached / all_, symbol=f"r{c.mark}", label="share of the weights up to it")
    short = sum_(where(c.x < edge, c.weight, 0), c.axis)
    c.w.cell(f"short{c.tag}", short / all_, symbol=f"s{c.mark}", label="share of the weights below it")
    c.cell("bins", count(edge) - 1, "k", "bins", model.n_bins_, "n_bins_")


def _kmeans(c: Column, model: Any, edges: Floats, low: Cell, high: Cell) -> None:
    centers = model._centers_[c.j]
    axis = Axis("cluster", range(1, len(centers) + 1), "k", "K")
    middle = c.w.given(f"center{c.tag}", centers, axis, symbol=f"c{c.mark}", label="center")
    inner = Axis("border", range(1, len(centers)), "e", "K - 1")
    lower = c.w.given(f"k{c.tag}", np.arange(1.0, len(centers)), inner, symbol=f"k{c.mark}", label="cluster below")
    borders = (centers[1:] + centers[:-1]) / 2
    between = (nth_smallest(middle, lower) + nth_smallest(middle, lower + 1)) / 2
    c.w.cell(
        f"edge{c.tag}", between, symbol=f"e{c.mark}", label="edge: half way to the next center", scale=c.size,
        equals=edges[1:-1] if len(borders) == len(edges) - 2 else None, attribute=f"bin_edges_[{c.j}]",
    )  # fmt: skip
    if len(borders) != len(edges) - 2:
        c.w.note("Edges that would end a bin of no width are left out.")
        first = c.w.given(f"first{c.tag}", float(edges[0]), symbol=f"f{c.mark}", label="first edge")
        c.w.check(first, low.value, f"bin_edges_[{c.j}]")
    inside = _inside(c, edges)
    size = c.w.cell(f"size{c.tag}", sum_(inside, c.axis), symbol=f"m{c.mark}", label="values in the bin")
    c.w.cell(
        f"mean{c.tag}", sum_(inside * c.x, c.axis) / where(size > 0, size, 1), symbol=rf"\bar{{x}}{c.mark}",
        label="their mean, near the center",
    )  # fmt: skip


def _tree(c: Column, model: Any, data: Given) -> None:
    cuts_made = model._made_[c.j]
    weight = data.weight
    there = np.ones(len(data.X), dtype=bool) if weight is None else weight > 0
    x, y = data.X[there, c.j], np.asarray(data.y)[there]
    y = (
        y.astype(np.float64)
        if y.dtype.kind == "f" and not model._labels_
        else np.array([str(value) for value in y.tolist()], dtype=object)
    )
    row_weight = None if weight is None else weight[there]
    of_all = float(len(x) if row_weight is None else row_weight.sum())
    cuts: list[float] = []
    for number, (_, cut, _, gain) in enumerate(cuts_made[:MOST_CUTS], start=1):
        low = max((value for value in cuts if value < cut), default=-np.inf)
        high = min((value for value in cuts if value > cut), default=np.inf)
        inside = (x >= low) & (x < high)
        c.w.step(f"Column {c.name}, cut {number}", _where_from(low, high))
        tag = f"{c.j + 1}_{number}"
        show_cut(
            c.w,
            tag,
            c.name,
            x[inside],
            y[inside],
            None if row_weight is None else row_weight[inside],
            cut,
            gain,
            of_all,
        )
        cuts.append(float(cut))
    if len(cuts_made) > MOST_CUTS:
        c.w.note(f"The last {len(cuts_made) - MOST_CUTS} cuts of a column are not shown.")
    if not len(cuts_made):
        c.w.note(f"Column {c.name} has one bin: no cut tells anything about the target.")
        c.cell("bins", count(c.x) / count(c.x), "k", "bins", model.n_bins_, "n_bins_")


def _where_from(low: float, high: float) -> str:
    if np.isinf(low) and np.isinf(high):
        return "All rows: where the target is told apart best."
    if np.isinf(low):
        return f"Of all intervals this one gains most by a cut: values below {high:.6g}."
    if np.isinf(high):
        return f"Of all intervals this one gains most by a cut: values from {low:.6g}."
    return f"Of all intervals this one gains most by a cut: values from {low:.6g} to below {high:.6g}."


# ------------------------------------------------------------------------------------------------------------ transform


@shows("KBinsDiscretizer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "The bin of each value"
    w.intro = "How many inner edges are at most the value: that is the number of its bin, counted from 0."
    transformed = model.transform(data.table)
    transformed = np.asarray(
        transformed.toarray() if hasattr(transformed, "toarray") else transformed, dtype=np.float64
    )
    first = np.cumsum(model.n_bins_) - model.n_bins_
    for j in range(min(len(data.names), MOST_COLUMNS)):
        tag, name = f"_{j + 1}", data.names[j]
        w.step(f"Column {name}", "Its values, and the inner edges of its bins.")
        x = w.given(f"x{tag}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
        cuts = model.bin_edges_[j][1:-1]
        formula: Expr = 0 * x  # one bin: no edge is reached
        for k, cut in enumerate(cuts, start=1):
            e = w.given(f"e{tag}_{k}", float(cut), symbol=f"e_{{{j + 1},{k}}}", label=f"edge {k}")
            step = where(x >= e, 1, 0)
            formula = step if k == 1 else formula + step
        ordinal = model.encode == "ordinal"
        numbers = (
            transformed[:, j] if ordinal else transformed[:, first[j] : first[j] + model.n_bins_[j]].argmax(axis=1)
        )
        z = w.cell(
            f"z{tag}", formula, symbol=f"z_{{{j + 1}}}", label=f"bin of {name}", equals=numbers.astype(np.float64),
            attribute="transform(X)",
        )  # fmt: skip
        if ordinal:
            continue
        for i in range(min(int(model.n_bins_[j]), MOST_BINS)):
            w.cell(
                f"one{tag}_{i}", where(equal(z, i), 1, 0), symbol=f"o_{{{j + 1},{i}}}", label=f"is it bin {i}?",
                equals=transformed[:, first[j] + i], attribute="transform(X)",
            )  # fmt: skip
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The last {len(data.names) - MOST_COLUMNS} columns are not shown.")
