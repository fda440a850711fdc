"""Gaussian naive Bayes: a bell curve for every column in every class."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, check_finite
from pellucid.estimator.trace import Trace
from pellucid.naive_bayes._bayes import NaiveBayesClassifier
from pellucid.naive_bayes._numbers import check_constant, far_scores

__all__ = ["GaussianNB"]

_LEAST = np.finfo(np.float64).tiny  # a variance below it has no reciprocal


class GaussianNB(NaiveBayesClassifier):
    """Classes of numbers: in each class every column has its own bell curve, and the columns count as independent.

    With the mean ``m_cj`` and variance ``v_cj`` of column j in class c, and the class's share ``P(c)`` of the rows,

        ``P(c | x)  ~  P(c) prod_j exp(-(x_j - m_cj)² / (2 v_cj)) / sqrt(2 pi v_cj)``

    divided by the sum over the classes. The product is worked out as a sum of logarithms: ten thousand columns do not
    underflow. Of classes with equal scores the first in `classes_` is predicted.

    `fit` reads the table once; sums are taken about a value of the class itself, so that columns such as 1e8 + a small
    spread keep their variance. `partial_fit` adds one part after the other and ends with the model of all rows.

    Missing values are left out, column by column: in `fit` they count neither for mean nor variance, in `predict` the
    factor of the column is left out of every class's product.

    Prefer `LogisticRegression` or discriminants where columns depend on each other (probabilities here become too sure
    of themselves), `KernelDensityNB` where a column has several peaks within a class.

    Attributes
    ----------
    classes_ : the labels, sorted
    class_count_ : rows (or their weight) of each class
    class_prior_, class_log_prior_ : the prior of each class, and its logarithm
    theta_ : k x p means
    var_ : k x p variances, epsilon_ included
    epsilon_ : what was added to every variance
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Two classes with means 2 and 6 and variance 1: at 5 the curves stand as exp(-9/2) to exp(-1/2).

    >>> from pellucid.naive_bayes import GaussianNB
    >>> model = GaussianNB(var_smoothing=0).fit([[1], [3], [5], [7]], ["low", "low", "high", "high"])
    >>> model.theta_.ravel().tolist(), model.var_.ravel().tolist()
    ([6.0, 2.0], [1.0, 1.0])
    >>> model.predict_proba([[5]]).round(4).tolist()  # 1 / (1 + exp(-4))
    [[0.982, 0.018]]

    Notes
    -----
    scikit-learn's answers, with these differences: `epsilon_` is that of all rows seen by `partial_fit` and respects
    weights (there: of the last part, without weights); a table whose columns are all constant gets
    ``epsilon_ = var_smoothing`` instead of divisions by zero; a class of which no row has come yet is never predicted;
    32-bit tables are worked out in 64 bits, and their probabilities rounded to 32. A row so far away that every density
    is zero in 64 bits still goes to the class that is nearest in standard deviations.
    """

    priors: Any = param(
        default=None, doc="Prior of each class, in the order of `classes_`; None: its share of the rows."
    )
    var_smoothing: float = param(
        default=1e-9, low=0, doc="Share of the largest variance of a column that is added to every variance; 0 is none."
    )
    ddof: int = param(
        default=0, low=0, high=1, doc="Variances divide by n - ddof: 0 for n, 1 for n - 1 (sample variance)."
    )

    prior_name = "priors"
    prior_sums_to_one = True
    input_spec = InputSpec(missing=True, check_finite="kernel")

    # --------------------------------------------------------------------------------------------------------- learning

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        trace = super()._fit_table(X, y, sample_weight, record)
        self._check_variances()  # a part of a table may still lack what a later part brings; a whole one may not
        return trace

    def _begin(self, d: Design) -> None:
        shape = (len(self.classes_), d.n_cols)
        self.theta_: Floats = np.zeros(shape)
        self._count_: Floats = np.zeros(shape)  # rows with a number, by class and column
        self._square_: Floats = np.zeros(shape)  # squares about the mean
        self._single_: bool = d.dtype == np.float32

    def _gather(self, d: Design, codes: Array) -> None:
        """Means and squares of two sets of rows together (Chan, Golub, LeVeque 1979, equations 2.1)."""
        count, mean, square = self._moments(d, codes)
        total = self._count_ + count
        share = np.divide(count, total, out=np.zeros_like(count), where=total > 0)
        with np.errstate(over="ignore", invalid="ignore"):  # what is too far apart is named below
            apart = np.where(count > 0, mean - self.theta_, 0.0)
            self.theta_ = self.theta_ + apart * share
            self._square_ = self._square_ + square + apart * (apart * (self._count_ * share))
        self._count_ = total
        self._check_range(d, self.theta_, self._square_)

    def _moments(self, d: Design, codes: Array) -> tuple[Floats, Floats, Floats]:
        weight, unit = d.unit_weight
        call = (d.matrix, codes, len(self.classes_), weight)
        count, mean, square = _core.class_moments(*call, False, self._threads)
        if not (np.isfinite(mean).all() and np.isfinite(square).all()):
            check_finite(d, allow_nan=True)
            count, mean, square = _core.class_moments(*call, True, self._threads)
            self._check_range(d, mean, square)
        return count * unit, mean, square * unit

    def _check_range(self, d: Design, mean: Floats, square: Floats) -> None:
        wrong = np.flatnonzero(~(np.isfinite(mean) & np.isfinite(square)).all(axis=0))
        if len(wrong):
            actual = f"column {d.column_labels()[wrong[0]]!r} spreads too far"
            requirement = "variances must fit into 64-bit floats"
            raise DataError(format_message(d.who, requirement, actual=actual, hint="scale it, or take its logarithm"))

    def _settle(self, d: Design) -> None:
        free = self._count_ - self.ddof
        variance = np.divide(self._square_, free, out=np.zeros_like(free), where=free > 0)
        largest = self._largest_variance()
        if largest == 0:
            check_constant(d.numbers, d.column_labels(), d.who)
        self.epsilon_: float = self.var_smoothing * (largest if largest > 0 else 1.0)
        self.var_: Floats = variance + self.epsilon_

    def _largest_variance(self) -> float:
        """Of the columns over all classes: squares within the classes and between their means."""
        n = self._count_.sum(axis=0)
        n = np.where(n > 0, n, 1.0)
        with np.errstate(over="ignore"):
            mean = (self._count_ / n * self.theta_).sum(axis=0)
            apart = np.where(self._count_ > 0, self.theta_ - mean, 0.0)
            found = float(np.max((self._square_ / n + self._count_ / n * apart**2).sum(axis=0)))
        return min(found, float(np.finfo(np.float64).max) / max(self.var_smoothing, 1.0))

    def _check_variances(self) -> None:
        """Every class that has rows must have a density in every column."""
        seen = self.class_count_ > 0
        enough = self._count_ > self.ddof
        wrong = np.argwhere(seen[:, None] & ~(enough & (self.var_ >= _LEAST)))
        if len(wrong) == 0:
            return
        who, (c, j) = type(self).__name__, wrong[0]
        names = getattr(self, "feature_names_in_", None)
        column = repr(f"x{j}" if names is None else str(names[j]))
        where = f"column {column} in class {self.classes_.tolist()[c]!r}"
        if self._count_[c, j] == 0:
            requirement = "each class needs a number in each column"
            hint = "drop the column, fill its missing values, or use NaiveBayes, where the whole column stands in"
            raise DataError(format_message(who, requirement, actual=f"{where} has none", hint=hint))
        if not enough[c, j]:
            requirement, hint = (
                "with ddof=1 each class must have more than one sample in each column",
                "ddof=0, or more rows",
            )
            raise DataError(format_message(who, requirement, actual=f"{where} has {self._count_[c, j]:g}", hint=hint))
        requirement = "each class needs a variance above zero in each column"
        actual = f"{where} has variance {self.var_[c, j]:g}"
        hint = "a larger var_smoothing adds to every variance; or drop the column, or scale it up where it is tiny"
        raise DataError(format_message(who, requirement, actual=actual, hint=hint))

    # ---------------------------------------------------------------------------------------------------------- answers

    def _densities(self) -> tuple[Floats, Floats, Floats, Floats]:
        """What the kernel reads: means, 1 / (2 v), ln(2 pi v) / 2 and log priors, of classes with rows."""
        self._check_variances()
        seen = self.class_count_ > 0
        variance = np.where(seen[:, None], self.var_, 1.0)
        prior = np.where(seen, self.class_log_prior_, -np.inf)
        return self.theta_, 0.5 / variance, 0.5 * np.log(2 * np.pi * variance), prior

    def _joint_log(self, d: Design) -> Floats:
        out = np.empty((d.n_rows, len(self.classes_)))
        _core.gaussian_scores(d.matrix, *self._densities(), out, self._threads)
        if not np.isfinite(out).all():
            check_finite(d, allow_nan=True)
        return out

    def _best(self, d: Design) -> Array:
        codes = np.empty(d.n_rows, dtype=np.int32)
        _core.gaussian_codes(d.matrix, *self._densities(), codes, self._threads)
        return codes

    def _delivered(self, d: Design, values: Floats) -> Floats:
        return values.astype(np.float32) if self._single_ and d.dtype == np.float32 else values

    def _undecided(self, d: Design, rows: Array) -> Floats:
        """Rows whose squares overflow: the class at the least distance, in logarithms; infinity is refused here."""
        check_finite(d, allow_nan=True)
        prior = np.where(self.class_count_ > 0, self.class_log_prior_, -np.inf)
        return far_scores(d.numbers[rows], self.theta_, np.sqrt(self.var_), prior)
