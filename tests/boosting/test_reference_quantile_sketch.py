"""Summaries of a column: by hand, and their bounds beside the ranks of all values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from pellucid.reference.quantile_sketch import (
    Sketch,
    Summary,
    edges,
    error,
    merge,
    middle,
    prune,
    quantile,
    ranges,
    rank_bounds,
    summarize,
)

Floats = NDArray[np.float64]
ROWS, SIZE, BLOCK = 3000, 40, 100


def sawtooth(rng: np.random.Generator) -> Floats:
    """Each block holds values that the blocks before it left out."""
    x = np.arange(ROWS, dtype=np.float64)
    return np.concatenate([x[k :: ROWS // BLOCK] for k in range(ROWS // BLOCK)])


def inward(rng: np.random.Generator) -> Floats:
    """Smallest, largest, second smallest, ...: every block is at the edges of what is to come."""
    x = np.arange(ROWS, dtype=np.float64)
    return np.where(x % 2 == 0, x / 2, ROWS - x / 2)


COLUMNS: dict[str, Callable[[np.random.Generator], Floats]] = {
    "normal": lambda rng: rng.normal(size=ROWS),
    "rising": lambda rng: np.sort(rng.normal(size=ROWS)),
    "falling": lambda rng: -np.sort(rng.exponential(size=ROWS)),
    "constant": lambda rng: np.full(ROWS, 7.0),
    "two values": lambda rng: rng.integers(0, 2, ROWS).astype(np.float64),
    "heavy ties": lambda rng: np.floor(rng.exponential(size=ROWS) * 30),
    "mostly zero": lambda rng: np.where(rng.random(ROWS) < 0.9, 0.0, rng.normal(size=ROWS)),
    "outliers": lambda rng: rng.standard_cauchy(ROWS) ** 3,
    "missing": lambda rng: np.where(rng.random(ROWS) < 0.3, np.nan, rng.normal(size=ROWS)),
    "sawtooth": sawtooth,
    "inward": inward,
}
WEIGHTS: dict[str, Callable[[np.random.Generator], Floats | None]] = {
    "equal": lambda rng: None,
    "counts": lambda rng: rng.integers(0, 5, ROWS).astype(np.float64),
    "uneven": lambda rng: rng.exponential(size=ROWS) ** 4,
}
every_column = pytest.mark.parametrize("column", COLUMNS)
every_weight = pytest.mark.parametrize("weights", WEIGHTS)


def table_of(column: str, weights: str) -> tuple[Floats, Floats | None]:
    """The rows of a case."""
    rng = np.random.default_rng(3)
    return COLUMNS[column](rng), WEIGHTS[weights](rng)


def ranks(x: Floats, w: Floats | None, at: Floats) -> tuple[Floats, Floats]:
    """What the values below each of some numbers weigh, and what those up to it do."""
    weight = np.ones(len(x)) if w is None else w
    below = np.array([weight[x < v].sum() for v in at])
    return below, np.array([weight[x <= v].sum() for v in at])


def assert_certain(s: Summary, x: Floats, w: Floats | None, bound: float) -> None:
    """Bounds hold the ranks; no answer is further from its rank than half the error; the error is within its bound."""
    below, up_to = ranks(x, w, s.value)
    slack = 1e-9 * s.total
    assert (s.rank_min <= below + slack).all()
    assert (up_to <= s.rank_max + slack).all()
    assert (s.weight <= up_to - below + slack).all()
    assert s.total == pytest.approx(up_to[-1])
    assert error(s) <= bound + 1e-9
    shares = np.linspace(0, 1, 101)
    below, up_to = ranks(x, w, np.array([quantile(s, q) for q in shares]))
    away = np.maximum(0.0, np.maximum(below - shares * s.total, shares * s.total - up_to))
    assert away.max() <= error(s) / 2 * s.total + slack
    numbers = np.concatenate([np.nanquantile(x, shares), [-1e300, 1e300]])
    bounds = np.array([rank_bounds(s, v) for v in numbers])
    up_to = ranks(x, w, numbers)[1]
    assert (bounds[:, 0] <= up_to + slack).all()
    assert (up_to <= bounds[:, 1] + slack).all()
    assert (bounds[:, 1] - bounds[:, 0]).max() <= error(s) * s.total + slack


def test_all_values_by_hand() -> None:
    s = summarize([5, 2, np.nan, 2, 9, 4], weight=[1, 2, 9, 1, 0.5, 0])
    assert_array_equal(s.value, [2, 5, 9])
    assert_array_equal(s.rank_min, [0, 3, 4])
    assert_array_equal(s.rank_max, [3, 4, 4.5])
    assert_array_equal(s.weight, [3, 1, 0.5])
    assert s.exact
    assert error(s) == 0


def test_merge_by_hand() -> None:
    """1 2 3 4 without 2 and 3, and 2 5: of 2 it is known that one or two or three values lie up to it."""
    some = summarize([1, 2, 3, 4]).take(np.array([True, False, False, True]))
    both = merge(some, summarize([2, 5]))
    assert_array_equal(both.value, [1, 2, 4, 5])
    assert_array_equal(both.rank_min, [0, 1, 4, 5])
    assert_array_equal(both.rank_max, [1, 4, 5, 6])
    assert_array_equal(both.weight, [1, 1, 1, 1])
    assert not both.exact
    assert error(both) == pytest.approx(2 / 6)
    assert rank_bounds(both, 2) == (2, 4)
    assert rank_bounds(both, 3) == (2, 4)
    assert rank_bounds(both, 0.5) == (0, 0)


def test_merge_with_nothing() -> None:
    nothing, s = summarize([np.nan]), summarize([1, 2])
    assert merge(nothing, s) is s
    assert merge(s, nothing) is s
    assert np.isnan(quantile(nothing, 0.5))
    assert error(nothing) == 0
    assert nothing.total == 0


def test_prune_by_hand() -> None:
    """Twelve values to five: the ends, and those at ranks 3, 6 and 9."""
    s = prune(summarize(np.arange(12.0)), 4)
    assert_array_equal(s.value, [0, 3, 6, 9, 11])
    assert_array_equal(s.rank_min, [0, 3, 6, 9, 11])
    assert error(s) == pytest.approx(2 / 12)


def test_prune_keeps_what_is_heavy() -> None:
    """Zero has 988 of 1000 rows: it stays, and the others are pruned as if it were not there."""
    x = np.concatenate([np.zeros(988), np.arange(1.0, 13)])
    s = prune(summarize(x), 5)
    assert_array_equal(s.value, [0, 4, 7, 10, 12])
    assert error(s) == pytest.approx(3 / 1000)


@every_column
@every_weight
def test_bounds_hold_for_a_sketch(column: str, weights: str) -> None:
    x, w = table_of(column, weights)
    sketch = Sketch(SIZE, BLOCK)
    sketch.add(x, w)
    assert sketch.bound == pytest.approx((1 + np.floor(np.log2(ROWS / BLOCK))) / SIZE)
    assert_certain(sketch.summary(), x, w, sketch.bound)


@every_column
@every_weight
def test_bounds_hold_for_merged_sketches(column: str, weights: str) -> None:
    x, w = table_of(column, weights)
    whole = Sketch(SIZE, BLOCK)
    for rows in np.split(np.arange(ROWS), [130, 1000, 1050, 2900]):
        part = Sketch(SIZE, BLOCK)
        part.add(x[rows], None if w is None else w[rows])
        part.prune()
        assert len(part.summary().value) <= SIZE + 1
        whole.merge(part)
    assert_certain(whole.summary(), x, w, whole.bound)


@every_column
@every_weight
def test_what_merging_and_pruning_cost(column: str, weights: str) -> None:
    x, w = table_of(column, weights)
    a = prune(summarize(x[:1000], None if w is None else w[:1000]), 30)
    b = prune(summarize(x[1000:], None if w is None else w[1000:]), 50)
    both = merge(a, b)
    assert error(a) <= 1 / 30 + 1e-12
    assert error(b) <= 1 / 50 + 1e-12
    assert error(both) <= max(error(a), error(b)) + 1e-12
    for size in (2, 7, 20, 60):
        fewer = prune(both, size)
        assert len(fewer.value) <= size + 1
        assert error(fewer) <= error(both) + 1 / size + 1e-12


@pytest.mark.parametrize("column", ["constant", "two values"])
@every_weight
def test_few_values_are_all_kept(column: str, weights: str) -> None:
    x, w = table_of(column, weights)
    sketch = Sketch(SIZE, BLOCK)
    sketch.add(x, w)
    s = sketch.summary()
    assert s.exact
    assert_array_equal(s.value, np.unique(x))
    assert_allclose(s.weight, summarize(x, w).weight)


def test_blocks_are_the_same_however_rows_arrive() -> None:
    x, w = table_of("normal", "uneven")
    assert w is not None
    once, often = Sketch(SIZE, BLOCK), Sketch(SIZE, BLOCK)
    once.add(x, w)
    for rows in np.array_split(np.arange(ROWS), 77):
        often.add(x[rows], w[rows])
    assert_array_equal(once.summary().rank_max, often.summary().rank_max)
    assert_array_equal(once.summary().value, often.summary().value)


def test_middle_lies_between() -> None:
    assert middle(1, 2) == 1.5
    assert middle(1, np.nextafter(1, 2)) == 1
    assert middle(-1e308, 1e308) == 0


def test_ranges_of_a_gap() -> None:
    s = merge(summarize([1, 2, 3, 4]).take(np.array([True, False, False, True])), summarize([2, 5]))
    up, down = float(np.nextafter(2, 9)), float(np.nextafter(4, 0))
    # Below 2 lie 1 to 3, so 2 in the middle, of which 1 is known; below 4 lie 4, of which 3 are accounted for.
    assert ranges(s) == [
        (1, 1, 1),
        (float(np.nextafter(1, 9)), float(np.nextafter(2, 0)), 1),
        (2, 2, 1),
        (up, down, 1),
        (4, 4, 1),
        (5, 5, 1),
    ]
    assert edges(s, 6) == [1, float(np.nextafter(2, 0)), 2, down, 4.5]


@every_column
@every_weight
def test_edges_divide_the_weight(column: str, weights: str) -> None:
    """The weight up to an edge is known to half the error."""
    x, w = table_of(column, weights)
    sketch = Sketch(200, 500)
    sketch.add(x, w)
    s = sketch.summary()
    found = np.array(edges(s, 10))
    assert len(found) <= 9
    assert (np.diff(found) > 0).all()
    if not len(found):
        return
    up_to = ranks(x, w, found)[1]
    known = np.array([sum(weight for _, high, weight in ranges(s) if high <= edge) for edge in found])
    assert np.abs(up_to - known).max() <= (error(s) / 2 + 1e-9) * s.total
