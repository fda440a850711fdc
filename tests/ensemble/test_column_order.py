"""A column's place must not matter to an ensemble of trees: noise is asked as often on the left as on the right."""

from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from pellucid.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

RANDOM = np.random.default_rng(0)
X, NUMBERS = RANDOM.normal(size=(1000, 8)), RANDOM.normal(size=1000)


def asked_in_pairs(trees: list[Any]) -> np.ndarray:
    """How often each column is asked in a node of two rows, in which every column parts them."""
    asked = np.zeros(8)
    for tree in trees:
        nodes = tree.tree_
        asked += np.bincount(nodes.feature[(nodes.feature >= 0) & (nodes.n_rows == 2)], minlength=8)
    return asked


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(30, random_state=0),
        RandomForestRegressor(30, random_state=0),
        ExtraTreesRegressor(30, random_state=0),
        BaggingClassifier(n_estimators=30, random_state=0),
        BaggingRegressor(n_estimators=30, random_state=0),
        BaggingRegressor(n_estimators=30, random_state=0, bootstrap=False, max_samples=0.6),
        BaggingRegressor(make_pipeline(FunctionTransformer(), DecisionTreeRegressor()), 30, random_state=0),
    ],
    ids=["forest, classes", "forest", "extra trees", "bagging, classes", "bagging", "fewer rows", "in a pipeline"],
)
def test_equally_good_columns_are_asked_equally_often(model: Any) -> None:
    """Each of eight columns has an eighth, within five standard errors."""
    model.fit(X, NUMBERS > 0 if hasattr(model, "predict_proba") else NUMBERS)
    trees = [tree[-1] if hasattr(tree, "steps") else tree for tree in model.estimators_]
    asked = asked_in_pairs(trees)
    assert asked.sum() > 200  # enough to tell an eighth from a quarter
    assert np.abs(asked - asked.sum() / 8).max() < 5 * np.sqrt(asked.sum() / 8 * (7 / 8))


def test_a_tree_alone_and_those_of_adaboost_take_the_first() -> None:
    """Copies of one column: no seed has the later ones asked."""
    copies = np.repeat(X[:, :1], 8, axis=1)
    for seed in range(3):
        alone = DecisionTreeClassifier(random_state=seed).fit(copies, NUMBERS > 0)
        boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=5, random_state=seed)
        for tree in (alone, *boosted.fit(copies, NUMBERS > 0).estimators_):
            assert set(tree.tree_.feature.tolist()) <= {-1, 0}


def test_a_bag_in_which_nothing_is_drawn_is_its_tree() -> None:
    alone = DecisionTreeRegressor().fit(X, NUMBERS)
    for member in BaggingRegressor(n_estimators=3, bootstrap=False, random_state=0).fit(X, NUMBERS).estimators_:
        np.testing.assert_array_equal(member.tree_.feature, alone.tree_.feature)


def test_what_a_bag_draws_hangs_on_its_seed_alone() -> None:
    """The same trees on one and on two threads and after a warm start; others for another seed."""

    many, labels = np.tile(X, (5, 1)), RANDOM.normal(size=5000) > 0  # more than a bag grows on one thread

    def asked(**settings: Any) -> list[list[int]]:
        model = BaggingClassifier(n_estimators=6, **{"random_state": 0, **settings}).fit(many, labels)
        return [tree.tree_.feature.tolist() for tree in model.estimators_]

    assert asked() == asked(n_jobs=2)
    assert asked() != asked(random_state=1)
    grown = BaggingClassifier(n_estimators=2, random_state=0, warm_start=True).fit(many, labels)
    grown.set_params(n_estimators=6).fit(many, labels)
    assert [tree.tree_.feature.tolist() for tree in grown.estimators_] == asked()


def test_the_working_of_a_bag_grows_the_same_trees_again() -> None:
    few, labels = X[:60].round(1), NUMBERS[:60] > 0
    model = BaggingClassifier(n_estimators=3, random_state=0).fit(few, labels)
    shown = model.show_fit(few, labels)
    for k, tree in enumerate(model.estimators_):
        assert np.asarray(shown.cells[f"p{k + 1}"].value).tolist() == tree.predict(few).tolist()
