"""Rules as text: what is read, what is written, and where a slip of the pen is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pellucid.models.rules.conditions import ALWAYS, Condition, both, column, complement, either, holds, negated
from pellucid.models.rules.rule_set import If, Rule, RuleSet
from pellucid.models.rules.text import RuleTextError, parse_condition
from pellucid.models.rules.words import expression_text

from .test_conditions import EXPRESSIONS, ROWS

H, W = column("Height"), column("Weight")


def test_rules_names_weights_comments_and_the_default() -> None:
    rules = RuleSet.from_text(
        """
        # people
        IF Height > 180 THEN Male            # tall
        light one: if Height <= 180 and Weight <= 80 then Female (weight 2.5);
        DEFAULT Male
        """
    )
    assert rules.rules == (
        Rule(H > 180, "Male"),
        Rule(both(H <= 180, W <= 80), "Female", 2.5, name="light one"),
    )
    assert (rules.default, rules.classes) == ("Male", ("Male", "Female"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Height ≤ 3", H <= 3),
        ("3 < Height", H > 3),
        ("9 >= Height > 6", Condition("Height", 6, 9, low_open=True)),
        ("Height BETWEEN -1 AND 1e3", H.between(-1, 1000)),
        ("Height NOT BETWEEN 1 AND 2", ~H.between(1, 2)),
        ("Height == 3", H == 3),
        ("Height <> 3.5", H != 3.5),
        ("color IN {red, 'dark blue', 3}", column("color").is_in(["red", "dark blue", 3])),
        ("color not in (red)", column("color") != "red"),
        ("shoe size > 43", column("shoe size") > 43),
        ('"in < stock" = "a \\"b\\""', column("in < stock") == 'a "b"'),
        ("day = 24 December", column("day") == "24 December"),
        ("Height IS MISSING", H.is_missing()),
        ("Height IS NOT MISSING", H.is_known()),
        ("NOT Height IS KNOWN", H.is_missing()),
        ("Height > 3 OR MISSING", (H > 3).or_missing()),
        ("Height > 3 OR MISSING > 2", either(H > 3, column("MISSING") > 2)),
        ("Height > 3 OR Weight > 2 AND Height < 1", either(H > 3, both(W > 2, H < 1))),
        ("(Height > 3 OR Weight > 2) AND Height < 1", both(either(H > 3, W > 2), H < 1)),
        ("NOT (Height > 3 AND Weight > 2)", either(H <= 3, W <= 2)),
        ("NOT NOT Height > 3", H > 3),
        ("TRUE", ALWAYS),
        ("TRUE AND Height > 3", both(ALWAYS, H > 3)),
        ("ok = True", column("ok") == True),  # noqa: E712
    ],
)
def test_conditions(text: str, wanted: Any) -> None:
    assert parse_condition(text) == wanted


def test_nested_rules_are_taken_apart() -> None:
    text = """
    IF weeks > 6 THEN
        IF offer = yes THEN buy ELSE wait
    ELSE { IF weeks > 3 THEN wait; IF weeks IS MISSING THEN ask }
    """
    weeks, offer = column("weeks"), column("offer")
    rules = RuleSet.from_text(text)
    assert (
        rules.rules
        == RuleSet.of(
            [
                If(
                    weeks > 6,
                    If(offer == "yes", "buy", "wait"),
                    [Rule(weeks > 3, "wait"), Rule(weeks.is_missing(), "ask")],
                )
            ]
        ).rules
    )
    assert [rule.then for rule in rules.rules] == ["buy", "wait", "wait", "ask"]
    assert rules.rules[1].when == both(weeks > 6, complement(offer == "yes"))
    assert holds(rules.rules[1].when, {"weeks": 7, "offer": None})  # ELSE is everything else


def test_else_belongs_to_the_nearest_if() -> None:
    rules = RuleSet.from_text("IF a > 1 THEN IF b > 1 THEN x ELSE y")
    assert [rule.then for rule in rules.rules] == ["x", "y"]
    assert not holds(rules.rules[1].when, {"a": 0, "b": 0})


def test_what_is_written_is_read_back() -> None:
    for one in EXPRESSIONS:
        again = parse_condition(expression_text(one))
        assert all(holds(again, row) == holds(one, row) for row in ROWS), expression_text(one)


def test_a_rule_set_goes_to_text_and_back() -> None:
    names = [
        "in",
        "a b",
        "",
        " x",
        "3",
        "True",
        "missing",
        'q"\\\n',
        "naïve",
        "a,b",
        "THEN",
        "x:y",
        "#",
        "1e5",
        "-",
        "a elif",
    ]
    rules = [Rule(column(name) == name, name, k / 3, name=name) for k, name in enumerate(names)]
    rules += [Rule(column("x") <= np.float64(0.1) + 0.2, 3), Rule(column("x").is_in([1e300, -5, True]), False)]
    rules += [Rule(negated(Condition("x", 1, 2, low_open=True)).or_missing(), 2.5), Rule(ALWAYS, -1)]
    wanted = RuleSet.of(rules, default="a b")
    again = RuleSet.from_text(wanted.to_text())
    assert again == wanted
    assert again.to_text() == wanted.to_text()


@pytest.mark.parametrize(
    ("text", "line", "place", "words"),
    [
        ("IF Height > tall THEN a", 1, 13, "a number was expected after '>'"),
        ("\nIF Height > 3 a", 2, 15, "AND, OR or THEN was expected"),
        ("Height > 3 THEN a", 1, 1, "IF or DEFAULT was expected"),
        ("IF (Height > 3 THEN a", 1, 16, r"AND, OR or \) was expected"),
        ("IF Height > 3 THEN", 1, 19, "a label or IF was expected after THEN; found the end"),
        ("IF Height = THEN a", 1, 13, "a value was expected after '='"),
        ('IF "Height > 3 THEN a', 1, 4, "never closed"),
        ("IF Height > 3 THEN a ELSE", 1, 26, "a label or IF was expected after ELSE"),
        ("IF Height IN red THEN a", 1, 14, "{ was expected after IN"),
        ("IF Height IN {red THEN a", 1, 19, "a comma or } was expected"),
        ("IF Height ! 3 THEN a", 1, 11, "a word, a number or a sign"),
        ("IF Height IS red THEN a", 1, 14, "MISSING or KNOWN was expected"),
        ("IF Height AND Weight > 3 THEN a", 1, 11, "a comparison"),
        ("IF 3 = Height THEN a", 1, 6, "was expected after a number"),
        ("IF 3 < Height > 5 THEN a", 1, 15, "< or <= was expected"),
        ("IF Height BETWEEN 3 OR 4 THEN a", 1, 21, "AND was expected"),
        ("IF Height BETWEEN 5 AND 1 THEN a", 1, 25, "the lower number first"),
        ("IF Height => 5 THEN a", 1, 12, "write >= instead of =>"),
        ("IF Height > 5 THEN a ELSEIF Height > 3 THEN b", 1, 22, "ELSE IF are two words"),
        ("IF Height > 3 THEN { IF Weight > 1 THEN a", 1, 42, "} was expected"),
        ("IF Height > 3 THEN a (0.5)", 1, 23, "weight was expected"),
        ("IF Height > 3 THEN a (weight -1)", 1, 30, "at least 0"),
        ("IF NOT (Height > 3 AND Weight > 2) OR MISSING THEN a", 1, 36, "behind a test of one column"),
        ("DEFAULT a\nDEFAULT b", 2, 1, "one DEFAULT"),
        ("IF IN > 3 THEN a", 1, 4, "the name of a column"),
        ("IF Height > 1e999 THEN a", 1, 13, "64 bits"),
        ("IF " + "(" * 300 + "a > 1", 1, 103, "100 deep"),
    ],
)
def test_a_slip_of_the_pen_is_named_with_its_place(text: str, line: int, place: int, words: str) -> None:
    with pytest.raises(RuleTextError, match=words) as caught:
        RuleSet.from_text(text, "RuleClassifier")
    error = caught.value
    assert (error.line, error.column) == (line, place)
    assert str(error).startswith(f"RuleClassifier: line {line}, column {place}: ")
    shown, caret = str(error).splitlines()[1:3]
    begin = max(0, place - 61)
    assert shown.strip() in text
    assert caret.index("^") - 4 == place - 1 - begin


def test_nothing_is_run_as_python() -> None:
    rules = RuleSet.from_text('IF __import__ = "os.system(\'true\')" THEN "exit()"')
    assert rules.rules[0].then == "exit()"
