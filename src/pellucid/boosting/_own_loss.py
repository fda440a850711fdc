"""A user's own loss: a function that tells the slopes of the loss at the scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.types import Array, Floats

__all__ = ["check_loss"]

# Trees keep slopes in single precision, and sampling multiplies them.
_LARGEST = 1e36
_PARTS = ("gradient", "curvature")


def weight_word(function: Any) -> str | None:
    """The name of the argument for weights: one called sample_weight or weight, or a third one that has to be given."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some functions written in C do not tell
        return None
    for parameter in parameters:
        if parameter.name in ("sample_weight", "weight") and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            return parameter.name
    by_place = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    return by_place[2].name if len(by_place) > 2 and by_place[2].default is inspect.Parameter.empty else None


@dataclass(frozen=True)
class CustomObjective:
    """A function of (y, scores), and of weights where it takes them, that tells gradient and curvature of each row.

    who : the model that asks
    """

    function: Callable[..., Any]
    who: str
    word: str | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "word", weight_word(self.function))

    @property
    def name(self) -> str:
        """What it is called."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def has_value(self) -> bool:
        """Does it tell the loss itself?"""
        return callable(getattr(self.function, "value", None))

    def slopes(
        self, y: Floats, scores: Floats, weight: Floats | None, rows: Array, when: str, unit: float = 1.0
    ) -> tuple[Floats, Floats]:
        """Gradient and curvature, rows x outputs, times the weights.

        weight : divided by `unit`, and so are the slopes
        rows : what the rows are called; when : in which round, say
        """
        scores_view = _as_told(scores)
        extra_args = {} if self.word is None else {self.word: np.ones(len(y)) if weight is None else weight * unit}
        pair = self._ask(self.function, y, scores_view, extra_args, when)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            actual = f"{self.name} returned {_kind_of(pair)}"
            hint = "give an object of that class" if isinstance(self.function, type) else ""
            raise ParameterError(
                format_message(self.who, "loss must return a pair (gradient, curvature)", actual=actual, hint=hint)
            )
        arrays = [
            self._read(array, what, scores_view.shape).reshape(scores.shape)
            for array, what in zip(pair, _PARTS, strict=True)
        ]
        self._check(arrays[0], arrays[1], rows, when)
        if weight is not None:
            arrays = [array * weight[:, None] if self.word is None else array / unit for array in arrays]
        self._check_sizes(arrays, rows, when)
        return arrays[0], arrays[1]

    def values(self, y: Floats, scores: Floats) -> Floats:
        """The loss of each row."""
        value = getattr(self.function, "value", None)
        if not callable(value):
            requirement = f"loss must have a method value(y, scores) for the loss of each row; {self.name} has none"
            raise ParameterError(format_message(self.who, requirement, hint="name another metric in scoring"))
        returned = self._ask(value, y, _as_told(scores), {}, "value")
        each = self._read(returned, "value", y.shape)
        if not np.isfinite(each).all():
            position = int(np.flatnonzero(~np.isfinite(each))[0])
            actual = f"got {each[position]} at place {position} of {count(len(each), 'row')}"
            raise ParameterError(format_message(self.who, "value of loss must be finite", actual=actual))
        return each

    def mean(self, y: Floats, scores: Floats, weight: Floats | None) -> float:
        """The mean over the rows."""
        return float(np.average(self.values(y, scores), weights=weight))

    def _ask(self, function: Any, y: Floats, scores: Floats, extra_args: dict[str, Any], when: str) -> Any:
        try:
            if self.word in extra_args and _by_place(function, self.word):
                return function(y, scores, extra_args[self.word])
            return function(y, scores, **extra_args)
        except Exception as error:
            message = (str(error).strip().splitlines() or [""])[0].rstrip(".")
            actual = f"{self.name} raised {type(error).__name__}{': ' + message if message else ''} ({when})"
            raise ParameterError(
                format_message(self.who, "loss must answer without an error", actual=actual)
            ) from error

    def _read(self, returned: Any, what: str, shape: tuple[int, ...]) -> Floats:
        """One of the arrays that it returned, as numbers."""
        expected = "numbers of the shape of the scores" if what in _PARTS else "a number a row"
        requirement = f"{what} of loss must hold {expected}"
        try:
            array = np.asarray(returned)
        except ValueError:
            raise ParameterError(
                format_message(self.who, requirement, actual=f"{self.name} returned rows of different lengths")
            ) from None
        if array.shape != shape:
            raise ParameterError(format_message(self.who, requirement, actual=f"got shape {array.shape} for {shape}"))
        if array.dtype.kind not in "fiub":
            raise ParameterError(format_message(self.who, requirement, actual=f"got {array.dtype}"))
        return array.astype(np.float64)

    def _check(self, gradient: Floats, curvature: Floats, rows: Array, when: str) -> None:
        """Slopes that trees can be grown on."""
        for array, what in ((gradient, "gradient"), (curvature, "curvature")):
            if not np.isfinite(array).all():
                first_value = _first(array, ~np.isfinite(array), rows)
                raise ParameterError(
                    format_message(self.who, f"{what} of loss must be finite", actual=f"got {first_value} ({when})")
                )
        if (curvature < 0).any():
            first_value = _first(curvature, curvature < 0, rows)
            hint = "return its size, or at least 1e-6: leaves step by -gradient / curvature"
            requirement = "curvature of loss must not be below zero"
            raise ParameterError(format_message(self.who, requirement, actual=f"got {first_value} ({when})", hint=hint))
        flat = (gradient != 0).any(axis=0) & (curvature == 0).all(axis=0)
        if flat.any():
            hint = "return ones for steps along the gradient alone"
            actual = f"all of it is zero ({when})"
            raise ParameterError(
                format_message(self.who, "curvature of loss must be above zero in some row", actual=actual, hint=hint)
            )

    def _check_sizes(self, arrays: list[Floats], rows: Array, when: str) -> None:
        for array, what in zip(arrays, _PARTS, strict=True):
            if (np.abs(array) > _LARGEST).any():
                first_value = _first(array, np.abs(array) > _LARGEST, rows)
                requirement = f"{what} of loss must be at most {_LARGEST:g} in size, with its weight"
                raise ParameterError(
                    format_message(
                        self.who, requirement, actual=f"got {first_value} ({when})", hint="divide y by a large number"
                    )
                )


class OwnRounds:
    """The rounds of a booster, on slopes of a user's own loss. Rows held out or of weight zero are not shown to it."""

    def __init__(
        self,
        booster: Any,
        loss: CustomObjective,
        y: Floats,
        weight: Floats | None,
        unit: float,
        validation_rows: Array | None,
    ) -> None:
        used = np.ones(len(y), dtype=bool) if weight is None else weight > 0
        if validation_rows is not None:
            used &= validation_rows == 0
        self._booster, self._loss, self._unit = booster, loss, unit
        self._shape = (len(y), len(booster.start))
        self._rows = np.flatnonzero(used)
        self._y = np.array(y[self._rows], dtype=np.float64)
        self._weight = None if weight is None else np.array(weight[self._rows])
        for array in (self._y, self._weight):
            if array is not None:
                array.flags.writeable = False  # the next round needs them as they are

    @property
    def has_value(self) -> bool:
        """Is there a mean loss?"""
        return self._loss.has_value

    def grow(self, rounds: int) -> None:
        """Some rounds more."""
        for _ in range(rounds):
            when = f"round {self._booster.rounds + 1}"
            gradient_pair = self._loss.slopes(self._y, self._scores(), self._weight, self._rows, when, self._unit)
            gradient, curvature = np.zeros(self._shape), np.zeros(self._shape)
            gradient[self._rows], curvature[self._rows] = gradient_pair
            self._booster.grow_on(gradient, curvature)

    def mean_loss(self) -> float:
        """Of the rows that are learned from."""
        return self._loss.mean(self._y, self._scores(), self._weight)

    def _scores(self) -> Floats:
        return np.asarray(self._booster.scores())[self._rows]


class LossErrors(NamedTuple):
    """The largest relative errors of a loss's slopes; NaN for what was not looked at."""

    gradient: float
    curvature: float


def check_loss(
    loss: Callable[..., Any],
    y: Any,
    scores: Any,
    sample_weight: Any = None,
    *,
    curvature: bool = True,
    tol: float = 1e-4,
) -> LossErrors:
    """Checks the slopes that a loss of your own returns against differences.

    With the loss L of a row at its score f, and a small step e,

        ``gradient  = dL/df    =  (L(f + e) - L(f - e)) / 2e``
        ``curvature = d²L/df²  =  (g(f + e) - g(f - e)) / 2e``

    up to terms of the size e². The gradient g is looked at where the loss has a method ``value(y, scores)`` that tells
    L for each row; the curvature is held against differences of the gradient. Of several scores a row each is moved
    alone. A relative error is the difference of the two numbers divided by the greater one.

    Parameters
    ----------
    loss : function of (y, scores), or (y, scores, sample_weight), that returns (gradient, curvature)
        As `loss` of the boosted trees takes it.
    y : n numbers
        Targets, or codes 0, 1, ... of classes.
    scores : n numbers, or n rows of k
        Where to look; not at kinks of the loss.
    sample_weight : n numbers, optional
        For a loss that takes weights: the slopes must then be those of L times the weight.
    curvature : True or False, default=True
        False: the curvature is not looked at, as where it is a bound on purpose.
    tol : a number above 0, default=1e-4
        The largest relative error that is let pass.

    Returns
    -------
    (gradient, curvature), the largest relative errors; NaN for what was not looked at

    Examples
    --------
    For ``cosh(f - y)`` the slopes are ``sinh(f - y)`` and ``cosh(f - y)``; at f - y = 1 they are 1.1752 and 1.5431.

    >>> import numpy as np
    >>> from pellucid.boosting import check_loss
    >>> class Cosh:
    ...     def __call__(self, y, f):
    ...         return np.sinh(f - y), np.cosh(f - y)
    ...     def value(self, y, f):
    ...         return np.cosh(f - y)
    >>> max(check_loss(Cosh(), [1.0, 2.0], [2.0, 1.5])) < 1e-8
    True
    >>> check_loss(lambda y, f: (np.sinh(f - y), np.ones(2)), [1.0, 2.0], [2.0, 2.0])
    Traceback (most recent call last):
    pellucid.base.errors.ParameterError: check_loss: curvature must be the difference quotient of the gradient; ...
    """
    if not callable(loss):
        raise ParameterError(
            format_message("check_loss", "loss must be a function of (y, scores)", actual=f"got {loss!r}")
        )
    objective = CustomObjective(loss, "check_loss")
    if not tol > 0:
        raise ParameterError(format_message("check_loss", "tol must be a number above 0", actual=f"got {tol!r}"))
    goal, at, weight = _numbers(y, "y"), _numbers(scores, "scores"), None
    if goal.ndim != 1 or at.ndim not in (1, 2) or len(at) != len(goal):
        requirement = "y must have a number a row, and scores one or k"
        raise DataError(format_message("check_loss", requirement, actual=f"got shapes {goal.shape} and {at.shape}"))
    if sample_weight is not None:
        weight = _numbers(sample_weight, "sample_weight")
        if weight.shape != goal.shape:
            requirement = "sample_weight must have a number a row"
            raise DataError(
                format_message(
                    "check_loss", requirement, actual=f"got shape {weight.shape} for {count(len(goal), 'row')}"
                )
            )
    at = at.reshape(len(at), -1)
    weight = weight if objective.word is not None else None
    rows = np.arange(len(goal))

    def slopes(f: Floats) -> tuple[Floats, Floats]:
        """At some scores."""
        return objective.slopes(goal, f, weight, rows, "as given" if f is at else "scores moved a little")

    g, h = slopes(at)
    worst = [np.nan, np.nan]
    for k in range(at.shape[1]):
        step = np.cbrt(np.finfo(float).eps) * np.maximum(np.abs(at[:, k]), 1.0)
        above, below = at.copy(), at.copy()
        above[:, k] += step
        below[:, k] -= step
        width = above[:, k] - below[:, k]
        if objective.has_value:
            ends = [objective.values(goal, f) * (1.0 if weight is None else weight) for f in (above, below)]
            error = _compare(g[:, k], ends, width, tol, "gradient", "loss")
            worst[0] = np.fmax(worst[0], error)
        if curvature:
            ends = [slopes(f)[0][:, k] for f in (above, below)]
            error = _compare(h[:, k], ends, width, tol, "curvature", "gradient")
            worst[1] = np.fmax(worst[1], error)
    return LossErrors(*map(float, worst))


def _compare(returned: Floats, ends: list[Floats], width: Floats, tol: float, what: str, of: str) -> float:
    """The largest relative error; numbers that are lost in the rounding of the difference count as equal."""
    quotient = (ends[0] - ends[1]) / width
    rounding = 4 * np.finfo(float).eps * np.maximum(np.abs(ends[0]), np.abs(ends[1])) / width
    size = np.maximum(np.maximum(np.abs(returned), np.abs(quotient)), rounding / tol)
    error = np.abs(returned - quotient) / np.where(size > 0, size, 1.0)
    row = int(error.argmax())
    if error[row] > tol:
        requirement = f"{what} must be the difference quotient of the {of}"
        actual = f"in row {row} the loss tells {returned[row]:.6g} and the quotient is {quotient[row]:.6g}"
        hint = "set curvature=False if it is a bound on purpose" if what == "curvature" else ""
        raise ParameterError(format_message("check_loss", requirement, actual=actual, hint=hint))
    return float(error[row])


def _numbers(values: Any, what: str) -> Floats:
    """An array of finite numbers."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            format_message("check_loss", f"{what} must hold numbers", actual=f"got {_kind_of(values)}")
        ) from None
    if not np.isfinite(array).all() or not array.size:
        what_is = "nothing" if not array.size else "a value that is missing or infinite"
        raise DataError(format_message("check_loss", f"{what} must hold finite numbers", actual=f"got {what_is}"))
    return array


def _as_told(scores: Floats) -> Floats:
    """One score a row as a plain list of them."""
    return scores[:, 0] if scores.shape[1] == 1 else scores


def _by_place(function: Any, word: str | None) -> bool:
    """Must the argument be given by its place?"""
    return bool(inspect.signature(function).parameters[str(word)].kind is inspect.Parameter.POSITIONAL_ONLY)


def _kind_of(value: Any) -> str:
    """What something is, in a word or two."""
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, np.ndarray):
        return "an array"
    return "None" if value is None else f"a {type(value).__name__}"


def _first(array: Floats, wrong: Array, rows: Array) -> str:
    """The first number that is wrong, and its row."""
    i, k = np.argwhere(wrong)[0].tolist()
    output = f", output {k}" if array.shape[1] > 1 else ""
    return f"{array[i, k]:.6g} in row {rows[i]}{output}"
