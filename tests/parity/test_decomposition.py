"""Principal components against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
from sklearn.datasets import load_digits, load_iris

from pellucid.decomposition import PCA

SOLVERS = ["auto", "full", "covariance_eigh", "randomized", "arpack"]


def table(rows: int = 120, columns: int = 7, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, columns)) @ random.normal(size=(columns, columns)) + 50


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("solver", SOLVERS)
def test_components_variances_and_places_are_the_same(solver: Any, whiten: bool) -> None:
    X = table()
    ours = PCA(3, svd_solver=solver, whiten=whiten, random_state=0).fit(X)
    theirs = sklearn.decomposition.PCA(3, svd_solver=solver, whiten=whiten, random_state=0).fit(X)
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_",
                 "noise_variance_", "n_components_", "n_samples_"):  # fmt: skip
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-9, err_msg=name)
    placed = ours.transform(X)
    np.testing.assert_allclose(placed, theirs.transform(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.inverse_transform(placed), theirs.inverse_transform(placed), rtol=1e-8)


@pytest.mark.parametrize("k", [1, 3, 7, None])
def test_densities_and_covariances_are_the_same(k: int | None) -> None:
    X = table()
    ours, theirs = PCA(k).fit(X), sklearn.decomposition.PCA(k).fit(X)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-8)
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-9)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-6, atol=1e-9)


def test_whitening_does_not_change_the_covariance() -> None:
    """scikit-learn's does: it multiplies the components by their deviations before it forms the matrix."""
    X = table()
    plain, white = PCA(7).fit(X), PCA(7, whiten=True).fit(X)
    np.testing.assert_allclose(white.get_covariance(), plain.get_covariance(), rtol=1e-12)
    np.testing.assert_allclose(white.get_covariance(), np.cov(X, rowvar=False), rtol=1e-9)
    theirs = sklearn.decomposition.PCA(7, whiten=True).fit(X).get_covariance()
    assert np.abs(theirs - np.cov(X, rowvar=False)).max() > 1


@pytest.mark.parametrize("n_components", [0.3, 0.8, 0.99, "mle"])
@pytest.mark.parametrize("data", ["table", "iris", "digits"])
def test_as_many_components_are_chosen(data: str, n_components: Any) -> None:
    X = {"table": table(), "iris": load_iris().data, "digits": load_digits().data[:, 2:30]}[data]
    if data == "digits" and n_components == "mle":
        X = X[:, X.std(axis=0) > 0.5]
    assert PCA(n_components).fit(X).n_components_ == sklearn.decomposition.PCA(n_components).fit(X).n_components_


def test_a_wide_table_has_as_many_components_as_rows() -> None:
    X = table(9, 20)
    ours, theirs = PCA().fit(X), sklearn.decomposition.PCA().fit(X)
    assert ours.components_.shape == theirs.components_.shape == (9, 20)
    np.testing.assert_allclose(ours.components_[:8], theirs.components_[:8], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_[:8], theirs.explained_variance_[:8], rtol=1e-9)


@pytest.mark.parametrize("solver", ["arpack", "covariance_eigh"])
def test_a_sparse_table_gives_the_same(solver: Any) -> None:
    X = scipy.sparse.random(200, 30, density=0.2, random_state=0, format="csr")
    ours = PCA(4, svd_solver=solver, random_state=0).fit(X)
    theirs = sklearn.decomposition.PCA(4, svd_solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-6, atol=1e-8)
