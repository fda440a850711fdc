"""Follow-up times beside a censored status: how long rows were observed, until the event or until the end of the study.

Such a time is known only when the status is, but no arithmetic shows it, and by itself its relation with the status is
that of any strong predictor: a customer of long standing leaves less often. So it takes more. Either dates show it: the
rows without an event all end on one closing day, those with an event before. Or two times do, which are equal exactly
where nothing happened in between. Or the names of both the time and the status say so, and the rows without an event
were observed longer; where such names are all there is, the page only asks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pellucid.base.types import Array, Flags, Floats
from pellucid.report.name_vocabulary import name_tokens, plain_text, speaks_of_origin
from pellucid.report.single_scores import auc_gain

LEAST_ROWS = 40
LEAST_OF_EITHER = 10  # rows with the event, and without
LEAST_TIMES = 15  # different values of a time
LEAST_LONGER = 0.15  # 2 AUC - 1 of the time for rows without the event
LEAST_Z = 4.0  # of the same, in standard errors under permutation
TENTH = 10  # share of the rows with the shortest times, and with the longest
EARLY = 0.85  # share of them that have the event, among the shortest
LATE = 0.5  # the same among the longest, relative to all
CLOSING = 0.5  # how much less the last days of rows without an event vary than others
EQUAL = 0.97  # share of the rows without an event in which two times are equal
UNEQUAL = 0.1  # the same of the rows with the event
NEVER_AFTER = 0.995  # share of the rows in which one time is at most the other
NEARLY_ALL = 0.95
MULTIPLES = 0.99  # correlation of two times where they differ, from which one is the other in another unit
KIN = 0.2  # share of the rows in which it is equal
UNITS = {"days": 1.0, "weeks": 7.0, "months": 365.25 / 12, "years": 365.25}

_FOLLOW_UPS = {
    "futime", "followup", "fup", "survival", "survtime", "stime", "rfstime", "dtime", "rtime", "ostime", "pfstime",
    "dfstime", "ttr", "tte", "ttd", "ttp", "os", "pfs", "dfs", "rfs", "efs", "ueberlebenszeit", "nachbeobachtung",
    "supervivencia", "survie", "seguimiento", "suivi",
}  # fmt: skip
_TIMES = {"time", "days", "months", "weeks", "zeit", "tage", "monate", "dias", "meses", "jours", "mois"}
_ENDS = {
    "status", "fustat", "event", "cens", "censor", "censored", "censoring", "death", "dead", "died", "deceased",
    "alive", "vital", "mortality", "survived", "relapse", "relapsed", "recur", "recurrence", "recurred", "progression",
    "delta", "tod", "gestorben", "verstorben", "muerte", "deces", "rfsstat", "failure", "failed", "fail",
}  # fmt: skip
_WITHOUT_EVENT = {"alive", "censored", "0", "no", "false", "none", "lebt", "vivo", "vivant", "living", "survived"}
_WITH_EVENT = {"dead", "died", "death", "deceased", "1", "2", "yes", "true", "relapse", "relapsed", "d", "event"}
_TURNED = {"cens", "censor", "censored", "censoring", "alive", "survived", "vital"}  # 1 may mean no event


@dataclass(frozen=True)
class FollowUp:
    """A column that may be a follow-up time; why, as a clause, and whether that is more than names."""

    column: str
    reason: str
    is_shown: bool


def follow_up_times(values: dict[str, Array], y: Array, target: str, dates: dict[str, Array]) -> list[FollowUp]:
    """Columns that may say how long rows were observed.

    Parameters
    ----------
    values : the columns to look at; y : the classes of the target, whose name is ``target``
    dates : columns that may hold when the observation began, such as a clock that orders the rows
    """
    labels, counts = np.unique(y, return_counts=True)
    if len(y) < LEAST_ROWS or not 2 <= len(labels) <= 4 or counts.min() == len(y):
        return []
    times = {name: column.astype(np.float64) for name, column in values.items() if _is_time(column)}
    follow_ups: list[FollowUp] = []
    for name, time in times.items():
        clause = _closing_day(time, y, target, dates) or _equal_times(name, times, y, target)
        if not clause and _names_status(target, y) and (plain := _time_word(name)):
            without = _without_event(time, y, target)
            if without is None or not _is_longer(time, without):
                continue
            label = y[without].tolist()[0]
            clause = (
                f"it is mostly longer where {target} is {label}, and its name speaks of how long rows were observed"
            )
            is_shown = plain == "follow-up" or _is_complete_early(time, without)
            follow_ups.append(FollowUp(name, clause, is_shown))
        elif clause:
            follow_ups.append(FollowUp(name, clause, True))
    proven = [candidate.column for candidate in follow_ups if candidate.is_shown]
    for name, time in times.items():
        whole_time = next(
            (candidate for candidate in proven if name not in proven and _ends_with(time, times[candidate])), None
        )
        if whole_time is not None:
            follow_ups = [candidate for candidate in follow_ups if candidate.column != name]
            follow_ups.append(FollowUp(name, f"it is hardly ever above {whole_time!r} and often equal to it", True))
    return follow_ups


def _is_time(values: Array) -> bool:
    """Are values numbers from 0 on, of which there are many?"""
    if values.dtype.kind not in "iuf":
        return False
    numbers = values.astype(np.float64)
    present = numbers[np.isfinite(numbers)]
    return (
        len(present) >= 0.8 * len(numbers)
        and len(present) > 0
        and present.min() >= 0
        and len(np.unique(present)) >= LEAST_TIMES
    )


def _closing_day(time: Floats, y: Array, target: str, dates: dict[str, Array]) -> str:
    """A clause if rows of one class all end on one day, counted from a date on, and the others before; else nothing."""
    for name, values in dates.items():
        days = _days(values)
        if days is None:
            continue
        for unit in UNITS.values():
            ends = days + time * unit
            is_finite = np.isfinite(ends)
            if is_finite.sum() < LEAST_ROWS:
                continue
            for label in np.unique(y).tolist():
                same, differs = is_finite & (y == label), is_finite & (y != label)
                if min(int(same.sum()), int(differs.sum())) < LEAST_OF_EITHER:
                    continue
                spread, began = _spread(ends[same]), _spread(days[same])
                before = float((ends[differs] <= np.quantile(ends[same], 0.95)).mean())
                if (
                    spread <= CLOSING * _spread(ends[differs])
                    and spread <= CLOSING * min(began, unit * _spread(time[same]))
                    and before >= 0.95
                ):
                    return (
                        f"counted from {name!r} it ends on about the same day in nearly all rows where {target} is "
                        f"{label}, and before that day in nearly all others"
                    )
    return ""


def _days(values: Array) -> Floats | None:
    """Dates, or years, in days."""
    if values.dtype.kind == "M":
        days = values.astype("datetime64[s]").astype(np.int64) / 86_400
        return np.where(np.isnat(values), np.nan, days)
    if values.dtype.kind in "iuf":
        years = values.astype(np.float64)
        present = years[np.isfinite(years)]
        if len(present) and present.min() >= 1900 and present.max() <= 2100 and len(np.unique(present)) >= 4:
            return years * 365.25
    return None


def _spread(values: Floats) -> float:
    low, high = np.quantile(values, [0.1, 0.9])
    return float(high - low)


def _equal_times(name: str, times: dict[str, Floats], y: Array, target: str) -> str:
    """A clause if the time equals a later or earlier one nearly exactly in the rows of one of two classes."""
    labels = np.unique(y)
    if len(labels) != 2:
        return ""
    for other_name, second in times.items():
        is_finite = np.isfinite(times[name]) & np.isfinite(second)
        if other_name == name or is_finite.sum() < LEAST_ROWS:
            continue
        first, last, of_label = times[name][is_finite], second[is_finite], y[is_finite] == labels[1]
        if max(float((first <= last).mean()), float((first >= last).mean())) < NEVER_AFTER:
            continue
        equal = first == last
        if min(int(of_label.sum()), int((~of_label).sum())) < LEAST_OF_EITHER or not _are_two_times(first, last, equal):
            continue
        shares = float(equal[of_label].mean()), float(equal[~of_label].mean())
        if max(shares) >= EQUAL and min(shares) <= UNEQUAL:
            label = labels.tolist()[1 if shares[0] > shares[1] else 0]
            return f"it equals {other_name!r} in nearly every row where {target} is {label}, and in hardly any other"
    return ""


def _ends_with(time: Floats, whole_time: Floats) -> bool:
    """Does a time never exceed another one, and often equal it, as one until an earlier event does?"""
    is_finite = np.isfinite(time) & np.isfinite(whole_time)
    if is_finite.sum() < LEAST_ROWS:
        return False
    time, whole_time = time[is_finite], whole_time[is_finite]
    equal = time == whole_time
    never_after = bool((time <= whole_time).mean() >= NEVER_AFTER)
    return never_after and bool(equal.mean() >= KIN) and _are_two_times(time, whole_time, equal)


def _are_two_times(first: Floats, last: Floats, equal: Flags) -> bool:
    """Are two times above 0, of many values, and where they differ no multiples of each other? Others that are equal
    in some rows are 0 in the rest, as products with an indicator are, or one measure in two units."""
    low = np.minimum(first, last)
    for rows in (low[equal], low[~equal]):
        if len(np.unique(rows)) < LEAST_OF_EITHER or float((rows > 0).mean()) < NEARLY_ALL:
            return False
    return float(np.corrcoef(first[~equal], last[~equal])[0, 1]) < MULTIPLES


def _names_status(target: str, y: Array) -> bool:
    """Do the names of the target or of its classes speak of an event or of the end of an observation?"""
    classes = {plain_text(str(label)) for label in np.unique(y).tolist()}
    return bool(_ENDS & set(name_tokens(target))) or bool(classes & {"alive", "dead", "died", "deceased", "censored"})


def _time_word(name: str) -> str:
    """Which kind of time a name speaks of: "follow-up", a "plain" time, or none."""
    tokens = name_tokens(name)
    if speaks_of_origin(name):
        return ""
    if _FOLLOW_UPS & set(tokens) or {"follow", "up"} <= set(tokens):
        return "follow-up"
    if any(word in tokens for word in _TIMES) and "to" in tokens and _ENDS & set(tokens):
        return "follow-up"
    return "plain" if len(tokens) == 1 and tokens[0] in _TIMES else ""


def _without_event(time: Floats, y: Array, target: str) -> Flags | None:
    """The rows without an event: those of the class with the longest times, unless its name says otherwise."""
    is_finite = np.isfinite(time)
    labels = [label for label in np.unique(y).tolist() if (is_finite & (y == label)).sum() >= LEAST_OF_EITHER]
    if not labels:
        return None
    longest = max(labels, key=lambda label: float(np.median(time[is_finite & (y == label)])))
    words = {plain_text(str(label)) for label in labels}
    word = plain_text(str(longest))
    turned = bool(_TURNED & set(name_tokens(target)))
    if not turned and ((word in _WITH_EVENT and words & _WITHOUT_EVENT) or (word == "2" and words == {"1", "2"})):
        return None
    return np.asarray(y == longest)


def _is_longer(time: Floats, without: Flags) -> bool:
    """Were rows without an event clearly observed for longer?"""
    is_finite = np.isfinite(time)
    n_without, n_with = int(without[is_finite].sum()), int((~without)[is_finite].sum())
    if min(n_without, n_with) < LEAST_OF_EITHER:
        return False
    gain = auc_gain(time, without)
    return gain >= LEAST_LONGER and gain >= LEAST_Z * np.sqrt((n_without + n_with + 1) / (3 * n_without * n_with))


def _is_complete_early(time: Floats, without: Flags) -> bool:
    """Had nearly all rows with the shortest times the event, and few with the longest, as where everybody is observed
    for some time at least?"""
    is_finite = np.isfinite(time)
    order = np.argsort(time[is_finite], kind="stable")
    event = ~without[is_finite][order]
    n_rows = max(len(event) // TENTH, LEAST_OF_EITHER)
    return bool(event[:n_rows].mean() >= EARLY and event[-n_rows:].mean() <= LATE * event.mean())
