"""Rules and lists of rules: what a rule learner, a tree read as rules, or a user's own text leaves behind."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pellucid.models.limits import digits_of
from pellucid.models.rules.conditions import ALWAYS, NEVER, Expression, both, complement, leaves, simplified

if TYPE_CHECKING:
    from pellucid.models.rules.matcher import Matcher

Policy = Literal["first", "vote", "priority"]


@dataclass(frozen=True)
class Rule:
    """IF when THEN then.

    when : what a row must satisfy; `ALWAYS` for any row
    then : the label it gets
    weight : how much the rule counts in a vote
    counts : rows (or their weight) of each class that satisfied `when` in fit, in the order of the rule set's classes;
        empty where nothing was counted
    name : what the user calls it, or nothing
    """

    when: Expression
    then: Any
    weight: float = 1.0
    counts: tuple[float, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        then = self.then.item() if isinstance(self.then, np.generic) else self.then
        object.__setattr__(self, "then", then)
        object.__setattr__(self, "weight", float(self.weight))
        object.__setattr__(self, "counts", tuple(float(c) for c in self.counts))

    def counted(self, counts: tuple[float, ...]) -> Rule:
        """The same rule with counts: of learned rules there are tens of thousands, and this is all that changes."""
        rule = object.__new__(Rule)
        rule.__dict__.update(self.__dict__, counts=counts)
        return rule

    @property
    def n_conditions(self) -> int:
        """Number of tests."""
        return sum(1 for _ in leaves(self.when))


@dataclass(frozen=True)
class If:
    """A nested rule: IF when THEN then ELSE otherwise, where both may be a label or further rules.

    In a rule set it is taken apart: rules of `then` ask for `when` as well, rules of `otherwise` for all that does not
    satisfy it, rows with missing values among them.
    """

    when: Expression
    then: Any
    otherwise: Any = None

    def rules(self) -> list[Rule]:
        """The rules that it is taken apart into."""
        return _flat(self, ALWAYS)


def _flat(item: Any, above: Expression) -> list[Rule]:
    if isinstance(item, If):
        rules = _flat(item.then, both(above, item.when))
        otherwise_when = complement(item.when)
        return rules if item.otherwise is None else rules + _flat(item.otherwise, both(above, otherwise_when))
    if isinstance(item, Rule):
        return [replace(item, when=both(above, item.when))]
    if isinstance(item, list | tuple):
        return [rule for child in item for rule in _flat(child, above)]
    return [Rule(above, item)]


@dataclass(frozen=True)
class RuleSet:
    """Rules, and what happens where none or several of them fire.

    rules : in their order
    classes : the labels; `counts` of the rules stand in this order
    default : the label of a row for which no rule fires; None where there is none
    policy : "first": the first rule that fires decides, a decision list; "vote": the label with the largest sum of
        weights among the rules that fire, of equals the one whose rule stands first; "priority": of the labels of the
        rules that fire the one that stands first in `priority`
    priority : labels, the most important first; empty: as in `classes`
    default_counts : rows (or their weight) of each class for which no rule fired in fit
    """

    rules: tuple[Rule, ...] = ()
    classes: tuple[Any, ...] = ()
    default: Any = None
    policy: Policy = "first"
    priority: tuple[Any, ...] = ()
    default_counts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        plain = [v.item() if isinstance(v, np.generic) else v for v in (*self.classes, self.default)]
        object.__setattr__(self, "classes", tuple(plain[:-1]))
        object.__setattr__(self, "default", plain[-1])
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "default_counts", tuple(float(c) for c in self.default_counts))
        object.__setattr__(self, "priority", tuple(v.item() if isinstance(v, np.generic) else v for v in self.priority))

    @classmethod
    def of(cls, parts: Iterable[Rule | If], default: Any = None, **fields: Any) -> RuleSet:
        """From rules and nested rules; classes, unless given, are the labels in the order in which they occur."""
        rules = tuple(_flat(list(parts), ALWAYS))
        labels = [*(rule.then for rule in rules), *([] if default is None else [default])]
        fields.setdefault("classes", tuple(dict.fromkeys(labels)))
        return cls(rules, default=default, **fields)

    @classmethod
    def from_text(cls, text: str, who: str = "RuleSet") -> RuleSet:
        """From the readable form, "IF height > 180 THEN tall", one rule after the other; see `parts.rules.text`."""
        from pellucid.models.rules.text import parse_rules

        return parse_rules(text, who)

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def n_conditions(self) -> int:
        """Number of tests of all rules."""
        return sum(rule.n_conditions for rule in self.rules)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are asked, in the order in which they occur."""
        return tuple(dict.fromkeys(test.column for rule in self.rules for test in leaves(rule.when)))

    def labels(self) -> tuple[Any, ...]:
        """The labels that can be predicted, in the order in which they occur."""
        predicted = [rule.then for rule in self.rules]
        return tuple(dict.fromkeys(predicted if self.default is None else [*predicted, self.default]))

    def simplified(self) -> RuleSet:
        """The same answers with fewer tests; rules that can never fire are left out."""
        rules = [replace(rule, when=simplified(rule.when)) for rule in self.rules]
        return replace(self, rules=tuple(rule for rule in rules if rule.when != NEVER))

    def matcher(
        self, names: Sequence[str], categories: Mapping[int, Sequence[Any]] | None = None, who: str = "RuleSet"
    ) -> Matcher:
        """What finds the rules that fire for rows of a table.

        names : of the table's columns
        categories : column -> its categories in the order of their codes, for the columns of names
        """
        from pellucid.models.rules.matcher import Matcher

        return Matcher.of(self, names, categories or {}, who)

    def to_text(self, *, counts: bool = False, digits: int | None = None, right: str = "right") -> str:
        """The rules as text that `from_text` reads; with counts as comments, or numbers of a few digits, if asked.

        right : what is said of the covered rows that have the label of their rule; of rules that learned what another
            model predicts, "as the model predicts"
        """
        from pellucid.models.rules.words import rule_set_text

        return rule_set_text(self, counts, digits, right)

    @property
    def digits(self) -> int:
        """Digits with which the limits of every column are told apart, at least six."""
        limits: dict[str, list[float]] = {}
        for test in (test for rule in self.rules for test in leaves(rule.when)):
            numbers = [*(value for value in test.values or () if isinstance(value, float)), test.low, test.high]
            limits.setdefault(test.column, []).extend(value for value in numbers if math.isfinite(value))
        return digits_of(limits.values(), 6)

    def __str__(self) -> str:
        return self.to_text(counts=True, digits=self.digits)
