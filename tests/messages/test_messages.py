"""What is said, word for word; that it has one shape and points at the user's line; and that nothing is left out."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import pellucid

from .provoke import FILES, SPEAKERS, Message, provoke, read, sentences_heard

MESSAGES = [message for file in FILES for message in read(file)]
SOURCE = Path(pellucid.__file__).parent
# Layers whose every sentence stands in a collection. Other families' own messages may stand there too.
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


class Said(NamedTuple):
    """What was said, the file that a warning points at, and where in the source the words are written."""

    kind: str
    text: str
    at: str | None
    places: frozenset[tuple[str, int]]


@cache
def said(message: Message) -> Said:
    """What a message is when it is provoked: once, for all tests."""
    with sentences_heard() as heard:
        found = provoke(message.how)
    return Said(*found, frozenset(heard))


@pytest.mark.parametrize("message", MESSAGES, ids=ids)
def test_the_words_are_these(message: Message) -> None:
    kind, text, _, _ = said(message)
    assert (kind, _steady(text)) == (message.kind, _steady(message.text))
    check_shape(message.text)
    check_length(message.text)
    check_words(message.text)


def _steady(text: str) -> str:
    """Without what is left after a pass, of which the machine's own arithmetic decides the digits."""
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
    assert said(message).at == "<the user's file>"


def test_nothing_is_said_twice_under_two_names() -> None:
    assert len({m.about for m in MESSAGES}) == len(MESSAGES)


def _without_installation(tree: ast.AST) -> ast.AST:
    """The code without what it says about the installation rather than about the user's data."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtraError":
            node.args = []
    return tree


def places() -> set[tuple[str, int]]:
    """Where the source writes a sentence."""
    found = set()
    for layer in COMPLETE:
        for file in sorted((SOURCE / layer).glob("*.py")):
            for node in ast.walk(_without_installation(ast.parse(file.read_text(encoding="utf-8")))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                    "sentence",
                    *SPEAKERS.get(layer, {}),
                ):
                    found.add((str(file), node.lineno))
    return found


def test_every_sentence_of_the_shared_layers_stands_here() -> None:
    heard = {place for message in MESSAGES for place in said(message).places}
    unheard = [f"{Path(file).relative_to(SOURCE)}:{line}" for file, line in sorted(places() - heard)]
    assert not unheard, f"provoke these in a collection: {', '.join(unheard)}"
