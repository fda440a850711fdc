"""Nodes, tests and branches as things that can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.models.tree.nodes import STOP, TreeNodes
from pellucid.tree._held_out import answered_classes, class_parts
from pellucid.tree._reading import Reading


def keys_of_tests(nodes: TreeNodes, some: Any) -> list[Any]:
    """The test of each node as something that can be compared; None for a leaf."""
    found: list[Any] = []
    for node in some:
        if nodes.n_children[node] == 0:
            found.append(None)
            continue
        table = nodes.table[nodes.table_start[node] : nodes.table_start[node + 1]] if len(nodes.table_start) else ()
        cuts = nodes.cuts_of(node) if len(nodes.cuts_start) else ()
        threshold = float(nodes.threshold[node])
        found.append(
            (
                int(nodes.feature[node]),
                int(nodes.test[node]),
                None if np.isnan(threshold) else threshold,
                int(nodes.missing_child[node]),
                tuple(np.asarray(table).tolist()),
                tuple(np.asarray(cuts).tolist()),
            )
        )
    return found


def comparable_answers(reading: Reading, by_value: bool) -> list[Any]:
    """What each node answers, as something that can be compared."""
    model, nodes = reading.model, reading.nodes
    if model is None or class_parts(model) is None:
        if reading.classes is not None and not by_value:
            return list(reading.answers.tolist())
        values = nodes.value
    elif not by_value:
        return [tuple(codes) for codes in answered_classes(model, nodes).tolist()]
    else:
        values, start = np.array(nodes.value), 0
        for part in class_parts(model) or []:
            own = values[:, start : start + len(part)]
            own /= np.maximum(own.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            start += len(part)
        values = values.round(12)
    return [tuple(row) for row in np.asarray(values).tolist()]


def branch_shapes(reading: Reading, by_value: bool) -> list[int]:
    """A number for each node; nodes with the same number have the same below them."""
    nodes, answers = reading.nodes, comparable_answers(reading, by_value)
    keys = keys_of_tests(nodes, range(len(nodes)))
    stops = nodes.missing_child == STOP
    numbers: dict[Any, int] = {}
    shapes = [0] * len(nodes)
    for node in range(len(nodes) - 1, -1, -1):
        if keys[node] is None:
            shape: Any = ("leaf", answers[node])
        else:
            own = answers[node] if stops[node] else None  # it may have to answer itself
            shape = (keys[node], own, tuple(shapes[child] for child in nodes.children(node)))
        shapes[node] = numbers.setdefault(shape, len(numbers))
    return shapes
