"""Pictures of networks: what is drawn is what the model has."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.linear_model import LinearRegression
from pellucid.neural_network import MLPClassifier, MLPRegressor
from pellucid.plotting.networks import activation_curves, network_diagram, network_loss

mpl.use("Agg")
X = np.array([[0.1, 0.9], [0.4, 0.2], [0.8, 0.5], [0.3, 0.6]])
Y = np.array([0.0, 1.0, 1.0, 0.0])


def small() -> Any:
    return MLPRegressor(
        hidden_layer_sizes=2, activation="identity", solver="sgd", learning_rate_init=1e-300, max_iter=1, tol=None,
        coefs_init=[[[1.0, -2.0], [3.0, 4.0]], [[5.0], [-6.0]]], intercepts_init=[[0.5, 0.0], [7.0]],
    ).fit(X, Y)  # fmt: skip


def test_weights_are_lines_and_values_stand_in_the_units() -> None:
    ax = network_diagram(small(), [1.0, 1.0])
    assert len(ax.lines) == 6
    words = [text.get_text() for text in ax.texts]
    # hidden units 1 + 3 + 0.5 and -2 + 4; the output 5 * 4.5 - 6 * 2 + 7
    for value in ("4.5", "2.0", "17.5"):
        assert any(word.startswith(value) for word in words), (value, words)
    assert {"x1", "x2", "y"} <= set(words)


def test_wide_layers_are_cut() -> None:
    model = MLPClassifier(40, max_iter=1, tol=None, random_state=0).fit(X, ["a", "b", "b", "c"])
    ax = network_diagram(model)
    assert len(ax.lines) == 2 * 16 + 16 * 3
    assert "and 24 more" in [text.get_text() for text in ax.texts]


def test_the_loss_curve_is_the_models() -> None:
    model = MLPClassifier(3, max_iter=9, tol=None, random_state=0).fit(X, Y.astype(int))
    line = network_loss(model).lines[0]
    np.testing.assert_array_equal(line.get_ydata(), model.loss_curve_)


def test_bends_are_their_formulas() -> None:
    ax = activation_curves(["piecewise", "logistic"], a=2.0)
    z = np.asarray(ax.lines[0].get_xdata())
    at = int(np.argmin(np.abs(z - 1.0)))
    assert np.asarray(ax.lines[0].get_ydata())[at] == pytest.approx(0.75)
    assert np.asarray(ax.lines[1].get_ydata())[at] == pytest.approx(1 / (1 + np.exp(-2.0)))


def test_other_things_are_refused() -> None:
    with pytest.raises(ParameterError, match="fitted network"):
        network_diagram(LinearRegression().fit(X, Y))
    with pytest.raises(DataError, match="row must have 2 numbers"):
        network_diagram(small(), [1.0])
    with pytest.raises(ParameterError, match="loss_curve_"):
        network_loss(MLPRegressor(hidden_layer_sizes=2, solver="lbfgs", max_iter=5, tol=None).fit(X, Y))
    with pytest.raises(ParameterError, match="kinds must be among"):
        activation_curves(["cube"])
