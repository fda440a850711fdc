"""k-means: fit from the same centers, and with each one's own start, beside scikit-learn's.

The quality is the distortion per row: from the same centers everybody ends at the same one.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SKLEARN = "scikit-learn"


def groups(rows: int, columns: int, centers: int) -> dict[str, NDArray[Any]]:
    """Rows around centers that overlap a little, in C order."""
    rng = np.random.default_rng(0)
    middle = 2 * rng.standard_normal((centers, columns))
    return {"X": middle[rng.integers(0, centers, rows)] + rng.standard_normal((rows, columns))}


def fit(path: str, k: int, given: bool, **settings: Any) -> Run:
    """One run, from the first k rows or from a start of its own."""

    def run(data: Any, _threads: int) -> Any:
        start = {"init": data["X"][:k]} if given else {"random_state": 0}
        return load(path)(n_clusters=k, n_init=1, **start, **settings).fit(data["X"]).inertia_

    return run


def per_row(answer: Any, arrays: Arrays) -> float:
    """Distortion over the number of rows."""
    return float(answer) / len(arrays["X"])


def workload(rows: int, columns: int, k: int, given: bool) -> Workload:
    ours, theirs = "pellucid.cluster.KMeans", "sklearn.cluster.KMeans"
    settings: dict[str, Any] = {"tol": 0.0, "max_iter": 30} if given else {}
    start = "from the same centers, 30 passes" if given else "k-means++"
    return Workload(
        name=f"k_means_{rows}x{columns}_{k}{'' if given else '_seeded'}",
        about=f"k-means of {k} centers, {start}, {rows:,} x {columns}, float64, C order.",
        data=partial(groups, rows=rows, columns=columns, centers=k),
        quick={"rows": 3_000, "columns": 8},
        ours=Contender(OURS, fit(ours, k, given, **settings)),
        peers=(
            Contender(f"{SKLEARN} lloyd", fit(theirs, k, given, algorithm="lloyd", **settings)),
            Contender(f"{SKLEARN} elkan", fit(theirs, k, given, algorithm="elkan", **settings)),
        ),
        # From its own start each ends elsewhere.
        quality=Quality("distortion per row", per_row, bound=1e-6 if given else 0.1, higher_is_better=False),
        goal=2.0,
    )


WORKLOADS = [
    workload(500_000, 20, 10, True),
    workload(200_000, 50, 100, True),
    workload(200_000, 50, 100, False),
]
