"""AdaBoost over stumps in one kernel call, and stumps as trees: those it found, and those that a user writes down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from sklearn.base import clone

from pellucid import _core
from pellucid.base.errors import ParameterError, format_message, join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, Schema
from pellucid.models.tree.cart import drawn_columns
from pellucid.models.tree.categories import category_sizes
from pellucid.models.tree.nodes import STOP, NodeTest, TreeNodes
from pellucid.tree import DecisionTreeClassifier

ENDINGS = ("n_estimators", "perfect", "chance", "overflow")  # in the order of the kernel's

# Settings of a tree that the kernel knows; all others must be as they are by default.
_KNOWN = ("max_depth", "categorical_features", "n_jobs", "random_state")


def is_stump(model: Any) -> bool:
    """Is it a tree of ours with one test and no other wishes?"""
    if type(model) is not DecisionTreeClassifier or model.max_depth != 1:
        return False
    defaults = {name: p.default for name, p in DecisionTreeClassifier._params.items() if name not in _KNOWN}
    return all(getattr(model, name) == default for name, default in defaults.items())


@dataclass(frozen=True, eq=False)
class Stumps(Sequence[Any]):
    """m fitted `DecisionTreeClassifier` of one test, each made when it is asked for.

    The arrays have one entry a stump: of its test, and of its three nodes (root, left, right) what they hold. A stump
    that found nothing to ask has feature -1.
    """

    base: Any
    schema: Schema
    classes: Array
    sizes: Array  # categories of each column
    feature: Array
    test: Array
    missing_child: Array
    threshold: Floats
    n_rows: Array
    weight: Floats
    impurity: Floats
    value: Floats
    table_start: Array
    table: Array

    def __len__(self) -> int:
        return len(self.feature)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._tree(t) for t in range(len(self))[index]]
        return self._tree(range(len(self))[index])

    def __iter__(self) -> Iterator[Any]:
        return (self._tree(t) for t in range(len(self)))

    def part(self, start: int, stop: int) -> Stumps:
        """Some of them that follow each other."""
        begin, end = int(self.table_start[start]), int(self.table_start[stop])
        cut = {name: getattr(self, name)[start:stop] for name in _PER_STUMP}
        words = {"table_start": self.table_start[start : stop + 1] - begin, "table": self.table[begin:end]}
        return Stumps(self.base, self.schema, self.classes, self.sizes, **cut, **words)

    def nodes(self, t: int) -> TreeNodes:
        """The nodes of one stump, as the tree engine would have left them."""
        m = 3 if self.feature[t] >= 0 else 1
        root = np.arange(3) == 0
        words = self.table[self.table_start[t] : self.table_start[t + 1]]
        return TreeNodes(
            parent=np.where(root, -1, 0).astype(np.int32)[:m],
            first_child=np.where(root & (m == 3), 1, -1).astype(np.int32)[:m],
            n_children=np.where(root & (m == 3), 2, 0).astype(np.int32)[:m],
            feature=np.where(root, self.feature[t], -1).astype(np.int32)[:m],
            test=np.where(root, self.test[t], NodeTest.LEAF).astype(np.uint8)[:m],
            missing_child=np.where(root & (m == 3), self.missing_child[t], STOP).astype(np.int32)[:m],
            threshold=np.where(root, self.threshold[t], np.nan)[:m],
            n_rows=self.n_rows[t, :m].copy(),
            weight=self.weight[t, :m].copy(),
            impurity=self.impurity[t, :m].copy(),
            value=self.value[t, :m].copy(),
            table_start=np.array([0, *[len(words)] * m], dtype=np.int64) if len(words) else np.empty(0, np.int64),
            table=words.astype(np.int32),
        )

    def _tree(self, t: int) -> Any:
        return tree_of(clone(self.base), self.nodes(t), self.schema, self.classes, self.sizes)

    @property
    def winners(self) -> Array:
        """The class that each node of each stump says, as its place among the classes."""
        total = self.value.sum(axis=2, keepdims=True)
        shares = np.divide(self.value, total, out=np.zeros_like(self.value), where=total > 0)
        return np.asarray(shares.argmax(axis=2).astype(np.int32))

    def add_votes(self, d: Design, stages: Floats, votes: Floats, threads: int) -> None:
        """Adds the stage of each stump to the votes (classes x rows) for the class that it says of each row."""
        if d.table.is_sparse or (self.test == NodeTest.SUBSET).any():
            for tree, stage in zip(self, stages.tolist(), strict=True):
                votes[tree._predict_codes(d), np.arange(d.n_rows)] += stage
            return
        winners, split = self.winners, self.feature >= 0
        left = np.where(split, winners[:, 1], winners[:, 0])
        right = np.where(split, winners[:, 2], winners[:, 0])
        left_if_missing = np.asarray(self.missing_child == 0, dtype=np.uint8)
        _core.add_stump_votes(
            d.matrix, self.feature, self.threshold, left_if_missing, left, right, stages, votes, threads
        )

    def importances(self, stages: Floats) -> Floats:
        """The mean over the stumps of how much each column lowers the impurity, weighted by their stages."""
        lowered = self.weight * self.impurity
        gain = lowered[:, 0] - lowered[:, 1] - lowered[:, 2]
        split = self.feature >= 0
        shares = np.where(gain > 0, 1.0, gain / self.weight[:, 0])
        importances = np.bincount(self.feature[split], weights=(shares * stages)[split], minlength=self.schema.n_cols)
        return np.asarray(importances / stages.sum())


_PER_STUMP = ("feature", "test", "missing_child", "threshold", "n_rows", "weight", "impurity", "value")


def tree_of(model: Any, nodes: TreeNodes, schema: Schema, classes: Array, sizes: Array) -> Any:
    """A `DecisionTreeClassifier` that is fitted by being given its nodes."""
    model._keep_schema(schema)
    model.classes_, model.n_classes_ = classes, len(classes)
    model.tree_, model.n_outputs_ = nodes, 1
    model.max_features_ = drawn_columns(model.max_features, schema.n_cols)
    if model.categorical_features is not None:
        model._sizes_ = sizes
    return model


@dataclass(frozen=True)
class Boosted:
    """What the kernel found: the stumps that count, their figures, why it ended, and the weights of the rounds."""

    stumps: Stumps
    stages: Floats
    errors: Floats
    ended: str
    row_weight: Floats


def boost_stumps(
    d: Design, base: Any, rounds: int, rate: float, half: bool, normalize: bool, record: bool, threads: int
) -> Boosted:
    """All rounds over stumps: see cpp/core/ensemble/stumps.hpp."""
    sizes = category_sizes(d, base.categorical_features)
    weight = np.ones(d.n_rows) if d.weight is None else d.unit_weight[0]
    codes = d.y[:, 0].astype(np.int32)
    assert weight is not None
    output = _core.boost_stumps(
        d.matrix, sizes, codes, len(d.classes[0]), weight, rounds, rate, half, normalize, record, threads
    )
    arrays = {name: output[name] for name in (*_PER_STUMP, "table_start", "table")}
    stumps = Stumps(base, d.schema, d.classes[0], sizes, **arrays)
    return Boosted(stumps, output["stage"], output["error"], ENDINGS[output["ending"]], output["row_weight"])


# ------------------------------------------------------------------------------------------------------ written by hand


def stump_by_hand(d: Design, definition: Mapping[str, Any]) -> Any:
    """A fitted tree from a test that a user writes down, with the labels of its two sides.

    ``{"feature": "x", "threshold": 2.5, "left": "no", "right": "yes"}``: ``x <= 2.5`` says no. ``"categories"`` in
    place of the threshold is one category or a list of them, which go left.
    """
    column, classes = _column(d, definition), d.classes[0].tolist()
    sides = [_class_of(d, definition, side, classes) for side in ("left", "right")]
    sizes = category_sizes(d)
    values = np.asarray(d.numbers[:, [column]].toarray() if d.table.is_sparse else d.numbers[:, [column]]).ravel()
    if "categories" in definition:
        codes = _codes_of(d, definition, column)
        goes_left, words = np.isin(values, codes), np.zeros(int(sizes[column]) // 32 + 1, dtype=np.uint32)
        for code in codes:
            words[code // 32] |= np.uint32(1 << (code % 32))
        test, threshold, table = NodeTest.SUBSET, np.nan, words.astype(np.int32)
    else:
        threshold, test, table = _threshold(d, definition), NodeTest.AT_MOST, np.empty(0, dtype=np.int32)
        goes_left = values <= threshold
    weight = np.ones(d.n_rows) if d.weight is None else d.weight
    member = np.stack([np.ones(d.n_rows, dtype=bool), goes_left, ~goes_left])
    node_weight = member @ weight
    value = np.zeros((3, len(classes)))
    value[[1, 2], sides] = np.where(node_weight[1:] > 0, node_weight[1:], 1.0)
    value[0] = value[1] + value[2]
    nodes = TreeNodes(
        parent=np.array([-1, 0, 0], dtype=np.int32),
        first_child=np.array([1, -1, -1], dtype=np.int32),
        n_children=np.array([2, 0, 0], dtype=np.int32),
        feature=np.array([column, -1, -1], dtype=np.int32),
        test=np.array([test, NodeTest.LEAF, NodeTest.LEAF], dtype=np.uint8),
        missing_child=np.array([0 if goes_left.sum() > (~goes_left).sum() else 1, STOP, STOP], dtype=np.int32),
        threshold=np.array([threshold, np.nan, np.nan]),
        n_rows=(member @ (weight > 0)).astype(np.int64),
        weight=node_weight,
        impurity=1 - ((value / value.sum(axis=1, keepdims=True)) ** 2).sum(axis=1),
        value=value,
        table_start=np.array([0, len(table), len(table), len(table)], dtype=np.int64) if len(table) else _NO_TABLE,
        table=table,
    )
    return tree_of(DecisionTreeClassifier(max_depth=1), nodes, d.schema, d.classes[0], sizes)


_NO_TABLE = np.empty(0, dtype=np.int64)
_SHAPE = "a stump is a dict with feature, threshold (or categories), left and right"


def _refused(d: Design, definition: Mapping[str, Any], fault: str) -> ParameterError:
    example = '{"feature": "x", "threshold": 2.5, "left": "no", "right": "yes"}'
    return ParameterError(
        format_message(d.who, _SHAPE, actual=f"{fault} in {short_repr(dict(definition))}", hint=f"such as {example}")
    )


def check_stump(definition: Mapping[str, Any]) -> str:
    """What is wrong with the keys of a stump, or nothing."""
    keys = {"feature", "left", "right", "categories" if "categories" in definition else "threshold"}
    absent, more = sorted(keys - set(definition)), sorted(map(str, set(definition) - keys))
    return f"there is no {absent[0]!r}" if absent else f"there is {more[0]!r}" if more else ""


def _column(d: Design, definition: Mapping[str, Any]) -> int:
    wrong = check_stump(definition)
    if wrong:
        raise _refused(d, definition, wrong)
    labels, name = d.column_labels(), definition["feature"]
    if isinstance(name, str) and name in labels:
        return labels.index(name)
    if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < d.n_cols:
        return int(name)
    raise _refused(d, definition, f"there is no column {short_repr(name)} among {join_some(labels)}")


def _class_of(d: Design, definition: Mapping[str, Any], side: str, classes: list[Any]) -> int:
    if definition[side] not in classes:
        raise _refused(
            d, definition, f"{side} is {short_repr(definition[side])}, y has {join_some(map(repr, classes))}"
        )
    return classes.index(definition[side])


def _threshold(d: Design, definition: Mapping[str, Any]) -> float:
    try:
        threshold = float(definition["threshold"])
    except (TypeError, ValueError):
        threshold = np.nan
    if np.isnan(threshold):
        raise _refused(d, definition, f"the threshold is {short_repr(definition['threshold'])}, not a number")
    return threshold


def _codes_of(d: Design, definition: Mapping[str, Any], column: int) -> list[int]:
    categories = d.schema.categories.get(column)
    if categories is None:
        raise _refused(d, definition, f"column {d.column_labels()[column]!r} holds numbers, not categories")
    listed = definition["categories"]
    requested = list(listed) if isinstance(listed, list | tuple | set) else [listed]
    absent = [value for value in requested if value not in categories]
    if absent:
        raise _refused(
            d, definition, f"the column has no category {short_repr(absent[0])}, but {join_some(map(repr, categories))}"
        )
    return [categories.index(value) for value in requested]
