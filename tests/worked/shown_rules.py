"""Where in the workings of rules each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .answers.rules import CUSTOMERS
from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-decision-tree-rules-height-weight")
def height_and_weight(w: Working, e: Example) -> Mapping[str, Any]:
    fired = [float(w.value(f"query.fires_{k}")[0]) for k in (1, 2, 3)]
    label = str(w.value("query.prediction")[0])
    # The first rule asks for the height alone; the second fails by the weight where the height is as it asks.
    return {
        "prediction for height 160, weight 65": label,
        "number of leaves / rules": int(w.value("leaves")),
        "trace: 1": {"test": "Height > 180", "answer": "Yes" if fired[0] else "No"},
        "trace: 2": {"test": "Weight > 80", "answer": "Yes" if fired[1] else "No"},
        "trace: 3": {"leaf": label},
    }


@reads("003-decision-tree-purchase")
def purchase(w: Working, e: Example) -> Mapping[str, Any]:
    said = [str(one) for one in w.value("customers.prediction")]
    return {
        **dict(zip(CUSTOMERS, said, strict=True)),
        "number of leaves": int(w.value("leaves")),
        "depth": int(w.value("depth")),
    }
