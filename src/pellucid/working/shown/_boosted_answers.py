"""What the last scores of boosted trees mean, as cells: numbers, counts, probabilities and classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Expr, expr
from pellucid.working.language import equal, exp, where
from pellucid.working.model import Working
from pellucid.working.shown._boosted_fit import Fit
from pellucid.working.shown._boosted_round import MOST_CLASSES
from pellucid.working.shown._rows import label, labels, spelled

NEARLY = 1e-5  # scores nearer to a tie than this share are not told apart


def show_answers(w: Working, f: Fit, data: Given, axis: Axis, scores: list[Expr]) -> None:
    """What the last scores mean, against the model's own predictions."""
    model = f.model
    predicted = np.asarray(model.predict(data.table))[f.rows]
    w.step("Predictions", _means(f.meaning, model))
    if f.meaning == "softmax":
        _classes(w, f, data, axis, scores, labels(predicted))
        return
    if f.meaning == "logistic":
        if len(model.classes_) == 1:
            return
        exact = f.later_scores(model.n_estimators_)[:, 0]
        p = w.cell("probability", 1 / (1 + exp(-scores[0])), symbol="p",
                   label=f"probability of {spelled(label(model.classes_[1]))}",
                   equals=model.predict_proba(data.table)[f.rows, 1], attribute="predict_proba(X)", tolerance=1e-5,
                   scale=1.0)  # fmt: skip
        if np.abs(exact).min() <= NEARLY * max(float(np.abs(exact).max()), 1.0):
            w.note("Scores next to 0 are not told apart here: the classes are the model's.")
            w.check(
                w.given("prediction", labels(predicted), axis, symbol=r"\hat{y}", label="class"),
                labels(predicted),
                "predict(X)",
            )
            return
        first, second = (label(name) for name in model.classes_)
        w.cell("prediction", where(p > 0.5, second, first), symbol=r"\hat{y}", label="class", equals=labels(predicted),
               attribute="predict(X)")  # fmt: skip
        return
    prediction: Expr = exp(scores[0]) if f.meaning == "poisson" else scores[0] + 0
    size = float(np.abs(predicted).max(initial=0.0)) + float(np.abs(np.asarray(f.y, dtype=np.float64)).max())
    w.cell("prediction", prediction, symbol=r"\hat{y}", label="prediction", equals=predicted.astype(np.float64),
           attribute="predict(X)", tolerance=1e-9 if f.exact else 1e-5, scale=size)  # fmt: skip


def _means(kind: str, model: Any) -> str:
    if kind == "softmax":
        return "The class with the highest score is the answer; e to the scores, as shares, are the probabilities."
    if kind == "logistic":
        single_class = len(model.classes_) == 1
        return "There is one class only." if single_class else "A score above 0 is a probability above one half."
    return "e to the score is the expected count." if kind == "poisson" else "The score is the prediction."


def _classes(w: Working, f: Fit, data: Given, axis: Axis, scores: list[Expr], predicted: Array) -> None:
    """The class with the highest score."""
    exact = np.sort(f.later_scores(f.model.n_estimators_), axis=1)
    near = (exact[:, -1] - exact[:, -2]).min() <= NEARLY * max(float(np.abs(exact).max()), 1.0)
    if f.outputs > MOST_CLASSES or near:
        w.note("The classes are the model's: there are many of them, or scores next to each other.")
        w.check(w.given("prediction", predicted, axis, symbol=r"\hat{y}", label="class"), predicted, "predict(X)")
        return
    class_names = [label(name) for name in f.model.classes_]
    best: Expr = scores[0]
    for k, score in enumerate(scores[1:], start=2):
        end, text = ("", "highest score") if k == len(scores) else (f"_{k}", f"highest of {k}")
        best = w.cell(f"most{end}", where(best >= score, best, score), symbol=f"M{end}", label=text)
    prediction: Expr = expr(class_names[-1])
    for k in range(len(class_names) - 2, -1, -1):
        prediction = where(equal(best, scores[k]), class_names[k], prediction)
    w.cell("prediction", prediction, symbol=r"\hat{y}", label="class", equals=predicted, attribute="predict(X)")
