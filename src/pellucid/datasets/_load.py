"""From a CSV file in ``tables/`` to a scikit-learn ``Bunch``.

A new table is three things: its file in ``tables/``, its section in ``tables/README.md`` (which becomes ``DESCR``),
and one line at the foot of this module.
"""

import csv
from collections.abc import Sequence
from importlib.resources import files
from io import StringIO
from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some
from pellucid.data.frames import AsFrame, frame_library

Column = list[float | None] | list[str | None]

TABLES = files(__package__).joinpath("tables")

DOC = """{about}

Parameters
----------
target : str, default={target!r}
    The column to predict; the others are the features.
return_X_y : bool, default=False
    Give ``(data, target)`` instead of the Bunch.
as_frame : bool, "pandas" or "polars", default=False
    False: ``data`` is a float64 array of the numeric features; no dataframe library is needed. True: a pandas frame of
    all features, or a polars one where pandas is not installed. A name chooses the library.

Returns
-------
Bunch
    ``data``; ``target``: numbers, or for a column of words the codes 0, 1, ... of ``target_names``; ``frame``: the
    whole table as published, or None; ``feature_names``: the columns of ``data``; ``target_names``; ``DESCR``: origin,
    license, units. Missing cells are NaN in an array, and what the library calls missing in a frame.
"""


class Loader(Protocol):
    """What every ``load_*`` function is to a type checker."""

    @overload
    def __call__(self, *, target: str = ..., return_X_y: Literal[True], as_frame: AsFrame = ...) -> tuple[Any, Any]: ...
    @overload
    def __call__(self, *, target: str = ..., return_X_y: bool = ..., as_frame: AsFrame = ...) -> Bunch: ...


def loader(name: str, *, target: str, about: str) -> Loader:
    """Make ``load_<name>`` for ``tables/<name>.csv``; ``target`` is what it predicts unless told otherwise."""
    who = f"load_{name}"

    def load(*, target: str = target, return_X_y: bool = False, as_frame: AsFrame = False) -> Any:
        library = frame_library(who, as_frame)
        columns = _read(name)
        codes, target_names = _target(who, columns, target)
        features = [column for column in columns if column != target]
        if library is None:
            frame = None
            features = [column for column in features if _is_number(columns[column])]
            data, y = np.array([columns[column] for column in features], dtype=np.float64).T.copy(), codes
        else:
            frame = library.DataFrame(columns)
            data, y = frame[features], library.DataFrame({target: codes})[target]
        if return_X_y:
            return data, y
        return Bunch(
            data=data,
            target=y,
            frame=frame,
            feature_names=features,
            target_names=target_names,
            DESCR=_description(name),
        )

    load.__name__ = load.__qualname__ = who
    load.__doc__ = DOC.format(about=about, target=target)
    return load


def _read(name: str) -> dict[str, Column]:
    text = TABLES.joinpath(f"{name}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(StringIO(text))
    return {column: _parse(cells) for column, cells in zip(header, zip(*rows, strict=True), strict=True)}


def _parse(cells: Sequence[str]) -> Column:
    """Numbers if every cell that is not empty is one, else words; an empty cell is None."""
    try:
        return [float(cell) if cell else None for cell in cells]
    except ValueError:
        return [cell or None for cell in cells]


def _is_number(column: Column) -> bool:
    return not any(isinstance(cell, str) for cell in column)


def _target(who: str, columns: dict[str, Column], target: str) -> tuple[NDArray[Any], NDArray[np.str_]]:
    """The column to predict, as numbers or as codes, and the names of the codes (or of the column)."""
    if target not in columns:
        raise ParameterError(
            format_message(
                who,
                "target must be a column of the table",
                actual=f"got {target!r}",
                hint=f"one of {', '.join(columns)}",
            )
        )
    column = columns[target]
    if _is_number(column):
        return np.array(column, dtype=np.float64), np.array([target])
    missing = [row for row, cell in enumerate(column) if cell is None]
    if missing:
        raise DataError(
            format_message(
                who,
                "a target of words must have no missing cells",
                actual=f"{target!r} has {count(len(missing), 'missing cell')} (rows {join_some(missing)})",
                hint=f"take the column from {who}(as_frame=True).frame and drop those rows",
            )
        )
    target_names, codes = np.unique(np.array(column, dtype=np.str_), return_inverse=True)
    return codes.astype(np.int64), target_names


def _description(name: str) -> str:
    """The table's section of ``tables/README.md``."""
    sections = TABLES.joinpath("README.md").read_text(encoding="utf-8").split("\n## ")
    return next(section for section in sections if section.startswith(f"{name}.csv\n"))


load_penguins = loader("penguins", target="species", about="Penguins of three species: body, island and sex.")
load_titanic = loader("titanic", target="survived", about="Passengers of the Titanic: who lived, and who did not.")
