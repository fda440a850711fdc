"""How permutation importance comes about: from scores to what a column is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.errors import format_message
from pellucid.data.table import read_table
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, WorkingError
from pellucid.working.language import lookup, mean, sqrt, where
from pellucid.working.model import Working

MOST_COLUMNS = 5


@shows("inspection.permutation_importance")
def permutation_importance(w: Working, result: Any, estimator: Any, X: Any, y: Any, **options: Any) -> None:
    w.title = "Permutation importance"
    w.intro = (
        "How far the score falls when one column is dealt out to the rows at random. "
        f"The scores are those of the {type(estimator).__name__}; what is made of them is shown."
    )
    if isinstance(result, Mapping) and "importances" not in result:
        requirement = "a working shows one score"
        raise WorkingError(
            format_message("show", requirement, actual=f"scoring gives {', '.join(result)}", hint="ask for one of them")
        )
    table = read_table(X, "show")
    columns_shown = [int(j) for j in result.order[:MOST_COLUMNS]]
    _first_order(w, result, table, columns_shown[0], options.get("max_samples", 1.0))
    w.step("Baseline", "The score with every column in place.")
    s = w.given("baseline", float(result.baseline), symbol="s", label="score")
    repeats = Axis("repeat", range(1, result.scores.shape[1] + 1), "r", "R")
    for number, j in enumerate(columns_shown, start=1):
        _column(w, result, j, number, s, repeats)
    if len(columns_shown) < len(result.order):
        w.note(
            f"The {counted(len(columns_shown), 'column')} with the largest importance of {len(result.order)} are shown."
        )


def _first_order(w: Working, result: Any, table: Any, j: int, max_samples: Any) -> None:
    """The most important column as it is and as the first repeat has it."""
    name = result.feature_names[j]
    if max_samples not in (1.0, table.n_rows):
        w.note("Rows were drawn before their order was changed; the order itself is not shown.")
        return
    order = np.arange(table.n_rows)
    np.random.RandomState(result.seed).shuffle(order)
    rows = Axis("row", range(1, table.n_rows + 1))
    w.step("A column permuted", f"Column {name}: row i gets the value of row o; the other columns stay.")
    values = table.column(j)
    plain = values.astype(np.float64) if values.dtype.kind in "biuf" else values.astype(str).astype(object)
    x = w.given("x", plain, rows, symbol="x", label=name)
    o = w.given("order", order + 1.0, rows, symbol="o", label="taken from row")
    w.cell("permuted", lookup(x, o), symbol="z", label="in the first repeat")


def _column(w: Working, result: Any, j: int, number: int, s: Cell, repeats: Axis) -> None:
    name = result.feature_names[j]
    size = float(np.abs(result.scores[j]).max() + abs(result.baseline))
    w.step(f"Column {name}", "How far its scores lie below the baseline, and whether chance alone may explain it.")
    score = w.given(f"score_{number}", result.scores[j], repeats, symbol="s", label="score, permuted")
    fall = w.cell(f"fall_{number}", s - score, symbol="d", label="fall of the score",
                  equals=result.importances[j], attribute="importances", scale=size)  # fmt: skip
    m = w.cell(f"mean_{number}", mean(fall), symbol=r"\bar{d}", label="importance",
               equals=result.importances_mean[j], attribute="importances_mean", scale=size)  # fmt: skip
    sd = w.cell(f"sd_{number}", sqrt(mean((fall - m) ** 2)), symbol=r"\sigma", label="standard deviation",
                equals=result.importances_std[j], attribute="importances_std", scale=size, tolerance=1e-7)  # fmt: skip
    low = w.cell(f"low_{number}", m - 2 * sd, symbol="L", label="importance less twice its spread")
    w.cell(f"chance_{number}", where(low <= 0, 1, 0), symbol="c", label="within chance: 1 for yes",
           equals=float(result.within_chance[j]), attribute="within_chance")  # fmt: skip
