"""How self-training comes to its labels: round by round, who was sure enough of what."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array, Floats
from pellucid.data.table import read_table
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import count, equal, nth_smallest, sum_, where
from pellucid.working.model import Working

NONE = "none"
MOST_COLUMNS = 6
MOST_ROUNDS = 6


@shows("SelfTrainingClassifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Self-training"
    w.intro = (
        f"{type(model.estimator).__name__} learns from the labeled rows, labels those it is sure of, and learns "
        "again. Its probabilities are taken as given; what is made of them is shown."
    )
    rounds = data.record.get("rounds", ([], np.empty((0, 3))))[1]
    w.step("Data", "The rows and their labels; some wait for one.")
    _columns(w, data, list(range(len(data.row_axis))), data.row_axis)
    y = w.given("y", _words(np.asarray(data.y)), data.row_axis, symbol="y", label="label")
    known = w.cell("known", where(equal(y, _none(model)), 0, 1), symbol="k", label="has a label")
    sizes = [
        w.cell("labeled", sum_(known), symbol="n_0", label="labeled from the start",
               equals=float((model.labeled_iter_ == 0).sum()), attribute="labeled_iter_")
    ]  # fmt: skip
    if data.weight is not None:
        w.note(f"The weights of the rows are used by the {type(model.estimator).__name__}, whose work is not shown.")
    bar = _bar(w, model) if len(rounds) else expr(0)
    for number in range(1, model.n_iter_ + 1):
        part = rounds[rounds[:, 0] == number]
        if MOST_ROUNDS - 1 <= number < model.n_iter_:
            sizes.append(_summed_up(w, number, part))
        else:
            sizes.append(_round(w, model, data, number, part, bar))
    w.step("End", _ending(model))
    everything: Expr = sizes[0]
    for size in sizes[1:]:
        everything = everything + size
    w.cell("end", everything, symbol="n", label="labeled in the end",
           equals=float((model.labeled_iter_ >= 0).sum()), attribute="labeled_iter_")  # fmt: skip


def _bar(w: Working, model: Any) -> Cell:
    w.step("Rule", "Which rows a round labels.")
    if model.criterion == "threshold":
        return w.given("threshold", float(model.threshold), symbol="t", label="probability to be surpassed")
    return w.given("k_best", float(model.k_best), symbol="q", label="rows that a round labels, the surest")


def _round(w: Working, model: Any, data: Given, number: int, part: Floats, bar: Expr) -> Cell:
    """One round: the probabilities of the rows without a label, the surest class of each, and who is sure enough."""
    rows, taken, probability = part[:, 1].astype(int), part[:, 2], part[:, 3:]
    axis = Axis("row", [data.row_axis.labels[i] for i in rows])
    w.step(f"Round {number}", f"What the model says of the {counted(len(rows), 'row')} without a label.", turn=number)
    best, label = _surest(w, model, probability, axis, f"_{number}")
    kept = _kept(w, model, best, taken, bar, number)
    final = np.where(taken > 0, _words(model.transduction_[rows]), np.asarray(label.value))
    w.check(label, final.astype(np.asarray(label.value).dtype), "transduction_")
    return w.cell(
        f"added_{number}", sum_(kept), symbol=f"n_{number}", label="labeled in this round",
        equals=float((model.labeled_iter_ == number).sum()), attribute="labeled_iter_",
    )  # fmt: skip


def _surest(w: Working, model: Any, probability: Floats, axis: Axis, end: str) -> tuple[Cell, Cell]:
    """The largest probability of each row, and whose it is: the first of equals."""
    names = [str(name) for name in model.classes_]
    p = [
        w.given(f"p{k + 1}{end}", probability[:, k], axis, symbol=f"p_{k + 1}", label=f"probability of {name}")
        for k, name in enumerate(names)
    ]
    best = p[0]
    for k, other in enumerate(p[1:], start=2):
        last = k == len(p)
        best = w.cell(f"best{k}{end}", where(best >= other, best, other), symbol="m" if last else f"m_{k}",
                      label="largest" if last else f"largest of {k}")  # fmt: skip
    label: Expr = expr(_plain(model.classes_[-1]))
    for k in range(len(p) - 2, -1, -1):
        label = where(equal(best, p[k]), _plain(model.classes_[k]), label)
    if len(p) == 1:
        label = where(best >= 0, label, label)
    return best, w.cell(f"label{end}", label, symbol="c", label="class")


def _kept(w: Working, model: Any, best: Cell, taken: Floats, bar: Expr, number: int) -> Cell:
    if model.criterion == "threshold":
        formula = where(best > bar, 1, 0)
    elif len(taken) <= model.k_best:
        formula = where(best >= 0, 1, 0)
    else:
        lowest = w.cell(
            f"lowest_{number}", nth_smallest(best, count(best) - bar + 1), symbol="b", label="the last that is taken"
        )
        if (np.asarray(best.value) >= lowest.value).sum() > model.k_best:
            w.note("Among rows that are equally sure the first ones are labeled.")
            return w.given(f"kept_{number}", taken, best.axis, symbol="s", label="labeled now")
        formula = where(best >= lowest, 1, 0)
    return w.cell(f"kept_{number}", formula, symbol="s", label="labeled now", equals=taken, attribute="labeled_iter_")


def _summed_up(w: Working, number: int, part: Floats) -> Cell:
    w.note(f"Rounds {MOST_ROUNDS - 1} and on, but for the last, are shown by their number of labels.")
    w.step(f"Round {number}", f"Of {counted(len(part), 'row')} without a label.", turn=number)
    return w.given(f"added_{number}", float(part[:, 2].sum()), symbol=f"n_{number}", label="labeled in this round")


def _ending(model: Any) -> str:
    return {
        "all_labeled": "Every row has a label.",
        "no_change": "The last round labeled nothing: there is nothing new to learn from.",
        "max_iter": f"The most rounds, {model.max_iter}, are made.",
    }[model.termination_condition_]


@shows("SelfTrainingClassifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Self-training: predictions"
    w.intro = f"The predictions are those of the {type(model.estimator).__name__} inside, fitted on all labels."
    found = np.asarray(model.predict(data.table))
    rows = data.rows or list(range(min(len(found), 3)))
    axis = Axis("row", rows)
    w.step("Rows", "What is asked about.")
    _columns(w, data, rows, axis)
    w.step("Classes", "The most probable class of each row, the first of equals.")
    if hasattr(model, "predict_proba"):
        probability = np.asarray(model.predict_proba(data.table), dtype=np.float64)
        if np.array_equal(model.classes_[probability.argmax(axis=1)], found):
            _, label = _surest(w, model, probability[rows], axis, "")
            w.check(label, _words(found[rows]), "predict(X)")
            return
        w.note("The model inside does not predict the class with the largest probability; it has a rule of its own.")
    w.given("prediction", _words(found[rows]), axis, symbol="c", label="predicted class")


# --------------------------------------------------------------------------------------------------------------- values


def _columns(w: Working, data: Given, rows: list[int], axis: Axis) -> None:
    """The first columns of the table."""
    table = read_table(data.table, "working")
    names = [str(name) for name in table.names] if table.names else [f"x{j + 1}" for j in range(table.n_cols)]
    for j, name in enumerate(names[:MOST_COLUMNS]):
        values = table.column(j)[rows]
        shown = values.astype(np.float64) if values.dtype.kind in "biuf" else values.astype(str).astype(object)
        w.given(f"x{j + 1}", shown, axis, symbol=f"x_{j + 1}", label=name)
    if table.n_cols > MOST_COLUMNS:
        w.note(f"{counted(table.n_cols - MOST_COLUMNS, 'more column')} of the table not shown.")


def _words(labels: Array) -> Array:
    """Labels as numbers where they are numbers, else as texts; the empty one as 'none'."""
    if labels.dtype.kind in "biuf" or all(isinstance(label, int | float | np.number) for label in labels.tolist()):
        return labels.astype(np.float64)
    return np.array([NONE if label in ("", None, -1) else str(label) for label in labels.tolist()], dtype=object)


def _plain(label: Any) -> Any:
    return float(label) if isinstance(label, bool | int | float | np.number | np.bool_) else str(label)


def _none(model: Any) -> Any:
    return -1.0 if model.classes_.dtype.kind in "biuf" else NONE
