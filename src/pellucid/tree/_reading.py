"""A fitted tree as those who draw or print it see it: names, classes, answers, and where rows go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, noun_list, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.kinds import is_missing
from pellucid.data.table import read_table
from pellucid.data.target import read_target
from pellucid.models.limits import digits_of, limit_text, mean_text
from pellucid.models.tree.answer import apply, row_path
from pellucid.models.tree.nodes import NodeTest, TreeNodes
from pellucid.models.tree.words import Words


class Printed(Words):
    """`Words` in which large numbers keep their figures and a digit behind the point: 2013.5 and not 2014."""

    def category(self, feature: int, code: int) -> str:
        """The name of a category; quotes for an empty one."""
        return super().category(feature, code) or "''"

    def number(self, value: float) -> str:
        """A number as it is printed.

        >>> words = Printed([], digits=4)
        >>> words.number(0.0683158), words.number(2013.5), words.number(1234567.0)
        ('0.06832', '2013.5', '1234567')
        """
        return limit_text(value, self.digits)


@dataclass(frozen=True)
class Reading:
    """The nodes with names for everything.

    classes : names of the classes of the target that is read, None for a tree of numbers
    values : m x classes, the weight of each; or m, the means
    answers : place of the class that each node answers; a node no row reached answers as its parent does
    measure : what the impurity is called
    """

    who: str
    nodes: TreeNodes
    words: Words
    classes: tuple[str, ...] | None
    values: Floats
    answers: Array
    measure: str
    model: Any

    def answer(self, node: int) -> str:
        """What a node answers: the name of a class, or a number."""
        if self.classes is None:
            return mean_text(float(self.values[node]), self.words.digits)
        return self.classes[int(self.answers[node])]


def read_tree(
    who: str,
    tree: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    target: int = 0,
    digits: int | None = None,
    unnamed: str = "x",
) -> Reading:
    """The tree of an estimator, or nodes by themselves, with names."""
    model = None if isinstance(tree, TreeNodes) else tree
    nodes = tree if isinstance(tree, TreeNodes) else getattr(tree, "tree_", None)
    if not isinstance(nodes, TreeNodes):
        if hasattr(tree, "_check_fitted"):
            tree._check_fitted()
        hint = "a forest keeps its trees in estimators_, a pipeline its steps in named_steps"
        raise ParameterError(
            format_message(who, "needs a fitted decision tree", actual=f"got {short_repr(tree)}", hint=hint)
        )
    if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= 17):
        raise ParameterError(
            format_message(who, "digits must be a whole number from 1 to 17", actual=f"got {short_repr(digits)}")
        )
    schema = getattr(model, "schema_", None)
    figures = _figures(nodes) if digits is None else digits
    words = Printed(_names(who, nodes, model, feature_names, unnamed), getattr(schema, "categories", {}), figures)
    classes, values = _classes(who, nodes, model, class_names, target)
    return Reading(who, nodes, words, classes, values, _answers(nodes, values), _measure(model), model)


def _figures(nodes: TreeNodes) -> int:
    """Digits for the limits of all columns."""
    limits: dict[int, list[float]] = {}
    for node in np.flatnonzero(nodes.n_children > 0).tolist():
        limits_of_node = nodes.cuts_of(node) if nodes.test[node] == NodeTest.INTERVALS else nodes.threshold[[node]]
        limits.setdefault(int(nodes.feature[node]), []).extend(limits_of_node[np.isfinite(limits_of_node)].tolist())
    return digits_of(limits.values())


def _names(who: str, nodes: TreeNodes, model: Any, feature_names: Sequence[str] | None, unnamed: str) -> list[str]:
    schema = getattr(model, "schema_", None)
    n_cols = getattr(model, "n_features_in_", None)
    min_columns = int(nodes.feature.max(initial=-1)) + 1
    if feature_names is not None:
        names = [str(name) for name in feature_names]
        if len(names) != n_cols if n_cols is not None else len(names) < min_columns:
            requirement = f"feature_names must have one name for each of {n_cols or min_columns} columns"
            raise ParameterError(format_message(who, requirement, actual=f"got {len(names)}"))
        return names
    fitted_names = getattr(schema, "names", None)
    if fitted_names is not None:
        return [str(name) for name in fitted_names]
    return [f"{unnamed}{j}" for j in range(max(n_cols or 0, min_columns))]


def _classes(
    who: str, nodes: TreeNodes, model: Any, class_names: Sequence[str] | bool | None, target: int
) -> tuple[tuple[str, ...] | None, Floats]:
    width = nodes.value.shape[1]
    custom_names = None if class_names is None or isinstance(class_names, bool) else [str(name) for name in class_names]
    labels = getattr(model, "classes_", None)
    if labels is None and (model is not None or (custom_names is None and width == 1)):
        _check_target(who, target, width)
        return None, np.asarray(nodes.value[:, target])
    if labels is None:
        label_sets: list[Any] = [custom_names or list(range(width))]
    else:
        label_sets = list(labels) if isinstance(labels, list) else [labels]
    _check_target(who, target, len(label_sets))
    start = sum(len(target_labels) for target_labels in label_sets[:target])
    n_classes = len(label_sets[target])
    if (custom_names is not None and len(custom_names) != n_classes) or (labels is None and n_classes != width):
        requirement = (
            f"class_names must have one name for each of {count(n_classes if labels is not None else width, 'class')}"
        )
        raise ParameterError(format_message(who, requirement, actual=f"got {len(custom_names or [])}"))
    names = custom_names or [str(label) for label in np.asarray(label_sets[target]).tolist()]
    return tuple(names), np.asarray(nodes.value[:, start : start + n_classes])


def _check_target(who: str, target: Any, n_targets: int) -> None:
    if isinstance(target, bool) or not isinstance(target, int | np.integer) or not 0 <= target < n_targets:
        last = n_targets - 1
        requirement = f"target must be between 0 and {last}" if last else "there is one target, number 0"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(target)}"))


def _answers(nodes: TreeNodes, values: Floats) -> Array:
    if values.ndim == 1:
        return np.zeros(len(nodes), dtype=np.int64)
    codes = values.argmax(axis=1)
    for node in np.flatnonzero(~(values.sum(axis=1) > 0)).tolist():
        if node:
            codes[node] = codes[nodes.parent[node]]
    return np.asarray(codes)


MEASURES = ("gini", "entropy", "squared_error", "absolute_error", "friedman_mse", "poisson")


def _measure(model: Any) -> str:
    """The impurity's name. A criterion that is none itself, as a gain or a test, is one of another impurity."""
    name = str(getattr(model, "criterion", ""))
    if name in MEASURES:
        return name.replace("_", " ")
    return "entropy" if name == "log_loss" or name.startswith("gain") else "impurity"


# --------------------------------------------------------------------------------------------------------------- rows


def end_nodes(nodes: TreeNodes, numbers: Floats) -> Array:
    """The node that answers for each row; of several that share a row, the one with the largest share."""
    return apply(nodes, _core.dense(np.ascontiguousarray(numbers)))


def walked(nodes: TreeNodes, values: Floats) -> set[int]:
    """The nodes that one row passes."""
    return {node for node, _ in row_path(nodes, _core.dense(np.ascontiguousarray(values[None, :])))}


def table_numbers(reading: Reading, X: Any) -> Floats:
    """A table in the form that the tree reads: numbers, codes of categories, NaN."""
    if reading.model is not None:
        numbers = reading.model._validate_predict(X).numbers
        return np.asarray(numbers.toarray() if hasattr(numbers, "toarray") else numbers, dtype=np.float64)
    try:
        numbers = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.ndim != 2 or numbers.shape[1] < len(reading.words.names):
        requirement = f"X must be a table of numbers with {count(len(reading.words.names), 'column')}"
        raise DataError(format_message(reading.who, requirement, actual=f"got {short_repr(X)}"))
    return np.asarray(numbers)


def row_numbers(reading: Reading, row: Any, X: Any = None) -> tuple[Floats, list[str]]:
    """One row in the form that the tree reads, and its values in words.

    row : a position in X, a mapping from names to values, a list, or a table of one row
    """
    values = _row_values(reading, row, X)
    codes = np.array([_code(reading, j, value) for j, value in enumerate(values)])
    words = [_said(reading, value) for value in values]
    return codes, words


def _row_values(reading: Reading, row: Any, X: Any) -> list[Any]:
    who, names = reading.who, list(reading.words.names)
    if isinstance(row, int | np.integer) and not isinstance(row, bool):
        table = None if X is None else read_table(X, who)
        if table is None or not -table.n_rows <= row < table.n_rows:
            requirement = "row must be the position of a row in X, or a row itself"
            raise DataError(
                format_message(
                    who, requirement, actual=f"got {row} and {'no X' if table is None else f'X of {table.n_rows} rows'}"
                )
            )
        return _ordered(reading, table.names, [table.column(j)[row] for j in range(table.n_cols)])
    if hasattr(row, "to_dict") and hasattr(row, "index") and np.ndim(row) == 1:  # a Series
        labels = [str(label) for label in row.index]
        row = dict(zip(labels, row.tolist(), strict=True)) if set(labels) == set(names) else row.tolist()
    if isinstance(row, Mapping):
        strange = [name for name in row if str(name) not in names]
        if strange:
            requirement = f"row must name columns of the tree ({join_some(names)})"
            raise DataError(format_message(who, requirement, actual=f"got {join_some(map(repr, strange))}"))
        by_name = {str(name): value for name, value in row.items()}
        return [by_name.get(name, np.nan) for name in names]
    if isinstance(row, list | tuple) and not any(isinstance(item, list | tuple | np.ndarray) for item in row):
        return _ordered(reading, None, list(row))
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return _ordered(reading, None, row.tolist())
    table = read_table(row, who)
    if table.n_rows != 1:
        raise DataError(
            format_message(who, "row must be one row", actual=f"got a table of {count(table.n_rows, 'row')}")
        )
    return _ordered(reading, table.names, [table.column(j)[0] for j in range(table.n_cols)])


def _ordered(reading: Reading, names: tuple[Any, ...] | None, values: list[Any]) -> list[Any]:
    expected = list(reading.words.names)
    input_names = None if names is None else [str(name) for name in names]
    if input_names is not None and set(input_names) >= set(expected):
        return [values[input_names.index(name)] for name in expected]
    if len(values) != len(expected):
        requirement = f"row must have a value for each of {count(len(expected), 'column')} ({join_some(expected)})"
        raise DataError(format_message(reading.who, requirement, actual=f"got {len(values)}"))
    return values


def _code(reading: Reading, j: int, value: Any) -> float:
    if is_missing(value):
        return float("nan")
    categories = reading.words.categories.get(j)
    if categories is not None:
        code_of = {category: code for code, category in enumerate(categories)}
        return float(code_of.get(value, float("nan")))
    try:
        return float(value)
    except (TypeError, ValueError):
        requirement = f"column '{reading.words.names[j]}' of row must be a number"
        raise DataError(format_message(reading.who, requirement, actual=f"got {short_repr(value)}")) from None


def _said(reading: Reading, value: Any) -> str:
    if is_missing(value):
        return "missing"
    if isinstance(value, float | np.floating):
        return reading.words.number(float(value))
    return str(value)


# ------------------------------------------------------------------------------------------------------------- counts


MOST = 1e300  # sums and differences of numbers to this size are finite


def check_drawable(who: str, what: str, values: Floats) -> None:
    """Axes and box plots add and subtract what they draw."""
    largest = values.flat[int(np.abs(values).argmax())] if values.size else 0.0
    if abs(largest) > MOST:
        raise DataError(
            format_message(who, f"{what} must lie between -1e300 and 1e300 to be drawn", actual=f"got {largest:g}")
        )


@dataclass(frozen=True)
class Counted:
    """Rows of a table at the nodes, in place of those that `fit` saw.

    rows : of each node; values : m x classes, rows of each, or None; targets : those of the rows in each end node
    """

    rows: Array
    values: Floats | None
    targets: dict[int, Floats]


def counted(reading: Reading, X: Any, y: Any, target: int) -> Counted:
    """Sends the rows of a table down the tree."""
    who, nodes = reading.who, reading.nodes
    numbers = table_numbers(reading, X)
    goal = np.asarray(read_target(y, who))
    goal = goal[:, target] if goal.ndim == 2 and goal.shape[1] > 1 else goal.ravel()
    if len(goal) != len(numbers):
        requirement = "y must have one entry for each row of X"
        raise DataError(format_message(who, requirement, actual=f"got {len(goal)} for {count(len(numbers), 'row')}"))
    ends = end_nodes(nodes, numbers)
    rows = np.bincount(ends, minlength=len(nodes))
    values, targets = None, {}
    if reading.classes is None:
        try:
            goal = goal.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                format_message(who, "y must hold numbers", actual=f"got {short_repr(goal[:3].tolist())}")
            ) from None
        odd = np.flatnonzero(~np.isfinite(goal))
        if len(odd):
            raise DataError(
                format_message(who, "y must hold finite numbers", actual=f"NaN or infinity in {noun_list('row', odd)}")
            )
        check_drawable(who, "y", goal)
        order = np.argsort(ends, kind="stable")
        cuts = np.flatnonzero(np.diff(ends[order])) + 1
        targets = {int(ends[group[0]]): goal[group] for group in np.split(order, cuts) if len(group)}
    else:
        values = np.zeros((len(nodes), len(reading.classes)))
        np.add.at(values, (ends, _labels(reading, goal, target)), 1)
    for node in range(len(nodes) - 1, 0, -1):
        rows[nodes.parent[node]] += rows[node]
        if values is not None:
            values[nodes.parent[node]] += values[node]
    return Counted(rows, values, targets)


def _labels(reading: Reading, goal: Array, target: int) -> Array:
    labels = getattr(reading.model, "classes_", None)
    target_labels = labels[target] if isinstance(labels, list) else labels
    label_list = (
        list(range(len(reading.classes or ()))) if target_labels is None else np.asarray(target_labels).tolist()
    )
    code_of: dict[Any, int] = {label: k for k, label in enumerate(label_list)}
    if target_labels is None:
        code_of |= {name: k for k, name in enumerate(reading.classes or ())}
    strange = set(goal.tolist()) - set(code_of)
    if strange:
        requirement = f"y must hold classes that the tree knows ({join_some(label_list)})"
        raise DataError(format_message(reading.who, requirement, actual=f"got {join_some(sorted(map(str, strange)))}"))
    return np.array([code_of[label] for label in goal.tolist()], dtype=np.int64)
