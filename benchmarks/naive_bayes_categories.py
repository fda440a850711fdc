"""Naive Bayes of categories and by kernel densities: fit and predict of the same rows.

The quality is the share of rows whose class is predicted right, which is the same for everybody who does the same sums.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SKLEARN = "scikit-learn"
SCIPY = "scipy"


def codes(rows: int, columns: int, categories: int, classes: int) -> dict[str, NDArray[Any]]:
    """Whole numbers in C order; a class makes some of them likelier."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    X = rng.integers(0, categories, (rows, columns))
    moved = rng.random((rows, columns)) < 0.1
    return {"X": np.where(moved, (y[:, None] + np.arange(columns)) % categories, X), "y": y}


def peaks(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Two peaks a class and column."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    side = rng.choice([-1.0, 1.0], (rows, columns))
    return {"X": rng.standard_normal((rows, columns)) / 2 + side * (1 + y[:, None]), "y": y}


def fit_predict(path: str) -> Run:
    """Fit, then predict the rows of the fit."""

    def run(data: Any, _threads: int) -> Any:
        return load(path)().fit(data["X"], data["y"]).predict(data["X"])

    return run


def by_scipy(data: Any, _threads: int) -> Any:
    """A density of SciPy's for each class and column, and the class with the largest product."""
    X, y = data["X"], data["y"]
    scores = np.zeros((len(X), 2))
    for c in (0, 1):
        scores[:, c] = np.log(np.mean(y == c))
        for j in range(X.shape[1]):
            scores[:, c] += load("scipy.stats.gaussian_kde")(X[y == c, j]).logpdf(X[:, j])
    return scores.argmax(axis=1)


def right(answer: Any, arrays: Arrays) -> float:
    """The share of rows predicted right."""
    return float(np.mean(answer == arrays["y"]))


RIGHT = Quality("share predicted right", right, bound=1e-6, higher_is_better=True)
WORKLOADS = [
    Workload(
        name="categorical_nb_1000000x20",
        about="Naive Bayes of categories, fit and predict, 1,000,000 x 20, int64, C order, 10 values, 2 classes.",
        data=partial(codes, rows=1_000_000, columns=20, categories=10, classes=2),
        quick={"rows": 2_000},
        ours=Contender(OURS, fit_predict("pellucid.naive_bayes.CategoricalNB")),
        peers=(Contender(SKLEARN, fit_predict("sklearn.naive_bayes.CategoricalNB")),),
        quality=RIGHT,
        goal=5.0,
        memory_goal=0.5,
    ),
    Workload(
        name="kernel_density_nb_10000x4",
        about="Naive Bayes by kernel densities, fit and predict, 10,000 x 4, two classes.",
        data=partial(peaks, rows=10_000, columns=4),
        quick={"rows": 500},
        ours=Contender(OURS, fit_predict("pellucid.naive_bayes.KernelDensityNB")),
        peers=(Contender(SCIPY, by_scipy),),
        quality=RIGHT,
        goal=20.0,
    ),
]
