"""What rows held out say of a tree's nodes: how wrong each would be as a leaf, and how wrong the tree is."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from pellucid.base.errors import DataError, count, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, attach_weight
from pellucid.data.target import attach_numbers, check_rows, read_target
from pellucid.models.tree.answer import leaf_weights
from pellucid.models.tree.nodes import TreeNodes
from pellucid.tree._reading import Reading, read_tree

_BY_NODE = ("gain_", "split_info_")  # attributes with an entry a node


@dataclass(frozen=True)
class Judged:
    """Costs of nodes on some rows: weight of wrong rows; or squared errors over the squares around the mean.

    leaf : what all rows that pass a node would cost if it were a leaf
    own : what the rows cost for which the node answers in the tree as it is
    whole : by which costs are divided in a score
    """

    leaf: Floats
    own: Floats
    whole: float
    score_name: str

    def score(self, cost: float) -> float:
        """Accuracy, or R²."""
        return 1 - cost / self.whole if self.whole > 0 else float(cost == 0)


def with_nodes(tree: Any, nodes: TreeNodes, node_ids: Array) -> Any:
    """A copy of a fitted tree with other nodes, which are those numbered ``kept`` of it; or what belongs to them."""
    pruned_copy = copy.copy(tree)
    for name in _BY_NODE:
        if name in vars(tree):
            setattr(pruned_copy, name, np.where(nodes.is_leaf, np.nan, vars(tree)[name][node_ids]))
    if "feature_importances_" in vars(tree):
        pruned_copy.feature_importances_ = nodes.compute_feature_importances(n_features=tree.n_features_in_)
    if hasattr(tree, "_take_nodes"):
        tree._take_nodes(pruned_copy, node_ids)
    pruned_copy.tree_ = nodes
    return pruned_copy


def read_fitted(who: str, tree: Any) -> Reading:
    """A fitted estimator with its tree: nodes by themselves cannot read a table."""
    reading = read_tree(who, tree)
    if reading.model is None:
        raise DataError(
            format_message(
                who, "needs the estimator with its tree", actual="got nodes alone", hint="pass the fitted model"
            )
        )
    return reading


def question_of(reading: Reading, node: int) -> str:
    """What a node asks: "age <= 30", or the column's name where there are more than two branches."""
    if reading.nodes.n_children[node] == 2:
        return reading.words.condition(reading.nodes, node, 0)
    return reading.words.names[int(reading.nodes.feature[node])]


# -------------------------------------------------------------------------------------------------------------- answers


def class_parts(model: Any) -> list[Array] | None:
    """The labels of each target of a classifier; None for a regressor."""
    labels = getattr(model, "classes_", None)
    if labels is None:
        return None
    return [np.asarray(target_labels) for target_labels in labels] if isinstance(labels, list) else [np.asarray(labels)]


def answered_classes(model: Any, nodes: TreeNodes) -> Array:
    """m x targets: place of the class that each node answers with; one without rows answers as its parent does."""
    label_sets = class_parts(model) or []
    value = getattr(model, "_answering", nodes).value if nodes is model.tree_ else nodes.value
    codes, start = [], 0
    for target_labels in label_sets:
        target_value = value[:, start : start + len(target_labels)]
        target_codes = target_value.argmax(axis=1)
        for node in np.flatnonzero(~(target_value.sum(axis=1) > 0)).tolist():
            target_codes[node] = target_codes[nodes.parent[node]] if node else 0
        codes.append(target_codes)
        start += len(target_labels)
    return np.column_stack(codes)


def upward(nodes: TreeNodes, values: Floats) -> Floats:
    """Sums over each node and all that is below it."""
    sums = np.array(values, dtype=np.float64)
    parent = nodes.parent
    for node in range(len(nodes) - 1, 0, -1):
        sums[parent[node]] += sums[node]
    return sums


# ---------------------------------------------------------------------------------------------------------------- costs


def judge(reading: Reading, X: Any, y: Any, sample_weight: Any = None) -> Judged:
    """Sends rows down the tree. A row that a missing value shares out counts in parts."""
    model, nodes = reading.model, reading.nodes
    d = model._validate_predict(X)
    d.who = reading.who
    attach_weight(d, sample_weight)
    weight = np.ones(d.n_rows) if d.weight is None else d.weight
    shares = leaf_weights(nodes, d.matrix)
    if class_parts(model) is None:
        return _judge_numbers(nodes, d, y, weight, shares)
    return _judge_classes(reading, d, y, weight, shares)


def _judge_classes(reading: Reading, d: Design, y: Any, weight: Floats, shares: Any) -> Judged:
    model, nodes = reading.model, reading.nodes
    label_sets = class_parts(model) or []
    actual = read_target(y, reading.who)
    check_rows(actual, d)
    actual = actual.reshape(d.n_rows, -1)
    if actual.shape[1] != len(label_sets):
        requirement = (
            f"y must have {len(label_sets)} columns of labels"
            if len(label_sets) > 1
            else "y must be one column of labels"
        )
        raise DataError(format_message(reading.who, requirement, actual=f"got {actual.shape[1]}"))
    label_codes = [{label: k for k, label in enumerate(target_labels.tolist())} for target_labels in label_sets]
    rows = [
        tuple(codes_by_label.get(label, -1) for codes_by_label, label in zip(label_codes, row, strict=True))
        for row in actual.tolist()
    ]
    row_codes = {row: k for k, row in enumerate(sorted(set(rows)))}
    label = np.array([row_codes[row] for row in rows], dtype=np.int64)
    predicted_codes = np.array([row_codes.get(tuple(codes), -1) for codes in answered_classes(model, nodes).tolist()])
    one_hot = sparse.csr_matrix((weight, (np.arange(d.n_rows), label)), shape=(d.n_rows, len(row_codes)))
    counts = np.asarray((shares.T @ one_hot).todense())
    return Judged(
        _wrong(upward(nodes, counts), predicted_codes), _wrong(counts, predicted_codes), float(weight.sum()), "accuracy"
    )


def _wrong(counts: Floats, predicted_codes: Array) -> Floats:
    hits = np.where(predicted_codes >= 0, counts[np.arange(len(counts)), predicted_codes], 0.0)
    return np.asarray(counts.sum(axis=1) - hits)


def _judge_numbers(nodes: TreeNodes, d: Design, y: Any, weight: Floats, shares: Any) -> Judged:
    attach_numbers(d, y)
    if d.y.shape[1] != nodes.value.shape[1]:
        raise DataError(
            format_message(d.who, f"y must have {count(nodes.value.shape[1], 'column')}", actual=f"got {d.y.shape[1]}")
        )
    leaf, as_leaf = np.zeros(len(nodes)), np.zeros(len(nodes))
    total = 0.0
    for k in range(d.y.shape[1]):
        unit = float(np.abs(d.y[:, k]).max()) or 1.0
        column, value = d.y[:, k] / unit, nodes.value[:, k] / unit
        origin = float(np.average(column, weights=weight)) if weight.sum() > 0 else 0.0
        column, value = column - origin, value - origin
        spread = float(weight @ column**2)
        scale = 1 / spread if spread > 0 else 1.0
        sums = np.column_stack([shares.T @ (weight * column**power) for power in range(3)])
        as_leaf += scale * _squares(sums, value)
        leaf += scale * _squares(upward(nodes, sums), value)
        total += 1.0
    return Judged(leaf, as_leaf, total, "R²")


def _squares(sums: Floats, value: Floats) -> Floats:
    """sum w (y - v)² from sums of w, w y and w y²."""
    return np.asarray(np.maximum(sums[:, 2] - 2 * value * sums[:, 1] + value**2 * sums[:, 0], 0.0))
