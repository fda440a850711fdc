"""The recipe in CONTRIBUTING.md runs as it stands, and the gallery's command does what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import Regressor
from pellucid.estimator.trace import Trace
from pellucid.working import WorkingError
from pellucid.working.__main__ import main

ROOT = Path(__file__).parent.parent.parent


class MeanRegressor(Regressor):
    """The estimator of the recipe."""

    input_spec = InputSpec(values=False)

    def _fit(self, d: Design, trace: Trace) -> None:
        self.mean_ = float(d.y.mean())

    def _predict(self, d: Design) -> Any:
        return np.full(d.n_rows, self.mean_)


def recipe() -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n((?:(?!```).)*@shows(?:(?!```).)*)```", text, flags=re.DOTALL)
    return str(code)


def test_the_recipe_is_short_and_runs() -> None:
    code = recipe()
    assert len(code.strip().splitlines()) <= 30
    exec(compile(code, "CONTRIBUTING.md", "exec"), {})
    X, y = np.zeros((4, 1)), [1.0, 2.0, 6.0, 3.0]
    working = MeanRegressor().fit(X, y).show_fit(X, y)
    assert working.value("mean") == 3
    assert working.value("RMSE") == pytest.approx(np.sqrt(3.5), rel=1e-15)
    for page in (working.to_text(), working.to_html(), working.to_markdown(), working.to_latex()):
        assert "RMSE" in page


def test_an_error_planted_in_the_recipe_is_found() -> None:
    planted = recipe().replace("mean(y), symbol", "mean(y) * 1.001, symbol")
    exec(compile(planted, "CONTRIBUTING.md", "exec"), {})
    X, y = np.zeros((4, 1)), [1.0, 2.0, 6.0, 3.0]
    with pytest.raises(WorkingError, match="cell 'mean' must equal the model's mean_"):
        MeanRegressor().fit(X, y).show_fit(X, y)


# ---------------------------------------------------------------------------------------------------- gallery

SGD = "000-linear-regression-sgd"


def test_the_gallery_lists_examples_and_estimators(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    assert SGD in said
    assert "model.show_fit(...)" in said
    assert "working.show(stats.mean, ...)" in said


def test_an_example_is_shown_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([SGD, "--digits", "9"]) == 0
    assert "0.230897491" in capsys.readouterr().out
    assert main([SGD, "--at", "20"]) == 0
    assert "θ₁⁽²⁰⁾ = " in capsys.readouterr().out


@pytest.mark.parametrize("ending", ["html", "xlsx", "md", "tex", "txt"])
def test_an_example_is_written_to_a_file(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"example.{ending}"
    assert main([SGD, "--out", str(path)]) == 0
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("ending", ["html", "xlsx"])
def test_an_exercise_is_written_to_a_file(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"exercise.{ending}"
    assert main([SGD, "--out", str(path), "--exercise", "0.3"]) == 0
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nothing"], 1, "there is no example 'nothing'"),
        ([SGD, "--out", "page.pdf"], 2, "--out must end in one of"),
        ([SGD, "--exercise", "0.3"], 2, "--exercise needs html or xlsx"),
        ([SGD, "--at", "21"], 1, "passes are counted from 1 to 20"),
        ([SGD, "--out", "/nowhere/page.html"], 1, "No such file or directory"),
    ],
)
def test_what_cannot_be_shown_is_said(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert said in capsys.readouterr().err


def test_the_command_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pellucid.working", "000-gaussian-pdf"], capture_output=True, text=True, check=True
    )
    assert "0.398942" in done.stdout
    assert done.stderr == ""
