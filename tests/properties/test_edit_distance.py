"""Edit distances are distances; similarities lie between 0 and 1."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pellucid.metrics import (
    common_subsequence,
    damerau_distance,
    edit_distance,
    edit_operations,
    edit_similarity,
    jaro_similarity,
    jaro_winkler_similarity,
)

texts = st.text(alphabet="abcé漢😀", max_size=90)


@given(texts, texts, texts)
def test_triangle_inequality(a: str, b: str, c: str) -> None:
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)
    assert edit_distance(a, c, substitute=2) <= edit_distance(a, b, substitute=2) + edit_distance(b, c, substitute=2)


@given(texts, texts)
def test_symmetry_and_zero_for_equal_texts_alone(a: str, b: str) -> None:
    for measure in (edit_distance, damerau_distance):
        assert measure(a, b) == measure(b, a)
        assert (measure(a, b) == 0) == (a == b)
    assert edit_distance(a, b, insert=2, delete=3) == edit_distance(b, a, insert=3, delete=2)


@given(texts, texts)
def test_bounds(a: str, b: str) -> None:
    apart = edit_distance(a, b)
    assert abs(len(a) - len(b)) <= apart <= max(len(a), len(b))
    assert damerau_distance(a, b) <= apart <= edit_distance(a, b, substitute=2) <= 2 * apart
    assert len(a) + len(b) - 2 * common_subsequence(a, b).length == edit_distance(a, b, substitute=2)
    for similarity in (edit_similarity, jaro_similarity, jaro_winkler_similarity):
        assert 0 <= similarity(a, b) <= 1
        assert (similarity(a, b) == 1) == (a == b)


@given(texts, texts)
def test_operations_turn_one_text_into_the_other(a: str, b: str) -> None:
    way = edit_operations(a, b)
    assert "".join(step.after for step in way) == b
    assert len(way.changes) == edit_distance(a, b)
