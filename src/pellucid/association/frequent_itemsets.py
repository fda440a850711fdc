"""Frequent sets by the fastest way, all of them or the closed or maximal ones."""

from __future__ import annotations

from typing import Literal

from pellucid import _core
from pellucid.association._mining import Levels, SetMiner
from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.data.baskets import Baskets
from pellucid.estimator.trace import Trace

__all__ = ["Eclat", "FrequentItemsets"]


class Eclat(SetMiner):
    """Sets of items that are in many baskets, found by a search in depth over the baskets of each item.

    The support of a set is the share of the baskets that has all its items; a set is frequent if its support is at
    least `min_support`. Instead of counting candidates in the baskets, the baskets of each set are kept, as a row of
    bits t(S), and

        ``t(P + a + b) = t(P + a) & t(P + b)``,    ``count(S) = number of ones in t(S)``

    for a prefix P and two further items. Items go from the rarest to the most frequent, so that rows become short soon:
    those of a first item have a bit for its own baskets only. An item that is in all baskets of a prefix joins every
    set below it without being looked at again. First items are shared out among threads; the sets and their order are
    the same with any number of them, and the same as those of `Apriori`.

    `kind` keeps the sets that say it all, without looking for the others: closed ones (no item can join without losing
    a basket; every frequent set has the support of the smallest closed set around it), or maximal ones (no item can
    join and the set stay frequent; every frequent set is part of one). On dense data there are thousands of closed sets
    for millions of frequent ones.

    Attributes
    ----------
    itemsets_ : ItemSets
        The sets, by length and then in the order of their items: a sequence of `ItemSet` (items, count, support), with
        ``support_of(items)`` and, for dataframes, ``columns()``.
    supports_ : support of each set
    items_ : every item, in order
    n_baskets_ : number of baskets
    min_count_ : the least number of baskets
    notes_ : list of what was left out of the baskets

    Examples
    --------
    Tea comes with bread whenever it comes: tea alone is not closed.

    >>> from pellucid.association import Eclat
    >>> orders = [["bread", "milk"], ["bread", "milk", "tea"], ["bread", "tea"], ["milk"]]
    >>> print(Eclat(min_support=0.5, kind="closed").fit(orders).itemsets_)
    support  count  items
     0.7500      3  bread
     0.7500      3  milk
     0.5000      2  bread + milk
     0.5000      2  bread + tea
    >>> [one.items for one in Eclat(min_support=2, kind="maximal").fit(orders).itemsets_]
    [('bread', 'milk'), ('bread', 'tea')]

    References
    ----------
    M. J. Zaki (2000), Scalable algorithms for association mining, IEEE TKDE 12(3). T. Uno, M. Kiyomi and H. Arimura
    (2004), LCM ver. 2, FIMI. M. J. Zaki and C.-J. Hsiao (2002), CHARM, SDM.
    """

    kind: Literal["all", "closed", "maximal"] = param(
        default="all", doc="Which frequent sets: all, the closed ones, or the maximal ones."
    )

    def _mine(self, baskets: Baskets, trace: Trace) -> None:
        self._keep(baskets, self._searched(baskets))

    def _searched(self, baskets: Baskets) -> Levels:
        arguments = self._arguments(baskets)
        if self.kind == "all":
            return _core.frequent_sets(*arguments, self._threads)
        return _core.closed_sets(*arguments, self.kind == "maximal", self._threads)


class FrequentItemsets(Eclat):
    """Sets of items that are in many baskets, by whichever algorithm is asked for.

    A set S of items is frequent if the share of the n baskets B that has all of them is at least `min_support`:

        ``support(S) = |{B : S is part of B}| / n >= min_support``

    "apriori" counts sets level by level (`Apriori`), "eclat" searches in depth over rows of bits (`Eclat`, which says
    more). Both find the same sets in the same order. "auto" takes "eclat", which was the faster one on every data set
    tried, dense and sparse, at any support; levels are there for comparison.

    Attributes
    ----------
    itemsets_ : ItemSets
        The sets, by length and then in the order of their items: a sequence of `ItemSet` (items, count, support), with
        ``support_of(items)`` and, for dataframes, ``columns()``.
    supports_ : support of each set
    algorithm_ : the algorithm taken
    items_ : every item, in order
    n_baskets_ : number of baskets
    min_count_ : the least number of baskets
    notes_ : list of what was left out of the baskets

    Examples
    --------
    >>> from pellucid.association import FrequentItemsets
    >>> orders = [["bread", "milk"], ["bread", "milk", "tea"], ["bread", "tea"], ["milk"]]
    >>> FrequentItemsets(min_support=0.5, min_length=2).fit(orders).itemsets_[0]
    ItemSet(items=('bread', 'milk'), count=2, support=0.5)
    """

    algorithm: Literal["auto", "eclat", "apriori"] = param(
        default="auto", doc="How they are found; the sets and their order are the same."
    )

    def _mine(self, baskets: Baskets, trace: Trace) -> None:
        self.algorithm_ = "eclat" if self.algorithm == "auto" else self.algorithm
        if self.algorithm_ == "eclat":
            super()._mine(baskets, trace)
            return
        if self.kind != "all":
            hint = 'take algorithm="eclat" for closed and maximal sets'
            requirement, actual = 'algorithm="apriori" finds all sets', f'got kind="{self.kind}"'
            raise ParameterError(format_message(type(self).__name__, requirement, actual=actual, hint=hint))
        self._keep(baskets, _core.apriori_sets(*self._arguments(baskets), False, self._threads)[0])
