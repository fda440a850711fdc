"""Forests of full trees: growing by every cut, by histograms and at random, prediction, and small tables.

Values are exact in single precision, which scikit-learn works in, so that all contenders see the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, fit, load
from benchmarks.trees import SKLEARN, accuracy, flowers, table

INTELEX = "scikit-learn-intelex"
TREES = 100


def ranked(model: Any, arrays: Arrays) -> float:
    """Area under the ROC curve on rows held out, or the part of their variance that is explained."""
    y = arrays["other_y"]
    if y.dtype.kind == "f":
        return accuracy(model, arrays)
    score = np.asarray(model.predict_proba(arrays["other_X"]))[:, 1]
    order = np.argsort(score, kind="stable")
    rank = np.empty(len(y))
    _, place, times = np.unique(score[order], return_inverse=True, return_counts=True)
    rank[order] = (np.cumsum(times) - (times - 1) / 2)[place]
    ones = y == 1
    return float((rank[ones].sum() - ones.sum() * (ones.sum() + 1) / 2) / (ones.sum() * (~ones).sum()))


HELD_OUT = Quality("AUC or R² on rows held out", ranked, bound=0.005, higher_is_better=True)


def ours(name: str, **settings: Any) -> Run:
    return fit(f"pellucid.ensemble.{name}", threads="n_jobs", n_estimators=TREES, random_state=0, **settings)


def theirs(name: str, package: str = "sklearn") -> Run:
    return fit(f"{package}.ensemble.{name}", threads="n_jobs", n_estimators=TREES, random_state=0)


def growing(name: str, kind: str, how: str, rows: int = 100_000, goal: float | None = None) -> Workload:
    forest = f"{'ExtraTrees' if how == 'random' else 'RandomForest'}{kind}"
    settings = {"splitter": "histogram"} if how == "histogram" else {}
    peers = [Contender(SKLEARN, theirs(forest))]
    if how == "histogram":
        peers.insert(0, Contender(INTELEX, theirs(forest, "sklearnex")))
    words = {"best": "every cut", "histogram": "255 bins", "random": "random cuts"}[how]
    what = "numbers" if kind == "Regressor" else "two classes"
    return Workload(
        name=name,
        about=f"{TREES} full trees, {words}, {rows:,} x 20, {what}.",
        data=partial(table, rows=rows, columns=20, numbers=kind == "Regressor"),
        quick={"rows": 8_000},
        ours=Contender(OURS, ours(forest, **settings)),
        peers=tuple(peers),
        quality=HELD_OUT,
        goal=goal,
        goal_peer=INTELEX if how == "histogram" else SKLEARN,
    )


# --------------------------------------------------------------------------------------------------------- prediction


def fitted(path: str) -> Run:
    """Before the clock: a forest of all rows."""

    def prepare(data: Mapping[str, Any], n_threads: int) -> Any:
        model = load(path)(n_estimators=TREES, random_state=0, n_jobs=n_threads).fit(data["X"], data["y"])
        return {"model": model, "X": data["X"]}

    return prepare


def answer(data: Mapping[str, Any], n_threads: int) -> Any:
    return data["model"].predict(data["X"])


def right(said: Any, arrays: Arrays) -> float:
    return float(np.mean(np.asarray(said) == arrays["y"]))


def prediction(name: str, goal: float) -> Workload:
    return Workload(
        name=f"{'forest' if name == 'RandomForestClassifier' else 'extra_trees'}_predict_100000x20",
        about=f"Classes of 100,000 x 20 rows by {TREES} full trees of these rows.",
        data=partial(table, rows=100_000, columns=20, numbers=False),
        quick={"rows": 1_000},
        ours=Contender(OURS, answer, prepare=fitted(f"pellucid.ensemble.{name}")),
        peers=(Contender(SKLEARN, answer, prepare=fitted(f"sklearn.ensemble.{name}")),),
        quality=Quality("accuracy", right, bound=0.01, higher_is_better=True),
        goal=goal,
    )


def small(kind: str) -> Workload:
    return Workload(
        name=f"forest_150x4_{kind.lower()}",
        about=f"{TREES} trees on 150 x 4: what a tree costs beside the work.",
        data=partial(flowers, rows=150, columns=4, numbers=kind == "Regressor"),
        quick={"rows": 90},
        ours=Contender(OURS, ours(f"RandomForest{kind}")),
        peers=(Contender(SKLEARN, theirs(f"RandomForest{kind}")),),
        quality=Quality("accuracy", accuracy, bound=0.05, higher_is_better=True),
        goal=5.0,
    )


WORKLOADS = [
    growing("forest_100000x20", "Classifier", "best", goal=2.0),
    growing("forest_regression_100000x20", "Regressor", "best", goal=2.0),
    growing("forest_histogram_100000x20", "Classifier", "histogram", goal=1.3),
    growing("forest_histogram_regression_100000x20", "Regressor", "histogram", goal=1.3),
    growing("extra_trees_100000x20", "Classifier", "random", goal=2.0),
    growing("extra_trees_regression_100000x20", "Regressor", "random", goal=2.0),
    prediction("RandomForestClassifier", 3.0),
    prediction("ExtraTreesClassifier", 3.0),
    small("Classifier"),
    small("Regressor"),
    *(growing(f"forest_growth_{rows}", "Classifier", "best", rows) for rows in (3_000, 10_000, 30_000)),
]
