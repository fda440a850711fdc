"""Where in the workings of ridge regression each figure of its examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, pair, reads

__all__ = ["READINGS"]


@reads("002-ridge-closed-form")
def closed_form(w: Working, e: Example) -> Mapping[str, Any]:
    alphas = (0, 1, 10, 100)
    thetas = {alpha: pair(w, f"alpha_{alpha}.intercept", f"alpha_{alpha}.slope") for alpha in alphas}
    at = {alpha: w.value(f"alpha_{alpha}_at.score_0") for alpha in alphas}
    trace = {
        f"trace: {k}": {"alpha": alpha, "theta": thetas[alpha], "prediction_at_1_5": at[alpha]}
        for k, alpha in enumerate(alphas, start=1)
    }
    return {
        "prediction at x1 = 1.5": [[at[1]]],
        "theta (intercept, slope)": thetas[1],
        "alpha = 0 gives plain least squares: prediction at 1.5": at[0],
        "alpha -> infinity gives the flat line at the mean of y": w.value("flat"),
        "same alpha = 1 read as in MSE + alpha/2 ||w||^2: prediction at 1.5": w.value("mean_cost_at.score_0"),
        **trace,
    }
