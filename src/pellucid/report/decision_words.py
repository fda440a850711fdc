"""How predictions are decided, in sentences for the page, the model card and the command."""

from __future__ import annotations

from pellucid.report.outcome import Calibration, Decisions, StudyResult, ThresholdChoice
from pellucid.report.page_text import figures

METHODS = {"sigmoid": "calibrated by a sigmoid (Platt)", "temperature": "calibrated by a temperature"}


def decision_words(outcome: StudyResult) -> list[str]:
    """What a reader of the predictions must know: whether probabilities were calibrated, and the threshold."""
    found = outcome.decisions
    if outcome.intervals is not None:
        levels = ", ".join(f"{level:g}" for level in outcome.intervals.fitted.levels)
        return [f"It gives prediction intervals of these levels: {levels}."]
    if found is None:
        return []
    words = []
    if found.calibration.method != "none":
        words.append(f"Its probabilities are {METHODS[found.calibration.method]}.")
    if found.positive is not None:
        words.append(threshold_words(found, outcome.task.positive_name))
    return words


def threshold_words(found: Decisions, name: str) -> str:
    """From which probability on the positive class is predicted, and why.

    >>> from pellucid.report.outcome import Calibration
    >>> calibration = Calibration("none", (), "", 0.1, 0.1)
    >>> threshold_words(Decisions(calibration, 9, "bad", 0.25, "the requested rule is highest F1"), "bad")
    'A row is predicted as bad if its probability is at least 0.25: the requested rule is highest F1.'
    """
    return f"A row is predicted as {name} if its probability is at least {found.threshold:.4g}: {found.reason}."


def cost_words(found: Decisions) -> str:
    """What mistakes cost, also where one of the two is 1 because the user gave the other alone; "" without costs."""
    if found.cost_fp is None or found.cost_fn is None:
        return ""
    return f"A false alarm costs {found.cost_fp:g}, a missed row {found.cost_fn:g}."


def calibration_words(found: Calibration) -> str:
    """What was done to the probabilities, and what it changed on the out-of-fold rows."""
    reason = f"{found.reason[:1].upper()}{found.reason[1:]}"
    if found.method == "none":
        return f"The probabilities are the model's own. {reason}."
    if found.before != found.before:  # the model gives none
        return f"{reason}: log loss {figures([found.after])[0]} on the out-of-fold rows."
    before, after = figures([found.before, found.after])
    return f"{reason}: log loss {before} before and {after} after (cross-fitted)."


HEADS = ("rule", "threshold", "flagged", "caught", "missed", "false alarms", "precision", "recall", "accuracy")


def threshold_lines(outcome: StudyResult) -> list[str]:
    """What each threshold means in the held-out rows, as lines of text; none without a choice of thresholds."""
    found = outcome.decisions
    if found is None or not found.choices:
        return []
    with_costs = found.cost_fp is not None
    rows: list[tuple[str, ...]] = [(*HEADS, "cost") if with_costs else HEADS]
    rows += [_threshold_cells(choice, with_costs) for choice in found.choices]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    name = outcome.task.positive_name
    intro = f"What each threshold of the probability of {name} means in the held-out rows (* marks the one in use):"
    texts = [
        "  ".join(cell.ljust(width) if k == 0 else cell.rjust(width) for k, (cell, width) in enumerate(line))
        for line in (zip(row, widths, strict=True) for row in rows)
    ]
    costs = [cost_words(found)] if with_costs else []
    return [intro, *(f"  {text}" for text in texts), *costs]


def _threshold_cells(choice: ThresholdChoice, with_costs: bool) -> tuple[str, ...]:
    title = f"{choice.rule}{' *' if choice.used else ''}"
    if choice.threshold is None:
        return (title, *["–"] * (len(HEADS) - 1 + with_costs))
    counts = (choice.flagged, choice.caught, choice.missed, choice.false_alarms)
    shares = figures([choice.precision, choice.recall, choice.accuracy])
    cost = [f"{choice.cost:,.6g}"] if with_costs else []
    return (title, f"{choice.threshold:.4g}", *(f"{n:,}" for n in counts), *shares, *cost)
