"""An exported report model predicts from raw rows, and a query identifies its rows by a key."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from pellucid import load
from pellucid.cli.app import app


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tree of a table with blanks around words and a marker of missing numbers, and the table."""
    folder = tmp_path_factory.mktemp("raw")
    random = np.random.default_rng(0)
    dose = random.integers(0, 400, 300) / 4
    site = random.choice(["north", "south", "east"], 300)
    shown = [f" {name}" if i % 3 else name for i, name in enumerate(site)]
    marked = ["?" if i % 10 == 0 else f"{value:.2f}" for i, value in enumerate(dose)]
    response = np.where((dose > 50) == (site == "south"), "yes", "no")
    table = pl.DataFrame({"case": [f"c{i}" for i in range(300)], "dose": marked, "site": shown, "cured": response})
    data, model = folder / "t.csv", folder / "m.pellucid"
    table.write_csv(data)
    arguments = ["train", str(data), "-t", "cured", "--model", "tree", "--out", str(model)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return model, data


def test_a_query_with_a_key_predicts_raw_rows(trained: tuple[Path, Path], tmp_path: Path) -> None:
    model, data = trained
    query = tmp_path / "m.sql"
    done = CliRunner().invoke(app, ["export", str(model), "-o", str(query), "--table", "raw", "--key", "case"])
    assert done.exit_code == 0, done.output
    raw = pl.read_csv(data, infer_schema_length=0)
    with sqlite3.connect(":memory:") as base:
        base.execute('CREATE TABLE raw ("case" TEXT, dose TEXT, site TEXT, cured TEXT)')
        base.executemany("INSERT INTO raw VALUES (?, ?, ?, ?)", raw.rows())
        result = base.execute(query.read_text()).fetchall()
    assert [row[0] for row in result] == raw["case"].to_list()
    assert [row[1] for row in result] == load(model).predict(raw.drop("cured")).tolist()


def test_a_cleaning_that_a_language_lacks_is_refused_or_left_out_on_request(
    trained: tuple[Path, Path], tmp_path: Path
) -> None:
    model, _ = trained
    refused = CliRunner().invoke(app, ["export", str(model), "-o", str(tmp_path / "m.onnx")])
    assert refused.exit_code == 2
    assert "Cleaner has no ONNX form" in refused.output
    allowed = CliRunner().invoke(app, ["export", str(model), "-o", str(tmp_path / "m.onnx"), "--without-cleaning"])
    assert allowed.exit_code == 0, allowed.output
    assert "does not clean rows" in allowed.output


def test_dates_and_amounts_are_read_as_the_model_reads_them(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    n = 240
    days = np.datetime64("2021-01-01") + random.integers(0, 700, n)
    seconds = random.integers(0, 86_400, n)
    price, share = random.integers(100, 900_000, n) / 100, random.integers(1, 99, n)
    response = price / 500 + share + 3 * (days.astype("datetime64[M]").astype(int) % 12)
    table = pl.DataFrame(
        {
            "sold": [f"{day}"[8:] + "." + f"{day}"[5:7] + "." + f"{day}"[:4] for day in days],
            "seen": [
                f"{day}T{s // 3600:02}:{s // 60 % 60:02}:00"
                for day, s in zip(days[::-1].repeat(2), seconds, strict=False)
            ],
            "price": [f"${value:,.2f}" for value in price],
            "share": [f"{value} %" for value in share],
            "y": response.round(2),
        }
    )
    data, model, query = tmp_path / "t.csv", tmp_path / "m.pellucid", tmp_path / "m.sql"
    table.write_csv(data)
    done = CliRunner().invoke(app, ["train", str(data), "-t", "y", "--model", "boosting", "--out", str(model)])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["export", str(model), "-o", str(query), "--table", "raw"])
    assert done.exit_code == 0, done.output
    raw = table.drop("y").with_columns(
        pl.when(pl.int_range(n) % 7 == 0).then(pl.lit("soon")).otherwise(pl.col("sold")).alias("sold"),
        pl.when(pl.int_range(n) % 9 == 0).then(pl.lit("free")).otherwise(pl.col("price") + " ").alias("price"),
    )
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE raw (sold TEXT, seen TEXT, price TEXT, share TEXT)")
        base.executemany("INSERT INTO raw VALUES (?, ?, ?, ?)", raw.rows())
        result = [row[0] for row in base.execute(query.read_text()).fetchall()]
    np.testing.assert_allclose(result, load(model).predict(raw), rtol=1e-9)


def test_an_empty_text_is_missing_as_it_is_in_a_file(tmp_path: Path) -> None:
    """What imports a file into SQLite, and csv in Python, leave an empty cell as an empty text."""
    random = np.random.default_rng(2)
    color = random.choice(["red", "blue", ""], 300, p=[0.5, 0.4, 0.1])
    y = np.where(color == "red", 5.0, np.where(color == "", 0.0, 9.0)) + random.normal(size=300).round(2)
    data, model, query, out = (tmp_path / name for name in ("t.csv", "m.pellucid", "m.sql", "p.csv"))
    table = pl.DataFrame({"color": color, "x": random.normal(size=300).round(2), "y": y})
    table.with_columns(pl.col("color").replace("", None)).write_csv(data)
    for arguments in (
        ["train", str(data), "-t", "y", "--model", "tree", "--out", str(model)],
        ["predict", str(model), str(data), "-o", str(out)],
        ["export", str(model), "-o", str(query), "--table", "raw"],
        ["export", str(model), "-o", str(tmp_path / "exported_empty_text.py")],
    ):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
    expected = pl.read_csv(out)["prediction"].to_list()
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE raw (color TEXT, x REAL)")
        base.executemany("INSERT INTO raw VALUES (?, ?)", table.select("color", "x").rows())
        result = [row[0] for row in base.execute(query.read_text()).fetchall()]
    np.testing.assert_allclose(result, expected, rtol=1e-9)
    module: dict[str, Any] = {}
    exec((tmp_path / "exported_empty_text.py").read_text(encoding="utf-8"), module)
    predicted = [module["predict"](row) for row in table.select("color", "x").rows(named=True)]
    np.testing.assert_allclose(predicted, expected, rtol=1e-9)


def test_a_key_must_be_a_column_of_the_table(trained: tuple[Path, Path], tmp_path: Path) -> None:
    """A column that the model does not read may be the key; a name that the table never had is refused."""
    out = tmp_path / "m.sql"
    for key in ("case", "site", "cured"):
        done = CliRunner().invoke(app, ["export", str(trained[0]), "-o", str(out), "--key", key])
        assert done.exit_code == 0, done.output
        assert f't."{key}" AS k0' in out.read_text(encoding="utf-8")
    out.unlink()
    done = CliRunner().invoke(app, ["export", str(trained[0]), "-o", str(out), "--key", "caes"])
    assert done.exit_code == 2
    assert "--key must name a column of the table of the model; got 'caes'" in done.output
    assert "did you mean 'case'?" in done.output
    assert not out.exists()


def test_a_key_is_for_sql(trained: tuple[Path, Path], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["export", str(trained[0]), "-o", str(tmp_path / "m.py"), "--key", "case"])
    assert done.exit_code == 2
    assert "--key is for SQL" in done.output


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_texts_of_flags_and_numbers_are_read_as_predict_reads_them(dialect: str, tmp_path: Path) -> None:
    """TRUE is a flag where the model learned from flags, and no number elsewhere."""
    random = np.random.default_rng(7)
    table = pl.DataFrame({"marked": random.random(200) < 0.5, "depth": random.normal(size=200).round(2)})
    table = table.with_columns((pl.col("depth") + 5 * pl.col("marked")).round(2).alias("y"))
    data, rows, model, query, found = (tmp_path / name for name in ("t.csv", "r.csv", "m.pellucid", "m.sql", "p.csv"))
    table.write_csv(data)
    cells = [("true", "1.5"), ("FALSE", "TRUE"), ("true", "abc"), ("false", "1e1"), ("true", None), ("false", "1_0")]
    pl.DataFrame(cells, schema=["marked", "depth"], orient="row").write_csv(rows)
    for command in (["train", str(data), "-t", "y", "--model", "linear", "--out", str(model)],
                    ["predict", str(model), str(rows), "--out", str(found)],
                    ["export", str(model), "-o", str(query), "--table", "raw", "--dialect", dialect]):  # fmt: skip
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
    with closing(sqlite3.connect(":memory:") if dialect == "sqlite" else duckdb.connect()) as base:
        base.execute("CREATE TABLE raw (marked TEXT, depth TEXT)")
        base.executemany("INSERT INTO raw VALUES (?, ?)", cells)
        result = [row[0] for row in base.execute(query.read_text()).fetchall()]
    np.testing.assert_allclose(result, pl.read_csv(found)["prediction"].to_numpy(), rtol=1e-9)
