"""Approximate neighbors: what they find, what they report, and what they refuse."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from pellucid.base.errors import DataError, ParameterError, PellucidError, PellucidWarning
from pellucid.base.types import Floats
from pellucid.models.neighbors.graph import GraphIndex
from pellucid.models.neighbors.metric import Metric
from pellucid.neighbors import (
    GraphNeighbors,
    KNeighborsClassifier,
    KNeighborsRegressor,
    ListNeighbors,
    LSHNeighbors,
    NearestNeighbors,
)
from pellucid.reference import graph_search

KINDS: list[Any] = [ListNeighbors, GraphNeighbors, LSHNeighbors]
each = pytest.mark.parametrize("kind", KINDS)


def table(rows: int = 600, columns: int = 6, queries: int = 40) -> tuple[Floats, Floats]:
    """Clusters, some equal rows, and a column that does not vary."""
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((12, columns))
    X = centers[rng.integers(12, size=rows + queries)] + 0.5 * rng.standard_normal((rows + queries, columns))
    X[: rows // 10] = X[rows // 10 : 2 * (rows // 10)]
    X[:, -1] = 3.0
    return X[:rows], X[rows:]


@each
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_found_is_reported_as_by_a_full_comparison(kind: Any, metric: str, dtype: Any) -> None:
    X, Q = (a.astype(dtype) for a in table())
    X[5] = 0
    truth = NearestNeighbors(n_neighbors=600, algorithm="brute", metric=metric).fit(X).kneighbors(Q)
    distances, rows = kind(7, metric=metric).fit(X).kneighbors(Q)
    for i in range(len(Q)):
        known = dict(zip(truth[1][i].tolist(), truth[0][i].tolist(), strict=True))
        assert [known[row] for row in rows[i].tolist()] == distances[i].tolist()
        assert sorted(zip(distances[i], rows[i], strict=True)) == list(zip(distances[i], rows[i], strict=True))
    assert (distances <= truth[0][:, 6:7]).mean() >= 0.9


@pytest.mark.parametrize(
    "model",
    [ListNeighbors(9, n_probes=10**6), GraphNeighbors(9, search_size=600), LSHNeighbors(9, n_bits=3, n_probes=8)],
)
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_with_all_effort_it_is_exact(model: Any, metric: str) -> None:
    X, Q = table()
    X[[3, 9]] = 0
    Q[0], Q[1] = 0, 1e200
    model.set_params(metric=metric).fit(X)
    exact = NearestNeighbors(n_neighbors=9, algorithm="brute", metric=metric).fit(X)
    for asked in (Q, None):
        for ours, theirs in zip(model.kneighbors(asked), exact.kneighbors(asked), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert model.measured_recall(Q) == model.measured_recall() == 1
    radius = float(np.median(exact.kneighbors(Q)[0]))
    for ours, theirs in zip(model.radius_neighbors(Q, radius), exact.radius_neighbors(Q, radius), strict=True):
        if not isinstance(model, GraphNeighbors):  # whose neighborhoods are what links within them reach
            assert [a.tolist() for a in ours] == [a.tolist() for a in theirs]


@each
def test_the_recall_that_is_asked_for_is_reached(kind: Any) -> None:
    X, Q = table(4000, 12, 300)
    little, much = (kind(10, recall=recall).fit(X) for recall in (0.5, 0.95))
    assert little.recall_ >= 0.5
    assert much.recall_ >= 0.95
    assert much.measured_recall(Q, sample=None) >= 0.93
    assert much.measured_recall(Q, sample=None) >= little.measured_recall(Q, sample=None)


@each
def test_one_two_and_three_threads_give_equal_bits(kind: Any) -> None:
    X, Q = table()
    answers = [kind(5, n_jobs=threads).fit(X).kneighbors(Q) for threads in (1, 2, 3)]
    again = pickle.loads(pickle.dumps(kind(5).fit(X))).kneighbors(Q)
    for other in (*answers[1:], again):
        np.testing.assert_array_equal(answers[0][0], other[0])
        np.testing.assert_array_equal(answers[0][1], other[1])


@each
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((2000, 3)),
        np.repeat(np.arange(4.0), 50)[:, None],
        np.arange(300.0)[:, None],
        np.array([[1.0, 2.0], [1.0, 2.0], [4.0, 6.0]]),
        np.array([[1e308, -1e308], [-1e308, 1e308], [0.0, 0.0], [1e307, 0.0]]),
        np.array([[1e-300, 0.0], [3e-300, 0.0], [0.0, -0.0]]),
        np.full((40, 2), -0.0),
    ],
    ids=["equal", "few values", "line", "three rows", "huge", "tiny", "negative zero"],
)
def test_odd_tables(kind: Any, X: Floats) -> None:
    exact = NearestNeighbors(n_neighbors=2, algorithm="brute")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PellucidWarning)
        model = kind(2, recall=1.0).fit(X)
        exact.fit(X)
    for asked in (X, None):
        np.testing.assert_array_equal(model.kneighbors(asked)[0], exact.kneighbors(asked)[0])


@each
def test_one_row(kind: Any) -> None:
    model = kind(1).fit([[1.0, 2.0]])
    distances, rows = model.kneighbors([[4.0, 6.0]])
    assert (distances.tolist(), rows.tolist()) == ([[5.0]], [[0]])
    with pytest.raises(
        DataError,
        match="must be at most the number of other rows; Expected n_neighbors < n_samples_fit, but n_neighbors = 1",
    ):
        model.kneighbors()
    with pytest.raises(
        DataError,
        match="at most n_samples_fit; Expected n_neighbors <= n_samples_fit, but n_neighbors = 2, n_samples_fit = 1",
    ):
        model.kneighbors([[4.0, 6.0]], 2)


@each
def test_zeros_have_no_direction(kind: Any) -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    model = kind(4, metric="cosine", recall=1.0).fit(X)
    distances, rows = model.kneighbors([[0.0, 0.0], [2.0, 0.0]])
    assert distances.tolist() == [[1, 1, 1, 1], [0, 1, 1, 2]]
    assert rows.tolist() == [[0, 1, 2, 3], [1, 0, 2, 3]]
    only = kind(1, metric="cosine").fit(np.zeros((3, 2)))
    assert [a.tolist() for a in only.kneighbors([[1.0, 0.0]])] == [[[1.0]], [[0]]]


@pytest.mark.parametrize("kind", [ListNeighbors, GraphNeighbors])
def test_sparse_tables_are_refused(kind: Any) -> None:
    with pytest.raises(DataError, match="X must be dense"):
        kind().fit(scipy.sparse.csr_array(np.eye(8)))


@each
def test_wrong_questions_are_refused(kind: Any) -> None:
    model = kind().fit(table()[0])
    asks: list[tuple[Callable[[], Any], str]] = [
        (lambda: model.kneighbors(n_neighbors=0), "n_neighbors must be a whole number of at least 1; got 0"),
        (lambda: model.radius_neighbors(radius=-1), "radius must be a number of at least 0; got -1"),
        (lambda: model.measured_recall(sample=0), "sample must be a whole number of at least 1 or None; got 0"),
        (lambda: model.kneighbors_graph(mode="other"), "Unsupported mode"),
        (lambda: kind(recall=0.0).fit([[1.0]]), "recall must be a number above 0"),
    ]
    for act, words in asks:
        with pytest.raises(PellucidError, match=words):
            act()
    with pytest.raises(ParameterError, match="takes the metrics euclidean, cosine"):
        GraphIndex(np.eye(3), Metric("manhattan"))


def test_links_keep_the_rule_and_reach_every_row() -> None:
    X = np.random.default_rng(3).standard_normal((150, 3))
    model = GraphNeighbors(n_links=6).fit(X)
    links = [own.tolist() for own in model.index_.links]
    reached, open_ = {0}, [0]
    while open_:
        fresh = [row for row in links[open_.pop()] if row not in reached]
        reached.update(fresh)
        open_.extend(fresh)
    assert reached == set(range(150))
    wanted = graph_search.links(X, 40, 6)
    same = [len(set(own) & set(want)) / len(want) for own, want in zip(links, wanted, strict=True)]
    assert np.mean(same) > 0.95  # candidates come from cells, and a few links make rows reachable
    q = np.array([0.1, -0.2, 0.3])
    found = graph_search.search(q, X, links, [0, 75, 149], keep=150)
    np.testing.assert_array_equal(found[1][:5], NearestNeighbors(n_neighbors=5).fit(X).kneighbors([q])[1][0])


def test_a_graph_of_neighbors_is_sparse() -> None:
    X, _ = table()
    model = ListNeighbors(3).fit(X)
    distances, rows = model.kneighbors()
    graph = model.kneighbors_graph(mode="distance")
    assert graph.shape == (600, 600)
    np.testing.assert_array_equal(graph.indices.reshape(-1, 3), rows)
    np.testing.assert_array_equal(graph.data.reshape(-1, 3), distances)


@pytest.mark.parametrize("algorithm", ["lsh", "graph", "lists"])
def test_classes_and_numbers_by_an_approximate_index(algorithm: str) -> None:
    """Votes and means stand on the rows that are found: nearly all of the true ones, at their true distances."""
    rng = np.random.default_rng(5)
    centers = rng.normal(scale=4, size=(12, 16))
    y = rng.integers(0, 12, 1500)
    rows = centers[y] + rng.normal(size=(1500, 16))
    exact, found = (KNeighborsClassifier(5, algorithm=name).fit(rows[:1000], y[:1000]) for name in ("brute", algorithm))
    assert (found.predict(rows[1000:]) == exact.predict(rows[1000:])).mean() > 0.99
    distances, near = found.kneighbors(rows[1000:])
    true = exact.kneighbors(rows[1000:], return_distance=False)
    assert np.mean([np.isin(a, b).mean() for a, b in zip(near, true, strict=True)]) > 0.9
    np.testing.assert_allclose(distances[:, 0], np.linalg.norm(rows[1000:] - rows[near[:, 0]], axis=1), rtol=1e-12)
    numbers = KNeighborsRegressor(5, algorithm=algorithm).fit(rows[:1000], y[:1000]).predict(rows[1000:])
    assert abs(numbers - y[1000:]).mean() < 0.1
