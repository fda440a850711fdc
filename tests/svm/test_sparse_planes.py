"""Linear machines whose penalty is a sum of sizes, and those of all classes at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pellucid.base.errors import ConvergenceWarning, ParameterError
from pellucid.reference import linear_svc as reference
from pellucid.svm import LinearSVC

from .test_svm import two_groups

Array = NDArray[np.float64]
EXACT: dict[str, Any] = {"tol": 1e-10, "max_iter": 200_000, "random_state": 0}


def three_groups(rows: int = 45, columns: int = 3, seed: int = 0) -> tuple[Array, Any]:
    """Three groups that overlap, 0, 1 and 2."""
    random = np.random.default_rng(seed)
    y = np.arange(rows) % 3
    return random.normal(size=(rows, columns)) + random.normal(size=(3, columns))[y], y


# --------------------------------------------------------------------------------------------------- sizes as penalty


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.03, 0.5, 5.0])
def test_sparse_planes_are_those_of_the_reference(C: float, weighted: bool) -> None:
    X, t = two_groups(columns=4)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(t)) if weighted else np.ones(len(t))
    ours = LinearSVC(penalty="l1", C=C, **EXACT).fit(X, t, sample_weight=weight)
    coef, intercept, objective = reference.classify_sparse(X, t, C * weight, tol=1e-12)
    np.testing.assert_allclose(ours.coef_[0], coef, atol=1e-6)
    assert ours.intercept_[0] == pytest.approx(intercept, abs=1e-6)
    assert ours.objective_[0] == pytest.approx(objective, rel=1e-10)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(4, 90),
    columns=st.integers(1, 12),
    C=st.sampled_from([0.01, 0.3, 10.0]),
    fit_intercept=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_sparse_planes_are_optimal(rows: int, columns: int, C: float, fit_intercept: bool, seed: int) -> None:
    """The slope of the price is at most 1, and 1 against the sign of a coefficient that is not zero."""
    X, t = two_groups(rows, columns, seed)
    model = LinearSVC(penalty="l1", C=C, fit_intercept=fit_intercept, **EXACT).fit(X, t)
    Z = np.column_stack([X, np.ones(rows)]) if fit_intercept else X
    w = np.append(model.coef_[0], model.intercept_) if fit_intercept else model.coef_[0]
    lack = np.maximum(0, 1 - t * (Z @ w))
    slope = -2 * C * (t * lack) @ Z
    scale = 1e-7 * (1 + np.abs(2 * C * lack[:, None] * Z).sum(axis=0))
    assert (np.abs(slope) <= 1 + scale).all()
    np.testing.assert_array_less(np.abs(slope + np.sign(w))[w != 0], scale[w != 0] + 1e-12)
    np.testing.assert_allclose(model.dual_coef_[0], 2 * C * t * lack, atol=1e-9 * C)


def test_a_small_price_leaves_all_columns_out() -> None:
    """At w = 0 the slope of a column is 2 C |sum t x|: nothing moves while that is below 1."""
    X, t = two_groups(60, 5)
    most = 1 / (2 * np.abs(np.append(t @ X, t.sum())).max())
    model = LinearSVC(penalty="l1", C=0.999 * most, **EXACT).fit(X, t)
    assert not model.coef_.any()
    assert not model.intercept_.any()
    assert np.isinf(model.margin_).all()
    assert model.n_iter_ == 1
    assert np.isinf(model.distances(X)).all()
    assert LinearSVC(penalty="l1", C=1.001 * most, **EXACT).fit(X, t).coef_.any()


@pytest.mark.parametrize("settings", [{"penalty": "l1"}, {"multi_class": "crammer_singer"}], ids=str)
def test_every_form_of_a_table_gives_the_same_planes(settings: Any) -> None:
    X, y = three_groups(120, 6)
    X[np.abs(X) < 0.5] = 0
    forms = (X, np.asfortranarray(X), scipy.sparse.csr_matrix(X), scipy.sparse.csc_array(X), X[:, ::-1][:, ::-1])
    fits = [LinearSVC(**settings, **EXACT).fit(table, y) for table in forms]
    for other in fits[1:]:
        np.testing.assert_allclose(other.coef_, fits[0].coef_, atol=1e-6)
    np.testing.assert_array_equal(fits[2].coef_, fits[3].coef_)
    single = LinearSVC(**settings, **EXACT).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.coef_, fits[0].coef_, atol=1e-4)


@pytest.mark.parametrize("settings", [{"penalty": "l1"}, {"multi_class": "crammer_singer"}], ids=str)
def test_one_two_and_three_threads_give_the_same_bits(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = three_groups(600, 20, 3)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        found.append(LinearSVC(random_state=0, tol=1e-5, max_iter=100_000, **settings).fit(X, y))
    for other in found[1:]:
        np.testing.assert_array_equal(other.coef_, found[0].coef_)
        np.testing.assert_array_equal(other.dual_coef_, found[0].dual_coef_)


@pytest.mark.parametrize("settings", [{"loss": "hinge"}, {"dual": True}, {"loss": "hinge", "dual": True}], ids=str)
def test_sizes_need_the_squared_hinge_in_the_primal(settings: Any) -> None:
    X, t = two_groups()
    with pytest.raises(ParameterError, match="penalty='l1' needs loss='squared_hinge' and dual=False or 'auto'"):
        LinearSVC(penalty="l1", **settings).fit(X, t)


@pytest.mark.parametrize("settings", [{"penalty": "l1"}, {"multi_class": "crammer_singer"}], ids=str)
def test_ends_by_max_iter_with_a_warning(settings: Any) -> None:
    X, t = two_groups(100)
    with pytest.warns(ConvergenceWarning, match="passes failed to converge: 2 were not enough"):
        model = LinearSVC(max_iter=2, tol=1e-12, C=10.0, random_state=0, **settings).fit(X, t)
    assert model.n_iter_ == 2


# ------------------------------------------------------------------------------------------------- all classes at once


@pytest.mark.parametrize("C", [0.03, 0.5])
def test_joint_planes_are_those_of_the_reference(C: float) -> None:
    X, y = three_groups(24, 2)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    ours = LinearSVC(multi_class="crammer_singer", C=C, **EXACT).fit(X, y, sample_weight=weight)
    plain = reference.classify_jointly(X, y, C * weight, tol=1e-9)
    np.testing.assert_allclose(ours.coef_, plain.coef, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, plain.intercept, atol=1e-6)
    assert ours.objective_[0] == pytest.approx(plain.objective, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(6, 90),
    columns=st.integers(1, 6),
    C=st.sampled_from([0.01, 1.0, 10.0]),
    seed=st.integers(0, 1000),
)
def test_the_primal_of_joint_planes_meets_the_dual(rows: int, columns: int, C: float, seed: int) -> None:
    """The dual: sum of a of the own class, less half the squared lengths of the planes that a makes."""
    X, y = three_groups(rows, columns, seed)
    model = LinearSVC(multi_class="crammer_singer", C=C, **EXACT).fit(X, y)
    a = model.dual_coef_
    own = np.arange(3)[:, None] == y
    assert (a <= np.where(own, C, 0)).all()
    np.testing.assert_allclose(a.sum(axis=0), 0, atol=1e-9 * C)
    W = a @ np.column_stack([X, np.ones(rows)])
    dual = a[own].sum() - (W**2).sum() / 2
    assert model.objective_[0] == pytest.approx(dual, rel=1e-6)
    np.testing.assert_allclose(model.coef_, W[:, :-1], atol=1e-7 * (1 + C))
    np.testing.assert_allclose(model.slacks(X, y) @ np.full(rows, C), dual - (W**2).sum() / 2, rtol=1e-5, atol=1e-8)


def test_two_classes_at_once_are_one_plane() -> None:
    """w and -w with a gap of 1 between them: the hinge with twice the price of length, so C is half as dear."""
    X, t = two_groups()
    joint = LinearSVC(multi_class="crammer_singer", C=1.0, **EXACT).fit(X, t)
    alone = LinearSVC(loss="hinge", C=2.0, **EXACT).fit(X, t)
    assert joint.coef_.shape == (1, 2)
    np.testing.assert_allclose(joint.coef_, alone.coef_, atol=1e-6)
    np.testing.assert_allclose(joint.intercept_, alone.intercept_, atol=1e-6)


# --------------------------------------------------------------------------------------------------------- the working


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "settings",
    [
        {"penalty": "l1"},
        {"penalty": "l1", "fit_intercept": False},
        {"multi_class": "crammer_singer", "class_weight": "balanced"},
        {"multi_class": "crammer_singer", "fit_intercept": False, "intercept_scaling": 2.0},
    ],
    ids=str,
)
def test_the_fit_is_shown(settings: Any, classes: int) -> None:
    X, y = three_groups(30, 3)
    y = np.minimum(y, classes - 1)
    model = LinearSVC(**settings, **EXACT).fit(X, y)
    for plane in range(len(model.coef_)):
        shown = model.show_fit(X, y, plane=plane)
        number = plane if len(model.objective_) > 1 else 0
        assert shown.value("objective") == pytest.approx(model.objective_[number], rel=1e-7)
    with pytest.raises(ValueError, match=r"objective|score|w_1|sum"):
        model.show_fit(X + 0.1 * np.arange(30)[:, None], y)
