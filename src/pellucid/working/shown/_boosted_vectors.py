"""Boosted trees whose leaves answer a number for every output: one tree a round for all targets, or all classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.models.tree.words import Words
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, exp, sum_, where
from pellucid.working.model import TOLERANCE, Working
from pellucid.working.shown._boosted_answers import show_answers
from pellucid.working.shown._boosted_bundles import show_bundles
from pellucid.working.shown._boosted_draws import SINGLE
from pellucid.working.shown._boosted_fit import Fit
from pellucid.working.shown._boosted_round import MOST_CLASSES, MOST_OUTPUTS
from pellucid.working.shown._boosted_start import show_start
from pellucid.working.shown._boosted_vector_fit import (
    FULL,
    VectorFit,
    output_axis,
    output_name,
    read_vectors,
)
from pellucid.working.shown._boosted_vector_rounds import VectorRound, in_formulas, score_cells
from pellucid.working.shown._rows import labels

Columns = Callable[[Working, Given, Words, Fit, Axis], dict[int, Cell]]


# ------------------------------------------------------------------------------------------------------------------ fit


def show_vectors(w: Working, model: Any, data: Given, requested: list[int], words: Words, columns: Columns) -> None:
    """The start, the first round and the last, those asked for, and what the scores say.

    asked : numbers of rounds, from 0
    columns : shows the columns of the table, and gives those of numbers by their places
    """
    f = read_vectors(model, data)
    w.title = "Boosted trees: one for all outputs"
    what = "classes" if hasattr(model, "classes_") else "targets"
    w.intro = (
        f"{counted(len(model.forest), 'tree')}, one a round, for {f.outputs} {what} at once: each is grown on the "
        "first and second derivatives of the loss by all scores, and its leaves answer a number for each of them. "
        "show_fit(..., round=t) shows another round."
    )
    last = int(model.n_estimators_)
    numbers = sorted({0, last - 1, *requested})
    axis, ys, weight, column_cells = _data(w, data, f, words, columns)
    if bundles := getattr(model, "_bundles_", []):
        show_bundles(w, column_cells, list(words.names), bundles)
    scores = _start(w, f, ys, weight)
    rate = w.given("rate", f.rate, symbol=r"\eta", label="learning rate")
    before = -1
    for number in numbers:
        if number != before + 1:
            scores = _scores_given(w, f, axis, number)
        scores = VectorRound(w, f, number, axis, ys[0], weight, column_cells, words, rate, scores).show(ys)
        before = number
    if len(numbers) < last:
        w.note(f"Of {last} rounds those with the numbers {', '.join(str(index + 1) for index in numbers)} are shown.")
    if f.parts:
        _numbers(w, f, data, scores)
    else:
        show_answers(w, f, data, axis, scores)


def _data(
    w: Working, data: Given, f: VectorFit, words: Words, columns: Columns
) -> tuple[Axis, list[Cell], Cell | None, dict[int, Cell]]:
    """The rows that were learned from: columns, targets or class, and weights."""
    all_rows = len(f.rows) == len(data.row_axis)
    axis = data.row_axis if all_rows else Axis("row", (f.rows + 1).tolist())
    if not all_rows:
        w.asked = [int(np.searchsorted(f.rows, row)) for row in w.asked if row in f.rows]
        reason = f"{counted(f.held, 'row')} held out" if f.held else "rows of no weight"
        w.note(f"Not shown are {reason}: nothing is learned from them.")
    w.step("Data", "The rows and their targets." if f.parts else "The rows and their class.")
    column_cells = columns(w, data, words, f, axis)
    if f.parts:
        ys = [
            w.given(f"y_{k + 1}", fit.y, axis, symbol=f"y_{{{k + 1}}}", label=f"target {k + 1}")
            for k, fit in enumerate(f.parts[:MOST_OUTPUTS])
        ]
    else:
        ys = [w.given("y", labels(f.y), axis, symbol="y", label="class")]
    if f.outputs > MOST_OUTPUTS:
        what = "targets" if f.parts else "classes"
        w.note(f"Of {f.outputs} {what} the slopes and answers of the first {MOST_OUTPUTS} are shown.")
    if f.told is not None:
        w.given("weight", f.told, axis, symbol="w", label="weight, which the loss takes into its slopes")
    weight = None if f.weight is None else w.given("weight", f.weight, axis, symbol="w", label="weight")
    return axis, ys, weight, column_cells


def _start(w: Working, f: VectorFit, ys: list[Cell], weight: Cell | None) -> list[Expr]:
    """The score of each output before the first tree; 0 stands for those that are not shown."""
    if not f.parts:
        return show_start(w, f, ys[0], weight)
    start_cells: list[Expr] = []
    for k, y in enumerate(ys):
        target_page = Working("")
        (cell,) = show_start(target_page, f.parts[k], y, weight)
        assert isinstance(cell, Cell)
        cell.symbol, cell.label = f"f_{{0,{k + 1}}}", f"{cell.label}, target {k + 1}"
        w.take(target_page, f"target_{k + 1}", f"Target {k + 1}")
        start_cells.append(cell)
    w.step("Rate", "What every leaf answers is multiplied by the rate.")
    return start_cells + [expr(0)] * (f.outputs - len(start_cells))


def _scores_given(w: Working, f: VectorFit, axis: Axis, number: int) -> list[Expr]:
    """Scores after rounds that are not shown."""
    w.step(f"Before round {number + 1}", "The scores that the rounds so far have led to.")
    many = in_formulas(f)
    return score_cells(w, f, axis, number, range(many)) + [expr(0)] * (f.outputs - many)


def _numbers(w: Working, f: VectorFit, data: Given, scores: list[Expr]) -> None:
    """What the last scores of several targets mean."""
    predicted = np.asarray(f.model.predict(data.table))[f.rows]
    counts = f.kind == "poisson"
    w.step("Predictions", f"{'e to the score is the expected count' if counts else 'The score is the prediction'}.")
    for k, fit in enumerate(f.parts[:MOST_OUTPUTS]):
        prediction: Expr = exp(scores[k]) if counts else scores[k] + 0
        size = float(np.abs(predicted[:, k]).max(initial=0.0)) + float(np.abs(fit.codes).max())
        w.cell(
            f"prediction_{k + 1}",
            prediction,
            symbol=rf"\hat{{y}}_{{{k + 1}}}",
            label=f"prediction of target {k + 1}",
            equals=np.ascontiguousarray(predicted[:, k]),
            attribute="predict(X)",
            tolerance=SINGLE,
            scale=size,
        )


# -------------------------------------------------------------------------------------------------------------- predict


def show_vector_start(w: Working, model: Any) -> Cell:
    """The scores of every row before the first tree."""
    return w.given("start", model.start_scores, output_axis(model), symbol="f_{0}", label="start")


def show_vector_sums(
    w: Working, model: Any, tag: str, axis: Axis, vectors: Floats, start: Cell, scores: Floats
) -> Cell:
    """The start and what the leaves of all trees add, by output. vectors: trees x outputs."""
    outputs, trees = len(scores), len(model.forest)
    few = outputs <= MOST_CLASSES
    cells = [
        w.given(f"{tag}v_{k + 1}", np.ascontiguousarray(vectors[:, k]), axis, symbol=f"v_{{{k + 1}}}",
                label=f"what it adds to {output_name(model, k)}")
        for k in range(outputs if few else MOST_OUTPUTS)
    ]  # fmt: skip
    assert start.axis is not None
    number = w.given(f"{tag}k", np.arange(1.0, outputs + 1), start.axis, symbol="k", label="number of the output")
    if few:
        sums: Expr = sum_(cells[-1])
        for k in range(outputs - 2, -1, -1):
            sums = where(equal(number, k + 1), sum_(cells[k]), sums)
        sums = w.cell(f"{tag}added", sums, symbol="a", label="what the trees add")
    else:
        w.note(f"Of {outputs} outputs the leaves of the first {MOST_OUTPUTS} are shown; what trees add is given.")
        sums = w.given(f"{tag}added", vectors.sum(axis=0), start.axis, symbol="a", label="what the trees add")
    total = start + sums
    if trees > len(vectors):
        w.note(f"What the last {trees - len(vectors):,} of {trees:,} trees add is not listed.")
        rest_sum = np.asarray(scores - model.start_scores - vectors.sum(axis=0))
        total = total + w.given(f"{tag}rest", rest_sum, start.axis, symbol="R", label="what the other trees add")
    size = float(np.abs(scores).max()) + float(np.abs(vectors).sum()) + float(np.abs(model.start_scores).max())
    return w.cell(f"{tag}score", total, symbol="f", label="score", equals=scores, attribute="scores", scale=size,
                  tolerance=FULL)  # fmt: skip


def show_vector_numbers(w: Working, model: Any, tag: str, score: Cell, predicted: Floats) -> None:
    """What the scores of several targets mean: numbers, or counts."""
    counts = model.loss == "poisson"
    w.cell(f"{tag}prediction", exp(score) if counts else score + 0, symbol=r"\hat{y}", equals=predicted,
           attribute="predict(X)", scale=float(np.abs(np.asarray(score.value)).max()),
           label="e to the score: the expected count" if counts else "prediction: the score",
           tolerance=TOLERANCE if counts else FULL)  # fmt: skip
