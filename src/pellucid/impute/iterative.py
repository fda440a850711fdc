"""Missing values from models of each column given the others, in turn."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.base import clone
from sklearn.utils import check_random_state

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ConvergenceWarning, ParameterError, count, format_message, short_repr, warn
from pellucid.base.randomness import uniform
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design, check_finite
from pellucid.data.figures import Figures, check_range
from pellucid.estimator.trace import Trace
from pellucid.impute._bayes import BayesianLine, Units, fit_line
from pellucid.impute._imputer import Imputer, numbers_of
from pellucid.impute.simple import SimpleImputer

__all__ = ["IterativeImputer"]


class ImputerTriplet(NamedTuple):
    """One step of the chain: the column that is filled, those that predict it, and the fitted model."""

    feat_idx: int
    neighbor_feat_idx: Array
    estimator: Any


class _Work:
    """A table in the middle of being filled: its numbers row by row, and where they were missing."""

    def __init__(self, filled: Floats, missing: Flags) -> None:
        self.X, self.missing = filled, np.ascontiguousarray(missing)
        self.gaps = [np.flatnonzero(missing[:, j]) for j in range(missing.shape[1])]
        self.n_cols = missing.shape[1]


class IterativeImputer(Imputer):
    """Fills missing values by predicting each column from all others, over and over, until nothing changes.

    All gaps are first filled simply. Then, in every pass, each column j in turn is regressed on the others over the
    rows that have it, and its gaps get the predictions  ``b + w . x``.  Passes end when the largest change of a row,
    ``max_i sum_j |x_ij - x_ij before|``,  falls below `tol` times the largest known number. The same chain of fitted
    models fills later tables.

    The default model is a Bayesian ridge regression: its penalty is found from the data, so that dependent columns do
    no harm. It needs nothing but the cross-products of the columns,  ``G_j = sum z z'``  over the rows that have j.
    They are not summed anew for each column: G over all rows, less the sum over the few rows that lack j, and when the
    gaps of j change, only row and column j of G do. This is exact up to rounding, and a pass looks at the table once
    instead of p times. Any regressor with `fit` and `predict` may take its place, a forest for curved relations, say.

    Linear relations are found and kept; without noise, though, filled values lie too neatly on the lines:
    ``sample_posterior=True`` draws them, and several draws (other values of `random_state`) show how much hangs on
    them. A table with few rows for its columns may not settle: choose `n_nearest_features`, or `SimpleImputer`.
    `KNNImputer` follows curved relations without a model.

    Parameters, attributes and results are scikit-learn's, its default BayesianRidge included. `transform` draws, with
    `sample_posterior`, the same numbers each time it is called; there is no `random_state_`.

    Attributes
    ----------
    initial_imputer_ : SimpleImputer
        What filled the gaps first.
    imputation_sequence_ : list of triplets
        (column, columns that predict it, fitted model) of every step, pass after pass. Columns are counted among those
        that stay.
    n_iter_ : int
        Passes made.
    n_features_with_missing_ : int
        Columns that are predicted in a pass.
    indicator_ : MissingIndicator or None
        Which columns get an indicator, with `add_indicator`.

    Examples
    --------
    The second column is twice the first:

    >>> from pellucid.impute import IterativeImputer
    >>> imputer = IterativeImputer(random_state=0)
    >>> imputer.fit_transform([[1, 2], [2, 4], [4, 8], [3, float("nan")], [float("nan"), 10]]).round(2).tolist()
    [[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [3.0, 6.0], [5.0, 10.0]]
    """

    estimator: Any = param(
        default=None,
        kw_only=False,
        check=lambda value: (
            None
            if value is None or (hasattr(value, "fit") and hasattr(value, "predict") and not isinstance(value, type))
            else f"estimator must be None or a regressor with fit and predict; got {short_repr(value)}"
        ),
        doc="The regressor of each column; None is a Bayesian ridge regression on cross-products.",
    )
    sample_posterior: bool = param(
        default=False,
        doc="Are values drawn around the prediction? A given estimator must take `return_std` in predict.",
    )
    max_iter: int = param(default=10, low=0, doc="Most passes.")
    tol: float = param(default=1e-3, low=0, doc="Passes end when the change falls to this share of the largest number.")
    n_nearest_features: int | None = param(
        default=None, low=1, doc="How many columns predict one, drawn by their correlation with it; None is all."
    )
    initial_strategy: Literal["mean", "median", "most_frequent", "constant"] = param(
        default="mean", doc="What the gaps are filled with first; see `SimpleImputer`."
    )
    fill_value: Any = param(default=None, doc="The constant of initial_strategy='constant'; None is 0.")
    imputation_order: Literal["ascending", "descending", "roman", "arabic", "random"] = param(
        default="ascending",
        doc="Order of the columns in a pass: by missing values, few first or last; left to right, right to left; at "
        "random.",
    )
    skip_complete: bool = param(
        default=False, doc="Are columns without gaps in `fit` left to the first filling when they have some later?"
    )
    min_value: Any = param(default=-np.inf, doc="Least value that is filled in: a number, or one a column.")
    max_value: Any = param(default=np.inf, doc="Largest value that is filled in: a number, or one a column.")
    verbose: int = param(default=0, low=0, doc="Above 0: says the change after each pass.")
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="For random orders, random columns and draws; a number makes them repeatable."
    )

    iterative: ClassVar[bool] = False

    # -------------------------------------------------------------------------------------------------------------- fit

    def _fit(self, d: Design, trace: Trace) -> None:
        self._seed_ = _seed(self.random_state)
        inner = numbers_of(d, self.missing_values)
        ends = Figures.read_ends(inner, self._threads)
        check_range(ends.low, ends.high, d.who, d.column_labels())
        missing = np.isnan(inner.numbers)
        self._fit_first(inner, missing)
        self._fit_indicator(missing)
        work = self._started(inner, missing)
        self.imputation_sequence_: list[ImputerTriplet] = []
        self.n_iter_ = 0
        self._limits(d)
        order = self._order(work, np.random.RandomState(self._seed_))
        self.n_features_with_missing_ = len(order)
        if self.max_iter > 0 and work.n_cols > 1 and not work.missing.all():
            self._run_passes(work, inner, trace)

    def _fit_first(self, inner: Design, missing: Flags) -> None:
        first = SimpleImputer(
            strategy=self.initial_strategy, fill_value=self.fill_value, n_jobs=self.n_jobs,
            keep_empty_features=self.keep_empty_features,
        )  # fmt: skip
        first.set_output(transform="default").fit(inner.numbers)
        self.initial_imputer_ = first.set_params(n_jobs=None)
        self._empty_: Flags = np.asarray(missing.all(axis=0))
        self._keep_columns(self._empty_, inner, f" with strategy={self.initial_strategy!r}")

    def _started(self, inner: Design, missing: Flags) -> _Work:
        """The table with its gaps filled simply; a kept column without values counts as known."""
        values = np.ascontiguousarray(self.initial_imputer_.statistics_[self._kept_], dtype=np.float64)
        out = np.empty((inner.n_rows, len(self._kept_)), dtype=inner.dtype)
        _core.fill_missing(inner.matrix, self._kept_.astype(np.int64), values, out, self._threads)
        return _Work(out.astype(np.float64, order="C"), (missing & ~self._empty_)[:, self._kept_])

    def _limits(self, d: Design) -> None:
        self._low_, self._high_ = (self._limit(name, d) for name in ("min_value", "max_value"))
        if not (self._low_ < self._high_).all():
            j = int(np.flatnonzero(~(self._low_ < self._high_))[0])
            requirement = "One (or more) features have min_value >= max_value"
            actual = f"{self._low_[j]:g} and {self._high_[j]:g} for column {d.table.label(int(self._kept_[j]))}"
            raise ParameterError(format_message(d.who, requirement, actual=actual))

    def _limit(self, name: str, d: Design) -> Floats:
        value = getattr(self, name)
        end = np.inf if name == "max_value" else -np.inf
        try:
            given = np.asarray(end if value is None else value, dtype=np.float64)
        except (TypeError, ValueError):
            requirement = f"{name} must be a number, or one a column"
            raise ParameterError(format_message(d.who, requirement, actual=f"got {short_repr(value)}")) from None
        if given.ndim > 0 and given.shape != (d.n_cols,):
            requirement = f"'{name}' should be of shape ({d.n_cols},) when an array-like is provided"
            raise ParameterError(format_message(d.who, requirement, actual=f"Got {given.shape}, instead"))
        return np.ascontiguousarray(np.broadcast_to(given, d.n_cols)[self._kept_])

    def _run_passes(self, work: _Work, inner: Design, trace: Trace) -> None:
        random = np.random.RandomState(self._seed_)
        order, nearness = self._order(work, random), self._nearness(work.X)
        known = np.abs(work.X[~work.missing])
        limit = self.tol * float(known.max(initial=0.0))
        before, changes = work.X.copy(), []
        chain = _FastChain(work, self._threads) if self.estimator is None else None
        for number in range(1, self.max_iter + 1):
            self.n_iter_ = number
            if self.imputation_order == "random":
                order = self._order(work, random)
            if chain is not None:
                chain.begin()
            for place, j in enumerate(order.tolist()):
                others = _others(work.n_cols, j, self.n_nearest_features, nearness, random)
                model = self._fit_one(work, j, others, chain, (number, place))
                self.imputation_sequence_.append(ImputerTriplet(j, others, model))
            change = float(_core.largest_change(work.X, before, self._threads))
            changes.append([float(number), change, limit])
            if self.verbose:
                print(f"[IterativeImputer] pass {number}: change {change:g}, limit {limit:g}")
            if not self.sample_posterior and change <= limit:
                break
        else:
            self._warn_unsettled(inner, change, limit)
        if trace.record:
            trace.take({"passes": (["pass", "change", "limit"], np.array(changes)), **self._lines_table(work.n_cols)})

    def _warn_unsettled(self, inner: Design, change: float, limit: float) -> None:
        if not self.sample_posterior:
            requirement = "Early stopping criterion not reached"
            passes = count(self.max_iter, "pass")
            actual = f"after {passes} the largest change of a row is {change:.3g}, more than {limit:.3g}"
            warn(
                format_message(inner.who, requirement, actual=actual, hint="raise max_iter or tol"), ConvergenceWarning
            )

    def _lines_table(self, columns: int) -> dict[str, tuple[list[str], Floats]]:
        """Every line of the chain: column, intercept, and one weight a column."""
        lines = [step for step in self.imputation_sequence_ if isinstance(step.estimator, BayesianLine)]
        if not lines:
            return {}
        rows = np.zeros((len(lines), columns + 2))
        for i, step in enumerate(lines):
            rows[i, 0], rows[i, 1] = step.feat_idx, step.estimator.intercept_
            rows[i, 2 + step.neighbor_feat_idx] = step.estimator.coef_
        return {"lines": (["column", "intercept", *(f"w{c}" for c in range(columns))], rows)}

    def _fit_one(self, work: _Work, j: int, others: Array, chain: _FastChain | None, at: tuple[int, int]) -> Any:
        """Fits the model of column j and fills its gaps."""
        if chain is not None:
            line = chain.fit(j, others, self.sample_posterior)
            if not self.sample_posterior:
                chain.fill(j, others, line, (float(self._low_[j]), float(self._high_[j])))
                return line
            self._fill_one(work, j, others, line, at)
            chain.begin()
            return line
        model, have = clone(self.estimator), ~work.missing[:, j]
        model.fit(work.X[np.ix_(have, others)], work.X[have, j])
        self._fill_one(work, j, others, model, at)
        return model

    def _fill_one(self, work: _Work, j: int, others: Array, model: Any, at: tuple[int, int]) -> None:
        rows = work.gaps[j]
        if len(rows) == 0:
            return
        table, low, high = work.X[np.ix_(rows, others)], self._low_[j], self._high_[j]
        if not self.sample_posterior:
            work.X[rows, j] = np.clip(np.asarray(model.predict(table), dtype=np.float64).ravel(), low, high)
            return
        mean, spread = (np.asarray(part, dtype=np.float64) for part in model.predict(table, return_std=True))
        stream = at[0] * self.n_features_in_ + at[1]
        work.X[rows, j] = _drawn(mean, spread, low, high, uniform(self._seed_, stream, len(rows)))

    def _order(self, work: _Work, random: np.random.RandomState) -> Array:
        """The columns of a pass, in order."""
        shares = work.missing.mean(axis=0)
        listed = np.flatnonzero(shares) if self.skip_complete else np.arange(work.n_cols)
        if self.imputation_order == "roman":
            return listed
        if self.imputation_order == "arabic":
            return listed[::-1]
        if self.imputation_order == "random":
            random.shuffle(listed)
            return listed
        ascending = np.argsort(shares, kind="stable")[work.n_cols - len(listed) :]
        return ascending if self.imputation_order == "ascending" else ascending[::-1]

    def _nearness(self, X: Floats) -> Floats | None:
        """For each column the shares with which others are drawn: absolute correlations, made to add up to 1."""
        if self.n_nearest_features is None or self.n_nearest_features >= X.shape[1]:
            return None
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.abs(np.corrcoef(X.T))
        found[np.isnan(found)] = 1e-6
        found = np.maximum(found, 1e-6)
        np.fill_diagonal(found, 0)
        return np.asarray(found / found.sum(axis=0))

    # -------------------------------------------------------------------------------------------------------- transform

    def _transform(self, d: Design) -> Array:
        inner = numbers_of(d, self.missing_values)
        check_finite(inner, allow_nan=True)
        missing = np.isnan(inner.numbers)
        self._warn_of_dropped(d)
        work = self._started(inner, missing)
        if self.imputation_sequence_ and work.missing.any():
            fast = not self.sample_posterior and isinstance(self.imputation_sequence_[0].estimator, BayesianLine)
            self._run_lines(work) if fast else self._run_models(work)
        out = np.where(work.missing, work.X.astype(inner.dtype), self._known(inner))
        return np.asarray(self._with_indicator(out, missing))

    def _known(self, inner: Design) -> Array:
        known = np.array(inner.numbers[:, self._kept_], copy=True)
        empty = self._empty_[self._kept_]
        known[:, empty] = self.initial_imputer_.statistics_[self._kept_][empty].astype(np.float64)
        return known

    def _run_lines(self, work: _Work) -> None:
        _, rows = self._lines_table(work.n_cols)["lines"]
        columns = np.ascontiguousarray(rows[:, 0].astype(np.int64))
        flags = work.missing.view(np.uint8)
        _core.run_chain(
            work.X, flags, columns, np.ascontiguousarray(rows[:, 1]), np.ascontiguousarray(rows[:, 2:]), self._low_,
            self._high_, self._threads,
        )  # fmt: skip

    def _run_models(self, work: _Work) -> None:
        per_pass = max(self.n_features_with_missing_, 1)
        for at, (j, others, model) in enumerate(self.imputation_sequence_):
            self._fill_one(work, j, others, model, (1 + at // per_pass, at % per_pass))


class _FastChain:
    """Lines from cross-products that follow the table as it is filled."""

    def __init__(self, work: _Work, threads: int) -> None:
        self.work, self.threads = work, threads
        shift = (work.X / len(work.X)).sum(axis=0)  # a sum of huge numbers stays in range
        largest = np.abs(work.X - shift).max(axis=0)
        scale = np.where(largest > 0, np.ldexp(1.0, -np.clip(np.frexp(largest)[1] - 1, -1000, 1000)), 1.0)
        self.units = Units(shift, scale)
        self.G = np.empty(0)

    def _sum(self, rows: Array | None) -> Floats:
        found = _core.cross_products(self.work.X, rows, self.units.shift, self.units.scale, self.threads)
        return np.asarray(found)

    def begin(self) -> None:
        """Sums over the whole table anew, so that rounding does not pile up over the passes."""
        self.G = self._sum(None)

    def fit(self, j: int, others: Array, spread: bool) -> BayesianLine:
        """The line of column j over the rows that have it."""
        gaps, n = self.work.gaps[j], len(self.work.X)
        if len(gaps) == 0:
            own = self.G
        elif 2 * len(gaps) <= n:
            own = self.G - self._sum(gaps)
        else:  # fewer rows have it than lack it
            own = self._sum(np.flatnonzero(~self.work.missing[:, j]))
        return fit_line(own, self.units, j, others, spread)

    def fill(self, j: int, others: Array, line: BayesianLine, limits: tuple[float, float]) -> None:
        """Puts the line's values into the gaps of column j, and brings G up to date."""
        if len(self.work.gaps[j]) == 0:
            return
        coef = np.zeros(self.work.n_cols)
        coef[others] = line.coef_
        shift, scale = self.units.shift, self.units.scale
        change = _core.refresh_column(
            self.work.X, self.work.gaps[j], j, line.intercept_, coef, limits, shift, scale, self.threads
        )
        self.G[:, j] += change
        self.G[j, :] = self.G[:, j]


def _others(n_cols: int, j: int, most: int | None, nearness: Floats | None, random: np.random.RandomState) -> Array:
    """The columns that predict column j: all others, or some drawn by their nearness."""
    if nearness is None or most is None:
        return np.delete(np.arange(n_cols), j)
    return np.asarray(random.choice(np.arange(n_cols), most, replace=False, p=nearness[:, j]))


def _drawn(mean: Floats, spread: Floats, low: float, high: float, u: Floats) -> Floats:
    """Normal numbers between low and high, one for each uniform u; a mean outside is set to the end."""
    found = np.clip(mean, low, high)
    free = (spread > 0) & (mean >= low) & (mean <= high)
    a, b = (low - mean[free]) / spread[free], (high - mean[free]) / spread[free]
    flip = a > -b  # the side on which probabilities are small keeps its digits
    left, right = ndtr(np.where(flip, -b, a)), ndtr(np.where(flip, -a, b))
    share = np.where(flip, 1 - u[free], u[free])
    z = ndtri(np.clip(left + share * (right - left), np.finfo(float).tiny, 1 - np.finfo(float).epsneg))
    found[free] = np.clip(mean[free] + spread[free] * np.where(flip, -z, z), low, high)
    return np.asarray(found)


def _seed(random_state: Any) -> int:
    """A number is itself; a generator is drawn from; None is fresh."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
