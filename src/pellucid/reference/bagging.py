"""Bagging: samples with replacement, a model on each, and their vote or mean.

A *learner* is a function from rows and their targets to a *rule*; a rule is a function from rows to answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rule = Callable[[NDArray[Any]], NDArray[Any]]
Learner = Callable[[NDArray[Any], NDArray[Any]], Rule]


def bootstrap_sample(n: int, random: np.random.RandomState, size: int | None = None) -> NDArray[np.intp]:
    """Numbers of rows, drawn with replacement: every draw may be any of the n rows."""
    return np.array([random.randint(0, n) for _ in range(n if size is None else size)], dtype=np.intp)


def rows_left_out(sample: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """The rows that are not in a sample: out of its bag."""
    inside = set(sample.tolist())
    return np.array([i for i in range(n) if i not in inside], dtype=np.intp)


def bag(learner: Learner, X: NDArray[Any], y: NDArray[Any], samples: list[NDArray[np.intp]]) -> list[Rule]:
    """One rule for each sample."""
    return [learner(X[rows], y[rows]) for rows in samples]


def majority(votes: list[Any]) -> Any:
    """The answer given most often; of equals the lowest."""
    counts = {label: votes.count(label) for label in sorted(set(votes))}
    max_count = max(counts.values())
    return next(label for label, count in counts.items() if count == max_count)


def bagged_votes(rules: list[Rule], X: NDArray[Any]) -> list[Any]:
    """The majority of the rules' answers, row by row."""
    predictions = [rule(X).tolist() for rule in rules]
    return [majority([labels[i] for labels in predictions]) for i in range(len(X))]


def bagged_mean(rules: list[Rule], X: NDArray[Any]) -> NDArray[np.float64]:
    """The mean of the rules' answers."""
    total = np.zeros(len(X))
    for rule in rules:
        total = total + rule(X)
    return total / len(rules)


def out_of_bag(
    rules: list[Rule], samples: list[NDArray[np.intp]], X: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """For each row the mean answer of the rules that did not learn from it (NaN if there is none), and their number."""
    sums, n_votes = np.zeros(len(X)), np.zeros(len(X), dtype=np.intp)
    for rule, sample in zip(rules, samples, strict=True):
        unseen = rows_left_out(sample, len(X))
        if len(unseen):
            sums[unseen] += rule(X[unseen])
            n_votes[unseen] += 1
    mean = np.array([s / t if t else np.nan for s, t in zip(sums, n_votes, strict=True)])
    return mean, n_votes


def stump(column: int, threshold: float, at_most: Any, above: Any) -> Rule:
    """One question: is the column at most the threshold?"""
    return lambda X: np.where(X[:, column] <= threshold, at_most, above)
