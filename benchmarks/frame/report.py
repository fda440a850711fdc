"""The table of a workload: one set of cells, shown by rich, in plain text, or as markdown."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from platform import python_version
from typing import Any

from benchmarks.frame import machine
from benchmarks.frame.declare import OURS, Workload
from benchmarks.frame.judge import Row, Setting, Verdict, in_words
from benchmarks.frame.registry import Entry

# Columns of the table when the output is not a terminal.
WIDTH = 170


@dataclass(frozen=True)
class Report:
    """A judged workload and the conditions it was measured under."""

    entry: Entry
    verdict: Verdict
    setting: Setting

    @property
    def workload(self) -> Workload:
        """The workload."""
        return self.entry.workload

    def conditions(self) -> str:
        """Date, processor, threads, versions and others' load, in one line."""
        measured = [row.outcome for row in self.verdict.rows if row.outcome.ok]
        versions = {outcome.contender.distribution: outcome.version for outcome in measured}
        named = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
        return "; ".join(
            [
                date.today().isoformat(),
                f"{machine.processor()}, {machine.cores()} cores",
                f"threads: {self.setting.threads}",
                f"Python {python_version()}, {named}" if named else f"Python {python_version()}",
                f"other processes took {self.setting.other_load:.2f} cores",
            ]
        )


def headings(report: Report) -> list[str]:
    """The table's heading cells."""
    time = ["median", "best"] if report.setting.busy else ["best", "median"]
    ratio, quality = "against best peer", report.workload.quality.name
    return ["contender", "threads", *time, "runs", ratio, quality, "extra memory", "note"]


def cells(report: Report, row: Row) -> list[str]:
    """A row's cells; a contender that was not measured has its status in the note."""
    outcome = row.outcome
    first = [row.name, str(outcome.threads)]
    if not outcome.ok:
        return [*first, "", "", "", "", "", "", outcome.status]
    times = [duration(outcome.best), duration(outcome.median)]
    return [
        *first,
        *(reversed(times) if report.setting.busy else times),
        str(len(outcome.seconds)),
        _ratio(report, row),
        f"{row.deviation:.1e}",
        memory(outcome.peak, outcome.x_bytes),
        _note(report, row),
    ]


def duration(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def memory(peak: int, x_bytes: int) -> str:
    """Megabytes, and the share of X."""
    share = f" ({peak / x_bytes:.1%} of X)" if x_bytes else ""
    return f"{peak / 1e6:.1f} MB{share}"


def show(report: Report) -> None:
    """Print the table and what is said of it."""
    title = f"{report.entry.name} ({report.setting.mode}): {report.workload.about}"
    rows = [cells(report, row) for row in report.verdict.rows]
    if not _show_rich(title, headings(report), rows):
        print(title, *_aligned([headings(report), *rows]), sep="\n")
    for row in report.verdict.rows:
        if row.outcome.detail:
            print(f"  {row.name}: {row.outcome.status}: {row.outcome.detail}")
    for line in [*report.verdict.lines, *(f"FAILED {line}" for line in report.verdict.failures), report.conditions()]:
        print(f"  {line}")
    print()


def markdown(report: Report) -> str:
    """The workload's section of ``RESULTS.md``, without failures' details (they may hold paths)."""
    head = headings(report)
    table = [head, ["---"] * len(head), *(cells(report, row) for row in report.verdict.rows)]
    said = report.verdict.lines + [f"**{line}**" for line in report.verdict.failures if not line.startswith(OURS)]
    return "\n".join(
        [
            f"### {report.entry.name}, {report.setting.mode}, {report.setting.threads} threads",
            "",
            f"{report.workload.about} Conditions: {report.conditions()}.",
            "",
            *("| " + " | ".join(line) + " |" for line in table),
            "",
            *(f"- {line}" for line in said),
        ]
    )


def summary(report: Report) -> list[str]:
    """One row for the summary at the head of ``RESULTS.md``."""
    ours, peer = report.verdict.ours(report.setting.threads), report.verdict.best_peer
    ratio = report.verdict.ratio(ours)
    return [
        report.entry.name,
        f"{report.setting.mode}, {report.setting.threads} threads",
        duration(ours.time) if ours.outcome.ok else ours.outcome.status,
        f"{duration(peer.time)} ({peer.name})" if peer else "none",
        in_words(ratio) if ratio else "",
        memory(ours.outcome.peak, ours.outcome.x_bytes) if ours.outcome.ok else "",
        f"{report.setting.other_load:.2f} cores" + (" (provisional)" if report.setting.caution else ""),
    ]


def _ratio(report: Report, row: Row) -> str:
    ratio = report.verdict.ratio(row)
    if ratio is None:
        return ""
    return "best peer" if row is report.verdict.best_peer else in_words(ratio)


def _note(report: Report, row: Row) -> str:
    notes = [] if row.outcome.variant == "default" else [row.outcome.variant]
    if not row.comparable:
        notes.append(f"not comparable (bound {report.workload.quality.bound:.0e})")
    return ", ".join(notes)


def _show_rich(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    try:
        table: Any = import_module("rich.table").Table(title=title, title_justify="left")
        console: Any = import_module("rich.console").Console(width=None if sys.stdout.isatty() else WIDTH)
    except ModuleNotFoundError:
        return False
    for name in head:
        table.add_column(name)
    for row in rows:
        table.add_row(*row, style="bold" if row[0] == OURS else None)
    console.print(table)
    return True


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
