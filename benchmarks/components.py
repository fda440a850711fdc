"""Principal components: fit and places of the same rows, beside scikit-learn's.

The quality is the share of the variance that the components explain, which is the same for everybody who finds them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load

SKLEARN = "scikit-learn"


def table(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Columns that hang together: a few directions are wide, the others fall off."""
    rng = np.random.default_rng(0)
    mixed = rng.standard_normal((columns, columns)) / (1 + np.arange(columns))[:, None]
    return {"X": rng.standard_normal((rows, columns)) @ mixed + 5}


def fit_transform(path: str, **settings: Any) -> Run:
    """Fit, then the places of the rows of the fit."""

    def run(data: Any, _threads: int) -> Any:
        model = load(path)(**settings).fit(data["X"])
        return model.explained_variance_ratio_.sum(), model.transform(data["X"])

    return run


def explained(answer: Any, _arrays: Arrays) -> float:
    """The share of the variance."""
    return float(answer[0])


def workload(rows: int, columns: int, components: int, goal: float, *solvers: str) -> Workload:
    ours, theirs = "pellucid.decomposition.PCA", "sklearn.decomposition.PCA"
    return Workload(
        name=f"pca_{rows}x{columns}_{components}",
        about=f"{components} principal components, fit and transform, {rows:,} x {columns}, float64, C order.",
        data=partial(table, rows=rows, columns=columns),
        quick={"rows": 3_000, "columns": min(columns, 60)},
        ours=Contender(OURS, fit_transform(ours, n_components=components, random_state=0)),
        peers=tuple(
            Contender(
                f"{SKLEARN} {solver}",
                fit_transform(theirs, n_components=components, svd_solver=solver, random_state=0),
            )
            for solver in solvers
        ),
        quality=Quality("share of the variance", explained, bound=1e-4, higher_is_better=True),
        goal=goal,
    )


WORKLOADS = [
    workload(1_000_000, 30, 10, 1.5, "covariance_eigh", "randomized"),
    workload(100_000, 200, 20, 1.3, "covariance_eigh", "randomized"),
    workload(20_000, 2_000, 10, 1.3, "randomized"),
]
