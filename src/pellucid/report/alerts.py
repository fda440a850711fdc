"""What is wrong with the predictions of the chosen model, in sentences for the top of the page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import binom

from pellucid.base.errors import count, join_some
from pellucid.base.types import Array
from pellucid.report.calibration import unreliable_by
from pellucid.report.outcome import Decisions, HoldoutResult, Intervals, StudyResult, Task
from pellucid.report.page_text import percentage

LOW_RECALL = 0.25  # of a class
LOW_WITHOUT_GAIN = 0.5  # of a class, where the predictions are right no more often than the largest class alone
FEWEST = 5  # held-out rows of the positive class, below which its recall is not spoken of
FEW = 10  # held-out rows of one of several classes, below which its recall is not spoken of
SHIFTED = 0.1  # difference of the shares of a class, and standard errors of a share, from which on it is spoken of
CLEARLY = 5
LEAST_SHORTFALL = 0.02  # of the rows that an interval should hold, from which on it is called too narrow
NAMED = 5  # classes in one sentence


def alerts_of(outcome: StudyResult) -> list[str]:
    """Classes that are hardly ever predicted, a moved threshold, and probabilities that are not to be believed."""
    held, task = outcome.held, outcome.task
    if outcome.intervals is not None:
        return _too_narrow(outcome.intervals)
    if held is None or held.confusion is None:
        return []
    counts = np.asarray(held.confusion)
    alerts = _other_shares(task, counts, held.fitted_shares) + _never_held_out(task, counts)
    alerts += _never_predicted(task, counts, outcome.decisions)
    alerts += (
        _rare_class(task, counts, outcome.decisions) if task.kind == "two classes" else _hardly_found(task, counts)
    )
    alerts += _moved(task, outcome.decisions) + _rule_not_followed(outcome.decisions)
    alerts += _requirement_missed(outcome.decisions)
    return alerts + _unreliable(task, held)


def _too_narrow(intervals: Intervals) -> list[str]:
    """Prediction intervals that hold fewer held-out rows than they should, by more than chance and by enough to matter:
    of many rows, 89.7 % is significantly less than 90 %. Of few rows one level may show it and another not."""
    narrow = [
        row
        for row in intervals.coverage
        if row.held / row.rows <= row.level - LEAST_SHORTFALL
        and row.high < row.level
        and binom.cdf(row.held, row.rows, row.level) < 0.01
    ]
    if not narrow:
        return []
    worst = min(narrow, key=lambda row: abs(row.level - intervals.level))
    return [
        f"The prediction intervals are too narrow: those of {100 * worst.level:g} % hold {worst.held:,} of "
        f"{worst.rows:,} held-out rows, {percentage(worst.held / worst.rows, 1)}."
    ]


def _other_shares(task: Task, counts: Array, fitted: tuple[float, ...]) -> list[str]:
    """Classes that are more or less frequent among the held-out rows than among those learned from, as the last rows
    of a table may be: scores and baseline follow from these shares too."""
    if len(fitted) != len(counts):
        return []
    before, n_rows = np.array(fitted), int(counts.sum())
    now = counts.sum(axis=1) / n_rows
    error = np.sqrt(np.maximum(before * (1 - before), 1 / n_rows) / n_rows)
    shifted = np.flatnonzero(np.abs(now - before) >= np.maximum(SHIFTED, CLEARLY * error))
    order = sorted(shifted.tolist(), key=lambda k: -abs(now[k] - before[k]))
    if not order:
        return []
    listed = [f"{task.name_of(task.classes[k])} ({percentage(now[k])}, not {percentage(before[k])})" for k in order]
    return [
        "Some classes have another share of the held-out rows than of the rows learned from: "
        f"{join_some(listed, NAMED)}. "
        "Scores and baseline depend on such shares."
    ]


def _never_held_out(task: Task, counts: Array) -> list[str]:
    absent = [task.name_of(task.classes[k]) for k in np.flatnonzero(counts.sum(axis=1) == 0)]
    if not absent:
        return []
    noun = "1 class has" if len(absent) == 1 else f"{len(absent)} classes have"
    return [f"{noun} no held-out row, so the scores say nothing about {join_some(absent, NAMED)}."]


def _never_predicted(task: Task, counts: Array, decisions: Decisions | None) -> list[str]:
    rows, predicted = counts.sum(axis=1), counts.sum(axis=0)
    absent = [k for k in range(len(counts)) if rows[k] > 0 and predicted[k] == 0]
    if not absent:
        return []
    classes = join_some(
        [f"{task.name_of(task.classes[k])} ({rows[k]:,} of {rows.sum():,} rows)" for k in absent], NAMED
    )
    noun = "class is" if len(absent) == 1 else "classes are"
    return [f"{len(absent)} {noun} never predicted on the held-out rows: {classes}.{_see(decisions)}"]


def _see(decisions: Decisions | None) -> str:
    return " The table of thresholds shows what others catch." if decisions and decisions.choices else ""


def _rare_class(task: Task, counts: Array, decisions: Decisions | None) -> list[str]:
    """A positive class that is predicted, but hardly ever caught."""
    k = list(task.classes).index(task.positive)
    rows, caught, flagged = int(counts[k].sum()), int(counts[k, k]), int(counts[:, k].sum())
    if rows < FEWEST or not flagged or rows > counts.sum() / 2:
        return []
    right, largest = int(np.trace(counts)), int(counts.sum(axis=1).max())
    verb = "is" if caught == 1 else "are"
    actual = f"{caught:,} of {rows:,} held-out rows of {task.positive_name} {verb} caught"
    few = f"Only {actual}" if caught else f"None of the {rows:,} held-out rows of {task.positive_name} is caught"
    see = _see(decisions)
    if decisions is not None and decisions.cost_fp is not None and decisions.cost_fn is not None:
        return _costly(task, counts, decisions) or ([f"{few}.{see}"] if caught / rows < LOW_RECALL else [])
    useless = right <= largest
    accuracy = f"{percentage(right / counts.sum(), 1)} of all predictions are right"
    also = "also " if right == largest else ""
    floor = f"always predicting {_other(task)} would {also}be right for {percentage(largest / counts.sum(), 1)}"
    if useless and caught / rows < LOW_WITHOUT_GAIN:
        return [f"{few}, and {accuracy}, while {floor}.{see}"]
    if caught / rows < LOW_RECALL:
        return [f"{few}.{see}"]
    if useless:
        alarms = f"{flagged - caught:,} of {count(flagged, 'alarm')} are false"
        return [f"{actual[0].upper()}{actual[1:]}, and {alarms}: {accuracy}, while {floor}.{see}"]
    return []


def _costly(task: Task, counts: Array, decisions: Decisions) -> list[str]:
    """Mistakes that cost no less than those of one prediction for all rows; the user gave the costs."""
    used = next((choice for choice in decisions.choices if choice.used), None)
    if used is None or decisions.cost_fp is None or decisions.cost_fn is None:
        return []
    rows = int(counts[list(task.classes).index(task.positive)].sum())
    constant = {
        _other(task): rows * decisions.cost_fn,
        task.positive_name: (int(counts.sum()) - rows) * decisions.cost_fp,
    }
    best = min(constant, key=lambda name: constant[name])
    if used.cost < constant[best]:
        return []
    also = "also " if used.cost == constant[best] else ""
    return [
        f"On the held-out rows the mistakes cost {used.cost:,.6g}; always predicting {best} would {also}cost "
        f"{constant[best]:,.6g}.{_see(decisions)}"
    ]


def _other(task: Task) -> str:
    other = next(label for label in task.classes if label != task.positive)
    return replace(task, positive=other).positive_name


def _hardly_found(task: Task, counts: Array) -> list[str]:
    """Classes of several that are predicted, but whose rows are seldom recognized."""
    rows, right, predicted = counts.sum(axis=1), np.diag(counts), counts.sum(axis=0)
    weak = [k for k in range(len(counts)) if rows[k] >= FEW and predicted[k] > 0 and right[k] < LOW_RECALL * rows[k]]
    if not weak:
        return []
    listed = join_some([f"{task.name_of(task.classes[k])} ({right[k]:,} of {rows[k]:,} rows)" for k in weak], NAMED)
    return [f"Seldom recognized on the held-out rows: {listed}."]


def _moved(task: Task, decisions: Decisions | None) -> list[str]:
    if decisions is None or not decisions.moved:
        return []
    return [
        f"A row is predicted as {task.positive_name} if its probability is at least {decisions.threshold:.4g}, not "
        f"0.5: {decisions.reason}."
    ]


def _rule_not_followed(decisions: Decisions | None) -> list[str]:
    """The user asked for a rule that no threshold fulfills, or there was nothing to choose a threshold by."""
    if decisions is None or decisions.rule_followed:
        return []
    return [f"{decisions.reason[:1].upper()}{decisions.reason[1:]}."]


def _requirement_missed(decisions: Decisions | None) -> list[str]:
    """A precision or recall that the user required, and the held-out rows do not have."""
    used = next((choice for choice in decisions.choices if choice.used), None) if decisions is not None else None
    if used is None or used.required is None or used.flagged == 0:
        return []
    name, share = used.required
    value = used.precision if name == "precision" else used.recall
    if not value < share:
        return []
    return [
        f"A {name} of at least {share:g} was asked for and reached out of fold; on the held-out rows it is {value:.2f}."
    ]


def _unreliable(task: Task, held: HoldoutResult) -> list[str]:
    if held.reliability is None:
        return []
    distance = unreliable_by(held.reliability)
    if distance is None:
        return []
    return [
        f"The probabilities of {task.positive_name} are not to be taken literally: on the held-out rows they are "
        f"{100 * distance:.0f} percentage points off on average."
    ]
