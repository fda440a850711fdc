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

# threads_of(f): how many threads of this process were at work while f ran. The kernel counts each thread's time on a
# processor in nanoseconds; waking up takes microseconds, a block of the test takes a millisecond.
COUNT_THREADS = """
import os
import time

def _times():
    found = {}
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/schedstat") as file:
                found[task] = int(file.read().split()[0])
        except OSError:  # ended in between
            pass
    return found

def _at_rest():
    # BLAS's own threads wait busily for a tenth of a second after its import: not before they rest is anything counted.
    for _ in range(100):
        before = _times()
        time.sleep(0.02)
        if sum(_times().values()) - sum(before.values()) < 2_000_000:
            return

def threads_of(f):
    _at_rest()
    before = _times()
    f()
    spent = [time - before.get(task, 0) for task, time in _times().items()]
    # More than half a millisecond and a twentieth of all.
    return sum(1 for time in spent if time > max(500_000, sum(spent) / 20))
"""


def run(script: str, *arguments: object, env: Mapping[str, str] | None = None, timeout: float = 120) -> Any:
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
