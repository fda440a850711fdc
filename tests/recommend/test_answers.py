"""Similarities, neighbors, biases and factors against the readable reference and against mathematics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pellucid.recommend import (
    BaselineRecommender,
    ContentBasedRecommender,
    ImplicitALS,
    ItemNeighborsRecommender,
    MatrixFactorization,
    PopularItems,
    UserNeighborsRecommender,
)
from pellucid.recommend._factors import random_table as start_of
from pellucid.reference import collaborative_filtering, factorization

from .tables import BOOKS, FEATURES, random_table, triples

TABLES = [BOOKS, random_table(14, 9, 1), random_table(7, 20, 2)]


def compared(table: Any, similarity: str, over: Any, model: Any) -> Any:
    """Similarities of rows by the reference."""
    rows = table
    if similarity == "pearson" and over == "all":
        rows = collaborative_filtering.without_means(table, axis=1)
    if similarity == "adjusted_cosine":
        rows = collaborative_filtering.without_means(table, axis=0)
    if similarity == "baseline":
        both = model.mean_ + np.add.outer(model.user_bias_, model.item_bias_)
        rows = table - (both if model.of_users else both.T)
    return collaborative_filtering.similarities(rows, over, centered=similarity == "pearson" and over == "common")


@pytest.mark.parametrize("table", TABLES, ids=["books", "tall", "wide"])
@pytest.mark.parametrize("over", ["all", "common"])
@pytest.mark.parametrize("similarity", ["cosine", "adjusted_cosine", "pearson", "baseline"])
def test_similarities_are_the_reference(table: Any, similarity: Any, over: Any) -> None:
    for cls, rows in ((UserNeighborsRecommender, table), (ItemNeighborsRecommender, table.T)):
        model = cls(similarity=similarity, over=over, min_similarity=None).fit(triples(table))
        np.testing.assert_allclose(model.similarity_, compared(rows, similarity, over, model), atol=1e-12)


@pytest.mark.parametrize("table", TABLES, ids=["books", "tall", "wide"])
@pytest.mark.parametrize("centered", [False, True])
def test_predictions_are_the_reference(table: Any, centered: bool) -> None:
    settings: dict[str, Any] = {"n_neighbors": 3, "center": "mean" if centered else None, "clip": False}
    by_users = UserNeighborsRecommender(**settings).fit(triples(table))
    by_items = ItemNeighborsRecommender(**settings).fit(triples(table))
    alike, alike_items = (collaborative_filtering.similarities(rows) for rows in (table, table.T))
    for u, i in np.ndindex(*table.shape):
        for model, predict, similar, mean in (
            (by_users, collaborative_filtering.predict_by_users, alike, np.nanmean(table[u])),
            (by_items, collaborative_filtering.predict_by_items, alike_items, np.nanmean(table[:, i])),
        ):
            with np.errstate(invalid="ignore"):
                want = predict(table, u, i, similar, 3, centered)
            assert model.predict(u, i) == pytest.approx(mean if np.isnan(want) else want, abs=1e-12)


def test_few_common_ratings_weaken_a_similarity() -> None:
    table = random_table(10, 8, 3)
    plain = UserNeighborsRecommender().fit(triples(table)).similarity_
    weaker = UserNeighborsRecommender(shrinkage=4.0).fit(triples(table)).similarity_
    enough = UserNeighborsRecommender(min_overlap=3).fit(triples(table)).similarity_
    rated = (~np.isnan(table)).astype(float)
    common = rated @ rated.T
    off = ~np.eye(10, dtype=bool)
    np.testing.assert_allclose(weaker[off], (plain * common / (common + 4))[off], atol=1e-15)
    np.testing.assert_array_equal(enough[off], np.where(common >= 3, plain, 0)[off])


def test_neighbors_are_those_of_the_prediction() -> None:
    table = random_table(12, 9, 5)
    for cls in (UserNeighborsRecommender, ItemNeighborsRecommender):
        model = cls(n_neighbors=3, similarity="pearson", min_similarity=None, clip=False).fit(triples(table))
        for u, i in ((0, 4), (3, 3), (11, 0)):
            asked = model.neighbors_of(u, i)
            base = model.user_mean_[u] if cls is UserNeighborsRecommender else model.item_mean_[i]
            mean = np.sum(asked.similarities * (asked.ratings - asked.bases)) / np.abs(asked.similarities).sum()
            assert model.predict(u, i) == pytest.approx(base + mean)
            assert (np.diff(asked.similarities) <= 0).all()


def test_content_by_features() -> None:
    model = ContentBasedRecommender(n_neighbors=2).fit(triples(BOOKS), (range(6), FEATURES))
    unit = FEATURES / np.linalg.norm(FEATURES, axis=1, keepdims=True)
    np.testing.assert_allclose(model.similarity_, unit @ unit.T, atol=1e-12)
    similar = unit @ unit.T
    for u, i in np.argwhere(np.isnan(BOOKS)):
        want = collaborative_filtering.predict_by_items(BOOKS, u, i, similar, 2)
        assert model.predict(u, i) == pytest.approx(want)


def test_a_profile_is_the_features_of_what_was_liked() -> None:
    model = ContentBasedRecommender(method="profile", center="mean", clip=False).fit(
        triples(BOOKS), (range(6), FEATURES)
    )
    unit = FEATURES / np.linalg.norm(FEATURES, axis=1, keepdims=True)
    liked = np.nan_to_num(BOOKS - np.nanmean(BOOKS, axis=1, keepdims=True))
    np.testing.assert_allclose(model.user_profiles_, liked @ unit, atol=1e-12)
    profile = liked[0] @ unit
    cosine = unit @ profile / np.linalg.norm(profile)
    np.testing.assert_allclose(model.predict(0, range(6)), np.nanmean(BOOKS[0]) + np.nanstd(BOOKS[0]) * cosine)
    _, scores = model.recommend(0, exclude_seen=False)
    np.testing.assert_allclose(scores, np.sort(cosine)[::-1])


def test_items_that_nobody_rated_can_be_recommended() -> None:
    features = {"tea": ["hot", "drink"], "mate": ["hot", "drink"], "jam": ["sweet"], "cola": ["sweet", "drink"]}
    model = ContentBasedRecommender().fit([("ann", "tea", 5), ("ann", "jam", 1)], features)
    items, scores = model.recommend("ann")
    assert items.tolist() == ["mate", "cola"]
    assert scores[0] == 5
    assert model.feature_names_.tolist() == ["drink", "hot", "sweet"]


@pytest.mark.parametrize("table", TABLES, ids=["books", "tall", "wide"])
def test_biases_are_the_reference(table: Any) -> None:
    model = BaselineRecommender(reg_user=3.0, reg_item=2.0, tol=0, max_iter=12)
    with pytest.warns(UserWarning, match="still change"):
        model.fit(triples(table))
    m, users, items = factorization.biases(table, 3.0, 2.0, 12)
    assert model.mean_ == pytest.approx(m)
    np.testing.assert_allclose(model.user_bias_, users, atol=1e-12)
    np.testing.assert_allclose(model.item_bias_, items, atol=1e-12)


def test_biases_minimize_their_objective() -> None:
    table = random_table(15, 10, 7)
    model = BaselineRecommender(reg_user=2.0, reg_item=1.0, tol=1e-13, max_iter=5000).fit(triples(table))
    left = table - model.mean_ - np.add.outer(model.user_bias_, model.item_bias_)
    np.testing.assert_allclose(np.nansum(left, axis=1), 2.0 * model.user_bias_, atol=1e-10)
    np.testing.assert_allclose(np.nansum(left, axis=0), 1.0 * model.item_bias_, atol=1e-10)


@pytest.mark.parametrize("weighting", ["count", "none"])
def test_factors_are_the_reference(weighting: Any) -> None:
    table, k = random_table(11, 8, 4), 3
    size = 1 / np.sqrt(k)
    p, q = (start_of(5, side, n, k, -size, size)[:, :k] for side, n in enumerate(table.shape))
    model = MatrixFactorization(n_factors=k, reg=0.5, weighting=weighting, max_iter=6, tol=0, random_state=5)
    model.fit(triples(table))
    m, b, p, c, q = factorization.factors(table, p, q, 0.5, 6, by_count=weighting == "count")
    np.testing.assert_allclose(model.user_factors_, p, atol=1e-9)
    np.testing.assert_allclose(model.item_factors_, q, atol=1e-9)
    np.testing.assert_allclose(model.user_bias_, b, atol=1e-9)
    np.testing.assert_allclose(model.item_bias_, c, atol=1e-9)
    assert model.mean_ == pytest.approx(m)
    weights = [(~np.isnan(table)).sum(axis=axis) if weighting == "count" else 1 for axis in (1, 0)]
    want = np.nansum((table - m - np.add.outer(b, c) - p @ q.T) ** 2)
    for weight, factors, bias in zip(weights, (p, q), (b, c), strict=True):
        want += 0.5 * np.sum(weight * ((factors**2).sum(axis=1) + bias**2))
    assert model.objective_ == pytest.approx(want)


def test_implicit_factors_are_the_reference() -> None:
    counts, k = np.nan_to_num(random_table(12, 9, 6)), 3
    x, y = (start_of(2, side, n, k, 0.0, 0.01)[:, :k] for side, n in enumerate(counts.shape))
    settings: dict[str, Any] = {"n_factors": k, "reg": 0.2, "alpha": 3.0, "max_iter": 5, "random_state": 2}
    users, items = np.nonzero(counts)
    exact = ImplicitALS(**settings, solver="cholesky", dtype="float64").fit((users, items, counts[users, items]))
    sure = np.where(counts > 0, 1 + 3.0 * counts, 0)
    x, y = factorization.implicit_factors(sure, x, y, 0.2, 5)
    np.testing.assert_allclose(exact.user_factors_, x, atol=1e-9)
    np.testing.assert_allclose(exact.item_factors_, y, atol=1e-9)
    assert exact.objective_ == pytest.approx(factorization.implicit_objective(sure, x, y, 0.2))
    steps = ImplicitALS(**settings, cg_steps=30, dtype="float64").fit((users, items, counts[users, items]))
    np.testing.assert_allclose(steps.user_factors_, x, atol=1e-6)
    single = ImplicitALS(**settings, cg_steps=30).fit((users, items, counts[users, items]))
    np.testing.assert_allclose(single.user_factors_, x, atol=2e-3)


@pytest.mark.parametrize("confidence", ["linear", "log", "given"])
def test_confidences(confidence: Any) -> None:
    rows = [("a", "x", 4.0), ("b", "y", 9.0), ("b", "x", 1.0)]
    model = ImplicitALS(confidence=confidence, alpha=2.0, epsilon=0.5, n_factors=2, random_state=0).fit(rows)
    counts = np.array([[4, 0], [1, 9]], dtype=float)
    how = {"linear": 1 + 2 * counts, "log": 1 + 2 * np.log(1 + counts / 0.5), "given": 2 * counts}[confidence]
    sure = np.where(counts > 0, how, 0)
    want = factorization.implicit_objective(sure, model.user_factors_, model.item_factors_, model.reg)
    assert model.objective_ == pytest.approx(want, rel=1e-5)


def test_the_objective_falls_with_every_pass() -> None:
    table = random_table(30, 20, 8)
    for model in (MatrixFactorization(n_factors=4, random_state=1, tol=0, max_iter=15),
                  ImplicitALS(n_factors=4, random_state=1, solver="cholesky", dtype="float64")):  # fmt: skip
        record = model.fit_with_history(triples(table))
        objective = record["passes"][1][:, 1]
        assert (np.diff(objective) <= 1e-9 * objective[:-1]).all()
        assert model.objective_ == pytest.approx(objective[-1])


def test_what_is_popular() -> None:
    rows = [("a", "x", 5), ("b", "x", 4), ("a", "y", 5), ("c", "z", 1)]
    assert PopularItems().fit(rows).item_score_.tolist() == [2, 1, 1]
    assert PopularItems(by="sum").fit(rows).item_score_.tolist() == [9, 5, 1]
    mean = PopularItems(by="mean", prior=1).fit(rows)
    np.testing.assert_allclose(mean.item_score_, [(9 + 3.75) / 3, (5 + 3.75) / 2, (1 + 3.75) / 2])
    assert PopularItems().fit(rows).recommend("nobody")[0].tolist() == ["x", "y", "z"]
    assert PopularItems().fit(rows).similar_items("x")[0].tolist() == ["y"]


def test_structure_is_found_again() -> None:
    """Ratings that two factors make are predicted where they were left out."""
    rng = np.random.default_rng(0)
    whole = 3 + rng.normal(size=(80, 2)) @ rng.normal(size=(2, 50))
    known = rng.random(whole.shape) < 0.5
    users, items = np.nonzero(known)
    model = MatrixFactorization(n_factors=2, reg=1e-3, clip=False, max_iter=2000, tol=1e-5, random_state=0)
    model.fit((users, items, whole[users, items]))
    left = np.nonzero(~known)
    assert np.sqrt(np.mean((model.predict(*left) - whole[left]) ** 2)) < 0.05
    assert BaselineRecommender().fit((users, items, whole[users, items])).score((*left, whole[left])) < -0.5
