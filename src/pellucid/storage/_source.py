"""A file that is being read, and the one sentence in which it is refused."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pellucid.base.errors import DataError, DataTypeError, format_message, join_some

DAMAGED = "copy or save it again"


@dataclass(frozen=True)
class Source:
    """The file that a function of this package was asked to read."""

    who: str
    path: Path

    def refuse(self, actual: str, hint: str = "") -> DataError:
        """The error that says why the file is no model file."""
        return DataError(
            format_message(
                self.who, f"{self.path.name!r} must be a model file as save writes it", actual=actual, hint=hint
            )
        )


def checked_path(path: str | os.PathLike[str], who: str) -> Path:
    """A path as such; anything else is refused."""
    if not isinstance(path, (str, os.PathLike)):
        raise DataTypeError(format_message(who, "path must be the path of a file", actual=f"got {type(path).__name__}"))
    return Path(path)


def existing(path: str | os.PathLike[str], who: str) -> Source:
    """A file that is there."""
    actual = checked_path(path, who)
    if actual.is_dir():
        raise DataError(format_message(who, "the file must exist", actual=f"{actual.name!r} is a folder"))
    if not actual.is_file():
        near = [other.name for other in actual.parent.glob("*")] if actual.parent.is_dir() else []
        text = f"there is no {actual.name!r}" + (f"; the folder holds {join_some(sorted(near))}" if near else "")
        raise DataError(format_message(who, "the file must exist", actual=text))
    return Source(who, actual)
