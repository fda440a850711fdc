"""Writers of encoders: categories as columns of zeros and ones, as numbers, as statistics of the target."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Array
from pellucid.export.onnx.columns import Columns, codes_of
from pellucid.export.onnx.graph import Graph
from pellucid.export.onnx.preparation import made
from pellucid.export.onnx.writing import Answer, writes


def _rows_of(graph: Graph, columns: Columns, j: int, known: Array, table: Array, other: Array, model: Any) -> str:
    """n x width: the row of a table for each category; `other` for a value that is none, or a failure."""
    words = f"{type(model).__name__}: column {columns.cells[j].label!r} holds a category that fit did not see"
    codes = graph.op("Squeeze", codes_of(columns, j, known.tolist()), [1])
    more = [] if model.handle_unknown == "error" else [other, other]
    return graph.take(np.vstack([table, *more]), codes, name=words)


@writes("OneHotEncoder")
def one_hot(graph: Graph, model: Any, columns: Columns) -> Answer:
    """A column for each category, with a one where a row has it."""
    first, places = model._places()
    ends = [*first[1:].tolist(), len(places)]
    parts, before = [], 0
    for j, (known, width) in enumerate(zip(model.categories_, model._widths(), strict=True)):
        own = places[first[j] : ends[j]] - before
        table = np.zeros((len(own), width))
        there = np.flatnonzero(places[first[j] : ends[j]] >= 0)
        table[there, own[there]] = 1.0
        if width:
            parts.append(_rows_of(graph, columns, j, known, table[1:], table[0], model))
        before += width
    return made(graph, graph.beside(parts), before)


@writes("OrdinalEncoder")
def ordinal(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The number of each category."""
    parts = []
    for j, known in enumerate(model.categories_):
        numbers = np.arange(len(known), dtype=np.float64)
        if model._has_missing(j):
            numbers[-1] = model.encoded_missing_value
        other = np.array([np.nan if model.unknown_value is None else float(model.unknown_value)])
        parts.append(_rows_of(graph, columns, j, known, numbers[:, None], other, model))
    return made(graph, graph.beside(parts), len(parts))


@writes("TargetEncoder", "OrderedTargetEncoder")
def target_statistics(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The statistic of the target of each category, one column a class of several."""
    count = model._n_targets
    unknown = np.broadcast_to(np.atleast_1d(model._unknown_values()), (count,)).astype(np.float64)
    parts = []
    for j, known in enumerate(model.categories_):
        table = np.column_stack([np.asarray(model.encodings_[j * count + c], dtype=np.float64) for c in range(count)])
        parts.append(_rows_of(graph, columns, j, known, table, unknown, model))
    return made(graph, graph.beside(parts), len(parts) * count)
