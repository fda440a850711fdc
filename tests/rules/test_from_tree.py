"""A tree and its rules give the same answers, row by row, rows with missing values among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid import _core
from pellucid.base.errors import DataTypeError, ParameterError
from pellucid.models.rules.conditions import Condition, leaves
from pellucid.models.rules.matcher import Matcher
from pellucid.models.tree.answer import apply
from pellucid.models.tree.nodes import SHARE, STOP, NodeTest, TreeNodes
from pellucid.rules import RuleClassifier, rules_of
from pellucid.tree import (
    C45Classifier,
    CHAIDClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
)


def table(n: int, seed: int, missing: float, numbers: bool = True) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": random.normal(size=n).round(1),
            "weeks": random.integers(0, 12, n).astype(float),
            "color": random.choice(["red", "blue", "green", "dark red"], n).astype(object),
            "member": random.choice(["yes", "no"], n).astype(object),
        }
    )
    score = X["size"] + (X["color"] == "red") - (X["member"] == "no") * (X["weeks"] > 6)
    y = np.where(score + random.normal(scale=0.3, size=n) > 0.3, "buys", "leaves")
    y = np.where(random.random(n) < 0.1, "asks", y)
    for name in X:
        X.loc[random.random(n) < missing, name] = np.nan if X[name].dtype.kind == "f" else None
    return (X if numbers else X[["color", "member"]]), y


TREES = [
    (DecisionTreeClassifier(random_state=0), True, True),
    (DecisionTreeClassifier(max_depth=3, threshold="value", category_split="one_versus_rest"), True, True),
    (DecisionTreeClassifier(max_leaf_nodes=12, surrogates=2), True, True),
    (CHAIDClassifier(), True, True),
    (ID3Classifier(), False, True),
    (C45Classifier(), True, False),  # shares a missing value among its branches
]


@pytest.mark.parametrize(("tree", "numbers", "with_missing"), TREES, ids=lambda v: type(v).__name__ if v else "")
def test_rules_answer_as_their_tree_does(tree: Any, numbers: bool, with_missing: bool) -> None:
    X, y = table(400, 1, 0.1 if with_missing else 0.0, numbers)
    later, _ = table(500, 2, 0.2 if with_missing else 0.0, numbers)
    later.loc[:10, "color"] = "unseen" if with_missing else "red"
    tree.fit(X, y)
    model = RuleClassifier.from_tree(tree)
    for rows in (X, later):
        assert (model.fired(rows).sum(axis=1) == 1).all()  # one rule a row
        assert model.predict(rows).tolist() == tree.predict(rows).tolist()
    for rule in model.rules_.rules:
        tests = [test.column for test in leaves(rule.when)]
        assert len(tests) == len(set(tests)) or getattr(tree, "surrogates", 0)  # one condition a column


def test_counts_of_the_leaves_are_counts_of_the_rules() -> None:
    X, y = table(300, 3, 0.0)
    tree = DecisionTreeClassifier(max_depth=4).fit(X, y)
    model = RuleClassifier.from_tree(tree)
    again = RuleClassifier(rules=rules_of(tree)).fit(X, y)
    np.testing.assert_allclose([r.counts for r in model.rules_.rules], [r.counts for r in again.rules_.rules])
    np.testing.assert_allclose(model.coverage_, again.coverage_)
    np.testing.assert_allclose(model.accuracy_, again.accuracy_)
    assert len(model.rules_) == tree.get_n_leaves()
    assert again.n_conflicts_ == 0
    read = RuleClassifier(rules=rules_of(tree).to_text()).fit(X, y)
    assert read.predict(X).tolist() == tree.predict(X).tolist()


def test_rules_without_simplification_say_the_same() -> None:
    X, y = table(200, 4, 0.1)
    tree = DecisionTreeClassifier(max_depth=5).fit(X, y)
    long, short = rules_of(tree, simplify=False), rules_of(tree)
    assert long.n_conditions > short.n_conditions
    for rules in (long, short):
        assert (
            RuleClassifier(rules=rules, probability="share").fit(X, y).predict(X).tolist() == tree.predict(X).tolist()
        )


def test_rules_of_a_regression_tree_conclude_its_means() -> None:
    X = np.arange(8.0)[:, None]
    tree = DecisionTreeRegressor(max_depth=1).fit(X, [1, 1, 1, 1, 3, 3, 5, 5])
    rules = rules_of(tree)
    assert [rule.then for rule in rules.rules] == [1, 4]
    short = rules_of(tree, missing=False)
    assert short.to_text() == "IF x0 <= 3.5 THEN 1\nIF x0 > 3.5 THEN 4\nDEFAULT 2.5"
    with pytest.raises(ParameterError, match="takes a classification tree"):
        RuleClassifier.from_tree(tree)


def test_what_is_no_tree() -> None:
    with pytest.raises(ParameterError, match="must be a fitted tree"):
        rules_of(DecisionTreeClassifier())
    several = DecisionTreeClassifier().fit([[1], [2], [3], [4]], [["a", "u"], ["b", "u"], ["a", "v"], ["b", "v"]])
    with pytest.raises(DataTypeError, match="one target"):
        rules_of(several)


# ------------------------------------------------------------------------------------------------- trees made by hand


class Grown:
    """A fitted tree, as far as rules look at it."""

    def __init__(self, nodes: TreeNodes, names: list[str], categories: dict[int, tuple[Any, ...]]) -> None:
        self.tree_, self.classes_ = nodes, np.arange(nodes.value.shape[1])
        self.schema_ = type("Schema", (), {"names": names, "n_cols": len(names), "categories": categories})()


def random_nodes(seed: int, categories: int) -> TreeNodes:
    """Three levels of tests of every kind, missing values going anywhere."""
    random = np.random.default_rng(seed)
    fields: dict[str, list[Any]] = {name: [] for name in ("parent", "first", "n", "feature", "test", "missing", "at")}
    table, cuts, table_start, cuts_start = [], [], [0], [0]
    depth = [0]
    waiting = [(-1, 0)]
    for parent, level in waiting:
        node = len(fields["parent"])
        test = NodeTest.LEAF if level == 3 else NodeTest(int(random.integers(1, 6)))
        branches = {NodeTest.LEAF: 0, NodeTest.CATEGORIES: 3, NodeTest.INTERVALS: 3}.get(test, 2)
        of_names = test in (NodeTest.SUBSET, NodeTest.CATEGORIES)
        fields["parent"].append(parent)
        fields["first"].append(len(waiting) if branches else -1)
        fields["n"].append(branches)
        fields["feature"].append(
            -1 if not branches else int(random.integers(2, 4) if of_names else random.integers(0, 2))
        )
        fields["test"].append(int(test))
        fields["missing"].append(int(random.choice([STOP, *range(branches)])) if branches else STOP)
        fields["at"].append(
            float(random.normal().__round__(1)) if test in (NodeTest.AT_MOST, NodeTest.BELOW) else np.nan
        )
        if test is NodeTest.SUBSET:
            table += random.integers(0, 2**31, (categories + 31) // 32).tolist()
        if test is NodeTest.CATEGORIES:  # some categories were never met here, and some codes lie beyond the table
            table += random.integers(-1, 3, max(categories - 1, 1)).tolist()
        if test is NodeTest.INTERVALS:
            cuts += np.sort(random.normal(size=2).round(1)).tolist()
        table_start.append(len(table))
        cuts_start.append(len(cuts))
        waiting.extend((node, level + 1) for _ in range(branches))
        depth.append(level)
    m = len(fields["parent"])
    weight = random.random((m, 3))
    return TreeNodes(
        *(np.array(fields[name], dtype=np.int32) for name in ("parent", "first", "n", "feature", "test", "missing")),
        np.array(fields["at"]),
        np.ones(m, dtype=np.int64),
        weight.sum(axis=1),
        np.zeros(m),
        weight,
        np.array(table_start, dtype=np.int64),
        np.array(table, dtype=np.int32),
        np.array(cuts_start, dtype=np.int64),
        np.array(cuts, dtype=np.float64),
    )


@pytest.mark.parametrize("named", [True, False])
def test_every_kind_of_test_and_every_way_of_missing_values(named: bool) -> None:
    random = np.random.default_rng(7)
    names, size = ["a", "b", "c", "d"], 5
    categories = {2: tuple("pqrst"), 3: tuple("uvwxy")} if named else {}
    for seed in range(25):
        nodes = random_nodes(seed, size)
        numbers = random.normal(size=(500, 2)).round(1)
        codes = random.integers(0, size, (500, 2)).astype(float)
        rows = np.where(random.random((500, 4)) < 0.15, np.nan, np.hstack([numbers, codes]))
        X = _core.dense(rows)
        wanted = nodes.value[apply(nodes, X)].argmax(axis=1)
        rules = rules_of(Grown(nodes, names, categories))
        matcher = Matcher.of(rules, names, categories)
        assert (matcher.fired(X).sum(axis=1) == 1).all()
        assert matcher.decide(X).tolist() == wanted.tolist()
        known = ~np.isnan(rows).any(axis=1)
        plain = Matcher.of(rules_of(Grown(nodes, names, categories), missing=False), names, categories)
        assert plain.decide(X)[known].tolist() == wanted[known].tolist()
        assert (plain.fired(X)[known].sum(axis=1) == 1).all()


def test_a_shared_missing_value_takes_the_heaviest_branch() -> None:
    nodes = random_nodes(0, 5)
    missing = np.where(nodes.n_children > 0, SHARE, STOP).astype(np.int32)
    rules = rules_of(Grown(TreeNodes(**{**vars(nodes), "missing_child": missing}), ["a", "b", "c", "d"], {}))
    X = _core.dense(np.full((1, 4), np.nan))
    found = Matcher.of(rules, ["a", "b", "c", "d"], {}).fired(X)
    assert found.sum() == 1
    node = 0
    while nodes.n_children[node]:
        node = max(nodes.children(node), key=lambda child: nodes.weight[child])
    assert rules.rules[int(found.argmax())].then == int(nodes.value[node].argmax())


def test_a_chain_of_ten_thousand_tests() -> None:
    m = 10_000
    inner = np.arange(2 * m + 1) % 2 == 0
    inner[-1] = False
    node = np.arange(2 * m + 1)
    parent = np.where(node == 0, -1, (node - 1) // 2 * 2).astype(np.int32)
    nodes = TreeNodes(
        parent,
        np.where(inner, node + 1, -1).astype(np.int32),
        np.where(inner, 2, 0).astype(np.int32),
        np.where(inner, 0, -1).astype(np.int32),
        np.where(inner, int(NodeTest.AT_MOST), 0).astype(np.uint8),
        np.where(inner, 1, STOP).astype(np.int32),
        np.where(inner, node / 2.0, np.nan),
        np.ones(2 * m + 1, dtype=np.int64),
        np.ones(2 * m + 1),
        np.zeros(2 * m + 1),
        np.stack([inner, ~inner], axis=1).astype(float),
    )
    nodes = TreeNodes(**{**vars(nodes), "first_child": np.where(inner, node + 1, -1).astype(np.int32)})
    rules = rules_of(Grown(nodes, ["x"], {}))
    assert len(rules) == m + 1
    assert all(isinstance(rule.when, Condition) for rule in rules.rules)


def test_printed_limits_of_a_column_differ() -> None:
    X = np.array([[1.0000001], [1.0000003], [1.0000005], [1.0000007], [1234567.0], [1234569.0]])
    text = str(rules_of(DecisionTreeClassifier().fit(X, list("ababab")), missing=False))
    lines = [line.split(" THEN")[0] for line in text.splitlines()[:-1]]
    assert len(set(lines)) == 6
    assert lines[-1] == "IF x0 > 1234568"
