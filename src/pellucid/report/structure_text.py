"""How the rows were split and why, as plain values and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.base.types import Array
from pellucid.report.clocks import NO_YEAR
from pellucid.report.holdout_split import HoldoutSplit, time_range
from pellucid.report.outcome import Structure
from pellucid.report.structure import RowStructure


def describe_structure(structure: RowStructure, parting: HoldoutSplit, forward: bool = True) -> Structure:
    """What the page and the figures say about the structure of the rows.

    Parameters
    ----------
    forward : whether the folds of a comparison move forward in time, where the rows do
    """
    in_time, grouped = parting.in_time, parting.grouped
    groups = "whole groups" if structure.group_columns else "random rows, equal rows together"
    used = structure if in_time or grouped else RowStructure()
    period = None if structure.times is None or not in_time else _period(structure, parting.held)
    reasons = [_time_reason(structure, parting, period, forward)] if in_time else []
    reasons += [_group_reason(structure, parting)] if grouped and not in_time else []
    reasons += [_purged_reason(structure)] if grouped and in_time else []
    notes = [*parting.notes, *_untested(structure, parting), *structure.notes]
    return Structure(
        order="time" if in_time else "none",
        time=used.time_columns if in_time else (),
        group=" and ".join(used.group_columns) if grouped and used.group_columns else None,
        split=("newest rows" if used.time_columns else "last rows")
        if in_time
        else groups
        if grouped
        else "random rows",
        folds=("forward in time" if used.time_columns else "forward in the order of the rows")
        if in_time and forward
        else groups
        if grouped
        else "random",
        held_out_from=None if period is None else period[0],
        held_out_to=None if period is None else period[1],
        reasons=tuple(reasons),
        notes=tuple(notes),
        unscored=parting.unscored,
    )


def _listed(phrases: Sequence[str]) -> str:
    """Phrases as an English list.

    >>> _listed(["a"]), _listed(["a", "b"]), _listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    if len(phrases) < 3:
        return " and ".join(phrases)
    return f"{', '.join(phrases[:-1])}, and {phrases[-1]}"


def _period(structure: RowStructure, rows: Array) -> tuple[str, str] | None:
    calendar = bool(structure.time_columns) and structure.is_calendar and NO_YEAR not in structure.form
    return time_range(structure.times, rows, calendar) if calendar and structure.times is not None else None


def _time_reason(structure: RowStructure, parting: HoldoutSplit, period: tuple[str, str] | None, forward: bool) -> str:
    """Why the newest rows are held out, in two sentences."""
    names = _listed([repr(name) for name in structure.time_columns])
    evidence = _listed(structure.evidence)
    if structure.requested:
        why = f"The rows are in the order of time of {names}, as requested"
    elif names:
        verb = "holds" if len(structure.time_columns) == 1 else "hold"
        why = f"The rows are a process in time: {names} {verb} {structure.form}; {evidence}"
    else:
        why = (
            f"No column was recognized as a time, but {evidence}, as it does where rows are recorded one after the "
            "other, so the rows are taken to stand in the order in which they were recorded"
        )
    span = f" ({' to '.join(dict.fromkeys(period))})" if period is not None else ""
    held_out = parting.words.replace(" held out", f" held out{span}", 1)
    if not forward:
        return (
            f"{why}. So {held_out}. The folds of the comparison are drawn at random, because not "
            "enough folds that move forward could be scored; --time none draws all rows at random."
        )
    way, later = ("time", "are newer than") if names else ("that order", "stand further down than")
    seen = "the future" if names else "the neighbors of the rows it is scored on"
    return (
        f"{why}. So {held_out}, and the folds of the comparison move forward in {way}: every model is "
        f"scored on rows that {later} those it learned from. A random split would let it learn from {seen}; "
        "--time none asks for one."
    )


def _group_reason(structure: RowStructure, parting: HoldoutSplit) -> str:
    evidence = _listed(structure.group_evidence)
    if not structure.group_columns:
        return (
            f"{evidence[0].upper()}{evidence[1:]}. So {parting.words}: otherwise a model could be scored on rows that "
            "it has learned by heart."
        )
    why = "as requested" if structure.group_requested else f"like those of one person, site or object: {evidence}"
    return (
        f"{_rows_of_a_group(structure)} belong together, {why}. So {parting.words}, and the folds of the comparison "
        "keep groups whole: every model is scored on groups that it has not seen. A random split would let it "
        "recognize them; --group none asks for one."
    )


def _rows_of_a_group(structure: RowStructure) -> str:
    name = structure.group_columns[0] if structure.group_columns else "group"
    if structure.group_part is None:
        return f"Rows with the same {_listed([repr(one) for one in structure.group_columns or ('group',)])}"
    part, example = structure.group_part
    return f"Rows whose {name!r} has the same {part} (such as {example!r})"


def _purged_reason(structure: RowStructure) -> str:
    return (
        f"{_rows_of_a_group(structure)} belong together, so a model is scored on groups that are not only newer but "
        "that it has not seen (--group none lets it learn from their older rows)."
    )


def _untested(structure: RowStructure, parting: HoldoutSplit) -> list[str]:
    """What the scores say nothing about."""
    notes = []
    if parting.in_time and structure.groups is not None and not parting.grouped and structure.group_columns:
        part = "" if structure.group_part is None else f"{structure.group_part[0]} of "
        notes.append(
            f"The same {part}{_listed([repr(one) for one in structure.group_columns])} occurs in older and newer rows, "
            "so the scores hold for those that are known; how well new ones are predicted was not tested (--group with "
            "--time none does that)."
        )
    if parting.unscored:
        n_last = len(parting.held) + parting.unscored
        which = "newest" if structure.time_columns else "last"
        verb = "has" if parting.unscored == 1 else "have"
        notes.append(
            f"{parting.unscored:,} of the {which} {n_last:,} rows {verb} a class that no row before these has, so no "
            "model of older rows can predict it: such rows are left out of the scores."
        )
    return notes
