"""Principal components: what mathematics asks of them, on tables of any shape and scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from pellucid.base.errors import DataError, ParameterError
from pellucid.decomposition import PCA
from pellucid.reference import pca as reference

SOLVERS = ["full", "covariance_eigh", "randomized", "arpack"]


def table(rows: int = 60, columns: int = 6, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, columns)) * 2.0 ** np.arange(columns)[::-1] + 10


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_kernel_is_the_reference(solver: Any) -> None:
    X = table()
    found, plain = PCA(3, svd_solver=solver, random_state=1).fit(X), reference.components(X, 3)
    np.testing.assert_allclose(found.components_, plain.directions, atol=1e-9)
    np.testing.assert_allclose(found.explained_variance_, plain.variances, rtol=1e-10)
    np.testing.assert_allclose(found.explained_variance_ratio_, plain.shares, rtol=1e-10)
    np.testing.assert_allclose(found.transform(X), reference.project(X, plain), atol=1e-7)
    placed = found.transform(X)
    np.testing.assert_allclose(found.inverse_transform(placed), reference.go_back(placed, plain), rtol=1e-9)


def test_places_are_uncorrelated_and_have_the_variances() -> None:
    X = table()
    model = PCA().fit(X)
    C = np.cov(model.transform(X), rowvar=False)
    np.testing.assert_allclose(C, np.diag(model.explained_variance_), atol=1e-9 * C.max())
    np.testing.assert_allclose(model.explained_variance_.sum(), np.var(X, axis=0, ddof=1).sum(), rtol=1e-12)
    np.testing.assert_allclose(np.cov(PCA(whiten=True).fit_transform(X), rowvar=False), np.eye(6), atol=1e-9)


def test_no_direction_has_more_variance_than_the_first() -> None:
    X = table()
    first = PCA(1).fit(X).explained_variance_[0]
    for v in np.random.default_rng(2).normal(size=(200, 6)):
        assert reference.variance_along(X, v) <= first * (1 + 1e-12)


def test_what_is_lost_in_going_back_is_the_variance_that_was_dropped() -> None:
    X = table()
    whole, some = PCA().fit(X), PCA(2).fit(X)
    lost = ((X - some.inverse_transform(some.transform(X))) ** 2).sum() / (len(X) - 1)
    np.testing.assert_allclose(lost, whole.explained_variance_[2:].sum(), rtol=1e-9)
    np.testing.assert_allclose(whole.inverse_transform(whole.transform(X)), X, rtol=1e-12)


@pytest.mark.parametrize("power", [400, -400, 500])
@pytest.mark.parametrize("solver", ["auto", "full", "randomized"])
def test_any_scale_gives_the_same_components(solver: Any, power: int) -> None:
    X = table()
    plain, scaled = (PCA(3, svd_solver=solver, random_state=0).fit(Z) for Z in (X, np.ldexp(X, power)))
    np.testing.assert_allclose(scaled.components_, plain.components_, atol=1e-12)
    np.testing.assert_allclose(scaled.explained_variance_ratio_, plain.explained_variance_ratio_, rtol=1e-12)
    np.testing.assert_allclose(np.ldexp(scaled.singular_values_, -power), plain.singular_values_, rtol=1e-12)
    np.testing.assert_allclose(np.ldexp(scaled.transform(np.ldexp(X, power)), -power), plain.transform(X), atol=1e-9)


def test_narrow_components_keep_their_digits() -> None:
    """Covariances would lose a deviation of 1e-7 beside one of 1: 'auto' goes back to the rows."""
    random = np.random.default_rng(0)
    Q = np.linalg.qr(random.normal(size=(4, 4)))[0]
    Z = np.linalg.qr(random.normal(size=(400, 4)) - 0)[0]
    Z -= Z.mean(axis=0)
    X = (Z * [1, 1e-2, 1e-5, 1e-7]) @ Q
    model = PCA().fit(X)
    assert model.svd_solver_ == "full"
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(model.singular_values_, exact, rtol=1e-6)


def test_columns_far_from_zero_keep_their_digits() -> None:
    X = np.random.default_rng(0).normal(size=(500, 3))
    near, far = PCA().fit(X), PCA().fit(X + 1e8)
    np.testing.assert_allclose(far.explained_variance_, near.explained_variance_, rtol=1e-6)
    np.testing.assert_allclose(far.transform(X + 1e8), near.transform(X), atol=1e-5)


def test_a_table_that_does_not_vary_has_no_shares() -> None:
    model = PCA().fit(np.full((5, 3), 2.5))
    np.testing.assert_array_equal(model.explained_variance_, 0)
    np.testing.assert_array_equal(model.explained_variance_ratio_, 0)
    np.testing.assert_array_equal(model.transform(np.full((2, 3), 2.5)), 0)


def test_a_large_wide_table_is_searched_at_random() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 3)) @ random.normal(size=(3, 1500)) + random.normal(size=(600, 1500)) / 100
    model, whole = PCA(3, random_state=0).fit(X), PCA(3, svd_solver="full").fit(X)
    assert model.svd_solver_ == "randomized"
    np.testing.assert_allclose(model.components_, whole.components_, atol=1e-6)
    np.testing.assert_allclose(model.explained_variance_ratio_, whole.explained_variance_ratio_, rtol=1e-9)


def test_a_sparse_table_stays_sparse_and_gives_the_same() -> None:
    X = scipy.sparse.random(300, 40, density=0.1, random_state=0, format="csr")
    dense = PCA(4, svd_solver="full").fit(X.toarray())
    for solver in ("auto", "full", "covariance_eigh", "arpack"):
        model = PCA(4, svd_solver=solver, random_state=0).fit(X)
        np.testing.assert_allclose(model.components_, dense.components_, atol=1e-8)
        np.testing.assert_allclose(model.transform(X), dense.transform(X.toarray()), atol=1e-8)
        np.testing.assert_allclose(model.score_samples(X), dense.score_samples(X.toarray()), rtol=1e-7)
    more = PCA(4, svd_solver="randomized", iterated_power=60, random_state=0).fit(X)
    np.testing.assert_allclose(more.components_, dense.components_, atol=1e-6)


def test_names_of_the_new_columns() -> None:
    frame = pd.DataFrame(table(columns=3), columns=["a", "b", "c"])
    model = PCA(2).set_output(transform="pandas").fit(frame)
    assert model.transform(frame).columns.tolist() == ["pca0", "pca1"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_components": 7}, "at most min"),
        ({"n_components": 1.5}, "n_components must be"),
        ({"n_components": 0.5, "svd_solver": "randomized"}, "takes a number of components"),
        ({"n_components": 6, "svd_solver": "arpack"}, "fewer components"),
    ],
)
def test_what_does_not_go_together_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        PCA(**settings).fit(table())


def test_what_cannot_be_answered_is_refused() -> None:
    with pytest.raises(DataError, match="two rows"):
        PCA().fit([[1.0, 2.0]])
    with pytest.raises(DataError, match="2 columns, one for each component"):
        PCA(2).fit(table()).inverse_transform([[1.0]])
    with pytest.raises(DataError, match="variances must fit"):
        PCA().fit(np.ldexp(table(), 1000))
    with pytest.raises(DataError, match="above zero in every direction"):
        PCA().fit(np.column_stack([table(), table()[:, 0]])).get_precision()
