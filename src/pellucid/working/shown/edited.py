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
        round_rows = rows[rows[:, 0] == number]
        if number <= MOST_ROUNDS:
            _round(w, model, data, (x, y), round_rows[:MOST_ROWS], list(columns), number)
        if len(round_rows) > MOST_ROWS:
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
    row_class = w.cell(f"own_{number}", lookup(y, r), symbol="c", label="its class")
    neighbor_classes = []
    for j in range(few):
        neighbor_rows = lines[:, columns.index(f"near_{j}")] + 1
        neighbor = w.given(
            f"near_{number}_{j + 1}", neighbor_rows, axis, symbol=f"s_{{{j + 1}}}", label=f"neighbor {j + 1}"
        )
        if laid_out(data):
            apart = [lookup(column, r) - lookup(column, neighbor) for column in x]
            w.cell(f"d_{number}_{j + 1}", distance(model.metric, apart), symbol=f"d_{{{j + 1}}}", label="its distance",
                   equals=lines[:, columns.index(f"distance_{j}")], attribute="fit_with_history: distance",
                   tolerance=1e-6)  # fmt: skip
        neighbor_classes.append(
            w.cell(f"class_{number}_{j + 1}", lookup(y, neighbor), symbol=f"e_{{{j + 1}}}", label="its class")
        )
    stays = _kept(w, model, row_class, neighbor_classes, lines[:, 2], number, few == k)
    if stays is None:
        w.given(f"kept_{number}", lines[:, 2], axis, symbol="h", label="stays?")


def _words(model: Any) -> str:
    if model.agreement == "all":
        return f"A row stays if all of its {model.n_neighbors} nearest neighbors have its class."
    if model.method == "all_k":
        return f"A row stays if its nearest 1, 2, ... {model.n_neighbors} neighbors all vote for its class."
    return f"A row stays if its {model.n_neighbors} nearest neighbors vote for its class; of equals the nearest counts."


def _kept(
    w: Working,
    model: Any,
    row_class: Cell,
    neighbor_classes: list[Cell],
    expected: Floats,
    number: int,
    all_there: bool,
) -> Cell | None:
    """Does the row stay? By formula where the votes are laid out and nothing else decides."""
    if not all_there:
        w.note(f"Of more than {MOST_NEIGHBORS} neighbors the first are shown.")
        return None
    if model.agreement == "all":
        stays = where(
            equal(
                reduce(add, [where(equal(e, row_class), 1, 0) for e in neighbor_classes]), float(len(neighbor_classes))
            ),
            1,
            0,
        )
    else:
        counts = range(1, len(neighbor_classes) + 1) if model.method == "all_k" else [len(neighbor_classes)]
        votes = [_vote(w, row_class, neighbor_classes[:some], number) for some in counts]
        stays = votes[0] if len(votes) == 1 else where(equal(reduce(add, votes), float(len(votes))), 1, 0)
    value = np.asarray(stays.value)
    if not np.array_equal(value, expected):
        w.note("Rows that may not be dropped, or are the last of their class, stay whatever their neighbors say.")
        w.cell(f"agrees_{number}", stays, symbol="g", label="do its neighbors agree?")
        return None
    return w.cell(f"kept_{number}", stays, symbol="h", label="stays?", equals=expected, attribute="sample_indices_")


def _vote(w: Working, row_class: Cell, neighbor_classes: list[Cell], number: int) -> Expr:
    """1 where these neighbors vote for the row's own class."""
    k = len(neighbor_classes)
    if k == 1:
        winner: Expr = neighbor_classes[0]
    else:
        votes = []
        for j, e in enumerate(neighbor_classes, 1):
            alike = reduce(add, [where(equal(neighbor_class, e), 1, 0) for neighbor_class in neighbor_classes])
            name, symbol = f"votes_{number}_{k}_{j}", f"n_{{{j}}}" if k == len(neighbor_classes) else f"n_{{{k},{j}}}"
            votes.append(w.cell(name, alike, symbol=symbol, label=f"of {k}, votes for the class of neighbor {j}"))
        max_votes = w.cell(
            f"most_{number}_{k}", -1 * least_of([-1 * n_votes for n_votes in votes]), symbol="m", label="most votes"
        )
        winner = neighbor_classes[-1]
        for e, n_votes in zip(neighbor_classes[-2::-1], votes[-2::-1], strict=True):
            winner = where(equal(n_votes, max_votes), e, winner)
    winner_cell = w.cell(
        f"said_{number}_{k}", winner, symbol=f"v_{{{k}}}", label=f"what {k} say; of equals the nearest"
    )
    return where(equal(winner_cell, row_class), 1, 0)


@shows("EditedNearestNeighbors.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    ask(w, model, data, "Predictions by edited neighbors")
