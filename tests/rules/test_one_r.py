"""One rule on one column: the book's figures, the reference, and odd data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError
from pellucid.models.rules.conditions import holds
from pellucid.reference.one_r import one_r
from pellucid.rules import OneRClassifier

from .weather import NAMES, NUMBERS, PLAY


def test_the_weather_of_the_book() -> None:
    """Errors of 14: outlook 4, temperature 5, humidity 4, windy 5; the first of equals is taken."""
    model = OneRClassifier().fit(NAMES, PLAY)
    assert model.errors_.tolist() == [4, 5, 4, 5]
    assert model.feature_name_ == "outlook"
    said = {str(rule.when.values[0]): rule.then for rule in model.rules_.rules}
    assert said == {"sunny": "no", "overcast": "yes", "rainy": "yes"}


def test_the_book_cuts_numbers_with_three_of_a_class() -> None:
    """Temperature at 77.5 with 5 errors, humidity at 82.5 and 95.5 with 3."""
    model = OneRClassifier(min_bucket=3).fit(NUMBERS, PLAY)
    assert [column.cuts.tolist() for column in model.columns_] == [[77.5], [82.5, 95.5]]
    assert model.errors_.tolist() == [5, 3]
    assert model.feature_name_ == "humidity"
    assert [rule.then for rule in model.rules_.rules] == ["yes", "no", "yes"]


def random_table(seed: int, n: int = 60) -> tuple[pd.DataFrame, Any, Any]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": np.round(random.normal(size=n), 1),
            "count": random.integers(0, 5, n).astype(float),
            "name": random.choice(["a", "b", "d", None], n),
        }
    )
    X.loc[random.random(n) < 0.1, "number"] = np.nan
    y = np.where(np.nan_to_num(X["number"]) + random.normal(size=n) > 0.3, "up", "down")
    return X, np.where(random.random(n) < 0.1, "flat", y), random.integers(0, 4, n).astype(float)


def plain(X: pd.DataFrame) -> list[list[Any]]:
    return [[None if pd.isna(v) else v for v in X[name]] for name in X]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("least", [1, 3, 6])
def test_the_kernel_is_the_reference(weighted: bool, least: int) -> None:
    for seed in range(8):
        X, y, weight = random_table(seed)
        weight = weight if weighted else None
        model = OneRClassifier(min_bucket=least).fit(X, y, weight)
        kept = None if weight is None else weight.tolist()
        best, errors, answers = one_r(plain(X), y.tolist(), [True, True, False], least, kept)
        np.testing.assert_allclose(model.errors_, errors)
        assert model.feature_ == best
        counted = [i for i in range(len(y)) if kept is None or kept[i] > 0]
        assert model.predict(X)[counted].tolist() == [answers[i] for i in counted]


def test_rules_say_what_is_predicted() -> None:
    for seed in range(4):
        X, y, _ = random_table(seed)
        model = OneRClassifier(min_bucket=2).fit(X, y)
        for row, label in zip(X.to_dict("records"), model.predict(X), strict=True):
            fired = [rule.then for rule in model.rules_.rules if holds(rule.when, row)]
            assert fired == [label]
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_what_fit_did_not_meet_gets_the_most_frequent_class() -> None:
    model = OneRClassifier().fit(pd.DataFrame({"c": ["a", "a", "b"]}), ["x", "x", "y"])
    later = pd.DataFrame({"c": ["b", "new", None]})
    assert model.predict(later).tolist() == ["y", "x", "x"]
    np.testing.assert_allclose(model.predict_proba(later)[1], [2 / 3, 1 / 3])


def test_a_missing_value_is_a_value_of_its_own() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, np.nan, np.nan], "all": [np.nan] * 4})
    model = OneRClassifier(min_bucket=1).fit(X, ["a", "a", "b", "b"])
    assert (model.feature_, model.errors_.tolist()) == (0, [0, 2])
    assert model.predict(X).tolist() == ["a", "a", "b", "b"]


def test_codes_of_categories_in_an_array() -> None:
    X = np.array([[0.0], [1.0], [2.0], [0.0], [1.0], [2.0]])
    y = ["a", "b", "a", "a", "b", "a"]
    assert OneRClassifier(categorical_features=[0]).fit(X, y).errors_.tolist() == [0]
    assert OneRClassifier().fit(X, y).errors_.tolist() == [2]  # six rows are one interval
    assert OneRClassifier(categorical_features=[0]).fit(X, y).predict([[7.0], [0.5]]).tolist() == ["a", "a"]


def test_odd_numbers() -> None:
    X = np.array([[-1e308], [1e308], [np.nextafter(1e308, np.inf)], [5e-324], [-0.0], [0.0]])
    y = ["a", "b", "a", "b", "a", "a"]
    model = OneRClassifier(min_bucket=1).fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.errors_.tolist() == [0]
    narrow = OneRClassifier(min_bucket=1).fit(np.array([[1.0], [1 + 2**-23]], dtype=np.float32), ["a", "b"])
    assert narrow.predict(np.array([[1.0], [1 + 2**-23]], dtype=np.float32)).tolist() == ["a", "b"]


def test_two_targets_are_refused() -> None:
    with pytest.raises(DataError, match="one column of labels"):
        OneRClassifier().fit([[1], [2], [3]], [["a", "b"], ["b", "a"], ["a", "a"]])
