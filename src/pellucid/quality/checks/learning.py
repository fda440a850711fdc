"""What a model would stumble over: leaks, rare classes, too many levels, skew, scales."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.quality._threads import each
from pellucid.quality.checks._reading import Reading, codes_of, reading, readings
from pellucid.quality.checks._saying import NO_ROWS, percent, shown_at
from pellucid.quality.checks.outliers import skewness
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import Column, TableStats
from pellucid.quality.findings import Finding, Severity


def _is_class(target: Reading) -> bool:
    return target.role != "number" or target.n_distinct <= max(2, min(20, target.n_content // 20))


@register_check("leakage")
def leakage(stats: TableStats, *, sure: float = 0.99, likely: float = 0.95, bins: int = 32) -> list[Finding]:
    """Columns that alone tell the target: learned on one half of the rows, tried on the other.

    The rule is the most frequent class, or the mean, of each value (of ``bins`` ranges of numbers); the score is how
    far it gets from guessing (0) to knowing (1), with classes weighted alike."""
    if stats.target is None or stats.n_rows < 40:
        return []
    target = reading(stats.target)
    halves = _halves(stats.target, target)
    tried = [
        read
        for read in readings(stats)
        if read is not target
        and read.role not in ("empty", "text")
        and (read.role == "number" or not read.is_identifier)
    ]
    findings = []
    scores = each(lambda read: _gain(read, halves, bins), tried, stats.threads, stats.n_rows)
    for read, score in zip(tried, scores, strict=True):
        if score >= likely:
            severity: Severity = "warning" if score >= sure else "note"
            text = _told(score, halves, str(stats.target.name))
            text += " (rows kept apart): is it known before the target is?"
            findings.append(Finding("leakage", severity, (read.column.name,), NO_ROWS, text, None))
    return findings


def _told(score: float, halves: Halves, target: str) -> str:
    """What the score of a column means. A column that separates a rare class well may still give many false alarms."""
    if not halves.n_classes:
        return f"alone explains {percent(score)} of the variance of {target!r}"
    n_classes = len(np.unique(halves.y_test))
    recall = (1 + (n_classes - 1) * score) / n_classes
    return f"alone recognizes {percent(recall)} of the rows of a class of {target!r} on average"


@dataclass(frozen=True)
class Halves:
    """The rows on which a rule is learned and those on which it is tried, in order, with the target of each.

    half : rows by which ranges are found: those of ``learn``, and those whose target is no finite number
    n_classes : 0 if the target is a number
    """

    half: Array
    learn: Array
    test: Array
    y_learn: Array
    y_test: Array
    n_classes: int


def _halves(column: Column, target: Reading) -> Halves:
    codes = codes_of(column)
    order = np.random.default_rng(0).permutation(np.flatnonzero(codes >= 0))
    half, test = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    if _is_class(target):
        return Halves(half, half, test, codes[half], codes[test], len(column.values))
    y = target.numbers
    learn, test = half[np.isfinite(y[half])], test[np.isfinite(y[test])]
    return Halves(half, learn, test, y[learn], y[test], 0)


def _gain(read: Reading, halves: Halves, bins: int) -> float:
    """How well a column alone tells the target; less than anything where it has too many values to say."""
    groups, n_groups = _ranges(read, halves.half, bins)
    if n_groups > len(halves.half) / 3:
        return -inf
    learned, tried = groups[halves.learn], groups[halves.test]
    if halves.n_classes:
        return _class_gain(learned, tried, n_groups, halves)
    return _mean_gain(learned, tried, n_groups, halves)


def _ranges(read: Reading, learn: Array, bins: int) -> tuple[Array, int]:
    """Each row's group: its value, or the range of numbers that it lies in; missing is a group."""
    codes = read.column.codes
    if read.role != "number" or read.n_distinct <= bins:
        n_values = len(read.column.values)
        return np.append(np.where(read.nothing, n_values, np.arange(n_values)), n_values)[codes], n_values + 1
    some = read.numbers[learn]
    some = some[np.isfinite(some)]
    cuts = np.unique(np.percentile(some, np.linspace(0, 100, bins + 1)[1:-1])) if len(some) else np.array([0.0])
    values = np.append(read.value_numbers, np.nan)  # the last one is for missing cells, whose code is -1
    group = np.where(np.isnan(values), len(cuts) + 1, np.searchsorted(cuts, values, side="left"))
    return group.astype(np.int16 if len(cuts) < 2**15 - 2 else np.int64)[codes], len(cuts) + 2


def _class_gain(learned: Array, tried: Array, n_groups: int, halves: Halves) -> float:
    n_classes = halves.n_classes
    table = np.bincount(learned.astype(np.int64) * n_classes + halves.y_learn, minlength=n_groups * n_classes)
    sizes = np.bincount(halves.y_learn, minlength=n_classes)
    rule = np.argmax(table.reshape(n_groups, n_classes) / np.maximum(sizes, 1), axis=1)
    n_correct = np.bincount(halves.y_test[rule[tried] == halves.y_test], minlength=n_classes)
    often = np.bincount(halves.y_test, minlength=n_classes)
    per_class = n_correct[often > 0] / often[often > 0]
    if len(per_class) < 2:
        return 0.0
    base = 1 / len(per_class)
    return (float(np.mean(per_class)) - base) / (1 - base)


def _mean_gain(learned: Array, tried: Array, n_groups: int, halves: Halves) -> float:
    if len(halves.test) < 10:
        return 0.0
    mean = float(halves.y_learn.mean())
    sums = np.bincount(learned, weights=halves.y_learn - mean, minlength=n_groups)
    means = sums / np.maximum(np.bincount(learned, minlength=n_groups), 1)
    errors = halves.y_test - mean - means[tried]
    total = float(((halves.y_test - halves.y_test.mean()) ** 2).sum())
    return 1 - float((errors**2).sum()) / total if total > 0 else 0.0


@register_check("imbalance")
def imbalance(stats: TableStats, *, rare: float = 0.1, very_rare: float = 0.01) -> list[Finding]:
    """Classes of the target with few rows."""
    if stats.target is None:
        return []
    target = reading(stats.target)
    if not _is_class(target) or target.n_distinct < 2:
        return []
    counts = np.where(target.nothing, 0, stats.target.counts)
    rarest = int(np.argmin(np.where(target.nothing, stats.n_rows + 1, counts)))
    # Of all cells that are filled in: a word such as "none" may be a class as well as a missing value.
    share = int(counts[rarest]) / max(int(stats.target.counts.sum()), 1)
    if share >= rare or (target.n_distinct > 2 and share >= 0.5 / target.n_distinct):
        return []
    is_nominal = target.role != "number" or target.n_distinct == 2  # several numbers may as well be a scale
    severity: Severity = "warning" if is_nominal and (share < very_rare or counts[rarest] < 10) else "note"
    rows = count(int(counts[rarest]), "row")
    text = f"the class {shown_at(stats.target, rarest)} has only {rows} ({percent(share)}): "
    metrics = "recall, precision and average precision" if len(stats.target.counts) == 2 else "recall and precision"
    text += f"accuracy hardly shows how well it is predicted; look at its {metrics}"
    return [Finding("imbalance", severity, (stats.target.name,), NO_ROWS, text, None)]


@register_check("many_levels")
def many_levels(stats: TableStats, *, least: int = 50) -> list[Finding]:
    """Columns of names with so many levels that one column each would be too many."""
    findings = []
    encodings = "hashing" if stats.target is None else "the target or by hashing"
    for read in readings(stats):
        if read.role != "category" or read.n_distinct < least or read.is_identifier or read.column is stats.target:
            continue
        if read.semantic is not None and read.semantic.name == "time_of_day":
            continue
        once = int((read.column.counts[~read.nothing] == 1).sum())
        text = count(read.n_distinct, "level") + (f", {once:,} of them in one row only" if once else "")
        text += f": encode them by {encodings}, or gather the rare ones"
        findings.append(Finding("many_levels", "note", (read.column.name,), NO_ROWS, text, None))
    return findings


@register_check("skewed_columns")
def skewed_columns(stats: TableStats, *, skew: float = 2.0) -> list[Finding]:
    """Positive numbers so skewed that their logarithm would serve better."""
    findings = []
    for read in readings(stats):
        numbers = read.numbers[np.isfinite(read.numbers)] if read.is_measure and read.n_distinct >= 20 else np.array([])
        if len(numbers) < 50 or numbers.min() <= 0:
            continue
        now, then = skewness(numbers), skewness(np.log(numbers))
        if now > skew and abs(then) < 0.5 * now and abs(then) < 1.5:
            text = f"skewed to the right (skewness {now:.2f}); its logarithm is less so ({then:.2f})"
            findings.append(Finding("skewed_columns", "note", (read.column.name,), NO_ROWS, text, None))
    return findings


@register_check("scales")
def scales(stats: TableStats, *, ratio: float = 1000.0) -> list[Finding]:
    """Columns of numbers on scales so different that the largest rules distances and penalties."""
    spread = {}
    for read in readings(stats):
        if read.is_measure and read.n_distinct > 2 and read.column is not stats.target:
            numbers = read.numbers[np.isfinite(read.numbers)]
            with np.errstate(over="ignore", invalid="ignore"):
                size = float(np.std(numbers)) if len(numbers) else 0.0
            if np.isfinite(size) and size > 1e-12 * float(np.abs(numbers).max()):  # not what rounding leaves
                spread[read.column.name] = size
    if len(spread) < 2:
        return []
    small, large = min(spread, key=lambda n: spread[n]), max(spread, key=lambda n: spread[n])
    if spread[large] < ratio * spread[small]:
        return []
    times = f"{spread[large] / spread[small]:,.0f} times"
    text = f"the numbers of {str(large)!r} spread {times} as far as those of {str(small)!r}: "
    text += "scale them before methods that use distances or penalties"
    return [Finding("scales", "note", (large, small), NO_ROWS, text, None)]
