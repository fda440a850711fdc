"""Dates and times taken apart, from the days since 1970 and the seconds since midnight."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Flags
from pellucid.preprocessing._clock import Reader
from pellucid.preprocessing.datetime_features import (
    CYCLIC,
    PLAIN,
    Calendar,
    feature_columns,
    possible_parts,
)
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import cos, floor, max_, min_, pi, sin, where
from pellucid.working.model import Working
from pellucid.working.shown.boolean_encoding import objects_of

MOST_COLUMNS = 12
# Days from 1 March of the year 0 to 1970-01-01, and in 400 years.
SHIFT, ERA = 719_468.0, 146_097.0
CALENDAR = (
    "The calendar repeats after 400 years of 146,097 days. Years are taken to begin in March, so that a leap day is "
    "their last: months then have 31, 30, 31, 30, 31 days over and over, 153 in five."
)


@shows("DateTimeFeatures.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    w.title = "Dates and times: what varies"
    w.intro = "A fit finds the columns that hold times, and which parts of them differ from row to row."
    d = model._validate_predict(data.table)
    names = d.column_labels()
    reader = Reader(d.table, d.who)
    w.step("Columns", "Times become numbers; columns of numbers stay as they are.")
    axis = Axis("column", names, "j", "p")
    times = w.given("times", np.array([float(j in model._times_in(d, reader)) for j in range(d.n_cols)]), axis)
    times.symbol, times.label = "t", "holds times?"
    w.check(times, [float(j in model.columns_) for j in range(d.n_cols)], "columns_")
    for j in model.columns_[:MOST_COLUMNS]:
        moments = model._moments(d, reader, j)
        calendar, is_known = Calendar.of(moments), ~moments.missing
        names_possible = possible_parts(moments)
        if not is_known.any() or not names_possible:
            continue
        w.step(f"Column {names[j]}", "The smallest and the largest value of each part.")
        rows = data.row_axis if is_known.all() else _rows_with_time(is_known, j)
        columns = []
        for name in names_possible:
            values = PLAIN[name](calendar)[is_known].astype(np.float64)
            columns.append(w.given(f"{name}_{j + 1}", values, rows, symbol=rf"\text{{{name}}}", label=name))
        for name, x in zip(names_possible, columns, strict=True):
            words = name.replace("_", " ")
            low = w.cell(f"low_{name}_{j + 1}", min_(x), symbol=rf"\text{{low {words}}}", label=f"smallest {words}")
            high = w.cell(f"high_{name}_{j + 1}", max_(x), symbol=rf"\text{{high {words}}}", label=f"largest {words}")
            varies = w.cell(
                f"varies_{name}_{j + 1}", where(high > low, 1, 0), symbol=rf"\text{{{words} varies}}",
                label=f"does the {words} vary?",
            )  # fmt: skip
            if isinstance(model.features, str):
                w.check(varies, float(name in model.features_[j]), "features_")


def _rows_with_time(is_known: Flags, j: int) -> Axis:
    return Axis("row", (np.flatnonzero(is_known) + 1).tolist(), "i", "n")


@dataclass
class Shown:
    """The parts of a column of times that are on the page already."""

    w: Working
    tag: str
    title: str
    days: Cell
    clock: Cell
    alone: bool = False
    known: dict[str, Cell] = field(default_factory=dict)

    def cell(self, name: str, source: Any, symbol: str, label: str, **tied: Any) -> Cell:
        if name not in self.known:
            mark = "" if self.alone else f"_{{{self.tag}}}"
            if name.startswith("thursday_"):
                symbol, label = f"{symbol}^T", f"{label}, of the Thursday"
            self.known[name] = self.w.cell(f"{name}_{self.tag}", source, symbol=symbol + mark, label=label, **tied)
        elif tied:
            self.w.check(self.known[name], tied["equals"], tied["attribute"])
        return self.known[name]

    def civil(self, name: str, days: Expr) -> tuple[Cell, Cell, Cell]:
        """Year, month and day of a day's number, in years that begin in March: a leap day is then the last."""
        if f"{name}year" not in self.known:
            self.w.step(f"{'Thursday of the week' if name else 'Year, month and day'} of {self.title}", CALENDAR)
        z = self.cell(f"{name}shifted", days + SHIFT, "z", "days since 1 March of the year 0")
        era = self.cell(f"{name}era", floor(z / ERA), r"\text{era}", "periods of 400 years before it")
        e = self.cell(f"{name}day_of_era", z - ERA * era, "e", "day of the 400 years")
        years = floor((e - floor(e / 1460) + floor(e / 36524) - floor(e / 146096)) / 365)
        y = self.cell(f"{name}year_of_era", years, "g", "year of the 400 years")
        t = self.cell(f"{name}day_from_march", e - (365 * y + floor(y / 4) - floor(y / 100)), "u", "day since 1 March")
        m = self.cell(f"{name}month_from_march", floor((5 * t + 2) / 153), "q", "month since March")
        month = self.cell(f"{name}month", where(m < 10, m + 3, m - 9), r"\text{month}", "month")
        year = self.cell(f"{name}year", y + 400 * era + where(month <= 2, 1, 0), r"\text{year}", "year")
        day = self.cell(f"{name}day", t - floor((153 * m + 2) / 5) + 1, r"\text{day}", "day")
        return year, month, day

    def leap(self, name: str, year: Cell) -> Cell:
        fits = [where(floor(year / n) * n - year >= 0, 1, 0) for n in (4, 100, 400)]
        return self.cell(f"{name}leap", fits[0] - fits[1] + fits[2], r"\text{leap}", "leap year?")

    def day_of_year(self, name: str, days: Expr) -> Cell:
        year, month, day = self.civil(name, days)
        before = floor(275 * month / 9) - (2 - self.leap(name, year)) * floor((month + 9) / 12) - 30
        return self.cell(f"{name}day_of_year", before + day, r"\text{yday}", "day of the year")

    def part(self, name: str) -> Expr:
        """A part of the time by its name, in terms of days and seconds."""
        if name in ("year", "month", "day"):
            return self.civil("", self.days)[("year", "month", "day").index(name)]
        if name == "hour":
            return floor(self.clock / 3600)
        if name == "minute":
            return floor(self.clock / 60) - 60 * floor(self.clock / 3600)
        if name == "second":
            return floor(self.clock) - 60 * floor(self.clock / 60)
        if name == "day_of_week":
            return self.days + 3 - 7 * floor((self.days + 3) / 7)
        if name == "is_weekend":
            return where(self._week_day() >= 5, 1, 0)
        if name == "quarter":
            return floor((self.civil("", self.days)[1] + 2) / 3)
        if name == "day_of_year":
            return self.day_of_year("", self.days)
        if name == "week":
            thursday = self.cell("thursday", self.days - self._week_day() + 3, "h", "Thursday of its week")
            return floor((self.day_of_year("thursday_", thursday) - 1) / 7) + 1
        return 86_400 * self.days + self.clock

    def _week_day(self) -> Cell:
        return self.cell("day_of_week", self.part("day_of_week"), r"\text{wday}", "day of the week")

    def angle(self, name: str) -> Expr:
        """The angle of a part that begins anew after some places."""
        lengths = {"month": 12.0, "hour": 24.0, "minute": 60.0, "second": 60.0, "day_of_week": 7.0}
        value = self.cell(name, self.part(name), rf"\text{{{name}}}", name.replace("_", " "))
        offset: Expr = value - 1 if name in ("month", "day", "day_of_year") else value
        if name == "day":
            year, month, _ = self.civil("", self.days)
            # 31 days in odd months up to July, in even ones after it
            longer = where(month <= 7, month - 2 * floor(month / 2), 1 - month + 2 * floor(month / 2))
            size = where(month <= 2, where(month < 2, 31, 28 + self.leap("", year)), 30 + longer)
            return 2 * pi() * offset / self.cell("days_in_month", size, "d", "days of the month")
        if name == "day_of_year":
            year, _, _ = self.civil("", self.days)
            return 2 * pi() * offset / (365 + self.leap("", year))
        return 2 * pi() * offset / lengths[name]


@shows("DateTimeFeatures.transform")
def transform(w: Working, model: Any, data: Given) -> None:
    w.title = "Dates and times as numbers"
    w.intro = "Every part follows from two numbers: the days since 1 January 1970 and the seconds since midnight."
    d = model._validate_predict(data.table)
    names, reader = d.column_labels(), Reader(d.table, d.who)
    number_columns = model._kept_[:MOST_COLUMNS]
    if len(model._kept_) > len(number_columns) or len(model.columns_) > MOST_COLUMNS:
        w.note(f"Of {count(d.n_cols, 'column')} some are not shown.")
    if number_columns:
        w.step("Numbers", "Columns that hold no times stay as they are.")
    for j in number_columns:
        values = np.asarray(model._numbers(d, j), dtype=np.float64)
        cell_values = objects_of(values) if np.isnan(values).any() else values
        w.given(f"x_{j + 1}", cell_values, data.row_axis, symbol=f"x_{{{j + 1}}}", label=names[j])
    for j in model.columns_[:MOST_COLUMNS]:
        moments = model._moments(d, reader, j)
        is_known = ~moments.missing
        if not is_known.any() or not model.features_[j]:
            continue
        rows = data.row_axis
        if not is_known.all():
            rows = _rows_with_time(is_known, j)
            w.note("Rows without a time stay missing, and are not listed.")
        calendar = Calendar.of(moments)
        calendar = Calendar(calendar.days[is_known], calendar.micro[is_known])
        mark = "" if len(model.columns_) == 1 else f"_{{{j + 1}}}"
        w.step(f"Column {names[j]}", "Each time as two numbers: its day, and how far the day has gone.")
        text = np.array([_shown_time(value, moments) for value in moments.values[is_known]], dtype=object)
        w.given(f"when_{j + 1}", text, rows, symbol=rf"\text{{when}}{mark}", label=names[j])
        days = w.given(f"days_{j + 1}", calendar.days.astype(np.float64), rows, symbol=f"D{mark}")
        days.label = "days since 1 January 1970"
        clock = w.given(f"clock_{j + 1}", calendar.micro / 1e6, rows, symbol=f"s{mark}")
        clock.label = "seconds since midnight"
        _parts(Shown(w, str(j + 1), names[j], days, clock, len(model.columns_) == 1), model.features_[j], calendar)


def _shown_time(value: Any, moments: Any) -> str:
    text = str(value.astype("datetime64[s]")).replace("T", " ")
    if not moments.has_day:
        return text[11:]
    return text if moments.has_clock else text[:10]


def _parts(page: Shown, features: list[str], calendar: Calendar) -> None:
    for name in features:
        columns = feature_columns(calendar, name)
        if not name.startswith(CYCLIC):
            tied = {"equals": columns[0].astype(np.float64), "attribute": "transform(X)"}
            page.cell(name, page.part(name), rf"\text{{{name}}}", name.replace("_", " "), **tied)
            continue
        plain = name.removeprefix(CYCLIC)
        words = plain.replace("_", " ")
        if plain in ("month", "day", "day_of_year"):
            page.civil("", page.days)
        page.w.step(f"Circle of the {words} of {page.title}", "Its angle, and the place on a circle of radius 1.")
        angle = page.cell(f"{plain}_angle", page.angle(plain), r"\alpha", f"angle of the {words}, in radians")
        for end, function, column in (("sin", sin, columns[0]), ("cos", cos, columns[1])):
            page.cell(
                f"{plain}_{end}", function(angle), rf"\text{{{end}}}", f"{end} of the {words}",
                equals=column, attribute="transform(X)", scale=1.0,
            )  # fmt: skip
