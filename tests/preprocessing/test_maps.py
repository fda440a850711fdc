"""Maps: mathematics, the reference, the ways back, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pellucid.base.errors import DataError, ParameterError
from pellucid.preprocessing import PolarMap, QuadraticMap, RBFLandmarks
from pellucid.reference import maps as reference

NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e3, 1e3).filter(lambda v: v == 0 or abs(v) > 1e-3))
TABLES = hnp.arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(2, 5)), elements=NUMBERS)


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_polar_coordinates_agree_with_the_reference_and_come_back(X: Any) -> None:
    for center in (0.0, 1.5, "mean"):
        model = PolarMap(center).fit(X)
        found = model.transform(X)
        if center != "mean":
            wanted = [reference.polar(row, model.center_) for row in X + 0.0]
            np.testing.assert_allclose(found, wanted, atol=1e-9)
            back = [reference.from_polar(row[0], row[1:], model.center_) for row in found]
            np.testing.assert_allclose(model.inverse_transform(found), back, atol=1e-9)
        np.testing.assert_allclose(model.inverse_transform(found), X, atol=1e-9)


def test_a_ring_has_one_radius() -> None:
    turn = np.linspace(-3, 3, 50)
    X = np.column_stack([2 + 5 * np.cos(turn), -1 + 5 * np.sin(turn)])
    found = PolarMap(center=(2, -1)).fit_transform(X)
    np.testing.assert_allclose(found[:, 0], 5)
    np.testing.assert_allclose(found[:, 1], turn)
    degrees = PolarMap(center=(2, -1), degrees=True)
    np.testing.assert_allclose(degrees.fit_transform(X)[:, 1], np.degrees(turn))
    np.testing.assert_allclose(degrees.inverse_transform(degrees.transform(X)), X)


def test_one_column_has_a_distance_and_a_side() -> None:
    model = PolarMap(center=1)
    assert model.fit_transform([[4.0], [0.0], [1.0]]).tolist() == [[3, 0], [1, np.pi], [0, 0]]
    np.testing.assert_allclose(model.inverse_transform([[3, 0], [1, np.pi]]), [[4], [0]])


def test_minus_zero_has_the_angle_of_zero() -> None:
    assert PolarMap(0).fit_transform([[-0.0, -0.0], [1.0, -0.0]]).tolist() == [[0, 0], [1, 0]]


def test_a_radius_beyond_every_float_is_refused() -> None:
    with pytest.raises(DataError, match="every radius must fit into float64; that of row 0"):
        PolarMap(0).fit_transform([[1.7e308, 1.7e308]])


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_the_inner_product_of_the_products_is_the_square(X: Any) -> None:
    plain = X @ X.T
    for settings_, wanted in (
        ({}, plain**2),
        ({"ordered": True}, plain**2),
        ({"inhomogeneous": True}, (plain + 1) ** 2),
    ):
        phi = QuadraticMap(**settings_).fit_transform(X)  # type: ignore[arg-type]
        np.testing.assert_allclose(phi @ phi.T, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
    np.testing.assert_allclose(QuadraticMap().fit_transform(X), [reference.quadratic(row) for row in X], rtol=1e-14)
    both = QuadraticMap(inhomogeneous=True).fit_transform(X)
    np.testing.assert_allclose(both, [reference.quadratic(row, True) for row in X], rtol=1e-14)
    ordered = QuadraticMap(ordered=True).fit_transform(X)
    np.testing.assert_allclose(ordered, [reference.ordered_products(row) for row in X], rtol=1e-14)


def test_names_of_products() -> None:
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    model = QuadraticMap(inhomogeneous=True).fit(frame)
    assert model.get_feature_names_out().tolist() == ["1", "sqrt(2) a", "sqrt(2) b", "a^2", "sqrt(2) a b", "b^2"]
    assert model.n_output_features_ == 6
    assert QuadraticMap(ordered=True).fit(frame).get_feature_names_out().tolist() == ["a^2", "a b", "b a", "b^2"]


def test_a_product_beyond_every_float_is_refused() -> None:
    with pytest.raises(DataError, match=r"every product must fit into float64; 'x0\^2' of row 1 is too large"):
        QuadraticMap().fit_transform([[1.0, 1.0], [1e200, 1.0]])


@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from([0.01, 0.3, 2.0]))
def test_similarities_agree_with_the_reference(X: Any, gamma: float) -> None:
    points = X[::-1] + 0.25
    found = RBFLandmarks(points, gamma=gamma).fit_transform(X)
    np.testing.assert_allclose(found, reference.similarities(X, points, gamma), rtol=1e-10, atol=1e-300)


def test_where_landmarks_are() -> None:
    X = np.random.default_rng(0).normal(size=(101, 2))
    np.testing.assert_array_equal(RBFLandmarks("all").fit(X).landmarks_, X)
    quantiles = RBFLandmarks("quantiles", n_landmarks=5).fit(X).landmarks_
    np.testing.assert_allclose(quantiles, np.quantile(X, [0, 0.25, 0.5, 0.75, 1], axis=0))
    drawn = RBFLandmarks(n_landmarks=7, random_state=1).fit(X).landmarks_
    assert len({tuple(row) for row in drawn} & {tuple(row) for row in X}) == 7
    np.testing.assert_array_equal(drawn, RBFLandmarks(n_landmarks=7, random_state=1).fit(X).landmarks_)
    assert RBFLandmarks(n_landmarks=500).fit(X).landmarks_.shape == X.shape


@pytest.mark.parametrize("size", [1.0, 1e-60, 1e100])
def test_the_scale_makes_the_unit_irrelevant(size: float) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    np.testing.assert_allclose(RBFLandmarks("all").fit(X).gamma_, reference.scale(X))
    found = RBFLandmarks("all").fit_transform(X * size)
    np.testing.assert_allclose(found, RBFLandmarks("all").fit_transform(X), rtol=1e-9)
    assert RBFLandmarks().fit(np.ones((3, 2))).gamma_ == 1


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (PolarMap("middle"), "center must be 'mean'"),
        (PolarMap([1, 2, 3]), "one number for all columns, or one for each; got 3 for 2"),
        (RBFLandmarks("some"), "landmarks must be 'all'"),
        (RBFLandmarks([[1.0]]), "landmarks must have the columns of X; got 1 instead of 2"),
        (RBFLandmarks(gamma=float("inf")), "gamma must be a finite number"),
        (RBFLandmarks(gamma=0), "gamma must be"),
        (RBFLandmarks(n_landmarks=0), "n_landmarks must be"),
    ],
)
def test_settings_that_are_refused(model: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        model.fit([[1.0, 2.0], [3.0, 5.0]])
