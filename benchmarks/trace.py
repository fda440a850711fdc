"""The trace: what it costs to be able to show the working, when nobody asks for it.

One C++ program is compiled twice: against the kernel as it is, and against a copy from which every line about the trace
was taken out. Both walk over the same rows; the second is what the kernel would be without a trace.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Workload

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "bench"
KERNEL = "core/solvers/descent.hpp"
# A statement that tells the trace something, over one line or several.
ABOUT_THE_TRACE = re.compile(r"^ *(?:if \(!whole_\) )?notes_\.\w+\([^;]*\);\n", flags=re.MULTILINE)


def stripped() -> Path:
    """A folder of headers whose kernel tells no trace anything."""
    text = (ROOT / "cpp" / KERNEL).read_text(encoding="utf-8")
    bare, statements = ABOUT_THE_TRACE.subn("", text)
    bare, asked = re.subn(r"stop_after\(trace_, result_\.epochs, theta_\)", "false", bare)
    bare, measured = re.subn(r"const double norm = gradient_norm\(\);\n", "", bare)
    if (statements, asked, measured) != (4, 1, 1):
        raise RuntimeError(f"trace: the kernel's lines about the trace have changed; took out {statements} statements.")
    target = BUILD / "bare" / KERNEL
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(bare, encoding="utf-8")
    return BUILD / "bare"


def compile_once() -> dict[str, Path]:
    """Both programs, made anew when a source is newer."""
    core = ROOT / "build" / "tests" / "libcore.a"
    if not core.exists():
        subprocess.run(["make", "cpptest"], cwd=ROOT, check=True, capture_output=True)
    programs = {}
    for name, first in (("kernel", []), ("bare", ["-I", str(stripped())])):
        programs[name] = BUILD / f"trace_{name}"
        command = ["c++", "-std=c++20", "-O2", *first, "-I", str(ROOT / "cpp"), "-o", str(programs[name])]
        command += [str(ROOT / "benchmarks" / "cpp" / "trace_cost.cpp"), str(core), "-lpthread"]
        subprocess.run(command, check=True)
    return programs


def rows(rows: int) -> dict[str, NDArray[Any]]:
    """How many rows the programs make for themselves."""
    compile_once()
    return {"X": np.empty((rows, 10)), "rows": np.array([rows])}


def program(name: str, mode: str = "off") -> Any:
    """Run one of the programs; its answer is what it prints."""

    def run(data: Mapping[str, Any], _threads: int) -> str:
        command = [str(BUILD / f"trace_{name}"), mode, str(int(data["rows"][0]))]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run


def other_bits(answer: str, arrays: Arrays) -> float:
    """0 where the answer has the same bits as the kernel's with its trace off, else 1."""
    return float(answer != program("kernel")(arrays, 1))


WORKLOADS = [
    Workload(
        name="trace_off",
        about="Stochastic gradient descent, 40 x 100,000 updates of 11 parameters: the kernel with its trace off, "
        "beside the same kernel without a trace, and with all of it recorded.",
        data=partial(rows, rows=100_000),
        quick={"rows": 1_000},
        ours=Contender(OURS, program("kernel")),
        peers=(
            Contender("without trace code", program("bare"), package="pellucid"),
            Contender("recorded", program("kernel", "recorded"), package="pellucid"),
        ),
        quality=Quality("other bits", other_bits, bound=0.0, against_best=False),
        goal=0.95,
        goal_peer="without trace code",
    ),
]

if __name__ == "__main__":
    sys.exit(f"{compile_once()}")
