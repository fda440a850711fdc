"""Finds the workloads: every module of ``benchmarks/`` is a family, with a list ``WORKLOADS``."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module

import benchmarks
from benchmarks.frame.declare import Workload


@dataclass(frozen=True)
class Entry:
    """A workload and the family whose file declares it."""

    family: str
    workload: Workload

    @property
    def name(self) -> str:
        """The workload's name."""
        return self.workload.name


def entries() -> list[Entry]:
    """All workloads, families in alphabetical order, each in its file's order."""
    found = [Entry(family, workload) for family in _families() for workload in _workloads(family)]
    names = [entry.name for entry in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"benchmarks: workloads' names must differ across families; declared twice: {twice}.")
    return found


def select(patterns: Sequence[str]) -> list[Entry]:
    """Workloads whose name or family matches any of the patterns (``*`` allowed); all without patterns."""
    every = entries()
    if not patterns:
        return every
    chosen = [entry for entry in every if any(_matches(entry, pattern) for pattern in patterns)]
    if not chosen:
        names = "\n  ".join(entry.name for entry in every)
        raise LookupError(f"no workload or family matches {' '.join(patterns)}; there are\n  {names}")
    return chosen


def find(family: str, name: str) -> Workload:
    """One workload, importing its family's file alone."""
    return next(workload for workload in _workloads(family) if workload.name == name)


def _matches(entry: Entry, pattern: str) -> bool:
    return fnmatchcase(entry.name, pattern) or fnmatchcase(entry.family, pattern)


def _families() -> Iterator[str]:
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if not module.ispkg and not module.name.startswith("_"):
            yield module.name


def _workloads(family: str) -> Sequence[Workload]:
    workloads: Sequence[Workload] = import_module(f"benchmarks.{family}").WORKLOADS
    return workloads
