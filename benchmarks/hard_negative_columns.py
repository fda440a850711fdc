"""Columns of clean tables that look dirty, and the register of the families of such tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Columns = dict[str, list[str]]
Family = Callable[[np.random.Generator, int], Columns]
FAMILIES: dict[str, Family] = {}


def family(function: Family) -> Family:
    FAMILIES[function.__name__.lstrip("_")] = function
    return function


def skewed(random: np.random.Generator, words: str, n: int) -> list[str]:
    """Levels, written between bars, of which the first are frequent and the last rare, as misspellings are."""
    levels = words.split("|")
    weights = 1.0 / np.arange(1, len(levels) + 1) ** 2.5
    cells = random.choice(np.array(levels, dtype=object), size=n, p=weights / weights.sum())
    cells[: len(levels)] = levels
    return [str(cell) for cell in random.permutation(cells)]


def numbers(random: np.random.Generator, n: int, decimals: int = 2, mean: float = 50.0) -> list[str]:
    return [f"{abs(x):.{decimals}f}" for x in random.normal(mean, mean / 5, n)]


def mixed(random: np.random.Generator, cells: list[str], others: Sequence[str], share: float = 0.05) -> list[str]:
    """Some cells replaced by others, each of which occurs."""
    places = random.permutation(len(cells))[: max(len(others), int(share * len(cells)))]
    for k, place in enumerate(places.tolist()):
        cells[place] = others[k % len(others)]
    return cells
