"""What networks share: their parameters, the start, the run of the kernel, and learning in parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, count, format_message, short_repr, warn
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats, History
from pellucid.data.design import Design, InputSpec, attach_weight, infer_schema
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.trace import Trace

# In the order of the kernel's own enumerations.
_BENDS = ("identity", "logistic", "tanh", "relu", "softmax", "exp")
_LOSSES = ("squared_error", "log_loss", "poisson")
_SOLVERS = ("adam", "sgd", "lbfgs")
_STOPS = ("improvement", "count", "told", "overflow", "flat")
_RATES = {"constant": 0, "invscaling": 2, "adaptive": 3}
# Streams of the random numbers: those below are the orders of the epochs.
_START_STREAM = 2**40
_AUTO_BATCH = 200


def check_sizes(value: Any) -> str | None:
    """What is wrong with the sizes of hidden layers, or None."""
    requirement = "hidden_layer_sizes must be > 0: a whole number, or a list of them, one a hidden layer"
    try:
        sizes = np.atleast_1d(np.asarray(value))
    except ValueError:
        return f"{requirement}; got {short_repr(value)}"
    if sizes.size == 0:
        return None
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes <= 0).any() or (sizes >= 2**30).any():
        return f"{requirement}; got {short_repr(value)}"
    return None


def check_patience(value: Any) -> str | None:
    """A number of epochs is whole, or infinite."""
    if isinstance(value, float) and value != np.inf:
        return f"n_iter_no_change must be a whole number of at least 1, or inf; got {value!r}"
    return None


def check_arrays(name: str, dimensions: int) -> Callable[[Any], str | None]:
    """A check of weights or biases that are given: an array for each layer."""

    def check(value: Any) -> str | None:
        if value is None:
            return None
        for layer, one in enumerate(value):
            try:
                array = np.asarray(one, dtype=np.float64)
            except (TypeError, ValueError):
                array = np.empty(())
            if array.ndim != dimensions or not np.isfinite(array).all():
                requirement = f"{name} must be a list of arrays of finite numbers in {count(dimensions, 'dimension')}"
                return f"{requirement}, one a layer; got {short_repr(one)} for layer {layer + 1}"
        return None

    return check


@dataclass
class Moments:
    """What updates go on from: two running means (or the velocity), and counts as the kernel keeps them."""

    first: Floats
    second: Floats
    counts: Floats  # updates, rows, epochs, divisor of the rate, lowest loss, epochs without improvement

    @classmethod
    def fresh(cls) -> Moments:
        return cls(np.empty(0), np.empty(0), np.array([0.0, 0.0, 0.0, 1.0, np.inf, 0.0]))


class NetworkModel(Estimator):
    """A network of layers that learns by backpropagation."""

    solver: Literal["lbfgs", "sgd", "adam"] = param(
        default="adam",
        doc="'adam' and 'sgd' go batch by batch, 'lbfgs' looks at all rows for every step: the best for small tables.",
    )
    alpha: float = param(default=0.0001, low=0, doc="Strength of the penalty on squared weights; biases have none.")
    batch_size: int | Literal["auto"] = param(
        default="auto", low=1, doc="Rows of an update; more than there are takes all. 'auto': 200. Not of 'lbfgs'."
    )
    learning_rate: Literal["constant", "invscaling", "adaptive"] = param(
        default="constant",
        doc="Of 'sgd': 'constant'; 'invscaling' divides by (rows so far + 1)^power_t after each epoch; 'adaptive' "
        "divides by 5 when epochs stop improving, until it is 1e-6.",
    )
    learning_rate_init: float = param(default=0.001, low=0, low_open=True, doc="Length of a step, or of the first.")
    power_t: float = param(default=0.5, low=0, doc="Exponent of 'invscaling'.")
    max_iter: int = param(default=200, low=1, doc="Most epochs; of 'lbfgs' most steps.")
    shuffle: bool = param(default=True, doc="Do rows come in a new order each epoch?")
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the first weights, of the order of the rows and of the rows held out."
    )
    tol: float | None = param(
        default=1e-4,
        low=0,
        doc="Least improvement of an epoch; more than n_iter_no_change epochs in a row below it end the run. Of "
        "'lbfgs': the run ends when no slope is above it. None: all epochs are made.",
    )
    verbose: int | bool = param(
        default=False, doc="For scikit-learn's sake: nothing is printed; callbacks tell the epochs."
    )
    warm_start: bool = param(default=False, doc="Does `fit` start from the weights of the last one?")
    momentum: float = param(default=0.9, low=0, high=1, doc="Of 'sgd': share of the last step that the next keeps.")
    nesterovs_momentum: bool = param(default=True, doc="Of 'sgd': is the gradient's step taken after the momentum's?")
    early_stopping: bool = param(
        default=False, doc="Hold rows out, stop when their score stops improving, and keep the best weights?"
    )
    validation_fraction: float = param(
        default=0.1, low=0, high=1, low_open=True, high_open=True, doc="Share of the rows that are held out."
    )
    beta_1: float = param(default=0.9, low=0, high=1, high_open=True, doc="Of 'adam': what the mean gradient keeps.")
    beta_2: float = param(default=0.999, low=0, high=1, high_open=True, doc="Of 'adam': what the mean square keeps.")
    epsilon: float = param(default=1e-8, low=0, low_open=True, doc="Of 'adam': added to the divisor.")
    n_iter_no_change: int | float = param(
        default=10, low=1, check=check_patience, doc="Epochs without improvement that a run may have in a row."
    )
    max_fun: int = param(default=15000, low=1, doc="Of 'lbfgs': most looks at all rows.")
    coefs_init: list | tuple | None = param(  # type: ignore[type-arg]
        default=None,
        check=check_arrays("coefs_init", 2),
        doc="Weights to start from, an array (inputs x units) for each layer. None: drawn at random.",
    )
    intercepts_init: list | tuple | None = param(  # type: ignore[type-arg]
        default=None,
        check=check_arrays("intercepts_init", 1),
        doc="Biases to start from, an array for each layer. None: drawn, or 0 where coefs_init is given.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)
    iterative = True
    _score_code: ClassVar[int] = 0

    # --------------------------------------------------------------------------------------------- what classes write

    def _hidden(self) -> tuple[Any, str]:
        """Sizes of the hidden layers, and their bend."""
        raise TypeError(f"{type(self).__name__} must write _hidden")

    def _targets(self, d: Design) -> Floats:
        """One column an output."""
        raise TypeError(f"{type(self).__name__} must write _targets")

    def _output(self) -> tuple[str, str]:
        """The bend of the outputs, and the loss."""
        raise TypeError(f"{type(self).__name__} must write _output")

    # -------------------------------------------------------------------------------------------------------- fitting

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit_with_history(
        self, X: Any, y: Any = None, sample_weight: Any = None, start: Floats | None = None
    ) -> History:
        """Fits like `fit` and returns what the kernel recorded: epochs, and of a small network its first updates.

        The fitted numbers are the same, bit for bit.

        Parameters
        ----------
        X, y, sample_weight : as `fit` takes them
        start : all weights and biases as one vector, optional
        """
        self._begin = start
        try:
            return self._run_fit(X, y, sample_weight, record=True).tables
        finally:
            self.__dict__.pop("_begin", None)

    def _fit_again(self) -> dict[str, Any]:
        """What a working needs to run the fit once more."""
        return {"start": self._start_}

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        if self.warm_start and hasattr(self, "coefs_") and getattr(self, "_begin", None) is None:
            self._begin, self._begin_classes = self._theta(), getattr(self, "classes_", None)
            try:
                return super()._fit_table(X, y, sample_weight, record)
            finally:
                self.__dict__.pop("_begin", None)
                self.__dict__.pop("_begin_classes", None)
        return super()._fit_table(X, y, sample_weight, record)

    def _fit(self, d: Design, trace: Trace) -> None:
        targets = self._targets(d)
        self._begin_layers(d, targets.shape[1])
        start = self._start(d.who)
        self._learn(d, targets, start, Moments.fresh(), self.max_iter, trace)
        self._warn()

    def _keep_curve(self, losses: Floats, scores: Floats, best: float, rows: int) -> None:
        self.loss_: float = float(losses[-1])
        self.t_ = self.n_iter_ * rows
        if self.solver == "lbfgs":
            self.best_loss_: float | None = float(losses.min())
            return
        self.t_ = int(self._moments_.counts[1])
        self.loss_curve_: list[float] = losses.tolist()
        self.best_loss_ = float(self._moments_.counts[4])
        self.validation_scores_: list[float] | None = None
        self.best_validation_score_: float | None = None
        if self.early_stopping:
            self.best_loss_ = None
            self.validation_scores_, self.best_validation_score_ = scores.tolist(), float(best)

    def _fit_part(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """One epoch over one more part of a table."""
        self._check_params()
        who = type(self).__name__
        first = not hasattr(self, "coefs_")
        d = infer_schema(X, self.input_spec, who) if first else self._validate_predict(X)
        self._attach_target(d, y)
        attach_weight(d, sample_weight)
        targets = self._targets(d)
        if first:
            self._keep_schema(d.schema)
            self._begin_layers(d, targets.shape[1])
            start, state = self._start(who), Moments.fresh()
        else:
            start, state = self._theta(), self._moments_
        if targets.shape[1] != self.n_outputs_:
            requirement = f"y must have {count(self.n_outputs_, 'column')}, as in the first part"
            raise DataError(format_message(who, requirement, actual=f"got {targets.shape[1]}"))
        curve: list[float] = [] if first else list(self.loss_curve_)
        with serial_blas():
            self._learn(d, targets, start, state, 1, Trace())
        self.loss_curve_ = curve + self.loss_curve_
        return self

    def _begin_layers(self, d: Design, outputs: int) -> None:
        sizes = [int(size) for size in np.atleast_1d(np.asarray(self._hidden()[0], dtype=np.int64))]
        self._units_ = [d.n_cols, *sizes, outputs]
        self.n_layers_ = len(self._units_)
        self.n_outputs_ = outputs
        self.out_activation_ = self._output()[0]
        self._dtype_ = np.dtype(np.float32 if d.dtype == np.float32 else np.float64)
        self._seed_ = seed_from(self.random_state)

    def _learn(self, d: Design, targets: Floats, start: Floats, state: Moments, epochs: int, trace: Trace) -> None:
        learned, held = self._held_out(d) if self.early_stopping and self.solver != "lbfgs" else (None, None)
        settings = self._settings(d.n_rows if learned is None else len(learned), epochs)

        def current(theta: Floats) -> dict[str, Any]:
            coefs, intercepts = self._layers(theta)
            names = ("_units_", "_dtype_", "n_layers_", "n_outputs_", "out_activation_")
            return {"coefs_": coefs, "intercepts_": intercepts, **{name: getattr(self, name) for name in names}}

        stop, done, losses, scores, best, theta, first, second, counts, tables = _core.train_network(
            d.matrix,
            np.ascontiguousarray(targets),
            d.weight,
            learned,
            held,
            self._network(),
            settings,
            start,
            state.first,
            state.second,
            state.counts,
            trace.record,
            trace.listener(current),
        )
        trace.take(tables)
        self._start_ = start
        with np.errstate(over="ignore"):
            self.coefs_, self.intercepts_ = self._layers(theta)
        finite = all(np.isfinite(part).all() for part in self.coefs_ + self.intercepts_)
        if _STOPS[stop] == "overflow" or not finite:
            self._refuse_overflow(d.who, done)
        self.n_iter_ = done
        self._stop_ = _STOPS[stop]
        self._moments_ = Moments(first, second, counts)
        self._keep_curve(losses, scores, best, d.n_rows if learned is None else len(learned))

    def _network(self) -> _core.Network:
        bend, loss = self._output()
        return _core.Network(self._units_, _BENDS.index(self._hidden()[1]), _BENDS.index(bend), _LOSSES.index(loss))

    def _settings(self, rows: int, epochs: int) -> _core.NetworkSettings:
        s = _core.NetworkSettings()
        s.set_solver(_SOLVERS.index(self.solver))
        s.set_score(self._score_code)
        rate = self.learning_rate if self.solver == "sgd" else "constant"
        s.set_rate(_RATES[rate], float(self.learning_rate_init), float(self.power_t))
        s.alpha, s.tol = float(self.alpha), -1.0 if self.tol is None else float(self.tol)
        s.batch = min(_AUTO_BATCH if isinstance(self.batch_size, str) else int(self.batch_size), rows)
        s.most_epochs, s.most_evaluations = int(epochs), int(self.max_fun)
        s.patience = 2**62 if self.n_iter_no_change == np.inf else int(self.n_iter_no_change)
        s.momentum, s.nesterov = float(self.momentum), bool(self.nesterovs_momentum)
        s.beta_1, s.beta_2, s.epsilon = float(self.beta_1), float(self.beta_2), float(self.epsilon)
        s.shuffle, s.seed, s.threads = bool(self.shuffle), self._seed_, self._threads
        return s

    def _held_out(self, d: Design) -> tuple[Array, Array]:
        """Rows to learn from and rows to score: by classes where there are classes."""
        splitter = StratifiedShuffleSplit if d.classes else ShuffleSplit
        split = splitter(n_splits=1, test_size=self.validation_fraction, random_state=self._seed_ % 2**32)
        hint = "raise validation_fraction, or set early_stopping=False for so few rows"
        try:
            learned, held = next(split.split(np.zeros((d.n_rows, 1)), d.y[:, 0] if d.classes else None))
        except ValueError as error:
            requirement = (
                f"validation_fraction={self.validation_fraction:g} must leave rows to learn from and rows to score"
            )
            actual = f"{count(d.n_rows, 'row')}: {str(error).splitlines()[0].rstrip('.')}"
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint)) from None
        if len(held) < 2 or (d.weight is not None and not d.weight[held].any()):
            requirement = "two rows or more must be held out, one of them with a weight above zero"
            actual = f"The validation set is too small: {len(held)} of {count(d.n_rows, 'row')}"
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
        return np.sort(learned).astype(np.int64), np.sort(held).astype(np.int64)

    # -------------------------------------------------------------------------------------------- weights and biases

    def _start(self, who: str) -> Floats:
        """The first parameters: those of the last fit, those given, or drawn (Glorot, Bengio 2010)."""
        begin: Floats | None = self.__dict__.get("_begin")
        size = sum((before + 1) * after for before, after in zip(self._units_, self._units_[1:], strict=False))
        if begin is not None:
            if len(begin) != size:
                requirement = "warm_start needs the layers, columns and classes of the last fit"
                hint = "set warm_start=False to start anew"
                raise DataError(format_message(who, requirement, actual=f"got layers of {self._units_} now", hint=hint))
            return begin
        parts = []
        for layer, (before, after) in enumerate(zip(self._units_, self._units_[1:], strict=False)):
            bound = np.sqrt((2.0 if self._hidden()[1] == "logistic" else 6.0) / (before + after))
            drawn = bound * (2 * uniform(self._seed_, _START_STREAM + layer, (before + 1) * after) - 1)
            if self.coefs_init is not None:
                drawn[: before * after] = self._given(who, "coefs_init", layer, (before, after))
                drawn[before * after :] = 0.0
            if self.intercepts_init is not None:
                drawn[before * after :] = self._given(who, "intercepts_init", layer, (after,))
            parts.append(drawn)
        return np.concatenate(parts)

    def _given(self, who: str, name: str, layer: int, shape: tuple[int, ...]) -> Floats:
        """One layer of the start that was given, as one row of numbers."""
        given, layers = getattr(self, name), len(self._units_) - 1
        if len(given) != layers:
            requirement = f"{name} must have an array for each of {count(layers, 'layer')}, hidden ones and outputs"
            raise ParameterError(format_message(who, requirement, actual=f"got {len(given)}"))
        array = np.asarray(given[layer], dtype=np.float64)
        if array.shape != shape:
            requirement = f"{name}[{layer}] must have the shape {shape}: of {count(self._units_[layer], 'input')} to "
            requirement += count(self._units_[layer + 1], "unit")
            raise ParameterError(format_message(who, requirement, actual=f"got shape {array.shape}"))
        return array.ravel()

    def _layers(self, theta: Floats) -> tuple[list[Floats], list[Floats]]:
        """The vector of the kernel as weights and biases of each layer."""
        coefs, intercepts, at = [], [], 0
        for before, after in zip(self._units_, self._units_[1:], strict=False):
            coefs.append(theta[at : at + before * after].reshape(before, after).astype(self._dtype_))
            at += before * after
            intercepts.append(theta[at : at + after].astype(self._dtype_))
            at += after
        return coefs, intercepts

    def _theta(self) -> Floats:
        """Weights and biases as the kernel's vector."""
        parts = [part.ravel() for pair in zip(self.coefs_, self.intercepts_, strict=True) for part in pair]
        return np.concatenate(parts).astype(np.float64)

    def _answers(self, d: Design) -> Floats:
        """The outputs for each row."""
        with serial_blas():
            return _core.network_answers(d.matrix, self._network(), self._theta(), self._threads)

    # ------------------------------------------------------------------------------------------ refusals and warnings

    def _refuse_overflow(self, who: str, done: int) -> None:
        requirement = "weights must stay finite"
        what = "step" if self.solver == "lbfgs" else "epoch"
        actual = f"Solver produced non-finite parameter weights after {count(done, what)}"
        hint = "scale the columns and the target, or lower learning_rate_init"
        raise DataError(format_message(who, requirement, actual=actual, hint=hint))

    def _warn(self) -> None:
        """Says so when `tol` was asked for and not reached."""
        if self.tol is None or self._stop_ != "count":
            return
        what = "step" if self.solver == "lbfgs" else "epoch"
        requirement = f"tol was not reached after {count(self.n_iter_, what)}"
        actual = f"Maximum iterations ({self.max_iter}) reached and the optimization hasn't converged yet"
        hint = f"raise max_iter, or scale the columns; tol=None asks for this many {what}s"
        if self.n_iter_ < self.max_iter:
            actual = f"max_fun={self.max_fun} looks at all rows were made"
            hint = hint.replace("max_iter", "max_fun")
        warn(format_message(type(self).__name__, requirement, actual=actual, hint=hint), ConvergenceWarning)
