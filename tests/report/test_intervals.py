"""Prediction intervals of a regression: that they hold, follow the size of the errors, and go with the model."""

from __future__ import annotations

import runpy
import zipfile
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid
from pellucid.base.errors import ParameterError
from pellucid.report.folder import write
from pellucid.report.intervals import choose_intervals, cover, fit_intervals
from pellucid.report.out_of_fold import OutOfFold
from pellucid.report.page import page
from pellucid.report.page_intervals import _too_wide
from pellucid.report.resampling import resample, share_bounds
from pellucid.report.study import run_study
from tests.cli.runner import pellucid as command


def errors(n: int, *, growing: bool, seed: int = 0) -> OutOfFold:
    """Predictions between 1 and 10 whose errors have one size, or one that grows with them."""
    random = np.random.default_rng(seed)
    predicted = random.uniform(1, 10, n)
    spread = predicted / 3 if growing else 1.0
    return OutOfFold(np.arange(n) % 5, predicted + spread * random.normal(0, 1, n) + 20, predicted + 20)


@pytest.mark.parametrize("growing", [False, True])
def test_intervals_hold_as_many_rows_as_they_say(growing: bool) -> None:
    intervals = choose_intervals(errors(1500, growing=growing), 0.0)
    assert intervals is not None
    new = errors(4000, growing=growing, seed=1)
    for one in cover(intervals, new.y, new.predicted, resample(4000, 0)).coverage:
        assert one.held / one.rows == pytest.approx(one.level, abs=0.025)
        assert (one.low, one.high) == share_bounds(one.held / one.rows, one.rows)


def test_rows_that_miss_together_leave_the_share_of_an_interval_less_certain() -> None:
    """Errors that last for fifty rows: a thousand rows are worth no more than a few dozen."""
    intervals = choose_intervals(errors(1500, growing=False), 0.0)
    assert intervals is not None
    random = np.random.default_rng(0)
    error = np.repeat(random.normal(size=20), 50)
    predicted = random.uniform(21, 30, 1000)
    blocks = resample(1000, 0, in_time=True, gains=np.abs(error))
    alone = cover(intervals, predicted + error, predicted, resample(1000, 0)).coverage[0]
    together = cover(intervals, predicted + error, predicted, blocks).coverage[0]
    assert (together.held, together.rows) == (alone.held, alone.rows)
    assert together.high - together.low > 3 * (alone.high - alone.low)


def test_intervals_that_hold_too_many_rows_are_called_wide() -> None:
    """The models of the folds learned from fewer rows than the one that is shown, and their errors are larger."""
    intervals = choose_intervals(errors(1500, growing=False), 0.0)
    assert intervals is not None
    new = errors(4000, growing=False, seed=1)
    rows = resample(4000, 0)
    assert _too_wide(cover(intervals, new.y, new.predicted, rows)) == ""
    closer = cover(intervals, new.predicted + 0.6 * (new.y - new.predicted), new.predicted, rows)
    assert _too_wide(closer).startswith("The intervals are wider than they need to be: those of 90 % hold 9")


def test_bins_are_used_where_errors_grow_with_the_prediction() -> None:
    growing = choose_intervals(errors(1500, growing=True), 0.0)
    assert growing is not None
    assert len(growing.borders) > 1
    low, high = growing.bounds([21.5, 29.5], 0.9)
    assert high[1] - low[1] > 2 * (high[0] - low[0])
    alike = choose_intervals(errors(1500, growing=False), 0.0)
    assert alike is not None
    assert alike.borders == ()


def test_a_target_that_is_mostly_zero_has_a_page() -> None:
    """Its median is 0, of which no error is a share."""
    random = np.random.default_rng(0)
    x = random.normal(size=120)
    y = np.where(random.random(120) < 0.7, 0.0, np.exp(2 + x).round(2))
    outcome = run_study(pl.DataFrame({"x": x.round(3), "leak": y}), "leak", minutes=0.02)
    assert outcome.intervals is not None
    assert outcome.intervals.typical == 0
    assert "of the median size" not in page(outcome)


def test_the_ranks_are_those_of_split_conformal_prediction() -> None:
    """Nineteen errors: the least and the largest bound a new one in 18 of 20 cases."""
    y = np.arange(1.0, 20.0)
    intervals = fit_intervals(y, np.zeros(19), 1, None)
    assert intervals is not None
    assert intervals.levels == (0.5, 0.8, 0.9)
    assert [ends[0] for ends in intervals.bounds([0.0], 0.9)] == [1.0, 19.0]
    assert [ends[0] for ends in intervals.bounds([0.0], 0.5)] == [5.0, 15.0]
    with pytest.raises(ParameterError, match="the interval must be one of"):
        intervals.bounds([0.0], 0.95)
    assert fit_intervals(y[:2], np.zeros(2), 1, None) is None


def test_no_interval_of_a_positive_target_reaches_below_zero() -> None:
    random = np.random.default_rng(3)
    predicted = random.uniform(0, 2, 400)
    held = OutOfFold(np.arange(400) % 5, np.maximum(predicted + random.normal(0, 1, 400), 0), predicted)
    intervals = choose_intervals(held, 0.0)
    assert intervals is not None
    low, high = intervals.bounds([-5.0, 0.1], 0.9)
    assert (low >= 0).all()
    assert (high >= low).all()


def rents(n: int = 500) -> pl.DataFrame:
    random = np.random.default_rng(6)
    area = random.uniform(20, 160, n).round(1)
    rent = 9 * area * np.exp(random.normal(0, 0.0015 * area, n))
    return pl.DataFrame({"area": area, "floor": random.integers(0, 9, n), "rent": rent.round(0)})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rents")
    rents().write_csv(folder / "rents.csv")
    outcome = run_study(str(folder / "rents.csv"), "rent", minutes=0.03)
    write(outcome, folder / "report")
    return outcome, folder / "report"


def test_the_page_and_the_model_have_the_intervals(report: Any) -> None:
    outcome, folder = report
    assert outcome.intervals is not None
    nine = next(one for one in outcome.intervals.coverage if one.level == 0.9)
    assert 0.8 < nine.held / nine.rows <= 1
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "How far off predictions are" in page
    assert f"{nine.held:,} of {nine.rows:,}" in page
    assert "90 % interval" in page
    model = pellucid.load(folder / "model.pellucid")
    assert model.intervals_ == outcome.intervals.fitted
    for case in outcome.explanation.cases:
        level, low, high = case.interval
        assert level == 0.9
        assert low <= case.predicted <= high


def test_the_command_writes_the_ends(report: Any, tmp_path: Path) -> None:
    _, folder = report
    table = folder.parent / "rents.csv"
    ran = command("predict", folder / "model.pellucid", table, "--interval", "0.9", "-o", tmp_path / "out.csv")
    assert ran.code == 0, ran.err
    found = pl.read_csv(tmp_path / "out.csv")
    assert found.columns == ["prediction", "low", "high"]
    inside = rents()["rent"].is_between(found["low"], found["high"]).mean()
    assert isinstance(inside, float)
    assert 0.85 < inside < 1
    assert command("predict", folder / "model.pellucid", table, "--interval", "0.77").code == 2


def test_the_program_writes_the_same_intervals(report: Any) -> None:
    _, folder = report
    assert len((folder / "reproduce.py").read_text(encoding="utf-8").splitlines()) <= 60
    with chdir(folder):
        runpy.run_path("reproduce.py", run_name="__main__")
    with zipfile.ZipFile(folder / "model.pellucid") as one, zipfile.ZipFile(folder / "model-again.pellucid") as other:
        names = [name for name in one.namelist() if "model" in name or "array" in name]
        assert all(one.read(name) == other.read(name) for name in names)
