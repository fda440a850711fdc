"""Rules that are right, one class after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message, join_some
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.trace import Trace
from pellucid.models.rules.conditions import All, Condition
from pellucid.models.rules.matcher import AND, Matcher
from pellucid.models.rules.rule_set import Rule, RuleSet
from pellucid.models.tree.categories import category_sizes
from pellucid.models.tree.coded import interval_edges
from pellucid.rules._ruled import RuledClassifier, measure

__all__ = ["PRISMClassifier"]

_FINE = 40  # bits of the largest weight where they are no whole numbers
_MOST_CONDITIONS = 2**31


@dataclass(frozen=True)
class Steps:
    """The conditions of all rules in the order in which they were chosen.

    label, starts : class of each rule; its conditions are those from ``starts[i]`` to ``starts[i + 1]``
    feature, code : column, and value or interval of each condition
    right, covered : p and t of the rule with its conditions up to this one, among the rows that were left
    """

    label: Array
    starts: Array
    feature: Array
    code: Array
    right: Floats
    covered: Floats


@dataclass(frozen=True)
class Coding:
    """Columns as codes: categories by their own, numbers by their interval ``edges[j][i - 1] < x <= edges[j][i]``."""

    sizes: Array
    edges: dict[int, Floats]
    values: dict[int, tuple[Any, ...]]

    def codes(self, numbers: Array) -> Array:
        """Columns x rows, -1 where a value is missing."""
        found = np.empty((numbers.shape[1], len(numbers)), dtype=np.int32)
        for j in range(len(found)):
            x = np.asarray(numbers[:, j], dtype=np.float64)
            codes = np.searchsorted(self.edges[j], x, side="left") if j in self.edges else np.where(np.isnan(x), 0, x)
            found[j] = np.where(np.isnan(x), -1, codes)
        return found

    def condition(self, name: str, j: int, code: int) -> Condition:
        """The value or interval of a code."""
        if j not in self.edges:
            return Condition.equals(name, self.values[j][code])
        ends = [-np.inf, *self.edges[j].tolist(), np.inf]
        return Condition(name, ends[code], ends[code + 1], low_open=True)


class PRISMClassifier(RuledClassifier):
    """Rules that are right wherever they apply, built one condition at a time, one class after the other.

    For a class, as long as rows of it are left, a rule begins without conditions. Of all conditions  column = value  on
    columns that the rule does not use yet it takes the one with the largest

        ``p / t``

    t being the rows left that the rule with this condition covers and p those of them that have the class; of equals
    the one with the larger p, then the first column, then the first value. When p = t (or no column is left, because
    equal rows have different classes) the rule is done, and the rows it covers are left out for the rest of this class.
    The next class begins with all rows again. So the rules of a class do not depend on the other classes' rules, and
    can be read by themselves, unlike those of a decision list.

    Numbers have no values that recur, so each column of them is cut into `n_bins` intervals of about equal weight first
    (or refused, `numbers`). A missing value satisfies no condition. Where rules of several classes fire for a row,
    `conflict` decides; where none does, the row gets the most frequent class among the rows of `fit` that no rule
    covers.

    The rules fit noise as gladly as anything else: `min_accuracy` below 1 and `min_rows` above 1 end them earlier.
    Prefer `RIPPERClassifier` or a pruned tree for noisy data, `RuleClassifier` for rules of your own.

    Attributes
    ----------
    classes_ : the labels, sorted
    rules_ : RuleSet
        The rules, class after class, with the classes of the rows that each covers.
    steps_ : Steps
        Every condition with its p and t, in the order in which they were chosen.
    coding_ : Coding
        The values and intervals of the columns.
    coverage_, accuracy_ : of each rule
    decided_counts_, n_conflicts_ : as in `RuleClassifier`
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Of the rainy days 2 of 2 are spent at home; of the sunny ones the windy.

    >>> from pellucid.rules import PRISMClassifier
    >>> X = [["sunny", "calm"], ["sunny", "windy"], ["rainy", "windy"], ["rainy", "calm"]]
    >>> model = PRISMClassifier().fit(X, ["out", "home", "home", "home"])
    >>> print(model.rules_)
    IF x0 = rainy THEN home  # 2 covered, 2 right
    IF x1 = windy THEN home  # 2 covered, 2 right
    IF x0 = sunny AND x1 = calm THEN out  # 1 covered, 1 right
    DEFAULT home  # 0 not covered

    References
    ----------
    J. Cendrowska (1987). PRISM: an algorithm for inducing modular rules. International Journal of Man-Machine
    Studies 27.
    """

    numbers: Literal["cut", "refuse"] = param(
        default="cut", doc="Columns of numbers: 'cut' into intervals of about equal weight, or 'refuse'."
    )
    n_bins: int = param(default=5, low=2, doc="Most intervals of a column of numbers.")
    min_accuracy: float = param(default=1.0, low=0, high=1, doc="A rule is done when p / t is at least this.")
    min_rows: float = param(default=1, low=0, doc="Fewest rows (or least weight) t that a condition may leave.")
    max_conditions: int | None = param(default=None, low=1, doc="Most conditions of a rule. None: as many as columns.")
    conflict: Literal["first", "vote", "priority"] = param(
        default="vote",
        doc="Where rules of several classes fire: the classes get a 'vote', each rule counting with its p / t (of "
        "equals the first class); the 'first' rule decides; or the first class in `classes_` ('priority').",
    )
    probability: Literal["vote", "share"] = param(
        default="vote",
        doc="`predict_proba`: each class's share of the votes, 1 for the predicted class unless conflict='vote'; or "
        "its 'share' among the rows of `fit` behind the rule that decides, the mean of several in a vote.",
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

    def _fit(self, d: Design, trace: Trace) -> None:
        labels = self._one_column(d)
        self.coding_: Coding = self._coding(d)
        self.steps_: Steps = self._learn(d, labels)
        self.rules_: RuleSet = self._rule_set(d.column_labels())
        self._matcher_ = Matcher(self.rules_, _program(self.steps_, self.coding_), self.steps_.label, [])
        measured = measure(self._matcher_, d, labels, self._threads, pairs=False)
        left = measured.decided[-1]
        default = int((left if left.sum() > 0 else measured.decided.sum(axis=0)).argmax())
        self.rules_ = RuleSet(
            self.rules_.rules, self.rules_.classes, default=self.rules_.classes[default], policy=self.conflict
        )
        self._keep_measured(measured)

    def _matcher_categories(self) -> Mapping[int, Sequence[Any]]:
        return self.coding_.values

    def _coding(self, d: Design) -> Coding:
        sizes = category_sizes(d, self.categorical_features).astype(np.int64)
        labels, columns = d.column_labels(), np.flatnonzero(sizes == 0).tolist()
        if self.numbers == "refuse" and columns:
            requirement = "with numbers='refuse' every column must hold categories"
            actual = f"{join_some(repr(labels[j]) for j in columns)} hold numbers"
            hint = "numbers='cut' cuts them into intervals; categorical_features says which are codes"
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
        edges = {j: interval_edges(*_known(d, j, self.n_bins)) for j in columns}
        for j, cuts in edges.items():
            sizes[j] = len(cuts) + 1
        values = {j: d.schema.categories.get(j, tuple(range(int(sizes[j])))) for j in range(d.n_cols) if j not in edges}
        return Coding(sizes, edges, values)

    def _learn(self, d: Design, labels: Array) -> Steps:
        rows = slice(None) if d.weight is None else np.flatnonzero(d.weight > 0)
        weight, unit = _whole(d.weight, d.n_rows)
        found = _core.prism(
            np.ascontiguousarray(self.coding_.codes(d.numbers)[:, rows]),
            self.coding_.sizes,
            np.ascontiguousarray(labels[rows]),
            np.ascontiguousarray(weight[rows]),
            len(self.classes_),
            float(self.min_accuracy),
            int(np.ceil(self.min_rows / unit)),
            _MOST_CONDITIONS if self.max_conditions is None else int(self.max_conditions),
            self._threads,
        )
        return Steps(*found[:4], found[4] * unit, found[5] * unit)

    def _rule_set(self, names: list[str]) -> RuleSet:
        steps, classes = self.steps_, self.classes_.tolist()
        made: dict[tuple[int, int], Condition] = {}  # one object for a condition, however many rules have it
        asked = list(zip(steps.feature.tolist(), steps.code.tolist(), strict=True))
        for j, code in set(asked):
            made[j, code] = self.coding_.condition(names[j], j, code)
        rules, starts, last = [], steps.starts.tolist(), steps.starts[1:] - 1
        share = (steps.right[last] / steps.covered[last]).tolist()
        for i, label in enumerate(steps.label.tolist()):
            tests = tuple([made[one] for one in asked[starts[i] : starts[i + 1]]])
            rules.append(Rule(All(tests) if len(tests) > 1 else tests[0], classes[label], share[i]))
        return RuleSet(tuple(rules), tuple(classes), policy=self.conflict)


def _program(steps: Steps, coding: Coding) -> tuple[Array, ...]:
    """What `Matcher` would write for the rules: a test for each condition that occurs, joined by AND."""
    first = np.concatenate([[0], np.cumsum(coding.sizes)])
    places, test = np.unique(first[steps.feature] + steps.code, return_inverse=True)
    feature = np.searchsorted(first, places, side="right") - 1
    low = (places - first[feature]).astype(np.float64)  # a code
    high = low.copy()
    for j, edges in coding.edges.items():
        ends, own = np.concatenate([[-np.inf], edges, [np.inf]]), feature == j
        code = low[own].astype(np.int64)
        low[own], high[own] = np.nextafter(ends[code], np.inf), ends[code + 1]
    # Of a rule: the first test, then the second and AND, the third and AND, ...
    lengths = np.diff(steps.starts)
    starts = np.concatenate([[0], np.cumsum(2 * lengths - 1)])
    place = np.arange(len(test)) - np.repeat(steps.starts[:-1], lengths)  # within its rule
    written = np.full(starts[-1], AND)
    written[np.repeat(starts[:-1], lengths) + np.maximum(2 * place - 1, 0)] = test
    none = np.zeros(len(places) + 1, dtype=np.int64)
    return (
        feature.astype(np.int32),
        low,
        high,
        np.zeros(len(places), dtype=np.uint8),
        none,
        np.empty(0, dtype=np.uint32),
        written.astype(np.int32),
        starts.astype(np.int64),
    )


def _known(d: Design, j: int, most: int) -> tuple[Floats, int, Floats | None]:
    """A column of numbers with the rows that count, for its cuts."""
    x = np.asarray(d.numbers[:, j], dtype=np.float64)
    if d.weight is None:
        return x, most, None
    counted = d.weight > 0
    return x[counted], most, d.weight[counted]


def _whole(weight: Floats | None, n: int) -> tuple[Array, float]:
    """Weights as whole numbers, and the weight that 1 stands for: sums of them are exact."""
    if weight is None:
        return np.ones(n, dtype=np.int64), 1.0
    if weight.max() <= 2**_FINE and (weight == np.floor(weight)).all():
        return weight.astype(np.int64), 1.0
    unit = float(np.ldexp(1.0, int(np.frexp(weight.max())[1]) - _FINE))
    return np.where(weight > 0, np.maximum(np.rint(weight / unit), 1), 0).astype(np.int64), unit
