"""Guessed costs: sizes that grow cost more, and a guess is near what a fit takes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.model_selection import cross_validate
from pellucid.report.columns import Columns
from pellucid.report.costs import COSTS, Cost, Size
from pellucid.report.suite import SUITE, suite_for

ROWS, FOLDS = 3000, 5
FAR = 6  # a busy machine makes a fit look longer; the guesses themselves are right within a factor of two or three


def table(classes: int) -> tuple[pl.DataFrame, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS, 8))
    f = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * random.normal(size=ROWS)
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(8)}).with_columns(
        town=pl.Series(random.choice(["Oslo", "Rome", "Bern", "Kiel"], ROWS))
    )
    return frame, f if classes == 1 else np.array(["no", "yes", "so"])[np.digitize(f, [0.0, 9.0][: classes - 1])]


def test_a_cost_is_what_its_formula_says() -> None:
    cost = Cost(start=1, column=2, row=3, cell=4, entry=5, split=6, plane=7, square=8, early=9, pair=10, product=11)
    # n = 4000 rows, p = 2, w = 3, c = 2
    each = 3 + 4 * 2 + 5 * 3 + 6 * 2 * 2 + 7 * 3 * 2 + 8 * 9
    assert cost.of(Size(4000, 2, 3, 3)) == 1 + 2 * 2 + 4000 * each + 9 * 3000 * 2 * 2 + 4000**2 * (10 + 11 * 3)
    assert replace(cost, alone=0.5).of(Size(4000, 2, 3, 3)) == cost.of(Size(4000, 2, 3, 3)) / 2


def test_every_entrant_has_a_cost_that_grows() -> None:
    assert {entrant.name for entrant in SUITE} == set(COSTS)
    for for_classes, classes in ((True, 2), (True, 5), (False, 1)):
        for entrant in suite_for(for_classes, Columns(numbers=("a",)))[0]:
            small = entrant.cost(Size(1000, 10, 20, classes))
            assert 0 < small < entrant.cost(Size(100_000, 10, 20, classes)) < np.inf
            assert small <= entrant.cost(Size(1000, 20, 40, classes))


def seconds(model: Any, X: pl.DataFrame, y: Any, fold: list[Any]) -> float:
    """Of the processor, for a fit and its answers."""
    begun = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cross_validate(model, X, y, cv=fold, error_score="raise")
    return process_time() - begun


@pytest.mark.parametrize("classes", [1, 2])
def test_a_guess_is_near_the_time_of_the_processor(classes: int) -> None:
    X, y = table(classes)
    columns = Columns(numbers=tuple(X.columns[:-1]), categories=("town",))
    order = np.random.RandomState(0).permutation(ROWS)
    fold = [(np.sort(order[ROWS // FOLDS :]), np.sort(order[: ROWS // FOLDS]))]
    few = [(np.sort(order[100:300]), np.sort(order[:100]))]
    far = {}
    for entrant in suite_for(classes > 1, columns)[0]:
        model = entrant.model(classes > 1, 0, columns)
        seconds(model, X, y, few)  # loads what it needs
        cost = COSTS[entrant.name][classes == 1]
        ratio = replace(cost, alone=1.0).of(Size(ROWS, 9, 12, classes)) / seconds(model, X, y, fold)
        if not 1 / FAR < ratio < FAR:
            far[entrant.name] = ratio
    assert not far
