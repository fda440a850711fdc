"""A table without a target: principal components, clusters and outliers of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from pellucid.base.errors import DataError, count, format_message
from pellucid.base.types import Array, Floats
from pellucid.cluster import DistortionCurve, KMeans, distortion_curve
from pellucid.data.slices import frame_like, n_rows_of, names_of, take_columns
from pellucid.decomposition import PCA
from pellucid.outliers import IsolationForest
from pellucid.quality import Findings, Profile, check, profile
from pellucid.report.charts_plots import Bar, Line, bars, lines_chart, scatter
from pellucid.report.cleaning import cleaning_steps, report_cleaner
from pellucid.report.columns import Columns, origin
from pellucid.report.compared_columns import compared_columns
from pellucid.report.comparison import ProgressCallback
from pellucid.report.dataset import Dataset, example_rows
from pellucid.report.group_listings import (
    LISTED_COMPONENTS,
    UNUSUAL,
    cluster_listing,
    component_listings,
    feature_name,
    outlier_listing,
    variance_shares,
)
from pellucid.report.outcome import Picture, StudyResult, Task
from pellucid.report.script import groups_script

MANY_REPEATS = 0.1  # share of the rows that repeat an earlier one from which on it is mentioned beside the clusters
SMALL_SHARE = 0.01  # of the rows, below which a cluster may be outliers
LEAST_ROWS = 20
SAMPLE = 20_000  # rows on which numbers of clusters are tried
SILHOUETTE_ROWS = 2_000
PLOTTED_ROWS = 600
MAX_CLUSTERS = 8
NULL_ROWS, NULL_DRAWS = 500, 5  # normally distributed rows that are drawn for comparison, and how often
NULL_MARGIN = 0.01  # of silhouettes
GAP_REACH = 0.1  # of the way between two centers: how near to a place rows are counted
GAP_SHARE = 0.5  # rows in the middle, for each at the rarer center, from which on there is no gap
WEAK, CLEAR = 0.25, 0.5  # silhouettes up to which clusters are not separated, and weakly separated
LEAST_DIFFERENT = 3  # rows
HINT = "If one of the columns is to be predicted, name it with --target."


def find_groups(taken: Dataset, described: Profile, task: Task, config: Any, tell: ProgressCallback) -> StudyResult:
    """Principal components, clusters and outliers, with the columns in which each cluster differs."""
    if n_rows_of(taken.table) < LEAST_ROWS:
        requirement = f"there must be at least {LEAST_ROWS} rows to look for clusters"
        raise DataError(format_message("report", requirement, actual=f"got {n_rows_of(taken.table)}"))
    tell("checking and cleaning", 0.05)
    findings = check(taken.table)
    odd = Findings([*taken.findings, *findings], n_rows_of(taken.table), names_of(taken.table))
    cleaner = report_cleaner(taken.table, None, findings)
    cleaned = cleaner.clean(taken.table)
    again = profile(cleaned.table, associations=False) if len(cleaned.log) else described
    compared = compared_columns(cleaned.table, again, config.drop)
    outcome = StudyResult(
        taken.source,
        task,
        "Nothing can be clustered.",
        (_size_text(taken, task),),
        (),
        described,
        odd,
        cleaned.log,
        compared.roles,
        config.seed,
        examples=example_rows(odd, taken.table),
        table=cleaned.table,
    )
    if compared.prepare is None:
        return _without_clusters(outcome, "no column is left by which rows could be compared")
    random = np.random.RandomState(config.seed)
    rows = np.sort(random.permutation(len(compared.X))[:SAMPLE])
    if _n_different(compared.X[rows]) < LEAST_DIFFERENT:
        return _without_clusters(
            outcome, f"there are fewer than {LEAST_DIFFERENT} different rows in the columns that are used"
        )
    numbers = np.asarray(cleaned.rows)
    columns, prepare, X = compared.columns, compared.prepare, compared.X
    table = take_columns(cleaned.table, columns.used)
    tell("computing principal components", 0.2)
    pca = PCA(random_state=config.seed).fit(X)
    tell("looking for clusters", 0.35)
    curve, silhouettes = _curve(X[rows], config.seed)
    k = int(curve.k[int(np.nanargmax(silhouettes))])
    model = make_pipeline(prepare, KMeans(k, n_init=10, random_state=config.seed)).fit(table)
    labels = np.asarray(model[-1].labels_)
    tell("looking for outliers", 0.7)
    forest = IsolationForest(random_state=config.seed).fit(X)
    anomaly_scores = -np.asarray(forest.score_samples(X))
    tell("writing the results", 0.9)
    fixes = cleaning_steps(cleaner.remedies_, take_columns(taken.table, columns.used))
    model.steps[:0] = fixes
    names = [str(name) for name in prepare.get_feature_names_out()]
    best = float(np.nanmax(silhouettes))
    sources = [origin(name, columns)[0] for name in names]
    separation = replace(_separation(X, config.seed, sources), gaps=_has_gaps(X, labels))
    smallest = [n for n in np.bincount(labels).tolist() if 0 < n < SMALL_SHARE * len(labels)]
    meanings = {str(column.name): column.semantic for column in again.columns if column.semantic is not None}
    return replace(
        outcome,
        headline=_headline(k, best, len(X), separation, smallest),
        summary=(*outcome.summary, *_summary(columns, curve, k, pca, anomaly_scores)),
        warnings=(*_warnings(best, separation, smallest), *_repeats_text(odd)),
        pictures=(*_pictures(pca, X, numbers, labels, curve, silhouettes, random), _anomaly_picture(anomaly_scores)),
        listings=(
            cluster_listing(table, labels, columns, meanings),
            outlier_listing(table, numbers, X, anomaly_scores, sources, meanings),
            *component_listings(pca, [feature_name(*origin(name, columns), columns) for name in names]),
        ),
        script=groups_script(taken.lines, model, columns.used, config.drop, bool(fixes)),
        model=model,
        rows=frame_like(
            cleaned.table,
            {"row": numbers, "cluster": labels + 1, "anomaly_score": anomaly_scores.round(6)},
        ),
    )


def _without_clusters(outcome: StudyResult, why: str) -> StudyResult:
    """The description of a table of which nothing can be clustered."""
    return replace(outcome, headline=f"Nothing can be clustered: {why}.", summary=(*outcome.summary, HINT))


def _n_different(X: Floats) -> int:
    return len(np.unique(X, axis=0))


def _curve(X: Floats, seed: int) -> tuple[DistortionCurve, Floats]:
    """The distortion, and the mean silhouette, of each number of clusters from one or two to eight."""
    from pellucid.metrics import silhouette_score

    n_different = _n_different(X)  # as many clusters where rows repeat: without, each row would be one
    max_clusters = max(2, min(MAX_CLUSTERS, n_different if n_different < len(X) else n_different - 1))
    curve = distortion_curve(X, range(1, max_clusters + 1), random_state=seed)
    sample = np.linspace(0, len(X) - 1, min(len(X), SILHOUETTE_ROWS)).astype(int)
    scores = []
    for model in curve.models:
        labels = np.asarray(model.labels_)[sample]
        several = 1 < len(np.unique(labels)) < len(sample)
        scores.append(float(silhouette_score(X[sample], labels)) if several else np.nan)
    return curve, np.array(scores)


@dataclass(frozen=True)
class Separation:
    """The best mean silhouette of the rows, and that of rows without clusters.

    without : the highest mean silhouette of rows that have no clusters
    shuffled : whether these are rows whose categories were shuffled, instead of normally distributed ones
    gaps : whether there are fewer rows between clusters than around their centers
    """

    rows: float
    without: float
    shuffled: bool = False
    gaps: bool = True

    @property
    def explains(self) -> bool:
        """Whether the clusters are no better separated than those of rows that have none."""
        return self.rows <= self.without + NULL_MARGIN


def _separation(X: Floats, seed: int, sources: Sequence[str]) -> Separation:
    """Silhouettes of the rows, and of rows with the same covariance that are normally distributed.

    Categories are far apart in themselves, whatever rows they are in. Where rows are compared by several of them and by
    nothing else, the others are rows whose categories were shuffled, each independently of the others.

    Parameters
    ----------
    sources : of each column of X the column of the table that it encodes
    """
    random = np.random.RandomState(seed)
    rows = np.sort(random.permutation(len(X))[:NULL_ROWS])
    if _n_different(X[rows]) < LEAST_DIFFERENT:
        return Separation(1.0, 0.0)  # nearly all rows are the same; the others are apart from these
    blocks = [np.flatnonzero([source == name for source in sources]) for name in dict.fromkeys(sources)]
    if len(blocks) == 1 or any(len(np.unique(X[:, j])) > 2 for j in range(X.shape[1])):
        blocks = []
    pca = PCA(random_state=seed).fit(X[rows])
    spread = np.sqrt(np.maximum(pca.explained_variance_, 0.0))
    silhouettes = []
    for _ in range(NULL_DRAWS):
        null_rows = (
            random.standard_normal((len(rows), len(spread))) * spread @ pca.components_ if not blocks else X[rows]
        )
        for block in blocks:
            null_rows[:, block] = null_rows[random.permutation(len(rows))][:, block]
        silhouettes.append(float(np.nanmax(_curve(null_rows, seed)[1])))
    return Separation(float(np.nanmax(_curve(X[rows], seed)[1])), max(silhouettes), bool(blocks))


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
        direction = centers[j] - centers[i]
        projection = (both - centers[i]) @ direction / (direction @ direction)
        first, middle, second = (int((np.abs(projection - at) <= GAP_REACH).sum()) for at in (0.0, 0.5, 1.0))
        if middle > GAP_SHARE * max(min(first, second), 1):
            return False
    return True


def _headline(k: int, silhouette: float, rows: int, separation: Separation, smallest: Sequence[int] = ()) -> str:
    """``smallest``: how many rows the clusters with less than one of a hundred have, which may be outliers."""
    none = f"The {rows:,} rows do not fall into clearly separated clusters: "
    if separation.explains:
        none = f"The {rows:,} rows show no clusters beyond their single categories: " if separation.shuffled else none
        of_some = f" of {NULL_ROWS:,} of them" if rows > NULL_ROWS else ""
        null_text = (
            "rows, each column shuffled by itself, reach"
            if separation.shuffled
            else "normally distributed rows without clusters reach"
        )
        return (
            f"{none}the best clustering{of_some} has a mean silhouette of {separation.rows:.2f}; as many {null_text} "
            f"{separation.without:.2f}."
        )
    best = f"the best clustering, into {k}, has a mean silhouette of {silhouette:.2f}"
    if not separation.gaps:
        return f"{none}{best}, but between the centers of two clusters there is no gap."
    if silhouette <= WEAK:
        return f"{none}{best} only."
    how = "clearly separated" if silhouette > CLEAR else "weakly separated"
    tiny = ""
    if smallest:
        has = "has" if len(smallest) == 1 else "together have"
        tiny = f", {len(smallest)} of which {has} {count(sum(smallest), 'row')}"
    return f"The {rows:,} rows fall into {k} clusters that are {how} (mean silhouette {silhouette:.2f}){tiny}."


def _size_text(dataset: Dataset, task: Task) -> str:
    return f"The table has {dataset.source.rows:,} rows and {count(dataset.source.columns, 'column')}; {task.why}."


def _summary(columns: Columns, curve: DistortionCurve, k: int, pca: Any, anomaly_scores: Floats) -> tuple[str, ...]:
    shares = np.cumsum(variance_shares(pca))
    n_needed = int(np.searchsorted(shares, 0.8) + 1)
    explained = (
        f"The first {count(n_needed, 'principal component')} of {len(shares)} explain at least 80 % of the variance."
        if n_needed > 1
        else f"The first of {len(shares)} principal components explains at least 80 % of the variance."
    )
    on_some = f" on {SAMPLE:,} rows drawn at random" if len(anomaly_scores) > SAMPLE else ""
    scored = f"{SILHOUETTE_ROWS:,} of the rows" if len(anomaly_scores) > SILHOUETTE_ROWS else "all rows"
    return (
        f"{_features_text(columns)} K-means was run{on_some} with 2 to {int(curve.k[-1])} clusters; {k} clusters have "
        f"the highest mean silhouette, which was computed on {scored}.",
        *([explained] if len(shares) > 1 else []),
        f"The highest anomaly score of a row is {anomaly_scores.max():.2f}, the median is "
        f"{np.median(anomaly_scores):.2f} (isolation forest; scores above {UNUSUAL} are unusual).",
        "clusters.csv has the cluster and the anomaly score of every row.",
    )


def _features_text(columns: Columns) -> str:
    """What was made of the columns.

    >>> _features_text(Columns(numbers=("age",), categories=("town",)))
    'Rows are compared by numbers (standardized) and categories (one-hot encoded).'
    """
    phrases = [
        *(["numbers (standardized)"] if columns.numbers else []),
        *(["dates and times (taken apart and standardized)"] if columns.times else []),
        *(["categories (one-hot encoded)"] if columns.named else []),
    ]
    listed = phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"
    return f"Rows are compared by {listed}."


def _repeats_text(odd: Findings) -> tuple[str, ...]:
    """That many rows stand in the table several times, not by chance but as a join or an export leaves them."""
    n_repeats = sum(len(finding.rows) for finding in odd.of(check="duplicate_rows") if finding.severity != "note")
    if not n_repeats or n_repeats < MANY_REPEATS * odd.n_rows:
        return ()
    return (
        f"{n_repeats:,} of the {odd.n_rows:,} rows repeat an earlier one: clusters, components and anomaly scores "
        "count each of them.",
    )


def _warnings(silhouette: float, separation: Separation, smallest: Sequence[int] = ()) -> tuple[str, ...]:
    if separation.explains and separation.shuffled:
        return (
            "The clusters below need not be separate groups: categories that have nothing to do with each other form "
            "clusters that are as well separated.",
        )
    if separation.explains:
        return (
            "The clusters below need not be separate groups: normally distributed rows with the same covariance, which "
            "have none, are as well separated.",
        )
    if not separation.gaps:
        return (
            "Not all clusters below are separate groups: midway between the centers of two of them there are more than "
            "half as many rows as around the sparser center.",
        )
    if silhouette > WEAK and smallest:
        return (
            "Some clusters have less than 1 % of the rows: these rows may be outliers, and the mean silhouette may be "
            "as high only because they lie apart.",
        )
    if silhouette > WEAK:
        return ()
    return ("The mean silhouette is low: the clusters are one way to divide the rows, not evidence of distinct kinds.",)


def _pictures(
    pca: Any, X: Floats, numbers: Array, labels: Array, curve: DistortionCurve, silhouettes: Floats, random: Any
) -> tuple[Picture, ...]:
    """With a single component, there is nothing to draw of components."""
    curves = _pictures_of_curves(curve, silhouettes)
    if len(variance_shares(pca)) == 1:
        return curves
    return (_map(pca, X, numbers, labels, random), *curves, _variance_picture(pca))


def _map(pca: Any, X: Floats, numbers: Array, labels: Array, random: Any) -> Picture:
    plotted = np.sort(random.permutation(len(X))[:PLOTTED_ROWS])
    coordinates = np.asarray(pca.transform(X[plotted]))
    shares = 100 * pca.explained_variance_ratio_
    tips = [f"row {numbers[row]}, cluster {labels[row] + 1}" for row in plotted.tolist()]
    cluster_names = [f"cluster {label + 1}" for label in range(int(labels.max()) + 1)]
    chart = scatter(
        "map",
        "Rows on the first two components",
        "Each point is a row. Rows far from each other differ; rows near each other may differ in other components.",
        coordinates[:, 0].tolist(),
        coordinates[:, 1].tolist(),
        x_label=f"component 1 ({shares[0]:.0f} %)",
        y_label=f"component 2 ({shares[1]:.0f} %)",
        tips=tips,
        groups=labels[plotted].tolist(),
        group_names=cluster_names,
    )
    return Picture("Rows on the first two components", f"{len(plotted):,} rows, colored by cluster.", chart)


def _pictures_of_curves(curve: DistortionCurve, silhouettes: Floats) -> tuple[Picture, ...]:
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
    return (
        Picture("Number of clusters", "The number with the highest mean silhouette was chosen.", silhouette),
        Picture("Distortion", "The elbow of this curve is another way to choose the number of clusters.", elbow),
    )


def _variance_picture(pca: Any) -> Picture:
    shares = 100 * variance_shares(pca)[:LISTED_COMPONENTS]
    first = [Bar(f"component {j + 1}", float(share)) for j, share in enumerate(shares)]
    variance = bars("variance", "Explained variance", "Share of the variance, in per cent.", first, label="per cent")
    return Picture("Components", "Share of the variance that each principal component explains.", variance)


def _anomaly_picture(anomaly_scores: Floats) -> Picture:
    from pellucid.report.charts_plots import columns as histogram

    counts, edges = np.histogram(anomaly_scores, bins=24)
    chart = histogram(
        "anomaly_scores",
        "Anomaly scores",
        "Rows on the right are isolated by fewer splits than those on the left.",
        edges.tolist(),
        counts.tolist(),
        x_label="anomaly score",
    )
    return Picture("Anomaly scores", "Scores of an isolation forest.", chart)
