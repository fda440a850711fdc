"""Transforms of the shape of columns: places among quantiles and powers, fitted and applied to the same dense table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load
from pellucid.reference import power as reference


def skewed(rows: int, columns: int, positive: bool = False) -> dict[str, NDArray[Any]]:
    """Columns from nearly normal to long-tailed, of several units."""
    random = np.random.default_rng(0)
    X = np.sinh(random.standard_normal((rows, columns)) * np.linspace(0.1, 1.5, columns)) + 0.2
    X *= np.logspace(-1, 1, columns)
    return {"X": np.abs(X) + 0.01 if positive else X}


def fit_transform(path: str, threads: str | None = None, **params: Any) -> Run:
    """Fits the transformer at ``path`` and transforms the same table."""

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        return load(path)(**params, **chosen).fit_transform(data["X"])

    return run


def place_error(output: str) -> Any:
    """Largest error of a few columns, against interpolation in both directions between the quantiles of the sample."""

    def measure(answer: Any, arrays: Arrays) -> float:
        X, shares = arrays["X"], np.linspace(0, 1, min(1000, len(arrays["X"])))
        rows = np.arange(len(X))
        if len(X) > 10_000:
            np.random.RandomState(0).shuffle(rows)
        worst = 0.0
        for j in range(0, X.shape[1], 7):
            q = np.percentile(X[rows[:10_000], j], shares * 100)
            up, down = np.interp(X[:, j], q, shares), -np.interp(-X[:, j], -q[::-1], -shares[::-1])
            wanted = (up + down) / 2
            inside = (X[:, j] > q[0] + 1e-6) & (X[:, j] < q[-1] - 1e-6)
            wanted = np.clip(ndtri(wanted), -5.2, 5.2) if output == "normal" else wanted
            worst = max(worst, float(np.abs(answer[inside, j] - wanted[inside]).max()))
        return worst

    return measure


def power_error(method: str) -> Any:
    """Largest error of a column, against the power that a search by sections finds."""

    def measure(answer: Any, arrays: Arrays) -> float:
        column = arrays["X"][:, arrays["X"].shape[1] // 2]
        power = reference.best_power(column, method, -3, 5)
        wanted = reference.transformed(column, power, method)
        return float(np.max(np.abs(answer[:, arrays["X"].shape[1] // 2] - wanted) / (1 + np.abs(wanted))))

    return measure


def quantile(output: str, rows: int = 1_000_000, columns: int = 20) -> Workload:
    params: dict[str, Any] = {"output_distribution": output, "random_state": 0}
    name = "QuantileTransformer"
    return Workload(
        name=f"quantiles_{output}_{rows}x{columns}",
        about=f"{name}: fit and transform of {rows:,} x {columns}, float64, {output} output.",
        data=partial(skewed, rows=rows, columns=columns),
        quick={"rows": 1_000},
        ours=Contender(OURS, fit_transform(f"pellucid.preprocessing.{name}", "n_jobs", **params)),
        peers=(Contender("scikit-learn", fit_transform(f"sklearn.preprocessing.{name}", **params)),),
        quality=Quality("error", place_error(output), bound=1e-9, against_best=False),
        goal=3.0,
    )


def powers(method: str, rows: int = 200_000, columns: int = 10) -> Workload:
    name = "PowerTransformer"
    return Workload(
        name=f"{method.replace('-', '_')}_{rows}x{columns}",
        about=f"{name}: fit and transform of {rows:,} x {columns}, float64, {method}.",
        data=partial(skewed, rows=rows, columns=columns, positive=method == "box-cox"),
        quick={"rows": 1_000},
        ours=Contender(OURS, fit_transform(f"pellucid.preprocessing.{name}", "n_jobs", method=method)),
        peers=(Contender("scikit-learn", fit_transform(f"sklearn.preprocessing.{name}", method=method)),),
        quality=Quality("error", power_error(method), bound=1e-5, against_best=False),
        goal=3.0,
    )


WORKLOADS = [quantile("uniform"), quantile("normal"), powers("yeo-johnson"), powers("box-cox")]
