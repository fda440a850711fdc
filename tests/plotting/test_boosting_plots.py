"""Pictures of boosting: what they draw are the model's own numbers."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import ParameterError
from pellucid.ensemble import AdaBoostClassifier, AdaBoostRegressor, ensemble_error
from pellucid.plotting import ensemble_regions, majority_error, row_weights, staged_error, stump_counts

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(24, 2))
Y = np.where(X[:, 0] ** 2 + X[:, 1] > 0.5, "high", "low")
MODEL = AdaBoostClassifier(n_estimators=8).fit(X, Y)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def line(ax: Any, label: str) -> Any:
    return next(one.get_ydata() for one in ax.get_lines() if one.get_label() == label)


def test_errors_by_round_are_those_of_the_staged_scores() -> None:
    other = RANDOM.normal(size=(50, 2))
    said = np.where(other[:, 0] ** 2 + other[:, 1] > 0.5, "high", "low")
    ax = staged_error(MODEL, X, Y, other, said)
    assert line(ax, "rows fitted") == pytest.approx([1 - score for score in MODEL.staged_score(X, Y)])
    assert line(ax, "rows held out") == pytest.approx([1 - score for score in MODEL.staged_score(other, said)])
    assert line(ax, "each model alone, on its weights") == pytest.approx(MODEL.estimator_errors_)


def test_errors_of_numbers_are_one_less_r2() -> None:
    y = X[:, 0] ** 2
    model = AdaBoostRegressor(n_estimators=5, random_state=0).fit(X, y)
    assert line(staged_error(model, X, y), "rows fitted") == pytest.approx([1 - s for s in model.staged_score(X, y)])


def test_weights_of_rows() -> None:
    ax = row_weights(MODEL, X, Y)
    weights = AdaBoostClassifier(n_estimators=8).fit_with_history(X, Y)["weights"][1]
    (image,) = ax.get_images()
    order = [int(label.get_text()) for label in ax.get_yticklabels()]
    assert order == np.argsort(-weights[-1], kind="stable").tolist()
    assert 2 ** np.asarray(image.get_array()) == pytest.approx(24 * weights[:, order].T)
    crosses = line(ax, "wrong")
    assert len(crosses) == sum(int((one.predict(X) != Y).sum()) for one in MODEL.estimators_)
    drawn = AdaBoostClassifier(n_estimators=4, weighting="resample").fit(X, Y)  # no seed: the draws are the fit's own
    assert row_weights(drawn, X, Y).get_title().startswith("weights of the rows")


def test_stumps_with_counts() -> None:
    drawn = stump_counts(MODEL, X, Y)
    assert len(drawn) == 6
    for ax, stump in zip(drawn, MODEL.estimators_[:6], strict=True):
        counted = [text.get_text() for text in ax.texts if "right" in text.get_text()]
        right = sum(int(text.split("\n")[1].split(" ")[0]) for text in counted)
        assert right == int((stump.predict(X) == Y).sum())
    with pytest.raises(ParameterError, match="model must be a fitted AdaBoostClassifier of stumps"):
        stump_counts(AdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(X, Y), X, Y)


def test_regions_as_models_are_added() -> None:
    assert len(ensemble_regions(MODEL, X, Y)) > 1


def test_majority_lines() -> None:
    ax = majority_error([3, 25], error=0.35)
    assert line(ax, "25 voters") == pytest.approx(ensemble_error(25, np.linspace(0, 1, 201)))
    with pytest.raises(ParameterError, match="n_voters must be 1 to 6 numbers; got 7"):
        majority_error(range(1, 8))


def test_what_is_no_boosting_is_refused() -> None:
    class Plain:
        estimators_ = MODEL.estimators_

    with pytest.raises(ParameterError, match="staged_predict"):
        staged_error(Plain(), X, Y)
