"""Nearest rows in few columns by trees: build the tree and put every query to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

CHECKED = 50  # queries compared with all rows


def points(rows: int, queries: int, columns: int, clusters: int, dtype: str) -> dict[str, NDArray[Any]]:
    """Rows and queries spread evenly, or around centers."""
    random = np.random.default_rng(0)

    def some(n: int) -> NDArray[Any]:
        if clusters == 0:
            return random.random((n, columns)).astype(dtype)
        spread = 0.01 * random.standard_normal((n, columns))
        return (centers[random.integers(0, clusters, n)] + spread).astype(dtype)

    centers = random.random((max(1, clusters), columns))
    return {"X": some(rows), "queries": some(queries)}


def ours(data: Mapping[str, Any], n_threads: int, k: int) -> Any:
    tree = load("pellucid.neighbors.KDTree")(data["X"], n_jobs=n_threads)
    return tree.query(data["queries"], k=k)


def sklearn_tree(data: Mapping[str, Any], n_threads: int, k: int) -> Any:
    model = load("sklearn.neighbors.NearestNeighbors")(n_neighbors=k, algorithm="kd_tree", n_jobs=n_threads)
    return model.fit(data["X"]).kneighbors(data["queries"])


def intelex(data: Mapping[str, Any], n_threads: int, k: int) -> Any:
    model = load("sklearnex.neighbors.NearestNeighbors")(n_neighbors=k, algorithm="kd_tree", n_jobs=n_threads)
    return model.fit(data["X"]).kneighbors(data["queries"])


def scipy_tree(data: Mapping[str, Any], n_threads: int, k: int) -> Any:
    return load("scipy.spatial.cKDTree")(data["X"]).query(data["queries"], k=k, workers=n_threads)


def pykdtree(data: Mapping[str, Any], n_threads: int, k: int) -> Any:
    return load("pykdtree.kdtree.KDTree")(data["X"]).query(data["queries"], k=k)


def wrong(answer: Any, arrays: Arrays, k: int) -> float:
    """Largest relative error of the distances of a few queries, by all rows."""
    step = max(1, len(arrays["queries"]) // CHECKED)
    worst = 0.0
    for i in range(0, len(arrays["queries"]), step):
        apart = arrays["X"].astype(np.float64) - arrays["queries"][i]
        want = np.sqrt(np.sort((apart * apart).sum(axis=1))[:k])
        worst = max(worst, float(np.max(np.abs(np.asarray(answer[0][i]) - want) / np.maximum(want, 1e-300))))
    return worst


def search(
    columns: int, rows: int, queries: int, k: int = 5, clusters: int = 0, dtype: str = "float64", goal: float = 2.0
) -> Workload:
    def run(function: Any) -> Run:
        return partial(function, k=k)

    what = f"{clusters} clusters" if clusters else "evenly"
    return Workload(
        name=f"kd_tree_{columns}d_{rows}_k{k}" + (f"_{clusters}_clusters" if clusters else "") + f"_{dtype}",
        about=f"{k} nearest of {rows:,} rows, {columns} columns ({what}, {dtype}) of {queries:,} queries.",
        data=partial(points, rows=rows, queries=queries, columns=columns, clusters=clusters, dtype=dtype),
        quick={"rows": 5_000, "queries": 5_000},
        ours=Contender(OURS, run(ours)),
        peers=(
            Contender("scikit-learn-intelex", run(intelex)),
            Contender("pykdtree", run(pykdtree), openmp=True),
            Contender("scipy", run(scipy_tree)),
            Contender("scikit-learn", run(sklearn_tree)),
        ),
        quality=Quality("error", partial(wrong, k=k), bound=1e-9 if dtype == "float64" else 1e-4, against_best=False),
        goal=goal,
    )


WORKLOADS = [
    search(3, 1_000_000, 1_000_000),
    search(2, 1_000_000, 1_000_000),
    search(3, 1_000_000, 1_000_000, clusters=100),
    search(3, 1_000_000, 1_000_000, dtype="float32"),
    search(8, 200_000, 100_000),
    search(16, 50_000, 10_000, clusters=50),
]
