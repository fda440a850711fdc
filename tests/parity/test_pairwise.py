"""Tables of distances and kernels against scikit-learn and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics.pairwise as peer
from scipy.spatial.distance import cdist

from pellucid.metrics import kernels, pairwise

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(140, 17)), RNG.normal(size=(61, 17))
NUMBERS = [
    *("euclidean", "sqeuclidean", "seuclidean", "cityblock", "chebyshev", "minkowski", "mahalanobis", "cosine"),
    *("correlation", "canberra", "braycurtis", "hamming"),
]
FLAGS = ("jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "hamming")


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_as_scipy_has_them(name: str) -> None:
    np.testing.assert_allclose(pairwise.pairwise_distances(X, Y, name), cdist(X, Y, name), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", FLAGS)
def test_flags_as_scipy_has_them(name: str) -> None:
    a, b = X > 0.5, Y > 0.5
    np.testing.assert_allclose(pairwise.pairwise_distances(a, b, name), cdist(a, b, name), rtol=1e-12, atol=1e-15)


def test_settings_of_metrics() -> None:
    w, V = RNG.random(17), RNG.random(17)
    cases: tuple[tuple[str, dict[str, Any]], ...] = (
        ("minkowski", {"p": 1.5}),
        ("minkowski", {"p": 3, "w": w}),
        ("seuclidean", {"V": V}),
        ("mahalanobis", {"VI": np.diag(V)}),
    )
    for name, settings in cases:
        found = pairwise.pairwise_distances(X, Y, name, **settings)
        np.testing.assert_allclose(found, cdist(X, Y, name, **settings), rtol=1e-12)


def test_kernels_of_sparse_tables() -> None:
    a, b = (
        sp.random_array((30, 12), density=0.3, rng=RNG).tocsr(),
        sp.random_array((9, 12), density=0.3, rng=RNG).tocsr(),
    )
    for name in ("linear", "poly", "rbf", "sigmoid", "cosine", "laplacian"):
        np.testing.assert_allclose(
            kernels.pairwise_kernels(a, b, metric=name), peer.pairwise_kernels(a, b, metric=name), rtol=1e-9, atol=1e-12
        )
    assert sp.issparse(kernels.linear_kernel(a, b, dense_output=False))
    assert sp.issparse(pairwise.cosine_similarity(a, b, dense_output=False))


def test_a_function_of_two_rows() -> None:
    def apart(a: Any, b: Any) -> float:
        return float(np.abs(a - b).sum())

    np.testing.assert_allclose(
        pairwise.pairwise_distances(X[:9], Y[:5], apart), pairwise.manhattan_distances(X[:9], Y[:5]), rtol=1e-13
    )
    np.testing.assert_allclose(
        pairwise.paired_distances(X[:9], Y[:9], metric=apart), peer.paired_distances(X[:9], Y[:9], metric="manhattan")
    )


def test_parts_make_the_whole() -> None:
    for name in ("euclidean", "mahalanobis", "seuclidean"):
        parts = list(pairwise.pairwise_distances_chunked(X, metric=name, working_memory=0.02))
        assert len(parts) > 3
        whole = pairwise.pairwise_distances(X, metric=name)
        np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-9, atol=1e-12)
    firsts = pairwise.pairwise_distances_chunked(X, reduce_func=lambda part, begin: begin, working_memory=0.02)
    assert next(firsts) == 0


def test_gaps_as_scikit_learn_has_them() -> None:
    gaps = np.where(RNG.random(X.shape) < 0.3, np.nan, X)
    for squared in (False, True):
        np.testing.assert_allclose(
            pairwise.nan_euclidean_distances(gaps, squared=squared),
            peer.nan_euclidean_distances(gaps, squared=squared),
            rtol=1e-9,
            atol=1e-7,
        )


def test_import_lines_of_kernels_and_squares() -> None:
    """Kernels come from `metrics.pairwise` too; "euclidean" takes ``squared``."""
    for name in kernels.__all__:
        assert getattr(pairwise, name) is getattr(kernels, name)
    assert not hasattr(pairwise, "no_kernel")
    squares = peer.pairwise_distances(X, Y, metric="euclidean", squared=True)
    np.testing.assert_allclose(pairwise.pairwise_distances(X, Y, metric="euclidean", squared=True), squares, rtol=1e-9)
    for kind in ("euclidean", "l2"):
        found = pairwise.pairwise_distances_argmin_min(X, Y, metric=kind, metric_kwargs={"squared": True})
        assert np.array_equal(found[0], squares.argmin(axis=1))
        np.testing.assert_allclose(found[1], squares.min(axis=1), rtol=1e-9)
