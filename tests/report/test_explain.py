"""Which columns' importance is measured, where there are too many for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.inspection import Importance
from pellucid.linear_model import LinearRegression, LogisticRegression
from pellucid.report import explain
from pellucid.report.candidates import SUITE
from pellucid.report.columns import Columns
from pellucid.report.explain import effects_of, importance_of, same_values, second_opinion
from pellucid.report.importance_text import most_important
from pellucid.report.outcome import Metric, Task
from pellucid.report.task import MEASURES
from pellucid.tree import DecisionTreeClassifier

ACCURACY: Metric = MEASURES["accuracy"]
LEAST, CELLS = 6, 16_000


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of what is measured else: each column takes answers for the whole table."""
    monkeypatch.setattr(explain, "LEAST_MEASURED", LEAST)
    monkeypatch.setattr(explain, "CELLS", CELLS)


def _fitted(columns: int, name: str) -> tuple[Any, pl.DataFrame, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, columns))
    table = pl.DataFrame({f"x{j}": X[:, j] for j in range(columns)})
    y = (X[:, 41] > 0).astype(int)
    spec = next(one for one in SUITE if one.name == name)
    return spec.model(True, 0, Columns(tuple(table.columns))).fit(table, y), table, y


def test_the_small_tree_tells_which_classes_it_never_predicts() -> None:
    """One row in 200 is of the second class, too few for a leaf of their own."""
    random = np.random.default_rng(0)
    table = pl.DataFrame({"a": random.normal(size=4000), "b": random.normal(size=4000)})
    y = ((table["a"] > 1.6) & (table["b"] > 1.3)).to_numpy().astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(table, y)
    task = Task("two classes", "", "y", (0, 1), 1, ACCURACY)
    opinion = second_opinion(model, table, table, y, task, Columns(("a", "b")), 0)
    assert opinion is not None
    assert opinion.agrees > 0.99
    assert opinion.never_predicted == ((1, int(y.sum())),)


def test_importances_of_a_rare_class_come_from_rows_of_it() -> None:
    """Two thousand rows drawn at random hold none of ten among forty thousand, and then there is no ROC AUC."""
    random = np.random.default_rng(0)
    table = pl.DataFrame({"a": random.normal(size=40_000), "b": random.normal(size=40_000)})
    a = table["a"].to_numpy()
    y = (a >= np.sort(a)[-10]).astype(int)
    model = LogisticRegression().fit(table, y)
    found = importance_of(model, table, y, MEASURES["roc_auc"], 0)
    assert found.importances_mean[0] > 0.3
    assert abs(found.importances_mean[1]) < 0.01
    assert most_important(found) == "Most important column: a."


def test_columns_that_do_not_vary_in_the_rows_are_told_from_those_that_do_not_matter() -> None:
    """The model asks for the year, which is the same in all the rows that are scored."""
    random = np.random.default_rng(0)
    year, x = np.repeat([2011.0, 2012.0], 100), random.normal(size=200)
    table = pl.DataFrame({"year": year, "x": x, "other": random.normal(size=200)})
    y = ((year == 2012) & (x > 0)).astype(int)
    model = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(table, y)
    held = table.tail(100)
    found = importance_of(model, held, y[-100:], ACCURACY, 0)
    assert (found.importances_mean > 0).tolist() == [False, True, False]
    assert same_values(held, found) == ("year",)


def test_few_columns_are_all_measured() -> None:
    model, table, y = _fitted(50, "tree")
    assert isinstance(model[-1], DecisionTreeClassifier)
    assert importance_of(model, table, y, ACCURACY, 0, ["x7"]).feature_names == table.columns


@pytest.mark.parametrize("columns", [400, 4000])
def test_of_many_those_are_measured_that_a_tree_asks_for_and_then_likely_ones(columns: int) -> None:
    model, table, y = _fitted(columns, "tree")
    found = importance_of(model, table, y, ACCURACY, 0, ["x7", "x9"])
    assert found.feature_names[:3] == ["x41", "x7", "x9"]
    assert len(found.feature_names) == max(LEAST, CELLS // columns)
    assert found.importances_mean[0] > 0.1
    assert not found.importances_mean[1:].any()  # the tree asks for one column alone


def test_a_model_without_an_account_of_its_own_is_asked_about_likely_columns() -> None:
    model, table, y = _fitted(4000, "linear")
    assert isinstance(model[-1], LogisticRegression)
    found = importance_of(model, table, y, ACCURACY, 0, ["x9", "x41"])
    assert found.feature_names[:2] == ["x9", "x41"]


def test_the_effect_of_a_column_of_nearly_equal_numbers_covers_its_range() -> None:
    """Most rows are 0, so that the 5th and the 95th percentile are equal and no grid lies between them."""
    x = np.zeros(500)
    x[:40] = [*range(-20, 0), *range(1, 21)]
    table = pl.DataFrame({"gain": x, "other": np.random.default_rng(0).normal(size=500)})
    model = LinearRegression().fit(table, x)
    importance = Importance(0.0, np.array([[-1.0, -1.0], [-0.5, -0.5]]), table.columns, 0)
    gain, other = effects_of(model, table, importance, Columns(("gain", "other")), 0)
    assert (gain.grid_values[0].min(), gain.grid_values[0].max()) == (-20, 20)
    assert other.grid_values[0].max() < table["other"].max()
