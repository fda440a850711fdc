"""ID3 and C4.5 on twelve people: which column parts the happy from the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import c45, id3

from ..frame import Example, PathName, answers

Floats = NDArray[np.float64]
YES, NO = 1, 0
ROUNDED = "the source's own arithmetic with its rounded inputs"


class Table:
    """Columns as codes of their sorted words, or as numbers; the target as 0 (no) and 1 (yes)."""

    def __init__(self, example: Example) -> None:
        self.names = [name for name in example.data if name != "happy"]
        self.raw = {name: np.asarray(example.data[name]) for name in self.names}
        self.y = (np.asarray(example.data["happy"]) == "yes").astype(int)

    def words(self, name: str) -> list[str]:
        return sorted(set(self.raw[name].tolist()))

    def codes(self, name: str) -> Floats:
        return np.searchsorted(self.words(name), self.raw[name]).astype(float)

    def counts(self, rows: NDArray[np.bool_]) -> list[int]:
        """(happy, not) among some rows."""
        return [int(np.sum(self.y[rows] == YES)), int(np.sum(self.y[rows] == NO))]


# ------------------------------------------------------------------------------------------------------------------ ID3


@answers("004-id3-happiness")
def happiness(example: Example, path: PathName) -> Mapping[str, Any]:
    t = Table(example)
    part = _reference_id3 if path == "reference" else _kernel_id3
    whole = np.ones(len(t.y), dtype=bool)
    one = {name: part(t, [name], whole) for name in t.names}
    medium = t.raw["expecting"] == "medium"
    below = {name: part(t, [name], medium) for name in ("gratitude", "compare")}
    root = part(t, t.names, whole)
    entropies = {(name, word): one[name]["children"][word][0] for name in t.names for word in t.words(name)}
    split = {word: one["expecting"]["children"][word][1] for word in t.words("expecting")}
    return {
        "H(S), 7 yes / 5 no": root["entropy"],
        "H(gratitude=yes), 5/1": entropies["gratitude", "yes"],
        "H(gratitude=no), 2/4": entropies["gratitude", "no"],
        "IG(gratitude)": one["gratitude"]["gain"],
        "H(compare=yes), 4/0": entropies["compare", "yes"],
        "H(compare=no), 3/8 5/8": entropies["compare", "no"],
        "IG(compare)": one["compare"]["gain"],
        "H(expecting=high), 0/4": entropies["expecting", "high"],
        "counts expecting=medium (happy, not)": split["medium"],
        "H(expecting=medium)": entropies["expecting", "medium"],
        "counts expecting=low (happy, not)": split["low"],
        "H(expecting=low)": entropies["expecting", "low"],
        "IG(expecting)": one["expecting"]["gain"],
        "root feature": t.names[root["feature"]],
        "split tables on expecting: class counts {high,medium,low}": split,
        "second level (expecting=medium): IG(gratitude)": below["gratitude"]["gain"],
        "second level (expecting=medium): IG(compare)": below["compare"]["gain"],
        f"trace: {ROUNDED}": {
            "step": ROUNDED,
            "IG_gratitude": 0.96 - 6 / 12 * 0.65 - 6 / 12 * 0.918,
            "IG_compare": 0.96 - 8 / 12 * 0.95,
            "IG_expecting": 0.96 - 5 / 12 * 0.97 - 5 / 12 * 0.72,
        },
    }


def _reference_id3(t: Table, names: list[str], rows: NDArray[np.bool_]) -> dict[str, Any]:
    X = np.column_stack([t.codes(name)[rows] for name in names])
    y, w = t.y[rows], np.ones(int(rows.sum()))
    node = id3.grow(X, y, w, 2, max_depth=1)
    children = {
        word: (
            id3.entropy(node.children[node.branch[code]].value),
            _happy_first(node.children[node.branch[code]].value),
        )
        for code, word in enumerate(t.words(names[node.feature]))
        if code in node.branch
    }
    gain = id3.information_gain(X[:, node.feature], y, w, 2)
    return {"entropy": id3.entropy(node.value), "gain": gain, "feature": node.feature, "children": children}


def _kernel_id3(t: Table, names: list[str], rows: NDArray[np.bool_]) -> dict[str, Any]:
    from pellucid.tree import ID3Classifier

    model = ID3Classifier(max_depth=1).fit(np.column_stack([t.raw[name][rows] for name in names]), t.y[rows])
    return _read(model, t, names)


def _read(model: Any, t: Table, names: list[str]) -> dict[str, Any]:
    tree = model.tree_
    known = model.schema_.categories[int(tree.feature[0])]
    children = {
        known[code]: (float(tree.impurity[child]), _happy_first(tree.value[child]))
        for branch, child in enumerate(tree.children(0))
        for code in tree.codes_of(0, branch)
    }
    first = {"entropy": float(tree.impurity[0]), "gain": float(model.gain_[0]), "feature": int(tree.feature[0])}
    return {**first, "info": float(model.split_info_[0]), "children": children}


def _happy_first(value: Floats) -> list[int]:
    return [int(value[YES]), int(value[NO])]


# ----------------------------------------------------------------------------------------------------------------- C4.5

# The example's rule: gain ratio at every value, nothing taken from it, no least gain, any number of rows in a branch.
PLAIN: dict[str, Any] = {"mean_gain": False, "min_leaf": 1, "min_cut_share": 0.0, "cut_criterion": "gain_ratio"}


@answers("004-c45-happiness-continuous")
def continuous(example: Example, path: PathName) -> Mapping[str, Any]:
    t = Table(example)
    part = _reference_c45 if path == "reference" else _kernel_c45
    words = {name: part(t, name, None) for name in ("gratitude", "compare")}
    cuts = {v: part(t, "expecting", v) for v in (0.2, 0.4, 0.5, 0.8)}
    best = (_reference_best if path == "reference" else _kernel_best)(t)
    found: dict[str, Any] = {"H(S), 7/5": words["compare"]["entropy"]}
    for word in ("yes", "no"):
        entropy, counts = words["gratitude"]["children"][word]
        found |= {f"counts gratitude={word} (happy, not)": counts, f"H(gratitude={word})": entropy}
    for name, one in words.items():
        found |= {f"IG({name})": one["gain"], f"Split({name})": one["info"]}
        found[f"GainRatio({name})"] = one["gain"] / one["info"]
    for v, one in cuts.items():
        both = [one["children"]["below"][1], one["children"]["over"][1]]
        found[f"threshold {v}: counts <= (happy, not), > (happy, not)"] = both
        found |= {f"IG(expecting at {v})": one["gain"], f"Split(expecting at {v})": one["info"]}
        found[f"GainRatio(expecting at {v})"] = one["gain"] / one["info"]
    found["H(expecting > 0.2), 4/5"] = cuts[0.2]["children"]["over"][0]
    found["H(expecting > 0.4), 3/5"] = cuts[0.4]["children"]["over"][0]
    return {**found, "best split": best}


def _sides(t: Table, name: str, cut: float | None) -> tuple[NDArray[Any], list[str]]:
    """A column as words: its own, or on which side of a cut."""
    if cut is None:
        return t.raw[name], t.words(name)
    return np.where(t.raw[name] <= cut, "below", "over"), ["below", "over"]


def _reference_c45(t: Table, name: str, cut: float | None) -> dict[str, Any]:
    column, words = _sides(t, name, cut)
    branches = [np.bincount(t.y[column == word], minlength=2).astype(float) for word in words]
    gain, info = c45.worth(branches, float(len(t.y)))
    children = {w: (c45.bits(b) / b.sum(), _happy_first(b)) for w, b in zip(words, branches, strict=True)}
    entropy = c45.bits(np.bincount(t.y)) / len(t.y)
    return {"entropy": entropy, "gain": gain, "info": info, "children": children}


def _kernel_c45(t: Table, name: str, cut: float | None) -> dict[str, Any]:
    from pellucid.tree import C45Classifier

    column, _ = _sides(t, name, cut)
    rules = {"mean_gain": False, "min_samples_leaf": 1, "pruning": None, "collapse": False, "max_depth": 1}
    return _read(C45Classifier(**rules).fit(column.reshape(-1, 1), t.y), t, [name])


def _reference_best(t: Table) -> dict[str, Any]:
    X = np.column_stack([t.codes("gratitude"), t.codes("compare"), t.raw["expecting"]])
    found = {}
    for midpoint in (False, True):
        rules = c45.Rules(categories=(2, 2, 0), mdl=False, midpoint=midpoint, max_depth=1, **PLAIN)
        root = c45.C45(X, t.y, np.ones(len(t.y)), 2, rules).grow()
        found[midpoint] = root
    root = found[False]
    return _best(t.names[root.feature], root.threshold, found[True].threshold, root.gain / root.info)


def _kernel_best(t: Table) -> dict[str, Any]:
    from pellucid.tree import C45Classifier

    X = np.column_stack([t.raw["gratitude"].astype(object), t.raw["compare"], t.raw["expecting"].astype(object)])
    found = {}
    for threshold in ("value", "midpoint"):
        rules = {"mean_gain": False, "min_samples_leaf": 1, "min_cut_share": 0.0, "cut_criterion": "gain_ratio"}
        found[threshold] = C45Classifier(**rules, mdl_correction=False, threshold=threshold, pruning=None).fit(X, t.y)
    model = found["value"]
    middle = float(found["midpoint"].tree_.threshold[0])
    ratio = float(model.gain_[0] / model.split_info_[0])
    return _best(t.names[int(model.tree_.feature[0])], float(model.tree_.threshold[0]), middle, ratio)


def _best(feature: str, value: float, middle: float, ratio: float) -> dict[str, Any]:
    return {"feature": feature, "threshold_value": value, "midpoint": middle, "gain_ratio": ratio}
