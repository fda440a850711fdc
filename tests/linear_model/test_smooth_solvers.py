"""Newton's method and L-BFGS: the kernels against mathematics, the readable reference, and each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from pellucid import _core
from pellucid.base.types import History, Listener
from pellucid.reference import logistic_regression as reference

Array = NDArray[np.float64]
CONVERGED, COUNT, TOLD, OVERFLOW, SEPARATED = range(5)


class Answer(NamedTuple):
    stop: int
    passes: int
    objective: float
    measure: float
    coef: Array
    intercept: Array
    tables: History | None


def settings(**named: Any) -> _core.LinearSettings:
    chosen = _core.LinearSettings()
    chosen.tol, chosen.most_passes = 1e-10, 500
    for name, value in named.items():
        assert hasattr(chosen, name)
        setattr(chosen, name, value)
    return chosen


def matrix(X: Any) -> _core.Matrix:
    if scipy.sparse.issparse(X):
        return _core.csr(X.data, X.indices, X.indptr, X.shape[1])
    return _core.dense(X)


def solve(
    solver: str,
    X: Any,
    y: ArrayLike,
    *,
    loss: str = "logistic",
    weight: Array | None = None,
    start: tuple[Array, Array] | None = None,
    positive: bool = False,
    record: bool = False,
    listener: Listener | None = None,
    **named: Any,
) -> Answer:
    target = np.asarray(y, dtype=float)
    k = int(target.max()) + 1 if loss == "softmax" else 1
    first = start if start is not None else (np.zeros((k, X.shape[1])), np.zeros(k))
    (W, b), how = first, settings(**named)
    if solver == "newton":
        return Answer(*_core.newton(matrix(X), target, weight, W, b, how, record, listener))
    return Answer(*_core.lbfgs(matrix(X), target, weight, W, b, how, loss, positive, record, listener))


def table(rows: int, columns: int, seed: int = 0) -> Array:
    """Columns of several means and spreads, some alike."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)) + rng.standard_normal((rows, 1))
    return X * np.geomspace(0.3, 3, columns) + np.linspace(-2, 5, columns)


def labels(X: Array, classes: int = 2, seed: int = 1) -> Array:
    """Classes that no plane parts, some rarer than others."""
    rng = np.random.default_rng(seed)
    scores = (X - X.mean(axis=0)) @ rng.standard_normal((X.shape[1], classes)) + rng.gumbel(size=(len(X), classes)) * 2
    y: Array = scores.argmax(axis=1).astype(float)
    y[:classes] = np.arange(classes)
    return y


X = table(150, 5)
Y = labels(X)
SOLVERS = ("newton", "lbfgs")
LAYOUTS: dict[str, Any] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda a: np.repeat(np.repeat(a, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda a: np.ascontiguousarray(a[:, ::-1])[:, ::-1],
    "csr": scipy.sparse.csr_array,
}


# ------------------------------------------------------------------------------------------- kernel and reference


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("l2", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize(("fit_intercept", "intercept_l2"), [(True, 0.0), (False, 0.0), (True, 0.5)])
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_as_the_reference(
    solver: str, l2: float, fit_intercept: bool, intercept_l2: float, weighted: bool
) -> None:
    weight = np.random.default_rng(2).integers(0, 4, len(Y)).astype(float) if weighted else None
    of = reference.cost(X, Y, l2=l2, intercept_l2=intercept_l2, fit_intercept=fit_intercept, weight=weight)
    want = reference.newton(of, tol=1e-11)
    assert want.converged
    got = solve(solver, X, Y, weight=weight, l2=l2, intercept=fit_intercept, intercept_l2=intercept_l2)
    assert got.stop == CONVERGED
    np.testing.assert_allclose(got.coef, want.coef, atol=1e-7)
    np.testing.assert_allclose(got.intercept, want.intercept, atol=1e-7)
    assert got.objective == pytest.approx(want.values[-1], rel=1e-13)


@pytest.mark.parametrize("classes", [3, 4, 7])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_softmax_as_the_reference(classes: int, fit_intercept: bool, weighted: bool) -> None:
    y = labels(X, classes)
    weight = np.random.default_rng(2).uniform(0.1, 3, len(y)) if weighted else None
    of = reference.cost(X, y, loss="softmax", l2=0.05, fit_intercept=fit_intercept, weight=weight)
    want = reference.lbfgs(of, tol=1e-9, max_iter=5000)
    assert want.converged
    got = solve("lbfgs", X, y, loss="softmax", weight=weight, l2=0.05, intercept=fit_intercept)
    assert got.stop == CONVERGED
    np.testing.assert_allclose(got.coef, want.coef, atol=1e-6)
    np.testing.assert_allclose(got.intercept, want.intercept, atol=1e-6)
    assert got.objective == pytest.approx(want.values[-1], rel=1e-12)


def test_gradient_descent_of_the_reference_comes_to_the_same_place() -> None:
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for loss, y in (("logistic", Y), ("softmax", labels(X, 3))):
        of = reference.cost(Z, y, loss=loss, l2=0.1)  # type: ignore[arg-type]
        slow = reference.gradient_descent(of, rate=0.3, tol=1e-9, max_iter=5000)
        assert slow.converged
        assert (np.diff(slow.values) <= 1e-15).all()
        np.testing.assert_allclose(slow.coef, solve("lbfgs", Z, y, loss=loss, l2=0.1).coef, atol=1e-7)


def test_every_newton_step_is_the_textbooks() -> None:
    want = reference.newton(reference.cost(X, Y, l2=1e-3), tol=1e-8)
    tables = solve("newton", X, Y, l2=1e-3, tol=1e-8, record=True).tables
    assert tables is not None
    columns, rows = tables["passes"]
    assert columns == ["pass", "objective", "slope", "step", *(f"coef_{j}" for j in range(5)), "intercept"]
    assert rows[:, 0].tolist() == list(range(len(want.values)))
    np.testing.assert_allclose(rows[:, 1], want.values, rtol=1e-12)
    np.testing.assert_allclose(rows[:, 2], want.slopes, rtol=1e-6, atol=1e-13)
    np.testing.assert_allclose(rows[:, 4:], want.thetas, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("l2", [0.0, 0.2])
def test_squared_loss(positive: bool, l2: float) -> None:
    y = X @ [1.0, -2.0, 0.5, 0.0, 3.0] + 1 + np.random.default_rng(4).standard_normal(len(X))
    got = solve("lbfgs", X, y, loss="squared", positive=positive, l2=l2, tol=1e-9)
    assert got.stop == CONVERGED
    if positive:
        want = reference.lbfgs(reference.cost(X, y, loss="squared", l2=l2), tol=1e-8, positive=True, max_iter=5000)
        assert want.converged
        assert want.coef.min() == 0
        assert got.coef.min() == 0
        np.testing.assert_allclose(got.coef, want.coef, atol=1e-6)
        return
    Z = X - X.mean(axis=0)
    exact = np.linalg.solve(Z.T @ Z / len(y) + l2 * np.eye(5), Z.T @ (y - y.mean()) / len(y))
    np.testing.assert_allclose(got.coef[0], exact, atol=1e-8)
    assert got.intercept[0] == pytest.approx(y.mean() - X.mean(axis=0) @ exact, abs=1e-7)


# ---------------------------------------------------------------------------------------------------- mathematics


@pytest.mark.parametrize("loss", ["logistic", "softmax", "squared"])
def test_slopes_of_the_reference_are_finite_differences(loss: Any) -> None:
    y = labels(X, 3) if loss == "softmax" else Y
    weight = np.random.default_rng(5).uniform(0, 2, len(y))
    of = reference.cost(X, y, loss=loss, l2=0.3, intercept_l2=0.2, weight=weight)
    theta = np.random.default_rng(6).standard_normal(len(reference.start(of))) / 3
    slope = of.value_and_slope(theta)[1]
    for j, e in enumerate(np.eye(len(theta)) * 1e-5):
        difference = (of.value_and_slope(theta + e)[0] - of.value_and_slope(theta - e)[0]) / 2e-5
        assert slope[j] == pytest.approx(difference, abs=1e-7)


# Newton's method takes two classes; sparse tables are float64 always.
CASES = [
    (solver, loss, layout, dtype)
    for solver, loss in (("newton", "logistic"), ("lbfgs", "logistic"), ("lbfgs", "softmax"))
    for layout in LAYOUTS
    for dtype in (("float64",) if layout == "csr" else ("float64", "float32"))
]


@pytest.mark.parametrize(("solver", "loss", "layout", "dtype"), CASES)
def test_the_answer_is_stationary_in_every_layout(solver: str, loss: Any, layout: str, dtype: str) -> None:
    made = X.astype(np.float32).astype(float)
    y = labels(X, 3) if loss == "softmax" else Y
    given = LAYOUTS[layout](made.astype(dtype))
    got = solve(solver, given, y, loss=loss, l2=0.01, tol=1e-9)
    of = reference.cost(made, y, loss=loss, l2=0.01)
    value, slope = of.value_and_slope(np.append(got.coef.ravel(), got.intercept))
    assert got.stop == CONVERGED
    assert np.abs(slope).max() <= 1.1e-9
    assert got.objective == pytest.approx(value, rel=1e-13)
    assert got.measure == pytest.approx(np.abs(slope).max(), abs=1e-12)


@pytest.mark.parametrize("columns", [1, 7, 8, 130, 140])
def test_newton_of_many_columns_is_stationary(columns: int) -> None:
    """Beyond 127 columns the tiles of one Hessian are shared among the threads."""
    wide = table(900, columns, seed=7)
    y = labels(wide[:, :1])
    for threads in (1, 3):
        got = solve("newton", wide, y, l2=0.01, tol=1e-9, threads=threads)
        slope = reference.cost(wide, y, l2=0.01).value_and_slope(np.append(got.coef, got.intercept))[1]
        assert got.stop == CONVERGED
        assert np.abs(slope).max() <= 1.1e-9


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e3, 1e8])
@pytest.mark.parametrize("solver", SOLVERS)
def test_units_do_not_matter_without_penalty(solver: str, scale: float) -> None:
    plain = solve(solver, X, Y, tol=1e-9)
    other = solve(solver, X * scale, Y, tol=1e-9)
    assert other.objective == pytest.approx(plain.objective, rel=1e-10)
    np.testing.assert_allclose(other.coef * scale, plain.coef, rtol=2e-3, atol=1e-3)


def test_columns_of_one_row_that_is_far_off() -> None:
    far = X.copy()
    far[75, 2] = 1e160
    got = solve("newton", far, Y, l2=1e-3, tol=1e-4)
    assert got.stop in (CONVERGED, COUNT)
    assert np.isfinite(got.coef).all()
    assert got.objective < np.log(2)


@pytest.mark.parametrize("solver", SOLVERS)
def test_dependent_columns(solver: str) -> None:
    """The optimum is that of the columns without their copies; of all that are equally good, the short one."""
    twice = np.column_stack([X, X[:, :2], np.ones(len(X))])
    alone, both = solve(solver, X, Y, tol=1e-9), solve(solver, twice, Y, tol=1e-9)
    assert both.stop == CONVERGED
    assert both.objective == pytest.approx(alone.objective, rel=1e-12)
    np.testing.assert_allclose(both.coef[0, :2], both.coef[0, 5:7], atol=1e-4)
    np.testing.assert_allclose(both.coef[0, :2] + both.coef[0, 5:7], alone.coef[0, :2], atol=1e-5)
    assert both.coef[0, 7] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [1e-12, 1e12])
def test_extreme_penalties(solver: str, C: float) -> None:
    got = solve(solver, X, Y, l2=1 / (C * len(Y)), tol=1e-8)
    assert got.stop == CONVERGED
    if C < 1:
        assert np.abs(got.coef).max() < 1e-8
        assert got.intercept[0] == pytest.approx(np.log(Y.mean() / (1 - Y.mean())), abs=1e-5)
    else:
        assert got.objective == pytest.approx(solve("newton", X, Y).objective, rel=1e-9)


# ----------------------------------------------------------------------------------------------------- separation


@pytest.mark.parametrize("solver", SOLVERS)
def test_parted_classes_are_reported(solver: str) -> None:
    y = (X[:, 0] > np.median(X[:, 0])).astype(float)
    got = solve(solver, X, y, tol=1e-6)
    assert got.stop == SEPARATED
    side = X @ got.coef[0] + got.intercept[0]
    assert ((side > 0) == (y == 1)).all()  # the answer is a plane that parts them
    assert got.passes < 60
    assert solve(solver, X, y, l2=1e-4, tol=1e-6).stop == CONVERGED


def test_parted_classes_of_softmax_are_reported() -> None:
    centers = np.array([[0.0, 0], [10, 0], [0, 10]])
    y = np.arange(90) % 3.0
    points = centers[y.astype(int)] + np.random.default_rng(8).standard_normal((90, 2)) / 3
    got = solve("lbfgs", points, y, loss="softmax", tol=1e-8)
    assert got.stop == SEPARATED
    assert ((points @ got.coef.T + got.intercept).argmax(axis=1) == y).all()


@pytest.mark.parametrize("weight", [None, np.array([1.0, 2, 1, 1, 3, 1])])
def test_newton_reports_classes_that_meet_on_the_plane(weight: Array | None) -> None:
    """At x = 1 both classes occur, below only 0 and above only 1: F falls for ever but stays above zero."""
    x = np.array([[0.0], [0.5], [1], [1], [2], [3]])
    got = solve("newton", x, [0, 0, 0, 1, 1, 1], weight=weight, tol=1e-8)
    assert got.stop == SEPARATED
    assert got.objective > 0.1
    assert solve("newton", x, [0, 0, 1, 0, 0, 1], weight=weight, tol=1e-8).stop == CONVERGED


def test_rows_without_weight_do_not_count_in_separation() -> None:
    x, y = np.array([[0.0], [1], [2], [3], [1.5]]), np.array([0.0, 0, 1, 1, 0])
    weight = np.array([1.0, 1, 1, 1, 0])
    assert solve("newton", x, y, weight=weight).stop == SEPARATED
    assert solve("lbfgs", x, y, weight=weight).stop == SEPARATED


# ------------------------------------------------------------------------------------- threads, records, listeners


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", ["C", "F", "csr"])
def test_the_number_of_threads_changes_no_bit(solver: str, layout: str) -> None:
    tall = table(5000, 9, seed=9)
    given, y = LAYOUTS[layout](tall), labels(tall)
    answers = [solve(solver, given, y, l2=1e-3, tol=1e-8, threads=threads) for threads in (1, 2, 3)]
    for other in answers[1:]:
        assert other.coef.tobytes() == answers[0].coef.tobytes()
        assert other[:4] == answers[0][:4]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_of_threads_changes_no_bit_of_softmax(dtype: Any) -> None:
    tall = table(3000, 40, seed=9).astype(dtype)
    y = labels(tall.astype(float), 6)
    answers = [solve("lbfgs", tall, y, loss="softmax", l2=1e-3, threads=threads, tol=1e-7) for threads in (1, 2, 3)]
    for other in answers[1:]:
        assert other.coef.tobytes() == answers[0].coef.tobytes()


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_record_changes_no_bit_and_tells_of_every_pass(solver: str) -> None:
    plain = solve(solver, X, Y, l2=1e-3)
    told = solve(solver, X, Y, l2=1e-3, record=True)
    assert plain.tables is None
    assert told.tables is not None
    assert plain.coef.tobytes() == told.coef.tobytes()
    columns, rows = told.tables["passes"]
    assert rows[:, 0].tolist() == list(range(told.passes + 1))
    assert rows[-1, 1:3].tolist() == [told.objective, told.measure]
    assert rows[-1, 4:].tolist() == [*told.coef[0], *told.intercept]
    assert (np.diff(rows[:, 1]) <= 1e-14).all()
    assert columns[:4] == ["pass", "objective", "slope", "step"]


def test_the_record_of_softmax_names_class_and_column() -> None:
    small = solve("lbfgs", X[:, :2], labels(X, 3), loss="softmax", l2=0.1, record=True).tables
    assert small is not None
    assert small["passes"][0][4:] == [
        *(f"coef_{t}_{j}" for t in range(3) for j in range(2)),
        *(f"intercept_{t}" for t in range(3)),
    ]
    wide = solve("lbfgs", table(40, 60), labels(table(40, 1), 3), loss="softmax", l2=0.1, record=True).tables
    assert wide is not None
    assert wide["passes"][0] == ["pass", "objective", "slope", "step"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_listener_hears_of_every_pass_and_may_stop(solver: str) -> None:
    heard = list[tuple[int, Array]]()

    def listen(number: int, parameters: Array) -> bool:
        heard.append((number, parameters))
        return number == 2

    got = solve(solver, X, Y, l2=1e-3, listener=listen)
    assert got.stop == TOLD
    assert got.passes == 2
    assert [number for number, _ in heard] == [1, 2]
    assert heard[-1][1].tolist() == [*got.coef[0], *got.intercept]
    assert solve(solver, X, Y, l2=1e-3, most_passes=2).coef.tobytes() == got.coef.tobytes()


@pytest.mark.parametrize("solver", SOLVERS)
def test_passes_run_out(solver: str) -> None:
    got = solve(solver, X, Y, l2=1e-3, most_passes=1)
    assert (got.stop, got.passes) == (COUNT, 1)
    none = solve(solver, X, Y, l2=1e-3, most_passes=0)
    assert (none.stop, none.passes) == (COUNT, 0)
    assert none.objective == pytest.approx(np.log(2))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_start_at_the_answer_needs_no_pass(solver: str) -> None:
    first = solve(solver, X, Y, l2=1e-2, tol=1e-9)
    again = solve(solver, X, Y, l2=1e-2, tol=1e-8, start=(first.coef, first.intercept))
    assert again.passes == 0
    assert again.stop == CONVERGED


@pytest.mark.parametrize("solver", SOLVERS)
def test_numbers_beyond_the_range_are_said_so(solver: str) -> None:
    broken = X.copy()
    broken[3, 1] = np.nan
    assert solve(solver, broken, Y, l2=1e-3).stop == OVERFLOW


def test_tables_that_are_hardly_there() -> None:
    for solver in SOLVERS:
        one = solve(solver, np.array([[2.0]]), [1.0], l2=1.0, tol=1e-9)
        assert one.stop in (CONVERGED, COUNT)
        none = solve(solver, np.zeros((6, 0)), [0.0, 1, 1, 0, 1, 1], tol=1e-12)
        assert none.stop == CONVERGED
        assert none.intercept[0] == pytest.approx(np.log(2), abs=1e-8)
        flat = solve(solver, np.full((6, 2), 3.0), [0.0, 1, 1, 0, 1, 1], tol=1e-10)
        assert flat.stop == CONVERGED
        assert flat.objective == pytest.approx(none.objective, rel=1e-12)
