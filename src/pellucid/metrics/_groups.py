"""Groupings of rows: labels of any kind as the numbers of groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from pellucid.base.errors import PellucidWarning, format_message, warn
from pellucid.base.types import Array
from pellucid.metrics._labels import encode, label_array
from pellucid.metrics._read import fail, fail_type


def group_codes(who: str, labels: Any, name: str, warn_continuous: bool = False) -> Array:
    """Labels as numbers 0, 1, ... in their order."""
    if scipy.sparse.issparse(labels):
        fail_type(who, f"{name} must be one column of labels", "got a sparse table", f"pass {name}.toarray().ravel()")
    array = label_array(who, name, labels)
    if array.ndim != 1:
        fail(who, f"{name} must be 1D: shape is {array.shape}", hint="pass one column of labels")
    if warn_continuous and array.dtype.kind == "f" and (array != np.floor(array)).any():
        requirement = f"Clustering metrics expects discrete values but received continuous values for {name}"
        warn(format_message(who, requirement, actual="each value is a group of its own"), PellucidWarning)
    return encode(who, {name: array}).codes[0]
