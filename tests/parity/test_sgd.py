"""Against scikit-learn: the same rows in the same order give the same coefficients, up to rounding."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as peer

from pellucid import linear_model as ours

RNG = np.random.default_rng(3)
N, P = 60, 5
X = np.where(RNG.random((N, P)) < 0.3, 0.0, RNG.normal(size=(N, P)) / 2)
SIGNAL = X @ [1.0, -2.0, 0.5, 0.0, 3.0]
NUMBERS = SIGNAL + 1 + 0.3 * RNG.normal(size=N)
TWO = np.where(SIGNAL + 0.5 * RNG.normal(size=N) > 0, "yes", "no")
THREE = np.digitize(NUMBERS, [0.3, 1.6])
WEIGHT = RNG.integers(1, 4, N).astype(float)
TARGETS = {"SGDRegressor": {"numbers": NUMBERS}, "SGDClassifier": {"two": TWO, "three": THREE}}

OF_NUMBERS = ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]
OF_CLASSES = [*OF_NUMBERS, "hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron"]
LOSSES = {"SGDRegressor": OF_NUMBERS, "SGDClassifier": OF_CLASSES}
PENALTIES = [None, "l2", "l1", "elasticnet"]
RATES = ["constant", "optimal", "invscaling", "adaptive"]


def both(name: str, table: Any, y: Any, weight: Any = None, **settings: Any) -> None:
    """Fits with either and compares what a fit leaves behind."""
    sparse = scipy.sparse.issparse(table)
    more = {"intercept_decay": 0.01} if sparse else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a = getattr(peer, name)(random_state=42, **settings).fit(table, y, sample_weight=weight)
        b = getattr(ours, name)(random_state=42, **settings, **more).fit(table, y, sample_weight=weight)
    same(a, b)


def same(a: Any, b: Any, share: float = 1e-9) -> None:
    assert a.n_iter_ == b.n_iter_
    assert a.t_ == b.t_
    assert a.coef_.shape == b.coef_.shape
    assert a.intercept_.shape == b.intercept_.shape
    scale = max(np.abs(a.coef_).max(), np.abs(a.intercept_).max())
    np.testing.assert_allclose(b.coef_, a.coef_, rtol=0, atol=share * scale)
    np.testing.assert_allclose(b.intercept_, a.intercept_, rtol=0, atol=share * scale)


CASES = [(name, loss, penalty) for name in LOSSES for loss, penalty in product(LOSSES[name], PENALTIES)]


@pytest.mark.parametrize(("name", "loss", "penalty"), CASES)
def test_every_loss_penalty_and_rate(name: str, loss: str, penalty: str | None) -> None:
    # A large alpha keeps the first of Bottou's rates so short that no rounding error grows on its way.
    # Averages forget there what l1 drew; ours are held against the reference.
    averages = [False, True, 20] if penalty in (None, "l2") else [False]
    for rate, (_, y), average in product(RATES, TARGETS[name].items(), averages):
        alpha = 1.0 if rate == "optimal" else 0.01
        settings: dict[str, Any] = {
            "loss": loss,
            "penalty": penalty,
            "learning_rate": rate,
            "average": average,
            "alpha": alpha,
        }
        both(name, X, y, WEIGHT, **settings)


@pytest.mark.parametrize(("name", "loss", "penalty"), CASES)
def test_sparse_tables(name: str, loss: str, penalty: str | None) -> None:
    """With an end by count: scikit-learn's stopping rule sees the penalty of the last row's columns alone."""
    averages = [False, True] if penalty in (None, "l2") else [False]
    for rate, (_, y), average in product(RATES, TARGETS[name].items(), averages):
        alpha = 1.0 if rate == "optimal" else 0.01
        settings: dict[str, Any] = {
            "loss": loss,
            "penalty": penalty,
            "learning_rate": rate,
            "average": average,
            "alpha": alpha,
        }
        end = {} if penalty is None else {"tol": None, "max_iter": 7}
        both(name, scipy.sparse.csr_matrix(X), y, WEIGHT, **settings, **end)


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_passive_aggressive_steps(rate: str, penalty: str | None) -> None:
    settings: dict[str, Any] = {"learning_rate": rate, "penalty": penalty, "eta0": 0.7}
    # Long rows: beside them the intercept, which the length of a step leaves out, does not make it overshoot.
    both("SGDRegressor", 4 * X, NUMBERS, loss="epsilon_insensitive", **settings)
    for y in (TWO, THREE):
        both("SGDClassifier", 4 * X, y, loss="hinge", **settings)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.5, 1: 2.0, 2: 1.0}])
def test_class_weights(class_weight: Any) -> None:
    both("SGDClassifier", X, THREE, WEIGHT, class_weight=class_weight, alpha=0.1)
    both("Perceptron", X, THREE, WEIGHT, class_weight=class_weight)
    if class_weight != {0: 0.5, 1: 2.0, 2: 1.0}:
        both("SGDClassifier", X, TWO, WEIGHT, class_weight=class_weight, alpha=0.1)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_perceptron(penalty: str | None, y: Any) -> None:
    both("Perceptron", X, y, penalty=penalty)
    both("Perceptron", X, y, WEIGHT, penalty=penalty, fit_intercept=False, shuffle=False)


@pytest.mark.parametrize("penalty", [None, "l1"])
def test_early_stopping(penalty: str | None) -> None:
    """Where nothing is shrunk: scikit-learn scores coefficients before l2 has shrunk them."""
    common = {"penalty": penalty, "early_stopping": True, "validation_fraction": 0.2}
    for loss in OF_NUMBERS:
        both("SGDRegressor", X, NUMBERS, WEIGHT, loss=loss, **common)
    for loss, y in product(OF_CLASSES, (TWO, THREE)):
        if loss != "log_loss":  # there scikit-learn counts the rows of the first class as wrong
            both("SGDClassifier", X, y, WEIGHT, loss=loss, learning_rate="invscaling", **common)


@pytest.mark.parametrize("average", [False, True, 100])
def test_parts_one_after_the_other(average: Any) -> None:
    a = peer.SGDRegressor(random_state=0, average=average)
    b = ours.SGDRegressor(random_state=0, average=average)
    # Where it averages, scikit-learn's classifier forgets the intercept that the next part goes on from.
    c = peer.SGDClassifier(random_state=0, alpha=0.1, loss="log_loss")
    d = ours.SGDClassifier(random_state=0, alpha=0.1, loss="log_loss")
    for start in range(0, N, 20):
        part = slice(start, start + 20)
        a.partial_fit(X[part], NUMBERS[part], sample_weight=WEIGHT[part])
        b.partial_fit(X[part], NUMBERS[part], sample_weight=WEIGHT[part])
        same(a, b)
        c.partial_fit(X[part], THREE[part], classes=[0, 1, 2])
        d.partial_fit(X[part], THREE[part], classes=[0, 1, 2])
        same(c, d)


def test_a_start_and_a_warm_start() -> None:
    settings: dict[str, Any] = {"random_state": 1, "max_iter": 3, "tol": None, "warm_start": True, "alpha": 0.1}
    a, b = peer.SGDClassifier(**settings), ours.SGDClassifier(**settings)
    coef, intercept = np.ones((3, P)), np.array([1.0, 0.0, -1.0])
    a.fit(X, THREE, coef_init=coef.copy(), intercept_init=intercept.copy())  # it writes into them
    same(a, b.fit(X, THREE, coef_init=coef, intercept_init=intercept))
    same(a.fit(X, THREE), b.fit(X, THREE))


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_probabilities(loss: Any, y: Any) -> None:
    a = peer.SGDClassifier(loss=loss, random_state=0, alpha=0.1).fit(X, y)
    b = ours.SGDClassifier(loss=loss, random_state=0, alpha=0.1).fit(X, y)
    np.testing.assert_allclose(b.predict_proba(X), a.predict_proba(X), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(b.predict(X), a.predict(X))
    np.testing.assert_allclose(b.decision_function(X), a.decision_function(X), rtol=0, atol=1e-9)


def test_single_precision_is_near() -> None:
    a = peer.SGDRegressor(random_state=0).fit(X.astype(np.float32), NUMBERS.astype(np.float32))
    b = ours.SGDRegressor(random_state=0).fit(X.astype(np.float32), NUMBERS.astype(np.float32))
    assert a.coef_.dtype == b.coef_.dtype == np.float32
    same(a, b, 1e-4)


@pytest.mark.parametrize("name", ["SGDRegressor", "SGDClassifier", "Perceptron"])
def test_the_same_parameters_and_defaults(name: str) -> None:
    theirs, mine = getattr(peer, name)().get_params(), getattr(ours, name)().get_params()
    assert theirs.items() <= mine.items()
