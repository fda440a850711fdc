"""The main job on real tables, from the command to the files: extracts here; whole tables where PELLUCID_DATA says."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.optional import skip_without

from .runner import Ran, installed, pellucid, program

HERE = Path(__file__).parent / "files"
BUSY = 840  # seconds that a minute's work may take on a machine with much else to do
# file, options, what must come out: the task, and a figure that a sound model reaches (None: no target)
# The total is the product of these two, which are known when it is predicted, so they are kept.
CAFE = ("-t", "Total Spent", "--measure", "r2", "--keep", "Quantity", "--keep", "Price Per Unit")
EXTRACTS: list[tuple[str, list[str], str, float | None]] = [
    ("adult.csv.gz", ["-t", "income"], "two classes", 0.80),
    ("horse_colic.csv.gz", ["-t", "surgical_lesion"], "two classes", 0.75),
    ("german_credit.csv.gz", ["-t", "class"], "two classes", 0.68),
    ("sms_spam.csv.gz", ["-t", "type"], "two classes", 0.93),
    ("diamonds.csv.gz", ["-t", "price", "--measure", "r2"], "number", 0.9),
    ("dirty_cafe_sales.csv.gz", [*CAFE], "number", 0.9),
    ("dirty_beers.csv.gz", ["-t", "ounces", "--task", "several classes"], "several classes", 0.4),
    ("shuttle.csv.gz", ["--drop", "label"], "no target", None),
]
WHOLE: list[tuple[str, list[str], str, float | None]] = [
    ("titanic.csv", ["-t", "survived"], "two classes", 0.75),
    ("adult_train.csv.gz", ["-t", "income"], "two classes", 0.91),
    ("penguins.csv", ["-t", "species"], "several classes", 0.95),
    ("horse_colic.csv", ["-t", "surgical_lesion"], "two classes", 0.8),
    ("german_credit.csv.gz", ["-t", "class"], "two classes", 0.72),
    ("diamonds.csv.gz", ["-t", "price", "--measure", "r2"], "number", 0.97),
    ("dirty_cafe_sales.csv.gz", [*CAFE], "number", 0.95),
    ("dirty_beers.csv.gz", ["-t", "ounces", "--task", "several classes"], "several classes", 0.4),
    ("dirty_hr.csv.gz", [], "no target", None),
    ("dirty_warehouse.csv.gz", [], "no target", None),
    ("dirty_febrl1.csv.gz", [], "no target", None),
    ("dirty_rayyan.csv.gz", [], "no target", None),
    ("dirty_store_transactions.csv.gz", [], "no target", None),
    ("baskets_groceries.csv.gz", [], "baskets", None),
    ("movielens100k_ratings.csv.gz", [], "ratings", None),
    ("outlier_shuttle.csv.gz", ["--drop", "label"], "no target", None),
    ("text_sms_spam.csv.gz", ["-t", "type"], "two classes", 0.97),
]


def reported(
    path: Path, options: list[str], folder: Path, minutes: str, run: Callable[..., Ran] = pellucid
) -> dict[str, Any]:
    """Runs the main job and looks at what every report must have."""
    ran = run("report", path, *options, "--minutes", minutes, folder=folder)
    assert ran.code == 0, ran.err
    assert "The report is in report/report.html" in ran.out
    report = folder / "report"
    assert (report / "report.html").stat().st_size < 5_000_000
    figures: dict[str, Any] = json.loads((report / "metrics.json").read_text(encoding="utf-8"))
    assert figures["headline"] in ran.out.replace("\n", " ")
    return figures


def the_program_makes_the_same_model(report: Path) -> None:
    """Runs the program of a report and compares what the two model files hold of the model."""
    done = program(report / "reproduce.py")
    assert done.code == 0, done.err
    with zipfile.ZipFile(report / "model.pellucid") as one, zipfile.ZipFile(report / "model-again.pellucid") as other:
        parts = [name for name in one.namelist() if "model" in name or "array" in name]
        assert parts
        assert all(one.read(name) == other.read(name) for name in parts)


@pytest.mark.parametrize(("file", "options", "kind", "least"), EXTRACTS, ids=[one[0].split(".")[0] for one in EXTRACTS])
def test_an_extract(file: str, options: list[str], kind: str, least: float | None, tmp_path: Path) -> None:
    figures = reported(HERE / file, options, tmp_path, "0.03")
    assert figures["task"]["kind"] == kind
    if least is not None:
        assert figures["held_out"]["figures"][0]["value"] > least
        the_program_makes_the_same_model(tmp_path / "report")


@skip_without("tables")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("file", "options", "kind", "least"), WHOLE, ids=[one[0].split(".")[0] for one in WHOLE])
def test_a_whole_table(file: str, options: list[str], kind: str, least: float | None, tmp_path: Path) -> None:
    figures = reported(
        Path(os.environ["PELLUCID_DATA"]) / file, options, tmp_path, "1", partial(installed, seconds=BUSY)
    )
    assert figures["task"]["kind"] == kind
    if least is not None:
        assert figures["held_out"]["figures"][0]["value"] > least
        the_program_makes_the_same_model(tmp_path / "report")
