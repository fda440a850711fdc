"""What an exercise hides on a page, and the fields and answers that stand there instead."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.working.exercise import Exercise
from pellucid.working.expression import Cell, Lookup, Previous
from pellucid.working.html_elements import data_value, element, lines
from pellucid.working.matrix import Block, ColumnOf, Entry, Grid, Named, Node, Stack, Vector, named_in

# Rounding leaves numbers of about this share of the data where the true answer is zero, and zero must count as right.
_ROUNDING = 1e-10


class Hidden:
    """Which numbers of a working an exercise must not show."""

    def __init__(self, exercise: Exercise | None) -> None:
        self.blank: frozenset[str] = frozenset() if exercise is None else exercise.blank

    def asks(self, cell: Named) -> bool:
        """Is it for the student to fill in?"""
        return cell.name in self.blank

    def repeats(self, cell: Named) -> bool:
        """Is it a mere copy of an answer, which would give that away?"""
        if not self.blank or self.asks(cell) or cell.source is None:
            return False
        return any(self.asks(source_cell) or self.repeats(source_cell) for source_cell in _copied(cell.source))

    def covers(self, cell: Named) -> bool:
        """Is its number left out?"""
        return self.asks(cell) or self.repeats(cell)

    def spoils(self, cell: Named) -> bool:
        """Would its formula, with the numbers put in, show an answer?"""
        if not self.blank or cell.source is None:
            return False
        return self.covers(cell) or any(self.covers(source_cell) for source_cell in _read(cell.source))


def _read(tree: Node) -> list[Named]:
    return [tree] if isinstance(tree, Cell | Block) else list(named_in(tree))


def _copied(tree: Node) -> list[Named]:
    """The named cells whose numbers a formula repeats as they are."""
    if isinstance(tree, Cell | Block):
        return [tree]
    if isinstance(tree, Grid | Stack):
        return [cell for item in tree.children() for cell in _copied(item)]
    if isinstance(tree, ColumnOf | Entry | Lookup | Previous | Vector):
        return _copied(tree.children()[0])
    return []


def field(at: str, name: str | None) -> str:
    """A place for one number, and for what the script says of it. ``name`` is for where no label stands beside it."""
    typed = element(
        "input", None, id=at, type="text", inputmode="decimal", autocomplete="off", spellcheck="false", size=10,
        aria_label=name, aria_describedby=f"{at}-said", class_="pw-field",
    )  # fmt: skip
    return typed + element("span", "", id=f"{at}-said", class_="pw-said")


def answers_of(exercise: Exercise, fields: dict[str, Any], solution: str) -> str:
    """The answers of a step for the script: not to be read at a glance, yet no secret from those who look for it."""
    payload = {
        "fields": {at: _answer(value) for at, value in fields.items()},
        "near": exercise.tolerance,
        "rounding": _ROUNDING * _size(exercise),
        "solution": solution,
    }
    return b64encode(json.dumps(payload).encode()).decode()


def _answer(value: Any) -> float | str:
    """A number as such; what JSON has no number for (infinity, a flag, a word) as text."""
    is_number = not isinstance(value, str | bool | np.bool_) and np.isfinite(value)
    return float(value) if is_number else data_value(value)


def _size(exercise: Exercise) -> float:
    """The largest number that is given."""
    inputs = [np.asarray(cell.value) for cell in exercise.working.cells.values() if cell.source is None]
    numbers = [np.abs(values[np.isfinite(values)]) for values in inputs if values.dtype.kind in "iuf"]
    return float(max((values.max(initial=0.0) for values in numbers), default=0.0))


def task(exercise: Exercise) -> str:
    """What is to be done, above all steps."""
    instructions = f"Fill in the fields ({count(len(exercise.blank), 'quantity', 'quantities')}). "
    instructions += f"An answer is right within {exercise.tolerance * 100:g} % of the exact number."
    without = element("p", "Checking the answers needs JavaScript.", class_="pw-needs-script")
    button = element("button", "Check all", type="button", data_check="all")
    bar = element("div", button + _summary(), class_="pw-check", hidden=True)
    return element("div", lines(element("p", instructions), without, bar), class_="pw-task")


def check_bar(step_number: int) -> str:
    """The check of one step, and its solution."""
    button = element("button", f"Check step {step_number}", type="button", data_check="step")
    bar = element("div", button + _summary(), class_="pw-check", hidden=True)
    without = element("p", "Showing the solution needs JavaScript.", class_="pw-needs-script")
    container = element("div", "", class_="pw-solved")
    solution = element("details", lines("<summary>Show solution</summary>", without, container), class_="pw-solution")
    return lines(bar, solution)


def _summary() -> str:
    return element("span", "", class_="pw-summary", role="status", aria_live="polite")
