"""Every row is looked at: the answer is that of measuring every pair, whatever the layout, the threads and the way."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import cdist

from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.index import Found
from pellucid.models.neighbors.metric import Metric, unit_rows

SCIPY: dict[str, dict[str, Any]] = {  # ours: theirs, of numbers
    "euclidean": {"metric": "euclidean"},
    "manhattan": {"metric": "cityblock"},
    "chebyshev": {"metric": "chebyshev"},
    "minkowski": {"metric": "minkowski", "p": 3.0},
    "hamming": {"metric": "hamming"},
    "cosine": {"metric": "cosine"},
    "canberra": {"metric": "canberra"},
    "braycurtis": {"metric": "braycurtis"},
}


def table(rows: int, columns: int, seed: int) -> np.ndarray:
    """Numbers that a float holds, a third of them zero."""
    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal((rows, columns)).astype(np.float32).astype(np.float64)
    return np.where(rng.random((rows, columns)) < 0.3, 0, numbers)


def one_by_one(index: BruteIndex, queries: np.ndarray, k: int) -> Found:
    """Single queries are measured pair by pair: they are the standard for many."""
    found = [index.nearest(queries[i : i + 1], k, 1) for i in range(len(queries))]
    return Found(np.vstack([f.distances for f in found]), np.vstack([f.rows for f in found]))


def assert_same(got: Found, want: Found) -> None:
    np.testing.assert_array_equal(got.rows, want.rows)
    assert got.distances.tobytes() == want.distances.tobytes()


@pytest.mark.parametrize("kind", SCIPY)
@pytest.mark.parametrize("columns", [3, 30])
def test_distances_are_scipys_and_come_in_order(kind: str, columns: int) -> None:
    rows, queries = table(400, columns, 0), table(40, columns, 1)
    queries[0] = rows[7] = 1
    got = BruteIndex(rows, Metric(kind, 3.0)).nearest(queries, 9, 2)
    every = np.nan_to_num(cdist(queries, rows, **SCIPY[kind]))  # two rows of zeros are no distance apart
    if kind == "cosine":  # of a row of zeros scipy knows no angle
        every = 1 - unit_rows(queries) @ unit_rows(rows).T
    np.testing.assert_allclose(got.distances, np.sort(every, axis=1)[:, :9], atol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(every, got.rows, axis=1), got.distances, atol=1e-12)
    assert (np.diff(got.distances, axis=1) >= 0).all()


@pytest.mark.parametrize("columns", [2, 20])
def test_layouts_and_threads_change_no_bit(columns: int) -> None:
    rows, queries = table(300, columns, 2), table(50, columns, 3)
    want = one_by_one(BruteIndex(rows, Metric()), queries, 6)
    layouts = [
        rows,
        np.asfortranarray(rows),
        np.repeat(rows, 2, axis=0)[::2],
        rows[::-1].copy()[::-1],
        rows.astype(np.float32),
        scipy.sparse.csr_array(rows),
    ]
    for layout in layouts:
        index = pickle.loads(pickle.dumps(BruteIndex(layout, Metric())))
        for threads in (1, 2, 3):
            assert_same(index.nearest(queries, 6, threads), want)
        assert_same(index.nearest(scipy.sparse.csr_array(queries), 6, 2), want)
        assert_same(index.nearest(queries.astype(np.float32), 6, 2), want)


def test_sparse_rows_give_the_bits_of_dense_ones() -> None:
    rng = np.random.default_rng(4)
    rows = np.where(rng.random((300, 150)) < 0.04, rng.standard_normal((300, 150)), 0)
    queries = np.vstack([rows[:20], np.where(rng.random((20, 150)) < 0.04, 1.0, 0)])
    for kind in ("euclidean", "manhattan", "chebyshev", "minkowski", "hamming", "jaccard", "canberra", "braycurtis"):
        metric = Metric(kind, 1.5)
        want = one_by_one(BruteIndex(rows, metric), queries, 5)
        assert_same(BruteIndex(scipy.sparse.csr_array(rows), metric).nearest(queries, 5, 2), want)


def test_ties_go_to_the_row_with_the_smaller_number() -> None:
    rows = np.tile(np.eye(16), (40, 1))
    got = BruteIndex(rows, Metric()).nearest(np.eye(16)[[3, 5] * 20], 45, 2)
    np.testing.assert_array_equal(got.rows[0, :40], np.arange(3, 640, 16))
    np.testing.assert_array_equal(got.rows[0, 40:], [0, 1, 2, 4, 5])  # all others at the root of 2
    np.testing.assert_array_equal(got.distances[1], np.repeat([0, np.sqrt(2)], [40, 5]))


def test_nearest_others_leave_out_the_row_itself_and_not_its_double() -> None:
    rows = table(300, 15, 5)
    rows[200] = rows[10]
    got = BruteIndex(rows, Metric()).nearest_others(4, 2)
    assert (got.rows != np.arange(300)[:, None]).all()
    assert (got.rows[10, 0], got.rows[200, 0], got.distances[10, 0]) == (200, 10, 0)
    everyone = BruteIndex(rows, Metric()).nearest(rows, 5, 1)
    alone = np.delete(np.arange(300), [10, 200])
    np.testing.assert_array_equal(got.rows[alone], everyone.rows[alone, 1:])


@pytest.mark.parametrize("kind", ["euclidean", "cosine", "manhattan"])
def test_within_takes_the_radius_in(kind: str) -> None:
    rows, queries = table(400, 20, 6), table(30, 20, 7)
    index = BruteIndex(rows, Metric(kind))
    nearest = index.nearest(queries, 12, 1)
    radius = nearest.distances[0, -1]
    got = index.within(queries, radius, 2)
    np.testing.assert_array_equal(got.rows[: got.starts[1]], nearest.rows[0])
    assert got.distances[: got.starts[1]].tobytes() == nearest.distances[0].tobytes()
    every = index.nearest(queries, 400, 1)
    for i in range(30):
        take = every.distances[i] <= radius
        np.testing.assert_array_equal(got.rows[got.starts[i] : got.starts[i + 1]], every.rows[i][take])
    assert index.within(queries, 0.0, 2).starts[-1] == 0


@pytest.mark.parametrize("unit", [1e200, 1e-200, 1e305, 1e-305])
@pytest.mark.parametrize("queries", [1, 20])
def test_squares_beyond_the_range_of_numbers_keep_their_order(unit: float, queries: int) -> None:
    index = BruteIndex(unit * np.array([[30.0, 40], [3, 4], [0, 0], [6, 8], [3, 4]]), Metric())
    got = index.nearest(np.zeros((queries, 2)), 5, 1)
    np.testing.assert_array_equal(got.rows[-1], [2, 1, 4, 3, 0])
    np.testing.assert_allclose(got.distances[-1] / unit, [0, 5, 5, 10, 50], rtol=1e-12)
    near = index.within(np.zeros((queries, 2)), 7 * unit, 1)
    np.testing.assert_array_equal(near.rows[:3], [2, 1, 4])


def test_a_distance_beyond_all_numbers_is_infinite_and_last() -> None:
    got = BruteIndex(np.array([[-1.5e308], [1.0], [-1.2e308]]), Metric()).nearest(np.array([[1.5e308]]), 3, 1)
    np.testing.assert_array_equal(got.rows[0], [1, 2, 0])  # 2.7e308 is still nearer than 3e308
    np.testing.assert_array_equal(got.distances[0], [1.5e308, np.inf, np.inf])


def test_rows_without_a_column_in_common_come_last() -> None:
    nan = np.nan
    rows = np.array([[nan, nan], [1.0, nan], [nan, 5.0], [3.0, 4.0]])
    got = BruteIndex(rows, Metric("nan_euclidean")).nearest(np.array([[0.0, nan]]), 4, 1)
    np.testing.assert_array_equal(got.rows[0], [1, 3, 0, 2])
    np.testing.assert_allclose(got.distances[0], [np.sqrt(2), 3 * np.sqrt(2), np.inf, np.inf])


def test_cosine_of_huge_tiny_and_empty_rows() -> None:
    rows = np.array([[1e200, 1e200], [1e-200, 0], [0, 0], [-1e308, 0]])
    want = np.array([[0, 1 - np.sqrt(0.5), 1, 1 + np.sqrt(0.5)]])
    for layout in (rows, scipy.sparse.csr_array(rows)):
        got = BruteIndex(layout, Metric("cosine")).nearest(np.array([[3.0, 3.0]]), 4, 1)
        np.testing.assert_array_equal(got.rows, [[0, 1, 2, 3]])
        np.testing.assert_allclose(got.distances, want, atol=1e-15)


@pytest.mark.parametrize("shape", ["flat", "clusters", "round"])
def test_plans_for_large_tables_are_exact(shape: str) -> None:
    """Large enough for a sample to choose: few axes, double precision, and 16 bits for all columns."""
    rng = np.random.default_rng(8)
    columns = 128 if shape == "flat" else 24
    rows, queries = rng.standard_normal((6000, columns)), rng.standard_normal((15_000 // columns * 40, columns))
    if shape == "flat":
        mix = rng.standard_normal((columns, columns)) * np.geomspace(1, 1e-3, columns)
        rows, queries = rows @ mix.T, queries @ mix.T
    if shape == "clusters":
        middles = 1e7 * rng.standard_normal((50, columns))
        rows += middles[rng.integers(50, size=len(rows))]
        queries += middles[rng.integers(50, size=len(queries))]
    index = BruteIndex(rows, Metric())
    got = index.nearest(queries, 3, 2)
    some = slice(0, len(queries), len(queries) // 60)
    assert_same(Found(got.distances[some], got.rows[some]), one_by_one(index, queries[some], 3))


MEMORY = """
import resource, sys
import numpy as np
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.metric import Metric

rows = np.random.default_rng(0).standard_normal((int(sys.argv[1]), 64))
queries = rows[: int(sys.argv[2])].copy()
index = BruteIndex(rows, Metric(sys.argv[3]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
index.nearest(queries, 5, 2)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["euclidean", "manhattan"])
def test_memory_is_bounded_whatever_the_number_of_rows_and_queries(kind: str) -> None:
    """400,000 x 2,000 distances would be 6.4 GB; rows in packed form at most 32 MB, and as much for the best so far."""
    sizes = ("400000", "200") if kind == "manhattan" else ("400000", "2000")
    answer = subprocess.run([sys.executable, "-c", MEMORY, *sizes, kind], capture_output=True, text=True, check=True)
    assert int(answer.stdout) < 100_000  # kB
