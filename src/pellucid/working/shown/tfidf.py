"""Words weighed by how rare they are: document frequencies, idf, and each row over its size."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.expression import Cell, Expr
from pellucid.working.language import absolute, equal, ln, log, sqrt, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._texts import analyzed, chosen_rows, columns_of, shown_text, write_counts, write_row_counts
from pellucid.working.shown.count_vectorizer import explain_choice

MOST_COLUMNS = 12
SIZES = {"l1": "the sum of absolute values", "l2": "the root of the sum of squares"}


def idf_of(model: Any, df: Expr, n: Expr) -> Expr:
    """idf as the settings have it."""
    ratio = (1 + n) / (1 + df) if model.smooth_idf else n / where(df > 0, df, 1)
    found = ln(ratio) if model.log_base is None else log(ratio, model.log_base)
    return found + 1 if model.add_one else found


def _write_n(w: Working, model: Any) -> Cell:
    return w.given("n", float(model.n_documents_), symbol="n", label="texts")


@shows("TfidfVectorizer.fit")
def vectorizer_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Terms and how rare they are"
    w.intro = "A fit cuts every text into terms, counts the texts that have each, and weighs rare terms more."
    found = write_counts(w, model, data)
    explain_choice(w, model)
    if not model.use_idf:
        w.note("Terms are not weighed by how rare they are (use_idf=False).")
        return
    w.step("Weights", "The fewer texts have a term, the more it weighs.")
    n = _write_n(w, model)
    before = 0
    for j, axis, df in found:
        w.cell(
            f"idf_{j + 1}", idf_of(model, df, n), symbol=r"\text{idf}", label="weight of the term",
            equals=model.idf_[before : before + len(axis)], attribute="idf_",
        )  # fmt: skip
        before += len(model.lexicons_[j])


@shows("TfidfVectorizer.transform")
def vectorizer_transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Texts as weights of their terms"
    w.intro = "Counts times the weights of the terms, over the size of the row; all other columns are 0."
    d, columns = columns_of(model, data)
    made = model.transform(data.table)
    rounding = max(16 * float(np.finfo(made.dtype).eps), 1e-9)
    rows = chosen_rows(w, data, d.n_rows)
    before = 0
    for j, name in columns:
        known = {term: place for place, term in enumerate(model.lexicons_[j].terms)}
        for row, terms in zip(rows, analyzed(model, d, j, rows), strict=True):
            w.step(f"{name[:1].upper()}{name[1:]} {row + 1}", f"“{shown_text(d.table.column(j)[row])}”")
            tag = f"{j + 1}_{row + 1}"
            found = write_row_counts(w, tag, terms, known, row, model.binary)
            if found is None:
                w.note(f"Text {row + 1} of {name} has no term of the vocabulary: its row is 0.")
                continue
            axis, x, places = found
            at = [before + place for place in places]
            tf = w.cell(f"tf_{tag}", 1 + ln(x), symbol=r"\text{tf}", label="1 + log") if model.sublinear_tf else x
            weight: Cell = tf
            if model.use_idf:
                idf = w.given(f"idf_{tag}", model.idf_[at], axis, symbol=r"\text{idf}", label="weight of the term")
                weight = w.cell(f"w_{tag}", tf * idf, symbol="w", label="count times weight")
            entries = np.asarray(made[row].toarray(), dtype=np.float64).ravel()[at]
            if model.norm is None:
                w.check(weight, entries, "transform(X)", tolerance=rounding)
                continue
            summed = sum_(absolute(weight)) if model.norm == "l1" else sqrt(sum_(weight**2))
            size = w.cell(f"size_{tag}", summed, symbol="s", label=f"size of the row: {SIZES[model.norm]}")
            w.cell(
                f"z_{tag}", weight / where(size > 0, size, 1), symbol="z", label="over the size", equals=entries,
                attribute="transform(X)", tolerance=rounding,
            )  # fmt: skip
        before += len(known)


# ----------------------------------------------------------------------------------------------- counts that are given


def _listed(w: Working, data: Given) -> list[Cell]:
    """The first columns of a table of counts."""
    shown = min(len(data.names), MOST_COLUMNS)
    w.step("Counts", "The columns of the table.")
    if len(data.names) > shown:
        w.note(f"The last {len(data.names) - shown} columns are not shown; they count in the size of a row.")
    return [
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=data.names[j])
        for j in range(shown)
    ]


@shows("TfidfTransformer.fit")
def transformer_fit(w: Working, model: Any, data: Given) -> None:
    w.title = "How rare terms are"
    w.intro = "A fit counts the rows that have something other than 0 in a column, and weighs rare columns more."
    x = _listed(w, data)
    w.step("Rows that have it", "In how many rows a column is not 0.")
    documents = [
        w.cell(
            f"df_{j + 1}", sum_(where(equal(one, 0), 0, 1)), symbol=rf"\text{{df}}_{{{j + 1}}}",
            label=f"rows with {data.names[j]}", equals=float(model.document_counts_[j]),
            attribute=f"document_counts_[{j}]",
        )
        for j, one in enumerate(x)
    ]  # fmt: skip
    if not model.use_idf:
        w.note("Columns are not weighed by how rare they are (use_idf=False).")
        return
    w.step("Weights", "The fewer rows have it, the more it weighs.")
    n = _write_n(w, model)
    for j, df in enumerate(documents):
        w.cell(
            f"idf_{j + 1}", idf_of(model, df, n), symbol=rf"\text{{idf}}_{{{j + 1}}}",
            label=f"weight of {data.names[j]}", equals=float(model.idf_[j]), attribute=f"idf_[{j}]", scale=1.0,
        )  # fmt: skip


@shows("TfidfTransformer.transform")
def transformer_transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Counts as weights"
    w.intro = "Counts times the weights of their columns, over the size of the row."
    made = model.transform(data.table)
    found = np.asarray(made[:, :MOST_COLUMNS].toarray(), dtype=np.float64)
    rounding = max(16 * float(np.finfo(made.dtype).eps), 1e-9)
    x = _listed(w, data)
    w.step("Weighed", "Each count times the weight of its column.")
    weighed = [_weighed(w, model, data, j, one) for j, one in enumerate(x)]
    if model.norm is None:
        for j, one in enumerate(weighed):
            w.check(one, found[:, j], "transform(X)", tolerance=rounding, scale=1.0)
        return
    w.step("Size", f"Of each row {SIZES[model.norm]}.")
    size = w.cell("size", _size(w, model, data, weighed), symbol="s", label="size of the row")
    by = w.cell("divisor", where(size > 0, size, 1), symbol="d", label="divisor: 1 for a row of zeros")
    w.step("Rows", "Each weighed count over the size of its row.")
    for j, one in enumerate(weighed):
        w.cell(
            f"z_{j + 1}", one / by, symbol=f"z_{{{j + 1}}}", label=f"{data.names[j]}, over the size",
            equals=found[:, j], attribute="transform(X)", tolerance=rounding, scale=1.0,
        )  # fmt: skip


def _weighed(w: Working, model: Any, data: Given, j: int, x: Cell) -> Cell:
    name, tf = data.names[j], x
    if model.sublinear_tf:
        there = where(x > 0, x, 1)
        formula = where(x > 0, 1 + ln(there), 0)
        tf = w.cell(f"tf_{j + 1}", formula, symbol=rf"\text{{tf}}_{{{j + 1}}}", label=f"1 + log of {name}")
    idf = float(model.idf_[j]) if model.use_idf else 1.0
    one = w.given(f"idf_{j + 1}", idf, symbol=rf"\text{{idf}}_{{{j + 1}}}", label=f"weight of {name}")
    return w.cell(f"w_{j + 1}", tf * one, symbol=f"w_{{{j + 1}}}", label=f"{name}, weighed")


def _size(w: Working, model: Any, data: Given, weighed: list[Cell]) -> Expr:
    parts: list[Expr] = [absolute(one) if model.norm == "l1" else one**2 for one in weighed]
    rest = data.X[:, len(weighed) :]
    if rest.shape[1]:
        tf = np.where(rest > 0, 1 + np.log(np.where(rest > 0, rest, 1)), 0) if model.sublinear_tf else rest
        others = tf * (model.idf_[len(weighed) :] if model.use_idf else 1.0)
        sums = np.abs(others).sum(axis=1) if model.norm == "l1" else (others**2).sum(axis=1)
        label = "the same sum over the other columns"
        parts.append(w.given("others", sums, data.row_axis, symbol="o", label=label))
    summed = reduce(add, parts)
    return summed if model.norm == "l1" else sqrt(summed)
