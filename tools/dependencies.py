"""Prints the requirements of the package and of one of its extras, one a line."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
extras: dict[str, list[str]] = project["optional-dependencies"]


def expand(requirements: list[str]) -> list[str]:
    """Replaces 'pellucid[a,b]' by what these extras hold."""
    found = []
    for requirement in requirements:
        if requirement.startswith("pellucid["):
            for extra in requirement[len("pellucid[") : -1].split(","):
                found += expand(extras[extra])
        else:
            found.append(requirement)
    return found


print("\n".join(dict.fromkeys(project["dependencies"] + expand(extras[sys.argv[1]]))))
