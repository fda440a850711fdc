"""Gradient descent in the open: every rate, order and step can be chosen and looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import (
    ConvergenceWarning,
    DataError,
    ParameterError,
    count,
    format_message,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.path import FitPath
from pellucid.estimator.single import SingleTargetMixin
from pellucid.estimator.trace import Trace
from pellucid.linear_model._linear import is_plain, largest_square, row_numbers
from pellucid.models.linear import linear_predictor

__all__ = ["GradientDescentRegressor"]

# Numbers that `path_` may hold.
_MOST_PATH = 10_000_000
# In the order of the kernel's own enumerations.
_ORDERS = ("given", "shuffled", "drawn")
_RATES = ("constant", "decay", "invscaling", "adaptive")
_STOPS = ("gradient", "improvement", "count", "callback", "overflow", "path")


def _parameters(start: Any) -> str | None:
    values = np.asarray(start) if is_plain(start) else np.empty(())
    if start is None or (values.ndim == 1 and values.dtype.kind in "iuf" and np.isfinite(values).all()):
        return None
    return f"start must be None or a list of finite numbers; got {short_repr(start)}"


class GradientDescentRegressor(SingleTargetMixin):
    """A linear model found by walking downhill: small steps against the slope of the cost, each one kept for a look.

    Minimizes  ``c/n sum_i w_i (f_i - y_i)²/2 + alpha h(theta_1 .. theta_p)``  with
    ``f_i = theta_0 + theta_1 x_i1 + ... + theta_p x_ip``,  where ``y_i`` is the target of row i, ``w_i`` its weight (of
    mean 1), ``c`` is 1 (``cost="half_squared"``) or 2 (``cost="squared"``), and the penalty ``h`` is nothing, half the
    sum of squares (``"l2"``) or the sum of absolute values (``"l1"``). Update t takes a batch ``B`` of rows and goes

    ``theta <- theta - eta_t (c/d sum_{i in B} w_i (f_i - y_i) (1, x_i) + alpha (0, h'(theta_1 .. theta_p)))``

    with the rate ``eta_t`` and the divisor ``d``: the rows of the batch (``divide="batch"``), all rows (``"rows"``) or
    1 (``"none"``). All rows at once is batch gradient descent, one row stochastic gradient descent, and what lies
    between goes by mini-batches. Rates are ``eta0`` (constant), ``t0/(t + t1)`` with t from 0 (decay),
    ``eta0/t^power_t`` with t from 1 (invscaling), or eta0 divided by 5 whenever `n_iter_no_change` epochs brought no
    improvement (adaptive). The run stops when the gradient of all rows is short enough, when epochs bring no
    improvement, or after the maximum number of epochs or steps. ``fit_with_history`` returns the tables of steps,
    epochs and visited rows; any number of threads gives the same bits.

    Prefer `LinearRegression` to have the answer itself: it is exact, faster, and needs neither a rate nor scaled
    columns. Columns of very different sizes make descent slow; scale them before.

    Attributes
    ----------
    coef_ : array of p numbers
    intercept_ : number
    n_iter_ : epochs: passes over as many rows as the table has
    n_steps_ : updates
    eta0_ : the rate of the first update
    stopped_by_ : "gradient", "improvement", "count" (of epochs or steps), or "callback"
    start_ : where it began, intercept first
    path_ : (n_steps_ + 1) x (p + 1) array: the parameters at the start and after each update, intercept first; without
        intercept it has no such column (only with ``keep_path=True``)
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Textbooks differ by a factor 2 in the cost, and some keep 1/n in the step of a single row: `cost` and `divide` say
    which. scikit-learn's SGDRegressor is ``batch_size=1`` with ``divide="batch"`` and ``learning_rate="invscaling"``;
    its stopping rule is ours (the mean over an epoch of cost and penalty before each update must fall by `tol`), but
    its rows are shuffled by another generator, its l1 penalty is cut off at zero where ours steps across, and its
    weights are not brought to mean 1 (``divide="none"`` does as it does). With ``eta0=None`` the rate is
    ``1 / (c max_i (1 + |x_i|²))``, at which no descent diverges; another divisor than the batch's rows, weights and an
    l2 penalty are allowed for.

    References
    ----------
    Bottou, Curtis, Nocedal: Optimization methods for large-scale machine learning. SIAM Review 60 (2018), section 4.
    Robbins, Monro: A stochastic approximation method. Annals of Mathematical Statistics 22 (1951).

    Examples
    --------
    Two rows in turn, one a step. At (0, 0) the first has error 0 - 1, so theta becomes (0, 0) - 0.1 (-1) (1, 1); there
    the second has error 0.3 - 3:

    >>> from pellucid.linear_model import GradientDescentRegressor
    >>> model = GradientDescentRegressor(batch_size=1, order="given", eta0=0.1, max_steps=2)
    >>> model.fit([[1], [2]], [1, 3]).path_.round(10)
    array([[0.  , 0.  ],
           [0.1 , 0.1 ],
           [0.37, 0.64]])
    """

    cost: Literal["half_squared", "squared"] = param(
        default="half_squared",
        doc="'half_squared' is the mean of (f - y)²/2, whose gradient has no factor; 'squared' the mean of (f - y)².",
    )
    penalty: Literal["l2", "l1"] | None = param(
        default=None, doc="'l2' adds alpha/2 times the sum of squares, 'l1' alpha times the sum of absolute values."
    )
    alpha: float = param(default=0.0001, low=0, doc="Strength of the penalty; without one it is not looked at.")
    fit_intercept: bool = param(default=True, doc="Is there an intercept? It is never penalized.")
    batch_size: int | None = param(
        default=None, low=1, doc="Rows of an update: None for all, 1 for stochastic gradient descent."
    )
    order: Literal["shuffled", "given", "drawn"] | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default="shuffled",
        check=row_numbers("'shuffled', 'given', 'drawn'"),
        doc="Rows of an epoch: 'shuffled' anew each time, as 'given', 'drawn' with replacement, or these row numbers "
        "in turn, over all epochs and from the start again when used up. Of no matter for batch_size=None.",
    )
    divide: Literal["batch", "rows", "none"] = param(
        default="batch",
        doc="What the sum over a batch is divided by: its rows, all rows (the 1/n kept in a stochastic step), or 1.",
    )
    learning_rate: Literal["constant", "decay", "invscaling", "adaptive"] = param(
        default="constant",
        doc="'constant' eta0; 'decay' t0/(t + t1); 'invscaling' eta0/t^power_t; 'adaptive' eta0, divided by 5 when "
        "epochs stop improving, until it is 1e-6.",
    )
    eta0: float | None = param(
        default=None, low=0, low_open=True, doc="Learning rate, or the first one; None for one that is always stable."
    )
    power_t: float = param(default=0.25, doc="Exponent of 'invscaling'.")
    t0: float = param(default=5.0, low=0, low_open=True, doc="Numerator of 'decay'.")
    t1: float = param(default=50.0, low=0, low_open=True, doc="Added to the count of steps by 'decay'.")
    max_iter: int = param(default=1000, low=1, doc="Most epochs.")
    max_steps: int | None = param(default=None, low=1, doc="Most updates; None for as many as the epochs have.")
    tol: float | None = param(
        default=1e-9,
        low=0,
        doc="Least improvement of an epoch's cost over the best so far; None to go on without improvement.",
    )
    n_iter_no_change: int = param(default=5, low=1, doc="Epochs in a row without improvement that stop the run.")
    gradient_tol: float | None = param(
        default=1e-8,
        low=0,
        doc="With batches of all rows, stop when the gradient is no longer than this; None to go on.",
    )
    start: list | tuple | np.ndarray | None = param(  # type: ignore[type-arg]
        default=None, check=_parameters, doc="First parameters, intercept first; None for zeros."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the order 'shuffled' or 'drawn'."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )
    keep_path: bool = param(default=True, doc="Keep the parameters after every update in `path_`?")

    input_spec = InputSpec(sparse=True)
    iterative = True
    path_parameters = ("max_iter",)

    def _fit(self, d: Design, trace: Trace) -> None:
        weight, mean_weight = _unit_mean(d)
        start = self._start(d)
        first = self._first_rate(d, weight, mean_weight)
        stop, epochs, steps, first_cost, last_cost, theta, path, tables = _core.descend(
            d.matrix,
            np.ascontiguousarray(d.y[:, 0]),
            weight,
            self._listed(d),
            start,
            self.penalty or "none",
            self._settings(d, mean_weight, first),
            trace.record,
            trace.listener(self._attributes),
        )
        trace.take(tables)
        if _STOPS[stop] == "path":
            self._refuse_path(d, steps, len(theta))
        if _STOPS[stop] == "overflow":
            self._refuse_overflow(d, steps, first, self._stable_rate(d, weight, mean_weight))
        self.__dict__.update(self._attributes(theta))
        self.n_iter_, self.n_steps_, self.stopped_by_ = epochs, steps, _STOPS[stop]
        self.eta0_, self.start_ = first, start
        if self.keep_path:
            self.path_ = path
        self._warn(first_cost, last_cost, lambda: self._stable_rate(d, weight, mean_weight))

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        """The longest run passes where the shorter ones end."""
        longest = max(models, key=lambda model: model.max_iter)
        rows = _num_samples(X)
        per_epoch = -(-rows // (self.batch_size or rows))
        if not self.keep_path and longest.max_iter * per_epoch > _MOST_PATH // 2:
            return FitPath([model.fit(X, y, **params) for model in models])  # where the path would not be kept
        run = clone(longest).set_params(keep_path=True).fit(X, y, **params)
        for model in models:
            steps = min(model.max_iter * per_epoch, run.n_steps_)
            cut = model.max_iter < run.n_iter_
            model.__dict__.update({name: value for name, value in vars(run).items() if name.endswith("_")})
            model.__dict__.update(self._attributes(run.path_[steps]))
            model.n_steps_, model.n_iter_ = steps, min(model.max_iter, run.n_iter_)
            model.stopped_by_ = "count" if cut else run.stopped_by_
            if self.keep_path:
                model.path_ = run.path_[: steps + 1]
            else:
                del model.path_
        return FitPath(models)

    def _attributes(self, theta: Floats) -> dict[str, Any]:
        if not self.fit_intercept:
            return {"coef_": theta, "intercept_": 0.0}
        return {"coef_": theta[1:].copy(), "intercept_": float(theta[0])}

    def _predict(self, d: Design) -> Array:
        return linear_predictor(d.matrix, self.coef_, self.intercept_, self._threads)[:, 0]

    # -------------------------------------------------------------------------------------------------------- settings

    def _settings(self, d: Design, mean_weight: float, first: float) -> _core.DescentSettings:
        s = _core.DescentSettings()
        s.factor = self._factor
        s.alpha = self.alpha
        s.intercept = self.fit_intercept
        s.batch = d.n_rows if self.batch_size is None else self.batch_size
        s.divide_by_rows = float(self.divide == "batch")
        s.divide_by = {"batch": 0.0, "rows": float(d.n_rows), "none": 1 / mean_weight}[self.divide]
        if self.batch_size is None:
            s.set_order(0)
        elif isinstance(self.order, str):
            s.set_order(_ORDERS.index(self.order))
            if self.order != "given":
                self._seed_ = s.seed = seed_from(self.random_state)  # kept: a working runs the same order again
        else:
            s.set_order(len(_ORDERS))
        s.set_rate(_RATES.index(self.learning_rate), first, self.power_t, self.t0, self.t1)
        s.gradient_tol = -1.0 if self.gradient_tol is None else self.gradient_tol
        s.tol = -np.inf if self.tol is None else self.tol
        s.patience, s.most_epochs = self.n_iter_no_change, self.max_iter
        if self.max_steps is not None:
            s.most_steps = self.max_steps
        s.most_path = _MOST_PATH if self.keep_path else 0
        s.threads = self._threads
        return s

    @property
    def _factor(self) -> float:
        return 2.0 if self.cost == "squared" else 1.0

    def _first_rate(self, d: Design, weight: Floats | None, mean_weight: float) -> float:
        if self.learning_rate == "decay":
            return self.t0 / self.t1
        if self.eta0 is not None:
            return float(self.eta0)
        rate = self._stable_rate(d, weight, mean_weight)
        if rate == 0:
            requirement, actual = "X must have a size at which a rate can be found", "squares of its rows overflow"
            raise DataError(format_message(d.who, requirement, actual=actual, hint="scale the columns"))
        return rate

    def _stable_rate(self, d: Design, weight: Floats | None, mean_weight: float) -> float:
        """A rate at which no update overshoots: 1 over a bound on the curvature of a batch's cost and penalty."""
        with np.errstate(over="ignore"):
            longest = largest_square(d, weight)
            rows = min(self.batch_size or d.n_rows, d.n_rows)
            heaviest = min(rows * (1.0 if weight is None else float(weight.max())), float(d.n_rows))
            divisor = {"batch": float(rows), "rows": float(d.n_rows), "none": 1 / mean_weight}[self.divide]
            curvature = self._factor * heaviest / divisor * (longest + self.fit_intercept)
        curvature += self.alpha if self.penalty == "l2" else 0.0
        return float(1 / curvature) if curvature > 0 else 1.0

    def _listed(self, d: Design) -> Array | None:
        if isinstance(self.order, str) or self.batch_size is None:
            return None
        rows = np.ascontiguousarray(self.order, dtype=np.int64)
        wrong = rows[(rows < 0) | (rows >= d.n_rows)]
        if len(wrong):
            requirement = f"order must hold row numbers from 0 to {d.n_rows - 1}"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got {noun_list('row', dict.fromkeys(wrong.tolist()))}")
            )
        return rows

    def _start(self, d: Design) -> Floats:
        size = d.n_cols + int(self.fit_intercept)
        start = np.zeros(size) if self.start is None else np.array(self.start, dtype=np.float64)
        if len(start) != size:
            layout = "the intercept and one a column" if self.fit_intercept else "one a column"
            requirement = f"start must hold {count(size, 'number')}: {layout}"
            raise ParameterError(format_message(d.who, requirement, actual=f"got {len(start)}"))
        return start

    # -------------------------------------------------------------------------------------------- refusals and warnings

    def _refuse_path(self, d: Design, steps: int, width: int) -> None:
        requirement = f"the path must stay within {_MOST_PATH:,} numbers"
        actual = f"after {count(steps, 'step')} of {count(width, 'parameter')} it is full"
        raise DataError(
            format_message(
                d.who, requirement, actual=actual, hint="set keep_path=False, or stop earlier with max_steps"
            )
        )

    def _refuse_overflow(self, d: Design, steps: int, first: float, stable: float) -> None:
        if steps == 0:
            requirement, actual = "the cost at the start must be a finite number", "X, y or start are too large"
            raise DataError(format_message(d.who, requirement, actual=actual, hint="rescale them"))
        safe = f"lower the rate ({stable:.2g} is always stable for this table), or " if stable > 0 else ""
        name = self._rate_name(first)
        raise DataError(
            format_message(
                d.who,
                "the cost must stay finite",
                actual=f"with {name} the steps grew until it overflowed after {count(steps, 'step')}",
                hint=f"{safe}scale the columns",
            )
        )

    def _rate_name(self, first: float) -> str:
        return f"t0={self.t0:g}, t1={self.t1:g}" if self.learning_rate == "decay" else f"eta0={first:g}"

    def _warn(self, first_cost: float, last_cost: float, stable: Callable[[], float]) -> None:
        """Says so when `tol` was asked for and not reached. A count of steps that was asked for is an end."""
        if self.tol is None or self.max_steps is not None or self.stopped_by_ in ("gradient", "callback"):
            return
        who, after = type(self).__name__, f"after {count(self.n_iter_, 'epoch')}"
        every_row = self.batch_size is None or (isinstance(self.order, str) and self.order != "drawn")
        if last_cost > 2 * first_cost and every_row:
            name = self._rate_name(self.eta0_)
            actual = f"with {name} it rose from {first_cost:.3g} to {last_cost:.3g} {after}"
            hint = f"lower the rate ({stable():.2g} is always stable for this table)"
            warn(format_message(who, "the cost should fall", actual=actual, hint=hint), ConvergenceWarning)
        elif self.stopped_by_ == "count":
            hint = "raise max_iter, or scale the columns; tol=None asks for this many epochs"
            warn(format_message(who, f"tol was not reached {after}", hint=hint), ConvergenceWarning)


def _unit_mean(d: Design) -> tuple[Floats | None, float]:
    """Weights of mean one, and the mean that they had."""
    weight, unit = d.unit_weight
    if weight is None:
        return None, 1.0
    mean = float(weight.mean())
    return weight / mean, mean * unit
