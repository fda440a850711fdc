"""QuantileTransformer against scikit-learn's: the same sample, the same quantiles, the same places."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import QuantileTransformer as Peer

from pellucid.preprocessing import QuantileTransformer

from .drawn import numbers


def pair(X: Any, **params: Any) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peer: fewer rows than quantiles, columns without values
        return QuantileTransformer(**params).fit(X), Peer(**params).fit(X)


def table(random: np.random.Generator) -> np.ndarray:
    """A random table, some with constant columns, ties, missing values, one row, in F order."""
    rows = int(random.choice([1, 2, 3, 40, 700, 3000]))
    X = random.normal(size=(rows, int(random.integers(1, 12)))) ** int(random.choice([1, 3]))
    X = X * 10.0 ** random.integers(-4, 5, size=X.shape[1])
    if random.random() < 0.5:
        X[:, :2] = random.integers(0, 3, size=X[:, :2].shape)
    if random.random() < 0.3:
        X[:, 0] = 7.0
    if random.random() < 0.5:
        X[random.random(X.shape) < 0.2] = np.nan
    return np.asarray(X, order=random.choice(["C", "F"]))


@pytest.mark.parametrize("seed", numbers(40))
def test_random_tables(seed: int) -> None:
    random = np.random.default_rng(seed)
    X = table(random)
    X = X[:, ~np.isnan(X).all(axis=0)]
    if X.shape[1] == 0:
        return
    params = {
        "n_quantiles": int(random.choice([1, 2, 10, 100, 500])),
        "output_distribution": str(random.choice(["uniform", "normal"])),
        "subsample": [None, 500, 1000][random.integers(3)],
        "random_state": seed,
    }
    ours, peer = pair(X, **params)
    assert ours.n_quantiles_ == peer.n_quantiles_
    np.testing.assert_array_equal(ours.references_, peer.references_)
    np.testing.assert_array_equal(ours.quantiles_, peer.quantiles_)
    later = np.concatenate([X, X * random.uniform(-2, 2, size=X.shape), X + 1e-8])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = peer.transform(later)
        np.testing.assert_allclose(ours.transform(later), wanted, rtol=1e-13, atol=1e-14)
        back = peer.inverse_transform(wanted)
        np.testing.assert_allclose(ours.inverse_transform(wanted), back, rtol=1e-9, atol=1e-9 * np.nanmax(np.abs(X)))


def test_the_default_sample_is_the_same() -> None:
    X = np.random.default_rng(0).normal(size=(30_000, 2))
    for state in (0, 42):
        ours, peer = pair(X, random_state=state)
        np.testing.assert_array_equal(ours.quantiles_, peer.quantiles_)
        np.testing.assert_array_equal(ours.transform(X), peer.transform(X))
    ours = QuantileTransformer(random_state=np.random.RandomState(5)).fit(X)
    peer = Peer(random_state=np.random.RandomState(5)).fit(X)
    np.testing.assert_array_equal(ours.quantiles_, peer.quantiles_)
    np.random.seed(1)
    ours = QuantileTransformer().fit(X)
    np.random.seed(1)
    np.testing.assert_array_equal(ours.quantiles_, Peer().fit(X).quantiles_)


@pytest.mark.parametrize("seed", numbers(12))
@pytest.mark.parametrize("ignore", [False, True])
def test_sparse_tables(seed: int, ignore: bool) -> None:
    random = np.random.default_rng(seed)
    X = sp.random_array((int(random.choice([5, 60, 900])), 6), density=0.3, rng=random, format="csr")
    X.data = np.round(X.data * 20) / 4 - (2 if ignore else 0)
    params = {
        "ignore_implicit_zeros": ignore,
        "n_quantiles": 40,
        "subsample": [None, 100][seed % 2],
        "output_distribution": ["uniform", "normal"][seed // 2 % 2],
        "random_state": seed,
    }
    ours, peer = pair(X, **params)
    np.testing.assert_array_equal(ours.quantiles_, peer.quantiles_)
    wanted = peer.transform(X)
    found = ours.transform(X)
    assert found.format == wanted.format
    np.testing.assert_allclose(found.toarray(), wanted.toarray(), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(
        ours.inverse_transform(wanted).toarray(), peer.inverse_transform(wanted).toarray(), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("output", ["uniform", "normal"])
def test_single_precision(output: str) -> None:
    """The peer works out parts of it in single precision."""
    X = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32)
    ours, peer = pair(X, output_distribution=output)
    np.testing.assert_allclose(ours.quantiles_, peer.quantiles_, rtol=2e-5, atol=1e-6)
    found, wanted = ours.transform(X), peer.transform(X)
    assert found.dtype == wanted.dtype == np.float32
    inside = (X.min(axis=0) < X) & (X.max(axis=0) > X)
    np.testing.assert_allclose(found[inside], wanted[inside], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_whole_numbers_and_flags(make: Any) -> None:
    random = np.random.default_rng(0)
    data = {"n": random.integers(0, 9, size=60), "f": random.random(60) < 0.4, "x": random.normal(size=60)}
    X = np.column_stack([np.asarray(v, dtype=float) for v in data.values()])
    ours = QuantileTransformer().fit(make(data))
    peer = pair(X)[1]
    np.testing.assert_allclose(ours.transform(make(data)), peer.transform(X), rtol=1e-13, atol=1e-14)
    assert ours.get_feature_names_out().tolist() == ["n", "f", "x"]
