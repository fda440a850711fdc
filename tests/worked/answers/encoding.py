"""Answers by the encoders of ``pellucid.preprocessing``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import encoding as reference

from ..frame import Example, PathName, answers


def one_hot(path: PathName, column: list[str], categories: list[str]) -> Any:
    """The zeros and ones of each row."""
    if path == "reference":
        return reference.one_hot(column, categories)
    from pellucid.preprocessing import OneHotEncoder

    encoder = OneHotEncoder(categories=[categories], sparse_output=False)
    return encoder.fit_transform(np.array(column, dtype=object)[:, None])


@answers("003-one-hot-car-color")
def car_color(example: Example, path: PathName) -> Mapping[str, Any]:
    found = one_hot(path, example.data["Color"], example.settings["categories"])
    return {"one-hot matrix, rows x categories": found, "one-hot row 2 (rot)": found[1]}
