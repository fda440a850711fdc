"""Columns that hardly vary are left out."""

from __future__ import annotations

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Flags, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.data.figures import Figures
from pellucid.estimator.trace import Trace
from pellucid.feature_selection._selector import Selector

__all__ = ["VarianceThreshold"]


class VarianceThreshold(Selector):
    """Leaves out the columns whose variance is not above a threshold: constant ones, unless told.

    ``v = ((x_1 - m)² + ... + (x_n - m)²) / n``  with the column's mean m; a column stays if  ``v > threshold``.

    It does not look at a target, and so may stand before any model, learned or not. A variance depends on the unit of
    its column (metres or millimetres): thresholds above 0 ask for columns of one unit, or for ratios such as a share
    of ones p, whose variance is p(1 - p). Whether a column that varies says anything, `SelectKBest` and
    `SequentialFeatureSelector` ask; whether it says the same as another, `CorrelationFilter`.

    Missing values are left out of a column's variance and stay missing. A sparse table stays sparse.

    Attributes
    ----------
    variances_ : one number a column
        Variances; NaN for a column without values. With threshold=0 a column without missing values has its range
        (largest less smallest value) there if that is smaller: a constant is then known by its ends, not by what
        rounding left of its variance.

    Examples
    --------
    >>> from pellucid.feature_selection import VarianceThreshold
    >>> selector = VarianceThreshold().fit([[0, 2, 7], [0, 1, 7], [0, 6, 7]])
    >>> selector.variances_.round(4).tolist(), selector.get_support().tolist()
    ([0.0, 4.6667, 0.0], [False, True, False])
    >>> selector.transform([[0, 2, 7], [5, 3, 7]]).tolist()
    [[2], [3]]
    """

    threshold: float = param(
        default=0.0, low=0, kw_only=False, doc="Columns whose variance is this or less are left out."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True, missing=True)

    def _fit(self, d: Design, trace: Trace) -> None:
        figures = Figures.read(d, self._threads)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            variance = figures.square / figures.count / figures.unit / figures.unit
            variance = np.where(figures.is_constant, 0.0, variance)
            if self.threshold == 0:
                whole = figures.count == figures.rows
                variance = np.where(whole, np.minimum(variance, figures.high - figures.low), variance)
        self.variances_: Floats = np.where(figures.count > 0, variance, np.nan)
        self._refuse_none(d)

    def _refuse_none(self, d: Design) -> None:
        if (np.isfinite(self.variances_) & (self.variances_ > self.threshold)).any():
            return
        known = self.variances_[np.isfinite(self.variances_)]
        actual = f"the largest variance is {known.max():g}" if len(known) else "no column has a finite variance"
        actual += " (X contains only one sample)" if d.n_rows == 1 else ""
        requirement = f"No feature in X meets the variance threshold {self.threshold:.5f}"
        raise DataError(
            format_message(d.who, requirement, actual=actual, hint="lower the threshold, or look at the columns")
        )

    def _support(self) -> Flags:
        return np.asarray(self.variances_ > self.threshold)
