"""Without an optional program the tests that need it are left out, and the last lines of a run say so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.optional import OPTIONAL, find

TESTS = Path(__file__).parent.parent


@pytest.mark.parametrize("name", OPTIONAL)
def test_what_is_to_be_treated_as_missing_is_not_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_WITHOUT", f"something else,{name}")
    assert find(name) is None


def test_programs_are_looked_for_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "chromium-browser").touch(mode=0o755)
    monkeypatch.delenv("PELLUCID_WITHOUT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find("chromium") == str(tmp_path / "chromium-browser")
    assert find("libreoffice") is None


def test_the_last_lines_of_a_run_say_what_was_not_tested() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(TESTS / "working" / "test_network_excel.py")],
        env={**os.environ, "PELLUCID_WITHOUT": "libreoffice"},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    title, line, total = [line for line in run.stdout.splitlines() if line][-3:]
    assert run.returncode == 0, run.stdout
    assert "not tested on this machine" in title
    assert line.startswith("1 test left out: ")
    assert "there is no LibreOffice" in line
    assert "1 skipped" in total
