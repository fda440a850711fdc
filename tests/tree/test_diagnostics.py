"""How large, how stable, and what is said twice: diagnostics of trees against the long way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.models.tree.nodes import SHARE, TreeNodes
from pellucid.tree import (
    C45Classifier,
    CHAIDClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    accuracy_by_nodes,
    instability,
    repetition,
    replication,
    simplified,
)

from .test_pruning import check_nodes, fitted, named, noisy


def by_hand(tests: list[tuple[int, float, int, int] | str], like: Any) -> Any:
    """A tree of thresholds: (column, threshold, left, right) of an inner node, a label of a leaf."""
    m = len(tests)
    parent, first, column = np.full(m, -1), np.full(m, -1), np.full(m, -1)
    threshold, value = np.full(m, np.nan), np.zeros((m, len(like.classes_)))
    for node, test in enumerate(tests):
        if isinstance(test, str):
            value[node, like.classes_.tolist().index(test)] = 1.0
            continue
        column[node], threshold[node], left, right = test
        first[node] = left
        parent[[left, right]] = node
    for node in range(m - 1, 0, -1):
        value[parent[node]] += value[node]
    inner = first >= 0
    weight = value.sum(axis=1)
    nodes = TreeNodes(
        parent=parent,
        first_child=first,
        n_children=np.where(inner, 2, 0),
        feature=column,
        test=inner.astype(np.uint8),
        missing_child=np.where(inner, 1, -2),
        threshold=threshold,
        n_rows=weight.astype(int),
        weight=weight,
        impurity=1 - ((value / weight[:, None]) ** 2).sum(axis=1),
        value=value,
    )
    like.tree_ = nodes
    return like


def three_classes() -> Any:
    return DecisionTreeClassifier().fit([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], ["a", "b", "c"])


# ----------------------------------------------------------------------------------------------------------------- size


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(), DecisionTreeRegressor(), CHAIDClassifier(alpha_split=0.9)], ids=named
)
def test_every_size_comes_from_one_tree(model: Any) -> None:
    X, labels, numbers = noisy(2)
    y = labels if hasattr(model, "predict_proba") else numbers
    model.fit(X[:120], y[:120])
    curve = accuracy_by_nodes(model, X[:120], y[:120], X[120:], y[120:])
    assert (curve.n_nodes[0], curve.n_nodes[-1], curve.n_leaves[-1]) == (1, len(model.tree_), model.get_n_leaves())
    assert np.isclose(curve.train_scores[-1], model.score(X[:120], y[:120]))
    assert np.isclose(curve.test_scores[-1], model.score(X[120:], y[120:]))
    assert len(curve.tree.tree_) == curve.best_n_nodes
    assert np.isclose(curve.tree.score(X[120:], y[120:]), curve.test_scores.max())
    if isinstance(model, DecisionTreeClassifier):
        for leaves in (2, 5, 9):  # what growing best first with a limit gives
            small = DecisionTreeClassifier(max_leaf_nodes=leaves).fit(X[:120], y[:120])
            at = curve.n_leaves.tolist().index(leaves)
            assert np.isclose(curve.train_scores[at], small.score(X[:120], y[:120]))
            assert np.isclose(curve.test_scores[at], small.score(X[120:], y[120:]))


# ------------------------------------------------------------------------------------------------------------ stability


def test_two_halves_two_trees() -> None:
    X, labels, numbers = noisy(0)
    found = instability(DecisionTreeClassifier(max_depth=3), X, labels)
    assert sorted([*found.halves[0], *found.halves[1]]) == list(range(len(X)))
    one, other = found.trees
    assert found.agreement == np.mean(one.predict(X) == other.predict(X))
    assert found.n_tests == tuple(int((~tree.tree_.is_leaf).sum()) for tree in found.trees)
    assert 0 <= found.shared_tests <= min(found.n_tests)
    counts = [np.bincount(labels[half]) for half in found.halves]
    assert np.abs(counts[0] - counts[1]).max() <= 1
    assert instability(DecisionTreeClassifier(max_depth=3), X, labels).roots == found.roots
    frame = pd.DataFrame(X, columns=list("pqrs"))
    assert instability(DecisionTreeClassifier(max_depth=3), frame, labels).roots[0].startswith("p <=")
    numbers_too = instability(DecisionTreeRegressor(max_depth=2), X, numbers)
    assert np.isclose(numbers_too.agreement, np.corrcoef(*(tree.predict(X) for tree in numbers_too.trees))[0, 1])
    alone = instability(DecisionTreeClassifier(), np.zeros((6, 1)), [0] * 6)
    assert (alone.roots[0], alone.n_tests, alone.agreement) == ("nothing: a single leaf", (0, 0), 1.0)
    with pytest.raises(DataError, match="needs at least four rows"):
        instability(DecisionTreeClassifier(), [[1.0], [2.0]], [0, 1])


# --------------------------------------------------------------------------------------------------- what is said twice


def test_a_column_asked_twice() -> None:
    #        0: x0 <= 5 -> 1: x0 <= 7 (never above) -> 3, 4;   2: x1 <= 1 -> 5, 6: x0 <= 8 -> 7, 8
    tree = by_hand([(0, 5, 1, 2), (0, 7, 3, 4), (1, 1, 5, 6), "a", "b", "a", (0, 8, 7, 8), "b", "c"], three_classes())
    tree.tree_ = replace(tree.tree_, missing_child=np.where(tree.tree_.is_leaf, -2, 0))
    found = repetition(tree)
    assert [(one.first, one.again, one.redundant) for one in found] == [(0, 1, True), (0, 6, False)]
    assert found[0].tests == ("x0 <= 5", "x0 <= 7")
    other_way = replace(tree.tree_, missing_child=np.where(np.arange(9) == 1, 1, tree.tree_.missing_child))
    tree.tree_ = other_way  # a missing value comes left, and goes right there: the test tells it from a number
    assert not repetition(tree)[0].redundant


def test_the_same_branch_twice() -> None:
    twice = [(0, 1, 1, 2), (1, 1, 3, 4), (2, 1, 5, 6), "a", "b", (1, 1, 7, 8), "c", "a", "b"]
    found = replication(by_hand(twice, three_classes()))
    assert [(one.nodes, one.test, one.n_tests) for one in found] == [((1, 5), "x1 <= 1", 1)]
    larger = [
        (0, 1, 1, 2), (1, 1, 3, 4), (1, 1, 5, 6), "a", (2, 1, 7, 8), "a", (2, 1, 9, 10), "b", "c", "b", "c",
    ]  # fmt: skip
    found = replication(by_hand(larger, three_classes()))
    assert [(one.nodes, one.n_tests) for one in found] == [((1, 2), 2)]  # not the smaller branch inside it
    assert replication(three_classes()) == []


def test_tests_that_change_nothing_go() -> None:
    tests = [(0, 5, 1, 2), (0, 7, 3, 4), (1, 1, 5, 6), "a", "b", "c", "c"]
    tree = by_hand(tests, three_classes())
    tree.tree_ = replace(tree.tree_, missing_child=np.where(tree.tree_.is_leaf, -2, 0))
    small = simplified(tree)
    assert {(step.node, step.why) for step in small.steps} == {(1, "one answer"), (2, "same below")}
    assert len(small.tree.tree_) == 3
    assert small.tree.predict([[1, 0, 0], [9, 0, 0], [6, 3, 0]]).tolist() == ["a", "c", "c"]
    equal = [(0, 1, 1, 2), (1, 1, 3, 4), (1, 1, 5, 6), "a", "b", "a", "b"]
    merged = simplified(by_hand(equal, three_classes())).tree.tree_
    assert (len(merged), merged.feature[0], merged.n_rows.tolist()) == (3, 1, [4, 2, 2])


MODELS: list[Any] = [
    DecisionTreeClassifier(),
    DecisionTreeRegressor(max_depth=3),
    CHAIDClassifier(alpha_split=0.9, categorical_features=[2]),
    C45Classifier(pruning=None),
    ID3Classifier(numbers="categories"),
]


@pytest.mark.parametrize("keep", ["predictions", "values"])
@pytest.mark.parametrize("model", MODELS, ids=named)
def test_a_simplified_tree_predicts_the_same(model: Any, keep: Any) -> None:
    model, _, _ = fitted(model, 5)
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 6, (500, 4)).astype(float)
    X[rng.random(X.shape) < 0.15] = np.nan
    small = simplified(model, keep=keep)
    check_nodes(small.tree.tree_)
    np.testing.assert_array_equal(small.tree.predict(X), model.predict(X))
    if keep == "values" and hasattr(model, "predict_proba"):
        np.testing.assert_allclose(small.tree.predict_proba(X), model.predict_proba(X), atol=1e-12)
    assert len(model.tree_) - len(small.tree.tree_) >= len(small.steps)
    if not (model.tree_.missing_child == SHARE).any() and keep == "predictions" and hasattr(model, "predict_proba"):
        assert simplified(small.tree).steps == ()


def test_wrong_words_are_refused() -> None:
    tree = three_classes()
    with pytest.raises(ParameterError, match="keep must be"):
        simplified(tree, keep="shape")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="by must be"):
        replication(tree, by="shape")  # type: ignore[arg-type]
