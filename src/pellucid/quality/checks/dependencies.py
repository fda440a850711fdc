"""What one column says about another: values that go together in nearly all rows, and the rows where they do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid.base.errors import count
from pellucid.base.types import Array
from pellucid.data.kinds import is_missing
from pellucid.quality.checks._reading import Reading, codes_of, named_as_key, readings
from pellucid.quality.checks._saying import NO_ROWS, joined, percent, said, shown_at
from pellucid.quality.checks.registry import register_check
from pellucid.quality.column import Column, TableStats
from pellucid.quality.findings import Finding, Fix, Severity
from pellucid.quality.semantic_types import NOT_NUMBERS, semantic_type
from pellucid.quality.votes import Codes, Determinant, Repair, determines, repairs_of

LEAST_SHARED = 3  # pairs of rows with the same key, from which on they may stand together
MORE_THAN_CHANCE = 3.0  # how many times as many as by chance there must be
MOST_VOTES = 6  # columns that vote on another: the ones that determine it best


@dataclass(frozen=True)
class Dependency:
    """key -> value: how many rows are in groups that can tell, which break it, and which missing ones it fills.

    usual : by code of the key, the code of the most frequent value; -1 where there is none
    """

    key: Reading
    value: Reading
    tested: int
    broken: Array
    fillable: Array
    groups: int
    usual: Array


@register_check("dependencies")
def dependencies(
    stats: TableStats, *, broken: float = 0.02, noisy: float = 0.15, least: int = 3, groups: int = 5, most: int = 60
) -> list[Finding]:
    """Cells that contradict the columns which determine them (city -> state), and missing cells that these tell.

    A column determines another if all but ``noisy`` of the rows agree within groups of ``least`` rows or more, of which
    there must be ``groups``. Only if it is all but ``broken`` are contradictions reported that look like no error, and
    missing cells. Of tables with more than ``most`` columns of names, the first are compared."""
    features = [read for read in readings(stats) if read.column is not stats.target]  # a target that fills gaps leaks
    keys = [read for read in features if _can_decide(read, stats.n_rows)]
    values = [read for read in features if _can_be_decided(read)]
    findings: list[Finding] = []
    if max(len(keys), len(values)) > most:
        text = f"only {most} columns of few levels were compared with each other for values that go together"
        findings.append(Finding("dependencies", "note", (), NO_ROWS, text, None))
        keys, values = keys[:most], values[:most]
    codes = {read.column.place: codes_of(read.column) for read in {id(r): r for r in [*keys, *values]}.values()}
    sample = np.random.default_rng(0).permutation(stats.n_rows)[:3000]
    decided, repaired = [], dict[int, Array]()
    for value in values:
        best: Dependency | None = None
        candidates = list[tuple[float, Reading]]()
        for key in keys:
            if key is value:
                continue
            a, b = codes[key.column.place], codes[value.column.place]
            share = _broken_share(a[sample], b[sample])
            if share <= 2 * noisy:
                candidates.append((share, key))
            if share > 2 * broken or key.n_distinct < value.n_distinct * 0.5:
                continue
            new = _dependency(key, value, a, b, least)
            if _holds(new, broken, groups) and (best is None or _better(new, best)):
                best = new
        best_keys = [key for _, key in sorted(candidates, key=lambda pair: pair[0])[:MOST_VOTES]]
        rows, contradictions = _contradictions(value, best_keys, codes, noisy, groups)
        repaired[value.column.place] = rows
        findings += contradictions
        if best is not None:
            decided.append(best)
    for dependency in decided:
        filtered = _less_mutual(dependency, decided)
        findings += _findings(
            replace(filtered, broken=np.setdiff1d(filtered.broken, repaired[dependency.value.column.place]))
        )
    return findings


def _contradictions(
    value: Reading, keys: list[Reading], codes: dict[int, Array], noisy: float, groups: int
) -> tuple[Array, list[Finding]]:
    """Cells that the votes of several columns, or a near spelling, show to be wrong: their rows, and a finding."""
    if not value.column.is_text and not _names_things(value):
        return NO_ROWS, []
    column = Codes(value.column.texts, codes[value.column.place])
    sources, determinants = [], []
    for key in keys:
        determinant = Determinant(Codes(key.column.texts, codes[key.column.place]), column)
        if determines(determinant, noisy, groups):
            sources.append(key)
            determinants.append(determinant)
    if not determinants:
        return NO_ROWS, []
    repairs = repairs_of(column, determinants)
    if not repairs:
        return NO_ROWS, []
    rows = np.array([repair.row for repair in repairs])
    return rows, [_contradiction(value, sources, determinants, repairs)]


def _contradiction(
    value: Reading, sources: list[Reading], determinants: list[Determinant], repairs: list[Repair]
) -> Finding:
    """What a column holds where the columns that determine it say something else, with the rules that change it."""
    first = max(repairs, key=lambda repair: repair.weight)
    key, texts = sources[first.by].column, value.column.texts
    group = determinants[first.by].key.codes[first.row]
    names = joined([repr(str(read.column.name)) for read in sources[:3]])
    n_agree = int(determinants[first.by].top[group])
    text = (
        f"{names} {'determines' if len(sources) == 1 else 'determine'} {str(value.column.name)!r} in most rows, "
        f"by which {count(len(repairs), 'row')} {'seems' if len(repairs) == 1 else 'seem'} wrong: "
        f"{said(texts[value.column.codes[first.row]])} with {said(key.texts[group])}, where {count(n_agree, 'row')} "
        f"{'has' if n_agree == 1 else 'have'} {said(texts[first.after])}"
    )
    rules = [
        [
            sources[repair.by].column.name,
            _stored(sources[repair.by].column, determinants[repair.by].key.codes[repair.row]),
            _stored(value.column, value.column.codes[repair.row]),
            _stored(value.column, repair.after),
        ]
        for repair in repairs
    ]
    fix = Fix("replace_where", (value.column.name,), {"rules": unique_rules(rules)})
    return Finding(
        "dependencies", "warning", (value.column.name,), np.array([repair.row for repair in repairs]), text, fix
    )


def unique_rules(rules: list[list[Any]]) -> list[list[Any]]:
    """Rules in their order, each once."""
    return list({repr(rule): rule for rule in rules}.values())


def _stored(column: Column, code: int) -> Any:
    """A distinct value as the table stores it, as a plain Python value."""
    stored = column.values[code]
    return stored.item() if isinstance(stored, np.generic) else stored


def _less_mutual(dependency: Dependency, decided: list[Dependency]) -> Dependency:
    """Where two columns decide each other, a row that breaks it has one wrong cell: that which is no key, or the rarer
    value of the two."""
    for other in decided:
        if other.key is dependency.value and other.value is dependency.key:
            key, value = dependency.key.column, dependency.value.column
            if named_as_key(key.name) != named_as_key(value.name):
                ours = np.full(len(dependency.broken), not named_as_key(value.name))
            else:
                n_key, n_value = key.counts[key.codes[dependency.broken]], value.counts[value.codes[dependency.broken]]
                ours = (n_value < n_key) | ((n_value == n_key) & (value.place > key.place))
            return replace(dependency, broken=dependency.broken[ours | ~np.isin(dependency.broken, other.broken)])
    return dependency


def _can_decide(read: Reading, n_rows: int) -> bool:
    if read.role == "category":
        return read.n_distinct >= 5 and read.n_distinct < 0.7 * read.n_content
    return _names_things(read) and 5 <= read.n_distinct < 0.7 * read.n_content


def _names_things(read: Reading) -> bool:
    """Numbers that are codes or keys: they name something, and nobody calculates with them."""
    if read.role not in ("number", "identifier"):
        return False
    meaning = semantic_type(read.column)
    return named_as_key(read.column.name) or (meaning is not None and meaning.name in NOT_NUMBERS)


def _can_be_decided(read: Reading) -> bool:
    if read.role in ("category", "flag"):
        return 2 <= read.n_distinct < 0.7 * read.n_content
    if _names_things(read):
        return 2 <= read.n_distinct < 0.7 * read.n_content
    if read.role == "number" and not read.is_identifier:
        return 3 <= read.n_distinct <= 50 and read.n_distinct < 0.1 * read.n_content
    return False


def _groups(a: Array, b: Array) -> tuple[Array, Array, Array, Array]:
    """Pairs of codes with their counts: key, value, count, and for each key the size of its group."""
    both = (a >= 0) & (b >= 0)
    width = int(b.max(initial=0)) + 1
    pairs, counts = np.unique(a[both].astype(np.int64) * width + b[both], return_counts=True)
    key, value = pairs // width, pairs % width
    size = np.bincount(key, weights=counts, minlength=int(a.max(initial=0)) + 1)
    return key, value, counts, size


def _broken_share(a: Array, b: Array) -> float:
    """Share of the rows with a value other than the most frequent of their key."""
    key, _, counts, size = _groups(a, b)
    top = np.zeros(len(size))
    np.maximum.at(top, key, counts)
    is_repeated = size >= 2
    total = size[is_repeated].sum()
    return float(1 - top[is_repeated].sum() / total) if total else 1.0


def _dependency(key: Reading, value: Reading, a: Array, b: Array, min_rows: int) -> Dependency:
    k, v, counts, size = _groups(a, b)
    order = np.lexsort((v, -counts, k))  # the most frequent value of each key first
    first = np.append(True, k[order][1:] != k[order][:-1])
    modes = np.full(len(size) + 1, -1, dtype=np.int64)
    top = np.zeros(len(size) + 1)
    modes[k[order][first]] = v[order][first]
    top[k[order][first]] = counts[order][first]
    share = np.divide(top[:-1], size, out=np.zeros(len(size)), where=size > 0)
    clear = np.append((size >= min_rows) & (share > 2 / 3), False)
    off = clear[a] & (b >= 0) & (b != modes[a])
    filled = (b < 0) & np.append(share >= 0.95, False)[a]
    tested = int(np.append(size >= min_rows, False)[a][b >= 0].sum())
    unclear = np.append((size >= min_rows) & (share <= 2 / 3), False)[a] & (b >= 0)
    broken = np.flatnonzero(off)
    n_unclear = int((unclear & (b != modes[a])).sum())
    return Dependency(
        key, value, tested - n_unclear, broken, np.flatnonzero(filled), int((size >= min_rows).sum()), modes
    )


def _holds(dependency: Dependency, broken: float, groups: int) -> bool:
    if dependency.groups < groups or dependency.tested < 30 or not (len(dependency.broken) or len(dependency.fillable)):
        return False
    value = dependency.value
    top = float(np.where(value.nothing, 0, value.column.counts).max()) / max(value.n_content, 1)
    rate = len(dependency.broken) / dependency.tested
    known_share = dependency.tested / max(value.n_content, 1)
    return rate <= broken and rate <= 0.1 * (1 - top) and known_share >= 0.3 and 1 - top > 0.05


def _better(new: Dependency, old: Dependency) -> bool:
    return (len(new.broken) / new.tested, -len(new.fillable)) < (len(old.broken) / old.tested, -len(old.fillable))


def _one_reigns(value: Reading) -> bool:
    """Where one value is nearly everywhere, that it is the only one with a key proves little."""
    return int(np.where(value.nothing, 0, value.column.counts).max()) > 0.8 * value.n_content


def _fills(dependency: Dependency) -> bool:
    """Is what is missing sure enough to be filled in?"""
    return not _one_reigns(dependency.value) and len(dependency.broken) <= 0.005 * dependency.tested


def _findings(dependency: Dependency) -> list[Finding]:
    key, value = dependency.key.column, dependency.value.column
    result = []
    if len(dependency.broken):
        row = int(dependency.broken[0])
        a, b, mode = key.codes[row], value.codes[row], dependency.usual[codes_of(key)[row]]
        n_rows, has = count(len(dependency.broken), "row"), "has" if len(dependency.broken) == 1 else "have"
        text = f"{n_rows} {has} another {str(value.name)!r} than most with the same {str(key.name)!r}, for example "
        text += f"{shown_at(value, b)} with {shown_at(key, a)}, where most have {shown_at(value, mode)}"
        stand_together = _stand_together(codes_of(key), dependency.broken)
        text += "; they share few of its values, as changes in time and other valid values do" if stand_together else ""
        fix = _by_group(dependency, dependency.broken, broken=True)
        result.append(Finding("dependencies", "note", (value.name,), dependency.broken, text, fix))
    if len(dependency.fillable):
        row = int(dependency.fillable[0])
        a, mode = key.codes[row], dependency.usual[codes_of(key)[row]]
        severity: Severity = "warning" if _fills(dependency) else "note"
        text = f"missing, though {str(key.name)!r} {'decides' if severity == 'warning' else 'seems to decide'} it: "
        text += f"{shown_at(value, mode)} with {shown_at(key, a)}"
        fix = _by_group(dependency, dependency.fillable, broken=False)
        result.append(Finding("dependencies", severity, (value.name,), dependency.fillable, text, fix))
    return result


def _by_group(dependency: Dependency, rows: Array, broken: bool) -> Fix:
    """The usual value of the groups that some rows belong to, and of no others."""
    key, value = dependency.key.column, dependency.value.column
    groups = np.unique(key.codes[rows]).tolist()
    pairs = [[_stored(key, group), _stored(value, int(dependency.usual[group]))] for group in groups]
    return Fix("by_group", (value.name,), {"key": key.name, "broken": broken, "fill": not broken, "pairs": pairs})


def _stand_together(keys: Array, rows: Array) -> bool:
    """Do rows share their keys far more often than errors would, which come about anywhere? A person who moves has the
    new town in several rows, and two films of one title are both rated more than once."""
    size = np.bincount(keys[keys >= 0]).astype(float)
    n_shared = _n_pairs(np.bincount(keys[rows]).astype(float))
    by_chance = _n_pairs(size) * (len(rows) / size.sum()) ** 2
    return n_shared >= LEAST_SHARED and n_shared > MORE_THAN_CHANCE * by_chance


def _n_pairs(sizes: Array) -> float:
    return float((sizes * (sizes - 1)).sum() / 2)


@register_check("time_order")
def time_order(stats: TableStats, *, broken: float = 0.05, most: int = 20) -> list[Finding]:
    """Times that come after another column's in all but ``broken`` of the rows: those where they come before it."""
    times = [read for read in readings(stats) if read.role == "time" and read.n_distinct > 1][:most]
    findings = []
    for i, first in enumerate(times):
        for second in times[i + 1 :]:
            pair = _comparable(first, second)
            if pair is None:
                continue
            a, b = pair
            has_both = ~np.isnat(a) & ~np.isnat(b)
            n = int(has_both.sum())
            if n < 30:
                continue
            earlier, later = has_both & (a < b), has_both & (b < a)
            swap = later.sum() > earlier.sum()
            wrong, in_order = (earlier, later) if swap else (later, earlier)
            early, late = (b, a) if swap else (a, b)
            if (
                0 < wrong.sum() <= broken * n
                and in_order.sum() >= 0.5 * n
                and _is_order(early[has_both], late[has_both])
            ):
                names = (second.column.name, first.column.name) if swap else (first.column.name, second.column.name)
                off = f"{count(int(wrong.sum()), 'row')} ({percent(float(wrong.sum()) / n)})"
                text = f"{str(names[0])!r} is usually before {str(names[1])!r}, but after it in {off}"
                findings.append(Finding("time_order", "warning", names, np.flatnonzero(wrong), text, None))
    return findings


def _is_order(early: Array, late: Array) -> bool:
    """Whether the times of a row are out of order at most half as often as times of different rows would be."""
    by_chance = float(np.searchsorted(np.sort(late), early, "left").mean()) / len(late)
    return float((late < early).mean()) <= 0.5 * by_chance


def _comparable(first: Reading, second: Reading) -> tuple[Array, Array] | None:
    """Two columns of times on one scale, row by row; None if there is none.

    Where one column has a time zone and the other has not, the clocks are compared; where one has days only, days."""
    zoned = _is_zoned(first), _is_zoned(second)
    if zoned[0] == zoned[1]:
        a, b = _moments(first), _moments(second)
    elif any(zone and read.column.is_text for zone, read in zip(zoned, (first, second), strict=True)):
        return None  # text with an offset was read in universal time
    else:
        a, b = (_clock(read) if zone else _moments(read) for zone, read in zip(zoned, (first, second), strict=True))
    days = [x.astype("datetime64[D]") for x in (a, b)]
    is_date = [bool((x == day)[~np.isnat(x)].all()) for x, day in zip((a, b), days, strict=True)]
    return (days[0], days[1]) if is_date[0] != is_date[1] else (a, b)


def _is_zoned(read: Reading) -> bool:
    column = read.column
    if column.is_text:
        return any("%z" in format for format in read.as_times.formats)
    if column.table.is_frame and getattr(column.table.series[column.place].dtype, "time_zone", None) is not None:
        return True
    return any(getattr(value, "tzinfo", None) is not None for value in column.values[:100].tolist())


def _clock(read: Reading) -> Array:
    """Row by row what the clock shows in the column's own zone."""
    clock = read.column.table.clock(read.column.place)
    if clock.dtype.kind == "M":
        return clock.astype("datetime64[us]")
    plain = [np.datetime64("NaT") if is_missing(value) else value.replace(tzinfo=None) for value in clock.tolist()]
    return np.array(plain, dtype="datetime64[us]")


def _moments(read: Reading) -> Array:
    """Row by row the time in universal time."""
    return np.append(read.moments, np.datetime64("NaT"))[read.column.codes]
