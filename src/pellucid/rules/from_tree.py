"""A tree read as rules: one for each leaf, with the tests of one column on the way to it put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.errors import DataTypeError, ParameterError, format_message
from pellucid.models.rules.conditions import ALWAYS, NEVER, Condition, Expression, both, either, simplified
from pellucid.models.rules.rule_set import Rule, RuleSet
from pellucid.models.tree.nodes import SHARE, STOP, NodeTest, TreeNodes

__all__ = ["rules_of"]


def rules_of(tree: Any, *, simplify: bool = True, missing: bool = True) -> RuleSet:
    """The rules of a fitted tree, one for each leaf: a row satisfies exactly one of them, and gets the tree's answer.

    The tests on the way from the root to a leaf become one condition a column (`simplify`): an interval, or a set of
    categories. Where the tree sends missing values (and categories that a node never met) is said by the rules: "or
    missing" behind a test, surrogate tests as further conditions, and a rule of its own for a node that answers itself
    when a value is missing. C4.5 sends a missing value down every branch at once, which no rule can say: there it
    takes the heaviest branch, and answers for rows with missing values may differ from the tree's.

    The label of a rule is the most frequent class of its leaf (the first of equals), `counts` are the leaf's classes;
    of a regression tree it is the mean of the leaf, and there are no counts.

    Parameters
    ----------
    tree : a fitted tree of this library
    simplify : put the tests of one column together
    missing : say where missing values go; False makes shorter rules, for rows without any

    Returns
    -------
    RuleSet

    Examples
    --------
    >>> from pellucid.rules import rules_of
    >>> from pellucid.tree import DecisionTreeClassifier
    >>> X, y = [[170, 90], [190, 80], [160, 60], [165, 65]], ["M", "M", "F", "F"]
    >>> tree = DecisionTreeClassifier().fit(X, y)
    >>> print(rules_of(tree, missing=False))
    IF x0 <= 167.5 THEN F  # 2 covered, 2 right
    IF x0 > 167.5 THEN M  # 2 covered, 2 right
    DEFAULT F
    >>> print(rules_of(tree).rules[1].when.missing)  # with both sides equal a missing value goes to the second
    True
    """
    nodes = getattr(tree, "tree_", None)
    if not isinstance(nodes, TreeNodes):
        actual = f"got {type(tree).__name__}" + ("" if nodes is None else f" with a tree_ of {type(nodes).__name__}")
        hint = "fit it first, and give the tree itself, not a forest"
        raise ParameterError(
            format_message("rules_of", "tree must be a fitted tree of this library", actual=actual, hint=hint)
        )
    classes = getattr(tree, "classes_", None)
    if isinstance(classes, list) or (classes is None and nodes.value.shape[1] > 1):
        actual = f"this tree has {len(classes) if isinstance(classes, list) else nodes.value.shape[1]}"
        raise DataTypeError(
            format_message("rules_of", "the tree must have one target", actual=actual, hint="fit a tree for each")
        )
    return _Reader(tree, nodes, simplify, missing).rule_set()


class _Reader:
    def __init__(self, tree: Any, nodes: TreeNodes, simplify: bool, missing: bool) -> None:
        self.nodes, self.simplify, self.missing = nodes, simplify, missing
        self.names, self.categories = columns_of(tree)
        classes = getattr(tree, "classes_", None)
        self.classes: list[Any] | None = None if classes is None else np.asarray(classes).tolist()
        self.surrogates = getattr(nodes, "surrogate_start", ()) if missing else ()

    def rule_set(self) -> RuleSet:
        nodes = self.nodes
        ways: dict[int, Expression] = {0: ALWAYS}
        rules = []
        for node in nodes.top_down():
            way = ways.pop(node)
            if nodes.n_children[node] == 0:
                rules.append(self.rule(node, way))
                continue
            stays = self.stays(node)
            if stays != NEVER:
                rules.append(self.rule(node, self.joined(way, stays), counted=False))
            for branch, child in enumerate(nodes.children(node)):
                ways[child] = self.joined(way, self.branch(node, branch))
        kept = tuple(rule for rule in rules if rule.when != NEVER)
        classes = self.classes if self.classes is not None else dict.fromkeys(rule.then for rule in kept)
        return RuleSet(kept, tuple(classes), default=self.label(0))

    def joined(self, way: Expression, more: Expression) -> Expression:
        return simplified(both(way, more)) if self.simplify else both(way, more)

    def rule(self, node: int, when: Expression, counted: bool = True) -> Rule:
        counts = tuple(self.nodes.value[node].tolist()) if counted and self.classes is not None else ()
        return Rule(when, self.label(node), counts=counts or (0.0,) * len(self.classes or ()))

    def label(self, node: int) -> Any:
        value = self.nodes.value[node]
        return float(value[0]) if self.classes is None else self.classes[int(value.argmax())]

    # ----------------------------------------------------------------------------------------------------------- tests

    def branch(self, node: int, branch: int) -> Expression:
        """What a row must satisfy to take a branch, by its value, or by stand-ins where that is missing."""
        known = self.known(node, branch)
        rest = self.without_value(node, branch)
        if rest == NEVER:
            return known
        unmet = self.unmet(node)
        if rest == ALWAYS:
            return _joined_values(known, unmet).or_missing(self.missing)
        gone = unmet.or_missing()
        return either(known, both(gone, rest))

    def stays(self, node: int) -> Expression:
        """What a row must satisfy for the node to answer itself, because a value is missing."""
        if self.nodes.missing_child[node] != STOP:
            return NEVER
        unmet = self.unmet(node).or_missing(self.missing)
        if unmet.never:
            return NEVER
        gone: list[Expression] = [unmet]
        for feature, _, _ in self.stand_ins(node):
            gone.append(Condition.is_missing(self.names[feature]))
        return both(*gone)

    def without_value(self, node: int, branch: int) -> Expression:
        """Which rows whose value is missing take a branch."""
        missing = int(self.nodes.missing_child[node])
        if missing == SHARE:
            missing = int(np.argmax(self.nodes.weight[list(self.nodes.children(node))]))
        rest: Expression = ALWAYS if missing == branch else NEVER
        for feature, threshold, reverse in reversed(self.stand_ins(node)):
            name = self.names[feature]
            low = (branch == 0) != bool(reverse)
            test = Condition.at_most(name, threshold) if low else Condition.above(name, threshold)
            if rest == ALWAYS:
                rest = test.or_missing()
            elif rest == NEVER:
                rest = test
            else:
                rest = either(test, both(Condition.is_missing(name), rest))
        return rest

    def stand_ins(self, node: int) -> list[tuple[int, float, int]]:
        if not len(self.surrogates):
            return []
        nodes: Any = self.nodes
        at = range(int(self.surrogates[node]), int(self.surrogates[node + 1]))
        listed = (nodes.surrogate_feature, nodes.surrogate_threshold, nodes.surrogate_reverse)
        return [(int(listed[0][k]), float(listed[1][k]), int(listed[2][k])) for k in at]

    def known(self, node: int, branch: int) -> Condition:
        """What a known value must be to take a branch."""
        nodes, name = self.nodes, self.names[int(self.nodes.feature[node])]
        test, threshold = NodeTest(int(nodes.test[node])), float(nodes.threshold[node])
        if test is NodeTest.AT_MOST:
            return Condition.at_most(name, threshold) if branch == 0 else Condition.above(name, threshold)
        if test is NodeTest.BELOW:
            return Condition.below(name, threshold) if branch == 0 else Condition.at_least(name, threshold)
        if test is NodeTest.INTERVALS:
            cuts = [-np.inf, *nodes.cuts_of(node).tolist(), np.inf]
            return Condition(name, cuts[branch], cuts[branch + 1], low_open=True)
        return self.among(node, nodes.codes_of(node, branch))

    def among(self, node: int, codes: Sequence[int]) -> Condition:
        """One of the categories with these codes, in whichever way is shorter."""
        feature = int(self.nodes.feature[node])
        name, known = self.names[feature], self.categories.get(feature)
        if known is None:
            return Condition.is_in(name, list(codes))
        inside = [known[code] for code in codes if code < len(known)]
        others = [value for value in known if value not in set(inside)]
        if not others:
            return Condition.is_known(name)
        return Condition.not_in(name, others) if len(others) < len(inside) else Condition.is_in(name, inside)

    def unmet(self, node: int) -> Condition:
        """Categories that the node never met, which it treats as missing; none of a test of numbers."""
        nodes, feature = self.nodes, int(self.nodes.feature[node])
        nothing = Condition.is_in(self.names[feature], ())
        if NodeTest(int(nodes.test[node])) not in (NodeTest.SUBSET, NodeTest.CATEGORIES):
            return nothing
        met = {code for branch in range(len(nodes.children(node))) for code in nodes.codes_of(node, branch)}
        known = self.categories.get(feature)
        if known is None:
            return Condition.not_in(self.names[feature], sorted(met))
        absent = [value for code, value in enumerate(known) if code not in met]
        return Condition.is_in(self.names[feature], absent) if absent else nothing


def _joined_values(one: Condition, other: Condition) -> Condition:
    """A value that satisfies either test, both of one column."""
    if other.of_none or one.of_known:
        return one
    if one.of_none or other.of_known:
        return other
    mine, theirs = one.values or (), other.values or ()
    if one.excluded and not other.excluded:
        return Condition.not_in(one.column, [v for v in mine if v not in theirs])
    if other.excluded:  # none of the met ones, or one of these: none of the rest
        return Condition.not_in(one.column, [v for v in theirs if v not in mine])
    return Condition.is_in(one.column, (*mine, *theirs))


def columns_of(tree: Any) -> tuple[list[str], dict[int, tuple[Any, ...]]]:
    """Names of the columns of a fitted estimator, and the categories of those that have names of their own."""
    schema = tree.schema_
    names = [str(n) for n in schema.names] if schema.names is not None else [f"x{j}" for j in range(schema.n_cols)]
    return names, dict(schema.categories)
