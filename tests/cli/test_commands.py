"""Every command on small tables: what it prints, writes, and how it ends."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest

import pellucid as library
from pellucid.datasets import load_penguins, load_titanic
from pellucid.report.target_scaling import fitted_inside

from .runner import COMMAND, installed, pellucid

COMMANDS = [
    "report",
    "quality",
    "clean",
    "train",
    "predict",
    "compare",
    "working",
    "export",
    "card",
    "rules",
    "recommend",
    "show",
    "datasets",
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables of all kinds, and a model."""
    folder = tmp_path_factory.mktemp("tables")
    penguins = load_penguins(as_frame="polars").frame
    penguins.write_csv(folder / "penguins.csv")
    penguins.write_parquet(folder / "penguins.parquet")
    penguins.write_ndjson(folder / "penguins.jsonl")
    penguins.write_ipc(folder / "penguins.arrow")
    penguins.write_excel(folder / "penguins.xlsx")
    penguins.write_csv(folder / "penguins.tsv", separator="\t")
    load_titanic(as_frame="polars").frame.write_csv(folder / "titanic.csv")
    with sqlite3.connect(folder / "birds.db") as base:
        base.execute("create table birds (species text, flipper real, mass real)")
        rows = penguins.select("species", "flipper_length_mm", "body_mass_g").rows()
        base.executemany("insert into birds values (?, ?, ?)", rows)
    random = np.random.default_rng(0)
    goods = [["tea", "milk"], ["tea", "milk", "rusk"], ["bread", "butter", "jam"], ["bread", "butter"], ["nuts"]]
    lines = [",".join(goods[k]) for k in random.integers(0, 5, 200)]
    (folder / "baskets.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    users, items = random.integers(0, 30, 900), random.integers(0, 40, 900)
    rating = np.clip(np.round(3 + (users % 3 - 1) * (items % 2 * 2 - 1) + random.normal(0, 0.5, 900)), 1, 5)
    pl.DataFrame({"user": users, "item": items, "rating": rating}).unique(["user", "item"]).write_csv(
        folder / "ratings.csv"
    )
    ran = pellucid("train", "penguins.csv", "-t", "species", "--model", "linear", folder=folder)
    assert ran.code == 0, ran.err
    return folder


def test_help_is_complete() -> None:
    ran = installed("--help")
    assert ran.code == 0
    for name in COMMANDS:
        assert name in ran.out
        one = pellucid(name, "--help")
        assert one.code == 0
        assert "Example" in one.out
        assert not re.search(r"<[a-z]|\[x|list\[", one.out), "a type of Python is no word of help"
        assert re.search(r"--help +-h +Show this message", one.out)
    assert re.search(r"--version +Show the version", ran.out)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, pellucid.cli.app; print([m for m in ('numpy', 'sklearn', 'polars', 'scipy') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=280, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["report", "--minutes", "0"], "it must be at least 0.01; got 0"),
        (["report", "--seed", "-1"], "it must be at least 0; got -1"),
        (["rules", "baskets.csv", "--support", "1.5"], "it must be between 0 and 1; got 1.5"),
        (["recommend", "ratings.csv", "--most", "0"], "it must be at least 1; got 0"),
        (["report", "--minutes", "soon"], "--minutes"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, list) else None,
)
def test_numbers_out_of_range_are_refused(call: list[str], said: str) -> None:
    ran = pellucid(*call)
    assert ran.code == 2
    assert said in " ".join(ran.err.replace("│", " ").split())


def test_version() -> None:
    assert installed("--version").out.strip() == f"pellucid {library.__version__}"


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "arrow", "xlsx"])
def test_quality_reads_every_format(tables: Path, ending: str) -> None:
    ran = pellucid("quality", f"penguins.{ending}", "--json", folder=tables)
    assert ran.code == 0, ran.err
    assert ran.json["source"]["rows"] == 344
    assert any(finding["check"] == "missing_values" for finding in ran.json["findings"])


def test_quality_says_it_and_ends_as_asked(tables: Path, tmp_path: Path) -> None:
    ran = installed("quality", tables / "titanic.csv", "--target", "survived", "--html", tmp_path / "q.html")
    assert ran.code == 0
    assert "cabin" in ran.out
    assert "\x1b[" not in ran.out  # no colors in a pipe
    assert (tmp_path / "q.html").stat().st_size > 10_000
    assert pellucid("quality", tables / "titanic.csv", "--fail-on", "warning").code == 3
    assert pellucid("quality", tables / "titanic.csv", "--fail-on", "error").code == 0
    assert pellucid("quality", tables / "titanic.csv", "--fail-on", "note").code == 2


def test_clean_writes_table_and_log(tmp_path: Path) -> None:
    (tmp_path / "dirty.csv").write_text(
        "town,price\n" + "Rome,12\n Rome,1\nOslo,N/A\nOslo,7\nRome,9\nBern,3\n" * 5, "utf-8"
    )
    ran = pellucid("clean", "dirty.csv", "--out", "clean.csv", "--log", "log.csv", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert (tmp_path / "clean.csv").read_text("utf-8") == (tmp_path / "dirty.csv").read_text("utf-8").replace(" R", "R")
    log = list(csv.DictReader((tmp_path / "log.csv").read_text("utf-8").splitlines()))
    assert [(one["rows"], one["before"], one["after"]) for one in log if one["column"] == "town"] == [
        ("1, 7, 13, 19, 25", " Rome", "Rome")
    ]
    for ending in ("parquet", "jsonl", "xlsx", "tsv", "arrow"):
        assert pellucid("clean", "dirty.csv", "-o", f"clean.{ending}", folder=tmp_path).code == 0
    assert pellucid("clean", "dirty.csv", "-o", "clean.doc", folder=tmp_path).code == 2


def test_clean_says_that_a_file_of_several_encodings_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "mixed.csv").write_bytes("n,town\n1.5,Zürich\n".encode() + "2.25,Köln\n".encode("cp1252"))
    ran = pellucid("clean", "mixed.csv", "--out", "clean.csv", folder=tmp_path)
    assert "several encodings" in ran.out
    assert (tmp_path / "clean.csv").read_text("utf-8") == "n,town\n1.5,Zürich\n2.25,Köln\n"
    assert "several encodings" not in pellucid("clean", "clean.csv", "--out", "again.csv", folder=tmp_path).out


def test_clean_says_which_rows_of_the_file_are_not_written(tmp_path: Path) -> None:
    rows = "".join(f"line {k},{k}\n" for k in range(1, 21))
    (tmp_path / "sums.csv").write_text(f"route,riders\n{rows}Total,210\n", "utf-8")
    said = "The last row, 'Total', holds the sums"
    assert said in pellucid("clean", "sums.csv", "--out", "clean.parquet", folder=tmp_path).out
    assert said not in pellucid("clean", "sums.csv", "--out", "clean.csv", folder=tmp_path).out
    assert (tmp_path / "clean.csv").read_bytes() == (tmp_path / "sums.csv").read_bytes()


def test_clean_applies_suggestions_by_name_or_from_an_edited_file(tmp_path: Path) -> None:
    dirty = "id,town\n" + "".join(f"{i:03d},{'Hamburg' if i % 9 else 'Hambrug'}\n" for i in range(1, 80) if i != 9)
    dirty = dirty.replace("018,Hambrug", "018,Hamburg").replace("027,Hambrug", "027,Hamburg")
    (tmp_path / "dirty.csv").write_text(dirty, "utf-8")
    plain = pellucid("clean", "dirty.csv", "-o", "plain.csv", "--suggest", "fixes.json", folder=tmp_path)
    assert plain.code == 0, plain.err
    assert "--apply merge_values:town" in plain.out
    assert (tmp_path / "plain.csv").read_text("utf-8") == dirty
    named = pellucid("clean", "dirty.csv", "-o", "named.csv", "--apply", "merge_values:town", folder=tmp_path)
    assert named.code == 0, named.err
    assert (tmp_path / "named.csv").read_text("utf-8") == dirty.replace("Hambrug", "Hamburg")
    fixes = (tmp_path / "fixes.json").read_text("utf-8").replace('"apply": false', '"apply": true')
    (tmp_path / "fixes.json").write_text(fixes, "utf-8")
    assert pellucid("clean", "dirty.csv", "-o", "fixed.csv", "--fixes", "fixes.json", folder=tmp_path).code == 0
    assert (tmp_path / "fixed.csv").read_bytes() == (tmp_path / "named.csv").read_bytes()
    wrong = pellucid("clean", "dirty.csv", "-o", "none.csv", "--apply", "merge_values:twon", folder=tmp_path)
    assert wrong.code == 2
    assert "there is no 'merge_values:twon'" in wrong.err
    assert not (tmp_path / "none.csv").exists()


def test_train_predict_and_card(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    ran = installed("predict", "model.pellucid", "penguins.csv", "-o", out, "-p", "--keep", "island", folder=tables)
    assert ran.code == 0, ran.err
    answers = pl.read_csv(out)
    assert answers.columns == [
        "island", "prediction", "probability_Adelie", "probability_Chinstrap", "probability_Gentoo",
    ]  # fmt: skip
    model = library.load(tables / "model.pellucid")
    table = pl.read_csv(tables / "penguins.csv")
    assert answers["prediction"].to_list() == model.predict(table).tolist()
    np.testing.assert_allclose(answers[:, 2:].to_numpy(), model.predict_proba(table))
    assert pellucid("predict", "model.pellucid", "penguins.csv", folder=tables).out.splitlines()[1] == "Adelie"
    card = pellucid("card", "model.pellucid", folder=tables)
    assert "species" in card.out
    assert json.loads(pellucid("card", "model.pellucid", "--json", folder=tables).out)


def test_train_takes_settings_and_refuses_wrong_ones(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "tree.pellucid"
    config = ["train", "penguins.csv", "-t", "species", "--model", "tree", "-o", out]
    ran = pellucid(*config, "--set", "max_leaf_nodes=3", "--json", folder=tables)
    assert ran.code == 0, ran.err
    assert ran.json["figures"][0]["word"] == "log loss"
    assert fitted_inside(library.load(out)[-1]).max_leaf_nodes == 3
    wrong = pellucid(*config, "--set", "depth=3", folder=tables)
    assert wrong.code == 2
    assert "settings must be the model's own" in wrong.err
    assert pellucid(*config[:4], "--model", "magic", "-o", out, folder=tables).code == 2


def test_codes_are_recognized_in_new_rows_that_look_like_numbers(tmp_path: Path) -> None:
    """Beside no code with a leading zero, 11 is still the code '11' that the model knows, and 5.10 is not 5.1."""
    zones = [f"{k % 14 + 1:02d}" for k in range(420)]
    grades = [f"5.{k * 5 % 13 + 1}" for k in range(420)]
    y = [7 * (k % 14 + 1) % 13 + 3 * (k * 5 % 13) + k % 5 / 10 for k in range(420)]
    pl.DataFrame({"zone": zones, "grade": grades, "y": y}).write_csv(tmp_path / "all.csv")
    ran = pellucid("train", "all.csv", "-t", "y", "--model", "linear", "-o", "m.pellucid", folder=tmp_path)
    assert ran.code == 0, ran.err
    whole = pellucid("predict", "m.pellucid", "all.csv", folder=tmp_path).out.splitlines()[1:]
    places = [k for k in range(420) if zones[k] >= "10" and grades[k] in ("5.10", "5.12")]
    few = pl.DataFrame({"zone": [zones[k] for k in places], "grade": [grades[k] for k in places]})
    few.write_csv(tmp_path / "few.csv")
    assert pl.read_csv(tmp_path / "few.csv").dtypes == [pl.Int64, pl.Float64]
    assert pellucid("predict", "m.pellucid", "few.csv", folder=tmp_path).out.splitlines()[1:] == [
        whole[k] for k in places
    ]


def test_predict_streams_parts(tables: Path, tmp_path: Path) -> None:
    """More rows than are read at a time give the answers of each row."""
    table = pl.read_csv(tables / "penguins.csv")
    big = pl.concat([table] * 400).with_columns(padding=pl.lit("x" * 250))  # more than is read whole
    big.write_csv(tmp_path / "big.csv")
    ran = pellucid("predict", tables / "model.pellucid", tmp_path / "big.csv", "-o", tmp_path / "out.csv")
    assert ran.code == 0, ran.err
    answers = pl.read_csv(tmp_path / "out.csv")["prediction"]
    assert len(answers) == len(big)
    assert answers.to_list() == library.load(tables / "model.pellucid").predict(table).tolist() * 400


def test_compare(tables: Path) -> None:
    ran = pellucid("compare", "penguins.csv", "-t", "species", "--minutes", "0.1", "--json", folder=tables)
    assert ran.code == 0, ran.err
    verdicts = {one["name"]: one["verdict"] for one in ran.json["candidates"]}
    assert verdicts["baseline"] == "worse"
    assert "best" in verdicts.values()


def test_a_query_is_read(tables: Path) -> None:
    query = "select * from birds where mass is not null"
    ran = pellucid("quality", query, "--connect", "sqlite:///birds.db", "--json", folder=tables)
    assert ran.code == 0, ran.err
    assert ran.json["source"]["rows"] == 342
    bad = pellucid("quality", "select nonsense", "--connect", "sqlite:///birds.db", folder=tables)
    assert bad.code == 2
    assert "the query must run" in bad.err
    none = pellucid("quality", query, "--connect", "sqlite:///none.db", folder=tables)
    assert "there is no 'none.db'" in none.err
    odd = pellucid("quality", query, "--connect", "oracle://x", folder=tables)
    assert "the connection must begin with" in odd.err


def test_a_duckdb_query_is_read(tables: Path, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "birds.duckdb")) as base:
        base.execute(f"create table birds as select * from read_csv('{tables / 'penguins.csv'}')")
    ran = pellucid("quality", "from birds", "--connect", "duckdb:///birds.duckdb", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.json["source"]["rows"] == 344


def test_working_of_a_row(tables: Path, tmp_path: Path) -> None:
    ran = pellucid("working", "model.pellucid", "penguins.csv", "--row", "17", folder=tables)
    assert ran.code == 0, ran.err
    assert "bill_length_mm" in ran.out
    config = ["working", "model.pellucid", "penguins.csv", "--row", "17"]
    both = pellucid(*config, "--xlsx", tmp_path / "w.xlsx", "--html", tmp_path / "w.html", folder=tables)
    assert both.code == 0, both.err
    assert openpyxl.load_workbook(tmp_path / "w.xlsx").sheetnames
    assert "<math" in (tmp_path / "w.html").read_text("utf-8")
    assert pellucid("working", "model.pellucid", "penguins.csv", "--row", "999", folder=tables).code == 2
    assert "a table is needed" in pellucid("working", "model.pellucid", folder=tables).err


@pytest.mark.parametrize("ending", ["py", "c", "sql", "onnx"])
def test_export(tables: Path, tmp_path: Path, ending: str) -> None:
    run = installed if ending == "onnx" else pellucid
    ran = run("export", "model.pellucid", "-o", tmp_path / f"m.{ending}", folder=tables)
    assert ran.code == 0, ran.err
    assert (tmp_path / f"m.{ending}").stat().st_size > 500
    assert pellucid("export", "model.pellucid", "-o", tmp_path / "m.doc", folder=tables).code == 2


def test_rules_of_baskets(tables: Path) -> None:
    ran = pellucid("rules", "baskets.csv", "--support", "0.1", "--confidence", "0.5", "--json", folder=tables)
    assert ran.code == 0, ran.err
    assert ran.json["baskets"] == 200
    assert {"if": ["milk"], "then": ["tea"]}.items() <= max(
        (one for one in ran.json["shown"] if one["if"] == ["milk"]), key=lambda one: one["then"] == ["tea"]
    ).items()
    assert "tea" in pellucid("rules", "baskets.csv", folder=tables).out


def test_rules_make_no_predictions(tables: Path, tmp_path: Path) -> None:
    rules = library.association.AssociationRules()
    library.save(rules.fit([["tea", "milk"]] * 9 + [["bread"]]), tmp_path / "rules.pellucid")
    ran = pellucid("predict", tmp_path / "rules.pellucid", "baskets.csv", folder=tables)
    assert ran.code == 2
    assert "the model must make predictions; AssociationRules makes none" in ran.err
    ran = pellucid("working", tmp_path / "rules.pellucid", "baskets.csv", folder=tables)
    assert ran.code == 2
    assert "the model must be a pipeline that predicts rows of a table; got AssociationRules" in ran.err


def test_recommendations(tables: Path) -> None:
    ran = pellucid("recommend", "ratings.csv", "--user", "3", "--most", "4", "--json", folder=tables)
    assert ran.code == 0, ran.err
    assert len(ran.json["recommendations"]) == 4
    errors = ran.json["errors"]
    assert min(error[0] for error in errors.values()) < errors["mean of all ratings"][0]
    assert "popular: " in pellucid("recommend", "ratings.csv", "--user", "none", folder=tables).out


def test_examples_and_tables_that_come_with_it(tmp_path: Path) -> None:
    assert "000-simple-linear-regression" in pellucid("show").out
    assert "slope" in pellucid("show", "000-simple-linear-regression").out
    assert pellucid("show", "no-such-example").code == 2
    listed = pellucid("datasets", "--json")
    assert {one["name"] for one in listed.json} == {"penguins", "titanic"}
    assert pellucid("datasets", "penguins", "--out", tmp_path / "p.csv").code == 0
    assert pl.read_csv(tmp_path / "p.csv").shape == (344, 7)
    assert "CC0" in pellucid("datasets", "penguins").out
    assert pellucid("datasets", "whales").code == 2


def test_the_report_without_anything(tmp_path: Path) -> None:
    ran = installed("report", "--minutes", "0.1", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert "The report is in report/report.html" in ran.out
    names = {path.name for path in (tmp_path / "report").iterdir()}
    changes = {"cleaned.csv", "changes.csv", "changes.json"}
    assert names == {"report.html", "model.pellucid", "reproduce.py", "metrics.json"} | changes
    again = pellucid("working", "report/model.pellucid", "--row", "5", folder=tmp_path)
    assert again.code == 0, again.err


def test_the_command_is_installed() -> None:
    assert COMMAND.is_file()
