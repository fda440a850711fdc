"""An ONNX graph while it is written: operators one after the other, constants where they are needed.

Numbers are 64-bit floats throughout. An operator that is asked for twice with the same inputs is written once; what no
output needs is left out at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from pellucid.base.errors import MissingExtraError, format_message
from pellucid.base.types import Array

WHO = "to_onnx"
ML = "ai.onnx.ml"
ML_OPSET = 5  # TreeEnsemble of 64-bit floats


def onnx_or_say() -> Any:
    """onnx, or the sentence that it is not installed."""
    if find_spec("onnx") is None:
        requirement = "writing ONNX needs onnx, which is not installed"
        raise MissingExtraError(format_message(WHO, requirement, actual="", hint="pip install 'pellucid[onnx]'"))
    return import_module("onnx")


class Names:
    """Names that no two tensors share."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def fresh(self, wish: str) -> str:
        """The wish itself, or with a number behind it."""
        found, k = wish, 1
        while found in self.taken:
            k += 1
            found = f"{wish}_{k}"
        self.taken.add(found)
        return found


class Graph:
    """Operators in the order in which they run. A tensor is known by its name."""

    def __init__(self, parent: Graph | None = None) -> None:
        self.onnx: Any = onnx_or_say() if parent is None else parent.onnx
        self.parent = parent
        self.names: Names = Names() if parent is None else parent.names
        self.nodes: list[Any] = []
        self.constants: dict[Any, tuple[str, Any]] = {}
        self._written: dict[Any, Any] = {}
        self._count: dict[str, int] = {}
        self.counted = ""

    # -------------------------------------------------------------------------------------------------------- operators

    def op(self, kind: str, *inputs: Any, outputs: int = 1, domain: str = "", name: str = "", **attributes: Any) -> Any:
        """Writes an operator: the name of its output, or a list of names for several.

        inputs : names of tensors, or constants: numbers, lists of whole numbers, arrays; None for one that is left out
        """
        given = ["" if one is None else one if isinstance(one, str) else self.constant(one) for one in inputs]
        plain = all(isinstance(value, int | float | str | bytes) for value in attributes.values())
        key = (kind, tuple(given), outputs, domain, tuple(sorted(attributes.items()))) if plain else None
        if key is not None and key in self._written:
            return self._written[key]
        found = [self.names.fresh(f"{kind.lower()}_{self._next(kind)}") for _ in range(outputs)]
        own = self.names.fresh(name) if name else found[0]
        made = self.onnx.helper.make_node(kind, given, found, name=own, domain=domain)
        for attribute, value in attributes.items():
            made.attribute.append(self._attribute(attribute, value))
        self.nodes.append(made)
        answer = found[0] if outputs == 1 else found
        if key is not None:
            self._written[key] = answer
        return answer

    def _next(self, kind: str) -> int:
        top = self
        while top.parent is not None:
            top = top.parent
        top._count[kind] = top._count.get(kind, 0) + 1
        return top._count[kind]

    def _attribute(self, name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            value = self.onnx.numpy_helper.from_array(value)
        return self.onnx.helper.make_attribute(name, value)

    def constant(self, value: Any) -> str:
        """A tensor that holds a value: whole numbers as int64, others as float64, words as strings."""
        if self.parent is not None:
            return self.parent.constant(value)
        array = as_tensor(value)
        key = (array.dtype.str, array.shape, array.tobytes() if array.dtype != object else tuple(array.ravel()))
        if key not in self.constants:
            name = self.names.fresh(f"constant_{len(self.constants)}")
            self.constants[key] = (name, self.onnx.numpy_helper.from_array(array, name))
        return self.constants[key][0]

    def inner(self) -> Graph:
        """A graph that runs within this one, for every row or until something holds."""
        return Graph(self)

    def row_count(self) -> str:
        """The number of rows, as a list of one; which input tells it is settled at the end (`count_rows`)."""
        if not self.counted:
            self.counted = self.names.fresh("row_count")
        return self.counted

    def count_rows(self, tensor: str) -> None:
        """Lets the rows of a tensor be counted before everything else."""
        made = self.onnx.helper.make_node("Shape", [tensor], [self.counted], name=self.counted, start=0, end=1)
        self.nodes.insert(0, made)

    # ------------------------------------------------------------------------------------------------- common operators

    def add(self, a: Any, b: Any) -> str:
        """a + b."""
        return str(self.op("Add", a, b))

    def sub(self, a: Any, b: Any) -> str:
        """a - b."""
        return str(self.op("Sub", a, b))

    def mul(self, a: Any, b: Any) -> str:
        """a times b, entry by entry."""
        return str(self.op("Mul", a, b))

    def div(self, a: Any, b: Any) -> str:
        """a / b, entry by entry."""
        return str(self.op("Div", a, b))

    def line(self, x: str, weights: Array, start: Any) -> str:
        """n x k: ``x W' + b`` for W of k rows."""
        found = str(self.op("MatMul", x, np.ascontiguousarray(np.asarray(weights, dtype=np.float64).T)))
        return self.add(found, np.asarray(start, dtype=np.float64))

    def where(self, flag: str, yes: Any, no: Any) -> str:
        """yes where the flag is true, else no."""
        return str(self.op("Where", flag, yes, no))

    def over(self, kind: str, x: str, axis: int = 1, keep: bool = True) -> str:
        """A sum, largest or smallest entry (ReduceSum, ReduceMax, ReduceMin) along an axis."""
        return str(self.op(kind, x, [axis], keepdims=int(keep)))

    def number(self, x: str) -> str:
        """Flags or whole numbers as floats."""
        return str(self.op("Cast", x, to=int(self.onnx.TensorProto.DOUBLE)))

    def whole(self, x: str) -> str:
        """Flags or floats as whole numbers."""
        return str(self.op("Cast", x, to=int(self.onnx.TensorProto.INT64)))

    def flag(self, x: str) -> str:
        """Numbers as flags: all but 0 are true."""
        return str(self.op("Cast", x, to=int(self.onnx.TensorProto.BOOL)))

    def take(self, x: Any, places: Any, axis: int = 0, name: str = "") -> str:
        """Entries at some places along an axis."""
        return str(self.op("Gather", x, places, axis=axis, name=name))

    def beside(self, parts: Sequence[str], axis: int = 1) -> str:
        """Tensors side by side."""
        return parts[0] if len(parts) == 1 else str(self.op("Concat", *parts, axis=axis))

    def argmax(self, x: str) -> str:
        """n places of the largest entries of the rows, the first of equals."""
        return str(self.op("ArgMax", x, axis=1, keepdims=0))

    def refuse(self, x: str, where: str, words: str) -> str:
        """x, unless a flag is true somewhere: then the run fails, in an operator that has these words as its name.

        ONNX has no errors of its own; an index out of range is one that every runtime refuses.
        """
        count = self.op("ReduceSum", self.whole(where), keepdims=0)
        return self.add(x, self.take(np.zeros(1), count, name=words))

    # ---------------------------------------------------------------------------------------------------------- the end

    def needed(self, outputs: Iterable[str]) -> tuple[list[Any], list[Any]]:
        """The operators and constants that the outputs hang on."""
        wanted, nodes = set(outputs), []
        for node in reversed(self.nodes):
            if wanted.intersection(node.output):
                wanted.update(node.input)
                for attribute in node.attribute:
                    wanted.update(name for inner in attribute.g.node for name in inner.input)
                nodes.append(node)
        return nodes[::-1], [tensor for name, tensor in self.constants.values() if name in wanted]


def as_tensor(value: Any) -> Array:
    """A value in one of the four types that graphs here use."""
    array = np.asarray(value)
    if array.dtype.kind in "US":
        array = array.astype(object)
    if array.dtype.kind == "f" or array.size == 0:
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    if array.dtype.kind in "iu":
        return np.ascontiguousarray(array, dtype=np.int64).reshape(array.shape)
    return array
