"""Neighbor estimators beyond the peer: ties, weights, medians, draws, other kinds of rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, DataTypeError, ParameterError, PellucidWarning
from pellucid.model_selection import GridSearchCV
from pellucid.neighbors import (
    VALID_METRICS,
    VALID_METRICS_SPARSE,
    BallTree,
    KDTree,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    sort_graph_by_row_values,
)
from pellucid.reference import neighbors as by_hand

random = np.random.default_rng(1)
# Whole numbers: many rows at equal distances, many tied votes.
X, Q = random.integers(0, 6, size=(90, 2)).astype(float), random.integers(0, 6, size=(40, 2)).astype(float)
y, t = random.integers(0, 4, 90), random.integers(0, 50, 90).astype(float)
NO_HIT = Q + np.array([0.25, 0.5])


# ------------------------------------------------------------------------------------------- against the reference


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("ties", ["first", "nearest", "expand"])
def test_tied_votes_end_as_the_reference_says(ties: str, algorithm: str) -> None:
    for k in (1, 2, 4, 7, 90):
        for weights in ("uniform", "distance", "squared_distance"):
            model = KNeighborsClassifier(k, ties=ties, weights=weights, algorithm=algorithm).fit(X, y)
            if weights == "uniform":
                expected = [by_hand.knn_classify(X, y, q, k, weights, ties) for q in Q]
                np.testing.assert_array_equal(model.predict(Q), expected)
            # Sums of fractions may be tied but for rounding: what leads must lead up to that.
            for q, predicted in zip(Q, model.predict(Q).tolist(), strict=True):
                if ties != "expand":
                    d = by_hand.distances_to(X, q)
                    rows = by_hand.nearest_rows(d, k)
                    votes = by_hand.vote(y[rows], by_hand.neighbor_weights(d[rows], weights))
                    assert votes[predicted] >= max(votes.values()) * (1 - 1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance", "squared_distance"])
@pytest.mark.parametrize("average", ["mean", "median"])
def test_averages_are_those_of_the_reference(weights: str, average: str) -> None:
    for asked in (Q, NO_HIT):
        for k in (1, 2, 5, 8):
            model = KNeighborsRegressor(k, weights=weights, average=average).fit(X, t)
            expected = [by_hand.knn_regress(X, t, q, k, weights, average) for q in asked]
            np.testing.assert_allclose(model.predict(asked), expected, rtol=1e-12)
    assert by_hand.weighted_median([1, 2, 3, 4], [1, 1, 1, 1]) == np.median([1, 2, 3, 4])


def test_neighbors_come_by_distance_and_then_by_row() -> None:
    found = NearestNeighbors(n_neighbors=9).fit(X).kneighbors(Q, return_distance=False)
    np.testing.assert_array_equal(found, [by_hand.nearest_rows(by_hand.distances_to(X, q), 9) for q in Q])
    within = NearestNeighbors(radius=2.0).fit(X).radius_neighbors(Q, return_distance=False)
    for rows, q in zip(within, Q, strict=True):
        np.testing.assert_array_equal(rows, by_hand.rows_within(by_hand.distances_to(X, q), 2.0))


def test_all_that_are_as_near_as_the_kth_can_count() -> None:
    model = KNeighborsClassifier(3, include_equal=True).fit(X, y)
    numbers = KNeighborsRegressor(3, include_equal=True).fit(X, t)
    for i, q in enumerate(Q):
        rows = by_hand.rows_with_equals(by_hand.distances_to(X, q), 3)
        votes = by_hand.vote(y[rows], np.ones(len(rows)))
        assert model.predict(Q)[i] == by_hand.leaders(votes)[0]
        assert numbers.predict(Q)[i] == pytest.approx(t[rows].mean(), rel=1e-12)
    same = KNeighborsClassifier(1, include_equal=True).fit(np.ones((5, 2)), [0, 1, 1, 1, 0])
    assert same.predict([[0, 0]]) == [1]
    assert same.predict(None).tolist() == [1, 0, 0, 0, 1]  # of the others of row 1 two are of either class
    with pytest.raises(ParameterError, match="expand"):
        KNeighborsClassifier(ties="expand", include_equal=True).fit(X, y)


def test_a_tie_is_broken_by_one_neighbor_more() -> None:
    rows, labels = [[0], [2], [4], [7], [9]], ["b", "a", "a", "b", "b"]
    asked = [[1]]  # at 1, 1, 3, 6, 8: b, a, a, b, b
    assert KNeighborsClassifier(2).fit(rows, labels).predict(asked) == ["a"]
    assert KNeighborsClassifier(4, ties="nearest").fit(rows, labels).predict(asked) == ["a"]  # 1 + 3 against 1 + 6
    assert KNeighborsClassifier(4, ties="expand").fit(rows, labels).predict(asked) == ["b"]
    assert KNeighborsClassifier(4, ties="expand").fit(rows[:4], labels[:4]).predict(asked) == ["a"]  # tied to the end


# ------------------------------------------------------------------------------------------------------------ searches


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"weights": "squared_distance", "ties": "nearest"},
        {"ties": "expand"},
        {"include_equal": True},
        {"weights": lambda d: np.exp(-d)},
    ],
)
def test_many_k_at_once_are_each_k_alone(settings: dict[str, Any]) -> None:
    counts = [3, 1, 50, 8, 8]
    base = KNeighborsClassifier(**settings)
    path = base.fit_path("n_neighbors", counts, X, y)
    for method in ("predict", "predict_proba"):
        for k, answer in zip(counts, path.answer(method, Q), strict=True):
            alone = KNeighborsClassifier(k, **settings).fit(X, y)
            np.testing.assert_array_equal(answer, getattr(alone, method)(Q))
            assert answer.tobytes() == getattr(alone, method)(Q).tobytes()
    if "ties" not in settings:
        numbers = KNeighborsRegressor(**settings, average="median").fit_path(
            "n_neighbors", counts, X, np.column_stack([t, y])
        )
        for model, answer in zip(numbers.models, numbers.answer("predict", Q), strict=True):
            assert answer.tobytes() == model.predict(Q).tobytes()


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_a_search_gives_k_beyond_the_rows_a_score_of_nan() -> None:
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 70]}, cv=3, error_score=np.nan)
    with pytest.warns(UserWarning, match="n_neighbors = 70, n_samples_fit = 60"):
        scores = search.fit(X, y).cv_results_["mean_test_score"]
    assert np.isnan(scores).tolist() == [False, False, True]


# -------------------------------------------------------------------------------------------------- rows of other kinds


def test_texts_have_neighbors_by_edits() -> None:
    words, kinds = ["tea", "sea", "rice", "ice", "bread"], ["drink", "place", "food", "cold", "food"]
    for given in (
        words,
        np.array(words),
        pd.Series(words),
        pl.Series(words),
        pd.DataFrame({"w": words}),
        [[w] for w in words],
    ):
        model = KNeighborsClassifier(1, metric="edit").fit(given, kinds)
        with warnings.catch_warnings():  # a list has no names of columns, which a frame has
            warnings.simplefilter("ignore")
            assert model.predict(["teas", "breed", ""]).tolist() == ["drink", "food", "drink"]
    distances, rows = model.kneighbors(["dice"], 2)
    assert (distances.tolist(), rows.tolist()) == ([[1, 1]], [[2, 3]])
    dear = NearestNeighbors(n_neighbors=1, metric="edit", metric_params={"substitute": 2}).fit(words)
    assert dear.kneighbors(["dice"]) == (1.0, 3)  # leave out the d; rice: two letters
    swapped = NearestNeighbors(n_neighbors=1, metric="damerau").fit(words)
    assert swapped.kneighbors(["rcie"]) == (1.0, 2)
    names = NearestNeighbors(n_neighbors=1, metric="jaro_winkler").fit(["MARTHA", "DIXON"])
    np.testing.assert_allclose(names.kneighbors(["MARHTA"])[0], 1 - 0.961111, atol=1e-6)
    assert model.predict(None).shape == (5,)


def test_texts_are_refused_where_they_are_none() -> None:
    for wrong in ([["a", "b"]], ["a", None], [1, 2]):
        with pytest.raises(DataError, match="edit distances need"):
            NearestNeighbors(metric="edit").fit(np.array(wrong, dtype=object).reshape(len(wrong), -1))
        with pytest.raises(DataError, match="edit distances need"):
            NearestNeighbors(metric="edit").fit(wrong)
    letter = NearestNeighbors(n_neighbors=1, metric="edit").fit(["e\u0301", "x" * 5000])  # an accent is a letter
    assert letter.kneighbors(["e", "x" * 4990])[0].tolist() == [[1.0], [10.0]]


def test_many_long_texts_have_neighbors() -> None:
    """Longer than a machine word, all of them: a text and the same text with one letter more."""
    texts = ["".join(row) for row in random.choice(list("abcd"), (40, 90))]
    distances, rows = NearestNeighbors(n_neighbors=1, metric="edit").fit(texts).kneighbors([one + "e" for one in texts])
    assert np.array_equal(rows[:, 0], np.arange(40))
    assert (distances == 1).all()


def _nullable(people: dict[str, list[Any]]) -> Any:
    return pd.DataFrame(people).convert_dtypes()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, _nullable])
def test_mixed_tables_have_neighbors_by_gower(library: Any) -> None:
    people = {"age": [20.0, 30.0, 60.0, None], "town": ["Bern", "Basel", "Bern", "Chur"]}
    model = KNeighborsClassifier(1, metric="gower").fit(library(people), [0, 1, 2, 3])
    asked = library({"age": [58.0, 29.0, 40.0], "town": ["Bern", "Oslo", "Chur"]})
    assert model.predict(asked).tolist() == [2, 1, 3]
    distances, rows = model.kneighbors(asked, 2)
    # 58 to 60 of a range of 40, equal towns; 29 to 30 and another town; the age left out.
    np.testing.assert_allclose(distances[:, 0], [0.05 / 2, (0.025 + 1) / 2, 0.0])
    assert rows[1].tolist() == [1, 0]


def test_missing_values_are_left_out_of_distances() -> None:
    rows = [[1.0, np.nan], [np.nan, 5.0], [4.0, 4.0]]
    near = NearestNeighbors(n_neighbors=2, metric="nan_euclidean").fit(rows)
    distances, found = near.kneighbors([[1.0, 4.0]])
    assert found.tolist() == [[0, 1]]
    np.testing.assert_allclose(distances, [[0.0, np.sqrt(2)]])
    with pytest.raises(DataError, match=r"a column in common.*row 0 of X"):
        near.kneighbors([[np.nan, np.nan]])
    with pytest.raises(DataError, match="missing"):
        NearestNeighbors().fit(rows)


# --------------------------------------------------------------------------------------------------- draws and weights


def test_a_sample_is_a_fit_to_its_rows() -> None:
    labels = np.array(["rare"] * 3 + ["common"] * 87)
    for share, size in ((0.2, 18), (30, 30)):
        model = KNeighborsClassifier(max_samples=share, random_state=0).fit(X, labels)
        drawn = model.sample_indices_
        assert (len(drawn), model.n_samples_fit_, (np.diff(drawn) > 0).all()) == (size, size, True)
        assert 1 <= np.count_nonzero(labels[drawn] == "rare") <= 2
        np.testing.assert_array_equal(model.predict(Q), KNeighborsClassifier().fit(X[drawn], labels[drawn]).predict(Q))
    again = KNeighborsClassifier(max_samples=30, random_state=0).fit(X, labels)
    other = KNeighborsClassifier(max_samples=30, random_state=1).fit(X, labels)
    np.testing.assert_array_equal(again.sample_indices_, drawn)
    assert not np.array_equal(other.sample_indices_, drawn)
    numbers = KNeighborsRegressor(max_samples=0.5, random_state=0).fit(X, t)
    assert len(numbers.sample_indices_) == 45
    for wrong in (91, 1.5):
        with pytest.raises(ParameterError, match="max_samples"):
            KNeighborsRegressor(max_samples=wrong).fit(X, t)


def test_a_weight_is_a_share_of_the_vote_within_a_radius() -> None:
    weight = random.integers(0, 3, 90)
    for cls, target in ((RadiusNeighborsClassifier, y), (RadiusNeighborsRegressor, t)):
        weighted = cls(radius=2.5).fit(X, target, weight)
        written = cls(radius=2.5).fit(np.repeat(X, weight, axis=0), np.repeat(target, weight))
        np.testing.assert_allclose(weighted.predict(Q), written.predict(Q), rtol=1e-12)
    with pytest.raises(TypeError):
        KNeighborsClassifier().fit(X, y, sample_weight=weight)  # type: ignore[call-arg]


def test_a_fitted_model_does_not_follow_its_table() -> None:
    table, labels = X.copy(), y.copy()
    model = KNeighborsClassifier(algorithm="brute").fit(table, labels)
    before = model.predict(Q)
    table[:], labels[:] = 0, 0
    np.testing.assert_array_equal(model.predict(Q), before)


def test_many_queries_are_answered_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    model, numbers = KNeighborsClassifier(3).fit(X, y), RadiusNeighborsRegressor(radius=3.0).fit(X, t)
    whole = model.predict(Q), model.predict_proba(Q), numbers.predict(Q), model.predict(None)
    monkeypatch.setattr("pellucid.neighbors._predictors._CELLS", 50)
    parts = model.predict(Q), model.predict_proba(Q), numbers.predict(Q), model.predict(None)
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_tree_of_points_is_a_table() -> None:
    """scikit-learn's estimators are fitted to a KDTree or a BallTree too."""
    for tree in (KDTree(X), BallTree(X)):
        near, plain = NearestNeighbors(n_neighbors=3).fit(tree), NearestNeighbors(n_neighbors=3).fit(X)
        assert np.array_equal(near.kneighbors()[1], plain.kneighbors()[1])
    corners = [[0, 0], [3, 1], [1, 4]]
    assert KNeighborsRegressor(1, p=1).fit(BallTree(corners, metric="l1"), [7, 8, 9]).predict(
        [[3, 2], [0, 4]]
    ).tolist() == [8, 9]
    for other in (BallTree(X, metric="l1"), KDTree(X, metric="seuclidean")):
        with pytest.raises(ParameterError, match="the distance must be that of the"):
            NearestNeighbors().fit(other)


@pytest.mark.parametrize("metric", [lambda a, b: np.abs(a - b).max(), "dice", "braycurtis"])
def test_what_a_ball_tree_cannot_know_is_compared_with_all_rows(metric: Any) -> None:
    rows = X > 0 if metric == "dice" else X
    with pytest.warns(PellucidWarning, match="all rows are compared instead"):
        near = NearestNeighbors(metric=metric, algorithm="ball_tree").fit(rows)
    assert np.array_equal(near.kneighbors()[1], NearestNeighbors(metric=metric).fit(rows).kneighbors()[1])


def test_every_valid_metric_is_one() -> None:
    places = np.abs(X[:30, :2])
    for algorithm, metrics in VALID_METRICS.items():
        for metric in metrics:
            if metric not in ("precomputed", "edit", "damerau", "jaro_winkler"):
                rows = sp.csr_matrix(places) if metric in VALID_METRICS_SPARSE[algorithm] else places
                assert NearestNeighbors(metric=metric, algorithm=algorithm).fit(rows).kneighbors(rows)[1].shape == (
                    30,
                    5,
                )


def test_graphs_are_sorted_row_by_row() -> None:
    graph = sp.csr_array([[0.0, 3.0, 1.0], [2.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    copied = sort_graph_by_row_values(graph, copy=True)
    assert graph.data.tolist() == [3, 1, 2, 2]
    assert copied.data.tolist() == [1, 3, 2, 2]
    assert copied.indices.tolist() == [2, 1, 0, 2]
    assert sort_graph_by_row_values(graph) is graph
    assert graph.data.tolist() == [1, 3, 2, 2]
    assert np.array_equal(sort_graph_by_row_values(graph.tocoo()).toarray(), graph.toarray())
    with pytest.raises(DataTypeError, match="graph must be a sparse matrix"):
        sort_graph_by_row_values(graph.toarray())
