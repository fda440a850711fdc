"""Walking through trees: against scikit-learn's walks, by hand for what it does not have, and trees that are none."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from pellucid.base.errors import DataError
from pellucid.data.design import InputSpec, infer_schema
from pellucid.models.tree.answer import answer, apply, decision_path, leaf_weights, row_path
from pellucid.models.tree.nodes import SHARE, STOP, NodeTest, TreeNodes

NEEDS = InputSpec(sparse=True, missing=True, check_finite="never")


def matrix(X):
    return infer_schema(X, NEEDS, "test").matrix


def from_sklearn(tree) -> TreeNodes:
    """Its nodes renumbered so that children stand side by side; and the new number of each."""
    order, number = [0], np.zeros(tree.node_count, dtype=np.int64)
    for node in order:
        if tree.children_left[node] >= 0:
            order += [tree.children_left[node], tree.children_right[node]]
    number[order] = np.arange(len(order))
    left = tree.children_left[order]
    inner = left >= 0
    first = np.where(inner, number[left], -1)
    parent = np.full(len(order), -1)
    parent[first[inner]] = parent[first[inner] + 1] = np.flatnonzero(inner)
    nodes = TreeNodes(
        parent=parent,
        first_child=first,
        n_children=np.where(inner, 2, 0),
        feature=np.where(inner, tree.feature[order], -1),
        test=np.where(inner, NodeTest.AT_MOST, NodeTest.LEAF),
        missing_child=np.where(tree.missing_go_to_left[order].astype(bool), 0, 1),
        threshold=np.where(inner, tree.threshold[order], np.nan),
        n_rows=tree.n_node_samples[order],
        weight=tree.weighted_n_node_samples[order],
        impurity=tree.impurity[order],
        value=tree.value[order].reshape(len(order), -1) * tree.weighted_n_node_samples[order][:, None],
    )
    return nodes, number


@pytest.fixture(scope="module")
def grown():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1], nan=1) + 0.5 * rng.normal(size=3000) > 0).astype(int)
    y += rng.random(3000) < 0.1
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    return X, model, *from_sklearn(model.tree_)


@pytest.mark.parametrize("layout", ["float32", "float64", "F", "reversed", "list", "csr"])
def test_walks_as_scikit_learn_does(grown, layout):
    X, model, nodes, number = grown
    table = {
        "float32": X,
        "float64": X.astype(np.float64),
        "F": np.asfortranarray(X),
        "reversed": X[::-1].copy()[::-1],
        "list": X.tolist(),
        "csr": sparse.csr_matrix(X.astype(np.float64)),
    }[layout]
    at = apply(nodes, matrix(table), 2)
    assert at.dtype == np.int32
    np.testing.assert_array_equal(at, number[model.apply(X)])
    np.testing.assert_allclose(answer(nodes, matrix(table), 2, [3]), model.predict_proba(X), rtol=1e-14)
    theirs = model.decision_path(X)
    ours = decision_path(nodes, matrix(table), 3)
    np.testing.assert_array_equal(ours.toarray()[:, number], theirs.toarray())
    np.testing.assert_array_equal(np.diff(ours.indptr), np.diff(theirs.indptr))


def test_scikit_learns_names_for_the_parts_of_a_tree(grown):
    _, model, nodes, number = grown
    theirs = model.tree_
    for name in ("node_count", "max_depth", "n_leaves"):
        assert getattr(nodes, name) == getattr(theirs, name)
    assert nodes.capacity == nodes.node_count
    np.testing.assert_array_equal(nodes.n_node_samples[number], theirs.n_node_samples)
    np.testing.assert_array_equal(nodes.weighted_n_node_samples[number], theirs.weighted_n_node_samples)
    for name in ("children_left", "children_right"):
        want = getattr(theirs, name)
        np.testing.assert_array_equal(getattr(nodes, name)[number], np.where(want >= 0, number[want], -1))
    np.testing.assert_allclose(nodes.compute_feature_importances(n_features=6), model.feature_importances_, rtol=1e-12)
    np.testing.assert_allclose(
        nodes.compute_feature_importances(normalize=False), theirs.compute_feature_importances(normalize=False)
    )


def test_a_regression_tree_of_several_targets():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(200, 3)).astype(np.float32), rng.normal(size=(200, 2))
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, Y)
    nodes, _ = from_sklearn(model.tree_)
    nodes = replace(nodes, value=nodes.value / nodes.weight[:, None])
    np.testing.assert_allclose(answer(nodes, matrix(X)), model.predict(X), rtol=1e-14)


def small(missing: int, **changed) -> TreeNodes:
    """x0 <= 1.5 parts node 1 (weight 6, classes 5 and 1) from node 2, where x1 takes one of three branches."""
    parts = {
        "parent": [-1, 0, 0, 2, 2, 2],
        "first_child": [1, -1, 3, -1, -1, -1],
        "n_children": [2, 0, 3, 0, 0, 0],
        "feature": [0, -1, 1, -1, -1, -1],
        "test": [NodeTest.AT_MOST, 0, NodeTest.CATEGORIES, 0, 0, 0],
        "missing_child": [missing, STOP, missing, STOP, STOP, STOP],
        "threshold": [1.5, np.nan, np.nan, np.nan, np.nan, np.nan],
        "n_rows": [10, 6, 4, 2, 1, 1],
        "weight": [10.0, 6.0, 4.0, 2.0, 1.0, 1.0],
        "impurity": [0.0] * 6,
        "value": [[6, 4], [5, 1], [1, 3], [1, 1], [0, 1], [0, 1]],
        "table_start": [0, 0, 0, 4, 4, 4, 4],
        "table": [2, 0, -1, 1],
    }
    return TreeNodes(**{name: np.asarray(value) for name, value in (parts | changed).items()})


def test_a_missing_value_takes_the_branch_of_missing_values():
    rows = matrix(np.array([[1.0, 0], [2, 0], [2, 1], [2, 2], [2, 3], [2, 4], [2, -1], [2, 0.5], [np.nan, 3]]))
    assert apply(small(0), rows).tolist() == [1, 5, 3, 3, 4, 3, 3, 3, 1]
    assert row_path(small(1), rows, 8) == [(0, 1), (2, 1), (4, STOP)]


def test_a_missing_value_may_end_the_walk():
    rows = matrix(np.array([[np.nan, 0], [2, np.nan], [2, 2], [1, np.nan]]))
    assert apply(small(STOP), rows).tolist() == [0, 2, 2, 1]
    np.testing.assert_array_equal(
        answer(small(STOP), rows, 1, [2]), [[0.6, 0.4], [0.25, 0.75], [0.25, 0.75], [5 / 6, 1 / 6]]
    )
    assert row_path(small(STOP), rows, 1) == [(0, 1), (2, STOP)]


def test_a_missing_value_may_be_shared_out():
    # Row 0: 6/10 to node 1, 4/10 to node 2 and on to node 5. Row 1: 2/4, 1/4, 1/4 of node 2's children. Row 2: both.
    rows = matrix(np.array([[np.nan, 0], [2, np.nan], [np.nan, np.nan], [1, np.nan]]))
    want = [
        [0.6 * 5 / 6, 0.6 / 6 + 0.4],
        [0.5 * 0.5, 0.5 * 0.5 + 0.5],
        [0.5 + 0.4 * 0.25, 0.1 + 0.4 * 0.75],
        [5 / 6, 1 / 6],
    ]
    nodes = small(SHARE)
    np.testing.assert_allclose(answer(nodes, rows, 2, [2]), want, rtol=1e-14)
    np.testing.assert_allclose(
        leaf_weights(nodes, rows).toarray(),
        [[0, 0.6, 0, 0, 0, 0.4], [0, 0, 0, 0.5, 0.25, 0.25], [0, 0.6, 0, 0.2, 0.1, 0.1], [0, 1, 0, 0, 0, 0]],
    )
    assert apply(nodes, rows).tolist() == [1, 3, 1, 1]
    assert row_path(nodes, rows, 0) == [(0, SHARE), (1, STOP), (2, 2), (5, STOP)]
    # Means of a regression tree are mixed as they are.
    np.testing.assert_allclose(answer(nodes, rows)[1], [0.5, 0.5 + 0.25 + 0.25])


def test_a_pickled_tree_answers_alike():
    rows = matrix(np.array([[1.0, 0], [2, 3]]))
    nodes = pickle.loads(pickle.dumps(small(SHARE)))
    np.testing.assert_array_equal(answer(nodes, rows), answer(small(SHARE), rows))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"first_child": [0, -1, 3, -1, -1, -1]}, "children must come after their parent"),
        ({"first_child": [2**31 - 1, -1, 3, -1, -1, -1]}, "children must come after their parent"),
        ({"feature": [0, -1, 2, -1, -1, -1]}, "a node asks a column that is not there"),
        ({"test": [77, 0, 4, 0, 0, 0]}, "no test that is known"),
        ({"table": [2, 0, -1, 3]}, "a category takes a branch that is not there"),
        ({"table": [2, 0]}, "tables of categories do not fit"),
        ({"weight": [1.0]}, "differ in length"),
        ({"parent": []}, "it has no node"),
        ({"missing_child": [5, -2, 0, -2, -2, -2]}, "missing values take a branch that is not there"),
    ],
)
def test_what_is_no_tree_is_refused(changed, said):
    with pytest.raises(DataError, match=f"TreeNodes: this is no tree for a table of 2 columns; .*{said}"):
        apply(small(0, **changed), matrix(np.zeros((3, 2))))


def test_random_numbers_for_a_tree_never_crash():
    rng = np.random.default_rng(3)
    good, rows = small(SHARE), matrix(rng.normal(size=(40, 2)))
    names = [f.name for f in fields(TreeNodes) if len(getattr(good, f.name)) > 0]
    refused = 0
    for _ in range(2000):
        name = rng.choice(names)
        array = getattr(good, name).copy()
        array.flat[rng.integers(array.size)] = rng.choice([-(2**31), -3, -1, 0, 1, 2, 6, 255, 2**31 - 1])
        spoiled = replace(good, **{name: array})
        try:
            answer(spoiled, rows, 1, [2])
            decision_path(spoiled, rows)
        except DataError:
            refused += 1
    assert 500 < refused < 1999


def test_left_and_right_are_for_two_branches():
    with pytest.raises(DataError, match="TreeNodes: left and right are for tests with two branches; node 2 has 3"):
        _ = small(0).children_left


def test_an_empty_table_and_a_tree_of_one_node():
    stump = TreeNodes.of(
        {f.name: getattr(small(0), f.name)[:1] for f in fields(TreeNodes)}
        | {"n_children": np.array([0]), "test": np.array([0]), "feature": np.array([-1])}
        | {"table_start": np.array([]), "table": np.array([])}
    )
    assert apply(stump, matrix(np.zeros((3, 2)))).tolist() == [0, 0, 0]
    assert stump.compute_feature_importances(n_features=2).tolist() == [0, 0]
    assert stump.compute_feature_importances().tolist() == []
