"""What a user chose on the command line, where it takes several options to say it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SqlOptions:
    """Of an exported query: the table that it reads, the dialect, and the columns that identify its rows."""

    table: str = "data"
    dialect: str = "sqlite"
    key: tuple[str, ...] = ()
