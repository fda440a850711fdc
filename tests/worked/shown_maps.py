"""Where in the workings of maps each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, pair, reads

__all__ = ["READINGS"]


@reads("002-rbf-similarity-features")
def rbf(w: Working, e: Example) -> Mapping[str, Any]:
    x2, x3 = w.value("one.z_1")[0], w.value("one.z_2")[0]
    nine = zip(w.value("nine.x_1"), w.value("nine.z_1"), w.value("nine.z_2"), w.value("label"), strict=True)
    return {
        "distance of x1 = -1 to the two landmarks": pair(w, "apart_1", "apart_2"),
        "x2 = exp(-0.3*1)": x2,
        "x3 = exp(-0.3*4)": x3,
        "x2, x3 to 8 decimals": [x2, x3],
        "the nine transformed points are linearly separable; x3 > 0.57 - (0.67/1.2)*(x2 + 0.1) picks exactly the "
        "positive ones": w.value("wrong") == 0,
        "after adding x2 = x1^2 any threshold strictly between these values separates the nine points": pair(
            w, "inner", "outer"
        ),
    } | {
        f"trace: {i}": {"x1": x, "similarity_to_minus_2": a, "similarity_to_1": b, "label": label}
        for i, (x, a, b, label) in enumerate(nine, start=1)
    }


@reads("003-polynomial-map-ellipse")
def ellipse(w: Working, e: Example) -> Mapping[str, Any]:
    labels = [w.cells[f"z_{k}"].label for k in (1, 2, 3)]
    first, second = (labels.index(f"x{j}^2") + 1 for j in (1, 2))
    factor, constant = (int(w.value(name)) for name in ("factor_2", "constant"))
    return {
        "boundary in z": f"z{first} + {factor} z{second} - {constant} = 0",
        "half axes of the ellipse": pair(w, "axis_1", "axis_2"),
        "kernel identity: phi(a).phi(b) for a=(1,2), b=(3,4)": w.value("of_phi"),
        "phi((1,2))": [w.value(f"z_{k}")[0] for k in (1, 2, 3)],
    }


@reads("004-kernel-trick-inner-product")
def inner_product(w: Working, e: Example) -> Mapping[str, Any]:
    phi_a, phi_b = ([w.value(f"phi.z_{k}")[row] for k in range(1, 10)] for row in (0, 1))
    return {
        "a . b": w.value("of_x"),
        "dimension of the ordered degree-2 map of 3 features": w.value("fit.products"),
        "phi(a)": phi_a,
        "phi(b)": phi_b,
        "<phi(a), phi(b)>": w.value("of_phi"),
        "(a . b)^2": w.value("square"),
        "degree-2 map of 2 features without constant: {x1,x2,x1^2,x2^2,x1x2}, dimension": w.value("plain.count"),
        "10 features, degree 3, 3000 points: number of stored values 10^3 * 3000": w.value("stored"),
        "distinct monomials of degree exactly 3 in 10 features": w.value("third.count"),
        "distinct monomials of degree <=3 in 10 features, with constant": w.value("upto.count"),
    }
