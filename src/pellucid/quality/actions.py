"""What `Cleaner` can do to a table, one function an action.

An action gets the table as it stands, a remedy with its settings and says what it changes; nothing else writes. Where
it has to learn from the table first (what to fill in, which value a group has), a second function turns the remedy into
one that holds what was learned, so that a list of remedies is all there is to remember.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, join_some
from pellucid.base.types import Array
from pellucid.data.coding import objects
from pellucid.data.frames import NewColumn, rebuilt
from pellucid.data.kinds import NUMERIC, Kind, is_missing
from pellucid.data.table import Table
from pellucid.quality import formats
from pellucid.quality.cells import Cells, plain_value, same_cell
from pellucid.quality.change import Change, What
from pellucid.quality.conversions import CONVERSIONS, rewrites
from pellucid.quality.duplicates import exact_duplicates, near_duplicates
from pellucid.quality.findings import Fix

Apply = Callable[["State", Fix], None]
Settle = Callable[["State", Fix], Fix]


@dataclass(frozen=True)
class Action:
    """One thing that can be done.

    stage : when it is done, if the order is not given: text is put right before it is read as numbers, and so on
    keeps_rows : False if it drops rows
    """

    name: str
    stage: int
    apply: Apply
    settings: frozenset[str]
    keeps_rows: bool = True
    settle: Settle | None = None


ACTIONS: dict[str, Action] = {}
TYPES = 7  # the stage in which columns of text get other types


def _action(
    stage: int, settings: str = "", *, keeps_rows: bool = True, settle: Settle | None = None
) -> Callable[[Apply], Apply]:
    def register(apply: Apply) -> Apply:
        name = apply.__name__.lstrip("_")
        ACTIONS[name] = Action(name, stage, apply, frozenset(settings.split()), keeps_rows, settle)
        return apply

    return register


def check_remedy(fix: Fix, names: Sequence[Any], who: str) -> None:
    """Refuses unknown actions, columns and settings."""
    if fix.action not in ACTIONS:
        near = get_close_matches(fix.action, ACTIONS, n=1)
        hint = f"did you mean {near[0]!r}" if near else f"there are {join_some(ACTIONS, 12)}"
        requirement = "a remedy must be one of the known actions"
        raise ParameterError(format_message(who, requirement, actual=f"got {fix.action!r}", hint=hint))
    odd = sorted(set(fix.settings) - ACTIONS[fix.action].settings)
    if odd:
        takes = join_some(sorted(ACTIONS[fix.action].settings), 10) or "none"
        requirement = f"the settings of {fix.action} are {takes}"
        raise ParameterError(format_message(who, requirement, actual=f"got {join_some(map(repr, odd))}"))
    absent = [name for name in fix.columns if name not in names]
    if absent:
        actual = f"{fix} names {join_some(map(repr, absent))}; there are {join_some(map(repr, names))}"
        raise DataError(format_message(who, "a remedy must be about columns of the table", actual=actual))


@dataclass
class State:
    """A table while it is being cleaned. The table itself is never written to."""

    table: Table
    who: str
    names: list[Any]
    rows: Array
    cells: dict[Any, Cells] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    step: int = 0
    why: str = ""

    @classmethod
    def of(cls, table: Table, who: str) -> State:
        names = list(table.names) if table.names is not None else [f"x{j}" for j in range(table.n_cols)]
        return cls(table, who, names, np.arange(table.n_rows))

    def column(self, name: Any) -> Cells:
        """A column as it stands now."""
        if name not in self.cells:
            self.cells[name] = Cells.of(self.table, self._original.index(name))
        return self.cells[name]

    @property
    def _original(self) -> list[Any]:
        table = self.table
        return list(table.names) if table.names is not None else [f"x{j}" for j in range(table.n_cols)]

    @property
    def touched(self) -> set[Any]:
        return {change.column for change in self.changes if change.what in ("cells", "type", "column added")}

    def now(self) -> Any:
        """The table as it stands, in the library that it came in."""
        touched = self.touched
        new = {
            name: NewColumn(self.cells[name].at(self.rows), self.cells[name].kind)
            for name in self.names
            if name in touched
        }
        return rebuilt(self.table, self.rows if len(self.rows) < self.table.n_rows else None, self.names, new)

    def write(self, name: Any, fix: Fix, rows: Array, before: list[Any], after: list[Any], kind: Kind) -> None:
        """Changes cells, and says so."""
        cells = self.column(name)
        if len(rows) == 0 and kind == cells.kind:
            return
        after = [None if is_missing(value) else value for value in after]
        cells.put(rows, after, kind)
        self._say(fix, "cells", name, rows, before, after, kind)

    def map(self, name: Any, fix: Fix, change: Callable[[Any], Any], kind: Kind | None = None) -> None:
        """Puts every value of a column through a function."""
        cells = self.column(name)
        rows, before, after = cells.changed_by(change, self.rows)
        self.write(name, fix, rows, before, after, kind or cells.kind)

    def convert(self, name: Any, fix: Fix) -> None:
        """Gives a column another type. The cells whose text says something else afterward are recorded one by one."""
        cells = self.column(name)
        make, kind = CONVERSIONS[fix.action]
        values = list(map(make(fix.settings), cells.values))
        differs = rewrites(fix.settings)
        pairs = zip(cells.values, values, strict=True)
        is_rewritten = np.array([differs(before, after) for before, after in pairs] + [False], dtype=bool)
        rows = self.rows[is_rewritten[cells.codes[self.rows]]]
        codes = cells.codes[rows].tolist()
        before, after = [cells.values[code] for code in codes], [values[code] for code in codes]
        cells.retype(values, kind)
        self._say(fix, "type", name, rows, before, after, kind)

    def drop_rows(self, fix: Fix, positions: Array) -> None:
        """``gone``: positions in the original table."""
        if len(positions):
            self.rows = self.rows[~np.isin(self.rows, positions)]
            self._say(fix, "rows dropped", None, np.sort(positions))

    def drop_column(self, fix: Fix, name: Any) -> None:
        self.names.remove(name)
        self._say(fix, "column dropped", name, np.empty(0, dtype=np.int64))

    def add_column(self, fix: Fix, name: Any, after: Any, cells: list[Any], kind: Kind) -> None:
        """A new column behind another; ``cells`` are those of the rows that are left."""
        column_cells: list[Any] = [None] * self.table.n_rows
        for row, value in zip(self.rows.tolist(), cells, strict=True):
            column_cells[row] = value
        self.cells[name] = Cells.of_values(column_cells, kind)
        self.names.insert(self.names.index(after) + 1, name)
        self._say(fix, "column added", name, self.rows.copy(), [], cells, kind)

    def _say(
        self,
        fix: Fix,
        what: What,
        name: Any,
        rows: Array,
        before: list[Any] | None = None,
        after: list[Any] | None = None,
        kind: Kind = Kind.TEXT,
    ) -> None:
        self.changes.append(Change(self.step, fix, self.why, what, name, rows, before or [], after or [], kind))


def _words(change: Callable[[str], str]) -> Callable[[Any], Any]:
    """A function of text that leaves other values alone. Text of which nothing is left is missing."""
    return lambda value: (change(value) or None) if isinstance(value, str) else value


# --------------------------------------------------------------------------------------------------------------- text


@_action(1, "sure")
def _repair_encoding(state: State, fix: Fix) -> None:
    repaired = formats.repaired_surely if fix.settings.get("sure", False) else formats.repaired
    for name in fix.columns:
        state.map(name, fix, _words(repaired))


@_action(2, "inner")
def _trim(state: State, fix: Fix) -> None:
    inner = fix.settings.get("inner", True)
    for name in fix.columns:
        state.map(name, fix, _words(formats.trimmed if inner else formats.stripped))


@_action(3, "characters")
def _remove_characters(state: State, fix: Fix) -> None:
    deletions = str.maketrans("", "", fix.settings["characters"])
    for name in fix.columns:
        state.map(name, fix, _words(lambda text: formats.trimmed(text.translate(deletions), False)))


@_action(4, "values")
def _to_missing(state: State, fix: Fix) -> None:
    values = fix.settings["values"]
    for name in fix.columns:
        state.map(
            name, fix, lambda value: None if any(same_cell(value, placeholder) for placeholder in values) else value
        )


@_action(5, "form")
def _change_case(state: State, fix: Fix) -> None:
    form = fix.settings["form"]
    if form not in ("lower", "upper", "title"):
        raise ParameterError(
            format_message(state.who, "change_case has forms 'lower', 'upper' and 'title'", actual=f"got {form!r}")
        )
    for name in fix.columns:
        state.map(name, fix, _words(lambda text: getattr(text, form)()))


@_action(6, "pairs")
def _merge_values(state: State, fix: Fix) -> None:
    pairs = {(isinstance(before, str), before): after for before, after in fix.settings["pairs"]}
    for name in fix.columns:
        state.map(name, fix, lambda value: pairs.get((isinstance(value, str), value), value))


@_action(6, "rules")
def _extract_value(state: State, fix: Fix) -> None:
    """A rule [before, after, value] shortens a text of the first column and puts the value that it held into the second
    one, where that is missing."""
    first, second = fix.columns
    replacements = {before: (after, value) for before, after, value in fix.settings["rules"]}
    texts, before = state.column(first).at(state.rows), state.column(second).at(state.rows)
    hit = [value is None and text in replacements for text, value in zip(texts, before, strict=True)]
    for name, cells, index in ((first, texts, 0), (second, before, 1)):
        after = [
            replacements[text][index] if is_hit else cell for text, cell, is_hit in zip(texts, cells, hit, strict=True)
        ]
        _write_differing(state, name, fix, cells, after)


# -------------------------------------------------------------------------------------------------------------- kinds


@_action(TYPES, "decimal thousands units words exact missing whole keep_text limits")
def _to_number(state: State, fix: Fix) -> None:
    for name in fix.columns:
        state.convert(name, fix)


@_action(TYPES, "formats exact missing")
def _to_time(state: State, fix: Fix) -> None:
    for name in fix.columns:
        state.convert(name, fix)


@_action(TYPES, "true false")
def _to_flag(state: State, fix: Fix) -> None:
    for name in fix.columns:
        state.convert(name, fix)


# -------------------------------------------------------------------------------------------------------------- numbers


def _limits(fix: Fix) -> tuple[float, float]:
    low, high = fix.settings.get("min"), fix.settings.get("max")
    return -np.inf if low is None else low, np.inf if high is None else high


def _refuse_words(state: State, name: Any, fix: Fix) -> None:
    if state.column(name).kind not in NUMERIC:
        requirement, hint = f"{fix.action} is for columns of numbers", "to_number makes numbers of text"
        raise DataError(
            format_message(state.who, requirement, actual=f"column {name!r} holds {state.column(name).kind}", hint=hint)
        )


@_action(8, "min max")
def _outside_to_missing(state: State, fix: Fix) -> None:
    low, high = _limits(fix)
    for name in fix.columns:
        _refuse_words(state, name, fix)
        state.map(name, fix, lambda value: value if is_missing(value) or low <= value <= high else None)


@_action(8, "min max")
def _clip(state: State, fix: Fix) -> None:
    low, high = _limits(fix)
    for name in fix.columns:
        _refuse_words(state, name, fix)
        state.map(name, fix, lambda value: value if is_missing(value) else _clipped(value, low, high))


def _clipped(value: Any, low: float, high: float) -> Any:
    return value if low <= value <= high else float(min(max(value, low), high))


# -------------------------------------------------------------------------------------------------------- other columns


def _settle_group(state: State, fix: Fix) -> Fix:
    """The value that more than half of a group's rows have, for each group."""
    if "pairs" in fix.settings:
        return fix
    (name,), key = fix.columns, fix.settings["key"]
    keys, cells = state.column(key).at(state.rows), state.column(name).at(state.rows)
    groups: dict[Any, Counter[Any]] = {}
    for group, value in zip(keys, cells, strict=True):
        if group is not None and value is not None:
            groups.setdefault(group, Counter())[value] += 1
    pairs = [
        [group, mode] for group, counts in groups.items() for mode, n in counts.most_common(1) if 2 * n > counts.total()
    ]
    return Fix(fix.action, fix.columns, {**fix.settings, "pairs": pairs})


@_action(9, "key broken fill pairs", settle=_settle_group)
def _by_group(state: State, fix: Fix) -> None:
    (name,), value_of_group = fix.columns, dict(fix.settings["pairs"])
    broken, fill = fix.settings.get("broken", True), fix.settings.get("fill", True)
    keys, before = state.column(fix.settings["key"]).at(state.rows), state.column(name).at(state.rows)
    after = [
        value_of_group.get(group, value) if (fill if value is None else broken) else value
        for group, value in zip(keys, before, strict=True)
    ]
    _write_differing(state, name, fix, before, after)


@_action(9, "rules")
def _replace_where(state: State, fix: Fix) -> None:
    """A rule [column, key, before, after] replaces a value in the rows where another column has a certain value."""
    (name,) = fix.columns
    before = state.column(name).at(state.rows)
    after = list(before)
    for key, replacements in _rules_by_key(fix).items():
        for i, group in enumerate(state.column(key).at(state.rows)):
            if group is not None and (rule := replacements.get((group, before[i]))) is not None:
                after[i] = rule
    _write_differing(state, name, fix, before, after)


def _rules_by_key(fix: Fix) -> dict[Any, dict[tuple[Any, Any], Any]]:
    by_key: dict[Any, dict[tuple[Any, Any], Any]] = {}
    for key, group, before, after in fix.settings["rules"]:
        by_key.setdefault(key, {})[(group, before)] = after
    return by_key


_RELATIONS: dict[str, Callable[[float, float], float]] = {
    "product": lambda a, b: a * b,
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "quotient": lambda a, b: a / b if b else np.nan,
}


@_action(9, "relation of broken fill")
def _fill_from(state: State, fix: Fix) -> None:
    (name,), settings = fix.columns, fix.settings
    if settings["relation"] not in _RELATIONS:
        raise ParameterError(
            format_message(
                state.who, f"relation must be one of {join_some(_RELATIONS)}", actual=f"got {settings['relation']!r}"
            )
        )
    for used in (name, *settings["of"]):
        _refuse_words(state, used, fix)
    first, second = (state.column(used).at(state.rows) for used in settings["of"])
    before = state.column(name).at(state.rows)
    after = list(before)
    fill, broken = settings.get("fill", True), settings.get("broken", False)
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        if a is None or b is None or not (fill if before[i] is None else broken):
            continue
        value = float(f"{_RELATIONS[settings['relation']](a, b):.12g}")  # 3 x 0.1 is 0.3
        if np.isfinite(value) and (before[i] is None or abs(before[i] - value) > 1e-9 * max(abs(value), 1.0)):
            after[i] = value
    _write_differing(state, name, fix, before, after)


def _write_differing(state: State, name: Any, fix: Fix, before: list[Any], after: list[Any]) -> None:
    hit = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if not same_cell(a, b)]
    kind = state.column(name).kind
    state.write(name, fix, state.rows[hit], [before[i] for i in hit], [after[i] for i in hit], kind)


def _settle_impute(state: State, fix: Fix) -> Fix:
    """What is filled in becomes a constant."""
    from pellucid.impute import SimpleImputer

    if fix.settings.get("strategy", "auto") == "constant":
        if "value" not in fix.settings:
            raise ParameterError(format_message(state.who, "impute with a constant needs its value", actual="got none"))
        return fix
    (name,) = fix.columns
    cells = state.column(name).at(state.rows)
    if all(value is None for value in cells):
        return Fix(fix.action, fix.columns, {"strategy": "constant", "value": None})
    numeric = state.column(name).kind in NUMERIC
    column = (
        np.array([np.nan if value is None else float(value) for value in cells])
        if numeric
        else objects(np.nan if value is None else value for value in cells)
    )
    imputer = SimpleImputer(strategy=fix.settings.get("strategy", "auto")).fit(column.reshape(-1, 1))
    value = plain_value(imputer.statistics_[0])
    value = bool(value >= 0.5) if state.column(name).kind == Kind.FLAG else value
    return Fix(fix.action, fix.columns, {"strategy": "constant", "value": value})


@_action(12, "strategy value", settle=_settle_impute)
def _impute(state: State, fix: Fix) -> None:
    value = fix.settings["value"]
    for name in fix.columns:
        before = state.column(name).at(state.rows)
        _write_differing(state, name, fix, before, [value if cell is None else cell for cell in before])


# --------------------------------------------------------------------------------------------------- rows and columns


@_action(10, "keep", keeps_rows=False)
def _drop_duplicates(state: State, fix: Fix) -> None:
    keep = fix.settings.get("keep", "first")
    if keep not in ("first", "last"):
        raise ParameterError(
            format_message(state.who, "drop_duplicates keeps 'first' or 'last'", actual=f"got {keep!r}")
        )
    duplicates = exact_duplicates(state.now(), columns=list(fix.columns) or None)
    positions = [row for group in duplicates.groups for row in (group[1:] if keep == "first" else group[:-1])]
    state.drop_rows(fix, state.rows[np.sort(np.array(positions, dtype=np.int64))])


@_action(11, "threshold", keeps_rows=False)
def _drop_near_duplicates(state: State, fix: Fix) -> None:
    duplicates = near_duplicates(state.now(), columns=list(fix.columns) or None, **fix.settings)
    positions = [row for group in duplicates.groups for row in group[1:]]
    state.drop_rows(fix, state.rows[np.sort(np.array(positions, dtype=np.int64))])


@_action(11, keeps_rows=False)
def _drop_rows_missing(state: State, fix: Fix) -> None:
    names = fix.columns or tuple(state.names)
    is_missing = np.zeros(len(state.rows), dtype=bool)
    for name in names:
        is_missing |= state.column(name).codes[state.rows] < 0
    state.drop_rows(fix, state.rows[is_missing])


@_action(13, "features")
def _split_time(state: State, fix: Fix) -> None:
    from pellucid.preprocessing import DateTimeFeatures

    for name in fix.columns:
        if state.column(name).kind != Kind.TIME:
            requirement, hint = "split_time is for columns of times", "to_time makes times of text"
            raise DataError(
                format_message(
                    state.who, requirement, actual=f"column {name!r} holds {state.column(name).kind}", hint=hint
                )
            )
        cells = state.column(name).at(state.rows)
        times = np.array([np.datetime64("NaT") if value is None else value for value in cells], dtype="datetime64[us]")
        splitter = DateTimeFeatures(features=fix.settings["features"])
        numbers = splitter.fit_transform(times.reshape(-1, 1))
        for j, feature in reversed(list(enumerate(fix.settings["features"]))):
            values = [None if np.isnan(value) else value for value in np.asarray(numbers)[:, j].astype(float).tolist()]
            state.add_column(fix, f"{name}_{feature}", name, values, Kind.NUMBER)
        state.drop_column(fix, name)


@_action(14)
def _drop_column(state: State, fix: Fix) -> None:
    for name in fix.columns:
        state.drop_column(fix, name)
