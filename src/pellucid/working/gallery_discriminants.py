"""The worked example of discriminant analysis."""

from __future__ import annotations

import numpy as np

from pellucid.discriminant_analysis import LinearDiscriminantAnalysis
from pellucid.working.gallery_base import Example, cell_of, column, example, parts_of
from pellucid.working.language import count, equal, sum_, where
from pellucid.working.model import Working


@example("000-lda-univariate")
def univariate(e: Example) -> Working:
    X, y = column(e.data["X"]), np.asarray(e.data["Y"])
    model = LinearDiscriminantAnalysis(ddof=1).fit(X, y)
    w = parts_of(
        ("fit", "Fit", model.show_fit(X, y)),
        ("new", "Rows", model.show_predict(X, rows=[0, 20])),
    )
    w.intro = (
        "Two bells of one common width: their means, the pooled variance, the discriminant of each class, and the "
        "class of every row."
    )
    w.step("Accuracy", "The share of rows whose class is predicted.")
    label, predictions = cell_of(w, "fit.label"), cell_of(w, "fit.predicted")
    correct = w.cell("right", where(equal(predictions, label), 1, 0), symbol="r", label="right?")
    w.cell("accuracy", 100 * sum_(correct) / count(correct), symbol=r"\text{accuracy}", label="percent")
    return w
