"""One rule on one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import Classifier
from pellucid.estimator.trace import Trace
from pellucid.models.rules.conditions import Condition
from pellucid.models.rules.rule_set import Rule, RuleSet
from pellucid.models.tree.categories import category_sizes

__all__ = ["OneRClassifier"]

_NO_WEIGHT = np.empty(0)


@dataclass(frozen=True)
class OneColumn:
    """The rule of one column: what each of its values, or each interval of them, says.

    feature, name : the column
    values : the categories by code, or None where the column holds numbers
    cuts : between intervals; interval b is ``cuts[b - 1] < x <= cuts[b]``
    counts : a row for each value or interval that `fit` met, and one for missing values at the end if there were any;
        a column for each class
    codes : category of each row of `counts` (without that of missing values)
    """

    feature: int
    name: str
    values: tuple[Any, ...] | None
    cuts: Floats
    counts: Floats
    codes: Array
    has_missing: bool

    @property
    def labels(self) -> Array:
        """The most frequent class of each row of `counts`, the first of equals."""
        return np.asarray(self.counts.argmax(axis=1))

    @property
    def right(self) -> float:
        """Rows (or their weight) that the rule has right."""
        return float(self.counts.max(axis=1, initial=0.0).sum())

    def conditions(self) -> list[Condition]:
        """A condition for each row of `counts`."""
        if self.values is not None:
            found = [Condition.equals(self.name, self.values[code]) for code in self.codes.tolist()]
        else:
            ends = [-np.inf, *self.cuts.tolist(), np.inf]
            known = len(self.counts) - self.has_missing
            found = [Condition(self.name, ends[b], ends[b + 1], low_open=True) for b in range(known)]
        return [*found, Condition.is_missing(self.name)] if self.has_missing else found

    def places(self, x: Floats) -> Array:
        """The row of `counts` for each value; -1 where there is none."""
        known = len(self.counts) - self.has_missing
        missing = np.isnan(x)
        if self.values is None:
            found: Array = np.searchsorted(self.cuts, x, side="left") if known else np.full(len(x), -1)
        else:
            place = np.full(len(self.values) + 1, -1)
            place[self.codes] = np.arange(len(self.codes))
            with np.errstate(invalid="ignore"):
                inside = (x >= 0) & (x < len(self.values)) & (x == np.floor(x))
                found = place[np.where(inside, x, len(self.values)).astype(np.int64)]
        return np.where(missing, known if self.has_missing else -1, found)


class OneRClassifier(Classifier):
    """One rule on the one column that errs least: surprisingly hard to beat by far, and read in a moment (1R).

    For a column with values (or intervals) v, with ``n_vc`` rows of class c among those of value v,

        ``class of v = argmax_c n_vc``,    ``errors = sum_v (n_v - max_c n_vc)``

    and the column with the fewest errors is the rule (the first of equals). Categories are values as they are. Numbers
    are cut: in ascending order an interval takes values until one class has `min_bucket` rows in it, and then on as
    long as the next value has that class only; neighbors with the same class become one interval. Without the least
    number of rows a column of distinct numbers would have an interval for each row, and no error. A missing value is a
    value of its own. A category (or missing value) that `fit` did not meet gets the most frequent class.

    Prefer a tree, RIPPER or any other classifier if columns matter together; compare them with this one first.

    Attributes
    ----------
    classes_ : the labels, sorted
    feature_, feature_name_ : the column of the rule, its place and its name
    errors_ : rows (or their weight) of `fit` that the rule of each column has wrong
    columns_ : list of OneColumn
        The rule of each column: `cuts`, `counts`, `labels`.
    rules_ : RuleSet
        The rule, one line a value or interval.
    class_counts_ : rows (or their weight) of each class
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Windy days err 1 of 2 times, the outlook never:

    >>> from pellucid.rules import OneRClassifier
    >>> X = [["sunny", "no"], ["sunny", "yes"], ["rainy", "yes"], ["rainy", "no"]]
    >>> model = OneRClassifier().fit(X, ["out", "out", "home", "home"])
    >>> model.errors_.tolist(), model.feature_
    ([0.0, 2.0], 0)
    >>> print(model.rules_)
    IF x0 = rainy THEN home  # 2 covered, 2 right
    IF x0 = sunny THEN out  # 2 covered, 2 right
    DEFAULT home  # 0 not covered

    Notes
    -----
    All rows of a value are taken at once when numbers are cut, so that the order of the rows does not matter; programs
    that go row by row may cut columns with many equal values elsewhere.

    References
    ----------
    R. C. Holte (1993). Very simple classification rules perform well on most commonly used datasets. Machine
    Learning 11.
    """

    min_bucket: float = param(
        default=6, low=0, low_open=True, doc="Fewest rows (or least weight) of one class in an interval of numbers."
    )
    categorical_features: Any = param(
        default=None,
        doc="Columns of numbers that are codes 0, 1, ... of categories: places, names, or one flag a column. Columns "
        "of names are categories by themselves.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(categories=True, missing=True, unknown="missing")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one column alone
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        if not d.y_is_vector:
            raise DataError(
                format_message(d.who, "y must be one column of labels", actual=f"got {d.y.shape[1]} columns")
            )
        codes, n_classes = d.y[:, 0].astype(np.int32), len(self.classes_)
        weight = np.ones(d.n_rows) if d.weight is None else d.weight
        self.class_counts_: Floats = np.asarray(np.bincount(codes, weights=weight, minlength=n_classes), dtype=float)
        self.columns_: list[OneColumn] = _columns(d, self, codes, n_classes)
        self.errors_: Floats = np.array([self.class_counts_.sum() - column.right for column in self.columns_])
        self.feature_: int = int(np.argmax([column.right for column in self.columns_]))
        self.feature_name_: str = self.columns_[self.feature_].name

    # ---------------------------------------------------------------------------------------------------------- answers

    def _predict_proba(self, d: Design) -> Floats:
        rule = self.columns_[self.feature_]
        counts = np.vstack([rule.counts, self.class_counts_])  # the last row is for what fit did not meet
        shares = counts / counts.sum(axis=1, keepdims=True)
        return np.asarray(shares[rule.places(np.asarray(d.numbers[:, self.feature_], dtype=np.float64))])

    @property
    def rules_(self) -> RuleSet:
        """The rule, one line a value or interval, with the classes of its rows."""
        self._check_fitted()
        column, classes = self.columns_[self.feature_], self.classes_.tolist()
        told = zip(column.conditions(), column.labels.tolist(), column.counts.tolist(), strict=True)
        rules = tuple(Rule(when, classes[label], counts=tuple(counts)) for when, label, counts in told)
        default = classes[int(self.class_counts_.argmax())]
        return RuleSet(rules, tuple(classes), default=default, default_counts=(0.0,) * len(classes))


def _columns(d: Design, told: OneRClassifier, codes: Array, n_classes: int) -> list[OneColumn]:
    """The rule of every column."""
    sizes = category_sizes(d, told.categorical_features).astype(np.int64)
    weight = _NO_WEIGHT if d.weight is None else d.weight
    numbers = np.flatnonzero(sizes == 0).astype(np.int32)
    threads = told._threads
    cut = _core.one_r_buckets(d.matrix, numbers, codes, weight, n_classes, float(told.min_bucket), threads)
    buckets = dict(zip(numbers.tolist(), cut, strict=True))
    counted = np.split(_core.count_codes(d.numbers, sizes, codes, n_classes, weight, threads), np.cumsum(sizes)[:-1])
    labels, found = d.column_labels(), []
    for j in range(d.n_cols):
        values = None if sizes[j] == 0 else d.schema.categories.get(j, tuple(range(int(sizes[j]))))
        cuts, counts = buckets.get(j, (np.empty(0), counted[j]))
        used = np.flatnonzero(counts.sum(axis=1) > 0)
        gone = _missing_counts(d, j, codes, n_classes)
        has_missing = bool(gone.sum() > 0)
        counts = np.vstack([counts[used], gone]) if has_missing else counts[used]
        found.append(
            OneColumn(j, labels[j], values, cuts, counts, used if values is not None else used[:0], has_missing)
        )
    return found


def _missing_counts(d: Design, j: int, codes: Array, n_classes: int) -> Floats:
    rows = np.flatnonzero(np.isnan(d.numbers[:, j]))
    return np.bincount(codes[rows], None if d.weight is None else d.weight[rows], n_classes).astype(np.float64)
