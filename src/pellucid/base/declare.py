"""Parameters of an estimator, declared once.

A class says ``alpha: float = param(default=1.0, low=0, doc="...")``. When the class is made, the declaration is read:
it gives the constructor with a real signature, the checks that `fit` runs, the Parameters section of the docstring, and
later the search spaces.
"""

from __future__ import annotations

import inspect
import numbers
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Union, dataclass_transform, get_args, get_origin

import numpy as np

from pellucid.base.errors import ParameterError

_EMPTY: Any = inspect.Parameter.empty


@dataclass(frozen=True)
class Param:
    """One declared parameter: name, type, default, range and meaning."""

    default: Any
    doc: str
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    options: tuple[Any, ...] = ()
    kw_only: bool = True
    check: Callable[[Any], str | None] | None = None
    name: str = ""
    types: tuple[type, ...] = field(default=())

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value, or None."""
        if self._is_option(value):
            return None
        if self.types and not _has_type(value, self.types):
            return f"{self.name} must be {self.describe()}; got {_shown(value)}"
        if self.types == () and self.options:
            return f"{self.name} must be {self.describe()}; got {_shown(value)}"
        bounded = self.low is not None or self.high is not None or float in self.types
        number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if bounded and number and not self._in_range(value):
            return f"{self.name} must be {self.describe()}; got {_shown(value)}"
        return self.check(value) if self.check else None

    def _is_option(self, value: Any) -> bool:
        return any(value is option or (type(value) is type(option) and value == option) for option in self.options)

    def _in_range(self, value: Any) -> bool:
        if value != value:
            return False
        above = self.low is None or (value > self.low if self.low_open else value >= self.low)
        below = self.high is None or (value < self.high if self.high_open else value <= self.high)
        return above and below

    def describe(self) -> str:
        """Allowed values in words: 'a number of at least 0', 'one of 'auto', 'qr''."""
        parts = []
        kinds = [kind for kind in self.types if kind is not type(None)]
        if kinds:
            parts.append(" or ".join(_TYPE_WORDS.get(kind, kind.__name__) for kind in kinds) + self._range_words())
        if self.options:
            parts.append("one of " + ", ".join(repr(option) for option in self.options))
        if type(None) in self.types:
            parts.append("None")
        return " or ".join(parts)

    def _range_words(self) -> str:
        words = []
        if self.low is not None and self.high is not None and not self.low_open and not self.high_open:
            return f" from {self.low:g} to {self.high:g}"
        if self.low is not None:
            words.append(f"{'above' if self.low_open else 'of at least'} {self.low:g}")
        if self.high is not None:
            words.append(f"{'below' if self.high_open else 'at most'} {self.high:g}")
        return " " + " and ".join(words) if words else ""


_TYPE_WORDS: dict[type, str] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
    np.random.RandomState: "a numpy RandomState",
    list: "a list",
    tuple: "a tuple",
    dict: "a dict",
    np.ndarray: "an array",
    Callable: "a function",  # type: ignore[dict-item]
}


def _shown(value: Any) -> str:
    """A value in one line; of a table, say, its type."""
    text = repr(value)
    return text if "\n" not in text else f"a {type(value).__name__}"


def _has_type(value: Any, kinds: tuple[type, ...]) -> bool:
    for kind in kinds:
        if kind is bool and isinstance(value, (bool, np.bool_)):
            return True
        if kind is int and isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_)):
            return True
        if kind is float and isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)):
            return True
        if kind not in (bool, int, float) and isinstance(value, kind):
            return True
    return False


def param(
    *,
    default: Any,
    doc: str,
    low: float | None = None,
    high: float | None = None,
    low_open: bool = False,
    high_open: bool = False,
    kw_only: bool = True,
    check: Callable[[Any], str | None] | None = None,
) -> Any:
    """Declares a parameter; the type and the allowed words come from the annotation.

    ``kw_only=False`` for the few that scikit-learn takes by position. ``check`` answers a sentence when a value of the
    right type is still wrong.
    """
    return Param(default, doc, low, high, low_open, high_open, kw_only=kw_only, check=check)


def _read_annotation(declared: Param, name: str, annotation: Any) -> Param:
    kinds: list[type] = []
    options: list[Any] = []
    parts = get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)
    for part in parts:
        if get_origin(part) is Literal:
            options.extend(get_args(part))
        elif isinstance(part, type) and part is not Any:
            kinds.append(part)
        else:
            kinds.append(object)
    values = {key: getattr(declared, key) for key in declared.__dataclass_fields__}
    return Param(**{**values, "name": name, "types": tuple(kinds), "options": tuple(options)})


def _own_params(cls: type) -> dict[str, Param]:
    declared = {name: value for name, value in vars(cls).items() if isinstance(value, Param) and not value.name}
    if not declared:
        return {}
    hints = typing.get_type_hints(cls)
    return {name: _read_annotation(value, name, hints[name]) for name, value in declared.items()}


def _write_init(cls: type, params: Iterable[Param]) -> None:
    ordered = sorted(params, key=lambda p: p.kw_only)  # stable: positional ones first, in the order of declaration
    positional = [p for p in ordered if not p.kw_only]
    keyword = [p for p in ordered if p.kw_only]
    names = [f"{p.name}=_default_{p.name}" for p in positional] + (["*"] if keyword else [])
    names += [f"{p.name}=_default_{p.name}" for p in keyword]
    body = "".join(f"    self.{p.name} = {p.name}\n" for p in ordered) or "    pass\n"
    scope: dict[str, Any] = {f"_default_{p.name}": p.default for p in ordered}
    exec(f"def __init__(self, {', '.join(names)}):\n{body}", scope)  # the names are our own class attributes
    init = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    cls.__init__ = init  # type: ignore[misc]


def _write_doc(cls: type, params: Iterable[Param]) -> None:
    doc = inspect.cleandoc(cls.__doc__ or "")
    lines = ["Parameters", "----------"]
    for p in params:
        lines += [f"{p.name} : {p.describe() or 'object'}, default={p.default!r}", f"    {p.doc}"]
    section = "\n".join(lines)
    for heading in ("Attributes\n-", "Examples\n-", "Notes\n-", "References\n-"):
        if heading in doc:
            before, after = doc.split(heading, 1)
            cls.__doc__ = f"{before}{section}\n\n{heading}{after}"
            return
    cls.__doc__ = f"{doc}\n\n{section}\n"


@dataclass_transform(kw_only_default=True, field_specifiers=(param,))
class Declared:
    """Base of classes whose parameters are declared with `param`.

    A subclass that differs in defaults alone names them: ``_defaults = {"max_depth": 6}``.
    """

    _defaults: typing.ClassVar[dict[str, Any]] = {}
    _params: typing.ClassVar[dict[str, Param]] = {}
    _sound_defaults: typing.ClassVar[frozenset[str] | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = _own_params(cls)
        inherited: dict[str, Param] = {}
        for parent in reversed(cls.__mro__[1:]):
            inherited.update(vars(parent).get("_params", {}))
        for name, default in vars(cls).get("_defaults", {}).items():
            inherited[name] = replace(inherited[name], default=default)
        cls._params = {**inherited, **own}
        cls._sound_defaults = None
        for name in own:
            delattr(cls, name)
        if "__init__" not in vars(cls):
            _write_init(cls, cls._params.values())
        if "__doc__" in vars(cls) and cls.__doc__ and cls._params:
            _write_doc(cls, cls._params.values())

    def _check_params(self) -> None:
        """Names every faulty parameter at once.

        A default is looked at once a class: of twenty parameters most have it, and each look takes 2 µs.
        """
        cls = type(self)
        if cls._sound_defaults is None:
            cls._sound_defaults = frozenset(p.name for p in cls._params.values() if p.fault(p.default) is None)
        faults = []
        for name, p in cls._params.items():
            value = getattr(self, name)
            if value is p.default and name in cls._sound_defaults:
                continue
            fault = p.fault(value)
            if fault:
                faults.append(fault)
        if faults:
            who = type(self).__name__
            raise ParameterError("\n".join(f"{who}: {fault}." for fault in faults))
