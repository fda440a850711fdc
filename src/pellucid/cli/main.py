"""The door of the command `pellucid`."""

from __future__ import annotations

import codecs
import sys
from typing import TextIO


def write_any_character(stream: TextIO) -> None:
    """Lets a stream write every character: an ASCII locale gets UTF-8, and what another encoding lacks is escaped."""
    reconfigure = getattr(stream, "reconfigure", None)
    encoding = codecs.lookup(getattr(stream, "encoding", None) or "utf-8").name
    if reconfigure is None or encoding.startswith("utf"):
        return
    if encoding == "ascii":
        reconfigure(encoding="utf-8")
    else:
        reconfigure(errors="backslashreplace")


def main() -> None:
    """Runs the command, or says what is not installed."""
    try:
        import typer  # noqa: F401
    except ModuleNotFoundError:
        sys.exit(
            "pellucid: the command needs typer and rich, which are not installed\nhint: pip install 'pellucid[cli]'"
        )
    from pellucid.cli.app import app

    write_any_character(sys.stdout)
    write_any_character(sys.stderr)
    app()
