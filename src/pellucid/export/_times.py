"""Dates and times before a model: how a raw column is read as a time, and what `DateTimeFeatures` makes of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from pellucid.export._builder import Builder, Feature
from pellucid.export._calendar import (
    CYCLES,
    DAY,
    PLAIN,
    Calendar,
    days_in_month,
    days_since_1970,
    is_between,
    minus,
    plus,
    times,
    whole_part,
)
from pellucid.export._form import (
    MISSING,
    All,
    Call,
    Choose,
    Compare,
    Expression,
    Given,
    Missing,
    Number,
    Product,
    Quotient,
)
from pellucid.export._raw_text import RawText
from pellucid.export._writers import write_step
from pellucid.preprocessing.datetime_features import CYCLIC, DateTimeFeatures
from pellucid.quality.grammars import TimeGrammar, time_grammar

UNREADABLE = Number(math.inf)  # a text that is no time, where the model refuses it
_SINCE_1970 = {"%s": 1e6, "%Q": 1e3}
_ISO_TEXT, _ISO_TIME = TimeGrammar(zone="drop"), TimeGrammar(zone="zero")


@write_step.register(DateTimeFeatures)
def write_times(step: Any, b: Builder) -> None:
    """Columns of numbers for each column of times; the others stay."""
    clocks, made = step._clock_of_, list[Feature]()
    for j, feature in enumerate(b.features):
        if j in step._kept_:
            made.append(replace(feature, value=b.number(feature), place=-1, fill=None))
        elif j in step.features_:
            moment = _moment(b, step, j)
            if j in clocks:
                moment = _joined(b, moment, _moment(b, step, clocks[j]))
            calendar = Calendar(moment, lambda value: b.hold(value, "t"))
            for name in step.features_[j]:
                made += [Feature(f"{feature.label} {end}", value=one) for end, one in _values(b, calendar, name)]
    b.features = made


def _values(b: Builder, calendar: Calendar, name: str) -> list[tuple[str, Expression]]:
    """A feature's values with their names: one, or sine and cosine."""
    if not name.startswith(CYCLIC):
        return [(name, PLAIN[name](calendar))]
    own = name.removeprefix(CYCLIC)
    place, places = CYCLES[own](calendar)
    angle = b.hold(Quotient(Product(Number(2 * math.pi), place), places), "t")
    return [(f"{own} sin", Call("sin", (angle,))), (f"{own} cos", Call("cos", (angle,)))]


def _joined(b: Builder, day: Expression, clock: Expression) -> Expression:
    """The day of one column with the clock of another."""
    midnight = times(DAY, whole_part(day, DAY))
    return b.hold(plus(midnight, minus(clock, times(DAY, whole_part(clock, DAY)))), "t")


def _moment(b: Builder, step: Any, j: int) -> Expression:
    """Microseconds since 1970; what `predict` refuses is refused too."""
    feature, form = b.features[j], step.formats_.get(j)
    if feature.value is not None or feature.fill is not None:
        raise b.refuse(f"column {feature.label!r} must come to DateTimeFeatures as it is in the row")
    own = b.inputs[feature.place]
    if own.raw is not None and own.raw.time is not None:
        return _refused_if_unreadable(b, feature) if own.raw.refuses else Given(feature.place)
    stored = getattr(step, "stored_kinds_", None)
    is_number = form in _SINCE_1970 if stored is None else stored[j] == "number"
    if is_number and form is not None:
        return b.hold(_of_number(b, b.hold(b.number(feature)), form, feature.label), "t")
    grammar = _ISO_TIME if form is None else _ISO_TEXT if form == "ISO 8601" else time_grammar(form, True)
    if grammar is None:
        requirement = f"the times of column {feature.label!r} cannot be written as code"
        raise b.refuse(requirement, f"their form is {form!r}", "make them dates in the form 2024-01-31 before fit")
    raw = RawText() if own.raw is None else own.raw
    if own.kind == "category" or raw.is_value:
        requirement = f"column {feature.label!r} must be read as times or as something else throughout"
        raise b.refuse(requirement, "two steps read it differently")
    b.inputs[feature.place] = replace(own, kind="time", raw=replace(raw, time=grammar, refuses=True))
    return _refused_if_unreadable(b, feature)


def _refused_if_unreadable(b: Builder, feature: Feature) -> Expression:
    x = Given(feature.place)
    is_bad = Compare("==", x, UNREADABLE)
    b.required.append((Choose(((is_bad, Number(MISSING)),), Number(0.0)), feature.label))
    return b.hold(Choose(((is_bad, Number(MISSING)),), x), "t")


def _of_number(b: Builder, x: Expression, form: str, label: str) -> Expression:
    """Times stored as whole numbers; a number that is no such time is missing."""
    if form in _SINCE_1970:
        return Call("floor", (plus(times(_SINCE_1970[form], x), 0.5),))
    if form != "%Y%m%d":
        requirement = f"the times of column {label!r} cannot be written as code"
        raise b.refuse(requirement, f"they are numbers of the form {form!r}", "use '%Y%m%d', '%s' or '%Q'")
    year = b.hold(whole_part(x, 10_000.0), "t")
    month = b.hold(minus(whole_part(x, 100.0), times(100.0, year)), "t")
    day = b.hold(minus(x, times(100.0, whole_part(x, 100.0))), "t")
    is_whole = Compare("==", x, Call("floor", (x,)))
    is_date = (is_between(year, 1.0, 9999.0), is_between(month, 1.0, 12.0))
    day_exists = is_between(day, 1.0, b.hold(days_in_month(year, month), "t"))
    days = days_since_1970(year, month, day, lambda value: b.hold(value, "t"))
    return Choose(
        ((Missing(x), Number(MISSING)), (All((is_whole, *is_date, day_exists)), times(DAY, days))), Number(MISSING)
    )
