"""How many of the wrong cells of dirty tables the checks find, and how many of those they point at are wrong.

    python -m tests.quality.measure FOLDER

FOLDER holds tables NAME.csv (or .csv.gz) with their clean versions NAME_clean.csv beside them, the same rows in
the same order. A cell is wrong if its text differs from the clean one's. Everything is read as text; empty is missing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from pellucid.quality import Findings, check


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def rates(pointed: np.ndarray, wrong: np.ndarray) -> str:
    hits = int((pointed & wrong).sum())
    precision = hits / pointed.sum() if pointed.any() else float("nan")
    recall = hits / wrong.sum() if wrong.any() else float("nan")
    return (
        f"{int(pointed.sum()):7,} pointed at  {hits:7,} of them wrong  precision {precision:6.3f}  recall {recall:6.3f}"
    )


def measure(name: str, dirty: pd.DataFrame, clean: pd.DataFrame) -> None:
    wrong = dirty.to_numpy() != clean.to_numpy()
    findings = check(dirty.replace("", None))
    pointed = findings.cells()
    print(f"\n{name}: {dirty.shape[0]:,} rows x {dirty.shape[1]} columns, {int(wrong.sum()):,} wrong cells")
    print(f"  {'all':<28}{rates(pointed, wrong)}")
    print(f"  {'with notes':<28}{rates(findings.cells('error', 'warning', 'note'), wrong)}")
    for check_name in sorted({finding.check for finding in findings if finding.severity != "note"}):
        cells = Findings(findings.of(check=check_name), findings.n_rows, findings.names).cells()
        if cells.any():
            print(f"  {check_name:<28}{rates(cells, wrong)}")
    for j, column in enumerate(dirty.columns):
        if wrong[:, j].any() or pointed[:, j].any():
            print(f"  column {column:<21}{rates(pointed[:, j], wrong[:, j])}")


def main() -> int:
    folder = Path(sys.argv[1])
    found = False
    for clean in sorted(folder.glob("*_clean.csv*")):
        dirty = clean.with_name(clean.name.replace("_clean", ""))
        if dirty.exists():
            found = True
            measure(dirty.name.split(".")[0], read(dirty), read(clean))
    if not found:
        print(f"no table with a clean version in {folder}")
    return 0 if found else 1


if __name__ == "__main__":
    raise SystemExit(main())
