"""The answers of boosted trees to a row: the way through the first trees, all leaves, their sum and what it means."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.models.tree.nodes import TreeNodes
from pellucid.models.tree.words import Words
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, equal, exp, lookup, max_, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._boosted_vector_fit import answers_vectors
from pellucid.working.shown._boosted_vectors import show_vector_numbers, show_vector_start, show_vector_sums
from pellucid.working.shown._ensembles import asked_rows
from pellucid.working.shown._rows import class_axis, label, labels, spelled
from pellucid.working.shown._tree import show_way, ways, words_of
from pellucid.working.shown._tree_paths import MOST_NODES as LIVE_NODES
from pellucid.working.shown._tree_paths import MOST_TREES as LIVE_TREES
from pellucid.working.shown._tree_paths import fits_workbook, show_node_table, show_path

MOST_WAYS = 2  # trees whose tests are shown for a row
MOST_MADE = 12  # columns made of categories
MOST_TREES = 200  # whose answers stand in a table, where there are too many for formulas


def column_words(model: Any, data: Given) -> Words:
    """Names of the columns that trees ask: those of the table, or of what was made of them."""
    words = words_of(model, data.names)
    statistics = getattr(model, "_statistics_", None)
    if statistics is None:
        return words
    input_names = getattr(model, "feature_names_in_", None)
    names = (
        [f"x{j + 1}" for j in range(model.n_features_in_)]
        if input_names is None
        else [str(name) for name in input_names]
    )
    n_kept, targets = len(statistics.kept), len(statistics.prior)
    names_made = []
    for j in range(data.X.shape[1]):
        source = " and ".join(names[i] for i in statistics.sources(j))
        of = f" {(j - n_kept) % targets + 1}" if targets > 1 else ""
        names_made.append(source if j < n_kept else f"mean target{of} by {source}")
    categories = {j: words.categories[int(i)] for j, i in enumerate(statistics.kept) if int(i) in words.categories}
    return Words(names_made, categories)


@shows("BoostedModel.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    """For a few rows the way through the first trees, all leaves, their sum and what it means."""
    trees, outputs = len(model.forest), len(model.start_scores)
    w.title = "Boosted trees: predictions"
    w.intro = "A row has a score from the start; it passes through every tree, to a leaf that adds to the score."
    scores, words = model.raw_scores(data.table), column_words(model, data)
    vectors = answers_vectors(model)
    shown_trees, is_live = _trees_shown(model, vectors)
    rows = asked_rows(data)
    w.step("Start", "The score of every row before the first tree.")
    start = show_vector_start(w, model) if vectors else _start_cells(w, model)
    table = show_node_table(w, shown_trees) if is_live else None
    for i, row in enumerate(rows):
        tag = f"r{row}_" if rows.count(row) == 1 else f"r{row}_{i}_"
        x = data.X[row]
        _made(w, model, data, tag, row, words)
        paths = [ways(tree, x)[0] for tree in shown_trees]
        for t in range(min(MOST_WAYS, trees)):
            show_way(w, f"{tag}t{t + 1}_", f"Row {row}: way through tree {t + 1}", shown_trees[t], paths[t], x, words)
        if trees > MOST_WAYS:
            w.note(f"The ways through {counted(trees - MOST_WAYS, 'more tree')} are not shown.")
        w.step(f"Row {row}: leaves of the trees", "The leaf of each tree, what it adds, and the sum.")
        axis = Axis("tree", range(1, len(shown_trees) + 1), "t", "T")
        leaf_nodes = np.array([path.nodes[-1] for path in paths])
        values = np.array(
            [tree.value[node, 0] for tree, node in zip(shown_trees, leaf_nodes, strict=True)], dtype=np.float64
        )
        if table is not None:
            leaf, v = show_path(w, tag, x, table, axis, words)
            w.check(leaf, leaf_nodes.astype(np.float64), "tree_")
            w.check(v, values, "tree_")
            _sums(w, model, tag, v, start, scores[row], np.arange(len(shown_trees)) % outputs)
            _meaning(w, model, data, tag, row, scores)
            continue
        w.given(f"{tag}leaf", leaf_nodes.astype(np.float64), axis, symbol="l", label="leaf that the row ends in")
        if vectors:
            leaves = np.array(
                [tree.value[node] for tree, node in zip(shown_trees, leaf_nodes, strict=True)], dtype=np.float64
            )
            score = show_vector_sums(w, model, tag, axis, leaves, start, scores[row])
            if not hasattr(model, "classes_"):
                show_vector_numbers(w, model, tag, score, np.asarray(model.predict(data.table))[row])
                continue
            _meaning(w, model, data, tag, row, scores)
            continue
        v = w.given(f"{tag}v", values, axis, symbol="v", label="what it adds")
        _sums(w, model, tag, v, start, scores[row], np.arange(len(shown_trees)) % outputs)
        _meaning(w, model, data, tag, row, scores)
    if table is None:
        w.note(
            f"The leaves are numbers, not formulas: a workbook computes the paths of up to {LIVE_TREES:,} trees with "
            f"{LIVE_NODES:,} nodes, of one value per leaf. Changing a value of a row changes nothing here.",
            in_workbook=True,
        )
    if not data.rows and len(data.X) > len(rows):
        w.note(f"The first {counted(len(rows), 'row')} are shown; rows=[...] asks for others.")


def _trees_shown(model: Any, vectors: bool) -> tuple[list[TreeNodes], bool]:
    """All trees, if their paths can be formulas; else the first ones, whose leaves are given."""
    n_trees = len(model.forest)
    if not vectors and n_trees <= LIVE_TREES:
        trees = [model.forest.tree(t) for t in range(n_trees)]
        if fits_workbook(trees):
            return trees, True
    return [model.forest.tree(t) for t in range(min(n_trees, MOST_TREES))], False


def _made(w: Working, model: Any, data: Given, tag: str, row: int, words: Words) -> None:
    """The categories of a row, and the statistics that new rows of these categories get."""
    statistics = getattr(model, "_statistics_", None)
    if statistics is None:
        return
    n_kept = len(statistics.kept)
    names = list(words.names[n_kept : n_kept + MOST_MADE])
    w.step(f"Row {row}: categories as numbers", "The mean target of the rows of the fit that have these categories.")
    axis = Axis("column made", names, "j", "m")
    categories = [
        " and ".join(_said(model, data, row, i) for i in statistics.sources(n_kept + j)) for j in range(len(names))
    ]
    w.given(f"{tag}category", np.array(categories, dtype=object), axis, symbol="z", label="category")
    w.given(f"{tag}statistic", data.X[row, n_kept : n_kept + len(names)], axis, symbol="x", label="statistic")
    if len(words.names) - n_kept > len(names):
        w.note(f"Of {len(words.names) - n_kept} columns made of categories {len(names)} are shown.")


def _said(model: Any, data: Given, row: int, column: int) -> str:
    """The category of a row in a column of the table."""
    code = float(model.coded_columns(data.table)[row, column])
    return "(missing)" if np.isnan(code) else words_of(model, []).category(column, int(code))


def _start_cells(w: Working, model: Any) -> Cell:
    if len(model.start_scores) == 1:
        return w.given("start", float(model.start_scores[0]), symbol="f_{0}", label="start")
    class_names = labels(np.asarray(model.classes_))
    return w.given("start", model.start_scores, class_axis(class_names), symbol="f_{0}", label="start")


def _sums(w: Working, model: Any, tag: str, v: Cell, start: Cell, scores: Floats, output: Array) -> None:
    """The start, and all that the leaves add."""
    size = (
        float(np.abs(scores).max()) + float(np.abs(np.asarray(v.value)).sum()) + float(np.abs(model.start_scores).max())
    )
    style: dict[str, Any] = {"symbol": "f", "label": "score", "attribute": "scores", "scale": size}
    more = len(model.forest) > len(output)
    if more:
        w.note(f"What the last {len(model.forest) - len(output):,} of {len(model.forest):,} trees add is not listed.")
    if len(scores) == 1:
        total = start + sum_(v)
        if more:
            rest_sum = float(scores[0] - model.start_scores[0] - np.asarray(v.value).sum())
            total = total + w.given(f"{tag}rest", rest_sum, symbol="R", label="what the other trees add")
        w.cell(f"{tag}score", total, equals=float(scores[0]), **style)
        return
    o = w.given(f"{tag}o", output + 1.0, v.axis, symbol="o", label="number of the class that it is for")
    assert start.axis is not None
    number = w.given(f"{tag}k", np.arange(1.0, len(scores) + 1), start.axis, symbol="k", label="number of the class")
    total = start + sum_(where(equal(o, number), v, 0), v.axis)
    if more:
        added = np.bincount(output, weights=np.asarray(v.value), minlength=len(scores))
        rest_of = np.asarray(scores - model.start_scores - added)
        total = total + w.given(f"{tag}rest", rest_of, start.axis, symbol="R", label="what the other trees add")
    w.cell(f"{tag}score", total, equals=scores, **style)


def _meaning(w: Working, model: Any, data: Given, tag: str, row: int, scores: Floats) -> None:
    """What a score says: a number, a count, probabilities and a class."""
    f = w.cells[f"{tag}score"]
    assert isinstance(f, Cell)
    predicted = model.predict(data.table)[row]
    if not hasattr(model, "classes_"):
        prediction: Expr = exp(f) if model.loss == "poisson" else f + 0
        w.cell(f"{tag}prediction", prediction, symbol=r"\hat{y}", equals=float(predicted), attribute="predict(X)",
               label="e to the score: the expected count" if model.loss == "poisson" else "prediction: the score",
               scale=float(np.abs(scores).max()))  # fmt: skip
        return
    if len(model.classes_) == 1:
        cell = w.given(f"{tag}prediction", label(predicted), symbol=r"\hat{y}", label="there is one class only")
        w.check(cell, label(predicted), "predict(X)")
        return
    sure = np.asarray(model.predict_proba(data.table))[row]
    style: dict[str, Any] = {
        "symbol": r"\hat{y}",
        "label": "class",
        "equals": label(predicted),
        "attribute": "predict(X)",
    }
    if f.axis is None:
        first, second = (label(name) for name in model.classes_)
        p = w.cell(f"{tag}p", 1 / (1 + exp(-f)), symbol="p", label=f"probability of {spelled(second)}",
                   equals=float(sure[1]), attribute="predict_proba(X)", scale=1.0)  # fmt: skip
        if abs(float(f.value)) > 1e-9:
            w.cell(f"{tag}prediction", where(p > 0.5, second, first), **style)
        return
    top = w.cell(f"{tag}top", max_(f), symbol="M", label="highest score")
    e = w.cell(f"{tag}e", exp(f - top), symbol="e", label="e to the score less the highest")
    p = w.cell(f"{tag}p", e / sum_(e), symbol="p", label="probability", equals=sure, attribute="predict_proba(X)",
               scale=1.0)  # fmt: skip
    class_cell = w.given(f"{tag}c", labels(np.asarray(model.classes_)), f.axis, symbol="c", label="class")
    order = np.sort(scores[row])
    if order[-1] - order[-2] > 1e-9:
        w.cell(f"{tag}prediction", lookup(class_cell, arg_max(p)), **style)
