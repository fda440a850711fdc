"""The chosen model on the held-out rows: its predictions, its scores with their intervals, and curves for the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

from pellucid import metrics
from pellucid.base.types import Array, Floats
from pellucid.report.outcome import HoldoutResult, Metric, MetricValue, Task
from pellucid.report.resampling import Resamples, area_bounds, mean_share_bounds, share_bounds
from pellucid.report.task import MEASURES

MOST_TRAINING_ROWS = 20_000  # on which the training score is measured
SHOWN = 1000  # points of a scatter plot
POINTS = 200  # of a curve
BINS = 10
FEW_OF_A_CLASS = 100  # rows, below which intervals of ranks and of class accuracies are widened
SMALLEST_BIN = 20  # rows

Score = Callable[[Array], float]  # of the rows at these positions
Scores = dict[str, tuple[Metric, Score]]


class Predictions:
    """What a fitted model predicts for some rows: labels or numbers, and probabilities.

    predicted : a label or a number per row
    classes : those of the task, in order; columns of ``probability`` are in this order, and a class that the model does
        not know has probability 0
    threshold : of two classes, the probability from which on the positive one is predicted, where it is not 0.5
    margin : of two classes, the probability of the positive one, or how far on its side of the border a row is
    """

    def __init__(self, model: Any, X: Any, task: Task) -> None:
        self.task = task
        self.threshold = _threshold_of(model)
        self.predicted = np.asarray(model.predict(X))
        self.classes: list[Any] = list(task.classes or model.classes_) if task.kind != "number" else []
        self.probability: Floats | None = None
        self.margin: Floats | None = None
        if task.kind == "number":
            return
        if hasattr(model, "predict_proba"):
            self.probability = aligned(np.asarray(model.predict_proba(X)), list(model.classes_), self.classes)
        if task.kind == "two classes":
            self.margin = self._margin(model, X)

    def _margin(self, model: Any, X: Any) -> Floats:
        positive = self.classes.index(self.task.positive)
        if self.probability is not None:
            return self.probability[:, positive]
        return np.asarray(model.decision_function(X)) * (1 if positive == 1 else -1)


def _threshold_of(model: Any) -> float | None:
    last = model[-1] if isinstance(model, Pipeline) else model
    return float(last.threshold) if isinstance(last, FixedThresholdClassifier) else None


def aligned(probability: Floats, known: list[Any], classes: list[Any]) -> Floats:
    """Probabilities with one column per class of the task; classes that the model does not know have 0.

    >>> aligned(np.array([[0.2, 0.8]]), ["a", "c"], ["a", "b", "c"])
    array([[0.2, 0. , 0.8]])
    """
    if known == classes:
        return probability
    table = np.zeros((len(probability), len(classes)))
    positions = [classes.index(label) for label in known if label in classes]
    table[:, positions] = probability[:, [k for k, label in enumerate(known) if label in classes]]
    return table


def evaluate_holdout(
    task: Task, answers: Predictions, base: Predictions, y: Array, positions: Array, resamples: Resamples
) -> HoldoutResult:
    """The scores with their intervals, and what the plots of the task show."""
    result = HoldoutResult(len(y), _figures(task, answers, base, y, resamples), positions=positions)
    result = replace(result, unit=resamples.unit, n_units=resamples.n_units)
    if task.kind == "number":
        sample = np.linspace(0, len(y) - 1, min(len(y), SHOWN)).astype(int)
        return replace(result, actual=np.asarray(y, dtype=float)[sample], predicted=answers.predicted[sample])
    result = replace(result, confusion=metrics.confusion_matrix(y, answers.predicted, labels=list(task.classes)))
    is_positive = np.asarray(y) == task.positive
    if answers.margin is None or is_positive.all() or not is_positive.any():
        return result
    fpr, tpr, _ = metrics.roc_curve(is_positive, answers.margin)
    precision, recall, _ = metrics.precision_recall_curve(is_positive, answers.margin)
    precision, recall = precision[:-1], recall[:-1]  # the last point, precision 1 at recall 0, belongs to no threshold
    bins = None if answers.probability is None else reliability_of(is_positive, answers.margin)
    return replace(
        result,
        roc=thin_curve(fpr, tpr),
        precision_recall=thin_curve(recall, precision),
        reliability=bins,
    )


Bounds = tuple[float, float]


def scores_of(task: Task, answers: Predictions, y: Array) -> Scores:
    """The scores of a task, that of the comparison first, each as a function of rows."""
    scores = (
        scores_of_numbers(answers.predicted, y) if task.kind == "number" else _of_labels(task, answers, np.asarray(y))
    )
    if task.kind == "two classes":
        scores = {**_of_ranking(task, answers, np.asarray(y)), **scores}
    if task.ordered:
        scores = {**_of_levels(task, answers, np.asarray(y)), **scores}
    if answers.probability is not None:
        scores = {**_of_probabilities(task, answers, np.asarray(y)), **scores}
    first = task.measure.scoring if task.measure is not None else next(iter(scores))
    order = [first, *(name for name in _ORDER if name != first)]
    return {name: scores[name] for name in order if name in scores}


# The order in which scores are listed, after the criterion of the comparison.
_ORDER = (
    *("roc_auc", "average_precision", "neg_ranked_probability_score", "levels_off", "quadratic_weighted_kappa"),
    *("within_one_level", "recall", "precision", "f1", "accuracy", "balanced_accuracy", "f1_macro", "neg_log_loss"),
    "neg_brier_score",
    *("neg_root_mean_squared_error", "neg_mean_absolute_error", "neg_median_absolute_error", "r2"),
)


def scores_of_numbers(predicted: Floats, y: Array) -> Scores:
    """The scores of predicted numbers, each as a function of rows."""
    numbers = np.asarray(y, dtype=float)
    functions: dict[str, Callable[[Any, Any], Any]] = {
        "neg_root_mean_squared_error": metrics.root_mean_squared_error,
        "neg_mean_absolute_error": metrics.mean_absolute_error,
        "neg_median_absolute_error": metrics.median_absolute_error,
        "r2": _r2,
    }

    def of_rows(score: Callable[[Any, Any], Any]) -> Score:
        return lambda rows: float(score(numbers[rows], predicted[rows]))

    return {name: (MEASURES[name], of_rows(score)) for name, score in functions.items()}


def _r2(y: Floats, predicted: Floats) -> float:
    """Undefined where all values are the same: there is no variance that could be explained."""
    return float("nan") if y.min() == y.max() else float(metrics.r2_score(y, predicted))


def _of_labels(task: Task, predictions: Predictions, y: Array) -> Scores:
    """Scores of the predicted classes alone."""
    predicted = predictions.predicted
    is_correct = y == predicted
    codes = np.searchsorted(np.asarray(predictions.classes), y)
    guesses = np.searchsorted(np.asarray(predictions.classes), predicted)
    n_classes = len(predictions.classes)
    scores: Scores = {
        "accuracy": (MEASURES["accuracy"], lambda rows: float(is_correct[rows].mean())),
        "balanced_accuracy": (
            MEASURES["balanced_accuracy"],
            _mean_of_classes(_recall_of_classes, codes, guesses, n_classes),
        ),
    }
    if task.kind == "two classes":
        return {**scores, **_of_positive(task, predicted, y)}
    return {**scores, "f1_macro": (MEASURES["f1_macro"], _mean_of_classes(_f1_of_classes, codes, guesses, n_classes))}


def _mean_of_classes(score: Callable[[Array, Array, int], Floats], codes: Array, guesses: Array, n: int) -> Score:
    """The mean of a score over the classes for which it is defined on all rows. In a sample without a row of a class
    that class has its score on all rows: left out, a class that is never found would count as found in such samples."""
    of_all = score(codes, guesses, n)
    counted = np.isfinite(of_all)

    def mean(rows: Array) -> float:
        class_scores = score(codes[rows], guesses[rows], n)
        return float(np.where(np.isfinite(class_scores), class_scores, of_all)[counted].mean())

    return mean


def _recall_of_classes(codes: Array, guesses: Array, n_classes: int) -> Floats:
    """Not a number for a class without a row; one that is only predicted does not count."""
    rows, hits = np.bincount(codes, minlength=n_classes), np.bincount(codes[codes == guesses], minlength=n_classes)
    return np.where(rows > 0, hits / np.maximum(rows, 1), np.nan)


def _f1_of_classes(codes: Array, guesses: Array, n_classes: int) -> Floats:
    """Not a number for a class that is neither there nor predicted."""
    rows = np.bincount(codes, minlength=n_classes) + np.bincount(guesses, minlength=n_classes)
    hits = np.bincount(codes[codes == guesses], minlength=n_classes)
    return np.where(rows > 0, 2 * hits / np.maximum(rows, 1), np.nan)


def _of_positive(task: Task, predicted: Array, y: Array) -> Scores:
    """Precision, recall and F1 of the positive class. They are undefined where they would be a division by zero."""
    actual, flagged = y == task.positive, predicted == task.positive

    def ratio(above: Array, below: Array) -> Score:
        return lambda rows: float(above[rows].sum() / below[rows].sum()) if below[rows].any() else float("nan")

    caught = actual & flagged
    labeled = {name: _named(MEASURES[name], task.positive_name) for name in ("precision", "recall", "f1")}
    f1: Score = lambda rows: float(metrics.f1_score(actual[rows], flagged[rows], zero_division=0))  # noqa: E731
    return {
        "recall": (labeled["recall"], ratio(caught, actual)),
        "precision": (labeled["precision"], ratio(caught, flagged)),
        "f1": (labeled["f1"], f1),
    }


def _named(measure: Metric, label: Any) -> Metric:
    return replace(measure, word=f"{measure.word} of {label}")


def _of_ranking(task: Task, predictions: Predictions, y: Array) -> Scores:
    positive, margin = y == task.positive, predictions.margin
    if margin is None:
        return {}
    return {
        "roc_auc": (MEASURES["roc_auc"], lambda rows: _auc(positive[rows], margin[rows])),
        "average_precision": (
            _named(MEASURES["average_precision"], task.positive_name),
            lambda rows: _average_precision(positive[rows], margin[rows]),
        ),
    }


def _auc(positive: Array, margin: Floats) -> float:
    """Not a number where the rows have one class only."""
    return float("nan") if positive.all() or not positive.any() else float(metrics.roc_auc_score(positive, margin))


def _average_precision(positive: Array, margin: Floats) -> float:
    """Undefined where no row is of the class."""
    return float(metrics.average_precision_score(positive, margin)) if positive.any() else float("nan")


def _of_probabilities(task: Task, predictions: Predictions, y: Array) -> Scores:
    probability, labels = predictions.probability, predictions.classes
    if probability is None:
        return {}
    codes = np.searchsorted(np.asarray(labels), y)
    happened = np.eye(len(labels))[codes]
    # As pellucid.metrics: p is clipped to the spacing of doubles at 1. Of two classes the Brier score counts one.
    surprise = -np.log(np.clip(probability[np.arange(len(y)), codes], np.finfo(float).eps, 1.0))
    distance = ((probability - happened) ** 2).sum(axis=1) / (2 if len(labels) == 2 else 1)
    scores: Scores = {
        "neg_log_loss": (MEASURES["neg_log_loss"], lambda rows: float(surprise[rows].mean())),
        "neg_brier_score": (MEASURES["neg_brier_score"], lambda rows: float(distance[rows].mean())),
    }
    if task.ordered:
        level_order = [labels.index(level) for level in task.levels]
        below = np.cumsum(happened[:, level_order], axis=1)[:, :-1]
        ranked = ((np.cumsum(probability[:, level_order], axis=1)[:, :-1] - below) ** 2).mean(axis=1)
        name = "neg_ranked_probability_score"
        scores[name] = (MEASURES[name], lambda rows: float(ranked[rows].mean()))
    return scores


def _of_levels(task: Task, predictions: Predictions, y: Array) -> Scores:
    """Scores that know the order of the classes: how many levels a prediction is off."""
    level_index = {str(level): k for k, level in enumerate(task.levels)}
    actual = np.array([level_index[str(label)] for label in y.tolist()])
    predicted = np.array([level_index[str(label)] for label in predictions.predicted.tolist()])
    off = np.abs(actual - predicted)
    kappa: Score = lambda rows: _weighted_kappa(actual[rows], predicted[rows])  # noqa: E731
    return {
        "levels_off": (MEASURES["levels_off"], lambda rows: float(off[rows].mean())),
        "within_one_level": (MEASURES["within_one_level"], lambda rows: float((off[rows] <= 1).mean())),
        "quadratic_weighted_kappa": (MEASURES["quadratic_weighted_kappa"], kappa),
    }


def _weighted_kappa(actual: Array, predicted: Array) -> float:
    """Zero where both name one and the same level only: there is no agreement beyond chance."""
    if (actual == actual[0]).all() and (predicted == actual[0]).all():
        return 0.0
    return float(metrics.cohen_kappa_score(actual, predicted, weights="quadratic"))


def _figures(
    task: Task, predictions: Predictions, base: Predictions, y: Array, resamples: Resamples
) -> tuple[MetricValue, ...]:
    """Every measure of the task, scored on all rows and on bootstrap samples of them.

    The baseline is scored on the same samples by the first measure, the one that the verdict is about, and by accuracy.
    """
    scores, floors = scores_of(task, predictions, y), scores_of(task, base, y)
    everyone = np.arange(len(y))
    paired = [name for name in scores if name in floors and name in (next(iter(scores)), "accuracy")]
    samples = [
        ([score(rows) for _, score in scores.values()], [floors[name][1](rows) for name in paired])
        for rows in resamples.draws()
    ]
    values, floor_values = (np.array(sample_scores) for sample_scores in zip(*samples, strict=True))
    metric_values = []
    for k, (name, (measure, score)) in enumerate(scores.items()):
        value, (low, high) = score(everyone), resamples.interval(values[:, k])
        floor = floors[name][1](everyone) if name in floors else float("nan")
        gain_low = gain_high = float("nan")
        gains: Floats | None = None
        if name in paired:
            gains = measure.sign * (values[:, k] - floor_values[:, paired.index(name)])
            gain_low, gain_high = resamples.interval(gains)
        bounds = _bounds(name, task, predictions, y, value, resamples.n_units)
        if bounds is not None:
            if gains is not None and gains.any():  # the baseline is no improvement of itself
                gain_low -= max(0.0, low - bounds[0])
                gain_high += max(0.0, bounds[1] - high)
            low, high = min(low, bounds[0]), max(high, bounds[1])
        metric_values.append(MetricValue(measure.word, measure.about, value, low, high, floor, gain_low, gain_high))
    return tuple(metric_values)


def _bounds(name: str, task: Task, predictions: Predictions, y: Array, value: float, n_units: int) -> Bounds | None:
    """The least interval of a score that few rows may reach by luck, where samples of the rows have no spread."""
    if not np.isfinite(value):
        return None
    value = float(round(value)) if abs(value - round(value)) < 1e-9 else value  # sums of fractions are not quite 1
    if name in ("accuracy", "within_one_level"):
        return share_bounds(value, n_units)
    if name in ("recall", "precision", "average_precision", "f1", "f1_macro") and value in (0.0, 1.0):
        return share_bounds(value, _n_behind(name, task, predictions, y, n_units))
    counts = [int((y == label).sum()) for label in task.classes]
    rows = [n for n in counts if n > 0]
    enough = min(rows, default=FEW_OF_A_CLASS) >= FEW_OF_A_CLASS and value not in (0.0, 1.0)
    if name not in ("roc_auc", "balanced_accuracy", "f1_macro") or not rows or enough:
        return None
    if name == "roc_auc":
        return area_bounds(value, *(max(1, min(n, n_units)) for n in rows))
    if name == "f1_macro":
        behind = [(y == label) | (predictions.predicted == label) for label in task.classes]
        shares = [float(metrics.f1_score(y == k, predictions.predicted == k, zero_division=0)) for k in task.classes]
        some = [
            (share, min(n_units, int(class_rows.sum())))
            for share, class_rows in zip(shares, behind, strict=True)
            if class_rows.any()
        ]
        return mean_share_bounds(*zip(*some, strict=True))
    correct = [
        float((predictions.predicted[y == label] == label).mean()) for label in task.classes if (y == label).any()
    ]
    return mean_share_bounds(correct, [min(n_units, n) for n in rows])


def _n_behind(name: str, task: Task, predictions: Predictions, y: Array, n_units: int) -> int:
    """Of how many rows a recall, a precision or an F1 is a share."""
    if name == "f1_macro":
        return n_units
    positive, flagged = y == task.positive, predictions.predicted == task.positive
    rows = {"f1": positive | flagged, "precision": flagged}.get(name, positive)
    return max(1, min(n_units, int(rows.sum())))


def reliability_of(positive: Array, probability: Floats) -> tuple[Floats, Floats, Array]:
    """Mean predicted probability, share of the class and number of rows, of bins of about equally many rows.

    Rows with the same probability are in the same bin. Where a class is rare, bins of equal width would hold nearly all
    rows in the first.
    """
    n_bins = min(BINS, max(2, len(probability) // SMALLEST_BIN))
    borders = np.unique(np.quantile(probability, np.linspace(0, 1, n_bins + 1)[1:-1]))
    bins = np.searchsorted(borders, probability, side="left")
    rows = np.bincount(bins, minlength=len(borders) + 1)
    some = rows > 0
    mean = np.bincount(bins, weights=probability, minlength=len(rows))[some] / rows[some]
    share = np.bincount(bins, weights=positive, minlength=len(rows))[some] / rows[some]
    return mean, share, rows[some]


def thin_curve(x: Floats, y: Floats, most: int = POINTS) -> tuple[Floats, Floats]:
    """At most so many points of a curve, evenly along its length, its ends among them.

    Evenly among the thresholds they would miss most of a curve of precision and recall: where a class is rare, nearly
    all thresholds are at a recall of 1.

    >>> thin_curve(np.array([0.0, 0.1, 0.2, 1.0, 1.0, 1.0]), np.zeros(6), 3)
    (array([0., 1., 1.]), array([0., 0., 0.]))
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) <= most:
        return x, y
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    indices = np.unique([*np.searchsorted(along, np.linspace(0.0, along[-1], most - 1)), len(x) - 1])
    return x[indices], y[indices]
