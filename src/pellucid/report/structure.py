"""Are the rows a process in time? Do some belong together? Then a random split would promise too much.

A column of dates does not make a process: a birth date or a year of construction says how old something is. So a clock
counts only with evidence that rows were recorded along it: they stand in its order, its values are evenly spaced or
have times of day, the target of a row resembles that of the row before it, or its name speaks of a time and its dates
lie close together. Where the evidence is missing, the rows are drawn at random and the page says so.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pellucid.base.errors import count, join_some
from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of, names_of
from pellucid.report.clock_evidence import (
    CLOSE_DATES,
    IN_ORDER,
    LEAST_KNOWN,
    evidence_of,
    is_dated,
    is_regular,
    panel_evidence,
    rejection_of,
)
from pellucid.report.clocks import Clock, is_ordered, read_clock, read_clocks
from pellucid.report.equal_rows import equal_rows
from pellucid.report.name_vocabulary import (
    speaks_of_afterward,
    speaks_of_coordinates,
    speaks_of_identifier,
    speaks_of_origin,
    speaks_of_time,
)
from pellucid.report.paired_columns import find_paired_groups
from pellucid.report.repeated import find_groups, new_levels_note
from pellucid.report.row_notes import follows_rows, neighbors_note, resembling_column, sorted_by_time_note, sorted_note
from pellucid.report.row_order import (
    LEAST_CORRELATION,
    LEAST_ROWS,
    clearest,
    depends_on_order,
    follows_row_order,
    has_sorted_parts,
    is_clear_within_runs,
    target_numbers,
)
from pellucid.report.sort_keys import explaining_keys

NONE = "none"  # of --time and --group: nothing is looked for
USED_RATHER = "used rather than"
MOST_DEPENDING = 30  # columns that are looked at for a dependence on time
SAME_STEP = 0.02  # relative difference of steps that are equal but for the decimals that are written
LATEST_YEAR = 2035  # of a series, under a name that does not say that these are years
SAME_EVENT = 0.98  # correlation from which two clocks time the same event


@dataclass(frozen=True)
class StructureOptions:
    """What the user said: a column, ``NONE``, or None to look for it."""

    time: str | None = None
    group: str | None = None


@dataclass(frozen=True)
class RowStructure:
    """How rows depend on each other.

    times : of each row, growing with time, -inf where unknown; None if the rows are no process in time
    groups : of each row, the number of its group; None if no rows belong together
    time_columns, group_columns : where these were read; no time columns if the order of the rows is that of time
    is_calendar : whether the times are seconds since 1970
    form, evidence : how the time is written, and why the rows are thought to be a process in time, in phrases
    group_evidence : why rows are thought to belong together
    group_part : which part of the group column's texts says so ("beginning" or "end"), and an example; None for all
    requested : did the user name the time; group_requested : or the group
    event : a column of times that do not decide the split, and these, as seconds since 1970
    notes : what was considered and not used, in sentences
    not_features : columns that models do not see, and why
    time_formats : how times are written that models take apart although the table stores them as text
    not_group_features : the same where the split keeps groups whole
    """

    times: Floats | None = None
    groups: Array | None = None
    time_columns: tuple[str, ...] = ()
    group_columns: tuple[str, ...] = ()
    is_calendar: bool = False
    form: str = ""
    evidence: tuple[str, ...] = ()
    group_evidence: tuple[str, ...] = ()
    group_part: tuple[str, str] | None = None
    requested: bool = False
    group_requested: bool = False
    event: tuple[str, Floats] | None = None
    notes: tuple[str, ...] = ()
    not_features: dict[str, str] = field(default_factory=dict)
    not_group_features: dict[str, str] = field(default_factory=dict)
    time_formats: dict[str, str] = field(default_factory=dict)

    @property
    def in_time(self) -> bool:
        return self.times is not None

    def of(self, rows: Array) -> RowStructure:
        """The structure of some rows."""
        return replace(
            self,
            times=None if self.times is None else self.times[rows],
            groups=None if self.groups is None else self.groups[rows],
        )


def find_structure(
    table: Any, y: Array, for_classes: bool, target: str, options: StructureOptions, left_out: Sequence[str] = ()
) -> RowStructure:
    """The structure of the rows, as the user said or as the values show.

    Parameters
    ----------
    table : the table, in its order, without rows whose target is missing
    y : the target of each row
    for_classes : whether these are classes
    target : the name of its column
    options : what the user said
    left_out : columns that the user left out; they may still tell when a row was recorded
    """
    names = [name for name in names_of(table) if name != target]
    structure = _find_time(table, y, for_classes, names, options.time)
    if options.group is not None and options.group != NONE:
        return _with_requested_groups(structure, table, options.group)
    if options.group is None:
        structure = _with_groups(structure, table, y, for_classes, [name for name in names if name not in left_out])
    if structure.groups is None and structure.evidence == (CLOSE_DATES,) and not _is_named_time(structure):
        structure = _if_time_matters(structure, table, y, for_classes, names)
    if options.time is None and structure.times is None and structure.groups is None:
        ordered = _by_row_order(table, y, for_classes, names, target, structure.notes)
        structure = replace(ordered, event=structure.event)
    if options.time is None and structure.times is None:
        structure = replace(structure, notes=(*sorted_by_time_note(table, names), *structure.notes))
    if options.group is None and structure.times is None and structure.groups is None:
        seen = [name for name in names if name not in left_out]
        structure = _with_equal_rows(structure, table, [*seen, target])
        note = new_levels_note(table, y, for_classes, seen)
        structure = replace(structure, notes=(*note, *structure.notes))
    return structure


def _is_named_time(structure: RowStructure) -> bool:
    """Do the names of all columns of the time say that they hold one? Then later rows are what a model will meet."""
    return all(speaks_of_time(name) for name in structure.time_columns)


def _with_requested_groups(structure: RowStructure, table: Any, name: str) -> RowStructure:
    """The structure with the groups of a column that the user named. They come before a time that was only found."""
    groups = np.unique(column_of(table, name).astype(str), return_inverse=True)[1]
    unique = f"{name!r} has another value in every row, so --group {name} keeps no rows together."
    return replace(
        structure,
        times=structure.times if structure.requested else None,
        groups=groups,
        notes=(*(() if len(np.unique(groups)) < len(groups) else (unique,)), *structure.notes),
        group_columns=(name,),
        group_requested=True,
        not_group_features={name: "its rows are kept together, as requested"},
    )


def _with_groups(
    structure: RowStructure, table: Any, y: Array, for_classes: bool, names: Sequence[str]
) -> RowStructure:
    """The structure with the groups of a repeated identifier."""
    grouping = find_groups(table, y, for_classes, names, structure.time_columns)
    if grouping is None:
        grouping = find_paired_groups(table, y, for_classes, names, structure.time_columns)
    if grouping is None:
        return structure
    reason = "its rows belong together, and new rows have other values"
    return replace(
        structure,
        groups=grouping.codes,
        group_columns=(grouping.column, *([grouping.also] if grouping.also else [])),
        group_evidence=grouping.evidence,
        group_part=(grouping.part, grouping.example) if grouping.part else None,
        not_group_features={
            name: reason
            for name in (*(() if grouping.also else (grouping.column,)), *grouping.nested)
            if not speaks_of_coordinates(name) and not grouping.is_measured
        },
    )


def _if_time_matters(
    structure: RowStructure, table: Any, y: Array, for_classes: bool, names: Sequence[str]
) -> RowStructure:
    """The structure, without its times if rows in another order show no dependence on them: nothing that is measured,
    and no relation of a column to the target, resembles its neighbors in time or changes with it."""
    times = structure.times
    known = np.flatnonzero(np.isfinite(times)) if times is not None else np.array([], dtype=int)
    if times is None or len(known) < LEAST_ROWS:
        return structure
    order = known[np.argsort(times[known], kind="stable")]
    targets = [values - values.mean() for values in target_numbers(y[order], for_classes)]
    series = list(targets)
    for name in [name for name in names if name not in structure.time_columns][:MOST_DEPENDING]:
        ranks = _ranks_of(column_of(table, name)[order])
        if ranks is not None and abs(np.corrcoef(ranks, np.arange(len(order)))[0, 1]) < 0.95:  # the numbers of samples
            series += [ranks, *(ranks * target for target in targets)]
    if any(depends_on_order(values) for values in series):
        return structure
    label = " and ".join(map(repr, structure.time_columns))
    in_order = is_ordered(times, 1)  # too few steps to be evidence of recording
    note = (
        f"{label} {'holds' if len(structure.time_columns) == 1 else 'hold'} {structure.form}, but "
        f"{'' if in_order else 'the rows do not stand in their order, and '}neither the target nor another column "
        "changes with them, so they do not decide the split."
    )
    hint = f" If later rows are to be predicted from earlier ones, use --time {shlex.quote(structure.time_columns[0])}."
    others = [one for one in structure.notes if USED_RATHER not in one]  # none of the times is used
    notes = (note + hint * (len(structure.time_columns) == 1), *others)
    event = (structure.time_columns[0], times) if structure.is_calendar and len(structure.time_columns) == 1 else None
    return RowStructure(notes=notes, event=event)


def _ranks_of(values: Array) -> Floats | None:
    """Centered ranks of numbers, or of texts whether they are the most frequent one; None where nothing varies."""
    if values.dtype.kind == "O":
        levels, codes = np.unique(values.astype(str), return_inverse=True)
        numbers = (codes == np.bincount(codes).argmax()).astype(np.float64) if len(levels) <= len(codes) / 5 else None
    else:
        numbers = values.astype(np.float64) if values.dtype.kind in "iufb" else None
    if numbers is None:
        return None
    numbers = np.where(np.isfinite(numbers), numbers, np.nanmedian(numbers) if np.isfinite(numbers).any() else 0.0)
    ranks = target_numbers(numbers, for_classes=False)[0]
    ranks = ranks - ranks.mean()
    return ranks if float(np.abs(ranks).max()) > 0 else None


def _with_equal_rows(structure: RowStructure, table: Any, names: Sequence[str]) -> RowStructure:
    """The structure with rows that are equal in every column as groups, or with a note about them."""
    equal = equal_rows(table, names)
    if equal is None or equal.by_chance:
        return structure
    verb = "repeats" if equal.n_repeated == 1 else "repeat"
    others = f" but {join_some(map(repr, equal.but), 3)}" if equal.but else ""
    sentence = f"{count(equal.n_repeated, 'row')} {verb} an earlier row in every column{others}"
    if equal.is_singular:
        return replace(structure, groups=equal.first, group_evidence=(sentence,))
    note = f"{sentence}. If they are copies, models may be scored on rows that they learned from."
    return replace(structure, notes=(note, *structure.notes))


def _find_time(table: Any, y: Array, for_classes: bool, names: list[str], requested: str | None) -> RowStructure:
    if requested == NONE:
        return RowStructure(notes=("No order in time was looked for, as requested (--time none).",))
    if requested is not None:
        return _requested(table, requested)
    judged = [
        (
            clock,
            evidence_of(clock, y, for_classes)
            or panel_evidence(clock, table, names)
            or _evidence_of_years(clock, table, y, for_classes, names),
        )
        for clock in read_clocks(table, names)
    ]
    accepted = [(clock, evidence) for clock, evidence in judged if evidence]
    rejected = [clock for clock, evidence in judged if not evidence and is_dated(clock)]
    notes = tuple(rejection_of(clock) for clock in rejected)
    if accepted:
        clock, evidence, note = _choose(accepted)
        notes = tuple(rejection_of(other) for other in rejected if not set(other.columns) <= set(clock.columns))
        times = np.where(np.isfinite(clock.values), clock.values, -np.inf)
        reason = "says when a row was recorded: its values do not recur in later rows"
        not_features = {
            name: reason for name in clock.columns if len(clock.columns) == 1 and _is_raw(table, name, clock)
        }
        formats = {clock.columns[0]: clock.format} if clock.format else {}
        return RowStructure(
            times, None, clock.columns, (), clock.is_calendar, clock.form, evidence,
            notes=(*note, *notes), not_features=not_features, time_formats=formats,
        )  # fmt: skip
    return RowStructure(notes=notes)


def _evidence_of_years(clock: Clock, table: Any, y: Array, for_classes: bool, names: Sequence[str]) -> tuple[str, ...]:
    """Why numbers are thought to be years although no name says so; nothing where they may be those of samples."""
    steps = np.diff(clock.values)
    if clock.resolution != "year" or len(y) < LEAST_ROWS or not (np.abs(steps) == 1).all() or np.ptp(steps) > 0:
        return ()
    if np.nanmax(clock.values) > LATEST_YEAR or any(map(speaks_of_origin, clock.columns)):
        return ()
    ranks = [_ranks_of(column_of(table, name)) for name in names if name not in clock.columns][:MOST_DEPENDING]
    series = [*target_numbers(y, for_classes), *(values for values in ranks if values is not None)]
    depending = sum(depends_on_order(values) for values in series)
    if depending < max(1, 0.5 * len(series)):
        return ()
    return (
        "each row is one year from the next",
        "most other columns have a trend along them or resemble the year before",
    )


def _is_raw(table: Any, name: str, clock: Clock) -> bool:
    """Would a model see the time as one growing number, or as text? Timestamps are taken apart, years recur."""
    return clock.resolution != "year" and column_of(table, name).dtype.kind != "M"


def _requested(table: Any, name: str, why: str = "") -> RowStructure:
    """The order of a column, whatever it holds: that the user named, or that counts time from some start."""
    values = column_of(table, name)
    clock = read_clock(name, values)
    if clock is not None:
        times = clock.values
    elif values.dtype.kind in "iufb":
        times = values.astype(np.float64)
    elif values.dtype.kind in "mM":
        times = np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    else:
        missing = np.array([value is None for value in values])
        times = np.unique(values.astype(str), return_inverse=True)[1].astype(np.float64)
        times[missing] = np.nan
    times = np.where(np.isfinite(times), times, -np.inf)
    evidence = (why or "it was named with --time",)
    not_features = {name: "it orders the rows in time" + ("" if why else ", as requested")}
    return RowStructure(
        times, None, (name,), (), clock is not None and clock.is_calendar, "the time from some start", evidence,
        requested=not why, not_features=not_features,
    )  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- choice


def _choose(accepted: list[tuple[Clock, tuple[str, ...]]]) -> tuple[Clock, tuple[str, ...], tuple[str, ...]]:
    """Of several clocks the one in whose order the rows stand, then that with most evidence; of clocks that time the
    same event the earliest, which is known first."""
    best = max(accepted, key=lambda pair: (_in_order(pair), not _is_late(pair[0]), _n_times(pair[0]), len(pair[1])))
    rivals = [pair for pair in accepted if _is_same_event(pair[0], best[0]) and not _is_coarser(pair[0], best[0])]
    if not best[0].is_calendar:  # nobody knows from which day it counts
        best = next((pair for pair in rivals if pair[0].is_calendar), best)
    rivals = [pair for pair in rivals if pair[0] is not best[0]]
    earlier = [pair for pair in rivals if _precedes(pair[0], best[0]) and not _is_coarser(pair[0], best[0])]
    note: tuple[str, ...] = ()
    if earlier:
        first = min(earlier, key=lambda pair: float(np.nanmean(pair[0].values)))
        why = "it is the earlier of the two, or equal, in nearly every row"
        verb = "is" if len(first[0].columns) == 1 else "are"
        note = (f"{first[0].label} {verb} {USED_RATHER} {best[0].label}: {why}.",)
        best = first
    return best[0], best[1], note


def _n_times(clock: Clock) -> int:
    return len(np.unique(clock.values[np.isfinite(clock.values)]))


def _in_order(pair: tuple[Clock, tuple[str, ...]]) -> bool:
    return any(reason.startswith(IN_ORDER) for reason in pair[1])


def _is_late(clock: Clock) -> bool:
    return any(speaks_of_afterward(name) for name in clock.columns)


def _is_same_event(a: Clock, b: Clock) -> bool:
    known = np.isfinite(a.values) & np.isfinite(b.values)
    if a.resolution == "year" or b.resolution == "year" or known.sum() < 10:
        return False
    return float(np.corrcoef(a.values[known], b.values[known])[0, 1]) >= SAME_EVENT


def _precedes(a: Clock, b: Clock) -> bool:
    known = np.isfinite(a.values) & np.isfinite(b.values)
    return a.is_calendar == b.is_calendar and bool((a.values[known] <= b.values[known]).mean() >= 0.95)


def _is_coarser(a: Clock, b: Clock) -> bool:
    """Is one merely the beginning of the period of the other?"""
    known = np.isfinite(a.values) & np.isfinite(b.values)
    return len(np.unique(a.values[known])) < 0.5 * len(np.unique(b.values[known]))


def _by_row_order(
    table: Any, y: Array, for_classes: bool, names: list[str], target: str, notes: tuple[str, ...]
) -> RowStructure:
    """Without a clock: the order of the rows, if the target follows it and no column explains that."""
    result = follows_row_order(y, for_classes)
    if result is None:
        notes = (*sorted_note(y, for_classes, target), *neighbors_note(table, y, for_classes, names), *notes)
        return _by_numbering(table, y, for_classes, names, notes)
    resembles = f"The target of a row resembles that of the row before it ({result.words})"
    place = next((name for name in names if speaks_of_coordinates(name) and follows_rows(column_of(table, name))), None)
    if place is not None:
        note = (
            f"{resembles}, but so does {place!r}: the rows may be sorted by place, and are not taken to be in the "
            "order of time. Models are scored on places whose neighbors they know; for new places they may be worse."
        )
        return RowStructure(notes=(note, *notes))
    for name in names:
        values = column_of(table, name)
        if _explains_order(values, y, for_classes):
            if speaks_of_time(name) and not speaks_of_origin(name) and values.dtype.kind in "iuf":
                return _requested(table, name, IN_ORDER)
            note = (
                f"{resembles}, but {_order_by(name, values)}, which may explain it; rows are not taken to be in the "
                "order of time."
            )
            if _is_sorted(values):
                note += f" If {name!r} grew with time, use --time {shlex.quote(name)}."
            return RowStructure(notes=(note, *notes))
    back = next((clock for clock in read_clocks(table, names) if _contradicts_order(clock)), None)
    if back is not None:
        verb = "goes" if len(back.columns) == 1 else "go"
        note = (
            f"{resembles}, but {back.label} {verb} back and forth along the rows, which are therefore not taken to be "
            "in the order of time."
        )
        return RowStructure(notes=(note, *notes))
    keys = explaining_keys(table, y, for_classes, names, target)
    if keys:
        note = (
            f"{resembles}, but the table is sorted by {', then by '.join(map(repr, keys))}, which may explain it; rows "
            "are not taken to be in the order of time."
        )
        return RowStructure(notes=(note, *notes))
    if for_classes and has_sorted_parts(y) and not resembling_column(table, y, for_classes, names, LEAST_CORRELATION):
        note = (
            f"{resembles}, as the rows of each class stand in blocks of about the same length; rows are not taken to "
            "be in the order of time."
        )
        return RowStructure(notes=(note, *notes))
    evidence = (f"the target of a row resembles that of the row before it ({result.words})",)
    order = np.arange(len(y), dtype=np.float64)
    return RowStructure(order, form="the order of the rows", evidence=evidence, notes=notes)


def _contradicts_order(clock: Clock) -> bool:
    """Do times that nearly every row has, and that are not those of an origin, not grow along the rows?"""
    named = is_dated(clock) and not any(map(speaks_of_origin, clock.columns))
    return named and float(np.isfinite(clock.values).mean()) >= LEAST_KNOWN and not is_ordered(clock.values, 2)


def _by_numbering(table: Any, y: Array, for_classes: bool, names: list[str], notes: tuple[str, ...]) -> RowStructure:
    """Rows in another order, of which a number says in which they were recorded, if the target follows that."""
    for name in names:
        values = column_of(table, name)
        if values.dtype.kind not in "iu" or len(np.unique(values)) < len(values):
            continue
        is_day = values.min() > 30_000 and values.max() < 50_000  # as spreadsheets count them
        is_epoch = any(3e8 * unit <= values.min() and values.max() <= 2.5e9 * unit for unit in (1, 1000))
        numbered = (is_day or speaks_of_identifier(name)) and is_regular(values.astype(np.float64))
        if not (numbered or is_epoch):
            continue
        result = clearest(y[np.argsort(values, kind="stable")], for_classes, trend=True)
        if result.is_clear:
            why = f"the target of a row resembles that of the row before it ({result.words})"
            return replace(_requested(table, name, why), form="numbers that grow with time", notes=notes)
    return RowStructure(notes=notes)


def _order_by(name: str, values: Array) -> str:
    """How a column explains the order of the rows, as a clause."""
    return f"the table is sorted by {name!r}" if _is_sorted(values) else f"rows with the same {name!r} stand together"


def _is_sorted(values: Array) -> bool:
    return values.dtype.kind in "iuf" and is_ordered(values.astype(np.float64))


def _explains_order(values: Array, y: Array, for_classes: bool) -> bool:
    """Is the table sorted by a column that is no mere row number, or do its levels stand in blocks, within which rows
    do not resemble the ones before them?"""
    codes = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_inverse=True)[1]
    n_levels = int(codes.max()) + 1
    if n_levels < 2:
        return False
    changes = int((codes[1:] != codes[:-1]).sum())
    if n_levels < len(codes) / 2:
        by_chance = len(codes) * (1 - float(((np.bincount(codes) / len(codes)) ** 2).sum()))  # in random order
        in_blocks = changes <= min(2 * n_levels, by_chance / 2) and n_levels >= 3
        return in_blocks and not is_clear_within_runs(y, codes, for_classes)
    if values.dtype.kind not in "iuf":
        return False
    steps = np.diff(values.astype(np.float64))
    same_step = bool(len(steps)) and float(np.isclose(steps, np.median(steps), rtol=SAME_STEP, atol=0.0).mean()) > 0.9
    return is_ordered(values.astype(np.float64)) and not same_step
