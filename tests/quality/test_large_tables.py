"""What is done otherwise for speed gives what the plain way gives, on any number of threads."""

from __future__ import annotations

import csv
import datetime as dt
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.data import files
from pellucid.data.coding import code_numbers
from pellucid.data.csv_cells import write_csv
from pellucid.data.slices import fingerprint_of, take_rows, to_csv
from pellucid.quality import Cleaner, check, profile, read
from pellucid.quality.checks.outliers import Ranked, skewness
from pellucid.quality.column import code_together, compute_stats

ROWS = 60_000  # threads are used from 50,000 on


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    random = np.random.default_rng(0)
    x = np.round(random.normal(size=ROWS) * 100, 2)
    holes = np.where(random.random(ROWS) < 0.1, np.nan, random.normal(size=ROWS))
    return pl.DataFrame(
        {
            "x": x,
            "twice": 2 * x,
            "far": np.where(np.arange(ROWS) == 77, 1e6, random.normal(size=ROWS)),
            "holes": pl.Series(holes, nan_to_null=True),
            "code": np.where(random.random(ROWS) < 0.01, -999, random.integers(0, 90, ROWS)),
            "word": random.choice(["red", "green", "blue", "Red"], ROWS),
            "told": np.where(x > 0, "up", "down"),
            "y": np.where(x > 0, "yes", "no"),
        }
    )


def test_the_number_of_threads_changes_nothing(table: pl.DataFrame) -> None:
    def looked(threads: int) -> tuple[Any, list[str], list[list[int]]]:
        stats = compute_stats(table, "test", "y", threads)
        described = profile(stats, target="y", n_jobs=threads).to_dict()
        found = check(stats, target="y", n_jobs=threads)
        return described, [str(one) for one in found], [one.rows.tolist() for one in found]

    one, two, three = looked(1), looked(2), looked(3)
    assert repr(one) == repr(two) == repr(three)
    said = " ".join(one[1])
    assert all(
        word in said
        for word in ("far: 1 value", "-999", "rows of a class of 'y'", "the other way round", "upper and lower")
    )


def test_a_look_that_is_taken_once_says_what_several_say(table: pl.DataFrame) -> None:
    stats = compute_stats(table, "test", "y", 2)
    before = profile(stats, associations=False)
    assert repr(profile(stats, target="y").to_dict()) == repr(profile(table, target="y").to_dict())
    assert before.columns == profile(table, associations=False).columns
    assert [str(one) for one in check(stats)] == [str(one) for one in check(table, target="y")]


def test_a_look_that_forgets_says_the_same_again(table: pl.DataFrame) -> None:
    stats = compute_stats(table.head(500), "test", "y", 1)
    before = [str(one) for one in check(stats)]
    assert stats.columns[0].is_coded
    stats.forget()
    assert not any(column.is_coded for column in stats)
    assert "first_equal" not in vars(stats)
    assert [str(one) for one in check(stats)] == before


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, np.uint64, np.uint16])
@pytest.mark.parametrize("places", [0, 3, 17])
def test_numbers_are_coded_as_by_their_hashes(dtype: Any, places: int) -> None:
    random = np.random.default_rng(places)
    values = np.round(random.normal(size=5_000) * 30, places).astype(dtype)
    column = compute_stats(values[:, None], "test").columns[0]
    code_together([column], 2)
    want = code_numbers(values, np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool), 1)
    assert column.values.dtype == want.values.dtype
    for ours, theirs in ((column.values, want.values), (column.codes, want.codes), (column.counts, want.counts)):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(column.values[column.order], np.sort(want.values))


def test_gaps_and_infinity_among_numbers() -> None:
    column = compute_stats(
        pl.DataFrame({"x": [2.5, None, float("inf"), 2.5, float("nan"), -0.0, 0.0]}), "test"
    ).columns[0]
    assert column.codes.tolist() == [0, -1, 1, 0, -1, 2, 2]
    assert column.values.tolist() == [2.5, float("inf"), 0.0]
    assert column.order.tolist() == [2, 0, 1]
    whole = compute_stats(pl.DataFrame({"x": [None, 0, 7, None, 0]}), "test").columns[0]
    assert whole.codes.tolist() == [-1, 0, 1, -1, 0]
    assert (
        compute_stats(pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Int64)}), "test").columns[0].codes.max() == -1
    )


# ------------------------------------------------------------------------------------------------------------- reading

CELLS = [
    ["1", "-3", "0", "", "123456789012345678"],
    ["1.5", "-0.25", "7", "", "1e5", "2.5E-7", "-0"],
    ["1.5", "1.", ".5", "+2", "1e300", "1e-300"],
    ["007", "1"],
    ["1234567890123456", "0.5"],
    ["12345678901234567890"],
    ["true", "False", ""],
    ["2020-01-31", "1999-12-01"],
    ["x", "1", ""],
    [""],
    ['"1"', "2"],
    ['"a,b"', '"c\n""d"""', "e"],
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("chosen", [[0, 1], [1, 8, 0, 6], list(range(10)), list(range(12)), [2, 0], [9, 1], [10, 1]])
def test_columns_read_as_numbers_are_those_read_as_text_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: list[int], end: str
) -> None:
    random = np.random.default_rng(len(chosen))
    lines = [",".join(f"c{k}" for k in chosen)]
    lines += [",".join(random.choice(CELLS[k]) for k in chosen) for _ in range(500)]
    path = tmp_path / "table.csv"
    path.write_bytes((end.join(lines) + end).encode())
    quick = read(path).table

    def as_text(text: bytes, delimiter: str, quote: str, header: bool, kinds: Any) -> Any:
        return whole(text, delimiter, quote, header, ())

    whole = files._read_csv
    monkeypatch.setattr(files, "_read_csv", as_text)
    slow = read(path).table
    assert quick.schema == slow.schema
    assert quick.equals(slow)


def test_floats_are_read_as_python_reads_them(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    floats = [*(random.normal(size=3_000) * 10.0 ** random.integers(-12, 14, 3_000)).tolist(), 0.1, 1 / 3, 5e-324]
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "".join(f"{value!r},{round(value, 3)!r}\n" for value in floats))
    found = read(path).table
    assert found["a"].to_list() == floats
    assert found["b"].to_list() == [round(value, 3) for value in floats]


# ------------------------------------------------------------------------------------------------------------- writing


def plain_csv(frame: pl.DataFrame) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(frame.columns)
    for row in frame.iter_rows():
        cells = ["" if cell is None or cell != cell else cell for cell in row]
        writer.writerow([cell.isoformat() if isinstance(cell, dt.date | dt.time) else cell for cell in cells])
    return out.getvalue()


def test_a_frame_is_written_as_python_writes_it(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    n = 900
    words = ["", "x", "a,b", 'say "hi"', "two\nlines", "re\rturn", " blank ", "ünï", "=1+1"]
    moments = [dt.datetime(2020, 1, 1) + dt.timedelta(microseconds=int(k)) for k in random.integers(0, 10**14, n - 1)]
    frame = pl.DataFrame(
        {
            "a,b": random.normal(size=n),
            'any "size"': random.normal(size=n) * 10.0 ** random.integers(-20, 25, n),
            "narrow": pl.Series(random.normal(size=n)).cast(pl.Float32),
            "none": pl.Series([float("nan"), float("inf"), None] * (n // 3)),
            "whole": pl.Series([None, *random.integers(-(10**9), 10**9, n - 1).tolist()]),
            "flag": pl.Series([True, False, None] * (n // 3)),
            "word": random.choice(words, n),
            "level": pl.Series(random.choice(["u", "v,w"], n)).cast(pl.Categorical),
            "day": pl.Series([dt.date(987, 1, 1), None, dt.date(9999, 12, 31)] * (n // 3)),
            "moment": pl.Series([None, *moments]),
            "zone": pl.Series([dt.datetime(2020, 5, 1, 5)] * n).dt.replace_time_zone("Europe/Berlin"),
            "time": pl.Series([dt.time(5, 6, 7)] * n),
            "price": pl.Series([Decimal("1.50")] * n),
            "empty": pl.Series([None] * n, dtype=pl.String),
        }
    )
    for part in (frame, frame.head(0), frame.select("word"), frame.select("none", "flag").tail(2)):
        to_csv(part, tmp_path / "table.csv")
        assert (tmp_path / "table.csv").read_bytes() == plain_csv(part).encode()


def test_long_frames_are_written_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"i": range(1_000), "word": ["a,b", None] * 500})
    monkeypatch.setattr("pellucid.data.csv_cells._ROWS", 300)
    write_csv(frame, tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_bytes() == plain_csv(frame).encode()


def test_fingerprints_of_one_table_in_two_libraries_agree() -> None:
    frame = pl.DataFrame({"n": [1.5, None, -0.0], "word": ["ä", None, ""], "day": [dt.date(2020, 1, 1), None, None]})
    assert fingerprint_of(frame) == fingerprint_of(frame.to_arrow())
    assert fingerprint_of(frame) != fingerprint_of(frame.with_columns(word=pl.Series(["ä", "", ""])))
    times = pl.DataFrame({"time": [dt.time(5, 6), None], "long": [dt.timedelta(days=1), None]})
    assert fingerprint_of(times) != fingerprint_of(times.reverse())


def test_all_rows_in_order_are_the_frame_itself() -> None:
    frame = pl.DataFrame({"a": [3, 1, 2], "b": ["x", "y", "z"]})
    assert take_rows(frame, np.arange(3)) is frame
    assert take_rows(frame, np.array([2, 0])).rows() == [(2, "z"), (3, "x")]
    assert take_rows(frame, np.array([], dtype=np.int64)).rows() == []


# -------------------------------------------------------------------------------------------------------------- checks


def test_figures_of_counted_numbers_are_those_of_all_numbers() -> None:
    random = np.random.default_rng(3)
    for numbers in (np.sort(np.round(random.normal(size=5_000), 1)), np.sort(random.exponential(size=3_000))):
        values, counts = np.unique(numbers, return_counts=True)
        ranked = Ranked(values, counts)
        cut = 1 + len(numbers) // 100
        assert ranked.inner_skewness() == pytest.approx(skewness(numbers[cut:-cut]), rel=1e-9)
        assert ranked.mean_and_spread() == pytest.approx((numbers.mean(), numbers.std()), rel=1e-12, abs=1e-15)
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            assert ranked.quantile(share) == pytest.approx(float(np.quantile(numbers, share)), rel=1e-15)


def test_a_cleaner_takes_what_was_found_before(table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    small = table.head(2_000)
    looks: list[Any] = []
    plain = Cleaner._check

    def counted(self: Cleaner, table: Any) -> Any:
        looks.append(table)
        return plain(self, table)

    monkeypatch.setattr(Cleaner, "_check", counted)
    want = Cleaner(target="y", actions="suggested").fit(small)
    times = len(looks)  # once, and again where something was changed
    found = check(small, target="y")
    cleaner = Cleaner(target="y", actions="suggested").fit_findings(small, found)
    assert len(looks) - times == times - 1
    assert cleaner.findings_ is found
    assert cleaner.remedies_ == want.remedies_
    assert "_known" not in vars(cleaner)
