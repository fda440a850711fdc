"""A report describes a table with the types that its texts have, and leaves the file as it came."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.quality import ChangeLog, read
from pellucid.report import run_study, write


def run(tmp_path: Path, header: str, rows: list[str], target: str) -> tuple[Any, Path]:
    source = tmp_path / "table.csv"
    source.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    outcome = run_study(str(source), target, minutes=0.01)
    write(outcome, tmp_path / "report")
    return outcome, tmp_path


def numbers(n: int = 120) -> Any:
    return np.random.default_rng(0).normal(50, 10, n)


def test_a_target_with_decimal_commas_is_a_number(tmp_path: Path) -> None:
    rows = [f"{x:.1f};{1000 * x:.2f};t{i % 3}".replace(".", ",") for i, x in enumerate(numbers())]
    outcome, folder = run(tmp_path, "area;price;town", rows, "price")
    assert outcome.task.kind == "number"
    assert (folder / "report" / "cleaned.csv").read_bytes() == (folder / "table.csv").read_bytes()


def test_amounts_of_money_keep_their_text(tmp_path: Path) -> None:
    rows = [f'{x:.1f},"${1000 * x:,.2f}",t{i % 3}' for i, x in enumerate(numbers())]
    outcome, folder = run(tmp_path, "area,price,town", rows, "price")
    assert outcome.task.kind == "number"
    assert (folder / "report" / "cleaned.csv").read_bytes() == (folder / "table.csv").read_bytes()
    log = ChangeLog.from_json(folder / "report" / "changes.json")
    assert log.replay(read(folder / "table.csv").table)["price"].dtype.is_numeric()


def test_rows_with_a_limit_for_a_target_are_left_out_and_said(tmp_path: Path) -> None:
    rows = [f"{x:.1f},{'>90' if i in (7, 9) else f'{2 * x:.1f}'},t{i % 3}" for i, x in enumerate(numbers())]
    outcome, folder = run(tmp_path, "a,y,town", rows, "y")
    assert outcome.task.kind == "number"
    assert any("'>90'" in warning for warning in outcome.warnings)
    assert (folder / "report" / "cleaned.csv").read_bytes() == (folder / "table.csv").read_bytes()


@pytest.mark.parametrize("cells", [["1", "2", "more"], ["2", "4", "5more"]], ids=str)
def test_ordinal_levels_stay_levels(tmp_path: Path, cells: list[str]) -> None:
    rows = [f"{x:.1f},{cells[i % 3]},{'ill' if x > 50 else 'well'}" for i, x in enumerate(numbers())]
    outcome, folder = run(tmp_path, "a,level,outcome", rows, "outcome")
    assert set(outcome.table["level"].to_list()) == set(cells)
    assert (folder / "report" / "cleaned.csv").read_bytes() == (folder / "table.csv").read_bytes()


def test_texts_that_only_models_read_as_numbers_stay_in_the_cleaned_table_of_a_frame(tmp_path: Path) -> None:
    lead = [f"{k / 10:.1f}" if k % 9 else "<0.5" for k in range(90)]
    pay = ["ERROR" if k % 11 == 0 else f"${k:,}.00" for k in range(90)]
    table = pl.DataFrame({"lead": lead, "pay": pay, "y": [k * 1.5 for k in range(90)]})
    table.write_parquet(tmp_path / "t.parquet")
    outcome = run_study(tmp_path / "t.parquet", "y", minutes=0.02)
    write(outcome, tmp_path / "report")
    assert outcome.table["lead"].dtype == pl.Float64
    written = pl.read_csv(tmp_path / "report" / "cleaned.csv", infer_schema_length=0)
    assert written["lead"].to_list() == lead
    assert written["pay"].to_list() == pay


@pytest.mark.parametrize(
    ("scale", "written", "form"),
    [(1e-9, "e-0", "e-"), (1e-9, "e-0", "E-0"), (1e-9, "e-0", "e-0"), (1e12, "e+", "e"), (1e12, "e+", "E+")],
)
def test_numbers_with_powers_of_ten_are_numbers(tmp_path: Path, scale: float, written: str, form: str) -> None:
    values = np.random.default_rng(0).uniform(1, 9, 120) * scale
    rows = [f"{f'{x:.16e}'.replace(written, form)},{2 * x / scale:.3f}" for x in values.tolist()]
    outcome, folder = run(tmp_path, "a,y", rows, "y")
    assert [role.role for role in outcome.roles] == ["number"]
    assert (folder / "report" / "cleaned.csv").read_bytes() == (folder / "table.csv").read_bytes()
