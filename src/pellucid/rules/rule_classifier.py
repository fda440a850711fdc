"""Rules that a person wrote, as a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, RuleWarning, format_message, join_some, short_repr, warn
from pellucid.base.types import Array
from pellucid.data.design import Design, InputSpec
from pellucid.data.kinds import is_missing
from pellucid.estimator.trace import Trace
from pellucid.models.rules.conditions import NEVER, leaves, simplified
from pellucid.models.rules.matcher import Matcher, code_of, places_of
from pellucid.models.rules.rule_set import If, Rule, RuleSet
from pellucid.models.rules.words import expression_text
from pellucid.rules._ruled import Measured, RuledClassifier, measure
from pellucid.rules.from_tree import columns_of, rules_of

__all__ = ["RuleClassifier"]


def _check_rules(value: Any) -> str | None:
    if value is None or isinstance(value, str | RuleSet):
        return None
    if isinstance(value, list | tuple) and all(isinstance(part, Rule | If) for part in value):
        return None
    return f"rules must be a text, a RuleSet, or a list of Rule and If; got {short_repr(value)}"


class RuleClassifier(RuledClassifier):
    """IF-THEN rules that you write down, measured on data.

    A rule is  IF condition THEN class.  With n rows, of which ``n_covered`` satisfy a rule's condition and
    ``n_correct`` of these have its class,

        ``coverage = n_covered / n``,    ``accuracy = n_correct / n_covered``

    `fit` learns nothing but that: it reads the classes, binds the rules to the columns by name, counts, and finds the
    rows for which rules with different classes fire. Where several rules fire, `conflict` says which class wins; where
    none does, the row gets the default. Rules are text::

        # a comment
        IF Height > 180 THEN Male
        IF Height <= 180 AND (Weight > 80 OR "shoe size" >= 43) THEN Male
        late: IF weeks since last purchase > 9 THEN buys (weight 2)
        IF 6 < weeks <= 9 THEN
            IF color IN {red, "dark blue"} THEN yes ELSE no
        DEFAULT Female

    with AND, OR, NOT, parentheses, <, <=, >, >=, =, !=, BETWEEN low AND high, IN {...}, NOT IN {...}, IS MISSING, IS
    KNOWN, nested IF ... THEN ... ELSE, and braces around several rules after THEN or ELSE. Names and values with signs
    or with these words in them stand in quotes. The same as Python objects: ``Rule(column("Height") > 180, "Male")``,
    ``If(condition, then, otherwise)``. Nothing is ever run as Python. A tree becomes rules with `from_tree`.

    A missing value satisfies no test, nor its opposite (NOT x > 3 is x <= 3), unless the test says "OR MISSING"; ELSE
    is everything else, missing values included. A category that neither `fit` nor a rule knows counts as missing.

    Prefer `RIPPERClassifier`, `PRISMClassifier` or a tree where the rules should come from the data, `OneRClassifier`
    for one simple rule to start from.

    Attributes
    ----------
    classes_ : the labels, sorted; those that only rules name among them
    rules_ : RuleSet
        The rules with the classes of the rows that each covers; `print` shows them, `to_text` writes them.
    coverage_, accuracy_ : of each rule; accuracy is NaN for a rule that covers nothing
    decided_counts_ : (rules + 1) x classes
        Rows (or their weight) of each class for which a rule decides; the last are those for which none fires.
    n_conflicts_ : rows for which rules with different classes fire
    conflicts_ : k x 3 whole numbers
        Two rules (counted from 0) with different classes, and for how many rows both fire.
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    >>> import pandas as pd
    >>> from pellucid.rules import RuleClassifier
    >>> X = pd.DataFrame({"Height": [185, 170, 160, 175], "Weight": [80, 90, 65, 70]})
    >>> rules = '''
    ... IF Height > 180 THEN Male
    ... IF Height <= 180 AND Weight > 80 THEN Male
    ... DEFAULT Female
    ... '''
    >>> model = RuleClassifier(rules=rules).fit(X, ["Male", "Male", "Female", "Male"])
    >>> model.predict(X).tolist()
    ['Male', 'Male', 'Female', 'Female']
    >>> print(model.rules_)
    IF Height > 180 THEN Male  # 1 covered, 1 right
    IF Height <= 180 AND Weight > 80 THEN Male  # 1 covered, 1 right
    DEFAULT Female  # 2 not covered
    >>> model.coverage_.tolist(), model.accuracy_.tolist()
    ([0.25, 0.25], [1.0, 1.0])

    Notes
    -----
    Without rules every row gets the default: the most frequent class.
    """

    rules: Any = param(
        default=None,
        check=_check_rules,
        doc="Text, a RuleSet, or a list of Rule and If. None: no rules, so that the default answers for every row.",
    )
    conflict: Literal["first", "vote", "priority"] = param(
        default="first",
        doc="Where several rules fire: the 'first' decides; their classes get a 'vote' by the rules' weights (of "
        "equals the one whose rule stands first); or the class that stands first in `priority` wins.",
    )
    priority: Any = param(
        default=None,
        doc="For conflict='priority': classes, the most important first; those left out come last. None: in the order "
        "of the rules.",
    )
    default: Any = param(
        default=None,
        doc="Class of a row for which no rule fires. None: the one that the rules name, else the most frequent class "
        "among the rows of `fit` for which none fires (of all rows if there is no such row).",
    )
    probability: Literal["vote", "share"] = param(
        default="vote",
        doc="`predict_proba`: each class's share of the votes, 1 for the predicted class unless conflict='vote'; or "
        "its 'share' among the rows of `fit` behind the rule that decides, the mean of several in a vote.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(categories=True, missing=True, unknown="missing")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.rules is None  # one class for every row
        return tags

    # --------------------------------------------------------------------------------------------------------- learning

    def _fit(self, d: Design, trace: Trace) -> None:
        codes = self._one_column(d)
        written = self._written(d.who)
        labels, codes = self._labels(d, written, codes)
        rules = self._bound(written, labels, d.who)
        self._know_categories(d, rules)
        matcher = self._take_rules(rules, d.column_labels(), self.schema_.categories)
        measured = measure(matcher, d, codes, self._threads)
        self._settle_default(rules, measured)
        self._keep_measured(measured)
        self._keep_conflicts(measured)
        if written.rules:
            self._warn(d.who, matcher, measured, np.unique(codes))

    def _written(self, who: str) -> RuleSet:
        if self.rules is None:
            return RuleSet()
        if isinstance(self.rules, str):
            return RuleSet.from_text(self.rules, who)
        return self.rules if isinstance(self.rules, RuleSet) else RuleSet.of(self.rules)

    def _labels(self, d: Design, rules: RuleSet, codes: Array) -> tuple[list[Any], Array]:
        """All classes, those that only rules name among them, and the codes of the rows among these."""
        known = self.classes_.tolist()
        named = [*rules.labels(), *([] if self.default is None else [self.default]), *(self._priority() or ())]
        place = places_of(known)
        new = [label for label in dict.fromkeys(named) if code_of(place, label) is None]
        if not new:
            return known, codes
        actual = f"rules name {join_some(map(repr, new))}, y holds {join_some(map(repr, known))}"
        if any(isinstance(label, str) != isinstance(known[0], str) for label in new):
            raise DataError(format_message(d.who, "rules and y must have labels of one kind", actual=actual))
        warn(
            format_message(
                d.who, "rules name labels that y does not have", actual=actual, hint="look for a slip of the pen"
            ),
            RuleWarning,
        )
        self.classes_ = np.unique(
            np.array([*known, *new], dtype=None if isinstance(known[0], str) else self.classes_.dtype)
        )
        return self.classes_.tolist(), np.searchsorted(self.classes_, np.array(known))[codes].astype(np.int32)

    def _priority(self) -> Sequence[Any] | None:
        if self.priority is None:
            return None
        if isinstance(self.priority, str) or not hasattr(self.priority, "__iter__"):
            requirement = "RuleClassifier: priority must be a list of classes, the most important first"
            raise ParameterError(f"{requirement}; got {short_repr(self.priority)}.")
        return list(self.priority)

    def _bound(self, rules: RuleSet, labels: list[Any], who: str) -> RuleSet:
        """The rules with the classes' own labels: 1 for "1", say."""
        place = places_of(labels)

        def own(label: Any) -> Any:
            code = code_of(place, label)
            return label if code is None else labels[code]

        default = self.default if self.default is not None else rules.default
        order = self._priority()
        order = list(rules.priority or rules.labels()) if order is None else order
        return RuleSet(
            tuple(replace(rule, then=own(rule.then), counts=()) for rule in rules.rules),
            tuple(labels),
            default=None if default is None else own(default),
            policy=self.conflict,
            priority=tuple(dict.fromkeys(own(label) for label in order)),
        )

    def _know_categories(self, d: Design, rules: RuleSet) -> None:
        """Categories that only rules name get codes as well: a later table may hold them."""
        names = {name: j for j, name in enumerate(d.column_labels())}
        more: dict[int, tuple[Any, ...]] = dict(d.schema.categories)
        absent: list[str] = []
        for rule in rules.rules:
            for test in leaves(rule.when):
                j = names.get(test.column, -1)
                if test.values is None or j not in more:
                    continue
                place = places_of(more[j])
                new = [v for v in test.values if code_of(place, v) is None and not is_missing(v)]
                absent += [f"{test.column} = {short_repr(value)}" for value in new]
                more[j] = (*more[j], *new)
        if absent:
            actual = f"no row has {join_some(absent)}"
            hint = "look for a slip of the pen; categories are compared letter by letter"
            warn(
                format_message(d.who, "rules name categories that X does not have", actual=actual, hint=hint),
                RuleWarning,
            )
            self.schema_ = replace(d.schema, categories=more)

    def _settle_default(self, rules: RuleSet, measured: Measured) -> None:
        if rules.default is None:
            left = measured.decided[-1]
            counts = left if left.sum() > 0 else measured.decided.sum(axis=0)
            self.rules_ = replace(rules, default=rules.classes[int(counts.argmax())])

    def _keep_conflicts(self, measured: Measured) -> None:
        pairs = [(rule, other, rows) for (rule, other), rows in sorted(measured.conflicts.items())]
        self.conflicts_: Array = np.array(pairs, dtype=np.int64).reshape(-1, 3)

    def _warn(self, who: str, matcher: Matcher, measured: Measured, present: Array) -> None:
        """What a careful reader of the rules would ask about, in one warning."""
        said = []
        idle = np.flatnonzero(measured.covered.sum(axis=1) == 0).tolist()
        for k, rule in enumerate(self.rules_.rules):
            name = f"rule {rule.name or k + 1}"
            if simplified(rule.when) == NEVER:
                said.append(f"{name} can never fire: {expression_text(rule.when, 6)} contradicts itself")
            elif k in idle:
                said.append(f"{name} covers no row: {expression_text(rule.when, 6)}")
        reached = {self._default_code, *matcher.labels.tolist()}
        silent = [self.rules_.classes[k] for k in present.tolist() if k not in reached]
        if silent:
            said.append(f"no rule concludes {join_some(map(repr, silent))}, which y holds")
        if said:
            warn(format_message(who, "some rules have no effect or are lacking", actual=join_some(said)), RuleWarning)

    # ------------------------------------------------------------------------------------------------------- from trees

    @classmethod
    def from_tree(cls, tree: Any, **settings: Any) -> Self:
        """A classifier with the rules of a fitted tree, fitted as the tree is: one rule a leaf (see `rules_of`).

        Parameters
        ----------
        tree : a fitted classification tree of this library
        settings : other parameters of the classifier

        Returns
        -------
        RuleClassifier
        """
        rules = rules_of(tree)
        if not hasattr(tree, "classes_"):
            actual = f"{type(tree).__name__} predicts numbers"
            raise ParameterError(
                format_message(
                    cls.__name__, "from_tree takes a classification tree", actual=actual, hint="use rules_of"
                )
            )
        model = cls(rules=rules, **settings)
        model._check_params()
        model._keep_schema(tree.schema_)
        model.classes_ = tree.classes_
        names, categories = columns_of(tree)
        matcher = model._take_rules(model._bound(rules, tree.classes_.tolist(), cls.__name__), names, categories)
        counts = np.array([rule.counts for rule in rules.rules])
        measured = Measured(counts, np.vstack([counts, np.zeros(counts.shape[1])]), {})
        model._keep_measured(measured)
        model._keep_conflicts(measured)
        model._matcher_ = replace(matcher, rules=model.rules_)
        return model
