"""Coordinate descent for the logistic loss, SAG and SAGA: kernels against references, optimality, threads, traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression as Peer

from pellucid import _core
from pellucid.reference.coordinate_logistic import coordinate_logistic
from pellucid.reference.saga import saga

CONVERGED, COUNT, TOLD, OVERFLOW, SEPARATED = range(5)
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "float32": lambda X: X.astype(np.float32),
    "sparse": sp.csr_array,
}
PENALTIES = [(0.0, 0.0), (0.0, 0.02), (0.02, 0.0), (0.01, 0.01), (0.5, 0.0)]
KINDS = [(False, l1, l2) for l1, l2 in PENALTIES] + [(True, 0.0, 0.0), (True, 0.0, 0.02)]  # SAG takes no l1


def table(n: int = 60, p: int = 5, seed: int = 0) -> tuple[Any, Any, Any]:
    """Numbers that a float holds, a third of them zero, classes by a noisy score, and weights, some of them zero."""
    random = np.random.default_rng(seed)
    X = (random.standard_normal((n, p)) + random.uniform(-2, 2, p)).astype(np.float32).astype(float)
    X[random.random((n, p)) < 0.3] = 0.0
    y = (X @ random.standard_normal(p) + random.logistic(size=n) > 0).astype(float)
    return X, y, np.where(random.random(n) < 0.2, 0.0, random.uniform(0.2, 3, n))


def matrix(X: Any) -> Any:
    if sp.issparse(X):
        return _core.csr(X.data, X.indices, X.indptr, X.shape[1])
    return _core.dense(X)


def settings(**given: Any) -> Any:
    made = _core.LinearSettings()
    for name, value in ({"tol": 1e-10, "most_passes": 500} | given).items():
        setattr(made, name, value)
    return made


def descend(X: Any, y: Any, weight: Any = None, *, start: Any = None, listener: Any = None, **given: Any) -> Any:
    coef, intercept = start or (np.zeros((1, X.shape[1])), np.zeros(1))
    record = given.pop("record", False)
    return _core.coordinate_logistic(matrix(X), y, weight, coef, intercept, settings(**given), record, listener)


def average(X: Any, y: Any, weight: Any = None, *, loss: str = "logistic", sag: bool = False, **given: Any) -> Any:
    k, record, listener = given.pop("outputs", 1), given.pop("record", False), given.pop("listener", None)
    start = np.zeros((k, X.shape[1])), np.zeros(k)
    return _core.saga(matrix(X), y, weight, *start, settings(**given), loss, sag, record, listener)


def cost(X: Any, y: Any, weight: Any, w: Any, b: float, l1: float, l2: float, intercept_l2: float = 0.0) -> float:
    s, f = np.ones(len(y)) if weight is None else weight, X @ w + b
    penalty = l1 * np.abs(w).sum() + l2 / 2 * w @ w + intercept_l2 / 2 * b**2
    return float(s @ (np.logaddexp(0, f) - y * f) / s.sum() + penalty)


def misses(X: Any, y: Any, weight: Any, w: Any, b: float, l1: float, l2: float) -> tuple[Any, float]:
    """By how much each coefficient, and the intercept, miss their optimality conditions."""
    s = np.ones(len(y)) if weight is None else weight
    r = s / s.sum() * (1 / (1 + np.exp(-(X @ w + b))) - y)
    g = X.T @ r + l2 * w
    return np.where(w != 0, np.abs(g + l1 * np.sign(w)), np.maximum(np.abs(g) - l1, 0)), abs(float(r.sum()))


# ------------------------------------------------------------------------------------------- coordinate descent


@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("weighted", [False, True])
def test_coordinates_meet_the_optimality_conditions(l1: float, l2: float, layout: str, weighted: bool) -> None:
    X, y, s = table()
    s = s if weighted else None
    stop, _, objective, measure, coef, intercept, _ = descend(LAYOUTS[layout](X), y, s, l1=l1, l2=l2)
    assert stop == CONVERGED
    assert measure <= 1e-10
    of_coef, of_intercept = misses(X, y, s, coef[0], intercept[0], l1, l2)
    assert of_coef.max() < 1e-9
    assert of_intercept < 1e-9
    assert objective == pytest.approx(cost(X, y, s, coef[0], intercept[0], l1, l2), rel=1e-12)


@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
def test_coordinates_equal_the_reference(l1: float, l2: float) -> None:
    X, y, s = table()
    coef, intercept = descend(X, y, s, l1=l1, l2=l2, tol=1e-12)[4:6]
    wanted = coordinate_logistic(X, y, l1=l1, l2=l2, weight=s, tol=1e-12)
    np.testing.assert_allclose(coef[0], wanted.coef, rtol=1e-8, atol=1e-10)
    assert intercept[0] == pytest.approx(wanted.intercept, rel=1e-8, abs=1e-10)


def test_intercept_free_penalized_or_absent() -> None:
    X, y, _ = table()
    ones = np.column_stack([X, np.ones(len(X))])
    for l1, l2 in [(0.0, 0.05), (0.03, 0.0), (0.02, 0.04)]:
        as_column = descend(ones, y, l1=l1, l2=l2, intercept=False)
        as_intercept = descend(X, y, l1=l1, l2=l2, intercept_l1=l1, intercept_l2=l2)
        assert as_intercept[2] == pytest.approx(as_column[2], rel=1e-12)
        assert as_intercept[5][0] == pytest.approx(as_column[4][0, -1], abs=1e-7)
        assert as_column[5][0] == 0
        assert descend(X, y, l1=l1, l2=l2)[2] <= as_intercept[2]


@pytest.mark.parametrize(("C", "l1_ratio"), [(0.1, 1.0), (10.0, 1.0), (0.1, 0.0), (10.0, 0.0)])
def test_liblinear_does_no_better(C: float, l1_ratio: float) -> None:
    X, y, _ = table(200, 12)
    peer = Peer(C=C, l1_ratio=l1_ratio, solver="liblinear", fit_intercept=False, tol=1e-8, max_iter=1000).fit(X, y)
    l1, l2 = l1_ratio / (C * 200), (1 - l1_ratio) / (C * 200)
    ours = descend(X, y, l1=l1, l2=l2, intercept=False)
    theirs = cost(X, y, None, peer.coef_[0], 0.0, l1, l2)
    assert ours[2] <= theirs + 1e-12
    assert ours[2] == pytest.approx(theirs, rel=1e-7)


def test_the_largest_penalty_leaves_the_share_of_a_class() -> None:
    X, y, s = table()
    coef, intercept = descend(X, y, s, l1=10.0)[4:6]
    share = s @ y / s.sum()
    assert np.all(coef == 0)
    assert intercept[0] == pytest.approx(np.log(share / (1 - share)), rel=1e-12)


def test_units_of_columns_do_not_matter() -> None:
    X, y, _ = table()
    units = np.array([1e-200, 1e200, 1.0, 1e-3, 1e7])
    plain, scaled = descend(X, y), descend(X * units, y)
    assert scaled[0] == CONVERGED
    assert scaled[2] == pytest.approx(plain[2], rel=1e-12)
    np.testing.assert_allclose(scaled[4][0] * units, plain[4][0], rtol=1e-6)


def test_columns_far_from_zero_are_no_harder() -> None:
    X, y, _ = table()
    near, far = (descend(X + shift, y, l1=0.01, tol=1e-8) for shift in (0.0, 1e4))
    assert far[0] == CONVERGED
    assert far[2] == pytest.approx(near[2], rel=1e-9)
    assert far[1] <= near[1] + 2


def test_equal_columns_and_constant_ones() -> None:
    X, y, _ = table()
    both = np.column_stack([X, X, np.full(len(X), 2.5), np.zeros(len(X))])
    for l1, l2 in PENALTIES:
        stop, _, objective, _, coef, _, _ = descend(both, y, l1=l1, l2=l2, tol=1e-9)
        assert stop == CONVERGED
        assert coef[0, -1] == 0
        assert l2 > 0 or objective == pytest.approx(descend(X, y, l1=l1, l2=l2)[2], rel=1e-9)
    start = np.full((1, both.shape[1]), 3.0), np.zeros(1)
    assert np.all(descend(both, y, l1=0.02, start=start)[4][0, -2:] == 0)


def test_coordinates_of_parted_classes() -> None:
    X = np.arange(10.0)[:, None]
    y = (X[:, 0] > 4.5).astype(float)
    assert descend(X, y)[0] == SEPARATED
    assert descend(X, y, l2=1e-3)[0] == CONVERGED
    tied = np.concatenate([X, [[4.5], [4.5]]])  # the plane parts all but two rows, which lie on it
    stop, passes, *_ = descend(tied, np.append(y, [0.0, 1.0]), most_passes=20)
    assert stop in (COUNT, CONVERGED)
    assert passes <= 20


def test_coordinates_of_endless_numbers() -> None:
    X, y, _ = table()
    X[3, 1] = np.inf
    assert descend(X, y, l2=0.1)[0] == OVERFLOW


@pytest.mark.parametrize("layout", LAYOUTS)
def test_coordinates_on_any_number_of_threads(layout: str) -> None:
    X, y, s = table(3000, 40)
    answers = [descend(LAYOUTS[layout](X), y, s, l1=1e-3, l2=1e-3, threads=t)[2:6] for t in (1, 2, 3)]
    for other in answers[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(answers[0], other, strict=True))


def test_a_warm_start_is_short() -> None:
    X, y, _ = table(400, 20)
    cold = descend(X, y, l1=0.01)
    warm = descend(X, y, l1=0.01, start=(cold[4], cold[5]))
    assert warm[1] <= 1
    np.testing.assert_allclose(warm[4], cold[4], atol=1e-9)


def test_record_of_coordinates() -> None:
    X, y, s = table()
    record = descend(X, y, s, l1=0.02, record=True)[6]
    names, rows = record["passes"]
    assert list(names) == ["pass", "objective", "measure", "nonzero", *(f"coef_{j}" for j in range(5)), "intercept"]
    assert list(rows[:, 0]) == list(range(len(rows)))
    assert np.all(np.diff(rows[:, 1]) <= 1e-15)
    for row in rows:
        w, b = row[4:-1], row[-1]
        assert row[1] == pytest.approx(cost(X, y, s, w, b, 0.02, 0.0), rel=1e-12)
        assert row[3] == np.count_nonzero(w)
    names, rows = record["round"]
    assert list(names) == ["column", "gradient", "curvature", "before", "after", "intercept_move"]
    first = coordinate_logistic(X, y, l1=0.02, weight=s).passes[0].rounds[0]
    wanted = [(step.column, step.gradient, step.curvature, step.before, step.after) for step in first]
    np.testing.assert_allclose(rows[:, :5], wanted, rtol=1e-10, atol=1e-13)


def test_a_listener_stops_coordinates() -> None:
    X, y, _ = table()
    heard: list[tuple[int, Any]] = []

    def listen(number: int, theta: Any) -> bool:
        heard.append((number, theta))
        return number == 2

    stop, passes, _, _, coef, intercept, _ = descend(X, y, l1=0.01, listener=listen)
    assert (stop, passes) == (TOLD, 2)
    assert [number for number, _ in heard] == [1, 2]
    assert np.array_equal(heard[-1][1], np.append(coef[0], intercept))
    assert descend(X, y, l1=0.01, most_passes=2)[0] == COUNT
    assert np.array_equal(descend(X, y, l1=0.01, most_passes=2)[4], coef)


# ---------------------------------------------------------------------------------------------------- SAG, SAGA


def draws(n: int, epochs: int, seed: int) -> Any:
    """The rows that the kernel draws when they all weigh the same."""
    return (_core.random_uniform(seed, 0, n * epochs) * n).astype(int).reshape(epochs, n)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("loss", ["squared", "logistic", "softmax"])
@pytest.mark.parametrize(("sag", "l1", "l2"), KINDS)
def test_averages_equal_the_reference(layout: str, loss: str, sag: bool, l1: float, l2: float) -> None:
    X, y, _ = table()
    k = 3 if loss == "softmax" else 1
    y = np.arange(len(y)) % 3 + 0.0 if loss == "softmax" else y
    found = average(LAYOUTS[layout](X), y, loss=loss, sag=sag, outputs=k, l1=l1, l2=l2, tol=0.0, most_passes=6, seed=3)
    wanted = saga(X, y, draws(len(X), 6, 3), loss=loss, sag=sag, l1=l1, l2=l2, outputs=k)
    assert found[:2] == (COUNT, 6)
    np.testing.assert_allclose(found[4], wanted.coef, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[5], wanted.intercept, rtol=1e-9, atol=1e-12)
    assert np.array_equal(found[4] == 0, wanted.coef == 0)


@pytest.mark.parametrize("layout", ["C", "sparse"])
@pytest.mark.parametrize(("sag", "l1", "l2"), KINDS)
def test_averages_reach_the_optimum(layout: str, sag: bool, l1: float, l2: float) -> None:
    X, y, s = table()
    for weight in (None, s):
        best = descend(X, y, weight, l1=l1, l2=l2)[2]
        found = average(LAYOUTS[layout](X), y, weight, sag=sag, l1=l1, l2=l2, most_passes=5000)
        assert found[0] == CONVERGED
        assert found[2] == pytest.approx(best, rel=1e-9)


def test_averages_of_squares_solve_the_normal_equation() -> None:
    X, _, s = table()
    y = X @ np.arange(1.0, 6.0) + np.cos(np.arange(len(X)))
    A = np.column_stack([X, np.ones(len(X))])
    S = np.diag(s / s.sum())
    theta = np.linalg.solve(A.T @ S @ A + 0.1 * np.diag([1.0] * 5 + [0.0]), A.T @ S @ y)
    for sag in (False, True):
        for layout in ("C", "sparse"):
            coef, intercept = average(
                LAYOUTS[layout](X), y, s, loss="squared", sag=sag, l2=0.1, tol=1e-13, most_passes=5000
            )[4:6]
            np.testing.assert_allclose(np.append(coef[0], intercept), theta, rtol=1e-8)


def test_averages_of_a_softmax_agree_with_the_peer() -> None:
    X, _, _ = table(150, 6)
    y = (X[:, :3] + np.random.default_rng(1).gumbel(size=(150, 3))).argmax(axis=1).astype(float)
    peer = Peer(C=1 / (150 * 0.02), tol=1e-12, max_iter=5000).fit(X, y)
    for sag in (False, True):
        coef, intercept = average(X, y, loss="softmax", sag=sag, outputs=3, l2=0.02, tol=1e-12, most_passes=5000)[4:6]
        np.testing.assert_allclose(coef, peer.coef_, atol=1e-6)
        np.testing.assert_allclose(intercept - intercept.mean(), peer.intercept_ - peer.intercept_.mean(), atol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_averages_on_any_number_of_threads(layout: str) -> None:
    X, y, s = table(3000, 7)
    for l1 in (0.0, 1e-3):
        answers = [average(LAYOUTS[layout](X), y, s, l1=l1, l2=1e-3, threads=t, most_passes=3)[2:6] for t in (1, 2, 3)]
        for other in answers[1:]:
            assert all(np.array_equal(a, b) for a, b in zip(answers[0], other, strict=True))


def test_averages_stop_on_awkward_tables() -> None:
    X = np.arange(10.0)[:, None]
    y = (X[:, 0] > 4.5).astype(float)
    assert average(X - 4.5, y, most_passes=50, tol=0.0)[0] == SEPARATED
    assert average(X - 4.5, y, l2=0.1, most_passes=500)[0] == CONVERGED
    assert average(X * 1e300, y, l2=0.1)[0] == OVERFLOW
    assert average(np.zeros((4, 2)), np.array([0.0, 1, 1, 1]), intercept=False)[:2] == (CONVERGED, 1)
    found = average(np.zeros((4, 2)), np.array([0.0, 1, 1, 1]), tol=1e-12, most_passes=2000)
    assert found[5][0] == pytest.approx(np.log(3), rel=1e-9)


def test_seeds_decide_the_draws() -> None:
    X, y, s = table()
    for weight in (None, s):
        first = average(X, y, weight, most_passes=2, seed=1)[4]
        assert np.array_equal(first, average(X, y, weight, most_passes=2, seed=1)[4])
        assert not np.array_equal(first, average(X, y, weight, most_passes=2, seed=2)[4])


def test_record_and_listener_of_averages() -> None:
    X, y, s = table()
    names, rows = average(X, y, s, l1=0.01, tol=0.0, most_passes=4, record=True)[6]["passes"]
    assert list(names) == ["pass", "objective", "measure", "nonzero", *(f"coef_{j}" for j in range(5)), "intercept"]
    assert list(rows[:, 0]) == [0, 1, 2, 3, 4]
    for row in rows:
        assert row[1] == pytest.approx(cost(X, y, s, row[4:-1], row[-1], 0.01, 0.0), rel=1e-12)
    last, before = rows[-1, 4:], rows[-2, 4:]
    change = np.abs(last - before)
    size = np.abs(last[:-1]).max()
    wanted = max(change[:-1].max() / size, change[-1] / max(size, abs(last[-1])))
    assert rows[-1, 2] == pytest.approx(wanted, rel=1e-12)
    stop, passes, *_ = average(X, y, s, l1=0.01, tol=0.0, listener=lambda number, theta: number == 3)
    assert (stop, passes) == (TOLD, 3)
    parted = average(X, np.arange(len(X)) % 2 + 0.0, outputs=2, loss="softmax", most_passes=1, record=True)[6]
    assert list(parted["passes"][0][4:]) == [f"coef_{t}_{j}" for t in range(2) for j in range(5)] + [
        "intercept_0",
        "intercept_1",
    ]
