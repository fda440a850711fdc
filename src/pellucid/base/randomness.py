"""Random numbers that depend on (random_state, stream, index) alone, so that threads cannot change them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from pellucid import _core
from pellucid.base.types import Floats


def seed_from(random_state: Any) -> int:
    """The 64-bit key of the counter-based generator: a number is itself, a generator is drawn from, None is fresh."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state) % 2**64
    words = check_random_state(random_state).randint(0, 2**32, size=2, dtype=np.uint64)
    return int(words[0]) << 32 | int(words[1])


def uniform(seed: int, stream: int, n: int) -> Floats:
    """Numbers 0 to n-1 of a stream, uniform on [0, 1)."""
    return np.asarray(_core.random_uniform(seed, stream, n))
