"""C4.5: against its reference, trees that Weka's J48 is known for, cases in parts, and odd tables."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from pellucid.base.errors import ParameterError, PellucidWarning
from pellucid.models.tree.words import Words
from pellucid.reference import c45 as reference
from pellucid.tree import C45Classifier

# -------------------------------------------------------------------------------------------------------- the reference

# Settings of the estimator, and the same for the reference.
SETTINGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"pruning": None, "collapse": False}, {}),
    ({"binary_splits": True}, {"binary": True}),
    (
        {"min_samples_leaf": 1, "mean_gain": False, "min_cut_share": 0},
        {"min_leaf": 1, "mean_gain": False, "min_cut_share": 0.0},
    ),
    (
        {"criterion": "gain", "threshold": "midpoint", "max_depth": 3},
        {"criterion": "gain", "midpoint": True, "max_depth": 3},
    ),
    (
        {"mdl_correction": False, "cut_criterion": "gain_ratio", "min_case_weight": 0},
        {"mdl": False, "cut_criterion": "gain_ratio", "min_case": 0.0},
    ),
    ({"subtree_raising": False, "confidence": 0.1}, {"raising": False, "confidence": 0.1}),
    ({"confidence": 0.45, "min_samples_leaf": 1}, {"confidence": 0.45, "min_leaf": 1}),
]


def random_table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, ...]]:
    """Numbers and codes with gaps, up to four classes, weights of quarters; and how many categories each column has."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(2, 90)), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    levels = tuple(int(v) for v in rng.choice([0, 0, 2, 4], size=p))
    X = np.column_stack([rng.integers(0, v, n) if v else np.round(4 * rng.normal(size=n)) / 4 for v in levels])
    X = X.astype(float)
    y = ((np.nan_to_num(X).sum(axis=1) > 1) + rng.integers(0, k, n) * (rng.random(n) < 0.4)).astype(int) % k
    X[rng.random(X.shape) < rng.choice([0.0, 0.2])] = np.nan
    w = rng.integers(1, 8, n) / 4 if seed % 2 else np.ones(n)
    return X, y, w, levels


def same(model: C45Classifier, node: int, want: reference.Node, grower: reference.C45) -> None:
    """The same tests and class weights, node by node."""
    tree = model.tree_
    if want.total > 0:
        np.testing.assert_allclose(tree.value[node], want.value, rtol=1e-9, atol=1e-9)
        assert tree.n_rows[node] == len(want.rows)
    else:
        np.testing.assert_array_equal(tree.value[node], tree.value[tree.parent[node]])
    assert int(tree.n_children[node]) == len(want.children)
    if not want.children:
        return
    assert int(tree.feature[node]) == want.feature
    assert model.gain_[node] == pytest.approx(want.gain, abs=1e-9)
    assert model.split_info_[node] == pytest.approx(want.info, abs=1e-9)
    if not want.branch:
        assert tree.threshold[node] == want.threshold
    for place, child in enumerate(tree.children(node)):
        same(model, child, want.children[place], grower)


@pytest.mark.parametrize("place", range(len(SETTINGS)))
def test_the_kernel_grows_and_prunes_like_the_reference(place: int) -> None:
    ours, rules = SETTINGS[place]
    for seed in range(40):
        X, y, w, levels = random_table(100 * place + seed)
        listed = [j for j, v in enumerate(levels) if v]
        # The kernel counts the categories that it is shown.
        sizes = tuple(int(np.nanmax(X[:, j], initial=0)) + 1 if v else 0 for j, v in enumerate(levels))
        labels, codes = np.unique(y, return_inverse=True)
        model = C45Classifier(**ours, categorical_features=listed).fit(X, y, w)
        grower = reference.C45(X, codes, w, len(labels), reference.Rules(categories=sizes, **rules))
        want = grower.grow()
        if ours.get("collapse", True):
            grower.collapse(want)
        if ours.get("pruning", "error"):
            grower.prune(want)
        same(model, 0, want, grower)
        asked = np.vstack([X, np.full(X.shape[1], np.nan)])
        answers = np.array([grower.answer(want, row) for row in asked])
        np.testing.assert_allclose(model.predict_proba(asked), answers, atol=1e-9)


def test_costs_choose_like_the_reference() -> None:
    for seed in range(30):
        X, y, w, levels = random_table(seed)
        costs = tuple(float(c) for c in np.random.default_rng(seed).uniform(0.5, 4, X.shape[1]))
        sizes = tuple(int(np.nanmax(X[:, j], initial=0)) + 1 if v else 0 for j, v in enumerate(levels))
        labels, codes = np.unique(y, return_inverse=True)
        rule, power = [("quadratic", 1.0), ("exponential", 0.5)][seed % 2]
        told = {"costs": list(costs), "cost_rule": rule, "cost_weight": power, "mean_gain": False, "pruning": None}
        listed = [j for j, v in enumerate(levels) if v]
        model = C45Classifier(**told, collapse=False, categorical_features=listed).fit(X, y, w)
        given = {"costs": costs, "cost_rule": rule, "cost_weight": power, "mean_gain": False}
        grower = reference.C45(X, codes, w, len(labels), reference.Rules(categories=sizes, **given))
        same(model, 0, grower.grow(), grower)


# ------------------------------------------------------------------------------------------------------ published trees

OUTLOOK = [
    "sunny",
    "sunny",
    "overcast",
    "rainy",
    "rainy",
    "rainy",
    "overcast",
    "sunny",
    "sunny",
    "rainy",
    "sunny",
    "overcast",
    "overcast",
    "rainy",
]
DEGREES = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91]
WINDY = [False, True, False, False, False, True, True, False, False, False, True, True, False, True]
PLAY = ["no", "no", "yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]


def leaves(model: C45Classifier, names: list[str]) -> dict[str, tuple[str, float, float]]:
    """Way -> (class, cases, of them wrong), as J48 prints a tree."""
    tree, found = model.tree_, {}
    words = Words(names, model.schema_.categories)
    for leaf in np.flatnonzero(tree.is_leaf).tolist():
        way = tree.way(leaf)
        said = " & ".join(words.condition(tree, a, tree.branch(b)) for a, b in pairwise(way))
        cases = float(tree.weight[leaf])
        found[said] = (str(model.classes_[tree.value[leaf].argmax()]), cases, cases - float(tree.value[leaf].max()))
    return found


def test_the_weather_has_the_tree_of_j48() -> None:
    X = pd.DataFrame({"outlook": OUTLOOK, "degrees": DEGREES, "humidity": HUMIDITY, "windy": [str(v) for v in WINDY]})
    model = C45Classifier().fit(X, PLAY)
    assert leaves(model, list(X)) == {
        "outlook = overcast": ("yes", 4, 0),
        "outlook = rainy & windy = False": ("yes", 3, 0),
        "outlook = rainy & windy = True": ("no", 2, 0),
        "outlook = sunny & humidity <= 75": ("yes", 2, 0),
        "outlook = sunny & humidity > 75": ("no", 3, 0),
    }


def test_iris_has_the_tree_of_j48() -> None:
    iris = load_iris()
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    model = C45Classifier().fit(pd.DataFrame(iris.data, columns=names), iris.target_names[iris.target])
    assert {" & ".join(way.split(" & ")[1:]) or way: leaf for way, leaf in leaves(model, names).items()} == {
        "petal width <= 0.6": ("setosa", 50, 0),
        "petal width <= 1.7 & petal length <= 4.9": ("versicolor", 48, 1),
        "petal width <= 1.7 & petal length > 4.9 & petal width <= 1.5": ("virginica", 3, 0),
        "petal width <= 1.7 & petal length > 4.9 & petal width > 1.5": ("versicolor", 3, 1),
        "petal width > 1.7": ("virginica", 46, 1),
    }


def test_expected_errors_are_those_of_the_book() -> None:
    """Quinlan 1993, ch. 4: three leaves of 6, 9 and 1 cases without error are expected to make 3.273 errors."""
    sizes = (6, 9, 1)
    assert sum(reference.expected_errors(n, 0, 0.25) for n in sizes) == pytest.approx(3.273, abs=2e-3)
    assert reference.expected_errors(16, 1, 0.25) == pytest.approx(16 * 0.157, abs=0.06)  # a coarser approximation


# ------------------------------------------------------------------------------------------------------- cases in parts


def test_a_missing_value_is_dealt_out_by_the_known_cases() -> None:
    X = pd.DataFrame({"a": ["u"] * 3 + ["v"] * 5 + [None]})
    y = ["p"] * 3 + ["q"] * 5 + ["q"]
    model = C45Classifier(pruning=None).fit(X, y)
    tree = model.tree_
    np.testing.assert_allclose(tree.weight, [9, 3 + 3 / 8, 5 + 5 / 8])
    np.testing.assert_allclose(tree.value[1:], [[3, 3 / 8], [0, 5 + 5 / 8]])
    # Eight cases are known: their gain, H(3/8), counts for eight of nine; the unknown one is a branch of its own.
    known = -(3 / 8 * np.log2(3 / 8) + 5 / 8 * np.log2(5 / 8))
    assert model.gain_[0] == pytest.approx(known * 8 / 9)
    shares = np.array([3, 5, 1]) / 9
    assert model.split_info_[0] == pytest.approx(-(shares * np.log2(shares)).sum())
    # A row without a value gets the mixture of both leaves; so does a category that was never seen.
    mixture = [(3 + 3 / 8) / 9 * 3 / (3 + 3 / 8), 0.0]
    mixture[1] = 1 - mixture[0]
    asked = pd.DataFrame({"a": [None, "w"]})
    np.testing.assert_allclose(model.predict_proba(asked), [mixture, mixture])


def test_tiny_parts_of_a_case_are_dropped() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 12))
    y = (np.nan_to_num(X[:, :4]).sum(axis=1) > 0).astype(int)
    X[rng.random(X.shape) < 0.5] = np.nan
    told = {"pruning": None, "min_samples_leaf": 1, "min_cut_share": 0, "mdl_correction": False}
    few = C45Classifier(**told, min_case_weight=0.1).fit(X, y)
    more = C45Classifier(**told, min_case_weight=0.02).fit(X, y)
    inner = ~few.tree_.is_leaf
    below = np.bincount(few.tree_.parent[1:], weights=few.tree_.weight[1:], minlength=len(few.tree_))
    assert (below[inner] <= few.tree_.weight[inner] + 1e-9).all()
    assert few.tree_.n_rows.sum() < more.tree_.n_rows.sum()


# -------------------------------------------------------------------------------------------------------------- options


def test_the_threshold_is_a_value_or_the_midpoint() -> None:
    X, y = [[1.0], [2.0], [3.0], [7.0], [8.0], [9.0]], [0, 0, 0, 1, 1, 1]
    assert C45Classifier().fit(X, y).tree_.threshold[0] == 3.0
    assert C45Classifier(threshold="midpoint").fit(X, y).tree_.threshold[0] == 5.0
    # The largest value of the whole column that is not above the midpoint, though another branch has it.
    X = [[1, 0], [2, 0], [8, 0], [9, 0], [4, 1], [4, 1], [4, 1], [4, 1]]
    y = [0, 0, 1, 1, 2, 2, 2, 2]
    model = C45Classifier(mean_gain=False, criterion="gain").fit(X, y)
    assert set(model.tree_.threshold[~model.tree_.is_leaf].tolist()) == {0.0, 4.0}


def test_probabilities_by_laplace() -> None:
    X, y = [["a"]] * 3 + [["b"]] * 3, ["p"] * 3 + ["q"] * 3
    model = C45Classifier(laplace=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([["a"]]), [[4 / 5, 1 / 5]])


def test_reduced_error_pruning_asks_rows_that_were_held_out() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(300) < 0.2)
    told = {"min_samples_leaf": 1, "min_cut_share": 0, "mdl_correction": False, "random_state": 0}
    grown = C45Classifier(**told, pruning=None, collapse=False).fit(X, y)
    pruned = C45Classifier(**told, pruning="reduced_error").fit(X, y)
    assert pruned.tree_.weight[0] == 200
    assert pruned.get_n_leaves() < grown.get_n_leaves() / 3
    again = C45Classifier(**told, pruning="reduced_error").fit(X, y)
    np.testing.assert_array_equal(again.tree_.value, pruned.tree_.value)
    for rows in (1, 2, 3):  # too few to hold any out
        assert C45Classifier(pruning="reduced_error").fit(X[:rows], y[:rows]).get_n_leaves() == 1


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"costs": [1.0]}, "one number a column"),
        ({"costs": [1.0, 0.0]}, "above zero"),
        ({"costs": [1.0, -1.0], "cost_rule": "exponential"}, "of zero or more"),
        ({"costs": "cheap"}, "finite numbers above zero"),
        ({"costs": {"height": 2.0}}, "no column 'height'"),
        ({"confidence": 0.6}, "confidence must be"),
        ({"validation_fraction": 1.0}, "validation_fraction must be"),
        ({"pruning": "yes"}, "pruning must be"),
    ],
)
def test_wrong_settings_are_named(told: dict[str, Any], words: str) -> None:
    X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 1, 2, 2]})
    with pytest.raises(ParameterError, match=words):
        C45Classifier(**told).fit(X, [0, 0, 1, 1])


def test_weights_that_sum_to_one_are_one_row() -> None:
    X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    with pytest.warns(PellucidWarning, match="sum to at least two leaves"):
        assert C45Classifier().fit(X, y, [0.25] * 4).get_n_leaves() == 1
    assert C45Classifier(min_samples_leaf=0.5, pruning=None).fit(X, y, [0.25] * 4).get_n_leaves() == 2


# ----------------------------------------------------------------------------------------------------------- odd tables


def test_odd_tables() -> None:
    assert C45Classifier().fit([[1.0]], ["x"]).predict([[np.nan]]).tolist() == ["x"]
    alike = C45Classifier().fit([[1.0]] * 5, [0, 0, 1, 1, 1])
    assert alike.get_n_leaves() == 1
    assert alike.predict_proba([[1.0]]).tolist() == [[0.4, 0.6]]
    gaps = C45Classifier().fit([[np.nan, v] for v in (1, 1, 2, 2)], [0, 0, 1, 1])
    assert gaps.predict([[7.0, 2.0]]).tolist() == [1]
    far = C45Classifier().fit([[-1e308], [-1e308], [1e308], [1e308]], [0, 0, 1, 1])
    assert far.tree_.threshold[0] in (-1e308, 0.0)
    assert far.predict([[-1e308], [1e308]]).tolist() == [0, 1]
    zeros = C45Classifier(min_samples_leaf=1).fit([[0.0], [-0.0], [0.0], [-0.0]], [0, 1, 0, 1])
    assert zeros.get_n_leaves() == 1  # one number, whatever its sign


def test_float32_values_that_collide_are_one_value() -> None:
    X = np.array([[16_777_216.0], [16_777_217.0], [16_777_218.0], [16_777_219.0]])
    y = [0, 1, 1, 1]
    told = {"min_samples_leaf": 1, "mdl_correction": False, "pruning": None, "min_cut_share": 0}
    assert C45Classifier(**told).fit(X, y).score(X, y) == 1.0
    single = X.astype(np.float32)
    assert len(np.unique(single)) == 3
    assert C45Classifier(**told).fit(single, y).score(single, y) == 0.75


@pytest.mark.parametrize("scale", [1e250, 1e-250])
def test_weights_far_out(scale: float) -> None:
    X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    told = {"min_cut_share": 0, "mdl_correction": False, "pruning": None, "collapse": False}
    model = C45Classifier(**told, min_samples_leaf=2 * scale).fit(X, y, np.full(4, scale))
    assert model.get_n_leaves() == 2
    assert model.tree_.weight[0] == pytest.approx(4 * scale)


def test_many_categories_and_a_deep_chain() -> None:
    codes = np.arange(100_000.0).reshape(-1, 1) // 3
    y = (codes[:, 0] % 2).astype(int)
    model = C45Classifier(categorical_features=[0]).fit(codes, y)
    assert model.score(codes, y) == 1.0
    X = np.arange(1000.0).reshape(-1, 1)
    told = {"min_samples_leaf": 1, "min_cut_share": 0, "mdl_correction": False, "collapse": False}
    chain = C45Classifier(**told, pruning=None).fit(X, np.arange(1000) % 2)
    assert chain.get_depth() > 400
    assert chain.score(X, np.arange(1000) % 2) == 1.0
    assert C45Classifier(**told).fit(X, np.arange(1000) % 2).get_n_leaves() < chain.get_n_leaves()
