"""Is the first row of a text table a header, or the first row of data? The values of the columns decide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pellucid.base.errors import join_some

Cells = Sequence[str]
CellKind = Literal["number", "time", "missing", "text"]

MISSING = frozenset(["", "na", "n/a", "nan", "null", "none", "?", "-", ".", "#n/a", "<na>", "nil"])
_NUMBER = re.compile(r"[+-]?[$€£]?\s?([0-9]+([.,' ][0-9]+)*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s?[%€$£]?")
_TIME = re.compile(
    r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([ T].*)?|[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?( ?[ap]m)?",
    re.IGNORECASE,
)
_USUAL_TEXT = """
id name title label text date time day month year type category class group code key value count number amount
city country state region address email phone url description comment note status gender sex age price item
product user customer word lemma tag source target first last firstname lastname surname author index question
answer sentence message subject language gene symbol sequence sample
"""
_USUAL_NAMES = frozenset(_USUAL_TEXT.split())
_UNIFORM = 0.9  # share of a column's cells that decide on its kind
_FEW = 20  # different texts of a column of categories
_YEARS = range(1800, 2101)


@dataclass(frozen=True)
class HeaderDecision:
    """Whether the first row is a header, why, and whether that is certain, or only the usual form of a file."""

    is_header: bool
    why: str
    is_certain: bool = True
    is_convention: bool = False


def kind_of_cell(cell: str) -> CellKind:
    """What a cell may be by its characters."""
    text = cell.strip()
    if text.lower() in MISSING:
        return "missing"
    if _TIME.fullmatch(text):
        return "time"
    return "number" if _NUMBER.fullmatch(text) else "text"


def decide_header(first: Cells, rest: Sequence[Cells]) -> HeaderDecision:
    """Whether the first row of a table names the columns.

    Parameters
    ----------
    first : its cells
    rest : the rows below it, or the first of them
    """
    if not rest:
        return HeaderDecision(True, "there is no other row")
    columns = [[row[j] if j < len(row) else "" for row in rest] for j in range(len(first))]
    numbered = _numbered_names(first, columns)
    header: list[str] = []
    data: list[str] = []
    for cell, column in zip(first, columns, strict=True):
        kind = _kind_of_column(column)
        cell_kind = kind_of_cell(cell)
        if kind not in ("number", "time") or cell_kind == "missing" or cell.strip() in numbered:
            continue
        (data if cell_kind in ("number", "time") else header).append(cell.strip())
    if header or data:
        if len(header) >= len(data):
            return HeaderDecision(True, f"{_quoted(header)} stand above numbers or times")
        return HeaderDecision(False, f"{_quoted(data)} can be read like the cells below")
    if len(numbered) == sum(bool(cell.strip()) for cell in first):
        return HeaderDecision(True, "its numbers count the columns", False)
    return _decide_texts(first, columns)


def _kind_of_column(column: Sequence[str]) -> CellKind:
    kinds = [kind for kind in map(kind_of_cell, column) if kind != "missing"]
    if not kinds:
        return "missing"
    for kind in ("number", "time"):
        if kinds.count(kind) >= _UNIFORM * len(kinds):
            return kind
    return "text"


def _numbered_names(first: Cells, columns: Sequence[Sequence[str]]) -> set[str]:
    """Numbers of a header that follow each other, such as years or positions, unlike the cells below them."""
    numbers = [(cell.strip(), column) for cell, column in zip(first, columns, strict=True) if cell.strip().isdigit()]
    values = [int(cell) for cell, _ in numbers]
    steps = {b - a for a, b in pairwise(values)}
    below = [int(cell) for _, column in numbers for cell in column if cell.strip().isdigit()]
    if steps and (min(steps) > 0 or max(steps) < 0) and all(value in _YEARS for value in values):
        inside = sum(value in _YEARS for value in below)
        return set() if inside > 0.5 * len(below) and below else {cell for cell, _ in numbers}
    if len(values) >= 5 and values[0] in (0, 1) and steps == {1}:
        return {cell for cell, _ in numbers}
    return set()


def _decide_texts(first: Cells, columns: Sequence[Sequence[str]]) -> HeaderDecision:
    """A table of texts alone: does the first row hold values of the columns?"""
    repeated, new = [], []
    for cell, column in zip((cell.strip() for cell in first), columns, strict=True):
        values = [value.strip() for value in column if value.strip()]
        distinct = set(values)
        if not cell or len(values) < 3:
            continue
        if cell in distinct:
            repeated.append(cell)
        elif len(distinct) <= _FEW and len(distinct) <= 0.34 * len(values):
            new.append(cell)
    if len(repeated) > len(new):
        return HeaderDecision(False, f"{_quoted(repeated)} are values of the rows below, too")
    if len(new) > len(repeated):
        return HeaderDecision(True, f"no row below has {_quoted(new)} in its place")
    return _decide_shapes(first, columns)


def _decide_shapes(first: Cells, columns: Sequence[Sequence[str]]) -> HeaderDecision:
    """Texts that are all different: the form of the cells, and words that usually name columns."""
    plain = [cell for cell in first if not any(sign.isdigit() or sign in "=:/@" for sign in cell)]
    typical = [cell for cell in plain if set(re.split(r"[^a-z]+", cell.strip().lower())) & _USUAL_NAMES]
    if len(typical) >= 0.5 * len(first):
        return HeaderDecision(True, f"{_quoted(typical)} usually name columns", False)
    unlike = [
        cell for cell, column in zip(first, columns, strict=True)
        if cell.strip() and len(column) >= 3 and not _is_alike(cell.strip(), [value.strip() for value in column])
    ]  # fmt: skip
    if unlike:
        return HeaderDecision(True, f"{_quoted(unlike)} are written unlike the cells below them", False)
    if len(first) == 1 and len(columns[0]) >= 5:
        return HeaderDecision(False, "it is a text like all others", False)
    return HeaderDecision(True, "most files have a header, and nothing speaks against one", False, True)


def _is_alike(cell: str, column: Sequence[str]) -> bool:
    """Is a text written like nearly all texts below it: letters, digits, signs, length?"""
    values = [value for value in column if value]
    if not values:
        return True
    lengths = [len(value) for value in values]
    mean = sum(lengths) / len(lengths)
    if mean > 30 and len(cell) < min(20, 0.4 * mean):
        return False
    traits = (
        lambda text: any(character.isdigit() for character in text),
        lambda text: "@" in text,
        lambda text: text[:1].isupper(),
        lambda text: text.islower(),
        lambda text: " " in text,
        lambda text: "://" in text,
    )
    for trait in traits:
        share = sum(map(trait, values)) / len(values)
        if (share > 0.95 and not trait(cell)) or (share < 0.02 and trait(cell) and len(values) >= 20):
            return False
    return True


def _quoted(cells: Sequence[str]) -> str:
    return join_some([repr(cell) for cell in cells], 3)
