"""Worked examples about columns made ready: categories, the target's mean in them, dates and times."""

from __future__ import annotations

import numpy as np

from pellucid.base.types import Array
from pellucid.preprocessing import DateTimeFeatures, OneHotEncoder, OrderedTargetEncoder, TargetEncoder
from pellucid.working.gallery_base import Example, example, parts_of
from pellucid.working.model import Working


def words(*columns: list[str]) -> Array:
    """Columns of text side by side."""
    return np.array(columns, dtype=object).T


@example("003-one-hot-car-color")
def car_color(e: Example) -> Working:
    X = words(e.data["Color"])
    encoder = OneHotEncoder(categories=[e.settings["categories"]], sparse_output=False)
    return encoder.fit(X).show_transform(X)  # type: ignore[no-any-return]


@example("004-catboost-ordered-target-statistics")
def ordered_statistics(e: Example) -> Working:
    X, y = words(e.data["fruit"]), e.data["target"]
    ordered = OrderedTargetEncoder(prior=e.settings["prior_p"], prior_weight=e.settings["alpha"], order="given")
    plain = TargetEncoder(smooth=0).fit(X, y)
    return parts_of(
        ("plain", "Plain mean", plain.show_fit(X, y)),
        ("by_row", "Plain mean by row", plain.show_transform(X)),
        ("ordered", "Ordered", ordered.fit(X, y).show_fit(X, y)),
    )


@example("003-datetime-feature-extraction")
def date_and_time(e: Example) -> Working:
    X = np.column_stack([np.array(e.data["Free"], dtype=object), words(e.data["Date"], e.data["Time"])])
    split = DateTimeFeatures(features=["hour", "minute", "year", "month", "day"], pairs=[(1, 2)])
    return split.fit(X).show_transform(X)  # type: ignore[no-any-return]
