"""Answers by the target encoders of ``pellucid.preprocessing``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import target_encoding as reference

from ..frame import Example, PathName, answers

FRUIT = ("Apple", "Orange", "Banana")


@answers("004-catboost-ordered-target-statistics")
def ordered(example: Example, path: PathName) -> Mapping[str, Any]:
    fruit, target = example.data["fruit"], example.data["target"]
    prior, weight = example.settings["prior_p"], example.settings["alpha"]
    sums, counts, statistic = reference.ordered(fruit, target, prior, weight)
    if path == "reference":
        plain = reference.encodings(fruit, target, smooth=0)
        later = reference.of_all_rows(fruit, target, prior, weight)
        mean = float(np.mean(target))
        by_row = reference.encode(fruit, plain, mean)
        means, new = ([found[one] for one in FRUIT] for found in (plain, later))
    else:
        from pellucid.preprocessing import OrderedTargetEncoder, TargetEncoder

        X, ask = (np.array(column, dtype=object)[:, None] for column in (fruit, FRUIT))
        leaky = TargetEncoder(smooth=0).fit(X, target)
        encoder = OrderedTargetEncoder(prior=prior, prior_weight=weight, order="given")
        statistic = encoder.fit_transform(X, target)[:, 0]
        # With priors 0 and 1 the statistic is  S / (N + a)  and  (S + a) / (N + a):  both follow from the two.
        low, high = (
            OrderedTargetEncoder(prior=p, prior_weight=weight, order="given").fit_transform(X, target)[:, 0]
            for p in (0, 1)
        )
        counts = weight / (high - low) - weight
        sums = low * (counts + weight)
        means, by_row, new = leaky.transform(ask)[:, 0], leaky.transform(X)[:, 0], encoder.transform(ask)[:, 0]
        mean = encoder.target_mean_
    return {
        "plain target mean: Apple, Orange, Banana": means,
        "plain target encoding by row": by_row,
        "current count (target sum over earlier rows of the category)": np.round(sums, 12),
        "total feature count (earlier rows of the category)": np.round(counts, 12),
        "ordered target statistic by row": statistic,
        "value a new (test) row gets: whole-data statistic Apple, Orange, Banana": new,
        "mean of the target (the usual prior)": mean,
    }
