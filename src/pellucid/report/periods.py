"""Periods written as texts: months, quarters, halves of a year, weeks, seasons, and fiscal years."""

from __future__ import annotations

import re

import numpy as np

from pellucid.base.types import Floats
from pellucid.report.name_vocabulary import plain_text

SECONDS_OF_DAY = 86_400.0
YEARS = (1500, 2100)
MOST_SHORT_YEARS = 20  # written with two digits, which might be days, or numbers of something else
MONTHS = {name: number for number, names in enumerate((
    "january januar janvier enero janeiro gennaio januari jan ene gen janv",
    "february februar fevrier febrero fevereiro febbraio februari feb fev fevr",
    "march maerz marz mars marzo marco maart mar mrz", "april avril abril aprile apr abr avr",
    "may mai mayo maio maggio mei mag", "june juni juin junio junho giugno jun giu",
    "july juli juillet julio julho luglio jul juil lug", "august aout agosto augustus aug ago",
    "september septembre septiembre setembro settembre sep sept set",
    "october oktober octobre octubre outubro ottobre oct okt out ott",
    "november novembre noviembre novembro nov", "december dezember decembre diciembre dezembro dicembre dec dez dic",
), 1) for name in names.split()}  # fmt: skip
LEAST_WEEKS = 5  # of each year, on average, if numbers such as 202153 are to be weeks
_KIND = r"(?P<kind>[MQTWHS]?|KW|Week|Quarter)"
_PERIOD_TEXTS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (
    rf"(?:FY ?)?(?P<y>\d{{4}})[-/. ]?{_KIND}\s?(?P<p>\d{{1,2}})", r"(?P<y>\d{4})-?(?P<kind>W)(?P<p>\d\d)-?[1-7]",
    r"(?:FY ?)?(?P<short>\d{2})[-/. ]?(?P<kind>Q)(?P<p>\d)", r"(?P<p>\d)(?P<kind>[QH])[-/' ]?(?P<days>\d{2})",
    r"(?P<kind>[QH])(?P<p>\d)[-/' ](?P<days>\d{2})", r"(?P<p>\d)(?P<kind>[QTHS])[-/. ]?(?P<y>\d{4})",
    rf"{_KIND}\s?(?P<p>\d{{1,2}})[-/., ]\s?(?P<y>\d{{4}})",
    r"(?P<name>[^\W\d_]{3,})\.?[-/., ]{1,2}(?P<y>\d{4})", r"(?P<y>\d{4})[-/., ]{1,2}(?P<name>[^\W\d_]{3,})\.?",
    r"(?P<name>[^\W\d_]{3,})[-'](?P<days>\d{2})",
))  # fmt: skip
_SEASON = re.compile(r"(?P<first>\d{4})[/-](?P<second>\d{4}|\d{2})")
_FISCAL_YEAR = re.compile(r"(?:FY|fiscal year)[-' ]?(?P<century>20|19)?(?P<year>\d{2})", re.IGNORECASE)


def years_of_texts(texts: list[str]) -> tuple[str, Floats] | None:
    """What kind of years all texts are, such as 2015/16 or FY2015, and these; None for others."""
    if all(_is_season(text) for text in texts):
        return "seasons", np.array([float(text[:4]) for text in texts])
    fiscal = [_FISCAL_YEAR.fullmatch(text) for text in texts]
    years = [100.0 * int(match["century"] or 20) + int(match["year"]) for match in fiscal if match]
    return ("fiscal years", np.array(years)) if len(years) == len(texts) else None


def _is_season(text: str) -> bool:
    """A season over two years, such as 2015/16 or 2015-2016."""
    match = _SEASON.fullmatch(text)
    return match is not None and (int(match["first"]) + 1 - int(match["second"])) % 100 == 0


def seconds_of_periods(texts: list[str]) -> Floats | None:
    """Texts such as 2021-03, 2021Q1, Q1 2021, 2021-W05, March 2021 or Mar-21, all in one form; None for others."""
    for form in _PERIOD_TEXTS:
        periods = [_period_of(form.fullmatch(text)) for text in texts]
        seconds = [_start_of(*period) for period in periods if period is not None]
        if len(seconds) == len(texts):
            many = "days" in form.groupindex and len({period[0] for period in periods if period}) > MOST_SHORT_YEARS
            return None if many else np.asarray(seconds)
    return None


def _period_of(match: re.Match[str] | None) -> tuple[int, str, int] | None:
    """Year, kind and number of a period: a month M, a quarter Q, a half H or a week W."""
    if match is None:
        return None
    parts = match.groupdict()
    short = int(parts.get("short") or parts.get("days") or 0)
    year = int(parts["y"]) if parts.get("y") else 2000 + short - 100 * (short >= 69)
    kind = (parts.get("kind") or "M").upper()
    kind = {"T": "Q", "QUARTER": "Q", "S": "H", "KW": "W", "WEEK": "W"}.get(kind, kind)
    number = MONTHS.get(plain_text(parts["name"]), 0) if "name" in parts else int(parts["p"])
    unclear = kind == "M" and "p" in parts and not parts["kind"] and len(parts["p"]) != 2
    most = {"Q": 4, "H": 2, "W": 53}.get(kind, 12)
    return (year, kind, number) if YEARS[0] <= year <= YEARS[1] and 1 <= number <= most and not unclear else None


def _start_of(year: int, kind: str, number: int) -> float:
    """The start of a period in seconds since 1970."""
    start = np.datetime64(f"{year:04d}-01", "M")
    if kind == "W":
        fourth = int(start.astype("datetime64[D]").astype(np.int64)) + 3  # of January: in the first week of ISO 8601
        return float(fourth - (fourth + 3) % 7 + 7 * (number - 1)) * SECONDS_OF_DAY
    month = start + {"Q": 3, "H": 6}.get(kind, 1) * (number - 1)
    return float(month.astype("datetime64[D]").astype(np.int64)) * SECONDS_OF_DAY


def seconds_of_weeks(numbers: Floats) -> Floats | None:
    """Numbers such as 202153, in seconds, NaN where missing; None if they are not the weeks of a few years."""
    present = np.unique(numbers[np.isfinite(numbers)]).astype(np.int64)
    years, weeks = present // 100, present % 100
    n_years = len(np.unique(years))
    if not len(present) or not (years[0] >= 1900 and years[-1] <= YEARS[1] and years[-1] - years[0] < 2 * n_years):
        return None
    if weeks.min() < 1 or not 12 < weeks.max() <= 53 or len(present) < LEAST_WEEKS * n_years:
        return None
    starts = np.array([_start_of(int(one) // 100, "W", int(one) % 100) for one in present])
    positions = np.searchsorted(present, np.where(np.isfinite(numbers), numbers, present[0]))
    return np.where(np.isfinite(numbers), starts[positions], np.nan)
