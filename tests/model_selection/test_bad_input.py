"""What cannot be scored is refused in a sentence that names the function; what can be is scored."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer_names as their_names

from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.dummy import DummyClassifier
from pellucid.linear_model import LinearRegression
from pellucid.metrics import get_scorer_names
from pellucid.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    compare,
    cross_val_predict,
    cross_validate,
    diagnose,
    largest_errors,
    learning_curve,
    nested_cross_validate,
    validation_curve,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((20, 2))
y = X @ [1.0, 2.0] + 0.1 * RNG.standard_normal(20)


def only_setting(model: Any) -> dict[str, list[Any]]:
    name, value = next(iter(model.get_params().items()))
    return {name: [value, value]}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cross_validate": cross_validate,
    "compare": lambda model, *data, **more: compare([model], *data, **more),
    "diagnose": diagnose,
    "learning_curve": lambda *data, **more: learning_curve(*data, train_sizes=[0.5, 1.0], **more),
    "validation_curve": lambda model, *data, **more: validation_curve(
        model, *data, param_name=next(iter(only_setting(model))), param_range=[None], **more
    ),
    "cross_val_predict": cross_val_predict,
    "largest_errors": largest_errors,
    "nested_cross_validate": lambda model, *data, **more: nested_cross_validate(
        GridSearchCV(model, only_setting(model)), *data, **more
    ),
}
SCORED = [name for name in FUNCTIONS if name not in ("cross_val_predict", "largest_errors")]
every = pytest.mark.parametrize("name", FUNCTIONS)
scored = pytest.mark.parametrize("name", SCORED)


@every
@pytest.mark.parametrize(
    ("table", "target", "says"),
    [
        (np.empty((0, 2)), np.empty(0), "it has none"),
        (np.ones((1, 2)), np.ones(1), "n_samples=1"),
        (np.ones((10, 2)), np.ones(9), r"\[10, 9\]"),
    ],
    ids=["no rows", "one row", "lengths"],
)
def test_rows_that_cannot_be_split(name: str, table: Any, target: Any, says: str) -> None:
    with pytest.raises(DataError, match=f"^{name}: .*{says}"):
        FUNCTIONS[name](LinearRegression(), table, target)


@every
def test_more_folds_than_rows_of_any_class(name: str) -> None:
    with pytest.raises(DataError, match=f"^{name}: .*members in each class"):
        FUNCTIONS[name](DummyClassifier(), RNG.random((2000, 1)), np.arange(2000) % 1000)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "nested_cross_validate"])
def test_a_thousand_classes(name: str) -> None:
    labels = np.arange(3000) % 1000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert FUNCTIONS[name](DummyClassifier(), np.ones((3000, 1)), labels, cv=3) is not None


@every
@pytest.mark.parametrize("model", ["a name", LinearRegression], ids=["text", "class"])
def test_what_is_no_estimator(name: str, model: Any) -> None:
    if name in ("validation_curve", "nested_cross_validate"):
        name = "learning_curve"  # here these two look at the model's parameters before
    with pytest.raises(ParameterError, match="estimator"):
        FUNCTIONS[name](model, X, y)


@scored
def test_scores_by_a_name_that_is_not_there(name: str) -> None:
    with pytest.raises(ParameterError, match=r"scoring must be a name or a function; got 'nope'"):
        FUNCTIONS[name](LinearRegression(), X, y, scoring="nope")


@pytest.mark.parametrize("name", ["compare", "diagnose"])
def test_scores_that_are_not_numbers(name: str) -> None:
    with pytest.raises(DataError, match="finite numbers"):
        FUNCTIONS[name](LinearRegression(), X, y, scoring=lambda model, X, y: float("nan"))
    with pytest.raises(ParameterError, match="must be a number; got 'good'"):
        FUNCTIONS[name](LinearRegression(), X, y, scoring=lambda model, X, y: "good")


def test_a_table_that_cannot_be_fitted_says_why() -> None:
    with pytest.raises(DataError, match=r"no fold could be fitted.*X must have no missing values"):
        cross_validate(LinearRegression(), np.full((10, 2), np.nan), np.ones(10))
    with pytest.raises(ValueError, match=r"(?s)fits failed.*X must have no missing values"):
        validation_curve(
            LinearRegression(), np.full((10, 2), np.nan), np.ones(10), param_name="positive", param_range=[True, False]
        )


@pytest.mark.filterwarnings("ignore:cross_val_predict. a fold has no training row of label '[ab]'")
def test_a_class_that_a_fold_has_not_seen() -> None:
    labels = np.array(["a"] * 9 + ["b"] * 10 + ["c"])
    folds = [(np.arange(0, 19), np.array([19])), (np.array([19, *range(9, 19)]), np.arange(0, 9))]
    folds.append((np.array([*range(9), 19]), np.arange(9, 19)))
    with pytest.warns(PellucidWarning, match="no training row of label 'c'"):
        found = cross_val_predict(LogisticRegression(), X, labels, cv=folds, method="predict_proba")
    assert found.shape == (20, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found[19, 2], found[0, 0], found[9, 1]) == (0.0, 0.0, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        worst = largest_errors(LogisticRegression(), X, labels, n=20, cv=folds)
    assert set(worst.rows[worst.errors == 1.0]) == set(range(20))  # no true class was ever seen


def test_rare_classes_are_told_apart_from_failures() -> None:
    labels = np.array([0] * 18 + [1] * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cross_validate(LogisticRegression(), X, labels, cv=StratifiedKFold(2), scoring="roc_auc")
    assert np.isfinite(found["test_score"]).all()


def test_learning_curves_of_few_rows() -> None:
    with pytest.raises(ParameterError, match=r"every size must have a row; 0\.1 of 4 training rows is none"):
        learning_curve(LinearRegression(), X[:5], y[:5])


def test_every_name_of_a_score_is_scikit_learns_or_said_to_be_ours() -> None:
    assert set(get_scorer_names()) - set(their_names()) == {"specificity"}


@pytest.mark.parametrize("scoring", get_scorer_names())
def test_every_score_by_name_is_its_metric(scoring: str) -> None:
    from sklearn.metrics import get_scorer as theirs

    from pellucid.metrics import get_scorer

    labels = np.digitize(y, np.quantile(y, [0.3, 0.7]))
    if scoring in ("roc_auc", "average_precision", "specificity") or scoring in (
        "f1",
        "precision",
        "recall",
        "jaccard",
    ):
        labels = (y > 0).astype(int)
    if "brier" in scoring:
        labels = (y > 0).astype(int)
    numeric = any(word in scoring for word in ("squared", "absolute", "r2", "variance", "max_error", "deviance"))
    target = np.abs(y) + 1 if numeric else labels
    model = (LinearRegression() if numeric else LogisticRegression()).fit(np.abs(X), target)
    ours = get_scorer(scoring)(model, np.abs(X), target)
    if scoring == "specificity":
        predicted = model.predict(np.abs(X))
        expected = float(np.mean(predicted[target == 0] == 0))
    else:
        expected = theirs(scoring)(model, np.abs(X), target)
    assert ours == pytest.approx(expected, rel=1e-9, abs=1e-12)
