"""The door of the command `pellucid`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command, or says what is not installed."""
    try:
        import typer  # noqa: F401
    except ModuleNotFoundError:
        sys.exit(
            "pellucid: the command needs typer and rich, which are not installed\nhint: pip install 'pellucid[cli]'"
        )
    from pellucid.cli.app import app

    app()
