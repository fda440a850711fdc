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

from pellucid.base.errors import DataError, ParameterError, sentence, some
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
from pellucid.quality.findings import Remedy

Apply = Callable[["State", Remedy], None]
Settle = Callable[["State", Remedy], Remedy]


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


def check_remedy(remedy: Remedy, names: Sequence[Any], who: str) -> None:
    """Refuses unknown actions, columns and settings."""
    if remedy.action not in ACTIONS:
        near = get_close_matches(remedy.action, ACTIONS, n=1)
        hint = f"did you mean {near[0]!r}" if near else f"there are {some(ACTIONS, 12)}"
        must = "a remedy must be one of the known actions"
        raise ParameterError(sentence(who, must, f"got {remedy.action!r}", hint))
    odd = sorted(set(remedy.settings) - ACTIONS[remedy.action].settings)
    if odd:
        takes = some(sorted(ACTIONS[remedy.action].settings), 10) or "none"
        must = f"the settings of {remedy.action} are {takes}"
        raise ParameterError(sentence(who, must, f"got {some(map(repr, odd))}"))
    absent = [name for name in remedy.columns if name not in names]
    if absent:
        found = f"{remedy} names {some(map(repr, absent))}; there are {some(map(repr, names))}"
        raise DataError(sentence(who, "a remedy must be about columns of the table", found))


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

    def write(self, name: Any, remedy: Remedy, rows: Array, before: list[Any], after: list[Any], kind: Kind) -> None:
        """Changes cells, and says so."""
        cells = self.column(name)
        if len(rows) == 0 and kind == cells.kind:
            return
        after = [None if is_missing(value) else value for value in after]
        cells.put(rows, after, kind)
        self._say(remedy, "cells", name, rows, before, after, kind)

    def map(self, name: Any, remedy: Remedy, change: Callable[[Any], Any], kind: Kind | None = None) -> None:
        """Puts every value of a column through a function."""
        cells = self.column(name)
        rows, before, after = cells.changed_by(change, self.rows)
        self.write(name, remedy, rows, before, after, kind or cells.kind)

    def convert(self, name: Any, remedy: Remedy) -> None:
        """Gives a column another type. The cells whose text says something else afterwards are recorded one by one."""
        cells = self.column(name)
        make, kind = CONVERSIONS[remedy.action]
        values = list(map(make(remedy.settings), cells.values))
        differs = rewrites(remedy.settings)
        pairs = zip(cells.values, values, strict=True)
        other = np.array([differs(before, after) for before, after in pairs] + [False], dtype=bool)
        rows = self.rows[other[cells.codes[self.rows]]]
        codes = cells.codes[rows].tolist()
        before, after = [cells.values[code] for code in codes], [values[code] for code in codes]
        cells.retype(values, kind)
        self._say(remedy, "type", name, rows, before, after, kind)

    def drop_rows(self, remedy: Remedy, gone: Array) -> None:
        """``gone``: positions in the original table."""
        if len(gone):
            self.rows = self.rows[~np.isin(self.rows, gone)]
            self._say(remedy, "rows dropped", None, np.sort(gone))

    def drop_column(self, remedy: Remedy, name: Any) -> None:
        self.names.remove(name)
        self._say(remedy, "column dropped", name, np.empty(0, dtype=np.int64))

    def add_column(self, remedy: Remedy, name: Any, after: Any, cells: list[Any], kind: Kind) -> None:
        """A new column behind another; ``cells`` are those of the rows that are left."""
        whole: list[Any] = [None] * self.table.n_rows
        for row, value in zip(self.rows.tolist(), cells, strict=True):
            whole[row] = value
        self.cells[name] = Cells.of_values(whole, kind)
        self.names.insert(self.names.index(after) + 1, name)
        self._say(remedy, "column added", name, self.rows.copy(), [], cells, kind)

    def _say(
        self,
        remedy: Remedy,
        what: What,
        name: Any,
        rows: Array,
        before: list[Any] | None = None,
        after: list[Any] | None = None,
        kind: Kind = Kind.TEXT,
    ) -> None:
        self.changes.append(Change(self.step, remedy, self.why, what, name, rows, before or [], after or [], kind))


def _words(change: Callable[[str], str]) -> Callable[[Any], Any]:
    """A function of text that leaves other values alone. Text of which nothing is left is missing."""
    return lambda value: (change(value) or None) if isinstance(value, str) else value


# --------------------------------------------------------------------------------------------------------------- text


@_action(1, "sure")
def _repair_encoding(state: State, remedy: Remedy) -> None:
    repaired = formats.repaired_surely if remedy.settings.get("sure", False) else formats.repaired
    for name in remedy.columns:
        state.map(name, remedy, _words(repaired))


@_action(2, "inner")
def _trim(state: State, remedy: Remedy) -> None:
    inner = remedy.settings.get("inner", True)
    for name in remedy.columns:
        state.map(name, remedy, _words(formats.trimmed if inner else formats.stripped))


@_action(3, "characters")
def _remove_characters(state: State, remedy: Remedy) -> None:
    gone = str.maketrans("", "", remedy.settings["characters"])
    for name in remedy.columns:
        state.map(name, remedy, _words(lambda text: formats.trimmed(text.translate(gone), False)))


@_action(4, "values")
def _to_missing(state: State, remedy: Remedy) -> None:
    values = remedy.settings["values"]
    for name in remedy.columns:
        state.map(name, remedy, lambda value: None if any(same_cell(value, gone) for gone in values) else value)


@_action(5, "form")
def _change_case(state: State, remedy: Remedy) -> None:
    form = remedy.settings["form"]
    if form not in ("lower", "upper", "title"):
        raise ParameterError(sentence(state.who, "change_case has forms 'lower', 'upper' and 'title'", f"got {form!r}"))
    for name in remedy.columns:
        state.map(name, remedy, _words(lambda text: getattr(text, form)()))


@_action(6, "pairs")
def _merge_values(state: State, remedy: Remedy) -> None:
    pairs = {(isinstance(before, str), before): after for before, after in remedy.settings["pairs"]}
    for name in remedy.columns:
        state.map(name, remedy, lambda value: pairs.get((isinstance(value, str), value), value))


@_action(6, "rules")
def _extract_value(state: State, remedy: Remedy) -> None:
    """A rule [before, after, value] shortens a text of the first column and puts the value that it held into the second
    one, where that is missing."""
    first, second = remedy.columns
    known = {before: (after, value) for before, after, value in remedy.settings["rules"]}
    texts, before = state.column(first).at(state.rows), state.column(second).at(state.rows)
    hit = [value is None and text in known for text, value in zip(texts, before, strict=True)]
    for name, cells, place in ((first, texts, 0), (second, before, 1)):
        after = [known[text][place] if is_hit else cell for text, cell, is_hit in zip(texts, cells, hit, strict=True)]
        _write_differing(state, name, remedy, cells, after)


# -------------------------------------------------------------------------------------------------------------- kinds


@_action(TYPES, "decimal thousands units words exact missing whole keep_text limits")
def _to_number(state: State, remedy: Remedy) -> None:
    for name in remedy.columns:
        state.convert(name, remedy)


@_action(TYPES, "formats exact missing")
def _to_time(state: State, remedy: Remedy) -> None:
    for name in remedy.columns:
        state.convert(name, remedy)


@_action(TYPES, "true false")
def _to_flag(state: State, remedy: Remedy) -> None:
    for name in remedy.columns:
        state.convert(name, remedy)


# -------------------------------------------------------------------------------------------------------------- numbers


def _limits(remedy: Remedy) -> tuple[float, float]:
    low, high = remedy.settings.get("min"), remedy.settings.get("max")
    return -np.inf if low is None else low, np.inf if high is None else high


def _refuse_words(state: State, name: Any, remedy: Remedy) -> None:
    if state.column(name).kind not in NUMERIC:
        must, hint = f"{remedy.action} is for columns of numbers", "to_number makes numbers of text"
        raise DataError(sentence(state.who, must, f"column {name!r} holds {state.column(name).kind}", hint))


@_action(8, "min max")
def _outside_to_missing(state: State, remedy: Remedy) -> None:
    low, high = _limits(remedy)
    for name in remedy.columns:
        _refuse_words(state, name, remedy)
        state.map(name, remedy, lambda value: value if is_missing(value) or low <= value <= high else None)


@_action(8, "min max")
def _clip(state: State, remedy: Remedy) -> None:
    low, high = _limits(remedy)
    for name in remedy.columns:
        _refuse_words(state, name, remedy)
        state.map(name, remedy, lambda value: value if is_missing(value) else _clipped(value, low, high))


def _clipped(value: Any, low: float, high: float) -> Any:
    return value if low <= value <= high else float(min(max(value, low), high))


# -------------------------------------------------------------------------------------------------------- other columns


def _settle_group(state: State, remedy: Remedy) -> Remedy:
    """The value that more than half of a group's rows have, for each group."""
    if "pairs" in remedy.settings:
        return remedy
    (name,), key = remedy.columns, remedy.settings["key"]
    keys, cells = state.column(key).at(state.rows), state.column(name).at(state.rows)
    groups: dict[Any, Counter[Any]] = {}
    for group, value in zip(keys, cells, strict=True):
        if group is not None and value is not None:
            groups.setdefault(group, Counter())[value] += 1
    pairs = [[group, most] for group, seen in groups.items() for most, n in seen.most_common(1) if 2 * n > seen.total()]
    return Remedy(remedy.action, remedy.columns, {**remedy.settings, "pairs": pairs})


@_action(9, "key broken fill pairs", settle=_settle_group)
def _by_group(state: State, remedy: Remedy) -> None:
    (name,), known = remedy.columns, dict(remedy.settings["pairs"])
    broken, fill = remedy.settings.get("broken", True), remedy.settings.get("fill", True)
    keys, before = state.column(remedy.settings["key"]).at(state.rows), state.column(name).at(state.rows)
    after = [
        known.get(group, value) if (fill if value is None else broken) else value
        for group, value in zip(keys, before, strict=True)
    ]
    _write_differing(state, name, remedy, before, after)


@_action(9, "rules")
def _replace_where(state: State, remedy: Remedy) -> None:
    """A rule [column, key, before, after] replaces a value in the rows where another column has a certain value."""
    (name,) = remedy.columns
    before = state.column(name).at(state.rows)
    after = list(before)
    for key, known in _rules_by_key(remedy).items():
        for i, group in enumerate(state.column(key).at(state.rows)):
            if group is not None and (rule := known.get((group, before[i]))) is not None:
                after[i] = rule
    _write_differing(state, name, remedy, before, after)


def _rules_by_key(remedy: Remedy) -> dict[Any, dict[tuple[Any, Any], Any]]:
    by_key: dict[Any, dict[tuple[Any, Any], Any]] = {}
    for key, group, before, after in remedy.settings["rules"]:
        by_key.setdefault(key, {})[(group, before)] = after
    return by_key


_RELATIONS: dict[str, Callable[[float, float], float]] = {
    "product": lambda a, b: a * b,
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "quotient": lambda a, b: a / b if b else np.nan,
}


@_action(9, "relation of broken fill")
def _fill_from(state: State, remedy: Remedy) -> None:
    (name,), settings = remedy.columns, remedy.settings
    if settings["relation"] not in _RELATIONS:
        raise ParameterError(
            sentence(state.who, f"relation must be one of {some(_RELATIONS)}", f"got {settings['relation']!r}")
        )
    for used in (name, *settings["of"]):
        _refuse_words(state, used, remedy)
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
    _write_differing(state, name, remedy, before, after)


def _write_differing(state: State, name: Any, remedy: Remedy, before: list[Any], after: list[Any]) -> None:
    hit = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if not same_cell(a, b)]
    kind = state.column(name).kind
    state.write(name, remedy, state.rows[hit], [before[i] for i in hit], [after[i] for i in hit], kind)


def _settle_impute(state: State, remedy: Remedy) -> Remedy:
    """What is filled in becomes a constant."""
    from pellucid.impute import SimpleImputer

    if remedy.settings.get("strategy", "auto") == "constant":
        if "value" not in remedy.settings:
            raise ParameterError(sentence(state.who, "impute with a constant needs its value", "got none"))
        return remedy
    (name,) = remedy.columns
    cells = state.column(name).at(state.rows)
    if all(value is None for value in cells):
        return Remedy(remedy.action, remedy.columns, {"strategy": "constant", "value": None})
    numeric = state.column(name).kind in NUMERIC
    column = (
        np.array([np.nan if value is None else float(value) for value in cells])
        if numeric
        else objects(np.nan if value is None else value for value in cells)
    )
    imputer = SimpleImputer(strategy=remedy.settings.get("strategy", "auto")).fit(column.reshape(-1, 1))
    value = plain_value(imputer.statistics_[0])
    value = bool(value >= 0.5) if state.column(name).kind == Kind.FLAG else value
    return Remedy(remedy.action, remedy.columns, {"strategy": "constant", "value": value})


@_action(12, "strategy value", settle=_settle_impute)
def _impute(state: State, remedy: Remedy) -> None:
    value = remedy.settings["value"]
    for name in remedy.columns:
        before = state.column(name).at(state.rows)
        _write_differing(state, name, remedy, before, [value if cell is None else cell for cell in before])


# --------------------------------------------------------------------------------------------------- rows and columns


@_action(10, "keep", keeps_rows=False)
def _drop_duplicates(state: State, remedy: Remedy) -> None:
    keep = remedy.settings.get("keep", "first")
    if keep not in ("first", "last"):
        raise ParameterError(sentence(state.who, "drop_duplicates keeps 'first' or 'last'", f"got {keep!r}"))
    found = exact_duplicates(state.now(), columns=list(remedy.columns) or None)
    gone = [row for group in found.groups for row in (group[1:] if keep == "first" else group[:-1])]
    state.drop_rows(remedy, state.rows[np.sort(np.array(gone, dtype=np.int64))])


@_action(11, "threshold", keeps_rows=False)
def _drop_near_duplicates(state: State, remedy: Remedy) -> None:
    found = near_duplicates(state.now(), columns=list(remedy.columns) or None, **remedy.settings)
    gone = [row for group in found.groups for row in group[1:]]
    state.drop_rows(remedy, state.rows[np.sort(np.array(gone, dtype=np.int64))])


@_action(11, keeps_rows=False)
def _drop_rows_missing(state: State, remedy: Remedy) -> None:
    names = remedy.columns or tuple(state.names)
    gone = np.zeros(len(state.rows), dtype=bool)
    for name in names:
        gone |= state.column(name).codes[state.rows] < 0
    state.drop_rows(remedy, state.rows[gone])


@_action(13, "features")
def _split_time(state: State, remedy: Remedy) -> None:
    from pellucid.preprocessing import DateTimeFeatures

    for name in remedy.columns:
        if state.column(name).kind != Kind.TIME:
            must, hint = "split_time is for columns of times", "to_time makes times of text"
            raise DataError(sentence(state.who, must, f"column {name!r} holds {state.column(name).kind}", hint))
        cells = state.column(name).at(state.rows)
        times = np.array([np.datetime64("NaT") if value is None else value for value in cells], dtype="datetime64[us]")
        splitter = DateTimeFeatures(features=remedy.settings["features"])
        numbers = splitter.fit_transform(times.reshape(-1, 1))
        for j, feature in reversed(list(enumerate(remedy.settings["features"]))):
            values = [None if np.isnan(value) else value for value in np.asarray(numbers)[:, j].astype(float).tolist()]
            state.add_column(remedy, f"{name}_{feature}", name, values, Kind.NUMBER)
        state.drop_column(remedy, name)


@_action(14)
def _drop_column(state: State, remedy: Remedy) -> None:
    for name in remedy.columns:
        state.drop_column(remedy, name)
