"""What is wrong with a model: too simple, too flexible, or fine; and whether more rows would help."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from pellucid.metrics.scorers import check_scoring
from pellucid.model_selection._folds import read_folds
from pellucid.model_selection.comparison import baseline_for
from pellucid.model_selection.curves import LearningCurve, learning_curve
from pellucid.model_selection.overfitting import (
    MATTERS,
    WAY,
    FoldGaps,
    HeldOutEvidence,
    HeldOutGap,
    percent_of_way,
    share_of_way,
)
from pellucid.model_selection.significance import corrected_t_test, score_interval
from pellucid.model_selection.validation import CVResult, cross_validate

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
MORE_ROWS = "more rows"

HALF = 0.5  # of the way from the baseline to a perfect score: a model that covers less of it is too simple
HELPS = 0.02  # of the same way: gain for twice the rows, from which on more rows help, and below which they do not
N_SIZES = 5  # points of the learning curve
LEAST_SHARE = 0.1  # of the training rows, at its first point
RULE = (
    "The rule, with sizes as shares of the way from the baseline to a perfect score. Nothing learned: neither "
    "cross-validation nor the held-out rows, which are enough to tell, show that it beats the baseline. Overfitted: "
    "the rows learned from score better than the held-out rows by more than a tenth, the 95 % interval of the held-out "
    "score excludes theirs, and the folds of cross-validation do not contradict. Distribution shift: the held-out rows "
    "score worse than cross-validation, by more than a tenth and more than chance. Underfitted: less than half of the "
    "way even on the rows learned from; limited by the columns, if no more flexible model that was tried is better. "
    "Cannot tell: too few rows are held out, or the scores leave it open. Well fitted: none of these."
)
Learned = Literal["yes", "no", "not confirmed"]
Trend = Literal["rising", "flat", "unclear"]


@dataclass(frozen=True)
class Diagnosis:
    """The verdict and the figures behind it.

    verdict : "nothing learned", "underfitted", "limited by the columns", "overfitted", "under- and overfitted",
        "distribution shift", "well fitted" or "cannot tell"; see `diagnose`
    train, test, baseline : mean scores of the folds on the rows fitted, on the rows held out in cross-validation, and
        of the baseline on those
    gap : over the folds, what rows score with models that learned from them, less what they score with the one that
        did not; gap_low : the lower end of its 95 % interval
    trend : whether the score on held-out rows still rises with the number of rows, as the learning curve shows
    per_doubling : the gain for twice the rows, with the ends of its 95 % interval: low, mean, high
    reasons, remedies : sentences
    evidence : scores on rows that took no part in cross-validation, where they were given
    n_folds, n_rows : of the cross-validation
    nearly_perfect : is the trend flat because there is hardly anything left to gain?
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
    nearly_perfect: bool = False

    @property
    def last_sizes(self) -> tuple[int, int]:
        """Between which numbers of rows the gain per doubling was measured; none without a curve."""
        if self.curve is None:
            return 0, 0
        sizes = np.asarray(self.curve.train_sizes)[_last_part(self.curve)]
        return int(sizes[0]), int(sizes[-1])

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

    Scores are taken by cross-validation, on the rows fitted and held out, and for a baseline that looks at the target
    alone. Sizes are shares of the way from the baseline to a ``perfect`` score. The gap of a fold is what its rows
    score with the models of the other folds, which learned from them, less what they score with its own, which did
    not. With ``evidence``, a model that was fitted once is scored on the rows that it learned from and on rows that
    took no part in anything, and these decide. The first of these that holds is the verdict:

    - *nothing learned*: the model is not shown to beat the baseline on the rows of the evidence; without evidence, it
      does not beat it on rows held out, or gains less than a tenth and not significantly (corrected t-test over the
      folds, 5 %). Unless it is overfitted and good on the rows fitted: then it has learned, by heart. Where
      cross-validation beats the baseline and the evidence does not confirm it, the verdict is *cannot tell*;
    - *overfitted*: the gap of the folds is more than a tenth and more than chance: its 95 % interval (corrected for
      common training rows) lies above 0, or each of five folds or more scores worse than the rows fitted. With
      evidence, the rows learned from score better than the others by more than a tenth, the 95 % interval of the others
      excludes their score, and the folds do not show the gap to be less;
    - *distribution shift*: the evidence contradicts cross-validation (``evidence.shifted``);
    - *underfitted*: the score on the rows fitted (once, with evidence) misses ``target``, or, without one, half of the
      way. With ``flexible_tried`` this is *limited by the columns*, as more flexible models are no better. A model that
      misses a ``target`` and is overfitted is *under- and overfitted*;
    - *cannot tell*: the gap is more than a tenth and may be chance; or its interval, or that of the score on held-out
      rows, leaves a gap of two tenths open; or the folds show a gap that the interval of the evidence neither confirms
      nor excludes, or the evidence one that the folds do not show;
    - *well fitted*: none of these.

    The learning curve has five sizes from a tenth of the training rows to all of them, equal steps of the logarithm.
    What its last part (from a quarter of the rows on) gains from its first to its last point, divided by the number of
    doublings between them, is each fold's gain per doubling; the interval over the folds decides whether more rows
    would help.

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
    scores = _Scores(found, base, _gaps(found, base, X, y, folds, scoring, perfect), curve, len(y))
    return _diagnosis(scores, _Goal(target, perfect, flexible_tried), evidence)


def _curve(
    model: Any, X: Any, y: Any, folds: Any, found: CVResult, n_classes: int, random_state: Any, common: dict[str, Any]
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


def _gaps(found: CVResult, base: CVResult, X: Any, y: Any, folds: Any, scoring: Any, perfect: float) -> FoldGaps:
    """What the rows of a fold score with the models that learned from them, and with the one that did not. Where no
    model of another fold has learned from them, the rows that the fold learned from stand for them."""
    score = check_scoring(found["estimator"][0], scoring)
    seen, unseen = [], []
    for k, (_, held) in enumerate(folds):
        rows, target = _safe_indexing(X, held), _safe_indexing(y, held)
        others = [
            model for model, (train, _) in zip(found["estimator"], folds, strict=True) if np.isin(held, train).all()
        ]
        if others:
            seen.append(np.mean([score(model, rows, target) for model in others]))
            unseen.append(found["test_score"][k])
    same_rows = len(seen) > 1
    return FoldGaps(
        np.array(seen) if same_rows else found["train_score"],
        np.array(unseen) if same_rows else found["test_score"],
        same_rows,
        found["test_score"],
        found.test_share,
        bool((found["train_score"] > found["test_score"]).all()),
        float(base["train_score"].mean()),
        perfect,
    )


@dataclass(frozen=True)
class _Scores:
    """What was measured: the model and the baseline on the folds, the gaps, the learning curve; of how many rows."""

    found: CVResult
    base: CVResult
    gaps: FoldGaps
    curve: LearningCurve
    n_rows: int


@dataclass(frozen=True)
class _Goal:
    """What is wanted: a score, or half of the way to a perfect one."""

    target: float | None
    perfect: float
    flexible_tried: bool


def _diagnosis(scores: _Scores, goal: _Goal, evidence: HeldOutEvidence | None) -> Diagnosis:
    found, gap = scores.found, scores.gaps.interval
    train, test, baseline = (
        float(part.mean()) for part in (found["train_score"], found["test_score"], scores.base["test_score"])
    )
    fit: FoldGaps | HeldOutGap
    fit = scores.gaps if evidence is None else HeldOutGap(evidence, scores.gaps, goal.perfect)
    under, misses = _misses(goal, train if evidence is None else evidence.train, scores, evidence)
    learned = _learned(scores, goal, evidence)
    verdict = _verdict(learned, under, fit, goal)
    per_doubling = _per_doubling(scores.curve, found.test_share)
    trend = _trend(per_doubling, _last_gain(scores.curve), scores.gaps.way, max(goal.perfect - test, 0.0))
    nearly_perfect = trend == "flat" and not per_doubling[2] < HELPS * scores.gaps.way
    reasons = (
        []
        if evidence is not None
        else [f"mean score of the folds on rows held out: {test:.4g}, of the baseline: {baseline:.4g}"]
    )
    reasons += [*_fit_reasons(verdict, learned, fit), *_learned_reasons(learned, scores, evidence)]
    reasons += misses if verdict in ("underfitted", "limited by the columns", "under- and overfitted") else []
    reasons += (
        [] if verdict == "nothing learned" else [_curve_reason(trend, per_doubling, scores.curve, nearly_perfect)]
    )
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
        _remedies(verdict, trend, _is_average(found["estimator"][0])),
        scores.curve,
        evidence,
        len(found["test_score"]),
        scores.n_rows,
        nearly_perfect,
    )


def _misses(goal: _Goal, train: float, scores: _Scores, evidence: HeldOutEvidence | None) -> tuple[bool, list[str]]:
    """Is the model too simple even for the rows learned from, and the sentence that says so."""
    share = share_of_way(train, scores.gaps.baseline if evidence is None else evidence.train_baseline, goal.perfect)
    if goal.target is not None:
        under, what = train < goal.target, f"scores {train:.4g}, less than the target {goal.target:.4g}"
    else:
        under, what = share < HALF, f"covers {percent_of_way(share)} of {WAY}, less than half"
    cause = (
        "no more flexible model that was tried is better"
        if goal.flexible_tried
        else "too simple, or the columns say no more"
    )
    return under, [f"even on the rows learned from it {what}: {cause}"] if under else []


def _fit_reasons(verdict: str, learned: Learned, fit: FoldGaps | HeldOutGap) -> list[str]:
    """The scores on rows learned from and on others, and what they say where the verdict hangs on it."""
    decides = learned == "yes" and verdict in ("overfitted", "under- and overfitted", "cannot tell", "well fitted")
    if decides or isinstance(fit, FoldGaps):
        return fit.reasons()
    shifted = "the held-out rows score worse than cross-validation, by more than chance: they differ from it"
    return [*fit.scores(), *([shifted] if verdict == "distribution shift" else [])]


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


def _verdict(learned: Learned, under: bool, fit: FoldGaps | HeldOutGap, goal: _Goal) -> str:
    overfitted, evidence = fit.overfitted, fit.evidence if isinstance(fit, HeldOutGap) else None
    if learned == "no" and (under or overfitted != "yes"):
        return "nothing learned"
    if learned == "not confirmed" or (overfitted == "yes" and evidence is not None and evidence.exact_train):
        return "cannot tell"
    if overfitted == "yes":
        return "under- and overfitted" if under and goal.target is not None else "overfitted"
    if evidence is not None and evidence.shifted:
        return "distribution shift"
    if under:
        return "limited by the columns" if goal.flexible_tried and goal.target is None else "underfitted"
    return "cannot tell" if overfitted == "unclear" else "well fitted"


def _per_doubling(curve: LearningCurve, test_share: float) -> tuple[float, float, float]:
    """The gain for twice the rows, low, mean and high: between the ends of the last part of the curve, in each fold, so
    that a reader finds it in the points of the curve."""
    last = _last_part(curve)
    if last.sum() < 3:
        return float("nan"), float("nan"), float("nan")
    sizes, scores = np.asarray(curve.train_sizes, dtype=np.float64)[last], curve.test_scores[last]
    improvement = score_interval((scores[-1] - scores[0]) / np.log2(sizes[-1] / sizes[0]), test_share)
    return improvement.low, improvement.mean, improvement.high


def _last_gain(curve: LearningCurve) -> float:
    """The mean gain between the last two points, for twice the rows."""
    sizes, means = np.asarray(curve.train_sizes, dtype=np.float64), curve.test_scores.mean(axis=1)
    return float((means[-1] - means[-2]) / np.log2(sizes[-1] / sizes[-2])) if len(sizes) > 1 else float("nan")


def _last_part(curve: LearningCurve) -> Any:
    """Which points of the curve say how it goes on: those from a quarter of the rows on."""
    sizes = np.asarray(curve.train_sizes, dtype=np.float64)
    return sizes >= sizes.max(initial=0) / 4


def _trend(per_doubling: tuple[float, float, float], last: float, way: float, left: float) -> Trend:
    """A gain that is larger than what is ``left`` up to a perfect score is that of the first rows: it cannot go on; nor
    does it where the ``last`` points of the curve hardly differ."""
    low, mean, high = per_doubling
    if low > 0 and HELPS * way <= mean <= left and last >= HELPS * way:
        return "rising"
    return "flat" if high < HELPS * way or left < HELPS * way else "unclear"


def _curve_reason(
    trend: Trend, per_doubling: tuple[float, float, float], curve: LearningCurve, nearly_perfect: bool = False
) -> str:
    """What the last part of the learning curve has shown; nothing beyond it is promised."""
    if nearly_perfect:
        return "the scores of cross-validation are nearly perfect: more rows of the same kind would hardly help"
    if trend == "flat":
        return "the learning curve shows that more rows of the same kind would hardly help"
    sizes, (low, mean, high) = np.asarray(curve.train_sizes)[_last_part(curve)], per_doubling
    if not np.isfinite(mean):
        return "the learning curve does not show whether more rows would help"
    # The sign would mislead where the score is shown as an error, of which less is better.
    verb, size, ends = ("improved", mean, (low, high)) if mean >= 0 else ("worsened", -mean, (-high, -low))
    gain = f"{verb} the score by {_two_digits(size)} (95 % interval {_two_digits(ends[0])} to {_two_digits(ends[1])})"
    gain += " on average"
    if trend == "unclear" and low > 0:
        gain += f", and by {_two_digits(_last_gain(curve))} between the last two points"
    so = "more may help" if trend == "rising" else "whether more would help stays open"
    return f"from {sizes[0]:,} to {sizes[-1]:,} rows a doubling {gain}: {so}"


def _two_digits(value: float) -> str:
    """A size to two significant digits, without a power of ten where it has up to twelve digits.

    >>> _two_digits(5712.3), _two_digits(-0.01649), _two_digits(350.0), _two_digits(2e-9)
    ('5,700', '-0.016', '350', '2e-09')
    """
    return f"{float(f'{value:.2g}'):,.12g}"


def _is_average(model: Any) -> bool:
    """Is this, or the last step of this pipeline, an average of many models already, such as a forest?"""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    parameters = last.get_params(deep=False) if hasattr(last, "get_params") else {}
    return "n_estimators" in parameters and "learning_rate" not in parameters


def _remedies(verdict: str, trend: Trend, is_average: bool) -> list[str]:
    rows = [MORE_ROWS] if trend == "rising" else []
    if verdict in ("underfitted", "limited by the columns"):
        return [*TOO_SIMPLE[: 1 if verdict == "limited by the columns" else 2], *rows]
    if verdict in ("overfitted", "under- and overfitted"):
        return [*([MORE_ROWS] if trend != "flat" else []), *TOO_FLEXIBLE[: -1 if is_average else None]]
    if verdict == "nothing learned":
        return ["other columns: with these the model is not shown to be better than the baseline"]
    if verdict == "distribution shift":
        return ["newer rows to learn from, or columns that explain what changed"]
    return ["scores of more rows, for narrower intervals"] if verdict == "cannot tell" else []
