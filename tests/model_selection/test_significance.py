"""Tests of differences: against SciPy where it has them, against counting, and on data where the truth is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, ParameterError
from pellucid.model_selection import bayesian_t_test, corrected_t_test, holm, mcnemar_test, score_interval
from pellucid.reference import significance as reference

scores = st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=3, max_size=8)


@settings(max_examples=100, deadline=None)
@given(scores, st.integers(0, 100))
def test_without_overlap_it_is_the_paired_t_test(first: list[float], seed: int) -> None:
    second = np.asarray(first) + np.random.default_rng(seed).normal(size=len(first))
    found, peer = corrected_t_test(first, second, 0), scipy.stats.ttest_rel(first, second)
    assert found.statistic == pytest.approx(peer.statistic, rel=1e-10)
    assert found.p_value == pytest.approx(peer.pvalue, rel=1e-9)


def test_overlap_makes_a_difference_less_sure() -> None:
    a, b = [0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.8, 0.85]
    plain, corrected = corrected_t_test(a, b, 0), corrected_t_test(a, b, 1 / 3)
    assert corrected.statistic == pytest.approx(plain.statistic * np.sqrt((1 / 4) / (1 / 4 + 1 / 3)), rel=1e-12)
    assert corrected.p_value > plain.p_value


def test_false_alarms_are_as_rare_as_promised() -> None:
    """Folds of one table share training rows, which makes their differences alike: simulated as a common part."""
    rng = np.random.default_rng(0)
    folds, share = 5, 0.25
    # Differences with variance 1 and covariance rho = share / (1 + share), the case that the correction is made for.
    rho = share / (1 + share)
    d = np.sqrt(rho) * rng.normal(size=(4000, 1)) + np.sqrt(1 - rho) * rng.normal(size=(4000, folds))
    plain = np.mean([corrected_t_test(row, np.zeros(folds), 0).p_value < 0.05 for row in d])
    fair = np.mean([corrected_t_test(row, np.zeros(folds), share).p_value < 0.05 for row in d])
    assert plain > 0.1
    assert fair < 0.06


@settings(max_examples=100, deadline=None)
@given(scores, st.integers(0, 100), st.sampled_from([0.0, 0.01, 0.5]), st.sampled_from([0.0, 0.25, 1.0]))
def test_the_posterior_is_students_t(first: list[float], seed: int, rope: float, share: float) -> None:
    second = np.asarray(first) + np.random.default_rng(seed).normal(size=len(first))
    found = bayesian_t_test(first, second, share, rope)
    peer = scipy.stats.t(found.df, loc=found.difference, scale=found.scale)
    assert found.p_first == pytest.approx(peer.sf(rope), rel=1e-9, abs=1e-12)
    assert found.p_second == pytest.approx(peer.cdf(-rope), rel=1e-9, abs=1e-12)
    assert found.p_first + found.p_equivalent + found.p_second == pytest.approx(1, abs=1e-12)
    wanted = reference.bayesian_t_test(first, second, share, rope)
    assert (found.p_first, found.p_equivalent, found.p_second) == pytest.approx(wanted, abs=1e-6)
    low, high = found.interval(0.9)
    assert peer.cdf(high) - peer.cdf(low) == pytest.approx(0.9, rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(scores, st.integers(0, 100))
def test_without_a_rope_the_smaller_tail_is_half_the_p_value(first: list[float], seed: int) -> None:
    second = np.asarray(first) + np.random.default_rng(seed).normal(size=len(first))
    found, test = bayesian_t_test(first, second, 0.25), corrected_t_test(first, second, 0.25)
    assert min(found.p_first, found.p_second) == pytest.approx(test.p_value / 2, rel=1e-9, abs=1e-15)
    assert found.p_equivalent == 0


def test_models_that_differ_by_the_same_on_every_fold() -> None:
    inside = bayesian_t_test([0.61, 0.71, 0.81], [0.6, 0.7, 0.8], 0.25, rope=0.02)
    assert (inside.p_first, inside.p_equivalent, inside.p_second) == (0, 1, 0)
    outside = bayesian_t_test([0.5, 0.6, 0.7], [0.6, 0.7, 0.8], 0.25, rope=0.02)
    assert (outside.p_first, outside.p_equivalent, outside.p_second) == (0, 0, 1)


def test_equal_models() -> None:
    assert corrected_t_test([0.5, 0.6, 0.7], [0.5, 0.6, 0.7], 0.25).p_value == 1
    assert corrected_t_test([0.6, 0.7, 0.8], [0.5, 0.6, 0.7], 0.25).p_value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("b", "c"), list(product(range(7), range(7))))
def test_mcnemar_counts(b: int, c: int) -> None:
    first = [1] * b + [0] * c + [1, 0]
    second = [0] * b + [1] * c + [1, 0]
    found = mcnemar_test(first, second)
    wanted = scipy.stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert found.p_value == pytest.approx(wanted, rel=1e-12)
    assert found.difference == pytest.approx((b - c) / (b + c + 2))


def test_mcnemar_of_many_rows() -> None:
    found = mcnemar_test([1] * 40 + [0] * 20, [0] * 40 + [1] * 20)
    assert found.statistic == pytest.approx(19**2 / 60)
    assert found.p_value == pytest.approx(scipy.stats.chi2.sf(19**2 / 60, 1), rel=1e-12)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]).round(12).tolist() == [0.03, 0.06, 0.06, 0.02]
    assert holm([0.6, 0.9]).tolist() == [1, 1]
    assert holm([]).tolist() == []


def test_the_interval_of_a_mean() -> None:
    found = score_interval([0.8, 0.9, 1.0])
    low, high = scipy.stats.t.interval(0.95, 2, loc=0.9, scale=0.1 / np.sqrt(3))
    assert (found.low, found.high) == (pytest.approx(low, rel=1e-10), pytest.approx(high, rel=1e-10))
    assert score_interval([0.8, 0.9, 1.0], 0.5).low < found.low


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: corrected_t_test([1], [2], 0), DataError, "at least two; got 1 and 1"),
        (lambda: corrected_t_test([1, 2], [2], 0), DataError, "on the same folds"),
        (lambda: corrected_t_test([1, np.nan], [2, 3], 0), DataError, "scores must be finite"),
        (lambda: corrected_t_test([1, 2], [2, 3], -1), ParameterError, "test_share must be 0 or more"),
        (lambda: bayesian_t_test([1, 2], [2, 3], 0.25, -1), ParameterError, "rope must be 0 or more"),
        (lambda: mcnemar_test([], []), DataError, "for the same rows"),
        (lambda: mcnemar_test([1], [1], "other"), ParameterError, "method must be"),
        (lambda: score_interval([1.0]), DataError, "at least two finite numbers"),
        (lambda: score_interval([1.0, 2.0], level=2), ParameterError, "level must be between 0 and 1"),
    ],
)
def test_what_cannot_be_tested_is_said(call: object, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        call()  # type: ignore[operator]
