"""Outliers: detectors fitted to the same rows, beside scikit-learn's.

The quality is how well the scores part rows that were put far off from the others (area under the curve).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SKLEARN = "scikit-learn"


def crowd(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Two groups, one dense and one sparse, and one row in a hundred far from both."""
    rng = np.random.default_rng(0)
    wide = rng.random(rows) < 0.5
    X = np.where(wide[:, None], 2.0, 0.5) * rng.standard_normal((rows, columns)) + 6 * wide[:, None]
    odd = rng.random(rows) < 0.01
    X[odd] += 8 * rng.standard_normal((int(odd.sum()), columns))
    return {"X": X, "odd": odd}


def factors(path: str) -> Run:
    """Local outlier factors of the rows."""

    def run(data: Any, _threads: int) -> Any:
        return load(path)(n_neighbors=20, n_jobs=-1).fit(data["X"]).negative_outlier_factor_

    return run


def isolation(path: str) -> Run:
    """Scores of an isolation forest, fitted and asked."""

    def run(data: Any, _threads: int) -> Any:
        return load(path)(random_state=0, n_jobs=-1).fit(data["X"]).score_samples(data["X"])

    return run


def parted(answer: Any, arrays: Arrays) -> float:
    """The chance that a row put far off scores below another one."""
    order = np.argsort(np.argsort(-np.asarray(answer)))
    odd = np.asarray(arrays["odd"], dtype=bool)
    ranks = order[odd].astype(np.float64)
    m, n = int(odd.sum()), len(odd)
    return float(ranks.sum()) / (m * n) if m else 1.0


WORKLOADS = [
    Workload(
        name=f"local_outlier_factor_{rows}x{columns}",
        about=f"Local outlier factors, 20 neighbors, {rows:,} x {columns}, float64, C order.",
        data=partial(crowd, rows=rows, columns=columns),
        quick={"rows": 2_000},
        ours=Contender(OURS, factors("pellucid.outliers.LocalOutlierFactor")),
        peers=(Contender(SKLEARN, factors("sklearn.neighbors.LocalOutlierFactor")),),
        quality=Quality("share of pairs in order", parted, bound=1e-3, higher_is_better=True),
        goal=2.0,
    )
    for rows, columns in ((100_000, 4), (30_000, 30))
] + [
    Workload(
        name="isolation_forest_200000x20",
        about="Isolation forest of 100 trees, fit and scores, 200,000 x 20, float64, C order.",
        data=partial(crowd, rows=200_000, columns=20),
        quick={"rows": 3_000, "columns": 6},
        ours=Contender(OURS, isolation("pellucid.outliers.IsolationForest")),
        peers=(Contender(SKLEARN, isolation("sklearn.ensemble.IsolationForest")),),
        quality=Quality("share of pairs in order", parted, bound=0.02, higher_is_better=True),
        goal=2.0,
    )
]
