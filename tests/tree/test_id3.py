"""ID3: against its reference, its four rules of construction, and odd tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError
from pellucid.reference import id3 as reference
from pellucid.tree import ID3Classifier


def random_table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes with gaps, three classes, weights of quarters."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 60)), int(rng.integers(1, 6))
    X = rng.integers(0, rng.integers(2, 5), size=(n, p)).astype(float)
    X[rng.random((n, p)) < rng.choice([0.0, 0.15])] = np.nan
    y = (np.nan_to_num(X[:, 0]).astype(int) + rng.integers(0, 2, n)) % 3
    return X, y, rng.integers(1, 8, n) / 4


def same(tree: Any, node: int, want: reference.Node) -> None:
    """The same tests, gains and class weights, node by node."""
    np.testing.assert_allclose(tree.tree_.value[node], want.value, rtol=1e-9)
    assert int(tree.tree_.n_children[node]) == len(want.children)
    if not want.children:
        return
    assert int(tree.tree_.feature[node]) == want.feature
    assert tree.gain_[node] == pytest.approx(want.gain, abs=1e-9)
    for place, child in enumerate(tree.tree_.children(node)):
        codes = tree.tree_.codes_of(node, place)
        assert codes == sorted(code for code, at in want.branch.items() if at == place)
        same(tree, child, want.children[place])


def test_the_kernel_grows_the_tree_of_the_reference() -> None:
    for seed in range(60):
        X, y, w = random_table(seed)
        labels, codes = np.unique(y, return_inverse=True)
        told = {"max_depth": [None, 1, 3][seed % 3], "min_gain": [0.0, 0.05][seed % 2]}
        limits = {"max_depth": told["max_depth"] or np.inf, "min_gain": told["min_gain"]}
        model = ID3Classifier(categorical_features=range(X.shape[1]), min_samples_split=2, **told).fit(X, y, w)
        want = reference.grow(X, codes, w, len(labels), **limits)
        same(model, 0, want)
        asked = np.vstack([X, np.full(X.shape[1], np.nan), np.full(X.shape[1], 9.0)])
        answers = np.array([reference.answer(want, row) for row in asked])
        np.testing.assert_allclose(model.predict_proba(asked), answers, rtol=1e-9)


def test_a_gain_of_zero_is_no_reason_to_stop() -> None:
    X = [["a", "a"], ["a", "b"], ["b", "a"], ["b", "b"]]
    model = ID3Classifier().fit(X, [0, 1, 1, 0])
    assert model.predict(X).tolist() == [0, 1, 1, 0]
    assert model.gain_[0] == pytest.approx(0.0, abs=1e-12)
    assert ID3Classifier(min_gain=1e-6).fit(X, [0, 1, 1, 0]).get_n_leaves() == 1


def test_the_four_rules() -> None:
    X = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "x"], ["b", "x"], ["b", "x"], ["c", "z"], ["c", "z"]]
    y = ["no", "no", "no", "yes", "yes", "no", "yes", "no"]
    model = ID3Classifier().fit(X, y)
    tree = model.tree_
    a, b, c = tree.children(0)
    assert tree.feature[0] == 0
    assert tree.is_leaf[[a, b, c]].all()  # a is pure; b and c have no column left that parts them
    assert model.predict([["a", "z"], ["b", "y"]]).tolist() == ["no", "yes"]
    assert model.predict_proba([["c", "z"]]).tolist() == [[0.5, 0.5]]


def test_an_empty_branch_answers_with_the_majority_of_its_parent() -> None:
    X = [["a", "x"], ["a", "y"], ["a", "x"], ["a", "x"], ["b", "z"], ["b", "z"]]
    y = ["no", "yes", "no", "no", "yes", "yes"]
    model = ID3Classifier().fit(X, y)
    assert model.tree_.feature[0] == 1  # x: no, y: yes, z: yes
    X = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "z"], ["b", "z"], ["b", "z"], ["a", "x"], ["b", "z"]]
    y = [0, 0, 1, 2, 2, 2, 0, 3]
    model = ID3Classifier(categorical_features=None).fit(np.array(X)[:, ::-1], y)
    empty = np.flatnonzero(model.tree_.weight == 0)
    for node in empty:
        parent = model.tree_.parent[node]
        np.testing.assert_array_equal(model.tree_.value[node], model.tree_.value[parent])


def test_of_equal_gains_the_first_column_is_asked() -> None:
    X = [["a", "a"], ["b", "b"], ["a", "a"], ["b", "b"]]
    assert ID3Classifier().fit(X, [0, 1, 0, 1]).tree_.feature[0] == 0


def test_what_is_missing_or_was_never_seen_stops_at_the_node() -> None:
    X = pd.DataFrame({"sky": ["sun", "sun", "rain", None], "wind": ["calm", "windy", "calm", "windy"]})
    model = ID3Classifier().fit(X, ["out", "out", "in", "in"])
    asked = pd.DataFrame({"sky": [None, "fog", "sun"], "wind": ["calm", "calm", None]})
    assert model.predict_proba(asked).tolist() == [[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]]
    # The gain among the three days with a sky is H(1/3) bits, and they are three of four.
    third = -(1 / 3 * np.log2(1 / 3) + 2 / 3 * np.log2(2 / 3))
    assert model.gain_[0] == pytest.approx(0.75 * third)


def test_numbers_are_refused_unless_they_are_codes_or_categories() -> None:
    X = pd.DataFrame({"sky": ["sun", "rain", "sun"], "degrees": [21.5, 14.0, 14.0]})
    y = ["out", "in", "in"]
    with pytest.raises(DataError) as caught:
        ID3Classifier().fit(X, y)
    assert str(caught.value).startswith("ID3Classifier: columns must hold categories; column 'degrees' holds numbers.")
    assert "C45Classifier" in str(caught.value)
    model = ID3Classifier(numbers="categories").fit(X, y)
    assert model.schema_.categories[1] == (14, 21.5)
    assert model.predict(X).tolist() == y
    same_as_array = ID3Classifier(numbers="categories").fit(X[["degrees"]].to_numpy(), y)
    assert same_as_array.predict([[21.5], [14.0]]).tolist() == ["out", "in"]
    assert same_as_array.predict_proba([[15.0], [np.nan]]).tolist() == [[2 / 3, 1 / 3]] * 2
    with pytest.raises(DataError, match="whole numbers from 0"):
        ID3Classifier(categorical_features=["degrees"]).fit(X, y)


def test_flags_are_categories() -> None:
    flags = np.array([[True, False], [True, True], [False, False], [False, True]])
    for X in (flags, pd.DataFrame(flags, columns=["a", "b"])):
        model = ID3Classifier().fit(X, [1, 1, 0, 0])
        assert model.predict(X).tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize("weights", [[1.0] * 4, [1e300] * 4, [1e-300] * 4])
def test_weights_of_any_size(weights: list[float]) -> None:
    X = [["a"], ["a"], ["b"], ["b"]]
    model = ID3Classifier(min_samples_split=0).fit(X, [0, 0, 1, 0], weights)
    assert model.predict_proba([["b"]]).tolist() == [[0.5, 0.5]]
    assert model.tree_.weight[0] == pytest.approx(4 * weights[0])


def test_one_class_one_row_and_identical_rows() -> None:
    assert ID3Classifier().fit([["a"]], ["x"]).predict([["b"]]).tolist() == ["x"]
    model = ID3Classifier().fit([["a"], ["a"], ["a"]], ["x", "y", "y"])
    assert model.get_n_leaves() == 1
    assert model.predict([["a"]]).tolist() == ["y"]
    missing = pd.DataFrame({"a": pd.Series([None, None, None], dtype=object)})
    assert ID3Classifier().fit(missing, [0, 1, 1]).get_n_leaves() == 1


def test_a_hundred_thousand_categories() -> None:
    codes = np.arange(100_000.0).reshape(-1, 1)
    y = (np.arange(100_000) % 7 == 0).astype(int)
    model = ID3Classifier(categorical_features=[0]).fit(codes, y)
    assert model.get_n_leaves() == 100_000
    assert model.score(codes, y) == 1.0
