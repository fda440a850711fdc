"""A feed-forward network in plain NumPy: forward sweep, backpropagation, and the steps of Adam and momentum.

Layers are a list of pairs (W, b); W has a row for each input and a column for each unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Array = NDArray[Any]
Layers = list[tuple[Floats, Floats]]


def bend(kind: str, z: Floats) -> Floats:
    """f(z) of one layer."""
    if kind == "logistic":
        return np.asarray(1 / (1 + np.exp(-z)))
    if kind == "tanh":
        return np.asarray(np.tanh(z))
    if kind == "relu":
        return np.maximum(z, 0)
    if kind == "exp":
        return np.asarray(np.exp(z))
    if kind == "softmax":
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True))
    return z


def slope(kind: str, a: Floats) -> Floats:
    """f'(z), told by a = f(z)."""
    if kind == "logistic":
        return a * (1 - a)
    if kind == "tanh":
        return 1 - a**2
    if kind == "relu":
        return (a > 0).astype(float)
    return np.ones_like(a)


def forward(X: Floats, layers: Layers, hidden: str, output: str) -> list[Floats]:
    """a_0 = X, a_1, ..., a_L: the values of every layer for every row."""
    values = [np.asarray(X, dtype=float)]
    for number, (W, b) in enumerate(layers, start=1):
        values.append(bend(output if number == len(layers) else hidden, values[-1] @ W + b))
    return values


def cost(y: Floats, a: Floats, loss: str, output: str) -> Floats:
    """l of each row, summed over the outputs."""
    if loss == "squared_error":
        return np.asarray(((a - y) ** 2).sum(axis=1) / 2)
    positive = np.where(y > 0, y, 1.0)
    if loss == "poisson":
        return np.asarray((y * np.log(positive / a) - y + a).sum(axis=1))
    if output == "softmax":
        return np.asarray(-(y * np.log(a)).sum(axis=1))
    return np.asarray(-(y * np.log(a) + (1 - y) * np.log(1 - a)).sum(axis=1))


def backward(values: list[Floats], y: Floats, layers: Layers, hidden: str, output: str, loss: str) -> list[Floats]:
    """delta_1 ... delta_L: the slope of each row's loss by z of every layer."""
    last = values[-1] - y
    deltas = [last * slope(output, values[-1]) if loss == "squared_error" else last]
    for number in range(len(layers) - 1, 0, -1):
        deltas.insert(0, (deltas[0] @ layers[number][0].T) * slope(hidden, values[number]))
    return deltas


def gradient(
    X: Floats,
    y: Floats,
    layers: Layers,
    hidden: str = "relu",
    output: str = "identity",
    loss: str = "squared_error",
    alpha: float = 0.0,
    weight: Floats | None = None,
) -> tuple[float, Layers]:
    """F of some rows and its slopes by every weight and bias."""
    s = np.ones(len(y)) if weight is None else weight
    values = forward(X, layers, hidden, output)
    deltas = [s[:, None] * delta for delta in backward(values, y, layers, hidden, output, loss)]
    squares = sum(float((W**2).sum()) for W, _ in layers)
    F = (float(s @ cost(y, values[-1], loss, output)) + alpha / 2 * squares) / s.sum()
    gradients = [
        ((a.T @ delta + alpha * W) / s.sum(), delta.sum(axis=0) / s.sum())
        for a, delta, (W, _) in zip(values, deltas, layers, strict=False)
    ]
    return F, gradients


class Momentum:
    """v <- mu v - rate g;  theta <- theta + v, or, looking ahead, theta + mu v - rate g (Nesterov)."""

    def __init__(self, rate: float, mu: float = 0.9, nesterov: bool = True) -> None:
        self.rate, self.mu, self.nesterov = rate, mu, nesterov
        self.v: list[Floats] = []

    def step(self, theta: list[Floats], g: list[Floats]) -> list[Floats]:
        self.v = self.v or [np.zeros_like(array) for array in theta]
        self.v = [self.mu * v - self.rate * array for v, array in zip(self.v, g, strict=True)]
        moves = (
            [self.mu * v - self.rate * array for v, array in zip(self.v, g, strict=True)] if self.nesterov else self.v
        )
        return [array + move for array, move in zip(theta, moves, strict=True)]


class Adam:
    """Steps by the running mean of the gradient over the root of the running mean of its square."""

    def __init__(self, rate: float = 0.001, b1: float = 0.9, b2: float = 0.999, epsilon: float = 1e-8) -> None:
        self.rate, self.b1, self.b2, self.epsilon, self.t = rate, b1, b2, epsilon, 0
        self.m: list[Floats] = []
        self.v: list[Floats] = []

    def step(self, theta: list[Floats], g: list[Floats]) -> list[Floats]:
        self.t += 1
        self.m = self.m or [np.zeros_like(array) for array in theta]
        self.v = self.v or [np.zeros_like(array) for array in theta]
        self.m = [self.b1 * m + (1 - self.b1) * array for m, array in zip(self.m, g, strict=True)]
        self.v = [self.b2 * v + (1 - self.b2) * array**2 for v, array in zip(self.v, g, strict=True)]
        rate = self.rate * np.sqrt(1 - self.b2**self.t) / (1 - self.b1**self.t)
        return [
            array - rate * m / (np.sqrt(v) + self.epsilon) for array, m, v in zip(theta, self.m, self.v, strict=True)
        ]


def train(
    X: Floats,
    y: Floats,
    layers: Layers,
    steps: Momentum | Adam,
    batches: list[list[Array]],
    hidden: str = "relu",
    output: str = "identity",
    loss: str = "squared_error",
    alpha: float = 0.0,
    weight: Floats | None = None,
) -> tuple[Layers, list[float]]:
    """Layers after all epochs, and F of each: `batches` holds the row numbers of every batch of every epoch."""
    curve = []
    for epoch in batches:
        total = 0.0
        for rows in epoch:
            s = None if weight is None else weight[rows]
            F, gradients = gradient(X[rows], y[rows], layers, hidden, output, loss, alpha, s)
            total += F * len(rows)
            theta = [array for layer in layers for array in layer]
            theta = steps.step(theta, [array for layer in gradients for array in layer])
            layers = list(zip(theta[::2], theta[1::2], strict=True))
        curve.append(total / sum(len(rows) for rows in epoch))
    return layers, curve
