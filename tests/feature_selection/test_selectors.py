"""Selectors: mathematics, the readable references, awkward tables, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from pellucid.base.errors import DataError, NotFittedError, ParameterError, PellucidWarning
from pellucid.dummy import DummyClassifier
from pellucid.feature_selection import (
    RFE,
    RFECV,
    CorrelationFilter,
    SelectFpr,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    _judges,
    mutual_info_classif,
)
from pellucid.linear_model import LinearRegression
from pellucid.reference import correlation_filter as reference
from pellucid.reference import sequential as steps

RNG = np.random.default_rng(0)


def regression(rows: int = 60, columns: int = 6, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) + random.normal(size=(rows, 1))
    return X, X @ random.normal(size=columns) + random.normal(size=rows)


# ------------------------------------------------------------------------------------------------------------ variance


def test_a_constant_far_from_zero_is_left_out_although_its_sums_round() -> None:
    X = np.column_stack([np.full(1000, 0.1 + 1e6), np.arange(1000)])
    assert VarianceThreshold().fit(X).get_support().tolist() == [False, True]


def test_variances_of_huge_and_tiny_numbers() -> None:
    """Variance of -a, a is a²; for 1e-160 and threshold 0 it is 0 as a float, but the range is not."""
    X = np.array([[-1e150, -1.0, 1e-160], [1e150, 1.0, 3e-160]])
    model = VarianceThreshold(threshold=0.5).fit(X)
    np.testing.assert_allclose(model.variances_[:2], [1e300, 1.0])
    assert model.get_support().tolist() == [True, True, False]


def test_whole_numbers_beyond_floats_are_handed_on_as_they_are() -> None:
    big = 2**53 + 1
    frame = pd.DataFrame({"id": [big, big + 2], "same": [1, 1]})
    assert VarianceThreshold().fit_transform(frame).tolist() == [[big], [big + 2]]
    assert VarianceThreshold().fit_transform(frame.to_numpy()).tolist() == [[big], [big + 2]]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_keeps_names_and_types(library: str) -> None:
    values: Any = {"whole": [1, 2, 3], "same": [0.5, 0.5, 0.5], "flag": [True, False, True]}
    frame = pd.DataFrame(values) if library == "pandas" else pl.DataFrame(values)
    found = VarianceThreshold().set_output(transform=library).fit_transform(frame)
    assert list(found.columns) == ["whole", "flag"]
    assert [str(t).lower() for t in found.dtypes] == (
        ["int64", "bool"] if library == "pandas" else ["int64", "boolean"]
    )


def test_a_sparse_table_stays_sparse_there_and_back() -> None:
    X = sp.csr_array(np.array([[0.0, 0, 2], [0, 3, 0], [0, 0, 1]]))
    model = VarianceThreshold().fit(X)
    found = model.transform(X)
    assert sp.issparse(found)
    np.testing.assert_array_equal(model.inverse_transform(found).toarray(), X.toarray())


def test_no_column_left_is_refused_with_the_largest_variance() -> None:
    with pytest.raises(DataError, match=r"No feature in X meets the variance threshold 2\.00000; the largest.* is 1"):
        VarianceThreshold(2.0).fit([[0.0], [2.0]])


# --------------------------------------------------------------------------------------------------------- correlation


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["first", "target", "least_redundant"]), st.booleans())
def test_what_stays_is_what_the_reference_keeps(seed: int, keep: Any, spearman: bool) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(30, 6)) @ random.normal(size=(6, 8)) + random.normal(size=(30, 8))
    X = np.round(X, 1)
    y = X[:, 0] + random.normal(size=30)
    threshold = float(random.uniform(0.2, 0.95))
    model = CorrelationFilter(threshold, keep=keep, method="spearman" if spearman else "pearson").fit(X, y)
    stays, instead = reference.correlation_filter(X, y, threshold, keep, spearman)
    np.testing.assert_allclose(model.correlation_, reference.correlations(X, spearman), atol=1e-12)
    assert model.get_support(indices=True).tolist() == stays
    assert {(d.column, d.partner) for d in model.dropped_} == {(f"x{j}", f"x{k}") for j, k in instead.items()}


@pytest.mark.parametrize("keep", ["first", "least_redundant"])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.8, 1.0])
def test_no_pair_that_stays_is_above_the_threshold(keep: Any, threshold: float) -> None:
    X, _ = regression(columns=12)
    model = CorrelationFilter(threshold, keep=keep).fit(X)
    left = np.abs(np.corrcoef(model.transform(X), rowvar=False).reshape(model.get_support().sum(), -1))
    assert (left[~np.eye(len(left), dtype=bool)] <= threshold + 1e-12).all()
    assert len(model.dropped_) + len(left) == 12


def test_units_and_copies_are_found_whatever_the_threshold() -> None:
    cm = 150 + 30 * RNG.random(500)
    X = pd.DataFrame({"cm": cm, "inch": cm / 2.54, "down": 5 - cm, "copy": cm, "other": RNG.random(500)})
    model = CorrelationFilter(threshold=1.0).fit(X)
    assert model.get_feature_names_out().tolist() == ["cm", "other"]
    assert [tuple(d) for d in model.dropped_] == [("inch", "cm", 1.0), ("down", "cm", -1.0), ("copy", "cm", 1.0)]


def test_a_constant_column_has_no_correlation_and_stays() -> None:
    X = np.column_stack([np.arange(9.0), np.full(9, 1e6 + 0.1), 2 * np.arange(9.0)])
    model = CorrelationFilter().fit(X)
    assert np.isnan(model.correlation_[1]).all()
    assert model.get_support().tolist() == [True, True, False]


def test_the_column_nearer_to_the_target_stays() -> None:
    y = np.arange(50.0)
    X = np.column_stack([y + RNG.normal(size=50) * 4, y + RNG.normal(size=50), RNG.normal(size=50)])
    assert CorrelationFilter(0.8, keep="target").fit(X, y).get_support().tolist() == [False, True, True]
    assert CorrelationFilter(0.8, keep="target").fit(X, y > 25).get_support()[2]
    assert CorrelationFilter(0.8, keep="target").fit(X, np.where(y > 25, "b", "a")).get_support()[2]
    with pytest.raises(DataError, match="labels of two classes; y has 3 classes"):
        CorrelationFilter(keep="target").fit(X, np.array(["a", "b", "c"])[np.arange(50) % 3])
    with pytest.raises(DataError, match="requires y to be passed"):
        CorrelationFilter(keep="target").fit(X)


# -------------------------------------------------------------------------------------------------------------- filters


def test_a_function_without_p_values_is_refused_where_they_are_needed() -> None:
    X, y = regression()
    assert SelectKBest(mutual_info_classif, k=2).fit(X, y > 0).pvalues_ is None
    with pytest.raises(ParameterError, match="score_func must give p values"):
        SelectFpr(mutual_info_classif).fit(X, y > 0)


def test_scores_without_a_target() -> None:
    X, _ = regression()
    model = SelectKBest(lambda X: X.var(axis=0), k=2).fit(X)
    assert set(model.get_support(indices=True)) == set(np.argsort(X.var(axis=0))[-2:])


def test_a_score_that_is_not_one_a_column_is_refused() -> None:
    X, y = regression()
    with pytest.raises(DataError, match=r"one number a column; got shape \(3,\) for 6 columns"):
        SelectKBest(lambda X, y: np.ones(3)).fit(X, y)
    with pytest.raises(ParameterError, match="score_func must be a function"):
        SelectKBest("chi2").fit(X, y)


def test_no_column_chosen_is_said() -> None:
    X, y = regression()
    model = SelectKBest(k=0).fit(X, y > 0)
    with pytest.warns(PellucidWarning, match="No features were selected"):
        assert model.transform(X).shape == (60, 0)


# ----------------------------------------------------------------------------------------------------------- sequential


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("seed", range(4))
def test_the_path_is_that_of_the_reference(direction: Any, seed: int) -> None:
    X, y = regression(seed=seed)
    folds = list(KFold(4).split(X))
    model = SequentialFeatureSelector(LinearRegression(), n_features_to_select=3, direction=direction, cv=folds)
    path = model.fit(X, y).path_
    wanted = (steps.forward if direction == "forward" else steps.backward)(X, y, 3, folds)
    assert [done.column for done in path] == [column for column, _ in wanted]
    np.testing.assert_allclose([done.score for done in path], [score for _, score in wanted], atol=1e-10)


AWKWARD = {
    "plain": lambda X: X,
    "a constant": lambda X: np.column_stack([X, np.full(len(X), 3.0)]),
    "a copy": lambda X: np.column_stack([X, X[:, 0]]),
    "nearly a copy": lambda X: np.column_stack([X, X[:, 0] + 1e-7 * X[:, 1]]),
    "far from zero": lambda X: X + 1e6,
    "scales": lambda X: X * 10.0 ** np.arange(-6, 6, 2),
    "sparse": lambda X: sp.csr_array(np.where(np.abs(X) < 0.4, 0, X)),
}


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::pellucid.base.errors.PellucidWarning")
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", "neg_root_mean_squared_error"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", AWKWARD)
def test_shared_cross_products_give_the_scores_of_cross_validation(
    kind: str, intercept: bool, scoring: Any, direction: Any, floating: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = regression()
    table = AWKWARD[kind](X)
    model = SequentialFeatureSelector(
        LinearRegression(fit_intercept=intercept), direction=direction, scoring=scoring, floating=floating, cv=3
    )
    shared = model.fit(table, y).path_
    monkeypatch.setattr(_judges, "_is_shared", lambda *_: False)
    slow = model.fit(table, y).path_
    for a, b in zip(shared, slow, strict=False):
        size = 1 + np.nanmax(np.abs(b.candidates))
        np.testing.assert_allclose(a.candidates, b.candidates, atol=1e-8 * size, rtol=1e-8)
        if a.column != b.column:  # equal scores, parted by rounding
            assert abs(a.candidates[a.column] - a.candidates[b.column]) < 1e-8 * size
            break


def test_floating_leaves_a_column_that_better_ones_replace() -> None:
    """x0 is nearest to y alone, but y = x1 + x2 exactly, and then x0 goes."""
    random = np.random.default_rng(1)
    a, b = random.normal(size=(2, 200))
    X = np.column_stack([a + b + 0.4 * random.normal(size=200), a, b, random.normal(size=(200, 3))])
    plain = SequentialFeatureSelector(LinearRegression(), n_features_to_select=2).fit(X, a + b)
    floating = SequentialFeatureSelector(LinearRegression(), n_features_to_select=3, floating=True).fit(X, a + b)
    assert plain.get_support()[0]
    assert ("drop", 0) in [(done.action, done.column) for done in floating.path_]
    assert floating.get_support()[1:3].all()


def test_a_floating_set_is_never_worse_than_a_plain_one() -> None:
    for seed in range(5):
        X, y = regression(columns=8, seed=seed)
        scores = []
        for floating in (False, True):
            model = SequentialFeatureSelector(LinearRegression(), n_features_to_select=4, floating=floating).fit(X, y)
            scores.append(max(done.score for done in model.path_ if done.n_features == 4))
        assert scores[1] >= scores[0] - 1e-12


def test_any_model_and_any_score() -> None:
    X = np.array([[0.0, 1], [1, 0], [0, 0], [1, 1]] * 5)
    y = np.where(X[:, 0] > 0, "b", "a")
    chosen = SequentialFeatureSelector(DummyClassifier(), n_features_to_select=1, scoring="accuracy").fit(X, y)
    assert chosen.support_.tolist() == [True, False]  # a baseline looks at no column: the first of equals
    assert chosen.path_[0].candidates.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_features_to_select": 6}, "n_features_to_select must be < n_features; got 6 of 6"),
        ({"n_features_to_select": 0}, "a whole number above 0"),
        ({"n_features_to_select": 1.5}, "a share above 0 and at most 1"),
        ({"tol": -1.0}, "tol must be strictly positive"),
        ({"direction": "up"}, "direction must be one of 'forward', 'backward'"),
        ({"estimator": None}, "estimator must be an estimator; got None"),
        ({"estimator": LinearRegression}, "estimator must be an estimator; got the class LinearRegression"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], words: str) -> None:
    X, y = regression()
    with pytest.raises(ParameterError, match=words):
        SequentialFeatureSelector(**{"estimator": LinearRegression(), **settings}).fit(X, y)


# ---------------------------------------------------------------------------------------------------------- importances


def test_a_model_without_importances_is_refused() -> None:
    X, y = regression()
    for model in (RFE(DummyClassifier()), SelectFromModel(DummyClassifier()), RFECV(DummyClassifier())):
        with pytest.raises(ParameterError, match="DummyClassifier should have `coef_` or `feature_importances_`"):
            model.fit(X, y > 0)


def test_a_model_that_is_not_fitted_is_refused_where_it_should_be() -> None:
    X, _ = regression()
    with pytest.raises(NotFittedError, match="expected to be a fitted estimator"):
        SelectFromModel(LinearRegression(), prefit=True).transform(X)


@pytest.mark.parametrize("threshold", ["great", "2*", "x*mean", np.nan])
def test_a_threshold_that_says_nothing_is_refused(threshold: Any) -> None:
    with pytest.raises(ParameterError, match="threshold must be None, a number, 'mean'"):
        SelectFromModel(LinearRegression(), threshold=threshold).fit(*regression())


def test_weights_reach_the_model_inside() -> None:
    X, y = regression()
    weight = np.r_[np.ones(30), np.zeros(30)]
    half = RFE(LinearRegression(), n_features_to_select=2).fit(X[:30], y[:30])
    assert RFE(LinearRegression(), n_features_to_select=2).fit(X, y, weight).ranking_.tolist() == half.ranking_.tolist()


def test_groups_stay_together() -> None:
    from sklearn.model_selection import GroupKFold

    X, y = regression()
    model = RFECV(LinearRegression(), cv=GroupKFold(3)).fit(X, y, groups=np.arange(60) % 6)
    assert model.cv_results_["split2_test_score"].shape == (6,)
