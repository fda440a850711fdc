"""What tests of exported code share: tables, and runs of a model's text in each language beside the model itself."""

from __future__ import annotations

import atexit
import csv
import io
import math
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from pellucid.export.c_code import c_string, to_c
from pellucid.export.python_code import to_python
from pellucid.export.sql_code import to_sql
from tests.optional import OPTIONAL, need

pytestmark = pytest.mark.exhaustive  # every model in every language

LANGUAGES = ("python", "c", "sqlite", "duckdb", "postgresql", "postgresql in duckdb")
COLORS = ("red", "blue", "green", "dark\nblue", "*/ x", "é")
Answers = tuple[list[Any], np.ndarray | None]


# --------------------------------------------------------------------------------------------------------------- tables


def table(rows: int, seed: int = 0, gaps: bool = True) -> pd.DataFrame:
    """Two columns of numbers, one of small whole numbers and one of names; with gaps, each seventh cell is missing."""
    random = np.random.RandomState(seed)
    found = pd.DataFrame(
        {
            "age": random.randn(rows).round(2),
            "body mass": random.randn(rows) * 3,
            "children": random.randint(0, 5, rows).astype(float),
            'col"our': np.array(COLORS, dtype=object)[random.randint(0, len(COLORS), rows)],
        }
    )
    if gaps:
        for name in found.columns:
            found.loc[random.rand(rows) < 1 / 7, name] = None if found[name].dtype == object else np.nan
    return found


def score(X: pd.DataFrame) -> np.ndarray:
    """What targets are made of."""
    random = np.random.RandomState(len(X))
    number = X["age"].fillna(0) + X["children"].fillna(2) / 2 + 0.1 * X["body mass"].fillna(1)
    return np.asarray(number + X['col"our'].isin(["red", "é"]) + 0.3 * random.randn(len(X)))


def two(X: pd.DataFrame) -> np.ndarray:
    """Two classes."""
    return np.where(score(X) > 1, "yes", "no")


def three(X: pd.DataFrame) -> np.ndarray:
    """Three classes."""
    return np.array(["a", "b", "c"])[np.clip(score(X), 0, 2.9).astype(int)]


def number(X: pd.DataFrame) -> np.ndarray:
    """A number."""
    return 3 * score(X)


def unseen(gaps: bool = True) -> pd.DataFrame:
    """Rows that fit did not see, some with a category that it did not see, and some that it did."""
    found = pd.concat([table(60, 5, gaps), table(20, 0, gaps)], ignore_index=True)
    found.loc[[3, 11], 'col"our'] = "never seen"
    return found


def at_thresholds(X: pd.DataFrame, nodes: Sequence[Any]) -> pd.DataFrame:
    """The same rows with values at the thresholds of trees, and beside them by a bit."""
    found = X.copy()
    cuts = [(int(j), float(t)) for tree in nodes for j, t in zip(tree.feature, tree.threshold, strict=True)]
    cuts = [(j, t) for j, t in cuts if j >= 0 and math.isfinite(t) and found.dtypes.iloc[j].kind == "f"]
    for row, (j, t) in zip(range(len(found)), cuts[:: max(len(cuts) // len(found), 1)], strict=False):
        found.iloc[row, j] = (t, math.nextafter(t, math.inf), math.nextafter(t, -math.inf))[row % 3]
    return found


# ---------------------------------------------------------------------------------------------------------------- runs


def is_gap(value: Any) -> bool:
    """None and NaN."""
    return value is None or value != value


def plain_rows(X: pd.DataFrame) -> list[list[Any]]:
    """Rows of Python's own values, None where one is missing."""
    rows = X.astype(object).to_numpy().tolist()
    return [[None if is_gap(value) else value for value in row] for row in rows]


def run_python(text: str, X: pd.DataFrame, classes: Sequence[Any] | None) -> Answers:
    """Executes the module in an empty namespace and asks it for each row, by names and by places."""
    module: dict[str, Any] = {}
    exec(compile(text, "<exported>", "exec"), module)
    rows = plain_rows(X)
    said = [module["predict"](dict(zip(X.columns, row, strict=True))) for row in rows]
    assert said == [module["predict"](row) for row in rows]
    shares = module.get("predict_proba")
    return said, None if shares is None else np.array([shares(row) for row in rows])


_MAIN = """
#include <stdio.h>
#include <stdlib.h>

typedef double (*coder)(const char *);

static double read_cell(char *cell, coder code) {
    char text[512];
    size_t n = 0;
    if (cell[0] == '-' && cell[1] == 0) return code(0);
    if (cell[0] != 's') return strtod(cell, 0);
    for (const char *at = cell + 1; *at; at += 2) {
        const char pair[3] = {at[0], at[1], 0};
        text[n++] = (char)strtol(pair, 0, 16);
    }
    text[n] = 0;
    return code(text);
}

int main(void) {
    const coder coders[] = {CODERS};
    double row[COLUMNS];
    char cell[1024];
    int place = 0;
    while (scanf("%1023s", cell) == 1) {
        row[place] = read_cell(cell, coders[place]);
        if (++place == COLUMNS) {
            SAY
            place = 0;
        }
    }
    return 0;
}
"""
_FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wmissing-prototypes")


def compiler() -> str:
    """The C compiler; without one the tests of C are left out."""
    return need("compiler")


def compiled(text: str, main: str, folder: Path, *flags: str) -> Path:
    """The program of a model's file and a main function; any warning is an error."""
    (folder / "model.c").write_text(text, encoding="utf-8")
    (folder / "main.c").write_text(text + main, encoding="utf-8")
    done = subprocess.run(
        [compiler(), *_FLAGS, *flags, "-o", str(folder / "run"), str(folder / "main.c"), "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:3000]
    return folder / "run"


def run_c(text: str, X: pd.DataFrame, classes: Sequence[Any] | None) -> Answers:
    """Compiles the file without a warning, feeds it the rows, and reads its numbers."""
    coders = dict(re.findall(r"^ \*   (\d+)  .*: (?:a code|the number) from (\w+)\(text\)", text, flags=re.MULTILINE))
    listed = [coders.get(str(j), "0") for j in range(X.shape[1])]
    has_shares = "void predict_proba(" in text
    say = 'printf("%a", predict(row));'
    if has_shares and classes is not None:
        say += f" double out[{len(classes)}]; predict_proba(row, out);"
        say += f' for (int k = 0; k < {len(classes)}; k++) printf(" %a", out[k]);'
    say += ' printf("\\n");'
    main = _MAIN.replace("CODERS", ", ".join(listed)).replace("COLUMNS", str(X.shape[1])).replace("SAY", say)
    cells = [_c_cell(value, name != "0") for row in plain_rows(X) for value, name in zip(row, listed, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(text, main, Path(folder))
        done = subprocess.run([str(program)], input="\n".join(cells), capture_output=True, text=True, check=True)
    numbers = [[float.fromhex(word) for word in line.split()] for line in done.stdout.splitlines()]
    said: list[Any] = [row[0] for row in numbers]
    if classes is not None:
        said = [None if math.isnan(code) else classes[int(code)] for code in said]
    return said, np.array([row[1:] for row in numbers]) if has_shares else None


def _c_cell(value: Any, named: bool) -> str:
    if named:
        return "-" if value is None else "s" + str(value).encode().hex()
    if value is None or isinstance(value, str):
        return "nan"
    return float(value).hex()


def _split(rows: list[tuple[Any, ...]]) -> Answers:
    said = [row[0] for row in rows]
    return said, np.array([row[1:] for row in rows], dtype=float) if len(rows[0]) > 1 else None


def quoted(name: Any) -> str:
    """A name in double quotes."""
    return '"' + str(name).replace('"', '""') + '"'


def run_sqlite(text: str, X: pd.DataFrame, classes: Sequence[Any] | None) -> Answers:
    """The query over a table in SQLite."""
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE data ({', '.join(map(quoted, X.columns))})")
        marks = ", ".join("?" * X.shape[1])
        base.executemany(f"INSERT INTO data VALUES ({marks})", plain_rows(X))
        return _split(base.execute(text).fetchall())


def run_duckdb(text: str, X: pd.DataFrame, classes: Sequence[Any] | None) -> Answers:
    """The query over a table in DuckDB; NaN stays NaN there."""
    with duckdb.connect() as base:
        kinds = ["DOUBLE" if kind.kind in "biuf" else "VARCHAR" for kind in X.dtypes]
        base.execute(f"CREATE TABLE data ({', '.join(map(' '.join, zip(map(quoted, X.columns), kinds, strict=True)))})")
        rows = [[None if value is None else value for value in row] for row in X.astype(object).to_numpy().tolist()]
        rows = [[None if k == "VARCHAR" and is_gap(v) else v for v, k in zip(row, kinds, strict=True)] for row in rows]
        base.executemany(f"INSERT INTO data VALUES ({', '.join('?' * X.shape[1])})", rows)
        return _split(base.execute(text).fetchall())


@cache
def postgresql() -> str:
    """The folder of the socket of a server that runs while the tests do."""
    programs = need("postgresql")
    told: dict[str, Any] = {"capture_output": True, "text": True, "check": False}
    folder = tempfile.mkdtemp(prefix="pellucid-postgresql-")
    if os.geteuid() == 0:  # a server does not run as root
        import pwd

        if "postgres" not in {user.pw_name for user in pwd.getpwall()}:
            pytest.skip(OPTIONAL["postgresql user"].reason)
        shutil.chown(folder, "postgres")
        told |= {"user": "postgres", "cwd": folder}
    settings = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"]
    made = subprocess.run([f"{programs}/initdb", "-D", f"{folder}/base", *settings], **told)
    options = f"-c listen_addresses='' -k {folder} -c fsync=off"
    started = subprocess.run(
        [f"{programs}/pg_ctl", "-D", f"{folder}/base", "-o", options, "-l", f"{folder}/log", "-w", "start"],
        **(told | {"capture_output": False, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}),
    )
    assert not made.returncode, made.stderr[-1000:]
    assert not started.returncode, Path(f"{folder}/log").read_text(encoding="utf-8")[-1000:]

    def stop() -> None:
        subprocess.run([f"{programs}/pg_ctl", "-D", f"{folder}/base", "-m", "immediate", "stop"], **told)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return folder


def _sql_value(value: Any) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else f"'{value!r}'"


def _as_postgresql_says(label: Any) -> str:
    if isinstance(label, bool):
        return "t" if label else "f"
    return f"{label:.0f}" if isinstance(label, float) and label.is_integer() else str(label)


def run_postgresql(text: str, X: pd.DataFrame, classes: Sequence[Any] | None) -> Answers:
    """The query over a table in PostgreSQL."""
    kinds = ["double precision" if kind.kind in "biuf" else "text" for kind in X.dtypes]
    columns = ", ".join(map(" ".join, zip(map(quoted, X.columns), kinds, strict=True)))
    rows = ",\n".join("(" + ", ".join(map(_sql_value, row)) + ")" for row in plain_rows(X))
    script = f"CREATE TEMP TABLE data ({columns});\nINSERT INTO data VALUES {rows};\n"
    script += f"COPY (\n{text}\n) TO STDOUT WITH (FORMAT csv, NULL '<nothing>');\n"
    done = subprocess.run(
        [f"{need('postgresql')}/psql", "-h", postgresql(), "-U", "postgres", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-"],
        input=script.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[:2000]
    lines = csv.reader(io.StringIO(done.stdout.decode(), newline=""))
    found = [[None if cell == "<nothing>" else cell for cell in row] for row in lines]
    said, shares = _split([tuple(row) for row in found])
    if classes is None:
        return [None if one is None else float(one) for one in said], shares
    labels = {_as_postgresql_says(label): label for label in classes}
    return [None if one is None else labels[one] for one in said], shares


def exported(model: Any, language: str) -> str:
    """A model's text in a language."""
    if language in ("python", "c"):
        return to_python(model) if language == "python" else to_c(model)
    return to_sql(model, dialect=language.split()[0])


RUNS: dict[str, Callable[[str, pd.DataFrame, Sequence[Any] | None], Answers]] = {
    "python": run_python,
    "c": run_c,
    "sqlite": run_sqlite,
    "duckdb": run_duckdb,
    "postgresql": run_postgresql,
    "postgresql in duckdb": run_duckdb,
}


def run(model: Any, language: str, X: pd.DataFrame) -> Answers:
    """What the exported model says of rows."""
    classes = model.classes_.tolist() if hasattr(model, "classes_") else None
    return RUNS[language](exported(model, language), X, classes)


def assert_same(model: Any, language: str, X: pd.DataFrame) -> None:
    """The exported model answers as the model itself does."""
    said, shares = run(model, language, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # encoders warn of categories that they do not know
        wanted = model.predict(X)
        probabilities = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    if wanted.dtype.kind == "f" and not hasattr(model, "classes_"):
        np.testing.assert_allclose(np.array(said, dtype=float), wanted, rtol=1e-9, atol=1e-12)
    else:
        assert said == wanted.tolist()
    assert (shares is None) == (probabilities is None)
    if shares is not None:
        np.testing.assert_allclose(shares, probabilities, rtol=1e-9, atol=1e-12)


def test_c_strings_hold_any_text() -> None:
    """A string of C is the bytes of the text, with nothing in it that a compiler reads as a sign of its own."""
    assert c_string('a"b') == r'"a\042b"'
    assert c_string("??/ \\ \n") == r'"\077\077/ \134 \012"'
    assert c_string("é1") == r'"\303\2511"'
