"""How scores of probabilities and decisions come about: surprise, squared distance, hinge; and entropies."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import dot, equal, ln, log, sum_, where
from pellucid.working.matrix import Block, ColumnOf
from pellucid.working.model import Working
from pellucid.working.shown._rows import average, class_axis, indicators, label, refuse, rows_of, spelled, weights
from pellucid.working.shown._rows import labels as read

SINGLE = 1e-6  # what a figure of single precision may be off


def _columns(block: Block, mark: str) -> list[ColumnOf]:
    return [block.column(j, f"{mark}_{{{j + 1}}}") for j in range(len(block.columns))]


def _classes(y: Array, classes: Any) -> Array:
    """The classes in order."""
    return np.asarray(np.unique(y if classes is None else read(np.asarray(classes).ravel())))


def _truth(name: str, y_true: Any) -> Array:
    """One class a row; a table of zeros and ones is read as the numbers of its columns, as the metric does."""
    return np.argmax(y_true, axis=1).astype(np.float64) if _is_table(y_true) else read(y_true, name)


def _is_table(y_true: Any) -> bool:
    return np.ndim(y_true) == 2 and np.shape(y_true)[1] > 1


def _columns_of(y_true: Any) -> Array:
    return np.arange(float(np.shape(y_true)[1]))


def _table(values: Any) -> tuple[Floats, float]:
    """Probabilities or decisions as numbers, and how far single precision may be off."""
    table = np.asarray(values)
    tolerance = SINGLE if table.dtype in (np.float32, np.float16) else 1e-9
    table = table.astype(np.float64)
    return (table.ravel() if table.ndim == 2 and table.shape[1] == 1 else table), tolerance


def _loss(
    w: Working, name: str, loss: Expr, weight: Cell | None, result: float, tolerance: float, normalize: bool = True
) -> None:
    """From the losses of the rows to the answer."""
    of_row = w.cell("row_loss", loss, symbol="l", label="loss of the row")
    w.step("Loss", "The mean over the rows." if normalize else "The sum over the rows.")
    every = sum_(of_row) if weight is None else sum_(weight * of_row)
    formula = average(of_row, weight) if normalize else every
    w.cell("loss", formula, symbol="L", label="loss", equals=result, attribute=name, tolerance=tolerance,
           scale=1.0)  # fmt: skip


# ------------------------------------------------------------------------------------------------------- probabilities


@shows("metrics.log_loss")
def log_loss(
    w: Working,
    result: float,
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> None:
    name = "log_loss"
    w.title = "Log loss: mean surprise at the truth"
    w.intro = "A row costs little where the probability that was given to its own class is near 1."
    y, (p, tolerance) = _truth(name, y_true), _table(y_pred if y_proba is None else y_proba)
    rows = rows_of(len(y))
    order = _columns_of(y_true) if _is_table(y_true) else _classes(y, labels)
    w.step("Rows", _said(p, order))
    probability, weight = _own(w, y, p, order, rows, sample_weight)
    eps = float(np.finfo(np.float32 if tolerance == SINGLE else np.float64).eps)
    w.step("Surprise", "The negative logarithm of it: 0 for certainty, without end toward 0.")
    _loss(w, name, -ln(_kept_off(w, probability, eps)), weight, result, tolerance, normalize)


def _said(p: Floats, order: Array) -> str:
    if p.ndim == 1:
        return f"The class of each row, and the probability that was given to class {spelled(order[-1])}."
    return "The class of each row, and the probability that was given to each class."


def _own(w: Working, y: Array, p: Floats, order: Array, rows: Axis, sample_weight: Any) -> tuple[Cell, Cell | None]:
    """The probability that was given to each row's own class."""
    kind = w.given("y", y, rows, symbol="y", label="class")
    what = "probability given to the row's own class"
    if p.ndim == 1:
        probability = w.given("p", p, rows, symbol="p", label="probability")
        weight = weights(w, sample_weight, rows)
        w.step(
            "Its own class", f"That probability for rows of class {spelled(order[-1])}, what is left of 1 for others."
        )
        return w.cell(
            "own", where(equal(kind, order[-1]), probability, 1 - probability), symbol="o", label=what
        ), weight
    weight = weights(w, sample_weight, rows)
    table = w.block("P", p, rows, class_axis(order), symbol="P", label="probabilities")
    w.step("Its own class", "A table with a 1 in the column of the row's class picks its probability.")
    picks = indicators(w, kind, order, "A", label="1 for its own class")
    return w.cell("own", dot(_columns(picks, "a"), _columns(table, "p")), symbol="o", label=what), weight


def _kept_off(w: Working, probability: Cell, eps: float) -> Cell:
    """Away from 0 and 1, where there is need: a certain error would cost without end."""
    if eps <= probability.value.min() and probability.value.max() <= 1 - eps:
        return probability
    min_probability = w.given("eps", eps, symbol=r"\epsilon", label="the least probability that counts")
    return w.cell("clipped", where(probability < min_probability, min_probability,
                  where(probability > 1 - min_probability, 1 - min_probability, probability)), symbol="o'",
                  label="kept off 0 and 1")  # fmt: skip


@shows("metrics.brier_score_loss")
def brier_score_loss(
    w: Working,
    result: float,
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: Any = "auto",
) -> None:
    name = "brier_score_loss"
    w.title = "Brier score: squared distance from what happened"
    w.intro = "0 for probabilities that were certain and right; a certain error costs 1."
    y, (p, tolerance) = _truth(name, y_true), _table(y_proba)
    rows, n_columns = rows_of(len(y)), 1 if p.ndim == 1 else p.shape[1]
    halve = n_columns < 3 if isinstance(scale_by_half, str) else bool(scale_by_half)
    if n_columns == 1:
        positive = _positive(y, pos_label)
        w.step("Rows", f"The class of each row, and the probability that was given to class {spelled(positive)}.")
        kind = w.given("y", y, rows, symbol="y", label="class")
        probability = w.given("p", p, rows, symbol="p", label="probability")
        weight = weights(w, sample_weight, rows)
        w.step("Distances", f"From 1 for rows of class {spelled(positive)}, from 0 for others; squared.")
        z = w.cell("happened", where(equal(kind, positive), 1, 0), symbol="z", label="happened")
        loss = (z - probability) ** 2 if halve else 2 * (z - probability) ** 2
    else:
        order = _columns_of(y_true) if _is_table(y_true) else _classes(y, labels)
        w.step("Rows", _said(p, order))
        kind = w.given("y", y, rows, symbol="y", label="class")
        weight = weights(w, sample_weight, rows)
        table = w.block("P", p, rows, class_axis(order), symbol="P", label="probabilities")
        w.step("Distances", "From 1 for the row's own class, from 0 for the others; squared and added up.")
        picks = indicators(w, kind, order, "A", label="1 for its own class")
        apart = [a - q for a, q in zip(_columns(picks, "a"), _columns(table, "p"), strict=True)]
        loss = dot(apart, apart) / 2 if halve else dot(apart, apart)
    _loss(w, name, loss, weight, result, tolerance)


def _positive(y: Array, pos_label: Any) -> Any:
    """The class whose probability is given: 1 or the greater number unless told."""
    if pos_label is not None:
        return label(pos_label)
    classes = np.unique(y).tolist()
    return 1.0 if set(classes) in ({0.0}, {-1.0}) else classes[-1]


# ----------------------------------------------------------------------------------------------------------- decisions


@shows("metrics.hinge_loss")
def hinge_loss(
    w: Working, result: float, y_true: Any, pred_decision: Any, *, labels: Any = None, sample_weight: Any = None
) -> None:
    name = "hinge_loss"
    w.title = "Hinge loss"
    w.intro = "Nothing for a row on the right side with a margin of 1 or more, else what is lacking."
    y, (f, tolerance) = read(y_true, name), _table(pred_decision)
    order = _classes(y, labels)
    w.step("Rows", "The class of each row and what was decided.")
    rows = rows_of(len(y))
    kind = w.given("y", y, rows, symbol="y", label="class")
    if f.ndim == 1:
        positive = _larger(order)
        decision = w.given("f", f, rows, symbol="f", label="decision")
        weight = weights(w, sample_weight, rows)
        w.step("Margins", f"Positive on the right side: 1 for class {spelled(positive)} and −1 for the other, times f.")
        t = w.cell("t", where(equal(kind, positive), 1, -1), symbol="t", label="side")
        margin = w.cell("margin", t * decision, symbol="m", label="margin")
    else:
        weight = weights(w, sample_weight, rows)
        margin = _margin(w, kind, f, order, rows)
    w.step("Losses", "What the margin lacks of 1.")
    _loss(w, name, where(margin < 1, 1 - margin, 0), weight, result, tolerance)


def _larger(order: Array) -> Any:
    """The positive one of two labels; of one, 1 is positive and −1 or 0 are not."""
    if len(order) == 2:
        return order.tolist()[1]
    return 1.0


def _margin(w: Working, kind: Cell, f: Floats, order: Array, rows: Axis) -> Cell:
    """The decision of the row's own class less the largest of the others."""
    F = w.block("F", f, rows, class_axis(order), symbol="F", label="decision for each class")
    columns = _columns(F, "f")
    w.step("Own class and best other", "The largest decision among the other classes is found one class at a time.")
    picks = indicators(w, kind, order, "A", label="1 for its own class")
    own_decision = w.cell("own", dot(_columns(picks, "a"), columns), symbol="o", label="decision for its own class")
    low = float(f.min()) - 1
    best: Cell | None = None
    for j, (name, column) in enumerate(zip(order.tolist(), columns, strict=True), start=1):
        here: Expr = where(equal(kind, name), low, column)
        if best is None:
            best = w.cell("best_1", here, symbol="b_{1}", label=f"other than its own: {spelled(name)}")
            continue
        now = w.cell(f"other_{j}", here, symbol=f"c_{{{j}}}", label=f"other than its own: {spelled(name)}")
        best = w.cell(f"best_{j}", where(now > best, now, best), symbol=f"b_{{{j}}}", label="largest so far")
    assert best is not None
    return w.cell("margin", own_decision - best, symbol="m", label="margin")


# ----------------------------------------------------------------------------------------------------------- entropies


def _distributions(w: Working, name: str, **distributions: Any) -> list[Cell]:
    """One or two distributions over the same outcomes, side by side."""
    axis: Axis | None = None
    cells = []
    w.step("Outcomes", "How likely each outcome is.")
    for key, values in distributions.items():
        column = np.asarray(values, dtype=np.float64)
        if column.ndim != 1:
            hint = "show one row of the table at a time"
            refuse(name, "the working is of one distribution", f"{key} holds {len(column)}", hint)
        axis = axis or Axis("outcome", range(1, len(column) + 1), "j", "m")
        cells.append(
            w.given(key, column, axis, symbol=key, label=f"probability by {key}" if len(distributions) > 1 else "")
        )
    return cells


def _logarithm(value: Expr, base: float | None) -> Expr:
    return ln(value) if base is None else log(value, float(base) if base % 1 else int(base))


def _unit(base: float | None) -> str:
    return "bits" if base == 2 else "nats" if base is None else f"digits to the base {base:g}"


@shows("metrics.entropy")
def entropy(w: Working, result: Any, p: Any, base: float | None = None) -> None:
    w.title = "Entropy"
    w.intro = f"The mean surprise of a distribution, in {_unit(base)}."
    (q,) = _distributions(w, "entropy", p=p)
    w.step("Surprise", "The negative logarithm of each probability, by its probability; 0 log 0 is 0.")
    term = w.cell("term", _term(q, q, base), symbol="h", label="part")
    w.step("Entropy", "All parts together.")
    w.cell("entropy", sum_(term), symbol="H", label="entropy", equals=result, attribute="entropy", scale=1.0)


@shows("metrics.gini_impurity")
def gini_impurity(w: Working, result: Any, p: Any) -> None:
    w.title = "Gini impurity"
    w.intro = "The chance that two members drawn from a group are of different classes."
    (share,) = _distributions(w, "gini_impurity", p=p)
    w.step("Two draws", "The first is of a class, the second is not.")
    square = w.cell("square", share**2, symbol="s", label="both of it")
    term = w.cell("term", share - square, symbol="g", label="one of it, one not")
    w.step("Impurity", "All classes together.")
    w.cell("gini", sum_(term), symbol="G", label="Gini impurity", equals=result, attribute="gini_impurity",
           scale=1.0)  # fmt: skip


def _term(p: Cell, q: Cell, base: float | None) -> Expr:
    """``-p log q``; nothing where p is 0."""
    if p.value.min() > 0:
        return -(p * _logarithm(q, base))
    return where(p > 0, -(p * _logarithm(where(p > 0, q, 1), base)), 0)


@shows("metrics.cross_entropy")
def cross_entropy(w: Working, result: Any, p: Any, q: Any, base: float | None = None) -> None:
    w.title = "Cross entropy"
    w.intro = f"The mean length of answers drawn from p in a code made for q, in {_unit(base)}."
    first, second = _distributions(w, "cross_entropy", p=p, q=q)
    w.step("Code lengths", "The negative logarithm of q, by the probability p.")
    term = w.cell("term", _term(first, second, base), symbol="h", label="part")
    w.step("Cross entropy", "All parts together.")
    w.cell("cross_entropy", sum_(term), symbol="H", label="cross entropy", equals=result, attribute="cross_entropy",
           scale=1.0)  # fmt: skip
    if not np.isfinite(result):
        w.note("q excludes an outcome that p allows: no code is long enough.")


@shows("metrics.kl_divergence")
def kl_divergence(w: Working, result: Any, p: Any, q: Any, base: float | None = None) -> None:
    w.title = "Kullback-Leibler divergence"
    w.intro = f"What a code made for q wastes on answers drawn from p, in {_unit(base)}."
    first, second = _distributions(w, "kl_divergence", p=p, q=q)
    w.step("Code lengths", "In a code made for q, and in the best code for p.")
    longer = w.cell("long", _term(first, second, base), symbol="h", label="in the code for q")
    best = w.cell("best", _term(first, first, base), symbol="b", label="in the code for p")
    w.step("Divergence", "Cross entropy less entropy.")
    cross = w.cell("cross_entropy", sum_(longer), symbol="H_{pq}", label="cross entropy")
    entropy_cell = w.cell("entropy", sum_(best), symbol="H_p", label="entropy")
    w.cell("divergence", cross - entropy_cell, symbol="D", label="wasted", equals=result, attribute="kl_divergence",
           scale=max(1.0, float(entropy_cell.value)))  # fmt: skip
    if not np.isfinite(result):
        w.note("q excludes an outcome that p allows: no code is long enough.")
