"""Worked examples about forests: how many columns a split looks at."""

from __future__ import annotations

from pellucid.models.tree.cart import drawn_columns
from pellucid.working.gallery_base import Example, example
from pellucid.working.language import floor, sqrt
from pellucid.working.model import Working


@example("000-random-forest-max-features")
def columns_of_a_split(e: Example) -> Working:
    (columns,) = e.data["p"]
    w = Working(
        "Columns of a split",
        "A split of a random forest looks at a few columns, drawn anew for each; how many hangs on their number.",
    )
    w.step("Columns", "Of the table.")
    p = w.given("p", float(columns), symbol="p", label="columns")
    w.step("Classes", "Their root, rounded down.")
    root = w.cell("root", sqrt(p), symbol="r", label="root")
    w.cell("m_classes", floor(root), symbol="m", label="columns of a split",
           equals=float(drawn_columns("sqrt", columns)), attribute="max_features_")  # fmt: skip
    w.step("Numbers", "A third of them, rounded down: max_features='third'.")
    third = w.cell("third", p / 3, symbol="t", label="a third")
    w.cell("m_numbers", floor(third), symbol="m", label="columns of a split",
           equals=float(drawn_columns("third", columns)), attribute="max_features_")  # fmt: skip
    w.note("By default a forest for numbers looks at all columns, as scikit-learn's does.")
    return w
