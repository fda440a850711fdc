"""The working of permutation importance: from scores to what a column is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.inspection import permutation_importance
from pellucid.linear_model import LinearRegression
from pellucid.working import Working, WorkingError, known, show

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(12, 7)), columns=list("abcdefg"))
Y = 3 * X["c"] + X["a"] + 0.1 * RNG.normal(size=12)
MODEL = LinearRegression().fit(X, Y)


def shown(**settings: Any) -> Working:
    return show(permutation_importance, MODEL, X, Y, **settings)


def test_every_form(tmp_path: Path) -> None:
    working = shown(random_state=0, n_repeats=3)
    for page in (working.to_text(), working.to_html(), working.to_markdown(), working.to_latex()):
        assert "Column c" in page
    assert working.to_excel(tmp_path / "working.xlsx").stat().st_size > 1000
    assert any("5 columns with the largest importance of 7" in note for note in working.notes)


def test_the_numbers_are_the_functions() -> None:
    found = permutation_importance(MODEL, X, Y, random_state=4, n_repeats=6)
    working = shown(random_state=4, n_repeats=6)
    best = int(np.argmax(found.importances_mean))
    assert working.value("baseline") == MODEL.score(X, Y)
    assert working.value("mean_1") == pytest.approx(found.importances_mean[best], rel=1e-12)
    assert working.value("sd_1") == pytest.approx(found.importances_std[best], rel=1e-9)


@pytest.mark.parametrize("seed", [0, None])
def test_the_permuted_column_gives_the_score_shown(seed: Any) -> None:
    """The order is that of the first repeat, also where the seed was drawn."""
    working = shown(random_state=seed, n_repeats=2)
    changed = X.copy()
    changed["c"] = working.value("permuted")
    assert MODEL.score(changed, Y) == pytest.approx(working.value("score_1")[0], rel=1e-12)


def test_drawn_rows_and_texts() -> None:
    assert any("Rows were drawn" in note for note in shown(max_samples=6, random_state=0).notes)
    assert "permuted" in shown(max_samples=12, random_state=0).cells


def test_several_scores_are_refused() -> None:
    with pytest.raises(WorkingError, match="a working shows one score; scoring gives r2, neg_max_error"):
        shown(scoring=["r2", "neg_max_error"])


def test_it_is_listed() -> None:
    assert "inspection.permutation_importance" in known()
