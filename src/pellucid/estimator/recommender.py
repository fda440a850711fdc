"""The role of a recommender: ratings in, the rating of any pair and the best items of any user out."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse
from sklearn.callback import with_callbacks
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, UnknownNameError, format_message, short_repr
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, Schema
from pellucid.data.ratings import (
    Pairs,
    Rated,
    Ratings,
    Reading,
    codes_of,
    full_form,
    is_single,
    read_pairs,
    read_ratings,
    small_form,
)
from pellucid.data.table import Table
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.trace import Trace

_USERS_AT_A_TIME = 64  # so that their scores of all items are small


class Recommender(Estimator):
    """Reads ratings, predicts those of other pairs, and recommends what a user has not rated yet.

    A class writes ``_fit_ratings(ratings, trace)``, ``_predict(users, items)`` for pairs of codes, of which -1 is
    somebody or something unknown, and ``_scores(users)``: a row of scores of all items for each, NaN where an item is
    not to be recommended.
    """

    user: str | int | None = param(
        default=None, doc="Name of the column of users; None takes the one called 'user', else the first."
    )
    item: str | int | None = param(
        default=None, doc="Name of the column of items; None takes the one called 'item', else the next."
    )
    rating: str | int | None = param(
        default=None, doc="Name of the column of ratings; None takes the one called 'rating', else the next."
    )
    duplicates: Literal["mean", "last", "sum", "refuse"] = param(
        default="mean",
        doc="What a pair that is rated several times counts as: the mean, the last or the sum; 'refuse' is an error.",
    )
    n_jobs: int | None = param(default=None, doc="Threads; None for all cores. They change no bit.")

    input_spec = InputSpec(values=False)
    needs_rating: ClassVar[bool] = True
    knows_strangers: ClassVar[bool] = False  # has recommendations for users that were never seen

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "recommender"
        tags.target_tags.required = False
        return tags

    # ------------------------------------------------------------------------------------------------------------ fit

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, ratings: Any, y: Any = None) -> Self:
        """Learns from ratings.

        Parameters
        ----------
        ratings : a table with columns for users, items and ratings; a tuple of three arrays; a list of rows; or a
            scipy.sparse matrix with a row for each user and a column for each item, whose stored values are the ratings
        y : ignored
        """
        self._run_fit(ratings, y, None)
        return self

    def _fit_ratings(self, ratings: Ratings, trace: Trace) -> None:
        raise TypeError(f"{type(self).__name__} must write _fit_ratings")

    def _predict(self, users: Array, items: Array) -> Floats:
        raise TypeError(f"{type(self).__name__} must write _predict")

    def _scores(self, users: Array) -> Floats:
        raise TypeError(f"{type(self).__name__} must write _scores")

    @property
    def _reading(self) -> Reading:
        names = {"user": self.user, "item": self.item, "rating": self.rating}
        return Reading(type(self).__name__, names, self.needs_rating, self.duplicates, self._threads)

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        self._forget()
        ratings, known = self._complete(read_ratings(X, self._reading), y)
        self.__dict__.update(known)
        self.users_, self.items_ = ratings.users, ratings.items
        self._small_ = small_form(ratings.by_user)
        self.__dict__["_by_user_"] = ratings.by_user
        blas = serial_blas() if self.calls_blas else nullcontext()
        with self._task(record, X, y, sample_weight) as trace, blas:
            self._fit_ratings(ratings, trace)
        return trace

    def _complete(self, ratings: Ratings, y: Any) -> tuple[Ratings, dict[str, Any]]:
        """The ratings with what a class is told of items besides, and that as fitted attributes."""
        return ratings, {}

    @cached_property
    def _by_user_(self) -> Rated:
        """The ratings of the fit by user; a model file holds their small form alone."""
        return full_form(self._small_)

    @property
    def ratings_(self) -> Any:
        """The ratings of the fit: a sparse matrix with a row for each of `users_` and a column for each of `items_`."""
        self._check_fitted()
        starts, indices, values = self._by_user_
        return scipy.sparse.csr_array((values, indices, starts), shape=(len(self.users_), len(self.items_)))

    # -------------------------------------------------------------------------------------------------------- predict

    def predict(self, users: Any, items: Any = None) -> Any:
        """The ratings that are expected of pairs.

        Parameters
        ----------
        users, items : ids, as many of one as of the other; or one of them a single id, which goes with all of the
            other; two single ids give a single number. `users` may be a table with both columns.

        Returns
        -------
        array, or a number : users and items that `fit` did not see are answered from what is known of the other
        """
        self._check_fitted()
        pairs = self._pairs(users, items)
        found = self._predict(pairs.users, pairs.items)
        return float(found[0]) if pairs.is_single else found

    def _pairs(self, users: Any, items: Any, needs_rating: bool = False) -> Pairs:
        reading = Reading(
            type(self).__name__,
            {"user": self.user, "item": self.item, "rating": self.rating if needs_rating else None},
            needs_rating,
            threads=self._threads,
        )
        return read_pairs(users, items, (self.users_, self.items_), reading)

    def score(self, ratings: Any, y: Any = None) -> float:
        """Minus the root of the mean squared error on other ratings, so that more is better.

        ``-sqrt( (1/n) sum (r - predicted r)^2 )``
        """
        self._check_fitted()
        pairs = self._pairs(ratings, None, needs_rating=True)
        assert pairs.ratings is not None
        return -float(np.sqrt(np.mean((self._predict(pairs.users, pairs.items) - pairs.ratings) ** 2)))

    # ------------------------------------------------------------------------------------------------------ recommend

    def recommend(
        self, user: Any, n: int = 10, exclude_seen: bool = True, exclude: Iterable[Any] = ()
    ) -> tuple[Array, Floats]:
        """The items with the highest scores for one user, best first.

        Parameters
        ----------
        user : an id
        n : at most so many items
        exclude_seen : leave out what the user has rated
        exclude : more items to leave out, such as those in the basket

        Returns
        -------
        items, scores : arrays of equal length; of equal scores the item that comes first in `items_`
        """
        found = self._ranked([user], n, exclude_seen, exclude)
        kept = found[0][0] >= 0
        return self.items_[found[0][0][kept]], found[1][0][kept]

    def recommend_all(
        self, n: int = 10, exclude_seen: bool = True, users: Any = None, exclude: Iterable[Any] = ()
    ) -> tuple[Array, Floats]:
        """The same for many users at once: those named, or all of `users_` in their order.

        Returns
        -------
        items, scores : arrays with a row for each user; places for which there is no item hold None and NaN
        """
        self._check_fitted()
        codes, scores = self._ranked(self.users_ if users is None else users, n, exclude_seen, exclude)
        items = self.items_[codes]
        if (codes < 0).any():
            items = items.astype(object)
            items[codes < 0] = None
        return items, scores

    def _ranked(self, users: Any, n: int, exclude_seen: bool, exclude: Iterable[Any]) -> tuple[Array, Floats]:
        self._check_fitted()
        who = type(self).__name__
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise DataError(
                format_message(who, "n must be a whole number of at least 1", actual=f"got {short_repr(n)}")
            )
        codes = self._users(users)
        left_out = self._items(exclude)
        n = min(int(n), len(self.items_))
        seen = codes if exclude_seen else np.full_like(codes, -1)
        parts = []
        for at in range(0, len(codes), _USERS_AT_A_TIME):
            scores = np.ascontiguousarray(self._scores(codes[at : at + _USERS_AT_A_TIME]), dtype=np.float64)
            scores[:, left_out] = np.nan
            rows = np.ascontiguousarray(seen[at : at + _USERS_AT_A_TIME])
            parts.append(_core.best_columns(scores, self._by_user_, rows, n, self._threads))
        return np.vstack([part[0] for part in parts]), np.vstack([part[1] for part in parts])

    def _users(self, users: Any) -> Array:
        """Codes of users, who must be known unless there is something to say to strangers."""
        codes = codes_of(users, self.users_, self._reading)
        if len(codes) == 0:
            raise DataError(format_message(type(self).__name__, "there must be at least one user", actual="got none"))
        if (codes < 0).any() and not self.knows_strangers:
            unknown = np.flatnonzero(codes < 0)[0]
            requirement, actual = "a user must have ratings in the fit", f"{_shown(list(users)[unknown])} has none"
            hint = "PopularItems recommends to anybody; fit again with their ratings"
            raise UnknownNameError(format_message(type(self).__name__, requirement, actual=actual, hint=hint))
        return codes

    def _items(self, items: Iterable[Any]) -> Array:
        """Codes of items, all of which must be known."""
        many = isinstance(items, tuple | set | frozenset) or not is_single(items, self.items_)
        listed = list(items) if many else [items]
        codes = codes_of(listed, self.items_, self._reading) if listed else np.empty(0, dtype=np.int32)
        if (codes < 0).any():
            requirement, actual = (
                "an item must be known from the fit",
                f"{_shown(listed[int(np.argmin(codes))])} is not",
            )
            raise UnknownNameError(
                format_message(type(self).__name__, requirement, actual=actual, hint="items_ lists those that are")
            )
        return codes

    # -------------------------------------------------------------------------------------------------------- workings

    def _validate_predict(self, X: Any) -> Design:
        """Ratings or pairs as the workings are handed them: they have no columns of numbers."""
        self._check_fitted()
        table = Table(np.empty((len(X), 1)), len(X), 1, None)
        return Design(type(self).__name__, table, Schema(0, None, True), len(X), 0, np.dtype(np.float64), None, None)

    def show_fit(self, ratings: Any, y: Any = None, **options: Any) -> Any:  # type: ignore[override]
        """How the fitted numbers came about, with the ratings that `fit` saw.

        Returns
        -------
        pellucid.working.Working
        """
        self._check_fitted()
        return self._show("fit", self._complete(read_ratings(ratings, self._reading), y)[0], y, **options)

    def show_predict(self, users: Any, items: Any = None, **options: Any) -> Any:  # type: ignore[override]
        """How the ratings that are expected of pairs come about; takes what `predict` takes.

        Returns
        -------
        pellucid.working.Working
        """
        self._check_fitted()
        return self._show("predict", self._pairs(users, items), **options)


class RankingRecommender(Recommender):
    """A recommender whose predictions are no ratings but say what comes first."""

    needs_rating: ClassVar[bool] = False

    def score(self, ratings: Any, y: Any = None, k: int = 10) -> float:
        """How much of what users took is among their first k recommendations.

        ``(1/U) sum_u (items of u among the first k) / min(k, items of u)``  over the users u of other ratings that
        `fit` saw, counting items that it saw and that are new to u
        """
        self._check_fitted()
        pairs = self._pairs(ratings, None)
        taken = self._new_pairs(pairs)
        if not taken:
            requirement, actual = (
                "there must be items that are new to users of the fit",
                "all are known, or of strangers",
            )
            raise DataError(format_message(type(self).__name__, requirement, actual=actual, hint="score other ratings"))
        users = np.array(sorted(taken))
        codes, _ = self._ranked(self.users_[users], k, True, ())
        hits = [len(taken[u] & set(row.tolist())) / min(k, len(taken[u])) for u, row in zip(users, codes, strict=True)]
        return float(np.mean(hits))

    def _new_pairs(self, pairs: Pairs) -> dict[int, set[int]]:
        """For each known user the known items that were not theirs in the fit."""
        starts, indices, _ = self._by_user_
        taken: dict[int, set[int]] = {}
        for user, item in zip(pairs.users.tolist(), pairs.items.tolist(), strict=True):
            if user >= 0 and item >= 0:
                own = indices[starts[user] : starts[user + 1]]
                at = np.searchsorted(own, item)
                if at == len(own) or own[at] != item:
                    taken.setdefault(user, set()).add(item)
        return taken


def _shown(value: Any) -> str:
    """An id as a message shows it."""
    return short_repr(value.item() if isinstance(value, np.generic) else value)


# ------------------------------------------------------------------------------------------------- rows of ratings


def row_numbers(rated: Rated) -> Array:
    """The row of every rating."""
    return np.repeat(np.arange(len(rated[0]) - 1), np.diff(rated[0]))


def row_means(rated: Rated) -> Floats:
    """The mean rating of every row; NaN where it has none."""
    sums = np.bincount(row_numbers(rated), weights=rated[2], minlength=len(rated[0]) - 1)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / np.diff(rated[0]))


def filled(values: Floats, codes: Array, otherwise: Any) -> Floats:
    """The value of each code; `otherwise` where the code is -1 or the value NaN."""
    found = np.where(codes >= 0, values[codes], np.nan)
    return np.where(np.isnan(found), otherwise, found)
