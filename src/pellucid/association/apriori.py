"""Frequent sets, level by level."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from pellucid import _core
from pellucid.association._mining import SetMiner
from pellucid.base.errors import DataError, format_message, noun_list
from pellucid.data.baskets import Baskets
from pellucid.estimator.trace import Trace

__all__ = ["Apriori"]

MOST_IN_LATTICE = 12  # items; their sets are 4,095


class LevelCounts(NamedTuple):
    """What became of the candidates of one length: how many were made, left out, counted, and found frequent."""

    length: int
    joined: int
    pruned: int
    counted: int
    frequent: int


class Apriori(SetMiner):
    """Sets of items that are in many baskets, found level by level.

    The support of a set S among n baskets B is the share that has all its items,

        ``support(S) = |{B : S is part of B}| / n``

    and S is frequent if  ``support(S) >= min_support``. A set can be in no more baskets than any part of it. So when S
    is not frequent, no set that contains S is, and none of them is looked at.

    Single items are counted first. Sets of k + 1 items are then joined of two frequent sets of k items that share all
    but their last item; a candidate with a part of k items that is not frequent is left out (pruned) without being
    counted; the others are counted. It ends with the first level at which nothing is frequent. `levels_` tells what
    became of the candidates, `show_fit` shows each of them, and `lattice` all sets of a few items with their fate.

    `FrequentItemsets` finds the same sets in the same order, and sooner where there are many; it also finds the closed
    or maximal ones alone. Prefer this class to see how they come about.

    Attributes
    ----------
    itemsets_ : ItemSets
        The frequent sets, by length and then in the order of their items: a sequence of `ItemSet` (items, count,
        support), with ``support_of(items)`` and, for dataframes, ``columns()``.
    supports_ : support of each set
    levels_ : list of (length, joined, pruned, counted, frequent)
        The candidates of each level.
    items_ : every item, in order
    n_baskets_ : number of baskets
    min_count_ : the least number of baskets
    notes_ : list of what was left out of the baskets

    Examples
    --------
    >>> from pellucid.association import Apriori
    >>> orders = [["bread", "milk"], ["bread", "milk", "tea"], ["bread", "tea"], ["milk"]]
    >>> model = Apriori(min_support=0.5).fit(orders)
    >>> print(model.itemsets_)
    support  count  items
     0.7500      3  bread
     0.7500      3  milk
     0.5000      2  tea
     0.5000      2  bread + milk
     0.5000      2  bread + tea
    >>> model.itemsets_.support_of(["milk", "bread"])
    0.5

    Of the three pairs two are frequent; the three items together have the infrequent part milk + tea, and cannot be.

    References
    ----------
    R. Agrawal and R. Srikant (1994), Fast algorithms for mining association rules, VLDB.
    """

    def _mine(self, baskets: Baskets, trace: Trace) -> None:
        arguments = self._arguments(baskets)
        levels, counts, candidates = _core.apriori_sets(*arguments, trace.record, self._threads)
        self._every_ = self._keep(baskets, levels)
        self.levels_ = [
            LevelCounts(k + 1, joined, pruned, joined - pruned, frequent)
            for k, (joined, pruned, frequent) in enumerate(counts.tolist())
        ]
        if trace.record:
            names = ["length", "left", "right", "without", "count"]
            trace.take({"candidates": (names, candidates.astype(np.float64))})

    def lattice(self, items: Iterable[Any] | None = None) -> list[tuple[tuple[Any, ...], str]]:
        """Every set that can be made of some items, and what became of it.

        Parameters
        ----------
        items : up to 12 items, optional
            Those of the baskets unless told.

        Returns
        -------
        list of (set, fate) : by length, then in the order of the items. "frequent"; "infrequent": counted, and in too
            few baskets; "pruned": not counted, for a part of it is not frequent; "not sought": longer than `max_length`

        Examples
        --------
        >>> from pellucid.association import Apriori
        >>> Apriori(min_support=0.5).fit([["a", "c"], ["b", "c"]]).lattice()[3:]
        [(('a', 'b'), 'infrequent'), (('a', 'c'), 'frequent'), (('b', 'c'), 'frequent'), (('a', 'b', 'c'), 'pruned')]
        """
        self._check_fitted()
        known = self.items_.tolist()
        chosen = known if items is None else [item for item in known if item in set(items)]
        unknown = [] if items is None else [item for item in items if item not in known]
        if unknown:
            requirement = "items of the lattice must be items of the baskets"
            raise DataError(
                format_message("lattice", requirement, actual=f"got {noun_list('item', map(repr, unknown))}")
            )
        if len(chosen) > MOST_IN_LATTICE:
            requirement, hint = f"a lattice has at most {MOST_IN_LATTICE} items", "say which with items="
            raise DataError(format_message("lattice", requirement, actual=f"got {len(chosen)}", hint=hint))
        frequent = self._all_frequent(chosen)
        found = []
        for length in range(1, len(chosen) + 1):
            for one in combinations(chosen, length):
                parts = [one[:k] + one[k + 1 :] for k in range(length)] if length > 1 else []
                if self.max_length is not None and length > self.max_length:
                    fate = "not sought"
                elif one in frequent:
                    fate = "frequent"
                else:
                    fate = "infrequent" if all(part in frequent for part in parts) else "pruned"
                found.append((one, fate))
        return found

    def _all_frequent(self, chosen: list[Any]) -> set[tuple[Any, ...]]:
        """The frequent sets of some items, also those shorter than `min_length`."""
        wanted = np.isin(np.arange(len(self.items_)), [self.items_.tolist().index(item) for item in chosen])
        return {
            tuple(self.items_[code] for code in codes)
            for level in self._every_.levels
            for codes in level[wanted[level].all(axis=1)].tolist()
        }
