"""Columns that share one: the example done by hand, and what holds for any table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pellucid.reference.feature_bundling import bundles, conflicts, merged, offsets, order_of, parted

FEATURES = np.array([[0, 2, 0], [1, 0, 1], [3, 2, 0], [0, 0, 3], [4, 0, 0], [0, 2, 0]])


def test_the_example_by_hand() -> None:
    assert_array_equal(conflicts(FEATURES), [[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    assert bundles(FEATURES) == [[0], [1, 2]]
    assert offsets(FEATURES, [1, 2]) == [0, 2]
    assert_array_equal(merged(FEATURES, [1, 2], constant=0), [2, 1, 2, 3, 0, 2])
    assert_array_equal(merged(FEATURES, [1, 2]), [2, 3, 2, 5, 0, 2])
    assert_array_equal(merged(FEATURES, [1, 2], constant=10), [12, 11, 12, 13, 0, 12])


def test_a_constant_mixes_up_what_offsets_keep_apart() -> None:
    X = np.array([[1, 0], [0, 1]])
    assert_array_equal(merged(X, [0, 1], constant=10), [11, 11])
    assert_array_equal(merged(X, [0, 1]), [1, 2])


def test_a_tolerance_counts_all_rows_of_a_bundle() -> None:
    assert order_of(FEATURES) == [0, 1, 2]
    assert bundles(FEATURES, tolerance=1) == [[0, 1], [2]]
    assert bundles(FEATURES, tolerance=2) == [[0, 1, 2]]
    assert_array_equal(merged(FEATURES, [0, 1]), [6, 1, 6, 0, 4, 6])  # row 3 has both: the later stays


def test_columns_with_more_values_come_first() -> None:
    X = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1]])
    assert order_of(X) == [2, 0, 1]
    assert bundles(X) == [[2], [0, 1]]


def test_values_below_0_have_no_range() -> None:
    with pytest.raises(ValueError, match="must be 0 or above"):
        offsets([[-1.0, 0], [0, 2]], [0, 1])


@given(st.integers(0, 10_000), st.integers(0, 3))
def test_bundles_part_the_columns_and_can_be_undone(seed: int, tolerance: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 5, (12, 6)) * (rng.random((12, 6)) < rng.choice([0.1, 0.3]))
    found = bundles(X, tolerance)
    assert sorted(j for bundle in found for j in bundle) == list(range(6))
    for bundle in found:
        values = X[:, bundle]
        clashes = np.maximum((values != 0).sum(axis=1) - 1, 0).sum()
        assert clashes <= tolerance
        back = parted(merged(X, bundle), offsets(X, bundle))
        single = (values != 0).sum(axis=1) <= 1
        assert_array_equal(back[single], values[single])
