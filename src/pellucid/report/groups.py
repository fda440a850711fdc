"""A table without a target: components, groups and outliers of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from pellucid.base.errors import DataError, count, sentence
from pellucid.base.types import Array, Floats
from pellucid.cluster import DistortionCurve, KMeans, distortion_curve
from pellucid.data.slices import column_of, n_rows_of, names_of, row_of, take_columns, with_columns
from pellucid.decomposition import PCA
from pellucid.outliers import IsolationForest
from pellucid.quality import Findings, Profile, check, profile
from pellucid.quality.semantic_types import SemanticType, format_value
from pellucid.report.charts_plots import Bar, Line, bars, lines_chart, scatter
from pellucid.report.cleaning import cleaning_steps, report_cleaner
from pellucid.report.columns import Columns, columns_of, origin, preparation, roles_of
from pellucid.report.outcome import Listing, Outcome, Picture, Task
from pellucid.report.page_text import is_missing, minus, short_number
from pellucid.report.race import Tell
from pellucid.report.reading import Taken, example_rows
from pellucid.report.script import groups_script

LEAST_ROWS = 20
SAMPLE = 20_000  # rows on which numbers of groups are tried
JUDGED = 2_000  # rows whose silhouettes are measured
SHOWN = 600  # points of the map
MOST_GROUPS = 8
STRANGE = 15  # outliers that are listed
COMPONENTS = 10
CHANCE_ROWS, CHANCE_DRAWS = 500, 5  # rows without groups that are drawn for comparison, and how often
CHANCE_MARGIN = 0.01  # of silhouettes
Meanings = Mapping[str, SemanticType]  # by the name of the column
MINUS = "\N{MINUS SIGN}"  # no line breaks after it


def find_groups(taken: Taken, described: Profile, task: Task, wish: Any, tell: Tell) -> Outcome:
    """Components, groups and outliers, with what sets each group apart."""
    if n_rows_of(taken.table) < LEAST_ROWS:
        found = f"got {n_rows_of(taken.table)}"
        raise DataError(sentence("report", f"there must be at least {LEAST_ROWS} rows to look for groups", found))
    tell("checking and cleaning", 0.05)
    findings = check(taken.table)
    odd = Findings([*taken.findings, *findings], n_rows_of(taken.table), names_of(taken.table))
    cleaner = report_cleaner(taken.table, None, findings)
    cleaned = cleaner.clean(taken.table)
    again = profile(cleaned.table, associations=False) if len(cleaned.log) else described
    roles = roles_of(again, None, wish.drop)
    columns = columns_of(roles, again)
    columns = replace(columns, texts=(), gaps=())  # words, and gaps, tell no distance
    if not columns.used:
        raise DataError(sentence("report", "there must be columns to compare rows by", "every column was left out"))
    table = take_columns(cleaned.table, columns.used)
    prepare = preparation(columns, "matrix").fit(table)
    X = np.asarray(prepare.transform(table), dtype=np.float64)
    tell("looking for components", 0.2)
    pca = PCA(random_state=wish.seed).fit(X)
    tell("looking for groups", 0.35)
    random = np.random.RandomState(wish.seed)
    rows = np.sort(random.permutation(len(X))[:SAMPLE])
    curve, silhouettes = _curve(X[rows], wish.seed)
    k = int(curve.k[int(np.nanargmax(silhouettes))])
    model = make_pipeline(prepare, KMeans(k, n_init=10, random_state=wish.seed)).fit(table)
    groups = np.asarray(model[-1].labels_)
    tell("looking for outliers", 0.7)
    forest = IsolationForest(random_state=wish.seed).fit(X)
    strangeness = -np.asarray(forest.score_samples(X))
    tell("writing down", 0.9)
    model.steps[:0] = cleaning_steps(cleaner.remedies_, take_columns(taken.table, columns.used))
    names = [str(name) for name in prepare.get_feature_names_out()]
    best = float(np.nanmax(silhouettes))
    chance = _without_groups(X, wish.seed)
    meanings = {str(one.name): one.semantic for one in again.columns if one.semantic is not None}
    return Outcome(
        taken.source,
        task,
        _headline(k, best, len(X), chance),
        _summary(task, taken, k, best, pca, names, strangeness),
        _warnings(best, chance),
        described,
        odd,
        cleaned.log,
        roles,
        wish.seed,
        pictures=(*_pictures(pca, X, groups, curve, silhouettes, names, random), _strange_picture(strangeness)),
        listings=(
            _group_listing(table, groups, columns, meanings),
            _strange_listing(table, X, strangeness, [origin(name, columns)[0] for name in names], meanings),
            _component_listing(pca, [_said(*origin(name, columns)) for name in names]),
        ),
        script=groups_script(taken.lines, model, columns.used, bool(cleaning_steps(cleaner.remedies_, table))),
        examples=example_rows(odd, taken.table),
        model=model,
        table=with_columns(cleaned.table, {"group": groups + 1, "strangeness": strangeness.round(6)}),
    )


def _curve(X: Floats, seed: int) -> tuple[DistortionCurve, Floats]:
    """Distortions of two to eight groups, and how well each parts the rows."""
    from pellucid.metrics import silhouette_score

    most = min(MOST_GROUPS, len(np.unique(X, axis=0)) - 1)
    if most < 2:
        raise DataError(
            sentence("report", "rows must differ to be grouped", "there are fewer than three different ones")
        )
    curve = distortion_curve(X, range(1, most + 1), random_state=seed)
    judged = np.linspace(0, len(X) - 1, min(len(X), JUDGED)).astype(int)
    scores = []
    for model in curve.models:
        labels = np.asarray(model.labels_)[judged]
        several = 1 < len(np.unique(labels)) < len(judged)
        scores.append(float(silhouette_score(X[judged], labels)) if several else np.nan)
    return curve, np.array(scores)


@dataclass(frozen=True)
class Chance:
    """The best mean silhouette of the rows, and the largest one of normally distributed rows, which have no groups."""

    rows: float
    normal: float

    @property
    def explains(self) -> bool:
        """Are the groups no further apart than cuts through rows that have none?"""
        return self.rows <= self.normal + CHANCE_MARGIN


def _without_groups(X: Floats, seed: int) -> Chance:
    """Silhouettes of the rows, and of rows with the same covariance that are normally distributed."""
    random = np.random.RandomState(seed)
    rows = np.sort(random.permutation(len(X))[:CHANCE_ROWS])
    pca = PCA(random_state=seed).fit(X[rows])
    spread = np.sqrt(np.maximum(pca.explained_variance_, 0.0))
    found = []
    for _ in range(CHANCE_DRAWS):
        normal = random.standard_normal((len(rows), len(spread))) * spread
        found.append(float(np.nanmax(_curve(normal @ pca.components_, seed)[1])))
    return Chance(float(np.nanmax(_curve(X[rows], seed)[1])), max(found))


def _headline(k: int, silhouette: float, rows: int, chance: Chance) -> str:
    if chance.explains:
        return (
            f"The {rows:,} rows have no groups that are set apart: rows without any groups are cut as well "
            f"(mean silhouette {chance.rows:.2f} versus {chance.normal:.2f})."
        )
    how = "clearly apart" if silhouette > 0.5 else "apart" if silhouette > 0.25 else "hardly apart from each other"
    return f"The {rows:,} rows fall into {k} groups that are {how} (mean silhouette {silhouette:.2f})."


def _summary(
    task: Task, taken: Taken, k: int, silhouette: float, pca: Any, names: list[str], strangeness: Floats
) -> tuple[str, ...]:
    shares = np.cumsum(pca.explained_variance_ratio_)
    most = int(np.searchsorted(shares, 0.8) + 1)
    return (
        f"The table has {taken.source.rows:,} rows and {taken.source.columns} columns; {task.why}.",
        f"Two to {MOST_GROUPS} groups were tried by k-means on columns of equal scale; {k} part the rows best.",
        f"{count(most, 'component')} of {len(names)} tell 80 % of the variance.",
        f"The strangest row has a strangeness of {strangeness.max():.2f}; half of the rows have less than "
        f"{np.median(strangeness):.2f} (isolation forest; above 0.6 is unusual).",
        "The cleaned table has two more columns: group, and strangeness.",
    )


def _warnings(silhouette: float, chance: Chance) -> tuple[str, ...]:
    if chance.explains:
        return (
            "The groups below are cuts through rows that vary without gaps: normally distributed rows with the same "
            "covariance have groups that are as far apart.",
        )
    if silhouette > 0.25:
        return ()
    return ("The groups overlap: they are a way to cut the rows into parts, not kinds that are there by themselves.",)


def _pictures(
    pca: Any, X: Floats, groups: Array, curve: DistortionCurve, silhouettes: Floats, names: list[str], random: Any
) -> tuple[Picture, ...]:
    shown = np.sort(random.permutation(len(X))[:SHOWN])
    places = np.asarray(pca.transform(X[shown]))
    second = places[:, 1] if places.shape[1] > 1 else np.zeros(len(shown))
    shares = 100 * pca.explained_variance_ratio_
    tips = [f"row {row}, group {groups[row] + 1}" for row in shown.tolist()]
    labels = [f"group {one + 1}" for one in range(int(groups.max()) + 1)]
    chart = scatter(
        "map",
        "Rows on the first two components",
        "Each point is a row; rows that are near each other here are alike.",
        places[:, 0].tolist(),
        second.tolist(),
        x_label=f"component 1 ({shares[0]:.0f} %)",
        y_label=f"component 2 ({shares[1]:.0f} %)" if len(shares) > 1 else "",
        tips=tips,
        groups=groups[shown].tolist(),
        group_names=labels,
    )
    parted = np.isfinite(silhouettes)
    silhouette = lines_chart(
        "silhouettes",
        "How well numbers of groups part the rows",
        "Mean silhouette: 1 is clearly apart, 0 is overlapping.",
        [Line("", curve.k[parted].tolist(), silhouettes[parted].tolist(), dots=True)],
        x_label="groups",
        y_label="mean silhouette",
    )
    elbow = lines_chart(
        "elbow",
        "Distortion by number of groups",
        "Mean squared distance of rows to the centre of their group; after the bend more groups say little more.",
        [Line("", curve.k.tolist(), curve.average.tolist(), dots=True)],
        x_label="groups",
        y_label="distortion",
    )
    first = [Bar(f"component {j + 1}", float(share)) for j, share in enumerate(shares[:COMPONENTS])]
    variance = bars(
        "variance", "What the components tell", "Share of the variance, in per cent.", first, label="per cent"
    )
    return (
        Picture("Rows on the first two components", f"{len(shown):,} rows; colours are groups.", chart),
        Picture("How many groups", "The mean silhouette is highest for the number that was taken.", silhouette),
        Picture("Distortion", "The bend of this curve is another way to choose the number of groups.", elbow),
        Picture("Components", "Share of the variance that each component tells.", variance),
    )


def _strange_picture(strangeness: Floats) -> Picture:
    from pellucid.report.charts_plots import columns as histogram

    counts, edges = np.histogram(strangeness, bins=24)
    chart = histogram(
        "strangeness",
        "How strange rows are",
        "Rows on the right are parted from all others by few questions.",
        edges.tolist(),
        counts.tolist(),
        x_label="strangeness",
    )
    return Picture("How strange rows are", "Scores of an isolation forest.", chart)


def _group_listing(table: Any, groups: Array, columns: Columns, meanings: Meanings) -> Listing:
    """For each group, the columns in which it differs most from the others."""
    rows = []
    for group in range(int(groups.max()) + 1):
        inside = groups == group
        numbers = _numbers_apart(table, inside, columns, meanings)
        differences = [*numbers, *_words_apart(table, inside, columns, meanings)]
        said = "; ".join(text for _, text in sorted(differences, key=lambda one: -one[0])[:4])
        rows.append((f"group {group + 1}", int(inside.sum()), round(100 * float(inside.mean()), 2), said))
    about = (
        "What sets each group apart: means in the group and in all rows; shares of words in the group and in all rows."
    )
    return Listing("The groups", about, ("group", "rows", "per cent", "what sets it apart"), tuple(rows))


def _numbers_apart(table: Any, inside: Array, columns: Columns, meanings: Meanings) -> list[tuple[float, str]]:
    differences = []
    for name in columns.numbers:
        values = np.asarray(column_of(table, name), dtype=float)
        spread = float(np.nanstd(values))
        known = values[inside & np.isfinite(values)]
        if spread > 0 and len(known):
            mean, here = float(np.nanmean(values)), float(known.mean())
            meaning = meanings.get(name)
            text = f"{name} {_mean(here, meaning)} (all {_mean(mean, meaning)})"
            differences.append((abs(here - mean) / spread, text))
    return differences


def _mean(value: float, meaning: SemanticType | None = None) -> str:
    """Four digits, and never a power of ten where a person writes none; a mean of years without a separator.

    >>> _mean(99999.0), _mean(38.58165), _mean(-0.01234)
    ('99,999', '38.58', '−0.01234')
    >>> _mean(1998.25, SemanticType("year", ""))
    '1998'
    """
    if meaning is not None and meaning.name == "year":
        return f"{value:.0f}"
    if meaning is not None and meaning.name == "money":
        return minus(format_value(value, meaning) or "")
    return short_number(round(value) if 1000 <= abs(value) < 1e12 else float(f"{value:.4g}"))


def _said(column: str, value: str) -> str:
    return f"{column} = {value}" if value else column


def _words_apart(table: Any, inside: Array, columns: Columns, meanings: Meanings) -> list[tuple[float, str]]:
    told = []
    for name in columns.named:
        written = [format_value(value, meanings.get(name)) or str(value) for value in column_of(table, name)]
        values = np.array(written)
        for value in np.unique(values)[:50]:
            here, everywhere = float((values[inside] == value).mean()), float((values == value).mean())
            spread = np.sqrt(everywhere * (1 - everywhere)) or 1.0
            if here > everywhere:
                told.append(
                    (
                        (here - everywhere) / spread,
                        f"{name} is {value} in {100 * here:.0f} % (all {100 * everywhere:.0f} %)",
                    )
                )
    return told


def _strange_listing(table: Any, X: Floats, strangeness: Floats, origins: list[str], meanings: Meanings) -> Listing:
    """The strangest rows, and the cells that lie farthest out. ``origins``: the column behind each column of X."""
    order = np.argsort(-strangeness, kind="stable")[:STRANGE]
    spread = X.std(axis=0)
    z = np.abs(X[order] - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    rows = []
    for place, row in enumerate(order.tolist()):
        cells = dict(row_of(table, row))
        far = list(dict.fromkeys(origins[j] for j in np.argsort(-z[place], kind="stable")))[:3]
        said = "; ".join(_said(name, _cell(cells[name], meanings.get(name))) for name in far)
        rows.append((row, round(float(strangeness[row]), 3), said))
    about = "Rows that are unlike all others; the cells named lie farthest from what is usual."
    return Listing("The strangest rows", about, ("row", "strangeness", "what is unusual"), tuple(rows))


def _cell(value: Any, meaning: SemanticType | None = None) -> str:
    """The text of a cell, as its meaning asks for; a missing value is a word."""
    if is_missing(value):
        return "missing"
    written = format_value(value, meaning)
    if written is not None:
        return written
    return short_number(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _component_listing(pca: Any, names: list[str]) -> Listing:
    rows = []
    for j, weights in enumerate(pca.components_[:COMPONENTS]):
        largest = np.argsort(-np.abs(weights), kind="stable")[:5]
        said = ", ".join(f"{'+' if weights[i] > 0 else MINUS}{names[i]}" for i in largest)
        rows.append((j + 1, round(100 * float(pca.explained_variance_ratio_[j]), 2), said))
    about = (
        "Each component is a weighted sum of the columns; those with the largest weights are named, with their sign."
    )
    return Listing("The components", about, ("component", "per cent of variance", "largest weights"), tuple(rows))
