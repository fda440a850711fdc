"""Rows that belong together where it takes two columns to say so: plots by site and number, persons by name and date of
birth, schools by district and number.

Any two categories have combinations, and those of a crossed design or a survey are no things. What tells them apart:
other columns that are constant within a combination but not within either column alone, as properties of a thing would
be, and a target that resembles itself there beyond what the two columns add. Where a name says that one column numbers
things, one such column suffices, or that each combination was observed once at the same times; under any name it takes
several.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of
from pellucid.report.clocks import part_numbers
from pellucid.report.name_vocabulary import (
    names_an_entity,
    part_of_time,
    speaks_of_coordinates,
    speaks_of_identifier,
    speaks_of_measure,
    speaks_of_origin,
    speaks_of_recurring,
    speaks_of_time,
)
from pellucid.report.repeated import (
    CONSTANT,
    LEAST_OF_UNNAMED,
    LEAST_PROPERTIES,
    LEAST_REPEATED,
    LEAST_RESEMBLANCE,
    LEAST_Z,
    MANY_GROUPS,
    MOST_COMPARED,
    MOST_PER_GROUP,
    Candidate,
    Grouping,
    codes_of,
    is_reached_by_chance,
    properties_of,
    resemblance_of,
    same_within,
    whole_levels,
)
from pellucid.report.row_order import target_numbers

FINER = 1.05  # how many times more levels a pair must have than either of its columns
MOST_PAIRED = 24  # columns that are combined
COPIES = 0.99  # resemblance from which rows with nothing of their own are copies
LEAST_LEFT = 0.02  # share of the variance of the target that the two columns leave one by one
ROUNDS = 5  # of taking out the means of one column and of the other


def find_paired_groups(
    table: Any, y: Array, for_classes: bool, names: Sequence[str], skip: Sequence[str]
) -> Grouping | None:
    """The groups of the rows that two columns show together, where no column shows any alone.

    Parameters
    ----------
    table, y, for_classes : the table, its target, and whether this holds classes
    names : columns to look at
    skip : columns that cannot be identifiers, such as those that say the time
    """
    columns = {
        name: column
        for name in [name for name in names if name not in skip][:MOST_PAIRED]
        if (column := _read(name, column_of(table, name))) is not None
    }
    best: tuple[tuple[float, ...], tuple[str, str], Candidate, tuple[str, ...]] | None = None
    for first, second in combinations(columns, 2):
        couple = (columns[first], columns[second])
        # Hardly two persons are born on the same day, whatever their names are: only the name alone is to say less.
        coarse = tuple(candidate for candidate in couple if not speaks_of_origin(candidate.name))
        pair = _paired(*couple, max((candidate.n_levels for candidate in coarse), default=len(y)))
        if pair is None:
            continue
        rows = whole_levels(pair)
        other_names = [name for name in names if name not in (first, second)][:MOST_COMPARED]
        values = {name: column_of(table, name)[rows] for name in other_names}
        is_numbered = _is_numbered(*couple) or _is_numbered(*couple[::-1])
        if not is_numbered and not all(_may_name(candidate, partner) for candidate, partner in (couple, couple[::-1])):
            continue
        alone = tuple(candidate.of(rows) for candidate in coarse)
        evidence = _evidence(pair.of(rows), alone, y[rows], for_classes, values, is_numbered)
        if evidence:
            rank = (float(is_numbered), float(len(evidence)), -float(pair.n_levels))
            if best is None or rank > best[0]:
                best = rank, (first, second), pair, evidence
    if best is None:
        return None
    _, pair_names, pair, evidence = best
    codes = np.where(pair.codes >= 0, pair.codes, pair.n_levels + np.arange(len(y)))
    first, second = pair_names
    return Grouping(first, np.unique(codes, return_inverse=True)[1], (), evidence, also=second)


def _read(name: str, values: Array) -> Candidate | None:
    """A column that could name something together with another one: words, whole numbers and dates of origin, but no
    measures and no times."""
    unit_and_group = part_of_time(name)
    if (
        unit_and_group is not None
        and part_numbers(values, unit_and_group[0]) is not None
        and not speaks_of_origin(name)
    ):
        return None
    is_number = values.dtype.kind in "iuf"
    if speaks_of_measure(name) or speaks_of_coordinates(name):
        return None
    if not speaks_of_origin(name):
        is_named = speaks_of_identifier(name) or names_an_entity(name)
        if values.dtype.kind not in "Oiuf" or (speaks_of_time(name) and not is_named):
            return None
    if values.dtype.kind == "O":
        missing = np.array([value is None for value in values])
        values = np.where(missing, "", values).astype(str)
    else:
        missing = np.isnat(values) if values.dtype.kind == "M" else ~np.isfinite(values.astype(np.float64))
        if is_number and (values[~missing] != np.floor(values[~missing])).any():
            return None
    if missing.mean() > 0.2:
        return None
    levels, codes = np.unique(values[~missing], return_inverse=True)
    if len(levels) < 2:
        return None
    of_rows = np.full(len(values), -1, dtype=np.int64)
    of_rows[~missing] = codes
    return Candidate(name, of_rows, levels, is_number)


def _paired(first: Candidate, second: Candidate, n_alone: int) -> Candidate | None:
    """The combinations of two columns, if these repeat and are more than a column alone has levels."""
    is_present = (first.codes >= 0) & (second.codes >= 0)
    if is_present.mean() < 0.8:
        return None
    levels, codes = np.unique(first.codes[is_present] * second.n_levels + second.codes[is_present], return_inverse=True)
    counts = np.bincount(codes)
    if (
        len(levels) < max(MANY_GROUPS, FINER * n_alone)
        or counts[counts >= 2].sum() < LEAST_REPEATED * is_present.sum()
        or counts.max() > MOST_PER_GROUP * is_present.sum()
    ):
        return None
    of_rows = np.full(len(is_present), -1, dtype=np.int64)
    of_rows[is_present] = codes
    return Candidate(f"{first.name} and {second.name}", of_rows, levels, True)


def _is_numbered(site: Candidate, number: Candidate) -> bool:
    """Do names say that one column tells apart the things of the other's places, or persons of the same name?"""
    if speaks_of_origin(number.name):
        return not site.is_number and site.n_levels >= MANY_GROUPS and not speaks_of_recurring(site.name)
    return _is_named(number) and (_is_named(site) or not (site.is_number or speaks_of_origin(site.name)))


def _is_named(column: Candidate) -> bool:
    return speaks_of_identifier(column.name) or names_an_entity(column.name)


def _may_name(column: Candidate, outer: Candidate) -> bool:
    """Are the values words, dates, or numbers from 1 on within each value of the other column?"""
    if not column.is_number:
        return True
    pairs = np.unique(np.stack([outer.codes, column.codes])[:, (outer.codes >= 0) & (column.codes >= 0)], axis=1)
    counts = np.bincount(pairs[0], minlength=outer.n_levels)
    numbers = column.levels[pairs[1]]
    first = np.flatnonzero(np.diff(pairs[0], prepend=-1))
    last = np.append(first[1:], len(numbers)) - 1
    in_a_row = (numbers[last] - numbers[first] == counts[pairs[0][first]] - 1) & np.isin(numbers[first], (0, 1))
    return bool(in_a_row.mean() >= CONSTANT)


def _is_observed_at(pair: Candidate, values: Array) -> bool:
    """Has every combination one row for each of the few values of another column, such as years or visits?"""
    codes = codes_of(values)
    if codes is None:
        return False
    n_values = int(codes.max()) + 1
    is_present = pair.codes >= 0
    n_cells = len(np.unique(pair.codes[is_present] * n_values + codes[is_present]))
    return bool(n_cells >= CONSTANT * is_present.sum() and n_values <= 2 * is_present.sum() / pair.n_levels)


def _evidence(
    pair: Candidate,
    alone: tuple[Candidate, ...],
    y: Array,
    for_classes: bool,
    other_columns: dict[str, Array],
    is_numbered: bool,
) -> tuple[str, ...]:
    """Why the rows of a combination belong together, in phrases; nothing where it is one of two categories."""
    resemblance, z = _own_resemblance(pair, alone, y, for_classes)
    resembles = resemblance >= (LEAST_RESEMBLANCE if is_numbered else LEAST_OF_UNNAMED) and z >= LEAST_Z
    if not resembles:
        return ()
    added = [
        name
        for name in properties_of(pair, other_columns)
        if not any(same_within(column, other_columns[name]) for column in alone)
    ]
    if len(added) == len(other_columns) and resemblance >= COPIES:
        return ()
    observed = any(_is_observed_at(pair, values) for values in other_columns.values())
    if not (len(added) > 0 or observed if is_numbered else len(added) >= max(LEAST_PROPERTIES, len(other_columns) / 2)):
        return ()
    of = "a class" if for_classes else "its ranks"
    reasons = [
        "the target varies less within one than the columns explain one by one (intraclass correlation of "
        f"{of} {resemblance:.2f})"
    ]
    if added:
        columns = "one other column is" if len(added) == 1 else f"{len(added)} other columns are"
        reasons.append(f"{columns} constant within nearly every one but not within the values of one column alone")
    return tuple(reasons)


def _own_resemblance(pair: Candidate, alone: tuple[Candidate, ...], y: Array, for_classes: bool) -> tuple[float, float]:
    """The highest resemblance of the target within combinations, beyond the sum of the effects of both columns."""
    pairs = []
    for values in target_numbers(y, for_classes):
        residuals = values - values.mean()
        for _ in range(ROUNDS):
            for column in alone:
                residuals = residuals - _means(column, residuals)
        if float(residuals.var()) < LEAST_LEFT * float(values.var()):
            continue  # one column decides about the target
        pairs.append((*resemblance_of(pair, residuals), residuals))
    pairs.sort(key=lambda entry: entry[:2], reverse=True)
    for resemblance, z, residuals in pairs:
        if z >= LEAST_Z and not is_reached_by_chance(pair, residuals, z):
            return resemblance, z
    return 0.0, 0.0


def _means(column: Candidate, values: Floats) -> Floats:
    codes = np.where(column.codes >= 0, column.codes, column.n_levels)
    counts = np.maximum(np.bincount(codes, minlength=column.n_levels + 1), 1)
    return np.asarray((np.bincount(codes, weights=values, minlength=column.n_levels + 1) / counts)[codes])
