"""Words of texts in columns that a hash chooses."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.reference.count_vectorizer import murmur3
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis
from pellucid.working.language import absolute, count, equal, floor, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._texts import analyzed, chosen_rows, columns_of, shown_text

SIZES = {"l1": "the sum of absolute values", "l2": "the root of the sum of squares"}


@shows("HashingVectorizer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns by a hash"
    w.intro = "There is nothing to learn: the column of a term is worked out from its bytes."
    d, columns = columns_of(model, data)
    w.step("Columns of texts", "Each has columns of its own in the result.")
    axis = Axis("column", [name for _, name in columns], "j", "p")
    number = w.given("number", np.arange(1.0, d.n_cols + 1), axis, symbol="j", label="number")
    w.cell(
        "columns", count(number), symbol="p", label="columns of texts", equals=float(model.n_features_in_),
        attribute="n_features_in_",
    )  # fmt: skip


@shows("HashingVectorizer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Texts in columns by a hash"
    w.intro = "The hash of a term is a whole number of 32 bits: its size chooses the column, its sign the direction."
    d, columns = columns_of(model, data)
    hashed = model.transform(data.table)
    rounding = max(16 * float(np.finfo(hashed.dtype).eps), 1e-9)
    w.step("Columns", "How many the hashes are spread over.")
    n = w.given("n", float(model.n_features), symbol="n", label="columns")
    rows = chosen_rows(w, data, d.n_rows)
    for j, name in columns:
        for row, terms in zip(rows, analyzed(model, d, j, rows), strict=True):
            w.step(f"{name[:1].upper()}{name[1:]} {row + 1}", f"“{shown_text(d.table.column(j)[row])}”")
            if not terms:
                w.note(f"Text {row + 1} of {name} has no terms: its row is 0.")
                continue
            row_of_column = hashed[row, j * model.n_features : (j + 1) * model.n_features]
            _row(w, model, f"{j + 1}_{row + 1}", terms, row_of_column, n, rounding)


def _row(w: Working, model: Any, tag: str, terms: list[str], hashed: Any, n: Any, rounding: float) -> None:
    words = Axis("word", range(1, len(terms) + 1), "k", "m")
    w.given(f"word_{tag}", np.array(terms, dtype=object), words, symbol="v", label="term")
    h = w.given(f"h_{tag}", np.array([float(murmur3(term)) for term in terms]), words, symbol="h", label="its hash")
    c = w.cell(f"c_{tag}", absolute(h) - n * floor(absolute(h) / n), symbol="c", label="its column, from 0")
    stored = hashed.tocoo()
    order = np.argsort(stored.col)
    column_numbers, values = stored.col[order].astype(np.float64), stored.data[order].astype(np.float64)
    axis = Axis("column", column_numbers.astype(int).tolist(), "j", "p")
    column_number = w.given(f"place_{tag}", column_numbers, axis, symbol="j", label="column")
    up = where(h < 0, -1, 1) if model.alternate_sign else where(equal(h, h), 1, 1)
    summed = sum_(where(equal(c, column_number), up, 0), words)
    x = w.cell(f"x_{tag}", where(equal(summed, summed), 1, 1) if model.binary else summed, symbol="x", label="value")
    if model.norm is None:
        w.check(x, values, "transform(X)", tolerance=rounding)
        return
    size = w.cell(
        f"size_{tag}", sum_(absolute(x)) if model.norm == "l1" else sqrt(sum_(x**2)), symbol="s",
        label=f"size of the row: {SIZES[model.norm]}",
    )  # fmt: skip
    w.cell(
        f"z_{tag}", x / where(size > 0, size, 1), symbol="z", label="over the size", equals=values,
        attribute="transform(X)", tolerance=rounding,
    )  # fmt: skip
