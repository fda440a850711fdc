"""Suggestions as a file that a person edits: what is marked ``"apply": true`` is applied with its settings.

`write_fixes` writes what `check` suggests, nothing of it marked; `read_fixes` gives the remedies of an edited file.
A fix has the keys ``apply``, ``action``, ``columns`` and ``settings``; ``name``, ``confidence``, ``evidence`` and
``rows`` (how many are concerned) are for the reader.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message, join_some, short_repr
from pellucid.quality.actions import ACTIONS
from pellucid.quality.findings import CONFIDENCES, Finding, Fix

FORMAT = "pellucid fixes 1"
_HELP = (
    'Set "apply" to true for every fix that is right, edit or remove values in its settings, and run: '
    "pellucid clean FILE --out OUT --fixes THIS_FILE"
)
_NEEDED = {"apply": bool, "action": str, "columns": list, "settings": dict}
_FOR_READERS = ("name", "confidence", "evidence", "rows")


def suggestions(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that come with a remedy, those of the highest confidence first."""
    suggested = [finding for finding in findings if finding.confidence is not None]
    return sorted(suggested, key=lambda finding: CONFIDENCES.index(finding.confidence or "low"))


def write_fixes(findings: Iterable[Finding], path: str | Path) -> None:
    """Writes the suggestions of a table to a file, none of them marked to be applied."""
    fixes = [
        {
            "apply": False,
            "name": finding.suggestion,
            "confidence": finding.confidence,
            "evidence": finding.explanation,
            "rows": len(finding.rows),
            "action": finding.fix.action,
            "columns": list(finding.fix.columns),
            "settings": finding.fix.settings,
        }
        for finding in suggestions(findings)
        if finding.fix is not None
    ]
    content = {"format": FORMAT, "help": _HELP, "fixes": fixes}
    text = json.dumps(content, ensure_ascii=False, indent=2, default=_plain)
    Path(path).write_text(text + "\n", encoding="utf-8", newline="\n")


def read_fixes(path: str | Path) -> list[Fix]:
    """The remedies that are marked to be applied in a file that `write_fixes` wrote and a person edited."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise _refusal(path, f"it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise _refusal(path, f"it is no JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT or not isinstance(content.get("fixes"), list):
        raise _refusal(path, f"it must be an object with the format {FORMAT!r} and a list of fixes")
    remedies = [_remedy(path, number, fix) for number, fix in enumerate(content["fixes"], 1)]
    return [remedy for remedy in remedies if remedy is not None]


def _remedy(path: str | Path, number: int, fix: Any) -> Fix | None:
    """The remedy of one fix; None if it is not marked to be applied."""
    if not isinstance(fix, dict):
        raise _refusal(path, f"fix {number} is {short_repr(fix)}, not an object")
    for key, kind in _NEEDED.items():
        if not isinstance(fix.get(key), kind):
            actual = f"has {short_repr(fix[key])}" if key in fix else "is missing"
            raise _refusal(path, f"{key!r} of fix {number} must be {_WORDS[kind]}, and {actual}")
    unknown = sorted(set(fix) - set(_NEEDED) - set(_FOR_READERS))
    if unknown:
        raise _refusal(path, f"fix {number} has {join_some(map(repr, unknown))}, which is unknown")
    if fix["action"] not in ACTIONS:
        raise _refusal(
            path, f"the action of fix {number} is {fix['action']!r}; there are {join_some(sorted(ACTIONS), 30)}"
        )
    settings = ACTIONS[fix["action"]].settings
    odd = sorted(set(fix["settings"]) - settings)
    if odd:
        available = join_some(sorted(settings), 10) or "none"
        raise _refusal(
            path, f"the settings of fix {number} have {join_some(map(repr, odd))}; {fix['action']} has {available}"
        )
    return Fix(fix["action"], tuple(fix["columns"]), dict(fix["settings"])) if fix["apply"] else None


_WORDS: dict[type, str] = {bool: "true or false", str: "text", list: "a list", dict: "an object"}


def _refusal(path: str | Path, actual: str) -> DataError:
    requirement = "a file of fixes must be as --suggest writes it"
    return DataError(
        format_message(
            "clean", requirement, actual=f"in {str(path)!r}, {actual}", hint="write a new one with --suggest FILE"
        )
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
