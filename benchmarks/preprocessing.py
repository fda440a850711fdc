"""Preprocessing: polynomial terms of dense tables, in C and in F order."""

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
