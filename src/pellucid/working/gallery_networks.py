"""Worked examples about networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.neural_network import MLPRegressor
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.matrix import Block, Grid
from pellucid.working.model import Working


def _block(w: Working, name: str) -> Block:
    block = w.cells[name]
    assert isinstance(block, Block)
    return block


@example("003-mlp-forward-and-backprop")
def one_step(e: Example) -> Working:
    X, y = np.array([e.data["x"]]), np.array([e.data["target"]])
    first, second = np.array(e.data["W1_rows_bias_x1_x2"]), np.array(e.data["W2_rows_bias_h1_h2"])
    settings: dict[str, Any] = {"solver": "sgd", "momentum": 0.0, "alpha": 0.0, "batch_size": 1, "max_iter": 1}
    model = MLPRegressor(
        hidden_layer_sizes=2,
        activation="logistic",
        out_activation="logistic",
        learning_rate_init=e.settings["learning_rate"],
        tol=None,
        coefs_init=[first[:, 1:].T, second[:, 1:].T],
        intercepts_init=[first[:, 0], second[:, 0]],
        **settings,
    ).fit(X, y)
    w = parts_of(("fit", "", model.show_fit(X, y)), ("after", "After the update", model.show_predict(X)))
    w.step("Error after the update", "Half the squared errors of the new outputs, added up.")
    a, t = _block(w, "after.a_2"), _block(w, "fit.y")
    w.cell("error", (a[0, 0] - t[0, 0]) ** 2 / 2 + (a[0, 1] - t[0, 1]) ** 2 / 2, symbol="E", label="error")
    w.step("If the weights of the outputs were corrected first", "The hidden deltas would then go through new weights.")
    h, d, new = _block(w, "fit.a_1"), _block(w, "fit.delta_2"), _block(w, "fit.new_W_2")
    entries = [[(d[0, 0] * new[j, 0] + d[0, 1] * new[j, 1]) * (h[0, j] * (1 - h[0, j])) for j in range(2)]]
    w.block("late", Grid(entries, h.rows, h.columns), symbol="d", label="deltas of the hidden layer, too late")
    return w
