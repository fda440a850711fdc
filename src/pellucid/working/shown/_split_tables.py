"""The splits of a node of CART as tables: the rows on each side, how mixed they are, and what each split gains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.models.tree.cart import drawn_columns, rows_of
from pellucid.models.tree.nodes import TreeNodes
from pellucid.models.tree.words import Words
from pellucid.working.expression import Axis, Cell, Constant, Expr, expr
from pellucid.working.language import absolute, equal, ln, lookup, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown import _splits as splits
from pellucid.working.shown._node import Group, entropy, gini, group_of
from pellucid.working.shown._rows import spelled
from pellucid.working.shown._splits import Candidates, Rule, Sums
from pellucid.working.shown._tree import short

MOST_CLASSES = 5
MOST_MEDIANS = 500  # rows of a node


@dataclass(frozen=True)
class Node:
    """A node of a fitted tree with the rows that reached it."""

    w: Working
    model: Any
    tree: TreeNodes
    number: int
    words: Words
    X: Floats  # of all rows
    y: Array  # labels or numbers of the target that is shown
    weight: Floats | None
    rows: Array  # that reached it, counted from 0
    sizes: Array  # categories of each column, 0 for numbers
    known: Array  # classes of the target
    place: slice  # of the target among the numbers of a node
    table: Any  # the X that was passed

    @property
    def classes(self) -> bool:
        return len(self.known) > 0

    @property
    def criterion(self) -> str:
        return str(self.model.criterion)

    @property
    def several(self) -> bool:
        return int(self.model.n_outputs_) > 1

    def answer(self, number: int) -> Floats:
        return np.asarray(self.tree.value[number, self.place], dtype=np.float64)


# ---------------------------------------------------------------------------------------------------------- all splits


def _rule(node: Node) -> Rule:
    m, n = node.model, len(node.X)
    total_weight = float(node.tree.weight[0])
    min_weight = float(m.min_weight_fraction_leaf) * total_weight
    criterion = "entropy" if node.criterion == "log_loss" else node.criterion
    ovr = m.category_split == "one_versus_rest"
    weighting = getattr(m, "weighting", "size")
    return Rule(criterion, weighting, m.threshold == "value", ovr, rows_of(m.min_samples_leaf, n), min_weight)


def candidates_of(node: Node) -> list[Candidates] | None:
    """The splits of each column; None where the model did not try all of them, or they have no short formula."""
    m = node.model
    is_random = m.splitter != "best" or drawn_columns(m.max_features, node.X.shape[1]) < node.X.shape[1]
    long = node.criterion == "absolute_error" and len(node.rows) > MOST_MEDIANS
    if (
        is_random
        or long
        or node.several
        or m.monotonic_cst is not None
        or m.surrogates
        or len(node.known) > MOST_CLASSES
    ):
        return None
    sums = _sums(node)
    candidates = []
    for j in range(node.X.shape[1]):
        x = node.X[node.rows, j]
        candidates.append(splits.categories(j, x, sums) if node.sizes[j] else splits.numbers(j, x, sums))
    split_column = int(node.tree.feature[node.number])
    return candidates if made_place(node, candidates[split_column]) is not None else None


def _sums(node: Node) -> Sums:
    row_weight = np.ones(len(node.rows)) if node.weight is None else node.weight[node.rows]
    y = node.y[node.rows]
    if node.classes:
        return Sums(np.column_stack([row_weight * (y == name) for name in node.known]), True, _rule(node))
    if node.criterion == "absolute_error":
        values, value_index = np.unique(y.astype(np.float64), return_inverse=True)
        return Sums(row_weight[:, None] * np.eye(len(values))[value_index], False, _rule(node), values)
    if node.criterion == "poisson":
        return Sums(np.column_stack([row_weight, row_weight * y, row_weight * _y_log_y(y)]), False, _rule(node))
    centered = y.astype(np.float64) - np.average(y.astype(np.float64), weights=row_weight)
    return Sums(np.column_stack([row_weight, row_weight * centered, row_weight * centered**2]), False, _rule(node))


def _y_log_y(y: Array) -> Floats:
    return np.asarray(np.where(y > 0, y * np.log(np.where(y > 0, y, 1)), 0.0), dtype=np.float64)


def made_place(node: Node, candidates: Candidates) -> int | None:
    """Where among the splits of its column the one stands that was made."""
    tree, number = node.tree, node.number
    if candidates.column != tree.feature[number]:
        return None
    if candidates.sets:
        present = {int(code) for code in np.unique(node.X[node.rows, candidates.column]) if code == code}
        inside = frozenset(tree.codes_of(number, 0)) & present
        for index, codes in enumerate(candidates.sets):
            if codes in (inside, present - inside):
                return index
        return None
    same = np.flatnonzero(candidates.thresholds == tree.threshold[number])
    return int(same[0]) if len(same) else None


@dataclass(frozen=True)
class Table:
    """The splits of a column on the page."""

    cost: Cell
    gain: Cell
    left: Cell
    right: Cell
    split: Cell
    shown: Candidates
    means: tuple[Expr, ...] = ()  # of both sides, for numbers


@dataclass(frozen=True)
class Figure:
    """Something that is added up over the rows of a side."""

    name: str
    label: str
    each: Expr  # of a row that has a value in the column
    lost: float  # of all rows that have none


@dataclass(frozen=True)
class Column:
    """A column whose splits are shown."""

    node: Node
    tag: str
    group: Group  # rows with a value
    x: Cell
    shown: Candidates
    axis: Axis  # of the splits


def show_column(node: Node, before: Cell, candidates: Candidates) -> Table:
    """The table of the splits of one column."""
    w, j = node.w, candidates.column
    tag = f"s{j + 1}_"
    split_index = made_place(node, candidates)
    candidates_shown = candidates.taking(candidates.around(candidates.best if split_index is None else split_index))
    x = node.X[node.rows, j]
    there = ~np.isnan(x)
    texts = [_side_words(node, j)]
    if not there.all():
        texts.append(f"{counted(int((~there).sum()), 'row')} without a value go where they fit better.")
    if len(candidates_shown.gain) < len(candidates.gain):
        texts.append(f"Of {len(candidates.gain):,} splits those around the best are shown.")
    w.step(f"Splits of {node.words.names[j]}", " ".join(texts))
    group = _present(node, tag, there)
    axis = Axis("split", [_label(node, candidates_shown, i) for i in range(len(candidates_shown.gain))], "s", "S")
    column = Column(node, tag, group, _values(w, tag, node, j, there, group), candidates_shown, axis)
    sums = _class_sums if node.classes else _median_sums if node.criterion == "absolute_error" else _number_sums
    return sums(column, before, node.rows[~there])


def _side_words(node: Node, j: int) -> str:
    if node.sizes[j]:
        if node.model.category_split == "one_versus_rest":
            return "Each split sends one category to the left, and the others to the right."
        if len(node.known) > 2:
            return "Each split sends a set of categories to the left."
        by = f"the share of {node.known[1]}" if len(node.known) > 1 else "their mean target"
        return f"The categories are ordered by {by}; each split sends the first ones to the left."
    if node.model.threshold == "value":
        return "Each cut is at a value of the data; what lies below it goes left."
    return "Each cut is half way between two neighboring values; what is not above it goes left."


def _label(node: Node, candidates: Candidates, i: int) -> str:
    if candidates.sets:
        return short(
            "{" + ", ".join(node.words.category(candidates.column, code) for code in sorted(candidates.sets[i])) + "}"
        )
    return f"{candidates.thresholds[i]:.6g}"


def _present(node: Node, tag: str, there: Array) -> Group:
    """The rows of the node that have a value in the column; those of the node itself where all have."""
    if there.all():
        y, weight = node.w.cells["y"], node.w.cells.get("w")
        assert isinstance(y, Cell)
        assert y.axis is not None
        return Group(y.axis, y, weight if isinstance(weight, Cell) else None)
    return group_of(node.w, tag, node.rows[there], node.y, node.weight)


def _values(w: Working, tag: str, node: Node, j: int, there: Array, group: Group) -> Cell:
    """The column's values, categories by name."""
    values: Any = node.X[node.rows[there], j]
    if node.sizes[j]:
        values = np.array([node.words.category(j, int(code)) for code in values], dtype=object)
    return w.given(f"{tag}x", values, group.rows, symbol="x", label=node.words.names[j])


# -------------------------------------------------------------------------------------------------------- the left side


def _left(c: Column, figures: list[Figure]) -> tuple[Cell, list[Expr]]:
    """The splits as a column, and for each figure its sum over the rows with a value that go left."""
    if c.shown.sets:
        return _left_categories(c, figures)
    finite = np.where(np.isinf(c.shown.thresholds), np.float64(1e308), c.shown.thresholds)
    v = c.node.w.given(f"{c.tag}split", finite, c.axis, symbol="v", label="cut")
    inside = c.x < v if c.node.model.threshold == "value" else c.x <= v
    plain = [isinstance(figure.each, Constant) for figure in figures]
    bodies = [
        where(inside, figure.each, 0) if is_constant else inside * figure.each
        for figure, is_constant in zip(figures, plain, strict=True)
    ]
    return v, [sum_(body, c.group.rows) for body in bodies]


def _left_categories(c: Column, figures: list[Figure]) -> tuple[Cell, list[Expr]]:
    w, node, sets = c.node.w, c.node, c.shown.sets
    codes, prefixes = _category_order(c)
    names = np.array([node.words.category(c.shown.column, code) for code in codes], dtype=object)
    axis = Axis("category", names.tolist(), "a", "A")
    word = w.given(f"{c.tag}category", names, axis, symbol="a", label="category")
    position = w.given(f"{c.tag}place", np.arange(1.0, len(codes) + 1), axis, symbol="k", label="place")
    category_sums = [
        w.cell(f"{c.tag}c_{figure.name}", sum_(where(equal(c.x, word), figure.each, 0), c.group.rows),
               symbol=f"h_{{{figure.name}}}", label=figure.label)
        for figure in figures
    ]  # fmt: skip
    listed = np.array([_label(node, c.shown, i) for i in range(len(sets))], dtype=object)
    split = w.given(f"{c.tag}split", listed, c.axis, symbol="S", label="goes left")
    if prefixes:
        many = w.given(f"{c.tag}first", np.array([float(len(codes_left)) for codes_left in sets]), c.axis, symbol="f",
                       label="how many of the first")  # fmt: skip
        return split, [sum_(where(position <= many, codes_left, 0), axis) for codes_left in category_sums]
    if all(len(codes_left) == 1 for codes_left in sets):
        at = np.array([1.0 + codes.index(next(iter(codes_left))) for codes_left in sets])
        which = w.given(f"{c.tag}which", at, c.axis, symbol="k", label="its place")
        return split, [lookup(codes_left, which) for codes_left in category_sums]
    member = np.array([[code in codes_left for code in codes] for codes_left in sets], dtype=np.float64)
    w.note("What goes left is added up over the categories of the set.")
    return split, [
        w.given(f"{c.tag}in_{figure.name}", member @ np.asarray(codes_left.value, dtype=np.float64), c.axis,
                symbol=f"d_{{{figure.name}}}", label=f"{figure.label}, in the set")
        for figure, codes_left in zip(figures, category_sums, strict=True)
    ]  # fmt: skip


def _category_order(c: Column) -> tuple[list[int], bool]:
    """The categories of the node, and whether every set holds the first ones of them."""
    sums, x = _sums(c.node), c.node.X[c.node.rows, c.shown.column]
    codes = [int(code) for code in np.unique(x[~np.isnan(x)])]
    by_code = np.array([sums.table[x == code].sum(axis=0) for code in codes])
    order = splits.orders(codes, by_code, sums)[0]
    if all(codes_left == frozenset(order[: len(codes_left)]) for codes_left in c.shown.sets):
        return order, True
    return codes, False


def _with_lost(c: Column, figure: Figure, body: Expr) -> Expr:
    """Adds the rows without a value, where a split sends them to the left."""
    if len(c.group.rows) == len(c.node.rows):
        return body
    lost = np.where(c.shown.missing_left, figure.lost, 0.0)
    return body + c.node.w.given(f"{c.tag}lost_{figure.name}", lost, c.axis, symbol=f"o_{{{figure.name}}}",
                                 label=f"{figure.label}, no value")  # fmt: skip


# --------------------------------------------------------------------------------------------------- what a split gains


def _class_sums(c: Column, before: Cell, extra: Array) -> Table:
    w, node, tag = c.node.w, c.node, c.tag
    class_totals = w.cells["m"]
    assert isinstance(class_totals, Cell)
    row_weight = np.ones(len(node.X)) if node.weight is None else node.weight
    figures = [
        Figure(str(k), spelled(one), where(equal(c.group.y, one), c.group.amount, 0),
               float(row_weight[extra][node.y[extra] == one].sum()))
        for k, one in enumerate(node.known.tolist(), start=1)
    ]  # fmt: skip
    split, bodies = _left(c, figures)
    bodies = [_with_lost(c, figure, body) for figure, body in zip(figures, bodies, strict=True)]
    low = [
        w.cell(f"{tag}l_{figure.name}", body, symbol=f"l_{{{figure.name}}}", label=f"{figure.label}, left")
        for figure, body in zip(figures, bodies, strict=True)
    ]
    high = [
        w.cell(
            f"{tag}u_{f.name}",
            lookup(class_totals, k) - count_left,
            symbol=f"u_{{{f.name}}}",
            label=f"{f.label}, right",
        )
        for k, (f, count_left) in enumerate(zip(figures, low, strict=True), start=1)
    ]
    impurity = gini if node.criterion == "gini" else entropy
    sizes, mixed = [], []
    for name, counts, word in (("L", low, "left"), ("R", high, "right")):
        size = w.cell(
            f"{tag}n_{name}", reduce(add, [expr(count_left) for count_left in counts]), symbol=f"n_{name}", label=word
        )
        sizes.append(size)
        mixed.append(w.cell(f"{tag}i_{name}", impurity(counts, size), symbol=f"i_{name}", label=f"impurity {word}"))
    return _judged(c, before, sizes, mixed, split)


def _number_sums(c: Column, before: Cell, extra: Array) -> Table:
    w, node, tag, group = c.node.w, c.node, c.tag, c.group
    poisson = node.criterion == "poisson"
    m = w.cells["mean"]
    assert isinstance(m, Cell)
    figures = _poisson_figures(c, extra) if poisson else _square_figures(c, m, extra)
    split, bodies = _left(c, figures)
    left, right = {}, {}
    for figure, body in zip(figures, bodies, strict=True):
        f = figure.name
        plain = isinstance(figure.each, Constant)
        all_: Expr = expr(float(len(group.rows))) if plain else sum_(figure.each, group.rows)
        all_ = all_ + figure.lost if len(extra) else all_
        left[f] = w.cell(f"{tag}{f}_L", _with_lost(c, figure, body), symbol=f"{f}_L", label=f"{figure.label}, left")
        right[f] = w.cell(f"{tag}{f}_R", all_ - left[f], symbol=f"{f}_R", label=f"{figure.label}, right")
    mixed = []
    for name, side, word in (("L", left, "left"), ("R", right, "right")):
        mean = side["S"] / side["n"]
        body = side["T"] / side["n"] - mean * ln(mean) if poisson else side["Q"] / side["n"] - mean**2
        mixed.append(w.cell(f"{tag}i_{name}", body, symbol=f"i_{name}", label=f"impurity {word}"))
    table = _judged(c, before, [left["n"], right["n"]], mixed, split)
    split_index = made_place(node, c.shown)
    if split_index is None:
        return table
    inside = [lookup(side["S"], split_index + 1) / lookup(side["n"], split_index + 1) for side in (left, right)]
    return replace(table, means=tuple(inside if poisson else [m + offset for offset in inside]))


def _square_figures(c: Column, m: Cell, extra: Array) -> list[Figure]:
    """Rows, targets less the mean of the node, and their squares."""
    d = c.node.w.cell(f"{c.tag}dev", c.group.y - m, symbol="e", label="target less the mean")
    y = c.node.y[extra].astype(np.float64) - float(m.value)
    return _figures(c, extra, [("S", "sum of e", d, y), ("Q", "sum of e²", d**2, y**2)])


def _poisson_figures(c: Column, extra: Array) -> list[Figure]:
    """Rows, targets, and y ln y."""
    y = c.group.y
    t = c.node.w.cell(f"{c.tag}ylny", where(y > 0, y * ln(where(y > 0, y, 1)), 0), symbol="t", label="y ln y")
    lost = c.node.y[extra].astype(np.float64)
    return _figures(c, extra, [("S", "sum of y", y, lost), ("T", "sum of y ln y", t, _y_log_y(lost))])


def _figures(c: Column, extra: Array, listed: list[tuple[str, str, Expr, Floats]]) -> list[Figure]:
    row_weight, weight = np.ones(len(extra)) if c.node.weight is None else c.node.weight[extra], c.group.weight
    rows = Figure("n", "rows", c.group.amount, float(row_weight.sum()))
    return [rows] + [
        Figure(name, label, each if weight is None else weight * each, float(row_weight @ lost))
        for name, label, each, lost in listed
    ]


def _median_sums(c: Column, before: Cell, extra: Array) -> Table:
    """Medians are given, and worked out of them how far the targets lie apart, where that is a short formula."""
    w, node, tag = c.node.w, c.node, c.tag
    sums, x = _sums(node), node.X[node.rows, c.shown.column]
    split, goes_left = _median_split(c, x)
    sides = (("L", "left", goes_left), ("R", "right", ~goes_left))
    row_sums = {name: inside @ sums.table for name, _, inside in sides}
    formula = not c.shown.sets and not len(extra)
    text = "rows" if node.weight is None else "weight"
    sizes = [
        w.given(f"{tag}n_{name}", sums.weight(row_sums[name]), c.axis, symbol=f"n_{name}", label=f"{text}, {word}")
        for name, word, _ in sides
    ]
    middles = [
        w.given(f"{tag}M_{name}", sums.median(row_sums[name]), c.axis, symbol=f"M_{name}", label=f"median {word}")
        for name, word, _ in sides
    ]
    mixed = []
    for (name, word, _), size, middle in zip(sides, sizes, middles, strict=True):
        style: dict[str, Any] = {"symbol": f"i_{name}", "label": f"impurity {word}: mean distance from the median"}
        if not formula:
            mixed.append(w.given(f"{tag}i_{name}", sums.impurity(row_sums[name]), c.axis, **style))
            continue
        apart = absolute(c.group.y - middle)
        apart = apart if c.group.weight is None else c.group.weight * apart
        inside = c.x < split if node.model.threshold == "value" else c.x <= split
        body = where(inside, apart, 0) if name == "L" else where(inside, 0, apart)
        mixed.append(w.cell(f"{tag}i_{name}", sum_(body, c.group.rows) / size, **style))
    return _judged(c, before, sizes, mixed, split)


def _median_split(c: Column, x: Floats) -> tuple[Cell, Array]:
    """The splits as a column, and for each of them which rows of the node go left."""
    w, node, candidates = c.node.w, c.node, c.shown
    missing = np.isnan(x)
    if candidates.sets:
        listed = np.array([_label(node, candidates, i) for i in range(len(candidates.sets))], dtype=object)
        split = w.given(f"{c.tag}split", listed, c.axis, symbol="S", label="goes left")
        is_left = np.array([np.isin(x, list(codes_left)) for codes_left in candidates.sets])
    else:
        finite = np.where(np.isinf(candidates.thresholds), np.float64(1e308), candidates.thresholds)
        split = w.given(f"{c.tag}split", finite, c.axis, symbol="v", label="cut")
        cuts = candidates.thresholds[:, None]
        is_left = x[None, :] < cuts if node.model.threshold == "value" else x[None, :] <= cuts
    return split, np.where(missing[None, :], candidates.missing_left[:, None], is_left)


def _judged(c: Column, before: Cell, sizes: list[Cell], mixed: list[Cell], split: Cell) -> Table:
    w, tag = c.node.w, c.tag
    if getattr(c.node.model, "weighting", "size") == "none":
        cost = w.cell(f"{tag}cost", mixed[0] + mixed[1], symbol="c", label="cost: both impurities added")
    else:
        both = (sizes[0] * mixed[0] + sizes[1] * mixed[1]) / (sizes[0] + sizes[1])
        cost = w.cell(f"{tag}cost", both, symbol="c", label="cost: mean impurity, weighted by size")
    gain = w.cell(f"{tag}gain", before - cost, symbol="g", label="gain: impurity of the node less the cost")
    return Table(cost, gain, mixed[0], mixed[1], split, c.shown)
