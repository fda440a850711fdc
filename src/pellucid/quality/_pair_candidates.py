"""Which pairs of rows are worth comparing: those that share something rare, and neighbors in sorted order."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np

from pellucid import _core
from pellucid.base.types import Array
from pellucid.quality._pair_similarity import Compared, Comparison

GRAM = 3  # letters of a piece
PIECES = (
    4  # rare pieces a word is filed under: an edit spoils three of its pieces at most, so a word with one still meets
)
MOST_PARTNERS = 15  # later rows that a row is compared with, those that share the rarest things
NEIGHBORS = 2  # rows compared with the next so many in sorted order
WORK = 1000  # meetings a row, on average, in the lists of keys


def candidates(comparison: Comparison, n_rows: int) -> tuple[Array, Array]:
    """Pairs of rows, the earlier one first, in order.

    Keys of a row are its cells, its words in whatever column of text, and the rarest pieces of three letters of each
    word. A key is worth as many bits as it is rare; every row is taken with the later rows that share most bits with
    it. Rows are also taken with their next neighbors when sorted by each column, which finds what begins alike.
    """
    rows, keys = _keys(comparison, n_rows)
    starts, keys, bits = _useful(rows, keys, n_rows)
    left, right = _core.rows_with_shared_keys(starts, keys, bits, MOST_PARTNERS, comparison.threads)
    pairs = [left * n_rows + right]
    for column in comparison.columns:
        order = np.lexsort((np.arange(n_rows), _ranks(column)))
        order = order[column.codes[order] >= 0]
        for step in range(1, NEIGHBORS + 1):
            low, high = np.minimum(order[:-step], order[step:]), np.maximum(order[:-step], order[step:])
            pairs.append(low * n_rows + high)
    every = np.unique(np.concatenate(pairs))
    return every // n_rows, every % n_rows


def _ranks(column: Compared) -> Array:
    """The place of each row's value in sorted order."""
    values = np.array(column.texts, dtype=object) if column.has_text else column.numbers
    rank = np.empty(len(values) + 1, dtype=np.int64)
    rank[np.argsort(values, kind="stable")] = np.arange(len(values))
    rank[-1] = -1
    return rank[column.codes]


def _keys(comparison: Comparison, n_rows: int) -> tuple[Array, Array]:
    """(row, key) of every key of every row."""
    of_text, n_keys = _keys_of_texts(comparison)
    rows: list[Array] = []
    keys: list[Array] = []
    for c, column in enumerate(comparison.columns):
        there = np.flatnonzero(column.codes >= 0)
        rows.append(there)
        keys.append(n_keys + column.codes[there])
        n_keys += len(column.bits)
        if column.has_text and len(there):
            starts, listed = of_text
            words = comparison.words(c)[there]
            lengths = starts[words + 1] - starts[words]
            rows.append(np.repeat(there, lengths))
            keys.append(listed[_ranges(starts[words], lengths)])
    return np.concatenate(rows), np.concatenate(keys)


def _ranges(starts: Array, lengths: Array) -> Array:
    """``starts[k], starts[k] + 1, ...``, as many as ``lengths[k]``, for each k."""
    ends = np.cumsum(lengths)
    return np.asarray(np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths))


def _keys_of_texts(comparison: Comparison) -> tuple[tuple[Array, Array], int]:
    """Words and rare pieces of every text of the vocabulary, as (starts, keys), and how many keys there are."""
    split = [text.split() or [text] for text in comparison.vocabulary]
    word_codes: dict[str, int] = {}
    numbered = [[word_codes.setdefault(word, len(word_codes)) for word in words] for words in split]
    pieces = _rare_pieces(list(word_codes))
    number: dict[str, int] = {}
    of_word = [
        [w, *(len(word_codes) + number.setdefault(piece, len(number)) for piece in some)]
        for w, some in enumerate(pieces)
    ]
    listed = [sorted(set(chain.from_iterable(of_word[w] for w in words))) for words in numbered]
    starts = np.zeros(len(listed) + 1, dtype=np.int64)
    np.cumsum([len(some) for some in listed], out=starts[1:])
    flat = np.fromiter(chain.from_iterable(listed), dtype=np.int64, count=int(starts[-1]))
    return (starts, flat), len(word_codes) + len(number)


def _rare_pieces(words: list[str]) -> list[list[str]]:
    """The pieces of each word that fewest words have; equal ones from the front."""
    all_pieces = [_pieces(word) for word in words]
    often = Counter(chain.from_iterable(all_pieces))
    return [sorted(some, key=often.__getitem__)[:PIECES] for some in all_pieces]


def _pieces(word: str) -> list[str]:
    padded = f"\x02{word}\x03"
    return list(dict.fromkeys(padded[i : i + GRAM] for i in range(max(1, len(padded) - GRAM + 1))))


def _useful(rows: Array, keys: Array, n_rows: int) -> tuple[Array, Array, Array]:
    """Keys of each row as (starts, keys, bits), without those that one row has, or so many that they tell little."""
    both = np.unique(rows * (int(keys.max(initial=0)) + 1) + keys)
    rows, keys = both // (int(keys.max(initial=0)) + 1), both % (int(keys.max(initial=0)) + 1)
    often = np.bincount(keys)
    order = np.argsort(often, kind="stable")
    work = np.cumsum(often[order].astype(np.float64) ** 2 / 2)
    is_useful = np.zeros(len(often), dtype=bool)
    is_useful[order[work <= WORK * n_rows]] = True
    is_useful &= often > 1
    number = np.cumsum(is_useful) - 1
    has_useful_key = is_useful[keys]
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows[has_useful_key], minlength=n_rows), out=starts[1:])
    bits = np.log2(n_rows / often[is_useful]) + 1e-3  # a key that every row has tells something after all
    return starts, number[keys[has_useful_key]].astype(np.int32), bits
