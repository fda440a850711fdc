"""Reads rules from text.

    # anything after # is a comment
    IF Height > 180 THEN Male
    IF Height <= 180 AND (Weight > 80 OR "shoe size" >= 43) THEN Male
    late: IF weeks since last purchase > 9 THEN buys (weight 2)
    IF 6 < weeks <= 9 THEN
        IF color IN {red, "dark blue"} THEN yes ELSE no
    ELSE IF weeks IS MISSING THEN no
    DEFAULT Female

A statement is a rule (with a name before a colon, if it has one) or the default. After THEN and ELSE stands a label, a
nested IF, or several statements in braces; ELSE belongs to the nearest IF. Tests compare a column with a number (<, <=,
>, >=, BETWEEN low AND high, low < column <= high) or with values (=, !=, IN {...}, NOT IN {...}), or ask whether it IS
MISSING or IS KNOWN; "OR MISSING" behind a test lets missing values pass. AND binds more closely than OR, NOT more
closely than both. Words next to each other are one name; names and values that contain signs or the words of this
language stand in quotes. Nothing is ever evaluated as Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from pellucid.base.errors import ParameterError, format_message
from pellucid.models.rules.conditions import ALWAYS, NEVER, Condition, Expression, both, either, negated
from pellucid.models.rules.rule_set import If, Rule, RuleSet
from pellucid.models.rules.words import NUMBER, RESERVED

_DEEPEST = 100  # nested parentheses and IFs: more is nothing that a person wrote, and would exhaust Python's stack
_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!=", "==": "=", "<>": "!="}
_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<comment>\#.*)|(?P<sign><=|>=|<>|==|!=|[<>=≤≥≠])|(?P<mark>[(){},:;])
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<word>[^\s(){},:;"'<>=!\#≤≥≠\\]+)|(?P<wrong>.)""",
    re.VERBOSE,
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class RuleTextError(ParameterError):
    """A text of rules that cannot be read; `line` and `column` (from 1) say where."""

    line: int = 0
    column: int = 0


@dataclass(frozen=True)
class _Token:
    kind: str  # "word", "number", "text", "sign", "mark", "keyword" or "end"
    value: str
    line: int
    start: int
    end: int

    def shown(self) -> str:
        return "the end of the text" if self.kind == "end" else repr(self.value)


def parse_rules(text: str, who: str = "RuleSet") -> RuleSet:
    """The rules of a text.

    >>> rules = parse_rules("IF Height > 180 THEN Male  DEFAULT Female")
    >>> rules.rules[0].then, rules.default
    ('Male', 'Female')
    >>> parse_rules("IF Height > tall THEN Male")
    Traceback (most recent call last):
        ...
    pellucid.models.rules.text.RuleTextError: RuleSet: line 1, column 13: a number was expected after '>'; found 'tall'.
        IF Height > tall THEN Male
                    ^
    hint: compare names with =, != or IN.
    """
    return _Parser(text, who).rule_set()


def parse_condition(text: str, who: str = "Condition") -> Expression:
    """What stands between IF and THEN.

    >>> parse_condition("age < 30").high
    30.0
    """
    parser = _Parser(text, who)
    expression = parser.expression()
    if parser.now.kind != "end":
        parser.fail("AND, OR or the end of the condition")
    return expression


class _Parser:
    def __init__(self, text: str, who: str) -> None:
        self.who = who
        self.lines = text.removeprefix("\ufeff").splitlines() or [""]  # files may begin with a mark of their encoding
        self.tokens = self._tokens()
        self.at = 0
        self.depth = 0

    # ---------------------------------------------------------------------------------------------------------- tokens

    def _tokens(self) -> list[_Token]:
        tokens = []
        for number, line in enumerate(self.lines):
            for match in _TOKEN.finditer(line):
                kind, value = str(match.lastgroup), match.group()
                token = _Token(kind, value, number, match.start(), match.end())
                if kind == "wrong":
                    self._refuse(token)
                elif kind == "sign":
                    token = _Token("sign", _SIGNS.get(value, value), number, match.start(), match.end())
                elif kind == "word" and value.upper() in RESERVED and self._reserved(value, line[: match.start()]):
                    token = _Token("keyword", value.upper(), number, match.start(), match.end())
                elif kind == "word" and NUMBER.fullmatch(value):
                    token = _Token("number", value, number, match.start(), match.end())
                if kind not in ("space", "comment"):
                    tokens.append(token)
        last = len(self.lines) - 1
        return [*tokens, _Token("end", "", last, len(self.lines[last]), len(self.lines[last]))]

    def _reserved(self, word: str, before: str) -> bool:
        """Words of this language in any case; "default", a label in many tables, in capitals or first on its line."""
        return word.upper() != "DEFAULT" or word == "DEFAULT" or not before.strip()

    def _refuse(self, token: _Token) -> NoReturn:
        if token.value in "\"'":
            self._raise(token, "a quoted text must end on its line", "the quotation mark is never closed", "")
        hint = 'put names with signs in quotes: "..."'
        self._raise(token, "a word, a number or a sign was expected", f"found {token.value!r}", hint)

    @property
    def now(self) -> _Token:
        return self.tokens[self.at]

    @property
    def following(self) -> _Token:
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)]

    def take(self) -> _Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def is_(self, *values: str) -> bool:
        return self.now.kind in ("keyword", "sign", "mark") and self.now.value in values

    def word_is(self, token: _Token, *words: str) -> bool:
        return token.kind == "word" and token.value.upper() in words

    def expect(self, value: str, after: str) -> None:
        if not self.is_(value):
            self.fail(f"{value} was expected {after}")
        self.take()

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        requirement = expected if "expected" in expected else f"{expected} was expected"
        names = any(noun in requirement for noun in ("value was", "label or", "label was", "column was"))
        if not hint and self.now.kind == "keyword" and names:
            hint = f'a column, value or label that is called {self.now.value} stands in quotes: "{self.now.value}"'
        self._raise(self.now, requirement, f"found {self.now.shown()}", hint)

    def _raise(self, token: _Token, requirement: str, actual: str, hint: str) -> NoReturn:
        line = self.lines[token.line].expandtabs(1)
        begin = max(0, token.start - 60)  # of a very long line the part around the place
        excerpt = line[begin : token.start + 40]
        picture = f"{actual}.\n    {excerpt}\n    {' ' * (token.start - begin)}^\n"
        where = f"line {token.line + 1}, column {token.start + 1}"
        message = format_message(self.who, f"{where}: {requirement}", actual=picture).rstrip("\n")
        error = RuleTextError(f"{message}\nhint: {hint}." if hint else message)
        error.line, error.column = token.line + 1, token.start + 1
        raise error

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            requirement = f"conditions and rules may be nested {_DEEPEST} deep"
            hint = "write rules one below the other, and the last label as DEFAULT"
            self._raise(self.now, requirement, "this one is deeper", hint)

    # ------------------------------------------------------------------------------------------------------ statements

    def rule_set(self) -> RuleSet:
        items: list[Any] = []
        default: Any = None
        while self.now.kind != "end":
            if self.is_("DEFAULT"):
                if default is not None:
                    self.fail("one DEFAULT was expected")
                self.take()
                default = self.label("DEFAULT")
            else:
                items.append(self.rule())
            while self.is_(";"):
                self.take()
        return RuleSet.of(items, default)

    def rule(self) -> Rule | If | list[Any]:
        name = ""
        if self.now.kind in ("word", "text", "number"):
            begin = self.at
            name = str(self.name(of_rule=True))
            if not self.is_(":"):
                self.at = begin
                self.fail("IF or DEFAULT was expected, or the name of a rule with a colon behind it")
            self.take()
        if not self.is_("IF"):
            self.fail("IF or DEFAULT was expected" if not name else "IF was expected after the name of a rule")
        self.deeper()
        self.take()
        when = self.expression()
        if not self.is_("THEN"):
            self.fail("AND, OR or THEN was expected after a condition")
        self.take()
        then = self.body("THEN", name)
        otherwise = None
        if self.is_("ELSE"):
            self.take()
            otherwise = self.body("ELSE", "")
        self.depth -= 1
        if isinstance(then, Rule) and then.when == ALWAYS and otherwise is None:
            return Rule(when, then.then, then.weight, name=then.name)
        return If(when, then, otherwise)

    def body(self, after: str, name: str) -> Any:
        if self.is_("IF"):
            return self.rule()
        if self.is_("{"):
            return self.block()
        label = self.label(after)
        weight = 1.0
        if self.is_("("):
            weight = self.weight()
        return Rule(ALWAYS, label, weight, name=name)

    def block(self) -> list[Any]:
        self.deeper()
        self.take()
        items = []
        while not self.is_("}"):
            if self.now.kind == "end":
                self.fail("} was expected")
            items.append(self.rule())
            while self.is_(";"):
                self.take()
        self.take()
        self.depth -= 1
        return items

    def weight(self) -> float:
        self.take()
        if not self.word_is(self.now, "WEIGHT"):
            self.fail("weight was expected after (", "a label with signs in it stands in quotes")
        self.take()
        if self.now.kind != "number" or float(self.now.value) < 0:
            self.fail("a number of at least 0 was expected as the weight of a rule")
        weight = float(self.take().value)
        self.expect(")", "after the weight")
        return weight

    # ------------------------------------------------------------------------------------------------- names and values

    def name(self, of_rule: bool = False) -> Any:
        """Words of one line that stand next to each other, or a quoted text."""
        if self.now.kind == "text":
            return _unquoted(self.take().value)
        first = last = self.take()
        while self.now.kind in ("word", "number") and self.now.line == first.line:
            if not of_rule and self.following.value == ":" and self.following.kind == "mark":
                break  # the name of the next rule
            if self.word_is(self.now, "ELSEIF", "ELSIF", "ELIF"):
                self.fail("ELSE was expected", "ELSE IF are two words")
            last = self.take()
        return " ".join(self.lines[first.line][first.start : last.end].split())

    def value(self, after: str) -> Any:
        if self.now.kind not in ("word", "number", "text"):
            self.fail(f"a value was expected after {after}")
        token = self.now
        if token.kind == "text":
            return self.name()
        words = self.name()
        if token.kind == "number" and words == token.value:
            self.at -= 1
            self.number("")  # refuses one that is too large
            return _number(words)
        return {"True": True, "False": False}.get(words, words)

    def label(self, after: str) -> Any:
        if self.now.kind not in ("word", "number", "text"):
            self.fail(f"a label or IF was expected after {after}" if after != "DEFAULT" else "a label was expected")
        return self.value(after)

    # ------------------------------------------------------------------------------------------------------ conditions

    def expression(self) -> Expression:
        operands = [self.conjunction()]
        while self.is_("OR"):
            self.take()
            operands.append(self.conjunction())
        return either(*operands)

    def conjunction(self) -> Expression:
        operands = [self.factor()]
        while self.is_("AND"):
            self.take()
            operands.append(self.factor())
        return both(*operands)

    def factor(self) -> Expression:
        """A test, its opposite or a group, and whether missing values pass as well."""
        test = self.opposite() if self.is_("NOT") else self.group() if self.is_("(") else self.test()
        if self.is_("OR") and self.word_is(self.following, "MISSING") and not self._names_a_column():
            if not isinstance(test, Condition):
                self.fail("OR MISSING belongs behind a test of one column; a condition was expected", "name IS MISSING")
            self.take()
            self.take()
            test = test.or_missing()
        return test

    def _names_a_column(self) -> bool:
        """Is the word behind OR the beginning of a test, of a column that happens to be called so?"""
        after = self.tokens[min(self.at + 2, len(self.tokens) - 1)]
        return after.kind in ("sign", "word", "number") or (
            after.kind == "keyword" and after.value in ("IN", "IS", "BETWEEN", "NOT")
        )

    def opposite(self) -> Expression:
        self.deeper()
        self.take()
        inner = self.opposite() if self.is_("NOT") else self.group() if self.is_("(") else self.test()
        self.depth -= 1
        return negated(inner)

    def group(self) -> Expression:
        self.deeper()
        self.take()
        expression = self.expression()
        if not self.is_(")"):
            self.fail("AND, OR or ) was expected after a condition")
        self.take()
        self.depth -= 1
        return expression

    def test(self) -> Expression:
        if self.now.kind == "number" and self.following.kind == "sign":
            return self.chain()
        if self.now.kind not in ("word", "text", "number"):
            self.fail("the name of a column was expected")
        constant = self.word_is(self.now, "TRUE", "FALSE") and self.following.kind not in ("sign", "word", "number")
        if constant and self.following.value not in ("IN", "IS", "NOT", "BETWEEN"):
            return ALWAYS if self.take().value.upper() == "TRUE" else NEVER
        column = self.name()
        if self.now.kind == "sign":
            return self.comparison(column)
        return self.worded(column)

    def chain(self) -> Expression:
        """low < column <= high, or low < column alone."""
        low, sign = self.number(""), self.take().value
        if sign not in _TURNED:
            self.at -= 1
            self.fail("< , <= , > or >= was expected after a number", "write the column first: name = value")
        if self.now.kind not in ("word", "text"):
            self.fail(f"the name of a column was expected after {sign!r}", "a name that is a number stands in quotes")
        column = self.name()
        test = _compared(column, _TURNED[sign], low)
        if self.now.kind != "sign":
            return test
        if self.now.value not in _TURNED or self.now.value[0] != sign[0]:
            self.fail(f"{sign[0]} or {sign[0]}= was expected, or nothing")
        second = self.take().value
        high = _compared(column, second, self.number(f"after {second!r}"))
        both_ways = test.meet(high)
        return both_ways if both_ways is not None else both(test, high)

    def comparison(self, column: str) -> Condition:
        sign = self.take().value
        if sign == "=" and self.is_("<", ">"):
            self.fail("a value was expected after '='", f"write {self.now.value}= instead of ={self.now.value}")
        if sign == "=":
            return Condition.equals(column, self.value("'='"))
        if sign == "!=":
            return Condition.not_in(column, (self.value("'!='"),))
        return _compared(column, sign, self.number(f"after {sign!r}"))

    def worded(self, column: str) -> Expression:
        opposite = self.is_("NOT")
        if opposite:
            self.take()
        if self.is_("IN"):
            self.take()
            values = self.values()
            return Condition.not_in(column, values) if opposite else Condition.is_in(column, values)
        if self.is_("BETWEEN"):
            self.take()
            low = self.number("after BETWEEN")
            self.expect("AND", "between the two numbers of BETWEEN")
            if self.now.kind == "number" and float(self.now.value) < low:
                self.fail(f"a number of at least {low:g} was expected after AND", "BETWEEN has the lower number first")
            test = Condition.between(column, low, self.number("after AND"))
            return negated(test) if opposite else test
        if opposite:
            self.fail("IN or BETWEEN was expected after NOT")
        if not self.is_("IS"):
            hint = 'a name with such words or signs in it stands in quotes: "..."'
            self.fail(f"a comparison (<, <=, =, IN, IS ...) was expected after the column {column!r}", hint)
        self.take()
        return self.missing(column)

    def missing(self, column: str) -> Expression:
        opposite = self.is_("NOT")
        if opposite:
            self.take()
        if not self.word_is(self.now, "MISSING", "KNOWN"):
            self.fail("MISSING or KNOWN was expected after IS", "compare with a value by =")
        is_known = (self.take().value.upper() == "KNOWN") != opposite
        return Condition.is_known(column) if is_known else Condition.is_missing(column)

    def values(self) -> list[Any]:
        opening = self.now
        if not self.is_("{", "("):
            self.fail("{ was expected after IN", "list the values in braces: {red, blue}")
        self.take()
        closing = "}" if opening.value == "{" else ")"
        values = [self.value(opening.value)]
        while self.is_(","):
            self.take()
            values.append(self.value("','"))
        if not self.is_(closing):
            self.fail(f"a comma or {closing} was expected after a value")
        self.take()
        return values

    def number(self, after: str) -> float:
        if self.now.kind != "number":
            self.fail(f"a number was expected {after}", "compare names with =, != or IN")
        if float(self.now.value) in (float("inf"), -float("inf")):
            self.fail("a number that fits into 64 bits was expected")
        return float(self.take().value)


def _compared(column: str, sign: str, value: float) -> Condition:
    make = {"<": Condition.below, "<=": Condition.at_most, ">": Condition.above, ">=": Condition.at_least}
    return make[sign](column, value)


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPED.get(m.group(1), m.group(1)), text[1:-1])
