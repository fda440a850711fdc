"""Figures printed by sources that used scikit-learn's SGDRegressor: the seed alone brings them out of ours."""

from __future__ import annotations

import pytest

from .answers.sgd import by_row
from .frame import PATHS, load, needs


@pytest.mark.parametrize("name", ["002-sgdregressor-noisy-line", "002-ridge-by-sgd"])
def test_printed_figures_come_out_of_the_seed_alone(name: str) -> None:
    example = load(name)
    wanted = {figure.name: figure.value for figure in example.figures}
    for path in PATHS:
        needs(path)
        intercept, slope, epochs = by_row(example, path, "l2" if "ridge" in name else None)
        assert epochs == wanted["epochs run"]
        if "ridge" in name:
            assert abs(intercept + 1.5 * slope - wanted["prediction at x1 = 1.5"][0]) < 5e-9
        else:
            assert abs(intercept - wanted["intercept_"][0]) < 5e-9
            assert abs(slope - wanted["coef_"][0]) < 5e-8
