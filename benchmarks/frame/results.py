"""``RESULTS.md``: one section a workload, mode and thread count; a new run replaces its own sections only.

Sections stand between comment lines that name them, and the opening one also holds the section's row of the summary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.frame.judge import NOISE
from benchmarks.frame.report import Report, markdown, summary

FILE = Path(__file__).resolve().parents[1] / "RESULTS.md"

SECTION = re.compile(r"<!-- begin (?P<key>\S+) \| (?P<row>.*?) -->\n(?P<body>.*?)\n<!-- end -->", re.DOTALL)

HEAD = f"""# Benchmarks

Written by `python -m benchmarks`; how to read it is in [README.md](README.md). Ratios below {NOISE:g} are noise and \
called level.

| workload | mode | ours | best peer | ours against it | our extra memory | other load |
| --- | --- | --- | --- | --- | --- | --- |
"""


def write(reports: Sequence[Report], file: Path = FILE) -> None:
    """Merge the reports into the file."""
    sections = _read(file) | {_key(report): (" | ".join(summary(report)), markdown(report)) for report in reports}
    scratch = file.with_suffix(".new")
    scratch.write_text(_text(sections), encoding="utf-8")
    scratch.replace(file)


def _key(report: Report) -> str:
    return f"{report.entry.family}/{report.entry.name}/{report.setting.mode}/{report.setting.threads}"


def _read(file: Path) -> dict[str, tuple[str, str]]:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return {match["key"]: (match["row"], match["body"]) for match in SECTION.finditer(text)}


def _text(sections: dict[str, tuple[str, str]]) -> str:
    ordered = sorted(sections.items())
    parts = ["".join([HEAD, *(f"| {row} |\n" for _, (row, _) in ordered)])]
    family = ""
    for key, (row, body) in ordered:
        if key.split("/")[0] != family:
            family = key.split("/")[0]
            parts.append(f"## {family}\n")
        parts.append(f"<!-- begin {key} | {row} -->\n{body}\n<!-- end -->\n")
    return "\n".join(parts)
