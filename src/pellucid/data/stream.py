"""Tables that come in parts, each with its target: from files that need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message, join_some, short_repr
from pellucid.base.types import Array
from pellucid.data.files import TEXT_ENDINGS, TypedParts, batches, ending, polars_or_say


def file_names(source: Any) -> list[Path] | None:
    """The files that a source names, or None if it is something else."""
    names = [source] if isinstance(source, str | Path) else source
    if isinstance(names, list | tuple) and names and all(isinstance(name, str | Path) for name in names):
        return [Path(name) for name in names]
    return None


def labeled_parts(
    files: list[Path], target: str, weight: str | None, who: str, rows: int
) -> Iterator[tuple[Any, Array, Array | None]]:
    """Rows of files, part by part: the table without target and weight, the target, the weights."""
    apart = [target] if weight is None else [target, weight]
    for frame in _frames(files, apart, who, rows):
        y = frame[target].to_numpy()
        yield frame.drop(apart), y, None if weight is None else frame[weight].to_numpy()


def distinct_labels(files: list[Path], target: str, who: str, rows: int) -> Array:
    """Every value of the target column; the other columns are not kept."""
    labels: set[Any] = set()
    for frame in _frames(files, [target], who, rows):
        labels.update(frame[target].drop_nulls().unique().to_list())
    return np.unique(np.array(list(labels)))


def _frames(files: list[Path], needed: list[str], who: str, rows: int) -> Iterator[Any]:
    typed = TypedParts()
    for file in files:
        for frame in batches(file, who, rows=rows):
            absent = [name for name in needed if name not in frame.columns]
            if absent:
                requirement = f"{file.name!r} must have the column {absent[0]!r}"
                raise DataError(
                    format_message(who, requirement, actual=f"it has {join_some(map(short_repr, frame.columns))}")
                )
            if frame.height:
                yield typed.add(frame) if ending(file) in TEXT_ENDINGS else frame


def with_values(part: Any, kinds: dict[str, str], malformed: dict[str, tuple[int, str]]) -> Any:
    """Rows whose texts in columns of numbers, flags or times became values; malformed cells became missing.

    kinds : "number", "flag" or "time", by column
    malformed : how many cells of a column could not be read, and the first of them; grows from part to part
    """
    polars = polars_or_say("predict")
    for name, kind in kinds.items():
        if name not in part.columns or part[name].dtype != polars.String:
            continue
        column = part[name].str.strip_chars()
        if kind == "flag":
            values = column.str.to_lowercase().replace_strict({"true": True, "false": False}, default=None)
        elif kind == "time":
            values = column.str.to_datetime(strict=False, time_unit="us")
        else:
            values = column.cast(polars.Float64, strict=False)
            values = values.set(~values.is_finite(), None)
        cells = part[name].filter(values.is_null() & part[name].is_not_null())
        if len(cells):
            count, example = malformed.get(name, (0, cells[0]))
            malformed[name] = (count + len(cells), example)
        part = part.with_columns(values.alias(name))
    return part
