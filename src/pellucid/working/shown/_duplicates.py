"""How alike two rows are: the edits of each column, how telling its cells are, and the weighted mean."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import join_some
from pellucid.metrics import damerau_distance
from pellucid.quality._pair_similarity import Comparison
from pellucid.quality.column import compute_stats
from pellucid.quality.duplicates import NearDuplicates
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import absolute, log, lookup, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import refuse


@shows("quality.near_duplicates")
def near_duplicates(
    w: Working,
    result: NearDuplicates,
    table: Any,
    *,
    pair: Sequence[int] | None = None,
    columns: Sequence[Any] | None = None,
    **options: Any,
) -> None:
    """The pair that is asked for, or the one that is most alike."""
    w.title = "Two rows that are nearly equal"
    if not len(result):
        refuse("near_duplicates", "there must be a pair to show", "no two rows are nearly equal", "lower the threshold")
    at = 0 if pair is None else _place(result, pair)
    left, right = int(result.left[at]), int(result.right[at])
    which = "the pair that is most alike" if at == 0 else f"pair {at + 1}, the most alike first,"
    w.intro = f"Rows {left} and {right}, counted from 0: {which} of {len(result):,}."
    table_stats = compute_stats(table, "near_duplicates")
    selected = table_stats.columns if columns is None else [table_stats[name] for name in dict.fromkeys(columns)]
    comparison = Comparison(list(selected), options.get("missing", "neutral"), 1)
    there = [c for c in range(len(selected)) if not np.isnan(result.by_column[at, c])]
    if len(there) < len(selected):
        names_left_out = ", ".join(str(selected[c].name) for c in range(len(selected)) if c not in there)
        w.note(f"Left out, for one of the two cells is missing: {names_left_out}.")
    both = _Pair(w, result, comparison, at)
    if any(min(both.codes(c)) < 0 for c in there):
        hint = "show missing='neutral'"
        refuse(
            "near_duplicates", "the pair must have its cells", "one is missing and counts as equal or different", hint
        )
    both.together(there, both.similarities(there))


def _place(result: NearDuplicates, pair: Sequence[int]) -> int:
    """Where a pair of rows stands among those that were found."""
    rows = sorted(int(row) for row in pair)
    matches = np.flatnonzero((result.left == rows[0]) & (result.right == rows[-1])) if len(rows) == 2 else np.empty(0)
    if not len(matches):
        near = join_some(
            (f"({a}, {b})" for a, b in zip(result.left.tolist(), result.right.tolist(), strict=True)), limit=5
        )
        refuse("near_duplicates", "pair must be two rows that were found to be nearly equal", f"got {pair!r}",
               f"there are {near}")  # fmt: skip
    return int(matches[0])


class _Pair:
    """Two rows, and the working that they are shown in."""

    def __init__(self, w: Working, result: NearDuplicates, comparison: Comparison, at: int) -> None:
        self.w, self.result, self.comparison, self.at = w, result, comparison, at
        self.rows = result.left[[at]], result.right[[at]]

    def codes(self, c: int) -> tuple[int, int]:
        codes = self.comparison.columns[c].codes
        return int(codes[self.rows[0][0]]), int(codes[self.rows[1][0]])

    def similarities(self, there: list[int]) -> dict[int, Cell]:
        similarities: dict[int, Cell] = {}
        for c in there:
            self.w.step(str(self.comparison.columns[c].name), self._sentence(c))
            s = self.w.cell(f"s_{c}", self._similarity(c), symbol=f"s_{{{c + 1}}}", label="similarity",
                            equals=self.result.by_column[self.at, c], attribute=f"by_column[{self.at}, {c}]",
                            scale=1.0)  # fmt: skip
            similarities[c] = s
        return similarities

    def _by_text(self, c: int) -> bool:
        """Is a time more alike as text than in days?"""
        column = self.comparison.columns[c]
        if not column.has_text or not len(column.numbers):
            return column.has_text
        a, b = self.codes(c)
        days = 1 - abs(column.numbers[a] - column.numbers[b]) / column.spread
        return not days > 1 - damerau_distance(column.texts[a], column.texts[b]) / max(len(column.texts[a]), 1)

    def _sentence(self, c: int) -> str:
        column = self.comparison.columns[c]
        if self.result.swapped[self.at, c]:
            return "The two cells changed places with those of another column: compared crosswise."
        a, b = self.codes(c)
        if column.has_text:
            words = f"{column.texts[a]!r} and {column.texts[b]!r}"
            return f"{words}: the share that needs no edit." if self._by_text(c) else f"{words}: how many days apart."
        return "Equal or not." if column.spread <= 0 else "How near the two numbers are."

    def _similarity(self, c: int) -> Expr:
        w, column, mark = self.w, self.comparison.columns[c], c + 1
        a, b = self.codes(c)
        if self.result.swapped[self.at, c]:
            similarity = float(self.result.by_column[self.at, c])
            return 1 - w.given(f"unlike_{c}", 1 - similarity, symbol=f"u_{{{mark}}}", label="what differs")
        if self._by_text(c):
            text_a, text_b = column.texts[a], column.texts[b]
            edits = w.given(f"d_{c}", float(damerau_distance(text_a, text_b)), symbol=f"d_{{{mark}}}", label="edits")
            longer = max(len(text_a), len(text_b), 1)
            letters = w.given(f"n_{c}", float(longer), symbol=f"n_{{{mark}}}", label="letters of the longer text")
            return 1 - edits / letters
        x = w.given(f"x_{c}", float(column.numbers[a]), symbol=f"x_{{{mark}}}", label="first row")
        y = w.given(f"y_{c}", float(column.numbers[b]), symbol=f"y_{{{mark}}}", label="second row")
        if column.spread <= 0:
            return where(absolute(x - y) > 0, 0, 1)
        h = w.given(f"h_{c}", column.spread, symbol=f"h_{{{mark}}}", label=self._unlike(c))
        return where(absolute(x - y) < h, 1 - absolute(x - y) / h, 0)

    def _unlike(self, c: int) -> str:
        days = len(self.comparison.columns[c].texts)
        return "days that make them unlike" if days else "a quarter of the distance between the column's quartiles"

    def together(self, there: list[int], alike: dict[int, Cell]) -> None:
        w, columns = self.w, [self.comparison.columns[c] for c in there]
        axis = Axis("column", [str(column.name) for column in columns], "c", "p")
        w.step("How telling each column is", "The rarer a value, the more bits it tells; the mean of both cells.")
        counts = [np.bincount(column.codes[column.codes >= 0], minlength=len(column.bits)) for column in columns]
        n = w.given("n", [float(c.sum()) for c in counts], axis, symbol="n", label="rows with a value")
        bits = []
        for side, name in ((0, "first"), (1, "second")):
            often = [float(some[max(self.codes(c)[side], 0)]) for c, some in zip(there, counts, strict=True)]
            bits.append(w.given(f"count_{name}", often, axis, symbol=f"k_{side + 1}", label=f"as the {name} row"))
        telling = w.cell("weight", (log(n / bits[0], 2) + log(n / bits[1], 2)) / 2, symbol="w", label="bits",
                         equals=self.result.weights[self.at, there], attribute=f"weights[{self.at}]",
                         scale=1.0)  # fmt: skip
        w.step("Together", "Each similarity counts with its bits.")
        weighted = [lookup(telling, k) * alike[c] for k, c in enumerate(there, start=1)]
        mean = reduce(add, weighted) / sum_(telling)
        w.cell("similarity", mean, symbol=r"\text{similarity}", label="similarity of the two rows",
               equals=self.result.similarity[self.at], attribute=f"similarity[{self.at}]", scale=1.0)  # fmt: skip
