"""Approximate neighbors: building an index and asking it, each at a recall of 0.95 or more.

100,000 rows and 50,000 queries of 64 columns in single precision, 10 neighbors: rows around 1,000 centers (standard
normal, and rows standard normal around them), and rows without clusters. Every peer is given the settings with which it
is fastest at that recall on these data (see TUNED), ours chooses its own; the recall that is reached is the quality.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

FAISS, HNSWLIB = "faiss-cpu", "hnswlib"
NEIGHBORS = 10
RECALL = 0.95
SAMPLE = 1000  # queries whose true neighbors are known
# Of several numbers of cells, codes, links and search widths, the fastest that reaches the recall: (clusters, none).
# Ours chooses its own.
IVF_FLAT = {"cells": (1000, 316), "probes": (2, 160)}
IVF_PQ = {"cells": (1000, 316), "probes": (2, 200), "codes": (32, 32), "again": (4, 64)}
HNSW = {"links": (16, 16), "build": (100, 100), "search": (20, 640)}
FAISS_HNSW = {**HNSW, "search": (20, 900)}
TUNED = {"ivf_flat": IVF_FLAT, "ivf_pq": IVF_PQ, "hnsw": HNSW, "faiss_hnsw": FAISS_HNSW}


def vectors(rows: int, queries: int, columns: int, centers: int) -> dict[str, NDArray[Any]]:
    """Rows and queries around so many centers, or around none; and the true neighbors of some queries."""
    rng = np.random.default_rng(0)
    middles = rng.standard_normal((centers, columns)) if centers else np.zeros((1, columns))
    X, Q = (
        (middles[rng.integers(len(middles), size=n)] + rng.standard_normal((n, columns))).astype(np.float32)
        for n in (rows, queries)
    )
    chosen = np.linspace(0, queries - 1, min(SAMPLE, queries)).astype(np.int64)
    sizes = (X.astype(np.float64) ** 2).sum(axis=1)
    kth = np.empty(len(chosen))
    for first in range(0, len(chosen), 100):
        q = Q[chosen[first : first + 100]].astype(np.float64)
        squares = sizes - 2 * q @ X.T.astype(np.float64) + (q**2).sum(axis=1)[:, None]
        kth[first : first + len(q)] = np.partition(squares, NEIGHBORS - 1, axis=1)[:, NEIGHBORS - 1]
    return {"X": X, "Q": Q, "chosen": chosen, "kth": kth, "clusters": np.array(centers > 0)}


def missed(answer: Any, arrays: Arrays) -> float:
    """One less the recall: the share of places that did not go to a row as near as the 10th nearest."""
    found = np.asarray(answer)[arrays["chosen"]]
    apart = arrays["Q"][arrays["chosen"]][:, None].astype(np.float64) - arrays["X"][found].astype(np.float64)
    return float(1 - ((apart**2).sum(axis=2) <= arrays["kth"][:, None] * (1 + 1e-6)).mean())


# ------------------------------------------------------------------------------------------------------------- building


def ours(kind: str) -> Run:
    def run(data: Mapping[str, Any], threads: int) -> Any:
        return load(f"pellucid.neighbors.{kind}")(NEIGHBORS, recall=RECALL, n_jobs=threads).fit(data["X"])

    return run


def _of(settings: Mapping[str, tuple[int, int]], data: Mapping[str, Any]) -> dict[str, int]:
    return {name: pair[0 if data["clusters"] else 1] for name, pair in settings.items()}


def faiss_lists(data: Mapping[str, Any], threads: int) -> Any:
    faiss, how = import_module("faiss"), _of(IVF_FLAT, data)
    faiss.omp_set_num_threads(threads)
    index = faiss.index_factory(data["X"].shape[1], f"IVF{_fewer(how['cells'], data)},Flat")
    return _filled(index, data, how["probes"])


def faiss_codes(data: Mapping[str, Any], threads: int) -> Any:
    faiss, how = import_module("faiss"), _of(IVF_PQ, data)
    faiss.omp_set_num_threads(threads)
    name = f"IVF{_fewer(how['cells'], data)},PQ{how['codes']}x4fs,RFlat"
    index = faiss.index_factory(data["X"].shape[1], name)
    index.train(data["X"])
    index.add(data["X"])
    index.k_factor = how["again"]
    import_module("faiss").extract_index_ivf(index).nprobe = how["probes"]
    return index


def _fewer(cells: int, data: Mapping[str, Any]) -> int:
    return min(cells, max(1, len(data["X"]) // 40))


def _filled(index: Any, data: Mapping[str, Any], probes: int) -> Any:
    index.train(data["X"])
    index.add(data["X"])
    index.nprobe = probes
    return index


def faiss_graph(data: Mapping[str, Any], threads: int) -> Any:
    faiss, how = import_module("faiss"), _of(FAISS_HNSW, data)
    faiss.omp_set_num_threads(threads)
    index = faiss.IndexHNSWFlat(data["X"].shape[1], how["links"])
    index.hnsw.efConstruction = how["build"]
    index.add(data["X"])
    index.hnsw.efSearch = how["search"]
    return index


def hnswlib_graph(data: Mapping[str, Any], threads: int) -> Any:
    how = _of(HNSW, data)
    index = load("hnswlib.Index")(space="l2", dim=data["X"].shape[1])
    index.init_index(max_elements=len(data["X"]), M=how["links"], ef_construction=how["build"])
    index.set_num_threads(threads)
    index.add_items(data["X"])
    index.set_ef(how["search"])
    return index


# --------------------------------------------------------------------------------------------------------------- asking


def rows_found(index: Any, data: Mapping[str, Any], threads: int) -> Any:
    """The rows that an index finds."""
    if hasattr(index, "kneighbors"):
        return index.kneighbors(data["Q"], return_distance=False)
    if hasattr(index, "knn_query"):
        return index.knn_query(data["Q"], k=NEIGHBORS, num_threads=threads)[0].astype(np.int64)
    import_module("faiss").omp_set_num_threads(threads)
    return index.search(data["Q"], NEIGHBORS)[1]


def built(build: Run) -> Any:
    """The same data with an index beside them."""

    def prepare(data: Mapping[str, Any], threads: int) -> dict[str, Any]:
        return {**data, "index": build(data, threads)}

    return prepare


def ask(data: Mapping[str, Any], threads: int) -> Any:
    return rows_found(data["index"], data, threads)


def found_by(answer: Any, arrays: Arrays) -> float:
    """What an index that was built misses."""
    return missed(rows_found(answer, arrays, 1), arrays)


PEERS: list[tuple[str, Run, str]] = [
    ("faiss IVF", faiss_lists, FAISS),
    ("faiss IVF-PQ", faiss_codes, FAISS),
    ("faiss HNSW", faiss_graph, FAISS),
    ("hnswlib", hnswlib_graph, HNSWLIB),
]


def workloads(kind: str, short: str, centers: int) -> list[Workload]:
    """Building and asking, beside the peers' indices of all kinds."""
    words = "around 1,000 centers" if centers else "without clusters"
    data = partial(vectors, rows=100_000, queries=50_000, columns=64, centers=centers)
    quick = {"rows": 3_000, "queries": 200, "columns": 64, "centers": min(centers, 20)}
    quality = partial(Quality, "missed", bound=1 - RECALL + 0.005, against_best=False)
    name = f"{short}_{'clusters' if centers else 'even'}"
    build = Workload(
        name=f"approximate_build_{name}",
        about=f"index of 100,000 x 64 float32 {words} that finds 95% of 10 neighbors",
        data=data,
        quick=quick,
        ours=Contender(OURS, ours(kind)),
        peers=tuple(Contender(peer, run, package=package, openmp=package == FAISS) for peer, run, package in PEERS),
        quality=quality(measure=found_by),
        goal=0.5,
    )
    search = Workload(
        name=f"approximate_search_{name}",
        about=f"10 neighbors of 50,000 queries in it, {words}",
        data=data,
        quick=quick,
        ours=Contender(OURS, ask, built(ours(kind))),
        peers=tuple(
            Contender(peer, ask, built(run), package=package, openmp=package == FAISS) for peer, run, package in PEERS
        ),
        quality=quality(measure=missed),
        goal=1 / 1.5,
    )
    return [build, search]


WORKLOADS = [
    *workloads("ListNeighbors", "lists", 1000),
    *workloads("ListNeighbors", "lists", 0),
    *workloads("GraphNeighbors", "graph", 1000),
]
