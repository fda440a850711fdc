"""How accurate learned rules are: ten times tenfold cross-validation on tables with published figures.

    python -m benchmarks.accuracy_rules FOLDER              # glass.csv, congressional_votes.csv, ...: UCI
    python -m benchmarks.accuracy_rules FOLDER --repeats 1 --only glass

Files are comma separated with a header; an empty field is a missing value. A figure further than two points from the
published one is marked, and the exit code is then 1. Published: RIPPER in Frank and Witten, "Generating accurate rule
sets without global optimization", ICML 1998, ten times tenfold as well.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.frame.declare import Workload, load

WORKLOADS: list[Workload] = []  # nothing here is timed against peers
POINTS = 2.0


@dataclass(frozen=True)
class Published:
    """A table, its target, and the published share of right answers in percent."""

    file: str
    target: str
    percent: float


TABLES = {
    "votes": Published("congressional_votes.csv", "Class", 95.6),
    "soybean": Published("soybean.csv.gz", "class", 92.1),
    "mushroom": Published("mushroom.csv.gz", "class", 100.0),
    "german_credit": Published("german_credit.csv.gz", "class", 71.4),
    "glass": Published("glass.csv", "Type", 66.7),
}


def percents(folder: Path, published: Published, repeats: int) -> list[float]:
    """The share of right answers in percent, one number a repeat of tenfold cross-validation."""
    frame = load("pandas.read_csv")(folder / published.file)
    y = frame.pop(published.target).to_numpy(dtype=str)
    found = []
    for repeat in range(repeats):
        folds = load("sklearn.model_selection.StratifiedKFold")(10, shuffle=True, random_state=repeat)
        right = 0
        warnings.filterwarnings("ignore", message="The least populated class")  # some have fewer than ten rows
        for fold, (learn, test) in enumerate(folds.split(frame, y)):
            model: Any = load("pellucid.rules.RIPPERClassifier")(random_state=10 * repeat + fold)
            model.fit(frame.iloc[learn], y[learn])
            right += int((model.predict(frame.iloc[test]) == y[test]).sum())
        found.append(100 * right / len(y))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints a line a table, and answers whether a figure is too far off."""
    parser = argparse.ArgumentParser(description="Accuracy of RIPPER beside published figures.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--only", choices=sorted(TABLES), action="append")
    told = parser.parse_args(arguments)
    print(f"{'table':<14} {'percent right':>16} {'published':>10} {'seconds':>8}")
    far = 0
    for name in told.only or TABLES:
        start = time.perf_counter()
        found = percents(told.folder, TABLES[name], told.repeats)
        took, wanted = time.perf_counter() - start, TABLES[name].percent
        off = bool(abs(np.mean(found) - wanted) > POINTS)
        far += off
        spread = np.std(found, ddof=1) if len(found) > 1 else 0.0
        print(
            f"{name:<14} {np.mean(found):9.2f} ± {spread:4.2f} {wanted:10.1f} {took:8.1f}{'   FAR OFF' if off else ''}"
        )
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
