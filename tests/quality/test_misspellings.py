"""Rare values that are slips of frequent ones."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.quality.misspellings import similar_values
from pellucid.reference.edit_distance import damerau


def by_comparing_all(texts: list[str], counts: list[int], ratio: float) -> list[tuple[int, int, int]]:
    """The rule of the docstring, pair by pair."""
    found = []
    for r, rare in enumerate(texts):
        best = []
        for f, frequent in enumerate(texts):
            shorter = min(len(rare), len(frequent))
            most = 2 if shorter >= 8 else 1 if shorter >= 4 else 0
            apart = damerau(rare, frequent)
            digits = ["".join(filter(str.isdigit, text)) for text in (rare, frequent)]
            if 0 < apart <= most and counts[f] >= ratio * counts[r] and digits[0] == digits[1]:
                best.append((apart, -counts[f], f))
        if best:
            apart, _, f = min(best)
            found.append((r, f, apart))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_as_by_comparing_all(seed: int) -> None:
    chance = random.Random(seed)
    texts: dict[str, int] = {}
    for _ in range(20):
        text = "".join(chance.choices("abc1", k=chance.choice([2, 4, 6, 8, 12, 20, 22, 30])))
        texts.setdefault(text, chance.choice([1, 2, 40, 100]))
        for _ in range(2):
            place = chance.randrange(len(text))
            other = text[:place] + chance.choice(["", "a", "b2"]) + text[place + 1 :]
            texts.setdefault(other or "z", chance.choice([1, 1, 2, 9]))
    listed, counts = list(texts), list(texts.values())
    for jobs in (1, 2):
        assert similar_values(listed, counts, ratio=5, n_jobs=jobs) == by_comparing_all(listed, counts, 5)


def test_short_words_and_numbers_are_left_alone() -> None:
    assert similar_values(["cat", "car"], [90, 1]) == []
    assert similar_values(["Room 12", "Room 13"], [90, 1]) == []
    assert similar_values(["Room 12", "Rom 12"], [90, 1]) == [(1, 0, 1)]


def test_neighbors_that_changed_places_are_one_edit() -> None:
    assert similar_values(["Vienna", "Veinna"], [50, 1]) == [(1, 0, 1)]


def test_equally_frequent_values_are_no_misspellings() -> None:
    assert similar_values(["Marta", "Maria"], [50, 45]) == []
    assert similar_values(["Marta", "Maria"], [50, 45], ratio=1) == [(1, 0, 1)]


def test_distance_holds_whatever_the_length() -> None:
    assert similar_values(["New York", "Nw Yrk"], [50, 1]) == []
    assert similar_values(["New York", "Nw Yrk"], [50, 1], distance=2) == [(1, 0, 2)]
    assert similar_values(["Liverpool", "Livrpol"], [50, 1], distance=1) == []


def test_nothing_and_one() -> None:
    assert similar_values([], []) == []
    assert similar_values(["alone"], [3]) == []
    assert similar_values(["", "long enough"], np.array([1, 5])) == []


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match="equal length"):
        similar_values(["a"], [1, 2])
    with pytest.raises(DataError, match="must be text"):
        similar_values(["a", 3], [1, 2])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="ratio must be at least 1"):
        similar_values(["a"], [1], ratio=0.5)
    with pytest.raises(ParameterError, match="distance must be 1, 2 or None"):
        similar_values(["a"], [1], distance=3)
