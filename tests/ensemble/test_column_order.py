"""A column's place must not matter to a forest: noise is asked as often on the left as on the right."""

import numpy as np
import pytest

from pellucid.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor, ExtraTreesRegressor])
def test_equally_good_columns_are_asked_equally_often(cls: type) -> None:
    """In a node of two rows every column parts them: each of eight has an eighth, within five standard errors."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(1000, 8)), random.normal(size=1000)
    model = cls(30, random_state=0).fit(X, y > 0 if cls is RandomForestClassifier else y)
    asked = np.zeros(8)
    for tree in model.estimators_:
        nodes = tree.tree_
        asked += np.bincount(nodes.feature[(nodes.feature >= 0) & (nodes.n_rows == 2)], minlength=8)
    spread = np.sqrt(asked.sum() / 8 * (7 / 8))
    assert np.abs(asked - asked.sum() / 8).max() < 5 * spread
