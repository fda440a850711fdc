"""What a person sees on a terminal: a bar with the time that is left, colors. In a pipe there is neither."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid.cli.main import write_any_character
from pellucid.datasets import load_penguins

from .runner import COMMAND, installed

pty = pytest.importorskip("pty", reason="NO TERMINALS HERE: the bar was not looked at")
BAR, REMAINING = "━", re.compile(r"about \d+ (s|min) left|nearly done")
MAIN_JOB = ("report", "penguins.csv", "-t", "species", "--minutes", "0.02")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("terminal")
    load_penguins(as_frame="polars").frame.write_csv(made / "penguins.csv")
    return made


def at_terminal(
    *arguments: str, folder: Path, program: tuple[str, ...] = (str(COMMAND),), answer_piped: bool = False
) -> tuple[str, str]:
    """Runs the command, or another program, at a terminal: what it wrote there, and what went into a pipe instead."""
    leader, follower = pty.openpty()
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [*program, *arguments],
        cwd=folder,
        env={**known, "TERM": "xterm-256color", "COLUMNS": "120"},
        stdin=follower,
        stdout=subprocess.PIPE if answer_piped else follower,
        stderr=follower,
    )
    os.close(follower)
    written = bytearray()
    try:
        while part := os.read(leader, 1 << 16):
            written += part
    except OSError:  # nobody holds the other end any more
        pass
    finally:
        os.close(leader)
    piped, _ = process.communicate(timeout=280)
    assert process.returncode == 0, written.decode("utf-8", "replace")
    return written.decode("utf-8", "replace"), (piped or b"").decode("utf-8")


def test_a_terminal_gets_the_bar_and_a_pipe_plain_text(folder: Path) -> None:
    seen, piped = at_terminal(*MAIN_JOB, folder=folder, answer_piped=True)
    assert BAR in seen
    assert REMAINING.search(seen)
    assert "diagnosing and explaining" in seen
    assert "The report is in report/report.html" in piped
    assert "\x1b" not in piped
    assert BAR not in piped


STEPS = """
from pellucid.cli.out import progress

seconds = 0.0
with progress(clock=lambda: seconds) as tell:
    tell("reading", 0.0)
    seconds = 10.0
    tell("comparing", 0.25)
    seconds = 30.0
    tell("explaining", 0.1)
    seconds = 31.0
    tell("writing", 0.99)
"""


def test_every_step_is_shown_with_the_remaining_time(folder: Path) -> None:
    """The steps take no time: the clock is the test's."""
    seen, _ = at_terminal("-c", STEPS, folder=folder, program=(sys.executable,))
    lines = re.split(r"[\r\n]+", seen)
    for step, remaining in (("comparing", "about 30 s left"), ("explaining", "about 4 min left"), ("writing", "done")):
        assert any(step in line and remaining in line for line in lines), (step, seen)
    assert any("reading" in line and "left" not in line for line in lines)


def test_without_a_terminal_there_is_neither_bar_nor_color(folder: Path) -> None:
    ran = installed(*MAIN_JOB, folder=folder)
    assert ran.code == 0, ran.err
    for text in (ran.out, ran.err):
        assert "\x1b" not in text
        assert BAR not in text
        assert not REMAINING.search(text)


def test_json_on_a_terminal_comes_without_a_bar(folder: Path) -> None:
    seen, piped = at_terminal("quality", "penguins.csv", "--json", folder=folder, answer_piped=True)
    assert BAR not in seen
    assert piped.startswith("{")


def test_an_answer_on_a_terminal_has_colors(folder: Path) -> None:
    seen, _ = at_terminal("datasets", "penguins", "--out", "again.csv", folder=folder)
    assert "\x1b[32m" in seen  # green
    assert "is in again.csv" in seen


@pytest.mark.parametrize(("encoding", "written"), [("ascii", "a \u2212 b".encode()), ("latin-1", b"a \\u2212 b")])
def test_a_locale_without_a_character_ends_no_command(encoding: str, written: bytes) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    write_any_character(stream)
    stream.write("a \u2212 b")
    stream.flush()
    assert raw.getvalue() == written
