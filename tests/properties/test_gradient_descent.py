"""Gradient descent against mathematics, and the kernel against the readable reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pellucid.linear_model import GradientDescentRegressor, LinearRegression
from pellucid.reference import gradient_descent as reference

Array = NDArray[np.float64]
RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, -2.0, 0.5] + 1 + RNG.normal(size=60) / 4
EXAMPLES = Path(__file__).parents[2] / "src" / "pellucid" / "working" / "examples"


# ----------------------------------------------------------------------------------------------------- the two agree


@st.composite
def choices(draw: st.DrawFn) -> dict[str, Any]:
    """Settings that both implementations know."""
    return {
        "cost": draw(st.sampled_from(["half_squared", "squared"])),
        "penalty": draw(st.sampled_from([None, "l1", "l2"])),
        "alpha": draw(st.sampled_from([0.0, 0.013, 0.3])),
        "fit_intercept": draw(st.booleans()),
        "batch_size": draw(st.sampled_from([None, 1, 2, 3, 5, 50])),
        "divide": draw(st.sampled_from(["batch", "rows", "none"])),
        "learning_rate": draw(st.sampled_from(["constant", "decay", "invscaling", "adaptive"])),
        "power_t": draw(st.sampled_from([0.25, 0.5])),
        "max_iter": draw(st.integers(1, 12)),
        "max_steps": draw(st.sampled_from([None, 1, 7, 20])),
        "tol": draw(st.sampled_from([None, 0.0037, 10.0])),
        "n_iter_no_change": draw(st.integers(1, 3)),
        "gradient_tol": draw(st.sampled_from([None, 0.043])),
    }


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.ConvergenceWarning")
@settings(max_examples=300, deadline=None)
@given(
    chosen=choices(),
    order=st.sampled_from(["given", "shuffled", "drawn", "listed"]),
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 12),
    columns=st.integers(1, 4),
    weighted=st.booleans(),
    sparse=st.booleans(),
)
def test_kernel_and_reference_agree(
    chosen: dict[str, Any], order: str, seed: int, rows: int, columns: int, weighted: bool, sparse: bool
) -> None:
    random = np.random.default_rng(seed)
    table, y = random.normal(size=(rows, columns)), random.normal(size=rows)
    weight = random.uniform(0.1, 3, size=rows) if weighted else None
    start = random.normal(size=columns + int(chosen["fit_intercept"]))
    rate = 0.37 / (2 * rows * 3 * (1 + (table**2).sum(axis=1).max()))
    chosen = {**chosen, "eta0": rate, "t0": 50 * rate, "t1": 50.0, "start": start}
    listed = random.integers(rows, size=7).tolist() if order == "listed" else order

    model = GradientDescentRegressor(**chosen, order=listed, random_state=seed)
    record = model.fit_with_history(scipy.sparse.csr_array(table) if sparse else table, y, weight)
    visited = record["order"][1][:, 1].astype(int) if "order" in record else "given"
    batch = chosen["batch_size"] if "order" in record else None
    known = reference.descend(table, y, **{**chosen, "batch_size": batch, "order": visited}, weight=weight)

    assert model.stopped_by_ == known.stopped_by
    assert (model.n_steps_, model.n_iter_) == (len(known.steps), len(known.epochs))
    near(model.path_, known.path)
    steps, epochs = read(record, "steps"), read(record, "epochs")
    near(steps["rate"], [step.rate for step in known.steps])
    near(steps["cost"], [step.cost for step in known.steps])
    near(steps["gradient_norm"], [np.linalg.norm(step.gradient) for step in known.steps])
    assert steps["epoch"].tolist() == [step.epoch for step in known.steps]
    assert steps["row"].tolist() == [step.rows[0] if len(step.rows) == 1 else -1 for step in known.steps]
    near(epochs["cost"], [epoch.cost for epoch in known.epochs])
    assert epochs["without_improvement"].tolist() == [epoch.without_improvement for epoch in known.epochs]
    if chosen["penalty"]:
        near(epochs["objective"], [epoch.objective for epoch in known.epochs])


def near(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def read(record: Any, name: str) -> dict[str, Array]:
    columns, rows = record[name]
    return dict(zip(columns, rows.T, strict=True))


# ------------------------------------------------------------------------------------------------------- mathematics


@pytest.mark.parametrize("cost", ["half_squared", "squared"])
def test_batch_descent_arrives_at_least_squares(cost: Any) -> None:
    model = GradientDescentRegressor(cost=cost, tol=None, gradient_tol=1e-10, max_iter=10_000).fit(X, Y)
    exact = LinearRegression().fit(X, Y)
    assert model.stopped_by_ == "gradient"
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-9)
    assert model.intercept_ == pytest.approx(exact.intercept_, abs=1e-9)


def test_with_an_l2_penalty_it_arrives_where_the_gradient_of_both_terms_is_zero() -> None:
    """mean(e x_j) + alpha theta_j = 0 for each column, and mean(e) = 0: the intercept is not penalized."""
    model = GradientDescentRegressor(penalty="l2", alpha=0.5, tol=None, gradient_tol=1e-11, max_iter=10_000).fit(X, Y)
    error = model.predict(X) - Y
    np.testing.assert_allclose(X.T @ error / len(X) + 0.5 * model.coef_, 0, atol=1e-10)
    assert error.mean() == pytest.approx(0, abs=1e-10)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), penalty=st.sampled_from([None, "l2"]), weighted=st.booleans())
def test_at_the_default_rate_the_objective_never_rises(seed: int, penalty: Any, weighted: bool) -> None:
    random = np.random.default_rng(seed)
    table = random.normal(size=(9, 3)) * 10.0 ** random.integers(-2, 3, size=3)
    y, weight = random.normal(size=9), random.uniform(size=9) if weighted else None
    model = GradientDescentRegressor(penalty=penalty, alpha=3.0, tol=None, max_iter=50)
    epochs = read(model.fit_with_history(table, y, weight), "epochs")
    objective = epochs.get("objective", epochs["cost"])
    assert (np.diff(objective) <= 1e-12 * objective[0]).all()


@pytest.mark.parametrize("divide", ["batch", "rows", "none"])
@pytest.mark.parametrize("batch_size", [None, 1, 7])
def test_the_default_rate_is_stable_for_every_batch_and_divisor(divide: Any, batch_size: Any) -> None:
    model = GradientDescentRegressor(divide=divide, batch_size=batch_size, tol=None, random_state=0, max_iter=300)
    model.fit(X, Y, sample_weight=RNG.uniform(0, 5, size=60))
    assert model.score(X, Y) > 0.95


def test_the_default_rate_is_one_over_the_longest_row() -> None:
    model = GradientDescentRegressor(max_steps=1).fit([[1.0, 2], [2, 4]], [1, 1])
    assert model.eta0_ == 1 / (1 + 4 + 16)
    assert GradientDescentRegressor(max_steps=1, cost="squared").fit([[3.0]], [1]).eta0_ == 1 / (2 * 10)
    assert GradientDescentRegressor(max_steps=1, fit_intercept=False).fit([[3.0]], [1]).eta0_ == 1 / 9


@pytest.mark.parametrize("penalty", [None, "l1", "l2"])
def test_a_weight_is_a_row_written_that_often(penalty: Any) -> None:
    times = RNG.integers(0, 4, size=60)
    model = GradientDescentRegressor(penalty=penalty, alpha=0.1, tol=None, max_iter=100)
    weighted = model.fit(X, Y, sample_weight=times).path_
    written = model.fit(np.repeat(X, times, axis=0), np.repeat(Y, times)).path_
    np.testing.assert_allclose(weighted, written, atol=1e-12)


def test_without_a_divisor_a_weight_multiplies_the_step() -> None:
    """As scikit-learn's: eta w (f - y) (1, x), from zero."""
    settings: dict[str, Any] = {"batch_size": 1, "order": "given", "divide": "none", "eta0": 0.5, "max_steps": 1}
    model = GradientDescentRegressor(**settings).fit([[3.0], [1.0]], [2.0, 0.0], sample_weight=[4.0, 1.0])
    np.testing.assert_allclose(model.path_[1], [0.5 * 4 * 2, 0.5 * 4 * 2 * 3], rtol=1e-15)


def test_a_divisor_is_a_rate() -> None:
    common: dict[str, Any] = {"batch_size": 4, "order": "given", "tol": None, "max_iter": 5}
    by_batch = GradientDescentRegressor(divide="batch", eta0=0.04, **common).fit(X, Y)
    by_rows = GradientDescentRegressor(divide="rows", eta0=0.04 * 15, **common).fit(X, Y)
    np.testing.assert_allclose(by_rows.path_, by_batch.path_, rtol=1e-12)


def test_the_paths_over_a_surface_with_penalties() -> None:
    """Data term alone, with l1, with l2, and l1 alone (a table of zeros): each of 50 steps."""
    example = json.loads((EXAMPLES / "002-lasso-versus-ridge-geometry.json").read_text(encoding="utf-8"))
    table, y = np.array(example["data"]["X"]), np.array(example["data"]["y"])
    runs = {
        "data term only": (table, {"penalty": None}),
        "Lasso, alpha = 0.5": (table, {"penalty": "l1", "alpha": 0.5}),
        "Ridge": (table, {"penalty": "l2", "alpha": 0.2}),
        "L1 penalty only": (0 * table, {"penalty": "l1", "alpha": 1 / 3}),
    }
    for entry in example["trace"]:
        data, chosen = runs[entry["path"]]
        model = GradientDescentRegressor(
            cost="squared", fit_intercept=False, eta0=0.1, start=[0.25, -1.0], max_steps=50, tol=None, **chosen
        ).fit(data, y if data.any() else 0 * y)
        steps = (
            31 if entry["path"] == "L1 penalty only" else 51
        )  # there theta_2 is 0 up to a rounding, whose sign decides
        np.testing.assert_allclose(model.path_[:steps], entry["theta"][:steps], atol=1e-12, err_msg=entry["path"])


# ---------------------------------------------------------------------------------------------------- order, bits, ends

STOCHASTIC: list[dict[str, Any]] = [
    {"batch_size": 1},
    {"batch_size": 7, "order": "drawn", "penalty": "l2", "alpha": 0.1},
    {"batch_size": 1, "order": [3, 1, 4, 1, 5], "learning_rate": "decay", "t0": 1.0, "penalty": "l1"},
    {"batch_size": 60, "order": "drawn", "fit_intercept": False},
]
stochastic = pytest.mark.parametrize("chosen", STOCHASTIC, ids=str)


def make(chosen: dict[str, Any], **more: Any) -> GradientDescentRegressor:
    return GradientDescentRegressor(**{"tol": None, "max_iter": 8, "random_state": 5, **chosen, **more})


@stochastic
def test_watching_and_threads_change_no_bit(chosen: dict[str, Any]) -> None:
    path = make(chosen).fit(X, Y).path_
    recorded = make(chosen, n_jobs=3)
    recorded.fit_with_history(X, Y)
    assert recorded.path_.tobytes() == path.tobytes()


@stochastic
def test_every_layout_gives_the_same_path(chosen: dict[str, Any]) -> None:
    path = make(chosen).fit(X, Y).path_
    for other in (np.asfortranarray(X), X[::-1].copy()[::-1], scipy.sparse.csr_array(X), scipy.sparse.csc_array(X)):
        np.testing.assert_allclose(make(chosen).fit(other, Y).path_, path, atol=1e-13)


@stochastic
def test_the_path_has_its_ends(chosen: dict[str, Any]) -> None:
    model = make(chosen).fit(X, Y)
    assert len(model.path_) == model.n_steps_ + 1
    assert model.path_[0].tolist() == model.start_.tolist()
    last = [model.intercept_, *model.coef_] if model.fit_intercept else [*model.coef_]
    assert model.path_[-1].tolist() == last
    assert not hasattr(make(chosen, keep_path=False).fit(X, Y), "path_")


def test_shuffled_epochs_hold_every_row_once_and_depend_on_the_seed_alone() -> None:
    def rows(seed: int) -> Array:
        model = GradientDescentRegressor(batch_size=1, max_iter=3, tol=None, random_state=seed)
        return read(model.fit_with_history(X, Y), "order")["row"].reshape(3, 60)

    first = rows(1)
    assert (np.sort(first, axis=1) == np.arange(60)).all()
    assert (first[0] != first[1]).any()
    assert (rows(1) == first).all()
    assert (rows(2) != first).any()


def test_long_runs_keep_the_ends_of_their_tables() -> None:
    model = GradientDescentRegressor(batch_size=1, max_iter=200, tol=None, random_state=0)
    record = model.fit_with_history(X, Y)
    steps = read(record, "steps")["step"]
    assert steps.tolist() == [*range(1, 5001), *range(7001, 12001)]
    assert read(record, "order")["step"].tolist() == steps.tolist()
    assert record["steps"][0][6:] == ["theta_0", "theta_1", "theta_2", "theta_3"]
    near(record["steps"][1][:, 6:], model.path_[steps.astype(int)])


def test_no_intercept_has_no_theta_0() -> None:
    model = GradientDescentRegressor(fit_intercept=False, max_steps=2)
    assert model.fit_with_history(X, Y)["steps"][0][6:] == ["theta_1", "theta_2", "theta_3"]


class StopAfter:
    """A callback that ends the fit after some epochs."""

    def __init__(self, epochs: int) -> None:
        self.left = epochs

    def setup(self, estimator: Any, context: Any) -> None: ...
    def teardown(self, estimator: Any, context: Any) -> None: ...
    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        self.left -= 1
        return self.left == 0


@pytest.mark.parametrize("batch_size", [None, 7])
def test_a_callback_ends_the_fit_after_an_epoch(batch_size: int | None) -> None:
    chosen: dict[str, Any] = {"batch_size": batch_size, "random_state": 0, "tol": None}
    stopped = GradientDescentRegressor(**chosen).set_callbacks(StopAfter(3)).fit(X, Y)
    assert (stopped.stopped_by_, stopped.n_iter_) == ("callback", 3)
    counted = GradientDescentRegressor(**chosen, max_iter=3).fit(X, Y)
    assert stopped.path_.tobytes() == counted.path_.tobytes()


# --------------------------------------------------------------------------------------------- functions of a vector


def test_central_differences_are_exact_for_small_quadratics() -> None:
    def f(v: Array) -> float:
        return float((3 * v[0] + 2 * v[1]) ** 2)

    assert reference.gradient(f, [1, 2]).tolist() == [42, 28]
    assert reference.gradient(f, [-2, 3]).tolist() == [0, 0]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=4))
def test_central_differences_of_smooth_functions(at: list[float]) -> None:
    found = reference.gradient(lambda v: float(np.exp(v).sum() + np.sin(v).prod()), at)
    x = np.array(at)
    others = [np.prod(np.sin(np.delete(x, j))) for j in range(len(x))]
    np.testing.assert_allclose(found, np.exp(x) + np.cos(x) * others, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("given_gradient", [True, False])
def test_minimize_finds_the_bottom_of_a_bowl(given_gradient: bool) -> None:
    """f(v) = (v_0 - 1)² + 2 (v_1 + 3)²: from 0 a rate of 0.25 halves the way to 1 and makes the one to -3 at once."""

    def f(v: Array) -> float:
        return float((v[0] - 1) ** 2 + 2 * (v[1] + 3) ** 2)

    def slope(v: Array) -> Array:
        return np.array([2 * (v[0] - 1), 4 * (v[1] + 3)])

    found = reference.minimize(f, [0.0, 0.0], slope if given_gradient else None, rate=0.25)
    np.testing.assert_allclose(found.x, [1, -3], atol=1e-8)
    np.testing.assert_allclose(found.path[1], [0.5, -3], atol=1e-9)
    np.testing.assert_allclose(found.path[2], [0.75, -3], atol=1e-9)
    assert len(found.path) == len(found.gradients)
