"""Probabilities of `SVC`: sigmoids of rows held out, and classes from each two of them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import _core
from pellucid.base.errors import NotFittedError
from pellucid.reference import calibration, svc
from pellucid.svm import SVC

from .test_sparse_planes import three_groups
from .test_svm import two_groups


@settings(max_examples=60, deadline=None)
@given(
    k=st.integers(2, 8),
    rows=st.integers(1, 5),
    spread=st.sampled_from([0.1, 1.0, 5.0, 16.0]),
    seed=st.integers(0, 1000),
)
def test_coupling_is_that_of_the_reference(k: int, rows: int, spread: float, seed: int) -> None:
    z = np.random.default_rng(seed).normal(size=(rows, k * (k - 1) // 2)) * spread
    r = np.clip(1 / (1 + np.exp(-z)), 1e-7, 1 - 1e-7)
    found = _core.couple_pairs(r, k, 2)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert (found >= 0).all()
    for row, p in zip(r, found, strict=True):
        table = np.zeros((k, k))
        for value, (i, j) in zip(row, combinations(range(k), 2), strict=True):
            table[i, j], table[j, i] = value, 1 - value
        np.testing.assert_allclose(p, svc.couple(table), atol=1e-9)


def test_pairs_that_agree_give_their_classes() -> None:
    """r_ij = p_i / (p_i + p_j) of any p leads back to p."""
    p = np.array([0.5, 0.3, 0.15, 0.05])
    r = np.array([[p[i] / (p[i] + p[j]) for i, j in combinations(range(4), 2)]])
    np.testing.assert_allclose(_core.couple_pairs(r, 4, 1)[0], p, atol=1e-12)


@pytest.mark.parametrize("form", ["radial", "precomputed", "function"])
def test_the_sigmoid_is_that_of_scores_held_out(form: str) -> None:
    """The same folds, by hand: machines of four fifths, asked for the fifth, and the reference's sigmoid."""
    X, t = two_groups(60)

    def radial(a: Any, b: Any) -> Any:
        return np.exp(-0.5 * ((a[:, None] - b) ** 2).sum(axis=2))

    table = radial(X, X) if form == "precomputed" else X
    kernel: Any = {"radial": "rbf", "precomputed": "precomputed", "function": radial}[form]
    model = SVC(kernel=kernel, gamma=0.5, tol=1e-8, probability=True, random_state=3).fit(table, t)
    order = np.argsort(_core.random_uniform(3, 0, 60), kind="stable")
    held = np.empty(60)
    for part in np.array_split(order, 5):
        rest = np.setdiff1d(order, part)
        held[part] = SVC(gamma=0.5, tol=1e-8).fit(X[rest], t[rest]).decision_function(X[part])
    a, b = calibration.fit_platt(-held, t < 0)
    assert model.probA_[0] == pytest.approx(a, rel=1e-4)
    assert model.probB_[0] == pytest.approx(b, abs=1e-4)
    f = model.decision_function(table)
    np.testing.assert_allclose(model.predict_proba(table)[:, 0], calibration.sigmoid(-f, a, b), atol=1e-4)


def test_probabilities_hang_on_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = three_groups(120)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        found.append(SVC(probability=True, random_state=1).fit(X, y).predict_proba(X))
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
    assert (SVC(probability=True, random_state=2).fit(X, y).predict_proba(X) != found[0]).any()


def test_rows_that_weigh_nothing_change_nothing() -> None:
    X, y = three_groups(60)
    weight = np.where(np.arange(60) % 7 == 3, 0.0, 1.0)
    held = weight > 0
    settings: dict[str, Any] = {"gamma": 0.5, "probability": True, "random_state": 0}
    with_weights = SVC(**settings).fit(X, y, sample_weight=weight)
    without = SVC(**settings).fit(X[held], y[held], sample_weight=np.ones(held.sum()))
    np.testing.assert_allclose(with_weights.predict_proba(X), without.predict_proba(X), atol=1e-9)


def test_they_are_there_only_where_they_were_asked_for() -> None:
    X, t = two_groups()
    model = SVC().fit(X, t)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")
    model.set_params(probability=True)
    with pytest.raises(NotFittedError, match="probabilities must be asked for before fit"):
        model.predict_proba(X)


@pytest.mark.parametrize("sizes", [(1, 9), (2, 2), (1, 1, 8)])
def test_few_rows_of_a_class(sizes: tuple[int, ...]) -> None:
    """A part without one of two classes says the other; nothing fails, and probabilities add up to one."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.arange(len(y), dtype=float)[:, None]
    found = SVC(probability=True, random_state=0).fit(X, y).predict_proba(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_shown(classes: int) -> None:
    X, y = three_groups(40)
    y = np.minimum(y, classes - 1)
    model = SVC(probability=True, random_state=0).fit(X, y)
    shown, wanted = model.show_predict(X, rows=[4]), model.predict_proba(X)[4]
    if classes == 2:
        assert shown.value("first_4") == pytest.approx(wanted[0], abs=1e-7)
    else:
        r = {(i, j): shown.value(f"first_4_{m + 1}") for m, (i, j) in enumerate(combinations(range(3), 2))}
        table = np.array([[0 if i == j else r[i, j] if i < j else 1 - r[j, i] for j in range(3)] for i in range(3)])
        np.testing.assert_allclose(svc.couple(table), wanted, atol=1e-7)
