"""How wide a text is when it is drawn, and how to make it shorter."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

# Advance in hundredths of the font's size, and the characters that have it: DejaVu Sans, which is wider than nearly all
# fonts that may stand in for it.
_WIDTHS = {
    27: "'",
    28: "ijl",
    29: "IJ",
    32: " ,.·",
    34: "/:;\\|",
    35: "f",
    36: "-",
    39: "()[]t",
    40: "!",
    41: "r",
    46: '"',
    50: "*_`",
    52: "sz",
    53: "?",
    55: "c",
    56: "L",
    58: "Fk",
    59: "vxy",
    60: "P",
    61: "TYao",
    62: "e",
    63: "ESbdghnpqu",
    64: "$0123456789{}",
    66: "K",
    68: "AV",
    69: "BRXZ",
    70: "C",
    73: "U",
    75: "HN",
    77: "DG",
    78: "&",
    79: "OQ",
    82: "w",
    84: "#+<=>^~≤≥±",
    86: "M",
    95: "%",
    97: "m",
    99: "W",
    100: "@…",
}
_ADVANCE = {char: advance for advance, chars in _WIDTHS.items() for char in chars}
BOLD = 1.17
FONTS = "DejaVu Sans, Verdana, Geneva, sans-serif"


def width(text: str, size: float, bold: bool = False) -> float:
    """Points that a line of text takes.

    >>> width("ab", 10), round(width("ab", 10, bold=True), 2)
    (12.4, 14.51)
    """
    hundredths = sum(_advance(char) for char in text)
    return hundredths * size / 100 * (BOLD if bold else 1)


def _advance(char: str) -> int:
    if char in _ADVANCE:
        return _ADVANCE[char]
    if unicodedata.combining(char):
        return 0
    return 100 if unicodedata.east_asian_width(char) in "WF" else 72


def clean(text: str) -> str:
    """One line without characters that cannot be seen or that a file of XML may not have.

    >>> clean("two\\nlines\\x00")
    'two lines'
    """
    spaced = "".join(" " if char.isspace() else char for char in text)
    return "".join(char for char in spaced if unicodedata.category(char) not in ("Cc", "Cs", "Cn"))


def shortened(text: str, max_length: int) -> str:
    """A name of at most so many characters, cut inside: names that begin alike mostly end differently.

    >>> shortened("number of rooms 1", 12), shortened("number of rooms 2", 12)
    ('number…ms 1', 'number…ms 2')
    """
    text = clean(text)
    tail = 2 * max_length // 5
    return text if len(text) <= max_length else text[: max_length - 1 - tail].rstrip() + "…" + text[-tail:].lstrip()


def listed(names: Sequence[str], max_length: int) -> str:
    """A set of names in about so many characters: the first ones, and how many more there are.

    >>> listed(["red"], 20), listed(["red", "blue"], 20), listed(["red", "blue", "green", "black"], 16)
    ('red', '{red, blue}', '{red, blue, … +2}')
    """
    if len(names) == 1:
        return shortened(names[0], max_length)
    full_text = "{" + ", ".join(map(clean, names)) + "}"
    if len(full_text) <= max_length:
        return full_text
    available, names_so_far = max_length - 2, [shortened(names[0], max_length - 6)]
    for name in names[1:]:
        if len(", ".join([*names_so_far, clean(name)])) + 5 > available:
            break
        names_so_far.append(clean(name))
    return (
        "{"
        + ", ".join(names_so_far)
        + (f", … +{len(names) - len(names_so_far)}" if len(names) > len(names_so_far) else "")
        + "}"
    )
