"""A working as HTML: every number is on the page in full, nothing is loaded, what users write is harmless, and the
answers of an exercise cannot be read. The script is tried in Chromium where that is installed."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64decode
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from pellucid.linear_model import LinearRegression, Ridge
from pellucid.working import Stack, Working, mean, previous
from pellucid.working.boxes import Word
from pellucid.working.exercise import Exercise
from pellucid.working.html import fragment, page
from pellucid.working.printers import mathml
from tests.optional import find, skip_without

VOID = {"meta", "input", "br", "wbr", "link", "img", "hr"}
NASTY = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b </style>", "it's ${x} `y` \\text{z}"]
X5, Y5 = [[1.0], [2.0], [4.0], [3.0], [5.0]], [1.0, 3.0, 3.0, 2.0, 5.0]
X7 = np.random.default_rng(0).integers(0, 9, (7, 3)).astype(float)
Y7 = X7 @ [1, 2, -1] + np.random.default_rng(1).normal(size=7).round(1)


@dataclass
class Node:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str = "", **wanted: str | None) -> list[Node]:
        """Elements by tag, attributes and class; None for an attribute that is merely there."""
        keys = {key.rstrip("_").replace("_", "-"): value for key, value in wanted.items()}
        return [
            node for node in self.walk() if tag in ("", node.tag) and all(_has(node, *item) for item in keys.items())
        ]

    def one(self, tag: str = "", **wanted: str | None) -> Node:
        (found,) = self.all(tag, **wanted)
        return found


def _has(node: Node, key: str, value: str | None) -> bool:
    there = node.attributes.get(key)
    if there is None or value is None:
        return there is not None
    return value in there.split() if key == "class" else value == there


class _Reader(HTMLParser):
    """Builds the tree, and refuses tags that are not closed in order."""

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


def fitted(solver: str = "auto", **options: Any) -> Working:
    X, y = (X5, Y5) if solver == "auto" and not options else (X7, Y7)
    return LinearRegression(solver=solver, **options).fit(X, y).show_fit(X, y)


def descent(n: int = 30) -> Working:
    """x walks to 3, where (x - 3)² is least; the slope goes with it."""
    w = Working("Descent", "Walks downhill.")
    w.step("Rate")
    rate = w.given("rate", 0.05, symbol=r"\eta", label="learning rate")
    w.step("Walk", "Against the slope.")
    passes = w.axis("pass", n, "t", "T", raised=True)
    x = w.recurring("x", passes, 0.0, symbol="x", label="position")
    slope = w.becomes("slope", 2 * (previous(x) - 3), axis=passes, symbol="g", label="slope")
    w.becomes(x, previous(x) - rate * slope)
    w.run(passes)
    return w


def nasty() -> Working:
    """A working all of whose texts come from a user who means ill."""
    script, image, style, odd = NASTY
    w = Working(script, image)
    rows = w.axis(image, [script, image, style], "i", "n")
    columns = w.axis(script, NASTY)
    w.step(style, script)
    x = w.given(script, [1.0, 2.0, 3.0], rows, label=image)
    words = w.given(image, np.array([script, image, odd], dtype=object), rows, label=style)
    w.cell(style, mean(x), label=script, equals=2.0, attribute=image)
    w.given("word", script, label=odd)
    w.block(odd, np.ones((3, 4)), rows, columns, label=script)
    w.cell("twice", x * 2, label=odd)
    w.note(image)
    assert words.name == image
    return w


WORKINGS = {
    "simple": fitted,
    "normal": lambda: fitted("normal"),
    "svd": lambda: fitted("svd"),
    "lsqr": lambda: fitted("lsqr"),
    "positive": lambda: fitted("auto", positive=True),
    "summary": lambda: LinearRegression().fit(X7, Y7).show_summary(X7, Y7),
    "predict": lambda: LinearRegression().fit(X7, Y7).show_predict(X7),
    "descent": descent,
    "nasty": nasty,
}


@pytest.fixture(params=WORKINGS, scope="module")
def working(request: pytest.FixtureRequest) -> Working:
    return WORKINGS[request.param]()


@pytest.fixture(scope="module")
def tree(working: Working) -> Node:
    return parse(page(working, 6, 60))


# ------------------------------------------------------------------------------------------------------------- the page


def _shown(tree: Node, working: Working, name: str) -> list[str]:
    """The values of a cell on the page, row by row."""
    cell = working.cells[name]
    step, part = next(
        (step, part) for step in working.steps for part in step.tables if cell is part.block or cell in part.cells
    )
    place = working.steps.index(step) + 1
    section = tree.one("section", id=f"step-{place}")
    if part.block is None and part.axis is None:
        scalars = [c for p in step.tables if p.axis is None and p.block is None for c in p.cells]
        line = [line for line in section.all("li", id=None) if line.all("data")][scalars.index(cell)]
        return [line.one("data").attributes["value"]]
    tables = [p for p in step.tables if p.block is not None or p.axis is not None]
    table = [t for t in section.all("table") if t.all("caption")][tables.index(part)]
    rows = [row.all("td", data_value=None) for row in table.one("tbody").all("tr")]
    kept = slice(None) if part.block is not None else slice(part.cells.index(cell), part.cells.index(cell) + 1)
    return [td.attributes["data-value"] for row in rows for td in row[kept]]


def test_every_number_stands_on_the_page_in_full(working: Working, tree: Node) -> None:
    for name in working.cells:
        found, value = _shown(tree, working, name), np.ravel(np.asarray(working.value(name)))
        want = [entry if isinstance(entry, str) else float(entry) for entry in value.tolist()]
        got = [text if isinstance(entry, str) else float(text) for text, entry in zip(found, want, strict=True)]
        assert got == want, name


def test_headings_follow_in_order_and_name_every_step(working: Working, tree: Node) -> None:
    heads = [(node.tag, node.text) for node in tree.walk() if re.fullmatch("h[1-6]", node.tag)]
    assert heads[0] == ("h1", working.title)
    want = [f"{place}. {step.title}" for place, step in enumerate(working.steps, start=1)]
    assert [text for _, text in heads[1:]] == want + ["What is not shown"] * bool(working.notes)
    assert {tag for tag, _ in heads[1:]} == {"h2"}


def test_tables_have_captions_and_headers(tree: Node) -> None:
    for table in tree.all("table"):
        if not table.all("caption"):  # rows that a template lends to a table
            continue
        heads = table.one("thead").all("th", scope="col")
        assert table.one("caption").text
        assert all(head.text.strip() for head in heads)
        for row in table.one("tbody").all("tr"):
            assert len(row.all("th", scope="row")) == 1
            assert len(row.children) == len(heads)


def test_ids_are_unique_and_links_lead_somewhere(tree: Node) -> None:
    ids = Counter(node.attributes["id"] for node in tree.all(id=None))
    assert not [at for at, times in ids.items() if times > 1]
    for link in tree.all("a"):
        assert link.attributes["href"].removeprefix("#") in ids
    for key in ("for", "aria-describedby", "aria-labelledby"):
        assert all(node.attributes[key] in ids for node in tree.walk() if key in node.attributes)


def test_every_cell_has_an_id(working: Working, tree: Node) -> None:
    assert len({node.attributes["id"] for node in tree.all(id=None) if "cell-" in node.attributes["id"]}) == len(
        working.cells
    )


def test_nothing_is_loaded_and_nothing_runs_but_the_one_script(working: Working) -> None:
    text = page(working, 6, 60)
    tree = parse(text)
    assert not re.search(r"https?://|@import|url\(|\beval\b|new Function", text)
    assert {"src", "srcset", "style", "action"}.isdisjoint(key for node in tree.walk() for key in node.attributes)
    assert not [key for node in tree.walk() for key in node.attributes if key.startswith("on")]
    assert len(tree.all("script")) == len(tree.all("style")) == 1
    assert not tree.all("img")
    assert not tree.all("link")
    assert not tree.all("iframe")
    assert tree.one("html").attributes["lang"] == "en"
    assert len(tree.all("main")) == 1


def test_what_users_write_is_text() -> None:
    tree = parse(page(nasty(), 6, 60))
    assert tree.one("h1").text == NASTY[0]
    assert NASTY[1] in [head.text for head in tree.all("th", scope="row")]
    titles = [cell.attributes["title"] for cell in tree.all("td", title=None)]
    assert any(NASTY[0] in title for title in titles)


def test_formulas_are_well_formed(working: Working) -> None:
    text = page(working, 6, 60)
    formulas = re.findall(r"<math.*?</math>", text, flags=re.DOTALL)
    assert formulas
    for formula in formulas:
        ElementTree.fromstring(formula)


def slope_by_hand() -> Working:
    w = Working("Slope", "By hand.")
    w.step("Data")
    x = w.given("x", [1.0, 2.0, 6.0], w.axis("row", 3), symbol="x", label="dose")
    w.step("Distances", "From the mean.")
    center = w.cell("mean_x", mean(x), symbol=r"\bar{x}", label="mean", equals=3.0, attribute="mean_")
    w.cell("u", x - center, symbol="u", label="distance")
    return w


def test_a_small_page_reads_like_an_exercise_book() -> None:
    section = parse(page(slope_by_hand(), 6, 60)).one("section", id="step-2")
    assert section.one("p", hidden=None).text == ""
    line = section.one("li", id="cell-mean_x")
    assert line.one(class_="pw-label").text == "mean"
    symbols, numbers = line.all(class_="pw-formula")
    assert (symbols.text, numbers.text) == ("x¯=∑ixin", "x¯=1+2+63=3 ✓ equals mean_")
    assert numbers.one("data").attributes == {"value": "3.0", "title": "3.0", "class": "pw-result"}
    assert section.one("caption").text == "Distances: uᵢ (3 rows)"
    assert [head.text for head in section.all("th", scope="col")] == ["row", "distance\nui"]
    first = section.one("tbody").all("td")[0]
    assert first.attributes == {"data-value": "-2.0", "title": "u₁ = 1 − 3 = −2\nin full: -2.0"}
    assert first.text == "−2"


def test_long_workings_have_a_table_of_contents() -> None:
    w = fitted()
    links = [link.text for link in parse(page(w, 6, 60)).one("nav").all("a")]
    assert links == [f"{place}. {step.title}" for place, step in enumerate(w.steps, start=1)]
    assert not parse(page(slope_by_hand(), 6, 60)).all("nav")


def test_rows_left_out_are_counted() -> None:
    X = np.arange(100.0)[:, None]
    tree = parse(page(LinearRegression().fit(X, X[:, 0]).show_fit(X, X[:, 0]), 6, 12))
    gap = tree.one("section", id="step-1").one("tr", class_="pw-gap").one("td")
    assert gap.text == "⋮ 88 rows not shown"
    assert gap.attributes["colspan"] == "3"


def test_of_very_many_columns_those_of_a_row_that_are_not_0_are_shown() -> None:
    """The words of a text: a working of nothing but zeros says nothing about the row."""
    X = np.zeros((40, 300))
    X[np.arange(40), np.arange(40) * 7] = 1.0
    X[5, [101, 150]] = 2.0
    text = fragment(Ridge().fit(X, np.arange(40.0)).show_predict(X[5:6]), 6, 30)
    assert all(f">{name}<" in text for name in ("x1", "x36", "x102", "x151", "x300"))
    assert not any(f">{name}<" in text for name in ("x35", "x103", "x200"))
    assert "⋮ 65 columns not shown" in text


def test_wide_matrices_leave_columns_out() -> None:
    w = Working("Wide")
    w.step("Wide")
    w.block("M", np.arange(200.0).reshape(2, 100), w.axis("row", 2), w.axis("column", 100))
    heads = [head.text for head in parse(page(w, 6, 60)).all("th", scope="col")]
    assert "… 76 columns not shown" in heads
    assert len(heads) == 1 + 24 + 1


def test_titles_with_formulas_are_limited() -> None:
    w = Working("Long")
    w.step("Long")
    x = w.given("x", np.arange(3_000.0), w.axis("row", 3_000))
    w.cell("y", x + 1, symbol="y")
    titles = [cell.attributes["title"] for cell in parse(page(w, 6, 5_000)).all("td", title=None)]
    assert sum("in full" in title for title in titles) == 2_000


def test_nothing_to_show_is_no_error() -> None:
    assert parse(page(Working("Empty"), 6, 60)).one("h1").text == "Empty"
    w = Working("No rows")
    x = w.given("x", [], w.axis("row", 0), symbol="x")
    w.cell("y", x + 1, symbol="y")
    assert not parse(page(w, 6, 60)).all("td")


def test_columns_side_by_side_are_shown_once() -> None:
    w = Working("Stack")
    w.step("Stack")
    x = w.given("x", [1.0, 2.0], w.axis("row", 2), symbol="x")
    w.block("A", Stack([1, x], x.axis, w.axis("column", 2)), symbol="A")
    assert len(parse(page(w, 6, 60)).one(id="cell-A").all("math")) == 1


def test_words_in_formulas_are_escaped_and_indices_are_letters() -> None:
    assert mathml(Word("<b> ")) == "<math><mtext>&lt;b&gt;\N{NO-BREAK SPACE}</mtext></math>"
    assert mathml(Word("i")) == "<math><mi>i</mi></math>"
    assert mathml(Word("12")) == "<math><mn>12</mn></math>"


# ------------------------------------------------------------------------------------------------------------ fragments


def test_two_fragments_do_not_clash() -> None:
    w = fitted("lsqr")
    both = parse(fragment(w, 6, 30) + fragment(w, 6, 30))
    ids = Counter(node.attributes["id"] for node in both.all(id=None))
    assert ids
    assert max(ids.values()) == 1
    assert not both.all("html")
    assert not both.all("main")
    assert not both.all("h1")


def test_styles_hold_below_one_class() -> None:
    style = parse(fragment(fitted(), 6, 30)).one("style").text
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    selectors = re.findall(r"([^{};]+)\{", style)
    for selector in (part for text in selectors for part in text.split(",") if "@" not in text):
        assert ".pellucid-" in selector, selector


# --------------------------------------------------------------------------------------------------------------- passes


def test_a_walk_has_a_panel_and_a_template_for_each_pass() -> None:
    w = descent(30)
    section = parse(page(w, 6, 60)).one("section", id="step-2")
    panel = section.one(class_="pw-stepper")
    assert "hidden" in panel.attributes
    assert panel.attributes["tabindex"] == "0"
    assert [button.text for button in panel.all("button")] == ["First", "Back", "Next", "Last"]
    assert panel.one("input").attributes["max"] == "30"
    assert panel.one("output").text == "pass 1 of 30"
    passes = panel.all("template")
    assert [item.attributes["data-label"] for item in passes] == [f"pass {t} of 30" for t in range(1, 31)]
    ids = {place.attributes["data-numbers"] for place in section.all(data_numbers=None)}
    assert {place.attributes["data-for"] for place in passes[7].all(data_for=None)} == ids == {"cell-x", "cell-slope"}
    assert len(section.one("tbody").all("tr", data_entry=None)) == 30


def test_passes_that_the_table_skips_lend_their_rows() -> None:
    w = descent(30)
    section = parse(page(w, 6, 8)).one("section", id="step-2")
    assert section.one(class_="pw-gap").text == "⋮ 22 passes not shown"
    lent = [item for item in section.all("template") if item.all("tr")]
    assert len(lent) == 22
    assert [float(td.attributes["data-value"]) for td in lent[0].all("td")] == [w.value("slope")[6], w.value("x")[6]]


def test_a_long_walk_keeps_its_ends_and_says_so() -> None:
    panel = parse(page(descent(1_000), 6, 60)).one(class_="pw-stepper")
    assert len(panel.all("template")) == 220
    assert panel.one("p").text == "Not kept on this page: pass 201 to 980."


def test_turns_can_be_stepped_through() -> None:
    w = fitted("lsqr")
    group = parse(page(w, 6, 60)).one(class_="pw-turns")
    turns = [step.turn for step in w.steps if step.turn is not None]
    assert [section.attributes["data-turn"] for section in group.all("section")] == [str(turn) for turn in turns]
    assert group.all("section")[1].attributes["data-label"] == f"pass 2 of {turns[-1]}"
    assert [button.text for button in group.all("button")] == ["First", "Back", "Next", "Last", "Show all"]
    assert not [section for section in group.all("section") if "hidden" in section.attributes]
    links = [link.text for link in parse(page(w, 6, 60)).one("nav").all("a")]
    assert sum("Pass" in link for link in links) == 1


# ------------------------------------------------------------------------------------------------------------ exercises

XE = [[1.37], [2.91], [4.23], [3.19], [5.53]]
YE = [1.13, 3.71, 3.59, 2.47, 5.83]


def exercise(*blank: str) -> Exercise:
    return LinearRegression().fit(XE, YE).show_fit(XE, YE).exercise(blank)


def _answers(tree: Node) -> list[dict[str, Any]]:
    return [json.loads(b64decode(node.attributes["data-answers"])) for node in tree.all("section", data_answers=None)]


@pytest.mark.parametrize("blank", [["slope"], ["mean_x", "Sxy"], ["dx"], ["fitted", "SSE"]])
@pytest.mark.parametrize("write", [page, fragment])
def test_answers_are_nowhere_in_clear_text(blank: list[str], write: Any) -> None:
    asked = exercise(*blank)
    text = write(asked.working, 6, 60, exercise=asked).replace("−", "-")
    text = re.sub(r"<(mo|mn|mrow|b|data)[^>]*>|</(mo|mn|mrow)>", "", text)
    for name in blank:
        for value in np.ravel(asked.working.value(name)):
            assert repr(float(value)) not in text
            assert f"{abs(value):.6g}" not in text
            assert f"{abs(value):.4g}" not in text


def test_a_copy_of_an_answer_is_hidden_too() -> None:
    w = fitted("normal")
    asked = w.exercise(["theta"])
    text = page(w, 6, 60, exercise=asked)
    for value in np.ravel(w.value("theta")):
        assert f"{abs(value):.6g}" not in text
    assert "it repeats an answer" in text


def test_answers_are_kept_for_the_script() -> None:
    asked = exercise("slope", "dx")
    tree = parse(page(asked.working, 6, 60, exercise=asked))
    first, second = _answers(tree)
    ids = {node.attributes["id"] for node in tree.all("input")}
    assert ids == {*first["fields"], *second["fields"]}
    assert list(first["fields"].values()) == asked.working.value("dx").tolist()
    assert list(second["fields"].values()) == [asked.working.value("slope")]
    assert second["near"] == asked.tolerance
    assert "✓ equals" in parse(second["solution"]).text


def test_fields_have_labels_and_a_place_for_the_verdict() -> None:
    asked = exercise("slope", "dx")
    tree = parse(page(asked.working, 6, 60, exercise=asked))
    labeled = {node.attributes["for"] for node in tree.all("label")}
    for place in tree.all("input", class_="pw-field"):
        assert place.attributes["id"] in labeled or place.attributes["aria-label"]
        assert place.attributes["inputmode"] == "decimal"
    assert {button.text for button in tree.all("button")} == {"Check all", "Check step 3", "Check step 5"}
    assert "Checking the answers needs JavaScript." in tree.text
    assert len(tree.all("details")) == 2


def test_an_exercise_with_nasty_names_is_harmless() -> None:
    w = nasty()
    asked = w.exercise([NASTY[2], "twice"])
    tree = parse(page(w, 6, 60, exercise=asked))
    assert len(tree.all("script")) == 1
    assert not tree.all("img")
    for answers in _answers(tree):
        solution = parse(answers["solution"])
        assert not solution.all("script")
        assert not solution.all("img")


def test_blank_matrices_have_a_field_for_each_entry() -> None:
    w = fitted("normal")
    name = next(cell.name for cell in w.cells.values() if np.ndim(cell.value) == 2 and cell.source is not None)
    tree = parse(page(w, 6, 60, exercise=w.exercise([name])))
    assert len(tree.all("input")) == np.size(w.value(name))


def test_a_blank_column_of_a_walk_is_not_in_its_passes() -> None:
    w = descent(30)
    text = page(w, 6, 8, exercise=w.exercise(["x"]))
    for value in w.value("x"):
        assert f"{value:.6g}<" not in text
        assert repr(float(value)) not in text
    assert len(parse(text).all("input", class_="pw-field")) == 8


# ------------------------------------------------------------------------------------------------------------- Chromium

CHROMIUM = find("chromium")


def _in_browser(text: str, script: str, folder: Any) -> dict[str, Any]:
    """What a script finds on the page: it fills in ``found``. The page's policy is taken out, which would forbid it."""
    text = re.sub(r"<meta http-equiv[^>]*>", "", text)
    tried = f"""<script>const found = {{}}; const $ = (selector) => document.querySelector(selector);
        addEventListener("load", () => {{
            try {{ {script} }} catch (error) {{ found.error = String(error); }}
            document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
        }});</script>"""
    file = folder / "page.html"
    file.write_text(text.replace("</body>", tried + "</body>"), encoding="utf-8")
    return json.loads(re.search("FOUND(.*)END", _dump(file, folder), flags=re.DOTALL)[1])


def _dump(file: Any, folder: Any) -> str:
    """The page after its script has run."""
    assert CHROMIUM is not None
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    command = [CHROMIUM, *quiet, f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=3000"]
    done = subprocess.run(
        [*command, "--dump-dom", file.as_uri()], capture_output=True, text=True, timeout=280, check=True
    )
    return done.stdout


@pytest.mark.slow
@skip_without("chromium")
class TestInChromium:
    def test_the_script_runs_under_the_pages_own_policy(self, tmp_path: Any) -> None:
        file = tmp_path / "page.html"
        file.write_text(page(descent(), 6, 60), encoding="utf-8")
        tree = parse(_dump(file, tmp_path))
        assert "data-alive" in tree.one("main").attributes
        assert "hidden" not in tree.one(class_="pw-stepper").attributes
        assert tree.one("tr", aria_current="step").attributes["data-entry"] == "0"

    def test_a_walk_is_stepped_through(self, tmp_path: Any) -> None:
        w = descent(30)
        found = _in_browser(
            page(w, 6, 8),
            """const panel = $(".pw-stepper"), button = (name) => panel.querySelector(`[data-go=${name}]`);
            const state = () => [panel.querySelector("output").textContent, $("[data-numbers=cell-x]").textContent,
                $("tr[aria-current] td:last-child").dataset.value];
            const key = (name) => panel.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
            found.start = state(); button("back").click(); found.before = state();
            button("next").click(); button("next").click(); found.third = state();
            key("ArrowRight"); key("ArrowLeft"); key("ArrowLeft"); found.second = state();
            const slider = panel.querySelector("input"); slider.value = 15; slider.dispatchEvent(new Event("input"));
            found.skipped = state(); found.marked = document.querySelectorAll("tr[aria-current]").length;
            button("last").click(); found.last = state();
            found.lent = document.querySelectorAll("tr[data-lent]").length;
            """,
            tmp_path,
        )
        x = [repr(float(value)) for value in w.value("x")]
        assert found["start"] == found["before"] == ["pass 1 of 30", "x(1)=0−0.05×(−6)=0.3", x[0]]
        assert [found[name][0] for name in ("third", "second", "skipped", "last")] == [
            f"pass {t} of 30" for t in (3, 2, 15, 30)
        ]
        assert [found[name][2] for name in ("third", "second", "skipped", "last")] == [x[2], x[1], x[14], x[29]]
        assert found["second"][1] == "x(2)=0.3−0.05×(−5.4)=0.57"
        assert (found["marked"], found["lent"]) == (1, 0)

    def test_turns_are_shown_one_at_a_time(self, tmp_path: Any) -> None:
        found = _in_browser(
            page(fitted("lsqr"), 6, 60),
            """const seen = () => [...document.querySelectorAll("section[data-turn]")]
                .filter((section) => section.getClientRects().length).map((section) => section.dataset.turn);
            found.start = seen(); $("[data-go=next]").click(); found.next = seen();
            $("[data-go=all]").click(); found.all = seen(); $("[data-go=all]").click(); found.again = seen();
            """,
            tmp_path,
        )
        assert (found["start"], found["next"], found["again"]) == (["1"], ["2"], ["2"])
        assert found["all"] == ["1", "2", "3"]

    def test_an_exercise_is_checked(self, tmp_path: Any) -> None:
        asked = exercise("slope", "mean_x")
        slope = asked.working.value("slope")
        found = _in_browser(
            page(asked.working, 6, 60, exercise=asked),
            f"""const [mean, slope] = document.querySelectorAll(".pw-field");
            const said = () => [mean.nextSibling.textContent, slope.nextSibling.textContent];
            const tries = {{}};
            for (const text of ["{slope:.4f}".replace(".", ","), "{slope * 1.02}", "−{slope}", "abc", "", "1/0"]) {{
                slope.value = text; $("[data-check=all]").click(); tries[text] = said()[1];
            }}
            found.tries = tries; slope.value = " {slope:.3e} ".replace("e-0", "×10^-").replace("e+0", "×10^");
            mean.value = "9"; $("[data-check=all]").click();
            found.both = said(); found.summary = $(".pw-task .pw-summary").textContent;
            found.ask = $(".pw-needs-script").getClientRects().length;
            const details = document.querySelectorAll("details")[1]; details.open = true;
            details.dispatchEvent(new Event("toggle")); found.solution = details.querySelector("data").value;
            """,
            tmp_path,
        )
        assert list(found["tries"].values()) == [
            "✓ right", "✗ not yet", "✗ not yet", "✗ no number", "empty", "✗ not yet",
        ]  # fmt: skip
        assert found["both"] == ["✗ not yet", "✓ right"]
        assert (found["summary"], found["ask"]) == ("1 of 2 right", 0)
        assert float(found["solution"]) == slope

    def test_a_cell_in_focus_tells_its_formula(self, tmp_path: Any) -> None:
        found = _in_browser(
            page(fitted(), 6, 60),
            """const table = document.querySelector("#step-3 table"), line = $("#step-3 .pw-reading");
            table.querySelector("td").focus(); found.first = line.textContent;
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
            found.below = line.textContent;""",
            tmp_path,
        )
        assert found["first"].startswith("u₁ = 1 − 3 = −2")
        assert found["below"].startswith("u₂ = 2 − 3 = −1")

    @pytest.mark.parametrize("write", [page, fragment])
    def test_nasty_names_stay_text(self, write: Any, tmp_path: Any) -> None:
        w = nasty()
        text = write(w, 6, 60, exercise=w.exercise([NASTY[2], "twice"]))
        script = """const details = $("details"); details.open = true; details.dispatchEvent(new Event("toggle"));
            found.solved = details.querySelectorAll("data").length;
            found.images = document.images.length; found.scripts = document.scripts.length;"""
        text = text if write is page else f"<body>{text}</body>"
        assert _in_browser(text, script, tmp_path) == {"solved": 2, "images": 0, "scripts": 2}

    @pytest.mark.parametrize("name", ["normal", "lsqr", "descent", "nasty"])
    def test_no_page_is_wider_than_a_phone(self, name: str, tmp_path: Any) -> None:
        text = escape(page(WORKINGS[name](), 6, 60))
        phone = f'<body><iframe style="width: 320px; border: 0" srcdoc="{text}"></iframe></body>'
        script = """const inside = $("iframe").contentDocument.documentElement;
            found.width = inside.clientWidth; found.needs = inside.scrollWidth;
            found.alive = inside.querySelector("main").dataset.alive;"""
        found = _in_browser(phone, script, tmp_path)
        assert found["needs"] == found["width"] <= 320
        assert found["alive"] == ""
