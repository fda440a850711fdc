"""ClassImputer, MapImputer, KNNImputer and IterativeImputer: by hand, against the references, and their refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from pellucid import _core
from pellucid.base.errors import ConvergenceWarning, PellucidError
from pellucid.impute import ClassImputer, IterativeImputer, KNNImputer, MapImputer
from pellucid.linear_model import LinearRegression
from pellucid.reference import impute as reference

nan = float("nan")


def related(seed: int, rows: int = 80, columns: int = 4, share: float = 0.15) -> np.ndarray:
    """Columns that depend on each other, with gaps, none of them empty."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) @ random.normal(size=(columns, columns)) + random.normal(size=columns)
    X[1:][random.random((rows - 1, columns)) < share] = nan
    return X


# ------------------------------------------------------------------------------------------------------------- by class


@pytest.mark.parametrize("seed", range(4))
def test_class_means_are_the_reference(seed: int) -> None:
    X = related(seed)
    y = np.random.default_rng(seed).choice(["a", "b", "c"], size=len(X))
    found = ClassImputer(strategy="mean").fit_transform(X, y)
    for j in range(X.shape[1]):
        np.testing.assert_allclose(found[:, j], reference.fill_by_class(X[:, j], y.tolist()), rtol=1e-12)


def test_without_the_class_the_overall_value_is_filled() -> None:
    model = ClassImputer(strategy="median").fit([[1.0], [2.0], [9.0], [nan]], [0, 0, 1, 1])
    assert model.transform([[nan]]).tolist() == [[2.0]]
    assert model.group_statistics_.tolist() == [[1.5], [9.0]]
    with pytest.raises(PellucidError, match="class of every row"):
        model.set_params(unknown="error").transform([[nan]])
    assert np.isnan(model.set_params(unknown="leave").transform([[nan]])).all()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_groups_of_a_column(make: Any) -> None:
    data = {
        "region": ["n", "n", "s", "s", None],
        "rain": [1.0, None, 5.0, 7.0, None],
        "soil": ["x", None, "y", "y", "x"],
    }
    frame = make(data)
    model = ClassImputer(by="region").fit(frame)
    assert model.groups_.tolist() == ["n", "s"]
    found = model.transform(frame)
    assert found[:, 1].tolist() == [1.0, 1.0, 5.0, 7.0, pytest.approx(13 / 3)]
    assert found[:, 2].tolist() == ["x", "x", "y", "y", "x"]
    assert found[4, 0] == "n"  # its own gap gets the most frequent value, the smallest of equals
    new = make({"region": ["s", "w"], "rain": [None, None], "soil": ["y", "y"]})
    assert [float(v) for v in model.transform(new)[:, 1]] == [6.0, pytest.approx(13 / 3)]


def test_a_class_without_values_has_the_overall_one() -> None:
    model = ClassImputer(strategy="mean").fit([[1.0], [3.0], [nan]], ["a", "a", "b"])
    assert model.group_statistics_.tolist() == [[2.0], [2.0]]


@pytest.mark.parametrize(
    ("settings", "y", "words"),
    [
        ({}, None, "requires y"),
        ({}, [0.5, 1.5, 2.25], "y must hold labels"),
        ({"by": "nowhere"}, None, "by must name a column"),
        ({"by": 2.5}, None, "by must be the name or position"),
        ({"strategy": "constant"}, ["a", "b", "a"], "strategy must be"),
    ],
)
def test_wrong_classes_are_refused(settings: Any, y: Any, words: str) -> None:
    with pytest.raises(PellucidError, match=words):
        ClassImputer(**settings).fit([[1.0], [2.0], [nan]], y)


# -------------------------------------------------------------------------------------------------------------- mapping


def test_values_keys_and_hands() -> None:
    frame = pd.DataFrame({"class": ["first", "third", "second"], "fare": [nan, nan, nan], "age": [nan, 3.0, nan]})
    model = MapImputer(values={"fare": {"first": 84, "third": 13}, "age": 30}, by="class", rows={"fare": {2: 26.5}})
    assert model.fit_transform(frame)[:, 1].tolist() == [84, 13, 26.5]
    found = model.transform(frame)
    assert found[:2, 1].tolist() == [84, 13]
    assert np.isnan(found[2, 1])
    assert found[:, 2].tolist() == [30, 3, 30]
    with pytest.raises(PellucidError, match="column 'fare' has none for row 2"):
        model.set_params(unfilled="error").transform(frame)
    out = model.set_params(unfilled="leave").set_output(transform="pandas").fit(frame).transform(frame)
    assert out["class"].tolist() == ["first", "third", "second"]


def test_each_column_may_have_a_key_column_of_its_own() -> None:
    X = [["a", "u", None, None], ["b", "v", None, None]]
    model = MapImputer(values={2: {"a": 1, "b": 2}, 3: {"u": 3, "v": 4}}, by={2: 0, 3: 1})
    assert model.fit_transform(X).tolist() == [["a", "u", 1, 3], ["b", "v", 2, 4]]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"values": {"nowhere": 1}}, "values must name a column"),
        ({"values": [1]}, "values must be a dict"),
        ({"values": {0: {"a": 1}}}, "by must say which column"),
        ({"rows": {0: {5: 1.0}}}, "positions of rows"),
        ({"rows": {0: 3}}, "rows must be column"),
    ],
)
def test_wrong_lists_are_refused(settings: Any, words: str) -> None:
    with pytest.raises(PellucidError, match=words):
        MapImputer(**settings).fit([[1.0], [nan]])


# -------------------------------------------------------------------------------------------------------------- nearest


@pytest.mark.parametrize("level", ["baseline", "v3", "v4"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("seed", range(4))
def test_neighbors_are_the_reference(seed: int, weights: Any, level: str) -> None:
    before = _core.simd_level()
    if not _core.set_simd_level(level):
        return
    try:
        X, new = related(seed, 70, 5, 0.25), related(seed + 50, 9, 5, 0.4)
        model = KNNImputer(n_neighbors=4, weights=weights).fit(X)
        for table in (X, new):
            wanted = reference.nearest(table, X, 4, weights == "distance")
            np.testing.assert_allclose(model.transform(table), wanted, rtol=1e-9, atol=1e-12)
    finally:
        _core.set_simd_level(before)


def test_the_earlier_row_is_taken_among_equals() -> None:
    X = [[0.0, 1.0], [0.0, 2.0], [0.0, 4.0], [0.0, 8.0], [0.0, nan]]
    assert KNNImputer(n_neighbors=2).fit_transform(X)[4, 1] == 1.5
    complete = [[0.0, 1.0, nan], *([0.0, float(v), 0.0] for v in range(40)), [0.0, nan, nan]]
    assert KNNImputer(n_neighbors=2).fit_transform(complete)[-1, 1] == 0.5  # rows 0 (1) and 1 (0)


def test_a_row_that_shares_nothing_gets_the_mean() -> None:
    X = [[1.0, nan], [3.0, nan], [nan, 5.0]]
    assert KNNImputer().fit_transform(X).tolist() == [[1, 5], [3, 5], [2, 5]]


def test_an_equal_donor_counts_alone() -> None:
    X = [[1.0, 10.0], [1.0, nan], [2.0, 50.0]]
    assert KNNImputer(weights="distance").fit_transform(X)[1, 1] == 10.0


@pytest.mark.parametrize("power", [-300, -150, 150, 300])
def test_neighbors_do_not_depend_on_the_unit(power: int) -> None:
    X = related(1)
    plain, scaled = KNNImputer().fit_transform(X), KNNImputer().fit_transform(X * 2.0**power)
    np.testing.assert_allclose(np.ldexp(scaled, -power), plain, rtol=1e-12)


def test_functions_for_distance_and_weight() -> None:
    X = np.array([[0.0, 1.0], [3.0, 5.0], [1.0, nan]])

    def city(x: Any, y: Any, missing_values: float = nan) -> float:
        return float(np.nansum(np.abs(x - y)))

    assert KNNImputer(n_neighbors=1, metric=city).fit_transform(X)[2, 1] == 1.0
    assert KNNImputer(n_neighbors=2, weights=lambda d: d).fit_transform(X)[2, 1] == pytest.approx((1 + 2 * 5) / 3)
    with pytest.raises(PellucidError, match="finite sum above 0"):
        KNNImputer(weights=lambda d: d * 0).fit_transform(X)


def test_many_neighbors_and_few_rows() -> None:
    X = [[1.0, 2.0], [2.0, nan], [3.0, 6.0]]
    assert KNNImputer(n_neighbors=50).fit_transform(X)[1, 1] == 4.0


# ------------------------------------------------------------------------------------------------------------ iterative


@pytest.mark.parametrize("seed", range(5))
def test_the_chain_is_the_reference(seed: int) -> None:
    X = related(seed, 120, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = IterativeImputer(max_iter=6).fit_transform(X)
    np.testing.assert_allclose(found, reference.chained(X, 6), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("share", [0.05, 0.7])
def test_cross_products_kept_up_to_date_are_those_summed_anew(share: float) -> None:
    """Few gaps: the sum over rows that lack a column is taken off. Many: that over rows that have it is made."""
    X = related(2, 3000, 5, share)
    model = IterativeImputer(max_iter=4, tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        np.testing.assert_allclose(model.fit_transform(X), reference.chained(X, 4, 0.0), rtol=1e-7, atol=1e-8)


@pytest.mark.filterwarnings("ignore:IterativeImputer. Early stopping criterion not reached")
def test_the_table_of_the_fit_is_filled_as_the_fit_filled_it() -> None:
    X = related(3)
    model = IterativeImputer(random_state=0).fit(X)
    np.testing.assert_array_equal(model.transform(X)[:9], model.transform(X[:9]))


@pytest.mark.parametrize("estimator", [LinearRegression(), Ridge(), DecisionTreeRegressor(max_depth=3, random_state=0)])
def test_any_regressor_will_do(estimator: Any) -> None:
    X = related(4, 60, 3, 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = IterativeImputer(estimator, max_iter=3).fit(X)
    assert type(model.imputation_sequence_[0].estimator) is type(estimator)
    found = model.transform(X)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found[~np.isnan(X)], X[~np.isnan(X)])


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_chain_takes_any_scale(scale: float) -> None:
    X = np.array([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [3.0, nan], [nan, 10.0], [6.0, 12.0]])
    found = IterativeImputer(random_state=0).fit_transform(X * scale) / scale
    assert np.isfinite(found).all()
    if scale > 1:
        np.testing.assert_allclose(found[3:5], [[3, 6], [5, 10]], rtol=1e-2)


def test_limits_hold() -> None:
    X = related(5)
    low, high = np.full(4, -0.1), np.array([0.1, 0.2, 0.3, 0.4])
    for sample in (False, True):
        model = IterativeImputer(min_value=low, max_value=high, sample_posterior=sample, max_iter=2, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = model.fit_transform(X)
        gaps = np.isnan(X)
        assert ((found >= low) & (found <= high))[gaps].all()


def test_draws_lie_around_the_lines_and_are_repeatable() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=4000)
    X = np.column_stack([x, 2 * x + 0.5 * random.normal(size=4000)])
    X[:2000, 1] = nan
    found = IterativeImputer(sample_posterior=True, max_iter=3, random_state=1).fit_transform(X)
    again = IterativeImputer(sample_posterior=True, max_iter=3, random_state=1).fit_transform(X)
    np.testing.assert_array_equal(found, again)
    assert np.std(found[:2000, 1] - 2 * x[:2000]) == pytest.approx(0.5, rel=0.1)


def test_too_few_passes_are_said() -> None:
    with pytest.warns(ConvergenceWarning, match="after 1 pass the largest change"):
        IterativeImputer(max_iter=1).fit(related(6))


def test_one_column_and_no_passes_keep_the_first_filling() -> None:
    assert IterativeImputer().fit_transform([[1.0], [nan], [3.0]]).ravel().tolist() == [1, 2, 3]
    assert IterativeImputer(max_iter=0).fit_transform([[1.0, 4.0], [nan, 2.0]]).tolist() == [[1, 4], [1, 2]]


def test_dependent_columns_do_no_harm() -> None:
    random = np.random.default_rng(0)
    a = random.normal(size=50)
    X = np.column_stack([a, 2 * a, -a, np.ones(50)])
    whole = X.copy()
    X[:10, 0] = nan
    np.testing.assert_allclose(IterativeImputer().fit_transform(X)[:, 0], whole[:, 0], atol=1e-2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"estimator": 3}, "estimator must be"),
        ({"min_value": [1, 2, 3]}, "should be of shape"),
        ({"min_value": 2, "max_value": 1}, "min_value >= max_value"),
        ({"min_value": "a"}, "min_value must be a number"),
        ({"max_iter": -1}, "max_iter must be"),
    ],
)
def test_wrong_settings_are_refused(settings: Any, words: str) -> None:
    with pytest.raises(PellucidError, match=words):
        IterativeImputer(**settings).fit([[1.0, 2.0], [nan, 3.0]])


# ------------------------------------------------------------------------------------------------------------- workings


def test_workings_with_gaps_come_out() -> None:
    X = related(7, 14, 3)
    y = np.where(np.arange(14) % 3 == 0, "a", "b")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for model in (
            KNNImputer(n_neighbors=2),
            KNNImputer(n_neighbors=2, weights="distance"),
            IterativeImputer(random_state=0),
            IterativeImputer(random_state=0, sample_posterior=True),
            IterativeImputer(Ridge(), initial_strategy="median"),
            MapImputer(values={0: 1.5, 1: 2.0, 2: 3.0}),
            MapImputer(values={0: 1.5}),
            ClassImputer(strategy="median").fit(X, y),
            ClassImputer(by=0, strategy="mean"),
        ):
            if not hasattr(model, "n_features_in_"):
                model.fit(X)
            by_class = isinstance(model, ClassImputer) and model.by is None
            assert len(model.show_fit(X, y if by_class else None).to_text()) > 100
            shown = model.show_transform(X, rows=[int(np.flatnonzero(np.isnan(X).any(axis=1))[-1])])
            assert len(shown.to_text()) > 100
            if "z_1" in shown.cells and shown.value("z_1").dtype.kind == "f":
                np.testing.assert_allclose(shown.value("z_1"), model.transform(X)[:, 0], rtol=1e-9)


def test_the_working_of_a_gap_is_the_hand_calculation() -> None:
    X = [[1, 2, nan], [3, 4, 3], [nan, 6, 5], [8, 8, 7]]
    shown = KNNImputer(n_neighbors=2).fit(X).show_transform(X)
    np.testing.assert_allclose(shown.value("g1_d"), np.sqrt([3 / 2 * 8, 3 * 16, 3 / 2 * (49 + 36)]))
    assert shown.value("g1_c").tolist() == [1, 1, 0]
    assert shown.value("g1_z") == 4.0
