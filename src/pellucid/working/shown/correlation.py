"""Correlations of all pairs of columns, and which column stays of a pair."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.feature_selection.correlation import ranks
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell
from pellucid.working.language import absolute, mean, sqrt, total, where
from pellucid.working.model import Working

MOST_COLUMNS = 6


@shows("CorrelationFilter.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns that say the same"
    w.intro = "Of two columns that are correlated above a threshold one stays."
    table = np.asarray(ranks(data.X) if model.method == "spearman" else data.X)
    shown = min(table.shape[1], MOST_COLUMNS)
    what = "The ranks of its values" if model.method == "spearman" else "The values"
    w.step("Deviations", f"{what}, less their mean.")
    apart = [_deviations(w, data, table[:, j], j) for j in range(shown)]
    if model.keep == "target" and data.y is not None:
        apart.append(_target(w, model, data))
    w.step("Sums of products", "Of every column with itself.")
    square = [w.cell(f"S_{j + 1}", total(d**2), symbol=f"S_{{{j + 1}}}", label="sum of squares") for j, d in
              enumerate(apart)]  # fmt: skip
    w.step("Correlations", "Sum of products of two columns, over the root of their own.")
    for j, k in combinations(range(shown), 2):
        _pair(w, model.correlation_[j, k], apart, square, j, k, f"correlation_[{j}, {k}]")
    if len(apart) > shown:
        for j in range(shown):
            wanted = model.target_correlation_[j] if np.ptp(table[:, j]) else np.nan
            _pair(w, wanted, apart, square, j, shown, f"target_correlation_[{j}]")
    if table.shape[1] > shown:
        w.note(f"The last {table.shape[1] - shown} columns are not shown.")
    _choice(w, model, data)


def _deviations(w: Working, data: Given, values: Floats, j: int) -> Cell:
    x = w.given(f"x_{j + 1}", values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
    return w.cell(f"d_{j + 1}", x - mean(x), symbol=f"d_{{{j + 1}}}", label=f"{data.names[j]}, less its mean")


def _target(w: Working, model: Any, data: Given) -> Cell:
    y = np.asarray(data.options["y"], dtype=np.float64)
    values = ranks(y[:, None])[:, 0] if model.method == "spearman" else y
    cell = w.given("y", values, data.row_axis, symbol="y", label="target")
    return w.cell("d_y", cell - mean(cell), symbol="d_y", label="target, less its mean")


def _pair(w: Working, wanted: float, apart: list[Cell], square: list[Cell], j: int, k: int, attribute: str) -> None:
    if np.isnan(wanted):
        w.note("A constant column has no correlation.")
        return
    w.cell(
        f"r_{j + 1}_{k + 1}", total(apart[j] * apart[k]) / sqrt(square[j] * square[k]), symbol=f"r_{{{j + 1},{k + 1}}}",
        label="correlation", equals=wanted, attribute=attribute, scale=1.0,
    )  # fmt: skip


def _choice(w: Working, model: Any, data: Given) -> None:
    order = {"first": "as they stand", "target": "the one most correlated with the target first",
             "least_redundant": "the one with the smallest mean |r| first"}[model.keep]  # fmt: skip
    w.step("Choice", f"Columns are taken in an order, {order}; one too near to a column that stays is left out.")
    bar = w.given("threshold", float(model.threshold), symbol="t", label="threshold")
    w.given("stays", model.get_support().astype(np.float64), data.column_axis, symbol="s", label="stays")
    if not model.dropped_:
        w.note("No two columns are correlated above the threshold: all stay.")
        return
    pairs = w.axis("left out", [f"{one.column} (for {one.partner})" for one in model.dropped_], "k", "K")
    r = w.given("r", np.array([one.r for one in model.dropped_]), pairs, symbol="r", label="correlation with it")
    above = where(absolute(r) > bar, 1, where(absolute(r) >= 1, 1, 0))
    w.cell("above", above, symbol="a", label="too near: 1 for yes",
           equals=np.ones(len(pairs)), attribute="dropped_")  # fmt: skip
