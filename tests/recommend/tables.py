"""Small tables of ratings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.recommend import (
    BaselineRecommender,
    ContentBasedRecommender,
    ImplicitALS,
    ItemNeighborsRecommender,
    MatrixFactorization,
    PopularItems,
    UserNeighborsRecommender,
)

BOOKS = np.array(
    [
        [4, 3, np.nan, np.nan, 5, np.nan],
        [5, np.nan, 4, np.nan, 4, np.nan],
        [4, np.nan, 5, 3, 4, np.nan],
        [np.nan, 3, np.nan, np.nan, np.nan, 5],
        [np.nan, 4, np.nan, np.nan, np.nan, 4],
        [np.nan, np.nan, 2, 4, np.nan, 5],
    ]
)
FEATURES = np.array([[1.0, 0, 2], [0, 1, 1], [1, 1, 0], [0, 0, 3], [2, 0, 1], [0, 2, 0]])


def triples(table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Users, items and ratings of the cells that have one."""
    users, items = np.nonzero(~np.isnan(table))
    return users, items, table[users, items]


def random_table(users: int, items: int, seed: int, share: float = 0.4) -> NDArray[Any]:
    """Ratings 1 to 5; every user and item has one at least."""
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, size=(users, items)).astype(float)
    gone = rng.random(table.shape) > share
    gone[np.arange(users), np.arange(users) % items] = False
    gone[np.arange(items) % users, np.arange(items)] = False
    table[gone] = np.nan
    return table


ALL = [
    BaselineRecommender(),
    UserNeighborsRecommender(n_neighbors=3),
    UserNeighborsRecommender(similarity="pearson", over="common", center="baseline", shrinkage=2.0),
    ItemNeighborsRecommender(n_neighbors=3, center=None),
    ItemNeighborsRecommender(similarity="baseline", min_similarity=None, keep=3),
    ContentBasedRecommender(n_neighbors=2),
    ContentBasedRecommender(method="profile", center="mean"),
    MatrixFactorization(n_factors=3, reg=0.3, max_iter=200, random_state=0),
    ImplicitALS(n_factors=3, random_state=0),
    ImplicitALS(n_factors=3, solver="cholesky", dtype="float64", tol=1e-6, random_state=0),
    PopularItems(by="mean"),
]


def fitted(model: Any, ratings: Any, items: Any = range(6)) -> Any:
    """Fits a model, one by features with those of six items."""
    if isinstance(model, ContentBasedRecommender):
        return model.fit(ratings, (list(items), FEATURES))
    return model.fit(ratings)
