"""What a table of interactions is: baskets, ratings or visits; which column plays which part; and the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pellucid.base.errors import DataError, ParameterError, format_message, join_some
from pellucid.quality.column import TableStats
from pellucid.report.interactions.columns import Facts, facts_of
from pellucid.report.interactions.long_tables import Roles, long_roles, named_roles
from pellucid.report.interactions.wide_tables import WideTable, wide_table

InteractionTask = Literal["baskets", "ratings", "visits"]
TASKS: tuple[InteractionTask, ...] = ("baskets", "ratings", "visits")
OPTIONS = ("basket", "item", "user", "rating")  # parts of which the user can name the column

_WHAT = {
    "baskets": "baskets, for which rules are looked for",
    "ratings": "ratings of items by users",
    "visits": "what users took or visited, without a rating",
}
_OVERRIDE = {
    "baskets": "--basket COLUMN --item COLUMN",
    "ratings": "--user COLUMN --item COLUMN --rating COLUMN",
    "visits": "--user COLUMN --item COLUMN",
}


@dataclass(frozen=True)
class Recognition:
    """What a table was recognized as.

    task : what is done with it
    roles : which column plays which part in a table with one row for each item of a basket or user; None otherwise
    wide : how the items stand in a table with one row for each basket or user; None otherwise
    evidence : complete statements that led to it
    """

    task: InteractionTask
    roles: Roles | None = None
    wide: WideTable | None = None
    evidence: tuple[str, ...] = field(default=())

    @property
    def why(self) -> str:
        """The evidence in one clause, for the reason of a task."""
        return "; ".join(self.evidence)

    @property
    def what(self) -> str:
        """What the table holds."""
        return _WHAT[self.task]

    @property
    def override(self) -> str:
        """How the user says that it is something else."""
        return f'--task "no target", or {_OVERRIDE[self.task]}'


def recognize(
    stats: TableStats, task: str | None = None, named: Mapping[str, str] | None = None, *, lenient: bool = False
) -> Recognition | None:
    """What the table is, or None if it looks like an ordinary table.

    Parameters
    ----------
    look : the table
    task : "baskets", "ratings" or "visits" if the user said so; found by default
    named : the columns that the user named: basket, item, user, rating
    lenient : whether the command itself says that the table holds interactions; then little evidence suffices
    """
    facts = facts_of(stats)
    given = {part: name for part, name in (named or {}).items() if name}
    if given:
        return _from_names(facts, given, task)
    lenient = lenient or task in TASKS
    wanted = task if task in TASKS else None
    wide = wide_table(facts, wanted, lenient)
    if wide is not None and (wanted is None or wanted == wide.task):
        return Recognition(wide.task, wide=wide, evidence=wide.evidence)
    roles = long_roles(facts, wanted, lenient)
    return None if roles is None else _of_roles(roles, wanted)


def _of_roles(roles: Roles, wanted: str | None) -> Recognition:
    task: InteractionTask
    if wanted == "ratings" and roles.rating is not None:
        task = "ratings"
    elif wanted in ("ratings", "visits"):
        task = "visits"
    elif wanted == "baskets" or roles.basket is not None:
        task = "baskets"
    else:
        task = "visits" if roles.rating is None else "ratings"
    return Recognition(task, roles=roles, evidence=roles.evidence)


def _from_names(facts: list[Facts], given: Mapping[str, str], task: str | None) -> Recognition:
    known = {one.name for one in facts}
    unknown = [name for name in given.values() if name not in known]
    if unknown:
        actual = f"there is no {join_some(map(repr, unknown))}; there are {join_some(map(repr, sorted(known)), 12)}"
        raise ParameterError(format_message("report", "columns that are named must be in the table", actual=actual))
    roles = named_roles(facts, given)
    if roles.item is None or (roles.basket is None and roles.user is None):
        requirement = "--item must be named together with --basket or --user"
        raise ParameterError(
            format_message("report", requirement, actual=f"got {join_some([f'--{part}' for part in given])}")
        )
    found_roles = replace(roles, evidence=("the columns were named by the user",))
    wanted = task if task in TASKS else ("baskets" if "basket" in given else "ratings" if "rating" in given else None)
    return _of_roles(found_roles, wanted)


def not_recognized(task: str, names: list[Any], who: str = "report") -> DataError:
    """The error of a table in which nothing of the kind can be recognized."""
    requirement = {
        "baskets": "baskets must be one per line, or in columns of basket and item, or in columns of 0 and 1",
        "ratings": "ratings must be in columns of user, item and rating, or in one column for each item",
        "visits": "visits must be in columns of user and item",
    }[task]
    actual = f"the columns {join_some([repr(str(name)) for name in names], 12)} do not look so"
    return DataError(format_message(who, requirement, actual=actual, hint=f"name the columns: {_OVERRIDE[task]}"))
