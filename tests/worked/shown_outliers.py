"""Where in the workings of outliers each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .answers.outliers import roles
from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("003-lof-six-points")
def six_points(w: Working, e: Example) -> Mapping[str, Any]:
    given: dict[str, Any] = {}
    for name, k in (("three", 3), ("four", 4)):
        kd = [w.value(f"{name}.kd_{i}") for i in range(6)]
        given |= {
            f"k-distance, k={k}": kd,
            f"neighborhood sizes with ties, k={k}": [len(w.value(f"{name}.b_{i}")) for i in range(6)],
            f"local reachability density, k={k}": [w.value(f"{name}.lrd_{i}") for i in range(6)],
            f"LOF, k={k}": [w.value(f"{name}.lof_{i}") for i in range(6)],
            "k-distance circle of the center point (-1.5,-1.5), read off": kd[2],
            "k-distance circle of the far point (2,2), read off": kd[5],
        }
    return given


@reads("003-local-and-global-outliers")
def local_and_global(w: Working, e: Example) -> Mapping[str, Any]:
    n = len(w.value("local.factor"))
    names = {n - 4 + i: f"o{i + 1}" for i in range(4)}
    local = [names.get(int(i), str(i)) for i in np.flatnonzero(w.value("local.outlier"))]
    far = [names.get(int(i), str(i)) for i in np.flatnonzero(w.value("global.outlier"))]
    return {
        "roles in the picture": roles(local, far),
        "flagged by LOF (k=3) above 1.5": local,
        "flagged by the distance rule (r=120, pi=0.02)": far,
        "LOF (k=3) of o1..o4": [w.value(f"local.lof_{i}") for i in range(n - 4, n)],
        "largest LOF (k=3) among the cluster points": float(w.value("local.factor")[:-4].max()),
        "fraction of records within r=120 of o1..o4": w.value("global.shares")[-4:].tolist(),
    }


@reads("003-outlier-and-outlier-region")
def region(w: Working, e: Example) -> Mapping[str, Any]:
    regions = w.value("region").astype(int)
    groups = [np.flatnonzero(regions == g).tolist() for g in range(1, regions.max() + 1)]
    return {
        "labeled in the picture": {
            "outlier": [one[0] for one in groups if len(one) == 1],
            "outlier region": [i for one in groups if len(one) > 1 for i in one],
        },
        "number of other points within r=150": [int(w.value(f"within_{i}")) - 1 for i in range(len(regions))],
        "flagged by the rule count/|D| <= 0.06": np.flatnonzero(w.value("outlier")).tolist(),
    }
