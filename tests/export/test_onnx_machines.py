"""Support vector machines and networks as ONNX, on rows that they have not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor

from pellucid.base.errors import DataTypeError
from pellucid.export.onnx import to_onnx
from pellucid.neural_network import MLPClassifier, MLPRegressor
from pellucid.preprocessing import MinMaxScaler, StandardScaler
from pellucid.svm import SVC, SVR, LinearSVC, LinearSVR

from .test_onnx import agree, classes, numbers

LATER = numbers(120, seed=7)
KERNELS: list[dict[str, Any]] = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "poly", "degree": 3, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.05},
]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_linear_machines(k: int) -> None:
    X = numbers(150)
    agree(LinearSVC(random_state=0).fit(X, classes(X, k)), LATER)


@pytest.mark.parametrize(
    "model", [LinearSVR(random_state=0, C=5.0, tol=0.1), SVR(C=2.0)], ids=lambda model: type(model).__name__
)
def test_machines_of_numbers(model: Any) -> None:
    X = numbers(150)
    agree(model.fit(X, X @ [1.0, -2, 0, 3] + np.sin(X[:, 0])), LATER)


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()], ids=lambda scaler: type(scaler).__name__)
@pytest.mark.parametrize(
    "model",
    [
        LinearSVR(random_state=0, tol=0.1),
        SVR(),
        MLPRegressor(hidden_layer_sizes=(8,), max_iter=40, tol=None, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_target_that_was_scaled_is_taken_back(model: Any, scaler: Any) -> None:
    X = numbers(150)
    y = 4000 + 30 * (X @ [1.0, -2, 0, 3]) + np.sin(X[:, 0])
    agree(TransformedTargetRegressor(model, transformer=scaler).fit(X, y), LATER)


def test_a_target_through_a_function_is_refused() -> None:
    X = numbers(60)
    model = TransformedTargetRegressor(SVR(), func=np.log, inverse_func=np.exp).fit(X, np.exp(X[:, 0]))
    with pytest.raises(DataTypeError, match="whose target goes through FunctionTransformer"):
        to_onnx(model)


@pytest.mark.parametrize("settings", KERNELS, ids=lambda settings: settings["kernel"])
@pytest.mark.parametrize("k", [2, 3])
def test_kernel_machines(settings: dict[str, Any], k: int) -> None:
    X = numbers(150)
    agree(SVC(**settings).fit(X, classes(X, k)), LATER)


@pytest.mark.parametrize("settings", [{"decision_function_shape": "ovo"}, {"break_ties": True}], ids=str)
def test_machines_of_several_classes(settings: dict[str, Any]) -> None:
    X = numbers(150)
    agree(SVC(**settings).fit(X, classes(X, 4)), LATER)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_probabilities_of_machines(k: int) -> None:
    """Far rows too, where sigmoids are cut off."""
    X = numbers(150)
    rows = np.vstack([LATER, 50 * LATER, np.zeros((1, 4))])
    found = agree(SVC(kernel="linear", probability=True, random_state=0).fit(X, classes(X, k)), rows)
    assert found["probabilities"].shape == (len(rows), k)
    assert found["probabilities"].min() >= 0


def test_probabilities_that_were_not_fitted_are_not_written() -> None:
    X = numbers(60)
    model = SVC().fit(X, classes(X, 3)).set_params(probability=True)
    assert "probabilities" not in agree(model, LATER)


def test_a_kernel_that_is_a_function_is_refused() -> None:
    X = numbers(60)
    with pytest.raises(DataTypeError, match="kernel that is a function"):
        to_onnx(SVC(kernel=lambda a, b: a @ b.T).fit(X, classes(X, 2)))


@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize("k", [2, 3])
def test_networks_of_classes(activation: Any, k: int) -> None:
    X = numbers(150)
    model = MLPClassifier(hidden_layer_sizes=(6, 4), activation=activation, max_iter=20, random_state=0, tol=None)
    agree(model.fit(X, classes(X, k)), LATER)


def test_networks_of_numbers() -> None:
    X = numbers(150)
    model = MLPRegressor(hidden_layer_sizes=(6,), max_iter=20, random_state=0, tol=None)
    agree(model.fit(X, X @ [1.0, -2, 0, 3]), LATER)
    agree(model.fit(X, np.column_stack([X[:, 0], X @ [1.0, 2, 3, 4]])), LATER)
