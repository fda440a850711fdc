"""Cases of which the first few always run: random tables and settings, by number, and further settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def numbers(count: int, always: int = 6) -> list[Any]:
    """The numbers below ``count`` as cases of a test; those after the first few count as exhaustive."""
    return some(range(count), always)


def some(values: Iterable[Any], always: int = 1) -> list[Any]:
    """Values as cases of a test; those after the first few count as exhaustive."""
    return [
        pytest.param(value, marks=[pytest.mark.exhaustive] if place >= always else [])
        for place, value in enumerate(values)
    ]
