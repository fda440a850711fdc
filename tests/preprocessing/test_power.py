"""Powers, logarithms and roots: mathematics, the reference, awkward numbers, layouts, and what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pellucid.base.errors import DataError, DataTypeError, ParameterError, PellucidWarning
from pellucid.preprocessing import LogTransformer, PowerTransformer, RootTransformer
from pellucid.reference import power as reference

METHODS: list[Any] = ["box-cox", "yeo-johnson"]
COLUMNS = hnp.arrays(
    np.float64,
    st.integers(2, 30),
    elements=st.one_of(st.integers(-9, 9).map(float), st.floats(-50, 50), st.just(np.nan)),
)


def fit_power(x: Any, method: Any, **params: Any) -> Any:
    return PowerTransformer(method, **params).fit(np.asarray(x, dtype=float).reshape(-1, 1))


# -------------------------------------------------------------------------------------------------------------- powers


@settings(max_examples=80, deadline=None)
@given(COLUMNS, st.sampled_from(METHODS))
def test_no_power_of_the_reference_is_likelier(x: Any, method: Any) -> None:
    x = np.abs(x) + 0.25 if method == "box-cox" else x
    known = x[~np.isnan(x)]
    if len(known) == 0 or np.ptp(known) < 1e-3 * np.abs(known).max():
        return
    model = fit_power(x, method)
    if model._held_[0] or abs(model.lambdas_[0]) > 15:
        return
    wanted = reference.best_power(x, method)
    ours, theirs = (reference.likelihood(x, power, method) for power in (model.lambdas_[0], wanted))
    assert ours >= theirs - 1e-9 * (1 + abs(theirs))
    found = model.transform(x[:, None]).ravel()
    np.testing.assert_allclose(found, reference.transformed(x, model.lambdas_[0], method), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("power", [-1.5, -0.3, 0.0, 0.5, 1.0, 1.7, 2.0])
def test_the_power_that_made_the_data_is_found(method: Any, power: float) -> None:
    """Values that are equal steps of a normal distribution once raised: their likelihood is greatest there."""
    random = np.random.default_rng(0)
    y = 0.3 * random.normal(size=40_000)
    y = np.clip(y, -0.45, 0.45) if method == "box-cox" else np.clip(y, -0.4, 0.4)
    x = reference.inverse(y, power, method)
    model = fit_power(x, method)
    slope = 1e-4
    at = [reference.likelihood(x, model.lambdas_[0] + step, method) for step in (-slope, 0.0, slope)]
    assert at[1] >= max(at[0], at[2])


def test_powers_whose_value_is_known() -> None:
    """Symmetric logarithms have the power 0; symmetric values about zero the power 1 of Yeo-Johnson."""
    steps = np.array([-3.0, -1.0, -0.5, 0.5, 1.0, 3.0])
    assert abs(fit_power(np.exp(steps), "box-cox").lambdas_[0]) < 1e-12
    assert abs(fit_power(steps, "yeo-johnson").lambdas_[0] - 1) < 1e-12
    assert abs(fit_power(np.expm1(steps + 3), "yeo-johnson").lambdas_[0]) < 1e-12
    assert abs(fit_power(-np.expm1(steps + 3), "yeo-johnson").lambdas_[0] - 2) < 1e-12


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e30, 1e200])
def test_box_cox_powers_do_not_depend_on_the_unit(size: float) -> None:
    x = np.random.default_rng(0).gamma(2.0, size=500)
    np.testing.assert_allclose(fit_power(x * size, "box-cox").lambdas_, fit_power(x, "box-cox").lambdas_, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tail", ["left", "right"])
def test_a_column_far_from_zero_loses_nothing(method: Any, tail: str) -> None:
    """Numbers about 2000, whose raised values agree in all digits, or nearly overflow: standardized, they do not."""
    long = np.random.default_rng(0).gamma(2.0, size=400) * 20
    x = 2000 + (long if tail == "right" else -long)
    model = fit_power(x, method)
    z = model.transform(x[:, None]).ravel()
    assert not model._held_[0]
    assert abs(model.lambdas_[0]) * np.log(2000) > 40
    # The same with 40 digits, as the powers of numbers about 1.
    power = np.longdouble(model.lambdas_[0])
    y = np.expm1(power * np.log((x.astype(np.longdouble) + (method != "box-cox")) / 2000)) / power
    wanted = (y - y.mean()) / y.std()
    np.testing.assert_allclose(z, wanted.astype(float), rtol=1e-9, atol=1e-10)
    assert abs((z**3).mean()) < 0.2 < abs(((x - x.mean()) ** 3).mean() / x.std() ** 3)
    np.testing.assert_allclose(model.inverse_transform(z[:, None]).ravel(), x, rtol=1e-12)
    assert "lambdas_[0]" in model.show_fit(x[:, None]).to_text()
    assert "transform(X)" in model.show_transform(x[:, None]).to_text()


def test_values_of_the_other_sign_follow_on() -> None:
    """A column that is far from zero in the fit takes any value later: the map is one rising function."""
    for sign in (1, -1):
        x = sign * (2000 + np.random.default_rng(0).gamma(2.0, size=400) * 20)
        model = fit_power(x, "yeo-johnson")
        later = np.array([-3.0, -1e-9, 0.0, 1e-9, 3.0])[:, None]
        z = model.transform(later).ravel()
        assert np.isfinite(z).all()
        assert (np.diff(z) >= 0).all()
        assert z[0] < z[-1]


def test_a_power_is_held_where_values_are_numbers() -> None:
    x = 2000 - np.random.default_rng(0).gamma(2.0, size=400)
    model = fit_power(x, "yeo-johnson", standardize=False)
    assert model._held_[0]
    assert 1e300 < model.transform(x[:, None]).max() < np.inf
    assert "still rises" in model.show_fit(x[:, None]).to_text()


@pytest.mark.parametrize("method", METHODS)
def test_huge_and_tiny_numbers_give_finite_answers(method: Any) -> None:
    random = np.random.default_rng(0)
    for size in (1e-310, 1e-200, 1e-8, 1e8, 1e200, 1e300):
        x = np.abs(random.normal(size=200)) * size + size / 8
        for column in (
            x,
            x if method == "box-cox" else -x,
            x if method == "box-cox" else random.normal(size=200) * size,
        ):
            z = PowerTransformer(method).fit_transform(column[:, None])
            assert np.isfinite(z).all()
            assert abs(z.std() - 1) < 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_constant_and_empty_columns(method: Any) -> None:
    X = np.array([[3.3, np.nan, 1.0], [3.3, np.nan, 2.0]])
    model = PowerTransformer(method).fit(X)
    assert model.lambdas_[:2].tolist() == [1.0, 1.0]
    found = model.transform(X)
    assert (found[:, 0] == 0).all()
    assert np.isnan(found[:, 1]).all()
    np.testing.assert_allclose(found[:, 2], [-1, 1], rtol=1e-12)
    np.testing.assert_allclose(model.inverse_transform(found), X, rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(COLUMNS, st.sampled_from(METHODS), st.booleans())
def test_there_and_back(x: Any, method: Any, standardize: bool) -> None:
    x = np.abs(x) + 0.25 if method == "box-cox" else x
    if np.isnan(x).all():
        return
    model = fit_power(x, method, standardize=standardize)
    y = model.transform(x[:, None])
    raised = reference.transformed(x, model.lambdas_[0], method, standardize=False)
    spread = np.nanstd(raised) or 1
    if np.nanmax(np.abs(raised)) / spread > 1e6:
        return  # most digits are gone
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an end that is rounded over the edge
        back = model.inverse_transform(y).ravel()
    gone = np.isnan(back) & ~np.isnan(x)
    near = 1e-6 * (1 + np.abs(x)) ** max(1.0, abs(1 - model.lambdas_[0]))
    assert (gone | np.isnan(x) | (np.abs(back - x) <= near)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_layout_has_the_same_bits(method: Any, dtype: Any) -> None:
    X = np.exp(np.random.default_rng(0).normal(size=(3000, 19))).astype(dtype)
    X[:, :5] -= 0 if method == "box-cox" else 1
    X[5, 3] = np.nan
    plain = PowerTransformer(method).fit(X)
    wanted = plain.transform(X)
    wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    for other in (np.asfortranarray(X), wide[::2, ::3], X[::-1, ::-1][::-1, ::-1], np.asfortranarray(wide)[::2, ::3]):
        model = PowerTransformer(method, n_jobs=2).fit(other)
        np.testing.assert_array_equal(model.lambdas_, plain.lambdas_)
        found = model.transform(other)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("method", METHODS)
def test_many_rows_have_the_same_bits_on_any_number_of_threads(method: Any) -> None:
    X = np.exp(np.random.default_rng(0).normal(size=(70_000, 3))) - (0 if method == "box-cox" else 1)
    models = [PowerTransformer(method, n_jobs=n).fit(X) for n in (1, 2, 3)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.lambdas_, models[0].lambdas_)
        np.testing.assert_array_equal(model._mean_, models[0]._mean_)
        np.testing.assert_array_equal(model._scale_, models[0]._scale_)
    z = models[0].transform(X)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(z.std(axis=0), 1, rtol=1e-10)


# ------------------------------------------------------------------------------------------------- logarithms and roots


@settings(max_examples=60, deadline=None)
@given(COLUMNS, st.sampled_from(["e", 2, 10]))
def test_logarithms_are_those_of_the_reference(x: Any, base: Any) -> None:
    model = LogTransformer(base=base).fit(x[:, None])
    shift = reference.auto_shift(x)
    assert model.shift_.tolist() == [shift]
    wanted = reference.logarithm(x, shift, np.e if base == "e" else base)
    found = model.transform(x[:, None])
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.inverse_transform(found).ravel(), x, rtol=1e-9, atol=1e-10)


def test_whole_logarithms_and_roots_are_whole() -> None:
    tens = 10.0 ** np.arange(-5, 16)[:, None]
    assert LogTransformer(base=10).fit_transform(tens[5:]).ravel().tolist() == list(range(16))
    assert LogTransformer(base=2).fit_transform(2.0 ** np.arange(-9, 40)[:, None]).ravel().tolist() == list(
        range(-9, 40)
    )
    assert LogTransformer(base=10, shift=1).fit([[1]]).transform([[9], [99], [0]]).ravel().tolist() == [1, 2, 0]
    whole = np.arange(0.0, 60.0)[:, None]
    for degree in (1, 2, 3, 4, 5):
        model = RootTransformer(degree).fit(whole)
        np.testing.assert_array_equal(model.transform(whole**degree), whole)
        np.testing.assert_array_equal(model.inverse_transform(whole), whole**degree)
    assert RootTransformer(5).fit([[1]]).transform([[-32]]).tolist() == [[-2]]


def test_logarithms_near_one_lose_nothing() -> None:
    x = np.array([[1e-12], [-1e-12], [1e-300]])
    model = LogTransformer(shift=1).fit([[0.0]])
    np.testing.assert_array_equal(model.transform(x), np.log1p(x))
    np.testing.assert_allclose(model.inverse_transform(np.log1p(x)), x, rtol=1e-15)


@pytest.mark.parametrize("low", [-1e17, -1e300, 0.0, -1e-300])
def test_an_automatic_shift_leaves_a_logarithm(low: float) -> None:
    x = np.array([[low], [low / 2 + 1], [1.0]])
    assert np.isfinite(LogTransformer().fit_transform(x)).all()


@pytest.mark.parametrize("model", [RootTransformer(), RootTransformer(3), LogTransformer(shift=1)], ids=str)
def test_sparse_tables_stay_sparse(model: Any) -> None:
    dense = np.array([[0.0, 4.0, np.nan], [9.0, 0.0, 0.0], [0.0, 0.0, 16.0]])
    for dtype in (np.float64, np.float32):
        table = sp.csc_matrix(dense.astype(dtype))
        found = model.fit(table).transform(table)
        assert found.dtype == dtype
        assert found.nnz == 4
        wanted = model.fit(dense.astype(dtype)).transform(dense.astype(dtype))
        np.testing.assert_array_equal(found.toarray(), wanted)
        np.testing.assert_allclose(model.inverse_transform(found).toarray(), dense, rtol=1e-6)


@pytest.mark.parametrize(
    "model", [PowerTransformer(), PowerTransformer("box-cox"), LogTransformer(), RootTransformer()], ids=str
)
def test_without_copy_an_array_is_written_over(model: Any) -> None:
    X = np.random.default_rng(0).gamma(2.0, size=(40, 3))
    for order in "CF":
        array = np.array(X, order=order)  # type: ignore[call-overload]
        wanted = model.set_params(copy=True).fit_transform(array)
        found = model.set_params(copy=False).fit_transform(array)
        assert np.shares_memory(found, array)
        np.testing.assert_array_equal(array, wanted)
        assert np.shares_memory(model.inverse_transform(array), array)
        np.testing.assert_allclose(array, X, rtol=1e-9)
    model.set_params(copy=True)


# ----------------------------------------------------------------------------------------------------------- refusals


def test_values_outside_are_named_in_fit_and_transform() -> None:
    good = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, 2.0, 3.0]})
    bad = pd.DataFrame({"a": [1.0, np.nan, 2.0], "b": [0.0, 2.0, -1.0]})
    box_cox: Any = PowerTransformer("box-cox")
    with pytest.raises(
        DataError, match=r"strictly positive data; .*column 'b' has 2 values of at most 0 \(rows 0, 2\)"
    ):
        box_cox.fit(bad)
    for model in (box_cox, LogTransformer(), LogTransformer(shift=0)):
        with pytest.raises(DataError, match=r"column 'b' has 2 values of at most -?0 \(rows 0, 2\)"):
            model.fit(good).transform(bad)
    with pytest.raises(DataError, match=r"column 'b' has 1 value below 0 \(row 2\)"):
        RootTransformer().fit(good).transform(bad)
    with pytest.raises(
        DataError, match=r"x \+ shift must be above 0 .* column 'b' has 1 value of at most -1 \(row 2\)"
    ):
        LogTransformer(shift=1).fit(bad)
    written = bad.to_numpy().copy()
    for model in (PowerTransformer("box-cox", copy=False), RootTransformer(copy=False), LogTransformer(copy=False)):
        model.fit(good.to_numpy())
        with pytest.raises(DataError):
            model.transform(written)
        np.testing.assert_array_equal(written, bad.to_numpy())


@pytest.mark.parametrize("cls", [PowerTransformer, LogTransformer, RootTransformer])
def test_infinity_is_named_in_fit_and_transform(cls: Any) -> None:
    bad = pd.DataFrame({"a": [1.0, np.nan, 2.0], "b": [1.0, 2.0, np.inf]})
    with pytest.raises(DataError, match=r"'b' has 1 infinite value .* row 2"):
        cls().fit(bad)
    model = cls().fit(bad.iloc[:2])
    for method in (model.transform, model.inverse_transform):
        with pytest.raises(DataError, match=r"'b' has 1 infinite value .* row 2"):
            method(bad)


def test_what_no_value_becomes_is_nan_with_a_warning() -> None:
    x = np.array([[1.0], [4.0], [9.0], [30.0]])
    model: Any = PowerTransformer("box-cox", standardize=False).fit(x)
    assert model.lambdas_[0] > 0
    with pytest.warns(
        PellucidWarning, match=r"column 'x0' has 1 value that transform does not give, NaN now \(row 1\)"
    ):
        back = model.inverse_transform([[1.0], [-2 / model.lambdas_[0]], [np.nan]])
    assert np.isnan(back[1:]).all()
    assert np.isfinite(back[0])


def test_other_refusals() -> None:
    with pytest.raises(DataTypeError, match=r"X must be dense unless shift=1; .*zeros would not stay zeros"):
        LogTransformer().fit(sp.csr_array([[1.0]]))
    with pytest.raises(DataTypeError, match="X must be dense"):
        PowerTransformer().fit(sp.csr_array([[1.0]]))
    with pytest.raises(ParameterError, match="shift must be a finite number or 'auto'; got inf"):
        LogTransformer(shift=np.inf).fit([[1.0]])
    with pytest.raises(ParameterError, match="degree must be a whole number from 1 to 1000; got 0"):
        RootTransformer(0).fit([[1.0]])
    with pytest.raises(ParameterError, match="base must be one of 'e', 2, 10; got 3"):
        LogTransformer(base=3).fit([[1.0]])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="range of a column must fit into float64"):
        PowerTransformer().fit([[1.7e308], [-1.7e308]])


# ------------------------------------------------------------------------------------------------------------ workings


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["positive", "mixed", "negative", "small power", "constant", "missing", "tiny"])
def test_workings_of_awkward_columns(method: Any, kind: str) -> None:
    random = np.random.default_rng(0)
    x = {
        "positive": random.gamma(2.0, size=30),
        "mixed": random.normal(size=30),
        "negative": -random.gamma(2.0, size=30),
        "small power": np.expm1(np.linspace(1, 3, 30)) + 1e-4 * random.normal(size=30),
        "constant": np.full(30, 2.0),
        "missing": np.where(np.arange(30) % 7 == 0, np.nan, random.gamma(2.0, size=30)),
        "tiny": random.gamma(2.0, size=30) * 1e-9,
    }[kind]
    x = np.abs(x) if method == "box-cox" else x
    model = fit_power(x, method)
    assert "lambdas_[0]" in model.show_fit(x[:, None]).to_text()
    assert "transform(X)" in model.show_transform(x[:, None]).to_text()
