"""Where in the workings of CHAID, of pruning and of the greedy path each figure stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]

COLUMNS = ("gratitude", "compare", "expecting")


@reads("004-chaid-happiness")
def happiness(w: Working, e: Example) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for j, name in enumerate(COLUMNS, start=1):
        values = sorted(set(e.data[name]))
        for k, state in ((1, "unhappy"), (2, "happy")):
            for i, value in enumerate(values):
                found[f"{name} {value}/{state}: expected count"] = w.value(f"plain.E_{k}_{j}_g")[i]
                found[f"{name} {value}/{state}: chi-square term"] = w.value(f"plain.d_{k}_{j}_g")[i]
        found[f"chi-square {name}"] = w.value(f"plain.chi2_{j}_g")
    p_values = {name: w.value(f"plain.p_{j}_g") for j, name in enumerate(COLUMNS, start=1)}
    best = COLUMNS[int(w.value("plain.best")[1:]) - 1]
    return found | {"best feature (largest chi-square)": best, "p-values (df 1, 1, 2)": p_values}


@reads("004-reduced-error-pruning-toy")
def reduced_error(w: Working, e: Example) -> Mapping[str, Any]:
    gone = [branch for branch in e.settings["order"] if w.value(f"decision_{branch}") == "goes"]
    return {"accepted removals": gone, "final validation accuracy": w.value("best_2")}


@reads("004-majority-leaf-pruning-toy")
def majority(w: Working, e: Example) -> Mapping[str, Any]:
    return {"replacement leaf": w.value("answer")}


@reads("004-greedy-path-toy")
def greedy(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "greedy choice": w.value("greedy"),
        "path totals": [w.value("sum_1"), w.value("sum_2")],
        "shortest path": w.value("shortest"),
    }
