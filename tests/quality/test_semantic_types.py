"""Semantic types: what the values of a column mean, by evidence in the values, and what they are not."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid.quality import profile
from pellucid.quality.column import compute_stats
from pellucid.quality.semantic_types import SemanticType, format_value, semantic_type
from pellucid.quality.semantic_types.conversion import to_times

N = 400
RNG = np.random.default_rng(0)
DAYS = pd.to_datetime("2015-01-01") + pd.to_timedelta(RNG.integers(0, 3000, N), unit="D")


def ints(low: int, high: int) -> list[int]:
    return RNG.integers(low, high, N).tolist()


def words(*levels: Any) -> list[Any]:
    return RNG.choice(np.array(levels, dtype=object), N).tolist()


def made(form: Callable[..., str], *ranges: tuple[int, int]) -> list[str]:
    return [form(*row) for row in zip(*(ints(low, high) for low, high in ranges), strict=True)]


def type_of(name: str, values: Sequence[Any]) -> SemanticType | None:
    return semantic_type(compute_stats(pd.DataFrame({name: values}), "test").columns[0])


def with_luhn_digit(body: int) -> int:
    digits = [int(digit) for digit in str(body)][::-1]
    total = sum(sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit for place, digit in enumerate(digits))
    return 10 * body + -total % 10


RECOGNIZED: list[tuple[str, list[Any], str]] = [
    ("v1", RNG.permutation(np.arange(501, 501 + N)).tolist(), "identifier"),
    ("id", [10**6 + 7919 * i for i in range(N)], "identifier"),
    ("patient", np.repeat(np.arange(101, 201), 4).tolist(), "identifier"),
    ("v2", [str(uuid.UUID(int=7919 * i)) for i in range(N)], "identifier"),
    ("v3", [f"{i * 2654435761 % 2**40 | 10:010x}" for i in range(1, N + 1)], "identifier"),
    ("v4", [f"INV-{i:05d}" for i in range(N)], "identifier"),
    ("cust", made(lambda i: f"C-{i:04d}", (1, 120)), "identifier"),
    ("v5", [with_luhn_digit(453914880343600 + 977 * i) for i in range(N)], "identifier"),
    ("ssn", made(lambda a, b, c: f"{a:03d}-{b:02d}-{c:04d}", (1, 899), (1, 99), (1, 9999)), "identifier"),
    ("icd", words("E11.9", "I10", "J45.0", "F32.1", "M54.5"), "code"),
    ("naics", words(541511, 722511, 621111, 238220), "code"),
    ("MSSubClass", words(20, 30, 40, 60, 75, 190), "code"),
    ("v6", [f"{i:05d}" for i in words(17, 2134, 501, 35233)], "code"),
    ("product", [f"{i}{letter}" for i, letter in zip(words(72801, 72802, 84029), words(*"CDEG"), strict=True)], "code"),
    ("release", words("2.7", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12"), "code"),
    ("section", words("1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10"), "code"),
    ("zip", [float(i) for i in ints(501, 99950)], "zip_code"),
    ("PLZ", ints(10115, 99998), "zip_code"),
    ("v7", [f"{i:05d}" if i % 3 else f"{i:05d}-{i % 9999:04d}" for i in ints(501, 99950)], "zip_code"),
    ("v8", made(lambda a, b: f"{'SLMEN'[a]}{b} {b % 9 + 1}XZ", (0, 5), (1, 20)), "zip_code"),
    ("Telefon", [float(i) for i in ints(2 * 10**9, 9 * 10**9)], "phone_number"),
    ("v9", made(lambda a, b, c: f"({a}) {b}-{c:04d}", (201, 990), (200, 999), (0, 9999)), "phone_number"),
    ("v10", made(lambda a, b: f"+49 {a} {b}", (30, 999), (10**5, 10**7)), "phone_number"),
    ("v11", ints(1970, 2021), "year"),
    ("Baujahr", ints(1890, 2015), "year"),
    ("founded", ints(1066, 2015), "year"),
    ("v12", DAYS.strftime("%Y%m%d").astype(int).tolist(), "integer_date"),
    ("v13", DAYS.strftime("%d%m%Y").tolist(), "integer_date"),
    ("v14", DAYS.strftime("%Y%m").astype(int).tolist(), "integer_date"),
    ("v15", [1_500_000_000 + 3600 * i for i in ints(0, 20_000)], "epoch"),
    ("v16", [1_600_000_000_000 + i for i in ints(0, 10**10)], "epoch"),
    ("v17", [100 * (i // 60) + i % 60 for i in ints(0, 1440)], "time_of_day"),
    ("v18", made(lambda h, m: f"{h:02d}:{m:02d}", (0, 24), (0, 60)), "time_of_day"),
    ("v31", made(lambda h, m: f"{h % 12 + 1:02d}:{m:02d} {'AP'[h // 12]}M", (0, 24), (0, 60)), "time_of_day"),
    ("v32", made(lambda h, m: f"{h}:{m:02d}", (0, 24), (0, 60)), "time_of_day"),
    ("v33", made(lambda h, m: f"{h}:{m:02d} {'AP'[m % 2]}M", (1, 13), (0, 60)), "time_of_day"),
    ("Stunde", ints(0, 24), "hour"),
    ("dep_minute", words(0, 15, 30, 45), "minute"),
    ("Monat", ints(1, 13), "month"),
    ("v19", words("Mon", "Tue", "Wed", "Thu", "Fri"), "weekday"),
    ("v20", words("strongly disagree", "disagree", "neutral", "agree"), "ordinal"),
    ("v21", words("Very_Poor", "Poor", "Below_Average", "Average", "Good", "Very_Excellent"), "ordinal"),
    ("v22", words("2", "3", "4", "5more"), "ordinal"),
    ("v29", [str(7001 + i) for i in range(N)], "identifier"),
    ("v30", words(*(str(day) for day in (20240131, 20240229, 20240315, 20240430))), "integer_date"),
    ("chapters", words(2000, 2004, 2008, 2012), "year"),
    ("v23", words("18-24", "25-34", "35-44", "45-54", "55+"), "ordinal"),
    ("v24", words("S", "M", "L", "XL"), "ordinal"),
    ("v25", words("Stage IA", "Stage IB", "Stage II", "Stage IIIA"), "ordinal"),
    ("v26", words("mittel", "hoch", "niedrig"), "ordinal"),
    ("faregrad", words("moderat", "liten", "meget stor", "betydelig", "stor"), "ordinal"),
    ("danger", words("low", "considerable", "very high", "moderate", "high"), "ordinal"),
    ("t_stage", words("T1", "T2", "T3", "T4"), "ordinal"),
    ("rating", words(1, 2, 3, 4, 5), "ordinal"),
    ("v27", [f"${i / 100:,.2f}" for i in ints(100, 10**6)], "money"),
    ("amount", [f"rs{10 * i}" for i in ints(100, 10**4)], "money"),
    ("variant", [f"rs{i}" for i in ints(10**6, 10**8)], "identifier"),  # numbers given out, not rupees
    ("v28", [f"{i / 10:.1f}%" for i in ints(0, 1000)], "percentage"),
    ("n_visits", RNG.poisson(2, N).tolist(), "count"),
    ("lat", RNG.uniform(40, 50, N).tolist(), "coordinate"),
]


@pytest.mark.parametrize(("name", "values", "expected"), RECOGNIZED, ids=[name for name, _, _ in RECOGNIZED])
def test_the_values_show_what_they_mean(name: str, values: list[Any], expected: str) -> None:
    found = type_of(name, values)
    assert found is not None
    assert found.name == expected
    assert found.evidence


NOT_RECOGNIZED: list[tuple[str, list[Any]]] = [
    ("income", RNG.choice(np.arange(10_000, 200_000), N, replace=False).tolist()),  # all different, still a number
    ("population", RNG.lognormal(10, 1.5, N).astype(int).tolist()),
    ("rank", RNG.permutation(np.arange(1, N + 1)).tolist()),
    ("v", RNG.choice(np.arange(20, 65), 25, replace=False).tolist()),  # of few people none need have the same age
    ("week", np.arange(1, 105).tolist()),
    ("calories", ints(1800, 2400)),
    ("displacement", words(999, 1198, 1390, 1598, 1998, 2498)),
    ("v", ints(10**9, 2 * 10**9)),  # ten digits, no clock in them
    ("dose", words(20, 30, 40, 60, 80, 120)),
    ("Class_Rings", RNG.poisson(10, N).tolist()),  # an age counted in rings
    ("total_protein", RNG.normal(7, 1, N).round(2).tolist()),
    ("respiratory_rate", ints(8, 96)),
    ("v", made(lambda m, s: f"{m}:{s:02d}", (2, 8), (0, 60))),  # minutes and seconds
    ("time", made(lambda m, s: f"{m:02d}:{s:02d}", (9, 26), (0, 60))),
    ("time", made(lambda h, m, s: f"{h}:{m:02d}:{s:02d}", (2, 6), (0, 60), (0, 60))),
    ("track_length", made(lambda m, s: f"{m:02d}:{s:02d}", (2, 8), (0, 60))),
    ("skewness", RNG.geometric(0.2, N).tolist()),
    ("dosage", [f"{i}mg" for i in words(5, 10, 20, 40, 80, 100)]),
    ("detected", words("<0.1", "0.5", "1.2", "3.4", "<0.2")),
    ("pressure", made(lambda a, b: f"{a}/{b}", (90, 180), (50, 110))),
    ("result", words("3-1", "2-2", "0-0", "1-4")),
    ("blood", words("A+", "A-", "B+", "B-", "AB+", "0+")),
    ("letter", words("A", "B", "C", "D")),
    ("chip", words("G1", "G2", "G3", "G4")),
    ("stage_code", words("A1", "B2", "C3", "D4")),
    ("color", words("red", "green", "blue")),
    ("race_time", made(lambda m, s: f"{m:02d}:{s:02d}", (17, 45), (0, 60))),
    ("day", DAYS.strftime("%Y-%m-%d").tolist()),
    ("released", DAYS.strftime("%d-%b-%Y").tolist()),
    ("runtime", made(lambda m, s: f"PT{m}M{s}S", (0, 60), (0, 60))),
    ("flag", words("yes", "no", "unknown")),
    ("species", words(1, 2, 3)),
    ("age", ints(18, 90)),
    ("typed", [f"{i / 100:.2f}" if i % 3 else f"{i / 10:.1f}" for i in ints(100, 1000)]),
    ("hours", words("7.30", "8", "8.15", "8.5", "9.10", "9.45")),
    ("min_age", ints(18, 50)),
    ("cigarettes_per_day", np.random.default_rng(0).geometric(0.15, N).clip(1, 30).tolist()),  # no day of a month
    ("wait_min", np.random.default_rng(0).poisson(30, N).clip(0, 59).tolist()),
    ("two decimals", made(lambda a, b: f"{a}.{b:02d}", (1, 9), (1, 15))),
]


@pytest.mark.parametrize(("name", "values"), NOT_RECOGNIZED, ids=[name for name, _ in NOT_RECOGNIZED])
def test_no_more_is_claimed_than_the_values_show(name: str, values: list[Any]) -> None:
    found = type_of(name, values)
    assert found is None, found


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        (["more", "2", "4"], ("2", "4", "more")),
        (["good", "vgood", "unacc", "acc"], ("unacc", "acc", "good", "vgood")),
        (["45-54", "18-24", "<18", "55+", "25-44"], ("<18", "18-24", "25-44", "45-54", "55+")),
        (["severe", "none", "mild"], ("none", "mild", "severe")),
        (["IV", "I", "III"], ("I", "III", "IV")),
        (["B+", "A-", "C", "A"], ("C", "B+", "A-", "A")),
    ],
)
def test_levels_are_in_their_order(values: list[str], levels: tuple[str, ...]) -> None:
    found = type_of("v", values * 10)
    assert found is not None
    assert found.levels == levels


def test_an_entity_repeats_and_a_row_number_does_not() -> None:
    entity, row = type_of("customer_id", np.repeat(np.arange(501, 601), 4)), type_of("customer_id", np.arange(N))
    assert entity is not None
    assert row is not None
    assert (entity.repeats, row.repeats) == (True, False)


@pytest.mark.parametrize(
    ("name", "unit", "value", "text"),
    [
        ("year", "", 2004.0, "2004"),
        ("zip_code", "", 35233.0, "35233"),
        ("phone_number", "", 2053258100.0, "2053258100"),
        ("identifier", "", np.int64(1234567), "1234567"),
        ("integer_date", "%Y%m%d", 19910108, "1991-01-08"),
        ("integer_date", "%d%m%Y", 1022020.0, "2020-02-01"),
        ("integer_date", "%Y%m%d", 0, "0"),
        ("epoch", "s", 0, "1970-01-01 00:00:00"),
        ("time_of_day", "HHMM", 517, "05:17"),
        ("count", "", 1234.0, "1,234"),
        ("money", "$", -1234.5, "-$1,234.50"),
        ("money", "EUR", 20.0, "20.00 EUR"),
        ("percentage", "%", 12.5, "12.5%"),
    ],
)
def test_values_are_written_as_they_are_meant(name: Any, unit: str, value: Any, text: str) -> None:
    assert format_value(value, SemanticType(name, "", unit=unit)) == text


def test_a_value_without_a_meaning_is_not_written() -> None:
    assert format_value(1234.5, None) is None
    assert format_value("02134", SemanticType("zip_code", "")) is None


def test_dates_written_as_integers_become_times() -> None:
    found = to_times(np.array([20240229, 20230229, 0]), SemanticType("integer_date", "", unit="%Y%m%d"))
    assert found.astype("datetime64[D]").astype(str).tolist() == ["2024-02-29", "NaT", "NaT"]


def test_one_number_with_a_leading_zero_is_weak_evidence() -> None:
    """House numbers repeat and have several lengths: they name no entity, whatever the name of the column."""
    texts = [str(n) for n in range(1, 150)] * 5
    found = semantic_type(compute_stats(pl.DataFrame({"street_number": [*texts, "04"]}), "test").columns[0])
    assert found is not None
    assert found.name == "code"
    assert found.evidence == "digits of several lengths, 1 of 150 values with a leading zero, such as 04"
    fips = [f"{n:02d}" for n in range(1, 57)] * 5
    found = semantic_type(compute_stats(pl.DataFrame({"state_number": fips}), "test").columns[0])
    assert found is not None
    assert found.evidence == "2 digits each, some with leading zeros, such as 01"


def test_a_profile_shows_values_in_their_form_and_no_mean_of_codes() -> None:
    table = pd.DataFrame(
        {
            "zip": [35233.0, 2134.0, None, 10001.0] * 10,
            "built": [1999, 2004, 2004, 2011] * 10,
            "sold": [19910108, 19920229, 20011231, 20100701] * 10,
            "price": ["$1,234.50", "$99.00", "$20.00", "$5.25"] * 10,
        }
    )
    found = profile(table)
    assert found["zip"].numbers is None
    assert [top.value for top in found["zip"].top] == [2134, 10001, 35233]
    assert (found["sold"].kind, str(found["sold"].times.first)) == ("time", "1991-01-08 00:00:00")
    assert found["price"].numbers.maximum == 1234.5
    text = str(found)
    assert "35233.0" not in text
    assert "2,004" not in text
    assert "19,910,108" not in text
    assert "$1,234.50" in text
    html = found.to_html()
    assert "35233.0" not in html
    assert "2,011" not in html


def test_the_order_of_a_stored_category_is_kept() -> None:
    sizes = pd.Categorical(words("mid", "hi", "lo"), categories=["lo", "mid", "hi"], ordered=True)
    found = semantic_type(compute_stats(pd.DataFrame({"v": sizes}), "test").columns[0])
    assert found is not None
    assert found.levels == ("lo", "mid", "hi")


def test_integers_beyond_64_bits_with_a_sign_are_not_misread() -> None:
    assert type_of("v", (np.arange(100, dtype=np.uint64) + np.uint64(2**63)).tolist()) is None


def test_a_few_mistyped_dates_do_not_make_numbers_of_the_others() -> None:
    """One integer of eight digits in 27 is a valid date: 97 of 100 are no chance, 3 mistyped ones are."""
    random = np.random.default_rng(0)
    days = np.datetime64("1920-01-01") + random.integers(0, 30_000, 200)
    born = [int(str(day).replace("-", "")) for day in days]
    born[:3] = [19371233, 19729518, 19339026]
    column = profile(pl.DataFrame({"born": born}), associations=False)["born"]
    assert column.semantic is not None
    assert (column.semantic.name, column.semantic.unit) == ("integer_date", "%Y%m%d")
    assert "of" in column.semantic.evidence
    assert "all" not in column.semantic.evidence
    numbers = pl.DataFrame({"born": random.integers(19_000_000, 20_000_000, 200)})
    semantic = profile(numbers, associations=False)["born"].semantic
    assert semantic is None or semantic.name != "integer_date"


def test_seconds_of_the_nineties_are_times_under_a_name_that_says_so() -> None:
    random = np.random.default_rng(0)
    seconds = random.integers(874_724_710, 893_286_638, 300)
    semantic = profile(pl.DataFrame({"timestamp": seconds}), associations=False)["timestamp"].semantic
    assert semantic is not None
    assert (semantic.name, semantic.unit) == ("epoch", "s")
    other = profile(pl.DataFrame({"revenue": seconds}), associations=False)["revenue"].semantic
    assert other is None or other.name != "epoch"
