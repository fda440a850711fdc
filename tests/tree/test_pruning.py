"""Pruning: every rule against trees pruned and scored the long way, on all kinds of trees."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from pellucid.base.errors import DataError, NotFittedError, ParameterError
from pellucid.models.tree.nodes import STOP, TreeNodes
from pellucid.models.tree.prune import below, rebuilt, without_descendants
from pellucid.reference import pruning as reference
from pellucid.tree import (
    C45Classifier,
    CHAIDClassifier,
    CHAIDRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    cost_complexity_pruning,
    majority_leaf_pruning,
    reduced_error_pruning,
)


def noisy(seed: int, rows: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A table of small whole numbers, labels that a quarter of the rows have wrong, and numbers with noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (rows, 4)).astype(float)
    right = (X[:, 0] > 2).astype(int) + (X[:, 1] > 3)
    labels = np.where(rng.random(rows) < 0.25, rng.integers(0, 3, rows), right)
    return X, labels, right + rng.normal(size=rows)


TREES: list[Any] = [
    DecisionTreeClassifier(),
    DecisionTreeRegressor(),
    CHAIDClassifier(alpha_split=0.9, categorical_features=[2]),
    CHAIDRegressor(alpha_split=0.9),
    C45Classifier(pruning=None),
    ID3Classifier(numbers="categories"),
]


def fitted(model: Any, seed: int = 0) -> tuple[Any, np.ndarray, np.ndarray]:
    """A tree grown on some rows, and others."""
    X, labels, numbers = noisy(seed)
    y = labels if hasattr(model, "predict_proba") else numbers
    return model.fit(X[:120], y[:120]), X[120:], y[120:]


def named(model: Any) -> str:
    return type(model).__name__


# ----------------------------------------------------------------------------------------------- nodes by themselves


def check_nodes(nodes: TreeNodes) -> None:
    """Children side by side behind their parent, nothing left over of leaves."""
    seen = {0}
    for node in range(len(nodes)):
        for child in nodes.children(node):
            assert nodes.parent[child] == node < child
            seen.add(child)
        if nodes.n_children[node] == 0:
            assert (nodes.feature[node], nodes.test[node], nodes.missing_child[node]) == (-1, 0, STOP)
            for start in (nodes.table_start, nodes.cuts_start):
                assert len(start) == 0 or start[node] == start[node + 1]
    assert seen == set(range(len(nodes)))


@pytest.mark.parametrize("model", TREES, ids=named)
def test_descendants_go_and_all_else_stays(model: Any) -> None:
    model, X, _ = fitted(model)
    nodes = model.tree_
    inner = np.flatnonzero(~nodes.is_leaf)
    cut = inner[1::2].tolist()
    small, kept = without_descendants(nodes, cut)
    check_nodes(small)
    assert not below(nodes, cut)[kept].any()
    np.testing.assert_array_equal(small.value, nodes.value[kept])
    for new, old in enumerate(kept.tolist()):
        if small.n_children[new]:
            if len(small.cuts):
                np.testing.assert_array_equal(small.cuts_of(new), nodes.cuts_of(old))
            assert small.n_children[new] == nodes.n_children[old]
    nothing, all_of_them = without_descendants(nodes, [])
    assert len(nothing) == len(nodes)
    assert all_of_them.tolist() == list(range(len(nodes)))
    children = [list(nodes.children(node)) for node in range(len(nodes))]
    again, order = rebuilt(nodes, children, range(len(nodes)))
    check_nodes(again)
    before = model.predict(X)
    model.tree_ = again
    np.testing.assert_array_equal(model.predict(X), before)
    assert sorted(order.tolist()) == list(range(len(nodes)))


# ------------------------------------------------------------------------------------------------------- reduced error


def score_of(model: Any, nodes: TreeNodes, X: np.ndarray, y: np.ndarray) -> float:
    other = pickle.loads(pickle.dumps(model))
    other.tree_ = nodes
    return float(other.score(X, y))


@pytest.mark.parametrize("order", ["best_first", "bottom_up"])
@pytest.mark.parametrize("model", TREES, ids=named)
def test_scores_are_those_of_the_pruned_trees(model: Any, order: Any) -> None:
    model, X, y = fitted(model)
    pruned = reduced_error_pruning(model, X, y, order=order, keep_if="not_worse" if order == "bottom_up" else "better")
    whole = model.tree_
    assert np.isclose(pruned.score_before, model.score(X, y), atol=1e-12)
    assert np.isclose(pruned.score, pruned.tree.score(X, y), atol=1e-12)
    assert pruned.score >= pruned.score_before - 1e-12
    check_nodes(pruned.tree.tree_)
    cut: list[int] = []
    for step in pruned.steps[:12]:
        before = without_descendants(whole, cut)[0]
        after = without_descendants(whole, [*cut, step.node])[0]
        assert np.isclose(step.before, score_of(model, before, X, y), atol=1e-12)
        assert np.isclose(step.after, score_of(model, after, X, y), atol=1e-12)
        assert step.n_removed == len(before) - len(after)
        cut += [step.node] if step.accepted else []
    assert model.tree_ is whole


def as_dict(tree: Any, node: int = 0) -> reference.Tree:
    nodes = tree.tree_
    found: reference.Tree = {"label": tree.classes_[nodes.value[node].argmax()]}
    if nodes.n_children[node]:
        found["asks"] = (int(nodes.feature[node]), float(nodes.threshold[node]))
        found["branches"] = [as_dict(tree, child) for child in nodes.children(node)]
    return found


@pytest.mark.parametrize("keep_if", ["better", "not_worse"])
def test_the_reference_prunes_the_same(keep_if: Any) -> None:
    for seed in range(2):
        model, X, y = fitted(DecisionTreeClassifier(max_depth=4), seed)
        equal = keep_if == "not_worse"
        rows, labels = X.tolist(), y.tolist()
        by_best = reduced_error_pruning(model, X, y, keep_if=keep_if).tree
        assert as_dict(by_best) == reference.best_first(as_dict(model), rows, labels, equal)
        from_below = reduced_error_pruning(model, X, y, order="bottom_up", keep_if=keep_if).tree
        assert as_dict(from_below) == reference.bottom_up(as_dict(model), rows, labels, equal)


def test_nodes_are_tried_in_a_given_order_and_weights_count() -> None:
    model, X, y = fitted(DecisionTreeClassifier())
    inner = np.flatnonzero(~model.tree_.is_leaf)[:4].tolist()
    assert reduced_error_pruning(model, X, y, order=inner[::-1]).steps[0].node == inner[-1]
    often = np.random.default_rng(0).integers(0, 3, len(X))
    again = np.repeat(np.arange(len(X)), often)
    weighted = reduced_error_pruning(model, X, y, sample_weight=often.astype(float))
    assert weighted.removed == reduced_error_pruning(model, X[again], y[again]).removed


def test_several_targets_and_missing_values() -> None:
    X, labels, numbers = noisy(3)
    both = np.column_stack([labels, labels == 1])
    model = DecisionTreeClassifier().fit(X[:120], both[:120])
    pruned = reduced_error_pruning(model, X[120:], both[120:])
    assert np.isclose(pruned.score, pruned.tree.score(X[120:], both[120:]))
    many = DecisionTreeRegressor().fit(X[:120], np.column_stack([numbers, -numbers])[:120])
    found = reduced_error_pruning(many, X[120:], np.column_stack([numbers, -numbers])[120:])
    assert np.isclose(found.score, found.tree.score(X[120:], np.column_stack([numbers, -numbers])[120:]))
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    for model in (C45Classifier(pruning=None), CHAIDClassifier(alpha_split=0.9), DecisionTreeClassifier()):
        pruned = reduced_error_pruning(model.fit(X[:120], labels[:120]), X[120:], labels[120:])
        assert pruned.tree.get_n_leaves() <= model.get_n_leaves()
        pruned.tree.predict(X)


# ------------------------------------------------------------------------------------------------------- other rules


def test_most_frequent_leaf_and_most_frequent_row() -> None:
    """Below the root's right branch: leaves a (10 rows), b (1 row), b (1 row)."""
    X = [[0.0]] * 3 + [[1.0]] * 10 + [[2.0]] + [[3.0]]
    y = ["c"] * 3 + ["a"] * 10 + ["b"] + ["b"]
    tree = ID3Classifier(numbers="categories").fit(X, y)
    by_leaves, by_rows = (majority_leaf_pruning(tree, 0, count_of=one) for one in ("leaves", "rows"))
    assert by_leaves.steps[0].counts == {"a": 1.0, "b": 2.0, "c": 1.0}
    assert by_leaves.tree.predict([[1.0]]).tolist() == ["b"]
    assert by_leaves.tree.predict_proba([[1.0]]).tolist() == [[0.25, 0.5, 0.25]]
    assert by_rows.steps[0].answer == "a" == by_rows.tree.predict([[3.0]])[0]
    assert tree.predict([[3.0]]).tolist() == ["b"]
    numbers = DecisionTreeRegressor().fit([[0.0], [0.0], [1.0]], [1.0, 1.0, 4.0])
    assert majority_leaf_pruning(numbers, 0).tree.predict([[0.0]]).tolist() == [2.5]
    assert majority_leaf_pruning(numbers, [0], count_of="rows").tree.predict([[0.0]]).tolist() == [2.0]


def test_cost_complexity_is_that_of_the_estimator() -> None:
    X, labels, _ = noisy(1)
    path = DecisionTreeClassifier().cost_complexity_pruning_path(X, labels)
    whole = DecisionTreeClassifier().fit(X, labels)
    for alpha in path.ccp_alphas[:: max(len(path.ccp_alphas) // 4, 1)]:
        wanted = DecisionTreeClassifier(ccp_alpha=float(alpha)).fit(X, labels)
        assert len(cost_complexity_pruning(whole, float(alpha)).tree.tree_) == len(wanted.tree_) or alpha == 0
    model, X, y = fitted(DecisionTreeClassifier())
    chosen = cost_complexity_pruning(model, None, X, y)
    assert np.isclose(chosen.score, chosen.tree.score(X, y))
    assert chosen.score == max([chosen.score_before, *(step.after for step in chosen.steps)])
    assert len(cost_complexity_pruning(CHAIDClassifier(alpha_split=0.9).fit(X, y), 10.0).tree.tree_) == 1


def test_what_is_kept_by_node_goes_along() -> None:
    model, X, y = fitted(CHAIDClassifier(alpha_split=0.9))
    pruned = reduced_error_pruning(model, X, y).tree
    assert len(pruned.splits_.statistic) == len(pruned.tree_) < len(model.splits_.statistic)
    c45, X, y = fitted(C45Classifier(pruning=None))
    pruned = reduced_error_pruning(c45, X, y).tree
    assert len(pruned.gain_) == len(pruned.tree_)
    assert np.isnan(pruned.gain_[pruned.tree_.is_leaf]).all()
    assert np.isclose(pruned.feature_importances_.sum(), 1) or len(pruned.tree_) == 1


def test_a_chain_of_a_thousand_tests() -> None:
    x = np.arange(2000.0)
    model = DecisionTreeClassifier().fit(x[:, None], np.arange(2000) % 2)
    pruned = reduced_error_pruning(model, x[:, None], np.zeros(2000))
    assert (pruned.score, len(pruned.tree.tree_)) == (1.0, 1)
    from_below = reduced_error_pruning(model, x[:, None], np.zeros(2000), order="bottom_up", keep_if="not_worse")
    assert (from_below.score, len(from_below.tree.tree_), len(from_below.steps)) == (1.0, 1, 1999)
    listed = reduced_error_pruning(
        model, x[:, None], np.zeros(2000), order=[step.node for step in from_below.steps], keep_if="not_worse"
    )
    assert listed.steps == from_below.steps


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda t, X, y: reduced_error_pruning(t, X, y, order="top_down"), "order must be 'best_first', 'bottom_up'"),
        (lambda t, X, y: reduced_error_pruning(t, X, y, keep_if="same"), "keep_if must be 'better' or 'not_worse'"),
        (lambda t, X, y: reduced_error_pruning(t, X, y, order=[1.5]), "numbers of nodes that have a test"),
        (lambda t, X, y: reduced_error_pruning(t, X, y[:-1]), "rows"),
        (lambda t, X, y: reduced_error_pruning(t, X, np.column_stack([y, y])), "y must be one column of labels; got 2"),
        (lambda t, X, y: reduced_error_pruning(t.tree_, X, y), "needs the estimator with its tree"),
        (lambda t, X, y: majority_leaf_pruning(t, 10**6), "numbers of nodes that have a test"),
        (lambda t, X, y: majority_leaf_pruning(t, 0, count_of="branches"), "count_of must be 'leaves' or 'rows'"),
        (lambda t, X, y: cost_complexity_pruning(t), "needs alpha, or rows held out"),
        (lambda t, X, y: cost_complexity_pruning(t, 0.1, X, y), "got alpha, X, y"),
        (lambda t, X, y: cost_complexity_pruning(t, -1.0), "alpha must be a number of at least 0"),
    ],
)
def test_wrong_questions_are_refused(call: Any, said: str) -> None:
    model, X, y = fitted(DecisionTreeClassifier())
    with pytest.raises((ParameterError, DataError), match=said):
        call(model, X, y)


def test_an_unfitted_tree_is_refused() -> None:
    with pytest.raises(NotFittedError):
        reduced_error_pruning(DecisionTreeClassifier(), [[1.0]], [0])
