"""Texts and their words on a page: what several workings of texts begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.data.kinds import is_missing
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell
from pellucid.working.language import equal, sum_, where
from pellucid.working.model import Working

MOST_TEXTS = 4
MOST_TERMS = 40
LONGEST = 120


@dataclass
class Words:
    """The terms of some texts in a row: which text each is of, and whether it stands there for the first time."""

    axis: Axis
    term: Cell
    text: Cell
    first: Cell


def analyzed(model: Any, d: Design, j: int, rows: Sequence[int]) -> list[list[str]]:
    """The terms of some texts of a column, cut in Python as the kernel cuts them."""
    cut = model.build_analyzer()
    values = d.table.column(j)
    terms_by_row = []
    for row in rows:
        value = values[row]
        terms_by_row.append([] if is_missing(value) and not callable(model.analyzer) else list(cut(value)))
    return terms_by_row


def shown_text(value: Any) -> str:
    """A text as one short line."""
    if is_missing(value):
        return "(missing)"
    line = " ".join(str(value).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


def columns_of(model: Any, data: Given) -> tuple[Design, list[tuple[int, str]]]:
    """The table as the model reads it, and the number and name of each column of texts."""
    d = model._validate_predict(data.table)
    return d, list(enumerate(d.column_labels() if d.n_cols > 1 or d.schema.names is not None else ["text"]))


def write_texts(w: Working, d: Design, j: int, name: str, rows: Sequence[int]) -> Axis:
    """The texts themselves, by their numbers from 1."""
    axis = Axis("text", [row + 1 for row in rows], "i", "n")
    values = d.table.column(j)
    lines = np.array([shown_text(values[row]) for row in rows], dtype=object)
    w.given(f"d_{j + 1}", lines, axis, symbol=r"\text{text}", label=name)
    return axis


def write_words(w: Working, tag: str, terms: Sequence[Sequence[str]], rows: Sequence[int]) -> Words | None:
    """Every term of the texts, in a row; None if there is none."""
    flat = [term for text_terms in terms for term in text_terms]
    if not flat:
        return None
    texts = [float(row + 1) for row, text_terms in zip(rows, terms, strict=True) for _ in text_terms]
    first: list[float] = []
    for text_terms in terms:
        earlier_terms: set[str] = set()
        for term in text_terms:
            first.append(float(term not in earlier_terms))
            earlier_terms.add(term)
    axis = Axis("word", range(1, len(flat) + 1), "k", "m")
    return Words(
        axis,
        w.given(f"word_{tag}", np.array(flat, dtype=object), axis, symbol="v", label="term"),
        w.given(f"of_{tag}", np.array(texts), axis, symbol="i", label="in text"),
        w.given(f"first_{tag}", np.array(first), axis, symbol="f", label="1: first time in its text"),
    )


def write_counts(w: Working, model: Any, data: Given) -> list[tuple[int, Axis, Cell]]:
    """The terms of each column of texts and in how many texts each stands: column, axis of terms, document counts."""
    d, columns = columns_of(model, data)
    every = range(d.n_rows)
    columns_written = []
    before = 0
    for j, name in columns:
        lexicon = model.lexicons_[j].terms
        listed = list(lexicon[:MOST_TERMS])
        if len(listed) < len(lexicon):
            w.note(f"The last {count(len(lexicon) - len(listed), 'term')} of {len(lexicon):,} are not shown.")
        terms = _of(analyzed(model, d, j, every), listed)
        tag = str(j + 1)
        w.step(f"Texts: {name}", "The texts, and the terms that they are cut into, in the order of the texts.")
        write_texts(w, d, j, name, every)
        words = write_words(w, tag, terms, every)
        w.step(
            f"Terms: {name}",
            "Each term once, in the order of the alphabet: how often it stands in all texts, and in how many.",
        )
        axis = Axis("term", listed, "j", "p")
        t = w.given(f"t_{tag}", np.array(listed, dtype=object), axis, symbol="t", label="term")
        note_capitals(w, listed)
        w.check(t, _expected(model, terms, listed), "vocabulary_")
        documents = model.document_counts_[before : before + len(listed)].astype(np.float64)
        before += len(lexicon)
        if words is None:
            w.note("No term stands in these texts.")
            df = w.given(f"df_{tag}", documents, axis, symbol=r"\text{df}", label="texts that have it")
        else:
            w.cell(
                f"total_{tag}",
                sum_(where(equal(words.term, t), 1, 0), words.axis),
                symbol="c",
                label="how often in all",
            )
            df = w.cell(
                f"df_{tag}", sum_(where(equal(words.term, t), words.first, 0), words.axis), symbol=r"\text{df}",
                label="texts that have it", equals=documents, attribute="document_counts_",
            )  # fmt: skip
        columns_written.append((j, axis, df))
    return columns_written


def note_capitals(w: Working, listed: Sequence[str]) -> None:
    """Says so where terms differ in capitals alone."""
    if len({term.lower() for term in listed}) < len(listed):
        w.note("Some terms differ in capitals alone: a spreadsheet takes them for equal, and adds their counts up.")


def _of(terms: list[list[str]], listed: list[str]) -> list[list[str]]:
    """Only the terms that are shown."""
    shown_terms = set(listed)
    return [[term for term in text_terms if term in shown_terms] for text_terms in terms]


def _expected(model: Any, terms: list[list[str]], listed: list[str]) -> Array:
    """The terms found anew where they come from the texts; as given where they were given."""
    if model.fixed_vocabulary_:
        return np.array(listed, dtype=object)
    return np.array(sorted({term for text_terms in terms for term in text_terms}), dtype=object)


def chosen_rows(w: Working, data: Given, n_rows: int) -> list[int]:
    """The rows asked for, or the first few."""
    rows = list(dict.fromkeys(data.rows)) or list(range(min(n_rows, MOST_TEXTS)))
    if len(rows) < n_rows:
        w.note(f"Of {count(n_rows, 'text')}, {count(n_rows - len(rows), 'text')} are not shown.")
    return rows


def write_row_counts(
    w: Working, tag: str, terms: list[str], column_of: dict[str, int], row: int, binary: bool
) -> tuple[Axis, Cell, list[int]] | None:
    """The terms of one text that have a column, and how often each stands there; None if there is none."""
    there = sorted({term for term in terms if term in column_of}, key=lambda term: column_of[term])
    strange = len({term for term in terms if term not in column_of})
    if strange:
        w.note(f"Left out of text {row + 1}, without a column of their own: {count(strange, 'term')}.")
    if not there:
        return None
    note_capitals(w, there)
    listed = Axis("term", there, "j", "p")
    words = Axis("word", range(1, len(terms) + 1), "k", "m")
    v = w.given(f"word_{tag}", np.array(terms, dtype=object), words, symbol="v", label="term")
    t = w.given(f"t_{tag}", np.array(there, dtype=object), listed, symbol="t", label="term")
    often = sum_(where(equal(v, t), 1, 0), words)
    x = w.cell(
        f"x_{tag}", where(often > 0, 1, 0) if binary else often, symbol="x",
        label="1: it is there" if binary else "how often in this text",
    )  # fmt: skip
    return listed, x, [column_of[term] for term in there]
