"""Bins: mathematics, the reference, awkward numbers, what is refused, and the way back."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.preprocessing import KBinsDiscretizer
from pellucid.reference import discretization as reference

COLUMNS = st.lists(st.one_of(st.integers(-6, 6).map(float), st.floats(-1e3, 1e3)), min_size=2, max_size=30)


def edges_of(x: Any, k: int, strategy: str, y: Any = None, **more: Any) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PellucidWarning)
        model = KBinsDiscretizer(k, strategy=strategy, encode="ordinal", **more)  # type: ignore[arg-type]
        return model.fit(np.array(x)[:, None], y).bin_edges_[0].tolist()  # type: ignore[no-any-return]


@settings(max_examples=80, deadline=None)
@given(COLUMNS, st.integers(2, 7))
def test_equal_width_and_equal_frequency_agree_with_the_reference(x: list[float], k: int) -> None:
    if min(x) == max(x):
        return
    np.testing.assert_allclose(edges_of(x, k, "uniform"), reference.equal_width(x, k), atol=1e-12 * max(map(abs, x)))
    if max(x) - min(x) > 1e-6:  # where a bin's width is not a matter of rounding
        found, wanted = edges_of(x, k, "quantile"), reference.equal_frequency(x, k)
        np.testing.assert_allclose(found, wanted, atol=1e-12 * max(map(abs, x)))


@settings(max_examples=80, deadline=None)
@given(st.data(), st.integers(2, 6), st.booleans(), st.integers(1, 3))
def test_cuts_against_a_target_agree_with_the_reference(data: Any, k: int, numbers: bool, least: int) -> None:
    x = data.draw(st.lists(st.integers(-9, 9).map(float), min_size=2, max_size=25))
    labels = st.integers(0, 9).map(lambda v: v + 0.5) if numbers else st.sampled_from("abc")
    y = data.draw(st.lists(labels, min_size=len(x), max_size=len(x)))
    if min(x) == max(x):
        return
    made = reference.tree_cuts(x, y, k, numbers, least)
    wanted = [min(x), *sorted(cut for cut, _ in made), max(x)]
    assert edges_of(x, k, "tree", y, min_samples_leaf=least) == wanted
    model = KBinsDiscretizer(k, strategy="tree", min_samples_leaf=least).fit(np.array(x)[:, None], y)
    np.testing.assert_allclose(model.gains_[0], [gain for _, gain in sorted(made)], atol=1e-9)


def test_clusters_agree_with_the_reference() -> None:
    for seed in range(20):
        x = np.random.default_rng(seed).normal(size=200)
        np.testing.assert_allclose(edges_of(x, 3, "kmeans"), reference.k_means_edges(x, 3), rtol=1e-12)


def test_every_bin_is_as_often_where_there_are_no_ties() -> None:
    x = np.random.default_rng(0).permutation(1200).astype(float)
    model = KBinsDiscretizer(6, encode="onehot-dense")
    assert model.fit_transform(x[:, None]).sum(axis=0).tolist() == [200] * 6


def test_a_cut_by_hand() -> None:
    """Six rows, entropy 1 bit; the best cut leaves a pure part of two and one of 1 : 3, 4/6 of 0.811 bits."""
    model = KBinsDiscretizer(2, strategy="tree").fit([[1], [2], [3], [4], [5], [6]], list("aababb"))
    wanted = 1 - 4 / 6 * (-(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75)))
    assert model.bin_edges_[0].tolist() == [1, 2.5, 6]
    np.testing.assert_allclose(model.gains_[0], [wanted])


def test_labels_and_numbers_are_told_apart_or_said() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 9]
    for criterion in ("auto", "entropy", "squared_error"):
        model = KBinsDiscretizer(2, strategy="tree", criterion=criterion).fit(X, y)  # type: ignore[arg-type]
        assert model.bin_edges_[0][1] == (3.5 if criterion == "squared_error" else 2.5)
    assert KBinsDiscretizer(2, strategy="tree").fit(X, [0.5, 0, 1, 9]).bin_edges_[0][1] == 3.5


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans", "tree"])
@pytest.mark.parametrize("size", [1e-300, 1e-12, 1e150, 1e307])
def test_huge_and_tiny_numbers_are_binned_like_others(strategy: Any, size: float) -> None:
    x = np.random.default_rng(0).integers(-8, 8, size=(300, 2)).astype(float)
    y = (x[:, 0] > 2).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PellucidWarning)
        model = KBinsDiscretizer(4, strategy=strategy, encode="ordinal")
        wanted = KBinsDiscretizer(4, strategy=strategy, encode="ordinal").fit_transform(x + 0.03, y)
        found = model.fit_transform(x * size + 0.03 * size, y)
    np.testing.assert_array_equal(found, wanted)


def test_a_range_beyond_every_float_is_refused() -> None:
    with pytest.raises(DataError, match="range of a column must fit into float64; 'x0'"):
        KBinsDiscretizer().fit([[1.7e308], [-1.7e308], [0.0]])


def test_a_constant_column_has_one_bin_and_comes_back() -> None:
    X = [[3.0, 1.0], [3.0, 2.0]]
    with pytest.warns(PellucidWarning, match="column 'x0' is constant: one bin, 0"):
        model = KBinsDiscretizer(2, strategy="uniform").fit(X)
    assert model.n_bins_.tolist() == [1, 2]
    assert model.bin_edges_[0].tolist() == [-np.inf, np.inf]
    assert model.inverse_transform(model.transform(X)).tolist() == [[3.0, 1.25], [3.0, 1.75]]


def test_bins_of_no_width_are_removed_with_a_warning() -> None:
    with pytest.warns(PellucidWarning, match="column 'x0' has 2 bins instead of 4"):
        model = KBinsDiscretizer(4).fit([[0], [0], [0], [0], [1], [2]])
    assert model.bin_edges_[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "ordinal"])
def test_the_way_back_is_the_middle_of_the_bin(encode: Any) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = KBinsDiscretizer(4, encode=encode).fit(X)
    found = model.inverse_transform(model.transform(X))
    for j in range(3):
        edges = model.bin_edges_[j].tolist()
        np.testing.assert_allclose(found[:, j], reference.middles(reference.bins(X[:, j], edges), edges))


@pytest.mark.parametrize(
    ("encode", "given", "words"),
    [
        ("ordinal", [[0.0], [5.0]], "bins of column 'x0' must be whole numbers from 0 to 1; got 5 in row 1"),
        ("ordinal", [[0.0, 1.0]], "Expecting 1, received 2"),
        ("onehot", [[1.0, 1.0], [0.0, 1.0]], "exactly one bin that is not 0 .* row 0"),
        ("onehot-dense", [[1.0, 0.0, 0.0]], "Expected 2 columns, got 3"),
    ],
)
def test_what_no_transform_made_has_no_way_back(encode: Any, given: Any, words: str) -> None:
    model = KBinsDiscretizer(2, encode=encode).fit([[1.0], [2.0]])
    with pytest.raises(DataError, match=words):
        model.inverse_transform(given)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(make: Any) -> None:
    frame = make({"a": [1, 2, 3, 4], "b": [True, False, True, True]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PellucidWarning)
        model = KBinsDiscretizer(2, encode="onehot-dense", strategy="uniform").fit(frame)
    assert model.get_feature_names_out().tolist() == ["a_0.0", "a_1.0", "b_0.0", "b_1.0"]
    assert model.transform(frame)[:, 2].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("settings", "y", "words"),
    [
        ({"strategy": "tree"}, None, "requires y to be passed"),
        ({"strategy": "tree"}, [[1, 2], [3, 4], [5, 6]], "y must be one column; got 2"),
        ({"strategy": "tree"}, [1.5, np.nan, 2], "Input y contains NaN"),
        ({"strategy": "tree", "criterion": "squared_error"}, ["a", "b", "c"], "y must hold numbers"),
        ({"n_bins": [2, 3]}, None, r"n_bins must be a scalar or array of shape \(n_features,\); got 2 numbers for 1"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], y: Any, words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        KBinsDiscretizer(**settings).fit([[1.0], [2.0], [3.0]], y)


def test_the_working_of_drawn_rows() -> None:
    X = np.random.default_rng(0).normal(size=(300, 1))
    model = KBinsDiscretizer(3, subsample=50).fit(X)
    assert "50 were drawn with replacement" in model.show_fit(X).to_text()


@pytest.mark.parametrize("method", ["closest_observation", "linear", "hazen", "inverted_cdf", "normal_unbiased"])
def test_every_rule_of_quantiles_is_shown(method: Any) -> None:
    X = np.random.default_rng(0).normal(size=(23, 1))
    model = KBinsDiscretizer(4, quantile_method=method).fit(X)
    np.testing.assert_allclose(model.show_fit(X).value("edge"), model.bin_edges_[0])
