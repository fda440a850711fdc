"""Polynomial regression: the degree that rows held out choose, the equation, high degrees, weights, and refusals."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn import linear_model as peer
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from pellucid.base.errors import DataError, ParameterError
from pellucid.model_selection import ValidationCurve
from pellucid.pipeline import Pipeline, PolynomialRegression
from pellucid.reference import polynomial_regression as reference

Floats = NDArray[np.float64]


def cubic(n: int = 60, noise: float = 0.3, seed: int = 3) -> tuple[Floats, Floats]:
    random = np.random.default_rng(seed)
    x = random.uniform(-2, 2, size=n)
    return x[:, None], x**3 - x + 1 + noise * random.normal(size=n)


X, Y = cubic()


@pytest.mark.parametrize("folds", [3, 5, 10])
def test_the_degree_is_that_of_the_reference(folds: int) -> None:
    degrees = list(range(1, 8))
    splits = list(KFold(folds, shuffle=True, random_state=0).split(X))
    errors = reference.errors_by_degree(X[:, 0], Y, degrees, splits)
    model = PolynomialRegression(degrees=degrees, cv=folds).fit(X, Y)
    assert model.curve_ is not None
    np.testing.assert_allclose(-model.curve_.test_scores, errors, rtol=1e-8)
    assert model.degree_ == reference.choose(errors, degrees)
    simple = PolynomialRegression(degrees=degrees, cv=folds, choose="one_standard_error").fit(X, Y)
    assert simple.degree_ == reference.choose_simplest(errors, degrees)
    coefficients = reference.fit(X[:, 0], Y, model.degree_)
    np.testing.assert_allclose(model.predict(X), reference.predict(coefficients, X[:, 0]), rtol=1e-9)


def test_hold_out_is_one_fold() -> None:
    model = PolynomialRegression(degrees=range(1, 6), cv=0.25, random_state=7).fit(X, Y)
    split = list(ShuffleSplit(1, test_size=15, random_state=7).split(X))
    assert model.curve_ is not None
    errors = reference.errors_by_degree(X[:, 0], Y, [1, 2, 3, 4, 5], split)
    np.testing.assert_allclose(-model.curve_.test_scores, errors, rtol=1e-9)


def test_folds_may_be_given_as_rows_or_as_a_splitter() -> None:
    pairs = list(KFold(4).split(X))
    by_rows = PolynomialRegression(degrees=[1, 2, 3], cv=pairs).fit(X, Y)
    by_splitter = PolynomialRegression(degrees=[1, 2, 3], cv=KFold(4)).fit(X, Y)
    assert by_rows.curve_ is not None
    assert by_splitter.curve_ is not None
    np.testing.assert_array_equal(by_rows.curve_.test_scores, by_splitter.curve_.test_scores)


def test_the_fit_to_all_rows_is_that_of_the_peers_pipeline() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2] ** 2 + random.normal(size=80) / 10
    model = PolynomialRegression().fit(X, y)
    assert model.degree_ == 2
    theirs = make_pipeline(PolynomialFeatures(2), peer.LinearRegression()).fit(X, y)
    np.testing.assert_allclose(model.predict(X), theirs.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_a_ridge_penalty_is_that_of_the_textbooks_pipeline(alpha: float) -> None:
    model = PolynomialRegression(degrees=10, alpha=alpha, scale="products").fit(X, Y)
    steps = (PolynomialFeatures(10, include_bias=False), StandardScaler(), peer.Ridge(alpha=alpha, solver="svd"))
    np.testing.assert_allclose(model.predict(X), make_pipeline(*steps).fit(X, Y).predict(X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("shift", [0.0, 1e9])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_degree_300_does_not_overflow(scale: float, shift: float) -> None:
    model = PolynomialRegression(degrees=[1, 2, 3, 300]).fit(scale * X + shift, Y)
    assert model.degree_ == 3
    wild = PolynomialRegression(degrees=300).fit(scale * X + shift, Y)
    assert np.isfinite(wild.predict(scale * X + shift)).all()
    assert wild.score(scale * X + shift, Y) > model.score(scale * X + shift, Y)


def test_the_equation_is_exact() -> None:
    """Through four points goes  2 + x + x²/2: powers of years cancel, fractions do not."""
    years = np.array([[2000.0], [2001], [2002], [2004]])
    model = PolynomialRegression(degrees=2).fit(years, (years[:, 0] - 2001) ** 2)
    found = model.equation()
    assert found.terms == ["1", "x", "x^2"]
    np.testing.assert_allclose(found.coefficients, [2001**2, -4002, 1], rtol=1e-9)
    assert str(found) == "y = 4.004e+06 - 4002 x + x^2"


@pytest.mark.parametrize("scale", ["both", "products", "none"])
@pytest.mark.parametrize("interaction_only", [False, True])
def test_the_equation_says_what_predict_does(scale: Any, interaction_only: bool) -> None:
    random = np.random.default_rng(5)
    table = random.uniform(1, 3, size=(40, 2))
    settings: dict[str, Any] = {"scale": scale, "interaction_only": interaction_only}
    model = PolynomialRegression(degrees=2, **settings).fit(table, random.normal(size=(40, 2)))
    equation = model.equation()
    a, b = table.T
    known = {"1": np.ones(40), "x0": a, "x1": b, "x0^2": a * a, "x0 x1": a * b, "x1^2": b * b}
    columns = np.column_stack([known[term] for term in equation.terms])
    np.testing.assert_allclose(columns @ equation.coefficients.T, model.predict(table), rtol=1e-9, atol=1e-9)


def test_the_equation_has_the_columns_names_and_no_rounding() -> None:
    frame = pd.DataFrame({"arm length": [0.0, 1, 2, 3, 4, 5, 6, 8], "t": [1.0, 3, 2, 5, 4, 8, 6, 7]})
    model = PolynomialRegression(degrees=2).fit(frame, 2 * frame["arm length"] ** 2 - frame["t"] + 1)
    assert str(model.equation()) == "y = 1 - t + 2 (arm length)^2"
    assert [Fraction(str(round(value, 6))) for value in model.equation().coefficients] == [1, 0, -1, 2, 0, 0]


def test_a_column_that_is_constant_or_huge_or_tiny() -> None:
    for factor in (1e-300, 1e300):
        model = PolynomialRegression(degrees=(1, 2, 3, 4)).fit(factor * X, Y)
        assert model.degree_ == 3
    flat = PolynomialRegression().fit(np.ones((6, 2)), np.arange(6.0))
    np.testing.assert_allclose(flat.predict(np.ones((1, 2))), [2.5])


def test_usual_degrees_end_where_rows_do() -> None:
    """Of 3 columns, degree 2 makes 9 products and degree 3 makes 19; of 20 rows, five folds leave 16 to fit."""
    random = np.random.default_rng(1)
    model = PolynomialRegression().fit(random.normal(size=(20, 3)), random.normal(size=20))
    assert model.curve_ is not None
    assert model.curve_.param_range == [1, 2]
    assert PolynomialRegression().fit(random.normal(size=(8, 12)), random.normal(size=8)).curve_ is None


def test_whole_weights_are_rows_written_again_and_zero_is_none() -> None:
    weight = np.tile([0.0, 1, 2, 3], 15)
    rows = np.repeat(np.arange(60), weight.astype(int))
    groups = rows % 4
    weighted = [(np.flatnonzero(np.arange(60) % 4 != g), np.flatnonzero(np.arange(60) % 4 == g)) for g in (1, 2, 3)]
    repeated = [(np.flatnonzero(groups != g), np.flatnonzero(groups == g)) for g in (1, 2, 3)]
    for settings in ({}, {"alpha": 2.0}):
        one = PolynomialRegression(degrees=(1, 2, 3, 4), cv=weighted, **settings).fit(X, Y, weight)
        two = PolynomialRegression(degrees=(1, 2, 3, 4), cv=repeated, **settings).fit(X[rows], Y[rows])
        assert one.curve_ is not None
        assert two.curve_ is not None
        np.testing.assert_allclose(one.curve_.test_scores, two.curve_.test_scores, rtol=1e-8)
        np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-8, atol=1e-10)


def test_it_works_in_the_peers_tools() -> None:
    scores = cross_val_score(PolynomialRegression(), X, Y, cv=3)
    assert scores.min() > 0.8
    search = GridSearchCV(PolynomialRegression(degrees=8), {"alpha": [0.0, 1e-3, 1.0]}, cv=3).fit(X, Y)
    assert search.best_params_["alpha"] < 1
    model = PolynomialRegression().fit(X, Y)
    assert isinstance(model.pipeline_, Pipeline)
    assert isinstance(model.curve_, ValidationCurve)
    assert list(model.pipeline_.named_steps) == ["columns", "terms", "scale", "line"]


def test_a_degree_that_overflows_is_passed_over() -> None:
    model = PolynomialRegression(degrees=[1, 3, 200], scale="none").fit(1e5 * X, Y)
    assert model.degree_ == 3
    assert model.curve_ is not None
    assert np.isneginf(model.curve_.test_scores[2]).all()


def test_refusals() -> None:
    with pytest.raises(ParameterError, match=r"degrees must be .*; got 0"):
        PolynomialRegression(degrees=0).fit(X, Y)
    with pytest.raises(ParameterError, match=r"cv must be a whole number of at least 2, a share .*; got 1"):
        PolynomialRegression(cv=1).fit(X, Y)
    with pytest.raises(DataError, match=r"needs at least two rows that count; got n_samples=1"):
        PolynomialRegression(degrees=(1, 2)).fit(X[:1], Y[:1])
    with pytest.raises(DataError, match=r"of \[300, 400\] none has.\nhint: try lower degrees, or scale='both'"):
        PolynomialRegression(degrees=(300, 400), scale="none").fit(1e5 * X, Y)
    with pytest.raises(DataError, match="rows must lie near those of the fit"):
        PolynomialRegression(degrees=300).fit(X, Y).predict([[1e9]])
    with pytest.raises(DataError, match="an equation is written up to degree 50"):
        PolynomialRegression(degrees=60).fit(X, Y).equation()
    with pytest.raises(ParameterError, match="cv must give a fold with rows to fit and rows to hold out"):
        PolynomialRegression(degrees=(1, 2), cv=[([0, 1], [])]).fit(X, Y)
