"""Discretization: bins of dense tables by width, frequency and clusters, as numbers and as zeros and ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load


def skewed(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Columns from symmetric to skewed."""
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, columns))
    X[:, ::2] = np.exp(X[:, ::2] / 2)
    return {"X": X}


def make(path: str, settings: dict[str, Any], threads: str | None = None) -> Run:
    """Fits the discretizer at ``path`` and bins the same table."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        return load(path)(random_state=0, **settings, **chosen).fit_transform(data["X"])

    return run


def wrong(strategy: str, k: int, encode: str) -> Any:
    """Share of the values of a few columns whose bin is another than that of the definition on all rows."""

    def measure(answer: Any, arrays: Arrays) -> float:
        X = arrays["X"][:, ::7]
        shares = np.linspace(0, 1, k + 1)[1:-1]
        if strategy == "uniform":
            cuts = X.min(axis=0) + shares[:, None] * (X.max(axis=0) - X.min(axis=0))
        else:
            cuts = np.quantile(X, shares, axis=0)
        wanted = sum((cut <= X).astype(int) for cut in cuts)
        found = np.asarray(answer)[:, ::7] if encode == "ordinal" else (answer.indices.reshape(len(X), -1) % k)[:, ::7]
        return float(np.mean(found != wanted))

    return measure


def workload(strategy: str, encode: str, rows: int, columns: int, k: int, subsample: int | None) -> Workload:
    settings = {"n_bins": k, "strategy": strategy, "encode": encode, "subsample": subsample}
    drawn = "all rows" if subsample is None else f"{subsample:,} rows drawn"
    return Workload(
        name=f"kbins_{strategy}_{encode}_{rows}x{columns}_{k}",
        about=f"KBinsDiscretizer: {k} bins of {rows:,} x {columns}, {strategy}, {encode}, edges from {drawn}.",
        data=partial(skewed, rows=rows, columns=columns),
        quick={"rows": 1_000},
        ours=Contender(OURS, make("pellucid.preprocessing.KBinsDiscretizer", settings, "n_jobs")),
        peers=(Contender("scikit-learn", make("sklearn.preprocessing.KBinsDiscretizer", settings)),),
        quality=Quality("other bins", wrong(strategy, k, encode), bound=0.02, against_best=False),
        goal=1.0,
    )


WORKLOADS = [
    workload("quantile", "ordinal", 1_000_000, 20, 5, 200_000),
    workload("quantile", "onehot", 500_000, 20, 5, 200_000),
    workload("quantile", "ordinal", 200_000, 20, 64, None),
    workload("uniform", "ordinal", 1_000_000, 20, 10, None),
]
