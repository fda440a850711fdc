"""What the pages of trees and rules show, beyond the numbers that are tied to the model."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError
from pellucid.linear_model import LinearRegression
from pellucid.rules import OneRClassifier, RuleClassifier
from pellucid.tree import C45Classifier, CHAIDRegressor, DecisionTreeClassifier, DecisionTreeRegressor

X = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        "color": ["red", "blue", "red", "green", "blue", "green", "red", "blue"],
    }
)
Y = np.array([1.0, 0.0, 4.0, 2.0, 9.0, 7.0, 8.0, 3.0])


@pytest.mark.parametrize("model", [DecisionTreeRegressor(), LinearRegression(), DecisionTreeClassifier()], ids=str)
def test_a_prediction_of_the_second_target_is_the_second_targets(model: Any) -> None:
    table = X[["size"]]
    both = np.column_stack([Y, 10 * Y]).astype(int)
    page = model.fit(table, both).show_predict(table, rows=[3], target=1)
    said = next(value for name in reversed(page.cells) if isinstance(value := page.value(name), float | int | str))
    assert float(said) == pytest.approx(float(model.predict(table)[3, 1]))
    for wrong in (2, -1):
        with pytest.raises(DataError, match=f"target must be between 0 and 1; got {wrong}"):
            model.show_predict(table, target=wrong)
    with pytest.raises(DataError, match="there is one target, number 0; got 1"):
        DecisionTreeRegressor().fit(table, Y).show_predict(table, target=1)


def _absolute(y: Any) -> float:
    return float(np.abs(y - np.median(y)).mean())


def _poisson(y: Any) -> float:
    mean = y.mean()
    return float(np.mean([v * np.log(v / mean) if v > 0 else 0.0 for v in y]))


@pytest.mark.parametrize(("criterion", "impurity"), [("absolute_error", _absolute), ("poisson", _poisson)])
def test_every_split_by_medians_and_by_deviance_is_on_the_page(criterion: Any, impurity: Any) -> None:
    page = DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(X, Y).show_fit(X, Y)
    cuts = X["size"].to_numpy()[:-1]
    parts = [(Y[X["size"] <= cut], Y[X["size"] > cut]) for cut in cuts]
    gains = [impurity(Y) - sum(len(part) * impurity(part) for part in pair) / len(Y) for pair in parts]
    np.testing.assert_allclose(page.value("s1_gain"), gains, atol=1e-12)
    means = X.assign(y=Y).groupby("color")["y"].mean().sort_values().index
    sets = [X["color"].isin(means[:k]) for k in (1, 2)]
    gains = [impurity(Y) - sum(one.sum() * impurity(Y[one]) for one in (inside, ~inside)) / len(Y) for inside in sets]
    np.testing.assert_allclose(page.value("s2_gain"), gains, atol=1e-12)


def test_a_leaf_says_whether_it_answers_with_a_mean_or_a_median() -> None:
    mean = DecisionTreeRegressor(max_depth=1).fit(X, Y)
    median = DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, Y)
    assert "the mean of their targets" in mean.show_predict(X, rows=[0]).to_text()
    assert "the median of their targets" in median.show_predict(X, rows=[0]).to_text()


def test_a_column_whose_cuts_gain_nothing_is_worked_out_too() -> None:
    """The gain of the best of many cuts is what it tells less log2(cuts) / n, here below zero."""
    table = X.assign(size=[2.0, 1.0, 5.0, 3.0, 4.0, 6.0, 8.0, 7.0])
    y = np.where(X["color"] == "red", "yes", "no")
    page = C45Classifier().fit(table, y).show_fit(table, y)
    assert page.value("gain_1") < 0
    assert "the column is not split" in page.to_text()


def test_formulas_have_no_terms_that_say_nothing() -> None:
    y = np.where(Y > 3, "yes", "no")
    pages = [
        OneRClassifier(min_bucket=1).fit(X, y).show_fit(X, y),
        RuleClassifier(rules="IF size > 4 THEN yes\nDEFAULT no").fit(X, y).show_fit(X, y),
        C45Classifier(min_samples_leaf=1).fit(X, y).show_fit(X, y),
        CHAIDRegressor(alpha_split=1).fit(X, Y).show_fit(X, Y),
    ]
    for page in pages:
        text = page.to_text()
        assert not re.search(r"\+ 0 [a-zA-Z]", text)
        assert "1 yᵢ" not in text
        assert "yᵢ = yᵢ" not in text
    assert "default, as it was given" in pages[1].to_text()


def test_a_case_within_a_case_stands_in_brackets() -> None:
    y = np.where(Y > 3, "yes", "no")
    text = DecisionTreeClassifier().fit(X, y).show_fit(X, y).to_text()
    assert "((1 if yᵢ = “no”, else 0) if xᵢ = a, else 0)" in text
