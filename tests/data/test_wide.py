"""Wide and short frames are read in one piece; what is read is the same as column by column."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pellucid.base.errors import DataError
from pellucid.data.blocks import SHORT, WIDE, is_wide
from pellucid.data.coding import categories_in, code_column, encode_table
from pellucid.data.design import InputSpec, apply_schema, infer_schema
from pellucid.data.table import Table, read_table

NAN = float("nan")
DAY = datetime.date(2024, 1, 1)
ANYTHING = InputSpec(missing=True, categories=True)
COLUMNS: dict[str, pl.Series] = {
    "float": pl.Series([1.5, NAN, None, -0.0]),
    "infinite": pl.Series([1.5, float("inf"), None, 2.0]),
    "single": pl.Series([1.5, NAN, None, 2.0], dtype=pl.Float32),
    "whole": pl.Series([1, 2**60 + 1, -3, 4]),
    "whole with a gap": pl.Series([1, None, -3, 2**60]),
    "byte": pl.Series([1, 255, 3, 4], dtype=pl.UInt8),
    "short": pl.Series([1, None, 3, -4], dtype=pl.Int16),
    "long": pl.Series([1, 2, 3, 4], dtype=pl.Int128),
    "money": pl.Series([Decimal("1.25"), None, Decimal("2.5"), Decimal("3.75")]),
    "flag": pl.Series([True, False, True, True]),
    "flag with a gap": pl.Series([True, None, False, True]),
    "word": pl.Series(["b", "a", "b", "c"]),
    "word with a gap": pl.Series(["b", None, "", "b"]),
    "word with a nought byte": pl.Series(["a\0", "a", "b", "a"]),
    "no word": pl.Series(["", "", "", ""]),
    "digits": pl.Series(["1", "2", "10", "2"]),
    "empty words": pl.Series([None, None, None, None], dtype=pl.String),
    "first is missing": pl.Series([None, "b", "a", None]),
    "category": pl.Series(["x", "y", None, "x"], dtype=pl.Categorical),
    "ordered": pl.Series(["low", "high", "low", None], dtype=pl.Enum(["low", "high"])),
    "nothing": pl.Series([None, None, None, None], dtype=pl.Null),
    "day": pl.Series([DAY, None, DAY, DAY]),
    "time": pl.Series([datetime.datetime(2024, 1, 1), None, None, datetime.datetime(2025, 1, 1)]),
}
TIMES = ("day", "time")


def wide(columns: dict[str, pl.Series], copies: int = 8) -> pl.DataFrame:
    """Every column several times over."""
    return pl.DataFrame({f"{name} {k}": column for k in range(copies) for name, column in columns.items()})


def same(a: Any, b: Any) -> bool:
    """The same type and the same cells, NaN and missing ones too."""
    return bool(a.dtype == b.dtype) and repr(a.tolist()) == repr(b.tolist())


def alone(frame: Any, j: int) -> Table:
    """A column in a table of its own, which is narrow."""
    return read_table(frame[:, [j]] if isinstance(frame, pl.DataFrame) else frame.iloc[:, [j]], "Model")


@pytest.fixture(params=["polars", "pandas"])
def frame(request: pytest.FixtureRequest) -> Any:
    columns = {name: one for name, one in COLUMNS.items() if request.param == "polars" or name != "long"}
    made = wide(columns)
    if request.param == "polars":
        return made
    return made.drop([name for name in made.columns if "nothing" in name]).to_pandas()


def test_what_is_wide() -> None:
    assert is_wide(10, WIDE)
    assert is_wide(SHORT, WIDE)
    assert not is_wide(10, WIDE - 1)
    assert not is_wide(SHORT + 1, WIDE)


def test_kinds_columns_and_gaps_are_those_of_each_column_alone(frame: Any) -> None:
    table = read_table(frame, "Model")
    assert len(table.numbers) > 0
    for j in range(table.n_cols):
        narrow = alone(frame, j)
        assert narrow.numbers == {}
        assert table.kinds[j] == narrow.kinds[0], table.label(j)
        assert table.dtypes[j] == narrow.dtypes[0], table.label(j)
        assert same(table.column(j), narrow.column(0)), table.label(j)
        assert table.missing(j).tolist() == narrow.missing(0).tolist(), table.label(j)


def test_which_columns_are_read_in_one_piece() -> None:
    made = wide(COLUMNS)
    table = read_table(made, "Model")
    found = {str(made.columns[j]).rsplit(" ", 1)[0] for j in table.numbers}
    assert found == {"float", "infinite", "single", "whole", "byte"}
    assert not any(column.flags.writeable for column in table.numbers.values())


def test_nothing_is_read_in_one_piece_of_long_frames_arrays_and_arrow() -> None:
    long = pl.DataFrame({f"x{j}": np.zeros(SHORT + 1) for j in range(WIDE)})
    assert read_table(long, "Model").numbers == {}
    assert read_table(np.zeros((3, WIDE)), "Model").numbers == {}
    assert read_table(pa.table({f"x{j}": [1.0] for j in range(WIDE)}), "Model").numbers == {}


def test_codes_are_those_of_each_column_alone(frame: Any) -> None:
    table = read_table(frame, "Model")
    for j in range(table.n_cols):
        ours, theirs = code_column(table, j, 1), code_column(alone(frame, j), 0, 1)
        assert same(ours.values, theirs.values), table.label(j)
        assert ours.counts.tolist() == theirs.counts.tolist(), table.label(j)
        assert ours.codes.tolist() == theirs.codes.tolist(), table.label(j)


def test_codes_belong_to_whoever_asked() -> None:
    table = read_table(wide(COLUMNS), "Model")
    j = list(COLUMNS).index("word")
    code_column(table, j, 1).codes[:] = 7
    assert code_column(table, j, 1).codes.tolist() == [0, 1, 0, 2]


def test_categories_are_those_of_each_column_alone(frame: Any) -> None:
    table = read_table(frame, "Model")
    for j in range(table.n_cols):
        if "infinite" in table.label(j):
            continue
        known, often = categories_in(table, j, 1, "Model")
        expected, times = categories_in(alone(frame, j), 0, 1, "Model")
        assert same(known, expected), table.label(j)
        assert often.tolist() == times.tolist(), table.label(j)


def test_encoded_words_are_those_of_each_column_alone() -> None:
    words = {name: one for name, one in COLUMNS.items() if one.dtype == pl.String}
    seen, later = wide(words, 20), wide({name: one.reverse() for name, one in words.items()}, 20)
    later = later.with_columns(pl.lit("new").alias("word 3"))
    table = read_table(later, "Model")
    known = [categories_in(read_table(seen, "Model"), j, 1, "Model")[0] for j in range(table.n_cols)]
    codes = encode_table(table, known, 1, "Model")
    for j in range(table.n_cols):
        assert codes[j].tolist() == encode_table(alone(later, j), known[j : j + 1], 1, "Model")[0].tolist()
    assert set(codes[later.columns.index("word 3")].tolist()) == {-1}


def test_a_wide_table_is_converted_as_its_columns_alone_are() -> None:
    kept = {name: one for name, one in COLUMNS.items() if name not in (*TIMES, "infinite")}
    made = wide(kept)
    design = infer_schema(made, ANYTHING, "Model")
    again = apply_schema(made.reverse(), design.schema, ANYTHING, "Model")
    assert design.numbers.dtype == np.float64
    for j in range(design.n_cols):
        narrow = infer_schema(made[:, [j]], ANYTHING, "Model")
        expected = narrow.numbers[:, 0].astype(np.float64)
        assert np.array_equal(design.numbers[:, j], expected, equal_nan=True), made.columns[j]
        assert np.array_equal(again.numbers[::-1, j], expected, equal_nan=True), made.columns[j]
        assert design.schema.categories.get(j) == narrow.schema.categories.get(0)


def test_unknown_words_are_missing_or_refused_in_a_wide_table() -> None:
    seen = wide({"word": COLUMNS["word"]}, WIDE)
    later = seen.with_columns(pl.lit("new").alias("word 5"))
    lenient = InputSpec(missing=True, categories=True, unknown="missing")
    design = infer_schema(seen, lenient, "Model")
    found = apply_schema(later, design.schema, lenient, "Model").numbers
    assert np.isnan(found[:, 5]).all()
    assert not np.isnan(np.delete(found, 5, axis=1)).any()
    with pytest.raises(DataError, match=r"column 'word 5' holds 'new' \(rows 0, 1, 2, 3\)"):
        apply_schema(later, design.schema, ANYTHING, "Model")


@pytest.mark.parametrize("library", ["polars", "pandas", "array"])
def test_infinity_in_a_wide_table_is_named(library: str) -> None:
    X = np.zeros((3, 200))
    X[1, 70], X[2, 150], X[0, 10] = np.inf, -np.inf, np.nan
    made: Any = pl.DataFrame({f"x{j}": X[:, j] for j in range(200)})
    made = {"polars": made, "pandas": pd.DataFrame(X, columns=made.columns), "array": X}[library]
    with pytest.raises(DataError, match=r"column 'x70' has 1 infinite value \(inf\) in row 1"):
        infer_schema(made, ANYTHING, "Model")
