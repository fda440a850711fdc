"""Detectors of outliers: the reference, what mathematics asks of them, doubles, scales and odd tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.outliers import DistanceOutliers, IsolationForest, LocalOutlierFactor
from pellucid.reference import outliers as reference


def table(rows: int = 60, columns: int = 3, seed: int = 0, whole: bool = False) -> Any:
    random = np.random.default_rng(seed)
    return random.integers(0, 5, (rows, columns)).astype(float) if whole else random.normal(size=(rows, columns))


# --------------------------------------------------------------------------------------------------- local density


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 40), st.integers(1, 4), st.integers(1, 8), st.booleans())
def test_local_factors_are_those_of_the_reference(seed: int, n: int, p: int, k: int, equals: bool) -> None:
    k = min(k, n - 1)
    places = np.random.default_rng(seed).permutation(3 * n)[:n]
    X = np.column_stack([places, table(n, p, seed, whole=True)])  # ties, no doubles
    found = reference.local_outlier_factors(X, k, equals)
    model = LocalOutlierFactor(k, include_equal=equals).fit(X)
    np.testing.assert_allclose(model.k_distance_, found.k_distance, rtol=1e-12)
    np.testing.assert_array_equal(model.n_neighborhood_, found.sizes)
    np.testing.assert_allclose(model.local_reachability_density_, found.density, rtol=1e-12)
    np.testing.assert_allclose(-model.negative_outlier_factor_, found.factor, rtol=1e-12)


def test_every_search_gives_the_same_bits() -> None:
    X = table(500, 3)
    first, *others = [LocalOutlierFactor(10, algorithm=a).fit(X) for a in ("brute", "kd_tree", "ball_tree", "auto")]
    for model in others:
        np.testing.assert_array_equal(model.negative_outlier_factor_, first.negative_outlier_factor_)


@pytest.mark.parametrize("power", [300, -300])
def test_factors_do_not_depend_on_the_unit(power: int) -> None:
    X = table()
    X[:6] = X[0]  # doubles too
    plain, scaled = LocalOutlierFactor(4).fit(X), LocalOutlierFactor(4).fit(np.ldexp(X, power))
    np.testing.assert_allclose(scaled.negative_outlier_factor_, plain.negative_outlier_factor_, rtol=1e-9)


def test_rows_that_coincide_are_no_outliers_and_stay_finite() -> None:
    X = np.vstack([np.zeros((8, 2)), table(20, 2) + 50])
    model = LocalOutlierFactor(4).fit(X)
    assert np.isfinite(model.negative_outlier_factor_).all()
    np.testing.assert_allclose(model.negative_outlier_factor_[:8], -1)
    np.testing.assert_array_equal(LocalOutlierFactor(4).fit(np.ones((9, 2))).negative_outlier_factor_, -1)


def test_more_neighbors_than_rows_are_said() -> None:
    with pytest.warns(PellucidWarning, match=r"n_neighbors \(20\) is greater than n_samples \(6\)"):
        assert LocalOutlierFactor().fit(table(6)).n_neighbors_ == 5


def test_a_share_of_outliers() -> None:
    X = table(200)
    assert (LocalOutlierFactor(contamination=0.1).fit_predict(X) < 0).sum() == 20


def test_without_novelty_new_rows_are_not_answered() -> None:
    model = LocalOutlierFactor(5).fit(table())
    with pytest.raises(AttributeError, match="predict"):
        model.predict(table())
    with pytest.raises(AttributeError, match="fit_predict"):
        LocalOutlierFactor(5, novelty=True).fit_predict(table())


def test_the_detector_without_novelty_keeps_what_scikit_learn_asks() -> None:
    check_estimator(LocalOutlierFactor(n_neighbors=5))


# -------------------------------------------------------------------------------------------------------- distance


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 50), st.integers(1, 3), st.floats(0.1, 4), st.floats(0, 1))
def test_counts_and_regions_are_those_of_the_reference(seed: int, n: int, p: int, radius: float, share: float) -> None:
    X = table(n, p, seed, whole=True)
    model = DistanceOutliers(radius, share)
    said = model.fit_predict(X)
    np.testing.assert_array_equal(model.counts_, reference.near_counts(X, radius))
    flagged = reference.distance_outliers(X, radius, share)
    assert np.flatnonzero(said < 0).tolist() == flagged
    groups = [np.flatnonzero(model.regions_ == g).tolist() for g in range(model.regions_.max() + 1)]
    assert sorted(groups) == sorted(reference.regions(X, flagged, radius))
    np.testing.assert_array_equal(model.predict(X), said)
    np.testing.assert_array_equal(model.decision_function(X) >= 0, said > 0)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_counts_of_many_rows_in_parts(algorithm: Any) -> None:
    X = table(3000, 2)
    counts = DistanceOutliers(0.3, algorithm=algorithm).fit(X).counts_
    some = np.random.default_rng(0).choice(3000, 50, replace=False)
    wanted = [(np.sqrt(((X - X[i]) ** 2).sum(axis=1)) <= 0.3).sum() - 1 for i in some]
    np.testing.assert_array_equal(counts[some], wanted)


def test_a_tree_answers_sparse_rows() -> None:
    X = table(300, 3)
    model = DistanceOutliers(0.8, algorithm="kd_tree").fit(X)
    np.testing.assert_array_equal(model.predict(scipy.sparse.csr_matrix(X[:40])), model.predict(X[:40]))


# ------------------------------------------------------------------------------------------------------- isolation


def test_paths_and_scores_are_those_of_the_reference() -> None:
    X = table(100)
    model = IsolationForest(n_estimators=20, max_samples=32, random_state=0).fit(X)
    trees = [model.trees_.one(t) for t in range(20)]
    for x, score in zip(X[:10], model.score_samples(X[:10]), strict=True):
        paths = [reference.path_length(x, tree.column, tree.left, tree.threshold) for tree in trees]
        assert -score == pytest.approx(reference.isolation_score(paths, 32), rel=1e-12)


def test_trees_are_well_made() -> None:
    """Rows of children add up to the parent's; leaves are alone, alike or at the depth limit; depth and c(m) add up."""
    model = IsolationForest(n_estimators=30, max_samples=64, random_state=1).fit(table(500, 4))
    for t in range(30):
        tree = model.trees_.one(t)
        assert tree.rows[0] == 64
        depth = {0: 0}
        for v in range(len(tree.column)):
            if tree.column[v] >= 0:
                left = int(tree.left[v])
                assert tree.rows[left] + tree.rows[left + 1] == tree.rows[v]
                assert min(tree.rows[left], tree.rows[left + 1]) >= 1
                depth |= {left: depth[v] + 1, left + 1: depth[v] + 1}
            else:
                assert tree.rows[v] == 1 or depth[v] == 6
                assert tree.threshold[v] == pytest.approx(depth[v] + reference.average_path(int(tree.rows[v])))


def test_the_first_cut_is_uniform_over_the_range() -> None:
    cuts = IsolationForest(n_estimators=4000, random_state=0).fit([[0.0], [1.0]]).trees_
    first = cuts.threshold[cuts.starts[:-1]]
    assert np.abs(np.sort(first) - np.linspace(0, 1, 4000)).max() < 0.03
    columns = IsolationForest(n_estimators=4000, random_state=0).fit(table(50, 4)).trees_
    shares = np.bincount(columns.column[columns.starts[:-1]], minlength=4) / 4000
    assert np.abs(shares - 0.25).max() < 0.03


def test_samples_and_columns_of_a_tree() -> None:
    X = table(100, 6)
    X[:, 2] = 1.0  # never cut
    model = IsolationForest(n_estimators=50, max_features=2, max_samples=0.25, random_state=0).fit(X)
    assert model.max_samples_ == 25
    for t in range(50):
        assert len(set(model.trees_.one(t).column.tolist()) - {-1}) <= 2
    assert 2 not in model.trees_.column


def test_far_rows_score_lowest_in_any_unit() -> None:
    X = np.vstack([table(300, 3), [[9.0, 9.0, 9.0]]])
    for factor in (1.0, 1e-200, 1e200):
        assert IsolationForest(random_state=0).fit(X * factor).score_samples(X * factor).argmin() == 300


# --------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LocalOutlierFactor(metric="mahalnobis"), "metric must be the name of a distance"),
        (DistanceOutliers(metric="cosine", algorithm="kd_tree"), "takes the metrics"),
        (IsolationForest(max_features=9), "at most the number of columns"),
        (IsolationForest(max_samples=1.5), "max_samples must be"),
        (IsolationForest(max_features=1.5), "max_features must be"),
    ],
)
def test_what_does_not_fit_is_refused(model: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        model.fit(table())


def test_one_row_has_no_neighbors() -> None:
    for model in (LocalOutlierFactor(), DistanceOutliers()):
        with pytest.raises(DataError, match="n_samples = 1"):
            model.fit([[1.0, 2.0]])


def test_more_samples_than_rows_are_said() -> None:
    with pytest.warns(PellucidWarning, match="greater than the total number of samples"):
        assert IsolationForest(max_samples=100).fit(table(20)).max_samples_ == 20
