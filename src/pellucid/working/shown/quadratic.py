"""How quadratic discriminant analysis gets its numbers, and how it predicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.matrix import Block
from pellucid.working.model import Working
from pellucid.working.shown._discriminants import Classes, added, as_found
from pellucid.working.shown._own_bells import discriminants, predictions


def covariances_of(model: Any) -> Floats:
    """Of every class, put together from its axes."""
    pairs = zip(model.rotations_, model.scalings_, strict=True)
    return np.array([rotation * variances @ rotation.T for rotation, variances in pairs])


@shows("QuadraticDiscriminantAnalysis.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Quadratic discriminant analysis: the fit"
    w.intro = (
        f"A bell of its own shape over each of {counted(len(model.priors_), 'class')}: means, covariances, and the "
        "discriminants that say which bell is highest."
    )
    rows = Classes.read(w, model, data)
    if not rows.is_short:
        columns, classes = counted(len(data.names), "column"), counted(len(model.classes_), "class")
        as_found(rows, f"{columns} and {classes}: covariances and their inverses are not laid out.")
        return
    rows.deviations()
    expected = covariances_of(model)
    discriminants(rows, [_covariance(rows, k, expected[k]) for k in range(len(rows.inside))])


def _covariance(rows: Classes, k: int, expected: Floats) -> Block:
    w, model = rows.w, rows.model
    name, mark = str(model.classes_[k]), f"_{{{k + 1}}}"
    tie: dict[str, Any] = {"equals": expected, "attribute": f"rotations_[{k}] and scalings_[{k}]", "tolerance": 1e-8}
    if model.shrinkage == "auto" or model.covariance_estimator is not None:
        who = "Ledoit and Wolf's shrinkage" if model.shrinkage == "auto" else type(model.covariance_estimator).__name__
        w.step(f"Class {name}: covariance", f"By {who}; as found.")
        axis = rows.data.column_axis
        return w.block(f"covariance_{k + 1}", expected, axis, axis, symbol=f"S{mark}", label="covariance, as found")
    below = "its rows less one" if model.ddof else "its rows"
    w.step(f"Class {name}: covariance", f"Sums of squares and products of its deviations, divided by {below}.")
    T = rows.scatter(f"T_{k + 1}", f"T{mark}", "sums of squares and products", rows.inside[k])
    size = rows.sizes[k] - 1 if model.ddof else rows.sizes[k]
    plain = not model.shrinkage and not model.reg_param
    C = w.block(f"own_{k + 1}" if not plain else f"covariance_{k + 1}", rows.grid(lambda i, j: T[i, j] / size),
                symbol=f"S{mark}" if plain else f"B{mark}", label="covariance", **(tie if plain else {}))  # fmt: skip
    if model.shrinkage:
        p, share = len(C.rows), float(model.shrinkage)
        mean = w.cell(f"mean_variance_{k + 1}", added([C[j, j] for j in range(p)]) / p, symbol=f"m{mark}",
                      label="mean variance")  # fmt: skip
        C = _pulled(rows, k, C, share, mean, not model.reg_param, tie, "shrunk")
    return _pulled(rows, k, C, float(model.reg_param), 1, True, tie, "regularized") if model.reg_param else C


def _pulled(rows: Classes, k: int, C: Block, share: float, size: Any, last: bool, tie: Any, how: str) -> Block:
    """``(1 - share) C + share size I``."""
    return rows.w.block(
        f"covariance_{k + 1}" if last else f"{how}_{k + 1}",
        rows.grid(lambda i, j: (1 - share) * C[i, j] + share * size if i == j else (1 - share) * C[i, j]),
        symbol=f"S_{{{k + 1}}}" if last else f"A_{{{k + 1}}}",
        label=f"covariance, {how}",
        **(tie if last else {}),
    )


@shows("QuadraticDiscriminantAnalysis.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Quadratic discriminant analysis: predictions"
    w.intro = "A discriminant for each class from its own bell; the discriminants as probabilities; the largest wins."
    predictions(w, model, data, covariances_of(model))
