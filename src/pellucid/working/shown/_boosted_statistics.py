"""Categories as statistics of the target, as cells: row by row along an order in the fit, by all rows for new ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.types import Array
from pellucid.models.tree.words import Words
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, lookup, mean, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._boosted_draws import SINGLE
from pellucid.working.shown._boosted_fit import Fit
from pellucid.working.shown._boosted_orders import Orders
from pellucid.working.shown._boosted_round import MOST_CLASSES
from pellucid.working.shown._boosted_trees import Round
from pellucid.working.shown._rows import label, spelled
from pellucid.working.shown._tree import words_of

MOST_ROWS = 60  # for which statistics are worked out
MOST_MADE = 6  # made columns that are shown besides those that trees ask
GONE = "(missing)"


@dataclass
class Statistics:
    """The made columns that are shown, as cells: of each order, and of new rows.

    words : names of the columns that trees ask
    category : by made column (one for all targets) the joined categories of the rows, as words
    target : what statistics are made of, one cell for each target
    """

    w: Working
    fit: Fit
    words: Words
    axis: Axis
    category: dict[int, Cell] = field(default_factory=dict)
    target: list[Cell] = field(default_factory=list)
    prior: list[Cell] = field(default_factory=list)
    weight: Cell | None = None
    along: dict[int, dict[int, Cell]] = field(default_factory=dict)

    @property
    def orders(self) -> Orders:
        """The orders of the fit."""
        assert self.fit.along is not None
        return self.fit.along

    @property
    def made(self) -> Any:
        """How categories became numbers."""
        assert self.orders.statistics is not None
        return self.orders.statistics

    def split(self, j: int) -> tuple[int, int]:
        """The made column and the target of column j of the table that trees are grown on."""
        return divmod(j - len(self.made.kept), len(self.made.prior))

    # -------------------------------------------------------------------------------------------------------- the table

    def chosen(self, trees: Iterable[Any]) -> list[int]:
        """The made columns to show: those that some trees ask, and the first others."""
        n_kept = len(self.made.kept)
        columns_used = {int(j) for tree in trees for j in tree.feature if j >= n_kept}
        columns_unused = [j for j in range(n_kept, len(self.words.names)) if j not in columns_used]
        return sorted([*columns_used, *columns_unused[: max(MOST_MADE - len(columns_used), 0)]])

    def show_categories(self, columns: list[int]) -> None:
        """The categories that the made columns are of; joined ones as one word."""
        categories = words_of(self.fit.model, []).categories
        words = Words([], categories)
        for m in sorted({self.split(j)[0] for j in columns}):
            sources = self.made.made[m].columns
            category_names = [
                GONE if np.isnan(row).any() else " and ".join(
                    words.category(i, int(code)) for i, code in zip(sources, row, strict=True)
                )
                for row in self.orders.numbers[:, list(sources)]
            ]  # fmt: skip
            name = self.words.names[len(self.made.kept) + m * len(self.made.prior)].partition(" by ")[2]
            self.category[m] = self.w.given(f"category_{m + 1}", np.array(category_names, dtype=object), self.axis,
                                            symbol=f"z_{{{m + 1}}}", label=name)  # fmt: skip

    def show_prior(self, y: Cell) -> None:
        """What statistics are made of, and what they are drawn toward."""
        w, fit, prior = self.w, self.fit, self.made.prior
        w.step(
            "Categories as numbers",
            "Rows stand in a random order. The category of a row becomes the mean target of the rows of this category "
            "before it, drawn toward the mean of all rows, so that no row is told its own target.",
        )
        self.weight = w.given("prior_weight", self.orders.prior_weight, symbol="a", label="rows that the prior counts")
        if fit.kind == "softmax":
            self.target = [
                w.cell(f"flag_{k + 1}", where(equal(y, label(target)), 1, 0), symbol=f"d_{{{k + 1}}}",
                       label=f"is it {spelled(label(target))}?")
                for k, target in enumerate(fit.model.classes_[: len(prior)])
            ]  # fmt: skip
        else:
            unit = float(fit.model._unit_of(fit.design))
            scaled = w.cell("scaled", y / unit, symbol="d", label=f"target, in units of {unit:g}") if unit != 1 else y
            self.target = [scaled]
        for k, target in enumerate(self.target):
            end, mark = (f"_{k + 1}", f"_{{{k + 1}}}") if len(prior) > 1 else ("", "")
            size = float(np.abs(np.asarray(target.value, dtype=np.float64)).max(initial=0.0))
            self.prior.append(w.cell(f"prior{end}", mean(target), symbol=f"p{mark}",
                                     label="prior: the mean of all rows", equals=float(prior[k]),
                                     attribute="prior", scale=size))  # fmt: skip

    # ---------------------------------------------------------------------------------------------------------- orders

    def show_order(self, order: int, columns: list[int]) -> None:
        """The statistics of the rows along an order, for the made columns that are shown."""
        w, n, rows = self.w, len(self.axis), self.orders.rows[order]
        statistics: dict[int, Cell] = {}
        self.along[order] = statistics
        table, tag = self.orders.tables[order], f"o{order + 1}"
        if n > MOST_ROWS:
            w.note(f"Of more than {MOST_ROWS} rows the statistics along an order are given.")
            w.step(f"Order {order + 1}", "The statistic of each row by rows before it.")
            for j in columns:
                statistics[j] = w.given(f"x_{j + 1}_{tag}", np.ascontiguousarray(table[:, j]), self.axis,
                                   symbol=f"x_{{{j + 1}}}", label=self.words.names[j])  # fmt: skip
            return
        w.step(f"Order {order + 1}", "The rows in their order: what each has before it, and its statistic.")
        t = w.given(f"t_{tag}", self.orders.places(order) + 1.0, self.axis, symbol="t",
                    label=f"place in order {order + 1}")  # fmt: skip
        position_axis = Axis("place", range(1, n + 1), "q", "n")
        q = w.given(f"q_{tag}", np.arange(1.0, n + 1), position_axis, symbol="q", label="place")
        r = w.given(f"r_{tag}", rows + 1.0, position_axis, symbol="r", label="line of the row")
        category_counts: dict[int, tuple[Cell, Cell]] = {}
        values: dict[int, Cell] = {}
        for j in columns:
            m, k = self.split(j)
            if m not in category_counts:
                c = w.cell(f"c_{m + 1}_{tag}", lookup(self.category[m], r), symbol=f"c_{{{m + 1}}}",
                           label=self.category[m].label)  # fmt: skip
                alike = where(equal(self.category[m], c), where(t < q, 1, 0), 0)
                category_counts[m] = c, w.cell(f"N_{m + 1}_{tag}", sum_(alike, self.axis), symbol=f"N_{{{m + 1}}}",
                                   label="rows of this category before it")  # fmt: skip
            values[j] = self._statistic(j, order, category_counts[m], t, q, self.target[k], self.prior[k])
        w.step(f"Order {order + 1}: columns made", "The same by rows of the table.")
        for j, value in values.items():
            statistics[j] = w.cell(f"x_{j + 1}_{tag}", lookup(value, t), symbol=f"x_{{{j + 1}}}",
                              label=self.words.names[j], equals=table[:, j], attribute="statistics of the fit",
                              scale=float(np.abs(self.made.prior).max()))  # fmt: skip

    def _statistic(
        self, j: int, order: int, category_counts: tuple[Cell, Cell], t: Cell, q: Cell, y: Cell, prior: Cell
    ) -> Cell:
        """(sum of the targets before + a p) / (rows before + a); the prior where the category is missing."""
        assert self.weight is not None
        (m, k), (c, N), end = self.split(j), category_counts, f"{j + 1}_o{order + 1}"
        mark = f"{{{m + 1},{k + 1}}}" if len(self.prior) > 1 else f"{{{m + 1}}}"
        alike = where(equal(self.category[m], c), where(t < q, y, 0), 0)
        S = self.w.cell(f"S_{end}", sum_(alike, self.axis), symbol=f"S_{mark}", label="sum of their targets")
        formula: Expr = (S + self.weight * prior) / (N + self.weight)
        if (np.asarray(c.value) == GONE).any():
            formula = where(equal(c, GONE), prior, formula)
        return self.w.cell(f"s_{end}", formula, symbol=f"s_{mark}", label=self.words.names[j])

    # -------------------------------------------------------------------------------------------------------- new rows

    def show_later(self, columns: list[int], table: Array) -> dict[int, Cell]:
        """The statistics of new rows, over all rows of the fit: by category, then by row."""
        w, columns_made = self.w, {}
        assert self.weight is not None
        w.step("New rows", "For new rows all rows of the fit count: the statistic of each category.")
        by_category: dict[int, tuple[Cell, Cell]] = {}
        statistics: dict[int, Cell] = {}
        for j in columns:
            m, k = self.split(j)
            encoder = self.made.made[m]
            if m not in by_category:
                by_category[m] = self._categories(m, encoder)
            c, n = by_category[m]
            s = w.cell(f"sum_{j + 1}", sum_(where(equal(self.category[m], c), self.target[k], 0), self.axis),
                       symbol=f"S_{{{j + 1}}}", label="sum of targets")  # fmt: skip
            statistics[j] = w.cell(f"statistic_{j + 1}", (s + self.weight * self.prior[k]) / (n + self.weight),
                                   symbol=f"e_{{{j + 1}}}", label=self.words.names[j], equals=encoder.value[:, k],
                                   attribute="statistics of new rows",
                                   scale=float(np.abs(self.made.prior).max()))  # fmt: skip
        w.step("New rows: columns made", "The statistic of the row's category: what a new row with these values gets.")
        for j in columns:
            m, k = self.split(j)
            c, e = by_category[m][0], statistics[j]
            formula: Expr = sum_(where(equal(self.category[m], c), e, 0), e.axis)
            if (np.asarray(self.category[m].value) == GONE).any():
                formula = where(equal(self.category[m], GONE), self.prior[k], formula)
            columns_made[j] = w.cell(f"x_{j + 1}_new", formula, symbol=f"x'_{{{j + 1}}}", label=self.words.names[j],
                              equals=table[:, j], attribute="transformed X",
                              scale=float(np.abs(self.made.prior).max()))  # fmt: skip
        return columns_made

    def _categories(self, m: int, encoder: Any) -> tuple[Cell, Cell]:
        """The categories of a made column that the fit has seen, and how many rows each has."""
        category_names = np.asarray(self.category[m].value)
        codes = encoder.codes(self.orders.numbers)
        first = [category_names[int(np.flatnonzero(codes == k)[0])] for k in range(len(encoder.names))]
        axis = Axis("category", first, "k", "K")
        c = self.w.given(f"known_{m + 1}", np.array(first, dtype=object), axis, symbol=f"k_{{{m + 1}}}",
                         label=self.category[m].label)  # fmt: skip
        n = self.w.cell(f"rows_{m + 1}", sum_(where(equal(self.category[m], c), 1, 0), self.axis),
                        symbol=f"n_{{{m + 1}}}", label="rows")  # fmt: skip
        return c, n


class Made:
    """The made columns of a fit, in the places of its working where they are shown.

    rounds : numbers of the rounds that are shown, from 0
    """

    def __init__(self, fit: Fit, rounds: list[int]) -> None:
        self.fit, self.rounds = fit, rounds
        assert fit.along is not None
        self.orders = {number: fit.along.which(number) for number in rounds}

    def begin(self, w: Working, words: Words, axis: Axis) -> None:
        """Among the data: the categories."""
        self.cells = Statistics(w, self.fit, words, axis)
        self.cells.show_categories(self._asked(self.rounds))
        n_shown, all_ = len(self._asked(self.rounds)), len(words.names) - len(self.cells.made.kept)
        if n_shown < all_:
            w.note(f"Of {all_} columns made of categories {n_shown} are shown.")

    def _asked(self, rounds: Iterable[int]) -> list[int]:
        """The made columns to show for some rounds."""
        forest, outputs = self.fit.model.forest, self.fit.outputs
        return self.cells.chosen(forest.tree(number * outputs + k) for number in rounds for k in range(outputs))

    def show(self, y: Cell) -> None:
        """The prior, and the statistics along the orders that the shown rounds take."""
        self.cells.show_prior(y)
        for order in sorted(set(self.orders.values())):
            self.cells.show_order(order, self._asked(number for number in self.rounds if self.orders[number] == order))

    def columns(self, number: int) -> dict[int, Cell]:
        """The made columns that a round looks at."""
        return self.cells.along[self.orders[number]]

    def later(
        self, data: Given, columns: dict[int, Cell], start: list[Expr], rounds: list[tuple[Round, list[Cell]]]
    ) -> list[Expr]:
        """The scores that new rows with the same values get: statistics over all rows, and the leaves by them."""
        fit, w, axis = self.fit, self.cells.w, self.cells.axis
        all_columns = {**columns, **self.cells.show_later(self._asked(self.rounds), data.X[fit.rows])}
        w.step("New rows: scores", "The leaves by these columns, and what they add to the start.")
        exact = fit.later_scores(fit.model.n_estimators_)
        scores: list[Expr] = []
        for k in range(len(rounds[0][1])):
            score, added = start[k], np.zeros(len(axis))
            for r, values in rounds:
                tree = fit.later_tree(r.number * fit.outputs + k)
                style = {"symbol": r.mark("l'", k), "label": f"leaf of a new row in round {r.number + 1}{r.of(k)}"}
                leaf_index = r.placed(tree, f"new_leaf{r.tag(k)}", all_columns, style, "apply(X)")
                score, added = score + lookup(values[k], leaf_index), added + tree.values[tree.place - 1]
            if len(rounds) < fit.model.n_estimators_:
                rest_scores = exact[:, k] - fit.model.start_scores[k] - added
                score = score + w.given(f"rest_{k + 1}", rest_scores, axis, symbol=f"R_{{{k + 1}}}",
                                        label=f"what other rounds add{rounds[0][0].of(k)}")  # fmt: skip
            scores.append(w.cell(f"new_{k + 1}", score, symbol=f"f'_{{{k + 1}}}", equals=exact[:, k],
                                 label=f"score of a new row{rounds[0][0].of(k)}", attribute="scores of new rows",
                                 tolerance=SINGLE, scale=float(np.abs(exact).max()) + fit.rate))  # fmt: skip
        for k in range(len(scores), fit.outputs):
            if fit.outputs > MOST_CLASSES:
                scores.append(expr(0))
                continue
            scores.append(w.given(f"new_{k + 1}", np.ascontiguousarray(exact[:, k]), axis, symbol=f"f'_{{{k + 1}}}",
                                  label=f"score of a new row{rounds[0][0].of(k)}"))  # fmt: skip
        return scores
