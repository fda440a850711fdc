"""What selectors built around another estimator share: its door, its target, and parts of the table for it."""

from __future__ import annotations

import copy
import inspect
import numbers
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import has_fit_parameter

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.feature_selection._selector import Selector, attach_any


class WrappedSelector(MetaEstimatorMixin, Selector):
    """A selector that asks an estimator. What that takes, it takes: sparse tables, missing values, categories."""

    estimator: Any = param(default=None, kw_only=False, doc="The model that is asked.")

    @property
    def input_spec(self) -> InputSpec:  # type: ignore[override]
        """As the model inside has it; a table with words is handed on as it is."""
        if not hasattr(self.estimator, "fit") or inspect.isclass(self.estimator):
            return InputSpec()
        tags = get_tags(self.estimator)
        door = tags.input_tags
        raw = bool(door.categorical or door.string)
        return InputSpec(sparse=bool(door.sparse), missing=bool(door.allow_nan), categories=raw, raw=raw)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "fit") and not inspect.isclass(self.estimator):
            inner = get_tags(self.estimator)
            tags.input_tags, tags.no_validation = copy.copy(inner.input_tags), inner.no_validation
            tags.target_tags.required = inner.target_tags.required
            tags.non_deterministic = inner.non_deterministic
        return tags

    def _check_params(self) -> None:
        super()._check_params()
        model = self.estimator
        if inspect.isclass(model) or not hasattr(model, "fit"):
            actual = f"got the class {model.__name__}" if inspect.isclass(model) else f"got {model!r}"
            hint = f"make one: {model.__name__}()" if inspect.isclass(model) else "such as LinearRegression()"
            raise ParameterError(
                format_message(type(self).__name__, "estimator must be an estimator", actual=actual, hint=hint)
            )

    def _refuse_weight(self, d: Design) -> None:
        if d.weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            requirement = "sample_weight needs an estimator whose fit takes weights"
            raise ParameterError(
                format_message(
                    d.who, requirement, actual=f"{type(self.estimator).__name__} takes none", hint="leave it out"
                )
            )

    def _attach_target(self, d: Design, y: Any) -> None:
        if y is not None or get_tags(self.estimator).target_tags.required:
            attach_any(d, y)


def part_of(d: Design, columns: Any) -> Any:
    """Some columns of the table as the model inside gets them."""
    chosen = [int(j) for j in columns]
    if d.numbers is not None:
        return d.numbers[:, chosen]
    source = d.table.take(chosen).source
    return source.to_native() if d.table.is_frame else source


def fit_inside(model: Any, X: Any, y: Any, **more: Any) -> Any:
    """The model, fitted; without a target where there is none."""
    return model.fit(X, **more) if y is None else model.fit(X, y, **more)


def is_whole(value: Any) -> bool:
    """A whole number above 0."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) > 0


def is_share(value: Any) -> bool:
    """A number above 0 and at most 1 that is not a whole number by its type."""
    real = isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral)
    return real and 0 < float(value) <= 1


# -------------------------------------------------------------------------------------------------------- importances


def check_getter(value: Any) -> str | None:
    """The check of the parameter `importance_getter`."""
    fine = callable(value) or (isinstance(value, str) and value != "")
    return None if fine else f"importance_getter must be 'auto', a name, or a function; got {value!r}"


def importances_of(who: str, model: Any, getter: Any) -> Array:
    """What a fitted model says each column is worth: `coef_` or `feature_importances_` unless told."""
    found = _getter(who, model, getter)(model)
    values = found.toarray() if scipy.sparse.issparse(found) else np.asarray(found)
    if values.dtype.kind not in "biuf" or values.ndim not in (1, 2) or values.size == 0:
        requirement = "importances must be one number a column, or several"
        raise DataError(format_message(who, requirement, actual=f"{type(model).__name__} gives {type(found).__name__}"))
    return values.astype(np.float64)


def _getter(who: str, model: Any, getter: Any) -> Callable[[Any], Any]:
    if callable(getter):
        return getter  # type: ignore[no-any-return]
    names = ("coef_", "feature_importances_") if getter == "auto" else (getter,)
    for name in names:
        try:
            attrgetter(name)(model)
        except AttributeError:
            continue
        return attrgetter(name)
    wanted = " or ".join(f"`{name}`" for name in names)
    requirement = f"the underlying estimator {type(model).__name__} should have {wanted} attribute"
    hint = "use a model that tells what its columns are worth, or give importance_getter a function"
    raise ParameterError(format_message(who, requirement, actual="it has none", hint=hint))


def squared(values: Floats) -> Floats:
    """One number a column: its square, added up over several rows of coefficients."""
    return np.asarray((values**2).reshape(-1, values.shape[-1]).sum(axis=0))
