"""Files as they should not be: each ends in a sentence and code 2, or in a report that is none the worse for them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest

from .runner import pellucid

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</style><script>alert(3)</script>",
    '=HYPERLINK("http://evil.example","x")',
    "+1+1",
    "@SUM(A1)",
    "{{7*7}}",
    "\u202egnirts",
]


def refused(folder: Path, *arguments: object) -> str:
    """The sentence with which the command ends; no traceback."""
    ran = pellucid(*arguments, folder=folder)
    assert ran.code == 2, (ran.code, ran.out, ran.err)
    assert "Traceback" not in ran.err
    assert ran.out == ""
    return ran.err


@pytest.mark.parametrize("command", ["report", "quality"])
def test_an_empty_file(tmp_path: Path, command: str) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    assert "is empty" in refused(tmp_path, command, "empty.csv")


def test_no_file_a_folder_and_an_unknown_ending(tmp_path: Path) -> None:
    assert "there is no 'none.csv'" in refused(tmp_path, "report", "none.csv", "-t", "y")
    assert "hint: nothing is fetched" in refused(tmp_path, "report", "https://example.org/a.csv", "-t", "y")
    assert "--connect" in refused(tmp_path, "quality", "select * from birds")
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in refused(tmp_path, "quality", "folder.csv")
    (tmp_path / "letter.docx").write_bytes(b"PK")
    assert "ending must be one of" in refused(tmp_path, "quality", "letter.docx")


def test_binary_files(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8).tobytes()
    for name in ("noise.csv", "noise.parquet", "noise.xlsx", "noise.csv.gz", "noise.arrow", "noise.jsonl"):
        (tmp_path / name).write_bytes(noise)
        ran = pellucid("report", name, "-t", "y", folder=tmp_path)
        assert ran.code == 2, (name, ran.out, ran.err)
        assert "Traceback" not in ran.err


def test_only_a_header_and_one_row(tmp_path: Path) -> None:
    (tmp_path / "head.csv").write_text("a,b,y\n", "utf-8")
    refused(tmp_path, "report", "head.csv", "-t", "y")
    (tmp_path / "one.csv").write_text("a,b,y\n1,2,3\n", "utf-8")
    said = refused(tmp_path, "report", "one.csv", "-t", "y")
    assert "the target must vary" in said or "at least 20 rows" in said
    (tmp_path / "few.csv").write_text("a,b,y\n" + "1,2,3\n4,5,6\n7,8,9\n", "utf-8")
    assert "at least 20 rows" in refused(tmp_path, "report", "few.csv", "-t", "y")
    assert "at least 20 rows" in refused(tmp_path, "report", "few.csv")


def test_the_target_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,Price\n" + "1,2\n3,4\n" * 20, "utf-8")
    said = refused(tmp_path, "report", "t.csv", "-t", "price")
    assert "there is no 'price'; there are 'Price'" in said


def _table(rows: int = 120, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    a, b = random.normal(size=rows), random.normal(size=rows)
    return pl.DataFrame({"a": a, "b": b, "y": np.where(a + b + random.normal(0, 0.3, rows) > 0, "yes", "no")})


def test_a_wrong_delimiter_and_an_empty_column(tmp_path: Path) -> None:
    table = _table().with_columns(nothing=pl.lit(None, dtype=pl.Float64))
    table.write_csv(tmp_path / "odd.csv", separator=";")
    ran = pellucid("report", "odd.csv", "-t", "y", "--minutes", "0.05", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert {one["column"]: one["role"] for one in ran.json["columns"]} == {
        "a": "number",
        "b": "number",
        "nothing": "left out",
    }


@pytest.mark.timeout(900)
def test_thousands_of_columns(tmp_path: Path) -> None:
    random, width = np.random.default_rng(0), 5000
    X = random.normal(size=(60, width)).round(3)
    table = pl.DataFrame({f"x{j}": X[:, j] for j in range(width)}).with_columns(y=pl.Series((X[:, 0] > 0).astype(int)))
    table.write_csv(tmp_path / "wide.csv")
    ran = pellucid("report", "wide.csv", "-t", "y", "--minutes", "0.1", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert (tmp_path / "report" / "report.html").stat().st_size < 5_000_000
    assert len((tmp_path / "report" / "reproduce.py").read_text("utf-8").splitlines()) <= 60


class Reader(HTMLParser):
    """Collects the tags of a page that could run something."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.handlers: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.sources += [str(value) for name, value in attrs if name in ("src", "action")]


def test_hostile_cells_and_names_stay_data(tmp_path: Path) -> None:
    """Cells, names and classes with HTML, scripts and formulas: escaped in the page, text in the workbook."""
    table = _table(160)
    cells = [HOSTILE[i % len(HOSTILE)] for i in range(160)]
    table = table.with_columns(pl.Series("<b>note</b>", cells), pl.Series("x\"y='", [float(i % 7) for i in range(160)]))
    table = table.with_columns(pl.col("y").replace({"yes": "<img src=x onerror=alert(9)>"}))
    table.write_csv(tmp_path / "hostile.csv")
    ran = pellucid("report", "hostile.csv", "-t", "y", "--minutes", "0.05", folder=tmp_path)
    assert ran.code == 0, ran.err
    text = (tmp_path / "report" / "report.html").read_text("utf-8")
    reader = Reader()
    reader.feed(text)
    assert reader.scripts <= 2  # the page's own
    assert reader.handlers == []
    assert reader.sources == []
    assert "<img" not in text
    done = pellucid("clean", "hostile.csv", "-o", "clean.xlsx", folder=tmp_path)
    assert done.code == 0, done.err
    sheet = openpyxl.load_workbook(tmp_path / "clean.xlsx").active
    assert sheet is not None
    kinds = {cell.data_type for row in sheet.iter_rows(min_row=2) for cell in row}
    assert "f" not in kinds
    assert not any(cell.hyperlink for row in sheet.iter_rows() for cell in row)
    shown = pellucid("working", "report/model.pellucid", "--row", "3", "--xlsx", "w.xlsx", folder=tmp_path)
    assert shown.code == 0, shown.err


def test_huge_cells(tmp_path: Path) -> None:
    table = _table(80).with_columns(
        long=pl.Series([("word " * 4000) if i % 9 == 0 else "short text here" for i in range(80)])
    )
    table.write_csv(tmp_path / "huge.csv")
    ran = pellucid("report", "huge.csv", "-t", "y", "--minutes", "0.05", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert (tmp_path / "report" / "report.html").stat().st_size < 5_000_000


def test_a_class_with_one_row_and_a_constant_column(tmp_path: Path) -> None:
    table = _table(100).with_columns(same=pl.lit("x"))
    table = pl.concat([table, pl.DataFrame({"a": [9.0], "b": [9.0], "y": ["maybe"], "same": ["x"]})])
    table.write_csv(tmp_path / "rare.csv")
    ran = pellucid("report", "rare.csv", "-t", "y", "--minutes", "0.05", folder=tmp_path)
    assert ran.code == 0, ran.err


def test_models_that_are_none(tmp_path: Path) -> None:
    _table().write_csv(tmp_path / "t.csv")
    (tmp_path / "m.pellucid").write_bytes(b"not a model")
    assert "Traceback" not in refused(tmp_path, "predict", "m.pellucid", "t.csv")
    assert refused(tmp_path, "predict", "none.pellucid", "t.csv")
    refused(tmp_path, "card", "t.csv")


def test_new_rows_that_lack_a_column(tmp_path: Path) -> None:
    _table().write_csv(tmp_path / "t.csv")
    assert pellucid("train", "t.csv", "-t", "y", folder=tmp_path).code == 0
    _table().drop("b").write_csv(tmp_path / "less.csv")
    ran = pellucid("predict", "model.pellucid", "less.csv", "-o", "out.csv", folder=tmp_path)
    assert ran.code == 2, ran.err
    assert "b" in ran.err
    assert "Traceback" not in ran.err
    refused(tmp_path, "predict", "model.pellucid", "less.csv")  # not even the head of an answer


def test_a_database_file_is_asked_by_a_query(tmp_path: Path) -> None:
    path = tmp_path / "trees.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table trees (height real)")
    assert "--connect sqlite:///" in refused(tmp_path, "quality", path.name)
