"""Networks: the same number of epochs over the same rows, L-BFGS, and prediction, beside scikit-learn's.

Random numbers differ, so starts and orders do: the quality is the score of rows held out.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SKLEARN = "scikit-learn"
HELD_OUT = 20_000


def table(rows: int, columns: int, numbers: bool, single: bool = False) -> dict[str, NDArray[Any]]:
    """A bent function of five columns, with noise; and rows held out."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows + HELD_OUT, columns))
    f = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] - 0.5 * X[:, 4] ** 2
    f = f + 0.3 * rng.standard_normal(len(f))
    y = f if numbers else np.digitize(f, [-1.0, 0.5])
    X = X.astype(np.float32) if single else X
    return {"X": X[:rows], "y": y[:rows], "other_X": X[rows:], "other_y": y[rows:]}


def fitted(path: str, **settings: Any) -> Run:
    """A fit whose epochs are counted: that they run out is meant, and not said."""

    def run(data: Any, threads: int) -> Any:
        more = {"n_jobs": threads} if path.startswith(OURS) else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load(path)(random_state=0, **settings, **more).fit(data["X"], data["y"])

    return run


def score(model: Any, arrays: Arrays) -> float:
    """Accuracy, or R², of the rows held out."""
    return float(model.score(arrays["other_X"], arrays["other_y"]))


def right(answer: Any, arrays: Arrays) -> float:
    """The share of right labels."""
    return float(np.mean(answer == arrays["y"]))


HELD = Quality("accuracy or R² on rows held out", score, bound=0.05, higher_is_better=True)


def learning(
    name: str, kind: str, rows: int, columns: int, goal: float, *, single: bool = False, **settings: Any
) -> Workload:
    what = "numbers" if kind == "MLPRegressor" else "three classes"
    layers = " - ".join(str(size) for size in settings["hidden_layer_sizes"])
    solver = settings.get("solver", "adam")
    width = "float32" if single else "float64"
    passes = f"{settings['max_iter']} {'steps' if solver == 'lbfgs' else 'epochs'}"
    return Workload(
        name=name,
        about=f"{passes} of {solver}, hidden layers {layers}, {rows:,} x {columns}, {what}, {width}, C order.",
        data=partial(table, rows=rows, columns=columns, numbers=kind == "MLPRegressor", single=single),
        quick={"rows": 2_000},
        ours=Contender(OURS, fitted(f"pellucid.neural_network.{kind}", **settings)),
        peers=(Contender(SKLEARN, fitted(f"sklearn.neural_network.{kind}", **settings)),),
        quality=HELD,
        goal=goal,
    )


def answering(rows: int, goal: float) -> Workload:
    settings = {"hidden_layer_sizes": (100,), "max_iter": 5}

    def prepared(path: str) -> Run:
        def prepare(data: Any, threads: int) -> Any:
            few = {"X": data["X"][:20_000], "y": data["y"][:20_000]}
            return {"model": fitted(path, **settings)(few, threads), "X": data["X"]}

        return prepare

    def answer(data: Any, _threads: int) -> Any:
        return data["model"].predict(data["X"])

    return Workload(
        name="mlp_predict",
        about=f"Labels of {rows:,} x 30 by a network of 100 hidden units.",
        data=partial(table, rows=rows, columns=30, numbers=False),
        quick={"rows": 5_000},
        ours=Contender(OURS, answer, prepare=prepared("pellucid.neural_network.MLPClassifier")),
        peers=(Contender(SKLEARN, answer, prepare=prepared("sklearn.neural_network.MLPClassifier")),),
        quality=Quality("accuracy", right, bound=0.03, higher_is_better=True),
        goal=goal,
    )


WORKLOADS = [
    learning("mlp_classes", "MLPClassifier", 100_000, 30, 1.5, hidden_layer_sizes=(100,), max_iter=20),
    learning("mlp_numbers", "MLPRegressor", 100_000, 30, 1.5, hidden_layer_sizes=(100,), max_iter=20),
    learning(
        "mlp_two_layers", "MLPRegressor", 50_000, 30, 1.5, hidden_layer_sizes=(64, 32), activation="tanh", max_iter=30
    ),
    learning("mlp_wide", "MLPClassifier", 20_000, 200, 1.1, hidden_layer_sizes=(256, 128), max_iter=10),
    learning("mlp_float32", "MLPClassifier", 100_000, 30, 1.1, single=True, hidden_layer_sizes=(100,), max_iter=20),
    learning("mlp_small", "MLPClassifier", 1_000, 10, 3.0, hidden_layer_sizes=(20,), max_iter=300),
    learning("mlp_lbfgs", "MLPRegressor", 20_000, 20, 1.5, hidden_layer_sizes=(50,), solver="lbfgs", max_iter=200),
    answering(500_000, 2.0),
]
