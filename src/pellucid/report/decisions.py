"""How the predictions of a classifier are decided: calibration and threshold, chosen on out-of-fold rows."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

from pellucid import metrics
from pellucid.base.types import Array, Floats
from pellucid.calibration import CalibratedClassifierCV
from pellucid.report.calibration import FEWEST, choose_calibration
from pellucid.report.holdout import Predictions, reliability_of
from pellucid.report.out_of_fold import OutOfFold
from pellucid.report.outcome import Decisions, Task, ThresholdChoice
from pellucid.report.page_text import percentage
from pellucid.report.thresholds import EVEN, DecisionOptions, Rule, Trial, read_rule, rules_to_show, threshold_of

RARELY_FOUND = 0.25  # recall of the positive class at 0.5, below which the threshold is moved
CLEAR_F1 = 1.1  # times the F1 of calling every row positive, from which on a threshold is worth moving
CHANCE = 2.0  # standard errors that the ROC AUC must be above one half


def decide(task: Task, held: OutOfFold, options: DecisionOptions) -> Decisions:
    """Chooses the calibration and, for two classes, the threshold."""
    calibration, probability = choose_calibration(task, held)
    positive = held.y == task.positive
    if task.kind != "two classes":
        return Decisions(calibration, n_rows=len(held.y))
    if probability is None or positive.all() or not positive.any():
        why = "the model gives no probabilities" if probability is None else "the out-of-fold rows hold one class only"
        reason = f"no threshold could be chosen, as {why}" if options.needs_two_classes else ""
        return Decisions(calibration, len(held.y), task.positive, EVEN, reason, rule_followed=not reason)
    rule = read_rule(options)
    ranking = probability[:, list(task.classes).index(task.positive)]
    reason = ""
    if rule.kind == "default":
        rule, reason = _default_rule(task, positive, ranking)
    choices = []
    for one in rules_to_show(rule, options):
        threshold, note = threshold_of(one, positive, ranking, options.costs)
        choices.append(ThresholdChoice(one.title, threshold, note=note, used=one == rule, required=one.required))
    used = next(choice for choice in choices if choice.used)
    followed = used.threshold is not None
    if not followed:
        reason = f"the requested rule is {used.rule}, but {used.note}; so the threshold stays at 0.5"
        choices = [replace(choice, used=choice.threshold == EVEN) for choice in choices]
        used = next(choice for choice in choices if choice.used)
    elif not reason:
        reason = f"the requested rule is {used.rule}"
    return Decisions(
        calibration,
        len(held.y),
        task.positive,
        float(used.threshold if used.threshold is not None else EVEN),
        reason,
        rule.kind == "f1" and options.threshold is None,
        tuple(choices),
        options.cost_fp if options.cost_fp is not None else 1.0 if options.has_costs else None,
        options.cost_fn if options.cost_fn is not None else 1.0 if options.has_costs else None,
        followed,
    )


def _default_rule(task: Task, positive: Array, probability: Floats) -> tuple[Rule, str]:
    """0.5, unless there the model hardly finds the positive class, or is right no more often than the larger class
    alone would be, although its probabilities do tell the classes apart."""
    flagged = probability >= EVEN
    recall, accuracy = float(flagged[positive].mean()), float((flagged == positive).mean())
    share = float(positive.mean())
    actual = f"{int(flagged[positive].sum()):,} of {int(positive.sum()):,} out-of-fold rows of {task.positive_name}"
    if task.measure is not None and task.measure.scoring == "accuracy":
        return Rule("even"), "the more probable class is predicted, which suits a comparison by accuracy"
    if positive.sum() < FEWEST:
        reason = f"the more probable class is predicted, which finds {actual}; they are too few to choose"
        reason += " another threshold by default"
        return Rule("even"), reason
    if share <= 0.5 and _ranks(positive, probability) and (recall < RARELY_FOUND or accuracy <= 1 - share):
        n_caught, n_positive = int(flagged[positive].sum()), int(positive.sum())
        why = f"at 0.5 the model finds only {actual}"
        if not n_caught:
            why = f"at 0.5 the model finds none of the {n_positive:,} out-of-fold rows of {task.positive_name}"
        if recall >= RARELY_FOUND:
            why = f"at 0.5 the model is right on {percentage(accuracy, 1)} of the out-of-fold rows, no more than "
            why += f"always predicting the other class ({percentage(1 - share, 1)})"
        if not _is_selective(positive, probability):
            always = f"no threshold has an F1 clearly above that of always predicting {task.positive_name}"
            return Rule("even"), f"{why}, and {always}"
        return Rule("f1"), f"{why}. The threshold with the highest F1 is used instead"
    return Rule("even"), f"the more probable class is predicted, which finds {actual}"


def _is_selective(positive: Array, probability: Floats) -> bool:
    """Is the highest F1 clearly above ``2 p / (1 + p)``, which calling every row positive has for a share p of positive
    rows? A weak model of a frequent class reaches its highest F1 by calling nearly all rows positive."""
    share = float(positive.mean())
    best = float(metrics.tune_threshold(positive, probability, metric="f1", pos_label=True).score)
    return best >= CLEAR_F1 * 2 * share / (1 + share)


def _ranks(positive: Array, probability: Floats) -> bool:
    """Is the ROC AUC above one half by more than chance? (Hanley and McNeil, 1982.)"""
    auc = float(metrics.roc_auc_score(positive, probability))
    n, m = int(positive.sum()), int((~positive).sum())
    q1, q2 = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    variance = (auc * (1 - auc) + (n - 1) * (q1 - auc * auc) + (m - 1) * (q2 - auc * auc)) / (n * m)
    return bool(auc - CHANCE * np.sqrt(max(variance, 0.0)) > 0.5)


def show_on_held_out(decisions: Decisions, task: Task, fitted: Any, X: Any, y: Array) -> Decisions:
    """What each choice means in the held-out rows, and how reliable the probabilities were before calibration.

    ``fitted`` is the model before `decided` was applied.
    """
    after = Predictions(decided(fitted, decisions), X, task)
    if task.kind != "two classes" or after.margin is None or after.probability is None:
        return decisions
    positive = np.asarray(y) == task.positive
    costs = DecisionOptions(cost_fp=decisions.cost_fp, cost_fn=decisions.cost_fn).costs
    trial = Trial(positive, after.margin)
    shown = replace(decisions, choices=tuple(trial.count(choice, costs) for choice in decisions.choices))
    if decisions.calibration.method == "none" or not hasattr(fitted, "predict_proba"):
        return shown
    before = Predictions(fitted, X, task).margin
    bins = None if before is None else reliability_of(positive, before)
    return replace(shown, calibration=replace(decisions.calibration, reliability_before=bins))


# ------------------------------------------------------------------------------------------------- models that decide


def decided(model: Any, decisions: Decisions) -> Any:
    """A fitted pipeline whose last step is calibrated and predicts by the threshold."""
    if decisions.calibration.method != "none":
        model = with_calibration(model, decisions.calibration.method, decisions.calibration.numbers)
    if decisions.threshold != EVEN:
        model = with_threshold(model, decisions.threshold, decisions.positive)
    return model


def with_calibration(model: Any, method: Literal["sigmoid", "temperature"], numbers: Sequence[Sequence[float]]) -> Any:
    """A fitted pipeline whose last step is calibrated.

    Parameters
    ----------
    method : "sigmoid" or "temperature"
    numbers : A and B of the sigmoid of each class (one pair for two classes), or one row with 1 / T
    """
    return _with_last(model, CalibratedClassifierCV.from_calibrators(model[-1], method, numbers))


def with_threshold(model: Any, threshold: float, positive: Any) -> Any:
    """A fitted pipeline that predicts the positive class from this probability on."""
    last = FixedThresholdClassifier(
        clone(model[-1]), threshold=threshold, pos_label=positive, response_method="predict_proba"
    )
    last.estimator_ = model[-1]
    return _with_last(model, last)


def _with_last(model: Pipeline, last: Any) -> Pipeline:
    """The pipeline with another last step, under the name that it had."""
    other = copy(model)
    other.steps = [*model.steps[:-1], (model.steps[-1][0], last)]
    return other
