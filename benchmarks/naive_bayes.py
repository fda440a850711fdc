"""Naive Bayes of numbers and of counts: fit and predict of the same rows.

The quality is the share of rows whose class is predicted right, which is the same for everybody who does the same sums.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SKLEARN = "scikit-learn"


def clouds(rows: int, columns: int, classes: int) -> dict[str, NDArray[Any]]:
    """Round clouds about the classes' middles, in C order."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    return {"X": rng.standard_normal((rows, columns)) + 0.3 * rng.standard_normal((classes, columns))[y], "y": y}


def texts(rows: int, columns: int, classes: int) -> dict[str, NDArray[Any]]:
    """Texts of 50 to 100 words; a class shifts which ones are frequent."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    length = rng.integers(50, 101, rows)
    row = np.repeat(np.arange(rows), length)
    word = np.minimum((columns * rng.random(len(row)) ** 3).astype(np.int64), columns - 1)
    moved = rng.random(len(row)) < 0.2
    word = np.where(moved, (word + 37 * y[row]) % columns, word)
    cells, counts = np.unique(row * columns + word, return_counts=True)
    row, word = np.divmod(cells, columns)
    return {
        "X_data": counts.astype(np.float64),
        "X_indices": word.astype(np.int32),
        "X_indptr": np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int32),
        "shape": np.array([rows, columns]),
        "y": y,
    }


def as_csr(arrays: Arrays) -> dict[str, Any]:
    """The sparse table of the arrays, without a copy."""
    parts = (arrays["X_data"], arrays["X_indices"], arrays["X_indptr"])
    return {"X": load("scipy.sparse.csr_matrix")(parts, shape=tuple(arrays["shape"])), "y": arrays["y"]}


def fit_predict(path: str) -> Run:
    """Fit, then predict the rows of the fit."""

    def run(data: Any, _threads: int) -> Any:
        return load(path)().fit(data["X"], data["y"]).predict(data["X"])

    return run


def right(answer: Any, arrays: Arrays) -> float:
    """The share of rows predicted right."""
    return float(np.mean(answer == arrays["y"]))


def contenders(kind: str) -> dict[str, Any]:
    return {
        "ours": Contender(OURS, fit_predict(f"pellucid.naive_bayes.{kind}")),
        "peers": (Contender(SKLEARN, fit_predict(f"sklearn.naive_bayes.{kind}")),),
    }


GAUSSIAN = Workload(
    name="gaussian_nb_1000000x50",
    about="Gaussian naive Bayes, fit and predict, 1,000,000 x 50, float64, C order, 10 classes.",
    data=partial(clouds, rows=1_000_000, columns=50, classes=10),
    quick={"rows": 2_000, "columns": 10},
    **contenders("GaussianNB"),
    quality=Quality("share predicted right", right, bound=1e-6, higher_is_better=True),
    goal=5.0,
    memory_goal=0.1,
)
MULTINOMIAL = Workload(
    name="multinomial_nb_300000x50000",
    about="Multinomial naive Bayes, fit and predict, texts of 50,000 words, 300,000 rows, 20 classes.",
    data=partial(texts, rows=300_000, columns=50_000, classes=20),
    quick={"rows": 1_000, "columns": 500},
    prepare=as_csr,
    **contenders("MultinomialNB"),
    quality=Quality("share predicted right", right, bound=1e-6, higher_is_better=True),
    goal=2.0,
)
WORKLOADS = [
    GAUSSIAN,
    MULTINOMIAL,
    *(
        replace(
            MULTINOMIAL,
            name=f"{kind.lower()}_nb_300000x50000",
            about=f"{kind} naive Bayes, fit and predict, texts of 50,000 words, 300,000 rows, 20 classes.",
            **contenders(f"{kind}NB"),
        )
        for kind in ("Complement", "Bernoulli")
    ),
]
