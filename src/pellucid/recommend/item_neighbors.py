"""What is liked together with what a user likes."""

from __future__ import annotations

from typing import Any, ClassVar

from pellucid.base.types import Array, Floats
from pellucid.recommend._neighbors import RatingNeighbors

__all__ = ["ItemNeighborsRecommender"]


class ItemNeighborsRecommender(RatingNeighbors):
    """A user will rate an item like the items they rated that others rated alike.

    ``predicted r_uj = mean_j + sum_{i in N} s_ji (r_ui - mean_i) / sum_{i in N} |s_ji|``

    N       at most `n_neighbors` items that user u rated, those most similar to j
    s_ji    similarity of items j and i: the cosine of their columns of ratings, a missing one counting as zero, or
            others (`similarity`, `over`), weakened where few users rated both (`shrinkage`, `min_overlap`)
    mean_j  mean of j's ratings; with ``center="baseline"`` the mean of all plus the biases of u and j, with None zero,
            and the prediction is the plain weighted mean of the user's own ratings

    ``similarity="adjusted_cosine"`` takes each user's mean off before items are compared, since some users rate
    everything high; "baseline" takes mean and biases off and is, with a shrinkage of about 100, the best of them on
    most data. Where the user rated nothing similar the answer is the item's mean; an unknown item is answered with the
    user's mean, a pair of unknowns with the mean of all (``center="baseline"``: with what is known of the biases).

    Attributes
    ----------
    mean_ : mean of all ratings
    user_mean_, item_mean_ : means in the order of `users_` and `items_`; NaN where there are no ratings
    user_bias_, item_bias_ : biases, where they are used
    similarity_ : table of the items' similarities
    users_, items_ : the ids
    rating_range_ : the lowest and highest rating

    Examples
    --------
    Of what user 1 rated only the second book was rated by somebody who rated the last one, too.

    >>> table = [[4, 3, 0, 0, 5, 0], [5, 0, 4, 0, 4, 0], [4, 0, 5, 3, 4, 0],
    ...          [0, 3, 0, 0, 0, 5], [0, 4, 0, 0, 0, 4], [0, 0, 2, 4, 0, 5]]
    >>> ratings = [(u, b, r) for u, row in enumerate(table, 1) for b, r in enumerate(row, 1) if r]
    >>> model = ItemNeighborsRecommender(n_neighbors=2, center=None).fit(ratings)
    >>> model.predict(1, 6)
    3.0
    >>> items, similarity = model.similar_items(6, n=2)
    >>> items.tolist(), similarity.round(2).tolist()
    ([2, 4], [0.65, 0.49])

    References
    ----------
    Sarwar, B. et al. (2001). Item-based collaborative filtering recommendation algorithms.
    """

    of_users: ClassVar[bool] = False

    def similar_items(self, item: Any, n: int = 10) -> tuple[Array, Floats]:
        """The items most similar to one, with their similarities."""
        self._check_fitted()
        return self._most_similar(int(self._items([item])[0]), n, self.items_)
