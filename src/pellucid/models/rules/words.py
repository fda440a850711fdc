"""Rules as text: the form that `parts.rules.text` reads back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pellucid.models.limits import limit_text, mean_text
from pellucid.models.rules.conditions import All, AnyOf, Condition, Expression

if TYPE_CHECKING:
    from pellucid.models.rules.rule_set import Rule, RuleSet

RESERVED = frozenset({"IF", "THEN", "ELSE", "AND", "OR", "NOT", "IN", "IS", "BETWEEN", "DEFAULT"})
# Words with a meaning in some places, and what other languages write for ELSE IF.
CONTEXTUAL = frozenset({"MISSING", "KNOWN", "TRUE", "FALSE", "ELSEIF", "ELSIF", "ELIF"})
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PLAIN = re.compile(r"""[^\s(){},:;"'<>=!#≤≥≠\\]+""")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quoted(text: str) -> str:
    """A text in quotes, with what would end it escaped."""
    return '"' + "".join(_ESCAPES.get(c, c) for c in text) + '"'


def name_text(name: str) -> str:
    """A name or label as a reader writes it: in quotes only where it has to be.

    >>> print(name_text("Weight"), name_text("weeks since last purchase"), name_text("2"), name_text("in stock"))
    Weight weeks since last purchase "2" "in stock"
    """
    words = name.split(" ")
    bare = all(_PLAIN.fullmatch(word) and word.upper() not in RESERVED | CONTEXTUAL for word in words)
    if bare and not NUMBER.fullmatch(words[0]):
        return name
    return quoted(name)


def value_text(value: Any, digits: int | None = None) -> str:
    """A value: numbers bare, names as `name_text` has them."""
    if isinstance(value, str):
        return name_text(value)
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return number_text(value, digits)
    return name_text(str(value))


def number_text(value: float, digits: int | None = None) -> str:
    """A number, exact unless only some digits are asked for."""
    if digits is not None:
        return limit_text(value, digits)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return repr(value)


def condition_text(test: Condition, digits: int | None = None) -> str:
    """A test of one column.

    >>> print(condition_text(Condition("weeks", low=6, high=9, low_open=True).or_missing()))
    (6 < weeks <= 9 OR MISSING)
    """
    if test.always or test.never:
        return "TRUE" if test.always else "FALSE"
    name = name_text(test.column)
    if test.of_known:
        return f"{name} IS KNOWN"
    if test.of_none:
        return f"{name} IS MISSING"
    text = _known_text(test, name, digits)
    return f"({text} OR MISSING)" if test.missing else text


def _known_text(test: Condition, name: str, digits: int | None) -> str:
    if test.values is not None:
        listed = [value_text(v, digits) for v in test.values]
        if len(listed) == 1:
            return f"{name} {'!=' if test.excluded else '='} {listed[0]}"
        return f"{name} {'NOT IN' if test.excluded else 'IN'} {{{', '.join(listed)}}}"
    if test.low == -float("inf"):
        return f"{name} {'<' if test.high_open else '<='} {number_text(test.high, digits)}"
    if test.high == float("inf"):
        return f"{name} {'>' if test.low_open else '>='} {number_text(test.low, digits)}"
    low, high = number_text(test.low, digits), number_text(test.high, digits)
    text = f"{low} {'<' if test.low_open else '<='} {name} {'<' if test.high_open else '<='} {high}"
    return f"NOT {text}" if test.excluded else text


def expression_text(expression: Expression, digits: int | None = None) -> str:
    """Tests joined by AND and OR, with parentheses around an OR inside an AND."""
    if isinstance(expression, Condition):
        return condition_text(expression, digits)
    if not expression.parts:
        return "TRUE" if isinstance(expression, All) else "FALSE"
    texts = []
    for operand in expression.parts:
        text = expression_text(operand, digits)
        texts.append(f"({text})" if isinstance(operand, All | AnyOf) and len(operand.parts) > 1 else text)
    return (" AND " if isinstance(expression, All) else " OR ").join(texts)


def rule_text(rule: Rule, digits: int | None = None) -> str:
    """IF ... THEN ..., with the rule's name before it and its weight after it where it has them. A class is written as
    it is, a mean with as many digits as a limit."""
    name = f"{name_text(rule.name)}: " if rule.name else ""
    weight = f" (weight {number_text(rule.weight, digits)})" if rule.weight != 1 else ""
    is_mean = digits is not None and isinstance(rule.then, float) and not rule.counts
    then = mean_text(rule.then, digits or 0) if is_mean else value_text(rule.then)
    return f"{name}IF {expression_text(rule.when, digits)} THEN {then}{weight}"


def counted(rule: Rule, classes: tuple[Any, ...], right: str = "right") -> str:
    """How many rows a rule covered in fit, and how many of them it has right."""
    covered = float(sum(rule.counts))
    as_told = rule.counts[classes.index(rule.then)] if rule.then in classes else 0.0
    return f"{_weight_text(covered)} covered, {_weight_text(as_told)} {right}"


def _weight_text(weight: float) -> str:
    """A number of rows, or their weight."""
    return f"{weight:,.0f}" if weight.is_integer() else limit_text(weight, 6)


def rule_set_text(rules: RuleSet, counts: bool = False, digits: int | None = None, right: str = "right") -> str:
    """All rules, one a line, and the default; with what was counted in fit as comments. ``right`` says what it is that
    the covered rows have in common with their rule."""
    lines = []
    for rule in rules.rules:
        text = rule_text(rule, digits)
        lines.append(f"{text}  # {counted(rule, rules.classes, right)}" if counts and rule.counts else text)
    if rules.default is not None:
        text = f"DEFAULT {value_text(rules.default)}"
        more = counts and rules.default_counts
        lines.append(f"{text}  # {_weight_text(float(sum(rules.default_counts)))} not covered" if more else text)
    return "\n".join(lines)
