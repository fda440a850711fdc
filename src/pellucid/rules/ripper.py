"""RIPPER: a short list of rules, grown and pruned class by class, then optimized."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, format_message, join_some, short_repr, warn
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.trace import Trace
from pellucid.models.rules.conditions import Condition, both
from pellucid.models.rules.rule_set import Rule, RuleSet
from pellucid.models.tree.categories import category_sizes
from pellucid.rules._ruled import RuledClassifier, measure

__all__ = ["RIPPERClassifier"]

_NO_LIMIT = 2**62
_PRUNE_VALUES = ("laplace", "cohen")


def _check_order(value: Any) -> str | None:
    labels = np.asarray(value, dtype=object)
    if isinstance(value, str) or (labels.ndim == 1 and len(labels) > 1):
        return None
    return f"class_order must be 'frequency' or a list of two labels or more; got {short_repr(value)}"


class RIPPERClassifier(RuledClassifier):
    """A short list of IF-THEN rules, learned class by class; the first rule that fires decides.

    Classes have their turn from the rarest to the most frequent; the last one is the default. For each, RIPPER (Cohen
    1995; Weka calls it JRip) covers its rows by rules, one after the other:

    * *Grow* on two thirds of the rows that no rule covers yet: add the condition (``x <= v``, ``x >= v`` at values of
      the data, ``x = v`` for categories) with the largest gain of FOIL, until no row of another class is covered,

          ``gain = p (log2(p / (p + n)) - log2(P / (P + N)))``

      with P rows of the class and N others covered before the condition, p and n after it.
    * *Prune* on the other third: keep the beginning of the rule with the largest ``(p + 1) / (p + n + 2)``, or
      ``(p - n) / (p + n)`` as Cohen has it.
    * *Stop* when the description length, the bits for the rules and for the rows on which they err, is more than 64
      above the smallest so far, or half of what a rule covers is wrong. Rules without which the description is no
      longer are deleted.
    * *Optimize*, twice: for each rule grow a replacement from nothing and a revision from the rule, both pruned for the
      accuracy of the whole set; of the three the one with the shortest description stays. Then cover what is left.

    The lengths: a rule of k conditions out of m possible ones takes ``(log2 k + 2 log2 log2 k + S(m, k, k/m)) / 2``
    bits, where ``S(t, k, p) = -k log2 p - (t - k) log2(1 - p)`` says which k of t; the rows take
    ``log2(n + 1) + S(C, fp, p_C) + S(U, fn, p_U)`` with C covered and U uncovered rows and the errors among them. The
    larger side's p is what the class's share of the rows lets expect, the smaller side's its own share of errors.

    A missing value, or a category that `fit` did not see, fails every test. Weights count as rows: 2 is the row written
    twice, and real weights are taken. Which rows are for pruning is decided by `random_state` and the values of a row,
    so the order of the rows changes nothing.

    Prefer `PRISMClassifier` for noiseless categories, a decision tree or an ensemble where accuracy is worth more than
    a list to read, and `OneRClassifier` for a baseline.

    Attributes
    ----------
    classes_ : the labels, sorted
    rules_ : `RuleSet`, the list of rules with what each covers in fit; print it
    class_order_ : the labels in the order in which they were learned, the last one without rules
    decided_counts_ : (rules + 1) x classes
        Rows (or their weight) of each class that a rule decided in fit; the last line of those that none covered.
    coverage_, accuracy_ : of each rule: the share of the rows for which it fires, and of those that it has right
    conflicts_, n_conflicts_ : pairs of rules with different labels that fire for the same rows, and how many such rows
    n_rules_ : number of rules, without the default
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Six of fourteen fruits are ripe, the red ones: one rule says so. Four of the ripe ones and six of the others are for
    growing, so its first and only condition gains ``4 (log2(4/4) - log2(4/10)) = 5.3`` bits.

    >>> from pellucid.rules import RIPPERClassifier
    >>> X = [["red", "big"], ["red", "small"]] * 3 + [["green", "big"], ["green", "small"]] * 4
    >>> model = RIPPERClassifier(random_state=0).fit(X, ["ripe"] * 6 + ["unripe"] * 8)
    >>> print(model.rules_)
    IF x0 = red THEN ripe  # 6 covered, 6 right
    DEFAULT unripe  # 8 not covered
    >>> model.predict([["red", "tiny"], ["blue", "big"]]).tolist()
    ['ripe', 'unripe']

    Notes
    -----
    As in JRip: the pruning value, `min_weight`, the half in a rule's bits, idle conditions (``x <= 5`` before
    ``x <= 3``) removed at the end, the default being the most frequent class among the rows left over. Otherwise:
    gains are not smoothed; rules are deleted and variants compared by the description length of the set as it would
    be, as Cohen writes, where JRip's sums count some bits twice; rows of a split are drawn class by class without
    replacement, so that equal rows share one fate. Gains that are equal to ten digits are ties: the first column, the
    smallest value, ``<=`` before ``>=`` wins.

    References
    ----------
    Cohen: Fast effective rule induction. ICML 1995.
    Quinlan: MDL and categorical theories (continued). ICML 1995.
    """

    folds: int = param(default=3, low=2, doc="One part in so many of the rows is for pruning.")
    optimizations: int = param(default=2, low=0, doc="Rounds of optimization.")
    min_weight: float = param(
        default=2.0, low=0, doc="Rows of its class (or their weight) that a growing rule must keep covered."
    )
    pruning: bool = param(default=True, doc="False: rules are grown on all rows, and neither pruned nor optimized.")
    prune_value: Literal["laplace", "cohen"] = param(
        default="laplace", doc="What pruning maximizes: (p + 1) / (p + n + 2), or 'cohen': (p - n) / (p + n)."
    )
    check_error: bool = param(default=True, doc="Is a rule refused that is wrong for half of the rows it decides?")
    max_rules: int | None = param(default=None, low=0, doc="Most rules, the default not counted; None: no limit.")
    max_conditions: int | None = param(default=None, low=1, doc="Most conditions of a growing rule; None: no limit.")
    class_order: Literal["frequency"] | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default="frequency",
        check=_check_order,
        doc="From the rarest class to the most frequent, or the labels in their order, the default last.",
    )
    laplace: bool = param(default=False, doc="Are probabilities (c + 1) / (n + classes) instead of shares c / n?")
    categorical_features: Any = param(
        default=None,
        doc="Columns of whole numbers that are codes of categories: places, names, or one flag a column. Columns of "
        "names are categories without being listed.",
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the splits into rows for growing and for pruning."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(missing=True, categories=True, unknown="missing")

    # --------------------------------------------------------------------------------------------------------- learning

    def _fit(self, d: Design, trace: Trace) -> None:
        codes = self._one_column(d)
        weight = np.ones(d.n_rows) if d.weight is None else d.weight
        with np.errstate(over="ignore"):
            totals = np.bincount(codes, weights=weight, minlength=len(self.classes_)).astype(np.float64)
            whole = totals.sum()
        if not np.isfinite(whole):
            requirement, hint = (
                "the sum of sample_weight must fit into 64-bit floats",
                "divide the weights by their mean",
            )
            raise DataError(format_message(d.who, requirement, actual="it is infinite", hint=hint))
        self._warn_of_light_weights(d, float(whole))
        order = self._order(totals, d.who)
        place = np.argsort(order).astype(np.int32)
        self._seed_ = seed_from(self.random_state)
        is_category = (category_sizes(d, self.categorical_features) > 0).astype(np.uint8)
        found, record = _core.ripper(
            d.matrix, is_category, place[codes], weight, len(order), self._settings(), trace.record
        )
        trace.take(record)
        self.class_order_: Array = self.classes_[order]
        left = found["counts"][-1][place]
        default = self.classes_[left.argmax() if left.any() else order[-1]]
        matcher = self._take_rules(self._rule_set(d, found, default), d.column_labels(), d.schema.categories)
        self._keep_measured(measure(matcher, d, codes, self._threads, pairs=False))
        self.n_rules_: int = len(self.rules_)

    def _warn_of_light_weights(self, d: Design, whole: float) -> None:
        least = 2 * float(self.min_weight)
        if d.weight is not None and whole < least <= np.count_nonzero(d.weight):
            requirement = f"the weights should sum to at least twice min_weight={self.min_weight:g}"
            actual = f"they sum to {whole:g}, too little for rules"
            hint = "a weight says how often a row is there: multiply them, say by the number of rows over their sum"
            warn(format_message(d.who, requirement, actual=actual, hint=hint), PellucidWarning)

    def _settings(self) -> _core.RipperSettings:
        return _core.RipperSettings(
            folds=float(self.folds),
            optimizations=int(self.optimizations),
            min_weight=float(self.min_weight),
            max_conditions=_NO_LIMIT if self.max_conditions is None else int(self.max_conditions),
            max_rules=_NO_LIMIT if self.max_rules is None else int(self.max_rules),
            prune=bool(self.pruning),
            prune_by=_PRUNE_VALUES.index(self.prune_value),
            check_error=bool(self.check_error),
            seed=self._seed_,
            threads=self._threads,
        )

    def _order(self, totals: Floats, who: str) -> Array:
        """Codes of the classes in the order in which they are learned."""
        if isinstance(self.class_order, str):
            return np.argsort(totals, kind="stable")
        labels, given = self.classes_.tolist(), np.asarray(self.class_order, dtype=object).tolist()
        order = [labels.index(label) for label in given if label in labels]
        if len(given) != len(labels) or sorted(order) != list(range(len(labels))):
            actual = f"got {join_some(map(repr, given))} for the classes {join_some(map(repr, labels))}"
            raise ParameterError(format_message(who, "class_order must name every class once", actual=actual))
        return np.array(order, dtype=np.int64)

    def _rule_set(self, d: Design, found: dict[str, Array], default: Any) -> RuleSet:
        names, start = d.column_labels(), found["start"]
        tests = [
            _condition(names[j], int(sign), float(value), d.schema.categories.get(int(j)))
            for j, sign, value in zip(found["column"], found["sign"], found["value"], strict=True)
        ]
        rules = [
            Rule(both(*tests[start[k] : start[k + 1]]), self.class_order_[place])
            for k, place in enumerate(found["place"])
        ]
        return RuleSet(tuple(rules), tuple(self.classes_), default)

    # ---------------------------------------------------------------------------------------------------------- answers

    def _predict_proba(self, d: Design) -> Floats:
        counts = self.decided_counts_
        if not self.laplace:
            return super()._predict_proba(d)
        alone = np.eye(len(self.classes_))[self._default_code]  # no row was left for the default
        shares = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
        shares[-1] = shares[-1] if counts[-1].any() else alone
        return np.asarray(shares[self._matcher_.deciding(d.matrix, self._threads)])


def _condition(name: str, sign: int, value: float, categories: Sequence[Any] | None) -> Condition:
    if sign == 0:
        return Condition.at_most(name, value)
    if sign == 1:
        return Condition.at_least(name, value)
    return Condition.equals(name, value if categories is None else categories[int(value)])
