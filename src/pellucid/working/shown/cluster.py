"""The bend of a curve of distortions."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import shows
from pellucid.working.expression import Axis
from pellucid.working.language import arg_max, lookup
from pellucid.working.model import Working


@shows("cluster.elbow_point")
def elbow_point(w: Working, found: int, k: Any, distortion: Any) -> None:
    w.title = "Where the curve bends"
    w.intro = "Both axes from 0 to 1; the bend lies farthest below the straight line between the ends."
    numbers, J = np.asarray(k, dtype=np.float64), np.asarray(distortion, dtype=np.float64)
    axis = Axis("point", range(1, len(J) + 1), "i", "m")
    w.step("Curve", "The distortion for every number of centers.")
    n = w.given("k", numbers, axis, symbol="k", label="centers")
    d = w.given("distortion", J, axis, symbol="J", label="distortion")
    last = len(J)
    w.step("Axes from 0 to 1", "The line between the ends goes from (0, 1) to (1, 0).")
    x = w.cell("x", (n - lookup(n, 1)) / (lookup(n, last) - lookup(n, 1)), symbol="x", label="share of the centers")
    y = w.cell("y", (d - lookup(d, last)) / (lookup(d, 1) - lookup(d, last)), symbol="y",
               label="share of the distortion")  # fmt: skip
    below = w.cell("below", 1 - x - y, symbol="b", label="how far below the line")
    w.step("Bend", "The first point where that is largest.")
    index = w.cell("place", arg_max(below), symbol="i^*", label="its place")
    w.cell("elbow", lookup(n, index), symbol="k^*", label="centers at the bend", equals=float(found),
           attribute="elbow_point")  # fmt: skip
