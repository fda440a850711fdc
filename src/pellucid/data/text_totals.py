"""Is the last row of a table the sum of all others?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid.base.types import Floats

_MARKS = re.compile(r"[\s$€£%]")
_TOLERANCE = 1e-6  # of sums, relative
MIN_ROWS = 3


def summed_columns(frame: Any, last: Sequence[str]) -> list[str]:
    """The columns whose sum stands in the last row; none unless most of its numbers are sums.

    Parameters
    ----------
    frame : polars frame of the rows above
    last : the cells of the last row
    """
    if frame.height < MIN_ROWS:
        return []
    summed, n_numbers = [], 0
    for name, cell in zip(frame.columns, last, strict=False):
        if not any(character.isdigit() for character in cell):
            continue
        n_numbers += 1
        column = frame[name]
        texts = column.drop_nulls().to_list() if not column.dtype.is_numeric() else None
        for decimal in (".", ","):
            total = _numbers([cell], decimal)
            values = column.drop_nulls().to_numpy().astype(float) if texts is None else _numbers(texts, decimal)
            if total is None or values is None or not len(values):
                continue
            expected = float(values.sum())
            if expected and abs(total[0] - expected) <= _TOLERANCE * max(1.0, float(np.abs(values).sum())) + 1e-9:
                summed.append(name)
                break
    return summed if 2 * len(summed) >= n_numbers else []


def _numbers(texts: Sequence[Any], decimal: str) -> Floats | None:
    """Texts as numbers with this decimal sign, the other one between thousands; None if some are none."""
    thousands = "," if decimal == "." else "."
    try:
        return np.array(
            [float(_MARKS.sub("", str(text)).replace(thousands, "").replace(decimal, ".")) for text in texts]
        )
    except ValueError:
        return None
