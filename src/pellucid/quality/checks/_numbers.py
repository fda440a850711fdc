"""Numbers written as text: which way a column writes them, and what each of its values says."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from pellucid.base.types import Array, Flags, Floats
from pellucid.quality.checks._sample import sampled
from pellucid.quality.formats import CURRENCIES, is_plain_number, parse_number, read_number_words

# Spellings of one unit, its own name first. A suffix whose first word is here is a unit wherever it stands.
_SPELLINGS = """
% percent pct prozent | oz ounce ounces fl_oz fl._oz | lb lbs pound | kg kgs kilo kilogram kilograms | mg
g gr gram grams gramm | t ton tons tonnes | l liter litre liters litres | ml | cl | dl | gal gallon gallons | km
m meter metre meters metres | cm | mm | mi mile miles | ft feet foot ' | in inch inches zoll " | yd yard yards
m² m2 sqm qm | m³ m3 | ft² ft2 sqft sq_ft | ha | km² km2 | h hr hrs hour hours std stunden
min mins minute minutes minuten | s sec secs second seconds | ms | day days tage | week weeks wochen
month months monate | year years yr yrs jahre y/o | °c celsius | °f fahrenheit | ° | kb | mb | gb | tb | hp | ps | kw
kwh | w watt | v volt | mph | km/h kmh kph | mpg | rpm | cc ccm | kcal | bpm | mmhg | st stk stück pcs pc
$ usd us$ dollar dollars | € eur euro euros | £ gbp pounds | ¥ jpy yen | ₹ inr rs rs.
"""
OWN_NAME = {
    spelling.replace("_", " "): names.split()[0]
    for line in _SPELLINGS.strip().splitlines()
    for names in line.split("|")
    for spelling in names.split()
}
# Letters that stand for a power of ten, but only where no unit of that name can be meant.
FACTORS = {"k": 1e3, "mio": 1e6, "mn": 1e6, "bn": 1e9, "mrd": 1e9}

_FORM = re.compile(
    r"\(?\s*[-+−–]?\s*(?P<before>[^\d\s.,()+−–-]{1,4}\.?)?\s*[-+−–]?\s*"
    r"(?P<body>\d[\d.,'’\u00a0\u202f\u2009 ]*\d|\d|[.,]\d+)(?P<power>[eE][+-]?\d{1,3})?(?P<end>[.,])?\s*"
    r"(?P<after>[^\d\s.,()-][^\d()]{0,24}|m[23²³]|(?:ft|km)[2²])?\s*-?\)?",
    re.ASCII,
)


@dataclass(frozen=True)
class NumberForm:
    """A text that looks like a number: the digits with their signs, and what stands before and behind."""

    body: str
    before: str
    after: str


def form_of(text: str) -> NumberForm | None:
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    return NumberForm(match["body"], match["before"] or "", (match["after"] or "").strip())


@dataclass(frozen=True)
class NumberReading:
    """What a column's distinct texts say as numbers.

    values : the number of each; NaN where it is none
    decimal, thousands, units, words : how they are written, as `parse_number` takes it
    plain : which ones are written as any program writes a number
    unit_of : the unit of each, by its own name; "" for none
    three_digits : is it a guess that the sign before three digits, as in 1,234, parts thousands?
    """

    values: Floats
    decimal: str
    thousands: str
    units: tuple[str, ...]
    plain: Flags
    worded: Flags
    unit_of: tuple[str, ...]
    three_digits: bool

    @property
    def known(self) -> Flags:
        return ~np.isnan(self.values)


def _signs(bodies: list[tuple[str, int]]) -> tuple[str, str, bool]:
    """The decimal sign and the sign between thousands, by the texts that can be read in one way only."""
    votes: Counter[tuple[str, str]] = Counter()  # (sign, "decimal" or "thousands")
    open_votes: Counter[str] = Counter()
    for body, times in bodies:
        signs = [c for c in body if not c.isdigit()]
        if not signs:
            continue
        last, kinds = signs[-1], set(signs)
        if last in " \u00a0\u202f\u2009'’":
            votes["'" if last in "'’" else " ", "thousands"] += times
        elif len(kinds) > 1:
            votes[last, "decimal"] += times
            other_sign = next(c for c in signs if c != last)
            votes["'" if other_sign in "'’" else " " if other_sign.isspace() else other_sign, "thousands"] += times
        elif len(signs) > 1:
            votes[last, "thousands"] += times
        elif len(body) - body.index(last) - 1 != 3 or body.index(last) > 3 or body.startswith(("0", last)):
            votes[last, "decimal"] += times
        else:
            open_votes[last] += times
    comma = votes[",", "decimal"] > votes[".", "decimal"] and votes[",", "decimal"] >= votes[",", "thousands"]
    comma = comma or (votes[".", "thousands"] > votes[".", "decimal"])
    decimal = "," if comma else "."
    between = [sign for sign in (",", ".", " ", "'") if sign != decimal and votes[sign, "thousands"]]
    thousands = max(between, key=lambda sign: votes[sign, "thousands"]) if between else ""
    other_sign = "." if decimal == "," else ","
    guess = not thousands and open_votes[other_sign] > 0
    return decimal, other_sign if guess else thousands, guess


def _first_word(after: str) -> str:
    return re.split(r"[\s.]", after.lower(), maxsplit=1)[0] or after.lower()


def _unit_name(unit: str) -> str:
    word = unit.lower().strip().rstrip(".")
    return OWN_NAME.get(word) or OWN_NAME.get(_first_word(unit)) or word


_USUAL = 0.8  # share of the numbers that have a letter right behind them, if it is a unit and not part of a code
_MOST = 0.5  # share of the numbers that have a word behind them, if it is a unit that is not known


def _accepted_units(forms: list[NumberForm | None], counts: Array, min_share: float) -> dict[str, str]:
    """Unit as it is written -> its own name: known ones, and others that enough rows share.

    A word that stands with one number only is the label of a code, as in 0_no and 1_yes, and no unit; nor is one that
    stands before all numbers, as in K1 and K2, unless it is a currency."""
    rows: Counter[str] = Counter()
    bodies: dict[str, set[str]] = {}  # the numbers that each unit stands with
    for form, times in zip(forms, counts.tolist(), strict=True):
        if form is not None:
            for unit in {form.before, form.after} - {""}:
                rows[unit] += times if unit == form.after or unit.lower() in CURRENCIES else 0
                bodies.setdefault(_unit_name(unit), set()).add(form.body)
    total = max(int(counts.sum()), 1)
    numbers = max(sum(times for form, times in zip(forms, counts.tolist(), strict=True) if form is not None), 1)
    names: Counter[str] = Counter()
    for unit, times in rows.items():
        names[_unit_name(unit)] += times
    rows = Counter({unit: n for unit, n in rows.items() if names[_unit_name(unit)] or not any(map(str.isalpha, unit))})
    multiplies = not {_unit_name(unit) for unit in rows}.isdisjoint({*FACTORS, *CURRENCIES})
    accepted_names = {}
    for unit in rows:
        name = _unit_name(unit)
        share = names[name] / numbers
        is_known = name in OWN_NAME or name in CURRENCIES or name in FACTORS
        if len(name) == 1 and name.isalpha() and not (multiplies and name in "kmb"):  # may be the end of a code
            accepted = share >= _USUAL and len(bodies[name]) > 1
        else:
            accepted = is_known or (share >= _MOST and any(map(str.isalpha, name)) and len(bodies[name]) > 1)
        if accepted and (is_known or names[name] >= max(min_share * total, 5)):
            accepted_names[unit] = name
    return accepted_names if len(set(accepted_names.values())) <= 12 else {}


def read_numbers(texts: list[str], counts: Array, least_unit: float = 0.05) -> NumberReading:
    """The way in which a column's texts write numbers, and the number of each.

    Of very many texts a few are looked at first; if hardly any is a number, the others are not read."""
    few = sampled(texts)
    if few is not None and read_numbers([texts[i] for i in few], counts[few], least_unit).known.mean() < 0.05:
        nothing, none = np.zeros(len(texts), dtype=bool), np.full(len(texts), np.nan)
        return NumberReading(none, ".", "", (), nothing, nothing, ("",) * len(texts), False)
    forms = [form_of(text) if len(text) <= 60 and any(map(str.isdigit, text)) else None for text in texts]
    units = _accepted_units(forms, counts, least_unit)
    accepted_forms = [
        form if form is not None and all(u in units for u in (form.before, form.after) if u) else None for form in forms
    ]
    bodies = [
        (form.body, times) for form, times in zip(accepted_forms, counts.tolist(), strict=True) if form is not None
    ]
    decimal, thousands, guess = _signs(bodies)
    factors = _factors(set(units.values()))
    listed = tuple(f"{unit}={factors[name]:.0f}" if name in factors else unit for unit, name in units.items())
    values = np.full(len(texts), np.nan)
    plain, worded = np.zeros(len(texts), dtype=bool), np.zeros(len(texts), dtype=bool)
    unit_of = [""] * len(texts)
    for i, (text, form) in enumerate(zip(texts, accepted_forms, strict=True)):
        if form is None:
            number = read_number_words(text) if text[:1].isalpha() else None
            worded[i] = number is not None
        elif not form.before and not form.after and is_plain_number(text):
            plain[i] = decimal == "." or form.body.isdigit()
            number = float(text) if plain[i] else parse_number(text, decimal=decimal, thousands=thousands)
        else:
            number = parse_number(text, decimal=decimal, thousands=thousands, units=listed, words=False)
            unit_of[i] = units.get(form.after or form.before, "")
        if number is not None:
            values[i] = number
    return NumberReading(values, decimal, thousands, listed, plain, worded, tuple(unit_of), guess)


def _factors(names: set[str]) -> dict[str, float]:
    """Which units multiply: K, and M and B beside it or beside a currency."""
    factors = {name: FACTORS[name] for name in names if name in FACTORS}
    if factors or names & CURRENCIES:
        factors.update({name: factor for name, factor in (("m", 1e6), ("b", 1e9)) if name in names})
    return factors
