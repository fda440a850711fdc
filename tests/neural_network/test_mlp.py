"""Networks: the kernel against the readable reference, and what the settings promise."""

from __future__ import annotations

import pickle
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from pellucid import _core
from pellucid.base.errors import ConvergenceWarning, DataError
from pellucid.neural_network import MLPClassifier, MLPRegressor
from pellucid.reference import mlp as reference

RNG = np.random.default_rng(5)
X = RNG.normal(size=(50, 4))
NUMBERS = np.column_stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] * X[:, 3]])
COUNTS = RNG.poisson(np.exp(X[:, 0] / 2)).astype(float)
TWO = (X[:, 0] * X[:, 1] > 0).astype(int)
THREE = np.array(["ash", "elm", "oak"])[np.digitize(X[:, 0] + X[:, 1], [-0.6, 0.6])]
WEIGHT = RNG.integers(1, 4, 50).astype(float)


def layers_of(sizes: list[int], seed: int = 1) -> reference.Layers:
    rng = np.random.default_rng(seed)
    return [(rng.normal(size=(a, b)) / np.sqrt(a), rng.normal(size=b) / 2) for a, b in pairwise(sizes)]


def given(layers: reference.Layers) -> dict[str, Any]:
    return {"coefs_init": [W for W, _ in layers], "intercepts_init": [b for _, b in layers]}


def in_order(n: int, size: int, epochs: int) -> list[list[Any]]:
    return [[np.arange(at, min(at + size, n)) for at in range(0, n, size)] for _ in range(epochs)]


def assert_layers(model: Any, layers: reference.Layers, tolerance: float = 1e-12) -> None:
    for W, b, (wanted, bias) in zip(model.coefs_, model.intercepts_, layers, strict=True):
        np.testing.assert_allclose(W, wanted, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(b, bias, rtol=tolerance, atol=tolerance)


# ---------------------------------------------------------------------------------------------- kernel and reference

OUTPUTS = [
    ("identity", "squared_error", NUMBERS),
    ("logistic", "squared_error", 1 / (1 + np.exp(-NUMBERS))),
    ("tanh", "squared_error", np.tanh(NUMBERS)),
    ("logistic", "log_loss", TWO[:, None].astype(float)),
    ("softmax", "log_loss", np.eye(3)[np.searchsorted(["ash", "elm", "oak"], THREE)]),
    ("exp", "poisson", COUNTS[:, None]),
]
BENDS, LOSSES = ("identity", "logistic", "tanh", "relu", "softmax", "exp"), ("squared_error", "log_loss", "poisson")


@pytest.mark.parametrize("hidden", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize(("output", "loss", "y"), OUTPUTS, ids=[f"{bend}-{loss}" for bend, loss, _ in OUTPUTS])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_loss_and_gradient_are_the_references(hidden: str, output: str, loss: str, y: Any, weight: Any) -> None:
    sizes = [4, 5, 3, y.shape[1]]
    layers = layers_of(sizes)
    theta = np.concatenate([part.ravel() for layer in layers for part in layer])
    network = _core.Network(sizes, BENDS.index(hidden), BENDS.index(output), LOSSES.index(loss))
    value, slopes = _core.network_gradient(_core.dense(X), np.ascontiguousarray(y), weight, network, 0.1, theta, 2)
    wanted, parts = reference.gradient(X, y, layers, hidden, output, loss, 0.1, weight)
    assert value == pytest.approx(wanted, rel=1e-13)
    flat = np.concatenate([part.ravel() for layer in parts for part in layer])
    np.testing.assert_allclose(slopes, flat, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("hidden", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ({"solver": "adam", "learning_rate_init": 0.02}, lambda: reference.Adam(0.02)),
        (
            {"solver": "adam", "learning_rate_init": 0.1, "beta_1": 0.5, "beta_2": 0.9, "epsilon": 1e-3},
            lambda: reference.Adam(0.1, 0.5, 0.9, 1e-3),
        ),
        ({"solver": "sgd", "learning_rate_init": 0.05}, lambda: reference.Momentum(0.05)),
        (
            {"solver": "sgd", "learning_rate_init": 0.05, "momentum": 0.3, "nesterovs_momentum": False},
            lambda: reference.Momentum(0.05, 0.3, False),
        ),
    ],
    ids=["adam", "adam-other", "nesterov", "momentum"],
)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_every_step_is_the_references(hidden: Any, settings: dict[str, Any], steps: Any, weight: Any) -> None:
    layers = layers_of([4, 6, 3, 2])
    model = MLPRegressor(
        hidden_layer_sizes=(6, 3), activation=hidden, alpha=0.01, batch_size=16, shuffle=False, max_iter=7, tol=None,
        **given(layers), **settings,
    ).fit(X, NUMBERS, weight)  # fmt: skip
    wanted, curve = reference.train(X, NUMBERS, layers, steps(), in_order(50, 16, 7), hidden, alpha=0.01, weight=weight)
    assert_layers(model, wanted)
    np.testing.assert_allclose(model.loss_curve_, curve, rtol=1e-12)


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("loss", ["log_loss", "squared_error"])
def test_classes_are_learned_as_the_reference_does(labels: Any, loss: Any) -> None:
    classes, codes = np.unique(labels, return_inverse=True)
    y = codes[:, None].astype(float) if len(classes) == 2 else np.eye(3)[codes]
    output = "logistic" if len(classes) == 2 or loss == "squared_error" else "softmax"
    layers = layers_of([4, 5, y.shape[1]])
    model = MLPClassifier(
        5, "tanh", loss=loss, learning_rate_init=0.02, batch_size=20, shuffle=False, max_iter=5, tol=None,
        **given(layers),
    ).fit(X, labels)  # fmt: skip
    wanted, curve = reference.train(
        X, y, layers, reference.Adam(0.02), in_order(50, 20, 5), "tanh", output, loss, alpha=0.0001
    )
    assert_layers(model, wanted)
    assert model.out_activation_ == output
    np.testing.assert_allclose(model.loss_curve_, curve, rtol=1e-12)
    p = reference.forward(X, wanted, "tanh", output)[-1]
    p = np.hstack([1 - p, p]) if len(classes) == 2 else p / p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), p, atol=1e-12)
    assert (model.predict(X) == classes[p.argmax(axis=1)]).all()


def test_counts_are_learned_as_the_reference_does() -> None:
    layers = layers_of([4, 3, 1])
    model = MLPRegressor(
        "poisson", 3, "tanh", batch_size=50, shuffle=False, max_iter=4, tol=None, **given(layers)
    ).fit(X, COUNTS)  # fmt: skip
    wanted, _ = reference.train(
        X, COUNTS[:, None], layers, reference.Adam(), in_order(50, 50, 4), "tanh", "exp", "poisson", alpha=0.0001
    )
    assert_layers(model, wanted)
    assert (model.predict(X) > 0).all()


def test_recorded_batches_are_the_ones_that_were_learned_from() -> None:
    """Shuffled rows: the reference follows the order that the kernel tells."""
    layers = layers_of([4, 3, 1])
    model = MLPRegressor(
        hidden_layer_sizes=3, batch_size=15, max_iter=2, tol=None, random_state=3, **given(layers)
    )  # fmt: skip
    tables = model.fit_with_history(X, NUMBERS[:, 0])
    rows = tables["batches"][1]
    batches = [[rows[rows[:, 0] == u, 1].astype(int) for u in range(1 + 4 * e, 5 + 4 * e)] for e in range(2)]
    for epoch in batches:
        assert sorted(np.concatenate(epoch)) == list(range(50))
    assert batches[0][0].tolist() != list(range(15))
    wanted, _ = reference.train(X, NUMBERS[:, :1], layers, reference.Adam(), batches, alpha=0.0001)
    assert_layers(model, wanted)


# ---------------------------------------------------------------------------------------------------------- settings


def test_lbfgs_ends_where_all_slopes_are_small() -> None:
    model = MLPRegressor(hidden_layer_sizes=4, activation="tanh", solver="lbfgs", alpha=0.1, tol=1e-5, max_iter=2000,
                         random_state=0).fit(X, NUMBERS)  # fmt: skip
    layers = list(zip(model.coefs_, model.intercepts_, strict=True))
    value, slopes = reference.gradient(X, NUMBERS, layers, "tanh", alpha=0.1)
    assert value == pytest.approx(model.loss_, rel=1e-12)
    assert max(float(np.abs(part).max()) for layer in slopes for part in layer) < 1e-3


def test_without_hidden_layers_it_is_ridge_regression() -> None:
    model = MLPRegressor(hidden_layer_sizes=(), solver="lbfgs", alpha=2.0, tol=1e-9, max_iter=2000).fit(X, NUMBERS)
    centered = X - X.mean(axis=0)
    coef = np.linalg.solve(centered.T @ centered + 2 * np.eye(4), centered.T @ (NUMBERS - NUMBERS.mean(axis=0)))
    np.testing.assert_allclose(model.coefs_[0], coef, atol=1e-4)


def test_weights_are_repetitions_for_lbfgs_of_a_linear_model() -> None:
    repeated = np.repeat(np.arange(50), WEIGHT.astype(int))
    make = MLPClassifier((), solver="lbfgs", alpha=0.5, tol=1e-9, max_iter=2000, random_state=0)
    a = make.fit(X, THREE, WEIGHT).coefs_[0]
    np.testing.assert_allclose(a, make.fit(X[repeated], THREE[repeated]).coefs_[0], atol=1e-5)


@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
def test_the_same_bits_on_any_number_of_threads(solver: Any) -> None:
    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(900, 20)), rng.integers(0, 3, 900)
    found = []
    for jobs in (1, 2, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = MLPClassifier((64, 32), solver=solver, max_iter=4, random_state=0, n_jobs=jobs).fit(table, y)
        found.append(b"".join(W.tobytes() for W in model.coefs_) + model.predict_proba(table).tobytes())
    assert found[0] == found[1] == found[2]


def test_a_seed_gives_the_same_network_and_another_one_another() -> None:
    fits = [
        MLPRegressor(hidden_layer_sizes=5, max_iter=3, tol=None, random_state=seed).fit(X, NUMBERS)
        for seed in (1, 1, 2)
    ]
    assert (fits[0].coefs_[0] == fits[1].coefs_[0]).all()
    assert not np.allclose(fits[0].coefs_[0], fits[2].coefs_[0])


@pytest.mark.parametrize(("activation", "factor"), [("logistic", 2), ("relu", 6)])
def test_the_start_is_drawn_between_glorots_bounds(activation: Any, factor: int) -> None:
    wide = MLPRegressor(hidden_layer_sizes=400, activation=activation, solver="sgd", learning_rate_init=1e-300,
                        max_iter=1, tol=None, random_state=0).fit(X, NUMBERS)  # fmt: skip
    bound = np.sqrt(factor / 404)
    assert 0.98 * bound < np.abs(wide.coefs_[0]).max() <= bound
    assert abs(wide.coefs_[0].mean()) < 0.06 * bound


def test_early_stopping_keeps_the_best_epoch() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(300, 5))
    y = (table[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = MLPClassifier(30, learning_rate_init=0.02, early_stopping=True, max_iter=500, random_state=0).fit(table, y)
    assert model.n_iter_ == len(model.validation_scores_) < 500
    assert model.best_validation_score_ == max(model.validation_scores_)
    best = int(np.argmax(model.validation_scores_)) + 1
    again = MLPClassifier(30, learning_rate_init=0.02, early_stopping=True, max_iter=best, tol=None, random_state=0)
    again.fit(table, y)
    assert all((a == b).all() for a, b in zip(model.coefs_, again.coefs_, strict=True))


def test_the_adaptive_rate_is_divided_by_five() -> None:
    model = MLPRegressor(hidden_layer_sizes=(), solver="sgd", learning_rate="adaptive", learning_rate_init=0.1,
                         max_iter=5000, n_iter_no_change=2, random_state=0)  # fmt: skip
    columns, epochs = model.fit_with_history(X, NUMBERS)["epochs"]
    rates = np.unique(epochs[:, columns.index("rate")])[::-1]
    np.testing.assert_allclose(rates, 0.1 / 5.0 ** np.arange(len(rates)))
    assert rates[-1] <= 5e-6
    assert model.n_iter_ < 5000


def test_invscaling_divides_by_a_power_of_the_rows_so_far() -> None:
    model = MLPRegressor(hidden_layer_sizes=(), solver="sgd", learning_rate="invscaling", learning_rate_init=0.1,
                         power_t=0.7, max_iter=4, tol=None)  # fmt: skip
    columns, epochs = model.fit_with_history(X, NUMBERS)["epochs"]
    np.testing.assert_allclose(epochs[:, columns.index("rate")], 0.1 / (50.0 * np.arange(4) + 1) ** 0.7)


def test_the_last_fit_is_gone_on_from() -> None:
    long = MLPClassifier(4, solver="lbfgs", max_iter=300, random_state=0).fit(X, TWO)
    warm = MLPClassifier(4, solver="lbfgs", max_iter=300, random_state=0, warm_start=True).fit(X, TWO).fit(X, TWO)
    assert warm.loss_ <= long.loss_ + 1e-9
    assert warm.n_iter_ < long.n_iter_
    with pytest.raises(DataError, match="warm_start needs the layers"):
        warm.fit(X[:, :3], TWO)


def test_parts_are_epochs() -> None:
    whole = MLPClassifier(4, max_iter=5, tol=None, shuffle=False, random_state=0).fit(X, THREE)
    parts = MLPClassifier(4, shuffle=False, random_state=0)
    for _ in range(5):
        parts.partial_fit(X, THREE, classes=np.unique(THREE))
    for a, b in zip(whole.coefs_, parts.coefs_, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(whole.loss_curve_, parts.loss_curve_)
    assert not hasattr(MLPClassifier(solver="lbfgs"), "partial_fit")
    assert not hasattr(MLPRegressor(early_stopping=True), "partial_fit")


def test_sparse_tables_give_the_same_network() -> None:
    table = np.where(np.abs(X) < 0.5, 0.0, X)
    make = MLPClassifier(5, max_iter=5, tol=None, random_state=0)
    dense = make.fit(table, THREE).coefs_
    sparse = make.fit(scipy.sparse.csr_matrix(table), THREE)
    assert all((a == b).all() for a, b in zip(dense, sparse.coefs_, strict=True))
    assert (sparse.predict_proba(scipy.sparse.csc_matrix(table)) == make.predict_proba(table)).all()


def test_single_precision_is_double_precision_rounded() -> None:
    table = X.astype(np.float32)
    make = MLPRegressor(hidden_layer_sizes=5, max_iter=5, tol=None, random_state=0)
    single = make.fit(table, NUMBERS).coefs_
    wide = make.fit(table.astype(np.float64), NUMBERS).coefs_
    assert all(a.dtype == np.float32 and (a == b.astype(np.float32)).all() for a, b in zip(single, wide, strict=True))


def test_one_of_two_flags_is_learned() -> None:
    table, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    model = MLPClassifier(4, "tanh", solver="lbfgs", random_state=1).fit(table, y)
    assert (model.predict(table) == y).all()
    assert (pickle.loads(pickle.dumps(model)).predict_proba(table) == model.predict_proba(table)).all()


def test_a_rate_that_is_too_high_is_said() -> None:
    with pytest.raises(DataError, match="non-finite parameter weights"):
        MLPRegressor(hidden_layer_sizes=(), solver="sgd", learning_rate_init=1e3, tol=None).fit(X * 100, NUMBERS)


def test_too_few_epochs_are_said() -> None:
    with pytest.warns(ConvergenceWarning, match="tol was not reached after 2 epochs"):
        MLPRegressor(hidden_layer_sizes=3, max_iter=2).fit(X, NUMBERS)
    with pytest.warns(ConvergenceWarning, match="tol was not reached after 2 steps"):
        MLPRegressor(hidden_layer_sizes=3, solver="lbfgs", max_iter=2).fit(X, NUMBERS)


# ----------------------------------------------------------------------------------------------------------- workings


@pytest.mark.parametrize("solver", ["adam", "sgd", "lbfgs"])
@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
def test_a_working_of_each_kind_comes_out(solver: Any, activation: Any) -> None:
    few = slice(0, 9)
    for y, make in ((THREE, MLPClassifier), (TWO, MLPClassifier), (NUMBERS, MLPRegressor)):
        model = make(hidden_layer_sizes=(3, 2), activation=activation, solver=solver, max_iter=3, tol=None,
                     batch_size=4, random_state=0).fit(X[few], y[few], WEIGHT[few])  # fmt: skip
        shown = model.show_fit(X[few], y[few], WEIGHT[few])
        assert "delta_1" in shown.cells
        assert model.show_predict(X[few]).value("a_3").shape == (3, len(np.atleast_2d(model.intercepts_[-1])[0]))


def test_one_update_leads_to_the_fitted_weights() -> None:
    model = MLPClassifier(2, "tanh", solver="sgd", learning_rate_init=0.5, max_iter=1, tol=None, random_state=0)
    model.fit(X[:6], TWO[:6])
    shown = model.show_fit(X[:6], TWO[:6])
    np.testing.assert_allclose(shown.value("new_W_1"), model.coefs_[0], rtol=1e-9)
    assert shown.cells["new_W_1"].attribute == "coefs_[0]"
