"""ID3: the gain of every column at a node, the column that is asked, and the way of a row."""

from __future__ import annotations

from typing import Any

from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown._multiway_fit import show_fit
from pellucid.working.shown._multiway_node import Judge
from pellucid.working.shown._tree import predictions


@shows("ID3Classifier.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "ID3: how a node is split"
    show_fit(w, model, data, Judge(min_gain=float(model.min_gain) - 1e-9))


@shows("ID3Classifier.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    w.title = "ID3: predictions"
    w.intro = (
        "A row is asked from the root down, one column at a time. It ends in a leaf, or at a node that asks for a "
        "value it lacks, and gets the classes of the rows of the fit there."
    )
    predictions(w, model, data)
