"""A table without a target: groups of rows, outliers and components; rules of baskets; recommendations from ratings."""

from __future__ import annotations

from typing import Any

from pellucid.quality import Profile
from pellucid.report.outcome import Outcome, Task
from pellucid.report.race import Tell
from pellucid.report.reading import Taken


def explore(taken: Taken, described: Profile, task: Task, wish: Any, tell: Tell) -> Outcome:
    """What can be found without being told what to predict."""
    if task.kind == "baskets":
        from pellucid.report.baskets import find_rules

        return find_rules(taken, described, task, wish, tell)
    if task.kind == "ratings":
        from pellucid.report.ratings import find_recommender

        return find_recommender(taken, described, task, wish, tell)
    from pellucid.report.groups import find_groups

    return find_groups(taken, described, task, wish, tell)
