"""JSON as a table: an array of records, a record of columns, or one record per line; nested records become columns."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from pellucid.base.errors import DataError, count, format_message, join_some, short_repr
from pellucid.data.dialect import Note

_SCALARS = (str, int, float, bool, type(None))


def read_json(text: str, who: str, name: str) -> tuple[Any, list[Note]]:
    """A polars frame of the records, and what had to be decided.

    Parameters
    ----------
    name : of the file, for messages
    """
    records, notes = _records(_parsed(text, who, name), who, name)
    nested = sorted({key for record in records for key, value in record.items() if isinstance(value, dict)})
    lists = sorted({key for record in records for key, value in record.items() if isinstance(value, list)})
    if nested:
        notes.append(
            Note("note", f"records inside {join_some(map(repr, nested), 6)} became columns with a dot in the name")
        )
    if lists:
        notes.append(Note("warning", f"lists inside {join_some(map(repr, lists), 6)} became text"))
    flat = [_flat(record) for record in records]
    names = list(dict.fromkeys(key for record in flat for key in record))
    if not names:
        raise DataError(
            format_message(who, "the file must hold a table", actual=f"{name!r} has records without fields")
        )
    frame = {key: _column([record.get(key) for record in flat], key, notes) for key in names}
    return import_module("polars").DataFrame(frame, infer_schema_length=None), notes


def _parsed(text: str, who: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        first = error
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return [json.loads(line) for line in lines]
    except ValueError:
        actual = f"{name!r}: {first}"
        raise DataError(
            format_message(who, "the file must be JSON", actual=actual.rstrip("."), hint="look whether it is whole")
        ) from None


def _records(parsed: Any, who: str, name: str) -> tuple[list[dict[str, Any]], list[Note]]:
    """The records of a document, and a note on what was left out."""
    hint = "one table is an array of records, such as [{...}, {...}], or one record per line"
    if isinstance(parsed, list) and parsed and all(isinstance(item, dict) for item in parsed):
        return parsed, []
    if isinstance(parsed, list) and parsed and all(isinstance(item, list) for item in parsed):
        return _from_rows(parsed, who, name, hint)
    if isinstance(parsed, dict):
        lengths = {len(value) for value in parsed.values() if isinstance(value, list)}
        if parsed and all(isinstance(value, list) for value in parsed.values()) and len(lengths) == 1:
            n = lengths.pop()
            if all(isinstance(cell, _SCALARS) for value in parsed.values() for cell in value):
                return [{key: value[k] for key, value in parsed.items()} for k in range(n)], []
        tables = {
            key: value for key, value in parsed.items()
            if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
        }  # fmt: skip
        if len(tables) == 1:
            key, records = next(iter(tables.items()))
            other_keys = [repr(key_name) for key_name in parsed if key_name != key]
            left_note = f"; {join_some(other_keys, 6)} are left out" if other_keys else ""
            return records, [Note("note", f"the records stand under {key!r}{left_note}")]
        if len(tables) > 1:
            actual = f"{name!r} holds {count(len(tables), 'table')}: {join_some(map(repr, tables), 6)}"
            raise DataError(format_message(who, "the file must hold one table", actual=actual, hint=hint))
        if len(parsed) > 1 and all(isinstance(value, dict) for value in parsed.values()):
            return [{"key": key, **value} for key, value in parsed.items()], [
                Note("note", "the names of the records are in column 'key'")
            ]
    raise DataError(
        format_message(who, "the file must hold a table", actual=f"{name!r} holds {short_repr(parsed)}", hint=hint)
    )


def _from_rows(rows: list[list[Any]], who: str, name: str, hint: str) -> tuple[list[dict[str, Any]], list[Note]]:
    """Rows as lists: the first one names the columns if it is of texts alone and the others are not."""
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        raise DataError(
            format_message(
                who, "rows must be equally long", actual=f"{name!r} has lists of different lengths", hint=hint
            )
        )
    has_names = all(isinstance(cell, str) for cell in rows[0]) and not all(
        isinstance(c, str) for row in rows[1:] for c in row
    )
    names = rows[0] if has_names else [f"column_{j + 1}" for j in range(width)]
    note = Note(
        "note", "the first list names the columns" if has_names else "the columns have no names and are numbered"
    )
    return [dict(zip(names, row, strict=True)) for row in (rows[1:] if has_names else rows)], [note]


def _flat(record: dict[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict) and value:
            flat |= _flat(value, f"{before}{key}.")
        else:
            plain = isinstance(value, _SCALARS)
            flat[before + str(key)] = value if plain else json.dumps(value, ensure_ascii=False)
    return flat


def _column(values: list[Any], name: str, notes: list[Note]) -> list[Any]:
    """Values of one type; those of several types as texts, with a note."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} or len(kinds) <= 1:
        return [float(value) for value in values] if kinds == {int, float} and None not in values else values
    message = f"column {name!r} holds {join_some(sorted(kind.__name__ for kind in kinds))}: all are read as text"
    notes.append(Note("warning", message, columns=[name]))
    return [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
