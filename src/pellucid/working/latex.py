"""A working as LaTeX: sections with formulas and tables, for a document that loads amsmath and booktabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pellucid.base.errors import count
from pellucid.working.boxes import Box, number
from pellucid.working.expression import Axis, Cell
from pellucid.working.matrix import Block
from pellucid.working.model import Table, Working, shown_entries
from pellucid.working.notation import in_symbols, left_side, with_numbers
from pellucid.working.printers import latex, latex_text

_HEAD = r"""\documentclass{article}
\usepackage{amsmath}
\usepackage{amssymb}
\usepackage{booktabs}
\usepackage[margin=2cm]{geometry}
\begin{document}
"""


def to_latex(working: Working, digits: int, most_rows: int, standalone: bool) -> str:
    """The whole working; with ``standalone`` as a document of its own."""
    lines = [rf"\section*{{{latex_text(working.title)}}}", latex_text(working.intro), ""]
    for step_number, step in enumerate(working.steps, start=1):
        lines += [rf"\subsection*{{{step_number}. {latex_text(step.title)}}}", latex_text(step.sentence)]
        for table in step.tables:
            lines += _table(working, table, digits, most_rows)
        lines.append("")
    lines += [rf"\paragraph{{Note}} {latex_text(note)}" + "\n" for note in working.notes]
    body = "\n".join(lines).rstrip() + "\n"
    return f"{_HEAD}\n{body}\n\\end{{document}}\n" if standalone else body


def _table(working: Working, table: Table, digits: int, most_rows: int) -> Iterator[str]:
    if table.block is not None:
        yield from _block(working, table.block, digits, most_rows)
    elif table.axis is None:
        yield from _formulas([line for cell in table.cells for line in _cell(cell, digits)])
    else:
        yield from _columns(working, table, table.axis, digits, most_rows)


def _formulas(lines: list[str]) -> Iterator[str]:
    """Formulas under each other, the equals signs in line."""
    if lines:
        yield r"\begin{align*}"
        yield " \\\\\n".join(lines)
        yield r"\end{align*}"


def _cell(cell: Cell, digits: int) -> Iterator[str]:
    label = rf" && \text{{{latex_text(cell.label)}}}" if cell.label else ""
    if cell.source is None:
        yield f"{latex(left_side(cell))} &= {latex(number(cell.value, digits))}{label}"
        return
    yield aligned(in_symbols(cell)) + label
    yield aligned(with_numbers(cell, digits=digits), again=True) + _equals(cell)


def aligned(box: Box | None, again: bool = False) -> str:
    """A formula with its first equals sign as the place to line up; without its left side when it is said again."""
    assert box is not None
    lhs, _, rhs = latex(box).partition(" = ")
    return f"{'' if again else lhs} &= {rhs}"


def _equals(cell: Cell | Block) -> str:
    return rf" && \checkmark\ \texttt{{{latex_text(cell.attribute)}}}" if cell.attribute else ""


def _columns(working: Working, table: Table, axis: Axis, digits: int, most_rows: int) -> Iterator[str]:
    lines = []
    for cell in table.cells:
        if cell.source is not None:
            lines.append(aligned(in_symbols(cell)) + (rf" && \text{{{latex_text(cell.label)}}}" if cell.label else ""))
            example = with_numbers(cell, digits=digits)
            lines += [] if example is None else [_first(example) + _equals(cell)]
    yield from _formulas(lines)
    heads = [latex_text(axis.name), *(_heading(cell) for cell in table.cells)]
    yield from _grid(working, axis, heads, lambda i: [entry(cell.stored[i], digits) for cell in table.cells], most_rows)


def _first(box: Box) -> str:
    lhs, _, rhs = latex(box).partition(" = ")
    return f"{lhs} &= {rhs}"


def _heading(cell: Cell) -> str:
    name = f"{latex_text(cell.label)} " if cell.source is None and cell.label else ""
    return f"{name}${latex(left_side(cell))}$"


def _block(working: Working, block: Block, digits: int, most_rows: int) -> Iterator[str]:
    formula = in_symbols(block)
    label = rf" && \text{{{latex_text(block.label)}}}" if block.label else ""
    if formula is not None:
        yield from _formulas([aligned(formula) + label + _equals(block)])
    else:
        yield rf"\[ {latex(left_side(block))} \]"
    heads = [latex_text(block.rows.name), *(latex_text(str(name)) for name in block.columns.labels)]
    yield from _grid(working, block.rows, heads, lambda i: [entry(v, digits) for v in block.stored[i]], most_rows)


def _grid(
    working: Working, axis: Axis, heads: list[str], entries: Callable[[int], list[str]], most_rows: int
) -> Iterator[str]:
    entry_indices = shown_entries(axis, most_rows, working.asked)
    yield r"\begin{center}"
    yield rf"\begin{{tabular}}{{{'r' * len(heads)}}}"
    yield r"\toprule"
    yield " & ".join(heads) + r" \\"
    yield r"\midrule"
    for i in entry_indices:
        cells = [r"$\vdots$"] * len(heads) if i is None else [latex_text(str(axis.labels[i])), *entries(i)]
        yield " & ".join(cells) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{center}"
    left_out = len(axis) - sum(i is not None for i in entry_indices)
    if left_out:
        yield f"({count(left_out, axis.name)} not shown)"


def entry(value: Any, digits: int) -> str:
    """One number or word of a table."""
    return latex_text(value) if isinstance(value, str) else f"${latex(number(value, digits))}$"
