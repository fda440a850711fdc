"""Weights of words: figures worked by hand, the reference, conventions that differ, tables of any form."""

from __future__ import annotations

from math import log10, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, ParameterError
from pellucid.reference import count_vectorizer as counting
from pellucid.reference import tfidf as reference
from pellucid.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer

from .samples import TEXTS, drawn

COUNTS = np.array([[3, 0, 1], [2, 0, 0], [3, 0, 0], [4, 0, 0], [3, 2, 0], [3, 0, 2]])
SETTINGS: list[dict[str, Any]] = [
    {},
    {"norm": "l1"},
    {"norm": None},
    {"use_idf": False},
    {"smooth_idf": False},
    {"sublinear_tf": True},
    {"add_one": False, "log_base": 2.0},
    {"norm": None, "smooth_idf": False, "add_one": False, "log_base": 10.0},
    {"norm": "l1", "sublinear_tf": True, "smooth_idf": False},
]


def by_reference(counts: Any, settings: dict[str, Any]) -> Any:
    names = {"sublinear_tf": "sublinear", "smooth_idf": "smooth", "log_base": "base"}
    return reference.weights(counts, **{names.get(key, key): value for key, value in settings.items()})


def test_two_texts_worked_by_hand() -> None:
    """ "this" stands in both texts and weighs nothing; "example" stands three times in one of them."""
    texts = ["this is a a sample", "this is another another example example example"]
    model = TfidfVectorizer(token_pattern=r"\w+", norm=None, smooth_idf=False, add_one=False, log_base=10)
    made = model.fit_transform(texts).toarray()
    column = {term: made[:, place] for term, place in model.vocabulary_.items()}
    assert column["this"].tolist() == [0, 0]
    np.testing.assert_allclose(column["example"], [0, 3 * log10(2)])
    np.testing.assert_allclose(column["a"], [2 * log10(2), 0])
    # Of the seven words of the second text three are "example": 3/7 log10(2) is about 0.129.
    shares = TfidfVectorizer(token_pattern=r"\w+", norm="l1", use_idf=False).fit(texts)
    share = shares.transform(texts)[1, shares.vocabulary_["example"]]
    assert share * log10(2) == pytest.approx(0.129, abs=5e-4)


def test_six_rows_worked_by_hand() -> None:
    """Column 0 stands in 6 of 6 rows, columns 1 and 2 in one and two: idf log(6/df) + 1, then rows of size 1."""
    model = TfidfTransformer(smooth_idf=False).fit(COUNTS)
    np.testing.assert_allclose(model.idf_, [1, np.log(6) + 1, np.log(3) + 1])
    first = np.array([3, 0, np.log(3) + 1])
    np.testing.assert_allclose(model.transform(COUNTS)[0].toarray()[0], first / sqrt(9 + (np.log(3) + 1) ** 2))
    np.testing.assert_allclose(model.transform(COUNTS)[0].toarray()[0], [0.81940995, 0, 0.57320793], atol=5e-9)
    assert model.document_counts_.tolist() == [6, 1, 2]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_weights_are_those_of_the_reference(settings: dict[str, Any]) -> None:
    expected = by_reference(COUNTS, settings)
    for form in (COUNTS, sp.csr_matrix(COUNTS), sp.csc_array(COUNTS), COUNTS.tolist(), np.asfortranarray(COUNTS)):
        found = TfidfTransformer(**settings).fit(form).transform(form)
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-14, atol=1e-15)
    texts = TEXTS + drawn(60)
    terms = [counting.terms_of(text) for text in texts]
    counts = counting.count_terms(terms, counting.kept_terms(terms))
    model = TfidfVectorizer(**settings)
    np.testing.assert_allclose(
        model.fit_transform(texts).toarray(), by_reference(counts, settings), rtol=1e-13, atol=1e-15
    )
    assert (model.transform(texts) != model.fit_transform(texts)).nnz == 0


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_one_step_gives_what_two_steps_give(settings: dict[str, Any]) -> None:
    texts = drawn(80, seed=3)
    counts = CountVectorizer().fit_transform(texts)
    one, two = TfidfVectorizer(**settings).fit_transform(texts), TfidfTransformer(**settings).fit_transform(counts)
    assert one.dtype == two.dtype == np.float64
    np.testing.assert_array_equal(one.toarray(), two.toarray())


def test_single_precision_stays() -> None:
    counts = COUNTS.astype(np.float32)
    for form in (counts, sp.csr_matrix(counts)):
        made = TfidfTransformer().fit_transform(form)
        assert made.dtype == np.float32
        np.testing.assert_allclose(made.toarray(), by_reference(COUNTS, {}), rtol=1e-6)
    assert TfidfVectorizer(dtype=np.float32).fit_transform(TEXTS).dtype == np.float32


def test_what_is_given_stays_as_it_is() -> None:
    given = sp.csr_matrix(COUNTS.astype(float))
    before = given.copy()
    TfidfTransformer(sublinear_tf=True).fit_transform(given)
    assert (given != before).nnz == 0


def test_a_stored_zero_is_no_count() -> None:
    stored = sp.csr_matrix((np.array([0.0, 2.0, 1.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    model = TfidfTransformer(sublinear_tf=True).fit(stored)
    assert model.document_counts_.tolist() == [1, 1]
    np.testing.assert_allclose(model.transform(stored).toarray(), [[0, 1], [1, 0]])


def test_a_row_of_zeros_stays() -> None:
    for norm in ("l1", "l2", None):
        assert TfidfTransformer(norm=norm).fit_transform([[0, 0], [1, 2]]).toarray()[0].tolist() == [0, 0]


def test_a_term_of_no_text_counts_as_one_of_one() -> None:
    assert TfidfTransformer(smooth_idf=False).fit([[0, 1], [0, 1]]).idf_.tolist() == [np.log(2) + 1, 1]


def test_sizes_of_any_magnitude() -> None:
    for scale in (1e300, 1e-300):
        for norm in ("l1", "l2"):
            made = TfidfTransformer(norm=norm, use_idf=False).fit_transform(scale * np.array([[3.0, 4.0], [1.0, 0.0]]))
            expected = [3 / 7, 4 / 7] if norm == "l1" else [0.6, 0.8]
            np.testing.assert_allclose(made.toarray()[0], expected, rtol=1e-14)
    made = TfidfTransformer(norm="l1", use_idf=False).fit_transform([[1e308, 1e308]])
    np.testing.assert_allclose(made.toarray(), [[0.5, 0.5]])


def test_a_negative_count_has_no_logarithm() -> None:
    with pytest.raises(DataError, match="Negative values in data passed to TfidfTransformer: the smallest is -2"):
        TfidfTransformer(sublinear_tf=True).fit([[1, -2]])
    signed = HashingVectorizer(n_features=64, norm=None).transform(TEXTS)
    assert TfidfTransformer().fit_transform(signed).shape == signed.shape  # as they come from hashing


def test_weights_need_floats() -> None:
    with pytest.raises(ParameterError, match="dtype must be float64 or float32"):
        TfidfVectorizer(dtype=np.int64).fit(TEXTS)


@pytest.mark.parametrize("signs", [True, False])
@pytest.mark.parametrize("columns", [1, 7, 2**10])
def test_hashed_counts_are_those_of_the_reference(columns: int, signs: bool) -> None:
    texts = TEXTS + drawn(40)
    terms = [counting.terms_of(text, "word", 1, 2) for text in texts]
    model = HashingVectorizer(n_features=columns, alternate_sign=signs, norm=None, ngram_range=(1, 2))
    np.testing.assert_array_equal(model.transform(texts).toarray(), counting.hashed_counts(terms, columns, signs))


def test_hashed_rows_have_size_one() -> None:
    made = HashingVectorizer(n_features=2**16).transform(drawn(30, length=20))
    sizes = np.sqrt(made.multiply(made).sum(axis=1)).A1
    np.testing.assert_allclose(sizes[sizes > 0], 1, rtol=1e-14)
    assert np.abs(HashingVectorizer(norm="l1").transform(["a few words"])).sum() == pytest.approx(1)
