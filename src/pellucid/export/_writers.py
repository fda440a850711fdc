"""Which writer a fitted model, or a step before it, has: found by its class, so that each kind is written once."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from pellucid.export._builder import Answer, Builder

HINT = (
    "linear models, discriminant analysis, SVMs, trees and their ensembles, rules and GaussianNB can be exported, and "
    "pipelines with Pellucid's Cleaner, scalers, selectors, SimpleImputer, DateTimeFeatures and encoders before them"
)


@singledispatch
def write_model(model: Any, b: Builder) -> Answer:
    """Writes what a fitted model does with the features of the builder."""
    raise b.refuse("this model cannot be written as code", f"got {described(model)}", HINT)


@singledispatch
def write_step(step: Any, b: Builder) -> None:
    """Writes what a fitted transformer does: the features of the builder become those that it makes."""
    if hasattr(step, "inverse_func"):  # scikit-learn's FunctionTransformer, which also stands for "passthrough"
        return _write_function(step, b)
    raise b.refuse("this step of a pipeline cannot be written as code", f"got {described(step)}", HINT)


def _write_function(step: Any, b: Builder) -> None:
    """Columns as they are; any other function is Python's."""
    if step.func is not None:
        must = "a FunctionTransformer with a function cannot be written as code"
        found = f"its function is {getattr(step.func, '__name__', 'an object')}"
        raise b.refuse(must, found, "do this before the table comes in")


@singledispatch
def unwrapped(model: Any) -> tuple[list[Any], Any]:
    """The steps before a model, and the model itself."""
    return [], model


def described(model: Any) -> str:
    """Its class, and its library where that is another one."""
    module = type(model).__module__.split(".")[0]
    return f"{type(model).__name__}" + ("" if module == "pellucid" else f" of {module}")
