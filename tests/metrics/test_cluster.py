"""Scores of a clustering by hand, against the reference, at the ends of the range, and what is refused."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from pellucid import metrics
from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.metrics import cluster
from pellucid.metrics.cluster import _expected_information
from pellucid.reference import metrics_cluster as reference

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 3)) + np.repeat([[0.0], [2.0]], 20, axis=0)
TRUE = RANDOM.integers(0, 4, 40)
FOUND = np.where(RANDOM.random(40) < 0.6, TRUE, RANDOM.integers(0, 5, 40))


def test_the_reference_agrees_by_rows() -> None:
    distances = reference.distances(X)
    wanted = reference.silhouette_samples(distances, TRUE)
    np.testing.assert_allclose(metrics.silhouette_samples(X, TRUE), wanted, rtol=1e-10)
    np.testing.assert_allclose(metrics.silhouette_samples(distances, TRUE, metric="precomputed"), wanted, rtol=1e-10)
    assert metrics.silhouette_score(X, TRUE) == pytest.approx(wanted.mean(), rel=1e-12)
    assert metrics.calinski_harabasz_score(X, TRUE) == pytest.approx(reference.calinski_harabasz(X, TRUE), rel=1e-10)
    assert metrics.davies_bouldin_score(X, TRUE) == pytest.approx(reference.davies_bouldin(X, TRUE), rel=1e-10)


def test_the_reference_agrees_against_classes() -> None:
    h, c, v = reference.homogeneity_completeness_v(TRUE, FOUND, beta=0.5)
    for found, wanted in [
        (metrics.contingency_matrix(TRUE, FOUND), reference.contingency(TRUE, FOUND)),
        (metrics.rand_score(TRUE, FOUND), reference.rand(TRUE, FOUND)),
        (metrics.adjusted_rand_score(TRUE, FOUND), reference.adjusted_rand(TRUE, FOUND)),
        (metrics.fowlkes_mallows_score(TRUE, FOUND), reference.fowlkes_mallows(TRUE, FOUND)),
        (metrics.mutual_info_score(TRUE, FOUND), reference.mutual_information(TRUE, FOUND)),
        (metrics.adjusted_mutual_info_score(TRUE, FOUND), reference.adjusted_mutual_information(TRUE, FOUND)),
        (metrics.homogeneity_score(TRUE, FOUND), h),
        (metrics.completeness_score(TRUE, FOUND), c),
        (metrics.v_measure_score(TRUE, FOUND, beta=0.5), v),
    ]:
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_expected_information_with_exact_binomials() -> None:
    """The reference takes the binomials as whole numbers; sizes at which factorials are beyond floating point."""
    true, found = np.repeat([0, 1, 2], [150, 90, 20]), np.tile([0, 1, 1, 2], 65)
    a, b = np.bincount(true), np.bincount(found)
    wanted = reference.expected_mutual_information(true, found)
    assert _expected_information(a, b) == pytest.approx(wanted, rel=1e-11)


def test_expected_information_is_the_mean_over_all_orders() -> None:
    """Five rows, all 120 orders of the second grouping."""
    from itertools import permutations

    true, found = [0, 0, 0, 1, 1], [0, 0, 1, 1, 2]
    drawn = [reference.mutual_information(true, order) for order in permutations(found)]
    assert _expected_information(np.bincount(true), np.bincount(found)) == pytest.approx(np.mean(drawn))


def test_silhouettes_by_hand() -> None:
    """Points 0, 1 | 4 | 6, 8, on a line. Row 0: a = 1, b = min(4, 7) = 4. Row 3: a = 2, b = min(5.5, 2) = 2."""
    found = metrics.silhouette_samples([[0], [1], [4], [6], [8]], [0, 0, 1, 2, 2])
    np.testing.assert_allclose(found, [0.75, 2 / 3, 0, 0, 0.5])


def test_distances_need_not_be_symmetric() -> None:
    """Only the distances from a row count: row 0 has a = 1 and b = 4, row 1 a = 2 and b = 1."""
    D = [[0, 1, 4], [2, 0, 1], [9, 9, 0]]
    np.testing.assert_allclose(metrics.silhouette_samples(D, ["x", "x", "y"], metric="precomputed"), [0.75, -0.5, 0])


def test_equal_rows() -> None:
    assert metrics.silhouette_samples([[1.0]] * 4, [0, 0, 1, 1]).tolist() == [0] * 4
    assert metrics.davies_bouldin_score([[1.0]] * 4, [0, 0, 1, 1]) == 0
    assert metrics.calinski_harabasz_score([[1.0]] * 4, [0, 0, 1, 1]) == 1
    tight = np.repeat([[0.1, 0.7], [0.3, 0.2]], 3, axis=0)  # the mean of three times 0.1 is rounded
    assert metrics.calinski_harabasz_score(tight, [0, 0, 0, 1, 1, 1]) == 1
    assert metrics.davies_bouldin_score(tight, [0, 0, 0, 1, 1, 1]) == 0


def test_clusters_with_one_mean() -> None:
    assert metrics.davies_bouldin_score([[-0.1], [0.1], [-0.3], [0.3]], [0, 0, 1, 1]) == 0


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**-40, 2.0**40, 2.0**900])
def test_the_unit_does_not_matter(scale: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("silhouette_score", "davies_bouldin_score", "calinski_harabasz_score"):
            assert getattr(metrics, name)(X * scale, TRUE) == pytest.approx(getattr(metrics, name)(X, TRUE), rel=1e-12)
        D = reference.distances(X)
        found = metrics.silhouette_score(D * scale, TRUE, metric="precomputed")
        assert found == pytest.approx(metrics.silhouette_score(X, TRUE), rel=1e-12)


def test_the_largest_numbers_there_are() -> None:
    huge = np.finfo(np.float64).max
    table, labels = [[-huge], [-huge], [huge], [huge / 2]], [0, 0, 1, 1]
    small = [[-1.0], [-1.0], [1.0], [0.5]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("silhouette_score", "davies_bouldin_score", "calinski_harabasz_score"):
            assert getattr(metrics, name)(table, labels) == pytest.approx(getattr(metrics, name)(small, labels))


def test_near_rows_far_from_zero_keep_their_digits() -> None:
    """Distances by |x|² + |z|² - 2 x·z would be rounding here."""
    near = np.array([[0.0], [1.0], [10.0], [11.0]])
    found = metrics.silhouette_samples(near + 2.0**50, [0, 0, 1, 1])
    np.testing.assert_array_equal(found, metrics.silhouette_samples(near, [0, 0, 1, 1]))


def test_silhouettes_of_many_rows_take_little_memory() -> None:
    """All distances of 6,000 rows would take 288 MB."""
    random = np.random.default_rng(1)
    table, labels = random.normal(size=(6_000, 2)), random.integers(0, 5, 6_000)
    tracemalloc.start()
    metrics.silhouette_score(table, labels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16e6


def test_every_row_a_group_of_its_own() -> None:
    """Every table then has the same information, so there is nothing above chance; and 0 / 0 counts as perfect."""
    own, two = list(range(6)), [0, 0, 0, 1, 1, 1]
    assert metrics.adjusted_mutual_info_score(own, own[::-1]) == 1
    assert metrics.adjusted_mutual_info_score(own, two) == pytest.approx(0, abs=1e-12)
    assert metrics.adjusted_mutual_info_score(own, two, average_method="min") == 1


def test_v_measure_of_homogeneity_alone() -> None:
    """With beta = 0 it is the homogeneity; and 0 where the completeness is, as for every other beta."""
    assert metrics.v_measure_score([0, 0, 1, 1], [0, 1, 2, 3], beta=0) == 1
    assert metrics.v_measure_score([0, 0, 0], [0, 0, 1], beta=0) == 0


def test_independent_groupings_have_exactly_no_information() -> None:
    true, found = np.repeat(np.arange(3), 14), np.tile(np.arange(7), 6)
    assert metrics.mutual_info_score(true, found) == 0
    assert metrics.normalized_mutual_info_score(true, found) == 0
    assert metrics.v_measure_score(true, found) == 0


def test_the_same_grouping_scores_exactly_one() -> None:
    true = RANDOM.integers(0, 9, 200)
    found = np.array(list("ihgfedcba"))[true]
    for name in [name for name in cluster.__all__ if name.endswith("_score") and name != "mutual_info_score"]:
        assert getattr(metrics, name)(true, found) == pytest.approx(1, abs=1e-15), name


def test_pairs_of_many_rows_do_not_overflow() -> None:
    """Two million rows: products of the numbers of pairs pass the largest 64-bit whole number."""
    true = np.arange(2_000_000) % 2
    found = np.arange(2_000_000) % 3
    assert metrics.adjusted_rand_score(true, found) == pytest.approx(0, abs=1e-5)
    assert metrics.adjusted_rand_score(true, 1 - true) == 1


@pytest.mark.parametrize("make", [pd.Series, pl.Series, pa.array, np.array, tuple, pd.Categorical])
def test_any_column_goes_in(make: Any) -> None:
    labels, found = ["a", "a", "b", "b"], [0, 0, 0, 1]
    assert metrics.rand_score(make(labels), make(found)) == 0.5
    table = pl.DataFrame({"x": [0.0, 2.0, 9.0, 11.0]})
    for rows in (table, table.to_pandas(), table.to_arrow().to_pandas()):
        assert metrics.silhouette_score(rows, make(labels)) == pytest.approx(0.775)


LINE = [[0.0], [1.0], [2.0]]
REFUSED: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    (
        "silhouette_score",
        (LINE, [0, 0, 0]),
        {},
        "silhouette_score: Number of labels is 1. Valid values are 2 to n_samples - 1 (inclusive); got 3 rows.",
    ),
    (
        "davies_bouldin_score",
        (LINE, [0, 1, 2]),
        {},
        "davies_bouldin_score: Number of labels is 3. Valid values are 2 to n_samples - 1 (inclusive); got 3 rows.",
    ),
    (
        "calinski_harabasz_score",
        (LINE, [0, 1]),
        {},
        "calinski_harabasz_score: X, labels must be of equal length; Found input variables with inconsistent "
        "numbers of samples: [3, 2].\nhint: give one value a row in each.",
    ),
    (
        "silhouette_samples",
        ([], []),
        {},
        "silhouette_samples: Found array with 0 sample(s) in X (shape=(0,)) while a minimum of 1 is required.\n"
        "hint: check the selection that made it.",
    ),
    (
        "silhouette_samples",
        (np.empty((2, 0)), [1, 2]),
        {},
        "silhouette_samples: Found array with 0 feature(s) in X (shape=(2, 0)) while a minimum of 1 is required.\n"
        "hint: check the selection that made it.",
    ),
    (
        "silhouette_samples",
        ([0.0, 1.0, 2.0], [0, 0, 1]),
        {},
        "silhouette_samples: Expected 2D array, got 1D array instead; X has 3 values.\n"
        "hint: Reshape your data: X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row.",
    ),
    (
        "silhouette_samples",
        (LINE, [0, 0, 1]),
        {"metric": "cosine"},
        "silhouette_samples: metric must be 'euclidean' or 'precomputed'; got 'cosine'.\n"
        "hint: compute other distances first and pass them with metric='precomputed'.",
    ),
    (
        "silhouette_samples",
        (LINE, [0, 0, 1]),
        {"metric": "precomputed"},
        "silhouette_samples: Precomputed metric requires shape (n_queries, n_indexed). Got (3, 1) for 3 indexed.\n"
        "hint: give a square table of distances, or leave metric='precomputed' out.",
    ),
    (
        "silhouette_samples",
        ([[0, 1, -2], [1, 0, 1], [2, 1, 0]], [0, 0, 1]),
        {"metric": "precomputed"},
        "silhouette_samples: Precomputed distance need to have non-negative values; got -2 between rows 0 and 2.",
    ),
    (
        "silhouette_samples",
        ([[0, 1, 2], [1, 5, 1], [2, 1, 0]], [0, 0, 1]),
        {"metric": "precomputed"},
        "silhouette_samples: The precomputed distance matrix contains non-zero elements on the diagonal; "
        "found in row 1.\nhint: fill the diagonal of X with zeros.",
    ),
    (
        "silhouette_score",
        (LINE, [0, 0, 1]),
        {"sample_size": 0},
        "silhouette_score: sample_size must be a whole number of at least 1; got 0.",
    ),
    (
        "silhouette_score",
        (sp.csr_array(LINE), [0, 0, 1]),
        {},
        "silhouette_score: Sparse data was passed for X, but dense data is required.\nhint: turn it into an "
        "array with X.toarray().",
    ),
    (
        "rand_score",
        ([1, "a", 2.5], [0, 0, 1]),
        {},
        "rand_score: labels must be of one type; Mix of label input types (string and number); labels_true "
        "holds 'a' and 1.\nhint: turn all into text, or into numbers.",
    ),
    (
        "rand_score",
        ([1, 2], [1, None]),
        {},
        "rand_score: Input labels_pred contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        "rand_score",
        ([1.0, np.nan], [1, 2]),
        {},
        "rand_score: Input labels_true contains NaN; found in row 1.\nhint: drop or fill the rows without a value.",
    ),
    (
        "rand_score",
        ([[1], [2]], [1, 2]),
        {},
        "rand_score: labels_true must be 1D: shape is (2, 1).\nhint: pass one column of labels.",
    ),
    (
        "rand_score",
        ("ab", [1, 2]),
        {},
        "rand_score: labels_true must be array-like: an array, a list or a column of a frame; got 'ab'.\nhint: "
        "pass one label a row.",
    ),
    (
        "rand_score",
        ([1j, 2, object()], [1, 2, 3]),
        {},
        "rand_score: labels_true must hold whole numbers, flags or text; unknown is not supported (got complex).",
    ),
    (
        "rand_score",
        ([1, 2, 3], [1, 2]),
        {},
        "rand_score: labels_true, labels_pred must be of equal length; Found input variables with inconsistent "
        "numbers of samples: [3, 2].\nhint: give one value a row in each.",
    ),
    (
        "mutual_info_score",
        ([], []),
        {},
        "mutual_info_score: Found array with 0 sample(s) while a minimum of 1 is required.\nhint: check the selection.",
    ),
    (
        "mutual_info_score",
        (None, [1]),
        {},
        "mutual_info_score: labels_true and labels_pred must be given where contingency is not.",
    ),
    (
        "mutual_info_score",
        (None, None),
        {"contingency": [1, 2]},
        "mutual_info_score: contingency must be a table of counts; got shape (2,).\nhint: see contingency_matrix.",
    ),
    (
        "mutual_info_score",
        (None, None),
        {"contingency": [[1, -2], [0, 3]]},
        "mutual_info_score: contingency must hold counts of at least 0, not all 0; got [-2.0].",
    ),
    (
        "contingency_matrix",
        ([1, 2], [1, 2]),
        {"eps": 0.1, "sparse": True},
        "contingency_matrix: Cannot set 'eps' when sparse=True; got eps=0.1.\nhint: leave one out.",
    ),
    (
        "adjusted_mutual_info_score",
        ([1, 2], [1, 2]),
        {"average_method": "mean"},
        "adjusted_mutual_info_score: average_method must be one of 'min', 'geometric', 'arithmetic', 'max'; "
        "got 'mean'.",
    ),
    (
        "v_measure_score",
        ([1, 2], [1, 2]),
        {"beta": -1},
        "v_measure_score: beta must be a number of at least 0; got -1.",
    ),
]


@pytest.mark.parametrize(("name", "data", "options", "words"), REFUSED, ids=[case[3][:70] for case in REFUSED])
def test_refusals(name: str, data: Any, options: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError)) as caught:
        getattr(metrics, name)(*data, **options)
    assert str(caught.value).startswith(words)


def test_the_warning_of_continuous_labels() -> None:
    with pytest.warns(PellucidWarning, match="discrete values") as heard:
        metrics.rand_score([0.5, 1.5], [0, 1])
    assert heard[0].filename == __file__
    words = "rand_score: Clustering metrics expects discrete values but received continuous values for labels_true"
    assert str(heard[0].message) == words + "; each value is a group of its own."
