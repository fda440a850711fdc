"""What people with the same taste say."""

from __future__ import annotations

from typing import Any, ClassVar

from pellucid.base.types import Array, Floats
from pellucid.recommend._neighbors import RatingNeighbors

__all__ = ["UserNeighborsRecommender"]


class UserNeighborsRecommender(RatingNeighbors):
    """A user will rate an item like the users do who rated other items alike.

    ``predicted r_uj = mean_u + sum_{v in N} s_uv (r_vj - mean_v) / sum_{v in N} |s_uv|``

    N       at most `n_neighbors` users who rated item j, those most similar to u
    s_uv    similarity of users u and v: the cosine of their rows of ratings, a missing one counting as zero, or others
            (`similarity`, `over`), weakened where they have few items in common (`shrinkage`, `min_overlap`)
    mean_u  mean of u's ratings; with ``center="baseline"`` the mean of all plus the biases of u and j, with None zero,
            and the prediction is the plain weighted mean of the neighbors' ratings

    Similarities are found by walking each user's items and their other raters, so that only pairs with something in
    common cost anything. Where nobody similar has rated the item the answer is the user's mean; an unknown user is
    answered with the item's mean, a pair of unknowns with the mean of all (``center="baseline"``: with what is known of
    the biases). Where there are many more users than items, `ItemNeighborsRecommender` is quicker and steadier.

    Attributes
    ----------
    mean_ : mean of all ratings
    user_mean_, item_mean_ : means in the order of `users_` and `items_`; NaN where there are no ratings
    user_bias_, item_bias_ : biases, where they are used
    similarity_ : table of the users' similarities
    users_, items_ : the ids
    rating_range_ : the lowest and highest rating

    Examples
    --------
    Users 4 and 5 of six rated the last book, with 5 and 4; their similarities to user 1 are 0.218 and 0.3.

    >>> table = [[4, 3, 0, 0, 5, 0], [5, 0, 4, 0, 4, 0], [4, 0, 5, 3, 4, 0],
    ...          [0, 3, 0, 0, 0, 5], [0, 4, 0, 0, 0, 4], [0, 0, 2, 4, 0, 5]]
    >>> ratings = [(u, b, r) for u, row in enumerate(table, 1) for b, r in enumerate(row, 1) if r]
    >>> model = UserNeighborsRecommender(n_neighbors=2).fit(ratings)
    >>> round(model.predict(1, 6), 4)
    4.4212
    >>> asked = model.neighbors_of(1, 6)
    >>> asked.ids.tolist(), asked.similarities.round(3).tolist(), asked.ratings.tolist()
    ([5, 4], [0.3, 0.218], [4.0, 5.0])

    References
    ----------
    Resnick, P. et al. (1994). GroupLens: an open architecture for collaborative filtering of netnews.
    """

    of_users: ClassVar[bool] = True

    def similar_users(self, user: Any, n: int = 10) -> tuple[Array, Floats]:
        """The users most similar to one, with their similarities."""
        self._check_fitted()
        return self._most_similar(int(self._users([user])[0]), n, self.users_)
