"""A table without a target: groups of rows, outliers and components; rules of baskets; recommendations for users."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pellucid.base.errors import DataError
from pellucid.base.threads import effective_threads
from pellucid.data.slices import n_rows_of, names_of
from pellucid.quality import ChangeLog, Findings, Profile
from pellucid.quality.column import TableStats, compute_stats
from pellucid.report.comparison import ProgressCallback
from pellucid.report.dataset import Dataset, load_dataset
from pellucid.report.interactions.long_tables import Roles
from pellucid.report.interactions.recognition import TASKS, Recognition, not_recognized, recognize
from pellucid.report.outcome import Listing, Picture, StudyResult, Task
from pellucid.report.script import short_script


@dataclass(frozen=True)
class Recognized:
    """A table of interactions, which may have been read again as baskets, and what it was recognized as."""

    taken: Dataset
    look: TableStats
    task: Task
    recognition: Recognition


def recognized_task(data: Any, taken: Dataset, stats: TableStats, task: Task, config: Any) -> Recognized | None:
    """What a table without a target holds: baskets, ratings or visits; None if it is an ordinary table.

    Parameters
    ----------
    data : what was read; a file of which the user says that it holds baskets may be read again line by line
    task : what the user asked for, or "no target"
    """
    if taken.baskets is not None:
        found: Recognition | None = Recognition("baskets", Roles("item", "basket"), evidence=taken.evidence)
    elif config.task == "no target":
        return None
    else:
        found = recognize(stats, config.task, dict(config.parts))
    if found is None and config.task == "baskets" and isinstance(data, str | Path):
        again = load_dataset(data, basket_lines="always")
        if again.baskets is not None and len(set(map(len, again.baskets))) > 1:
            stats = compute_stats(again.table, "report", None, effective_threads(None))
            return recognized_task(data, again, stats, task, config)
    if found is None and config.task in TASKS:
        raise not_recognized(config.task, names_of(taken.table))
    if found is None:
        return None
    why = "it was requested, and " + found.why if config.task in TASKS else found.why
    return Recognized(taken, stats, Task(found.task, why), found)


def explore(opened: Any, config: Any, tell: ProgressCallback) -> StudyResult:
    """What can be found without being told what to predict.

    Parameters
    ----------
    opened : the table, and what it was recognized as (`pellucid.report.prepare.Opened`)
    """
    recognition: Recognition | None = opened.recognition
    if recognition is None:
        from pellucid.report.groups import find_groups

        return find_groups(opened.taken, opened.described, opened.task, config, tell)
    if recognition.task == "baskets":
        return _rules(opened, recognition, config, tell)
    return _recommendations(opened, recognition, config, tell)


# ------------------------------------------------------------------------------------------------------------- baskets


def _rules(opened: Any, recognition: Recognition, config: Any, tell: ProgressCallback) -> StudyResult:
    """The rules of baskets, and recommendations where a table names customers."""
    from pellucid.report import baskets as rules
    from pellucid.report.interactions.collecting import baskets_from

    tell("reading the baskets", 0.1)
    taken: Dataset = opened.taken
    baskets, notes = (taken.baskets, ()) if taken.baskets is not None else baskets_from(opened.look, recognition)
    tell("looking for rules", 0.3)
    mined = rules.mine(baskets)
    summary = (_recognized_text(recognition), *notes, *rules.summary(mined))
    listings: tuple[Listing, ...] = (rules.rule_listing(mined), rules.item_listing(mined))
    customers, lines = _customers(opened.look, recognition, config, tell)
    before = "" if taken.baskets is not None else f"table = baskets_of_table(table{_named(config)})"
    return _outcome(
        opened,
        config,
        rules.headline(mined),
        (*summary, *lines),
        rules.warnings(mined),
        (*listings, *customers, evidence_listing(recognition)),
        rules.pictures(mined),
        mined.model,
        short_script("rules", _with_import(taken.lines, before), mined.model, (), before),
    )


def _customers(
    stats: TableStats, recognition: Recognition, config: Any, tell: ProgressCallback
) -> tuple[tuple[Listing, ...], list[str]]:
    """Recommendations for the customers of a table of transactions, and a sentence on how good they are."""
    if recognition.roles is None or recognition.roles.basket is None or recognition.roles.user is None:
        return (), []
    from pellucid.report import ratings
    from pellucid.report.interactions.collecting import interactions_from

    visits = Recognition("visits", replace(recognition.roles, basket=None), evidence=recognition.evidence)
    name = recognition.roles.user
    try:
        interactions = interactions_from(stats, visits)
        found = ratings.recommend_from(interactions, False, config.seed, config.minutes, tell, "bought")
    except DataError as error:
        return (), [f"There are no recommendations for the values of {name!r}: {str(error).splitlines()[0]}."]
    lines = [f"Recommendations for the values of {name!r}: {ratings.ranking_text(found.comparison)}"]
    return ratings.listings(found), lines


# ----------------------------------------------------------------------------------------------------- recommendations


def _recommendations(opened: Any, recognition: Recognition, config: Any, tell: ProgressCallback) -> StudyResult:
    from pellucid.report import ratings
    from pellucid.report.interactions.collecting import interactions_from

    tell("reading the interactions", 0.05)
    interactions = interactions_from(opened.look, recognition)
    is_rated = recognition.task == "ratings"
    found = ratings.recommend_from(interactions, is_rated, config.seed, config.minutes, tell)
    kept = found.model
    before = f"table = interactions_of_table(table, {recognition.task!r}{_named(config)}).triples({is_rated})"
    return _outcome(
        opened,
        config,
        ratings.headline(found),
        (_recognized_text(recognition), *interactions.notes, *ratings.summary(found), ratings.model_text(found)),
        ratings.warnings(found),
        (*ratings.listings(found), evidence_listing(recognition)),
        ratings.pictures(found),
        kept,
        short_script("recommender", _with_import(opened.taken.lines, before), kept, (), before),
    )


# --------------------------------------------------------------------------------------------------------- what is said


def _recognized_text(recognition: Recognition) -> str:
    return (
        f"The table was recognized as {recognition.what}, because {recognition.why}. If it is something else: "
        f"{recognition.override}."
    )


def evidence_listing(recognition: Recognition) -> Listing:
    """Which column plays which part, and the evidence."""
    rows: list[tuple[str, str]] = []
    if recognition.roles is not None:
        rows += [(part, name) for part, name in recognition.roles.parts]
    if recognition.wide is not None:
        wide = recognition.wide
        rows.append(("columns of items", ", ".join(wide.items[:20]) + (", ..." if len(wide.items) > 20 else "")))
        rows += [("name of the row", wide.owner)] if wide.owner is not None else []
    rows += [("evidence", text) for text in recognition.evidence]
    about = f"Why the table is taken for {recognition.what}. If it is something else: {recognition.override}."
    return Listing("What the table was recognized as", about, ("part", "column or evidence"), tuple(rows))


def _with_codes(described: Profile, recognition: Recognition | None) -> Profile:
    """The profile, in which numbers that stand for baskets, users or items are identifiers: they have no mean."""
    roles = recognition.roles if recognition is not None else None
    names = {roles.basket, roles.user, roles.item} - {None} if roles is not None else set()
    columns = [
        replace(column, kind="identifier", numbers=None) if column.name in names and column.is_number else column
        for column in described.columns
    ]
    shares = tuple(pair for pair in described.distance_shares if pair[0] not in names)
    return replace(described, columns=tuple(columns), distance_shares=shares)


def _named(config: Any) -> str:
    return f", named={dict(config.parts)!r}" if config.parts else ""


def _with_import(lines: tuple[str, ...], before: str) -> tuple[str, ...]:
    for name in ("baskets_of_table", "interactions_of_table"):
        if name in before:
            return (f"from pellucid.report.interactions.tables import {name}", *lines)
    return lines


def _outcome(
    opened: Any,
    config: Any,
    headline: str,
    summary: tuple[str, ...],
    warnings: tuple[str, ...],
    listings: tuple[Listing, ...],
    pictures: tuple[Picture, ...],
    model: Any,
    script: str,
) -> StudyResult:
    table = opened.taken.table
    names = names_of(table)
    described = _with_codes(opened.described, opened.recognition)
    return StudyResult(
        opened.taken.source,
        opened.task,
        headline,
        summary,
        warnings,
        described,
        Findings(opened.taken.findings, n_rows_of(table), names),
        ChangeLog((), n_rows_of(table), names, names),
        (),
        config.seed,
        pictures=pictures,
        listings=listings,
        script=script,
        model=model,
    )
