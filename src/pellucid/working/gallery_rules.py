"""Worked examples about rules: a small tree as rules, and a tree of purchases drawn by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.models.rules.conditions import Condition, Expression, both, leaves
from pellucid.models.rules.rule_set import If, Rule, RuleSet
from pellucid.rules import RuleClassifier
from pellucid.working.expression import Axis
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.language import count, max_
from pellucid.working.model import Working

SIGNS = {"<=": Condition.at_most, "<": Condition.below, ">": Condition.above, ">=": Condition.at_least}
PEOPLE = [[190.0, 70.0], [170.0, 90.0], [160.0, 65.0]]  # one for each rule
PURCHASE = ["weeks since last purchase", "on offer", "weekday"]
CUSTOMERS = {
    "(3 weeks)": [3.0, None, None],
    "(8 weeks, on offer, Saturday)": [8.0, "yes", "Saturday"],
    "(8 weeks, on offer, Tuesday)": [8.0, "yes", "Tuesday"],
    "(8 weeks, not on offer)": [8.0, "no", None],
    "(12 weeks)": [12.0, None, None],
}


def listed_rules(data: dict[str, Any], names: list[str]) -> RuleSet:
    """Rules as an example lists them, columns by their place: x0, x1, ..."""
    tests = [
        both(*(SIGNS[sign](f"x{names.index(name)}", value) for name, sign, value in rule["if"]))
        for rule in data["rules"]
    ]
    return RuleSet.of([Rule(test, rule["then"]) for test, rule in zip(tests, data["rules"], strict=True)])


def nested_rules(node: Any, names: list[str]) -> Any:
    """A tree as an example has it, as nested rules: the last branch of a node is what is left."""
    if isinstance(node, str):
        return node
    column, branches = f"x{names.index(node['feature'])}", list(node["branches"].items())
    rule = nested_rules(branches[-1][1], names)
    for test, below in reversed(branches[:-1]):
        rule = If(branch_condition(column, test), nested_rules(below, names), rule)
    return rule


def branch_condition(column: str, test: str) -> Expression:
    """A branch in words ("<= 6", "6 < x <= 9", "yes", "Mon-Fri") as a condition."""
    words = test.split()
    if words[0] in SIGNS:
        return SIGNS[words[0]](column, float(words[1]))
    if len(words) == 5:
        return Condition(column, float(words[0]), float(words[4]), low_open=True)
    if test == "Mon-Fri":
        return Condition.not_in(column, ["Saturday"])
    return Condition.equals(column, test)


@example("000-decision-tree-rules-height-weight")
def height_and_weight(e: Example) -> Working:
    names = list(e.data["query"])
    rules = listed_rules(e.data, names)
    labels = [rule.then for rule in rules.rules]
    model = RuleClassifier(rules=rules).fit(PEOPLE, labels)
    query = [[float(e.data["query"][name]) for name in names]]
    w = parts_of(
        ("query", "The query", model.show_predict(query)),
        ("fit", "One person for each rule", model.show_fit(PEOPLE, labels)),
    )
    w.intro = "Columns: x0 is the height in cm, x1 the weight in kg."
    _shape(w, model.rules_)
    return w


@example("003-decision-tree-purchase")
def purchase(e: Example) -> Working:
    rules = RuleSet.of([nested_rules(e.data["tree"], PURCHASE)]).simplified()
    X = np.array(list(CUSTOMERS.values()), dtype=object)
    model = RuleClassifier(rules=rules, default="no").fit(X, ["no", "yes", "no", "no", "yes"])
    w = parts_of(("customers", "Five customers", model.show_predict(X, rows=range(len(X)))))
    w.intro = "Columns: x0 is weeks since last purchase, x1 whether it is on offer, x2 the day of the week."
    _shape(w, model.rules_)
    return w


def _shape(w: Working, rules: RuleSet) -> None:
    """Leaves of the tree are rules, and its depth is the most columns that one asks."""
    w.step("The tree", "Each leaf is a rule; the depth is the largest number of columns on the way to one.")
    columns = [float(len({test.column for test in leaves(rule.when)})) for rule in rules.rules]
    axis = Axis("rule", range(1, len(columns) + 1), "r", "R")
    tests = w.given("columns", columns, axis, symbol="d", label="columns that a rule asks")
    w.cell("leaves", count(tests), symbol="L", label="leaves", equals=float(len(rules)), attribute="rules_")
    w.cell("depth", max_(tests), symbol="D", label="depth")
