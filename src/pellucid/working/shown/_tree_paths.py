"""Paths of a row through many trees as formulas: change the row in a workbook, and every tree leads to another leaf.

The nodes of all trees stand in one table. A row starts at the root of each tree and moves on by one formula,

    next = first child + [more than one branch] * branch,    branch = 0 if x <= threshold else 1,

which leaves it where it is once it has reached a leaf. After as many moves as the deepest tree has levels, every path
ends in a leaf, whose value is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.models.tree.nodes import NodeTest, TreeNodes
from pellucid.models.tree.words import Words
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import equal, lookup, where
from pellucid.working.model import Working

MOST_NODES = 20_000  # a workbook holds columns of this length
MOST_TREES = 500
MOST_LEVELS = 32
MOST_MEMBERS = 20_000  # entries of the table of categories
MOST_NAMED = 8  # categories of a column whose codes its label spells out
LARGEST = float(np.finfo(np.float64).max)  # stands for infinity, which no spreadsheet holds


@dataclass(frozen=True)
class NodeTable:
    """The nodes of all trees below each other, as given columns of a working. Positions count from 1."""

    roots: Array
    levels: int
    number: Cell  # of the node within its tree
    column: Cell  # of the row, that the node tests
    threshold: Cell
    first_child: Cell  # position; a leaf's own position
    has_branches: Cell  # 1, or 0 for a leaf
    missing_branch: Cell
    value: Cell
    first_member: Cell | None  # position of category 0 in `member`; 0 for a test of a number
    member: Cell | None  # 1 where a category takes the first branch


def fits_workbook(trees: Sequence[TreeNodes]) -> bool:
    """Can the trees be written as formulas, with a size that a workbook takes?"""
    tests = {NodeTest.LEAF, NodeTest.AT_MOST, NodeTest.SUBSET}
    return (
        len(trees) <= MOST_TREES
        and sum(map(len, trees)) <= MOST_NODES
        and all(set(tree.test.tolist()) <= tests and tree.value.shape[1] == 1 for tree in trees)
        and all(set(tree.missing_child[tree.n_children > 0].tolist()) <= {0, 1} for tree in trees)
        and max(map(_levels, trees)) <= MOST_LEVELS
        and sum(32 * len(tree.table) for tree in trees) <= MOST_MEMBERS
    )


def _levels(tree: TreeNodes) -> int:
    """Tests on the longest path from the root to a leaf."""
    depth = np.zeros(len(tree), dtype=np.int64)
    for node in range(1, len(tree)):
        depth[node] = depth[tree.parent[node]] + 1
    return int(depth.max())


def show_node_table(w: Working, trees: Sequence[TreeNodes]) -> NodeTable:
    """A step with the nodes of all trees."""
    w.step(
        "Nodes of all trees",
        "A row goes to the first child where its column is at most the threshold, and to the node below it otherwise.",
    )
    sizes = np.array([len(tree) for tree in trees])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    axis = Axis("node", [f"{t + 1}.{i}" for t, size in enumerate(sizes) for i in range(size)], "i", "N")
    is_leaf = np.concatenate([tree.n_children == 0 for tree in trees])
    child = np.concatenate([tree.first_child + start for tree, start in zip(trees, starts, strict=True)])
    threshold = np.nan_to_num(np.concatenate([tree.threshold for tree in trees]), posinf=LARGEST, neginf=-LARGEST)

    def given(name: str, values: Array, symbol: str, label: str) -> Cell:
        return w.given(name, np.asarray(values, dtype=np.float64), axis, symbol=symbol, label=label)

    number = given("node", np.concatenate([np.arange(size) for size in sizes]), "i", "node of its tree")
    column = np.concatenate([tree.feature for tree in trees]) + 1
    cells = (
        number,
        given("tests", np.where(is_leaf, 1, column), "j", "column that it tests"),
        given("threshold", threshold, "h", "threshold"),
        given("child", np.where(is_leaf, np.arange(len(is_leaf)), child) + 1, "c", "position of its first child"),
        given("branches", ~is_leaf, "b", "1 if it has children"),
        given("if_missing", _missing_branches(trees), "d", "branch of a missing value"),
        given("value", np.concatenate([tree.value[:, 0] for tree in trees]), "u", "value of the leaf"),
    )
    first_member, member = _show_members(w, trees, axis)
    return NodeTable(starts + 1, max(map(_levels, trees)), *cells, first_member, member)


def _missing_branches(trees: Sequence[TreeNodes]) -> Array:
    return np.concatenate([np.where(tree.n_children > 0, tree.missing_child, 0) for tree in trees])


def _show_members(w: Working, trees: Sequence[TreeNodes], axis: Axis) -> tuple[Cell | None, Cell | None]:
    """Which categories take the first branch, node after node; nothing where no node tests categories."""
    first, flags = np.zeros(len(axis)), list[int]()
    offset = 0
    for tree in trees:
        for node in np.flatnonzero(tree.test == NodeTest.SUBSET).tolist():
            words = tree.table[tree.table_start[node] : tree.table_start[node + 1]]
            first[offset + node] = len(flags) + 1
            flags += [int(word) >> bit & 1 for word in words.tolist() for bit in range(32)]
        offset += len(tree)
    if not flags:
        return None, None
    start = w.given("first_member", first, axis, symbol="s", label="entry of category 0 in the table of categories")
    entries = Axis("entry", range(1, len(flags) + 1), "e", "E")
    member = w.given(
        "member", np.array(flags, dtype=np.float64), entries, symbol="a", label="1 if it takes the first branch"
    )
    return start, member


def show_path(w: Working, tag: str, row: Floats, table: NodeTable, axis: Axis, words: Words) -> tuple[Cell, Cell]:
    """The inputs of a row, its path through every tree, and what it ends with: the leaf and the leaf's value."""
    columns = Axis("column", [_column_label(words, j) for j in range(len(row))], "j", "p")
    is_missing = np.isnan(row)
    x = w.given(f"{tag}x", np.where(is_missing, 0.0, row), columns, symbol="x", label="value or code of the category")
    missing = w.given(f"{tag}missing", is_missing.astype(np.float64), columns, symbol="m", label="1 if it is missing")
    position = w.given(
        f"{tag}n0", table.roots.astype(np.float64), axis, symbol="n_{0}", label="position of the tree's root"
    )
    for level in range(1, table.levels + 1):
        moved = _next_position(table, position, x, missing)
        position = w.cell(f"{tag}n{level}", moved, symbol=f"n_{{{level}}}", label=f"after test {level}")
    leaf = w.cell(f"{tag}leaf", lookup(table.number, position), symbol="l", label="leaf that the row ends in")
    return leaf, w.cell(f"{tag}v", lookup(table.value, position), symbol="v", label="what it adds")


def _next_position(table: NodeTable, position: Cell, x: Cell, missing: Cell) -> Expr:
    """Where a row goes from a node; a leaf leads to itself."""
    column = lookup(table.column, position)
    value = lookup(x, column)
    branch = where(value <= lookup(table.threshold, position), 0, 1)
    if table.first_member is not None and table.member is not None:
        start = lookup(table.first_member, position)
        entry = where(equal(start, 0), 1, start + value)  # a number that is no category would lead out of the table
        branch = where(equal(start, 0), branch, 1 - lookup(table.member, entry))
    branch = where(equal(lookup(missing, column), 1), lookup(table.missing_branch, position), branch)
    return lookup(table.first_child, position) + lookup(table.has_branches, position) * branch


def _column_label(words: Words, column: int) -> str:
    """The name of a column, with the codes of its categories."""
    category_names = list(words.categories.get(column, ()))
    if not category_names:
        return str(words.names[column])
    codes = [f"{code}: {name}" for code, name in enumerate(category_names[:MOST_NAMED])]
    more = f", ... {len(category_names) - 1}: {category_names[-1]}" if len(category_names) > MOST_NAMED else ""
    return f"{words.names[column]} ({', '.join(codes)}{more})"
