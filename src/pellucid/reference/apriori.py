"""Frequent sets level by level, in plain Python: the steps of a textbook."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

Item = Hashable
Set = tuple[Item, ...]


def support(baskets: Sequence[Iterable[Item]], items: Iterable[Item]) -> float:
    """The share of the baskets that has all items.

    >>> support([["bread", "milk"], ["bread"]], ["milk"])
    0.5
    """
    itemset = set(items)
    return sum(itemset <= set(basket) for basket in baskets) / len(baskets)


def joined(frequent: list[Set]) -> list[Set]:
    """Candidates: two frequent sets that share all but their last item, as one set."""
    return [a + b[-1:] for a, b in combinations(frequent, 2) if a[:-1] == b[:-1]]


def missing_part(candidate: Set, frequent: list[Set]) -> Set | None:
    """A part, of one item less, that is not frequent; None if all are."""
    subsets = (candidate[:k] + candidate[k + 1 :] for k in range(len(candidate)))
    return next((subset for subset in subsets if subset not in frequent), None)


def apriori(
    baskets: Sequence[Iterable[Item]], min_support: float, max_length: int | None = None
) -> tuple[dict[Set, float], list[dict[str, list[Set]]]]:
    """Frequent sets with their support, and what became of the candidates of each level.

    Returns
    -------
    supports : set -> support, by length, then in the order of the items
    levels : "joined", "pruned", "infrequent" and "frequent" sets of each length

    >>> supports, levels = apriori([["a", "c"], ["b", "c"]], 0.5)
    >>> list(supports)
    [('a',), ('b',), ('c',), ('a', 'c'), ('b', 'c')]
    >>> levels[1]["infrequent"]
    [('a', 'b')]
    """
    rows = [set(basket) for basket in baskets]
    candidates: list[Set] = [(item,) for item in sorted({item for row in rows for item in row})]  # type: ignore[type-var]
    supports: dict[Set, float] = {}
    levels: list[dict[str, list[Set]]] = []
    frequent: list[Set] = []
    while candidates and (max_length is None or len(levels) < max_length):
        pruned = [itemset for itemset in candidates if len(itemset) > 1 and missing_part(itemset, frequent) is not None]
        counted = {itemset: support(rows, itemset) for itemset in candidates if itemset not in pruned}
        frequent = [itemset for itemset, share in counted.items() if share >= min_support]
        infrequent = [itemset for itemset in counted if itemset not in frequent]
        levels.append({"joined": candidates, "pruned": pruned, "infrequent": infrequent, "frequent": frequent})
        supports |= {itemset: counted[itemset] for itemset in frequent}
        candidates = joined(frequent)
    return supports, levels


def closed(supports: dict[Set, float]) -> list[Set]:
    """Sets that no further item can join without losing a basket."""
    return [a for a, s in supports.items() if not any(set(a) < set(b) and t == s for b, t in supports.items())]


def maximal(supports: dict[Set, float]) -> list[Set]:
    """Sets that are part of no other frequent set."""
    return [a for a in supports if not any(set(a) < set(b) for b in supports)]


def supersets(items: Sequence[Item], of: Iterable[Item]) -> list[Set]:
    """Every set of some items that contains ``of``: what falls with it when it is not frequent.

    >>> supersets("abc", "ab")
    [('a', 'b'), ('a', 'b', 'c')]
    """
    every = (itemset for length in range(1, len(items) + 1) for itemset in combinations(items, length))
    return [itemset for itemset in every if set(of) <= set(itemset)]
