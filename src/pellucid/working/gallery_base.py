"""What the gallery is made with: a stored example, the register of those that are shown, several workings as one.

An example's data and settings lie in ``examples/<id>.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.expression import Cell
from pellucid.working.model import Working

EXAMPLES = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Example:
    """A worked example as stored: data, settings, and what must come out."""

    id: str
    title: str
    data: dict[str, Any]
    settings: dict[str, Any]


SHOWN: dict[str, Callable[[Example], Working]] = {}


def example(name: str) -> Callable[[Callable[[Example], Working]], Callable[[Example], Working]]:
    """Register the function that shows an example."""

    def register(function: Callable[[Example], Working]) -> Callable[[Example], Working]:
        SHOWN[name] = function
        return function

    return register


@cache
def load(name: str) -> Example:
    """An example's data."""
    stored = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return Example(stored["id"], stored["title"], stored["data"], stored["settings"])


def column(values: Any) -> Floats:
    """One variable as a table of one column."""
    return np.asarray(values, dtype=np.float64).reshape(-1, 1)


def parts_of(*sections: tuple[str, str, Working]) -> Working:
    """Several workings as one: (name before the cells, title before the steps, working)."""
    combined = Working("")
    combined.intro = sections[0][2].intro
    for name, title, working in sections:
        combined.take(working, name, title)
    return combined


def cell_of(w: Working, name: str) -> Cell:
    """A cell by its name."""
    cell = w.cells[name]
    assert isinstance(cell, Cell)
    return cell
