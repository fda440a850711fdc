"""What models by stochastic gradient descent share: their settings, their runs, and learning in parts.

A run starts from parameters and leaves parameters (`Found`); `fit` makes as many epochs as its rule wants,
`partial_fit` one, and both keep what the next part goes on from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, count, format_message, noun_list, warn
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats, History
from pellucid.data.design import Design, InputSpec, attach_weight, infer_schema
from pellucid.estimator.trace import Trace
from pellucid.linear_model._linear import SparseCoefficients, dense_coefficients, largest_square, row_numbers
from pellucid.models.linear import linear_predictor

# In the order of the kernel's own enumerations.
_RATES = ("constant", "decay", "invscaling", "adaptive", "optimal")
_STEPS = ("rate", "pa1", "pa2")
_ORDERS = {"given": 0, "listed": 3, "shuffled": 4}
_STOPS = ("improvement", "count", "callback", "overflow")
# Parameters beyond this are tried on the rows.
_SUSPECT = 1e100
_MOST_SEED = np.iinfo(np.int32).max
# The steepest a loss can become, as a bound on its second derivative; none where its slope is bounded.
_CURVATURES = {"squared_error": 1.0, "squared_hinge": 2.0, "squared_epsilon_insensitive": 2.0, "modified_huber": 2.0}


class Plan(NamedTuple):
    """The loss and how long its steps are."""

    loss: str
    learning_rate: str
    epsilon: float = 0.1
    power_t: float = 0.5
    t0: float = 5.0
    t1: float = 50.0
    average: int = 0
    zero_is_wrong: tuple[bool, bool] = (True, True)  # is a score of zero a mistake for the two classes? (perceptron)


@dataclass
class Found:
    """Parameters of k models (k x p, k), their running averages where they are kept, and the updates made so far."""

    coef: Floats
    intercept: Floats
    average_coef: Floats | None = None
    average_intercept: Floats | None = None
    updates: float = 0.0

    def copied(self, averaging: bool) -> Found:
        """A copy to go on from, with averages or without."""
        coef, intercept = self.coef.copy(), self.intercept.copy()
        if not averaging:
            return Found(coef, intercept, updates=self.updates)
        if self.average_coef is None or self.average_intercept is None:
            return Found(coef, intercept, np.zeros_like(coef), np.zeros_like(intercept), self.updates)
        return Found(coef, intercept, self.average_coef.copy(), self.average_intercept.copy(), self.updates)

    def take(self, block: slice, arrays: tuple[Floats, ...]) -> None:
        """What a run found for some of the models."""
        self.coef[block], self.intercept[block] = arrays[0], arrays[1]
        if self.average_coef is not None and self.average_intercept is not None:
            self.average_coef[block], self.average_intercept[block] = arrays[2], arrays[3]


class Runs(NamedTuple):
    """One row a model: the code of its class, weights of its rows and of the others, seed of its order."""

    rows: Floats

    @classmethod
    def of(cls, codes: Any, positive: Any, negative: Any, seeds: Any) -> Runs:
        columns = np.broadcast_arrays(codes, positive, negative, seeds)
        return cls(np.ascontiguousarray(np.column_stack(columns), dtype=np.float64))


class StochasticModel(SparseCoefficients):
    """A linear model that learns row by row, or by small batches."""

    penalty: Literal["l2", "l1", "elasticnet"] | None = param(
        default="l2",
        doc="'l2' adds alpha/2 times the sum of squares, 'l1' alpha times the sum of absolute values, 'elasticnet' "
        "both in the shares that l1_ratio says.",
    )
    alpha: float = param(default=0.0001, low=0, doc="Strength of the penalty; the rate 'optimal' goes by it too.")
    l1_ratio: float | None = param(default=0.15, low=0, high=1, doc="Share of l1 in 'elasticnet'.")
    fit_intercept: bool = param(default=True, doc="Is there an intercept? It is never penalized.")
    max_iter: int = param(default=1000, low=1, doc="Most epochs of `fit`.")
    tol: float | None = param(
        default=1e-3,
        doc="Least improvement of an epoch; n_iter_no_change epochs in a row below it end the run. None or -inf: none.",
    )
    shuffle: bool = param(default=True, doc="Are the rows shuffled anew for each epoch?")
    verbose: int | bool = param(
        default=0, doc="For scikit-learn's sake: nothing is printed; callbacks tell the epochs."
    )
    eta0: float = param(default=0.01, low=0, low_open=True, doc="Learning rate, or the first one.")
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the order of the rows and of the rows held out. A whole number gives scikit-learn's."
    )
    early_stopping: bool = param(
        default=False, doc="Hold rows out and stop when their score, accuracy or R², does not improve any more?"
    )
    validation_fraction: float = param(
        default=0.1, low=0, high=1, low_open=True, high_open=True, doc="Share of the rows that are held out."
    )
    n_iter_no_change: int = param(default=5, low=1, doc="Epochs without improvement that end the run.")
    warm_start: bool = param(default=False, doc="Does `fit` start from the parameters of the last one?")
    batch_size: int | None = param(
        default=1, low=1, doc="Rows of an update, which follows their mean: 1 is row by row, None takes all at once."
    )
    order: Literal["given", "shuffled"] | list | tuple | np.ndarray | None = param(  # type: ignore[type-arg]
        default=None,
        check=row_numbers("'shuffled', 'given', None"),
        doc="Rows of an epoch: 'given', 'shuffled', or these row numbers in turn, over all epochs and from the start "
        "again when used up. None: as `shuffle` says.",
    )
    restore_best: bool = param(
        default=False, doc="Of early_stopping: take the parameters of the epoch with the best score, not the last?"
    )
    intercept_decay: float = param(
        default=1.0,
        low=0,
        high=1,
        doc="The intercept's steps are this many times as long. scikit-learn takes 0.01 for sparse tables.",
    )
    n_jobs: int | None = param(
        default=None,
        doc="Threads for several classes and for batches of many rows: None or -1 for all available cores. Their "
        "number changes no bit of the result.",
    )

    input_spec = InputSpec(sparse=True)
    iterative = True

    # ---------------------------------------------------------------------------------------------------------- methods

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Learns from a table and its target.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n numbers or labels
            The target.
        coef_init : p numbers, or k x p, optional
            Coefficients to start from; zeros unless told.
        intercept_init : one number, or k, optional
            Intercept to start from.
        sample_weight : n numbers, optional
            How many times as long the step of each row is.

        Returns
        -------
        self
        """
        with self._from(coef_init, intercept_init):
            self._run_fit(X, y, sample_weight)
        return self

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit_with_history(
        self, X: Any, y: Any = None, sample_weight: Any = None, coef_init: Any = None, intercept_init: Any = None
    ) -> History:
        """Fits like `fit` and returns what the kernel recorded: tables of updates, epochs and visited rows.

        The fitted numbers are the same, bit for bit.
        """
        with self._from(coef_init, intercept_init):
            return self._run_fit(X, y, sample_weight, record=True).tables

    @contextmanager
    def _from(self, coef: Any, intercept: Any) -> Iterator[None]:
        """Where the next run begins: at the parameters given, or at those of the last fit where that is wanted."""
        if self.warm_start and hasattr(self, "coef_"):
            coef = dense_coefficients(self.coef_) if coef is None else coef
            intercept = self.intercept_ if intercept is None else intercept
        self._begin = (coef, intercept)
        try:
            yield
        finally:
            del self._begin

    def _fit_again(self) -> dict[str, Any]:
        """What a working needs to run the fit once more."""
        coef, intercept = self._start_
        return {"coef_init": coef, "intercept_init": intercept}

    def _fit(self, d: Design, trace: Trace) -> None:
        self._check_together()
        start = self._start(d)
        self._start_ = (start.coef.copy(), start.intercept.copy())
        self._learn(d, start, self.max_iter, trace)
        self._warn()

    def _fit_part(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """One epoch over one more part of a table."""
        self._check_params()
        self._check_together()
        if self.early_stopping:
            requirement, hint = (
                "early_stopping should be False with partial_fit",
                "score each part before you learn from it",
            )
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual="got early_stopping=True", hint=hint)
            )
        first = not hasattr(self, "coef_")
        d = infer_schema(X, self.input_spec, type(self).__name__) if first else self._validate_predict(X)
        self._attach_target(d, y)
        attach_weight(d, sample_weight)
        if first:
            self._begin = (None, None)
            start = self._start(d)
            del self._begin
            self._start_ = (start.coef.copy(), start.intercept.copy())
            self._keep_schema(d.schema)
        with serial_blas():
            self._learn(d, start if first else self._found_, 1, Trace())
        return self

    # -------------------------------------------------------------------------------------------------------------- run

    @property
    def settled_loss(self) -> str:
        """The name of the loss that is minimized."""
        return str(self._plan().loss)

    def _plan(self) -> Plan:
        raise TypeError(f"{type(self).__name__} must write _plan")

    def _models(self) -> int:
        """How many models there are: one, or one a class."""
        return 1

    def _runs(self, d: Design, seed: int) -> Runs:
        raise TypeError(f"{type(self).__name__} must write _runs")

    def _keep(self, coef: Floats, intercept: Floats, dtype: Any) -> dict[str, Any]:
        """Parameters of k models as attributes."""
        raise TypeError(f"{type(self).__name__} must write _keep")

    def _learn(self, d: Design, start: Found, epochs: int, trace: Trace) -> None:
        plan, dtype = self._plan(), np.float32 if d.dtype == np.float32 else np.float64
        seed, held_out = self._chance(d)
        settings = self._settings(d, plan, epochs, start.updates)
        ends, state = self._run(d, start, self._runs(d, seed), held_out, plan, settings, trace)
        if (ends[:, 0] == _STOPS.index("overflow")).any():
            self._refuse_overflow(d, int(ends[:, 1].max()), plan, settings.rate_at(start.updates))
        self.n_iter_ = int(ends[:, 1].max())
        state.updates = start.updates + self.n_iter_ * self._updates_of_epoch(d)
        self.t_ = state.updates + 1.0
        coef, intercept = state.coef, state.intercept
        if state.average_coef is not None and state.average_intercept is not None and plan.average <= state.updates:
            coef, intercept = state.average_coef, state.average_intercept
        if self._overflows(d, coef, intercept, dtype):
            self._refuse_overflow(d, self.n_iter_, plan, settings.rate_at(start.updates))
        self.__dict__.update(self._keep(coef.copy(), intercept.copy(), dtype))
        self._found_ = state
        if held_out is not None:
            self.best_score_ = float(ends[0, 3]) if len(ends) == 1 else ends[:, 3].copy()
            self.best_iter_ = int(ends[0, 4]) if len(ends) == 1 else ends[:, 4].astype(int)

    def _run(
        self,
        d: Design,
        start: Found,
        runs: Runs,
        held_out: Array | None,
        plan: Plan,
        settings: _core.SgdSettings,
        trace: Trace,
    ) -> tuple[Floats, Found]:
        """All models at once; or one after the other, where somebody follows."""
        loss = _core.Loss(plan.loss, float(plan.epsilon), *plan.zero_is_wrong)
        y, matrix, listed = np.ascontiguousarray(d.y[:, 0]), by_rows(d), self._listed(d)
        now, k = start.copied(bool(plan.average)), len(runs.rows)
        followed = trace.record or trace.listener(dict) is not None
        ends = []
        for block in [slice(t, t + 1) for t in range(k)] if followed else [slice(0, k)]:

            def current(theta: Floats, block: slice = block) -> dict[str, Any]:
                now.coef[block], now.intercept[block] = theta[1:], theta[0]
                return self._keep(now.coef.copy(), now.intercept.copy(), np.float64)

            end, *arrays, tables = _core.sgd(
                matrix,
                y,
                d.weight,
                listed,
                held_out,
                runs.rows[block],
                now.coef[block],
                now.intercept[block],
                None if now.average_coef is None else now.average_coef[block],
                None if now.average_intercept is None else now.average_intercept[block],
                loss,
                settings,
                trace.record,
                trace.listener(current),
            )
            now.take(block, tuple(arrays))
            trace.take(tables, None if k == 1 else block.start)
            ends.append(end)
        return np.vstack(ends), now

    def _overflows(self, d: Design, coef: Floats, intercept: Floats, dtype: Any) -> bool:
        """Do parameters leave the range of their precision, or the scores of the rows that of numbers?"""
        largest = max(float(np.abs(coef).max(initial=0.0)), float(np.abs(intercept).max(initial=0.0)))
        if largest > float(np.finfo(dtype).max):
            return True
        return largest > _SUSPECT and not np.isfinite(linear_predictor(d.matrix, coef, intercept, self._threads)).all()

    def _updates_of_epoch(self, d: Design) -> int:
        """As scikit-learn counts them for its rates: rows held out among them."""
        return -(-d.n_rows // min(self.batch_size or d.n_rows, d.n_rows))

    # --------------------------------------------------------------------------------------------------------- settings

    def _check_together(self) -> None:
        """What single parameters cannot say of each other."""
        who, plan = type(self).__name__, self._plan()
        if plan.learning_rate == "optimal" and self.alpha == 0:
            requirement = "alpha must be > 0 since learning_rate is 'optimal', which goes by 1/(alpha t)"
            raise ParameterError(
                format_message(who, requirement, actual="got alpha=0", hint="take another learning_rate")
            )
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            requirement = "l1_ratio must be set when penalty is 'elasticnet'"
            raise ParameterError(format_message(who, requirement, actual="got None", hint="0.5 for equal shares"))
        if plan.learning_rate in _STEPS and self.batch_size != 1:
            requirement = f"learning_rate={plan.learning_rate!r} goes row by row: batch_size must be 1"
            raise ParameterError(format_message(who, requirement, actual=f"got batch_size={self.batch_size!r}"))

    def _settings(self, d: Design, plan: Plan, epochs: int, begin: float) -> _core.SgdSettings:
        s = _core.SgdSettings()
        ratio = {"l1": 1.0, "l2": 0.0, None: 0.0}.get(self.penalty, self.l1_ratio or 0.0)
        if self.penalty is not None:
            s.l1, s.l2 = self.alpha * ratio, self.alpha * (1 - ratio)
        s.intercept, s.intercept_decay = self.fit_intercept, float(self.intercept_decay)
        s.negative = 0.0 if plan.loss in ("log_loss", "squared_sigmoid") else -1.0
        s.batch = min(self.batch_size or d.n_rows, d.n_rows)
        s.set_order(_ORDERS[self._order_name()])
        s.tol = -np.inf if self.tol is None else float(self.tol)
        s.patience, s.most_epochs, s.begin = self.n_iter_no_change, epochs, begin
        s.average_from = float(plan.average) if plan.average else -1.0
        s.restore_best = self.restore_best
        s.diverged = 2 * max(1.0, float(np.abs(d.y).max()))
        s.threads = self._threads
        steps = _STEPS.index(plan.learning_rate) if plan.learning_rate in _STEPS else 0
        s.set_step(steps)
        kind = _RATES.index("constant" if steps else plan.learning_rate)
        t_optimal = _first_count(plan, self.alpha) if plan.learning_rate == "optimal" else 0.0
        s.set_rate(kind, self.eta0, plan.power_t, plan.t0, plan.t1, self.alpha, t_optimal)
        return s

    def _order_name(self) -> str:
        if self.order is None:
            return "shuffled" if self.shuffle else "given"
        return self.order if isinstance(self.order, str) else "listed"

    def _listed(self, d: Design) -> Array | None:
        if self._order_name() != "listed":
            return None
        rows = np.ascontiguousarray(self.order, dtype=np.int64)
        wrong = rows[(rows < 0) | (rows >= d.n_rows)]
        if len(wrong):
            requirement = f"order must hold row numbers from 0 to {d.n_rows - 1}"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got {noun_list('row', dict.fromkeys(wrong.tolist()))}")
            )
        return rows

    def _chance(self, d: Design) -> tuple[int, Array | None]:
        """The seed of this run, and flags of the rows held out. A seed that was drawn is kept for the working."""
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            self._seed_ = seed = int(check_random_state(seed).randint(_MOST_SEED))
        seed = int(seed) % 2**32
        return seed, self._held_out(d, seed) if self.early_stopping else None

    def _held_out(self, d: Design, seed: int) -> Array:
        """scikit-learn's rows: by classes where there are classes."""
        splitter = StratifiedShuffleSplit if d.classes else ShuffleSplit
        split = splitter(test_size=self.validation_fraction, random_state=seed)
        try:
            _, rows = next(split.split(np.zeros((d.n_rows, 1)), d.y[:, 0] if d.classes else None))
        except ValueError as error:
            requirement = (
                f"validation_fraction={self.validation_fraction:g} must leave rows to learn from and rows to score"
            )
            actual = f"{count(d.n_rows, 'row')}: {str(error).splitlines()[0].rstrip('.')}"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="set early_stopping=False for so few rows")
            ) from None
        flags = np.zeros(d.n_rows, dtype=np.uint8)
        flags[rows] = 1
        if d.weight is not None and not d.weight[rows].any():
            requirement = "The sample weights for validation set are all zero, consider using a different random state"
            raise DataError(format_message(d.who, requirement))
        return flags

    def _start(self, d: Design) -> Found:
        k, (coef, intercept) = self._models(), self._begin
        return Found(
            _shaped(d.who, "coef_init", coef, (k, d.n_cols)),
            _shaped(d.who, "intercept_init", intercept, (k,)),
        )

    # -------------------------------------------------------------------------------------------- refusals and warnings

    def _refuse_overflow(self, d: Design, epoch: int, plan: Plan, first: float) -> None:
        heaviest = 1.0 if d.weight is None else float(d.weight.max())
        curvature = _CURVATURES.get(plan.loss, 1.0) * heaviest * (largest_square(d) + self.fit_intercept)
        stable = 1 / curvature if 0 < curvature < np.inf else 0.0
        safe = "lower the rate" if plan.learning_rate != "optimal" else "take learning_rate='constant' with a low eta0"
        safe = f"{safe} ({stable:.2g} is always stable for this table), or " if stable > 0 else ""
        name = {
            "optimal": f"learning_rate='optimal', which began at {first:.3g},",
            "decay": f"t0={plan.t0:g}, t1={plan.t1:g}",
        }.get(plan.learning_rate, f"eta0={self.eta0:g}")
        raise DataError(
            format_message(
                d.who,
                "the scores must stay within reach of the target",
                actual=f"with {name} the steps grew without end in epoch {epoch}",
                hint=f"{safe}scale the columns",
            )
        )

    def _warn(self) -> None:
        """Says so when `tol` was asked for and not reached."""
        if self.tol is None or self.tol == -np.inf or self.n_iter_ < self.max_iter:
            return
        hint = "raise max_iter, or scale the columns; tol=None asks for this many epochs"
        requirement = f"tol was not reached after {count(self.n_iter_, 'epoch')}"
        warn(format_message(type(self).__name__, requirement, hint=hint), ConvergenceWarning)


def by_rows(d: Design) -> _core.Matrix:
    """The table with the numbers of a row side by side: a row is what every step reads."""
    if d.table.is_sparse or d.n_cols == 1 or d.numbers.strides[1] == d.numbers.itemsize:
        return d.matrix
    return _core.dense(np.ascontiguousarray(d.numbers))


def _first_count(plan: Plan, alpha: float) -> float:
    """Bottou's t0: with 1/(alpha t0) for its first rate no step is longer than a typical coefficient 1/alpha^(1/4)."""
    typical = np.sqrt(1 / np.sqrt(alpha))
    _, gradient = _core.Loss(plan.loss, float(plan.epsilon), *plan.zero_is_wrong).measure(1.0, -typical)
    return float(1 / (typical / max(1.0, gradient) * alpha))


def _shaped(who: str, name: str, value: Any, shape: tuple[int, ...]) -> Floats:
    if value is None:
        return np.zeros(shape)
    size = int(np.prod(shape))
    try:
        values = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(format_message(who, f"{name} must hold numbers", actual=f"got {value!r}")) from None
    if values.size != size or (shape[0] > 1 and values.shape != shape):
        requirement = f"Provided {name} does not match dataset: its shape must be {shape}"
        raise DataError(format_message(who, requirement, actual=f"got shape {values.shape}"))
    if not np.isfinite(values).all():
        raise DataError(format_message(who, f"{name} must be finite", actual="it holds NaN or infinity"))
    return values.reshape(shape)
