"""Pieces from which the sections of the page are made: tables that can be sorted, charts with captions, notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from pellucid.base.errors import count
from pellucid.report.page_text import cell_html, is_missing, name_html, sentence_html, text_html
from pellucid.working.html_elements import element, lines

__all__ = [
    "Cell",
    "Head",
    "box",
    "chart",
    "element",
    "lines",
    "more_than",
    "paragraphs",
    "section",
    "table",
    "term_list",
]


LONG_TABLE = 25  # rows from which on a table also scrolls from top to bottom


@dataclass(frozen=True)
class Head:
    """The head of a column: what it says, whether numbers stand below it, what it means, whether to sort by it."""

    text: str
    number: bool = False
    about: str = ""
    sort: bool = True


@dataclass(frozen=True)
class Cell:
    """A cell: HTML, the value that it is sorted by (its text otherwise), and a class."""

    html: str
    value: float | str | None = None
    kind: str | None = None

    @classmethod
    def of(cls, value: Any) -> Cell:
        """A value of the user's table, or of a list of results."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return cls(cell_html(value), "" if is_missing(value) else value, "pr-n")
        return cls(cell_html(value, 240))

    @classmethod
    def name(cls, value: Any) -> Cell:
        """The name of something of the user's."""
        return cls(name_html(value))

    @classmethod
    def text(cls, value: Any, most: int = 300) -> Cell:
        """A sentence."""
        return cls(text_html(value, most))


def table(
    caption: str,
    heads: Sequence[Head],
    rows: Iterable[Sequence[Cell]],
    *,
    more: str = "",
    kind: str = "",
    sort: bool = True,
    id: str | None = None,
) -> str:
    """A table in a frame of its own, in which it scrolls. The first cell of a row names it.

    ``more`` stands below and tells what was left out; the caption is plain text; the script makes the heads of one with
    ``sort`` into buttons.
    """
    top = "".join(
        element(
            "th",
            text_html(head.text),
            scope="col",
            class_="pr-n" if head.number else None,
            title=head.about or None,
            data_sort=None if head.sort else "no",
        )
        for head in heads
    )
    written_rows = [_row(row, heads) for row in rows]
    body = lines(*written_rows)
    inside = lines(element("caption", escape(caption)), element("thead", element("tr", top)), element("tbody", body))
    written = element("table", inside, class_=kind or None, data_sort=sort)
    frame_kind = "pr-scroll pr-tall" if len(written_rows) > LONG_TABLE else "pr-scroll"
    frame = element("div", written, class_=frame_kind, role="group", aria_label=f"Table: {caption}", tabindex=0, id=id)
    return lines(frame, element("p", escape(more), class_="pr-more") if more else "")


def _row(row: Sequence[Cell], heads: Sequence[Head]) -> str:
    cells = []
    for at, (cell, head) in enumerate(zip(row, heads, strict=True)):
        kind = " ".join(filter(None, ["pr-n" if head.number else "", cell.kind or ""])) or None
        cells.append(
            element("th", cell.html, scope="row", data_value=cell.value, class_=kind)
            if at == 0
            else element("td", cell.html, data_value=cell.value, data_head=head.text, class_=kind)
        )
    return element("tr", "".join(cells))


def more_than(shown: int, of: int, noun: str, where: str = "") -> str:
    """What is said below a table that shows the first of many.

    >>> more_than(200, 5_000, "column"), more_than(5, 5, "column")
    ('The first 200 columns are shown; there are 4,800 more.', '')
    """
    if shown >= of:
        return ""
    return f"The first {count(shown, noun)} are shown; there are {of - shown:,} more{where}."


def section(at: str, title: str, *parts: str) -> str:
    """A part of the page, under a heading that can be linked to."""
    heading = element("h2", escape(title), id=f"{at}-heading")
    return element("section", lines(heading, *parts), id=at, aria_labeledby=f"{at}-heading")


def paragraphs(sentences: Iterable[str], kind: str | None = None) -> str:
    """Sentences, a paragraph each."""
    return lines(*(element("p", sentence_html(sentence, 800), class_=kind) for sentence in sentences if sentence))


def box(title: str, items: Sequence[str], kind: str, level: int = 4) -> str:
    """A framed list under a heading of this level; nothing if the list is empty."""
    if not items:
        return ""
    points = lines(*(element("li", sentence_html(item, 800)) for item in items))
    return element("div", lines(element(f"h{level}", escape(title)), element("ul", points)), class_=f"pr-box {kind}")


def framed(title: str, drawn: str, note: str = "", kind: str = "pr-chart", last: str = "") -> str:
    """A table or a drawing under its title, with a note below it, and HTML that comes last."""
    below = element("p", sentence_html(note, 1_000), class_="pr-note") if note else ""
    return element("figure", lines(element("figcaption", text_html(title, 200)), drawn, below, last), class_=kind)


def chart(svg: str, title: str, note: str = "", wide: bool = False) -> str:
    """A drawing under its title, with a line below that the script fills with what the pointer rests on."""
    if not svg:
        return ""
    reading = element("p", "", class_="pc-reading", hidden=True, aria_live="polite")
    return framed(title, svg, note, "pr-chart pr-wide" if wide else "pr-chart", reading)


def term_list(pairs: Iterable[tuple[str, str]], kind: str = "pr-terms") -> str:
    """Words and what they stand for; both are HTML."""
    items = lines(*(element("div", element("dt", word) + element("dd", said)) for word, said in pairs))
    return element("dl", items, class_=kind)
