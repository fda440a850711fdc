"""Clean tables that look dirty: levels that differ by a letter, codes, opposites, ordinal scales, names, and more.

Every cell of these tables is right. A cleaner that changes one of them by default harms data. Each family is a function
of a random generator; `hard_negatives` makes as many tables of them as are wanted, the same ones for the same seed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmarks import hard_negative_symbols  # noqa: F401 (it registers its families)
from benchmarks.hard_negative_columns import FAMILIES, Columns, family, mixed, numbers, skewed


@dataclass(frozen=True)
class HardNegative:
    """A clean table: its name, its columns of text, and its file."""

    name: str
    columns: Columns
    file: bytes


@dataclass(frozen=True)
class Dialect:
    """How a file is written."""

    delimiter: str = ","
    quoting: Literal[0, 1] = csv.QUOTE_MINIMAL
    line_end: str = "\n"
    mark: bytes = b""


_DIALECTS = (Dialect(), Dialect(";"), Dialect("\t"), Dialect(quoting=csv.QUOTE_ALL), Dialect(line_end="\r\n"),
             Dialect(mark=b"\xef\xbb\xbf"))  # fmt: skip


def hard_negatives(n_tables: int = 100, seed: int = 0, n_rows: int = 400) -> Iterator[HardNegative]:
    """Tables of all families in turn, in several dialects."""
    families = list(FAMILIES.items())
    for i in range(n_tables):
        name, family = families[i % len(families)]
        random = np.random.default_rng([seed, i])
        columns = family(random, n_rows)
        yield HardNegative(f"{name}_{i // len(families)}", columns, _file(columns, _DIALECTS[i % len(_DIALECTS)]))


def _file(columns: Columns, dialect: Dialect) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(
        out,
        delimiter=dialect.delimiter,
        quoting=dialect.quoting,
        lineterminator=dialect.line_end,
    )
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return dialect.mark + out.getvalue().encode("utf-8")


# ------------------------------------------------------------------------------------------------------------- medicine


@family
def _diagnoses(random: np.random.Generator, n: int) -> Columns:
    levels = "hypertension|hypotension|hyperglycemia|hypoglycemia|hyperthyroidism|hypothyroidism|ileum|ilium"
    return {
        "case": [f"{i:05d}" for i in range(n)],
        "diagnosis": skewed(random, levels, n),
        "icd": skewed(random, "250.0|250.00|250.01|401.9|401.1|401.10|V45.8|E11.9|E11.0", n),
        "side": skewed(random, "left|right|both|none|unknown", n),
    }


@family
def _blood_groups(random: np.random.Generator, n: int) -> Columns:
    return {
        "donor": [f"D-{i:04d}" for i in random.permutation(n)],
        "group": skewed(random, "A|0|B|AB", n),
        "rhesus": skewed(random, "A+|A-|O+|O-|B+|B-|AB+|AB-", n),
        "hemoglobin": numbers(random, n, 1, 14),
    }


@family
def _censored_laboratory(random: np.random.Generator, n: int) -> Columns:
    return {
        "crp": mixed(random, numbers(random, n, 1, 8), ["<0.5", ">100", "trace", "neg"]),
        "lead": mixed(random, numbers(random, n, 3, 2), ["ND", "BDL", "<LOD", "n.d."]),
        "titer": skewed(random, "1:10|1:20|1:40|1:80|1:160|neg", n),
        "protein": skewed(random, "-|+|++|+++|(+)|trace", n),
    }


@family
def _doses(random: np.random.Generator, n: int) -> Columns:
    drugs = "prednisone|prednisolone|hydroxyzine|hydralazine|clonidine|clonazepam|cefuroxime|cefotaxime|Celebrex|Celexa"
    return {
        "drug": skewed(random, drugs, n),
        "dose": skewed(random, "5 mg|5 mL|10 mg|0.5 mg|50 mg|5 mcg", n),
        "schedule": skewed(random, "qd|qid|bid|tid|prn|qod", n),
    }


# -------------------------------------------------------------------------------------------------- genes and chemistry


@family
def _genes(random: np.random.Generator, n: int) -> Columns:
    genes = "MARCH1|MARCH2|SEPT2|SEPT7|DEC1|1-Mar|2-Sep|NAN1|NULL1|TP53|TP63|TP73|BRCA1|BRCA2|NaN|NA"
    return {
        "gene": skewed(random, genes, n),
        "clone": [f"{random.integers(10**6, 10**7)}{'E' if i % 2 else 'D'}{random.integers(10, 99)}" for i in range(n)],
        "riken": [f"{random.integers(10**6, 10**7)}E{random.integers(10, 40)}" for _ in range(n)],
        "allele": skewed(random, "A/A|A/a|a/a|A/-|-/-", n),
        "expression": numbers(random, n, 3, 6),
    }


@family
def _elements(random: np.random.Generator, n: int) -> Columns:
    return {
        "element": skewed(random, "Na|N|Ni|Nb|Ne|Np|No|C|Ca|Co|CO|Cs|Cr|Cu|Si|Se|S|Sn|In|I|Ir|He|Hg|Ho|NA", n),
        "isotope": skewed(random, "14C|12C|13C|2H|3H|1E5|2E7", n),
        "state": skewed(random, "s|l|g|aq", n),
        "concentration": mixed(random, numbers(random, n, 4, 0.2), ["<0.0001", "trace"]),
    }


@family
def _compounds(random: np.random.Generator, n: int) -> Columns:
    names = "butane|butene|propane|propene|ethanol|ethanal|methanol|methanal|chlorate|chlorite|chloride|sulfate|sulfite"
    return {
        "compound": skewed(random, names, n),
        "cas": [f"{random.integers(50, 9999999)}-{random.integers(10, 99)}-{random.integers(0, 9)}" for _ in range(n)],
        "smiles": skewed(random, "CCO|CCo|CC=O|CC#N|c1ccccc1|C1CCCCC1", n),
        "ph": numbers(random, n, 2, 7),
    }


# ---------------------------------------------------------------------------------------------- names, places, language


@family
def _surnames(random: np.random.Generator, n: int) -> Columns:
    names = (
        "Smith|Smyth|Meyer|Meier|Maier|Mayer|Null|None|Test|Tester|Nil|Foo|Doe|Blank|Empty|True|False|Nan|Na|Unknown"
    )
    return {
        "surname": skewed(random, names, n),
        "given": skewed(random, "Jon|John|Joan|Jean|Sara|Sarah|Ann|Anne|Anna|Jane|Janet|Max|Mac", n),
        "person": skewed(random, "john doe|jane doe|max mustermann|Jon Doe|john dow", n),
        "age": [str(age) for age in random.integers(0, 110, n)],
    }


@family
def _countries(random: np.random.Generator, n: int) -> Columns:
    return {
        "country": skewed(random, "NA|NO|NE|NI|NZ|NL|US|UA|UG|AT|AU|IS|IT|IN|IE|TO|ON|SI|SO|NaN", n),
        "name": skewed(
            random, "Niger|Nigeria|Iran|Iraq|Austria|Australia|Mali|Malawi|Slovakia|Slovenia|Guinea|Guyana", n
        ),
        "continent": skewed(random, "EU|NA|SA|AF|AS|OC|AN", n),
        "calling_code": skewed(random, "+1|+44|+49|+264|+7|+1-868", n),
    }


@family
def _dialect_words(random: np.random.Generator, n: int) -> Columns:
    words = "bairn|barn|burn|brae|bray|loch|lock|kirk|kick|gey|gay|ken|kent|thole|thou|wean|weans|wheen|whin"
    return {
        "word": skewed(random, words, n),
        "token": skewed(random, " the|the| of|of| a|a", n) if n < 0 else skewed(random, "the|The", n),
        "ipa": skewed(random, "tʰ|t|t̪|ã|a|ɑ|ä|â", n),
        "register": skewed(random, "-|?|*|**|†", n),
    }


@family
def _settlements(random: np.random.Generator, n: int) -> Columns:
    return {
        "town": skewed(
            random, "Springfield|Springdale|Bremen|Brehmen|Halle|Hallein|Newton|Newtown|Essen|Hessen|York", n
        ),
        "zip": [f"{code:05d}" for code in random.integers(501, 99999, n)],
        "phone": [f"205{number:07d}" for number in random.integers(0, 10**7, n)],
        "street": skewed(random, "Main St|Main St.|Maine St|1st St|21st St|N Main St|S Main St", n),
    }


# ---------------------------------------------------------------------------------------------------- scales, opposites


@family
def _opposites(random: np.random.Generator, n: int) -> Columns:
    return {
        "finish": skewed(random, "Finished|Unfinished|Part finished", n),
        "legality": skewed(random, "legal|illegal|moral|immoral|amoral", n),
        "condition": skewed(random, "Very_Good|Very_Poor|Good|Poor|Excellent", n),
        "direction": skewed(random, "inbound|outbound|import|export|increase|decrease", n),
    }


@family
def _nursery(random: np.random.Generator, n: int) -> Columns:
    return {
        "children": skewed(random, "1|2|3|more", n),
        "doors": skewed(random, "2|3|4|5more", n),
        "persons": skewed(random, "2|4|more", n),
        "stars": skewed(random, "5|4|3|3*|4*|12*", n),
    }


@family
def _questionnaire(random: np.random.Generator, n: int) -> Columns:
    scale = "strongly agree|agree|disagree|strongly disagree|neither|no answer|don't know|n/a"
    return {
        "q1": skewed(random, scale, n),
        "q2": skewed(random, "yes|no|Yes, often|not applicable|refused", n),
        "q3": skewed(random, "1,3|1,2|2,3|1|2|1,2,3", n),
        "q4": skewed(random, "1|2|3|4|5|9|99|999", n),
    }


@family
def _repeated_rows(random: np.random.Generator, n: int) -> Columns:
    votes = np.array(["y", "n", "?"], dtype=object)
    rows = random.choice(votes, size=(20, 6))[random.integers(0, 20, n)]
    return {f"vote_{j}": [str(cell) for cell in rows[:, j]] for j in range(6)}


@family
def _school(random: np.random.Generator, n: int) -> Columns:
    return {
        "grade": skewed(random, "A|A-|A+|B|B+|B-|C|F|I|W|NC", n),
        "level": skewed(random, "I|II|III|IV|V|VI|IX|XI", n),
        "course": skewed(random, "Math 101|Math 110|Math 101L|Mathe 101|Maths 101", n),
        "points": [str(points) for points in random.integers(0, 999, n)],
    }


# --------------------------------------------------------------------------------------------------- products and parts


@family
def _products(random: np.random.Generator, n: int) -> Columns:
    letters = "|".join(f'LETTER "{letter}" BLING KEY RING' for letter in "AWEIMS")
    return {
        "code": skewed(random, "72801C|72801c|72801D|84997B|84997b|15056BL|15056bl", n),
        "product": skewed(random, letters + "|RED MUG|RED MUGS|SET OF 6 FORKS|SET OF 6 FORK", n),
        "invoice": mixed(random, [str(536365 + i) for i in range(n)], [f"C{536379 + i}" for i in range(20)]),
        "price": numbers(random, n, 2, 3),
    }


@family
def _parts(random: np.random.Generator, n: int) -> Columns:
    return {
        "part": [
            f"{random.integers(100, 999)}-{random.integers(10, 99)}{letter}"
            for letter in random.choice(list("ABab"), n)
        ],
        "thread": skewed(random, "M8|M6|M8x1|M8x1.25|1/4|1/2|3/8", n),
        "version": skewed(random, "1.1|1.10|1.2|1.9|2.0|2.00", n),
        "serial": [f"{random.integers(10**17, 10**18)}{random.integers(10, 99)}" for _ in range(n)],
        "hex": [f"{number:06X}" for number in random.integers(0, 16**6, n)],
    }


@family
def _houses(random: np.random.Generator, n: int) -> Columns:
    return {
        "heating": skewed(random, "GasA|GasW|Grav|Wall|OthW|Floor", n),
        "fuse": skewed(random, "SBrkr|FuseA|FuseF|FuseP|Mix", n),
        "pool": skewed(random, "NA|Gd|Ex|Fa", n),
        "area": mixed(random, [str(area) for area in random.integers(500, 4000, n)], ["0"]),
        "price": [str(price) for price in (random.integers(34, 755, n) * 1000)],
    }


@family
def _clothes(random: np.random.Generator, n: int) -> Columns:
    return {
        "size": skewed(random, "M|L|S|XL|XXL|XS|2XL|38|38.5|38 1/2", n),
        "color": skewed(random, "gray|gray|green|greens|beige|beiger|Red|RED|red", n),
        "sku": [f"SK{random.integers(0, 999):03d}-{letter}" for letter in random.choice(list("MLml"), n)],
    }


# ------------------------------------------------------------------------------------------------------ times, measures


@family
def _times_of_day(random: np.random.Generator, n: int) -> Columns:
    minutes = random.integers(0, 1440, n)
    return {
        "departure": [f"{m // 60:02d}:{m % 60:02d}" for m in minutes],
        "pace": [f"{m % 10 + 3}:{m % 60:02d}" for m in minutes],
        "duration": [f"{m // 60}:{m % 60:02d}:{(7 * m) % 60:02d}" for m in minutes],
        "day": [f"{m % 12 + 1:02d}/{m % 11 + 1:02d}/2021" for m in minutes],
        "short_day": [f"{m % 12 + 1:02d}.{m % 28 + 1:02d}.{m % 99:02d}" for m in minutes],
        "tail": skewed(random, "N5CYAA|N5EYAA|N5DYAA|N14228|N24211", n),
    }


@family
def _sensors(random: np.random.Generator, n: int) -> Columns:
    return {
        "temperature": mixed(random, numbers(random, n, 2, 20), ["-999.00", "9999.00"]),
        "speed": mixed(random, [str(x) for x in random.integers(1, 60, n)], ["0", "999"]),
        "station": skewed(random, "ak_hf-1|al_hf-1|ak_hf-2|ak-hf-1", n),
        "distance": mixed(random, [str(x) for x in random.integers(80, 2500, n)], ["4983", "4963"], 0.01),
    }


@family
def _money(random: np.random.Generator, n: int) -> Columns:
    amounts = random.integers(1, 999, n)
    return {
        "ambiguous": [f"{amount % 9 + 1},{amount:03d}" for amount in amounts],
        "change": [f"{amount % 7 - 3:+d}" for amount in amounts],
        "share": [f"{amount / 10:.1f}%" for amount in amounts],
        "account": [
            f"DE{random.integers(10, 99)} {random.integers(1000, 9999)} {random.integers(1000, 9999)}" for _ in range(n)
        ],
        "booked": skewed(random, "1900-01-01|2020-01-01|9999-12-31|2021-05-04", n),
    }


@family
def _astronomy(random: np.random.Generator, n: int) -> Columns:
    return {
        "object": skewed(random, "NGC 224|NGC 2244|NGC 244|M31|M32|M13|IC 10|IC 1", n),
        "type": skewed(random, "Sa|Sb|SBa|SBb|Sab|E0|E7|S0", n),
        "redshift": [f"{x:.3e}" for x in random.random(n)],
        "epoch": skewed(random, "J2000|B1950|J2000.0", n),
    }


# --------------------------------------------------------------------------------------- sport, law, farming, computing


@family
def _chess(random: np.random.Generator, n: int) -> Columns:
    return {
        "move": skewed(random, "e4|e5|d4|d5|Nf3|Nf6|Bb5|bb5|O-O|O-O-O|0-0|Qxe5+|Qxe5#", n),
        "result": skewed(random, "1-0|0-1|1/2-1/2|*", n),
        "eco": skewed(random, "C60|C65|B12|E12|E60|1E5", n),
        "clock": [
            f"{m:02d}:{s:02d}" for m, s in zip(random.integers(0, 60, n), random.integers(0, 60, n), strict=True)
        ],
    }


@family
def _matches(random: np.random.Generator, n: int) -> Columns:
    return {
        "score": skewed(random, "2-1|1-2|3-1|1-3|2:1|w.o.|n.p.", n),
        "difference": [f"{d:+d}" if d else "0" for d in random.integers(-5, 6, n)],
        "mark": mixed(random, numbers(random, n, 2, 8), ["DNS", "DNF", "x", "-", "NM"]),
        "team": skewed(random, "Rovers|Rangers|Rockers|Rockets|Raiders|Riders", n),
    }


@family
def _law(random: np.random.Generator, n: int) -> Columns:
    return {
        "section": skewed(random, "3.1|3.10|3.2|3.11|12|12a|12A|12bis", n),
        "party": skewed(random, "plaintiff|defendant|mortgagor|mortgagee|lessor|lessee|assignor|assignee", n),
        "docket": [f"{i % 90 + 10}-cv-{i:05d}" for i in range(n)],
        "outcome": skewed(random, "affirmed|reversed|remanded|none|null and void|void", n),
    }


@family
def _farming(random: np.random.Generator, n: int) -> Columns:
    return {
        "crop": skewed(random, "wheat|what|oats|oat|rye|rice|pea|pear|peas|bean|beans", n),
        "parcel": [f"{i // 10}/{i % 10}" for i in range(n)],
        "yield": mixed(random, numbers(random, n, 1, 60), ["total loss", "n/r"]),
        "soil": skewed(random, "sL|Sl|SL|lS|lT|tL", n),
    }


@family
def _network(random: np.random.Generator, n: int) -> Columns:
    return {
        "address": [".".join(str(x) for x in random.integers(0, 255, 4)) for _ in range(n)],
        "flag": skewed(random, "S0|SF|REJ|RSTO|RSTR|OTH", n),
        "service": skewed(random, "http|https|ftp|sftp|tftp|null|undefined|none", n),
        "value": skewed(random, "true|True|TRUE|1|0|false", n),
        "version": [f"{random.integers(1, 12)}.{random.integers(0, 12)}" for _ in range(n)],
    }


@family
def _outline(random: np.random.Generator, n: int) -> Columns:
    labels = [f"{'  ' * (i % 3)}group {i}" for i in range(n)]
    return {
        "label": labels,
        "code": [f"x = {i}" if i % 2 else f"    return {i}" for i in range(n)],
        "total": [str(x) for x in random.integers(10, 10**6, n)],
        "note": ["Ã©" if i % 50 == 0 else "é" for i in range(n)],
    }


@family
def _vocabulary(random: np.random.Generator, n: int) -> Columns:
    stems = [f"{a}{b}{c}" for a in "bcdfghklm" for b in "aeiou" for c in "nrstl"][: n // 2]
    tokens = [*stems, *(f" {stem}" for stem in stems)]
    return {"token": tokens, "frequency": [str(x) for x in random.integers(1, 10**6, len(tokens))]}


@family
def _libraries(random: np.random.Generator, n: int) -> Columns:
    return {
        "dewey": [f"{random.integers(0, 1000):03d}.{random.integers(0, 100):02d}" for _ in range(n)],
        "isbn": [f"978{random.integers(10**9, 10**10)}" for _ in range(n)],
        "issn": [
            f"{random.integers(0, 10**4):04d}-{random.integers(0, 10**3):03d}{random.choice(list('0123X'))}"
            for _ in range(n)
        ],
        "pages": skewed(random, "200|xii, 200|200 p.|1-20|5-8|Mar-22|12-Jan", n),
        "language": skewed(random, "eng|en|ger|deu|nor|nno|und|mul", n),
    }


@family
def _votes_and_codes(random: np.random.Generator, n: int) -> Columns:
    return {
        "party": skewed(random, "D|R|I|N/A|L", n),
        "industry": skewed(random, "11|111|1111|11-21|31-33|44-45", n),
        "sex": skewed(random, "f|m|F/M|x|-", n),
        "fips": [f"{code:05d}" for code in random.integers(1001, 9999, n)],
        "pin": [f"{code:04d}" for code in random.integers(0, 9999, n)],
    }
