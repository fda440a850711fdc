"""Encoders: one-hot of whole numbers into a sparse matrix, and numbers of words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load


def whole_numbers(rows: int, columns: int, levels: int) -> dict[str, NDArray[Any]]:
    return {"X": np.random.default_rng(0).integers(0, levels, size=(rows, columns))}


def words(rows: int, columns: int, levels: int) -> dict[str, NDArray[Any]]:
    return {"X": np.array([f"level {k}" for k in range(levels)])[whole_numbers(rows, columns, levels)["X"]]}


def encode(path: str, threads: str | None = None) -> Run:
    """Fits the encoder at ``path`` and encodes its own table."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        return load(path)(**chosen).fit_transform(data["X"])

    return run


def wrong_cells(answer: Any, arrays: Arrays) -> float:
    """Share of cells of the first rows whose category is not the one that sorting finds."""
    X = arrays["X"]
    found = answer[:1000]
    places, before = np.empty((1000, X.shape[1])), 0
    for j in range(X.shape[1]):
        levels = np.unique(X[:, j])
        places[:, j] = before + np.searchsorted(levels, X[:1000, j])
        before += len(levels) if hasattr(answer, "indices") else 0
    return float(np.mean(places != (found.indices.reshape(places.shape) if hasattr(found, "indices") else found)))


def workload(name: str, about: str, data: Any, cls: str, goal: float) -> Workload:
    return Workload(
        name=name,
        about=about,
        data=data,
        quick={"rows": 1_000},
        ours=Contender(OURS, encode(f"pellucid.preprocessing.{cls}", "n_jobs")),
        peers=(Contender("scikit-learn", encode(f"sklearn.preprocessing.{cls}")),),
        quality=Quality("wrong", wrong_cells, bound=0.0, against_best=False),
        goal=goal,
    )


WORKLOADS = [
    workload(
        "one_hot_1000000x10",
        "One-hot of 1,000,000 x 10 whole numbers of 20 levels, fit and transform, into CSR.",
        partial(whole_numbers, rows=1_000_000, columns=10, levels=20),
        "OneHotEncoder",
        goal=3.0,
    ),
    workload(
        "one_hot_200000x5_100000_levels",
        "One-hot of 200,000 x 5 whole numbers of 100,000 levels, fit and transform, into CSR.",
        partial(whole_numbers, rows=200_000, columns=5, levels=100_000),
        "OneHotEncoder",
        goal=3.0,
    ),
    workload(
        "ordinal_words_200000x5",
        "Numbers of 200,000 x 5 words of 50 levels in a text array, fit and transform.",
        partial(words, rows=200_000, columns=5, levels=50),
        "OrdinalEncoder",
        goal=3.0,
    ),
]
