"""Pieces of HTML from which `html` puts a page together. Users' text is escaped here, or where it is passed in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.working.boxes import Array, Box, Fence, Number, Power, Row, number
from pellucid.working.expression import Axis
from pellucid.working.model import shown_entries
from pellucid.working.printers import mathml, unicode


def element(name: str, inside: str | None = "", /, **attributes: Any) -> str:
    """An element around HTML; None for one without an end tag. Attributes are escaped, those that are None left out.

    >>> element("td", "2", class_="pw-n", data_value='"2"', title=None, hidden=True)
    '<td class="pw-n" data-value="&quot;2&quot;" hidden>2</td>'
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return f"<{name}{written}>" if inside is None else f"<{name}{written}>{inside}</{name}>"


def lines(*texts: str) -> str:
    """Parts one below the other, empty ones left out."""
    return "\n".join(text for text in texts if text)


def slug(text: str) -> str:
    """Letters, digits and hyphens: what may stand in an id and in a link to it.

    >>> slug("mean of <x>"), slug("↯")
    ('mean-of-x', 'unnamed')
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-") or "unnamed"


# -------------------------------------------------------------------------------------------------------------- numbers


def data_value(value: Any) -> str:
    """A value in full, for a machine: the shortest text that reads back as the same number."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return repr(float(value))


def number_html(value: Any, digits: int) -> str:
    """An entry of a table: text as it is, a number to so many digits."""
    if isinstance(value, str):
        return escape(value)
    box = number(value, digits)
    if isinstance(box, Number) and box.exponent is not None:
        return f"{box.mantissa}×10<sup>{str(box.exponent).replace('-', '−')}</sup>"
    return escape(unicode(box))


def result(value: Any, digits: int) -> str:
    """What a formula comes to, with the full number at hand."""
    full = data_value(value)
    return element("data", mathml(number(value, digits)), value=full, title=full, class_="pw-result")


def equation(box: Box, end: str = "") -> str:
    """``name = formula = result`` in two parts, so that a narrow screen can break the line before the last ``=``.

    ``end`` is the HTML that stands for the result.
    """
    assert isinstance(box, Row)
    *formula, equals, value_box = box.items
    end = end or element("b", mathml(value_box), class_="pw-result")
    return f"{mathml(Row(tuple(formula)))}<wbr>{element('span', mathml(equals) + end, class_='pw-ends')}"


def width(box: Box) -> int:
    """About how many letters wide a formula is set: the entries of a matrix stand below each other."""
    match box:
        case Array(rows):
            return sum(2 + max(len(unicode(entry)) for entry in column) for column in zip(*rows, strict=True))
        case Row(items):
            return sum(width(item) for item in items)
        case Fence(_, body, _) | Power(body, _):
            return 2 + width(body)
    return len(unicode(box))


# --------------------------------------------------------------------------------------------------------------- tables


def gaps(
    axis: Axis, max_entries: int, requested: Sequence[int] = (), informative: Sequence[int] = ()
) -> Iterator[tuple[int | None, int]]:
    """The entries of an axis that are shown; between them None, with the number of those left out there.

    >>> list(gaps(Axis("row", range(9)), 4))
    [(0, 0), (1, 0), (2, 0), (None, 5), (8, 0)]
    """
    entries = shown_entries(axis, max_entries, requested, informative)
    for at, i in enumerate(entries):
        if i is not None:
            yield i, 0
            continue
        before, after = entries[at - 1], entries[at + 1]
        assert before is not None
        assert after is not None
        yield None, after - before - 1


def table(caption: str, heads: list[str], rows: list[str], *, walked: bool = False, id: str | None = None) -> str:
    """A table that scrolls within its own frame. The caption is plain text; ``walked``: passes mark a row."""
    inside = lines(
        element("caption", escape(caption)),
        element("thead", element("tr", "".join(heads))),
        element("tbody", lines(*rows)),
    )
    kind = "pw-scroll pw-walked" if walked else "pw-scroll"
    name = f"Table {caption}"
    return element("div", element("table", inside), class_=kind, role="group", aria_label=name, tabindex=0, id=id)


def gap_row(n: int, noun: str, wide: int) -> str:
    """The row that stands for those left out."""
    return element(
        "tr", element("td", f"⋮ {escape(count(n, noun or 'entry'))} not shown", colspan=wide), class_="pw-gap"
    )


# --------------------------------------------------------------------------------------------------------------- passes


def of_last(noun: str, label: Any, last: Any) -> str:
    """
    >>> of_last("pass", 3, 20)
    'pass 3 of 20'
    """
    return f"{noun or 'pass'} {label} of {last}"


def stepper(name: str, shows: str, n: int, label: str, more: str = "") -> str:
    """Buttons and a slider that go from pass to pass. Hidden until the script runs, as it does nothing without it."""
    buttons = [
        element("button", word, type="button", data_go=word.lower()) for word in ("First", "Back", "Next", "Last")
    ]
    slider = element("input", None, type="range", min=1, max=n, value=1, aria_label=name, aria_valuetext=label)
    status = element("output", escape(label), aria_live="polite")
    every = (
        element("button", "Show all", type="button", data_go="all", aria_pressed="false") if shows == "turns" else ""
    )
    bar = lines(element("div", "".join(buttons), class_="pw-buttons"), slider, status, every, more)
    return element(
        "div", bar, class_="pw-stepper", role="group", aria_label=name, tabindex=0, data_shows=shows, hidden=True
    )
