"""KD-tree and ball tree answer as brute force does, bit by bit; the textbooks' tree as the reference."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas
import pytest

from pellucid import _core, plotting
from pellucid.base.errors import DataError, ParameterError
from pellucid.models.neighbors.ball_tree import BallTreeIndex
from pellucid.models.neighbors.brute import BruteIndex
from pellucid.models.neighbors.kd_tree import KDTreeIndex
from pellucid.models.neighbors.metric import Metric
from pellucid.models.neighbors.tree_index import TreeIndex
from pellucid.neighbors import BallTree, KDTree
from pellucid.reference import kd_tree as reference
from pellucid.working import known

RNG = np.random.default_rng(20)
MEAN: Any = "mean"
ELEVEN = np.array([[2, 1], [1, 3], [2, 2], [3, 1], [3, 5], [4, 5], [4, 6], [6, 4], [7, 4], [7, 7], [8, 8]], dtype=float)


def _awkward(n: int, d: int) -> dict[str, np.ndarray]:
    """Rows with ties, far from the origin, on a line, all equal, or out of the range of squares."""
    few = RNG.random((n // 7 + 1, d))
    return {
        "random": RNG.random((n, d)),
        "lattice": RNG.integers(0, 3, (n, d)).astype(float),
        "narrow and far": 1e8 + 1e-8 * RNG.integers(0, 9, (n, d)),
        "clusters": RNG.integers(0, 3, (n, d)) + 1e-9 * RNG.standard_normal((n, d)),
        "repeated": np.repeat(few, 8, axis=0)[:n],
        "all equal": np.full((n, d), 0.3),
        "on a line": np.outer(RNG.random(n), np.ones(d)),
        "huge": 1e200 * RNG.standard_normal((n, d)),
        "tiny": 1e-200 * RNG.standard_normal((n, d)),
        "all sizes": np.exp(RNG.uniform(-700, 700, (n, d))) * RNG.choice([-1.0, 1.0], (n, d)),
    }


METRICS = [
    Metric(),
    Metric("manhattan"),
    Metric("chebyshev"),
    Metric("minkowski", 3.0),
    Metric("hamming"),
    Metric("jaccard"),
    Metric("canberra"),
]


def _check(index: TreeIndex, brute: BruteIndex, queries: np.ndarray, k: int) -> None:
    want = brute.nearest(queries, k, 1)
    for threads in (1, 2):
        found = index.nearest(queries, k, threads)
        assert np.array_equal(found.rows, want.rows)
        assert np.array_equal(found.distances, want.distances)
    finite = want.distances[np.isfinite(want.distances)]
    for radius in (0.0, float(finite[-1]), float(np.median(finite))):
        inside, wanted = index.within(queries, radius, 1), brute.within(queries, radius, 1)
        assert all(np.array_equal(a, b) for a, b in zip(inside, wanted, strict=True))
        assert np.array_equal(index.count(queries, radius, 1), np.diff(wanted.starts))


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.kind)
def test_trees_answer_as_brute_force_does_on_awkward_rows(metric: Metric) -> None:
    for n, d in ((1, 2), (9, 1), (300, 3), (700, 5)):
        for rows in _awkward(n, d).values():
            rows = rows.astype(np.float32) if n == 300 and np.abs(rows).max() < 1e30 and d == 3 else rows
            queries = np.concatenate([rows[: min(n, 6)], RNG.random((3, d)).astype(rows.dtype)])
            for kind in (KDTreeIndex, BallTreeIndex):
                if metric.kind in kind.KINDS:
                    _check(kind(rows, metric), BruteIndex(rows, metric), queries, min(n, 5))


def test_haversine_by_balls_on_the_whole_sphere() -> None:
    rows = np.column_stack([np.arcsin(RNG.uniform(-1, 1, 500)), RNG.uniform(-np.pi, np.pi, 500)])
    opposite = np.column_stack([-rows[:5, 0], rows[:5, 1] + np.pi])
    metric = Metric("haversine")
    queries = np.concatenate([rows[:5], opposite, [[np.pi / 2, 0], [-np.pi / 2, 3]]])
    _check(BallTreeIndex(rows, metric), BruteIndex(rows, metric), queries, 40)
    ends = np.array([[0, 0], [0, np.pi / 2], [np.pi / 2, 1]])  # each a quarter of the way round from the others
    found = BallTreeIndex(ends, metric).nearest_others(2, 1)
    assert np.allclose(found.distances, np.pi / 2, rtol=1e-15)


def test_every_simd_level_gives_these_bits() -> None:
    best = _core.simd_level()
    try:
        for level in ("baseline", "v3", "v4"):
            if _core.set_simd_level(level):
                for d in (2, 3, 4, 7, 11):
                    rows = RNG.random((200, d))
                    _check(KDTreeIndex(rows, Metric()), BruteIndex(rows, Metric()), RNG.random((30, d)), 4)
    finally:
        _core.set_simd_level(best)


@pytest.mark.parametrize("kind", [KDTreeIndex, BallTreeIndex])
def test_the_row_itself_is_left_out_by_its_number(kind: type[TreeIndex]) -> None:
    rows = RNG.integers(0, 4, (150, 2)).astype(float)  # doubles of a row stay
    index, k = kind(rows, Metric()), 6
    found = index.nearest_others(k, 2)
    table = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=2))
    np.fill_diagonal(table, np.inf)
    for i, apart in enumerate(table):
        want = np.lexsort((np.arange(len(rows)), apart))[:k]
        assert found.rows[i].tolist() == want.tolist()
        assert np.array_equal(found.distances[i], apart[want])


def test_the_tree_is_the_same_on_any_number_of_threads() -> None:
    rows = RNG.standard_normal((40_000, 3))
    trees = [KDTreeIndex(rows, Metric(), threads=threads).tree for threads in (1, 2, 3)]
    balls = [BallTreeIndex(rows[:20_000], Metric(), threads=threads).tree for threads in (1, 2, 3)]
    for built in (trees, balls):
        for other in built[1:]:
            assert all(np.array_equal(built[0][i], other[i]) for i in (0, 1, 2))


def test_many_queries_are_answered_each_in_its_place() -> None:
    rows, queries = RNG.random((30_000, 3)), RNG.random((3_000, 3))
    for tree in (KDTreeIndex(rows, Metric()), BallTreeIndex(rows, Metric())):
        found = tree.nearest(queries, 2, 2)
        apart = np.sqrt(((queries - rows[found.rows[:, 1]]) ** 2).sum(axis=1))
        assert np.allclose(apart, found.distances[:, 1], rtol=1e-14)
        one_by_one = tree.nearest(np.ascontiguousarray(queries[::10]), 2, 1)
        assert np.array_equal(found.rows[::10], one_by_one.rows)


# ------------------------------------------------------------------------------------------------- the public classes


@pytest.mark.parametrize("kind", [KDTree, BallTree])
def test_an_approximate_search_keeps_its_budget(kind: Any) -> None:
    rows, queries, k = RNG.random((4_000, 6)), RNG.random((200, 6)), 5
    tree = kind(rows)
    true, _ = tree.query(queries, k=k)
    near, found = tree.query(queries, k=k, eps=0.5)
    assert (near <= 1.5 * true * (1 + 1e-12)).all()
    assert (near >= true).all()
    assert all(len(set(row)) == k for row in found.tolist())
    few = tree.measured_recall(queries, k=k, most_leaves=2)
    many = tree.measured_recall(queries, k=k, most_leaves=100)
    assert 0 < few < many <= 1
    assert tree.measured_recall(queries, k=k, sample=50) == 1


def test_a_budget_of_one_leaf_still_gives_k_rows() -> None:
    tree = KDTree(RNG.random((100, 2)))
    _, rows = tree.query(RNG.random((5, 2)), k=30, most_leaves=1)
    assert all(len(set(row)) == 30 for row in rows.tolist())


@pytest.mark.parametrize("kind", [KDTree, BallTree])
def test_a_pickled_tree_answers_the_same(kind: Any) -> None:
    tree = kind(ELEVEN, metric="manhattan")
    again = pickle.loads(pickle.dumps(tree))
    assert all(np.array_equal(a, b) for a, b in zip(tree.query(ELEVEN, k=3), again.query(ELEVEN, k=3), strict=True))


def test_columns_of_queries_are_matched_by_name() -> None:
    frame = pandas.DataFrame({"a": [0.0, 10.0], "b": [5.0, 0.0]})
    tree = KDTree(frame)
    assert tree.query(frame[["b", "a"]], return_distance=False).ravel().tolist() == [0, 1]
    with pytest.raises(DataError, match="unseen at fit time:\n- c"):
        tree.query(frame.rename(columns={"b": "c"}))


def test_a_radius_for_each_query_and_higher_dimensions() -> None:
    tree = KDTree([[0.0], [1.0], [3.0]])
    rows, distances = tree.query_radius([[0.0], [3.0]], r=[1.0, 2.5], return_distance=True)
    assert [row.tolist() for row in rows] == [[0, 1], [2, 1]]
    assert [apart.tolist() for apart in distances] == [[0, 1], [0, 2]]
    assert tree.query(np.zeros((2, 4, 1)), k=2)[0].shape == (2, 4, 2)
    assert tree.query_radius(np.zeros((2, 4, 1)), r=1, count_only=True).tolist() == [[2] * 4] * 2
    assert tree.two_point_correlation([[0.0], [3.0]], [0, 1, 3]).tolist() == [2, 3, 6]


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("kernel", ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"])
def test_a_kernel_integrates_to_one(kernel: str, columns: int) -> None:
    """``∫ f = ∫ S r^(d-1) f(r) dr``  with the surface S of the unit sphere, by the midpoint rule."""
    tree = KDTree(np.zeros((1, columns)))
    step = 0.002
    r = np.arange(step / 2, 40, step)
    density = tree.kernel_density(np.column_stack([r, *[np.zeros_like(r)] * (columns - 1)]), h=1.3, kernel=kernel)
    surface = {1: 2.0, 2: 2 * np.pi, 3: 4 * np.pi}[columns]
    assert abs(surface * (r ** (columns - 1) * density).sum() * step - 1) < 2e-3


def test_logarithms_of_densities_do_not_underflow() -> None:
    tree = KDTree([[0.0], [1.0]])
    assert tree.kernel_density([[100.0]], h=1.0) == 0
    log = tree.kernel_density([[100.0]], h=1.0, return_log=True)
    assert np.isclose(log, -0.5 * 99**2 + np.log1p(np.exp(-0.5 * (100**2 - 99**2))) - 0.5 * np.log(2 * np.pi))


# ----------------------------------------------------------------------------------------------- the textbooks' tree


def _same(tree: KDTree, node: int, want: dict[str, Any]) -> None:
    t = tree.textbook
    assert sorted(t.rows(node).tolist()) == sorted(want["rows"])
    assert (t.axis[node] < 0) == ("axis" not in want)
    if "axis" in want:
        assert (t.axis[node], t.threshold[node], t.skipped[node]) == (want["axis"], want["threshold"], want["skipped"])
        _same(tree, int(t.left[node]), want["left"])
        _same(tree, int(t.right[node]), want["right"])


@pytest.mark.parametrize("leaf_size", [1, 4])
def test_the_kernel_builds_and_searches_the_tree_of_the_reference(leaf_size: int) -> None:
    for rows in (ELEVEN, RNG.integers(0, 4, (60, 3)).astype(float), np.ones((5, 2)), RNG.random((1, 2))):
        tree = KDTree(rows, leaf_size=leaf_size, split="median")
        want = reference.build(rows, leaf_size=leaf_size)
        _same(tree, 0, want)
        for x in RNG.uniform(0, 5, (6, rows.shape[1])):
            found, visited = reference.nearest(want, rows, x, k=min(3, len(rows)))
            distances, numbers = tree.query([x], k=min(3, len(rows)))
            assert numbers[0].tolist() == [row for _, row in found]
            assert np.allclose(distances[0], [d for d, _ in found], rtol=1e-14)
            entered = [b for b in tree.branches(x, min(3, len(rows))) if b.entered]
            assert [sorted(tree.textbook.rows(b.node).tolist()) for b in entered] == [
                sorted(v["rows"]) for v in visited
            ]


def test_the_textbooks_tree_answers_as_the_fast_one() -> None:
    for rows in _awkward(120, 3).values():
        inside = np.abs(rows).max() < 1e100 and np.abs(rows).min() > 1e-100
        if inside or (rows == 0).any():
            for metric in ("euclidean", "manhattan", "chebyshev"):
                slow = KDTree(rows, leaf_size=1, metric=metric, split="median").query(rows[:20], k=7)
                fast = KDTree(rows, metric=metric).query(rows[:20], k=7)
                assert all(np.array_equal(a, b) for a, b in zip(slow, fast, strict=True))


def test_its_working_is_known_and_says_what_it_cannot_show() -> None:
    assert {"KDTree.build", "KDTree.query"} <= set(known())
    for metric, settings in (("manhattan", {}), ("chebyshev", {}), ("minkowski", {"p": 3})):
        tree = KDTree(ELEVEN, leaf_size=2, metric=metric, split="median", **settings)
        assert tree.show_build().value("rows") == 11
        shown = tree.show_query([5, 5], k=2)
        assert np.isclose(shown.value("nearest_2"), tree.query([[5, 5]], k=2)[0][0, 1])
    with pytest.raises(ParameterError, match="split='median'"):
        KDTree(ELEVEN).show_build()
    with pytest.raises(DataError, match="at most 12 columns"):
        KDTree(RNG.random((5, 13)), split="median").show_build()
    with pytest.raises(DataError, match="at most 100 rows"):
        KDTree(RNG.random((300, 2)), leaf_size=300, split="median").show_query([0, 0])


def test_the_picture_shows_cuts_cells_and_neighbors() -> None:
    from matplotlib import pyplot

    tree = KDTree(ELEVEN, leaf_size=1, split="median")
    plane, beside = plotting.kd_tree_cells(tree, x=[5, 5], k=3)
    assert plane.get_title() == "3 nearest to (5, 5): 6 of 11 leaves looked into"
    assert "x1 < 4" in [text.get_text() for text in beside.texts]
    assert plotting.kd_tree_cells(tree, levels=True).shape == (4, 2)
    pyplot.close("all")
    with pytest.raises(ParameterError, match="split='widest'"):
        plotting.kd_tree_cells(KDTree(ELEVEN))
    with pytest.raises(DataError, match="two columns"):
        plotting.kd_tree_cells(KDTree(np.ones((2, 3)), split="median"))


# ---------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: KDTree(ELEVEN, metric="hamming"), ParameterError, "KDTree: metric must be one of euclidean, l2"),
        (lambda: BallTree(ELEVEN, metric="braycurtis"), ParameterError, "BallTree: metric must be one of"),
        (lambda: KDTree(ELEVEN, p=0.5), ParameterError, "p must be at least 1"),
        (lambda: BallTree(np.ones((3, 3)), metric="haversine"), DataError, "latitude and longitude"),
        (lambda: KDTree(ELEVEN, leaf_size=0), ParameterError, "leaf_size must be a whole number of at least 1; got 0"),
        (lambda: KDTree(ELEVEN, split=MEAN), ParameterError, "split must be 'widest' or 'median'"),
        (lambda: KDTree([[1.0, np.nan]]), DataError, "KDTree"),
        (lambda: KDTree(ELEVEN).query(ELEVEN, k=12), DataError, "less than or equal to the number of training points"),
        (lambda: KDTree(ELEVEN).query(ELEVEN, k=0), ParameterError, "k must be a whole number of at least 1"),
        (lambda: KDTree(ELEVEN).query([[1.0]]), DataError, "expecting 2 features"),
        (lambda: KDTree(ELEVEN).query(ELEVEN, eps=-1), ParameterError, "eps must be a number of at least 0"),
        (
            lambda: KDTree(ELEVEN).query_radius(ELEVEN, r=[1, 2]),
            ParameterError,
            "r must be a distance, or one for each",
        ),
        (lambda: KDTree(ELEVEN).query_radius(ELEVEN, 1, True, True), ParameterError, "cannot both be true"),
        (lambda: KDTree(ELEVEN).kernel_density(ELEVEN, h=0), ParameterError, "h must be a number above 0"),
        (lambda: KDTree(ELEVEN).kernel_density(ELEVEN, 1, "box"), ParameterError, "kernel must be one of gaussian"),
        (lambda: KDTree(ELEVEN, sample_weight=[1]), DataError, "one number above 0 a row"),
        (lambda: KDTree(ELEVEN, metric="mahalanobis", VI=np.eye(3)), ParameterError, "needs VI for 2 columns; got one"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
