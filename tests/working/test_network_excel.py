"""Workbooks of networks, worked out by LibreOffice from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid.neural_network import MLPClassifier, MLPRegressor
from pellucid.working import Working
from pellucid.working.excel import layout, to_excel

from . import office

RNG = np.random.default_rng(3)
X = RNG.normal(size=(8, 2)).round(2)
NUMBERS = np.column_stack([X[:, 0] * X[:, 1], X[:, 0] - X[:, 1]]).round(2)
THREE = np.array(["ash", "elm", "oak"])[np.digitize(X[:, 0], [-0.4, 0.4])]
TWO = X[:, 1] > 0
COUNTS = np.array([0.0, 1, 2, 0, 3, 1, 0, 1])
WEIGHT = RNG.integers(1, 4, 8).astype(float)
RUN: dict[str, Any] = {"max_iter": 2, "tol": None, "random_state": 0}
MODELS: dict[str, tuple[Any, Any]] = {
    "adam, three classes": (MLPClassifier(3, "tanh", batch_size=4, **RUN), THREE),
    "nesterov, two classes": (MLPClassifier((3, 2), "relu", solver="sgd", learning_rate_init=0.1, **RUN), TWO),
    "squares of logistic outputs": (MLPClassifier(2, "logistic", loss="squared_error", **RUN), THREE),
    "lbfgs, two targets": (MLPRegressor(hidden_layer_sizes=2, activation="tanh", solver="lbfgs", **RUN), NUMBERS),
    "counts": (MLPRegressor("poisson", 2, "identity", **RUN), COUNTS),
    "wide": (MLPClassifier(30, **RUN), TWO),
}


def workings() -> dict[str, Working]:
    found = {}
    for name, (model, y) in MODELS.items():
        model.fit(X, y, WEIGHT)
        found[f"{name}: fit"] = model.show_fit(X, y, WEIGHT)
        found[f"{name}: predict"] = model.show_predict(X, rows=[0, 5])
    return found


@pytest.mark.slow
def test_the_workbooks_recalculate_to_the_workings(tmp_path: Path) -> None:
    shown = workings()
    files = {name: to_excel(one, tmp_path / f"{i}.xlsx") for i, (name, one) in enumerate(shown.items())}
    books = office.recalculate(list(files.values()), tmp_path / "office")
    wrong = {name: office.differences(one, books[files[name]], layout(one)) for name, one in shown.items()}
    assert not {name: found[:3] for name, found in wrong.items() if found}
