"""The installed command, run as a person would run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).parent / "pellucid"


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


def pellucid(*arguments: object, folder: Path | None = None, seconds: float = 280) -> Ran:
    """Runs ``pellucid`` with these arguments in a folder."""
    done = subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, "COLUMNS": "120"},
    )
    return Ran(done.returncode, done.stdout, done.stderr)
