"""A table without a target: eight groups have eight kinds of points, and what is unusual is told in words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl

from pellucid.report.folder import write
from pellucid.report.groups import _cell, _has_gaps, _mean
from pellucid.report.job import study
from pellucid.report.outcome import Outcome


def eight_groups() -> Outcome:
    """Corners of a cube, one of which has another town; one row far away has no town."""
    random = np.random.default_rng(0)
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)])
    at = np.repeat(corners * 1e5, 40, axis=0) + random.normal(0, 2000, (320, 3))
    town = [None if i == 7 else "Rome" if i < 40 else "Oslo" for i in range(320)]
    return study(pl.DataFrame({"a": at[:, 0], "b": at[:, 1], "c": at[:, 2], "town": town}))


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
    outcome = study(table)
    assert "no separated clusters" in outcome.headline
    assert "form no separate groups" in outcome.warnings[0]


def test_clusters_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    """The cleaned table keeps its columns, also one called cluster."""
    random = np.random.default_rng(2)
    table = pl.DataFrame({"cluster": random.integers(0, 9, 60), "size": random.normal(size=60)})
    table.write_csv(tmp_path / "t.csv")
    write(study(tmp_path / "t.csv"), tmp_path / "report")
    assert (tmp_path / "report" / "cleaned.csv").read_bytes() == (tmp_path / "t.csv").read_bytes()
    rows = pl.read_csv(tmp_path / "report" / "clusters.csv")
    assert rows.columns == ["row", "cluster", "anomaly_score"]
    assert rows["row"].to_list() == list(range(60))


def test_a_cut_through_one_kind_of_rows_is_no_gap() -> None:
    """K-means cuts even and skewed distributions with a high silhouette; only separate clusters leave a gap."""
    random = np.random.default_rng(2)
    even, skewed = random.uniform(size=(600, 1)), random.exponential(size=(600, 2))
    apart = np.concatenate([random.normal(0, 1, (400, 2)), random.normal(6, 1, (60, 2))])
    assert not _has_gaps(even, (even[:, 0] > 0.5).astype(int))
    assert not _has_gaps(skewed, (skewed[:, 0] > 1).astype(int))
    assert _has_gaps(apart, np.repeat([0, 1], [400, 60]))


def test_an_identifier_has_no_clusters() -> None:
    random = np.random.default_rng(3)
    names = ["".join(random.choice(list("abcdefghij"), 9)) for _ in range(400)]
    outcome = study(pl.DataFrame({"item_id": np.arange(1, 401), "name": names}))
    assert "no separated clusters" in outcome.headline


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
    outcome = study(table)
    text = " ".join(str(row[-1]) for row in outcome.listings[0].rows)
    assert "day 2023-01-05" in text
    assert "None" not in text
    assert "0 %)" not in text
    assert "noise" not in text
    assert "00:00:00" not in str(outcome.listings)
    assert "day = month" not in str(outcome.listings)


def test_a_column_encoded_before_stands_beside_its_own() -> None:
    random = np.random.default_rng(5)
    color = random.choice(["red", "blue", "green"], 200)
    table = pl.DataFrame({"color": color, "color_red": (color == "red").astype(int), "x": random.normal(size=200)})
    components = study(table).listings[-1]
    assert "__" not in str(components.rows)
