"""Pictures of prototypes: the ways are the kept path, the rows those kept and dropped, the words clear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError
from pellucid.neighbors import CondensedNearestNeighbors, EditedNearestNeighbors, LVQClassifier
from pellucid.plotting import codebook_path, prototypes

RANDOM = np.random.default_rng(0)
CODES = np.repeat([0, 1, 2], 20)
X = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])[CODES] + RANDOM.normal(size=(60, 2))
Y = np.array(["ash", "birch", "cedar"])[CODES]
WIDE = np.c_[X, RANDOM.normal(size=60)]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def drawn(ax: Any) -> list[Any]:
    return [np.column_stack(line.get_data()) for line in ax.get_lines()]


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_every_vector_has_its_way() -> None:
    model = LVQClassifier(n_prototypes=5, max_iter=8, keep_path=True, random_state=0).fit(X, Y)
    ax = codebook_path(model, X, Y, grid=40)
    lines = drawn(ax)
    for v in range(5):
        assert any(np.array_equal(line, model.codebook_path_[:, v]) for line in lines)
        assert any(np.array_equal(line, model.codebook_[v : v + 1]) for line in lines)
    assert legend(ax) == ["ash", "birch", "cedar", "start", "vector in the end"]
    assert ax.get_title() == "5 vectors, 8 epochs"


def test_two_columns_of_more_are_drawn_in_the_order_asked() -> None:
    frame = pd.DataFrame(WIDE, columns=["east", "north", "up"])
    model = LVQClassifier(n_prototypes=3, max_iter=4, keep_path=True, random_state=0).fit(frame, Y)
    ax = codebook_path(model, frame, Y, columns=("up", "east"), grid=40)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("up", "east")
    assert any(np.array_equal(line, model.codebook_path_[:, 0][:, [2, 0]]) for line in drawn(ax))
    with pytest.raises(DataError, match=r"codebook_path: two columns can be drawn; the model has 3 columns"):
        codebook_path(model, frame, Y)


@pytest.mark.parametrize("make", [CondensedNearestNeighbors, EditedNearestNeighbors])
def test_kept_rows_stand_out(make: Any) -> None:
    model = make().fit(X, Y)
    own = pyplot.subplots()[1]
    ax = prototypes(model, X, Y, grid=40, ax=own)
    assert ax is own
    kept = np.zeros(60, dtype=bool)
    kept[model.sample_indices_] = True
    lines = drawn(ax)
    for k in range(3):
        for rows in (X[kept & (k == CODES)], X[~kept & (k == CODES)]):
            assert any(np.array_equal(line, rows) for line in lines)
    assert legend(ax) == ["ash", "birch", "cedar", "dropped"]
    assert ax.get_title() == f"{kept.sum()} of 60 rows kept"


def test_words() -> None:
    with pytest.raises(DataError, match="codebook_path: the model must have kept the codebook of every epoch"):
        codebook_path(LVQClassifier(n_prototypes=3, max_iter=1).fit(X, Y), X, Y)
    with pytest.raises(DataError, match="prototypes: the model must have chosen rows; it has no sample_indices_"):
        prototypes(LVQClassifier(n_prototypes=3, max_iter=1).fit(X, Y), X, Y)
    with pytest.raises(
        DataError, match=r"prototypes: X must be the table that the model was fitted on; row \d+ was kept"
    ):
        prototypes(EditedNearestNeighbors().fit(X, Y), X[:9], Y[:9])
