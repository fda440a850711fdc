"""How the store of condensed nearest neighbors fills: every judgment in turn."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import equal, lookup, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._kept_rows import as_numbers, ask, distance, laid_out, table

MOST_JUDGED = 200
MOST_PASSES = 6


@shows("CondensedNearestNeighbors.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    columns, rows = data.record["judgments"]
    judged = {name: rows[:, k] for k, name in enumerate(columns)}
    w.title = "Condensed nearest neighbors"
    w.intro = f"Of {len(data.X):,} rows {model.n_kept_:,} are kept: those that the ones kept before them get wrong."
    x, y = table(w, model, data)
    first = _begun(model)
    w.step("Start", "The rows that the store begins with.")
    begin = Axis("place", range(1, first + 1), "s", "S")
    w.given("start", model.added_[:first] + 1.0, begin, symbol=r"\text{row}", label="row")
    passes: list[Cell] = []
    for number in range(1, min(model.n_iter_, MOST_PASSES) + 1):
        of_pass = np.flatnonzero(judged["pass"] == number)
        if len(of_pass):
            shown_rows = {name: column[of_pass[:MOST_JUDGED]] for name, column in judged.items()}
            passes.append(_pass(w, model, data, (x, y), shown_rows, number))
    n_shown = sum(len(np.asarray(additions.value)) for additions in passes)
    if n_shown < len(rows):
        w.note(f"The first {MOST_JUDGED} judgments of each of the first {MOST_PASSES} passes are laid out.")
    w.step("Kept", "The rows in the store, by their numbers from 1 on.")
    axis = Axis("place", range(1, model.n_kept_ + 1), "s", "S")
    store = w.given("kept", model.sample_indices_ + 1.0, axis, symbol=r"\text{row}", label="row")
    w.check(store, model.sample_indices_ + 1.0, "sample_indices_ + 1")
    if n_shown == len(rows):
        formula = reduce(add, [sum_(additions) for additions in passes]) if passes else 0 * sum_(store)
        w.cell("n_kept", float(first) + formula, symbol="N", label="the start and what was added",
               equals=float(model.n_kept_), attribute="n_kept_")  # fmt: skip


def _begun(model: Any) -> int:
    """How many rows the store begins with."""
    if isinstance(model.start, str):
        return 1 if model.start == "first" else len(model.classes_)
    return len(dict.fromkeys(np.asarray(model.start).tolist()))


def _pass(w: Working, model: Any, data: Given, cells: Any, judged: dict[str, Any], number: int) -> Cell:
    """One pass: each row that is not in the store yet, its nearest stored row, and whether it is added."""
    x, y = cells
    k = model.n_neighbors
    said_by = "its nearest stored row says" if k == 1 else f"its {k} nearest stored rows say"
    w.step(
        f"Pass {number}",
        f"Every row outside the store, in turn; it is added if {said_by} another class.",
        turn=number,
    )
    t = Axis("judgment", range(1, len(judged["row"]) + 1), "t", "T")
    r = w.given(f"row_{number}", judged["row"] + 1, t, symbol="r", label="row")
    s = w.given(f"nearest_{number}", judged["nearest"] + 1, t, symbol="s", label="nearest stored row")
    if laid_out(data):
        apart = [lookup(column, r) - lookup(column, s) for column in x]
        recorded = judged["distance"]
        w.cell(f"d_{number}", distance(model.metric, apart), symbol="d", label="their distance", equals=recorded,
               attribute="fit_with_history: distance", tolerance=1e-6)  # fmt: skip
    else:
        w.given(f"d_{number}", judged["distance"], t, symbol="d", label="their distance")
    row_class = w.cell(f"own_{number}", lookup(y, r), symbol="c", label="class of the row")
    if k == 1:
        predicted = w.cell(f"said_{number}", lookup(y, s), symbol="e", label="class of the nearest")
    else:
        classes = as_numbers(model, model.classes_)
        predicted = w.given(
            f"said_{number}", classes[judged["said"].astype(int)], t, symbol="e", label="what the vote says"
        )
    added, recorded = where(equal(row_class, predicted), 0, 1), judged["added"]
    return w.cell(f"added_{number}", added, symbol=f"a_{{{number}}}", label="goes into the store?", equals=recorded,
                  attribute="added_")  # fmt: skip


@shows("CondensedNearestNeighbors.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    ask(w, model, data, "Predictions by condensed neighbors")
