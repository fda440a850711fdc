"""How predictions are decided, in sentences for the page, the model card and the command."""

from __future__ import annotations

from pellucid.report.outcome import Calibration, Decisions, Outcome
from pellucid.report.page_text import figures

METHODS = {"sigmoid": "calibrated by a sigmoid (Platt)", "temperature": "calibrated by a temperature"}


def decision_words(outcome: Outcome) -> list[str]:
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
    >>> threshold_words(Decisions(calibration, 9, "bad", 0.25, "you asked for highest F1"), "bad")
    'A row is predicted as bad from a probability of 0.25 on: you asked for highest F1.'
    """
    return f"A row is predicted as {name} from a probability of {found.threshold:.4g} on: {found.reason}."


def calibration_words(found: Calibration) -> str:
    """What was done to the probabilities, and what it changed on the out-of-fold rows."""
    reason = f"{found.reason[:1].upper()}{found.reason[1:]}"
    if found.method == "none":
        return f"The probabilities are the model's own. {reason}."
    if found.before != found.before:  # the model gives none
        return f"{reason}: log loss {figures([found.after])[0]} on the out-of-fold rows."
    before, after = figures([found.before, found.after])
    return f"{reason}: log loss {before} before and {after} after (cross-fitted)."
