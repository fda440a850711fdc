"""A fitted model survives every way of copying it, a second fit forgets the first, and watching changes nothing."""

from __future__ import annotations

import copy
import pickle
from itertools import product
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from pellucid.base.errors import DataError, NotFittedError

from . import tables
from .frame import (
    SUBJECTS,
    Subject,
    answers,
    assert_same_bits,
    assert_same_fit,
    case,
    each,
    fit,
    learned,
    problem,
    settings,
    state,
)


def through_joblib(model: Any, folder: Path) -> Any:
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


WAYS = {
    "pickle": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "joblib": through_joblib,
    "joblib, compressed": lambda model, folder: joblib.load(joblib.dump(model, folder / "m.joblib", compress=3)[0]),
    "deepcopy": lambda model, folder: copy.deepcopy(model),
    "copy": lambda model, folder: copy.copy(model),
}


# Both ways of joblib are pickle's with arrays written beside: a sample of the estimators goes through them.
SOME = ("joblib", "joblib, compressed")


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.exhaustive] if way in SOME else []) for way in WAYS]
)
@each()
def test_a_copy_says_the_same_in_every_bit(subject: Subject, way: str, tmp_path: Path) -> None:
    frame, model = tables.pandas(problem(subject).X), learned(subject, "pandas", weighted=True)
    copied = WAYS[way](model, tmp_path)
    assert settings(copied) == settings(model)
    assert_same_bits(answers(copied, frame), answers(model, frame))
    assert_same_fit(copied, model)


@each()
def test_a_clone_has_the_parameters_and_nothing_learned(subject: Subject) -> None:
    X, y, _ = problem(subject)
    model = fit(subject.make(), X, y)
    fresh = clone(model)
    assert settings(fresh) == settings(model)
    assert not [name for name in vars(fresh) if name not in fresh.get_params()]
    assert_same_fit(fit(fresh, X, y), model)


@each()
def test_fitting_twice_gives_the_same_bits(subject: Subject) -> None:
    X, y, _ = problem(subject)
    model = fit(subject.make(), X, y)
    before = copy.deepcopy(state(model))
    assert_same_bits(state(fit(model, X, y)), before)


@each()
def test_a_second_fit_forgets_the_first(subject: Subject) -> None:
    X, y, _ = problem(subject)
    other, target, _ = problem(subject, rows=30, columns=3, seed=1)
    model = fit(subject.make(), tables.pandas(X), y)
    assert_same_fit(fit(model, other, target), fit(subject.make(), other, target))


def changes() -> list[Any]:
    """From the defaults to other settings and back; all but the first change of an estimator count as exhaustive."""
    found, seen = [], set()
    for a, b in product(SUBJECTS, SUBJECTS):
        if a.cls is b.cls and a is not b and (a.is_default or b.is_default):
            found.append(case(a, b, id=f"{a} then {b}", exhaustive=a.cls in seen))
            seen.add(a.cls)
    return found


@pytest.mark.parametrize(("first", "second"), changes())
def test_other_settings_forget_the_first_fit(first: Subject, second: Subject) -> None:
    """Nothing of the first fit is left when parameters are changed in between: no stale attribute."""
    asks_more = first.tags.target_tags.positive_only or not second.tags.target_tags.required
    X, y, _ = problem(first if asks_more else second)
    model = fit(first.make(), X, y)
    state(model)  # what is worked out when asked for is asked for
    model.set_params(**second.make().get_params())
    assert_same_fit(fit(model, X, y), fit(second.make(), X, y))


@each()
def test_a_fit_under_record_gives_the_same_bits(subject: Subject) -> None:
    X, y, weight = problem(subject)
    given = {"sample_weight": weight} if subject.takes_weight else {}
    recorded = subject.make()
    tables_of_passes = recorded.fit_with_history(X, y, **given)
    assert_same_fit(recorded, fit(subject.make(), X, y, **({"weight": weight} if given else {})))
    for name, (columns, rows) in tables_of_passes.items():
        assert isinstance(name, str)
        assert rows.shape[1] == len(columns)


class Listener:
    """A callback that only counts."""

    def __init__(self) -> None:
        self.ended = 0

    def setup(self, estimator: Any, context: Any) -> None: ...
    def teardown(self, estimator: Any, context: Any) -> None: ...
    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        self.ended += 1
        return False


@each()
def test_a_callback_that_listens_changes_no_bit(subject: Subject) -> None:
    X, y, _ = problem(subject)
    listener = Listener()
    heard = fit(subject.make().set_callbacks(listener), X, y)
    left, right = state(heard), state(fit(subject.make(), X, y))
    for name in right:
        assert_same_bits(left[name], right[name], name)
    assert listener.ended >= 1


@each([subject for subject in SUBJECTS if subject.tags.requires_fit])
def test_an_unfitted_model_says_so(subject: Subject) -> None:
    X, _, _ = problem(subject)
    model = subject.make()
    for method in ("predict", "predict_proba", "decision_function", "transform", "score_samples"):
        if hasattr(model, method):
            with pytest.raises(NotFittedError, match=f"{subject.name} instance is not fitted yet"):
                getattr(model, method)(X)


@each([subject for subject in SUBJECTS if subject.looks and subject.tags.requires_fit])
def test_a_fit_that_failed_leaves_the_model_unfitted(subject: Subject) -> None:
    X, y, _ = problem(subject)
    model = subject.make()
    with pytest.raises(DataError):
        fit(model, X.astype(complex) if subject.takes_infinity else np.full_like(X, np.inf), y)
    for method in ("predict", "predict_proba", "decision_function", "transform", "score_samples"):
        if hasattr(model, method):
            with pytest.raises(NotFittedError):
                getattr(model, method)(X)


@each([subject for subject in SUBJECTS if subject.looks])
def test_a_refit_that_failed_does_not_mix_two_tables(subject: Subject) -> None:
    """Either the first model still answers as before, or the model says that it is not fitted."""
    X, y, _ = problem(subject)
    model = fit(subject.make(), X, y)
    before = answers(model, X)
    bad = np.column_stack([X, X[:, 0]])
    bad[0, 0] = np.inf
    with pytest.raises(DataError):
        fit(model, bad.astype(complex) if subject.takes_infinity else bad, y)
    try:
        after = answers(model, X)
    except NotFittedError:
        return
    assert_same_bits(after, before)
