"""A file that is being read, and the one sentence in which it is refused."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pellucid.base.errors import DataError, DataTypeError, sentence, some

DAMAGED = "copy or save it again"


@dataclass(frozen=True)
class Source:
    """The file that a function of this package was asked to read."""

    who: str
    path: Path

    def refuse(self, found: str, hint: str = "") -> DataError:
        """The error that says why the file is no model file."""
        return DataError(sentence(self.who, f"{self.path.name!r} must be a model file as save writes it", found, hint))


def checked_path(path: str | os.PathLike[str], who: str) -> Path:
    """A path as such; anything else is refused."""
    if not isinstance(path, (str, os.PathLike)):
        raise DataTypeError(sentence(who, "path must be the path of a file", f"got {type(path).__name__}"))
    return Path(path)


def existing(path: str | os.PathLike[str], who: str) -> Source:
    """A file that is there."""
    found = checked_path(path, who)
    if found.is_dir():
        raise DataError(sentence(who, "the file must exist", f"{found.name!r} is a folder"))
    if not found.is_file():
        near = [other.name for other in found.parent.glob("*")] if found.parent.is_dir() else []
        text = f"there is no {found.name!r}" + (f"; the folder holds {some(sorted(near))}" if near else "")
        raise DataError(sentence(who, "the file must exist", text))
    return Source(who, found)
