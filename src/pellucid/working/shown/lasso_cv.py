"""How `LassoCV` chooses its penalty: the working of `ElasticNetCV` with one mix."""

from __future__ import annotations

from typing import Any

from pellucid.working.entry import Given, shows
from pellucid.working.model import Working
from pellucid.working.shown import linear_regression
from pellucid.working.shown.elastic_net_cv import show_fit


@shows("LassoCV.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    show_fit(w, model, data, "Lasso", [1.0])


@shows("LassoCV.predict")
def predict(w: Working, model: Any, data: Given) -> None:
    linear_regression.predict(w, model, data)
    w.title = "Lasso: predictions"
