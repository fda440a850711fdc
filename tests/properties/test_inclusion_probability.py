"""The chance of a row to be in a bootstrap sample: exact fractions, its limit, and what is no number of rows."""

from __future__ import annotations

from fractions import Fraction
from math import e, inf
from typing import Any

import numpy as np
import pytest

from pellucid.base.errors import DataError
from pellucid.reference import statistics as reference
from pellucid.stats import inclusion_probability


@pytest.mark.parametrize("n", [1, 2, 3, 4, 10, 25])
def test_exact_for_few_rows(n: int) -> None:
    exact = 1 - (1 - Fraction(1, n)) ** n
    assert inclusion_probability(n) == pytest.approx(float(exact), rel=1e-15)
    assert reference.inclusion_probability(n) == pytest.approx(float(exact), rel=1e-15)


def test_it_falls_to_its_limit_without_passing_it() -> None:
    limit = inclusion_probability(inf)
    found = [inclusion_probability(n) for n in (1, 2, 10, 10**3, 10**6, 10**9, np.int64(10**12))]
    assert limit == pytest.approx(1 - 1 / e, rel=1e-15) == reference.inclusion_probability(inf)
    assert found == sorted(found, reverse=True)
    assert found[-1] > limit
    # 1 - (1 - 1/n)^n = 1 - 1/e + 1/(2 e n) + ..., also where (1 - 1/n)^n in one go has lost its last digits
    assert found[-2] - limit == pytest.approx(1 / (2 * e * 10**9), rel=1e-6)


@pytest.mark.parametrize("n", [0, -3, 2.5, float("nan"), -inf, True, "4", None])
def test_other_numbers_of_rows_are_refused(n: Any) -> None:
    with pytest.raises(
        DataError, match=r"^inclusion_probability: n must be a whole number of rows, at least 1, or inf"
    ):
        inclusion_probability(n)
