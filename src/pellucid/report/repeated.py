"""Which rows belong together: those of one patient, customer, site, sensor, author, ...

An identifier that repeats is no ordinary category. New rows bring new patients, while cities and product categories
recur. What tells them apart: the values or the name of an identifier, many levels, and rows that resemble each other
beyond chance: the target varies less within a level than between levels, or other columns are constant within levels.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pellucid.base.errors import join_some
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.slices import column_of
from pellucid.report.clocks import part_numbers, read_clock
from pellucid.report.name_vocabulary import (
    names_an_entity,
    part_of_time,
    speaks_of_coordinates,
    speaks_of_entity,
    speaks_of_identifier,
    speaks_of_measure,
    speaks_of_recurring,
    speaks_of_site,
    speaks_of_time,
)
from pellucid.report.row_order import lag_correlation, target_numbers

LEAST_GROUPS = 5
MANY_GROUPS = 20  # from which on a column without a telling name may identify something
LEAST_REPEATED = 0.3  # share of the rows whose level has other rows
MOST_PER_GROUP = 0.25  # share of the rows that one group may have
LEAST_RESEMBLANCE = 0.1  # intraclass correlation
LEAST_Z = 5.0  # of the F statistic under permutation
MOST_SHUFFLES = 500  # of the target, none of which may reach the same statistic
CONSTANT = 0.95  # share of the rows that have the value of the first row of their level
CHANCE = 0.7  # the same share where levels are shuffled, below which it is no chance
MOST_ROWS = 30_000  # that the search looks at
LEAST_ALIKE = 3  # columns, half of all, that vary little within levels under any name, besides the target
LEAST_OF_UNNAMED = 0.4  # intraclass correlation of the target there
LEAST_PROPERTIES = 3  # constant columns by which words under any name identify something, and not a category
LEAST_SHARED = 2  # constant columns, from which on a category is mentioned whose new levels were not tested
MANY_PEOPLE, PEOPLE_RESEMBLE = 50, 0.2  # levels and intraclass correlation from which it is mentioned without any
LEAST_SIZE = 3  # rows per level of a measure, on average, that tells groups apart
LEAST_VARYING = 6  # characters of an opaque identifier that take many values
MOST_TEXTS = 200_000  # that are taken apart
MOST_TOKENS = 16  # of an identifier made of several
MOST_COMPARED = 30  # other columns that are looked at

_DURATION = re.compile(r"\d+(?::[0-5]\d){1,2}(?:\.\d+)?(?:\s*[AaPp]\.?[Mm]\.?)?")  # or a time of day
_TOKENS = re.compile(r"[A-Za-z]+|\d+|[^A-Za-z\d]+")


@dataclass(frozen=True)
class Candidate:
    """A column that may say which rows belong together.

    codes : of each row, the number of its level, -1 where it is missing
    levels : the values in sorted order
    is_number : are these numbers?
    is_measured : do they have decimals, or are they called a measure? Then a level is no name of a thing
    part : which part of a text the levels are: its "beginning" or "end"; "" if they are all of it
    """

    name: str
    codes: Array
    levels: Array
    is_number: bool
    is_measured: bool = False
    part: str = ""

    @property
    def n_levels(self) -> int:
        return len(self.levels)

    def of(self, rows: Array) -> Candidate:
        """The same for some rows, with the levels that these have."""
        codes = self.codes[rows]
        present = np.unique(codes[codes >= 0])
        return replace(
            self, codes=np.where(codes >= 0, np.searchsorted(present, codes), -1), levels=self.levels[present]
        )

    @cached_property
    def counts(self) -> Array:
        return np.bincount(self.codes[self.codes >= 0], minlength=self.n_levels)

    @cached_property
    def first_rows(self) -> Array:
        """For each row the first one of its level."""
        first = np.full(self.n_levels, len(self.codes), dtype=np.int64)
        np.minimum.at(first, self.codes[self.codes >= 0], np.flatnonzero(self.codes >= 0))
        return np.where(self.codes >= 0, first[self.codes], np.arange(len(self.codes)))

    @property
    def looks_like_codes(self) -> bool:
        """Are the values words with numbers in a common pattern, such as P-0017 or a4f09c?"""
        if self.is_number:
            return False
        texts = [str(level) for level in self.levels.tolist()[:2000]]
        patterns = {re.sub(r"[A-Za-z]+", "A", re.sub(r"\d+", "9", text)) for text in texts}
        with_digit = np.mean([bool(re.search(r"\d", text)) for text in texts])
        hexadecimal = all(re.fullmatch(r"[0-9a-fA-F-]{6,}", text) for text in texts)
        return bool(with_digit > 0.95 and (len(patterns) <= 3 or hexadecimal)) or self.is_opaque

    @property
    def is_opaque(self) -> bool:
        """Are the values of one length, with so many characters that vary that they were made to tell apart, as hashes
        are, rather than to number a few things?"""
        if self.is_number or self.n_levels < MANY_GROUPS:
            return False
        texts = [str(level) for level in self.levels.tolist()[:200]]
        if len({len(text) for text in texts}) > 1 or not all(re.fullmatch(r"[A-Za-z0-9_-]+", text) for text in texts):
            return False
        varying = sum(len(set(characters)) >= 8 for characters in zip(*texts, strict=True))
        return varying >= LEAST_VARYING and any(character.isdigit() for text in texts for character in text)


@dataclass(frozen=True)
class Grouping:
    """Rows that belong together.

    column, also : that says so, alone or together with another
    codes : the group of each row, one of its own where the identifier is missing
    part, example : which part of its texts says so, "beginning" or "end", and one of them; "" if all of it does
    nested : identifiers within this one, which are no features either
    is_measured : whether the column is a measure, and a feature, that happens to tell the groups apart
    evidence : why, in phrases
    """

    column: str
    codes: Array
    nested: tuple[str, ...]
    evidence: tuple[str, ...]
    part: str = ""
    example: str = ""
    is_measured: bool = False
    also: str = ""


def find_groups(table: Any, y: Array, for_classes: bool, names: Sequence[str], skip: Sequence[str]) -> Grouping | None:
    """The groups of the rows, if a repeated identifier shows any.

    Parameters
    ----------
    table, y, for_classes : the table, its target, and whether this holds classes
    names : columns to look at
    skip : columns that cannot be identifiers, such as those that say the time
    """
    n_rows = len(y)
    values = {name: column_of(table, name) for name in names}
    candidates = [read_candidate(name, values[name]) for name in names if name not in skip]
    accepted: list[tuple[Candidate, tuple[str, ...]]] = []
    text_candidates = [
        text_candidate for name in names if name not in skip for text_candidate in read_parts(name, values[name])
    ]
    for candidate in (*candidates, *text_candidates):
        if candidate is not None:
            rows = whole_levels(candidate)
            if candidate.part:  # repeated rows of one identifier resemble each other anyway
                rows = rows[np.unique(values[candidate.name][rows].astype(str), return_index=True)[1]]
                if (candidate.of(rows).first_rows == np.arange(len(rows))).mean() > 1 - LEAST_REPEATED / 2:
                    continue
            other_columns = {
                name: values[name][rows] for name in [n for n in names if n != candidate.name][:MOST_COMPARED]
            }
            evidence = _evidence(candidate.of(rows), y[rows], for_classes, other_columns)
            if evidence:
                accepted.append((candidate, evidence))
    if not accepted and not skip:  # what is the same in rows of one time would be no property of a thing
        accepted = _accepted_measures(candidates, y, for_classes, values)
    if not accepted:
        return None
    coarsest, evidence = _coarsest(accepted)
    nested = tuple(
        column.name
        for column in candidates
        if column is not None and not column.is_measured and _is_within(column, coarsest)
        and (column.n_levels > coarsest.n_levels or _is_another_name(column, coarsest))
    )  # fmt: skip
    codes = np.where(coarsest.codes >= 0, coarsest.codes, coarsest.n_levels + np.arange(n_rows))
    example = str(coarsest.levels[0]) if coarsest.part else ""
    groups = np.unique(codes, return_inverse=True)[1]
    return Grouping(coarsest.name, groups, nested, evidence, coarsest.part, example, coarsest.is_measured)


def _accepted_measures(
    candidates: Sequence[Candidate | None], y: Array, for_classes: bool, values: dict[str, Array]
) -> list[tuple[Candidate, tuple[str, ...]]]:
    """Measures that tell groups apart, each with the evidence."""
    accepted = []
    for candidate in candidates:
        if candidate is not None and candidate.is_number:
            rows = whole_levels(candidate)
            other_columns = {
                name: values[name][rows] for name in [n for n in values if n != candidate.name][:MOST_COMPARED]
            }
            evidence = _evidence_of_measures(candidate.of(rows), y[rows], for_classes, other_columns)
            if evidence:
                accepted.append((replace(candidate, is_measured=True), evidence))
    return accepted


def whole_levels(candidate: Candidate) -> Array:
    """Rows of as many whole levels, drawn at random, as the search has time for; in their order."""
    n_rows = len(candidate.codes)
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    level_order = np.random.RandomState(0).permutation(candidate.n_levels)
    n_levels = max(LEAST_GROUPS, int(np.searchsorted(np.cumsum(candidate.counts[level_order]), MOST_ROWS)))
    if candidate.n_levels >= MANY_GROUPS:
        n_levels = max(n_levels, MANY_GROUPS)
    is_selected = np.zeros(candidate.n_levels + 1, dtype=bool)
    is_selected[level_order[:n_levels]] = True
    rows = np.flatnonzero(is_selected[candidate.codes])  # code -1 looks up the last
    return rows[:: max(1, len(rows) // MOST_ROWS)]


def read_candidate(name: str, values: Array) -> Candidate | None:
    """A column that could identify something: repeated words or numbers, no parts of a time."""
    unit_and_group = part_of_time(name)
    if values.dtype.kind not in "Oiuf" or (
        unit_and_group is not None and part_numbers(values, unit_and_group[0]) is not None
    ):
        return None
    if values.dtype.kind == "O":
        missing = np.array([value is None for value in values])
        texts = np.where(missing, "", values).astype(str)
        if _are_times(name, texts[~missing]):
            return None
        levels, codes = np.unique(texts, return_inverse=True)
        codes = np.where(missing, -1, codes)
        is_number = is_measured = False
    else:
        missing = ~np.isfinite(values.astype(np.float64))
        present = values[~missing]
        if not len(present):
            return None
        has_decimals = bool((present != np.floor(present)).any()) and not speaks_of_coordinates(name)
        is_measured = has_decimals or speaks_of_measure(name)
        levels, inverse = np.unique(present, return_inverse=True)
        codes = np.full(len(values), -1, dtype=np.int64)
        codes[~missing] = inverse
        is_number = True
    candidate = Candidate(name, codes, levels, is_number, is_measured)
    n_present = int((codes >= 0).sum())
    if candidate.n_levels < LEAST_GROUPS or n_present < 0.8 * len(values):
        return None
    counts = candidate.counts
    repeated = counts[counts >= 2].sum() / n_present
    return candidate if repeated >= LEAST_REPEATED and counts.max() <= MOST_PER_GROUP * n_present else None


def _are_times(name: str, texts: Array) -> bool:
    """Are texts called times, such as days without a year, or written as hours, minutes and seconds? What happened at
    the same time, or lasted equally long, is not the same thing."""
    if speaks_of_time(name) and not (speaks_of_identifier(name) or names_an_entity(name)):
        return True
    few = texts[:: max(1, len(texts) // 300)]
    return bool(len(few)) and float(np.mean([bool(_DURATION.fullmatch(text.strip())) for text in few])) >= CONSTANT


def read_parts(name: str, values: Array) -> list[Candidate]:
    """The beginnings and ends of identifiers that are made of several tokens, such as P017-v3 or patient_12/scan_3."""
    if values.dtype.kind != "O" or len(values) > MOST_TEXTS or any(value is None for value in values[:20]):
        return []
    texts = ["" if value is None else str(value) for value in values]
    if _are_times(name, np.array(texts)):
        return []
    if len({len(_TOKENS.findall(text)) for text in texts[:200]}) != 1 or read_clock(name, values) is not None:
        return []
    tokens = [_TOKENS.findall(text) for text in texts]
    n_tokens = len(tokens[0])
    if not 2 <= n_tokens <= MOST_TOKENS or any(len(row) != n_tokens for row in tokens):
        return []
    candidates: dict[int, Candidate] = {}
    for k in range(1, n_tokens):
        for position, cut in (("beginning", slice(0, k)), ("end", slice(k, n_tokens))):
            pieces = np.array(["".join(row[cut]) for row in tokens], dtype=object)
            candidate = read_candidate(name, pieces)
            if candidate is not None and MANY_GROUPS <= candidate.n_levels < len(set(texts)):
                candidates.setdefault(candidate.n_levels, replace(candidate, part=position))
    return list(candidates.values())


def _evidence(candidate: Candidate, y: Array, for_classes: bool, other_columns: dict[str, Array]) -> tuple[str, ...]:
    """Why the rows of a level belong together, in phrases; nothing where it is an ordinary category or a measure."""
    name = candidate.name
    if candidate.is_measured:
        return ()
    is_entity = names_an_entity(name) or (speaks_of_entity(name) and candidate.looks_like_codes)  # no lot_frontage
    is_identifier = speaks_of_identifier(name) or is_entity or speaks_of_coordinates(name) or candidate.is_opaque
    if speaks_of_measure(name) or (speaks_of_recurring(name) and not speaks_of_entity(name)):
        return ()
    many = candidate.n_levels >= MANY_GROUPS
    is_site = speaks_of_site(name) and (is_identifier or not candidate.is_number)
    if not (is_identifier if many else is_site or (is_identifier and candidate.looks_like_codes)) and not (
        many and (candidate.looks_like_codes or candidate.is_number)
    ):
        return _evidence_of_words(candidate, y, for_classes, other_columns) if many else ()
    resemblance = _target_resemblance(candidate, y, for_classes)
    constant = {key for key, column_values in other_columns.items() if _is_constant(candidate, column_values)}
    n_constant = len(constant)
    n_properties = len(properties_of(candidate, other_columns)) if candidate.looks_like_codes else n_constant
    similar = {
        key: column_values for key, column_values in other_columns.items() if _is_similar(candidate, column_values)
    }
    resembles = resemblance[0] >= LEAST_RESEMBLANCE and resemblance[1] >= LEAST_Z
    numbering = [
        name
        for name, column_values in other_columns.items()
        if not speaks_of_time(name) and _numbers_rows(candidate, column_values)
    ]
    is_place = speaks_of_coordinates(name)
    coordinates = [
        column_values for column, column_values in other_columns.items() if is_place and speaks_of_coordinates(column)
    ]
    if is_place and not any(same_within(candidate, column_values) for column_values in coordinates):
        return ()  # one of two coordinates is no place
    if (
        candidate.is_number
        and not (is_identifier and (n_constant or numbering))
        and sum(_jumps(candidate, other_columns[key]) for key in constant) < LEAST_SHARED
        and not is_place
        and _is_measure(candidate, y, for_classes, resembles, list(similar.values()))
    ):
        return ()
    reasons = []
    if resembles:
        reasons.append(_resemblance_words(resemblance[0], for_classes))
    same = constant | {key for key, column_values in similar.items() if same_within(candidate, column_values)}
    if same:
        columns = "one other column is" if len(same) == 1 else f"{len(same)} other columns are"
        reasons.append(f"{columns} constant within nearly every one, as a property of it would be")
    n_varying = len(set(similar) - same)
    if n_varying:
        columns = "another column varies" if n_varying == 1 else f"{n_varying} other columns vary"
        reasons.append(f"{columns} little within one")
    if numbering:
        reasons.append(f"{numbering[0]!r} numbers the rows within one")
        n_constant += 1
    if not (resembles or similar or numbering) and _starts_again(candidate, y, for_classes, other_columns):
        return ()
    if not many and not speaks_of_site(name) and not (n_constant or similar):
        return ()  # a category of a few codes may decide about the target as well
    if candidate.part:
        return tuple(reasons) if resembles + n_constant + len(similar) >= 2 else ()
    if not is_identifier:
        alike = n_constant + len(similar) >= max(LEAST_ALIKE, len(other_columns) / 2)
        enough = (
            (alike and resemblance[0] >= LEAST_OF_UNNAMED and resembles)
            or n_constant >= (1 if candidate.looks_like_codes else 2)
            or (resembles and n_properties >= 1 and candidate.looks_like_codes)
            or (candidate.looks_like_codes and _is_in_runs(candidate) and bool(reasons))
        )
        return tuple(reasons) if enough else ()
    return tuple(reasons)


def _evidence_of_words(
    candidate: Candidate, y: Array, for_classes: bool, other_columns: dict[str, Array]
) -> tuple[str, ...]:
    """The same of words under any name, such as those of churches: a category hardly has as many properties, all of
    them columns of numbers or coarser than it, and decides as much about the target."""
    resemblance, z = _target_resemblance(candidate, y, for_classes)
    properties = properties_of(candidate, other_columns)
    if (
        candidate.part
        or speaks_of_time(candidate.name)
        or len(properties) < LEAST_PROPERTIES
        or resemblance < LEAST_OF_UNNAMED
        or z < LEAST_Z
    ):
        return ()
    return (
        _resemblance_words(resemblance, for_classes),
        f"{len(properties)} other columns are constant within nearly every one, as properties of it would be",
    )


def _evidence_of_measures(
    candidate: Candidate, y: Array, for_classes: bool, other_columns: dict[str, Array]
) -> tuple[str, ...]:
    """The same of numbers under any name, such as the altitudes of sites without a name: rows that share one also share
    another number that is no smooth function of it, one more property, and much about the target. Where words name the
    same things, these are what decides; where nothing varies within a level, its rows are copies."""
    name = candidate.name
    recurs = speaks_of_time(name) or (speaks_of_recurring(name) and not speaks_of_measure(name))
    if recurs or candidate.n_levels < MANY_GROUPS or LEAST_SIZE * candidate.n_levels > len(candidate.codes):
        return ()
    resemblance, z = _target_resemblance(candidate, y, for_classes)
    if resemblance < LEAST_OF_UNNAMED or z < LEAST_Z:
        return ()
    if any(_is_smooth(candidate, values) for values in target_numbers(y, for_classes)):
        return ()
    properties = properties_of(candidate, other_columns)
    fine = [
        values for values in other_columns.values() if _is_as_fine(candidate, values) and same_within(candidate, values)
    ]
    has_name = any(values.dtype.kind == "O" for values in fine)
    jumps = any(values.dtype.kind in "iuf" and not _is_smooth(candidate, values.astype(np.float64)) for values in fine)
    if has_name or not jumps or not LEAST_SHARED <= len(properties) < len(other_columns):
        return ()
    return (
        _resemblance_words(resemblance, for_classes),
        f"{len(properties)} other columns are constant within nearly every one, as properties of it would be",
    )


def _is_as_fine(candidate: Candidate, values: Array) -> bool:
    """Has a column at least half as many values as there are levels?"""
    codes = codes_of(values)
    return codes is not None and 2 * int(codes.max() + 1) >= candidate.n_levels


def properties_of(candidate: Candidate, others: dict[str, Array]) -> tuple[str, ...]:
    """Columns that are constant within levels: coarser ones, and numbers that are no identifiers. A text that has one
    value for each level is but another name of it."""
    return tuple(
        name
        for name, values in others.items()
        if _is_constant(candidate, values)
        or (not speaks_of_identifier(name) and _is_similar(candidate, values) and same_within(candidate, values))
    )


def new_levels_note(table: Any, y: Array, for_classes: bool, names: Sequence[str]) -> tuple[str, ...]:
    """A sentence about a category that decides about the target, and about other columns or with many levels, so that
    new levels of it may not be predicted as well as the known ones; none if there is no such category."""
    for name in names:
        candidate = read_candidate(name, column_of(table, name))
        if candidate is None or candidate.is_number or candidate.n_levels < MANY_GROUPS or speaks_of_time(name):
            continue
        rows = whole_levels(candidate)
        subset = candidate.of(rows)
        resemblance, z = _target_resemblance(subset, y[rows], for_classes)
        if resemblance < LEAST_RESEMBLANCE or z < LEAST_Z:
            continue
        other_names = [column_name for column_name in names if column_name != name][:MOST_COMPARED]
        properties = properties_of(
            subset, {column_name: column_of(table, column_name)[rows] for column_name in other_names}
        )
        if len(properties) >= LEAST_SHARED:
            alike = f"also have the same values of {join_some(properties, 3)}"
        elif candidate.n_levels >= MANY_PEOPLE and resemblance >= PEOPLE_RESEMBLE:
            alike = "resemble each other in the target"  # as those of one guest do, or of one occupation
        else:
            continue
        return (
            f"Rows with the same {name!r} {alike}. The scores hold for values of {name!r} that are known; how well "
            f"rows with new ones are predicted was not tested (--group {shlex.quote(name)} does that).",
        )
    return ()


def _target_resemblance(candidate: Candidate, y: Array, for_classes: bool) -> tuple[float, float]:
    """The highest resemblance of the target, or of one of its classes, within levels.

    The F statistic of a rare class or of few repeated rows has a long tail: where a shuffled target reaches it, it
    says nothing."""
    candidates = [(*resemblance_of(candidate, values), values) for values in target_numbers(y, for_classes)]
    candidates.sort(key=lambda entry: entry[:2], reverse=True)
    for resemblance, z, values in candidates:
        if z >= LEAST_Z and not is_reached_by_chance(candidate, values, z):
            return resemblance, z
    return max((entry[0] for entry in candidates), default=0.0), 0.0


def is_reached_by_chance(candidate: Candidate, values: Floats, z: float) -> bool:
    random = np.random.RandomState(0)
    n_shuffles = min(MOST_SHUFFLES, max(100, 3_000_000 // max(len(values), 1)))
    return any(resemblance_of(candidate, random.permutation(values))[1] >= z for _ in range(n_shuffles))


def _resemblance_words(resemblance: float, for_classes: bool) -> str:
    of = "a class" if for_classes else "its ranks"
    return f"the target varies less within one than between them (intraclass correlation of {of} {resemblance:.2f})"


def resemblance_of(candidate: Candidate, values: Floats) -> tuple[float, float]:
    """Intraclass correlation of numbers within levels, and the F statistic in standard errors under permutation."""
    is_present = (candidate.codes >= 0) & np.isfinite(values)
    codes, numbers = candidate.codes[is_present], values[is_present]
    numbers = numbers - numbers.mean() if len(numbers) else numbers
    counts = np.bincount(codes, minlength=candidate.n_levels)
    n_levels, n_rows = int((counts > 0).sum()), len(numbers)
    total = float(numbers @ numbers)
    if n_rows <= n_levels or n_levels < 2 or total <= 0:
        return 0.0, 0.0
    sums = np.bincount(codes, weights=numbers, minlength=candidate.n_levels)
    between = float((sums**2 / np.maximum(counts, 1)).sum())
    between_mean, within_mean = between / (n_levels - 1), max(total - between, 1e-12 * total) / (n_rows - n_levels)
    size = (n_rows - float((counts.astype(float) ** 2).sum()) / n_rows) / (n_levels - 1)
    correlation = (between_mean - within_mean) / (between_mean + (size - 1) * within_mean)
    spread = float(np.sqrt(2 / (n_levels - 1) + 2 / (n_rows - n_levels)))
    return correlation, (between_mean / within_mean - 1) / spread


def _is_constant(candidate: Candidate, values: Array) -> bool:
    """Does another column have one value per level, though it has several values, and levels have several rows?"""
    codes = codes_of(values)
    repeated = _repeated(candidate)
    if codes is None or codes.max() < 1 or codes.max() + 1 > 0.7 * candidate.n_levels + 1:
        return False
    share = float((codes == codes[candidate.first_rows])[repeated].mean())
    shuffled = codes[np.random.RandomState(0).permutation(len(codes))]
    shuffled_share = float((shuffled == shuffled[candidate.first_rows])[repeated].mean())
    return share >= CONSTANT and shuffled_share < CHANCE


def same_within(candidate: Candidate, values: Array) -> bool:
    """Have nearly all rows of a level the same value?"""
    codes, repeated = codes_of(values), _repeated(candidate)
    return codes is not None and float((codes == codes[candidate.first_rows])[repeated].mean()) >= CONSTANT


def _is_similar(candidate: Candidate, values: Array) -> bool:
    """Does a column of numbers vary much less within levels than between them?"""
    if values.dtype.kind not in "iuf" or len(np.unique(values[:1000])) < 10:
        return False
    numbers = values.astype(np.float64)
    correlation, z = resemblance_of(candidate, numbers)
    return correlation >= 0.3 and z >= LEAST_Z


def _repeated(candidate: Candidate) -> Flags:
    """Rows that are not the first of their level."""
    return np.asarray((candidate.codes >= 0) & (candidate.first_rows != np.arange(len(candidate.codes))))


def codes_of(values: Array) -> Array | None:
    if values.dtype.kind in "iufb":
        numbers = values.astype(np.float64)
        return np.asarray(np.unique(np.where(np.isnan(numbers), np.inf, numbers), return_inverse=True)[1])
    if values.dtype.kind == "M":
        return np.asarray(np.unique(values, return_inverse=True)[1])
    return np.asarray(np.unique(values.astype(str), return_inverse=True)[1])


def _is_measure(candidate: Candidate, y: Array, for_classes: bool, resembles: bool, similar: list[Array]) -> bool:
    """Do levels of numbers that are next to each other have similar targets, or similar values of most columns that
    vary with them, as those of a measure such as age? Without a resemblance within levels that says nothing."""
    targets = target_numbers(y, for_classes) if resembles else []
    if any(_is_smooth(candidate, values) for values in targets):
        return True
    smooth = [_is_smooth(candidate, values.astype(np.float64)) for values in similar]
    return bool(smooth) and float(np.mean(smooth)) > 0.5


def _is_smooth(candidate: Candidate, values: Floats) -> bool:
    """Are the means of levels that are next to each other similar?"""
    is_present = (candidate.codes >= 0) & np.isfinite(values)
    counts = np.bincount(candidate.codes[is_present], minlength=candidate.n_levels)
    sums = np.bincount(candidate.codes[is_present], weights=values[is_present], minlength=candidate.n_levels)
    result = lag_correlation(sums[counts > 0] / counts[counts > 0])
    return result.correlation > 0.3 and result.z > 2


def _jumps(candidate: Candidate, values: Array) -> bool:
    """Are numbers that are constant within levels no smooth function of them, as sizes of classes are none of their
    codes? Those of a measure are, such as the rates of incomes."""
    return values.dtype.kind in "iuf" and not _is_smooth(candidate, values.astype(np.float64))


def _numbers_rows(candidate: Candidate, values: Array) -> bool:
    """Does a column number the rows of each level from 0 or 1 on, such as the cycles of a machine?"""
    if values.dtype.kind not in "iu" or candidate.counts.mean() < 3:
        return False
    is_present = candidate.codes >= 0
    codes, numbers = candidate.codes[is_present], values[is_present].astype(np.int64)
    order = np.lexsort((numbers, codes))
    codes, numbers = codes[order], numbers[order]
    start = np.concatenate([[True], codes[1:] != codes[:-1]])
    steps = np.diff(numbers)[~start[1:]]
    return bool(np.isin(numbers[start], (0, 1)).mean() >= CONSTANT and (steps == 1).mean() >= CONSTANT)


def _starts_again(candidate: Candidate, y: Array, for_classes: bool, other_columns: dict[str, Array]) -> bool:
    """Is each number there once in every one of another column's places or things, by which the target differs, as
    plots that are numbered from 1 on at each site? Then equal numbers are no thing."""
    if not candidate.is_number:
        return False
    for name, values in other_columns.items():
        outer = read_candidate(name, values)
        if outer is None or not (speaks_of_site(name) or names_an_entity(name) or speaks_of_identifier(name)):
            continue
        pairs = np.unique(candidate.codes * outer.n_levels + outer.codes)
        if len(pairs) < len(y) or len(pairs) < 0.9 * candidate.n_levels * outer.n_levels:
            continue
        resemblance, z = _target_resemblance(outer, y, for_classes)
        if resemblance >= LEAST_RESEMBLANCE and z >= LEAST_Z:
            return True
    return False


def _is_in_runs(candidate: Candidate) -> bool:
    """Do the rows of a level follow each other?"""
    changes = int((candidate.codes[1:] != candidate.codes[:-1]).sum())
    return changes < 1.2 * candidate.n_levels


def _is_within(fine: Candidate, coarse: Candidate) -> bool:
    """Does each level of one column belong to one level of the other?"""
    is_present = fine.codes >= 0
    return bool((coarse.codes == coarse.codes[fine.first_rows])[is_present].mean() > 0.99)


def _is_another_name(candidate: Candidate, coarsest: Candidate) -> bool:
    """Does a column name the same things, rather than hold a property that differs in all of them?"""
    is_name = not candidate.is_number or speaks_of_identifier(candidate.name) or names_an_entity(candidate.name)
    return is_name and candidate.n_levels == coarsest.n_levels and candidate.name != coarsest.name


def _coarsest(accepted: list[tuple[Candidate, tuple[str, ...]]]) -> tuple[Candidate, tuple[str, ...]]:
    """Of identifiers within identifiers the coarsest with many levels: patients rather than their visits."""
    enough = [pair for pair in accepted if pair[0].n_levels >= MANY_GROUPS] or accepted
    tops = [
        pair
        for pair in enough
        if not any(coarser is not pair and coarser[0].n_levels < pair[0].n_levels and _is_within(pair[0], coarser[0])
                   for coarser in enough)
    ]  # fmt: skip
    return max(tops, key=lambda pair: (speaks_of_entity(pair[0].name), len(pair[1]), pair[0].n_levels))
