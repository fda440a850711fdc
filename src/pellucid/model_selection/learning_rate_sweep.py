"""Choosing a learning rate: the same descent with rates 0.001, 0.003, 0.01, ... side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import indexable

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.metrics import hinge_loss, log_loss, mean_squared_error, zero_one_loss
from pellucid.model_selection._folds import check_model
from pellucid.model_selection.iterations import stages

__all__ = ["LearningRateLadder", "SweepPoint", "ladder_rates", "learning_rate_sweep"]

Verdict = Literal["steady", "slow", "bounces", "diverges"]
Cost = Callable[[Any, Any, Any], float]
# Parameters that hold a rate, in the order in which they are looked for.
NAMES = ("eta0", "learning_rate_init", "learning_rate")
# Schedules that do not begin at eta0.
OWN_RATES = ("optimal", "decay")
# As shares of the way from the start to the lowest cost that any rate reached: what rises may add up to before a run
# bounces, and how far from the lowest cost a run that is not slow may end.
BOUNCE, SLOW = 0.05, 0.05


@dataclass(frozen=True, eq=False)
class SweepPoint:
    """One rate: the cost after each epoch, and what is to be said of it.

    costs : one number an epoch; a run that overflowed ends with infinity
    verdict : "steady" (it falls and has arrived), "slow" (it is still on its way), "bounces" (it rises again and
        again), "diverges" (it ends far above where it began)
    """

    rate: float
    costs: Floats
    verdict: Verdict

    @property
    def diverges(self) -> bool:
        return self.verdict == "diverges"

    @property
    def label(self) -> str:
        """The rate in words, for a line of a picture."""
        return f"rate {self.rate:g}" + ("" if self.verdict == "steady" else f" {_IN_WORDS[self.verdict]}")


_IN_WORDS = {"slow": "is slow", "bounces": "bounces", "diverges": "diverges"}


@dataclass(frozen=True, eq=False)
class LearningRateLadder:
    """The costs of all rates, lowest rate first.

    rungs : one `Rung` a rate
    best : the rate to take: of those that fall steadily the one whose costs are lowest over all epochs; None if every
        rate diverges
    start : the cost before the first epoch, of predicting zero or, for classes, of knowing nothing; None for a cost of
        one's own
    parameter, cost_name : which parameter was set, and what was measured
    """

    rungs: list[SweepPoint]
    best: float | None
    start: float | None
    parameter: str
    cost_name: str

    @property
    def rates(self) -> Floats:
        return np.array([rung.rate for rung in self.rungs])

    @property
    def advice(self) -> str:
        """What to do, in a sentence."""
        low, high = self.rungs[0], self.rungs[-1]
        if self.best is None:
            return f"every rate diverges: try lower ones than {low.rate:g}, or scale the columns"
        taken = f"take {self.parameter}={self.best:g}"
        by_rate = {rung.rate: rung.verdict for rung in self.rungs}
        if by_rate[self.best] == "slow" and self.best == high.rate:
            return f"{taken}, or try higher ones: all are still on their way"
        if by_rate[self.best] == "bounces":
            return f"{taken} with a rate that shrinks, or try lower ones: no rate falls steadily"
        if by_rate[self.best] == "slow":
            return f"{taken} with more epochs: higher rates bounce or diverge"
        return taken

    def __str__(self) -> str:
        lines = [f"{'rate':>10}  {'after 1':>10}  {'at the end':>10}  {'epochs':>6}  verdict"]
        for rung in self.rungs:
            mark = "  <- best" if rung.rate == self.best else ""
            costs = f"{rung.costs[0]:10.4g}  {rung.costs[-1]:10.4g}  {len(rung.costs):6d}"
            lines.append(f"{rung.rate:10g}  {costs}  {rung.verdict}{mark}")
        return "\n".join([*lines, self.advice])


def ladder_rates(low: float = 0.001, high: float = 1.0) -> list[float]:
    """The rates 1, 3, 10, 30, ... times a power of ten from ``low`` to ``high``.

    >>> ladder_rates(0.001, 0.1)
    [0.001, 0.003, 0.01, 0.03, 0.1]
    """
    if not (0 < low <= high < math.inf):
        requirement = "low and high must be numbers above 0, low at most high"
        raise ParameterError(
            format_message("ladder_rates", requirement, actual=f"got {short_repr(low)} and {short_repr(high)}")
        )
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    known = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in (1, 3)]
    return [rate for rate in known if low <= rate <= high]


def learning_rate_sweep(
    estimator: Any,
    X: Any,
    y: Any,
    rates: Sequence[float] | None = None,
    *,
    max_iterations: int = 50,
    parameter: str | None = None,
    iterations: str | None = None,
    cost: Any = None,
) -> LearningRateLadder:
    """Fits the same model with several learning rates and says which falls steadily, which is slow, which diverges.

    Too low a rate is still on its way when the epochs are used up; a higher one arrives; one that is too high bounces
    about the lowest point or leaves for good. A rate at which the cost overflows is a result here, not an error. The
    models start alike and see the rows in the same order. Scale the columns before: rates depend on their size.

    Parameters
    ----------
    estimator : one that is fitted in epochs and has a rate: `GradientDescentRegressor`, `SGDRegressor`,
        `SGDClassifier`, any with ``partial_fit`` or ``warm_start``; as the last step of a `Pipeline`, whose other
        steps are then fitted once. It stays as it is.
    X, y : rows to fit; costs are those of the same rows
    rates : numbers above 0; 0.001, 0.003, 0.01, ... 1 unless given (see `ladder_rates`)
    max_iterations : epochs of every run
    parameter : the name of the rate; "eta0", "learning_rate_init" or "learning_rate" is found by itself
    iterations : the parameter that counts epochs; found by itself where it has a usual name
    cost : function of (model, X, y); unless given the mean squared error, for classes the log loss, or the hinge loss
        where there are no probabilities. Penalties are not part of it.

    Returns
    -------
    LearningRateLadder

    Examples
    --------
    >>> from pellucid.linear_model import GradientDescentRegressor
    >>> X, y = [[-1.5], [-0.5], [0.5], [1.5]], [1, 2, 2, 3]
    >>> ladder = learning_rate_sweep(GradientDescentRegressor(tol=None), X, y, [0.01, 0.1, 1, 3])
    >>> [rung.verdict for rung in ladder.rungs], ladder.best
    (['slow', 'steady', 'steady', 'diverges'], 1.0)
    """
    who = "learning_rate_sweep"
    check_model(who, estimator)
    chosen = _rates(who, rates)
    X, y = indexable(X, y)
    if type(estimator) is Pipeline and len(estimator.steps) > 1:
        X, estimator = clone(estimator[:-1]).fit_transform(X, y), estimator[-1]
    name = _rate_of(who, estimator, parameter)
    base = clone(estimator)
    if "random_state" in base.get_params() and base.get_params()["random_state"] is None:
        base.set_params(random_state=0)
    measure, start, cost_name = _measure(base, y, cost)
    found: list[Floats] = []
    errors: list[Exception] = []
    for rate in chosen:
        costs, error = _run(who, clone(base).set_params(**{name: rate}), X, y, max_iterations, iterations, measure)
        found.append(costs)
        errors += [] if error is None or len(costs) > 1 else [error]
    if not any(np.isfinite(costs).any() for costs in found):  # not even an epoch of the lowest rate: it is not the rate
        if errors:
            raise errors[0]
        requirement, actual = "some rate must have a finite cost after its first epoch", "none has"
        raise DataError(format_message(who, requirement, actual=actual, hint="try lower rates, or scale the columns"))
    return _judged(chosen, found, start, name, cost_name)


# ------------------------------------------------------------------------------------------------------------ reading


def _rates(who: str, rates: Any) -> list[float]:
    values: list[Any] = ladder_rates() if rates is None else list(rates) if np.ndim(rates) == 1 else []
    good = [isinstance(rate, int | float | np.number) and 0 < rate < math.inf for rate in values]
    if not values or not all(good):
        raise ParameterError(
            format_message(who, "rates must be a list of numbers above 0", actual=f"got {short_repr(rates)}")
        )
    return sorted({float(rate) for rate in values})


def _rate_of(who: str, estimator: Any, parameter: str | None) -> str:
    known = estimator.get_params(deep=False)
    kind = type(estimator).__name__
    if parameter is not None and parameter not in known:
        raise ParameterError(
            format_message(who, f"parameter must be one of {kind}'s", actual=f"got {short_repr(parameter)}")
        )
    found = parameter or next((name for name in NAMES if name in known), None)
    if found is None:
        requirement, hint = f"{kind} must have a learning rate", "parameter='...' names it"
        raise ParameterError(format_message(who, requirement, actual=f"it has none of {', '.join(NAMES)}", hint=hint))
    schedule = known.get("learning_rate")
    if found == "eta0" and schedule in OWN_RATES:
        requirement, actual = (
            "needs a model whose rate begins at eta0",
            f"learning_rate={schedule!r} does not look at it",
        )
        raise ParameterError(format_message(who, requirement, actual=actual, hint="learning_rate='constant'"))
    return found


def _measure(estimator: Any, y: Any, cost: Any) -> tuple[Cost, float | None, str]:
    """The cost of a model, that of knowing nothing, and its name."""
    if cost is not None and not callable(cost):
        requirement = "cost must be None or a function of (model, X, y)"
        raise ParameterError(format_message("learning_rate_sweep", requirement, actual=f"got {short_repr(cost)}"))
    if cost is not None:
        return lambda model, X, y: float(cost(model, X, y)), None, getattr(cost, "__name__", "cost")
    if not is_classifier(estimator):
        nothing = np.zeros(np.shape(y))
        with np.errstate(over="ignore"):
            start = float(mean_squared_error(y, nothing))
        return lambda model, X, y: float(mean_squared_error(y, model.predict(X))), start, "mean squared error"
    n_classes = len(np.unique(np.asarray(y)))
    if hasattr(estimator, "predict_proba"):
        return (
            lambda model, X, y: float(log_loss(y, model.predict_proba(X), labels=model.classes_)),
            math.log(n_classes),
            "log loss",
        )
    if hasattr(estimator, "decision_function"):
        return (
            lambda model, X, y: float(hinge_loss(y, model.decision_function(X), labels=model.classes_)),
            1.0,
            "hinge loss",
        )
    return lambda model, X, y: float(zero_one_loss(y, model.predict(X))), 1 - 1 / n_classes, "share of wrong answers"


# ------------------------------------------------------------------------------------------------------------ running


def _run(
    who: str, model: Any, X: Any, y: Any, most: int, iterations: str | None, measure: Cost
) -> tuple[Floats, Exception | None]:
    """The cost after each epoch; where a fit overflows, up to there, then infinity, with what it said."""
    costs: list[float] = []
    try:
        for cost in _followed(stages(who, model, X, y, most, iterations, {}), X, y, measure):
            costs.append(cost)
            if not math.isfinite(cost):
                break
        return np.array(costs), None
    except ParameterError:
        raise
    except (ValueError, FloatingPointError) as error:
        refused = error
    good, bad = len(costs), most  # a path of fits is refused as a whole: where it overflows has to be looked for
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            costs = list(_followed(stages(who, model, X, y, middle, iterations, {}), X, y, measure))
            good = middle
        except (ValueError, FloatingPointError):
            bad = middle
    return np.array([*costs, math.inf]), refused


def _followed(run: Iterator[tuple[int, Any]], X: Any, y: Any, measure: Cost) -> Iterator[float]:
    with np.errstate(over="ignore", invalid="ignore"):
        for _, model in run:
            try:
                value = measure(model, X, y)
            except (ValueError, OverflowError):  # predictions that are no numbers any more
                value = math.inf
            yield value if math.isfinite(value) else math.inf


# ------------------------------------------------------------------------------------------------------------ judging


def _judged(
    rates: list[float], found: list[Floats], start: float | None, name: str, cost_name: str
) -> LearningRateLadder:
    ends = [float(costs[-1]) for costs in found]
    finite = np.concatenate(found)
    finite = finite[np.isfinite(finite)]
    lowest = float(finite.min())
    begin = max(float(costs[0]) for costs in found if math.isfinite(costs[0])) if start is None else start
    way = max(begin - lowest, 0.0)
    rungs = [
        SweepPoint(rate, costs, _verdict(costs, end, begin, lowest, way))
        for rate, costs, end in zip(rates, found, ends, strict=True)
    ]
    return LearningRateLadder(rungs, _best(rungs, lowest), start, name, cost_name)


def _verdict(costs: Floats, end: float, start: float, lowest: float, way: float) -> Verdict:
    first = float(costs[0])
    if not math.isfinite(end) or end > 2 * first or (end > 2 * start and end > first / 2):
        return "diverges"
    rises = np.diff(costs)
    if rises[rises > 0].sum() > BOUNCE * way:
        return "bounces"
    return "slow" if end - lowest > SLOW * way else "steady"


def _best(rungs: list[SweepPoint], lowest: float) -> float | None:
    """Of the first kind that is there: steady runs by their costs over all epochs, others by where they end."""
    longest = max(len(rung.costs) for rung in rungs)
    for verdict in ("steady", "slow", "bounces"):
        kind = [rung for rung in rungs if rung.verdict == verdict]
        if not kind:
            continue
        if verdict != "steady":
            return min(kind, key=lambda rung: float(rung.costs[-1])).rate
        return min(kind, key=lambda rung: float((_stretched(rung.costs, longest) - lowest).sum())).rate
    return None


def _stretched(costs: Floats, length: int) -> Array:
    """A run that ended by itself stays where it is."""
    return np.append(costs, np.full(length - len(costs), costs[-1]))
