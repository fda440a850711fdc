"""Tables that nobody would make on purpose: a right answer or one clear sentence, never a traceback from inside."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid.base.errors import DataError, DataTypeError
from pellucid.impute import SimpleImputer
from pellucid.quality import Cleaner, check, profile


def objects(cells: Iterable[Any]) -> np.ndarray:
    listed = list(cells)
    found = np.empty(len(listed), dtype=object)
    for i, cell in enumerate(listed):
        found[i] = cell
    return found


BERLIN = pd.date_range("2020-01-01", periods=40, tz="Europe/Berlin")
TAKEN: dict[str, Any] = {
    "all missing": pd.DataFrame({"a": [None] * 40, "b": range(40), "c": [np.nan] * 40}),
    "all missing, polars": pl.DataFrame({"a": [None] * 40, "b": range(40)}),
    "one row": pd.DataFrame({"a": [1], "b": ["x"], "c": [pd.Timestamp("2020-01-01")]}),
    "empty names": pd.DataFrame([[1, 2, " x"], [3, 4, "y"]] * 20, columns=["", " ", "b"]),
    "numbers as names": pd.DataFrame([[1, " a"], [3, "b"]] * 20, columns=[0, 1]),
    "lists": pd.DataFrame({"a": objects([[1, 2], [3], None] * 10)}),
    "lists, polars": pl.DataFrame({"a": [[1, 2], [3], None] * 10}),
    "dicts": pd.DataFrame({"a": objects([{"x": 1}, {"y": [2]}, {}] * 10)}),
    "structs": pl.DataFrame({"a": [{"x": 1}, {"x": 2}, None] * 10}),
    "sets": pd.DataFrame({"a": objects([{1, 2}, frozenset([3]), (1, 2)] * 10)}),
    "several types": pd.DataFrame({"a": objects([1, "two", 3.5, None, True, dt.date(2020, 1, 1)] * 10)}),
    "categories of several types": pd.DataFrame({"a": pd.Categorical([1, "a", 2.5] * 10)}),
    "complex objects": pd.DataFrame({"a": objects([1 + 2j, 3] * 10)}),
    "zones": pd.DataFrame({"a": BERLIN, "b": BERLIN.tz_localize(None)}),
    "several zones": pd.DataFrame(
        {"a": objects([dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 3)] * 9)}
    ),
    "times of day": pl.DataFrame({"a": [dt.time(10, 30), dt.time(11, 0)] * 10}),
    "durations": pd.DataFrame({"a": pd.to_timedelta(range(30), unit="h")}),
    "periods": pd.DataFrame({"a": pd.period_range("2020-01", periods=30, freq="M")}),
    "ends of the calendar": pl.DataFrame({"a": [dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2020, 1, 1)] * 10}),
    "decimals": pd.DataFrame({"a": objects([decimal.Decimal("1.10"), decimal.Decimal("NaN"), None] * 10)}),
    "emoji": pd.DataFrame({"a": ["\U0001f44d", "\U0001f1e9\U0001f1ea", " \U0001f44d "] * 10}),
    "half a character": objects(["\ud800", "ok", "fine"] * 10).reshape(-1, 1),
    "bytes": pd.DataFrame({"a": objects([b"a", b"b\xff"] * 10)}),
    "infinity": pd.DataFrame({"a": [1.0, np.inf, -np.inf, np.nan] * 10}),
    "beyond 64 bits": pd.DataFrame({"a": objects([2**70, 3, 2**64] * 10)}),
    "huge and tiny": pd.DataFrame({"a": [1e308, -1e308, 1e-308, 0.0, -0.0] * 10}),
    "nothing but blanks": pd.DataFrame({"a": [""] * 30, "b": ["", " ", "  "] * 10}),
}


@pytest.mark.parametrize("table", TAKEN.values(), ids=TAKEN.keys())
def test_taken(table: Any) -> None:
    described = profile(table)
    assert str(described)
    assert described.to_html()
    assert str(check(table))
    cleaner = Cleaner().fit(table)
    cleaned = cleaner.clean(table)
    again = cleaned.log.replay(table)
    assert np.shape(cleaner.transform(table)) == np.shape(table)
    if hasattr(again, "equals"):
        assert again.equals(cleaned.table)
    else:
        assert again.tolist() == cleaned.table.tolist()


REFUSED: dict[str, tuple[Any, str]] = {
    "no rows": (pd.DataFrame({"a": [], "b": []}), "X must have rows"),
    "no columns": (pd.DataFrame(index=range(3)), "X must have columns"),
    "a name twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "names must be unique; 'a' stands more than once"),
    "names of two levels": (
        pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])),
        r"one name each; got names of 2 levels, such as \('a', 'x'\)",
    ),
    "complex array": (np.array([[1 + 2j, 2]]), "X must hold real numbers"),
    "complex column": (pd.DataFrame({"a": np.array([1 + 2j, 3])}), "X must hold real numbers"),
    "one dimension": (np.arange(5), "two dimensions"),
    "rows of dicts": ([{"a": 1}], "pandas.DataFrame"),
    "dict": ({"a": [1]}, "X must be a table"),
    "text": ("abc", "X must be a table"),
    "rows of different length": ([[1, 2], [3]], "same number of values; row 0 has 2 values and row 1 has 1"),
    "lazy": (pl.LazyFrame({"a": [1]}), "collect"),
}  # fmt: skip


@pytest.mark.parametrize(("table", "words"), REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("stats", [profile, check, lambda X: Cleaner().fit(X)], ids=["profile", "check", "Cleaner"])
def test_refused(stats: Any, table: Any, words: str) -> None:
    with pytest.raises((DataError, DataTypeError), match=words):
        stats(table)


def test_dates_in_three_formats() -> None:
    table = pd.DataFrame({"day": ["2020-01-31", "31.01.2020", "Jan 31, 2020"] * 20})
    assert Cleaner().fit(table).clean(table).table.equals(table)
    cleaned = Cleaner(actions="suggested").fit(table).clean(table).table
    assert (cleaned["day"] == pd.Timestamp("2020-01-31")).all()


def test_decimal_commas() -> None:
    table = pd.DataFrame({"x": ["1.234,50", "2,5", "17,25", "1.000,0"] * 15})
    assert Cleaner().fit(table).clean(table).table["x"].tolist()[:4] == [1234.5, 2.5, 17.25, 1000.0]


def test_very_long_texts_come_to_an_end() -> None:
    """A regular expression that backtracks at every letter would take hours: the time limit of the tests ends it."""
    table = pd.DataFrame({"a": ["x" * 100_000, "word " * 50_000, "a b"] * 5, "b": range(15)})
    assert profile(table)["a"].distinct == 3
    check(table)
    Cleaner().fit(table)


def test_a_hundred_thousand_levels() -> None:
    table = pd.DataFrame({"level": [f"level {i // 2}" for i in range(100_000)]})
    assert profile(table)["level"].distinct == 50_000
    assert not len(Cleaner().fit(table).log_)
    assert not check(table).of(severity="error")


def test_times_with_a_zone_beside_plain_ones_are_compared_by_the_clock() -> None:
    table = pd.DataFrame({"ordered": BERLIN.tz_localize(None), "paid": BERLIN + pd.Timedelta("30min")})
    assert not check(table, checks=["time_order"])  # in universal time, paid would be half an hour before
    late = table.assign(ordered=table["ordered"].where(table.index != 7, table["ordered"] + pd.Timedelta("2h")))
    assert check(late, checks=["time_order"])[0].rows.tolist() == [7]


@pytest.mark.parametrize("make", [Cleaner, lambda: SimpleImputer(strategy="most_frequent")], ids=["Cleaner", "imputer"])
def test_cells_of_several_types_as_polars(make: Any) -> None:
    X = np.array([["a", 1], [2, "x"], [3.5, None]], dtype=object)
    out = make().set_output(transform="polars").fit_transform(X)
    assert isinstance(out, pl.DataFrame)
    assert out["x0"].to_list() == ["a", 2, 3.5]
