"""The list of checks, and tables of any kind."""

import datetime

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse

from pellucid.base.errors import ParameterError
from pellucid.quality import Finding, check, list_checks
from pellucid.quality.checks.registry import all_checks


def test_every_check_says_what_it_looks_for():
    assert len(all_checks()) >= 30
    for name, item in all_checks().items():
        assert item.about.endswith("."), name
        assert list_checks()[name].startswith(item.about)


def test_chosen_ignored_and_changed():
    table = pd.DataFrame({"a": ["x", "N/A", "x"], "b": ["y", "?", "y"]})
    assert {f.check for f in check(table, checks=["placeholders"])} == {"placeholders"}
    assert [f.columns for f in check(table, checks="placeholders", ignore=[("placeholders", "a")])] == [("b",)]
    assert not check(table, ignore=["placeholders"]).of(check="placeholders")
    numbers = pd.DataFrame({"a": [*range(50), 130]})
    assert check(numbers, checks=["outliers"]).of(check="outliers")[0].rows.tolist() == [50]
    assert not check(numbers, checks={"outliers": {"far": 30, "fence": 30}}).of(check="outliers")


def test_a_check_of_ones_own():
    def shout(stats):
        return [Finding("shout", "note", (stats.columns[0].name,), [0], "loud", None)]

    assert [f.check for f in check([[1]], checks=[shout])] == ["shout"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"checks": ["outlier"]}, "did you mean 'outliers'"),
        ({"ignore": ["zzz"]}, "there is no 'zzz'"),
        ({"checks": {"outliers": {"fences": 2}}}, "the limits of 'outliers' are"),
        ({"target": "z"}, "target must be the name of a column"),
    ],
)
def test_words(settings, words):
    with pytest.raises(ParameterError, match=words):
        check([[1, 2]], **settings)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [None] * 5, "b": [np.nan] * 5, "c": range(5)}),
        pd.DataFrame({"a": ["x"], "b": [1], "c": [pd.Timestamp("2020-01-01")]}),
        pd.DataFrame(
            {"p": [np.inf, -np.inf, 1, 2, 3] * 20, "q": np.linspace(-1, 1, 100) * 1e308, "z": [-0.0, 0.0] * 50}
        ),
        pd.DataFrame({"r": [2**60 + i for i in range(100)], "b": [True, False] * 50}),
        pd.DataFrame({"b": [True, False, None] * 9, "c": pd.Categorical(["a", "b", "c"] * 9), "m": [1, "a", 2.5] * 9}),
        pd.DataFrame({"d": [[1], [2], {"a": 1}] * 9, "e": ["", " ", "x"] * 9}),
        pd.DataFrame(
            {"t": pd.date_range("2020", periods=60, tz="Europe/Berlin"), "d": [datetime.date(2020, 1, 1)] * 60}
        ),
        pd.DataFrame({1: ["a", "b"] * 20, ("x", 2): ["c", "d"] * 20}),
        [[1, 2], [3, 4]],
        np.array([["a", "1"], ["b", "2"]] * 30),
        polars.DataFrame({"a": ["x", "N/A", None] * 10, "d": [datetime.timedelta(1)] * 30}),
        pyarrow.table({"a": ["x", "N/A", None] * 10, "n": [1, 2, None] * 10}),
        scipy.sparse.random(50, 10, 0.1, format="csr", random_state=0),
    ],
    ids=range(13),
)
def test_odd_tables_are_looked_through(table):
    findings = check(table)
    assert findings.cells().shape == (findings.n_rows, len(findings.names))
    assert str(findings)


def test_clean_numbers_give_no_alarm():
    table = np.random.default_rng(0).normal(size=(500, 6))
    assert not [finding for finding in check(table) if finding.severity != "note"]


def test_pairs_of_many_columns_are_limited_and_said_so():
    table = np.random.default_rng(0).normal(size=(40, 500))
    words = [finding.explanation for finding in check(table) if "only the first" in finding.explanation]
    assert len(words) == 2


def test_many_levels_are_no_trouble():
    levels = [f"level {i:x} of many" for i in range(30_000)]
    findings = check(pd.DataFrame({"c": levels + levels[:5000] * 4}))
    assert findings.of(check="many_levels")
