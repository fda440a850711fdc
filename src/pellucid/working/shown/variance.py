"""The variance of each column, and whether it is enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.working.entry import Given, shows
from pellucid.working.language import count, max_, min_, sum_, where
from pellucid.working.model import Working
from pellucid.working.shown._selector import MOST_COLUMNS
from pellucid.working.shown.scaling import Column


@shows("VarianceThreshold.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Columns that vary"
    w.intro = "A column stays if its variance is above a threshold."
    w.step("Threshold", "What a variance must be above.")
    bar = w.given("threshold", float(model.threshold), symbol="t", label="threshold")
    for j in range(min(len(data.names), MOST_COLUMNS)):
        c = Column(w, data, j)
        if c.empty:
            w.note(f"Column {c.name} has no values: it has no variance and is left out.")
            continue
        n = c.cell("n", count(c.x), "n", "number of values")
        mean = c.cell("mean", sum_(c.x) / n, "m", "mean")
        square = c.cell("q", (c.x - mean) ** 2, "q", "squared distance from the mean")
        variance = c.cell("variance", sum_(square) / n, "v", "variance")
        whole = not np.isnan(data.X[:, j]).any()
        size = c.size**2 or 1.0
        spread = c.cell("range", max_(c.x) - min_(c.x), "r", "largest less smallest value")
        if model.threshold == 0 and whole:
            formula = where(spread < variance, spread, variance)
        else:
            formula = where(spread > 0, variance, 0)
        v = w.cell(
            f"compared{c.tag}", formula, symbol=f"u{c.mark}", label="what is compared with the threshold",
            equals=model.variances_[j], attribute=f"variances_[{j}]", scale=size * 1e-4,
        )  # fmt: skip
        c.cell("stays", where(v > bar, 1, 0), "s", "stays: 1 for yes", model.get_support().astype(float), "support")
    if len(data.names) > MOST_COLUMNS:
        w.note(f"The last {len(data.names) - MOST_COLUMNS} columns are not shown.")
