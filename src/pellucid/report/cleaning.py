"""The part of a cleaning that goes with a model: what is done to new rows before it sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pellucid.data.slices import names_of
from pellucid.quality import Cleaner, Remedy
from pellucid.report.columns import chosen_columns


def cleaning_steps(remedies: Sequence[Remedy], table: Any) -> list[tuple[str, Any]]:
    """Fitted steps for the beginning of a pipeline: the columns chosen, and cleaned, with every row kept. None where no
    remedy is about these columns.

    Parameters
    ----------
    remedies : settled ones, as ``Cleaner.remedies_`` has them
    table : the columns that the model sees, before they were cleaned
    """
    names = set(names_of(table))
    kept = [
        one
        for one in remedies
        if not one.action.startswith("drop_") and names.issuperset(map(str, one.columns)) and _inside(one, names)
    ]
    if not kept:
        return []
    chosen = chosen_columns(names_of(table)).fit(table)
    return [("columns", chosen), ("cleaner", Cleaner(remedies=kept).fit(table))]


def _inside(remedy: Remedy, names: set[str]) -> bool:
    """Does a remedy look at no other column?"""
    others = [remedy.settings[key] for key in ("key",) if key in remedy.settings]
    return names.issuperset(map(str, [*others, *remedy.settings.get("of", ())]))
