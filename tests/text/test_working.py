"""The workings of vectorizers: every form, the model's own numbers, other texts refused, long tables cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from pellucid.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from pellucid.working import Working, WorkingError

from .samples import drawn
from .test_contract import assert_same_bits, each, state

X = ["The cat sat on the mat", "The dog, the cat!", "a dog's life = <b>life</b>", None, "dog fox; the dog"]


def render(working: Working, folder: Path) -> str:
    pages = [working.to_text(), working.to_html(), working.to_markdown(), working.to_latex()]
    assert all(len(page) > 100 for page in pages)
    assert "<b>" not in pages[1]
    assert working.to_excel(folder / "working.xlsx").stat().st_size > 1000
    return pages[0]


@each
def test_every_form_is_made(model: Any, tmp_path: Path) -> None:
    fitted = clone(model).fit(X)
    before = dict(state(fitted))
    for working in (fitted.show_fit(X), fitted.show_transform(X, rows=[0, -1])):
        render(working, tmp_path)
        assert any(cell.attribute for cell in working.cells.values()), "nothing is compared with the model"
    assert set(state(fitted)) == set(before)
    for name, value in before.items():
        assert_same_bits(state(fitted)[name], value)


def test_the_page_has_the_numbers_of_the_model() -> None:
    model = TfidfVectorizer().fit(X)
    fit, row = model.show_fit(X), model.show_transform(X, rows=[1])
    np.testing.assert_array_equal(fit.value("df_1"), model.document_counts_)
    np.testing.assert_allclose(fit.value("idf_1"), model.idf_)
    made = model.transform(X)[1]
    np.testing.assert_allclose(row.value("z_1_2"), made.data)
    assert row.value("t_1_2").tolist() == ["cat", "dog", "the"]
    assert row.value("x_1_2").tolist() == [1, 1, 2]


def test_other_texts_than_those_of_the_fit_are_refused() -> None:
    for cls in (CountVectorizer, TfidfVectorizer):
        model = cls().fit(X)
        with pytest.raises(WorkingError):
            model.show_fit([*X[:-1], "cat"])


def test_columns_are_called_by_their_names() -> None:
    frame = pd.DataFrame({"arm length": ["long arm"], "color": ["red"]})
    for cls in (CountVectorizer, TfidfVectorizer, HashingVectorizer):
        model = cls().fit(frame)
        assert "arm length" in model.show_fit(frame).to_text()
        assert "Arm length 1" in model.show_transform(frame).to_text()


def test_a_long_table_shows_some_rows_and_the_first_terms() -> None:
    texts = drawn(3000, words=300)
    model = TfidfVectorizer().fit(texts)
    fit, rows = model.show_fit(texts).to_text(), model.show_transform(texts, rows=[2345]).to_text()
    assert "not shown" in fit
    assert "not shown" in rows
    assert "Text 2346" in rows
    assert max(len(fit), len(rows)) < 60_000
