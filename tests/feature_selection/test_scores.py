"""Scores of columns: figures by hand, the readable references, awkward numbers, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from pellucid.base.errors import DataError, ParameterError
from pellucid.feature_selection import (
    chi2,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
    r_regression,
)
from pellucid.reference import feature_scores as reference
from pellucid.working import show


def data(seed: int, rows: int = 60) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, 4)), np.array(["a", "b", "c"])[random.integers(0, 3, rows)]


@pytest.mark.parametrize("seed", range(5))
def test_kernels_agree_with_the_references(seed: int) -> None:
    X, y = data(seed)
    target = X[:, 0] + np.arange(60) / 30
    for j in range(4):
        assert f_classif(X, y)[0][j] == pytest.approx(reference.f_classif(X[:, j], y), rel=1e-11)
        assert chi2(np.abs(X), y)[0][j] == pytest.approx(reference.chi2(np.abs(X[:, j]), y), rel=1e-11)
        assert f_regression(X, target)[0][j] == pytest.approx(reference.f_regression(X[:, j], target), rel=1e-9)
        assert r_regression(X, target)[j] == pytest.approx(reference.correlation(X[:, j], target), rel=1e-11)
        whole = np.round(X[:, j])
        found = mutual_info_classif(np.round(X), y, discrete_features=True)[j]
        assert found == pytest.approx(reference.mutual_information(whole, y), abs=1e-14)
        ross = mutual_info_classif(X, y, random_state=0)[j]
        assert ross == pytest.approx(reference.neighbor_information(X[:, j], y), abs=1e-12)
        kraskov = mutual_info_regression(X, target, random_state=0)[j]
        unit = (X[:, j] / X[:, j].std(), target / target.std())
        assert kraskov == pytest.approx(reference.plane_information(*unit), abs=1e-12)


def test_f_far_from_zero_is_that_of_exact_arithmetic() -> None:
    """Values whose squares have no digits left for their spread."""
    x = 1e8 + np.random.default_rng(0).integers(0, 1000, size=300) / 512
    y = np.arange(300) % 3
    groups = [[Fraction(v) for v in x[y == k]] for k in range(3)]
    means = [sum(g) / len(g) for g in groups]
    mean = sum(map(sum, groups)) / 300
    between = sum(len(g) * (m - mean) ** 2 for g, m in zip(groups, means, strict=True)) / 2
    within = sum((v - m) ** 2 for g, m in zip(groups, means, strict=True) for v in g) / 297
    assert f_classif(x[:, None], y)[0][0] == pytest.approx(float(between / within), rel=1e-7)


@pytest.mark.parametrize("power", [-200, -100, 100, 150])
def test_f_does_not_depend_on_the_unit(power: int) -> None:
    X, y = data(1)
    np.testing.assert_allclose(f_classif(X * 2.0**power, y)[0], f_classif(X, y)[0], rtol=1e-10)
    np.testing.assert_allclose(f_classif(X * 2.0 ** (4 * power), y)[0], f_classif(X, y)[0], rtol=1e-10)
    target = X.sum(axis=1)
    np.testing.assert_allclose(r_regression(X * 2.0 ** (4 * power), target), r_regression(X, target), rtol=1e-10)


def test_f_of_columns_that_do_not_vary() -> None:
    X = np.array([[1.0, 5.0], [1.0, 5.0], [2.0, 5.0], [2.0, 5.0]])
    with pytest.warns(UserWarning, match="Column 'x1' is constant; F is not defined"):
        statistic, p = f_classif(X, [0, 0, 1, 1])
    assert statistic[0] == np.inf
    assert np.isnan(statistic[1])
    assert p[0] == 0


@pytest.mark.parametrize("threads", [1, 3])
def test_many_classes_and_many_columns(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.feature_selection.scores.effective_threads", lambda *_: threads)
    random = np.random.default_rng(0)
    X, y = random.poisson(2.0, size=(9000, 70)).astype(float), random.integers(0, 200, size=9000)
    observed = np.array([X[y == k].sum(axis=0) for k in range(200)])
    expected = np.outer(np.bincount(y) / 9000, X.sum(axis=0))
    np.testing.assert_allclose(chi2(X, y)[0], ((observed - expected) ** 2 / expected).sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(chi2(sp.csr_array(X), y)[0], chi2(X, y)[0], rtol=1e-12)


def test_the_information_of_a_fair_coin_is_ln_2() -> None:
    x = np.tile([0, 1], 50)
    assert mutual_info_classif(x[:, None], x, discrete_features=True)[0] == pytest.approx(np.log(2))
    assert mutual_info_classif(x[:, None], x, method="binned", n_bins=2)[0] == pytest.approx(np.log(2))
    assert mutual_info_regression(x[:, None], x.astype(float), method="binned", n_bins=2)[0] == pytest.approx(np.log(2))


def test_the_information_of_two_normal_columns() -> None:
    """For correlation r it is -ln(1 - r²) / 2; the estimate comes near with many rows."""
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 20_000))
    r = 0.8
    y = r * a + np.sqrt(1 - r * r) * b
    assert mutual_info_regression(a[:, None], y, random_state=0)[0] == pytest.approx(-np.log(1 - r * r) / 2, abs=0.02)
    assert mutual_info_regression(b[:, None], a, random_state=0)[0] == pytest.approx(0, abs=0.02)


def test_a_circle_is_seen_by_information_and_not_by_correlation() -> None:
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 2000)
    X, y = np.cos(angle)[:, None], np.sin(angle)
    assert abs(r_regression(X, y)[0]) < 0.05
    assert mutual_info_regression(X, y, random_state=0)[0] > 1


def test_repeated_values_and_lonely_classes() -> None:
    X = np.array([[1.0], [1], [1], [2], [2], [2], [9]])
    assert mutual_info_classif(X, ["a", "a", "a", "b", "b", "b", "c"], random_state=0)[0] > 0.4
    assert mutual_info_classif(X, list("abcdefg"), random_state=0).tolist() == [0.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: chi2([[-1.0], [2.0]], [0, 1]), "chi2: Input X must be non-negative; column 'x0' goes down to -1"),
        (lambda: chi2([[1.0], [2.0]], [1, 1]), "y must have two classes or more; all 2 rows"),
        (lambda: f_classif([[1.0], [2.0]], [0, 1]), "there must be more rows than classes"),
        (lambda: f_classif([[1.0], [np.nan]], [0, 1]), "f_classif: X must have no missing values"),
        (lambda: f_classif([[1.0], [2.0]], [0.0, np.nan]), r"Input y contains NaN; row 1"),
        (lambda: f_regression([[1.0], [2.0]], ["a", "b"]), "y must hold numbers"),
        (lambda: f_regression([[1.0], [2.0]], [1.0]), "X and y must have the same number of rows"),
        (lambda: mutual_info_regression(sp.eye_array(4).tocsr(), [1.0, 2, 3, 4], discrete_features=False), "Sparse"),
        (lambda: mutual_info_regression(np.eye(3), [1.0, 2, 3]), "Expected n_neighbors < n_samples"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        call()


@pytest.mark.parametrize("options", [{"n_neighbors": 0}, {"method": "fast"}, {"discrete_features": [9]}, {"n_bins": 0}])
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"mutual_info_classif: {next(iter(options))} must be"):
        mutual_info_classif(np.eye(5), [0, 1, 0, 1, 0], **options)


# ------------------------------------------------------------------------------------------------------------- workings


def test_chi2_shows_observed_and_expected() -> None:
    w = show(chi2, [[2], [1], [1], [0]], ["a", "a", "b", "b"])
    assert w.value("O").tolist() == [3.0, 1.0]
    assert w.value("E").tolist() == [2.0, 2.0]
    assert w.value("chi2") == 1.0
    assert w.value("p") == pytest.approx(0.31731, abs=1e-5)


def test_f_shows_its_sums_of_squares() -> None:
    w = show(f_classif, [[1], [3], [5], [7]], ["a", "a", "b", "b"])
    assert [w.value(name) for name in ("SSB", "SSW", "F")] == [16.0, 4.0, 8.0]


def test_the_others_are_shown_too() -> None:
    X, y = data(0, rows=12)
    target = X[:, 0] + np.arange(12)
    for w in (
        show(r_regression, X, target),
        show(f_regression, X, target, center=False),
        show(mutual_info_classif, np.round(X), y, discrete_features=True),
        show(mutual_info_classif, X, y, random_state=0),
        show(mutual_info_regression, X, target, method="binned", n_bins=3),
    ):
        assert len(w.to_html()) > 1000
        assert any(cell.attribute for cell in w.cells.values())
