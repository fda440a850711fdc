"""Programs and files that some tests need and that a machine may lack. Such tests are skipped, and a run ends with the
list of what was not tested (`conftest.py`).

``PELLUCID_WITHOUT=libreoffice,chromium pytest`` runs the tests as if these were missing.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

NOT_TESTED = "not tested: "  # how the reason of such a skip begins
DEBIAN_POSTGRESQL = Path("/usr/lib/postgresql")  # the programs of a server are there, outside of the PATH


@dataclass(frozen=True)
class Optional:
    """What may be missing, what is not tested without it, and what to do about it."""

    title: str
    untested: str
    hint: str
    commands: tuple[str, ...] = ()  # the first that is found is used

    @property
    def reason(self) -> str:
        return f"{NOT_TESTED}{self.untested}, because there is no {self.title}. hint: {self.hint}"


OPTIONAL = {
    "libreoffice": Optional(
        "LibreOffice",
        "whether the formulas of workbooks give the figures of the working",
        "apt-get install libreoffice-calc-nogui",
        ("soffice",),
    ),
    "chromium": Optional(
        "Chromium",
        "whether the scripts of HTML pages run",
        "apt-get install chromium",
        ("chromium", "chromium-browser", "google-chrome"),
    ),
    "playwright": Optional("playwright", "the report's page in a browser", "pip install playwright"),
    "postgresql": Optional(
        "PostgreSQL server", "queries to a PostgreSQL server, and SQL exported for it", "apt-get install postgresql"
    ),
    "postgresql driver": Optional(
        "driver of PostgreSQL", "queries to a PostgreSQL server", "pip install 'pellucid[postgresql]'"
    ),
    "postgresql user": Optional(
        "user 'postgres'", "queries to a PostgreSQL server, which does not run as root", "adduser --system postgres"
    ),
    "compiler": Optional("C compiler", "exported C code", "apt-get install gcc", ("cc", "gcc", "clang")),
    "tables": Optional("folder PELLUCID_DATA", "reports on whole public tables", "see tests/cli/files/README.md"),
}
MODULES = {"playwright": "playwright", "postgresql driver": "adbc_driver_postgresql"}


def find(name: str) -> str | None:
    """The program, the folder or the module of this name; None if it is missing, or is to be treated as missing."""
    if name in os.environ.get("PELLUCID_WITHOUT", "").split(","):
        return None
    if name in MODULES:
        return MODULES[name] if find_spec(MODULES[name]) else None
    if name == "tables":
        return os.environ.get("PELLUCID_DATA")
    if name == "postgresql":
        return _postgresql_programs()
    return next(filter(None, map(shutil.which, OPTIONAL[name].commands)), None)


def need(name: str) -> str:
    """As `find`; the running test is skipped if it is missing."""
    found = find(name)
    if found is None:
        pytest.skip(OPTIONAL[name].reason)
    return found


def skip_without(name: str) -> pytest.MarkDecorator:
    """The mark of a test that needs it."""
    return pytest.mark.skipif(find(name) is None, reason=OPTIONAL[name].reason)


def _postgresql_programs() -> str | None:
    """The folder with the programs of the newest server."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).parent] if on_path else []
    folders += sorted(DEBIAN_POSTGRESQL.glob("*/bin"), key=lambda folder: int(folder.parts[-2]), reverse=True)
    complete = (f for f in folders if all((f / name).exists() for name in ("initdb", "pg_ctl", "psql")))
    return next(map(str, complete), None)
