"""What one cell of text says: a number, a time, a flag, nothing at all, or letters read in the wrong encoding.

All readers are strict: a text that is not wholly what is looked for gives None. What cannot be told from one cell, such
as whether 03/04/2020 is in March or in April, is an argument here and decided for a whole column elsewhere.
"""

from __future__ import annotations

import contextlib
import datetime
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache


def _listed(words: str) -> list[str]:
    """Words between bars or blanks."""
    return [word.strip() for word in words.split("|" if "|" in words else None)]


# ------------------------------------------------------------------------------------------------------------- blanks

INVISIBLE = "\u200b\u2060\ufeff\u00ad\u200e\u200f\u180e"  # zero width, byte order marks, soft hyphens, direction marks
_JOINERS = "\u200c\u200d"  # have a meaning between letters of some scripts, none at the ends
_HIDDEN = re.compile(f"[{INVISIBLE}\\x00-\\x08\\x0e-\\x1f\\x7f]")
_RUN = re.compile(r"\s+")


def trimmed(text: str, inner: bool = True) -> str:
    """A text without blanks and invisible characters at its ends; inside, runs of blanks become one if ``inner``.

    >>> trimmed("  New\\u00a0  York "), trimmed(" a  b ", inner=False)
    ('New York', 'a  b')
    """
    if not text.isascii():
        text = _HIDDEN.sub("", text).strip().strip(_JOINERS)
    elif not text.isprintable():
        text = _HIDDEN.sub("", text)
    else:
        text = text.strip()
        return _RUN.sub(" ", text) if inner and "  " in text else text  # blanks are the only spaces left
    text = text.strip()
    return _RUN.sub(" ", text) if inner else text


_OUTER = "\u200b\u2060\ufeff"


def stripped(text: str) -> str:
    """A text without blanks and characters of no width at its ends; inside, every character stays.

    >>> stripped(" New\\u00a0 York\\u200b ")
    'New\\xa0 York'
    """
    bare = text.strip()
    while bare and (bare[0] in _OUTER or bare[-1] in _OUTER):
        bare = bare.strip(_OUTER).strip()
    return bare


# ---------------------------------------------------------------------------------------------------------- encodings


def _bytes_of_cp1252() -> dict[str, int]:
    """Character -> byte, where Windows leaves five bytes undefined and programs take Latin-1 for them."""
    byte_of = {}
    for byte in range(0x80, 0x100):
        with contextlib.suppress(UnicodeDecodeError):
            byte_of[bytes([byte]).decode("cp1252")] = byte
        byte_of.setdefault(chr(byte), byte)
    return byte_of


_BYTES = _bytes_of_cp1252()
_NEXT = "[" + "".join(re.escape(c) for c, byte in _BYTES.items() if byte < 0xC0) + "]"
_SEQUENCES = re.compile(f"[\u00c2-\u00df]{_NEXT}|[\u00e0-\u00ef]{_NEXT}{{2}}|[\u00f0-\u00f4]{_NEXT}{{3}}")
_TYPOGRAPHY = frozenset("‚„…‹‘’“”•–—›»«")  # may well follow a capital letter with an accent


def _decoded(match: re.Match[str]) -> str:
    letters = match[0]
    if len(letters) == 2 and letters[1] in _TYPOGRAPHY:
        before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
        if letters[0] not in "ÃÂ" or before.isupper() or not (after.isalpha() or before.islower()):
            return letters
    try:
        decoded = bytes(_BYTES[letter] for letter in letters).decode("utf-8")
    except UnicodeDecodeError:
        return letters
    return letters if unicodedata.category(decoded[0]) in ("Mn", "Cn", "Co") else decoded  # accents without a letter


def repaired(text: str) -> str:
    """A text whose UTF-8 had been read as Windows-1252 or Latin-1, put right; any other text as it is.

    Only sequences that are letters in UTF-8 and hardly ever stand beside each other otherwise are changed, and twice,
    for texts that went wrong twice.

    >>> repaired("CafÃ© Ã¼ber allâ€™s ZoÃ«"), repaired("Café")
    ('Café über all’s Zoë', 'Café')
    """
    if text.isascii():
        return text
    for _ in range(2):
        better = _SEQUENCES.sub(_decoded, text)
        if better == text:
            break
        text = better
    return text


def repaired_surely(text: str) -> str:
    """A text that certainly is UTF-8 that had been read as Windows-1252, put right; any other text as it is.

    Certain means: all of its characters together are the bytes of a text in UTF-8, a letter before a sign that no
    language writes there is among them, and there are other letters. A text that only consists of such signs may be
    about them.

    >>> repaired_surely("CafÃ© Ã¼ber"), repaired_surely("Ã©"), repaired_surely("Café CafÃ©")
    ('Café über', 'Ã©', 'Café CafÃ©')
    """
    if text.isascii() or all(match[0][1:].isalpha() for match in _SEQUENCES.finditer(text)):
        return text
    if not any(c.isascii() and c.isalpha() for c in text):
        return text
    try:
        better = bytes(_BYTES[c] if ord(c) > 127 else ord(c) for c in text).decode("utf-8")
    except (UnicodeDecodeError, KeyError):
        return text
    return better if better == repaired(text) and better.isprintable() else text


_LOST = re.compile("[\ufffd\x80-\x84\x86-\x9f]|ï¿½")
_LOST_IN_WORD = re.compile(r"(?<=[A-Za-zÀ-ÿ])\?(?=[a-zà-ÿ])")
_NO_WORDS = re.compile(r"[=&%#$*+^~|<>@{}\[\]\\_/:\d]")  # of queries, patterns and code, where a ? has a meaning


def garbled(text: str) -> bool:
    """Has the text letters that were lost or read in a wrong encoding?

    >>> [garbled(text) for text in ("M�ller", "MÃ¼ller", "M?ller", "Müller", "why?")]
    [True, True, True, False, False]
    """
    if "?" in text and _NO_WORDS.search(text) is None and _LOST_IN_WORD.search(text) is not None:
        return not text.startswith("www.")
    return _LOST.search(text) is not None or repaired(text) != text


# ------------------------------------------------------------------------------------------------------- number words

_ENGLISH = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_ENGLISH_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_GERMAN = _listed(
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn"
)
_GERMAN_TENS = _listed("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
_SMALL = {
    **{word: n for n, word in enumerate(_ENGLISH)},
    **{word: 10 * n for n, word in enumerate(_ENGLISH_TENS, 2)},
    **{word: n for n, word in enumerate(_GERMAN)},
    **{word: 10 * n for n, word in enumerate(_GERMAN_TENS, 2)},
    "fourty": 40, "ein": 1, "eine": 1, "fuenf": 5, "zwoelf": 12, "fuenfzehn": 15, "dreissig": 30, "fuenfzig": 50,
    "zwo": 2,
}  # fmt: skip
_HUNDRED = ("hundred", "hundert")
_LARGE = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "tausend": 10**3, "millionen": 10**6, "milliarde": 10**9,
    "milliarden": 10**9,
}  # fmt: skip
_JOINING = frozenset({"and", "und", "a"})
_GERMAN_PIECES = re.compile(
    "|".join(sorted({*_SMALL, *_LARGE, "hundert", "und"} - {"a"}, key=len, reverse=True))
)  # longest first
_LETTERS = re.compile(r"[a-zäöüß]+(?:[ -][a-zäöüß]+)*")


def _pieces(word: str) -> list[str]:
    """einundzwanzigtausend -> ein, und, zwanzig, tausend; words that are no number give nothing."""
    if word in _SMALL or word in _LARGE or word in _HUNDRED or word in _JOINING:
        return [word]
    pieces = _GERMAN_PIECES.findall(word)
    return pieces if "".join(pieces) == word else []


@lru_cache(maxsize=4096)
def read_number_words(text: str) -> float | None:
    """A number written out in English or German.

    >>> read_number_words("Two hundred and five"), read_number_words("einundzwanzigtausend"), read_number_words("tent")
    (205.0, 21000.0, None)
    """
    words = text.strip().lower()
    if words == "null":  # the German zero, and what programs write for a missing value
        return None
    negative = words.startswith("minus ")
    words = words.removeprefix("minus ")
    if len(words) > 200 or not _LETTERS.fullmatch(words):
        return None
    total, group, has_number = 0, 0, False
    for word in re.split("[ -]", words):
        pieces = _pieces(word)
        if not pieces:
            return None
        for piece in pieces:
            if piece in _SMALL:
                group += _SMALL[piece]
                has_number = True
            elif piece in _HUNDRED:
                group = max(group, 1) * 100
                has_number = True
            elif piece in _LARGE:
                total += max(group, 1) * _LARGE[piece]
                group, has_number = 0, True
    number = float(total + group)
    return (-number if negative else number) if has_number else None


# ------------------------------------------------------------------------------------------------------------ numbers

_SIGNS = "+-\u2212\u2013"
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_BLANKS = "[ \u00a0\u202f\u2009]"
CURRENCIES = frozenset(
    _listed(
        "$ € £ ¥ ₹ ₽ ₩ ₺ ₫ ₴ ₦ ₱ ฿ ¢ usd eur gbp jpy chf cad aud nzd cny rmb inr rub brl mxn sek nok dkk pln czk huf "
        "try zar krw sgd hkd thb us$ r$ rs rs. kr zł fr. euro euros dollar dollars pounds"
    )
)


def is_plain_number(text: str) -> bool:
    """Is the text a number as programs write it, with a point and without units?"""
    return _PLAIN.fullmatch(text) is not None


@lru_cache(maxsize=256)
def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """Digits with groups of three (two in India, after the last) and a decimal sign."""
    group = {" ": _BLANKS, "'": "['\u2019]", "": ""}.get(thousands, re.escape(thousands))
    integer = rf"\d{{1,3}}(?:{group}\d{{2,3}})*{group}\d{{3}}|\d+" if group else r"\d+"
    point = re.escape(decimal)
    return re.compile(rf"((?:{integer})(?:{point}\d*)?|{point}\d+)([eE][+-]?\d{{1,3}})?")


@lru_cache(maxsize=256)
def _units(units: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Lower-case units with what they multiply by, the longest first; a dot at the end is no part of one."""
    factors = {}
    for unit in units:
        word, _, factor = unit.partition("=")
        factors[word.strip().lower().rstrip(".")] = float(factor) if factor else 1.0
    return tuple(sorted(((w, f) for w, f in factors.items() if w), key=lambda pair: -len(pair[0])))


def _without_unit(text: str, units: tuple[str, ...]) -> tuple[str, float]:
    lower = text.lower()
    factor = 1.0
    for unit, times in _units(units):
        bare = lower.rstrip(".") if not lower[-2:-1].isdigit() else lower
        if bare.endswith(unit) and len(bare) > len(unit):
            lower, factor = bare[: -len(unit)].rstrip(), factor * times
        elif lower.startswith(unit) and len(lower) > len(unit):
            lower, factor = lower[len(unit) :].lstrip(". " if unit.isalpha() else None), factor * times
        elif len(lower) > len(unit) + 1 and lower[0] in _SIGNS and lower[1:].startswith(unit):
            lower, factor = lower[0] + lower[1 + len(unit) :].lstrip(), factor * times
    return lower, factor


_BEYOND = re.compile(r"(?:[<>]=?|[≤≥])\s*(?=[-+]?[\d.,])")


def without_limit(text: str) -> str:
    """A measurement beyond a limit as the limit itself; any other text as it is.

    >>> [without_limit(text) for text in ("<0.5", ">= 100", "80+", "a<b")]
    ['0.5', '100', '80', 'a<b']
    """
    stripped_text = text.strip()
    beyond = _BEYOND.match(stripped_text)
    if beyond is not None:
        return stripped_text[beyond.end() :]
    return stripped_text[:-1].rstrip() if re.fullmatch(r"[\d.,]+\s?\+", stripped_text) else text


def parse_number(
    text: str, *, decimal: str = ".", thousands: str = "", units: Sequence[str] = (), words: bool = True
) -> float | None:
    """The number that a text says, or None.

    Parameters
    ----------
    decimal : the decimal sign.
    thousands : the sign between groups of digits: "," or "." or " " or "'"; "" for none. A blank stands for all blanks.
    units : what may stand before or after the digits and is left out: currencies, "%", "kg". Upper and lower case and a
        dot at the end make no difference. ``"k=1000"`` is a unit that multiplies.
    words : whether numbers written out in English or German are read.

    A minus may stand behind, and accountants' parentheses are one.

    >>> parse_number("$1,234.50", thousands=",", units=["$"]), parse_number("1.234,5", decimal=",", thousands=".")
    (1234.5, 1234.5)
    >>> parse_number("(12.0 oz.)", units=["oz"]), parse_number("SIXTY THOUSAND"), parse_number("12 oz")
    (-12.0, 60000.0, None)
    """
    text = text.strip()
    if decimal == "." and is_plain_number(text):
        return float(text)
    text = trimmed(text, inner=False)
    if not text or len(text) > 200:
        return None
    body, factor, negative = text, 1.0, False
    if body[0] == "(" and body[-1] == ")":
        body, negative = body[1:-1].strip(), True
    if units and body:
        body, factor = _without_unit(body, tuple(units))
    if body[:1] in ("-", "\u2212", "\u2013") and body[:1]:
        body, negative = body[1:].lstrip(), not negative
    elif body[:1] == "+":
        body = body[1:].lstrip()
    elif body[-1:] in ("-", "\u2212") and body[-1:]:
        body, negative = body[:-1].rstrip(), not negative
    match = _pattern(decimal, thousands).fullmatch(body)
    if match is None or (not body.isascii() and not _digits_are_ascii(match[1])):
        return read_number_words(text) if words and text[0].isalpha() else None
    digits = match[1]
    if thousands:
        digits = re.sub(
            _BLANKS if thousands == " " else "['\u2019]" if thousands == "'" else re.escape(thousands), "", digits
        )
    number = float(digits.replace(decimal, ".") + (match[2] or "")) * factor
    return -number if negative else number


@lru_cache(maxsize=64)
def number_pattern(decimal: str = ".", thousands: str = "") -> str:
    """The regular expression of a number that is written in one way, without units, words or accountants' signs.

    An optional sign, digits (in groups of three if there is a sign between groups), the decimal sign and digits; and an
    exponent where digits are not grouped. It is written so that databases read it as Python does.
    """
    point, group = re.escape(decimal), re.escape(thousands)
    if thousands:
        return rf"[+-]?([0-9]{{1,3}}({group}[0-9]{{3}})*|[0-9]+)({point}[0-9]+)?"
    return rf"[+-]?([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"


def parse_exact_number(text: str, decimal: str = ".", thousands: str = "") -> float | None:
    """The number of a text that `number_pattern` describes; None for any other text.

    >>> parse_exact_number("-1.50"), parse_exact_number("1.234,5", ",", "."), parse_exact_number("12 oz")
    (-1.5, 1234.5, None)
    """
    if not re.fullmatch(number_pattern(decimal, thousands), text):
        return None
    plain = text.replace(thousands, "") if thousands else text
    return float(plain.replace(decimal, "."))


def _digits_are_ascii(digits: str) -> bool:
    return all(c.isascii() or not c.isdigit() for c in digits)


# -------------------------------------------------------------------------------------------------------------- times

_MONTHS = {
    name: month
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "jän feb mär apr mai jun jul aug sept okt nov dez",
        "jänner feb mrz",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    )
    for month, name in enumerate(names.split(), 1)
}
_DAYS = _listed(
    "monday tuesday wednesday thursday friday saturday sunday "
    "montag dienstag mittwoch donnerstag freitag samstag sonntag"
)
_PIECES = {
    "%Y": r"(?P<Y>\d{4})",
    "%y": r"(?P<y>\d{2})",
    "%m": r"(?P<m>1[0-2]|0?[1-9])",
    "%d": r"(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?",
    "%b": r"(?P<b>[a-zäéû]{3,9})\.?",
    "%B": r"(?P<b>[a-zäéû]{3,9})\.?",
    "%H": r"(?P<H>2[0-3]|[01]?\d)",
    "%I": r"(?P<I>1[0-2]|0?[1-9])",
    "%M": r"(?P<M>[0-5]\d)",
    "%S": r"(?P<S>[0-5]\d)",
    "%f": r"(?P<f>\d{1,9})",
    "%p": r"(?P<p>[ap])\.?m\.?",
    "%z": r"(?P<z>z|[+-]\d{2}:?\d{2})",
    "%a": "(?:" + "|".join(sorted({d[:n] for d in _DAYS for n in (2, 3, 20)}, key=len, reverse=True)) + r")\.?",
    "%j": r"(?P<j>\d{3})",
    "%%": "%",
}
_PIECES["%A"] = _PIECES["%a"]
_FIXED = {"%m": r"(?P<m>0[1-9]|1[0-2])", "%d": r"(?P<d>0[1-9]|[12]\d|3[01])", "%H": r"(?P<H>[01]\d|2[0-3])"}


@lru_cache(maxsize=512)
def _time_pattern(format: str) -> re.Pattern[str] | None:
    """The pattern of a format in strptime's language; None for a directive that is not known here."""
    pattern, index = "", 0
    compact = (
        re.search("%[a-zA-Z]%[a-zA-Z]", format) is not None
    )  # without signs between them, digits have fixed places
    while index < len(format):
        piece = format[index : index + 2]
        if piece[0] == "%":
            if piece not in _PIECES:
                return None
            pattern += _FIXED.get(piece, _PIECES[piece]) if compact else _PIECES[piece]
            index += 2
        else:
            pattern += r"\s+" if piece[0] == " " else re.escape(piece[0].lower())
            index += 1
    try:
        return re.compile(pattern, re.ASCII)
    except re.error:  # the same directive twice
        return None


def parse_time(text: str, formats: Iterable[str]) -> datetime.datetime | None:
    """The time that a text says in the first of the formats that fits it, or None.

    The formats are in strptime's language. Months and days of the week are read in English and German, full or short
    (%b and %B alike), leading noughts may be left out, and years of two digits are 1969 to 2068. A time with an offset
    is given in universal time.

    >>> parse_time("April 5, 2018", ["%Y-%m-%d", "%B %d, %Y"])
    datetime.datetime(2018, 4, 5, 0, 0)
    >>> parse_time("31.02.2020", ["%d.%m.%Y"]) is None
    True
    """
    if not text.isascii() or not text.isprintable():
        text = trimmed(text)
    text = text.strip().lower()
    for format in formats:
        pattern = _time_pattern(format)
        try:
            if pattern is None:
                return datetime.datetime.strptime(text, format)
            match = pattern.fullmatch(text)
            if match is not None and (time := _time_of(match.groupdict())) is not None:
                return time
        except ValueError:  # no such day
            continue
    return None


def _time_of(part: dict[str, str | None]) -> datetime.datetime | None:
    get = part.get
    year = int(get("Y") or 0)
    if not year:
        short = int(get("y") or 0)
        year = 1900 if get("y") is None else short + (1900 if short >= 69 else 2000)
    name = get("b")
    month = _MONTHS.get(name, 0) if name else int(get("m") or 1)
    if month == 0:
        return None
    hour = int(get("H") or get("I") or 0)
    if get("I"):
        hour = hour % 12 + (12 if get("p") == "p" else 0)
    micro = int(((get("f") or "0") + "000000")[:6])
    time = datetime.datetime(year, month, int(get("d") or 1), hour, int(get("M") or 0), int(get("S") or 0), micro)
    if get("j"):
        time = time.replace(month=1, day=1) + datetime.timedelta(days=int(get("j") or 1) - 1)
    offset = get("z")
    if offset and offset != "z":
        ahead = datetime.timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
        time = time - ahead if offset[0] == "+" else time + ahead
    return time


# -------------------------------------------------------------------------------------------------------------- flags

FLAG_PAIRS: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (frozenset({"true", "t", "wahr", "vrai", "verdadero", "vero", "истина"}),
     frozenset({"false", "f", "falsch", "faux", "falso", "ложь"})),
    (frozenset({"yes", "y", "ja", "j", "oui", "o", "si", "sí", "s", "sim", "да", "tak", "sì"}),
     frozenset({"no", "n", "nein", "non", "não", "nao", "нет", "nie", "nej", "nee"})),
    (frozenset({"on", "an", "ein", "enabled", "active", "x", "✓", "✔"}),
     frozenset({"off", "aus", "disabled", "inactive", "✗", "✘"})),
    (frozenset({"1", "1.0"}), frozenset({"0", "0.0"})),
)  # fmt: skip
TRUE_WORDS = frozenset().union(*(true for true, _ in FLAG_PAIRS))
FALSE_WORDS = frozenset().union(*(false for _, false in FLAG_PAIRS))


def parse_flag(text: str) -> bool | None:
    """True, False, or None for a word that is neither.

    >>> parse_flag("Yes"), parse_flag("nein"), parse_flag("maybe")
    (True, False, None)
    """
    word = text.strip().lower()
    return True if word in TRUE_WORDS else False if word in FALSE_WORDS else None


# ------------------------------------------------------------------------------------------------------- placeholders

MISSING_WORDS = frozenset(
    _listed(
        "na|n/a|n.a.|n.a|#n/a|<na>|#na|nan|-nan|nat|null|nil|none|(null)|(none)|(blank)|(empty)|(missing)|[null]|blank|"
        "empty|unknown|(unknown)|unkown|undefined|unspecified|not specified|not available|not applicable|not known|"
        "not given|no data|no value|no answer|missing|error|#error|#value!|#ref!|#div/0!|#name?|#null!|#num!|1.#qnan|"
        "1.#ind|-1.#ind|?|??|???|-|--|---|----|.|..|...|_|__|*|tbd|tba|to be determined|to be defined|invalid|k.a.|"
        "k. a.|keine angabe|unbekannt|fehlt|fehlend|leer|inconnu|non disponible|desconocido|desconocida|sconosciuto|"
        "s/d|sin datos|onbekend|okänd|–|—"
    )
)
_DUMMY_WORDS = frozenset(
    _listed(
        "test|tester|testing|test test|asdf|asdfasdf|asdfgh|qwerty|qwertz|qwer|foo|bar|foobar|foo bar|dummy|fake|"
        "sample|lorem ipsum|lorem|abc|abcd|abc123|john doe|jane doe|max mustermann|erika mustermann|mustermann|"
        "mickey mouse|donald duck|placeholder|n.n.|xyz"
    )
)
_DUMMY = re.compile(
    r"x{3,}|[^@\s]+@(?:example|domain|company|test|email|sample|mail|yourdomain|mydomain)\.(?:com|org|net|de|co)|"
    r"(?:e-?mail|user|name|test|your|noreply|no-reply|none|abc|asdf|xxx)@[a-z.]+\.[a-z]+|"
    r"[^@\s]+@(?:[a-z]+\.)*(?:example|test|invalid|localhost)"
)
_STEPS = ("0123456789012345678901234567890", "9876543210987654321098765432109")


def is_missing_word(text: str) -> bool:
    """Does the text say that there is nothing: blank, N/A, null, unknown, ERROR, ?, ...?

    >>> [is_missing_word(text) for text in (" NaN ", "#N/A", "Nanny", "")]
    [True, True, False, True]
    """
    word = trimmed(text).lower()
    return not word or word in MISSING_WORDS


def is_dummy(text: str) -> bool:
    """Is the text something people type to fill a field: test, xxx, John Doe, email@example.com, 123-456-7890?

    >>> [is_dummy(text) for text in ("asdf", "name@company.org", "000-000-0000", "555 0199", "Testa")]
    [True, True, True, False, False]
    """
    word = trimmed(text).lower()
    if len(word) > 80:
        return False
    shaped = "@" in word or word.startswith("xxx")
    return word in _DUMMY_WORDS or (shaped and _DUMMY.fullmatch(word) is not None) or is_dummy_digits(word)


def is_dummy_digits(text: str) -> bool:
    """Seven digits or more, apart from signs, that are all the same or count up or down."""
    if not text or not (text[0] in "+(" or text[0].isdigit()) or any(c.isalpha() for c in text):
        return False
    digits = re.sub(r"\D", "", text)
    return len(digits) >= 7 and (len(set(digits)) == 1 or any(digits in steps for steps in _STEPS))
