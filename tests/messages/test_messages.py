"""The text of every message, its format, the line that a warning points at, and that no message is missing here."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import pellucid

from .provoke import FILES, WRAPPERS, Message, provoke, read, recorded_places

MESSAGES = [message for file in FILES for message in read(file)]
SOURCE = Path(pellucid.__file__).parent
# Packages all of whose messages are in a collection. Some messages of other packages are there too.
COMPLETE = (
    *("data", "estimator", "linear_model", "dummy", "metrics", "working"),
    *("preprocessing", "impute", "feature_selection", "quality", "quality/checks"),
)

LINE = r"[A-Z_a-z0-9]+: [^\n]+[.?]"
SHAPE = re.compile(rf"{LINE}(\n{LINE})*(\nhint: [^\n]+\.)?")
# Phrases that scikit-learn's users and checks know, kept as they are.
THEIR_WORDS = re.compile(
    r"X (does not have valid|has) feature names, but \w+ was fitted with(out)? feature names"
    r"|A column-vector y was passed when a 1d array was expected\. Please change the shape of y [^\n]+\."
)
THEIR_LIST = re.compile(r"[A-Za-z]+: [^\n]+\.\n(Feature names [^\n]+:\n(- [^\n]+\n)+)+\n?hint: [^\n]+\.")
STRAY = (
    r"0x[0-9a-f]{6}",
    r"np\.\w+\(",
    r"(?<!\.)\.\.(?!\.)",
    r";;",
    r"  ",
    r"\brows \d+[).]",
    r"\b1 (?!features|is|has|as|pass\b|class\b)\w+s\b",
    r"columns '[^',]+' are",
)
WARNINGS = [m for m in MESSAGES if m.kind.endswith("Warning")]


def ids(message: Message) -> str:
    return message.about


class Provoked(NamedTuple):
    """A message, the file that a warning points at, and the lines of the source that wrote the message."""

    kind: str
    text: str
    at: str | None
    places: frozenset[tuple[str, int]]


@cache
def provoked(message: Message) -> Provoked:
    """The message of today, provoked once for all tests."""
    with recorded_places() as places:
        kind, text, at = provoke(message.how)
    return Provoked(kind, text, at, frozenset(places))


@pytest.mark.parametrize("message", MESSAGES, ids=ids)
def test_text_is_as_stored(message: Message) -> None:
    kind, text, _, _ = provoked(message)
    assert (kind, _steady(text)) == (message.kind, _steady(message.text))
    check_shape(message.text)
    check_length(message.text)
    check_words(message.text)


def _steady(text: str) -> str:
    """The text without the value reached when a solver stopped, whose digits depend on the processor."""
    return re.sub(r"it is \S+ after", "it is ... after", text)


def check_shape(text: str) -> None:
    """who: what must be true; what was found, where. And on a line of its own: hint: what to do."""
    assert any(shape.fullmatch(text) for shape in (SHAPE, THEIR_WORDS, THEIR_LIST))


def check_length(text: str) -> None:
    for line in text.splitlines():
        assert len(line) <= 250


def check_words(text: str) -> None:
    """No memory address, no NumPy wrapper around a value, no doubled mark, no plural of one."""
    for stray in STRAY:
        assert not re.search(stray, text), stray


@pytest.mark.parametrize("message", WARNINGS, ids=ids)
def test_a_warning_points_at_the_users_line(message: Message) -> None:
    assert provoked(message).at == "<the user's file>"


def test_descriptions_are_unique() -> None:
    assert len({m.about for m in MESSAGES}) == len(MESSAGES)


def _without_installation(tree: ast.AST) -> ast.AST:
    """The code without messages about the installation, which the test environment cannot provoke."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtraError":
            node.args = []
    return tree


def message_places() -> set[tuple[str, int]]:
    """The lines of the source that format a message."""
    places = set()
    for layer in COMPLETE:
        for file in sorted((SOURCE / layer).glob("*.py")):
            for node in ast.walk(_without_installation(ast.parse(file.read_text(encoding="utf-8")))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                    "format_message",
                    *WRAPPERS.get(layer, {}),
                ):
                    places.add((str(file), node.lineno))
    return places


def test_every_message_of_these_packages_is_in_a_collection() -> None:
    covered = {place for message in MESSAGES for place in provoked(message).places}
    missing = [f"{Path(file).relative_to(SOURCE)}:{line}" for file, line in sorted(message_places() - covered)]
    assert not missing, f"provoke these in a collection: {', '.join(missing)}"
