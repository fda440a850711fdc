"""Rules and a tree drawn by hand: a person's height and weight, and whether a customer buys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import rules as reference

from ..frame import Example, PathName, answers

CUSTOMERS = {
    "(3 weeks)": (3.0, None, None),
    "(8 weeks, on offer, Saturday)": (8.0, "yes", "Saturday"),
    "(8 weeks, on offer, Tuesday)": (8.0, "yes", "Tuesday"),
    "(8 weeks, not on offer)": (8.0, "no", None),
    "(12 weeks)": (12.0, None, None),
}
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]


@answers("000-decision-tree-rules-height-weight")
def height_and_weight(example: Example, path: PathName) -> Mapping[str, Any]:
    listed, query = example.data["rules"], example.data["query"]
    tests = [listed[0]["if"][0], listed[1]["if"][1]]
    if path == "reference":
        rules = [([tuple(test) for test in rule["if"]], rule["then"]) for rule in listed]
        label = reference.answer(rules, query, None)
        held = [reference.holds(tuple(test), query) for test in tests]
        number = len(rules)
    else:
        label, held, number = _by_kernel(listed, query, tests)
    said = ["Yes" if one else "No" for one in held]
    return {
        "prediction for height 160, weight 65": label,
        "number of leaves / rules": number,
        "trace: 1": {"test": "Height > 180", "answer": said[0]},
        "trace: 2": {"test": "Weight > 80", "answer": said[1]},
        "trace: 3": {"leaf": label},
    }


def _by_kernel(listed: Any, query: dict[str, float], tests: Any) -> tuple[str, list[bool], int]:
    """The rules and single tests as text, read and matched."""
    from pellucid import _core
    from pellucid.models.rules.rule_set import RuleSet

    def text(conditions: Any, label: Any) -> str:
        return f"IF {' AND '.join(f'{name} {sign} {value}' for name, sign, value in conditions)} THEN {label}"

    rules = RuleSet.from_text("\n".join(text(rule["if"], rule["then"]) for rule in listed))
    X = _core.dense(np.array([[float(v) for v in query.values()]]))
    label = rules.classes[int(rules.matcher(list(query)).decide(X)[0])]
    single = RuleSet.from_text("\n".join(text([test], "yes") for test in tests))
    return label, single.matcher(list(query)).fired(X)[0].tolist(), len(rules)


@answers("003-decision-tree-purchase")
def purchase(example: Example, path: PathName) -> Mapping[str, Any]:
    tree = example.data["tree"]
    if path == "kernel":
        return _tree_by_kernel(tree)
    plain, names = _plain(tree), ("weeks since last purchase", "on offer", "weekday")
    rows = {what: dict(zip(names, customer, strict=True)) for what, customer in CUSTOMERS.items()}
    return {
        **{what: reference.walk(plain, row)[0] for what, row in rows.items()},
        "number of leaves": reference.leaves(plain),
        "depth": reference.depth(plain),
    }


def _plain(node: Any) -> Any:
    """A tree of the example as the reference walks it."""
    if isinstance(node, str):
        return node
    return (node["feature"], [(*_test(words), _plain(below)) for words, below in node["branches"].items()])


def _test(words: str) -> tuple[str, Any]:
    parts = words.split()
    if len(parts) == 2:
        return parts[0], float(parts[1])
    if len(parts) == 5:  # the branch before took what is not above
        return "<=", float(parts[4])
    return ("in", DAYS[:5]) if words == "Mon-Fri" else ("=", words)


def _tree_by_kernel(tree: Any) -> Mapping[str, Any]:
    """A tree of intervals and categories as columns of numbers, walked by the kernel, and its rules beside it."""
    from pellucid import _core
    from pellucid.data.design import Schema
    from pellucid.models.tree.answer import answer
    from pellucid.models.tree.nodes import STOP, NodeTest, TreeNodes
    from pellucid.rules import RuleClassifier, rules_of

    test = [NodeTest.INTERVALS, 0, NodeTest.CATEGORIES, 0, NodeTest.CATEGORIES, 0, 0, 0]
    labels = [None, "no", None, "yes", None, "no", "no", "yes"]
    value = np.array([[float(one == "no"), float(one == "yes")] if one else [1.0, 1.0] for one in labels])
    nodes = TreeNodes(
        parent=np.array([-1, 0, 0, 0, 2, 2, 4, 4], dtype=np.int32),
        first_child=np.array([1, -1, 4, -1, 6, -1, -1, -1], dtype=np.int32),
        n_children=np.array([3, 0, 2, 0, 2, 0, 0, 0], dtype=np.int32),
        feature=np.array([0, -1, 1, -1, 2, -1, -1, -1], dtype=np.int32),
        test=np.array([int(t) for t in test], dtype=np.uint8),
        missing_child=np.full(8, STOP, dtype=np.int32),
        threshold=np.full(8, np.nan),
        n_rows=np.ones(8, dtype=np.int64),
        weight=np.ones(8),
        impurity=np.zeros(8),
        value=value,
        table_start=np.array([0, 0, 0, 2, 2, 8, 8, 8, 8], dtype=np.int64),
        table=np.array([1, 0, 0, 0, 0, 0, 0, 1], dtype=np.int32),  # no: branch 1, yes: branch 0; days by their place
        cuts_start=np.array([0, 2, 2, 2, 2, 2, 2, 2, 2], dtype=np.int64),
        cuts=np.array([float(next(iter(tree["branches"])).split()[1]), float(list(tree["branches"])[1].split()[4])]),
    )
    categories: dict[int, tuple[Any, ...]] = {1: ("no", "yes"), 2: tuple(DAYS)}
    code = [{name: float(k) for k, name in enumerate(categories.get(j, ()))} for j in range(3)]
    rows = [
        [np.nan if v is None else v if isinstance(v, float) else code[j][v] for j, v in enumerate(customer)]
        for customer in CUSTOMERS.values()
    ]
    X = _core.dense(np.array(rows))
    said = np.array(["no", "yes"])[answer(nodes, X, n_classes=[2]).argmax(axis=1)]
    grown = type("Tree", (), {})()
    grown.tree_, grown.classes_ = nodes, np.array(["no", "yes"])
    grown.schema_ = Schema(3, ("weeks since last purchase", "on offer", "weekday"), True, None, categories)
    rules = rules_of(grown)
    matched = rules.matcher(grown.schema_.names, categories).decide(X)
    assert [rules.classes[k] for k in matched] == said.tolist()
    assert isinstance(RuleClassifier.from_tree(grown), RuleClassifier)
    return {
        **dict(zip(CUSTOMERS, said.tolist(), strict=True)),
        "number of leaves": len([rule for rule in rules.rules if sum(rule.counts)]),
        "depth": nodes.max_depth,
    }
