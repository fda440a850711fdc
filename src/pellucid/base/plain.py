"""Values as JSON has them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def to_json(value: Any) -> str:
    """A JSON document of mappings, records (dataclasses), lists, arrays and scalars.

    What is not a number is null, as JSON has no word for it; anything else is its text.

    >>> print(to_json({"share": np.float64(0.5), "none": float("nan"), "kinds": (int,)}))
    {
     "share": 0.5,
     "none": null,
     "kinds": [
      "<class 'int'>"
     ]
    }
    """
    return json.dumps(_plain(value), ensure_ascii=False, indent=1)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str | None) else str(value)
