"""Rules of the owner's."""

from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.quality import Rule, check

TABLE = pd.DataFrame(
    {
        "age": [30.0, -1.0, 200.0, np.nan],
        "price": ["$5", "$70", "N/A", "$6"],
        "email": ["a@b.de", "none here", None, "c@d.org"],
        "start": pd.to_datetime(["2020-01-01", "2020-01-05", "2020-01-03", None]),
        "end": pd.to_datetime(["2020-01-02", "2020-01-04", "2020-01-03", "2020-01-01"]),
        "key": ["a", "b", "a", None],
    }
)


def broken(*rules: Rule) -> list[tuple[tuple, list[int]]]:
    return [(finding.columns, finding.rows.tolist()) for finding in check(TABLE, rules=rules, checks=[])]


def test_limits():
    assert broken(Rule("age", min=0, max=120)) == [(("age",), [1]), (("age",), [2])]


def test_limits_of_numbers_written_as_text():
    assert broken(Rule("price", max=10)) == [(("price",), [1])]


def test_limits_of_times():
    assert broken(Rule("start", min="2020-01-02", max=datetime(2020, 1, 4))) == [(("start",), [0]), (("start",), [1])]


def test_pattern_allowed_length():
    assert broken(Rule("email", pattern=r"[^@]+@[^@]+")) == [(("email",), [1])]
    assert broken(Rule("key", allowed=["a"])) == [(("key",), [1])]
    assert broken(Rule("email", length=(1, 8))) == [(("email",), [1])]
    assert broken(Rule("age", allowed=[30, -1])) == [(("age",), [2])]


def test_unique_and_required():
    assert broken(Rule("key", unique=True)) == [(("key",), [0, 2])]
    assert broken(Rule("key", required=True)) == [(("key",), [3])]
    assert broken(Rule(("key", "age"), unique=True)) == []


def test_kind():
    assert broken(Rule("price", kind="number")) == []
    assert broken(Rule("email", kind="number")) == [(("email",), [0, 1, 3])]
    assert broken(Rule("start", kind="time")) == []


def test_functions_of_columns_and_of_rows():
    order = Rule(("start", "end"), function=lambda start, end: start <= end, name="order")
    assert broken(order) == [(("start", "end"), [1])]
    scalar = Rule("age", function=lambda age: age < 100 and age > -50)  # arrays have no truth value
    assert broken(scalar) == [(("age",), [2])]


def test_severity_message_and_remedy():
    finding = check(TABLE, rules=[Rule("age", max=120, severity="note", message="too old", name="old")], checks=[])[0]
    assert (finding.severity, finding.explanation, finding.check) == ("note", "too old", "old")
    assert str(finding.fix) == "outside_to_missing('age', max=120)"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Rule("age"), "something must be asked"),
        (lambda: Rule((), min=0), "columns must name a column"),
        (lambda: Rule("age", pattern="["), "pattern must be a regular expression"),
        (lambda: Rule("age", min=3, max=1), "min must be at most max"),
        (lambda: Rule("age", min=3, max="2020-01-01"), "of one kind"),
        (lambda: Rule("age", min="soon"), "numbers or times"),
        (lambda: Rule("age", kind="thing"), "kind must be one of"),
        (lambda: Rule("age", min=0, severity="bad"), "severity must be one of"),
        (lambda: Rule("age", length=(3, 1)), "length must be"),
        (lambda: Rule(("age", "key"), min=0), "only function, unique and required"),
        (lambda: check(TABLE, rules=[Rule("agee", min=0)]), "there is no 'agee'"),
        (lambda: check(TABLE, rules=["age > 0"]), "rules must be a list of Rule"),
    ],
)
def test_what_is_no_rule(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_a_function_that_fails():
    with pytest.raises(DataError, match="it raised KeyError"):
        check(TABLE, rules=[Rule("key", function=lambda key: {}[key])], checks=[])
