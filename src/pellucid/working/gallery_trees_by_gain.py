"""Worked examples about ID3 and C4.5: which column parts the happy from the others among twelve people."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.tree import C45Classifier, ID3Classifier
from pellucid.working.expression import Expr
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.model import Working


@example("004-id3-happiness")
def happiness(e: Example) -> Working:
    X = np.column_stack([e.data[name] for name in ("gratitude", "compare", "expecting")]).astype(object)
    y = np.asarray(e.data["happy"])
    model = ID3Classifier().fit(X, y)
    medium = next(
        child
        for branch, child in enumerate(model.tree_.children(0))
        if model.schema_.categories[2][model.tree_.codes_of(0, branch)[0]] == "medium"
    )
    w = parts_of(
        ("root", "The root", model.show_fit(X, y)),
        ("medium", "People who expect a medium amount", model.show_fit(X, y, node=medium)),
        ("row", "The third person", model.show_predict(X, rows=[2])),
    )
    w.title = e.title
    w.intro = "Columns: x1 is gratitude, x2 comparing oneself, x3 what one expects. The target is being happy."
    _rounded(w)
    return w


def _rounded(w: Working) -> None:
    """What comes out with entropies rounded to two or three places, and other counts of what is expected."""
    w.step(
        "With rounded numbers",
        "With 0.96 for the entropy of all, entropies rounded, and 5 people each of two entropies for x3, other gains "
        "come out, and x2 would be asked: the rounding and the counts decide.",
    )
    H = w.given("rounded_H", 0.96, symbol="R", label="entropy of all, as rounded")
    sides_by_column = {1: ((6, 0.65), (6, 0.918)), 2: ((8, 0.95),), 3: ((5, 0.97), (5, 0.72))}
    for j, sides in sides_by_column.items():
        gain: Expr = H
        for k, (size, entropy) in enumerate(sides, start=1):
            h = w.given(f"rounded_{j}_{k}", entropy, symbol=f"R_{{{j},{k}}}", label=f"entropy of {size} of 12 people")
            gain = gain - size / 12 * h
        w.cell(f"rounded_gain_{j}", gain, symbol=f"I_{{{j}}}", label=f"gain of x{j}")


@example("004-c45-happiness-continuous")
def continuous(e: Example) -> Working:
    columns = [np.asarray(e.data[name], dtype=object) for name in ("gratitude", "compare", "expecting")]
    X, y = np.column_stack(columns), np.asarray(e.data["happy"])
    plain: dict[str, Any] = {
        "cut_criterion": "gain_ratio",
        "mean_gain": False,
        "mdl_correction": False,
        "min_samples_leaf": 1,
    }
    model = C45Classifier(**plain, min_cut_share=0, pruning=None).fit(X, y)
    release_8 = C45Classifier().fit(X, y)
    w = parts_of(
        ("root", "The root", model.show_fit(X, y)),
        ("row", "The third person", model.show_predict(X, rows=[2])),
        ("c45", "The same by C4.5 itself", release_8.show_fit(X, y)),
    )
    w.title = e.title
    w.intro = (
        "Columns: x1 is gratitude, x2 comparing oneself, x3 how much one expects. First by gain ratio alone, with a "
        "cut at every value; then as C4.5 has it: at least two people on either side, only columns of at least the "
        "mean gain, and a price on the number of cuts."
    )
    return w
