"""The answer of a database as a table: SQLite and DuckDB in a file, PostgreSQL over the network."""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pellucid.base.errors import DataError, MissingExtraError, ParameterError, format_message
from pellucid.data.files import polars_or_say

KNOWN = ("sqlite", "duckdb", "postgresql")


def read_query(query: str, connect: str, who: str = "read_query") -> Any:
    """The rows that a query gives, as a polars frame.

    Parameters
    ----------
    query : SQL
    connect : ``sqlite:///folder/file.db``, ``duckdb:///folder/file.db`` or ``postgresql://user@host/database``; a path
        after three strokes is relative to the working folder, one after four is absolute. Files are opened for reading
        only.
    """
    polars = polars_or_say(who)
    kind = urlsplit(connect).scheme
    if kind == "postgres":
        kind = "postgresql"
    if kind not in KNOWN:
        hint = "sqlite:///file.db, duckdb:///file.db or postgresql://user@host/database"
        raise ParameterError(
            format_message(
                who, f"the connection must begin with {', '.join(KNOWN)}", actual=f"got {connect!r}", hint=hint
            )
        )
    try:
        if kind == "sqlite":
            return _sqlite(query, _file(connect, who), polars)
        return (
            _duckdb(query, _file(connect, who), who) if kind == "duckdb" else _postgresql(query, connect, who, polars)
        )
    except (DataError, MissingExtraError):
        raise
    except Exception as error:  # each driver has its own
        raise DataError(format_message(who, "the query must run", actual=" ".join(str(error).split())[:300])) from error


def without_password(connect: str) -> str:
    """A connection as it may be shown and written: without its password.

    >>> without_password("postgresql://ann:secret@host/base"), without_password("sqlite:///base.db")
    ('postgresql://ann@host/base', 'sqlite:///base.db')
    """
    url = urlsplit(connect)
    who, at, where = url.netloc.rpartition("@")
    options = url.query.split("&")
    public = [option for option in options if option.partition("=")[0].lower() != "password"]
    if ":" not in who and len(public) == len(options):
        return connect
    user = who.partition(":")[0]
    return urlunsplit(url._replace(netloc=f"{user}{at}{where}", query="&".join(public)))


def _file(connect: str, who: str) -> Path:
    path = Path(connect.split("://", 1)[1].removeprefix("/") or ".")
    if not path.is_file():
        raise DataError(
            format_message(who, "the database must be a file that is there", actual=f"there is no {str(path)!r}")
        )
    return path


def _sqlite(query: str, path: Path, polars: Any) -> Any:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        cursor = connection.execute(query)
        if cursor.description is None:
            raise DataError(format_message("read_query", "the query must give rows", actual="it gives none"))
        names = [str(column[0]) for column in cursor.description]
        rows = cursor.fetchall()
    finally:
        connection.close()
    columns = list(zip(*rows, strict=True)) if rows else [() for _ in names]
    return polars.DataFrame({name: list(column) for name, column in zip(names, columns, strict=True)}, strict=False)


def _duckdb(query: str, path: Path, who: str) -> Any:
    _need("duckdb", "sql", who)
    import duckdb

    connection = duckdb.connect(str(path), read_only=True)
    try:
        relation: Any = connection.sql(query)
        return relation.pl()
    finally:
        connection.close()


def _postgresql(query: str, connect: str, who: str, polars: Any) -> Any:
    _need("adbc_driver_postgresql", "postgresql", who)
    frame = polars.read_database_uri(query, connect, engine="adbc")
    return frame.with_columns(_plain(column, polars) for column in frame if hasattr(column.dtype, "ext_name"))


def _plain(column: Any, polars: Any) -> Any:
    """A column of a type that only the server has: decimals come as texts that say so, others as texts or bytes."""
    stored = column.ext.storage()
    is_number = '"numeric"' in str(column.dtype.ext_metadata())
    return stored.cast(polars.Float64, strict=False) if is_number else stored


def _need(package: str, extra: str, who: str) -> None:
    if find_spec(package) is None:
        requirement, hint = (
            f"this connection needs {package}, which is not installed",
            f"pip install 'pellucid[{extra}]'",
        )
        raise MissingExtraError(format_message(who, requirement, actual="", hint=hint))
