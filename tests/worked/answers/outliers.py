"""Answers by detectors of outliers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import outliers as reference

from ..frame import Example, PathName, answers


def densities(path: PathName, X: Any, k: int) -> tuple[Any, Any, Any, Any]:
    """k-distances, sizes of neighborhoods, densities and factors."""
    if path == "reference":
        found = reference.local_outlier_factors(X, k)
        return found.k_distance, found.sizes, found.density, found.factor
    from pellucid.outliers import LocalOutlierFactor

    model = LocalOutlierFactor(k, include_equal=True).fit(X)
    density = model.local_reachability_density_
    return model.k_distance_, model.n_neighborhood_, density, -model.negative_outlier_factor_


def counts(path: PathName, X: Any, radius: float, share: float) -> tuple[Any, list[int], list[list[int]]]:
    """Rows near each row, the outliers, and their regions."""
    if path == "reference":
        found = reference.distance_outliers(X, radius, share)
        return reference.near_counts(X, radius), found, reference.regions(X, found, radius)
    from pellucid.outliers import DistanceOutliers

    model = DistanceOutliers(radius, share).fit(X)
    groups = [np.flatnonzero(model.regions_ == g).tolist() for g in range(model.regions_.max() + 1)]
    return model.counts_, np.flatnonzero(model.fit_predict(X) < 0).tolist(), groups


@answers("003-lof-six-points")
def six_points(example: Example, path: PathName) -> Mapping[str, Any]:
    X = np.array(example.data["points"])
    given: dict[str, Any] = {}
    for k in (3, 4):
        kd, sizes, density, factor = densities(path, X, k)
        given |= {
            f"k-distance, k={k}": list(kd),
            f"neighborhood sizes with ties, k={k}": [int(one) for one in sizes],
            f"local reachability density, k={k}": list(density),
            f"LOF, k={k}": list(factor),
            "k-distance circle of the center point (-1.5,-1.5), read off": kd[2],
            "k-distance circle of the far point (2,2), read off": kd[5],
        }
    return given


def roles(local: list[str], everywhere: list[str]) -> dict[str, str]:
    """What each of the four points is: far from everything, odd beside the dense group, or nothing."""
    names = [f"o{i}" for i in range(1, 5)]
    return {
        name: "global outlier" if name in everywhere else "local outlier of C1" if name in local else "no outlier"
        for name in names
    }


@answers("003-local-and-global-outliers")
def local_and_global(example: Example, path: PathName) -> Mapping[str, Any]:
    data, s = example.data, example.settings["derived_settings"]
    X = np.array([*data["C2_sparse"], *data["C1_dense"], *(data[f"o{i}"] for i in range(1, 5))])
    names = {len(X) - 4 + i: f"o{i + 1}" for i in range(4)}
    factor = densities(path, X, s["k"])[3]
    near, far, _ = counts(path, X, s["r"], s["pi"])
    local = [names.get(int(i), str(i)) for i in np.flatnonzero(factor > s["lof_threshold"])]
    everywhere = [names.get(i, str(i)) for i in far]
    return {
        "roles in the picture": roles(local, everywhere),
        "flagged by LOF (k=3) above 1.5": local,
        "flagged by the distance rule (r=120, pi=0.02)": everywhere,
        "LOF (k=3) of o1..o4": list(factor[-4:]),
        "largest LOF (k=3) among the cluster points": max(factor[:-4]),
        "fraction of records within r=120 of o1..o4": [int(one) / len(X) for one in near[-4:]],
    }


@answers("003-outlier-and-outlier-region")
def region(example: Example, path: PathName) -> Mapping[str, Any]:
    s = example.settings["derived_settings"]
    near, flagged, groups = counts(path, np.array(example.data["points"]), s["r"], s["pi"])
    return {
        "labeled in the picture": {
            "outlier": [one[0] for one in groups if len(one) == 1],
            "outlier region": [i for one in groups if len(one) > 1 for i in one],
        },
        "number of other points within r=150": [int(one) for one in near],
        "flagged by the rule count/|D| <= 0.06": flagged,
    }
