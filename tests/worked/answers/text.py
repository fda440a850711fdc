"""Counts and weights of the words of four short texts, worked by hand with logarithms of base 2."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2, sqrt
from typing import Any

import numpy as np

from pellucid.reference import count_vectorizer, tfidf

from ..frame import Example, PathName, answers

FISH = log2(4 / 3)  # "fish" stands in three of four texts
BY_HAND = {
    "id": "own-tfidf-four-texts",
    "data": {"texts": ["Red fish!", "Blue fish", "red, red bird", "An old fish"]},
    "settings": {"log_base": 2, "stop": ["an"]},
    "expected": [
        {"what": "words", "value": ["bird", "blue", "fish", "old", "red"]},
        {"what": "counts of the third text", "value": [1, 0, 0, 0, 2], "tolerance": 0},
        {"what": "texts that have each word", "value": [1, 1, 3, 1, 2], "tolerance": 0},
        {"what": "idf: log2 of 4 over them", "value": [2, 2, FISH, 2, 1], "tolerance": 1e-12},
        {"what": "third text: 1 x 2 and 2 x 1 over the root of 8", "value": [sqrt(0.5), sqrt(0.5)], "tolerance": 1e-12},
        {
            "what": "cosine of the first two texts, which share fish",
            "value": FISH**2 / sqrt((1 + FISH**2) * (4 + FISH**2)),
            "tolerance": 1e-12,
        },
    ],
    "trace": [],
}


@answers("own-tfidf-four-texts", own=BY_HAND)
def four_texts(example: Example, path: PathName) -> Mapping[str, Any]:
    settings = example.settings
    find = _reference if path == "reference" else _kernel
    words, counts, documents, idf, rows = find(example.data["texts"], settings["stop"], settings["log_base"])
    names = [figure.name for figure in example.figures]
    figures = [words, counts[2], documents, idf, [rows[2][0], rows[2][4]], float(np.dot(rows[0], rows[1]))]
    return dict(zip(names, figures, strict=True))


def _reference(texts: list[str], stop: list[str], base: float) -> tuple[Any, ...]:
    terms = [count_vectorizer.terms_of(text, stop=stop) for text in texts]
    words = count_vectorizer.kept_terms(terms)
    counts = count_vectorizer.count_terms(terms, words)
    documents = [sum(word in one for one in terms) for word in words]
    idf = [tfidf.inverse_frequency(df, len(texts), smooth=False, add_one=False, base=base) for df in documents]
    return words, counts, documents, idf, tfidf.weights(counts, smooth=False, add_one=False, base=base)


def _kernel(texts: list[str], stop: list[str], base: float) -> tuple[Any, ...]:
    from pellucid.text import CountVectorizer, TfidfVectorizer

    model = TfidfVectorizer(stop_words=stop, smooth_idf=False, add_one=False, log_base=base)
    rows = model.fit_transform(texts).toarray()
    counts = CountVectorizer(stop_words=stop).fit_transform(texts).toarray()
    return model.get_feature_names_out().tolist(), counts, model.document_counts_, model.idf_, rows
