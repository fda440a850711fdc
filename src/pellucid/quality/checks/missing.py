"""Cells without a value."""

from __future__ import annotations

import numpy as np

from pellucid.base.errors import count
from pellucid.quality.checks._reading import reading
from pellucid.quality.checks._saying import NO_ROWS, percent
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import Column, TableStats
from pellucid.quality.findings import Finding, Fix


@register_check("missing_values")
def missing_values(stats: TableStats, *, most: float = 0.5) -> list[Finding]:
    """Cells without a value; a warning from ``most`` of the rows on, columns without any value, rows mostly empty."""
    findings = []
    n_missing = np.zeros(stats.n_rows, dtype=np.int64)
    for column in stats:
        missing = column.missing
        if not missing.any():
            continue
        n_missing += missing
        share = float(missing.mean())
        if missing.all():
            drop = Fix("drop_column", (column.name,))
            findings.append(Finding("missing_values", "warning", (column.name,), NO_ROWS, "has no value at all", drop))
            continue
        text = f"{count(int(missing.sum()), 'value')} missing ({percent(share)})"
        fix = Fix("impute", (column.name,), {"strategy": "auto"}) if _has_typical_value(column) else None
        findings.append(Finding("missing_values", "note", (column.name,), np.flatnonzero(missing), text, fix))
        if share >= most:
            text = f"has a value in {percent(1 - share)} of the rows only: can it serve at all?"
            findings.append(Finding("missing_values", "warning", (column.name,), NO_ROWS, text, None))
    rows = np.flatnonzero(n_missing > max(most * len(stats.columns), 1))
    if len(rows) and len(stats.columns) >= 4:
        text = f"more than {percent(most)} of the columns are missing in {count(len(rows), 'row')}"
        findings.append(Finding("missing_values", "note", (), rows, text, None))
    return findings


def _has_typical_value(column: Column) -> bool:
    """Is a mean or the most frequent value one that another row may well have? No code, no date and no text is, nor a
    name beside many others."""
    read = reading(column)
    if read.names_things:
        return False
    if read.role == "number":
        return column.is_number
    return read.role in ("category", "flag") and 2 * int(column.counts[~read.nothing].max()) > read.n_content


@register_check("infinite_values")
def infinite_values(stats: TableStats) -> list[Finding]:
    """Infinite numbers: what a division by zero leaves behind."""
    findings = []
    for column in stats:
        if column.is_number:
            rows = np.flatnonzero(np.isinf(column.numbers))
            if len(rows):
                text = count(len(rows), "infinite number")
                largest = float(np.finfo(np.float64).max)
                fix = Fix("outside_to_missing", (column.name,), {"min": -largest, "max": largest})
                findings.append(Finding("infinite_values", "warning", (column.name,), rows, text, fix))
    return findings
