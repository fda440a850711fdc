"""Baskets: orders of fast food, and the sets and rules that Apriori leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from pellucid.reference import apriori as reference
from pellucid.reference import association_rules as rule_reference

from ..frame import Example, PathName, answers

SETS = {
    "support({hamburger, coke})": ("coke", "hamburger"),
    "support({salad, coke})": ("coke", "salad"),
    "support({coke, choc bar})": ("choc bar", "coke"),
    "support({hamburger, salad, coke})": ("coke", "hamburger", "salad"),
    "support({sandwich, fries}) (left open in the first picture)": ("fries", "sandwich"),
    "support({hamburger, salad}) (left open in the first picture)": ("hamburger", "salad"),
    "support({salad} -> {hamburger, coke})": ("coke", "hamburger", "salad"),
    "support({hamburger, salad} -> {ice cream}) (left open)": ("hamburger", "ice cream", "salad"),
    "support({coke})": ("coke",),
}
CONFIDENCES = {
    "confidence({hamburger, coke} -> {salad})": (("coke", "hamburger"), ("salad",)),
    "confidence({hamburger, salad} -> {coke})": (("hamburger", "salad"), ("coke",)),
    "confidence({coke} -> {choc bar})": (("coke",), ("choc bar",)),
    "confidence({hamburger, fries} -> {coke}) (left open)": (("fries", "hamburger"), ("coke",)),
}


@answers("003-association-rules-fast-food")
def fast_food(example: Example, path: PathName) -> Mapping[str, Any]:
    orders, s = example.data["transactions"], example.settings
    least, sure = s["derived_min_support"], s["derived_min_confidence"]
    if path == "reference":
        supports = {what: reference.support(orders, one) for what, one in SETS.items()}
        confidences = {what: rule_reference.confidence(orders, *one) for what, one in CONFIDENCES.items()}
        lift = rule_reference.lift(orders, ("hamburger", "salad"), ("coke",))
        with_both = [order for order in orders if {"hamburger", "coke"} <= set(order)]
        seen = [sum("salad" in order for order in with_both), sum("salad" not in order for order in with_both)]
        frequent, _ = reference.apriori(orders, least)
        rules = [tuple(one) for one in rule_reference.association_rules(orders, least, sure)]
    else:
        supports, confidences, lift, seen, frequent, rules = _fast_food_by_kernel(orders, least, sure)
    return {
        **supports,
        **confidences,
        "lift({hamburger, salad} -> {coke})": lift,
        "orders that confirm / contradict hamburger + coke -> salad": seen,
        "frequent item sets at support >= 0.5": {" + ".join(one): share for one, share in frequent.items()},
        "rules [lhs, rhs, support, confidence, lift] at confidence >= 0.8": [
            [" + ".join(left), " + ".join(right), *figures] for left, right, *figures in rules
        ],
    }


def _fast_food_by_kernel(orders: Any, least: float, sure: float) -> tuple[Any, ...]:
    from pellucid.association import Apriori, AssociationRules

    every = AssociationRules(min_support=1, min_confidence=0.0).fit(orders)
    supports = {what: every.itemsets_.support_of(one) for what, one in SETS.items()}
    of = {(one.antecedent, one.consequent): one for one in every.rules_}
    confidences = {what: of[one].confidence for what, one in CONFIDENCES.items()}
    asked = of[("coke", "hamburger"), ("salad",)]
    frequent = {one.items: one.support for one in Apriori(min_support=least).fit(orders).itemsets_}
    found = AssociationRules(min_support=least, min_confidence=sure, sort_by=None).fit(orders).rules_
    rules = [(one.antecedent, one.consequent, one.support, one.confidence, one.lift) for one in found]
    lift = of[("hamburger", "salad"), ("coke",)].lift
    return supports, confidences, lift, [asked.confirms, asked.contradicts], frequent, rules


@answers("003-apriori-lattice-pruning")
def lattices(example: Example, path: PathName) -> Mapping[str, Any]:
    d = example.data
    left, right = d["low_confidence_rule"].split(" => ")
    if path == "reference":
        removed = reference.supersets(d["items"], d["infrequent_itemset"])
        n_sets = sum(1 for k in range(len(d["items"])) for _ in combinations(d["items"], k + 1))
        fallen = rule_reference.fallen_rules(d["rule_itemset"], right)
        n_rules = sum(1 for k in range(1, len(d["rule_itemset"])) for _ in combinations(d["rule_itemset"], k))
    else:
        from pellucid.association import Apriori, AssociationRules

        # The pair, and no other set, is too rare here; and only rules that claim a are often wrong.
        baskets = [[item for item in d["items"] if item != gone] for gone in reversed(d["infrequent_itemset"])]
        lattice = Apriori(min_support=0.5).fit(baskets).lattice()
        removed, n_sets = [one for one, fate in lattice if fate != "frequent"], len(lattice)
        model = AssociationRules(min_confidence=0.5).fit([list(d["rule_itemset"])] * 3 + [list(left)] * 7)
        splits = model.lattice(d["rule_itemset"])
        fallen, n_rules = [(one, other) for one, other, fate in splits if fate == "pruned"], len(splits)
    return {
        "item sets removed (ab and its supersets)": ["".join(one) for one in removed],
        "number of non-empty item sets": n_sets,
        "number removed": len(removed),
        "rules pruned after bcd => a fails": sorted(f"{''.join(one)} => {''.join(other)}" for one, other in fallen),
        "number of candidate rules from abcd": n_rules,
    }
