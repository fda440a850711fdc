"""Worked examples as data: loading them, registering answers, comparing a figure.

An example (``pellucid/working/examples/<id>.json``) has ``data``, ``settings``, the list ``expected`` of figures
(``what``, ``value``, ``tolerance``; ``source_value`` is what the source printed where that matters) and a ``trace`` of
intermediate steps.
An answer is a function from an example and a path ("reference" or "kernel") to a dict: figure name -> value.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import pkgutil
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "src" / "pellucid" / "working" / "examples"
PathName = Literal["reference", "kernel"]
PATHS: tuple[PathName, ...] = ("reference", "kernel")


@dataclass(frozen=True)
class Figure:
    """One number, list, table or word that an example must give."""

    example: str
    name: str
    value: Any
    tolerance: float
    relative_tolerance: float
    comparison: str
    is_trace: bool


@dataclass(frozen=True)
class Example:
    """A worked example as stored."""

    id: str
    data: dict[str, Any]
    settings: dict[str, Any]
    figures: tuple[Figure, ...]


Answer = Callable[[Example, PathName], Mapping[str, Any]]
_answers: dict[str, Answer] = {}
_own: dict[str, dict[str, Any]] = {}


def answers(example: str, own: dict[str, Any] | None = None) -> Callable[[Answer], Answer]:
    """Register the decorated function as the answer to an example; ``own`` is an example that has no file."""

    def register(answer: Answer) -> Answer:
        if example in _answers:
            raise ValueError(f"answers: an example must have one answer; {example} has two.")
        _answers[example] = answer
        if own is not None:
            _own[example] = own
        return answer

    return register


@cache
def all_answers() -> dict[str, Answer]:
    """Every registered answer, after importing all modules of ``answers/``."""
    package = f"{__package__}.answers"
    for module in pkgutil.iter_modules([str(HERE / "answers")]):
        importlib.import_module(f"{package}.{module.name}")
    return dict(sorted(_answers.items()))


@cache
def answer(example: str, path: PathName) -> Mapping[str, Any]:
    """The answer to an example on a path, worked out once."""
    return all_answers()[example](load(example), path)


def needs(path: PathName) -> None:
    """Skip the running test where its path is not there: the kernels, in a tree that has not been built."""
    if path == "kernel" and importlib.util.find_spec("pellucid._core") is None:
        pytest.skip("the compiled core is not built")


def example_ids() -> list[str]:
    """Names of the example files on disk, in order."""
    return sorted(file.stem for file in EXAMPLES.glob("*.json"))


@cache
def load(example: str) -> Example:
    """One example with its figures: those expected, then the steps of the trace."""
    file = EXAMPLES / f"{example}.json"
    stored = _own[example] if example in _own else json.loads(file.read_text(encoding="utf-8"))
    expected = [
        Figure(
            example=example,
            name=entry["what"],
            value=entry["value"],
            tolerance=entry.get("tolerance") or 0,
            relative_tolerance=entry.get("relative_tolerance", 0),
            comparison=entry.get("comparison", "equal"),
            is_trace=False,
        )
        for entry in stored["expected"]
    ]
    figures = (*expected, *_trace(example, stored["trace"]))
    return Example(stored["id"], stored["data"], stored["settings"], figures)


def _trace(example: str, steps: list[dict[str, Any]]) -> list[Figure]:
    """Steps of a trace as figures named ``trace: <step>``; a step of another shape is named by its number."""
    named = Counter(step.get("step") for step in steps)
    figures = []
    for number, step in enumerate(steps, start=1):
        label = step.get("step")
        value = step.get("value", step.get("values", step))
        name = f"trace: {label}" if label is not None and named[label] == 1 else f"trace: {number}"
        figures.append(Figure(example, name, value, 1e-9, 1e-9, "equal", is_trace=True))
    return figures


@cache
def manifest() -> dict[str, Any]:
    """``manifest.toml``: which estimators or functions answer which example, and whether they do already."""
    return tomllib.loads((HERE / "manifest.toml").read_text(encoding="utf-8"))


def difference(figure: Figure, got: Any) -> str | None:
    """Where ``got`` departs from the figure, as a sentence that names example, figure, got and wanted; else None."""
    where = _departure(figure, plain(got), figure.value, "")
    if where is None:
        return None
    place, found, wanted = where
    at = f" at {place}" if place else ""
    margin = f" (tolerance {figure.tolerance:g})" if isinstance(wanted, int | float) else ""
    relation = {"upper bound": "at most ", "lower bound": "at least ", "closed interval": "within "}
    return (
        f"{figure.example}: {figure.name!r}{at}: got {found!r}, wanted {relation.get(figure.comparison, '')}{wanted!r}"
        f"{margin}"
    )


def faults(figures: Sequence[Figure], given: Mapping[str, Any]) -> list[str]:
    """Every figure that was not given, or is another, as a sentence."""
    missing = [f"{one.example}: no answer to {one.name!r}" for one in figures if one.name not in given]
    there = [difference(one, given[one.name]) for one in figures if one.name in given]
    return missing + [message for message in there if message is not None]


def plain(value: Any) -> Any:
    """NumPy arrays and scalars, tuples and mappings as the lists, numbers and dicts that JSON knows."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


def _departure(figure: Figure, got: Any, want: Any, place: str) -> tuple[str, Any, Any] | None:
    """The first place (index or key path) where got and want differ, with both values there."""
    if figure.comparison == "closed interval" and _is_number(got):
        low, high = want
        return None if low - figure.tolerance <= got <= high + figure.tolerance else (place, got, want)
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        inner = (_departure(figure, g, w, f"{place}[{i}]") for i, (g, w) in enumerate(zip(got, want, strict=True)))
        return next((found for found in inner if found is not None), None)
    if isinstance(want, dict) and isinstance(got, dict) and want.keys() == got.keys():
        inner = (_departure(figure, got[key], want[key], f"{place}[{key!r}]") for key in want)
        return next((found for found in inner if found is not None), None)
    return None if _same(figure, got, want) else (place, got, want)


def _same(figure: Figure, got: Any, want: Any) -> bool:
    """Whether two values that are neither lists nor dicts agree: numbers within the tolerance, others exactly."""
    if not (_is_number(got) and _is_number(want)):
        return type(got) is type(want) and bool(got == want)
    margin = figure.tolerance + figure.relative_tolerance * abs(want)
    if figure.comparison == "upper bound":
        return bool(got <= want + margin)
    if figure.comparison == "lower bound":
        return bool(got >= want - margin)
    return math.isfinite(got) and abs(got - want) <= margin


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
