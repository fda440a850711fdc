"""A few of very many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Array

MANY, FEW = 20_000, 2_000


def sampled(values: Sequence[Any]) -> Array | None:
    """Places of a few values, spread evenly; None if there are not so many that a sample would save time."""
    return np.linspace(0, len(values) - 1, FEW).astype(np.int64) if len(values) > MANY else None
