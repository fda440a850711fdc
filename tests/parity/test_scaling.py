"""Scalers against scikit-learn's: the same figures and the same numbers under random settings and awkward data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peers

from pellucid import preprocessing

from .drawn import numbers

NAMES = ["StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"]
FIGURES = ["mean_", "var_", "scale_", "n_samples_seen_", "data_min_", "data_max_", "data_range_", "min_", "max_abs_",
           "center_"]  # fmt: skip


def params(name: str, random: np.random.Generator, sparse: bool = False) -> dict[str, Any]:
    """Random settings of a scaler."""
    flag = [bool(f) for f in random.random(2) < 0.5]
    low, high = sorted(random.integers(1, 100, size=2).tolist())
    return {
        "StandardScaler": {"with_mean": flag[0] and not sparse, "with_std": flag[1]},
        "MinMaxScaler": {"feature_range": (-float(low), float(high)), "clip": flag[0]},
        "MaxAbsScaler": {"clip": flag[0]},
        "RobustScaler": {
            "with_centering": flag[0] and not sparse,
            "with_scaling": flag[1],
            "quantile_range": (float(low), float(high + 0.5)),
            "unit_variance": bool(random.random() < 0.5),
        },
    }[name]


def table(random: np.random.Generator) -> np.ndarray:
    """A random table, some with constant columns, missing values, one row, far from zero, in float32 or F order."""
    rows = int(random.choice([1, 2, 3, 40, 700]))
    X = random.normal(size=(rows, int(random.integers(1, 90))))
    X = (X + random.choice([0, 0, 10], size=X.shape[1])) * 10.0 ** random.integers(-4, 5, size=X.shape[1])
    if random.random() < 0.5:
        X[:, :2] = random.choice([0.0, 7.0])
    if random.random() < 0.5:
        X[random.random(X.shape) < 0.2] = np.nan
    if random.random() < 0.3:
        X[:, -1] = np.nan
    return np.asarray(X, dtype=random.choice([np.float32, np.float64]), order=random.choice(["C", "F"]))


def assert_alike(ours: Any, peer: Any, X: Any) -> None:
    share = 2e-5 if X.dtype == np.float32 else 1e-10
    for figure in FIGURES:
        assert hasattr(ours, figure) == hasattr(peer, figure), figure
        wanted = getattr(peer, figure, None)
        if wanted is None:
            assert getattr(ours, figure, None) is None
            continue
        assert np.shape(getattr(ours, figure)) == np.shape(wanted), figure
        near = share * (100 if figure == "min_" else 1e-4)  # worked out in single precision by the peer
        np.testing.assert_allclose(getattr(ours, figure), wanted, rtol=share, atol=near, err_msg=figure)
    found, wanted = ours.transform(X), peer.transform(X)
    assert found.dtype == wanted.dtype
    both = [c.toarray() if sp.issparse(c) else c for c in (found, wanted)]
    size = np.nanmax(np.abs(both[1]), initial=1.0)
    np.testing.assert_allclose(*both, rtol=share, atol=share * size)
    back = [c.toarray() if sp.issparse(c) else c for c in (ours.inverse_transform(found), X)]
    if not getattr(ours, "clip", False):
        np.testing.assert_allclose(*back, rtol=1e-4 if X.dtype == np.float32 else 1e-9, atol=size * share * 1e-2)


def fit_peer(name: str, settings: dict[str, Any], X: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about columns without a value
        return getattr(peers, name)(**settings).fit(X, **more)


@pytest.mark.parametrize("number", numbers(50))
@pytest.mark.parametrize("name", NAMES)
def test_dense_tables(name: str, number: int) -> None:
    random = np.random.default_rng(number)
    X, settings = table(random), params(name, random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_alike(getattr(preprocessing, name)(**settings).fit(X), fit_peer(name, settings, X), X)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("number", numbers(12))
@pytest.mark.parametrize("name", ["StandardScaler", "MaxAbsScaler", "RobustScaler"])
def test_sparse_tables(name: str, number: int, form: Any) -> None:
    random = np.random.default_rng(number)
    X = random.normal(size=(int(random.integers(1, 300)), int(random.integers(1, 12))))
    X[random.random(X.shape) < 0.6] = 0
    if random.random() < 0.5:
        X[random.random(X.shape) < 0.1] = np.nan
    given, settings = form(X), params(name, random, sparse=True)
    assert_alike(getattr(preprocessing, name)(**settings).fit(given), fit_peer(name, settings, given), given)


@pytest.mark.parametrize("number", numbers(20))
def test_weights(number: int) -> None:
    random = np.random.default_rng(number)
    X, settings = random.normal(size=(300, 5)) + 10, params("StandardScaler", random, sparse=number % 2 == 1)
    X[random.random(X.shape) < 0.1 * (number % 3)] = np.nan
    weight = random.exponential(size=300)
    given: Any = sp.csr_array(X) if number % 2 else X
    settings["with_std"] = True  # the peer counts rows, not weights, without
    peer = fit_peer("StandardScaler", settings, given, sample_weight=weight)
    assert_alike(preprocessing.StandardScaler(**settings).fit(given, sample_weight=weight), peer, given)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["StandardScaler", "MinMaxScaler", "MaxAbsScaler"])
def test_learning_in_parts(name: str, weighted: bool) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 4)) * [1, 10, 1e-3, 0] + [0, 100, 0, 3]
    X[random.random(X.shape) < 0.1] = np.nan
    ours, peer = getattr(preprocessing, name)(), getattr(peers, name)()
    for part in np.array_split(X, 7):
        more = {"sample_weight": random.random(len(part))} if weighted and name == "StandardScaler" else {}
        ours.partial_fit(part, **more), peer.partial_fit(part, **more)
    assert_alike(ours, peer, X)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", NAMES)
def test_frames_come_out_alike(name: str, library: str) -> None:
    values = {"a": [1.0, 2.0, 3.0], "b c": [0.5, -1.0, 4.0]}
    frame: Any = pd.DataFrame(values) if library == "pandas" else pl.DataFrame(values)
    found = getattr(preprocessing, name)().set_output(transform=library).fit_transform(frame)
    wanted = getattr(peers, name)().set_output(transform=library).fit_transform(frame)
    assert type(found) is type(wanted)
    assert list(found.columns) == list(wanted.columns)
    np.testing.assert_allclose(found.to_numpy(), wanted.to_numpy(), atol=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_of_the_peer_is_there_with_its_default(name: str) -> None:
    ours, peer = getattr(preprocessing, name)().get_params(), getattr(peers, name)().get_params()
    assert {key: ours[key] for key in peer} == peer


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("MinMaxScaler", {"feature_range": (1, 0)}),
        ("RobustScaler", {"quantile_range": (90, 10)}),
        ("RobustScaler", {"quantile_range": (-1, 10)}),
    ],
)
def test_what_the_peer_refuses_is_refused(name: str, settings: dict[str, Any]) -> None:
    for module in (preprocessing, peers):
        with pytest.raises(ValueError, match=r"feature_range|feature range|quantile_range|quantile range"):
            getattr(module, name)(**settings).fit([[1.0], [2.0]])


@pytest.mark.parametrize("name", ["StandardScaler", "RobustScaler"])
def test_sparse_tables_are_not_centered(name: str) -> None:
    X = sp.csr_array(np.eye(3))
    centering = {"StandardScaler": "with_mean", "RobustScaler": "with_centering"}[name]
    for module in (preprocessing, peers):
        with pytest.raises((ValueError, TypeError), match=f"Cannot center sparse matrices.*(.|\n)*{centering}=False"):
            getattr(module, name)().fit(X)
