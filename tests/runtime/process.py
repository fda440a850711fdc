"""A fresh Python process: runs a script, which says what it found with `say`."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

SAY = """
import json as _json

def say(found):
    print("FOUND " + _json.dumps(found), flush=True)
"""


def run(script: str, *arguments: object, env: Mapping[str, str] | None = None, timeout: float = 280) -> Any:
    """What the last `say` of the script said; its errors become this test's."""
    # A limit in the surroundings of the tests must not decide their outcome.
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", SAY + inspect.cleandoc(script), *map(str, arguments)],
        env={**clean, **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    assert done.returncode == 0, f"the script ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert said, f"the script said nothing\n{done.stdout}\n{done.stderr}"
    return json.loads(said[-1].removeprefix("FOUND "))
