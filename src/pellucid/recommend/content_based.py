"""More of what a user liked, by what the items are."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse
from sklearn.callback import with_callbacks

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.ratings import Rated, Ratings, read_features, with_items
from pellucid.estimator.recommender import filled, row_numbers
from pellucid.estimator.trace import Trace
from pellucid.recommend._neighbors import NeighborsRecommender

__all__ = ["ContentBasedRecommender"]


class ContentBasedRecommender(NeighborsRecommender):
    """A user will like items that are like the items they liked, by the items' own features.

    ``method="neighbors"``:  ``predicted r_uj = sum_{i in N} s_ji r_ui / sum_{i in N} |s_ji|``

    N     at most `n_neighbors` items that user u rated, those most similar to j, with a similarity above
          `min_similarity`
    s_ji  cosine of the features of items j and i

    With `center` ratings are measured from the items' means or from the biases, as in `ItemNeighborsRecommender`.

    ``method="profile"``:  ``predicted r_uj = mean_u + d_u cos(t_u, f_j)``,  ``t_u = sum_i (r_ui - base) f_i / |f_i|``

    f_j          features of item j
    t_u          the user's profile: the features of what they rated, weighed by how much they liked it
    base         with `center` the user's mean, or mean plus biases; without it zero
    mean_u, d_u  mean of u's ratings, and the root of their mean squared difference from it

    Items that nobody has rated can be recommended, and a recommendation can be explained by features; but there are no
    surprises, and a new user has to rate something first. Where nothing the user rated is alike, the answer is the
    item's mean, or the user's mean for items that nobody rated.

    Attributes
    ----------
    similarity_ : table of the items' similarities
    feature_names_ : names of the features
    item_features_ : sparse matrix with a row for each of `items_`
    user_profiles_ : with ``method="profile"`` t, a row for each of `users_`
    mean_, user_mean_, item_mean_ : of all ratings, of each user's and each item's; NaN where there are none
    users_, items_ : the ids; of items all those with features
    rating_range_ : the lowest and highest rating

    Examples
    --------
    >>> features = {"tea": [1, 0], "mate": [1, 0], "jam": [0, 1]}
    >>> ratings = [("ann", "tea", 5), ("ann", "jam", 2)]
    >>> ContentBasedRecommender().fit(ratings, features).predict("ann", "mate")
    5.0
    """

    _defaults = {"center": None}

    method: Literal["neighbors", "profile"] = param(
        default="neighbors", doc="By the most similar items that the user rated, or by the user's profile."
    )

    of_users: ClassVar[bool] = False

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, ratings: Any, features: Any = None) -> Self:
        """Learns from ratings and what the items are.

        Parameters
        ----------
        ratings : as other recommenders take them
        features : a dataframe with a column of items and columns of numbers; a tuple (ids, matrix); or a mapping from
            items to numbers, or to lists of words
        """
        self._run_fit(ratings, features, None)
        return self

    def _complete(self, ratings: Ratings, y: Any) -> tuple[Ratings, dict[str, Any]]:
        if y is None:
            requirement, hint = "fit needs the features of the items", "fit(ratings, features)"
            raise DataError(format_message(type(self).__name__, requirement, actual="got none", hint=hint))
        items, names, matrix = read_features(y, self._reading)
        known = {"feature_names_": np.array(names, dtype=object), "item_features_": matrix}
        return with_items(ratings, items, self._reading), known

    def _fit_ratings(self, ratings: Ratings, trace: Trace) -> None:
        super()._fit_ratings(ratings, trace)
        if self.method == "profile":
            self._fit_profiles(ratings)

    def _similarities(self, ratings: Ratings) -> Rated:
        rows = _rated(self.item_features_)
        columns = _core.transpose_ratings(rows, self.item_features_.shape[1])
        return self._compared(rows, columns, "all", 1, 0.0)

    # -------------------------------------------------------------------------------------------------------- profile

    def _fit_profiles(self, ratings: Ratings) -> None:
        starts, indices, values = ratings.by_user
        users = row_numbers(ratings.by_user)
        moved = values - self._profile_base(users, indices)
        shape = (len(ratings.users), len(ratings.items))
        liked = scipy.sparse.csr_array((moved, indices, starts), shape=shape)
        self.user_profiles_ = np.asarray((liked @ self._unit_features()).toarray())
        apart = (values - self.user_mean_[users]) ** 2
        n = np.maximum(np.diff(starts), 1)
        self._user_spread_ = np.sqrt(np.bincount(users, weights=apart, minlength=len(ratings.users)) / n)

    def _profile_base(self, users: Array, items: Array) -> Floats | float:
        if self.center == "baseline":
            return self._baseline(users, items)
        return self.user_mean_[users] if self.center == "mean" else 0.0

    def _unit_features(self) -> Any:
        """Features of length 1; an item without any stays without."""
        squares = self.item_features_.multiply(self.item_features_).sum(axis=1)
        lengths = np.sqrt(np.asarray(squares, dtype=np.float64).ravel())
        return scipy.sparse.diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ self.item_features_

    def _cosines(self, users: Array) -> Floats:
        profiles = self.user_profiles_[users]
        lengths = np.sqrt(np.einsum("ij,ij->i", profiles, profiles))
        unit = profiles / np.where(lengths > 0, lengths, 1.0)[:, None]
        return np.asarray((self._unit_features() @ unit.T).T)

    def _raw(self, users: Array, items: Array) -> Floats:
        if self.method == "neighbors":
            return super()._raw(users, items)
        found = np.where(
            users >= 0, filled(self.user_mean_, users, self.mean_), filled(self.item_mean_, items, self.mean_)
        )
        known = (users >= 0) & (items >= 0)
        for user in np.unique(users[known]):
            rows = np.flatnonzero(known & (users == user))
            found[rows] += self._user_spread_[user] * self._cosines(np.array([user]))[0, items[rows]]
        return found

    def _scores(self, users: Array) -> Floats:
        return super()._scores(users) if self.method == "neighbors" else self._cosines(users)

    def similar_items(self, item: Any, n: int = 10) -> tuple[Array, Floats]:
        """The items whose features are most similar to one's, with their similarities."""
        self._check_fitted()
        return self._most_similar(int(self._items([item])[0]), n, self.items_)


def _rated(matrix: Any) -> Rated:
    """A sparse matrix as kernels read rows."""
    ordered = matrix.tocsr()
    ordered.sum_duplicates()
    values = np.ascontiguousarray(ordered.data, dtype=np.float64)
    return ordered.indptr.astype(np.int64), ordered.indices.astype(np.int32), values
