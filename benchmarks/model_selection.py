"""Searches that share work, against candidates fitted one by one: degrees, epochs, neighbors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

DEGREES = list(range(1, 16))
NEIGHBORS = list(range(1, 51))


def curve(rows: int) -> dict[str, NDArray[Any]]:
    """One column, and a wave of it with noise."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, rows)
    return {"X": x[:, None], "y": np.sin(4 * x) + 0.3 * rng.standard_normal(rows)}


def table(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Gaussian columns, a linear target, and four classes of it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    y = X @ rng.standard_normal(columns) + rng.standard_normal(rows)
    return {"X": X, "y": y, "classes": np.digitize(y, np.quantile(y, [0.25, 0.5, 0.75]))}


def search(package: str, model: Any, grid: Mapping[str, Sequence[Any]], target: str = "y") -> Run:
    """A grid search of ``package`` over what ``model`` makes, five folds."""

    def run(data: Mapping[str, Any], _threads: int) -> Any:
        found = load(f"{package}.model_selection.GridSearchCV")(model(), dict(grid), cv=5, refit=False)
        return found.fit(data["X"], data[target]).cv_results_["mean_test_score"]

    return run


def polynomial(package: str) -> Any:
    steps = [
        ("powers", load(f"{package}.preprocessing.PolynomialFeatures")(include_bias=False)),
        ("model", load(f"{package}.linear_model.LinearRegression")()),
    ]
    return load("sklearn.pipeline.Pipeline")(steps)


def descent() -> Any:
    return load("pellucid.linear_model.GradientDescentRegressor")(tol=None, gradient_tol=None, batch_size=100)


def neighbors(package: str) -> Any:
    return load(f"{package}.neighbors.KNeighborsClassifier")()


def best(answer: Any, _arrays: Arrays) -> float:
    """The highest mean score."""
    return float(np.max(answer))


SCORE = Quality("best score", best, bound=1e-3, higher_is_better=True)
DEGREE = {"powers__degree": DEGREES}
EPOCHS = {"max_iter": [1, 2, 5, 10, 20, 50, 100]}
COUNTS = {"n_neighbors": NEIGHBORS}

WORKLOADS = [
    Workload(
        name="search_degree_100000",
        about="Grid search of the degree of a polynomial, 1 to 15, 100,000 rows, five folds.",
        data=partial(curve, rows=100_000),
        quick={"rows": 2_000},
        ours=Contender(OURS, search("pellucid", partial(polynomial, "pellucid"), DEGREE)),
        peers=(Contender("scikit-learn", search("sklearn", partial(polynomial, "sklearn"), DEGREE)),),
        quality=SCORE,
        goal=5.0,
    ),
    Workload(
        name="search_epochs_50000x20",
        about="Grid search of the epochs of gradient descent, 1 to 100, 50,000 x 20, five folds; peer: one by one.",
        data=partial(table, rows=50_000, columns=20),
        quick={"rows": 1_000},
        ours=Contender(OURS, search("pellucid", descent, EPOCHS)),
        peers=(Contender("scikit-learn", search("sklearn", descent, EPOCHS)),),
        quality=SCORE,
        goal=1.5,
    ),
    Workload(
        name="search_neighbors_5000x10",
        about="Grid search of the number of neighbors, 1 to 50, 5,000 x 10, five folds.",
        data=partial(table, rows=5_000, columns=10),
        quick={"rows": 500},
        ours=Contender(OURS, search("pellucid", partial(neighbors, "pellucid"), COUNTS, "classes")),
        peers=(Contender("scikit-learn", search("sklearn", partial(neighbors, "sklearn"), COUNTS, "classes")),),
        quality=SCORE,
        goal=10.0,
    ),
]
