"""The small tree that imitates the model: what is printed of it decides as it does, and says what it counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.models.rules.conditions import holds
from pellucid.report.columns import Columns
from pellucid.report.explain import second_opinion
from pellucid.report.outcome import SurrogateModel, Task
from pellucid.report.task import MEASURES
from pellucid.rules.writing import RuleSet

TWO = Task("two classes", "", "y", (0, 1), 1, MEASURES["roc_auc"])
NUMBER = Task("number", "", "y", measure=MEASURES["neg_root_mean_squared_error"])


class Says:
    """A model whose predictions are known."""

    def __init__(self, rule: Any) -> None:
        self.rule = rule

    def predict(self, X: pl.DataFrame) -> Any:
        return np.array([self.rule(row) for row in X.iter_rows(named=True)])


def _opinion(table: pl.DataFrame, rule: Any, task: Task = TWO) -> SurrogateModel:
    numbers = tuple(name for name, kind in table.schema.items() if kind.is_numeric())
    columns = Columns(numbers, tuple(name for name in table.columns if name not in numbers))
    y = Says(rule).predict(table)
    found = second_opinion(Says(rule), table, table, y, task, columns, 0)
    assert found is not None
    return found


def _decided(rules: str, table: pl.DataFrame) -> list[Any]:
    """What the printed rules say of each row; exactly one of them must hold."""
    parsed = RuleSet.from_text("\n".join(line.split("  #")[0] for line in rules.splitlines()))
    fired = [[rule.then for rule in parsed.rules if holds(rule.when, row)] for row in table.iter_rows(named=True)]
    assert {len(one) for one in fired} == {1}
    return [one[0] for one in fired]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_printed_limits_decide_the_same_rows(scale: float) -> None:
    """Two limits of one column differ in the third digit only, and all of them have many."""
    a = np.random.default_rng(0).uniform(1, 1.02, 400) * scale
    limits = np.sort(a)[[150, 160]]
    table = pl.DataFrame({"a": a})
    found = _opinion(table, lambda row: int(limits[0] < row["a"] <= limits[1]))
    assert _decided(found.rules, table) == [int(limits[0] < value <= limits[1]) for value in a]
    assert found.agrees == 1
    lines = [line.split(":")[0].strip("| ") for line in found.text.splitlines()]
    assert len(set(lines)) == 4  # two limits, two sides each
    for line in lines:
        assert line.split()[-1] in found.rules
    assert all(len(line.split()[-1].replace(".", "").split("e")[0].rstrip("0")) < 8 for line in lines)


def test_a_mean_has_few_digits() -> None:
    table = pl.DataFrame({"a": np.arange(40.0)})
    found = _opinion(table, lambda row: 10 / 3 if row["a"] < 20 else 100 / 7, NUMBER)
    assert found.rules == "IF a <= 19.5 THEN 3.33333\nIF a > 19.5 THEN 14.2857"


def test_missing_values_are_named_where_there_are_some() -> None:
    words = ["n", "y", None] * 40
    table = pl.DataFrame({"vote": words, "age": [None if k % 7 == 0 else float(k) for k in range(120)]})
    found = _opinion(table, lambda row: int(row["vote"] is None and (row["age"] is None or row["age"] > 50)))
    assert "vote is missing" in found.text
    assert "or missing" in found.text
    assert "{}" not in found.text + found.tree
    assert _decided(found.rules, table) == [
        int(vote is None and (age is None or age > 50)) for vote, age in table.iter_rows()
    ]
    without = table.drop_nulls()
    found = _opinion(without, lambda row: int(row["age"] > 50))
    assert "missing" not in (found.text + found.rules).lower()


def test_a_split_between_missing_and_known_numbers_says_so() -> None:
    ages = [None if k % 3 == 0 else float(k) for k in range(120)]
    table = pl.DataFrame({"age": ages, "b": [k % 5 for k in range(120)]})
    found = _opinion(table, lambda row: int(row["age"] is None))
    assert found.text == "age is not missing: 0 (80)\nage is missing: 1 (40)\n"
    assert "inf" not in found.tree + found.rules


def test_counts_are_those_of_the_model() -> None:
    table = pl.DataFrame({"a": np.arange(200.0)})
    found = _opinion(table, lambda row: int(row["a"] >= 100))
    assert found.rules == (
        "IF a <= 99.5 THEN 0  # 100 covered, 100 as the model predicts\n"
        "IF a > 99.5 THEN 1  # 100 covered, 100 as the model predicts"
    )
    assert found.n_fitted == 200
