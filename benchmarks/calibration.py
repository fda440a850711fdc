"""Isotonic regression, and classifiers with calibrated probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Run, Workload, load


def rising(rows: int) -> dict[str, NDArray[Any]]:
    """A column, a target that rises with it and much noise."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(rows)
    return {"X": x, "y": np.tanh(x) + rng.standard_normal(rows)}


def classes(rows: int, columns: int) -> dict[str, NDArray[Any]]:
    """Gaussian columns and two classes of a linear score with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    return {"X": X, "y": (X[:, 0] + rng.standard_normal(rows) > 0.5).astype(np.int64)}


def isotonic(package: str) -> Run:
    def run(data: Mapping[str, Any], _threads: int) -> Any:
        return load(f"{package}.isotonic.IsotonicRegression")().fit(data["X"], data["y"]).predict(data["X"][:100_000])

    return run


def calibrated(package: str, method: str) -> Run:
    """Around the same model, fitted to few rows: what takes time is the calibration."""

    def run(data: Mapping[str, Any], _threads: int) -> Any:
        inner = load("sklearn.naive_bayes.GaussianNB")().fit(data["X"][:1000], data["y"][:1000])
        frozen = load("sklearn.frozen.FrozenEstimator")(inner)
        model = load(f"{package}.calibration.CalibratedClassifierCV")(frozen, method=method)
        return model.fit(data["X"], data["y"]).predict_proba(data["X"][:10_000])[:, 1]

    return run


def squared(answer: Any, arrays: Arrays) -> float:
    """Mean squared distance from the target."""
    return float(np.mean((np.asarray(answer) - arrays["y"][: len(answer)]) ** 2))


QUALITY = Quality("squared error", squared, bound=1e-6)


def calibration(method: str) -> Workload:
    return Workload(
        name=f"calibrated_{method}_500000x5",
        about=f"{method.capitalize()} calibration of a fitted classifier on 500,000 x 5.",
        data=partial(classes, rows=500_000, columns=5),
        quick={"rows": 5_000},
        ours=Contender(OURS, calibrated("pellucid", method)),
        peers=(Contender("scikit-learn", calibrated("sklearn", method)),),
        quality=QUALITY,
        goal=1.0,
    )


WORKLOADS = [
    Workload(
        name="isotonic_1000000",
        about="Isotonic regression of 1,000,000 rows, and 100,000 predictions.",
        data=partial(rising, rows=1_000_000),
        quick={"rows": 5_000},
        ours=Contender(OURS, isotonic("pellucid")),
        peers=(Contender("scikit-learn", isotonic("sklearn")),),
        quality=QUALITY,
        goal=1.0,
    ),
    calibration("sigmoid"),
    calibration("isotonic"),
]
