"""Imputation: means, medians, nearest rows and chained regressions of dense tables with gaps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load


def with_gaps(rows: int, columns: int, share: float) -> dict[str, NDArray[Any]]:
    """Columns that depend on each other, with gaps; the whole table is kept to judge by."""
    random = np.random.default_rng(0)
    whole = random.standard_normal((rows, columns)) @ random.standard_normal((columns, columns))
    X = whole.copy()
    X[random.random(X.shape) < share] = np.nan
    return {"X": X, "whole": whole}


def fill(path: str, threads: str | None = None, **settings: Any) -> Run:
    """Fits the imputer at ``path`` and fills the same table."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        if path.startswith("sklearn"):
            import_module("sklearn.experimental.enable_iterative_imputer")
        return load(path)(**settings, **({threads: n_threads} if threads else {})).fit_transform(data["X"])

    return run


def simple_error(center: Any) -> Any:
    """Largest error of what is filled into a few columns, against the figure worked out in long double."""

    def measure(answer: Any, arrays: Arrays) -> float:
        found = 0.0
        for j in range(0, arrays["X"].shape[1], 7):
            column = arrays["X"][:, j]
            wanted = float(center(column[~np.isnan(column)].astype(np.longdouble)))
            found = max(found, float(np.abs(answer[np.isnan(column), j] - wanted).max()))
        return found

    return measure


def rest(answer: Any, arrays: Arrays) -> float:
    """Root mean squared error of the filled values against those that were taken out."""
    gaps = np.isnan(arrays["X"])
    return float(np.sqrt(np.mean((answer[gaps] - arrays["whole"][gaps]) ** 2)))


def workload(
    name: str, imputer: str, rows: int, share: float, quality: Quality, goal: float, **settings: Any
) -> Workload:
    return Workload(
        name=f"{name}_{rows}x20",
        about=f"{imputer}: fit and transform of {rows:,} x 20, float64, {share:.0%} missing.",
        data=partial(with_gaps, rows=rows, columns=20, share=share),
        quick={"rows": 500},
        ours=Contender(OURS, fill(f"pellucid.impute.{imputer}", "n_jobs", **settings)),
        peers=(Contender("scikit-learn", fill(f"sklearn.impute.{imputer}", **settings)),),
        quality=quality,
        goal=goal,
    )


RMSE = Quality("rmse", rest, bound=1e-3)
WORKLOADS = [
    workload("impute_mean", "SimpleImputer", 1_000_000, 0.1,
             Quality("error", simple_error(np.mean), bound=1e-9, against_best=False), 2.0, strategy="mean"),
    workload("impute_median", "SimpleImputer", 1_000_000, 0.1,
             Quality("error", simple_error(np.median), bound=1e-9, against_best=False), 2.0, strategy="median"),
    workload("impute_nearest", "KNNImputer", 20_000, 0.05, RMSE, 2.0),
    workload("impute_iterative", "IterativeImputer", 100_000, 0.1, RMSE, 2.0, random_state=0),
]  # fmt: skip
