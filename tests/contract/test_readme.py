"""The README's code runs as it stands, block after block, and says what its comments promise."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import pytest

from pellucid.base.errors import PellucidWarning

README = Path(__file__).parents[2] / "README.md"


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", PellucidWarning)  # nothing to be warned of on the happy path
        for block in blocks:
            exec(compile(block, "README.md", "exec"), names)
    said = capsys.readouterr().out
    for cell in (
        "' Rome'",
        "'N/A' may stand for a missing value",
        "'unknown' seems to stand for a missing value",
        "above 120",
        "'1,100.00'",
    ):
        assert cell in said
    assert names["cleaned"].table["price"].tolist()[:4] == [12.5, 1100.0, 9.9, 8.0]
    assert names["cleaned"].table["town"].isna().tolist() == [False, False, False, True, False, False]
    assert names["cleaned"].log.replay(names["sales"]).equals(names["cleaned"].table)
    assert names["mass"].score(names["birds"], names["birds"]["body_mass_g"]) > 0.8
    assert {file.name for file in tmp_path.iterdir()} >= {"line.png", "learning.png", "line.html", "exercise.html"}
