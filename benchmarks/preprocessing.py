"""Preprocessing: polynomial terms and scaled columns of dense tables, in C and in F order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load


def gaussian(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    return {"X": np.random.default_rng(0).standard_normal((rows, columns))}


def expand(path: str, degree: int, order: str, threads: str | None = None) -> Run:
    """Fits the transformer at ``path`` and makes its columns."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        return load(path)(degree=degree, order=order, **chosen).fit_transform(data["X"])

    return run


def error(degree: int) -> Any:
    """Largest relative error of a row's terms, by the sum of all of them: for one row of numbers it is a product.

    The terms of degree d of ``x`` add up, over all products with repetition, to the complete symmetric polynomial
    ``h_d``; with ``h_0 = 1`` it follows from the powers' sums ``s_k``:  ``d h_d = s_1 h_{d-1} + ... + s_d h_0``.
    """

    def measure(answer: Any, arrays: Arrays) -> float:
        X = arrays["X"][:1000].astype(np.longdouble)
        h = [np.ones(len(X), dtype=np.longdouble)]
        for d in range(1, degree + 1):
            h.append(sum((X**k).sum(axis=1) * h[d - k] for k in range(1, d + 1)) / d)
        sizes = np.abs(answer[:1000]).sum(axis=1)
        return float(np.max(np.abs(answer[:1000].sum(axis=1) - sum(h)) / sizes))

    return measure


def workload(rows: int, columns: int, degree: int, order: str) -> Workload:
    name = f"polynomial_{rows}x{columns}_degree{degree}" + ("" if order == "C" else "_by_column")
    way = "by row" if order == "C" else "by column"
    return Workload(
        name=name,
        about=f"Polynomial terms of {rows:,} x {columns}, degree {degree}, float64, written {way}.",
        data=partial(gaussian, rows=rows, columns=columns),
        quick={"rows": 1_000},
        ours=Contender(OURS, expand("pellucid.preprocessing.PolynomialFeatures", degree, order, "n_jobs")),
        peers=(Contender("scikit-learn", expand("sklearn.preprocessing.PolynomialFeatures", degree, order)),),
        quality=Quality("error", error(degree), bound=1e-9, against_best=False),
        goal=1.0,
    )


SIZES = ((100_000, 20, 2), (100_000, 20, 3), (1_000_000, 5, 3), (1_000_000, 1, 10))
WORKLOADS = [workload(*size, order) for order in ("C", "F") for size in SIZES]


# -------------------------------------------------------------------------------------------------------------- scalers


def shifted(rows: int, columns: int, order: Any = "C") -> dict[str, NDArray[Any]]:
    """Columns of several means and spreads."""
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, columns)) * np.logspace(-2, 2, columns) + np.linspace(-5, 5, columns)
    return {"X": np.asarray(X, order=order)}


def scale(path: str, threads: str | None = None) -> Run:
    """Fits the scaler at ``path`` and scales the same table."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        return load(path)(**({threads: n_threads} if threads else {})).fit_transform(data["X"])

    return run


def standard(X: Any) -> Any:
    return (X - X.mean(axis=0)) / X.std(axis=0)


def between(X: Any) -> Any:
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))


def robust(X: Any) -> Any:
    low, middle, high = np.percentile(X, [25, 50, 75], axis=0)
    return (X - middle) / (high - low)


def scaling_error(formula: Any) -> Any:
    """Largest error of a few columns, against the formula in long double."""

    def measure(answer: Any, arrays: Arrays) -> float:
        wanted = formula(arrays["X"][:, ::17].astype(np.longdouble))
        return float(np.max(np.abs(answer[:, ::17] - wanted) / (1 + np.abs(wanted))))

    return measure


def scaler(name: str, formula: Any, order: str, rows: int = 1_000_000, columns: int = 50) -> Workload:
    way = "" if order == "C" else "_by_column"
    return Workload(
        name=f"{name.lower()}_{rows}x{columns}{way}",
        about=f"{name}: fit and transform of {rows:,} x {columns}, float64, in {order} order.",
        data=partial(shifted, rows=rows, columns=columns, order=order),
        quick={"rows": 1_000},
        ours=Contender(OURS, scale(f"pellucid.preprocessing.{name}", "n_jobs")),
        peers=(Contender("scikit-learn", scale(f"sklearn.preprocessing.{name}")),),
        quality=Quality("error", scaling_error(formula), bound=1e-9, against_best=False),
        goal=2.0 if name == "StandardScaler" and order == "C" else 1.0,
    )


WORKLOADS += [
    scaler("StandardScaler", standard, "C"),
    scaler("StandardScaler", standard, "F"),
    scaler("MinMaxScaler", between, "C"),
    scaler("RobustScaler", robust, "C", 200_000),
]
