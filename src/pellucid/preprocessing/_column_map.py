"""What transformers share that put every column through a function of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, PellucidWarning, count, format_message, noun_list, warn
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, check_finite
from pellucid.estimator.roles import SameNames

# What a kernel met while it wrote a result: the bits of its answer.
INFINITE, OUTSIDE = 1, 2


class ColumnMap(SameNames):
    """As many columns as there were, under the same names, each a function of the one column."""

    copy: bool = param(default=True, doc="False: a dense float array is written over instead of copied.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(missing=True, check_finite="kernel")
    columnwise = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _room(self, d: Design) -> Array:
        """Where the result goes: a new array in the order of the old one, or the old one itself."""
        numbers = d.numbers
        if not self.copy and isinstance(d.table.source, np.ndarray) and numbers.flags.writeable:
            check_finite(d, allow_nan=True)
            return np.asarray(numbers)
        by_column = numbers.flags.f_contiguous and not numbers.flags.c_contiguous
        return np.empty(numbers.shape, dtype=d.dtype, order="F" if by_column else "C")

    def _mapped(self, d: Design, write: Any, *settings: Any) -> Array:
        """What a kernel of `cpp/core/preprocessing/map_columns.hpp` makes of the table."""
        out = self._room(d)
        if out is d.numbers:
            self._check_domain(d)
        flags = write(d.matrix, *settings, out, self._threads)
        if flags & INFINITE:
            check_finite(d, allow_nan=True)
        if flags & OUTSIDE:
            self._check_domain(d)
        return out

    def _unmapped(self, d: Design, write: Any, *settings: Any) -> Array:
        """The way back. What nothing becomes is answered with NaN and a warning."""
        out = self._room(d)
        missing = np.isnan(d.numbers) if out is d.numbers else None
        flags = write(d.matrix, *settings, out, self._threads)
        if flags & INFINITE:
            check_finite(d, allow_nan=True)
        if flags & OUTSIDE:
            _warn_lost(d, np.isnan(out) & ~(np.isnan(d.numbers) if missing is None else missing))
        return out

    def _check_domain(self, d: Design) -> None:
        """Refuses values for which the function is not defined; most are for all."""

    def _stored(self, d: Design, values: Floats) -> Any:
        """The sparse table with other stored numbers."""
        if np.isinf(d.numbers.data).any():
            check_finite(d, allow_nan=True)
        csr = d.numbers
        return type(csr)((values.astype(d.dtype), csr.indices.copy(), csr.indptr.copy()), shape=csr.shape)


def _warn_lost(d: Design, lost: Array) -> None:
    for j in np.flatnonzero(lost.any(axis=0)):
        rows = np.flatnonzero(lost[:, j])
        actual = f"column {d.table.label(int(j))} has {count(len(rows), 'value')} that transform does not give"
        requirement = "inverse_transform takes what transform gives"
        warn(
            format_message(d.who, requirement, actual=f"{actual}, NaN now ({noun_list('row', rows)})"), PellucidWarning
        )


def refuse_small(d: Design, limits: Floats, requirement: str, hint: str, included: bool) -> None:
    """Refuses values below the limit of their column, or at it unless it is included, naming column and rows."""
    for j in range(d.n_cols):
        column = d.numbers[:, [j]].toarray().ravel() if d.table.is_sparse else d.numbers[:, j]
        with np.errstate(invalid="ignore"):
            rows = np.flatnonzero(column < limits[j] if included else column <= limits[j])
        if len(rows):
            bound = f"{'below' if included else 'of at most'} {limits[j] + 0.0:g}"
            actual = f"column {d.table.label(j)} has {count(len(rows), 'value')} {bound} ({noun_list('row', rows)})"
            start = "Negative values in data: " if column[rows].min() < 0 else ""
            raise DataError(format_message(d.who, requirement, actual=start + actual, hint=hint))
