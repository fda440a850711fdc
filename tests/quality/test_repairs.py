"""Repairs suggested by columns that determine each other, and by several sources: the right ones, and no others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pellucid.quality import Cleaner, Fix, check
from pellucid.quality.votes import Codes, resolve_sources

from .faulty_tables import entity_table, repaired, source_table

rng = np.random.default_rng(8)


@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_columns_that_determine_each_other(noise: float) -> None:
    score = repaired(entity_table(0, noise))
    assert score.precision >= 0.95
    assert score.recall >= 0.7


@pytest.mark.parametrize("error", [0.1, 0.4])
def test_facts_from_several_sources(error: float) -> None:
    score = repaired(source_table(0, error))
    assert score.precision >= 0.95
    assert score.recall >= 0.7


def suggestions(table: pd.DataFrame) -> list[tuple[object, ...]]:
    found = check(table, checks=["dependencies", "sources"])
    return [finding.columns for finding in found if finding.fix is not None and finding.severity != "note"]


def test_tendencies_are_no_dependencies() -> None:
    """Most but not all rows of a group agree: nothing is an error."""
    town = rng.integers(0, 40, 2000)
    brand = np.where(rng.random(2000) < 0.9, town % 7, rng.integers(0, 7, 2000))
    table = pd.DataFrame({"town": [f"town {k}" for k in town], "brand": [f"brand {k}" for k in brand]})
    assert suggestions(table) == []


def test_columns_are_not_said_to_be_right_in_all_other_rows() -> None:
    """Towns of one name lie in several states: rows that differ are not all counted, only those that seem wrong."""
    firm = np.repeat(np.arange(60), 10)
    city, state = firm % 30, np.where(firm < 55, firm % 30 % 12, 11)
    state = np.where(np.arange(len(firm)) == 7, 5, state)
    table = pd.DataFrame({"firm": [f"firm {k}" for k in firm], "city": [f"city {k}" for k in city]})
    table["state"] = [f"state {k}" for k in state]
    (found,) = [one for one in check(table, checks=["dependencies"]).of("state") if one.severity == "warning"]
    assert found.rows.tolist() == [7]
    assert "determine 'state' in most rows, by which 1 row seems wrong: 'state 5' with 'city 0'" in found.explanation


def test_an_attribute_that_changes_over_time_is_not_reported_by_sources() -> None:
    """Patients who move: the visit is no source, and an old address is no error."""
    patient, visit = np.repeat(np.arange(60), 8), np.tile(np.arange(8), 60)
    moved = visit >= rng.integers(1, 12, 60)[patient]
    address = [f"{10 + p} {'New' if m else 'Old'} Street" for p, m in zip(patient, moved, strict=True)]
    doctor = [f"Dr. {k}" for k in (patient * 7 + moved * 3) % 25]
    table = pd.DataFrame(
        {"patient": [f"P{k:03d}" for k in patient], "visit": visit, "address": address, "doctor": doctor}
    )
    assert suggestions(table) == []


def rows_of_few_persons() -> pd.DataFrame:
    """Two of a hundred persons who moved lately: six rows with another town than most of theirs."""
    person, year = np.repeat(np.arange(100), 12), np.tile(np.arange(12), 100)
    town = np.where((person < 2) & (year >= 9), (person + 3) % 40, person % 40)
    return pd.DataFrame({"person": [f"P{k}" for k in person], "town": [f"town {k}" for k in town]})


def rows_of_many_persons() -> pd.DataFrame:
    """The same with ten errors in as many persons."""
    table = rows_of_few_persons()
    table["town"] = [f"town {k % 40}" for k in np.repeat(np.arange(100), 12)]
    table.loc[np.arange(10) * 60 + 3, "town"] = "town 39"
    return table


def test_changes_of_few_persons_are_said_to_be() -> None:
    few, many = (
        [one for one in check(table, checks=["dependencies"]) if one.columns == ("town",) and one.fix is not None]
        for table in (rows_of_few_persons(), rows_of_many_persons())
    )
    assert ["share few of its values" in one.explanation for one in few] == [True]
    assert ["share few of its values" in one.explanation for one in many] == [False]
    assert [len(one.rows) for one in (*few, *many)] == [6, 10]


def test_rows_that_are_alike_as_a_rule_are_no_sure_copies() -> None:
    (repeats,) = check(rows_of_few_persons(), checks=["duplicate_rows"])
    assert repeats.confidence != "high"


def test_siblings_one_letter_apart_stay() -> None:
    """Two parts of one machine whose names differ by a letter: both occur again and again."""
    machine = np.repeat(np.arange(30), 20)
    part = np.where(np.tile(np.arange(20), 30) < 17, "valve A", "valve B")
    table = pd.DataFrame(
        {"machine": [f"M{k}" for k in machine], "part": [f"{m} {p}" for m, p in zip(machine, part, strict=True)]}
    )
    assert suggestions(table) == []


def test_rules_replace_only_where_they_say() -> None:
    table = pd.DataFrame({"key": ["a", "a", "b", None], "value": ["x", "y", "x", "x"]})
    cleaner = Cleaner(remedies=[Fix("replace_where", ("value",), {"rules": [["key", "a", "x", "z"]]})]).fit(table)
    cleaned = cleaner.clean(table)
    assert cleaned.table["value"].tolist() == ["z", "y", "x", "x"]
    assert cleaned.log.replay(table).equals(cleaned.table)


def test_a_source_that_errs_counts_less() -> None:
    """Two sources that share a wrong value for every other item lose against three that are right."""
    items = [str(k) for k in range(40)]
    reports = [(k, s, "wrong" if s in (3, 4) and k % 2 else f"fact {k}") for k in range(40) for s in range(5)]
    texts = sorted({text for *_, text in reports})
    item = Codes(items, np.array([k for k, *_ in reports]))
    source = Codes(list("abcde"), np.array([s for _, s, _ in reports]))
    found = resolve_sources(item, source, Codes(texts, np.array([texts.index(text) for *_, text in reports])))
    assert [texts[code] for code in found.truth] == [f"fact {k}" for k in range(40)]
    assert found.accuracy[:3].min() > found.accuracy[3:].max()
