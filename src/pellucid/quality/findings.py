"""What a look at a table found: findings, each with the cells concerned, a reason and a remedy."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, overload

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array, Flags

__all__ = ["Finding", "Findings", "Fix"]

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
Confidence = Literal["high", "medium", "low"]
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")
_BY_SEVERITY: dict[Severity, Confidence] = {"error": "high", "warning": "medium", "note": "low"}

# Actions that give values up or make them up, however sure the finding is that they are odd.
_LOSING = frozenset(
    ["clip", "impute", "outside_to_missing", "drop_column", "drop_near_duplicates", "drop_rows_missing", "split_time"]
)
_TYPES = frozenset({"to_number", "to_time", "to_flag"})


@dataclass(frozen=True)
class Fix:
    """What could be done: one of the actions of `Cleaner`, the columns it is for, and its settings.

    The settings are plain values (text, numbers, lists, dicts of them), so that a remedy can be written to a file.

    >>> print(Fix("to_missing", ("ibu",), {"values": ["N/A"]}))
    to_missing('ibu', values=['N/A'])
    """

    action: str
    columns: tuple[Any, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The action and the first column, such as "merge_values:City"; with ":replace" where it also replaces values
        that other columns contradict, which is another thing than to fill in what is missing."""
        replaces = ["replace"] if self.settings.get("broken") else []
        return ":".join([self.action, *(str(name) for name in self.columns[:1]), *replaces])

    @property
    def exact_name(self) -> str:
        """The name with the first value that becomes missing, such as "to_missing:City:Unknown": a column may have
        several suggestions of one name, which deserve different confidence."""
        values = self.settings.get("values") if self.action == "to_missing" else None
        return f"{self.name}:{values[0]}" if values else self.name

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return {"action": self.action, "columns": list(self.columns), "settings": self.settings}

    @classmethod
    def from_dict(cls, held: dict[str, Any]) -> Fix:
        """What `to_dict` gave."""
        return cls(held["action"], tuple(held["columns"]), dict(held["settings"]))

    def __str__(self) -> str:
        arguments = [repr(name) for name in self.columns] + [f"{key}={_brief(v)}" for key, v in self.settings.items()]
        return f"{self.action}({', '.join(arguments)})"


def _brief(value: Any) -> str:
    """Settings may be long lists: the first few say what they are."""
    if isinstance(value, dict) and len(value) > 3:
        items = ", ".join(f"{k!r}: {v!r}" for k, v in list(value.items())[:3])
        return f"{{{items}, ... {len(value) - 3} more}}"
    if isinstance(value, list | tuple) and len(value) > 3:
        return f"[{', '.join(repr(v) for v in value[:3])}, ... {len(value) - 3} more]"
    return repr(value)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or worth knowing.

    check : which check found it
    severity : "error" where cells are wrong, "warning" where they are suspicious, "note" where nothing need be done
    columns : the names of the columns concerned; none if it is about whole rows or the table
    rows : positions of the rows concerned, from 0; none if it is about whole columns
    explanation : a sentence with the values that were found
    remedy : what `Cleaner` could do about it, or None
    is_doubtful : may every value be meant as it is, so that the remedy deserves little confidence?
    loses : does the remedy give up what some values say, such as a limit or a word among numbers?
    needs : remedies without which this one cannot be applied, such as the conversion of what it computes with
    shares_name : do other findings have a remedy of the same name, so that it is applied under its exact one?
    """

    check: str
    severity: Severity
    columns: tuple[Any, ...]
    rows: Array
    explanation: str
    fix: Fix | None = None
    is_doubtful: bool = False
    loses: bool = False
    requires: tuple[Fix, ...] = ()
    shares_name: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", np.asarray(self.rows, dtype=np.int64))

    @property
    def confidence(self) -> Confidence | None:
        """How sure it is that the remedy makes the table better; None without a remedy.

        "high": cells contradict what the rest of the table establishes, or cannot be what the column holds.
        "medium": the figures in the explanation make it likely, but a valid value may look the same; also types for
        text in which every value that is left converts.
        "low": it may be meant as it is, or the remedy gives values up or makes them up.
        """
        if self.fix is None:
            return None
        if self.fix.action in _LOSING or self.is_doubtful or self.loses:
            return "low"
        confidence = _BY_SEVERITY[self.severity]
        if self.fix.action in _TYPES or (self.fix.settings.get("broken") and confidence == "high"):
            return "medium"
        return confidence

    @property
    def suggestion(self) -> str | None:
        """The name under which the remedy is applied, such as "merge_values:City"; None without a remedy."""
        if self.fix is None:
            return None
        return self.fix.exact_name if self.shares_name else self.fix.name

    @property
    def option(self) -> str:
        """What applies the remedy behind ``pellucid clean FILE --out OUT``, as a shell takes it."""
        names = [] if self.suggestion is None else [*(fix.name for fix in self.requires), self.suggestion]
        return " ".join(f"--apply {shlex.quote(name)}" for name in names)

    def __str__(self) -> str:
        where = ", ".join(map(str, self.columns)) or "table"
        often = f" ({_rows(self.rows)})" if len(self.rows) else ""
        text = f"{self.severity:<8}{where}: {self.explanation}{often}"
        if self.fix is None:
            return text
        return f"{text}\n    {self.confidence} confidence, {self.option}: {self.fix}"


def _rows(rows: Array) -> str:
    """Where: the first few rows and how many there are."""
    first_rows = ", ".join(str(row) for row in rows[:3].tolist())
    if len(rows) <= 3:
        return f"{'row' if len(rows) == 1 else 'rows'} {first_rows}"
    return f"{count(len(rows), 'row')}: {first_rows}, ..."


def _told_apart(findings: Iterable[Finding]) -> list[Finding]:
    """The findings; those whose remedies have one name are applied under their exact names."""
    listed = list(findings)
    often = Counter(finding.fix.name for finding in listed if finding.fix is not None)
    return [
        replace(one, shares_name=True) if one.fix is not None and often[one.fix.name] > 1 else one for one in listed
    ]


class Findings(Sequence[Finding]):
    """Findings, the gravest first."""

    def __init__(self, findings: Iterable[Finding], n_rows: int, names: Sequence[Any]) -> None:
        grave = {severity: rank for rank, severity in enumerate(SEVERITIES)}
        self._found = tuple(sorted(_told_apart(findings), key=lambda finding: grave[finding.severity]))
        self.n_rows = n_rows
        self.names = tuple(names)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Findings: ...
    def __getitem__(self, index: int | slice) -> Finding | Findings:
        return self._with(self._found[index]) if isinstance(index, slice) else self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def _with(self, found: Iterable[Finding]) -> Findings:
        return Findings(found, self.n_rows, self.names)

    def of(self, *columns: Any, check: str | None = None, severity: Severity | None = None) -> Findings:
        """Those about any of the given columns (all if none is given), of one check, of one severity."""
        return self._with(
            finding
            for finding in self
            if (not columns or set(columns) & set(finding.columns))
            and check in (None, finding.check)
            and severity in (None, finding.severity)
        )

    def without(self, *findings: Finding) -> Findings:
        """All but some: those that are known to be right."""
        return self._with(finding for finding in self if not any(finding is excluded for excluded in findings))

    @property
    def remedies(self) -> list[Fix]:
        """What could be done about them, in the order of the findings."""
        return [finding.fix for finding in self if finding.fix is not None]

    def cells(self, *severities: Severity) -> Flags:
        """``flags[row, column]``: the cells that errors and warnings (or other severities, if given) point at."""
        selected = severities or ("error", "warning")
        flags = np.zeros((self.n_rows, len(self.names)), dtype=bool)
        index = {name: j for j, name in enumerate(self.names)}
        for finding in self:
            if finding.severity in selected and len(finding.rows):
                for name in finding.columns:
                    flags[finding.rows, index[name]] = True
        return flags

    def to_dict(self) -> dict[str, list[Any]]:
        """One entry a finding, column by column: what a dataframe library makes a table of."""
        return {
            "severity": [finding.severity for finding in self],
            "check": [finding.check for finding in self],
            "columns": [", ".join(map(str, finding.columns)) for finding in self],
            "rows": [len(finding.rows) for finding in self],
            "explanation": [finding.explanation for finding in self],
            "remedy": ["" if finding.fix is None else str(finding.fix) for finding in self],
            "suggestion": [finding.suggestion or "" for finding in self],
            "confidence": [finding.confidence or "" for finding in self],
        }

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        size = f"{count(self.n_rows, 'row')} x {count(len(self.names), 'column')}"
        if not self._found:
            return f"nothing found in {size}"
        tally = ", ".join(
            count(number, severity)
            for severity in SEVERITIES
            if (number := sum(finding.severity == severity for finding in self))
        )
        return "\n".join([f"{count(len(self), 'finding')} in {size}: {tally}", "", *map(str, self)])
