"""Answers by the maps of ``pellucid.preprocessing``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import maps as reference
from pellucid.reference import polynomial

from ..frame import Example, PathName, answers


def quadratic(path: PathName, X: Any, ordered: bool = False) -> Any:
    """The products of each row whose inner product is the square of that of the rows."""
    if path == "reference":
        write = reference.ordered_products if ordered else reference.quadratic
        return np.array([write(row) for row in X])
    from pellucid.preprocessing import QuadraticMap

    return QuadraticMap(ordered=ordered).fit_transform(X)


def similarities(path: PathName, X: Any, landmarks: Any, gamma: float) -> Any:
    if path == "reference":
        return reference.similarities(X, landmarks, gamma)
    from pellucid.preprocessing import RBFLandmarks

    return RBFLandmarks(landmarks=landmarks, gamma=gamma).fit_transform(X)


def how_many(path: PathName, n: int, low: int, high: int, ones: bool) -> int:
    """Distinct products of n columns; none is made."""
    if path == "reference":
        return len(polynomial.products(n, low, high, ones=ones))
    from pellucid.preprocessing import PolynomialFeatures

    return PolynomialFeatures(degree=(low, high), include_bias=ones).fit(np.ones((1, n))).n_output_features_


@answers("002-rbf-similarity-features")
def rbf(example: Example, path: PathName) -> Mapping[str, Any]:
    data, gamma = example.data, example.settings["gamma"]
    landmarks = [[one] for one in data["landmarks"]]
    x, label = np.array(data["nine_point_set"]["x1"]), np.array(data["nine_point_set"]["label"])
    ((x2, x3),) = similarities(path, [[data["x1"]]], landmarks, gamma)
    nine = similarities(path, x[:, None], landmarks, gamma)
    picked = nine[:, 1] > 0.57 - (0.67 / 1.2) * (nine[:, 0] + 0.1)
    square = quadratic(path, x[:, None])[:, 0]
    return {
        "distance of x1 = -1 to the two landmarks": [float(np.sqrt(-np.log(s) / gamma).round(12)) for s in (x2, x3)],
        "x2 = exp(-0.3*1)": x2,
        "x3 = exp(-0.3*4)": x3,
        "x2, x3 to 8 decimals": [x2, x3],
        "the nine transformed points are linearly separable; x3 > 0.57 - (0.67/1.2)*(x2 + 0.1) picks exactly the "
        "positive ones": bool((picked == (label == 1)).all()),
        "after adding x2 = x1^2 any threshold strictly between these values separates the nine points": [
            square[label == 1].max(),
            square[label == 0].min(),
        ],
    } | {
        f"trace: {i}": {"x1": v, "similarity_to_minus_2": row[0], "similarity_to_1": row[1], "label": one}
        for i, (v, row, one) in enumerate(zip(x, nine, label, strict=True), start=1)
    }


@answers("003-polynomial-map-ellipse")
def ellipse(example: Example, path: PathName) -> Mapping[str, Any]:
    phi = quadratic(path, [[1.0, 2.0], [3.0, 4.0]])
    squares = quadratic(path, [[1.0, 0.0], [0.0, 1.0]])  # a column alone: the place of its square in z
    places = squares.argmax(axis=1)
    left = example.data["boundary_in_x"].removesuffix(" = 0")
    in_z = re.sub(r"x(\d)\^2", lambda found: f"z{places[int(found[1]) - 1] + 1}", left)
    factors = [float(factor or 1) for factor in re.findall(r"(\d*) ?x\d\^2", left)]
    constant = float(left.rpartition("- ")[2])
    return {
        "boundary in z": f"{in_z} = 0",
        "half axes of the ellipse": [float(np.sqrt(constant / factor)) for factor in factors],
        "kernel identity: phi(a).phi(b) for a=(1,2), b=(3,4)": float(phi[0] @ phi[1]),
        "phi((1,2))": phi[0],
    }


@answers("004-kernel-trick-inner-product")
def inner_product(example: Example, path: PathName) -> Mapping[str, Any]:
    a, b = ([float(value) for value in example.data[name]] for name in "ab")
    phi_a, phi_b = quadratic(path, [a, b], ordered=True)
    inner = reference.inner(a, b)
    return {
        "a . b": inner,
        "dimension of the ordered degree-2 map of 3 features": len(phi_a),
        "phi(a)": phi_a,
        "phi(b)": phi_b,
        "<phi(a), phi(b)>": float(phi_a @ phi_b),
        "(a . b)^2": inner**2,
        "degree-2 map of 2 features without constant: {x1,x2,x1^2,x2^2,x1x2}, dimension": how_many(
            path, 2, 0, 2, ones=False
        ),
        "10 features, degree 3, 3000 points: number of stored values 10^3 * 3000": 10**3 * 3000,
        "distinct monomials of degree exactly 3 in 10 features": how_many(path, 10, 3, 3, ones=False),
        "distinct monomials of degree <=3 in 10 features, with constant": how_many(path, 10, 0, 3, ones=True),
    }
