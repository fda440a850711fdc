"""Where in the workings of clusters each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("003-elbow-method")
def elbow(w: Working, e: Example) -> Mapping[str, Any]:
    chosen = int(w.value("elbow"))
    return {
        "chosen number of clusters": chosen,
        "k with the largest distance below the chord of the normalized curve": chosen,
    }
