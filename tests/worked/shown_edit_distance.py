"""Where in the workings of distances each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-euclidean-distance")
def two_rows(w: Working, e: Example) -> Mapping[str, Any]:
    first, second = w.value("square")
    return {
        "squared difference 1": first,
        "squared difference 2": second,
        "sum of squared differences": w.value("sum"),
        "distance": w.value("distance"),
    }


@reads("003-euclidean-distance")
def two_cars(w: Working, e: Example) -> Mapping[str, Any]:
    lines = {"differences": "difference", "squares": "square", "sum": "sum", "root": "distance"}
    return {"distance": w.value("distance"), "trace: 1": {name: w.value(cell) for name, cell in lines.items()}}


@reads("000-inner-product")
def inner_product(w: Working, e: Example) -> Mapping[str, Any]:
    return {"inner product": w.value("inner_product")}


@reads("003-scalar-product")
def scalar_product(w: Working, e: Example) -> Mapping[str, Any]:
    return {"a.b": w.value("inner_product")}


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
