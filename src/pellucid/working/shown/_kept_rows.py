"""What workings of kept and dropped rows share: the table, and predictions by the rows that were kept."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import absolute, arg_min, equal, lookup, nth_smallest, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._codebook_walk import least_of

MOST_WIDE = 12
MOST_ASKED = 5
MOST_KEPT = 200
LARGEST = 1e100


def as_numbers(model: Any, labels: Array) -> Array:
    """Labels as numbers: themselves, or their place among the classes from 1 on."""
    if model.classes_.dtype.kind in "biuf":
        return labels.astype(np.float64)
    return np.searchsorted(model.classes_, labels).astype(np.float64) + 1


def laid_out(data: Given) -> bool:
    """Few columns, and numbers whose squares are numbers."""
    return bool(data.X.shape[1] <= MOST_WIDE and np.abs(data.X).max(initial=0.0) < LARGEST)


def table(w: Working, model: Any, data: Given) -> tuple[list[Cell], Cell]:
    """The rows and their classes."""
    w.step("Data", f"The rows and their classes{class_numbers(model)}.")
    p = data.X.shape[1]
    x = [
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        for j in range(min(p, MOST_WIDE))
    ]
    y = w.given("y", as_numbers(model, np.asarray(data.y)), data.row_axis, symbol="y", label="class")
    if p > MOST_WIDE:
        w.note(f"The last {counted(p - MOST_WIDE, 'column')} are not shown, and distances are given, not laid out.")
    return x, y


def class_numbers(model: Any) -> str:
    """What stands for classes that are words: ": 1 is ash, 2 is birch"."""
    if model.classes_.dtype.kind in "biuf":
        return ""
    return ": " + ", ".join(f"{k} is {label}" for k, label in enumerate(model.classes_.tolist(), 1))


def distance(metric: str, apart: list[Expr]) -> Expr:
    """From the differences of all columns."""
    if metric == "euclidean":
        return sqrt(reduce(add, [difference**2 for difference in apart]))
    sizes = [absolute(difference) for difference in apart]
    return reduce(add, sizes) if metric == "manhattan" else -1 * least_of([-1 * difference for difference in sizes])


def ask(w: Working, model: Any, data: Given, title: str) -> None:
    """Predictions by the rows that were kept."""
    w.title = title
    prototypes, labels = np.asarray(model._rows_, dtype=np.float64), model.classes_[model._codes_]
    k = min(model.n_neighbors, len(prototypes))
    w.intro = f"By the {counted(len(prototypes), 'row')} that {'was' if len(prototypes) == 1 else 'were'} kept: " + (
        "the nearest one tells the class." if k == 1 else f"the {k} nearest vote; among equals the nearest decides."
    )
    predicted = np.asarray(model.predict(data.table))
    rows = data.rows[:40] if data.rows else list(range(min(len(data.X), MOST_ASKED)))
    if len(prototypes) > MOST_KEPT or not laid_out(data):
        w.step("Predictions", "What the nearest kept rows say.")
        w.note(f"Distances to more than {MOST_KEPT} kept rows, or over many columns, are not laid out.")
        plain = predicted if predicted.dtype.kind in "OUT" else predicted.astype(np.float64)
        w.given("prediction", plain[rows], Axis("row", rows), symbol=r"\hat{y}", label="predicted class")
        return
    axis = Axis("row", [int(i) + 1 for i in model.sample_indices_], "s", "S")
    w.step("Kept rows", "With their numbers in the table of the fit, counted from 1.")
    z = [w.given(f"z_{j + 1}", prototypes[:, j], axis, symbol=f"z_{{{j + 1}}}", label=data.names[j])
         for j in range(prototypes.shape[1])]  # fmt: skip
    c = w.given("class", labels if labels.dtype.kind in "OUT" else labels.astype(np.float64), axis, symbol="c",
                label="class")  # fmt: skip
    for i in rows:
        _ask_one(w, model, data, (z, c, axis), i, predicted[i], k)


def _ask_one(w: Working, model: Any, data: Given, cells: tuple[Any, ...], i: int, predicted: Any, k: int) -> None:
    z, c, axis = cells
    w.step(f"Row {i}", f"Row {i}, counted from 0, against the kept rows.")
    x = [w.given(f"x_{j + 1}_{i}", float(data.X[i, j]), symbol=f"x_{{{j + 1}}}", label=data.names[j])
         for j in range(len(z))]  # fmt: skip
    d = w.cell(f"d_{i}", distance(model.metric, [x[j] - z[j] for j in range(len(z))]), symbol="d", label="distance")
    plain = predicted if model.classes_.dtype.kind in "OUT" else float(predicted)
    if k == 1:
        b = w.cell(f"nearest_{i}", arg_min(d), symbol="b", label="place of the nearest")
        w.cell(f"class_{i}", lookup(c, b), symbol=r"\hat{y}", label="predicted class", equals=plain,
               attribute="predict(X)")  # fmt: skip
        return
    values = np.asarray(d.value)
    bound = w.cell(f"bound_{i}", nth_smallest(d, k), symbol="b", label=f"distance at place {k}")
    if (values <= bound.value).sum() > k:
        w.note("Of rows at the same distance those with smaller numbers vote.")
        voters = np.zeros(len(values))
        voters[np.argsort(values, kind="stable")[:k]] = 1
        votes = w.given(f"votes_{i}", voters, axis, symbol="h", label="votes?")
    else:
        votes = w.cell(f"votes_{i}", where(d <= bound, 1, 0), symbol="h", label="votes?")
    kinds = Axis("class", [str(name) for name in model.classes_.tolist()], "k", "K")
    names = model.classes_ if model.classes_.dtype.kind in "OUT" else model.classes_.astype(np.float64)
    label = w.given(f"label_{i}", names, kinds, symbol="l", label="class")
    n = w.cell(f"count_{i}", sum_(where(equal(c, label), votes, 0), axis), symbol="n", label="votes")
    counts = np.asarray(n.value)
    if (counts == counts.max()).sum() > 1:
        w.note("Of classes with equally many votes the one with the nearest row wins.")
        cell = w.given(
            f"class_{i}", plain, symbol=r"\hat{y}", label="predicted class: the nearest of those with the most"
        )
        w.check(cell, plain, "predict(X)")
        return
    top = w.cell(f"place_{i}", arg_min(-1 * n), symbol="t", label="class with the most")
    w.cell(f"class_{i}", lookup(label, top), symbol=r"\hat{y}", label="predicted class", equals=plain,
           attribute="predict(X)")  # fmt: skip
