"""Accuracy of C4.5 on tables that others have published figures of: ``python -m benchmarks.accuracy FOLDER``.

Ten times 10-fold cross-validation, stratified, as in the publications. FOLDER holds the tables as CSV files:
congressional_votes.csv, soybean.csv.gz, mushroom.csv.gz, german_credit.csv.gz, glass.csv.

Published, as usually quoted: C4.5 (release 8, or Weka's J48) with its default settings. Landwehr, Hall, Frank (2005),
Logistic model trees, Machine Learning 59, 161-205; Frank, Witten (1998), Generating accurate rule sets without global
optimization.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from pellucid.tree import C45Classifier


@dataclass(frozen=True)
class Known:
    """A table, its target, and the published accuracy in percent."""

    file: str
    target: str
    published: float


KNOWN = (
    Known("congressional_votes.csv", "Class", 96.6),
    Known("soybean.csv.gz", "class", 91.8),
    Known("mushroom.csv.gz", "class", 100.0),
    Known("german_credit.csv.gz", "class", 71.3),
    Known("glass.csv", "Type", 67.6),
)


def accuracy(table: pd.DataFrame, target: str, repeats: int) -> tuple[float, float]:
    """Mean accuracy in percent over all folds, and the deviation of the repeats' means."""
    X, y = table.drop(columns=target), table[target].to_numpy().astype(str)
    means = []
    for repeat in range(repeats):
        folds = StratifiedKFold(10, shuffle=True, random_state=repeat)
        scores = [
            C45Classifier().fit(X.iloc[train], y[train]).score(X.iloc[test], y[test])
            for train, test in folds.split(X, y)
        ]
        means.append(100 * np.mean(scores))
    return float(np.mean(means)), float(np.std(means))


def main() -> None:
    """Prints a row for each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=10)
    told = parser.parse_args()
    warnings.filterwarnings("ignore", message="The least populated class")  # of glass, which has nine rows
    print(f"{'table':28s} {'ours':>8s} {'+-':>6s} {'published':>10s} {'apart':>7s} {'seconds':>8s}")
    for known in KNOWN:
        table = pd.read_csv(told.folder / known.file)
        target = {name.lower(): name for name in table.columns}[known.target.lower()]
        begun = perf_counter()
        ours, spread = accuracy(table, target, told.repeats)
        seconds = perf_counter() - begun
        apart = ours - known.published
        print(f"{known.file:28s} {ours:8.2f} {spread:6.2f} {known.published:10.1f} {apart:+7.2f} {seconds:8.1f}")


if __name__ == "__main__":
    main()
