"""Imputers against scikit-learn's: the same values under random settings and awkward data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.impute as peers
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.linear_model import LinearRegression as PeerRegression

from pellucid import impute
from pellucid.linear_model import LinearRegression

from .drawn import numbers

NAMES = ["SimpleImputer", "KNNImputer", "IterativeImputer", "MissingIndicator"]


def table(random: np.random.Generator, rows: tuple[int, ...] = (1, 2, 3, 40, 300)) -> np.ndarray:
    """A random table, some with constant or empty columns, of several scales, in float32 or F order."""
    n, p = int(random.choice(rows)), int(random.integers(1, 9))
    X = random.normal(size=(n, p)) @ random.normal(size=(p, p)) + random.choice([0.0, 5.0], size=p)
    if random.random() < 0.3:
        X = np.round(X)
    if random.random() < 0.3:
        X[:, 0] = 7.0
    X[random.random(X.shape) < random.choice([0.0, 0.1, 0.4])] = np.nan
    if random.random() < 0.3:
        X[:, -1] = np.nan
    return np.asarray(X, dtype=random.choice([np.float32, np.float64]), order=random.choice(["C", "F"]))


def quiet(act: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return act()


def assert_alike(ours: Any, peer: Any, X: Any, share: float) -> None:
    found, wanted = quiet(lambda: ours.transform(X)), quiet(lambda: peer.transform(X))
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    both = [np.asarray(c.toarray() if sp.issparse(c) else c, dtype=float) for c in (found, wanted)]
    np.testing.assert_allclose(*both, rtol=share, atol=share * np.nanmax(np.abs(both[1]), initial=1.0))
    names, theirs = (quiet(model.get_feature_names_out).tolist() for model in (ours, peer))
    assert (
        names == theirs if len(theirs) == wanted.shape[1] else len(names) == wanted.shape[1]
    )  # the peer's forget some
    if getattr(ours, "indicator_", None) is not None:
        np.testing.assert_array_equal(ours.indicator_.features_, peer.indicator_.features_)


@pytest.mark.parametrize("number", numbers(60))
def test_simple(number: int) -> None:
    random = np.random.default_rng(number)
    X = table(random)
    settings = {
        "strategy": [*["mean", "median", "most_frequent", "constant"], np.nanmax][number % 5],
        "fill_value": random.choice([None, 3]),
        "add_indicator": bool(random.random() < 0.5),
        "keep_empty_features": bool(random.random() < 0.5) or number % 5 == 4,
    }
    if number % 5 == 4:
        X = np.nan_to_num(X)  # the peer hands empty columns to the function
    ours, peer = impute.SimpleImputer(**settings), peers.SimpleImputer(**settings)
    quiet(lambda: (ours.fit(X), peer.fit(X)))
    np.testing.assert_allclose(ours.statistics_.astype(float), peer.statistics_.astype(float), rtol=1e-5, atol=1e-6)
    assert_alike(ours, peer, X, 1e-5 if X.dtype == np.float32 else 1e-12)
    if settings["add_indicator"] and not np.isnan(X).all(axis=0).any():  # with such columns the peer fails
        filled = ours.transform(X)
        np.testing.assert_allclose(ours.inverse_transform(filled), peer.inverse_transform(filled), rtol=1e-12)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("number", range(6))
def test_simple_on_sparse_tables(number: int, strategy: Any, form: Any) -> None:
    random = np.random.default_rng(number)
    X = np.round(random.normal(size=(int(random.integers(2, 90)), 5)), 1)
    X[random.random(X.shape) < 0.4] = 0
    X[random.random(X.shape) < 0.2] = np.nan
    marker = np.nan if number % 2 else -7.0
    given = form(np.where(np.isnan(X), marker, X))
    settings = {"strategy": strategy, "missing_values": marker, "add_indicator": number % 3 == 0}
    ours, peer = impute.SimpleImputer(**settings).fit(given), peers.SimpleImputer(**settings).fit(given)
    np.testing.assert_allclose(ours.statistics_.astype(float), peer.statistics_.astype(float))
    assert_alike(ours, peer, given, 1e-12)
    assert ours.transform(given).format == peer.transform(given).format


@pytest.mark.parametrize(
    ("X", "settings"),
    [
        (np.array([["a", 1], [np.nan, 2], ["b", np.nan], ["a", 2]], dtype=object), {"strategy": "most_frequent"}),
        (np.array([["a"], ["b"], [np.nan]], dtype=object), {"strategy": "constant"}),
        (np.array([["a"], ["b"], ["?"]], dtype=object), {"strategy": "most_frequent", "missing_values": "?"}),
        (np.array([[1, -1], [-1, 3], [1, 3]]), {"strategy": "most_frequent", "missing_values": -1}),
        (np.array([[1, -1], [-1, 3], [2, 3]]), {"strategy": "mean", "missing_values": -1}),
        (np.array([[1, -1], [-1, 3], [2, 3]]), {"strategy": "constant", "missing_values": -1, "fill_value": 9}),
        (pd.DataFrame({"a": ["x", None, "x"], "b": [1.0, np.nan, 2.0]}), {"strategy": "most_frequent"}),
        (pd.DataFrame({"a": [1, 2, 3], "b": [1.0, np.nan, 2.0]}), {"strategy": "median"}),
        (pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")}), {"strategy": "mean"}),
    ],
    ids=range(9),
)
def test_simple_on_names_and_whole_numbers(X: Any, settings: dict[str, Any]) -> None:
    ours, peer = impute.SimpleImputer(**settings), peers.SimpleImputer(**settings)
    found, wanted = ours.fit_transform(X), peer.fit_transform(X)
    assert found.dtype == wanted.dtype
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("number", numbers(40))
def test_nearest(number: int) -> None:
    random = np.random.default_rng(number)
    X = table(random, (2, 3, 40, 200)).astype(np.float64)
    X = X + random.normal(size=X.shape) * 1e-3  # without ties, in which the peer's choice is not defined
    settings = {
        "n_neighbors": int(random.integers(1, 8)),
        "weights": ["uniform", "distance", lambda d: np.exp(-d)][number % 3],
        "add_indicator": bool(random.random() < 0.5),
        "keep_empty_features": bool(random.random() < 0.5),
    }
    ours, peer = impute.KNNImputer(**settings).fit(X), peers.KNNImputer(**settings).fit(X)
    # The peer's distances lose digits to cancellation.
    assert_alike(ours, peer, X, 1e-10 if number % 3 == 0 else 1e-5)


@pytest.mark.parametrize("number", numbers(40))
def test_iterative(number: int) -> None:
    random = np.random.default_rng(number)
    X = table(random, (3, 40, 200)).astype(np.float64)
    p = X.shape[1]
    settings = {
        "max_iter": int(random.integers(0, 9)),
        "imputation_order": str(random.choice(["ascending", "descending", "roman", "arabic", "random"])),
        "initial_strategy": str(random.choice(["mean", "median", "most_frequent", "constant"])),
        "n_nearest_features": None if number % 3 else max(1, p // 2),
        "skip_complete": bool(random.random() < 0.5),
        "add_indicator": bool(random.random() < 0.5),
        "keep_empty_features": bool(random.random() < 0.5),
        "min_value": random.choice([-np.inf, -1.0]),
        "random_state": number,
    }
    ours, peer = impute.IterativeImputer(**settings), peers.IterativeImputer(**settings)
    quiet(lambda: (ours.fit(X), peer.fit(X)))
    assert ours.n_iter_ == peer.n_iter_
    assert len(ours.imputation_sequence_) == len(peer.imputation_sequence_)
    assert_alike(ours, peer, X, 1e-6)
    new = X[::-1][:7].copy()
    new[0, 0] = np.nan
    assert_alike(ours, peer, new, 1e-6)


@pytest.mark.parametrize("number", range(6))
def test_iterative_with_a_given_regressor(number: int) -> None:
    random = np.random.default_rng(number)
    X = random.normal(size=(80, 4)) @ random.normal(size=(4, 4))
    X[random.random(X.shape) < 0.1] = np.nan
    settings = {"max_iter": 4, "random_state": 0}
    ours = quiet(lambda: impute.IterativeImputer(LinearRegression(), **settings).fit(X))
    peer = quiet(lambda: peers.IterativeImputer(PeerRegression(), **settings).fit(X))
    assert_alike(ours, peer, X, 1e-8)


@pytest.mark.parametrize("sparse", [False, True, "auto"])
@pytest.mark.parametrize("features", ["missing-only", "all"])
@pytest.mark.parametrize("number", range(4))
def test_indicator(number: int, features: Any, sparse: Any) -> None:
    X = table(np.random.default_rng(number))
    for given in (X, sp.csr_matrix(np.where(X == 0, 1, X))):
        settings = {"features": features, "sparse": sparse}
        ours, peer = impute.MissingIndicator(**settings).fit(given), peers.MissingIndicator(**settings).fit(given)
        np.testing.assert_array_equal(ours.features_, peer.features_)
        found, wanted = ours.transform(given), peer.transform(given)
        assert sp.issparse(found) == sp.issparse(wanted)
        both = [c.toarray() if sp.issparse(c) else c for c in (found, wanted)]
        np.testing.assert_array_equal(*both)
        assert found.dtype == wanted.dtype


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_of_the_peer_is_there_with_its_default(name: str) -> None:
    ours, peer = getattr(impute, name)().get_params(), getattr(peers, name)().get_params()
    assert {key: repr(ours[key]) for key in peer} == {key: repr(value) for key, value in peer.items()}
