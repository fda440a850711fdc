"""What is said of clusters, outliers and components: the columns in which they differ, in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from typing import Any

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of, row_of, take_columns
from pellucid.preprocessing import DateTimeFeatures
from pellucid.quality.semantic_types import SemanticType, format_value
from pellucid.report.columns import Columns
from pellucid.report.outcome import Listing
from pellucid.report.page_text import is_missing, minus, percentage, short_number

LISTED_OUTLIERS = 15
UNUSUAL = 0.6  # anomaly score of an isolation forest from which on a row is called so
LISTED_COMPONENTS = 10
LEAST_DISTANCE = 0.1  # of two means, in standard deviations, that is mentioned
LEAST_DIFFERENCE = 0.03  # of two shares that is mentioned
NO_VARIANCE = 1e-9  # share of a component up to which it has none but rounding errors
MOST_VALUES = 50  # of a column, the most frequent ones
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
Meanings = Mapping[str, SemanticType]  # by the name of the column
Difference = tuple[float, str]  # how large it is, in standard deviations, and what it is
MINUS = "\N{MINUS SIGN}"  # no line breaks after it


def cluster_listing(table: Any, labels: Array, columns: Columns, meanings: Meanings) -> Listing:
    """For each cluster, the columns in which it differs most from all rows."""
    times = _times(table, columns)
    rows = []
    for label in range(int(labels.max()) + 1):
        inside = labels == label
        differences = _numbers_apart(table, inside, columns, meanings)
        differences += _words_apart(table, inside, columns.named, meanings)
        for name, parts in times.items():
            written = _words_apart(table, inside, (name,), meanings)
            differences += _time_apart(name, parts, inside, written)
        largest = sorted(differences, key=lambda difference: -difference[0])[:4]
        text = "; ".join(description for _, description in largest) or "no single mean or share differs much"
        rows.append((f"cluster {label + 1}", int(inside.sum()), round(100 * float(inside.mean()), 2), text))
    about = (
        "The columns in which each cluster differs most: means, or shares of a value, in the cluster and in all rows. "
        "The model in the file counts from 0: it predicts 0 for cluster 1."
    )
    return Listing("Clusters", about, ("cluster", "rows", "per cent", "differences"), tuple(rows))


def _numbers_apart(table: Any, inside: Array, columns: Columns, meanings: Meanings) -> list[Difference]:
    differences = []
    for name in columns.numbers:
        stored = column_of(table, name)
        values = np.asarray(stored, dtype=float)
        distance, here, mean = _apart(values, inside)
        if distance >= LEAST_DISTANCE and np.isin(values[np.isfinite(values)], (0.0, 1.0)).all():
            yes = "true" if stored.dtype == bool else "1"
            differences.append((distance, f"{name} is {yes} in {percentage(here)} (all {percentage(mean)})"))
        elif distance >= LEAST_DISTANCE:
            meaning = meanings.get(name)
            differences.append((distance, f"{name} {_mean(here, meaning)} (all {_mean(mean, meaning)})"))
    return differences


def _apart(values: Floats, inside: Array) -> tuple[float, float, float]:
    """The distance of the mean inside from that of all, in standard deviations, and both means."""
    known = np.isfinite(values)
    spread = float(values[known].std()) if known.any() else 0.0
    if not spread or not (known & inside).any():
        return 0.0, np.nan, np.nan
    here, everywhere = float(values[known & inside].mean()), float(values[known].mean())
    return abs(here - everywhere) / spread, here, everywhere


def _times(table: Any, columns: Columns) -> dict[str, dict[str, Floats]]:
    """The parts of each column of times that vary, such as its month, and its seconds since 1970."""
    found: dict[str, dict[str, Floats]] = {}
    formats = dict(columns.formats)
    for name in columns.times:
        alone, form = take_columns(table, [name]), {name: formats[name]} if name in formats else None
        for features in ("auto", ["timestamp"]):
            reader = DateTimeFeatures(features=features, columns=[name], format=form).fit(alone)
            values = np.asarray(reader.transform(alone), dtype=float)
            names = [str(one).removeprefix(f"{name}_") for one in reader.get_feature_names_out()]
            found.setdefault(name, {}).update(zip(names, values.T, strict=True))
    return found


def _time_apart(name: str, parts: dict[str, Floats], inside: Array, written: list[Difference]) -> list[Difference]:
    """The mean date, and the most different share of a day, mean of a part and share of a weekday."""
    found = [] if not written else [max(written)]
    means = {part: _apart(values, inside) for part, values in parts.items()}
    distance, *seconds = means.pop("timestamp")
    here, everywhere = (str(np.datetime64("NaT" if np.isnan(mean) else int(mean), "s"))[:10] for mean in seconds)
    if distance >= LEAST_DISTANCE and here != everywhere:
        found.append((distance, f"{name} on average {here} (all {everywhere})"))
    weekdays = _weekdays_apart(name, parts["day_of_week"], inside) if "day_of_week" in parts else []
    clock = [
        (distance, f"{part} of {name} {_mean(mean)} (all {_mean(of_all)})")
        for part, (distance, mean, of_all) in means.items()
        if part not in ("year", "day_of_week") and distance >= LEAST_DISTANCE
    ]
    return found + sorted(weekdays + clock, key=lambda difference: -difference[0])[:1]


def _weekdays_apart(name: str, numbers: Floats, inside: Array) -> list[Difference]:
    """Shares of weekdays: their numbers have no mean that says anything."""
    found = []
    for number, weekday in enumerate(WEEKDAYS):
        distance, here, everywhere = _apart((numbers == number).astype(float), inside)
        if here >= everywhere + LEAST_DIFFERENCE:
            found.append((distance, f"{name} is a {weekday} in {percentage(here)} (all {percentage(everywhere)})"))
    return found


def _mean(value: float, meaning: SemanticType | None = None) -> str:
    """Four digits, and never a power of ten where a person writes none; a mean of years without a separator.

    >>> _mean(99999.0), _mean(38.58165), _mean(-0.01234)
    ('99,999', '38.58', '−0.01234')
    >>> _mean(1998.25, SemanticType("year", ""))
    '1998'
    >>> _mean(6.99123, SemanticType("percentage", "", unit="%"))
    '6.991%'
    """
    if meaning is not None and meaning.name == "year":
        return f"{value:.0f}"
    if meaning is not None and meaning.name == "money":
        return minus(format_value(value, meaning) or "")
    if meaning is not None and meaning.name == "percentage":
        return minus(format_value(float(f"{value:.4g}"), meaning) or "")
    return short_number(round(value) if 1000 <= abs(value) < 1e12 else float(f"{value:.4g}"))


def _condition(column: str, value: str) -> str:
    return f"{column} = {value}" if value else column


def feature_name(column: str, value: str, columns: Columns) -> str:
    """The name of a column of the matrix.

    >>> columns = Columns(categories=("town",), times=("born",))
    >>> feature_name("town", "Oslo", columns), feature_name("born", "day_of_week", columns)
    ('town = Oslo', 'day of week of born')
    """
    return f"{value.replace('_', ' ')} of {column}" if value and column in columns.times else _condition(column, value)


def _words_apart(table: Any, inside: Array, names: tuple[str, ...], meanings: Meanings) -> list[Difference]:
    differences = []
    for name in names:
        meaning = meanings.get(name)
        values = np.array([_cell(value, meaning) for value in column_of(table, name)])
        written, counts = np.unique(values, return_counts=True)
        for value in written[np.argsort(-counts, kind="stable")[:MOST_VALUES]]:
            here, everywhere = float((values[inside] == value).mean()), float((values == value).mean())
            spread = np.sqrt(everywhere * (1 - everywhere)) or 1.0
            if here >= everywhere + LEAST_DIFFERENCE:
                text = f"{name} is {value} in {percentage(here)} (all {percentage(everywhere)})"
                differences.append(((here - everywhere) / spread, text))
    return differences


def outlier_listing(
    table: Any, numbers: Array, X: Floats, anomaly_scores: Floats, origins: list[str], meanings: Meanings
) -> Listing:
    """The rows with the highest anomaly scores and their extreme cells.

    ``numbers``: of the rows in the source; ``origins``: the column behind each of X.
    """
    order = np.argsort(-anomaly_scores, kind="stable")[:LISTED_OUTLIERS]
    spread = X.std(axis=0)
    z = np.abs(X[order] - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    rows = []
    for rank, row in enumerate(order.tolist()):
        cells = dict(row_of(table, row))
        far = list(dict.fromkeys(origins[j] for j in np.argsort(-z[rank], kind="stable")))[:3]
        text = "; ".join(_condition(name, _cell(cells[name], meanings.get(name))) for name in far)
        rows.append((int(numbers[row]), round(float(anomaly_scores[row]), 3), text))
    about = (
        "The rows with the highest anomaly scores; the cells named are those farthest from the mean of their feature, "
        "in standard deviations."
    )
    if anomaly_scores.max() <= UNUSUAL:
        about += f" No score is above {UNUSUAL}, so that none of these rows need be an outlier."
    return Listing("Outliers", about, ("row", "anomaly score", "cells farthest from the mean"), tuple(rows))


def _cell(value: Any, meaning: SemanticType | None = None) -> str:
    """The text of a cell, as its meaning asks for; a missing value is a word."""
    if is_missing(value):
        return "missing"
    written = format_value(value, meaning)
    if written is not None:
        return written
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return short_number(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def variance_shares(pca: Any) -> Floats:
    """The shares of the variance of all components that have some: the categories of a column add up to one, so that
    one component has none."""
    shares = np.asarray(pca.explained_variance_ratio_)
    return shares[shares > NO_VARIANCE]


def component_listings(pca: Any, names: list[str]) -> tuple[Listing, ...]:
    """The largest weights of each component; nothing where there is only one column."""
    if len(names) == 1:
        return ()
    rows = []
    for j, weights in enumerate(pca.components_[: min(LISTED_COMPONENTS, len(variance_shares(pca)))]):
        largest = np.argsort(-np.abs(weights), kind="stable")[:5]
        text = ", ".join(f"{'+' if weights[i] > 0 else MINUS}{names[i]}" for i in largest)
        rows.append((j + 1, round(100 * float(pca.explained_variance_ratio_[j]), 2), text))
    about = (
        "Each component is a weighted sum of the columns; those with the largest weights are named, with their sign."
    )
    return (Listing("Components", about, ("component", "per cent of variance", "largest weights"), tuple(rows)),)
