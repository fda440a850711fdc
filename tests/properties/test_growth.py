"""How a cost grows with the size of a problem."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import stats, working
from pellucid.base.errors import DataError
from pellucid.reference import statistics as reference


@pytest.mark.parametrize(("exponent", "times"), [(2.4, 2.0), (3, 2), (0, 7.0), (-1, 4), (0.5, 9)])
def test_a_factor_is_a_power(exponent: float, times: float) -> None:
    assert stats.growth_factor(exponent, times) == reference.growth_factor(exponent, times)
    log = np.log(stats.growth_factor(exponent, times))
    assert log == pytest.approx(exponent * np.log(times), abs=1e-12)


def test_factors_of_several_exponents_at_once() -> None:
    np.testing.assert_array_equal(stats.growth_factor([1, 2, 3]), [2.0, 4.0, 8.0])


def test_the_exponent_of_an_exact_power_comes_back() -> None:
    size = np.array([10.0, 30.0, 90.0, 500.0])
    for exponent in (0.0, 1.0, 2.4):
        cost = 3 * size**exponent
        assert stats.growth_exponent(size, cost) == pytest.approx(exponent, abs=1e-12)
        assert stats.growth_exponent(size, cost) == pytest.approx(reference.growth_exponent(size, cost), abs=1e-12)


def test_workings_end_in_the_answer() -> None:
    size, cost = [1.0, 2.0, 4.0], [1.0, 3.0, 9.5]
    shown = working.show(stats.growth_exponent, size, cost)
    assert shown.value("exponent") == pytest.approx(stats.growth_exponent(size, cost), abs=1e-12)
    assert working.show(stats.growth_factor, 3).value("factor") == 8


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stats.growth_factor(np.nan), "exponent must be finite"),
        (lambda: stats.growth_factor(2, 0), "times must be a finite number above 0"),
        (lambda: stats.growth_exponent([1, 1], [1, 2]), "two different sizes"),
        (lambda: stats.growth_exponent([1, 2], [1, 0]), "cost must hold finite numbers above 0"),
    ],
)
def test_refusals(call: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        call()  # type: ignore[operator]
