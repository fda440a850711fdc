"""What is wrong with a model: too simple, too flexible, or fine; and whether more rows would help."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from pellucid.base.types import Floats
from pellucid.metrics.scorers import check_scoring
from pellucid.model_selection._folds import read_folds
from pellucid.model_selection.comparison import baseline_for
from pellucid.model_selection.curves import LearningCurve, learning_curve
from pellucid.model_selection.significance import ScoreInterval, corrected_t_test, score_interval
from pellucid.model_selection.validation import Validation, cross_validate

__all__ = ["Diagnosis", "HeldOutEvidence", "diagnose"]

TOO_SIMPLE = (
    "more or better columns (powers, products, other sources)",
    "a more flexible model, or less regularization",
)
TOO_FLEXIBLE = (
    "fewer columns, or a simpler model",
    "more regularization, or stopping earlier",
    "cleaner data: look at the worst rows for errors and outliers",
    "an average of many models (bagging, a forest)",
)
MET = "more rows will not help: the learning curve is flat"
MORE_ROWS = "more rows"

MATTERS = 0.1  # of the way from the baseline to a perfect score: a gap of this size matters
VAGUE = 2  # times that size: an interval that reaches so far to either side says nothing
HELPS = 0.02  # of the same way: gain for twice the rows, from which on more rows help, and below which they do not
FEW_ROWS = 200
N_SIZES = 5  # points of the learning curve
LEAST_SHARE = 0.1  # of the training rows, at its first point
RULE = (
    "The rule, with sizes as shares of the way from the baseline to a perfect score. Overfitted: rows that were "
    "learned from score better than others, the held-out rows among them, by more than a tenth and more than chance. "
    "Underfitted: less than half of the way even on the rows learned from; limited by the columns, if more flexible "
    "models are no better. "
    "Distribution shift: the held-out rows score worse than cross-validation, by more than a tenth and more than "
    "chance. Nothing learned: not shown to beat the baseline. Cannot tell: the intervals hold both no gap and two "
    "tenths. Well fitted: none of these. The learning curve rises or is flat as the 95 % interval of the gain for "
    "twice the rows says."
)
Trend = Literal["rising", "flat", "unclear"]


@dataclass(frozen=True)
class HeldOutEvidence:
    """Scores of the model, fitted once, beside those of cross-validation; the higher the better.

    train : on the rows that it learned from
    score, low, high : on rows that took no part in anything, with a 95 % interval
    gain_low : the lower end of the 95 % interval of the improvement over the baseline on those rows
    train_baseline, baseline : what the baseline scores on both; where scores are errors (perfect is 0), the training
        score is taken to the scale of the other rows by them
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


@dataclass(frozen=True)
class Diagnosis:
    """The verdict and the figures behind it.

    verdict : "nothing learned", "underfitted", "limited by the columns", "overfitted", "under- and overfitted",
        "distribution shift", "well fitted" or "cannot tell"; see `diagnose`
    train, test, baseline : mean scores on the rows fitted, on the rows held out in cross-validation, and of the
        baseline on those
    gap : what rows score with models that have seen them, less what they score with the one that has not;
        gap_low : the lower end of its 95 % interval
    trend : whether the score on held-out rows still rises with the number of rows, as the learning curve shows
    per_doubling : the gain for twice the rows, with the ends of its 95 % interval: low, mean, high
    reasons, remedies : sentences
    evidence : scores on rows that took no part in cross-validation, where they were given
    n_folds, n_rows : of the cross-validation
    """

    verdict: str
    train: float
    test: float
    baseline: float
    gap: float
    gap_low: float
    trend: Trend
    per_doubling: tuple[float, float, float]
    reasons: list[str]
    remedies: list[str] = field(default_factory=list)
    curve: LearningCurve | None = None
    evidence: HeldOutEvidence | None = None
    n_folds: int = 0
    n_rows: int = 0

    def __str__(self) -> str:
        lines = [f"Verdict: {self.verdict}.", "", *(f"- {reason}" for reason in self.reasons)]
        if self.remedies:
            lines += ["", "What may help:", *(f"- {remedy}" for remedy in self.remedies)]
        return "\n".join(lines)


def diagnose(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    target: float | None = None,
    perfect: float = 1.0,
    baseline: Any = None,
    evidence: HeldOutEvidence | None = None,
    flexible_tried: bool = False,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Diagnosis:
    """Says whether a model is too simple, too flexible or well fitted, with the figures that say so.

    Scores are taken by cross-validation, on the rows fitted (train) and held out (test), and for a baseline that looks
    at the target alone. Sizes are measured by ``R``, the way from the baseline to a ``perfect`` score. The gap of a
    fold is what its rows score with the models of the other folds, which have seen them, less what they score with its
    own, which has not. With ``evidence``, the same is asked of a model that was fitted once, and of rows that took no
    part in anything. The first of these that holds is the verdict:

    - *nothing learned*: the model is not shown to beat the baseline on the rows of the evidence; without evidence, it
      does not beat it on rows held out, or gains less than ``R / 10`` and not significantly (corrected t-test over the
      folds, 5 %). Unless it is overfitted and good on the rows fitted: then it has learned, by heart. Where
      cross-validation beats the baseline and the evidence does not confirm it, the verdict is *cannot tell*;
    - *overfitted*: the gap is more than ``R / 10`` and more than chance: its 95 % interval (corrected for common
      training rows) lies above 0, or each of five folds or more scores worse than the rows fitted. With evidence, the
      gap between the training rows and the rows of the evidence must be of that size too, and may be more than chance
      in place of the other one;
    - *distribution shift*: the evidence contradicts cross-validation (``evidence.shifted``);
    - *underfitted*: the train score misses ``target``, or, without one, half of the way to a perfect score. With
      ``flexible_tried`` this is *limited by the columns*, as more flexible models are no better. A model that misses a
      ``target`` and is overfitted is *under- and overfitted*;
    - *cannot tell*: the interval of the gap holds both 0 and ``R / 5``, or that of the score on held-out rows reaches
      further than ``R / 5`` to either side. With evidence, its interval is asked instead of that of the folds, which
      may differ from each other for other reasons than few rows, and ``R`` is measured on its rows;
    - *well fitted*: none of these.

    The learning curve has five sizes from a tenth of the training rows to all of them, equal steps of the logarithm. A
    least-squares line through the scores of its last points (from a quarter of the rows on) against ``log2(rows)``
    gives each fold's gain for twice the rows; the interval over the folds decides whether more rows would help.

    Parameters
    ----------
    model, X, y, scoring, groups, n_jobs : as in `cross_validate`; the higher the score the better
    cv : number of folds, of shuffled rows, or a splitter
    target : the score that is wanted
    perfect : the best score there is, 1 for R² and accuracy
    baseline : the unfitted model that must be beaten; by default the mean, or the most frequent class
    evidence : scores of the model on rows that took no part in cross-validation
    flexible_tried : whether more flexible models were tried and are no better

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.linear_model import LinearRegression
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> found = diagnose(LinearRegression(), x, x[:, 0] ** 2 + x[:, 0] / 2)  # a line through a parabola
    >>> found.verdict, len(found.curve.train_sizes)
    ('underfitted', 5)
    """
    X, y, folds = read_folds("diagnose", model, X, y, groups, cv, random_state, least=2)
    common: dict[str, Any] = {"cv": folds, "scoring": scoring, "n_jobs": n_jobs}
    raising = {**common, "error_score": "raise"}
    found = cross_validate(model, X, y, return_train_score=True, return_estimator=True, **raising)
    base = cross_validate(
        baseline_for(model) if baseline is None else baseline, X, y, return_train_score=True, **raising
    )
    n_classes = len(np.unique(np.asarray(y))) if is_classifier(model) else 1
    curve = _curve(model, X, y, folds, found, n_classes, random_state, common)
    scores = _Scores(found, base, _gaps(found, X, y, folds, scoring), curve, len(y))
    return _diagnosis(scores, _Goal(target, perfect, flexible_tried), evidence)


def _curve(
    model: Any, X: Any, y: Any, folds: Any, found: Validation, n_classes: int, random_state: Any, common: dict[str, Any]
) -> LearningCurve:
    """Scores at five numbers of training rows; the last is that of cross-validation where all folds are as large."""
    sizes = [len(train) for train, _ in folds]
    most = min(sizes)
    least = min(most, max(round(LEAST_SHARE * most), 10, 3 * n_classes))
    asked = np.unique(np.round(np.geomspace(least, most, N_SIZES)).astype(int))
    equal = max(sizes) - most <= 1 and len(asked) > 1
    chosen = asked[:-1] if equal else asked
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that few rows are few
        curve = learning_curve(model, X, y, train_sizes=chosen, shuffle=True, random_state=random_state, **common)
    train, test, times, more = curve.train_scores, curve.test_scores, curve.fit_times, curve.score_times
    if equal:
        last = [found[key][None] for key in ("train_score", "test_score", "fit_time", "score_time")]
        train, test, times, more = (np.vstack(pair) for pair in zip((train, test, times, more), last, strict=True))
    else:
        asked = curve.train_sizes
    known = np.isfinite(test).all(axis=1)  # few rows may lack a class, which then cannot be scored
    return LearningCurve(asked[known], train[known], test[known], times[known], more[known])


def _gaps(found: Validation, X: Any, y: Any, folds: Any, scoring: Any) -> Floats:
    """What the rows of a fold score with the models that have seen them, less what they score with the one that has
    not: both look at the same rows, so that a fold of hard rows is no gap. Train less test where nobody has seen them.
    """
    score, gaps = check_scoring(found["estimator"][0], scoring), []
    for k, (_, held) in enumerate(folds):
        rows, target = _safe_indexing(X, held), _safe_indexing(y, held)
        seen = [
            model for model, (train, _) in zip(found["estimator"], folds, strict=True) if np.isin(held, train).all()
        ]
        if seen:
            gaps.append(np.mean([score(model, rows, target) for model in seen]) - found["test_score"][k])
    return np.array(gaps) if len(gaps) > 1 else np.asarray(found["train_score"] - found["test_score"])


@dataclass(frozen=True)
class _Scores:
    """What was measured: the model and the baseline on the folds, the gaps, the learning curve; of how many rows."""

    found: Validation
    base: Validation
    gaps: Floats
    curve: LearningCurve
    n_rows: int


@dataclass(frozen=True)
class _Goal:
    """What is wanted: a score, or half of the way to a perfect one."""

    target: float | None
    perfect: float
    flexible_tried: bool


def _diagnosis(scores: _Scores, goal: _Goal, evidence: HeldOutEvidence | None) -> Diagnosis:
    found, base = scores.found, scores.base
    train, test, baseline = (
        float(part.mean()) for part in (found["train_score"], found["test_score"], base["test_score"])
    )
    way = max(goal.perfect - float(base["train_score"].mean()), 0.0)
    gap = score_interval(scores.gaps, found.test_share)
    fit = _Fit(scores, evidence, MATTERS * way, gap, goal.perfect)
    per_doubling = _per_doubling(scores.curve, found.test_share)
    trend = _trend(per_doubling, way, max(goal.perfect - test, 0.0))
    wanted = baseline + 0.5 * (goal.perfect - baseline) if goal.target is None else goal.target
    seen = train if evidence is None else evidence.train
    under, over = seen < wanted, fit.is_over
    learned = _learned(scores, goal, evidence)
    verdict = _verdict(learned, under, over, fit, goal)
    reasons = [
        f"score on the rows fitted {train:.4g}, on rows held out {test:.4g}, of the baseline {baseline:.4g}",
        f"gap on the same rows {gap.mean:.4g} (95 % interval {gap.low:.4g} to {gap.high:.4g})",
        *fit.reasons(verdict),
        *_learned_reasons(learned, scores, evidence),
    ]
    if under:
        goal_words = f"the target {wanted:.4g}" if goal.target is not None else f"half of the way, {wanted:.4g}"
        cause = (
            "more flexible models are no better" if goal.flexible_tried else "too simple, or the columns say no more"
        )
        reasons.append(f"even on the rows fitted it misses {goal_words}: {cause}")
    low, mean, high = per_doubling
    if trend != "unclear":
        helps = "more may help" if trend == "rising" else "more will hardly help"
        reasons.append(f"twice the rows raise the score by {mean:.4g} (95 % interval {low:.4g} to {high:.4g}): {helps}")
    remedies = _remedies(verdict, trend, _is_average(found["estimator"][0]))
    return Diagnosis(
        verdict,
        train,
        test,
        baseline,
        gap.mean,
        gap.low,
        trend,
        per_doubling,
        reasons,
        remedies,
        scores.curve,
        evidence,
        len(found["test_score"]),
        scores.n_rows,
    )


@dataclass(frozen=True)
class _Fit:
    """How much better the rows fitted score than others, and whether that is known; ``size`` is what matters."""

    scores: _Scores
    evidence: HeldOutEvidence | None
    size: float
    gap: ScoreInterval
    perfect: float

    @property
    def in_every_fold(self) -> bool:
        """One terrible fold widens the interval until it says nothing; that every fold is worse says it still."""
        found = self.scores.found
        return len(self.scores.gaps) >= 5 and bool((found["train_score"] > found["test_score"]).all())

    @property
    def is_over(self) -> bool:
        one = self.evidence
        if one is not None and not one.shifted and self._comparable_train(one) - one.score <= self._size_of(one):
            return False  # the rows that took no part in anything do not show it
        by_folds = self.gap.mean > self.size and (self.gap.low > 0 or self.in_every_fold)
        return by_folds or self._over_by_evidence

    @property
    def _over_by_evidence(self) -> bool:
        one = self.evidence
        if one is None or one.shifted:
            return False
        return self._comparable_train(one) - one.score > self._size_of(one) and self._comparable_train(one) > one.high

    def _comparable_train(self, one: HeldOutEvidence) -> float:
        """The training score on the scale of the held-out rows: errors grow with the scale of the target."""
        if self.perfect != 0 or one.train_baseline >= 0:
            return one.train
        return one.train * one.baseline / one.train_baseline

    def _size_of(self, one: HeldOutEvidence) -> float:
        return MATTERS * max(self.perfect - one.baseline, 0.0)

    @property
    def is_exact(self) -> bool:
        """Does the score on the rows fitted say nothing?"""
        return self.evidence is not None and self.evidence.exact_train

    @property
    def is_vague(self) -> bool:
        """Do the intervals hold both no gap and a large one?"""
        large, one = VAGUE * self.size, self.evidence
        if one is not None:
            large, train = VAGUE * self._size_of(one), self._comparable_train(one)
            return (one.high - one.low) / 2 > large or (train <= one.high and train - one.low > large)
        known = score_interval(self.scores.found["test_score"], self.scores.found.test_share)
        return (self.gap.low <= 0 and self.gap.high > large) or (known.high - known.low) / 2 > large

    def reasons(self, verdict: str) -> list[str]:
        """What was found about the gap."""
        one, matters = self.evidence, f"{self.size:.4g}, the size that matters here"
        lines = []
        if one is not None:
            held_out = f"{one.score:.4g} on the held-out rows (95 % interval {one.low:.4g} to {one.high:.4g})"
            lines.append(f"fitted once: {one.train:.4g} on the rows learned from, {held_out}")
        if verdict == "cannot tell" and self.is_exact:
            lines.append("the model reproduces the rows that it learned from by construction: their score says nothing")
        elif verdict == "cannot tell" and self.is_vague:
            few = "there are too few rows" if self.scores.n_rows < FEW_ROWS else "scores vary between rows"
            lines.append(f"the intervals are too wide to tell whether it is overfitted: {few}")
        elif self.is_over:
            how = (
                "by more than chance"
                if self.gap.low > 0 or self._over_by_evidence
                else f"in each of {len(self.scores.gaps)} folds"
            )
            lines.append(f"it does better on the rows that it has seen, {how}, and by more than {matters}")
        elif verdict == "distribution shift":
            lines.append(
                "the held-out rows score worse than cross-validation, by more than chance: they differ from it"
            )
        elif verdict in ("well fitted", "limited by the columns", "underfitted"):
            lines += self._why_not_over()
        return lines

    def _why_not_over(self) -> list[str]:
        """Why it is not called overfitted: the gap is too small, or no more than chance. Rows that took no part in
        anything decide, whatever models of fewer rows do in cross-validation."""
        one = self.evidence
        if one is None or one.shifted:
            small = f"less than {self.size:.4g}, the size that matters here"
            return [f"the gap is {small if self.gap.mean <= self.size else 'not more than chance'}"]
        train = self._comparable_train(one)
        lines = []
        if not np.isclose(train, one.train, rtol=0.05):
            lines.append(
                f"the baseline scores {one.train_baseline:.4g} on the rows learned from and {one.baseline:.4g} on the "
                f"held-out rows: on their scale the score on the rows learned from is {train:.4g}"
            )
        gap, matters = train - one.score, self._size_of(one)
        if gap > matters:
            return [*lines, f"the gap to the held-out rows, {gap:.4g}, is not more than chance"]
        better = (
            "they do not score worse than" if gap <= 0 else f"the gap to them, {gap:.4g}, is less than {matters:.4g},"
        )
        what = "the rows learned from" if gap <= 0 else "the size that matters here"
        lines.append(f"the held-out rows decide: {better} {what}")
        return lines


Learned = Literal["yes", "no", "not confirmed"]


def _learned(scores: _Scores, goal: _Goal, evidence: HeldOutEvidence | None) -> Learned:
    """Is the model shown to beat the baseline?"""
    if evidence is None:
        found, base = scores.found, scores.base
        gain = float(found["test_score"].mean() - base["test_score"].mean())
        test = corrected_t_test(found["test_score"], base["test_score"], found.test_share)
        small = gain < MATTERS * (goal.perfect - float(base["test_score"].mean()))
        return "yes" if gain > 0 and not (test.p_value >= 0.05 and small) else "no"
    if evidence.gain_low > 0:
        return "yes"
    return "not confirmed" if evidence.beats_on_folds else "no"


def _learned_reasons(learned: Learned, scores: _Scores, evidence: HeldOutEvidence | None) -> list[str]:
    if learned == "yes":
        return []
    if learned == "not confirmed":
        return ["the held-out rows do not show that it beats the baseline"]
    if evidence is not None:
        return ["it is not shown to be better than the baseline on the held-out rows"]
    found, base = scores.found, scores.base
    if found["test_score"].mean() <= base["test_score"].mean():
        return ["on rows held out it is no better than the baseline"]
    test = corrected_t_test(found["test_score"], base["test_score"], found.test_share)
    return [f"it is not significantly better than the baseline (p = {test.p_value:.3g})"]


def _verdict(learned: Learned, under: bool, over: bool, fit: _Fit, goal: _Goal) -> str:
    if learned == "no" and (under or not over):
        return "nothing learned"
    if learned == "not confirmed":
        return "cannot tell"
    if over and fit.is_exact:
        return "cannot tell"
    if over:
        return "under- and overfitted" if under and goal.target is not None else "overfitted"
    if fit.evidence is not None and fit.evidence.shifted:
        return "distribution shift"
    if under:
        return "limited by the columns" if goal.flexible_tried and goal.target is None else "underfitted"
    return "cannot tell" if fit.is_vague else "well fitted"


def _per_doubling(curve: LearningCurve, test_share: float) -> tuple[float, float, float]:
    """The gain for twice the rows, low, mean and high: slopes of the last part of the curve, one per fold."""
    sizes = np.asarray(curve.train_sizes, dtype=np.float64)
    last = sizes >= sizes.max(initial=0) / 4
    if last.sum() < 3:
        return float("nan"), float("nan"), float("nan")
    x = np.log2(sizes[last])
    x = x - x.mean()
    slopes = (x[:, None] * curve.test_scores[last]).sum(axis=0) / (x**2).sum()
    found = score_interval(slopes, test_share)
    return found.low, found.mean, found.high


def _trend(per_doubling: tuple[float, float, float], way: float, left: float) -> Trend:
    """A gain that is larger than what is ``left`` up to a perfect score is that of the first rows: it cannot go on."""
    low, mean, high = per_doubling
    if low > 0 and HELPS * way <= mean <= left:
        return "rising"
    return "flat" if high < HELPS * way else "unclear"


def _is_average(model: Any) -> bool:
    """Is this, or the last step of this pipeline, an average of many models already, such as a forest?"""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    parameters = last.get_params(deep=False) if hasattr(last, "get_params") else {}
    return "n_estimators" in parameters and "learning_rate" not in parameters


def _remedies(verdict: str, trend: Trend, is_average: bool) -> list[str]:
    rows = [MORE_ROWS] if trend == "rising" else [MET] if trend == "flat" else []
    if verdict in ("underfitted", "limited by the columns"):
        return [*TOO_SIMPLE[: 1 if verdict == "limited by the columns" else 2], *rows]
    if verdict in ("overfitted", "under- and overfitted"):
        return [*([MORE_ROWS] if trend != "flat" else [MET]), *TOO_FLEXIBLE[: -1 if is_average else None]]
    if verdict == "nothing learned":
        return ["other columns: these say little about the target", *rows]
    if verdict == "distribution shift":
        return ["newer rows to learn from, or columns that explain what changed"]
    return ["more rows, for narrower intervals"] if verdict == "cannot tell" else []
