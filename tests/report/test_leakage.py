"""Columns that may be known only after the target are left out, and the scores with and without them are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pellucid.report.folder import write
from pellucid.report.follow_up import follow_up_times
from pellucid.report.identities import find_identities
from pellucid.report.leakage import suspected_columns
from pellucid.report.study import run_study

from . import leaking_tables as tables
from .test_structure import ready

LEAKS: list[tuple[Callable[[], pl.DataFrame], set[str]]] = [
    (tables.another_scale, {"other"}),
    (tables.logarithm, {"other"}),
    (tables.logarithm_of_few_rows, {"total", "share", "log"}),
    (tables.noisy_copy, {"other"}),
    (tables.total, {"casual", "registered"}),
    (tables.total_of_three, {"rent", "food", "other"}),
    (tables.total_with_surcharges, {"fare", "tip"}),
    (tables.price_times_quantity, {"price", "quantity"}),
    (tables.body_mass_index, {"height", "weight"}),
    (tables.filled_in_afterward, {"ticket"}),
    (tables.amount_of_the_event, {"amount"}),
    (tables.bill_of_the_event, {"bill"}),
    (tables.share_of_the_amount, {"amount", "share"}),
    (tables.price_without_tax, {"net", "log"}),
    (tables.code_of_the_class, {"code"}),
    (tables.mean_of_a_level, {"encoded"}),
    (tables.total_of_a_level, {"altogether"}),
    (tables.time_of_the_end, {"finish"}),
    (tables.time_of_the_end_since_1970, {"abgeschlossen"}),
    (tables.arrival_by_the_clock, {"arr_time"}),
    (tables.time_in_the_air, {"arr_time", "air_time"}),
    (tables.encoded_classes, {"a", "b"}),
    (tables.a_class_in_its_name, {"is_gold"}),
    (tables.price_bands, {"band"}),
    (tables.points_of_many_questions, {f"q{k}" for k in range(8)}),
    (tables.legs_of_a_race, {f"leg{k}" for k in range(6)}),
    (tables.filled_in_for_refunds, {"reason"}),
    (tables.filled_in_for_long_stays, {"review"}),
    (tables.due_and_paid, {"due", "paid"}),
    (tables.almost_the_classes, {"state"}),
    (tables.margin, {"revenue", "cost"}),
    (tables.end_of_a_ride, {"dropoff"}),
    (tables.after_the_event, {"days_in_care_after"}),
    (tables.best_of_three, {"jump0", "jump1", "jump2"}),
    (tables.total_with_blanks, {"food", "other"}),
    (tables.result_of_a_match, {"goals", "goals_away"}),
    (tables.points_of_an_examination, {"task0", "task1", "task2"}),
    (tables.probabilities_of_the_classes, {"p0", "p1", "p2"}),
    (tables.running_total, {"total"}),
    (tables.moving_average, {"average"}),
    (tables.tomorrow, {"next_one"}),
    (tables.follow_up_until_closing, {"v"}),
    (tables.follow_up_of_deaths, {"futime"}),
    (tables.two_follow_ups, {"a", "b"}),
]


@pytest.mark.parametrize(("table", "columns"), LEAKS, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_known_only_afterward_is_left_out(table: Callable[[], pl.DataFrame], columns: set[str]) -> None:
    result = ready(table())
    assert set(suspected_columns(result.suspects)) == columns
    assert not columns & set(result.columns.used)


@pytest.mark.parametrize(
    "table",
    [
        tables.strong_predictor,
        tables.easy_classes,
        tables.yesterday,
        tables.formula_of_many,
        tables.missing_more_often,
        tables.law_with_noise,
        tables.property_of_one_class,
        tables.doses,
        tables.overlapping_bands,
        tables.rounded_sum_of_influences,
        tables.class_of_nearly_all_large_values,
        tables.two_clusters,
        tables.measured_from_some_day_on,
        tables.grows_by_year,
        tables.past_average,
        tables.sizes_of_levels,
        tables.noisy_points,
        tables.booked_arrivals,
        tables.rare_property,
        tables.counts_that_are_often_0,
        tables.earlier_fines,
        tables.length_of_wings,
        tables.series_that_always_grow,
        tables.prices_of_packs,
        tables.tenure,
        tables.tenure_at_one_day,
        tables.time_of_a_task,
    ],
    ids=lambda table: table.__name__,
)
def test_strong_predictors_are_not_accused(table: Callable[[], pl.DataFrame]) -> None:
    assert ready(table()).suspects == ()


def test_several_values_of_one_class_are_not_called_names_of_it() -> None:
    random = np.random.default_rng(0)
    died = random.random(400) < 0.3
    status = np.where(died, "morgue", random.choice(["home", "care"], 400))
    table = pl.DataFrame({"x": random.normal(size=400), "status": status, "y": np.where(died, "yes", "no")})
    (suspect,) = ready(table).suspects
    assert suspect.reason == "each of its values goes with one value of 'y' in nearly every row"


def test_an_identity_may_miss_some_rows() -> None:
    table = tables.total().with_columns(y=pl.when(pl.int_range(pl.len()) % 40 == 0).then(3).otherwise(pl.col("y")))
    assert set(suspected_columns(ready(table).suspects)) == {"casual", "registered"}


def test_the_formula_of_an_identity_has_its_factor() -> None:
    random = np.random.default_rng(0)
    fed, product = random.uniform(2, 20, 300).round(3), random.uniform(1, 9, 300).round(3)
    numbers = {"fed": fed, "product": product}
    assert [found.formula for found in find_identities(numbers, 100 * product / fed, "y")] == [
        "y is product / fed, times 100"
    ]
    assert [found.formula for found in find_identities(numbers, product / fed, "y")] == ["y is product / fed"]


def test_the_formula_of_an_identity_has_its_constant() -> None:
    random = np.random.default_rng(0)
    number, born = np.arange(300.0) % 90, random.integers(1900, 1980, 300).astype(np.float64)
    (found,) = find_identities({"number": number, "born": born}, number - born + 1950, "y")
    assert found.formula == "y is number - born + 1950"
    (found,) = find_identities({"number": number, "born": born}, number + born, "y")
    assert found.formula == "y is number + born"


def test_the_year_of_a_date_may_give_the_target() -> None:
    """An age follows from a year and the date of birth, as it does from the year of birth."""
    random = np.random.default_rng(0)
    year = np.sort(random.integers(1930, 2020, 300))
    age = random.integers(20, 75, 300)
    days = np.array([np.datetime64(f"{y}-01-01") for y in year - age]) + random.integers(0, 360, 300)
    table = pl.DataFrame({"year": year, "x": random.normal(size=300), "birth": days.astype("datetime64[us]"), "y": age})
    result = ready(table)
    assert "birth" in suspected_columns(result.suspects)
    assert "the year of birth" in result.suspects[0].reason
    assert "birth" not in result.columns.used


def test_a_time_that_is_written_with_colons_may_give_the_target() -> None:
    random = np.random.default_rng(0)
    seconds = random.integers(7000, 12_000, 300)
    finish = [f"{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}" for s in seconds.tolist()]
    table = pl.DataFrame({"finish": finish, "x": random.normal(size=300), "y": seconds / 3600})
    (suspect,) = ready(table).suspects
    assert suspect.columns == ("finish",)
    assert suspect.reason == "the target follows from arithmetic: y is finish on another scale"


def test_a_column_that_may_be_a_law_is_mentioned() -> None:
    result = ready(tables.law_with_noise())
    assert "--drop force" in result.structure.notes[0]
    assert ready(tables.strong_predictor()).structure.notes == ()


def test_a_column_that_tells_the_class_beside_others_is_mentioned() -> None:
    random = np.random.default_rng(0)
    outcome = random.choice(["ball", "hit", "foul", "strike", "walk", "out"], 600)
    bad = np.isin(outcome, ["ball", "hit", "walk"])
    x = bad + random.normal(0, 0.3, 600)  # others tell the class as well, so that nothing is accused
    table = pl.DataFrame({"outcome": outcome, "x": x, "y": np.where(bad, "lost", "won")})
    result = ready(table)
    assert result.suspects == ()
    assert "--drop outcome" in result.structure.notes[0]
    assert ready(tables.easy_classes()).structure.notes == ()


def test_what_is_0_almost_everywhere_in_a_class_is_not_said_to_be_so_exactly() -> None:
    random = np.random.default_rng(0)
    table = tables.amount_of_the_event()
    (suspect,) = ready(table).suspects
    assert "almost" not in suspect.reason
    some = pl.Series(random.random(table.height) < 0.02)
    table = table.with_columns(amount=pl.when((pl.col("amount") == 0) & some).then(200).otherwise(pl.col("amount")))
    (suspect,) = ready(table).suspects
    assert suspect.reason.startswith("it is 0 almost exactly where y is")


def test_a_column_whose_name_speaks_of_afterward_is_mentioned() -> None:
    result = ready(tables.followed_up())
    assert result.suspects == ()
    assert "--drop follow_up_months" in result.structure.notes[0]
    plain = tables.followed_up().rename({"follow_up_months": "months"})
    assert not any("--drop" in note for note in ready(plain).structure.notes)


def test_a_time_that_only_its_name_says_to_be_a_follow_up_is_asked_about() -> None:
    random = np.random.default_rng(17)
    months = random.integers(1, 60, 500)
    died = random.random(500) < 0.2 + 0.4 * (months < 25)
    table = pl.DataFrame({"months": months, "x": random.normal(size=500), "y": np.where(died, "dead", "alive")})
    result = ready(table)
    assert result.suspects == ()
    assert "months" in result.columns.used
    assert result.structure.notes[0].startswith("'months' may be the time until 'y' was known: it is mostly longer")
    assert "--drop months" in result.structure.notes[0]
    assert ready(table.rename({"months": "tenure"})).structure.notes == ()


def test_products_with_an_indicator_and_other_units_are_no_two_times() -> None:
    random = np.random.default_rng(15)
    spent, member = random.gamma(3, 20, 600).round(1), random.integers(0, 2, 600)
    for other in (spent * member, np.where(member == 1, spent, (0.7 * spent).round(1))):
        assert follow_up_times({"spent": spent, "other": other}, member, "y", {}) == []


def test_columns_that_are_kept_are_used() -> None:
    result = ready(tables.another_scale(), keep=("other",))  # type: ignore[arg-type]
    assert result.suspects == ()
    assert "other" in result.columns.used


def test_the_scores_with_and_without_are_told(tmp_path: Path) -> None:
    outcome = run_study(tables.noisy_copy(), "y", minutes=0.02)
    assert outcome.held is not None
    (leak,) = outcome.leaks
    assert leak.without_columns == outcome.held.figures[0].value
    assert leak.with_columns < 0.5 * leak.without_columns
    assert any("--keep other" in line for line in outcome.warnings)
    assert "other" not in outcome.model.feature_names_in_
    page = write(outcome, tmp_path).read_text(encoding="utf-8")
    assert "may be known only after" in page
    (listed,) = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))["leakage"]
    assert listed["columns"] == ["other"]
    assert np.isclose(listed["score_without"], leak.without_columns)
