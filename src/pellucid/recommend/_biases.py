"""The biases of users and items, for the estimators that start from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import ConvergenceWarning, count, format_message, warn
from pellucid.base.types import Floats
from pellucid.data.ratings import Ratings
from pellucid.estimator.trace import Trace


def fit_biases(
    model: Any, ratings: Ratings, penalties: tuple[float, float], trace: Trace, max_iter: int = 0, tol: float = -1
) -> tuple[float, Floats, Floats, int]:
    """Mean, biases of users and of items, and passes taken."""
    values = ratings.by_user[2]
    mean = float(np.mean(values))
    users, items = np.zeros(len(ratings.users)), np.zeros(len(ratings.items))
    limit = max_iter or model.max_iter
    share = model.tol if tol < 0 else tol
    span = float(np.ptp(values))

    def attributes(parameters: Floats) -> dict[str, Any]:
        own, others = np.split(parameters, [len(users)])
        return {"mean_": mean, "user_bias_": own, "item_bias_": others}

    passes, change, record = _core.fit_biases(
        ratings.by_user,
        ratings.by_item,
        mean,
        penalties[0],
        penalties[1],
        limit,
        share * span,
        users,
        items,
        model._threads,
        trace.record,
        trace.listener(attributes),
    )
    trace.take(record)
    if passes == limit and change > share * span:
        requirement = f"the biases should settle within max_iter={limit}"
        actual = f"they still change by {change:.2g} after {count(passes, 'pass')}"
        warn(
            format_message(
                type(model).__name__, requirement, actual=actual, hint="raise max_iter or tol, or the penalties"
            ),
            ConvergenceWarning,
        )
    return mean, users, items, passes
