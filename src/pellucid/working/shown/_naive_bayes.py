"""What the workings of naive Bayes share: classes and priors, and from the factors of a row to its class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import arg_max, equal, exp, ln, lookup, max_, sum_, where
from pellucid.working.model import Working

MOST_COLUMNS = 8  # beside each other, one factor each; beyond it a row's columns stand below each other
MOST_ROWS = 5
_SAFE = 1e-280  # products above it still have all their digits


@dataclass
class Classes:
    """The classes that have rows, as an axis, with their labels and priors."""

    w: Working
    model: Any
    places: list[int]  # in classes_
    label: Cell
    prior: Cell

    @property
    def axis(self) -> Axis:
        assert self.label.axis is not None
        return self.label.axis

    def of(self, table: Any) -> Floats:
        """The entries of a fitted array, k or k x p, of these classes."""
        return np.asarray(table, dtype=np.float64)[self.places]

    def name(self, c: int) -> str:
        return str(self.model.classes_.tolist()[self.places[c]])


def _labels(w: Working, model: Any, class_indices: list[int]) -> Cell:
    classes = model.classes_ if model.classes_.dtype.kind in "OUT" else model.classes_.astype(np.float64)
    axis = Axis("class", [str(label) for label in model.classes_[class_indices].tolist()], "k", "K")
    return w.given("class", classes[class_indices], axis, symbol="c", label="class")


@dataclass
class Rows:
    """The table of a fit: the columns that are shown, the classes of the rows, and their weights."""

    w: Working
    data: Given
    x: list[Cell]
    y: Cell
    weight: Cell | None

    def in_class(self, c: Cell, what: Any, x: int | None = None) -> Expr:
        """Sum of something over the rows of each class; over those with a number in column x where some have none."""
        y, weight, axis = self.y, self.weight, self.data.row_axis
        if x is not None and self.x[x].axis is not axis:
            y, weight = self._present[x]
            axis = y.axis  # type: ignore[assignment]
        body = expr(what) if weight is None else weight if what == 1 else weight * what
        return sum_(where(equal(y, c), body, 0), axis)

    @property
    def _present(self) -> dict[int, tuple[Cell, Cell | None]]:
        present = {}
        for j, x in enumerate(self.x):
            if x.axis is not self.data.row_axis:
                weight = None if self.weight is None else self.w.cells[f"weight_{j + 1}"]
                present[j] = (self.w.cells[f"y_{j + 1}"], weight)
        return present  # type: ignore[return-value]


def read_rows(w: Working, data: Given, columns: Sequence[int]) -> Rows:
    """The data step. A column with gaps stands on an axis of the rows that have a number."""
    missing = np.isnan(data.X)
    w.step("Data", "The columns and the class of each row.")
    y = w.given("y", data.y, data.row_axis, symbol="y", label="class of the row")
    weight = None
    if data.weight is not None:
        weight = w.given("weight", data.weight, data.row_axis, symbol="w", label="weight")
    cells: list[Cell] = []
    for j in columns:
        is_missing = missing[:, j]
        mark = "x" if len(data.names) == 1 else f"x_{{{j + 1}}}"
        if not is_missing.any():
            cells.append(w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=mark, label=data.names[j]))
            continue
        there = np.flatnonzero(~is_missing)
        w.step(f"Column {data.names[j]}", f"Left out: {counted(int(is_missing.sum()), 'row')} without a number here.")
        axis = Axis("row", (there + 1).tolist())
        cells.append(w.given(f"x_{j + 1}", data.X[there, j], axis, symbol=mark, label=data.names[j]))
        w.given(f"y_{j + 1}", np.asarray(data.y)[there], axis, symbol=f"y_{{{j + 1}}}", label="class of the row")
        if data.weight is not None:
            w.given(f"weight_{j + 1}", data.weight[there], axis, symbol=f"w_{{{j + 1}}}", label="weight")
    return Rows(w, data, cells, y, weight)


def shown_columns(w: Working, data: Given, most: int = MOST_COLUMNS) -> list[int]:
    """Those that fit on a page; says so where there are more."""
    p = len(data.names)
    if p > most:
        w.note(f"The first {most} of {p} columns are shown; the others are worked out in the same way.")
    return list(range(min(p, most)))


def priors(rows: Rows, model: Any) -> tuple[Classes, Cell]:
    """How many rows each class has, and its prior."""
    w = rows.w
    prior_setting = getattr(model, model.prior_name)
    learned = prior_setting is None and getattr(model, "fit_prior", True)
    w.step("Classes", "How many rows each class has" + (", and its share of all: the prior." if learned else "."))
    class_indices = np.flatnonzero(model.class_count_ > 0).tolist()
    if len(class_indices) < len(model.classes_):
        w.note("Classes of which no row has come are not shown.")
    c = _labels(w, model, class_indices)
    often = w.cell(
        "count", rows.in_class(c, 1), symbol="N", label="rows" if rows.weight is None else "weight of the rows",
        equals=model.class_count_[class_indices], attribute="class_count_",
    )  # fmt: skip
    if learned:
        prior = w.cell(
            "prior", often / sum_(often), symbol="P", label="prior", equals=model.class_prior_[class_indices],
            attribute="class_prior_",
        )  # fmt: skip
    elif prior_setting is None:
        size = w.given("classes", float(len(model.classes_)), symbol="K", label="number of classes")
        prior = w.cell("prior", 1 / size + 0 * often, symbol="P", label="prior: all alike",
                       equals=model.class_prior_[class_indices], attribute="class_prior_")  # fmt: skip
    else:
        prior = w.given("prior", model.class_prior_[class_indices], c.axis, symbol="P", label="prior, as given")
    return Classes(w, model, class_indices, c, prior), often


def known_classes(w: Working, model: Any) -> Classes:
    """Classes and priors as fitted, for predictions."""
    class_indices = np.flatnonzero((model.class_count_ > 0) & (model.class_prior_ > 0)).tolist()
    if len(class_indices) < len(model.classes_):
        w.note("Classes without rows, or with a prior of zero, are never predicted and are not shown.")
    w.step("Classes", "The classes and their priors.")
    c = _labels(w, model, class_indices)
    prior = w.given("prior", model.class_prior_[class_indices], c.axis, symbol="P", label="prior")
    return Classes(w, model, class_indices, c, prior)


# ---------------------------------------------------------------------------------------------------------- predictions


@dataclass
class Found:
    """What the model says of the rows that are shown."""

    rows: list[int]
    joint: Floats  # rows x classes
    chance: Floats
    label: Array
    tolerance: float


def answers(k: Classes, data: Given) -> Found:
    """The rows that are asked for, the first few unless told, and the model's own answers."""
    rows = data.rows or list(range(min(len(data.X), 3)))
    if len(rows) > MOST_ROWS:
        k.w.note(f"{MOST_ROWS} of the {len(rows)} rows asked for are shown.")
        rows = rows[:MOST_ROWS]
    k.w.note("Rows are numbered from 1: rows=[0] asks for row 1.")
    model, table = k.model, data.table
    joint = np.asarray(model.predict_joint_log_proba(table), dtype=np.float64)[rows]
    probabilities = np.asarray(model.predict_proba(table))[rows]
    tolerance = 1e-5 if probabilities.dtype == np.float32 else 1e-9
    label = np.asarray(model.predict(table))[rows]
    return Found(rows, joint[:, k.places], probabilities.astype(np.float64)[:, k.places], label, tolerance)


def product_of(factors: Sequence[Expr]) -> Expr:
    product = expr(1) if not factors else factors[0]
    for factor in factors[1:]:
        product = product * factor
    return product


def sum_of(terms: Sequence[Expr]) -> Expr:
    total = expr(0) if not terms else terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def narrow(k: Classes, predictions: Found, at: int, factors: list[Cell], powers: Sequence[float] | None = None) -> None:
    """A row whose factors stand beside each other: the product, its share, and the same in logarithms."""
    w, tag = k.w, str(predictions.rows[at] + 1)
    joint = predictions.joint[at]
    raised: list[Expr] = list(factors)
    if powers is not None:
        raised = [f if n == 1 else f**n for f, n in zip(factors, powers, strict=True)]
    top = float(joint.max())
    possible = all(np.asarray(f.value).min() > 0 for f in factors)
    score: Cell | None = None
    if np.isneginf(top):
        w.note(f"Row {tag}: no class can have it; the priors are its probabilities.")
        w.cell(f"chance_{tag}", k.prior / sum_(k.prior), symbol="p", label="probability",
               equals=predictions.chance[at], attribute="predict_proba(X)",
               tolerance=predictions.tolerance)  # fmt: skip
        _label(k, predictions, at, k.prior)
        return
    if top > np.log(_SAFE):
        w.step(f"Row {tag}: product", "The prior times the factors; divided by the sum over the classes.")
        score = w.cell(f"score_{tag}", k.prior * product_of(raised), symbol="s", label="product",
                       equals=np.exp(joint), attribute="exp(predict_joint_log_proba(X))",
                       tolerance=max(predictions.tolerance, 1e-9 * max(1.0, -top)))  # fmt: skip
        chance(k, predictions, at, score)
    if not possible:
        w.note(f"Row {tag}: a factor of zero has no logarithm; it rules its class out.")
        return
    w.step(f"Row {tag}: logarithms", "The same as a sum of logarithms, which many columns do not make too small.")
    logs = [ln(f) if powers is None or powers[i] == 1 else powers[i] * ln(f) for i, f in enumerate(factors)]
    log_score(k, predictions, at, ln(k.prior) + sum_of(logs), score is None)


def chance(k: Classes, predictions: Found, at: int, score: Cell) -> None:
    w, tag = k.w, str(predictions.rows[at] + 1)
    every = w.cell(f"sum_{tag}", sum_(score), symbol="S", label="sum over the classes")
    w.cell(f"chance_{tag}", score / every, symbol="p", label="probability", equals=predictions.chance[at],
           attribute="predict_proba(X)", tolerance=max(predictions.tolerance, 1e-8), scale=1.0)  # fmt: skip
    _label(k, predictions, at, score)


def log_score(k: Classes, predictions: Found, at: int, formula: Expr | Floats, with_chance: bool) -> None:
    """The joint logarithms, and where it is asked for the probabilities from them."""
    w, tag = k.w, str(predictions.rows[at] + 1)
    joint = predictions.joint[at]
    size = float(np.abs(joint).max())
    if isinstance(formula, Expr):
        logs = w.cell(
            f"log_score_{tag}", formula, symbol="l", label="log score", equals=joint,
            attribute="predict_joint_log_proba(X)", tolerance=max(predictions.tolerance, 1e-9), scale=size,
        )  # fmt: skip
    else:
        logs = w.given(f"log_score_{tag}", formula, k.axis, symbol="l", label="log score of each class")
    if not with_chance:
        return
    power = w.cell(f"power_{tag}", exp(logs - max_(logs)), symbol="e",
                   label="power of e, the largest taken off")  # fmt: skip
    w.cell(f"chance_{tag}", power / sum_(power), symbol="p", label="probability",
           equals=predictions.chance[at], attribute="predict_proba(X)", tolerance=max(predictions.tolerance,
           1e-9 * (1 + size)),
           scale=1.0)  # fmt: skip
    _label(k, predictions, at, logs)


def _label(k: Classes, predictions: Found, at: int, score: Cell) -> None:
    tag = str(predictions.rows[at] + 1)
    label = predictions.label[at]
    values = np.asarray(score.value)
    if len(values) > 1 and np.partition(values, -2)[-2] == values.max():
        k.w.note("Of classes with equal scores the first is predicted.")
    k.w.cell(f"predicted_{tag}", lookup(k.label, arg_max(score)), symbol=r"\hat{c}",
             label="the class with the largest", equals=label if isinstance(label, str) else float(label),
             attribute="predict(X)")  # fmt: skip


def wide(k: Classes, predictions: Found, at: int, terms: Callable[[int, str], tuple[Expr, float]]) -> None:
    """A row with many columns: the terms of the best two classes below each other, then the scores of all classes.

    terms : the place of a class and a tag for names -> the logarithms of its factors along the columns, and what is
        added to their sum
    """
    w, tag = k.w, str(predictions.rows[at] + 1)
    joint = predictions.joint[at]
    best = [c for c in np.argsort(-joint, kind="stable")[:2] if np.isfinite(joint[c])]
    for c in best:
        w.step(f"Row {tag}, class {k.name(c)}", "The logarithm of every column's factor, and their sum.")
        mark = f"{tag}_{k.places[c] + 1}"
        term, start = terms(c, mark)
        each = w.cell(f"term_{mark}", term, symbol="t", label="logarithm of the factor")
        first = w.given(f"start_{mark}", start, symbol="b", label="logarithm of the prior")
        w.cell(f"log_{mark}", first + sum_(each), symbol="l", label="log score",
               equals=float(joint[c]), attribute=f"predict_joint_log_proba(X)[{predictions.rows[at]}, {k.places[c]}]",
               tolerance=max(predictions.tolerance, 1e-9), scale=float(np.abs(joint[c])))  # fmt: skip
    if len(k.places) > 2:
        w.note("With many columns the two best classes of a row are shown; the others are worked out in the same way.")
    w.step(f"Row {tag}: probabilities", "The scores of all classes, and their shares.")
    if np.isneginf(joint.max()):
        narrow(k, predictions, at, [])
        return
    finite = np.where(np.isneginf(joint), -1e6 - abs(joint.max()), joint)
    if (finite != joint).any():
        w.note("A score of minus infinity is written as a very small number.")
    log_score(k, predictions, at, finite, True)
