"""A report of a large table ends within the time that it was given.

`make test` leaves these tests out: they take minutes and some gigabytes of memory. ``pytest --budget
tests/cli/test_budget.py`` runs them. The measure is the processor time of the report, user and system, which other
programs on the machine hardly change: with --minutes m at most twice (1.3 m + 10 s), as the promise is about two cores.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

RUN = "from pellucid.cli.main import main; main()"
MINUTES = 1.0


def numbers(rows: int = 1_000_000, columns: int = 30) -> pl.DataFrame:
    """Columns of numbers, two of categories, and a target of two classes."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns - 2)).astype(np.float32)
    table = {f"x{j}": X[:, j] for j in range(columns - 2)}
    score = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=rows)
    towns, grades = random.integers(0, 12, rows), random.integers(0, 3, rows)
    return pl.DataFrame(
        table
        | {"town": np.array([f"town {k}" for k in range(12)])[towns], "grade": np.array(["a", "b", "c"])[grades]}
        | {"amount": (10 * score).round(2), "bought": np.where(score > 1, "yes", "no")}
    )


def texts(rows: int = 500_000) -> pl.DataFrame:
    """A text of eight words and whether it is a complaint."""
    random = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(3_000)])
    places = (3_000 * random.random((rows, 8)) ** 2).astype(int)
    complaint = (places < 200).sum(axis=1) + random.integers(0, 2, rows) > 2
    return pl.DataFrame(
        {"text": [" ".join(row) for row in words[places].tolist()], "label": np.where(complaint, "bad", "good")}
    )


TABLES: dict[str, tuple[Callable[[], pl.DataFrame], str, str]] = {
    "two classes": (numbers, "bought", "amount"),
    "a number": (numbers, "amount", "bought"),
    "texts": (texts, "label", ""),
}


def processor_seconds() -> float:
    """Of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
@pytest.mark.budget
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", TABLES)
def test_a_report_of_a_large_table_stays_within_its_budget(name: str, tmp_path: Path) -> None:
    make, target, other = TABLES[name]
    table = make()
    table.drop([other] if other else []).write_parquet(tmp_path / "t.parquet")
    rows = len(table)
    del table
    command = [sys.executable, "-c", RUN, "report", str(tmp_path / "t.parquet"), "-t", target]
    command += ["--minutes", str(MINUTES), "--out", str(tmp_path / "report")]
    before = processor_seconds()
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": "2"})
    assert processor_seconds() - before <= 2 * (1.3 * 60 * MINUTES + 10)
    figures = json.loads((tmp_path / "report" / "metrics.json").read_text(encoding="utf-8"))
    assert figures["source"]["rows"] == rows
