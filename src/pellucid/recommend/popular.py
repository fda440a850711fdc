"""What most people took, or rated best: the same for everybody."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.types import Array, Floats
from pellucid.data.ratings import Ratings
from pellucid.estimator.recommender import RankingRecommender, filled, row_means
from pellucid.estimator.trace import Trace

__all__ = ["PopularItems"]


class PopularItems(RankingRecommender):
    """The same list for everybody, also for users who are not known: what is popular.

    ``score_i = n_i`` (``by="count"``), the sum of i's ratings (``"sum"``), or a mean that few ratings do not pull far
    from that of all (``"mean"``):

    ``score_i = (n_i mean_i + k m) / (n_i + k)``

    n_i     number of i's ratings
    mean_i  mean of i's ratings
    m       mean of all ratings
    k       `prior`: every item has so many more ratings, all m

    Like a baseline of other estimators it shows what personal recommendations add. `predict` gives the item's score,
    and for an item that is not known 0, or with ``by="mean"`` the mean of all.

    Attributes
    ----------
    item_score_ : the scores, in the order of `items_`
    users_, items_ : the ids

    Examples
    --------
    >>> bought = [("ann", "tea"), ("ann", "jam"), ("bob", "tea"), ("eve", "tea"), ("eve", "egg")]
    >>> model = PopularItems().fit(bought)
    >>> items, scores = model.recommend("bob", n=2)
    >>> items.tolist(), scores.tolist()
    (['egg', 'jam'], [1.0, 1.0])
    >>> model.recommend("a stranger", n=1)[0].tolist()
    ['tea']
    """

    _defaults = {"duplicates": "sum"}

    by: Literal["count", "sum", "mean"] = param(
        default="count", doc="Number of ratings, their sum, or their mean drawn toward the mean of all."
    )
    prior: float = param(default=5.0, low=0, doc="With by='mean': ratings of the mean that every item has besides.")

    calls_blas = False
    knows_strangers: ClassVar[bool] = True

    def _fit_ratings(self, ratings: Ratings, trace: Trace) -> None:
        self.mean_ = float(np.mean(ratings.by_user[2]))
        counts = np.diff(ratings.by_item[0]).astype(np.float64)
        sums = np.where(counts > 0, counts * np.nan_to_num(row_means(ratings.by_item)), 0.0)
        if self.by == "count":
            self.item_score_ = counts
        elif self.by == "sum":
            self.item_score_ = sums
        else:
            weight = counts + self.prior
            with np.errstate(invalid="ignore"):
                self.item_score_ = np.where(weight > 0, (sums + self.prior * self.mean_) / weight, self.mean_)

    def _predict(self, users: Array, items: Array) -> Floats:
        return filled(self.item_score_, items, self.mean_ if self.by == "mean" else 0.0)

    def _scores(self, users: Array) -> Floats:
        return np.tile(self.item_score_, (len(users), 1))

    def similar_items(self, item: Any, n: int = 10) -> tuple[Array, Floats]:
        """The items that the most users took together with one, with their number.

        ``number of users who rated both``
        """
        self._check_fitted()
        seen = self.ratings_.copy()
        seen.data = np.ones_like(seen.data)
        code = int(self._items([item])[0])
        together = np.asarray((seen.T @ seen[:, [code]]).toarray()).ravel()
        together[code] = 0
        order = np.lexsort((np.arange(len(together)), -together))[:n]
        order = order[together[order] > 0]
        return self.items_[order], together[order]
