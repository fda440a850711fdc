"""Writes `__init__.pyi` of every family, so that type checkers and editors see what is found at run time.

`python tools/write_stubs.py` writes; with `--check` it only says which files are out of date.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from pellucid.base.family import public_names
from pellucid.base.registry import families

ROOT = Path(__file__).parent.parent / "src" / "pellucid"


def stub(family: str) -> str:
    names = public_names(str(ROOT / family))
    modules = sorted(set(names.values()))
    lines = ["# Written by tools/write_stubs.py."]
    lines += taken_over(family)
    for module in modules:
        for name in sorted((n for n, m in names.items() if m == module), key=_kind_and_name):
            line = f"from pellucid.{family}.{module} import {name} as {name}"
            wrapped = line.replace(" import ", " import (\n    ") + ",\n)"
            lines.append(line if len(line) <= 120 else wrapped)  # as ruff puts it
    ordered = sorted(names, key=lambda name: (not name.isupper(), name))  # as ruff sorts them
    listed = ", ".join(f'"{name}"' for name in ordered)
    all_names = f"__all__ = [{listed}]"
    if len(all_names) > 120:  # as ruff puts it
        all_names = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in ordered) + "]"
    return "\n".join([*lines, "", all_names, ""])


def _kind_and_name(name: str) -> tuple[bool, bool, str]:
    """Constants, classes, functions; each by its letters, large or small: as ruff sorts imports."""
    return not name.isupper(), not name[0].isupper(), name.lower()


def taken_over(family: str) -> list[str]:
    """What a family has from elsewhere, as `Pipeline` from scikit-learn: what its `__init__.py` imports."""
    tree = ast.parse((ROOT / family / "__init__.py").read_text(encoding="utf-8"))
    others = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module != "pellucid.base.family"]
    lines = [f"from {node.module} import {alias.name} as {alias.name}" for node in others for alias in node.names]
    return [*lines, ""] if lines else []


def main() -> int:
    check = "--check" in sys.argv
    stale = []
    for family in families():
        path = ROOT / family / "__init__.pyi"
        text = stub(family)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path.relative_to(ROOT.parent.parent)))
            if not check:
                path.write_text(text, encoding="utf-8")
    if stale:
        print(("out of date (make stubs): " if check else "written: ") + ", ".join(stale))
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
