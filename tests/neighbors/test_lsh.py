"""Locality sensitive hashing: codes, buckets, probes, sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from pellucid.base.errors import ParameterError
from pellucid.neighbors import LSHNeighbors, NearestNeighbors
from pellucid.reference import lsh as reference


def rows(n: int = 200, columns: int = 4) -> Any:
    return np.random.default_rng(1).standard_normal((n, columns))


def test_codes_and_candidates_are_the_reference_s() -> None:
    X, Q = rows(), rows()[:20] + 0.05
    model = LSHNeighbors(3, n_bits=5, n_tables=4, n_probes=1).fit(X)
    texts = model.code_texts(model.codes_)
    for t in range(4):
        own = [reference.code(x, model.hyperplanes_[t], model.offsets_[t]) for x in X]
        assert texts[:, t].tolist() == own
    for i, q in enumerate(Q):
        want = reference.candidates(q, X, model.hyperplanes_, model.offsets_)
        assert model.candidates(Q)[i].tolist() == want
        distances, numbers = reference.nearest(q, X, 3, model.hyperplanes_, model.offsets_)
        found = model.kneighbors(Q[i : i + 1])
        assert found[1][0].tolist() == numbers
        np.testing.assert_allclose(found[0][0], distances, rtol=1e-14)


def test_planes_go_through_the_mean_and_through_the_origin() -> None:
    X = rows() + 5
    model = LSHNeighbors(n_bits=4).fit(X)
    np.testing.assert_allclose(model.hyperplanes_ @ X.mean(axis=0), model.offsets_, rtol=1e-12)
    assert not LSHNeighbors(n_bits=4, metric="cosine").fit(X).offsets_.any()


def test_a_bit_differs_as_often_as_the_angle_says() -> None:
    """Charikar: two rows at an angle a differ in a bit with probability a / pi."""
    angle = 0.7
    X = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    model = LSHNeighbors(1, n_bits=50, n_tables=400, metric="cosine", n_probes=1).fit(X)
    texts = model.code_texts(model.codes_)
    share = np.mean([reference.differing(a, b) / 50 for a, b in zip(texts[0], texts[1], strict=True)])
    assert abs(share - angle / np.pi) < 4 * np.sqrt(0.25 / 20_000)


def test_more_probes_cross_the_nearest_planes_first() -> None:
    X = rows(500, 2)
    planes, offsets = np.array([[[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]]]), np.zeros((1, 3))
    q = np.array([[0.3, -0.4]])  # 0.3 from the first plane, 0.4 from the second, 0.07 from the third
    crossed = [0, 0b100, 0b001, 0b101, 0b010, 0b110]  # by 0, 0.07², 0.3², 0.3² + 0.07², 0.4², 0.4² + 0.07²
    own = int(LSHNeighbors(hyperplanes=planes, offsets=offsets, n_probes=1).fit(X).codes(q)[0, 0])
    for probes in range(1, 7):
        model = LSHNeighbors(hyperplanes=planes, offsets=offsets, n_probes=probes).fit(X)
        looked_at = np.isin(model.codes_[:, 0], [own ^ cross for cross in crossed[:probes]])
        np.testing.assert_array_equal(model.candidates(q)[0], np.flatnonzero(looked_at))


def test_sparse_rows_give_the_same_bits() -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 30)) * (rng.random((300, 30)) < 0.2)
    X[4] = 0
    for metric in ("euclidean", "cosine"):
        dense = LSHNeighbors(4, metric=metric).fit(X)
        for form in (scipy.sparse.csr_array, scipy.sparse.csc_matrix):
            sparse = LSHNeighbors(4, metric=metric, hyperplanes=dense.hyperplanes_, offsets=dense.offsets_).fit(form(X))
            np.testing.assert_array_equal(sparse.codes_, dense.codes_)
            for asked in (X[:30], form(X[:30]), None):
                found = sparse.kneighbors(asked)
                tolerance = 1e-14 if metric == "cosine" else 0  # lengths of sparse rows are summed in another order
                np.testing.assert_allclose(found[0], dense.kneighbors(asked)[0], rtol=0, atol=tolerance)


def test_few_candidates_are_made_up_for_by_all_rows() -> None:
    X = np.array([[-1.0], [-2.0], [3.0]])
    model = LSHNeighbors(2, hyperplanes=[[[1.0]]], offsets=[[0.0]], n_probes=1).fit(X)
    assert model.candidates([[1.0]])[0].tolist() == [2]
    exact = NearestNeighbors(n_neighbors=2).fit(X).kneighbors([[1.0]])
    np.testing.assert_array_equal(model.kneighbors([[1.0]])[1], exact[1])
    assert model.radius_neighbors([[1.0]], 2.5)[1][0].tolist() == [2]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hyperplanes": [[1.0]]}, "hyperplanes must be an array of numbers, tables x bits x columns; got shape"),
        ({"hyperplanes": [[["a"]]]}, "hyperplanes must be an array of numbers"),
        ({"hyperplanes": [[[np.nan]]]}, "hyperplanes must be finite"),
        ({"offsets": [[1.0]]}, "offsets must be one a hyperplane"),
        ({"hyperplanes": np.ones((1, 65, 1))}, "a table has at most 64 hyperplanes; got 65"),
        ({"hyperplanes": np.ones((1, 2, 3))}, "hyperplanes must have the columns of X; they have 3, X has 1"),
    ],
)
def test_planes_that_do_not_fit_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        LSHNeighbors(1, **settings).fit([[1.0], [2.0]])
