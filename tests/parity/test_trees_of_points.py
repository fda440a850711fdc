"""KDTree and BallTree against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.neighbors

from pellucid.neighbors import BallTree, KDTree

RNG = np.random.default_rng(5)
ROWS, QUERIES = RNG.standard_normal((400, 3)), RNG.standard_normal((40, 3))
VARIANCES = ROWS.var(axis=0, ddof=1)
INVERSE = np.linalg.inv(np.cov(ROWS.T))
COMMON: list[tuple[str, dict[str, Any]]] = [
    ("minkowski", {}),
    ("l2", {}),
    ("minkowski", {"p": 1}),
    ("minkowski", {"p": 3.5}),
    ("cityblock", {}),
    ("infinity", {}),
]
BALLS = [("seuclidean", {"V": VARIANCES}), ("mahalanobis", {"VI": INVERSE}), ("canberra", {})]


def _pairs() -> list[Any]:
    kinds = [(KDTree, sklearn.neighbors.KDTree, COMMON), (BallTree, sklearn.neighbors.BallTree, COMMON + BALLS)]
    return [
        pytest.param(ours, theirs, metric, settings, id=f"{ours.__name__}-{metric}-{settings.get('p', '')}")
        for ours, theirs, metrics in kinds
        for metric, settings in metrics
    ]


@pytest.mark.parametrize(("ours", "theirs", "metric", "settings"), _pairs())
def test_queries_radii_and_counts(ours: Any, theirs: Any, metric: str, settings: dict[str, Any]) -> None:
    a, b = ours(ROWS, leaf_size=20, metric=metric, **settings), theirs(ROWS, leaf_size=20, metric=metric, **settings)
    for mine, peers in zip(a.query(QUERIES, k=7), b.query(QUERIES, k=7), strict=True):
        assert np.allclose(mine, peers, rtol=1e-12)
    radius = float(np.median(b.query(QUERIES, k=20)[0][:, -1]))
    assert np.array_equal(
        a.query_radius(QUERIES, radius, count_only=True), b.query_radius(QUERIES, radius, count_only=True)
    )
    mine, peers = (t.query_radius(QUERIES, radius, return_distance=True, sort_results=True) for t in (a, b))
    assert all(np.array_equal(x, y) for x, y in zip(mine[0], peers[0], strict=True))
    assert all(np.allclose(x, y, rtol=1e-12) for x, y in zip(mine[1], peers[1], strict=True))
    r = np.linspace(0, 2, 5)
    assert np.array_equal(a.two_point_correlation(QUERIES, r), b.two_point_correlation(QUERIES, r))


@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"])
@pytest.mark.parametrize("weighted", [False, True])
def test_kernel_densities(kernel: str, weighted: bool) -> None:
    weight = RNG.uniform(0.5, 2, len(ROWS)) if weighted else None
    a, b = KDTree(ROWS, sample_weight=weight), sklearn.neighbors.KDTree(ROWS, sample_weight=weight)
    for h in (0.7, 2.0):
        mine, peers = (t.kernel_density(QUERIES, h=h, kernel=kernel) for t in (a, b))
        assert np.allclose(mine, peers, rtol=1e-8, atol=1e-10)
        dense = mine > 1e-3  # the peer's sums of nothing are rounding errors
        mine, peers = (t.kernel_density(QUERIES[dense], h=h, kernel=kernel, return_log=True) for t in (a, b))
        assert np.allclose(mine, peers, rtol=1e-7)


@pytest.mark.parametrize(
    ("metric", "rows"),
    [
        ("hamming", RNG.integers(0, 3, (200, 6)).astype(float)),
        ("jaccard", RNG.integers(0, 2, (200, 9)).astype(float)),
        ("haversine", np.column_stack([RNG.uniform(-1.5, 1.5, 200), RNG.uniform(-3, 3, 200)])),
    ],
    ids=["hamming", "jaccard", "haversine"],
)
def test_distances_of_other_kinds(metric: str, rows: np.ndarray) -> None:
    """Ties abound: distances are compared, not rows."""
    a, b = BallTree(rows, metric=metric), sklearn.neighbors.BallTree(rows, metric=metric)
    assert np.allclose(a.query(rows[:30], k=9)[0], b.query(rows[:30], k=9)[0], rtol=1e-12, atol=1e-12)


def test_integers_single_precision_and_one_row() -> None:
    whole = RNG.integers(0, 1000, (300, 2))
    for rows in (whole, whole.astype(np.float32), whole[:1]):
        k = min(3, len(rows))
        mine, peers = KDTree(rows).query(rows, k=k), sklearn.neighbors.KDTree(rows).query(rows, k=k)
        assert np.array_equal(mine[0], peers[0])
    assert KDTree(whole.astype(np.float32)).data.dtype == np.float32
