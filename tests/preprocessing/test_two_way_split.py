"""One cut a column: mathematics, the reference, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, ParameterError
from pellucid.preprocessing import TwoWaySplit
from pellucid.reference import two_way_split as reference

COLUMNS = st.lists(st.integers(-6, 6).map(float), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(st.data(), COLUMNS, st.booleans(), st.booleans())
def test_cuts_and_sides_agree_with_the_reference(data: Any, x: list[float], inclusive: bool, below: bool) -> None:
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(x), max_size=len(x)))
    X = np.array(x)[:, None]
    cut, gain = reference.best(x, y)
    wanted = {"median": reference.median(x), "mean": reference.mean(x), "best": cut}
    for how, v in wanted.items():
        model = TwoWaySplit(how, inclusive=inclusive, keep="below" if below else "above").fit(X, y)
        np.testing.assert_allclose(model.cuts_, [v], atol=1e-14)
        found = model.transform(X).ravel().tolist()
        assert found == reference.split(x, model.cuts_[0], inclusive, below)
    np.testing.assert_allclose(TwoWaySplit("best").fit(X, y).gains_, [gain], atol=1e-12)


def test_a_number_target_lowers_the_variance() -> None:
    """Variance 6.1875 of 0.5, 0.5, 5.5, 5.5 less none on both sides: all of it, (2.5)²."""
    model = TwoWaySplit("best").fit([[1], [2], [3], [4]], [0.5, 0.5, 5.5, 5.5])
    assert model.cuts_.tolist() == [2.5]
    np.testing.assert_allclose(model.gains_, [6.25])


@pytest.mark.parametrize("inclusive", [False, True])
def test_a_cut_between_neighboring_numbers_still_cuts(inclusive: bool) -> None:
    low = 1.0
    high = np.nextafter(low, 2)
    model = TwoWaySplit("best", inclusive=inclusive).fit([[low], [high]], ["a", "b"])
    assert model.transform([[low], [high]]).ravel().tolist() == [0, 1]
    assert "row" in model.show_fit([[low], [high]], ["a", "b"]).to_text()


def test_weights_count_like_rows_written_again() -> None:
    random = np.random.default_rng(0)
    X, w = np.round(random.normal(size=(40, 2)) * 4), random.integers(0, 4, size=40)
    y = random.integers(0, 3, size=40)
    for how in ("median", "mean", "best"):
        once = TwoWaySplit(how).fit(X, y, sample_weight=w)
        again = TwoWaySplit(how).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        np.testing.assert_allclose(once.cuts_, again.cuts_, atol=1e-14)
        assert once.show_fit(X, y, w).to_text()


def test_given_cuts_by_number_list_and_name() -> None:
    frame = pd.DataFrame({"age": [10.0, 30.0], "height": [1.5, 1.9]})
    wanted = [[0.0, 0.0], [1.0, 1.0]]
    assert TwoWaySplit([20, 1.7]).fit_transform(frame).tolist() == wanted
    model = TwoWaySplit({"height": 1.7, "age": 20})
    assert model.fit_transform(frame).tolist() == wanted
    assert model.get_feature_names_out().tolist() == ["age > 20", "height > 1.7"]
    assert TwoWaySplit(1.9, inclusive=True, keep="below").fit(frame).get_feature_names_out()[1] == "height < 1.9"


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        ("middle", "cut must be 'median'"),
        ([1, 2, 3], "one for each column; got 3 for 2 columns"),
        ([1.0], "one for each column; got 1 for 2 columns"),
        ({"a": 1}, "must name every column, and no other; no cut for 'b'"),
        ({"a": 1, "b": 2, "c": 3}, "no column 'c'"),
        (float("nan"), "cut must be"),
        (None, "cut must be"),
        ([1, "x"], "cut must be"),
    ],
)
def test_cuts_that_are_none_are_refused(cut: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        TwoWaySplit(cut).fit(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}))


def test_the_best_cut_needs_a_target() -> None:
    with pytest.raises(DataError, match="requires y to be passed"):
        TwoWaySplit("best").fit([[1.0], [2.0]])
