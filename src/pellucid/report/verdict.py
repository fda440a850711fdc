"""What the held-out rows say about the chosen model: decided once, from intervals; every sentence follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from pellucid.model_selection import score_interval
from pellucid.report.outcome import HoldoutResult, Metric, MetricValue

Conclusion = Literal["better", "not shown", "worse", "too few rows"]
FEWEST_ROWS = 8  # held-out rows, below which an interval is not to be trusted
FEWEST_UNITS = 4  # the same of groups or blocks
MATTERS = 0.1  # of the way from the baseline to a perfect score: the smallest disagreement that is mentioned


@dataclass(frozen=True)
class Verdict:
    """The chosen model against the baseline, on the held-out rows.

    conclusion : "better" or "worse" where the 95 % interval of the paired difference excludes 0, "not shown" where it
        does not, "too few rows" where the rows do not allow an interval
    shift : "worse" or "better" where the held-out score and the scores of cross-validation contradict each other; ""
        where they do not
    """

    conclusion: Conclusion
    shift: Literal["", "worse", "better"] = ""

    @property
    def is_better(self) -> bool:
        """Is the model shown to beat the baseline?"""
        return self.conclusion == "better"


def verdict_of(
    held: HoldoutResult, measure: Metric, fold_scores: Sequence[float], test_share: float, *, at_random: bool = False
) -> Verdict:
    """The verdict from the first figure on the held-out rows and the scores of the same model in cross-validation.

    Parameters
    ----------
    fold_scores : for the reader (see `Measure.read`), one for each fold
    test_share : rows of a fold for each row that its model learned from
    at_random : whether the held-out rows were drawn at random. Then they can score worse than cross-validation, as the
        model was chosen by it, but better by chance only
    """
    first, conclusion = held.figures[0], conclusion_of(held.figures[0], held)
    shift = shift_of(first, measure, fold_scores, test_share)
    by_chance = at_random and (shift == "better" or conclusion == "too few rows")
    return Verdict(conclusion, "" if by_chance else shift)


def conclusion_of(first: MetricValue, held: HoldoutResult) -> Conclusion:
    """From the interval of the paired difference, model better than baseline above 0."""
    return conclusion_of_gain(first.gain_low, first.gain_high, held.unit, held.n_units)


def conclusion_of_gain(low: float, high: float, unit: str, n_units: int) -> Conclusion:
    """From the 95 % interval of an improvement, on so many independent units."""
    fewest = FEWEST_ROWS if unit == "row" else FEWEST_UNITS
    if n_units < fewest or not (isfinite(low) and isfinite(high)):
        return "too few rows"
    if low > 0:
        return "better"
    return "worse" if high < 0 else "not shown"


def shift_of(
    first: MetricValue, measure: Metric, fold_scores: Sequence[float], test_share: float
) -> Literal["", "worse", "better"]:
    """Do cross-validation and the held-out rows contradict each other?

    They do if the held-out score lies beyond the scores of all folds, the two 95 % intervals have nothing in common
    (that of the folds is corrected for common training rows, as in `score_interval`), and the difference is more than a
    tenth of the way from the baseline to a perfect score.
    """
    if len(fold_scores) < 2 or not isfinite(first.low) or not isfinite(first.high):
        return ""
    folds = score_interval(fold_scores, test_share)
    if abs(first.value - folds.mean) <= MATTERS * abs(measure.perfect - first.baseline):
        return ""
    above = first.low > folds.high and first.value > max(fold_scores)
    below = first.high < folds.low and first.value < min(fold_scores)
    if not (above or below):
        return ""
    return "better" if above == (measure.sign > 0) else "worse"
