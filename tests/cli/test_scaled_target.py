"""Tables on which a model wins that wants its target scaled: everything that is done with a model works with it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnxruntime
import openpyxl
import polars as pl
import pytest

import pellucid as library

from .runner import pellucid
from .test_real_files import the_program_makes_the_same_model

COLUMNS = ("a", "b", "c")


def smooth(rows: int = 300) -> pl.DataFrame:
    """Waves over three columns, little noise: a matter for kernels. The target is far from nought, and small."""
    random = np.random.default_rng(5)
    X = random.uniform(-2, 2, (rows, 3))
    y = np.sin(2 * X[:, 0]) + np.cos(2 * X[:, 1]) + X[:, 2] * X[:, 0] / 2 + random.normal(0, 0.02, rows)
    return pl.DataFrame({name: X[:, j].round(4) for j, name in enumerate(COLUMNS)} | {"y": (5 + y / 1000).round(7)})


def spoiled(rows: int = 300) -> pl.DataFrame:
    """A straight line, and gross errors in every seventh row, all to one side."""
    random = np.random.default_rng(6)
    X = random.normal(size=(rows, 3))
    y = 1000 * (X @ [2.0, -1.0, 0.5]) + random.normal(0, 50, rows)
    y[::7] += random.uniform(10_000, 30_000, len(y[::7]))
    return pl.DataFrame({name: X[:, j].round(4) for j, name in enumerate(COLUMNS)} | {"y": y.round(1)})


CASES = {"kernel": (smooth, "r2"), "margin": (spoiled, "neg_mean_absolute_error")}


@pytest.fixture(scope="module", params=CASES)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report whose winner is the model of this name."""
    make, measure = CASES[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    make().write_csv(folder / "table.csv")
    ran = pellucid("report", folder / "table.csv", "-t", "y", "--measure", measure, "--minutes", "0.3", folder=folder)
    assert ran.code == 0, ran.err
    figures = json.loads((folder / "report" / "metrics.json").read_text(encoding="utf-8"))
    assert figures["winner"] == request.param
    tuned = next(one for one in figures["tuned"] if one["name"] == request.param)
    assert set(tuned["best"]) == {"C"}
    return folder / "report"


def test_the_page_shows_the_way_back_to_the_unit(report: Path) -> None:
    page = (report / "report.html").read_text(encoding="utf-8")
    assert page.count("The target&#x27;s own unit") + page.count("The target's own unit") >= 3


def test_the_program_makes_it_again(report: Path) -> None:
    assert len((report / "reproduce.py").read_text(encoding="utf-8").splitlines()) <= 60
    the_program_makes_the_same_model(report)


def test_it_answers_new_rows(report: Path) -> None:
    ran = pellucid("predict", "report/model.pellucid", "table.csv", "-o", "answers.csv", folder=report.parent)
    assert ran.code == 0, ran.err
    answers = pl.read_csv(report.parent / "answers.csv")["prediction"].to_numpy()
    table = pl.read_csv(report.parent / "table.csv")
    np.testing.assert_array_equal(answers, library.load(report / "model.pellucid").predict(table))
    assert np.median(np.abs(answers - table["y"].to_numpy())) < 0.2 * table["y"].std()


def test_its_working_ends_with_its_answer(report: Path, tmp_path: Path) -> None:
    ran = pellucid("working", "report/model.pellucid", "--row", "3", folder=report.parent)
    assert ran.code == 0, ran.err
    assert "The target's own unit" in ran.out
    answer = library.load(report / "model.pellucid").predict(pl.read_csv(report / "cleaned.csv")[3])[0]
    assert float(ran.out.rsplit("= ", 1)[1].split()[0].replace("−", "-")) == pytest.approx(answer, rel=1e-5)
    book = pellucid("working", "report/model.pellucid", "--xlsx", tmp_path / "w.xlsx", folder=report.parent)
    assert book.code == 0, book.err
    assert openpyxl.load_workbook(tmp_path / "w.xlsx").sheetnames


def test_it_is_exported(report: Path, tmp_path: Path) -> None:
    ran = pellucid("export", "report/model.pellucid", "-o", tmp_path / "m.onnx", folder=report.parent)
    assert ran.code == 0, ran.err
    table = pl.read_csv(report.parent / "table.csv")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    given = {one.name: table[one.name].to_numpy().reshape(-1, 1) for one in session.get_inputs()}
    answers = np.ravel(session.run(None, given)[0])
    np.testing.assert_allclose(answers, library.load(report / "model.pellucid").predict(table), rtol=1e-9)
