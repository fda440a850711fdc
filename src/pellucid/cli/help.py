"""Help in words: no types of Python beside flags and arguments, paragraphs that fill the line, an example a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class _InWords:
    """What the group and its commands share."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters: a flag takes no value, and an argument is told by its name."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
            elif param.param_type_name == "argument":
                vars(param)["display_type_rich"] = lambda ctx: ""
        return params


class Group(_InWords, TyperGroup):
    """The command itself."""


class Command(_InWords, TyperCommand):
    """A subcommand. The lines of a paragraph in its docstring are one line here."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        text = str(settings.pop("help", None) or "")
        paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
        super().__init__(name, help="\n\n".join(paragraphs), **settings)


def examples(*lines: str) -> str:
    """What stands below the help of a command."""
    return "\n".join(["Example:" if len(lines) == 1 else "Examples:", *lines])


def within(low: float, high: float | None = None) -> Callable[[float | None], float | None]:
    """A check of an option: a number of at least ``low``, and at most ``high``; or none was given."""

    def check(value: float | None) -> float | None:
        if value is None:
            return None
        if not low <= value or (high is not None and value > high):
            requirement = f"at least {low:g}" if high is None else f"between {low:g} and {high:g}"
            raise typer.BadParameter(f"it must be {requirement}; got {value:g}")
        return value

    return check
