"""Says at the end of a run how many worked examples have no answer yet, and what they wait for."""

from __future__ import annotations

from collections import defaultdict
from textwrap import wrap

import pytest

from .frame import manifest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what the unanswered examples wait for, with their number; with ``-v`` their names."""
    listed = manifest()["example"]
    waiting: dict[str, list[str]] = defaultdict(list)
    for name, entry in listed.items():
        if not entry["answered"]:
            waiting[entry["by"][0]].append(name)
    if not waiting:
        return
    unanswered = sum(map(len, waiting.values()))
    terminalreporter.section("worked examples")
    terminalreporter.write_line(f"{len(listed) - unanswered} of {len(listed)} answered; {unanswered} wait for:")
    if config.get_verbosity() > 0:
        lines = [f"{by}: {', '.join(names)}" for by, names in sorted(waiting.items())]
    else:
        lines = wrap(", ".join(f"{by}:{len(names)}" for by, names in sorted(waiting.items())), width=116)
    for line in lines:
        terminalreporter.write_line(f"  {line}")
