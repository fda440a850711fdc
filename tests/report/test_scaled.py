"""Models around which the target is scaled: where their settings are, how their answers are shown, and their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline

import pellucid
from pellucid.neural_network import MLPRegressor
from pellucid.preprocessing import StandardScaler
from pellucid.report.candidates import candidate_models
from pellucid.report.columns import Columns
from pellucid.report.study import StudyConfig, compared
from pellucid.report.target_scaling import fitted_inside, on_scaled_target, show_answer, with_settings_at
from pellucid.report.training import trained
from pellucid.svm import SVR, LinearSVR

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(80, 3))
Y = 5000 + 70 * X[:, 0] - 20 * X[:, 1] * X[:, 2] + RANDOM.normal(size=80)
MODELS: dict[str, Any] = {
    "linear": LinearSVR(random_state=0),
    "kernel": SVR(),
    "small network": MLPRegressor(hidden_layer_sizes=(4,), max_iter=30, random_state=0),
    "network": MLPRegressor(hidden_layer_sizes=(50,), max_iter=30, random_state=0),
}


@pytest.mark.filterwarnings("ignore")  # thirty epochs are few
@pytest.mark.parametrize("name", MODELS)
def test_the_working_ends_with_the_answer(name: str) -> None:
    model = on_scaled_target(MODELS[name]).fit(X, Y)
    for row in (0, 7):
        shown = show_answer(model, X[row : row + 1], row)
        assert shown.value("answer") == pytest.approx(model.predict(X[row : row + 1])[0], rel=1e-9)
        assert shown.value("target_mean") == pytest.approx(Y.mean())
        assert shown.value("target_sd") == pytest.approx(Y.std())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_a_file_holds_it(name: str, tmp_path: Path) -> None:
    model = make_pipeline(StandardScaler(), on_scaled_target(MODELS[name])).fit(X, Y)
    pellucid.save(model, tmp_path / "m.pellucid")
    again = pellucid.load(tmp_path / "m.pellucid")
    assert again.predict(X).tobytes() == model.predict(X).tobytes()
    assert type(fitted_inside(again[-1])) is type(MODELS[name])


def test_settings_are_the_models_own() -> None:
    plain, scaled = make_pipeline(SVR()), make_pipeline(on_scaled_target(SVR()))
    assert with_settings_at(plain) == ("svr", plain[-1])
    at, inside = with_settings_at(scaled)
    scaled.set_params(**{f"{at}__C": 7.0})
    assert inside.C == 7.0


def test_a_number_is_predicted_by_machines_and_networks_too() -> None:
    columns = Columns(numbers=("a", "b"))
    for for_classes in (True, False):
        names = [spec.name for spec in candidate_models(for_classes, columns)[0]]
        assert len(set(names)) == len(names)
        assert {"margin", "kernel", "network"} <= set(names)
    assert {"margin"} == {"margin", "kernel", "network"} & {
        spec.name for spec in candidate_models(False, Columns(texts=("said",)))[0]
    }


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_the_target_changes_nothing(scale: float) -> None:
    """Scores by R² are the same to rounding, whatever the target is counted in."""
    table = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y})
    names = ("margin", "kernel", "network")
    config = StudyConfig("y", "number", "r2", 0.05)
    one = compared(table, config, None).race
    other = compared(table.with_columns(pl.col("y") * scale), config, None).race
    for name in names:
        assert other.of(name).mean == pytest.approx(one.of(name).mean, abs=1e-3), name


def test_training_takes_the_inner_models_settings() -> None:
    table = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": Y})
    outcome = trained(table, "kernel", {"C": 5.0}, StudyConfig("y", "number"), None)
    assert fitted_inside(outcome.model[-1]).C == 5.0
    assert outcome.held.rows == 16
    with pytest.raises(pellucid.base.errors.ParameterError, match="SVR has no depth"):
        trained(table, "kernel", {"depth": 5}, StudyConfig("y", "number"), None)
