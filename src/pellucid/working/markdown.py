"""A working as Markdown, with LaTeX between dollar signs as GitHub, Jupyter and pandoc read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pellucid.base.errors import count
from pellucid.working.boxes import Box, number
from pellucid.working.expression import Axis, Cell
from pellucid.working.matrix import Block
from pellucid.working.model import Table, Working, shown_entries
from pellucid.working.notation import in_symbols, left_side, with_numbers
from pellucid.working.printers import latex


def to_markdown(working: Working, digits: int, most_rows: int) -> str:
    """The whole working."""
    lines = [f"# {text(working.title)}", "", text(working.intro), ""]
    for step_number, step in enumerate(working.steps, start=1):
        lines += [f"## {step_number}. {text(step.title)}", "", text(step.sentence), ""]
        for table in step.tables:
            lines += [*_table(working, table, digits, most_rows), ""]
    lines += [f"> {text(note)}\n" for note in working.notes]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def _table(working: Working, table: Table, digits: int, most_rows: int) -> Iterator[str]:
    if table.block is not None:
        yield from _block(working, table.block, digits, most_rows)
    elif table.axis is None:
        for cell in table.cells:
            yield from _cell(cell, digits)
    else:
        yield from _columns(working, table, table.axis, digits, most_rows)


def _cell(cell: Cell, digits: int) -> Iterator[str]:
    label = f"{text(cell.label)}: " if cell.label else ""
    if cell.source is None:
        yield f"- {label}{math(left_side(cell))} $=$ {entry(cell.value, digits)}"
        return
    yield f"- {label}{math(in_symbols(cell))}  "
    yield f"  {math(with_numbers(cell, digits=digits))}{_equals(cell)}"


def _equals(cell: Cell | Block) -> str:
    return f" ✓ `{cell.attribute}`" if cell.attribute else ""


def _columns(working: Working, table: Table, axis: Axis, digits: int, most_rows: int) -> Iterator[str]:
    for cell in table.cells:
        if cell.source is not None:
            label = f"{text(cell.label)}: " if cell.label else ""
            example = with_numbers(cell, digits=digits)
            example_line = f"  \n  {math(example)}" if example is not None else ""
            yield f"- {label}{math(in_symbols(cell))}{_equals(cell)}{example_line}"
    heads = [text(axis.name), *(_heading(cell) for cell in table.cells)]
    yield from _grid(working, axis, heads, lambda i: [entry(cell.stored[i], digits) for cell in table.cells], most_rows)


def _heading(cell: Cell) -> str:
    name = f"{text(cell.label)} " if cell.source is None and cell.label else ""
    return name + math(left_side(cell))


def _block(working: Working, block: Block, digits: int, most_rows: int) -> Iterator[str]:
    label = f"{text(block.label)}: " if block.label else ""
    formula = in_symbols(block)
    yield f"{label}{math(formula if formula is not None else left_side(block))}{_equals(block)}"
    heads = [text(block.rows.name), *(text(str(name)) for name in block.columns.labels)]
    yield from _grid(working, block.rows, heads, lambda i: [entry(v, digits) for v in block.stored[i]], most_rows)


def _grid(working: Working, axis: Axis, heads: list[str], entries: Any, most_rows: int) -> Iterator[str]:
    entry_indices = shown_entries(axis, most_rows, working.asked)
    yield ""
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---:|" * len(heads)
    for i in entry_indices:
        cells = ["⋮"] * len(heads) if i is None else [text(str(axis.labels[i])), *entries(i)]
        yield f"| {' | '.join(cells)} |"
    left_out = len(axis) - sum(i is not None for i in entry_indices)
    if left_out:
        yield f"\n({count(left_out, axis.name)} not shown)"


def math(box: Box | None) -> str:
    """A formula in the running text. A bar would end a table's cell, so it is written as a command."""
    assert box is not None
    written = re.sub(r"\s+", " ", latex(box)).strip()
    return f"${written.replace('|', chr(92) + 'vert ')}$"


def entry(value: Any, digits: int) -> str:
    """One number or word of a table."""
    return text(value) if isinstance(value, str) else math(number(value, digits))


def text(words: str) -> str:
    """Words in which nothing is read as Markdown or HTML."""
    return re.sub(r"([\\`*_{}\[\]<>#|$~])", r"\\\1", words.replace("\n", " "))
