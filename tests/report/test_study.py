"""The main job from end to end, in memory and as a folder: same bytes again, the program gives the same model."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import zipfile
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid
from pellucid.base.errors import DataError, ParameterError
from pellucid.report.folder import write
from pellucid.report.outcome import StudyResult
from pellucid.report.study import run_study

from . import tables

TABLES = {"penguins": "species", "titanic": "survived", "sales": "price"}
MINUTES = 0.05


@cache
def found(name: str, folder: str) -> StudyResult:
    """The outcome of a table that was written to a file first."""
    path = Path(folder) / f"{name}.csv"
    getattr(tables, name)().write_csv(path)
    return run_study(str(path), TABLES[name], minutes=MINUTES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("tables"))


@pytest.mark.parametrize("name", TABLES)
def test_everything_is_found(name: str, folder: str) -> None:
    outcome = found(name, folder)
    assert outcome.race is not None
    assert outcome.held is not None
    assert outcome.explanation is not None
    assert outcome.diagnosis is not None
    assert outcome.winner != "baseline"
    assert [case.kind for case in outcome.explanation.cases][1] in ("least certain", "extreme")
    first = outcome.held.figures[0]
    assert first.low <= first.value <= first.high
    assert outcome.headline.count(".") >= 1
    assert np.asarray(outcome.model.predict(outcome.table.head(5))).shape == (5,)


def test_scores_are_those_of_the_kept_back_rows(folder: str) -> None:
    """The confusion matrix counts each kept-back row once, and accuracy is its diagonal."""
    held = found("titanic", folder).held
    assert held is not None
    assert held.confusion is not None
    assert held.confusion.sum() == held.rows == 179
    accuracy = next(figure for figure in held.figures if figure.word == "accuracy")
    assert accuracy.value == pytest.approx(np.trace(held.confusion) / held.rows)


def test_what_was_cleaned_is_logged_and_goes_with_the_model(folder: str) -> None:
    outcome = found("sales", folder)
    changed = {change.column for change in outcome.log}
    assert changed == {"town", "rates"}
    raw = tables.sales().drop("price")
    assert outcome.model.steps[1][0] == "cleaner"
    np.testing.assert_array_equal(outcome.model.predict(raw.head(20)), outcome.model.predict(outcome.table.head(20)))


@pytest.mark.parametrize("name", TABLES)
def test_the_program_makes_the_same_model(name: str, folder: str, tmp_path: Path) -> None:
    outcome = found(name, folder)
    write(outcome, tmp_path / "report")
    script = (tmp_path / "report" / "reproduce.py").read_text(encoding="utf-8")
    assert len(script.splitlines()) <= 60
    if name == "penguins":  # started as a person would start it
        command = [sys.executable, "reproduce.py"]
        run = subprocess.run(command, cwd=tmp_path / "report", capture_output=True, text=True, timeout=280)
        assert run.returncode == 0, run.stderr
    else:
        with chdir(tmp_path / "report"):
            runpy.run_path("reproduce.py", run_name="__main__")
    assert _parts(tmp_path / "report" / "model.pellucid") == _parts(tmp_path / "report" / "model-again.pellucid")


def _parts(path: Path) -> dict[str, bytes]:
    """What a model file holds of the model itself: everything but the card and the list of contents."""
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist() if "model" in name or "array" in name}


def test_the_same_table_and_seed_give_the_same_bytes(folder: str, tmp_path: Path) -> None:
    first = found("penguins", folder)
    again = run_study(str(Path(folder) / "penguins.csv"), "species", minutes=MINUTES)
    write(first, tmp_path / "a")
    write(again, tmp_path / "b")
    for name in (
        "report.html",
        "metrics.json",
        "model.pellucid",
        "cleaned.csv",
        "changes.csv",
        "changes.json",
        "reproduce.py",
    ):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_the_folder_holds_what_the_page_says(folder: str, tmp_path: Path) -> None:
    page = write(found("titanic", folder), tmp_path)
    text = page.read_text(encoding="utf-8")
    assert len(text) < 5_000_000
    for name in ("model.pellucid", "cleaned.csv", "changes.csv", "changes.json", "reproduce.py", "metrics.json"):
        assert (tmp_path / name).is_file()
        assert name in text
    figures = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert figures["task"]["kind"] == "two classes"
    assert figures["winner"] == found("titanic", folder).winner
    model = pellucid.load(tmp_path / "model.pellucid")
    rows = tables.titanic().drop("survived").head(9)
    np.testing.assert_array_equal(model.predict(rows), found("titanic", folder).model.predict(rows))


def test_another_seed_parts_other_rows(folder: str) -> None:
    path = str(Path(folder) / "penguins.csv")
    found("penguins", folder)
    other = run_study(path, "species", minutes=MINUTES, seed=1)
    mine, theirs = found("penguins", folder).held, other.held
    assert mine is not None
    assert theirs is not None
    assert mine.positions.tolist() != theirs.positions.tolist()


def test_groups_and_times_are_kept_apart(folder: str) -> None:
    table = tables.sales().unique(maintain_order=True)
    later = run_study(table, "price", minutes=0.03, time="listed")
    assert later.held is not None
    listed = np.asarray(later.table["listed"].to_numpy())
    held = later.held.positions
    assert listed[held].min() >= np.delete(listed, held).max()
    assert not any("--time" in line for line in later.warnings)
    grouped = run_study(
        table.with_columns(team=pl.Series(np.arange(len(table)) // 8)), "price", minutes=0.03, group="team"
    )
    assert grouped.held is not None
    teams = np.asarray(grouped.table["team"].to_numpy())
    assert not set(teams[grouped.held.positions]) & set(np.delete(teams, grouped.held.positions))


def test_a_column_that_gives_the_target_away_is_left_out() -> None:
    table = tables.penguins().with_columns(leak=pl.col("species").str.to_uppercase())
    outcome = run_study(table, "species", minutes=0.05)
    assert any("'leak' may be known only after 'species'" in line for line in outcome.warnings)


@pytest.mark.parametrize("classes", [False, True])
def test_a_few_of_many_columns_are_found(classes: bool, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(240, 120)).round(3)
    y = 3 * X[:, 7] - 2 * X[:, 100] + random.normal(size=240)
    table = pl.DataFrame({f"x{j}": X[:, j] for j in range(120)})
    table = table.with_columns(y=pl.Series(np.where(y > 0, "yes", "no") if classes else y.round(3)))
    table.write_csv(tmp_path / "many.csv")
    outcome = run_study(str(tmp_path / "many.csv"), "y", minutes=0.1)
    assert outcome.winner == "lasso"
    assert outcome.explanation is not None
    importance = outcome.explanation.importance
    best = np.argsort(importance.importances_mean)[::-1][:2]
    assert [importance.feature_names[j] for j in best] == ["x7", "x100"]
    write(outcome, tmp_path / "report")
    with chdir(tmp_path / "report"):
        runpy.run_path("reproduce.py", run_name="__main__")
    assert _parts(tmp_path / "report" / "model.pellucid") == _parts(tmp_path / "report" / "model-again.pellucid")


def test_the_program_leaves_out_rows_without_a_readable_target(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    dose = random.normal(size=200).round(3)
    level = [f"{value:.2f}" for value in 20 + 3 * dose + random.normal(size=200)]
    level[5], level[60], level[61] = "<5", "<5", ""
    pl.DataFrame({"dose": dose, "level": level}).write_csv(tmp_path / "t.csv")
    outcome = run_study(str(tmp_path / "t.csv"), "level", minutes=0.05, task="number")
    assert outcome.n_fitted == 197
    write(outcome, tmp_path / "report")
    with chdir(tmp_path / "report"):
        runpy.run_path("reproduce.py", run_name="__main__")
    assert _parts(tmp_path / "report" / "model.pellucid") == _parts(tmp_path / "report" / "model-again.pellucid")


@pytest.mark.parametrize("n_columns", [2, 120])
def test_the_program_of_clusters_cleans_new_rows_as_the_report_does(n_columns: int, tmp_path: Path) -> None:
    """Amounts are numbers for the model and stay texts in the cleaned table."""
    random = np.random.default_rng(3)
    near = random.normal(size=(120, n_columns)) + 8 * (np.arange(120) % 2)[:, None]
    table = pl.DataFrame({f"x{j}": near[:, j].round(3) for j in range(n_columns)})
    table = table.with_columns(price=pl.Series([f"{value:.2f} kg" for value in 30 + near[:, 0]]))
    table.write_csv(tmp_path / "t.csv")
    outcome = run_study(str(tmp_path / "t.csv"), None, minutes=0.05)
    assert len(outcome.model.steps) > 2
    write(outcome, tmp_path / "report")
    with chdir(tmp_path / "report"):
        runpy.run_path("reproduce.py", run_name="__main__")
    assert _parts(tmp_path / "report" / "model.pellucid") == _parts(tmp_path / "report" / "model-again.pellucid")


def test_few_columns_need_no_sparse_model(folder: str) -> None:
    race = found("penguins", folder).race
    assert race is not None
    assert "lasso" not in [candidate.name for candidate in race.candidates]


def test_nothing_to_learn_is_said() -> None:
    random = np.random.default_rng(0)
    table = pl.DataFrame({"a": random.normal(size=300), "b": random.normal(size=300), "y": random.integers(0, 2, 300)})
    outcome = run_study(table, "y", minutes=0.1)
    assert outcome.headline.startswith("No model is shown to predict")
    assert outcome.verdict is not None
    assert not outcome.verdict.is_better


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"target": "mass"}, "there is no 'mass'"),
        ({"target": "species", "drop": ["wings"]}, "there is no 'wings'"),
        ({"target": "species", "minutes": 0}, "minutes must be a number above 0"),
        ({"target": "species", "task": "guess"}, "the task must be one of"),
    ],
)
def test_wrong_wishes(config: dict[str, Any], words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=re.escape(words)):
        run_study(tables.penguins(), **config)


@pytest.mark.parametrize("seed", [0, 1])
def test_no_more_neighbors_are_tried_than_there_are_rows(seed: int) -> None:
    """Nearest neighbors lead on a curve of few rows, and their folds have fewer rows than the largest setting."""
    random = np.random.default_rng(seed)
    time = np.repeat([0.45, 1.3, 2.4, 4.0, 6.1, 8.05, 11.15, 13.15, 15.0], 3)
    level = 4 * (1 - np.exp(-time / 5)) + random.normal(0, 0.4, 27)
    table = pl.DataFrame({"x": time, "y": level.round(4)}).sample(27, seed=seed, shuffle=True)
    assert run_study(table, "y", minutes=0.05).held is not None
