"""Is a table a process in time? Rows are split accordingly, and tables that only look so are split at random."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.base.errors import DataError
from pellucid.report.clocks import read_clock
from pellucid.report.equal_rows import equal_rows
from pellucid.report.holdout_split import folds_of, move_forward, sample, split_holdout
from pellucid.report.prepare import PreparedData, StudyConfig, open_table, prepare
from pellucid.report.sort_keys import explaining_keys
from pellucid.report.structure import RowStructure
from pellucid.report.structure_text import describe_structure
from pellucid.report.study import setting_of

from . import structured_tables as tables


def ready(table: pl.DataFrame, **options: str) -> PreparedData:
    config = StudyConfig("y", **options)  # type: ignore[arg-type]
    return prepare(open_table(table, config, None, lambda *_: None, associations=False), config, lambda *_: None)


PROCESSES: list[tuple[Callable[[], pl.DataFrame], tuple[str, ...]]] = [
    (tables.timestamps, ("when",)),
    (tables.written_dates, ("Datum",)),
    (tables.whole_number_dates, ("d",)),
    (tables.spreadsheet_days, ("Messtag",)),
    (tables.months, ("period",)),
    (tables.epochs, ("ts",)),
    (tables.parts, ("year", "month", "day", "hour")),
    (tables.year_and_week, ("jahr", "kw")),
    (tables.decimal_years, ("epoch",)),
    (tables.months_after_the_point, ("c1",)),
    (tables.quarters_after_the_point, ("c1",)),
    (tables.weeks_as_fractions, ("c1",)),
    (tables.years_without_a_name, ("c1",)),
    (tables.row_order, ()),
    (tables.row_order_of_classes, ()),
    (tables.parts_without_names, ()),
    (tables.country_and_year, ("year",)),
    (tables.country_and_year_shuffled, ("year",)),
    (tables.seasons, ("season",)),
    (tables.elapsed_time, ("elapsed_time",)),
    (tables.single_letters, ("Y", "m", "d", "h")),
    (tables.french_months, ("annee", "mois")),
    (tables.quarters, ("quarter",)),
    (tables.named_months, ("period",)),
    (tables.years_of_two_digits, ("yy", "mm")),
    (tables.production_dates, ("production_date",)),
    (tables.order_within_blocks, ()),
    (tables.polish_parts, ("rok", "miesiac", "dzien", "godzina")),
    (tables.nameless_parts, ("c1", "c2", "c3")),
    (tables.chinese_parts, ("\u5e74", "\u6708", "\u65e5", "\u65f6")),
    (tables.fiscal_quarters, ("fq",)),
    (tables.times_of_mails, ("sent",)),
    (tables.seconds_without_a_name, ("c1",)),
    (tables.shuffled_numbers_of_samples, ("sample_id",)),
    (tables.a_relation_that_changes, ("sold_on",)),
    (tables.independent_timestamps, ("at",)),
    (tables.independent_visits, ("visit_date",)),
]


@pytest.mark.parametrize(("table", "columns"), PROCESSES, ids=lambda value: getattr(value, "__name__", ""))
def test_the_newest_rows_are_held_out(table: Callable[[], pl.DataFrame], columns: tuple[str, ...]) -> None:
    result = ready(table())
    found = describe_structure(result.structure, result.parting)
    assert (found.order, found.time) == ("time", columns)
    times = result.structure.times
    assert times is not None
    assert times[result.parting.train].max() < times[result.parting.held].min()
    assert "--time none" in found.reasons[0]


@pytest.mark.parametrize(
    "table",
    [
        tables.birth_dates,
        tables.birth_dates_in_another_language,
        tables.years_of_construction,
        tables.sorted_model_years,
        tables.sorted_by_class,
        tables.sorted_by_target,
        tables.sorted_by_feature,
        tables.samples_numbered_like_years,
        tables.lengths_with_decimals,
        tables.two_sources,
        tables.blocks_of_a_category,
        tables.large_numbers,
        tables.sorted_in_turn,
        tables.sorted_in_turn_up_to_the_target,
        tables.cross_table,
        tables.independent_entries,
        tables.first_registrations,
        tables.dates_and_a_smoker,
        tables.day_and_month_of_features,
        tables.years_with_kinds,
        tables.sorted_first_flights,
    ],
    ids=lambda table: table.__name__,
)
def test_other_tables_are_split_at_random(table: Callable[[], pl.DataFrame]) -> None:
    result = ready(table())
    found = describe_structure(result.structure, result.parting)
    assert (found.order, found.split, found.reasons) == ("none", "random rows", ())


def test_a_date_that_does_not_decide_the_split_is_mentioned() -> None:
    result = ready(tables.birth_dates())
    assert "use --time birth_date" in describe_structure(result.structure, result.parting).notes[0]


def test_a_part_of_the_time_that_decides_is_not_said_not_to_decide() -> None:
    hours = np.arange(600)
    when = (np.datetime64("2021-12-20") + hours.astype("timedelta64[h]")).astype("datetime64[us]")
    parts = {"annee": "%Y", "mois": "%m", "jour": "%d", "heure": "%H"}
    texts = {name: pl.Series(when).dt.strftime(form).cast(pl.Int64) for name, form in parts.items()}
    result = ready(pl.DataFrame({**texts, "y": tables.walk(600)}))
    assert result.structure.time_columns == tuple(parts)
    assert not any("decide" in note for note in result.structure.notes)


def test_the_period_held_out_is_told_as_finely_as_the_times_are_known() -> None:
    y = tables.walk(240)
    months = pl.DataFrame({"anno": 2001 + np.arange(240) // 12, "mese": 1 + np.arange(240) % 12, "y": y})
    weeks = pl.DataFrame({"ano": 2017 + np.arange(208) // 52, "semana": 1 + np.arange(208) % 52, "y": y[:208]})
    days = np.datetime64("2023-01-03") + np.arange(240)
    no_year = pl.DataFrame(
        {"mois": pl.Series(days).dt.month(), "jour": pl.Series(days).dt.day(), "x": tables.noise(240), "y": y}
    )
    periods = {}
    for name, table in {"months": months, "weeks": weeks, "no year": no_year}.items():
        result = ready(table)
        told = describe_structure(result.structure, result.parting)
        assert told.order == "time"
        periods[name] = told.held_out_to, any("without a year" in reason for reason in told.reasons)
    assert periods == {"months": ("2020-12", False), "weeks": ("2020-12-21", False), "no year": (None, True)}


def test_weeks_that_are_not_those_of_iso_8601_are_counted_from_january() -> None:
    weeks = pl.DataFrame({"year": 2017 + np.arange(212) // 53, "week": np.arange(212) % 53, "y": tables.walk(212)})
    result = ready(weeks)
    assert result.structure.times is not None
    assert (np.diff(result.structure.times) >= 0).all()


def test_an_order_of_time_with_steps_back_is_not_said_to_be_complete() -> None:
    days = np.tile(np.arange(40), 5).astype("timedelta64[D]") + np.datetime64("2020-01-01")
    table = pl.DataFrame({"day": days, "x": np.arange(200.0) % 7, "y": np.arange(200.0) % 11})
    text = " ".join(describe_structure(ready(table).structure, ready(table).parting).reasons)
    assert "in the order of time but for 4 steps back" in text


def test_decimals_of_years_are_read_as_months() -> None:
    values = (1947 + np.arange(36) // 12 + (np.arange(36) % 12 + 1) / 100).astype(np.float32).astype(np.float64)
    twelfths = (1947 + np.arange(36) / 12).round(3)
    expected = (np.datetime64("1947-01") + np.arange(36)).astype("datetime64[s]").astype(np.float64)
    for months in (values, twelfths):
        clock = read_clock("c1", months)
        assert clock is not None
        assert clock.resolution == "month"
        np.testing.assert_array_equal(clock.values, expected)


def test_the_time_of_a_series_of_one_column_is_used() -> None:
    result = ready(tables.decimal_years().select("epoch", "y"))
    assert result.parting.in_time
    assert result.columns.used == ("epoch",)
    assert any("no other column is left" in role.why for role in result.roles)
    assert ready(tables.decimal_years()).columns.used == ("x",)


def test_weeks_start_on_the_monday_of_iso_8601() -> None:
    weeks = ["2020-W53", "2021-W01", "2022-W04", "2023-W17", "2024-W01"]
    clock = read_clock("week", np.array(weeks, dtype=object))
    assert clock is not None
    starts = [str(np.datetime64(int(seconds), "s"))[:10] for seconds in clock.values]
    assert starts == ["2020-12-28", "2021-01-04", "2022-01-24", "2023-04-24", "2024-01-01"]


def test_compact_timestamps_are_read() -> None:
    clock = read_clock("t", np.array([f"20150413T{hour:02d}0000" for hour in range(20)], dtype=object))
    assert clock is not None
    assert np.diff(clock.values).tolist() == [3600.0] * 19


@pytest.mark.parametrize(
    ("texts", "second"),
    [
        (["Q1 2010", "Q3 2010", "Q4 2011", "Q2 2012", "Q1 2013"], "2010-07-01"),
        (["03/2019", "04/2019", "11/2019", "01/2020", "02/2020"], "2019-04-01"),
        (["KW 05 2021", "KW 06 2021", "KW 07 2021", "KW 40 2021", "KW 01 2022"], "2021-02-08"),
        (["Mrz 2019", "Mai 2019", "Okt 2019", "Dez 2019", "Jan 2020"], "2019-05-01"),
        (["Jan-19", "Feb-19", "Mar-19", "Jan-20", "Feb-20"], "2019-02-01"),
        (["2010H1", "2010H2", "2011H2", "2012H1", "2013H1"], "2010-07-01"),
        (["H1 2010", "H2 2010", "H2 2011", "H1 2012", "H1 2013"], "2010-07-01"),
        (["1Q2010", "3Q2010", "4Q2011", "2Q2012", "1Q2013"], "2010-07-01"),
        (["1Q10", "3Q10", "4Q11", "2Q12", "1Q13"], "2010-07-01"),
        (["Q1'10", "Q3'10", "Q4'11", "Q2'12", "Q1'13"], "2010-07-01"),
        (["Week 5, 2021", "Week 6, 2021", "Week 7, 2021", "Week 40, 2021", "Week 1, 2022"], "2021-02-08"),
        (["2021-W05-3", "2021-W06-1", "2021-W07-2", "2021-W40-7", "2022-W01-1"], "2021-02-08"),
        (["202105", "202106", "202107", "202109", "202153"], "2021-02-08"),
    ],
)
def test_periods_are_read_in_many_forms(texts: list[str], second: str) -> None:
    clock = read_clock("period", np.array(texts, dtype=object))
    assert clock is not None
    assert str(np.datetime64(int(clock.values[1]), "s"))[:10] == second


def test_weeks_written_as_numbers_are_read() -> None:
    weeks = np.array([100 * year + week for year in (2020, 2021) for week in range(1, 53)])
    clock = read_clock("c1", weeks)
    assert clock is not None
    assert clock.form == "weeks written as whole numbers (yyyyww)"
    assert np.unique(np.diff(clock.values[:52])).tolist() == [7 * 86_400.0]
    prices = np.random.default_rng(0).integers(195_000, 210_000, 200)
    assert read_clock("price", prices) is None
    assert read_clock("bin", np.array(["12H1", "12H2", "13H1", "40H1", "40H2"], dtype=object)) is None


@pytest.mark.parametrize("form", ["FY20{}", "FY{}", "fiscal year 20{}"])
def test_fiscal_years_are_read(form: str) -> None:
    years = 2010 + np.arange(600) % 8
    written = [form.format(year % 100) for year in years]
    table = pl.DataFrame({"c1": written, "x": tables.noise(600), "y": tables.noise(600, seed=3) + 2 * years})
    result = ready(table)
    structure = result.structure
    assert structure.time_columns == ("c1",)
    assert structure.form == "fiscal years"
    assert re.search(r"the newest \d+ % of the rows is held out", result.parting.words)
    assert structure.times is not None
    assert structure.times.tolist() == years.tolist()


def test_months_written_as_text_are_taken_apart() -> None:
    columns = ready(tables.months()).columns
    assert (columns.times, dict(columns.formats)) == (("period",), {"period": "%Y-%m"})
    assert "period" not in ready(tables.months(), drop=("period",)).columns.used  # type: ignore[arg-type]


def test_repeated_rows_next_to_each_other_are_no_order_in_time() -> None:
    table = tables.repeated_rows().unique().sort("a").sample(fraction=1.0, shuffle=True, seed=2)
    doubled = table.with_columns(pl.exclude("y").round(0))[np.repeat(np.arange(len(table)), 2)]
    assert not ready(doubled).parting.in_time


def test_a_few_rows_of_a_rare_class_next_to_each_other_are_no_order() -> None:
    """Nothing but where three rows of 600 stand makes a row resemble the one before it."""
    random = np.random.default_rng(0)
    kind = random.choice(["big", "mid", "small"], 600)
    kind[:3] = "odd"
    table = pl.DataFrame({"x": random.normal(size=600), "z": random.normal(size=600), "y": kind})
    assert not ready(table).parting.in_time


def test_counts_of_entities_are_no_groups() -> None:
    random = np.random.default_rng(3)
    size = random.poisson(60, 400)
    table = pl.DataFrame({"households": size, "rooms": 4.1 * size + tables.noise(), "y": tables.noise(seed=7)})
    assert ready(table).structure.groups is None


def test_a_property_of_an_entity_is_no_identifier() -> None:
    """Where 0 stands for none, the levels of a measure differ as those of an identifier do."""
    random = np.random.default_rng(5)
    width = np.where(random.random(900) < 0.2, 0, random.integers(20, 120, 900))
    y = np.where(width == 0, 3.0, 0.0) + random.standard_normal(900)
    other = random.standard_normal(900)
    assert ready(pl.DataFrame({"lot_frontage": width, "x": other, "y": y})).structure.groups is None
    assert ready(pl.DataFrame({"lot_no": width, "x": other, "y": y})).structure.groups is not None


def test_few_times_are_sampled_over_all_of_them() -> None:
    """The last rows alone would have one time, and no fold could move forward."""
    times = np.repeat(np.arange(5.0), 400)
    y = np.random.default_rng(6).standard_normal(2000)
    rows = sample(y, 300, False, True, 0, times)
    assert len(np.unique(times[rows])) == 5
    assert move_forward(folds_of(y[rows], False, RowStructure(times[rows]), 0))
    assert sample(y, 300, False, True, 0, np.arange(2000.0)).min() == 1700
    assert not move_forward(folds_of(y[:300], False, RowStructure(times[:300]), 0))


def test_time_none_draws_rows_at_random() -> None:
    result = ready(tables.timestamps(), time="none")
    assert not result.parting.in_time
    assert sorted(result.parting.held) != list(range(320, 400))


def test_a_time_that_was_named_is_followed_whatever_it_holds() -> None:
    result = ready(tables.sorted_by_feature(), time="income")
    income = np.asarray(result.table["income"].to_numpy())
    assert income[result.parting.train].max() < income[result.parting.held].min()
    assert "income" not in result.columns.used


def test_folds_move_forward_and_keep_equal_times_together() -> None:
    times = np.sort(np.random.default_rng(0).integers(0, 40, 300)).astype(float)
    folds = folds_of(tables.noise(300), False, RowStructure(times), 0)
    assert len(folds) == 5
    for train, test in folds:
        assert times[train].max() < times[test].min()
    tested = np.concatenate([test for _, test in folds])
    assert len(np.unique(tested)) == len(tested)


def test_every_fold_in_time_can_be_scored() -> None:
    """The second class appears late, a third one only at the end."""
    y = np.array(["a"] * 150 + ["a", "b"] * 70 + ["c"] * 10)
    structure = RowStructure(np.arange(300.0))
    split = split_holdout(y, True, structure, 0)
    assert split.in_time
    assert split.unscored == 10
    for train, test in folds_of(y[split.train], True, structure.of(split.train), 0):
        assert set(y[split.train][test]) == {"a", "b"} == set(y[split.train][train])


def test_the_newest_rows_with_a_new_class_are_counted() -> None:
    y = np.array(["a", "b"] * 100 + ["a", "b", "c", "c", "c"] * 10)
    split = split_holdout(y, True, RowStructure(np.arange(250.0), time_columns=("day",)), 0)
    described = describe_structure(RowStructure(np.arange(250.0), time_columns=("day",)), split)
    assert described.unscored == split.unscored == 30
    assert described.notes[0].startswith("30 of the newest 50 rows have a class that no row before these has")


def test_dates_in_order_are_not_said_to_be_out_of_it() -> None:
    """Two dates are too few to show that rows were recorded along them, but the rows do stand in their order."""
    dates = ["2023-03-01"] * 280 + ["2023-04-01"] * 20
    table = pl.DataFrame({"recorded": dates, "x": tables.noise(300, 1), "y": tables.noise(300, 2)})
    for one, in_order in ((table, True), (tables.shuffled(table), False)):
        note = next(note for note in ready(one).structure.notes if "'recorded' holds dates" in note)
        assert ("the rows do not stand in their order" in note) != in_order
        assert "neither the target nor another column changes with them" in note


@pytest.mark.parametrize("n_groups", [6, 7, 8, 10])
def test_few_groups_of_one_class_each_are_split_so_that_every_fold_can_be_scored(n_groups: int) -> None:
    groups = np.repeat(np.arange(n_groups), 60)
    y = np.where(groups % 2 == 0, "ill", "well")
    structure = RowStructure(groups=groups, group_columns=("subject",))
    split = split_holdout(y, True, structure, 0)
    assert split.grouped
    folds = folds_of(y[split.train], True, structure.of(split.train), 0)
    assert len(folds) >= 2
    for train, test in [(split.train, split.held), *((split.train[one], split.train[two]) for one, two in folds)]:
        assert len(set(y[train])) == len(set(y[test])) == 2
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize("n_rare", [3, 4, 5])
def test_a_few_rows_of_a_class_are_learned_and_held_out_beside_equal_rows(n_rare: int) -> None:
    groups = np.concatenate([np.repeat(np.arange(20), 2), np.arange(20, 280)])
    y = np.where(np.isin(groups, 30 + 40 * np.arange(n_rare)), "yes", "no")
    structure = RowStructure(groups=groups)
    for seed in range(5):
        split = split_holdout(y, True, structure, seed)
        folds = folds_of(y[split.train], True, structure.of(split.train), seed)
        assert len(folds) >= 2
        for train, test in [(split.train, split.held), *((split.train[one], split.train[two]) for one, two in folds)]:
            assert len(set(y[train])) == len(set(y[test])) == 2


@pytest.mark.parametrize("classes", [["ill", "well"], ["ill", "well", "ill", "well", "ill"], ["a", "b", "c"]])
def test_too_few_groups_of_a_class_are_refused_with_the_reason(classes: list[str]) -> None:
    groups = np.repeat(np.arange(len(classes)), 60)
    structure = RowStructure(groups=groups, group_columns=("subject",))
    with pytest.raises(DataError, match=r"each class must occur in enough groups of 'subject' .* occurs in \d of \d"):
        split_holdout(np.array(classes)[groups], True, structure, 0)


def test_rows_without_a_time_are_never_among_the_newest() -> None:
    table = tables.timestamps().with_columns(
        when=pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise(pl.col("when"))
    )
    result = ready(table)
    assert result.parting.in_time
    assert not (result.parting.held % 9 == 0).any()


def test_a_time_in_one_number_is_no_number_for_models() -> None:
    """It would only tell rows of the past from each other; taken apart, its parts recur."""
    columns = ready(tables.epochs()).columns
    assert "ts" not in (*columns.numbers, *columns.named)


def test_of_two_timestamps_of_one_event_the_earlier_is_used() -> None:
    created = days = np.datetime64("2020-01-01T08:00") + np.arange(400) * np.timedelta64(300, "m")
    closed = days + np.random.default_rng(0).integers(10, 4000, 400).astype("timedelta64[m]")
    table = pl.DataFrame({"closed": closed.astype("datetime64[us]"), "x": tables.noise(), "y": tables.walk()})
    result = ready(table.with_columns(created=pl.Series(created.astype("datetime64[us]"))))
    assert result.structure.time_columns == ("created",)


def test_days_counted_from_an_unknown_day_are_not_said_to_be_later() -> None:
    day = np.sort(np.random.default_rng(0).integers(0, 1500, 400))
    date = pl.Series(np.datetime64("2005-01-01") + day)
    parts = {"year_sold": date.dt.year(), "month_sold": date.dt.month(), "day_sold": date.dt.day()}
    table = pl.DataFrame({"date": 16437 + day, **parts, "x": tables.noise(400), "y": tables.walk(400)})
    structure = ready(table).structure
    assert structure.time_columns == ("year_sold", "month_sold", "day_sold")
    assert not any("earlier" in note for note in structure.notes)


GROUPED: list[tuple[Callable[[], pl.DataFrame], str]] = [
    (tables.patients, "patient"),
    (tables.patients_with_numbers, "pid"),
    (tables.sites, "site"),
    (tables.an_unnamed_code, "column_1"),
    (tables.compound_name, "Kundennummer"),
    (tables.few_machines, "Maschine"),
    (tables.engines_until_failure, "engine"),
    (tables.subjects_with_the_same_tasks, "subject"),
    (tables.organs, "Gemeinde"),
    (tables.codes_with_an_altitude, "loc"),
    (tables.plots_numbered_at_each_site, "site"),
    (tables.boys_numbered_by_height, "subject"),
    (tables.few_rats, "rat"),
]


@pytest.mark.parametrize(("table", "column"), GROUPED, ids=lambda value: getattr(value, "__name__", ""))
def test_repeated_identifiers_keep_rows_together(table: Callable[[], pl.DataFrame], column: str) -> None:
    result = ready(table())
    found = describe_structure(result.structure, result.parting)
    assert (found.order, found.group, found.split) == ("none", column, "whole groups")
    assert column not in result.columns.used
    assert "--group none" in found.reasons[0]
    # What groups rows need not be an identifier: a carline or a duration may do.
    assert not any("identifier" in reason for reason in result.structure.not_group_features.values())
    groups = np.asarray(result.table[column].to_numpy())
    assert not set(groups[result.parting.train]) & set(groups[result.parting.held])
    train = result.parting.train
    for learned, tested in folds_of(result.y[train], result.for_classes, result.split_structure.of(train), 0):
        assert not set(groups[train][learned]) & set(groups[train][tested])


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (tables.repeated_plots, ("site", "plot")),
        (tables.persons_by_name_and_birth, ("name", "birth_date")),
        (tables.schools_of_districts, ("district", "school_no")),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_two_columns_may_say_together_which_rows_belong_together(
    table: Callable[[], pl.DataFrame], columns: tuple[str, str]
) -> None:
    result = ready(table())
    found = describe_structure(result.structure, result.parting)
    assert (result.structure.group_columns, found.group) == (columns, " and ".join(columns))
    assert f"Rows with the same {columns[0]!r} and {columns[1]!r} belong together" in found.reasons[0]
    units = result.table.select(pl.concat_str(columns, separator=" ")).to_series().to_numpy()
    assert not set(units[result.parting.train]) & set(units[result.parting.held])
    assert len(np.unique(result.structure.groups)) == len(np.unique(units))


@pytest.mark.parametrize(
    "table",
    [
        tables.cities,
        tables.ages,
        tables.postal_codes,
        tables.product_categories,
        tables.identifiers_without_resemblance,
        tables.numbers_of_works,
        tables.article_numbers,
        tables.unique_codes,
        tables.values_on_a_grid,
        tables.codes_with_damage,
        tables.a_rough_measure,
        tables.dishes,
        tables.goods_with_properties,
        tables.product_lines,
        tables.durations_of_runs,
        tables.days_without_a_year,
        tables.survey_by_job_and_region,
        tables.crossed_design,
        tables.cells_with_a_rate,
        tables.years_at_school_and_children,
        tables.hits_of_teams,
    ],
    ids=lambda table: table.__name__,
)
def test_categories_and_measures_are_no_groups(table: Callable[[], pl.DataFrame]) -> None:
    assert ready(table()).structure.groups is None


def test_measures_that_are_the_same_in_some_rows_keep_these_together() -> None:
    """No column names the plots, but their areas and altitudes do: the areas stay features."""
    result = ready(tables.plots_without_a_name())
    found = describe_structure(result.structure, result.parting)
    assert found.split == "whole groups"
    assert found.group in ("area_ha", "altitude")
    assert "2 other columns are constant within nearly every one" in found.reasons[0]
    assert {"area_ha", "altitude"} <= set(result.columns.used)
    areas = result.table["area_ha"].to_numpy()
    assert not set(areas[result.parting.train]) & set(areas[result.parting.held])


def reason_of_patients(random: np.random.Generator, **properties: Any) -> str:
    """The reason given for the groups of five visits each of 80 patients who have these properties."""
    patient = np.repeat(np.arange(80), 5)
    table = pl.DataFrame(
        {
            "patient": [f"P{k:03d}" for k in patient],
            **{name: np.asarray(values)[patient] for name, values in properties.items()},
            "x": tables.noise(400),
            "y": (random.normal(0, 2, 80)[patient] + tables.noise(400, 3)).round(2),
        }
    )
    result = ready(table)
    (reason,) = describe_structure(result.structure, result.parting).reasons
    return reason


def test_a_column_that_is_constant_is_not_said_to_vary_little_as_well() -> None:
    random = np.random.default_rng(0)
    reason = reason_of_patients(random, age=random.integers(20, 60, 80))
    assert "one other column is constant" in reason
    assert "little within one" not in reason


def test_codes_of_classes_are_groups_though_neighboring_classes_are_alike() -> None:
    """Codes were given out school by school; the size of a class is no smooth function of its code, as that of a
    measure is."""
    random = np.random.default_rng(0)
    pupil = np.repeat(np.arange(120), 12)
    school = np.repeat(random.normal(0, 3, 40), 3)
    table = pl.DataFrame(
        {
            "class": (100 * np.arange(2, 122) + 80)[pupil],
            "size": random.integers(10, 40, 120)[pupil],
            "combined": random.integers(0, 2, 120)[pupil],
            "x": tables.noise(len(pupil)),
            "y": (40 + school[pupil] + 6 * tables.noise(len(pupil), 3)).round(),
        }
    )
    result = ready(table)
    assert describe_structure(result.structure, result.parting).group == "class"
    income = 1000 * random.integers(10, 80, len(pupil))
    measure = table.with_columns(
        pl.Series("class", income), size=pl.Series(income // 7), combined=pl.Series((income > 40_000).astype(int))
    ).with_columns(y=pl.Series((income / 5000 + 6 * tables.noise(len(pupil), 3)).round()))
    assert ready(measure).structure.groups is None


def test_a_table_sorted_by_a_column_says_how_to_read_it_as_time() -> None:
    """A price index that grows sorts a series of years as well as a list of people by income."""
    prices = np.cumsum(np.random.default_rng(0).gamma(2, 1, 400)).round(1)
    table = pl.DataFrame({"price index": prices, "x": tables.noise(400), "y": tables.walk(400)})
    (note,) = ready(table).structure.notes
    assert "the table is sorted by 'price index'" in note
    assert note.endswith("If 'price index' grew with time, use --time 'price index'.")


def test_a_table_sorted_by_a_count_of_days_says_so() -> None:
    day = np.sort(np.random.default_rng(0).integers(4, 60, 400))
    table = pl.DataFrame({"pandemic day": day, "x": tables.noise(400), "y": tables.noise(400, 3)})
    (note,) = ready(table).structure.notes
    assert "sorted by 'pandemic day'" in note
    assert note.endswith("use --time 'pandemic day'.")
    grouped = ready(tables.patients().with_row_index("day"))
    assert grouped.structure.groups is not None
    assert any("sorted by 'day'" in note for note in grouped.structure.notes)
    assert not ready(tables.shuffled(table)).structure.notes


def test_numbers_that_each_patient_has_of_its_own_count_as_constant() -> None:
    random = np.random.default_rng(0)
    sex, age = random.choice(["f", "m"], 80), random.uniform(20, 60, 80).round(5)
    reason = reason_of_patients(random, sex=sex, age=age, enrolled=random.permutation(np.arange(300, 380)))
    assert "3 other columns are constant within nearly every one" in reason
    assert "little within one" not in reason


def test_new_levels_of_a_category_with_properties_are_mentioned() -> None:
    (note,) = ready(tables.dishes()).structure.notes
    assert "same values of volume, built, eaves" in note
    assert "--group dish" in note
    assert ready(tables.product_categories()).structure.notes == ()
    assert ready(tables.cities()).structure.notes == ()


def test_two_columns_that_name_somebody_together_keep_rows_together() -> None:
    result = ready(tables.first_and_last_names())
    assert result.structure.group_columns == ("a", "b")
    described = describe_structure(result.structure, result.parting)
    assert described.group == "a and b"
    assert described.reasons[0].startswith("Rows with the same 'a' and 'b' belong together")
    names = (result.table["a"] + result.table["b"]).to_numpy()
    assert not set(names[result.parting.train]) & set(names[result.parting.held])
    assert ready(tables.regions_and_products()).structure.groups is None


def test_new_levels_of_a_category_with_many_that_decides_are_mentioned() -> None:
    (note,) = ready(tables.guests()).structure.notes
    assert "'guest' resemble each other in the target" in note
    assert "--group guest" in note


def test_other_names_of_the_same_things_are_left_out_as_well() -> None:
    table = tables.patients_with_numbers()
    number = pl.col("pid")
    table = table.with_columns(subject=number, label="P" + number.cast(pl.String), weight=40 + number * 37 % 1009)
    result = ready(table)
    names = {"pid", "subject", "label"}
    assert set(result.structure.group_columns) <= names
    assert not names & set(result.columns.used)
    assert "weight" in result.columns.used


def test_the_beginning_of_an_identifier_keeps_rows_together() -> None:
    result = ready(tables.scans())
    assert "'file' has the same beginning" in describe_structure(result.structure, result.parting).reasons[0]
    patients = np.array([file.split("/")[1] for file in result.table["file"].to_list()])
    assert not set(patients[result.parting.train]) & set(patients[result.parting.held])


def test_rows_of_one_place_stay_together_and_its_coordinates_are_used() -> None:
    result = ready(tables.coordinates())
    assert (result.structure.group_columns, result.parting.grouped) == (("lat",), True)
    assert {"lat", "lon"} <= set(result.columns.used)


def test_a_group_of_one_row_each_is_no_help_and_the_page_says_so() -> None:
    result = ready(tables.scans(), group="file")
    assert "keeps no rows together" in describe_structure(result.structure, result.parting).notes[0]


def test_a_time_on_which_nothing_depends_is_mentioned() -> None:
    result = ready(tables.independent_entries())
    assert "use --time entry" in describe_structure(result.structure, result.parting).notes[0]


def test_group_none_draws_rows_at_random() -> None:
    result = ready(tables.patients(), group="none")
    assert not result.parting.grouped


def test_new_patients_are_predicted_from_older_visits_of_others() -> None:
    result = ready(tables.patients_and_visits())
    patients, visits = (np.asarray(result.table[name].to_numpy()) for name in ("patient", "visit"))
    train, held = result.parting.train, result.parting.held
    assert visits[train].max() < visits[held].min()
    assert not set(patients[train]) & set(patients[held])
    reason = describe_structure(result.structure, result.parting).reasons[0]
    assert re.search(
        r"the newest (fifth|\d+ %) of the rows is held out \(\S+ to \S+\), and older rows of the same", reason
    )


def test_entities_that_go_on_are_predicted_from_their_past() -> None:
    """Every country occurs in every year, so its older rows are learned from, and the page says what that leaves."""
    table = tables.country_and_year().with_columns(pl.col("country").str.replace("country ", "C").alias("country_id"))
    result = ready(table.drop("country"), group=None)  # type: ignore[arg-type]
    assert result.parting.in_time
    assert not result.parting.grouped


def test_rows_that_go_back_in_time_are_not_in_its_order() -> None:
    """Migrants by country and year, those who come sorted by country, those who leave by year: the target resembles
    that of the row before it, but the years go back and forth."""
    random = np.random.default_rng(0)
    years, countries = [1990, 1995, 2000, 2005, 2010, 2015, 2017], [f"land {k}" for k in range(80)]
    size = dict(zip(countries, random.lognormal(8, 2, 80), strict=True))
    came = [(year, country, "in") for country in countries for year in years]
    left = [(year, country, "out") for year in years for country in countries]
    table = pl.DataFrame(came + left, schema=["year", "country", "way"], orient="row").with_columns(
        y=pl.Series([size[country] * factor for (_, country, _), factor in
                     zip(came + left, random.lognormal(0, 0.1, 1120), strict=True)])
    )  # fmt: skip
    result = ready(table)
    assert not result.parting.in_time
    assert any("'year' goes back and forth along the rows" in note for note in result.structure.notes)


def test_equal_rows_stay_on_one_side() -> None:
    result = ready(tables.repeated_rows())
    rows = result.table.rows()
    assert not {rows[i] for i in result.parting.train} & {rows[i] for i in result.parting.held}
    (reason,) = describe_structure(result.structure, result.parting).reasons
    assert "100 rows repeat an earlier row in every column" in reason
    assert "chance" not in reason
    assert f"{100 * len(result.parting.held) / 500:.3g} % of the rows are held out" in reason


def test_a_number_of_the_row_neither_hides_equal_rows_nor_makes_neighbors_alike() -> None:
    number = np.arange(500) ^ 3  # in nearly the order of the rows
    result = ready(tables.repeated_rows().with_columns(case=pl.Series(number)))
    (reason,) = describe_structure(result.structure, result.parting).reasons
    assert "100 rows repeat an earlier row in every column but 'case'" in reason
    assert not any("'case' resembles" in note for note in result.structure.notes)


def whole_numbers(most: int) -> pl.DataFrame:
    random = np.random.default_rng(0)
    return pl.DataFrame({name: random.integers(0, most, 400) for name in "abc"}).with_columns(
        y=pl.Series(random.choice(["no", "yes"], 400))
    )


def test_equal_rows_of_few_values_are_mentioned_if_they_are_more_than_by_chance() -> None:
    """Whole numbers of a small range may be equal by chance: rows are drawn at random."""
    by_chance = ready(whole_numbers(3))
    assert not by_chance.parting.grouped
    assert not any("repeat an earlier row" in note for note in by_chance.structure.notes)
    table = whole_numbers(30)
    result = ready(pl.concat([table, table.head(50)]))
    assert not result.parting.grouped
    assert any("50 rows repeat an earlier row in every column" in note for note in result.structure.notes)


@pytest.mark.parametrize("words", [1, 8])
def test_rows_with_a_text_of_their_own_are_no_copies(words: int) -> None:
    """Nothing but the target recurs, so classes are no groups of equal rows."""
    random = np.random.default_rng(2)
    texts = [" ".join([f"note{k}", *random.choice(["late", "broken", "fine"], words - 1)]) for k in range(300)]
    table = pl.DataFrame(
        {"text": texts, "kind": random.choice(["a", "b"], 300), "y": random.choice(["no", "yes"], 300)}
    )
    for columns in (["text", "y"], ["text", "kind", "y"]):
        found = equal_rows(table, columns)
        assert found is None or not found.is_singular


def test_copies_are_told_by_a_column_whose_values_are_nearly_all_different() -> None:
    random = np.random.default_rng(0)
    table = pl.DataFrame({"x": random.normal(size=200).round(3), "y": random.choice(["no", "yes"], 200)})
    result = ready(tables.shuffled(pl.concat([table] * 3)))
    assert result.parting.grouped
    rows = result.table.rows()
    assert not {rows[i] for i in result.parting.train} & {rows[i] for i in result.parting.held}


def test_copies_among_rows_of_few_values_stay_on_one_side() -> None:
    """So many pairs without a row that stands three times are copies, although the columns have few values."""
    random = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "income": random.integers(1, 18, 600),
            "age": random.integers(18, 80, 600),
            "school": random.integers(1, 5, 600),
            "y": random.choice(["no", "yes"], 600),
        }
    )
    assert not ready(table).parting.grouped
    result = ready(pl.concat([table, table.tail(400)]))
    assert result.parting.grouped
    rows = result.table.rows()
    assert not {rows[i] for i in result.parting.train} & {rows[i] for i in result.parting.held}


def test_texts_that_repeat_stay_on_one_side() -> None:
    """A mail that occurs twice must not be learned from and scored; two words may well occur twice."""
    random = np.random.default_rng(0)
    words = ["call", "me", "when", "you", "are", "free", "to", "talk", "about", "the", "plan", "today"]
    texts = [" ".join(random.choice(words, 9)) for _ in range(200)]
    mails = pl.DataFrame({"text": texts + texts[:20], "label": ["ham", "spam"] * 110})
    groups = equal_rows(mails, ["text", "label"])
    assert groups is not None
    assert groups.is_singular
    assert (groups.first[200:] == np.arange(20)).all()
    short = equal_rows(mails.with_columns(text=pl.col("text").str.slice(0, 4)), ["text", "label"])
    assert short is not None
    assert not short.is_singular


def test_rows_at_the_end_may_be_of_one_class() -> None:
    """A rare class that stands in a few blocks: samples hold it, and the page says what could not be done."""
    y = np.zeros(4000, dtype=np.int64)
    y[2000:2012] = y[2100:2104] = y[3900:3904] = 1
    rows = sample(y, 1000, True, True, 0)
    assert (np.diff(rows) > 0).all()
    assert len(np.unique(y[rows])) == 2
    assert (sample(y[:2010], 100, True, True, 0) == np.arange(1910, 2010)).all()
    late = np.repeat([0, 1], [3960, 40])
    note = split_holdout(late, True, RowStructure(np.arange(4000.0)), 0).notes[0]
    assert "have an order in time" not in note
    assert "cannot be held out" in note


def test_two_days_of_a_number_say_nothing_of_classes() -> None:
    two_days = RowStructure(np.repeat([0.0, 1.0], [100, 300]), time_columns=("day",))
    note = split_holdout(np.arange(400) % 97 / 7, False, two_days, 0).notes[0]
    assert "too many rows have the same time." in note
    assert "classes" not in note


def test_folds_that_cannot_move_forward_are_not_said_to() -> None:
    structure = RowStructure(np.arange(1000.0), evidence=("the target of a row resembles that of the row before it",))
    y = np.zeros(1000, dtype=np.int64)
    y[400:404] = y[406:410] = y[412:414] = y[950:956] = 1
    parting = split_holdout(y, True, structure, 0)
    train = parting.train
    folds = folds_of(y[train], True, structure.of(train), 0)
    assert parting.in_time
    assert not move_forward(folds)
    found = describe_structure(structure, parting, move_forward(folds))
    assert found.folds == "random"
    assert "move forward in time: " not in found.reasons[0]
    assert "drawn at random" in found.reasons[0]


def test_rows_sorted_by_place_are_no_process_in_time() -> None:
    """Nor is a latitude alone a place to which rows belong."""
    result = ready(tables.sorted_by_place())
    assert result.structure.times is None
    assert result.structure.groups is None
    assert any("sorted by place" in note for note in result.structure.notes)


def test_a_measure_is_no_identifier() -> None:
    assert ready(tables.a_measure_under_no_name()).structure.groups is None


def test_no_time_is_said_to_be_used_where_none_decides() -> None:
    """Stays that do not depend on each other: neither their beginnings nor their ends split the rows."""
    random = np.random.default_rng(0)
    begin = np.datetime64("2024-03-01") + random.integers(0, 900, 400)
    table = pl.DataFrame({"entry": begin, "exit": begin + random.integers(1, 40, 400), "x": random.normal(size=400)})
    table = table.with_columns(y=pl.col("x") + random.normal(size=400))
    result = ready(table)
    assert result.structure.times is None
    assert not any("is used rather than" in note for note in result.structure.notes)


def test_an_order_without_a_clock_is_not_called_one_in_time() -> None:
    result = ready(tables.row_order())
    (reason,) = describe_structure(result.structure, result.parting).reasons
    assert "the order in which they were recorded" in reason
    assert "in time" not in reason
    assert "later" not in reason
    assert "stand further down than those it learned from" in reason
    assert "lag-1 autocorrelation of ranks without level shifts 0." in reason


def test_blocks_of_a_column_are_not_called_an_order() -> None:
    """Towns stand together, in no order; the target is that of the town."""
    random = np.random.default_rng(0)
    town, value = random.permutation(40), random.normal(size=40)
    which = np.repeat(np.arange(40), 10)
    table = pl.DataFrame(
        {"acres": town[which] / 4, "x": random.normal(size=400), "y": value[which] + 0.3 * random.normal(size=400)}
    )
    notes = ready(table).structure.notes
    assert any("rows with the same 'acres' stand together" in note for note in notes)
    assert not any("--time acres" in note for note in notes)
    assert not any("sorted by" in note for note in notes)


def test_a_fine_column_is_not_said_to_stand_in_blocks() -> None:
    """Ten parts, each sorted by class, of shuffled rows: hardly any two rows that follow each other are equal."""
    random = np.random.default_rng(0)
    y = np.tile(np.repeat(["no", "yes"], [90, 10]), 10)
    table = pl.DataFrame({"x": random.integers(0, 400, 1000) / 8, "z": random.normal(size=1000), "y": y})
    result = ready(table)
    assert not result.parting.in_time
    assert not any("'x'" in note for note in result.structure.notes)
    assert any("stand in blocks of about the same length" in note for note in result.structure.notes)


def test_a_table_sorted_by_its_target_and_rows_like_their_neighbors_are_mentioned() -> None:
    """Several rows of each patient, whom no column names, sorted by the target."""
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 8)
    y = np.where(patient < 40, "healthy", "ill")
    level = random.normal(size=60)[patient] + 0.3 * random.normal(size=480)
    notes = ready(pl.DataFrame({"level": level, "x": random.normal(size=480), "y": y})).structure.notes
    assert any("follows the target 'y': the rows of each class stand together" in note for note in notes)
    assert any("'level' resembles that of the row before" in note for note in notes)
    alone = ready(pl.DataFrame({"x": random.normal(size=480), "y": y})).structure.notes
    assert not any("resembles" in note for note in alone)


def test_rows_in_the_order_of_a_number_are_not_said_to_be_sorted_or_alike_for_another_reason() -> None:
    """Three ascending parts, one after the other; what goes with the target rises with it."""
    random = np.random.default_rng(0)
    y = np.concatenate([np.sort(random.normal(size=300)) for _ in range(3)])
    table = pl.DataFrame({"size": y + 0.1 * random.normal(size=900), "x": random.normal(size=900), "y": y})
    (note,) = ready(table).structure.notes
    assert note.startswith("The order of the rows follows the target 'y': from row to row it falls only 2 times in 900")
    (note,) = ready(table.sort("y", descending=True)).structure.notes
    assert "from row to row it never rises" in note


def test_a_comparison_knows_that_it_sees_the_newest_rows_alone() -> None:
    random, plan = np.random.default_rng(0), SimpleNamespace(rows=60, repeats=1)
    for table, latest in ((tables.timestamps(), True), (pl.DataFrame(random.normal(size=(300, 2)), ["x", "y"]), False)):
        found = ready(table)
        assert found.parting.in_time == latest
        assert setting_of(found, StudyConfig("y"), plan).latest == latest
        assert not setting_of(found, StudyConfig("y"), SimpleNamespace(rows=10_000, repeats=1)).latest


def test_how_many_groups_are_held_out_is_counted() -> None:
    """Groups of very different sizes: a fifth of the rows is no fifth of the groups."""
    groups = np.repeat(np.arange(30), np.arange(1, 31) ** 2)
    y = np.random.default_rng(0).normal(size=len(groups))
    parting = split_holdout(y, False, RowStructure(groups=groups, group_columns=("who",)), 0)
    n_held = len(np.unique(groups[parting.held]))
    assert parting.words.startswith(f"{n_held} of 30 groups ")


def test_columns_that_sort_a_table_in_turn_are_named() -> None:
    notes = ready(tables.sorted_in_turn()).structure.notes
    keys = "'fresh', then by 'frozen', then by 'large', then by 'own', then by 'regional', then by 'price'"
    assert any(f"the table is sorted by {keys}, which may explain it" in note for note in notes)
    shuffled = tables.shuffled(tables.sorted_in_turn())
    assert explaining_keys(shuffled, shuffled["y"].to_numpy(), False, shuffled.columns[:-1], "y") == ()


def test_times_that_start_again_for_each_person_do_not_sort_the_table() -> None:
    person, minute = np.repeat(np.arange(30), 40), np.tile(np.arange(40), 30)
    level = np.random.default_rng(0).normal(size=30)[person]
    table = pl.DataFrame({"subject": person + 1, "time": minute * 1.5, "y": (level + tables.noise(1200)).round(2)})
    assert not any("sorted by 'time'" in note for note in ready(table).structure.notes)
