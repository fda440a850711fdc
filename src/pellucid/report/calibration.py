"""Are the probabilities of the chosen model to be believed, and does calibration make them better?

A calibrator is fitted on out-of-fold scores of all folds but one and tried on that one, fold by fold (cross-fitting).
It is used only where the log loss of the rows gets better by more than noise, in most folds.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.stats import chi2

from pellucid.base.errors import DataError
from pellucid.base.types import Array, Floats
from pellucid.calibration._pairs import CalibratedClassifier, Scores
from pellucid.calibration._sigmoid import Sigmoid, Temperature
from pellucid.report.holdout import aligned
from pellucid.report.out_of_fold import OutOfFold
from pellucid.report.outcome import Calibration, Task

FEWEST = 20  # rows of the rarest class, below which no calibrator is fitted
NOISE = 2.0  # standard errors by which the log loss must get better
SMALLEST_GAIN = 0.01  # share of the log loss that must be gained
MOST_FOLDS = 0.8  # share of the folds in which it must get better
LITERAL = 0.05  # mean distance of predicted from observed shares, up to which probabilities may be taken literally
SURE = 0.001  # probability of the distance if the probabilities were right, below which they are not
TITLES = {"sigmoid": "a sigmoid of the model's scores (Platt)", "temperature": "one temperature for all classes"}


def choose_calibration(task: Task, held: OutOfFold) -> tuple[Calibration, Floats | None]:
    """The calibration that helps out of fold, or none; and the out-of-fold probabilities after it."""
    raw = held.probability
    before = float("nan") if raw is None else float(_surprise(raw, _codes(task, held.y)).mean())
    rarest = min(int((held.y == label).sum()) for label in task.classes)
    if held.scores is None:
        reason = "not every fold holds every class, so no calibration was fitted"
        return Calibration("none", (), reason, before, before), raw
    if held.n_folds < 2:
        return Calibration("none", (), "a calibration needs two folds that hold every class", before, before), raw
    if rarest < FEWEST:
        reason = f"the rarest class has too few rows to fit a calibration ({rarest} out of fold)"
        return Calibration("none", (), reason, before, before), raw
    best = _best_of(task, held, raw)
    if best is None:
        which = "a sigmoid does not make" if _never_wrong(task, held) else "neither a sigmoid nor a temperature makes"
        reason = f"{which} the out-of-fold probabilities better by more than noise"
        return Calibration("none", (), reason, before, before), raw
    method, after = best
    gained = float(_surprise(after, _codes(task, held.y)).mean())
    numbers = _numbers(CalibratedClassifier.fitted(None, held.scores, held.y, held.scores.classes, method, None))
    return Calibration(method, numbers, _reason(method, raw is not None), before, gained), after


def _reason(method: str, had_probabilities: bool) -> str:
    if not had_probabilities:
        return "the model gives no probabilities of its own; a sigmoid (Platt) makes them of its decision values"
    return f"{TITLES[method]} makes the out-of-fold probabilities better by more than noise"


def _best_of(
    task: Task, held: OutOfFold, raw: Floats | None
) -> tuple[Literal["sigmoid", "temperature"], Floats] | None:
    """The method with the least cross-fitted log loss, if it helps; any that can be fitted where there is no other."""
    codes = _codes(task, held.y)
    found = []
    methods: tuple[Literal["sigmoid", "temperature"], ...] = ("sigmoid", "temperature")
    for method in methods[:1] if raw is None or _never_wrong(task, held) else methods:
        after = _cross_fitted(task, held, method)
        if after is not None and (raw is None or _helps(raw, after, codes, held.fold)):
            found.append((float(_surprise(after, codes).mean()), method, after))
    if not found:
        return None
    _, method, after = min(found, key=lambda one: one[:2])
    return method, after


def _never_wrong(task: Task, held: OutOfFold) -> bool:
    """Is every out-of-fold row predicted right? Then the best temperature is 0, which makes every prediction certain;
    Platt's sigmoid is fitted to shares a little above 0 and below 1."""
    raw = held.probability
    return raw is not None and bool(np.all(raw.argmax(axis=1) == _codes(task, held.y)))


def _cross_fitted(task: Task, held: OutOfFold, method: str) -> Floats | None:
    """The probabilities of each fold's rows by a calibrator that was fitted on the other folds."""
    assert held.scores is not None
    result = np.zeros((len(held.y), len(task.classes)))
    for number in np.unique(held.fold):
        rows, others = np.flatnonzero(held.fold == number), np.flatnonzero(held.fold != number)
        try:
            one = CalibratedClassifier.fitted(
                None, _some(held.scores, others), held.y[others], held.scores.classes, method, None
            )
        except DataError:
            return None
        table = one.calibrate(_some(held.scores, rows))
        result[rows] = aligned(table, held.scores.classes.tolist(), list(task.classes))
    return result


def _some(scores: Scores, rows: Array) -> Scores:
    return Scores(scores.values[rows], scores.classes, scores.are_probabilities)


def _codes(task: Task, y: Array) -> Array:
    return np.searchsorted(np.asarray(task.classes), y)


def _surprise(probability: Floats, codes: Array) -> Floats:
    """The log loss of each row."""
    return -np.log(np.clip(probability[np.arange(len(codes)), codes], np.finfo(float).eps, 1.0))


def _helps(raw: Floats, after: Floats, codes: Array, fold: Array) -> bool:
    """Is the log loss better by more than noise, and in most folds?"""
    before = _surprise(raw, codes)
    gain = before - _surprise(after, codes)
    error = float(gain.std(ddof=1)) / np.sqrt(len(gain))
    better = [float(gain[fold == number].mean()) > 0 for number in np.unique(fold)]
    return bool(
        gain.mean() > NOISE * error and gain.mean() > SMALLEST_GAIN * before.mean() and np.mean(better) >= MOST_FOLDS
    )


def _numbers(fitted: CalibratedClassifier) -> tuple[tuple[float, ...], ...]:
    """What defines the calibrators: A and B of each sigmoid, or 1 / T."""
    rows: list[tuple[float, ...]] = []
    for one in fitted.calibrators:
        if isinstance(one, Sigmoid):
            rows.append((float(one.a_), float(one.b_)))
        elif isinstance(one, Temperature):
            rows.append((float(one.beta_),))
    return tuple(rows)


def unreliable_by(reliability: tuple[Floats, Floats, Array]) -> float | None:
    """The mean distance between predicted and observed shares, where it is too large to be noise; None otherwise.

    Under reliable probabilities ``sum_b n_b (observed_b - p_b)^2 / (p_b (1 - p_b))`` over the bins b is about
    chi-square distributed (Hosmer and Lemeshow, 1980).
    """
    predicted, observed, rows = (np.asarray(part, dtype=float) for part in reliability)
    distance = float((rows * np.abs(predicted - observed)).sum() / rows.sum())
    spread = np.maximum(predicted * (1 - predicted), 0.5 / rows)
    surplus = float((rows * (observed - predicted) ** 2 / spread).sum())
    return distance if distance > LITERAL and chi2.sf(surplus, len(rows)) < SURE else None
