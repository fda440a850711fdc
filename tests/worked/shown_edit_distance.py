"""Where in the workings of edit distances each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("003-levenshtein-substitution-cost-2")
def levenshtein(w: Working, e: Example) -> Mapping[str, Any]:
    pairs = e.data["pairs"]
    found: dict[str, Any] = {f"distance({a}, {b})": w.value(f"{a}.distance") for a, b in pairs}
    for a, b in pairs:
        (sentence,) = [step.sentence for step in w.steps if "Distance" in step.title and f"{a} to {b}:" in step.title]
        found[f"operations {a} to {b}"] = sentence.rstrip(".").split(": ", 1)[1]
    found["same pairs with unit substitution cost"] = [w.value(f"{a}_unit.distance") for a, _ in pairs]
    a, b = pairs[0]
    costs = {name: w.value(f"{a}.{name}") for name in ("delete", "insert")}
    lines = [[costs["insert"] * j for j in range(len(b) + 1)]]
    for i in range(1, len(a) + 1):
        lines.append([costs["delete"] * i, *w.value(f"{a}.D_{i}").tolist()])
    found["trace: 1"] = {"dp_matrix_Hello_Yellow": lines}
    return found
