"""The flat list of objects of a file (see `_encoder`), made into a model again.

Everything is checked before it is believed: a file that `save` did not write is refused in one sentence.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import MISSING
from enum import Enum
from typing import Any

import numpy as np
import scipy.sparse
import sklearn
from sklearn.base import BaseEstimator

from pellucid import __version__
from pellucid.base.errors import DataError, short_repr
from pellucid.base.types import Array
from pellucid.storage._archive import Archive, as_bytes
from pellucid.storage._classes import (
    UnknownClassError,
    class_named,
    has_own_state,
    hides,
    is_named_tuple,
    slots_of,
    wanted,
    writes,
)
from pellucid.storage._encoder import DEEPEST, SPARSE
from pellucid.storage._plain import ABSENT, QUICK, Json, UnreadableError, dtype_named, is_key, only, texts, value_of
from pellucid.storage._random import random_read

# What reading something that is not what it says may raise, besides our own.
_FAULTS = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError, MemoryError)


def decode(archive: Archive, content: Json, their_version: str) -> tuple[Any, set[str]]:
    """The model of a file, and the names of the classes that it is made of.

    their_version : of scikit-learn, when the file was written
    """
    try:
        decoder = Decoder(archive, content, their_version)
        return decoder.decode(), decoder.names
    except (UnreadableError, UnknownClassError) as error:
        hint = "" if archive.written_by == __version__ else f"pellucid {archive.written_by} wrote it"
        raise archive.source.refuse(str(error), hint) from None


class Decoder:
    """Makes objects when they are first referred to: those that can change empty, to be filled when all are there."""

    def __init__(self, archive: Archive, content: Json, their_version: str) -> None:
        self._archive = archive
        self._ours_is_same = archive.written_by == __version__
        self._theirs_is_same = their_version == sklearn.__version__
        self._root, self._entries = _parts(content, "root", "objects")
        if type(self._entries) is not list:
            raise UnreadableError("its objects are no list")
        self._made: dict[int, Any] = {}
        self._open: list[int] = []  # tuples and the like that are being made
        self._empty: deque[tuple[Any, Callable[[], None]]] = deque()
        self._last: list[tuple[Any, Callable[[], None]]] = []  # what a class does itself, when everything else is there
        self._members: set[int] = set()
        self.names: set[str] = set()  # of classes

    def decode(self) -> Any:
        """The model, with everything that it holds."""
        model = self._value(self._root)
        while self._empty:
            made, fill = self._empty.popleft()
            self._filled(made, fill)
        for made, put_back in reversed(self._last):  # what is inside of others came later
            self._filled(made, put_back)
        if not isinstance(model, BaseEstimator):
            raise UnreadableError(f"it holds a {type(model).__name__}, which is no estimator")
        spare = len(self._entries) - len(self._made)
        if spare or len(self._members) < len(self._archive.array_names):
            raise UnreadableError("it holds objects or arrays that no other refers to")
        return model

    def _filled(self, made: Any, fill: Callable[[], None]) -> None:
        try:
            fill()
        except (UnreadableError, UnknownClassError, DataError):
            raise
        except _FAULTS:
            raise UnreadableError(f"a {type(made).__name__} holds what it cannot hold") from None

    def _value(self, node: Json) -> Any:
        if type(node) is dict and "ref" in node:
            number = only(node)[1]
            if type(number) is not int or not 0 <= number < len(self._entries):
                raise UnreadableError(f"it refers to object {short_repr(number)} of {len(self._entries)}")
            return self._object_at(number)
        return value_of(node)

    def _object_at(self, number: int) -> Any:
        if number in self._made:
            return self._made[number]
        if number in self._open:
            raise UnreadableError(f"object {number} is a tuple that holds itself")
        if len(self._open) > DEEPEST:
            raise UnreadableError(f"tuples lie more than {DEEPEST} deep within each other")
        tag, content = only(self._entries[number])
        maker = _MAKERS.get(tag)
        if maker is None:
            raise UnreadableError(f"object {number} is of the kind {short_repr(tag)}, which is not known")
        self._open.append(number)
        try:
            self._made[number] = maker(self, content)
        except (UnreadableError, UnknownClassError, DataError):
            raise
        except _FAULTS:
            raise UnreadableError(f"object {number} is a {tag} that cannot be read") from None
        finally:
            self._open.pop()
        return self._made[number]

    def _values(self, content: Json) -> list[Any]:
        if type(content) is not list:
            raise UnreadableError("it holds a row of values that is no list")
        return [one if type(one) in QUICK else self._value(one) for one in content]

    # ------------------------------------------------------------------------------------------------- that can change

    def _list(self, content: Json) -> list[Any]:
        made: list[Any] = []
        self._empty.append((made, lambda: made.extend(self._values(content))))
        return made

    def _dict(self, content: Json) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        self._empty.append((made, lambda: self._fill_dict(made, content)))
        return made

    def _fill_dict(self, made: dict[Any, Any], content: Json) -> None:
        if type(content) is not list:
            raise UnreadableError("it holds a dict that is no list of pairs")
        for pair in content:
            key, part = self._values(pair) if type(pair) is list and len(pair) == 2 else (None, ABSENT)
            if part is ABSENT or not is_key(key):
                raise UnreadableError("it holds a dict with an entry that is no pair of a plain key and a value")
            if dict.__contains__(made, key):
                raise UnreadableError(f"it holds a dict with the key {short_repr(key)} twice")
            dict.__setitem__(made, key, part)

    def _set(self, content: Json) -> set[Any]:
        made: set[Any] = set()
        self._empty.append((made, lambda: made.update(self._keys(content))))
        return made

    def _keys(self, content: Json) -> list[Any]:
        found = self._values(content)
        if not all(map(is_key, found)):
            raise UnreadableError("it holds a set with an entry that is no plain value")
        return found

    def _object(self, content: Json) -> Any:
        own = type(content) is dict and "own" in content
        name, state = _parts(content, "class", "own" if own else "state", more=("items",))
        cls: Any = class_named(texts([name], 1)[0])
        another = issubclass(cls, Enum) or is_named_tuple(cls) or own != has_own_state(cls)
        if another or ("items" in content) != issubclass(cls, dict):
            raise UnreadableError(f"a {cls.__name__} is stored as something else")
        self.names.add(name)
        made = cls.__new__(cls)
        fill = self._fill_own if own else self._fill_object
        self._empty.append((made, lambda: fill(made, state)))
        if "items" in content:
            self._empty.append((made, lambda: self._fill_dict(made, content["items"])))
        return made

    def _fill_own(self, made: Any, content: Json) -> None:
        state = self._value(content)
        self._last.append((made, lambda: made.__setstate__(state)))

    def _fill_object(self, made: Any, content: Json) -> None:
        cls = type(made)
        if type(content) is not list or not all(type(pair) is list and len(pair) == 2 for pair in content):
            raise UnreadableError(f"the attributes of {cls.__name__} are no list of pairs")
        names = texts([name for name, _ in content], len(content))
        odd = next((name for name in names if hides(cls, name)), None)
        if odd is not None or len(set(names)) < len(names):
            what = "twice" if odd is None else f"{short_repr(odd)}, which is not the name of one"
            raise UnreadableError(f"{cls.__name__} has an attribute {what}")
        state = {name: self._value(part) for name, part in content}
        if state.get("memory") is not None and cls.__module__.startswith("sklearn."):
            raise UnreadableError(f"{cls.__name__} refers to other files (memory={short_repr(state['memory'])})")
        self._complete(cls, state)
        if writes(cls, "__setstate__"):
            self._last.append((made, lambda: made.__setstate__(state)))
            return
        for name, part in state.items():
            if name in slots_of(cls):
                object.__setattr__(made, name, part)
            else:
                made.__dict__[name] = part

    def _complete(self, cls: type, state: dict[str, Any]) -> None:
        """What this version has and the file has not: the default, where another version wrote the file."""
        same = self._theirs_is_same if cls.__module__.startswith("sklearn.") else self._ours_is_same
        for name, default in wanted(cls).items():
            if name in state:
                continue
            if default is MISSING or same:
                raise UnreadableError(f"{cls.__name__} has no {name}")
            state[name] = default

    # ------------------------------------------------------------------------------------------------ that stay as made

    def _named(self, content: Json) -> Any:
        name, items = _parts(content, "class", "items")
        cls: Any = class_named(texts([name], 1)[0])
        values = self._values(items)
        if not is_named_tuple(cls) or len(values) != len(cls._fields):
            raise UnreadableError(f"{name} is no named tuple of {len(values)} parts")
        return tuple.__new__(cls, values)

    def _array(self, content: Json) -> Array:
        name, sides, order = _parts(content, "dtype", "shape", "order", more=("hex", "member"))
        dtype, shape = dtype_named(name), _shape(sides)
        if order not in ("C", "F") or ("hex" in content) == ("member" in content):
            raise UnreadableError("an array does not say where its values are")
        if "hex" in content:
            data = bytes.fromhex(texts([content["hex"]], 1)[0])
            if len(data) != dtype.itemsize * _product(shape):
                raise UnreadableError(f"an array of shape {shape} has {len(data)} bytes of {dtype}")
            made = np.empty(shape, dtype=dtype, order=order)
            as_bytes(made)[:] = np.frombuffer(data, dtype=np.uint8) if data else 0
            return made
        member = content["member"]
        if type(member) is not int:
            raise UnreadableError(f"an array refers to member {short_repr(member)}, which is no number")
        if member in self._members:
            raise UnreadableError(f"two arrays refer to member {member}")
        self._members.add(member)
        return self._archive.array(member, dtype, shape, order)

    def _objects(self, content: Json) -> Array:
        sides, order, items = _parts(content, "shape", "order", "items")
        shape = _shape(sides)
        if type(items) is not list or len(items) != _product(shape) or order not in ("C", "F"):
            raise UnreadableError(f"an array of shape {shape} has another number of values")
        made = np.empty(len(items), dtype=object)
        self._empty.append((made, lambda: self._fill_array(made, items)))
        return made.reshape(shape, order=order)

    def _fill_array(self, made: Array, items: Json) -> None:
        for i, one in enumerate(self._values(items)):
            made[i] = one

    def _masked(self, content: Json) -> Any:
        data, mask, fill = (self._value(part) for part in _parts(content, "data", "mask", "fill"))
        if not all(isinstance(part, np.ndarray) for part in (data, mask, fill)) or mask.dtype != bool:
            raise UnreadableError("a masked array is not made of arrays")
        return np.ma.MaskedArray(data, mask=mask, fill_value=fill[()])

    def _sparse(self, content: Json) -> Any:
        kind, array, sides, named = _parts(content, "format", "array", "shape", "parts")
        names = SPARSE[kind]
        parts = {name: self._value(named[name]) for name in names}
        shape = _shape(sides)
        if len(named) > len(names) or not all(isinstance(one, np.ndarray) for one in parts.values()):
            raise UnreadableError("a sparse matrix is not made of arrays")
        cls = getattr(scipy.sparse, f"{kind}_{'array' if array else 'matrix'}")
        values = tuple(parts.values())
        given = (values[0], values[1:]) if kind == "coo" else values
        made = cls(given, shape=shape)
        if kind in ("csr", "csc", "bsr"):
            made.check_format(full_check=True)
        if made.shape != shape:
            raise UnreadableError("a sparse matrix has another shape than it says")
        for name, part in parts.items():  # scipy may have made indices narrower
            setattr(made, name, part)
        return made


def _parts(content: Json, *names: str, more: tuple[str, ...] = ()) -> list[Json]:
    """The parts of an entry by name: all of these, and of others only those that may be there."""
    if type(content) is not dict or not set(names) <= set(content) <= {*names, *more}:
        raise UnreadableError(f"an object has not the parts {', '.join(names)}")
    return [content[name] for name in names]


def _shape(sides: Json) -> tuple[int, ...]:
    if type(sides) is not list or not all(type(side) is int and 0 <= side < 2**62 for side in sides):
        raise UnreadableError("an array has no shape")
    return tuple(sides)


def _product(shape: tuple[int, ...]) -> int:
    found = 1
    for side in shape:
        found *= side
    return found


_MAKERS: dict[str, Callable[[Decoder, Json], Any]] = {
    "list": Decoder._list,
    "tuple": lambda decoder, content: tuple(decoder._values(content)),
    "dict": Decoder._dict,
    "set": Decoder._set,
    "frozenset": lambda decoder, content: frozenset(decoder._keys(content)),
    "object": Decoder._object,
    "named": Decoder._named,
    "array": Decoder._array,
    "objects": Decoder._objects,
    "masked": Decoder._masked,
    "sparse": Decoder._sparse,
    "random": lambda decoder, content: random_read(content),
}
