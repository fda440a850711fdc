"""Where in the workings of learning row by row each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-logistic-regression-sgd")
def squared_error_of_probabilities(w: Working, e: Example) -> Mapping[str, Any]:
    b = [w.value(f"theta_{j}") for j in range(3)]
    first = {"prediction": w.value("probability")[0], **{f"B{j}": round(b[j][0], 9) for j in range(3)}}
    last = {f"B{j}": round(w.value(name), 9) for j, name in enumerate(("intercept", "coef_1", "coef_2"))}
    return {
        "first prediction": w.value("probability")[0],
        **{f"B{j} after first update": b[j][0] for j in range(3)},
        "B0 after 10 epochs": w.value("intercept"),
        "B1 after 10 epochs": w.value("coef_1"),
        "B2 after 10 epochs": w.value("coef_2"),
        "predicted probabilities on the training data": w.value("fitted_probability"),
        "crisp predictions": w.value("side").astype(int),
        "training accuracy in percent": int(100 * w.value("accuracy")),
        "which class the probability refers to": f"class {w.cells['fitted_probability'].label.split()[-1]}",
        "trace: update on instance 1": {"step": "update on instance 1", **first},
        "trace: after epoch 10": {"step": "after epoch 10", **last},
    }


@reads("003-perceptron-and")
def logical_and(w: Working, e: Example) -> Mapping[str, Any]:
    theta = _weights(w, "first", e.settings["w_initial"])
    outputs = dict(zip(zip(e.data["x1"], e.data["x2"], strict=True), w.value("first.side").astype(int), strict=True))
    figures: dict[str, Any] = {
        "weights after step 1": theta[1],
        "weights after step 2": theta[2],
        "final weights (w10, w11, w12)": [w.value(f"first.{name}") for name in ("intercept", "coef_1", "coef_2")],
        "final outputs for (1,1),(1,0),(0,1),(0,0)": [outputs[x] for x in ((1, 1), (1, 0), (0, 1), (0, 0))],
        "number of weight changes": int((w.value("first.change") != 0).sum()),
        "weights after each of the first four samples if h(0) = 1 instead": _weights(
            w, "second", e.settings["w_initial"]
        )[1:5],
    }
    net, change = w.value("first.score"), w.value("first.change")
    x = np.column_stack([np.ones(len(net)), w.value("first.x1_row"), w.value("first.x2_row")])
    for t, row in enumerate(e.settings["sample_order"]):
        said, true = int(net[t] > 0), e.data["t"][row]
        figures[f"trace: {t + 1}"] = {
            "w_before": theta[t],
            "x1": int(x[t, 1]),
            "x2": int(x[t, 2]),
            "net": net[t],
            "y": said,
            "t": true,
            "error": true - said,
            "eta_times_error": change[t],
            "delta_w": change[t] * x[t],
            "w_after": theta[t + 1],
        }
    return figures


def _weights(w: Working, part: str, start: list[float]) -> Any:
    columns = [w.value(f"{part}.theta_{j}") for j in range(3)]
    return np.vstack([start, np.column_stack(columns)])
