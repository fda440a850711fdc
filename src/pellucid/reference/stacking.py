"""Stacking: a final model learns from what members say of rows that they have not seen.

A *learner* is a function from rows and their targets to a *rule*; a rule is a function from rows to numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rule = Callable[[NDArray[Any]], NDArray[Any]]
Learner = Callable[[NDArray[Any], NDArray[Any]], Rule]


def folds_in_order(n: int, k: int) -> list[NDArray[np.intp]]:
    """The rows in k parts of nearly equal size, the larger ones first."""
    return [np.asarray(fold, dtype=np.intp) for fold in np.array_split(np.arange(n), k)]


def held_out_answers(
    learners: list[Learner], X: NDArray[Any], y: NDArray[Any], folds: list[NDArray[np.intp]]
) -> NDArray[np.float64]:
    """One column a member: its answer to each row, learned from the rows of the other folds."""
    table = np.empty((len(X), len(learners)))
    for t, learner in enumerate(learners):
        for fold in folds:
            training_rows = np.array([i for i in range(len(X)) if i not in set(fold.tolist())], dtype=np.intp)
            table[fold, t] = learner(X[training_rows], y[training_rows])(X[fold])
    return table


def stack(learners: list[Learner], final: Learner, X: NDArray[Any], y: NDArray[Any], k: int) -> Rule:
    """The final rule behind members that were fitted on all rows."""
    Z = held_out_answers(learners, X, y, folds_in_order(len(X), k))
    last = final(Z, y)
    members = [learner(X, y) for learner in learners]
    return lambda rows: last(np.column_stack([member(rows) for member in members]))
