"""Bagging, voting and stacking: fits, answers and small tables.

The work is that of the models inside; what is measured is theirs and what an ensemble adds to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, fit, load

SKLEARN = "scikit-learn"


def table(rows: int, columns: int, numbers: bool) -> dict[str, NDArray[Any]]:
    """Gaussian columns, exact in single precision, of which a few matter; and rows held out."""
    random = np.random.default_rng(0)
    held = max(1000, rows // 10)
    X = random.standard_normal((rows + held, columns)).astype(np.float32).astype(np.float64)
    score = (X[:, 0] > 0.3) + X[:, 1] * X[:, 2] - 0.5 * X[:, 3] + 0.7 * random.standard_normal(rows + held)
    y = score if numbers else (score > 0.5).astype(np.int64)
    return {"X": X[:rows], "y": y[:rows], "other_X": X[rows:], "other_y": y[rows:]}


def accuracy(model: Any, arrays: Arrays) -> float:
    """Share of the rows held out that are right, or the part of their variance that is explained."""
    said, y = np.asarray(model.predict(arrays["other_X"])), arrays["other_y"]
    if y.dtype.kind != "f":
        return float(np.mean(said == y))
    return float(1 - np.mean((said - y) ** 2) / np.var(y))


HELD_OUT = Quality("accuracy on rows held out", accuracy, bound=0.02, higher_is_better=True)


def bag(kind: str, rows: int, models: int, goal: float | None) -> Workload:
    settings: dict[str, Any] = {"n_estimators": models, "random_state": 0}
    return Workload(
        name=f"bagging_{kind.lower()}_{rows}x20",
        about=f"Bagging of {models} full trees, {rows:,} x 20.",
        data=partial(table, rows=rows, columns=20, numbers=kind == "Regressor"),
        quick={"rows": 1_000},
        ours=Contender(OURS, fit(f"pellucid.ensemble.Bagging{kind}", threads="n_jobs", **settings)),
        peers=(Contender(SKLEARN, fit(f"sklearn.ensemble.Bagging{kind}", threads="n_jobs", **settings)),),
        quality=HELD_OUT,
        goal=goal,
    )


def stack(package: str) -> Run:
    """Three members and five folds."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        members = [
            ("tree", load(f"{package}.tree.DecisionTreeClassifier")(max_depth=8)),
            ("bayes", load(f"{package}.naive_bayes.GaussianNB")()),
            ("logit", load(f"{package}.linear_model.LogisticRegression")()),
        ]
        return load(f"{package}.ensemble.StackingClassifier")(members, n_jobs=n_threads).fit(data["X"], data["y"])

    return run


def fitted(package: str) -> Run:
    """Before the clock: a bag of fifty trees."""

    def prepare(data: Mapping[str, Any], n_threads: int) -> Any:
        made = load(f"{package}.ensemble.BaggingClassifier")(n_estimators=50, random_state=0, n_jobs=n_threads)
        return {"model": made.fit(data["X"][:10_000], data["y"][:10_000]), "X": data["X"]}

    return prepare


def answer(data: Mapping[str, Any], n_threads: int) -> Any:
    return data["model"].predict(data["X"])


def right(said: Any, arrays: Arrays) -> float:
    return float(np.mean(np.asarray(said) == arrays["y"]))


STACKING = Workload(
    name="stacking_30000x20",
    about="Stacking of a tree, naive Bayes and logistic regression, five folds, 30,000 x 20.",
    data=partial(table, rows=30_000, columns=20, numbers=False),
    quick={"rows": 1_000},
    ours=Contender(OURS, stack("pellucid")),
    peers=(Contender(SKLEARN, stack("sklearn")),),
    quality=HELD_OUT,
    goal=1.0,
)
PREDICTION = Workload(
    name="bagging_predict_100000x20",
    about="Classes of 100,000 x 20 rows by bagging of 50 full trees of 10,000 rows.",
    data=partial(table, rows=100_000, columns=20, numbers=False),
    quick={"rows": 11_000},
    ours=Contender(OURS, answer, prepare=fitted("pellucid")),
    peers=(Contender(SKLEARN, answer, prepare=fitted("sklearn")),),
    quality=Quality("accuracy", right, bound=0.02, higher_is_better=True),
    goal=1.0,
)
WORKLOADS = [
    bag("Classifier", 50_000, 20, 1.5),
    bag("Regressor", 50_000, 20, 1.5),
    bag("Classifier", 150, 100, 3.0),
    STACKING,
    PREDICTION,
]
