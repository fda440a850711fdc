"""Votes by numbers: how often a majority errs, what a model's vote counts, and who is in a bootstrap sample."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, inf, log, log1p
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import bdtr, bdtrc

from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Floats

__all__ = ["Vote", "bootstrap_inclusion", "ensemble_error", "stage_value", "weighted_vote"]


def ensemble_error(n_voters: int, error: Any, *, ties: Literal["half", "wrong", "right"] = "half") -> Any:
    """How likely the majority of n independent voters is wrong, each of which is wrong with probability e.

    ``P = sum over k > n/2 of C(n, k) e^k (1 - e)^(n - k)``, and half of the term k = n/2 where n is even: a tie is
    settled by a coin. With ``ties="wrong"`` a tie counts as an error, with ``ties="right"`` as none.

    Below e = 1/2 the majority errs less than each of them, and the less the more they are; above 1/2 it is the other
    way round. Real models are not independent, so this is the best that voting can do.

    Parameters
    ----------
    n_voters : how many there are
    error : the probability that one of them is wrong, or an array of such

    Returns
    -------
    float, or array : the probability that the majority is wrong

    Examples
    --------
    Of three voters two or three are wrong: 3 e² (1 - e) + e³.

    >>> from pellucid.ensemble import ensemble_error
    >>> round(ensemble_error(3, 0.1), 9)
    0.028
    >>> round(ensemble_error(25, 0.35), 4)
    0.0604
    """
    who = "ensemble_error"
    n = _whole(who, "n_voters", n_voters)
    if ties not in ("half", "wrong", "right"):
        raise ParameterError(
            format_message(who, "ties must be one of 'half', 'wrong', 'right'", actual=f"got {ties!r}")
        )
    e = _shares(who, error)
    half = n // 2
    majority_error = bdtrc(half, n, e) if half < n else np.zeros_like(e)
    if n % 2 == 0 and ties != "right":
        tie = bdtr(half, n, e) - bdtr(half - 1, n, e)
        majority_error = majority_error + (tie / 2 if ties == "half" else tie)
    return float(majority_error) if np.ndim(majority_error) == 0 else majority_error


def bootstrap_inclusion(n: float, draws: float | None = None) -> float:
    """How likely a row is among some draws with replacement from n rows: ``1 - (1 - 1/n)^draws``.

    Also the expected share of distinct rows in the sample. With as many draws as rows, as a bootstrap sample has unless
    told, it goes to ``1 - 1/e`` = 0.632 as n grows, which ``n=inf`` gives; the other rows are out of bag.

    Examples
    --------
    >>> from pellucid.ensemble import bootstrap_inclusion
    >>> bootstrap_inclusion(4), bootstrap_inclusion(4, draws=2)  # 1 - (3/4)^4, 1 - (3/4)^2
    (0.68359375, 0.4375)
    """
    who = "bootstrap_inclusion"
    rows = inf if n == inf else float(_whole(who, "n", n))
    if draws is None:
        return 1.0 if rows == 1 else -expm1(-1.0) if rows == inf else -expm1(rows * log1p(-1 / rows))
    times = _whole(who, "draws", draws, minimum=0)
    if rows == 1:
        return float(times > 0)
    return 0.0 if rows == inf else -expm1(times * log1p(-1 / rows))


def stage_value(error: Any, *, n_classes: int = 2, stage: Literal["samme", "half"] = "samme") -> Any:
    """What the vote of a model with a weighted error e counts in AdaBoost: ``ln((1 - e) / e) + ln(K - 1)``.

    With ``stage="half"`` half of it, as many texts have it. It is 0 for chance, e = 1 - 1/K, negative for worse models,
    and infinite for a model without an error.

    Examples
    --------
    >>> from pellucid.ensemble import stage_value
    >>> round(stage_value(0.1), 6), stage_value(0.5), round(stage_value(0.1, stage="half"), 6)
    (2.197225, 0.0, 1.098612)
    """
    who = "stage_value"
    k = _whole(who, "n_classes", n_classes, minimum=2)
    if stage not in ("samme", "half"):
        raise ParameterError(format_message(who, "stage must be 'samme' or 'half'", actual=f"got {stage!r}"))
    e = _shares(who, error)
    with np.errstate(divide="ignore"):
        vote_value = np.log(1 - e) - np.log(e) + log(k - 1)
    vote_value = vote_value / 2 if stage == "half" else vote_value
    return float(vote_value) if np.ndim(vote_value) == 0 else vote_value


class Vote(NamedTuple):
    """The answer with the most weight, the first of equals in the order of `votes`; and the weight of every answer."""

    winner: Any
    votes: dict[Any, float]


def weighted_vote(answers: Sequence[Any], weights: Any = None) -> Vote:
    """Which answer has the most votes, each counted by the weight of who gives it.

    ``V_k = sum over t of a_t [h_t = k]``; without weights everybody counts 1.

    Examples
    --------
    Three say 1 and two say -1, but the two count more: 0.9 against 1.7.

    >>> from pellucid.ensemble import weighted_vote
    >>> winner, votes = weighted_vote([1, 1, -1, 1, -1], [0.2, 0.5, 0.8, 0.2, 0.9])
    >>> winner, {answer: round(weight, 9) for answer, weight in votes.items()}
    (-1, {-1: 1.7, 1: 0.9})
    >>> weighted_vote([1, 1, -1, 1, -1]).winner
    1
    """
    who = "weighted_vote"
    labels = list(np.asarray(answers).tolist()) if not isinstance(answers, list | tuple) else list(answers)
    if not labels:
        raise DataError(format_message(who, "somebody must vote", actual="there is no answer"))
    counted = np.ones(len(labels)) if weights is None else _weights(who, weights, len(labels))
    try:
        distinct = sorted(set(labels))
    except TypeError:  # answers of several types have no order of their own
        distinct = list(dict.fromkeys(labels))
    votes = {
        label: float(sum(w for a, w in zip(labels, counted.tolist(), strict=True) if a == label)) for label in distinct
    }
    return Vote(max(votes, key=lambda label: votes[label]), votes)


def _weights(who: str, weights: Any, n: int) -> Floats:
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(format_message(who, "weights must be numbers", actual=f"got {short_repr(weights)}")) from None
    if array.shape != (n,) or not np.isfinite(array).all():
        requirement = "weights must be one finite number an answer"
        raise DataError(format_message(who, requirement, actual=f"got {short_repr(weights)} for {count(n, 'answer')}"))
    return array


def _whole(who: str, name: str, value: Any, minimum: int = 1) -> int:
    real = isinstance(value, Real) and not isinstance(value, bool)
    is_whole = isinstance(value, Integral) or (real and np.isfinite(float(value)) and float(value) == int(value))
    if not real or not is_whole or int(value) < minimum:
        raise ParameterError(
            format_message(who, f"{name} must be a whole number of at least {minimum}", actual=f"got {value!r}")
        )
    return int(value)


def _shares(who: str, error: Any) -> Any:
    try:
        rates = np.asarray(error, dtype=np.float64)
    except (TypeError, ValueError):
        rates = np.array(np.nan)
    if not ((rates >= 0) & (rates <= 1)).all():
        raise ParameterError(format_message(who, "error must lie between 0 and 1", actual=f"got {short_repr(error)}"))
    return rates
