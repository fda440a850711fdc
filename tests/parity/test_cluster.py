"""k-means against scikit-learn's, from the same centers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.cluster

from pellucid.cluster import KMeans

from .drawn import some


def blobs(rows: int = 400, columns: int = 5, groups: int = 6, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    middle = 3 * random.normal(size=(groups, columns))
    return middle[random.integers(0, groups, rows)] + random.normal(size=(rows, columns))


@pytest.mark.filterwarnings("ignore:algorithm='elkan' doesn't make sense for a single cluster")  # the peer's
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", some(["dense", "float32", "sparse"]))
@pytest.mark.parametrize("algorithm", ["lloyd", "elkan"])
@pytest.mark.parametrize("k", [1, 4, 20])
def test_the_same_end_from_the_same_centers(k: int, algorithm: Any, form: str, weighted: bool) -> None:
    X = blobs()
    start = X[:k]
    weight = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    given = {"dense": X, "float32": X.astype(np.float32), "sparse": scipy.sparse.csr_matrix(X)}[form]
    loose = 1e-4 if form == "float32" else 1e-9
    ours = KMeans(k, init=start, algorithm=algorithm).fit(given, sample_weight=weight)
    theirs = sklearn.cluster.KMeans(k, init=start, n_init=1, algorithm=algorithm).fit(given, sample_weight=weight)
    if form != "float32":
        assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=loose, atol=loose)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=loose)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.predict(given), theirs.predict(given))
    np.testing.assert_allclose(ours.transform(given), theirs.transform(given), rtol=1e-3 if form == "float32" else 1e-7)
    assert ours.score(given) == pytest.approx(theirs.score(given), rel=loose)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_starts_of_our_own_end_as_low(init: Any) -> None:
    """The draws are others; the best of some starts is as good."""
    X = blobs(groups=4)
    ours = KMeans(4, init=init, n_init=10, random_state=0).fit(X)
    theirs = sklearn.cluster.KMeans(4, init=init, n_init=10, random_state=0).fit(X)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-3)


def test_centers_of_k_means_plus_plus_lie_as_far_apart() -> None:
    """Before any pass, the mean distortion of many starts is that of scikit-learn's starts."""
    X = blobs(groups=8)

    def mean_of(starts: list[Any]) -> float:
        return float(np.mean([((X[:, None] - C) ** 2).sum(axis=2).min(axis=1).sum() for C in starts]))

    ours = []
    for seed in range(40):
        rows = KMeans(8, max_iter=1, random_state=seed).fit_with_history(X)["centers"][1]
        ours.append(rows[:8, 2:])
    theirs = [sklearn.cluster.kmeans_plusplus(X, 8, random_state=seed)[0] for seed in range(40)]
    assert mean_of(ours) == pytest.approx(mean_of(theirs), rel=0.1)
