"""A cleaned file keeps the bytes of every cell that was not changed."""

from __future__ import annotations

import codecs
import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pellucid.base.errors import ParameterError
from pellucid.quality import Cleaner, Fix, read
from pellucid.quality.writing import write_cleaned


def cleaned(data: bytes, tmp_path: Path, cleaner: Cleaner | None = None, ending: str = ".csv") -> bytes:
    source, out = tmp_path / "in.csv", tmp_path / f"out{ending}"
    source.write_bytes(data)
    table = read(source).table
    found = (cleaner or Cleaner()).fit(table).clean(table)
    write_cleaned(found.table, found.log, out, source, "test")
    return out.read_bytes()


CLEAN = {
    "numbers as they are written": b"id,price,ratio,big\n007,1.50,1e-3,123456789012345678901\n008,2.00,2.5e3,1\n",
    "decimal commas": b"a;b\n1,50;x\n2,25;y\n3,00;z\n",
    "quotes around everything": b'"a","b"\n"1","x, y"\n"2","say ""hi"""\n',
    "line ends inside quotes": b'a,b\n1,"x\ny"\n2,"z"\n',
    "lines of Windows": b"a,b\r\n1,x\r\n2,y\r\n",
    "no line end at the end": b"a,b\n1,x\n2,y",
    "blank lines": b"a,b\n1,x\n\n2,y\n\n",
    "a mark of the byte order": codecs.BOM_UTF8 + "a,b\n1,é\n2,y\n".encode(),
    "Windows-1252": "a,b\n1,é\n2,ü\n".encode("cp1252"),
    "UTF-16": codecs.BOM_UTF16_LE + "a,b\n1,é\n2,ü\n".encode("utf-16-le"),
    "bytes that no encoding explains": b"a,b\n1,\x81\xe9\n2,y\n",
    "repeated and empty names": b"a,a,, b \n1,2,3,x\n4,5,6,y\n",
    "markers for missing numbers": b"a,b\n1,NA\n2,3\n3,4\n",
    "rows of unequal length": b"a,b\n1,x\n2\n3,z,extra\n",
    "a quote amidst a field": b'a,b\n1,5" pipe\n2,6" pipe\n',
    "a quote that never closes": b'a,b\n1,"open\n2,y\n',
    "one column": b"a\nx\ny\n",
    "a title and a source": b"Report\n\na,b,c\n1,x,2\n2,y,3\n4,z,5\n\nSource: us\n",
    "no header": b"1,x\n2,y\n3,z\n",
    "empty cells between quotes": b'"a","b"\n"1",""\n"","y"\n"2.50","NA"\n',
    "empty cells between quotes in one column": b'a\n1\n""\n2\n',
    "empty cells with and without quotes": b'a,b\n1,""\n2,\n3,x\n',
}


@pytest.mark.parametrize("data", CLEAN.values(), ids=CLEAN.keys())
def test_a_clean_file_stays_byte_for_byte(data: bytes, tmp_path: Path) -> None:
    assert cleaned(data, tmp_path) == data


CHANGED = {
    "below a title": (b"Report\n\na,b,c\n1,x,2\n2, y,3\n4,z,5\n", b"Report\n\na,b,c\n1,x,2\n2,y,3\n4,z,5\n"),
    "below units": (b"a,b\ns,\n1.0,x\n2.5, y\n3.0,z\n", b"a,b\ns,\n1.0,x\n2.5,y\n3.0,z\n"),
    "without a header": (b"1.0,x\n2.5, y\n3.0,z\n", b"1.0,x\n2.5,y\n3.0,z\n"),
    "above a total": (b"a,b\nx,1\n y,2\nz,3\nTotal,6\n", b"a,b\nx,1\ny,2\nz,3\nTotal,6\n"),
    "the blank alone": (b"id,x,b\n007,1.50, Rome\n008,2.00,Pisa\n", b"id,x,b\n007,1.50,Rome\n008,2.00,Pisa\n"),
    "inside quotes": (b'a,"b"\n"1"," x, y"\n"2",z\n', b'a,"b"\n"1","x, y"\n"2",z\n'),
    "lines of Windows": (b"a,b\r\n1.0, x\r\n2.50,y\r\n", b"a,b\r\n1.0,x\r\n2.50,y\r\n"),
    "the last cell": (b"a,b\n1,x\n2,y ", b"a,b\n1,x\n2,y"),
    "line ends inside quotes before it": (b'a,b\n1,"x\ny"\n2, z\n', b'a,b\n1,"x\ny"\n2,z\n'),
    "a quote amidst a field before it": (b'a,b\n1,5" pipe\n2, z\n', b'a,b\n1,5" pipe\n2,z\n'),
    "blank lines before it": (b"a,b\n\n1,x\n\n2, z\n", b"a,b\n\n1,x\n\n2,z\n"),
    "the encoding": ("a,b\n1,é\n2, ü\n".encode("cp1252"), "a,b\n1,é\n2,ü\n".encode("cp1252")),
    "lines of two encodings": ("a,b\n1,é\n".encode() + "2,ü\n".encode("cp1252"), "a,b\n1,é\n2,ü\n".encode()),
    "letters that were read wrong": ("a,b\n1,CafÃ©\n2,y\n".encode(), "a,b\n1,Café\n2,y\n".encode()),
    "only blanks": (b"a,b\n1,   \n2,y\n", b"a,b\n1,\n2,y\n"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), CHANGED.values(), ids=CHANGED.keys())
def test_only_changed_cells_change(data: bytes, expected: bytes, tmp_path: Path) -> None:
    assert cleaned(data, tmp_path) == expected


@pytest.mark.parametrize("cell", ["Rome", " Rome"], ids=["clean", "with a blank"])
def test_a_packed_file_is_written_packed(cell: str, tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv.gz", tmp_path / "out.csv.gz"
    source.write_bytes(gzip.compress(f"a,b\n1,{cell}\n2,Pisa\n".encode()))
    table = read(source).table
    cleaned_table = Cleaner().fit(table).clean(table)
    write_cleaned(cleaned_table.table, cleaned_table.log, out, source, "test")
    assert gzip.decompress(out.read_bytes()) == b"a,b\n1,Rome\n2,Pisa\n"
    if cell == "Rome":
        assert out.read_bytes() == source.read_bytes()
    with pytest.raises(ParameterError, match="a packed table is written as"):
        write_cleaned(cleaned_table.table, cleaned_table.log, tmp_path / "out.csv.zip", source, "test")


def test_json_lines_without_a_changed_cell_stay_as_they_are(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b'{"price": "1.50"}\n{"price": "2.25"}\n')
    table = read(source).table
    cleaned_table = Cleaner().fit(table).clean(table)
    write_cleaned(cleaned_table.table, cleaned_table.log, out, source, "test")
    assert out.read_bytes() == source.read_bytes()


def test_new_values_and_dropped_rows(tmp_path: Path) -> None:
    data = b'n,size,day\n1.50,12.0 oz,"a, b"\n1.50,16,x\n1.50,16,x\n2.00,"1,000",y\n'
    fixes = [
        Fix("to_number", ("size",), {"thousands": ",", "units": ["oz"]}),
        Fix("to_missing", ("day",), {"values": ["y"]}),
        Fix("drop_duplicates"),
    ]
    expected = b'n,size,day\n1.50,12,"a, b"\n1.50,16,x\n2.00,"1000",\n'
    assert cleaned(data, tmp_path, Cleaner(remedies=fixes)) == expected


def test_another_delimiter_keeps_the_words(tmp_path: Path) -> None:
    data = b"id;price;town\n007;1.50; Rome\n008;2.00;a,b\n"
    assert cleaned(data, tmp_path, ending=".tsv") == b"id\tprice\ttown\n007\t1.50\tRome\n008\t2.00\ta,b\n"


def test_rows_of_a_larger_table_are_told_apart(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    blanks = random.random(3000) < 0.1
    texts = ["two\nlines", "one line", 'say ""no""']
    lines = [f'{i:05d},{i / 8:.3f},"{texts[i % 3]}",{" " if blank else ""}town' for i, blank in enumerate(blanks)]
    data = ("id,x,text,town\n" + "\n".join(lines) + "\n").encode()
    assert cleaned(data, tmp_path) == data.replace(b", town", b",town")


def test_types_of_untouched_columns_stay(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "town": [" Rome", "Pisa", None],
            "n": pl.Series([1, None, 2**60], dtype=pl.Int64),
            "kind": pl.Series(["a", "b", None], dtype=pl.Categorical),
            "at": pl.Series([0, 1, None]).cast(pl.Datetime("ms", "Europe/Rome")),
            "small": pl.Series([1.5, None, 2], dtype=pl.Float32),
        }
    )
    out = tmp_path / "out.parquet"
    found = Cleaner().fit(table).clean(table)
    write_cleaned(found.table, found.log, out, None, "test")
    again = pl.read_parquet(out)
    assert again.schema == table.schema
    assert again["town"].to_list() == ["Rome", "Pisa", None]
    assert again.drop("town").equals(table.drop("town"))
