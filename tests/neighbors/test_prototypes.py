"""Condensed and edited neighbors: the rows that the plain rules keep, on any metric, and frames that stay frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.neighbors import KNeighborsClassifier

from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.neighbors import CondensedNearestNeighbors, EditedNearestNeighbors
from pellucid.reference import prototypes as reference

RANDOM = np.random.default_rng(0)
# Whole numbers, so that ties occur and distances are exact; a few rows are there twice, with other labels too.
X = RANDOM.integers(-4, 5, size=(90, 2)).astype(float)
Y = np.array(["ash", "birch", "cedar"])[
    np.clip((X.sum(axis=1) + RANDOM.normal(scale=1.5, size=90)) // 3 + 1, 0, 2).astype(int)
]
LABELS = Y.tolist()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_condensing_is_the_plain_rule(metric: Any, k: int) -> None:
    for start in ("each_class", "first", [7, 3]):
        model = CondensedNearestNeighbors(k, metric=metric, start=start)
        record = model.fit_with_history(X, Y)["judgments"][1]
        begin = {"each_class": None, "first": [0]}.get(start) if isinstance(start, str) else start
        found = reference.condense(X, LABELS, k, metric=metric, start=begin)
        assert model.added_.tolist() == found.store
        assert model.sample_indices_.tolist() == sorted(found.store)
        assert model.n_iter_ == found.passes
        assert record[:, 1].astype(int).tolist() == [judgment.row for judgment in found.judgments]
        assert record[:, 2].astype(int).tolist() == [judgment.nearest[0] for judgment in found.judgments]


def test_another_order_is_drawn_by_the_seed() -> None:
    first, again, other = (CondensedNearestNeighbors(shuffle=True, random_state=s).fit(X, Y).added_ for s in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()


def test_the_condensed_store_classifies_every_row() -> None:
    """Hart's promise, where no two rows of the same values have different labels; on many rows, in parallel blocks."""
    table = RANDOM.normal(size=(3000, 3))
    y = (table[:, 0] * table[:, 1] > 0).astype(int)
    model = CondensedNearestNeighbors().fit(table, y)
    rows, labels = model.fit_resample(table, y)
    assert KNeighborsClassifier(1).fit(rows, labels).score(table, y) == 1
    assert model.score(table, y) == 1
    assert model.n_kept_ < 1500


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("method", ["wilson", "repeated", "all_k"])
@pytest.mark.filterwarnings("ignore:.*keeps its last rows:pellucid.base.errors.PellucidWarning")
def test_editing_is_the_plain_rule(metric: Any, method: Any) -> None:
    settings: list[tuple[int, Any]] = [(1, "majority"), (3, "majority"), (4, "majority"), (3, "all")]
    for k, agreement in settings:
        model = EditedNearestNeighbors(k, method=method, agreement=agreement, metric=metric).fit(X, Y)
        found = reference.edit(X, LABELS, k, method=method, agreement=agreement, metric=metric)
        assert model.sample_indices_.tolist() == found
        assert np.flatnonzero(model.dropped_in_ == 0).tolist() == found


def test_more_rows_in_one_place_than_neighbors() -> None:
    table, y = np.zeros((11, 2)), list("aaaaabaabbb")
    table[8:] = 5
    model = EditedNearestNeighbors(2).fit(table, y)  # row 5 is of another class than its doubles
    assert np.flatnonzero(model.dropped_in_).tolist() == [5]
    assert model.sample_indices_.tolist() == reference.edit(table, y, 2)


def test_only_named_classes_lose_rows_and_none_its_last() -> None:
    spared = EditedNearestNeighbors(classes=["cedar"]).fit(X, Y)
    assert set(Y[spared.dropped_in_ > 0]) <= {"cedar"}
    with pytest.warns(PellucidWarning, match=r"a class keeps its last rows; all that were left of 'b' have neighbors"):
        model = EditedNearestNeighbors().fit([[0.0], [1.0], [2.0], [3.0], [4.0]], list("aabaa"))
    assert model.sample_indices_.tolist() == [0, 1, 2, 3, 4]


def test_frames_stay_frames() -> None:
    frame = pd.DataFrame(X, columns=["east", "north"], index=np.arange(100, 190))
    for model in (CondensedNearestNeighbors(), EditedNearestNeighbors()):
        rows, labels = model.fit_resample(frame, pd.Series(Y, index=frame.index, name="tree"))
        assert rows.index.tolist() == labels.index.tolist() == (model.sample_indices_ + 100).tolist()
        assert rows.columns.tolist() == ["east", "north"]
        rows, labels = model.fit_resample(pl.DataFrame(frame), pl.Series(Y))
        assert isinstance(rows, pl.DataFrame)
        assert labels.to_list() == Y[model.sample_indices_].tolist()


def test_predictions_are_those_of_neighbors_on_the_kept_rows() -> None:
    table = RANDOM.normal(size=(200, 3))  # no ties
    y = (table.sum(axis=1) > 0).astype(int)
    asked = RANDOM.normal(size=(50, 3))
    for model in (CondensedNearestNeighbors(), EditedNearestNeighbors(3)):
        rows, labels = model.fit_resample(table, y)
        peer = KNeighborsClassifier(model.n_neighbors).fit(rows, labels)
        np.testing.assert_array_equal(model.predict(asked), peer.predict(asked))


@pytest.mark.parametrize("power", [600, -600])
def test_the_unit_of_the_table_does_not_matter(power: int) -> None:
    for model in (CondensedNearestNeighbors(), EditedNearestNeighbors()):
        plain = model.fit(X, Y).sample_indices_.tolist()
        assert model.fit(np.ldexp(X, power), Y).sample_indices_.tolist() == plain
        assert len(model.predict(np.ldexp(X, power))) == len(X)


def test_impossible_settings_are_said() -> None:
    with pytest.raises(
        DataError, match="n_neighbors must be below the number of rows; got n_neighbors=3 with n_samples = 3"
    ):
        EditedNearestNeighbors().fit([[1], [2], [3]], [0, 0, 1])
    with pytest.raises(ParameterError, match="classes must be labels that y has; got 'oak'"):
        EditedNearestNeighbors(classes=["oak"]).fit(X, Y)
    with pytest.raises(ParameterError, match="start must hold row numbers between 0 and 89; got 90"):
        CondensedNearestNeighbors(start=[90]).fit(X, Y)
    with pytest.raises(ParameterError, match=r"'first' or row numbers; got \[\[1\], \[2, 3\]\]"):
        CondensedNearestNeighbors(start=[[1], [2, 3]]).fit(X, Y)
    with pytest.raises(
        ParameterError, match=r"start must be a list or a tuple or an array or one of .*; got a DataFrame"
    ):
        CondensedNearestNeighbors(start=pd.DataFrame({"row": [1, 2]})).fit(X, Y)
    assert CondensedNearestNeighbors(5).fit([[1.0], [2.0]], [0, 1]).predict([[1.1]]).tolist() == [0]
