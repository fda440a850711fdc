"""Recommenders beside what scikit-learn, pandas and, where it is installed, implicit say of the same ratings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import cosine_similarity

from pellucid.recommend import ImplicitALS, ItemNeighborsRecommender, MatrixFactorization, UserNeighborsRecommender

RNG = np.random.default_rng(4)
TABLE = np.where(RNG.random((40, 25)) < 0.4, RNG.integers(1, 6, (40, 25)).astype(float), np.nan)
USERS, ITEMS = np.nonzero(~np.isnan(TABLE))
RATINGS = (USERS, ITEMS, TABLE[USERS, ITEMS])


def test_cosines_are_those_of_scikit_learn() -> None:
    zeros = np.nan_to_num(TABLE)
    for model, rows in ((UserNeighborsRecommender(), zeros), (ItemNeighborsRecommender(), zeros.T)):
        np.testing.assert_allclose(model.fit(RATINGS).similarity_, cosine_similarity(rows), atol=1e-12)


@pytest.mark.parametrize("least", [2, 5])
def test_correlations_are_those_of_pandas(least: int) -> None:
    model = ItemNeighborsRecommender(similarity="pearson", over="common", min_overlap=least, min_similarity=None)
    want = pd.DataFrame(TABLE).corr(min_periods=least).fillna(0).to_numpy(copy=True)
    np.fill_diagonal(want, 1.0)
    np.testing.assert_allclose(model.fit(RATINGS).similarity_, want, atol=1e-9)


def test_an_items_numbers_are_a_ridge_regression() -> None:
    model = MatrixFactorization(n_factors=3, reg=0.4, weighting="none", random_state=0, max_iter=300).fit(RATINGS)
    for item in (0, 7, 24):
        users = np.flatnonzero(~np.isnan(TABLE[:, item]))
        Z = np.column_stack([model.user_factors_[users], np.ones(len(users))])
        left = TABLE[users, item] - model.mean_ - model.user_bias_[users]
        want = Ridge(alpha=0.4, fit_intercept=False).fit(Z, left).coef_
        np.testing.assert_allclose([*model.item_factors_[item], model.item_bias_[item]], want, atol=1e-8)


def test_the_loss_is_that_of_implicit() -> None:
    from implicit import als
    from threadpoolctl import threadpool_limits

    counts = sp.csr_matrix((1 + 2 * RATINGS[2], (USERS, ITEMS)), shape=TABLE.shape).astype(np.float32)
    with threadpool_limits(1, "blas"):  # the peer asks for it
        peer = als.AlternatingLeastSquares(factors=6, regularization=0.1, iterations=30, random_state=0, use_gpu=False)
        peer.fit(counts, show_progress=False)
    ours = ImplicitALS(n_factors=6, reg=0.1, alpha=2.0, max_iter=30, random_state=0).fit(RATINGS)
    sure = np.where(np.isnan(TABLE), 1.0, 1 + 2 * np.nan_to_num(TABLE))

    def loss(x: np.ndarray, y: np.ndarray) -> float:
        return float(np.sum(sure * (~np.isnan(TABLE) - x @ y.T) ** 2) + 0.1 * (np.sum(x**2) + np.sum(y**2)))

    theirs = loss(np.asarray(peer.user_factors, dtype=float), np.asarray(peer.item_factors, dtype=float))
    own = loss(ours.user_factors_.astype(float), ours.item_factors_.astype(float))
    assert own == pytest.approx(ours.objective_, rel=1e-4)
    assert own <= 1.02 * theirs
