"""Target encoding of columns of categories: a cross-fit of numbers and of labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

LEVELS = (10, 100, 1_000, 5_000, 50_000)
FOLDS = 5


def categories(rows: int, labels: bool = False) -> dict[str, NDArray[Any]]:
    """Five columns of few and many categories, and a target that depends on two of them."""
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(0, levels, rows) for levels in LEVELS])
    y = 0.3 * X[:, 0] + np.sin(X[:, 1]) + random.standard_normal(rows)
    return {"X": X, "y": (y > 1.5).astype(np.int64) if labels else y}


def cross_fit(path: str, threads: str | None = None) -> Run:
    """Fits the encoder at ``path`` and encodes the same rows, each by the folds it is not in."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        return load(path)(cv=KFold(FOLDS), **chosen).fit_transform(data["X"], data["y"])

    return run


def error(answer: Any, arrays: Arrays) -> float:
    """Largest error of the first column's encodings, against the formula for the first fold in long double."""
    x, y = arrays["X"][:, 0], arrays["y"].astype(np.longdouble)
    _, test = next(iter(KFold(FOLDS).split(x)))
    train = np.ones(len(x), dtype=bool)
    train[test] = False
    mean, variance = y[train].mean(), y[train].var()
    worst = 0.0
    for category in np.unique(x[test]):
        own = y[train & (x == category)]
        weight = len(own) * variance / (len(own) * variance + own.var())
        wanted = weight * own.mean() + (1 - weight) * mean
        found = answer[test[x[test] == category], 0]
        worst = max(worst, float(np.max(np.abs(found - wanted)) / (1 + abs(wanted))))
    return worst


def workload(labels: bool, rows: int = 1_000_000) -> Workload:
    what = "two labels" if labels else "numbers"
    return Workload(
        name=f"target_encoder_{'labels' if labels else 'numbers'}_{rows}x{len(LEVELS)}",
        about=f"TargetEncoder: cross-fit of {rows:,} x {len(LEVELS)} categories, target of {what}, {FOLDS} folds.",
        data=partial(categories, rows=rows, labels=labels),
        quick={"rows": 5_000},
        ours=Contender(OURS, cross_fit("pellucid.preprocessing.TargetEncoder", "n_jobs")),
        peers=(Contender("scikit-learn", cross_fit("sklearn.preprocessing.TargetEncoder")),),
        quality=Quality("error", error, bound=1e-9, against_best=False),
        goal=1.0,
    )


WORKLOADS = [workload(False), workload(True)]
