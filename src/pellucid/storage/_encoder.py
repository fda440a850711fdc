"""A fitted model as a flat list of objects that refer to each other by number, and back.

Every object that holds others stands in the list once, however often it is referred to, so that shared objects stay
shared and circles close. An entry is an object with one key, which says what it is::

    {"object": {"class": "pellucid.linear_model.lasso:Lasso", "state": [["alpha", 1.0], ["coef_", {"ref": 3}]]}}
    {"list": [1, 2, {"ref": 4}]}   {"tuple": []}   {"dict": [["key", "value"]]}   {"set": []}   {"frozenset": []}
    {"named": {"class": "pellucid.impute.iterative:ImputerTriplet", "items": []}}
    {"array": {"dtype": "<f8", "shape": [3, 2], "order": "C", "member": 0}}   or "hex" in place of "member"
    {"objects": {"shape": [2], "order": "C", "items": ["a", null]}}
    {"masked": {...}}   {"sparse": {...}}   {"random": {...}}

Objects are made by ``cls.__new__`` and their attributes are set; a class of ours that writes ``__setstate__`` is handed
its attributes instead, or what its ``__getstate__`` gave ("own" in place of "state"). Nothing else of any class is
called.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.random import Generator, RandomState
from sklearn.base import BaseEstimator

from pellucid.base.errors import DataError, DataTypeError, format_message, short_repr
from pellucid.base.registry import all_estimators
from pellucid.base.types import Array
from pellucid.storage._archive import as_bytes, order_of
from pellucid.storage._classes import has_own_state, hides, is_named_tuple, name_of_class, state_of
from pellucid.storage._plain import ABSENT, PLAIN_DTYPE, QUICK, Json, is_key, written
from pellucid.storage._random import random_written

INLINE = 256  # bytes of an array that stands among the objects: as a member of the archive it would take more room
DEEPEST = 100  # tuples within tuples
SPARSE = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}


class Encoded(NamedTuple):
    """A model as JSON and arrays."""

    model: Json
    arrays: list[Array]


def encode(model: Any) -> Encoded:
    """A model as a flat list of objects; what cannot be kept is refused, with its place in the model."""
    return Encoder().encode(model)


class Encoder:
    """Gives every object its number when it is first met, and writes them in the order of their numbers."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._values: list[Any] = []  # also keeps them alive: an id stands for one object as long as it lives
        self._places: list[tuple[int, str]] = []  # of the object that refers to it first, and where in it
        self._depths: list[int] = []  # tuples around it
        self._arrays: list[Array] = []

    def encode(self, model: Any) -> Encoded:
        """All objects that a model holds, the model first."""
        root = self._node(model, -1, "")
        objects: list[Json] = []
        while len(objects) < len(self._values):
            number = len(objects)
            objects.append(self._entry(self._values[number], number))
        return Encoded({"root": root, "objects": objects}, self._arrays)

    def place(self, number: int) -> str:
        """How an object is reached from the model."""
        steps: list[str] = []
        while number >= 0:
            number, step = self._places[number]
            steps.append(step)
        return "model" + "".join(reversed(steps))

    def _node(self, value: Any, holder: int, step: str) -> Json:
        node = written(value)
        if node is not ABSENT:
            return node
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._values)
            self._values.append(value)
            self._places.append((holder, step))
            inside = holder >= 0 and isinstance(self._values[holder], (tuple, frozenset))
            self._depths.append(self._depths[holder] + 1 if inside else 0)
        return {"ref": number}

    def _nodes(self, values: Iterable[Any], number: int) -> list[Json]:
        return [one if type(one) in QUICK else self._node(one, number, f"[{i}]") for i, one in enumerate(values)]

    def _entry(self, value: Any, number: int) -> Json:
        if self._depths[number] > DEEPEST:
            requirement, actual = (
                f"tuples must lie at most {DEEPEST} deep within each other",
                f"{self.place(number)} lies deeper",
            )
            raise DataError(format_message("save", requirement, actual=actual))
        writer = _ENTRIES.get(type(value))
        if writer is not None:
            return writer(self, value, number)
        if scipy.sparse.issparse(value):
            return self._sparse(value, number)
        name = name_of_class(type(value))
        if name is None:
            raise _unsaveable(value, self.place(number))
        if is_named_tuple(type(value)):
            return {"named": {"class": name, "items": self._nodes(value, number)}}
        return {"object": self._object(value, name, number)}

    def _object(self, value: Any, name: str, number: int) -> Json:
        if has_own_state(type(value)):
            return {"class": name, "own": self._node(value.__getstate__(), number, ".__getstate__()")}
        state = state_of(value)
        odd = next((one for one in state if hides(type(value), one)), None)
        if odd is not None:
            actual = f"{self.place(number)}.{odd} stands before what {type(value).__name__} itself has under that name"
            raise DataError(
                format_message(
                    "save", "attributes must leave methods alone", actual=actual, hint=f"delattr(..., {odd!r})"
                )
            )
        if state.get("memory") is not None and type(value).__module__.startswith("sklearn."):
            actual = f"{self.place(number)}.memory is {short_repr(value.memory)}"
            hint = "set_params(memory=None): a fit would read pickled files from there"
            raise DataError(format_message("save", "a model must not refer to other files", actual=actual, hint=hint))
        entry = {"class": name, "state": [[key, self._node(part, number, f".{key}")] for key, part in state.items()]}
        if isinstance(value, dict):
            entry["items"] = self._pairs(value, number)
        return entry

    def _pairs(self, value: dict[Any, Any], number: int) -> list[Json]:
        for key in value:
            self._check_key(key, number)
        return [[self._node(key, number, f" (key {key!r})"), self._node(part, number, f"[{key!r}]")]
                for key, part in value.items()]  # fmt: skip

    def _set(self, value: Iterable[Any], number: int) -> list[Json]:
        for key in value:
            self._check_key(key, number)
        return self._nodes(sorted(value, key=lambda one: (type(one).__name__, repr(one))), number)

    def _check_key(self, key: Any, number: int) -> None:
        if type(key) not in QUICK and not is_key(key):
            actual = f"{self.place(number)} has the key {short_repr(key)}"
            raise DataTypeError(format_message("save", "keys must be plain values or tuples of them", actual=actual))

    def _array(self, value: Array, number: int) -> Json:
        if value.dtype == object:
            return {"objects": self._objects(value, number)}
        if not PLAIN_DTYPE.fullmatch(value.dtype.str):
            if value.dtype.kind not in "US" or value.dtype.itemsize:
                actual = f"{self.place(number)} is an array of {short_repr(value.dtype.str)}"
                raise DataTypeError(
                    format_message("save", "arrays must hold numbers, flags, texts or times", actual=actual)
                )
            value = value.astype(f"{value.dtype.kind}1")  # texts of no letter at all
        plain = np.asarray(value, order="A" if value.flags.forc else "C")
        entry = {"dtype": plain.dtype.str, "shape": list(plain.shape), "order": order_of(plain)}
        if plain.nbytes <= INLINE:
            return {"array": {**entry, "hex": as_bytes(plain).tobytes().hex()}}
        self._arrays.append(plain)
        return {"array": {**entry, "member": len(self._arrays) - 1}}

    def _objects(self, value: Array, number: int) -> Json:
        order = order_of(value)
        items = self._nodes(value.ravel(order="F" if order == "F" else "C").tolist(), number)
        return {"shape": list(value.shape), "order": order, "items": items}

    def _masked(self, value: Any, number: int) -> Json:
        parts = {"data": value.data, "mask": np.ma.getmaskarray(value), "fill": np.asarray(value.fill_value)}
        return {"masked": {name: self._node(part, number, f".{name}") for name, part in parts.items()}}

    def _sparse(self, value: Any, number: int) -> Json:
        if value.format not in SPARSE or value.ndim != 2:
            actual, hint = f"{self.place(number)} is a {type(value).__name__}", "tocsr()"
            raise DataTypeError(
                format_message("save", "sparse matrices must be CSR, CSC, BSR, COO or DIA", actual=actual, hint=hint)
            )
        parts = {name: self._node(getattr(value, name), number, f".{name}") for name in SPARSE[value.format]}
        array = isinstance(value, scipy.sparse.sparray)
        shape = [int(side) for side in value.shape]
        return {"sparse": {"format": value.format, "array": array, "shape": shape, "parts": parts}}

    def _random(self, value: Any, number: int) -> Json:
        found = random_written(value)
        if found is None:
            raise _unsaveable(value, self.place(number))
        return {"random": found}


def _described(value: Any) -> str:
    """What a value is, for somebody who does not know."""
    kind = type(value)
    if isinstance(value, (FunctionType, MethodType, BuiltinFunctionType)):
        return f"a function ({value.__qualname__})"
    if isinstance(value, io.IOBase):
        return "an open file"
    if isinstance(value, ModuleType):
        return f"a module ({value.__name__})"
    if isinstance(value, type):
        return f"a class ({value.__name__})"
    return f"a {kind.__name__} of {kind.__module__}"


def _unsaveable(value: Any, place: str) -> DataError:
    """The error about a value that no file can hold."""
    kind = type(value)
    peer = kind.__name__ in dict(all_estimators()) and kind.__module__.startswith("sklearn.")
    if isinstance(value, (FunctionType, MethodType, BuiltinFunctionType)):
        hint = "a setting that has a name (a metric, a NumPy function such as np.log1p) can be saved"
    elif peer:
        hint = f"pellucid has {kind.__name__} too"
    elif isinstance(value, BaseEstimator):
        hint = "build the model of pellucid's estimators in Pipeline, ColumnTransformer and FeatureUnion"
    elif place.endswith("_skl_callbacks[0]"):
        hint = "set_callbacks() without arguments takes them off"
    else:
        hint = "keep it outside of the model"
    requirement = "a model file holds plain values, arrays and pellucid's own classes"
    return DataTypeError(format_message("save", requirement, actual=f"{place} is {_described(value)}", hint=hint))


_ENTRIES: dict[type, Callable[[Encoder, Any, int], Json]] = {
    list: lambda encoder, value, number: {"list": encoder._nodes(value, number)},
    tuple: lambda encoder, value, number: {"tuple": encoder._nodes(value, number)},
    dict: lambda encoder, value, number: {"dict": encoder._pairs(value, number)},
    set: lambda encoder, value, number: {"set": encoder._set(value, number)},
    frozenset: lambda encoder, value, number: {"frozenset": encoder._set(value, number)},
    np.ndarray: Encoder._array,
    np.memmap: Encoder._array,
    np.ma.MaskedArray: Encoder._masked,
    RandomState: Encoder._random,
    Generator: Encoder._random,
}
