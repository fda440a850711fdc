"""What the user's own items have to do with a recommended item, as counts of users."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from pellucid.base.types import Array
from pellucid.report.interactions.ranking import Coded

MIN_TOGETHER = 2  # users of whom a reason speaks
N_REASONS = 2


class Reasons:
    """Statements on recommended items, from who liked what.

    Parameters
    ----------
    data : all interactions
    least : the smallest rating of an item that is liked; None if every interaction counts
    verb : what users did with items: "rated", "took"
    """

    def __init__(self, data: Coded, least: float | None, verb: str) -> None:
        self._data, self._least, self._verb = data, least, verb
        liked = np.ones(len(data), dtype=bool) if least is None else data.values >= least
        shape = (len(data.user_ids), len(data.item_ids))
        ones = np.ones(int(liked.sum()))
        self._liked = scipy.sparse.csr_array((ones, (data.users[liked], data.items[liked])), shape=shape)
        self._by_item = self._liked.tocsc()
        self._n_likes = np.asarray(self._liked.sum(axis=0)).ravel()
        self._values = scipy.sparse.csr_array((data.values, (data.users, data.items)), shape=shape)

    def of(self, user: int, item: int) -> str:
        """The statement on one recommended item."""
        own = self._own(user)
        fans = self._by_item.indices[self._by_item.indptr[item] : self._by_item.indptr[item + 1]]
        together = np.asarray(self._liked[fans][:, own].sum(axis=0)).ravel() if len(own) and len(fans) else np.zeros(0)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosine = together / np.sqrt(self._n_likes[own] * self._n_likes[item])
        order = [k for k in np.lexsort((own, -np.nan_to_num(cosine))).tolist() if together[k] >= MIN_TOGETHER]
        if not order:
            return self._taken_by(item)
        found = []
        for k in order[:N_REASONS]:
            n, of = int(together[k]), int(self._n_likes[own[k]])
            who = f"{n:,} of the {of:,} users who {self._did('it')} also {self._did('this')}"
            found.append(f"the user {self._own_text(user, int(own[k]))}, and {who}")
        return "; ".join(found)

    def popularity(self, item: int) -> str:
        """The statement on an item that is recommended for its popularity alone: for how many users took or rated it,
        whatever the ratings."""
        n = int((self._data.items == item).sum())
        return f"popular: {n:,} of {len(self._data.user_ids):,} users {self._verb} this"

    def _taken_by(self, item: int) -> str:
        return f"{self._n_likes[item]:,.0f} of {len(self._data.user_ids):,} users {self._did('this')}"

    def _own(self, user: int) -> Array:
        rows = self._liked
        return np.asarray(rows.indices[rows.indptr[user] : rows.indptr[user + 1]])

    def _own_text(self, user: int, item: int) -> str:
        name = self._data.item_ids[item]
        return (
            f"{self._verb} {name}" if self._least is None else f"gave {name} a rating of {self._values[user, item]:g}"
        )

    def _did(self, what: str) -> str:
        return f"{self._verb} {what}" if self._least is None else f"rated {what} at least {self._least:g}"
