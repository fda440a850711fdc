"""Against scikit-learn: from the same weights, with rows in their order, every update is the same up to rounding."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import Any

import numpy as np
import pytest
import sklearn.neural_network as peer

from pellucid import neural_network as ours

RNG = np.random.default_rng(2)
X = RNG.normal(size=(120, 4))
NUMBERS = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
TWO = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + X[:, 1], [-0.6, 0.6])
COUNTS = RNG.poisson(np.exp(X[:, 0] / 2)).astype(float)
WEIGHT = RNG.integers(1, 4, 120).astype(float)

STEPS: list[dict[str, Any]] = [
    {"solver": "adam", "learning_rate_init": 0.01},
    {"solver": "adam", "beta_1": 0.5, "beta_2": 0.9, "epsilon": 1e-4, "learning_rate_init": 0.02},
    {"solver": "sgd", "learning_rate_init": 0.05},
    {"solver": "sgd", "learning_rate_init": 0.05, "momentum": 0.4, "nesterovs_momentum": False},
    {"solver": "sgd", "learning_rate_init": 0.1, "learning_rate": "invscaling"},
    {"solver": "sgd", "learning_rate_init": 0.1, "learning_rate": "adaptive", "n_iter_no_change": 2, "tol": 0.01},
]


def both(name: str, y: Any, weight: Any = None, **settings: Any) -> tuple[Any, Any]:
    """One epoch of the peer, whose end is the start of both; then both go on afresh."""
    settings = {"hidden_layer_sizes": (6, 3), "shuffle": False, "batch_size": 32, "max_iter": 15, **settings}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a = getattr(peer, name)(random_state=0, warm_start=True, **{**settings, "max_iter": 1}).fit(X, y)
        start = {
            "coefs_init": [W.copy() for W in a.coefs_],
            "intercepts_init": [b.copy() for b in a.intercepts_],
        }
        a.max_iter = settings["max_iter"]
        a.loss_curve_, a.best_loss_, a._no_improvement_count, a.t_ = [], np.inf, 0, 0
        a.fit(X, y, sample_weight=weight)
        b = getattr(ours, name)(random_state=0, **settings, **start).fit(X, y, sample_weight=weight)
    return a, b


def assert_same(a: Any, b: Any) -> None:
    assert a.n_iter_ == b.n_iter_
    np.testing.assert_allclose(b.loss_curve_, a.loss_curve_, rtol=1e-9)
    for theirs, own in zip(a.coefs_ + a.intercepts_, b.coefs_ + b.intercepts_, strict=True):
        np.testing.assert_allclose(own, theirs, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("settings", STEPS, ids=lambda s: "-".join(str(v) for v in s.values()))
@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_updates(settings: dict[str, Any], activation: str, weight: Any) -> None:
    for name, y in (("MLPClassifier", TWO), ("MLPClassifier", THREE), ("MLPRegressor", NUMBERS)):
        a, b = both(name, y, weight, activation=activation, **settings)
        assert_same(a, b)
        assert a.out_activation_ == b.out_activation_
        if name == "MLPClassifier":
            np.testing.assert_allclose(b.predict_proba(X), a.predict_proba(X), atol=1e-9)
        assert (
            (b.predict(X) == a.predict(X)).all() if name == "MLPClassifier" else np.allclose(b.predict(X), a.predict(X))
        )


def test_counts() -> None:
    assert_same(*both("MLPRegressor", COUNTS, loss="poisson", activation="tanh", learning_rate_init=0.01))


@pytest.mark.parametrize("name", ["MLPClassifier", "MLPRegressor"])
def test_the_loss_that_is_reached(name: str) -> None:
    """Other random numbers, the same kind of place: over five seeds neither is the better one by much."""
    reached = []
    for module in (peer, ours):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = THREE if name == "MLPClassifier" else NUMBERS
            fits = [
                getattr(module, name)(hidden_layer_sizes=8, solver="lbfgs", alpha=0.1, max_iter=800, random_state=s)
                for s in range(5)
            ]
            reached.append(np.median([model.fit(X, y).loss_ for model in fits]))
    assert reached[1] == pytest.approx(reached[0], rel=0.15)


@pytest.mark.parametrize("name", ["MLPClassifier", "MLPRegressor"])
def test_parameters_have_the_same_names_and_defaults(name: str) -> None:
    own = signature(getattr(ours, name)).parameters
    for key, parameter in signature(getattr(peer, name)).parameters.items():
        assert own[key].default == parameter.default, key
        assert own[key].kind == parameter.kind, key
