"""What the page says of columns, suggestions and changes."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pandas as pd
import polars as pl

from pellucid.report.page import page
from pellucid.report.study import run_study


def test_numbered_classes_have_shares_and_no_mean() -> None:
    random = np.random.default_rng(0)
    grade = random.integers(1, 4, 300)
    table = pd.DataFrame({"x": grade + random.normal(size=300), "z": random.normal(size=300), "grade": grade})
    for task, has_mean in (("several classes", False), ("number", True)):
        row = re.search(
            r"<tr><th[^>]*>grade</th>.*?</tr>", page(run_study(table, "grade", task=task, minutes=0.02)), re.S
        )
        assert row is not None
        assert ("median" in row[0]) == has_mean
        assert (" %" in row[0]) != has_mean


def test_a_mean_that_is_zero_but_for_rounding_is_shown_as_zero() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=300)
    table = pd.DataFrame({"x": x - x.mean(), "y": x + random.normal(size=300)})
    assert 0 < abs(table["x"].mean()) < 1e-14
    row = re.search(r"<tr><th[^>]*>x</th>.*?</tr>", page(run_study(table, "y", minutes=0.02)), re.S)
    assert row is not None
    assert "e−1" not in row[0]


def test_what_became_missing_already_is_not_suggested_again() -> None:
    """A cell of a blank is missing once it is trimmed; a column whose numbers are text is not merely a category."""
    random = np.random.default_rng(0)
    phones = [[" ", "nan", "098-765-4321", "123-456-7890"][i % 4] for i in range(200)]
    ages = [["25", "30", "thirty five", "nan"][i % 4] for i in range(200)]
    table = pd.DataFrame({"phone": phones, "age": ages, "x": random.normal(size=200), "z": random.normal(size=200)})
    text = unescape(re.sub(r"<[^>]+>", "", page(run_study(table, minutes=0.02))))
    assert "values=['nan'])" in text
    assert "values=['nan', ' ']" not in text
    assert "text, read as numbers" in text
    assert "Done by the cleaning where nothing is lost by it: to_number" not in text


def test_a_change_far_inside_a_text_can_be_seen() -> None:
    """Of long texts the beginning may be equal before and after."""
    random = np.random.default_rng(0)
    words = ["a message of some length about nothing, sent by number", "another one, just as long, which was sent by"]
    texts = [f"{words[i % 2]} {i} for \u00c2\u00a3{i}00 a week" for i in range(120)]
    table = pd.DataFrame({"text": texts, "x": random.normal(size=120), "y": random.normal(size=120)})
    shown = unescape(re.sub(r"<[^>]+>", "", page(run_study(table, "y", minutes=0.02))))
    pairs = re.findall(r"(…[^→…]*) → (…[^→…]*)", shown)
    assert pairs
    assert all(before != after and "\u00c2" in before and "\u00a3" in after for before, after in pairs)


def test_a_text_that_the_chosen_model_does_not_read_is_not_counted_as_used() -> None:
    """Nor has it an importance: shuffling it cannot change anything. That the text is cleaned changes nothing of it."""
    random = np.random.default_rng(0)
    x, z = random.normal(size=400), random.normal(size=400)
    words = ["alpha", "beta", "gamma", "delta", "omega"]
    said = [" ".join(random.choice(words, 5)) + f" {i}" for i in range(400)]
    said[0] = f" {said[0]}"
    table = pl.DataFrame({"x": x, "z": z, "said": said, "y": np.where(x * z > 0, "yes", "no")})
    outcome = run_study(table, "y", minutes=0.02)
    text = unescape(re.sub(r"<[^>]+>", "", page(outcome)))
    assert any("does without the words of said" in line for line in outcome.summary)
    assert "2 of 3 columns are used. Not read by the chosen model: said." in text
    assert outcome.explanation is not None
    assert "said" not in outcome.explanation.importance.feature_names
    assert "likeliest to matter" not in text


def test_a_command_is_never_cut() -> None:
    name = "the town where the customer lived when " * 8
    table = pl.DataFrame({name: ["Hamburg"] * 60 + ["Berlin"] * 38 + ["Hambrug", "Berlin"], "size": range(100)})
    text = unescape(re.sub(r"<[^>]+>", "", page(run_study(table, minutes=0.02))))
    assert f"--apply 'merge_values:{name}'" in text


def test_blanks_inside_a_text_can_be_seen() -> None:
    """A browser shows several blanks as one, also where a finding is about them."""
    names = ["north side", "south side", "west side"] * 30 + ["east   side"] * 2
    table = pl.DataFrame({"place": names, "size": [k * k % 17 for k in range(len(names))]})
    html = page(run_study(table, "size", task="number", minutes=0.02))
    said = re.search(r'<p class="([^"]*)">[^<]*doubled inside[^<]*</p>', html)
    assert said is not None
    assert (said[1], "east   side" in unescape(said[0])) == ("pr-blanks", True)
    assert "<span class=\"pr-blanks\">'east   side'</span>" in unescape(html)


def test_texts_of_few_words_are_not_said_to_be_no_text() -> None:
    """Names of one or two words are texts, though none that could be learned from."""
    table = pl.DataFrame({"name": [f"Firm {k}" for k in range(90)], "x": [k % 7 for k in range(90)]})
    table = table.with_columns(pl.col("x").sin().alias("z"))
    html = unescape(page(run_study(table, "x", task="number", minutes=0.02)))
    assert "too many for categories, and too few words for free text" in html
