"""Drawn trees: nothing meets anything else, every name is text, one row's way is marked, large trees are cut."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, ParameterError
from pellucid.models.tree.layout import centers
from pellucid.models.tree.nodes import SHARE
from pellucid.tree import DecisionTreeRegressor, export_svg
from pellucid.tree._reading import read_tree
from pellucid.tree._scene import Scene, make_scene

from .made import made

SVG = "{http://www.w3.org/2000/svg}"
LEAVES = st.lists(st.integers(1, 9).map(float), min_size=2, max_size=2)


def _node(children: Any) -> Any:
    few = st.lists(children, min_size=2, max_size=5)
    return few.map(lambda below: (0, "cuts", np.arange(len(below) - 1.0).tolist(), below))


TREES = st.recursive(LEAVES, _node, max_leaves=25)


@settings(max_examples=40, deadline=None)
@given(TREES, st.floats(0, 20), st.randoms(use_true_random=False))
def test_nodes_keep_their_distance_and_parents_stand_in_the_middle(tree: Any, gap: float, random: Any) -> None:
    nodes = made(tree)
    children = [list(nodes.children(k)) for k in range(len(nodes))]
    sizes = np.array([random.uniform(1, 50) for _ in children])
    at = centers(children, sizes, gap)
    assert (at - sizes / 2).min() == pytest.approx(0, abs=1e-9)
    for below in children:
        if below:
            middle = (at[below[0]] + at[below[-1]]) / 2
            assert at[nodes.parent[below[0]]] == pytest.approx(middle)
    order = nodes.top_down()
    for level in range(nodes.max_depth + 1):
        here = [k for k in order if nodes.depth[k] == level]  # from left to right
        for a, b in pairwise(here):
            assert at[b] - sizes[b] / 2 - at[a] - sizes[a] / 2 >= gap - 1e-9


def test_a_small_subtree_stands_half_way_between_large_ones() -> None:
    wide = [[1, 2, 3], [4, 5, 6, 7], [], [8, 9, 10, 11], *([] for _ in range(8))]
    at = centers(wide, np.ones(12), 1.0)
    assert at[2] == pytest.approx((at[1] + at[3]) / 2)
    with_neighbors = centers([[1, 2, 3, 4], [5, 6, 7], [], [], [8, 9, 10], *([] for _ in range(6))], np.ones(11), 1.0)
    np.testing.assert_allclose(np.diff(with_neighbors[1:5])[[0]], np.diff(with_neighbors[1:5])[[2]])


def boxes(scene: Scene) -> list[tuple[float, float, float, float]]:
    return [(card.x, card.y, card.x + card.width, card.y + card.height) for card in scene.cards]


@settings(max_examples=30, deadline=None)
@given(TREES, st.sampled_from(["vertical", "horizontal"]), st.booleans())
def test_cards_and_answers_do_not_meet(tree: Any, way: str, ids: bool) -> None:
    from pellucid.tree._cards import NOTE, Look
    from pellucid.tree._lettering import width

    scene = make_scene(read_tree("test", made(tree)), orientation=way, look=Look(node_ids=ids, impurity=ids))
    taken = boxes(scene)
    for edge in scene.edges:
        half = width(edge.label.text, NOTE) / 2
        taken.append((edge.label.x - half, edge.label.y - 4, edge.label.x + half, edge.label.y + 4))
    for strip in scene.swatches:
        taken.append((strip.x, strip.y, strip.x + strip.width, strip.y + strip.height))
    for k, (left, top, right, bottom) in enumerate(taken):
        assert left >= 0
        assert top >= 0
        assert right <= scene.width
        assert bottom <= scene.height
        for a, b, c, d in taken[k + 1 :]:
            assert right <= a + 1e-9 or c <= left + 1e-9 or bottom <= b + 1e-9 or d <= top + 1e-9


def test_large_trees_grow_to_the_right_and_deep_ones_downwards() -> None:
    wide: Any = [1.0, 2.0]
    for level in range(6):
        wide = (level, "<=", 1.0, [wide, wide])
    assert make_scene(read_tree("test", made(wide))).horizontal
    deep: Any = [1.0, 2.0]
    for level in range(30):
        deep = (0, "<=", float(level), [[2.0, 1.0], deep])
    assert not make_scene(read_tree("test", made(deep))).horizontal
    assert not make_scene(read_tree("test", made((0, "<=", 1.0, [[1.0, 0.0], [0.0, 1.0]])))).horizontal


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_names_are_text_whatever_they_hold() -> None:
    evil = '<script>alert("1")</script>'
    schema = SimpleNamespace(names=(evil, "b & c\x00\ud800"), categories={1: ("<img src=x onerror=y>", "]]>", "$x^2$")})
    tree = made((0, "<=", 1.0, [(1, "of", [0, 1, 1], [[3.0, 0.0], [0.0, 2.0]]), [1.0, 1.0]], 0))
    model = SimpleNamespace(tree_=tree, schema_=schema, classes_=np.array(["</svg>", "\"'"]), n_features_in_=2)
    picture = export_svg(model, max_length=60, missing=True)
    root = ElementTree.fromstring(picture)
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert kinds <= {"svg", "title", "rect", "text", "g", "polyline"}
    assert not any(name.startswith("on") or "href" in name for element in root.iter() for name in element.attrib)
    found = texts(picture)
    assert evil in found
    assert "b & c" in found
    assert "{]]>, $x^2$}" in found
    assert "≤ 1 or missing" in found
    assert found[:2] == ["</svg>", "\"'"]


def test_pictures_tell_counts_and_full_sets_when_pointed_at() -> None:
    names = tuple(f"category {k}" for k in range(12))
    schema = SimpleNamespace(names=("kind",), categories={0: names})
    tree = made((0, "in", [0, 1, 2, 3, 4], [[6.0, 0.0], [1.0, 3.0]], SHARE))
    picture = export_svg(
        SimpleNamespace(tree_=tree, schema_=schema, classes_=np.array(["no", "yes"]), n_features_in_=1)
    )
    root = ElementTree.fromstring(picture)
    tips = [element.text or "" for element in root.iter(f"{SVG}title")]
    assert "kind in {category 0, category 1, category 2, category 3, category 4}" in tips
    assert any("no: 1\nyes: 3" in tip and "4 rows" in tip for tip in tips)
    assert any("a missing value goes down every branch, in proportion to their weights" in tip for tip in tips)
    shown = texts(picture)
    assert "{category 0, … +4}" in shown
    assert "3 of 4" in shown
    assert "6 rows" in shown


PLAY = made(
    (0, "of", [0, 1, 2], [(1, "<=", 6.0, [[9.0, 0.0], [1.0, 5.0]], 1), [0.0, 4.0], [2.0, 3.0]], SHARE),
)
SCHEMA = SimpleNamespace(names=("outlook", "hours"), categories={0: ("sun", "rain", "fog")})
MODEL = SimpleNamespace(tree_=PLAY, schema_=SCHEMA, classes_=np.array(["play", "stay"]), n_features_in_=2)


@pytest.mark.parametrize(
    ("row", "nodes"),
    [
        (["sun", 6.0], {0, 1, 4}),
        (["sun", None], {0, 1, 5}),
        ({"hours": 7, "outlook": "sun"}, {0, 1, 5}),
        ({"outlook": "rain"}, {0, 2}),
        ([float("nan"), 3], {0, 1, 2, 3, 4}),
        (np.array(["fog", 1], dtype=object), {0, 3}),
        (pd.DataFrame({"hours": [2.0], "outlook": ["sun"]}), {0, 1, 4}),
        (pd.Series({"hours": 2.0, "outlook": "sun"}), {0, 1, 4}),
        (["hail", 3], {0, 1, 2, 3, 4}),  # never met: as a missing value
    ],
)
def test_the_way_of_a_row_is_marked(row: Any, nodes: set[int]) -> None:
    scene = make_scene(read_tree("test", MODEL), row=row)
    assert {card.node for card in scene.cards if card.marked} == nodes
    assert {card.node for card in scene.cards if card.faded} == set(range(6)) - nodes
    assert {edge.node for edge in scene.edges if edge.marked} == nodes - {0}
    title = scene.cards[0].texts[0].text
    assert title.startswith("outlook = ")


def test_cut_trees_tell_what_is_left_out() -> None:
    scene = make_scene(read_tree("test", MODEL), max_depth=1)
    assert len(scene.cards) == 4
    assert scene.cards[1].dashed
    assert [text.text for text in scene.cards[1].texts] == ["play", "10 of 15", "… 2 more nodes"]
    alone = make_scene(read_tree("test", MODEL), max_depth=0)
    assert [text.text for text in alone.cards[0].texts] == ["play", "12 of 24", "… 5 more nodes"]  # of equals the first
    deep: Any = [1.0, 0.0]
    for level in range(5000):
        deep = (0, "<=", float(level), [[0.0, 1.0], deep])
    with pytest.raises(DataError, match=r"at most 2,000 nodes can be drawn; got 10,001.\nhint: max_depth=99 draws"):
        export_svg(made(deep))
    assert export_svg(made(deep), max_depth=99).count("more nodes") == 1


def test_rows_of_another_table_are_counted() -> None:
    tree = made((0, "<=", 2.0, [[5.0, 1.0], [0.0, 3.0]]))
    scene = make_scene(read_tree("test", tree), X=[[1.0], [2.0], [2.5], [3.0]], y=[0, 1, 1, 1])
    assert [[text.text for text in card.texts][1:] for card in scene.cards] == [
        ["4 rows"],
        ["1 right, 1 wrong"],
        ["2 right"],
    ]
    assert scene.cards[1].strip is not None
    assert [share for share, _ in scene.cards[1].strip.parts] == [0.5, 0.5]
    numbers = make_scene(
        read_tree("test", made((0, "<=", 5.0, [1.0, 2.0]))), X=np.arange(11.0)[:, None], y=[*range(6), 100, 7, 8, 9, 10]
    )
    low, high = (card.box for card in numbers.cards[1:])
    assert low is not None
    assert high is not None
    np.testing.assert_allclose(np.array(low.figures) * 100, [0, 1.25, 2.5, 3.75, 5])
    np.testing.assert_allclose(np.array(high.beyond) * 100, [100])
    np.testing.assert_allclose(high.mean * 100, 134 / 5)
    assert "box plots from 0 to 100; the dot is the mean" in [word.text for word in numbers.words]


def test_box_plots_of_one_level_stand_below_each_other() -> None:
    """Whether their numbers of rows are long or short."""
    rows = np.repeat([0.0, 1.0], [1000, 2])[:, None]
    scene = make_scene(
        read_tree("test", made((0, "<=", 0.5, [1.0, 2.0]))), X=rows, y=np.arange(1002.0), orientation="horizontal"
    )
    (few, many), places = [card.texts[1].text for card in scene.cards[1:]], []
    assert len(few) != len(many)
    for card in scene.cards[1:]:
        assert card.box is not None
        places.append((card.x + card.box.x, card.width))
    np.testing.assert_allclose(places[0], places[1])


def test_words() -> None:
    with pytest.raises(ParameterError, match="orientation must be 'auto', 'vertical' or 'horizontal'; got 'up'"):
        export_svg(PLAY, orientation="up")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="X and y go together; got X without y"):
        export_svg(PLAY, [[1.0, 2.0]])
    with pytest.raises(DataError, match=r"row must name columns of the tree .outlook, hours.; got 'day'"):
        export_svg(MODEL, row={"day": 1})
    with pytest.raises(DataError, match=r"row must have a value for each of 2 columns .outlook, hours.; got 3"):
        export_svg(MODEL, row=[1, 2, 3])
    with pytest.raises(DataError, match="column 'hours' of row must be a number; got 'long'"):
        export_svg(MODEL, row=["sun", "long"])
    with pytest.raises(DataError, match="row must be the position of a row in X, or a row itself; got 3 and no X"):
        export_svg(MODEL, row=3)
    with pytest.raises(DataError, match=r"y must hold classes that the tree knows .0, 1.; got 7"):
        export_svg(made((0, "<=", 2.0, [[5.0, 1.0], [0.0, 3.0]])), [[1.0]], [7])
    with pytest.raises(DataError, match=r"y must lie between -1e300 and 1e300 to be drawn; got -1e[+]308"):
        export_svg(made((0, "<=", 2.0, [1.0, 2.0])), [[1.0], [3.0]], [5.0, -1e308])
    with pytest.raises(ParameterError, match="digits must be a whole number from 1 to 17; got 0"):
        export_svg(PLAY, digits=0)
    with pytest.raises(ParameterError, match="max_length must be a whole number from 8; got 3"):
        export_svg(PLAY, max_length=3)


def test_spreads_are_written_without_powers_of_ten() -> None:
    x = np.arange(200.0)
    drawn = export_svg(DecisionTreeRegressor(max_depth=1).fit(x[:, None], 90 * x))
    assert re.findall(r"± ([^ <]+)", drawn) == ["2,600", "2,600"]
