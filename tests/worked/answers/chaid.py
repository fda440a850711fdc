"""CHAID on twelve people, pruning of toy trees, and the path that begins well."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import chaid, pruning

from ..frame import Example, PathName, answers

COLUMNS = ("gratitude", "compare", "expecting")
STATES = {"yes": "happy", "no": "unhappy"}


@answers("004-chaid-happiness")
def happiness(example: Example, path: PathName) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    p_values, statistics = {}, {}
    y = example.data["happy"]
    for name in COLUMNS:
        values = sorted(set(example.data[name]))
        pairs = list(zip(example.data[name], y, strict=True))
        table = np.array([[pairs.count((value, label)) for label in ("no", "yes")] for value in values], dtype=float)
        expected, terms = chaid.expected_counts(table), chaid.chi_squared_terms(table)
        for i, value in enumerate(values):
            for k, label in enumerate(("no", "yes")):
                found[f"{name} {value}/{STATES[label]}: expected count"] = expected[i, k]
                found[f"{name} {value}/{STATES[label]}: chi-square term"] = terms[i, k]
        tested = chaid.chi_squared(table) if path == "reference" else _kernel(example.data[name], y)
        statistics[name], p_values[name] = tested.statistic, tested.p
        found[f"chi-square {name}"] = tested.statistic
    best = max(statistics, key=lambda name: statistics[name]) if path == "reference" else _root(example)
    return found | {"best feature (largest chi-square)": best, "p-values (df 1, 1, 2)": p_values}


def _textbook() -> Any:
    from pellucid.tree import CHAIDClassifier

    return CHAIDClassifier(merge=False, choose_by="statistic", alpha_split=1.0)


def _kernel(values: list[str], y: list[str]) -> chaid.Tested:
    splits = _textbook().fit(np.array(values, dtype=object)[:, None], y).splits_
    return chaid.Tested(float(splits.statistic[0]), (float(splits.df1[0]),), math.log(splits.p_value[0]))


def _root(example: Example) -> str:
    X = np.column_stack([example.data[name] for name in COLUMNS]).astype(object)
    return COLUMNS[int(_textbook().fit(X, example.data["happy"]).tree_.feature[0])]


@answers("004-reduced-error-pruning-toy")
def reduced_error(example: Example, path: PathName) -> Mapping[str, Any]:
    order = example.settings["order"]
    if path == "reference":
        scores = dict(zip(((), ("B",), ("B", "C")), example.data["validation_accuracy"], strict=True))
        tried = pruning.keep_what_helps(lambda gone: scores[gone], order)
        removed = [one.removal for one in tried if one.accepted]
        return {"accepted removals": removed, "final validation accuracy": scores[tuple(removed)]}
    from pellucid.tree import DecisionTreeClassifier, reduced_error_pruning

    # Branch B asks the second column of rows with 0 in the first, branch C of the others: of ten rows held out the tree
    # gets 8 right, 9 without B, and 7 without both.
    X = [[0, 0]] * 3 + [[0, 1]] * 2 + [[1, 0]] * 3 + [[1, 1]] * 2
    tree = DecisionTreeClassifier().fit(X, list("pppqqrrrss"))
    held_out = [[0, 0]] * 2 + [[0, 1]] * 3 + [[1, 0]] * 3 + [[1, 1]] * 2
    branches = {1: "B", 2: "C"}
    for order_of in ("best_first", [1, 2]):
        found = reduced_error_pruning(tree, held_out, list("ppppqrrrss"), order=order_of)
        steps = [found.score_before, *(step.after for step in found.steps)]
        assert np.allclose(steps, example.data["validation_accuracy"])
    return {"accepted removals": [branches[node] for node in found.removed], "final validation accuracy": found.score}


@answers("004-majority-leaf-pruning-toy")
def majority(example: Example, path: PathName) -> Mapping[str, Any]:
    leaves = example.data["leaf_labels_under_branch"]
    if path == "reference":
        return {"replacement leaf": pruning.most_frequent(leaves)}
    from pellucid.tree import DecisionTreeClassifier, majority_leaf_pruning

    # Below the right branch of the root stand leaves of these labels, the one with the most rows being the rarest.
    X = [[0.0]] * 9 + [[1.0]] + [[3.0]] + [[2.0]] * 6
    y = ["B"] * 9 + leaves[:2] + [leaves[2]] * 6
    tree = DecisionTreeClassifier().fit(X, y)
    branch = 2
    below = majority_leaf_pruning(tree, branch)
    assert below.steps[0].counts == {"A": 1.0, "C": 2.0}
    assert majority_leaf_pruning(tree, branch, count_of="rows").steps[0].answer == "A"
    return {"replacement leaf": below.tree.predict([[2.0]])[0]}


@answers("004-greedy-path-toy")
def greedy(example: Example, path: PathName) -> Mapping[str, Any]:
    paths = example.data
    if path == "reference":
        totals = [sum(paths[name]) for name in paths]
        return {
            "greedy choice": pruning.greedy_path(paths),
            "path totals": totals,
            "shortest path": pruning.shortest_path(paths),
        }
    from pellucid.working import gallery

    shown = gallery.show_example(example.id)
    totals = [int(shown.value("sum_1")), int(shown.value("sum_2"))]
    return {
        "greedy choice": shown.value("greedy"),
        "path totals": totals,
        "shortest path": shown.value("shortest"),
    }
