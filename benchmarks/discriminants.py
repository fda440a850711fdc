"""Discriminants: fit and predict of the same rows, each beside scikit-learn's fastest solver and its default.

The quality is the share of rows whose class is predicted right, which is the same for everybody who does the same sums.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SKLEARN = "scikit-learn"


def bells(rows: int, columns: int, classes: int) -> dict[str, NDArray[Any]]:
    """Correlated columns about the classes' middles, in C order."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    mixed = np.eye(columns) + 0.1 * rng.standard_normal((columns, columns))
    X = rng.standard_normal((rows, columns)) @ mixed + 0.3 * rng.standard_normal((classes, columns))[y]
    return {"X": X, "y": y}


def fit_predict(path: str, **settings: Any) -> Run:
    """Fit, then predict the rows of the fit."""

    def run(data: Any, _threads: int) -> Any:
        return load(path)(**settings).fit(data["X"], data["y"]).predict(data["X"])

    return run


def right(answer: Any, arrays: Arrays) -> float:
    """The share of rows predicted right."""
    return float(np.mean(answer == arrays["y"]))


def workload(name: str, about: str, kind: str, fastest: str) -> Workload:
    ours, theirs = f"pellucid.discriminant_analysis.{kind}", f"sklearn.discriminant_analysis.{kind}"
    return Workload(
        name=f"{name}_500000x50",
        about=f"{about}, fit and predict, 500,000 x 50, float64, C order, 5 classes.",
        data=partial(bells, rows=500_000, columns=50, classes=5),
        quick={"rows": 2_000, "columns": 10},
        ours=Contender(OURS, fit_predict(ours)),
        peers=(
            Contender(f"{SKLEARN} {fastest}", fit_predict(theirs, solver=fastest)),
            Contender(SKLEARN, fit_predict(theirs)),
        ),
        quality=Quality("share predicted right", right, bound=1e-6, higher_is_better=True),
        goal=3.0,
    )


WORKLOADS = [
    workload("lda", "Linear discriminant analysis", "LinearDiscriminantAnalysis", "lsqr"),
    workload("qda", "Quadratic discriminant analysis", "QuadraticDiscriminantAnalysis", "eigen"),
]
