"""The same table, options and seed give the same folder, byte for byte, in any process and on any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

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


@pytest.mark.slow
@pytest.mark.parametrize("target", [["-t", "state"], ["-t", "dose"], []])
def test_two_processes_write_the_same_bytes(target: list[str], tmp_path: Path) -> None:
    table(tmp_path / "t.csv")
    folders = []
    for threads in ("1", "2"):
        folders.append(tmp_path / threads)
        environment = os.environ | {"OMP_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
        command = [sys.executable, "-c", RUN, "report", str(tmp_path / "t.csv"), *target]
        command += ["--minutes", "0.05", "--out", str(folders[-1])]
        subprocess.run(command, check=True, capture_output=True, env=environment)
    first, second = map(files_of, folders)
    assert {"report.html", "metrics.json", "changes.csv"} <= set(first)
    assert list(first) == list(second)
    assert [name for name in first if first[name] != second[name]] == []
