"""What neighbor estimators say to odd data and settings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, ParameterError, UnscaledColumnsWarning
from pellucid.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from pellucid.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

random = np.random.default_rng(0)
X, y = random.normal(size=(20, 3)), np.arange(20) % 2


def test_more_neighbors_than_rows_are_refused_with_both_numbers() -> None:
    model = KNeighborsClassifier(30).fit(X, y)
    with pytest.raises(DataError, match="n_neighbors = 30, n_samples_fit = 20"):
        model.predict(X)
    with pytest.raises(DataError, match="n_neighbors < n_samples_fit"):
        NearestNeighbors(n_neighbors=20).fit(X).kneighbors()
    assert NearestNeighbors(n_neighbors=20).fit(X).kneighbors(X)[1].shape == (20, 20)
    for wrong in (0, -1, 2.0, "3", True):
        with pytest.raises(ParameterError, match="n_neighbors must be a whole number"):
            NearestNeighbors().fit(X).kneighbors(X, wrong)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"metric": "euclid"}, "such as 'euclidean' or another"),
        ({"metric": "euclidean", "metric_params": {"w": [1, 2, 3]}}, "metric_params must be known to the metric"),
        ({"metric_params": {"w": [1, 2]}}, "one number a column, 3; got 2"),
        ({"metric_params": {"w": [1, 2, -1]}}, "weights of 0 or more"),
        ({"metric_params": {"p": -1}}, "p must be a number above 0"),
        ({"p": 0}, "p must be a number above 0"),
        ({"metric": "mahalanobis", "metric_params": {"V": np.zeros((3, 3))}}, "positive definite"),
        ({"metric": "haversine"}, "two columns; got 3 columns"),
        ({"metric": "cosine", "algorithm": "kd_tree"}, "takes the metrics euclidean, manhattan"),
        ({"p": 0.5, "algorithm": "ball_tree"}, "p of at least 1"),
        ({"metric": "dice", "algorithm": "kd_tree"}, "known to brute force alone"),
        ({"metric": "precomputed"}, "Precomputed matrix must be square"),
        ({"metric": "edit", "metric_params": {"insert": -1}}, "insert must be a number of 0 or more; got -1"),
        ({"weights": "linear"}, "weights must be"),
        ({"weights": lambda d: -d}, "weights must be finite and 0 or more"),
        ({"weights": lambda d: d[:1]}, "in the shape it is given"),
        ({"weights": lambda d: d * 0}, "zero weights"),
        ({"metric": lambda a, b: np.nan}, "gives NaN"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1"),
        ({"max_samples": 0}, "max_samples must be"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises((ParameterError, DataError), match=words):
        KNeighborsClassifier(**settings).fit(X, y).predict(X)


def test_given_distances_must_be_distances() -> None:
    with pytest.raises(DataError, match="Negative values"):
        NearestNeighbors(metric="precomputed").fit(-np.eye(5))
    graph = sp.csr_matrix(np.triu(np.ones((6, 6))))
    with pytest.raises(DataError, match=r"5 neighbors are required for each samples; row 5 .* has 1"):
        NearestNeighbors(metric="precomputed").fit(graph).kneighbors(graph)


def test_equal_rows_and_columns_have_neighbors_in_their_order() -> None:
    same = np.ones((30, 4))
    for algorithm in ("brute", "kd_tree", "ball_tree"):
        model = NearestNeighbors(n_neighbors=3, algorithm=algorithm).fit(same)
        distances, rows = model.kneighbors([[1, 1, 1, 1], [2, 1, 1, 1]])
        assert rows.tolist() == [[0, 1, 2], [0, 1, 2]]
        assert distances.tolist() == [[0, 0, 0], [1, 1, 1]]
        assert model.kneighbors()[1][:2].tolist() == [[1, 2, 3], [0, 2, 3]]
    assert KNeighborsRegressor(4, weights="distance").fit(same, np.arange(30.0)).predict([[1, 1, 1, 1]]) == [1.5]


def test_a_row_of_zeros_is_as_far_as_a_right_angle_under_cosine() -> None:
    near = NearestNeighbors(n_neighbors=3, metric="cosine").fit([[0, 0], [1, 0], [0, 2]])
    distances, rows = near.kneighbors([[0, 0], [3, 0]])
    assert (distances.tolist(), rows.tolist()) == ([[1, 1, 1], [0, 1, 1]], [[0, 1, 2], [1, 0, 2]])


def test_numbers_near_the_largest_keep_their_mean() -> None:
    model = KNeighborsRegressor(3).fit([[0.0], [1.0], [2.0]], [1.5e308, 1.5e308, 1.2e308])
    np.testing.assert_allclose(model.predict([[1.0]]), [1.4e308], rtol=1e-14)
    far = KNeighborsClassifier(1).fit([[-1e308], [1e308], [0.0]], ["a", "b", "c"])
    assert far.predict([[9e307], [-1e308], [-0.0]]).tolist() == ["b", "a", "c"]


def test_rows_without_neighbors_get_what_was_asked_for() -> None:
    model = RadiusNeighborsClassifier(radius=0.5).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(DataError, match=r"none within 0.5 of rows 1, 2"):
        model.predict([[0.1], [9.0], [8.0]])
    named = RadiusNeighborsClassifier(radius=0.5, outlier_label="far away").fit([[0.0], [1.0]], ["a", "b"])
    assert named.predict([[0.1], [9.0]]).tolist() == ["a", "far away"]
    with pytest.warns(UserWarning, match="is not in training classes"):
        assert named.predict_proba([[9.0]]).tolist() == [[0, 0]]
    with pytest.raises(ParameterError, match="of the type of the classes"):
        RadiusNeighborsClassifier(outlier_label=3).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ParameterError, match="number of targets, 1"):
        RadiusNeighborsClassifier(outlier_label=["a", "b"]).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.warns(UserWarning, match="predicting NaN; row 0"):
        assert np.isnan(RadiusNeighborsRegressor(radius=0.5).fit([[0.0]], [1.0]).predict([[9.0]]))


# -------------------------------------------------------------------------------------------------------------- scales

UNSCALED = np.column_stack([random.uniform(1e4, 1e6, 50), random.uniform(1.5, 1.8, 50)])


def test_columns_on_other_scales_are_named_once_a_fit() -> None:
    with pytest.warns(UnscaledColumnsWarning) as told:
        KNeighborsClassifier().fit(UNSCALED, np.arange(50) % 2)
    assert len(told) == 1
    assert "'x0' (from" in str(told[0].message)
    assert "decides alone, beside which 'x1'" in str(told[0].message)
    for metric in ("cosine", "seuclidean", "mahalanobis", "canberra"):
        NearestNeighbors(metric=metric).fit(UNSCALED)
    NearestNeighbors(metric_params={"w": [1e-12, 1]}).fit(UNSCALED)


@pytest.mark.parametrize(
    "table",
    [
        StandardScaler().fit_transform(UNSCALED),
        MinMaxScaler().fit_transform(UNSCALED),
        np.column_stack([random.normal(size=200), random.normal(size=200) > 0]),
        random.integers(0, 256, (50, 20)) * np.where(np.arange(20) < 6, random.random((50, 20)) < 0.02, 1),
        sp.csr_matrix(UNSCALED),
        UNSCALED[:1],
        UNSCALED[:, :1],
        np.ones((5, 3)),
    ],
    ids=["standard", "min-max", "flags", "pixels", "sparse", "one row", "one column", "constant"],
)
def test_tables_on_one_scale_are_silent(table: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NearestNeighbors().fit(table)


def test_scaled_tables_are_silent_whatever_their_tails() -> None:
    tails = np.column_stack([random.pareto(0.6, (2000, 3)), random.uniform(size=(2000, 3))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scaler in (StandardScaler(), MinMaxScaler(), RobustScaler()):
            NearestNeighbors().fit(scaler.fit_transform(tails))


@pytest.mark.parametrize(
    ("classes", "label", "kind"),
    [
        ([True, False], False, bool),
        ([1, 2], 2**40, np.int64),
        (np.array([1, 2], dtype=np.int8), 300, np.int64),
        (np.array([1, 2], dtype=np.uint64), 7, np.uint64),
        ([1.0, 2.0], 0.3, np.float64),
        ([1.0, 2.0], -1, np.float64),
        (["a", "b"], "nobody", np.dtype("U6")),
    ],
)
def test_a_label_of_rows_without_neighbors_is_given_as_it_is(classes: Any, label: Any, kind: Any) -> None:
    found = RadiusNeighborsClassifier(0.5, outlier_label=label).fit([[0], [1]], np.asarray(classes)).predict([[9], [0]])
    assert found.dtype == kind
    assert found.tolist() == [label, np.asarray(classes)[0].item()]


@pytest.mark.parametrize(("classes", "label"), [([1, 2], -1.5), ([True, False], 2), (["a", "b"], 1), ([1, 2], "a")])
def test_a_label_of_another_kind_than_the_classes_is_refused(classes: Any, label: Any) -> None:
    with pytest.raises(ParameterError, match="outlier_label must be a label of the type of the classes"):
        RadiusNeighborsClassifier(outlier_label=label).fit([[0], [1]], classes)
