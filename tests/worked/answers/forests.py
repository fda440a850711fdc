"""Random forests: how many columns a split looks at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.ensemble import RandomForestClassifier
from pellucid.reference import random_forest

from ..frame import Example, PathName, answers


@answers("000-random-forest-max-features")
def columns_of_a_split(example: Example, path: PathName) -> Mapping[str, Any]:
    (p,) = example.data["p"]
    if path == "reference":
        return {"m for classification with p=25": random_forest.columns_of_split(p, "sqrt")}
    model = RandomForestClassifier(n_estimators=1).fit(np.arange(2 * p).reshape(2, p), ["a", "b"])
    return {"m for classification with p=25": model.max_features_}
