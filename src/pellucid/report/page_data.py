"""The data on the page: where they come from, their columns, what is wrong with them, and what was changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any

from pellucid.base.errors import count, join_some
from pellucid.quality import Change, ColumnProfile, Finding, Fix, Profile
from pellucid.quality._text import distinct, figure, heading, kind_of, moment, sentences, share, values
from pellucid.quality.change import around_difference
from pellucid.quality.conversions import CONVERSIONS
from pellucid.quality.semantic_types import SemanticType
from pellucid.report.charts_plots import spark
from pellucid.report.fitted_use import n_read, unread_texts
from pellucid.report.outcome import StudyResult
from pellucid.report.page_elements import Cell, Head, element, lines, more_than, paragraphs, section, table, term_list
from pellucid.report.page_text import as_sentence, cut, data_cell_html, minus, name_html, text_html

LONGEST_COMMAND = 800  # a command that is cut does not work
MOST_COLUMNS = 150  # of the profile
MOST_FINDINGS = 200
MOST_CHANGES = 200
EXAMPLES = 3  # rows of a finding, cells of a change
BESIDE = 4  # columns beside those that a finding is about
NOTES = 12
LONGEST_NOTE = 800  # characters: eight associations with the target and their measures

SEVERITY = {"error": "✖ error", "warning": "▲ warning", "note": "ℹ note"}
GRAVE = {"error": 0, "warning": 1, "note": 2}


# ------------------------------------------------------------------------------------------------------------- columns


def data(outcome: StudyResult) -> str:
    """Source, size, fingerprint, and a line for each column."""
    source, profile = outcome.source, outcome.profile
    size = f"{count(source.rows, 'row')} × {count(source.columns, 'column')}"
    sample_text = f"{count(source.sample, 'row')}, drawn at random" if source.sample is not None else "all rows"
    facts = [
        ("source", text_html(source.name, 200)),
        ("size", escape(size)),
        ("looked at", escape(sample_text)),
        ("in short", escape(heading(profile))),
        ("fingerprint", f'<code class="pr-print">{text_html(source.fingerprint, 200)}</code>'),
        ("task", text_html(_task(outcome), 600)),
    ]
    return section("data", "The data", term_list(facts), _profile(outcome), _roles(outcome), _notes(profile))


def _task(outcome: StudyResult) -> str:
    task = outcome.task
    goal = {
        "two classes": "predict which of two classes a row has",
        "several classes": "predict which class a row has",
        "number": "predict a number",
        "no target": "find groups, outliers and structure",
        "baskets": "find what goes together",
        "ratings": "recommend",
        "visits": "recommend",
    }[task.kind]
    what = f"{goal} in column {cut(task.target, 60)}" if task.target is not None else goal
    return f"{what}: {task.why}" if task.why else what


def _profile(outcome: StudyResult) -> str:
    profile = outcome.profile
    roles = {role.column: role.role for role in outcome.roles}
    if outcome.task.kind in ("two classes", "several classes"):
        roles[str(profile.target)] = "classes"
    heads = [
        Head("column"),
        Head("kind"),
        Head("used as"),
        Head("missing", True),
        Head("distinct", True),
        Head("mean", True),
        Head("range, or most frequent of the values that are not missing"),
        Head("distribution", sort=False),
    ]
    rows = [_profile_row(column, roles, profile.target) for column in profile.columns[:MOST_COLUMNS]]
    more = more_than(len(rows), len(profile.columns), "column")
    return lines(
        element("h3", "Columns"), table("Every column of the table", heads, rows, more=more, kind="pr-profile")
    )


def _profile_row(column: ColumnProfile, roles: dict[str, str], target: Any) -> list[Cell]:
    numbers = column.numbers
    are_names = roles.get(str(column.name)) == "classes" and column.top
    has_numbers = numbers is not None and column.kind not in ("flag", "constant") and not are_names
    missing_text = f"{column.missing:,}" + (f" ({share(column.missing, column.rows)})" if column.missing else "")
    role = "target" if target is not None and column.name == target else roles.get(str(column.name), "")
    mean = Cell("", "")
    gist = cut(values(column), 110)
    if numbers is not None and has_numbers:
        mean_text = moment(column, numbers.mean)
        mean = Cell(escape(minus(mean_text)), numbers.mean) if mean_text != "-" else mean
        low, high, median = (minus(figure(column, v)) for v in (numbers.minimum, numbers.maximum, numbers.median))
        gist = f"{low} to {high}, median {median}"
    return [
        Cell.name(column.name),
        Cell(escape(_kind(column, role))),
        Cell(escape(role)),
        Cell(missing_text, column.missing),
        Cell(distinct(column), column.distinct),
        mean,
        Cell(text_html(gist, 120)),
        Cell(_small_chart(column)),
    ]


def _kind(column: ColumnProfile, role: str) -> str:
    """What a column holds as it is stored; text that models get as numbers or times is more than a category."""
    read = {"number": "numbers", "time": "times"}.get(role)
    if read is not None and column.stored == "text" and column.semantic is None and not column.reads_as:
        return f"text, read as {read}"
    return kind_of(column)


def _small_chart(column: ColumnProfile) -> str:
    """The histogram of numbers and times, or bars of the most frequent values."""
    if column.numbers is not None and column.kind not in ("flag", "constant") and column.numbers.histogram.counts:
        numbers = column.numbers
        label = (
            f"histogram of {column.name} from {figure(column, numbers.minimum)} to {figure(column, numbers.maximum)}"
        )
        return spark(numbers.histogram.counts, label)
    if column.times is not None and column.times.histogram.counts:
        return spark(column.times.histogram.counts, f"histogram of {column.name} over time")
    if column.kind in ("nominal", "ordinal", "flag") and column.top:
        return spark([entry.count for entry in column.top[:12]], f"counts of the most frequent values of {column.name}")
    return ""


def _roles(outcome: StudyResult) -> str:
    roles, unread = outcome.roles, unread_texts(outcome.roles, outcome.model)
    if not roles:
        return ""
    rows = [
        [Cell.name(role.column), Cell(text_html(role.role), kind="pr-out" if role.role == "left out" else None),
         Cell.text(role.why)]
        for role in roles[:MOST_COLUMNS]
    ]  # fmt: skip
    left_out = [role.column for role in roles if role.role == "left out"]
    used = n_read(roles, outcome.model)
    words = f"{used:,} of {count(len(roles), 'column')} {'is' if used == 1 else 'are'} used."
    words += (
        f" Left out: {', '.join(cut(name, 40) for name in left_out[:8])}" + (" …" if len(left_out) > 8 else ".")
        if left_out
        else ""
    )
    words += f" Not read by the chosen model: {join_some(unread, 8)}." if unread else ""
    inside = table(
        "Columns and their use", [Head("column"), Head("used as"), Head("why")], rows,
        more=more_than(len(rows), len(roles), "column"), kind="pr-stack",
    )  # fmt: skip
    summary = element("summary", "What was made of each column, and why")
    return lines(paragraphs([words]), element("details", lines(summary, inside), open=len(roles) <= 12))


def _notes(profile: Profile) -> str:
    notes = [cut(note, LONGEST_NOTE) for note in sentences(profile)]
    if not notes:
        return ""
    points = lines(*(element("li", text_html(note, LONGEST_NOTE)) for note in notes[:NOTES]))
    more = more_than(min(NOTES, len(notes)), len(notes), "note")
    inside = lines(element("summary", "More about the columns"), element("ul", points), paragraphs([more]))
    return element("details", inside)


# ------------------------------------------------------------------------------------------------------------ findings


def findings(outcome: StudyResult) -> str:
    """What is wrong with the table, gravest first, with a few of the rows."""
    all_findings = outcome.findings
    if not len(all_findings):
        nothing = "Nothing that need be said."
        if not outcome.task.searches_cells:
            nothing = "The cells were not searched for errors."
        return section("findings", "What was found in the data", paragraphs([nothing]))
    tally = {kind: sum(finding.severity == kind for finding in all_findings) for kind in GRAVE}
    severities = ", ".join(count(number, kind) for kind, number in tally.items() if number)
    words = (
        f"{count(len(all_findings), 'finding')}: {severities}. Rows are counted from 0, as they stand in the source."
    )
    heads = [Head("severity"), Head("columns"), Head("rows", True), Head("what was found")]
    rows = [_finding_row(finding, outcome) for finding in list(all_findings)[:MOST_FINDINGS]]
    more = more_than(len(rows), len(all_findings), "finding")
    listed = table("Findings, gravest first", heads, rows, more=more, kind="pr-stack pr-findings", id="findings-table")
    return section("findings", "What was found in the data", paragraphs([words]), _filter(), listed)


def _filter() -> str:
    """Fields that the script brings to life; hidden without it."""
    words = element("label", "Find " + element("input", None, type="search", data_filter="words"))
    kinds = element("option", "all", value="") + "".join(element("option", kind, value=kind) for kind in GRAVE)
    severity = element("label", "Severity " + element("select", kinds, data_filter="severity"))
    status = element("output", "", aria_live="polite")
    return element(
        "div", lines(words, severity, status), class_="pr-filter", data_for="findings-table", role="search",
        aria_label="Filter the findings", hidden=True,
    )  # fmt: skip


def _remedy(finding: Finding, outcome: StudyResult) -> str:
    """What could be done about a finding, how sure that is, and the command that does it."""
    if finding.fix is None:
        return ""
    on_column = [change for change in outcome.log if change.column in finding.fix.columns]
    fix = _what_is_left(finding.fix, on_column)
    code = element("code", text_html(str(fix or finding.fix), 200))
    applied = [change for change in on_column if change.fix.action == finding.fix.action]
    if any(_is_for_models(change) for change in applied):
        return element("p", "Done for the models; the texts stay in the cleaned table: " + code, class_="pr-quiet")
    if any(change.what == "type" for change in applied):
        return element("p", "Done, as models need numbers and times: " + code, class_="pr-quiet")
    if applied or fix is None:
        return element("p", "Done by the cleaning where nothing is lost by it: " + code, class_="pr-quiet")
    if finding.fix.action == "to_missing" and any(_reads_as_missing(change, finding) for change in on_column):
        text_note = "; the texts stay in the cleaned table" if any(map(_is_for_models, on_column)) else ""
        return element("p", f"Missing for the models{text_note}.", class_="pr-quiet")
    words = f"A suggestion, not applied, of {finding.confidence} confidence: "
    command = element("code", text_html(f"pellucid clean FILE --out OUT {finding.option}", LONGEST_COMMAND))
    return element("p", escape(words) + code + ". To apply it: " + command, class_="pr-quiet")


def _what_is_left(fix: Fix, on_column: Sequence[Change]) -> Fix | None:
    """The remedy without the values that the cleaning has made missing already; None where none is left."""
    if fix.action != "to_missing":
        return fix
    pairs = [pair for change in on_column for pair in zip(change.before, change.after, strict=False)]
    emptied = [before for before, after in pairs if after is None]
    values = [value for value in fix.settings.get("values", ()) if value not in emptied]
    return replace(fix, settings={**fix.settings, "values": values}) if values else None


def _is_for_models(change: Change) -> bool:
    """Does a conversion leave the texts in the cleaned table alone?"""
    return change.what == "type" and bool(change.fix.settings.get("keep_text"))


def _reads_as_missing(change: Change, finding: Finding) -> bool:
    """Did the cells of a finding become missing when their column got its type?"""
    if change.what != "type" or finding.fix is None:
        return False
    values = finding.fix.settings.get("values", ())
    if set(values) <= set(change.fix.settings.get("missing", ())):
        return True
    if _is_for_models(change):
        convert = CONVERSIONS[change.fix.action][0](change.fix.settings)
        return len(values) > 0 and all(convert(value) is None for value in values)
    emptied = {row for row, after in zip(change.rows.tolist(), change.after, strict=True) if after is None}
    return len(finding.rows) > 0 and emptied.issuperset(finding.rows.tolist())


def _finding_row(finding: Finding, outcome: StudyResult) -> list[Cell]:
    names = ", ".join(name_html(name, 40) for name in finding.columns[:4]) or "whole table"
    more = f" and {len(finding.columns) - 4:,} more" if len(finding.columns) > 4 else ""
    elements = [element("p", text_html(as_sentence(finding.explanation), 600), class_="pr-blanks")]
    if finding.fix is not None:
        elements.append(_remedy(finding, outcome))
    elements.append(_example_rows(finding, outcome))
    badge = element("span", SEVERITY[finding.severity], class_=f"pr-badge pr-{finding.severity}")
    rows = Cell(f"{len(finding.rows):,}" if len(finding.rows) else "", len(finding.rows) or "")
    return [Cell(badge, GRAVE[finding.severity]), Cell(names + more), rows, Cell(lines(*elements))]


def _example_rows(finding: Finding, outcome: StudyResult) -> str:
    """Some of the rows that a finding points at: the cells that it is about, and a few beside them."""
    shown_rows = [row for row in finding.rows[:1000].tolist() if row in outcome.examples][:EXAMPLES]
    if not shown_rows:
        return ""
    names = [str(name) for name in outcome.findings.names]
    about = [names.index(str(name)) for name in finding.columns if str(name) in names][:BESIDE]
    beside = [j for j in range(len(names)) if j not in about][: max(0, BESIDE - len(about))]
    positions = [*about, *beside]
    heads = [Head("row", True), *(Head(cut(names[j], 30)) for j in positions)]
    meanings = outcome.semantic_types
    rows = []
    for row in shown_rows:
        cells = outcome.examples[row]
        example_cells = [
            Cell(
                data_cell_html(cells[j], 40, meanings.get(names[j])) if j < len(cells) else "",
                kind="pr-hit" if j in about else None,
            )
            for j in positions
        ]
        rows.append([Cell(str(row), row), *example_cells])
    inside = table(f"Rows with this finding: {cut(finding.check, 40)}", heads, rows, sort=False, kind="pr-example")
    word = (
        f"{len(shown_rows)} of {count(len(finding.rows), 'row')}" if len(shown_rows) < len(finding.rows) else "the rows"
    )
    return element("details", lines(element("summary", f"Show {word}"), inside))


# ------------------------------------------------------------------------------------------------------------- changes


def changes(outcome: StudyResult) -> str:
    """What was changed before anything was learned: how often, from what to what, and why."""
    log = outcome.log
    if not len(log):
        return section("changes", "What was changed", paragraphs(["Nothing: the table was used as it came."]))
    n_dropped = len(log.rows_dropped)
    words = f"{count(log.n_cells, 'cell')} changed, {count(n_dropped, 'row')} of {log.n_rows:,} dropped."
    words += " The source itself was not touched; the change log beside this page has every change."
    heads = [Head("step", True), Head("column"), Head("what"), Head("how often", True), Head("examples"), Head("why")]
    meanings = outcome.semantic_types
    rows = [_change_row(change, meanings.get(str(change.column))) for change in list(log)[:MOST_CHANGES]]
    more = more_than(len(rows), len(log), "change")
    listed = table("Changes, in their order", heads, rows, more=more, kind="pr-stack")
    return section("changes", "What was changed", paragraphs([words]), listed)


def _change_row(change: Change, meaning: SemanticType | None) -> list[Cell]:
    what = {
        "cells": change.fix.action.replace("_", " "),
        "type": change.fix.action.replace("_", " "),
        "rows dropped": "rows dropped",
        "column dropped": "column dropped",
        "column added": "column added",
    }[change.what]
    return [
        Cell(str(change.step), change.step),
        Cell(name_html(change.column, 40) if change.column is not None else "whole rows"),
        Cell(element("span", escape(what), title=cut(str(change.fix), 300))),
        Cell(f"{len(change.rows):,}" if len(change.rows) else "", len(change.rows)),
        Cell(_example_cells(change, meaning)),
        Cell.text(as_sentence(change.why)),
    ]


def _example_cells(change: Change, meaning: SemanticType | None) -> str:
    """The first different changes of cells, or the first dropped rows."""
    if change.what == "rows dropped":
        return escape(f"rows {', '.join(str(row) for row in change.rows[:EXAMPLES].tolist())}") + (
            " …" if len(change.rows) > EXAMPLES else ""
        )
    if change.what not in ("cells", "type"):
        return ""
    if not len(change.rows):
        kind = escape(str(change.kind))
        return f"{kind} for the models; the texts stay" if _is_for_models(change) else f"type only: now {kind}"
    examples: dict[tuple[str, str], None] = {}
    for before, after in zip(change.before[:500], change.after[:500], strict=True):
        form = None if isinstance(before, str) else meaning  # text that became a number is shown as that number
        before, after = around_difference(before, after)
        examples.setdefault((data_cell_html(before, 40, meaning), data_cell_html(after, 40, form)))
        if len(examples) == EXAMPLES:
            break
    return "<br>".join(f"{before} → {after}" for before, after in examples)
