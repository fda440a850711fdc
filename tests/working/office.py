"""LibreOffice as a second opinion: works a workbook out from its formulas alone, and reads the numbers back.

The file keeps the values that were written beside the formulas; they are taken out first, so that whatever comes back
was worked out by LibreOffice.
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from pellucid.working.matrix import Block, Named, named_in
from pellucid.working.model import Working
from pellucid.working.sheet import Place, letters
from tests.optional import need

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
ET.register_namespace("", MAIN)
ET.register_namespace("r", "http://schemas.openxmlformats.org/officeDocument/2006/relationships")

ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


# Of about 250 files in one call LibreOffice leaves the last ones out, and says nothing.
MOST_FILES = 100


@cache
def profile() -> Path:
    """What LibreOffice writes when it starts for the first time, once for all tests of this process."""
    folder = Path(tempfile.mkdtemp(prefix="pellucid-office-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "user").mkdir()
    (folder / "user" / "registrymodifications.xcu").write_text(ALWAYS)
    return folder


def recalculate(files: Sequence[Path], folder: Path) -> dict[Path, Any]:
    """Each file worked out from scratch, as an openpyxl workbook of values, many in a call: starting takes seconds."""
    import openpyxl

    program = need("libreoffice")
    stripped, done = folder / "stripped", folder / "done"
    for made in (stripped, done):
        made.mkdir(parents=True, exist_ok=True)
    names = {file: f"{i}.xlsx" for i, file in enumerate(files)}
    for file, name in names.items():
        edit(file, stripped / name, strip)
    command = [program, f"-env:UserInstallation=file://{profile()}", "--headless", "--convert-to", "xlsx", "--outdir"]
    sources = [str(stripped / name) for name in names.values()]
    for first in range(0, len(sources), MOST_FILES):
        part = sources[first : first + MOST_FILES]
        subprocess.run([*command, str(done), *part], check=True, capture_output=True, timeout=240)
    return {file: openpyxl.load_workbook(done / name, data_only=True) for file, name in names.items()}


# ------------------------------------------------------------------------------------------------------------- choosing


def first_of_each(kinds: Mapping[str, str]) -> list[Any]:
    """Names of workbooks as cases of a test: the first of each kind always, the others count as exhaustive."""
    first = {kind: name for name, kind in reversed(kinds.items())}
    return [
        pytest.param(name, marks=[] if first[kind] == name else [pytest.mark.exhaustive])
        for name, kind in kinds.items()
    ]


def asked(request: pytest.FixtureRequest) -> list[str]:
    """For a fixture: the names of the cases of this run that use it."""
    here = [item for item in request.session.items if item.path == request.path]
    using = [item for item in here if request.fixturename in getattr(item, "fixturenames", ())]
    return list(dict.fromkeys(item.callspec.params["name"] for item in using if hasattr(item, "callspec")))


# -------------------------------------------------------------------------------------------------------------- editing


def edit(source: Path, target: Path, change: Callable[[str, ET.Element], None]) -> None:
    """A copy of a workbook with the XML of each sheet changed; ``change`` gets the sheet's name and its root."""
    with zipfile.ZipFile(source) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    book = ET.fromstring(parts["xl/workbook.xml"])
    names = [sheet.attrib["name"] for sheet in book.iter(f"{{{MAIN}}}sheet")]
    for number, name in enumerate(names, start=1):  # XlsxWriter numbers the files of the sheets in their order
        part = f"xl/worksheets/sheet{number}.xml"
        root = ET.fromstring(parts[part])
        change(name, root)
        parts[part] = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            new.writestr(name, content)


def strip(name: str, root: ET.Element) -> None:
    """Take out every stored value of a formula, those of the other cells of an array formula too."""
    inside: set[str] = set()
    for cell in root.iter(f"{{{MAIN}}}c"):
        formula = cell.find(f"{{{MAIN}}}f")
        if formula is not None:
            inside |= _within(formula.attrib.get("ref", cell.attrib["r"]))
    for cell in root.iter(f"{{{MAIN}}}c"):
        value = cell.find(f"{{{MAIN}}}v")
        if cell.attrib["r"] in inside and value is not None:
            cell.remove(value)
            cell.attrib.pop("t", None)


def _within(ref: str) -> set[str]:
    from openpyxl.utils import range_boundaries

    left, top, right, bottom = range_boundaries(ref)
    return {f"{letters(column - 1)}{row}" for column in range(left, right + 1) for row in range(top, bottom + 1)}


def put(values: Mapping[Place, Any]) -> Callable[[str, ET.Element], None]:
    """A change that writes plain numbers and words into cells."""

    def change(name: str, root: ET.Element) -> None:
        wanted = {f"{letters(p.column)}{p.row + 1}": value for p, value in values.items() if p.sheet == name}
        for cell in root.iter(f"{{{MAIN}}}c"):
            if cell.attrib["r"] in wanted:
                _fill(cell, wanted.pop(cell.attrib["r"]))
        assert not wanted, f"no such cells: {wanted}"

    return change


def _fill(cell: ET.Element, value: Any) -> None:
    for child in list(cell):
        cell.remove(child)
    cell.attrib.pop("t", None)
    if isinstance(value, str):
        cell.attrib["t"] = "str"
    ET.SubElement(cell, f"{{{MAIN}}}v").text = value if isinstance(value, str) else repr(value)


# -------------------------------------------------------------------------------------------------------------- reading


def read(book: Any, place: Place, shape: tuple[int, int]) -> np.ndarray:
    """The values of a block of cells."""
    sheet = book[place.sheet]
    found = np.empty(shape, dtype=object)
    for i, j in np.ndindex(*shape):
        found[i, j] = sheet.cell(place.row + 1 + i, place.column + 1 + j).value
    return found


def shape(named: Named) -> tuple[int, int]:
    if isinstance(named, Block):
        return len(named.rows), len(named.columns)
    return (1 if named.axis is None else len(named.axis)), 1


# ------------------------------------------------------------------------------------------------------------ comparing

RELATIVE = 1e-9
NOISE = 1e-14  # LibreOffice takes a difference of two numbers that agree to 48 bits, 4e-15, for zero
SAFETY = 20


def margins(working: Working) -> dict[str, np.ndarray]:
    """How far each number may be off: a billionth of it, or what rounding makes of it if that is more.

    The second is measured: every number is worked out again five times with noise of the size of rounding in all
    numbers before it. It is what bounds a zero that is the difference of equal numbers, and a quotient of two such.
    """
    true = {name: _floats(cell.value) for name, cell in working.cells.items()}
    spread = {name: np.zeros_like(value) for name, value in true.items()}
    saved = {name: cell.stored for name, cell in working.cells.items()}
    rng = np.random.default_rng(0)
    for _ in range(5):
        with np.errstate(all="ignore"):
            _shake(working, rng, saved)
        for name, cell in working.cells.items():
            spread[name] = np.fmax(spread[name], np.abs(_floats(cell.value) - true[name]))
    for name, cell in working.cells.items():
        cell.stored = saved[name]
    return {name: np.fmax(RELATIVE * np.abs(true[name]), SAFETY * spread[name]) for name in true}


def _shake(working: Working, rng: np.random.Generator, saved: Mapping[str, Any]) -> None:
    for group in _groups(list(working.cells.values())):
        if len(group) > 1:
            _shake_walk(group, rng)
            continue
        (cell,) = group
        if cell.source is None:
            cell.stored = saved[cell.name]
        elif isinstance(cell, Block):
            cell.stored = cell.source.value
        else:
            cell.work_out()
        cell.stored = _noisy(cell.stored, rng)


def _groups(cells: list[Any]) -> list[list[Any]]:
    """The cells in their order; those that refer to each other, pass by pass, together."""
    index = {cell: i for i, cell in enumerate(cells)}
    groups: list[list[Any]] = []
    i = 0
    while i < len(cells):
        end = start = i
        while i <= end:
            used = () if cells[i].source is None else named_in(cells[i].source)
            end = max([end, *(index[cell] for cell in used)])
            i += 1
        groups.append(cells[start : end + 1])
    return groups


def _shake_walk(cells: list[Any], rng: np.random.Generator) -> None:
    walking = [cell for cell in cells if cell.source is not None]
    axis = walking[0].axis
    for cell in walking:
        cell.stored = np.zeros(len(axis))
    for i in range(len(axis)):
        for cell in walking:
            cell.stored[i] = _noisy(cell.source.at({axis: i}), rng)


def _noisy(value: Any, rng: np.random.Generator) -> Any:
    """With noise of the size of rounding. Whole numbers are exact, and may say which row to look up."""
    values = np.asarray(value)
    if values.dtype.kind != "f":
        return value
    noise = NOISE * rng.choice([-1.0, 1.0], size=values.shape)
    found = np.where(values % 1 == 0, values, values * (1 + noise))
    return float(found) if found.ndim == 0 else found


def _floats(value: Any) -> np.ndarray:
    values = np.asarray(value)
    return values.astype(np.float64) if values.dtype.kind in "fiub" else np.zeros(values.shape)


def differences(working: Working, book: Any, places: Mapping[Named, Place]) -> list[str]:
    """Every number of the workbook that is not the working's, as text.

    What rounding may do is measured only where a billionth does not suffice: measuring takes longer than LibreOffice.
    """
    billionth = {name: RELATIVE * np.abs(_floats(cell.value)) for name, cell in working.cells.items()}
    return beyond(working, book, places, billionth) and beyond(working, book, places, margins(working))


def beyond(working: Working, book: Any, places: Mapping[Named, Place], allowed: Mapping[str, np.ndarray]) -> list[str]:
    """Every number of the workbook that is farther from the working's than allowed."""
    wrong = []
    for name, named in working.cells.items():
        if named not in places:
            continue
        got, want = read(book, places[named], shape(named)), np.asarray(named.value, dtype=object).reshape(shape(named))
        margin = allowed[name].reshape(shape(named))
        wrong += [
            f"{name}[{i}, {j}]: workbook {got[i, j]!r}, working {want[i, j]!r}, allowed {margin[i, j]:.3g}"
            for i, j in np.ndindex(*got.shape)
            if not _agree(got[i, j], want[i, j], margin[i, j])
        ]
    return wrong


def _agree(got: Any, want: Any, margin: float) -> bool:
    if isinstance(want, str):
        return bool((got or "") == want)
    if not np.isfinite(want):
        return isinstance(got, str) and got.startswith("#")
    if margin > abs(want) and isinstance(got, str):  # noise divided by noise: any answer, an error too, is as good
        return got.startswith("#")
    return isinstance(got, int | float | bool) and bool(abs(float(got) - float(want)) <= margin)
