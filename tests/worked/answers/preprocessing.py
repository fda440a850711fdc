"""Answers by ``pellucid.preprocessing``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import polynomial as reference

from ..frame import Example, PathName, answers


def expansion(path: PathName, X: Any, low: int, high: int, ones: bool = True) -> tuple[Any, list[list[int]]]:
    """The products of each row, and the exponents of each product."""
    X = np.asarray(X, dtype=float)
    if path == "reference":
        listed = reference.products(X.shape[1], low, high, ones=ones)
        return reference.expand(X, low, high, ones=ones), [reference.powers(p, X.shape[1]) for p in listed]
    from pellucid.preprocessing import PolynomialFeatures

    poly = PolynomialFeatures(degree=(low, high), include_bias=ones)
    return poly.fit_transform(X), poly.powers_.tolist()


def names(path: PathName, columns: list[str], degree: int, ones: bool = True) -> list[str]:
    """The products in words."""
    if path == "reference":
        listed = reference.products(len(columns), 0, degree, ones=ones)
        return [reference.name(product, columns) for product in listed]
    from pellucid.preprocessing import PolynomialFeatures

    poly = PolynomialFeatures(degree=degree, include_bias=ones).fit(np.ones((1, len(columns))))
    return list(poly.get_feature_names_out(columns))


def how_many(path: PathName, n: int, degree: int) -> int:
    """Columns that come out, the constant included; none is made."""
    if path == "reference":
        return reference.count(n, degree)
    from pellucid.preprocessing import PolynomialFeatures

    return PolynomialFeatures(degree=degree).fit(np.ones((1, n))).n_output_features_


@answers("002-polynomial-feature-terms")
def feature_terms(example: Example, path: PathName) -> Mapping[str, Any]:
    columns, degree = example.data["features"], example.settings["degree"]
    listed = names(path, columns, degree, example.settings["include_bias"])
    added = [name for name in listed if name not in ("1", *columns)]
    figures: dict[str, Any] = {
        "pure powers added": [name for column in columns for name in added if re.fullmatch(rf"{column}\^\d+", name)],
        "mixed terms added": [name for name in added if " " in name],
        "number of output columns (n+d)!/(d! n!) with n=2, d=3": how_many(path, len(columns), degree),
        "columns in library order": listed,
        "number of output columns without the bias column": len(names(path, columns, degree, ones=False)),
    }
    for figure in example.figures:
        if figure.is_trace:
            n, d = figure.value["n"], figure.value["d"]
            figures[figure.name] = {"n": n, "d": d, "columns": how_many(path, n, d)}
    return figures
