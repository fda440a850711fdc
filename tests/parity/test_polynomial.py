"""PolynomialFeatures against scikit-learn's: the same columns, names and bits under random settings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import PolynomialFeatures as Peer

from pellucid.preprocessing import PolynomialFeatures

from .drawn import numbers


def setting(number: int) -> tuple[dict[str, Any], np.ndarray]:
    """Random parameters and a random table, some of whose cells are zero."""
    random = np.random.default_rng(number)
    low, high = sorted(int(d) for d in random.integers(0, 5, size=2))
    params = {
        "degree": high if random.random() < 0.5 else (low, high),
        "interaction_only": bool(random.random() < 0.5),
        "include_bias": bool(random.random() < 0.5) or high == 0,
        "order": str(random.choice(["C", "F"])),
    }
    X = random.normal(size=(int(random.integers(1, 80)), int(random.integers(1, 7))))
    X[random.random(X.shape) < 0.3] = 0
    X = X.astype(random.choice([np.float32, np.float64]))
    if params["interaction_only"] and isinstance(params["degree"], tuple) and low > X.shape[1]:
        params["include_bias"] = True  # else nothing comes out, which is refused here
    return params, X


@pytest.mark.parametrize("number", numbers(120))
def test_dense_tables_give_the_same_bits(number: int) -> None:
    params, X = setting(number)
    ours, peer = PolynomialFeatures(**params).fit(X), Peer(**params).fit(X)
    found, wanted = ours.transform(X), peer.transform(X)
    assert found.dtype == wanted.dtype
    assert found.flags[f"{params['order']}_CONTIGUOUS"]
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(ours.powers_, peer.powers_)
    assert ours.n_output_features_ == peer.n_output_features_
    assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.csr_array])
@pytest.mark.parametrize("number", numbers(40))
def test_sparse_tables_give_the_same_numbers(number: int, form: Any) -> None:
    params, X = setting(number)
    found = PolynomialFeatures(**params).fit_transform(form(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = Peer(**params).fit_transform(form(X))
    assert found.format == "csr"
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.toarray(), wanted.toarray(), rtol=1e-6 if X.dtype == np.float32 else 1e-14)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_come_out_alike(library: str) -> None:
    values = {"a": [1.0, 2.0, 3.0], "b c": [0.5, -1.0, 4.0]}
    frame = pd.DataFrame(values) if library == "pandas" else pl.DataFrame(values)
    found = PolynomialFeatures(3).set_output(transform=library).fit_transform(frame)
    wanted = Peer(3).set_output(transform=library).fit_transform(frame)
    assert type(found) is type(wanted)
    assert found.equals(wanted)


@pytest.mark.parametrize("params", [{"degree": -1}, {"degree": (2, 1)}, {"degree": (1, 2, 3)}, {"degree": 1.5}])
def test_what_the_peer_refuses_is_refused(params: dict[str, Any]) -> None:
    for model in (PolynomialFeatures(**params), Peer(**params)):
        with pytest.raises((ValueError, TypeError)):
            model.fit([[1.0, 2.0]])


def test_an_empty_output_is_refused_by_both() -> None:
    for model in (PolynomialFeatures(0, include_bias=False), Peer(0, include_bias=False)):
        with pytest.raises(ValueError, match="empty output"):
            model.fit([[1.0, 2.0]])
