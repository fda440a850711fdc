"""Answers by ``pellucid.preprocessing.DateTimeFeatures``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pellucid.reference import datetime_features as reference

from ..frame import Example, PathName, answers

PARTS = ("Hour", "Minute", "Year", "Month", "Day")


@answers("003-datetime-feature-extraction")
def date_and_time(example: Example, path: PathName) -> Mapping[str, Any]:
    data = example.data
    if path == "reference":
        pairs = zip(data["Date"], data["Time"], strict=True)
        times = [reference.date_and_time(day, clock) for day, clock in pairs]
        parts = {part: reference.feature(times, part.lower()) for part in PARTS}
        return {**parts, "Free passes through unchanged": data["Free"]}
    from pellucid.preprocessing import DateTimeFeatures

    split = DateTimeFeatures(features=[part.lower() for part in PARTS], pairs=[("Date", "Time")])
    found = split.set_output(transform="pandas").fit_transform(pd.DataFrame(data))
    parts = {part: found[f"Date_{part.lower()}"].to_numpy() for part in PARTS}
    return {**parts, "Free passes through unchanged": found["Free"].to_numpy()}
