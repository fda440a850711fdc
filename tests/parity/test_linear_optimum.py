"""Penalized regressions reach the optimum: their documented cost is no higher than that of scikit-learn's tight fit.

Twenty random problems each (linear_problems.py), dense and sparse, weighted; where the minimizer is unique, as it is
with a positive penalty on these tables, the coefficients agree as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import sklearn.linear_model as peer
from threadpoolctl import threadpool_limits

import pellucid.linear_model as ours

from . import linear_problems as problems
from .linear_problems import SEEDS, Problem, near, no_worse

forms = pytest.mark.parametrize("form", ["dense", "csr"])
# Every problem with ``--exhaustive``; else the first two and a sample.
seeds = pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.exhaustive] if i > 1 else []) for i, seed in enumerate(SEEDS)]
)
ALPHAS = [1e-3, 0.3, 20.0]
# Shares of the smallest alpha at which all coefficients are zero.
SHARES = [0.7, 0.1, 0.01]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """The peer's BLAS spins on small tables when others work beside it."""
    with threadpool_limits(1):
        yield


def table(problem: Problem, form: str) -> Any:
    return problem.csr if form == "csr" else problem.X


def exact(problem: Problem) -> Problem:
    """The problem in double precision: what the peer is given, so that its fit is tight."""
    return Problem(problem.X.astype(float), problem.y.astype(float), problem.weight)


def levelled(problem: Problem) -> Problem:
    """Columns whose mean square is one: methods that go row by row need it."""
    size = np.sqrt(np.mean(problem.X.astype(float) ** 2, axis=0))
    return Problem((problem.X / np.where(size > 0, size, 1.0)).astype(problem.X.dtype), problem.y, problem.weight)


def digits(problem: Problem, double: float, single: float) -> float:
    return single if problem.single else double


# ----------------------------------------------------------------------------------------------------------- ridge


@cache
def ridge_peer(seed: int, alpha: float, intercept: bool, level: bool) -> Any:
    problem = exact(levelled(problems.regression(seed)) if level else problems.regression(seed))
    model = peer.Ridge(alpha, solver="svd", fit_intercept=intercept)
    return model.fit(problem.X, problem.y, sample_weight=problem.weight)


@forms
@seeds
@pytest.mark.parametrize("solver", ["auto", "cholesky", "svd", "lsqr", "sparse_cg"])
def test_ridge(solver: str, seed: int, form: str) -> None:
    problem, intercept = problems.regression(seed), seed % 5 != 1
    for alpha in ALPHAS:
        theirs = ridge_peer(seed, alpha, intercept, False)
        model = ours.Ridge(alpha, solver=solver, fit_intercept=intercept, tol=1e-13, max_iter=5000)
        model.fit(table(problem, form), problem.y, sample_weight=problem.weight)
        costs = (problems.ridge_cost(problem, m.coef_, m.intercept_, alpha) for m in (model, theirs))
        no_worse(*costs, tolerance=digits(problem, 1e-10, 1e-6))
        near(model.coef_, theirs.coef_, digits(problem, 1e-6, 1e-3))
        near(model.predict(problem.X), theirs.predict(problem.X), digits(problem, 1e-7, 1e-4))


@forms
@seeds
@pytest.mark.parametrize("solver", ["sag", "saga"])
def test_ridge_row_by_row(solver: str, seed: int, form: str) -> None:
    problem, alpha = levelled(problems.regression(seed)), 5.0
    theirs = ridge_peer(seed, alpha, True, True)
    model = ours.Ridge(alpha, solver=solver, tol=1e-10, max_iter=50_000, random_state=0)
    model.fit(table(problem, form), problem.y, sample_weight=problem.weight)
    costs = (problems.ridge_cost(problem, m.coef_, m.intercept_, alpha) for m in (model, theirs))
    no_worse(*costs, tolerance=digits(problem, 1e-8, 1e-5))
    near(model.coef_, theirs.coef_, digits(problem, 1e-4, 1e-3))


@seeds
def test_ridge_without_negative_coefficients(seed: int) -> None:
    problem, alpha = exact(levelled(problems.regression(seed))), 1.0
    theirs = peer.Ridge(alpha, positive=True, tol=1e-12, max_iter=100_000).fit(problem.X, problem.y, problem.weight)
    model = ours.Ridge(alpha, positive=True, tol=1e-12, max_iter=100_000).fit(problem.X, problem.y, problem.weight)
    costs = (problems.ridge_cost(problem, m.coef_, m.intercept_, alpha) for m in (model, theirs))
    no_worse(*costs, tolerance=1e-9)
    assert (model.coef_ >= 0).all()


@seeds
def test_an_alpha_for_each_target(seed: int) -> None:
    problem, alphas = problems.regression(seed, targets=3), [0.1, 1.0, 30.0]
    tight = exact(problem)
    theirs = peer.Ridge(alphas, solver="cholesky").fit(tight.X, tight.y, sample_weight=problem.weight)
    model = ours.Ridge(alphas).fit(problem.X, problem.y, sample_weight=problem.weight)
    costs = (problems.ridge_cost(problem, m.coef_, m.intercept_, alphas) for m in (model, theirs))
    no_worse(*costs, tolerance=digits(problem, 1e-10, 1e-6))
    near(model.coef_, theirs.coef_, digits(problem, 1e-6, 1e-3))


RIDGE_ALPHAS = np.geomspace(1e-2, 1e4, 13)


@forms
@seeds
def test_ridge_left_one_out(seed: int, form: str) -> None:
    """The alpha of least error of rows left out, and each such error."""
    problem = problems.regression(seed)
    tight, chosen = exact(problem), {"alphas": RIDGE_ALPHAS, "store_cv_results": True}
    theirs = peer.RidgeCV(**chosen).fit(tight.X, tight.y, sample_weight=problem.weight)
    model = ours.RidgeCV(**chosen).fit(table(problem, form), problem.y, sample_weight=problem.weight)
    assert model.alpha_ == theirs.alpha_
    near(model.best_score_, theirs.best_score_, digits(problem, 1e-7, 1e-3))
    near(model.cv_results_, theirs.cv_results_, digits(problem, 1e-7, 1e-3))
    near(model.coef_, theirs.coef_, digits(problem, 1e-6, 1e-3))


@forms
@seeds
def test_ridge_folds(seed: int, form: str) -> None:
    problem = problems.regression(seed)
    tight, chosen = exact(problem), {"alphas": RIDGE_ALPHAS, "cv": 3, "scoring": "neg_mean_squared_error"}
    theirs = peer.RidgeCV(**chosen).fit(tight.X, tight.y, sample_weight=problem.weight)
    model = ours.RidgeCV(**chosen).fit(table(problem, form), problem.y, sample_weight=problem.weight)
    assert model.alpha_ == theirs.alpha_
    near(model.best_score_, theirs.best_score_, digits(problem, 1e-7, 1e-3))
    near(model.coef_, theirs.coef_, digits(problem, 1e-6, 1e-3))


# ------------------------------------------------------------------------------------------ lasso and elastic net


def strongest(problem: Problem, l1_ratio: float, intercept: bool) -> float:
    """The alpha from which on all coefficients are zero: ``max_j |x_j' s r| / (S l1_ratio)``."""
    X, y, s = problem.X.astype(float), problem.y.astype(float), problem.weights
    if intercept:
        X, y = X - s @ X / s.sum(), y - s @ y / s.sum()
    return float(np.abs((X * s[:, None]).T @ y).max() / (s.sum() * l1_ratio))


@cache
def net_peer(seed: int, share: float, l1_ratio: float, intercept: bool) -> Any:
    problem = exact(problems.regression(seed))
    alpha = share * strongest(problem, l1_ratio, intercept)
    model = peer.ElasticNet(alpha, l1_ratio=l1_ratio, fit_intercept=intercept, tol=1e-13, max_iter=10**6)
    return model.fit(problem.X, problem.y, sample_weight=problem.weight)


def check_net(make: Any, seed: int, form: str, l1_ratio: float) -> None:
    problem, intercept = problems.regression(seed), seed % 5 != 1
    for share in SHARES:
        theirs = net_peer(seed, share, l1_ratio, intercept)
        alpha = theirs.alpha
        model = make(alpha, fit_intercept=intercept, tol=1e-12, max_iter=10**6)
        model.fit(table(problem, form), problem.y, sample_weight=problem.weight)
        costs = (problems.elastic_net_cost(problem, m.coef_, m.intercept_, alpha, l1_ratio) for m in (model, theirs))
        no_worse(*costs, tolerance=digits(problem, 1e-10, 1e-6))
        near(model.coef_, theirs.coef_, digits(problem, 1e-5, 1e-2))
        near(model.predict(problem.X), theirs.predict(problem.X), digits(problem, 1e-6, 1e-3))


@forms
@seeds
def test_lasso(seed: int, form: str) -> None:
    check_net(ours.Lasso, seed, form, 1.0)


@forms
@seeds
@pytest.mark.parametrize("l1_ratio", [0.1, 0.6])
def test_elastic_net(l1_ratio: float, seed: int, form: str) -> None:
    def make(alpha: float, **settings: Any) -> Any:
        return ours.ElasticNet(alpha, l1_ratio=l1_ratio, **settings)

    check_net(make, seed, form, l1_ratio)


@forms
@seeds
@pytest.mark.parametrize("settings", [{"positive": True}, {"selection": "random", "random_state": 0}], ids=str)
def test_lasso_of_other_kinds(settings: dict[str, Any], seed: int, form: str) -> None:
    problem = problems.regression(seed)
    tight, alpha = exact(problem), 0.1 * strongest(problem, 1.0, True)
    chosen = {**settings, "tol": 1e-12, "max_iter": 10**6}
    theirs = peer.Lasso(alpha, **chosen).fit(tight.X, tight.y, sample_weight=problem.weight)
    model = ours.Lasso(alpha, **chosen).fit(table(problem, form), problem.y, sample_weight=problem.weight)
    costs = (problems.lasso_cost(problem, m.coef_, m.intercept_, alpha) for m in (model, theirs))
    no_worse(*costs, tolerance=digits(problem, 1e-10, 1e-6))
    assert not settings.get("positive") or (model.coef_ >= 0).all()


@forms
@seeds
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_path(l1_ratio: float, seed: int, form: str) -> None:
    """The path of a centered problem: the same alphas, no cost above the peer's."""
    problem = exact(problems.regression(seed, targets=1))
    problem = Problem(np.asfortranarray(problem.X), problem.y[:, 0] - problem.y.mean(), None)
    chosen: dict[str, Any] = {"l1_ratio": l1_ratio, "alphas": 12, "eps": 0.01}
    alphas, coefs, gaps = peer.enet_path(problem.X, problem.y, tol=1e-12, max_iter=10**6, **chosen)
    own_alphas, own, own_gaps = ours.enet_path(table(problem, form), problem.y, tol=1e-12, max_iter=10**6, **chosen)
    near(own_alphas, alphas, 1e-12)
    assert own.shape == coefs.shape
    assert own_gaps.shape == gaps.shape
    for place, alpha in enumerate(alphas):
        both = (problems.elastic_net_cost(problem, c[..., place], 0.0, alpha, l1_ratio) for c in (own, coefs))
        no_worse(*both, tolerance=1e-9)


def test_a_path_of_several_targets_is_refused() -> None:
    """The peer ties them together by the norm of their rows, which is another problem than that of its `Lasso`."""
    problem = problems.regression(0, targets=3)
    with pytest.raises(ValueError, match="one target"):
        ours.lasso_path(problem.X, problem.y)


@seeds
def test_lasso_path_is_that_of_l1_alone(seed: int) -> None:
    problem = exact(problems.regression(seed, targets=1))
    problem = Problem(problem.X, problem.y[:, 0].copy(), None)
    some = {"alphas": [1.0, 0.1, 0.01], "tol": 1e-12, "max_iter": 10**6}
    (alphas, coefs, _), (_, net, _) = (
        ours.lasso_path(problem.X, problem.y, **some),
        ours.enet_path(problem.X, problem.y, l1_ratio=1.0, **some),
    )
    np.testing.assert_array_equal(alphas, [1.0, 0.1, 0.01])
    np.testing.assert_array_equal(coefs, net)


@forms
@seeds
@pytest.mark.parametrize("l1_ratio", [1.0, [0.2, 0.8]], ids=str)
def test_chosen_by_folds(l1_ratio: Any, seed: int, form: str) -> None:
    """The same grid, the same errors in each fold, the same choice, and a refit no worse."""
    problem = problems.regression(seed)
    if problem.y.ndim > 1:
        problem = Problem(problem.X, problem.y[:, 0].copy(), problem.weight)
    tight, settings = exact(problem), {"alphas": 15, "eps": 0.02, "cv": 3, "tol": 1e-12, "max_iter": 10**6}
    if l1_ratio == 1.0:
        theirs, model = peer.LassoCV(**settings), ours.LassoCV(**settings)
    else:
        theirs, model = (lib.ElasticNetCV(l1_ratio=l1_ratio, **settings) for lib in (peer, ours))
    theirs.fit(tight.X, tight.y, sample_weight=problem.weight)
    model.fit(table(problem, form), problem.y, sample_weight=problem.weight)
    near(model.alphas_, theirs.alphas_, digits(problem, 1e-9, 1e-5))
    near(model.mse_path_, theirs.mse_path_, digits(problem, 1e-6, 1e-2))
    near(model.alpha_, theirs.alpha_, digits(problem, 1e-9, 1e-5))
    ratio = 1.0 if l1_ratio == 1.0 else theirs.l1_ratio_
    assert l1_ratio == 1.0 or model.l1_ratio_ == ratio
    costs = (problems.elastic_net_cost(problem, m.coef_, m.intercept_, theirs.alpha_, ratio) for m in (model, theirs))
    no_worse(*costs, tolerance=digits(problem, 1e-9, 1e-5))
