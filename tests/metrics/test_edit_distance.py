"""Edit distances: figures worked by hand, the readable reference, lists, and odd input."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid.base.errors import DataError, DataTypeError, ParameterError
from pellucid.metrics import (
    common_subsequence,
    damerau_distance,
    edit_distance,
    edit_distances,
    edit_operations,
    edit_similarity,
    jaro_similarity,
    jaro_winkler_similarity,
)
from pellucid.reference import edit_distance as reference

LETTERS = ("ab", "abcdefgh", "äßł漢字😀ab")
COSTS = ((1, 1, 1), (1, 1, 2), (2, 3, 1), (1, 3, 2), (1, 2, 5), (0.5, 0.25, 0.6), (0, 0, 1), (1, 1, 0))


def some_pairs(n: int, longest: int = 30) -> list[tuple[str, str]]:
    chance = random.Random(7)
    pairs = [("", ""), ("", "a"), ("a", "")]
    for _ in range(n):
        letters = chance.choice(LETTERS)
        a = "".join(chance.choices(letters, k=chance.randint(0, longest)))
        b = "".join(chance.choices(letters, k=chance.randint(0, longest)))
        if chance.random() < 0.6:
            b = a
            for _ in range(chance.randint(0, 4)):
                place = chance.randint(0, len(b))
                b = chance.choice([b[:place] + b[place + 1 :], b[:place] + chance.choice(letters) + b[place:]])
        pairs.append((a, b))
    return pairs


@pytest.mark.parametrize("costs", COSTS)
def test_distance_and_operations_are_those_of_the_table(costs: tuple[float, float, float]) -> None:
    named = dict(zip(("insert", "delete", "substitute"), costs, strict=True))
    for a, b in some_pairs(60):
        want = reference.distance(a, b, **named)
        assert edit_distance(a, b, **named) == pytest.approx(want, rel=1e-12)
        way = edit_operations(a, b, **named)
        assert way.distance == pytest.approx(want, rel=1e-12)
        assert "".join(step.before for step in way) == a
        assert "".join(step.after for step in way) == b
        if all(float(cost).is_integer() for cost in costs):
            assert [tuple(step) for step in way] == reference.operations(a, b, **named)


def test_other_measures_are_those_of_the_reference() -> None:
    for a, b in some_pairs(200):
        assert damerau_distance(a, b) == reference.damerau(a, b)
        assert jaro_similarity(a, b) == pytest.approx(reference.jaro(a, b), rel=1e-14)
        assert jaro_winkler_similarity(a, b) == pytest.approx(reference.jaro_winkler(a, b), rel=1e-14)
        found = common_subsequence(a, b)
        assert found.length == len(found.text) == reference.common_subsequence(a, b)
        assert _is_subsequence(found.text, a)
        assert _is_subsequence(found.text, b)


def _is_subsequence(part: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in part)


@pytest.mark.parametrize("n", [63, 64, 65, 128, 129, 300])
def test_long_texts_take_several_words(n: int) -> None:
    chance = random.Random(n)
    a = "".join(chance.choices("abcd", k=n))
    for m in (n - 1, n, n + 7, 2 * n):
        b = "".join(chance.choices("abcd", k=m))
        assert edit_distance(a, b) == reference.distance(a, b)
        assert edit_distance(a, b, substitute=2) == reference.distance(a, b, substitute=2)
        assert damerau_distance(a, b) == reference.damerau(a, b)
        assert jaro_similarity(a, b) == pytest.approx(reference.jaro(a, b), rel=1e-14)


def test_a_small_edit_in_a_long_text() -> None:
    a = "the quick brown fox " * 500
    b = a[:4000] + "x" + a[4000:7000] + a[7003:]
    assert edit_distance(a, b) == 4
    assert edit_distance(a, b, substitute=2) == 4
    assert edit_distance(a, b, cutoff=4) == 4
    assert edit_distance(a, b, cutoff=3) == 4


def test_a_cutoff_caps() -> None:
    for a, b in some_pairs(100, 100):
        full = edit_distance(a, b)
        for cutoff in (0, 2, 9):
            assert edit_distance(a, b, cutoff=cutoff) == min(full, cutoff + 1)


def test_lists_give_one_number_a_pair() -> None:
    pairs = some_pairs(300, 90)
    a, b = [one for one, _ in pairs], [other for _, other in pairs]
    for jobs in (1, 2, 3):
        assert edit_distance(a, b, n_jobs=jobs).tolist() == [edit_distance(*pair) for pair in pairs]
        assert damerau_distance(a, b, n_jobs=jobs).tolist() == [damerau_distance(*pair) for pair in pairs]
        assert edit_similarity(a, b, n_jobs=jobs).tolist() == [edit_similarity(*pair) for pair in pairs]
        assert jaro_similarity(a, b, n_jobs=jobs).tolist() == [jaro_similarity(*pair) for pair in pairs]
        weighted = edit_distance(a, b, insert=2, delete=0.5, n_jobs=jobs)
        assert weighted.tolist() == [edit_distance(*pair, insert=2, delete=0.5) for pair in pairs]


@pytest.mark.parametrize("level", ["baseline", "v3", "v4"])
@pytest.mark.parametrize("substitute", [1, 2])
def test_a_table_is_its_pairs(level: str, substitute: int) -> None:
    from pellucid import _core

    before = _core.simd_level()
    a = [text for pair in some_pairs(60, 70) for text in pair]
    b = [*a[:17], "", "x" * 64, "x" * 65, "漢" * 40]
    want = [[edit_distance(x, y, substitute=substitute) for y in b] for x in a]
    try:
        _core.set_simd_level(level)  # stays at the best level where the machine has less
        for rows in (a, a[:3]):
            found = edit_distances(rows, b, substitute=substitute, n_jobs=2)
            assert found.tolist() == want[: len(rows)]
    finally:
        _core.set_simd_level(before)


def test_a_table_of_one_list_is_symmetric() -> None:
    texts = [a for a, _ in some_pairs(40)]
    table = edit_distances(texts)
    assert (table == table.T).all()
    assert (np.diag(table) == 0).all()
    assert edit_distances([], ["a"]).shape == (0, 1)


def test_known_figures() -> None:
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("intention", "execution") == 5
    assert edit_distance("intention", "execution", substitute=2) == 8  # Jurafsky and Martin
    assert jaro_similarity("DIXON", "DICKSONX") == pytest.approx(0.766667, abs=1e-6)  # Winkler's own examples
    assert jaro_winkler_similarity("DIXON", "DICKSONX") == pytest.approx(0.813333, abs=1e-6)
    assert jaro_winkler_similarity("DWAYNE", "DUANE") == pytest.approx(0.84, abs=1e-6)
    assert damerau_distance("ca", "abc") == 3


def test_columns_of_frames_are_lists() -> None:
    a, b = ["tea", "rice"], ["sea", "ice"]
    for make in (list, tuple, np.array, pd.Series, pl.Series):
        assert edit_distance(make(a), make(b)).tolist() == [1, 1]


def test_summary_and_alignment() -> None:
    way = edit_operations("banana", "ananas")
    assert way.summary == "1 deletion (b) + 1 insertion (s)"
    assert str(way) == "banana \n-|||||+\n ananas"
    assert edit_operations("a", "a").summary == "no change"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: edit_distance("a", 3), DataTypeError, "both be texts or both be lists"),
        (lambda: edit_distance(["a"], "a"), DataTypeError, "both be texts or both be lists"),
        (lambda: edit_distance(["a"], ["a", "b"]), DataError, "equal length"),
        (lambda: edit_distance(["a", None], ["a", "b"]), DataTypeError, "got None at place 1"),
        (lambda: edit_distance("a", "b", insert=-1), ParameterError, "insert must be a number of 0 or more"),
        (lambda: edit_distance("a", "b", substitute=float("nan")), ParameterError, "substitute must be"),
        (lambda: edit_distance("a", "b", substitute=2, cutoff=1), ParameterError, "cutoff is for costs of 1"),
        (lambda: edit_distance("a", "b", cutoff=1.5), ParameterError, "cutoff must be a whole number"),
        (lambda: edit_distances(["a"], substitute=3), ParameterError, "substitute must be 1 or 2"),
        (lambda: edit_operations("a", b"b"), DataTypeError, "b must be text"),
        (lambda: jaro_winkler_similarity("a", "b", prefix_weight=1), ParameterError, "prefix_weight"),
    ],
)
def test_what_is_refused(call: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()  # type: ignore[operator]
