"""Boosted trees round by round: the start, slopes of the loss, leaves, gains, new scores, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Array
from pellucid.parts.tree.words import Words
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import (
    equal,
    exp,
    floor,
    ln,
    look_up,
    mean,
    nth_smallest,
    total,
    where,
)
from pellucid.working.model import Working
from pellucid.working.shown._boosted_fit import BY_RESIDUALS, LEAST_SHARE, BoostedTree, Fit, read_fit
from pellucid.working.shown._boosted_predictions import column_words, predict
from pellucid.working.shown._boosted_round import MOST_CLASSES, MOST_OUTPUTS
from pellucid.working.shown._boosted_trees import Round
from pellucid.working.shown._rows import average, class_axis, label, labels, refuse, spelled

__all__ = ["fit", "predict"]

FIRST_ROUNDS = 2  # shown besides the last; of several classes one
MOST_COLUMNS = 6
NEARLY = 1e-5  # scores nearer to a tie than this share are not told apart

_MEANS = {
    "squared_error": "The residual is y - f.",
    "absolute_error": "A row pulls by 1 to its side: what counts is whether it lies above its score.",
    "quantile": "Rows above their score pull by a, rows below by 1 - a.",
    "huber": "Small errors pull by their size, large ones by d.",
    "poisson": "Scores are logarithms of the expected count.",
    "logistic": "Scores are log odds of the second class.",
    "softmax": "Each class has a score and trees of its own; e to the scores, as shares, are the probabilities.",
}


# ------------------------------------------------------------------------------------------------------------------ fit


@shows("BoostedModel.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    """The start, the first rounds and the last, and what the scores say."""
    f = read_fit(model, data)
    w.title = "Boosted trees"
    way = "the residuals" if f.exact else "the first and second derivatives of the loss"
    w.intro = (
        f"{counted(len(model._forest_), 'tree')} in {counted(model.n_estimators_, 'round')}: each is grown on {way} at "
        "the scores so far, and adds a short step to them. show_fit(..., round=t) shows another round."
    )
    numbers = [_asked_round(model, data)] if "round" in data.options else []
    last = int(model.n_estimators_)
    shown = sorted({*range(min(FIRST_ROUNDS if f.outputs == 1 else 1, last)), last - 1, *numbers})
    words = column_words(model, data)
    axis, y, weight, columns = _data(w, model, data, f, words)
    scores: list[Expr] = list(_start(w, f, y, weight))
    rate = w.given("rate", f.rate, symbol=r"\eta", label="learning rate")
    before = -1
    for number in shown:
        if number != before + 1:
            scores = _scores_given(w, f, axis, number)
        scores = _round(Round(w, f, number, axis, y, weight, columns, words, rate, scores))
        before = number
    if len(shown) < last:
        w.note(f"Of {last} rounds those with the numbers {', '.join(str(one + 1) for one in shown)} are shown.")
    _answers(w, f, data, axis, scores)


def _asked_round(model: Any, data: Given) -> int:
    number, last = data.options["round"], int(model.n_estimators_)
    if not isinstance(number, int | np.integer) or not 1 <= number <= last:
        refuse(f"{type(model).__name__}.fit", f"round must be a number from 1 to {last}", f"got {number!r}")
    return int(number) - 1


def _data(w: Working, model: Any, data: Given, f: Fit, words: Words) -> tuple[Axis, Cell, Cell | None, dict[int, Cell]]:
    """The rows that were learned from: columns, target, and weights."""
    whole = len(f.rows) == len(data.row_axis)
    axis = data.row_axis if whole else Axis("row", (f.rows + 1).tolist())
    if not whole:
        w.asked = [int(np.searchsorted(f.rows, row)) for row in w.asked if row in f.rows]
        held = f"{counted(f.held, 'row')} held out" if f.held else "rows of no weight"
        w.note(f"Not shown are {held}: nothing is learned from them.")
    w.step("Data", "The rows and their target.")
    columns = _columns(w, data, words, f.rows, axis)
    if f.kind == "logistic" and len(model.classes_) == 2:
        said = w.given("class", labels(f.y), axis, symbol="c", label="class")
        second = label(model.classes_[1])
        y = w.cell("y", where(equal(said, second), 1, 0), symbol="y", label=f"1: {spelled(second)}")
    elif f.kind == "logistic":
        y = w.given("y", np.zeros(len(axis)), axis, symbol="y", label="0: there is one class only")
    else:
        values = labels(f.y) if f.kind == "softmax" else np.asarray(f.y, dtype=np.float64)
        y = w.given("y", values, axis, symbol="y", label="class" if f.kind == "softmax" else "target")
    weight = None if f.weight is None else w.given("weight", f.weight, axis, symbol="w", label="weight")
    return axis, y, weight, columns


def _columns(w: Working, data: Given, words: Words, rows: Array, axis: Axis) -> dict[int, Cell]:
    """The first columns of the table, by their places; those of words are not among what is returned."""
    found = {}
    for j, name in enumerate(words.names[:MOST_COLUMNS]):
        values, look = data.X[rows, j], {"symbol": f"x_{{{j + 1}}}", "label": name}
        if j in words.categories:
            said = ["missing" if np.isnan(code) else str(words.category(j, int(code))) for code in values]
            w.given(f"x_{j + 1}", np.array(said, dtype=object), axis, **look)
        else:
            found[j] = w.given(f"x_{j + 1}", values, axis, **look)
    if len(words.names) > MOST_COLUMNS:
        w.note(f"{counted(len(words.names) - MOST_COLUMNS, 'more column')} of the table not shown.")
    return found


# ---------------------------------------------------------------------------------------------------------------- start


def _start(w: Working, f: Fit, y: Cell, weight: Cell | None) -> list[Expr]:
    """The score before the first tree: the constant that the loss is least for."""
    w.step("Start", f"Before the first tree every row has the same score. {_MEANS[f.kind]}")
    look: dict[str, Any] = {"symbol": "f_{0}", "label": "score of every row", "attribute": "base_score_"}
    want = float(f.model._start_[0])
    if f.kind == "softmax":
        return _start_of_classes(w, f, y, weight)
    if f.kind in BY_RESIDUALS:
        level = float(f.plan["level"]) if f.kind == "quantile" else 0.5
        found = _quantile(w, y, level) if weight is None else _weighted_quantile(w, f, y, weight, level)
        return [w.cell("f_0", found, equals=want, scale=_size(y), **look)]
    if f.kind == "logistic" and hasattr(f.model, "one_hot_max_size"):
        even = w.given("f_0", 0.0, symbol="f_{0}", label="score of every row: even odds, whatever the classes")
        w.check(even, want, "base_score_")
        return [even]
    middle = average(y, weight)
    if f.kind == "squared_error":
        return [w.cell("f_0", middle, equals=want, scale=_size(y), **look)]
    p = w.cell("mean", middle, symbol=r"\bar{y}", label="mean" if f.kind == "poisson" else "share of the second class")
    if not LEAST_SHARE <= float(p.value) <= (np.inf if f.kind == "poisson" else 1 - LEAST_SHARE):
        w.note(f"A share or mean is not taken to be nearer to 0 or 1 than {LEAST_SHARE:g}.")
        inside = where(p < LEAST_SHARE, LEAST_SHARE, p)
        inside = inside if f.kind == "poisson" else where(inside > 1 - LEAST_SHARE, 1 - LEAST_SHARE, inside)
        p = w.cell("inside", inside, symbol="m", label="kept off the ends")
    formula = ln(p) if f.kind == "poisson" else ln(p / (1 - p))
    return [w.cell("f_0", formula, equals=want, scale=1.0, **look)]


def _size(y: Cell) -> float:
    return float(np.abs(np.asarray(y.value, dtype=np.float64)).max())


def _start_of_classes(w: Working, f: Fit, y: Cell, weight: Cell | None) -> list[Expr]:
    known = labels(np.asarray(f.model.classes_))
    c = w.given("c", known, class_axis(known), symbol="c", label="class")
    one: Expr = expr(1) if weight is None else weight
    mass = w.cell("mass", total(where(equal(y, c), one, 0), y.axis), symbol="m", label="weight of the class")
    share: Expr = w.cell("share", mass / total(mass), symbol="s", label="as a share")
    if float(np.min(np.asarray(share.value))) < LEAST_SHARE:
        share = where(share < LEAST_SHARE, LEAST_SHARE, share)
    logs = w.cell("log", ln(share), symbol=r"\ell", label="its logarithm")
    start = w.cell("f_0", logs - mean(logs), symbol="f_{0}", label="score: less the mean of the logarithms",
                   equals=f.model._start_, attribute="base_score_", scale=1.0)  # fmt: skip
    return [look_up(start, k + 1) for k in range(f.outputs)]


def _quantile(w: Working, y: Cell, level: float) -> Expr:
    """Between two neighbours in proportion."""
    n = w.given("n", float(len(np.asarray(y.value))), symbol="n", label="rows")
    a = w.given("level", level, symbol="a", label="share below")
    at = w.cell("at", a * (n - 1), symbol="t", label="place, counted from 0")
    low = w.cell("low", nth_smallest(y, floor(at) + 1), symbol="y_-", label="value there")
    after = where(floor(at) + 2 <= n, floor(at) + 2, n)
    high = w.cell("high", nth_smallest(y, after), symbol="y_+", label="value after it")
    return low + (at - floor(at)) * (high - low)


def _weighted_quantile(w: Working, f: Fit, y: Cell, weight: Cell, level: float) -> Expr:
    """The value at which the weights reach a share of their sum."""
    row = f.quantile_row(np.asarray(y.value, dtype=np.float64), np.arange(len(f.rows)), level)
    at = w.given("at", float(row + 1), symbol="t", label=f"place of the row where weights reach the share {level:g}")
    value = w.cell("value", look_up(y, at), symbol="v", label="its target")
    w.cell("under", total(where(y < value, weight, 0), y.axis), symbol="u", label="weight below it")
    w.cell("wanted", level * total(weight), symbol="W", label="weight that is wanted")
    w.cell("upto", total(where(y <= value, weight, 0), y.axis), symbol="v_+", label="weight up to it")
    return value + 0


# --------------------------------------------------------------------------------------------------------------- rounds


def _scores_given(w: Working, f: Fit, axis: Axis, number: int) -> list[Expr]:
    """Scores after rounds that are not shown."""
    w.step(f"Before round {number + 1}", "The scores that the rounds so far have led to.")
    found = f.scores(number)
    if f.outputs == 1:
        return [w.given(f"f_{number}", found[:, 0], axis, symbol=f"f_{{{number}}}", label="score")]
    many = f.outputs if f.outputs <= MOST_CLASSES else MOST_OUTPUTS  # of the others nothing is worked out
    given: list[Expr] = [
        w.given(f"f_{number}_{k + 1}", np.ascontiguousarray(found[:, k]), axis, symbol=f"f_{{{number},{k + 1}}}",
                label=f"score of {spelled(label(f.model.classes_[k]))}")
        for k in range(many)
    ]  # fmt: skip
    return given + [expr(0)] * (f.outputs - many)


def _round(r: Round) -> list[Expr]:
    """Shows a round; the scores after it."""
    w, f = r.w, r.fit
    number = r.number + 1
    if not f.replays:
        return _given_round(r)
    w.step(f"Round {number}: rows", f"{_slopes_said(f)} Then the leaf of the row.", turn=number)
    shown = min(f.outputs, MOST_OUTPUTS)
    shares = r.probabilities() if f.kind == "softmax" else None
    if f.kind == "softmax" and shares is None:
        w.note(f"Of more than {MOST_CLASSES} classes the probabilities are given.")
        shares = _shares_given(r, shown)
    slopes = [r.slopes(k, None if shares is None else shares[k]) for k in range(shown)]
    trees = [f.tree(r.number * f.outputs + k) for k in range(shown)]
    r.draw([one for one, _ in slopes], trees)
    places = [r.place(tree, k) for k, tree in enumerate(trees)]
    values = []
    for k, tree in enumerate(trees):
        w.step(f"Round {number}: tree{r.of(k)}", f"The tree has {_how_many(tree)}. {_leaf_said(f)}", turn=number)
        values.append(r.leaves(tree, k, places[k], *slopes[k]))
    return _moved(r, places, values)


def _moved(r: Round, places: list[Cell], values: list[Cell]) -> list[Expr]:
    """The scores after a round."""
    title, text = f"Round {r.number + 1}: new scores", "What the leaf of a row says is added to its score."
    r.w.step(title, text, turn=r.number + 1)
    after = [r.moved(k, place, value) for k, (place, value) in enumerate(zip(places, values, strict=True))]
    return [*after, *_others(r, len(after))]


def _given_round(r: Round) -> list[Expr]:
    """A round whose rows were judged by models that had not seen them: its leaves, and the scores that come of them."""
    f, w, number = r.fit, r.w, r.number + 1
    w.note(
        "Rows were judged along orders in which each knows the rows before it alone. Their slopes are not worked out "
        "here; leaves are given, and scores are those that new rows with the same values get."
    )
    w.step(f"Round {number}: rows", "The leaf of each row.", turn=number)
    trees = [f.tree(r.number * f.outputs + k) for k in range(min(f.outputs, MOST_OUTPUTS))]
    places = [r.place(tree, k) for k, tree in enumerate(trees)]
    values = []
    for k, tree in enumerate(trees):
        w.step(f"Round {number}: tree{r.of(k)}", f"The tree has {_how_many(tree)}.", turn=number)
        values.append(r.leaves(tree, k, places[k], places[k], expr(1)))
        r.asked(tree, k)
    return _moved(r, places, values)


def _how_many(tree: BoostedTree) -> str:
    many = len(tree.leaves)
    return counted(many, "leaf", "leaves") if many > 1 else "one leaf: it asks nothing"


def _others(r: Round, shown: int) -> list[Expr]:
    """Scores of classes whose trees are not shown."""
    f, w = r.fit, r.w
    if shown == f.outputs:
        return []
    w.note(f"Of {f.outputs} classes the trees of the first {shown} are shown.")
    if f.outputs > MOST_CLASSES:
        return [expr(0)] * (f.outputs - shown)
    found = f.scores(r.number + 1)
    return [
        w.given(f"f{r.tag(k)}", np.ascontiguousarray(found[:, k]), r.axis, symbol=r.mark("f", k),
                label=f"score after round {r.number + 1}{r.of(k)}")
        for k in range(shown, f.outputs)
    ]  # fmt: skip


def _shares_given(r: Round, shown: int) -> list[Cell]:
    p = r.fit.model._probabilities(r.fit.scores(r.number))
    return [
        r.w.given(f"p{r.tag(k)}", np.ascontiguousarray(p[:, k]), r.axis, symbol=r.mark("p", k),
                  label=f"probability{r.of(k)}")
        for k in range(shown)
    ]  # fmt: skip


def _slopes_said(f: Fit) -> str:
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


# -------------------------------------------------------------------------------------------------------------- answers


def _answers(w: Working, f: Fit, data: Given, axis: Axis, scores: list[Expr]) -> None:
    """What the last scores mean, against the model's own predictions."""
    model = f.model
    said = np.asarray(model.predict(data.table))[f.rows]
    w.step("Predictions", _means(f.kind, model))
    if f.kind == "softmax":
        _classes(w, f, data, axis, scores, labels(said))
        return
    if f.kind == "logistic":
        if len(model.classes_) == 1:
            return
        exact = f.scores(model.n_estimators_)[:, 0]
        p = w.cell("probability", 1 / (1 + exp(-scores[0])), symbol="p",
                   label=f"probability of {spelled(label(model.classes_[1]))}",
                   equals=model.predict_proba(data.table)[f.rows, 1], attribute="predict_proba(X)", tolerance=1e-5,
                   scale=1.0)  # fmt: skip
        if np.abs(exact).min() <= NEARLY * max(float(np.abs(exact).max()), 1.0):
            w.note("Scores next to 0 are not told apart here: the classes are the model's.")
            w.check(
                w.given("prediction", labels(said), axis, symbol=r"\hat{y}", label="class"), labels(said), "predict(X)"
            )
            return
        first, second = (label(one) for one in model.classes_)
        w.cell("prediction", where(p > 0.5, second, first), symbol=r"\hat{y}", label="class", equals=labels(said),
               attribute="predict(X)")  # fmt: skip
        return
    found: Expr = exp(scores[0]) if f.kind == "poisson" else scores[0] + 0
    size = float(np.abs(said).max(initial=0.0)) + float(np.abs(np.asarray(f.y, dtype=np.float64)).max())
    w.cell("prediction", found, symbol=r"\hat{y}", label="prediction", equals=said.astype(np.float64),
           attribute="predict(X)", tolerance=1e-9 if f.exact else 1e-5, scale=size)  # fmt: skip


def _means(kind: str, model: Any) -> str:
    if kind == "softmax":
        return "The class with the highest score is the answer; e to the scores, as shares, are the probabilities."
    if kind == "logistic":
        one = len(model.classes_) == 1
        return "There is one class only." if one else "A score above 0 is a probability above one half."
    return "e to the score is the expected count." if kind == "poisson" else "The score is the prediction."


def _classes(w: Working, f: Fit, data: Given, axis: Axis, scores: list[Expr], said: Array) -> None:
    """The class with the highest score."""
    exact = np.sort(f.scores(f.model.n_estimators_), axis=1)
    near = (exact[:, -1] - exact[:, -2]).min() <= NEARLY * max(float(np.abs(exact).max()), 1.0)
    if f.outputs > MOST_CLASSES or near:
        w.note("The classes are the model's: there are many of them, or scores next to each other.")
        w.check(w.given("prediction", said, axis, symbol=r"\hat{y}", label="class"), said, "predict(X)")
        return
    known = [label(one) for one in f.model.classes_]
    best: Expr = scores[0]
    for k, other in enumerate(scores[1:], start=2):
        end, text = ("", "highest score") if k == len(scores) else (f"_{k}", f"highest of {k}")
        best = w.cell(f"most{end}", where(best >= other, best, other), symbol=f"M{end}", label=text)
    answer: Expr = expr(known[-1])
    for k in range(len(known) - 2, -1, -1):
        answer = where(equal(best, scores[k]), known[k], answer)
    w.cell("prediction", answer, symbol=r"\hat{y}", label="class", equals=said, attribute="predict(X)")
