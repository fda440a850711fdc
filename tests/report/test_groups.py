"""A table without a target: eight groups have eight kinds of points, and what is unusual is told in words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pellucid.quality import profile
from pellucid.report.cleaning import report_cleaner
from pellucid.report.columns import Columns, columns_of, roles_of
from pellucid.report.folder import write
from pellucid.report.group_listings import _cell, _mean, cluster_listing, outlier_listing
from pellucid.report.groups import Separation, _has_gaps, _headline
from pellucid.report.outcome import StudyResult
from pellucid.report.page_end import _cells
from pellucid.report.study import run_study


def eight_groups() -> StudyResult:
    """Corners of a cube, one of which has another town; one row far away has no town."""
    random = np.random.default_rng(0)
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
    at = np.repeat(corners * 1e5, 40, axis=0) + random.normal(0, 2000, (320, 3))
    town = [None if i == 7 else "Rome" if i < 40 else "Oslo" for i in range(320)]
    return run_study(pl.DataFrame({"a": at[:, 0], "b": at[:, 1], "c": at[:, 2], "town": town}))


def test_groups_and_odd_rows_in_words() -> None:
    outcome = eight_groups()
    assert "8 clusters" in outcome.headline
    assert {int(k) for k in re.findall(r"pc-f(\d)", outcome.pictures[0].svg)} == set(range(8))
    groups, odd, components = outcome.listings
    assert not any("e+" in str(row[-1]) for row in groups.rows)  # 1e+05 is no way to write a hundred thousand
    assert any("town = missing" in str(row[-1]) for row in odd.rows if row[0] == 7)
    assert not any("town_" in str(row[-1]) for row in (*odd.rows, *components.rows))


def test_numbers_and_cells_in_words() -> None:
    assert [_mean(value) for value in (99999.4, 38.58165, -0.012341)] == ["99,999", "38.58", "−0.01234"]
    assert [_cell(value) for value in (None, 99999, "Oslo", True)] == ["missing", "99,999", "Oslo", "True"]


def test_rows_without_groups_are_not_said_to_fall_into_some() -> None:
    random = np.random.default_rng(1)
    table = pl.DataFrame(random.normal(size=(150, 4)) @ random.normal(size=(4, 4)), schema=["a", "b", "c", "d"])
    outcome = run_study(table)
    assert "do not fall into clearly separated clusters" in outcome.headline
    assert "need not be separate groups" in outcome.warnings[0]


def test_clusters_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    """The cleaned table keeps its columns, also one called cluster."""
    random = np.random.default_rng(2)
    table = pl.DataFrame({"cluster": random.integers(0, 9, 60), "size": random.normal(size=60)})
    table.write_csv(tmp_path / "t.csv")
    outcome = run_study(tmp_path / "t.csv")
    write(outcome, tmp_path / "report")
    assert (tmp_path / "report" / "cleaned.csv").read_bytes() == (tmp_path / "t.csv").read_bytes()
    rows = pl.read_csv(tmp_path / "report" / "clusters.csv")
    assert rows.columns == ["row", "cluster", "anomaly_score"]
    assert rows["row"].to_list() == list(range(60))
    assert (rows["cluster"].to_numpy() == outcome.model.predict(table) + 1).all()  # which the page must say
    assert "it predicts 0 for cluster 1" in next(one.about for one in outcome.listings if one.title == "Clusters")


def test_a_cut_through_one_kind_of_rows_is_no_gap() -> None:
    """K-means cuts even and skewed distributions with a high silhouette; only separate clusters leave a gap."""
    random = np.random.default_rng(2)
    even, skewed = random.uniform(size=(600, 1)), random.exponential(size=(600, 2))
    apart = np.concatenate([random.normal(0, 1, (400, 2)), random.normal(6, 1, (60, 2))])
    assert not _has_gaps(even, (even[:, 0] > 0.5).astype(int))
    assert not _has_gaps(skewed, (skewed[:, 0] > 1).astype(int))
    assert _has_gaps(apart, np.repeat([0, 1], [400, 60]))


def roles(outcome: StudyResult) -> dict[str, str]:
    return {role.column: role.role for role in outcome.roles}


def listed(outcome: StudyResult) -> list[str]:
    """What is said of each cluster."""
    return [str(row[-1]) for row in outcome.listings[0].rows]


def test_an_identifier_has_no_clusters(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    names = ["".join(random.choice(list("abcdefghij"), 9)) for _ in range(400)]
    outcome = run_study(pl.DataFrame({"item_id": np.arange(1, 401), "name": names}))
    assert outcome.headline == "Nothing can be clustered: no column is left by which rows could be compared."
    assert set(roles(outcome).values()) == {"left out"}
    text = write(outcome, tmp_path / "report").read_text(encoding="utf-8")
    assert "0 of 2 columns are used" in text
    assert not (tmp_path / "report" / "clusters.csv").exists()


def test_two_different_rows_are_no_clusters() -> None:
    outcome = run_study(pl.DataFrame({"flag": [k % 2 for k in range(60)]}))
    assert "Nothing can be clustered: there are fewer than 3 different rows" in outcome.headline


def test_a_column_is_said_to_be_used_only_if_it_was() -> None:
    """No text defines a distance, and a column whose values are all rare is the same in all rows."""
    random = np.random.default_rng(7)
    words = ["red", "green", "blue", "small", "large", "round", "flat", "old", "new", "tin"]
    table = pl.DataFrame(
        {
            "size": np.concatenate([random.normal(0, 1, 100), random.normal(9, 1, 100)]),
            "note": [" ".join(random.choice(words, 6)) for _ in range(200)],
            "shelf": [f"s{k % 60}" for k in range(200)],
            "port": [None] * 2 + ["u", "v"] * 99,
            "brand": ["a", "b", "c", "d", "e"] * 35 + [f"r{k % 12}" for k in range(25)],
        }
    )
    outcome = run_study(table)
    assert roles(outcome) == {
        "size": "number",
        "note": "left out",
        "shelf": "left out",
        "port": "category",
        "brand": "category",
    }
    why = {role.column: role.why for role in outcome.roles}
    assert why["port"] == "2 different values"
    assert (
        why["brand"] == "17 different values; the 5 most frequent have a feature each, and the rare ones count as one"
    )
    assert "columns = ['size', 'port', 'brand']" in outcome.script
    assert "Rows are compared by numbers (standardized) and categories (one-hot encoded)." in outcome.summary[1]


def test_nothing_is_said_to_be_standardized_that_was_not() -> None:
    outcome = run_study(pl.DataFrame({"a": ["x", "y", "z"] * 40, "b": ["u", "v"] * 60}))
    assert outcome.summary[1].startswith(
        "Rows are compared by categories (one-hot encoded). K-means was run with 2 to 6"
    )


def test_four_words_are_four_clusters_and_three_components() -> None:
    outcome = run_study(pl.DataFrame({"word": [*"abcd"] * 50}))
    assert "fall into 4 clusters" in outcome.headline
    assert [row[0] for row in outcome.listings[-1].rows] == [1, 2, 3]


def test_combinations_of_categories_are_no_clusters() -> None:
    """Whatever the rows are, five towns and two plans have ten combinations, and these are far apart."""
    random = np.random.default_rng(0)
    town, plan = random.choice([*"abcde"], 600), random.choice(["free", "pro"], 600)
    outcome = run_study(pl.DataFrame({"town": town, "plan": plan}))
    assert outcome.headline.startswith("The 600 rows show no clusters beyond their single categories")
    assert "categories that have nothing to do with each other" in outcome.warnings[0]
    kind = random.integers(0, 2, 600)
    habits = {name: np.where(random.random(600) < 0.95, kind, 1 - kind).astype(str) for name in "abcdef"}
    assert "clusters that are clearly separated" in run_study(pl.DataFrame(habits)).headline


def test_one_component_is_not_drawn_in_two() -> None:
    outcome = run_study(pl.DataFrame({"size": np.random.default_rng(0).exponential(size=200).round(6)}))
    assert not any("component" in one.title.lower() for one in (*outcome.pictures, *outcome.listings))
    assert "principal" not in " ".join(outcome.summary)


def test_the_key_figures_count_one_column_as_one(tmp_path: Path) -> None:
    outcome = run_study(pl.DataFrame({"size": np.random.default_rng(0).exponential(size=60).round(6)}))
    text = write(outcome, tmp_path / "report").read_text(encoding="utf-8")
    assert '<span class="pr-word">column</span>' in text
    assert "1 of 1 column is used" in text


def test_what_is_said_of_separation_is_what_was_measured() -> None:
    skewed = run_study(pl.DataFrame({"size": np.random.default_rng(0).exponential(size=400).round(6)}))
    assert "between the centers of two clusters there is no gap" in skewed.headline
    assert _headline(2, 0.23, 90, Separation(0.23, 0.1)).startswith("The 90 rows do not fall into clearly")
    assert "fall into 2 clusters that are weakly separated" in _headline(2, 0.29, 90, Separation(0.29, 0.1))


def test_a_few_rows_far_away_are_not_passed_over_as_clusters() -> None:
    random = np.random.default_rng(3)
    volume = np.where(np.arange(600) < 3, 7000, random.integers(1, 60, 600))
    table = pl.DataFrame({"volume": volume, "language": random.choice(["eng", "fre", "ger"], 600)})
    outcome = run_study(table)
    assert outcome.headline.endswith(", 1 of which has 3 rows.")
    assert outcome.warnings[0].startswith("Some clusters have less than 1 % of the rows")


@pytest.mark.parametrize("as_number", [False, True])
def test_a_cluster_of_months_is_named_by_them(as_number: bool) -> None:
    """The mean date of the cluster is that of all rows."""
    late = np.tile([False, True, False], 100)
    days = [f"{[2001, 2009, 2017][k % 3]}-0{9 if late[k] else 1 + k // 3 % 2}-1{k // 30}" for k in range(300)]
    values = [int(day.replace("-", "")) for day in days] if as_number else days
    table = pl.DataFrame({"born": values})
    described = profile(report_cleaner(table).clean(table).table, associations=False)
    columns = columns_of(roles_of(described, None), described)
    assert columns.times == ("born",)
    meaning = described["born"].semantic
    meanings = {} if meaning is None else {"born": meaning}
    rows = cluster_listing(report_cleaner(table).clean(table).table, late.astype(int), columns, meanings).rows
    assert "month of born 9 (all 4)" in rows[1][-1]
    assert "born on average" not in rows[1][-1]


def test_a_frequent_day_and_weekday_are_named() -> None:
    days = ["2023-01-15"] * 60 + ["2023-01-08"] * 60 + ["2023-01-11"] * 60
    table = pl.DataFrame({"restocked": days}).with_columns(pl.col("restocked").str.to_date())
    columns = Columns(times=("restocked",))
    first = cluster_listing(table, (np.arange(180) < 60).astype(int), columns, {}).rows[1][-1]
    assert "restocked is 2023-01-15 in 100 % (all 33 %)" in first
    sundays = cluster_listing(table, (np.arange(180) < 120).astype(int), columns, {}).rows[1][-1]
    assert "restocked is a Sunday in 100 % (all 67 %)" in sundays


def test_rows_that_stand_in_the_table_several_times_are_mentioned() -> None:
    random = np.random.default_rng(5)
    once = pl.DataFrame({"size": random.normal(size=200).round(6), "town": random.choice(["Oslo", "Rome"], 200)})
    assert not any("repeat an earlier one" in warning for warning in run_study(once).warnings)
    assert run_study(pl.concat([once, once])).warnings[-1].startswith("200 of the 400 rows repeat an earlier one")


def test_a_flag_is_a_share_of_the_rows_and_no_mean() -> None:
    inside = np.arange(200) < 50
    table = pl.DataFrame({"horror": np.where(inside | (np.arange(200) > 189), 1, 0), "sold": inside})
    listing = cluster_listing(table, inside.astype(int), Columns(numbers=("horror", "sold")), {})
    assert "horror is 1 in 100 % (all 30 %)" in listing.rows[1][-1]
    assert "sold is true in 100 % (all 25 %)" in listing.rows[1][-1]


def test_outliers_have_the_row_numbers_of_the_source() -> None:
    table, X = pl.DataFrame({"size": [0.0, 0.0, 9.0]}), np.array([[0.0], [0.0], [9.0]])
    listing = outlier_listing(table, np.array([0, 2, 5]), X, X[:, 0], ["size"], {})
    assert listing.rows[0][0] == 5
    assert "No score" not in listing.about


def test_rows_with_low_anomaly_scores_are_not_said_to_be_outliers() -> None:
    table, X = pl.DataFrame({"size": [0.0, 1.0, 2.0]}), np.array([[0.0], [1.0], [2.0]])
    usual = outlier_listing(table, np.arange(3), X, np.array([0.4, 0.5, 0.45]), ["size"], {})
    assert "No score is above 0.6" in usual.about
    places = [cell.html for cell in _cells("row", [5, 15_244])]
    assert places == ["5", "15244"]


def test_what_sets_a_cluster_apart_names_no_trifles() -> None:
    """No "None", no share of 0 % of many rows, no means that hardly differ; times count as well."""
    random = np.random.default_rng(4)
    late = np.arange(400) >= 200
    day = np.where(late, np.datetime64("2024-06-01"), np.datetime64("2023-01-01")) + random.integers(0, 9, 400)
    table = pl.DataFrame(
        {
            "day": day.astype("datetime64[us]"),
            "size": np.where(late, 50.0, 10.0) + random.normal(size=400),
            "noise": random.normal(size=400),
            "state": [None if k % 50 == 0 else "xyz"[k % 3] for k in range(400)],
        }
    )
    outcome = run_study(table)
    text = " ".join(str(row[-1]) for row in outcome.listings[0].rows)
    assert "day on average 2023-01-05" in text
    assert "None" not in text
    assert "0 %)" not in text
    assert "noise" not in text
    assert "00:00:00" not in str(outcome.listings)
    assert "day = month" not in str(outcome.listings)


def test_a_column_encoded_before_stands_beside_its_own() -> None:
    random = np.random.default_rng(5)
    color = random.choice(["red", "blue", "green"], 200)
    table = pl.DataFrame({"color": color, "color_red": (color == "red").astype(int), "x": random.normal(size=200)})
    components = run_study(table).listings[-1]
    assert "__" not in str(components.rows)
