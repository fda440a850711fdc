"""Making dataframes, with the library that the user has."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from pellucid.base.errors import MissingExtraError, ParameterError, sentence

AsFrame = bool | Literal["pandas", "polars"]
LIBRARIES = ("pandas", "polars")


def frame_library(who: str, as_frame: AsFrame) -> Any:
    """The dataframe library asked for, or None. Both take a dict of lists, and None in them for a missing cell."""
    if as_frame is False:
        return None
    if as_frame is not True and as_frame not in LIBRARIES:
        raise ParameterError(sentence(who, "as_frame must be True, False, 'pandas' or 'polars'", f"got {as_frame!r}"))
    wanted = LIBRARIES if as_frame is True else (as_frame,)
    for library in wanted:
        if find_spec(library) is not None:
            return import_module(library)
    raise MissingExtraError(
        sentence(
            who,
            f"as_frame={as_frame!r} needs {' or '.join(wanted)}, which is not installed",
            "",
            f"pip install {wanted[0]}, or as_frame=False for the numeric columns as an array",
        )
    )
