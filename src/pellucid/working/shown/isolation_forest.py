"""How many cuts part a row from the others, and the score that comes of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import ln, mean
from pellucid.working.model import Working

MOST_NODES = 40
MOST_TREES = 200
MOST_ASKED = 6


@shows("IsolationForest.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Isolation forest: the fit"
    w.intro = "Trees of random cuts, each on a sample of the rows; what they say of every row comes after."
    w.step("Data", "The columns of the table.")
    for j, name in enumerate(data.names[:10]):
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
    if len(data.names) > 10:
        w.note(f"The last {len(data.names) - 10:,} columns are not shown.")
    average_path = _usual(w, model)
    _first_tree(w, model, data)
    w.step("Rows", "The mean path length over all trees, and the score; below the limit a row is an outlier.")
    d = model._validate_predict(data.table)
    paths = w.given("path", model.trees_.paths(d, 1), data.row_axis, symbol="h", label="mean path length")
    _scores(w, model, paths, average_path, model._scores(d), "")


def _usual(w: Working, model: Any) -> Cell:
    w.step("An average path", "How many cuts part a row from the others of a sample of m rows on average.")
    m = w.given("samples", float(model.max_samples_), symbol="m", label="rows of a tree")
    w.check(m, float(model.max_samples_), "max_samples_")
    if model.max_samples_ <= 2:
        return w.given("usual", float(max(model.max_samples_ - 1, 0)), symbol="c", label="average path length")
    gamma = w.given("gamma", float(np.euler_gamma), symbol=r"\gamma", label="Euler's constant")
    return w.cell("usual", 2 * (ln(m - 1) + gamma) - 2 * (m - 1) / m, symbol="c", label="average path length")


def _first_tree(w: Working, model: Any, data: Given) -> None:
    tree = model.trees_.one(0)
    n = min(len(tree.column), MOST_NODES)
    axis = Axis("node", range(1, n + 1), "v", "N")
    w.step("First tree", "Every node: the column it cuts and where, or the path length of a leaf.")
    names = np.array([data.names[c] if c >= 0 else "leaf" for c in tree.column[:n]], dtype=object)
    w.given("node_column", names, axis, symbol="j", label="column")
    w.given("node_cut", tree.threshold[:n], axis, symbol="t", label="cut: at most this goes left; leaf: path length")
    w.given("node_left", np.maximum(tree.left[:n] + 1.0, 0.0), axis, symbol="l", label="left child (right one next)")
    w.given("node_rows", tree.rows[:n].astype(np.float64), axis, symbol="m", label="rows of the sample here")
    if n < len(tree.column):
        w.note(f"Of {len(tree.column)} nodes of the first tree {n} are shown.")


def _scores(w: Working, model: Any, paths: Cell, average_path: Cell, scores: Floats, tag: str) -> None:
    limit = w.given(f"limit{tag}", float(-model.offset_), symbol="t", label="limit")
    w.check(limit, -model.offset_, "-offset_")
    if not float(average_path.value) > 0:
        w.note("A sample of one row cuts nothing: every score is 0.5.")
        return
    w.cell(f"score{tag}", 2 ** (-1 * paths / average_path), symbol="s", label="score: above the limit an outlier",
           equals=-scores, attribute="-score_samples(X)")  # fmt: skip


@shows("IsolationForest.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Isolation forest: scores of rows"
    w.intro = "The path length in every tree, their mean, and the score."
    average_path = _usual(w, model)
    count = min(len(model.trees_), MOST_TREES)
    if count < len(model.trees_):
        w.note(f"The path lengths of {len(model.trees_)} trees are given by their mean alone.")
    d = model._validate_predict(data.table)
    scores, means = model._scores(d), model.trees_.paths(d, 1)
    each = np.stack([model.trees_.one(t).paths(d, 1) for t in range(count)], axis=1)
    row_indices = data.rows[:20] if data.rows else list(range(min(len(data.X), MOST_ASKED)))
    axis = Axis("tree", range(1, count + 1), "t", "T")
    for i in row_indices:
        w.step(f"Row {i}", f"Row {i}, counted from 0: down every tree.")
        for j, name in enumerate(data.names[:10]):
            w.given(f"x_{j + 1}_{i}", float(data.X[i, j]), symbol=f"x_{{{j + 1}}}", label=name)
        if count < len(model.trees_):
            h = w.given(f"path_{i}", float(means[i]), symbol=r"\bar{h}", label="mean path length")
        else:
            path_lengths = w.given(f"paths_{i}", each[i], axis, symbol="h", label="path length")
            h = w.cell(f"path_{i}", mean(path_lengths), symbol=r"\bar{h}", label="mean path length")
        _scores(w, model, h, average_path, np.asarray(scores[i]), f"_{i}")
