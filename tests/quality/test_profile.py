"""Profiles: figures by hand and by the plain reference, kinds by their rules, the same from every library."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pellucid.base.errors import DataError, ParameterError, UnknownNameError
from pellucid.quality import profile
from pellucid.reference import profile as plain


def of(values: Any) -> Any:
    """The profile of one column."""
    return profile(pd.DataFrame({"x": values}), associations=False)["x"]


# -------------------------------------------------------------------------------------------------------------- figures


def test_figures_worked_by_hand() -> None:
    found = of([1, 2, 2, 3, 4, 7, 9]).numbers
    assert found.mean == 4.0
    assert found.modes == (2,)
    assert found.skew == "right-skewed"  # 4 - 2 > 0
    assert found.median == 3.0
    assert found.quartiles == (2.0, 3.0, 5.5)  # places 1.5, 3, 4.5
    assert found.quartiles_halves == (2.0, 3.0, 7.0)  # 1 2 2 | 3 | 4 7 9
    assert found.quartiles_halves_with_median == (2.0, 3.0, 5.5)  # 1 2 2 3 | 3 4 7 9
    assert found.five_numbers == (1.0, 2.0, 3.0, 5.5, 9.0)
    assert found.variance == pytest.approx(52 / 6)  # 9 + 4 + 4 + 1 + 0 + 9 + 25
    assert found.fences == (3.5, -3.25, 10.75)
    assert found.outside_fences == 0
    assert found.skewness == pytest.approx((-27 - 8 - 8 - 1 + 27 + 125) / 7 / (52 / 7) ** 1.5)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([1, 1, 4], "right-skewed"),
        ([1, 4, 4], "left-skewed"),
        ([1, 2, 2, 3], "symmetric"),
        ([0.1, 0.2, 0.2, 0.3], "symmetric"),  # 0.8 / 4 is 0.2 but for rounding
        ([1, 2, 3], None),  # every value once: no mode
        ([1, 1, 5, 5], None),  # modes on both sides
        ([1, 1, 2, 2, 30], "right-skewed"),
    ],
)
def test_the_verdict_of_mean_and_mode(values: list[float], word: str | None) -> None:
    assert of(values).numbers.skew == word


numbers = arrays.arrays(
    np.float64,
    st.integers(1, 60),
    elements=st.one_of(st.integers(-5, 5).map(float), st.floats(-1e6, 1e6), st.just(float("nan"))),
)


@settings(max_examples=150, deadline=None)
@given(numbers)
def test_figures_are_those_of_the_reference(x: Any) -> None:
    column = of(x)
    ordered = plain.present(x)
    assert column.missing == len(x) - len(ordered)
    assert column.distinct == len(set(ordered))
    if not ordered:
        assert column.kind == "empty"
        return
    found, scale = column.numbers, 1 + max(map(abs, ordered))
    mean, variance, skewness = plain.moments(ordered)
    assert found.mean == pytest.approx(mean, abs=1e-12 * scale)
    assert found.variance == pytest.approx(variance, rel=1e-9, abs=1e-12 * scale**2, nan_ok=True)
    if variance > 1e-6 * scale**2:
        assert found.skewness == pytest.approx(skewness, abs=1e-7)
    assert found.quartiles == pytest.approx(plain.quartiles(ordered), abs=1e-12 * scale)
    assert found.quartiles_halves == pytest.approx(plain.quartiles_of_halves(ordered, False), abs=1e-12 * scale)
    assert found.quartiles_halves_with_median == pytest.approx(
        plain.quartiles_of_halves(ordered, True), abs=1e-12 * scale
    )
    assert list(found.modes) == plain.modes(ordered)[:10]
    assert (found.minimum, found.maximum) == (ordered[0], ordered[-1])
    low, high, _ = plain.fences(ordered)
    assert found.fences[1:] == pytest.approx((low, high), abs=1e-12 * scale)
    assert sum(found.histogram.counts) == len(ordered)
    edges = np.array(found.histogram.edges)
    if len(edges) > 2:
        assert list(found.histogram.counts) == np.histogram(ordered, edges)[0].tolist()


def test_top_values_are_the_most_frequent_smaller_ones_first() -> None:
    found = of([5, 5, 1, 1, 9, 3]).top
    assert [(entry.value, entry.count) for entry in found] == [(1, 2), (5, 2), (3, 1), (9, 1)]
    words = of(["b", "a", "b", None, "c", "a"]).top
    assert [(entry.value, entry.count) for entry in words] == [("a", 2), ("b", 2), ("c", 1)]


def test_whole_numbers_beyond_floats_stay_apart() -> None:
    column = of([2**53, 2**53 + 1, 2**53 + 1])
    assert column.distinct == 2
    assert column.numbers.modes == (2**53 + 1,)


def test_infinity_is_counted_and_left_out() -> None:
    column = of([1.0, np.inf, 3.0, -np.inf, np.nan])
    assert (column.missing, column.distinct, column.kind) == (1, 4, "continuous")
    assert (column.numbers.mean, column.numbers.infinite) == (2.0, 2)
    assert "2 infinite values left out of the figures" in column.notes


def test_numbers_at_the_ends_of_the_range() -> None:
    found = of([1.5e308, -1.5e308, 1.5e308, 0.0]).numbers
    assert found.mean == pytest.approx(0.375e308)
    assert found.sd == pytest.approx(2.0625**0.5 * 1e308)  # sqrt((1.875² + 2 1.125² + 0.375²) / 3)
    assert found.variance == np.inf
    tiny = of([3e-320, 0.0, 6e-320]).numbers
    assert tiny.mean == pytest.approx(3e-320, rel=1e-3)
    assert tiny.sd == pytest.approx(3e-320, rel=1e-3)
    shifted = of([1e9 + 1, 1e9 + 2, 1e9 + 3]).numbers
    assert shifted.variance == pytest.approx(1.0, rel=1e-12)
    assert shifted.skewness == pytest.approx(0.0, abs=1e-12)


def test_times_and_texts_have_their_own_figures() -> None:
    column = of(pd.to_datetime(["2020-03-01", "2020-02-28", None]))
    assert column.kind == "time"
    assert column.times.first == datetime.datetime(2020, 2, 28)
    assert (column.times.span_days, column.missing) == (2.0, 1)
    lengths = of(["ab", "abcdef", " ", "ab"]).lengths
    assert (lengths.shortest, lengths.longest, lengths.mean, lengths.blank) == (1, 6, 11 / 4, 1)


def test_whole_numbers_are_shown_without_a_point() -> None:
    described = profile(pd.DataFrame({"ill": [0, 1, 1, 0, 1]}))
    assert "  1 60.0 %, 0 40.0 %" in str(described)
    assert "<td>1</td>" in described.to_html()


# ---------------------------------------------------------------------------------------------------------------- kinds

MANY = 40
KINDS: list[tuple[str, Any, str]] = [
    ("x", [None] * 3, "empty"),
    ("x", [np.nan, np.nan], "empty"),
    ("x", [4, 4, None], "constant"),
    ("x", ["a", "a"], "constant"),
    ("x", [0, 1, 1], "flag"),
    ("x", [True, False, None], "flag"),
    ("x", ["Yes", "no", "no"], "flag"),
    ("x", ["left", "right", "left"], "nominal"),
    ("x", [1, 2, 4], "discrete"),
    ("x", [1.0, 2.0, None, 7.0], "discrete"),
    ("x", [1.5, 2.0], "continuous"),
    ("x", list(range(MANY)), "identifier"),
    ("x", [k * k for k in range(MANY)], "discrete"),
    ("customer_id", [k * k for k in range(MANY)], "identifier"),
    ("paid", [k * k for k in range(MANY)], "discrete"),
    ("x", [f"u{k:04d}" for k in range(MANY)], "identifier"),
    ("x", [f"{k:04d}" for k in range(MANY)], "identifier"),  # leading noughts are labels
    ("x", [f"sentence number {k}" for k in range(MANY)], "text"),
    ("x", ["a", "b"] * MANY, "nominal"),
    ("x", pd.Categorical(["a", "b"] * 3, ordered=True), "ordinal"),
    ("x", pd.Categorical(["a", "b"] * 3), "nominal"),
    ("x", [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], "time"),
    ("x", ["2020-01-01", "2021-05-31"], "time"),
    ("x", ["31.12.2020", "01.02.2020"], "time"),
    ("x", ["12/31/2020", "02/01/2020"], "time"),
    ("x", ["31/12/2020", "02/01/2020"], "time"),
    ("x", ["1.5", "2", "1e3"], "continuous"),
    ("x", ["3", "4", "7"], "discrete"),
    ("x", [pd.Timedelta("1D"), pd.Timedelta("36h")], "discrete"),
]


@pytest.mark.parametrize(("name", "values", "kind"), KINDS)
def test_kinds(name: str, values: Any, kind: str) -> None:
    assert profile(pd.DataFrame({name: values}))[name].kind == kind


def test_text_that_means_numbers_says_so() -> None:
    column = of(["1", "2", "3", "4"] * 10 + ["N/A"])
    assert (column.kind, column.reads_as, column.unread, column.stored) == ("discrete", "number", 1, "text")
    assert column.numbers.mean == 2.5
    assert column.notes == ("text that reads as numbers; 1 cell does not",)
    marked = of(["1", "2", "3", "4"] * 10 + ["N/A"] * 9)
    assert (marked.kind, marked.unread) == ("discrete", 9)
    half = of(["1", "2", "x", "y"] * 10)
    assert (half.kind, half.reads_as) == ("nominal", "")
    dates = of(["2020-01-01", "2020-01-11"])
    assert (dates.reads_as, dates.times.span_days) == ("time", 10.0)


# -------------------------------------------------------------------------------------------------------------- tables


def example() -> dict[str, list[Any]]:
    random = np.random.default_rng(5)
    n = 300
    cm = random.normal(170, 9, n).round(1)
    city = random.choice(["Rome", "Oslo", "Lima"], n)
    return {
        "cm": cm.tolist(),
        "inch": (cm / 2.54).tolist(),
        "city": city.tolist(),
        "country": [{"Rome": "IT", "Oslo": "NO", "Lima": "PE"}[c] for c in city.tolist()],
        "income": random.lognormal(10, 1, n).tolist(),
        "age": [None if k % 9 == 0 else int(a) for k, a in enumerate(random.integers(18, 90, n))],
        "member": [None if k % 7 == 0 else bool(k % 2) for k in range(n)],
        "born": [datetime.datetime(2000, 1, 1) + datetime.timedelta(days=int(d)) for d in random.integers(0, 99, n)],
        "same": ["x"] * n,
    }


WRITTEN_NUMBERS = {
    "a unit": ([f"{k} kg" for k in range(40, 80)], "in kg"),
    "a decimal comma": ([f"{k},25" for k in range(40, 80)], "with a decimal comma"),
    "thousands": ([f"{k}.500,75" for k in range(40, 80)], "with a decimal comma"),
}


@pytest.mark.parametrize(("cells", "words"), WRITTEN_NUMBERS.values(), ids=WRITTEN_NUMBERS.keys())
def test_numbers_with_a_unit_or_a_comma_have_figures(cells: list[str], words: str) -> None:
    (column,) = profile(pd.DataFrame({"x": cells})).columns
    assert column.is_number
    assert column.notes == (f"text that reads as numbers {words}",)


@pytest.mark.parametrize(
    "cells",
    [
        ["1,2", "1,3", "2,3"],
        ["5 kg", "7 lb"],
        ["k1", "k2", "k3"],
        ["10x", "20x", "35x"],
        ["3-1", "2-2"],
        ["10 kg", "heavy"],
    ],
    ids=str,
)
def test_other_texts_with_digits_have_no_figures(cells: list[str]) -> None:
    assert not profile(pd.DataFrame({"x": cells * 20})).columns[0].is_number


def test_every_library_gives_the_same_profile() -> None:
    data = example()
    found = [
        profile(frame, target="income").to_dict()
        for frame in (pd.DataFrame(data), pl.DataFrame(data), pa.table(data), pd.DataFrame(data, dtype=object))
    ]
    for one in found:
        one.pop("bytes")
    assert found[0] == found[1] == found[2] == found[3]


def test_threads_change_no_bit() -> None:
    frame = pl.DataFrame(example())
    first, *others = (json.dumps(profile(frame, target="city", n_jobs=n).to_dict()) for n in (1, 2, 3))
    assert all(other == first for other in others)


def test_columns_that_tell_others() -> None:
    found = profile(pd.DataFrame(example()))
    said = [str(one) for one in found.associations.redundant]
    assert "inch = 0 + 0.393701 * cm" in said
    assert "country is a function of city, and the other way round" in said
    line = found.associations.redundant[0]
    assert (line.slope, line.intercept) == pytest.approx((1 / 2.54, 0.0), abs=1e-9)
    assert found.constant == ("same",)


def test_a_falling_line_with_a_shift_is_stated() -> None:
    x = 1.5 * np.arange(20.0)
    found = profile(pd.DataFrame({"x": x, "y": 100 - 2.5 * x, "z": 3 * x + np.sin(x)})).associations.redundant
    assert str(found[0]) == "y = 100 - 2.5 * x"
    assert str(found[1]).startswith("z ≈ ")
    assert not found[1].exact


def test_a_one_way_function_is_no_bijection() -> None:
    frame = pd.DataFrame({"month": ["jan", "apr", "may", "feb"] * 5, "quarter": ["q1", "q2", "q2", "q1"] * 5})
    (found,) = profile(frame).associations.redundant
    assert (found.column, found.of, found.both_ways) == ("quarter", "month", False)


def test_duplicates_are_counted_over_all_columns() -> None:
    rows = [
        (1.0, "a", None),
        (1.0, "a", None),
        (1.0, "b", None),
        (np.nan, "a", True),
        (np.nan, "a", True),
        (-0.0, "", 0),
    ]
    frame = pd.DataFrame(rows, columns=["x", "y", "z"])
    assert profile(frame).duplicates == 2
    random = np.random.default_rng(0)
    cells = random.integers(0, 6, size=(500, 3))
    assert profile(cells).duplicates == plain.double_rows(cells.tolist())


def test_rows_that_are_nearly_equal_are_looked_for_if_asked() -> None:
    rows = [["Anna Miller", "Rome"], ["Anna Miler", "Rome"], ["Bob Stone", "Oslo"], ["Carl Young", "Lima"]]
    found = profile(np.array(rows, dtype=object), near_duplicates=True)
    assert list(zip(found.near_duplicates.left, found.near_duplicates.right, strict=True)) == [(0, 1)]
    assert "1 pair of rows that are nearly equal" in str(found)
    assert profile(np.array(rows, dtype=object)).near_duplicates is None


def test_shares_of_a_distance() -> None:
    found = profile(pd.DataFrame({"small": [0.0, 2.0, 4.5], "large": [0.0, 300.0, 650.5]}))
    wanted = plain.distance_shares([np.var([0, 300, 650.5]), np.var([0, 2, 4.5])])
    assert [share for _, share in found.distance_shares] == pytest.approx(wanted)
    assert found.dominating == ("large",)
    assert "large: unscaled, makes up >99.9 % of the squared Euclidean distance" in str(found)


@pytest.mark.parametrize("form", ["ranks", "long numbers"])
def test_a_target_of_numbers_that_look_like_identifiers_ranks_the_columns(form: str) -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=200)
    score = x + 0.3 * random.normal(size=200)
    standing = score.argsort().argsort() + 1 if form == "ranks" else (5e12 + 1e12 * score).clip(1e12).astype(np.int64)
    found = profile(pd.DataFrame({"noise": random.normal(size=200), "x": x, "standing": standing}), target="standing")
    assert found["standing"].kind == "identifier"
    assert found.with_target[0].column == "x"
    assert found.with_target[0].value > 0.8


def test_the_target_ranks_the_columns() -> None:
    data = example()
    found = profile(pd.DataFrame(data), target="city", associations=False)
    assert found.associations is None
    assert (found.with_target[0].column, found.with_target[0].measure) == ("country", "bias-corrected Cramér's V")
    assert found.with_target[0].value == pytest.approx(1.0)
    plain_v = profile(pd.DataFrame(data), target="city", associations=False, corrected=False).with_target[0]
    assert plain_v.measure == "Cramér's V"
    number = profile(pd.DataFrame(data), target="inch").with_target[0]
    assert (number.column, number.measure) == ("cm", "Pearson's r")


# ----------------------------------------------------------------------------------------------------------- renderings


def test_text_fits_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    found = profile(pd.DataFrame(example()), target="income")
    for width in (60, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = str(found).splitlines()
        assert max(map(len, lines)) <= width
        assert lines[0].startswith("300 rows x 9 columns, ")


def test_plain_values_are_json() -> None:
    frame = pd.DataFrame({"x": [1.0, np.inf, np.nan], "t": pd.to_datetime(["2020-01-01"] * 3), "s": ["a", None, "b"]})
    text = json.dumps(profile(frame).to_dict(), allow_nan=False)
    assert json.loads(text)["columns"][1]["top"][0]["value"] == "2020-01-01T00:00:00"


def test_a_page_needs_nothing_from_elsewhere(tmp_path: Any) -> None:
    frame = pd.DataFrame({"<script>alert(1)</script>": ["<b>bold</b>", "&amp;"], "n": [1.0, 2.5]})
    file = tmp_path / "page.html"
    page = profile(frame).to_html(file)
    assert file.read_text(encoding="utf-8") == page
    assert "<script" not in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    assert not re.search(r"""(?:src|href)=|url\(|@import""", page)
    assert "<svg" in profile(frame)._repr_html_()
    assert "prefers-color-scheme:dark" in page


def test_columns_are_found_by_name() -> None:
    found = profile([[1, 2], [3, 4]])
    assert [column.name for column in found] == ["x0", "x1"]
    assert len(found) == 2
    with pytest.raises(KeyError, match="name must be that of a column; got 'z'; there are 'x0', 'x1'"):
        found["z"]
    with pytest.raises(UnknownNameError, match="both must be columns of this measure; got 'z'"):
        found.associations.pearson["x0", "z"]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(DataError, match="profile: X must be a table"):
        profile(5)
    with pytest.raises(DataError, match="profile: X must have rows"):
        profile(pd.DataFrame({"a": []}))
    with pytest.raises(
        ParameterError, match="target must be a column of numbers or categories; 'a' is of kind constant"
    ):
        profile(pd.DataFrame({"a": [1, 1], "b": [1, 2]}), target="a")


def test_one_day_is_no_span_of_days() -> None:
    text = str(
        profile(pl.DataFrame({"day": ["2019-11-26"] * 30, "size": range(30)}).with_columns(pl.col("day").str.to_date()))
    )
    assert "2019-11-26" in text
    assert "days later" not in text
