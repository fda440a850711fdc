"""Streams: parts that are merged say what the whole says, exactly or within the bounds that are stated."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError
from pellucid.quality import Accumulator, ColumnSummary, profile
from pellucid.quality import accumulator as limits
from pellucid.quality._sketch import (
    FREQUENT,
    POINTS,
    Frequent,
    Points,
    distinct_of,
    hash_numbers,
    registers_of,
)
from pellucid.quality.column import compute_stats
from pellucid.quality.summary import Moments
from pellucid.reference.profile import merged_moments


def summary_of(values: Any, exact: int = 200_000) -> ColumnSummary:
    return ColumnSummary.of(compute_stats(pd.DataFrame({"x": values}), "test").columns[0], exact)


def streamed(frame: Any, size: int, **settings: Any) -> Any:
    accumulator = Accumulator(**settings)
    for start in range(0, len(frame), size):
        accumulator.add(frame[start : start + size])
    return accumulator.profile()


def mixed(rows: int) -> pd.DataFrame:
    random = np.random.default_rng(3)
    x = random.normal(size=rows)
    x[random.random(rows) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "x": x,
            "whole": random.integers(0, 50, rows),
            "word": random.choice(["a", "b", "c d"], rows),
            "yes": random.random(rows) < 0.5,
            "when": np.datetime64("2020-01-01", "us") + random.integers(0, 10**12, rows).astype("timedelta64[us]"),
            "code": [f"{k:06d}" for k in range(rows)],
            "price": [f"{k / 4}" for k in random.integers(0, 99, rows)],
        }
    )


def same(a: Any, b: Any) -> None:
    """Two plain profiles are the same up to the rounding of sums."""
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, float) and b is not None:
        assert a == pytest.approx(b, rel=1e-9, abs=1e-12)
    else:
        assert a == b


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_a_stream_gives_the_profile_of_the_whole(size: int) -> None:
    frame = mixed(300)
    whole, parts = profile(frame).to_dict(), streamed(frame, size).to_dict()
    for one in (whole, parts):
        linked = one.pop("associations")
        one["pearson"], one["bytes"] = linked["pearson"], 0
    pearson = whole["pearson"]["columns"].index("price")  # text that reads as numbers is in no sum of a stream
    for key in ("rows", "columns"):
        whole["pearson"][key].remove("price")
    whole["pearson"]["values"] = [
        [v for j, v in enumerate(row) if j != pearson]
        for i, row in enumerate(whole["pearson"]["values"])
        if i != pearson
    ]
    same(whole, parts)


def test_the_order_of_merging_does_not_matter() -> None:
    random = np.random.default_rng(0)
    parts = [summary_of(random.integers(0, 30, 50)) for _ in range(5)]
    left = parts[0].merge(parts[1]).merge(parts[2]).merge(parts[3]).merge(parts[4])
    right = parts[4].merge(parts[3].merge(parts[2].merge(parts[1].merge(parts[0]))))
    a, b = left.profile(), right.profile()
    assert a.top == b.top
    assert a.numbers is not None
    assert b.numbers is not None
    assert a.numbers.quartiles == b.numbers.quartiles
    assert a.numbers.skewness == pytest.approx(b.numbers.skewness, rel=1e-9)


def test_accumulators_merge_and_travel_between_processes() -> None:
    frame = mixed(200)
    first, second = Accumulator().add(frame[:90]), Accumulator().add(frame[90:])
    joined = pickle.loads(pickle.dumps(first)).merge(second).profile()
    one = Accumulator().add(frame[:90]).add(frame[90:]).profile()
    same(joined.to_dict(), one.to_dict())
    assert Accumulator().merge(first) is first


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.lists(st.floats(-100, 100), min_size=1, max_size=20))
def test_moments_merge_as_the_reference_does(a: list[float], b: list[float]) -> None:
    def plain(values: list[float]) -> tuple[int, float, float, float]:
        x = np.array(values)
        d = x - x.mean()
        return len(x), float(x.mean()), float((d**2).sum()), float((d**3).sum())

    n, mean, squares, cubes = merged_moments(plain(a), plain(b))
    found = Moments(*plain(a), 0).merge(Moments(*plain(b), 0))
    assert found.count == n
    assert found.mean == pytest.approx(mean, abs=1e-9)
    assert np.ldexp(found.squares, 2 * found.exponent) == pytest.approx(squares, rel=1e-9, abs=1e-9)
    assert np.ldexp(found.cubes, 3 * found.exponent) == pytest.approx(cubes, rel=1e-9, abs=1e-6)
    both = np.array(a + b)
    assert squares == pytest.approx(float(((both - both.mean()) ** 2).sum()), rel=1e-9, abs=1e-8)


def test_merged_moments_of_huge_numbers_stay_in_range() -> None:
    found = summary_of([1.5e308, -1.5e308]).merge(summary_of([1.5e308, 0.0])).profile().numbers
    assert found is not None
    assert found.mean == pytest.approx(0.375e308)
    assert found.sd == pytest.approx(2.0625**0.5 * 1e308)


# --------------------------------------------------------------------------------------------------------------- bounds


def rank_off(values: Any, found: float, share: float) -> float:
    """By how many ranks a quantile misses its place."""
    below, upto = np.searchsorted(values, found, "left"), np.searchsorted(values, found, "right")
    place = (len(values) - 1) * share
    return float(max(below - 1 - place, place - upto, 0))


@pytest.mark.parametrize("kind", ["normal", "sorted", "falling", "heavy"])
def test_quantiles_of_a_long_stream_keep_their_bound(kind: str) -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=300_000)
    if kind == "sorted":
        x = np.sort(x)
    if kind == "falling":
        x = -np.sort(x)
    if kind == "heavy":
        x[random.random(len(x)) < 0.6] = 0.5
    state = None
    for start in range(0, len(x), 10_000):
        part = summary_of(x[start : start + 10_000], exact=5_000)
        state = part if state is None else state.merge(part)
    assert state is not None
    column = state.profile()
    found = column.numbers
    assert found is not None
    assert 0 < found.rank_error < 0.002  # log2(30) thinnings of half a 4096th each
    ordered = np.sort(x)
    for share, quartile in zip((0.25, 0.5, 0.75), found.quartiles, strict=True):
        assert rank_off(ordered, quartile, share) <= found.rank_error * len(x) + 1
    assert (found.minimum, found.maximum) == (ordered[0], ordered[-1])
    assert found.mean == pytest.approx(x.mean(), rel=1e-9, abs=1e-12)
    assert found.sd == pytest.approx(x.std(ddof=1), rel=1e-9)
    assert column.distinct_is_estimate
    assert column.distinct == pytest.approx(len(np.unique(x)), rel=0.04)  # five standard errors
    assert sum(found.histogram.counts) == len(x)
    if kind == "heavy":
        assert found.modes == (0.5,)
        often = int((x == 0.5).sum())
        assert often - column.top_error <= column.top[0].count <= often


def test_points_are_exact_while_they_are_few() -> None:
    values, counts = np.arange(10.0), np.arange(1, 11)
    points = Points.of(values, counts).merge(Points.of(values + 100, counts))
    assert points.error == 0
    assert points.runs[0].tolist() == [*range(10), *range(100, 110)]
    many = Points.of(np.arange(50_000.0), np.ones(50_000, dtype=np.int64))
    assert len(many.runs[0]) <= POINTS
    assert many.runs[1].sum() == 50_000


@pytest.mark.parametrize("n", [0, 10, 5_000, 40_000, 1_000_000])
def test_distinct_values_are_estimated_within_five_standard_errors(n: int) -> None:
    found = distinct_of(registers_of(hash_numbers(np.arange(n) * 3)))
    assert found == pytest.approx(n, rel=5 * 1.04 / 2**7, abs=1)


def test_frequent_counts_are_short_by_at_most_the_bound() -> None:
    random = np.random.default_rng(2)
    stream = np.concatenate([random.integers(0, 50_000, 60_000), np.repeat([7, 8, 9], [4_000, 3_000, 2_000])])
    random.shuffle(stream)
    state = Frequent({})
    for part in np.array_split(stream, 20):
        values, counts = np.unique(part, return_counts=True)
        state = state.merge(Frequent(dict(zip(values.tolist(), counts.tolist(), strict=True))).cut())
    assert len(state.counts) <= FREQUENT
    for value in (7, 8, 9):
        often = int((stream == value).sum())
        assert often - state.error <= state.counts[value] <= often
    assert state.error <= len(stream) / FREQUENT


def test_long_streams_of_texts_are_bounded() -> None:
    random = np.random.default_rng(4)
    words = [f"user {k}" for k in random.integers(0, 30_000, 60_000).tolist()]
    words[::3] = ["root"] * len(words[::3])
    state = summary_of(words[:6000], exact=2_000)
    for start in range(6000, len(words), 6000):
        state = state.merge(summary_of(words[start : start + 6000], exact=2_000))
    column = state.profile()
    assert (column.distinct_is_estimate, column.top[0].value) == (True, "root")
    assert 20_000 - column.top_error <= column.top[0].count <= 20_000
    assert column.distinct == pytest.approx(len(set(words)), rel=0.04)
    assert column.lengths is not None
    assert column.lengths.longest == max(map(len, words))
    assert len(pickle.dumps(state)) < 200_000


def test_duplicates_of_long_streams_are_sampled_by_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(6)
    frame = pd.DataFrame({"x": random.integers(0, 40_000, 100_000)})
    exact = profile(frame, associations=False).duplicates
    assert streamed(frame, 10_000).duplicates == exact
    monkeypatch.setattr(limits, "_KEPT_ROWS", 4096)
    found = streamed(frame, 10_000)
    assert found.duplicates_are_estimated
    assert found.duplicates == pytest.approx(exact, rel=0.1)


# ----------------------------------------------------------------------------------------------------------------- odd


def test_batches_that_are_empty_in_a_column_take_the_type_of_the_others() -> None:
    batches = [pl.DataFrame({"a": [None, None]}), pl.DataFrame({"a": ["x", None]}), pl.DataFrame({"a": ["x", "y"]})]
    accumulator = Accumulator()
    for batch in batches:
        accumulator.add(batch)
    column = accumulator.profile()["a"]
    assert (column.kind, column.missing, column.distinct) == ("nominal", 3, 2)


def test_whole_numbers_and_floats_are_numbers() -> None:
    joined = summary_of([1, 2]).merge(summary_of([2.0, 2.5])).profile()
    assert (joined.kind, joined.distinct) == ("continuous", 3)


def test_other_columns_and_other_types_are_refused() -> None:
    accumulator = Accumulator().add(pd.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(DataError, match="every batch must have the same columns; there is no 'b' in this one"):
        accumulator.add(pd.DataFrame({"a": [1]}))
    with pytest.raises(DataError, match="column 'x' held numbers and then texts"):
        summary_of([1]).merge(summary_of(["a"]))
    with pytest.raises(DataError, match="there must be a batch before there is a profile"):
        Accumulator().profile()
    with pytest.raises(DataError, match="both must have the same columns"):
        accumulator.merge(Accumulator().add(pd.DataFrame({"z": [1]})))


def test_columns_are_matched_by_name() -> None:
    accumulator = Accumulator(["b", "a"]).add(pd.DataFrame({"a": [1, 1], "b": ["u", "v"]}))
    accumulator.add(pd.DataFrame({"b": ["u"], "a": [4], "more": [0]}))
    found = accumulator.profile()
    assert [column.name for column in found] == ["b", "a"]
    numbers = found["a"].numbers
    assert numbers is not None
    assert numbers.mean == 2.0
