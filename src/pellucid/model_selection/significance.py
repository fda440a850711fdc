"""How sure a difference is: tests of two models on the same folds or the same rows, and the interval of a mean."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, stdtr, stdtrit

from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Floats

__all__ = [
    "PairedTest",
    "PosteriorDifference",
    "ScoreInterval",
    "bayesian_t_test",
    "corrected_t_test",
    "holm",
    "mcnemar_test",
    "score_interval",
]


@dataclass(frozen=True)
class PairedTest:
    """Two models on the same data.

    difference : mean score of the first less that of the second, or the share of rows that only the first gets right
        less the share that only the second does
    statistic, df : what the test computes, and its degrees of freedom (0 for an exact count)
    p_value : probability of a difference this large, or larger, if the two were equally good
    """

    name: str
    difference: float
    statistic: float
    df: float
    p_value: float


def corrected_t_test(first: ArrayLike, second: ArrayLike, test_share: float) -> PairedTest:
    """Paired t-test over folds, corrected because their training sets overlap (Nadeau and Bengio, 2003).

    With ``d_k`` the difference of the scores on fold k, ``m`` their mean, ``s^2`` their variance (divisor K - 1) and
    ``rho = n_test / n_train``:

    ``t = m / sqrt((1/K + rho) s^2)``  with K - 1 degrees of freedom.

    The plain test has ``1/K`` alone; models trained on rows they share differ less than independent ones, and it finds
    differences that are not there.

    Parameters
    ----------
    first, second : the scores of the two models, one a fold, in the same order
    test_share : ``n_test / n_train``; 0.25 for five folds; 0 is the plain paired test

    Examples
    --------
    >>> test = corrected_t_test([0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.8, 0.85], test_share=1 / 3)
    >>> round(test.difference, 12), round(test.statistic, 4), round(test.p_value, 4)
    (0.075, 3.4017, 0.0424)
    """
    d = _fold_differences("corrected_t_test", first, second, test_share)
    error = _standard_error(d, test_share)
    m = float(d.differences.mean())
    t = m / error if error > 0 else 0.0 if abs(m) <= d.rounding else float(np.copysign(np.inf, m))
    n_folds = len(d.differences)
    return PairedTest("corrected t-test", m, t, n_folds - 1, float(2 * stdtr(n_folds - 1, -abs(t))))


@dataclass(frozen=True)
class PosteriorDifference:
    """What the folds say about the difference of two models: Student's t distribution around the mean difference.

    difference : mean score of the first less that of the second
    scale, df : standard error and degrees of freedom of the distribution
    rope : differences up to this size, to either side, do not matter in practice
    p_first, p_equivalent, p_second : probabilities that the first is better by more than the rope, that the difference
        lies within it, and that the second is better by more than it; they sum to 1
    """

    difference: float
    scale: float
    df: float
    rope: float
    p_first: float
    p_equivalent: float
    p_second: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval that holds the difference with this probability, the same outside at either end."""
        reach = float(stdtrit(self.df, 0.5 + level / 2)) * self.scale
        return self.difference - reach, self.difference + reach


def bayesian_t_test(first: ArrayLike, second: ArrayLike, test_share: float, rope: float = 0.0) -> PosteriorDifference:
    """Bayesian correlated t-test: how probable is it that one model is better, or that both are equivalent?

    With ``d_k`` the difference of the scores on fold k, ``m`` their mean, ``s^2`` their variance (divisor K - 1) and
    ``rho = n_test / n_train``, the mean difference ``mu`` has, with a prior that prefers nothing, the distribution

    ``mu ~ t_(K - 1)(m, (1/K + rho) s^2)``

    (Corani and Benavoli, 2015; Benavoli et al., 2017, whose correlation ``n_test / n`` gives the same variance as that
    of Nadeau and Bengio). With ``F`` the distribution function of t, ``e`` the standard error and ``r`` the region of
    practical equivalence (rope):

    ``P(first better) = 1 - F((r - m)/e)``,  ``P(equivalent) = F((r - m)/e) - F((-r - m)/e)``,
    ``P(second better) = F((-r - m)/e)``.

    A p value only says how surprising the scores would be if nothing differed, and never that two models are equally
    good. The posterior answers the questions that are asked, and says so when the folds cannot tell. With ``rope=0``
    the smaller tail is half the p value of `corrected_t_test`.

    Parameters
    ----------
    first, second : the scores of the two models, one per fold, in the same order
    test_share : ``n_test / n_train``; 0.25 for five folds, repeated or not
    rope : half the width of the region of practical equivalence, in units of the score

    Examples
    --------
    >>> found = bayesian_t_test([0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.8, 0.85], test_share=1 / 3, rope=0.01)
    >>> round(found.p_first, 4), round(found.p_equivalent, 4), round(found.p_second, 4)
    (0.9699, 0.0146, 0.0154)
    """
    if not 0 <= rope < np.inf:
        raise ParameterError(format_message("bayesian_t_test", "rope must be 0 or more", actual=f"got {rope!r}"))
    d = _fold_differences("bayesian_t_test", first, second, test_share)
    m, error, df = float(d.differences.mean()), _standard_error(d, test_share), len(d.differences) - 1
    if error == 0:
        inside = abs(m) <= rope + d.rounding
        return PosteriorDifference(
            m, 0.0, df, rope, float(not inside and m > 0), float(inside), float(not inside and m < 0)
        )
    below, up_to = float(stdtr(df, (-rope - m) / error)), float(stdtr(df, (rope - m) / error))
    above = float(stdtr(df, (m - rope) / error))
    return PosteriorDifference(m, error, df, rope, above, up_to - below, below)


@dataclass(frozen=True)
class _FoldDifferences:
    """Differences fold by fold, and the size that is rounding alone."""

    differences: Floats
    rounding: float


def _fold_differences(who: str, first: ArrayLike, second: ArrayLike, test_share: float) -> _FoldDifferences:
    a, b = _scores(who, first, second)
    if not 0 <= test_share < np.inf:
        raise ParameterError(
            format_message(
                who, "test_share must be 0 or more", actual=f"got {test_share!r}", hint="1/(K-1) for K folds"
            )
        )
    return _FoldDifferences(a - b, 1e-14 * float(np.abs(np.concatenate([a, b])).max()))


def _standard_error(d: _FoldDifferences, test_share: float) -> float:
    """``sqrt((1/K + rho) s^2)``; 0 where all differences are equal but for rounding."""
    s2 = float(d.differences.var(ddof=1))
    return 0.0 if s2 <= d.rounding**2 else sqrt((1 / len(d.differences) + test_share) * s2)


def mcnemar_test(
    first_right: ArrayLike, second_right: ArrayLike, method: Literal["auto", "exact", "chi2"] = "auto"
) -> PairedTest:
    """McNemar's test: do two classifiers err on different rows more often one way than the other?

    With b rows that only the first gets right and c that only the second does; rows on which both agree say nothing.
    If the two were equally good each of the b + c rows would be a fair coin:

    exact:  ``p = 2 sum_{k <= min(b, c)} C(b + c, k) / 2^(b + c)``,  at most 1
    chi2:   ``(|b - c| - 1)^2 / (b + c)``  against chi-square with one degree of freedom (continuity corrected)

    ``auto`` counts exactly up to 25 rows.

    Examples
    --------
    >>> test = mcnemar_test([1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1, 1])
    >>> test.p_value, round(test.difference, 4)  # b = 5, c = 1: 2 (1 + 6) / 64
    (0.21875, 0.5714)
    """
    if method not in ("auto", "exact", "chi2"):
        raise ParameterError(
            format_message("mcnemar_test", "method must be 'auto', 'exact' or 'chi2'", actual=f"got {method!r}")
        )
    a, b = (np.asarray(right, dtype=bool).ravel() for right in (first_right, second_right))
    if len(a) != len(b) or len(a) == 0:
        requirement = "first_right and second_right must say for the same rows who is right"
        raise DataError(format_message("mcnemar_test", requirement, actual=f"got {len(a)} and {len(b)} rows"))
    only_first, only_second = int((a & ~b).sum()), int((b & ~a).sum())
    apart, difference = only_first + only_second, (only_first - only_second) / len(a)
    if method == "exact" or (method == "auto" and apart <= 25):
        tail = sum(comb(apart, k) for k in range(min(only_first, only_second) + 1))
        return PairedTest("McNemar, exact", difference, min(only_first, only_second), 0, min(1.0, 2 * tail / 2**apart))
    statistic = max(abs(only_first - only_second) - 1, 0) ** 2 / apart if apart else 0.0
    return PairedTest("McNemar", difference, statistic, 1, float(chdtrc(1, statistic)))


def holm(p_values: ArrayLike) -> Floats:
    """p values for several tests at once, by Holm: the smallest times m, the next times m - 1, and so on, not falling.

    With one comparison in twenty "significant" by chance, ten comparisons need this.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(12).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64).ravel()
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    found = np.empty_like(p)
    found[order] = np.minimum(stepped, 1)
    return found


@dataclass(frozen=True)
class ScoreInterval:
    """Mean of the scores of folds, their standard deviation, and an interval for the mean."""

    mean: float
    standard_deviation: float
    low: float
    high: float
    level: float


def score_interval(scores: ArrayLike, test_share: float = 0.0, level: float = 0.95) -> ScoreInterval:
    """The mean of the folds' scores with a confidence interval.

    ``m -/+ t sqrt((1/K + rho) s^2)``  with t Student's quantile for K - 1 degrees of freedom and ``rho = n_test /
    n_train`` as in `corrected_t_test`: folds that share training rows are not independent, and an interval without rho
    is too narrow.

    Examples
    --------
    >>> found = score_interval([0.8, 0.9, 1.0])
    >>> round(found.mean, 12), round(found.low, 4), round(found.high, 4)
    (0.9, 0.6516, 1.1484)
    """
    values = np.asarray(scores, dtype=np.float64).ravel()
    if len(values) < 2 or not np.isfinite(values).all():
        requirement = "scores must be at least two finite numbers"
        raise DataError(
            format_message(
                "score_interval", requirement, actual=f"got {values.tolist()[:5]}", hint="use two folds or more"
            )
        )
    if not 0 < level < 1:
        raise ParameterError(format_message("score_interval", "level must be between 0 and 1", actual=f"got {level!r}"))
    m, s = float(values.mean()), float(values.std(ddof=1))
    reach = float(stdtrit(len(values) - 1, 0.5 + level / 2)) * s * sqrt(1 / len(values) + test_share)
    return ScoreInterval(m, s, m - reach, m + reach, level)


def _scores(who: str, first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    a, b = (np.asarray(values, dtype=np.float64).ravel() for values in (first, second))
    if len(a) != len(b) or len(a) < 2:
        requirement = "both models need a score on the same folds, at least two"
        raise DataError(format_message(who, requirement, actual=f"got {len(a)} and {len(b)}"))
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise DataError(
            format_message(who, "scores must be finite numbers", hint="leave out folds that failed, for both")
        )
    return a, b
