"""Rows drawn by their gradients: how many, what they count, and that sums stay what they are on average."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pellucid.reference.gradient_sampling import (
    bayesian,
    choose,
    goss,
    goss_counts,
    goss_factors,
    goss_parts,
    mvs,
    mvs_probabilities,
    mvs_threshold,
    sizes,
    variance_gain,
)

GRADIENT = np.array([0.1, -5, 0.2, 3, -0.4, 0.3, -2, 0.1, 0.6, -0.2])


def test_sizes_over_outputs_and_with_curvature() -> None:
    assert_allclose(sizes([3.0, -4]), [3, 4])
    assert_allclose(sizes([[3.0, 4], [0, -2]]), [5, 2])
    assert_allclose(sizes([3.0, 0], [2.0, 1], curvature_weight=4.0), [5, 2])


def test_goss_keeps_the_largest_and_draws_from_the_rest() -> None:
    assert goss_counts(10, 0.2, 0.3) == (2, 3)
    assert goss_counts(3, 0.1, 0.1) == (1, 1)
    kept, rest = goss_parts(np.abs(GRADIENT), 0.2, 0.3)
    assert_array_equal(kept, [1, 3])
    assert_array_equal(rest, [0, 2, 4, 5, 6, 7, 8, 9])
    factor = goss(np.abs(GRADIENT), 0.2, 0.4, np.random.default_rng(0).random(8))
    assert_array_equal(factor[[1, 3]], [1, 1])
    assert sorted(factor) == [0] * 4 + [1, 1] + [pytest.approx(2.0)] * 4


def test_goss_leaves_sums_as_they_are_on_average() -> None:
    """Over every set that may be drawn: shares that give whole numbers of rows."""
    kept, rest = goss_parts(np.abs(GRADIENT), 0.2, 0.3)
    sums = [(GRADIENT * goss_factors(10, kept, np.array(drawn), 0.2, 0.3)).sum() for drawn in combinations(rest, 3)]
    assert np.mean(sums) == pytest.approx(GRADIENT.sum())


def test_goss_with_nothing_to_leave_out() -> None:
    assert_array_equal(goss(np.abs(GRADIENT), 0.6, 0.4, np.zeros(4)), np.ones(10))


def test_places_are_drawn_evenly() -> None:
    rng = np.random.default_rng(1)
    counts = np.zeros(5)
    for _ in range(4000):
        drawn = choose(5, 2, rng.random(5))
        assert len(set(drawn.tolist())) == 2
        counts[drawn] += 1
    assert_allclose(counts / 4000, np.full(5, 0.4), atol=0.03)


def test_variance_gain_by_hand() -> None:
    left = np.arange(10) < 4
    factor = np.where(np.arange(10) % 2 == 0, 2.0, 0.0)
    # left: 2 (0.1 + 0.2) = 0.6; right: 2 (-0.4 - 2 + 0.6) = -3.6
    assert variance_gain(GRADIENT, factor, left) == pytest.approx((0.6**2 / 4 + 3.6**2 / 6) / 10)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.8, 1.0])
def test_mvs_draws_the_share_that_is_asked_for(share: float) -> None:
    size = np.abs(GRADIENT)
    t = mvs_threshold(size, share * 10)
    p = mvs_probabilities(size, share)
    assert_allclose(p, np.minimum(1, size / t))
    assert p.sum() == pytest.approx(share * 10)


def test_mvs_by_hand_and_at_its_ends() -> None:
    assert mvs_threshold([1, 1, 2, 8], 2) == 4
    assert mvs_threshold([0, 0, 3, 3], 3) == 0  # only two rows can be drawn
    assert_array_equal(mvs_probabilities([0, 0, 3, 3], 0.75), np.ones(4))
    assert_allclose(mvs([1, 1, 2, 8], 0.5, [0.2, 0.3, 0.4, 0.99]), [4, 0, 2, 1])


def test_mvs_leaves_sums_as_they_are_on_average() -> None:
    size, p = np.abs(GRADIENT), mvs_probabilities(np.abs(GRADIENT), 0.4)
    even = (np.arange(1000) + 0.5) / 1000
    mean = np.mean([mvs(size, 0.4, np.full(10, u)) for u in even], axis=0)
    assert_allclose(mean, np.ones(10), atol=0.001 / p.min())


def test_bayesian_weights() -> None:
    u = np.array([1.0, np.exp(-1), np.exp(-4)])
    assert_allclose(bayesian(u), [0, 1, 4])
    assert_allclose(bayesian(u[1:], 0.5), [1, 2])
    assert_array_equal(bayesian(u, 0.0), np.ones(3))
    assert bayesian((np.arange(10_000) + 0.5) / 10_000).mean() == pytest.approx(1, abs=1e-3)
