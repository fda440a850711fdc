"""Vectorizers: what X may be, several columns of texts, which terms are kept, given vocabularies, refusals."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer

from pellucid.base.errors import DataError, DataTypeError, NotFittedError, ParameterError, PellucidWarning
from pellucid.reference import count_vectorizer as reference
from pellucid.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

from .samples import PLAIN, TEXTS, drawn

FORMS: dict[str, Any] = {
    "tuple": tuple,
    "iterator": iter,
    "array of objects": lambda texts: np.array(texts, dtype=object),
    "array of text": lambda texts: np.array(texts),
    "array of one column": lambda texts: np.array(texts, dtype=object)[:, None],
    "list of rows": lambda texts: [[text] for text in texts],
    "pandas series": pd.Series,
    "pandas series of objects": lambda texts: pd.Series(texts, dtype=object),
    "pandas series of arrow texts": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "pandas categories": lambda texts: pd.Series(texts).astype("category"),
    "pandas frame": lambda texts: pd.DataFrame({"said": texts}),
    "polars series": pl.Series,
    "polars frame": lambda texts: pl.DataFrame({"said": texts}),
    "polars categories": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "arrow array": pa.array,
    "arrow chunks": lambda texts: pa.chunked_array([texts[:3], texts[3:]]),
    "arrow table": lambda texts: pa.table({"said": texts}),
}
SOUND = [text for text in TEXTS if "\ud83d" not in text]  # half of a pair has no UTF-8
READERS = [CountVectorizer, TfidfVectorizer, HashingVectorizer]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cls", READERS, ids=lambda cls: cls.__name__)
def test_texts_may_come_in_any_form(cls: type[Any], form: str) -> None:
    expected = cls().fit_transform(SOUND)
    model = cls()
    found = model.fit_transform(FORMS[form](SOUND))
    assert (found != expected).nnz == 0
    assert (model.transform(FORMS[form](SOUND)) != expected).nnz == 0
    if cls is not HashingVectorizer:
        assert model.get_feature_names_out().tolist() == cls().fit(SOUND).get_feature_names_out().tolist()


@pytest.mark.parametrize("form", ["array of objects", "pandas series", "polars series", "arrow array", "polars frame"])
def test_a_missing_text_has_no_words(form: str) -> None:
    texts = ["one word", None, "one"]
    given = FORMS[form](texts)
    assert CountVectorizer().fit_transform(given).toarray().tolist() == [[1, 1], [0, 0], [1, 0]]
    assert HashingVectorizer().transform(given)[1].nnz == 0
    with pytest.raises(DataError, match=r"every row must have a text.*row 1 has none"):
        CountVectorizer(missing="error").fit(given)


def test_nan_is_a_missing_text() -> None:
    assert CountVectorizer().fit_transform(["one word", np.nan, pd.NA]).toarray().tolist() == [[1, 1], [0, 0], [0, 0]]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_several_columns_of_texts_have_words_of_their_own(library: Any) -> None:
    table = library({"title": ["red fish", "blue"], "body": ["a red red wall", None]})
    model = CountVectorizer()
    assert model.fit_transform(table).toarray().tolist() == [[0, 1, 1, 2, 1], [1, 0, 0, 0, 0]]
    names = ["title=blue", "title=fish", "title=red", "body=red", "body=wall"]
    assert model.get_feature_names_out().tolist() == names
    assert model.vocabulary_ == {name: place for place, name in enumerate(names)}
    assert model.document_counts_.tolist() == [1, 1, 1, 1, 1]
    turned = library({"body": ["wall"], "title": ["red"]})  # another order of the columns is put right
    assert model.transform(turned).toarray().tolist() == [[0, 0, 1, 0, 1]]
    with pytest.raises(DataError, match="yet now missing:\n- title"):
        model.transform(library({"body": ["wall"], "headline": ["red"]}))
    assert model.inverse_transform(model.transform(table))[1].tolist() == ["title=blue"]


def test_several_columns_are_weighed_apart() -> None:
    table = pd.DataFrame({"a": drawn(20, 1), "b": drawn(20, 2)})
    for cls in (TfidfVectorizer, HashingVectorizer):
        both = cls().fit_transform(table).toarray() if cls is TfidfVectorizer else cls(n_features=32).transform(table)
        make = cls if cls is TfidfVectorizer else lambda: HashingVectorizer(n_features=32)
        alone = [make().fit_transform(table[name].tolist()).toarray() for name in "ab"]
        np.testing.assert_array_equal(both if isinstance(both, np.ndarray) else both.toarray(), np.hstack(alone))


def test_an_array_of_several_columns_names_them() -> None:
    X = np.array([["red", "fish"], ["blue", "fish"]], dtype=object)
    assert CountVectorizer().fit(X).get_feature_names_out().tolist() == ["x0=blue", "x0=red", "x1=fish"]


def test_a_column_transformer_hands_over_series_and_frames() -> None:
    frame = pd.DataFrame({"title": ["red fish", "blue fish"], "price": [1.0, 2.0]})
    for columns in ("title", ["title"]):
        choose = make_column_transformer((CountVectorizer(), columns), ("passthrough", ["price"]))
        np.testing.assert_array_equal(choose.fit_transform(frame), [[0, 1, 1, 1], [1, 1, 0, 2]])
        names = choose.get_feature_names_out().tolist()
        assert names[:3] == ["countvectorizer__blue", "countvectorizer__fish", "countvectorizer__red"]


# ------------------------------------------------------------------------------------------------------ which are kept


@pytest.mark.parametrize(
    ("settings", "limits"),
    [
        ({"min_df": 3}, (3, np.inf)),
        ({"min_df": 0.1}, (0.1 * 90, np.inf)),
        ({"max_df": 20}, (1, 20)),
        ({"max_df": 0.25, "min_df": 2}, (2, 0.25 * 90)),
        ({"max_features": 7}, (1, np.inf, 7)),
        ({"max_features": 5, "min_df": 4, "max_df": 0.4}, (4, 0.4 * 90, 5)),
        ({"max_features": 10_000}, (1, np.inf)),
    ],
    ids=str,
)
def test_terms_are_kept_by_how_many_texts_have_them(settings: dict[str, Any], limits: Any) -> None:
    texts = drawn(90, seed=5)
    terms = [reference.terms_of(text) for text in texts]
    known = reference.kept_terms(terms, *limits)
    model = CountVectorizer(**settings)
    np.testing.assert_array_equal(model.fit_transform(texts).toarray(), reference.count_terms(terms, known))
    assert list(model.vocabulary_) == known
    assert len(known) > 0
    binary = CountVectorizer(binary=True, **settings).fit(texts)
    once = reference.kept_terms([list(set(one)) for one in terms], *limits)
    assert list(binary.vocabulary_) == once
    assert set(binary.transform(texts).data) == {1}


def test_of_equally_frequent_terms_the_first_stays() -> None:
    assert list(CountVectorizer(max_features=2).fit(["dd cc bb aa", "dd"]).vocabulary_) == ["aa", "dd"]


@pytest.mark.parametrize(
    "vocabulary",
    [["fish", "red"], {"red": 1, "fish": 0}, {"fish", "red"}, ("fish", "red")],
    ids=lambda given: type(given).__name__,
)
def test_a_vocabulary_may_be_given(vocabulary: Any) -> None:
    model = CountVectorizer(vocabulary=vocabulary)
    assert model.get_feature_names_out().tolist() == ["fish", "red"]
    assert model.transform(["red red blue"]).toarray().tolist() == [[0, 2]]  # no fit is needed
    assert model.fixed_vocabulary_
    assert CountVectorizer(vocabulary=vocabulary).fit(["fish fish", "fish"]).document_counts_.tolist() == [2, 0]
    with pytest.raises(NotFittedError):
        TfidfVectorizer(vocabulary=vocabulary).transform(["red"])  # how rare they are is not known


def test_counts_go_back_to_terms() -> None:
    model = CountVectorizer().fit(PLAIN)
    made = model.transform(PLAIN)
    for rows in (made, made.toarray(), made.tocsc()):
        back = model.inverse_transform(rows)
        assert [sorted(set(reference.terms_of(text))) for text in PLAIN] == [one.tolist() for one in back]


def test_types_of_counts() -> None:
    assert CountVectorizer().fit_transform(PLAIN).dtype == np.int64
    for dtype in (np.int8, np.float32, "uint16", bool):
        assert CountVectorizer(dtype=dtype).fit_transform(PLAIN).dtype == np.dtype(dtype)


def test_rows_are_in_order_and_whole() -> None:
    made = CountVectorizer().fit_transform(drawn(200))
    assert made.has_canonical_format
    made.has_canonical_format = made.has_sorted_indices = False
    made.check_format()
    assert all((np.diff(made.indices[a:b]) > 0).all() for a, b in zip(made.indptr[:-1], made.indptr[1:], strict=True))


# --------------------------------------------------------------------------------------------------------------- files


def test_texts_may_lie_in_files(tmp_path: Path) -> None:
    for name, text in (("a.txt", "red fish"), ("b.txt", "café")):
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    files = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    read = CountVectorizer(input="filename", encoding="latin-1")
    assert read.fit(files).get_feature_names_out().tolist() == ["café", "fish", "red"]
    opened = [io.BytesIO(b"red fish"), io.StringIO("blue")]
    assert list(CountVectorizer(input="file").fit(opened).vocabulary_) == ["blue", "fish", "red"]
    assert list(CountVectorizer().fit([b"red", "blue"]).vocabulary_) == ["blue", "red"]
    with pytest.raises(DataError, match="bytes must be utf-8 text"):
        CountVectorizer(input="filename").fit(files)
    assert "caf" in CountVectorizer(input="filename", decode_error="ignore").fit(files).vocabulary_


# ------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize("cls", READERS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize(
    ("X", "words"),
    [
        ("one text", "string object received"),
        ([], "at least one text"),
        ([1, 2], r"row 0 is 1 \(int\)"),
        (["a word", 2.5], r"row 1 is 2.5 \(float\)"),
        (np.array([[1.0]]), r"row 0 is 1.0 \(float\)"),
        (None, "NoneType"),
        (5, "int"),
        ({"a": 1}, "dict"),
        ([{"a": 1}], "dicts"),
        (np.array("text"), "a single value"),
        (pd.DataFrame({"said": ["a word", "more"], "price": [1, 2]}), "in column 'price'"),
        ([["a", "b"], ["c"]], "same number"),
    ],
    ids=str,
)
def test_what_is_no_text_is_refused(cls: type[Any], X: Any, words: str) -> None:
    with pytest.raises((DataError, DataTypeError), match=words):
        cls().fit(X).transform(X)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ngram_range": (2, 1)}, "ngram_range must be two whole numbers"),
        ({"ngram_range": (0, 1)}, "ngram_range must be"),
        ({"ngram_range": (1, 2, 3)}, "ngram_range must be"),
        ({"token_pattern": "(a"}, "token_pattern must be a regular expression"),
        ({"token_pattern": r"(\w)(\w)"}, "More than 1 capturing group"),
        ({"token_pattern": None}, "where there is no tokenizer"),
        ({"stop_words": "german"}, "stop_words must be"),
        ({"stop_words": ["a", 1]}, "got 1 among them"),
        ({"max_df": 1.5}, "max_df must be a share"),
        ({"min_df": 5, "max_df": 2}, "max_df corresponds to < documents than min_df"),
        ({"min_df": 100}, "max_df corresponds to"),
        ({"max_df": 7}, "no terms remain"),
        ({"stop_words": ["red", "fish"]}, "empty vocabulary; perhaps the documents only contain stop words"),
        ({"vocabulary": ["a", "a"]}, "Duplicate term in vocabulary: 'a'"),
        ({"vocabulary": {"a": 0, "b": 0}}, "repeated indices"),
        ({"vocabulary": {"a": 0, "b": 2}}, "doesn't contain index 1"),
        ({"vocabulary": []}, "empty vocabulary passed to fit"),
        ({"vocabulary": "red"}, "vocabulary must hold"),
        ({"vocabulary": [1]}, "terms of a vocabulary must be texts"),
        ({"dtype": "text"}, "dtype must be a type of numbers"),
        ({"analyzer": lambda text: [1]}, r"of row 0 it gave 1 \(int\)"),
        ({"preprocessor": lambda text: 3}, "the preprocessor must give a text"),
    ],
    ids=lambda value: str(sorted(value)) if isinstance(value, dict) else None,
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises((ParameterError, DataError), match=words):
        CountVectorizer(**settings).fit(["red fish"] * 8)


def test_stop_words_that_are_never_met_are_told() -> None:
    with pytest.warns(PellucidWarning, match=r"inconsistent with your preprocessing.*'don'"):
        CountVectorizer(stop_words=["don't"]).fit(["don't stop"])


def test_a_matrix_of_other_width_has_no_way_back() -> None:
    with pytest.raises(DataError, match="a column for each term; got 2 for 1 term"):
        CountVectorizer().fit(["red"]).inverse_transform([[1, 2]])
