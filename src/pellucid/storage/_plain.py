"""Single values as JSON.

What JSON has is written as it is: texts, flags, null, finite floats (their shortest decimal form reads back to the same
bits) and whole numbers below 2**53. Everything else is an object with one key, which says what it is::

    {"float": "nan"}   {"int": "0x20000000000001"}   {"scalar": ["<f4", "0000803f"]}   {"type": "numpy float64"}
    {"enum": ["pellucid.data.kinds:Kind", "CATEGORY"]}   {"function": "pellucid.metrics:accuracy_score"}

Functions and types come from tables of names: no file can name another one.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from importlib import import_module
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from pellucid.storage._classes import class_named, name_of_class

Json: TypeAlias = Any
QUICK = (str, bool, type(None))  # written as they are, without a look
LARGEST_KEY = 1000  # values in a key
EXACT = 2**53  # whole numbers below are read by every reader of JSON
_SIMPLE = (str, bool, int, float, type(None))
ABSENT = object()  # what `written` answers for a value that is not a single one
PLAIN_DTYPE = re.compile(
    r"[<>|](?:[biufc](?:1|2|4|8|16|32)|[SU][1-9][0-9]{0,8}|[mM]8(?:\[[0-9]{0,9}[A-Za-zµ]{1,2}\])?)"
)
# Families whose public functions an estimator may keep, as a setting: a distance, a score of a column.
FUNCTIONS = ("metrics", "feature_selection")

_NUMPY_TYPES = (
    *("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32"),
    *("float64", "longdouble", "complex64", "complex128", "str_", "bytes_", "object_", "datetime64", "timedelta64"),
    *("generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating"),
)
TYPES: dict[str, type] = {f"numpy {name}": getattr(np, name) for name in _NUMPY_TYPES} | {
    f"python {kind.__name__}": kind for kind in (bool, int, float, complex, str, bytes, object)
}
_NAMES = {kind: name for name, kind in TYPES.items()}


# ------------------------------------------------------------------------------------------------------------ writing


def written(value: Any) -> Json:
    """A single value as JSON, or ABSENT if it is something that holds others."""
    writer = _WRITERS.get(type(value))
    if writer is not None:
        return writer(value)
    if isinstance(value, np.generic):
        return _scalar_written(value)
    if isinstance(value, np.dtype):
        return {"dtype": value.str} if PLAIN_DTYPE.fullmatch(value.str) or value.str == "|O" else ABSENT
    if isinstance(value, Enum):
        name = name_of_class(type(value))
        return ABSENT if name is None else {"enum": [name, value.name]}
    if isinstance(value, type):
        return {"type": _NAMES[value]} if value in _NAMES else ABSENT
    if isinstance(value, (np.ufunc, FunctionType)):
        called = _name_of_function(value)
        return ABSENT if called is None else {"function": called}
    return ABSENT


def is_key(key: Any) -> bool:
    """May it be a key of a dict or an entry of a set: a plain value, or a tuple of a few of them?

    A tuple counts with everything that is in it: its hash is worked out anew for every place that refers to it.
    """
    waiting, seen = [key], 0
    while waiting:
        one, seen = waiting.pop(), seen + 1
        if seen > LARGEST_KEY:
            return False
        if type(one) in (tuple, frozenset):
            waiting.extend(one)
        elif type(one) not in QUICK and written(one) is ABSENT:
            return False
    return True


def _int_written(value: int) -> Json:
    return value if -EXACT < value < EXACT else {"int": hex(value)}


def _float_written(value: float) -> Json:
    if math.isfinite(value):
        return value
    bits = struct.pack(">d", value).hex()
    return {"float": _WORDS.get(bits, bits)}


def _scalar_written(value: Any) -> Json:
    kind = value.dtype
    if kind.itemsize == 0:  # an empty text
        kind = np.dtype((kind.type, 1))
    text = kind.str
    return {"scalar": [text, np.array(value, dtype=kind).tobytes().hex()]} if PLAIN_DTYPE.fullmatch(text) else ABSENT


def _datetime_written(value: datetime) -> Json:
    return {"datetime": value.isoformat()} if type(value.tzinfo) in (type(None), timezone) else ABSENT


def _parts_written(tag: str, *parts: Any) -> Json:
    found = [written(part) for part in parts]
    return {tag: found} if all(map(_is_simple, found)) else ABSENT


def _is_simple(node: Json) -> bool:
    """A number, text, flag or null: what a value of several parts may be made of, so that nothing nests."""
    return type(node) in _SIMPLE or (type(node) is dict and next(iter(node), "") in ("int", "float", "scalar"))


def _name_of_function(function: Any) -> str | None:
    called = str(function.__name__)
    if isinstance(function, np.ufunc):
        return f"numpy:{called}" if getattr(np, called, None) is function else None
    package, family, *_ = [*str(function.__module__).split("."), ""]
    if package != "pellucid" or family not in FUNCTIONS:
        return None
    name = f"pellucid.{family}:{called}"
    return name if _function_named(name) is function else None


def _function_named(name: str) -> Any:
    """The function of a name in the tables, or None."""
    place, _, called = name.partition(":")
    found: Any
    if place == "numpy":
        found = getattr(np, called, None) if called.isidentifier() else None
        return found if isinstance(found, np.ufunc) else None
    if place not in {f"pellucid.{family}" for family in FUNCTIONS}:
        return None
    module = import_module(place)
    found = getattr(module, called) if called in module.__all__ else None
    ours = isinstance(found, FunctionType) and str(found.__module__).startswith("pellucid.")
    return found if ours else None


_WORDS = {struct.pack(">d", float(word)).hex(): word for word in ("nan", "inf", "-inf")}
_BITS = {word: bits for bits, word in _WORDS.items()}
_WRITERS: dict[type, Callable[[Any], Json]] = {
    str: lambda value: value,
    bool: lambda value: value,
    type(None): lambda value: value,
    int: _int_written,
    float: _float_written,
    complex: lambda value: _parts_written("complex", value.real, value.imag),
    bytes: lambda value: {"bytes": value.hex()},
    slice: lambda value: _parts_written("slice", value.start, value.stop, value.step),
    range: lambda value: _parts_written("range", value.start, value.stop, value.step),
    date: lambda value: {"date": value.isoformat()},
    datetime: _datetime_written,
    timedelta: lambda value: {"timedelta": [value.days, value.seconds, value.microseconds]},
    Decimal: lambda value: {"decimal": str(value)},
    Fraction: lambda value: _parts_written("fraction", value.numerator, value.denominator),
}


# ------------------------------------------------------------------------------------------------------------ reading


class UnreadableError(ValueError):
    """JSON that `written` would not have made; its words go into the sentence about the file."""


def value_of(node: Json) -> Any:
    """The single value that a piece of JSON stands for."""
    if type(node) in _SIMPLE:
        return node
    tag, content = only(node)
    reader = _READERS.get(tag)
    if reader is None:
        raise UnreadableError(f"it holds a value of the kind {tag!r}, which is not known")
    try:
        return reader(content)
    except UnreadableError:
        raise
    except (ValueError, TypeError, KeyError, ArithmeticError, AttributeError, struct.error):
        raise UnreadableError(f"it holds a value of the kind {tag!r} that cannot be read") from None


def only(node: Json) -> tuple[str, Json]:
    """Key and content of an object with one key."""
    if type(node) is not dict or len(node) != 1:
        raise UnreadableError("it holds something that is neither a value nor a reference")
    return next(iter(node.items()))


def texts(content: Json, n: int) -> list[str]:
    """A list of n texts."""
    if type(content) is not list or len(content) != n or any(type(part) is not str for part in content):
        raise ValueError
    return content


def dtype_named(name: Json) -> np.dtype[Any]:
    """A plain dtype: numbers, flags, texts of fixed width, times."""
    if type(name) is not str or not PLAIN_DTYPE.fullmatch(name):
        what = "holds Python objects" if name == "|O" else "is not one of numbers, flags, texts or times"
        raise UnreadableError(f"an array's dtype {name!r} {what}")
    try:
        return np.dtype(name)
    except TypeError:
        raise UnreadableError(f"an array's dtype {name!r} is not known on this machine") from None


def _int_read(content: Json) -> int:
    (text,) = texts([content], 1)
    return int(text, 16)


def _float_read(content: Json) -> float:
    (text,) = texts([content], 1)
    return float(struct.unpack(">d", bytes.fromhex(_BITS.get(text, text)))[0])


def _scalar_read(content: Json) -> Any:
    name, data = texts(content, 2)
    return np.frombuffer(bytes.fromhex(data), dtype=dtype_named(name)).reshape(())[()]


def _parts_read(content: Json, n: int) -> list[Any]:
    if type(content) is not list or len(content) != n or not all(map(_is_simple, content)):
        raise ValueError
    return [value_of(part) for part in content]


def _enum_read(content: Json) -> Any:
    name, member = texts(content, 2)
    found = class_named(name)
    if not issubclass(found, Enum):
        raise UnreadableError(f"{name} is no enumeration")
    return found[member]


def _function_read(content: Json) -> Any:
    (name,) = texts([content], 1)
    found = _function_named(name)
    if found is None:
        raise UnreadableError(f"it names the function {name!r}, which is not among those that a model may keep")
    return found


def _dtype_read(content: Json) -> Any:
    return np.dtype(object) if content == "|O" else dtype_named(content)


_READERS: dict[str, Callable[[Json], Any]] = {
    "int": _int_read,
    "float": _float_read,
    "complex": lambda content: complex(*_parts_read(content, 2)),
    "bytes": lambda content: bytes.fromhex(texts([content], 1)[0]),
    "scalar": _scalar_read,
    "dtype": _dtype_read,
    "type": lambda content: TYPES[content],
    "enum": _enum_read,
    "function": _function_read,
    "slice": lambda content: slice(*_parts_read(content, 3)),
    "range": lambda content: range(*_parts_read(content, 3)),
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "timedelta": lambda content: timedelta(*_parts_read(content, 3)),
    "decimal": lambda content: Decimal(texts([content], 1)[0]),
    "fraction": lambda content: Fraction(*_parts_read(content, 2)),
}
