"""How regularized discriminant analysis gets its numbers, and how it predicts."""

from __future__ import annotations

from typing import Any

from pellucid.base.errors import count as counted
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr
from pellucid.working.matrix import Block
from pellucid.working.model import Working
from pellucid.working.shown._discriminants import Classes, added, as_found
from pellucid.working.shown._own_bells import discriminants, predictions


@shows("RegularizedDiscriminantAnalysis.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Regularized discriminant analysis: the fit"
    w.intro = "Bells between one common shape (alpha = 1) and shapes of their own (alpha = 0)."
    rows = Classes.read(w, model, data)
    if not rows.is_short:
        columns, classes = counted(len(data.names), "column"), counted(len(model.classes_), "class")
        as_found(rows, f"{columns} and {classes}: covariances and their inverses are not laid out.")
        return
    rows.deviations()
    w.step("Settings", "How far the classes share one shape, and how far each shape is pulled toward a ball.")
    alpha = w.given("alpha", float(model.alpha), symbol=r"\alpha", label="share of the common shape")
    gamma = w.given("gamma", float(model.gamma), symbol=r"\gamma", label="share of the ball")
    w.step("All classes", "Sums of squares and products of the deviations, over all rows.")
    K = len(rows.inside)
    T = rows.scatter("T", "T", "sums of squares and products")
    size: Expr = rows.size - K if model.ddof else rows.size
    w.block("pooled", rows.grid(lambda i, j: T[i, j] / size), symbol="S", label="pooled covariance",
            equals=model.pooled_covariance_, attribute="pooled_covariance_", tolerance=1e-8)  # fmt: skip
    discriminants(rows, [_covariance(rows, k, T, size, alpha, gamma) for k in range(K)])


def _covariance(rows: Classes, k: int, T: Block, size: Expr, alpha: Cell, gamma: Cell) -> Block:
    w, model, mark = rows.w, rows.model, f"_{{{k + 1}}}"
    tie: dict[str, Any] = {"equals": model.covariance_[k], "attribute": f"covariance_[{k}]", "tolerance": 1e-8}
    w.step(f"Class {model.classes_[k]}: covariance", "Its own sums and those of all, in the shares of alpha.")
    own = rows.scatter(f"T_{k + 1}", f"T{mark}", "its own sums", rows.inside[k])
    n: Expr = rows.sizes[k] - 1 if model.ddof else rows.sizes[k]
    below = w.cell(f"divisor_{k + 1}", (1 - alpha) * n + alpha * size, symbol=f"N{mark}", label="divisor")
    ball = model.gamma > 0
    C = w.block(f"between_{k + 1}" if ball else f"covariance_{k + 1}",
                rows.grid(lambda i, j: ((1 - alpha) * own[i, j] + alpha * T[i, j]) / below),
                symbol=f"B{mark}" if ball else f"S{mark}", label="covariance", **({} if ball else tie))  # fmt: skip
    if not ball:
        return C
    p = len(C.rows)
    m = w.cell(f"mean_variance_{k + 1}", added([C[j, j] for j in range(p)]) / p, symbol=f"m{mark}",
               label="mean variance")  # fmt: skip
    return w.block(
        f"covariance_{k + 1}",
        rows.grid(lambda i, j: (1 - gamma) * C[i, j] + gamma * m if i == j else (1 - gamma) * C[i, j]),
        symbol=f"S{mark}",
        label="pulled toward a ball",
        **tie,
    )


@shows("RegularizedDiscriminantAnalysis.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "Regularized discriminant analysis: predictions"
    w.intro = "A discriminant for each class from its bell; the discriminants as probabilities; the largest wins."
    predictions(w, model, data, model.covariance_)
