"""How networks learn and answer: the forward sweep, backpropagation and one update, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Expr, expr
from pellucid.working.language import dot, exp, ln, lookup, sqrt, sum_, tanh, where
from pellucid.working.matrix import Block, Grid
from pellucid.working.model import Working
from pellucid.working.shown.ridge import _chosen_rows, _largest

MOST_UNITS = 12  # of a layer, and columns
MOST_PARAMETERS = 200  # more are not recorded
MOST_ROWS = 12  # of a batch that is laid out
LARGEST = 600.0  # of a weighted sum: its exponential stays in range


def _added(items: list[Any]) -> Expr:
    return expr(reduce(add, items))


def _products(left: list[Any], right: list[Any]) -> Expr:
    return dot(left, right) if len(left) > 1 else expr(left[0] * right[0])


def _bend(kind: str, z: Expr) -> Expr:
    if kind == "logistic":
        return 1 / (1 + exp(-z))
    if kind == "tanh":
        return tanh(z)
    if kind == "relu":
        return where(z > 0, z, 0)
    return exp(z) if kind == "exp" else z + 0


def _slope(kind: str, a: Expr) -> Expr | None:
    """f'(z), told by a = f(z); None where it is 1."""
    if kind == "logistic":
        return a * (1 - a)
    if kind == "tanh":
        return 1 - a**2
    return where(a > 0, 1, 0) if kind == "relu" else None


_BEND_WORDS = {
    "identity": "as they are",
    "logistic": "passed through 1/(1 + e^-z)",
    "tanh": "passed through tanh z",
    "relu": "cut off at zero",
    "exp": "raised to e^z",
    "softmax": "raised to e^z and divided by the sum of the row",
}


def _values(model: Any, X: Floats, theta: list[tuple[Floats, Floats]]) -> tuple[list[Floats], float]:
    """a_0 ... of every layer but the last, and the largest weighted sum: what decides how much can be laid out."""
    a, largest, layer_values = X, 0.0, [X]
    with np.errstate(all="ignore"):
        for number, (W, b) in enumerate(theta):
            z = a @ W + b
            largest = max(largest, float(np.abs(z).max(initial=0.0)))
            if number + 1 == len(theta):
                break
            activations: dict[str, Any] = {"tanh": np.tanh, "logistic": lambda v: 1 / (1 + np.exp(-v))}
            a = np.maximum(z, 0) if model.activation == "relu" else activations.get(model.activation, lambda v: v)(z)
            layer_values.append(a)
    return layer_values, largest if np.isfinite(largest) else np.inf


@dataclass
class Sweep:
    """Some rows on their way through the layers, as blocks: rows x units."""

    w: Working
    model: Any
    rows: Axis
    layers: list[tuple[Block, Block]]
    axes: list[Axis]
    z: list[Block] = field(default_factory=list)
    a: list[Block] = field(default_factory=list)

    @property
    def last(self) -> int:
        return len(self.layers)

    def bend_of(self, number: int) -> str:
        return str(self.model.out_activation_ if number == self.last else self.model.activation)

    def forward(self, x: Block, mark: str = "") -> None:
        """z_l = a_(l-1) W_l + b_l and a_l = f(z_l)."""
        self.a = [x]
        for number, (W, b) in enumerate(self.layers, start=1):
            kind = self.bend_of(number)
            what = "Outputs" if number == self.last else f"Layer {number}"
            self.w.step(f"{what}{mark}", f"Weighted sums of the layer before, with the bias; {_BEND_WORDS[kind]}.")
            before, inputs = self.a[-1], range(len(self.axes[number - 1]))
            sums = [
                [
                    _products([before[r, i] for i in inputs], [W[i, j] for i in inputs]) + b[0, j]
                    for j in range(len(self.axes[number]))
                ]
                for r in range(len(self.rows))
            ]
            z = self._block(f"z_{number}{mark}", sums, number, f"z_{{{number}}}", "weighted sums")
            self.z.append(z)
            self.a.append(self._block(f"a_{number}{mark}", self._bent(z, kind, number), number, f"a_{{{number}}}",
                                      "outputs" if number == self.last else "values of the units"))  # fmt: skip

    def _bent(self, z: Block, kind: str, number: int) -> list[list[Expr]]:
        units, rows = range(len(self.axes[number])), range(len(self.rows))
        if kind != "softmax":
            return [[_bend(kind, z[r, j]) for j in units] for r in rows]
        return [[exp(z[r, j]) / _added([exp(z[r, i]) for i in units]) for j in units] for r in rows]

    def _block(self, name: str, entries: list[list[Expr]], number: int, symbol: str, label: str) -> Block:
        return self.w.block(name, Grid(entries, self.rows, self.axes[number]), symbol=symbol, label=label)

    def losses(self, y: Block) -> list[Expr]:
        """l of each row."""
        z, a, units = self.z[self.last - 1], self.a[self.last], range(len(self.axes[self.last]))
        target, loss, kind = np.asarray(y.value), self.model.loss, self.bend_of(self.last)
        if loss == "squared_error":
            return [_added([(a[r, j] - y[r, j]) ** 2 / 2 for j in units]) for r in range(len(self.rows))]
        if loss == "poisson":
            return [
                _added([_count_loss(y[r, j], a[r, j], float(target[r, j])) for j in units])
                for r in range(len(self.rows))
            ]
        if kind == "softmax":
            class_index = target.argmax(axis=1)
            return [
                ln(_added([exp(z[r, j]) for j in units])) - z[r, int(class_index[r])] for r in range(len(self.rows))
            ]
        return [ln(1 + exp(-z[r, 0] if target[r, 0] == 1 else z[r, 0])) for r in range(len(self.rows))]

    def backward(self, y: Block, weight: Floats | None) -> list[Block]:
        """delta_L, then every layer before it; the rows' weights go in with the first."""
        units, rows = range(len(self.axes[self.last])), range(len(self.rows))
        a, squares = self.a[self.last], self.model.loss == "squared_error"
        formula = "a - y, times the slope of the bend" if squares else "a - y"
        self.w.step("Deltas of the outputs", f"How fast a row's loss grows with the weighted sum: {formula}.")

        def entry(r: int, j: int) -> Expr:
            steep = _slope(self.bend_of(self.last), a[r, j]) if squares else None
            delta = a[r, j] - y[r, j]
            delta = delta if steep is None else delta * steep
            return delta if weight is None else float(weight[r]) * delta

        deltas = [self._block(f"delta_{self.last}", [[entry(r, j) for j in units] for r in rows], self.last,
                              rf"\delta_{{{self.last}}}", "deltas of the outputs")]  # fmt: skip
        for number in range(self.last - 1, 0, -1):
            deltas.insert(0, self._delta(number, deltas[0]))
        return deltas

    def _delta(self, number: int, after: Block) -> Block:
        text = "Deltas of the layer after, taken back through its weights, times the slope of this layer's bend."
        self.w.step(f"Deltas of layer {number}", text)
        W, units = self.layers[number][0], range(len(self.axes[number]))
        later = range(len(self.axes[number + 1]))

        def entry(r: int, j: int) -> Expr:
            back = _products([after[r, k] for k in later], [W[j, k] for k in later])
            steep = _slope(self.bend_of(number), self.a[number][r, j])
            return back if steep is None else back * steep

        entries = [[entry(r, j) for j in units] for r in range(len(self.rows))]
        return self._block(f"delta_{number}", entries, number, rf"\delta_{{{number}}}", "deltas")


def _count_loss(y: Expr, a: Expr, value: float) -> Expr:
    return y * ln(y / a) - y + a if value > 0 else a - y


def _axes(model: Any, data: Given) -> list[Axis]:
    """The columns, the units of each hidden layer, and the outputs."""
    hidden = [
        Axis(f"layer-{number} unit", range(1, size + 1), "j", f"n_{number}")
        for number, size in enumerate(model._units_[1:-1], start=1)
    ]
    if hasattr(model, "classes_") and model.n_outputs_ > 1:
        names = [str(name) for name in model.classes_]
    else:
        names = [f"y{k + 1}" for k in range(model.n_outputs_)] if model.n_outputs_ > 1 else ["y"]
    return [data.column_axis, *hidden, Axis("output", names, "k", "K")]


def _layers(w: Working, model: Any, theta: Floats, axes: list[Axis], mark: str, fitted: bool) -> list[Any]:
    """Weights and biases as blocks, one pair a layer."""
    bias_axis, pairs = Axis("", [""], "", "1"), []
    for number, (W, b) in enumerate(zip(*_divided(model, theta), strict=True), start=1):
        at = f"{number}{mark}"
        weights = w.block(f"W_{at}", W, axes[number - 1], axes[number], symbol=f"W_{{{number}}}",
                          label=f"weights of layer {number}")  # fmt: skip
        bias = w.block(f"b_{at}", b[None, :], bias_axis, axes[number], symbol=f"b_{{{number}}}",
                       label=f"biases of layer {number}")  # fmt: skip
        if fitted:
            w.check(weights, model.coefs_[number - 1], f"coefs_[{number - 1}]")
            w.check(bias, model.intercepts_[number - 1][None, :], f"intercepts_[{number - 1}]")
        pairs.append((weights, bias))
    return pairs


def _divided(model: Any, theta: Floats) -> tuple[list[Floats], list[Floats]]:
    coefs, intercepts, at = [], [], 0
    for before, after in zip(model._units_, model._units_[1:], strict=False):
        coefs.append(theta[at : at + before * after].reshape(before, after))
        intercepts.append(theta[at + before * after : at + (before + 1) * after])
        at += (before + 1) * after
    return coefs, intercepts


def _is_small(model: Any, data: Given) -> bool:
    return max(model._units_) <= MOST_UNITS and len(model._theta()) <= MOST_PARAMETERS


def _can_be_shown(model: Any, X: Floats, theta: Floats) -> bool:
    """Do all numbers on the way stay where exponentials are in range?"""
    _, largest = _values(model, X, list(zip(*_divided(model, theta), strict=True)))
    return bool(largest < LARGEST)


# ------------------------------------------------------------------------------------------------------------------ fit


@shows("MLPClassifier.fit", "MLPRegressor.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "A network: the fit"
    sizes = " - ".join(str(size) for size in model._units_)
    w.intro = f"Layers of {sizes} units. The forward sweep, the deltas taken back, and the step that follows from them."
    _data(w, model, data)
    record = data.record
    if not _is_small(model, data):
        w.note(f"{counted(len(model._theta()), 'weight')} and biases: a sweep is laid out for layers of up to "
               f"{MOST_UNITS} units and {MOST_PARAMETERS} numbers in all.")  # fmt: skip
    elif model.solver == "lbfgs":
        _at_the_end(w, model, data)
    else:
        _first_update(w, model, data, record)
    _epochs(w, model, record)


def _data(w: Working, model: Any, data: Given) -> None:
    """Columns and target as they came, and the classes in it."""
    w.step("Data", "What the network learns from.")
    for j, name in enumerate(data.names[:MOST_UNITS]):
        w.given(f"x_{j + 1}", data.X[:, j], data.row_axis, symbol=f"x_{{{j + 1}}}", label=name)
    if len(data.names) > MOST_UNITS:
        w.note(f"The last {len(data.names) - MOST_UNITS:,} columns are not shown.")
    w.given("target", data.y, data.row_axis, symbol="y", label="target")
    if hasattr(model, "classes_"):
        class_names = np.array([str(name) for name in np.unique(np.asarray(data.y))], dtype=object)
        w.step("Classes", "The labels in it, sorted.")
        axis = Axis("class", range(1, len(class_names) + 1), "k", "K")
        classes = w.given("classes", class_names, axis, symbol="c", label="class")
        w.check(classes, np.array([str(name) for name in model.classes_], dtype=object), "classes_")


def _targets(model: Any, data: Given) -> Floats:
    """What the outputs should be, one column an output."""
    if not hasattr(model, "classes_"):
        return np.asarray(data.options["y"], dtype=np.float64).reshape(len(data.X), -1)
    codes = np.searchsorted(model.classes_, np.asarray(data.y))
    return codes[:, None].astype(np.float64) if len(model.classes_) == 2 else np.eye(len(model.classes_))[codes]


def _swept(w: Working, model: Any, data: Given, rows: list[int], theta: Floats, fitted: bool) -> tuple[Sweep, Block]:
    axes = _axes(model, data)
    axis = Axis("row of the batch", [row + 1 for row in rows], "i", "m")
    text = "One column a unit: what the values of the layer before are multiplied by, and the bias."
    w.step("Weights" if fitted else "Weights at the start", text)
    layers = _layers(w, model, theta, axes, "", fitted)
    w.step("Rows", "Values of the columns, and what the outputs should be.")
    x = w.block("x", data.X[rows], axis, axes[0], symbol="a_{0}", label="rows")
    y = w.block("y", _targets(model, data)[rows], axis, axes[-1], symbol="y", label="targets")
    sweep = Sweep(w, model, axis, layers, axes)
    sweep.forward(x)
    return sweep, y


def _cost(sweep: Sweep, y: Block, weight: Floats | None, **tie: Any) -> Expr:
    """F of the rows; answers the sum of the weights, which the slopes are divided by."""
    w, model = sweep.w, sweep.model
    w.step("Loss", "The mean loss of the rows, and the penalty on squared weights." if model.alpha else
           "The mean loss of the rows.")  # fmt: skip
    terms = sweep.losses(y)
    if weight is not None:
        terms = [float(s) * term for s, term in zip(weight, terms, strict=True)]
    loss_axis = Axis("", [""], "", "1")
    column = w.block(
        "losses", Grid([[term] for term in terms], sweep.rows, loss_axis), symbol="l", label="loss of each row"
    )
    S = w.given("S", float(len(terms) if weight is None else np.sum(weight)), symbol="S",
                label="number of rows" if weight is None else "sum of their weights")  # fmt: skip
    cost = _added([column[r, 0] for r in range(len(terms))])
    if model.alpha:
        squares = _added([W[i, j] ** 2 for W, _ in sweep.layers for i in range(len(W.rows))
                          for j in range(len(W.columns))])  # fmt: skip
        cost = cost + float(model.alpha) / 2 * w.cell("squares", squares, symbol="Q", label="squared weights")
    w.cell("loss", cost / S, symbol="F", label="loss and penalty", scale=1.0, **tie)
    return S


def _at_the_end(w: Working, model: Any, data: Given) -> None:
    """L-BFGS: the loss at the weights that were found."""
    rows, theta = list(range(len(data.X))), model._theta()
    if len(rows) > MOST_ROWS or not _can_be_shown(model, data.X, theta):
        w.note(f"The loss is laid out for up to {MOST_ROWS} rows whose exponentials are in range.")
        return
    sweep, y = _swept(w, model, data, rows, theta, True)
    tolerance = 1e-9 if model._dtype_ == np.float64 else 1e-4
    S = _cost(sweep, y, data.weight, equals=model.loss_, attribute="loss_", tolerance=tolerance)
    deltas = sweep.backward(y, data.weight)
    w.step("Slopes", "Of F by every weight and bias, at the place that was found: next to nothing.")
    _slopes(sweep, deltas, S)


def _slopes(sweep: Sweep, deltas: list[Block], S: Expr) -> list[tuple[Block, Block]]:
    """(a' delta + alpha W) / S, and the sum of delta over S."""
    gradients, rows, alpha = [], range(len(sweep.rows)), float(sweep.model.alpha)
    bias_axis = Axis("", [""], "", "1")
    for number, (W, b) in enumerate(sweep.layers, start=1):
        a, delta = sweep.a[number - 1], deltas[number - 1]
        inputs, units = range(len(W.rows)), range(len(W.columns))
        moved = [[_products([a[r, i] for r in rows], [delta[r, j] for r in rows]) for j in units] for i in inputs]
        if alpha:
            moved = [[moved[i][j] + alpha * W[i, j] for j in units] for i in inputs]
        G = sweep.w.block(f"G_{number}", Grid([[item / S for item in line] for line in moved], W.rows, W.columns),
                          symbol=f"G_{{{number}}}", label=f"slopes by the weights of layer {number}")  # fmt: skip
        sums = [[_added([delta[r, j] for r in rows]) / S for j in units]]
        g = sweep.w.block(f"g_{number}", Grid(sums, bias_axis, b.columns),
                          symbol=f"g_{{{number}}}", label=f"slopes by the biases of layer {number}")  # fmt: skip
        gradients.append((G, g))
    return gradients


def _first_update(w: Working, model: Any, data: Given, record: Any) -> None:
    columns, updates = record["updates"]
    rows = [int(row) for number, row in record["batches"][1] if number == updates[0, 0]]
    theta = np.asarray(model._start_)
    if len(rows) > MOST_ROWS or not _can_be_shown(model, data.X[rows], theta):
        w.note(f"The first batch has {counted(len(rows), 'row')}: it is laid out for up to {MOST_ROWS}, whose "
               "exponentials are in range.")  # fmt: skip
        return
    w.note("The first update is laid out; all others go on from its weights in the same way.")
    sweep, y = _swept(w, model, data, rows, theta, False)
    weight = None if data.weight is None else data.weight[rows]
    if weight is not None and not weight.any():
        w.note("No row of the first batch has a weight: nothing moves.")
        return
    S = _cost(sweep, y, weight, equals=float(updates[0, columns.index("loss")]), attribute="the kernel's loss")
    deltas = sweep.backward(y, weight)
    w.step("Slopes", "Of F by every weight and bias: values before the layer times its deltas, added up over the rows.")
    gradients = _slopes(sweep, deltas, S)
    after = updates[0, [name.startswith("theta_") for name in columns]]
    only = len(updates) == 1 and model.n_iter_ == 1
    _step(sweep, gradients, after, only)


def _step(sweep: Sweep, gradients: list[tuple[Block, Block]], after: Floats, only: bool) -> None:
    """Every weight and bias moves against its slope; tied to what the kernel had after the update."""
    w, model = sweep.w, sweep.model
    rate = w.given("rate", float(model.learning_rate_init), symbol=r"\eta", label="learning rate")
    if model.solver == "adam":
        text = "Adam: the first step goes by the rate against the sign of the slope, nearly whatever its size."
        b2, tiny = float(model.beta_2), float(model.epsilon)

        def moved(old: Expr, g: Expr) -> Expr:
            root = float(np.sqrt(1 - b2))
            return old - rate * root * g / (root * sqrt(g**2) + tiny)
    else:
        mu = float(model.momentum) if model.nesterovs_momentum else 0.0
        text = "Against the slope, times the rate" + (f", and {mu:g} of that once more (Nesterov)." if mu else ".")

        def moved(old: Expr, g: Expr) -> Expr:
            return old - rate * g - mu * (rate * g) if mu else old - rate * g

    w.step("Update", text)
    single = only and model._dtype_ == np.float32
    coefs, intercepts = _divided(model, after)
    for number, ((W, b), (G, g)) in enumerate(zip(sweep.layers, gradients, strict=True), start=1):
        for name, old, gradient, kernel, attribute in (
            (f"new_W_{number}", W, G, coefs[number - 1], f"coefs_[{number - 1}]"),
            (f"new_b_{number}", b, g, intercepts[number - 1][None, :], f"intercepts_[{number - 1}]"),
        ):
            entries = [
                [moved(old[i, j], gradient[i, j]) for j in range(len(old.columns))] for i in range(len(old.rows))
            ]
            fitted = model.coefs_[number - 1] if "W" in name else model.intercepts_[number - 1][None, :]
            w.block(
                name, Grid(entries, old.rows, old.columns), symbol=f"{name[4]}_{{{number}}}^{{(1)}}",
                label=f"{'weights' if 'W' in name else 'biases'} of layer {number} after the update",
                equals=fitted if only else kernel, attribute=attribute if only else "the kernel's update",
                tolerance=1e-6 if single else 1e-8, scale=max(1.0, float(np.abs(kernel).max(initial=0.0))),
            )  # fmt: skip


def _epochs(w: Working, model: Any, record: Any) -> None:
    """The loss of every epoch, as recorded."""
    columns, rows = record["epochs"]
    at_once = model.solver == "lbfgs"
    w.step("Steps" if at_once else "Epochs",
           "The loss after each step; 0 is the start." if at_once else
           "The loss of each epoch: the mean of its batches, each at the weights it met.")  # fmt: skip
    axis = Axis("step" if at_once else "epoch", [int(number) for number in rows[:, 0]], "e", "E", True)
    loss = w.given("loss_curve", rows[:, columns.index("loss")], axis, symbol="F", label="loss")
    w.check(loss, loss.value if at_once else np.array(model.loss_curve_), "" if at_once else "loss_curve_")
    scores = rows[:, columns.index("score")]
    if not np.isnan(scores).any() and len(scores):
        score_cell = w.given("score", scores, axis, symbol="R", label="score of the rows held out")
        w.check(score_cell, np.array(model.validation_scores_), "validation_scores_")
        w.note("The weights are those of the epoch with the best score.")
    last = w.cell("last_loss", lookup(loss, len(rows)), symbol="F_E", label="loss at the end",
                  equals=model.loss_, attribute="loss_")  # fmt: skip
    w.cell("fall", lookup(loss, 1) - last, symbol="D", label="fall since the beginning")


# -------------------------------------------------------------------------------------------------------------- predict


@shows("MLPClassifier.predict", "MLPRegressor.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "A network: predictions"
    w.intro = "Layer by layer: weighted sums of the values before, with a bias, passed through the activation function."
    rows = _chosen_rows(w, data)
    theta, axes = model._theta(), _axes(model, data)
    X = data.X[rows]
    axis = Axis("row", [row + 1 for row in rows], "i", "n")
    outputs = _answered(model, data, rows)
    if not _can_be_shown(model, X, theta):
        w.note("Weighted sums are so large that their exponentials are out of range: answers are as found.")
        w.step("Answers", "As found.")
        w.block("answers", outputs, axis, axes[-1], symbol="a", label="outputs")
        return
    if _is_small(model, data):
        w.step("Weights", "One column a unit: what the values of the layer before are multiplied by, and the bias.")
        layers = _layers(w, model, theta, axes, "", True)
        w.step("Rows", "Values of the columns.")
        sweep = Sweep(w, model, axis, layers, axes)
        sweep.forward(w.block("x", X, axis, axes[0], symbol="a_{0}", label="rows"))
        out = sweep.a[-1]
    else:
        out = _last_layer(w, model, X, theta, axis, axes)
    tolerance = 1e-9 if model._dtype_ == np.float64 else 1e-5
    scale = max(1.0, float(np.abs(outputs).max(initial=0.0)))
    w.check(out, outputs, "predict(X)" if not hasattr(model, "classes_") else "predict_proba(X)", tolerance, scale)
    if hasattr(model, "classes_"):
        _labels(w, model, data, rows, out)


def _answered(model: Any, data: Given, rows: list[int]) -> Floats:
    """The outputs of these rows, by the model itself."""
    outputs = model._answers(model._validate_predict(data.table))
    return np.asarray(outputs, dtype=np.float64)[rows]


def _last_layer(w: Working, model: Any, X: Floats, theta: Floats, axis: Axis, axes: list[Axis]) -> Block:
    """Wide layers: the values of the last hidden one as found, and the sums over them."""
    values, _ = _values(model, X, list(zip(*_divided(model, theta), strict=True)))
    w.note(f"Layers are laid out up to {MOST_UNITS} units: the values before the last layer are as found.")
    W, b = model.coefs_[-1].astype(np.float64), model.intercepts_[-1].astype(np.float64)
    outputs_shown = range(W.shape[1])
    w.step("Last layer", "Weights from every unit before it, and the bias.")
    before = axes[-2]
    weights = [w.given(f"w_{j + 1}", W[:, j], before, symbol=f"w_{{{j + 1}}}", label=f"weights of output {j + 1}")
               for j in outputs_shown]  # fmt: skip
    bias = [
        w.given(f"b_{j + 1}", float(b[j]), symbol=f"b_{{{j + 1}}}", label=f"bias of output {j + 1}")
        for j in outputs_shown
    ]
    sums: list[list[Expr]] = []
    for r in range(len(axis)):
        w.step(f"Row {axis.labels[r]}", "Values of the units before, as found, and their weighted sums.")
        a = w.given(f"a_row_{axis.labels[r]}", values[-1][r], before, symbol="a", label="values before the last layer")
        line: list[Expr] = []
        for j in outputs_shown:
            name, label = f"z_row_{axis.labels[r]}_{j + 1}", f"weighted sum of output {j + 1}"
            line.append(w.cell(name, sum_(a * weights[j]) + bias[j], symbol=f"z_{{{j + 1}}}", label=label))
        sums.append(line)
    kind = model.out_activation_
    w.step("Outputs", f"The weighted sums, {_BEND_WORDS[kind]}.")
    if kind == "softmax":
        bent = [[exp(z) / _added([exp(exponent) for exponent in line]) for z in line] for line in sums]
    else:
        bent = [[_bend(kind, z) for z in line] for line in sums]
    return w.block("outputs", Grid(bent, axis, axes[-1]), symbol="a", label="outputs")


def _labels(w: Working, model: Any, data: Given, rows: list[int], out: Block) -> None:
    """The most probable class of each row."""
    names = [name.item() if isinstance(name, np.generic) else name for name in model.classes_]
    predicted = np.asarray(model.predict(data.table))
    two = len(names) == 2
    w.step("Labels", f"Above one half it is {names[1]}, else {names[0]}." if two else "The largest output wins.")
    for r, row in enumerate(rows):
        entries: list[Any] = [out[r, k] for k in range(1 if two else len(names))]
        best = where(entries[0] > 0.5, names[1], names[0]) if two else _largest(entries, names)
        label = predicted[row].item() if isinstance(predicted[row], np.generic) else predicted[row]
        w.cell(f"label_{row}", best, symbol=rf"\hat{{y}}_{{{row}}}", label="label", equals=label,
               attribute=f"predict(X)[{row}]")  # fmt: skip
