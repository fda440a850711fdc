"""Exact neighbors by looking at every row: pictures, rows without structure, few columns of doubles, one query.

Everybody gets the k nearest rows by Euclidean distance, building included; the quality is the mean distance, worked out
afresh in double precision from the rows that were named.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load
from benchmarks.linear_speed import digits

K = 10


def pictures(rows: int, queries: int, side: int) -> dict[str, NDArray[Any]]:
    """Soft spots of ten classes, as scanned digits: most of the variance lies in few directions."""
    every = digits(rows + queries, side, 10)["X"]
    return {"X": every[:rows], "queries": every[rows:]}


def isotropic(rows: int, queries: int, columns: int, single: bool) -> dict[str, NDArray[Any]]:
    """Normal numbers: no direction tells more than another."""
    rng = np.random.default_rng(0)
    dtype = np.float32 if single else np.float64
    return {
        "X": rng.standard_normal((rows, columns)).astype(dtype),
        "queries": rng.standard_normal((queries, columns)).astype(dtype),
    }


def our_index(data: Mapping[str, Any], _threads: int) -> dict[str, Any]:
    metric = load("pellucid.models.neighbors.metric.Metric")()
    index = load("pellucid.models.neighbors.brute.BruteIndex")(data["X"], metric)
    return {"index": index, "queries": data["queries"]}


def our_search(data: Mapping[str, Any], threads: int) -> Any:
    return data["index"].nearest(data["queries"], K, threads).rows


def ours(data: Mapping[str, Any], threads: int) -> Any:
    return our_search(our_index(data, threads), threads)


def faiss_index(data: Mapping[str, Any], _threads: int) -> dict[str, Any]:
    index = load("faiss.IndexFlatL2")(data["X"].shape[1])
    index.add(np.ascontiguousarray(data["X"], dtype=np.float32))
    return {"index": index, "queries": np.ascontiguousarray(data["queries"], dtype=np.float32)}


def faiss_search(data: Mapping[str, Any], threads: int) -> Any:
    load("faiss.omp_set_num_threads")(threads)
    return data["index"].search(data["queries"], K)[1]


def faiss(data: Mapping[str, Any], threads: int) -> Any:
    return faiss_search(faiss_index(data, threads), threads)


def fitted(path: str) -> Run:
    def prepare(data: Mapping[str, Any], threads: int) -> dict[str, Any]:
        index = load(path)(n_neighbors=K, algorithm="brute", n_jobs=threads).fit(data["X"])
        return {"index": index, "queries": data["queries"]}

    return prepare


def ask(data: Mapping[str, Any], _threads: int) -> Any:
    return data["index"].kneighbors(data["queries"], return_distance=False)


def fit_and_ask(path: str) -> Run:
    def run(data: Mapping[str, Any], threads: int) -> Any:
        return ask(fitted(path)(data, threads), threads)

    return run


def mean_distance(answer: Any, arrays: Arrays) -> float:
    """Of up to 500 queries to the rows named for them."""
    some = slice(0, None, max(1, len(arrays["queries"]) // 500))
    queries, rows = arrays["queries"][some].astype(np.float64), np.asarray(answer)[some]
    apart = [np.linalg.norm(arrays["X"][named] - query, axis=1) for query, named in zip(queries, rows, strict=True)]
    return float(np.mean(apart))


SKLEARN, INTELEX = "sklearn.neighbors.NearestNeighbors", "sklearnex.neighbors.NearestNeighbors"
NEAR = Quality("excess of mean distance", mean_distance, bound=1e-5)  # float32 may take the wrong one of two alike
PEERS = (
    Contender("faiss", faiss, package="faiss-cpu", openmp=True, rules=("faiss",)),
    Contender("scikit-learn-intelex", fit_and_ask(INTELEX)),
    Contender("scikit-learn", fit_and_ask(SKLEARN), openmp=True),
)

WORKLOADS = [
    Workload(
        name="brute_pictures_60000x784",
        about="10 nearest of 60,000 x 784 float32 pictures, 10,000 queries, fit + query.",
        data=partial(pictures, rows=60_000, queries=10_000, side=28),
        quick={"rows": 2_000, "queries": 100},
        ours=Contender(OURS, ours),
        peers=PEERS,
        quality=NEAR,
        goal=1.3,
        memory_goal=1.0,
    ),
    Workload(
        name="brute_isotropic_60000x784",
        about="10 nearest of 60,000 x 784 float32 normal numbers, 10,000 queries, fit + query.",
        data=partial(isotropic, rows=60_000, queries=10_000, columns=784, single=True),
        quick={"rows": 2_000, "queries": 100},
        ours=Contender(OURS, ours),
        peers=PEERS,
        quality=NEAR,
        goal=1.3,
        memory_goal=1.0,
    ),
    Workload(
        name="brute_20000x50",
        about="10 nearest of 20,000 x 50 float64 normal numbers, 20,000 queries, fit + query.",
        data=partial(isotropic, rows=20_000, queries=20_000, columns=50, single=False),
        quick={"rows": 2_000, "queries": 100},
        ours=Contender(OURS, ours),
        peers=PEERS,
        quality=NEAR,
        goal=1.3,
    ),
    Workload(
        name="brute_one_query_1000x20",
        about="10 nearest of 1,000 x 20 float64, one query; the index is built before.",
        data=partial(isotropic, rows=1_000, queries=1, columns=20, single=False),
        quick={"rows": 200},
        ours=Contender(OURS, our_search, prepare=our_index),
        peers=(
            Contender("faiss", faiss_search, prepare=faiss_index, package="faiss-cpu", openmp=True, rules=("faiss",)),
            Contender("scikit-learn-intelex", ask, prepare=fitted(INTELEX)),
            Contender("scikit-learn", ask, prepare=fitted(SKLEARN), openmp=True),
        ),
        quality=NEAR,
        goal=1.0,
    ),
]
