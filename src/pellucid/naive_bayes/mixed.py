"""One naive Bayes for tables of words and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataTypeError, ParameterError, format_message, join_some, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.data.kinds import Kind, is_missing
from pellucid.data.table import Table
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
from pellucid.naive_bayes._densities import (
    EMPTY,
    Density,
    Points,
    add_scores,
    densities_of,
    nearest_values,
    points_by_class,
)
from pellucid.naive_bayes._numbers import (
    Moments,
    bell_scores,
    bells,
    check_constant,
    check_variances,
    far_scores,
    find_cut,
    numbers_of,
    side_of,
)
from pellucid.naive_bayes._tables import ColumnTable, TabledBayes, kept_rows
from pellucid.naive_bayes.categorical import check_p

__all__ = ["NaiveBayes"]

_WAYS = ("gaussian", "kernel", "split")


def _is_way(value: Any) -> bool:
    number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return (isinstance(value, str) and value in _WAYS) or (number and bool(np.isfinite(float(value))))


def _check_numbers(value: Any) -> str | None:
    if isinstance(value, Mapping):
        good = all(_is_way(way) for way in value.values())
    else:
        good = isinstance(value, str) and value in _WAYS
    if good:
        return None
    one = "'gaussian', 'kernel' or 'split'"
    return f"numbers must be {one}, or a dict from columns to one of these or to the number to split at; got {value!r}"


def _check_categories(value: Any) -> str | None:
    if value is None or (not isinstance(value, str | bytes) and hasattr(value, "__len__")):
        return None
    return f"categories must be a list of names or positions of columns; got {short_repr(value)}"


def _is_blank(table: Table, j: int) -> bool:
    """A column of objects without a single value: what comes later may be words."""
    column = table.column(j)
    return column.dtype.kind == "O" and all(is_missing(value) for value in column)


class NaiveBayes(TabledBayes):
    """One model for columns of any kind: words by their frequencies, numbers by a density or a split, in one product.

        ``P(c | x)  ~  P(c) prod_j P(x_j | c)``

    divided by the sum over the classes c, with a factor for each column j:

    * a column of words, categories or flags: the share of the value in the class, smoothed as in `CategoricalNB`
    * a column of numbers, as `numbers` says for all or for each column:
      ``"gaussian"``, the bell curve of the class's mean and variance, as in `GaussianNB`;
      ``"kernel"``, a sum of small bells on the class's values, as in `KernelDensityNB`;
      ``"split"``, the share of the class on the side of v where x lies, ``x < v`` or ``x >= v``,  v being given or
      found (`cut`)

    Products are sums of logarithms. A missing value is left out of what `fit` counts for its column, and of the product
    in `predict`. Where a class has no value at all in a column of numbers, the whole column's density stands in; a
    column of nothing but missing values says nothing. Classes whose scores are equal up to rounding share the
    probability: the first of them in `classes_` is predicted, and `tied` tells.

    Dataframes come as they are; a list of rows or an array may hold words too. A number that is only a name, such as a
    postal code, belongs into `categories`. `partial_fit` takes words that are new; it refuses splits whose v is to be
    found, which takes all rows.

    Columns that say the same count twice, and make probabilities too sure; where that matters prefer a tree or
    `LogisticRegression` on encoded columns.

    Attributes
    ----------
    classes_ : the labels, sorted
    class_count_ : rows (or their weight) of each class
    class_prior_, class_log_prior_ : the prior of each class, and its logarithm
    kinds_ : dict
        How each column is taken: 'categories', 'gaussian', 'kernel' or 'split'.
    categories_ : dict of arrays
        Values of each column of categories.
    category_count_, feature_log_prob_ : dicts of arrays, classes x values
        Of columns of categories and splits (below, above): weight of the rows, and logarithm of the smoothed shares.
    means_, variances_ : dicts of arrays, one a class
        Of columns with a bell curve; variances with `epsilon_`.
    epsilon_ : what was added to every variance
    cuts_ : dict
        The v of each split.
    points_, weights_ : dicts of lists of arrays, one a class
        Of columns with kernels: distinct values, and the weight of the rows that have each.
    bandwidths_ : dict of arrays, one a class
        The widths of the kernels.
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Who is home on Sundays? Without smoothing, and with the sample's variance (n - 1).

    >>> from pellucid.naive_bayes import NaiveBayes
    >>> X = [["yes", 1.0], ["no", 3.0], ["yes", 5.0], ["yes", 7.0]]
    >>> model = NaiveBayes(smoothing="none", ddof=1, var_smoothing=0).fit(X, ["in", "in", "out", "out"])
    >>> model.likelihood_table(0)
    {'no': {'in': 0.5, 'out': 0.0}, 'yes': {'in': 0.5, 'out': 1.0}}
    >>> model.likelihood_table(1)
    {'mean': {'in': 2.0, 'out': 6.0}, 'variance': {'in': 2.0, 'out': 2.0}}
    >>> model.predict_proba([["yes", 4.0], ["no", None]]).round(4).tolist()  # 1/2 to 1; 1/2 to 0
    [[0.3333, 0.6667], [1.0, 0.0]]
    """

    numbers: Any = param(
        default="gaussian",
        check=_check_numbers,
        doc="How columns of numbers are taken: 'gaussian', 'kernel' or 'split'; or a dict from names (or positions) of "
        "columns to one of these, or to the number to split at; columns that it does not name are 'gaussian'.",
    )
    categories: Any = param(
        default=None,
        check=_check_categories,
        doc="Columns of numbers that are names: a list of column names or positions. Words and flags are it anyway.",
    )
    smoothing: Literal["laplace", "m_estimate", "none"] = param(
        default="laplace", doc="Of shares: 'laplace' with `alpha`, 'm_estimate' with `m` and `p`, or 'none'."
    )
    alpha: float = param(default=1.0, low=0, doc="For 'laplace': added to every count.")
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
    ddof: int = param(
        default=0, low=0, high=1, doc="Variances divide by n - ddof: 0 for n, 1 for n - 1 (sample variance)."
    )
    var_smoothing: float = param(
        default=1e-9, low=0, doc="Share of the largest variance of a column that is added to every variance; 0 is none."
    )
    bandwidth: float | Literal["scott", "silverman"] = param(
        default="scott", low=0, low_open=True, doc="For 'kernel': a rule, or a number in the columns' units."
    )
    cut: Literal["best", "median", "mean"] = param(
        default="best", doc="For 'split' without a number: v with the largest information gain, the median or the mean."
    )
    fit_prior: bool = param(default=True, doc="Priors by the classes' shares of the rows; False: all alike.")
    class_prior: Any = param(default=None, doc="Prior of each class, in the order of `classes_`; None: as `fit_prior`.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(missing=True, categories=True, raw=True)

    def _smoothing(self) -> Smoothing:
        return Smoothing(self.smoothing, float(self.alpha), float(self.m), self.p)

    # ------------------------------------------------------------------------------------------------- kinds of columns

    def _begin(self, d: Design) -> None:
        ways = self._ways(d)
        self._ways_: list[str] = [way if isinstance(way, str) else "split" for way in ways]
        self._given_: dict[int, float] = {j: float(way) for j, way in enumerate(ways) if not isinstance(way, str)}
        self._cuts_: dict[int, float] = dict(self._given_)
        classes = len(self.classes_)
        self._columns_: list[CategoryColumn] = [NOTHING for _ in self._of("categories")]
        self._counts_: list[Floats] = [np.zeros((classes, 0)) for _ in self._of("categories")]
        self._sides_: list[Floats] = [np.zeros((classes, 2)) for _ in self._of("split")]
        self._moments_: Moments = Moments.none(classes, len(self._of("gaussian")))
        self._points_: list[list[Points]] = [[EMPTY] * classes for _ in self._of("kernel")]

    def _of(self, way: str) -> list[int]:
        """The columns that are taken in a way."""
        return [j for j, own in enumerate(self._ways_) if own == way]

    def _ways(self, d: Design) -> list[Any]:
        """How each column is taken: a word, or the number to split at."""
        names = list(range(d.n_cols)) if d.schema.names is None else list(d.schema.names)
        by_name = self._places(self.numbers, names, "numbers", d) if isinstance(self.numbers, Mapping) else {}
        ways: list[Any] = ["gaussian" if isinstance(self.numbers, Mapping) else self.numbers] * d.n_cols
        listed = self._places(self.categories, names, "categories", d) if self.categories is not None else {}
        plain = not d.table.is_frame and d.table.source.dtype.kind in "biuf"  # flags of an array are numbers 0 and 1
        for j, kind in enumerate(d.table.kinds):
            if kind is Kind.TIME:
                hint = "take year, month, weekday ... or the time since a fixed day as columns of their own"
                actual = f"column {d.table.label(j)} holds times"
                raise DataTypeError(
                    format_message(d.who, "X must hold numbers or categories", actual=actual, hint=hint)
                )
            number = kind is Kind.NUMBER or (kind is Kind.FLAG and plain)
            if j in listed or not number or (j not in by_name and _is_blank(d.table, j)):
                ways[j] = "categories"
        for j, name in by_name.items():
            if ways[j] == "categories":
                actual = f"column {d.table.label(j)} holds categories"
                raise ParameterError(format_message(d.who, "numbers must name columns of numbers", actual=actual))
            ways[j] = self.numbers[name]
        return ways

    def _places(self, given: Any, names: list[Any], parameter: str, d: Design) -> dict[int, Any]:
        """Columns by name or position: position -> what it was called."""
        found: dict[int, Any] = {}
        for one in given:
            place = isinstance(one, int | np.integer) and not isinstance(one, bool) and -len(names) <= one < len(names)
            if one in names:
                found[names.index(one)] = one
            elif place:
                found[int(one) % len(names)] = one
            else:
                requirement = f"{parameter} must name columns of the table"
                known = join_some(map(repr, names))
                raise ParameterError(
                    format_message(
                        d.who, requirement, actual=f"there is no column {one!r}", hint=f"the columns are {known}"
                    )
                )
        return found

    # --------------------------------------------------------------------------------------------------------- learning

    def _fit_part(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        super()._fit_part(X, y, classes, sample_weight)
        found = [self._names()[j] for j in self._of("split") if j not in self._given_]
        if found:
            requirement = "partial_fit needs splits at given numbers: the best one is found from all rows"
            hint = f"numbers={{{found[0]!r}: ...}} with the number to split at, or another way for the column"
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual=f"column {found[0]!r} has none", hint=hint)
            )

    def _gather(self, d: Design, codes: Array) -> None:
        rows, weight = kept_rows(d)
        codes = codes if rows is None else codes[rows]
        classes = len(self.classes_)
        self._gather_categories(d, rows, codes, weight)
        splits, bell, kernel = (self._numbers(d, way, rows) for way in ("split", "gaussian", "kernel"))
        for k, j in enumerate(self._of("split")):
            if j not in self._cuts_:
                cut = find_cut(splits[:, k], codes, weight, classes, self.cut, self._threads)
                self._cuts_ = {**self._cuts_, j: cut}
        if splits.shape[1]:
            sides = [CategoryColumn(np.arange(2.0), True, 2)] * splits.shape[1]
            new = count_cells(self._side_cells(splits), sides, codes, classes, weight, self._threads)
            self._sides_ = [old + more for old, more in zip(self._sides_, new, strict=True)]
        self._moments_ = self._moments_ + Moments.of(bell, codes, weight, classes, self._threads)
        points = [points_by_class(kernel[:, k], codes, weight, classes) for k in range(kernel.shape[1])]
        pairs = zip(self._points_, points, strict=True)
        self._points_ = [[a + b if len(a.values) else b for a, b in zip(*pair, strict=True)] for pair in pairs]

    def _gather_categories(self, d: Design, rows: Array | None, codes: Array, weight: Floats | None) -> None:
        if not self._columns_:
            return
        table = d.table.take(self._of("categories"))
        cells, columns = learn(table, rows, self._columns_, False, self._threads, d.who)
        new = count_cells(cells, columns, codes, len(self.classes_), weight, self._threads)
        before = zip(self._counts_, self._columns_, columns, strict=True)
        self._counts_ = [moved(n, was, now) + more for (n, was, now), more in zip(before, new, strict=True)]
        self._columns_ = columns

    def _numbers(self, d: Design, way: str, rows: Array | None = None) -> Floats:
        found = numbers_of(d.table, self._of(way), d.who)
        return found if rows is None else np.asfortranarray(found[rows])

    def _side_cells(self, splits: Floats) -> Array:
        sides = [side_of(splits[:, k], self._cuts_[j]) for k, j in enumerate(self._of("split"))]
        return np.array(sides, dtype=np.int32).T

    def _settle(self, d: Design) -> None:
        smoothing, names = self._smoothing(), self._names()

        def by_name(way: str, values: Any) -> dict[Any, Any]:
            return dict(zip((names[j] for j in self._of(way)), values, strict=True))

        self.kinds_: dict[Any, str] = dict(zip(names, self._ways_, strict=True))
        self._logs_ = [smoothing.log_shares(n) for n in self._counts_]
        self._side_logs_ = [smoothing.log_shares(n) for n in self._sides_]
        self.categories_ = by_name("categories", [column.values for column in self._columns_])
        self.category_count_ = by_name("categories", self._counts_) | by_name("split", self._sides_)
        self.feature_log_prob_ = by_name("categories", [shares for shares, _ in self._logs_]) | by_name(
            "split", [shares for shares, _ in self._side_logs_]
        )
        bell = [names[j] for j in self._of("gaussian")]
        self._moments_.check_range(bell, d.who)
        if not self._moments_.whole().square.any():
            check_constant(self._numbers(d, "gaussian"), bell, d.who)
        self._mean_, self._variance_, self.epsilon_ = bells(self._moments_, self.ddof, float(self.var_smoothing))
        check_variances(self._variance_, self.classes_.tolist(), bell, d.who)
        self.means_ = by_name("gaussian", self._mean_.T)
        self.variances_ = by_name("gaussian", self._variance_.T)
        self.cuts_ = by_name("split", [self._cuts_[j] for j in self._of("split")])
        kernel = zip(self._points_, self._of("kernel"), strict=True)
        self._densities_: list[list[Density]] = [densities_of(p, self.bandwidth, names[j], d.who) for p, j in kernel]
        self.points_ = by_name("kernel", [[one.values for one in column] for column in self._points_])
        self.weights_ = by_name("kernel", [[one.weight for one in column] for column in self._points_])
        self.bandwidths_ = by_name("kernel", [np.array([f.width for f in column]) for column in self._densities_])

    # ---------------------------------------------------------------------------------------------------------- answers

    @property
    def _prior(self) -> Floats:
        """A class without rows has a density in no column, and is never predicted."""
        return np.where(self.class_count_ > 0, self.class_log_prior_, -np.inf)

    def _raw_joint(self, d: Design) -> Floats:
        threads, ignore = self._threads, self.unknown == "ignore"
        out = self._number_scores(*(self._numbers(d, way) for way in ("gaussian", "kernel")))
        if self._columns_:
            table = d.table.take(self._of("categories"))
            cells = read(table, self._columns_, self.unknown == "error", threads, d.who)
            self._add_shares(cells, self._logs_, ignore, out)
        if self._sides_:
            self._add_shares(self._side_cells(self._numbers(d, "split")), self._side_logs_, ignore, out)
        return out

    def _number_scores(self, bell: Floats, kernel: Floats) -> Floats:
        out = bell_scores(bell, self._mean_, self._variance_, self._prior, self._threads)
        for k, densities in enumerate(self._densities_):
            add_scores(kernel[:, k], densities, out, self._threads)
        return out

    def _undecided(self, d: Design, rows: Array) -> Floats:
        """Rows whose squares overflow: the class at the least distance. Where words rule out all of them: priors."""
        found = super()._undecided(d, rows)
        bell, kernel = (self._numbers(d, way, rows) for way in ("gaussian", "kernel"))
        far = np.flatnonzero(np.isneginf(self._number_scores(bell, kernel)).all(axis=1))
        if len(far):
            there = [k for k in range(bell.shape[1]) if not np.isnan(self._mean_[0, k])]
            known = [k for k, densities in enumerate(self._densities_) if densities]
            bell, kernel = bell[far][:, there], kernel[far][:, known]
            mean = np.broadcast_to(self._mean_[:, None, there], (len(self.classes_), *bell.shape))
            center, width = [mean], [np.sqrt(self._variance_[:, there])]
            if known:
                nearest, widths = nearest_values(kernel, [self._densities_[k] for k in known])
                center, width = [mean, nearest], [*width, widths]
            table = np.hstack([bell, kernel])
            found[far] = far_scores(table, np.concatenate(center, axis=2), np.hstack(width), self._prior)
        return found

    def _add_shares(self, cells: Array, logs: list[tuple[Floats, Floats]], ignore: bool, out: Floats) -> None:
        sizes, tables = score_tables(logs, ignore)
        _core.add_code_scores(cells, sizes, tables, len(self.classes_), out.ravel(), self._threads)

    # ----------------------------------------------------------------------------------------------------------- tables

    def _column_tables(self) -> list[ColumnTable]:
        found: dict[int, ColumnTable] = {}
        names, smoothing = self._names(), self._smoothing()
        for j, column, counts in zip(self._of("categories"), self._columns_, self._counts_, strict=True):
            found[j] = ColumnTable(names[j], column.labels(), counts, smoothing.shares(counts))
        for j, counts in zip(self._of("split"), self._sides_, strict=True):
            sides: list[Any] = [f"< {self._cuts_[j]:.6g}", f">= {self._cuts_[j]:.6g}"]
            found[j] = ColumnTable(names[j], sides, counts, smoothing.shares(counts))
        for k, j in enumerate(self._of("gaussian")):
            parts = {"mean": self._mean_[:, k], "variance": self._variance_[:, k]}
            found[j] = ColumnTable(names[j], [], None, self._by_class(parts))
        for k, j in enumerate(self._of("kernel")):
            rows = np.array([one.rows for one in self._points_[k]])
            width = np.array([one.width for one in self._densities_[k]])
            found[j] = ColumnTable(names[j], [], None, self._by_class({"bandwidth": width, "rows": rows}))
        return [found[j] for j in range(len(names))]

    def _by_class(self, parts: dict[str, Floats]) -> dict[str, dict[Any, float]]:
        labels = self.classes_.tolist()
        return {part: dict(zip(labels, values.tolist(), strict=False)) for part, values in parts.items()}
