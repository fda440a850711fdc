"""Answers by principal components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import pca as reference

from ..frame import Example, PathName, answers


def found(path: PathName, X: Any) -> tuple[Any, Any, Any]:
    """Variances, shares and directions of all components."""
    if path == "reference":
        c = reference.components(X)
        return c.variances, c.shares, c.directions
    from pellucid.decomposition import PCA

    model = PCA().fit(X)
    return model.explained_variance_, model.explained_variance_ratio_, model.components_


def along(path: PathName, X: Any, axis: int) -> float:
    """Variance of the projection on one of the table's own axes."""
    if path == "reference":
        return reference.variance_along(X, np.eye(X.shape[1])[axis])
    from pellucid.decomposition import PCA

    return float(PCA().fit(X[:, [axis]]).explained_variance_[0])


@answers("003-pca-projection-five-points")
def five_points(example: Example, path: PathName) -> Mapping[str, Any]:
    X = np.array(example.data["area_price"])
    variances, shares, directions = found(path, X)
    area, price = along(path, X, 0), along(path, X, 1)
    return {
        "sample variance after projecting on the area axis": area,
        "sample variance after projecting on the price axis": price,
        "variance along the first principal component": variances[0],
        "explained variance ratio": list(shares),
        "first principal component (area, price)": list(directions[0]),
        "rotated axis keeps more than either original axis": bool(variances[0] > max(area, price)),
    }
