"""The kernel of quantile sketches beside the readable reference: the same numbers, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from pellucid import _core
from pellucid.reference.quantile_sketch import Sketch, edges, error, quantile, rank_bounds, summarize

from .test_reference_quantile_sketch import BLOCK, COLUMNS, ROWS, SIZE, WEIGHTS, ranks, table_of

Floats = NDArray[np.float64]
every_column = pytest.mark.parametrize("column", COLUMNS)
every_weight = pytest.mark.parametrize("weights", WEIGHTS)


def both(x: Floats, w: Floats | None, size: int = SIZE, block: int = BLOCK) -> tuple[_core.QuantileSketch, Sketch]:
    """The kernel's sketch and the reference's of the same rows."""
    kernel, readable = _core.QuantileSketch(size, block), Sketch(size, block)
    kernel.add(x, w)
    readable.add(x, w)
    return kernel, readable


def assert_same(kernel: _core.QuantileSketch, readable: Sketch) -> None:
    """The same entries, and the same answers to all questions."""
    s = readable.summary()
    assert_array_equal(kernel.entries(), np.column_stack([s.value, s.rank_min, s.rank_max, s.weight]))
    assert kernel.total == s.total
    assert kernel.error == error(s)
    assert kernel.bound == readable.bound
    shares = np.linspace(0, 1, 57)
    assert_array_equal(kernel.quantiles(shares), [quantile(s, q) for q in shares])
    numbers = np.concatenate([s.value, s.value + 0.01, [-np.inf, np.inf]])
    assert_array_equal(kernel.rank_bounds(numbers), [rank_bounds(s, x) for x in numbers])
    for most_bins in (2, 10, 255):
        assert_array_equal(kernel.edges(most_bins), edges(s, most_bins))


@every_column
@every_weight
def test_kernel_is_the_reference(column: str, weights: str) -> None:
    assert_same(*both(*table_of(column, weights)))


@pytest.mark.parametrize(("size", "block"), [(2, 1), (3, 50), (64, 2500), (500, 100), (40, 5000)])
@every_weight
def test_kernel_is_the_reference_for_other_sizes(size: int, block: int, weights: str) -> None:
    """Blocks of more rows than are sorted by comparison, of fewer than a summary keeps, and one that is never full."""
    for column in ("normal", "heavy ties", "mostly zero"):
        assert_same(*both(*table_of(column, weights), size, block))


@every_column
@every_weight
def test_merged_and_pruned_as_the_reference(column: str, weights: str) -> None:
    x, w = table_of(column, weights)
    kernel, readable = both(x[:450], None if w is None else w[:450])
    for rows in np.split(np.arange(450, ROWS), [300, 1105, 2000]):
        one, other = both(x[rows], None if w is None else w[rows])
        if len(rows) > 800:
            one.prune()
            other.prune()
        kernel.merge(one)
        readable.merge(other)
    assert_same(kernel, readable)
    kernel.prune()
    readable.prune()
    assert len(kernel.entries()) <= SIZE + 1
    assert_same(kernel, readable)


def test_merged_with_itself() -> None:
    x, w = table_of("normal", "counts")
    kernel, readable = both(x, w)
    kernel.merge(kernel)
    readable.merge(readable)
    assert_same(kernel, readable)
    assert kernel.total == 2 * summarize(x, w).total


def test_rows_with_and_without_weights() -> None:
    x = table_of("normal", "equal")[0]
    ones, none, mixed = (_core.QuantileSketch(SIZE, BLOCK) for _ in range(3))
    ones.add(x, np.ones(ROWS))
    none.add(x)
    mixed.add(x[:130])
    mixed.add(x[130:155], np.ones(25))
    mixed.add(x[155:])
    assert_array_equal(ones.entries(), none.entries())
    assert_array_equal(mixed.entries(), none.entries())


@pytest.mark.parametrize("weights", WEIGHTS)
def test_state_goes_out_and_in(weights: str) -> None:
    x, w = table_of("heavy ties", weights)
    kernel = both(x[:2950], None if w is None else w[:2950])[0]
    again = _core.sketch_from_state(*kernel.state())
    for one, other in zip(kernel.state(), again.state(), strict=True):
        assert_array_equal(one, other)
    for sketch in (kernel, again):
        sketch.add(x[2950:], None if w is None else w[2950:])
    assert_array_equal(kernel.entries(), again.entries())
    assert_array_equal(kernel.entries(), both(x, w)[0].entries())


def test_a_block_of_missing_values_is_a_block() -> None:
    x = np.where(np.arange(ROWS) // BLOCK % 3 == 1, np.nan, table_of("normal", "equal")[0])
    kernel, readable = both(x, None)
    assert_same(kernel, readable)
    assert_array_equal(_core.sketch_from_state(*kernel.state()).entries(), kernel.entries())
    assert_same(*both(np.full(ROWS, np.nan), None))


@pytest.mark.parametrize("what", ["falling", "ranks", "levels", "starts", "nan", "waiting"])
def test_numbers_that_are_no_sketch_are_refused(what: str) -> None:
    size, block, levels, starts, entries, waiting = both(table_of("normal", "equal")[0][:1550], None)[0].state()
    assert len(levels) == 4
    assert len(waiting) == 50
    if what == "falling":
        entries[:2] = entries[1::-1].copy()
    elif what == "ranks":
        entries[5, 1] = entries[5, 2] + 1
    elif what == "levels":
        levels[1] = levels[0]
    elif what == "starts":
        starts[1] = starts[-1] + 1
    elif what == "nan":
        entries[3, 0] = np.nan
    else:
        waiting = np.ones((block, 2))
    with pytest.raises(RuntimeError, match="sketch"):
        _core.sketch_from_state(size, block, levels, starts, entries, waiting)


def test_sketches_of_other_sizes_are_not_merged() -> None:
    with pytest.raises(RuntimeError, match="same sizes"):
        _core.QuantileSketch(40, 100).merge(_core.QuantileSketch(41, 100))


@pytest.mark.parametrize("order", ["drawn", "rising", "dealt"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_million_rows_with_the_sizes_of_the_bins(order: str, weighted: bool) -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=1_000_000)
    if order != "drawn":
        x.sort()
    if order == "dealt":
        x = x.reshape(-1, 25).T.ravel()
    w = rng.exponential(size=len(x)) ** 3 if weighted else None
    sketch = _core.QuantileSketch(16 * 255)
    sketch.add(x, w)
    assert sketch.bound == 5 / 4080
    assert sketch.error <= sketch.bound
    weight = np.ones(len(x)) if w is None else w
    rising = np.argsort(x)
    up_to = np.cumsum(weight[rising])
    shares = np.linspace(0, 1, 400)
    places = np.searchsorted(x[rising], sketch.quantiles(shares))
    away = np.maximum(shares * up_to[-1] - up_to[places], up_to[places] - weight[rising][places] - shares * up_to[-1])
    assert away.max() <= sketch.bound / 2 * up_to[-1]
    inside = np.diff(np.concatenate([[0], up_to[np.searchsorted(x[rising], sketch.edges(255), side="right") - 1]]))
    # Of two edges each is off by half the error at most, and steps are no wider than a gap.
    assert np.abs(inside / up_to[-1] - 1 / 255).max() <= 2 * sketch.bound


def test_ranks_of_the_helper_are_right() -> None:
    below, up_to = ranks(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 4]), np.array([2.0, 2.5]))
    assert_array_equal(below, [1, 6])
    assert_array_equal(up_to, [6, 6])
