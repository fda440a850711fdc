"""Counting words of texts, in plain steps: cut, leave out, join, count; and columns chosen by a hash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray


def words(text: str, shortest: int = 2) -> list[str]:
    """The longest runs of letters, digits and underscores, of at least so many of them."""
    tokens, run = [], ""
    for letter in text + " ":
        if letter.isalnum() or letter == "_":
            run += letter
            continue
        if run and len(run) >= shortest:
            tokens.append(run)
        run = ""
    return tokens


def runs_of_words(found: Sequence[str], low: int = 1, high: int = 1) -> list[str]:
    """Every low to high words in a row, joined by a space."""
    return [" ".join(found[i : i + n]) for n in range(low, high + 1) for i in range(len(found) - n + 1)]


def single_spaces(text: str) -> str:
    """Several spaces, line ends or tabs in a row become one space; a single one stays what it is."""
    characters: list[str] = []
    spaces = 0
    for letter in text:
        spaces = spaces + 1 if letter.isspace() else 0
        if spaces > 1:
            characters[-1] = " "
        else:
            characters.append(letter)
    return "".join(characters)


def runs_of_letters(text: str, low: int, high: int) -> list[str]:
    """Every low to high letters in a row."""
    text = single_spaces(text)
    return [text[i : i + n] for n in range(low, high + 1) for i in range(len(text) - n + 1)]


def runs_within_words(text: str, low: int, high: int) -> list[str]:
    """The same in each piece between spaces, with a space before and after it; a short piece is taken whole, once."""
    ngrams = []
    for piece in text.split():
        word = f" {piece} "
        for n in range(low, high + 1):
            if n >= len(word):
                ngrams.append(word)
                break
            ngrams += [word[i : i + n] for i in range(len(word) - n + 1)]
    return ngrams


def terms_of(
    text: str, unit: str = "word", low: int = 1, high: int = 1, stop: Collection[str] = (), shortest: int = 2
) -> list[str]:
    """The terms of a text in lower case."""
    text = text.lower()
    if unit == "char":
        return runs_of_letters(text, low, high)
    if unit == "char_wb":
        return runs_within_words(text, low, high)
    return runs_of_words([word for word in words(text, shortest) if word not in stop], low, high)


def count_terms(texts: Sequence[Sequence[str]], known: Sequence[str]) -> NDArray[np.int64]:
    """How often each known term stands in each text, of which the terms are given."""
    column = {term: position for position, term in enumerate(known)}
    counts = np.zeros((len(texts), len(known)), dtype=np.int64)
    for row, terms in enumerate(texts):
        for term in terms:
            if term in column:
                counts[row, column[term]] += 1
    return counts


def kept_terms(
    texts: Sequence[Sequence[str]], fewest: float = 1, most: float = np.inf, limit: int | None = None
) -> list[str]:
    """The terms in at least ``fewest`` and at most ``most`` texts, in order; of these the ``limit`` most frequent."""
    documents = Counter(term for terms in texts for term in set(terms))
    kept = [term for term in sorted(documents) if fewest <= documents[term] <= most]
    if limit is None:
        return kept
    often = Counter(term for terms in texts for term in terms)
    return sorted(sorted(kept, key=lambda term: -often[term])[:limit])


def murmur3(term: str) -> int:
    """MurmurHash3 of a term's bytes: a whole number of 32 bits with a sign. Seed 0."""
    mask = 0xFFFFFFFF

    def turned(x: int, by: int) -> int:
        return (x << by | x >> (32 - by)) & mask

    def stirred(k: int) -> int:
        return turned(k * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask

    data = term.encode("utf-8", "surrogatepass")
    h = 0
    block_bytes = len(data) // 4 * 4
    for at in range(0, block_bytes, 4):
        h = (turned(h ^ stirred(int.from_bytes(data[at : at + 4], "little")), 13) * 5 + 0xE6546B64) & mask
    if block_bytes < len(data):
        h ^= stirred(int.from_bytes(data[block_bytes:], "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - 2**32 if h >= 2**31 else h


def hashed_counts(texts: Sequence[Sequence[str]], n_columns: int, signs: bool = True) -> NDArray[np.float64]:
    """Each term counts in the column that its hash chooses, with the sign of the hash."""
    counts = np.zeros((len(texts), n_columns))
    for row, terms in enumerate(texts):
        for term in terms:
            h = murmur3(term)
            counts[row, abs(h) % n_columns] += -1 if signs and h < 0 else 1
    return counts
