"""Neighbor estimators against scikit-learn's: neighbors exactly, predictions and probabilities to 1e-12."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors as peers
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import GridSearchCV as PeerSearch
from sklearn.pipeline import make_pipeline

import pellucid.neighbors as ours
from pellucid.model_selection import GridSearchCV

Arrays = NDArray[Any]
random = np.random.default_rng(0)
X, Q = random.normal(size=(120, 4)), random.normal(size=(30, 4))
y, t = random.integers(0, 3, 120), random.normal(size=(120, 2))
FLAGS, ASKED = (X > 0).astype(float), (Q > 0).astype(float)
FLAGS[:, 0] = ASKED[:, 0] = 1.0  # no row without a flag, where peers give NaN
WIDE = sp.csr_matrix(random.normal(size=(150, 30)) * (random.random((150, 30)) < 0.5))
VI, V = np.linalg.inv(np.cov(X.T)), X.var(axis=0)

METRICS: dict[str, dict[str, Any]] = {
    "euclidean": {},
    "manhattan": {"p": 1},
    "p = 3": {"p": 3},
    "p = inf": {"p": np.inf},
    "l1": {"metric": "l1"},
    "chebyshev": {"metric": "chebyshev"},
    "cosine": {"metric": "cosine"},
    "correlation": {"metric": "correlation"},
    "canberra": {"metric": "canberra"},
    "sqeuclidean": {"metric": "sqeuclidean"},
    "mahalanobis": {"metric": "mahalanobis", "metric_params": {"VI": VI}},
    "seuclidean": {"metric": "seuclidean", "metric_params": {"V": V}},
    "weights of columns": {"metric_params": {"w": np.array([1, 2, 0.5, 0])}},
    "weights, p = 1": {"p": 1, "metric_params": {"w": np.array([1, 2, 0.5, 3])}},
    "function": {"metric": lambda a, b: float(np.abs(a - b).sum())},
}


def quiet(act: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return act()


def near(a: Any, b: Any) -> None:
    for left, right in zip(a, b, strict=True) if isinstance(a, list) else [(a, b)]:
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


def pair(name: str, **params: Any) -> tuple[Any, Any]:
    """The peer by brute force, and ours."""
    theirs = getattr(peers, name)(algorithm="brute", **{**params, **_copied(params)})
    return theirs, getattr(ours, name)(**params)


def _copied(params: dict[str, Any]) -> dict[str, Any]:
    """The peer writes p into the dict that it is given."""
    return {"metric_params": dict(params["metric_params"])} if "metric_params" in params else {}


@pytest.mark.parametrize("metric", METRICS)
def test_neighbors_are_the_same_under_every_metric(metric: str) -> None:
    them, us = (model.fit(X) for model in pair("NearestNeighbors", n_neighbors=6, **METRICS[metric]))
    for asked in (Q, None):
        (their_distances, their_rows), (distances, rows) = them.kneighbors(asked), us.kneighbors(asked)
        np.testing.assert_array_equal(rows, their_rows)
        near(distances, their_distances)
    assert us.effective_metric_ == them.effective_metric_
    assert list(us.effective_metric_params_) == list(them.effective_metric_params_)
    radius = float(np.median(us.kneighbors(Q)[0][:, 2]))
    their_distances, their_rows = them.radius_neighbors(Q, radius, sort_results=True)
    distances, rows = us.radius_neighbors(Q, radius)
    for a, b, c, d in zip(their_rows, rows, their_distances, distances, strict=True):
        np.testing.assert_array_equal(b, a)
        near(d, c)


@pytest.mark.parametrize(
    "metric", ["dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "jaccard", "hamming"]
)
def test_distances_of_flags_are_the_same(metric: str) -> None:
    them, us = (quiet(lambda m=model: m.fit(FLAGS)) for model in pair("NearestNeighbors", metric=metric))
    near(us.kneighbors(ASKED)[0], quiet(lambda: them.kneighbors(ASKED))[0])


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d)], ids=["uniform", "1/d", "function"])
@pytest.mark.parametrize("k", [1, 4, 120])
def test_votes_and_means_are_the_same(weights: Any, k: int) -> None:
    for target in (y, np.column_stack([y, y == 1])):
        them, us = (m.fit(X, target) for m in pair("KNeighborsClassifier", n_neighbors=k, weights=weights))
        np.testing.assert_array_equal(us.predict(Q), them.predict(Q))
        near(us.predict_proba(Q), them.predict_proba(Q))
        assert us.outputs_2d_ == them.outputs_2d_
    for numbers in (t[:, 0], t):
        them, us = (m.fit(X, numbers) for m in pair("KNeighborsRegressor", n_neighbors=k, weights=weights))
        near(us.predict(Q), them.predict(Q))
        assert us.score(Q, numbers[:30]) == pytest.approx(them.score(Q, numbers[:30]), rel=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("outlier", [1, 7, "most_frequent", None])
def test_votes_and_means_within_a_radius_are_the_same(weights: str, outlier: Any) -> None:
    settings = {"radius": 0.9, "weights": weights}
    them, us = (m.fit(X, y) for m in pair("RadiusNeighborsClassifier", outlier_label=outlier, **settings))
    assert us.outlier_label_ == them.outlier_label_
    if outlier is None:
        for model in (them, us):
            with pytest.raises(ValueError, match="No neighbors found for test samples"):
                model.predict(Q)
        some = Q[[len(rows) > 0 for rows in us.radius_neighbors(Q)[1]]]
        near(us.predict_proba(some), them.predict_proba(some))
    else:
        np.testing.assert_array_equal(us.predict(Q), quiet(lambda: them.predict(Q)))
        near(quiet(lambda: us.predict_proba(Q)), quiet(lambda: them.predict_proba(Q)))
    them, us = (m.fit(X, t) for m in pair("RadiusNeighborsRegressor", **settings))
    with pytest.warns(UserWarning, match="no neighbors within specified radius"):
        found = us.predict(Q)
    expected = quiet(lambda: them.predict(Q))
    assert np.isnan(expected).any()
    near(found, expected)


def test_rows_are_predicted_from_the_others() -> None:
    for name, target in (("KNeighborsClassifier", y), ("KNeighborsRegressor", t[:, 0])):
        them, us = (m.fit(X, target) for m in pair(name, n_neighbors=4))
        near(us.predict(None), them.predict(None))
        assert us.score(None, target) == pytest.approx(them.score(None, target), rel=1e-12)


def test_given_distances_and_graphs_are_read_the_same_way() -> None:
    from sklearn.metrics import pairwise_distances

    within, to = pairwise_distances(X), pairwise_distances(Q, X)
    graph = peers.KNeighborsTransformer(n_neighbors=9).fit(X)
    for rows, asked in ((within, to), (graph.transform(X), graph.transform(Q))):
        them, us = (m.fit(rows, y) for m in pair("KNeighborsClassifier", n_neighbors=5, metric="precomputed"))
        np.testing.assert_array_equal(us.predict(asked), them.predict(asked))
        np.testing.assert_array_equal(us.predict(None), them.predict(None))
        us_near, them_near = (m.fit(rows) for m in (ours.NearestNeighbors(metric="precomputed"), clone(them_nearest())))
        for a, b in zip(
            us_near.radius_neighbors(asked, 1.0)[1], them_near.radius_neighbors(asked, 1.0)[1], strict=True
        ):
            np.testing.assert_array_equal(np.sort(a), np.sort(b))


def them_nearest() -> Any:
    return peers.NearestNeighbors(metric="precomputed")


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_graphs_are_the_same(mode: str) -> None:
    for include in (True, False, "auto"):
        for name, size in (("kneighbors_graph", 3), ("radius_neighbors_graph", 1.0)):
            them, us = (getattr(m, name)(X, size, mode=mode, include_self=include) for m in (peers, ours))
            near(us.toarray(), them.toarray())
    for name in ("KNeighborsTransformer", "RadiusNeighborsTransformer"):
        them, us = (getattr(m, name)(mode=mode).fit(X) for m in (peers, ours))
        near(us.transform(Q).toarray(), them.transform(Q).toarray())
        near(us.fit_transform(X).toarray(), them.fit_transform(X).toarray())
        np.testing.assert_array_equal(us.get_feature_names_out(), them.get_feature_names_out())
    chain = make_pipeline(ours.KNeighborsTransformer(n_neighbors=8), ours.KNeighborsClassifier(4, metric="precomputed"))
    np.testing.assert_array_equal(chain.fit(X, y).predict(Q), ours.KNeighborsClassifier(4).fit(X, y).predict(Q))


def test_awkward_tables_give_the_same_neighbors() -> None:
    gaps = np.where(random.random(X.shape) < 0.2, np.nan, X)
    tables: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "float32": (X.astype(np.float32), Q.astype(np.float32), {}),
        "whole numbers": (np.round(X * 100).astype(int), np.round(Q * 100).astype(int), {}),
        "sparse": (sp.csr_matrix(X * FLAGS), sp.csr_matrix(Q * ASKED), {}),
        "sparse cosine": (WIDE[:120], WIDE[120:], {"metric": "cosine"}),
        "gaps": (gaps, Q, {"metric": "nan_euclidean"}),
        "a constant column": (np.column_stack([X, np.full(120, 7.0)]), np.column_stack([Q, np.full(30, 7.0)]), {}),
        "far from zero": (X + 1e6, Q + 1e6, {"p": 1}),
        "tiny": (X * 1e-150, Q * 1e-150, {"p": 1}),
        "one column": (X[:, :1], Q[:, :1], {}),
    }
    for name, (rows, asked, settings) in tables.items():
        them, us = (m.fit(rows) for m in pair("NearestNeighbors", **settings))
        np.testing.assert_array_equal(us.kneighbors(asked)[1], them.kneighbors(asked)[1], err_msg=name)


def test_a_search_over_k_scores_every_k_as_the_peer_does() -> None:
    iris = load_iris()
    for name, target, more in (
        ("KNeighborsClassifier", iris.target, {"weights": ["uniform", "distance"]}),
        ("KNeighborsRegressor", iris.data[:, 3] + 0.0, {}),
    ):
        grid = {"n_neighbors": [1, 2, 3, 5, 8, 20], **more}
        data = iris.data[:, :3] + np.linspace(0, 1e-3, 150)[:, None]  # no rows at equal distances
        them = PeerSearch(getattr(peers, name)(), grid, cv=3).fit(data, target)
        us = GridSearchCV(getattr(ours, name)(), grid, cv=3).fit(data, target)
        near(us.cv_results_["mean_test_score"], them.cv_results_["mean_test_score"])
        assert us.best_params_ == them.best_params_


def test_the_peers_data_need_no_scaling() -> None:
    """No warning about scales on iris and digits, on which its examples run."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for data in (load_iris(), load_digits()):
            ours.KNeighborsClassifier().fit(data.data, data.target)
