"""Normalizer against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peers

from pellucid.preprocessing import Normalizer


@pytest.mark.parametrize("form", [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize("number", range(8))
def test_random_tables(number: int, norm: Any, form: Any) -> None:
    random = np.random.default_rng(number)
    X = random.normal(size=(int(random.choice([1, 5, 300])), int(random.integers(1, 40)))) * 10.0 ** (number - 3)
    X[random.random(X.shape) < 0.3] = 0
    X[0] = 0
    given = form(X.astype(np.float32 if number % 2 else np.float64))
    found, wanted = Normalizer(norm).transform(given), peers.Normalizer(norm=norm).transform(given)
    assert found.dtype == wanted.dtype
    assert sp.issparse(found) == sp.issparse(wanted)
    both = [one.toarray() if sp.issparse(one) else one for one in (found, wanted)]
    np.testing.assert_allclose(*both, rtol=1e-6 if number % 2 else 1e-14)


def test_frames_come_out_alike() -> None:
    frame = pd.DataFrame({"a": [3.0, 0.0], "b": [4.0, 0.0]})
    found, wanted = (
        cls().set_output(transform="pandas").fit_transform(frame) for cls in (Normalizer, peers.Normalizer)
    )
    pd.testing.assert_frame_equal(found, wanted)


def test_a_table_may_be_written_over() -> None:
    for cls in (Normalizer, peers.Normalizer):
        X = np.array([[3.0, 4.0], [0.0, 2.0]])
        assert cls(copy=False).fit_transform(X) is X
        np.testing.assert_allclose(X, [[0.6, 0.8], [0, 1]])


def test_every_parameter_of_the_peer_is_there_with_its_default() -> None:
    ours, peer = Normalizer().get_params(), peers.Normalizer().get_params()
    assert {key: ours[key] for key in peer} == peer
