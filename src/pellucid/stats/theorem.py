"""Bayes' theorem: what is believed of hypotheses after something was seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pellucid.stats._sample import Sample, fail

_WHO = "bayes"
_SLACK = 1e-9  # what rounded probabilities may be off


@dataclass(frozen=True)
class Posterior:
    """What Bayes' theorem gives: single numbers for one hypothesis, one a hypothesis for several.

    prior : P(H), before the evidence
    likelihood : P(E | H)
    joint : P(E | H) P(H)
    evidence : P(E), one number
    probability : P(H | E), after the evidence
    prior_odds, odds : P / (1 - P) of each, before and after
    bayes_factor : odds / prior_odds, which is P(E | H) / P(E | not H)
    """

    prior: float | NDArray[np.float64]
    likelihood: float | NDArray[np.float64]
    joint: float | NDArray[np.float64]
    evidence: float
    probability: float | NDArray[np.float64]
    prior_odds: float | NDArray[np.float64]
    bayes_factor: float | NDArray[np.float64]
    odds: float | NDArray[np.float64]


def bayes(
    prior: ArrayLike, likelihood: ArrayLike, *, evidence: float | None = None, complement: float | None = None
) -> Posterior:
    """Bayes' theorem: the probability of a hypothesis once evidence is seen.

    ``P(H | E) = P(E | H) P(H) / P(E)``

    One hypothesis: ``prior`` is P(H), ``likelihood`` is P(E | H), and either ``evidence`` is P(E) or ``complement`` is
    P(E | not H), from which  ``P(E) = P(E | H) P(H) + P(E | not H) (1 - P(H))``.  Several hypotheses of which exactly
    one is true: lists of priors, which sum to 1, and of likelihoods; P(E) is the sum of the products. In odds the
    theorem is one multiplication:  ``odds after = Bayes factor x odds before``,  the factor being
    P(E | H) / P(E | not H).

    Parameters
    ----------
    prior : a probability, or one for each hypothesis
    likelihood : P(E | H), one for each prior
    evidence : P(E), where it is known; it must be at least P(E | H) P(H)
    complement : P(E | not H), for one hypothesis

    Returns
    -------
    Posterior : probability, odds, and what they come from

    Examples
    --------
    A test finds 9 of 10 ill people and alarms for 1 of 10 healthy ones; 1 in 100 is ill. Of 1000 people it finds 9 ill
    and 99 healthy ones: 9 in 108.

    >>> found = bayes(0.01, 0.9, complement=0.1)
    >>> round(found.probability, 6), round(found.bayes_factor, 6)
    (0.083333, 9.0)

    Two of three boxes hold a white ball.

    >>> bayes([0.5, 0.25, 0.25], [1.0, 1.0, 0.0]).probability.round(4).tolist()
    [0.6667, 0.3333, 0.0]
    """
    before, given = _probabilities(prior, "prior"), _probabilities(likelihood, "likelihood")
    if before.shape != given.shape or before.ndim > 1:
        actual = f"got shapes {before.shape} and {given.shape}"
        fail(_WHO, "prior and likelihood must be two numbers, or two lists of equal length", actual, "")
    joint = before * given
    seen = _evidence(before, joint, evidence, complement)
    if seen == 0:
        hint = "every product of prior and likelihood is 0"
        fail(_WHO, "the evidence must be possible", "P(E) is 0", hint if evidence is None else "")
    rest = seen - joint  # P(E and not H)
    rest = np.where(rest > 4 * np.finfo(float).eps * seen, rest, 0.0)  # less is rounding
    after = np.where(rest > 0, joint / seen, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        prior_odds, odds = before / (1 - before), joint / rest
        factor = given * (1 - before) / rest if complement is None else given / np.float64(complement)
    parts = (before, given, joint, np.array(seen), after, prior_odds, factor, odds)
    if before.ndim == 0:
        return Posterior(*(float(part) for part in parts))
    return Posterior(before, given, joint, seen, after, prior_odds, factor, odds)


def _evidence(before: Sample, joint: Sample, evidence: float | None, complement: float | None) -> float:
    if evidence is not None and complement is not None:
        fail(_WHO, "give evidence or complement, not both", f"got {evidence!r} and {complement!r}", "")
    if before.ndim == 1:
        return _of_several(before, joint, evidence, complement)
    if complement is not None:
        return float(joint + _one(complement, "complement") * (1 - before))
    if evidence is None:
        hint = "bayes(prior, likelihood, evidence=P(E)) or complement=P(E | not H)"
        fail(_WHO, "one hypothesis needs evidence or complement", "got neither", hint)
    return _given_evidence(joint, evidence)


def _of_several(before: Sample, joint: Sample, evidence: float | None, complement: float | None) -> float:
    if complement is not None:
        fail(
            _WHO, "complement goes with one hypothesis", f"got {len(before)}", "the others' likelihoods are in the list"
        )
    if abs(before.sum() - 1) > _SLACK * max(len(before), 1):
        hint = "one of the hypotheses must be true; add the one that is left"
        fail(_WHO, "priors of several hypotheses must sum to 1", f"they sum to {before.sum():.10g}", hint)
    return float(joint.sum()) if evidence is None else _given_evidence(joint, evidence)


def _given_evidence(joint: Sample, evidence: float) -> float:
    seen, least = _one(evidence, "evidence"), float(joint.max())
    if seen < least * (1 - _SLACK):
        actual = f"got P(E) = {seen:g}, but P(E and H) = {least:g}"
        fail(_WHO, "the evidence must be at least as likely as the evidence with the hypothesis", actual, "")
    return seen


def _one(value: float, name: str) -> float:
    found = _probabilities(value, name)
    if found.ndim:
        fail(_WHO, f"{name} must be one probability", f"got shape {found.shape}", "")
    return float(found)


def _probabilities(values: ArrayLike, name: str) -> Sample:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        fail(_WHO, f"{name} must hold numbers", str(error), "")
    if found.size == 0:
        fail(_WHO, f"{name} must hold at least one probability", "it is empty", "")
    if not ((found >= 0) & (found <= 1)).all():
        wrong = float(found[~((found >= 0) & (found <= 1))].ravel()[0])
        fail(_WHO, f"{name} must be a probability, from 0 to 1", f"got {wrong:g}", "divide percentages by 100")
    return found
