"""Where in the workings of forests each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-random-forest-max-features")
def columns_of_a_split(w: Working, e: Example) -> Mapping[str, Any]:
    return {"m for classification with p=25": w.value("m_classes")}
