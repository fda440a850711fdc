"""Every estimator of the library is exported as it answers, or refused in one sentence that names it."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.base.errors import DataTypeError, PellucidError
from pellucid.export.onnx import to_onnx
from pellucid.linear_model import LinearRegression, LogisticRegression

from .test_onnx import agree, classes, numbers

pytestmark = pytest.mark.exhaustive  # every model in every language

AROUND: dict[str, dict[str, Any]] = {
    "CalibratedClassifierCV": {"estimator": LogisticRegression(), "cv": 3},
    "RFE": {"estimator": LinearRegression()},
    "RFECV": {"estimator": LinearRegression(), "cv": 3},
    "SelectFromModel": {"estimator": LinearRegression()},
    "SelectKBest": {"k": 2},
    "SelfTrainingClassifier": {"estimator": LogisticRegression()},
    "SequentialFeatureSelector": {"estimator": LinearRegression(), "cv": 3},
    "StackingClassifier": {"estimators": [("line", LogisticRegression())], "cv": 3},
    "StackingRegressor": {"estimators": [("line", LinearRegression())], "cv": 3},
    "VotingClassifier": {"estimators": [("line", LogisticRegression())]},
    "VotingRegressor": {"estimators": [("line", LinearRegression())]},
    "IsotonicRegression": {"out_of_bounds": "clip"},
    "BooleanEncoder": {"more": "keep"},
    "ID3Classifier": {"numbers": "categories"},
}
FACES = ("GradientBoosting", "BoostedTrees", "XGBoost", "LightGBM", "CatBoost", "RandomForest", "ExtraTrees")
AROUND |= {f"{face}{kind}": {"n_estimators": 5} for face in FACES for kind in ("Classifier", "Regressor")}
NAMES = [name for name, _ in pellucid.all_estimators()]


def fitted(name: str, X: Any) -> Any:
    """An estimator fitted to numbers, with numbers or else classes as target; None where neither suits it."""
    for y in (X[:, 0] * X[:, 1], classes(X), (X[:, 0] > 0.7).astype(int)):
        model = dict(pellucid.all_estimators())[name](**AROUND.get(name, {}))
        try:
            return model.fit(X[:, :1] if name == "IsotonicRegression" else X, y)
        except (PellucidError, TypeError, ValueError):
            continue
    return None


@pytest.mark.parametrize("name", NAMES)
def test_written_or_refused(name: str) -> None:
    X = np.round(np.abs(numbers(80)), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fitted(name, X)
        if model is None:
            pytest.skip("it takes no numbers: tested with its own kind of table")
        rows = X[::3, :1] if name == "IsotonicRegression" else X[::3]
        said = refusal(model)
        if said:
            assert re.match(rf"to_onnx: {name}\b[^\n]+\.\nhint: [^\n]+\.$", said)
        else:
            agree(model, rows)


def refusal(model: Any) -> str:
    """The sentence with which a model is refused, or nothing."""
    try:
        to_onnx(model)
    except DataTypeError as error:
        return str(error)
    return ""
