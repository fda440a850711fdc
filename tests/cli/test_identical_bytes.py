"""The same table, options and seed give the same folder, byte for byte, in any process and on any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.report import interaction_tables as tables

RUN = "from pellucid.cli.main import main; main()"


def table(path: Path) -> None:
    """Numbers with missing values, words, dates, a text of several words and a target of three classes."""
    random = np.random.default_rng(3)
    n = 240
    dose = random.normal(size=n)
    site = random.choice(["north", "south", "east"], n)
    words = np.array(["pump", "valve", "leaks", "noisy", "cold", "start", "motor", "belt"])
    pl.DataFrame(
        {
            "dose": [None if value < -1.5 else round(float(value), 3) for value in dose],
            "site": site,
            "day": [
                f"2020-{m:02d}-{d:02d}"
                for m, d in zip(random.integers(1, 13, n), random.integers(1, 29, n), strict=True)
            ],
            "note": [" ".join(random.choice(words, 6)) for _ in range(n)],
            "state": np.digitize(dose + (site == "south") + random.normal(0, 0.3, n), [0.0, 1.0]),
        }
    ).write_csv(path)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def series(path: Path) -> None:
    """A number for each day, with a trend and a week."""
    random = np.random.default_rng(4)
    days = np.arange(np.datetime64("2021-01-01"), np.datetime64("2021-09-01"))
    level = 0.1 * np.arange(len(days)) + 5 * (np.arange(len(days)) % 7 == 6) + random.normal(size=len(days))
    pl.DataFrame(
        {"day": days, "temperature": random.normal(size=len(days)).round(2), "sales": level.round(2)}
    ).write_csv(path)


def basket_lines(path: Path) -> None:
    path.write_text("".join(",".join(basket) + "\n" for basket in tables.basket_lists()), encoding="utf-8")


TASKS: dict[str, tuple[Callable[[Path], Any], list[str]]] = {
    "several classes": (table, ["-t", "state"]),
    "a number": (table, ["-t", "dose"]),
    "clusters": (table, []),
    "a time series": (series, ["-t", "sales"]),
    "baskets": (basket_lines, []),
    "transactions": (lambda path: tables.pairs().write_csv(path), []),
    "ratings": (lambda path: tables.ratings().write_csv(path), []),
    "visits": (lambda path: tables.visits().write_csv(path), []),
}
# What differs from one process to another. Without the coercion of its locale Python takes files for ASCII.
ENVIRONMENTS = (
    {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "1", "TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8", "COLUMNS": "200"},
    {
        "OMP_NUM_THREADS": "2",
        "PYTHONHASHSEED": "2",
        "TZ": "America/St_Johns",
        "LC_ALL": "POSIX",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "COLUMNS": "80",
    },
)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_two_processes_write_the_same_bytes(task: str, tmp_path: Path) -> None:
    """Whatever the threads, the hash seed, the time zone, the locale and the working directory are."""
    make, target = TASKS[task]
    make(tmp_path / "t.csv")
    reports = []
    for number, environment in enumerate(ENVIRONMENTS):
        here = tmp_path / f"working directory {number}"
        here.mkdir()
        reports.append(here / "report")
        command = [sys.executable, "-c", RUN, "report", str(tmp_path / "t.csv"), *target, "--minutes", "0.05"]
        done = subprocess.run(
            command, capture_output=True, cwd=here, env=os.environ | environment, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
    first, second = map(files_of, reports)
    assert {"report.html", "metrics.json", "changes.csv"} <= set(first)
    assert list(first) == list(second)
    assert [name for name in first if first[name] != second[name]] == []
