"""Text files as people and programs write them: what is no row is left out and stated, and no row is lost."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import polars as pl
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.data.baskets import basket_lines_of_file
from pellucid.data.files import batches
from pellucid.data.rewriting import Edits, rewrite
from pellucid.quality import Cleaner, Fix, read
from pellucid.quality.writing import write_cleaned

RANDOM = np.random.default_rng(0)
N = 40
TABLE = pl.DataFrame(
    {
        "station": np.arange(100, 100 + N),
        "region": [("north", "south", "east")[k % 3] for k in range(N)],
        "temp": RANDOM.normal(20, 5, N).round(2),
        "count": RANDOM.integers(1, 90, N),
    }
)
HEADER, BODY = TABLE.write_csv().split("\n", 1)
PLAIN = f"{HEADER}\n{BODY}"
SUMS = f"{TABLE['temp'].sum():.2f},{TABLE['count'].sum()}"
FIXED = f"{'station':<9}{'region':<8}{'temp':>8}{'count':>7}\n" + "".join(
    f"{a:<9}{b:<8}{c:>8}{d:>7}\n" for a, b, c, d in TABLE.rows()
)
TEXTS: dict[str, tuple[str | bytes, str]] = {
    "comments": (f"# stations\n# license: CC-BY, 2020\n{PLAIN}", "2 lines above the table"),
    "names in a comment": (f"##made by hand\n#{PLAIN}", "the last line of the comments names the columns"),
    "a title": (f"Report 2023\n\n{PLAIN}", "1 line above the table"),
    "a title filled up": (f"Report 2023,,,\nprinted in May,,,\n,,,\n{PLAIN}", "3 lines above the table"),
    "facts above": (f"Place,Berlin\nLatitude,52.5\n\n{PLAIN}", "2 lines above the table"),
    "a source below": (f"{PLAIN}\nSource: office of statistics\n", "the line below the table"),
    "units": (f"{HEADER}\n,,°C,pcs\n{BODY}", "temp in °C, count in pcs"),
    "a total": (f"{PLAIN}Total,,{SUMS}\n", "holds the sums of 'temp', 'count'"),
    "the header again": (PLAIN.replace("\n120,", f"\n{HEADER}\n120,"), "1 line inside the table repeats the header"),
    "delimiters at the end": (PLAIN.replace("\n", ",\n"), "rows end with a delimiter"),
    "delimiters behind rows": (f"{HEADER}\n" + BODY.replace("\n", ",\n"), "rows end with a delimiter"),
    "a fixed width": (FIXED, "fields are separated by blanks"),
    "old line ends": (PLAIN.replace("\n", "\r").encode(), "carriage return"),
    "a total without a name": (f"{PLAIN},,{SUMS}\n", "holds the sums of 'temp', 'count'"),
    "empty lines": (PLAIN.replace("\n1", "\n\n1"), "empty lines in 40 places"),
    "the delimiter in the first line": ("sep=;\n" + PLAIN.replace(",", ";"), "separated by ';'"),
    "attributes": (
        "% made by hand\n@relation x\n@attribute station numeric\n@attribute region {north,south,east}\n"
        f"@attribute temp numeric\n@attribute 'count' numeric\n@data\n{BODY}",
        "the file is ARFF",
    ),
    "semicolons": (PLAIN.replace(",", ";"), "';'"),
    "bars": (PLAIN.replace(",", "|"), "'|'"),
}


@pytest.fixture
def loaded(tmp_path: Path) -> Any:
    def load(content: str | bytes, name: str = "table.csv", **options: Any) -> Any:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(file, **options)

    return load


def test_cells_of_arff(loaded: Any) -> None:
    """Quotes of either kind with commas and quotes in them, comments, and a question mark for a missing value."""
    head = "% made by hand\n@RELATION weather\n@attribute 'out look' string\n@attribute \"hum%\" numeric\n@data\n"
    rows = ["sunny, 85", "% a comment", "'it''s hot, very',?", "'a\\'b',90", '"x, y",95', "'?',1.5", "north wind,70"]
    found = loaded(head + "\n".join(rows) + "\n", "weather.arff").table
    assert found.columns == ["out look", "hum%"]
    assert found["out look"].to_list() == ["sunny", "it's hot, very", "a'b", "x, y", "?", "north wind"]
    assert found["hum%"].to_list() == [85, None, 90, 95, 1.5, 70]


def test_a_cleaned_arff_is_written_as_csv(tmp_path: Path) -> None:
    source, out = tmp_path / "x.arff", tmp_path / "x.csv"
    source.write_text("@relation x\n@attribute a string\n@attribute b numeric\n@data\n'p, q',1\nr,?\n")
    assert rewrite(source, out, Edits(["a", "b"], 2, [], np.zeros(0, dtype=np.int64)), "clean")
    assert out.read_text() == 'a,b\n"p, q",1\nr,\n'
    with pytest.raises(ParameterError, match="not written as ARFF"):
        rewrite(out, tmp_path / "y.arff", Edits(["a", "b"], 2, [], np.zeros(0, dtype=np.int64)), "clean")


def test_rows_of_sparse_arff_are_not_read(loaded: Any) -> None:
    found = loaded("@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n{0 1}\n{1 2.5}\n", "x.arff")
    assert any("sparse ARFF" in str(one) for one in found.findings)


def test_rows_of_arff_are_no_baskets(tmp_path: Path) -> None:
    rows = [", ".join(["red", "green", "blue"][: 1 + k % 3]) for k in range(60)]
    file = tmp_path / "x.arff"
    file.write_text("@relation x\n@attribute a string\n@data\n" + "\n".join(rows) + "\n")
    assert basket_lines_of_file(file) is None


@pytest.mark.parametrize("name", TEXTS)
def test_the_same_table_in_many_files(loaded: Any, name: str) -> None:
    text, words = TEXTS[name]
    found = loaded(text)
    assert found.table.columns == TABLE.columns
    assert found.table.rows() == TABLE.rows()
    assert any(words in finding.explanation for finding in found.findings), list(map(str, found.findings))


def test_everything_can_be_kept(loaded: Any) -> None:
    found = loaded(f"{PLAIN}Total,,{SUMS}\n", keep_all=True)
    assert found.table.height == N + 1


def test_a_last_row_that_is_no_sum_stays(loaded: Any) -> None:
    found = loaded(f"{PLAIN}Total,,1.5,3\n")
    assert found.table.height == N + 1
    assert "holds no sums" in found.findings[-1].explanation


def test_a_file_in_parts_has_the_same_rows(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(f"# stations\n{HEADER}\n,,°C,pcs\n{BODY}", "utf-8")
    parts = list(batches(tmp_path / "table.csv", "test", rows=15))
    assert [part.height for part in parts] == [15, 15, 10]
    assert pl.concat(parts)["station"].to_list() == [str(value) for value in TABLE["station"]]


# --------------------------------------------------------------------------------------------------------- the header

DATA = {
    "measurements": ("5.1,3.5,setosa\n4.9,3.0,setosa\n6.2,2.9,virginica\n", 3),
    "decimal commas": ("5,12;3,51\n4,90;3,02\n6,21;2,97\n", 3),
    "days": ("2020-01-01,4\n2020-01-02,6\n2020-01-03,2\n", 3),
    "letters": ("x,s,n\nb,s,y\nx,y,n\nb,y,n\nx,s,y\nx,s,n\n" * 3, 18),
    "a word list": ("apple\nbanana\ncherry\ndate\nelder\nfig\n", 6),
    "years in rows": ("Ann,1950,1961,1999\nBob,1961,1980,2001\nEve,1970,1991,2020\n", 3),
    "a missing cell": ("1,?,3\n4,5,6\n7,8,9\n1,2,3\n", 4),
}
NAMED = {
    "numbers below": "a,b\n1,2\n3,4\n",
    "categories": "color,shape\n" + "red,round\nblue,square\n" * 10,
    "years": "country,1999,2000,2001\nChad,5,6,7\nPeru,8,9,12\nMali,3,1,2\n",
    "years of a census": "country,1950,1960,1970,2001,2002\nChad,1,2,3,5,6\nPeru,4,5,8,9,12\nMali,1,3,1,2,2\n",
    "texts": "title,text\n" + "".join(f"Part {k},This is a long sentence with the number {k}.\n" for k in range(8)),
    "one wrong cell": "n,m\n1,2\n3,x\n5,6\n7,8\n" + "9,1\n" * 20,
}


@pytest.mark.parametrize("name", DATA)
def test_a_first_row_of_data_is_not_lost(loaded: Any, name: str) -> None:
    text, n = DATA[name]
    found = loaded(text)
    assert found.table.height == n
    assert found.table.columns[0] == "column_1"
    assert any("read as data" in finding.explanation for finding in found.findings)


@pytest.mark.parametrize("name", NAMED)
def test_a_header_is_a_header(loaded: Any, name: str) -> None:
    found = loaded(NAMED[name])
    assert found.table.columns == NAMED[name].split("\n")[0].split(",")


def test_a_header_that_may_be_data_is_stated(loaded: Any) -> None:
    found = loaded("Rome,Italy\nOslo,Norway\nBern,Switzerland\nParis,France\nLima,Peru\n")
    assert any("header=False" in one.explanation and one.severity == "warning" for one in found.findings)


def test_rows_with_names_of_their_own(loaded: Any) -> None:
    found = loaded('"x","y"\n"1",2,3\n"2",4,5\n"3",6,7\n')
    assert found.table.rows() == [(1, 2, 3), (2, 4, 5), (3, 6, 7)]
    assert found.table.columns == ["row", "x", "y"]


@pytest.mark.parametrize("first", ["", "Unnamed: 0"])
def test_an_index_is_stated(loaded: Any, first: str) -> None:
    found = loaded(f"{first},v\n" + "".join(f"{k},{k * 3 % 7}\n" for k in range(9)))
    assert any("it is an index" in finding.explanation for finding in found.findings)


def test_numbers_between_blanks_and_a_name_behind_a_tab(loaded: Any) -> None:
    text = "".join(f'{18 + k}.0   8   {307 + k}.5   {k}\t"model {k} of 30"\n' for k in range(30))
    found = loaded(text, "auto.data")
    assert found.table.shape == (30, 5)
    assert found.table.row(2) == (20.0, 8, 309.5, 2, "model 2 of 30")


def test_texts_of_a_fixed_width(loaded: Any) -> None:
    names = ["Ann Lee", "Bo", "Christa von Ehr", "Dan"]
    towns = ["New York", "Oslo", "San Jose"]
    rows = [(names[k % 4], 20 + k, towns[k % 3]) for k in range(24)]
    text = f"{'name':<18}{'age':>4} {'town':<12}\n" + "".join(f"{a:<18}{b:>4} {c:<12}\n" for a, b, c in rows)
    assert loaded(text, "people.txt").table.rows() == rows


# ------------------------------------------------------------------------------------------------------ other formats


def test_json(loaded: Any) -> None:
    records = [{"id": k, "place": {"x": k / 2}, "tags": ["a"]} for k in range(3)]
    found = loaded(json.dumps(records), "t.json")
    assert found.table.rows() == [(0, 0.0, '["a"]'), (1, 0.5, '["a"]'), (2, 1.0, '["a"]')]
    assert found.table.columns == ["id", "place.x", "tags"]
    assert len(found.findings) == 2
    assert loaded('{"a": [1, 2], "b": ["x", "y"]}', "t.json").table.rows() == [(1, "x"), (2, "y")]
    assert loaded('{"meta": 1, "data": [{"a": 1}, {"a": 2}]}', "t.json").table.rows() == [(1,), (2,)]
    assert loaded('{"a": {"b": 1}}\n{"a": {"b": 2}}\n', "t.jsonl").table.columns == ["a.b"]
    with pytest.raises(DataError, match="must hold one table"):
        loaded('{"a": [{"x": 1}], "b": [{"y": 1}]}', "t.json")
    with pytest.raises(DataError, match="must be JSON"):
        loaded('{"a": [1, 2', "t.json")


def test_an_archive_of_one_file(loaded: Any) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("inside.csv", PLAIN)
    assert loaded(out.getvalue(), "t.zip").table.rows() == TABLE.rows()
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("more.csv", PLAIN)
    with pytest.raises(DataError, match=r"must hold one file; 't\.zip' holds 'inside\.csv', 'more\.csv'"):
        loaded(out.getvalue(), "t.zip")


def test_a_workbook_with_a_title_and_more_sheets(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "cover"
    sheet = book.create_sheet("data")
    for row in ([], ["My report"], [], TABLE.columns, *map(list, TABLE.rows())):
        sheet.append(row)
    book.create_sheet("other").append(["x", "y"])
    book.save(tmp_path / "book.xlsx")
    found = read(tmp_path / "book.xlsx")
    assert found.table.rows() == TABLE.rows()
    assert any("not read: 'cover', 'other'" in finding.explanation for finding in found.findings)
    with pytest.raises(DataError, match="must be a sheet of the workbook"):
        read(tmp_path / "book.xlsx", sheet="none")


def test_units_below_the_names_in_comments_are_no_names(tmp_path: Path) -> None:
    rows = "".join(f"2021,{k % 12 + 1:02d},{k % 9 + 0.5},{k % 7 + 1.5},{k % 5}.0\n" for k in range(60))
    text = f"#YY,MM,WSPD,GST,WVHT\n#yr,mo,m/s,m/s,m\n{rows}"
    (tmp_path / "buoy.csv").write_text(text, "utf-8")
    found = read(tmp_path / "buoy.csv")
    assert found.table.columns == ["YY", "MM", "WSPD", "GST", "WVHT"]
    assert found.table.height == 60
    assert any("line before the last of the comments" in finding.explanation for finding in found.findings)
    ran = Cleaner(actions=[Fix("to_missing", ("WVHT",), {"values": [4.0]})]).fit(found.table).clean(found.table)
    write_cleaned(ran.table, ran.log, tmp_path / "out.csv", tmp_path / "buoy.csv", "test")
    assert (tmp_path / "out.csv").read_text("utf-8") == text.replace(",4.0\n", ",\n")


def test_a_sheet_with_a_remark_is_not_the_table_of_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for text in ("remarks", "read this first", "thank you"):
        book.active.append([text])
    sheet = book.create_sheet("data")
    for row in (TABLE.columns, *map(list, TABLE.rows())):
        sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    assert read(tmp_path / "book.xlsx").table.rows() == TABLE.rows()


@pytest.mark.parametrize("text", ["a,b\n1,x\n2,y\n\n", "a,b\r\n1,x\r\n2,y\r\n\r\n", 'a,b\n1,"x"\n2,"y"\n\n\n'])
def test_empty_lines_at_the_end_are_no_rows(loaded: Any, text: str) -> None:
    assert len(loaded(text).table) == 2


def test_sparse_rows_of_libsvm_are_a_table(tmp_path: Path) -> None:
    """What is not written is 0; a table that is too wide is refused with a way to read it."""
    file = tmp_path / "few.svm"
    file.write_text("+1 1:0.5 3:2\n-1 2:1\n+1 1:1 4:-3.5 # a comment\n" * 10)
    reading = read(file)
    assert reading.table.columns == ["label", "x1", "x2", "x3", "x4"]
    assert reading.table.row(0) == (1, 0.5, 0, 2, 0)
    assert reading.table["label"].to_list()[:3] == [1, -1, 1]
    assert "sparse format of LIBSVM" in str(reading.findings[0])
    file.write_text("1 2:1 7000:1\n0 3:1\n")
    with pytest.raises(DataError, match="load_svmlight_file"):
        read(file)


def test_hours_and_minutes_are_no_sparse_rows(tmp_path: Path) -> None:
    times = tmp_path / "times.csv"
    for text in ("run at\n1 12:30\n2 13:45\n", "1 12:30\n2 13:45\n" * 5, "1 12:30 14:10\n2 13:45 16:20\n" * 5):
        times.write_text(text)
        assert "sparse" not in " ".join(map(str, read(times).findings))


def test_a_cleaned_sparse_file_is_written_as_a_table(tmp_path: Path) -> None:
    file, out = tmp_path / "few.svm", tmp_path / "few.csv"
    file.write_text("1 1:1 3:2\n0 2:1\n" * 10)
    edits = Edits(["label", "x1", "x2", "x3"], 20, [], np.empty(0, dtype=np.int64))
    assert rewrite(file, out, edits, "clean")
    assert read(out).table.equals(read(file).table)


@pytest.mark.parametrize(("label", "n_rows"), [("Total", 30), ("Hive 30", 31)])
def test_a_row_of_totals_in_a_workbook_is_no_row(tmp_path: Path, label: str, n_rows: int) -> None:
    book = openpyxl.Workbook()
    honey = [10.5 + k % 7 for k in range(30)]
    for row in [("hive", "honey"), *((f"Hive {k}", kg) for k, kg in enumerate(honey)), (label, sum(honey))]:
        book.active.append(row)
    book.save(tmp_path / "honey.xlsx")
    found = read(tmp_path / "honey.xlsx")
    assert found.table.height == n_rows
    assert any("holds the sums of 'honey'" in one.explanation for one in found.findings) == (label == "Total")
    assert read(tmp_path / "honey.xlsx", keep_all=True).table.height == 31
