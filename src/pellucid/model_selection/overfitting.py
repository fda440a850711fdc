"""Is a model overfitted? From rows that took no part in anything where there are some, otherwise from the folds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pellucid.base.types import Floats
from pellucid.model_selection.significance import ScoreInterval, score_interval

MATTERS = 0.1  # of the way from the baseline to a perfect score: a gap of this size matters
VAGUE = 0.2  # of the same way: an interval that reaches so far to either side says nothing
WAY = "the way from the baseline to a perfect score"

Overfitted = Literal["yes", "no", "unclear"]


@dataclass(frozen=True)
class HeldOutEvidence:
    """Scores of the model, fitted once, beside those of cross-validation; the higher the better.

    train : on the rows that it learned from
    score, low, high : on rows that took no part in anything, with a 95 % interval
    gain_low : the lower end of the 95 % interval of the improvement over the baseline on those rows
    train_baseline, baseline : what the baseline scores on both; scores are compared as shares of the way from the
        baseline to a perfect score on the same rows, as errors grow with the scale of the target
    shifted : do these rows contradict cross-validation?
    exact_train : does the model reproduce the rows that it learned from by construction, so that their score says
        nothing?
    beats_on_folds : is the model shown to beat the baseline in cross-validation, or are the other rows too few to ask?
    """

    train: float
    score: float
    low: float
    high: float
    gain_low: float
    train_baseline: float
    baseline: float
    shifted: bool = False
    beats_on_folds: bool = True
    exact_train: bool = False

    def train_share(self, perfect: float) -> float:
        """The share of the way from the baseline to a perfect score on the rows learned from."""
        return share_of_way(self.train, self.train_baseline, perfect)

    def held_out_shares(self, perfect: float) -> tuple[float, float, float]:
        """The same on the held-out rows: of the score and of the ends of its interval."""
        score, low, high = (share_of_way(one, self.baseline, perfect) for one in (self.score, self.low, self.high))
        return score, low, high


def share_of_way(score: float, baseline: float, perfect: float) -> float:
    """Where a score lies between that of the baseline, 0, and a perfect one, 1; NaN if they are the same.

    >>> share_of_way(0.8, 0.5, 1.0), share_of_way(-5.0, -20.0, 0.0)
    (0.6000000000000001, 0.75)
    """
    return (score - baseline) / (perfect - baseline) if perfect > baseline else float("nan")


def percent_of_way(share: float) -> str:
    """A share in percent; one that is not the whole way is not rounded to it.

    >>> percent_of_way(0.1234), percent_of_way(-0.0001), percent_of_way(0.9999), percent_of_way(1.0)
    ('12.3 %', '0.0 %', '> 99.9 %', '100.0 %')
    """
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{round(100 * share, 1) + 0.0:.1f} %"


@dataclass(frozen=True)
class FoldGaps:
    """What cross-validation says of the gap between rows learned from and others.

    seen, unseen : by fold, what rows score with models that learned from them, and with the one that did not
    same_rows : are both scores of the same rows, so that a fold of hard rows is no gap? Otherwise ``seen`` is the score
        of the rows that the model of the fold learned from
    test_scores, test_share : of cross-validation
    train_is_better : does the model of each fold score better on its training rows than on the rows held out?
    baseline, perfect : the ends of the way that gaps are measured by
    """

    seen: Floats
    unseen: Floats
    same_rows: bool
    test_scores: Floats
    test_share: float
    train_is_better: bool
    baseline: float
    perfect: float

    @property
    def way(self) -> float:
        """From the baseline to a perfect score."""
        return max(self.perfect - self.baseline, 0.0)

    @property
    def shares(self) -> tuple[float, float]:
        """The mean scores of both kinds as shares of the way."""
        seen, unseen = (
            share_of_way(float(part.mean()), self.baseline, self.perfect) for part in (self.seen, self.unseen)
        )
        return seen, unseen

    @property
    def interval(self) -> ScoreInterval:
        """The mean gap with a 95 % interval."""
        return score_interval(self.seen - self.unseen, self.test_share)

    @property
    def in_every_fold(self) -> bool:
        """One terrible fold widens the interval until it says nothing; that every fold is worse says it still."""
        return len(self.seen) >= 5 and self.train_is_better

    @property
    def overfitted(self) -> Overfitted:
        """A gap that matters and is more than chance, none, or neither is known."""
        gap, size = self.interval, MATTERS * self.way
        if gap.mean > size:
            return "yes" if gap.low > 0 or self.in_every_fold else "unclear"
        large, known = VAGUE * self.way, score_interval(self.test_scores, self.test_share)
        is_vague = (gap.low <= 0 and gap.high > large) or (known.high - known.low) / 2 > large
        return "unclear" if is_vague else "no"

    def reasons(self) -> list[str]:
        """The scores, their gap, and what follows."""
        lines, gap = [self._scores()], self.interval
        matters = f"{MATTERS * self.way:.4g}, a tenth of {WAY}"
        if self.overfitted == "unclear":
            return [*lines, "the intervals are too wide to tell whether it is overfitted"]
        if self.overfitted == "no":
            return [*lines, f"the gap is less than {matters}"]
        in_each = f"rows held out score worse in each of {len(self.test_scores)} folds"
        return [
            *lines,
            f"the gap is more than {matters}, and {'its interval lies above 0' if gap.low > 0 else in_each}",
        ]

    def _scores(self) -> str:
        """The two scores and their gap, with decimals that a reader can subtract."""
        gap, means = self.interval, (float(self.seen.mean()), float(self.unseen.mean()))
        decimals = _decimals(*means)
        seen, unseen = (round(mean, decimals) for mean in means)
        texts = [f"{one:.{decimals}f}" for one in (seen, unseen, seen - unseen, gap.low, gap.high)]
        if self.same_rows:
            folds = f"the rows of {len(self.seen)} folds score"
            pair = f"{folds} {texts[0]} with models that learned from them and {texts[1]} with the one that did not"
        else:
            pair = f"mean score of the folds on the rows learned from: {texts[0]}, on rows held out: {texts[1]}"
        return f"{pair}: a gap of {texts[2]} (95 % interval {texts[3]} to {texts[4]})"


@dataclass(frozen=True)
class HeldOutGap:
    """What a model that was fitted once scores on the rows it learned from and on the held-out rows, which decide."""

    evidence: HeldOutEvidence
    folds: FoldGaps
    perfect: float

    @property
    def overfitted(self) -> Overfitted:
        """Only where the held-out rows say so and cross-validation does not deny it, as they may score worse by chance,
        or because they differ. A gap that cross-validation shows, and that they neither show nor exclude, leaves it
        open."""
        one, train = self.evidence, self.evidence.train_share(self.perfect)
        score, low, high = one.held_out_shares(self.perfect)
        in_folds = self.folds.overfitted == "yes"
        if train - score > MATTERS:
            agrees = in_folds if one.shifted else self.folds.overfitted != "no"
            return "yes" if self._is_excluded and agrees else "unclear"
        if not high - low <= 2 * VAGUE:
            return "unclear"
        return "no" if train - low <= (MATTERS if in_folds else VAGUE) else "unclear"

    @property
    def _is_excluded(self) -> bool:
        """Does the interval of the held-out score exclude the score on the rows learned from?"""
        high = self.evidence.held_out_shares(self.perfect)[2]
        return self.evidence.train > self.evidence.high and self.evidence.train_share(self.perfect) > high

    def reasons(self) -> list[str]:
        """The scores as shares of the way, and what follows."""
        return [*self.scores(), *self._conclusion()]

    def scores(self) -> list[str]:
        """The two scores as shares of the way."""
        train = self.evidence.train_share(self.perfect)
        shares = self.evidence.held_out_shares(self.perfect)
        if not math.isfinite(train + sum(shares)):
            return []
        texts = [percent_of_way(share) for share in (train, *shares)]
        interval = f"95 % interval {texts[2]} to {texts[3]}"
        covered = f"{texts[0]} of {WAY} on the rows learned from, and {texts[1]} on the held-out rows ({interval})"
        return [f"fitted once, the model covers {covered}"]

    def _conclusion(self) -> list[str]:
        if self.evidence.exact_train and self.overfitted != "no":
            return ["the rows that the model learned from predict themselves: their score says nothing"]
        if self.overfitted == "yes":
            return [
                "the gap is more than a tenth of the way, and the interval excludes the score on the rows learned from"
            ]
        if self.overfitted == "no":
            gap = self.evidence.train_share(self.perfect) - self.evidence.held_out_shares(self.perfect)[0]
            worse = "the gap is at most a tenth of the way"
            return [worse if gap > 0 else "the held-out rows do not score worse than the rows learned from"]
        seen, unseen = (percent_of_way(share) for share in self.folds.shares)
        pair = f"{seen} on rows that their models learned from, {unseen} on rows held out"
        if self.folds.overfitted == "yes":
            actual = f"the folds of cross-validation show a gap, {pair}: it is neither confirmed nor excluded"
            return ["the held-out rows leave open whether it is overfitted", actual]
        if self._is_excluded and self.folds.overfitted == "no":
            return [f"the folds of cross-validation do not show a gap of this size: {pair}"]
        return ["the held-out rows leave open whether it is overfitted"]


def _decimals(*values: float) -> int:
    """With which the largest value has four digits."""
    most = max(abs(value) for value in values)
    return max(0, 3 - math.floor(math.log10(most))) if most > 0 and math.isfinite(most) else 0
