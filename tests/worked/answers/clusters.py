"""Answers by clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import k_means as reference

from ..frame import Example, PathName, answers


@answers("003-elbow-method")
def elbow(example: Example, path: PathName) -> Mapping[str, Any]:
    k, distortion = example.data["k"], example.data["distortion_read_off"]
    if path == "reference":
        bend = reference.elbow(k, distortion)
    else:
        from pellucid.cluster import elbow_point

        bend = elbow_point(k, distortion)
    return {
        "chosen number of clusters": bend,
        "k with the largest distance below the chord of the normalized curve": bend,
    }


SIX = {
    "id": "own-two-means",
    "data": {"x": [0, 1, 2, 10, 11, 12], "start": [0, 2]},
    "settings": {},
    "expected": [
        {"what": "centers before each pass", "value": [[0, 2], [0.5, 8.75], [1, 11]], "tolerance": 1e-12},
        {"what": "labels", "value": [0, 0, 0, 1, 1, 1], "tolerance": 0},
        {"what": "total distortion", "value": 4, "tolerance": 1e-12},
        {"what": "average distortion", "value": 2 / 3, "tolerance": 1e-12},
    ],
    "trace": [],
}


@answers("own-two-means", own=SIX)
def two_means(example: Example, path: PathName) -> Mapping[str, Any]:
    """1 is as near to 0 as to 2, and the first wins: means 0.5 and 8.75. Then 2 goes to the first; that is all."""
    X, start = np.array(example.data["x"], dtype=float)[:, None], np.array(example.data["start"], dtype=float)[:, None]
    if path == "reference":
        found = reference.k_means(X, start)
        centers, labels, distortion = [c[:, 0].tolist() for c in found.path], found.labels, found.distortion
        average = distortion / len(X)
    else:
        from pellucid.cluster import KMeans

        model = KMeans(2, init=start, tol=0)
        rows = model.fit_with_history(X)["centers"][1]
        centers = rows[:, 2].reshape(-1, 2).tolist()
        labels, distortion, average = model.labels_, model.inertia_, model.average_distortion_
    return {
        "centers before each pass": centers,
        "labels": [int(one) for one in labels],
        "total distortion": distortion,
        "average distortion": average,
    }
