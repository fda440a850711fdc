"""Written rules as a classifier: which fire, who wins, what is measured, and what is wrong with them."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from pellucid.base.errors import DataError, ParameterError, RuleWarning
from pellucid.models.rules.conditions import holds
from pellucid.models.rules.rule_set import Rule, RuleSet
from pellucid.reference import rules as reference
from pellucid.rules import RuleClassifier, column

from .test_conditions import EXPRESSIONS

PEOPLE = pd.DataFrame({"Height": [185, 170, 160, 175, 190], "Weight": [80, 90, 65, 70, 60]})
SEX = ["Male", "Male", "Female", "Male", "Female"]
TEXT = """
IF Height > 180 THEN Male
IF Weight < 70 THEN Female
IF Weight > 85 THEN Male
"""


def test_coverage_accuracy_conflicts_and_default() -> None:
    model = RuleClassifier(rules=TEXT).fit(PEOPLE, SEX)
    assert model.coverage_.tolist() == [2 / 5, 2 / 5, 1 / 5]
    assert model.accuracy_.tolist() == [1 / 2, 1, 1]
    assert model.conflicts_.tolist() == [[0, 1, 1]]
    assert model.n_conflicts_ == 1
    assert model.rules_.default == "Male"  # of the one row for which no rule fires
    assert model.predict(PEOPLE).tolist() == ["Male", "Male", "Female", "Male", "Male"]
    assert model.apply(PEOPLE).tolist() == [0, 2, 1, -1, 0]
    assert model.decided_counts_.tolist() == [[1, 1], [1, 0], [0, 1], [0, 1]]
    assert model.fired(PEOPLE)[4].tolist() == [True, True, False]
    assert model.rule_table()["accuracy"] == [1 / 2, 1, 1]


@pytest.mark.parametrize(
    ("settings", "tall_light_one"),
    [
        ({}, "Male"),
        ({"conflict": "vote"}, "Male"),  # one vote each: the rule that stands first
        ({"conflict": "vote", "rules": TEXT.replace("THEN Female", "THEN Female (weight 2)")}, "Female"),
        ({"conflict": "priority", "priority": ["Female"]}, "Female"),
        ({"conflict": "priority"}, "Male"),  # in the order of the rules
    ],
)
def test_who_wins_a_conflict(settings: dict[str, Any], tall_light_one: str) -> None:
    model = RuleClassifier(**{"rules": TEXT, **settings}).fit(PEOPLE, SEX)
    assert model.predict(PEOPLE)[4] == tall_light_one
    sure = model.predict_proba(PEOPLE)
    np.testing.assert_allclose(sure.sum(axis=1), 1)
    wanted = {"vote": [1 / 3, 2 / 3] if "rules" not in settings else [2 / 3, 1 / 3]}
    if settings.get("conflict") == "vote":
        assert sure[4].tolist() == ([0.5, 0.5] if "rules" not in settings else wanted["vote"])
    share = RuleClassifier(**{"rules": TEXT, **settings}, probability="share").fit(PEOPLE, SEX)
    np.testing.assert_allclose(share.predict_proba(PEOPLE).sum(axis=1), 1)


def test_shares_of_the_rows_behind_a_rule() -> None:
    model = RuleClassifier(rules=TEXT, probability="share").fit(PEOPLE, SEX)
    np.testing.assert_allclose(model.predict_proba(PEOPLE)[0], [1 / 2, 1 / 2])  # the first decides two rows
    vote = RuleClassifier(rules=TEXT, probability="share", conflict="vote").fit(PEOPLE, SEX)
    np.testing.assert_allclose(vote.predict_proba(PEOPLE)[4], [3 / 4, 1 / 4])  # mean of (1/2, 1/2) and (1, 0)


def random_rows(n: int, seed: int = 1) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    random = np.random.default_rng(seed)
    x = random.choice([np.nan, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0], n)
    c = random.choice(np.array([None, "a", "b", "d"], dtype=object), n)
    rows = [{"x": None if np.isnan(v) else v, "c": name} for v, name in zip(x, c, strict=True)]
    return pd.DataFrame({"x": x, "c": c}), rows


@pytest.mark.parametrize("conflict", ["first", "vote", "priority"])
def test_the_kernel_finds_what_plain_python_finds(conflict: str) -> None:
    X, rows = random_rows(1000)
    random = np.random.default_rng(2)
    labels = np.array(["p", "q", "r"])[random.integers(0, 3, len(X))]
    picked = [EXPRESSIONS[i] for i in random.integers(0, len(EXPRESSIONS), 25)]
    rules = [Rule(when, "pqr"[k % 3], 1.0 + k % 4) for k, when in enumerate(picked)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        model = RuleClassifier(rules=rules, conflict=conflict, priority=["r", "p", "q"]).fit(X, labels)
    fired = np.array([[holds(rule.when, row) for rule in rules] for row in rows])
    assert np.array_equal(model.fired(X), fired)
    tables = [([("fires", "=", True)], rule.then) for rule in rules]
    for i, said in enumerate(model.predict(X)):
        now = [k for k in range(len(rules)) if fired[i, k]]
        wanted = reference.answer(
            [tables[k] for k in now],
            {"fires": True},
            model.rules_.default,
            conflict,
            [rules[k].weight for k in now],
            "rpq",
        )
        assert said == wanted
    for k in range(len(rules)):
        covered = labels[fired[:, k]]
        assert model.rules_.rules[k].counts == tuple(float((covered == c).sum()) for c in "pqr")


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 130])
def test_any_layout_gives_the_same_answers(rows: int) -> None:
    random = np.random.default_rng(rows)
    X = random.normal(size=(rows, 3)).round(1)
    y = random.integers(0, 2, rows)
    y[0] = 0
    text = "IF x0 > 0 AND x1 <= 0.5 THEN 1 IF x2 BETWEEN -0.5 AND 0.5 OR x0 = 0.1 THEN 0 DEFAULT 1"
    wanted = np.where((X[:, 0] > 0) & (X[:, 1] <= 0.5), 1, np.where((abs(X[:, 2]) <= 0.5) | (X[:, 0] == 0.1), 0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        for table in (X, np.asfortranarray(X), X[::-1][::-1], X.tolist()):
            assert RuleClassifier(rules=text).fit(table, y).predict(table).tolist() == wanted.tolist()


def test_weights_count_like_repetitions() -> None:
    weight = np.array([2, 0, 1, 3, 1])
    one = RuleClassifier(rules=TEXT)
    with pytest.warns(RuleWarning, match="covers no row"):  # the heavy one does not count
        one.fit(PEOPLE, SEX, weight)
    assert one.rules_.rules[0].counts == (1, 2)
    assert one.coverage_[0] == 3 / 7
    assert one.n_conflicts_ == 1
    assert np.isnan(one.accuracy_[2])


def test_labels_of_any_type_are_found() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    text = "IF x > 2 THEN 1 DEFAULT 0"
    for y in ([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], ["0", "0", "1", "1"], np.array([0, 0, 1, 1], dtype=np.int8)):
        assert RuleClassifier(rules=text).fit(X, y).score(X, y) == 1
    flags = RuleClassifier(rules="IF x > 2 THEN True DEFAULT False").fit(X, [False, False, True, True])
    assert flags.predict(X).tolist() == [False, False, True, True]


def test_columns_of_every_kind() -> None:
    X = pd.DataFrame(
        {
            "color": pd.Categorical(["red", "blue", "red", None]),
            "member": [True, False, True, False],
            "zip": ["8001", "3000", "8001", ""],
            "size": pd.array([1, None, 3, 2**53 + 1], dtype="Int64"),
        }
    )
    y = ["a", "b", "a", "b"]
    for text, wanted in [
        ("IF color = red THEN a DEFAULT b", "abab"),
        ("IF NOT color = red THEN a DEFAULT b", "babb"),
        ("IF color IS MISSING THEN a DEFAULT b", "bbba"),
        ("IF member = true THEN a DEFAULT b", "abab"),
        ("IF zip = 8001 THEN a DEFAULT b", "abab"),
        ('IF zip = "" THEN a DEFAULT b', "bbba"),
        ("IF size >= 3 OR MISSING THEN a DEFAULT b", "baaa"),
        ("IF size IN {1, 3} THEN a DEFAULT b", "abab"),
        ("IF size NOT IN {1, 3} THEN a DEFAULT b", "bbba"),
    ]:
        model = RuleClassifier(rules=text).fit(X, y)
        assert "".join(model.predict(X)) == wanted, text
    frame = pl.DataFrame({"zip": ["8001", "3000"], "size": [1, None]})
    assert RuleClassifier(rules="IF zip = 8001 THEN a DEFAULT b").fit(frame, ["a", "b"]).predict(frame).tolist() == [
        "a",
        "b",
    ]


def test_a_category_that_only_a_rule_knows_is_found_later() -> None:
    X = pd.DataFrame({"color": ["red", "blue"]})
    model = RuleClassifier(rules="IF color = purple THEN a DEFAULT b")
    with pytest.warns(RuleWarning) as caught:
        model.fit(X, ["a", "b"])
    assert any("no row has color = 'purple'" in str(one.message) for one in caught)
    later = pd.DataFrame({"color": ["purple", "red", "green"]})
    assert model.predict(later).tolist() == ["a", "b", "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("IF Height < 3 AND Height > 5 THEN Male DEFAULT Female", "rule 1 can never fire: .* contradicts itself"),
        ("IF Height > 500 THEN Male DEFAULT Female", "rule 1 covers no row: Height > 500"),
        ("IF Height > 0 THEN Male DEFAULT Male", "no rule concludes 'Female', which y holds"),
        (
            "IF Height > 180 THEN Mail IF Height > 165 THEN Male DEFAULT Female",
            "rules name 'Mail', y holds 'Female', 'Male'",
        ),
    ],
)
def test_what_a_careful_reader_would_ask(text: str, words: str) -> None:
    with pytest.warns(RuleWarning, match=words):
        RuleClassifier(rules=text).fit(PEOPLE, SEX)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "IF Heigth > 3 THEN Male",
            "rule 1 asks for 'Heigth', X has 'Height', 'Weight'.\nhint: 'Height' may be meant",
        ),
        ("IF Height = tall THEN Male", "'Height', which holds numbers, is compared with 'tall'"),
        ("IF Height > 3 THEN 7", "labels of one kind"),
    ],
)
def test_what_cannot_be_bound_is_refused(text: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        RuleClassifier(rules=text).fit(PEOPLE, SEX)
    with pytest.raises(DataError, match="'c', which holds names, is compared with a number"):
        RuleClassifier(rules="IF c > 3 THEN a").fit(pd.DataFrame({"c": ["u", "v"]}), ["a", "b"])


@pytest.mark.parametrize("rules", [3, ["IF x > 1 THEN a"], {"IF": 1}, [column("x") > 1]])
def test_what_are_no_rules(rules: Any) -> None:
    with pytest.raises(ParameterError, match="rules must be a text, a RuleSet, or a list of Rule and If"):
        RuleClassifier(rules=rules).fit(PEOPLE, SEX)
    with pytest.raises(ParameterError, match="priority must be a list"):
        RuleClassifier(rules=TEXT, priority="Male").fit(PEOPLE, SEX)


def test_objects_texts_and_sets_are_the_same_rules() -> None:
    h, w = column("Height"), column("Weight")
    objects = [Rule(h > 180, "Male"), Rule(w < 70, "Female"), Rule(w > 85, "Male")]
    wanted = RuleClassifier(rules=TEXT).fit(PEOPLE, SEX)
    for rules in (objects, RuleSet.of(objects), RuleSet.from_text(RuleSet.of(objects).to_text())):
        model = RuleClassifier(rules=rules).fit(PEOPLE, SEX)
        assert model.rules_ == wanted.rules_
    again = pickle.loads(pickle.dumps(wanted))
    assert again.rules_ == wanted.rules_
    assert again.predict(PEOPLE).tolist() == wanted.predict(PEOPLE).tolist()
    assert clone(wanted).rules == TEXT


def test_no_rules_at_all() -> None:
    for rules in (None, "", "# nothing", []):
        model = RuleClassifier(rules=rules).fit(PEOPLE, SEX)
        assert model.predict(PEOPLE).tolist() == ["Male"] * 5
        assert model.fired(PEOPLE).shape == (5, 0)
        assert model.rule_table()["rule"] == []


def test_a_failed_fit_leaves_the_model_as_it_was() -> None:
    model = RuleClassifier(rules=TEXT).fit(PEOPLE, SEX)
    with pytest.raises(ParameterError):
        model.set_params(rules="IF Height >").fit(PEOPLE, SEX)
    assert model.predict(PEOPLE[:1]).tolist() == ["Male"]
