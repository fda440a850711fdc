"""The working of self-training: rounds, who was sure enough, and the model's own labels at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from pellucid.semi_supervised import SelfTrainingClassifier
from pellucid.working import Working, WorkingError, known

RNG = np.random.default_rng(0)
CODES = np.arange(40) % 3
X = RNG.normal(size=(40, 2)) + 3 * np.column_stack([CODES, CODES == 1])
NUMBERS = np.where(np.arange(40) < 9, CODES, -1)
TEXTS = np.array(["ash", "birch", "cedar", None], dtype=object)[np.where(NUMBERS < 0, 3, CODES)]
SETTINGS: dict[str, dict[str, Any]] = {
    "threshold": {},
    "high threshold": {"threshold": 0.99},
    "no rounds": {"max_iter": 0},
    "surest": {"criterion": "k_best", "k_best": 12},
    "many rounds": {"criterion": "k_best", "k_best": 2, "max_iter": None},
}


def shown(y: Any = NUMBERS, base: Any = None, **settings: Any) -> tuple[Any, Working]:
    model = SelfTrainingClassifier(base or GaussianNB(), **settings).fit(X, y)
    working = model.show_fit(X, y)
    assert isinstance(working, Working)
    return model, working


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("y", [NUMBERS, TEXTS], ids=["numbers", "texts"])
def test_every_form(y: Any, settings: dict[str, Any], tmp_path: Path) -> None:
    model, working = shown(y, **settings)
    for page in (working.to_text(), working.to_html(), working.to_markdown(), working.to_latex()):
        assert "labeled in the end" in page
    assert working.to_excel(tmp_path / "working.xlsx").stat().st_size > 1000
    assert working.value("end") == (model.labeled_iter_ >= 0).sum()
    assert working.passes() == model.n_iter_


def test_a_round_is_the_models_own() -> None:
    model, working = shown(threshold=0.9)
    first = GaussianNB().fit(X[NUMBERS >= 0], NUMBERS[NUMBERS >= 0]).predict_proba(X[NUMBERS < 0])
    np.testing.assert_array_equal(working.value("best3_1"), first.max(axis=1))
    np.testing.assert_array_equal(working.value("label_1"), first.argmax(axis=1))
    np.testing.assert_array_equal(working.value("kept_1"), first.max(axis=1) > 0.9)
    np.testing.assert_array_equal(working.value("kept_1") > 0, model.labeled_iter_[NUMBERS < 0] == 1)


def test_ties_are_said() -> None:
    """One nearest neighbor is sure of everything."""
    _, working = shown(base=KNeighborsClassifier(n_neighbors=1), criterion="k_best", k_best=5)
    assert any("equally sure" in note for note in working.notes)


def test_long_runs_are_summed_up() -> None:
    model, working = shown(**SETTINGS["many rounds"])
    assert model.n_iter_ == 16
    assert "label_4" in working.cells
    assert "label_5" not in working.cells
    assert "label_16" in working.cells
    assert working.value("added_5") == 2


def test_other_data_are_refused() -> None:
    model = SelfTrainingClassifier(GaussianNB()).fit(X, NUMBERS)
    with pytest.raises(WorkingError, match=r"another \w+_\b"):
        model.show_fit(X[::-1], NUMBERS)


def test_texts_in_the_table_and_names() -> None:
    frame = pd.DataFrame(X, columns=["arm length", "width"])
    model = SelfTrainingClassifier(GaussianNB()).fit(frame, TEXTS)
    assert "arm length" in model.show_fit(frame, TEXTS).to_text()
    assert "probability of birch" in model.show_predict(frame, rows=[3]).to_text()


def test_predictions() -> None:
    model = SelfTrainingClassifier(GaussianNB()).fit(X, NUMBERS)
    working = model.show_predict(X, rows=[0, 30])
    np.testing.assert_array_equal(working.value("label"), model.predict(X)[[0, 30]])
    silent = SelfTrainingClassifier(Perceptron(), max_iter=0).fit(X, NUMBERS)
    np.testing.assert_array_equal(silent.show_predict(X, rows=[5]).value("prediction"), silent.predict(X)[[5]])


def test_it_is_listed() -> None:
    assert {"SelfTrainingClassifier.fit", "SelfTrainingClassifier.predict"} <= set(known())
