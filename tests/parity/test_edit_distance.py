"""Against the plain dynamic programme on texts of every size around a word of bits; costs beside the unit ones too."""

from __future__ import annotations

import random

import pytest

from pellucid.metrics import common_subsequence, edit_distance
from pellucid.reference import edit_distance as reference

SIZES = (1, 31, 64, 65, 127, 193)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", SIZES)
def test_sizes_around_words(n: int, m: int) -> None:
    chance = random.Random(1000 * n + m)
    for letters in ("ab", "abcdefghijklmnopqrstuvwxyz"):
        a, b = "".join(chance.choices(letters, k=n)), "".join(chance.choices(letters, k=m))
        assert edit_distance(a, b) == reference.distance(a, b)
        assert edit_distance(a, b, insert=3, delete=1, substitute=2) == reference.distance(a, b, 3, 1, 2)
        assert edit_distance(a, b, insert=2, delete=1, substitute=9) == reference.distance(a, b, 2, 1, 9)
        assert edit_distance(a, b, insert=2, delete=5, substitute=3) == reference.distance(a, b, 2, 5, 3)
        assert common_subsequence(a, b).length == reference.common_subsequence(a, b)
