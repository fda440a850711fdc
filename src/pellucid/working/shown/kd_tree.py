"""The textbooks' KD-tree: at each node the values and their median, and of a search the branches looked into."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, count, floor, median, nth_smallest, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import refuse

MOST_CUTS = 20
MOST_ROWS = 100
MOST_COLUMNS = 12


def _refuse_large(tree: Any, name: str) -> None:
    if tree.data.shape[1] > MOST_COLUMNS:
        actual = f"got {counted(tree.data.shape[1], 'column')}"
        refuse(name, f"the working is of at most {MOST_COLUMNS} columns", actual, "show a tree of fewer")


@shows("KDTree.build")
def build(w: Working, tree: Any) -> None:
    w.title = "How a KD-tree is built"
    w.intro = (
        "The rows are cut in two at the upper median of one column, then the halves at that of the next column, and so "
        f"on, until {counted(tree.leaf_size, 'row')} or fewer are left. Less than the median goes to the left, the "
        "rest to the right."
    )
    _refuse_large(tree, "KDTree.build")
    t, names = tree.textbook, tree.column_names()
    cuts = np.flatnonzero(t.axis >= 0)
    for node in _in_order(t)[:MOST_CUTS]:
        _cut(w, tree, int(node), names)
    if len(cuts) > MOST_CUTS:
        w.note(f"Of {counted(len(cuts), 'cut')} the first {MOST_CUTS} are shown, level by level.")
    leaves = [node for node in _in_order(t, leaves=True) if t.axis[node] < 0]
    w.step("Leaves", f"What is left at the end: {counted(len(leaves), 'leaf', 'leaves')}.")
    axis = Axis("leaf", [_name(t, node) for node in leaves], "l", "L")
    sizes = w.given("size", t.size[leaves].astype(float), axis, symbol="s", label="rows in the leaf")
    w.cell("rows", sum_(sizes), symbol="n", label="rows in all", equals=float(len(tree.data)), attribute="len(data)")


def _in_order(t: Any, leaves: bool = False) -> list[int]:
    """Nodes level by level, from left to right."""
    level, nodes = [0], []
    while level:
        nodes += [node for node in level if leaves or t.axis[node] >= 0]
        level = [int(child[node]) for node in level if t.axis[node] >= 0 for child in (t.left, t.right)]
    return nodes


def _name(t: Any, node: int) -> str:
    """The way to a node from the root: L and R."""
    parent = {
        int(child): (i, side) for i in range(len(t.axis)) for child, side in ((t.left[i], "L"), (t.right[i], "R"))
    }
    path = ""
    while node != 0:
        node, side = parent[node]
        path = side + path
    return path or "root"


def _cut(w: Working, tree: Any, node: int, names: list[str]) -> None:
    t, rows = tree.textbook, tree.textbook.rows(node)
    rows, j = np.sort(rows), int(t.axis[node])
    v, m, name = tree._rows[rows, j], float(t.threshold[node]), _name(t, node)
    w.step(f"{f'Branch {name}' if node else 'Root'}: {names[j]}", _words(t, node, names, v))
    axis = Axis("row", (rows + 1).tolist(), "i", "n")
    value = w.given(f"{name}.v", v, axis, symbol="v", label=names[j])
    if np.sort(v)[len(v) // 2] > v.min():
        rank: Expr = floor(count(value) / 2) + 1
        text = "upper median, the threshold"
    else:
        rank = sum_(where(value <= float(v.min()), 1, 0)) + 1
        text = "least value above the median, the threshold"
    cut = w.cell(f"{name}.m", nth_smallest(value, rank), symbol="m", label=text, equals=m, attribute="threshold")
    if len(v) % 2 == 0:
        w.cell(f"{name}.usual", median(value), symbol=r"\tilde{v}", label="median in the usual sense")
    is_right = np.isin(rows, t.rows(int(t.right[node]))).astype(float)
    w.cell(f"{name}.right", where(value < cut, 0, 1), symbol="r", label="0: left, 1: right", equals=is_right,
           attribute="right")  # fmt: skip


def _words(t: Any, node: int, names: list[str], v: Floats) -> str:
    text = f"{counted(len(v), 'row')} by {names[int(t.axis[node])]}"
    if t.skipped[node]:
        d = len(names)
        passed = [names[(int(t.axis[node]) - s) % d] for s in range(int(t.skipped[node]), 0, -1)]
        text += f"; {', '.join(passed)} skipped, since all are equal there"
    return f"{text}."


@shows("KDTree.query")
def query(w: Working, tree: Any, x: Any, k: int = 1) -> None:
    w.title = "How a KD-tree is searched"
    w.intro = (
        "First the side of each cut on which the point lies. The other side is looked into only if the cut is not "
        f"farther away than {'the nearest row' if k == 1 else f'row {k} of the nearest'} found so far."
    )
    _refuse_large(tree, "KDTree.query")
    distances, near, branches = tree._search_one(x, k)
    names, t = tree.column_names(), tree.textbook
    point = tree.metric.prepare(np.atleast_2d(np.asarray(x, dtype=np.float64)))[0]
    leaves_visited = [b.node for b in branches if b.entered and t.axis[b.node] < 0]
    rows_visited = np.concatenate([t.rows(node) for node in leaves_visited])
    if len(rows_visited) > MOST_ROWS:
        actual = f"this search looked at {counted(len(rows_visited), 'row')}"
        refuse("KDTree.query", f"the working is of at most {MOST_ROWS} rows", actual, "ask for a smaller k")
    w.step("Point", "What is looked for.")
    point_cells = [
        w.given(f"x_{j + 1}", float(value), symbol=f"x_{{{j + 1}}}", label=names[j]) for j, value in enumerate(point)
    ]
    d = _distances(w, tree, point_cells, rows_visited, names)
    _way(w, tree, branches, point, rows_visited, d, k)
    listed = "row" if k == 1 else "rows"
    w.step("Nearest", f"The {counted(k, 'smallest distance') if k > 1 else 'smallest distance'}: {listed} "
           + ", ".join(str(row + 1) for row in near[0].tolist()) + ".")  # fmt: skip
    for j in range(k):
        w.cell(f"nearest_{j + 1}", nth_smallest(d, j + 1), symbol=f"d_{{({j + 1})}}",
               label=f"row {near[0, j] + 1}", equals=float(distances[0, j]), attribute="query(x, k)")  # fmt: skip
    w.note(f"Of {counted(len(tree.data), 'row')} the search looked at {len(rows_visited)}.")
    if len(set(distances[0].tolist())) < k or (np.asarray(d.value) == distances[0, -1]).sum() > 1:
        w.note("Of rows at the same distance the one with the smaller number comes first.")


def _distances(w: Working, tree: Any, point_cells: list[Cell], rows_visited: Array, names: list[str]) -> Cell:
    """Distances to the rows that were looked at, in the order in which they were."""
    w.step("Distances", "To the rows in the leaves that were looked into, in that order.")
    axis = Axis("row", (rows_visited + 1).tolist(), "i", "m")
    z = [
        w.given(f"z_{j + 1}", tree._rows[rows_visited, j], axis, symbol=f"z_{{{j + 1}}}", label=names[j])
        for j in range(len(point_cells))
    ]
    apart = [absolute(b - a) for a, b in zip(point_cells, z, strict=True)]
    kind, p = tree.metric.kind, tree.metric.p
    distance: Expr
    if kind == "euclidean":
        distance = sqrt(reduce(add, ((b - a) ** 2 for a, b in zip(point_cells, z, strict=True))))
    elif kind == "manhattan":
        distance = reduce(add, apart)
    elif kind == "chebyshev":
        distance = reduce(lambda first, second: where(first > second, first, second), apart)
    else:
        distance = reduce(add, (difference**p for difference in apart)) ** (1 / expr(p))
    return w.cell("d", distance, symbol="d", label="distance")


def _way(w: Working, tree: Any, branches: list[Any], point: Floats, rows_visited: Array, d: Cell, k: int) -> None:
    """The branches in turn: how far the cut before each is, and whether it was looked into."""
    t = tree.textbook
    parent = {int(child): i for i in range(len(t.axis)) for child in (t.left[i], t.right[i]) if child >= 0}
    w.step("Way through the tree", "A branch is named by its turns from the root, L and R. One beyond a cut counts as "
           "far as the cut; the point's own side counts 0. Until there are as many rows as asked for, every branch is "
           f"looked into: the distance at place {k} stands as 0 there.")  # fmt: skip
    axis = Axis("branch", [_name(t, b.node) for b in branches], "b", "B")
    cut, value, beyond, n_found = (np.zeros(len(branches)) for _ in range(4))
    so_far = 0
    for i, b in enumerate(branches):
        if b.node:
            above = parent[b.node]
            j = int(t.axis[above])
            cut[i], value[i] = t.threshold[above], point[j]
            beyond[i] = float((b.node == t.left[above]) != (point[j] < t.threshold[above]))
        n_found[i] = so_far
        so_far += int(t.size[b.node]) if b.entered and t.axis[b.node] < 0 else 0
    m = w.given("cut", cut, axis, symbol="m", label="cut before it")
    x = w.given("value", value, axis, symbol="x", label="the point there")
    far = w.given("beyond", beyond, axis, symbol="f", label="1: beyond")
    bound = w.cell("bound", where(far > 0, absolute(x - m), 0), symbol="g", label="how far the cut is",
                   equals=np.array([b.bound for b in branches]), attribute="branches(x, k)")  # fmt: skip
    rows = w.given("found", n_found, axis, symbol="c", label="rows so far")
    limits = np.array([b.limit if np.isfinite(b.limit) else 0.0 for b in branches])
    limit = w.given("limit", limits, axis, symbol="d_k", label=f"distance at place {k}")
    entered = np.array([float(b.entered) for b in branches])
    w.cell("entered", where(rows < k, 1, where(bound <= limit, 1, 0)), symbol="e", label="1: looked into",
           equals=entered, attribute="branches(x, k)")  # fmt: skip
