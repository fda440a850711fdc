"""Where in the workings of components each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("003-pca-projection-five-points")
def five_points(w: Working, e: Example) -> Mapping[str, Any]:
    return {
        "sample variance after projecting on the area axis": w.value("area"),
        "sample variance after projecting on the price axis": w.value("price"),
        "variance along the first principal component": w.value("fit.variance_1"),
        "explained variance ratio": w.value("fit.shares").ravel().tolist(),
        "first principal component (area, price)": w.value("fit.components")[0].tolist(),
        "rotated axis keeps more than either original axis": w.value("best") == 1,
    }
