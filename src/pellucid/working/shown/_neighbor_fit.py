"""What a fit of neighbors keeps: the rows, their targets, and the index they are arranged in."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array
from pellucid.neighbors._choice import TREE_COLUMNS, TREE_ROWS, fits_tree
from pellucid.neighbors._distances import OF_TEXTS
from pellucid.neighbors._measures import Mixed
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import count, equal, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._neighbor_distances import MOST_WIDE, said
from pellucid.working.shown._neighbor_rows import dense, plain, targets_of

INDICES = {
    "brute": "all rows, each of which is compared",
    "kd_tree": "a k-d tree, which leaves out boxes of rows that lie too far away",
    "ball_tree": "a ball tree, which leaves out balls of rows that lie too far away",
    "lsh": "hash tables: approximate",
    "graph": "a graph of near rows: approximate",
    "lists": "lists of rows by cell: approximate",
}


def keep(w: Working, model: Any, data: Given, title: str) -> None:
    """What a fit keeps: the rows and their targets, in an index."""
    w.title = title
    w.intro = "Nothing is worked out: the rows are the model. They are arranged so that near ones are found."
    w.step("Rows", "The columns of the table" + (", and the target." if data.y is not None else "."))
    row_indices = getattr(model, "sample_indices_", np.arange(model.n_samples_fit_))
    _kept_columns(w, model, data, row_indices)
    y = targets_of(model, data.target)
    if y is not None and data.y is not None:
        target = plain(np.asarray(data.y))
        cell = w.given("y", target, data.row_axis, symbol="y", label="target")
        w.check(cell, _with(target, row_indices, y), "targets of the rows kept")
    if getattr(model, "_row_weight_", None) is not None and data.weight is not None:
        cell = w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")
        w.check(cell, _with(data.weight, row_indices, model._row_weight_), "weights of the rows kept")
    size = count(_cell(w, "x_1"))
    if hasattr(model, "sample_indices_"):
        mark = np.zeros(len(data.row_axis))
        mark[row_indices] = 1.0
        size = sum_(w.given("kept", mark, data.row_axis, symbol="k", label="1 if the row is kept"))
        w.note(
            f"Of {counted(len(mark), 'row')} {len(row_indices)} were drawn at random (max_samples); "
            "random_state decides."
        )
    _arranged(w, model, size)


def _cell(w: Working, name: str) -> Cell:
    cell = w.cells[name]
    assert isinstance(cell, Cell)
    return cell


def _with(column: Array, indices: Array, values: Array) -> Array:
    """A column, with the model's numbers in place of its own."""
    out = np.array(column, dtype=object) if column.dtype.kind in "OUT" else np.array(column, dtype=np.float64)
    out[indices] = values
    return out


def _kept_columns(w: Working, model: Any, data: Given, row_indices: Array) -> None:
    rows = dense(model._fitted_rows)
    if model.metric in OF_TEXTS:
        texts = np.array([str(text) for text in model._queries(model._validate_predict(data.table)).rows], dtype=object)
        cell = w.given("x_1", texts, data.row_axis, symbol="x", label="text")
        w.check(cell, _with(texts, row_indices, rows), "rows of index_")
        return
    data_values = model.distance_.ready(data.X)
    words = model.schema_.categories if isinstance(model.distance_.measure, Mixed) else {}
    for j in range(min(data.X.shape[1], MOST_WIDE)):
        column, fitted = data_values[:, j], rows[:, j]
        if j in words:
            column, fitted = said(column, words[j]), said(fitted, words[j])
        cell = w.given(f"x_{j + 1}", column, data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        w.check(
            cell,
            _with(column, row_indices, fitted),
            "rows of index_",
            tolerance=1e-6 if rows.dtype == np.float32 else 1e-9,
        )
    if data.X.shape[1] > MOST_WIDE:
        w.note(f"The last {counted(data.X.shape[1] - MOST_WIDE, 'column')} are not shown.")
    if model.distance_.centered:
        w.note("Each row is brought to mean 0 first.")


def _arranged(w: Working, model: Any, size: Expr) -> None:
    """How many rows there are, and which index was chosen by it."""
    index_text = f"{model.algorithm_!r}: {INDICES[model.algorithm_]}"
    why = (
        f"algorithm='auto' chose {index_text}." if model.algorithm == "auto" else f"The rows are kept in {index_text}."
    )
    w.step("Index", f"{why} Exact indices give the same answer, to the last bit.")
    n = w.cell("n", size, symbol="n", label="rows kept", equals=float(model.n_samples_fit_),
               attribute="n_samples_fit_")  # fmt: skip
    p = w.given("p", float(model.n_features_in_), symbol="p", label="columns")
    if model.algorithm != "auto":
        return
    metric = model.distance_.metric
    exact = metric is not None and fits_tree(metric, "kd_tree")
    fits = w.given("fits", float(exact), symbol="f", label="1 if a tree can leave out rows under this distance")
    few = w.cell("few", where(p <= TREE_COLUMNS, 1, 0), symbol="c", label="1 if there are few columns")
    many = w.cell("many", where(n >= TREE_ROWS, 1, 0), symbol="r", label="1 if there are many rows")
    if hasattr(model._fitted_rows, "toarray") and fits.value * few.value * many.value:
        w.note("Sparse rows are all compared, however many there are.")
        return
    tree = float(model.algorithm_ == "kd_tree")
    w.cell("tree", fits * few * many, symbol="t", label="1 for a tree, 0 for all rows", equals=tree,
           attribute="algorithm_ == 'kd_tree'")  # fmt: skip


def count_classes(w: Working, model: Any, data: Given) -> None:
    """How often each class occurs among the rows kept."""
    labels = np.asarray(model._labels[data.target])
    w.step("Classes", "How many of the rows kept have each class.")
    y, flags = _cell(w, "y"), _cell(w, "kept") if "kept" in w.cells else 1
    kinds = Axis("class", [str(label) for label in labels.tolist()], "c", "C")
    c = w.given("class", plain(labels), kinds, symbol="c", label="class")
    often = np.bincount(model._codes_[data.target], minlength=len(labels)).astype(float)
    w.cell("count", sum_(where(equal(y, c), flags, 0), data.row_axis), symbol="m", label="rows", equals=often,
           attribute="targets of the rows kept")  # fmt: skip
