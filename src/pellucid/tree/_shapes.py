"""Nodes, tests and branches as things that can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.models.tree.nodes import STOP, TreeNodes
from pellucid.tree._held_out import answered_classes, class_parts
from pellucid.tree._reading import Reading


def keys_of_tests(nodes: TreeNodes, some: Any) -> list[Any]:
    """The test of each node as something that can be compared; None for a leaf."""
    keys: list[Any] = []
    for node in some:
        if nodes.n_children[node] == 0:
            keys.append(None)
            continue
        table = nodes.table[nodes.table_start[node] : nodes.table_start[node + 1]] if len(nodes.table_start) else ()
        cuts = nodes.cuts_of(node) if len(nodes.cuts_start) else ()
        threshold = float(nodes.threshold[node])
        keys.append(
            (
                int(nodes.feature[node]),
                int(nodes.test[node]),
                None if np.isnan(threshold) else threshold,
                int(nodes.missing_child[node]),
                tuple(np.asarray(table).tolist()),
                tuple(np.asarray(cuts).tolist()),
            )
        )
    return keys


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
        for target_labels in class_parts(model) or []:
            target_values = values[:, start : start + len(target_labels)]
            target_values /= np.maximum(target_values.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            start += len(target_labels)
        values = values.round(12)
    return [tuple(row) for row in np.asarray(values).tolist()]


def branch_shapes(reading: Reading, by_value: bool) -> list[int]:
    """A number for each node; nodes with the same number have the same below them."""
    nodes, labels = reading.nodes, comparable_answers(reading, by_value)
    keys = keys_of_tests(nodes, range(len(nodes)))
    stops = nodes.missing_child == STOP
    numbers: dict[Any, int] = {}
    shapes = [0] * len(nodes)
    for node in range(len(nodes) - 1, -1, -1):
        if keys[node] is None:
            shape: Any = ("leaf", labels[node])
        else:
            own_label = labels[node] if stops[node] else None  # it may have to answer itself
            shape = (keys[node], own_label, tuple(shapes[child] for child in nodes.children(node)))
        shapes[node] = numbers.setdefault(shape, len(numbers))
    return shapes
