"""A file in parts gives the profile of the whole, and cells of another type are told."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import polars
import pytest

from pellucid.base.errors import DataError
from pellucid.quality import profile, profile_file


def frame(n: int = 5_000) -> polars.DataFrame:
    rng = np.random.default_rng(0)
    return polars.DataFrame(
        {
            "x": rng.normal(size=n).round(3),
            "n": rng.integers(0, 9, n),
            "word": [f"w{k}" for k in rng.integers(0, 5, n)],
            "flag": (rng.random(n) < 0.3).tolist(),
            "gap": [None if k % 7 == 0 else float(k % 11) for k in range(n)],
        }
    )


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "jsonl"])
def test_parts_give_the_profile_of_the_whole(ending: str, tmp_path: Path) -> None:
    table, file = frame(), tmp_path / f"t.{ending}"
    getattr(
        table, {"csv": "write_csv", "parquet": "write_parquet", "arrow": "write_ipc", "jsonl": "write_ndjson"}[ending]
    )(file)
    found, whole = profile_file(file, rows=777), profile(table)
    assert not len(found.findings)
    assert found.profile.n_rows == 5_000
    for ours, theirs in zip(found.profile.columns, whole.columns, strict=True):
        assert (ours.name, ours.kind, ours.missing, ours.distinct) == (
            theirs.name,
            theirs.kind,
            theirs.missing,
            theirs.distinct,
        )
        if theirs.numbers is not None:
            assert ours.numbers is not None
            assert ours.numbers.mean == pytest.approx(theirs.numbers.mean, rel=1e-12)
            assert ours.numbers.variance == pytest.approx(theirs.numbers.variance, rel=1e-10)
            assert ours.numbers.quartiles == theirs.numbers.quartiles
            assert ours.numbers.five_numbers == theirs.numbers.five_numbers
    assert found.profile.duplicates == whole.duplicates


def test_a_lazy_frame_and_a_query() -> None:
    table = frame(500)
    assert profile_file(table.lazy()).profile["x"].numbers == profile(table)["x"].numbers
    base = sqlite3.connect(":memory:")
    base.execute("create table t (x real)")
    base.executemany("insert into t values (?)", table.select("x").rows())
    assert profile_file("select x from t", connection=base).profile["x"].numbers == profile(table)["x"].numbers


def test_cells_that_do_not_have_the_type_of_their_column_are_told(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b,c\n" + "1,2020-01-01,true\n" * 300 + "x,noon,maybe\n1.5,2020-01-02,false\n")
    found = profile_file(file, rows=100)
    assert {finding.columns[0]: finding.rows.tolist() for finding in found.findings} == {
        "a": [300],
        "b": [300],
        "c": [300],
    }
    assert "'x'" in str(found)
    assert found.profile["a"].numbers is not None
    assert found.profile["a"].numbers.five_numbers.maximum == 1.5


@pytest.mark.parametrize(
    ("source", "words"), [([[1.0]], "source must be a path"), (Path("/no/such.csv"), "must exist")], ids=str
)
def test_what_is_no_source(source: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        profile_file(source)


def test_a_header_alone_has_no_profile(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="must have rows"):
        profile_file(tmp_path / "t.csv")


def test_rows_of_another_length_are_refused_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n1,2,3\n")
    with pytest.raises(DataError, match=r"quality\.read"):
        profile_file(tmp_path / "t.csv")
