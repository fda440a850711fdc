"""Columns that may be known only after the target is, and so promise too much.

A strong predictor is no leak by itself. A column is suspected if arithmetic gives the target from it, if it has the
order of the target, if it alone tells almost everything while the others tell far less, if it is filled in only where
the event happened, if it is the mean of the target over the levels of a category, if it is a follow-up time, or if its
time or name speaks of afterward and the scores agree. A name suffices beside another suspect that is named so. The
honest score leaves it out; `--keep` takes it back.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pellucid.base.errors import join_some
from pellucid.base.types import Array, Floats
from pellucid.data.slices import column_of
from pellucid.report.clocks import read_clock
from pellucid.report.follow_up import FollowUp, follow_up_times
from pellucid.report.identities import Identity, find_identities, rounding_unit
from pellucid.report.leakage_rules import comparison_of, points_of, series_rule, shares_of
from pellucid.report.name_vocabulary import speaks_of_afterward, speaks_of_booking, speaks_of_plans
from pellucid.report.page_text import figure
from pellucid.report.single_scores import (
    MOST_BINS,
    amounts_of_event,
    auc_gain,
    bins_target,
    carries_amounts,
    class_shown_by,
    filled_by_number,
    gain_alone,
    is_constant_in_a_class,
    missing_rows,
    missing_tells,
    orders_alike,
    renames_classes,
    written,
)
from pellucid.report.structure import RowStructure

SAMPLE = 5000  # rows of the search
COPY = 0.98  # share of the rows with the same class in a column that almost renames the classes
EXACT = 0.999  # gain of a column from which rounding explains the rest
FEW_CHANGES = 3  # between missing and known values along time
ALMOST = 0.99  # gain of a column that almost is a function of the target
FAR_LOWER = 0.9  # gain of all others together, above which a strong column is no exception
TELLING = 0.8  # gain of all columns together from which their names are looked at
LEAST_GAIN = 0.1  # that columns named for afterward must add
LEAST_GAIN_OF_KIN = 0.02  # the same where another suspect is named for afterward
LEAST_TURNS = 0.1  # share of the steps from row to row that the target goes up, and down
HELPFUL = 2.0  # how many times more columns named for afterward must leave open when they are left out
MINUTES_OF_DAY = 1440
WITH_COLONS = re.compile(r"(\d{1,3}):(\d{2})(?::(\d{2}(?:\.\d+)?))?")


@dataclass(frozen=True)
class Suspect:
    """Columns that may be known only after the target, and why that is thought, as a clause."""

    columns: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Search:
    """What a search for suspects looks at.

    table, y, for_classes, target : the table without rows whose target is missing, and its target
    names : the columns that models would see
    structure : of the rows
    gain_of : how far a model gets from guessing (0) to knowing (1) with some of the columns
    """

    table: Any
    y: Array
    for_classes: bool
    target: str
    names: tuple[str, ...]
    structure: RowStructure
    gain_of: Callable[[Sequence[str]], float]


def find_suspects(search: Search, keep: Sequence[str]) -> tuple[Suspect, ...]:
    """The suspects, without columns that the user keeps. At least one column is left to learn from."""
    rows = _some_rows(search)
    order = rows if search.structure.times is None else rows[np.argsort(search.structure.times[rows], kind="stable")]
    names = [name for name in search.names if name not in keep]
    values = {name: column_of(search.table, name)[order] for name in names}
    y = search.y[order]
    suspects = _identities(search, values, y, order)
    for find in (
        _filled_in_later,
        _amounts,
        _group_means,
        _texts_with_target,
        _later_times,
        _follow_up,
        _ranges_of_target,
        _indicators,
        _rules,
        _along_time,
        _same_order,
        _almost_functions,
        _named_afterward,
    ):
        suspected = {name for suspect in suspects for name in suspect.columns}
        remaining = {name: column for name, column in values.items() if name not in suspected}
        suspects += find(search, remaining, y, order)
    suspects += _of_the_same_kind(search, [name for name in names if name not in suspected_columns(suspects)], suspects)
    for suspect_list in (suspects + _transformed(values, suspected_columns(suspects)), suspects):
        if set(search.names) - set(suspected_columns(suspect_list)):
            return tuple(suspect_list)
    return ()


def _some_rows(search: Search) -> Array:
    return np.unique(np.linspace(0, len(search.y) - 1, min(len(search.y), SAMPLE)).astype(int))


def suspected_columns(suspects: Sequence[Suspect]) -> tuple[str, ...]:
    """All columns of the suspects."""
    return tuple(dict.fromkeys(name for suspect in suspects for name in suspect.columns))


# ------------------------------------------------------------------------------------------------------- identities


def _identities(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Arithmetic identities. Where some of the columns are plainly known before, only the others are suspected."""
    clock = {name: column_of(search.table, name)[order] for name in search.structure.time_columns if name not in values}
    identities = _time_differences({**values, **clock}, y, search)
    dates = {f"the year of {name}": name for name, column in values.items() if column.dtype.kind == "M"}
    if not search.for_classes:
        numbers = {name: column.astype(np.float64) for name, column in values.items() if column.dtype.kind in "iufb"}
        numbers |= {year: _years_of(values[name]) for year, name in dates.items()}
        numbers |= {
            name: seconds for name, column in values.items() if (seconds := _written_seconds(column)) is not None
        }
        identities += find_identities(numbers, y.astype(np.float64), search.target)
    suspects = []
    for identity in identities:
        columns = [dates.get(name, name) for name in identity.columns]
        columns = [name for name in columns if name in values and name not in search.structure.time_columns]
        late = [name for name in columns if _is_named_afterward(name)]
        early = [name for name in columns if speaks_of_plans(name)]
        blamed = late or [name for name in columns if name not in early] or columns
        if blamed:
            suspects.append(Suspect(tuple(blamed), f"the target follows from arithmetic: {identity.formula}"))
    return suspects


def _years_of(times: Array) -> Floats:
    years = times.astype("datetime64[Y]").astype(np.int64) + 1970.0
    return np.where(np.isnat(times), np.nan, years)


def _written_seconds(values: Array) -> Floats | None:
    """Durations or times of day that are written with colons, such as 02:31:38, in seconds; None for other columns."""
    if values.dtype.kind != "O":
        return None
    matches = [WITH_COLONS.fullmatch(value) if isinstance(value, str) else None for value in values.tolist()]
    if sum(match is not None for match in matches) < 0.9 * len(values):
        return None
    return np.array([_seconds(match) if match is not None else np.nan for match in matches])


def _seconds(match: re.Match[str]) -> float:
    hours, minutes, seconds = match.groups()
    return 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds or 0)


def _time_differences(values: dict[str, Array], y: Array, search: Search) -> list[Identity]:
    """The target is the time between two columns, or says which of them comes first."""
    values = {name: _as_timestamps(name, column) for name, column in values.items()}
    times = {name: _as_seconds(column) for name, column in values.items()}
    valid_times = {name: seconds for name, seconds in times.items() if seconds is not None}
    names = list(valid_times)
    threshold = None
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            is_clock = values[first].dtype.kind != "M"
            if is_clock != (values[second].dtype.kind != "M"):
                continue
            difference = valid_times[second] - valid_times[first]
            if is_clock:  # times of day: over midnight
                half = MINUTES_OF_DAY * 30
                difference = (difference + half) % (2 * half) - half
            if search.for_classes:
                if _says_which_is_later(difference, y):
                    return [Identity((first, second), f"{search.target} says whether {second} is later than {first}")]
                alone = max(auc_gain(valid_times[first], y), auc_gain(valid_times[second], y))
                if threshold is None and alone < FAR_LOWER and auc_gain(difference, y) >= ALMOST:
                    text = f"{search.target} says how long {second} is after {first}"
                    threshold = Identity((first, second), text)
            elif _is_duration(difference, y.astype(np.float64)):
                return [Identity((first, second), f"{search.target} is the time between {first} and {second}")]
    return [] if threshold is None else [threshold]


def _rules(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Columns that give the class together, by a rule."""
    if not search.for_classes:
        return []
    numbers = {name: column.astype(np.float64) for name, column in values.items() if column.dtype.kind in "iuf"}
    pair = comparison_of(numbers, y)
    if pair is not None:
        return [Suspect(pair, f"{search.target!r} says which of {pair[0]!r} and {pair[1]!r} is larger")]
    points = points_of(numbers, y)
    if points:
        return [Suspect(points, f"{search.target!r} says whether their sum, or difference, is above a threshold")]
    shares = shares_of(numbers, y)
    return [Suspect(shares, f"the largest of them says {search.target!r}")] if shares else []


def _along_time(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Columns that contain the target of the same or of later rows along time: running totals, moving averages."""
    times = search.structure.times
    if search.for_classes or times is None:
        return []
    along = np.argsort(times, kind="stable")[-SAMPLE:]
    target = search.y[along].astype(np.float64)
    suspects = []
    for name, column in values.items():
        if column.dtype.kind in "iuf":
            clause = series_rule(column_of(search.table, name)[along].astype(np.float64), target)
            if clause:
                suspects.append(Suspect((name,), clause.format(target=repr(search.target))))
    return suspects


def _says_which_is_later(difference: Floats, y: Array) -> bool:
    """Do two classes say whether a difference is positive?"""
    labels = np.unique(y)
    is_finite = np.isfinite(difference)
    if len(labels) != 2 or is_finite.sum() < 30:
        return False
    positive = difference[is_finite] > 0
    if not 0.01 < positive.mean() < 0.99:
        return False
    agree = float(((y[is_finite] == labels[1]) == positive).mean())
    return max(agree, 1 - agree) >= ALMOST


def _is_duration(difference: Floats, y: Floats) -> bool:
    both = np.isfinite(difference) & np.isfinite(y)
    if both.sum() < 30 or len(np.unique(y[both])) < 8:
        return False
    difference, y = difference[both], y[both]
    for unit in (1.0, 60.0, 3600.0, 86_400.0, 7 * 86_400.0):
        for sign in (1.0, -1.0):
            errors = np.abs(sign * difference / unit - y)
            if float((errors <= 1.01 * max(rounding_unit(y), 1e-6)).mean()) >= 0.95:
                return True
    return False


def _as_timestamps(name: str, values: Array) -> Array:
    """Timestamps of seconds since 1970, or milliseconds or the like, written as numbers; other columns as they are."""
    if values.dtype.kind not in "iuf":
        return values
    clock = read_clock(name, values, in_full=False)
    if clock is None or not clock.form.endswith("since 1970"):
        return values
    is_finite = np.isfinite(clock.values)
    micros = np.where(is_finite, clock.values * 1e6, 0).astype(np.int64).astype("datetime64[us]")
    return np.where(is_finite, micros, np.datetime64("NaT", "us"))


def _as_seconds(values: Array) -> Floats | None:
    """Timestamps, or times of day written as 1305 for five past one, in seconds."""
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[us]").astype(np.int64) / 1e6
        return np.where(np.isnat(values), np.nan, seconds)
    if values.dtype.kind not in "iuf":
        return None
    numbers = values.astype(np.float64)
    present = numbers[np.isfinite(numbers)]
    if len(present) < 30 or present.min() < 0 or not 1000 <= present.max() <= 2400 or (present % 1 != 0).any():
        return None
    if (present % 100 >= 60).any() or np.unique(present).size < 20:
        return None
    return (numbers // 100 * 60 + numbers % 100) * 60


# ---------------------------------------------------------------------------------------- what single columns tell


def _filled_in_later(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Columns that are filled in only where the event happened, or missing only there."""
    suspects = []
    for name, column in values.items():
        missing = missing_rows(column)
        if not missing.any() or (search.structure.in_time and int((missing[1:] != missing[:-1]).sum()) <= FEW_CHANGES):
            continue  # a column that was recorded from some day on says when a row is from
        clause = missing_tells(missing, y) if search.for_classes else filled_by_number(missing, y.astype(np.float64))
        if clause:
            suspects.append(Suspect((name,), clause.format(target=search.target)))
    return suspects


def _amounts(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Amounts that are above 0 only in one of two classes, such as the cost of a damage, where the other columns tell
    far less. A column that carries the same amounts, such as their share of the income, is none of these. Of numbers
    that is no sign: where the sun does not shine, no panel gives power."""
    if not search.for_classes:
        return []
    clauses = {
        name: clause.format(target=search.target)
        for name, column in values.items()
        if (clause := amounts_of_event(column, y))
    }
    amounts = tuple(clauses)
    for name in [name for name in values if name not in amounts]:
        source = next((amount for amount in amounts if carries_amounts(values[name], values[amount])), None)
        if source is not None:
            clauses[name] = f"it follows {source!r}, which {clauses[source].removeprefix('it ')}"
    other_names = [name for name in values if name not in clauses]
    if not clauses or (gain_of_others := search.gain_of(other_names)) >= FAR_LOWER:
        return []
    text = f"while the other columns together reach {max(gain_of_others, 0):.2f} of 1"
    return [Suspect((name,), f"{clause}, {text}") for name, clause in clauses.items()]


def _same_order(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Numbers that order the rows exactly as a target of numbers does: its logarithm, or its rank. Two series that
    always grow do so as well, so the target must not be sorted."""
    if search.for_classes:
        return []
    numbers = y.astype(np.float64)
    if not _turns(numbers):
        return []
    text = f"rows sorted by it are sorted by {search.target!r} as well, without exception, as with its logarithm"
    return [Suspect((name,), text) for name, column in values.items() if orders_alike(column, numbers)]


def _transformed(values: dict[str, Array], suspected: Sequence[str]) -> list[Suspect]:
    """Columns that order the rows exactly as a suspected one does, such as its logarithm."""
    sources = {
        name: values[name].astype(np.float64)
        for name in suspected
        if name in values and values[name].dtype.kind in "iuf"
    }
    sources = {name: numbers for name, numbers in sources.items() if _turns(numbers)}
    suspects = []
    for name in [name for name in values if name not in suspected]:
        source = next(
            (source_name for source_name, numbers in sources.items() if orders_alike(values[name], numbers)), None
        )
        if source is not None:
            text = (
                f"rows sorted by it are sorted by {source!r} as well, without exception, which may be known only then"
            )
            suspects.append(Suspect((name,), text))
    return suspects


def _turns(numbers: Floats) -> bool:
    """Do numbers go up and down from row to row?"""
    steps = np.diff(numbers[np.isfinite(numbers)])
    return min(int((steps > 0).sum()), int((steps < 0).sum())) >= LEAST_TURNS * max(len(steps), 1)


def _follow_up(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Times that rows were observed for, until the event that the target tells or until the end of the study."""
    return [
        Suspect((follow_up.column,), follow_up.reason)
        for follow_up in _follow_up_times(search, values, y, order)
        if follow_up.is_shown
    ]


def _follow_up_times(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[FollowUp]:
    if not search.for_classes:
        return []
    clocks = {name: column_of(search.table, name)[order] for name in search.structure.time_columns}
    return follow_up_times(values, y, search.target, {**values, **clocks})


def _ranges_of_target(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Columns whose levels are ranges of a target of numbers."""
    if search.for_classes:
        return []
    numbers = y.astype(np.float64)
    suspects = []
    for name, column in values.items():
        if (
            name in search.structure.time_columns
            or column.dtype.kind == "M"
            or len(np.unique(column[:300].astype(str))) > MOST_BINS
        ):
            continue
        steps_up = search.structure.in_time and int((column[1:] != column[:-1]).sum()) < 2 * len(
            np.unique(column.astype(str))
        )
        if not steps_up and bins_target(column, numbers):  # a series that grows is higher in later years
            suspects.append(Suspect((name,), f"its values are ranges of {search.target!r}, which hardly overlap"))
    return suspects


def _indicators(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Columns that each say whether a row has one of several classes: for all classes but one at least, as they come
    from encoding the target, or under its name. One alone may be a property that only this class has."""
    n_classes = len(np.unique(y)) if search.for_classes else 0
    if n_classes < 3:
        return []
    label_of_column = {
        name: label for name, column in values.items() if (label := class_shown_by(column, y)) is not None
    }
    complete = len(set(label_of_column.values())) >= n_classes - 1
    return [
        Suspect((name,), f"it says whether {search.target!r} is {label}")
        for name, label in label_of_column.items()
        if complete or str(label).lower() in re.split(r"[^\w]|_", name.lower())
    ]


def _group_means(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Columns that hold the mean, or the total, of the target over the rows of each level of a category."""
    numbers = search.y.astype(np.float64) if not search.for_classes else None
    if numbers is None:
        labels = np.unique(search.y)
        if len(labels) != 2:
            return []
        numbers = (search.y == labels[1]).astype(np.float64)
    spread = float(numbers.std())
    marks = (*search.structure.group_columns, *search.structure.time_columns)  # models do not see them all
    all_columns = {**{name: column_of(search.table, name)[order] for name in marks}, **values}
    categories = {
        n: c
        for n, c in all_columns.items()
        if c.dtype.kind in "Oiu" and 3 <= len(np.unique(c.astype(str))) <= len(y) / 3
    }
    levels: dict[str, Levels] = {}
    suspects = []
    for name, column in values.items():
        if column.dtype.kind not in "iuf" or len(np.unique(column[:1000])) < 3:
            continue
        full_column = column_of(search.table, name).astype(np.float64)
        for category, level in categories.items():
            if category == name or not _may_follow(column, level):
                continue
            if category not in levels:
                levels[category] = Levels.of(column_of(search.table, category), numbers)
            figure_of_group = _group_figure(full_column, levels[category], numbers, spread)
            if figure_of_group:
                text = f"it is the {figure_of_group} of {search.target!r} over the rows with the same {category!r}"
                suspects.append(Suspect((name,), text))
                break
    return suspects


@dataclass(frozen=True)
class Levels:
    """The levels of a category: the level of each row, how many rows each has, and the mean of the target there."""

    codes: Array
    counts: Array
    means: Floats

    @classmethod
    def of(cls, category: Array, y: Floats) -> Levels:
        codes = np.unique(category.astype(str), return_inverse=True)[1]
        counts = np.bincount(codes)
        return cls(codes, counts, np.bincount(codes, weights=y) / counts)


def _may_follow(column: Array, category: Array) -> bool:
    """Does a column of the looked-at rows vary less within the levels of a category than overall?"""
    is_finite = np.isfinite(column)
    codes = np.unique(category[is_finite].astype(str), return_inverse=True)[1]
    if not len(codes):
        return False
    x = column[is_finite].astype(np.float64)
    means = np.bincount(codes, weights=x) / np.bincount(codes)
    freedom = max(len(x) - len(means), 1)
    within = float(((x - means[codes]) ** 2).sum()) / freedom
    return within <= 0.5 * float(x.var()) or freedom < 30


def _group_figure(column: Floats, levels: Levels, y: Floats, spread: float) -> str:
    """The mean or the total of the target in each level, with the row itself or without it; "" for other columns."""
    codes, counts, means = levels.codes, levels.counts, levels.means
    if float(means.std()) < 1e-3 * spread:
        return ""
    is_finite, several = np.isfinite(column), counts[codes] > 1
    totals = means[codes] * counts[codes]
    n_others = np.maximum(counts[codes] - 1, 1)
    rounded = rounding_unit(column)
    for name, plain, left_out, tolerance in (
        ("mean", means[codes], (totals - y) / n_others, max(rounded, 1e-4 * spread)),
        ("total", totals, totals - y, max(0.51 * rounded, 1e-6 * float(totals.std()))),  # less than one row more
    ):
        if tolerance > 0.1 * float(plain.std()) or float(is_finite.mean()) == 0:
            continue
        hits = float((np.abs(column - plain) <= tolerance)[is_finite].mean())
        without = is_finite & several
        hits_without = float((np.abs(column - left_out) <= tolerance)[without].mean()) if without.any() else 0.0
        if max(hits, hits_without) >= 0.9:
            return name
    return ""


def _texts_with_target(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Texts in which the target stands written."""
    labels = [written(value) for value in y[:300].tolist()]
    if min((len(label) for label in labels), default=0) < 2:
        return []
    suspects = []
    for name, column in values.items():
        if column.dtype.kind != "O":
            continue
        texts = [str(value).lower() for value in column[:300]]
        hits = np.mean([label in text for label, text in zip(labels, texts, strict=True)])
        shuffled_hits = np.mean([label in text for label, text in zip(labels, texts[1:] + texts[:1], strict=True)])
        if hits >= 0.95 and shuffled_hits <= 0.7:
            suspects.append(Suspect((name,), f"its text contains the value of {search.target!r}"))
    return suspects


def _later_times(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Timestamps that are later than the one that orders the rows, in every row, and no plans."""
    structure = search.structure
    event = structure.event
    if structure.times is not None and len(structure.time_columns) == 1 and structure.is_calendar:
        event = (structure.time_columns[0], structure.times)
    if event is None or speaks_of_booking(event[0]):
        return []  # what is booked takes place later
    start = event[1][order]
    suspects = []
    for name, column in values.items():
        if column.dtype.kind != "M" or name == event[0] or speaks_of_plans(name):
            continue
        seconds = _as_seconds(column)
        is_finite = np.isfinite(seconds) & np.isfinite(start) if seconds is not None else np.zeros(len(y), dtype=bool)
        if seconds is None or is_finite.sum() < 20:
            continue
        later = seconds[is_finite] > start[is_finite]
        if later.mean() >= 0.95:
            where = "every row" if later.all() else "nearly every row"
            suspects.append(Suspect((name,), f"it is later than {event[0]!r} in {where}"))
    return suspects


def _almost_functions(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Single columns that tell almost everything, while the others together tell far less. A column that only renames
    the classes is suspected in any case."""
    suspects, strong = [], {}
    copies: list[str] = []
    goes_with = f"each of its values goes with one value of {search.target!r} in nearly every row"
    for name, column in values.items():
        gain = gain_alone(column, y, search.for_classes, search.structure.in_time)
        is_copy = search.for_classes and renames_classes(column, y, COPY)
        if gain < ALMOST and not is_copy:
            continue
        if search.for_classes and renames_classes(column, y):
            suspects.append(Suspect((name,), goes_with))
        elif gain >= ALMOST:
            strong[name] = gain
        else:
            copies.append(name)
    # Several measurements that separate the classes make an easy table, not a leak.
    accused = [name for name in strong if not search.for_classes or is_constant_in_a_class(values[name], y)]
    if len(strong) == 1:
        accused = list(strong)
    accused += copies
    renaming = [name for suspect in suspects for name in suspect.columns]
    other_names = [name for name in values if name not in accused and name not in renaming]
    if not accused or (gain_of_others := search.gain_of(other_names) if other_names else 0.0) >= FAR_LOWER:
        return suspects
    scale = "from guessing, 0, to knowing, 1, with classes weighted alike: " if search.for_classes else "R² "
    for name in accused:
        if name in copies:
            suspects.append(Suspect((name,), goes_with))
            continue
        if not search.for_classes and strong[name] < EXACT and gain_of_others < LEAST_GAIN:
            continue  # as a measured law: what nothing else predicts would hardly be copied from the target
        text = (
            f"it alone almost determines {search.target!r} ({scale}{figure(strong[name])} on rows kept apart), while "
            f"the other columns together reach {max(gain_of_others, 0):.2f}"
        )
        suspects.append(Suspect((name,), text))
    return suspects


def unsuspected_notes(search: Search, suspects: Sequence[Suspect]) -> tuple[str, ...]:
    """Columns that nearly give a target of numbers while nothing else does, as a law of nature would, or one
    that nearly gives the class, though others may give it together: in sentences. Where several do, the classes are
    easy."""
    left_out = suspected_columns(suspects)
    values = {name: column_of(search.table, name) for name in search.names if name not in left_out}
    y, in_time = search.y, search.structure.in_time
    if len(values) < 2:
        return ()
    late = _late_by_name(search, list(values), LEAST_GAIN)
    if late is not None:
        late_names, everything, without = late
        several = len(late_names) > 1
        drops = " ".join(f"--drop {shlex.quote(name)}" for name in late_names)
        return (
            f"The {'names' if several else 'name'} of {join_some(map(repr, late_names), 3)} "
            f"{'speak' if several else 'speaks'} "
            f"of something that is often known only afterward, and a quick model reaches {everything:.2f} of 1 with "
            f"{'them' if several else 'it'} and {max(without, 0):.2f} without. If {'they are' if several else 'it is'} "
            f"known only after {search.target!r}, the scores promise too much: use {drops}.",
        )
    if search.for_classes:
        rows = _some_rows(search)
        some_values = {name: column[rows] for name, column in values.items()}
        questions = tuple(
            f"{time.column!r} may be the time until {search.target!r} was known: {time.reason}. If it is known only "
            f"then, the scores promise too much: leave it out with --drop {time.column}."
            for time in _follow_up_times(search, some_values, y[rows], rows)
            if not time.is_shown
        )
        telling = [name for name, column in some_values.items() if gain_alone(column, y[rows], True, in_time) >= COPY]
        return questions + tuple(
            f"{name!r} alone tells {search.target!r} in nearly every row. If {name!r} is known only after "
            f"{search.target!r}, the scores promise too much: leave it out with --drop {name}."
            for name in telling
            if len(telling) == 1
        )
    gains = {name: gain_alone(column, y, False, in_time) for name, column in values.items()}
    strong = [name for name, gain in gains.items() if gain >= ALMOST]
    if len(strong) != 1 or search.gain_of([name for name in values if name not in strong]) >= LEAST_GAIN:
        return ()
    name = strong[0]
    return (
        f"{name!r} alone almost determines {search.target!r} (R² {figure(gains[name])}), and the others say next to "
        f"nothing about it, as where a law is measured. If {name!r} is known only after {search.target!r}, leave it "
        f"out with --drop {name}.",
    )


def _of_the_same_kind(search: Search, names: Sequence[str], suspects: Sequence[Suspect]) -> list[Suspect]:
    """Columns named for afterward, as a suspect is whose values show it, and that improve the score: the time
    in the air beside the time of arrival."""
    late = [name for name in suspected_columns(suspects) if _is_named_afterward(name)]
    late_columns = _late_by_name(search, names, LEAST_GAIN_OF_KIN) if late else None
    if late_columns is None:
        return []
    late_names, everything, without = late_columns
    text = (
        f"its name speaks of something that is known only afterward, as that of {late[0]!r} does, and the score falls "
        f"from {everything:.2f} to {max(without, 0):.2f} of 1 without such columns"
    )
    return [Suspect((name,), text) for name in late_names]


def _is_named_afterward(name: str) -> bool:
    return speaks_of_afterward(name) and not speaks_of_plans(name)


def _late_by_name(search: Search, names: Sequence[str], least_gain: float) -> tuple[list[str], float, float] | None:
    """The columns named for afterward, and the gain with and without them, if they add as much."""
    late_names = [name for name in names if _is_named_afterward(name) and name not in search.structure.time_columns]
    if not late_names or len(late_names) == len(names):
        return None
    everything, without = search.gain_of(names), search.gain_of([name for name in names if name not in late_names])
    return (late_names, everything, without) if everything - without >= least_gain else None


def _named_afterward(search: Search, values: dict[str, Array], y: Array, order: Array) -> list[Suspect]:
    """Columns whose names speak of afterward, if they make the score far better than the others can."""
    late_columns = _late_by_name(search, list(values), LEAST_GAIN)
    if late_columns is None or late_columns[1] < TELLING or 1 - late_columns[2] < HELPFUL * (1 - late_columns[1]):
        return []
    late_names, everything, without = late_columns
    text = (
        f"its name speaks of something that is known only afterward, and the score falls from {everything:.2f} to "
        f"{max(without, 0):.2f} of 1 without such columns"
    )
    return [Suspect((name,), text) for name in late_names]
