"""The default Cleaner changes no correct cell of tables that look dirty, and drops no row."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from benchmarks.hard_negatives import FAMILIES, HardNegative, hard_negatives
from benchmarks.harm import harm_in_memory, harm_to_file
from pellucid.quality import Cleaner, check, read

TABLES = list(hard_negatives(len(FAMILIES), seed=7, n_rows=80))


@pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])
def test_a_clean_table_that_looks_dirty_is_left_alone(table: HardNegative, tmp_path: Path) -> None:
    source = tmp_path / "table.csv"
    source.write_bytes(table.file)
    to_file = harm_to_file(source, table.name)
    assert (to_file.changed, to_file.rows_dropped, to_file.same_bytes) == (0, 0, True)
    in_memory = harm_in_memory(table.columns, table.name)
    assert (in_memory.changed, in_memory.rows_dropped) == (0, 0)


LEFT_ALONE = {
    "ratings of quality": ["Very_Good"] * 90 + ["Very_Poor"] * 2,
    "finished and unfinished": ["Finished"] * 90 + ["Unfinished"] * 3,
    "heating": ["GasA"] * 95 + ["GasW"] * 3,
    "tail numbers": ["N5EYAA"] * 40 + ["N5CYAA"],
    "products": ['LETTER "A" BLING KEY RING'] * 60 + ['LETTER "W" BLING KEY RING'] * 2,
    "cancelled invoices": [str(536365 + i) for i in range(90)] + [f"C{536379 + i}" for i in range(9)],
    "people": ["anna bell", "john doe", "carl dean"] * 30,
    "children": ["1", "2", "3", "more"] * 20,
    "doors": ["2", "3", "4", "5more"] * 20,
    "product codes": ["72801c"] * 50 + ["72801C"] * 3,
    "hospital codes": ["al_hf-1"] * 60 + ["ak_hf-1"] * 2,
    "country codes": ["NA", "NO", "DE"] * 20,
    "censored": ["0.7", "1.2", "<0.5", ">100"] * 20,
    "times of day": ["09:30", "17:45", "23:59"] * 20,
    "zeros written in several ways": ["0", "+0", "0.0", "-1.5"] * 20,
    "an outline with one blank per level": ["Animalia", " Chordata", "  Mammalia", " Mollusca"] * 20,
    "characters, of which one is a blank": [chr(code) for code in range(32, 127)],
    "delimiters": [",", ";", " ", "\t", "|"] * 20,
    "numbers of companies, with blanks": [
        f"{732 + k} {(829 * k) % 1000:03d} {(320 + k) % 1000:03d}" for k in range(90)
    ],
    "zeros with several decimals": ["0", "0.0", "2.5"] * 20,
}


@pytest.mark.parametrize("cells", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_values_that_are_valid_stay(cells: list[str]) -> None:
    table = pl.DataFrame({"x": cells})
    cleaned = Cleaner().fit(table).clean(table)
    assert cleaned.table.equals(table)
    assert not cleaned.log


def test_far_values_are_not_cut_off() -> None:
    """Flights to Hawaii are far from all others, and right."""
    table = pl.DataFrame({"distance": [*range(80, 2500, 5), 4983, 4963]})
    assert Cleaner().fit(table).clean(table).table.equals(table)


def test_rows_that_repeat_another_stay() -> None:
    table = pl.DataFrame({"vote": ["y", "n", "y", "y"] * 30, "party": ["D", "R", "D", "D"] * 30})
    assert Cleaner().fit(table).clean(table).rows.tolist() == list(range(120))


DIRTY = {
    "blanks": ([" Rome", "Pisa ", "Rome"], ["Rome", "Pisa", "Rome"]),
    "only blanks": (["Rome", "  ", "Pisa"], ["Rome", None, "Pisa"]),
    "an encoding": (["CafÃ©", "Haus", "Ã¼ber uns"], ["Café", "Haus", "über uns"]),
    "numbers": (["1.50", "2.25", "3"], [1.5, 2.25, 3.0]),
    "whole numbers with a marker": (["1", "2", "NA"], [1, 2, None]),
    "decimal commas": (["1,5", "2,25", "10"], [1.5, 2.25, 10.0]),
    "groups of thousands": (["1.234.567,5", "12,0", "999"], [1234567.5, 12.0, 999.0]),
}


@pytest.mark.parametrize(("cells", "expected"), DIRTY.values(), ids=DIRTY.keys())
def test_what_is_lossless_is_done(cells: list[str], expected: list[object]) -> None:
    table = pl.DataFrame({"x": cells})
    assert Cleaner().fit(table).clean(table).table["x"].to_list() == expected


@pytest.mark.parametrize(
    "cells",
    [["5 kg", "7 kg"], ["007", "12"], ["1.1", "1.10"], ["1E5", "2E7"], ["+49", "+1"], ["1,234", "2,500"],
     ["1,3", "2,4"], ["03/04/2021", "05/06/2021"], ["1/2/21", "25/3/21"], ["2-Mar", "MARCH1"],
     ["NA", "NaN", "1", "2"], ["IV", "II"], ["12345678901234567890", "1"], ["1", "none", "2"],
     ["2021-02-30", "2021-02-01"], ["0x1F", "0x20"]],
    ids=str,
)  # fmt: skip
def test_texts_that_would_lose_something_stay_text(cells: list[str], tmp_path: Path) -> None:
    table = pl.DataFrame({"x": cells})
    assert Cleaner().fit(table).clean(table).table.equals(table)
    (tmp_path / "t.csv").write_text("k;x\n" + "".join(f"r;{cell}\n" for cell in cells), encoding="utf-8")
    assert read(tmp_path / "t.csv").table["x"].to_list() == cells


def test_declared_markers_are_missing_everywhere() -> None:
    table = pl.DataFrame({"a": ["x", "-999", "?"], "b": [1, -999, 3], "c": [1.5, 2.5, -999.0]})
    cleaned = Cleaner(missing=["-999"]).fit(table).clean(table).table
    assert cleaned["a"].to_list() == ["x", None, "?"]
    assert cleaned["b"].to_list() == [1, None, 3]
    assert cleaned["c"].to_list() == [1.5, 2.5, None]
    assert cleaned.schema == table.schema


def test_blanks_that_tell_keys_apart_stay() -> None:
    tokens = [f"{letter}{number}" for letter in "abcdef" for number in range(10)]
    table = pl.DataFrame({"token": [*tokens, *(f" {token}" for token in tokens)]})
    assert Cleaner().fit(table).clean(table).table.equals(table)


def test_numbers_with_another_decimal_sign_are_not_suggested_away() -> None:
    """A dose of 0,5 mg among doses such as 0.25 mg is a number: no suggestion makes it a missing cell."""
    findings = check(pl.DataFrame({"dose": ["0.25 mg", "1.5 mg", "2.75 mg", "0,5 mg"] * 20}))
    assert any("another decimal sign" in finding.explanation for finding in findings)
    assert all(finding.fix is None for finding in findings)
