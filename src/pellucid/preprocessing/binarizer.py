"""Numbers as 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.preprocessing._cuts import assign
from pellucid.preprocessing._stateless import Stateless

__all__ = ["Binarizer"]


def _check_threshold(value: Any) -> str | None:
    return None if np.isfinite(float(value)) else f"threshold must be a finite number; got {value!r}"


class Binarizer(Stateless):
    """Makes 1 of every value above a threshold and 0 of every other.

    ``z = 1 if x > threshold else 0``,  with one threshold for all columns.

    Counts become "there or not"; probabilities become decisions. It needs no fit. For a threshold of its own for each
    column, given, the median, or the best against a target, see `TwoWaySplit`; for more than two parts
    `KBinsDiscretizer`. Missing values are refused. In a sparse table zeros that are not stored must stay 0: the
    threshold must be at least 0. float32 stays float32.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen by `fit`, if there was one.

    Examples
    --------
    >>> from pellucid.preprocessing import Binarizer
    >>> Binarizer(threshold=2).transform([[1, 2, 3], [0, 5, -1]]).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """

    threshold: float = param(default=0.0, check=_check_threshold, doc="Above it is 1; it itself is 0.")

    def _dense(self, d: Design, out: Array) -> None:
        with np.errstate(over="ignore"):  # what is above the largest number is infinity
            above = np.nextafter(float(self.threshold), np.inf)  # x > t and x >= the next number are the same
        assign(d, [np.array([above])] * d.n_cols, np.zeros(d.n_cols), out, self._threads)

    def _stored(self, d: Design) -> Any:
        if self.threshold < 0:
            requirement, hint = (
                "the threshold must be at least 0 for a sparse table",
                "use X.toarray() if it fits into memory",
            )
            actual = f"Cannot binarize a sparse matrix with threshold < 0: got {self.threshold:g}"
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
        csr = d.numbers
        values = (csr.data > float(self.threshold)).astype(d.dtype)
        result = type(csr)((values, csr.indices.copy(), csr.indptr.copy()), shape=csr.shape)
        result.eliminate_zeros()
        return result
