"""Runs of gradient descent as the plots need them: read from a fitted model, or made with several rates."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import DataError, NotFittedError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Floats
from pellucid.linear_model import GradientDescentRegressor, SGDRegressor
from pellucid.plotting._bowl import Bowl, bowl
from pellucid.plotting._read import column_names, in_order, name_of, names_of, numbers
from pellucid.plotting._style import plain

# Numbers in a path that is made for a picture.
MOST_NUMBERS = 1_000_000


@dataclass(frozen=True)
class Table:
    """The rows that a picture is about, in the model's order of columns."""

    X: Floats
    y: Floats
    names: list[str]
    target: str


@dataclass(frozen=True)
class Run:
    """Where a rate led, and what each place costs; a run that overflowed ends with an infinite cost."""

    rate: float
    path: Floats
    costs: Floats

    @property
    def diverges(self) -> bool:
        """As `GradientDescentRegressor` sees it when it warns: the cost is twice what it was."""
        return bool(self.costs[-1] > 2 * self.costs[0])

    @property
    def label(self) -> str:
        return f"rate {self.rate:g}" + (" diverges" if self.diverges else "")


@dataclass(frozen=True)
class Walk:
    """The run of an `SGDRegressor` with what a `GradientDescentRegressor` keeps of its own."""

    path_: Floats
    coef_: Floats
    n_iter_: int
    fit_intercept: bool
    batch_size: int | None
    penalty: str | None
    alpha: float
    feature_names_in_: Any = None
    cost: str = "half_squared"

    @property
    def start_(self) -> Floats:
        return np.asarray(self.path_[0])

    @property
    def n_steps_(self) -> int:
        return len(self.path_) - 1


Descent = GradientDescentRegressor | Walk
"""What descended, with its path."""


def descent(who: str, model: Any, X: Any, y: Any) -> Descent:
    """A fitted descent. An `SGDRegressor` keeps no path: its fit is run again, with its trace on."""
    if isinstance(model, GradientDescentRegressor):
        return model
    if not isinstance(model, SGDRegressor):
        requirement = "needs a GradientDescentRegressor or an SGDRegressor"
        raise DataError(format_message(who, requirement, actual=f"got {short_repr(model)}"))
    kind = type(model).__name__
    if not hasattr(model, "coef_"):
        raise NotFittedError(
            format_message(who, "needs a fitted model", actual=f"{kind} has no coef_", hint="call fit first")
        )
    _check_drawable(who, model)
    again = clone(model).set_params(random_state=getattr(model, "_seed_", model.random_state))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say was said when the model was fitted
        columns, steps = again.fit_with_history(X, y, **model._fit_again())["steps"]
    if not np.array_equal(again.coef_, model.coef_):
        requirement, actual = (
            "needs the rows that the model was fitted to",
            f"fitted to these, {kind} has another coef_",
        )
        raise DataError(format_message(who, requirement, actual=actual))
    if not np.array_equal(steps[:, 0], np.arange(1, len(steps) + 1)):
        actual = f"{kind} took {int(steps[-1, 0]):,}, and {len(steps):,} are recorded"
        raise DataError(
            format_message(
                who, "needs a run whose updates are all recorded", actual=actual, hint="fit it for fewer epochs"
            )
        )
    coef, intercept = again._start_
    start = np.append(intercept[:1], coef[0]) if model.fit_intercept else coef[0]
    first = list(columns).index("theta_0" if model.fit_intercept else "theta_1")
    path = np.vstack([start, steps[:, first : first + len(start)]])
    penalty = None if model.penalty is None or model.alpha == 0 else str(model.penalty)
    return Walk(
        path, np.asarray(model.coef_, dtype=np.float64), int(model.n_iter_), bool(model.fit_intercept),
        model.batch_size, penalty, float(model.alpha), getattr(model, "feature_names_in_", None),
    )  # fmt: skip


def _check_drawable(who: str, model: SGDRegressor) -> None:
    """The cost that is drawn is that of squared errors, over all rows."""
    if model.loss != "squared_error":
        raise DataError(format_message(who, "needs a model with loss='squared_error'", actual=f"got {model.loss!r}"))
    if model.penalty == "elasticnet":
        raise DataError(
            format_message(who, "needs a model with penalty None, 'l1' or 'l2'", actual=f"got {model.penalty!r}")
        )
    if model.early_stopping:
        actual = "early_stopping=True holds some out"
        raise DataError(
            format_message(
                who, "needs a run over all rows", actual=actual, hint="set early_stopping=False and fit again"
            )
        )


def read(who: str, model: Descent, X: Any, y: Any) -> tuple[Table, Bowl]:
    """The table of a fitted model that kept its path, and its cost on it."""
    kind = type(model).__name__
    if not hasattr(model, "coef_"):
        raise NotFittedError(
            format_message(who, "needs a fitted model", actual=f"{kind} has no coef_", hint="call fit first")
        )
    if not hasattr(model, "path_"):
        actual = f"{kind} was fitted with keep_path=False and has no path_"
        raise DataError(
            format_message(who, "needs the path of the descent", actual=actual, hint="set keep_path=True and fit again")
        )
    table = _table(who, X, y, names_of(model, X, len(model.coef_)))
    return table, bowl(model, table.X, table.y)


def make(who: str, model: GradientDescentRegressor, X: Any, y: Any, rates: Any, steps: int) -> tuple[Table, list[Run]]:
    """The same descent once a rate: from the same start, over the same rows, for so many updates."""
    _check_kind(who, model)
    if model.learning_rate == "decay":
        actual = "learning_rate='decay' goes by t0 and t1"
        raise ParameterError(
            format_message(
                who, "needs a model whose rate begins at eta0", actual=actual, hint="learning_rate='constant'"
            )
        )
    learning_rates = _rates(who, rates)
    table = _table(who, X, y, column_names(X))
    max_steps = max(MOST_NUMBERS // (len(table.names) + 1), 1)
    if not isinstance(steps, int | np.integer) or not 1 <= steps <= max_steps:
        name = "steps" if who == "rate_steps" else "max_steps"
        requirement = (
            f"{name} must be a whole number from 1 to {max_steps:,} for a table of {count(len(table.names), 'column')}"
        )
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(steps)}"))
    cost = bowl(model, table.X, table.y)
    return table, [_run(model, X, y, rate, int(steps), cost) for rate in learning_rates]


def updates_an_epoch(who: str, model: Descent, n_rows: int) -> int:
    """How many updates a pass over the rows takes; the model's own counts tell whether these are its rows."""
    size = n_rows if model.batch_size is None else model.batch_size
    updates = -(-n_rows // size)
    if -(-model.n_steps_ // updates) != model.n_iter_:
        actual = (
            f"{count(n_rows, 'row')} in batches of {size} are {count(updates, 'update')} an epoch, and the model took "
            f"{count(model.n_steps_, 'update')} in {count(model.n_iter_, 'epoch', 'epochs')}"
        )
        raise DataError(format_message(who, "X must have the rows that the model was fitted to", actual=actual))
    return updates


def _check_kind(who: str, model: Any) -> None:
    if not isinstance(model, GradientDescentRegressor):
        raise DataError(format_message(who, "needs a GradientDescentRegressor", actual=f"got {short_repr(model)}"))


def _rates(who: str, rates: Any) -> list[float]:
    values: Sequence[Any] = list(rates) if np.ndim(rates) == 1 else []
    good = [isinstance(rate, int | float | np.number) and 0 < rate < np.inf for rate in values]
    if not values or not all(good):
        raise ParameterError(
            format_message(who, "rates must be a list of numbers above 0", actual=f"got {short_repr(rates)}")
        )
    return [float(rate) for rate in values]


def _table(who: str, X: Any, y: Any, names: list[str] | None) -> Table:
    ordered = X if names is None else in_order(who, X, names)
    values = numbers(who, "X", ordered.toarray() if hasattr(ordered, "toarray") else ordered)
    observed = numbers(who, "y", y)
    if values.ndim != 2 or observed.shape[:1] != values.shape[:1] or observed.size != len(values):
        requirement = "X must be a table and y one column with as many rows"
        hint = "a single column is a table as X.reshape(-1, 1) or frame[['name']]"
        raise DataError(
            format_message(who, requirement, actual=f"got shapes {values.shape} and {observed.shape}", hint=hint)
        )
    width = values.shape[1]
    if names is None:
        names = ["x"] if width == 1 else [f"x{j + 1}" for j in range(width)]
    if len(names) != width:
        actual = f"the model was fitted to {len(names)}, and X has {width}"
        raise DataError(format_message(who, "X must have as many columns as the model", actual=actual))
    return Table(values, observed.ravel(), [plain(name) for name in names], plain(name_of(y)))


def _run(model: GradientDescentRegressor, X: Any, y: Any, rate: float, steps: int, cost: Bowl) -> Run:
    """One rate. Rules that stop early are off, so that every run has its updates; rows come alike for all rates.

    A fit whose cost overflows keeps nothing: the last update before that is found by bisection.
    """
    seed = 0 if model.random_state is None else model.random_state
    settings = {"eta0": rate, "tol": None, "gradient_tol": None, "random_state": seed, "keep_path": True}
    run = clone(model).set_params(max_iter=steps, **settings)
    try:
        path = run.set_params(max_steps=steps).fit(X, y).path_
        return Run(rate, path, cost(path))
    except DataError as error:
        refused = error
    start = np.zeros(cost.triangle.shape[1]) if model.start is None else np.asarray(model.start, dtype=np.float64)
    path, good, bad = start[None], 0, steps
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            path, good = run.set_params(max_steps=middle).fit(X, y).path_, middle
        except DataError:
            bad = middle
    costs = cost(path)
    if not np.isfinite(costs[0]):  # it was not the rate
        raise refused
    return Run(rate, path, np.append(costs, np.inf))
