"""Where in the workings of ID3 and C4.5 each figure of their examples stands; after `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


class Page:
    """The tables of one node."""

    def __init__(self, w: Working, part: str) -> None:
        self.w, self.part = w, part
        self.happy = [str(label) for label in w.value(f"{part}.class")].index("yes") + 1

    def value(self, name: str) -> Any:
        return self.w.value(f"{self.part}.{name}")

    def at(self, name: str, j: int, place: Any) -> float:
        """An entry of a table of column j, by the category or cut that it stands for."""
        return float(self.value(f"{name}_{j}")[np.asarray(self.value(f"v_{j}")).tolist().index(place)])

    def counts(self, j: int, place: Any, side: str = "n") -> list[int]:
        """(happy, not) in a category, up to a cut ("n") or beyond it ("o")."""
        return [round(self._count(side, j, k, place)) for k in (self.happy, 3 - self.happy)]

    def _count(self, side: str, j: int, k: int, place: Any) -> float:
        places = np.asarray(self.value(f"v_{j}")).tolist()
        return float(self.value(f"{side}_{j}_{k}")[places.index(place)])


@reads("004-id3-happiness")
def happiness(w: Working, e: Example) -> Mapping[str, Any]:
    root, medium = Page(w, "root"), Page(w, "medium")
    split = {word: root.counts(3, word) for word in ("high", "low", "medium")}
    return {
        "H(S), 7 yes / 5 no": root.value("H"),
        "H(gratitude=yes), 5/1": root.at("e", 1, "yes"),
        "H(gratitude=no), 2/4": root.at("e", 1, "no"),
        "IG(gratitude)": root.value("gain_1"),
        "H(compare=yes), 4/0": root.at("e", 2, "yes"),
        "H(compare=no), 3/8 5/8": root.at("e", 2, "no"),
        "IG(compare)": root.value("gain_2"),
        "H(expecting=high), 0/4": root.at("e", 3, "high"),
        "counts expecting=medium (happy, not)": split["medium"],
        "H(expecting=medium)": root.at("e", 3, "medium"),
        "counts expecting=low (happy, not)": split["low"],
        "H(expecting=low)": root.at("e", 3, "low"),
        "IG(expecting)": root.value("gain_3"),
        "root feature": ["gratitude", "compare", "expecting"][int(root.value("place")) - 1],
        "split tables on expecting: class counts {high,medium,low}": split,
        "second level (expecting=medium): IG(gratitude)": medium.value("gain_1"),
        "second level (expecting=medium): IG(compare)": medium.value("gain_2"),
        "trace: the source's own arithmetic with its rounded inputs": {
            "step": "the source's own arithmetic with its rounded inputs",
            "IG_gratitude": w.value("rounded_gain_1"),
            "IG_compare": w.value("rounded_gain_2"),
            "IG_expecting": w.value("rounded_gain_3"),
        },
    }


@reads("004-c45-happiness-continuous")
def continuous(w: Working, e: Example) -> Mapping[str, Any]:
    root = Page(w, "root")
    found: dict[str, Any] = {"H(S), 7/5": root.value("H")}
    for word in ("yes", "no"):
        found[f"counts gratitude={word} (happy, not)"] = root.counts(1, word)
        found[f"H(gratitude={word})"] = root.at("e", 1, word)
    for j, name in ((1, "gratitude"), (2, "compare")):
        found |= {f"IG({name})": root.value(f"gain_{j}"), f"Split({name})": root.value(f"info_{j}")}
        found[f"GainRatio({name})"] = root.value(f"ratio_{j}")
    for v in (0.2, 0.4, 0.5, 0.8):
        both = [root.counts(3, v), root.counts(3, v, "o")]
        found[f"threshold {v}: counts <= (happy, not), > (happy, not)"] = both
        found |= {f"IG(expecting at {v})": root.at("g", 3, v), f"Split(expecting at {v})": root.at("i", 3, v)}
        found[f"GainRatio(expecting at {v})"] = root.at("q", 3, v)
    found["H(expecting > 0.2), 4/5"] = root.at("d", 3, 0.2)
    found["H(expecting > 0.4), 3/5"] = root.at("d", 3, 0.4)
    cuts = np.asarray(root.value("v_3"))
    best = int(root.value("place_3")) - 1
    values = sorted({float(v) for v in e.data["expecting"]})
    after = values[values.index(float(cuts[best])) + 1]
    return {
        **found,
        "best split": {
            "feature": ["gratitude", "compare", "expecting"][int(root.value("place")) - 1],
            "threshold_value": float(cuts[best]),
            "midpoint": (float(cuts[best]) + after) / 2,
            "gain_ratio": root.value("ratio_3"),
        },
    }
