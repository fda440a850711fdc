"""A family finds its own estimators: a module in its folder exports what its ``__all__`` names, loaded when asked for.

So an estimator is added by adding its file; no list has to be edited.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@cache
def public_names(folder: str) -> dict[str, str]:
    """Public name -> module name, from the ``__all__`` of every module in a folder, without importing any."""
    found: dict[str, str] = {}
    for file in sorted(Path(folder).glob("*.py")):
        if file.name == "__init__.py":
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in node.targets):
                found.update(dict.fromkeys(ast.literal_eval(node.value), file.stem))
    return found


def exports(package: str, path: Iterable[str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a family's ``__init__``."""
    names = public_names(next(iter(path)))

    def load(name: str) -> Any:
        if name in names:
            return getattr(import_module(f"{package}.{names[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load, lambda: sorted(names), sorted(names)
