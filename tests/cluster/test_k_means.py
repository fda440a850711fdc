"""k-means: what mathematics asks of it, the reference, ties, empty centers, weights and odd tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError
from pellucid.cluster import KMeans, distortion_curve, elbow_point
from pellucid.metrics import silhouette_score
from pellucid.reference import k_means as reference

QUIET = pytest.mark.filterwarnings("ignore::pellucid.base.errors.ConvergenceWarning")


def blobs(rows: int = 300, columns: int = 4, groups: int = 5, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    middle = 4 * random.normal(size=(groups, columns))
    return middle[random.integers(0, groups, rows)] + random.normal(size=(rows, columns))


def has_ties(X: Any, path: list[Any]) -> bool:
    """Whether in some pass a row has two different centers at the same distance, up to rounding."""
    for centers in path:
        distances = reference.squared_distances(X, centers)
        nearest = centers[distances.argmin(axis=1)]
        tied = distances <= distances.min(axis=1, keepdims=True) + 1e-9
        if any((centers[row] != center).any() for row, center in zip(tied, nearest, strict=True)):
            return True
    return False


def check_fixed_point(model: Any, X: Any, weight: Any) -> None:
    """Every row belongs to a nearest center, and every center with rows is their weighted mean."""
    distances = reference.squared_distances(X, model.cluster_centers_)
    assert (distances[np.arange(len(X)), model.labels_] <= distances.min(axis=1) + 1e-9).all()
    for c in np.unique(model.labels_):
        rows = model.labels_ == c
        mean = np.average(X[rows], axis=0, weights=None if weight is None else weight[rows])
        np.testing.assert_allclose(model.cluster_centers_[c], mean, rtol=1e-9, atol=1e-9)


@QUIET
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 5), st.integers(1, 20), st.booleans(), st.booleans())
def test_the_kernel_is_the_reference(seed: int, n: int, p: int, k: int, whole: bool, weighted: bool) -> None:
    """Whole numbers have ties, duplicates and centers without rows.

    Distances to sparse rows are computed from dot products, whose rounding can decide a tie the other way.
    """
    random = np.random.default_rng(seed)
    k = min(k, n)
    X = random.integers(0, 4, size=(n, p)).astype(float) if whole else random.normal(size=(n, p))
    weight = random.integers(1, 4, size=n).astype(float) if weighted else None
    start = X[random.choice(n, k, replace=False)]
    expected = reference.k_means(X, start, weight)
    tied = has_ties(X, [*expected.path, expected.centers])
    for algorithm in ("lloyd", "elkan"):
        for table in (X, scipy.sparse.csr_matrix(X)):
            model = KMeans(k, init=start, tol=0, algorithm=algorithm).fit(table, sample_weight=weight)
            np.testing.assert_array_equal(model.predict(table), model.labels_)
            if scipy.sparse.issparse(table) and tied:
                check_fixed_point(model, X, weight)
            else:
                assert model.inertia_ == pytest.approx(expected.distortion, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("k", [3, 17, 40])
def test_what_is_left_out_of_a_pass_changes_no_bit(k: int) -> None:
    """One bound, a bound a panel, and from any pass on: a run cut short and gone on with is the run itself."""
    X = blobs(groups=k)
    one = KMeans(k, init=X[:k], tol=0).fit(X)
    many = KMeans(k, init=X[:k], tol=0, algorithm="elkan").fit(X)
    np.testing.assert_array_equal(one.cluster_centers_, many.cluster_centers_)
    np.testing.assert_array_equal(one.labels_, many.labels_)
    half = KMeans(k, init=X[:k], tol=0, max_iter=3).fit(X)
    rest = KMeans(k, init=half.cluster_centers_, tol=0).fit(X)
    np.testing.assert_allclose(rest.cluster_centers_, one.cluster_centers_, rtol=1e-9)


def test_the_distortion_never_rises_and_ends_at_means() -> None:
    X = blobs()
    model = KMeans(5, random_state=0, tol=0)
    record = model.fit_with_history(X)["passes"][1]
    assert (np.diff(record[:, 2]) <= 1e-9 * record[0, 2]).all()
    assert len(record) == model.n_iter_
    for c in range(5):
        np.testing.assert_allclose(model.cluster_centers_[c], X[model.labels_ == c].mean(axis=0), rtol=1e-12)
    squares = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.labels_, squares.argmin(axis=1))
    assert model.inertia_ == pytest.approx(squares.min(axis=1).sum(), rel=1e-12)
    assert model.average_distortion_ == pytest.approx(model.inertia_ / len(X), rel=1e-12)


def test_a_weight_of_two_is_the_row_written_twice() -> None:
    X = blobs(80)
    weight = np.random.default_rng(0).integers(0, 4, 80)
    weight[:5] = 1
    twice = KMeans(5, init=X[:5]).fit(np.repeat(X, weight, axis=0))
    weighted = KMeans(5, init=X[:5]).fit(X, sample_weight=weight)
    # tol is a share of the variance, which weights change too
    np.testing.assert_allclose(weighted.cluster_centers_, twice.cluster_centers_, rtol=1e-9)
    assert weighted.inertia_ == pytest.approx(twice.inertia_, rel=1e-9)


@pytest.mark.parametrize("power", [400, -400])
def test_any_scale_gives_the_same_groups(power: int) -> None:
    X = blobs()
    plain, scaled = KMeans(5, random_state=0).fit(X), KMeans(5, random_state=0).fit(np.ldexp(X, power))
    np.testing.assert_array_equal(scaled.labels_, plain.labels_)
    np.testing.assert_allclose(np.ldexp(scaled.cluster_centers_, -power), plain.cluster_centers_, rtol=1e-12)


def test_columns_far_from_zero_keep_their_digits() -> None:
    X = np.round(blobs() * 64) / 64
    near, far = KMeans(5, random_state=0).fit(X), KMeans(5, random_state=0).fit(X + 2.0**30)
    np.testing.assert_array_equal(far.labels_, near.labels_)
    assert far.inertia_ == pytest.approx(near.inertia_, rel=1e-6)


def test_fewer_distinct_rows_than_centers_are_said() -> None:
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller than n_clusters \(3\)"):
        model = KMeans(3, random_state=0).fit([[0.0], [0.0], [1.0], [1.0]])
    assert model.inertia_ == 0


def test_more_starts_end_no_higher() -> None:
    X = blobs(groups=9)
    one, ten = (KMeans(9, init="random", n_init=n, random_state=3).fit(X) for n in (1, 10))
    assert ten.inertia_ <= one.inertia_


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (KMeans(5), "at most the number of rows; got n_clusters=5 with n_samples=4"),
        (KMeans(2, init=[[0.0, 1.0]]), r"a row for each of 2 clusters and 2 columns; got shape \(1, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused(model: KMeans, words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        model.fit(np.arange(8.0).reshape(4, 2))


def test_the_bend_of_a_curve() -> None:
    random = np.random.default_rng(0)
    middle = np.array([[0.0, 0.0], [10.0, 0.0], [5.0, 9.0]])
    X = middle[random.integers(0, 3, 200)] + random.normal(size=(200, 2))
    curve = distortion_curve(X, range(1, 8), silhouette=True, n_init=5, random_state=0)
    assert curve.elbow == curve.best_silhouette == 3
    assert (np.diff(curve.distortion) < 0).all()
    assert curve.silhouette is not None
    assert np.isnan(curve.silhouette[0])
    assert curve.silhouette[2] == pytest.approx(silhouette_score(X, curve.models[2].labels_))
    np.testing.assert_allclose(curve.average, curve.distortion / 200)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=3, max_size=9))
def test_the_bend_is_that_of_the_reference(falls: list[float]) -> None:
    distortion = np.cumsum([*falls, 1.0])[::-1]
    k = list(range(2, 2 + len(distortion)))
    assert elbow_point(k, distortion) == reference.elbow(k, distortion.tolist())


@pytest.mark.parametrize(
    ("k", "distortion", "words"),
    [
        ([1, 2], [2, 1], "three numbers or more"),
        ([1, 3, 2], [3, 2, 1], "k must rise"),
        ([1, 2, 3], [1, 1, 1], "larger for the first k"),
    ],
)
def test_a_curve_without_a_bend_is_refused(k: Any, distortion: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        elbow_point(k, distortion)
