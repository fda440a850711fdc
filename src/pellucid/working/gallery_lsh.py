"""Worked example of locality sensitive hashing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pellucid.base.types import Floats
from pellucid.neighbors import LSHNeighbors
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.model import Working

# The example names points and codes but gives no coordinates: these points and lines have the stated codes.
POINTS = {"a": (1, 1), "b": (2, 1), "c": (6, 2), "d": (7, 3), "e": (8, 2), "f": (2, 6), "g": (7, 7), "h": (3, 7)}
LINES = [
    [(1, 0), (0, 1), (-2, 1)],
    [(0, 1), (1, -1), (1, 0)],
    [(1, 0), (0, 1), (2, 1)],
]
OFFSETS = [[3.5, 3.5, 1.5], [1.5, 0.5, 6.5], [2.5, 3.5, 17.5]]
QUERY = [[1.2, 1.2]]


def points(names: Sequence[str]) -> Floats:
    """Coordinates of the example's points."""
    return np.array([POINTS[name] for name in names], dtype=float)


def fitted(names: Sequence[str]) -> LSHNeighbors:
    """The lines of the example's rounds, and its points by bucket."""
    model = LSHNeighbors(2, hyperplanes=np.array(LINES, dtype=float), offsets=np.array(OFFSETS), n_probes=1)
    model.fit(points(names))
    return model


@example("004-lsh-hyperplane-buckets")
def buckets(e: Example) -> Working:
    names = e.data["points"]
    model = fitted(names)
    return parts_of(
        ("fit", "Points", model.show_fit(points(names))), ("query", "Query", model.show_kneighbors(np.array(QUERY)))
    )
