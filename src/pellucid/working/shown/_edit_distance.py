"""How an edit distance comes about: the whole table of the dynamic programme, cell by cell."""

from __future__ import annotations

from typing import Any

from pellucid.metrics.edits import edit_operations
from pellucid.working.entry import shows
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import equal, lookup, previous, smallest, where
from pellucid.working.model import Working
from pellucid.working.shown._rows import refuse

MOST_LETTERS = 30


@shows("metrics.edit_distance")
def edit_distance(
    w: Working,
    result: Any,
    a: str,
    b: str,
    *,
    insert: float = 1,
    delete: float = 1,
    substitute: float = 1,
    cutoff: float | None = None,
    n_jobs: int | None = None,
) -> None:
    w.title = "Edit distance"
    if not isinstance(a, str) or not isinstance(b, str):
        refuse("edit_distance", "the working is of two texts", "got lists", "show one pair")
    if max(len(a), len(b)) > MOST_LETTERS:
        actual = f"got {len(a)} and {len(b)} letters"
        refuse(
            "edit_distance", f"the working is of texts of at most {MOST_LETTERS} letters", actual, "show shorter ones"
        )
    w.intro = f"What it costs at least to turn {a!r} into {b!r}, letter by letter."
    w.step("Costs", "What each change costs; a letter that stays costs nothing.")
    costs = {
        name: w.given(name, float(value), symbol=rf"\text{{{name}}}", label=f"cost of {label}")
        for name, value, label in (
            ("insert", insert, "an insertion"),
            ("delete", delete, "a deletion"),
            ("substitute", substitute, "a substitution"),
        )
    }
    last = _programme(w, a, b, costs)
    operations = edit_operations(a, b, insert=insert, delete=delete, substitute=substitute)
    w.step("Distance", f"The last cell. One way of that cost, read backwards from it: {operations.summary}.")
    d = w.cell("distance", last, symbol="d", label="edit distance")
    w.check(d, operations.distance if cutoff is not None else result, "distance")
    counts = {
        name: w.given(
            f"n_{name}", float(sum(step.action == name for step in operations)), symbol=f"n_{name[0]}", label=noun
        )
        for name, noun in NOUNS.items()
    }
    spent = sum((costs[name] * counts[name] for name in list(NOUNS)[1:]), costs["substitute"] * counts["substitute"])
    w.cell("spent", spent, symbol=r"\text{spent}", label="cost of that way", equals=operations.distance,
           attribute="distance")  # fmt: skip
    if cutoff is not None:
        w.step("Cutoff", "A distance above the cutoff is given as one more than the cutoff.")
        k = w.given("cutoff", float(cutoff), symbol="k", label="cutoff")
        w.cell("given", where(d > k, k + 1, d), symbol=r"\text{given}", label="what is given", equals=result,
               attribute="edit_distance(a, b)")  # fmt: skip


NOUNS = {"substitute": "substitutions", "delete": "deletions", "insert": "insertions"}


def _programme(w: Working, a: str, b: str, costs: dict[str, Cell]) -> Any:
    """Adds the table, a column for each letter of a and a line for each letter of b; answers its last cell."""
    if not a or not b:
        return (len(a) * costs["delete"]) + (len(b) * costs["insert"])
    axis = Axis("letter", [f"{position} {letter}" for position, letter in enumerate(b, start=1)], "j", "m", raised=True)
    w.step(
        "Table",
        "A column for each letter of the first text, a line for each letter of the second. A cell is the cheapest of "
        "three: the cell before plus a deletion, the cell above plus an insertion, the cell before and above plus a "
        "substitution, which is free for equal letters.",
    )
    letters = w.given("b", list(b), axis, symbol="b", label="letter")
    row_before = w.recurring("D_0", axis, 0, symbol="D_0", label="nothing")
    w.becomes(row_before, previous(row_before) + costs["insert"])
    for i, letter in enumerate(a, start=1):
        here = w.recurring(f"D_{i}", axis, i * costs["delete"], symbol=f"D_{{{i}}}", label=f"{i} {letter}")
        substituted = previous(row_before) + where(equal(letters, letter), 0, costs["substitute"])
        w.becomes(here, smallest(row_before + costs["delete"], previous(here) + costs["insert"], substituted))
        row_before = here
    w.run(axis)
    return lookup(row_before, len(b))
