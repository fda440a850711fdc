"""Reading baskets from a file, a list or a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pellucid.base.errors import ParameterError, format_message
from pellucid.data.baskets import Baskets, baskets_from_file, baskets_of

__all__ = ["Baskets", "read_baskets"]


def read_baskets(
    source: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Literal["error", "ignore"] = "error",
) -> Baskets:
    """Baskets from a file, a list of collections, a table of 0 and 1, or a table of pairs: read once, mined often.

    A file has a line a basket, with the items between delimiters; which of ``, ; |`` and the tab that is, is found out
    (blanks where every word is a whole number). Packed files (.gz, .bz2, .xz) are unpacked. Items that are all whole
    numbers become numbers, and items are put in order. An empty line is a basket without items.

    Parameters
    ----------
    source : path, or anything that `fit` of the miners takes
    delimiter, encoding : of a file, where they are not to be found out
    missing : "error" or "ignore"
        What becomes of items that are missing: they are refused, or left out with a note in ``notes``.

    Returns
    -------
    Baskets : a sequence of tuples, with ``items`` and ``notes``

    Examples
    --------
    >>> baskets = read_baskets([["milk", "bread", "milk"], {"bread"}, []])
    >>> list(baskets), baskets.items
    ([('bread', 'milk'), ('bread',), ()], ('bread', 'milk'))
    """
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise ParameterError(
            format_message("read_baskets", "delimiter must be one character", actual=f"got {delimiter!r}")
        )
    if missing not in ("error", "ignore"):
        raise ParameterError(
            format_message("read_baskets", "missing must be 'error' or 'ignore'", actual=f"got {missing!r}")
        )
    if isinstance(source, str | Path):
        return baskets_from_file(source, "read_baskets", delimiter=delimiter, encoding=encoding)
    return baskets_of(source, "read_baskets", missing)
