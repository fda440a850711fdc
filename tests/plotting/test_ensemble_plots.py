"""Pictures of ensembles: what is written and drawn is what the models say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError, NotFittedError, ParameterError
from pellucid.dummy import DummyClassifier
from pellucid.ensemble import BaggingClassifier, BaggingRegressor, StackingClassifier, VotingClassifier
from pellucid.plotting import ensemble_curve, ensemble_flow, ensemble_regions, member_votes
from pellucid.tree import DecisionTreeClassifier

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 2))
Y = np.where(X[:, 0] + X[:, 1] + RANDOM.normal(size=60) / 2 > 0, "up", "down")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_flows_of_all_kinds() -> None:
    assert words(ensemble_flow("bagging"))[:3] == ["rows", "sample 1", "model 1"]
    assert "vote or mean" in words(ensemble_flow("voting"))
    assert "weighted vote" in words(ensemble_flow("boosting"))
    assert words(ensemble_flow("boosting")).count("rows,\nnew weights") == 2
    model = BaggingClassifier(n_estimators=25)
    assert [w for w in words(ensemble_flow(model)) if w.startswith("tree")] == ["tree 1", "tree 2", "tree 3", "tree 25"]
    stack = StackingClassifier([("a", DummyClassifier()), ("b", "drop"), ("c", DecisionTreeClassifier())])
    assert words(ensemble_flow(stack)) == ["rows", "a", "c", "held-out\nanswers", "final model", "answer"]
    own: Any = pyplot.figure().add_subplot()
    assert ensemble_flow("voting", ax=own) is own
    for wrong in ("forest", DummyClassifier()):
        with pytest.raises(ParameterError, match="kind must be"):
            ensemble_flow(wrong)


def test_the_curve_ends_at_the_scores_of_the_whole() -> None:
    model = BaggingClassifier(n_estimators=30, random_state=0, oob_score=True).fit(X, Y)
    ax: Any = ensemble_curve(model, X, Y, X[:20], Y[:20], train=True)
    ends = {line.get_label(): line.get_ydata()[-1] for line in ax.lines}
    assert ends["rows fitted"] == model.score(X, Y)
    assert ends["rows held out"] == model.score(X[:20], Y[:20])
    assert ends["rows left out"] == pytest.approx(model.oob_score_)
    numbers = BaggingRegressor(n_estimators=30, random_state=0, oob_score=True).fit(X, X[:, 0])
    ends = {line.get_label(): line.get_ydata()[-1] for line in ensemble_curve(numbers, X, X[:, 0]).lines}
    assert ends["rows left out"] == pytest.approx(numbers.oob_score_)
    voting = VotingClassifier([("tree", DecisionTreeClassifier())]).fit(X, Y)
    with pytest.raises(DataError, match="there must be rows to judge by"):
        ensemble_curve(voting, X, Y)
    with pytest.raises(NotFittedError):
        ensemble_curve(BaggingClassifier(), X, Y)


def test_votes_are_the_shares_of_the_model() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = BaggingClassifier(n_estimators=12, random_state=0, max_features=1).fit(frame, Y)
    ax: Any = member_votes(model, frame, 7)
    shares = model.predict_proba(frame)[7]
    assert words(ax) == [f"{share:.2f}" for share in shares if share >= 0.06]
    assert [label.get_text() for label in ax.get_yticklabels()][-1] == "together"
    vote = VotingClassifier(
        [("no", DummyClassifier()), ("tree", DecisionTreeClassifier())], voting="soft", weights=[1, 3]
    )
    ax = member_votes(vote.fit(X, Y), X, 0)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["no (weight 1)", "tree (weight 3)", "together"]
    numbers = BaggingRegressor(n_estimators=40, random_state=0).fit(X, X[:, 0])
    ax = member_votes(numbers, X, 0)
    assert ax.lines[0].get_xdata()[0] == pytest.approx(numbers.predict(X)[0])
    with pytest.raises(DataError, match="row must be between 0 and 59"):
        member_votes(numbers, X, 60)
    with pytest.raises(ParameterError, match="names must be 40 texts"):
        member_votes(numbers, X, names=["one"])


def test_regions_of_more_and_more_models() -> None:
    model = BaggingClassifier(n_estimators=12, random_state=0).fit(X, Y)
    drawn = ensemble_regions(model, X, Y, grid=15)
    titles = [ax.get_title().splitlines() for ax in drawn]
    assert [title[0] for title in titles] == ["1 model", "3 models", "10 models", "12 models"]
    assert titles[-1][1] == f"{100 * model.score(X, Y):.3g} % right"
    first = 100 * model.estimators_[0].score(X, Y)
    assert titles[0][1] == f"{first:.3g} % right"
    with pytest.raises(ParameterError, match="n_models must be whole numbers from 1 to 12"):
        ensemble_regions(model, X, Y, [13])
    with pytest.raises(ParameterError, match="ensemble of classifiers"):
        ensemble_regions(BaggingRegressor().fit(X, X[:, 0]), X, X[:, 0])
