"""Where in the working of the KD-tree each figure of its example stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Cell, Working

from .answers.kd_tree import told
from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]

NAMES = {"x1": 0, "x2": 1}


@reads("004-kd-tree-eleven-points")
def eleven_points(w: Working, e: Example) -> Mapping[str, Any]:
    points = np.asarray(e.data["points"], dtype=np.float64)
    found = told(_node(w, "root", list(range(len(points)))), points)
    found["right segment y median in the usual sense"] = w.value("build.R.usual")
    found["three nearest to (5,5) by brute force: distances"] = [w.value(f"search.nearest_{j}") for j in (1, 2, 3)]
    (step,) = [step for step in w.steps if step.title.endswith("Nearest")]
    first = int(step.sentence.split(": rows ")[1].split(",")[0])
    found["nearest to (5,5)"] = points[first - 1].tolist()
    return found


def _node(w: Working, name: str, rows: list[int]) -> dict[str, Any]:
    """A node as its step tells it; one without a step is a leaf."""
    if f"build.{name}.m" not in w.cells:
        return {"rows": rows}
    (step,) = [step for step in w.steps if w.cells[f"build.{name}.m"] in step.cells]
    right = w.cells[f"build.{name}.right"]
    assert isinstance(right, Cell)
    assert right.axis is not None
    assert [row - 1 for row in right.axis.labels] == rows
    sides = {
        side: [row for row, goes in zip(rows, np.asarray(right.value), strict=True) if goes == number]
        for side, number in (("left", 0), ("right", 1))
    }
    below = "" if name == "root" else name
    return {
        "axis": NAMES[step.title.rsplit(": ", 1)[1]],
        "threshold": w.value(f"build.{name}.m"),
        "skipped": int("skipped" in step.sentence),
        "rows": rows,
        "left": _node(w, f"{below}L", sides["left"]),
        "right": _node(w, f"{below}R", sides["right"]),
    }
