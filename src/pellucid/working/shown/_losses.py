"""Losses of linear models in the language of workings: what a score costs, and the slope of that."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.expression import Expr
from pellucid.working.language import absolute, equal, exp, ln, sign, where

SAFE = 700.0  # a spreadsheet's EXP ends at 709


def probability(f: Expr) -> Expr:
    """The sigmoid of a score."""
    return 1 / (1 + exp(-f))


def loss_of(plan: Any, y: Expr, f: Expr, p: Expr | None, epsilon: Any) -> Expr:
    """What the score f costs for the target y; p is the probability behind it, where the loss has one."""
    e, z = f - y, y * f
    size = absolute(e)
    if plan.loss == "log_loss":  # ln(1 + e^f) - y f, with no power that could overflow
        return where(f > 0, f, 0) - z + ln(1 + exp(-absolute(f)))
    if plan.loss == "squared_sigmoid":
        assert p is not None
        return (y - p) ** 2 / 2
    formulas = {
        "squared_error": lambda: e**2 / 2,
        "absolute_error": lambda: size,
        "huber": lambda: where(size <= epsilon, e**2 / 2, epsilon * (size - epsilon / 2)),
        "epsilon_insensitive": lambda: where(size > epsilon, size - epsilon, 0),
        "squared_epsilon_insensitive": lambda: where(size > epsilon, (size - epsilon) ** 2, 0),
        "hinge": lambda: where(z < 1, 1 - z, 0),
        "squared_hinge": lambda: where(z < 1, (1 - z) ** 2, 0),
        "modified_huber": lambda: where(z >= 1, 0, where(z >= -1, (1 - z) ** 2, -4 * z)),
        "perceptron": lambda: where(z < 0, -z, 0),
    }
    return formulas[plan.loss]()


def slope_of(plan: Any, y: Expr, f: Expr, p: Expr | None, epsilon: Any) -> Expr:
    """The slope of the loss at the score f; p is the probability behind it, or what a perceptron says."""
    e, z = f - y, y * f
    size = absolute(e)
    if plan.loss == "log_loss":
        assert p is not None
        return p - y
    if plan.loss == "squared_sigmoid":
        assert p is not None
        return (p - y) * p * (1 - p)
    formulas = {
        "squared_error": lambda: e,
        "absolute_error": lambda: sign(e),
        "huber": lambda: where(size <= epsilon, e, epsilon * sign(e)),
        "epsilon_insensitive": lambda: where(size > epsilon, sign(e), 0),
        "squared_epsilon_insensitive": lambda: where(size > epsilon, 2 * (size - epsilon) * sign(e), 0),
        "hinge": lambda: where(z <= 1, -y, 0),
        "squared_hinge": lambda: where(z < 1, -2 * y * (1 - z), 0),
        "modified_huber": lambda: where(z >= 1, 0, where(z >= -1, -2 * y * (1 - z), -4 * y)),
        "perceptron": lambda: _mistake(plan, y, f, p),
    }
    return formulas[plan.loss]()


def step_of(plan: Any, f: Expr) -> Expr:
    """What the perceptron says of a row, where zero says one of the classes."""
    return where(f > 0, 1, -1) if plan.zero_is_wrong[1] else where(f >= 0, 1, -1)


def _mistake(plan: Any, y: Expr, f: Expr, predicted: Expr | None) -> Expr:
    """-y for a mistake; a score of zero is one, or says one of the classes."""
    return where(y * f <= 0, -y, 0) if predicted is None else where(equal(predicted, y), 0, -y)


def jumps(plan: Any, recorded: Floats, plain: Floats, y: Floats) -> bool:
    """Does a slope that jumps hang on the last digit of a score, so that another order of sums gives another one?"""
    kinks = {
        "hinge": 1 - y * recorded,
        "perceptron": recorded,
        "absolute_error": recorded - y,
        "epsilon_insensitive": np.abs(recorded - y) - plan.epsilon,
    }
    if plan.loss not in kinks or plan.learning_rate in ("pa1", "pa2"):
        return False
    near = np.abs(kinks[plan.loss]) < 1e-9 * max(1.0, float(np.abs(recorded).max()))
    return bool((near & (recorded != plain)).any())
