"""Where in the workings of ensembles each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-bagging-vote")
def vote(w: Working, e: Example) -> Mapping[str, Any]:
    return {"ensemble prediction": str(w.value("prediction_row0"))}


@reads("000-bagged-decision-stumps")
def three_stumps(w: Working, e: Example) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for t in (1, 2, 3):
        found[f"groups of model {t}"] = [str(side) for side in w.value(f"group{t}")]
        found[f"predictions of model {t}"] = w.value(f"p{t}").tolist()
        found[f"errors of model {t}"] = w.value(f"error{t}").tolist()
        found[f"accuracy of model {t} in percent"] = w.value(f"accuracy{t}")
    found["ensemble predictions"] = w.value("prediction").tolist()
    found["ensemble accuracy in percent"] = w.value("accuracy")
    for i, y in enumerate(e.data["Y"]):
        found[f"trace: {i + 1}"] = {
            "row": i + 1,
            "votes": [int(w.value(f"p{t}")[i]) for t in (1, 2, 3)],
            "prediction": int(w.value("prediction")[i]),
            "Y": y,
        }
    return found


@reads("004-bootstrap-oob-fractions")
def left_out_shares(w: Working, e: Example) -> Mapping[str, Any]:
    out, columns = w.value("out"), w.value("looked_at")
    return {
        "expected share of distinct rows (n large)": w.value("limit"),
        "out-of-bag share": w.value("outside"),
        "out-of-bag rows of the toy": [row for row, outside in zip(e.data["rows"], out, strict=True) if outside],
        "features per split for d=4": int(columns[0]),
        "features per split for d=8 (rounded)": int(columns[1]),
        "exact expected distinct share for n=4: 1-(1-1/4)^4": w.value("inside"),
        "distinct share stated in the caption of a picture": w.value("limit"),
    }
