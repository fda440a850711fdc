"""Support vector machines beside scikit-learn's (libsvm, liblinear) and Intel's patch of them, where it is installed.

The quality is the share of rows on their own side, or R²: everybody ends near the same minimum.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SKLEARN, INTELEX = "scikit-learn", "scikit-learn-intelex"


def overlapping(rows: int, columns: int, classes: int = 2) -> dict[str, NDArray[Any]]:
    """Groups that overlap, each of two clouds, so that a border is curved; columns scaled."""
    rng = np.random.default_rng(0)
    middle = 1.2 * rng.standard_normal((2 * classes, columns))
    cloud = rng.integers(0, 2 * classes, rows)
    X = middle[cloud] + 2 * rng.standard_normal((rows, columns))
    return {"X": (X - X.mean(axis=0)) / X.std(axis=0), "y": cloud % classes}


def waves(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """A target that waves along one column, with noise."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((rows, columns))
    return {"X": X, "y": np.sin(2 * X[:, 0]) + X[:, 1] / 2 + 0.3 * rng.standard_normal(rows)}


def fit(path: str, **settings: Any) -> Run:
    """One fit."""

    def run(data: Any, _threads: int) -> Any:
        return load(path)(**settings).fit(data["X"], data["y"])

    return run


def fitted(path: str, **settings: Any) -> Run:
    """A model of the first rows, with the table that it is to answer for."""

    def prepare(data: Any, _threads: int) -> Any:
        return load(path)(**settings).fit(data["X"][:5_000], data["y"][:5_000]), data["X"]

    return prepare


def answer(data: Any, _threads: int) -> Any:
    """Labels of all rows."""
    model, X = data
    return model.predict(X)


def score(model: Any, arrays: Arrays) -> float:
    """Share of rows on their own side; R² of numbers. Of the first rows, so that it takes no time."""
    return float(model.score(arrays["X"][:2_000], arrays["y"][:2_000]))


def said_right(labels: Any, arrays: Arrays) -> float:
    """Share of labels that are right."""
    return float(np.mean(labels == arrays["y"]))


def fitting(name: str, about: str, data: Any, cls: str, **settings: Any) -> Workload:
    peers = [Contender(SKLEARN, fit(f"sklearn.svm.{cls}", **settings))]
    if not cls.startswith("Linear"):  # the patch has machines with kernels alone
        peers.append(Contender(INTELEX, fit(f"sklearnex.svm.{cls}", **settings)))
    return Workload(
        name=name,
        about=about,
        data=data,
        quick={"rows": 800, "columns": 6},
        ours=Contender(OURS, fit(f"pellucid.svm.{cls}", **settings)),
        peers=tuple(peers),
        quality=Quality("score", score, bound=5e-3, higher_is_better=True),
        goal=1.0,
    )


PREDICTION = Workload(
    name="svc_predict_50000x20",
    about="Labels of 50,000 x 20 rows by a radial kernel and the support vectors of 5,000 rows.",
    data=partial(overlapping, rows=50_000, columns=20),
    quick={"rows": 800, "columns": 6},
    ours=Contender(OURS, answer, fitted("pellucid.svm.SVC")),
    peers=(
        Contender(SKLEARN, answer, fitted("sklearn.svm.SVC")),
        Contender(INTELEX, answer, fitted("sklearnex.svm.SVC")),
    ),
    quality=Quality("share of right labels", said_right, bound=5e-3, higher_is_better=True),
    goal=2.0,
)

WORKLOADS = [
    fitting("svc_10000x20", "SVC, radial kernel, 10,000 x 20.", partial(overlapping, rows=10_000, columns=20), "SVC"),
    fitting(
        "svc_10000x20_c100", "SVC, radial kernel, C = 100, 10,000 x 20.",
        partial(overlapping, rows=10_000, columns=20), "SVC", C=100.0,
    ),
    fitting(
        "svc_6000x40_5", "SVC of 5 classes, radial kernel, 6,000 x 40.",
        partial(overlapping, rows=6_000, columns=40, classes=5), "SVC",
    ),
    fitting("svr_6000x20", "SVR, radial kernel, 6,000 x 20.", partial(waves, rows=6_000, columns=20), "SVR"),
    fitting(
        "linear_svc_200000x50", "LinearSVC, squared hinge, 200,000 x 50.",
        partial(overlapping, rows=200_000, columns=50), "LinearSVC",
    ),
    fitting(
        "linear_svc_50000x50_hinge", "LinearSVC, hinge, C = 0.01, 50,000 x 50.",
        partial(overlapping, rows=50_000, columns=50), "LinearSVC", loss="hinge", C=0.01, random_state=0,
    ),
    fitting(
        "linear_svr_100000x50", "LinearSVR, C = 0.01, 100,000 x 50.",
        partial(waves, rows=100_000, columns=50), "LinearSVR", epsilon=0.1, C=0.01, random_state=0,
    ),
    PREDICTION,
]  # fmt: skip
