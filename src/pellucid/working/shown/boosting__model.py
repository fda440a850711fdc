"""Boosted trees round by round: the start, slopes of the loss, leaves, gains, new scores, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.models.tree.words import Words
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import equal, where
from pellucid.working.model import Working
from pellucid.working.shown._boosted_answers import show_answers
from pellucid.working.shown._boosted_bundles import show_bundles
from pellucid.working.shown._boosted_fit import BY_RESIDUALS, BoostedTree, Fit, read_fit
from pellucid.working.shown._boosted_predictions import column_words, predict
from pellucid.working.shown._boosted_prefixes import Prefixes, own_slopes
from pellucid.working.shown._boosted_round import MOST_CLASSES, MOST_OUTPUTS
from pellucid.working.shown._boosted_start import show_start
from pellucid.working.shown._boosted_statistics import Made
from pellucid.working.shown._boosted_trees import Round
from pellucid.working.shown._boosted_vector_fit import answers_vectors
from pellucid.working.shown._boosted_vectors import show_vectors
from pellucid.working.shown._rows import label, labels, refuse, spelled

__all__ = ["fit", "predict"]

FIRST_ROUNDS = 2  # shown besides the last; of several classes one
MOST_COLUMNS = 6

# ------------------------------------------------------------------------------------------------------------------ fit


@shows("BoostedModel.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """The start, the first rounds and the last, and what the scores say."""
    if answers_vectors(model):
        requested = [_asked_round(model, data)] if "round" in data.options else []
        show_vectors(w, model, data, requested, column_words(model, data), _columns)
        return
    f = read_fit(model, data)
    w.title = "Boosted trees"
    targets_of_trees = "the residuals" if f.exact else "the first and second derivatives of the loss"
    w.intro = (
        f"{counted(len(model.forest), 'tree')} in {counted(model.n_estimators_, 'round')}: each is grown on "
        f"{targets_of_trees} at the scores so far, and adds a short step to them. "
        "show_fit(..., round=t) shows another round."
    )
    numbers = [_asked_round(model, data)] if "round" in data.options else []
    last = int(model.n_estimators_)
    numbers_shown = sorted({*range(min(FIRST_ROUNDS if f.outputs == 1 else 1, last)), last - 1, *numbers})
    words = column_words(model, data)
    statistics = Made(f, numbers_shown) if f.encodes else None
    axis, y, weight, columns = _data(w, model, data, f, words, statistics)
    if bundles := getattr(model, "_bundles_", []):
        show_bundles(w, columns, list(words.names), bundles)
    if statistics is not None:
        statistics.show(y)
    scores: list[Expr] = list(show_start(w, f, y, weight))
    start = scores
    rate = w.given("rate", f.rate, symbol=r"\eta", label="learning rate")
    rounds: list[tuple[Round, list[Cell]]] = []
    prefixes = Prefixes(f) if f.ordered else None
    before = -1
    for number in numbers_shown:
        if number != before + 1:
            scores = _scores_given(w, f, axis, number)
            if prefixes is not None:
                prefixes.forget()
        round_columns = columns if statistics is None else {**columns, **statistics.columns(number)}
        r = Round(w, f, number, axis, y, weight, round_columns, words, rate, scores)
        scores, values = _round(r, prefixes, number + 1 in numbers_shown)
        rounds.append((r, values))
        before = number
    if len(numbers_shown) < last:
        w.note(
            f"Of {last} rounds those with the numbers {', '.join(str(index + 1) for index in numbers_shown)} are shown."
        )
    if statistics is not None:
        scores = statistics.later(data, columns, start, rounds)
    show_answers(w, f, data, axis, scores)


def _asked_round(model: Any, data: Given) -> int:
    number, last = data.options["round"], int(model.n_estimators_)
    if not isinstance(number, int | np.integer) or not 1 <= number <= last:
        refuse(f"{type(model).__name__}.fit", f"round must be a number from 1 to {last}", f"got {number!r}")
    return int(number) - 1


def _data(
    w: Working, model: Any, data: Given, f: Fit, words: Words, statistics: Made | None
) -> tuple[Axis, Cell, Cell | None, dict[int, Cell]]:
    """The rows that were learned from: columns, target, and weights."""
    all_rows = len(f.rows) == len(data.row_axis)
    axis = data.row_axis if all_rows else Axis("row", (f.rows + 1).tolist())
    if not all_rows:
        w.asked = [int(np.searchsorted(f.rows, row)) for row in w.asked if row in f.rows]
        reason = f"{counted(f.held, 'row')} held out" if f.held else "rows of no weight"
        w.note(f"Not shown are {reason}: nothing is learned from them.")
    w.step("Data", "The rows and their target.")
    columns = _columns(w, data, words, f, axis)
    if statistics is not None:
        statistics.begin(w, words, axis)
    if f.meaning == "logistic" and len(model.classes_) == 2:
        class_cell = w.given("class", labels(f.y), axis, symbol="c", label="class")
        second = label(model.classes_[1])
        y = w.cell("y", where(equal(class_cell, second), 1, 0), symbol="y", label=f"1: {spelled(second)}")
    elif f.meaning == "logistic":
        y = w.given("y", np.zeros(len(axis)), axis, symbol="y", label="0: there is one class only")
    else:
        values = labels(f.y) if f.meaning == "softmax" else np.asarray(f.y, dtype=np.float64)
        y = w.given("y", values, axis, symbol="y", label="class" if f.meaning == "softmax" else "target")
    if f.told is not None:
        w.given("weight", f.told, axis, symbol="w", label="weight, which the loss takes into its slopes")
    weight = None if f.weight is None else w.given("weight", f.weight, axis, symbol="w", label="weight")
    return axis, y, weight, columns


def _columns(w: Working, data: Given, words: Words, f: Fit, axis: Axis) -> dict[int, Cell]:
    """The first columns of the table, by their places; those of words are not among what is returned."""
    column_cells = {}
    many = len(words.names) if f.along is None or f.along.statistics is None else len(f.along.statistics.kept)
    for j, name in enumerate(words.names[: min(many, MOST_COLUMNS)]):
        values, style = data.X[f.rows, j], {"symbol": f"x_{{{j + 1}}}", "label": name}
        if j in words.categories:
            category_names = ["missing" if np.isnan(code) else str(words.category(j, int(code))) for code in values]
            w.given(f"x_{j + 1}", np.array(category_names, dtype=object), axis, **style)
        else:
            column_cells[j] = w.given(f"x_{j + 1}", values, axis, **style)
    if many > MOST_COLUMNS:
        w.note(f"{counted(many - MOST_COLUMNS, 'more column')} of the table not shown.")
    return column_cells


# --------------------------------------------------------------------------------------------------------------- rounds


def _scores_given(w: Working, f: Fit, axis: Axis, number: int) -> list[Expr]:
    """Scores after rounds that are not shown."""
    w.step(f"Before round {number + 1}", "The scores that the rounds so far have led to.")
    scores = f.scores(number)
    if f.outputs == 1:
        return [w.given(f"f_{number}", scores[:, 0], axis, symbol=f"f_{{{number}}}", label="score")]
    many = f.outputs if f.outputs <= MOST_CLASSES else MOST_OUTPUTS  # of the others nothing is worked out
    score_cells: list[Expr] = [
        w.given(f"f_{number}_{k + 1}", np.ascontiguousarray(scores[:, k]), axis, symbol=f"f_{{{number},{k + 1}}}",
                label=f"score of {spelled(label(f.model.classes_[k]))}")
        for k in range(many)
    ]  # fmt: skip
    return score_cells + [expr(0)] * (f.outputs - many)


def _round(r: Round, prefixes: Prefixes | None, goes_on: bool) -> tuple[list[Expr], list[Cell]]:
    """Shows a round; the scores after it, and what its leaves add.

    prefixes : the models of ordered boosting, as far as they are shown
    goes_on : is the next round shown as well?
    """
    w, f = r.w, r.fit
    number = r.number + 1
    along = f" The round goes along order {f.along.which(r.number) + 1}." if f.along is not None else ""
    then = "The leaves will answer by these." if f.ordered else "Then the leaf of the row."
    w.step(f"Round {number}: rows", f"{_slopes_said(f)}{along} {then}", turn=number)
    n_shown = min(f.outputs, MOST_OUTPUTS)
    shares = r.probabilities() if f.kind == "softmax" else None
    if f.kind == "softmax" and shares is None:
        w.note(f"Of more than {MOST_CLASSES} classes the probabilities are given.")
        shares = _shares_given(r, n_shown)
    gradients = [r.slopes(k, None if shares is None else shares[k]) for k in range(n_shown)]
    trees = [f.tree(r.number * f.outputs + k) for k in range(n_shown)]
    if prefixes is not None:
        r.own = own_slopes(r, prefixes)
    r.draw(gradients if r.own is None else [r.own], trees)
    leaf_indices = [r.place(tree, k) for k, tree in enumerate(trees)]
    values = []
    for k, tree in enumerate(trees):
        w.step(f"Round {number}: tree{r.of(k)}", f"The tree has {_how_many(tree)}. {_leaf_said(f)}", turn=number)
        values.append(r.leaves(tree, k, leaf_indices[k], *gradients[k]))
    w.step(f"Round {number}: new scores", "What the leaf of a row says is added to its score.", turn=number)
    after = [
        r.moved(k, leaf_index, value) for k, (leaf_index, value) in enumerate(zip(leaf_indices, values, strict=True))
    ]
    if prefixes is not None and goes_on:
        prefixes.follow(r, trees[0], leaf_indices[0])
    return [*after, *_others(r, len(after))], values


def _how_many(tree: BoostedTree) -> str:
    many = len(tree.leaves)
    return counted(many, "leaf", "leaves") if many > 1 else "one leaf: it asks nothing"


def _others(r: Round, n_shown: int) -> list[Expr]:
    """Scores of classes whose trees are not shown."""
    f, w = r.fit, r.w
    if n_shown == f.outputs:
        return []
    w.note(f"Of {f.outputs} classes the trees of the first {n_shown} are shown.")
    if f.outputs > MOST_CLASSES:
        return [expr(0)] * (f.outputs - n_shown)
    scores = f.scores(r.number + 1)
    return [
        w.given(f"f{r.tag(k)}", np.ascontiguousarray(scores[:, k]), r.axis, symbol=r.mark("f", k),
                label=f"score after round {r.number + 1}{r.of(k)}")
        for k in range(n_shown, f.outputs)
    ]  # fmt: skip


def _shares_given(r: Round, n_shown: int) -> list[Cell]:
    p = r.fit.model._probabilities(r.fit.scores(r.number))
    return [
        r.w.given(f"p{r.tag(k)}", np.ascontiguousarray(p[:, k]), r.axis, symbol=r.mark("p", k),
                  label=f"probability{r.of(k)}")
        for k in range(n_shown)
    ]  # fmt: skip


def _slopes_said(f: Fit) -> str:
    if f.kind == "own":
        return f"First and second derivative of each row, at its score, as {f.plan['own'].name} tells them."
    if f.exact:
        return "How far each row is from its score, as the loss sees it: minus its first derivative."
    second = "" if f.kind in ("poisson", "logistic", "softmax") else " The second derivative is 1 for every row."
    return f"First and second derivative of the loss of each row, at its score.{second}"


def _leaf_said(f: Fit) -> str:
    if f.kind in BY_RESIDUALS:
        how = {"absolute_error": "the median error", "quantile": "a quantile of the errors"}
        return f"A leaf answers {how.get(f.kind, 'by the median error and the mean of what lies within d of it')}."
    if f.exact:
        squares = f.kind == "squared_error"
        return "A leaf answers the mean residual." if squares else "A leaf answers the sum of r over the sum of h."
    above = "G" if not f.plan.get("l1") else "what of G lies beyond l1"
    below = "H" if not f.plan.get("l2") else f"(H + {f.plan['l2']:g})"
    bound = f", at most {f.plan['max_step']:g} in size" if f.plan.get("max_step") else ""
    return f"A leaf answers minus {above} over {below}{bound}; its similarity is the square of the one over the other."
