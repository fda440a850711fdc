"""Logistic regression reaches the optimum: its documented cost is no higher than that of scikit-learn's tight fit.

Twenty random problems each (linear_problems.py), dense and sparse, weighted, for each pair of solver and penalty that
fits, with two classes and more, by softmax and by one against the rest. Under l1 the peer's own methods stop early on
some of these tables, so there the conditions of the optimum are checked too.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
import sklearn.linear_model as peer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.class_weight import compute_sample_weight

import pellucid.linear_model as ours

from . import linear_problems as problems
from .linear_problems import SEEDS, Problem, near, no_worse
from .test_linear_optimum import digits, forms, levelled, one_thread, seeds, table

STRENGTHS = [0.01, 1.0, 50.0]
__all__ = ["one_thread"]  # used by every test


def exact(problem: Problem) -> Problem:
    return Problem(problem.X.astype(float), problem.y, problem.weight)


@cache
def smooth_peer(seed: int, C: float, intercept: bool, classes: int | None, level: bool = False) -> Any:
    """Newton's method of the peer, to the last digits."""
    problem = problems.classification(seed, classes)
    problem = exact(levelled(problem) if level else problem)
    model = peer.LogisticRegression(C=C, solver="newton-cholesky", tol=1e-11, max_iter=500, fit_intercept=intercept)
    with warnings.catch_warnings():  # its line search ends at the last digit and says so
        warnings.simplefilter("ignore")
        return model.fit(problem.X, problem.y, sample_weight=problem.weight)


def fitted(problem: Problem, form: str, **settings: Any) -> Any:
    model = ours.LogisticRegression(**{"tol": 1e-10, "max_iter": 100_000, "random_state": 0, **settings})
    return model.fit(table(problem, form), problem.y, sample_weight=problem.weight)


# -------------------------------------------------------------------------------------------------------- smooth


@forms
@seeds
@pytest.mark.parametrize("solver", ["auto", "newton-cholesky", "newton-cg", "lbfgs", "coordinate-descent"])
def test_two_classes(solver: str, seed: int, form: str) -> None:
    problem, intercept = problems.classification(seed, 2), seed % 5 != 1
    for C in STRENGTHS:
        theirs = smooth_peer(seed, C, intercept, 2)
        model = fitted(problem, form, solver=solver, C=C, fit_intercept=intercept)
        costs = (problems.logistic_cost(problem, m, C) for m in (model, theirs))
        no_worse(*costs, tolerance=digits(problem, 1e-9, 1e-6))
        near(model.coef_, theirs.coef_, digits(problem, 1e-4, 1e-3))
        near(model.predict_proba(problem.X), theirs.predict_proba(problem.X), digits(problem, 1e-5, 1e-4))


@forms
@seeds
@pytest.mark.parametrize("solver", ["auto", "lbfgs", "newton-cholesky"])
def test_softmax(solver: str, seed: int, form: str) -> None:
    problem, intercept = problems.classification(seed, 3 + seed % 3), seed % 5 != 1
    for C in STRENGTHS:
        theirs = smooth_peer(seed, C, intercept, 3 + seed % 3)
        model = fitted(problem, form, solver=solver, C=C, fit_intercept=intercept)
        costs = (problems.logistic_cost(problem, m, C) for m in (model, theirs))
        no_worse(*costs, tolerance=digits(problem, 1e-8, 1e-6))
        near(model.predict_proba(problem.X), theirs.predict_proba(problem.X), digits(problem, 1e-4, 1e-3))


@pytest.mark.exhaustive
@forms
@seeds
@pytest.mark.parametrize("solver", ["sag", "saga"])
@pytest.mark.parametrize("classes", [2, 4])
def test_row_by_row(classes: int, solver: str, seed: int, form: str) -> None:
    problem = levelled(problems.classification(seed, classes))
    theirs = smooth_peer(seed, 0.3, True, classes, True)
    model = fitted(problem, form, solver=solver, C=0.3, tol=1e-8)
    costs = (problems.logistic_cost(problem, m, 0.3) for m in (model, theirs))
    no_worse(*costs, tolerance=digits(problem, 1e-7, 1e-5))
    near(model.predict_proba(problem.X), theirs.predict_proba(problem.X), digits(problem, 1e-3, 1e-3))


UNPENALIZED = [seed for seed in SEEDS if seed % 10 in (3, 9, 1)]  # tall enough that no plane parts the classes


@pytest.mark.exhaustive
@forms
@pytest.mark.parametrize("seed", UNPENALIZED)
@pytest.mark.parametrize("solver", ["auto", "newton-cholesky", "lbfgs", "coordinate-descent", "saga"])
def test_no_penalty(solver: str, seed: int, form: str) -> None:
    problem = levelled(problems.classification(seed, 2))
    theirs = smooth_peer(seed, np.inf, True, 2, True)
    model = fitted(problem, form, solver=solver, C=np.inf, tol=1e-9)
    costs = (problems.logistic_cost(problem, m, np.inf) for m in (model, theirs))
    no_worse(*costs, tolerance=digits(problem, 1e-8, 1e-6))


@pytest.mark.exhaustive
@forms
@seeds
@pytest.mark.parametrize("solver", ["auto", "lbfgs", "coordinate-descent"])
def test_one_against_the_rest(solver: str, seed: int, form: str) -> None:
    problem, C = problems.classification(seed, 3 + seed % 3), 1.0
    tight = exact(problem)
    model = fitted(problem, form, solver=solver, C=C, multi_class="ovr")
    assert model.coef_.shape == (3 + seed % 3, problem.X.shape[1])
    for place, c in enumerate(model.classes_):
        one = peer.LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10)
        one.fit(tight.X, tight.y == c, sample_weight=tight.weight)
        near(model.coef_[place], one.coef_[0], digits(problem, 1e-4, 1e-3))
        near(model.intercept_[place], one.intercept_[0], digits(problem, 1e-3, 1e-2))


@seeds
def test_probabilities_of_one_against_the_rest(seed: int) -> None:
    """Each class's probability over the sum of all of them."""
    problem = exact(problems.classification(seed, 4))
    model = fitted(problem, "dense", solver="liblinear", multi_class="ovr")
    theirs = OneVsRestClassifier(peer.LogisticRegression(solver="liblinear", tol=1e-10, max_iter=10_000))
    if problem.weight is None:
        near(model.predict_proba(problem.X), theirs.fit(problem.X, problem.y).predict_proba(problem.X), 1e-4)
    each = 1 / (1 + np.exp(-model.decision_function(problem.X)))
    near(model.predict_proba(problem.X), each / each.sum(axis=1, keepdims=True), 1e-10)


@forms
@seeds
def test_class_weights(seed: int, form: str) -> None:
    problem = problems.classification(seed)
    labels = problem.classes.tolist()
    for chosen in ("balanced", {label: 1.0 + 2 * k for k, label in enumerate(labels)}):
        tight = exact(problem)
        theirs = peer.LogisticRegression(solver="newton-cholesky", tol=1e-10, class_weight=chosen)
        theirs.fit(tight.X, tight.y, sample_weight=tight.weight)
        model = fitted(problem, form, class_weight=chosen)
        own = chosen if isinstance(chosen, dict) else balanced(problem)
        factors = compute_sample_weight(own, problem.y) * problem.weights
        weighted = Problem(problem.X, problem.y, factors)
        costs = (problems.logistic_cost(weighted, m, 1.0) for m in (model, theirs))
        no_worse(*costs, tolerance=digits(problem, 1e-8, 1e-6))


def balanced(problem: Problem) -> dict[Any, float]:
    """``S / (k S_c)``, S_c the weight of class c."""
    sizes = {c: problem.weights[problem.y == c].sum() for c in problem.classes.tolist()}
    return {c: sum(sizes.values()) / (len(sizes) * size) for c, size in sizes.items()}


# ------------------------------------------------------------------------------------------------------ liblinear


@pytest.mark.exhaustive
@forms
@seeds
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0], ids=["l2", "l1"])
@pytest.mark.parametrize("scaling", [1.0, 7.0])
def test_liblinear_penalizes_the_intercept(scaling: float, l1_ratio: float, seed: int, form: str) -> None:
    problem = problems.classification(seed, 2)
    tight = exact(problem)
    for C in STRENGTHS:
        chosen = {"solver": "liblinear", "C": C, "l1_ratio": l1_ratio, "intercept_scaling": scaling}
        theirs = peer.LogisticRegression(tol=1e-10, max_iter=100_000, random_state=0, **chosen)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs.fit(tight.X, tight.y, sample_weight=tight.weight)
        model = fitted(problem, form, **chosen)
        costs = (problems.logistic_cost(problem, m, C, l1_ratio, scaling) for m in (model, theirs))
        no_worse(*costs, tolerance=digits(problem, 1e-8, 1e-6))


# ------------------------------------------------------------------------------------------------- l1, elastic net


def slopes(problem: Problem, model: Any, C: float, l1_ratio: float) -> tuple[Any, Any]:
    """The largest breach of the optimum's conditions, relative to C times the slopes' size, of coefficients; and of
    intercepts.

    With g the slope of the smooth part: ``g_j + l1 sign(w_j) = 0`` where w_j is not zero, ``|g_j| <= l1`` where it is.
    """
    X, W = problem.X.astype(float), np.asarray(model.coef_, dtype=float)
    f = problems.scores(X, W, model.intercept_)
    if f.shape[1] == 1:
        errors = 1 / (1 + np.exp(-f)) - (problem.y == model.classes_[1])[:, None]
    else:
        p = np.exp(f - np.logaddexp.reduce(f, axis=1, keepdims=True))
        errors = p - (problem.y[:, None] == model.classes_)
    errors = C * errors * problem.weights[:, None]
    g = errors.T @ X + (1 - l1_ratio) * W
    breach = np.where(W == 0, np.maximum(np.abs(g) - l1_ratio, 0), np.abs(g + l1_ratio * np.sign(W)))
    size = (np.abs(errors).T @ np.abs(X)).max() + l1_ratio
    return breach.max() / size, np.abs(errors.sum(axis=0)).max() / np.abs(errors).sum()


@forms
@seeds
@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("solver", ["auto", "coordinate-descent"])
def test_l1_of_two_classes(solver: str, l1_ratio: float, seed: int, form: str) -> None:
    problem = problems.classification(seed, 2)
    for C in (0.05, 2.0):
        model = fitted(problem, form, solver=solver, C=C, l1_ratio=l1_ratio)
        breach, free = slopes(problem, model, C, l1_ratio)
        assert breach < digits(problem, 1e-7, 1e-4)
        assert free < digits(problem, 1e-7, 1e-4)
        no_worse(*l1_costs(seed, problem, model, C, l1_ratio, 2), tolerance=digits(problem, 1e-8, 1e-6))


@pytest.mark.exhaustive
@forms
@seeds
@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("classes", [2, 3])
def test_l1_by_saga(classes: int, l1_ratio: float, seed: int, form: str) -> None:
    problem, C = levelled(problems.classification(seed, classes)), 0.2
    model = fitted(problem, form, solver="saga", C=C, l1_ratio=l1_ratio, tol=1e-8)
    assert max(slopes(problem, model, C, l1_ratio)) < digits(problem, 1e-5, 1e-3)
    no_worse(*l1_costs(seed, problem, model, C, l1_ratio, classes), tolerance=digits(problem, 1e-7, 1e-5))


def l1_costs(seed: int, problem: Problem, model: Any, C: float, l1_ratio: float, classes: int) -> tuple[float, float]:
    """Our cost and that of the peer's saga, on the table with levelled columns where ours is one."""
    tight = exact(problem)
    theirs = saga_peer(seed, C, l1_ratio, classes, problem.X.tobytes(), tight)
    return problems.logistic_cost(problem, model, C, l1_ratio), problems.logistic_cost(problem, theirs, C, l1_ratio)


FITS: dict[Any, Any] = {}


def saga_peer(seed: int, C: float, l1_ratio: float, classes: int, content: bytes, tight: Problem) -> Any:
    key = (seed, C, l1_ratio, classes, hash(content))
    if key not in FITS:
        model = peer.LogisticRegression(C=C, l1_ratio=l1_ratio, solver="saga", tol=1e-7, max_iter=3_000, random_state=0)
        with warnings.catch_warnings():  # where it does not arrive, it is the worse
            warnings.simplefilter("ignore")
            FITS[key] = model.fit(tight.X, tight.y, sample_weight=tight.weight)
    return FITS[key]


# ------------------------------------------------------------------------------------------------ cross-validation


@pytest.mark.exhaustive
@forms
@seeds
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_chosen_by_folds(scoring: str, seed: int, form: str) -> None:
    """The same grid, the same scores in each fold, the same choice."""
    problem = problems.classification(seed)
    tight, chosen = exact(problem), {"Cs": [0.01, 0.3, 10.0], "cv": 2, "scoring": scoring, "max_iter": 10_000}
    theirs = peer.LogisticRegressionCV(
        solver="newton-cholesky", tol=1e-10, l1_ratios=(0,), use_legacy_attributes=False, **chosen
    )
    theirs.fit(tight.X, tight.y, sample_weight=tight.weight)
    model = ours.LogisticRegressionCV(tol=1e-10, l1_ratios=(0,), use_legacy_attributes=False, **chosen)
    model.fit(table(problem, form), problem.y, sample_weight=problem.weight)
    near(model.scores_, theirs.scores_, digits(problem, 1e-5, 1e-2))
    near(model.Cs_, theirs.Cs_, 1e-12)
    near(model.C_, theirs.C_, 1e-12)
    costs = (problems.logistic_cost(problem, m, float(theirs.C_)) for m in (model, theirs))
    no_worse(*costs, tolerance=digits(problem, 1e-8, 1e-6))
