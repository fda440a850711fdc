"""The ends of the page: the summary, ready pictures and lists of tasks without a target, how to reproduce it."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import quote

from pellucid.base.errors import count
from pellucid.report.outcome import MetricValue, StudyResult
from pellucid.report.page_elements import (
    Cell,
    Head,
    box,
    chart,
    element,
    lines,
    more_than,
    paragraphs,
    section,
    table,
    term_list,
)
from pellucid.report.page_svg import inline_svg
from pellucid.report.page_text import cut, figures, is_missing, score_figures, text_html

KEY_FIGURES = 4
MOST_LISTED = 200
PACKAGES = ("pellucid", "numpy", "scipy", "scikit-learn", "polars", "pandas")


# ------------------------------------------------------------------------------------------------------------- summary


def summary(outcome: StudyResult) -> str:
    """Headline, a few sentences, the key figures in large, and what limits trust."""
    size = f"{count(outcome.source.rows, 'row')} × {count(outcome.source.columns, 'column')}"
    source = f"{cut(outcome.source.name, 120)} · {size}"
    head = lines(
        element("p", text_html(source, 200), class_="pr-kicker"),
        element("h1", text_html(outcome.headline, 400), id="headline"),
    )
    return element(
        "header",
        lines(
            head,
            paragraphs(outcome.summary, "pr-lead"),
            _key_figures(outcome),
            box("What limits trust in this", outcome.warnings, "pr-warn", level=2),
        ),
        id="summary",
    )


def _key_figures(outcome: StudyResult) -> str:
    """The first scores on the held-out rows; without them, what the table holds."""
    cards = [_card(one) for one in outcome.held.figures[:KEY_FIGURES]] if outcome.held is not None else []
    if not cards:
        grave = sum(one.severity == "error" for one in outcome.findings)
        facts = [
            (outcome.source.rows, "row", "", ""),
            (outcome.source.columns, "column", "", ""),
            (len(outcome.findings), "finding", "", f"{count(grave, 'error')} among them"),
            (outcome.log.n_cells, "cell", " changed", f"{count(len(outcome.log.rows_dropped), 'row')} dropped"),
        ]
        if not outcome.task.searches_cells and not outcome.findings:
            del facts[2]
        cards = []
        for n, noun, more, fact in facts:
            number, word = count(n, noun).split(" ")
            cards.append(_large(number, word + more, fact, ""))
    return element("ul", lines(*cards), class_="pr-keys", aria_label="Key figures")


def _card(one: MetricValue) -> str:
    value, low, high, base = score_figures(one.value, one.low, one.high, one.baseline)
    interval = f"95 % interval {low} to {high}"
    return _large(value, one.word, interval, f"baseline {base}" if base != "–" else "", one.about)


def _large(number: str, word: str, *more: str) -> str:
    *facts, about = more if more else ("",)
    parts = [element("span", escape(number), class_="pr-big"), element("span", text_html(word, 80), class_="pr-word")]
    parts += [element("span", escape(fact), class_="pr-fact") for fact in facts if fact]
    parts += [element("span", text_html(about, 300), class_="pr-about")] if about else []
    return element("li", lines(*parts))


# --------------------------------------------------------------------------------------------------- without a target


def results(outcome: StudyResult) -> str:
    """Pictures and lists that are ready."""
    if not outcome.pictures and not outcome.listings:
        return ""
    parts = []
    for k, picture in enumerate(outcome.pictures, 1):
        drawn = inline_svg(picture.svg, f"picture{k}-")
        if drawn:
            parts.append(chart(drawn, picture.title, picture.about))
        else:
            parts.append(paragraphs([f"{picture.title}: {picture.about}", "This drawing cannot be read."]))
    drawn = element("div", lines(*parts), class_="pr-charts") if parts else ""
    lists = []
    for listing in outcome.listings:
        shown = listing.rows[:MOST_LISTED]
        columns = [[row[j] for row in shown] for j in range(len(listing.heads))]
        heads = [Head(cut(head, 60), _all_numbers(column)) for head, column in zip(listing.heads, columns, strict=True)]
        rows = list(zip(*map(_cells, listing.heads, columns), strict=True))
        more = more_than(len(rows), len(listing.rows), "row")
        lists += [
            element("h3", text_html(listing.title, 120)),
            paragraphs([listing.about]),
            table(cut(listing.title, 120), heads, rows, more=more) if rows else paragraphs(["There is none."]),
        ]
    return section("results", "What was found in the rows", drawn, *lists)


def _cells(head: str, column: Sequence[Any]) -> list[Cell]:
    """A column of a listing; numbers that are not whole have the same number of decimals. A p-value below 0.001 is
    never shown as 0."""
    if head == "row" and _all_numbers(column):  # a place in the source, as everywhere on the page
        return [Cell(str(value), value, "pr-n") for value in column]
    if head == "p" and _all_numbers(column):
        return [Cell(escape("< 0.001" if value < 0.001 else f"{value:.3f}"), float(value)) for value in column]
    if not _all_numbers(column) or all(isinstance(value, int) for value in column if value is not None):
        return [Cell.of(value) for value in column]
    texts = figures([float("nan") if value is None else float(value) for value in column])
    return [
        Cell(escape(text), "" if is_missing(value) else float(value)) for text, value in zip(texts, column, strict=True)
    ]


def _all_numbers(values: Sequence[Any]) -> bool:
    """Is there nothing but numbers, and at least one?"""
    found = [value for value in values if value is not None]
    return bool(found) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in found)


# ----------------------------------------------------------------------------------------------------------- reproduce


def reproduce(outcome: StudyResult) -> str:
    """The script, the files beside the page, the seed and the versions."""
    copy = element("button", "Copy the script", type="button", class_="pr-copy", data_copy="script", hidden=True)
    said = element("output", "", class_="pr-copied", aria_live="polite")
    script = lines(
        element("h3", "The script"),
        paragraphs([_script_text(outcome)]),
        element("p", lines(copy, said)) ,
        element("pre", element("code", escape(outcome.script), id="script"), tabindex=0, aria_label="The script"),
    )  # fmt: skip
    facts = [
        ("random seed", f"{outcome.seed}"),
        ("fingerprint of the table", f'<code class="pr-print">{text_html(outcome.source.fingerprint, 200)}</code>'),
        ("versions", escape(", ".join(versions()))),
    ]
    return section(
        "reproduce", "How to reproduce this", script if outcome.script else "", _files(outcome), term_list(facts)
    )


def _script_text(outcome: StudyResult) -> str:
    """What the program makes again, and what only the model file of the report has."""
    if outcome.task.kind == "baskets":
        return "This program finds the same rules in the same table, also those that this page leaves out."
    words = "This program fits the same model to the same table: both make the same predictions."
    return words + (" The model file of the report also holds the scores of this page." if outcome.held else "")


def _files(outcome: StudyResult) -> str:
    if not outcome.files:
        return ""
    items = [
        element(
            "li", element("a", text_html(name, 120), href="./" + quote(cut(name, 250))) + ": " + text_html(what, 300)
        )
        for name, what in outcome.files.items()
    ]
    return lines(element("h3", "The files beside this page"), element("ul", lines(*items)))


def versions() -> list[str]:
    """Python and the packages that took part, with their versions."""
    found = [f"Python {platform.python_version()}"]
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found
