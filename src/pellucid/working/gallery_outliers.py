"""Worked examples about rows unlike the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.outliers import DistanceOutliers, LocalOutlierFactor
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.model import Working


@example("003-lof-six-points")
def six_points(e: Example) -> Working:
    X = np.array(e.data["points"])
    three, four = (LocalOutlierFactor(k, include_equal=True).fit(X) for k in (3, 4))
    return parts_of(("three", "k = 3", three.show_fit(X)), ("four", "k = 4", four.show_fit(X)))


def all_rows(data: dict[str, Any]) -> Any:
    """The sparse group, the dense one, and the four points o1 to o4."""
    return np.array([*data["C2_sparse"], *data["C1_dense"], *(data[f"o{i}"] for i in range(1, 5))])


@example("003-local-and-global-outliers")
def local_and_global(e: Example) -> Working:
    X, s = all_rows(e.data), e.settings["derived_settings"]
    last = list(range(len(X) - 4, len(X)))
    local = LocalOutlierFactor(s["k"], include_equal=True).fit(X)
    far = DistanceOutliers(s["r"], s["pi"]).fit(X)
    return parts_of(
        ("local", "By local density", local.show_fit(X, rows=last)),
        ("global", "By distance", far.show_fit(X, rows=last)),
    )


@example("003-outlier-and-outlier-region")
def region(e: Example) -> Working:
    X, s = np.array(e.data["points"]), e.settings["derived_settings"]
    return DistanceOutliers(s["r"], s["pi"]).fit(X).show_fit(X)  # type: ignore[no-any-return]
