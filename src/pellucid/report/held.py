"""The winner on the rows that were kept back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pellucid import metrics
from pellucid.base.types import Array, Floats
from pellucid.report.outcome import Figure, Held, Measure, Task
from pellucid.report.task import MEASURES

RESAMPLES = 200
SHOWN = 1000  # points of a scatter plot
POINTS = 200  # of a curve
BINS = 10

Score = Callable[[Array], float]  # of the rows at these positions


class Answers:
    """What a fitted model says of some rows: labels or numbers, and how sure it is."""

    def __init__(self, model: Any, X: Any, task: Task) -> None:
        self.task = task
        self.predicted = np.asarray(model.predict(X))
        self.classes: list[Any] = list(model.classes_) if task.kind != "number" else []
        self.probability: Floats | None = None
        self.margin: Floats | None = None  # of two classes, how far on the side of the positive one
        if task.kind == "number":
            return
        if hasattr(model, "predict_proba"):
            self.probability = np.asarray(model.predict_proba(X))
        if task.kind == "two classes":
            positive = self.classes.index(task.positive)
            if self.probability is not None:
                self.margin = self.probability[:, positive]
            else:
                self.margin = np.asarray(model.decision_function(X)) * (1 if positive == 1 else -1)


def held_out(task: Task, answers: Answers, base: Answers, y: Array, positions: Array, seed: int) -> Held:
    """The figures with their intervals, and what the plots of the task show."""
    scores, baseline = _scores(task, answers, y), _scores(task, base, y)
    draws = np.random.RandomState(seed).randint(0, len(y), size=(RESAMPLES, len(y)))
    figures = tuple(_figure(measure, score, baseline[key][1], draws) for key, (measure, score) in scores.items())
    if task.kind == "number":
        shown = np.linspace(0, len(y) - 1, min(len(y), SHOWN)).astype(int)
        actual, predicted = np.asarray(y, dtype=float)[shown], answers.predicted[shown]
        return Held(len(y), figures, actual=actual, predicted=predicted, positions=positions)
    confusion = metrics.confusion_matrix(y, answers.predicted, labels=list(task.classes))
    if answers.margin is None:
        return Held(len(y), figures, confusion=confusion, positions=positions)
    is_positive = np.asarray(y) == task.positive
    fpr, tpr, _ = metrics.roc_curve(is_positive, answers.margin)
    precision, recall, _ = metrics.precision_recall_curve(is_positive, answers.margin)
    bins = None if answers.probability is None else _reliability(is_positive, answers.margin)
    return Held(
        len(y),
        figures,
        confusion=confusion,
        roc=(_thin(fpr), _thin(tpr)),
        precision_recall=(_thin(recall), _thin(precision)),
        reliability=bins,
        positions=positions,
    )


def _scores(task: Task, answers: Answers, y: Array) -> dict[str, tuple[Measure, Score]]:
    """The measures of a task, that of the comparison first, each as a function of rows."""
    made: dict[str, Score] = {}
    if task.kind == "number":
        numbers = np.asarray(y, dtype=float)
        told = answers.predicted
        made["neg_root_mean_squared_error"] = lambda i: float(metrics.root_mean_squared_error(numbers[i], told[i]))
        made["neg_mean_absolute_error"] = lambda i: float(metrics.mean_absolute_error(numbers[i], told[i]))
        made["r2"] = lambda i: float(metrics.r2_score(numbers[i], told[i]))
    else:
        right = np.asarray(y) == answers.predicted
        codes = np.searchsorted(np.asarray(answers.classes), y)
        made["accuracy"] = lambda i: float(right[i].mean())
        made["balanced_accuracy"] = lambda i: _balanced(right[i], codes[i], len(answers.classes))
        if answers.margin is not None:
            positive = np.asarray(y) == task.positive
            margin = answers.margin
            made["roc_auc"] = lambda i: _auc(positive[i], margin[i])
        if answers.probability is not None:
            sure = np.maximum(answers.probability[np.arange(len(y)), codes], 1e-15)
            made["neg_log_loss"] = lambda i: float(-np.log(sure[i]).mean())
        made["f1_macro"] = lambda i: metrics.f1_score(
            np.asarray(y)[i], answers.predicted[i], average="macro", zero_division=0
        )
    first = task.measure.scoring if task.measure is not None else next(iter(made))
    order = [first, *(name for name in made if name not in (first, "f1_macro"))]
    return {name: (MEASURES[name], made[name]) for name in order if name in made}


def _balanced(right: Array, codes: Array, classes: int) -> float:
    rows = np.bincount(codes, minlength=classes)
    hits = np.bincount(codes, weights=right, minlength=classes)
    return float((hits[rows > 0] / rows[rows > 0]).mean())


def _auc(positive: Array, margin: Floats) -> float:
    """One half where the rows have one class only."""
    return 0.5 if positive.all() or not positive.any() else float(metrics.roc_auc_score(positive, margin))


def _figure(measure: Measure, score: Score, baseline: Score, draws: Array) -> Figure:
    everyone = np.arange(draws.shape[1])
    values = np.array([score(draw) for draw in draws])
    low, high = np.quantile(values, [0.025, 0.975])
    return Figure(measure.word, measure.about, score(everyone), float(low), float(high), baseline(everyone))


def _reliability(positive: Array, probability: Floats) -> tuple[Floats, Floats, Array]:
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    rows = np.bincount(bins, minlength=BINS)
    some = rows > 0
    mean = np.bincount(bins, weights=probability, minlength=BINS)[some] / rows[some]
    share = np.bincount(bins, weights=positive, minlength=BINS)[some] / rows[some]
    return mean, share, rows[some]


def _thin(values: Floats) -> Floats:
    """At most so many points of a curve, its ends among them."""
    if len(values) <= POINTS:
        return np.asarray(values)
    kept = np.linspace(0, len(values) - 1, POINTS).round().astype(int)
    return np.asarray(np.asarray(values)[kept])
