"""How the lasso gets its numbers: the elastic net's working, without a price on squares."""

from __future__ import annotations

from typing import Any

from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown import linear_regression
from pellucid.working.shown.elastic_net import show_fit


@shows("Lasso.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    show_fit(w, model, data, "Lasso", float(model.alpha), 1.0)


@shows("Lasso.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    linear_regression.predict(w, model, data)
    w.title = "Lasso: predictions"
