"""A table without a target: principal components, clusters and outliers of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from pellucid.base.errors import DataError, count, sentence
from pellucid.base.types import Array, Floats
from pellucid.cluster import DistortionCurve, KMeans, distortion_curve
from pellucid.data.slices import column_of, frame_like, n_rows_of, names_of, row_of, take_columns
from pellucid.decomposition import PCA
from pellucid.outliers import IsolationForest
from pellucid.quality import Findings, Profile, check, profile
from pellucid.quality.semantic_types import SemanticType, format_value
from pellucid.report.charts_plots import Bar, Line, bars, lines_chart, scatter
from pellucid.report.cleaning import cleaning_steps, report_cleaner
from pellucid.report.columns import Columns, columns_of, origin, preparation, roles_of, with_names_apart
from pellucid.report.fitted_use import roles_as_fitted
from pellucid.report.outcome import Listing, Outcome, Picture, Role, Task
from pellucid.report.page_text import is_missing, minus, short_number
from pellucid.report.race import Tell
from pellucid.report.reading import Taken, example_rows
from pellucid.report.script import groups_script

LEAST_ROWS = 20
SAMPLE = 20_000  # rows on which numbers of clusters are tried
SILHOUETTE_ROWS = 2_000
PLOTTED_ROWS = 600
MAX_CLUSTERS = 8
LISTED_OUTLIERS = 15
LISTED_COMPONENTS = 10
NULL_ROWS, NULL_DRAWS = 500, 5  # normally distributed rows that are drawn for comparison, and how often
NULL_MARGIN = 0.01  # of silhouettes
GAP_REACH = 0.1  # of the way between two centers: how near to a place rows are counted
GAP_SHARE = 0.5  # rows in the middle, for each at the rarer center, from which on there is no gap
LEAST_DISTANCE = 0.1  # of two means, in standard deviations, that is mentioned
LEAST_DIFFERENCE = 0.03  # of two shares that is mentioned
MOST_VALUES = 50  # of a column, the most frequent ones
Meanings = Mapping[str, SemanticType]  # by the name of the column
HINT = "name a target with --target if there is one; columns of text are compared only then"
MINUS = "\N{MINUS SIGN}"  # no line breaks after it


def find_groups(taken: Taken, described: Profile, task: Task, wish: Any, tell: Tell) -> Outcome:
    """Principal components, clusters and outliers, with the columns in which each cluster differs."""
    if n_rows_of(taken.table) < LEAST_ROWS:
        requirement = f"there must be at least {LEAST_ROWS} rows to look for clusters"
        raise DataError(sentence("report", requirement, f"got {n_rows_of(taken.table)}"))
    tell("checking and cleaning", 0.05)
    findings = check(taken.table)
    odd = Findings([*taken.findings, *findings], n_rows_of(taken.table), names_of(taken.table))
    cleaner = report_cleaner(taken.table, None, findings)
    cleaned = cleaner.clean(taken.table)
    again = profile(cleaned.table, associations=False) if len(cleaned.log) else described
    roles = roles_of(again, None, wish.drop)
    columns = columns_of(roles, again)
    columns = replace(columns, texts=(), gaps=())  # texts and missing values define no distance
    if not columns.used:
        requirement = "there must be columns to compare rows by"
        raise DataError(sentence("report", requirement, "every column was left out", HINT))
    columns = with_names_apart(columns, cleaned.table)
    table = take_columns(cleaned.table, columns.used)
    prepare = preparation(columns, "matrix").fit(table)
    X = np.asarray(prepare.transform(table), dtype=np.float64)
    tell("computing principal components", 0.2)
    pca = PCA(random_state=wish.seed).fit(X)
    tell("looking for clusters", 0.35)
    random = np.random.RandomState(wish.seed)
    rows = np.sort(random.permutation(len(X))[:SAMPLE])
    curve, silhouettes = _curve(X[rows], wish.seed)
    k = int(curve.k[int(np.nanargmax(silhouettes))])
    model = make_pipeline(prepare, KMeans(k, n_init=10, random_state=wish.seed)).fit(table)
    labels = np.asarray(model[-1].labels_)
    tell("looking for outliers", 0.7)
    forest = IsolationForest(random_state=wish.seed).fit(X)
    anomaly_scores = -np.asarray(forest.score_samples(X))
    tell("writing the results", 0.9)
    model.steps[:0] = cleaning_steps(cleaner.remedies_, take_columns(taken.table, columns.used))
    names = [str(name) for name in prepare.get_feature_names_out()]
    best = float(np.nanmax(silhouettes))
    separation = replace(_separation(X, wish.seed), gaps=_has_gaps(X, labels))
    meanings = {str(one.name): one.semantic for one in again.columns if one.semantic is not None}
    return Outcome(
        taken.source,
        task,
        _headline(k, best, len(X), separation),
        _summary(task, taken, k, pca, names, anomaly_scores),
        _warnings(best, separation),
        described,
        odd,
        cleaned.log,
        roles_as_fitted(_without_texts(roles), model),
        wish.seed,
        pictures=(*_pictures(pca, X, labels, curve, silhouettes, names, random), _anomaly_picture(anomaly_scores)),
        listings=(
            _cluster_listing(table, labels, columns, meanings),
            _outlier_listing(table, X, anomaly_scores, [origin(name, columns)[0] for name in names], meanings),
            _component_listing(pca, [_feature(*origin(name, columns), columns) for name in names]),
        ),
        script=groups_script(taken.lines, model, columns.used, bool(cleaning_steps(cleaner.remedies_, table))),
        examples=example_rows(odd, taken.table),
        model=model,
        table=cleaned.table,
        rows=frame_like(
            cleaned.table,
            {"row": np.asarray(cleaned.rows), "cluster": labels + 1, "anomaly_score": anomaly_scores.round(6)},
        ),
    )


def _without_texts(roles: Sequence[Role]) -> tuple[Role, ...]:
    """The roles where rows are compared: texts define no distance."""
    why = "free text, by which rows are not compared"
    return tuple(Role(one.column, "left out", why) if one.role == "text" else one for one in roles)


def _curve(X: Floats, seed: int) -> tuple[DistortionCurve, Floats]:
    """The distortion, and the mean silhouette, of each number of clusters from one or two to eight."""
    from pellucid.metrics import silhouette_score

    most = min(MAX_CLUSTERS, len(np.unique(X, axis=0)) - 1)
    if most < 2:
        requirement = "the rows must differ to be clustered"
        raise DataError(sentence("report", requirement, "there are fewer than three different ones", HINT))
    curve = distortion_curve(X, range(1, most + 1), random_state=seed)
    sample = np.linspace(0, len(X) - 1, min(len(X), SILHOUETTE_ROWS)).astype(int)
    scores = []
    for model in curve.models:
        labels = np.asarray(model.labels_)[sample]
        several = 1 < len(np.unique(labels)) < len(sample)
        scores.append(float(silhouette_score(X[sample], labels)) if several else np.nan)
    return curve, np.array(scores)


@dataclass(frozen=True)
class Separation:
    """The best mean silhouette of the rows, and that of normally distributed rows, which have no clusters.

    gaps : whether there are fewer rows between clusters than around their centers
    """

    rows: float
    normal: float
    gaps: bool = True

    @property
    def explains(self) -> bool:
        """Whether the clusters are no better separated than those of rows that have none."""
        return self.rows <= self.normal + NULL_MARGIN


def _separation(X: Floats, seed: int) -> Separation:
    """Silhouettes of the rows, and of rows with the same covariance that are normally distributed."""
    random = np.random.RandomState(seed)
    rows = np.sort(random.permutation(len(X))[:NULL_ROWS])
    pca = PCA(random_state=seed).fit(X[rows])
    spread = np.sqrt(np.maximum(pca.explained_variance_, 0.0))
    silhouettes = []
    for _ in range(NULL_DRAWS):
        normal = random.standard_normal((len(rows), len(spread))) * spread
        silhouettes.append(float(np.nanmax(_curve(normal @ pca.components_, seed)[1])))
    return Separation(float(np.nanmax(_curve(X[rows], seed)[1])), max(silhouettes))


def _has_gaps(X: Floats, labels: Array) -> bool:
    """Whether there are fewer rows between each cluster and the nearest other one than around both of their centers.

    Rows of both are projected on the line through their centers, the first at 0 and the second at 1. K-means divides a
    uniform or a skewed distribution as well as two separate ones, but leaves no gap there: about as many rows are
    within 0.1 of the middle as within 0.1 of the rarer center.
    """
    members = np.unique(labels)
    centers = np.stack([X[labels == label].mean(axis=0) for label in members])
    distances = ((centers[:, None] - centers) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    for i, j in enumerate(distances.argmin(axis=1).tolist()):
        both = X[(labels == members[i]) | (labels == members[j])]
        way = centers[j] - centers[i]
        place = (both - centers[i]) @ way / (way @ way)
        first, middle, second = (int((np.abs(place - at) <= GAP_REACH).sum()) for at in (0.0, 0.5, 1.0))
        if middle > GAP_SHARE * max(min(first, second), 1):
            return False
    return True


def _headline(k: int, silhouette: float, rows: int, separation: Separation) -> str:
    if separation.explains:
        return (
            f"The {rows:,} rows show no separated clusters: the best clustering has a mean silhouette of "
            f"{separation.rows:.2f}, normally distributed rows without clusters reach {separation.normal:.2f}."
        )
    if not separation.gaps:
        return (
            f"The {rows:,} rows show no separated clusters: the best clustering, into {k} with a mean silhouette of "
            f"{silhouette:.2f}, leaves about as many rows between clusters as within them."
        )
    how = "clearly separated" if silhouette > 0.5 else "separated" if silhouette > 0.25 else "hardly separated"
    return f"The {rows:,} rows fall into {k} clusters that are {how} (mean silhouette {silhouette:.2f})."


def _summary(
    task: Task,
    taken: Taken,
    k: int,
    pca: Any,
    names: list[str],
    anomaly_scores: Floats,
) -> tuple[str, ...]:
    shares = np.cumsum(pca.explained_variance_ratio_)
    most = int(np.searchsorted(shares, 0.8) + 1)
    return (
        f"The table has {taken.source.rows:,} rows and {taken.source.columns} columns; {task.why}.",
        f"K-means was run on the standardized columns with 2 to {MAX_CLUSTERS} clusters; {k} clusters have the highest "
        "mean silhouette.",
        f"The first {count(most, 'principal component')} of {len(names)} explain at least 80 % of the variance."
        if most > 1
        else f"The first of {len(names)} principal components explains at least 80 % of the variance.",
        f"The highest anomaly score of a row is {anomaly_scores.max():.2f}, the median is "
        f"{np.median(anomaly_scores):.2f} (isolation forest; scores above 0.6 are unusual).",
        "clusters.csv has the cluster and the anomaly score of every row.",
    )


def _warnings(silhouette: float, separation: Separation) -> tuple[str, ...]:
    if separation.explains:
        return (
            "The clusters below divide rows that form no separate groups: those of normally distributed rows with the "
            "same covariance are as well separated.",
        )
    if not separation.gaps:
        return ("The clusters below divide rows that form no separate groups: there is no gap between them.",)
    if silhouette > 0.25:
        return ()
    return ("The clusters overlap: they are one way to divide the rows, not evidence of distinct kinds.",)


def _pictures(
    pca: Any, X: Floats, labels: Array, curve: DistortionCurve, silhouettes: Floats, names: list[str], random: Any
) -> tuple[Picture, ...]:
    shown = np.sort(random.permutation(len(X))[:PLOTTED_ROWS])
    places = np.asarray(pca.transform(X[shown]))
    second = places[:, 1] if places.shape[1] > 1 else np.zeros(len(shown))
    shares = 100 * pca.explained_variance_ratio_
    tips = [f"row {row}, cluster {labels[row] + 1}" for row in shown.tolist()]
    cluster_names = [f"cluster {label + 1}" for label in range(int(labels.max()) + 1)]
    chart = scatter(
        "map",
        "Rows on the first two components",
        "Each point is a row; rows near each other are similar.",
        places[:, 0].tolist(),
        second.tolist(),
        x_label=f"component 1 ({shares[0]:.0f} %)",
        y_label=f"component 2 ({shares[1]:.0f} %)" if len(shares) > 1 else "",
        tips=tips,
        groups=labels[shown].tolist(),
        group_names=cluster_names,
    )
    valid = np.isfinite(silhouettes)
    silhouette = lines_chart(
        "silhouettes",
        "Mean silhouette by number of clusters",
        "1: clearly separated; 0: overlapping.",
        [Line("", curve.k[valid].tolist(), silhouettes[valid].tolist(), dots=True)],
        x_label="clusters",
        y_label="mean silhouette",
    )
    elbow = lines_chart(
        "elbow",
        "Distortion by number of clusters",
        "Mean squared distance to the cluster center; beyond the elbow, more clusters reduce it little.",
        [Line("", curve.k.tolist(), curve.average.tolist(), dots=True)],
        x_label="clusters",
        y_label="distortion",
    )
    first = [Bar(f"component {j + 1}", float(share)) for j, share in enumerate(shares[:LISTED_COMPONENTS])]
    variance = bars("variance", "Explained variance", "Share of the variance, in per cent.", first, label="per cent")
    return (
        Picture("Rows on the first two components", f"{len(shown):,} rows, colored by cluster.", chart),
        Picture("Number of clusters", "The number with the highest mean silhouette was chosen.", silhouette),
        Picture("Distortion", "The elbow of this curve is another way to choose the number of clusters.", elbow),
        Picture("Components", "Share of the variance that each principal component explains.", variance),
    )


def _anomaly_picture(anomaly_scores: Floats) -> Picture:
    from pellucid.report.charts_plots import columns as histogram

    counts, edges = np.histogram(anomaly_scores, bins=24)
    chart = histogram(
        "anomaly_scores",
        "Anomaly scores",
        "Rows on the right are isolated by few splits.",
        edges.tolist(),
        counts.tolist(),
        x_label="anomaly score",
    )
    return Picture("Anomaly scores", "Scores of an isolation forest.", chart)


def _cluster_listing(table: Any, labels: Array, columns: Columns, meanings: Meanings) -> Listing:
    """For each cluster, the columns in which it differs most from all rows."""
    rows = []
    for label in range(int(labels.max()) + 1):
        inside = labels == label
        numbers = _numbers_apart(table, inside, columns, meanings)
        times = _times_apart(table, inside, columns)
        differences = [*numbers, *times, *_words_apart(table, inside, columns, meanings)]
        largest = sorted(differences, key=lambda difference: -difference[0])[:4]
        text = "; ".join(description for _, description in largest) or "no single column differs"
        rows.append((f"cluster {label + 1}", int(inside.sum()), round(100 * float(inside.mean()), 2), text))
    about = (
        "The columns in which each cluster differs most: means, or shares of a value, in the cluster and in all rows."
    )
    return Listing("Clusters", about, ("cluster", "rows", "per cent", "differences"), tuple(rows))


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
            if abs(here - mean) >= LEAST_DISTANCE * spread:
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


def _condition(column: str, value: str) -> str:
    return f"{column} = {value}" if value else column


def _feature(column: str, value: str, columns: Columns) -> str:
    """The name of a column of the matrix.

    >>> columns = Columns(categories=("town",), times=("born",))
    >>> _feature("town", "Oslo", columns), _feature("born", "day_of_week", columns)
    ('town = Oslo', 'day of week of born')
    """
    return f"{value.replace('_', ' ')} of {column}" if value and column in columns.times else _condition(column, value)


def _words_apart(table: Any, inside: Array, columns: Columns, meanings: Meanings) -> list[tuple[float, str]]:
    differences = []
    for name in columns.named:
        meaning = meanings.get(name)
        values = np.array([_cell(value, meaning) for value in column_of(table, name)])
        written, counts = np.unique(values, return_counts=True)
        for value in written[np.argsort(-counts, kind="stable")[:MOST_VALUES]]:
            here, everywhere = float((values[inside] == value).mean()), float((values == value).mean())
            spread = np.sqrt(everywhere * (1 - everywhere)) or 1.0
            if here >= everywhere + LEAST_DIFFERENCE:
                text = f"{name} is {value} in {_percent(here)} (all {_percent(everywhere)})"
                differences.append(((here - everywhere) / spread, text))
    return differences


def _percent(share: float) -> str:
    """A share in per cent; one that rounds to nothing is not shown as 0.

    >>> _percent(0.254), _percent(0.001), _percent(0.0)
    ('25 %', '<1 %', '0 %')
    """
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def _times_apart(table: Any, inside: Array, columns: Columns) -> list[tuple[float, str]]:
    differences = []
    for name in columns.times:
        values = column_of(table, name)
        times = np.array([None if is_missing(value) else value for value in values.tolist()], dtype=object)
        known = np.array([isinstance(value, date) for value in times])
        if not (known & inside).any():
            continue
        seconds = np.array([np.datetime64(value, "s").astype(np.int64) for value in times[known]], dtype=float)
        here, everywhere = float(seconds[inside[known]].mean()), float(seconds.mean())
        distance = abs(here - everywhere) / (float(seconds.std()) or 1.0)
        if distance >= LEAST_DISTANCE:
            days = [str(np.datetime64(int(mean), "s"))[:10] for mean in (here, everywhere)]
            differences.append((distance, f"{name} {days[0]} (all {days[1]})"))
    return differences


def _outlier_listing(table: Any, X: Floats, anomaly_scores: Floats, origins: list[str], meanings: Meanings) -> Listing:
    """The rows with the highest anomaly scores and their extreme cells. ``origins``: the column behind each of X."""
    order = np.argsort(-anomaly_scores, kind="stable")[:LISTED_OUTLIERS]
    spread = X.std(axis=0)
    z = np.abs(X[order] - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    rows = []
    for rank, row in enumerate(order.tolist()):
        cells = dict(row_of(table, row))
        far = list(dict.fromkeys(origins[j] for j in np.argsort(-z[rank], kind="stable")))[:3]
        text = "; ".join(_condition(name, _cell(cells[name], meanings.get(name))) for name in far)
        rows.append((row, round(float(anomaly_scores[row]), 3), text))
    about = "The rows with the highest anomaly scores; the cells named are the most extreme."
    return Listing("Outliers", about, ("row", "anomaly score", "most extreme cells"), tuple(rows))


def _cell(value: Any, meaning: SemanticType | None = None) -> str:
    """The text of a cell, as its meaning asks for; a missing value is a word."""
    if is_missing(value):
        return "missing"
    written = format_value(value, meaning)
    if written is not None:
        return written
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return short_number(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _component_listing(pca: Any, names: list[str]) -> Listing:
    rows = []
    for j, weights in enumerate(pca.components_[:LISTED_COMPONENTS]):
        largest = np.argsort(-np.abs(weights), kind="stable")[:5]
        text = ", ".join(f"{'+' if weights[i] > 0 else MINUS}{names[i]}" for i in largest)
        rows.append((j + 1, round(100 * float(pca.explained_variance_ratio_[j]), 2), text))
    about = (
        "Each component is a weighted sum of the columns; those with the largest weights are named, with their sign."
    )
    return Listing("Components", about, ("component", "per cent of variance", "largest weights"), tuple(rows))
