"""Which writer a fitted model, or a step before it, has: found by its class, so that each kind is written once."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from pellucid.base.errors import join_some
from pellucid.ensemble import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from pellucid.export._builder import Answer, Builder

HINT = (
    "export linear models, discriminant analysis, SVMs, trees and their ensembles, rules or GaussianNB, after "
    "Pellucid's Cleaner, scalers, selectors, SimpleImputer, DateTimeFeatures and encoders; or write ONNX, "
    "which holds more models"
)


@singledispatch
def write_model(model: Any, b: Builder) -> Answer:
    """Writes what a fitted model does with the features of the builder."""
    raise b.refuse("this model cannot be written as code", f"got {described(model)}", HINT)


def _refuse_combined(model: Any, b: Builder) -> Answer:
    names = [name for name, _ in model.estimators]
    requirement = "Python, C and SQL are written for single models, not for those that combine others"
    actual = f"got {described(model)} of {join_some(names)}"
    raise b.refuse(requirement, actual, "write it as ONNX: to_onnx, or pellucid export with a file that ends in .onnx")


for _combined in (StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor):
    write_model.register(_combined, _refuse_combined)


@singledispatch
def write_step(step: Any, b: Builder) -> None:
    """Writes what a fitted transformer does: the features of the builder become those that it makes."""
    if hasattr(step, "inverse_func"):  # scikit-learn's FunctionTransformer, which also stands for "passthrough"
        return _write_function(step, b)
    raise b.refuse("this step of a pipeline cannot be written as code", f"got {described(step)}", HINT)


def _write_function(step: Any, b: Builder) -> None:
    """Columns as they are; any other function is Python's."""
    if step.func is not None:
        requirement = "a FunctionTransformer with a function cannot be written as code"
        actual = f"its function is {getattr(step.func, '__name__', 'an object')}"
        raise b.refuse(requirement, actual, "do this before the table comes in")


@singledispatch
def unwrapped(model: Any) -> tuple[list[Any], Any]:
    """The steps before a model, and the model itself."""
    return [], model


def described(model: Any) -> str:
    """Its class, and its library where that is another one."""
    module = type(model).__module__.split(".")[0]
    return f"{type(model).__name__}" + ("" if module == "pellucid" else f" of {module}")
