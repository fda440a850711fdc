"""Awkward data and settings: the answer is right, or one clear sentence says what is wrong; nothing else is said."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import pellucid.linear_model as lm
from pellucid.base.errors import ConvergenceWarning, PellucidError, PellucidWarning

# Tight, so that an answer can be compared with mathematics.
TIGHT: dict[str, Any] = {"tol": 1e-10, "max_iter": 100_000}
STEPS: dict[str, Any] = {"max_iter": 2000, "tol": 1e-6, "random_state": 0}
REGRESSORS: dict[str, Any] = {
    "Ridge": lambda: lm.Ridge(),
    "Ridge svd": lambda: lm.Ridge(solver="svd"),
    "Ridge lsqr": lambda: lm.Ridge(solver="lsqr", tol=1e-12),
    "Ridge saga": lambda: lm.Ridge(solver="saga", tol=1e-9, max_iter=20_000, random_state=0),
    "RidgeCV": lambda: lm.RidgeCV(),
    "RidgeCV folds": lambda: lm.RidgeCV(cv=3),
    "Lasso": lambda: lm.Lasso(0.1, **TIGHT),
    "ElasticNet": lambda: lm.ElasticNet(0.1, **TIGHT),
    "LassoCV": lambda: lm.LassoCV(cv=3, alphas=5, **TIGHT),
    "ElasticNetCV": lambda: lm.ElasticNetCV(cv=3, alphas=5, **TIGHT),
    "SGDRegressor": lambda: lm.SGDRegressor(**STEPS),
}
LOGISTIC = {
    **{
        f"LogisticRegression {solver}": lambda solver=solver, **more: lm.LogisticRegression(
            solver=solver, **{**TIGHT, **more}
        )
        for solver in ("lbfgs", "newton-cholesky", "coordinate-descent", "liblinear", "auto")
    },
    "LogisticRegression saga": lambda **more: lm.LogisticRegression(
        solver="saga", **{"tol": 1e-8, "max_iter": 20_000, "random_state": 0, **more}
    ),
    "LogisticRegression l1": lambda **more: lm.LogisticRegression(
        l1_ratio=1.0, solver="coordinate-descent", **{**TIGHT, **more}
    ),
}
CLASSIFIERS: dict[str, Any] = {
    **LOGISTIC,
    "LogisticRegressionCV": lambda: lm.LogisticRegressionCV(cv=3, Cs=3, **TIGHT),
    "SGDClassifier": lambda: lm.SGDClassifier(alpha=0.01, **STEPS),
    "SGDClassifier log": lambda: lm.SGDClassifier(loss="log_loss", **STEPS),
    "Perceptron": lambda: lm.Perceptron(**STEPS),
    "RidgeClassifier": lambda: lm.RidgeClassifier(),
    "RidgeClassifierCV": lambda: lm.RidgeClassifierCV(),
}
regressors = pytest.mark.parametrize("name", REGRESSORS)
classifiers = pytest.mark.parametrize("name", CLASSIFIERS)
logistic = pytest.mark.parametrize("name", LOGISTIC)
forms = pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])

RNG = np.random.default_rng(0)
x = RNG.normal(size=(60, 1))
noise = RNG.normal(size=60)
Y = 3 + 2 * x[:, 0] + 0.5 * noise
LABELS = np.where(x[:, 0] + 0.6 * noise > 0.4, "yes", "no")
PARTED = np.where(x[:, 0] > 0, "yes", "no")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Any warning is a failure: NumPy's own above all."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@contextmanager
def one_sentence(*words: str) -> Iterator[None]:
    """An error of ours: its name first, no second line but a hint, and these words in it."""
    with pytest.raises(PellucidError) as caught:
        yield
    text = str(caught.value)
    assert re.fullmatch(r"[A-Za-z]+: [^\n]+\.(\nhint: [^\n]+\.)?", text), text
    for word in words:
        assert re.search(word, text), text


def fit(make: Any, X: Any, y: Any, weight: Any = None) -> Any:
    """Fitted; a method that says that it has not arrived is heard, and counts as clear."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = make().fit(X, y) if weight is None else make().fit(X, y, sample_weight=weight)
    for warning in said:
        assert issubclass(warning.category, PellucidWarning), warning
    return model


def finite(model: Any) -> bool:
    return bool(np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all())


# ----------------------------------------------------------------------------------------- perfectly collinear columns


@forms
@regressors
def test_a_column_twice_predicts_as_it_does_once(name: str, form: Any) -> None:
    """A column and its copy: the same predictions as the column alone, under the penalty of the pair."""
    model = fit(REGRESSORS[name], form(np.hstack([x, x])), Y)
    assert finite(model)
    if name.startswith("Ridge"):  # both get the same: half of the slope under half of the penalty
        np.testing.assert_allclose(model.coef_[0], model.coef_[1], rtol=1e-5)
        alpha = getattr(model, "alpha_", 1.0)
        slope = x[:, 0] - x.mean()
        np.testing.assert_allclose(model.coef_.sum(), slope @ Y / (slope @ slope + alpha / 2), rtol=1e-5)
    if name == "Lasso":  # how the slope is shared does not matter: the sum is that of one column
        slope = x[:, 0] - x.mean()
        expected = (slope @ Y - 60 * 0.1) / (slope @ slope)
        np.testing.assert_allclose(model.coef_.sum(), expected, rtol=1e-6)
    assert model.score(np.hstack([x, x]), Y) > 0.9


@forms
@classifiers
def test_a_column_and_its_multiple_decide_together(name: str, form: Any) -> None:
    X = np.hstack([x, 2 * x, -x])
    model = fit(CLASSIFIERS[name], form(X), LABELS)
    assert finite(model)
    assert model.score(X, LABELS) > 0.7
    if name in ("LogisticRegression lbfgs", "LogisticRegression newton-cholesky", "LogisticRegression auto"):
        np.testing.assert_allclose(model.coef_[0] / model.coef_[0, 0], [1, 2, -1], rtol=1e-5)
    if name == "LogisticRegression l1":  # the largest column gives the same slope for the least
        assert (model.coef_[0, [0, 2]] == 0).all()
        assert model.coef_[0, 1] > 0


# --------------------------------------------------------------------------------------------------- separable classes


@forms
@classifiers
def test_classes_that_a_plane_parts(name: str, form: Any) -> None:
    """Under a penalty there is a best plane, and it makes hardly an error."""
    model = fit(CLASSIFIERS[name], form(10 * x), PARTED)
    assert finite(model)
    assert model.score(10 * x, PARTED) >= 0.95


@forms
@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "coordinate-descent", "saga", "auto"])
def test_without_a_penalty_separation_is_said(solver: str, form: Any) -> None:
    """It does not go on for ever: it says that the classes are separated, and the plane parts them."""
    model = lm.LogisticRegression(C=np.inf, solver=solver, random_state=0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(form(10 * x), PARTED)
    assert any("separated" in str(w.message) and "penalty" in str(w.message) for w in said), [w.message for w in said]
    assert all(issubclass(w.category, PellucidWarning) for w in said)
    assert finite(model)
    assert set(model.separated_) == {"no", "yes"}
    assert model.score(10 * x, PARTED) == 1.0


def test_without_a_penalty_overlap_is_not_called_separation() -> None:
    assert list(lm.LogisticRegression(C=np.inf).fit(x, LABELS).separated_) == []


# ----------------------------------------------------------------------------------------------------- constant target


@forms
@regressors
def test_a_constant_target(name: str, form: Any) -> None:
    model = fit(REGRESSORS[name], form(x), np.full(60, 7.0))
    near = 0.05 if name == "SGDRegressor" else 1e-6
    np.testing.assert_allclose(model.predict(x), 7.0, atol=near)
    np.testing.assert_allclose(model.coef_, 0.0, atol=near)


@regressors
def test_a_constant_target_of_zero(name: str) -> None:
    model = fit(REGRESSORS[name], x, np.zeros(60))
    np.testing.assert_allclose(model.predict(x), 0.0, atol=1e-9)


@forms
@classifiers
def test_one_class_only(name: str, form: Any) -> None:
    with one_sentence("class"):
        CLASSIFIERS[name]().fit(form(x), np.full(60, "yes"))


# ----------------------------------------------------------------------------------------------- columns of one value


@forms
@regressors
def test_a_column_of_one_value_gets_no_weight(name: str, form: Any) -> None:
    X = np.hstack([x, np.full((60, 1), 0.3)])
    with_it, without = fit(REGRESSORS[name], form(X), Y), fit(REGRESSORS[name], form(x), Y)
    assert finite(with_it)
    if name != "SGDRegressor":
        assert abs(with_it.coef_[1]) < 1e-6
        np.testing.assert_allclose(with_it.predict(X), without.predict(x), rtol=1e-5, atol=1e-5)
    assert with_it.score(X, Y) > 0.9


@forms
@regressors
def test_nothing_but_constant_columns(name: str, form: Any) -> None:
    X = np.full((60, 2), 0.3)
    model = fit(REGRESSORS[name], form(X), Y)
    assert finite(model)
    near = 0.2 if name == "SGDRegressor" else 1e-5
    np.testing.assert_allclose(model.predict(X), Y.mean(), atol=near)


@forms
@classifiers
def test_constant_columns_of_a_classifier(name: str, form: Any) -> None:
    X = np.hstack([x, np.full((60, 1), 0.3), np.zeros((60, 1))])
    model = fit(CLASSIFIERS[name], form(X), LABELS)
    assert finite(model)
    assert model.coef_[0, 2] == 0
    free = name.startswith("LogisticRegression") and "liblinear" not in name
    assert not free or abs(model.coef_[0, 1]) < 1e-3
    assert model.score(X, LABELS) > 0.7


# ------------------------------------------------------------------------------------------------------ weights of zero

EXACT = [name for name in REGRESSORS if "CV" not in name and "SGD" not in name and "saga" not in name]
ZERO = np.where(np.arange(60) % 4 == 0, 0.0, 1.5)


@forms
@pytest.mark.parametrize("name", EXACT)
def test_a_weight_of_zero_is_a_row_left_out(name: str, form: Any) -> None:
    model = fit(REGRESSORS[name], form(x), Y, ZERO)
    apart = fit(REGRESSORS[name], form(x[ZERO > 0]), Y[ZERO > 0], ZERO[ZERO > 0])
    np.testing.assert_allclose(model.coef_, apart.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, apart.intercept_, rtol=1e-6)


@forms
@pytest.mark.parametrize("name", [name for name in LOGISTIC if "saga" not in name])
def test_a_weight_of_zero_is_a_row_left_out_of_classes(name: str, form: Any) -> None:
    model = fit(LOGISTIC[name], form(x), LABELS, ZERO)
    apart = fit(LOGISTIC[name], form(x[ZERO > 0]), LABELS[ZERO > 0], ZERO[ZERO > 0])
    np.testing.assert_allclose(model.coef_, apart.coef_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, apart.intercept_, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [*REGRESSORS, *CLASSIFIERS])
def test_weights_of_nothing_but_zero_are_refused(name: str) -> None:
    y = Y if name in REGRESSORS else LABELS
    with one_sentence("weight"):
        ({**REGRESSORS, **CLASSIFIERS})[name]().fit(x, y, sample_weight=np.zeros(60))


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("name", [*REGRESSORS, *CLASSIFIERS])
def test_a_weight_that_is_no_weight_is_refused(name: str, wrong: float) -> None:
    y, weight = Y if name in REGRESSORS else LABELS, np.ones(60)
    weight[5] = wrong
    with one_sentence("weight", r"\b5\b"):
        ({**REGRESSORS, **CLASSIFIERS})[name]().fit(x, y, sample_weight=weight)


@logistic
def test_weights_that_leave_one_class_are_refused(name: str) -> None:
    with one_sentence("class", "weight"):
        LOGISTIC[name]().fit(x, LABELS, sample_weight=(LABELS == "yes").astype(float))


# -------------------------------------------------------------------------------------------------------- extreme C


@forms
@logistic
def test_a_penalty_that_leaves_nothing(name: str, form: Any) -> None:
    """C = 1e-12: no slope, and the log odds of the classes as intercept (which liblinear penalizes too).

    The steps of saga are as small as the penalty is large, also those of the intercept: it says so.
    """
    if "saga" in name:
        with pytest.warns(ConvergenceWarning, match="tol"):
            model = LOGISTIC[name](C=1e-12, max_iter=100).fit(form(x), LABELS)
        return np.testing.assert_allclose(model.coef_, 0.0, atol=1e-8)
    model = LOGISTIC[name](C=1e-12).fit(form(x), LABELS)
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-8)
    share = np.mean(LABELS == "yes")
    odds = 0.0 if "liblinear" in name else np.log(share / (1 - share))
    return np.testing.assert_allclose(model.intercept_, odds, atol=1e-6)


@forms
@logistic
def test_a_penalty_that_is_none(name: str, form: Any) -> None:
    """C = 1e12: as without a penalty."""
    free = lm.LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(x, LABELS)
    model = fit(lambda: LOGISTIC[name](C=1e12), form(x), LABELS)
    near = 2e-2 if "saga" in name else 1e-4
    np.testing.assert_allclose(model.coef_, free.coef_, rtol=near)
    np.testing.assert_allclose(model.intercept_, free.intercept_, rtol=near, atol=near)


@forms
@logistic
@pytest.mark.parametrize("C", [1e-12, 1e12])
def test_extreme_penalties_on_parted_classes(name: str, C: float, form: Any) -> None:
    model = fit(lambda: LOGISTIC[name](C=C), form(x), PARTED)
    assert finite(model)
    chances = model.predict_proba(x)
    assert np.isfinite(chances).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    assert C < 1 or model.score(x, PARTED) >= 0.95


@pytest.mark.parametrize("C", [0, -1.0, np.nan])
def test_a_strength_that_is_none_is_refused(C: float) -> None:
    with one_sentence("C must be"):
        lm.LogisticRegression(C=C).fit(x, LABELS)


@pytest.mark.parametrize("alpha", [1e-12, 1e12])
@pytest.mark.parametrize("cls", ["Ridge", "Lasso", "ElasticNet"])
def test_extreme_alphas(cls: str, alpha: float) -> None:
    model = fit(lambda: getattr(lm, cls)(alpha), x, Y)
    slope = x[:, 0] - x.mean()
    expected = slope @ Y / (slope @ slope) if alpha < 1 else 0.0
    np.testing.assert_allclose(model.coef_, [expected], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("alpha", [-1.0, np.nan])
@pytest.mark.parametrize("cls", ["Ridge", "Lasso", "ElasticNet", "SGDRegressor", "SGDClassifier"])
def test_an_alpha_below_zero_is_refused(cls: str, alpha: float) -> None:
    with one_sentence("alpha must be"):
        getattr(lm, cls)(alpha=alpha).fit(x, LABELS if cls == "SGDClassifier" else Y)


# ------------------------------------------------------------------------------------------- a rate that is too large

DIVERGING: dict[str, Any] = {
    "SGDRegressor": lambda: lm.SGDRegressor(learning_rate="constant", eta0=50.0, max_iter=50, random_state=0),
    "SGDRegressor batches": lambda: lm.SGDRegressor(
        learning_rate="constant", eta0=50.0, max_iter=500, batch_size=16, random_state=0
    ),
    "SGDRegressor another loss": lambda: lm.SGDRegressor(
        loss="squared_epsilon_insensitive", learning_rate="constant", eta0=50.0, max_iter=50, random_state=0
    ),
}


@forms
@pytest.mark.parametrize("name", DIVERGING)
def test_a_rate_at_which_descent_diverges(name: str, form: Any) -> None:
    """The sentence names the rate and suggests one, and with the one that it suggests the fit arrives."""
    with pytest.raises(PellucidError) as caught:
        DIVERGING[name]().fit(form(x), Y)
    text = str(caught.value)
    assert "eta0=50" in text, text
    suggested = re.search(r"hint: lower the rate \(([0-9.e-]+) is always stable", text)
    assert suggested, text
    model = DIVERGING[name]().set_params(eta0=float(suggested.group(1)), max_iter=500)
    assert fit(lambda: model, form(x), Y).score(x, Y) > 0.8
