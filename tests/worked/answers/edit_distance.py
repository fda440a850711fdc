"""Answers by ``pellucid.metrics.edits``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid import metrics
from pellucid.reference import edit_distance as reference

from ..frame import Example, PathName, answers

NOUNS = {"substitute": "substitution", "delete": "deletion", "insert": "insertion"}


@answers("003-levenshtein-substitution-cost-2")
def levenshtein(example: Example, path: PathName) -> Mapping[str, Any]:
    costs = {name: example.settings[f"{name}_cost"] for name in ("insert", "delete", "substitute")}
    pairs = example.data["pairs"]
    distance = metrics.edit_distance if path == "kernel" else reference.distance
    found: dict[str, Any] = {}
    for a, b in pairs:
        found[f"distance({a}, {b})"] = distance(a, b, **costs)
        found[f"operations {a} to {b}"] = _in_words(a, b, costs, path)
    found["same pairs with unit substitution cost"] = [distance(a, b) for a, b in pairs]
    if path == "reference":
        found["trace: 1"] = {"dp_matrix_Hello_Yellow": reference.table(*pairs[0], **costs).tolist()}
    return found


def _in_words(a: str, b: str, costs: dict[str, float], path: PathName) -> str:
    if path == "kernel":
        return metrics.edit_operations(a, b, **costs).summary
    steps = reference.operations(a, b, **costs)
    parts = []
    for action, noun in NOUNS.items():
        letters = [" to ".join(filter(None, step[2:])) for step in steps if step[0] == action]
        if letters:
            parts.append(f"{len(letters)} {noun}{'s' if len(letters) > 1 else ''} ({', '.join(letters)})")
    return " + ".join(parts)
