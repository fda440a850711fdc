"""A working as HTML: one page that needs nothing else, or a part of a notebook.

Everything stands in the page as plain HTML and MathML, so that it can be read, printed and searched without its script.
The script (``assets/working.js``) adds what moves: stepping from pass to pass, and the check of an exercise.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import Any, TypeAlias
from uuid import uuid4

import numpy as np

from pellucid.base.errors import count
from pellucid.working.boxes import Box, Row, Sign, Word, indexed, number, symbol
from pellucid.working.exercise import Exercise
from pellucid.working.expression import Axis, Cell
from pellucid.working.html_elements import (
    data_value,
    element,
    equation,
    gap_row,
    gaps,
    lines,
    number_html,
    of_last,
    result,
    slug,
    stepper,
    table,
    width,
)
from pellucid.working.html_exercise import Hidden, answers_of, check_bar, field, task
from pellucid.working.matrix import Block, Named
from pellucid.working.model import Step, Table, Working
from pellucid.working.notation import in_symbols, left_side, with_numbers
from pellucid.working.printers import mathml, unicode

MOST_TITLES = 2_000  # cells whose formula is shown on hovering: each is about 100 bytes
FIRST_PASSES, LAST_PASSES = 200, 20  # kept to be stepped through
MOST_COLUMNS = 24  # of a matrix
WIDEST = 80  # letters of a matrix formula with its numbers put in
FEW_STEPS = 4  # need no table of contents
REPEATED = '<span class="pw-kept">not shown: it repeats an answer</span>'

Placed: TypeAlias = tuple[int, Step]
Link: TypeAlias = tuple[str, str]  # an id, and the text of the link to it


def page(working: Working, digits: int, most_rows: int, exercise: Exercise | None = None) -> str:
    """A whole document that loads nothing: it works from a file, and offline."""
    style, script = asset("working.css"), asset("working.js")
    # Only the page's own style and script may run: a second lock behind the escaping of what users write.
    policy = (
        f"default-src 'none'; style-src '{_fingerprint(style)}'; script-src '{_fingerprint(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = lines(
        '<meta charset="utf-8">',
        element("meta", None, http_equiv="Content-Security-Policy", content=policy),
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        element("title", escape(working.title)),
        f"<style>{style}</style>",
    )
    main = element("main", Writer(working, digits, most_rows, exercise).whole(), class_="pellucid-working")
    body = element("body", lines(main, f"<script>{script}</script>"), class_="pellucid-page")
    return lines("<!DOCTYPE html>", '<html lang="en">', element("head", head), body, "</html>\n")


def fragment(working: Working, digits: int, most_rows: int, exercise: Exercise | None = None) -> str:
    """For a notebook: styles hold below one class, and ids differ from those of any other fragment."""
    writer = Writer(working, digits, most_rows, exercise, prefix=f"w{uuid4().hex[:8]}-", top=2)
    inside = lines(f"<style>{asset('working.css')}</style>", writer.whole(), f"<script>{asset('working.js')}</script>")
    return element("div", inside, class_="pellucid-working pw-fragment", lang="en")


@cache
def asset(name: str) -> str:
    """A file of the package's ``assets``, as it stands between the tags."""
    return "\n" + (files("pellucid.working") / "assets" / name).read_text(encoding="utf-8")


def _fingerprint(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _telling(cell_table: Table, axis: Axis, max_nonzero: int) -> list[int]:
    """Of a row whose columns are nearly all 0, such as those of the words of a text, the few that are not."""
    columns: set[int] = set()
    if axis.name != "column":
        return []
    for cell in cell_table.cells:
        values = np.asarray(cell.stored)
        if cell.source is None and values.ndim == 1 and values.dtype.kind in "fiub":
            entries = np.flatnonzero(values)
            columns |= set(entries.tolist()) if len(entries) <= max_nonzero else set()
    return sorted(columns)


class Writer:
    """Writes one working. ``prefix`` begins every id, ``top`` is the level of the title's heading."""

    def __init__(
        self,
        working: Working,
        digits: int,
        most_rows: int,
        exercise: Exercise | None = None,
        prefix: str = "",
        top: int = 1,
    ) -> None:
        self.working, self.digits, self.most_rows = working, digits, most_rows
        self.exercise, self.hidden = exercise, Hidden(exercise)
        self.prefix, self.top = prefix, top
        self.titles = MOST_TITLES
        self.fields: dict[str, Any] = {}  # of the step being written: the id of each field, and its answer
        self._ids: set[str] = set()
        self._cell_ids = {name: self._id(f"cell-{slug(name)}") for name in working.cells}

    def _id(self, base: str) -> str:
        """An id that no other element has."""
        unique_id, suffix = self.prefix + base, 1
        while unique_id in self._ids:
            suffix += 1
            unique_id = f"{self.prefix}{base}-{suffix}"
        self._ids.add(unique_id)
        return unique_id

    # ------------------------------------------------------------------------------------------------------------- page

    def whole(self) -> str:
        """Everything between the style and the script."""
        title = element(f"h{self.top}", escape(self.working.title))
        intro = element("p", escape(self.working.intro), class_="pw-intro") if self.working.intro else ""
        numbered_steps = enumerate(self.working.steps, start=1)
        groups = [
            self._group(list(run)) for _, run in groupby(numbered_steps, key=lambda item: item[1].turn is not None)
        ]
        contents = self._contents([link for links, _ in groups for link in links])
        instructions = task(self.exercise) if self.exercise is not None else ""
        steps = lines(*(text for _, text in groups))
        return lines(element("header", lines(title, intro)), instructions, contents, steps, self._notes())

    def _contents(self, links: list[Link]) -> str:
        if len(self.working.steps) <= FEW_STEPS:
            return ""
        items = (element("li", element("a", escape(text), href=f"#{at}")) for at, text in links)
        return element("nav", element("ul", lines(*items)), class_="pw-contents", aria_label="Steps")

    def _notes(self) -> str:
        if not self.working.notes:
            return ""
        heading = element(f"h{self.top + 1}", "What is not shown")
        notes = element("ul", lines(*(element("li", escape(note)) for note in self.working.notes)))
        return element("section", lines(heading, notes), class_="pw-notes")

    def _group(self, run: list[Placed]) -> tuple[list[Link], str]:
        """The sections of some steps, and the links to them. Whole passes share one link: but one is seen at a time."""
        passes = sorted({step.turn for _, step in run if step.turn is not None})
        if len(passes) < 2:
            ids = [self._id(f"step-{step_number}") for step_number, _ in run]
            sections = [self._section(step_number, step, at) for at, (step_number, step) in zip(ids, run, strict=True)]
            return [(at, _heading(*item)) for at, item in zip(ids, run, strict=True)], lines(*sections)
        (first, begin), (last, end) = run[0], run[-1]
        at = self._id(f"passes-{first}")
        sections = [
            self._section(step_number, step, self._id(f"step-{step_number}"), passes[-1]) for step_number, step in run
        ]
        panel = stepper("Pass by pass", "turns", len(passes), of_last("pass", passes[0], passes[-1]))
        text = element("div", lines(panel, *sections), class_="pw-turns", id=at)
        return [(at, f"{first}–{last}. {begin.title} … {end.title}")], text

    def _section(self, step_number: int, step: Step, at: str, last_turn: int | None = None) -> str:
        """One step; in an exercise with the check of its fields."""
        self.fields = {}
        heading = element(f"h{self.top + 1}", escape(_heading(step_number, step)))
        sentence = element("p", escape(step.sentence)) if step.sentence else ""
        body, encoded_answers, check = lines(*self.body(step)), None, ""
        if self.fields and self.exercise is not None:
            solved = Writer(self.working, self.digits, self.most_rows, prefix=f"{self.prefix}solved-{step_number}-")
            encoded_answers = answers_of(self.exercise, self.fields, lines(*solved.body(step, stepped=False)))
            check = check_bar(step_number)
        label = None if last_turn is None else of_last("pass", step.turn, last_turn)
        turn = None if last_turn is None else step.turn
        inside = lines(heading, sentence, body, check)
        return element(
            "section", inside, id=at, class_="pw-step", data_turn=turn, data_label=label, data_answers=encoded_answers
        )

    def body(self, step: Step, stepped: bool = True) -> Iterator[str]:
        """The formulas and tables of a step, under the panel going from pass to pass if it has one (``stepped``)."""
        if stepped and step.walk is not None and len(step.walk) > 1:
            yield self._walk(step, step.walk)
        for cell_table in step.tables:
            if cell_table.block is not None:
                yield from self._matrix(cell_table.block)
            elif cell_table.axis is None:
                yield element("ul", lines(*(self._scalar(cell) for cell in cell_table.cells)), class_="pw-lines")
            else:
                yield from self._columns(step, cell_table, cell_table.axis)

    # --------------------------------------------------------------------------------------------------------- formulas

    def _line(self, cell: Named, *formulas: str, label: str = "", **attributes: Any) -> str:
        """What it is called, and its formulas below each other."""
        label_html = label or element("span", escape(cell.label), class_="pw-label")
        inside = "".join(element("div", formula, class_="pw-formula") for formula in formulas if formula)
        return element("li", lines(label_html, element("div", inside, class_="pw-formulas")), **attributes)

    def _scalar(self, cell: Cell) -> str:
        at, formula = self._cell_ids[cell.name], in_symbols(cell)
        written = "" if formula is None else mathml(formula)
        if self.hidden.asks(cell):
            field_id = self._field(cell.name, cell.value)
            label_html = element("label", escape(cell.label or cell.name), for_=field_id, class_="pw-label")
            return self._line(cell, written, _is(cell) + field(field_id, None), label=label_html, id=at)
        if self.hidden.repeats(cell):
            return self._line(cell, written, REPEATED, id=at)
        end = result(cell.value, self.digits)
        put_in = None if self.hidden.spoils(cell) else with_numbers(cell, digits=self.digits)
        numbers = _is(cell) + end if put_in is None else equation(put_in, end)
        return self._line(cell, written, numbers + self._badge(cell), id=at)

    def _column_line(self, cell: Cell) -> str:
        """A column's formula, and the same with the numbers of one entry: the first, or the pass that is stepped to."""
        formula, numbers = in_symbols(cell), ""
        written = "" if formula is None else mathml(formula) + self._badge(cell)
        if len(cell.stored) and not self.hidden.covers(cell):
            numbers = element("div", self._entry(cell, 0), data_numbers=self._cell_ids[cell.name])
        return self._line(cell, written, numbers)

    def _entry(self, cell: Cell, i: int) -> str:
        """One entry of a column: its formula with the numbers put in, or the number alone if those must be hidden."""
        put_in = None if self.hidden.spoils(cell) else with_numbers(cell, i, self.digits)
        if put_in is None:
            assert cell.axis is not None
            base = indexed(symbol(cell.symbol), cell.axis, Word(str(cell.axis.labels[i])))
            put_in = Row((base, Sign("="), number(cell.stored[i], self.digits)))
        return equation(put_in)

    def _badge(self, cell: Named) -> str:
        """Which number of the model this was found equal to."""
        if not cell.attribute or self.hidden.spoils(cell):
            return ""
        return " " + element("span", f"✓ equals <code>{escape(cell.attribute)}</code>", class_="pw-badge")

    def _field(self, name: str, value: Any) -> str:
        """The id of a new field; its answer is remembered."""
        at = self._id(f"field-{slug(name)}")
        self.fields[at] = value
        return at

    # ----------------------------------------------------------------------------------------------------------- tables

    def _columns(self, step: Step, cell_table: Table, axis: Axis) -> Iterator[str]:
        """Columns of one axis: their formulas, then the table."""
        explained = [cell for cell in cell_table.cells if cell.source is not None or axis is step.walk]
        if explained:
            yield element("ul", lines(*(self._column_line(cell) for cell in explained)), class_="pw-lines")
        heads = [element("th", escape(axis.name or "entry"), scope="col")]
        heads += [self._head(cell) for cell in cell_table.cells]
        rows = [
            gap_row(left_out, axis.name, len(heads)) if i is None else self._row(cell_table, axis, i)
            for i, left_out in gaps(
                axis, self.most_rows, self.working.asked, _telling(cell_table, axis, self.most_rows)
            )
        ]
        marks = ", ".join(unicode(left_side(cell)) for cell in cell_table.cells[:6]) + (
            " …" if len(cell_table.cells) > 6 else ""
        )
        caption = f"{step.title or 'Columns'}: {marks} ({count(len(axis), axis.name or 'entry')})"
        yield table(caption, heads, rows, walked=axis is step.walk)
        if any(cell.source is not None for cell in cell_table.cells):
            yield element("p", "", class_="pw-reading", hidden=True)

    def _head(self, cell: Cell) -> str:
        label = element("span", escape(cell.label), class_="pw-head") if cell.label else ""
        return element("th", lines(label, mathml(left_side(cell))), scope="col", id=self._cell_ids[cell.name])

    def _row(self, cell_table: Table, axis: Axis, i: int, fill_in: bool = True) -> str:
        label = str(axis.labels[i])
        cells = []
        for cell in cell_table.cells:
            if self.hidden.covers(cell):
                name = f"{cell.label or cell.name}, {axis.name} {label}"
                cells.append(self._blank(cell, cell.stored[i], name) if fill_in else element("td", "?"))
            else:
                cells.append(self._number(cell.stored[i], self._title(cell, i)))
        return element("tr", element("th", escape(label), scope="row") + "".join(cells), data_entry=i)

    def _number(self, value: Any, title: str = "") -> str:
        full = data_value(value)
        tooltip = f"{title}\nin full: {full}" if title else full
        kind = "pw-word" if isinstance(value, str) else None
        return element("td", number_html(value, self.digits), data_value=full, title=tooltip, class_=kind)

    def _blank(self, cell: Named, value: Any, name: str) -> str:
        if self.hidden.repeats(cell):
            return element("td", "?", title="not shown: it repeats an answer")
        return element("td", field(self._field(cell.name, value), name))

    def _title(self, cell: Cell, i: int) -> str:
        """The formula of one entry as text, for so many entries as a page can hold."""
        if cell.source is None or self.titles == 0 or self.hidden.spoils(cell):
            return ""
        self.titles -= 1
        put_in = with_numbers(cell, i, self.digits)
        return "" if put_in is None else unicode(put_in)

    def _matrix(self, block: Block) -> Iterator[str]:
        """A matrix: its formula, with its numbers put in where they are few, and its table."""
        bare = block.source is None and not (block.label or block.attribute)
        if not bare:
            yield element("ul", self._matrix_line(block), class_="pw-lines")
        columns = list(gaps(block.columns, MOST_COLUMNS))
        heads = [element("th", escape(block.rows.name or "entry"), scope="col")]
        for j, left_out in columns:
            gap_label = f"… {count(left_out, block.columns.name or 'entry')} not shown"
            column_label = gap_label if j is None else str(block.columns.labels[j])
            heads.append(element("th", escape(column_label) if column_label else mathml(left_side(block)), scope="col"))
        rows = [
            gap_row(left_out, block.rows.name, len(heads)) if i is None else self._matrix_row(block, i, columns)
            for i, left_out in gaps(block.rows, self.most_rows, self.working.asked)
        ]
        down, across = block.rows.name, block.columns.name or "column"
        size = f"{count(len(block.rows), down or 'entry')} × {count(len(block.columns), across or 'entry')}"
        at = self._cell_ids[block.name] if bare else None
        yield table(f"{unicode(left_side(block))} ({size})", heads, rows, id=at)

    def _matrix_line(self, block: Block) -> str:
        formula = in_symbols(block)
        written = mathml(left_side(block) if formula is None else formula) + self._badge(block)
        put_in = None if self.hidden.spoils(block) else with_numbers(block, digits=self.digits)
        numbers = mathml(put_in) if put_in is not None and _worth_showing(put_in) else ""
        repeated = REPEATED if self.hidden.repeats(block) else ""
        return self._line(block, written, numbers, repeated, id=self._cell_ids[block.name])

    def _matrix_row(self, block: Block, i: int, columns: list[tuple[int | None, int]]) -> str:
        label = str(block.rows.labels[i])
        cells = []
        for j, _ in columns:
            if j is None:
                cells.append(element("td", "…"))
            elif self.hidden.covers(block):
                name = f"{block.label or block.name}, {block.rows.name} {label}, {block.columns.labels[j]}"
                cells.append(self._blank(block, block.stored[i, j], name))
            else:
                cells.append(self._number(block.stored[i, j]))
        return element("tr", element("th", escape(label), scope="row") + "".join(cells))

    # ----------------------------------------------------------------------------------------------------------- passes

    def _walk(self, step: Step, axis: Axis) -> str:
        """The panel of an iterative step. Each pass is a template: its formulas, and its rows if the tables skip it."""
        n = len(axis)
        pass_indices = (
            range(n) if n <= FIRST_PASSES + LAST_PASSES else [*range(FIRST_PASSES), *range(n - LAST_PASSES, n)]
        )
        more = ""
        if len(pass_indices) < n:
            omitted_passes = f"{axis.name or 'pass'} {axis.labels[FIRST_PASSES]} to {axis.labels[n - LAST_PASSES - 1]}"
            more = element("p", escape(f"Not kept on this page: {omitted_passes}."), class_="pw-kept")
        visible_entries = {i for i, _ in gaps(axis, self.most_rows, self.working.asked)}
        passes = [self._pass(step, axis, i, rows=i not in visible_entries) for i in pass_indices]
        label = of_last(axis.name, axis.labels[0], axis.labels[-1])
        name = f"{step.title or 'Passes'}, {axis.name or 'pass'} by {axis.name or 'pass'}"
        return stepper(name, "walk", len(pass_indices), label, lines(more, *passes))

    def _pass(self, step: Step, axis: Axis, i: int, rows: bool) -> str:
        tables = [cell_table for cell_table in step.tables if cell_table.axis is axis]
        formulas = [
            element("div", self._entry(cell, i), data_for=self._cell_ids[cell.name])
            for cell_table in tables
            for cell in cell_table.cells
            if not self.hidden.covers(cell)
        ]
        skipped = (
            [element("table", self._row(cell_table, axis, i, fill_in=False)) for cell_table in tables] if rows else []
        )
        label = of_last(axis.name, axis.labels[i], axis.labels[-1])
        return element("template", "".join(formulas + skipped), data_entry=i, data_label=label)


def _heading(step_number: int, step: Step) -> str:
    return f"{step_number}. {step.title or 'Working'}"


def _worth_showing(put_in: Box) -> bool:
    """Not a matrix formula that is too wide, nor columns put side by side, which say no more than the table."""
    assert isinstance(put_in, Row)
    formula, value_box = put_in.items[2], put_in.items[-1]
    return formula != value_box and width(put_in) <= WIDEST


def _is(cell: Cell) -> str:
    """``name =``, before a number or a field."""
    return mathml(Row((left_side(cell), Sign("=")))) + "<wbr>"
