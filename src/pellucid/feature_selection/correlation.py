"""Of columns that say the same, one is kept."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, DataTypeError, format_message
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.trace import Trace
from pellucid.feature_selection._selector import Selector, attach_any

__all__ = ["CorrelationFilter", "DroppedColumn"]

# Correlations this near to 1 are 1 but for rounding: a column and its copy in another unit.
_ROUNDING = 1e-13


class DroppedColumn(NamedTuple):
    """A column that was left out, the column that stays in its place, and their correlation."""

    column: str
    partner: str
    r: float


class CorrelationFilter(Selector):
    """Leaves out columns until no two that stay are correlated above a threshold.

    ``r_jk = S_jk / sqrt(S_jj S_kk)``  with  ``S_jk = sum_i (x_ij - m_j)(x_ik - m_k)``  and the columns' means m; for
    ``method="spearman"`` every value is replaced by its rank first, equal values by the mean of their ranks.

    Columns are taken in an order of preference: as they stand (``keep="first"``), by their correlation with the
    target, strongest first (``"target"``), or by their mean ``|r|`` with all other columns, smallest first
    (``"least_redundant"``). A column stays unless its ``|r|`` with one that stays already is above `threshold`; else
    it is left out, and `dropped_` names the one it is most correlated with. So of such a pair the first, the more
    telling or the less redundant one stays. A length in centimetres and in inches has ``|r| = 1`` but for rounding,
    and one of them goes whatever the threshold.

    Coefficients of nearly dependent columns are not determined, and importances are shared out among them: fewer
    columns are easier to read. Predictions seldom gain. A column that follows from several others together is not
    found by pairs: a regression of it on the others finds it. Missing values are refused. A constant column has no
    correlation (NaN) and stays: `VarianceThreshold` leaves it out. A sparse table stays sparse.

    Attributes
    ----------
    correlation_ : p x p numbers
        Correlations of all pairs; NaN for constant columns.
    dropped_ : list of (column, partner, r)
        What was left out, in the order of the columns.
    target_correlation_ : one number a column
        Correlation with the target, for keep="target"; 0 for a constant column.

    Examples
    --------
    Height in cm and in inches, and weight:

    >>> from pellucid.feature_selection import CorrelationFilter
    >>> X = [[150, 150 / 2.54, 50], [160, 160 / 2.54, 80], [170, 170 / 2.54, 60], [180, 180 / 2.54, 90]]
    >>> model = CorrelationFilter(threshold=0.9).fit(X)
    >>> model.get_support().tolist(), round(float(model.correlation_[0, 2]), 4)
    ([True, False, True], 0.7071)
    >>> model.dropped_
    [DroppedColumn(column='x1', partner='x0', r=1.0)]
    """

    threshold: float = param(
        default=0.9, low=0, high=1, kw_only=False, doc="No two columns that stay have an |r| above this."
    )
    method: Literal["pearson", "spearman"] = param(
        default="pearson", doc="Correlation of the values, or of their ranks, which any rising curve leaves alone."
    )
    keep: Literal["first", "target", "least_redundant"] = param(
        default="first",
        doc="Which of a pair stays: the first column, the one more correlated with the target, or the one with the "
        "smaller mean |r|.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.method == "pearson"
        tags.target_tags.required = self.keep == "target"
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        if self.keep != "target":
            return
        attach_any(d, y)
        if d.y.shape[1] > 1:
            raise DataError(format_message(d.who, "y should be a 1d array", actual=f"got {d.y.shape[1]} columns"))
        if d.classes and len(d.classes[0]) > 2:
            requirement, hint = (
                "keep='target' needs numbers, or labels of two classes",
                "use another keep for more classes",
            )
            raise DataError(format_message(d.who, requirement, actual=f"y has {len(d.classes[0])} classes", hint=hint))

    def _fit(self, d: Design, trace: Trace) -> None:
        if d.table.is_sparse and self.method == "spearman":
            actual, hint = "Sparse data was passed, but dense data is required", "use method='pearson', or X.toarray()"
            raise DataTypeError(
                format_message(d.who, "X must be dense for method='spearman'", actual=actual, hint=hint)
            )
        whole = self._correlations(d)
        self.correlation_: Floats = np.ascontiguousarray(whole[: d.n_cols, : d.n_cols])
        if self.keep == "target":
            self.target_correlation_: Floats = np.nan_to_num(whole[: d.n_cols, d.n_cols], nan=0.0)
        partner = self._choose(self._order())
        labels = d.column_labels()
        self.dropped_ = [
            DroppedColumn(labels[j], labels[k], float(self.correlation_[j, k])) for j, k in enumerate(partner) if k >= 0
        ]
        self._stays_: Flags = partner < 0

    def _correlations(self, d: Design) -> Floats:
        """Of all columns, and of the target behind them if it is asked for."""
        y = d.y if self.keep == "target" else np.empty((d.n_rows, 0))
        if self.method == "spearman":
            matrix, y = _core.dense(ranks(np.asarray(d.numbers))), ranks(y)
        else:
            matrix = d.matrix
        status, weight, mean, scale, cross = _core.moments(matrix, y, None, True, self._threads)
        if status != 0:
            raise d.explain_not_finite()
        return correlations(weight, mean, scale, cross)

    def _order(self) -> Array:
        """The columns, the most preferred first."""
        size = np.abs(self.correlation_)
        if self.keep == "target":
            return np.argsort(-np.abs(self.target_correlation_), kind="stable")
        if self.keep == "first" or len(size) == 1:
            return np.arange(len(size))
        return np.argsort(mean_size(size), kind="stable")

    def _choose(self, order: Array) -> Array:
        """For each column the one that stays in its place, or -1 if it stays itself."""
        size = np.nan_to_num(np.abs(self.correlation_), nan=0.0)
        above = (size > self.threshold) | (size == 1)
        partner = np.full(len(size), -1)
        kept: list[int] = []
        for j in order.tolist():
            rivals = [k for k in kept if above[j, k]]
            if rivals:
                partner[j] = max(rivals, key=lambda k: (size[j, k], -k))
            else:
                kept.append(j)
        return partner

    def _support(self) -> Flags:
        return self._stays_.copy()


def correlations(weight: float, mean: Floats, scale: Floats, cross: Floats) -> Floats:
    """r of all pairs from their moments; NaN where a column is constant, exactly 1 where it is 1 but for rounding."""
    square = np.diag(cross).copy()
    noise = 2 * np.finfo(np.float64).eps * np.abs(mean) * scale  # a smaller spread is rounding of the values
    varying = square > weight * noise**2
    root = np.sqrt(np.where(varying, square, np.nan))
    r = np.asarray(cross / root / root[:, None])
    near = np.abs(r) >= 1 - _ROUNDING
    r[near] = np.sign(r[near])
    return r


def mean_size(size: Floats) -> Floats:
    """Mean |r| of each column with all others that vary; 0 for a column that does not."""
    known = ~np.isnan(size)
    others = known.sum(axis=1) - 1
    total = np.where(known, size, 0.0).sum(axis=1) - 1  # less the column with itself
    return np.where(others > 0, total / np.maximum(others, 1), 0.0)


def ranks(X: Floats) -> Floats:
    """Ranks of each column from 1, equal values with the mean of their ranks."""
    out = np.empty(X.shape, order="F")
    for j in range(X.shape[1]):
        order = np.argsort(X[:, j], kind="stable")
        ordered = X[order, j]
        first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        last = np.r_[first[1:], len(ordered)]
        out[order, j] = np.repeat((first + last + 1) / 2, last - first)
    return out
