"""Estimated costs: larger tables cost more. `python -m benchmarks.report_costs` compares them with measured times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pellucid.report.columns import Columns
from pellucid.report.costs import COSTS, Cost, Size
from pellucid.report.suite import SUITE, suite_for


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
