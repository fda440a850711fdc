"""Columns of numbers that are the product or the sum of two others, and the rows where they are not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Flags, Floats
from pellucid.quality.checks._reading import Reading, readings
from pellucid.quality.checks._saying import NO_ROWS, percent, said
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding, Fix

_SIGN = {"product": "x", "sum": "+", "difference": "-", "quotient": "/"}
_BACK = {"product": "quotient", "sum": "difference"}


@dataclass(frozen=True)
class Relation:
    """whole = first (x or +) second."""

    kind: str
    whole: Reading
    first: Reading
    second: Reading


@register_check("arithmetic")
def arithmetic(stats: TableStats, *, broken: float = 0.05, least: int = 30, most: int = 40) -> list[Finding]:
    """Numbers that are the product or sum of two other columns in all but ``broken`` of the rows: the rows where not.

    Missing ones that follow from the others are found too. Of more than ``most`` columns the first are tried."""
    measures = [read for read in readings(stats) if read.is_measure and read.n_distinct > 2]
    findings: list[Finding] = []
    if len(measures) > most:
        text = f"only the first {most} of {len(measures):,} columns of numbers were tried for products and sums"
        findings.append(Finding("arithmetic", "note", (), NO_ROWS, text, None))
        measures = measures[:most]
    if len(measures) < 3 or stats.n_rows < least:
        return findings
    for relation in _relations(measures, broken, least):
        findings += _findings(relation)
        trio = [relation.whole.column, relation.first.column, relation.second.column]
        if stats.target in trio:
            other_names = tuple(column.name for column in trio if column is not stats.target)
            text = f"together they tell the target: {_rule(relation)}"
            findings.append(Finding("arithmetic", "warning", other_names, NO_ROWS, text, None))
    return findings


def _rule(relation: Relation) -> str:
    total, first, second = relation.whole.column, relation.first.column, relation.second.column
    return f"{total.name} = {first.name} {_SIGN[relation.kind]} {second.name}"


def _relations(measures: list[Reading], broken: float, min_rows: int) -> list[Relation]:
    n_rows = measures[0].column.n_rows
    sample_rows = np.linspace(0, n_rows - 1, min(n_rows, 20_000)).astype(np.int64)  # all of a small table
    sample = np.stack([np.append(read.value_numbers, np.nan)[read.column.codes[sample_rows]] for read in measures])
    rows = np.flatnonzero(np.isfinite(sample).sum(axis=0) >= 3)
    sample = (
        sample[:, rows[np.linspace(0, len(rows) - 1, min(len(rows), 400)).astype(np.int64)]] if len(rows) else sample
    )
    relations: list[Relation] = []
    known_trios: set[frozenset[int]] = set()
    for i, j in combinations(range(len(measures)), 2):
        for kind in ("product", "sum"):
            for k in np.flatnonzero(_share_kept(kind, sample[i], sample[j], sample, 10) >= 1 - 2 * broken).tolist():
                trio = frozenset((i, j, k))
                if k in (i, j) or trio in known_trios:
                    continue
                share = _share_kept(
                    kind, measures[i].numbers, measures[j].numbers, measures[k].numbers[None], min_rows
                )[0]
                if share >= 1 - broken:
                    known_trios.add(trio)
                    relations.append(Relation(kind, measures[k], measures[i], measures[j]))
    return relations


def _worked_out(kind: str, a: Floats, b: Floats) -> Floats:
    with np.errstate(all="ignore"):
        if kind == "product":
            return a * b
        if kind == "sum":
            return a + b
        return a - b if kind == "difference" else a / b


def _close(a: Floats, b: Floats) -> Flags:
    """Equal but for rounding to the digits that the second is written with."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.abs(a - b) <= 0.0051 * np.minimum(1.0, np.abs(b)) + 1e-9 * np.abs(b) + 1e-12


def _share_kept(kind: str, a: Floats, b: Floats, wholes: Floats, min_rows: int) -> Floats:
    """For each whole: the share of the rows with all three numbers in which the relation holds; 0 if too few tell.

    A row tells if neither part is the number that changes nothing (0 in a sum, 0 and 1 in a product).
    """
    idle = (a == 0) | (b == 0) | (((a == 1) | (b == 1)) if kind == "product" else False)
    value = _worked_out(kind, a, b)
    tells = np.isfinite(value) & ~idle & np.isfinite(wholes)
    holds = _close(value, wholes) & tells
    n = tells.sum(axis=1)
    return np.where(n >= min_rows, holds.sum(axis=1) / np.maximum(n, 1), 0.0)


def _conversions(relation: Relation) -> tuple[Fix, ...]:
    """What makes numbers of the columns that are stored as text: a value is worked out from numbers alone."""
    columns = [read.column for read in (relation.first, relation.second, relation.whole)]
    return tuple(Fix("to_number", (column.name,)) for column in columns if column.is_text)


def _findings(relation: Relation) -> list[Finding]:
    a, b, c = relation.first.numbers, relation.second.numbers, relation.whole.numbers
    names = relation.whole.column.name, relation.first.column.name, relation.second.column.name
    rule = _rule(relation)
    value = _worked_out(relation.kind, a, b)
    is_complete = np.isfinite(value) & np.isfinite(c)
    wrong = np.flatnonzero(is_complete & ~_close(value, c))
    findings = []
    if len(wrong):
        row = int(wrong[0])
        text = f"{rule} holds in {percent(1 - len(wrong) / int(is_complete.sum()))} of the rows with all three, not in "
        formula = f"{said(float(a[row]))} {_SIGN[relation.kind]} {said(float(b[row]))}"
        text += f"{count(len(wrong), 'row')}: {formula} is not {said(float(c[row]))}"
        settings = {"relation": relation.kind, "of": list(names[1:]), "broken": True, "fill": False}
        fix = Fix("fill_from", names[:1], settings)
        findings.append(Finding("arithmetic", "warning", names, wrong, text, fix, requires=_conversions(relation)))
    back = _BACK[relation.kind]
    for read, kind, (left, right) in (
        (relation.whole, relation.kind, (relation.first, relation.second)),
        (relation.first, back, (relation.whole, relation.second)),
        (relation.second, back, (relation.whole, relation.first)),
    ):
        filled = _worked_out(kind, left.numbers, right.numbers)
        rows = np.flatnonzero(np.isnan(read.numbers) & np.isfinite(filled))
        if len(rows):
            of = [left.column.name, right.column.name]
            text = f"missing, though it follows from {rule}: {said(float(filled[rows[0]]))} in row {rows[0]}"
            fix = Fix("fill_from", (read.column.name,), {"relation": kind, "of": of, "broken": False})
            conversions = _conversions(relation)
            findings.append(
                Finding("arithmetic", "warning", (read.column.name,), rows, text, fix, requires=conversions)
            )
    if not findings:
        where = "every row" if is_complete.all() else "every row with all three"
        text = f"{rule} in {where}: one of the three says nothing new"
        findings.append(Finding("arithmetic", "note", names, NO_ROWS, text, None))
    return findings
