"""Worked examples about distances."""

from __future__ import annotations

from pellucid import metrics
from pellucid.working.entry import show
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.model import Working


@example("000-euclidean-distance")
def two_rows(e: Example) -> Working:
    return show(metrics.euclidean_distance, e.data["a"], e.data["b"])


@example("003-euclidean-distance")
def two_cars(e: Example) -> Working:
    return show(metrics.euclidean_distance, e.data["p"], e.data["q"])


@example("000-inner-product")
@example("003-scalar-product")
def inner_product(e: Example) -> Working:
    return show(metrics.linear_kernel, [e.data["a"]], [e.data["b"]])


@example("003-levenshtein-substitution-cost-2")
def edit_distances(e: Example) -> Working:
    costs = {name: e.settings[f"{name}_cost"] for name in ("insert", "delete", "substitute")}
    pairs = [(a, b) for a, b in e.data["pairs"]]
    dear = [(a, f"{a} to {b}", show(metrics.edit_distance, a, b, **costs)) for a, b in pairs]
    cheap = [(f"{a}_unit", f"{a} to {b}, all costs 1", show(metrics.edit_distance, a, b)) for a, b in pairs]
    return parts_of(*dear, *cheap)
