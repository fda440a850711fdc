"""Answers by ``SGDClassifier``, ``Perceptron`` and ``SGDRegressor``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import stochastic_gradient as reference

from ..frame import Example, PathName, answers

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """A walk, brought to the same shape on either path: intercept first, the start before all updates."""

    theta: Array
    scores: Array


def walked(start: Array, run: reference.Run) -> Run:
    theta = [start, *(np.array([u.intercept, *u.coef]) for u in run.updates)]
    return Run(np.array(theta), np.array([u.score for u in run.updates]))


def recorded(start: Array, tables: Any) -> Run:
    columns, rows = tables["steps"]
    theta = rows[:, [name.startswith("theta_") for name in columns]]
    return Run(np.vstack([start, theta]), rows[:, columns.index("score")])


@answers("000-logistic-regression-sgd")
def squared_error_of_probabilities(example: Example, path: PathName) -> Mapping[str, Any]:
    """The step (y - p) p (1 - p) x: the slope of the squared error through the sigmoid."""
    X = np.column_stack([example.data["X1"], example.data["X2"]])
    y, rate, epochs = example.data["Y"], example.settings["learning_rate"], example.settings["epochs"]
    if path == "reference":
        loss = reference.losses()["squared_sigmoid"]
        found = reference.walk(X, reference.one_against_the_rest(y, 1, 0.0), loss, lambda t: rate, max_iter=epochs)
        run = walked(np.zeros(3), found)
        p = np.array([reference.sigmoid(found.intercept + float(x @ found.coef)) for x in X])
        said, meant = (p >= 0.5).astype(int), "class 1"
    else:
        from pellucid.linear_model import SGDClassifier

        settings: dict[str, Any] = {"penalty": None, "learning_rate": "constant", "order": "given", "tol": None}
        model = SGDClassifier("squared_sigmoid", eta0=rate, max_iter=epochs, **settings)
        run = recorded(np.zeros(3), model.fit_with_history(X, y))
        p, said = model.predict_proba(X)[:, 1], model.predict(X)
        meant = f"class {model.classes_[1]}"
    first, last = run.theta[1], run.theta[-1]
    prediction = reference.sigmoid(run.scores[0])
    return {
        "first prediction": prediction,
        **{f"B{j} after first update": first[j] for j in range(3)},
        **{f"B{j} after 10 epochs": last[j] for j in range(3)},
        "predicted probabilities on the training data": p,
        "crisp predictions": said,
        "training accuracy in percent": round(100 * np.mean(said == np.array(y))),
        "which class the probability refers to": meant,
        "trace: update on instance 1": {
            "step": "update on instance 1",
            "prediction": prediction,
            **{f"B{j}": round(first[j], 9) for j in range(3)},
        },
        "trace: after epoch 10": {"step": "after epoch 10", **{f"B{j}": round(last[j], 9) for j in range(3)}},
    }


@answers("003-perceptron-and")
def logical_and(example: Example, path: PathName) -> Mapping[str, Any]:
    run = learn_and(example, path, "first", example.settings["sample_order"])
    other = learn_and(example, path, "second", [0, 1, 2, 3])
    b, w = run.theta[-1][0], run.theta[-1][1:]
    points = [(1, 1), (1, 0), (0, 1), (0, 0)]
    changes = np.diff(run.theta[:7], axis=0)
    figures: dict[str, Any] = {
        "weights after step 1": run.theta[1],
        "weights after step 2": run.theta[2],
        "final weights (w10, w11, w12)": run.theta[-1],
        "final outputs for (1,1),(1,0),(0,1),(0,0)": [int(b + np.dot(w, x) > 0) for x in points],
        "number of weight changes": int(changes.any(axis=1).sum()),
        "weights after each of the first four samples if h(0) = 1 instead": other.theta[1:5],
    }
    for t, row in enumerate(example.settings["sample_order"]):
        true, said = example.data["t"][row], int(run.scores[t] > 0)
        figures[f"trace: {t + 1}"] = {
            "w_before": run.theta[t],
            "x1": example.data["x1"][row],
            "x2": example.data["x2"][row],
            "net": run.scores[t],
            "y": said,
            "t": true,
            "error": true - said,
            "eta_times_error": changes[t][0],  # of the bias, whose input is 1
            "delta_w": changes[t],
            "w_after": run.theta[t + 1],
        }
    return figures


def learn_and(example: Example, path: PathName, at_zero: Any, order: list[int]) -> Run:
    """Two epochs over the order, which starts again when it is used up; nothing changes after its six visits."""
    X = np.column_stack([example.data["x1"], example.data["x2"]]).astype(float)
    y, rate, start = example.data["t"], example.settings["learning_rate"], example.settings["w_initial"]
    if path == "reference":
        loss = reference.losses()[f"perceptron, zero says {'no' if at_zero == 'first' else 'yes'}"]
        begin = (np.array(start[1:], dtype=float), float(start[0]))
        targets = reference.one_against_the_rest(y, 1)
        found = reference.walk(X, targets, loss, lambda t: rate, order=cycle(order), max_iter=2, start=begin)
        return walked(np.array(start, dtype=float), found)
    from pellucid.linear_model import Perceptron

    model = Perceptron(at_zero=at_zero, eta0=rate, order=order, max_iter=2, tol=None)
    tables = model.fit_with_history(X, y, coef_init=start[1:], intercept_init=start[0])
    return recorded(np.array(start, dtype=float), tables)


# ---------------------------------------------------------------------- examples that another estimator answers too


def by_row(example: Example, path: PathName, penalty: Any = None) -> tuple[float, float, int]:
    """Intercept, slope and epochs of scikit-learn's run. Its order is stored; the kernel makes it from the seed."""
    x, y, s = np.asarray(example.data["x1"]).reshape(-1, 1), example.data["y"], example.settings
    alpha = s.get("alpha", 0.0001)
    rule: dict[str, Any] = {"max_iter": s["max_iter"], "tol": s["tol"], "n_iter_no_change": s["n_iter_no_change"]}
    if path == "reference":
        order = cycle(chain.from_iterable(s["sample_order_per_epoch"]))
        loss = reference.losses()["squared_error"]
        l2 = alpha if penalty == "l2" else 0.0
        run = reference.walk(x, y, loss, lambda t: s["eta0"] / t**0.25, l2=l2, order=order, **rule)
        return run.intercept, float(run.coef[0]), len(run.epochs)
    from pellucid.linear_model import SGDRegressor

    model = SGDRegressor(penalty=penalty, alpha=alpha, eta0=s["eta0"], random_state=42, **rule).fit(x, y)
    return float(model.intercept_[0]), float(model.coef_[0]), model.n_iter_
