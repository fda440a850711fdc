"""Where in the workings of support vector machines each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-svm-subgradient")
def subgradient(w: Working, e: Example) -> Mapping[str, Any]:
    y = np.array(e.data["Y"])
    B = np.column_stack([w.value("theta_1"), w.value("theta_2")])
    output = w.value("score") * np.tile(y, e.settings["epochs"])
    steps = {
        f"trace: {t + 1}": {
            "t": t + 1,
            "row": t + 1,
            "output": float(output[t].round(8)),
            "support_vector": bool(output[t] < 1),
            **{f"B{j + 1}": float(B[t, j].round(9)) for j in range(2)},
        }
        for t in range(2)
    }
    scores, said = w.value("fitted"), np.where(w.value("side") > 0, 1, -1)
    return {
        **{f"output at t={t + 1}": output[t] for t in range(2)},
        **{f"B{j + 1} after t={t + 1}": B[t, j] for t in range(2) for j in range(2)},
        "B1 after 160 updates": w.value("coef_1"),
        "B2 after 160 updates": w.value("coef_2"),
        "raw output per training row": scores,
        "crisp predictions": said,
        "training accuracy in percent": round(100 * float(np.mean(said == y))),
        **steps,
    }


@reads("002-linear-svc-iris-virginica")
def virginica(w: Working, e: Example) -> Mapping[str, Any]:
    names = ("mean_length", "mean_width", "deviation_length", "deviation_width")
    return {
        "predicted class for length 5.5 cm, width 1.7 cm": [w.value("new_class")],
        "decision value there": w.value("new_score"),
        "weights on the scaled features and bias": [w.value(name) for name in ("w_1", "w_2", "intercept")],
        "optimal objective (primal = dual)": w.value("objective"),
        "training errors": int(w.value("errors")),
        "feature means and standard deviations used for scaling": [w.value(name) for name in names],
        "trace: instances inside the street or misclassified (margin violations)": int(w.value("violations")),
        'trace: equivalent alpha for SGDClassifier(loss="hinge"), 1/(m*C)': w.value("alpha"),
    }


@reads("003-hessian-normal-form")
def normal_form(w: Working, e: Example) -> Mapping[str, Any]:
    a, c, b = (w.value(name) for name in ("w_1", "w_2", "intercept"))
    return {
        "unit normal": [w.value("n_1"), w.value("n_2")],
        "length of (2,3)": w.value("length"),
        "d = -n.x0": w.value("d"),
        "implicit equation": f"{a:.0f}x + {c:.0f}y - {-b:.0f} = 0",
        "signed distance of the point (2,1), which the picture draws on the line": w.value("distance"),
    }


def _line(w: Working, name: str) -> str:
    assert abs(w.value("slope") - 1) < 1e-6
    offset = w.value(f"offset_{name}")
    return f"x2 = x1 {'+' if offset >= 0 else '-'} {abs(offset):.0f}"


@reads("003-svm-hard-margin")
def hard_margin(w: Working, e: Example) -> Mapping[str, Any]:
    X = np.vstack([e.data["class_plus"], e.data["class_minus"]])
    edge, t = np.abs(np.abs(w.value("score")) - 1) < 1e-6, w.value("t_row")
    return {
        "support vectors of class plus": X[edge & (t > 0)],
        "support vectors of class minus": X[edge & (t < 0)],
        "w": [w.value("w_1"), w.value("w_2")],
        "b": w.value("intercept"),
        "margin 2/||w||": w.value("margin"),
        "distance of the line from the origin b/||w||": w.value("origin"),
        "decision line": _line(w, "middle"),
        "margin lines": [_line(w, "plus"), _line(w, "minus")],
    }


@reads("003-svm-soft-margin-slack")
def soft_margin(w: Working, e: Example) -> Mapping[str, Any]:
    names = list(e.data["points"])
    return {
        "[point, f(x), slack]": [[name, w.value(f"f_{name}"), w.value(f"z_{name}")] for name in names],
        "only x_i is on the wrong side (slack > 1)": [name for name in names if w.value(f"z_{name}") > 1],
    }
