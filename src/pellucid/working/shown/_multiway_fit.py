"""How a node of ID3 or C4.5 came about: its cases, what every column is worth, and the one that is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given
from pellucid.working.model import Working
from pellucid.working.shown import _gain_tables as tables
from pellucid.working.shown import _multiway_node as plain
from pellucid.working.shown._gain_tables import Page
from pellucid.working.shown._multiway_node import Judge, NodeOfCases, Worth
from pellucid.working.shown._rows import labels
from pellucid.working.shown._tree import words_of


def show_fit(w: Working, model: Any, data: Given, judge: Judge) -> Page:
    """The working of ``fit`` at one node, the root unless told."""
    node, words = plain.read_node(model, data), words_of(model, data.names)
    here = "The root" if node.number == 0 else f"Node {node.number}"
    w.intro = (
        f"{here} of {counted(len(node.tree), 'node')}: how mixed its cases are, how much each column would tell about "
        "the class, and the column that is asked. show_fit(..., node=k) shows another node."
    )
    page = tables.show_cases(w, node, words, judge, labels(model.classes_), labels(data.y))
    if node.tree.n_children[node.number] == 0:
        w.note(f"Node {node.number} is a leaf: {_why_leaf(node)}.")
        return page
    candidates = [plain.worth_of(node, judge, j) for j in range(node.X.shape[1])]
    if page.node.k > tables.MOST_CLASSES:
        w.note(f"Tables are shown for at most {tables.MOST_CLASSES} classes; these are {page.node.k}.")
        return page
    tied = _is_tied(node, judge, candidates)
    if not tied:
        w.note(
            "This test was chosen for a branch, with fewer cases, which took the place of the node when it was pruned."
        )
    candidates_shown = _shown(node, judge, candidates)
    cells = {candidate.column: tables.show_column(page, candidate) for candidate in candidates_shown}
    if sum(candidate is not None for candidate in candidates) > len(candidates_shown):
        w.note(
            f"Of {len(candidates)} columns {len(candidates_shown)} are worked out; the others are worth less, "
            "or cannot be split."
        )
    tables.show_winner(page, candidates, cells, tied)
    return page


def _why_leaf(node: NodeOfCases) -> str:
    model, number = node.model, node.number
    if node.tree.weight[number] == 0:
        return "no row has its categories, and it answers like the node above"
    if node.tree.impurity[number] <= 1e-12:
        return "its cases are all of one class"
    if model.max_depth is not None and len(node.tree.way(number)) > model.max_depth:
        return f"max_depth={model.max_depth} is reached"
    pruned = getattr(model, "pruning", None) is not None or getattr(model, "collapse", False)
    return "no column can be asked, or pruning took it back" if pruned else "no column is left that parts its cases"


def _is_tied(node: NodeOfCases, judge: Judge, candidates: list[Worth | None]) -> bool:
    """Was the test chosen for these cases?"""
    feature = int(node.tree.feature[node.number])
    candidate = candidates[feature]
    if candidate is None or plain.chosen(node, judge, candidates) != feature:
        return False
    return bool(np.isclose(candidate.gain, node.model.gain_[node.number], rtol=1e-9, atol=1e-9))


def _shown(node: NodeOfCases, judge: Judge, candidates: list[Worth | None]) -> list[Worth]:
    """The columns that are worked out: all, or those of most merit, the one that is asked among them."""
    can = [
        candidate for candidate in candidates if candidate is not None and (candidate.multiway or candidate.best >= 0)
    ]
    feature = int(node.tree.feature[node.number])
    ranked = sorted(
        can,
        key=lambda candidate: (
            candidate.column != feature,
            -plain.merit(judge, judge.by, candidate.gain, candidate.info, candidate.column),
        ),
    )
    return sorted(ranked[: tables.MOST_COLUMNS], key=lambda candidate: candidate.column)
