"""What every recommender promises: lists in order, the same bits on any threads, copies, scores, workings."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from pellucid import _core, all_estimators
from pellucid.base.errors import NotFittedError, ParameterError, UnknownNameError
from pellucid.recommend import BaselineRecommender, ImplicitALS, ItemNeighborsRecommender, MatrixFactorization
from pellucid.working import WorkingError

from .tables import ALL, BOOKS, FEATURES, fitted, random_table, triples

each = pytest.mark.parametrize("model", ALL, ids=repr)
GRID = np.repeat(range(6), 6), np.tile(range(6), 6)


def test_all_recommenders_are_here() -> None:
    assert {type(model).__name__ for model in ALL} == set(dict(all_estimators("recommender")))


@each
def test_recommendations_are_new_and_in_order(model: Any) -> None:
    found = fitted(clone(model), triples(BOOKS))
    for user in range(6):
        items, scores = found.recommend(user, n=4)
        assert len(set(items.tolist())) == len(items) <= 4
        assert np.isnan(BOOKS[user, items]).all()
        assert (np.diff(scores) <= 0).all()
        assert len(found.recommend(user, n=4, exclude_seen=False)[0]) >= len(items)
        if len(items):
            assert items[0] not in found.recommend(user, exclude=[items[0]])[0]


@each
def test_all_users_at_once_are_each_by_themselves(model: Any) -> None:
    found = fitted(clone(model), triples(BOOKS))
    every, scores = found.recommend_all(n=5)
    for user in range(6):
        items, own = found.recommend(user, n=5)
        n = len(items)
        assert every[user, :n].tolist() == items.tolist()
        np.testing.assert_array_equal(scores[user, :n], own)
        assert all(item is None for item in every[user, n:])
    some, _ = found.recommend_all(n=5, users=[4, 1])
    assert some.tolist() == every[[4, 1]].tolist()


@pytest.mark.parametrize("model", [m for m in ALL if getattr(m, "method", "") != "profile"], ids=repr)
def test_scores_are_predictions(model: Any) -> None:
    """But for the ends of the scale, and profiles, whose scores are cosines."""
    found = fitted(clone(model).set_params(**({"clip": False} if hasattr(model, "clip") else {})), triples(BOOKS))
    items, scores = found.recommend(2, n=6, exclude_seen=False)
    np.testing.assert_array_equal(scores, found.predict(2, items))


@each
def test_threads_change_no_bit(model: Any) -> None:
    table = random_table(300, 6, 11)
    answers = []
    for n_jobs in (1, 2, 3):
        found = fitted(clone(model).set_params(n_jobs=n_jobs), triples(table))
        answers.append([found.predict(np.repeat(range(300), 6), np.tile(range(6), 300)), found.recommend_all()[1]])
    for other in answers[1:]:
        for got, want in zip(other, answers[0], strict=True):
            assert got.tobytes() == want.tobytes()


@each
def test_copies_answer_alike(model: Any) -> None:
    found = fitted(clone(model), triples(BOOKS))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict(*GRID), found.predict(*GRID))
    assert not hasattr(clone(found), "users_")


@each
def test_a_fit_that_fails_leaves_the_model_as_it_was(model: Any) -> None:
    found = fitted(clone(model), triples(BOOKS))
    want = found.predict(*GRID)
    with pytest.raises(ValueError, match="NaN"):
        fitted(found, ([1, 2], [1, 2], [3.0, np.nan]))
    np.testing.assert_array_equal(found.predict(*GRID), want)


@each
def test_nothing_is_answered_before_a_fit(model: Any) -> None:
    asks: list[Any] = [
        lambda m: m.predict(1, 2),
        lambda m: m.recommend(1),
        lambda m: m.recommend_all(),
        lambda m: m.show_predict(1, 2),
        lambda m: m.score([(1, 2, 3)]),
    ]
    for ask in asks:
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask(clone(model))


@pytest.mark.parametrize("model", [m for m in ALL if m.iterative], ids=repr)
def test_recorded_fits_have_the_same_bits(model: Any) -> None:
    plain, told = fitted(clone(model), triples(BOOKS)), clone(model)
    record = told.fit_with_history(triples(BOOKS))
    assert len(record["passes"][1]) == plain.n_iter_
    assert told.predict(*GRID).tobytes() == plain.predict(*GRID).tobytes()


@pytest.mark.parametrize(
    "model",
    [
        MatrixFactorization(n_factors=5, max_iter=3, tol=0, n_jobs=1),
        ImplicitALS(n_factors=5, max_iter=3, n_jobs=1),
        ItemNeighborsRecommender(n_jobs=1),
    ],
    ids=repr,
)
def test_a_fit_can_be_interrupted(model: Any, interrupt_at: Callable[[int], None]) -> None:
    """Ctrl-C ends a fit in each of its parts, and leaves nothing behind."""
    ratings = triples(random_table(200, 100, 1, share=0.3))
    fitted(clone(model), ratings)
    hook_calls = _core.hook_calls()
    assert hook_calls >= 3
    for position in (1, hook_calls // 2, hook_calls):
        interrupt_at(position)
        with pytest.raises(KeyboardInterrupt):
            model.fit(ratings)
        assert not hasattr(model, "users_")


def test_scores_are_errors_or_hits() -> None:
    table = random_table(40, 15, 3)
    ratings = triples(table)
    model = BaselineRecommender().fit(ratings)
    error = model.predict(ratings[0], ratings[1]) - ratings[2]
    assert model.score(ratings) == pytest.approx(-np.sqrt(np.mean(error**2)))
    scores = cross_val_score(BaselineRecommender(), np.column_stack(ratings), cv=3)
    assert (scores < 0).all()


class Follower:
    """A callback that lets the model of each pass predict, and stops after the third."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to set up."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to take down."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to do before a pass."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> bool:
        """Notes what the model says."""
        if context.task_name != "fit":
            self.said.append(fitted_estimator.predict(*GRID))
        return len(self.said) >= 3


@pytest.mark.parametrize("model", [m for m in ALL if m.iterative], ids=repr)
def test_callbacks_follow_the_passes_and_can_stop(model: Any) -> None:
    follower = Follower()
    found = clone(model).set_callbacks(follower).fit(triples(BOOKS))
    assert found.n_iter_ == len(follower.said) == 3
    np.testing.assert_allclose(follower.said[-1], found.predict(*GRID), rtol=1e-5)


def test_hits_among_the_first() -> None:
    fit, later = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "z"), ("c", "y")], [("a", "z"), ("c", "x"), ("c", "z")]
    model = ImplicitALS(n_factors=2, random_state=0).fit(fit)
    first = {user: model.recommend(user, n=1)[0].tolist() for user in "ac"}
    want = np.mean([first["a"] == ["z"], first["c"][0] in ("x", "z")])
    assert model.score(later, k=1) == pytest.approx(want)


def test_all_faulty_parameters_are_named() -> None:
    with pytest.raises(ParameterError) as error:
        ItemNeighborsRecommender().set_params(n_neighbors=0, similarity="near").fit([(1, 2, 3)])
    assert "n_neighbors" in str(error.value)
    assert "similarity" in str(error.value)


def test_similar_items_by_factors() -> None:
    table = random_table(60, 8, 2, share=0.9)
    model = MatrixFactorization(n_factors=3, random_state=0, max_iter=200).fit(triples(table))
    items, cosine = model.similar_items(3, n=4)
    q = model.item_factors_
    want = q @ q[3] / (np.linalg.norm(q, axis=1) * np.linalg.norm(q[3]))
    np.testing.assert_allclose(cosine, np.sort(np.delete(want, 3))[::-1][:4])
    assert 3 not in items
    with pytest.raises(UnknownNameError):
        model.similar_items(99)


# ------------------------------------------------------------------------------------------------------------- workings


@each
def test_workings_have_every_form(model: Any, tmp_path: Path) -> None:
    found = fitted(clone(model), triples(BOOKS))
    more = ((range(6), FEATURES),) if "Content" in type(model).__name__ else ()
    before = pickle.dumps(found)
    asked = found.show_predict([0, 99, 1], [5, 1, 99])
    for working in (found.show_fit(triples(BOOKS), *more), found.show_predict(0, 5), asked):
        pages = [working.to_text(), working.to_html(), working.to_markdown(), working.to_latex()]
        assert all(step.title in page for page in (pages[0], pages[2]) for step in working.steps)
        assert working.to_excel(tmp_path / "w.xlsx").stat().st_size > 0
        assert any(cell.attribute for cell in working.cells.values())
    assert pickle.dumps(found) == before


@pytest.mark.parametrize("model", [m for m in ALL if "Content" not in type(m).__name__], ids=repr)
def test_a_working_needs_the_ratings_of_the_fit(model: Any) -> None:
    other = BOOKS.copy()
    other[0, 0], other[1, 0], other[3, 1] = 1.0, np.nan, np.nan
    with pytest.raises(WorkingError, match="that the model was fitted on"):
        fitted(clone(model), triples(BOOKS)).show_fit(triples(other))


def test_one_item_of_many_can_be_shown() -> None:
    model = MatrixFactorization(n_factors=2, random_state=0).fit(triples(BOOKS))
    working = model.show_fit(triples(BOOKS), item=4)
    np.testing.assert_allclose(working.value("q").ravel(), [*model.item_factors_[4], model.item_bias_[4]], atol=1e-8)
