"""Files as they come: nothing is lost, and what is odd is said."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path
from typing import Any

import openpyxl
import polars
import pytest

from pellucid.base.errors import DataError
from pellucid.data.files import batches, query_batches
from pellucid.quality import read


@pytest.fixture
def loaded(tmp_path: Path) -> Any:
    def load(content: str | bytes, name: str = "table.csv", **options: Any) -> Any:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(file, **options)

    return load


def test_short_rows_end_with_missing_cells_and_long_ones_get_columns(loaded: Any) -> None:
    found = loaded("a,b,c\n1,2\n1,2,3,4\n5,6,7\n")
    assert found.table.rows() == [(1, 2, None, None), (1, 2, 3, 4), (5, 6, 7, None)]
    assert found.table.columns == ["a", "b", "c", "extra_1"]
    assert [finding.rows.tolist() for finding in found.findings] == [[1], [0]]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_marks_and_wide_characters(loaded: Any, encoding: str) -> None:
    found = loaded("name,n\nxyz,2\n".encode(encoding))
    assert found.table.rows() == [("xyz", 2)]
    assert found.table.columns == ["name", "n"]
    assert len(found.findings) == 1


def test_lines_of_two_encodings(loaded: Any) -> None:
    found = loaded("a,b\nä,2\n".encode() + "ö,3\n".encode("cp1252"))
    assert found.table.rows() == [("ä", 2), ("ö", 3)]
    assert "line 3" in found.findings[0].explanation


def test_a_file_in_windows_1252(loaded: Any) -> None:
    assert loaded("a\nMüller\n".encode("cp1252")).table.rows() == [("Müller",)]


@pytest.mark.parametrize(
    ("text", "encoding", "severity"),
    [
        ("город,цена\n" + "Томск,5\nОмск,6\n" * 20, "cp1251", "error"),
        ("駅,分\n" + "東京,5\n横浜,6\n" * 20, "shift_jis", "error"),
        ("Ort;Maß\n" + "Köln;5 µm\nSüßstraße;6 °\n»Öhr«;–\n" * 20, "cp1252", "note"),
    ],
)
def test_text_that_is_not_western_is_not_silently_read_as_such(
    loaded: Any, text: str, encoding: str, severity: str
) -> None:
    found = next(one for one in loaded(text.encode(encoding)).findings if "UTF-8" in one.explanation)
    assert found.severity == severity
    assert ("suggest another encoding" in found.explanation) == (severity == "error")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(loaded: Any, delimiter: str) -> None:
    text = "a,b\n1.5,2\n3.5,4\n".replace(",", delimiter)
    assert loaded(text).table.rows() == [(1.5, 2), (3.5, 4)]


def test_comma_decimals_stay_text(loaded: Any) -> None:
    assert loaded("a;b\n1,5;2\n").table.rows() == [("1,5", 2)]


def test_a_wrong_delimiter_loses_nothing_and_is_said(loaded: Any) -> None:
    found = loaded("a;b\n1;2\n", delimiter=",")
    assert found.table.rows() == [("1;2",)]
    assert "';'" in found.findings[0].explanation


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('a,b\n"x,2\n3,4\n5,6\n', [('"x', "2"), ("3", "4"), ("5", "6")]),
        ('a,b\n"x, y",2\n3,"4\n5,6\n', [("x, y", "2"), ("3", '"4'), ("5", "6")]),
        ('a,b\n"x\ny",2\n', [("x\ny", "2")]),
        ('a,b\n"he said ""no""",2\n', [('he said "no"', "2")]),
        ('a,b\n5" disk,2\n', [('5" disk', "2")]),
    ],
)
def test_quotes(loaded: Any, text: str, rows: list[Any]) -> None:
    assert loaded(text, typed=False).table.rows() == rows


def test_names_that_are_empty_or_repeated(loaded: Any) -> None:
    found = loaded("a,a,,a_2\n1,2,3,4\n")
    assert found.table.columns == ["a", "a_3", "column_3", "a_2"]
    assert len(found.findings) == 2


@pytest.mark.parametrize(
    ("cells", "kept"),
    [
        (["01234", "99999"], ["01234", "99999"]),
        (["12345678901234567890", "1"], ["12345678901234567890", "1"]),
        (["1", "2"], [1, 2]),
        (["1", "2.5", ""], [1.0, 2.5, None]),
        (["1.5e3", "-.5"], [1500.0, -0.5]),
        (["true", "False"], [True, False]),
        (["1", "x"], ["1", "x"]),
        (["2020-02-30", "2020-01-01"], ["2020-02-30", "2020-01-01"]),
    ],
)
def test_types_that_lose_nothing(loaded: Any, cells: list[str], kept: list[Any]) -> None:
    assert loaded("k,c\n" + "".join(f"r,{cell}\n" for cell in cells)).table["c"].to_list() == kept


def test_days_and_times(loaded: Any) -> None:
    table = loaded("d,t\n2020-01-05,2020-01-05 10:11\n2021-02-03,2020-01-05T10:11:12\n").table
    assert [str(dtype) for dtype in table.dtypes] == ["Date", "Datetime(time_unit='us', time_zone=None)"]


def test_a_first_row_of_numbers(loaded: Any) -> None:
    found = loaded("1,2\n3,4\n")
    assert found.table.rows() == [(1, 2), (3, 4)]
    assert "header=True" in found.findings[0].explanation
    assert loaded("1,2\n3,4\n", header=True).table.rows() == [(3, 4)]


def test_ten_thousand_columns(loaded: Any) -> None:
    names = ",".join(f"c{j}" for j in range(10_000))
    assert loaded(names + "\n" + ",".join("1" * 10_000)).table.shape == (1, 10_000)


def test_packed_files(loaded: Any) -> None:
    assert loaded(gzip.compress(b"a\n1\n"), "table.csv.gz").table.rows() == [(1,)]


def test_other_formats(tmp_path: Path) -> None:
    frame = polars.DataFrame({"a": [1, 2], "b": ["x", None]})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    frame.write_ndjson(tmp_path / "t.jsonl")
    for name in ("t.parquet", "t.arrow", "t.jsonl"):
        assert read(tmp_path / name).table.equals(frame)


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"", "a.csv", "'a.csv' is empty"),
        (b"\n \n", "a.csv", "blanks alone"),
        (b"nope", "a.parquet", "must be readable as .parquet"),
        (b"nope", "a.csv.gz", "must be readable as .gz"),
        (b"x", "a.foo", "ending must be one of"),
        (b"\x89PNG\x00\x00\x01\x00\x02\x03", "a.csv", "the file must be text"),
    ],
)
def test_what_is_no_table(loaded: Any, content: bytes, name: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        loaded(content, name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the file must exist"):
        read(tmp_path / "no.csv")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"encoding": "klingon"}, "that Python knows"),
        ({"encoding": "ascii"}, "is not ascii"),
        ({"delimiter": "ab"}, "one ASCII character"),
    ],
)
def test_options_that_do_not_fit(loaded: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        loaded("a,b\nä,1\n", **options)


def test_parts_of_a_file_are_the_whole(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,a\n" + "".join(f"{i},{i * i}\n" for i in range(1000)))
    parts = list(batches(file, "test", rows=100))
    assert len(parts) > 1
    whole = polars.concat(parts)
    assert whole.columns == ["a", "a_2"]
    assert whole["a"].to_list() == [str(i) for i in range(1000)]


def test_a_query_in_parts() -> None:
    base = sqlite3.connect(":memory:")
    base.execute("create table t (a integer, b text)")
    base.executemany("insert into t values (?, ?)", [(i, str(i)) for i in range(50)])
    parts = list(query_batches("select * from t", base, "test", rows=20))
    assert [part.height for part in parts] == [20, 20, 10]
    with pytest.raises(DataError, match="the query must run"):
        list(query_batches("select * from nothing", base, "test"))


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_a_packed_file_that_is_broken_is_told_in_words(loaded: Any, ending: str) -> None:
    with pytest.raises(DataError, match=f"'t.csv.{ending}' must be readable as .{ending}"):
        loaded("hello", f"t.csv.{ending}")


def test_damage_inside_a_packed_file_is_told_in_words(loaded: Any) -> None:
    packed = gzip.compress(b"a,b\n" * 100)
    with pytest.raises(DataError, match=r"must be readable as .gz"):
        loaded(packed[:14] + b"\xff\xff" + packed[16:], "t.csv.gz")


def test_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["name", "age"], ["Ada", 36], ["Bob", None]):
        book.active.append(row)
    book.save(tmp_path / "people.xlsx")
    assert read(tmp_path / "people.xlsx").table.rows() == [("Ada", 36), ("Bob", None)]
    (tmp_path / "broken.xlsx").write_text("name,age")
    with pytest.raises(DataError, match=r"'broken.xlsx' must be readable as .xlsx"):
        read(tmp_path / "broken.xlsx")


def test_a_packed_file_in_parts(tmp_path: Path) -> None:
    file = tmp_path / "long.csv.gz"
    file.write_bytes(gzip.compress(b"n;m\n" + b"1;2\n" * 1000))
    parts = list(batches(file, "a", rows=300))
    assert sum(part.height for part in parts) == 1000
    assert parts[0].columns == ["n", "m"]


def test_what_is_no_path_is_refused() -> None:
    with pytest.raises(DataError, match="the source must be the path of a file; got int"):
        read(3)  # type: ignore[arg-type]
