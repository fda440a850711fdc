"""What rounding costs: boosted trees by histograms of whole numbers and in floating point, on the same folds.

    python -m benchmarks.accuracy_rounding FOLDER
    python -m benchmarks.accuracy_rounding FOLDER --only adult --only letter

The search for splits adds up derivatives that were rounded at random to whole numbers (``histogram="integer"``), or as
they are (``"float"``); everything else is the same. A table's measure is that of `accuracy_boosting`; shown are both
means over five folds and three seeds, the relative difference (above 0: rounding is worse), its standard error, and how
much longer floating point takes.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy_boosting import TEN, Data, read
from benchmarks.frame.declare import Workload, load

WORKLOADS: list[Workload] = []  # nothing here is timed against peers
SEEDS = 3


def measured(data: Data, fold: int, seed: int, histogram: str) -> tuple[float, float]:
    """What is lost on the rows held out (less is better), and the seconds of the fit."""
    kind = "Regressor" if data.classes == 0 else "Classifier"
    model = load(f"pellucid.boosting.LightGBM{kind}")(
        histogram=histogram, random_state=seed, subsample=0.8, max_features=0.8
    )
    learn, test = data.folds[fold]
    began = time.process_time()
    model.fit(data.X.iloc[learn], data.y[learn])
    took = time.process_time() - began
    X, y = data.X.iloc[test], data.y[test]
    if data.classes == 0:
        return float(np.sqrt(np.mean((model.predict(X) - y) ** 2))), took
    p = model.predict_proba(X)
    if data.classes == 2:
        return 1 - float(load("sklearn.metrics.roc_auc_score")(y, p[:, 1])), took
    return float(load("sklearn.metrics.log_loss")(y, p)), took


def row(data: Data) -> str:
    """A line of the table."""
    runs = [
        [measured(data, fold, seed, histogram) for histogram in ("integer", "float")]
        for fold in range(len(data.folds))
        for seed in range(SEEDS)
    ]
    found = np.array(runs)
    lost, took = found[:, :, 0], found[:, :, 1]
    apart: Any = (lost[:, 0] - lost[:, 1]) / lost[:, 1].mean()
    by_fold = apart.reshape(len(data.folds), SEEDS).mean(axis=1)
    error = by_fold.std(ddof=1) / np.sqrt(len(by_fold))
    means = lost.mean(axis=0)
    said = "1 - auc" if data.classes == 2 else data.measure
    return (
        f"| {data.name} | {said} | {means[0]:.6g} | {means[1]:.6g} | {apart.mean():+.2%} | {error:.2%} | "
        f"{took[:, 1].sum() / took[:, 0].sum():.2f} |"
    )


def main() -> None:
    """The table, a line for each file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the tables are")
    parser.add_argument("--only", action="append", metavar="NAME", choices=list(TEN), help="a table; may be repeated")
    told = parser.parse_args()
    print("| table | measure | whole numbers | floating point | rounding loses | error | time, floating / whole |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in told.only or TEN:
        print(row(read(told.folder, name)), flush=True)


if __name__ == "__main__":
    main()
