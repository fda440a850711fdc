"""From which probability on a row is called positive: the rules, and what each of them means in rows.

A threshold is chosen on out-of-fold rows and shown on held-out rows, which had no part in the choice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pellucid import metrics
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.metrics.costs import cost_matrix
from pellucid.report.outcome import Task, ThresholdChoice

RuleKind = Literal["default", "even", "f1", "youden", "cost", "precision", "recall", "fixed"]
EVEN = 0.5
FEWEST_FLAGGED = 10  # out-of-fold rows, for a required precision
USUAL = 0.8  # the precision and the recall that are shown where the user requires none
RULES = "f1, cost, youden, precision=SHARE, recall=SHARE or a number between 0 and 1"


@dataclass(frozen=True)
class DecisionOptions:
    """How the user wants rows of two classes to be decided.

    threshold : "f1", "cost", "youden", "precision=0.9", "recall=0.8" or a number such as "0.35"; None for the default
    cost_fp, cost_fn : what a false alarm and a missed row cost
    positive : the class whose probability the threshold is for; None to choose it
    """

    threshold: str | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    positive: str | None = None

    @property
    def needs_two_classes(self) -> bool:
        """Did the user ask for something that only two classes have?"""
        return self.threshold is not None or self.has_costs

    @property
    def has_costs(self) -> bool:
        """Did the user say what mistakes cost?"""
        return self.cost_fp is not None or self.cost_fn is not None

    @property
    def costs(self) -> Floats | None:
        """The cost matrix, with 1 for a cost that was not given."""
        if not self.has_costs:
            return None
        fp, fn = (1.0 if cost is None else cost for cost in (self.cost_fp, self.cost_fn))
        return cost_matrix(false_positive=fp, false_negative=fn)


@dataclass(frozen=True)
class Rule:
    """A way to choose a threshold; ``share`` is the required precision or recall, or the threshold itself."""

    kind: RuleKind
    share: float = EVEN

    @property
    def title(self) -> str:
        """In words."""
        titles = {
            "even": "the more probable class (0.5)",
            "f1": "highest F1",
            "youden": "highest recall plus specificity (Youden)",
            "cost": "least cost",
            "precision": f"precision of at least {self.share:g}",
            "recall": f"recall of at least {self.share:g}",
            "fixed": f"the threshold {self.share:g}",
        }
        return titles.get(self.kind, "")

    @property
    def required(self) -> tuple[str, float] | None:
        """The figure that the rule requires, and its least value."""
        return (self.kind, self.share) if self.kind in ("precision", "recall") else None


def read_rule(options: DecisionOptions) -> Rule:
    """The rule that the user asked for: costs alone ask for the least cost."""
    for name, cost in (("--cost-fp", options.cost_fp), ("--cost-fn", options.cost_fn)):
        if cost is not None and not (np.isfinite(cost) and cost > 0):
            raise ParameterError(format_message("report", f"{name} must be a number above 0", actual=f"got {cost!r}"))
    text = (options.threshold or "").strip().lower()
    if not text:
        return Rule("cost") if options.has_costs else Rule("default")
    if text == "cost" and not options.has_costs:
        hint = "pellucid report ... --cost-fp 1 --cost-fn 10"
        raise ParameterError(
            format_message("report", "--threshold cost needs --cost-fp or --cost-fn", actual="got neither", hint=hint)
        )
    if text in ("f1", "cost", "youden"):
        return Rule(text)  # type: ignore[arg-type]
    name, equals, value = text.partition("=")
    kind = name.strip() if equals else "fixed"
    share = _share(value if equals else text)
    if kind not in ("precision", "recall", "fixed") or share is None:
        raise ParameterError(
            format_message("report", f"--threshold must be {RULES}", actual=f"got {options.threshold!r}")
        )
    return Rule(kind, share)  # type: ignore[arg-type]


def check_options(task: Task, options: DecisionOptions) -> None:
    """Refuses rules that cannot be read, and options of two classes for another task."""
    read_rule(options)
    asked = options.positive is not None or options.needs_two_classes
    if asked and task.kind != "two classes":
        actual = f"this task is {task.kind!r}"
        raise ParameterError(
            format_message("report", "--positive, --threshold and costs need a target of two classes", actual=actual)
        )


def _share(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < 1 else None


def rules_to_show(chosen: Rule, options: DecisionOptions) -> list[Rule]:
    """The rules of the table: the usual ones, and those that the user's options speak of."""
    rules = [Rule("even"), Rule("f1"), Rule("youden")]
    rules += [Rule("cost")] if options.has_costs else []
    rules += [Rule("precision", chosen.share if chosen.kind == "precision" else USUAL)]
    rules += [Rule("recall", chosen.share if chosen.kind == "recall" else USUAL)]
    return rules if chosen.kind in ("default", *(rule.kind for rule in rules)) else [*rules, chosen]


def threshold_of(rule: Rule, positive: Array, probability: Floats, costs: Floats | None) -> tuple[float | None, str]:
    """The threshold of a rule on out-of-fold rows, and what is to be said of it; None where no threshold does."""
    if rule.kind in ("even", "fixed"):
        return rule.share, ""
    if rule.kind == "cost":
        best = metrics.tune_threshold(positive, probability, costs=costs, pos_label=True).threshold
        return _between(best, probability), ""
    if rule.kind in ("f1", "youden"):
        metric = "f1" if rule.kind == "f1" else "balanced_accuracy"  # of which recall plus specificity is twice
        best = metrics.tune_threshold(positive, probability, metric=metric, pos_label=True).threshold
        return _between(best, probability), ""
    return _required(rule, positive, probability)


def _required(rule: Rule, positive: Array, probability: Floats) -> tuple[float | None, str]:
    """The threshold with the best recall at the required precision, or the best precision at the required recall."""
    precision, recall, thresholds = metrics.precision_recall_curve(positive, probability)
    precision, recall = precision[:-1], recall[:-1]
    enough = (precision if rule.kind == "precision" else recall) >= rule.share - 1e-12
    if rule.kind == "precision":  # that of a few rows is luck
        flagged = len(probability) - np.searchsorted(np.sort(probability), thresholds)
        enough &= flagged >= FEWEST_FLAGGED
        if not enough.any():
            reached = precision[flagged >= FEWEST_FLAGGED]
            highest = f"the highest precision is {reached.max():.2f}" if len(reached) else "there are too few"
            return None, f"no threshold that flags {FEWEST_FLAGGED} out-of-fold rows or more reaches it: {highest}"
    other = recall if rule.kind == "precision" else precision
    best = int(np.flatnonzero(enough)[np.argmax(other[enough])])
    return _between(float(thresholds[best]), probability), ""


def _between(threshold: float, probability: Floats) -> float:
    """A short number that separates the same rows: between the threshold and the next lower probability."""
    if not np.isfinite(threshold):  # no row is called positive
        return 1.0
    lower = probability[probability < threshold]
    below = float(lower.max()) if len(lower) else 0.0
    middle = (threshold + below) / 2
    for digits in range(2, 16):
        short = round(middle, digits)
        if below < short <= threshold:
            return short
    return threshold


@dataclass(frozen=True)
class Trial:
    """Rows on which a threshold is shown: which are positive, and their probabilities."""

    positive: Array
    probability: Floats

    def count(self, choice: ThresholdChoice, costs: Floats | None) -> ThresholdChoice:
        """What a choice means in these rows."""
        if choice.threshold is None:
            return choice
        flagged = self.probability >= choice.threshold
        table = metrics.confusion_matrix(self.positive, flagged, labels=[False, True])
        (_, false_alarms), (missed, caught) = table.tolist()
        n_flagged, n_positive = caught + false_alarms, caught + missed
        return replace(
            choice,
            flagged=n_flagged,
            caught=caught,
            missed=missed,
            false_alarms=false_alarms,
            precision=caught / n_flagged if n_flagged else float("nan"),
            recall=caught / n_positive if n_positive else float("nan"),
            accuracy=float((flagged == self.positive).mean()),
            cost=float("nan") if costs is None else float((table * costs).sum()),
        )
