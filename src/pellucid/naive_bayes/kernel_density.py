"""Naive Bayes of numbers whose densities are sums of kernels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.naive_bayes._bayes import NaiveBayesClassifier
from pellucid.naive_bayes._densities import (
    EMPTY,
    Density,
    Points,
    add_scores,
    densities_of,
    nearest_values,
    points_by_class,
)
from pellucid.naive_bayes._numbers import far_scores
from pellucid.naive_bayes._tables import kept_rows

__all__ = ["KernelDensityNB"]


class KernelDensityNB(NaiveBayesClassifier):
    """Classes of numbers of any distribution: a small bell stands on every training value; their sum is the density.

    With the values ``x_i`` of column j in class c, their weights ``w_i`` with sum W, and a width ``h``,

        ``f_cj(x) = 1 / (W h sqrt(2 pi)) sum_i w_i exp(-(x - x_i)² / (2 h²))``,    ``P(c | x) ~ P(c) prod_j f_cj(x_j)``

    divided by the sum over the classes. The width is that of each class and column: Scott's rule  ``h = s n^(-1/5)``
    or Silverman's  ``h = s (3 n / 4)^(-1/5)``  with the standard deviation s (n - 1 below) of the n values, or a
    number. A class whose values in a column are all equal takes the column's standard deviation; one that has none
    there takes the column's density.

    Nothing is learned but the values themselves, so that `partial_fit` can go on where `fit` ended. Equal values are
    kept once. Few values are added kernel by kernel. For many, the density is worked out once as a polynomial of degree
    11 in each half width, from moments of the values (a fast Gauss transform): a prediction then takes the same time
    for a thousand values as for a million, and ln f is exact to about 1e-12. Far from all values the kernels are added
    one by one, with the nearest taken out of the sum, so that nothing underflows.

    Missing values are left out, column by column. Prefer `GaussianNB` where bells fit, which is far smaller and needs
    less data; `NaiveBayes` for tables with words.

    Attributes
    ----------
    classes_ : the labels, sorted
    class_count_ : rows (or their weight) of each class
    class_prior_, class_log_prior_ : the prior of each class, and its logarithm
    points_, weights_ : lists of arrays, ``points_[j][c]``
        Distinct values of column j in class c, and the weight of the rows that have each.
    bandwidths_ : k x p
        The widths h; NaN for a column without any value.
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    One value a class, two apart, and a width of 1: half way both densities are equal; at 0 they stand as 1 to exp(-2).

    >>> from pellucid.naive_bayes import KernelDensityNB
    >>> model = KernelDensityNB(bandwidth=1.0).fit([[0], [2]], ["low", "high"])
    >>> model.predict_proba([[1], [0]]).round(4).tolist()  # 1 / (1 + exp(-2)) = 0.8808
    [[0.5, 0.5], [0.1192, 0.8808]]
    """

    bandwidth: float | Literal["scott", "silverman"] = param(
        default="scott", low=0, low_open=True, doc="Width of the kernels: a rule, or a number in the columns' units."
    )
    fit_prior: bool = param(default=True, doc="Priors by the classes' shares of the rows; False: all alike.")
    class_prior: Any = param(default=None, doc="Prior of each class, in the order of `classes_`; None: as `fit_prior`.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(missing=True)

    def _begin(self, d: Design) -> None:
        self._points_: list[list[Points]] = [[EMPTY] * len(self.classes_) for _ in range(d.n_cols)]

    def _gather(self, d: Design, codes: Array) -> None:
        rows, weight = kept_rows(d)
        numbers, codes = (d.numbers, codes) if rows is None else (d.numbers[rows], codes[rows])
        new = [points_by_class(numbers[:, j], codes, weight, len(self.classes_)) for j in range(d.n_cols)]
        pairs = zip(self._points_, new, strict=True)
        self._points_ = [[a + b if len(a.values) else b for a, b in zip(*pair, strict=True)] for pair in pairs]

    def _settle(self, d: Design) -> None:
        named = zip(self._points_, d.column_labels(), strict=True)
        self._densities_: list[list[Density]] = [densities_of(p, self.bandwidth, name, d.who) for p, name in named]
        self.points_: list[list[Floats]] = [[one.values for one in column] for column in self._points_]
        self.weights_: list[list[Floats]] = [[one.weight for one in column] for column in self._points_]
        empty = [np.nan] * len(self.classes_)
        self.bandwidths_: Floats = np.array([[f.width for f in column] or empty for column in self._densities_]).T

    def _joint_log(self, d: Design) -> Floats:
        prior = np.where(self.class_count_ > 0, self.class_log_prior_, -np.inf)  # a class without rows has no density
        out = np.tile(prior, (d.n_rows, 1))
        for j, densities in enumerate(self._densities_):
            add_scores(d.numbers[:, j], densities, out, self._threads)
        return out

    def _undecided(self, d: Design, rows: Array) -> Floats:
        """Rows whose squares overflow: the class at the least distance from its nearest values."""
        prior = np.where(self.class_count_ > 0, self.class_log_prior_, -np.inf)
        known = [j for j, densities in enumerate(self._densities_) if densities]
        columns = np.asarray(d.numbers[rows][:, known], dtype=np.float64)
        return far_scores(columns, *nearest_values(columns, [self._densities_[j] for j in known]), prior)
