"""Columns of a table inside a graph: where they come from, as numbers, words or codes of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from pellucid.base.errors import DataTypeError, format_message, short_repr
from pellucid.base.types import Array
from pellucid.data.kinds import is_missing
from pellucid.export.onnx.graph import ML, WHO, Graph

# How a missing word may be written: the empty text, and what onnxruntime makes of None, NaN and pandas.NA.
MISSING_WORDS = ("", "nan", "None", "<NA>")


@dataclass
class Input:
    """One input of the graph. What it holds, numbers or words, is settled when it is first asked for."""

    graph: Graph
    name: str
    dtype: str
    width: int | None = None  # of a matrix; None for a single column
    kind: str = ""

    def numbers(self) -> str:
        """Its numbers, as 64-bit floats."""
        self._settle("numbers")
        return self.name if self.dtype == "float64" else self.graph.number(self.name)

    def words(self) -> str:
        """Its words."""
        if self.width is not None:
            requirement = "inputs='matrix' takes numbers alone"
            actual = "the model reads columns of words"
            raise DataTypeError(
                format_message(WHO, requirement, actual=actual, hint="use inputs='columns', one input a column")
            )
        self._settle("words")
        return self.name

    def _settle(self, kind: str) -> None:
        if self.kind and self.kind != kind:
            requirement = "each column must hold numbers or words"
            actual = f"{self.name!r} is read as numbers by one part of the model and as words by another"
            raise DataTypeError(
                format_message(WHO, requirement, actual=actual, hint="encode the column once, in the first step")
            )
        self.kind = kind


@dataclass(frozen=True)
class Cell:
    """One column: an input, or a column of a tensor of a certain width that the graph has worked out."""

    label: str
    source: Input | str
    place: int = 0
    width: int = 1
    is_text: bool = False

    @property
    def key(self) -> str:
        """The name of the tensor that it is a column of."""
        return self.source if isinstance(self.source, str) else self.source.name

    def tensor(self) -> str:
        """The tensor that it is a column of."""
        return self.source if isinstance(self.source, str) else self.source.numbers()


@dataclass(frozen=True)
class Columns:
    """Columns side by side."""

    graph: Graph
    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, graph: Graph, tensor: str, width: int, label: str = "x") -> Columns:
        """The columns of an n x width tensor of numbers."""
        return cls(graph, tuple(Cell(f"{label}{j}", tensor, j, width) for j in range(width)))

    @classmethod
    def joined(cls, graph: Graph, parts: Sequence[Columns]) -> Columns:
        """All columns of several tables side by side."""
        return cls(graph, tuple(cell for part in parts for cell in part.cells))

    def __len__(self) -> int:
        return len(self.cells)

    def take(self, places: Sequence[int]) -> Columns:
        """Some of them."""
        return Columns(self.graph, tuple(self.cells[j] for j in places))

    def number(self, j: int) -> str:
        """n x 1 numbers of a column."""
        return self.take([j]).matrix()

    def words(self, j: int) -> str:
        """n x 1 words of a column."""
        source = self.cells[j].source
        if isinstance(source, Input):
            return source.words()
        if not self.cells[j].is_text:
            actual = f"column {self.cells[j].label!r} holds numbers at this step"
            raise DataTypeError(
                format_message(WHO, "the model reads words where the step before makes numbers", actual=actual)
            )
        return source

    def matrix(self) -> str:
        """n x p numbers."""
        parts = []
        for _, run in groupby(self.cells, key=lambda cell: cell.key):
            cells = list(run)
            self._refuse_words(cells)
            tensor, places = cells[0].tensor(), [cell.place for cell in cells]
            whole = places == list(range(cells[0].width))
            parts.append(tensor if whole else self.graph.take(tensor, places, axis=1))
        return self.graph.beside(parts)

    def _refuse_words(self, cells: list[Cell]) -> None:
        words = [cell.label for cell in cells if cell.is_text]
        if words:
            requirement = "the model reads numbers where the step before makes words"
            raise DataTypeError(
                format_message(WHO, requirement, actual=f"column {words[0]!r} holds words", hint="encode it before")
            )


# ----------------------------------------------------------------------------------------------------------- categories


def codes_of(columns: Columns, j: int, values: Sequence[Any], size: int | None = None) -> str:
    """n x 1 places of a column's values among its categories; a missing value has the place `size`, others size + 1.

    A category that is itself a missing value (NaN, None) keeps its place. size : how many categories there are, if more
    than are listed.
    """
    graph, listed = columns.graph, [_plain(value) for value in values]
    size = len(listed) if size is None else size
    present = [(value, place) for place, value in enumerate(listed) if not is_missing(value)]
    gone = next((place for place, value in enumerate(listed) if is_missing(value)), size)
    if present and all(isinstance(value, str) for value, _ in present):
        places = dict.fromkeys(MISSING_WORDS, gone) | {str(value): place for value, place in present}
        keys, own = np.array(list(places), dtype=object), columns.words(j)
        return _looked_up(graph, own, keys, list(places.values()), size + 1)
    if all(isinstance(value, int | float) for value, _ in present):
        numbers = np.array([float(value) for value, _ in present] + [np.nan])
        return _looked_up(graph, columns.number(j), numbers, [place for _, place in present] + [gone], size + 1)
    odd = next(value for value, _ in present if not isinstance(value, str))
    requirement = "the categories of a column must be words alone or numbers alone"
    actual = f"column {columns.cells[j].label!r} has {short_repr(odd)} among them"
    raise DataTypeError(
        format_message(WHO, requirement, actual=actual, hint="turn them into words with str before fit")
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _looked_up(graph: Graph, own: str, keys: Array, places: list[int], other: int) -> str:
    told: dict[str, Any] = {"values_int64s": places, "default_int64": other}
    if keys.dtype == object:
        return str(graph.op("LabelEncoder", own, domain=ML, keys_strings=keys.tolist(), **told))
    told = {"values_tensor": np.array(places, dtype=np.int64), "default_tensor": np.array([other], dtype=np.int64)}
    return str(graph.op("LabelEncoder", own, domain=ML, keys_tensor=keys, **told))


def category_numbers(columns: Columns, j: int, values: Sequence[Any], missing: bool, unknown: str, who: str) -> str:
    """n x 1 codes of a column as numbers, NaN where it is missing.

    missing : are missing values taken? unknown : does another value become a missing one ("missing"), or is it refused?
    """
    graph, label = columns.graph, columns.cells[j].label
    table = np.arange(len(values), dtype=np.float64)
    words = f"{who}: column {label!r} holds a category that fit did not see"
    if missing:
        table = np.append(table, [np.nan] if unknown == "error" else [np.nan, np.nan])
    else:
        words += ", or none"
    return graph.take(table, codes_of(columns, j, values), name=words)
