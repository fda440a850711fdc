"""The mean of all ratings, and how far each user and each item is from it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pellucid.base.declare import param
from pellucid.base.types import Array, Floats
from pellucid.data.ratings import Ratings
from pellucid.estimator.recommender import Recommender, filled
from pellucid.estimator.trace import Trace
from pellucid.recommend._biases import fit_biases
from pellucid.recommend._clip import Clipped

__all__ = ["BaselineRecommender"]


class BaselineRecommender(Clipped, Recommender):
    """Some users rate everything high, and some items are liked by all: nothing more is learned.

    ``predicted r_ui = m + b_u + b_i``, with the biases that minimize

    ``sum (r_ui - m - b_u - b_i)^2 + s sum_u b_u^2 + t sum_i b_i^2``

    m         mean of all ratings
    b_u, b_i  how much higher than the mean user u rates, and item i is rated
    s, t      `reg_user` and `reg_item`: biases of users and items with few ratings stay near 0

    With the users' biases held, that of an item is the sum of what is left of its ratings over their number plus t; and
    the other way round. The two take turns until nothing changes. It is what other recommenders should be better than,
    and what their ratings are often measured from. A user or item that is not known has a bias of 0.

    Attributes
    ----------
    mean_ : m
    user_bias_, item_bias_ : b, in the order of `users_` and `items_`
    users_, items_ : the ids
    rating_range_ : the lowest and highest rating
    n_iter_ : passes over users and items

    Examples
    --------
    >>> ratings = [["ann", "tea", 5], ["ann", "jam", 3], ["bob", "tea", 4], ["bob", "jam", 2]]
    >>> model = BaselineRecommender(reg_user=0, reg_item=0).fit(ratings)
    >>> model.mean_, model.user_bias_.tolist(), model.item_bias_.tolist()
    (3.5, [0.5, -0.5], [-1.0, 1.0])
    >>> model.predict("ann", "tea"), model.predict("eve", "tea")
    (5.0, 4.5)

    References
    ----------
    Koren, Y. (2010). Factor in the neighbors: scalable and accurate collaborative filtering.
    """

    reg_user: float = param(default=15.0, low=0, doc="Penalty of the users' biases.")
    reg_item: float = param(default=10.0, low=0, doc="Penalty of the items' biases.")
    max_iter: int = param(default=200, low=1, doc="Most passes over items and users.")
    tol: float = param(default=1e-8, low=0, doc="Stop when no bias changes by more than this share of the range.")

    iterative = True
    calls_blas = False
    knows_strangers: ClassVar[bool] = True

    def _fit_ratings(self, ratings: Ratings, trace: Trace) -> None:
        self._keep_range(ratings)
        found = fit_biases(self, ratings, (self.reg_user, self.reg_item), trace)
        self.mean_, self.user_bias_, self.item_bias_, self.n_iter_ = found

    def _raw(self, users: Array, items: Array) -> Floats:
        return np.asarray(
            self.mean_ + filled(self.user_bias_, users, 0.0) + filled(self.item_bias_, items, 0.0), dtype=np.float64
        )

    def _scores(self, users: Array) -> Floats:
        return np.add.outer(self.mean_ + filled(self.user_bias_, users, 0.0), self.item_bias_)
