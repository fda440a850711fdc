"""NaiveBayes: its parts are the other models, columns of any kind in one product, tables, splits, odd tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pellucid.base.errors import DataError, DataTypeError, ParameterError
from pellucid.naive_bayes import CategoricalNB, GaussianNB, KernelDensityNB, NaiveBayes
from pellucid.preprocessing import TwoWaySplit
from pellucid.reference import naive_bayes_categories as reference
from pellucid.stats import bayes_error

RNG = np.random.default_rng(11)
NUMBERS = RNG.normal(size=(200, 3)) * [1.0, 10.0, 0.1] + [0.0, 100.0, -5.0]
LABELS = RNG.choice(["a", "b", "c"], 200)
WEIGHT = RNG.integers(1, 4, 200).astype(float)

PEOPLE = pd.DataFrame(
    {
        "job": ["cook", "cook", "nurse", None, "nurse", "clerk", "clerk", "cook"],
        "age": [25.0, 31.0, 40.0, 52.0, np.nan, 47.0, 38.0, 29.0],
        "hours": [40.0, 38.0, 20.0, 35.0, 36.0, 30.0, 41.0, 45.0],
        "smokes": [True, False, False, True, False, False, True, True],
    }
)
ILL = ["no", "no", "yes", "yes", "yes", "yes", "no", "no"]


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_all_numbers_by_bells_is_gaussian_nb(weighted: bool) -> None:
    weight = WEIGHT if weighted else None
    X = NUMBERS.copy()
    X[::7, 1] = np.nan
    own = NaiveBayes().fit(X, LABELS, weight).predict_joint_log_proba(X)
    other = GaussianNB().fit(X, LABELS, weight).predict_joint_log_proba(X)
    np.testing.assert_allclose(own, other, rtol=1e-12)
    np.testing.assert_array_equal(NaiveBayes().fit(X, LABELS).predict(X), GaussianNB().fit(X, LABELS).predict(X))


def test_all_words_is_categorical_nb_and_all_kernels_kernel_density_nb() -> None:
    words = np.array(["x", "y", "z"], dtype=object)[RNG.integers(0, 3, size=(200, 4))]
    one, other = NaiveBayes(alpha=0.5).fit(words, LABELS), CategoricalNB(alpha=0.5).fit(words, LABELS)
    np.testing.assert_array_equal(one.predict_proba(words), other.predict_proba(words))
    kernel, density = NaiveBayes(numbers="kernel").fit(NUMBERS, LABELS), KernelDensityNB().fit(NUMBERS, LABELS)
    joint = density.predict_joint_log_proba(NUMBERS)
    np.testing.assert_allclose(kernel.predict_joint_log_proba(NUMBERS), joint, rtol=1e-12)


def test_the_reference_multiplies_the_same_factors() -> None:
    model = NaiveBayes(numbers={"age": "gaussian", "hours": 37.0}, ddof=1, var_smoothing=0, alpha=1.0)
    model.fit(PEOPLE, ILL)
    assert model.kinds_ == {"job": "categories", "age": "gaussian", "hours": "split", "smokes": "categories"}
    factors = [
        reference.categories(PEOPLE["job"].tolist(), ILL),
        reference.gaussian(PEOPLE["age"].tolist(), ILL, ddof=1),
        reference.split(PEOPLE["hours"].tolist(), ILL, 37.0),
        reference.categories(PEOPLE["smokes"].tolist(), ILL),
    ]
    joint = np.exp(model.predict_joint_log_proba(PEOPLE))
    for row, found in zip(PEOPLE.to_numpy(dtype=object).tolist(), joint, strict=True):
        by_hand = reference.scores(row, reference.priors(ILL), factors)
        np.testing.assert_allclose(found, list(by_hand.values()), rtol=1e-12)


def test_polars_and_arrow_are_read_like_pandas() -> None:
    data = {name: [None if pd.isna(v) else v for v in PEOPLE[name].tolist()] for name in PEOPLE}
    found = NaiveBayes(numbers={"hours": "kernel"}).fit(PEOPLE, ILL).predict_proba(PEOPLE)
    for frame in (pl.DataFrame(data), pa.table(data), PEOPLE[["age", "smokes", "job", "hours"]]):
        model = NaiveBayes(numbers={"hours": "kernel"}).fit(frame, ILL)
        np.testing.assert_allclose(model.predict_proba(frame), found, rtol=1e-12)
    model = NaiveBayes(numbers={"hours": "kernel"}).fit(PEOPLE, ILL)
    np.testing.assert_array_equal(model.predict_proba(PEOPLE[["smokes", "hours", "age", "job"]]), found)


@pytest.mark.parametrize("cut", ["best", "median", "mean"])
def test_splits_are_those_of_the_two_way_split(cut: Any) -> None:
    y = np.where(NUMBERS[:, 1] + RNG.normal(size=200) > 103, "big", "small")
    model = NaiveBayes(numbers="split", cut=cut, alpha=0).fit(NUMBERS, y)
    split = TwoWaySplit(cut=cut).fit(NUMBERS, y)
    np.testing.assert_allclose(list(model.cuts_.values()), split.cuts_, rtol=1e-14)
    shares = model.likelihood_table(1)
    above = NUMBERS[:, 1] >= split.cuts_[1]
    assert list(shares) == [f"< {split.cuts_[1]:.6g}", f">= {split.cuts_[1]:.6g}"]
    assert list(shares.values())[1]["big"] == pytest.approx(above[y == "big"].mean())


def test_tables_read_like_lists() -> None:
    model = NaiveBayes(numbers={"age": 35, "hours": "split"}, smoothing="none").fit(PEOPLE, ILL)
    assert model.frequency_table("age") == {"< 35": {"no": 3.0, "yes": 0.0}, ">= 35": {"no": 1.0, "yes": 3.0}}
    table = model.joint_table()
    assert len(table) == 3 * 2 * 2 * 2
    best = max(table, key=lambda one: one["scores"]["yes"])
    assert best["prediction"] == "yes"
    bell = NaiveBayes(ddof=1, var_smoothing=0).fit(PEOPLE, ILL)
    assert bell.likelihood_table("age")["mean"]["no"] == pytest.approx((25 + 31 + 38 + 29) / 4)
    with pytest.raises(ParameterError, match="needs categories or splits; 'age', 'hours' have densities"):
        bell.joint_table()
    with pytest.raises(ParameterError, match="a frequency table needs categories"):
        bell.frequency_table("age")


def test_numbers_may_be_names() -> None:
    X = pd.DataFrame({"code": [10115, 10115, 80331, 80331], "size": [1.0, 2.0, 3.0, 4.0]})
    model = NaiveBayes(categories=["code"]).fit(X, [0, 0, 1, 1])
    assert model.kinds_["code"] == "categories"
    assert model.frequency_table("code") == {10115: {0: 2.0, 1: 0.0}, 80331: {0: 0.0, 1: 2.0}}
    assert NaiveBayes(categories=[0]).fit(X.to_numpy(), [0, 0, 1, 1]).kinds_["x0"] == "categories"


def test_parts_are_the_whole() -> None:
    whole = NaiveBayes(numbers={"hours": "kernel"}).fit(PEOPLE, ILL)
    parts = NaiveBayes(numbers={"hours": "kernel"})
    for part in (slice(0, 2), slice(2, 5), slice(5, 8)):
        parts.partial_fit(PEOPLE[part], ILL[part], ["no", "yes"])
    np.testing.assert_allclose(parts.predict_proba(PEOPLE), whole.predict_proba(PEOPLE), rtol=1e-12)
    with pytest.raises(ParameterError, match="partial_fit needs splits at given numbers"):
        NaiveBayes(numbers="split").partial_fit(PEOPLE, ILL, ["no", "yes"])
    given = NaiveBayes(numbers={"age": 30.0, "hours": 40.0}).partial_fit(PEOPLE, ILL, ["no", "yes"])
    assert given.cuts_ == {"age": 30.0, "hours": 40.0}


def test_the_boundary_lies_at_the_bayes_threshold_of_known_densities() -> None:
    """Quantiles of two bells, two rows to one: the fitted model changes its mind where the bells cross."""
    from scipy.special import ndtri

    first, second = (ndtri((np.arange(n) + 0.5) / n) for n in (8000, 4000))
    X = np.concatenate([first, 3 + 2 * second])[:, None]
    y = np.repeat([0, 1], [8000, 4000])
    best = bayes_error([(0, 1), (3, 2)], [2 / 3, 1 / 3])
    places = np.linspace(-4, 10, 28_001)
    for numbers, apart in (("gaussian", 0.01), ("kernel", 0.15)):
        codes = NaiveBayes(numbers=numbers).fit(X, y).predict(places[:, None])
        changes = places[np.flatnonzero(np.diff(codes))]
        inside = [t for t in best.thresholds if -3 < t < 10]
        near = [changes[np.abs(changes - t).argmin()] for t in inside]
        np.testing.assert_allclose(near, inside, atol=apart)
    error = 1 - NaiveBayes().fit(X, y).score(X, y)
    assert error == pytest.approx(best.error, abs=2e-3)


@pytest.mark.parametrize(
    ("params", "X", "error", "words"),
    [
        ({"numbers": "bell"}, None, ParameterError, "numbers must be 'gaussian', 'kernel' or 'split'"),
        ({"numbers": {"job": "kernel"}}, None, ParameterError, "numbers must name columns of numbers; column 'job'"),
        ({"numbers": {"wage": "kernel"}}, None, ParameterError, "there is no column 'wage'"),
        ({"categories": "job"}, None, ParameterError, "categories must be a list"),
        ({"var_smoothing": 0}, pd.DataFrame({"x": [1.0, 1, 2, 3, 1, 2, 1, 1]}), DataError, "variance above zero"),
        ({}, pd.DataFrame({"x": [1e308, -1e308] * 4}), DataError, "variances must fit"),
        ({}, pd.DataFrame({"x": pd.date_range("2020", periods=8)}), DataTypeError, "holds times"),
        ({}, pd.DataFrame({"x": [np.inf] * 8}), DataError, "infinity"),
    ],
    ids=["way", "words as numbers", "no column", "text", "no spread", "too far", "times", "infinity"],
)
def test_refusals(params: dict[str, Any], X: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        NaiveBayes(**params).fit(PEOPLE if X is None else X, ["a", "b", "b", "b", "b", "b", "a", "a"])


def test_words_where_fit_saw_numbers_are_named() -> None:
    model = NaiveBayes().fit(PEOPLE, ILL)
    with pytest.raises(DataTypeError, match="column 'age' must hold numbers, as in fit; it holds 'old' in row 1"):
        model.predict(PEOPLE.assign(age=[30.0, "old", *[1.0] * 6]))


def test_columns_that_say_nothing() -> None:
    X = PEOPLE.assign(empty=np.nan, same=4.0, word="w")
    plain, more = NaiveBayes().fit(PEOPLE, ILL), NaiveBayes().fit(X, ILL)
    np.testing.assert_allclose(more.predict_proba(X.assign(empty=3.0)), plain.predict_proba(PEOPLE), rtol=1e-6)
    assert NaiveBayes().fit(PEOPLE[:1], ILL[:1]).predict(PEOPLE[:2]).tolist() == ["no", "no"]
    blank = NaiveBayes().fit(PEOPLE.assign(note=None), ILL)
    for note in (None, "later", 3.0):
        found = blank.predict_proba(PEOPLE.assign(note=note))
        np.testing.assert_allclose(found, plain.predict_proba(PEOPLE), rtol=1e-12)


@pytest.mark.parametrize("way", ["gaussian", "kernel"])
def test_rows_too_far_for_densities_go_to_the_nearest_class(way: Any) -> None:
    """At 1e200 all densities are zero in 64 bits; class b is ten times as wide, and so ten times as near."""
    X = pd.DataFrame({"x": [-1.0, 0.0, 1.0, -10.0, 0.0, 10.0], "word": list("uvuvuv")})
    model = NaiveBayes(numbers=way, smoothing="none").fit(X, list("aaabbb"))
    far = pd.DataFrame({"x": [1e200, 1e308, -1e308], "word": "u"})
    assert model.predict(far).tolist() == ["b"] * 3
    assert model.predict_proba(far).tolist() == [[0.0, 1.0]] * 3
    odd = pd.DataFrame({"x": [0.0], "word": ["w"]})  # which is impossible in both: the priors
    assert model.predict_proba(odd).tolist() == [[0.5, 0.5]]
    assert NaiveBayes(numbers=way, class_prior=[1, 0]).fit(X, list("aaabbb")).predict(far).tolist() == ["a"] * 3


def test_a_table_too_small_for_variances_is_refused() -> None:
    with pytest.raises(DataError, match="column 'x0' spreads too little"):
        NaiveBayes().fit([[1e-200], [2e-200], [3e-200]], ["a", "a", "b"])
