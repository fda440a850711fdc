"""Estimated costs: larger tables cost more. `python -m benchmarks.report_costs` compares them with measured times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pellucid.report.candidates import SUITE, candidate_models
from pellucid.report.columns import MOST_WORDS, Columns
from pellucid.report.costs import COSTS, Cost, Size
from pellucid.report.plan import make_plan, rows_within


@pytest.mark.parametrize("minutes", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(
    ("columns", "size"),
    [
        (Columns(numbers=tuple(f"x{j}" for j in range(30))), Size(1_000_000, 30, 30, 2)),
        (Columns(numbers=tuple(f"x{j}" for j in range(30))), Size(1_000_000, 30, 30, 1)),
        (Columns(numbers=("a",), categories=tuple(f"c{j}" for j in range(29))), Size(1_000_000, 30, 1_161, 5)),
        (Columns(texts=("text",)), Size(500_000, MOST_WORDS // 8, MOST_WORDS // 50, 2)),
        (Columns(texts=("text",)), Size(500_000, MOST_WORDS // 8, MOST_WORDS // 50, 20)),
    ],
    ids=["two classes", "a number", "many categories", "texts of two classes", "texts of twenty classes"],
)
def test_the_plan_for_a_large_table_stays_within_its_budget(columns: Columns, size: Size, minutes: float) -> None:
    """All that is estimated, comparison, search and last fit, is less than the time that was given; the rest of it is
    for reading, checks, explanations and the page. No clock is read: the same table gives the same plan."""
    plan = make_plan(candidate_models(size.classes > 1, columns)[0], size, minutes, folds=5)
    part = replace(size, rows=plan.rows)
    compared = plan.repeats * plan.folds * sum(spec.cost(part) for spec in plan.entrants)
    assert len(plan.entrants) > 2
    assert compared + plan.search + plan.last <= 60 * minutes
    for spec in plan.entrants:
        rows = rows_within(spec, size, plan.last)
        assert spec.cost(replace(size, rows=rows)) <= plan.last


def test_a_cost_is_what_its_formula_says() -> None:
    cost = Cost(start=1, column=2, row=3, cell=4, entry=5, split=6, plane=7, square=8, early=9, pair=10, product=11)
    # n = 4000 rows, p = 2, w = 3, c = 2
    each = 3 + 4 * 2 + 5 * 3 + 6 * 2 * 2 + 7 * 3 * 2 + 8 * 9
    assert cost.of(Size(4000, 2, 3, 3)) == 1 + 2 * 2 + 4000 * each + 9 * 3000 * 2 * 2 + 4000**2 * (10 + 11 * 3)
    assert replace(cost, alone=0.5).of(Size(4000, 2, 3, 3)) == cost.of(Size(4000, 2, 3, 3)) / 2


def test_every_entrant_has_a_cost_that_grows() -> None:
    assert {spec.name for spec in SUITE} == set(COSTS)
    for for_classes, classes in ((True, 2), (True, 5), (False, 1)):
        for spec in candidate_models(for_classes, Columns(numbers=("a",)))[0]:
            small = spec.cost(Size(1000, 10, 20, classes))
            assert 0 < small < spec.cost(Size(100_000, 10, 20, classes)) < np.inf
            assert small <= spec.cost(Size(1000, 20, 40, classes))
