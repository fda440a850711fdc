"""Answers by ``MLPRegressor``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import mlp as reference

from ..frame import Example, PathName, answers

Array = NDArray[np.float64]


def in_words(
    *,
    hidden_sums: Array,
    hidden: Array,
    output_sums: Array,
    outputs: Array,
    deltas: Array,
    hidden_deltas: Array,
    late_deltas: Array,
    first: Array,
    second: Array,
    before: float,
    outputs_after: Array,
    after: float,
) -> Mapping[str, Any]:
    """The figures under the names of the example; weights have a row for each unit, its bias first."""
    target = (0.0, 1.0)
    three = [round(float(output), 3) for output in outputs]
    four = [f"{round(three[k] * (1 - three[k]) * (target[k] - three[k]), 5):.5f}" for k in range(2)]
    return {
        "net of hidden units": hidden_sums,
        "h1": hidden[0],
        "h2": hidden[1],
        "y1": outputs[0],
        "y2": outputs[1],
        "delta_1 output": deltas[0],
        "delta_2 output": deltas[1],
        "w10 of layer 2 after the update": second[0, 0],
        "w20 of layer 2 after the update": second[1, 0],
        "whole W2 after the update": second,
        "hidden deltas (with the old W2)": hidden_deltas,
        "whole W1 after the update": first,
        "hidden deltas if the already corrected W2 is used (the order the source lists)": late_deltas,
        "error E before": before,
        "outputs after the update": outputs_after,
        "error E after": after,
        "trace: 1": {"hidden nets": hidden_sums},
        "trace: 2": {"output nets": output_sums},
        "trace: 3": {"delta_1": f"{three[0]}*(1-{three[0]})*({target[0]:g}-{three[0]})"},
        "trace: 4": {"delta_2": f"{three[1]}*(1-{three[1]})*({target[1]:g}-{three[1]})"},
        "trace: 5": {"w10": f"3 + 0.2*({_cut(deltas[0])})*1"},
        "trace: 6": {"w20": f"-2 + 0.2*{four[1]}*1"},
    }


def _cut(delta: float) -> str:
    """Five digits, the rest cut off: as the source writes its first delta."""
    return f"{np.trunc(delta * 1e5) / 1e5:.5f}"


@answers("003-mlp-forward-and-backprop")
def one_step(example: Example, path: PathName) -> Mapping[str, Any]:
    """Sweep, deltas and update of one row; deltas have the textbook's sign, target less output."""
    x, t = np.array([example.data["x"]]), np.array([example.data["target"]])
    given = [np.array(example.data[name]) for name in ("W1_rows_bias_x1_x2", "W2_rows_bias_h1_h2")]
    layers = [(W[:, 1:].T, W[:, 0]) for W in given]
    rate = example.settings["learning_rate"]
    return by_reference(x, t, layers, rate) if path == "reference" else by_kernel(x, t, layers, rate)


def by_reference(x: Array, t: Array, layers: reference.Layers, rate: float) -> Mapping[str, Any]:
    values = reference.forward(x, layers, "logistic", "logistic")
    hidden_deltas, deltas = reference.backward(values, t, layers, "logistic", "logistic", "squared_error")
    new, curve = reference.train(x, t, layers, reference.Momentum(rate, 0.0), [[np.array([0])]], "logistic", "logistic")
    later = reference.forward(x, new, "logistic", "logistic")[-1]
    return in_words(
        hidden_sums=(x @ layers[0][0] + layers[0][1])[0],
        hidden=values[1][0],
        output_sums=(values[1] @ layers[1][0] + layers[1][1])[0],
        outputs=values[2][0],
        deltas=-deltas[0],
        hidden_deltas=-hidden_deltas[0],
        late_deltas=-((deltas @ new[1][0].T) * reference.slope("logistic", values[1]))[0],
        first=np.column_stack([new[0][1], new[0][0].T]),
        second=np.column_stack([new[1][1], new[1][0].T]),
        before=curve[0],
        outputs_after=later[0],
        after=float(((later - t) ** 2).sum() / 2),
    )


def by_kernel(x: Array, t: Array, layers: reference.Layers, rate: float) -> Mapping[str, Any]:
    """Everything is read off answers and moved weights: a bias moves by the rate times its unit's delta."""
    from pellucid.neural_network import MLPRegressor

    def network(parts: reference.Layers, output: Any, **settings: Any) -> Any:
        sizes = tuple(len(b) for _, b in parts[:-1])
        target = t if settings else np.zeros((1, len(parts[-1][1])))
        run: dict[str, Any] = {"learning_rate_init": 1e-300, **settings}
        return MLPRegressor(
            hidden_layer_sizes=sizes, activation="logistic", out_activation=output, solver="sgd", momentum=0.0,
            alpha=0.0, batch_size=1, max_iter=1, tol=None, coefs_init=[W for W, _ in parts],
            intercepts_init=[b for _, b in parts], **run,
        ).fit(x, target)  # fmt: skip

    model = network(layers, "logistic", learning_rate_init=rate)
    moved = [(b - old) / rate for b, (_, old) in zip(model.intercepts_, layers, strict=True)]
    hidden = network(layers[:1], "logistic").predict(x)[0]
    outputs, later = network(layers, "logistic").predict(x)[0], model.predict(x)[0]
    return in_words(
        hidden_sums=network(layers[:1], "identity").predict(x)[0],
        hidden=hidden,
        output_sums=network(layers, "identity").predict(x)[0],
        outputs=outputs,
        deltas=moved[1],
        hidden_deltas=moved[0],
        late_deltas=hidden * (1 - hidden) * (model.coefs_[1] @ moved[1]),
        first=np.column_stack([model.intercepts_[0], model.coefs_[0].T]),
        second=np.column_stack([model.intercepts_[1], model.coefs_[1].T]),
        before=model.loss_,
        outputs_after=later,
        after=float(((later - t) ** 2).sum() / 2),
    )
