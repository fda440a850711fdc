"""The last steps of a prediction: how a score becomes a calibrated probability, and a probability a class."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from sklearn.model_selection import FixedThresholdClassifier

from pellucid.calibration._pairs import CalibratedClassifier, scores_of
from pellucid.calibration._sigmoid import Sigmoid, Temperature
from pellucid.working import Working
from pellucid.working.expression import Cell, expr
from pellucid.working.language import exp, where

CLOSE = 1e-9


def show_decision(w: Working, last: Any, row: Any) -> None:
    """Adds the calibration and the threshold to the working of the model inside."""
    w.intro += " That is the model inside: the last steps make the finished model's probability and prediction of it."
    model = last.estimator_ if isinstance(last, FixedThresholdClassifier) else last
    pairs = getattr(model, "calibrated_classifiers_", ())
    calibrated = [_calibration(w, pair, row) for pair in pairs]
    if isinstance(last, FixedThresholdClassifier):
        _threshold(w, last, row, calibrated[0] if len(calibrated) == 1 else None)
    elif len(calibrated) == 1 and len(last.classes_) == 2:
        _more_probable(w, last, row, calibrated[0])


def _calibration(w: Working, pair: CalibratedClassifier, row: Any) -> Cell:
    """The calibrated probability of the last of two classes, or of the most probable one of several."""
    scores = scores_of(pair.estimator, row, len(pair.classes))
    result = pair.predict_proba(row)[0]
    several = len(pair.classes) > 2
    k = int(np.argmax(result)) if several else len(pair.classes) - 1
    which = f"a probability of the class {pair.classes[k]}" + (", the most probable one" if several else "")
    w.step(
        "Calibration",
        f"The score of the model becomes {which}, by a function that was fitted to out-of-fold rows.",
        in_workbook="It is that of the row as it is: it does not follow a value that is changed above.",
    )
    label = f"calibrated probability of {pair.classes[k]}"
    if isinstance(pair.calibrators[0], Temperature):
        beta = w.given("calibration_beta", float(pair.calibrators[0].beta_), symbol=r"\beta", label="1 / T")
        logits = scores.logits()[0]
        z = [
            w.given(f"calibration_z_{j + 1}", float(value), symbol=f"z_{{{j + 1}}}", label=f"score of {name}")
            for j, (value, name) in enumerate(zip(logits, pair.classes, strict=True))
        ]
        formula = 1 / reduce(add, [exp(beta * (one - z[k])) for one in z])
    else:
        each = []
        for j, (value, own) in enumerate(zip(scores.values[0], pair.calibrators, strict=True)):
            assert isinstance(own, Sigmoid)
            f = w.given(f"calibration_score_{j + 1}", float(value), symbol=f"f_{{{j + 1}}}", label="score of the model")
            a = w.given(f"calibration_A_{j + 1}", float(own.a_), symbol=f"A_{{{j + 1}}}", label="slope of the sigmoid")
            b = w.given(f"calibration_B_{j + 1}", float(own.b_), symbol=f"B_{{{j + 1}}}", label="its intercept")
            each.append(1 / (1 + exp(a * f + b)))
        own_place = np.asarray(scores.classes).tolist().index(np.asarray(pair.classes)[k])
        formula = each[-1] if len(each) == 1 else each[own_place] / reduce(add, each)
    return w.cell(
        "calibrated_probability", formula, symbol=r"\hat{p}", label=label, equals=float(result[k]),
        attribute="calibrated probability", tolerance=CLOSE, scale=1.0,
    )  # fmt: skip


def _more_probable(w: Working, last: Any, row: Any, calibrated: Cell) -> None:
    """The predicted class of two: the calibration can make the other one more probable than the model inside did."""
    first, second = np.asarray(last.classes_).tolist()
    w.step("Class", f"Above one half it is {second}, else {first}.")
    w.cell(
        "decision", where(calibrated > 0.5, 1, 0), symbol=r"\hat{y}", label=f"1: {second}, 0: {first}",
        equals=1.0 if last.predict(row)[0] == last.classes_[1] else 0.0, attribute="predict(X)",
    )  # fmt: skip


def _threshold(w: Working, last: FixedThresholdClassifier, row: Any, calibrated: Cell | None) -> None:
    classes = np.asarray(last.classes_).tolist()
    k = classes.index(last.pos_label)
    p = float(np.asarray(last.predict_proba(row))[0, k])
    w.step("Threshold", f"The class {last.pos_label} is predicted if its probability is at least the threshold.")
    named: dict[str, Any] = {"symbol": "p", "label": f"probability of {last.pos_label}"}
    if calibrated is None:
        given = w.given("probability_of_class", p, **named)
    else:
        formula = expr(calibrated) if k == len(classes) - 1 else 1 - calibrated
        given = w.cell("probability_of_class", formula, equals=p, attribute="predict_proba(X)", scale=1.0, **named)
    threshold = w.given("decision_threshold", float(last.threshold), symbol="t", label="threshold")
    predicted = 1.0 if last.predict(row)[0] == last.pos_label else 0.0
    w.cell(
        "decision", where(given >= threshold, 1, 0), symbol=r"\hat{y}", label=f"1: {last.pos_label}",
        equals=predicted, attribute="predict(X)",
    )  # fmt: skip
