"""How near the estimated costs of a report's models are to the processor time that they take on this machine.

``python -m benchmarks.report_costs`` prints, for each model, the estimate divided by the measured time.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
import polars as pl

from pellucid.model_selection import cross_validate
from pellucid.report.candidates import candidate_models
from pellucid.report.columns import Columns
from pellucid.report.costs import COSTS, Size

ROWS, FOLDS = 3000, 5


def table(classes: int) -> tuple[pl.DataFrame, Any]:
    """Eight columns of numbers and one of categories; classes, or a number for one class."""
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 8))
    f = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * random.normal(size=ROWS)
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(8)}).with_columns(
        town=pl.Series(random.choice(["Oslo", "Rome", "Bern", "Kiel"], ROWS))
    )
    return frame, f if classes == 1 else np.array(["no", "yes"])[(f > 0).astype(int)]


def seconds(model: Any, X: pl.DataFrame, y: Any, fold: list[Any]) -> float:
    """Processor time of a fit and of its predictions."""
    begun = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cross_validate(model, X, y, cv=fold, error_score="raise")
    return process_time() - begun


def ratios(classes: int) -> dict[str, float]:
    """The estimate of each model divided by the measured time."""
    X, y = table(classes)
    columns = Columns(numbers=tuple(X.columns[:-1]), categories=("town",))
    order = np.random.RandomState(0).permutation(ROWS)
    fold = [(np.sort(order[ROWS // FOLDS :]), np.sort(order[: ROWS // FOLDS]))]
    few = [(np.sort(order[100:300]), np.sort(order[:100]))]
    found = {}
    for candidate in candidate_models(classes > 1, columns)[0]:
        model = candidate.model(classes > 1, 0, columns)
        seconds(model, X, y, few)  # imports what the model needs
        cost = COSTS[candidate.name][classes == 1]
        estimate = replace(cost, alone=1.0).of(Size(ROWS, 9, 12, classes))
        found[candidate.name] = estimate / seconds(model, X, y, fold)
    return found


if __name__ == "__main__":
    for classes, title in ((2, "two classes"), (1, "a number")):
        print(title)
        for name, ratio in ratios(classes).items():
            print(f"  {name:24} {ratio:6.2f}")
