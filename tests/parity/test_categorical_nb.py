"""CategoricalNB beside scikit-learn's, on random and awkward codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB as Peer

from pellucid.naive_bayes import CategoricalNB

RNG = np.random.default_rng(5)
ROWS = 300
CODES = np.column_stack(
    [
        RNG.integers(0, 5, ROWS),
        RNG.integers(0, 2, ROWS),
        np.zeros(ROWS, dtype=int),  # constant
        RNG.choice([0, 3, 11], ROWS),  # codes that nobody has
        RNG.integers(0, 40, ROWS),
    ]
)
Y = RNG.choice(["a", "b", "c"], ROWS, p=[0.6, 0.3, 0.1])
WEIGHT = RNG.random(ROWS) * 3


def assert_alike(own: CategoricalNB, peer: Any, X: Any) -> None:
    np.testing.assert_allclose(own.class_count_, peer.class_count_, rtol=1e-12)
    np.testing.assert_allclose(own.class_log_prior_, peer.class_log_prior_, rtol=1e-12)
    np.testing.assert_array_equal(own.n_categories_, peer.n_categories_)
    for ours, theirs in zip(own.category_count_, peer.category_count_, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    for ours, theirs in zip(own.feature_log_prob_, peer.feature_log_prob_, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(own.predict_joint_log_proba(X), peer.predict_joint_log_proba(X), rtol=1e-10)
    np.testing.assert_allclose(own.predict_proba(X), peer.predict_proba(X), rtol=1e-10)
    np.testing.assert_array_equal(own.predict(X), peer.predict(X))


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"alpha": 0.3, "fit_prior": False},
        {"alpha": 1e-3, "class_prior": [0.2, 0.3, 0.5]},
        {"min_categories": 12},
        {"min_categories": [5, 3, 4, 2, 60]},
        {"alpha": 0.0, "force_alpha": False},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:alpha too small")  # the peer's, with force_alpha=False
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_the_peer_says_the_same(params: dict[str, Any], weighted: bool) -> None:
    weight = WEIGHT if weighted else None
    own, peer = CategoricalNB(**params).fit(CODES, Y, weight), Peer(**params).fit(CODES, Y, weight)
    assert_alike(own, peer, CODES)


@pytest.mark.parametrize("form", [np.int64, np.int32, np.uint8, np.float64, np.float32, np.uint64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_type_of_number_holds_codes(form: Any, order: Any) -> None:
    own = CategoricalNB().fit(np.asarray(CODES, dtype=form, order=order), Y)
    assert_alike(own, Peer().fit(CODES, Y), np.asarray(CODES, dtype=form, order=order))


def test_flags_and_a_single_row() -> None:
    X = CODES[:, :3] % 2 == 1
    assert_alike(CategoricalNB().fit(X, Y), Peer().fit(X, Y), X)
    assert_alike(CategoricalNB().fit(CODES[:1], Y[:1]), Peer().fit(CODES[:1], Y[:1]), CODES[:1])


def test_parts_are_the_peers_parts() -> None:
    own, peer = CategoricalNB(), Peer()
    for part in (slice(0, 7), slice(7, 100), slice(100, ROWS)):
        own.partial_fit(CODES[part], Y[part], ["a", "b", "c"])
        peer.partial_fit(CODES[part], Y[part], ["a", "b", "c"])
    assert_alike(own, peer, CODES)
    whole = CategoricalNB().fit(CODES, Y)
    np.testing.assert_array_equal(own.predict_proba(CODES), whole.predict_proba(CODES))
