"""The main job on the answer of a PostgreSQL server of our own, which runs while these tests do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid.data.database import read_query, without_password
from pellucid.datasets import load_penguins
from tests.optional import OPTIONAL, need

from .runner import pellucid, program


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The connection to a server with a table of birds; it listens to a socket in a folder of its own."""
    need("postgresql driver")
    initdb, pg_ctl, psql = (f"{need('postgresql')}/{name}" for name in ("initdb", "pg_ctl", "psql"))
    folder = tempfile.mkdtemp(prefix="pellucid-base-")  # short: the path of a socket has at most 107 characters
    told: dict[str, Any] = {"capture_output": True, "text": True, "check": True, "timeout": 280, "cwd": folder}
    if os.geteuid() == 0:  # a server does not run as root
        import pwd

        if "postgres" not in {user.pw_name for user in pwd.getpwall()}:
            pytest.skip(OPTIONAL["postgresql user"].reason)
        shutil.chown(folder, "postgres")
        told["user"] = "postgres"
    options = f"-c listen_addresses='' -k {folder} -c fsync=off"
    subprocess.run([initdb, "-D", "base", "-A", "trust", "-U", "owl", "-E", "UTF8", "--locale=C", "--no-sync"], **told)
    quiet = {**told, "capture_output": False, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([pg_ctl, "-D", "base", "-o", options, "-l", "log", "-w", "start"], **quiet)
    try:
        subprocess.run(
            [psql, "-h", folder, "-U", "owl", "-q", "-v", "ON_ERROR_STOP=1", "postgres"], input=_filled(), **told
        )
        yield f"postgresql://owl:secret@/postgres?host={folder}"
    finally:
        subprocess.run([pg_ctl, "-D", "base", "-m", "immediate", "stop"], **told)
        shutil.rmtree(folder, ignore_errors=True)


def _filled() -> str:
    """SQL that makes the table, with a column of every kind that people have."""
    columns = "species text, flipper double precision, mass numeric(8, 1), ringed boolean, seen date, noted timestamptz"
    lines = [f"create table birds ({columns});", "copy birds from stdin (format csv);"]
    rows = load_penguins(as_frame="polars").frame.select("species", "flipper_length_mm", "body_mass_g").rows()
    for i, (species, flipper, mass) in enumerate(rows):
        cells = [species, *("" if one is None else one for one in (flipper, mass)), "ft"[i % 2]]
        lines.append(",".join(map(str, [*cells, f"2021-03-{1 + i % 28:02}", f"2021-03-04 {i % 24:02}:30:00+00"])))
    return "\n".join([*lines, r"\.", ""])


def test_the_report_of_a_query(server: str, tmp_path: Path) -> None:
    query = "select species, flipper, mass, ringed, seen from birds"
    ran = pellucid("report", query, "--connect", server, "-t", "species", "--minutes", "0.05", folder=tmp_path)
    assert ran.code == 0, ran.err
    figures = json.loads((tmp_path / "report" / "metrics.json").read_text(encoding="utf-8"))
    assert figures["source"]["rows"] == 344
    roles = {one["column"]: one["role"] for one in figures["columns"]}
    assert roles == {"flipper": "number", "mass": "number", "ringed": "number", "seen": "time"}
    scores = {figure["word"]: figure["value"] for figure in figures["held_out"]["figures"]}
    assert scores["accuracy"] > 0.7
    for path in (tmp_path / "report").iterdir():
        assert b"secret" not in path.read_bytes(), path.name
    again = program(tmp_path / "report" / "reproduce.py")
    assert again.code == 0, again.err


def test_the_kinds_of_columns(server: str) -> None:
    found = read_query("select * from birds where mass > 3750", server)
    assert found.schema["flipper"] == pl.Float64
    assert found.schema["mass"] == pl.Float64
    assert found.schema["ringed"] == pl.Boolean
    assert found.schema["seen"] == pl.Date
    assert isinstance(found.schema["noted"], pl.Datetime)
    assert (found["mass"] > 3750).all()


def test_wrong_queries_and_servers(server: str, tmp_path: Path) -> None:
    bad = pellucid("quality", "select wings from birds", "--connect", server, folder=tmp_path)
    assert bad.code == 2
    assert "the query must run" in bad.err
    assert "wings" in bad.err
    gone = pellucid("quality", "select 1", "--connect", f"postgresql://owl:secret@/x?host={tmp_path}", folder=tmp_path)
    assert gone.code == 2
    assert "secret" not in gone.err


@pytest.mark.parametrize(
    ("connect", "shown"),
    [
        ("postgresql://owl:se%40cret@nest:5433/birds", "postgresql://owl@nest:5433/birds"),
        ("postgresql://nest/birds?user=owl&password=secret&sslmode=require", "postgresql://nest/birds?user=owl&sslmode=require"),
        ("postgresql://owl@/birds?host=/tmp/a b", "postgresql://owl@/birds?host=/tmp/a b"),
        ("sqlite:///birds.db", "sqlite:///birds.db"),
    ],
)  # fmt: skip
def test_a_password_is_not_passed_on(connect: str, shown: str) -> None:
    assert without_password(connect) == shown
