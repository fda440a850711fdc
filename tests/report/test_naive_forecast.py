"""A series is also compared with the naive forecast: the value one row, or one season, before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pellucid.report.folder import write
from pellucid.report.naive_forecast import find_series
from pellucid.report.naive_text import naive_sentence
from pellucid.report.outcome import HoldoutResult, StudyResult
from pellucid.report.study import run_study

from .structured_tables import noise, shuffled, walk
from .test_structure import ready

ROWS = 600


def hours(rows: int = ROWS) -> np.ndarray:
    return np.datetime64("2020-01-30T00", "us") + np.arange(rows) * np.timedelta64(3600_000_000, "us")


def random_walk() -> pl.DataFrame:
    price = 100 + walk(ROWS, 1.0)
    return pl.DataFrame({"time": hours(), "volume": noise(ROWS), "y": price.round(2)})


def daily_pattern() -> pl.DataFrame:
    """The hour of the day decides, as a saw that a value one hour before is far from."""
    level = np.random.default_rng(3).normal(0, 10, 24)[np.arange(ROWS) % 24]
    return pl.DataFrame({"time": hours(), "x": noise(ROWS), "y": (level + 0.1 * noise(ROWS, seed=4)).round(3)})


def panel() -> pl.DataFrame:
    """Machines on levels of their own, each with one row per day."""
    days = np.tile(np.arange(60), 10) + np.datetime64("2021-01-01")
    machine = np.repeat(np.arange(10), 60)
    y = 20.0 * machine + np.concatenate([walk(60, 1.0, seed) for seed in range(10)])
    names = [f"M{one}" for one in machine]
    return shuffled(pl.DataFrame({"machine": names, "day": days, "x": noise(ROWS), "y": y.round(2)}))


def explained() -> pl.DataFrame:
    """A column explains the target, and the time does not."""
    x = noise(ROWS)
    return pl.DataFrame({"time": hours(), "x": x, "y": (10 * x + noise(ROWS, seed=4)).round(2)})


def orders() -> pl.DataFrame:
    """Events at irregular times, which have nothing to do with each other."""
    seconds = np.sort(np.random.default_rng(5).integers(0, 20_000_000, ROWS)).astype("timedelta64[s]")
    times = (np.datetime64("2022-01-01") + seconds).astype("datetime64[us]")
    return pl.DataFrame({"ordered": times, "x": noise(ROWS), "y": noise(ROWS, seed=4)})


def held_of(outcome: StudyResult) -> HoldoutResult:
    assert outcome.held is not None
    return outcome.held


def test_a_random_walk_is_compared_with_the_preceding_value(tmp_path: Path) -> None:
    table = random_walk()
    outcome = run_study(table, "y", minutes=0.02)
    held, y = held_of(outcome), table["y"].to_numpy()
    naive = held.naive
    assert naive is not None
    assert (naive.lag, naive.conclusion) == (1, "worse")
    assert held.positions is not None
    errors = y[held.positions] - y[held.positions - 1]
    assert naive.values["RMSE"] == pytest.approx(np.sqrt((errors**2).mean()))
    assert naive.values["RMSE"] < held.figures[0].value
    assert "the preceding value of y" in outcome.headline
    assert any("The naive forecast needs the preceding value of y" in line for line in outcome.warnings)
    page = write(outcome, tmp_path).read_text(encoding="utf-8")
    assert "naive forecast" in page


def test_a_pattern_of_days_is_compared_with_the_value_a_day_before() -> None:
    table = daily_pattern()
    held = held_of(run_study(table, "y", minutes=0.02))
    assert held.naive is not None
    assert held.naive.lag == 24
    y = table["y"].to_numpy()
    assert held.positions is not None
    assert held.naive.values["mean absolute error"] == pytest.approx(
        np.abs(y[held.positions] - y[held.positions - 24]).mean()
    )


def test_in_a_panel_the_preceding_value_is_that_of_the_same_series() -> None:
    table = panel()
    result = ready(table)
    series = find_series(result)
    assert series is not None
    assert series.column == "machine"
    before = series.rows_before(1)
    names, days = (result.table[name].to_numpy() for name in ("machine", "day"))
    known = before >= 0
    assert known.sum() == ROWS - 10
    assert (names[before[known]] == names[known]).all()
    assert (days[known] - days[before[known]] == np.timedelta64(1, "D")).all()


def test_a_model_that_is_better_is_not_doubted() -> None:
    outcome = run_study(explained(), "y", minutes=0.02)
    naive = held_of(outcome).naive
    assert naive is not None
    assert naive.conclusion == "better"
    assert "preceding" not in outcome.headline
    assert not any("preceding" in line for line in outcome.warnings)


def test_metrics_that_disagree_about_the_naive_forecast_are_named() -> None:
    """Most rows repeat the value before them; of the few that do not a column knows, so that squared errors are the
    model's merit and absolute ones that of the naive forecast."""
    random = np.random.default_rng(6)
    spike = random.random(900) < 0.1
    y = np.where(spike, 40.0, 0.0) + np.repeat(random.normal(0, 4, 30), 30)
    y = np.where(spike, y + random.normal(0, 2, 900), y)
    outcome = run_study(
        pl.DataFrame({"time": hours(900), "spike": spike.astype(int), "y": y.round(2)}), "y", minutes=0.02
    )
    naive, scores = held_of(outcome).naive, {one.word: one.value for one in held_of(outcome).figures}
    assert naive is not None
    assert naive.conclusion == "better"
    assert naive.values["median absolute error"] < scores["median absolute error"]
    sentence = naive_sentence(outcome)
    assert "the model is better by RMSE" in sentence
    assert "The naive forecast has the better " in sentence
    assert "median absolute error (" in sentence
    assert any(sentence in line for line in outcome.warnings)


def test_events_and_random_rows_have_no_naive_forecast() -> None:
    assert find_series(ready(orders())) is None
    assert find_series(ready(random_walk(), time="none")) is None
