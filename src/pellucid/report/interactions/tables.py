"""Reading a table of interactions in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.base.threads import effective_threads
from pellucid.data.baskets import Baskets
from pellucid.quality.column import TableStats, compute_stats
from pellucid.report.interactions.collecting import Interactions, baskets_from, interactions_from
from pellucid.report.interactions.recognition import Recognition, not_recognized, recognize


def baskets_of_table(table: Any, named: Mapping[str, str] | None = None) -> Baskets:
    """The baskets of a table that holds some in any form.

    Parameters
    ----------
    named : the columns that play a part: basket, item; found by default
    """
    stats = compute_stats(table, "baskets_of_table", None, effective_threads(None))
    return baskets_from(stats, recognized(stats, "baskets", named))[0]


def interactions_of_table(table: Any, task: str, named: Mapping[str, str] | None = None) -> Interactions:
    """The ratings or visits of a table that holds some in any form.

    Parameters
    ----------
    task : "ratings" or "visits"
    named : the columns that play a part: user, item, rating; found by default
    """
    stats = compute_stats(table, "interactions_of_table", None, effective_threads(None))
    return interactions_from(stats, recognized(stats, task, named))


def recognized(
    stats: TableStats, task: str, named: Mapping[str, str] | None = None, who: str = "report"
) -> Recognition:
    """What a table is of which the user said what it holds; an error if it cannot be that."""
    found = recognize(stats, task, named, lenient=True)
    if found is None:
        raise not_recognized(task, [column.name for column in stats.columns], who)
    return found
