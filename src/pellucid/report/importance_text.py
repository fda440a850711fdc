"""The most important columns in a sentence: one list for the summary and for the figure."""

from __future__ import annotations

import numpy as np

from pellucid.inspection import Importance
from pellucid.report.page_text import cut

MOST_NAMED = 3
LEAST_IMPORTANCE = 0.02  # of the most important column: others are not named beside it


def most_important(importance: Importance, n_columns: int = 0) -> str:
    """The columns with the greatest importance, in their order, and which of them are not above chance. Where the model
    has more columns (``n_columns``) than were measured, it is said of how many they are the most important.

    >>> import numpy as np
    >>> scores = np.array([[0.9, 0.8], [0.2, 0.9], [0.9, 0.91], [1.0, 1.0]])
    >>> print(most_important(Importance(1.0, scores, ["age", "fare", "deck", "name"], 0)))
    Most important columns: fare, age, deck. Not above chance among them: fare.
    """
    means, chance = importance.importances_mean, importance.within_chance
    if chance.all() or not np.isfinite(means).any():
        return "No column alone has an importance above chance."
    least = LEAST_IMPORTANCE * float(np.nanmax(means))
    first = [j for j in importance.order.tolist() if means[j] > least][:MOST_NAMED]
    noun = "column" if len(first) == 1 else "columns"
    if len(means) < n_columns:
        noun += f" of the {len(means):,} measured (of {n_columns:,})"
    text = f"Most important {noun}: {_names(importance, first)}."
    unsure = [j for j in first if chance[j]]
    if not unsure:
        return text
    return f"{text} Not above chance among them: {_names(importance, unsure)}."


def _names(importance: Importance, places: list[int]) -> str:
    return ", ".join(cut(importance.feature_names[j], 40) for j in places)
