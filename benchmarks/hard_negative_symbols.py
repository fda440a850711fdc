"""Clean tables in which case, blanks, signs and scripts carry the meaning."""

from __future__ import annotations

import numpy as np

from benchmarks.hard_negative_columns import Columns, family, skewed


@family
def _symbols(random: np.random.Generator, n: int) -> Columns:
    return {
        "key": skewed(random, "A|a|Bb|bb|C#m|c#m|F|f|N.C.", n),
        "unit": skewed(random, "m|M|mW|MW|Pa|pA|g|G|°C|K|k|µm", n),
        "genotype": skewed(random, "AA|Aa|aA|aa|A/-", n),
        "chord": skewed(random, "I|i|IV|iv|V7|vii°|II|ii", n),
        "sequence": skewed(random, "ACGT|acgt|ACgt|NNNN|-", n),
    }


@family
def _characters(random: np.random.Generator, n: int) -> Columns:
    codes = [32 + i % 95 for i in range(n)]
    return {
        "code": [f"{code:#04x}" for code in codes],
        "character": [chr(code) for code in codes],
        "delimiter": skewed(random, ",|;| |\t|:", n),
        "places": skewed(random, "A  | B |  C|AB |ABC", n),
    }


@family
def _taxa(random: np.random.Generator, n: int) -> Columns:
    taxa = ["Animalia", " Chordata", "  Mammalia", "   Primates", " Mollusca", "Fungi"]
    return {
        "taxon": [taxa[i % len(taxa)] for i in range(n)],
        "status": skewed(random, "LC|NT|VU|EN|CR|NE|DD|EX|NA", n),
        "legs": skewed(random, "4|0|2|6|8|many", n),
        "sex": skewed(random, "M|F|m|f|?|U", n),
    }


@family
def _exchanges(random: np.random.Generator, n: int) -> Columns:
    return {
        "ticker": skewed(random, "AAPL|MSFT|BRK.A|BRK.B|NA|NULL|TRUE|NAN|INF|ON|ALL|ERROR|TBD", n),
        "company": [f"{732 + i % 200} {(829 * i) % 1000:03d} {(321 * i) % 1000:03d}" for i in range(n)],
        "rating": skewed(random, "AA|AA+|AA-|Aa1|aa1|BBB|WR|NR", n),
        "change": [f"{change:+.2f}%" for change in random.normal(0, 2, n)],
        "volume": skewed(random, "1.2M|350K|12,345|999", n),
    }


@family
def _timetables(random: np.random.Generator, n: int) -> Columns:
    return {
        "arrival": skewed(random, "24:00|00:00|23:59|25:10:00|0:05", n),
        "day": skewed(random, "2021-03-01 24:00|2021-03-01 23:00|2021-03-01 00:00", n),
        "delay": skewed(random, "+5|+0|0|-1|CANC", n),
        "train": skewed(random, "ICE 1|ICE 01|RE1|RE 1|S1|S 1", n),
        "quarter": skewed(random, "FY23Q1|FY23Q2|2023Q1|2023-W01|2023-W10|2023-001", n),
        "stamp": [f"2023-05-{i % 28 + 1:02d}T10:00:00{'+02:00' if i % 3 else '-05:00'}" for i in range(n)],
    }


@family
def _assays(random: np.random.Generator, n: int) -> Columns:
    return {
        "gold": skewed(random, "0.010|0.10|1.00|<0.005|>10|NSS|IS", n),
        "coverage": skewed(random, "r|+|1|2a|2b|3|4|5|.", n),
        "needle": skewed(random, "US 7|US 7.0|4.5 mm|4.50 mm|7", n),
        "section": skewed(random, "(1)|(2)|(10)|(1a)", n),
        "verse": skewed(random, "1:1|1:10|12:30|3:16", n),
        "room": skewed(random, "101|1E01|001|PH1|12A", n),
    }


@family
def _scripts(random: np.random.Generator, n: int) -> Columns:
    return {
        "turkish": skewed(random, "DIŞ|diş|dış|Iğdır|İzmir|Izmir", n),
        "accents": skewed(random, "é|e\u0301|e|ê|ñ|n\u0303|n", n),
        "digits": skewed(random, "١٢|٣٤|１２|12", n),
        "emoji": skewed(random, "👍|👍🏽|❤️|❤|👨‍👩‍👧", n),
        "street": skewed(random, "Maße|Masse|Straße|Strasse", n),
        "query": skewed(random, "a=b?c|?a=1|?A=1|[a-z]?x", n),
    }
