"""Workings of CHAID trees and of pruning, for the spreadsheets that LibreOffice works out again."""

from __future__ import annotations

import numpy as np

from pellucid import tree
from pellucid.working import Working, show

RNG = np.random.default_rng(8)
X = np.column_stack([RNG.integers(0, 4, 60), RNG.integers(0, 9, 60)]).astype(float)
X[::9, 1] = np.nan
NUMBERS = (X[:, 0] + 0.3 * np.nan_to_num(X[:, 1]) + RNG.normal(size=60)).round(3)
LABELS = np.array(["low", "middle", "high"])[np.digitize(NUMBERS, [1.5, 3.0])]
WEIGHT = RNG.integers(1, 4, 60).astype(float)


def made() -> dict[str, Working]:
    """One working of each kind."""
    found = {}
    for name, settings in {
        "chi-square": {"alpha_merge": 0.3},
        "likelihood ratio": {"statistic": "likelihood_ratio", "exhaustive": True},
        "parted again": {"alpha_merge": 0.5, "alpha_split_merged": 0.2},
    }.items():
        classes = tree.CHAIDClassifier(categorical_features=[0], **settings).fit(X, LABELS, WEIGHT)
        found[f"CHAIDClassifier {name}"] = classes.show_fit(X, LABELS, WEIGHT)
    numbers = tree.CHAIDRegressor(categorical_features=[0]).fit(X, NUMBERS)
    found["CHAIDRegressor"] = numbers.show_fit(X, NUMBERS)
    found["CHAIDRegressor predict"] = numbers.show_predict(X, rows=[0, 1])
    filled, other = np.nan_to_num(X[:40], nan=-1.0), np.nan_to_num(X[40:], nan=-1.0)
    grown = tree.DecisionTreeClassifier().fit(filled, LABELS[:40])
    held_out = (other, LABELS[40:])
    found["reduced_error_pruning"] = show(tree.reduced_error_pruning, grown, *held_out)
    found["not worse"] = show(tree.reduced_error_pruning, grown, *held_out, order="bottom_up", keep_if="not_worse")
    regression = tree.DecisionTreeRegressor().fit(filled, NUMBERS[:40])
    found["squared errors"] = show(tree.reduced_error_pruning, regression, other, NUMBERS[40:])
    found["cost_complexity_pruning"] = show(tree.cost_complexity_pruning, grown, 0.02)
    found["chosen strength"] = show(tree.cost_complexity_pruning, grown, None, *held_out)
    found["majority_leaf_pruning"] = show(tree.majority_leaf_pruning, grown, 0)
    found["majority of rows"] = show(tree.majority_leaf_pruning, grown, [0], count_of="rows")
    found["accuracy_by_nodes"] = show(tree.accuracy_by_nodes, grown, filled, LABELS[:40], *held_out)
    found["instability"] = show(tree.instability, tree.DecisionTreeClassifier(max_depth=2), filled, LABELS[:40])
    return found
