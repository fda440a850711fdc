"""CART: the splits of a node and the best of them, the way of a row, and the branches that are worth least."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.models.tree.cart import drawn_columns, rows_of
from pellucid.models.tree.categories import category_sizes
from pellucid.models.tree.class_weight import class_weights
from pellucid.models.tree.nodes import TreeNodes
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_max, equal, lookup, max_, where
from pellucid.working.model import Working
from pellucid.working.shown import _splits as splits
from pellucid.working.shown._node import Group, group_of, show_classes, show_numbers
from pellucid.working.shown._pruning import show_pruning
from pellucid.working.shown._rows import labels, refuse
from pellucid.working.shown._split_tables import Node, Table, candidates_of, made_place, show_column
from pellucid.working.shown._splits import Candidates
from pellucid.working.shown._tree import predictions, short, words_of

MOST_COLUMNS = 5


@shows("DecisionTreeClassifier.predict", "DecisionTreeRegressor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Decision tree: predictions"
    w.intro = "A row is asked from the root down, one column at a time, until it reaches a leaf, which answers."
    predictions(w, model, data)


@shows("DecisionTreeClassifier.pruning", "DecisionTreeRegressor.pruning")
def pruning(w: Working, model: Any, data: Given) -> None:
    y = np.asarray(data.options["y"])
    listed = getattr(model, "classes_", None)
    if isinstance(listed, list):
        y = np.column_stack([classes[y[:, k].astype(int)] for k, classes in enumerate(listed)])
    elif listed is not None:
        y = np.asarray(data.y)
    show_pruning(w, model, data.table, y, data.weight)


@shows("DecisionTreeClassifier.fit", "DecisionTreeRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    node = _read(w, model, data)
    here = "The root" if node.number == 0 else f"Node {node.number}"
    w.title = "Decision tree: how a node is split"
    w.intro = (
        f"{here} of {counted(len(node.tree), 'node')}: how mixed its rows are, what every split would make of them, "
        "and the split that is made. show_fit(..., node=k) shows another node."
    )
    before = _show_node(node)
    if node.tree.n_children[node.number] == 0:
        _say_why_leaf(node)
        return
    candidates = candidates_of(node)
    if candidates is None:
        _show_made(node, before)
        return
    _show_candidates(node, before, candidates)


def _read(w: Working, model: Any, data: Given) -> Node:
    tree = model.tree_
    number = data.options.get("node", 0)
    if not isinstance(number, int | np.integer) or not 0 <= number < len(tree):
        refuse(f"{type(model).__name__}.fit", f"node must be a number from 0 to {len(tree) - 1}", f"got {number!r}")
    d = model._validate_predict(data.table)
    codes = np.asarray(data.options["y"], dtype=np.float64).reshape(len(data.X), -1)
    weight, class_names, value_slice = data.weight, np.empty(0), slice(data.target, data.target + 1)
    y = np.asarray(data.y)
    if hasattr(model, "classes_"):
        listed = model._labels
        weight = class_weights(d.who, model.class_weight, codes, listed, weight)
        start = sum(len(classes) for classes in listed[: data.target])
        class_names, value_slice = labels(listed[data.target]), slice(start, start + len(listed[data.target]))
        y = labels(y)
    passed = model.decision_path(data.table).tocsc()[:, [int(number)]].indices
    rows = np.sort(passed if weight is None else passed[weight[passed] > 0])
    sizes = category_sizes(d, model.categorical_features)
    words = words_of(model, data.names)
    return Node(
        w, model, tree, int(number), words, data.X, y, weight, rows, sizes, class_names, value_slice, data.table
    )


# ----------------------------------------------------------------------------------------------------- the node itself


def _show_node(node: Node) -> Cell:
    """The rows and their impurity, which must be the model's."""
    w, tree, number = node.w, node.tree, node.number
    conditions = [node.words.condition(tree, above, tree.branch(below)) for above, below in _steps(tree, number)]
    where_from = f" Rows with {short(' and '.join(conditions))}." if conditions else ""
    w.step("Rows of the node", f"{counted(len(node.rows), 'row')} of the fit reached it.{where_from}")
    group = group_of(w, "", node.rows, node.y, node.weight)
    mixed = _show_group(node, "", group, number)
    return _checked(node, "", mixed, number)


def _steps(tree: TreeNodes, number: int) -> list[tuple[int, int]]:
    path = tree.way(number)
    return list(pairwise(path))


def _show_group(node: Node, tag: str, group: Group, number: int) -> Cell:
    bounded = node.model.monotonic_cst is not None  # answers may be held back
    if node.classes:
        leaf_value = None if bounded else node.answer(number)
        return show_classes(node.w, tag, group, node.known, node.criterion, leaf_value)
    return show_numbers(node.w, tag, group, node.criterion, float(node.answer(number)[0]), not bounded)


def _checked(node: Node, tag: str, mixed: Cell, number: int) -> Cell:
    """Ties the impurity to the model's; of several targets that is the mean over all of them."""
    w, want = node.w, float(node.tree.impurity[number])
    size = 1.0 if node.classes else float(np.abs(node.y[node.rows].astype(np.float64)).max(initial=0)) ** 2
    if not node.several:
        w.check(mixed, want, "tree_.impurity", scale=size)
        return mixed
    mean_impurity = w.given(f"{tag}i_all", want, symbol=r"\bar{i}", label="mean of this over all targets")
    w.check(mean_impurity, want, "tree_.impurity")
    return mean_impurity


def _say_why_leaf(node: Node) -> None:
    model, number, tree = node.model, node.number, node.tree
    depth, n = len(tree.way(number)) - 1, len(node.rows)
    if tree.impurity[number] <= 1e-12:
        why = "its rows are all alike"
    elif model.max_depth is not None and depth >= model.max_depth:
        why = f"max_depth={model.max_depth} is reached"
    elif n < max(rows_of(model.min_samples_split, len(node.X)), 2 * rows_of(model.min_samples_leaf, len(node.X))):
        why = "it has too few rows to be split"
    elif model.ccp_alpha > 0:
        why = "no split is possible, or pruning took it back"
    else:
        why = "no split is possible or good enough"
    node.w.note(f"Node {number} is a leaf: {why}. It answers with {_answer_words(node)}.")


def _answer_words(node: Node) -> str:
    leaf_value = node.answer(node.number)
    return f"class {node.known[int(leaf_value.argmax())]}" if node.classes else f"{leaf_value[0]:.6g}"


def _show_candidates(node: Node, before: Cell, candidates: list[Candidates]) -> None:
    w, split_column = node.w, int(node.tree.feature[node.number])
    possible = [candidate for candidate in candidates if len(candidate.gain)]
    order = sorted(possible, key=lambda candidate: (candidate.column != split_column, -candidate.gain.max()))
    shown_candidates = sorted(order[:MOST_COLUMNS], key=lambda candidate: candidate.column)
    if len(shown_candidates) < len(possible):
        w.note(f"Of {counted(len(candidates), 'column')} the {len(shown_candidates)} that gain most are shown.")
    if len(possible) < len(candidates):
        idle = [node.words.names[candidate.column] for candidate in candidates if not len(candidate.gain)]
        w.note(f"No split of {short(', '.join(idle))} is possible here.")
    w.note("A condition in brackets counts 1 where it holds, else 0.")
    tables = [show_column(node, before, candidate) for candidate in shown_candidates]
    _show_winner(node, shown_candidates, tables)


# ---------------------------------------------------------------------------------------------------------- the winner


def _show_winner(node: Node, candidates: list[Candidates], tables: list[Table]) -> None:
    w, tree, number = node.w, node.tree, node.number
    names = [node.words.names[candidate.column] for candidate in candidates]
    w.step("The best split", "The column whose best split gains most; of equals the first, and its first split.")
    axis = Axis("column", names, "j", "p")
    each = [
        w.cell(
            f"best_{candidate.column + 1}",
            max_(table.gain),
            symbol=f"g_{{{candidate.column + 1}}}",
            label=f"most by {name}",
        )
        for candidate, table, name in zip(candidates, tables, names, strict=True)
    ]
    j = w.given("j", np.arange(1.0, len(names) + 1), axis, symbol="j", label="number")
    name = w.given("name", np.array(names, dtype=object), axis, symbol=r"\text{name}", label="column")
    body: Expr = expr(0)
    for k in range(len(each) - 1, -1, -1):
        body = where(equal(j, k + 1), each[k], body)
    gains = w.cell("gain_of", body, symbol="g", label="its largest gain")
    made_index = next(i for i, candidate in enumerate(candidates) if candidate.column == tree.feature[number])
    best = float(np.max(np.asarray(gains.value)))
    first = splits.first_best(np.asarray(gains.value))
    _largest(node, gains, best)
    near = where(gains >= best - splits.NEARLY * max(1.0, abs(best)), 1, 0)
    if first == made_index:
        w.cell("feature", lookup(name, arg_max(near)), symbol=r"\hat{f}", label="the column that is asked",
               equals=names[made_index], attribute="tree_.feature")  # fmt: skip
    else:
        decided = "chance decided" if getattr(node.model, "draws_ties", False) else "rounding decided"
        w.note(f"Several columns gain the same but for rounding; {decided} for this one.")
        w.given("feature", names[made_index], symbol=r"\hat{f}", label="the column that is asked")
    _place_of_winner(node, tables[made_index])


def _largest(node: Node, gains: Cell, best: float) -> None:
    """The gain of the split that was made is the largest of all, and the one that the nodes of the tree give."""
    tree, number = node.tree, node.number
    children = list(tree.children(number))
    shares = tree.weight[children] / tree.weight[children].sum()
    unweighted = getattr(node.model, "weighting", "size") == "none"
    below = float(tree.impurity[children].sum() if unweighted else shares @ tree.impurity[children])
    fallen = float(tree.impurity[number]) - below
    size = 1.0 if node.classes else float(np.abs(node.y[node.rows].astype(np.float64)).max()) ** 2
    node.w.cell("gain", max_(gains), symbol=r"\hat{g}", label="the largest gain", equals=fallen,
                attribute="the fall of tree_.impurity", scale=size)  # fmt: skip


def _place_of_winner(node: Node, table: Table) -> None:
    w, tree, number = node.w, node.tree, node.number
    split_index = made_place(node, table.shown)
    assert split_index is not None
    mirrored = _is_mirrored(node, table.shown, split_index)
    gains = np.asarray(table.gain.value)
    split: Any = table.split.value[split_index]
    style: dict[str, Any] = {"symbol": r"\hat{s}", "label": "its first split that gains that much"}
    if splits.first_best(gains) == split_index:
        near = where(table.gain >= float(gains.max()) - splits.NEARLY * max(1.0, abs(float(gains.max()))), 1, 0)
        want = split if isinstance(split, str) else float(split)
        w.cell("split", lookup(table.split, arg_max(near)), equals=want, attribute="the test of tree_", **style)
    else:
        w.note("Two splits of the column gain the same but for rounding, which decided for the later one.")
        w.given("split", split, symbol=r"\hat{s}", label="the split that is made")
    left, right = tree.children(number)
    if mirrored:
        left, right = right, left
        w.note("The set above goes to the right: its complement is the one that the tree keeps.")
    size = 1.0 if node.classes else float(np.abs(node.y[node.rows].astype(np.float64)).max()) ** 2
    for name, cell, child in (("left", table.left, left), ("right", table.right, right)):
        w.cell(f"impurity_{name}", lookup(cell, split_index + 1), symbol=f"i_{name[0].upper()}",
               label=f"impurity of node {child}", equals=float(tree.impurity[child]), attribute="tree_.impurity",
               scale=size)  # fmt: skip
    for name, mean, child in zip(("left", "right"), table.means, (left, right), strict=False):
        w.cell(f"mean_{name}", mean, symbol=rf"\bar{{y}}_{name[0].upper()}", label=f"mean of node {child}",
               equals=float(node.answer(child)[0]), attribute="tree_.value", scale=size**0.5)  # fmt: skip


def _is_mirrored(node: Node, candidates: Candidates, split_index: int) -> bool:
    if not candidates.sets:
        return False
    return not candidates.sets[split_index] <= frozenset(node.tree.codes_of(node.number, 0))


def _show_made(node: Node, before: Cell) -> None:
    """The split that was made, and both sides of it, where the others are not shown."""
    w, tree, number, model = node.w, node.tree, node.number, node.model
    if model.splitter != "best" or drawn_columns(model.max_features, node.X.shape[1]) < node.X.shape[1]:
        w.note("Not every split was tried: the one that was made is shown.")
    else:
        w.note("The split that was made is shown, not the others.")
    w.note(f"Columns that may be asked: {short(', '.join(node.words.names))}.")
    test = node.words.condition(tree, number, 0)
    sides = list(tree.children(number))
    passed = model.decision_path(node.table).tocsc()
    mixed = []
    for tag, child, word in (("left_", sides[0], "Left"), ("right_", sides[1], "Right")):
        rows = np.intersect1d(passed[:, [child]].indices, node.rows)
        condition = short(test) if tag == "left_" else short(node.words.condition(tree, number, 1))
        w.step(f"{word} side", f"{counted(len(rows), 'row')} with {condition}: node {child}.")
        group = group_of(w, tag, rows, node.y, node.weight)
        mixed.append(_checked(node, tag, _show_group(node, tag, group, child), child))
    w.step("Gain", "The impurity of the node less that of its two sides, weighted by their sizes.")
    weights = tree.weight[sides]
    left, right = (
        w.given(f"size_{name}", float(side_weight), symbol=f"w_{name[0].upper()}", label=f"weight of the {name} side")
        for name, side_weight in zip(("left", "right"), weights.tolist(), strict=True)
    )
    if getattr(model, "weighting", "size") == "none":
        below: Expr = mixed[0] + mixed[1]
    else:
        below = (left * mixed[0] + right * mixed[1]) / (left + right)
    w.cell("gain", before - below, symbol="g", label="gain")
