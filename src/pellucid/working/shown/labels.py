"""Which labels a target has, and each row's number or its zeros and ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.preprocessing._labels import vector_of
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import equal, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown.encoding import MOST_CATEGORIES, _alike, _word


def _labels(w: Working, model: Any, data: Given) -> tuple[Cell, Axis, Cell, Array]:
    """The target, and the labels that fit on a page."""
    y = vector_of(data.table.y, type(model).__name__)
    values, classes = _alike(y, model.classes_)
    listed = classes[:MOST_CATEGORIES]
    if len(listed) < len(classes):
        w.note(f"The last {count(len(classes) - len(listed), 'label')} of {len(classes):,} are not shown.")
    w.step("Labels", "The target, and its distinct labels in ascending order.")
    x = w.given("y", values, data.row_axis, symbol="y", label="label")
    axis = Axis("label", [_word(label) for label in listed], "k", "K")
    c = w.given("c", listed, axis, symbol="c", label="label")
    return x, axis, c, classes


@shows("LabelEncoder.fit", "LabelBinarizer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Labels of a target"
    w.intro = "A fit writes down which labels there are. Their order is that of the numbers, or of the columns."
    if getattr(model, "y_type_", "") == "multilabel-indicator":
        _table(w, model, data)
        return
    x, axis, c, classes = _labels(w, model, data)
    distinct = dict.fromkeys(np.asarray(x.value).tolist())
    order = {label: k for k, label in enumerate(classes.tolist())}
    again = sorted(distinct, key=lambda label: order.get(label, len(order)))
    w.check(c, np.array(again, dtype=classes.dtype)[: len(axis)], "classes_")
    w.given("k", np.arange(float(len(axis))), axis, symbol="k", label="its number, counted from 0")
    w.cell("m", sum_(where(equal(x, c), 1, 0), data.row_axis), symbol="m", label="how often")


@shows("LabelEncoder.transform")
def encode(w: Working, model: Any, data: Given) -> None:
    w.title = "The number of each label"
    w.intro = "Each label is replaced by its position among the sorted labels, counted from 0."
    x, axis, c, classes = _labels(w, model, data)
    encoded = model.transform(data.table.y).astype(np.float64)
    w.step("Numbers", "The position of the row's label.")
    if len(classes) > len(axis):
        w.given("z", encoded, data.row_axis, symbol="z", label="number")
        return
    w.note("A condition in brackets counts 1 where it holds, else 0.")
    k = w.given("k", np.arange(float(len(axis))), axis, symbol="k", label="its number")
    w.cell("z", sum_(equal(x, c) * k, axis), symbol="z", label="number", equals=encoded, attribute="transform(y)")


def _dense(table: Any) -> Array:
    return np.asarray(table.toarray() if hasattr(table, "toarray") else table, dtype=np.float64)


@shows("LabelBinarizer.transform")
def binarize(w: Working, model: Any, data: Given) -> None:
    w.title = "A column for each label"
    w.intro = "One number where a row has the label, another where it has not; of two labels the second alone is asked."
    if model.y_type_ == "multilabel-indicator":
        _table(w, model, data)
        return
    x, axis, _, classes = _labels(w, model, data)
    binarized = _dense(model.transform(data.table.y))
    w.step("Columns", "Has the row this label?")
    neg, pos = float(model.neg_label), float(model.pos_label)
    columns_made = classes[1:] if binarized.shape[1] == 1 and len(classes) == 2 else classes
    if len(classes) == 1:
        w.note("There is one label alone: its column says nothing.")
        return
    for k, label in enumerate(columns_made.tolist()[: len(axis)]):
        word = label if isinstance(label, float) else str(label)
        w.cell(
            f"z_{k + 1}", where(equal(x, word), pos, neg), symbol=f"z_{{{k + 1}}}", label=f"is it {_word(label)}?",
            equals=binarized[:, k], attribute="transform(y)",
        )  # fmt: skip


def _table(w: Working, model: Any, data: Given) -> None:
    """A target that is a table of zeros and ones already."""
    w.step("Labels", "Each row may have several labels: one column each, with a one where the row has it.")
    indicator_table = _dense(data.table.y)
    columns = [
        w.given(f"y_{k + 1}", indicator_table[:, k], data.row_axis, symbol=f"y_{{{k + 1}}}", label=f"label {k}")
        for k in range(min(len(model.classes_), MOST_CATEGORIES))
    ]
    for k, y in enumerate(columns):
        w.cell(f"m_{k + 1}", sum_(where(y > 0, 1, 0)), symbol=f"m_{{{k + 1}}}", label="how often")
    size = w.given("size", float(indicator_table.shape[1]), symbol="K", label="labels")
    w.check(size, float(len(model.classes_)), "classes_")


@shows("MultiLabelBinarizer.fit", "MultiLabelBinarizer.transform")
def sets(w: Working, model: Any, data: Given) -> None:
    w.title = "Sets of labels as zeros and ones"
    w.intro = "Every label has a column: 1 where it is in the row's set, else 0."
    listed = [list(labels) for labels in data.table.y]
    classes = model.classes_.tolist()
    if len(classes) > MOST_CATEGORIES:
        w.note(f"The last {count(len(classes) - MOST_CATEGORIES, 'label')} of {len(classes):,} are not shown.")
    w.step("Sets", "The labels of each row.")
    words = np.array([", ".join(_word(name) for name in labels) or "(none)" for labels in listed], dtype=object)
    w.given("set", words, data.row_axis, symbol="L", label="labels")
    w.step("Columns", "Which rows have the label, and how many they are.")
    binarized = _dense(model.transform(listed))
    columns = []
    for k, label in enumerate(classes[:MOST_CATEGORIES]):
        z = w.given(f"z_{k + 1}", np.array([float(label in labels) for labels in listed]), data.row_axis)
        z.symbol, z.label = f"z_{{{k + 1}}}", f"has it {_word(label)}?"
        w.check(z, binarized[:, k], "transform(y)")
        columns.append(z)
    for k, (label, z) in enumerate(zip(classes, columns, strict=False)):
        w.cell(f"m_{k + 1}", sum_(z), symbol=f"m_{{{k + 1}}}", label=f"rows with {_word(label)}")
