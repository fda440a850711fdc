"""What people like, from what they did: plays, views, purchases."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, count, format_message
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.ratings import Rated, Ratings
from pellucid.estimator.recommender import RankingRecommender
from pellucid.estimator.trace import Trace
from pellucid.recommend._factors import most_similar, products_of_all, products_of_pairs, random_table

__all__ = ["ImplicitALS"]


class ImplicitALS(RankingRecommender):
    """Counts of what users did say what they like, more surely the more there are; nothing done says little.

    Minimizes ``sum over all (u, i) of c_ui (p_ui - x_u . y_i)^2 + reg (sum_u |x_u|^2 + sum_i |y_i|^2)``

    p_ui  1 where user u did something with item i, else 0
    c_ui  how sure that is: ``1 + alpha r_ui`` for a count of r_ui, 1 where there is none; with
          ``confidence="log"`` ``1 + alpha ln(1 + r_ui / epsilon)``, with ``"given"`` ``alpha r_ui`` itself
    x_u, y_i  `n_factors` numbers of user u and of item i

    All pairs count, also those of which nothing is known, and yet a pass costs no more than the known ones: what the
    others add is the same matrix Y'Y for every user. With the items held, each user's numbers solve a small equation,
    then the items' theirs. ``solver="cg"`` goes a few steps of conjugate gradients from the last answer, which is
    enough since the next pass goes on from there; "cholesky" solves it exactly, in time that grows with the cube of
    the factors. Predictions are preferences, about 0 to 1, not ratings; a user or item that is not known has 0. A pair
    that stands twice counts with its sum. `score` is the share of held-out items among the first recommendations.

    Attributes
    ----------
    user_factors_, item_factors_ : x and y, a row for each, in the order of `users_` and `items_`
    objective_ : what was minimized, at the end
    n_iter_ : passes over users and items
    users_, items_ : the ids

    Examples
    --------
    Two groups of listeners; ann has not heard the third band of her group yet.

    >>> plays = [("ann", "abba", 9), ("ann", "blur", 7), ("bob", "abba", 8), ("bob", "blur", 9), ("bob", "cream", 9),
    ...          ("eve", "bach", 9), ("eve", "haydn", 8), ("joe", "bach", 7), ("joe", "haydn", 9)]
    >>> model = ImplicitALS(n_factors=2, random_state=0).fit(plays)
    >>> model.recommend("ann", n=1)[0].tolist()
    ['cream']

    References
    ----------
    Hu, Y., Koren, Y., Volinsky, C. (2008). Collaborative filtering for implicit feedback datasets.
    Takacs, G., Pilaszy, I., Tikk, D. (2011). Applications of the conjugate gradient method for implicit feedback
    collaborative filtering.
    """

    _defaults = {"duplicates": "sum"}

    n_factors: int = param(default=64, low=1, doc="Numbers of each user and item.")
    reg: float = param(default=0.01, low=0, doc="Strength of the penalty.")
    alpha: float = param(default=1.0, low=0, low_open=True, doc="How much a count adds to the confidence.")
    confidence: Literal["linear", "log", "given"] = param(
        default="linear", doc="Confidence 1 + alpha r, 1 + alpha ln(1 + r / epsilon), or alpha r as it is."
    )
    epsilon: float = param(default=1.0, low=0, low_open=True, doc="Count at which confidence='log' begins to flatten.")
    solver: Literal["cg", "cholesky"] = param(default="cg", doc="A few steps of conjugate gradients, or exactly.")
    cg_steps: int = param(default=3, low=1, doc="Steps of conjugate gradients for each user and item in a pass.")
    max_iter: int = param(default=15, low=1, doc="Most passes over users and items.")
    tol: float | None = param(
        default=None, low=0, doc="Stop when a pass lowers the objective by less than this share of it; None: never."
    )
    dtype: Literal["float32", "float64"] = param(default="float32", doc="Type of the factors.")
    random_state: int | np.random.RandomState | None = param(default=None, doc="Decides the start of the factors.")

    iterative = True

    def _fit_ratings(self, ratings: Ratings, trace: Trace) -> None:
        seed = self._seed_ = seed_from(self.random_state)
        n, m, k = len(ratings.users), len(ratings.items), self.n_factors
        users, items = self._confident(ratings.by_user), self._confident(ratings.by_item)
        x = random_table(seed, 0, n, k, 0.0, 0.01).astype(self.dtype)
        y = random_table(seed, 1, m, k, 0.0, 0.01).astype(self.dtype)

        def attributes(parameters: Floats) -> dict[str, Any]:
            own, other = np.split(parameters, [n * k])
            return {"user_factors_": own.reshape(n, k), "item_factors_": other.reshape(m, k)}

        status, passes, objective, _, record = _core.fit_implicit(
            users, items, x, y, k, self.cg_steps if self.solver == "cg" else 0, float(self.reg), self.max_iter,
            -1.0 if self.tol is None else float(self.tol), self._threads, trace.record, trace.listener(attributes),
        )  # fmt: skip
        trace.take(record)
        if status:
            requirement = "the equation of each user and item must have one answer"
            actual = f"with reg={self.reg:g} one has none"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual, hint="raise reg above 0"))
        self.user_factors_, self.item_factors_ = x[:, :k].copy(), y[:, :k].copy()
        self.n_iter_ = passes
        known = self.tol is not None
        self.objective_ = objective if known else _core.implicit_objective(users, x, y, float(self.reg), self._threads)

    def _confident(self, rated: Rated) -> Rated:
        """Confidences for counts; a count of 0 says nothing and is left out."""
        starts, indices, counts = rated
        if (counts < 0).any():
            n = int((counts < 0).sum())
            requirement, actual = (
                "counts must not be negative",
                f"got {count(n, 'negative one')}, down to {counts.min():g}",
            )
            hint = "for ratings use MatrixFactorization; leave out what was disliked"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual, hint=hint))
        if (counts == 0).any():
            kept = counts > 0
            starts = np.concatenate([[0], np.cumsum(kept)])[starts].astype(np.int64)
            indices, counts = np.ascontiguousarray(indices[kept]), counts[kept]
        if self.confidence == "given":
            return starts, indices, self.alpha * counts
        worth = np.log1p(counts / self.epsilon) if self.confidence == "log" else counts
        return starts, indices, 1 + self.alpha * worth

    def _predict(self, users: Array, items: Array) -> Floats:
        found = np.zeros(len(users))
        known = np.flatnonzero((users >= 0) & (items >= 0))
        found[known] = products_of_pairs(
            self.user_factors_, self.item_factors_, users[known], items[known], self._threads
        )
        return found

    def _scores(self, users: Array) -> Floats:
        return products_of_all(self.user_factors_, self.item_factors_, users, self._threads)

    def similar_items(self, item: Any, n: int = 10) -> tuple[Array, Floats]:
        """The items whose factors point the same way, with the cosines."""
        self._check_fitted()
        order, cosine = most_similar(self.item_factors_, int(self._items([item])[0]), n)
        return self.items_[order], cosine
