"""Decision trees (CART): growing by every cut and by histograms, prediction, small tables, and growth with the rows.

Values are exact in single precision, which scikit-learn works in, so that all contenders see the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, fit, load

SKLEARN = "scikit-learn"
EXACT = "pellucid, every cut"
LEAF = 20


def table(rows: int, columns: int, numbers: bool) -> dict[str, NDArray[Any]]:
    """Gaussian columns of which a quarter matter, by a threshold, a product, a wave and a slope; and rows held out.

    Both factors of the product matter on their own: where only the product did, the first splits on them would be
    chance, and so would be a tree's accuracy (by 0.02 from seed to seed).
    """
    random = np.random.default_rng(0)
    held = max(1000, rows // 10)
    X = random.standard_normal((rows + held, columns)).astype(np.float32).astype(np.float64)
    product = (1 + X[:, 1]) * (1 + X[:, 2 % columns])
    score = (X[:, 0] > 0.3) + product + 0.5 * np.sin(3 * X[:, 3 % columns]) - 0.3 * X[:, 4 % columns]
    y = score + 0.7 * random.standard_normal(rows + held)
    target = y if numbers else (y > 1.0).astype(np.int64)
    return {"X": X[:rows], "y": target[:rows], "other_X": X[rows:], "other_y": target[rows:]}


def flowers(rows: int, columns: int, numbers: bool = False) -> dict[str, NDArray[Any]]:
    """Three classes around centers, values to one decimal: a table of the size and kind of the iris data.

    numbers : are the classes to be predicted as numbers?
    """
    random = np.random.default_rng(0)
    y = np.arange(rows) % 3
    X = np.round(4 + 1.5 * y[:, None] * np.linspace(0.3, 1.5, columns) + random.standard_normal((rows, columns)), 1)
    target = y.astype(np.float64) if numbers else y
    return {"X": X.astype(np.float32).astype(np.float64), "y": target, "other_X": X, "other_y": target}


def accuracy(model: Any, arrays: Arrays) -> float:
    """Share of the rows held out that are right, or the part of their variance that is explained."""
    said, y = np.asarray(model.predict(arrays["other_X"])), arrays["other_y"]
    if y.dtype.kind != "f":
        return float(np.mean(said == y))
    return float(1 - np.mean((said - y) ** 2) / np.var(y))


def ours(kind: str, threads: str | int = "n_jobs", **settings: Any) -> Run:
    path = f"pellucid.tree.DecisionTree{kind}"
    return fit(path, n_jobs=threads, **settings) if isinstance(threads, int) else fit(path, threads=threads, **settings)


def theirs(kind: str, **settings: Any) -> Run:
    return fit(f"sklearn.tree.DecisionTree{kind}", random_state=0, **settings)


HELD_OUT = Quality("accuracy on rows held out", accuracy, bound=0.01, higher_is_better=True)


def growing(
    name: str, kind: str, rows: int, columns: int, goal: float | None, threads: str | int = "n_jobs"
) -> Workload:
    how = "" if threads == "n_jobs" else ", one thread"
    what = "numbers" if kind == "Regressor" else "two classes"
    return Workload(
        name=name,
        about=f"CART, every cut, {rows:,} x {columns}, {what}, at least {LEAF} rows a leaf{how}.",
        data=partial(table, rows=rows, columns=columns, numbers=kind == "Regressor"),
        quick={"rows": 2_000},
        ours=Contender(OURS, ours(kind, threads, min_samples_leaf=LEAF)),
        peers=(Contender(SKLEARN, theirs(kind, min_samples_leaf=LEAF)),),
        quality=HELD_OUT,
        goal=goal,
    )


def histogram(kind: str) -> Workload:
    return Workload(
        name=f"cart_histogram_{kind.lower()}_300000x20",
        about=f"CART by histograms of 255 bins against every cut, 300,000 x 20, at least {LEAF} rows a leaf.",
        data=partial(table, rows=300_000, columns=20, numbers=kind == "Regressor"),
        quick={"rows": 2_000},
        ours=Contender(OURS, ours(kind, splitter="histogram", min_samples_leaf=LEAF)),
        peers=(
            Contender(EXACT, ours(kind, min_samples_leaf=LEAF), package=OURS),
            Contender(SKLEARN, theirs(kind, min_samples_leaf=LEAF)),
        ),
        quality=HELD_OUT,
        goal=3.0,
        goal_peer=EXACT,
    )


# --------------------------------------------------------------------------------------------------------- prediction


def fitted(path: str, threads: str | None, **settings: Any) -> Run:
    """Before the clock: a tree of the first rows."""

    def prepare(data: Mapping[str, Any], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        model = load(path)(min_samples_leaf=LEAF, **settings, **chosen).fit(data["X"][:100_000], data["y"][:100_000])
        return {"model": model, "X": data["X"]}

    return prepare


def answer(data: Mapping[str, Any], n_threads: int) -> Any:
    return data["model"].predict(data["X"])


def right(said: Any, arrays: Arrays) -> float:
    return float(np.mean(np.asarray(said) == arrays["y"]))


PREDICTION = Workload(
    name="cart_predict_1000000x20",
    about="Classes of 1,000,000 x 20 rows by a tree of 100,000 rows.",
    data=partial(table, rows=1_000_000, columns=20, numbers=False),
    quick={"rows": 5_000},
    ours=Contender(OURS, answer, prepare=fitted("pellucid.tree.DecisionTreeClassifier", "n_jobs")),
    peers=(Contender(SKLEARN, answer, prepare=fitted("sklearn.tree.DecisionTreeClassifier", None, random_state=0)),),
    quality=Quality("accuracy", right, bound=0.01, higher_is_better=True),
    goal=1.0,
)


def small(kind: str) -> Workload:
    return Workload(
        name=f"cart_150x4_{kind.lower()}",
        about="CART on 150 x 4: what a call costs beside the work.",
        data=partial(flowers, rows=150, columns=4, numbers=kind == "Regressor"),
        quick={"rows": 90},
        ours=Contender(OURS, ours(kind, 1)),
        peers=(Contender(SKLEARN, theirs(kind)),),
        quality=Quality("accuracy", accuracy, bound=0.05, higher_is_better=True),
        goal=5.0,
    )


WORKLOADS = [
    growing("cart_300000x20", "Classifier", 300_000, 20, 4.0),
    growing("cart_300000x20_one_thread", "Classifier", 300_000, 20, 2.0, threads=1),
    growing("cart_regression_300000x20", "Regressor", 300_000, 20, 4.0),
    growing("cart_regression_300000x20_one_thread", "Regressor", 300_000, 20, 2.0, threads=1),
    histogram("Classifier"),
    histogram("Regressor"),
    PREDICTION,
    small("Classifier"),
    small("Regressor"),
    *(
        growing(f"cart_growth_{rows}", "Classifier", rows, 10, None)
        for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000)
    ),
]
