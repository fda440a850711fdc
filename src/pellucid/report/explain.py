"""How the winner decides: which columns matter, how, and a model that can be read whole as a second opinion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pellucid.base.types import Array
from pellucid.data.slices import column_of, names_of, take_columns, take_rows
from pellucid.inspection import Dependence, Importance, partial_dependence, permutation_importance
from pellucid.report.columns import Columns
from pellucid.report.holdout import Predictions
from pellucid.report.outcome import Metric, SurrogateModel, Task
from pellucid.report.target_scaling import fitted_inside
from pellucid.rules import rules_of
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_svg, export_text
from pellucid.tree.short_limits import asks_for_missing, with_short_limits

MOST_ROWS = 2000  # that importances are measured on
LEAST_OF_CLASS = 100  # rows of the rarer one of two classes among them, where there are so many
REPEATS = 5
LEAST_MEASURED, CELLS = 30, 100_000  # columns whose importance is measured; times all columns, which every answer takes
EFFECTS = 4
GRID = 30
LEAVES = 6
EFFECT_ROWS = 500


def importance_of(
    model: Any,
    X: Any,
    y: Array,
    measure: Metric,
    seed: int,
    likely: Sequence[str] = (),
    unread: Sequence[str] = (),
) -> Importance:
    """How much the score falls when one column's values are dealt out anew.

    Of a table with very many columns those are measured that matter most to the model by its own account, where it has
    one, and then those that are the likeliest to matter: ``likely``, the first first. Columns that the model does not
    read, ``unread``, have none.
    """
    rows = _sampled(y, measure, seed)
    subset = take_rows(X, rows)
    importance: Any = permutation_importance(
        model,
        subset,
        y[rows],
        scoring=measure.scorer,
        n_repeats=REPEATS,
        random_state=seed,
        columns=_measured(model, names_of(X), likely, unread),
    )
    return importance  # type: ignore[no-any-return]


def same_values(X: Any, importance: Importance) -> tuple[str, ...]:
    """Columns of which all rows have the same value: they may matter in other rows, but shuffling changes nothing."""
    unmoved = (importance.importances_mean == 0) & (importance.importances_std == 0)
    names = [str(name) for name, still in zip(importance.feature_names, unmoved, strict=True) if still]
    return tuple(name for name in names if _has_one_value(column_of(X, name)))


def _has_one_value(values: Array) -> bool:
    different = set(values.tolist())
    return len(different) == 1 and None not in different


def _sampled(y: Array, measure: Metric, seed: int) -> Array:
    """At most so many rows, drawn at random. Few of a rare class would be among them, or none, which the area under the
    ROC curve is not defined for: as it does not depend on the shares of the classes, some more of it are taken."""
    order = np.random.RandomState(seed).permutation(len(y))
    rows = order[:MOST_ROWS]
    if measure.scoring == "roc_auc" and len(rows) < len(y):
        labels, counts = np.unique(y, return_counts=True)
        is_rare = y[order] == labels[np.argmin(counts)]
        n_rare = max(int(is_rare[:MOST_ROWS].sum()), min(int(counts.min()), LEAST_OF_CLASS))
        rows = np.concatenate([order[is_rare][:n_rare], order[~is_rare][: MOST_ROWS - n_rare]])
    return np.sort(rows)


def _measured(model: Any, names: list[str], likely: Sequence[str], unread: Sequence[str]) -> list[str] | None:
    """The columns whose importance is measured; None for all."""
    max_columns = max(LEAST_MEASURED, CELLS // len(names))
    names = [name for name in names if name not in unread]
    if len(names) <= max_columns:
        return names if unread else None
    last = fitted_inside(model[-1])
    pairs = zip(getattr(last, "feature_names_in_", ()), getattr(last, "feature_importances_", ()), strict=False)
    weights = {str(name): float(weight) for name, weight in pairs}
    rank = {name: k for k, name in enumerate(likely)}
    return sorted(names, key=lambda name: (-weights.get(name, 0.0), rank.get(name, len(rank))))[:max_columns]


def effects_of(model: Any, X: Any, importance: Importance, columns: Columns, seed: int) -> tuple[Dependence, ...]:
    """The mean answer as each of the columns that matter most takes other values."""
    many = {name for name in columns.codes if not _has_few_values(X, name)}
    plottable = {*columns.numbers, *columns.named} - many
    order = np.argsort(-importance.importances_mean, kind="stable")
    names = [importance.feature_names[j] for j in order if importance.importances_mean[j] > 0]
    selected = [name for name in names if name in plottable][:EFFECTS]
    rows = np.random.RandomState(seed).permutation(importance_rows(X))[:EFFECT_ROWS]
    subset = take_rows(X, np.sort(rows))
    return tuple(
        partial_dependence(model, subset, [name], grid_resolution=GRID, custom_values=_whole_range(subset, name))
        for name in selected
    )


def _whole_range(X: Any, name: str) -> dict[str, Any] | None:
    """From the least to the greatest of many numbers of which nearly all are equal, so that the percentiles between
    which a grid is made of others are equal too; None for all other columns."""
    values = np.asarray(column_of(X, name))
    if values.dtype.kind not in "fiu":
        return None
    present = values[np.isfinite(values)].astype(float)
    if len(np.unique(present)) < GRID or not np.allclose(*np.quantile(present, (0.05, 0.95))):
        return None
    return {name: np.linspace(present.min(), present.max(), GRID)}


def _has_few_values(X: Any, name: str) -> bool:
    """Can the effect of a code be shown value by value? Between codes there is nothing."""
    return len(np.unique(column_of(X, name))) < GRID


def importance_rows(X: Any) -> int:
    """How many rows a frame has."""
    return int(X.shape[0])


def second_opinion(
    model: Any, train: Any, held: Any, y: Array, task: Task, columns: Columns, seed: int
) -> SurrogateModel | None:
    """A small tree that learned to predict what the model predicts; none where there is nothing but texts. Missing
    values are spoken of only where some of its training rows have them."""
    names = [*columns.numbers, *columns.categories, *columns.ordered]
    if not names:
        return None
    small, small_test = take_columns(train, names), take_columns(held, names)
    train_predictions, test_predictions = np.asarray(model.predict(train)), np.asarray(model.predict(held))
    kind = DecisionTreeRegressor if task.kind == "number" else DecisionTreeClassifier
    if len(np.unique(train_predictions)) < 2:
        return None
    tree = kind(max_leaf_nodes=LEAVES, min_samples_leaf=max(1, len(train_predictions) // 100), random_state=seed).fit(
        small, train_predictions
    )
    tree = with_short_limits(tree, small)
    missing = asks_for_missing(tree, small)
    rules = replace(rules_of(tree, missing=missing), default=None)  # every row has a rule
    return SurrogateModel(
        export_svg(tree, missing=missing),
        export_text(tree, style="compact", decimals=None, missing=missing),
        rules.to_text(counts=True, digits=rules.digits, right="as the model predicts"),
        float(tree.score(small_test, test_predictions)),
        _own_score(tree, small_test, y, task),
        len(train_predictions),
        () if task.kind == "number" else _never_predicted(test_predictions, np.asarray(tree.predict(small_test))),
    )


def _never_predicted(predicted: Array, imitated: Array) -> tuple[tuple[Any, int], ...]:
    """The classes that the model predicts for some of the held-out rows and the tree for none, with how many rows."""
    labels, rows = np.unique(predicted, return_counts=True)
    imitated_labels = set(imitated.tolist())
    return tuple(
        (label, n) for label, n in zip(labels.tolist(), rows.tolist(), strict=True) if label not in imitated_labels
    )


def _own_score(tree: Any, X: Any, y: Array, task: Task) -> float:
    from pellucid.report.holdout import scores_of

    if task.kind != "number" and len(tree.classes_) < len(task.classes):
        return float("nan")
    predictions = Predictions(tree, X, task)
    _, score = next(iter(scores_of(task, predictions, y).values()))
    return score(np.arange(len(y)))
