"""The verdict on the held-out rows: it follows from the intervals, and the headline says nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.report.holdout import scores_of_numbers
from pellucid.report.narrative import article, headline_of
from pellucid.report.outcome import HoldoutResult, Metric, MetricValue, Structure, Task
from pellucid.report.resampling import area_bounds, resample, share_bounds
from pellucid.report.study import run_study
from pellucid.report.task import MEASURES
from pellucid.report.verdict import conclusion_of, shift_of, verdict_of

from . import page_samples as samples

ERROR = Metric("neg_root_mean_squared_error", "RMSE", "the typical error", -1)
MERIT = Metric("r2", "R²", "the share that is explained")
numbers = st.floats(-100, 100).map(lambda value: round(value, 3))


@settings(max_examples=200, deadline=None)
@given(numbers, numbers, st.integers(1, 500))
def test_the_headline_never_contradicts_the_interval(one: float, other: float, n_units: int) -> None:
    outcome = samples.two_classes()
    assert outcome.held is not None
    low, high = sorted((one, other))
    first = replace(outcome.held.figures[0], gain_low=low, gain_high=high)
    held = replace(outcome.held, figures=(first,), n_units=n_units)
    measure = outcome.task.measure
    assert measure is not None
    outcome = replace(outcome, held=held, verdict=verdict_of(held, measure, (0.6, 0.7), 1.0))
    headline = headline_of(outcome)
    assert ("predicts whether" in headline) == (low > 0 and n_units >= 8)
    assert ("is worse than it" in headline) == (high < 0 and n_units >= 8)
    disagrees = (first.low > first.baseline) != (low > 0)
    assert n_units < 8 or not disagrees or "improvement over it" in headline


@pytest.mark.parametrize(("r2", "claims_success"), [(0.4, True), (-0.3, False)])
def test_a_model_that_beats_only_an_outdated_mean_is_no_success(r2: float, claims_success: bool) -> None:
    outcome = samples.number()
    assert outcome.held is not None
    first = MetricValue("RMSE", "", 5.0, 4.5, 5.5, 9.0, 3.0, 5.0)
    held = replace(outcome.held, figures=(first, MetricValue("R²", "", r2, r2 - 0.1, r2 + 0.1, -3.0)), n_units=200)
    headline = headline_of(replace(outcome, held=held, verdict=verdict_of(held, ERROR, (5.0, 5.1), 1.0)))
    assert ("no better than the mean of the held-out rows" not in headline) == claims_success
    assert ("R² " in headline) != claims_success


def test_held_out_rows_with_one_value_leave_nothing_to_explain() -> None:
    """The mean of such rows is a perfect prediction, so R² is undefined, and beating an outdated mean is no success."""
    predicted, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 5.0])
    r2 = scores_of_numbers(predicted, y)["r2"][1]
    assert np.isnan(r2(np.array([0, 1])))
    assert np.isfinite(r2(np.arange(3)))
    outcome = samples.number()
    assert outcome.held is not None
    first = MetricValue("RMSE", "", 5.0, 4.5, 5.5, 9.0, 3.0, 5.0)
    nan = float("nan")
    held = replace(outcome.held, figures=(first, MetricValue("R²", "", nan, nan, nan, nan)), n_units=200)
    headline = headline_of(replace(outcome, held=held, verdict=verdict_of(held, ERROR, (5.0, 5.1), 1.0)))
    assert "no better than the mean of the held-out rows would" in headline
    assert "all of them have the same value)" in headline


def test_a_metric_that_is_undefined_is_no_matter_of_few_rows() -> None:
    outcome, nan = samples.number(), float("nan")
    assert outcome.held is not None
    held = replace(outcome.held, rows=160, figures=(MetricValue("R²", "", nan, nan, nan, nan),), n_units=160)
    headline = headline_of(replace(outcome, held=held, verdict=verdict_of(held, MERIT, (0.6, 0.7), 1.0)))
    assert headline.endswith(
        "better than the baseline: the R² is not defined on 160 held-out rows with the same value."
    )


@pytest.mark.parametrize(("gain_low", "is_said"), [(0.1, True), (-0.1, False)])
def test_a_success_leaves_no_rows_out_in_silence(gain_low: float, is_said: bool) -> None:
    outcome = samples.two_classes()
    assert outcome.held is not None
    task = Task("several classes", "", "rock", ("a", "b", "c"), measure=MEASURES["neg_log_loss"])
    first = MetricValue("log loss", "", 0.5, 0.4, 0.6, 1.1, gain_low, 0.3)
    held = replace(outcome.held, rows=138, figures=(first,), confusion=None, n_units=138)
    structure = Structure("time", ("day",), None, "newest rows", "forward in time", unscored=62)
    verdict = verdict_of(held, ERROR, (0.5, 0.51), 1.0)
    headline = headline_of(replace(outcome, task=task, held=held, structure=structure, verdict=verdict))
    left_out = "The scores leave out 62 other rows of the newest 200, which have a class that no row before them has"
    assert (left_out in headline) == is_said


def test_names_and_units_in_a_headline() -> None:
    outcome = samples.number()
    assert outcome.held is not None
    first = MetricValue("RMSE", "", 5.0, 4.5, 5.5, 9.0, 3.0, 5.0)
    held = replace(outcome.held, figures=(first, MetricValue("R²", "", 0.5, 0.4, 0.6, 0.0)), n_units=200)
    task = replace(outcome.task, target="jump height (cm)", unit="cm")
    outcome = replace(outcome, task=task, held=held, verdict=verdict_of(held, ERROR, (5.0, 5.1), 1.0))
    assert re.search(r"predicts 'jump height \(cm\)' with an RMSE of 5\.\d+ cm on", headline_of(outcome))


@pytest.mark.parametrize(
    ("confusion", "claims", "words"),
    [
        ([[10, 10], [5, 75]], True, ""),  # 85 of 100 are right, the larger class has 80
        ([[0, 20], [0, 80]], False, "but it predicts good for each of these rows"),
        ([[20, 0], [80, 0]], False, "but it predicts bad for each of these rows"),
        ([[12, 8], [30, 50]], False, "but its predictions find 12 of the 20 such rows, with 30 false alarms"),
    ],
)
def test_probabilities_that_are_better_are_no_predictions_that_are(
    confusion: list[list[int]], claims: bool, words: str
) -> None:
    outcome = samples.two_classes()
    assert outcome.held is not None
    task = replace(outcome.task, classes=("bad", "good"), positive="bad")
    first = MetricValue("ROC AUC", "", 0.7, 0.6, 0.8, 0.5, 0.1, 0.3)
    held = replace(outcome.held, figures=(first,), confusion=np.array(confusion), n_units=100)
    verdict = verdict_of(held, MERIT, (0.69, 0.7), 1.0)
    headline = headline_of(replace(outcome, task=task, held=held, verdict=verdict))
    assert ("predicts whether" in headline) == claims
    assert ("ranks rows by the probability of bad better than the baseline" in headline) != claims
    assert words in headline


def test_several_classes_of_which_one_is_always_predicted() -> None:
    outcome = samples.two_classes()
    assert outcome.held is not None
    task = Task("several classes", "", "rock", ("a", "b", "c"), measure=MEASURES["neg_log_loss"])
    first = MetricValue("log loss", "", 0.9, 0.8, 1.0, 1.1, 0.1, 0.3)
    confusion = np.array([[0, 30, 0], [0, 60, 0], [0, 10, 0]])
    held = replace(outcome.held, figures=(first,), confusion=confusion, n_units=100)
    verdict = verdict_of(held, ERROR, (0.9, 0.91), 1.0)
    headline = headline_of(replace(outcome, task=task, held=held, verdict=verdict))
    assert "estimates the probabilities of the classes of rock better than the baseline" in headline
    assert "but it predicts b for each of these rows" in headline
    held = replace(held, confusion=np.array([[5, 25, 0], [9, 51, 0], [0, 10, 0]]))
    headline = headline_of(replace(outcome, task=task, held=held, verdict=verdict))
    assert "right no more often than the most frequent one (56.0 %, always b 60.0 %)" in headline


def test_too_few_rows_are_said_in_a_sentence() -> None:
    outcome = samples.two_classes()
    assert outcome.held is not None
    held = replace(outcome.held, rows=6, n_units=6)
    headline = headline_of(replace(outcome, held=held, verdict=verdict_of(held, MERIT, (0.6, 0.7), 1.0)))
    assert headline.startswith("6 held-out rows are too few to show any model to be better than the baseline at ")
    assert "whether whether" not in headline


@pytest.mark.parametrize(
    ("value", "at_random", "shift"), [(81.3, True, "worse"), (20.0, True, ""), (20.0, False, "better")]
)
def test_rows_drawn_at_random_score_better_by_chance_only(value: float, at_random: bool, shift: str) -> None:
    first = MetricValue("RMSE", "", value, value - 1, value + 1, 90.0, 5.0, 9.0)
    held = HoldoutResult(100, (first,), n_units=100)
    folds = (35.0, 36.1, 35.5, 34.8, 36.0)
    assert verdict_of(held, ERROR, folds, 1.0, at_random=at_random).shift == shift
    few = replace(held, n_units=7)
    assert verdict_of(few, ERROR, folds, 1.0, at_random=True).shift == ""


def test_a_small_improvement_is_not_shown_as_none() -> None:
    outcome = samples.number()
    assert outcome.held is not None
    first = MetricValue("RMSE", "", 0.9, 0.8, 1.1, 1.0, 0.00021, 0.2)
    held = replace(outcome.held, figures=(first,), n_units=200)
    headline = headline_of(replace(outcome, held=held, verdict=verdict_of(held, ERROR, (0.9, 0.91), 1.0)))
    assert "improvement over it on the same rows 0.00021" in headline


def test_a_model_that_is_no_better_in_cross_validation_is_no_better() -> None:
    held = HoldoutResult(5, (MetricValue("RMSE", "", 1.0, 0.9, 1.1, 2.0, 0.8, 1.2),), n_units=5)
    assert verdict_of(held, ERROR, (1.0, 1.1), 1.0).conclusion == "too few rows"
    undefined = MetricValue("RMSE", "", 1.0, float("nan"), float("nan"), 2.0)
    assert conclusion_of(undefined, HoldoutResult(100, (undefined,), n_units=100)) == "too few rows"


@pytest.mark.parametrize(
    ("value", "low", "high", "fold_scores", "shift"),
    [
        (81.3, 78.0, 84.0, (35.0, 36.1, 35.5, 34.8, 36.0), "worse"),
        (20.0, 19.0, 21.0, (35.0, 36.1, 35.5, 34.8, 36.0), "better"),
        (37.0, 36.5, 37.5, (35.0, 36.1, 35.5, 34.8, 36.0), ""),  # sure, but small
        (81.3, 30.0, 130.0, (35.0, 36.1, 35.5, 34.8, 36.0), ""),  # large, but not sure
        (81.3, 78.0, 84.0, (20.0, 90.0, 35.5, 34.8, 60.0), ""),  # folds differ as much
    ],
)
def test_contradictions_of_cross_validation(
    value: float, low: float, high: float, fold_scores: tuple[float, ...], shift: str
) -> None:
    assert shift_of(MetricValue("RMSE", "", value, low, high, 86.3), ERROR, fold_scores, 0.25) == shift


def test_the_interval_of_few_perfect_predictions_is_no_point() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=80)
    table = pl.DataFrame({"x": x, "z": random.normal(size=80), "y": np.where(x > 0, "up", "down")})
    held = run_study(table, "y", minutes=0.05, measure="accuracy").held
    assert held is not None
    first = held.figures[0]
    assert first.low <= share_bounds(first.value, 16)[0]
    assert first.high - first.low > 0.15


def test_an_area_of_few_rows_is_no_point() -> None:
    low, high = area_bounds(1.0, 2, 40)
    assert low < 0.6
    assert high == 1.0
    assert area_bounds(1.0, 1000, 1000)[0] > 0.99
    assert area_bounds(0.0, 9, 30)[1] == pytest.approx(1 - area_bounds(1.0, 30, 9)[0])


def test_groups_give_wider_intervals_than_rows() -> None:
    """Forty rows of each of ten patients: the mean over rows is that of ten, not of four hundred."""
    random = np.random.default_rng(1)
    groups = np.repeat(np.arange(10), 40)
    values = np.repeat(random.normal(size=10), 40)
    widths = []
    for samples_ in (resample(400, 0), resample(400, 0, groups), resample(400, 0, in_time=True)):
        low, high = samples_.interval(np.array([values[rows].mean() for rows in samples_.draws()]))
        widths.append(high - low)
    assert widths[1] > 3 * widths[0]
    assert widths[2] > 2 * widths[0]


def test_blocks_are_longer_than_the_memory_of_the_rows() -> None:
    random = np.random.default_rng(4)
    noise = random.normal(size=400)
    assert resample(400, 0, in_time=True, gains=noise).n_units == 20
    assert resample(400, 0, in_time=True, gains=np.cumsum(noise)).n_units < 4


def test_a_trend_of_the_improvement_is_no_memory() -> None:
    """A target that grows leaves the mean of older rows ever further behind: every row shows that a model is better."""
    random = np.random.default_rng(5)
    gains = 150 + np.linspace(0, 80, 160) + 6 * random.normal(size=160)
    assert resample(160, 0, in_time=True, gains=gains).n_units > 10
    for n_rows in (30, 160):
        walks = np.cumsum(random.normal(size=(100, n_rows)), axis=1)
        assert sum(resample(n_rows, 0, in_time=True, gains=walk).n_units > 8 for walk in walks) <= 8


def test_draws_are_the_same_again() -> None:
    one, again = (resample(50, 3, np.arange(50) // 5) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one.draws(), again.draws(), strict=True))
    assert one.unit == "group"
    assert one.n_units == 10


@pytest.mark.parametrize(
    ("word", "wanted"),
    [("RMSE", "an"), ("R²", "an"), ("ROC AUC", "an"), ("F1", "an"), ("accuracy", "an"), ("balanced accuracy", "a"),
     ("log loss", "a"), ("mean error", "a"), ("average precision of yes", "an")],
)  # fmt: skip
def test_articles(word: str, wanted: str) -> None:
    assert article(word) == wanted
