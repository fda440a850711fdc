"""Rules between items: who takes these also takes those."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from itertools import combinations
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from pellucid import _core
from pellucid.association._item_sets import ItemSets
from pellucid.association._measures import MEASURES
from pellucid.association._mining import MOST, NO_LIMIT, Levels, SetMiner, item_sets
from pellucid.association._rule_table import AssociationRule, RuleTable
from pellucid.base.declare import param
from pellucid.base.errors import DataError, DataTypeError, ParameterError, format_message, short_repr
from pellucid.data.baskets import Baskets
from pellucid.estimator.rule_miner import item_array
from pellucid.estimator.trace import Trace

__all__ = ["AssociationRules"]

By = Literal[
    "support", "confidence", "lift", "leverage", "conviction", "zhang", "cosine", "jaccard", "kulczynski", "certainty",
    "chi_squared", "coverage",
]  # fmt: skip
MOST_IN_LATTICE = 10  # items of a set; its rules are 1,022


def _are_thresholds(value: Any) -> str | None:
    if value is None:
        return None
    for name, least in value.items():
        if name not in MEASURES:
            return f"thresholds must name measures ({', '.join(MEASURES)}); got {name!r}"
        if not isinstance(least, numbers.Real) or isinstance(least, bool) or least != least:
            return f"thresholds must be numbers; got {least!r} for {name!r}"
    return None


class Recommendation(NamedTuple):
    """An item for a basket, how well it fits, and the rule that says so."""

    item: Any
    score: float
    rule: AssociationRule


class AssociationRules(SetMiner):
    """Rules of the kind: baskets with X tend to have Y.

    X and Y are sets of items without a common one. Among n baskets of which a have X, b have Y and c have both,

    ===========  =======================================  ==========================================================
    support      ``c / n``                                how often the rule is seen
    confidence   ``c / a``                                how often it is right
    lift         ``(c / a) / (b / n)``                    times as often as Y comes anyway; 1: X says nothing about Y
    leverage     ``c/n - (a/n)(b/n)``                     baskets more than by chance, as a share
    conviction   ``(1 - b/n) / (1 - c/a)``                times as often wrong by chance; infinite if never wrong
    zhang        ``leverage / max(c/n (1 - a/n), a/n (b/n - c/n))``   from -1 (never together) to 1 (always)
    cosine       ``c / sqrt(a b)``
    jaccard      ``c / (a + b - c)``
    kulczynski   ``(c/a + c/b) / 2``                      mean of the confidences of both directions
    certainty    ``(c/a - b/n) / (1 - b/n)``              below 0 ``(c/a - b/n) / (b/n)``
    chi_squared  of the table of X and Y                  against independence, one degree of freedom
    coverage     ``a / n``                                how often it applies
    ===========  =======================================  ==========================================================

    First the frequent sets are found (`FrequentItemsets`), then each is split into X and Y in all ways that keep the
    confidence. Moving an item from X to Y can only make X more frequent and the confidence smaller: where X -> Y fails,
    so does every rule of the same set with a larger Y, and these are not tried (`lattice`).

    A rule is not a cause, and confidence alone misleads: where half of all baskets have milk, X -> milk is right half
    of the time for any X, and its lift, 1, says so. Thousands of rules are tried at once; of rare ones some look good
    by chance.

    Attributes
    ----------
    rules_ : RuleTable
        The rules, those of the largest `sort_by` first: a sequence of `AssociationRule`, with ``measure(name)`` and,
        for dataframes, ``columns()``. ``print`` shows the first twenty.
    itemsets_ : ItemSets
        The frequent sets, single items among them.
    supports_ : support of each set
    items_ : every item, in order
    n_baskets_ : number of baskets
    min_count_ : the least number of baskets of X and Y together
    notes_ : list of what was left out of the baskets

    Examples
    --------
    Of three baskets with bread two have milk; of four baskets three have milk.

    >>> from pellucid.association import AssociationRules
    >>> orders = [["bread", "milk"], ["bread", "milk", "tea"], ["bread", "tea"], ["milk"]]
    >>> model = AssociationRules(min_support=0.5, min_confidence=0.6).fit(orders)
    >>> print(model.rules_)
    support  confidence    lift  rule
     0.5000      1.0000  1.3333  tea => bread
     0.5000      0.6667  1.3333  bread => tea
     0.5000      0.6667  0.8889  bread => milk
     0.5000      0.6667  0.8889  milk => bread
    >>> [(one.item, one.score) for one in model.recommend(["tea"])]
    [('bread', 1.0)]

    Notes
    -----
    arules (R) makes rules with one item on the right: ``max_consequent=1``. mlxtend makes all, as here.

    References
    ----------
    R. Agrawal, T. Imielinski and A. Swami (1993), SIGMOD. S. Brin and others (1997), SIGMOD (lift, conviction).
    T. Zhang (2000), PAKDD.
    """

    _defaults = {"min_length": 2}

    min_confidence: float = param(default=0.5, low=0, high=1, doc="Least confidence of a rule.")
    min_lift: float = param(default=0.0, low=0, doc="Least lift of a rule.")
    thresholds: dict[str, float] | None = param(
        default=None, check=_are_thresholds, doc='Least values of other measures, such as {"conviction": 1.2}.'
    )
    max_consequent: int | None = param(default=None, low=1, doc="Most items on the right; None for any number.")
    sort_by: By | None = param(
        default="lift", doc="Measure by which rules are sorted, then by confidence; None for the order of their sets."
    )
    max_rules: int = param(
        default=10_000_000, low=1, doc="The search ends with an error when it has found more rules than this."
    )

    def _mine(self, baskets: Baskets, trace: Trace) -> None:
        levels: Levels = _core.frequent_sets(*self._arguments(baskets), self._threads)
        self._keep_rules(self._split(item_sets(baskets, levels, self)))

    def fit_itemsets(self, itemsets: ItemSets) -> Self:
        """Makes rules of frequent sets that were found before.

        Parameters
        ----------
        itemsets : ItemSets
            ``itemsets_`` of a miner that kept all of them: ``kind="all"``, ``min_length=1``. Their support is taken as
            it is; those longer than `max_length` are not split.
        """
        self._check_params()
        if not isinstance(itemsets, ItemSets):
            hint = "pass itemsets_ of FrequentItemsets, or baskets to fit"
            raise DataTypeError(
                format_message(
                    "AssociationRules", "itemsets must be ItemSets", actual=f"got {short_repr(itemsets)}", hint=hint
                )
            )
        _check_parts(itemsets)
        longest = len(itemsets.levels) if self.max_length is None else int(self.max_length)
        if longest < len(itemsets.levels):
            cut = int(itemsets.starts[longest])
            itemsets = ItemSets(itemsets.names, itemsets.levels[:longest], itemsets.counts[:cut], itemsets.n_baskets)
        rules = self._split(itemsets)
        self._forget()
        self.items_ = item_array(itemsets.names)
        self.n_baskets_, self.notes_ = itemsets.n_baskets, []
        self.min_count_ = int(itemsets.counts.min(initial=itemsets.n_baskets))
        self._keep_rules(rules)
        return self

    def _split(self, sets: ItemSets) -> RuleTable:
        """Every rule of these sets that is right often enough."""
        longest = NO_LIMIT if self.max_consequent is None else int(self.max_consequent)
        places = _core.rules_of_sets(
            list(sets.levels),
            sets.counts,
            float(self.min_confidence),
            longest,
            min(int(self.max_rules), MOST),
            self._threads,
        )
        if places is None:
            requirement = f"there may be {int(self.max_rules):,} rules (max_rules)"
            actual = f"{len(sets):,} frequent sets and a confidence of {self.min_confidence:g} give more"
            hint = "raise min_support or min_confidence, or set max_length or max_consequent"
            raise DataError(format_message("AssociationRules", requirement, actual=actual, hint=hint))
        return RuleTable(sets, places)

    def _keep_rules(self, rules: RuleTable) -> None:
        self.itemsets_ = rules.sets
        self.supports_ = rules.sets.supports
        self.rules_ = self._sorted(self._good(rules))

    def _good(self, rules: RuleTable) -> RuleTable:
        """Those that are long enough and reach every threshold."""
        least: dict[str, float] = {**(self.thresholds or {})}
        if self.min_lift > 0:
            least["lift"] = max(self.min_lift, least.get("lift", -np.inf))
        kept = rules.sets.lengths[rules.places[:, 0]] >= self.min_length
        for name, value in least.items():
            kept &= rules.measure(name) >= value
        return rules if kept.all() else rules.taken(kept)

    def _sorted(self, rules: RuleTable) -> RuleTable:
        if self.sort_by is None:
            return rules
        # Two measures of one rule that differ in their last bits alone are one: their order would be that of rounding.
        first, second = (np.round(rules.measure(name), 12) for name in (self.sort_by, "confidence"))
        return rules.taken(np.lexsort((-second, -first)))

    def recommend(self, basket: Iterable[Any], n: int = 5, *, by: By = "confidence") -> list[Recommendation]:
        """Items that rules suggest for a basket: those whose antecedent it has, and whose consequent it has not.

        Parameters
        ----------
        basket : items
            Those that the rules do not know are passed over.
        n : most items that are recommended
        by : measure of the rule that is the score of an item; of several rules the best one counts

        Returns
        -------
        list of Recommendation : item, score and rule, the best first; equal ones in the order of the rules
        """
        self._check_fitted()
        if isinstance(basket, str | bytes) or not isinstance(basket, Iterable):
            hint = "a basket is a list of items"
            raise DataTypeError(
                format_message(
                    "recommend", "basket must be a collection", actual=f"got {short_repr(basket)}", hint=hint
                )
            )
        if not isinstance(n, numbers.Integral) or isinstance(n, bool) or n < 1:
            raise ParameterError(
                format_message("recommend", "n must be a whole number of at least 1", actual=f"got {n!r}")
            )
        if by not in MEASURES:
            raise ParameterError(
                format_message("recommend", f"by must be one of {', '.join(MEASURES)}", actual=f"got {by!r}")
            )
        there = set(basket)
        inside = np.array([name in there for name in self.itemsets_.names], dtype=bool)
        held = np.concatenate([inside[level].all(axis=1) for level in self.itemsets_.levels] or [np.empty(0, bool)])
        applies = np.flatnonzero(held[self.rules_.places[:, 1]] & ~held[self.rules_.places[:, 2]])
        scores = self.rules_.measure(by)[applies]
        found: dict[Any, Recommendation] = {}
        for at in np.argsort(-scores, kind="stable").tolist():
            rule = self.rules_[int(applies[at])]
            for item in rule.consequent:
                if item not in there and item not in found:
                    found[item] = Recommendation(item, float(scores[at]), rule)
            if len(found) >= n:
                break
        return list(found.values())[:n]

    def lattice(self, items: Iterable[Any]) -> list[tuple[tuple[Any, ...], tuple[Any, ...], str]]:
        """Every rule that a frequent set can be split into, and what became of it.

        Parameters
        ----------
        items : a frequent set of 2 to 10 items

        Returns
        -------
        list of (antecedent, consequent, fate) : the shortest consequents first. "kept"; "failed": tried, and right too
            seldom; "pruned": not tried, for a rule with a part of the consequent failed
        """
        self._check_fitted()
        wanted = list(items)
        place = self.itemsets_.find(wanted)
        length = 0 if place is None else len(self.itemsets_.codes(place))
        if place is None or not 2 <= length <= MOST_IN_LATTICE:
            requirement = f"the set must be a frequent one of 2 to {MOST_IN_LATTICE} items"
            raise DataError(format_message("lattice", requirement, actual=f"got {short_repr(wanted)}"))
        whole, count = self.itemsets_.items(place), float(self.itemsets_.counts[place])
        found, wrong = [], set()
        for size in range(1, length):
            for consequent in combinations(whole, size):
                antecedent = tuple(item for item in whole if item not in consequent)
                at = self.itemsets_.find(antecedent)
                assert at is not None  # a part of a frequent set
                fate = "kept" if count / self.itemsets_.counts[at] >= self.min_confidence else "failed"
                if any(frozenset(consequent[:k] + consequent[k + 1 :]) in wrong for k in range(size)) and size > 1:
                    fate = "pruned"
                if fate != "kept":
                    wrong.add(frozenset(consequent))
                found.append((antecedent, consequent, fate))
        return found


def _check_parts(sets: ItemSets) -> None:
    """Every part of a set must be among them: else its rules cannot be counted."""
    for k in range(1, len(sets.levels)):
        last, level = sets.levels[k - 1], sets.levels[k]
        known = {tuple(codes) for codes in last.tolist()} if last.shape[1] == k else set()
        for codes in level.tolist():
            if any(tuple(codes[:j] + codes[j + 1 :]) not in known for j in range(len(codes))):
                _refuse_parts(sets, codes)
    if sets.levels and sets.levels[0].shape[1] != 1:
        _refuse_parts(sets, sets.levels[0][0].tolist())


def _refuse_parts(sets: ItemSets, codes: list[int]) -> None:
    requirement = "itemsets must hold every part of each set"
    actual = f"parts of {short_repr(tuple(sets.names[code] for code in codes))} are not there"
    hint = 'find them with kind="all" and min_length=1'
    raise DataError(format_message("AssociationRules", requirement, actual=actual, hint=hint))
