"""Where in the workings of encoders each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("003-one-hot-car-color")
def car_color(w: Working, e: Example) -> Mapping[str, Any]:
    table = np.column_stack([w.value(f"z_1_{k + 1}") for k in range(len(e.settings["categories"]))])
    return {"one-hot matrix, rows x categories": table, "one-hot row 2 (rot)": table[1]}


@reads("004-catboost-ordered-target-statistics")
def ordered_statistics(w: Working, e: Example) -> Mapping[str, Any]:
    asked = ("Apple", "Orange", "Banana")
    categories = w.value("plain.c_1").tolist()
    places = [categories.index(one) for one in asked]
    return {
        "plain target mean: Apple, Orange, Banana": w.value("plain.e_1")[places],
        "plain target encoding by row": w.value("by_row.z_1"),
        "current count (target sum over earlier rows of the category)": w.value("ordered.S_1"),
        "total feature count (earlier rows of the category)": w.value("ordered.N_1"),
        "ordered target statistic by row": w.value("ordered.v_1"),
        "value a new (test) row gets: whole-data statistic Apple, Orange, Banana": w.value("ordered.e_1")[places],
        "mean of the target (the usual prior)": w.value("ordered.mean"),
    }


@reads("003-datetime-feature-extraction")
def date_and_time(w: Working, e: Example) -> Mapping[str, Any]:
    parts = {part: w.value(f"{part.lower()}_2") for part in ("Hour", "Minute", "Year", "Month", "Day")}
    return {**parts, "Free passes through unchanged": w.value("x_1")}
