"""Odds: a probability against its complement, the logarithm of that, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from pellucid.stats._sample import Sample, fail


@overload
def odds(p: float) -> float: ...
@overload
def odds(p: ArrayLike) -> float | NDArray[np.float64]: ...
def odds(p: ArrayLike) -> float | NDArray[np.float64]:
    """How much likelier an event is to happen than not: ``p / (1 - p)``, from 0 to infinity.

    >>> odds(0.75)  # three to one
    3.0
    """
    chance = _probabilities("odds", p)
    with np.errstate(divide="ignore"):
        return _plain(chance / (1 - chance))


@overload
def log_odds(p: float) -> float: ...
@overload
def log_odds(p: ArrayLike) -> float | NDArray[np.float64]: ...
def log_odds(p: ArrayLike) -> float | NDArray[np.float64]:
    """The logit: ``ln(p / (1 - p))``, 0 for one half, symmetric around it; what a logistic regression is linear in.

    >>> round(log_odds(0.8), 10)  # ln 4
    1.3862943611
    """
    chance = _probabilities("log_odds", p)
    with np.errstate(divide="ignore"):
        return _plain(np.log(chance) - np.log1p(-chance))


@overload
def probability_from_odds(odds: float) -> float: ...
@overload
def probability_from_odds(odds: ArrayLike) -> float | NDArray[np.float64]: ...
def probability_from_odds(odds: ArrayLike) -> float | NDArray[np.float64]:
    """The way back: ``odds / (1 + odds)``; infinite odds are certainty.

    >>> probability_from_odds(3)
    0.75
    """
    values = _numbers("probability_from_odds", odds, "odds")
    if (values < 0).any():
        fail("probability_from_odds", "odds must not be negative", f"got {values.min():g}", "even odds are 1")
    with np.errstate(divide="ignore"):
        return _plain(1 / (1 + 1 / values))


@overload
def logistic(t: float) -> float: ...
@overload
def logistic(t: ArrayLike) -> float | NDArray[np.float64]: ...
def logistic(t: ArrayLike) -> float | NDArray[np.float64]:
    """The sigmoid ``1 / (1 + e^-t)``: the probability whose log odds are t. It is written so that nothing overflows.

    >>> logistic(0), round(logistic(-10), 13)
    (0.5, 4.53978687e-05)
    """
    values = _numbers("logistic", t, "t")
    small = np.exp(-np.abs(values))
    return _plain(np.where(values >= 0, 1.0, small) / (1 + small))


def softmax(scores: ArrayLike) -> NDArray[np.float64]:
    """Scores as probabilities: ``e^s_k / sum_j e^s_j`` over the last axis; of two scores the sigmoid of their distance.

    The largest score is taken off first, which changes nothing and keeps the powers within bounds.

    >>> softmax([0.0, np.log(3.0)])
    array([0.25, 0.75])
    """
    values = _numbers("softmax", scores, "scores")
    if values.ndim == 0 or values.shape[-1] == 0:
        fail(
            "softmax", "scores must be a list of numbers, one a class", f"got shape {values.shape}", "give two or more"
        )
    if not np.isfinite(values).all():
        fail("softmax", "scores must be finite", "infinity is among them", "replace it by a large number")
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class OddsRatio:
    """An odds ratio with its interval on the scale of logarithms (Woolf): ``exp(ln estimate -/+ z se)``."""

    estimate: float
    low: float
    high: float
    standard_error: float  # of its logarithm


def odds_ratio(table: ArrayLike, level: float = 0.95) -> OddsRatio:
    """How the odds of an event differ between two groups: ``(a / b) / (c / d) = a d / (b c)``.

    ``table`` is ``[[a, b], [c, d]]``: a row for each group, with the event and without it. The logarithm of the ratio
    has the standard error ``sqrt(1/a + 1/b + 1/c + 1/d)``. In a logistic regression on the group alone the ratio is
    ``exp(coef_)``.

    >>> odds_ratio([[20, 10], [10, 20]]).estimate  # odds of 2 against odds of 1/2
    4.0
    """
    who, counts = "odds_ratio", _numbers("odds_ratio", table, "table")
    if counts.shape != (2, 2):
        fail(who, "table must be 2 x 2: groups in rows, event and no event in columns", f"got shape {counts.shape}", "")
    if not (counts >= 0).all() or not np.isfinite(counts).all():
        fail(who, "counts must be finite and not negative", f"got {counts.tolist()}", "count the rows of each kind")
    if not 0 < level < 1:
        fail(who, "level must be between 0 and 1", f"got {level!r}", "0.95 for 95 %")
    (a, b), (c, d) = counts.tolist()
    if (a == 0 and c == 0) or (b == 0 and d == 0) or a + b == 0 or c + d == 0:
        fail(who, "both groups and both outcomes must occur", f"got {counts.tolist()}", "")
    with np.errstate(divide="ignore"):
        estimate = float(np.divide(a * d, b * c))
        error = float(np.sqrt(np.divide(1.0, counts).sum()))
    if not np.isfinite(error):  # an empty cell: the ratio is 0 or infinite, and nothing bounds it on that side
        return OddsRatio(estimate, 0.0, float("inf"), error)
    reach = float(np.exp(ndtri(0.5 + level / 2) * error))
    return OddsRatio(estimate, estimate / reach, estimate * reach, error)


def _numbers(who: str, values: ArrayLike, name: str) -> Sample:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        fail(who, f"{name} must hold numbers", str(error), "encode or drop other values")
    if np.isnan(found).any():
        fail(who, f"{name} must hold numbers", "NaN is among them", "drop or impute it first")
    return found


def _probabilities(who: str, values: ArrayLike) -> Sample:
    found = _numbers(who, values, "p")
    if ((found < 0) | (found > 1)).any():
        wrong = float(found[(found < 0) | (found > 1)].ravel()[0])
        fail(who, "p must be a probability, from 0 to 1", f"got {wrong:g}", "divide percentages by 100")
    return found


def _plain(values: Any) -> float | NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64)
    return float(found) if found.ndim == 0 else found
