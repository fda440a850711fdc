"""What is asked of a table: found from the target's values, or from the look of the columns where there is none."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, join_some, short_repr
from pellucid.base.types import Floats
from pellucid.quality import ColumnProfile, Profile
from pellucid.quality.semantic_types import NOT_NUMBERS, SemanticType
from pellucid.report.outcome import Metric, Task, TaskKind
from pellucid.report.page_text import percentage

KINDS: tuple[TaskKind, ...] = ("two classes", "several classes", "number", "no target", "baskets", "ratings", "visits")
MOST_CLASSES = 100
FEW = 12  # whole numbers with at most so many values may be classes
CLASS_WORDS = ("class", "type", "label", "species", "category", "target", "group", "kind", "grade", "variety")
CLASS_NAMES = {name for word in CLASS_WORDS for name in (word, f"{word}s", f"{word}es")} | {"status", "categories"}
COUNT_WORDS = {"n", "no", "num", "number", "count", "counts", "nr", "nb"}
FEWEST_COUNTS = 4  # different values of a count, below which it could as well name classes
MORE_THAN_GRADES = 8  # the same of numbers that grades may have
RARE_COUNT = 0.05  # share of the rows that the largest count may have
ONLY_CLASSES = ("class", "classes", "category", "species", "cluster")  # a whole name that says so
PERCENT = "percentage points"
UNITS = re.compile(
    "mm|cm|dm|km|um|µm|nm|ft|yd|mi|mg|kg|ug|µg|lbs?|oz|ml|cl|dl|ms|secs?|mins?|minutes|hours|hrs|days|weeks|months|years|"
    "usd|eur|gbp|chf|[km]?wh|[km]w|mah|[kmg]?hz|db|ppm|ppb|m?bar|[hkm]?pa|k?cal|rpm|mph|km/?h|kmph|lux|mmhg|mmol",
    re.IGNORECASE,
)
FAR = 0.01  # share of the rows, those farthest from the mean
DECIDED_BY_FEW = 1 / 3  # of the sum of squares, from which on these decide a squared error
FREQUENT = 0.2  # share of the rows with the same value
NEGATIVE = ("0", "no", "n", "false", "negative", "neg", "good", "ham", "normal", "-1", "-", "none", "benign")

MEASURES = {
    "roc_auc": Metric(
        "roc_auc",
        "ROC AUC",
        "how often a row of the class gets a higher probability than a row of the other: 0.5 is chance, 1 is perfect",
    ),
    "accuracy": Metric("accuracy", "accuracy", "the share of rows whose class is predicted right"),
    "balanced_accuracy": Metric(
        "balanced_accuracy", "balanced accuracy", "the share of rows predicted right, each class counting the same"
    ),
    "neg_log_loss": Metric(
        "neg_log_loss", "log loss", "how surprised the probabilities are by the actual classes: 0 is perfect", -1
    ),
    "neg_brier_score": Metric(
        "neg_brier_score",
        "Brier score",
        "the mean squared distance of the probabilities from what happened: 0 is perfect",
        -1,
    ),
    "average_precision": Metric(
        "average_precision",
        "average precision",
        "the mean precision over all thresholds, weighted by the recall that each adds; a ranking at random reaches "
        "the share of the class",
    ),
    "precision": Metric("precision", "precision", "the share of the rows predicted as this class that are of it"),
    "recall": Metric("recall", "recall", "the share of the rows of this class that are predicted as it"),
    "f1": Metric("f1", "F1", "the harmonic mean of precision and recall"),
    "neg_ranked_probability_score": Metric(
        "neg_ranked_probability_score",
        "ranked probability score",
        "the squared distance of the cumulative probabilities from the actual level: 0 is perfect, and a level far "
        "away costs more than the next one",
        -1,
    ),
    "quadratic_weighted_kappa": Metric(
        "quadratic_weighted_kappa",
        "quadratic weighted kappa",
        "agreement beyond chance; an error counts by the square of its distance in levels: 1 is full, 0 as by chance",
    ),
    "levels_off": Metric(
        "levels_off",
        "mean error in levels",
        "how many levels the prediction is away from the actual one, on average",
        -1,
    ),
    "within_one_level": Metric(
        "within_one_level", "within one level", "the share of rows whose prediction is at most one level away"
    ),
    "f1_macro": Metric("f1_macro", "F1", "the harmonic mean of precision and recall, averaged over the classes"),
    "neg_root_mean_squared_error": Metric(
        "neg_root_mean_squared_error",
        "RMSE",
        "the typical error in the target's own unit, large ones weighing more",
        -1,
    ),
    "neg_mean_absolute_error": Metric(
        "neg_mean_absolute_error",
        "mean absolute error",
        "the mean distance between prediction and truth, in the target's unit",
        -1,
    ),
    "neg_median_absolute_error": Metric(
        "neg_median_absolute_error",
        "median absolute error",
        "half of the predictions are at most this far from the truth, in the target's unit",
        -1,
    ),
    "r2": Metric("r2", "R²", "the share of the target's variance that is explained: 0 is as good as the mean"),
}
# What a comparison may be scored by. The others describe a finished model.
FOR_CLASSES = ("roc_auc", "accuracy", "balanced_accuracy", "neg_log_loss", "f1_macro")
FOR_NUMBERS = ("neg_root_mean_squared_error", "neg_mean_absolute_error", "r2")
OF_PROBABILITIES = ("neg_log_loss", "neg_brier_score", "neg_ranked_probability_score")
LARGE_MAJORITY = 0.8  # share of a class from which on the other one is asked for, whatever the names say


def find_task(profile: Profile, target: str | None, wanted: str | None = None, measure: str | None = None) -> Task:
    """The task, and why it was thought to be this one.

    Parameters
    ----------
    profile : of the table
    target : the column to predict, or None
    wanted : one of `KINDS`, where the user said so
    measure : scikit-learn's name of a score, where the user chose one
    """
    _check_wanted(wanted, target)
    if target is None:
        why = "no target was named: groups, outliers and components of the rows are looked for"
        return Task(wanted, "it was requested") if wanted is not None else Task("no target", why)  # type: ignore[arg-type]
    column = _column(profile, target)
    kind, why = (wanted, "it was requested") if wanted else _of_target(column)
    unit = unit_of(column) if kind == "number" else ""
    return Task(kind, why, target, measure=_measure(kind, measure), unit=unit)  # type: ignore[arg-type]


def unit_of(column: ColumnProfile) -> str:
    """The unit of an error: from the values or the end of the name, as in height_cm or length (m); "" if unknown."""
    semantic, name = column.semantic, str(column.name).strip()
    if semantic is not None and semantic.name in ("money", "percentage"):
        return PERCENT if semantic.unit == "%" else "" if semantic.unit == "fraction" else semantic.unit
    bracket = re.search(r"[(\[]([^()\[\]]{1,12})[)\]]$", name)
    unit = bracket[1].strip() if bracket is not None else re.split(r"[_\s]+", name)[-1]
    if unit.lower() in ("%", "pct", "percent"):
        return PERCENT
    known = bracket is not None or (UNITS.fullmatch(unit) is not None and unit != name)
    return unit if known and not unit.isdigit() else ""


def _check_wanted(wanted: str | None, target: str | None) -> None:
    if wanted is not None and wanted not in KINDS:
        raise ParameterError(
            format_message("report", f"the task must be one of {', '.join(KINDS)}", actual=f"got {wanted!r}")
        )
    required = wanted in KINDS[:3]
    if required and target is None:
        raise ParameterError(
            format_message("report", f"the task {wanted!r} needs a target", actual="", hint="--target NAME")
        )
    if wanted is not None and not required and target is not None:
        raise ParameterError(format_message("report", f"the task {wanted!r} has no target", actual=f"got {target!r}"))


def _column(profile: Profile, target: str) -> ColumnProfile:
    names = [str(column.name) for column in profile.columns]
    if target not in names:
        near = [name for name in names if name.lower() == target.lower()] or names
        actual = f"there is no {target!r}; there are {join_some(map(repr, near), 12)}"
        raise DataError(format_message("report", "the target must be a column of the table", actual=actual))
    column = profile.columns[names.index(target)]
    if column.kind == "empty":
        raise DataError(
            format_message("report", "the target must have values", actual=f"every cell of {target!r} is missing")
        )
    if column.kind == "constant":
        actual = f"every cell of {target!r} that is there is {short_repr(column.top[0].value)}"
        raise DataError(format_message("report", "the target must vary", actual=actual))
    if column.kind == "time":
        hint = "make a number of it first, such as the days since a date"
        raise DataError(
            format_message(
                "report", "the target must be classes or numbers", actual=f"{target!r} holds times", hint=hint
            )
        )
    return column


def _may_be_amount(text: str) -> bool:
    """Is this a number with at most one word, such as a unit?

    >>> _may_be_amount("EUR 1,200.50"), _may_be_amount("name 3 of a house")
    (True, False)
    """
    return any(map(str.isdigit, text)) and len(re.findall(r"[^\W\d_]+", text)) <= 1


def _of_target(column: ColumnProfile) -> tuple[TaskKind, str]:
    name, distinct = repr(str(column.name)), column.distinct
    present = column.rows - column.missing
    if distinct == 2:
        first, second = (_shown(top.value) for top in column.top[:2])
        return "two classes", f"{name} has two values, {first} and {second}"
    if column.semantic is not None and column.semantic.name in NOT_NUMBERS and column.stored == "number":
        return _of_numbered_things(column, column.semantic)
    semantic = column.semantic
    if semantic is not None and semantic.name == "ordinal" and 3 <= len(semantic.levels) <= FEW:
        return "several classes", f"{name} holds {len(semantic.levels)} grades: {semantic.evidence}"
    if column.numbers is None:
        if distinct > MOST_CLASSES or 2 * distinct > present:
            actual = f"{name} has {distinct:,} different words in {present:,} rows"
            hint = "choose another target, or group its values"
            if all(_may_be_amount(str(top.value)) for top in column.top):
                option = shlex.quote(f"to_number:{column.name}")
                hint = f"if these are amounts, first: pellucid clean FILE --out OUT --apply {option}"
            raise DataError(
                format_message(
                    "report", f"a target of words needs at most {MOST_CLASSES} classes", actual=actual, hint=hint
                )
            )
        return "several classes", f"{name} has {distinct} different values that are words"
    if column.kind == "discrete" and distinct <= FEW and 10 * distinct <= present:
        low, high = column.numbers.minimum, column.numbers.maximum
        if _counts_things(column):
            return "number", f"{name} counts things: whole numbers from {low:g} to {high:g}, and the largest is rare"
        if low in (0.0, 1.0) and high - low + 1 == distinct:
            return "several classes", f"{name} has the {distinct} values {low:g} to {high:g}, like numbered classes"
        if any(word in str(column.name).lower() for word in CLASS_WORDS):
            return "several classes", f"{name} has {distinct} whole numbers, and its name speaks of classes"
    if column.kind == "discrete" and distinct <= MOST_CLASSES and str(column.name).lower().strip("_ ") in ONLY_CLASSES:
        return "several classes", f"{name} has {distinct} whole numbers, and its name says that they are classes"
    return "number", f"{name} holds {'whole ' if column.kind == 'discrete' else ''}numbers, {distinct:,} different ones"


def _counts_things(column: ColumnProfile) -> bool:
    """Whole numbers from 0 or 1 on that get rarer away from the most frequent one, under a name in the plural or one
    that speaks of a number, such as claims or n_visits. Numbers of classes have other names, or other frequencies; a
    few that start at 1 or are most frequent in their midst may be grades."""
    if column.semantic is not None and column.semantic.name not in ("count", "number"):
        return False
    words = [word for word in re.split(r"[^a-z]+", str(column.name).lower()) if word]
    named = bool(words) and (not COUNT_WORDS.isdisjoint(words) or _is_plural(words[-1]))
    counts = {one.value: one.count for one in column.top}
    if not named or not CLASS_NAMES.isdisjoint(words) or min(counts) not in (0, 1):
        return False
    peak = max(counts, key=lambda value: counts[value])
    if column.distinct < (FEWEST_COUNTS if min(counts) == 0 and peak <= 1 else MORE_THAN_GRADES):
        return False
    ordered = [counts[value] for value in sorted(counts)]
    middle = ordered.index(counts[peak])
    before, after = ordered[middle::-1], ordered[middle:]
    falls = all(far <= near + 5 + 2 * near**0.5 for side in (before, after) for near, far in pairwise(side))
    return falls and after[-1] <= RARE_COUNT * column.present


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _of_numbered_things(column: ColumnProfile, semantic: SemanticType) -> tuple[TaskKind, str]:
    """A target that looks like a code or an identifier: codes are classes, if there are few of them."""
    name, what = repr(str(column.name)), semantic.name.replace("_", " ")
    if semantic.name in ("code", "zip_code") and column.distinct <= min(MOST_CLASSES, column.present // 2):
        return "several classes", f"{name} has {column.distinct} different codes, not quantities: {semantic.evidence}"
    return "number", f"{name} holds numbers, although they look like a column of type {what}: {semantic.evidence}"


def _shown(value: Any) -> str:
    """A value in words; whole numbers without a point."""
    return short_repr(int(value) if isinstance(value, float) and value.is_integer() else value)


def _measure(kind: str, wanted: str | None) -> Metric:
    """The criterion of the comparison: by default one that scores probabilities or rankings, not single predictions."""
    allowed = FOR_NUMBERS if kind == "number" else FOR_CLASSES if kind == "two classes" else FOR_CLASSES[1:]
    if wanted is None:
        defaults = {"two classes": "roc_auc", "number": "neg_root_mean_squared_error"}
        return MEASURES[defaults.get(kind, "neg_log_loss")]
    if wanted not in allowed:
        requirement = f"a measure of this task must be one of {', '.join(allowed)}"
        raise ParameterError(format_message("report", requirement, actual=f"got {wanted!r}"))
    return MEASURES[wanted]


def with_robust_measure(task: Task, y: Floats) -> Task:
    """The task with the mean absolute error in place of the RMSE, where few rows decide a squared error.

    They do if the rows farthest from the mean, one of a hundred, make up a third of the sum of squares or more (7 % of
    a normal distribution, 22 % of an exponential one). Where one value is frequent, such as 0, the best constant by
    absolute error is that value, which says nothing about the others: then the RMSE stays.
    """
    squares = np.sort((y - y.mean()) ** 2)[::-1]
    n_far, total = max(1, round(FAR * len(y))), float(squares.sum())
    share = float(squares[:n_far].sum()) / total if total > 0 else 0.0
    if share < DECIDED_BY_FEW or np.unique(y, return_counts=True)[1].max() > FREQUENT * len(y):
        return task
    make = "makes" if n_far == 1 else "make"
    why = (
        f"{task.why}. Models are compared by mean absolute error, as {n_far:,} of {len(y):,} rows {make} up "
        f"{100 * share:.0f} % of the variance and would decide an RMSE"
    )
    return replace(task, measure=MEASURES["neg_mean_absolute_error"], why=why)


def with_classes(task: Task, y: Any, positive: str | None = None) -> Task:
    """The task with its classes: sorted, and of two the one that is asked for.

    Parameters
    ----------
    y : the target
    positive : the class that the user asks for, as text; None to choose it
    """
    values = np.asarray(y)
    labels, counts = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_counts=True)
    classes = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    if task.kind != "two classes":
        return replace(task, classes=classes)
    if len(classes) != 2:
        actual = f"{task.target!r} has {len(classes)}"
        raise DataError(format_message("report", "the task 'two classes' needs a target of two values", actual=actual))
    chosen, reason = _positive(classes, (counts / counts.sum()).tolist(), positive)
    return replace(task, classes=classes, positive=chosen, positive_reason=reason)


def _positive(classes: tuple[Any, ...], shares: list[float], wanted: str | None) -> tuple[Any, str]:
    """The class whose probability is shown, and why: the user's, the one that names speak for, or the rarer one."""
    if wanted is not None:
        named = [label for label in classes if str(label).strip() == wanted.strip()]
        named = named or [
            label for label in classes if isinstance(label, bool) and str(label).lower() == wanted.strip()
        ]
        if not named:
            actual = f"got {wanted!r}; the classes are {join_some(map(repr, classes))}"
            raise ParameterError(format_message("report", "--positive must be one of the two classes", actual=actual))
        return named[0], "it was requested"
    negative = [k for k, label in enumerate(classes) if str(label).strip().lower().rstrip(".") in NEGATIVE]
    rarer = 0 if shares[0] < shares[1] else 1
    share = f"{percentage(shares[rarer], 1)} of the rows"
    if len(negative) == 1 and shares[1 - negative[0]] <= LARGE_MAJORITY:
        return classes[1 - negative[0]], f"{_shown(classes[negative[0]])} reads like the negative class"
    return classes[rarer], f"it is the rarer one, {share}"
