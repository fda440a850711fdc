"""The report's charts: scales and ticks, marks where the numbers say, text inside the drawing that overlaps nothing."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.report.charts import SIZE, WIDE, Plot, Scale, shortened, spread, tick_texts, ticks, wrapped
from pellucid.report.charts_plots import Bar, Dot, Line, bars, columns, dots, heat, lines_chart, scatter, spark
from pellucid.report.page import DARK, LIGHT
from pellucid.tree._lettering import width

FINITE = st.floats(allow_nan=False, allow_infinity=False)
LONG = "a very long name of a column that nobody would want to read to its end, not even on a wide screen"


def read(svg: str) -> ElementTree.Element:
    """The drawing as a tree: it must be XML as well."""
    return ElementTree.fromstring(svg)


def texts(root: ElementTree.Element) -> list[tuple[str, float, float, float, float]]:
    """Every line of text: what it says, and the box that it takes."""
    found = []
    for node in root.iter("text"):
        said = node.text or ""
        wide, x, y = width(said, SIZE), float(node.get("x", 0)), float(node.get("y", 0))
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[node.get("text-anchor", "start")]
        found.append((said, left, y - 0.76 * SIZE, left + wide, y + 0.2 * SIZE))
    return found


def check_lettering(svg: str) -> None:
    """No text leaves the drawing, and none lies on another."""
    root = read(svg)
    wide, high = (float(part) for part in root.get("viewBox", "").split()[2:])
    held = texts(root)
    for said, left, top, right, bottom in held:
        assert left >= -0.6, said
        assert right <= wide + 0.6, said
        assert top >= -0.6, said
        assert bottom <= high + 0.6, said
    for k, (one, l1, t1, r1, b1) in enumerate(held):
        for other, l2, t2, r2, b2 in held[k + 1 :]:
            apart = r1 <= l2 + 0.5 or r2 <= l1 + 0.5 or b1 <= t2 + 0.5 or b2 <= t1 + 0.5
            assert apart, f"{one!r} lies on {other!r}"


def of_class(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [node for node in root.iter() if kind in node.get("class", "").split()]


def line_of(x: list[float], y: list[float], **options: Any) -> str:
    return lines_chart("l", "Lines", "About.", [Line("", x, y)], **options)


TWO = [Line("one", [0.0, 1, 2], [1.0, 4, 2]), Line("two", [0.0, 1, 2], [2.0, 2, 2])]
NINE = [Line(f"{LONG} {k}", [0.0, 1], [float(k), 1.0]) for k in range(9)]
BARS = [Bar("first", 3.0, 2.5, 3.5), Bar("second", -1.0, pale=True), Bar(LONG, 0.0)]
DOTS = [Dot("one", 0.8, 0.7, 0.9, (0.7, 0.8)), Dot(LONG, 0.5, 0.4, 0.6, (), "worse")]
GROUPS: dict[str, Any] = {"groups": [0, 1, 2], "group_names": ["a", "b", LONG]}

CHARTS: dict[str, Any] = {
    "bars": lambda: bars("b", "Bars", "About.", BARS, label=LONG),
    "dots": lambda: dots("d", "Dots", "About.", DOTS, label="score", level=(0.45, "baseline 0.450")),
    "lines": lambda: lines_chart("l", "L", "About.", TWO, x_label=LONG, y_label=LONG, level=(3.0, "level")),
    "many": lambda: lines_chart("m", "Many", "About.", NINE),
    "step": lambda: line_of([0.0, 0.5, 1], [0.0, 1, 1], step=True, diagonal=True),
    "scatter": lambda: scatter("p", "Points", "About.", [1.0, 2, 3], [1e6, 2e6, 3e6], **GROUPS),
    "columns": lambda: columns("c", "Columns", "About.", [0.0, 1000.0, 2000.0], [5, 0], x_label="error"),
    "tiny": lambda: line_of([1e-9, 2e-9], [1e-12, 3e-12]),
    "huge": lambda: line_of([-1e308, 1e308], [-1e308, 1e308]),
    "flat": lambda: line_of([1.0, 1.0], [5.0, 5.0]),
}


@pytest.mark.parametrize("name", CHARTS)
def test_no_text_is_cut_off_or_lies_on_another(name: str) -> None:
    check_lettering(CHARTS[name]())


@pytest.mark.parametrize("name", CHARTS)
def test_drawings_have_a_title_and_a_description(name: str) -> None:
    root = read(CHARTS[name]())
    ids = root.get("aria-labelledby", "").split()
    assert [node.get("id") for node in (root[0], root[1])] == ids
    assert (root[0].tag, root[1].tag, root[1].text) == ("title", "desc", "About.")
    for mark in of_class(root, "pc-mark"):
        assert mark[0].tag == "title"
        assert mark[0].text


@pytest.mark.parametrize("name", CHARTS)
def test_no_coordinate_is_missing_or_infinite(name: str) -> None:
    assert not re.search(r"nan|inf", CHARTS[name]().replace("About", "").lower().replace("baseline", ""))


@given(
    st.lists(FINITE, min_size=1, max_size=8),
    st.lists(st.text(max_size=60), min_size=8, max_size=8),
    st.text(max_size=80),
)
def test_any_numbers_and_names_give_a_drawing_that_can_be_read(
    values: list[float], names: list[str], label: str
) -> None:
    items = [Bar(name, value) for name, value in zip(names, values, strict=False)]
    check_lettering(bars("b", label, label, items, label=label))
    check_lettering(
        lines_chart("l", label, label, [Line(names[0], range(len(values)), values)], x_label=label, y_label=label)
    )


def test_lengths_of_bars_are_the_values() -> None:
    root = read(bars("b", "t", "a", [Bar("one", 2.0), Bar("two", 4.0), Bar("three", -1.0)]))
    one, two, three = (float(node.get("width", 0)) for node in of_class(root, "pc-bar"))
    assert two == pytest.approx(2 * one, abs=0.2)
    assert three == pytest.approx(one / 2, abs=0.2)


def test_points_stand_where_their_numbers_say() -> None:
    root = read(scatter("p", "t", "a", [0.0, 5.0, 10.0], [0.0, 5.0, 10.0], diagonal=True))
    spots = [(float(node.get("cx", 0)), float(node.get("cy", 0))) for node in of_class(root, "pc-spot")]
    (x0, y0), (x1, y1), (x2, y2) = spots
    assert x1 == pytest.approx((x0 + x2) / 2, abs=0.1)
    assert y1 == pytest.approx((y0 + y2) / 2, abs=0.1)
    assert y0 > y1 > y2


def test_steps_go_sideways_and_then_up() -> None:
    plot = Plot((0.0, 1.0), (0.0, 1.0))
    path = plot.path([0.0, 0.5], [0.0, 1.0], "k", step=True)
    assert re.search(r'd="M[\d.]+ [\d.]+H[\d.]+V[\d.]+"', path)


def test_a_line_breaks_where_a_number_is_missing() -> None:
    plot = Plot((0.0, 3.0), (0.0, 3.0))
    path = plot.path([0.0, 1.0, 2.0, 3.0], [0.0, float("nan"), 2.0, 3.0], "k")
    assert path.count("M") == 2


def test_missing_numbers_are_left_out() -> None:
    nan = float("nan")
    assert len(of_class(read(scatter("p", "t", "a", [1.0, nan], [1.0, 1.0])), "pc-mark")) == 1
    assert scatter("p", "t", "a", [nan], [nan]) == ""
    assert "nan" not in bars("b", "t", "a", [Bar("x", nan), Bar("y", 1.0)])


def test_nothing_to_draw_draws_nothing() -> None:
    assert bars("b", "t", "a", []) == dots("d", "t", "a", []) == lines_chart("l", "t", "a", []) == ""
    assert columns("c", "t", "a", [0.0], []) == ""


def test_names_are_escaped() -> None:
    nasty = '"><script>alert(1)</script>'
    svg = bars("b", nasty, nasty, [Bar(nasty, 1.0)], label=nasty)
    assert "<script" not in svg
    assert nasty[:8] in unescape(svg)
    assert "<script" not in heat(nasty, nasty, [nasty], [nasty], np.ones((1, 1)), [[nasty]], [[nasty]])
    assert "<script" not in spark([1, 2], nasty)


# ------------------------------------------------------------------------------------------------------------- scales


@given(FINITE, FINITE)
def test_ticks_are_few_ordered_and_inside(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    found = ticks(low, high, 5)
    assert 1 <= len(found) <= 12
    assert found == sorted(found)
    span = high - low
    for value in found:
        assert low - 1e-9 * abs(span) - 1e-12 * abs(low) <= value <= high + 1e-9 * abs(span) + 1e-12 * abs(high)


@given(st.floats(-1e12, 1e12), st.floats(1e-3, 1e12))
def test_numbers_of_an_axis_can_be_told_apart(low: float, span: float) -> None:
    values = ticks(low, low + span, 5)
    said = tick_texts(values)
    if len(values) > 1 and values[1] - values[0] > 1e-6 * max(map(abs, values)):
        assert len(set(said)) == len(values)


def test_a_scale_takes_ends_to_ends() -> None:
    x = Scale(2.0, 4.0, 10.0, 20.0)
    assert (x(2.0), x(3.0), x(4.0)) == (10.0, 15.0, 20.0)
    assert Scale(1.0, 1.0, 0.0, 10.0)(1.0) == 5.0
    assert Scale(-1.7e308, 1.7e308, 0.0, 10.0)(0.0) == 5.0


@given(st.lists(st.floats(), max_size=6))
def test_an_axis_holds_its_numbers(values: list[float]) -> None:
    low, high = spread(values)
    assert low < high
    assert all(low <= value <= high for value in values if np.isfinite(value))


@given(st.text(max_size=200), st.floats(30, 400))
def test_text_is_made_to_fit(text: str, room: float) -> None:
    assert width(shortened(text, room), SIZE) <= max(room, 3 * SIZE)
    for row in wrapped(text, room):
        assert width(row, SIZE) <= max(room, 3 * SIZE)
    assert len(wrapped(text, room)) <= 2


# -------------------------------------------------------------------------------------------------------------- colors


def luminance(color: str) -> float:
    """As WCAG defines it."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def variables(dark: bool) -> dict[str, str]:
    """The colors that the page's style names."""
    from pellucid.report.page import _asset

    style = _asset("report.css")
    light_part, rest = style.split("@media screen and (prefers-color-scheme: dark)", 1)
    found = dict(re.findall(r"(--pr-[a-z-]+): (#[0-9a-f]{6})", light_part))
    return {**found, **dict(re.findall(r"(--pr-[a-z-]+): (#[0-9a-f]{6})", rest.split("}", 1)[0]))} if dark else found


@pytest.mark.parametrize("dark", [False, True])
def test_colors_can_be_told_from_the_page(dark: bool) -> None:
    """WCAG 2.2 AA: text 4.5 to 1, what drawings and controls are made of 3 to 1."""
    named = variables(dark)
    for text in ("text", "quiet", "accent", "good", "bad", "warn"):
        for ground in ("back", "raised"):
            assert contrast(named[f"--pr-{text}"], named[f"--pr-{ground}"]) >= 4.5, (text, ground)
    for text in ("text", "warn"):
        assert contrast(named[f"--pr-{text}"], named["--pr-warn-back"]) >= 4.5
    assert contrast(named["--pr-edge"], named["--pr-back"]) >= 3
    for color in DARK if dark else LIGHT:
        assert contrast(color, named["--pr-back"]) >= 3, color


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_on_the_darkest_cell(dark: bool) -> None:
    named, color = variables(dark), (DARK if dark else LIGHT)[0]
    share = 0.48
    mixed = "#" + "".join(
        f"{round(share * int(color[k : k + 2], 16) + (1 - share) * int(named['--pr-back'][k : k + 2], 16)):02x}"
        for k in (1, 3, 5)
    )
    assert contrast(named["--pr-text"], mixed) >= 4.5


def test_the_widest_drawing_is_a_phone_wide() -> None:
    assert WIDE <= 360


def test_one_row_of_a_histogram_is_one_row() -> None:
    drawn = columns("h", "a", "b", [0.0, 1.0, 2.0], [1, 2])
    assert ": 1 row<" in drawn
    assert ": 2 rows<" in drawn
