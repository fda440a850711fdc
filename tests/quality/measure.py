"""How many of the wrong cells of dirty tables the checks find, how many of those they point at are wrong, how many
cells `Cleaner` puts right with its suggestions applied, and whether its log, replayed on the original, gives the
cleaned table.

    python -m tests.quality.measure FOLDER

FOLDER holds tables NAME.csv (or .csv.gz), some with their clean versions NAME_clean.csv beside them, the same rows in
the same order. A cell is wrong if its text differs from the clean one's. Everything is read as text; empty is missing.
Repairs are compared as numbers (of twelve digits) or times where both cells can be read so: a cell that was only given
its type is neither changed nor repaired. Precision is the share of the changed cells that got the clean value, recall
the share of the wrong cells that did. Tables called dirty_* without a clean version are cleaned and replayed only.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from pellucid.quality import Cleaner, Findings, check
from pellucid.quality.checks._times import time_formats
from pellucid.quality.formats import parse_time


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


def plain(cell: object) -> object:
    """A cell for comparing: a number, a time, or text; "" where missing."""
    if cell is None or pd.isna(cell):
        return ""
    if isinstance(cell, pd.Timestamp):
        return cell.to_pydatetime()
    text = str(cell)
    try:
        return float(f"{float(text):.12g}")
    except ValueError:
        return parse_time(text, time_formats(text)[:1]) or text


def repairs(name: str, dirty: pd.DataFrame, clean: pd.DataFrame | None) -> None:
    original = dirty.replace("", None)
    cleaner = Cleaner(actions="suggested").fit(original)
    cleaned = cleaner.clean(original)
    same = cleaned.log.replay(original).equals(cleaned.table)
    gone = f"{len(dirty) - len(cleaned.rows):,} rows dropped"
    print(f"  {name:<28}log replayed on the original gives the cleaned table: {'yes' if same else 'NO'}; {gone}")
    if clean is None or list(cleaned.table.columns) != list(dirty.columns):
        return
    before, after, right = (
        np.array([[plain(cell) for cell in row] for row in frame.itertuples(index=False)], dtype=object)
        for frame in (dirty.iloc[cleaned.rows], cleaned.table, clean.iloc[cleaned.rows])
    )
    changed, wrong, good = before != after, before != right, after == right
    for j, column in [(slice(None), "all"), *enumerate(dirty.columns)]:
        hits, harm = int((changed & wrong & good)[:, j].sum()), int((changed & ~wrong)[:, j].sum())
        n_changed, n_wrong = int(changed[:, j].sum()), int(wrong[:, j].sum())
        if n_changed or n_wrong:
            precision, recall = hits / max(n_changed, 1), hits / max(n_wrong, 1)
            print(
                f"  {'repairs of ' + column:<28}{n_changed:7,} changed, {hits:7,} to the clean value, {harm:5,} that "
                f"were right  precision {precision:6.3f}  recall {recall:6.3f}"
            )


def main() -> int:
    folder = Path(sys.argv[1])
    found = False
    for clean in sorted(folder.glob("*_clean.csv*")):
        dirty = clean.with_name(clean.name.replace("_clean", ""))
        if dirty.exists():
            found = True
            measure(dirty.name.split(".")[0], read(dirty), read(clean))
            repairs("repairs", read(dirty), read(clean))
            repairs("the clean table itself", read(clean), read(clean))
    print()
    for dirty in sorted(folder.glob("dirty_*.csv*")):
        if "_clean" not in dirty.name and not list(folder.glob(dirty.name.split(".")[0] + "_clean.csv*")):
            repairs(dirty.name.split(".")[0], read(dirty), None)
    if not found:
        print(f"no table with a clean version in {folder}")
    return 0 if found else 1


if __name__ == "__main__":
    raise SystemExit(main())
