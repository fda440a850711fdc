"""Where in the workings of baskets each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .answers.association import CONFIDENCES, SETS
from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("003-association-rules-fast-food")
def fast_food(w: Working, e: Example) -> Mapping[str, Any]:
    items = sorted({item for order in e.data["transactions"] for item in order})

    def cell(part: str, what: str, one: tuple[str, ...]) -> Any:
        return w.value(f"{part}.{what}_{'_'.join(str(items.index(item)) for item in one)}")

    titles = [step.title for step in w.steps]
    place = {
        title.split(": ", 2)[2]: title.split(": ", 2)[1].removeprefix("Rule ")
        for title in titles
        if title.startswith("Rules asked for: Rule ")
    }
    rule = {one: place[f"{' + '.join(one[0])} → {' + '.join(one[1])}"] for one in CONFIDENCES.values()}
    number, certain = rule[("coke", "hamburger"), ("salad",)], rule[("hamburger", "salad"), ("coke",)]
    frequent = {}
    for name, found in w.cells.items():
        if name.startswith("sets.support_") and found.value >= e.settings["derived_min_support"]:
            codes = [int(code) for code in name.removeprefix("sets.support_").split("_")]
            frequent[" + ".join(items[code] for code in codes)] = found.value
    rules = []
    for title in titles:
        if title.startswith("Rules: Rule "):
            _, tag, words = title.split(": ", 2)
            k = tag.removeprefix("Rule ")
            figures = [w.value(f"rules.rule_{k}_{name}") for name in ("support", "confidence", "lift")]
            rules.append([*words.split(" → "), *figures])
    return {
        **{what: cell("asked", "support", one) for what, one in SETS.items()},
        **{what: w.value(f"asked.rule_{rule[one]}_confidence") for what, one in CONFIDENCES.items()},
        "lift({hamburger, salad} -> {coke})": w.value(f"asked.rule_{certain}_lift"),
        "orders that confirm / contradict hamburger + coke -> salad": [
            int(w.value(f"asked.rule_{number}_confirms")),
            int(w.value(f"asked.rule_{number}_contradicts")),
        ],
        "frequent item sets at support >= 0.5": frequent,
        "rules [lhs, rhs, support, confidence, lift] at confidence >= 0.8": rules,
    }


@reads("003-apriori-lattice-pruning")
def lattices(w: Working, e: Example) -> Mapping[str, Any]:
    def chosen(name: str) -> list[str]:
        cell: Any = w.cells[name]
        return [str(label) for label, mark in zip(cell.axis.labels, cell.value.tolist(), strict=True) if mark == 1]

    return {
        "item sets removed (ab and its supersets)": chosen("removed"),
        "number of non-empty item sets": int(w.value("n_sets")),
        "number removed": int(w.value("n_removed")),
        "rules pruned after bcd => a fails": sorted(chosen("pruned")),
        "number of candidate rules from abcd": int(w.value("n_rules")),
    }
