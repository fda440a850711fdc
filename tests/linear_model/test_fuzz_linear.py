"""Random tables, targets, weights and settings: a sound answer or one clear sentence, and nothing else is said."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import pellucid.linear_model as lm
from pellucid.base.errors import DataError, PellucidError, PellucidWarning
from pellucid.pipeline import PolynomialRegression

NAMES = ["", "a b", "ä", "x,1", "p\n", "class", "1"]
STRENGTHS = (0, 1e-12, 1e-3, 1.0, 1e12, np.inf)
SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga", "coordinate-descent", "auto")


class Chance:
    """Draws from lists."""

    def __init__(self, seed: list[int]) -> None:
        self.random = np.random.default_rng(seed)

    def one(self, *values: Any) -> Any:
        return values[self.random.integers(len(values))]


def numbers(c: Chance) -> Any:
    n, p = c.one(1, 2, 3, 5, 10, 40, 120), c.one(1, 2, 3, 8, 30, 60)
    X = c.random.normal(size=(n, p))
    made: dict[str, Any] = {
        "plain": lambda: X,
        "whole": lambda: c.random.integers(-3, 4, (n, p)),
        "flags": lambda: X > 0,
        "constant": lambda: np.where(np.arange(p) % 2 == 0, c.one(0.0, 0.3, 1e8), X),
        "twice": lambda: np.repeat(X[:, : max(1, p // 2)], 2, axis=1),
        "huge": lambda: X * 10.0 ** c.random.integers(20, 151),
        "tiny": lambda: X * 10.0 ** -c.random.integers(20, 151),
        "mixed": lambda: X * 10.0 ** c.random.integers(-150, 150, p),
        "zero": lambda: X * 0,
        "far": lambda: X + 1e8,
        "single": lambda: X.astype(np.float32),
    }
    return made[c.one(*made)]()


def table(c: Chance, X: Any) -> Any:
    form = c.one("array", "array", "F", "csr", "csc", "coo", "pandas", "polars", "list", "csr64")
    columns = [NAMES[j] if j < len(NAMES) else f"c{j}" for j in range(X.shape[1])]
    if form in ("csr", "csc", "coo", "csr64") and X.dtype != bool:
        S = sp.csr_array(np.where(np.abs(X) < 0.5 * np.abs(X).max(), 0, X))
        if form == "csr64":
            S = sp.csr_array(X)
            S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
            S.data[::3] = 0  # kept, though zero
        return S if form == "csr64" else S.asformat(form)
    if form == "pandas":
        return pd.DataFrame(X, columns=columns)
    if form == "polars":
        return pl.DataFrame({name: X[:, j] for j, name in enumerate(columns)})
    return X.tolist() if form == "list" else np.asfortranarray(X) if form == "F" else X


def score(c: Chance, X: Any) -> Any:
    Z = np.asarray(X, dtype=float)
    size = np.abs(Z).max()
    Z = Z / (size if size > 0 else 1.0)
    return Z @ c.random.normal(size=Z.shape[1]) + 0.1 * c.random.normal(size=len(Z))


def labels(c: Chance, X: Any) -> Any:
    s, k = score(c, X), c.one(2, 2, 3, 5)
    codes = np.digitize(s, np.quantile(s, np.linspace(0, 1, k + 1)[1:-1]))
    letters = np.array(list("abcdefg"))
    return c.one(
        lambda: letters[codes],
        lambda: letters.astype(object)[codes],
        lambda: codes > 0,
        lambda: codes.astype(float),
        lambda: np.where(codes > 0, 1, -1),
    )()


def target(c: Chance, X: Any) -> Any:
    s = score(c, X)
    return c.one(
        lambda: s,
        lambda: s * 10.0 ** c.random.integers(10, 151),
        lambda: s * 10.0 ** -c.random.integers(10, 151),
        lambda: s * 0 + c.one(0.0, 7.0, 0.1),
        lambda: np.round(5 * s).astype(int),
        lambda: s + 1e10,
        lambda: np.column_stack([s, -2 * s]),
    )()


def weights(c: Chance, n: int) -> Any:
    w = c.random.random(n) + 0.1
    zeros = np.where(c.random.random(n) < 0.4, 0.0, w)
    return c.one(None, None, zeros, 10.0 ** c.random.integers(-12, 12, n), w * 1e-100, w * 1e100, w)


def settings(c: Chance, name: str) -> dict[str, Any]:
    tol, most, free = c.one(0, 1e-4, 1e-10), c.one(1, 10, 100), c.one(True, True, False)
    passes = {"tol": tol, "max_iter": most, "fit_intercept": free}
    steps = {
        **passes,
        "penalty": c.one("l2", "l1", "elasticnet", None),
        "alpha": c.one(0, 1e-12, 1e-4, 1, 1e12),
        "random_state": 0,
    }
    if name in ("Ridge", "RidgeClassifier"):
        solver = c.one("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
        return {
            **passes,
            "alpha": c.one(*STRENGTHS),
            "solver": solver,
            "positive": solver == "lbfgs",
            "random_state": 0,
        }
    if name in ("RidgeCV", "RidgeClassifierCV"):
        return {"alphas": [c.one(1e-12, 1e-3), 1.0, 1e12], "fit_intercept": free, "cv": c.one(None, 2)}
    if name in ("Lasso", "ElasticNet"):
        mix = {"l1_ratio": c.one(0, 0.5, 1)} if name == "ElasticNet" else {}
        way = {"positive": c.one(False, False, True), "selection": c.one("cyclic", "random"), "random_state": 0}
        return {**passes, "alpha": c.one(*STRENGTHS), **way, **mix}
    if name in ("LassoCV", "ElasticNetCV"):
        return {**passes, "alphas": c.one(5, [1e-3, 1.0]), "cv": 2}
    if name == "LogisticRegression":
        solver = c.one(*SOLVERS)
        mix = {"l1_ratio": c.one(0, 0.5, 1)} if solver in ("saga", "coordinate-descent", "liblinear", "auto") else {}
        given = {"C": c.one(*STRENGTHS[1:]), "solver": solver, "class_weight": c.one(None, "balanced")}
        return {**passes, **given, **mix, "random_state": 0}
    if name == "LogisticRegressionCV":
        return {**passes, "Cs": c.one(3, [1e-12, 1.0, 1e12]), "cv": 2, "solver": c.one("lbfgs", "saga", "auto")}
    if name == "SGDRegressor":
        rate = {"learning_rate": c.one("invscaling", "constant", "optimal", "adaptive"), "average": c.one(False, True)}
        loss = c.one("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
        return {**steps, **rate, "loss": loss, "early_stopping": c.one(False, True), "batch_size": c.one(1, 7, None)}
    if name == "SGDClassifier":
        rate = {"learning_rate": c.one("optimal", "invscaling", "adaptive"), "eta0": 0.1, "average": c.one(False, True)}
        loss = c.one("hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "huber")
        return {**steps, **rate, "loss": loss, "class_weight": c.one(None, "balanced")}
    return steps if name == "Perceptron" else {}


REGRESSORS = ["Ridge", "RidgeCV", "Lasso", "ElasticNet", "LassoCV", "ElasticNetCV", "SGDRegressor"]
CLASSIFIERS = ["RidgeClassifier", "RidgeClassifierCV", "LogisticRegression", "LogisticRegressionCV"]
CLASSIFIERS = [*CLASSIFIERS, "SGDClassifier", "Perceptron"]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PellucidWarning)
        # scikit-learn's splitter tells of classes with fewer rows than folds.
        warnings.filterwarnings("ignore", "The least populated class in y has only")
        yield


def check(model: Any, X: Any, y: Any, weight: Any) -> None:
    refused = ""
    try:
        model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)
    except PellucidError as error:
        refused = str(error)
    if refused:
        assert re.fullmatch(r"[A-Za-z]+: [^\n]+\.(\nhint: [^\n]+\.)?", refused), refused
        return
    if hasattr(model, "coef_"):
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.intercept_).all()
    said = model.predict(X)
    assert not np.isnan(model.score(X, y))
    if not hasattr(model, "classes_"):
        assert np.isfinite(said).all()
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-5)
        assert not np.isnan(model.predict_log_proba(X)).any()


@pytest.mark.parametrize("block", range(4))
@pytest.mark.parametrize("name", [*REGRESSORS, *CLASSIFIERS, "PolynomialRegression"])
def test_sound_or_one_clear_sentence(name: str, block: int) -> None:
    for seed in range(15):
        c = Chance([block, seed])
        X = numbers(c)
        y = labels(c, X) if name in CLASSIFIERS else target(c, X)
        given = settings(c, name)
        model = (PolynomialRegression if name == "PolynomialRegression" else getattr(lm, name))(**given)
        weight = None if name == "PolynomialRegression" else weights(c, len(X))
        try:
            check(model, table(c, X), y, weight)
        except Exception as error:
            raise AssertionError(f"{name}({given}) on {X.shape}, block {block}, seed {seed}: {error}") from error


# ------------------------------------------------------------------------------------------------ found by such tables


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_class_of_python_objects_is_named(name: str) -> None:
    with pytest.raises(DataError, match=r"class.*'a'"):
        getattr(lm, name)().fit([[0.0], [1.0]], np.array(["a", "a"], dtype=object))


def test_parted_classes_of_python_objects_are_named() -> None:
    model = lm.LogisticRegression(C=np.inf).fit([[0.0], [1.0]], np.array(["a", "b"], dtype=object))
    assert model.separated_ == ["a", "b"]


@pytest.mark.parametrize("name", ["Ridge", "Lasso", "ElasticNet"])
@pytest.mark.parametrize("shape", [(20, 3), (3, 20)])
def test_an_infinite_penalty_leaves_the_mean(name: str, shape: tuple[int, int]) -> None:
    X = np.random.default_rng(0).normal(size=shape)
    model = getattr(lm, name)(alpha=np.inf).fit(X, X[:, 0] + 5)
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-290)
    np.testing.assert_allclose(model.predict(X), np.mean(X[:, 0] + 5))


@pytest.mark.parametrize("name", [*(name for name in REGRESSORS if name != "SGDRegressor"), "Perceptron"])
def test_coefficients_beyond_single_precision_are_refused(name: str) -> None:
    X = np.random.default_rng(0).normal(size=(30, 2)).astype(np.float32)
    y: Any = X[:, 0].astype(float) * 1e60
    weight: Any = None
    if name == "Perceptron":
        y, weight = X[:, 0] + X[:, 1] ** 2 > 0.5, np.full(30, 1e60)
    with pytest.raises(DataError, match=r"must fit into float32|steps grew without end"):
        getattr(lm, name)().fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("name", ["RidgeCV", "LassoCV", "ElasticNetCV", "RidgeClassifierCV", "LogisticRegressionCV"])
def test_a_fold_whose_rows_have_no_weight_is_refused(name: str) -> None:
    folds = [(np.array([0, 1, 2, 3]), np.array([4, 5, 6, 7])), (np.array([4, 5, 6, 7]), np.array([0, 1, 2, 3]))]
    X, y = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    with pytest.raises(DataError, match="weight above zero"):
        getattr(lm, name)(cv=folds).fit(X, y, sample_weight=[0, 0, 0, 0, 1, 1, 1, 1])


def test_a_score_of_predictions_out_of_all_proportion() -> None:
    """R² is a number, not an overflow: predictions 1e200 times the target, in one row of weight zero."""
    model = lm.Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    assert model.score([[1e200], [1.0], [2.0]], [0.0, 1.0, 2.0]) < -1e250
    assert model.score([[1e250], [1.0], [2.0]], [0.0, 1.0, 2.0], sample_weight=[0, 1, 1]) < 1


def test_weights_and_targets_whose_products_overflow() -> None:
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40.0)
    plain = lm.RidgeCV(cv=4).fit(X, y)
    heavy = lm.RidgeCV(np.array([0.1, 1.0, 10.0]) * 1e100, cv=4).fit(X, y * 1e150, sample_weight=np.full(40, 1e100))
    np.testing.assert_allclose(heavy.coef_, plain.coef_ * 1e150, rtol=1e-9)
    np.testing.assert_allclose(heavy.alpha_scores_, plain.alpha_scores_, rtol=1e-9)
