"""Which classes a model file may name.

Our own: any estimator, enumeration, named tuple or plain class in the layers that fitted models are made of, so that a
new estimator needs no entry anywhere. Of scikit-learn: the few of a table. No other class has a name here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, cached_property
from importlib import import_module
from inspect import Parameter, getattr_static, signature
from typing import Any, TypeVar, cast

from sklearn.base import BaseEstimator

from pellucid.base.registry import families

# Layers below the families whose classes a fitted model may hold.
LAYERS = ("data", "estimator", "models", "model_selection")
THEIRS = {
    "sklearn.pipeline": ("Pipeline", "FeatureUnion"),
    "sklearn.compose": ("ColumnTransformer", "TransformedTargetRegressor", "make_column_selector"),
    "sklearn.preprocessing": ("FunctionTransformer",),  # what ColumnTransformer makes of 'passthrough'
    "sklearn.utils": ("Bunch",),
    "sklearn.utils._metadata_requests": ("MetadataRequest", "MethodMetadataRequest"),
    "sklearn.model_selection": (
        *("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold", "RepeatedKFold", "RepeatedStratifiedKFold"),
        *("ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit", "TimeSeriesSplit", "PredefinedSplit"),
        *("LeaveOneOut", "LeavePOut", "LeaveOneGroupOut", "LeavePGroupsOut"),
        "FixedThresholdClassifier",
    ),
}
_OURS = re.compile(r"pellucid\.([a-z][a-z0-9_]*)((?:\.[a-z0-9_]+)*):([A-Za-z_][A-Za-z0-9_]*)")
# What a class that is not an estimator may be derived from, besides other classes of ours.
_ROOTS = (object, tuple, dict)
_ROOT_MODULES = ("typing", "collections.abc", "abc", "enum")
# Objects that do something when they end, are entered or are gone through are no plain values.
_ACTING = ("__del__", "__enter__", "__next__", "__reduce_ex__", "__reduce__", "__getattr__", "__getattribute__")


_F = TypeVar("_F", bound=Callable[..., Any])


def _remembered(function: _F) -> _F:
    """`functools.cache` under the function's own types."""
    return cast(_F, cache(function))


class UnknownClassError(ValueError):
    """A name that stands for no class that a model may hold."""


@_remembered
def _layers() -> frozenset[str]:
    return frozenset((*LAYERS, *families()))


def name_of_class(cls: type) -> str | None:
    """The name under which a file knows a class, or None if it may not hold it."""
    name = f"{cls.__module__}:{cls.__qualname__}"
    if cls.__module__.startswith("sklearn."):
        places = [f"{module}:{cls.__name__}" for module, names in THEIRS.items() if cls.__name__ in names]
        return next((place for place in places if class_named(place) is cls), None)
    try:
        return name if class_named(name) is cls else None
    except UnknownClassError:
        return None


@_remembered
def class_named(name: str) -> type[Any]:
    """The class of a name; UnknownClassError if there is none, or if it is none that a model may hold."""
    module, _, called = name.partition(":")
    if called in THEIRS.get(module, ()):
        return _attribute(module, called, name)
    parts = _OURS.fullmatch(name)
    if parts is None or parts[1] not in _layers() or "__" in parts[2]:
        raise UnknownClassError(f"it names the class {name!r}, which is none that a model may hold")
    found = _attribute(module, called, name)
    own = isinstance(found, type) and (found.__module__, found.__qualname__) == (module, called)
    if not own or not _is_value_class(found):
        raise UnknownClassError(f"it names the class {name!r}, which is none that a model may hold")
    return found


def _attribute(module: str, called: str, name: str) -> type[Any]:
    try:
        found: type[Any] = vars(import_module(module))[called]
        return found
    except (ModuleNotFoundError, KeyError):
        raise UnknownClassError(f"it names the class {name!r}, which this version does not have") from None


def _is_value_class(cls: type) -> bool:
    if issubclass(cls, (BaseEstimator, Enum)):
        return True
    foreign = [base for base in cls.__mro__ if not base.__module__.startswith("pellucid.")]
    plain = all(base in _ROOTS or base.__module__ in _ROOT_MODULES for base in foreign)
    made = (object.__new__, tuple.__new__, dict.__new__)
    own = [base for base in cls.__mro__ if base.__module__.startswith("pellucid.")]
    acts = any(name in vars(base) for base in own for name in _ACTING)
    return plain and not acts and (cls.__new__ in made or is_named_tuple(cls))


def is_named_tuple(cls: type) -> bool:
    """Was the class made by NamedTuple?"""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def writes(cls: type, method: str) -> bool:
    """Does a class of ours write the method itself: ``__setstate__``, say?"""
    owner = next((base for base in cls.__mro__ if method in vars(base)), object)
    return owner.__module__.startswith("pellucid.")


def has_own_state(cls: type) -> bool:
    """Does a class of ours say itself what its state is, and how it is put back?"""
    return writes(cls, "__getstate__") and writes(cls, "__setstate__")


# -------------------------------------------------------------------------------------------------------------- state


@_remembered
def slots_of(cls: type) -> tuple[str, ...]:
    """Names of the slots of a class, its parents' first."""
    found: list[str] = []
    for base in reversed(cls.__mro__):
        own = vars(base).get("__slots__", ())
        found += [own] if isinstance(own, str) else list(own)
    return tuple(name for name in found if name not in ("__dict__", "__weakref__"))


@_remembered
def worked_out(cls: type) -> frozenset[str]:
    """Attributes that a class works out when they are asked for first: they are no part of its state."""
    return frozenset(name for base in cls.__mro__ for name, part in vars(base).items()
                     if isinstance(part, cached_property))  # fmt: skip


def state_of(value: Any) -> dict[str, Any]:
    """Attributes of an object as they are to be kept."""
    cls = type(value)
    state = {name: getattr(value, name) for name in slots_of(cls) if hasattr(value, name)}
    state.update(getattr(value, "__dict__", {}))
    leave = worked_out(cls)
    return {name: part for name, part in state.items() if name not in leave}


@_remembered
def hides(cls: type, name: str) -> bool:
    """Would an attribute of this name stand before something that the class has: a method, say?"""
    if not name.isidentifier() or name.startswith("__"):
        return True
    if name in slots_of(cls) or name in _field_names(cls):
        return False
    return hasattr(type(getattr_static(cls, name, None)), "__get__")


@_remembered
def _field_names(cls: type) -> frozenset[str]:
    return frozenset(one.name for one in fields(cls)) if is_dataclass(cls) else frozenset()


def wanted(cls: Any) -> dict[str, Any]:
    """What every object of a class has, with its default or `MISSING`: fields, or the settings of an estimator."""
    if is_dataclass(cls):
        return {one.name: one.default if one.default_factory is MISSING else one.default_factory()
                for one in fields(cls)}  # fmt: skip
    declared = getattr(cls, "_params", None)
    if declared is not None:
        return {name: one.default for name, one in declared.items()}
    if issubclass(cls, BaseEstimator):
        given = signature(cls.__init__).parameters
        return {name: MISSING if given[name].default is Parameter.empty else given[name].default
                for name in cls._get_param_names()}  # fmt: skip
    return {}
