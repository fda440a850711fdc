"""The report's page in Chromium: no errors, nothing fetched, tables that sort, charts that tell, whole without script.

Without Chromium, or without playwright, all of this is skipped, and the summary of the run says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pellucid.report.page import page
from tests.optional import find, skip_without

from . import page_samples as samples

CHROMIUM = find("chromium")
if find("playwright"):
    from playwright.sync_api import Page, sync_playwright

pytestmark = [pytest.mark.slow, skip_without("chromium"), skip_without("playwright")]
MADE = {**samples.SAMPLES, "hostile": samples.hostile, "wide": samples.wide}
EVERY = pytest.mark.parametrize("name", MADE)
OTHER = pytest.mark.exhaustive


@dataclass
class Seen:
    """A page in the browser, with what it said and asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages on disk."""
    folder = tmp_path_factory.mktemp("pages")
    for name, make in MADE.items():
        (folder / f"{name}.html").write_text(page(make()), encoding="utf-8", newline="")
    return {name: folder / f"{name}.html" for name in MADE}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, files: dict[str, Path]) -> Iterator[Any]:
    """Opens a page by its name."""
    contexts = []

    def go(name: str, width: int = 1280, **options: Any) -> Seen:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        seen = Seen(context.new_page())
        seen.page.on("console", lambda message: seen.said.append(f"{message.type}: {message.text}"))
        seen.page.on("pageerror", lambda error: seen.said.append(f"error: {error}"))
        seen.page.on("dialog", lambda dialog: (seen.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        seen.page.on("request", lambda request: seen.asked.append(request.url))
        seen.page.goto(files[name].as_uri())
        return seen

    yield go
    for context in contexts:
        context.close()


def column(page: Page, table: str, place: int) -> list[str]:
    """The values of a column of a table, as they stand."""
    script = """([selector, place]) => [...document.querySelector(selector).tBodies[0].rows].map(
        (row) => row.cells[place].dataset.value ?? row.cells[place].textContent.trim())"""
    return page.evaluate(script, [table, place])


# --------------------------------------------------------------------------------------------------------- every page


@EVERY
def test_it_loads_without_errors_and_asks_for_nothing(name: str, visit: Any, files: dict[str, Path]) -> None:
    seen = visit(name)
    seen.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    for _ in range(3):
        seen.page.keyboard.press("End")
    assert seen.said == []
    assert seen.asked == [files[name].as_uri()]


@EVERY
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=OTHER)])
def test_every_chart_is_seen(name: str, scheme: str, visit: Any) -> None:
    seen = visit(name, color_scheme=scheme)
    sizes = seen.page.evaluate(
        """() => [...document.querySelectorAll("svg.pc, svg.pc-spark")].map((svg) => {
            const box = svg.getBoundingClientRect();
            const drawn = [...svg.querySelectorAll(".pc-bar, .pc-line, .pc-mean, .pc-spot")];
            return [box.width, box.height, drawn.length, drawn.every((part) => {
                const style = getComputedStyle(part);
                return style.fill !== "rgb(0, 0, 0)" || style.stroke !== "none";
            })];
        })"""
    )
    assert sizes
    for width, height, drawn, colored in sizes:
        assert width > 50
        assert height > 15
        assert drawn > 0
        assert colored


@EVERY
@pytest.mark.parametrize("width", [320, pytest.param(390, marks=OTHER)])
def test_no_page_is_wider_than_a_phone(name: str, width: int, visit: Any) -> None:
    seen = visit(name, width)
    seen.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    needs, has = seen.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert needs == has == width


@EVERY
def test_no_text_of_a_chart_leaves_it_or_lies_on_another(name: str, visit: Any) -> None:
    """With the font that this browser has, which need not be the one whose widths were used."""
    seen = visit(name, 390)
    faults = seen.page.evaluate(
        """() => [...document.querySelectorAll("svg.pc")].flatMap((svg) => {
            const frame = svg.getBoundingClientRect();
            const box = (text) => text.getBoundingClientRect();
            const texts = [...svg.querySelectorAll("text")].map((text) => [text.textContent, box(text)]);
            const out = texts.filter(([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1
                || box.bottom > frame.bottom + 1 || box.top < frame.top - 1).map(([said]) => `leaves: ${said}`);
            const on = texts.flatMap(([one, a], k) => texts.slice(k + 1)
                .filter(([, b]) => a.right > b.left + 1 && b.right > a.left + 1)
                .filter(([, b]) => a.bottom > b.top + 4 && b.bottom > a.top + 4)
                .map(([other]) => `${one} on ${other}`));
            return [...out, ...on];
        })"""
    )
    assert faults == []


@EVERY
def test_it_is_whole_without_its_script(name: str, visit: Any) -> None:
    """What can be read with the script can be read without it; what needs it is not seen."""
    with_script, without = visit(name), visit(name, java_script_enabled=False)
    words = with_script.page.locator("main").inner_text()
    plain = without.page.locator("main").inner_text()
    for heading in without.page.locator("main h2, main h3").all_inner_texts():
        assert heading in words
    assert len(plain) > 0.9 * len(words)
    assert without.page.locator(".pr-filter, .pr-tools, .pr-copy, .pw-stepper").evaluate_all(
        "(parts) => parts.every((part) => part.getClientRects().length === 0)"
    )
    assert without.page.locator("thead button").count() == 0
    assert without.said == []


@EVERY
@pytest.mark.parametrize("script", [False, pytest.param(True, marks=OTHER)])
def test_paper_shows_what_is_closed_on_the_screen(name: str, script: bool, visit: Any) -> None:
    seen = visit(name, java_script_enabled=script)
    seen.page.emulate_media(media="print")
    hidden = seen.page.locator("main details > :not(summary)").evaluate_all(
        """(parts) => parts.filter((part) => {
            const box = part.getBoundingClientRect();
            return part.textContent.trim() !== "" && !part.matches("template, [hidden]")
                && !(part.checkVisibility({contentVisibilityAuto: true}) && box.height > 0);
        }).map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert hidden == []
    ground = seen.page.evaluate("getComputedStyle(document.body).color")
    assert ground == "rgb(30, 34, 39)"


@EVERY
def test_nothing_is_cut_off_on_paper(name: str, visit: Any) -> None:
    """690 pixels are the width of A4 between margins of 14 mm."""
    seen = visit(name, 690, java_script_enabled=False)
    seen.page.emulate_media(media="print")
    needs, has = seen.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert needs == has == 690


def test_dark_screens_print_dark_on_white(visit: Any) -> None:
    seen = visit("number", color_scheme="dark")
    assert seen.page.evaluate("getComputedStyle(document.body).color") == "rgb(227, 230, 233)"
    seen.page.emulate_media(media="print", color_scheme="dark")
    assert seen.page.evaluate("getComputedStyle(document.body).color") == "rgb(30, 34, 39)"


def test_the_printed_page_has_every_working(visit: Any, tmp_path: Path) -> None:
    seen = visit("two", java_script_enabled=False)
    paper = tmp_path / "page.pdf"
    seen.page.pdf(path=str(paper))
    assert paper.stat().st_size > 50_000


# ------------------------------------------------------------------------------------------------------------- tables


def test_tables_sort_by_click(visit: Any) -> None:
    seen = visit("several")
    head = seen.page.locator(".pr-profile thead th").nth(4)
    head.locator("button").click()
    up = [float(value) for value in column(seen.page, ".pr-profile", 4)]
    assert up == sorted(up)
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").click()
    down = [float(value) for value in column(seen.page, ".pr-profile", 4)]
    assert down == up[::-1] or down == sorted(up, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    other = seen.page.locator(".pr-profile thead th").nth(0)
    other.locator("button").click()
    names = column(seen.page, ".pr-profile", 0)
    assert names == sorted(names, key=str.lower)
    assert head.get_attribute("aria-sort") == "none"


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_tables_sort_by_keyboard(key: str, visit: Any) -> None:
    seen = visit("several")
    seen.page.locator(".pr-profile thead th button").nth(3).focus()
    seen.page.keyboard.press(key)
    found = [float(value) for value in column(seen.page, ".pr-profile", 3)]
    assert found == sorted(found)
    assert len(set(found)) > 1


def test_what_has_no_number_comes_last_in_any_order(visit: Any) -> None:
    seen = visit("several")
    for _ in range(2):
        seen.page.locator(".pr-profile thead th button").nth(5).click()
        means = column(seen.page, ".pr-profile", 5)
        empty = [k for k, value in enumerate(means) if value == ""]
        assert empty == list(range(len(means) - len(empty), len(means)))
        assert empty


def test_a_column_of_drawings_is_not_sorted_by(visit: Any) -> None:
    seen = visit("several")
    last = seen.page.locator(".pr-profile thead th").last
    assert last.inner_text() == "distribution"
    assert last.locator("button").count() == 0
    assert last.get_attribute("aria-sort") is None


@pytest.mark.parametrize("width", [1280, 390])
def test_findings_are_filtered(width: int, visit: Any) -> None:
    seen = visit("several", width)
    rows = seen.page.locator(".pr-findings > tbody > tr")
    whole = rows.count()
    seen.page.get_by_label("Severity").select_option("warning")
    shown = rows.evaluate_all("(rows) => rows.filter((row) => row.offsetHeight).map((row) => row.cells[0].textContent)")
    assert 0 < len(shown) < whole
    assert set(shown) == {"▲ warning"}
    assert seen.page.locator(".pr-filter output").inner_text() == f"{len(shown)} of {whole} shown"
    seen.page.get_by_label("Severity").select_option("")
    seen.page.get_by_role("searchbox", name="Find").fill("torgersen misspelling")
    shown = rows.evaluate_all("(rows) => rows.filter((row) => row.offsetHeight).map((row) => row.textContent)")
    assert len(shown) == 1
    assert "Torgersn" in shown[0]


# ------------------------------------------------------------------------------------------- charts, copying, opening


def test_a_chart_tells_what_the_pointer_rests_on(visit: Any) -> None:
    seen = visit("number")
    figure = seen.page.locator("#winner figure").first
    mark = figure.locator(".pc-mark").nth(4)
    mark.hover()
    assert figure.locator(".pc-reading").inner_text() == mark.locator("title").text_content()


def test_a_chart_is_stepped_through_with_the_arrow_keys(visit: Any) -> None:
    seen = visit("number")
    figure = seen.page.locator("#models figure").first
    marks = figure.locator(".pc-mark")
    assert figure.locator('.pc-mark[tabindex="0"]').count() == 1
    marks.first.focus()
    seen.page.keyboard.press("ArrowDown")
    assert figure.locator(".pc-reading").inner_text() == marks.nth(1).locator("title").text_content()
    seen.page.keyboard.press("End")
    assert figure.locator(".pc-reading").inner_text() == marks.last.locator("title").text_content()
    seen.page.keyboard.press("Home")
    assert figure.locator('.pc-mark[tabindex="0"]').count() == 1


def test_the_script_is_copied(visit: Any) -> None:
    seen = visit("several", permissions=["clipboard-read", "clipboard-write"])
    seen.page.get_by_role("button", name="Copy the script").click()
    seen.page.wait_for_function("document.querySelector('.pr-copied').textContent !== ''")
    assert seen.page.locator(".pr-copied").inner_text() == "Copied."
    assert seen.page.evaluate("navigator.clipboard.readText()") == samples.several_classes().script


def test_everything_opens_and_closes_at_once(visit: Any) -> None:
    seen = visit("two")
    whole = seen.page.locator("main details").count()
    seen.page.get_by_role("button", name="Expand all").click()
    assert seen.page.locator("main details[open]").count() == whole > 3
    seen.page.get_by_role("button", name="Collapse all").click()
    assert seen.page.locator("main details[open]").count() == 0


def test_a_link_into_a_closed_working_opens_it(visit: Any) -> None:
    seen = visit("two")
    assert seen.page.locator("#case-2").get_attribute("open") is None
    seen.page.evaluate("location.hash = '#case2-step-1'")
    seen.page.wait_for_function("document.getElementById('case-2').open")


def test_the_tabulator_reaches_links_heads_charts_and_details(visit: Any) -> None:
    seen = visit("two")
    reached: list[str] = []
    for _ in range(400):
        seen.page.keyboard.press("Tab")
        what = seen.page.evaluate(
            """() => { const at = document.activeElement;
                const where = at.closest("section")?.id ?? "";
                return at === document.body ? "" : `${at.tagName.toLowerCase()} ${where}`; }"""
        )
        if what == "":
            break
        reached.append(what)
    for wanted in (
        "a ", "button data", "input findings", "select findings", "summary findings", "button models", "g models",
        "g winner", "g explained", "summary cases", "button reproduce", "pre reproduce", "a reproduce",
    ):  # fmt: skip
        assert wanted in reached, wanted
    order = [part.split(" ")[1] for part in reached if part.split(" ")[1] and "step" not in part]
    first = [order.index(name) for name in ("data", "findings", "models", "winner", "explained", "reproduce")]
    assert first == sorted(first)


def test_what_is_in_focus_is_framed(visit: Any) -> None:
    seen = visit("several")
    seen.page.keyboard.press("Tab")
    assert seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_hostile_text_stays_text(visit: Any) -> None:
    seen = visit("hostile")
    found = seen.page.evaluate(
        "[document.images.length, document.scripts.length, document.querySelectorAll('iframe, object, embed').length]"
    )
    assert found == [0, 1, 0]
    assert seen.page.locator("h1").inner_text() == samples.NASTY[1]
    assert seen.said == []
