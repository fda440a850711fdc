"""Voting: labels counted, or probabilities averaged, each member by its weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def hard_vote(answers: list[list[Any]], weights: list[float]) -> list[Any]:
    """The label with the most weight behind it, row by row; `answers` has one list a member. Of equals the lowest."""
    majority_labels = []
    for row_votes in zip(*answers, strict=True):
        behind = dict.fromkeys(sorted(set(row_votes)), 0.0)
        for label, weight in zip(row_votes, weights, strict=True):
            behind[label] += weight
        max_weight = max(behind.values())
        majority_labels.append(next(label for label, weight in behind.items() if weight == max_weight))
    return majority_labels


def soft_vote(probabilities: list[NDArray[np.float64]], weights: list[float]) -> NDArray[np.float64]:
    """The weighted mean of the members' tables of probabilities (rows x classes)."""
    total = np.zeros_like(probabilities[0])
    for table, weight in zip(probabilities, weights, strict=True):
        total = total + weight * table
    return total / sum(weights)


def mean_vote(predictions: list[NDArray[np.float64]], weights: list[float]) -> NDArray[np.float64]:
    """The weighted mean of the members' numbers."""
    total = np.zeros(len(predictions[0]))
    for numbers, weight in zip(predictions, weights, strict=True):
        total = total + weight * numbers
    return total / sum(weights)
