"""The report as one HTML file: everything is in it, nothing is fetched, and it can be read without its script."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from pellucid.base.colors import BLUE, BROWN, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, VIOLET, YELLOW
from pellucid.report.outcome import StudyResult
from pellucid.report.page_data import changes, data, findings
from pellucid.report.page_decisions import decisions
from pellucid.report.page_elements import element, lines
from pellucid.report.page_end import reproduce, results, summary
from pellucid.report.page_explained import cases, explained
from pellucid.report.page_models import comparison, winner
from pellucid.report.page_structure import structure
from pellucid.report.page_text import cut, harmless
from pellucid.working.html import asset as working_asset

__all__ = ["page"]

# On paper and light screens, and on dark ones: each can be told from the page's ground and from the others.
PALE = "#E3E6E9"
LIGHT = (BLUE, VERMILION, GREEN, VIOLET, BROWN, INK, "#C2185B", "#66700A")
DARK = (SKY, ORANGE, GREEN, PURPLE, YELLOW, PALE, "#FF8AB8", "#B9C95A")

TITLES = {
    "data": "Data",
    "structure": "Split",
    "findings": "Findings",
    "changes": "Changes",
    "models": "Models",
    "winner": "On held-out rows",
    "decisions": "Decisions",
    "explained": "How it decides",
    "cases": "Workings",
    "results": "Results",
    "reproduce": "Reproduce",
}


def page(outcome: StudyResult) -> str:
    """The whole document. The same outcome gives the same bytes."""
    sections = {
        "data": data(outcome),
        "structure": structure(outcome),
        "findings": findings(outcome),
        "changes": changes(outcome),
        "models": comparison(outcome),
        "winner": winner(outcome),
        "decisions": decisions(outcome),
        "explained": explained(outcome),
        "cases": cases(outcome),
        "results": results(outcome),
        "reproduce": reproduce(outcome),
    }
    has_workings = 'class="pellucid-working' in sections["cases"]
    main = element("main", lines(summary(outcome), _contents(sections), *sections.values()), id="content")
    skip = element("a", "Skip to the report", href="#content", class_="pr-skip")
    script = "\n" + (working_asset("working.js") if has_workings else "") + _asset("report.js")
    body = lines(skip, main, f"<script>{script}</script>")
    document = lines(
        "<!DOCTYPE html>",
        '<html lang="en">',
        element("head", _head(outcome, script, has_workings)),
        element("body", body, class_="pellucid-page pellucid-report"),
        "</html>\n",
    )
    return harmless(document)


def _head(outcome: StudyResult, script: str, has_workings: bool) -> str:
    style = "\n" + (working_asset("working.css") if has_workings else "") + colors() + _asset("report.css")
    # Only the page's own style and script may run: a second lock behind the escaping of what users write.
    policy = (
        f"default-src 'none'; style-src '{_fingerprint(style)}'; script-src '{_fingerprint(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return lines(
        '<meta charset="utf-8">',
        element("meta", None, http_equiv="Content-Security-Policy", content=policy),
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        element("title", escape(f"Report: {cut(outcome.source.name, 100)}")),
        f"<style>{style}</style>",
    )


def _contents(sections: dict[str, str]) -> str:
    there = {at: text for at, text in TITLES.items() if sections[at]}
    items = lines(*(element("li", element("a", escape(text), href=f"#{at}")) for at, text in there.items()))
    buttons = "".join(
        element("button", text, type="button", data_all=which)
        for which, text in (("open", "Expand all"), ("close", "Collapse all"))
    )
    tools = element("div", buttons, class_="pr-tools", hidden=True)
    return element("nav", lines(element("ul", items), tools), class_="pr-contents", aria_label="Sections")


def colors() -> str:
    """The colors of charts as variables of the style."""
    light = "".join(f"--pc-{k}: {color};" for k, color in enumerate(LIGHT))
    dark = "".join(f"--pc-{k}: {color};" for k, color in enumerate(DARK))
    return (
        f".pellucid-report {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ .pellucid-report {{ {dark} }} }}\n"
    )


@cache
def _asset(name: str) -> str:
    return (files("pellucid.report") / "assets" / name).read_text(encoding="utf-8")


def _fingerprint(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
