"""Users alike, or items alike: similarities, neighbors, and the weighted mean of their ratings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.types import Array, Floats
from pellucid.data.ratings import Rated, Ratings
from pellucid.estimator.recommender import Recommender, filled, row_means, row_numbers
from pellucid.estimator.trace import Trace
from pellucid.recommend._biases import fit_biases
from pellucid.recommend._clip import Clipped

_OVER = {"all": 0, "common": 1, "centered": 2}
_PASSES, _TOL = 200, 1e-8  # of the biases, where ratings are measured from them


@dataclass(frozen=True)
class Neighbors:
    """Who was asked about one pair: ids, their similarities, their ratings, and what was taken off these."""

    ids: Array
    similarities: Floats
    ratings: Floats
    bases: Floats


class NeighborsRecommender(Clipped, Recommender):
    """What recommenders by neighbors share. The *own* side is the one whose rows are compared: users, or items."""

    n_neighbors: int = param(default=40, low=1, doc="At most so many neighbors are asked: the most similar ones.")
    center: Literal["mean", "baseline"] | None = param(
        default="mean",
        doc="What ratings are measured from: the row's own mean, mean plus biases of user and item, or None for zero.",
    )
    min_similarity: float | None = param(
        default=0.0,
        low=-1,
        high=1,
        doc="Neighbors must be more similar than this; None takes all, and divides by the sum of absolute weights.",
    )
    min_neighbors: int = param(default=1, low=1, doc="With fewer neighbors the answer is what is known without them.")
    keep: int | None = param(
        default=None, low=1, doc="Of each row only so many of the largest similarities are kept; None keeps all."
    )
    reg_user: float = param(default=15.0, low=0, doc="Penalty of the users' biases, where they are used.")
    reg_item: float = param(default=10.0, low=0, doc="Penalty of the items' biases, where they are used.")

    calls_blas = False
    of_users: ClassVar[bool] = True  # the own side

    # ------------------------------------------------------------------------------------------------------------ fit

    def _fit_ratings(self, ratings: Ratings, trace: Trace) -> None:
        self._keep_range(ratings)
        self.mean_ = float(np.mean(ratings.by_user[2]))
        self.user_mean_, self.item_mean_ = row_means(ratings.by_user), row_means(ratings.by_item)
        if self._uses_biases():
            penalties = self.reg_user, self.reg_item
            self.mean_, self.user_bias_, self.item_bias_, _ = fit_biases(self, ratings, penalties, trace, _PASSES, _TOL)
        self._similar_ = self._similarities(ratings)
        self.__dict__["_voices_"] = self._centered(ratings.by_item if self.of_users else ratings.by_user)

    @cached_property
    def _voices_(self) -> Rated:
        """The ratings by the other side, measured from the base; they are worked out again from a model file."""
        by_user = self._by_user_
        return self._centered(_core.transpose_ratings(by_user, len(self.items_)) if self.of_users else by_user)

    def _centered(self, others: Rated) -> Rated:
        about = row_numbers(others)
        users, items = (others[1], about) if self.of_users else (about, others[1])
        return others[0], others[1], others[2] - self._base(users, items)

    def _uses_biases(self) -> bool:
        return self.center == "baseline"

    def _similarities(self, ratings: Ratings) -> Rated:
        raise TypeError(f"{type(self).__name__} must write _similarities")

    @property
    def _least(self) -> float:
        return -np.inf if self.min_similarity is None else float(self.min_similarity)

    def _compared(self, rows: Rated, columns: Rated, over: str, min_overlap: int, shrinkage: float) -> Rated:
        """The similarities of rows, of which a mean or bias has been taken off already."""
        return _core.rating_similarities(
            rows, columns, _OVER[over], min_overlap, shrinkage, self._least, self.keep or 0, self._threads
        )

    # -------------------------------------------------------------------------------------------------------- predict

    def _base(self, users: Array, items: Array) -> Floats:
        """What ratings of these pairs are measured from."""
        if self.center is None:
            return np.zeros(len(users))
        if self.center == "baseline":
            return self._baseline(users, items)
        return filled(self.user_mean_, users, self.mean_) if self.of_users else filled(
            self.item_mean_, items, self.mean_
        )  # fmt: skip

    def _baseline(self, users: Array, items: Array) -> Floats:
        biases = filled(self.user_bias_, users, 0.0) + filled(self.item_bias_, items, 0.0)
        return np.asarray(self.mean_ + biases)

    def _without(self, users: Array, items: Array) -> Floats:
        """The answer where no neighbor has one."""
        if self.center == "baseline":
            return self._baseline(users, items)
        of_user, of_item = filled(self.user_mean_, users, np.nan), filled(self.item_mean_, items, np.nan)
        first, second = (of_user, of_item) if self.of_users else (of_item, of_user)
        found = np.where(np.isnan(first), second, first)
        return np.where(np.isnan(found), self.mean_, found)

    def _asked(self, users: Array, items: Array) -> Floats:
        """What neighbors say of pairs of known users and items, measured from the base; NaN where nobody does."""
        own, other = (users, items) if self.of_users else (items, users)
        return _core.neighbor_means(
            self._similar_,
            self._voices_,
            np.ascontiguousarray(own, dtype=np.int32),
            np.ascontiguousarray(other, dtype=np.int32),
            self.n_neighbors,
            self.min_neighbors,
            self._threads,
        )

    def _raw(self, users: Array, items: Array) -> Floats:
        found = self._without(users, items)
        known = np.flatnonzero((users >= 0) & (items >= 0))
        own = users[known] if self.of_users else items[known]
        known = known[np.argsort(own, kind="stable")]
        said = self._asked(users[known], items[known])
        heard = ~np.isnan(said)
        places = known[heard]
        found[places] = self._base(users[places], items[places]) + said[heard]
        return found

    def _scores(self, users: Array) -> Floats:
        n = len(self.items_)
        if self.of_users:
            pairs = np.repeat(users, n), np.tile(np.arange(n, dtype=np.int32), len(users))
            return (self._base(*pairs) + self._asked(*pairs)).reshape(len(users), n)
        pairs = np.tile(users, n), np.repeat(np.arange(n, dtype=np.int32), len(users))
        return np.ascontiguousarray((self._base(*pairs) + self._asked(*pairs)).reshape(n, len(users)).T)

    # ------------------------------------------------------------------------------------------------------ neighbors

    def neighbors_of(self, user: Any, item: Any) -> Neighbors:
        """Who or what the prediction of one pair is made of, most similar first.

        Returns
        -------
        Neighbors : `ids` of users, or of items, with `similarities`, `ratings`, and the `bases` that are taken off them
        """
        self._check_fitted()
        codes, similarities, ratings, bases = self._neighbors(int(self._users([user])[0]), int(self._items([item])[0]))
        ids = self.users_ if self.of_users else self.items_
        return Neighbors(ids[codes], similarities, ratings, bases)

    def _neighbors(self, user: int, item: int) -> tuple[Array, Floats, Floats, Floats]:
        """The same for codes."""
        own, other = (user, item) if self.of_users else (item, user)
        rated, at = row_of(self._voices_, other)
        weights = np.full(len(self._similar_[0]) - 1, np.nan)
        alike, similarity = row_of(self._similar_, own)
        weights[alike] = similarity
        present = ~np.isnan(weights[rated])
        rated, at = rated[present], at[present]
        order = np.lexsort((rated, -weights[rated]))[: self.n_neighbors]
        codes = rated[order]
        same = np.full(len(codes), other)
        bases = self._base(codes, same) if self.of_users else self._base(same, codes)
        return codes, weights[codes], at[order] + bases, bases

    def _similarity_matrix(self) -> Floats:
        starts, indices, values = self._similar_
        n = len(starts) - 1
        found = np.zeros((n, n))
        found[row_numbers(self._similar_), indices] = values
        np.fill_diagonal(found, 1.0)
        return found

    @property
    def similarity_(self) -> Floats:
        """All similarities as a table: 1 on its diagonal, 0 where rows have none or it was left out."""
        self._check_fitted()
        return self._similarity_matrix()

    def _most_similar(self, code: int, n: int, ids: Array) -> tuple[Array, Floats]:
        others, similarity = row_of(self._similar_, code)
        order = np.lexsort((others, -similarity))[:n]
        return ids[others[order]], similarity[order]


class RatingNeighbors(NeighborsRecommender):
    """Neighbors by what was rated: how two rows of ratings are compared."""

    similarity: Literal["cosine", "adjusted_cosine", "pearson", "baseline"] = param(
        default="cosine",
        doc="What ratings are measured from before rows are compared: zero; the mean of the other side (of an item's "
        "ratings when users are compared); the row's own mean; mean plus biases.",
    )
    over: Literal["all", "common"] = param(
        default="all",
        doc="Lengths, and Pearson's means, over all of a row's ratings, so that a missing one counts as zero; or over "
        "those that both rows have.",
    )
    min_overlap: int = param(default=1, low=1, doc="Rows with fewer ratings in common are not similar.")
    shrinkage: float = param(default=0.0, low=0, doc="A similarity is multiplied by n / (n + shrinkage), n in common.")

    def _uses_biases(self) -> bool:
        return "baseline" in (self.center, self.similarity)

    def _similarities(self, ratings: Ratings) -> Rated:
        rows, columns = (ratings.by_user, ratings.by_item) if self.of_users else (ratings.by_item, ratings.by_user)
        own, other = row_numbers(rows), rows[1]
        moved = (rows[0], rows[1], rows[2] - self._origin(own, other))
        turned = _core.transpose_ratings(moved, len(columns[0]) - 1)
        over = "centered" if self.similarity == "pearson" and self.over == "common" else self.over
        return self._compared(moved, turned, over, self.min_overlap, self.shrinkage)

    def _origin(self, own: Array, other: Array) -> Floats | float:
        """What ratings are measured from before rows are compared."""
        users, items = (own, other) if self.of_users else (other, own)
        if self.similarity == "cosine":
            return 0.0
        if self.similarity == "baseline":
            return self._baseline(users, items)
        of_users = self.of_users == (self.similarity == "pearson")
        return self.user_mean_[users] if of_users else self.item_mean_[items]


def row_of(rated: Rated, row: int) -> tuple[Array, Floats]:
    """Columns and values of one row."""
    part = slice(int(rated[0][row]), int(rated[0][row + 1]))
    return rated[1][part], rated[2][part]
