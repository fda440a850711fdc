"""Extremely randomized trees are shown as other forests are."""

from __future__ import annotations

from pellucid.working.entry import shows
from pellucid.working.shown import random_forest

shows("ExtraTreesClassifier.fit", "ExtraTreesRegressor.fit")(random_forest.fit)
shows("ExtraTreesClassifier.predict", "ExtraTreesRegressor.predict")(random_forest.predict)
