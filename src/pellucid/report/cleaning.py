"""The cleaning of a report, and the part of it that goes with a model: what is done to new rows before it sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.base.errors import short_repr
from pellucid.base.types import Array
from pellucid.data.slices import column_of, missing_in, names_of
from pellucid.data.table import read_table
from pellucid.quality import Cleaner, Finding, Findings, Fix, check
from pellucid.quality.actions import ACTIONS, State
from pellucid.quality.conversions import CONVERSIONS
from pellucid.quality.formats import is_plain_number
from pellucid.quality.grammars import amount_grammar
from pellucid.quality.log import ChangeLog
from pellucid.quality.lossless import type_changes
from pellucid.report.columns import chosen_columns


def report_cleaner(table: Any, target: str | None = None, found: Findings | None = None) -> Cleaner:
    """A fitted cleaner: changes that lose nothing, and numbers in text as numbers, as models need them.

    An amount such as "$1,234.50", "12.5%" or "30 kg" becomes a number for the models, a measurement beyond a limit,
    such as "<0.5", its limit, and a placeholder among numbers a missing value; the texts in the file stay as they are.
    A column with other texts, or with several units, is left alone; beside numbers with a unit a few words, such as
    "error", are missing.

    Parameters
    ----------
    target : the name of the target, if there is one
    found : what ``check(table, target=target)`` gave, if that is known
    """
    found = check(table, target=target) if found is None else found
    lossless = Cleaner(target=target).fit_findings(table, found)
    amounts = _amounts(found)
    converted = {name for fix in lossless.remedies_ if fix.action == "to_number" for name in fix.columns}
    amounts = [
        item
        for item in amounts
        if not converted & set(item.columns)
        and not _mixes_percentages(table, item)
        and not (target in item.columns and _has_limits(item))
    ]
    if not amounts:
        return lossless
    amounts = [_written_in_one_way(table, item) for item in amounts]
    no_rows = np.empty(0, dtype=np.int64)
    first = [
        Finding("lossless", "note", item.columns, no_rows, _reason_of(item, lossless), item)
        for item in lossless.remedies_
    ]
    cleaner: Cleaner = Cleaner(remedies=[*first, *amounts], target=target).fit(table)
    return cleaner


def table_for_file(table: Any, log: ChangeLog) -> Any:
    """The table as the cleaning of a log leaves it in a file, where texts stay that only models read as numbers."""
    fixes: list[Fix] = []
    for change in log:
        if change.fix not in fixes and not change.fix.settings.get("keep_text"):
            fixes.append(change.fix)
    no_rows = np.empty(0, dtype=np.int64)
    steps = [Finding("log", "note", fix.columns, no_rows, "", fix) for fix in fixes]
    return Cleaner(remedies=steps).fit(table).clean(table).table if steps else table


def _reason_of(fix: Fix, cleaner: Cleaner) -> str:
    return next((change.why for change in cleaner.log_ if change.fix == fix), "loses nothing")


def _mixes_percentages(table: Any, finding: Finding) -> bool:
    """Do some values have a percent sign and others none? Then 5% may stand beside 0.05, and the numbers differ."""
    if finding.fix is None or "%" not in finding.fix.settings.get("units", ()):
        return False
    texts = {value for value in column_of(table, str(finding.columns[0])).tolist() if isinstance(value, str)}
    return any(is_plain_number(text.strip()) for text in texts)


FEW_WORDS = 0.05  # share of the rows that may hold words beside numbers with a unit


def _amounts(all_findings: Findings) -> list[Finding]:
    """For each column of text whose values are beyond doubt numbers with one unit how to read them.

    A finding without a remedy stands beside one that has it, or all of them have none."""
    by_column: dict[Any, list[Finding]] = {}
    for finding in all_findings:
        if finding.check == "text_numbers":
            by_column.setdefault(finding.columns, []).append(finding)
    return [
        _keeping_texts(numbers[0])
        for findings in by_column.values()
        if (
            numbers := [
                number_finding
                for number_finding in findings
                if number_finding.fix is not None and number_finding.fix.action == "to_number"
            ]
        )
        and not any(number_finding.is_doubtful for number_finding in numbers)
        and _are_numbers_but_for_few(numbers[0], findings, all_findings.n_rows)
    ]


def _are_numbers_but_for_few(numbers: Finding, findings: list[Finding], n_rows: int) -> bool:
    """Is there no other text, or are there few words beside numbers that nearly all have a unit?

    Without a unit numbers may be codes, as those of chromosomes are beside X and Y."""
    other_findings = [other for other in findings if other.fix is not None and other.fix.action != "to_number"]
    has_unit = numbers.fix is not None and bool(numbers.fix.settings.get("units"))
    n_others = sum(len(other.rows) for other in other_findings)
    return not other_findings or (has_unit and len(numbers.rows) >= 0.9 * n_rows and n_others <= FEW_WORDS * n_rows)


def _keeping_texts(finding: Finding) -> Finding:
    """The finding with a remedy that gives the column its type and leaves the texts of its cells in a file alone."""
    if finding.fix is None:
        return finding
    settings = {**finding.fix.settings, "keep_text": True}
    return replace(finding, fix=replace(finding.fix, settings=settings))


def _has_limits(finding: Finding) -> bool:
    """Does the conversion read measurements beyond a limit as the limit?"""
    return finding.fix is not None and bool(finding.fix.settings.get("limits"))


def _written_in_one_way(table: Any, finding: Finding) -> Finding:
    """The finding with an exact conversion, which exported models share, if it reads every text of the column alike."""
    fix = finding.fix
    if fix is None or fix.settings.get("words") or _has_limits(finding):
        return finding
    exact, units = replace(fix, settings={**fix.settings, "exact": True}), fix.settings.get("units", ())
    if units and amount_grammar(fix.settings["decimal"], fix.settings["thousands"], units) is None:
        return finding
    convert, convert_exactly = (CONVERSIONS["to_number"][0](conversion.settings) for conversion in (fix, exact))
    texts = {value for value in column_of(table, str(finding.columns[0])).tolist() if isinstance(value, str)}
    alike = all(convert(text) == convert_exactly(text) for text in texts)
    return replace(finding, fix=exact) if alike else finding


def with_exact_types(table: Any) -> Any:
    """The table with the types that its texts have without loss, to be described and checked; the rows are the same."""
    state = State.of(read_table(table, "report"), "report")
    for fix, _ in type_changes(state):
        ACTIONS[fix.action].apply(state, fix)
    return state.now() if state.changes else table


def rows_with_target(table: Any, target: str, is_number: bool) -> tuple[Array, Finding | None]:
    """Positions of the rows whose target is known, and what was left out because it is text among numbers."""
    is_present = ~missing_in(table, target)
    values = column_of(table, target)
    if not is_number or values.dtype.kind != "O":
        return np.flatnonzero(is_present), None
    is_text = np.array([isinstance(value, str) and not is_plain_number(value) for value in values], dtype=bool)
    left_out = np.flatnonzero(is_text & is_present)
    if not len(left_out):
        return np.flatnonzero(is_present), None
    example = short_repr(values[left_out[0]])
    text = f"left out of the comparison, as the target holds text among numbers, such as {example}; if such "
    text += "values are limits (below 5, above 90), the models know nothing of what lies beyond them"
    finding = Finding("target", "error", (target,), left_out, text)
    return np.flatnonzero(is_present & ~is_text), finding


def cleaning_steps(fixes: Sequence[Fix], table: Any) -> list[tuple[str, Any]]:
    """Fitted steps for the beginning of a pipeline: the columns chosen, and cleaned, with every row kept. None where no
    remedy is about these columns.

    Parameters
    ----------
    remedies : settled ones, as ``Cleaner.remedies_`` has them
    table : the columns that the model sees, before they were cleaned
    """
    names = set(names_of(table))
    row_wise = [
        fix
        for fix in fixes
        if not fix.action.startswith("drop_") and names.issuperset(map(str, fix.columns)) and _inside(fix, names)
    ]
    if not row_wise:
        return []
    selector = chosen_columns(names_of(table)).fit(table)
    return [("columns", selector), ("cleaner", Cleaner(remedies=row_wise).fit(table))]


def _inside(fix: Fix, names: set[str]) -> bool:
    """Does a remedy look at no other column?"""
    other_columns = [fix.settings[key] for key in ("key",) if key in fix.settings]
    return names.issuperset(map(str, [*other_columns, *fix.settings.get("of", ())]))
