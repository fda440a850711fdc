"""Trees as text: scikit-learn's own text where it has one; multiway, sets and intervals by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as TheirClassifier
from sklearn.tree import DecisionTreeRegressor as TheirRegressor
from sklearn.tree import export_text as their_text

from pellucid.base.errors import NotFittedError, ParameterError
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

from .made import made

PLAY = made(
    (
        0,
        "of",
        [0, 1, 2],
        [
            (1, "in", [0, 3], [[9.0, 0.0], [1.0, 5.0]]),
            [0.0, 4.0],
            (2, "cuts", [3.0, 6.5], [[2.0, 1.0], [0.0, 3.0], [0.0, 0.0]]),
        ],
    )
)


def named(nodes: object) -> SimpleNamespace:
    categories = {0: ("sun", "rain", "fog"), 1: ("north", "east", "south", "west")}
    schema = SimpleNamespace(names=("outlook", "wind", "hours"), categories=categories)
    return SimpleNamespace(tree_=nodes, schema_=schema, classes_=np.array(["play", "stay"]), n_features_in_=3)


def test_every_kind_of_branch_has_its_line() -> None:
    assert export_text(named(PLAY)) == (
        "|--- outlook = sun\n"
        "|   |--- wind in {north, west}\n"
        "|   |   |--- class: play\n"
        "|   |--- wind in {east, south}\n"
        "|   |   |--- class: stay\n"
        "|--- outlook = rain\n"
        "|   |--- class: stay\n"
        "|--- outlook = fog\n"
        "|   |--- hours <= 3.00\n"
        "|   |   |--- class: play\n"
        "|   |--- 3.00 < hours <= 6.50\n"
        "|   |   |--- class: stay\n"
        "|   |--- hours > 6.50\n"
        "|   |   |--- class: stay\n"  # no row came there: as its parent, of which 2 are play and 4 stay
    )


def test_compact_form() -> None:
    assert export_text(named(PLAY), style="compact", spacing=2, decimals=1) == (
        "outlook = sun\n"
        "|  wind in {north, west}: play (9)\n"
        "|  wind in {east, south}: stay (5 of 6)\n"
        "outlook = rain: stay (4)\n"
        "outlook = fog\n"
        "|  hours <= 3.0: play (2 of 3)\n"
        "|  3.0 < hours <= 6.5: stay (3)\n"
        "|  hours > 6.5: stay (0)\n"
    )
    cut = export_text(named(PLAY), style="compact", max_depth=0)
    assert cut.splitlines()[0] == "outlook = sun: play (10 of 15) ... 2 deeper"
    assert export_text(made([3.0, 5.0]), style="compact", class_names=["no", "yes"]) == "yes (5 of 8)\n"
    assert export_text(made(4.5)) == "|--- value: [4.50]\n"


def test_codes_without_names_are_not_listed_beyond_the_set() -> None:
    nodes = made((0, "in", [1, 4], [[1.0, 0.0], [0.0, 1.0]], 1))
    assert export_text(nodes, missing=True).splitlines()[::2] == [
        "|--- feature_0 in {1, 4}",
        "|--- feature_0 not in {1, 4} or missing",
    ]


def test_small_numbers_do_not_look_like_zero() -> None:
    nodes = made((0, "<=", 1.25e-7, [[1.0, 0.0], (0, "<", 0.0, [[1.0, 0.0], [0.0, 1.0]])]))
    text = export_text(nodes, class_names=["a", "b"])
    assert "feature_0 <= 1.25e-07" in text
    assert "feature_0 < 0.00" in text
    assert "feature_0 >= 0.00" in text


def spec_of(tree: Any, node: int = 0) -> Any:
    """One of scikit-learn's trees, as `made` takes it."""
    left, right = tree.children_left[node], tree.children_right[node]
    if left < 0:
        value = tree.value[node][0]
        return (value * tree.weighted_n_node_samples[node]).tolist() if len(value) > 1 else float(value[0])
    return (tree.feature[node], "<=", tree.threshold[node], [spec_of(tree, left), spec_of(tree, right)])


@pytest.mark.parametrize("options", [{}, {"max_depth": 2, "spacing": 5, "decimals": 4}, {"show_weights": True}])
def test_as_scikit_learn_writes_it(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X, weight = np.round(rng.normal(size=(120, 4)), 3), rng.integers(1, 4, 120)
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    theirs = TheirClassifier(max_depth=5, random_state=0).fit(X, y, weight)
    model = SimpleNamespace(tree_=made(spec_of(theirs.tree_)), classes_=theirs.classes_, n_features_in_=4)
    assert export_text(model, **options) == their_text(theirs, **options)
    numbers = TheirRegressor(max_depth=4, random_state=0).fit(X, X @ [1, 2, 3, 4])
    assert export_text(made(spec_of(numbers.tree_)), **options) == their_text(numbers, **options)
    X[:, 1] += 5  # no two cuts are equally good here, so that both grow the same tree
    shallow = {"max_depth": 2, "random_state": 0}
    ours, peer = DecisionTreeClassifier(**shallow).fit(X, y), TheirClassifier(**shallow).fit(X, y)
    assert export_text(ours) == their_text(peer)


def test_deep_chains_need_no_recursion() -> None:
    X = np.arange(3000.0)[:, None]
    model = DecisionTreeRegressor().fit(X, 2.0 ** np.minimum(np.arange(3000.0), 1000))
    assert export_text(model, max_depth=3).count("truncated") >= 1
    chain: object = [1.0, 0.0]
    for step in range(10_000):
        chain = (0, "<=", float(step), [[0.0, 1.0], chain])
    assert "truncated branch of depth 9990" in export_text(made(chain), max_depth=10)


def test_words() -> None:
    with pytest.raises(ParameterError, match="export_text: needs a fitted decision tree; got 3"):
        export_text(3)
    with pytest.raises(NotFittedError):
        export_text(DecisionTreeClassifier())
    with pytest.raises(ParameterError, match="style must be 'branches' or 'compact'; got 'long'"):
        export_text(PLAY, style="long")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="max_depth must be a whole number from 0, or None; got -1"):
        export_text(PLAY, max_depth=-1)
    with pytest.raises(ParameterError, match="feature_names must have one name for each of 3 columns; got 1"):
        export_text(PLAY, feature_names=["a"])
    with pytest.raises(ParameterError, match="class_names must have one name for each of 2 classes; got 3"):
        export_text(PLAY, class_names=["a", "b", "c"])
    with pytest.raises(ParameterError, match="there is one target, number 0; got 2"):
        export_text(PLAY, target=2)


def test_limits_without_fixed_decimals_are_told_apart() -> None:
    nodes = made((0, "<=", 0.00605, [[4.0, 0.0], (0, "<=", 0.008145, [[0.0, 3.0], [5.0, 1.0]])]))
    assert export_text(nodes, feature_names=["x"], class_names=["a", "b"], style="compact", decimals=None) == (
        "x <= 0.00605: a (4)\nx > 0.00605\n|   x <= 0.008145: b (3)\n|   x > 0.008145: a (5 of 6)\n"
    )


@pytest.mark.parametrize("missing", [False, True])
def test_a_branch_of_missing_values_alone_says_so(missing: bool) -> None:
    nodes = made((0, "in", [0, 1, 2], [[4.0, 0.0], [0.0, 3.0]], 1))
    assert export_text(named(nodes), style="compact", missing=missing) == (
        "outlook in {sun, rain, fog}: play (4)\noutlook is missing: stay (3)\n"
    )


def test_a_test_for_missing_values_says_so() -> None:
    nodes = made((2, "<=", np.inf, [[4.0, 0.0], [0.0, 3.0]], 1))
    assert export_text(named(nodes), style="compact") == "hours is not missing: play (4)\nhours is missing: stay (3)\n"
    assert "inf" not in export_text(named(nodes), missing=True)


def test_categories_are_those_that_come_to_the_node() -> None:
    nodes = made((1, "in", [0, 3], [(1, "in", [0], [[4.0, 0.0], [0.0, 2.0]]), [0.0, 3.0]]))
    assert export_text(named(nodes), style="compact") == (
        "wind in {north, west}\n|   wind = north: play (4)\n|   wind = west: stay (2)\n"
        "wind in {east, south}: stay (3)\n"
    )
