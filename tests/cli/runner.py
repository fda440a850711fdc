"""The command, as a person would run it: in this process, or as the installed program.

A start of the program takes seconds, most of them for imports. Some subcommands are started as programs in
test_commands.py; everything else that commands say and write is tested in this process.
"""

from __future__ import annotations

import io
import json
import os
import runpy
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pellucid.cli.app import app

COMMAND = Path(sys.executable).parent / "pellucid"
WIDTH = {"COLUMNS": "120"}


@dataclass(frozen=True)
class Ran:
    """What a run of the command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)


def installed(*arguments: object, folder: Path | None = None, seconds: float = 280) -> Ran:
    """Runs the installed ``pellucid`` with these arguments in a folder."""
    done = subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, **WIDTH},
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def pellucid(*arguments: object, folder: Path | None = None) -> Ran:
    """Runs the command with these arguments in a folder, in this process. What it does not catch is raised here."""
    return _in_here(lambda: app([str(one) for one in arguments], prog_name="pellucid"), folder)


def program(path: Path) -> Ran:
    """Runs a program in its folder, in this process."""
    return _in_here(lambda: runpy.run_path(str(path), run_name="__main__"), path.parent)


def _in_here(act: Callable[[], object], folder: Path | None) -> Ran:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code = 0
    with chdir(folder or "."), patch.dict(os.environ, WIDTH), redirect_stdout(out), redirect_stderr(err), as_started():
        try:
            act()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Ran(code, *(one.buffer.getvalue().decode("utf-8") for one in (out, err)))


def _to_standard_error(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


@contextmanager
def as_started() -> Iterator[None]:
    """Warnings as a fresh interpreter treats them, not as pytest does: they go to standard error."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.showwarning = _to_standard_error
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        yield
