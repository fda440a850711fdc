"""Facts that several sources report: cells that differ from what the sources, weighed by their accuracy, agree on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.quality.checks._reading import Reading, codes_of, readings
from pellucid.quality.checks._saying import said
from pellucid.quality.checks.dependencies import unique_rules
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix
from pellucid.quality.votes import Codes, Reported, agreement, resolve_sources

LEAST_SOURCES, MOST_SOURCES = 3, 200
LEAST_ITEMS = 5
LEAST_VALUES = 10  # distinct ones of a fact: agreement on few proves little
FIRST_ITEMS = 200
UNIQUE = 0.98  # of the rows: a source reports an item once


@dataclass(frozen=True)
class Reports:
    """Which column names the item, which one the source, and which ones hold the facts."""

    item: Reading
    source: Reading
    facts: list[Reading]


@register_check("sources")
def sources(stats: TableStats, *, agree: float = 0.25, lead: float = 2.3, most: int = 30) -> list[Finding]:
    """Cells that differ from what several sources agree on, where rows are reports about the same items.

    One column names the item (a flight), one the source (a web site), and each source reports an item once. Facts are
    columns whose values agree in at least ``agree`` of the pairs of reports about an item, five times as often as any
    two reports. A value must lead by ``lead`` (log odds) to be taken for true. Of tables with more than ``most``
    columns of names, the first are compared."""
    candidates = [read for read in readings(stats) if read.column is not stats.target and _is_named(read)][:most]
    codes = {read.column.place: Codes(read.column.texts, codes_of(read.column)) for read in candidates}
    reports = _find_reports(candidates, codes, agree)
    if reports is None:
        return []
    findings = []
    for fact in reports.facts:
        item, source, value = (codes[read.column.place] for read in (reports.item, reports.source, fact))
        finding = _finding(reports, fact, value, resolve_sources(item, source, value), item, lead)
        findings += [finding] if finding is not None else []
    return findings


def _is_named(read: Reading) -> bool:
    return read.column.is_text and read.role in ("category", "identifier", "time") and read.n_distinct >= LEAST_SOURCES


def _find_reports(candidates: list[Reading], codes: dict[int, Codes], agree: float) -> Reports | None:
    """The item and the source that the most facts agree on."""
    best: Reports | None = None
    for item in candidates:
        if not LEAST_ITEMS <= item.n_distinct <= item.n_content / LEAST_SOURCES:
            continue
        for source in candidates:
            if source is item or source.role == "time" or not LEAST_SOURCES <= source.n_distinct <= MOST_SOURCES:
                continue
            if not _reports_once(codes[item.column.place], codes[source.column.place]):
                continue
            facts = [read for read in candidates if read is not item and read is not source]
            facts = [read for read in facts if _is_fact(codes, read, item, source, agree)]
            if len(facts) >= 2 and (best is None or len(facts) > len(best.facts)):
                best = Reports(item, source, facts)
    return best


def _reports_once(item: Codes, source: Codes) -> bool:
    """Is there at most one row for an item and a source? Looked at for the first items before it is for all."""
    if len(item.texts) * len(source.texts) < UNIQUE * (item.codes >= 0).sum():
        return False
    first = item.codes < FIRST_ITEMS
    return _are_unique(item.codes[first], source.codes[first], len(source.texts)) and _are_unique(
        item.codes, source.codes, len(source.texts)
    )


def _are_unique(item: Array, source: Array, n_sources: int) -> bool:
    has_both = (item >= 0) & (source >= 0)
    pairs = item[has_both].astype(np.int64) * n_sources + source[has_both]
    return len(np.unique(pairs)) >= UNIQUE * max(len(pairs), 1)


def _is_fact(codes: dict[int, Codes], fact: Reading, item: Reading, source: Reading, agree: float) -> bool:
    """Is it about the item: do reports about an item agree far more often than any, and those of a source do not?"""
    if fact.n_distinct < LEAST_VALUES:
        return False
    value = codes[fact.column.place]
    within, overall = agreement(codes[item.column.place], value)
    by_source, _ = agreement(codes[source.column.place], value)
    return within >= agree and within >= 5 * overall and by_source <= overall + 0.1


def _finding(
    reports: Reports, fact: Reading, value: Codes, reported: Reported, item: Codes, lead: float
) -> Finding | None:
    group = np.where(item.codes >= 0, item.codes, 0)
    truth = np.where((item.codes >= 0) & (reported.lead[group] >= lead), reported.truth[group], -1)
    rows = np.flatnonzero((truth >= 0) & (value.codes != truth))
    if not len(rows):
        return None
    contradicting = rows[value.codes[rows] >= 0]
    example = int(contradicting[0]) if len(contradicting) else int(rows[0])
    reported_value = said(value.texts[value.codes[example]]) if value.codes[example] >= 0 else "nothing"
    name = said(item.texts[item.codes[example]])
    text = (
        f"{str(reports.source.column.name)!r} names {count(reports.source.n_distinct, 'source')} that report the same "
        f"{str(reports.item.column.name)!r}; {count(len(rows), 'cell')} {'differs' if len(rows) == 1 else 'differ'} "
        f"from what most of them say, weighed by how often each is right: {reported_value} for {name}, "
        f"where most say {said(value.texts[truth[example]])}"
    )
    fix = Fix("replace_where", (fact.column.name,), {"rules": _rules(reports, fact, value, item, truth, rows)})
    return Finding("sources", "warning", (fact.column.name,), rows, text, fix)


def _rules(reports: Reports, fact: Reading, value: Codes, item: Codes, truth: Array, rows: Array) -> list[list[Any]]:
    name = reports.item.column.name
    return unique_rules(
        [
            [
                name,
                item.texts[item.codes[row]],
                fact.column.texts[fact.column.codes[row]] if fact.column.codes[row] >= 0 else None,
                value.texts[truth[row]],
            ]
            for row in rows.tolist()
        ]
    )
