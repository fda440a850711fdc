"""Missing values from the rows that are most alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design, check_finite
from pellucid.data.figures import Figures
from pellucid.estimator.trace import Trace
from pellucid.impute._imputer import Imputer, numbers_of

__all__ = ["KNNImputer"]

_CELLS = 1 << 21  # neighbors looked up at a time, which bounds memory


class KNNImputer(Imputer):
    """Fills a missing value with the mean of the k rows that are nearest in the columns that both have.

    ``d(x, y) = sqrt(p / m * sum over the m columns that both have of (x_c - y_c)²)``  with p columns in all: the
    missing part of a distance is taken to be as large as the part that is known. The donors of a gap are the k nearest
    rows of the fitted table that have the column; its value is  ``sum w_i y_i / sum w_i``  with w = 1, or 1 / d
    (``weights="distance"``, where donors at distance 0, if there are any, count alone).

    Relations between columns are kept, curved ones too, without a model of them. Columns must be on one scale, or the
    widest decides: put `StandardScaler` before. Every row with a gap is compared with every row of the fit, so time
    grows with the product of both: for large tables `IterativeImputer` is faster. A row that has no column in common
    with any donor gets the column's mean.

    Parameters and results are scikit-learn's. Of donors at equal distances the earlier rows are taken; scikit-learn's
    choice among them is not defined. Distances are summed directly, which loses no digits to cancellation. float32
    stays float32.

    Attributes
    ----------
    indicator_ : MissingIndicator or None
        Which columns get an indicator, with `add_indicator`.

    Examples
    --------
    The third value of the first row comes from rows 2 and 3, at distances sqrt(3/2 * 8) and sqrt(3 * 16):

    >>> from pellucid.impute import KNNImputer
    >>> nan = float("nan")
    >>> X = [[1, 2, nan], [3, 4, 3], [nan, 6, 5], [8, 8, 7]]
    >>> KNNImputer(n_neighbors=2).fit_transform(X).tolist()
    [[1.0, 2.0, 4.0], [3.0, 4.0, 3.0], [5.5, 6.0, 5.0], [8.0, 8.0, 7.0]]
    """

    n_neighbors: int = param(default=5, low=1, doc="How many donors a value is the mean of.")
    weights: Literal["uniform", "distance"] | Callable | None = param(  # type: ignore[type-arg]
        default="uniform",
        doc="How much a donor counts: all the same, 1 / distance, or a function that turns an array of distances, one "
        "row a gap, into weights. None is 'uniform'.",
    )
    metric: Literal["nan_euclidean"] | Callable = param(  # type: ignore[type-arg]
        default="nan_euclidean",
        doc="The distance above, or a function f(x, y, missing_values=nan) of two rows, which is much slower.",
    )
    copy: bool = param(default=True, doc="False: a dense float array is written over instead of copied.")

    def _fit(self, d: Design, trace: Trace) -> None:
        inner = numbers_of(d, self.missing_values)
        ends = Figures.read_ends(inner, self._threads)
        self._fit_X_ = np.array(inner.numbers, dtype=np.float64, order="C", copy=True)
        self._means_ = Figures.read(inner, self._threads).means
        self._unit_ = _unit(ends)
        self._keep_columns(np.asarray(ends.count == 0), d, "")
        self._fit_indicator(np.isnan(self._fit_X_) if self.add_indicator else None)

    def _transform(self, d: Design) -> Array:
        inner = numbers_of(d, self.missing_values)
        check_finite(inner, allow_nan=True)
        missing = np.isnan(inner.numbers)
        out = self._target(inner, d)
        gaps = self._gaps(missing)
        if len(gaps):
            donors = self._donors_of(np.asarray(inner.numbers, dtype=np.float64))
            size = max(1, _CELLS // self._k)
            for begin in range(0, len(gaps), size):
                part = gaps[begin : begin + size]
                out[part[:, 0], part[:, 1]] = self._values(part, *donors(part))
        if len(self._kept_) < d.n_cols:
            out = out[:, self._kept_]
        elif self.keep_empty_features:
            out[:, np.isnan(self._means_)] = 0
        return np.asarray(self._with_indicator(out, missing))

    def _target(self, inner: Design, d: Design) -> Array:
        given = isinstance(d.table.source, np.ndarray) and np.shares_memory(inner.numbers, d.table.source)
        if not self.copy and given and inner.numbers.flags.writeable:
            return np.asarray(inner.numbers)
        return np.array(inner.numbers, dtype=inner.dtype, copy=True)

    def _gaps(self, missing: Flags) -> Array:
        """(row, column) of every cell to be filled, row by row."""
        wanted = missing.copy()
        wanted[:, np.isnan(self._means_)] = False
        return np.ascontiguousarray(np.argwhere(wanted), dtype=np.int64)

    @property
    def _k(self) -> int:
        return min(self.n_neighbors, len(self._fit_X_))

    def _donors_of(self, X: Floats) -> Callable[[Array], tuple[Array, Floats]]:
        """A function from gaps to the rows of their donors and their distances; -1 and NaN past the last donor."""
        if callable(self.metric):
            return lambda gaps: self._measured(X, gaps)
        scaled = np.ascontiguousarray(X * self._unit_)  # squares of any numbers stay in range
        fitted = np.ascontiguousarray(self._fit_X_ * self._unit_)
        donors = _core.Donors(_core.dense(fitted), self._threads)
        receivers = _core.dense(scaled)

        def find(gaps: Array) -> tuple[Array, Floats]:
            rows, apart = _core.nearest_donors(donors, receivers, gaps, self._k, self._threads)
            return rows, apart / self._unit_

        return find

    def _measured(self, X: Floats, gaps: Array) -> tuple[Array, Floats]:
        assert callable(self.metric)
        rows, apart = np.full((len(gaps), self._k), -1), np.full((len(gaps), self._k), np.nan)
        row, distances = -1, np.empty(0)
        for g, (i, j) in enumerate(gaps.tolist()):
            if i != row:
                row = i
                distances = np.array([self.metric(X[i], y, missing_values=np.nan) for y in self._fit_X_], dtype=float)
            usable = np.flatnonzero(~np.isnan(self._fit_X_[:, j]) & ~np.isnan(distances))
            nearest = usable[np.argsort(distances[usable], kind="stable")][: self._k]
            rows[g, : len(nearest)], apart[g, : len(nearest)] = nearest, distances[nearest]
        return rows, apart

    def _values(self, gaps: Array, rows: Array, apart: Floats) -> Floats:
        """What is filled in: the weighted mean of the donors' values, or the column's mean where there are none."""
        columns = gaps[:, 1]
        none = rows[:, 0] < 0
        weight = self._weight(apart[~none])
        share = weight.sum(axis=1, keepdims=True)
        if not (share > 0).all() or not np.isfinite(share).all():
            requirement = "weights must give every gap a finite sum above 0"
            raise DataError(format_message(type(self).__name__, requirement, actual=f"got a sum of {share.min():g}"))
        found = self._means_[columns]
        values = np.where(rows[~none] < 0, 0.0, self._fit_X_[rows[~none], columns[~none, None]])
        found[~none] = (values * (weight / share)).sum(axis=1)
        return found

    def _weight(self, apart: Floats) -> Floats:
        known = ~np.isnan(apart)
        if callable(self.weights):
            found = np.array(self.weights(apart.copy()), dtype=np.float64)
            if found.shape != apart.shape:
                requirement = (
                    f"weights must be a function that returns an array of the shape it is given, {apart.shape}"
                )
                raise ParameterError(
                    format_message(type(self).__name__, requirement, actual=f"it returned {short_repr(found.shape)}")
                )
            return np.where(known & ~np.isnan(found), found, 0.0)
        if self.weights != "distance":
            return known.astype(np.float64)
        equal = (apart == 0).any(axis=1, keepdims=True)
        with np.errstate(divide="ignore", over="ignore"):
            inverse = 1.0 / apart
        return np.where(known, np.where(equal, apart == 0, inverse), 0.0)


def _unit(ends: Figures) -> float:
    """A power of two that brings the largest number near 1."""
    low, high = ends.ends
    largest = float(np.nanmax(np.maximum(np.abs(low), np.abs(high)), initial=0.0))
    return float(np.ldexp(1.0, -int(np.frexp(largest)[1]))) if largest > 1e100 or 0 < largest < 1e-100 else 1.0
