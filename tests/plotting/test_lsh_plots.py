"""The picture of locality sensitive hashing: lines where the planes are, a color a bucket, every code listed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from pellucid import plotting
from pellucid.base.errors import DataError, ParameterError
from pellucid.neighbors import LSHNeighbors

X = np.array([[1.0, 1.0], [2.0, 3.0], [-1.0, 2.0], [-2.0, -2.0]])
PLANES, OFFSETS = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, -1.0]]]), np.array([[0.0, 0.0], [1.0, 0.5]])


@pytest.fixture
def model() -> Any:
    yield LSHNeighbors(1, hyperplanes=PLANES, offsets=OFFSETS, n_probes=1).fit(X)
    pyplot.close("all")


def test_a_panel_a_round_with_its_lines_and_codes(model: Any) -> None:
    axes = plotting.lsh_codes(model, X, labels="abcd")
    assert len(axes) == 2
    for t, ax in enumerate(axes):
        lines = [
            line.get_xydata() for line in ax.get_lines() if len(line.get_xydata()) == 2 and line.get_marker() == "None"
        ]
        assert len(lines) == 2
        for ends, normal, offset in zip(lines, PLANES[t], OFFSETS[t], strict=True):
            np.testing.assert_allclose(ends @ normal, offset, atol=1e-9)
    listed = [text.get_text() for text in axes[0].texts]
    assert "00  d\n01  c\n11  a, b" in listed
    assert "Round 1: 3 buckets in use" in axes[0].get_title()


def test_what_cannot_be_drawn_is_refused(model: Any) -> None:
    with pytest.raises(ParameterError, match="rounds must be numbers from 0 to 1"):
        plotting.lsh_codes(model, X, rounds=[2])
    with pytest.raises(DataError, match="labels must be one a row; got 1 for 4 rows"):
        plotting.lsh_codes(model, X, labels=["a"])
    with pytest.raises(DataError, match="the model must have two columns; got 3"):
        plotting.lsh_codes(LSHNeighbors(1).fit(np.eye(3)), np.eye(3))
    with pytest.raises(ParameterError, match="model must be a fitted LSHNeighbors"):
        plotting.lsh_codes(LSHNeighbors(), X)
