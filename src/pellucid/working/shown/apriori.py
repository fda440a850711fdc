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
    least = threshold(w, model)
    last: list[tuple[int, ...]] = []
    for one in model.levels_:
        last = _level(page, model, one, rows[rows[:, 0] == one.length], last, least)


def threshold(w: Working, model: Any) -> tuple[Cell, bool]:
    """The least support, and whether it is a number of baskets."""
    w.step("Least support", "A set is frequent from here on.")
    whole = isinstance(model.min_support, numbers.Integral)
    label = "least number of baskets" if whole else "least share of the baskets"
    return w.given("least", float(model.min_support), symbol=r"s_{min}", label=label), whole


def _level(
    page: BasketPage, model: Any, told: Any, rows: Array, last: list[tuple[int, ...]], least: tuple[Cell, bool]
) -> list[tuple[int, ...]]:
    """The candidates of one length; answers the frequent ones."""
    w = page.w
    made = [((left,) if told.length == 1 else last[left] + last[right][-1:]) for _, left, right, _, _ in rows.tolist()]
    what = "Every item." if told.length == 1 else (
        f"Two frequent sets of {counted(told.length - 1, 'item')} that share all but the last, joined."
    )  # fmt: skip
    w.step(f"Sets of {counted(told.length, 'item')}", f"{what} {_pruned(page, made, rows)}".strip())
    frequent: list[tuple[int, ...]] = []
    marks: list[Expr] = []
    for codes, row in zip(made, rows.tolist(), strict=True):
        if row[4] < 0:
            continue
        if row[4] >= model.min_count_:
            frequent.append(codes)
        if len(marks) < MOST_COUNTED:
            support = page.support(codes, row[4], "fit_with_history")
            marks.append(where((page.counts[codes] if least[1] else support) >= least[0], 1, 0))
    if len(marks) < told.counted:
        w.note(f"Of {told.counted:,} sets of {told.length} items the first {MOST_COUNTED} are counted here.")
    elif marks:
        w.cell(f"frequent_{told.length}", reduce(add, marks), symbol=f"F_{{{told.length}}}",
               label="of these frequent", equals=float(told.frequent), attribute="levels_", scale=1.0)  # fmt: skip
    return frequent


def _pruned(page: BasketPage, made: list[tuple[int, ...]], rows: Array) -> str:
    """The sentence about candidates that are not counted."""
    lost = []
    for codes, row in zip(made, rows.tolist(), strict=True):
        if row[3] >= 0:
            part = codes[: row[3]] + codes[row[3] + 1 :]
            lost.append(f"{joined(page.names[c] for c in codes)} (for {joined(page.names[c] for c in part)})")
    return f"Not counted, as a part is not frequent: {join_some(lost, 8)}." if lost else ""
