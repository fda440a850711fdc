"""From a fitted model, or a pipeline that ends with one, to a program."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.utils.validation import check_is_fitted

from pellucid.base.errors import NotFittedError, ParameterError, format_message, short_repr
from pellucid.export import _bayes, _calibration, _cleaning, _linear, _machines, _preparing, _rules, _times, _trees
from pellucid.export._builder import Builder, plain
from pellucid.export._form import Program
from pellucid.export._writers import HINT, described, unwrapped, write_model, write_step

# Importing them makes their writers known.
WRITERS = (
    _bayes,
    _calibration,
    _cleaning,
    _linear,
    _machines,
    _preparing,
    _rules,
    _times,
    _trees,
)


def program_of(model: Any, who: str) -> Program:
    """A fitted model, or a pipeline that ends with one, as a program."""
    if isinstance(model, type) or not hasattr(model, "fit"):
        hint = f"make one and fit it: {model.__name__}().fit(X, y)" if isinstance(model, type) else ""
        actual = f"got the class {model.__name__}" if isinstance(model, type) else f"got {short_repr(model)}"
        raise ParameterError(format_message(who, "model must be a fitted estimator", actual=actual, hint=hint))
    steps, last = unwrapped(model)
    for part in (*steps, last):
        _check_fitted(part, who)
    b = _started([model, *steps, last], who)
    for step in steps:
        write_step(step, b)
    return b.program(type(last).__name__, write_model(last, b))


def _check_fitted(part: Any, who: str) -> None:
    try:
        check_is_fitted(part)
    except SklearnNotFittedError:
        actual = f"this {type(part).__name__} is not fitted yet"
        raise NotFittedError(
            format_message(who, "model must be fitted", actual=actual, hint="call fit before")
        ) from None


def _started(parts: list[Any], who: str) -> Builder:
    """A builder with the columns that the whole, or its first part, saw in fit."""
    first = next((part for part in parts if hasattr(part, "n_features_in_")), parts[0])
    schema = getattr(first, "schema_", None)
    names = getattr(schema, "names", None)
    if names is None:
        names = getattr(first, "feature_names_in_", None)
    width = getattr(first, "n_features_in_", None)
    if width is None:
        requirement = "this model cannot be written as code"
        raise ParameterError(format_message(who, requirement, actual=f"got {described(first)}", hint=HINT))
    return Builder(who, None if names is None else [plain(name) for name in names], int(width))
