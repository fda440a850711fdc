"""How a table is kept for boosting: as bytes, as bytes that columns share, or sparse; and histograms in floating point.

What is kept decides nothing: the bins of a row, and the trees, are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from pellucid import _core
from pellucid.boosting import LightGBMClassifier, LightGBMRegressor, XGBoostClassifier
from pellucid.reference import feature_bundling


def binned(X: Any, bundle: bool = False, most_conflicts: float = 0.0, threads: int = 1) -> Any:
    """The table in bins."""
    if sparse.issparse(X):
        X = sparse.csr_matrix(X)
        matrix = _core.csr(X.data, X.indices, X.indptr, X.shape[1])
    else:
        matrix = _core.dense(np.ascontiguousarray(X))
    sizes = np.zeros(X.shape[1], dtype=np.int32)
    return _core.binned_table(matrix, sizes, None, 255, threads, bundle=bundle, most_conflicts=most_conflicts)


def counts(rows: int, columns: int, share: float, seed: int = 0) -> NDArray[np.float64]:
    """A table of small whole numbers, most of them 0."""
    random = np.random.default_rng(seed)
    held = random.random((rows, columns)) < share
    return np.asarray(held * random.integers(1, 4, (rows, columns)), dtype=np.float64)


def answers(answers_of: int, questions: int, rows: int, seed: int = 0) -> NDArray[np.float64]:
    """Questions with one answer each, an answer a column."""
    random = np.random.default_rng(seed)
    given = random.integers(answers_of, size=(rows, questions))
    return np.asarray(
        (given[:, :, None] == np.arange(answers_of)).reshape(rows, questions * answers_of), dtype=np.float64
    )


def target(X: NDArray[np.float64], seed: int = 0) -> NDArray[np.int64]:
    """Two classes by a few of the columns."""
    random = np.random.default_rng(seed)
    score = X @ random.normal(size=X.shape[1]) + random.normal(size=len(X)) * 0.3
    return np.asarray(score > np.median(score), dtype=np.int64)


@pytest.mark.parametrize("share", [0.005, 0.05, 0.6])
def test_a_sparse_table_has_the_bins_of_the_dense_one(share: float) -> None:
    X = counts(400, 60, share)
    a, b = binned(X), binned(sparse.csr_matrix(X))
    assert a.storage == "dense"
    assert b.storage == ("dense" if share > 0.5 else "sparse")
    np.testing.assert_array_equal(a.codes(), b.codes())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tolerance", [0, 6])
def test_bundles_are_those_of_the_reference(seed: int, tolerance: int) -> None:
    X = counts(300, 14, 0.06, seed)
    expected = feature_bundling.bundles(X, tolerance)
    assert 1 < len(expected) < 14  # there is something to compare
    for table in (X, sparse.csr_matrix(X)):
        found = binned(table, bundle=True, most_conflicts=tolerance / 300)
        if found.storage == "bundled":
            assert [[j for j, _ in bundle] for bundle in found.bundles] == expected
        else:
            assert sparse.issparse(table)  # as many bytes as values: better kept sparse


@pytest.mark.parametrize("seed", range(3))
def test_values_of_a_bundle_are_those_of_the_reference(seed: int) -> None:
    X = counts(300, 8, 0.06, seed)
    table = binned(X, bundle=True, most_conflicts=0.05)
    assert table.storage == "bundled"
    codes = table.codes()
    for bundle in table.bundles:
        members = [j for j, _ in bundle]
        if len(members) == 1:
            np.testing.assert_array_equal(codes[:, members[0]], X[:, members[0]])
            continue
        starts = feature_bundling.offsets(X, members)
        assert [first for _, first in bundle] == [start + 1 for start in starts]
        merged = feature_bundling.merged(X, members)
        np.testing.assert_array_equal(codes[:, members], feature_bundling.parted(merged, starts))


def test_bundles_without_conflicts_lose_nothing() -> None:
    X = answers(10, 6, 500)
    for table in (X, sparse.csr_matrix(X)):
        bundled = binned(table, bundle=True)
        assert bundled.storage == "bundled"
        assert len(bundled.bundles) < 15
        np.testing.assert_array_equal(bundled.codes(), X)


@pytest.mark.parametrize("growth", ["leaf", "depth", "oblivious"])
@pytest.mark.parametrize("make", [LightGBMClassifier, XGBoostClassifier])
def test_trees_of_sparse_and_dense_tables_are_the_same(make: Any, growth: str) -> None:
    X = counts(1500, 120, 0.03)
    y = target(X)
    told = {"n_estimators": 12, "growth": growth, "max_depth": 5, "random_state": 0}
    expected = make(**told, n_jobs=1).fit(X, y)
    for n_jobs in (1, 2, 3):
        model = make(**told, n_jobs=n_jobs).fit(sparse.csr_matrix(X), y)
        np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))
        np.testing.assert_array_equal(model.decision_function(sparse.csr_matrix(X)), expected.decision_function(X))


def test_fifty_thousand_columns_are_kept_sparse() -> None:
    random = np.random.default_rng(0)
    X = sparse.random(400, 50_000, density=2e-4, format="csr", random_state=0)
    X.data[:] = random.integers(1, 3, X.nnz)
    y = np.asarray(X[:, :10_000].sum(axis=1)).ravel()
    assert binned(X).storage == "sparse"
    model = LightGBMRegressor(n_estimators=3, min_samples_leaf=2).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
