"""Which rules say more than chance: Fisher's exact test with a correction for all the rules that were possible.

A rule X -> y that applies to a of n baskets, of which c have y while b of all n have it, is tested with
``P(H >= c)``, H hypergeometric: the number of baskets with y among a that are drawn from n at random. Of k frequent
items ``m = L (k over L)`` rules of L items are possible (half of that for L = 2, as the test is the same in both
directions), and each length gets the same share of the error: a rule of L items is kept if
``p <= alpha / (lengths m)``. So the probability that any rule is kept where none holds is at most alpha (Webb 2008,
layered critical values).

A rule with several items on the left must also beat every rule with one of them less, tested in the same way among the
baskets with the others: else the item that is left out adds nothing, and the rule is redundant (a *productive* rule,
Webb 2007).

References
----------
G. I. Webb (2007), Discovering significant patterns, Machine Learning 68. G. I. Webb (2008), Layered critical values,
Machine Learning 71.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from scipy.special import gammaln

from pellucid.association import AssociationRules
from pellucid.base.types import Array, Floats

ALPHA = 0.05
_NEGLIGIBLE = 1e-12  # terms of the tail that are smaller than this share of its sum are not added


@dataclass(frozen=True)
class SignificantRules:
    """The rules that are left, by their places in ``rules_``, and what became of the others.

    places : the rules that say more than chance, without redundant ones, in the order of ``rules_``
    p_values : of these, multiplied by the number of possible rules and at most 1
    n_chance : rules that may be due to chance
    n_redundant : rules that say no more than a shorter one, or the other direction of a listed one
    n_possible : how many rules were possible
    """

    places: Array
    p_values: Floats
    n_chance: int
    n_redundant: int
    n_possible: int


def upper_tail(a: Floats, b: Floats, c: Floats, n: Floats) -> Floats:
    """``P(H >= c)`` for H hypergeometric: a drawn from n of which b are marked. 1 where c is not above ``a b / n``.

    >>> upper_tail(*(np.array([float(v)]) for v in (3, 3, 3, 6))).round(4).tolist()
    [0.05]
    """
    a, b, c, n = (np.asarray(values, dtype=np.float64) for values in np.broadcast_arrays(a, b, c, n))
    found = np.ones(len(a))
    above = np.flatnonzero(c * n > a * b)
    a, b, c, n = a[above], b[above], c[above], n[above]
    log_first = _log_comb(b, c) + _log_comb(n - b, a - c) - _log_comb(n, a)
    total, term, k = np.ones(len(a)), np.ones(len(a)), c.copy()
    active = np.arange(len(a))
    while len(active):
        at = k[active]
        ratio = (a[active] - at) * (b[active] - at) / ((at + 1) * (n[active] - a[active] - b[active] + at + 1))
        term[active] *= ratio
        total[active] += term[active]
        k[active] += 1
        active = active[term[active] > _NEGLIGIBLE * total[active]]
    found[above] = np.minimum(1.0, np.exp(log_first + np.log(total)))
    return found


def _log_comb(n: Floats, k: Floats) -> Floats:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def n_possible_rules(n_items: int, length: int) -> int:
    """Rules of so many items with one of them on the right.

    >>> n_possible_rules(4, 2), n_possible_rules(4, 3)
    (6, 12)
    """
    return comb(n_items, length) * (1 if length == 2 else length)


def significant_rules(model: AssociationRules, alpha: float = ALPHA) -> SignificantRules:
    """The rules of a fitted model that say more than chance, without redundant ones."""
    sets, places = model.itemsets_, np.asarray(model.rules_.places)
    n_items = sum(len(level) for level in sets.levels[:1])
    lengths = range(2, max([2, *(level.shape[1] for level in sets.levels)]) + 1)
    possible = {length: max(1, n_possible_rules(n_items, length)) for length in lengths}
    both, left, right = (sets.counts[places[:, k]].astype(np.float64) for k in range(3))
    p = upper_tail(left, right, both, np.full(len(places), float(sets.n_baskets)))
    correction = np.array([len(lengths) * possible[int(length)] for length in sets.lengths[places[:, 0]]], dtype=float)
    corrected = np.minimum(1.0, p * correction) if len(places) else np.empty(0)
    passed = np.flatnonzero(corrected <= alpha)
    kept, pairs = [], set()
    for place in passed[np.argsort(-(both / left)[passed], kind="stable")].tolist():
        items = frozenset(sets.codes(int(places[place, 0])))
        if len(items) == 2:
            if items not in pairs:
                pairs.add(items)
                kept.append(place)
        elif _is_productive(model, places[place], alpha / correction[place]):
            kept.append(place)
    chosen = np.sort(np.array(kept, dtype=np.int64))
    return SignificantRules(
        chosen, corrected[chosen], len(places) - len(passed), len(passed) - len(chosen), sum(possible.values())
    )


def _is_productive(model: AssociationRules, places: Array, level: float) -> bool:
    """Does each item on the left raise the confidence by more than chance?"""
    sets = model.itemsets_
    whole, antecedent, consequent = (sets.items(int(place)) for place in places)
    c, a = (float(sets.counts[places[k]]) for k in range(2))
    for item in antecedent:
        rest = [other for other in antecedent if other != item]
        shorter, joined = sets.find(rest), sets.find([*rest, *consequent])
        if shorter is None or joined is None:
            return False
        n, b = float(sets.counts[shorter]), float(sets.counts[joined])
        if upper_tail(*(np.array([value]) for value in (a, b, c, n)))[0] > level:
            return False
    return len(whole) > 2
