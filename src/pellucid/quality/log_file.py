"""A change log as a file: every rule with its values and sets of rows, and a checksum, so that it replays exactly.

Where one rule changes a million cells, the file has one line for it: the value before, the value after, and the rows as
runs (`encode_rows`). A log whose content does not match its checksum is refused, and so is one with unknown actions.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message, join_some
from pellucid.data.kinds import Kind
from pellucid.quality.change import Change, Replacement, decode_rows, describe_rows, encode_rows, replacements
from pellucid.quality.findings import Fix

FORMAT = "pellucid change log 1"
MOST_PAIRS = 200  # pairs of values of one change that a table for readers lists
HEADER = ("step", "what", "column", "before", "after", "cells", "rows", "remedy", "why")
_WHO = "ChangeLog"


def as_json(changes: Sequence[Change], n_rows: int, names: Sequence[Any], result: Sequence[Any]) -> str:
    """A log as JSON, the checksum last."""
    content = {
        "format": FORMAT,
        "n_rows": n_rows,
        "names": [_plain(name) for name in names],
        "result": [_plain(name) for name in result],
        "changes": [_change_to_dict(change) for change in changes],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=_other)
    return f'{text[:-1]},"sha256":"{_checksum(text)}"}}\n'


def from_json(source: str | Path) -> tuple[list[Change], int, list[Any], list[Any]]:
    """What `as_json` wrote: the changes, the number of rows, and the names of the columns before and after."""
    text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
    if not text.lstrip().startswith("{"):
        text = Path(text).read_text(encoding="utf-8")
    content = _verified(text)
    try:
        changes = [_change_from_dict(change, content["n_rows"]) for change in content["changes"]]
        names, result = ([_typed(name) for name in content[key]] for key in ("names", "result"))
        return changes, int(content["n_rows"]), names, result
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _refusal(f"it cannot be read: {type(error).__name__} {error}") from None


def _checksum(text: str) -> str:
    return sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def _refusal(actual: str) -> DataError:
    hint = "write it again with ChangeLog.to_json or pellucid clean --log"
    return DataError(format_message(_WHO, "a change log must be as it was written", actual=actual, hint=hint))


def _verified(text: str) -> dict[str, Any]:
    """The content of a log whose checksum is right."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise _refusal(f"it is no JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _refusal(f"its format is not {FORMAT!r}")
    checksum = content.pop("sha256", None)
    again = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    if checksum != _checksum(again):
        raise _refusal("its content does not match its checksum, so it was changed")
    return content


def _change_to_dict(change: Change) -> dict[str, Any]:
    return {
        "step": change.step,
        "what": change.what,
        "column": _plain(change.column),
        "kind": str(change.kind),
        "remedy": change.fix.to_dict(),
        "why": change.why,
        "values": [
            [_plain(replacement.before), _plain(replacement.after), encode_rows(replacement.rows)]
            for replacement in replacements(change)
        ],
    }


def _change_from_dict(content: dict[str, Any], n_rows: int) -> Change:
    from pellucid.quality.actions import ACTIONS

    fix = Fix.from_dict(content["remedy"])
    if fix.action not in ACTIONS:
        raise _refusal(f"it has an unknown action, {fix.action!r}; there are {join_some(ACTIONS, 30)}")
    drops = content["what"] in ("rows dropped", "column dropped")
    pairs = [Replacement(_typed(before), _typed(after), decode_rows(rows)) for before, after, rows in content["values"]]
    rows = np.concatenate([pair.rows for pair in pairs] or [np.empty(0, dtype=np.int64)])
    if len(rows) and not 0 <= rows.min() <= rows.max() < n_rows:
        raise _refusal(f"it names row {rows.max()} of {n_rows}")
    order = np.argsort(rows, kind="stable").tolist()
    before = [] if drops or content["what"] == "column added" else [pair.before for pair in pairs for _ in pair.rows]
    after = [] if drops else [pair.after for pair in pairs for _ in pair.rows]
    return Change(
        int(content["step"]),
        fix,
        content["why"],
        content["what"],
        _typed(content["column"]),
        rows[order],
        [before[i] for i in order] if before else [],
        [after[i] for i in order] if after else [],
        Kind(content["kind"]),
    )


# -------------------------------------------------------------------------------------------------------- for readers


def as_table(changes: Sequence[Change]) -> dict[str, list[Any]]:
    """One entry for each pair of values of each change, the most frequent first, column by column."""
    lines = [line for change in changes for line in _lines(change)]
    return {name: [line[j] for line in lines] for j, name in enumerate(HEADER)}


def as_csv(changes: Sequence[Change]) -> str:
    """The same as comma-separated text, which `from_json` does not read: long lists of values and rows are cut."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(line for change in changes for line in _lines(change))
    return out.getvalue()


def _lines(change: Change) -> list[tuple[Any, ...]]:
    pairs = replacements(change)
    pairs.sort(key=lambda pair: -len(pair.rows))
    start, end = (change.step, change.what, change.column), (str(change.fix), change.why)
    lines = [
        (*start, pair.before, pair.after, len(pair.rows), describe_rows(pair.rows), *end) for pair in pairs[:MOST_PAIRS]
    ]
    remaining = pairs[MOST_PAIRS:]
    if remaining:
        cells = sum(len(pair.rows) for pair in remaining)
        lines.append((*start, f"({len(remaining):,} other values)", None, cells, "", *end))
    return lines or [(*start, None, None, 0, "", *end)]


# ------------------------------------------------------------------------------------------------------------- values


def _plain(value: Any) -> Any:
    """A cell as JSON has it: what it has no words for is named with its type."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float | np.number):
        number = value.item() if isinstance(value, np.generic) else value
        return number if np.isfinite(number) else {"number": repr(number)}
    if isinstance(value, dt.datetime | dt.date):
        return {"time": value.isoformat()}
    return {"text": str(value)}


def _other(value: Any) -> Any:
    """Settings of a remedy that JSON does not know, such as NumPy's numbers."""
    return value.item() if isinstance(value, np.generic) else str(value)


def _typed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    (kind, text), *_ = value.items()
    if kind == "time":
        return dt.datetime.fromisoformat(text)
    return float(text) if kind == "number" else text
