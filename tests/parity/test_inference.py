"""`summary` and its intervals against the textbook's formulas, written out in NumPy, and against the reference."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy import stats

from pellucid.linear_model import LinearRegression
from pellucid.reference import linear_regression as reference

Array = NDArray[np.float64]

FIGURES = ("sse", "ssr", "sst", "r2", "adjusted_r2", "mse_n", "mse_df", "df_residual", "critical")
LISTS = ("standard_errors", "t_values", "p_values", "intervals", "fitted", "residuals")


class Textbook(NamedTuple):
    """beta = (X'WX)^-1 X'Wy, s² = e'We / (n - p), var(beta) = s² (X'WX)^-1, X with its column of ones."""

    beta: Array
    inverse: Array
    variance: float
    df: int

    @classmethod
    def solve(cls, design: Array, y: Array, weight: Array) -> Textbook:
        inverse = np.linalg.inv(design.T @ (weight[:, None] * design))
        beta = inverse @ (design.T @ (weight * y))
        df = int((weight > 0).sum()) - design.shape[1]
        residuals = y - design @ beta
        return cls(beta, inverse, float(weight @ residuals**2) / df, df)


class Case(NamedTuple):
    X: Array
    y: Array
    weight: Array | None
    fit_intercept: bool

    @property
    def design(self) -> Array:
        return self.with_ones(self.X)

    @property
    def weights(self) -> Array:
        return np.ones(len(self.y)) if self.weight is None else self.weight

    def with_ones(self, X: Array) -> Array:
        return np.column_stack([np.ones(len(X)), X]) if self.fit_intercept else X

    def fitted(self, **settings: Any) -> LinearRegression:
        return LinearRegression(fit_intercept=self.fit_intercept, **settings).fit(self.X, self.y, self.weight)


def make(how: str, fit_intercept: bool, columns: int = 3) -> Case:
    random = np.random.default_rng([columns, len(how), fit_intercept])
    X = random.standard_normal((40, columns)) * np.logspace(-1, 1, columns) + 2
    y = 4 + X @ random.standard_normal(columns) + random.standard_normal(40)
    weight = {"plain": None, "weighted": random.uniform(0.2, 9, 40), "zeros": random.integers(0, 3, 40).astype(float)}
    return Case(X, y, weight[how], fit_intercept)


CASES = [
    pytest.param(make(how, fit_intercept, columns), id=f"{how}-{'intercept' if fit_intercept else 'origin'}-{columns}")
    for how in ("plain", "weighted", "zeros")
    for fit_intercept in (True, False)
    for columns in (1, 3)
]
cases = pytest.mark.parametrize("case", CASES)


@cases
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_coefficients_against_the_formulas(case: Case, level: float) -> None:
    book = Textbook.solve(case.design, case.y, case.weights)
    found = case.fitted().summary(case.X, case.y, case.weight, level=level)
    errors = np.sqrt(book.variance * np.diag(book.inverse))
    student = stats.t(book.df)
    reach = student.ppf(0.5 + level / 2) * errors
    np.testing.assert_allclose(found.estimates, book.beta, rtol=1e-9)
    np.testing.assert_allclose(found.standard_errors, errors, rtol=1e-9)
    np.testing.assert_allclose(found.t_values, book.beta / errors, rtol=1e-9)
    np.testing.assert_allclose(found.p_values, 2 * student.sf(np.abs(book.beta / errors)), rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(found.intervals, np.column_stack([book.beta - reach, book.beta + reach]), rtol=1e-8)
    assert found.names == ["(intercept)"] * case.fit_intercept + [f"x{j}" for j in range(case.X.shape[1])]


@cases
def test_sums_of_squares_against_the_formulas(case: Case) -> None:
    w, y = case.weights, case.y
    found = case.fitted().summary(case.X, case.y, case.weight)
    f = case.design @ Textbook.solve(case.design, y, w).beta
    center = w @ y / w.sum() if case.fit_intercept else 0.0
    n, p = int((w > 0).sum()), case.design.shape[1]
    sse, sst = w @ (y - f) ** 2, w @ (y - center) ** 2
    np.testing.assert_allclose([found.sse, found.ssr, found.sst], [sse, w @ (f - center) ** 2, sst], rtol=1e-10)
    np.testing.assert_allclose([found.mse_n, found.mse_df], [sse / n, sse / (n - p)], rtol=1e-10)
    np.testing.assert_allclose(found.r2, 1 - sse / sst, rtol=1e-10)
    adjusted = 1 - (sse / (n - p)) / (sst / (n - case.fit_intercept))
    np.testing.assert_allclose(found.adjusted_r2, adjusted, rtol=1e-9)
    np.testing.assert_allclose(found.residuals, y - f, rtol=0, atol=1e-10)
    assert (found.n_rows, found.df_residual) == (n, n - p)


@cases
@pytest.mark.parametrize("kind", ["confidence", "prediction"])
def test_intervals_of_new_rows_against_the_formulas(case: Case, kind: Any) -> None:
    """var = s² (x'(X'WX)^-1 x) for the mean response, and s² more for one observation of weight one."""
    book = Textbook.solve(case.design, case.y, case.weights)
    new = np.random.default_rng(1).normal(3, 4, size=(7, case.X.shape[1]))
    x = case.with_ones(new)
    variance = book.variance * (np.einsum("ij,jk,ik->i", x, book.inverse, x) + (kind == "prediction"))
    reach = stats.t(book.df).ppf(0.95) * np.sqrt(variance)
    found = case.fitted().summary(case.X, case.y, case.weight).predict(new, kind, level=0.9)
    wanted = np.column_stack([x @ book.beta, x @ book.beta - reach, x @ book.beta + reach])
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9)


@cases
@pytest.mark.parametrize("solver", ["auto", "normal", "qr", "svd"])
def test_every_solver_has_the_figures_of_the_reference(case: Case, solver: str) -> None:
    model = case.fitted(solver=solver)
    theta = np.append(model.intercept_, model.coef_) if case.fit_intercept else model.coef_
    found = model.summary(case.X, case.y, case.weight, level=0.8)
    wanted = reference.inference(case.X, case.y, theta, 0.8, None, case.weight, case.fit_intercept)
    for name in (*FIGURES, *LISTS):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-7, atol=1e-9, err_msg=name)
    new = case.X[:5] + 1
    bounds = reference.intervals(case.X, case.y, theta, new, 0.8, None, case.weight, case.fit_intercept)
    np.testing.assert_allclose(found.predict(new, "confidence")[:, 1:], bounds.confidence, rtol=1e-7)
    np.testing.assert_allclose(found.predict(new, "prediction")[:, 1:], bounds.prediction, rtol=1e-7)


@pytest.mark.parametrize("how", ["plain", "weighted"])
def test_each_target_has_its_own_inference(how: str) -> None:
    case = make(how, True)
    Y = np.column_stack([case.y, case.X[:, 0] ** 2, 1e6 * case.y])
    model = LinearRegression().fit(case.X, Y, case.weight)
    together = model.summary(case.X, Y, case.weight)
    for t in range(3):
        alone = LinearRegression().fit(case.X, Y[:, t], case.weight).summary(case.X, Y[:, t], case.weight)
        for name in ("estimates", "standard_errors", "t_values", "p_values", "intervals", "sse", "r2", "mse_df"):
            np.testing.assert_allclose(getattr(together, name)[t], getattr(alone, name), rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(together.residuals[:, t], alone.residuals, atol=1e-9 * np.abs(Y[:, t]).max())
        np.testing.assert_allclose(together.predict(case.X[:4])[t], alone.predict(case.X[:4]), rtol=1e-9)


def test_a_sparse_table_has_the_inference_of_its_dense_self() -> None:
    random = np.random.default_rng(2)
    dense = random.standard_normal((80, 6)) * (random.random((80, 6)) < 0.4)
    y = dense.sum(axis=1) + random.standard_normal(80)
    X = sp.csc_array(dense)
    found = LinearRegression().fit(X, y).summary(X, y)
    wanted = LinearRegression().fit(dense, y).summary(dense, y)
    np.testing.assert_allclose(found.intervals, wanted.intervals, rtol=1e-9)
    np.testing.assert_allclose(found.predict(X[:5]), wanted.predict(dense[:5]), rtol=1e-9)


def test_multiplying_all_weights_changes_no_interval() -> None:
    case = make("weighted", True)
    assert case.weight is not None
    model = case.fitted()
    plain = model.summary(case.X, case.y, case.weight)
    scaled = model.summary(case.X, case.y, 1e4 * case.weight)
    np.testing.assert_allclose(scaled.intervals, plain.intervals, rtol=1e-9)
    np.testing.assert_allclose(scaled.sse, 1e4 * plain.sse, rtol=1e-9)


def test_confidence_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """400 samples of one model: the share of 90 % intervals that hold the truth is 0.9 within four deviations."""
    random = np.random.default_rng(3)
    X, truth = random.standard_normal((25, 2)), np.array([1.0, -2.0, 0.5])
    Y = truth[0] + X @ truth[1:, None] + random.standard_normal((25, 400))
    new = np.array([[0.3, -1.0]])
    found = LinearRegression().fit(X, Y).summary(X, Y, level=0.9)
    inside = (found.intervals[..., 0] <= truth) & (truth <= found.intervals[..., 1])
    np.testing.assert_allclose(inside.mean(axis=0), 0.9, atol=4 * np.sqrt(0.09 / 400))
    later = truth[0] + new @ truth[1:] + random.standard_normal(400)
    bounds = found.predict(new, "prediction")[:, 0]
    assert ((bounds[:, 1] <= later) & (later <= bounds[:, 2])).mean() == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 400))
