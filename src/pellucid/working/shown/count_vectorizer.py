"""Words of texts, counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown._texts import analyzed, chosen_rows, columns_of, shown_text, write_counts, write_row_counts


@shows("CountVectorizer.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "The terms of texts"
    w.intro = "A fit cuts every text into terms and writes down which there are. Each has a column."
    write_counts(w, model, data)
    explain_choice(w, model)


def explain_choice(w: Working, model: Any) -> None:
    """Which terms were left out, in words."""
    if model.fixed_vocabulary_:
        w.note("The terms were given; others of the texts are left out.")
        return
    if model.max_features is not None or model.min_df != 1 or model.max_df != 1.0:
        w.note(
            f"Kept are terms in {model.min_df} to {model.max_df} of the texts (whole numbers: texts, others: shares)"
            + (f", of these the {count(model.max_features, 'term')} that occur most." if model.max_features else ".")
        )
    if model.get_stop_words() is not None and model.analyzer == "word":
        w.note(f"{count(len(model.get_stop_words()), 'stop word')} are left out before terms are made.")


@shows("CountVectorizer.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Texts as counts"
    w.intro = "How often each term of the vocabulary stands in each text; all other columns are 0."
    d, columns = columns_of(model, data)
    counts = model.transform(data.table)
    rows = chosen_rows(w, data, d.n_rows)
    before = 0
    for j, name in columns:
        vocabulary = {term: index for index, term in enumerate(model.lexicons_[j].terms)}
        for row, terms in zip(rows, analyzed(model, d, j, rows), strict=True):
            w.step(f"{name[:1].upper()}{name[1:]} {row + 1}", f"“{shown_text(d.table.column(j)[row])}”")
            row_counts = write_row_counts(w, f"{j + 1}_{row + 1}", terms, vocabulary, row, model.binary)
            if row_counts is None:
                w.note(f"Text {row + 1} of {name} has no term of the vocabulary: its row is 0.")
                continue
            _, x, indices = row_counts
            entries = np.asarray(counts[row].toarray()).ravel()[[before + index for index in indices]]
            w.check(x, entries.astype(np.float64), "transform(X)")
        before += len(vocabulary)
