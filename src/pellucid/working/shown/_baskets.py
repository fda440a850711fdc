"""What workings of baskets share: the baskets as columns of 0 and 1, and counts of sets as sums of products."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.errors import format_message
from pellucid.data.baskets import baskets_of
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, WorkingError
from pellucid.working.language import count, sum_
from pellucid.working.model import Working

MOST_LISTED = 100  # baskets that are written out, and counted by formulas
MOST_ITEMS = 40


def joined(items: Iterable[Any]) -> str:
    """Items as text: bread + milk."""
    return " + ".join(str(item) for item in items)


@dataclass
class BasketPage:
    """Baskets on a page, and the sets counted there so far."""

    w: Working
    names: tuple[Any, ...]
    x: dict[int, Cell]  # the column of an item; empty where baskets are not written out
    n: Cell
    counts: dict[tuple[int, ...], Cell] = field(default_factory=dict)
    supports: dict[tuple[int, ...], Cell] = field(default_factory=dict)

    def support(self, codes: tuple[int, ...], expected: int, attribute: str = "itemsets_.counts") -> Cell:
        """Count and support of a set, whose count is ``wanted`` in the model's own ``attribute``."""
        if codes in self.supports:
            return self.supports[codes]
        tag, number, name = "_".join(map(str, codes)), len(self.counts) + 1, joined(self.names[c] for c in codes)
        style: dict[str, Any] = {"symbol": f"c_{{{number}}}", "label": f"baskets with {name}"}
        if self.x and all(code in self.x for code in codes):
            product = reduce(mul, [self.x[code] for code in codes])
            cell = self.w.cell(
                f"count_{tag}", sum_(product), **style, equals=float(expected), attribute=attribute, scale=1.0
            )
        else:
            cell = self.w.given(f"count_{tag}", float(expected), **style)
        self.counts[codes] = cell
        self.supports[codes] = self.w.cell(
            f"support_{tag}", cell / self.n, symbol=f"s_{{{number}}}", label=f"support of {name}"
        )
        return self.supports[codes]


def basket_page(w: Working, model: Any, data: Given, codes: Iterable[int] | None = None) -> BasketPage:
    """The baskets in the columns of some items, those of all unless told."""
    baskets = baskets_of(data.table, type(model).__name__, model.missing)
    if len(baskets) != model.n_baskets_ or list(baskets.items) != model.items_.tolist():
        actual = f"these are {counted(len(baskets), 'basket')} of {counted(len(baskets.items), 'item')}"
        hint = "pass the baskets that the model was fitted on"
        raise WorkingError(
            format_message(type(model).__name__, "the working needs the baskets of the fit", actual=actual, hint=hint)
        )
    item_codes = sorted(range(len(baskets.items)) if codes is None else set(codes))
    w.step("Baskets", "1 where a basket has the item, else 0; and how many baskets there are.")
    x: dict[int, Cell] = {}
    if len(baskets) <= MOST_LISTED and len(item_codes) <= MOST_ITEMS:
        flags = baskets.matrix().astype(np.float64)
        rows = Axis("basket", range(1, len(baskets) + 1))
        for j in item_codes:
            x[j] = w.given(f"x_{j}", flags[:, j], rows, symbol=f"x_{{{j + 1}}}", label=str(baskets.items[j]))
    else:
        w.note(f"{counted(len(baskets), 'basket')} are too many to be written out: counts are given, not worked out.")
    style: dict[str, Any] = {"symbol": "n", "label": "baskets"}
    if x:
        n = w.cell("n", count(next(iter(x.values()))), **style, equals=float(model.n_baskets_), attribute="n_baskets_")
    else:
        n = w.given("n", float(model.n_baskets_), **style)
    return BasketPage(w, baskets.items, x, n)
