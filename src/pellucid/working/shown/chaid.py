"""CHAID: the table of every column with the target, which categories are merged, and which column splits the node."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.models.tree.words import Words
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import (
    arg_max,
    arg_min,
    chi_squared_tail,
    count,
    equal,
    f_tail,
    ln,
    lookup,
    sum_,
    where,
)
from pellucid.working.model import Working
from pellucid.working.shown._chaid_node import MOST_CATEGORIES, ChaidNode, Column
from pellucid.working.shown._rows import class_axis, labels
from pellucid.working.shown._tree import predictions, short

MOST_COLUMNS = 4
MOST_STEPS = 4
MOST_CLASSES = 8
LEAST = 1e-250  # p values below are equal
DONE = {"merged": "they become one", "kept apart": "they stay apart", "parted again": "the group is parted again",
        "too small": "too few rows: merged with the one most alike"}  # fmt: skip


@dataclass(frozen=True)
class Groups:
    """Names of groups, and the group of each category: empty for one that is in none."""

    names: list[str]
    of_category: list[str]


@dataclass(frozen=True)
class Found:
    """What a test must come to, and whose attributes say so."""

    statistic: float
    p: float
    owner: str

    @property
    def of_statistic(self) -> dict[str, Any]:
        return {"equals": self.statistic, "attribute": self.owner and f"{self.owner}statistic", "tolerance": 1e-6,
                "scale": 1e-3}  # fmt: skip

    @property
    def of_p(self) -> dict[str, Any]:
        return {"equals": self.p, "attribute": self.owner and f"{self.owner}p_value", "tolerance": 1e-5, "scale": LEAST}


@shows("CHAIDClassifier.fit", "CHAIDRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    node = ChaidNode(model, data)
    w.title = "CHAID: how a node is split"
    test = "the chi-square test" if node.classes is not None else "the F test"
    w.intro = (
        f"Node {node.number} of the tree. For each column, categories that do not differ in the target by {test} are "
        "merged; the groups that are left are tested, and the column of the least p value splits the node."
    )
    page: _Page = _Classes(w, node) if node.classes is not None else _Numbers(w, node)
    split_column = int(model.splits_.column[node.number])
    if split_column < 0:
        w.note("No column is tested here: the node is pure, has too few rows, is deep enough, or no column parts it.")
        return
    columns = [j for j in range(len(data.names)) if j == split_column or j < MOST_COLUMNS]
    if len(columns) < len(data.names):
        w.note(f"Of {counted(len(data.names), 'column')} the first {MOST_COLUMNS} and the best are worked out.")
    results = [(j, page.column(node.column(j), j == split_column)) for j in columns]
    _choose(
        w, node, split_column, [(j, cell) for j, cell in results if cell is not None], len(columns) == len(data.names)
    )


@shows("CHAIDClassifier.predict", "CHAIDRegressor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "CHAID: predictions"
    w.intro = (
        "A row is asked from the root down, one column at a time. It ends in a leaf, or at a node that never met its "
        "category, and gets what the rows of the fit there have."
    )
    predictions(w, model, data)


class _Page:
    """What both kinds of target have in common: the rows of the node, and the steps of a column."""

    def __init__(self, w: Working, node: ChaidNode) -> None:
        self.w, self.node, self.tree = w, node, node.model.tree_
        words = Words(node.data.names, node.model.schema_.categories)
        path = pairwise(self.tree.way(node.number))
        conditions = [words.condition(self.tree, above, self.tree.branch(below)) for above, below in path]
        where_from = f" They have {short(' and '.join(conditions))}." if conditions else ""
        w.step("Rows of the node", f"{counted(len(node.rows), 'row')} of the fit reached it.{where_from}")
        self.rows = Axis("row", (node.rows + 1).tolist())
        self.y = self.target()
        self.amount: Expr = expr(1)
        if node.weight is not None:
            self.amount = w.given("w", node.weight, self.rows, symbol="w", label="weight")
        self.sums()

    @property
    def rows_said(self) -> str:
        """What a number of rows is called."""
        return "rows" if self.node.weight is None else "weight of the rows"

    def weighted(self, each: Expr) -> Expr:
        """Something of each row, times its weight where rows have one."""
        return each if self.node.weight is None else self.amount * each

    def target(self) -> Cell:
        """The target of each row."""
        raise TypeError("a page writes target")

    def sums(self) -> None:
        """What the node answers."""
        raise TypeError("a page writes sums")

    def categories(self, tag: str, x: Cell, v: Cell) -> None:
        """Sums over the rows of each category."""
        raise TypeError("a page writes categories")

    def test(self, tag: str, groups: Groups, expected: Found) -> tuple[Cell, Cell]:
        """Statistic and p value of some groups of categories."""
        raise TypeError("a page writes test")

    # --------------------------------------------------------------------------------------------------------- a column

    def column(self, column: Column, is_best: bool) -> tuple[Cell, Cell] | None:
        """All steps of one column: (statistic, adjusted p value)."""
        w, tag = self.w, f"_{column.place + 1}"
        if column.grouping is None:
            many = len(column.categories) > 1
            why = f"more than {MOST_CATEGORIES} categories, which are not shown" if many else "one category only"
            w.note(f"Column {column.name} has {why} in this node.")
            return None
        w.step(f"Column {column.name}", f"Its categories ({column.kind}), and the target in each.")
        words = np.array(column.categories, dtype=object)
        x = w.given(f"x{tag}", words[column.of_row], self.rows, symbol=f"x_{{{column.place + 1}}}", label=column.name)
        self.axis = Axis("category", column.categories, "k", "K")
        v = w.given(f"v{tag}", words, self.axis, symbol="v", label="category")
        self.categories(tag, x, v)
        self._steps(tag, column)
        text = "Every category is a group of its own."
        if len(column.groups) < len(column.categories):
            text = f"{counted(len(column.groups), 'group')} are left: {short('; '.join(column.groups))}."
        w.step(f"Column {column.name}: test", text)
        splits, at = self.node.model.splits_, self.node.number
        expected = Found(column.grouping.tested.statistic, column.grouping.tested.p, "")
        if is_best:
            expected = Found(float(splits.statistic[at]), float(splits.p_value[at]), "splits_.")
        group_names = [column.groups[g] for g in column.group_of]
        statistic, p = self.test(f"{tag}_g", Groups(column.groups, group_names), expected)
        return statistic, self._adjusted(tag, column, p, float(splits.adjusted_p_value[at]) if is_best else None)

    def _adjusted(self, tag: str, column: Column, p: Cell, equals: float | None) -> Cell:
        assert column.grouping is not None
        w, number, multiplier = self.w, column.place + 1, column.grouping.multiplier
        style: dict[str, Any] = {"symbol": f"a_{{{number}}}", "label": "adjusted p value"}
        if multiplier > 10**300:
            w.note(f"Column {column.name} can be merged in more than 1e300 ways: its adjusted p value is given.")
            return w.given(f"a{tag}", column.grouping.adjusted if equals is None else equals, **style)
        if equals is not None:
            style |= {"equals": equals, "attribute": "splits_.adjusted_p_value", "tolerance": 1e-6, "scale": LEAST}
        label = f"ways to make {len(column.groups)} groups of {len(column.categories)} categories"
        if self.node.rule.exhaustive:
            label = "pairs looked at on the way down to two groups"
        m = w.given(f"M{tag}", float(multiplier), symbol=f"M_{{{number}}}", label=label)
        return w.cell(f"a{tag}", where(m * p < 1, m * p, 1), **style)

    def _steps(self, tag: str, column: Column) -> None:
        """The pairs that were looked at."""
        assert column.grouping is not None
        steps = column.grouping.steps
        step_numbers = list(range(len(steps)))
        if len(steps) > MOST_STEPS:
            step_numbers = [*range(MOST_STEPS - 1), len(steps) - 1]
            self.w.note(f"Of the mergers of column {column.name} the first {MOST_STEPS - 1} and the last are shown.")
        for i in step_numbers:
            step = steps[i]
            names = [column.words(group) for group in step.pair]
            text = f"The most alike: {short(' and '.join(names))}; {DONE[step.done]}."
            self.w.step(f"Column {column.name}: pair {i + 1}", text)
            group_of = [""] * len(column.categories)
            for name, group in zip(names, step.pair, strict=True):
                for member in group:
                    group_of[member] = name
            self.test(f"{tag}_{i + 1}", Groups(names, group_of), Found(step.tested.statistic, step.tested.p, ""))

    def in_groups(self, tag: str, groups: Groups, columns: list[tuple[str, Cell]]) -> list[Cell]:
        """Columns of sums by category as sums by group."""
        w = self.w
        if groups.names == groups.of_category:
            return [cell for _, cell in columns]
        h = w.given(f"h{tag}", np.array(groups.of_category, dtype=object), self.axis, symbol="h", label="its group")
        axis = Axis("group", groups.names, "g", "r")
        g = w.given(f"g{tag}", np.array(groups.names, dtype=object), axis, symbol="g", label="group")
        return [
            w.cell(f"{name}{tag}", sum_(where(equal(h, g), cell, 0), self.axis), symbol=cell.symbol, label=cell.label)
            for name, cell in columns
        ]


class _Classes(_Page):
    """Tables of counts: groups in rows, classes in columns."""

    def target(self) -> Cell:
        self.known = labels(self.node.classes)
        return self.w.given("y", labels(self.node.y), self.rows, symbol="y", label="class")

    def sums(self) -> None:
        value = self.tree.value[self.node.number]
        c = self.w.given("class", self.known, class_axis(self.known), symbol="c", label="class")
        inside = sum_(where(equal(self.y, c), self.amount, 0), self.rows)
        self.w.cell("m", inside, symbol="m", label="rows of the class", equals=value, attribute="tree_.value")
        self.there = [k for k, n in enumerate(value) if n > 0]
        self.names = class_axis(self.known).labels
        self.few = len(self.there) <= MOST_CLASSES

    def categories(self, tag: str, x: Cell, v: Cell) -> None:
        self.counts: list[tuple[str, Cell]] = []
        if not self.few:
            self.w.note(f"With more than {MOST_CLASSES} classes the tables are not shown; their statistics are given.")
            return
        for k in self.there:
            together = where(equal(x, v), 1, 0) * where(equal(self.y, self.known[k]), self.amount, 0)
            cell = self.w.cell(f"o_{k + 1}{tag}", sum_(together, self.rows), symbol=f"O_{{{k + 1}}}",
                               label=f"{self.names[k]}")  # fmt: skip
            self.counts.append((f"o_{k + 1}", cell))

    def test(self, tag: str, groups: Groups, expected: Found) -> tuple[Cell, Cell]:
        w = self.w
        if not self.few:
            chi = w.given(f"chi2{tag}", expected.statistic, symbol=r"\chi^2", label="chi-square")
            return chi, w.given(f"p{tag}", expected.p, symbol="p", label="p value")
        observed = self.in_groups(tag, groups, self.counts)
        there = [(k, cell) for k, cell in zip(self.there, observed, strict=True) if np.asarray(cell.stored).any()]
        R = w.cell(f"R{tag}", _sum([cell for _, cell in there]), symbol="R", label="all")
        N = w.cell(f"N{tag}", sum_(R), symbol="N", label="rows in all")
        sums = [
            w.cell(f"T_{k + 1}{tag}", sum_(cell), symbol=f"T_{{{k + 1}}}", label=f"{self.names[k]} in all")
            for k, cell in there
        ]
        terms = [self._parts(tag, k, cell, R * T / N) for (k, cell), T in zip(there, sums, strict=True)]
        statistic = w.cell(f"chi2{tag}", _sum([sum_(term) for term in terms]), symbol=r"\chi^2", label="chi-square",
                           **expected.of_statistic)  # fmt: skip
        r = w.given(f"r{tag}", float(len(groups.names)), symbol="r", label="groups")
        k = w.given(f"k{tag}", float(len(there)), symbol="k", label="classes that occur")
        df = w.cell(f"df{tag}", (r - 1) * (k - 1), symbol="f", label="degrees of freedom")
        if len(there) < 2:
            return statistic, w.given(f"p{tag}", 1.0, symbol="p", label="p value: one class only")
        return statistic, w.cell(
            f"p{tag}", chi_squared_tail(statistic, df), symbol="p", label="p value", **expected.of_p
        )

    def _parts(self, tag: str, k: int, observed: Cell, expected: Expr) -> Cell:
        """Expected counts of one class, and what each group adds to the statistic."""
        w, name = self.w, self.names[k]
        E = w.cell(f"E_{k + 1}{tag}", expected, symbol=f"E_{{{k + 1}}}", label=f"{name}: expected")
        term = (observed - E) ** 2 / E
        if self.node.rule.likelihood_ratio:
            term = 2 * observed * ln(where(observed > 0, observed, E) / E)
        return w.cell(f"d_{k + 1}{tag}", term, symbol=f"d_{{{k + 1}}}", label=f"{name}: part")


def _sum(terms: list[Any]) -> Expr:
    total: Expr = expr(terms[0])
    for term in terms[1:]:
        total = total + term
    return total


class _Numbers(_Page):
    """Weights, means and squares of groups."""

    def target(self) -> Cell:
        return self.w.given("y", self.node.y.astype(np.float64), self.rows, symbol="y", label="target")

    def sums(self) -> None:
        w, at = self.w, self.node.number
        rows = count(self.y) if self.node.weight is None else sum_(self.amount)
        N = w.cell("N", rows, symbol="N", label=self.rows_said, attribute="tree_.weight",
                   equals=float(self.tree.weight[at]))  # fmt: skip
        largest = float(np.abs(self.node.y).max())
        M = w.cell("M", sum_(self.weighted(self.y)) / N, symbol="M", label="mean", scale=largest,
                   equals=float(self.tree.value[at, 0]), attribute="tree_.value")  # fmt: skip
        self.d = w.cell("d", self.y - M, symbol="d", label="less the mean")

    def categories(self, tag: str, x: Cell, v: Cell) -> None:
        amounts = [("n", self.amount, self.rows_said), ("s", self.weighted(self.d), "sum of d"),
                   ("q", self.weighted(self.d**2), "sum of d²")]  # fmt: skip
        self.counts = [
            (
                name,
                self.w.cell(f"{name}{tag}", sum_(where(equal(x, v), amount, 0), self.rows), symbol=name, label=label),
            )
            for name, amount, label in amounts
        ]

    def test(self, tag: str, groups: Groups, expected: Found) -> tuple[Cell, Cell]:
        w = self.w
        n, s, q = self.in_groups(tag, groups, self.counts)
        a = w.cell(f"mean{tag}", s / n, symbol="a", label="mean of d")
        N = w.cell(f"N{tag}", sum_(n), symbol="N", label=self.rows_said)
        m = w.cell(f"m{tag}", sum_(s) / N, symbol="m", label="mean of d over all", scale=_size(s))
        B = w.cell(f"B{tag}", sum_(n * (a - m) ** 2), symbol="B", label="squares between")
        W = w.cell(f"W{tag}", sum_(q - n * a**2), symbol="W", label="squares within")
        r = w.given(f"r{tag}", float(len(groups.names)), symbol="r", label="groups")
        if not float(N.stored) > len(groups.names) or not float(W.stored) > 1e-10 * _size(q):
            w.note("Where groups of one row are compared, or nothing varies within groups, the p value is given.")
            F = w.given(
                f"F{tag}", min(expected.statistic, 1e308), symbol="F", label="F, which these squares do not give"
            )
            return F, w.given(f"p{tag}", expected.p, symbol="p", label="p value")
        F = w.cell(f"F{tag}", (B / (r - 1)) / (W / (N - r)), symbol="F", label="F", **expected.of_statistic)
        return F, w.cell(f"p{tag}", f_tail(F, r - 1, N - r), symbol="p", label="p value", **expected.of_p)


def _size(column: Cell) -> float:
    return float(np.abs(np.asarray(column.stored)).sum())


def _choose(
    w: Working, node: ChaidNode, best_column: int, results: list[tuple[int, tuple[Cell, Cell]]], all_: bool
) -> None:
    """The column that splits the node, if it is significant enough."""
    names = [node.data.names[j] for j, _ in results]
    by_p = node.model.choose_by == "p_value"
    criterion = "least adjusted p value" if by_p else "largest statistic"
    w.step("Choice", f"The column of the {criterion}, the first of equals; it splits the node if that is significant.")
    if best_column not in [j for j, _ in results]:
        w.note("The best column has too many categories to be worked out here.")
        return
    axis = Axis("column", names, "j", "p")
    number = w.given("j", np.arange(1.0, len(names) + 1), axis, symbol="j", label="number")
    name = w.given("column", np.array(names, dtype=object), axis, symbol="v", label="column")
    listed: Expr = expr(results[-1][1][int(by_p)])
    for i in range(len(results) - 2, -1, -1):
        listed = where(equal(number, i + 1), results[i][1][int(by_p)], listed)
    label = "adjusted p value" if by_p else "statistic"
    listed = listed if len(results) > 1 else listed + 0 * number
    value = w.cell("listed", listed, symbol="a" if by_p else "s", label=label)
    best = lookup(name, arg_min(value) if by_p else arg_max(value))
    style: dict[str, Any] = {"symbol": "b", "label": "best column"}
    near = np.asarray(value.stored, dtype=float)
    at = [j for j, _ in results].index(best_column)
    tied = np.isclose(near, near[at], rtol=1e-6).sum() > 1
    if tied or not all_ or int(np.argmin(near) if by_p else np.argmax(near)) != at:
        w.given("best", node.data.names[best_column], **style)
    else:
        w.cell("best", best, equals=node.data.names[best_column], attribute="splits_.column", **style)
    alpha = w.given("alpha", float(node.model.alpha_split), symbol="α", label="largest p value that splits")
    min_p = results[at][1][1]
    tree = node.model.tree_
    split = where(min_p <= alpha, "split", "leaf")
    w.cell("done", split, symbol="z", label="what becomes of the node", attribute="tree_.n_children",
           equals="split" if tree.n_children[node.number] else "leaf")  # fmt: skip
