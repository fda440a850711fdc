"""Names for the types that pass between layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
# What a kernel recorded: name of a table -> (column names, rows).
History = dict[str, tuple[list[str], Floats]]
# Called by a kernel after a pass with its number and the current parameters; answers whether to stop.
Listener = Callable[[int, Floats], bool]
