"""Binarizer against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.preprocessing as peers

from pellucid.preprocessing import Binarizer


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # the peer's, of 1e300 in single precision
@pytest.mark.parametrize("threshold", [0, 0.5, 2.0, 1e300])
@pytest.mark.parametrize("form", [np.ascontiguousarray, np.asfortranarray, sp.csr_matrix, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("number", range(6))
def test_random_tables(number: int, form: Any, threshold: float) -> None:
    random = np.random.default_rng(number)
    X = np.round(random.normal(size=(int(random.choice([1, 5, 300])), int(random.integers(1, 80)))) * 4) / 2
    given = form(X.astype([np.float64, np.float32, np.int64][number % 3]))
    found, wanted = (cls(threshold=threshold).transform(given) for cls in (Binarizer, peers.Binarizer))
    assert sp.issparse(found) == sp.issparse(wanted)
    both = [one.toarray() if sp.issparse(one) else one for one in (found, wanted)]
    np.testing.assert_array_equal(*both)
    if sp.issparse(found):
        assert found.nnz == wanted.nnz
    if number % 3 < 2:
        assert found.dtype == wanted.dtype


@pytest.mark.parametrize("threshold", [-1.0, -0.5])
def test_a_threshold_below_zero(threshold: float) -> None:
    X = np.array([[-2.0, -0.5, 0.0], [-1.0, 1.0, -0.0]])
    found, wanted = (cls(threshold=threshold).transform(X) for cls in (Binarizer, peers.Binarizer))
    np.testing.assert_array_equal(found, wanted)
    for cls in (Binarizer, peers.Binarizer):
        with pytest.raises(ValueError, match="Cannot binarize a sparse matrix with threshold < 0"):
            cls(threshold=threshold).transform(sp.csr_array(X))


def test_frames_come_out_alike() -> None:
    frame = pd.DataFrame({"a": [3.0, 0.0], "b": [-4.0, 1.0]})
    found, wanted = (cls().set_output(transform="pandas").fit_transform(frame) for cls in (Binarizer, peers.Binarizer))
    pd.testing.assert_frame_equal(found, wanted)


def test_every_parameter_of_the_peer_is_there_with_its_default() -> None:
    ours, peer = Binarizer().get_params(), peers.Binarizer().get_params()
    assert {key: ours[key] for key in peer} == peer
