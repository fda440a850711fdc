"""How texts are cut: the kernel against the reference and against Python's own regular expressions."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.reference import count_vectorizer as reference
from pellucid.text import CountVectorizer

from .samples import TEXTS, drawn


def assert_counts(model: Any, texts: list[str], terms: list[list[str]]) -> None:
    """The model counts what the reference counts in these terms."""
    known = reference.kept_terms(terms)
    found = model.fit_transform(texts)
    assert model.get_feature_names_out().tolist() == known
    np.testing.assert_array_equal(found.toarray(), reference.count_terms(terms, known))
    np.testing.assert_array_equal(model.transform(texts).toarray(), found.toarray())


@pytest.mark.parametrize("runs", [(1, 1), (1, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize("unit", ["word", "char", "char_wb"])
def test_terms_are_those_of_the_reference(unit: str, runs: tuple[int, int]) -> None:
    terms = [reference.terms_of(text, unit, *runs) for text in TEXTS]
    assert_counts(CountVectorizer(analyzer=unit, ngram_range=runs), TEXTS, terms)


@pytest.mark.parametrize("runs", [(1, 1), (1, 3)])
def test_many_texts_in_many_blocks(runs: tuple[int, int]) -> None:
    texts = drawn(1500)
    assert sum(len(text.encode()) for text in texts) > 2 * 64 * 1024
    assert_counts(CountVectorizer(ngram_range=runs), texts, [reference.terms_of(text, "word", *runs) for text in texts])


def test_stop_words_are_left_out_before_words_are_joined() -> None:
    stop = ["the", "and", "over"]
    terms = [reference.terms_of(text, "word", 1, 2, stop) for text in TEXTS]
    assert "over again" not in {term for one in terms for term in one}
    assert_counts(CountVectorizer(ngram_range=(1, 2), stop_words=stop), TEXTS, terms)


def all_letters() -> list[str]:
    """All 1,114,112 letters, 4096 in a piece."""
    return ["".join(map(chr, range(start, start + 4096))) for start in range(0, sys.maxunicode + 1, 4096)]


def test_every_letter_belongs_to_a_word_where_python_says_so() -> None:
    """Each letter between two others that do."""
    letters = [chr(code) for code in range(sys.maxunicode + 1)]
    texts = [
        "".join(f"a{letter}b " for letter in letters[start : start + 4096]) for start in range(0, len(letters), 4096)
    ]
    cut = re.compile(r"(?u)\b\w\w+\b").findall
    model = CountVectorizer(lowercase=False).fit(texts)
    assert model.get_feature_names_out().tolist() == sorted({word for text in texts for word in cut(text)})


def test_every_letter_has_the_lower_case_that_python_gives_it() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1)]
    texts = [
        " ".join(f"x{letter}" for letter in letters[start : start + 4096]) for start in range(0, len(letters), 4096)
    ]
    cut = re.compile(r"(?u)\b\w\w+\b").findall
    model = CountVectorizer().fit(texts)
    assert model.get_feature_names_out().tolist() == sorted({word for text in texts for word in cut(text.lower())})


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?u)\b\w\w+\b",
        r"\b\w+\b",
        r"\w+",
        r"(?u)\w\w\w+",
        r"\w{4,}",
        r"\b\w{1,}\b",
        r"[a-z]+",
        r"\S+",
        r"(\w)\w+",
        r"(?a)\w+",
    ],
)
def test_patterns_cut_as_regular_expressions_do(pattern: str) -> None:
    cut = re.compile(pattern).findall
    assert_counts(CountVectorizer(token_pattern=pattern), TEXTS, [cut(text.lower()) for text in TEXTS])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=6), st.sampled_from(["word", "char", "char_wb"]))
def test_any_texts_at_all(texts: list[str], unit: str) -> None:
    texts = [*texts, "some words"]
    terms = [reference.terms_of(text, unit, 1, 2) for text in texts]
    assert_counts(CountVectorizer(analyzer=unit, ngram_range=(1, 2)), texts, terms)


@pytest.mark.parametrize("unit", ["word", "char", "char_wb"])
@pytest.mark.parametrize(
    "more",
    [{}, {"lowercase": False}, {"strip_accents": "unicode"}, {"strip_accents": "ascii"}, {"ngram_range": (2, 3)}],
)
def test_the_analyzer_in_python_gives_the_same_terms(unit: str, more: dict[str, Any]) -> None:
    model = CountVectorizer(analyzer=unit, **more)
    cut = model.build_analyzer()
    assert_counts(model, TEXTS, [cut(text) for text in TEXTS])


def test_a_capital_that_appears_when_accents_go_stays() -> None:
    """Lower case comes first: the sign for megahertz has none, and is taken apart into MHz."""
    model = CountVectorizer(strip_accents="unicode").fit(["5 ㎒ RADIO"])
    assert model.get_feature_names_out().tolist() == ["MHz", "radio"]


def test_functions_of_the_user_replace_steps() -> None:
    texts = ["a-b c", "b d-d"]
    split = CountVectorizer(tokenizer=lambda text: re.split("[- ]", text), token_pattern=None, ngram_range=(1, 2))
    assert split.fit(texts).get_feature_names_out().tolist() == ["a", "a b", "b", "b c", "b d", "c", "d", "d d"]
    shout = CountVectorizer(preprocessor=str.upper, token_pattern=r"\w+").fit(texts)
    assert shout.get_feature_names_out().tolist() == ["A", "B", "C", "D"]
    rows = CountVectorizer(analyzer=lambda words: words)
    assert rows.fit_transform([["b", "a"], ["b", "b"]]).toarray().tolist() == [[1, 1], [0, 2]]
    lists = CountVectorizer(tokenizer=lambda words: words, lowercase=False)
    assert lists.fit_transform([["b b", "A"], ["b b"]]).toarray().tolist() == [[1, 1], [0, 1]]
    plain = CountVectorizer(strip_accents=lambda text: text.replace("a", "o"), token_pattern=r"\w+").fit(texts)
    assert plain.get_feature_names_out().tolist() == ["b", "c", "d", "o"]


def test_english_stop_words_hold_what_carries_no_meaning() -> None:
    stop = CountVectorizer(stop_words="english").get_stop_words()
    assert stop is not None
    assert {"the", "and", "of", "is", "which"} <= stop
    assert not {"good", "bad", "free", "money", "system", "computer"} & stop
    assert all(word == word.lower() and word.isalpha() for word in stop)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        # From the published test vectors of MurmurHash3 x86 32 with seed 0.
        ("", 0),
        ("a", 0x3C2569B2),
        ("test", 0xBA6BD213),
        ("Hello, world!", 0xC0363E43),
        ("The quick brown fox jumps over the lazy dog", 0x2E4FF723),
    ],
)
def test_the_hash_is_murmur(key: str, expected: int) -> None:
    assert reference.murmur3(key) % 2**32 == expected
