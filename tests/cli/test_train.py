"""`pellucid train` and `pellucid compare` split, decide and word as `pellucid report` does."""

from __future__ import annotations

from datetime import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

import pellucid as library
from pellucid.cli.arguments import FILES

from .runner import Ran, pellucid

N_DAYS, N_LOANS = 400, 600


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Loans of which few default, a series with a trend, visits of patients, harvests with a leaking column."""
    folder = tmp_path_factory.mktemp("tables")
    random = np.random.default_rng(5)
    debt = random.normal(size=N_LOANS).round(3)
    default = random.random(N_LOANS) < expit(-2.4 + 1.5 * debt)
    loans = {"debt": debt, "branch": random.choice(["east", "west"], N_LOANS), "default": np.where(default, "y", "n")}
    pl.DataFrame(loans).write_csv(folder / "loans.csv")
    days = pl.date_range(pl.date(2023, 1, 1), pl.date(2023, 1, 1) + pl.duration(days=N_DAYS - 1), eager=True)
    wind = random.normal(size=N_DAYS).round(3)
    power = (0.02 * np.arange(N_DAYS) + wind + random.normal(0, 0.3, N_DAYS)).round(3)
    pl.DataFrame({"day": days, "wind": wind, "power_kw": power}).write_csv(folder / "wind.csv")
    patient = np.repeat(np.arange(60), 6)
    level = random.normal(0, 3, 60)[patient]
    dose = random.normal(size=len(patient)).round(3)
    pressure = (120 + level + dose + random.normal(0, 0.5, len(patient))).round(2)
    pl.DataFrame({"patient_id": patient, "dose": dose, "pressure": pressure}).write_csv(folder / "visits.csv")
    soil = random.normal(size=300).round(3)
    depth = random.normal(size=300).round(3)
    yields = (soil + random.normal(0, 1, 300)).round(3)
    revenue = (yields * 12 + random.normal(0, 0.2, 300)).round(2)
    pl.DataFrame({"soil": soil, "depth": depth, "revenue": revenue, "yield": yields}).write_csv(folder / "harvest.csv")
    return folder


def train(folder: Path, table: str, target: str, *options: object) -> Ran:
    ran = pellucid("train", table, "-t", target, "--model", "linear", *options, folder=folder)
    assert ran.code == 0, ran.err
    return ran


def test_costs_choose_the_threshold_of_the_saved_model(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "loans.pellucid"
    ran = train(tables, "loans.csv", "default", "--cost-fp", 1, "--cost-fn", 10, "-o", out)
    assert "the requested rule is least cost" in ran.out
    assert "least cost *" in ran.out
    assert "the more probable class (0.5)" in ran.out
    table = pl.read_csv(tables / "loans.csv")
    model = library.load(out)
    p = model.predict_proba(table)[:, list(model.classes_).index("y")]
    predicted = model.predict(table) == "y"
    assert (predicted == (p >= p[predicted].min())).all()
    assert 0.02 < p[predicted].min() < 0.3  # about 1 / 11 where probabilities are right
    rows = pellucid("predict", out, "loans.csv", "-p", folder=tables).out.splitlines()
    assert rows[0] == "prediction,probability_n,probability_y"
    assert sum(row.startswith("y,") for row in rows) == predicted.sum()


def test_train_and_report_decide_alike(tables: Path, tmp_path: Path) -> None:
    config = ["loans.csv", "-t", "default", "--threshold", "recall=0.9", "--json"]
    ran = pellucid("train", *config, "--model", "linear", "-o", tmp_path / "m.pellucid", folder=tables)
    report = pellucid("report", *config, "--minutes", 0.02, "-o", tmp_path / "report", folder=tables)
    assert ran.code == 0, ran.err
    assert report.code == 0, report.err
    both = (ran.json["decisions"], report.json["decisions"])
    assert [one["reason"] for one in both] == ["the requested rule is recall of at least 0.9"] * 2
    rules = [[choice["rule"] for choice in one["choices"]] for one in both]
    assert rules[0] == rules[1]
    assert ran.json["structure"] == report.json["structure"]
    assert ran.json["rows_held_out"] == report.json["held_out"]["rows"]


def test_the_positive_class_can_be_chosen(tables: Path, tmp_path: Path) -> None:
    ran = train(tables, "loans.csv", "default", "--positive", "n", "-o", tmp_path / "m.pellucid")
    assert "recall of default = n" in ran.out
    several = pellucid("train", "wind.csv", "-t", "power_kw", "--positive", "3", folder=tables)
    assert several.err.startswith("train: --positive, --threshold and costs need a target of two classes")
    wrong = pellucid("train", "loans.csv", "-t", "default", "--positive", "maybe", folder=tables)
    assert wrong.code == 2
    assert "--positive must be one of the two classes" in wrong.err


def test_a_class_of_flags_is_named_as_the_file_writes_it(tables: Path, tmp_path: Path) -> None:
    loans = pl.read_csv(tables / "loans.csv").with_columns(pl.col("default") == "y")
    loans.write_csv(tmp_path / "flags.csv")
    assert "true" in (tmp_path / "flags.csv").read_text()
    ran = train(tmp_path, "flags.csv", "default", "--positive", "true", "-o", tmp_path / "m.pellucid")
    assert "recall of default = True" in ran.out


def test_a_malformed_cell_of_new_rows_is_missing_and_named(tables: Path, tmp_path: Path) -> None:
    """One cell that is no number makes neither its column text nor the file unusable; the others keep their values."""
    train(tables, "loans.csv", "default", "-o", tmp_path / "m.pellucid")
    rows = [("west", "0.5", 1), ("east", "abc", 2), ("west", " -1.25 ", 3), ("east", "?", 4), ("north", "1e0", 5)]
    pl.DataFrame(rows, schema=["branch", "debt", "extra"], orient="row").write_csv(tmp_path / "new.csv")
    plain = [("west", 0.5), ("east", None), ("west", -1.25), ("east", None), ("north", 1.0)]
    pl.DataFrame(plain, schema=["branch", "debt"], orient="row").write_csv(tmp_path / "plain.csv")
    dirty, clean = (pellucid("predict", "m.pellucid", name, "-p", folder=tmp_path) for name in ("new.csv", "plain.csv"))
    assert dirty.code == clean.code == 0, dirty.err + clean.err
    assert dirty.out == clean.out
    assert "2 cells of 'debt' could not be read as a number, such as 'abc': taken as missing" in dirty.err
    assert "note" not in clean.err
    raw = pellucid("predict", "m.pellucid", "new.csv", "--keep", "debt", folder=tmp_path)
    assert [line.split(",")[0] for line in raw.out.splitlines()[1:]] == [cell for _, cell, _ in rows]


def test_the_working_names_the_row_of_the_table(tables: Path, tmp_path: Path) -> None:
    train(tables, "loans.csv", "default", "-o", tmp_path / "m.pellucid")
    pl.DataFrame({"debt": ["abc", "0.5"], "branch": ["east", "west"]}).write_csv(tmp_path / "new.csv")
    ran = pellucid("working", "m.pellucid", "new.csv", "--row", "1", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert "Row 1" in ran.out
    assert "Row 0" not in ran.out
    malformed = pellucid("working", "m.pellucid", "new.csv", folder=tmp_path)
    assert malformed.code == 0, malformed.err
    assert "1 cell of 'debt' could not be read as a number" in malformed.err
    assert "of the table" not in malformed.out


@pytest.mark.parametrize("form", ["%I:%M %p", "%I:%M:%S %p", "%H:%M", "%H:%M:%S"])
def test_times_of_day_are_read_as_they_are_written(form: str, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    hour = random.integers(0, 24, 240)
    clocks = [time(int(h), int(m)).strftime(form) for h, m in zip(hour, random.integers(0, 60, 240), strict=True)]
    visitors = (hour * 2 + random.normal(0, 0.5, 240)).round(2)
    pl.DataFrame({"opened": clocks, "visitors": visitors}).write_csv(tmp_path / "t.csv")
    ran = train(tmp_path, "t.csv", "visitors", "-o", tmp_path / "m.pellucid")
    assert ran.code == 0
    predictions = library.load(tmp_path / "m.pellucid").predict(pl.DataFrame({"opened": clocks}))
    assert np.abs(predictions - 2 * hour).mean() < 1


def test_the_newest_rows_are_held_out(tables: Path, tmp_path: Path) -> None:
    ran = train(tables, "wind.csv", "power_kw", "-o", tmp_path / "m.pellucid")
    assert "'day' holds" in ran.out
    assert "(newest rows)" in ran.out
    none = train(tables, "wind.csv", "power_kw", "--time", "none", "-o", tmp_path / "m.pellucid")
    assert "(random rows)" in none.out


def test_groups_stay_whole(tables: Path, tmp_path: Path) -> None:
    named = train(tables, "visits.csv", "pressure", "--group", "patient_id", "-o", tmp_path / "m.pellucid")
    assert "(whole groups)" in named.out
    assert "Rows with the same 'patient_id' belong together, as requested" in named.out


def test_a_column_known_only_afterward_is_left_out_unless_it_is_kept(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.pellucid"
    ran = train(tables, "harvest.csv", "yield", "-o", out)
    assert "! 'revenue' may be known only after 'yield'" in ran.out
    assert "use --keep revenue" in ran.out
    assert "revenue" not in library.load(out).feature_names_in_
    with_it = train(tables, "harvest.csv", "yield", "--keep", "revenue", "-o", out)
    assert "may be known only" not in with_it.out
    assert "revenue" in library.load(out).feature_names_in_
    compared = pellucid("compare", "harvest.csv", "-t", "yield", "--minutes", 0.02, folder=tables)
    assert "! 'revenue' may be known only after 'yield'" in compared.out


def test_a_regressor_knows_its_prediction_intervals(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.pellucid"
    train(tables, "visits.csv", "pressure", "--group", "patient_id", "-o", out)
    ran = pellucid("predict", out, "visits.csv", "--interval", 0.9, folder=tables)
    assert ran.out.splitlines()[0] == "prediction,low,high"


def test_the_baseline_is_not_said_to_be_better_than_itself(tables: Path, tmp_path: Path) -> None:
    ran = pellucid("train", "loans.csv", "-t", "default", "--model", "baseline", "-o", tmp_path / "m", folder=tables)
    assert ran.out.startswith(
        "The baseline, which looks at no column, predicts whether default is y with an ROC AUC of"
    )


def test_compare_says_how_rows_were_split_and_what_would_be_chosen(tables: Path) -> None:
    ran = pellucid("compare", "wind.csv", "-t", "power_kw", "--minutes", 0.02, folder=tables)
    assert ran.code == 0, ran.err
    assert "The newest fifth of the rows is held out" in ran.out
    assert "--time none asks for one" in ran.out
    assert "P(worse)" in ran.out


def test_help_uses_standard_words() -> None:
    private = ("unless told", "kept back", "answers", "judged", "looked for", "chance", " told ", "found unless")
    for name in ("report", "train", "compare", "predict", "clean", "quality", "export", "card", "rules", "recommend"):
        text = " ".join(pellucid(name, "--help").out.replace("│", " ").split()).lower()
        assert not [word for word in private if word in text], name
    assert FILES.startswith(".csv")
