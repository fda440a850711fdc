"""The reference implementations of least squares against mathematics."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import stdtr

from pellucid import stats as public
from pellucid.reference import linear_regression as reference
from pellucid.reference import statistics

Array = NDArray[np.float64]
fast = settings(max_examples=60, deadline=None)


class Problem(NamedTuple):
    """Rows, targets and positive weights, well conditioned: entries are independent normal draws."""

    X: Array
    y: Array
    weight: Array


@st.composite
def problems(draw: st.DrawFn, columns: int | None = None) -> Problem:
    p = columns or draw(st.integers(1, 5))
    n = draw(st.integers(4 * p + 4, 40))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shift, scale = draw(st.sampled_from([0.0, 3.0, -20.0])), draw(st.sampled_from([0.1, 1.0, 50.0]))
    X = shift + scale * random.normal(size=(n, p))
    y = draw(st.sampled_from([0.0, 5.0])) + X @ random.normal(size=p) + random.normal(size=n)
    return Problem(X, y, random.uniform(0.2, 3.0, size=n))


weighted = st.booleans()
intercepts = st.booleans()


def sum_of_squares(problem: Problem, theta: Array, weight: Array | None, fit_intercept: bool) -> float:
    residuals = problem.y - reference.predict(problem.X, theta, fit_intercept)
    return float(((1.0 if weight is None else weight) * residuals**2).sum())


@fast
@given(problems(), weighted, intercepts)
def test_residuals_stand_at_right_angles_to_every_column(problem: Problem, use: bool, fit_intercept: bool) -> None:
    weight = problem.weight if use else None
    solved = reference.normal(problem.X, problem.y, weight, fit_intercept)
    design = reference.with_ones(problem.X) if fit_intercept else problem.X
    residuals = problem.y - design @ solved.theta
    products = design.T @ (residuals if weight is None else weight * residuals)
    size = np.abs(design).T @ np.abs(problem.y)
    np.testing.assert_allclose(products / size, 0, atol=1e-9)


@pytest.mark.parametrize("solve", [reference.qr, reference.svd])
@fast
@given(problem=problems(), use=weighted, fit_intercept=intercepts)
def test_methods_agree_with_the_normal_equation(solve: Any, problem: Problem, use: bool, fit_intercept: bool) -> None:
    weight = problem.weight if use else None
    theta = solve(problem.X, problem.y, weight, fit_intercept).theta
    wanted = reference.normal(problem.X, problem.y, weight, fit_intercept).theta
    np.testing.assert_allclose(theta, wanted, rtol=1e-7, atol=1e-7)


@fast
@given(problems(columns=1), weighted)
def test_simple_line_solves_the_normal_equation(problem: Problem, use: bool) -> None:
    weight = problem.weight if use else None
    line = reference.simple(problem.X[:, 0], problem.y, weight)
    wanted = reference.normal(problem.X, problem.y, weight).theta
    np.testing.assert_allclose([line.intercept, line.slope], wanted, rtol=1e-7, atol=1e-7)


@fast
@given(problems(columns=1))
def test_line_from_correlation_is_the_simple_line(problem: Problem) -> None:
    x = problem.X[:, 0]
    line, wanted = reference.correlation(x, problem.y), reference.simple(x, problem.y)
    np.testing.assert_allclose([line.intercept, line.slope], [wanted.intercept, wanted.slope], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("solve", [reference.normal, reference.qr, reference.svd])
@fast
@given(problem=problems(), fit_intercept=intercepts)
def test_many_outputs_are_many_fits(solve: Any, problem: Problem, fit_intercept: bool) -> None:
    outputs = np.column_stack([problem.y, problem.weight])
    together = solve(problem.X, outputs, None, fit_intercept).theta
    apart = [solve(problem.X, output, None, fit_intercept).theta for output in outputs.T]
    np.testing.assert_allclose(together, np.transpose(apart), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("solve", [reference.normal, reference.qr, reference.svd, reference.nonnegative])
@fast
@given(problem=problems(), data=st.data())
def test_weights_are_repetitions(solve: Any, problem: Problem, data: st.DataObject) -> None:
    counts = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(problem.y), max_size=len(problem.y))))
    repeated = solve(np.repeat(problem.X, counts, axis=0), np.repeat(problem.y, counts)).theta
    np.testing.assert_allclose(solve(problem.X, problem.y, counts).theta, repeated, rtol=1e-7, atol=1e-7)


@fast
@given(problems(), intercepts, st.integers(0, 2**32 - 1))
def test_svd_is_the_shortest_of_all_solutions(problem: Problem, fit_intercept: bool, number: int) -> None:
    """Dependent columns: any step along the null space keeps the fit and makes the coefficients longer."""
    random = np.random.default_rng(number)
    mix = random.normal(size=(problem.X.shape[1], 2))
    X = np.column_stack([problem.X, problem.X @ mix])
    # Centering leaves rounding noise of the size of the means, above the usual cut-off where rows are few.
    solved = reference.svd(X, problem.y, None, fit_intercept, rcond=1e-10)
    assert solved.rank == problem.X.shape[1]

    step = np.concatenate([mix, -np.eye(2)]) @ random.normal(size=2)
    coefficients = solved.theta[1:] if fit_intercept else solved.theta
    np.testing.assert_allclose(X @ step / np.abs(X).max(), 0, atol=1e-10)
    assert np.linalg.norm(coefficients + step) > np.linalg.norm(coefficients)
    assert abs(coefficients @ step) <= 1e-8 * (1 + np.linalg.norm(coefficients) * np.linalg.norm(step))


@fast
@given(problems())
def test_pseudoinverse_has_its_four_properties(problem: Problem) -> None:
    A = np.column_stack([problem.X, problem.X[:, 0]])
    P = reference.svd(A, problem.y, None, False).pseudoinverse
    scale = np.abs(A).max()
    np.testing.assert_allclose(A @ P @ A / scale, A / scale, atol=1e-10)
    np.testing.assert_allclose(P @ A @ P * scale, P * scale, atol=1e-10)
    np.testing.assert_allclose(A @ P, (A @ P).T, atol=1e-10)
    np.testing.assert_allclose(P @ A, (P @ A).T, atol=1e-10)


def test_svd_drops_singular_values_below_the_cut_off() -> None:
    X = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-8], [1.0, 1.0]])
    assert reference.svd(X, [1.0, 2.0, 3.0], None, False, rcond=1e-6).rank == 1


def test_qr_refuses_dependent_columns() -> None:
    with pytest.raises(ValueError, match="qr: the columns of X must be linearly independent"):
        reference.qr([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]], [1.0, 2.0, 3.0])


def test_simple_refuses_a_constant_x() -> None:
    with pytest.raises(ValueError, match="simple: x must take at least two values; all are 2"):
        reference.simple([2.0, 2.0], [1.0, 3.0])


@fast
@given(problems(), weighted, intercepts)
def test_nonnegative_meets_the_optimality_conditions(problem: Problem, use: bool, fit_intercept: bool) -> None:
    """Karush-Kuhn-Tucker: no negative coefficient, no gradient upwards at zero, none at all above zero."""
    weight = problem.weight if use else None
    solved = reference.nonnegative(problem.X, problem.y, weight, fit_intercept)
    coefficients = solved.theta[1:] if fit_intercept else solved.theta
    residuals = problem.y - reference.predict(problem.X, solved.theta, fit_intercept)
    pull = problem.X.T @ (residuals if weight is None else weight * residuals)
    margin = 1e-8 * np.abs(problem.X).T @ np.abs(problem.y)

    assert (coefficients >= 0).all()
    assert (pull <= margin).all()
    assert (np.abs(pull)[coefficients > 0] <= margin[coefficients > 0]).all()


@fast
@given(problems(), weighted)
def test_nonnegative_leaves_the_intercept_free(problem: Problem, use: bool) -> None:
    weight = problem.weight if use else np.ones(len(problem.y))
    residuals = problem.y - reference.predict(problem.X, reference.nonnegative(problem.X, problem.y, weight).theta)
    np.testing.assert_allclose(weight @ residuals / (weight @ np.abs(problem.y)), 0, atol=1e-9)


@fast
@given(problems(), intercepts)
def test_nonnegative_lowers_the_cost_with_every_step(problem: Problem, fit_intercept: bool) -> None:
    solved = reference.nonnegative(problem.X, problem.y, None, fit_intercept)
    X = problem.X - problem.X.mean(axis=0) if fit_intercept else problem.X
    y = problem.y - problem.y.mean() if fit_intercept else problem.y
    costs = [float(y @ y)] + [float(((y - X @ step.coefficients) ** 2).sum()) for step in solved.steps]
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in pairwise(costs))


@fast
@given(problems())
def test_nonnegative_is_least_squares_where_that_is_nonnegative(problem: Problem) -> None:
    plain = reference.normal(problem.X, problem.y).theta
    signs = np.where(plain[1:] < 0, -1.0, 1.0)
    solved = reference.nonnegative(problem.X * signs, problem.y)
    np.testing.assert_allclose(solved.theta[1:], np.abs(plain[1:]), rtol=1e-6, atol=1e-8)


@fast
@given(problems(), weighted, intercepts)
def test_total_is_error_plus_regression(problem: Problem, use: bool, fit_intercept: bool) -> None:
    weight = problem.weight if use else None
    theta = reference.normal(problem.X, problem.y, weight, fit_intercept).theta
    fit = reference.inference(problem.X, problem.y, theta, weight=weight, fit_intercept=fit_intercept)
    np.testing.assert_allclose(fit.sst, fit.sse + fit.ssr, rtol=1e-9)
    np.testing.assert_allclose(fit.r2, fit.ssr / fit.sst, rtol=1e-8, atol=1e-8)


@fast
@given(problems(), weighted)
def test_no_other_theta_has_a_smaller_sum_of_squares(problem: Problem, use: bool) -> None:
    weight = problem.weight if use else None
    theta = reference.normal(problem.X, problem.y, weight).theta
    best = sum_of_squares(problem, theta, weight, True)
    for j in range(len(theta)):
        for step in (-0.01, 0.01):
            assert sum_of_squares(problem, theta + step * np.eye(len(theta))[j], weight, True) > best


@fast
@given(problems(), st.floats(0.5, 0.99))
def test_zero_is_at_the_edge_of_the_interval_whose_level_is_one_minus_p(problem: Problem, level: float) -> None:
    theta = reference.normal(problem.X, problem.y).theta
    fit = reference.inference(problem.X, problem.y, theta, level=level)
    outside = (fit.intervals[:, 0] > 0) | (fit.intervals[:, 1] < 0)
    np.testing.assert_array_equal(outside, fit.p_values < 1 - level)


@fast
@given(problems(), st.floats(0.01, 100))
def test_scaling_the_weights_leaves_inference_alone(problem: Problem, factor: float) -> None:
    theta = reference.normal(problem.X, problem.y, problem.weight).theta
    fit = reference.inference(problem.X, problem.y, theta, weight=problem.weight)
    scaled = reference.inference(problem.X, problem.y, theta, weight=factor * problem.weight)
    np.testing.assert_allclose(scaled.intervals, fit.intervals, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(scaled.adjusted_r2, fit.adjusted_r2, rtol=1e-9, atol=1e-9)


@fast
@given(problems(), weighted)
def test_intercept_is_the_estimate_at_the_origin(problem: Problem, use: bool) -> None:
    """The mean response at x = 0 is the intercept, so its confidence interval is the intercept's."""
    weight = problem.weight if use else None
    theta = reference.normal(problem.X, problem.y, weight).theta
    fit = reference.inference(problem.X, problem.y, theta, weight=weight)
    origin = np.zeros((1, problem.X.shape[1]))
    new = reference.intervals(problem.X, problem.y, theta, origin, weight=weight)
    np.testing.assert_allclose(new.confidence[0], fit.intervals[0], rtol=1e-6, atol=1e-8)


@fast
@given(problems())
def test_leverages_of_the_fitted_rows_sum_to_the_number_of_parameters(problem: Problem) -> None:
    theta = reference.normal(problem.X, problem.y).theta
    new = reference.intervals(problem.X, problem.y, theta, problem.X)
    np.testing.assert_allclose(new.leverage.sum(), len(theta), rtol=1e-6)
    assert (new.prediction[:, 0] < new.confidence[:, 0]).all()
    assert (new.prediction[:, 1] > new.confidence[:, 1]).all()


def test_critical_value_off_a_table_replaces_the_quantile() -> None:
    x, y = [[1.0], [2.0], [4.0], [3.0], [5.0]], [1.0, 3.0, 3.0, 2.0, 5.0]
    fit = reference.inference(x, y, [0.4, 0.8], critical=3.18)
    np.testing.assert_allclose(fit.intervals[1], [0.8 - 3.18 * np.sqrt(0.08), 0.8 + 3.18 * np.sqrt(0.08)])


samples = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@fast
@given(samples, st.sampled_from(["linear", "halves", "halves_with_median"]))
def test_five_numbers_are_in_order(x: list[float], method: statistics.QuartileMethod) -> None:
    numbers = statistics.five_number_summary(x, method)
    assert all(low <= high + 1e-9 for low, high in pairwise(numbers))


@fast
@given(samples)
def test_statistics_agree_with_numpy(x: list[float]) -> None:
    np.testing.assert_allclose(statistics.mean(x), np.mean(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(statistics.median(x), np.median(x), rtol=1e-12)
    np.testing.assert_allclose(statistics.variance(x), np.var(x, ddof=1), rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(statistics.quartiles(x), np.quantile(x, [0.25, 0.5, 0.75]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["mean", "median", "mode", "variance", "standard_deviation"])
@fast
@given(x=samples)
def test_public_key_figures_are_those_of_the_reference(name: str, x: list[float]) -> None:
    wanted = getattr(statistics, name)(x)
    assert getattr(public, name)(x) == pytest.approx(wanted, rel=1e-9, abs=1e-6)


@fast
@given(samples, st.sampled_from(["linear", "halves", "halves_with_median"]))
def test_public_quartiles_are_those_of_the_reference(x: list[float], method: statistics.QuartileMethod) -> None:
    assert public.quartiles(x, method) == pytest.approx(statistics.quartiles(x, method), rel=1e-9, abs=1e-9)


@fast
@given(problems(columns=2))
def test_public_covariance_and_correlation_are_those_of_the_reference(problem: Problem) -> None:
    x, y = problem.X.T
    assert public.covariance(x, y) == pytest.approx(statistics.covariance(x, y), rel=1e-9, abs=1e-9)
    assert public.correlation(x, y) == pytest.approx(statistics.correlation(x, y), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(public.covariance_matrix(problem.X), statistics.covariance_matrix(problem.X), rtol=1e-9)


@fast
@given(st.integers(1, 200), st.floats(0.001, 0.5))
def test_critical_value_leaves_alpha_outside(df: int, alpha: float) -> None:
    outside = 2 * stdtr(df, -statistics.student_t_critical(df, alpha))
    assert outside == pytest.approx(alpha, rel=1e-8)
