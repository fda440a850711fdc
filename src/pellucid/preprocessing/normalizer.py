"""Rows of size 1."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.preprocessing._stateless import Stateless

__all__ = ["Normalizer"]

_NUMBERS = {"l1": 0, "l2": 1, "max": 2}


class Normalizer(Stateless):
    """Divides every row by its size, so that only the proportions of its values remain.

    ``z = x / |x|``  with the size of a row  ``|x| = |x_1| + ... + |x_p|``  for "l1",
    ``sqrt(x_1² + ... + x_p²)``  for "l2",  ``max(|x_1|, ..., |x_p|)``  for "max".

    Texts of different length, baskets of different value then compare by what is in them; the inner product of two rows
    of l2 size 1 is the cosine of the angle between them. It works on rows and needs no fit: for columns of one size see
    the scalers. A row of zeros stays as it is. Missing values are refused. Sparse tables stay sparse, float32 stays
    float32. Squares too large or small for a number are taken of the row divided by its largest value, so that rows of
    any size come out right; scikit-learn gives infinity or 0 there.

    Attributes
    ----------
    n_features_in_ : int
        Columns seen by `fit`, if there was one.

    Examples
    --------
    >>> from pellucid.preprocessing import Normalizer
    >>> Normalizer().transform([[3, 4], [0, 0], [-5, 12]]).round(4).tolist()
    [[0.6, 0.8], [0.0, 0.0], [-0.3846, 0.9231]]
    >>> Normalizer(norm="l1").transform([[1, 3]]).tolist(), Normalizer(norm="max").transform([[1, -4]]).tolist()
    ([[0.25, 0.75]], [[0.25, -1.0]])
    """

    norm: Literal["l1", "l2", "max"] = param(
        default="l2",
        kw_only=False,
        doc="The size of a row: sum of absolute values, root of the sum of squares, or largest absolute value.",
    )

    def _dense(self, d: Design, out: Array) -> None:
        if not _core.normalize_rows(d.matrix, _NUMBERS[self.norm], out, self._threads):
            raise d.explain_not_finite()

    def _stored(self, d: Design) -> Any:
        csr = d.numbers
        values = csr.data
        row = np.repeat(np.arange(d.n_rows), np.diff(csr.indptr))
        unit = np.ones(d.n_rows)
        np.maximum.at(most := np.zeros(d.n_rows), row, np.abs(values))
        np.copyto(unit, most, where=most > 0)
        scaled = values / unit[row]
        size = np.ones(d.n_rows)
        if self.norm == "l1":
            size[:] = np.bincount(row, weights=np.abs(scaled), minlength=d.n_rows)
        elif self.norm == "l2":
            size[:] = np.sqrt(np.bincount(row, weights=scaled**2, minlength=d.n_rows))
        size[most == 0] = 1.0
        found = (scaled / size[row]).astype(d.dtype)
        return type(csr)((found, csr.indices.copy(), csr.indptr.copy()), shape=csr.shape)
