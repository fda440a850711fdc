"""Which rows editing drops: every row with its neighbors and their vote."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import equal, lookup, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._codebook_walk import least_of
from pellucid.working.shown._kept_rows import ask, distance, laid_out, table

MOST_ROWS = 200
MOST_ROUNDS = 4
MOST_NEIGHBORS = 7


@shows("EditedNearestNeighbors.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    columns, rows = data.record["rounds"]
    w.title = "Edited nearest neighbors"
    w.intro = f"Of {len(data.X):,} rows {model.n_kept_:,} are kept: those that their neighbors agree with."
    x, y = table(w, model, data)
    for number in range(1, model.n_iter_ + 1):
        own = rows[rows[:, 0] == number]
        if number <= MOST_ROUNDS:
            _round(w, model, data, (x, y), own[:MOST_ROWS], list(columns), number)
        if len(own) > MOST_ROWS:
            w.note(f"Of a round the first {MOST_ROWS} rows are laid out.")
    if model.n_iter_ > MOST_ROUNDS:
        w.note(f"The first {MOST_ROUNDS} of {model.n_iter_} rounds are laid out.")
    w.step("Kept", "The round in which each row was dropped; 0 for those that stay.")
    out = w.given("dropped_in", model.dropped_in_.astype(float), data.row_axis, symbol="o", label="dropped in round")
    w.cell("n_kept", sum_(where(equal(out, 0), 1, 0)), symbol="N", label="rows that stay", equals=float(model.n_kept_),
           attribute="n_kept_")  # fmt: skip


def _round(w: Working, model: Any, data: Given, cells: Any, lines: Floats, columns: list[str], number: int) -> None:
    x, y = cells
    k = model.n_neighbors
    few = min(k, MOST_NEIGHBORS)
    w.step(f"Round {number}", _words(model), turn=number)
    axis = Axis("row", [int(i) + 1 for i in lines[:, 1]], "i", "n")
    r = w.given(f"row_{number}", lines[:, 1] + 1, axis, symbol="r", label="row")
    own = w.cell(f"own_{number}", lookup(y, r), symbol="c", label="its class")
    seen = []
    for j in range(few):
        told = lines[:, columns.index(f"near_{j}")] + 1
        place = w.given(f"near_{number}_{j + 1}", told, axis, symbol=f"s_{{{j + 1}}}", label=f"neighbor {j + 1}")
        if laid_out(data):
            apart = [lookup(column, r) - lookup(column, place) for column in x]
            w.cell(f"d_{number}_{j + 1}", distance(model.metric, apart), symbol=f"d_{{{j + 1}}}", label="its distance",
                   equals=lines[:, columns.index(f"distance_{j}")], attribute="fit_with_history: distance",
                   tolerance=1e-6)  # fmt: skip
        seen.append(w.cell(f"class_{number}_{j + 1}", lookup(y, place), symbol=f"e_{{{j + 1}}}", label="its class"))
    kept = _kept(w, model, own, seen, lines[:, 2], number, few == k)
    if kept is None:
        w.given(f"kept_{number}", lines[:, 2], axis, symbol="h", label="stays?")


def _words(model: Any) -> str:
    if model.agreement == "all":
        return f"A row stays if all of its {model.n_neighbors} nearest neighbors have its class."
    if model.method == "all_k":
        return f"A row stays if its nearest 1, 2, ... {model.n_neighbors} neighbors all vote for its class."
    return f"A row stays if its {model.n_neighbors} nearest neighbors vote for its class; of equals the nearest counts."


def _kept(
    w: Working, model: Any, own: Cell, seen: list[Cell], kept: Floats, number: int, all_there: bool
) -> Cell | None:
    """Does the row stay? By formula where the votes are laid out and nothing else decides."""
    if not all_there:
        w.note(f"Of more than {MOST_NEIGHBORS} neighbors the first are shown.")
        return None
    if model.agreement == "all":
        stays = where(equal(reduce(add, [where(equal(e, own), 1, 0) for e in seen]), float(len(seen))), 1, 0)
    else:
        counts = range(1, len(seen) + 1) if model.method == "all_k" else [len(seen)]
        votes = [_vote(w, own, seen[:some], number) for some in counts]
        stays = votes[0] if len(votes) == 1 else where(equal(reduce(add, votes), float(len(votes))), 1, 0)
    value = np.asarray(stays.value)
    if not np.array_equal(value, kept):
        w.note("Rows that may not be dropped, or are the last of their class, stay whatever their neighbors say.")
        w.cell(f"agrees_{number}", stays, symbol="g", label="do its neighbors agree?")
        return None
    return w.cell(f"kept_{number}", stays, symbol="h", label="stays?", equals=kept, attribute="sample_indices_")


def _vote(w: Working, own: Cell, seen: list[Cell], number: int) -> Expr:
    """1 where these neighbors vote for the row's own class."""
    k = len(seen)
    if k == 1:
        said: Expr = seen[0]
    else:
        votes = []
        for j, e in enumerate(seen, 1):
            alike = reduce(add, [where(equal(other, e), 1, 0) for other in seen])
            name, symbol = f"votes_{number}_{k}_{j}", f"n_{{{j}}}" if k == len(seen) else f"n_{{{k},{j}}}"
            votes.append(w.cell(name, alike, symbol=symbol, label=f"of {k}, votes for the class of neighbor {j}"))
        most = w.cell(f"most_{number}_{k}", -1 * least_of([-1 * one for one in votes]), symbol="m", label="most votes")
        said = seen[-1]
        for e, one in zip(seen[-2::-1], votes[-2::-1], strict=True):
            said = where(equal(one, most), e, said)
    told = w.cell(f"said_{number}_{k}", said, symbol=f"v_{{{k}}}", label=f"what {k} say; of equals the nearest")
    return where(equal(told, own), 1, 0)


@shows("EditedNearestNeighbors.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    ask(w, model, data, "Predictions by edited neighbors")
