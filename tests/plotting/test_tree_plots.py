"""Pictures of trees: what is written and drawn is what the tree holds."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch, Rectangle

from pellucid.base.colors import MARK, class_color, mixed
from pellucid.base.errors import DataError, NotFittedError, ParameterError
from pellucid.plotting import (
    accuracy_by_nodes,
    feature_importances,
    pruning_sequence,
    tree_and_table,
    tree_diagram,
    tree_regions,
    tree_steps,
)
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier

# Cut at 1.5 in a, then at 5 in b above it: three leaves.
X = pd.DataFrame({"a": [1.0, 1.0, 2.0, 2.0, 2.0, 2.0], "b": [1.0, 9.0, 4.0, 3.0, 6.0, 8.0]})
Y = ["no", "no", "yes", "yes", "no", "maybe"]
WEATHER = pd.DataFrame({"outlook": ["sun", "sun", "rain", "fog", "fog"], "wind": ["low", "high", "low", "low", "high"]})
PLAY = ["stay", "play", "play", "play", "stay"]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def small() -> Any:
    return DecisionTreeClassifier(max_depth=2).fit(X, Y)


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def cards(ax: Any) -> dict[int, Any]:
    return {int(str(p.get_gid()).removeprefix("node ")): p for p in ax.patches if isinstance(p, FancyBboxPatch)}


def test_a_tree_in_a_figure_of_its_size() -> None:
    ax: Any = tree_diagram(small(), impurity=True, node_ids=True)
    said = words(ax)
    assert said[:3] == ["maybe", "no", "yes"]  # the legend
    for text in ("a", "≤ 1.5", "> 1.5", "b", "≤ 5", "> 5", "#0, 6 rows", "#1, 2 rows", "gini 0.5", "#4, 1 of 2"):
        assert text in said
    drawn = cards(ax)
    assert len(drawn) == 5
    assert to_hex(drawn[1].get_facecolor()).upper() == mixed(class_color(1), 0.42)  # certain
    width, height = ax.figure.get_size_inches()
    assert (ax.get_xlim()[1], ax.get_ylim()[0]) == pytest.approx((72 * width, 72 * height))
    assert {text.get_fontsize() for text in ax.texts} <= {7.5, 8.5, 9.0}


def test_letters_shrink_with_the_axes_they_are_given() -> None:
    own: Any = pyplot.figure(figsize=(1, 1)).add_axes((0, 0, 1, 1))
    assert tree_diagram(small(), ax=own) is own
    assert max(text.get_fontsize() for text in own.texts) < 5


def test_the_way_of_a_row_is_marked() -> None:
    ax = tree_diagram(small(), row={"a": 2.0, "b": 3.0})
    marked = {node for node, card in cards(ax).items() if to_hex(card.get_edgecolor()).upper() == MARK}
    assert marked == {0, 2, 3}
    assert "a = 2" in words(ax)
    assert "b = 3" in words(ax)
    again = tree_diagram(small(), X, Y, row=3)
    assert "b = 3" in words(again)


def test_branches_of_names() -> None:
    model = ID3Classifier().fit(WEATHER, PLAY)
    said = words(tree_diagram(model))
    assert {"outlook", "sun", "rain", "fog", "wind", "low", "high"} <= set(said)
    sets = DecisionTreeClassifier().fit(WEATHER, PLAY)
    assert any(text.startswith("{") for text in words(tree_diagram(sets)))


def test_dollars_are_no_mathematics() -> None:
    table = pd.DataFrame({"price in $": [1.0, 2.0], "$x_": [1.0, 1.0]})
    ax = tree_diagram(DecisionTreeClassifier().fit(table, ["$a$", "b"]))
    ax.figure.canvas.draw()
    assert "price in $" in words(ax)


def test_pruning_marks_what_the_next_tree_lost_and_the_best_score() -> None:
    large, middle = small(), DecisionTreeClassifier(max_depth=1).fit(X, Y)
    stump = DecisionTreeClassifier(min_samples_split=10).fit(X, Y)
    axes = pruning_sequence([large, middle, stump], [0.8, 0.9, 0.7], names=["full", "pruned", "root"])
    assert [ax.get_title() for ax in axes] == ["full: 5 nodes, 0.8", "pruned: 3 nodes, ★ 0.9", "root: 1 node, 0.7"]
    marks = [{node for node, card in cards(ax).items() if to_hex(card.get_edgecolor()).upper() == MARK} for ax in axes]
    assert marks == [{2, 3, 4}, {0, 1, 2}, set()]
    same = pruning_sequence([large, small()], [0.5, 0.5])
    assert not any(to_hex(card.get_edgecolor()).upper() == MARK for card in cards(same[0]).values())


def test_a_table_with_its_tree() -> None:
    table, tree = tree_and_table(small(), X, Y, row=[2.0, 5.5], max_rows=4)
    said = words(table)
    assert said[:4] == ["a", "b", "y", "leaf"]
    assert "… 2 more rows" in said
    assert said[-4:] == ["2", "5.5", "?", "#4"]
    fills = [to_hex(p.get_facecolor()).upper() for p in table.patches]
    leaf = {node: to_hex(card.get_facecolor()).upper() for node, card in cards(tree).items()}
    assert fills == [leaf[1], leaf[1], leaf[3], leaf[3], leaf[4]]
    gaps = X.assign(b=[np.nan, *X["b"][1:]])
    assert words(tree_and_table(small(), gaps, Y)[0])[4:7] == ["1", "missing", str(Y[0])]
    again = words(tree_and_table(small(), X, Y, row=5)[0])
    assert again[-2] == str(Y[5])  # its answer is known


def test_boxes_are_cut_where_the_tree_cuts() -> None:
    ax = tree_regions(small(), X, Y)
    areas = {
        tuple(np.round([*p.get_xy(), p.get_width(), p.get_height()], 9)) for p in ax.patches if isinstance(p, Rectangle)
    }
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    expected = {
        (left, low, 1.5 - left, high - low),
        (1.5, low, right - 1.5, 5 - low),
        (1.5, 5.0, right - 1.5, high - 5),
    }
    assert areas == {tuple(np.round(box, 9)) for box in expected}
    assert words(ax) == ["1", "2"]
    assert len(tree_regions(small(), X, Y, max_depth=1).patches) == 2


def test_numbers_over_a_plane_and_along_a_line() -> None:
    points = np.random.default_rng(0).uniform(size=(60, 3))
    goal = np.where(points[:, 0] > 0.5, 10.0, 0.0) + points[:, 2]
    model = DecisionTreeRegressor(max_depth=3).fit(points, goal)
    ax = tree_regions(model, points, goal, columns=(0, 2))
    assert ax.get_title() == "other columns at their medians"
    steps = tree_steps(model, points, goal, column=0)
    x, heights = steps.get_lines()[0].get_data()
    others = np.median(points, axis=0)
    for at, height in zip((np.asarray(x)[::2] + np.asarray(x)[1::2]) / 2, np.asarray(heights)[::2], strict=True):
        assert model.predict([[at, others[1], others[2]]])[0] == pytest.approx(height)


def test_scores_by_size() -> None:
    ax = accuracy_by_nodes([5, 1, 3], [0.9, 0.6, 0.8], [0.7, 0.5, 0.7])
    assert words(ax) == ["best: 3 nodes, 0.7"]
    np.testing.assert_array_equal(ax.get_lines()[1].get_data(), [[1, 3, 5], [0.5, 0.7, 0.7]])
    curve = SimpleNamespace(
        n_nodes=[1, 3, 5], train_scores=[0.6, 0.8, 0.9], test_scores=[0.5, 0.7, 0.7], best_n_nodes=5, score_name="R²"
    )
    told = accuracy_by_nodes(curve)
    assert (words(told), told.get_ylabel()) == (["best: 5 nodes, 0.7"], "R²")
    assert words(accuracy_by_nodes([1, 3], None, [0.5, 0.7], best=1)) == ["best: 1 node, 0.5"]


def test_importances() -> None:
    model = small()
    ax: Any = feature_importances(model)
    shares = dict(zip(["a", "b"], model.feature_importances_, strict=True))
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names == sorted(shares, key=lambda name: -shares[name])
    assert [bar.get_width() for bar in ax.patches] == [shares[name] for name in names]
    most = feature_importances(SimpleNamespace(feature_importances_=np.arange(30) / 435), n_most=3)
    assert most.get_title() == "the 3 largest of 30 columns"
    assert words(feature_importances(SimpleNamespace(feature_importances_=[0.996, 0.004, 0.0]))) == [
        "1.00",
        "< 0.01",
        "0",
    ]


def test_words() -> None:
    with pytest.raises(NotFittedError):
        tree_diagram(DecisionTreeClassifier())
    with pytest.raises(ParameterError, match="pruning_sequence: trees must be a list of fitted trees"):
        pruning_sequence(small())
    line = DecisionTreeRegressor().fit([[1.0], [2.0]], [1e308, -1e308])
    with pytest.raises(DataError, match="tree_steps: y must lie between -1e300 and 1e300"):
        tree_steps(line, [[1.0], [2.0]], [1e308, -1e308])
    with pytest.raises(ParameterError, match="pruning_sequence: two to 12 trees can be drawn; got 1"):
        pruning_sequence([small()])
    with pytest.raises(DataError, match="pruning_sequence: scores must be one finite number a tree"):
        pruning_sequence([small(), small()], [0.5])
    with pytest.raises(DataError, match="tree_steps: needs a regression tree; got a tree of classes"):
        tree_steps(small(), X, Y)
    with pytest.raises(DataError, match="tree_regions: two columns can be drawn; the tree has 3"):
        tree_regions(DecisionTreeRegressor().fit(np.eye(3), [1, 2, 3]), np.eye(3), [1, 2, 3])
    with pytest.raises(DataError, match="accuracy_by_nodes: test_scores must be finite numbers, one a tree"):
        accuracy_by_nodes([1, 3], [0.5, 0.6], [0.5, np.nan])
    with pytest.raises(ParameterError, match="feature_importances: needs a fitted model with feature_importances_"):
        feature_importances(3)
    with pytest.raises(ParameterError, match="tree_and_table: max_rows must be a whole number of at least 1; got 0"):
        tree_and_table(small(), X, Y, max_rows=0)
