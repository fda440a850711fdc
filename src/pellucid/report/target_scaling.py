"""Models that want a target of mean 0 and standard deviation 1.

Support vector machines and networks have settings that are lengths on the scale of the target: the width of a tube, the
price of an error, the first steps of a descent. scikit-learn's `TransformedTargetRegressor` around them takes the
target to that scale and the answers back.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

from pellucid.calibration import CalibratedClassifierCV
from pellucid.preprocessing import StandardScaler
from pellucid.report.decision_working import show_decision
from pellucid.working import Working

CLOSE = 1e-7  # as the workings of the models inside, whose sums are added up in another order


def on_scaled_target(model: Any) -> TransformedTargetRegressor:
    """A model around which the target is scaled."""
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def with_settings_at(model: Pipeline) -> tuple[str, Any]:
    """The estimator of a pipeline whose settings a user knows, and the prefix of their names there."""
    step, last = model.steps[-1]
    if isinstance(last, TransformedTargetRegressor):
        return f"{step}__regressor", last.regressor
    return step, last


def fitted_inside(last: Any) -> Any:
    """The fitted model itself, inside of what scales its target, calibrates it or applies a threshold."""
    if isinstance(last, FixedThresholdClassifier):
        return fitted_inside(last.estimator_)
    if isinstance(last, CalibratedClassifierCV):
        return last.calibrated_classifiers_[0].estimator
    return last.regressor_ if isinstance(last, TransformedTargetRegressor) else last


def put_inside(last: Any, model: Any) -> Any:
    """The same step with another fitted model inside."""
    if isinstance(last, FixedThresholdClassifier):
        outer = copy(last)
        outer.estimator_ = put_inside(last.estimator_, model)
        return outer
    if isinstance(last, CalibratedClassifierCV):
        calibrated = copy(last)
        calibrated.calibrated_classifiers_ = [replace(last.calibrated_classifiers_[0], estimator=model)]
        return calibrated
    if not isinstance(last, TransformedTargetRegressor):
        return model
    other = copy(last)
    other.regressor_ = model
    return other


def show_answer(last: Any, row: Any, number: int) -> Working:
    """How the last step of a pipeline answers one prepared row, which has this number in the user's table."""
    working: Working = fitted_inside(last).show_predict(row, rows=[0])
    working.name_row(number)
    if isinstance(last, TransformedTargetRegressor):
        _scale_back(working, last, row)
    if isinstance(last, FixedThresholdClassifier | CalibratedClassifierCV):
        show_decision(working, last, row)
    return working


def _scale_back(w: Working, last: Any, row: Any) -> None:
    """The answer in the target's own unit, after the steps of the model inside."""
    told: Any = next(
        cell for cell in w.cells.values() if cell.attribute.startswith("predict(X)") or cell.name == "answers"
    )
    inner = told if np.ndim(told.value) == 0 else told[0, 0]
    mean, scale = float(last.transformer_.mean_[0]), float(last.transformer_.scale_[0])
    w.intro += " The model learned a target that was scaled: the last step takes the prediction back to its unit."
    w.step("The target's own unit", "The prediction times the standard deviation of the target, plus its mean.")
    m = w.given("target_mean", mean, symbol=r"\mu", label="mean of the target")
    s = w.given("target_sd", scale, symbol=r"\sigma", label="standard deviation of the target")
    answer = float(np.asarray(last.predict(row))[0])
    w.cell("answer", m + s * inner, symbol=r"\hat{y}", label="prediction", equals=answer,
           attribute="prediction", tolerance=CLOSE, scale=abs(mean) + abs(scale))  # fmt: skip
