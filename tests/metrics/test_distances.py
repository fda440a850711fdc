"""Distances against their definitions, on awkward rows, and their axioms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pellucid import metrics
from pellucid.base.errors import DataError, DataTypeError, ParameterError
from pellucid.reference import distances as reference

NAN = float("nan")
ROWS = np.array(
    [
        [0, 0, 0, 0, 0],
        [1, 0, 2, 0, 1],
        [1, 0, 2, 0, 1.5],
        [-1, 3, 0.5, 0, 0],
        [1e8, 1e8, 1e8, 1e8, 1e8 + 1],
        [0, 1, 0, 1, 0],
    ]
)
NAMES = ("euclidean", "manhattan", "chebyshev", "hamming", "jaccard", "tanimoto", "cosine", "canberra", "braycurtis")


@pytest.mark.parametrize("name", NAMES)
def test_a_table_holds_what_the_definition_says(name: str) -> None:
    found = metrics.pairwise_distances(ROWS, ROWS[::-1].copy(), metric=name)
    expected = [[getattr(reference, name)(a, b) for b in ROWS[::-1]] for a in ROWS]
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=3e-16)


@pytest.mark.parametrize("name", NAMES)
def test_one_table_with_itself_is_the_two_table_answer(name: str) -> None:
    rows = np.random.default_rng(0).normal(size=(300, 13))
    alone = metrics.pairwise_distances(rows, metric=name)
    np.testing.assert_array_equal(alone, alone.T)
    np.testing.assert_array_equal(np.diagonal(alone), 0.0)
    np.testing.assert_allclose(
        alone, metrics.pairwise_distances(rows, rows.copy(), metric=name), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("columns", [3, 40])
def test_rows_that_nearly_coincide_keep_their_digits(columns: int) -> None:
    rng = np.random.default_rng(1)
    rows = 1e6 + rng.normal(size=(50, columns)).round(3)
    near = rows + 2.0**-20 * rng.integers(-8, 9, rows.shape)
    expected = [[reference.euclidean(a, b) for b in near] for a in rows]
    np.testing.assert_allclose(metrics.euclidean_distances(rows, near), expected, rtol=1e-12)


@pytest.mark.parametrize("size", [1e-200, 1e200])
@pytest.mark.parametrize("columns", [2, 20])
def test_squares_beyond_the_range_of_numbers(size: float, columns: int) -> None:
    a, b = np.full((2, columns), 3.0) * size, np.full((3, columns), 7.0) * size
    expected = np.full((2, 3), 4 * np.sqrt(columns) * size)
    np.testing.assert_allclose(metrics.euclidean_distances(a, b), expected, rtol=1e-14)
    np.testing.assert_allclose(metrics.pairwise_distances(a, b, "minkowski", p=2), expected, rtol=1e-14)


def test_the_number_of_threads_changes_no_bit() -> None:
    rows = np.random.default_rng(2).normal(size=(400, 30))
    for name in ("euclidean", "manhattan", "cosine"):
        one, two, three = (metrics.pairwise_distances(rows, metric=name, n_jobs=jobs) for jobs in (1, 2, 3))
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)


def test_single_precision_stays_and_any_layout_is_read() -> None:
    rows = np.random.default_rng(3).normal(size=(60, 24))
    expected = metrics.euclidean_distances(rows)
    assert metrics.euclidean_distances(rows.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(metrics.euclidean_distances(rows.astype(np.float32)), expected, rtol=1e-5, atol=1e-6)
    for same in (np.asfortranarray(rows), np.repeat(rows, 2, axis=0)[::2], pd.DataFrame(rows), pl.DataFrame(rows)):
        np.testing.assert_allclose(metrics.euclidean_distances(same), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "manhattan", "cosine"])
def test_sparse_tables(name: str) -> None:
    rows = np.where(np.random.default_rng(4).random((30, 12)) < 0.3, 2.5, 0.0)
    table = sp.csr_matrix(rows)
    expected = metrics.pairwise_distances(rows, rows[:7], metric=name)
    np.testing.assert_allclose(metrics.pairwise_distances(table, table[:7], metric=name), expected, atol=1e-12)
    with pytest.raises(DataTypeError, match="needs dense tables"):
        metrics.pairwise_distances(table, metric="chebyshev")


def test_minkowski_holds_the_others() -> None:
    for p, name in ((1, "manhattan"), (2, "euclidean"), (np.inf, "chebyshev")):
        np.testing.assert_array_equal(
            metrics.pairwise_distances(ROWS, metric="minkowski", p=p), metrics.pairwise_distances(ROWS, metric=name)
        )
    found = metrics.minkowski_distance(ROWS[1], ROWS[3], p=3)
    assert found == pytest.approx(reference.minkowski(ROWS[1], ROWS[3], 3), rel=1e-14)
    twice = metrics.minkowski_distance([0, 0], [3, 4], p=2, w=[2, 1])
    assert twice == pytest.approx(np.sqrt(2 * 9 + 16), rel=1e-15)


def test_mahalanobis_by_its_definition() -> None:
    rng = np.random.default_rng(5)
    V = np.cov(rng.normal(size=(4, 30)))
    a, b = rng.normal(size=(2, 4))
    assert metrics.mahalanobis_distance(a, b, V=V) == pytest.approx(reference.mahalanobis(a, b, V), rel=1e-12)
    assert metrics.mahalanobis_distance(a, b, VI=np.linalg.inv(V)) == pytest.approx(
        reference.mahalanobis(a, b, V), rel=1e-12
    )
    with pytest.raises(DataError, match="positive definite"):
        metrics.mahalanobis_distance(a, b, V=np.ones((4, 4)))


def test_gaps_are_left_out() -> None:
    rows = np.array([[1, NAN, 3], [2, 5, NAN], [NAN, NAN, NAN], [0, 1, 2]])
    expected = [[reference.nan_euclidean(a, b) for b in rows] for a in rows]
    np.testing.assert_allclose(metrics.nan_euclidean_distances(rows, rows.copy()), expected, rtol=1e-14)
    np.testing.assert_allclose(
        metrics.nan_euclidean_distances(np.nan_to_num(rows, nan=-9.0), missing_values=-9.0), expected, rtol=1e-14
    )


# --------------------------------------------------------------------------------------------------------------- Gower

PEOPLE = pd.DataFrame(
    {
        "age": [22.0, 30.0, 25.0, 62.0, NAN],
        "town": pd.Categorical(["Bern", "Bern", None, "Basel", "Bern"]),
        "smokes": [True, False, False, True, True],
        "job": ["cook", "cook", "judge", "judge", "cook"],
    }
)


def test_gower_by_its_definition() -> None:
    weights = [2.0, 1.0, 1.0, 0.5]
    codes = np.column_stack((PEOPLE["age"], [1, 1, NAN, 0, 1], PEOPLE["smokes"].astype(float), [0, 0, 1, 1, 0]))
    expected = [[reference.gower(a, b, [40, 0, 1, 0], [0, 1, 0, 1], weights) for b in codes] for a in codes]
    np.testing.assert_allclose(metrics.gower_distances(PEOPLE, weights=weights), expected, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(
        metrics.gower_distances(pl.from_pandas(PEOPLE), weights=weights), expected, rtol=1e-14, atol=1e-16
    )


def test_gower_of_another_table() -> None:
    other = pd.DataFrame({"age": [22.0], "town": ["Chur"], "smokes": [True], "job": ["cook"]})
    found = metrics.gower_distances(PEOPLE, other)
    assert found[0, 0] == pytest.approx(1 / 4)  # a town that PEOPLE lacks is another town, not a missing one
    assert found[2, 0] == pytest.approx((3 / 40 + 1 + 1) / 3)  # no town of its own: of three columns
    assert metrics.gower_distance({"a": 1, "b": "x"}, {"a": 3, "b": "x"}, ranges={"a": 4}) == 0.25
    both = metrics.gower_distances(pd.DataFrame({"a": [0.0]}), pd.DataFrame({"a": [NAN]}))
    assert np.isnan(both).all()


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e300, 8e307])
def test_gower_of_ranges_that_are_no_ordinary_numbers(size: float) -> None:
    """Values -2, -1, 0 and 2 times a size: shares of the range are quarters, whatever the size."""
    X = pd.DataFrame({"a": np.array([-2.0, -1.0, 0.0, 2.0]) * size, "b": list("uuuv")})
    assert metrics.gower_distances(X)[0].tolist() == [0, 1 / 8, 1 / 4, 1]
    assert metrics.gower_distances(X.iloc[:2], X)[0].tolist() == [0, 1 / 8, 1 / 4, 1]
    nullable = X.assign(b=X["b"].astype("string").where(X["b"] == "u", pd.NA))
    assert metrics.gower_distances(nullable)[0].tolist() == [0, 1 / 8, 1 / 4, 1]


# -------------------------------------------------------------------------------------------------------------- axioms


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, (3, 4), elements=st.integers(-6, 6).map(float)),
    st.sampled_from(["euclidean", "manhattan", "chebyshev", "hamming", "canberra"]),
)
def test_axioms_of_a_distance(rows: Any, name: str) -> None:
    d = metrics.pairwise_distances(rows, rows.copy(), metric=name)
    assert (d >= 0).all()
    np.testing.assert_array_equal(d, d.T)
    assert all((d[i, j] == 0) == np.array_equal(rows[i], rows[j]) for i in range(3) for j in range(3))
    assert d[0, 2] <= d[0, 1] + d[1, 2] + 1e-12


# ----------------------------------------------------------------------------------------------------------- bad input


def test_the_nearest_row_is_the_first_of_equals() -> None:
    nearest, distances = metrics.pairwise_distances_argmin_min([[0.0], [4.0]], [[1.0], [-1.0], [5.0], [3.0]])
    assert (nearest.tolist(), distances.tolist()) == ([0, 2], [1.0, 1.0])
    assert metrics.pairwise_distances_argmin([[0.0], [4.0]], [[5.0]], axis=0).tolist() == [1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: metrics.pairwise_distances(ROWS, metric="euklid"), ParameterError, "did you mean 'euclidean'"),
        (lambda: metrics.pairwise_distances(ROWS, metric="manhattan", p=3), ParameterError, "takes no setting; got p"),
        (lambda: metrics.pairwise_distances(ROWS, metric="minkowski", p=-1), ParameterError, "p must be above 0"),
        (lambda: metrics.pairwise_distances(ROWS, ROWS[:, :3]), DataError, "the same columns"),
        (lambda: metrics.euclidean_distances([1.0, 2.0]), DataError, "Reshape your data"),
        (lambda: metrics.euclidean_distances([[1.0, NAN]]), DataError, "contains NaN"),
        (lambda: metrics.euclidean_distances([["a"]]), DataTypeError, "must hold numbers"),
        (lambda: metrics.pairwise_distances(ROWS, metric="mahalanobis"), DataError, "positive definite"),
        (
            lambda: metrics.pairwise_distances(ROWS, metric="seuclidean", V=[0, 1, 1, 1, 1]),
            DataError,
            "variance above 0",
        ),
        (lambda: metrics.pairwise_distances([[1, 2, 3]], metric="precomputed"), DataError, "one column for each row"),
        (lambda: metrics.rbf_kernel(ROWS, gamma=-1), ParameterError, "gamma must be 0 or more"),
        (lambda: metrics.pairwise_kernels(ROWS, metric="rbf", degree=2), ParameterError, "takes gamma; got degree"),
        (lambda: metrics.chi2_kernel([[-1.0]]), DataError, "negative"),
        (lambda: metrics.gower_distances([[1, "a"]], weights=[0, 0]), ParameterError, "weights must be"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
