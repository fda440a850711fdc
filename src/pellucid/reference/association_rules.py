"""Rules between items, in plain Python: every split of every frequent set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from pellucid.reference.apriori import Item, Set, apriori, support


class Rule(NamedTuple):
    """Baskets with the antecedent tend to have the consequent."""

    antecedent: Set
    consequent: Set
    support: float
    confidence: float
    lift: float


def confidence(baskets: Sequence[Iterable[Item]], antecedent: Iterable[Item], consequent: Iterable[Item]) -> float:
    """The share of the baskets with the antecedent that has the consequent too.

    >>> confidence([["bread", "milk"], ["bread"]], ["bread"], ["milk"])
    0.5
    """
    return support(baskets, {*antecedent, *consequent}) / support(baskets, antecedent)


def lift(baskets: Sequence[Iterable[Item]], antecedent: Iterable[Item], consequent: Iterable[Item]) -> float:
    """How many times as often the consequent comes with the antecedent as it comes anyway."""
    return confidence(baskets, antecedent, consequent) / support(baskets, consequent)


def measures(
    baskets: Sequence[Iterable[Item]], antecedent: Iterable[Item], consequent: Iterable[Item]
) -> dict[str, float]:
    """Every measure of a rule, from the supports of both sides and of the whole."""
    x, y = support(baskets, antecedent), support(baskets, consequent)
    xy, n = support(baskets, {*antecedent, *consequent}), len(baskets)
    sure = xy / x
    apart = max(xy * (1 - x), x * (y - xy))
    cells = [(xy, x * y), (x - xy, x * (1 - y)), (y - xy, (1 - x) * y), (1 - x - y + xy, (1 - x) * (1 - y))]
    return {
        "support": xy,
        "confidence": sure,
        "lift": sure / y,
        "leverage": xy - x * y,
        "conviction": math.inf if sure == 1 else (1 - y) / (1 - sure),
        "zhang": 0.0 if apart == 0 else (xy - x * y) / apart,
        "cosine": xy / math.sqrt(x * y),
        "jaccard": xy / (x + y - xy),
        "kulczynski": (xy / x + xy / y) / 2,
        "certainty": (sure - y) / ((1 - y) if sure > y else y),
        "chi_squared": sum(n * (seen - by_chance) ** 2 / by_chance for seen, by_chance in cells if by_chance > 0),
        "coverage": x,
    }


def association_rules(
    baskets: Sequence[Iterable[Item]], min_support: float, min_confidence: float, max_consequent: int | None = None
) -> list[Rule]:
    """Every rule of the frequent sets that is right often enough, in the order of the sets, short antecedents first.

    >>> association_rules([["a", "b"], ["a", "b"], ["b"]], 0.5, 0.7)
    [Rule(antecedent=('a',), consequent=('b',), support=0.6666666666666666, confidence=1.0, lift=1.0)]
    """
    rules = []
    for itemset in apriori(baskets, min_support)[0]:
        for length in range(1, len(itemset)):
            for antecedent in combinations(itemset, length):
                consequent = tuple(item for item in itemset if item not in antecedent)
                if max_consequent is not None and len(consequent) > max_consequent:
                    continue
                sure = confidence(baskets, antecedent, consequent)
                if sure >= min_confidence:
                    share, times = support(baskets, itemset), lift(baskets, antecedent, consequent)
                    rules.append(Rule(antecedent, consequent, share, sure, times))
    return rules


def fallen_rules(whole: Sequence[Item], consequent: Iterable[Item]) -> list[tuple[Set, Set]]:
    """Rules of a set that fall when the rule with this consequent fails: those whose consequent contains it, and more.

    >>> fallen_rules("abc", "a")
    [(('b',), ('a', 'c')), (('c',), ('a', 'b'))]
    """
    wanted = set(consequent)
    splits = (
        (antecedent, tuple(item for item in whole if item not in antecedent))
        for length in range(1, len(whole))
        for antecedent in combinations(whole, length)
    )
    return [(one, other) for one, other in splits if wanted < set(other)]
