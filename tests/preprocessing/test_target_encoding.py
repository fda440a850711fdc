"""Target encoders: the reference, folds, orders, awkward targets and columns, and the words of refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, TimeSeriesSplit

from pellucid.base.errors import DataError, DataTypeError, ParameterError
from pellucid.preprocessing import OrderedTargetEncoder, TargetEncoder
from pellucid.reference import target_encoding as reference

NAN = float("nan")
WORDS = ["ash", "birch", "cedar", "", "Ünder"]


def column(values: Any) -> Any:
    return np.array(list(values), dtype=object)[:, None]


@st.composite
def problems(draw: Any) -> tuple[list[str], list[float]]:
    n = draw(st.integers(4, 40))
    words = draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n))
    return words, draw(st.lists(st.floats(-1e6, 1e6).map(lambda v: v + 0.5 * (v == round(v))), min_size=n, max_size=n))


# ---------------------------------------------------------------------------------------------------------- reference


@settings(max_examples=150, deadline=None)
@given(problems(), st.one_of(st.just("auto"), st.sampled_from([0.0, 1.0, 7.5])))
def test_the_encodings_are_those_of_the_reference(problem: tuple[list[str], list[float]], smooth: Any) -> None:
    words, y = problem
    model = TargetEncoder(smooth=smooth, target_type="continuous").fit(column(words), y)
    want = reference.encodings(words, y, smooth)
    size = max(1.0, np.abs(y).max())
    for category, found in zip(model.categories_[0], model.encodings_[0], strict=True):
        assert found == pytest.approx(want[category], rel=1e-9, abs=1e-9 * size)
    assert model.target_mean_ == pytest.approx(np.mean(y), abs=1e-12 * size)


@settings(max_examples=100, deadline=None)
@given(problems(), st.one_of(st.just("auto"), st.sampled_from([0.0, 2.0])), st.integers(2, 4))
def test_a_cross_fit_is_that_of_the_reference(problem: tuple[list[str], list[float]], smooth: Any, folds: int) -> None:
    words, y = problem
    pairs = list(KFold(folds).split(words))
    model = TargetEncoder(smooth=smooth, target_type="continuous", cv=pairs)
    found = model.fit_transform(column(words), y)[:, 0]
    np.testing.assert_allclose(
        found, reference.cross_fit(words, y, pairs, smooth), rtol=1e-9, atol=1e-9 * max(1.0, np.abs(y).max())
    )


@settings(max_examples=100, deadline=None)
@given(problems(), st.floats(-5, 5), st.sampled_from([0.25, 1.0, 10.0]))
def test_the_ordered_statistic_is_that_of_the_reference(
    problem: tuple[list[str], list[float]], prior: float, weight: float
) -> None:
    words, y = problem
    model = OrderedTargetEncoder(prior=prior, prior_weight=weight, target_type="continuous", random_state=3)
    found = model.fit_transform(column(words), y)[:, 0]
    order = model._orders(len(words))[0]
    size = 1e-9 * max(1.0, np.abs(y).max())
    np.testing.assert_allclose(found, reference.ordered(words, y, prior, weight, order)[2], rtol=1e-9, atol=size)
    later = reference.of_all_rows(words, y, prior, weight)
    for category, value in zip(model.categories_[0], model.encodings_[0], strict=True):
        assert value == pytest.approx(later[category], rel=1e-9, abs=size)
    given = OrderedTargetEncoder(prior=prior, prior_weight=weight, target_type="continuous", order="given")
    np.testing.assert_allclose(
        given.fit_transform(column(words), y)[:, 0], reference.ordered(words, y, prior, weight)[2], rtol=1e-9, atol=size
    )


# --------------------------------------------------------------------------------------------------------- by hand


def test_smoothing_by_hand() -> None:
    X, y = column("aab"), [1.5, 2.5, 8.0]  # mean 4
    assert TargetEncoder(smooth=0).fit(X, y).encodings_[0].tolist() == [2.0, 8.0]
    assert TargetEncoder(smooth=2).fit(X, y).encodings_[0].tolist() == pytest.approx([3.0, 16 / 3])
    # Empirical Bayes: v = (6.25 + 2.25 + 16) / 3, v_a = 1/4; w = 2 v / (2 v + 1/4).
    v = 24.5 / 3
    w = 2 * v / (2 * v + 0.25)
    np.testing.assert_allclose(TargetEncoder().fit(X, y).encodings_[0], [w * 2 + (1 - w) * 4, 8.0])


def test_several_classes_have_a_column_each() -> None:
    X, y = column("aaabb"), ["x", "y", "z", "z", "z"]
    model = TargetEncoder(smooth=0).fit(X, y)
    assert model.target_type_ == "multiclass"
    assert model.classes_.tolist() == ["x", "y", "z"]
    np.testing.assert_allclose(model.transform(column("abc")), [[1 / 3] * 3, [0, 0, 1], [0.2, 0.2, 0.6]])
    assert model.get_feature_names_out(["tree"]).tolist() == ["tree_x", "tree_y", "tree_z"]
    ordered = OrderedTargetEncoder(order="given", prior=[0.0, 0.5, 1.0]).fit_transform(X, y)
    np.testing.assert_allclose(
        ordered, [[0, 0.5, 1], [1 / 2, 1 / 4, 1 / 2], [1 / 3, 1.5 / 3, 1 / 3], [0, 0.5, 1], [0, 1 / 4, 1]]
    )


def test_two_classes_asked_for_as_several_have_two_columns() -> None:
    model = TargetEncoder(smooth=0, target_type="multiclass").fit(column("ab"), ["no", "yes"])
    np.testing.assert_array_equal(model.transform(column("ab")), [[1, 0], [0, 1]])


def test_missing_values_are_categories_of_their_own() -> None:
    X = column(["a", None, NAN, None])
    model = TargetEncoder(smooth=0, target_type="continuous").fit(X, [1, 2, 5, 4])
    assert model.transform(column([None, NAN, "b"])).ravel().tolist() == [3, 5, 3]
    numbers = TargetEncoder(smooth=0, target_type="continuous").fit([[NAN], [1], [-0.0], [0.0]], [1, 2, 3, 5])
    assert numbers.transform([[0], [NAN], [1]]).ravel().tolist() == [4, 1, 2]


def test_a_target_that_is_the_same_everywhere() -> None:
    for smooth in ("auto", 0, 3):
        model = TargetEncoder(smooth=smooth, target_type="continuous")
        assert model.fit_transform(column("aabbbb"), [7.5] * 6).ravel().tolist() == [7.5] * 6
    assert TargetEncoder().fit(column("ab"), ["x", "x"]).encodings_[0].tolist() == [0, 0]


@pytest.mark.parametrize("unit", [1e308, 1e-300, 1e150])
def test_huge_and_tiny_targets(unit: float) -> None:
    X, y = column("aabbab"), np.array([1.0, 0.5, -1.0, 0.25, 0.75, 0.3])
    for model in (
        TargetEncoder(cv=KFold(2)),
        TargetEncoder(smooth=1, cv=KFold(2)),
        OrderedTargetEncoder(order="given"),
    ):
        plain = model.fit_transform(X, y)
        np.testing.assert_allclose(model.fit_transform(X, y * unit) / unit, plain, rtol=1e-9)
        assert np.isfinite(model.transform(X)).all()


def test_one_huge_target_does_not_spoil_the_other_folds() -> None:
    """Sums are joined, never subtracted: 1e17 - 1e17 + 1 would be 0."""
    y = np.array([1e17, 1.0, 2.0, 3.0])
    found = TargetEncoder(smooth=0, cv=[([1, 2, 3], [0]), ([0], [1, 2, 3])], target_type="continuous")
    assert found.fit_transform(column("aaaa"), y).ravel().tolist() == [2.0, 1e17, 1e17, 1e17]


# ------------------------------------------------------------------------------------------------------------- orders


def test_no_row_sees_its_own_target() -> None:
    """Another target for one row changes later rows alone."""
    random = np.random.default_rng(0)
    X, y = column(random.choice(WORDS, 60)), random.normal(size=60)
    model = OrderedTargetEncoder(prior=0.0, random_state=1)
    plain = model.fit_transform(X, y)
    order = model._orders(60)[0]
    other = y.copy()
    other[order[20]] += 100
    changed = np.flatnonzero(model.fit_transform(X, other)[:, 0] != plain[:, 0])
    assert len(changed) > 0
    assert set(changed) <= set(order[21:])


def test_orders_follow_from_random_state_alone_and_several_are_averaged() -> None:
    random = np.random.default_rng(0)
    X, y = column(random.choice(WORDS, 50)), random.normal(size=50)
    several = OrderedTargetEncoder(random_state=5, n_permutations=3)
    found = several.fit_transform(X, y)
    np.testing.assert_array_equal(OrderedTargetEncoder(random_state=5, n_permutations=3).fit_transform(X, y), found)
    words = X[:, 0].tolist()
    by_hand = [reference.ordered(words, y, float(y.mean()), 1.0, order)[2] for order in several._orders(50)]
    np.testing.assert_allclose(found[:, 0], np.mean(by_hand, axis=0))
    assert [sorted(order) for order in several._orders(50)] == [list(range(50))] * 3
    assert (OrderedTargetEncoder(random_state=6).fit_transform(X, y) != found).any()


def test_new_rows_get_what_the_target_encoder_gives_them() -> None:
    random = np.random.default_rng(0)
    X, y = column(random.choice(WORDS, 50)), random.normal(size=50)
    ask = column([*WORDS, "yew"])
    ordered = OrderedTargetEncoder(prior_weight=4.0).fit(X, y)
    np.testing.assert_allclose(ordered.transform(ask), TargetEncoder(smooth=4).fit(X, y).transform(ask), rtol=1e-12)


# -------------------------------------------------------------------------------------------------------------- folds


def test_folds_that_are_no_complements_are_fitted_one_by_one() -> None:
    random = np.random.default_rng(0)
    words, y = random.choice(WORDS, 40).tolist(), random.normal(size=40)
    pairs = [(train[5:], test) for train, test in KFold(4).split(words)]
    found = TargetEncoder(cv=pairs).fit_transform(column(words), y)[:, 0]
    np.testing.assert_allclose(found, reference.cross_fit(words, y.tolist(), pairs))


def test_each_row_may_be_a_fold_of_its_own() -> None:
    random = np.random.default_rng(0)
    words, y = random.choice(WORDS, 40).tolist(), random.normal(size=40)
    found = TargetEncoder(cv=LeaveOneOut(), smooth=2).fit_transform(column(words), y)[:, 0]
    pairs = list(LeaveOneOut().split(words))
    np.testing.assert_allclose(found, reference.cross_fit(words, y.tolist(), pairs, 2))


def test_groups_are_handed_to_the_splitter() -> None:
    random = np.random.default_rng(0)
    X, y, groups = column(random.choice(WORDS, 40)), random.normal(size=40), np.arange(40) % 4
    pairs = list(GroupKFold(4).split(X, y, groups))
    with sklearn.config_context(enable_metadata_routing=True):
        found = TargetEncoder(cv=GroupKFold(4)).fit_transform(X, y, groups=groups)
    np.testing.assert_array_equal(found, TargetEncoder(cv=pairs).fit_transform(X, y))
    with pytest.raises(ParameterError, match="metadata routing is not enabled"):
        TargetEncoder(cv=GroupKFold(4)).fit_transform(X, y, groups=groups)


def test_fit_transform_keeps_names_and_frames() -> None:
    frame = pd.DataFrame({"tree": ["ash", "fir"] * 6, "size": [1, 2, 3] * 4})
    y = np.arange(12) / 7
    model = TargetEncoder(random_state=0).set_output(transform="polars")
    found = model.fit_transform(frame, y)
    assert isinstance(found, pl.DataFrame)
    assert found.columns == ["tree", "size"]
    np.testing.assert_array_equal(found.to_numpy(), TargetEncoder(random_state=0).fit_transform(frame, y))


@pytest.mark.parametrize(
    "make",
    [
        lambda v: pd.DataFrame({"c": pd.Categorical(v)}),
        lambda v: pl.DataFrame({"c": pl.Series(v, dtype=pl.Categorical)}),
        lambda v: pl.DataFrame({"c": pl.Series(v, dtype=pl.Enum(WORDS))}),
    ],
)
def test_columns_of_codes_are_read_like_their_words(make: Any) -> None:
    random = np.random.default_rng(0)
    words, y = random.choice(WORDS, 30).tolist(), random.normal(size=30)
    words[4] = None
    model = TargetEncoder().fit(make(words), y)
    np.testing.assert_allclose(
        model.transform(make(words)), TargetEncoder().fit(column(words), y).transform(column(words))
    )
    assert model.categories_[0].tolist()[:-1] == sorted(set(words) - {None})


# ------------------------------------------------------------------------------------------------------------- words


def words_of(act: Any, kind: type[Exception] = DataError) -> str:
    with pytest.raises(kind) as caught:
        act()
    return str(caught.value).splitlines()[0]


X6 = column("aabbcc")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: TargetEncoder().fit(X6, [1.5, NAN, 2, 3, 4, 5]), "TargetEncoder: Input y contains NaN; row 1."),
        (lambda: TargetEncoder().fit(X6, [*"abab", None, None]), "TargetEncoder: Input y contains NaN; rows 4, 5."),
        (
            lambda: TargetEncoder(target_type="binary").fit(X6, list("xyzxyz")),
            "TargetEncoder: target_type='binary' takes two labels; y has 3: labels 'x', 'y', 'z'.",
        ),
        (
            lambda: TargetEncoder().fit(X6, np.ones((6, 2))),
            "TargetEncoder: y should be a 1d array: a target encoder takes one target; got an array of shape (6, 2) "
            "instead.",
        ),
        (
            lambda: TargetEncoder(cv=TimeSeriesSplit(2)).fit_transform(X6, np.arange(6) / 4),
            "TargetEncoder: Validation indices from `cv` must cover each sample index exactly once with no overlap; "
            "rows 0, 1 are held out another number of times.",
        ),
        (
            lambda: OrderedTargetEncoder(prior=[1, 2]).fit(X6, np.arange(6) / 4),
            "OrderedTargetEncoder: prior must be one number, or one a class; got 2 for 1 column of y.",
        ),
    ],
)  # fmt: skip
def test_refusals_are_one_sentence(act: Any, said: str) -> None:
    assert words_of(act) == said


def test_refusals_of_parameters() -> None:
    said = words_of(lambda: TargetEncoder(cv=9).fit_transform(X6, np.arange(6) / 4), ParameterError)
    assert said.startswith("TargetEncoder: cv must be a number of folds from 2 up, a splitter, or pairs of rows, that")
    said = words_of(lambda: OrderedTargetEncoder(order="given", n_permutations=2).fit(X6, X6[:, 0]), ParameterError)
    assert said == "OrderedTargetEncoder: n_permutations must be 1 where the order is given; got 2."
    said = words_of(lambda: OrderedTargetEncoder(prior="low").fit(X6, X6[:, 0]), ParameterError)
    assert said == "OrderedTargetEncoder: prior must be a number, a list of one a class, or None; got 'low'."
    said = words_of(lambda: TargetEncoder(target_type="continuous").fit(X6, list("xyzxyz")), DataTypeError)
    assert said == "TargetEncoder: y must hold numbers; found 'x'."


def test_the_happy_path_of_fit_transform_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TargetEncoder().fit_transform(X6, np.arange(6) / 4)
        OrderedTargetEncoder().fit_transform(X6, list("xyxyxy"))
