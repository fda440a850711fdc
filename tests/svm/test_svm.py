"""Support vector machines: optimality, agreement with the readable references, and what the kernels promise."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pellucid.base.errors import ConvergenceWarning
from pellucid.reference import linear_svc as linear_reference
from pellucid.reference import svc as reference
from pellucid.svm import SVC, SVR, LinearSVC, LinearSVR

Array = NDArray[np.float64]
WAYS = [("hinge", True), ("squared_hinge", True), ("squared_hinge", False)]  # the hinge is not smooth: dual alone
KERNELS: dict[str, tuple[dict[str, Any], reference.Kernel]] = {
    "linear": ({"kernel": "linear"}, reference.linear),
    "poly": ({"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 2}, reference.polynomial(0.5, 1.0, 2)),
    "rbf": ({"kernel": "rbf", "gamma": 0.7}, reference.radial(0.7)),
    "sigmoid": ({"kernel": "sigmoid", "gamma": 0.1, "coef0": 0.2}, reference.sigmoid(0.1, 0.2)),
}


def two_groups(rows: int = 40, columns: int = 2, seed: int = 0) -> tuple[Array, Array]:
    """Two groups that overlap, -1 and 1."""
    random = np.random.default_rng(seed)
    t = np.where(np.arange(rows) % 2 == 0, -1.0, 1.0)
    return random.normal(size=(rows, columns)) + 0.7 * t[:, None], t


def a_curve(rows: int = 40, columns: int = 2, seed: int = 0) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, size=(rows, columns))
    return X, np.sin(X[:, 0]) + 0.3 * random.normal(size=rows)


# ------------------------------------------------------------------------------------------------ reference = kernel


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_classes_are_those_of_the_reference(name: str, weighted: bool) -> None:
    X, t = two_groups()
    kernel, function = KERNELS[name]
    weight = np.random.default_rng(1).uniform(0.5, 2, len(t)) if weighted else np.ones(len(t))
    ours = SVC(C=2.0, tol=1e-9, **kernel).fit(X, t, sample_weight=weight)
    plain = reference.classify(X, t, 2.0 * weight, function, tol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), [plain.score(x) for x in X], atol=1e-6)
    assert ours.objective_[0] == pytest.approx(plain.dual, rel=1e-8)


@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
def test_numbers_are_those_of_the_reference(name: str) -> None:
    X, y = a_curve()
    kernel, function = KERNELS[name]
    ours = SVR(C=2.0, epsilon=0.2, tol=1e-9, **kernel).fit(X, y)
    plain = reference.regress(X, y, 2.0, 0.2, function, tol=1e-9)
    np.testing.assert_allclose(ours.predict(X), [plain.score(x) for x in X], atol=1e-6)
    assert ours.objective_ == pytest.approx(plain.dual, rel=1e-8)


@pytest.mark.parametrize(("loss", "dual"), WAYS)
def test_planes_are_those_of_the_reference(loss: Any, dual: bool) -> None:
    X, t = two_groups(columns=3)
    ours = LinearSVC(loss=loss, dual=dual, C=0.5, tol=1e-10, max_iter=100_000, random_state=0).fit(X, t)
    plain = linear_reference.classify(X, t, 0.5, squared=loss == "squared_hinge")
    np.testing.assert_allclose(ours.coef_[0], plain.coef, atol=1e-6)
    assert ours.intercept_[0] == pytest.approx(plain.intercept, abs=1e-6)
    assert ours.objective_[0] == pytest.approx(plain.objective, rel=1e-9)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_tubes_are_those_of_the_reference(loss: Any) -> None:
    X, y = a_curve(columns=3)
    ours = LinearSVR(epsilon=0.2, loss=loss, C=0.5, tol=1e-10, max_iter=100_000, random_state=0).fit(X, y)
    plain = linear_reference.regress(X, y, 0.5, 0.2, squared=loss.startswith("squared"))
    np.testing.assert_allclose(ours.coef_, plain.coef, atol=1e-6)
    assert ours.objective_ == pytest.approx(plain.objective, rel=1e-9)


# ------------------------------------------------------------------------------------------------------- mathematics


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(6, 120),
    columns=st.integers(1, 6),
    C=st.sampled_from([0.1, 1.0, 50.0]),
    gamma=st.sampled_from([0.05, 0.5, 5.0]),
    tol=st.sampled_from([1e-2, 1e-3, 1e-6]),
    seed=st.integers(0, 1000),
)
def test_a_machine_of_classes_is_optimal(
    rows: int, columns: int, C: float, gamma: float, tol: float, seed: int
) -> None:
    """Karush, Kuhn and Tucker: a = 0 off the street, a = C in it, anything between on its edge; sum a t = 0."""
    X, t = two_groups(rows, columns, seed)
    model = SVC(C=C, gamma=gamma, tol=tol).fit(X, t)
    a = np.zeros(rows)
    a[model.support_] = model.dual_coef_[0] * t[model.support_]
    edge = t * model.decision_function(X) - 1
    assert (a >= 0).all()
    assert (a <= C).all()
    assert a @ t == pytest.approx(0, abs=1e-9 * C * rows)
    assert (edge[a < C] >= -tol - 1e-9).all()
    assert (edge[a > 0] <= tol + 1e-9).all()
    assert model.gap_[0] <= tol


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(3, 120),
    C=st.sampled_from([0.1, 1.0, 50.0]),
    epsilon=st.sampled_from([0.0, 0.1, 1.0]),
    tol=st.sampled_from([1e-3, 1e-6]),
    seed=st.integers(0, 1000),
)
def test_a_machine_of_numbers_is_optimal(rows: int, C: float, epsilon: float, tol: float, seed: int) -> None:
    X, y = a_curve(rows, 2, seed)
    model = SVR(C=C, epsilon=epsilon, gamma=0.5, tol=tol).fit(X, y)
    beta = np.zeros(rows)
    beta[model.support_] = model.dual_coef_[0]
    error = y - model.predict(X)
    assert (np.abs(beta) <= C).all()
    assert beta.sum() == pytest.approx(0, abs=1e-9 * C * rows)
    slack = tol + 1e-9
    assert (np.abs(error[beta == 0]) <= epsilon + slack).all()
    assert (error[beta > 0] >= epsilon - slack).all()
    assert (error[beta < 0] <= -epsilon + slack).all()
    free = (np.abs(beta) < C) & (beta != 0)
    np.testing.assert_allclose(np.abs(error[free]), epsilon, atol=slack)


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(6, 80),
    columns=st.integers(1, 5),
    C=st.sampled_from([0.01, 1.0, 10.0]),
    squared=st.booleans(),
    dual=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_the_primal_of_planes_meets_the_dual(
    rows: int, columns: int, C: float, squared: bool, dual: bool, seed: int
) -> None:
    X, t = two_groups(rows, columns, seed)
    loss: Any = "squared_hinge" if squared else "hinge"
    model = LinearSVC(loss=loss, dual=dual or not squared, C=C, tol=1e-9, max_iter=1_000_000, random_state=0).fit(X, t)
    a = model.dual_coef_[0] * t
    w = np.append(model.dual_coef_[0] @ X, model.dual_coef_[0].sum())
    lower = a.sum() - w @ w / 2 - ((a**2).sum() / (4 * C) if squared else 0)
    assert (a >= -1e-12).all()
    assert model.objective_[0] >= lower - 1e-9 * abs(lower)
    assert model.objective_[0] == pytest.approx(lower, rel=1e-6)


@pytest.mark.parametrize("shrinking", [False, True])
@pytest.mark.parametrize("cache_size", [0.05, 200.0])
def test_neither_shrinking_nor_the_cache_changes_the_optimum(shrinking: bool, cache_size: float) -> None:
    """Enough rows and steps that rows leave and come back."""
    X, t = two_groups(1500, 3, 5)
    base = SVC(C=50.0, gamma=0.5, tol=1e-6, shrinking=False).fit(X, t)
    model = SVC(C=50.0, gamma=0.5, tol=1e-6, shrinking=shrinking, cache_size=cache_size).fit(X, t)
    assert model.n_iter_[0] > 3000
    assert model.objective_[0] == pytest.approx(base.objective_[0], rel=1e-9)
    np.testing.assert_allclose(model.decision_function(X), base.decision_function(X), atol=1e-4)
    assert model.gap_[0] <= 1e-6


def test_rows_off_the_street_change_nothing() -> None:
    X, t = two_groups(60)
    model = SVC(kernel="linear", tol=1e-10).fit(X, t)
    far = t * model.decision_function(X) > 1.01
    assert far.any()
    without = SVC(kernel="linear", tol=1e-10).fit(X[~far], t[~far])
    np.testing.assert_allclose(without.coef_, model.coef_, atol=1e-7)


def test_a_hard_margin_is_the_limit_of_soft_ones() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 1.0]])
    model = SVC(kernel="linear", C=np.inf).fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(model.intercept_, [-2.0], atol=1e-9)
    assert model.margin_[0] == pytest.approx(2.0)


def test_a_hard_margin_that_cannot_be_is_refused() -> None:
    with pytest.raises(
        ValueError, match="C=inf allows no slack: the classes must be such that the kernel can part them"
    ):
        SVC(kernel="linear", C=np.inf).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(ValueError, match="C=inf allows no slack: all rows must fit into a tube"):
        SVR(kernel="linear", C=np.inf).fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 0.0])


# ------------------------------------------------------------------------------------------------------------- forms


@pytest.mark.parametrize("model", [SVC(), SVC(kernel="poly"), SVR(), LinearSVC(), LinearSVC(loss="hinge"), LinearSVR()])
def test_one_two_and_three_threads_give_the_same_bits(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.base import clone

    X, t = two_groups(3000, 40, 3)
    t = np.where(np.arange(3000) % 3 == 0, 2.0, t)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        settings = {"random_state": 0} if "random_state" in model.get_params() else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = clone(model).set_params(max_iter=300, **settings).fit(X, t)
        found.append((fitted.dual_coef_, fitted.intercept_, fitted.predict(X[:200])))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("loss", "dual"), WAYS)
def test_a_sparse_table_gives_the_same_planes(loss: Any, dual: bool) -> None:
    X, t = two_groups(200, 6)
    X[np.abs(X) < 0.5] = 0
    fits = [
        LinearSVC(loss=loss, dual=dual, tol=1e-10, max_iter=100_000, random_state=0).fit(table, t).coef_
        for table in (X, scipy.sparse.csr_matrix(X), scipy.sparse.csc_array(X), np.asfortranarray(X))
    ]
    for other in fits[1:]:
        np.testing.assert_allclose(other, fits[0], atol=1e-7)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_sparse_table_gives_the_same_machine(kernel: Any, weighted: bool) -> None:
    X, t = two_groups(200, 6)
    X[np.abs(X) < 0.5] = 0
    weight = np.random.default_rng(1).integers(0, 3, len(t)).astype(float) if weighted else None
    dense = SVC(kernel=kernel, tol=1e-8).fit(X, t, sample_weight=weight)
    sparse = SVC(kernel=kernel, tol=1e-8).fit(scipy.sparse.csr_matrix(X), t, sample_weight=weight)
    np.testing.assert_allclose(
        sparse.decision_function(scipy.sparse.csr_matrix(X)), dense.decision_function(X), atol=1e-6
    )
    np.testing.assert_array_equal(sparse.support_vectors_, dense.support_vectors_)


def test_a_given_table_of_kernels_and_a_function_are_the_kernel_itself() -> None:
    X, t = two_groups(80)
    new = two_groups(20, seed=9)[0]

    def radial(a: Any, b: Any) -> Any:
        return np.exp(-0.5 * ((a[:, None] - b) ** 2).sum(axis=2))

    own = SVC(gamma=0.5, tol=1e-8).fit(X, t)
    called = SVC(kernel=radial, tol=1e-8).fit(X, t)
    given_ = SVC(kernel="precomputed", tol=1e-8).fit(radial(X, X), t)
    np.testing.assert_allclose(called.decision_function(new), own.decision_function(new), atol=1e-6)
    np.testing.assert_allclose(given_.decision_function(radial(new, X)), own.decision_function(new), atol=1e-6)


def test_ends_by_max_iter_with_a_warning() -> None:
    X, t = two_groups(100)
    with pytest.warns(ConvergenceWarning, match="steps failed to converge: 3 were not enough"):
        model = SVC(max_iter=3).fit(X, t)
    assert model.n_iter_[0] == 3
    assert model.fit_status_ == 1


def test_coefficients_are_those_of_a_linear_kernel_alone() -> None:
    X, t = two_groups()
    with pytest.raises(AttributeError, match="coef_ is only available when using a linear kernel"):
        _ = SVC().fit(X, t).coef_
    assert not hasattr(SVC(), "predict_proba")
    assert not hasattr(LinearSVC(), "predict_proba")


def test_slacks_and_distances() -> None:
    model = SVC(kernel="linear", C=10.0).fit([[0.0], [2.0]], [0, 1])
    np.testing.assert_allclose(model.slacks([[0.0], [0.5], [1.5], [3.0]], [0, 0, 0, 1]), [0, 0.5, 1.5, 0], atol=1e-9)
    plane = LinearSVC(C=100.0, loss="hinge", tol=1e-9, max_iter=100_000, random_state=0)
    plane.fit([[-1.0, 0.0], [1.0, 0.0]], [0, 1])
    np.testing.assert_allclose(plane.distances([[3.0, 7.0], [-2.0, 1.0]]), [3.0, -2.0], atol=1e-6)


@pytest.mark.parametrize("machine", range(3))
def test_every_machine_of_several_classes_is_shown(machine: int) -> None:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = SVC(tol=1e-8).fit(X[:, :2], y)
    shown = model.show_fit(X[:, :2], y, machine=machine)
    assert shown.value("primal") == pytest.approx(shown.value("dual"), rel=1e-4)
    assert shown.value("intercept") == pytest.approx(model.intercept_[machine], abs=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_predictions_of_every_kernel_are_shown(kernel: Any) -> None:
    X, t = two_groups(30)
    model = SVC(kernel=kernel, gamma=0.3, coef0=0.5).fit(X, t)
    shown = model.show_predict(X, rows=[4])
    assert shown.value("score_4") == pytest.approx(model.decision_function(X)[4], abs=1e-7)
    curve = SVR(kernel=kernel, gamma=0.3, coef0=0.5).fit(X, X[:, 0])
    assert curve.show_predict(X, rows=[4]).value("f_4") == pytest.approx(curve.predict(X)[4], abs=1e-6)
