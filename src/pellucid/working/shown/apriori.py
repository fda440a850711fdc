"""How Apriori goes from level to level: candidates, those with an infrequent part, and the counts of the others."""

from __future__ import annotations

import numbers
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.errors import join_some
from pellucid.base.types import Array
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import where
from pellucid.working.model import Working
from pellucid.working.shown._baskets import BasketPage, basket_page, joined

MOST_COUNTED = 60  # candidates of a level that are worked out


@shows("Apriori.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Frequent sets, level by level"
    w.intro = (
        "The support of a set is the share of the baskets that has all its items. A set with a part that is not "
        "frequent cannot be frequent, and is not counted."
    )
    rows = data.record["candidates"][1].astype(np.int64)
    page = basket_page(w, model, data)
    min_support = threshold(w, model)
    last: list[tuple[int, ...]] = []
    for level in model.levels_:
        last = _level(page, model, level, rows[rows[:, 0] == level.length], last, min_support)


def threshold(w: Working, model: Any) -> tuple[Cell, bool]:
    """The least support, and whether it is a number of baskets."""
    w.step("Least support", "A set is frequent from here on.")
    is_count = isinstance(model.min_support, numbers.Integral)
    label = "least number of baskets" if is_count else "least share of the baskets"
    return w.given("least", float(model.min_support), symbol=r"s_{min}", label=label), is_count


def _level(
    page: BasketPage, model: Any, level: Any, rows: Array, last: list[tuple[int, ...]], min_support: tuple[Cell, bool]
) -> list[tuple[int, ...]]:
    """The candidates of one length; answers the frequent ones."""
    w = page.w
    candidates = [
        ((left,) if level.length == 1 else last[left] + last[right][-1:]) for _, left, right, _, _ in rows.tolist()
    ]
    what = "Every item." if level.length == 1 else (
        f"Two frequent sets of {counted(level.length - 1, 'item')} that share all but the last, joined."
    )  # fmt: skip
    w.step(f"Sets of {counted(level.length, 'item')}", f"{what} {_pruned(page, candidates, rows)}".strip())
    frequent: list[tuple[int, ...]] = []
    marks: list[Expr] = []
    for codes, row in zip(candidates, rows.tolist(), strict=True):
        if row[4] < 0:
            continue
        if row[4] >= model.min_count_:
            frequent.append(codes)
        if len(marks) < MOST_COUNTED:
            support = page.support(codes, row[4], "fit_with_history")
            marks.append(where((page.counts[codes] if min_support[1] else support) >= min_support[0], 1, 0))
    if len(marks) < level.counted:
        w.note(f"Of {level.counted:,} sets of {level.length} items the first {MOST_COUNTED} are counted here.")
    elif marks:
        w.cell(f"frequent_{level.length}", reduce(add, marks), symbol=f"F_{{{level.length}}}",
               label="of these frequent", equals=float(level.frequent), attribute="levels_", scale=1.0)  # fmt: skip
    return frequent


def _pruned(page: BasketPage, candidates: list[tuple[int, ...]], rows: Array) -> str:
    """The sentence about candidates that are not counted."""
    lost = []
    for codes, row in zip(candidates, rows.tolist(), strict=True):
        if row[3] >= 0:
            subset = codes[: row[3]] + codes[row[3] + 1 :]
            lost.append(f"{joined(page.names[c] for c in codes)} (for {joined(page.names[c] for c in subset)})")
    return f"Not counted, as a part is not frequent: {join_some(lost, 8)}." if lost else ""
