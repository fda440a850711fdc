"""Ridge regression against its readable reference, the textbook's identities and its own promises."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from pellucid.base.errors import DependentColumnsWarning
from pellucid.linear_model import LinearRegression, Ridge, RidgeClassifier, ridge_regression
from pellucid.linear_model._least_squares import NORMAL_RCOND
from pellucid.model_selection import GridSearchCV, KFold
from pellucid.reference import ridge as reference

SOLVERS: dict[str, dict[str, Any]] = {
    "auto": {},
    "svd": {},
    "cholesky": {},
    "sparse_cg": {"tol": 1e-13},
    "lsqr": {"tol": 1e-14},
    "sag": {"tol": 1e-12, "max_iter": 100_000, "random_state": 0},
    "saga": {"tol": 1e-12, "max_iter": 100_000, "random_state": 0},
}


def data(rows: int = 40, columns: int = 4, seed: int = 0) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) * (1 + np.arange(columns)) + random.normal(size=columns)
    y = X @ random.normal(size=columns) + random.normal(size=rows) + 3
    return X, y, random.integers(1, 4, rows).astype(float)


def theta_of(model: Any) -> Any:
    return np.array([model.intercept_, *model.coef_]) if model.fit_intercept else model.coef_


@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "origin"])
@pytest.mark.parametrize("weighted", [True, False], ids=["weighted", "plain"])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array], ids=["C", "F", "csr"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_has_the_answer_of_the_closed_form(
    solver: Any, form: Any, weighted: bool, fit_intercept: bool
) -> None:
    X, y, weight = data()
    weight = weight if weighted else None
    model = Ridge(2.5, solver=solver, fit_intercept=fit_intercept, **SOLVERS[solver]).fit(form(X), y, weight)
    wanted = reference.ridge(X, y, 2.5, weight, fit_intercept).theta
    np.testing.assert_allclose(theta_of(model), wanted, rtol=1e-7, atol=1e-8)
    assert model.solver_ == {"auto": "cholesky"}.get(solver, solver)
    assert (model.n_iter_ is None) == (solver in ("auto", "svd", "cholesky"))


@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "sparse_cg", "lsqr"])
def test_more_columns_than_rows(solver: Any) -> None:
    X, y, weight = data(8, 30)
    model = Ridge(0.7, solver=solver, **SOLVERS[solver]).fit(X, y, weight)
    np.testing.assert_allclose(theta_of(model), reference.ridge(X, y, 0.7, weight).theta, rtol=1e-7, atol=1e-8)


def test_the_gradient_is_zero_at_the_answer() -> None:
    """X'W(y - f) = alpha w, and the weighted errors add up to zero: the intercept is free."""
    X, y, weight = data(200, 6)
    model = Ridge(4).fit(X, y, weight)
    rest = weight * (y - model.predict(X))
    np.testing.assert_allclose(X.T @ rest, 4 * model.coef_, rtol=1e-8)
    assert abs(rest.sum()) < 1e-9


def test_a_penalty_for_each_target() -> None:
    X, y, _ = data()
    Y = np.column_stack([y, y[::-1], y * 2])
    alphas = [0.1, 3.0, 50.0]
    both = Ridge(alphas).fit(X, Y)
    for t, alpha in enumerate(alphas):
        alone = Ridge(alpha).fit(X, Y[:, t])
        np.testing.assert_allclose(both.coef_[t], alone.coef_, rtol=1e-12)
        np.testing.assert_allclose(both.intercept_[t], alone.intercept_, rtol=1e-12)


# ------------------------------------------------------------------------------------------------------ scales of cost


@pytest.mark.parametrize("weighted", [True, False], ids=["weighted", "plain"])
@pytest.mark.parametrize(("cost", "times"), [("sum", 0.0), ("mean", 0.5), ("half_mean", 1.0)])
def test_scales_of_the_cost(cost: Any, times: float, weighted: bool) -> None:
    """MSE + alpha/2 ||w||² is SSE + (n alpha/2) ||w||²; half the mean counts twice that."""
    X, y, weight = data()
    weight = weight if weighted else None
    n = len(X) if weight is None else weight.sum()
    model = Ridge(0.3, cost=cost).fit(X, y, weight)
    same = Ridge(0.3 * n * times if times else 0.3).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, same.coef_, rtol=1e-12)
    np.testing.assert_allclose(theta_of(model), reference.ridge(X, y, 0.3, weight, cost=cost).theta, rtol=1e-9)


def test_a_cost_with_both_terms_over_2n_has_the_alpha_of_the_sum() -> None:
    """J = 1/(2n) [SSE + lambda ||w||²]: its gradient is zero at Ridge(alpha=lambda)."""
    X, y, _ = data()
    n, strength = len(X), 1.7
    model = Ridge(strength).fit(X, y)

    def cost(w: Any, b: Any) -> float:
        return float((((y - b - X @ w) ** 2).sum() + strength * (w**2).sum()) / (2 * n))

    at = cost(model.coef_, model.intercept_)
    for j in range(X.shape[1]):
        for step in (-1e-3, 1e-3):
            moved = model.coef_.copy()
            moved[j] += step
            assert cost(moved, model.intercept_) > at
    assert cost(model.coef_, model.intercept_ + 1e-3) > at < cost(model.coef_, model.intercept_ - 1e-3)


# ------------------------------------------------------------------------------------------------------------- limits


def test_no_penalty_is_least_squares() -> None:
    X, y, weight = data()
    ridge, plain = Ridge(0).fit(X, y, weight), LinearRegression().fit(X, y, weight)
    np.testing.assert_allclose(ridge.coef_, plain.coef_, rtol=1e-12)
    np.testing.assert_allclose(ridge.intercept_, plain.intercept_, rtol=1e-12)


def test_no_penalty_and_dependent_columns_give_the_smallest_answer_and_say_so() -> None:
    X, y, _ = data()
    twice = np.column_stack([X, X[:, 0]])
    with pytest.warns(DependentColumnsWarning, match="columns 'x0', 'x4' depend on each other"):
        model = Ridge(0).fit(twice, y)
    once = LinearRegression().fit(X, y).coef_
    np.testing.assert_allclose(model.coef_, [once[0] / 2, *once[1:], once[0] / 2], rtol=1e-8)


@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "sparse_cg", "lsqr"])
def test_an_infinite_penalty_leaves_the_mean(solver: Any) -> None:
    X, y, _ = data()
    for alpha in (1e300, np.inf):
        model = Ridge(alpha, solver=solver).fit(X, y)
        np.testing.assert_allclose(model.coef_, 0, atol=1e-200)
        np.testing.assert_allclose(model.predict(X), y.mean())


@pytest.mark.parametrize("alpha", [1e-3, 1e-8, 1e-14])
def test_equal_columns_share_their_coefficient_however_small_the_penalty(alpha: float) -> None:
    """With two equal columns the best pair is two halves; cross products alone would leave no digit of it.

    A factorization of p columns may lose p eps / rcond of a coefficient, and a stable method takes over below
    `NORMAL_RCOND`; which digits are lost depends on the BLAS kernel.
    """
    X, y, _ = data()
    twice = np.column_stack([X, X[:, 0]])
    model = Ridge(alpha).fit(twice, y)
    lost = twice.shape[1] * np.finfo(float).eps / NORMAL_RCOND
    np.testing.assert_allclose(model.coef_[0], model.coef_[4], rtol=lost)
    np.testing.assert_allclose(model.predict(twice), Ridge(alpha).fit(X, y).predict(X), rtol=1e-3)


def test_columns_of_any_size() -> None:
    """X times c with alpha times c² is the same model in other units."""
    X, y, _ = data()
    plain = Ridge(1.0).fit(X, y)
    for size in (1e-100, 1e100):
        model = Ridge(size**2).fit(X * size, y)
        np.testing.assert_allclose(model.coef_ * size, plain.coef_, rtol=1e-10)
        np.testing.assert_allclose(Ridge(1.0).fit(X, y * size).coef_, plain.coef_ * size, rtol=1e-12)


def test_only_coefficients_of_zero_or_more() -> None:
    """At the answer no coefficient can move to where it would be better: the condition of Karush, Kuhn and Tucker."""
    X, y, weight = data(100, 6)
    y = X @ np.array([1.0, -1, 0.5, -0.5, 0, 2]) + 0.1 * y
    model = Ridge(3.0, positive=True).fit(X, y, weight)
    slope = X.T @ (weight * (y - model.predict(X))) - 3.0 * model.coef_
    size = np.abs(X.T @ (weight * (y - y.mean()))).max()
    assert (model.coef_ >= 0).all()
    assert 0 < (model.coef_ > 0).sum() < 6
    assert np.abs(slope[model.coef_ > 0]).max() < 1e-5 * size
    assert slope[model.coef_ == 0].max() < 1e-5 * size


# ------------------------------------------------------------------------------------------------------------ searches


@pytest.mark.parametrize("shape", [(60, 5), (12, 30)], ids=["tall", "wide"])
@pytest.mark.parametrize("solver", ["auto", "svd"])
def test_one_factorization_serves_all_penalties(solver: Any, shape: tuple[int, int]) -> None:
    X, y, weight = data(*shape)
    Y = np.column_stack([y, -y[::-1]])
    alphas = [0.0, 1e-6, 0.1, 1.0, 100.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DependentColumnsWarning)
        path = Ridge(solver=solver).fit_path("alpha", alphas, X, Y, sample_weight=weight)
        alone = [Ridge(alpha, solver=solver).fit(X, Y, weight) for alpha in alphas]
    said = path.answer("predict", X)
    for model, other, answer in zip(path.models, alone, said, strict=True):
        assert model.alpha == other.alpha
        np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(answer, other.predict(X), rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(model.predict(X), answer, rtol=1e-10, atol=1e-10)


def test_a_search_over_alpha_scores_as_fits_one_by_one() -> None:
    X, y, _ = data(90, 5)
    search = GridSearchCV(Ridge(), {"alpha": [0.01, 1.0, 100.0]}, cv=KFold(3)).fit(X, y)
    scores = [
        np.mean([
            Ridge(alpha).fit(X[train], y[train]).score(X[test], y[test]) for train, test in KFold(3).split(X)
        ])
        for alpha in (0.01, 1.0, 100.0)
    ]  # fmt: skip
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores, rtol=1e-9)


def test_a_search_over_alpha_of_a_classifier() -> None:
    X, y, _ = data(90, 5)
    labels = np.array(["low", "mid", "top"])[np.searchsorted(np.quantile(y, [0.3, 0.6]), y)]
    path = RidgeClassifier().fit_path("alpha", [0.1, 10.0], X, labels)
    for method in ("predict", "decision_function"):
        for alpha, answer in zip([0.1, 10.0], path.answer(method, X), strict=True):
            alone = getattr(RidgeClassifier(alpha).fit(X, labels), method)(X)
            if method == "predict":
                assert (answer == alone).all()
            else:
                np.testing.assert_allclose(answer, alone, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------------------------------------------------- classes


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_are_ridge_regression_on_signs(classes: int) -> None:
    X, y, weight = data(60, 4)
    names = np.array(["ash", "birch", "cedar"][:classes])
    labels = names[np.searchsorted(np.quantile(y, np.arange(1, classes) / classes), y)]
    known, targets = reference.signs(labels.tolist())
    model = RidgeClassifier(1.5).fit(X, labels, weight)
    theta = reference.ridge(X, targets, 1.5, weight).theta
    assert model.classes_.tolist() == known
    np.testing.assert_allclose(model.intercept_, theta[0], rtol=1e-9)
    np.testing.assert_allclose(model.coef_, theta[1:].T, rtol=1e-9)
    scores = reference.predict(X, theta)
    best = (scores[:, 0] > 0).astype(int) if classes == 2 else scores.argmax(axis=1)
    assert (model.predict(X) == names[best]).all()
    assert model.score(X, labels) == np.mean(names[best] == labels)
    assert not hasattr(model, "predict_proba")


def test_balanced_classes_count_alike() -> None:
    """Three of one class and one of the other, balanced, are the same as the one written three times."""
    X, labels = np.array([[0.0], [1.0], [2.0], [5.0]]), ["a", "a", "a", "b"]
    balanced = RidgeClassifier(2 / 3, class_weight="balanced").fit(X, labels)
    thrice = RidgeClassifier(1.0).fit(np.r_[X, X[[3, 3]]], [*labels, "b", "b"])
    np.testing.assert_allclose(balanced.coef_, thrice.coef_, rtol=1e-12)
    given = RidgeClassifier(1.0, class_weight={"a": 1, "b": 3}).fit(X, labels)
    np.testing.assert_allclose(given.coef_, thrice.coef_, rtol=1e-12)


def test_several_labels_a_row() -> None:
    X, y, _ = data(60, 4)
    labels = np.column_stack([y > np.median(y), X[:, 0] > 0, X[:, 1] > X[:, 2]]).astype(int)
    model = RidgeClassifier().fit(X, labels)
    assert model.predict(X).shape == labels.shape
    for j in range(3):
        alone = RidgeClassifier().fit(X, labels[:, j])
        assert (model.predict(X)[:, j] == alone.predict(X)).all()
        np.testing.assert_allclose(model.decision_function(X)[:, j], alone.decision_function(X), rtol=1e-9)


# ------------------------------------------------------------------------------------------------------------ function


def test_the_function_answers_coefficients() -> None:
    X, y, weight = data()
    model = Ridge(2.0).fit(X, y, weight)
    coef, intercept = ridge_regression(X, y, 2.0, sample_weight=weight, return_intercept=True)
    np.testing.assert_array_equal(coef, model.coef_)
    assert intercept == model.intercept_
    coef, passes = ridge_regression(X, y, 2.0, solver="sparse_cg", tol=1e-12, return_n_iter=True)
    np.testing.assert_allclose(coef, Ridge(2.0, fit_intercept=False).fit(X, y).coef_, rtol=1e-9)
    assert passes[0] >= 1


def test_large_sparse_tables_are_not_made_dense() -> None:
    """A dense form of this table would take 64 GB."""
    random = np.random.default_rng(0)
    X = sp.random(20_000, 400_000, 1e-5, "csr", random_state=random)
    w = np.zeros(400_000)
    w[:1000] = 1
    y = X @ w + 5
    model = Ridge(0.1).fit(X, y)
    assert model.solver_ == "sparse_cg"
    rest = y - model.predict(X)
    np.testing.assert_allclose(X.T @ rest, 0.1 * model.coef_, atol=1e-6)
    assert abs(rest.sum()) < 1e-5


@pytest.mark.parametrize("solver", ["sag", "saga"])
def test_small_steps_far_from_the_answer_are_no_convergence(solver: str) -> None:
    rng = np.random.default_rng(0)
    rows = np.column_stack((rng.uniform(150, 200, 12), rng.uniform(30, 60, 12)))
    y = rows @ [36.0, -3.0]
    exact = Ridge().fit(rows, y).coef_
    with pytest.warns(ConvergenceWarning, match="tol was not reached"):
        model = Ridge(solver=solver, random_state=0).fit(sp.csr_array(rows), y)
    assert abs(model.coef_ - exact).max() > 0.1 * abs(exact).max()  # so it is right to say so
    near = Ridge(solver=solver, random_state=0, tol=1e-6).fit(sp.csr_array(rows - rows.mean(axis=0)), y)
    np.testing.assert_allclose(near.coef_, exact, rtol=1e-3)
