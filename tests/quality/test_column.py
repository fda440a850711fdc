"""Columns by their distinct values: the same from every library and every way of storing texts."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pellucid.base.errors import ParameterError
from pellucid.data.stored import stored_numbers
from pellucid.data.table import read_table
from pellucid.data.texts import code_texts
from pellucid.quality.column import compute_stats

WORDS = ["red", None, "a word of more than twelve bytes", "red", "", "grün", "red", "grün"]
CODES = [0, -1, 1, 0, 2, 3, 0, 3]
VALUES = ["red", "a word of more than twelve bytes", "", "grün"]

TEXTS: dict[str, Any] = {
    "pandas str": lambda: pd.DataFrame({"w": pd.Series(WORDS, dtype="str")}),
    "pandas object": lambda: pd.DataFrame({"w": pd.Series(WORDS, dtype=object)}),
    "pandas category": lambda: pd.DataFrame({"w": pd.Categorical(WORDS)}),
    "polars": lambda: pl.DataFrame({"w": WORDS}),
    "polars category": lambda: pl.DataFrame({"w": pl.Series(WORDS, dtype=pl.Categorical)}),
    "polars enum": lambda: pl.DataFrame({"w": pl.Series(WORDS, dtype=pl.Enum([*reversed(VALUES), "unused"]))}),
    "pyarrow": lambda: pa.table({"w": pa.array(WORDS)}),
    "pyarrow large": lambda: pa.table({"w": pa.array(WORDS, pa.large_string())}),
    "pyarrow view": lambda: pa.table({"w": pa.array(WORDS, pa.string_view())}),
    "pyarrow chunks": lambda: pa.table({"w": pa.chunked_array([WORDS[:3], WORDS[3:4], WORDS[4:]])}),
    "pyarrow dictionary": lambda: pa.table({"w": pa.array(WORDS).dictionary_encode()}),
    "pyarrow slice": lambda: pa.table({"w": pa.array(["off", *WORDS, "off"])}).slice(1, len(WORDS)),
    "NumPy": lambda: np.array(WORDS, dtype=object)[:, None],
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_coded_in_the_order_in_which_they_are_met(name: str) -> None:
    column = compute_stats(TEXTS[name](), "test").columns[0]
    assert column.values.tolist() == VALUES
    assert column.codes.tolist() == CODES
    assert column.counts.tolist() == [3, 1, 1, 2]
    assert column.texts == VALUES
    assert column.missing.tolist() == [word is None for word in WORDS]
    assert column.rows_of([True, False, False, True]).tolist() == [0, 3, 5, 6, 7]


@pytest.mark.parametrize("name", [name for name in TEXTS if "category" not in name or "pandas" not in name])
def test_the_kernel_reads_the_memory_of_every_library(name: str) -> None:
    coded = code_texts(read_table(TEXTS[name](), "test"), 0)
    assert coded is not None
    assert coded.values == VALUES
    same = code_texts(read_table(TEXTS["polars"](), "test"), 0)
    assert same is not None
    assert coded.hashes.tolist() == same.hashes.tolist()


def test_what_is_no_text_is_left_to_others() -> None:
    mixed = pd.DataFrame({"m": pd.Series(["a", 1, None], dtype=object), "c": pd.Categorical([1, 2, 1])})
    stats = compute_stats(mixed, "test")
    assert stats["m"].values.tolist() == ["a", 1]
    assert stats["c"].values.tolist() == [1, 2]
    lonely = np.array([["\ud800"], ["a"], ["\ud800"]], dtype=object)  # has no UTF-8
    assert compute_stats(lonely, "test").columns[0].codes.tolist() == [0, 1, 0]


def test_many_texts_have_the_codes_of_pandas() -> None:
    random = np.random.default_rng(0)
    words = [f"{'x' * (k % 23)}{k}" for k in random.integers(0, 3000, size=20_000).tolist()]
    codes, values = pd.factorize(np.array(words, dtype=object))
    column = compute_stats(pl.DataFrame({"w": words}), "test").columns[0]
    assert column.codes.tolist() == codes.tolist()
    assert column.values.tolist() == values.tolist()


@pytest.mark.parametrize(
    ("column", "values", "missing", "unit"),
    [
        (pl.Series([1, None, 2**60 + 1]), [1, 0, 2**60 + 1], [False, True, False], ""),
        (pl.Series([True, None, False]), [1, 0, 0], [False, True, False], ""),
        (pd.Series([1, None, 2**60 + 1], dtype="Int64"), [1, 0, 2**60 + 1], [False, True, False], ""),
        (pl.Series([datetime.date(1970, 1, 2)]), [1], None, "D"),
        (pd.Series(pd.to_datetime(["1970-01-01 00:00:01"])).dt.as_unit("ms"), [1000], None, "ms"),
        (pd.Series([datetime.timedelta(minutes=2)]), [120.0], None, ""),
        (pd.Series([1, None, 3], dtype=object), [1, 0, 3], [False, True, False], ""),
        (pd.Series([datetime.date(1970, 1, 2)], dtype=object), [86_400_000_000], None, "us"),
    ],
)
def test_numbers_are_stored_without_loss(column: Any, values: list[Any], missing: Any, unit: str) -> None:
    frame = pl.DataFrame({"x": column}) if isinstance(column, pl.Series) else pd.DataFrame({"x": column})
    found = stored_numbers(read_table(frame, "test"), 0)
    assert found is not None
    assert found.values.tolist() == values
    assert (None if found.missing is None else found.missing.tolist()) == missing
    assert found.unit == unit


def test_a_time_with_an_offset_is_a_point_in_time() -> None:
    oslo = pd.DataFrame({"t": pd.to_datetime(["2020-07-01 02:00"]).tz_localize("Europe/Oslo")})
    utc = pd.DataFrame({"t": pd.to_datetime(["2020-07-01 00:00"])})
    first, second = (stored_numbers(read_table(frame, "test"), 0) for frame in (oslo, utc))
    assert first is not None
    assert second is not None
    assert first.values.tolist() == second.values.tolist()


def test_numbers_and_gaps_agree_with_the_table() -> None:
    frame = pd.DataFrame({"a": [1.0, np.nan], "b": pd.array([1, None], dtype="Int64"), "c": [None, True]})
    for column in compute_stats(frame, "test"):
        assert column.missing.tolist() == column.table.missing(column.place).tolist()
        np.testing.assert_array_equal(np.isnan(column.numbers), column.missing)


def test_an_unknown_target_is_named() -> None:
    with pytest.raises(ParameterError, match="target must be the name of a column; got 'z'; there are 'a'"):
        compute_stats(pd.DataFrame({"a": [1]}), "profile", target="z")
