"""Ratings come in many forms, with ids of any kind; what is read is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from pellucid.base.errors import DataError, DataTypeError, UnknownNameError
from pellucid.recommend import BaselineRecommender, ItemNeighborsRecommender, PopularItems, UserNeighborsRecommender

from .tables import ALL, BOOKS, fitted, triples

USERS, ITEMS, RATINGS = triples(BOOKS)
FRAME = pd.DataFrame({"user": USERS, "item": ITEMS, "rating": RATINGS})
MATRIX = sp.csr_array((RATINGS, (USERS, ITEMS)), shape=BOOKS.shape)
FORMS = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "arrow": pl.from_pandas(FRAME).to_arrow(),
    "arrays": (USERS, ITEMS, RATINGS),
    "lists": (USERS.tolist(), ITEMS.tolist(), RATINGS.tolist()),
    "series": (FRAME["user"], FRAME["item"], FRAME["rating"]),
    "rows": [list(row) for row in zip(USERS.tolist(), ITEMS.tolist(), RATINGS.tolist(), strict=True)],
    "table": FRAME.to_numpy(),
    "csr": MATRIX,
    "csc": MATRIX.tocsc(),
    "coo": MATRIX.tocoo(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", ALL, ids=repr)
def test_every_form_is_read_alike(model: Any, form: str) -> None:
    want = fitted(clone(model), FORMS["arrays"])
    got = fitted(clone(model), FORMS[form])
    np.testing.assert_array_equal(got.predict(np.repeat(range(6), 6), np.tile(range(6), 6)),
                                  want.predict(np.repeat(range(6), 6), np.tile(range(6), 6)))  # fmt: skip


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_the_order_of_the_ratings_does_not_matter(model: Any) -> None:
    turned = FRAME.iloc[::-1]
    got, want = fitted(clone(model), turned), fitted(clone(model), FRAME)
    np.testing.assert_array_equal(got.recommend_all(3)[1], want.recommend_all(3)[1])


def test_the_input_is_left_as_it_is() -> None:
    frame, matrix = FRAME.copy(), MATRIX.copy()
    for model in ALL:
        fitted(clone(model), frame)
        fitted(clone(model), matrix)
    pd.testing.assert_frame_equal(frame, FRAME)
    assert (matrix != MATRIX).nnz == 0


def test_columns_are_found_by_name_then_by_place() -> None:
    other = FRAME.rename(columns={"user": "who", "item": "what", "rating": "stars"})
    want = BaselineRecommender().fit(FRAME).predict(0, 1)
    assert BaselineRecommender().fit(FRAME[["rating", "item", "user"]]).predict(0, 1) == want
    assert BaselineRecommender().fit(other).predict(0, 1) == want
    mixed = other[["stars", "what", "who"]].assign(time=1.0)
    named = BaselineRecommender(user="who", item="what", rating="stars")
    assert named.fit(mixed).predict(0, 1) == want


@pytest.mark.parametrize(
    "ids",
    [
        ["ann", "bob", "eve", "joe", "kim", "zoe"],
        [10, 20, 30, 40, 50, 60],
        [0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
        [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1), ("c", 2)],
        ["ann", 7, ("x", 1), frozenset({3}), "zoe", 2.5],
        pd.date_range("2024-01-01", periods=6),
    ],
    ids=["texts", "numbers", "floats", "tuples", "mixed", "times"],
)
def test_ids_come_back_as_they_came(ids: Any) -> None:
    listed = list(ids)
    model = UserNeighborsRecommender().fit(
        [(listed[u], listed[i], r) for u, i, r in zip(*FORMS["arrays"], strict=True)]
    )
    plain = UserNeighborsRecommender().fit(FORMS["arrays"])
    items, scores = model.recommend(listed[0], n=6)
    wanted, same = plain.recommend(0, n=6)
    assert set(items.tolist()) == {listed[i] for i in wanted}
    np.testing.assert_allclose(np.sort(scores), np.sort(same))
    assert model.predict(listed[0], listed[5]) == pytest.approx(plain.predict(0, 5))


def test_a_pair_that_stands_twice() -> None:
    rows = [("a", "x", 1), ("a", "y", 2), ("a", "x", 4)]
    for rule, value in (("mean", 2.5), ("last", 4), ("sum", 5)):
        assert BaselineRecommender().set_params(duplicates=rule).fit(rows).ratings_.toarray().tolist() == [[value, 2]]
    with pytest.raises(DataError, match="more than once"):
        BaselineRecommender(duplicates="refuse").fit(rows)
    assert PopularItems(by="sum").fit(rows).item_score_.tolist() == [5, 2]


@pytest.mark.parametrize("odd", ["5", "good", np.datetime64("2024-01-01")], ids=str)
def test_ratings_are_numbers(odd: Any) -> None:
    with pytest.raises(DataTypeError, match="ratings must be numbers"):
        BaselineRecommender().fit([("a", "x", odd), ("b", "x", odd)])
    assert BaselineRecommender().fit([("a", "x", True), ("b", "x", False)]).mean_ == 0.5


def test_one_rating_is_enough() -> None:
    for model in ALL:
        found = fitted(clone(model), [(0, 0, 4)])
        assert 0 not in found.recommend(0)[0].tolist()
        assert np.isfinite(found.predict(0, 0))
    assert ItemNeighborsRecommender().fit([("a", "x", 4)]).predict("a", "x") == 4


def test_users_of_a_matrix_without_ratings_are_known() -> None:
    model = BaselineRecommender().fit(sp.csr_array(([3.0, 4.0], ([0, 2], [1, 1])), shape=(4, 3)))
    assert model.users_.tolist() == [0, 1, 2, 3]
    assert model.user_bias_[[1, 3]].tolist() == [0, 0]
    for other in ALL[1:5]:
        assert np.isfinite(clone(other).fit(sp.csr_array(([3.0, 4.0], ([0, 2], [1, 1])), shape=(4, 3))).predict(3, 0))


def test_unknown_users_and_items_are_answered_from_the_other() -> None:
    user = UserNeighborsRecommender().fit(FRAME)
    assert user.predict(99, 0) == pytest.approx(np.nanmean(BOOKS[:, 0]))
    assert user.predict(0, 99) == pytest.approx(np.nanmean(BOOKS[0]))
    assert user.predict(99, 99) == pytest.approx(np.nanmean(BOOKS))
    item = ItemNeighborsRecommender().fit(FRAME)
    assert item.predict(0, 99) == pytest.approx(np.nanmean(BOOKS[0]))
    base = BaselineRecommender().fit(FRAME)
    assert base.predict(99, 2) == pytest.approx(base.mean_ + base.item_bias_[2])
    with pytest.raises(UnknownNameError, match="99 has none"):
        user.recommend(99)


def test_a_single_user_or_item_goes_with_all() -> None:
    model = BaselineRecommender().fit(FRAME)
    every = model.predict(np.zeros(6, dtype=int), np.arange(6))
    np.testing.assert_array_equal(model.predict(0, np.arange(6)), every)
    np.testing.assert_array_equal(model.predict(FRAME[["user", "item"]]), model.predict(USERS, ITEMS))
    assert isinstance(model.predict(0, 1), float)
    np.testing.assert_array_equal(model.predict((0, 1), (2, 3)), model.predict([0, 1], [2, 3]))
    assert len(model.predict(0, [])) == 0
