"""Scores of a clustering against scikit-learn's, on random and on awkward data."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics.cluster import contingency_matrix as their_contingency_matrix

from pellucid import metrics as ours

AGAINST_CLASSES = [
    "rand_score",
    "adjusted_rand_score",
    "fowlkes_mallows_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "adjusted_mutual_info_score",
    "homogeneity_score",
    "completeness_score",
    "v_measure_score",
]
AVERAGED = ["normalized_mutual_info_score", "adjusted_mutual_info_score"]
BY_ROWS = ["silhouette_score", "davies_bouldin_score", "calinski_harabasz_score"]


def labels_of(n: int, groups: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(-1, groups - 2), min_size=n, max_size=n)


@st.composite
def groupings(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    n = draw(st.integers(1, 25))
    return draw(labels_of(n, draw(st.integers(1, 8)))), draw(labels_of(n, draw(st.integers(1, 8))))


@pytest.mark.parametrize("name", AGAINST_CLASSES)
@settings(max_examples=100, deadline=None)
@given(pair=groupings())
def test_against_classes(name: str, pair: tuple[list[int], list[int]]) -> None:
    np.testing.assert_allclose(getattr(ours, name)(*pair), getattr(peer, name)(*pair), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", AVERAGED)
@pytest.mark.parametrize("method", ["min", "max", "geometric", "arithmetic"])
@settings(max_examples=50, deadline=None)
@given(pair=groupings())
def test_means_of_the_entropies(name: str, method: Any, pair: tuple[list[int], list[int]]) -> None:
    # Where every row is a group of its own, any table has the same information: 0 / 0, and in scikit-learn rounding.
    assume(max(len(set(labels)) for labels in pair) < len(pair[0]))
    found = getattr(ours, name)(*pair, average_method=method)
    np.testing.assert_allclose(found, getattr(peer, name)(*pair, average_method=method), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("beta", [0.01, 0.3, 1, 5.0])
@settings(max_examples=30, deadline=None)
@given(pair=groupings())
def test_v_measure(beta: float, pair: tuple[list[int], list[int]]) -> None:
    found = ours.v_measure_score(*pair, beta=beta)
    np.testing.assert_allclose(found, peer.v_measure_score(*pair, beta=beta), rtol=1e-10, atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(pair=groupings())
def test_contingency(pair: tuple[list[int], list[int]]) -> None:
    wanted = their_contingency_matrix(*pair)
    found = ours.contingency_matrix(*pair)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(ours.contingency_matrix(*pair, sparse=True).toarray(), wanted)
    np.testing.assert_array_equal(ours.contingency_matrix(*pair, eps=0.5), their_contingency_matrix(*pair, eps=0.5))
    for table in (wanted, ours.contingency_matrix(*pair, sparse=True)):
        found = ours.mutual_info_score(None, None, contingency=table)
        np.testing.assert_allclose(found, peer.mutual_info_score(*pair), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", AGAINST_CLASSES)
@pytest.mark.parametrize(("classes", "clusters"), [(3, 4), (40, 2), (700, 900)])
def test_many_rows(name: str, classes: int, clusters: int) -> None:
    random = np.random.default_rng(classes)
    true = (random.random(2000) ** 2 * classes).astype(int)
    predicted = np.where(random.random(2000) < 0.5, true % clusters, random.integers(0, clusters, 2000))
    np.testing.assert_allclose(getattr(ours, name)(true, predicted), getattr(peer, name)(true, predicted), rtol=1e-10)


@pytest.mark.parametrize("name", AGAINST_CLASSES)
def test_labels_of_other_kinds(name: str) -> None:
    words, flags, floats = ["b", "a", "b", "c", "a"], [True, False, True, True, False], [1.0, 2.0, 1.0, 2.0, 3.0]
    for pair in ((words, flags), (floats, np.array(words, dtype=object)), (flags, floats)):
        found = getattr(ours, name)(*pair)
        np.testing.assert_allclose(found, getattr(peer, name)(*pair), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", [name for name in AGAINST_CLASSES if name != "mutual_info_score"])
@pytest.mark.parametrize("pair", [([], []), ([7], [3]), ([1, 1, 1], [2, 2, 2]), ([1, 2, 3], [3, 1, 2])])
def test_groupings_without_a_choice(name: str, pair: Any) -> None:
    assert getattr(ours, name)(*pair) == pytest.approx(getattr(peer, name)(*pair))


def test_continuous_labels_are_warned_of() -> None:
    for module in (ours, peer):
        with pytest.warns(UserWarning, match="Clustering metrics expects discrete values but received continuous"):
            assert module.rand_score([0.5, 1.5, 0.5], [0, 1, 0]) == 1


# ---- by the rows


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, list[int]]:
    n, m, k = draw(st.integers(4, 20)), draw(st.integers(1, 4)), draw(st.integers(2, 3))
    whole = draw(st.lists(st.integers(-50, 50), min_size=n * m, max_size=n * m))
    labels = list(range(k)) + draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))
    return np.array(whole, dtype=float).reshape(n, m), labels


@settings(max_examples=150, deadline=None)
@given(table=tables())
def test_silhouettes(table: tuple[Any, list[int]]) -> None:
    """Whole numbers: the squared distances are exact in both libraries."""
    X, labels = table
    wanted = peer.silhouette_samples(X, labels)
    np.testing.assert_allclose(ours.silhouette_samples(X, labels), wanted, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        ours.silhouette_samples(cdist(X, X), labels, metric="precomputed"), wanted, rtol=1e-10, atol=1e-10
    )


@pytest.mark.parametrize("name", ["davies_bouldin_score", "calinski_harabasz_score"])
@settings(max_examples=100, deadline=None)
@given(table=tables())
def test_scores_of_clusters(name: str, table: tuple[Any, list[int]]) -> None:
    X, labels = table
    means = np.array([X[np.array(labels) == label].mean(axis=0) for label in set(labels)])
    apart = cdist(means, means)[np.triu_indices(len(means), 1)]
    assume(apart.min() > 1e-6)  # of means that differ by rounding only, scikit-learn's distance is rounding
    wanted = getattr(peer, name)(X, labels)
    assume(wanted < 1e12)  # equal rows whose mean is rounded
    np.testing.assert_allclose(getattr(ours, name)(X, labels), wanted, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", BY_ROWS)
@pytest.mark.parametrize("labels", ["numbers", "text"])
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (1e-6, 0.0), (1e6, 1e7)])
def test_random_rows(name: str, labels: str, scale: float, shift: float) -> None:
    random = np.random.default_rng(5)
    groups = random.integers(0, 6, 600)
    X = (random.normal(size=(600, 5)) + groups[:, None]) * scale + shift
    given_labels = groups if labels == "numbers" else np.array(list("uvwxyz"))[groups]
    np.testing.assert_allclose(getattr(ours, name)(X, given_labels), getattr(peer, name)(X, given_labels), rtol=1e-10)


def test_a_sample_of_the_rows_is_the_same_sample() -> None:
    random = np.random.default_rng(6)
    X, labels = random.normal(size=(300, 3)), random.integers(0, 4, 300)
    for data, metric in ((X, "euclidean"), (cdist(X, X), "precomputed")):
        options: Any = {"metric": metric, "sample_size": 80, "random_state": 3}
        found = ours.silhouette_score(data, labels, **options)
        assert found == pytest.approx(peer.silhouette_score(data, labels, **options), rel=1e-10)


@pytest.mark.parametrize(
    ("phrase", "X", "labels", "options"),
    [
        ("Number of labels is 1. Valid values are 2 to n_samples - 1", [[0.0], [1.0], [2.0]], [0, 0, 0], {}),
        ("Number of labels is 3. Valid values are 2 to n_samples - 1", [[0.0], [1.0], [2.0]], [0, 1, 2], {}),
        ("inconsistent numbers of samples", [[0.0], [1.0], [2.0]], [0, 1], {}),
        ("contains NaN", [[0.0], [1.0], [2.0]], [0, 1, np.nan], {}),
        ("contains NaN", [[0.0], [np.nan], [2.0]], [0, 1, 1], {}),
        ("Expected 2D array, got 1D array instead", [0.0, 1.0, 2.0], [0, 1, 1], {}),
        ("Reshape your data", [0.0, 1.0, 2.0], [0, 1, 1], {}),
        ("non-zero elements on the diagonal", np.ones((3, 3)), [0, 1, 1], {"metric": "precomputed"}),
        ("Precomputed metric requires shape", np.zeros((3, 2)), [0, 1, 1], {"metric": "precomputed"}),
        ("need to have non-negative values", np.eye(3) - 1, [0, 1, 1], {"metric": "precomputed"}),
    ],
)
def test_their_phrases(phrase: str, X: Any, labels: Any, options: Any) -> None:
    for module in (ours, peer):
        with pytest.raises(ValueError, match=phrase):
            module.silhouette_samples(X, labels, **options)


@pytest.mark.parametrize("name", [*AGAINST_CLASSES, *BY_ROWS, "silhouette_samples"])
def test_arguments(name: str) -> None:
    """Same names, kinds and defaults."""
    found, wanted = (
        [(each.name, each.kind, each.default) for each in inspect.signature(getattr(module, name)).parameters.values()]
        for module in (ours, peer)
    )
    assert found == [each for each in wanted if each[0] != "kwds"]  # those of other metrics
