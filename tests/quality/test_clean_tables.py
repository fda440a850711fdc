"""Extracts of tables that are as they should be: a `Cleaner` leaves them alone, and no cell is called wrong."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from pellucid.quality import Cleaner, check, read

TABLES = Path(__file__).parent / "tables"
# UCI Machine Learning Repository (CC BY 4.0): some rows, in some cases some columns, and the name of the target.
TARGETS = {
    "adult": "income",
    "covertype": "Cover_Type",
    "german_credit": "class",
    "mushroom": "class",
    "soybean": "class",
    "votes": "Class",
    "zoo": "type",
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_cleaner_changes_nothing(name: str) -> None:
    file = TABLES / f"{name}.csv"
    for table in (pd.read_csv(file), pl.read_csv(file), read(file).table):
        for target in (None, TARGETS[name]):
            cleaned = Cleaner(target=target).fit(table).clean(table)
            assert not cleaned.log, str(cleaned.log)
            assert cleaned.table.equals(table)


@pytest.mark.parametrize("name", TARGETS)
def test_no_cell_is_called_wrong(name: str) -> None:
    table = pd.read_csv(TABLES / f"{name}.csv")
    assert not check(table).of(severity="error")
    suspicious = {finding.check for finding in check(table, target=TARGETS[name]).of(severity="warning")}
    # Far-out values are suspicious in any table; so are voters who agree in all, two frogs, and a class of four rows.
    assert suspicious <= {"outliers", "duplicate_rows", "duplicate_keys", "imbalance"}


def test_rows_without_a_key_are_kept_unless_asked() -> None:
    table = pd.read_csv(TABLES / "votes.csv")
    again = table.duplicated().sum()
    found = check(table, checks=["duplicate_rows"])
    assert len(found[0].rows) == again > 0
    assert "no column is a key" in found[0].explanation
    assert len(Cleaner(actions=["drop_duplicates"]).fit(table).clean(table).rows) == len(table) - again
    numbered = table.assign(voter_id=range(len(table)))
    numbered = pd.concat([numbered, numbered.head(50)], ignore_index=True)
    assert check(numbered, checks=["duplicate_rows"])[0].severity == "error"
    assert len(Cleaner().fit(numbered).clean(numbered).rows) == len(numbered)
    assert len(Cleaner(actions="suggested").fit(numbered).clean(numbered).rows) == len(table)


def test_a_largest_amount_is_no_missing_code() -> None:
    adult = check(pd.read_csv(TABLES / "adult.csv"), checks=["missing_codes"])
    assert [(finding.severity, finding.columns) for finding in adult] == [("note", ("capital_gain",))]
    ages = pd.DataFrame({"age": [*range(20, 60), 999, 999]})
    assert check(ages, checks=["missing_codes"])[0].severity == "warning"


def test_none_is_a_value_beside_yes() -> None:
    credit = check(pd.read_csv(TABLES / "german_credit.csv"), checks=["constant_columns"])
    assert not credit.of("own_telephone")


def test_a_target_fills_no_gaps() -> None:
    table = pd.read_csv(TABLES / "soybean.csv")
    assert not check(table, checks=["dependencies"]).of(severity="warning")
    assert not check(table, checks=["dependencies"], target="class")


def test_codes_and_names_that_decide_each_other() -> None:
    codes, names = list(range(100, 112)) * 20, [f"town {letter}" for letter in "abcdefghijkl"] * 20
    names[30] = "town a"
    table = pd.DataFrame({"town_id": codes, "town": names})
    (found,) = check(table, checks=["dependencies"])
    assert (found.columns, found.rows.tolist()) == (("town",), [30])


def test_letters_of_an_unknown_encoding_stay() -> None:
    from pellucid.quality.formats import garbled, repaired

    assert repaired("\u00d6\u00b2\u00cb\u00c9") == "\u00d6\u00b2\u00cb\u00c9"  # Chinese read as Latin-1
    assert not garbled("http://us.imdb.com/M/title-exact?imdb-title-119594")
