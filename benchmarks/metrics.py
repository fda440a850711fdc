"""Metrics on millions of rows: areas and curves of scores, log loss, confusion counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

INTELEX = "scikit-learn-intelex"


def scores(rows: int, dtype: str = "float64") -> dict[str, NDArray[Any]]:
    """Labels, three of ten positive, and Gaussian scores that are one higher for them; ``p`` are scores as chances."""
    rng = np.random.default_rng(0)
    y = (rng.random(rows) < 0.3).astype(np.int64)
    X = (rng.standard_normal(rows) + y).astype(dtype)
    return {"X": X, "y": y, "p": 1 / (1 + np.exp(0.5 - X))}


def labels(rows: int, classes: int) -> dict[str, NDArray[Any]]:
    """True labels and predictions, right in half of the rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, rows)
    return {"X": np.where(rng.random(rows) < 0.5, y, rng.integers(0, classes, rows)), "y": y}


def call(path: str, scores_name: str = "X") -> Run:
    """The function at ``path`` on the true labels and the scores."""

    def run(data: Mapping[str, Any], _threads: int) -> Any:
        return load(path)(data["y"], data[scores_name])

    return run


def our_counts(data: Mapping[str, Any], threads: int) -> Any:
    """The kernel alone: codes in, table out."""
    return load("pellucid._core.confusion_counts")(data["y"], data["X"], 10, None, threads)[1]


def text_labels(rows: int, classes: int) -> dict[str, NDArray[Any]]:
    """The same as names of one width."""
    names = np.array([f"class_{i}" for i in range(classes)])
    return {name: names[codes] for name, codes in labels(rows, classes).items()}


def blobs(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Eight round clusters that overlap a little."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 8, rows)
    return {"X": rng.standard_normal((rows, columns)) + y[:, None], "y": y}


def silhouette(package: str) -> Run:
    def run(data: Mapping[str, Any], _threads: int) -> Any:
        return load(f"{package}.metrics.silhouette_score")(data["X"], data["y"])

    return run


def bincount(data: Mapping[str, Any], _threads: int) -> Any:
    return np.bincount(data["y"] * 10 + data["X"], minlength=100).reshape(10, 10)


def area_error(answer: Any, arrays: Arrays) -> float:
    """Against the mean rank of the positive rows, for scores without ties."""
    y = arrays["y"][np.argsort(arrays["X"], kind="stable")]
    positives, n = int(y.sum()), len(y)
    above = int(np.cumsum(1 - y)[y == 1].sum())
    return abs(float(answer) - above / (positives * (n - positives)))


def points_error(answer: Any, _arrays: Arrays) -> float:
    """How far the curve's ends are from their known places."""
    first, second, _ = answer
    return float(abs(first[-1] - 1) + abs(second[0] * (1 - second[0])))


def loss_error(answer: Any, arrays: Arrays) -> float:
    p = np.where(arrays["y"] == 1, arrays["p"], 1 - arrays["p"])
    return abs(float(answer) + float(np.log(p).mean()))


def brier_error(answer: Any, arrays: Arrays) -> float:
    return abs(float(answer) - float(np.mean((arrays["y"] - arrays["p"]) ** 2)))


def counts_error(answer: Any, arrays: Arrays) -> float:
    return float(np.abs(np.asarray(answer) - bincount(arrays, 1)).max())


def contender(name: str, function: str, scores_name: str = "X") -> Contender:
    """A function of the metrics of ours, of scikit-learn or of its extension."""
    packages = {OURS: "pellucid", "scikit-learn": "sklearn", INTELEX: "sklearnex"}
    return Contender(name, call(f"{packages[name]}.metrics.{function}", scores_name))


AREA = Workload(
    name="roc_auc_5000000",
    about="Area under the ROC curve of 5,000,000 float64 scores with 0/1 labels.",
    data=partial(scores, rows=5_000_000),
    quick={"rows": 5_000},
    ours=contender(OURS, "roc_auc_score"),
    peers=(contender(INTELEX, "roc_auc_score"), contender("scikit-learn", "roc_auc_score")),
    quality=Quality("error", area_error, bound=1e-9, against_best=False),
    goal=1.3,
    goal_peer=INTELEX,
)

WORKLOADS = [
    AREA,
    replace(
        AREA,
        name="roc_curve_5000000",
        about="ROC curve of 5,000,000 float64 scores with 0/1 labels.",
        ours=contender(OURS, "roc_curve"),
        peers=(contender("scikit-learn", "roc_curve"),),
        quality=Quality("error", points_error, bound=1e-9, against_best=False),
        goal=1.0,
        goal_peer=None,
    ),
    replace(
        AREA,
        name="average_precision_5000000",
        about="Average precision of 5,000,000 float64 scores with 0/1 labels.",
        ours=contender(OURS, "average_precision_score"),
        peers=(contender("scikit-learn", "average_precision_score"),),
        quality=Quality("shortfall", lambda answer, _arrays: float(answer), bound=1e-9, higher_is_better=True),
        goal=1.0,
        goal_peer=None,
    ),
    replace(
        AREA,
        name="log_loss_5000000",
        about="Log loss of 5,000,000 probabilities of class 1, float64.",
        ours=contender(OURS, "log_loss", "p"),
        peers=(contender("scikit-learn", "log_loss", "p"),),
        quality=Quality("error", loss_error, bound=1e-9, against_best=False),
        goal=5.0,
        goal_peer=None,
    ),
    replace(
        AREA,
        name="brier_score_5000000",
        about="Brier score of 5,000,000 probabilities of class 1, float64.",
        ours=contender(OURS, "brier_score_loss", "p"),
        peers=(contender("scikit-learn", "brier_score_loss", "p"),),
        quality=Quality("error", brier_error, bound=1e-9, against_best=False),
        goal=1.0,
        goal_peer=None,
    ),
    Workload(
        name="confusion_counts_10x10_5000000",
        about="Confusion counts of 5,000,000 pairs of codes of 10 classes, int64.",
        data=partial(labels, rows=5_000_000, classes=10),
        quick={"rows": 5_000},
        ours=Contender(OURS, our_counts),
        peers=(
            Contender("numpy bincount", bincount, package="numpy"),
            Contender("scikit-learn", call("sklearn.metrics.confusion_matrix")),
        ),
        quality=Quality("error", counts_error, bound=0, against_best=False),
        goal=1.0,
    ),
    Workload(
        name="confusion_matrix_10x10_5000000",
        about="Confusion matrix of 5,000,000 int64 labels of 10 classes, from labels to table.",
        data=partial(labels, rows=5_000_000, classes=10),
        quick={"rows": 5_000},
        ours=contender(OURS, "confusion_matrix"),
        peers=(
            Contender("numpy bincount", bincount, package="numpy"),
            contender("scikit-learn", "confusion_matrix"),
        ),
        quality=Quality("error", counts_error, bound=0, against_best=False),
        goal=1.0,
    ),
    Workload(
        name="accuracy_text_500000",
        about="Accuracy of 500,000 labels that are text.",
        data=partial(text_labels, rows=500_000, classes=10),
        quick={"rows": 5_000},
        ours=contender(OURS, "accuracy_score"),
        peers=(contender("scikit-learn", "accuracy_score"),),
        quality=Quality("error", lambda answer, arrays: abs(answer - np.mean(arrays["X"] == arrays["y"])), bound=1e-12),
        goal=1.0,
    ),
    *(
        Workload(
            name=f"silhouette_10000x{columns}",
            about=f"Silhouette of 10,000 rows of {columns} columns in 8 clusters.",
            data=partial(blobs, rows=10_000, columns=columns),
            quick={"rows": 500},
            ours=Contender(OURS, silhouette("pellucid")),
            peers=(Contender("scikit-learn", silhouette("sklearn")),),
            quality=Quality("shortfall", lambda answer, _arrays: float(answer), bound=1e-6, higher_is_better=True),
            goal=1.0,
        )
        for columns in (2, 50)
    ),
]
