"""A working as plain text, colored by rich where that is installed, and its tables as DataFrames."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from pellucid.base.errors import count, format_message
from pellucid.data.frames import frame_library
from pellucid.working.boxes import number
from pellucid.working.expression import Axis, Cell, WorkingError
from pellucid.working.matrix import Block, Named
from pellucid.working.model import Step, Table, Working, shown_entries
from pellucid.working.notation import in_symbols, left_side, of_entry, with_numbers
from pellucid.working.printers import unicode

WIDTH = 100


def to_text(working: Working, digits: int, most_rows: int) -> str:
    """The whole working."""
    lines = [working.title, "=" * width(working.title), *wrap(working.intro, WIDTH)]
    for step_number, step in enumerate(working.steps, start=1):
        lines += ["", *step_lines(working, step, step_number, digits, most_rows)]
    if working.notes:
        lines += ["", *(line for note in working.notes for line in wrap(note, WIDTH, initial_indent="Note: "))]
    return "\n".join(lines)


def step_lines(working: Working, step: Step, step_number: int, digits: int, most_rows: int) -> Iterator[str]:
    """One step: heading, sentence, formulas, tables."""
    heading = f"{step_number}. {step.title}"
    yield heading
    yield "-" * width(heading)
    yield from wrap(step.sentence, WIDTH)
    for table in step.tables:
        if table.block is not None:
            yield from _block_lines(working, table.block, digits, most_rows)
        elif table.axis is None:
            yield ""
            for cell in table.cells:
                yield from _cell_lines(cell, digits)
        else:
            yield from _column_lines(working, table, table.axis, digits, most_rows)


def _cell_lines(cell: Cell, digits: int) -> Iterator[str]:
    label = f"{cell.label}: " if cell.label else ""
    formula = in_symbols(cell)
    if formula is None:
        yield f"  {label}{unicode(left_side(cell))} = {unicode(number(cell.value, digits))}"
        return
    yield f"  {label}{unicode(formula)}"
    put_in = with_numbers(cell, digits=digits)
    assert put_in is not None
    indent = "  " + " " * width(label)
    ticked = f"   ✓ {cell.attribute}" if cell.attribute else ""
    yield f"{indent}{unicode(put_in)}{ticked}"


def _column_lines(working: Working, table: Table, axis: Axis, digits: int, most_rows: int) -> Iterator[str]:
    formulas = [cell for cell in table.cells if cell.source is not None]
    if formulas:
        yield ""
    for cell in formulas:
        label = f"{cell.label}: " if cell.label else ""
        ticked = f"   ✓ {cell.attribute}" if cell.attribute else ""
        yield f"  {label}{unicode(formula_of(cell))}{ticked}"
        put_in = with_numbers(cell, digits=digits)
        if put_in is not None:
            yield "  " + " " * width(label) + unicode(put_in)
    yield ""
    heads = [axis.name, *(heading(cell) for cell in table.cells)]
    rows = []
    for i in shown_entries(axis, most_rows, working.asked):
        entries = ["⋮"] * len(table.cells) if i is None else [shown(cell.stored[i], digits) for cell in table.cells]
        rows.append(["⋮" if i is None else str(axis.labels[i]), *entries])
    yield from table_lines(heads, rows)
    left_out = len(axis) - sum(i is not None for i in shown_entries(axis, most_rows, working.asked))
    if left_out:
        yield f"  ({count(left_out, axis.name)} not shown)"


def formula_of(cell: Named) -> Any:
    """The formula in symbols of a cell that has one."""
    formula = in_symbols(cell)
    assert formula is not None
    return formula


def _block_lines(working: Working, block: Block, digits: int, most_rows: int) -> Iterator[str]:
    label = f"{block.label}: " if block.label else ""
    formula = in_symbols(block)
    ticked = f"   ✓ {block.attribute}" if block.attribute else ""
    yield ""
    yield f"  {label}{unicode(formula if formula is not None else left_side(block))}{ticked}"
    yield ""
    heads = [block.rows.name, *(str(name) for name in block.columns.labels)]
    rows = []
    for i in shown_entries(block.rows, most_rows, working.asked):
        entries = ["⋮"] * len(block.columns) if i is None else [shown(entry, digits) for entry in block.stored[i]]
        rows.append(["⋮" if i is None else str(block.rows.labels[i]), *entries])
    yield from table_lines(heads, rows)
    left_out = len(block.rows) - sum(i is not None for i in shown_entries(block.rows, most_rows, working.asked))
    if left_out:
        yield f"  ({count(left_out, block.rows.name)} not shown)"


def heading(cell: Cell) -> str:
    """A column's heading: its symbol, and its own name if it is given by the user."""
    mark = unicode(left_side(cell))
    return f"{cell.label} {mark}" if cell.source is None and cell.label else mark


def shown(value: Any, digits: int) -> str:
    """One entry of a table."""
    return value if isinstance(value, str) else unicode(number(value, digits))


def table_lines(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Columns set right, under their headings."""
    widths = [max(width(text) for text in column) for column in zip(heads, *rows, strict=True)]
    for line in (heads, ["─" * size for size in widths], *rows):
        yield "  " + "  ".join(pad(text, size) for text, size in zip(line, widths, strict=True)).rstrip()


def width(text: str) -> int:
    """Places on a terminal: combining accents take none, wide letters two."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def pad(text: str, size: int) -> str:
    return " " * (size - width(text)) + text


# ----------------------------------------------------------------------------------------------------------- passes


def pass_lines(step: Step, entry: int, digits: int = 6) -> list[str]:
    """The formulas of an iterative step with the numbers of one pass put in."""
    if step.walk is None or not -len(step.walk) <= entry < len(step.walk):
        actual = "it does not go from pass to pass" if step.walk is None else f"there are {len(step.walk)}"
        raise WorkingError(format_message("working", f"step {step.title!r} has no pass {entry}", actual=actual))
    entry %= len(step.walk)
    lines = [f"{step.title}, {step.walk.name} {step.walk.labels[entry]}"]
    for cell in step.cells:
        if isinstance(cell, Cell) and cell.axis is step.walk:
            put_in = with_numbers(cell, entry, digits)
            number_text = f"{unicode(of_entry(cell, entry))} = {unicode(number(cell.stored[entry], digits))}"
            lines.append("  " + (number_text if put_in is None else unicode(put_in)))
    return lines


def turn_lines(working: Working, turn: int) -> list[str]:
    """Everything that happens in pass ``turn`` (counted from 1)."""
    lines: list[str] = []
    for step_number, step in enumerate(working.steps, start=1):
        if step.turn == turn:
            lines += step_lines(working, step, step_number, 6, 12)
        elif step.walk is not None and turn <= len(step.walk):
            lines += pass_lines(step, turn - 1)
    return lines


# ----------------------------------------------------------------------------------------------------------- frames


def frame(working: Working, step: Step, table: int, as_frame: Any) -> Any:
    """A table of a step as a DataFrame."""
    library = frame_library("to_frame", as_frame)
    if not 0 <= table < len(step.tables):
        raise WorkingError(
            format_message(
                "to_frame", f"step {step.title!r} has {count(len(step.tables), 'table')}", actual=f"asked for {table}"
            )
        )
    step_table = step.tables[table]
    columns: dict[str, list[Any]]
    if step_table.block is not None:
        columns = {step_table.block.rows.name or "row": list(step_table.block.rows.labels)}
        names = [str(name) or step_table.block.name for name in step_table.block.columns.labels]
        columns |= {name: step_table.block.stored[:, j].tolist() for j, name in enumerate(names)}
    elif step_table.axis is not None:
        columns = {step_table.axis.name or "entry": list(step_table.axis.labels)}
        columns |= {cell.name: cell.stored.tolist() for cell in step_table.cells}
    else:
        columns = {"name": [cell.name for cell in step_table.cells], "value": [cell.value for cell in step_table.cells]}
        columns["meaning"] = [cell.label for cell in step_table.cells]
        if len({type(value) for value in columns["value"]}) > 1:
            columns["value"] = [float(value) if isinstance(value, int | float) else value for value in columns["value"]]
    return library.DataFrame(columns)


# ------------------------------------------------------------------------------------------------------------- rich


def to_rich(working: Working) -> Any:
    """For rich: headings bold, results and ticks green; the same text."""
    from rich.text import Text

    rich_text = Text(to_text(working, 6, 12))
    rich_text.highlight_regex(r"(?m)\A.*$", "bold cyan")
    rich_text.highlight_regex(r"(?m)^\d+\. .*$", "bold")
    rich_text.highlight_regex(r"(?m)^[=-]+$", "dim")
    rich_text.highlight_regex(r"✓ \S+", "green")
    rich_text.highlight_regex(r"(?m)(?<== )[−\d.×⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+(?=$|   ✓)", "bold green")
    return rich_text
