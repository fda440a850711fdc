"""Brings `answered` and `unanswered` in tests/worked/manifest.toml up to date with the answers that exist."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
MANIFEST = ROOT / "tests" / "worked" / "manifest.toml"


def answered() -> set[str]:
    text = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests/worked/answers").glob("*.py"))
    return set(re.findall(r'@answers\("([^"]+)"', text))


def main() -> None:
    known, open_ = answered(), 0
    lines = []
    for line in MANIFEST.read_text(encoding="utf-8").splitlines():
        row = re.match(r'"?([0-9][^" =]*)"? = \{.*answered = (true|false)', line)
        if row:
            open_ += row[1] not in known
            line = re.sub(r"answered = \w+", f"answered = {str(row[1] in known).lower()}", line)
        lines.append(line)
    text = re.sub(r"(?m)^unanswered = \d+", f"unanswered = {open_}", "\n".join(lines) + "\n")
    if text != MANIFEST.read_text(encoding="utf-8"):
        MANIFEST.write_text(text, encoding="utf-8")
        print("written:", MANIFEST.relative_to(ROOT), file=sys.stderr)


if __name__ == "__main__":
    main()
