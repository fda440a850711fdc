"""What the pictures of scores draw: for each model and class, which rows are positive and what they scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, join_some, noun_list
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.kinds import is_missing
from pellucid.data.target import read_target
from pellucid.plotting._read import numbers
from pellucid.plotting._style import LINES, MINUS, number, plain, shown

MOST_LINES = len(LINES) ** 2


@dataclass(frozen=True)
class Line:
    """What one line is about: which rows are positive (1), what they scored, and how much they count."""

    name: str
    positive: Array
    score: Floats
    weight: Array | None

    @property
    def share(self) -> float:
        return float(np.average(self.positive, weights=self.weight))

    def called(self, threshold: float, among: Flags) -> float:
        """The share of some rows that score at or above a threshold."""
        weight = None if self.weight is None else self.weight[among]
        return float(np.average(self.score[among] >= threshold, weights=weight))

    def words(self, what: str, value: float) -> str:
        """For the legend, which says what the figure is where lines have names."""
        return shown(plain(f"{self.name}: {figure(value)}")) if self.name else f"{what} {figure(value)}"


def figure(value: float) -> str:
    """A score, to three decimals where it is of ordinary size; nothing but 1 is written as 1.

    >>> figure(0.75), figure(0.99999), figure(1.0), figure(-12.345)
    ('0.750', '>0.999', '1.000', '−12.35')
    """
    if 0.9995 <= value < 1:
        return ">0.999"
    return f"{value:z.3f}".replace("-", MINUS) if 0.001 <= abs(value) < 10 or value == 0 else number(value)


def cut(name: str, max_length: int = 20) -> str:
    """A long name without its middle: names differ at their ends.

    >>> cut("versicolor", max_length=7)
    'ver…lor'
    """
    return name if len(name) <= max_length else f"{name[: (max_length - 1) // 2]}…{name[-(max_length // 2) :]}"


def labels_of(who: str, name: str, y: Any) -> list[Any]:
    """One column of labels, as Python has them."""
    array = np.empty(0) if y is None else read_target(y, who)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1 or not len(array):
        requirement = f"{name} must be one column of labels, with a row at least"
        raise DataError(format_message(who, requirement, actual=f"got an array of shape {array.shape}"))
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array % 1 != 0).any():
        hint = "scores and probabilities are the second argument"
        raise DataError(
            format_message(who, f"{name} must hold labels of classes", actual="got numbers with decimals", hint=hint)
        )
    labels: list[Any] = array.tolist()
    bad = [row for row, label in enumerate(labels) if is_missing(label)]
    if bad:
        raise DataError(
            format_message(who, f"{name} must have no missing labels", actual=f"got them in {noun_list('row', bad)}")
        )
    return labels


def classes_of(who: str, *columns: list[Any]) -> list[Any]:
    """The different labels of all columns, sorted."""
    distinct = set[Any]().union(*columns)
    try:
        return sorted(distinct)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in distinct})
        raise DataError(
            format_message(who, "labels must be of one kind", actual=f"got {' and '.join(kinds)}")
        ) from None


def read(
    who: str, y_true: Any, y_score: Any, pos_label: Any, labels: Any, sample_weight: Any, what: str = "y_score"
) -> list[Line]:
    """The lines to draw: one a model and class."""
    models: Mapping[Any, Any] = y_score if isinstance(y_score, Mapping) else {"": y_score}
    if not models:
        raise DataError(format_message(who, f"{what} must hold scores", actual="the dict is empty"))
    true = labels_of(who, "y_true", y_true)
    classes = classes_of(who, true)
    if len(classes) < 2:
        raise DataError(
            format_message(who, "y_true must have rows of two classes or more", actual=f"all are {classes[0]!r}")
        )
    weight = None if sample_weight is None else numbers(who, "sample_weight", sample_weight).ravel()
    if weight is not None:
        _check_rows(who, true, "sample_weight", weight)
    code_of_label = {label: at for at, label in enumerate(classes)}
    codes = np.array([code_of_label[label] for label in true])
    lines = []
    for model, scores in models.items():
        name = f"{what}[{model!r}]" if isinstance(y_score, Mapping) else what
        values = numbers(who, name, scores)
        _check_rows(who, true, name, values)
        for words, label, column in _columns(who, classes, values, pos_label, labels, name):
            positive = (codes == classes.index(label)).astype(np.int64)
            lines.append(Line(", ".join(text for text in (str(model), words) if text), positive, column, weight))
    if len(lines) > MOST_LINES:
        hint = "draw some of them: pos_label takes one class"
        raise DataError(
            format_message(
                who, f"at most {MOST_LINES} lines can be told apart", actual=f"there are {len(lines)}", hint=hint
            )
        )
    if weight is not None and any(weight.min() < 0 or not 0 < line.share < 1 for line in lines):
        raise DataError(format_message(who, "weights must be 0 or more, and above 0 for some rows of every class"))
    return lines


def _check_rows(who: str, true: list[Any], name: str, values: Floats) -> None:
    if values.ndim not in (1, 2) or len(values) != len(true):
        actual = f"got {len(true)} and an array of shape {values.shape}"
        raise DataError(format_message(who, f"y_true and {name} must have the same rows", actual=actual))


def _columns(
    who: str, classes: list[Any], values: Floats, pos_label: Any, labels: Any, name: str
) -> Iterator[tuple[str, Any, Floats]]:
    """Of each column to draw its class: as words where there are several, and as the label."""
    if pos_label is not None and pos_label not in classes:
        listing = join_some(map(repr, classes))
        raise ParameterError(
            format_message(who, "pos_label must be a label of y_true", actual=f"got {pos_label!r}; it has {listing}")
        )
    if values.ndim == 1 or values.shape[1] == 1:
        yield "", _positive(who, classes, name) if pos_label is None else pos_label, values.reshape(-1)
        return
    column_labels = classes if labels is None else np.asarray(labels).ravel().tolist()
    if len(column_labels) != values.shape[1] or set(column_labels) != set(classes):
        requirement = f"{name} must have one column for each class of y_true"
        actual = (
            f"{values.shape[1]} columns, for {join_some(map(repr, column_labels))}; "
            f"y_true has {join_some(map(repr, classes))}"
        )
        hint = "labels names the classes of the columns; leave out columns of classes without a row"
        raise DataError(format_message(who, requirement, actual=actual, hint=hint))
    if pos_label is None and len(column_labels) == 2:
        pos_label = column_labels[1]
    for column, label in enumerate(column_labels):
        if pos_label is None or label == pos_label:
            yield str(label) if pos_label is None else "", label, values[:, column]


def _positive(who: str, classes: list[Any], name: str) -> Any:
    """Of 0 and 1, or of -1 and 1, the 1."""
    if set(classes) in ({0, 1}, {-1, 1}):
        return classes[1]
    listing = join_some(map(repr, classes))
    if len(classes) > 2:
        requirement, actual = (
            f"{name} must have one column a class, or pos_label must be given",
            f"one column for {listing}",
        )
    else:
        requirement, actual = "pos_label must be given where labels are not 0 and 1 or -1 and 1", f"they are {listing}"
    raise DataError(format_message(who, requirement, actual=actual))
