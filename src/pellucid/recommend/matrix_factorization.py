"""A rating as the product of a few hidden properties of user and item."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ConvergenceWarning, DataError, count, format_message, warn
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.ratings import Ratings
from pellucid.estimator.recommender import Recommender, filled
from pellucid.estimator.trace import Trace
from pellucid.recommend._clip import Clipped
from pellucid.recommend._factors import most_similar, products_of_all, products_of_pairs, random_table

__all__ = ["MatrixFactorization"]


class MatrixFactorization(Clipped, Recommender):
    """Users and items get a few numbers each, and a rating is the product of the two.

    ``predicted r_ui = m + b_u + b_i + p_u . q_i``, with the numbers that minimize

    ``sum (r_ui - m - b_u - b_i - p_u . q_i)^2 + sum_u s_u (|p_u|^2 + b_u^2) + sum_i s_i (|q_i|^2 + b_i^2)``

    m         mean of all ratings
    b_u, b_i  biases of user u and item i (without `biases` zero, and m too)
    p_u, q_i  `n_factors` numbers of user u and of item i: how much of each hidden property one likes and one has
    s_u, s_i  `reg`, with ``weighting="count"`` times the number of u's, or i's, ratings

    Only rated pairs count; a table of users and items is approximated by two narrow ones, and its empty cells are
    predictions. With the items held, each user's numbers are a ridge regression on those of the items they rated; then
    the items' on the users'; the two take turns (alternating least squares), and the objective falls with each. The
    answer depends on the random start, though predictions hardly do. An unknown user or item has zeros: what remains
    are the mean and the other's bias. For counts instead of ratings see `ImplicitALS`.

    Attributes
    ----------
    mean_ : m
    user_bias_, item_bias_ : b, in the order of `users_` and `items_`
    user_factors_, item_factors_ : p and q, a row for each
    objective_ : what was minimized, at the end
    n_iter_ : passes over users and items
    users_, items_ : the ids
    rating_range_ : the lowest and highest rating

    Examples
    --------
    A table whose rows are multiples of each other is a product of one factor; the cell that is missing is 2 x 3.

    >>> ratings = [("a", "x", 1), ("a", "y", 2), ("a", "z", 3), ("b", "x", 2), ("b", "y", 4)]
    >>> model = MatrixFactorization(n_factors=1, biases=False, reg=1e-6, clip=False, random_state=0).fit(ratings)
    >>> round(model.predict("b", "z"), 3)
    6.0

    References
    ----------
    Koren, Y., Bell, R., Volinsky, C. (2009). Matrix factorization techniques for recommender systems.
    Zhou, Y. et al. (2008). Large-scale parallel collaborative filtering for the Netflix prize.
    """

    n_factors: int = param(default=20, low=1, doc="Numbers of each user and item.")
    reg: float = param(default=0.1, low=0, doc="Strength of the penalty.")
    weighting: Literal["count", "none"] = param(
        default="count", doc="Penalties times the number of a row's ratings, or the same for all rows."
    )
    biases: bool = param(default=True, doc="Whether there are a mean and biases beside the factors.")
    max_iter: int = param(default=50, low=1, doc="Most passes over users and items.")
    tol: float = param(default=1e-4, low=0, doc="Stop when a pass lowers the objective by less than this share of it.")
    random_state: int | np.random.RandomState | None = param(default=None, doc="Decides the start of the factors.")

    iterative = True

    def _fit_ratings(self, ratings: Ratings, trace: Trace) -> None:
        self._keep_range(ratings)
        seed = self._seed_ = seed_from(self.random_state)
        n, m, k = len(ratings.users), len(ratings.items), self.n_factors
        self.mean_ = float(np.mean(ratings.by_user[2])) if self.biases else 0.0
        size = 1 / np.sqrt(k)
        p, q = random_table(seed, 0, n, k, -size, size), random_table(seed, 1, m, k, -size, size)
        user_bias, item_bias = np.zeros(n), np.zeros(m)

        def attributes(parameters: Floats) -> dict[str, Any]:
            parts = np.split(parameters, np.cumsum([n * k, n, m * k]))
            return {"user_factors_": parts[0].reshape(n, k), "user_bias_": parts[1],
                    "item_factors_": parts[2].reshape(m, k), "item_bias_": parts[3]}  # fmt: skip

        status, passes, objective, settled, record = _core.fit_factors(
            ratings.by_user, ratings.by_item, p, user_bias, q, item_bias, k, self.mean_, float(self.reg),
            self.weighting == "count", self.biases, self.max_iter, float(self.tol), self._threads, trace.record,
            trace.listener(attributes),
        )  # fmt: skip
        trace.take(record)
        if status:
            requirement = "the equation of each user and item must have one answer"
            actual = f"with reg={self.reg:g} one has none"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual, hint="raise reg above 0"))
        self.user_factors_, self.item_factors_ = p[:, :k].copy(), q[:, :k].copy()
        self.user_bias_, self.item_bias_ = user_bias, item_bias
        self.objective_, self.n_iter_ = objective, passes
        if not settled and passes == self.max_iter and self.tol > 0:
            requirement = f"the objective should settle within max_iter={self.max_iter}"
            actual = f"it still falls after {count(passes, 'pass')}"
            warn(
                format_message(type(self).__name__, requirement, actual=actual, hint="raise max_iter or tol"),
                ConvergenceWarning,
            )

    def _raw(self, users: Array, items: Array) -> Floats:
        found = self.mean_ + filled(self.user_bias_, users, 0.0) + filled(self.item_bias_, items, 0.0)
        known = np.flatnonzero((users >= 0) & (items >= 0))
        found[known] += products_of_pairs(
            self.user_factors_, self.item_factors_, users[known], items[known], self._threads
        )
        return found

    def _scores(self, users: Array) -> Floats:
        base = self.mean_ + self.user_bias_[users]
        products = products_of_all(self.user_factors_, self.item_factors_, users, self._threads)
        return (base[:, None] + self.item_bias_) + products

    def similar_items(self, item: Any, n: int = 10) -> tuple[Array, Floats]:
        """The items whose factors point the same way, with the cosines."""
        self._check_fitted()
        order, cosine = most_similar(self.item_factors_, int(self._items([item])[0]), n)
        return self.items_[order], cosine
