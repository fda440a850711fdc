"""Where in the workings of the lasso and the elastic net each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, pair, reads

__all__ = ["READINGS"]


@reads("002-lasso-small-line")
def lasso_line(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "prediction at x1 = 1.5": [w.value("prediction")],
        "intercept and slope": pair(w, "half.intercept", "half.slope"),
        "alpha = 0.1 read as in MSE + alpha ||w||_1: prediction at 1.5": w.value("prediction_whole"),
        "MSE + alpha ||w||_1 with alpha = 0.2 equals the library result for alpha = 0.1": w.value("prediction_double"),
        "trace: centered x.y / m": w.value("half.first_rho_1"),
        "trace: centered x.x / m": w.value("half.q_1"),
        "trace: soft threshold: (x.y/m - alpha)/(x.x/m)": w.value("half.first_1"),
    }


@reads("002-elastic-net-small-line")
def elastic_net_line(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "prediction at x1 = 1.5": [w.value("prediction_half")],
        "intercept and slope": pair(w, "half.intercept", "half.slope"),
        "alpha = 0.1 read as the weight beside the MSE instead of half of it: prediction at 1.5": w.value(
            "prediction_whole"
        ),
        "r = 1 equals Lasso with the same alpha: prediction at 1.5": w.value("prediction_lasso"),
        "r = 0 equals Ridge; in library scaling Ridge alpha = m * elastic-net alpha: prediction at 1.5": w.value(
            "prediction_ridge"
        ),
    }


@reads("002-lasso-versus-ridge-geometry")
def geometry(w: Working, e: Example) -> Mapping[str, Any]:
    bounces = int(w.value("walk_bounces"))
    figures: dict[str, Any] = {
        "unregularized minimum": w.value("free")[:, 0],
        "Lasso minimum, alpha = 0.5: theta_2 is exactly zero": w.value("lasso.coef_2"),
        "Lasso minimum, theta_1": w.value("lasso.coef_1"),
        "Ridge minimum: nearer to the origin than the unregularized one, no weight zero": pair(
            w, "ridge.coef_1", "ridge.coef_2"
        ),
        "penalty-only path reaches theta_1 = 0 before theta_2 = 0": bool(w.value("sooner")),
        "Lasso path with a fixed rate keeps bouncing across theta_2 = 0 (sign changes of theta_2 in 50 steps, "
        "more than)": bounces,
    }
    walks = {"data term only": "data", "Lasso, alpha = 0.5": "walk", "L1 penalty only": "size", "Ridge": "squares"}
    for number, (name, part) in enumerate(walks.items(), start=1):
        theta = np.column_stack([w.value(f"{part}.theta_1"), w.value(f"{part}.theta_2")])
        figures[f"trace: {number}"] = {"path": name, "theta": np.vstack([e.settings["start"], theta])}
    figures["trace: 2"]["sign_changes_of_theta_2"] = bounces
    return figures


@reads("002-lasso-degree10-sparsity")
def degree_ten(w: Working, e: Example) -> Mapping[str, Any]:
    def degrees(part: str) -> list[int]:
        return (np.flatnonzero(w.value(f"{part}.coef")) + 1).tolist()

    steps: list[dict[str, Any]] = []
    used = {int(w.value("first"))}
    for alpha, degree, joins in zip(
        w.value("event_alpha"), w.value("event_degree").astype(int).tolist(), w.value("event_joins"), strict=True
    ):
        what = "add" if joins > 0 else "drop"
        steps.append({"alpha": alpha, "event": what, "degree": degree, "support_before": sorted(used)})
        used ^= {degree}
    smallest = e.settings["alpha_in_source"]
    steps.append({"alpha": smallest, "event": "end", "degree": None, "support_before": sorted(used)})
    return {
        f"degrees with a non-zero weight, alpha = {alpha:g}": degrees(f"alpha_{alpha:g}")
        for alpha in (0.001, 0.01, 0.1, 1)
    } | {
        "degrees with a non-zero weight at the exact optimum for alpha = 1e-7": degrees("alpha_1e-07"),
        "smallest alpha with all weights zero": w.value("largest"),
        "weights at the exact optimum for alpha = 1e-7 (degrees 1..10)": w.value("alpha_1e-07.coef"),
        "non-zero weights after 1000 cyclic coordinate-descent sweeps from zero at alpha = 1e-7 (not converged)": int(
            w.value("plain_used")
        ),
        "trace: breakpoints of the path: at each alpha a degree joins or leaves": steps,
        "trace: weights after 1000 coordinate-descent sweeps at alpha = 1e-7": w.value("plain.coef"),
    }
