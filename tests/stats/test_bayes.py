"""Bayes' theorem and the least error between known densities: figures by hand, limits, and refusals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from pellucid.base.errors import DataError
from pellucid.reference import bayes as reference
from pellucid.stats import bayes, bayes_error
from pellucid.working import show


def test_one_hypothesis_in_probabilities_and_odds() -> None:
    found = bayes(0.2, 0.9, complement=0.3)  # 0.18 against 0.24
    assert found.evidence == pytest.approx(0.42)
    assert found.probability == pytest.approx(0.18 / 0.42)
    assert found.prior_odds == pytest.approx(0.25)
    assert found.bayes_factor == pytest.approx(3.0)
    assert found.odds == pytest.approx(0.75)
    assert bayes(0.2, 0.9, evidence=found.evidence) == found


def test_several_hypotheses_are_shares_of_their_products() -> None:
    prior, likelihood = [0.5, 0.3, 0.2], [0.1, 0.4, 0.7]
    found = bayes(prior, likelihood)
    np.testing.assert_allclose(found.probability, reference.posteriors(prior, likelihood), rtol=1e-15)
    np.testing.assert_allclose(np.asarray(found.probability).sum(), 1.0)
    np.testing.assert_allclose(np.asarray(found.prior_odds) * found.bayes_factor, found.odds)


def test_certainties() -> None:
    assert bayes(1.0, 0.4, complement=0.0).probability == 1.0
    assert bayes(0.3, 0.4, complement=0.0).probability == 1.0
    assert bayes(0.3, 0.4, complement=0.0).odds == np.inf
    assert bayes(0.0, 0.4, complement=0.5).probability == 0.0
    assert bayes(1.0, 0.4, complement=0.5).bayes_factor == pytest.approx(0.8)
    rounded = bayes(1 / 3, 0.3, evidence=0.1)  # all of the evidence, but for rounding
    assert (rounded.probability, rounded.odds) == (1.0, np.inf)
    assert show(bayes, 1 / 3, 0.3, evidence=0.1).value("probability") == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("args", "options", "words"),
    [
        ((0.2, 0.5), {}, "one hypothesis needs evidence or complement"),
        ((0.2, 0.5), {"evidence": 0.3, "complement": 0.1}, "give evidence or complement, not both"),
        ((0.2, 0.5), {"evidence": 0.05}, "at least as likely as the evidence with the hypothesis"),
        ((20, 0.5), {"evidence": 0.5}, "prior must be a probability, from 0 to 1; got 20"),
        (([0.5, 0.4], [0.1, 0.1]), {}, "priors of several hypotheses must sum to 1; they sum to 0.9"),
        (([0.5, 0.5], [0.1]), {}, "two lists of equal length"),
        (([0.5, 0.5], [0.0, 0.0]), {}, "the evidence must be possible"),
        (([0.5, 0.5], [0.1, 0.2]), {"complement": 0.1}, "complement goes with one hypothesis"),
        (("a", 0.5), {"evidence": 0.5}, "prior must hold numbers"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_theorem_is_refused(args: Any, options: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        bayes(*args, **options)


# ---------------------------------------------------------------------------------------------------------- least error


@pytest.mark.parametrize(
    ("bells", "priors"),
    [
        ([(0, 1), (2, 1)], [0.5, 0.5]),
        ([(0, 1), (2, 1)], [0.9, 0.1]),
        ([(0, 1), (1, 3)], [0.5, 0.5]),
        ([(0, 1), (0, 3)], [0.3, 0.7]),
        ([(0, 1), (3, 1), (6, 2)], [0.2, 0.5, 0.3]),
        ([(0, 1), (0, 1)], [0.3, 0.7]),
        ([(0, 1), (1, 1e-3)], [0.5, 0.5]),
    ],
    ids=str,
)
def test_the_area_under_all_but_the_highest(bells: Any, priors: Any) -> None:
    found = bayes_error(bells, priors)
    strips = reference.error_between(bells, priors, -15, 20, 40_000)
    assert found.error == pytest.approx(strips, abs=1e-5)
    assert sum(found.areas) == pytest.approx(found.error)
    functions = [lambda x, m=m, s=s: norm.pdf(x, m, s) for m, s in bells]
    if min(s for _, s in bells) >= 1:  # a spike is not found between places
        numeric = bayes_error(functions, priors, limits=(-20, 25))
        assert numeric.error == pytest.approx(found.error, abs=1e-9)
        np.testing.assert_allclose(numeric.thresholds, [t for t in found.thresholds if -20 < t < 25], atol=1e-9)
    for t, (left, right) in zip(found.thresholds, pairwise(found.regions), strict=True):
        heights = [priors[k] * norm.pdf(t, *bells[k]) for k in (left.winner, right.winner)]
        assert heights[0] == pytest.approx(heights[1], rel=1e-6)


def test_equal_bells_a_distance_apart_by_the_textbook() -> None:
    """Equal priors and widths: the threshold is half way and the error is the tail beyond half the distance."""
    for distance in (0.5, 1.0, 4.0, 12.0):
        found = bayes_error([(0, 1), (distance, 1)])
        assert found.thresholds == pytest.approx((distance / 2,))
        assert found.error == pytest.approx(float(ndtr(-distance / 2)), rel=1e-12)


def test_bells_in_an_array_far_apart_and_functions_of_one_number() -> None:
    assert bayes_error(np.array([[0, 1], [2, 1]])) == bayes_error([(0, 1), (2, 1)])
    assert bayes_error([(0, 1), (1e40, 1)]).error == 0.0
    plain = bayes_error([(0, 1), lambda x: 1.0 if 0 < x < 1 else 0.0], limits=(-9, 9))
    # The box is higher than the bell wherever it is: what is lost is half of the bell between 0 and 1.
    assert plain.error == pytest.approx((ndtr(1) - ndtr(0)) / 2, abs=1e-9)
    spike = bayes_error([(1, 1), lambda x: norm.pdf(x, 0, 0.01)], limits=(-100, 100))
    assert spike.error == pytest.approx(bayes_error([(1, 1), (0, 0.01)]).error, abs=1e-6)


@pytest.mark.parametrize(
    ("densities", "options", "words"),
    [
        ([(0, 1)], {}, "two or more; got 1"),
        ([(0, 1), (0, 0)], {}, r"positive sd; number 1 is \(0, 0\)"),
        ([(0, 1), (0, 1)], {"priors": [0.5, 0.6]}, "sum to 1"),
        ([(0, 1), norm.pdf], {}, "needs finite limits"),
        ([(0, 1), "bell"], {}, "must be (mean, sd) or a function".replace("(", r"\(").replace(")", r"\)")),
        ([(0, 1), lambda x: x], {"limits": (-1, 1)}, "not negative; number 1"),
        ([(0, 1), (1e60, 1)], {}, "choose another unit"),
        ([(0, 1), lambda x: 2.0], {"limits": (-5, 5)}, "integral of a density must be 1; that of number 1 .* is 20"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_density_is_refused(densities: Any, options: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        bayes_error(densities, options.pop("priors", None), **options)


def test_workings_end_at_the_same_numbers() -> None:
    assert show(bayes, 0.2, 0.9, complement=0.3).value("odds") == pytest.approx(0.75)
    assert show(bayes, [0.5, 0.5], [0.1, 0.3]).value("probability").tolist() == pytest.approx([0.25, 0.75])
    for bells, priors in (
        ([(0, 1), (2, 1)], [0.5, 0.5]),
        ([(0, 1), (1, 3)], [0.3, 0.7]),
        ([(0, 2), (1, 1)], None),
        ([(0, 1), (3, 1), (6, 2)], None),
        ([(0, 1), (0, 1)], [0.3, 0.7]),
    ):
        working = show(bayes_error, bells, priors)
        assert working.value("error") == pytest.approx(bayes_error(bells, priors).error)
        assert len(working.to_html()) > 1000
    assert "integrated numerically" in show(bayes_error, [(0, 1), norm.pdf], limits=(-9, 9)).to_text()
