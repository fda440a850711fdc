"""What the default Cleaner does to clean tables: ``python -m benchmarks.harm [FOLDER]``.

Every table of the folder whose name does not begin with "dirty" is cleaned from file to file, as ``pellucid clean``
does, and so are 100 generated tables of hard negatives, which are also cleaned in memory, as texts. The table that is
printed has, for each of them: cells that were changed, how many of those were correct (a blank at the end of a text is
not), rows dropped, and whether the file has the same bytes. The goal is no correct cell changed and no row dropped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from benchmarks.hard_negatives import hard_negatives
from pellucid.base.errors import DataError
from pellucid.data.files import OTHER_ENDINGS, TEXT_ENDINGS, ending, read_file
from pellucid.quality import Cleaner, read
from pellucid.quality.exact import NUMBER_MARKERS
from pellucid.quality.formats import repaired_surely, stripped
from pellucid.quality.writing import write_cleaned


@dataclass(frozen=True)
class Harm:
    """What was done to one table: changed cells, how many of them were correct, rows dropped, and if bytes are equal.

    ``same_bytes`` is None where no file was written.
    """

    name: str
    how: str
    changed: int
    correct_changed: int
    rows_dropped: int
    same_bytes: bool | None

    @property
    def is_harmless(self) -> bool:
        return not self.correct_changed and not self.rows_dropped and (self.same_bytes is not False or self.changed > 0)

    def __str__(self) -> str:
        same = {True: "equal", False: "differ", None: "-"}[self.same_bytes]
        return (
            f"{self.name:<34}{self.how:<10}{self.changed:>9,}{self.correct_changed:>9,}{self.rows_dropped:>9,}{same:>9}"
        )


def harm_to_file(source: Path, name: str) -> Harm:
    """The table cleaned from file to file."""
    table = read(source).table
    cleaned = Cleaner().fit(table).clean(table)
    with TemporaryDirectory() as folder:
        is_text = ending(source) in TEXT_ENDINGS
        out = Path(folder) / ("out.csv" if is_text else "out.parquet")
        write_cleaned(cleaned.table, cleaned.log, out, source, "harm")
        if not is_text:
            same = pl.read_parquet(out).equals(table)
            return Harm(name, "file", cleaned.log.n_cells, cleaned.log.n_cells, len(table) - len(cleaned.rows), same)
        before = read_file(source, "harm", typed=False).frame
        after = read_file(out, "harm", typed=False).frame
        same = source.suffix != ".gz" and source.read_bytes() == out.read_bytes()
    dropped = before.height - after.height
    changed, correct = (0, 0) if dropped else _differences(before, after)
    return Harm(name, "file", changed, correct, dropped, None if source.suffix == ".gz" else same)


def harm_in_memory(columns: dict[str, list[str]], name: str) -> Harm:
    """A table of texts, cleaned in memory."""
    table = pl.DataFrame(columns)
    cleaned = Cleaner().fit(table).clean(table)
    dropped = table.height - cleaned.table.height
    changed, correct = (0, 0) if dropped else _differences(table, cleaned.table)
    return Harm(name, "memory", changed, correct, dropped, None)


def _differences(before: pl.DataFrame, after: pl.DataFrame) -> tuple[int, int]:
    """How many cells say something else, and how many of these were correct: neither blank around nor read wrong."""
    changed = correct = 0
    for old, new in zip(before.get_columns(), after.get_columns(), strict=True):
        for a, b in zip(old.to_list(), new.to_list(), strict=True):
            if not _say_the_same(a, b):
                changed += 1
                correct += b not in (stripped(a), stripped(repaired_surely(a)), stripped(a) or None)
    return changed, correct


def _say_the_same(text: str | None, value: Any) -> bool:
    """Does a value say what the text says? Independent of the parsers that the Cleaner uses."""
    if text is None or isinstance(value, str):
        return bool(text == value)
    if value is None:
        return text in NUMBER_MARKERS
    if isinstance(value, int | float):
        points = {text, text.replace(",", "."), text.replace(",", ""), text.replace(".", "").replace(",", ".")}
        return any(_decimal(point) == _decimal(repr(value)) for point in points)
    parts = [int(part) for part in "".join(c if c.isdigit() else " " for c in text).split()]
    return {value.year, value.day} <= set(parts)


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def generated(n_tables: int = 100, n_rows: int = 400, seed: int = 0) -> Iterator[Harm]:
    """The generated tables, from file to file and in memory."""
    with TemporaryDirectory() as folder:
        for table in hard_negatives(n_tables, seed, n_rows):
            source = Path(folder) / f"{table.name}.csv"
            source.write_bytes(table.file)
            yield harm_to_file(source, table.name)
            yield harm_in_memory(table.columns, table.name)


def of_folder(folder: Path) -> Iterator[Harm]:
    """The clean tables of a folder; those that cannot be read as a table are named."""
    for path in sorted(folder.iterdir()):
        if ending(path) in TEXT_ENDINGS + OTHER_ENDINGS and not path.name.startswith("dirty"):
            try:
                yield harm_to_file(path, path.name)
            except DataError as error:
                print(f"{path.name:<34}refused   {str(error).splitlines()[0]}", flush=True)


def main() -> int:
    print(f"{'table':<34}{'how':<10}{'changed':>9}{'correct':>9}{'dropped':>9}{'bytes':>9}")
    found = []
    for folder in map(Path, sys.argv[1:]):
        for harm in of_folder(folder):
            found.append(harm)
            print(harm, flush=True)
    for harm in generated():
        found.append(harm)
        print(harm, flush=True)
    correct, dropped = sum(harm.correct_changed for harm in found), sum(harm.rows_dropped for harm in found)
    print(f"\n{len(found)} tables: {correct:,} correct cells changed, {dropped:,} rows dropped")
    return 0 if all(harm.is_harmless for harm in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
