"""What users wrote, and numbers, as text that can stand on a page: visible, on one line, not too long, escaped."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from html import escape
from numbers import Real
from typing import Any

import numpy as np

from pellucid.quality.semantic_types import SemanticType, format_value
from pellucid.working.html_elements import element

LONGEST = 90  # characters of a cell that are shown
LONG_WORD = 22  # characters that may need to be broken
ROUGH = 0.03  # share of a score that rounding may change
MOST_DECIMALS = 9  # of a score just below 1
TOLD = 400  # characters that can be read by resting on a cell that was cut
# Characters that turn the direction of the text around them, and the mark of the byte order, which nobody sees.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_NOT_HTML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def visible(value: Any) -> str:
    """A value as text in which what cannot be seen is written out.

    >>> visible("a\\x00b"), visible("abc\\u202edef"), visible("naïve שלום")
    ('a\\\\x00b', 'abc\\\\u202edef', 'naïve שלום')
    """
    text = str(value)
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char in "\n\t\r":
        return " "
    if char not in _TURNING and (char.isprintable() or unicodedata.category(char) in ("Zs", "Zl", "Zp", "Cf", "Co")):
        return char
    return char.encode("ascii", "backslashreplace").decode() if ord(char) > 127 else f"\\x{ord(char):02x}"


def cut(value: Any, most: int = LONGEST) -> str:
    """Visible text of at most so many characters.

    >>> cut("x" * 10_000, 5)
    'xxxx…'
    """
    text = visible(str(value)[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"


def text_html(value: Any, most: int = LONGEST) -> str:
    """Text as HTML; what is cut can be read further by resting on it, and is told how long it is.

    >>> text_html("<b>"), text_html("x" * 10_000, 5)[-27:]
    ('&lt;b&gt;', '</span> (10,000 characters)')
    """
    full_text = str(value)
    text = cut(full_text, most)
    html = escape(text)
    if max(map(len, text.split()), default=0) > LONG_WORD:
        html = "".join(
            element("span", escape(piece), class_="pr-long") if len(piece) > LONG_WORD else escape(piece)
            for piece in re.split(r"(\s+)", text)
        )
    if not text.isascii():
        html = f"<bdi>{html}</bdi>"
    if len(full_text) <= most:
        return html
    hover = element("span", html, title=cut(full_text, TOLD))
    return hover if len(full_text) <= TOLD else f"{hover} ({len(full_text):,} characters)"


def sentence_html(text: Any, most: int = LONGEST) -> str:
    """A sentence as HTML, in which a number is not parted from its percent sign at the end of a line.

    >>> sentence_html("a 95 % interval") == "a 95\u00a0% interval"
    True
    """
    return re.sub(r"(?<=\d) (?=%)", "\u00a0", text_html(text, most))


def as_sentence(text: str) -> str:
    """With a capital letter and a full stop, unless it begins with a name or a value.

    >>> as_sentence("two values are missing"), as_sentence("'N/A' stands for nothing"), as_sentence("")
    ('Two values are missing.', "'N/A' stands for nothing.", '')
    >>> as_sentence("cnt = casual + registered in every row")
    'cnt = casual + registered in every row.'
    """
    text = text.strip()
    first = text[:1].upper() + text[1:] if re.match(r"[a-z]+[ ,](?!=)", text) else text
    return first if not first or first.endswith((".", "!", "?", "…")) else first + "."


def name_html(value: Any, most: int = 60) -> str:
    """The name of a column or a class; one of blanks alone is put into quotes."""
    text = str(value)
    return text_html(text if text.strip() == text and text else repr(text), most)


def cell_html(value: Any, most: int = LONGEST, semantic: SemanticType | None = None) -> str:
    """A cell of a table: a number in short, text as it is, and a word for what is missing or empty. The semantic type
    of its column says how a number is written.

    >>> cell_html(None), cell_html(3.0)
    ('<i class="pr-none">missing</i>', '3')
    >>> cell_html(" a"), cell_html("a  b")
    ('<span class="pr-blanks">\\' a\\'</span>', '<span class="pr-blanks">\\'a  b\\'</span>')
    >>> cell_html(12004), cell_html(12004, semantic=SemanticType("code", ""))
    ('12,004', '12004')
    """
    if is_missing(value):
        return '<i class="pr-none">missing</i>'
    written = format_value(value, semantic)
    if written is not None:
        return escape(minus(written) if written[:1] == "-" else written)
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, Real):
        return escape(short_number(float(value)))
    text = str(value)
    if not text.strip():
        return f'<i class="pr-none">{"blank" if text else "empty"}</i>'
    # Blanks at the ends, or several in a row, are what it is about, often; a browser would show none or one of them.
    if (text.strip() != text or "  " in text) and len(text) <= most:
        return element("span", f"'{escape(visible(text))}'", class_="pr-blanks")
    return text_html(text, most)


def data_cell_html(value: Any, most: int = LONGEST, semantic: SemanticType | None = None) -> str:
    """A cell of the user's table, where a whole number may be a code whatever its column is taken for: all of its
    digits, without separators. Of other numbers as many digits as the findings show.

    >>> data_cell_html(4006381333931.0), data_cell_html(0.5), data_cell_html(1.53393)
    ('4006381333931', '0.5', '1.53393')
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_) and not is_missing(value)
    if is_number and format_value(value, semantic) is None:
        number = float(value)
        if abs(number) < 2.0**53 and number == int(number):
            return escape(minus(str(int(value))))
        if math.isfinite(number):
            return escape(minus(f"{number:.10g}"))
    return cell_html(value, most, semantic)


def is_missing(value: Any) -> bool:
    """Is there no value? None, NaN, and what dataframe libraries call missing."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def harmless(page: str) -> str:
    """A whole page without characters that HTML forbids or that turn text round, and with one kind of line ends."""
    plain = _NOT_HTML.sub("\ufffd", page.replace("\r\n", "\n").replace("\r", "\n"))
    return plain if _TURNING.isdisjoint(plain) else plain.translate({ord(char): _shown(char) for char in _TURNING})


# -------------------------------------------------------------------------------------------------------------- numbers


def short_number(value: float) -> str:
    """A number in at most six digits or so.

    Four digits have no separator: they may be a year.

    >>> short_number(1234567.0), short_number(2004.0), short_number(1102.5), short_number(-0.1 - 0.2)
    ('1,234,567', '2004', '1,102.5', '−0.3')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < 10_000 and value == int(value):
        return minus(f"{value:.0f}")
    if abs(value) < 1e12 and (value == int(value) or abs(value) >= 1e5):
        return minus(f"{value:,.0f}")
    return _tidy(f"{value:,.5g}")


def _in_powers(value: float) -> str:
    """A number with a power of ten, as those beside it.

    >>> _in_powers(790_921_875_487.0), _in_powers(2.5e13)
    ('7.9092e11', '2.5e13')
    """
    digits, power = f"{value:.4e}".split("e")
    return _tidy(f"{digits.rstrip('0').rstrip('.')}e{power}")


def _tidy(text: str) -> str:
    """A number as Python writes it with a typographic minus sign, and a power without zeros before it."""
    return minus(re.sub(r"e([+-])0*", lambda match: "e" + match[1].replace("+", ""), text))


def minus(text: str) -> str:
    """A typographic minus sign.

    >>> minus("-3")
    '−3'
    """
    return text.replace("-", "−")


def figures(values: Sequence[float]) -> list[str]:
    """Scores that belong together, with as many decimals each as the largest needs.

    >>> figures([0.8731, 0.9, float("nan")]), figures([1234.5678, 10.0]), figures([12.3456])
    (['0.873', '0.900', '–'], ['1,234.6', '10.0'], ['12.35'])
    >>> figures([5.0, 120.0]), figures([0.00123]), figures([2.5e13])
    (['5', '120'], ['0.00123'], ['2.5e13'])
    >>> figures([0.5, -0.0001])
    ['0.500', '0.000']

    A share that is not quite 1 is not written as 1.

    >>> figures([1.0, 0.99985, 0.5])
    ['1.000', '0.9999', '0.500']
    """
    finite = [abs(value) for value in values if math.isfinite(value)]
    max_value = max(finite, default=0.0)
    if max_value >= 1e12 or 0 < max_value < 1e-6:
        return [_in_powers(value) if value and math.isfinite(value) else short_number(value) for value in values]
    if all(value == int(value) for value in finite) and max_value > 1:
        decimals = 0
    elif max_value < 0.01 and max_value > 0:
        decimals = 2 - math.floor(math.log10(max_value))
    else:
        decimals = next(d for limit, d in ((1.5, 3), (100, 2), (1e4, 1), (math.inf, 0)) if max_value < limit)
    return [_rounded(value, decimals) if math.isfinite(value) else short_number(value) for value in values]


def _rounded(value: float, decimals: int) -> str:
    """With so many decimals, or more where a number below 1 would be written as 1; what is rounded to zero has no
    sign."""
    text = f"{value:,.{decimals}f}"
    while 3 <= decimals < MOST_DECIMALS and 1 - value > 10.0**-MOST_DECIMALS and text == f"{1:.{decimals}f}":
        decimals += 1
        text = f"{value:.{decimals}f}"
    return minus(text if any(digit in text for digit in "123456789") else text.lstrip("-"))


def score_figures(value: float, low: float, high: float, *others: float) -> list[str]:
    """A score, the ends of its interval, and others such as that of the baseline. A score far below the others has
    digits of its own where theirs would leave hardly any.

    >>> score_figures(0.8731, 0.85, 0.9, 0.5), score_figures(0.0937, 0.0611, 0.1352, 2.3026)
    (['0.873', '0.850', '0.900', '0.500'], ['0.094', '0.061', '0.135', '2.30'])
    """
    texts = figures([value, low, high, *others])
    for number, text in zip((value, low, high), texts, strict=False):
        if math.isfinite(number) and 0 < ROUGH * abs(number) < abs(number - _number_of(text)):
            return [*figures([value, low, high]), *map(figure, others)]
    return texts


def _number_of(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def figure(value: float) -> str:
    """One score.

    >>> figure(0.87312)
    '0.873'
    """
    return figures([value])[0]


def percent(probability: float) -> str:
    """A probability that is not rounded up: one below 95 % is not shown as 95 %, and none as certain.

    >>> percent(0.9496), percent(0.95), percent(0.001), percent(0.997)
    ('94 %', '95 %', '< 1 %', '> 99 %')
    """
    if probability > 0.99:
        return "> 99 %"
    return "< 1 %" if probability < 0.01 else f"{math.floor(100 * probability + 1e-9)} %"


def percentage(share: float, decimals: int = 0) -> str:
    """A share or a probability in percent; 0 % and 100 % only where it is exactly that.

    >>> percentage(0.256), percentage(0.9996), percentage(0.0001), percentage(1.0), percentage(0.0)
    ('26 %', '> 99 %', '< 1 %', '100 %', '0 %')
    >>> percentage(0.9996, 1), percentage(0.999, 1), percentage(0.0001, 1)
    ('> 99.9 %', '99.9 %', '< 0.1 %')
    """
    rounded, smallest = round(100 * share, decimals), 10.0**-decimals
    if rounded <= 0 < share:
        return f"< {smallest:.{decimals}f} %"
    if rounded >= 100 > 100 * share:
        return f"> {100 - smallest:.{decimals}f} %"
    return f"{rounded:.{decimals}f} %" if 0 < share < 1 else f"{rounded:.0f} %"


def settings_text(settings: dict[str, Any]) -> str:
    """Settings of a model in a line.

    >>> settings_text({"max_depth": 3, "rate": 0.1})
    'max_depth = 3, rate = 0.1'
    """
    return ", ".join(f"{name} = {_setting(value)}" for name, value in settings.items())


def _setting(value: Any) -> str:
    if isinstance(value, Real) and not isinstance(value, bool | np.bool_):
        return short_number(float(value))
    return cut(value, 60)
