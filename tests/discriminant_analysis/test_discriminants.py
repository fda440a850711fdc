"""Discriminants against their textbook formulas, and what scikit-learn's do not have."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from pellucid.base.errors import DataError, ParameterError, PellucidWarning, SeparationWarning
from pellucid.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from pellucid.preprocessing import PolynomialFeatures
from pellucid.reference import discriminants as reference

RANDOM = np.random.default_rng(5)
Y = np.repeat([0, 1, 2], [30, 25, 20])
LABELS = np.array(["ash", "birch", "cedar"])[Y]
X = RANDOM.normal(size=(75, 3)) @ RANDOM.normal(size=(3, 3)) + np.array([[0, 0, 0], [2, 0, 1], [0, 3, 0]])[Y]
WEIGHT = RANDOM.integers(1, 4, 75).astype(float)


def near(a: Any, b: Any, share: float = 1e-11) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=share * np.abs(b).max())


# ----------------------------------------------------------------------------------------------- against the reference


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("ddof", [0, 1])
def test_all_three_are_their_formulas(ddof: Any, weight: Any) -> None:
    classes = reference.count_classes(X, Y.tolist(), weight)
    pooled, own = reference.pooled_covariance(classes, ddof), reference.own_covariances(classes, ddof)
    linear = reference.linear_discriminants(X, classes.means, pooled, classes.priors)
    for solver in ("svd", "lsqr", "eigen"):
        model = LinearDiscriminantAnalysis(solver, ddof=ddof).fit(X, Y, weight)
        near(model.pooled_covariance_, pooled)
        near(model.discriminant_values(X), linear)
        near(model.predict_proba(X), reference.posterior(linear))
        assert model.predict(X).tolist() == reference.predictions(linear, classes.labels)
    quadratic = reference.quadratic_discriminants(X, classes.means, own, classes.priors)
    model = QuadraticDiscriminantAnalysis(ddof=ddof, store_covariance=True).fit(X, Y, weight)
    near(np.array(model.covariance_), own)
    near(model.discriminant_values(X), quadratic)
    mixed = reference.regularized_covariances(classes, 0.3, 0.2, ddof)
    between = RegularizedDiscriminantAnalysis(alpha=0.3, gamma=0.2, ddof=ddof).fit(X, Y, weight)
    near(between.covariance_, mixed)
    near(between.discriminant_values(X), reference.quadratic_discriminants(X, classes.means, mixed, classes.priors))


def test_one_column_is_the_univariate_formula() -> None:
    x = X[:, :1]
    classes = reference.count_classes(x, Y.tolist())
    v = float(reference.pooled_covariance(classes, 1)[0, 0])
    D = reference.univariate_discriminants(x[:, 0], classes.means[:, 0], v, classes.priors)
    near(LinearDiscriminantAnalysis(ddof=1).fit(x, Y).discriminant_values(x), D)


def test_axes_are_fishers() -> None:
    classes = reference.count_classes(X, Y.tolist())
    want = X @ reference.directions(classes)
    for solver in ("svd", "lsqr", "eigen"):
        got = LinearDiscriminantAnalysis(solver).fit_transform(X, Y)
        signs = np.sign(((want - want.mean(0)) * (got - got.mean(0))).sum(axis=0))
        near(got - got.mean(0), (want - want.mean(0)) * signs)


def test_the_ends_of_the_regularized_are_the_others() -> None:
    linear, quadratic = LinearDiscriminantAnalysis().fit(X, Y), QuadraticDiscriminantAnalysis().fit(X, Y)
    near(RegularizedDiscriminantAnalysis(alpha=1).fit(X, Y).predict_proba(X), linear.predict_proba(X))
    near(RegularizedDiscriminantAnalysis(alpha=0).fit(X, Y).decision_function(X), quadratic.decision_function(X))
    ball = RegularizedDiscriminantAnalysis(alpha=0, gamma=1).fit(X, Y).covariance_
    near(ball, np.array([np.trace(C) / 3 * np.eye(3) for C in map(np.asarray, _own(quadratic))]))


def _own(model: Any) -> list[Any]:
    return [r * s @ r.T for r, s in zip(model.rotations_, model.scalings_, strict=True)]


# ------------------------------------------------------------------------------------------------------------ searches


def test_a_search_fits_all_settings_from_one_pass() -> None:
    for estimator, name, values in (
        (RegularizedDiscriminantAnalysis(gamma=0.1), "alpha", [0.0, 0.3, 1.0]),
        (RegularizedDiscriminantAnalysis(), "gamma", [0.0, 0.3, 1.0]),
        (QuadraticDiscriminantAnalysis(), "reg_param", [0.0, 0.5]),
        (LinearDiscriminantAnalysis("lsqr"), "shrinkage", [None, 0.2, "auto"]),
    ):
        path = estimator.fit_path(name, values, X, LABELS, sample_weight=WEIGHT)
        for model, value in zip(path.models, values, strict=True):
            alone = type(estimator)(**{**estimator.get_params(), name: value}).fit(X, LABELS, WEIGHT)
            assert (model.decision_function(X) == alone.decision_function(X)).all(), name
    grid = {"alpha": [0.0, 0.5, 1.0], "gamma": [0.0, 0.5]}
    ours, theirs = (search(RegularizedDiscriminantAnalysis(), grid, cv=3) for search in (_search(), GridSearchCV))
    near(ours.fit(X, LABELS).cv_results_["mean_test_score"], theirs.fit(X, LABELS).cv_results_["mean_test_score"])


def _search() -> Any:
    from pellucid.model_selection import GridSearchCV as Ours

    return Ours


def test_flexible_discriminants_come_from_a_pipeline() -> None:
    """A ring around a disc: no line parts them, a line in the squares does."""
    angle, radius = RANDOM.uniform(0, 2 * np.pi, 200), np.repeat([1.0, 3.0], 100) + RANDOM.uniform(-0.3, 0.3, 200)
    points, inner = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([True, False], 100)
    flat = LinearDiscriminantAnalysis().fit(points, inner).score(points, inner)
    curved = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearDiscriminantAnalysis())
    assert flat < 0.7
    assert curved.fit(points, inner).score(points, inner) == 1.0


# -------------------------------------------------------------------------------------------------------------- priors


def test_priors_by_label_and_by_place() -> None:
    by_place = LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]).fit(X, LABELS)
    by_label = LinearDiscriminantAnalysis(priors={"cedar": 0.5, "ash": 0.2, "birch": 0.3}).fit(X, LABELS)
    assert (by_place.predict_proba(X) == by_label.predict_proba(X)).all()
    with pytest.raises(ParameterError, match="no prior for 'cedar'"):
        LinearDiscriminantAnalysis(priors={"ash": 0.5, "birch": 0.5}).fit(X, LABELS)
    with pytest.raises(ParameterError, match="one number a class"):
        QuadraticDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, LABELS)
    with pytest.raises(ParameterError, match="non-negative"):
        QuadraticDiscriminantAnalysis(priors=[-0.5, 1.0, 0.5]).fit(X, LABELS)
    with pytest.warns(PellucidWarning, match="do not sum to 1"):
        renormalized = LinearDiscriminantAnalysis(priors=[2, 3, 5]).fit(X, LABELS)
    near(renormalized.priors_, [0.2, 0.3, 0.5])


@pytest.mark.parametrize("cls", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_a_class_of_prior_zero_never_wins(cls: Any) -> None:
    model = cls(priors=[0.0, 0.5, 0.5]).fit(X, LABELS)
    assert not (model.predict(X) == "ash").any()
    assert (model.predict_proba(X)[:, 0] == 0).all()


# ----------------------------------------------------------------------------------------------------------- bad tables


def test_a_class_of_one_row() -> None:
    y = np.r_[["single"], LABELS[1:]]
    assert LinearDiscriminantAnalysis().fit(X, y).score(X, y) > 0.6
    assert RegularizedDiscriminantAnalysis().fit(X, y).score(X, y) > 0.6
    with pytest.raises(DataError, match="only 1 sample in class single"):
        QuadraticDiscriminantAnalysis().fit(X, y)


def test_dependent_columns_are_named() -> None:
    wide = np.column_stack([X, X[:, 0] - X[:, 1], np.ones(75)])
    for model in (QuadraticDiscriminantAnalysis(), RegularizedDiscriminantAnalysis()):
        with pytest.raises(DataError, match="columns 'x0', 'x1', 'x3', 'x4'"):
            model.fit(wide, LABELS)
    with pytest.raises(DataError, match="not so: columns 'x0', 'x1', 'x3', 'x4'"):
        LinearDiscriminantAnalysis("eigen").fit(wide, LABELS)
    plain = LinearDiscriminantAnalysis().fit(X, LABELS).predict_proba(X)
    for solver in ("svd", "lsqr"):
        near(LinearDiscriminantAnalysis(solver).fit(wide, LABELS).predict_proba(wide), plain, 1e-8)


def test_a_column_constant_within_classes_is_pointed_out() -> None:
    wide = np.column_stack([X, Y])
    for solver in ("svd", "lsqr"):
        with pytest.warns(SeparationWarning, match="left out: column 'x3'"):
            LinearDiscriminantAnalysis(solver).fit(wide, LABELS)
    assert LinearDiscriminantAnalysis("lsqr", 0.05).fit(wide, LABELS).score(wide, LABELS) > 0.95


def test_nothing_varies() -> None:
    model = LinearDiscriminantAnalysis().fit(np.ones((75, 2)), LABELS)
    near(model.predict_proba(np.ones((1, 2))), [[0.4, 1 / 3, 4 / 15]])
    assert model.transform(np.ones((4, 2))).shape == (4, 0)


def test_more_columns_than_rows() -> None:
    wide = RANDOM.normal(size=(75, 100)) + Y[:, None]
    for model in (
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis("lsqr", "auto"),
        QuadraticDiscriminantAnalysis(reg_param=0.3),
        QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
        RegularizedDiscriminantAnalysis(gamma=0.3),
    ):
        assert model.fit(wide, LABELS).score(wide, LABELS) > 0.9, model
    with pytest.raises(DataError, match="30 rows for 100 columns"):
        QuadraticDiscriminantAnalysis().fit(wide, LABELS)


def test_numbers_of_any_size() -> None:
    plain = [cls().fit(X, Y).predict_proba(X) for cls in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis)]
    for size in (2.0**1010, 2.0**-1000, np.array([2.0**-900, 1.0, 2.0**900])):
        for cls, want in zip((LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis), plain, strict=True):
            near(cls().fit(X * size, Y).predict_proba(X * size), want, 1e-9)
    pulled = RegularizedDiscriminantAnalysis(gamma=0.1)
    want = pulled.fit(X, Y).predict_proba(X)
    for size in (2.0**1000, 2.0**-1000):  # the ball that they are pulled toward has their own size
        near(pulled.fit(X * size, Y).predict_proba(X * size), want, 1e-9)
    with pytest.raises(DataError, match="bring the columns to one scale"):
        pulled.fit(X * [2.0**-900, 1.0, 2.0**900], Y)


def test_rows_too_far_for_floats_have_the_answer_of_their_direction() -> None:
    """A wide bell is highest far out, whatever the priors; lines are decided by their slopes."""
    table, y = [[-1.0], [1.0], [-9.0], [11.0]], ["narrow", "narrow", "wide", "wide"]
    for priors in (None, [0.999, 0.001]):
        bells = QuadraticDiscriminantAnalysis(priors=priors).fit(table, y)
        assert bells.predict_proba([[1e200], [-1e308]]).tolist() == [[0.0, 1.0]] * 2
        lines = LinearDiscriminantAnalysis("lsqr", priors=priors).fit(table, y)
        assert lines.predict_proba([[1e308], [-1e308]]).tolist() == [[0.0, 1.0], [1.0, 0.0]]
        assert np.isfinite(lines.discriminant_values(np.array([[1.7e308], [-1.7e308]]))).all()
    for model in (
        QuadraticDiscriminantAnalysis(priors=[1, 0]),
        RegularizedDiscriminantAnalysis(priors=[1, 0]),
        LinearDiscriminantAnalysis(priors=[1, 0]),
    ):
        assert model.fit(table, y).predict_proba([[5.0], [1e308]]).tolist() == [[1.0, 0.0]] * 2, model


def test_missing_values_are_named_in_fit_and_later() -> None:
    holed = X.copy()
    holed[4, 1] = np.nan
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), RegularizedDiscriminantAnalysis()):
        with pytest.raises(DataError, match="column 'x1' has 1 missing value"):
            model.fit(holed, Y)
        with pytest.raises(DataError, match="column 'x1' has 1 missing value"):
            model.fit(X, Y).predict(holed)


def test_settings_that_do_not_go_together() -> None:
    for model, words in (
        (LinearDiscriminantAnalysis(shrinkage=0.1), "shrinkage not supported with 'svd'"),
        (LinearDiscriminantAnalysis(n_components=3), "n_components cannot be larger than"),
        (QuadraticDiscriminantAnalysis(shrinkage=0.1), "shrinkage not supported with 'svd'"),
        (LinearDiscriminantAnalysis("lsqr", 0.1, covariance_estimator=_NoCovariance()), "Only one of the two"),
    ):
        with pytest.raises(ParameterError, match=words):
            model.fit(X, Y)
    with pytest.raises(DataError, match="does not have a covariance_ attribute"):
        QuadraticDiscriminantAnalysis(solver="eigen", covariance_estimator=_NoCovariance()).fit(X, Y)


class _NoCovariance:
    def fit(self, X: Any) -> _NoCovariance:
        return self


# ------------------------------------------------------------------------------------------------- scikit-learn's check

# Their tables have columns that are constant within a class, or classes of fewer rows than columns: refused, by name.
SINGULAR = dict.fromkeys(
    [
        "check_sample_weights_shape",
        "check_sample_weights_not_overwritten",
        "check_sample_weight_equivalence_on_dense_data",
        "check_array_api_input",
    ],
    "a covariance without an inverse is refused",
)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis])
def test_defaults_pass_scikit_learns_checks(cls: Any) -> None:
    """The contract tests run them with a little regularization; here the plain defaults."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(cls(), expected_failed_checks=SINGULAR)
