"""The cleaning that a report puts before its model: what becomes of the raw cells of each column, remedy by remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pellucid.data.kinds import NUMERIC, Kind, is_missing
from pellucid.export._builder import Builder, Feature
from pellucid.export._form import MISSING, Choose, Compare, Expression, Missing, Number
from pellucid.export._raw_text import NumberGrammar, RawText
from pellucid.export._writers import write_step
from pellucid.quality import Cleaner, Fix
from pellucid.quality.grammars import AmountGrammar, TimeGrammar, amount_grammar, time_grammar


@dataclass
class RawColumn:
    """A column while its remedies are written.

    texts : what texts stand for so far, by the text that the row has; None is a missing value
    number, time : the grammar of its numbers or times, once it was read as such
    value : what it is, once it is a number that a remedy has changed
    """

    feature: Feature
    is_text: bool
    strip: bool = False
    texts: dict[str, str | None] = field(default_factory=dict)
    number: NumberGrammar | AmountGrammar | None = None
    time: TimeGrammar | None = None
    value: Expression | None = None

    @property
    def is_changed(self) -> bool:
        return self.strip or bool(self.texts) or self.is_value

    @property
    def is_value(self) -> bool:
        """Is it no text any more?"""
        return self.number is not None or self.time is not None


@write_step.register(Cleaner)
def write_cleaner(step: Any, b: Builder) -> None:
    """Every column as its remedies leave it; a remedy that reads other rows or columns is refused."""
    columns = {
        feature.label: RawColumn(feature, Kind(kind) not in NUMERIC)
        for feature, kind in zip(b.features, step.stored_kinds_, strict=True)
    }
    for remedy in step.remedies_:
        for name in remedy.columns:
            write = _WRITERS.get(remedy.action)
            if write is None or not write(b, columns[str(name)], remedy):
                raise _refused(b, remedy, name)
    b.features = [_cleaned(b, column) for column in columns.values()]


def _refused(b: Builder, remedy: Fix, name: Any) -> Exception:
    hint = "leave this remedy out of the cleaning, clean the rows before, or predict with the model file"
    requirement = f"the cleaning of column {str(name)!r} cannot be written as code"
    settings = " with these settings" if remedy.settings else ""
    return b.refuse(requirement, f"{remedy.action}{settings} has no form in other languages", hint)


def _cleaned(b: Builder, column: RawColumn) -> Feature:
    feature = column.feature
    if column.is_text and column.is_changed:
        raw = RawText(column.strip, tuple(column.texts.items()), column.number, column.time)
        kind = b.inputs[feature.place].kind if column.time is None else "time"
        b.inputs[feature.place] = replace(b.inputs[feature.place], raw=raw, kind=kind)
    return feature if column.value is None else replace(feature, value=column.value)


# ------------------------------------------------------------------------------------------------------------- remedies

# Each writer returns whether the remedy has a form in other languages, for this column and these settings.


def _trim(b: Builder, column: RawColumn, remedy: Fix) -> bool:
    if not column.is_text:
        return True
    column.strip = True
    return not remedy.settings.get("inner", True) and not column.texts and not column.is_value


def _to_missing(b: Builder, column: RawColumn, remedy: Fix) -> bool:
    values = remedy.settings["values"]
    if not _is_text_still(column):
        return _change_number(b, column, {value: None for value in values if not isinstance(value, str)})
    return _change_text(column, {value: None for value in values if isinstance(value, str)})


def _merge_values(b: Builder, column: RawColumn, remedy: Fix) -> bool:
    pairs = dict(remedy.settings["pairs"])
    if not _is_text_still(column):
        return _change_number(b, column, {before: after for before, after in pairs.items() if before != after})
    texts = {before: after for before, after in pairs.items() if isinstance(before, str)}
    return all(after is None or isinstance(after, str) for after in texts.values()) and _change_text(column, texts)


def _is_text_still(column: RawColumn) -> bool:
    return column.is_text and not column.is_value


def _change_text(column: RawColumn, pairs: dict[str, str | None]) -> bool:
    for before, after in column.texts.items():
        if after in pairs:
            column.texts[before] = pairs[after]
    column.texts |= {before: after for before, after in pairs.items() if before not in column.texts}
    return True


def _change_number(b: Builder, column: RawColumn, pairs: dict[Any, Any]) -> bool:
    """Some numbers become others, or missing."""
    if column.time is not None or not all(
        isinstance(value, bool | int | float) or value is None for pair in pairs.items() for value in pair
    ):
        return False
    x = b.hold(_number(b, column))
    cases = tuple((Compare("==", x, Number(float(before))), _constant(after)) for before, after in pairs.items())
    column.value = Choose(cases, x) if cases else x
    return True


def _constant(value: Any) -> Number:
    return Number(MISSING if is_missing(value) else float(value))


def _number(b: Builder, column: RawColumn) -> Expression:
    return b.number(column.feature) if column.value is None else column.value


def _to_number(b: Builder, column: RawColumn, remedy: Fix) -> bool:
    settings = remedy.settings
    if not _is_text_still(column):
        return True
    if not settings.get("exact", False) or settings.get("words"):
        return False
    decimal, thousands, units = settings.get("decimal", "."), settings.get("thousands", ""), settings.get("units", ())
    column.number = amount_grammar(decimal, thousands, units) if units else NumberGrammar(decimal, thousands)
    return column.number is not None and _marked_as_missing(column, settings)


def _to_time(b: Builder, column: RawColumn, remedy: Fix) -> bool:
    if not _is_text_still(column):
        return True
    settings = remedy.settings
    if not settings.get("exact", False) or len(settings["formats"]) != 1:
        return False
    column.time = time_grammar(settings["formats"][0])
    return column.time is not None and _marked_as_missing(column, settings)


def _marked_as_missing(column: RawColumn, settings: Mapping[str, Any]) -> bool:
    column.texts |= dict.fromkeys(settings.get("missing", ()))
    return all(after is None or isinstance(after, str) for after in column.texts.values())


def _outside_to_missing(b: Builder, column: RawColumn, remedy: Fix) -> bool:
    return _limit(b, column, remedy, to_missing=True)


def _clip(b: Builder, column: RawColumn, remedy: Fix) -> bool:
    return _limit(b, column, remedy, to_missing=False)


def _limit(b: Builder, column: RawColumn, remedy: Fix, to_missing: bool) -> bool:
    if _is_text_still(column) or column.time is not None:
        return False
    x = b.hold(_number(b, column))
    limits = (("<", remedy.settings.get("min")), (">", remedy.settings.get("max")))
    cases = [
        (Compare(sign, x, Number(float(limit))), Number(MISSING if to_missing else float(limit)))  # type: ignore[arg-type]
        for sign, limit in limits
        if limit is not None and np.isfinite(limit)
    ]
    column.value = Choose(tuple(cases), x) if cases else x
    return True


def _impute(b: Builder, column: RawColumn, remedy: Fix) -> bool:
    value = remedy.settings.get("value")
    if _is_text_still(column) or column.time is not None or not isinstance(value, bool | int | float):
        return False
    x = b.hold(_number(b, column))
    column.value = Choose(((Missing(x), Number(float(value))),), x)
    return True


_WRITERS: dict[str, Callable[[Builder, RawColumn, Fix], bool]] = {
    "trim": _trim,
    "to_missing": _to_missing,
    "merge_values": _merge_values,
    "to_number": _to_number,
    "to_time": _to_time,
    "outside_to_missing": _outside_to_missing,
    "clip": _clip,
    "impute": _impute,
}
