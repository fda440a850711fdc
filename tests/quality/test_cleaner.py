"""Cleaner: what each action does, the log of it, and the log replayed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from pellucid.base.errors import DataError, ParameterError
from pellucid.linear_model import LinearRegression
from pellucid.quality import ChangeLog, Cleaner, Finding, Fix

TABLE = {
    "city": [" Bonn", "Bonn ", "Köln", "Kölnn", None, "Bonn"],
    "size": ["12.0 oz", "16 oz", "N/A", "1,000", "seven", ""],
    "day": ["2020-01-05", "06.01.2020", "x", None, "2020-01-07", "2020-01-07"],
    "paid": ["yes", "no", "yes", "ja", None, "no"],
    "n": [1.0, 2.0, 3.0, -999.0, np.nan, 3.0],
    "price": [2.0, 2.5, 1.0, 4.0, 5.0, 2.0],
    "total": [2.0, 5.0, np.nan, 8.0, np.nan, 6.5],
    "key": ["a", "a", "a", "b", "b", "b"],
    "name": ["Ada", "Ada", "Adda", "Bob", None, "Bob"],
}


def pandas_table() -> Any:
    return pandas.DataFrame(TABLE, index=pandas.Index([10, 20, 30, 40, 50, 60], name="row"))


LIBRARIES = {
    "pandas": pandas_table,
    "polars": lambda: polars.DataFrame(TABLE, nan_to_null=True),
    "pyarrow": lambda: pyarrow.Table.from_pandas(pandas_table(), preserve_index=False),
    "array": lambda: pandas_table().to_numpy(dtype=object),
}


def cells(table: Any, name: str) -> list[Any]:
    """A column as a list, None where it is missing."""
    if isinstance(table, np.ndarray):
        column = table[:, list(TABLE).index(name)].tolist()
    elif isinstance(table, pyarrow.Table):
        column = table[name].to_pylist()
    else:
        column = list(table[name])
    plain = [value.to_pydatetime() if isinstance(value, pandas.Timestamp) else value for value in column]
    return [
        None if value is None or value is pandas.NA or value is pandas.NaT or value != value else value
        for value in plain
    ]


def named(library: str, *columns: str) -> tuple[str, ...]:
    """Columns of an array are called x0, x1, ..."""
    return tuple(f"x{list(TABLE).index(name)}" for name in columns) if library == "array" else columns


# What each action makes of its column, worked out by hand.
CASES: list[tuple[str, str, dict[str, Any], list[Any]]] = [
    ("trim", "city", {}, ["Bonn", "Bonn", "Köln", "Kölnn", None, "Bonn"]),
    ("merge_values", "city", {"pairs": [["Kölnn", "Köln"]]}, [" Bonn", "Bonn ", "Köln", "Köln", None, "Bonn"]),
    ("remove_characters", "city", {"characters": "ö"}, ["Bonn", "Bonn", "Kln", "Klnn", None, "Bonn"]),
    ("change_case", "key", {"form": "upper"}, ["A", "A", "A", "B", "B", "B"]),
    ("to_missing", "n", {"values": [-999]}, [1.0, 2.0, 3.0, None, None, 3.0]),
    ("to_missing", "name", {"values": ["Bob"]}, ["Ada", "Ada", "Adda", None, None, None]),
    ("to_number", "size", {"thousands": ",", "units": ["oz"]}, [12.0, 16.0, None, 1000.0, 7.0, None]),
    (
        "to_time",
        "day",
        {"formats": ["%Y-%m-%d", "%d.%m.%Y"]},
        [
            dt.datetime(2020, 1, 5),
            dt.datetime(2020, 1, 6),
            None,
            None,
            dt.datetime(2020, 1, 7),
            dt.datetime(2020, 1, 7),
        ],
    ),
    ("to_flag", "paid", {"true": ["yes", "ja"], "false": ["no"]}, [True, False, True, True, None, False]),
    ("outside_to_missing", "n", {"min": 0}, [1.0, 2.0, 3.0, None, None, 3.0]),
    ("clip", "n", {"min": 0, "max": 2}, [1.0, 2.0, 2.0, 0.0, None, 2.0]),
    ("impute", "n", {"strategy": "median"}, [1.0, 2.0, 3.0, -999.0, 2.0, 3.0]),
    ("impute", "name", {"strategy": "constant", "value": "?"}, ["Ada", "Ada", "Adda", "Bob", "?", "Bob"]),
    ("impute", "name", {"strategy": "most_frequent"}, ["Ada", "Ada", "Adda", "Bob", "Ada", "Bob"]),
    ("fill_from", "total", {"relation": "product", "of": ["n", "price"]}, [2.0, 5.0, 3.0, 8.0, None, 6.5]),
    (
        "fill_from",
        "total",
        {"relation": "product", "of": ["n", "price"], "broken": True},
        [2.0, 5.0, 3.0, -3996.0, None, 6.0],
    ),
    ("fill_from", "total", {"relation": "sum", "of": ["n", "price"]}, [2.0, 5.0, 4.0, 8.0, None, 6.5]),
    ("by_group", "name", {"key": "key"}, ["Ada", "Ada", "Ada", "Bob", "Bob", "Bob"]),
    ("by_group", "name", {"key": "key", "broken": False}, ["Ada", "Ada", "Adda", "Bob", "Bob", "Bob"]),
]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("action", "column", "settings", "expected"), CASES, ids=lambda value: str(value)[:40])
def test_what_an_action_does(
    library: str, action: str, column: str, settings: dict[str, Any], expected: list[Any]
) -> None:
    original = LIBRARIES[library]()
    settings = dict(settings)
    for key in ("of", "key"):
        if key in settings and library == "array":
            settings[key] = list(named(library, *settings[key])) if key == "of" else named(library, settings[key])[0]
    cleaner = Cleaner(remedies=[Fix(action, named(library, column), settings)]).fit(original)
    cleaned = cleaner.clean(original)
    assert type(cleaned.table) is type(original)
    assert cells(cleaned.table, column) == expected
    before = cells(LIBRARIES[library](), column)
    assert cells(original, column) == before  # the original is as it was
    changed = {row for change in cleaned.log for row in change.rows.tolist()}
    assert changed == {i for i in range(6) if before[i] != expected[i] and not says_the_same(before[i], expected[i])}
    for name in TABLE:
        if name != column:
            assert cells(cleaned.table, name) == cells(original, name)
    assert same_table(cleaned.log.replay(original), cleaned.table)
    assert same_table(ChangeLog.from_json(cleaned.log.to_json()).replay(original), cleaned.table)
    assert same_table(cleaner.transform(original), cleaned.table)


def says_the_same(before: Any, after: Any) -> bool:
    """Does a text already say what it was converted to?"""
    return isinstance(after, dt.datetime) and before == after.date().isoformat()


def same_table(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and all(
            x is y or x == y or (x != x and y != y) for x, y in zip(a.ravel(), b.ravel(), strict=True)
        )
    return bool(a.equals(b)) and (not hasattr(a, "dtypes") or list(a.dtypes) == list(b.dtypes))


ROWS = {"a": ["x", "x", "y", "x", None, None], "b": [1.0, 1.0, 2.0, 1.0, 3.0, 3.0], "c": [1, 2, 3, 4, 5, 5]}


@pytest.mark.parametrize(
    ("fix", "left"),
    [
        (Fix("drop_duplicates"), [0, 1, 2, 3, 4]),
        (Fix("drop_duplicates", (), {"keep": "last"}), [0, 1, 2, 3, 5]),
        (Fix("drop_duplicates", ("a", "b")), [0, 2, 4]),
        (Fix("drop_duplicates", ("a", "b"), {"keep": "last"}), [2, 3, 5]),
        (Fix("drop_rows_missing", ("a",)), [0, 1, 2, 3]),
        (Fix("drop_rows_missing"), [0, 1, 2, 3]),
    ],
    ids=str,
)
@pytest.mark.parametrize("library", [pandas.DataFrame, polars.DataFrame])
def test_rows_that_go(library: Any, fix: Fix, left: list[int]) -> None:
    original = library(ROWS)
    y = np.arange(6)
    cleaner = Cleaner(remedies=[fix]).fit(original)
    cleaned = cleaner.clean(original, y)
    assert list(cleaned.table["c"]) == [ROWS["c"][i] for i in left]
    assert cleaned.rows.tolist() == left
    assert cleaned.y.tolist() == left
    assert cleaned.log.rows_dropped.tolist() == sorted(set(range(6)) - set(left))
    assert cleaned.log.replay(original).equals(cleaned.table)
    assert len(cleaner.transform(original)) == 6  # a pipeline keeps its rows


def test_steps_follow_one_another_and_the_log_tells_each() -> None:
    table = pandas.DataFrame({"a": [" 5 kg", "N/A ", "7", "7"]})
    fixes = [
        Fix("trim", ("a",)),
        Fix("to_missing", ("a",), {"values": ["N/A"]}),
        Fix("to_number", ("a",), {"units": ["kg"]}),
        Fix("impute", ("a",), {"strategy": "mean"}),
        Fix("drop_duplicates"),
    ]
    cleaner = Cleaner(remedies=fixes).fit(table)
    cleaned = cleaner.clean(table)
    assert cleaned.table["a"].tolist() == [5.0, 19 / 3, 7.0]
    told = cleaned.log.to_dict()
    assert told["step"] == [1, 1, 2, 3, 4, 5]
    assert told["rows"] == ["0", "1", "1", "0", "1", "3"]
    assert told["cells"] == [1, 1, 1, 1, 1, 1]
    assert told["before"] == [" 5 kg", "N/A ", "N/A", "5 kg", None, None]
    assert told["after"] == ["5 kg", "N/A", None, 5.0, 19 / 3, None]
    assert cleaner.remedies_[3] == Fix("impute", ("a",), {"strategy": "constant", "value": 19 / 3})
    assert str(cleaner.log_) == str(cleaned.log)
    assert cleaned.log.to_csv().splitlines()[1].startswith("1,cells,a, 5 kg,5 kg,1,0,trim('a'),chosen")
    assert cleaned.log.to_frame("pandas").shape == (6, 9)
    assert cleaned.log.to_frame("polars").shape == (6, 9)


def test_what_was_learned_is_used_on_a_new_table(tmp_path: Path) -> None:
    train = pandas.DataFrame({"k": ["a", "a", "b"], "v": [1.0, np.nan, 5.0]})
    cleaner = Cleaner(remedies=[Fix("impute", ("v",), {"strategy": "mean"})]).fit(train)
    new = pandas.DataFrame({"v": [np.nan, 8.0], "k": ["b", "b"]})
    assert cleaner.transform(new)["v"].tolist() == [3.0, 8.0]
    cleaner.save_remedies(tmp_path / "remedies.json")
    again = Cleaner.load_remedies(tmp_path / "remedies.json").fit(train)
    assert again.transform(new).equals(cleaner.transform(new))
    assert clone(again).get_params()["remedies"] == again.remedies


def test_columns_that_go_and_come() -> None:
    table = pandas.DataFrame({"t": pandas.to_datetime(["2020-03-01", None]), "x": [1, 2], "c": [0, 0]})
    fixes = [Fix("split_time", ("t",), {"features": ["year", "month"]}), Fix("drop_column", ("c",))]
    cleaner = Cleaner(remedies=fixes).fit(table)
    cleaned = cleaner.clean(table)
    assert list(cleaned.table.columns) == ["t_year", "t_month", "x"] == cleaner.get_feature_names_out().tolist()
    assert cleaned.table["t_year"].tolist()[0] == 2020
    assert np.isnan(cleaned.table["t_month"].tolist()[1])
    assert cleaned.log.replay(table).equals(cleaned.table)


def test_in_a_pipeline() -> None:
    table = pandas.DataFrame({"a": ["1 kg", "2 kg", "3 kg"], "b": [1.0, 0.0, 2.0]})
    line = make_pipeline(Cleaner(remedies=[Fix("to_number", ("a",), {"units": ["kg"]})]), LinearRegression())
    assert line.fit(table, [1, 2, 3]).predict(table) == pytest.approx([1, 2, 3])


def test_findings_as_remedies() -> None:
    finding = Finding("mine", "error", ("a",), np.array([0]), "two blanks", Fix("trim", ("a",)))
    cleaner = Cleaner(remedies=[finding]).fit(pandas.DataFrame({"a": [" x", "y"]}))
    assert cleaner.log_[0].why == "two blanks"


@pytest.mark.parametrize(
    ("fix", "words"),
    [
        (Fix("polish", ("a",)), "one of the known actions; got 'polish'"),
        (Fix("trim", ("z",)), "names 'z'; there are 'a'"),
        (Fix("trim", ("a",), {"outer": True}), "the settings of trim are inner; got 'outer'"),
        (Fix("clip", ("a",), {"min": 0}), "clip is for columns of numbers; column 'a' holds text"),
        (Fix("split_time", ("a",), {"features": ["year"]}), "for columns of times"),
        (Fix("change_case", ("a",), {"form": "odd"}), "has forms"),
        (Fix("drop_duplicates", (), {"keep": "none"}), "keeps 'first' or 'last'"),
        (Fix("impute", ("a",), {"strategy": "constant"}), "needs its value"),
    ],
    ids=str,
)
def test_remedies_that_do_not_fit(fix: Fix, words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        Cleaner(remedies=[fix]).fit(pandas.DataFrame({"a": ["x", "y"]}))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"remedies": "all"}, "'suggested' or a list"),
        ({"remedies": [1]}, "'suggested', findings, or a list"),
        ({"actions": ["polish"]}, "actions must be among"),
        ({"confidence": "sure"}, "confidence"),
    ],
)
def test_parameters_that_do_not_fit(params: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Cleaner(**params).fit(pandas.DataFrame({"a": ["x", "y"]}))


def test_a_log_is_replayed_on_its_own_table_only() -> None:
    table = pandas.DataFrame({"a": [" x", "y"]})
    log = Cleaner(remedies=[Fix("trim", ("a",))]).fit(table).log_
    with pytest.raises(DataError, match="column 'a' holds 'x' in row 0, not ' x'"):
        log.replay(pandas.DataFrame({"a": ["x", "y"]}))
    with pytest.raises(DataError, match="must be the one that was cleaned"):
        log.replay(pandas.DataFrame({"b": [" x", "y"]}))


def test_a_file_is_data_not_code(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text('[{"action": "__import__", "columns": [], "settings": {}}]')
    with pytest.raises(ParameterError, match="known actions"):
        Cleaner.load_remedies(tmp_path / "r.json").fit(pandas.DataFrame({"a": [1.0]}))


def test_the_target_is_neither_filled_in_nor_used_to_fill_in() -> None:
    """Total = price x amount: with total as the target its gaps stay, and price's gaps are not worked out from it."""
    random = np.random.default_rng(0)
    price, amount = random.integers(1, 9, 300).astype(float), random.integers(1, 6, 300).astype(float)
    total = price * amount
    table = pandas.DataFrame({"price": price, "amount": amount, "total": total})
    table.loc[:9, "total"] = np.nan
    table.loc[20:29, "price"] = np.nan
    free = Cleaner(actions="suggested", confidence="low").fit(table).clean(table).table
    assert free["total"].isna().sum() == 0
    assert free["price"].isna().sum() == 0
    kept = Cleaner(actions="suggested", confidence="low", target="total").fit(table).clean(table).table
    assert kept["total"].isna().sum() == 10
    assert kept["price"].isna().sum() == 10


@pytest.mark.parametrize("action", ["clip", "outside_to_missing"])
def test_limits_leave_cells_alone_that_an_earlier_step_made_missing(action: str) -> None:
    table = polars.DataFrame({"area": ["70.5", "n/a", "88.0", "9000.0", "64.5"]})
    steps = [Fix("to_number", ("area",), {}), Fix(action, ("area",), {"min": 0, "max": 100})]
    cleaned = Cleaner(remedies=steps).fit(table).clean(table).table
    assert cleaned["area"].to_list() == [70.5, None, 88.0, 100.0 if action == "clip" else None, 64.5]
