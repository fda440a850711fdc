"""Correlations of all pairs of columns, and which column stays of a pair."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.feature_selection.correlation import ranks
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr, expr
from pellucid.working.language import absolute, mean, sqrt, sum_, where
from pellucid.working.model import Working

MOST_COLUMNS = 6


@shows("CorrelationFilter.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns that say the same"
    w.intro = "Of two columns that are correlated above a threshold one stays."
    table = np.asarray(ranks(data.X) if model.method == "spearman" else data.X)
    n_shown = min(table.shape[1], MOST_COLUMNS)
    ranked = model.method == "spearman"
    what = (
        "Each value's place among the ordered ones (equal values share the mean of their places)"
        if ranked
        else "The values"
    )
    w.step("Deviations", f"{what}, less their mean.")
    apart = [_deviations(w, data, table[:, j], j, ranked) for j in range(n_shown)]
    if model.keep == "target" and data.y is not None:
        apart.append(_target(w, model, data))
    w.step("Sums of products", "Of every column with itself.")
    square = [w.cell(f"S_{j + 1}", sum_(d**2), symbol=f"S_{{{j + 1}}}", label="sum of squares") for j, d in
              enumerate(apart)]  # fmt: skip
    w.step("Correlations", "Sum of products of two columns, over the root of their own.")
    correlations: dict[tuple[int, int], Cell] = {}
    for j, k in combinations(range(n_shown), 2):
        r = _pair(w, model.correlation_[j, k], apart, square, j, k, f"correlation_[{j}, {k}]")
        if r is not None:
            correlations[j, k] = r
    if len(apart) > n_shown:
        for j in range(n_shown):
            expected = model.target_correlation_[j] if np.ptp(table[:, j]) else np.nan
            _pair(w, expected, apart, square, j, n_shown, f"target_correlation_[{j}]")
    if table.shape[1] > n_shown:
        w.note(f"The last {table.shape[1] - n_shown} columns are not shown.")
    if model.keep == "least_redundant" and table.shape[1] <= MOST_COLUMNS:
        _redundancy(w, data, correlations, n_shown)
    _choice(w, model, data, correlations)


def _redundancy(w: Working, data: Given, correlations: dict[tuple[int, int], Cell], n_shown: int) -> None:
    w.step("Mean |r|", "Of each column with the others: the columns with the smallest are taken first.")
    for j in range(n_shown):
        sizes = [absolute(r) for pair, r in correlations.items() if j in pair]
        if sizes:
            w.cell(f"mean_{j + 1}", reduce(add, sizes) / float(len(sizes)), symbol=f"a_{{{j + 1}}}",
                   label=f"mean |r| of {data.names[j]}")  # fmt: skip


def _deviations(w: Working, data: Given, values: Floats, j: int, ranked: bool) -> Cell:
    if ranked:
        w.given(f"v_{j + 1}", data.X[:, j], data.row_axis, symbol=f"v_{{{j + 1}}}", label=data.names[j])
    label = f"place of {data.names[j]}" if ranked else data.names[j]
    x = w.given(f"x_{j + 1}", values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=label)
    apart: Expr = x - mean(x)
    size = float(np.ptp(values))
    if size > 0 and not 1e-100 < size < 1e100:  # their squares would be no numbers
        unit = w.given(f"u_{j + 1}", 10.0 ** np.floor(np.log10(size)), symbol=f"U_{{{j + 1}}}", label="unit")
        apart = apart / unit
    return w.cell(f"d_{j + 1}", apart, symbol=f"d_{{{j + 1}}}", label=f"{data.names[j]}, less its mean")


def _target(w: Working, model: Any, data: Given) -> Cell:
    y = np.asarray(data.options["y"], dtype=np.float64)
    values = ranks(y[:, None])[:, 0] if model.method == "spearman" else y
    cell = w.given("y", values, data.row_axis, symbol="y", label="target")
    return w.cell("d_y", cell - mean(cell), symbol="d_y", label="target, less its mean")


def _pair(
    w: Working, expected: float, apart: list[Cell], square: list[Cell], j: int, k: int, attribute: str
) -> Cell | None:
    if np.isnan(expected):
        w.note("A constant column has no correlation.")
        return None
    return w.cell(
        f"r_{j + 1}_{k + 1}", sum_(apart[j] * apart[k]) / sqrt(square[j] * square[k]), symbol=f"r_{{{j + 1},{k + 1}}}",
        label="correlation", equals=expected, attribute=attribute, scale=1.0,
    )  # fmt: skip


def _choice(w: Working, model: Any, data: Given, correlations: dict[tuple[int, int], Cell]) -> None:
    order = {"first": "as they stand", "target": "the one most correlated with the target first",
             "least_redundant": "the one with the smallest mean |r| first"}[model.keep]  # fmt: skip
    w.step("Choice", f"Columns are taken in an order, {order}; one too near to a column that stays is left out.")
    bar = w.given("threshold", float(model.threshold), symbol="t", label="threshold")
    support = model.get_support().astype(np.float64)
    close = np.abs(np.abs(model.correlation_) - model.threshold) < 1e-9  # rounding decides
    if len(data.names) > MOST_COLUMNS or model.threshold >= 1 or close.any():
        w.given("stays", support, data.column_axis, symbol="s", label="stays")
        return
    stays: dict[int, Cell] = {}
    for j in model._order().tolist():
        near = [
            stays[k] * where(absolute(correlations[min(j, k), max(j, k)]) > bar, 1, 0)
            for k in stays
            if (min(j, k), max(j, k)) in correlations
        ]
        name, symbol = data.names[j], f"s_{{{j + 1}}}"
        options = {
            "symbol": symbol,
            "label": f"{name}: 1 stays, 0 goes",
            "equals": support[j],
            "attribute": "get_support()",
        }
        if near:
            c = w.cell(f"near_{j + 1}", reduce(add, near), symbol=f"c_{{{j + 1}}}", label=f"columns too near to {name}")
            stays[j] = w.cell(f"stays_{j + 1}", where(c > 0, 0, 1), **options)
        else:
            stays[j] = w.cell(f"stays_{j + 1}", expr(1), **options)
    if not model.dropped_:
        w.note("No two columns are correlated above the threshold: all stay.")
