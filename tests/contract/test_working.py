"""Every public estimator shows its working, of its fit and its predictions, in every form, from the numbers it has."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from pellucid.base.errors import NotFittedError
from pellucid.working import Working, WorkingError

from .frame import SUBJECTS, Subject, assert_same_bits, assert_same_fit, each, fit, problem, state

# Few epochs keep the workings short.
pytestmark = pytest.mark.filterwarnings("ignore:.*tol was not reached")

RANDOM = ("stratified", "uniform", "constant")
LEARNING = [subject for subject in SUBJECTS if subject.params.get("strategy") not in RANDOM]


SPARSE = [subject for subject in SUBJECTS if subject.tags.input_tags.sparse]
# These two solvers refuse a table with more columns than rows.
TAKING_WIDE = [subject for subject in SUBJECTS if subject.params.get("solver") not in ("qr", "normal")]


def fit_shown(subject: Subject, X: Any, y: Any, weight: Any = None, **options: Any) -> Working:
    weight = weight if subject.takes_weight else None
    working = fit(brief(subject), X, y, weight).show_fit(X, y, weight, **options)
    assert isinstance(working, Working)
    return working


# Their pages have a line for every step: thousands of lines that show what the first twenty passes show.
BY_STEPS = ("GradientDescentRegressor", "Perceptron", "SGDClassifier", "SGDRegressor")


def brief(subject: Subject) -> Any:
    """The estimator, of few passes where its page is as long as they are many."""
    return shortened(subject, 20) if subject.name in BY_STEPS else subject.make()


def show_answers(subject: Subject, model: Any, X: Any, **options: Any) -> Working:
    """The working of what the model says about a table."""
    show = model.show_transform if subject.role == "transformer" else model.show_predict
    working = show(X, **options)
    assert isinstance(working, Working)
    return working


def small(subject: Subject) -> tuple[Any, Any, Any]:
    X, y, weight = problem(subject, rows=12, columns=2)
    return X, y, weight if subject.takes_weight else None


@pytest.mark.filterwarnings("ignore:.*tol was not reached")
@each()
@pytest.mark.parametrize(
    "weighted", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["plain", "weighted"]
)
def test_fit_is_shown_in_every_form(subject: Subject, weighted: bool, tmp_path: Path) -> None:
    X, y, weight = small(subject)
    working = fit_shown(subject, X, y, weight if weighted else None)
    render(working, tmp_path)
    if subject in LEARNING:
        assert any(cell.attribute for cell in working.cells.values()), "nothing is compared with the model"


@each()
def test_predictions_are_shown_in_every_form(subject: Subject, tmp_path: Path) -> None:
    X, y, _ = small(subject)
    working = show_answers(subject, fit(subject.make(), X, y), X, rows=[0, 7, -1])
    assert "7" in working.to_text()
    render(working, tmp_path)


def render(working: Working, folder: Path) -> None:
    """All five forms, each with every title of its steps in it."""
    pages = [working.to_text(), working.to_html(), working.to_markdown(), working.to_latex()]
    assert all(len(page) > 100 for page in pages)
    assert working.to_excel(folder / "working.xlsx").stat().st_size > 1000
    assert working._repr_html_()
    assert repr(working) == pages[0]


@each([subject for subject in LEARNING if subject.role in ("regressor", "classifier")])
def test_other_data_than_those_of_the_fit_are_refused(subject: Subject) -> None:
    """The formulas are worked out on the data given: they do not come out at the numbers of another fit."""
    X, y, _ = small(subject)
    model = fit(subject.make(), X, y)
    other = y[::-1].copy() if y.dtype.kind == "f" else np.where(np.arange(len(y)) < 11, y[0], y)
    other = other + np.arange(len(y)) if y.dtype.kind == "f" else other
    with pytest.raises(WorkingError, match=r"cell '\w+' must equal the model's|another \w+_\b"):
        model.show_fit(X, other)


@each()
def test_showing_changes_nothing(subject: Subject) -> None:
    X, y, weight = small(subject)
    model = fit(subject.make(), X, y, weight)
    before, table = dict(state(model)), X.copy()
    model.show_fit(X, y, weight)
    show_answers(subject, model, X)
    assert_same_bits(before, dict(state(model)))
    assert_same_bits(table, X)


@each()
def test_a_recorded_fit_has_the_same_bits(subject: Subject) -> None:
    X, y, weight = problem(subject, rows=300, columns=5)
    weight = weight if subject.takes_weight else None
    plain, recorded = fit(subject.make(), X, y, weight), subject.make()
    recorded.fit_with_history(X, y, weight)
    assert_same_fit(plain, recorded)


@each()
def test_a_frame_keeps_its_names(subject: Subject) -> None:
    X, y, _ = small(subject)
    frame = pd.DataFrame(X, columns=["arm length", "<b>&$_%"][: X.shape[1]])
    working = fit_shown(subject, frame, y)
    if subject.looks and subject.door == subject.name:
        assert "arm length" in working.to_text()
        assert "<b>" not in working.to_html()


@each(SPARSE)
def test_a_sparse_table_is_shown_like_a_dense_one(subject: Subject) -> None:
    X, y, _ = small(subject)
    sparse, dense = fit_shown(subject, scipy.sparse.csr_array(X), y), fit_shown(subject, X, y)
    assert list(sparse.cells) == list(dense.cells)
    for name, cell in dense.cells.items():
        passes = getattr(getattr(cell, "axis", None), "name", "") == "pass"  # there may be more or fewer of them
        if np.asarray(dense.value(name)).dtype.kind == "f" and not passes:
            np.testing.assert_allclose(sparse.value(name), dense.value(name), rtol=1e-6, atol=1e-9)


@each()
def test_single_precision(subject: Subject) -> None:
    X, y, _ = small(subject)
    fit_shown(subject, X.astype(np.float32), y)


@each(TAKING_WIDE)
def test_many_columns_and_few_rows(subject: Subject) -> None:
    X, y, _ = problem(subject, rows=15, columns=30)
    few = {"n_features_to_select": 3} if subject.splits and "n_features_to_select" in subject.cls._params else {}
    model = shortened(subject, 30).set_params(**few if subject.is_default else {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dependent columns, passes that do not suffice
        fit(model, X, y)
        model.show_fit(X, y).to_text()


def shortened(subject: Subject, passes: int) -> Any:
    """The estimator, with fewer passes where it makes many."""
    return subject.make(**({"max_iter": passes} if "max_iter" in subject.cls._params else {}))


@each()
def test_a_long_table_shows_its_ends_and_the_rows_asked_for(subject: Subject) -> None:
    X, y, _ = problem(subject, rows=3_000, columns=3)
    model = shortened(subject, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit(model, X, y)
        # A transformer's fit need not look at the rows; its answers do.
        of_rows = subject.role == "transformer"
        shown = model.show_transform(X, rows=[2_345]) if of_rows else model.show_fit(X, y, rows=[2_345])
        text = shown.to_text()
    assert "2346" in text
    assert len(text) < 60_000
    assert "not shown" in text


@each()
def test_an_unfitted_model_has_nothing_to_show(subject: Subject) -> None:
    X, y, _ = small(subject)
    with pytest.raises(NotFittedError):
        subject.make().show_fit(X, y)
    with pytest.raises(NotFittedError):
        show_answers(subject, subject.make(), X)
