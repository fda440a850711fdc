"""Naive Bayes of categories: shares of values within classes, multiplied."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, count, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.naive_bayes._categories import (
    NOTHING,
    CategoryColumn,
    Smoothing,
    count_cells,
    learn,
    moved,
    read,
    score_tables,
)
from pellucid.naive_bayes._tables import ColumnTable, TabledBayes, kept_rows

__all__ = ["CategoricalNB"]

_LEAST_ALPHA = 1e-10


def check_p(value: Any) -> str | None:
    if isinstance(value, str) or 0 <= value <= 1:
        return None
    return f"p must be 'uniform', 'shares' or a number from 0 to 1; got {value!r}"


def _check_min_categories(value: Any) -> str | None:
    try:
        listed = np.atleast_1d(np.asarray(0 if value is None else value))
    except ValueError:
        listed = np.array([0.5])
    if listed.ndim == 1 and listed.dtype.kind in "iu" and (listed >= 0).all():
        return None
    return (
        "min_categories should have integral values: one of at least 0, or one for each column; got "
        f"{short_repr(value)}"
    )


class CategoricalNB(TabledBayes):
    """Classes of categories: how large a share of a class has each value, column by column, in one product.

    With ``N_kc`` rows of class c whose column j has the value k, ``N_c`` of the class that have any value there, and
    ``K`` values of the column,

        ``P(c | x)  ~  P(c) prod_j P(x_j | c)``,    ``P(k | c) = (N_kc + alpha) / (N_c + alpha K)``

    divided by the sum over the classes. `alpha` keeps a value that a class never had from making the whole product
    zero: 1 is Laplace's rule, less is Lidstone's, 0 is none. The m-estimate  ``(N_kc + m p) / (N_c + m)``  is the same
    with ``m = alpha K`` and ``p = 1 / K``. K counts the values of the column, not the classes. The product is worked
    out as a sum of logarithms.

    Words and other names (columns of a dataframe, lists of rows with text) are categories by themselves. A column of
    numbers of zero and more holds codes, as in scikit-learn: all from 0 to the largest are categories. Other numbers,
    with fractions or below zero, are categories by their value.

    A missing value is left out of its column's counts, and of the product. A value that `fit` did not see has the share
    of a value never counted, ``alpha / (N_c + alpha K)``, or is left out or refused (`unknown`); without smoothing it
    is impossible in every class, and then the priors answer. Classes whose scores are equal up to rounding share the
    probability; the first of them in `classes_` is predicted, and `tied` tells.

    Prefer `NaiveBayes` where some columns are numbers with a size, `BernoulliNB` or `MultinomialNB` for flags and
    counts of words, and a tree where columns matter together.

    Attributes
    ----------
    classes_ : the labels, sorted
    class_count_ : rows (or their weight) of each class
    class_prior_, class_log_prior_ : the prior of each class, and its logarithm
    categories_ : list of arrays
        The values of each column, in the order of their codes.
    n_categories_ : how many each column has
    category_count_ : list of arrays, classes x values
        How many rows (or their weight) have both.
    feature_log_prob_ : list of arrays, classes x values
        The logarithm of the smoothed shares.
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Two of the days spent outside were sunny, one of those inside; Laplace makes 3 of 4 and 2 of 4 of that.

    >>> from pellucid.naive_bayes import CategoricalNB
    >>> X, y = [["sun"], ["sun"], ["sun"], ["rain"]], ["out", "out", "in", "in"]
    >>> model = CategoricalNB().fit(X, y)
    >>> model.frequency_table(0)
    {'rain': {'in': 1.0, 'out': 0.0}, 'sun': {'in': 1.0, 'out': 2.0}}
    >>> model.likelihood_table(0)["sun"]
    {'in': 0.5, 'out': 0.75}
    >>> model.predict_proba([["sun"]]).round(6).tolist()  # 0.5 x 0.5 to 0.5 x 0.75
    [[0.4, 0.6]]

    Notes
    -----
    scikit-learn's numbers. It truncates fractions and refuses negative numbers, words, missing values, and (with an
    index error) codes beyond those of `fit`.
    """

    alpha: float = param(default=1.0, low=0, doc="Added to every count (Laplace, Lidstone); 0 is no smoothing.")
    force_alpha: bool = param(default=True, doc="May alpha be below 1e-10? Otherwise it is raised to that.")
    fit_prior: bool = param(default=True, doc="Priors by the classes' shares of the rows; False: all alike.")
    class_prior: Any = param(default=None, doc="Prior of each class, in the order of `classes_`; None: as `fit_prior`.")
    min_categories: Any = param(
        default=None,
        check=_check_min_categories,
        doc="Least number of categories of a column, or one for each: values that exist, though no row may have them.",
    )
    smoothing: Literal["laplace", "m_estimate", "none"] = param(
        default="laplace", doc="'laplace' with `alpha`, 'm_estimate' with `m` and `p`, or 'none'."
    )
    m: float = param(default=1.0, low=0, doc="For 'm_estimate': how many rows the p of each value counts for.")
    p: float | Literal["uniform", "shares"] = param(
        default="uniform",
        check=check_p,
        doc="For 'm_estimate': 1 / K for each value ('uniform'), its share among all rows ('shares'), or a number.",
    )
    unknown: Literal["smooth", "ignore", "error"] = param(
        default="smooth",
        doc="A value that fit did not see: 'smooth' gives it the share of a value never counted, 'ignore' leaves it "
        "out like a missing one, 'error' refuses it.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(missing=True, categories=True, raw=True)

    def _smoothing(self) -> Smoothing:
        alpha = self.alpha if self.force_alpha else max(self.alpha, _LEAST_ALPHA)
        return Smoothing(self.smoothing, float(alpha), float(self.m), self.p)

    # --------------------------------------------------------------------------------------------------------- learning

    def _begin(self, d: Design) -> None:
        least = np.atleast_1d(np.asarray(0 if self.min_categories is None else self.min_categories))
        if len(least) not in (1, d.n_cols) or (len(least) == 1 < d.n_cols and np.ndim(self.min_categories)):
            requirement = f"min_categories should have shape ({d.n_cols},) when an array-like is provided"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got {len(least)} for {count(d.n_cols, 'column')}")
            )
        self._columns_: list[CategoryColumn] = [
            CategoryColumn(NOTHING.values, True, int(size)) for size in np.broadcast_to(least, d.n_cols)
        ]
        self.category_count_: list[Floats] = [np.zeros((len(self.classes_), c.size)) for c in self._columns_]

    def _gather(self, d: Design, codes: Array) -> None:
        rows, weight = kept_rows(d)
        cells, columns = learn(d.table, rows, self._columns_, True, self._threads, d.who)
        codes = codes if rows is None else codes[rows]
        new = count_cells(cells, columns, codes, len(self.classes_), weight, self._threads)
        old = self.category_count_
        before = zip(old, self._columns_, columns, strict=True)
        self.category_count_ = [moved(n, was, now) + more for (n, was, now), more in zip(before, new, strict=True)]
        self._columns_ = columns

    def _settle(self, d: Design) -> None:
        smoothing = self._smoothing()
        logs = [smoothing.log_shares(counts) for counts in self.category_count_]
        self.feature_log_prob_: list[Floats] = [shares for shares, _ in logs]
        self._unseen_: list[Floats] = [unseen for _, unseen in logs]
        self.n_categories_: Array = np.array([column.size for column in self._columns_], dtype=np.int64)
        self.categories_: list[Array] = [column.known() for column in self._columns_]

    # ---------------------------------------------------------------------------------------------------------- answers

    def _raw_joint(self, d: Design) -> Floats:
        cells = read(d.table, self._columns_, self.unknown == "error", self._threads, d.who)
        logs = list(zip(self.feature_log_prob_, self._unseen_, strict=True))
        sizes, tables = score_tables(logs, ignore=self.unknown == "ignore")
        out = np.tile(self.class_log_prior_, d.n_rows)
        _core.add_code_scores(cells, sizes, tables, len(self.classes_), out, self._threads)
        return out.reshape(d.n_rows, -1)

    def _column_tables(self) -> list[ColumnTable]:
        smoothing = self._smoothing()
        parts = zip(self._names(), self._columns_, self.category_count_, strict=True)
        return [ColumnTable(name, column.labels(), counts, smoothing.shares(counts)) for name, column, counts in parts]
