"""Vectorizers against scikit-learn's: the same vocabulary, matrix and names, for the common settings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.feature_extraction.text as peer
from sklearn.utils import murmurhash3_32

import pellucid.text as ours
from pellucid.reference.count_vectorizer import murmur3

TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "Free entry!! Win £1000 cash NOW, txt WIN to 80086 (std rates apply)",
    "The dog sleeps; the fox doesn't. It's 2 late...",
    "",
    "Dear all,\n\n  see you at 5 o'clock \t -- Bob_Smith",
    "naïve café ÜBER straße Ελλάδα ΟΔΟΣ Привет",
    "İstanbul 你好世界 नमस्ते x² 𝔸𝔹 👍🏽",
    "over and over and over again: the fox, the dog",
    "win win WIN",
    "a b c 1 2 3",
]
COMMON: list[dict[str, Any]] = [
    {},
    {"lowercase": False},
    {"binary": True},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3)},
    {"stop_words": ["the", "and", "to"]},
    {"stop_words": ["the", "and", "to"], "ngram_range": (1, 3)},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"[a-z]+"},
    {"token_pattern": r"(\w)\w+"},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii"},
    {"analyzer": "char"},
    {"analyzer": "char", "ngram_range": (2, 4)},
    {"analyzer": "char_wb", "ngram_range": (1, 5)},
    {"analyzer": "char_wb", "ngram_range": (3, 3)},
    {"analyzer": str.split},
    {"tokenizer": str.split, "token_pattern": None},
    {"preprocessor": str.swapcase},
]
CHOOSING: list[dict[str, Any]] = [
    {"min_df": 2},
    {"min_df": 0.2},
    {"max_df": 0.3},
    {"max_df": 3, "min_df": 2},
    {"max_features": 1},
    {"vocabulary": ["fox", "dog", "cat"]},
    {"vocabulary": {"win": 1, "the": 0}},
    {"vocabulary": {"win"}},
    {"dtype": np.float32},
]
WEIGHING: list[dict[str, Any]] = [
    {"norm": "l1"},
    {"norm": None},
    {"use_idf": False},
    {"smooth_idf": False},
    {"sublinear_tf": True},
    {"norm": None, "sublinear_tf": True, "smooth_idf": False, "ngram_range": (1, 2)},
]


def assert_same(found: Any, expected: Any, exact: bool = True) -> None:
    expected = expected.tocsr()
    expected.sort_indices()
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    if exact:
        np.testing.assert_array_equal(found.data, expected.data)
    else:
        np.testing.assert_allclose(found.data, expected.data, rtol=1e-6 if found.dtype == np.float32 else 1e-14)


@pytest.mark.parametrize("settings", COMMON + CHOOSING, ids=str)
def test_counts(settings: dict[str, Any]) -> None:
    one, other = ours.CountVectorizer(**settings), peer.CountVectorizer(**settings)
    assert_same(one.fit_transform(TEXTS), other.fit_transform(TEXTS))
    assert one.vocabulary_ == other.vocabulary_
    assert one.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()
    new = ["a new fox wins", "the dog again", *TEXTS[:2]]
    assert_same(one.transform(new), other.transform(new))
    for mine, theirs in zip(
        one.inverse_transform(one.transform(new)), other.inverse_transform(other.transform(new)), strict=True
    ):
        assert mine.tolist() == sorted(theirs.tolist(), key=one.vocabulary_.get)
    assert one.build_analyzer()(TEXTS[0]) == other.build_analyzer()(TEXTS[0])


@pytest.mark.parametrize("settings", [*COMMON, *CHOOSING, *WEIGHING], ids=str)
def test_weights(settings: dict[str, Any]) -> None:
    one, other = ours.TfidfVectorizer(**settings), peer.TfidfVectorizer(**settings)
    assert_same(one.fit_transform(TEXTS), other.fit_transform(TEXTS), exact=False)
    if settings.get("use_idf", True):
        np.testing.assert_allclose(one.idf_, other.idf_, rtol=1e-6 if "dtype" in settings else 1e-14)
    assert_same(one.transform(TEXTS[::-1]), other.transform(TEXTS[::-1]), exact=False)


@pytest.mark.parametrize(
    "more", [{}, {"norm": None}, {"norm": "l1"}, {"alternate_sign": False}, {"n_features": 8}], ids=str
)
@pytest.mark.parametrize("settings", COMMON, ids=str)
def test_hashed_counts(settings: dict[str, Any], more: dict[str, Any]) -> None:
    settings = {**settings, **more}
    one, other = ours.HashingVectorizer(**settings), peer.HashingVectorizer(**settings)
    assert_same(one.transform(TEXTS), other.transform(TEXTS), exact=False)


@pytest.mark.parametrize("settings", [{}, *WEIGHING[:5]], ids=str)
@pytest.mark.parametrize("form", ["dense", "csr", "csr array", "csc", "float32"])
def test_weights_of_counts(settings: dict[str, Any], form: str) -> None:
    random = np.random.default_rng(0)
    counts = random.poisson(0.7, size=(50, 9)).astype(float)
    forms = {"dense": np.asarray, "csr": sp.csr_matrix, "csr array": sp.csr_array, "csc": sp.csc_matrix}
    X = forms[form](counts) if form in forms else sp.csr_matrix(counts.astype(np.float32))
    one, other = ours.TfidfTransformer(**settings).fit(X), peer.TfidfTransformer(**settings).fit(X)
    found, expected = one.transform(X), other.transform(X)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(
        found.toarray(), expected.toarray(), rtol=1e-6 if form == "float32" else 1e-14, atol=1e-16
    )


def test_max_features_where_no_two_terms_are_equally_frequent() -> None:
    texts = [" ".join(f"word{k}" for k in range(12) if i <= k * k) for i in range(130)]
    for limit in range(1, 13):
        one, other = ours.CountVectorizer(max_features=limit), peer.CountVectorizer(max_features=limit)
        assert_same(one.fit_transform(texts), other.fit_transform(texts))


def test_series_and_columns_of_frames() -> None:
    frame = pd.DataFrame({"said": TEXTS})
    assert_same(
        ours.CountVectorizer().fit_transform(frame["said"]), peer.CountVectorizer().fit_transform(frame["said"])
    )


def test_defaults_are_theirs() -> None:
    for name in ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer", "TfidfTransformer"):
        theirs = getattr(peer, name)().get_params()
        mine = getattr(ours, name)().get_params()
        assert {key: mine[key] for key in theirs} == theirs


@pytest.mark.parametrize(
    ("settings", "texts"),
    [
        ({}, "one text"),
        ({}, ["", " "]),
        ({"stop_words": ["red"]}, ["red"]),
        ({"max_df": 1, "min_df": 2}, TEXTS),
        ({"max_df": 1}, ["red", "red"]),
        ({"vocabulary": {"a": 0, "b": 0}}, TEXTS),
        ({"vocabulary": {"a": 0, "b": 3}}, TEXTS),
        ({"vocabulary": ["a", "a"]}, TEXTS),
        ({"token_pattern": r"(\w)(\w)"}, TEXTS),
    ],
    ids=str,
)
def test_what_they_refuse_we_refuse_in_their_words(settings: dict[str, Any], texts: Any) -> None:
    with pytest.raises(ValueError) as theirs:  # noqa: PT011
        peer.CountVectorizer(**settings).fit(texts)
    with pytest.raises(ValueError) as mine:  # noqa: PT011
        ours.CountVectorizer(**settings).fit(texts)
    words = str(theirs.value).split(".")[0].rstrip(".")
    assert words in str(mine.value)


def test_the_hash_is_theirs() -> None:
    random = np.random.default_rng(0)
    for size in range(40):
        term = "".join(chr(code) for code in random.integers(32, 0x2FFF, size=size))
        assert murmur3(term) == murmurhash3_32(term.encode(), 0)
