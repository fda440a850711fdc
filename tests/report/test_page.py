"""The report's page: well-formed, whole, the same bytes twice, nothing loaded, and harmless whatever users write."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid.model_selection import HeldOutEvidence
from pellucid.model_selection.diagnosis import RULE
from pellucid.quality import Finding, Findings, profile
from pellucid.report import page_explained
from pellucid.report.outcome import Structure, StudyResult, Tuned
from pellucid.report.page import page
from pellucid.report.page_svg import inline_svg
from pellucid.report.page_text import cell_html, harmless, text_html, visible
from pellucid.report.study import run_study
from pellucid.report.task import MEASURES
from pellucid.working import Working

from . import page_samples as samples

VOID = {"meta", "input", "br", "wbr", "link", "img", "hr"}
MADE = {**samples.SAMPLES, "hostile": samples.hostile, "wide": samples.wide}
LONGEST = 5_000_000


@dataclass
class Node:
    """An element of the parsed page."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What a reader sees, to whom a no-break space is a space."""
        parts = (child if isinstance(child, str) else child.text for child in self.children)
        return "".join(parts).replace("\u00a0", " ")

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str = "", **wanted: str) -> list[Node]:
        """Elements by tag, id and class."""
        names = {key.rstrip("_"): value for key, value in wanted.items()}
        return [
            node
            for node in self.walk()
            if tag in ("", node.tag)
            and all(value in node.attributes.get(key, "").split() for key, value in names.items())
        ]

    def one(self, tag: str = "", **wanted: str) -> Node:
        (found,) = self.all(tag, **wanted)
        return found


class _Reader(HTMLParser):
    """Builds the tree, and refuses tags that are not closed in order, and attributes that are there twice."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("")]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice in <{tag}>"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        assert any(node.tag in ("svg", "math") for node in self.open), f"<{tag}/> outside a drawing"
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(text: str) -> Node:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is not closed"
    return reader.open[0]


@pytest.fixture(params=MADE, scope="module")
def outcome(request: pytest.FixtureRequest) -> StudyResult:
    return MADE[request.param]()


@pytest.fixture(scope="module")
def text(outcome: StudyResult) -> str:
    return page(outcome)


@pytest.fixture(scope="module")
def tree(text: str) -> Node:
    return parse(text)


# ------------------------------------------------------------------------------------------------------- every page


def test_the_same_outcome_gives_the_same_bytes(outcome: StudyResult, text: str) -> None:
    assert page(outcome) == text


def test_it_is_small_enough(text: str) -> None:
    assert len(text.encode()) < LONGEST


def test_nothing_is_loaded_and_nothing_runs_but_the_one_script(text: str, tree: Node) -> None:
    assert not re.search(r"@import|\beval\b|new Function", text)
    assert not re.search(r"url\((?!#)", text)
    attributes = {key for node in tree.walk() for key in node.attributes}
    assert {"src", "srcset", "style", "action", "xmlns"}.isdisjoint(attributes)
    assert not [key for key in attributes if key.startswith("on")]
    assert len(tree.all("script")) == len(tree.all("style")) == 1
    assert not [
        node for node in tree.walk() if node.tag in ("img", "link", "iframe", "object", "embed", "form", "base")
    ]
    for link in tree.all("a"):
        assert link.attributes["href"].startswith(("#", "./"))


def test_the_policy_allows_this_style_and_this_script_alone(tree: Node) -> None:
    policy = next(meta for meta in tree.all("meta") if "http-equiv" in meta.attributes).attributes["content"]
    for kind in ("style", "script"):
        digest = b64encode(sha256(tree.one(kind).text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


def test_there_are_no_characters_that_html_forbids(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", text)
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)


def test_ids_are_unique_and_references_lead_somewhere(tree: Node) -> None:
    ids = Counter(node.attributes["id"] for node in tree.walk() if "id" in node.attributes)
    kept = {id(node) for part in tree.all("template") for node in part.walk()}
    assert max(ids.values()) == 1
    for link in tree.all("a"):
        if link.attributes["href"].startswith("#"):
            assert link.attributes["href"][1:] in ids
    for key in ("for", "aria-labelledby", "aria-describedby", "data-for", "data-copy", "data-numbers"):
        for node in tree.walk():
            if key in node.attributes and id(node) not in kept:
                assert all(part in ids for part in node.attributes[key].split()), (key, node.attributes[key])


def test_headings_go_down_one_level_at_a_time(tree: Node) -> None:
    levels = [int(node.tag[1]) for node in tree.walk() if re.fullmatch("h[1-6]", node.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tables_have_captions_and_rows_as_wide_as_their_heads(tree: Node) -> None:
    frames = [node for node in tree.all("div", class_="pr-scroll") if node.all("table")]
    assert frames
    for frame in frames:
        table = next(node for node in frame.children if isinstance(node, Node))
        assert frame.attributes["aria-label"]
        parts = {node.tag: node for node in table.children if isinstance(node, Node)}
        assert parts["caption"].text
        heads = parts["thead"].all("th")
        for row in (node for node in parts["tbody"].children if isinstance(node, Node)):
            cells = [node for node in row.children if isinstance(node, Node)]
            assert len(cells) == len(heads)
            assert cells[0].tag == "th"


def test_drawings_have_a_title_and_a_description(tree: Node) -> None:
    charts = tree.all("svg", class_="pc")
    assert charts
    for svg in charts:
        title, about = svg.attributes["aria-labelledby"].split()
        assert tree.one("title", id=title).text
        assert tree.one("desc", id=about).text
        assert all(mark.all("title")[0].text for mark in svg.all("g", class_="pc-mark"))


def test_without_its_script_nothing_waits_for_it(tree: Node) -> None:
    """Buttons and fields that do nothing without the script are hidden until it runs."""
    main = tree.one("main")
    hidden = {id(part) for node in main.walk() if "hidden" in node.attributes for part in node.walk()}
    templates = {id(part) for node in main.all("template") for part in node.walk()}
    for node in main.walk():
        if node.tag in ("button", "input", "select") and id(node) not in templates:
            assert id(node) in hidden, node


# ---------------------------------------------------------------------------------------------------------- sections


def _order(tree: Node) -> list[str]:
    return [
        node.attributes["id"] for node in tree.one("main").children if isinstance(node, Node) and node.tag == "section"
    ]


def test_sections_stand_in_their_order() -> None:
    with_target = ["data", "findings", "changes", "models", "winner", "explained", "cases", "reproduce"]
    for name in ("two", "several", "number"):
        tree = parse(page(samples.SAMPLES[name]()))
        assert _order(tree) == with_target
        links = [link.attributes["href"][1:] for link in tree.one("nav", class_="pr-contents").all("a")]
        assert links == with_target
    assert _order(parse(page(samples.no_target()))) == ["data", "findings", "changes", "results", "reproduce"]


def test_the_top_is_for_someone_in_a_hurry() -> None:
    outcome = samples.several_classes()
    header = parse(page(outcome)).one("header", id="summary")
    assert header.one("h1").text == outcome.headline
    for said in (*outcome.summary, *outcome.warnings):
        assert said in header.text
    assert outcome.held is not None
    numbers = [node.text for node in header.all("span", class_="pr-big")]
    assert numbers == [f"{figure.value:.3f}" for figure in outcome.held.figures]
    first = outcome.held.figures[0]
    assert f"95 % interval {first.low:.3f} to {first.high:.3f}" in header.text
    assert f"baseline {first.baseline:.3f}" in header.text


def test_shuffling_says_nothing_about_columns_that_do_not_vary_in_the_held_out_rows() -> None:
    outcome = samples.several_classes()
    told = outcome.explanation
    assert told is not None
    first, second = (str(told.importance.feature_names[j]) for j in told.importance.order[:2])
    assert "so that shuffling" not in page(outcome)
    one = page(replace(outcome, explanation=replace(told, same_values=(first,))))
    assert f"All held-out rows have the same value of {first}, so that shuffling says nothing about it." in one
    two = page(replace(outcome, explanation=replace(told, same_values=(second, first, "left out"))))
    assert f"the same value of {first}, {second}, so that shuffling says nothing about them." in two


def test_every_column_is_described_with_its_role() -> None:
    outcome = samples.several_classes()
    data = parse(page(outcome)).one("section", id="data")
    assert outcome.source.fingerprint in data.text
    rows = data.one("table", class_="pr-profile").all("tbody")[0].all("tr")
    assert [row.all("th")[0].text for row in rows] == [str(column.name) for column in outcome.profile]
    roles = {role.column: role.role for role in outcome.roles} | {"species": "target"}
    assert [row.all("td")[1].text for row in rows] == [roles[str(column.name)] for column in outcome.profile]
    missing = [float(row.all("td")[2].attributes["data-value"]) for row in rows]
    assert missing == [column.missing for column in outcome.profile]
    for role in outcome.roles:
        assert role.why in data.text


def test_findings_come_gravest_first_with_their_rows() -> None:
    outcome = samples.several_classes()
    section = parse(page(outcome)).one("section", id="findings")
    rows = [row for row in section.one("table", class_="pr-findings").all("tr") if row.all("span", class_="pr-badge")]
    assert len(rows) == len(outcome.findings)
    order = [float(row.all("th")[0].attributes["data-value"]) for row in rows]
    assert order == sorted(order)
    place = next(k for k, one in enumerate(outcome.findings) if one.check == "misspellings")
    example = rows[place].one("table", class_="pr-example")
    assert "Torgersn" in example.text
    assert "Torgersn" in example.all("td", class_="pr-hit")[0].text


def test_changes_tell_from_what_to_what_and_why() -> None:
    outcome = samples.several_classes()
    section = parse(page(outcome)).one("section", id="changes")
    assert "' Dream' → Dream" in section.text  # the blank can be seen
    assert "Blanks around texts are taken to mean nothing." in section.text
    assert section.text.count("→") == len([change for change in outcome.log if change.what == "cells"])
    assert "1 cell changed, 0 rows of 347 dropped" in section.text


def test_the_comparison_has_every_model_and_says_who_was_left_out() -> None:
    outcome = samples.number()
    assert outcome.race is not None
    section = parse(page(outcome)).one("section", id="models")
    for candidate in outcome.race.candidates:
        assert candidate.title in section.text
        assert candidate.why in section.text
    assert "(lower is better)" in section.text
    dots = section.one("svg", class_="pc")
    assert len(dots.all("circle", class_="pc-mean")) == 3
    assert len(dots.all("circle", class_="pc-point")) == 15
    assert len(dots.all("line", class_="pc-level")) == 1
    assert section.text.count("not shown to differ from the best") == 2  # in the table, and in the drawing


def test_the_winner_of_two_classes_has_its_curves() -> None:
    outcome = samples.two_classes()
    section = parse(page(outcome)).one("section", id="winner")
    for name in ("roc", "precision-recall", "reliability", "learning"):
        assert section.all(id=f"{name}-title")
    nearly = replace(outcome.held, figures=(replace(outcome.held.figures[0], word="ROC AUC", value=0.99962),))
    assert "Area below the curve 0.9996;" in page(replace(outcome, held=nearly))
    cells = section.one("table", class_="pc-heat").one("tbody")
    assert outcome.held is not None
    counts = [[int(cell.text) for cell in row.all("td")] for row in cells.all("tr")]
    assert counts == outcome.held.confusion.tolist()
    assert f"Verdict: {outcome.diagnosis.verdict}" in section.text
    assert RULE in section.text
    for said in outcome.diagnosis.reasons:
        assert said in section.text


def test_a_number_has_its_points_and_errors() -> None:
    outcome = samples.number()
    section = parse(page(outcome)).one("section", id="winner")
    assert len(section.one(id="predicted-title").text) > 0
    drawn = next(svg for svg in section.all("svg", class_="pc") if svg.all(id="predicted-title"))
    assert len(drawn.all("g", class_="pc-mark")) == len(outcome.held.actual)
    assert section.all(id="errors-title")
    assert not section.all("table", class_="pc-heat")


def test_errors_are_described_by_percentiles_of_the_rows_that_are_shown() -> None:
    """Of seven errors there are no eight tenths; of many rows a part is shown."""
    base = samples.number()
    assert base.held is not None
    held = replace(base.held, actual=np.zeros(7), predicted=np.array([-5.0, -3.0, 1.0, 2.0, 3.0, 3.0, 7.0]))
    text = parse(page(replace(base, held=held))).one("section", id="winner").text
    assert "Eight of ten" not in text
    caption = (
        "The 10th percentile of the errors of the rows shown is −3.80, their median 2.00, the 90th percentile 4.60."
    )
    assert f"{caption} 7 rows of {base.held.rows:,} are shown." in text
    assert "The 10th percentile of the errors is" in page(base)


def test_of_many_columns_the_most_important_are_those_of_the_measured_ones() -> None:
    base = samples.number()
    roles = (*base.roles, *(replace(base.roles[0], column=f"more {k}", role="number") for k in range(9)))
    n_used, n_measured = sum(role.role != "left out" for role in roles), len(base.explanation.importance.feature_names)
    text = page(replace(base, roles=roles))
    assert f"of the {n_measured} measured (of {n_used}): " in text
    assert "measured (of" not in page(base)


def test_rows_of_a_rare_class_behind_importances_are_counted() -> None:
    base = samples.two_classes()
    assert base.held is not None
    task = replace(base.task, measure=MEASURES["roc_auc"])

    def told(rare: int) -> str:
        held = replace(base.held, rows=40_000, confusion=np.array([[rare, 0], [0, 40_000 - rare]]))
        return page(replace(base, task=task, held=held, decisions=None))

    assert "At least 60 rows of the rarer class are among them." in told(60)
    assert "At least 100 rows of the rarer class are among them." in told(1500)
    assert "of the rarer class are among" not in told(2000)


def test_equal_rows_that_stay_together_are_not_called_groups_that_resemble_each_other() -> None:
    base = samples.number()
    assert base.held is not None
    outcome = replace(base, held=replace(base.held, unit="group", n_units=40))
    assert "samples in which equal rows stay together" in page(outcome)
    assert "whole groups" not in page(outcome)


def test_explanations_and_workings_are_there() -> None:
    outcome = samples.two_classes()
    tree = parse(page(outcome))
    section = tree.one("section", id="explained")
    assert section.all(id="importance-title")
    assert section.all(id="effect-1-title")
    assert section.all(id="effect-2-title")
    assert "Mean prediction by duration and age" in section.text
    assert "property_magnitude" in section.one("div", class_="pr-paper").one("svg").text
    cases = tree.one("section", id="cases").all("details", class_="pr-case")
    assert len(cases) == 3
    for k, case in enumerate(cases, 1):
        assert len(case.all("div", class_="pellucid-working")) == 1
        assert case.all("section", id=f"case{k}-step-1")
    assert len(tree.all("style")) == 1


def test_importances_and_effects_name_the_rows_they_come_from() -> None:
    outcome = samples.two_classes()
    assert outcome.held is not None
    many = parse(page(replace(outcome, held=replace(outcome.held, rows=4000)))).one("section", id="explained").text
    assert "gets on 2,000 of the 4,000 held-out rows when the values" in many
    assert "The mean prediction over 500 of the 4,000 held-out rows when" in many
    assert "Shown are values that the column has in these rows, or, of 30 or more different numbers, the range" in many
    assert "gets on the held-out rows when the values" in parse(page(outcome)).one("section", id="explained").text
    single = replace(outcome, roles=tuple(role for role in outcome.roles if role.column == "duration"))
    assert not parse(page(single)).all(id="importance-title")  # of a single column there is nothing to compare
    assert outcome.explanation is not None
    text = parse(page(replace(single, explanation=replace(outcome.explanation, effects=(), opinion=None))))
    assert "explained" not in _order(text)  # nor is there a section with nothing in it
    assert "How it decides" not in text.text


def test_blocks_of_rows_without_times_follow_each_other_in_the_table() -> None:
    outcome = samples.number()
    assert outcome.held is not None
    held = replace(outcome.held, unit="block")
    structure = Structure("time", (), None, "last rows", "forward in the order of the rows")
    said = parse(page(replace(outcome, held=held, structure=structure))).one("section", id="winner").text
    assert "blocks of rows that follow each other in the table" in said
    timed = replace(structure, time=("day",))
    said = parse(page(replace(outcome, held=held, structure=timed))).one("section", id="winner").text
    assert "blocks of rows that follow each other in time" in said


def _heights(outcome: StudyResult, number: int) -> tuple[str, list[str]]:
    """What an effect measures, and the values of its bars."""
    svg = next(svg for svg in parse(page(outcome)).all("svg") if svg.all(id=f"effect-{number}-title"))
    return svg.one("desc").text, [node.text for node in svg.all("text", class_="pc-value")]


def test_effects_of_two_classes_are_those_of_the_class_that_is_asked_for() -> None:
    """A model's answer is the probability of the second class; 1 less it is that of the first."""
    second = samples.two_classes()
    first = replace(second, task=replace(second.task, positive="bad"))
    average = second.explanation.effects[1].average
    assert _heights(second, 2)[0].startswith("mean probability of good by purpose")
    assert _heights(second, 2)[1] == [f"{value:.3f}" for value in average]
    assert _heights(first, 2)[0].startswith("mean probability of bad by purpose")
    assert _heights(first, 2)[1] == [f"{1 - value:.3f}" for value in average]


def test_a_second_opinion_without_a_score_tells_none() -> None:
    base = samples.two_classes()
    opinion = replace(base.explanation.opinion, score=float("nan"))
    tree = parse(page(replace(base, explanation=replace(base.explanation, opinion=opinion))))
    section = tree.one("section", id="explained").text
    assert f"It predicts the same as the model for 80 % of the {base.held.rows:,} held-out rows." in section
    assert "how many are of it" in section


def test_a_second_opinion_names_the_class_that_it_never_predicts() -> None:
    """Where a class is rare, a tree that never predicts it agrees with the model on nearly all rows."""
    base = samples.two_classes()

    def told(*classes: tuple[str, int]) -> str:
        opinion = replace(base.explanation.opinion, agrees=0.99, never_predicted=classes)
        return page(replace(base, explanation=replace(base.explanation, opinion=opinion)))

    assert "never by the tree" not in told()
    assert "Predicted by the model there, but never by the tree: good (1 row)." in told(("good", 1))
    assert "but never by the tree: 4 classes." in told(*((name, 2) for name in "abcd"))


def test_the_end_tells_how_to_do_it_again() -> None:
    outcome = samples.several_classes()
    section = parse(page(outcome)).one("section", id="reproduce")
    assert section.one("code", id="script").text == outcome.script
    assert [link.attributes["href"] for link in section.all("a")] == [
        "./model.pellucid", "./change%20log.csv", "./predict.py",
    ]  # fmt: skip
    assert "the same predictions" in section.text  # the bytes differ: scores are in the card of the report's model
    assert "pellucid 0" in section.text
    assert "scikit-learn" in section.text


def test_pictures_and_listings_of_a_task_without_a_target() -> None:
    section = parse(page(samples.no_target())).one("section", id="results")
    assert len(section.all("svg", class_="pc")) == 3
    assert len(section.all("path", class_="pc-spot")) > 100  # the groups have shapes of their own
    assert "Means of each group." in section.text
    assert "There is none." in section.text
    values = [cell.attributes.get("data-value") for cell in section.all("table")[0].all("td")]
    assert values == ["151", "38.8", "68", "48.8", "123", "47.5"]


# ----------------------------------------------------------------------------------------------------------- odd data


def test_what_users_write_is_text() -> None:
    tree = parse(page(samples.hostile()))
    script, image, *_ = samples.NASTY
    assert tree.one("h1").text == image
    assert script in tree.one("section", id="data").text
    assert "bold" not in [node.text for node in tree.all("b")]
    shown = tree.one("section", id="explained").one("div", class_="pr-paper").one("svg")
    assert shown.all("text")[0].text == "<b>"
    assert shown.all("text")[0].attributes == {"fill": "red", "id": "opinion-t"}
    assert "This drawing cannot be read." in tree.one("section", id="results").text


def test_long_cells_are_cut_and_say_how_long_they_are() -> None:
    text = page(samples.hostile())
    assert "(10,000 characters)" in text
    assert "x" * 2001 not in text  # commands are the longest: one that is cut does not work


def test_of_many_columns_the_first_are_shown_and_the_others_counted() -> None:
    tree = parse(page(samples.wide()))
    data = tree.one("section", id="data")
    rows = data.one("table", class_="pr-profile").one("tbody").all("tr")
    assert len(rows) == 150
    assert "The first 150 columns are shown; there are 4,850 more." in data.text


def test_many_findings_are_counted() -> None:
    base = samples.no_target()
    many = [Finding("outliers", "note", ("sex",), range(3), f"finding {k}") for k in range(5_000)]
    tree = parse(page(replace(base, findings=Findings(many, 347, base.findings.names))))
    assert "there are 4,800 more" in tree.one("section", id="findings").text


def test_an_outcome_with_hardly_anything_is_a_page() -> None:
    base = samples.no_target()
    empty = replace(
        base,
        findings=Findings([], 0, []),
        pictures=(),
        listings=(),
        summary=(),
        warnings=(),
        roles=(),
        script="",
    )
    tree = parse(page(empty))
    assert "Nothing that need be said." in tree.text
    assert _order(tree) == ["data", "findings", "changes", "reproduce"]


def test_a_model_without_a_working_says_so() -> None:
    base = samples.two_classes()
    assert base.explanation is not None
    cases = tuple(replace(case, working=None) for case in base.explanation.cases)
    tree = parse(page(replace(base, explanation=replace(base.explanation, cases=cases))))
    assert tree.text.count("There is no working for this model") == 3
    assert "pw-step" not in tree.one("style").text


def test_a_working_that_is_too_large_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    w = Working("Long")
    rows = w.axis("row", 400)
    for k in range(30):
        w.given(f"x{k}", range(400), rows)
    case = replace(samples.two_classes().explanation.cases[0], working=w)
    assert "pellucid-working" in page_explained.working_html(case, 1)
    monkeypatch.setattr(page_explained, "LARGEST", 20_000)
    shorter = page_explained.working_html(case, 1)
    assert "pellucid-working" in shorter or "too many for this page" in shorter
    monkeypatch.setattr(page_explained, "LARGEST", 100)
    assert "too many for this page" in page_explained.working_html(case, 1)


def test_many_classes_are_cut_to_the_most_frequent() -> None:
    base = samples.several_classes()
    size = 40
    counts = np.arange(size * size).reshape(size, size)
    task = replace(base.task, classes=tuple(f"class {k}" for k in range(size)))
    assert base.held is not None
    tree = parse(page(replace(base, task=task, held=replace(base.held, confusion=counts))))
    table = tree.one("section", id="winner").one("table", class_="pc-heat")
    assert [row.all("th")[0].text for row in table.one("tbody").all("tr")] == [
        f"{place} class {k}" for place, k in enumerate(range(25, 40), 1)
    ]
    assert [head.text for head in table.one("thead").all("th")][1:] == [str(place) for place in range(1, 16)]
    assert "The 15 most frequent of 40 classes are shown." in tree.text
    assert f"{np.trace(counts):,} of {counts.sum():,} rows were predicted correctly: those on the diagonal, also" in (
        tree.text
    )


# --------------------------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a\x00b", "a\\x00b"),
        ("\ud800", "\\ud800"),
        ("\u202eabc", "\\u202eabc"),
        ("two\nlines", "two lines"),
        ("שלום", "שלום"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("\uffff", "\\uffff"),
    ],
)
def test_what_cannot_be_seen_is_written_out(value: str, said: str) -> None:
    assert visible(value) == said


def test_words_of_another_direction_are_kept_apart() -> None:
    assert text_html("שלום") == "<bdi>שלום</bdi>"


def test_cells_name_what_is_not_there() -> None:
    for value in (None, float("nan"), pd.NA, pd.NaT):
        assert "missing" in cell_html(value)
    assert "empty" in cell_html("")
    assert "blank" in cell_html("   ")
    assert cell_html(True) == "true"
    assert cell_html(1e300) == "1e300"


def test_harmless_replaces_what_html_forbids() -> None:
    assert harmless("a\x00b\ud800c\r\nd\re") == "a\ufffdb\ufffdc\nd\ne"


@pytest.mark.parametrize(
    ("svg", "kept"),
    [
        ('<svg><use href="http://x/y#a"/></svg>', "<svg><use></use></svg>"),
        ('<svg><use href="#a"/></svg>', '<svg><use href="#p-a"></use></svg>'),
        ('<svg><rect fill="url(#g)"/></svg>', '<svg><rect fill="url(#p-g)"></rect></svg>'),
        ('<svg><rect fill="url(http://x)"/></svg>', "<svg><rect></rect></svg>"),
        ('<svg><rect style="fill:url(http://x);stroke:red"/></svg>', '<svg><rect stroke="red"></rect></svg>'),
        ('<svg><style>*{fill:red}</style><g id="a"/></svg>', '<svg><g id="p-a"></g></svg>'),
        ("<svg><text>a &lt;b&gt; \u202e</text></svg>", "<svg><text>a &lt;b&gt; \\u202e</text></svg>"),
        ('<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>', "<svg><g></g></svg>"),
        ("<html/>", ""),
        ("no drawing", ""),
        ("", ""),
    ],
)
def test_drawings_are_reduced_to_shapes(svg: str, kept: str) -> None:
    assert inline_svg(svg, "p-") == kept


def test_a_suggestion_that_was_carried_out_is_not_called_a_suggestion() -> None:
    """Words and markers among numbers: the column became numbers, so they are missing already."""
    age = ["thirty" if k % 9 == 0 else "unknown" if k % 7 == 0 else str(20 + k % 40) for k in range(200)]
    table = pl.DataFrame({"age": age, "pay": np.arange(200) * 1.5, "town": ["Oslo", "Rome"] * 100})
    outcome = run_study(table)
    assert any(change.column == "age" for change in outcome.log)
    text = parse(page(outcome)).one("section", id="findings").text
    assert "Missing for the models; the texts stay in the cleaned table." in text
    assert "to_missing('age'" not in text
    assert "Done for the models; the texts stay in the cleaned table" in text
    assert outcome.log.n_cells == 0


def test_a_cell_that_was_trimmed_and_converted_counts_once() -> None:
    """Nor does a word count that only the models read as a number."""
    table = pl.DataFrame({"pay": [" nan "] * 20 + ["sixty"] * 20 + [str(k) for k in range(160)], "x": range(200)})
    outcome = run_study(table)
    assert outcome.log.n_cells == 20
    assert "20 cells changed" in page(outcome)


def test_no_improvement_is_shown_of_too_few_rows() -> None:
    """The headline says that 6 rows are too few; an interval beside it would contradict that."""
    random = np.random.default_rng(0)
    x = random.normal(size=30)
    outcome = run_study(pl.DataFrame({"x": x, "y": 5 * x + 0.1 * random.normal(size=30)}), "y", minutes=0.02)
    assert outcome.held is not None
    assert "are too few" in outcome.headline
    assert page(outcome).count(">too few rows<") == 1


@pytest.mark.parametrize(("group", "said"), [(None, "in which equal rows stay together"), ("site", "of whole groups")])
def test_what_stays_together_in_the_samples_behind_intervals(group: str | None, said: str) -> None:
    """Rows that are equal are no groups that the reader has heard of."""
    outcome = samples.number()
    assert outcome.held is not None
    structure = Structure("none", (), group, "", "")
    shown = page(replace(outcome, structure=structure, held=replace(outcome.held, unit="group")))
    assert f"The intervals come from samples {said}" in shown


def test_scores_of_the_diagnosis_are_shown_as_shares_of_the_way() -> None:
    """Errors are positive for the reader, and each stands beside that of the baseline on the same rows."""
    outcome = samples.number()
    assert outcome.diagnosis is not None
    evidence = HeldOutEvidence(-200.0, -300.0, -340.0, -260.0, 400.0, -800.0, -750.0)
    outcome = replace(outcome, diagnosis=replace(outcome.diagnosis, evidence=evidence))
    tables = parse(page(outcome)).one("section", id="winner").all("table")
    (shown,) = [one for one in tables if "fitted once" in one.text]
    rows = [[cell.text for cell in (*row.all("th"), *row.all("td"))] for row in shown.one("tbody").all("tr")]
    assert rows == [["rows learned from", "200", "800", "75.0 %"], ["held-out rows", "300", "750", "60.0 %"]]
    assert outcome.held is not None
    many = page(replace(outcome, held=replace(outcome.held, fitted_rows=30_000)))
    assert "20,000 of the rows learned from" in parse(many).one("section", id="winner").text


def test_the_baseline_is_not_compared_with_itself() -> None:
    """Where it is the model in the file, there is nothing to diagnose; the rows it was fitted on are named."""
    outcome = samples.number()
    assert outcome.held is not None
    held = replace(outcome.held, fitted_rows=258)
    assert "Too simple or too flexible?" in page(outcome)
    text = parse(page(replace(outcome, winner="baseline", held=held))).one("section", id="winner").text
    assert "Too simple or too flexible?" not in text
    assert "The model that is scored here was fitted on 258 other rows." in text


def test_settings_that_were_scored_on_other_folds_say_so() -> None:
    outcome = samples.number()
    assert outcome.race is not None
    tuned = Tuned("tree", 2, {"max_depth": 2}, 330.0, 320.0, (({"max_depth": 2}, 320.0), ({"max_depth": 3}, 330.0)))
    outcome = replace(outcome, tuned=(tuned,))
    assert "2 settings tried on the same folds" in page(outcome)
    race = replace(outcome.race, folds=10, repeats=2)
    assert "2 settings tried on the first of the 2 divisions into folds" in page(replace(outcome, race=race))


def test_settings_are_measured_against_those_of_the_comparison_not_against_defaults() -> None:
    """A model of the comparison may have other settings than the estimator by default."""
    table = (({"n_estimators": 100}, 330.0), ({"n_estimators": 50}, 331.0))
    outcome = replace(samples.number(), tuned=(Tuned("forest", 2, {"n_estimators": 100}, 330.0, 330.0, table),))
    assert "Nothing better than the settings of the comparison was found." in page(outcome)


def test_rows_of_a_learning_curve_are_not_called_the_held_out_rows() -> None:
    section = parse(page(samples.two_classes())).one("section", id="winner")
    drawn = next(svg for svg in section.all("svg") if svg.all(id="learning-title")).text
    assert "held-out rows of the folds" in drawn
    assert "rows held out" not in drawn


def test_classes_that_are_numbers_are_named_with_their_target() -> None:
    base = samples.two_classes()
    task = replace(base.task, classes=(0, 1), positive=1, target="churn")
    held = replace(base.held, reliability=None)
    drawn = parse(page(replace(base, task=task, held=held, decisions=None, explanation=None))).one(
        "section", id="winner"
    )
    assert "share of churn = 1 that is found" in drawn.text
    assert " of 1 found" not in drawn.text


def test_associations_with_the_target_are_not_cut() -> None:
    random = np.random.default_rng(0)
    columns = {f"a_column_with_a_long_name_{k:02d}": random.choice(["a", "b", "c"], 200) for k in range(12)}
    table = pl.DataFrame({**columns, "kind": random.choice(["x", "y"], 200)})
    outcome = replace(samples.two_classes(), profile=profile(table, target="kind"))
    assert "and 4 more" in parse(page(outcome)).one("section", id="data").text


def test_labels_that_are_numbers_stand_above_the_confusion_matrix() -> None:
    """Ten classes from 0 to 9 under columns from 1 to 10 would be misread; long names are numbered."""
    base = samples.several_classes()
    assert base.held is not None

    def heads(labels: list[Any]) -> list[str]:
        task = replace(base.task, classes=tuple(labels), ordered=False, levels=())
        held = replace(base.held, confusion=np.eye(len(labels), dtype=int) * 3, reliability=None)
        drawn = parse(page(replace(base, task=task, held=held, decisions=None, explanation=None)))
        return [cell.text for cell in drawn.one("table", class_="pc-heat").one("thead").all("th")[1:]]

    assert heads(list(range(10))) == [str(k) for k in range(10)]
    assert heads([f"class of {k} and more" for k in range(10)]) == [str(k) for k in range(1, 11)]


def test_no_probability_is_rounded_to_certainty() -> None:
    base = samples.two_classes()
    case = replace(base.explanation.cases[0], probability=0.9996, row=12345)
    section = parse(page(replace(base, explanation=replace(base.explanation, cases=(case,))))).one(
        "section", id="cases"
    )
    assert "(probability > 99 %)" in section.one("h3").text
    assert "100 %" not in section.text
    assert "12345" in section.text
    assert "Rows are counted from 0, as they stand in the source." in section.text
    assert "had not learned from these rows" in section.text
