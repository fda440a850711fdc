"""Rules that say more than chance, and recommenders against popularity."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import hypergeom

from pellucid.association import read_baskets
from pellucid.base.errors import UnknownNameError
from pellucid.report import baskets as rules_of_baskets
from pellucid.report import ratings
from pellucid.report.baskets import (
    chance_text,
    headline,
    item_listing,
    mine,
    pictures,
    rule_listing,
    statement,
    warnings,
)
from pellucid.report.folder import write
from pellucid.report.interactions.collecting import Interactions
from pellucid.report.interactions.ranking import coded, held_out_of_users, scores_of
from pellucid.report.interactions.reasons import Reasons
from pellucid.report.interactions.significance import n_possible_rules, upper_tail
from pellucid.report.interactions.tables import interactions_of_table
from pellucid.report.page_end import _cells
from pellucid.report.ratings import (
    Recommended,
    model_text,
    ranking_listing,
    ranking_text,
    recommend_from,
    recommendations,
    summary,
)
from pellucid.report.study import run_study

from . import interaction_tables as tables


def quiet(step: str, behind: float) -> None:
    """Nobody listens."""


# --------------------------------------------------------------------------------------------------------------- rules


def test_the_tail_is_that_of_the_hypergeometric_distribution() -> None:
    random = np.random.default_rng(0)
    n = random.integers(20, 5000, 200)
    a, b = (random.integers(1, n) for _ in range(2))
    c = np.array([random.integers(max(0, i + j - k), min(i, j) + 1) for i, j, k in zip(a, b, n, strict=True)])
    wanted = np.where(c * n > a * b, hypergeom.sf(c - 1, n, b, a), 1.0)
    np.testing.assert_allclose(upper_tail(a, b, c, n), wanted, rtol=1e-7, atol=1e-300)


def test_the_number_of_possible_rules() -> None:
    assert n_possible_rules(10, 2) == 45  # both directions have the same test
    assert n_possible_rules(10, 3) == 360


@pytest.mark.parametrize("seed", range(6))
def test_noise_has_no_rule(seed: int) -> None:
    random = np.random.default_rng(seed)
    baskets = [[f"item {k}" for k in np.flatnonzero(random.random(25) < 0.15)] for _ in range(500)]
    mined = mine(read_baskets(baskets))
    assert mined.rules == []
    assert "No rule" in headline(mined)
    assert headline(mined).startswith("No rule beyond chance was found")


def test_planted_rules_are_found_without_redundant_ones() -> None:
    mined = mine(read_baskets(tables.basket_lists(600)))
    assert {(rule.antecedent, rule.consequent) for rule in mined.rules} == {
        (("tea",), ("rusk",)),
        (("bread",), ("butter",)),
    }


def test_a_rule_in_words_has_the_counts_of_the_baskets() -> None:
    baskets = [["bread", "butter"]] * 90 + [["bread"]] * 30 + [["butter"]] * 10 + [["tea"]] * 70
    mined = mine(read_baskets(baskets))
    rule = next(rule for rule in mined.rules if rule.consequent in (("butter",), ("bread",)))
    words = {
        ("bread",): "Of the 120 baskets with bread, 90 (75 %) also contain butter; of all 200 baskets, 100 (50 %) do.",
        ("butter",): "Of the 100 baskets with butter, 90 (90 %) also contain bread; of all 200 baskets, 120 (60 %) do.",
    }
    assert statement(rule, 200) == words[rule.antecedent]


# ----------------------------------------------------------------------------------------------------- recommendations


@pytest.fixture(scope="module")
def rated() -> Recommended:
    entries = interactions_of_table(tables.ratings(), "ratings")
    return recommend_from(entries, True, 0, 0.1, quiet)


def test_predicted_ratings_stay_within_the_scale(rated: Recommended) -> None:
    users, items = rated.data.user_ids.repeat(5), np.tile(rated.data.item_ids[:5], len(rated.data.user_ids))
    predicted = rated.fitted.predictor.predict(users, items)
    assert 1 <= predicted.min() <= predicted.max() <= 5
    assert all(1 <= row[3] <= 5 for row in recommendations(rated, None, 5).rows)


def test_tastes_are_learned_from_ratings(rated: Recommended) -> None:
    errors = rated.comparison.errors
    assert errors[rated.comparison.predictor][0] < 0.8 * errors["mean of the item"][0]


def test_recommended_items_are_new_and_have_reasons(rated: Recommended) -> None:
    own: dict[str, set[str]] = {}
    for user, item in zip(*rated.data.triples[:2], strict=True):
        own.setdefault(str(user), set()).add(str(item))
    rows = recommendations(rated, None, 5).rows
    assert len(rows) == 50
    assert all(item not in own[user] for user, _, item, _, _ in rows)
    assert all("of the" in why or "popular" in why for *_, why in rows)


def test_a_recommendation_is_called_popular_only_if_popularity_decides(rated: Recommended) -> None:
    """No user has this item together with one of the own: the order of the factors is not that of popularity."""
    users, items = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 2])
    data = coded(Interactions(users, items, np.ones(5), None), False)
    reasons = Reasons(data, None, "took")
    assert reasons.of(2, 0) == "2 of 3 users took this"
    assert reasons.popularity(0) == "popular: 2 of 3 users took this"
    assert "do not decide" in recommendations(rated, None, 5).about
    assert "10 of the 80 users" in recommendations(rated, None, 5).about


def test_popularity_counts_all_ratings_and_not_only_good_ones() -> None:
    data = coded(Interactions(np.arange(4), np.zeros(4), np.array([1.0, 5.0, 1.0, 1.0]), None), True)
    assert Reasons(data, 4.0, "rated").popularity(0) == "popular: 4 of 4 users rated this"


def test_the_users_compared_are_named_before_what_was_held_out() -> None:
    random = np.random.default_rng(5)
    users, items = np.repeat(np.arange(4500), 10), random.integers(0, 400, 45_000)
    found = recommend_from(Interactions(users, items, np.ones(45_000), None), False, 0, 0.1, quiet)
    text = " ".join(summary(found))
    n = found.comparison.n_compared
    assert n < len(found.data)
    assert f"compared on the {n:,} pairs of user and item of {found.comparison.n_compared_users:,} users" in text
    assert text.index("compared on") < text.index("held out")
    assert "the models take all" not in text  # not those compared; the sentence on the file says what it learned from


def test_ratings_of_one_pair_are_said_to_be_averaged() -> None:
    table = tables.ratings()
    twice = pl.concat([table, table.head(7).with_columns(rating=6 - pl.col("rating"))])
    found = recommend_from(interactions_of_table(twice, "ratings"), True, 0, 0.1, quiet)
    assert any("7 rows repeat a pair of user and item: a pair counts with the mean" in line for line in summary(found))


def test_the_page_says_which_model_is_in_the_file(rated: Recommended) -> None:
    """Ratings are predicted by one model, lists may be made by another one."""
    names = rated.comparison.predictor, rated.comparison.ranker.name
    assert f"predicts ratings ({names[0]})" in model_text(rated)
    assert ("in no file" in model_text(rated)) == (names[0] != names[1])
    visits = replace(rated, is_rated=False)
    assert model_text(visits) == "The model in the file makes the lists; it was fitted on everything."


def test_each_of_few_ratings_has_a_bar_of_its_own(rated: Recommended) -> None:
    chart = ratings.pictures(rated)[0].svg
    assert " to " not in chart
    assert all(f">{rating}<" in chart for rating in range(1, 6))


def test_a_good_item_is_the_same_in_every_sentence(rated: Recommended) -> None:
    least = f"at least {rated.comparison.least:g}"
    assert least in ranking_listing(rated.comparison).about
    assert any(least in line for line in summary(rated))


def test_rules_that_are_left_out_are_not_said_to_be_due_to_chance() -> None:
    mined = mine(read_baskets([["bread", "butter"]] * 90 + [["bread"]] * 30 + [["butter"]] * 10 + [["tea"]] * 70))
    assert headline(mined).startswith("1 rule beyond chance was found in 200 baskets of 3 items.")
    assert "1 with the same two items as a stronger rule" in chance_text(mined)


def test_a_list_says_how_many_of_the_rules_and_items_it_shows() -> None:
    random = np.random.default_rng(0)
    pairs = [[f"a{k}", f"b{k}"] for k in random.integers(0, 120, 6000)]
    mined = mine(read_baskets(pairs))
    assert len(mined.rules) > 100
    assert rule_listing(mined).about.startswith(f"The first 100 of {len(mined.rules)} rules. ")
    assert item_listing(mined).about.startswith("The first 100 of 240 frequent items. ")


def test_rules_without_exception_ask_about_two_items_only() -> None:
    pair = mine(read_baskets([["hook", "eye"]] * 90 + [["cloth"]] * 110))
    (_, said) = warnings(pair)
    assert "such as that baskets with" in said
    assert said.endswith("are these two names of one thing, or is one a part of the other?")
    triple = [["a", "b", "c"]] * 60 + [["a"]] * 40 + [["b"]] * 40 + [["c"]] * 40 + [["y"]] * 60
    (_, said) = warnings(mine(read_baskets(triple)))
    assert said.startswith("3 rules hold without exception, such as that baskets with ")
    assert "?" not in said


def test_a_drawing_of_rules_says_how_many_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    mined = mine(read_baskets(tables.basket_lists(600)))
    assert pictures(mined)[-1].about == "The colors show the lift."
    monkeypatch.setattr(rules_of_baskets, "N_POINTS", 1)
    drawn = pictures(mined)[-1]
    assert drawn.about == "The first 1 of 2 rules. The colors show the lift."
    assert "The first 1 of 2 rules. Each point is a rule." in drawn.svg


def test_numbers_of_baskets_and_items_have_no_mean_and_rules_predict_nothing(tmp_path: Path) -> None:
    names = {"tea": 4711, "rusk": 4712, "bread": 801, "butter": 802}
    lines = [[str(names.get(item, 900 + len(item))) for item in one] for one in tables.basket_lists(600)]
    (tmp_path / "lines.csv").write_text("".join(",".join(one) + "\n" for one in lines))
    outcome = run_study(str(tmp_path / "lines.csv"), minutes=0.02)
    assert {column.kind for column in outcome.profile} == {"identifier"}
    write(outcome, tmp_path / "out")
    text = unescape(re.sub(r"<[^>]+>", "", (tmp_path / "out" / "report.html").read_text(encoding="utf-8")))
    assert "Euclidean" not in text
    assert "This program finds the same rules in the same table, also those that this page leaves out." in text
    assert "predictions" not in text[text.index("How to reproduce this") :]
    assert "pellucid predict" not in text


def test_a_reason_states_true_counts(rated: Recommended) -> None:
    table, least = tables.ratings(), rated.comparison.least
    assert least is not None
    liked = table.filter(table["rating"] >= least)
    code = 3
    item = int(np.setdiff1d(np.arange(len(rated.data.item_ids)), rated.data.items[rated.data.users == code])[0])
    why = rated.reasons.of(code, item).split("; ")[0]
    name, rest = why.removeprefix("the user gave ").split(" ", 1)
    assert rest.startswith("a rating of ")
    n, of = [int(word) for word in rest.split("and ")[1].split() if word.isdigit()][:2]
    fans = set(liked.filter(liked["item_id"] == int(name))["user_id"])
    both = fans & set(liked.filter(liked["item_id"] == int(rated.data.item_ids[item]))["user_id"])
    assert (n, of) == (len(both), len(fans))


def test_unknown_users_get_popular_items(rated: Recommended) -> None:
    rows = recommendations(rated, ["nobody"], 3).rows
    counts = tables.ratings()["item_id"].value_counts().sort("count", descending=True)
    assert len(rows) == 3
    assert int(rows[0][2]) in counts.filter(counts["count"] == counts["count"][0])["item_id"]
    assert rows[0][4].startswith("popular: ")
    with pytest.raises(UnknownNameError):  # so that the page names the command, and not the model in the file
        rated.fitted.predictor.recommend("nobody", n=3)
    assert "pellucid recommend gives them popular items" in ratings.warnings(rated)[-1]


def test_the_latest_fifth_of_each_user_is_held_out() -> None:
    users, items = np.repeat(np.arange(10), 10), np.tile(np.arange(10), 10)
    entries = Interactions(users, items, np.ones(100), np.tile(np.arange(10.0)[::-1], 10))
    data = coded(entries, False)
    held = held_out_of_users(data, 0)
    assert set(data.items[held].tolist()) == {0, 1}
    assert held.sum() == 20


def test_scores_of_a_list_by_hand() -> None:
    lists = np.array([["a", "b", "c", "d"]])
    found = scores_of(lists, [7], {7: {0, 2, 9}}, {"a": 0, "b": 1, "c": 2, "d": 3})[0]
    ideal = 1 + 1 / np.log2(3) + 0.5
    np.testing.assert_allclose(found, [2 / 4, 2 / 3, (1 + 0.5) / ideal])


def test_random_visits_are_not_said_to_be_better_than_popularity() -> None:
    random = np.random.default_rng(1)
    popularity = 1 / np.arange(1, 61)
    rows: list[tuple[int, int]] = []
    for user in range(150):
        chosen = random.choice(60, 12, replace=False, p=popularity / popularity.sum())
        rows += [(user, int(item)) for item in chosen]
    users, items = (np.array(values) for values in zip(*rows, strict=True))
    found = recommend_from(Interactions(users, items, np.ones(len(rows)), None), False, 0, 0.1, quiet)
    assert "not significantly better" in ranking_text(found.comparison) or "Popular" in ranking_text(found.comparison)


def test_visits_of_two_groups_are_ranked_better_than_by_popularity() -> None:
    random = np.random.default_rng(2)
    rows: list[tuple[int, int]] = []
    for user in range(200):
        own = np.arange(100)[np.arange(100) % 4 == user % 4]
        rows += [(user, int(item)) for item in random.choice(own, 12, replace=False)]
    users, items = (np.array(values) for values in zip(*rows, strict=True))
    found = recommend_from(Interactions(users, items, np.ones(len(rows)), None), False, 0, 0.1, quiet)
    assert found.comparison.ranker.beats_popularity
    assert ranking_text(found.comparison).startswith("Personal lists")


def test_one_order_for_everybody_is_not_called_personal() -> None:
    """Some items are rated higher by all users, who otherwise have no tastes."""
    random = np.random.default_rng(5)
    users, items = np.repeat(np.arange(180), 18), random.permuted(np.tile(np.arange(60), (180, 1)), axis=1)[:, :18]
    quality = random.normal(0, 1.5, 60)
    stars = np.clip(3 + quality[items] + random.normal(0, 0.7, items.shape), 1, 5).round().ravel()
    found = recommend_from(Interactions(users, items.ravel(), stars, None), True, 0, 0.1, quiet)
    assert "; the best rated items, in one order for everybody: 0.1" in ranking_text(found.comparison)
    rankings = sorted(found.comparison.rankings, key=lambda one: one.name != "biases of user and item")
    text = ranking_text(replace(found.comparison, rankings=tuple(rankings)))
    assert text.startswith("The best rated items, in one order for everybody (biases of user and item), are better")
    assert text.count("in one order") == 1
    for one, row in zip(found.comparison.rankings, ranking_listing(found.comparison).rows, strict=True):
        assert f"{row[3]:.3f}" == f"{one.ndcg:.3f}"


def test_the_same_seed_gives_the_same_result() -> None:
    entries = interactions_of_table(tables.visits(), "visits")
    one, other = (recommend_from(entries, False, 3, 0.1, quiet) for _ in range(2))
    first: Any = recommendations(one, None, 4).rows
    assert first == recommendations(other, None, 4).rows
    assert one.comparison == other.comparison


def test_a_p_value_is_never_shown_as_nought() -> None:
    """Nor is a support of 541 in 100,000 rounded to 540."""
    assert [cell.html for cell in _cells("p", [1e-12, 0.0331])] == ["&lt; 0.001", "0.033"]
    baskets = [["a", "b"]] * 541 + [["c"]] * 99_459
    support = {row[0]: row[2] for row in item_listing(mine(read_baskets(baskets))).rows}
    assert support["a"] == 0.00541
