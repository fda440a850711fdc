"""Worked examples about groups of rows."""

from __future__ import annotations

from pellucid import cluster
from pellucid.working.entry import show
from pellucid.working.gallery_base import Example, example
from pellucid.working.model import Working


@example("003-elbow-method")
def elbow(e: Example) -> Working:
    return show(cluster.elbow_point, e.data["k"], e.data["distortion_read_off"])
