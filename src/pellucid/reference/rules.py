"""Rules in plain steps: which fire for a row, who wins, coverage and accuracy.

A rule is (tests, label); a test is (column, sign, value), and all tests of a rule must hold. A row is a dict from
column to value; None is a missing value, which satisfies no test but "missing".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Test = tuple[str, str, Any]
RuleOf = tuple[Sequence[Test], Any]
RowOf = dict[str, Any]

SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda x, v: x < v,
    "<=": lambda x, v: x <= v,
    ">": lambda x, v: x > v,
    ">=": lambda x, v: x >= v,
    "=": lambda x, v: x == v,
    "!=": lambda x, v: x != v,
    "in": lambda x, v: x in v,
    "not in": lambda x, v: x not in v,
    "between": lambda x, v: v[0] <= x <= v[1],
}


def holds(test: Test, row: RowOf) -> bool:
    """Does a row satisfy a test?"""
    column, sign, value = test
    x = row[column]
    if sign == "missing" or x is None:
        return sign == "missing" and x is None
    return SIGNS[sign](x, value)


def fires(rule: RuleOf, row: RowOf) -> bool:
    """Does a row satisfy all tests of a rule?"""
    return all(holds(test, row) for test in rule[0])


def answer(
    rules: Sequence[RuleOf],
    row: RowOf,
    default: Any,
    policy: str = "first",
    weight: Sequence[float] | None = None,
    priority: Sequence[Any] = (),
) -> Any:
    """The label of a row: of the first rule that fires, by vote, or by priority; the default where none fires."""
    fired = [i for i, rule in enumerate(rules) if fires(rule, row)]
    if not fired:
        return default
    labels = [rules[i][1] for i in fired]
    if policy == "first":
        return labels[0]
    if policy == "priority":
        return next(label for label in priority if label in labels)
    votes: dict[Any, float] = {}
    for i, label in zip(fired, labels, strict=True):
        votes[label] = votes.get(label, 0.0) + (1.0 if weight is None else weight[i])
    return max(votes, key=lambda label: votes[label])  # a dict keeps its order: of equals the one whose rule is first


def coverage(rule: RuleOf, rows: Sequence[RowOf]) -> float:
    """n_covered / n: the share of the rows for which a rule fires."""
    return float(sum(fires(rule, row) for row in rows) / len(rows))


def accuracy(rule: RuleOf, rows: Sequence[RowOf], labels: Sequence[Any]) -> float:
    """n_correct / n_covered: the share of the covered rows that have the rule's label."""
    covered = [label for row, label in zip(rows, labels, strict=True) if fires(rule, row)]
    return float(sum(label == rule[1] for label in covered) / len(covered))


def walk(tree: Any, row: RowOf) -> tuple[Any, list[str]]:
    """The label at the end of a row's way through nested branches, and the answers on the way.

    A tree is a label, or (column, [(sign, value, tree), ...]); the first branch whose test holds is taken.
    """
    conditions: list[str] = []
    while isinstance(tree, tuple):
        column, branches = tree
        sign, value, tree = next(branch for branch in branches if holds((column, branch[0], branch[1]), row))
        conditions.append(f"{column} {sign} {value}")
    return tree, conditions


def leaves(tree: Any) -> int:
    """Number of labels at the ends of a tree."""
    return sum(leaves(branch[2]) for branch in tree[1]) if isinstance(tree, tuple) else 1


def depth(tree: Any) -> int:
    """Tests on the longest way."""
    return 1 + max(depth(branch[2]) for branch in tree[1]) if isinstance(tree, tuple) else 0
