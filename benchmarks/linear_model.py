"""Linear models: least squares on tall, wide, framed, single-precision and many small tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, fit, load

INTELEX = "scikit-learn-intelex"


class Line(NamedTuple):
    """What the NumPy contenders answer with, named as in the estimators."""

    coef_: NDArray[Any]
    intercept_: float


def gaussian(rows: int, columns: int, dtype: str = "float64", order: str = "C") -> dict[str, NDArray[Any]]:
    """``y = X w + 3 + noise`` with independent standard Gaussian columns; ``coef`` is the least-squares answer."""
    rng = np.random.default_rng(0)
    X = np.asarray(rng.standard_normal((rows, columns)), dtype=dtype, order="F" if order == "F" else "C")
    y = np.asarray(X @ rng.standard_normal(columns) + 3 + rng.standard_normal(rows), dtype=dtype)
    exact = X.astype(np.float64)
    coef = np.linalg.lstsq(exact - exact.mean(axis=0), y - y.mean(dtype=np.float64))[0]
    return {"X": X, "y": y, "coef": coef}


def small_tables(tables: int, rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Many small regressions, one to a table."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((tables, rows, columns))
    return {"X": X, "y": X.sum(axis=2) + rng.standard_normal((tables, rows))}


def as_frame(arrays: Arrays) -> dict[str, Any]:
    """X as a pandas frame of one block, without a copy: a frame keeps columns together, as F order does."""
    return {"X": load("pandas.DataFrame")(arrays["X"], copy=False), "y": arrays["y"]}


def centered_lstsq(data: Mapping[str, Any], _threads: int) -> Line:
    """LAPACK's SVD-based solver on X and y less their means, as scikit-learn does it."""
    X, y = data["X"], data["y"]
    center, level = X.mean(axis=0), y.mean()
    coef = np.linalg.lstsq(X - center, y - level)[0]
    return Line(coef, float(level - center @ coef))


def normal_equations(data: Mapping[str, Any], _threads: int) -> Line:
    """``(X'X - n m m') w = X'y - n m mean(y)``, m the columns' means: one pass of BLAS, no copy of X."""
    X, y = data["X"], data["y"]
    n, center, level = len(X), X.mean(axis=0), y.mean()
    coef = np.linalg.solve(X.T @ X - n * np.outer(center, center), X.T @ y - n * level * center)
    return Line(coef, float(level - center @ coef))


def fit_each(path: str, threads: str | None = None) -> Run:
    """Fit the estimator at ``path`` on every table in turn."""
    one = fit(path, threads=threads)

    def run(data: Mapping[str, Any], n_threads: int) -> list[Any]:
        return [one({"X": X, "y": y}, n_threads) for X, y in zip(data["X"], data["y"], strict=True)]

    return run


def coef_error(answer: Any, arrays: Arrays) -> float:
    """``max |w - w*| / max |w*|``, w* the answer in double precision."""
    exact = arrays["coef"]
    return float(np.abs(np.ravel(answer.coef_) - exact).max() / np.abs(exact).max())


def residuals(answers: list[Any], arrays: Arrays) -> float:
    """The residual sum of squares over all tables."""
    fitted = [X @ np.ravel(a.coef_) + a.intercept_ for X, a in zip(arrays["X"], answers, strict=True)]
    return float(np.sum((arrays["y"] - fitted) ** 2))


PELLUCID = Contender(OURS, fit("pellucid.linear_model.LinearRegression", threads="n_jobs"))
SKLEARN = Contender("scikit-learn", fit("sklearn.linear_model.LinearRegression"), openmp=True)
SKLEARNEX = Contender(INTELEX, fit("sklearnex.linear_model.LinearRegression", threads="n_jobs"))
LSTSQ = Contender("numpy lstsq (centered)", centered_lstsq, package="numpy")
NORMAL = Contender("numpy normal equations", normal_equations, package="numpy")

DESCENT = "pellucid.linear_model.GradientDescentRegressor"
SGD = "sklearn.linear_model.SGDRegressor"
# The same steps: one row at a time, rate 0.01 / t^0.25, three epochs, no stop before.
EPOCHS: dict[str, Any] = {"eta0": 0.01, "power_t": 0.25, "learning_rate": "invscaling", "max_iter": 3, "tol": None}
OURS_ONLY: dict[str, Any] = {"batch_size": 1, "keep_path": False, "random_state": 0}


def in_order(data: Mapping[str, Any], threads: int) -> Any:
    """scikit-learn's stochastic gradient descent over the rows as they stand."""
    return fit(SGD, penalty=None, shuffle=False, **EPOCHS)(data, threads)


def shuffled(data: Mapping[str, Any], threads: int) -> Any:
    return fit(SGD, penalty=None, random_state=0, **EPOCHS)(data, threads)


def batch_loop(data: Mapping[str, Any], _threads: int) -> Line:
    """Fifty updates of batch gradient descent as a textbook writes them."""
    X, y = np.column_stack([np.ones(len(data["X"])), data["X"]]), data["y"]
    theta = np.zeros(X.shape[1])
    for _ in range(50):
        theta -= 0.1 * (X.T @ (X @ theta - y)) / len(y)
    return Line(theta[1:], float(theta[0]))


def mean_square(answer: Any, arrays: Arrays) -> float:
    """The mean squared error on the rows fitted."""
    return float(np.mean((arrays["X"] @ np.ravel(answer.coef_) + answer.intercept_ - arrays["y"]) ** 2))


TALL = Workload(
    name="least_squares_1000000x50",
    about="Least squares with intercept, 1,000,000 x 50, float64, C order.",
    data=partial(gaussian, rows=1_000_000, columns=50),
    quick={"rows": 2_000},
    ours=PELLUCID,
    peers=(SKLEARNEX, SKLEARN, NORMAL, LSTSQ),
    quality=Quality("error of coefficients", coef_error, bound=1e-9, against_best=False),
    goal=1.0,
    goal_peer=INTELEX,
    memory_goal=0.10,
)

WORKLOADS = [
    TALL,
    replace(
        TALL,
        name="least_squares_frame_1000000x50",
        about="Least squares with intercept, 1,000,000 x 50, a pandas frame of one float64 block.",
        data=partial(gaussian, rows=1_000_000, columns=50, order="F"),
        prepare=as_frame,
        peers=(SKLEARNEX, SKLEARN),
    ),
    replace(
        TALL,
        name="least_squares_float32_1000000x50",
        about="Least squares with intercept, 1,000,000 x 50, float32, C order.",
        data=partial(gaussian, rows=1_000_000, columns=50, dtype="float32"),
        quality=Quality("error of coefficients", coef_error, bound=1e-4, against_best=False),
    ),
    replace(
        TALL,
        name="least_squares_5000x500",
        about="Least squares with intercept, 5,000 x 500, float64, C order.",
        data=partial(gaussian, rows=5_000, columns=500),
        quick={"rows": 500, "columns": 50},
        goal=None,
        goal_peer=None,
        memory_goal=None,  # X'X alone is a tenth of X
    ),
    Workload(
        name="thread_overhead",
        about="1,000 separate least-squares fits of 200 x 5: the cost of a call.",
        data=partial(small_tables, tables=1_000, rows=200, columns=5),
        quick={"tables": 20},
        ours=replace(PELLUCID, run=fit_each("pellucid.linear_model.LinearRegression", threads="n_jobs")),
        peers=(replace(SKLEARN, run=fit_each("sklearn.linear_model.LinearRegression")),),
        quality=Quality("excess of residuals", residuals, bound=1e-9),
        goal=1.0,
    ),
    Workload(
        name="stochastic_descent_500000x10",
        about="Stochastic gradient descent, 500,000 x 10, three epochs over the rows as they stand.",
        data=partial(gaussian, rows=500_000, columns=10),
        quick={"rows": 2_000},
        ours=Contender(OURS, fit(DESCENT, threads="n_jobs", order="given", **OURS_ONLY, **EPOCHS)),
        peers=(Contender("scikit-learn", in_order),),
        quality=Quality("mean squared error", mean_square, bound=1e-9),
        goal=1.0,
    ),
    Workload(
        name="stochastic_descent_shuffled_100000x100",
        about="Stochastic gradient descent, 100,000 x 100, three epochs, rows shuffled each time.",
        data=partial(gaussian, rows=100_000, columns=100),
        quick={"rows": 2_000},
        ours=Contender(OURS, fit(DESCENT, threads="n_jobs", order="shuffled", **OURS_ONLY, **EPOCHS)),
        peers=(Contender("scikit-learn", shuffled),),
        quality=Quality("mean squared error", mean_square, bound=0.05),
        goal=1.0,
    ),
    Workload(
        name="batch_descent_1000000x20",
        about="Batch gradient descent, 1,000,000 x 20, fifty updates.",
        data=partial(gaussian, rows=1_000_000, columns=20),
        quick={"rows": 2_000},
        ours=Contender(
            OURS,
            fit(DESCENT, threads="n_jobs", eta0=0.1, max_steps=50, tol=None, gradient_tol=None, keep_path=False),
        ),
        peers=(Contender("numpy loop", batch_loop, package="numpy"),),
        quality=Quality("mean squared error", mean_square, bound=1e-9),
        goal=1.0,
    ),
]
