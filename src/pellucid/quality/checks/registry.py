"""The list of checks: a function decorated with `register_check` is on it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding

Function = Callable[..., list[Finding]]


@dataclass(frozen=True)
class Check:
    """One check: its name, what it looks for, its limits with their defaults, and the function."""

    name: str
    about: str
    limits: dict[str, Any]
    function: Function

    def run(self, stats: TableStats, settings: dict[str, Any]) -> list[Finding]:
        return self.function(stats, **settings)


_checks: dict[str, Check] = {}


def register_check(name: str) -> Callable[[Function], Function]:
    """Puts a function on the list of checks under a name."""

    def put(function: Function) -> Function:
        about = " ".join((inspect.getdoc(function) or "").split("\n\n", 1)[0].split())
        parameters = inspect.signature(function).parameters.values()
        limits = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        _checks[name] = Check(name, about, limits, function)
        return function

    return put


def all_checks() -> dict[str, Check]:
    """Name -> check, from every module of this folder."""
    for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        import_module(f"{__package__}.{file.stem}")
    return dict(sorted(_checks.items()))
