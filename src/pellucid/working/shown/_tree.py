"""The way of a row through a tree: each test with the row's own value, and what the leaf answers.

Shared by the workings of all trees: `predictions` is a whole working of ``predict``; `words_of` names columns and
categories; `branch_of` and `ways` walk through a `TreeNodes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.models.tree.nodes import SHARE, STOP, NodeTest, TreeNodes
from pellucid.models.tree.words import Words
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_max, equal, lookup, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import class_axis, label, labels

MOST_ROWS = 3
MOST_TESTS = 24  # of a deep tree the first and the last ones are shown
MOST_MEMBERS = 12  # categories that a formula spells out
MOST_CLASSES = 12
MOST_WAYS = 40
LONGEST = 60


@dataclass(frozen=True)
class Way:
    """Nodes from the root to where a row ends, and which share of the row goes there."""

    nodes: tuple[int, ...]
    share: float


def words_of(model: Any, names: list[str]) -> Words:
    """Names of columns and categories of a fitted tree."""
    return Words(names, getattr(getattr(model, "schema_", None), "categories", {}))


def branch_of(tree: TreeNodes, node: int, x: Floats) -> int:
    """The branch that a row takes at a node; SHARE or STOP where its value is missing there and goes that way."""
    test, value = NodeTest(int(tree.test[node])), float(x[int(tree.feature[node])])
    otherwise = _stand_in(tree, node, x)
    if np.isnan(value):
        return otherwise
    if test is NodeTest.AT_MOST:
        return int(value > tree.threshold[node])
    if test is NodeTest.BELOW:
        return int(value >= tree.threshold[node])
    if test is NodeTest.INTERVALS:
        return int(np.searchsorted(tree.cuts_of(node), value, side="left"))
    entries = tree.table[tree.table_start[node] : tree.table_start[node + 1]]
    if test is NodeTest.SUBSET:
        inside = 0 <= value < 32 * len(entries)
        return int(not int(entries[int(value) // 32]) >> (int(value) % 32) & 1) if inside else otherwise
    branch = int(entries[int(value)]) if 0 <= value < len(entries) else -1
    return branch if branch >= 0 else otherwise


def _stand_in(tree: TreeNodes, node: int, x: Floats) -> int:
    """Where a row goes whose own value is missing: by the first surrogate that has one, else as the node says."""
    surrogates = range(*tree.surrogate_start[node : node + 2].tolist()) if len(tree.surrogate_start) else ()
    for k in surrogates:
        value = float(x[int(tree.surrogate_feature[k])])
        if not np.isnan(value):
            low = value <= tree.surrogate_threshold[k]
            return int(low == bool(tree.surrogate_reverse[k]))
    return int(tree.missing_child[node])


def ways(tree: TreeNodes, x: Floats) -> list[Way]:
    """Where a row goes: one way, or several where a missing value is shared among the branches."""
    paths: list[Way] = []
    waiting = [Way((0,), 1.0)]
    while waiting:
        path = waiting.pop()
        node = path.nodes[-1]
        branch = STOP if tree.n_children[node] == 0 else branch_of(tree, node, x)
        if branch == STOP:
            paths.append(path)
            continue
        children = list(tree.children(node))
        if branch != SHARE:
            waiting.append(Way((*path.nodes, children[branch]), path.share))
            continue
        all_ = float(sum(tree.weight[child] for child in children))
        shares = [(child, path.share * float(tree.weight[child]) / all_) for child in children]
        waiting += [Way((*path.nodes, child), share) for child, share in reversed(shares) if share > 0]
    return paths


def short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


# ---------------------------------------------------------------------------------------------------------- the tests


def next_node(w: Working, tag: str, k: int, tree: TreeNodes, node: int, x: Floats, words: Words) -> None:
    """Test number k of a way: the row's value, and the number of the node that it leads to."""
    j, first = int(tree.feature[node]), int(tree.first_child[node])
    value, name = float(x[j]), words.names[j]
    branch = branch_of(tree, node, x)
    style: dict[str, Any] = {"symbol": f"n_{{{k}}}", "label": _question(tree, node, words)}
    categorical = NodeTest(int(tree.test[node])) in (NodeTest.SUBSET, NodeTest.CATEGORIES)
    if np.isnan(value):
        w.given(f"{tag}x_{k}", "missing", symbol=f"x_{{{k}}}", label=name)
        w.given(f"{tag}n_{k}", first + branch, symbol=f"n_{{{k}}}", label=_instead(tree, node, x, words))
        return
    cell_value: Any = words.category(j, int(value)) if categorical else value
    cell = w.given(f"{tag}x_{k}", cell_value, symbol=f"x_{{{k}}}", label=name)
    formula = _leads_to(tree, node, cell, words)
    if formula is None or formula.value != first + branch:  # too many categories, or one that the node never met
        w.given(f"{tag}n_{k}", first + branch, **style)
        return
    w.cell(f"{tag}n_{k}", formula, equals=float(first + branch), attribute="tree_", **style)


def _instead(tree: TreeNodes, node: int, x: Floats, words: Words) -> str:
    """What is asked where the value of a test is missing."""
    surrogates = range(*tree.surrogate_start[node : node + 2].tolist()) if len(tree.surrogate_start) else ()
    for k in surrogates:
        j = int(tree.surrogate_feature[k])
        if not np.isnan(x[j]):
            first = int(tree.first_child[node]) + int(tree.surrogate_reverse[k])
            test = f"{words.names[j]} <= {words.number(float(tree.surrogate_threshold[k]))}"
            return f"asked instead: {short(test)}? then node {first}, else the other"
    return "a missing value goes to node"


def _question(tree: TreeNodes, node: int, words: Words) -> str:
    first, branches = int(tree.first_child[node]), int(tree.n_children[node])
    if branches == 2:
        return f"{short(words.condition(tree, node, 0))}? then node {first}, else node {first + 1}"
    texts = [f"{words.answer(tree, node, b)}: node {first + b}" for b in range(branches)]
    return f"{words.names[int(tree.feature[node])]}? {short('; '.join(texts))}"


def _leads_to(tree: TreeNodes, node: int, x: Cell, words: Words) -> Expr | None:
    """The number of the node that a test leads to, as a formula; None where it would be too long."""
    test, first = NodeTest(int(tree.test[node])), int(tree.first_child[node])
    if test in (NodeTest.AT_MOST, NodeTest.BELOW):
        threshold = float(tree.threshold[node])
        return where(x <= threshold if test is NodeTest.AT_MOST else x < threshold, first, first + 1)
    if test is NodeTest.INTERVALS:
        cuts = tree.cuts_of(node).tolist()
        node_number: Expr = expr(first + len(cuts))
        for i in range(len(cuts) - 1, -1, -1):
            node_number = where(x <= float(cuts[i]), first + i, node_number)
        return node_number if len(cuts) <= MOST_MEMBERS else None
    return _by_category(tree, node, x, words)


def _by_category(tree: TreeNodes, node: int, x: Cell, words: Words) -> Expr | None:
    """Category by category, the last branch being what is left."""
    first, branches = int(tree.first_child[node]), int(tree.n_children[node])
    members = [words.members(tree, node, branch) for branch in range(branches)]
    order = sorted(range(branches), key=lambda branch: len(members[branch]))
    if sum(len(members[branch]) for branch in order[:-1]) > MOST_MEMBERS:
        return None
    node_number: Expr = expr(first + order[-1])
    for branch in order[-2::-1]:
        for member in reversed(members[branch]):
            node_number = where(equal(x, member), first + branch, node_number)
    return node_number


def show_way(w: Working, tag: str, title: str, tree: TreeNodes, path: Way, x: Floats, words: Words) -> None:
    """The tests on one way, from the root to the node that answers."""
    test_nodes = path.nodes[:-1]
    w.step(
        title,
        "Each node tests one column and says which node is next; the root is node 0.",
        in_workbook="The path is that of the row as it is: the nodes below a test do not follow a changed value.",
    )
    if not test_nodes:
        w.given(f"{tag}n_0", 0.0, symbol="n_{0}", label="the root answers: nothing is asked")
    test_numbers = list(range(len(test_nodes)))
    if len(test_numbers) > MOST_TESTS:
        test_numbers = test_numbers[: MOST_TESTS // 2] + test_numbers[-(MOST_TESTS // 2) :]
        w.note(f"Of {len(test_nodes):,} tests on a way the first and the last {MOST_TESTS // 2} are shown.")
    for k in test_numbers:
        next_node(w, tag, k + 1, tree, test_nodes[k], x, words)


# -------------------------------------------------------------------------------------------------------- the answers


def _classes(model: Any, target: int) -> tuple[Array, slice]:
    """Labels of one target, and where its classes stand among the numbers of a node."""
    several = isinstance(model.classes_, list)
    sizes = [len(classes) for classes in model.classes_] if several else [len(model.classes_)]
    start = sum(sizes[:target])
    target_classes = model.classes_[target] if several else model.classes_
    return labels(np.asarray(target_classes)), slice(start, start + sizes[target])


def _said(model: Any, data: Given, rows: list[int]) -> Array:
    predicted = np.asarray(model.predict(data.table))
    return (predicted[:, data.target] if predicted.ndim > 1 else predicted)[rows]


def _sure(model: Any, data: Given, rows: list[int]) -> Floats | None:
    if not hasattr(model, "predict_proba"):
        return None
    sure = model.predict_proba(data.table)
    return np.asarray(sure[data.target] if isinstance(sure, list) else sure)[rows]


def predictions(w: Working, model: Any, data: Given) -> None:
    """The working of ``predict`` of any tree: for a few rows the way from the root to a leaf, and its answer."""
    tree, words = model.tree_, words_of(model, data.names)
    rows = data.rows or list(range(min(len(data.X), MOST_ROWS)))
    predicted, sure = _said(model, data, rows), _sure(model, data, rows)
    for i, row in enumerate(rows):
        tag, x = f"r{row}_" if rows.count(row) == 1 else f"r{row}_{i}_", data.X[row]
        paths = ways(tree, x)
        if len(paths) == 1:
            show_way(w, tag, f"Row {row}: way", tree, paths[0], x, words)
        class_answer = _ClassAnswer(w, model, data, tag, row) if hasattr(model, "classes_") else None
        if class_answer is not None:
            class_answer.show(paths, None if sure is None else sure[i], predicted[i])
        else:
            _number(w, model, data, tag, row, paths, float(predicted[i]))
    if not data.rows and len(data.X) > MOST_ROWS:
        w.note(f"The first {MOST_ROWS} rows are shown; rows=[...] asks for others.")


@dataclass(frozen=True)
class _ClassAnswer:
    """What a leaf says of the classes."""

    w: Working
    model: Any
    data: Given
    tag: str
    row: int

    def show(self, paths: list[Way], sure: Floats | None, predicted: Any) -> None:
        class_names, class_slice = _classes(self.model, self.data.target)
        at = {"equals": sure, "attribute": "predict_proba(X)"} if sure is not None else {}
        if len(paths) == 1:
            share, c = self._one(paths[0], class_names, class_slice, at)
        else:
            share, c = self._several(paths, class_names, class_slice, at)
        self.w.cell(f"{self.tag}class", lookup(c, arg_max(share)), symbol=r"\hat{y}", equals=label(predicted),
                    label="predicted class: the largest share, the first of equals",
                    attribute="predict(X)")  # fmt: skip

    def _known(self, class_names: Array) -> Cell:
        return self.w.given(f"{self.tag}c", class_names, class_axis(class_names), symbol="c", label="class")

    def _one(self, path: Way, class_names: Array, class_slice: slice, at: dict[str, Any]) -> tuple[Cell, Cell]:
        w, node = self.w, path.nodes[-1]
        w.step(f"Row {self.row}: answer", f"How the rows of the fit that reached node {node} divide into the classes.")
        c = self._known(class_names)
        counts = np.asarray(self.model.tree_.value[node, class_slice], dtype=np.float64)
        m = w.given(f"{self.tag}m", counts, c.axis, symbol="m", label="rows, by weight, in the leaf")
        return w.cell(f"{self.tag}p", m / sum_(m), symbol="p", label="share", **at), c

    def _several(
        self, paths: list[Way], class_names: Array, class_slice: slice, at: dict[str, Any]
    ) -> tuple[Cell, Cell]:
        w, tree = self.w, self.model.tree_
        _ways(w, self.tag, self.row, paths)
        q = _shares(w, self.tag, paths)
        c = self._known(class_names)
        leaves = [path.nodes[-1] for path in paths]
        counts = np.asarray(tree.value[leaves, class_slice], dtype=np.float64)
        inside = counts / np.where(counts.sum(axis=1, keepdims=True) > 0, counts.sum(axis=1, keepdims=True), 1)
        if len(class_names) > MOST_CLASSES or len(paths) > MOST_WAYS:
            w.note("Where there are many classes or ways, the shares of the classes are given, not worked out.")
            p = w.given(f"{self.tag}p", _weighted(paths, inside), c.axis, symbol="p", label="share")
            if at:
                w.check(p, at["equals"], at["attribute"])
            return p, c
        columns = [
            w.given(f"{self.tag}p_{k + 1}", inside[:, k], q.axis, symbol=f"p_{{{k + 1}}}", label=f"{name} in the leaf")
            for k, name in enumerate(c.axis.labels if c.axis else ())
        ]
        class_shares = [
            w.cell(
                f"{self.tag}s_{k + 1}", sum_(q * column), symbol=f"s_{{{k + 1}}}", label=column.label.split(" in ")[0]
            )
            for k, column in enumerate(columns)
        ]
        place_of: Expr = expr(0)
        number = w.given(
            f"{self.tag}k", np.arange(1.0, len(class_names) + 1), c.axis, symbol="k", label="number of the class"
        )
        for k in range(len(class_shares) - 1, -1, -1):
            place_of = where(equal(number, k + 1), class_shares[k], place_of)
        return w.cell(f"{self.tag}p", place_of, symbol="p", label="share", **at), c


def _weighted(paths: list[Way], inside: Floats) -> Floats:
    return np.asarray(np.array([path.share for path in paths]) @ inside)


def _ways(w: Working, tag: str, row: int, paths: list[Way]) -> None:
    w.step(
        f"Row {row}: ways",
        "A missing value is asked for: the row is divided among the branches by the weight of the rows of the fit that "
        "took each, so that a share of it ends in each of these nodes.",
    )


def _shares(w: Working, tag: str, paths: list[Way]) -> Cell:
    axis = Axis("leaf", [str(path.nodes[-1]) for path in paths], "l", "L")
    shares = np.array([path.share for path in paths])
    return w.given(f"{tag}q", shares, axis, symbol="q", label="share of the row that ends in this node")


def _number(w: Working, model: Any, data: Given, tag: str, row: int, paths: list[Way], predicted: float) -> None:
    """What a leaf of a regression tree says."""
    tree = model.tree_
    style: dict[str, Any] = {"symbol": r"\hat{y}", "label": "prediction"}
    leaves = [path.nodes[-1] for path in paths]
    values = np.asarray(tree.value[leaves, data.target], dtype=np.float64)
    if len(paths) == 1:
        median = getattr(model, "criterion", "") == "absolute_error"
        middle = "the median of their targets" if median else "the mean of their targets"
        w.step(f"Row {row}: answer", f"What the rows of the fit that reached node {leaves[0]} say: {middle}.")
        rows_there = float(tree.n_rows[leaves[0]])
        w.given(f"{tag}rows", rows_there, symbol="n", label="rows of the fit in the leaf")
        cell = w.given(f"{tag}prediction", float(values[0]), **style)
        w.check(cell, predicted, "predict(X)")
        return
    _ways(w, tag, row, paths)
    q = _shares(w, tag, paths)
    v = w.given(f"{tag}v", values, q.axis, symbol="v", label="its answer")
    w.cell(f"{tag}prediction", sum_(q * v), equals=predicted, attribute="predict(X)", scale=float(np.abs(values).max()),
           **style)  # fmt: skip
