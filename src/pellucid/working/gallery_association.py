"""Worked examples of baskets: eight orders of fast food, and what Apriori does not have to look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.association import Apriori, AssociationRules
from pellucid.working.expression import Axis
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.language import count, equal, sum_, where
from pellucid.working.model import Working

# The rules whose figures the example asks for.
ASKED = [
    (("coke", "hamburger"), ("salad",)),
    (("hamburger", "salad"), ("coke",)),
    (("hamburger", "salad"), ("ice cream",)),
    (("fries", "hamburger"), ("coke",)),
    (("coke",), ("choc bar",)),
    (("salad",), ("coke", "hamburger")),
    (("coke",), ("hamburger",)),
    (("coke",), ("salad",)),
    (("sandwich",), ("fries",)),
    (("hamburger",), ("salad",)),
]


@example("003-association-rules-fast-food")
def fast_food(e: Example) -> Working:
    orders, min_support = e.data["transactions"], e.settings["derived_min_support"]
    every = AssociationRules(min_support=1, min_confidence=0.0, sort_by=None).fit(orders)
    rule_index = {(rule.antecedent, rule.consequent): k for k, rule in enumerate(every.rules_)}
    sets = Apriori(min_support=min_support).fit(orders)
    rules = AssociationRules(
        min_support=min_support, min_confidence=e.settings["derived_min_confidence"], sort_by=None
    ).fit(orders)
    return parts_of(
        ("asked", "Rules asked for", every.show_fit(orders, rules=[rule_index[rule] for rule in ASKED])),
        ("sets", "Frequent sets", sets.show_fit(orders)),
        ("rules", "Rules", rules.show_fit(orders)),
    )


def infrequent_pair(data: dict[str, Any]) -> list[list[str]]:
    """Two baskets, each without one item of the pair: the pair is in none, every set without it in at least one."""
    return [
        [item for item in data["items"] if item != omitted_item]
        for omitted_item in reversed(data["infrequent_itemset"])
    ]


def failing_rule(data: dict[str, Any]) -> list[list[str]]:
    """Three baskets with the whole set and seven without the consequent: only rules that claim it are often wrong."""
    antecedent = data["low_confidence_rule"].split(" => ")[0]
    return [list(data["rule_itemset"])] * 3 + [list(antecedent)] * 7


@example("003-apriori-lattice-pruning")
def lattices(e: Example) -> Working:
    baskets = infrequent_pair(e.data)
    model = Apriori(min_support=0.5).fit(baskets)
    w = parts_of(("sets", "Sets", model.show_fit(baskets)))
    w.intro = "The example names sets and no baskets: these have the stated pair, and no other, in too few of them."
    _sets(w, model, e)
    _rules(w, e)
    return w


def _sets(w: Working, model: Apriori, e: Example) -> None:
    lattice = model.lattice()
    pair = e.data["infrequent_itemset"]
    w.step("All sets", f"A set falls with {pair} if it has both items.")
    axis = Axis("set", ["".join(itemset) for itemset, _ in lattice], "s", "S")
    inside = [
        w.given(
            f"has_{item}",
            np.array([float(item in itemset) for itemset, _ in lattice]),
            axis,
            symbol=f"h_{{{item}}}",
            label=f"1 if it has {item}",
        )
        for item in pair
    ]
    fell = np.array([float(fate != "frequent") for _, fate in lattice])
    removed = w.cell("removed", inside[0] * inside[1], symbol="r", label="1 if it is removed", equals=fell,
                     attribute="lattice()", scale=1.0)  # fmt: skip
    w.cell("n_sets", count(removed), symbol="N", label="sets that are not empty")
    w.cell("n_removed", sum_(removed), symbol="R", label="removed")


def _rules(w: Working, e: Example) -> None:
    baskets, itemset = failing_rule(e.data), e.data["rule_itemset"]
    model = AssociationRules(min_support=0.1, min_confidence=0.5, sort_by=None).fit(baskets)
    lattice = model.lattice(itemset)
    wrong = e.data["low_confidence_rule"].split(" => ")[1]
    w.step("All rules", f"A rule of {itemset} is not tried if its right side has {wrong} and more.")
    axis = Axis(
        "rule", [f"{''.join(antecedent)} => {''.join(consequent)}" for antecedent, consequent, _ in lattice], "r", "Q"
    )
    claims = w.given("claims", np.array([float(wrong in consequent) for _, consequent, _ in lattice]), axis, symbol="a",
                     label=f"1 if it claims {wrong}")  # fmt: skip
    size = w.given("size", np.array([float(len(consequent)) for _, consequent, _ in lattice]), axis, symbol="k",
                   label="items that it claims")  # fmt: skip
    fell = np.array([float(fate == "pruned") for _, _, fate in lattice])
    pruned = w.cell("pruned", claims * where(equal(size, 1), 0, 1), symbol="z", label="1 if it is not tried",
                    equals=fell, attribute="lattice()", scale=1.0)  # fmt: skip
    w.cell("n_rules", count(pruned), symbol="Q", label="rules of the set")
    w.cell("n_pruned", sum_(pruned), symbol="Z", label="not tried")
