"""Where in the working of the discriminants each figure stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-lda-univariate")
def univariate(w: Working, e: Example) -> Mapping[str, Any]:
    means, priors, squares = (w.value(f"fit.{name}")[:, 0] for name in ("means", "prior", "squares"))
    D, said = [w.value("fit.D_1"), w.value("fit.D_2")], [int(label) for label in w.value("fit.predicted")]
    return {
        "mean of X in class 0": means[0],
        "mean of X in class 1": means[1],
        "prior of class 0": priors[0],
        "prior of class 1": priors[1],
        "sum of squared deviations, class 0": squares[0],
        "sum of squared deviations, class 1": squares[1],
        "pooled variance": w.value("fit.variance"),
        "discriminant of class 0 for the first instance": w.value("new.D_0")[0],
        "discriminant of class 1 for the first instance": w.value("new.D_0")[1],
        "discriminant of class 0 for every instance": D[0],
        "discriminant of class 1 for every instance": D[1],
        "predictions": said,
        "training accuracy in percent": w.value("accuracy"),
        "trace: discriminant, first instance": {
            "step": "discriminant, first instance",
            "x": float(w.value("new.x_0")[0]),
            "D0": round(float(w.value("new.D_0")[0]), 7),
            "D1": round(float(w.value("new.D_0")[1]), 7),
            "prediction": int(w.value("new.class_0")),
        },
    }
