"""Whole reports on tables with a trap: the conclusions say what is true of them, and agree with their figures."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from pellucid.report.outcome import StudyResult
from pellucid.report.study import run_study


def hours(n_rows: int) -> pl.Series:
    times = np.datetime64("2019-01-01T00:00") + np.arange(n_rows) * np.timedelta64(60, "m")
    return pl.Series("timestamp", [str(time) for time in times])


def growing(n_rows: int = 1500) -> pl.DataFrame:
    """A delay that follows from the departure, on a scale that grows and swings with time: folds differ in scale."""
    random = np.random.default_rng(12)
    t = np.arange(n_rows)
    scale = np.exp(t / 450) * (1 + 0.9 * np.sin(t / 110))
    departed = random.normal(size=n_rows) * scale
    delay = departed + 0.5 * scale * random.normal(size=n_rows)
    return pl.DataFrame({"timestamp": hours(n_rows), "departed": departed.round(3), "delay": delay.round(3)})


def drifting(n_rows: int = 1000) -> pl.DataFrame:
    """The level of the newest rows is another one."""
    random = np.random.default_rng(10)
    warmth = random.normal(size=n_rows)
    load = 50 + 10 * warmth + 40 * (np.arange(n_rows) > 790) + 2 * random.normal(size=n_rows)
    return pl.DataFrame({"timestamp": hours(n_rows), "warmth": warmth.round(2), "load": load.round(2)})


def walk(n_rows: int = 600) -> pl.DataFrame:
    """A random walk, and a column that has nothing to do with it."""
    random = np.random.default_rng(11)
    price = 100 + np.cumsum(random.normal(size=n_rows))
    volume = random.normal(size=n_rows).round(2)
    return pl.DataFrame({"timestamp": hours(n_rows), "volume": volume, "price": price.round(2)})


def by_heart(n_rows: int = 300) -> pl.DataFrame:
    """Twenty columns of noise beside three that count together."""
    random = np.random.default_rng(17)
    x = random.normal(size=(n_rows, 23))
    sale = np.exp(11.8 + 0.4 * x[:, 0] * np.sign(x[:, 1]) + 0.2 * x[:, 2] + 0.1 * random.normal(size=n_rows))
    return pl.DataFrame({f"q{j}": x[:, j].round(3) for j in range(23)} | {"sale": sale.round(0)})


def weak(n_rows: int = 3000) -> pl.DataFrame:
    """A rare class that columns say a little about: no probability reaches one half."""
    random = np.random.default_rng(19)
    x = random.normal(size=(n_rows, 4))
    churn = np.where(0.5 * x[:, 0] + random.normal(size=n_rows) > 1.6, "yes", "no")
    return pl.DataFrame({f"s{j}": x[:, j].round(3) for j in range(4)} | {"churn": churn})


def agrees(outcome: StudyResult) -> None:
    """The headline, the verdict and the figures say the same."""
    assert outcome.verdict is not None
    assert outcome.held is not None
    first = outcome.held.figures[0]
    claims = not outcome.headline.startswith("No model is shown") and "too few" not in outcome.headline
    assert claims == outcome.verdict.is_better
    if outcome.verdict.is_better:
        assert first.gain_low > 0
        assert not any("not shown to be better than the baseline" in line for line in outcome.warnings)
    else:
        assert not any("important" in line for line in outcome.summary)


def test_folds_of_different_scale_do_not_hide_what_was_learned() -> None:
    outcome = run_study(growing(), "delay", minutes=0.03)
    agrees(outcome)
    assert outcome.verdict is not None
    assert outcome.verdict.is_better
    assert outcome.race is not None
    assert outcome.race.of("baseline").verdict == "worse"
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.verdict != "overfitted"  # the target grew, for the baseline as for the model
    assert not any("few" in line for line in outcome.warnings)


def test_newest_rows_on_another_level_are_a_shift() -> None:
    outcome = run_study(drifting(), "load", minutes=0.03)
    agrees(outcome)
    assert outcome.verdict is not None
    assert outcome.verdict.shift == "worse"
    assert "in cross-validation" in outcome.headline
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.verdict == "distribution shift"


def test_a_random_walk_is_not_predicted() -> None:
    outcome = run_study(walk(), "price", minutes=0.03)
    agrees(outcome)
    assert outcome.verdict is not None
    assert outcome.verdict.conclusion in ("not shown", "too few rows")


def test_neighbors_that_reproduce_their_rows_are_not_called_overfitted() -> None:
    """A surface that only nearest neighbors follow: weighted by distance they have no error on their own rows."""
    random = np.random.default_rng(3)
    x = random.uniform(-3, 3, (700, 2)).round(3)
    echo = 10 * np.sin(2 * x[:, 0]) * np.cos(2 * x[:, 1]) + random.normal(size=700)
    outcome = run_study(
        pl.DataFrame({"phase": x[:, 0], "bearing": x[:, 1], "echo": echo.round(2)}), "echo", minutes=0.02
    )
    agrees(outcome)
    assert outcome.winner == "neighbors"
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.verdict == "cannot tell"
    assert any("the rows that it learned from predict themselves" in line for line in outcome.warnings)


def test_columns_that_hardly_matter_are_not_named_beside_those_that_do() -> None:
    random = np.random.default_rng(4)
    high, spring = random.integers(0, 2, 700), random.integers(0, 3, 700)
    wind = random.choice(["N", "E", "S", "W"], 700)
    height = 2 + 3 * high + 0.6 * spring + random.normal(0, 0.15, 700) + 0.03 * (wind == "N")
    table = pl.DataFrame({"high": high, "spring": spring, "wind": wind, "height": height.round(3)})
    (sentence,) = [line for line in run_study(table, "height", minutes=0.02).summary if "important" in line]
    assert "columns: high, spring." in sentence


def test_the_headline_names_the_column_that_it_does_without() -> None:
    random = np.random.default_rng(4)
    soil, depth = random.normal(size=(2, 300)).round(3)
    yields = (soil + random.normal(size=300)).round(3)
    revenue = (12 * yields + random.normal(0, 0.1, 300)).round(2)
    table = pl.DataFrame({"soil": soil, "depth": depth, "revenue": revenue, "yield": yields})
    outcome = run_study(table, "yield", minutes=0.02)
    assert outcome.headline.endswith("This is without revenue, which may be known only after yield.")
    assert "may be known only" not in run_study(table, "yield", minutes=0.02, keep=["revenue"]).headline


def prices(effect: float, noise: float, n_rows: int = 900) -> pl.DataFrame:
    """A log-normal target: a few rows decide every squared error."""
    random = np.random.default_rng(1)
    size, depth = random.normal(size=(2, n_rows)).round(2)
    price = np.exp(7 + effect * size + noise * random.normal(size=n_rows))
    return pl.DataFrame({"size": size, "depth": depth, "price": price.round(2)})


def test_a_few_large_values_do_not_hide_what_was_learned() -> None:
    outcome = run_study(prices(1.2, 0.7), "price", minutes=0.02)
    agrees(outcome)
    assert outcome.held is not None
    assert outcome.held.figures[0].word == "mean absolute error"
    assert "would decide an RMSE" in outcome.task.why
    assert outcome.verdict is not None
    assert outcome.verdict.is_better
    measure = run_study(prices(1.2, 0.7), "price", minutes=0.02, measure="neg_root_mean_squared_error").task.measure
    assert measure is not None
    assert measure.word == "RMSE"


def test_a_smaller_constant_than_the_mean_is_no_success() -> None:
    """By absolute error every model that predicts about the median beats the mean: the baseline is the median."""
    outcome = run_study(prices(0.0, 1.6), "price", minutes=0.02)
    agrees(outcome)
    assert outcome.held is not None
    assert outcome.held.figures[0].word == "mean absolute error"
    assert outcome.verdict is not None
    assert not outcome.verdict.is_better


def test_warnings_of_models_are_not_repeated(recwarn: pytest.WarningsRecorder) -> None:
    """A heavy-tailed target, on which a linear support vector machine does not converge: the page notes it once."""
    random = np.random.default_rng(6)
    size = random.normal(size=400)
    price = np.exp(7 + 0.8 * size + 1.5 * random.standard_t(3, 400))
    run_study(pl.DataFrame({"size": size.round(2), "price": price.round(2)}), "price", minutes=0.02)
    assert not [one for one in recwarn if "converge" in str(one.message)]


def test_what_is_learned_by_heart_is_said() -> None:
    outcome = run_study(by_heart(), "sale", minutes=0.05)
    agrees(outcome)
    assert outcome.diagnosis is not None
    assert outcome.diagnosis.evidence is not None
    train, held = -outcome.diagnosis.evidence.train, -outcome.diagnosis.evidence.score
    assert held > 1.3 * train
    assert outcome.diagnosis.verdict == "overfitted"
    assert len(outcome.diagnosis.curve.train_sizes) >= 5  # type: ignore[union-attr]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_rare_class_is_ranked_though_no_probability_reaches_one_half(seed: int) -> None:
    outcome = run_study(weak(), "churn", minutes=0.05, seed=seed)
    agrees(outcome)
    assert outcome.winner not in ("neighbors", "kernel", "tree")
    assert outcome.verdict is not None
    assert outcome.verdict.is_better


def test_ranks_can_be_predicted() -> None:
    """Every row has its own whole number, as an identifier has."""
    random = np.random.default_rng(8)
    strength = random.normal(size=200)
    standing = (strength + 0.3 * random.normal(size=200)).argsort().argsort() + 1
    outcome = run_study(pl.DataFrame({"strength": strength, "standing": standing}), "standing", minutes=0.02)
    assert outcome.task.kind == "number"
    assert outcome.verdict is not None
    assert outcome.verdict.is_better
