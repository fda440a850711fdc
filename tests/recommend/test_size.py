"""Model files hold each rating once, in the narrowest form, and predict the same after they are opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid import load, save
from pellucid.data.ratings import full_form, small_form
from pellucid.recommend import ImplicitALS, ItemNeighborsRecommender, MatrixFactorization, UserNeighborsRecommender

RANDOM = np.random.default_rng(0)
N_USERS, N_ITEMS = 300, 80
RATED = RANDOM.random((N_USERS, N_ITEMS)) < 0.7
USERS, ITEMS = np.nonzero(RATED)
VALUES = np.round(RANDOM.uniform(-10, 10, len(USERS)), 1)
MODELS = [
    ItemNeighborsRecommender(center="baseline", similarity="baseline"),
    UserNeighborsRecommender(keep=20),
    MatrixFactorization(n_factors=3, max_iter=3, tol=0, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_an_opened_model_predicts_the_same(model: Any, tmp_path: Path) -> None:
    model.fit((USERS, ITEMS, VALUES))
    save(model, tmp_path / "model.pellucid")
    again = load(tmp_path / "model.pellucid")
    pairs = np.repeat(np.arange(30), N_ITEMS), np.tile(np.arange(N_ITEMS), 30)
    assert (model.predict(*pairs) == again.predict(*pairs)).all()
    assert (model.recommend(3, 5)[0] == again.recommend(3, 5)[0]).all()
    assert (model.ratings_ != again.ratings_).nnz == 0


def test_a_file_holds_three_bytes_for_a_rating(tmp_path: Path) -> None:
    model = ItemNeighborsRecommender(keep=10).fit((USERS, ITEMS, VALUES))
    save(model, tmp_path / "model.pellucid")
    assert (tmp_path / "model.pellucid").stat().st_size < 3 * len(USERS) + 40_000


@pytest.mark.parametrize(
    "values", [np.array([1.0, 5.0, 1.0, 2.5]), RANDOM.normal(size=4), np.zeros(4), np.array([0.1, 0.1, -0.0, 1e300])]
)
def test_the_small_form_loses_nothing(values: Any) -> None:
    rated = np.array([0, 1, 4]), np.array([2, 0, 1, 70_000], dtype=np.int32), values
    for one, other in zip(full_form(small_form(rated)), rated, strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_fit_after_another_forgets_the_first() -> None:
    model = ImplicitALS(n_factors=2, random_state=0).fit((USERS, ITEMS, np.abs(VALUES)))
    model.fit((["a", "a", "b"], ["x", "y", "x"], [1.0, 2.0, 1.0]))
    assert model.ratings_.shape == (2, 2)
