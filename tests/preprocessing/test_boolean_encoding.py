"""BooleanEncoder: the reference, words of several languages, missing values, what comes back, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, ParameterError
from pellucid.preprocessing import BooleanEncoder
from pellucid.preprocessing.boolean_encoding import FALSE_WORDS, TRUE_WORDS
from pellucid.reference import boolean_encoding as reference

NAN = float("nan")


def column(values: Any) -> Any:
    return np.array(list(values), dtype=object)[:, None]


WORDS = st.sampled_from(["yes", "No", "ja", "nein", "OUI", "non", "male", "female", "x", "o", "", "s", "n", "si", "on"])


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, min_size=2, max_size=2, unique=True), st.lists(st.integers(0, 2), max_size=20))
def test_the_reference_says_the_same(pair: list[str], places: list[int]) -> None:
    values = [*pair, *([*pair, None][place] for place in places)]
    true = reference.true_value(values, TRUE_WORDS, FALSE_WORDS)
    model = BooleanEncoder().fit(column(values))
    assert model.true_values_ == [true]
    np.testing.assert_array_equal(model.transform(column(values))[:, 0], reference.encode(values, true))
    assert model.inverse_transform(model.transform(column(values)))[:, 0].tolist() == values


@pytest.mark.parametrize(
    ("values", "true"),
    [
        (["yes", "no"], "yes"), (["Ja", "Nein"], "Ja"), (["oui", "non"], "oui"), (["sí", "no"], "sí"),
        (["sim", "não"], "sim"), (["tak", "nie"], "tak"), (["да", "нет"], "да"), (["TRUE", "FALSE"], "TRUE"),
        (["on", "off"], "on"), (["female", "male"], "male"), (["t", "f"], "t"), (["m", "f"], "m"),
        (["defective", "no"], "defective"), (["yes", "unknown"], "yes"), (["x", "o"], "x"), ([2, 7], 7),
        ([0, 5], 5), ([True, False], True), (["1", "0"], "1"), ([-1, 1], 1), (["ja", "yes"], "yes"),
    ],
)  # fmt: skip
def test_the_value_that_means_true(values: list[Any], true: Any) -> None:
    model = BooleanEncoder(dtype=int).fit(column(values))
    assert model.true_values_ == [true]
    assert model.transform(column(values)).ravel().tolist() == [int(value == true) for value in values]


def test_no_word_means_both() -> None:
    assert not TRUE_WORDS & FALSE_WORDS
    assert all(word == word.casefold() for word in TRUE_WORDS | FALSE_WORDS)


def test_true_values_given() -> None:
    frame = pd.DataFrame({"sex": ["male", "female"], "paid": ["ja", "nein"]})
    assert BooleanEncoder(true_values={"sex": "female"}).fit(frame).true_values_ == ["female", "ja"]
    assert BooleanEncoder(true_values=["nein", "male"]).fit(frame).true_values_ == ["male", "nein"]
    assert BooleanEncoder(true_values={1: 0}).fit([[1, 0], [2, 1]]).transform([[1, 0], [2, 1]]).tolist() == [
        [0, 1],
        [1, 0],
    ]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.Categorical(["yes", "no", None]), "b": pd.array([True, None, False], dtype="boolean")}),
        pl.DataFrame({"a": pl.Series(["yes", "no", None], dtype=pl.Categorical), "b": [True, None, False]}),
        pa.table({"a": ["yes", "no", None], "b": [True, None, False]}),
        pd.DataFrame({"a": ["yes", "no", None], "b": [1.0, NAN, 0.0]}),
        pl.DataFrame({"a": pl.Series(["yes", "no", None], dtype=pl.Enum(["no", "yes"])), "b": [1, None, 0]}),
    ],
)
def test_frames_with_missing_values(frame: Any) -> None:
    model = BooleanEncoder().fit(frame)
    np.testing.assert_array_equal(model.transform(frame), [[1, 1], [0, NAN], [NAN, 0]])
    assert model.get_feature_names_out().tolist() == ["a", "b"]
    back = model.inverse_transform([[1, 0], [NAN, NAN]])
    assert back[0].tolist() == ["yes", 0]
    assert back[1, 0] is None or back[1, 0] != back[1, 0]


def test_a_column_of_one_value_or_none() -> None:
    X = [["yes", "no", "red", 1.0, None], ["yes", "no", "red", 1.0, None]]
    model = BooleanEncoder().fit(X)
    np.testing.assert_array_equal(model.transform(X), [[1, 0, 0, 1, NAN]] * 2)
    assert model.true_values_ == ["yes", None, None, 1.0, None]
    assert model.transform([["yes", "no", "red", 0.0, None]])[0, 3] == 0
    assert model.inverse_transform([[1, 0, 0, 1, NAN]])[0].tolist()[:4] == ["yes", "no", "red", 1.0]


def test_flags_come_out_as_flags() -> None:
    found = BooleanEncoder(dtype=bool).fit_transform(column(["ja", "nein"]))
    assert found.dtype == bool
    assert found.ravel().tolist() == [True, False]


def test_columns_of_numbers_are_kept() -> None:
    X = column(["ja", "nein", "ja"])
    wide = np.column_stack([X, np.array([1, 2.5, NAN], dtype=object), np.array([3, 4, 9], dtype=object)])
    model = BooleanEncoder(more="keep").fit(wide)
    np.testing.assert_array_equal(model.transform(wide), [[1, 0, 3], [0, 1, 4], [1, NAN, 9]])
    assert model.categories_[2] is None


def test_an_unknown_value_may_be_missing() -> None:
    model = BooleanEncoder(handle_unknown="missing").fit(column(["ja", "nein"]))
    np.testing.assert_array_equal(model.transform(column(["ja", "vielleicht", None])), [[1], [NAN], [NAN]])


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (
            lambda: BooleanEncoder().fit(pd.DataFrame({"tree": ["ash", "fir", "yew"]})),
            "BooleanEncoder: column 'tree' must have two values; it has 3: 'ash', 'fir', 'yew'.",
        ),
        (
            lambda: BooleanEncoder(more="keep").fit(column("abc")),
            "BooleanEncoder: column 'x0' must have two values or hold numbers; it holds 'a' in row 0.",
        ),
        (
            lambda: BooleanEncoder().fit(column(["ja", "nein"])).transform(column(["ja", "vielleicht"])),
            "BooleanEncoder: every value must be a known category; Found unknown categories ['vielleicht'] in column "
            "'x0' during transform (row 1).",
        ),
        (
            lambda: BooleanEncoder(dtype=int).fit(column(["ja", None])),
            "BooleanEncoder: dtype must be a float type where values are missing; column 'x0' has none in row 1, and "
            "dtype is int64.",
        ),
        (
            lambda: BooleanEncoder(true_values=["oui"]).fit(column(["ja", "nein"])),
            "BooleanEncoder: true_values must name one of the values of column 'x0'; it has 'ja', 'nein'.",
        ),
        (
            lambda: BooleanEncoder(true_values={"sex": "male"}).fit(column(["ja", "nein"])),
            "BooleanEncoder: true_values must name columns of the table; there is no column 'sex'; there are 'x0'.",
        ),
        (
            lambda: BooleanEncoder().fit(column(["ja", "nein"])).inverse_transform([[2]]),
            "BooleanEncoder: numbers of column 'x0' must be 0 or 1; got 2.0 in row 0.",
        ),
    ],
)
def test_refusals_are_one_sentence(act: Any, said: str) -> None:
    with pytest.raises(DataError) as caught:
        act()
    assert str(caught.value).splitlines()[0] == said


def test_a_parameter_is_refused() -> None:
    with pytest.raises(ParameterError, match="true_values must be 'auto', a list of values or a dict"):
        BooleanEncoder(true_values="yes").fit(column(["yes", "no"]))
