"""Least squares by the kernels against mathematics, and against the readable reference."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pellucid.linear_model import LinearRegression
from pellucid.reference import linear_regression as reference

Array = NDArray[np.float64]
fast = settings(max_examples=25, deadline=None)
SOLVERS = ["normal", "qr", "svd", "lsqr"]
every_solver = pytest.mark.parametrize("solver", SOLVERS)


class Problem(NamedTuple):
    """Rows, target and weights, well conditioned: entries are independent normal draws, columns may be far from 0."""

    X: Array
    y: Array
    weight: Array | None
    fit_intercept: bool

    @property
    def weights(self) -> Array:
        return np.ones(len(self.X)) if self.weight is None else self.weight

    def centered(self) -> tuple[Array, Array]:
        """X and y, less their means where there is an intercept, times the roots of the weights."""
        w = self.weights
        mean_x = w @ self.X / w.sum() if self.fit_intercept else 0.0
        mean_y = w @ self.y / w.sum() if self.fit_intercept else 0.0
        return (self.X - mean_x) * np.sqrt(w)[:, None], (self.y - mean_y) * np.sqrt(w)

    def fit(self, X: Array | None = None, y: Array | None = None, **chosen: Any) -> LinearRegression:
        model = LinearRegression(**{"fit_intercept": self.fit_intercept, "tol": 1e-14, **chosen})
        return model.fit(self.X if X is None else X, self.y if y is None else y, self.weight)

    @property
    def random(self) -> np.random.Generator:
        """The same numbers for the same problem."""
        return np.random.default_rng(abs(hash(self.X.tobytes())) % 2**32)


@st.composite
def problems(draw: st.DrawFn, columns: int | None = None, wide: bool = False) -> Problem:
    p = columns or draw(st.integers(1, 6))
    n = draw(st.integers(2, 12)) if wide else draw(st.integers(4 * p + 6, 60))
    p = n + draw(st.integers(1, 12)) if wide else p
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.standard_normal((n, p)) * draw(st.sampled_from([0.01, 1.0, 300.0]))
    X += draw(st.sampled_from([0.0, 1.0, -40.0])) * np.abs(X).mean() * random.random(p)
    y = draw(st.sampled_from([0.0, 9.0])) + X @ random.standard_normal(p) + random.standard_normal(n)
    weight = random.uniform(0.1, 5, size=n) if draw(st.booleans()) else None
    return Problem(X, y, weight, draw(st.booleans()))


def near(found: Any, wanted: Any, tolerance: float = 1e-8) -> None:
    """Equal up to a share of the largest wanted number."""
    size = float(np.abs(wanted).max(initial=0.0))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * max(size, 1e-300))


def theta(model: LinearRegression) -> Array:
    """Intercept first, where there is one, as the reference gives them."""
    return np.append(model.intercept_, model.coef_) if model.fit_intercept else model.coef_


# ------------------------------------------------------------------------------------------------------- optimality


@every_solver
@fast
@given(problem=problems())
def test_residuals_stand_at_right_angles_to_every_column(solver: str, problem: Problem) -> None:
    A, b = problem.centered()
    rest = b - A @ problem.fit(solver=solver).coef_
    cosines = A.T @ rest / (np.linalg.norm(A, axis=0) * np.linalg.norm(b))
    np.testing.assert_allclose(cosines, 0, atol=1e-10)


@fast
@given(problems())
def test_residuals_add_up_to_nothing_where_there_is_an_intercept(problem: Problem) -> None:
    assume(problem.fit_intercept)
    residuals = problem.y - problem.fit().predict(problem.X)
    assert abs(problem.weights @ residuals) <= 1e-10 * float(problem.weights @ np.abs(problem.y))


@fast
@given(problems(), st.floats(-1, 1), st.integers(0, 5))
def test_no_other_coefficients_have_a_smaller_error(problem: Problem, step: float, column: int) -> None:
    model = problem.fit()
    A, b = problem.centered()
    other = model.coef_.copy()
    other[column % len(other)] += step
    best = np.sum((b - A @ model.coef_) ** 2)
    assert np.sum((b - A @ other) ** 2) >= best * (1 - 1e-12)


@fast
@given(problems())
def test_total_is_error_plus_regression(problem: Problem) -> None:
    found = problem.fit().summary(problem.X, problem.y, problem.weight)
    np.testing.assert_allclose(found.sst, found.sse + found.ssr, rtol=1e-9)
    assert found.r2 == pytest.approx(found.ssr / found.sst, abs=1e-9)
    if problem.fit_intercept:
        assert found.r2 == pytest.approx(problem.fit().score(problem.X, problem.y, problem.weight), abs=1e-9)


# ---------------------------------------------------------------------------------------------------- equivariance


@every_solver
@fast
@given(problem=problems(), exponents=st.lists(st.integers(-20, 20), min_size=6, max_size=6))
def test_a_column_in_another_unit_has_its_coefficient_in_that_unit(
    solver: str, problem: Problem, exponents: list[int]
) -> None:
    units = 2.0 ** np.array(exponents[: problem.X.shape[1]])
    plain, scaled = problem.fit(solver=solver), problem.fit(problem.X * units, solver=solver)
    # The pseudoinverse measures lengths of coefficients, so the units are not taken out of it.
    tolerance = 1e-8 + (1e-14 * units.max() / units.min() if solver == "svd" else 0)
    near(scaled.coef_ * units, plain.coef_, tolerance)
    near(scaled.predict(problem.X * units), plain.predict(problem.X), tolerance)


@every_solver
@fast
@given(problem=problems(), factor=st.floats(1e-6, 1e6), slope=st.floats(-3, 3))
def test_the_answer_is_linear_in_the_target(solver: str, problem: Problem, factor: float, slope: float) -> None:
    """y -> factor y + slope x_0 + 1 gives coef -> factor coef + slope e_0 and intercept -> factor intercept + 1."""
    assume(problem.fit_intercept)
    plain = problem.fit(solver=solver)
    moved = problem.fit(y=factor * problem.y + slope * problem.X[:, 0] + 1, solver=solver)
    wanted = factor * plain.coef_ + slope * np.eye(len(plain.coef_))[0]
    size = factor * np.abs(plain.coef_).max() + abs(slope)
    np.testing.assert_allclose(moved.coef_, wanted, rtol=0, atol=1e-8 * (size + 1e-3 * factor + 1e-3))
    lift = factor * np.abs(problem.y).max() + abs(slope) * np.abs(problem.X).max() + 1
    np.testing.assert_allclose(moved.intercept_, factor * plain.intercept_ + 1, rtol=0, atol=1e-7 * lift)


@every_solver
@fast
@given(problem=problems(), shift=st.floats(-1e3, 1e3))
def test_moving_the_origin_moves_the_intercept_alone(solver: str, problem: Problem, shift: float) -> None:
    assume(problem.fit_intercept)
    by = shift * np.abs(problem.X).max()
    plain, moved = problem.fit(solver=solver), problem.fit(problem.X + by, solver=solver)
    near(moved.coef_, plain.coef_, 1e-8 + 1e-12 * abs(shift) ** 2)
    near(moved.predict(problem.X + by), plain.predict(problem.X), 1e-8)


@every_solver
@fast
@given(problem=problems())
def test_the_order_of_rows_and_columns_does_not_matter(solver: str, problem: Problem) -> None:
    rows = problem.random.permutation(len(problem.X))
    columns = problem.random.permutation(problem.X.shape[1])
    weight = None if problem.weight is None else problem.weight[rows]
    turned = Problem(problem.X[rows][:, columns], problem.y[rows], weight, problem.fit_intercept).fit(solver=solver)
    plain = problem.fit(solver=solver)
    near(turned.coef_, plain.coef_[columns])
    near(turned.intercept_, plain.intercept_)


@every_solver
@fast
@given(problem=problems(), data=st.data())
def test_weights_are_repetitions(solver: str, problem: Problem, data: st.DataObject) -> None:
    n = len(problem.y)
    counts = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    weighted = Problem(problem.X, problem.y, counts.astype(float), problem.fit_intercept).fit(solver=solver)
    repeated = Problem(np.repeat(problem.X, counts, axis=0), np.repeat(problem.y, counts), None, problem.fit_intercept)
    near(weighted.coef_, repeated.fit(solver=solver).coef_)


@every_solver
@fast
@given(problem=problems())
def test_many_targets_are_many_fits(solver: str, problem: Problem) -> None:
    Y = np.column_stack([problem.y, problem.X[:, 0], problem.y**2])
    together = problem.fit(y=Y, solver=solver)
    for t, y in enumerate(Y.T):
        near(together.coef_[t], problem.fit(y=y.copy(), solver=solver).coef_)


# ------------------------------------------------------------------------------------------- solvers, reference, rank


@every_solver
@fast
@given(problem=problems())
def test_kernel_is_reference(solver: str, problem: Problem) -> None:
    solve = {"normal": reference.normal, "qr": reference.qr}.get(solver, reference.svd)
    model = problem.fit(solver=solver)
    assert model.solver_ == solver
    near(theta(model), solve(problem.X, problem.y, problem.weight, problem.fit_intercept).theta)


@fast
@given(problems(columns=1))
def test_simple_and_correlation_are_the_reference(problem: Problem) -> None:
    x = problem.X[:, 0]
    line = reference.simple(x, problem.y, problem.weight)
    found = problem.fit(solver="simple", fit_intercept=True)
    near([found.intercept_, found.coef_[0]], np.array([line.intercept, line.slope]))
    near(theta(problem.fit(solver="correlation", fit_intercept=True)), theta(found), 1e-10)
    if problem.weight is None:
        short = reference.correlation(x, problem.y)
        near([found.intercept_, found.coef_[0]], np.array([short.intercept, short.slope]))


@fast
@given(problems())
def test_solvers_agree(problem: Problem) -> None:
    auto = problem.fit()
    for solver in SOLVERS:
        near(theta(problem.fit(solver=solver)), theta(auto), 1e-9)


@fast
@given(problems(), st.integers(1, 3))
def test_dependent_columns_get_the_shortest_of_all_solutions(problem: Problem, extra: int) -> None:
    """The answer lies in the row space: every step along the null space makes it longer and keeps the fit."""
    p = problem.X.shape[1]
    mix = problem.random.standard_normal((p, extra))
    X = np.column_stack([problem.X, problem.X @ mix])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = problem.fit(X)
    assert model.rank_ == p
    assert len(model.dependent_columns_) > extra
    step = np.concatenate([mix, -np.eye(extra)]) @ problem.random.standard_normal(extra)
    length = np.linalg.norm(model.coef_)
    assert np.linalg.norm(model.coef_ + 0.1 * length * step) >= length
    assert abs(model.coef_ @ step) <= 1e-7 * length * np.linalg.norm(step)
    near(model.predict(X), problem.fit().predict(problem.X), 1e-7)


@fast
@given(problems(wide=True))
def test_a_wide_table_is_fitted_exactly_by_the_shortest_coefficients(problem: Problem) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = problem.fit()
    A, b = problem.centered()
    near(A @ model.coef_, b, 1e-8)
    near(model.coef_, np.linalg.pinv(A, rcond=1e-12) @ b, 1e-7)
    assert model.rank_ == len(A) - problem.fit_intercept


@fast
@given(problems())
def test_singular_values_are_those_of_the_centered_table(problem: Problem) -> None:
    wanted = np.linalg.svd(problem.centered()[0], compute_uv=False)
    for solver in ("normal", "qr", "svd"):
        np.testing.assert_allclose(problem.fit(solver=solver).singular_, wanted, rtol=1e-8)


# -------------------------------------------------------------------------------------------------------- positive


@fast
@given(st.one_of(problems(), problems(wide=True)), st.booleans())
def test_positive_meets_the_optimality_conditions(problem: Problem, flip: bool) -> None:
    """Karush-Kuhn-Tucker: no negative coefficient, no pull upwards at zero, none at all above zero."""
    X = np.abs(problem.X) if flip else problem.X
    A, b = problem._replace(X=X).centered()
    model = problem.fit(X, positive=True)
    pull = A.T @ (b - A @ model.coef_) / (np.linalg.norm(A, axis=0) * np.linalg.norm(b))
    assert (model.coef_ >= 0).all()
    assert (pull <= 1e-8).all()
    assert (np.abs(pull)[model.coef_ > 0] <= 1e-8).all()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_positive_is_optimal_where_many_columns_enter_and_leave(seed: int, mixed: bool, fit_intercept: bool) -> None:
    random = np.random.default_rng(seed)
    X = random.standard_normal((int(random.integers(10, 40)), int(random.integers(15, 60))))
    X = X @ random.standard_normal((X.shape[1], X.shape[1])) if mixed else X
    problem = Problem(X, random.standard_normal(len(X)), None, fit_intercept)
    A, b = problem.centered()
    model = problem.fit(positive=True)
    pull = A.T @ (b - A @ model.coef_) / (np.linalg.norm(A, axis=0) * np.linalg.norm(b))
    assert (pull <= 1e-7).all()
    assert (np.abs(pull)[model.coef_ > 0] <= 1e-7).all()


@fast
@given(problems())
def test_positive_kernel_is_reference(problem: Problem) -> None:
    wanted = reference.nonnegative(problem.X, problem.y, problem.weight, problem.fit_intercept)
    near(theta(problem.fit(positive=True)), wanted.theta)


@fast
@given(problems())
def test_positive_is_plain_where_the_plain_answer_is_positive(problem: Problem) -> None:
    signs = np.where(problem.fit().coef_ < 0, -1.0, 1.0)
    plain, bounded = problem.fit(problem.X * signs), problem.fit(problem.X * signs, positive=True)
    near(bounded.coef_, plain.coef_)
    near(bounded.intercept_, plain.intercept_, 1e-7)


# -------------------------------------------------------------------------------------------------------- inference


@fast
@given(problems(), st.floats(0.05, 0.95), st.floats(0.001, 0.04))
def test_intervals_hold_the_estimate_and_widen_with_the_level(problem: Problem, level: float, more: float) -> None:
    model = problem.fit()
    narrow, wide = (model.summary(problem.X, problem.y, problem.weight, level=part) for part in (level, level + more))
    assert (narrow.intervals[:, 0] < narrow.estimates).all()
    assert (narrow.estimates < narrow.intervals[:, 1]).all()
    assert (wide.intervals[:, 0] < narrow.intervals[:, 0]).all()
    assert (wide.intervals[:, 1] > narrow.intervals[:, 1]).all()


@fast
@given(problems(), st.floats(0.05, 0.99))
def test_an_observation_is_less_certain_than_the_mean(problem: Problem, level: float) -> None:
    found = problem.fit().summary(problem.X, problem.y, problem.weight)
    new = problem.X + problem.random.standard_normal(problem.X.shape)
    mean, one = (found.predict(new, kind, level) for kind in ("confidence", "prediction"))
    np.testing.assert_array_equal(mean[:, 0], one[:, 0])
    assert (one[:, 1] < mean[:, 1]).all()
    assert (mean[:, 1] <= mean[:, 0]).all()
    assert (mean[:, 0] <= mean[:, 2]).all()
    assert (mean[:, 2] < one[:, 2]).all()


@fast
@given(problems())
def test_the_mean_response_is_most_certain_at_the_means(problem: Problem) -> None:
    assume(problem.fit_intercept)
    found = problem.fit().summary(problem.X, problem.y, problem.weight)
    center = problem.weights @ problem.X / problem.weights.sum()
    rows = found.predict(np.vstack([center, problem.X]), "confidence")
    width = rows[:, 2] - rows[:, 1]
    assert (width >= width[0] * (1 - 1e-9)).all()


@fast
@given(problems())
def test_zero_is_at_the_edge_of_the_interval_whose_level_is_one_minus_p(problem: Problem) -> None:
    model = problem.fit()
    p_value = float(model.summary(problem.X, problem.y, problem.weight).p_values[-1])
    assume(1e-6 < p_value < 0.999)
    low, high = model.summary(problem.X, problem.y, problem.weight, level=1 - p_value).intervals[-1]
    assert min(abs(low), abs(high)) <= 1e-5 * (high - low)


@fast
@given(problems())
def test_inference_is_reference(problem: Problem) -> None:
    model = problem.fit()
    found = model.summary(problem.X, problem.y, problem.weight, level=0.9)
    wanted = reference.inference(problem.X, problem.y, theta(model), 0.9, None, problem.weight, problem.fit_intercept)
    np.testing.assert_allclose(found.standard_errors, wanted.standard_errors, rtol=1e-6)
    np.testing.assert_allclose(found.p_values, wanted.p_values, rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(found.adjusted_r2, wanted.adjusted_r2, rtol=1e-8, atol=1e-8)
