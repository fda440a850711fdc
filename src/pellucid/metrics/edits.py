"""How far apart two texts are: edits, common subsequences, Jaro and Winkler.

Texts are compared letter by letter, a letter being a Unicode code point. An accent that is a code point of its own
counts as a letter: `unicodedata.normalize("NFC", text)` puts it together with its letter first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from pellucid import _core
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.data.kinds import is_missing
from pellucid.metrics._read import check_lengths, fail, fail_type, got, is_number, refuse

__all__ = [
    "CommonSubsequence",
    "EditOperation",
    "EditOperations",
    "common_subsequence",
    "damerau_distance",
    "edit_distance",
    "edit_distances",
    "edit_operations",
    "edit_similarity",
    "jaro_similarity",
    "jaro_winkler_similarity",
]

Texts = list[str] | tuple[str, ...] | Array
LEVENSHTEIN, INDEL, DAMERAU = 0, 1, 2  # kinds of the kernel
NO_CUTOFF = 2**62
MOST_CELLS = 4_000_000_000  # of the table behind a list of operations, at a quarter byte each

Action = Literal["keep", "substitute", "delete", "insert"]
ACTIONS: tuple[Action, ...] = ("keep", "substitute", "delete", "insert")


# ----------------------------------------------------------------------------------------------------------- distances


@overload
def edit_distance(
    a: str,
    b: str,
    *,
    insert: float = ...,
    delete: float = ...,
    substitute: float = ...,
    cutoff: int | None = ...,
    n_jobs: int | None = ...,
) -> int | float: ...
@overload
def edit_distance(
    a: Texts,
    b: Texts,
    *,
    insert: float = ...,
    delete: float = ...,
    substitute: float = ...,
    cutoff: int | None = ...,
    n_jobs: int | None = ...,
) -> Array: ...
def edit_distance(
    a: str | Texts,
    b: str | Texts,
    *,
    insert: float = 1,
    delete: float = 1,
    substitute: float = 1,
    cutoff: int | None = None,
    n_jobs: int | None = None,
) -> int | float | Array:
    """Least cost of turning text a into text b by inserting, deleting and substituting letters (Levenshtein).

    ``D[i, j] = min(D[i-1, j] + delete, D[i, j-1] + insert, D[i-1, j-1] + (0 if a_i = b_j else substitute))``

    D[i, j]  the cost of turning the first i letters of a into the first j letters of b; ``D[i, 0] = i delete`` and
             ``D[0, j] = j insert``. The distance is the last cell.

    With ``substitute=2`` a substitution is a deletion and an insertion, and the distance is the number of letters
    that are not in the longest common subsequence. Where a substitution costs the mean of the other two, or at least
    their sum, 64 cells are worked out at once by operations on bits; other costs take the table cell by cell.

    Prefer `damerau_distance` where neighbors change places in typing, `jaro_winkler_similarity` for names whose
    beginning counts most, `edit_similarity` to compare pairs of different length.

    Parameters
    ----------
    a, b : two texts; or two lists of texts of equal length, for the distance of each pair
    insert, delete, substitute : what each operation costs, 0 or more
    cutoff : distances above it are given as cutoff + 1; saves time on long texts that have little in common. Unit costs
        only
    n_jobs : threads for lists; None for all cores

    Returns
    -------
    A number, or an array with one a pair; whole numbers where the costs are.

    >>> edit_distance("Hello", "Yellow")  # H becomes Y, w is put in
    2
    >>> edit_distance("Hello", "Yellow", substitute=2)
    3
    >>> edit_distance(["tea", "rice"], ["sea", "ice"])
    array([1, 1])
    """
    who = "edit_distance"
    costs = _costs(who, insert, delete, substitute)
    limit = _cutoff(who, cutoff, costs)
    if isinstance(a, str) and isinstance(b, str):
        if costs == (1, 1, 1):
            return _cut(_core.edit_distance(a, b, LEVENSHTEIN, limit), cutoff)
        return _plain(_core.weighted_distance(a, b, *costs), costs)
    texts, left, right = _pairs(who, a, b)
    threads = effective_threads(n_jobs)
    if costs == (1, 1, 1):
        distances = _core.edit_distances(texts, left, right, LEVENSHTEIN, limit, threads).astype(np.int64)
        return distances if cutoff is None else np.minimum(distances, cutoff + 1)
    spent = _core.weighted_distances(texts, left, right, *costs, threads)
    return spent.astype(np.int64) if _are_whole(costs) else spent


def edit_distances(
    a: Texts, b: Texts | None = None, *, substitute: Literal[1, 2] = 1, n_jobs: int | None = None
) -> Array:
    """Edit distances of every text of a to every text of b, or to every other one of a: a table.

    ``table[i, j]`` is ``edit_distance(a[i], b[j], substitute=substitute)``; insertions and deletions cost 1. Several
    pairs are worked out by one operation on bits, and texts with a common beginning share the work on it.

    >>> edit_distances(["tea", "rice"], ["sea", "ice", ""])
    array([[1, 3, 3],
           [4, 1, 4]], dtype=int32)
    """
    who = "edit_distances"
    if not (is_number(substitute) and substitute in (1, 2)):
        refuse(who, "substitute must be 1 or 2", got(substitute), "edit_distance takes other costs")
    rows = _texts(who, a, "a")
    cols = rows if b is None else _texts(who, b, "b")
    kind = LEVENSHTEIN if substitute == 1 else INDEL
    return _core.edit_distance_table(_core.TextSet(rows + cols), len(rows), kind, effective_threads(n_jobs))


@overload
def damerau_distance(a: str, b: str, *, n_jobs: int | None = ...) -> int: ...
@overload
def damerau_distance(a: Texts, b: Texts, *, n_jobs: int | None = ...) -> Array: ...
def damerau_distance(a: str | Texts, b: str | Texts, *, n_jobs: int | None = None) -> int | Array:
    """Least number of letters inserted, deleted or substituted, or of neighbors that change places.

    As `edit_distance` with costs of 1, and ``D[i, j] <= D[i-2, j-2] + 1`` where the last two letters of the
    beginnings of a and b are the same in the opposite order.

    No part of the text is changed twice (optimal string alignment): "ca" is three edits from "abc", not the two of
    exchanging first and inserting between afterward. So the triangle inequality does not always hold.

    >>> damerau_distance("form", "from"), edit_distance("form", "from")
    (1, 2)
    """
    if isinstance(a, str) and isinstance(b, str):
        return _core.edit_distance(a, b, DAMERAU)
    texts, left, right = _pairs("damerau_distance", a, b)
    distances = _core.edit_distances(texts, left, right, DAMERAU, NO_CUTOFF, effective_threads(n_jobs))
    return distances.astype(np.int64)


# -------------------------------------------------------------------------------------------------------- similarities


@overload
def edit_similarity(a: str, b: str, *, n_jobs: int | None = ...) -> float: ...
@overload
def edit_similarity(a: Texts, b: Texts, *, n_jobs: int | None = ...) -> Floats: ...
def edit_similarity(a: str | Texts, b: str | Texts, *, n_jobs: int | None = None) -> float | Floats:
    """Share of the longer text that need not be edited: 1 for equal texts, 0 for texts without a letter in its place.

    ``1 - edit_distance(a, b) / max(|a|, |b|)``, and 1 for two empty texts

    >>> edit_similarity("form", "farm")
    0.75
    """
    if isinstance(a, str) and isinstance(b, str):
        return 1 - _core.edit_distance(a, b, LEVENSHTEIN) / max(len(a), len(b), 1)
    texts, left, right = _pairs("edit_similarity", a, b)
    apart = _core.edit_distances(texts, left, right, LEVENSHTEIN, NO_CUTOFF, effective_threads(n_jobs))
    longer = np.array([max(len(x), len(y), 1) for x, y in zip(a, b, strict=True)], dtype=np.int64)
    return np.asarray(1 - apart / longer)


@overload
def jaro_similarity(a: str, b: str, *, n_jobs: int | None = ...) -> float: ...
@overload
def jaro_similarity(a: Texts, b: Texts, *, n_jobs: int | None = ...) -> Floats: ...
def jaro_similarity(a: str | Texts, b: str | Texts, *, n_jobs: int | None = None) -> float | Floats:
    """How many letters two short texts share at about the same place, and in the same order.

    ``(m/|a| + m/|b| + (m - t)/m) / 3``, 0 where m is 0, and 1 for two empty texts

    m  letters that match: equal and at most ``max(|a|, |b|) // 2 - 1`` places apart, each used once, taken from front
       to back of b with the first free one of a
    t  half the number of matching letters that come in another order, rounded down

    >>> round(jaro_similarity("MARTHA", "MARHTA"), 6)  # m = 6, t = 1: (1 + 1 + 5/6) / 3
    0.944444
    """
    return _jaro("jaro_similarity", a, b, 0.0, 2.0, n_jobs)


@overload
def jaro_winkler_similarity(
    a: str, b: str, *, prefix_weight: float = ..., boost_above: float = ..., n_jobs: int | None = ...
) -> float: ...
@overload
def jaro_winkler_similarity(
    a: Texts, b: Texts, *, prefix_weight: float = ..., boost_above: float = ..., n_jobs: int | None = ...
) -> Floats: ...
def jaro_winkler_similarity(
    a: str | Texts,
    b: str | Texts,
    *,
    prefix_weight: float = 0.1,
    boost_above: float = 0.7,
    n_jobs: int | None = None,
) -> float | Floats:
    """Jaro's similarity, raised for texts that begin alike: made for names of people.

    ``s + l p (1 - s)``  where s > boost_above, else s

    s  `jaro_similarity`;  l  letters of common beginning, at most 4;  p  prefix_weight, at most 0.25

    Winkler raises similarities above 0.7 only; some implementations raise all, as ``boost_above=0`` does.

    >>> round(jaro_winkler_similarity("MARTHA", "MARHTA"), 6)  # 0.944444 + 3 * 0.1 * 0.055556
    0.961111
    """
    who = "jaro_winkler_similarity"
    for name, value, upper in (("prefix_weight", prefix_weight, 0.25), ("boost_above", boost_above, 1.0)):
        if not is_number(value) or not 0 <= value <= upper:
            refuse(who, f"{name} must be a number from 0 to {upper:g}", got(value))
    return _jaro(who, a, b, float(prefix_weight), float(boost_above), n_jobs)


def _jaro(
    who: str, a: str | Texts, b: str | Texts, weight: float, threshold: float, n_jobs: int | None
) -> float | Floats | Any:
    if isinstance(a, str) and isinstance(b, str):
        return _core.jaro(a, b, weight, threshold)
    texts, left, right = _pairs(who, a, b)
    return _core.jaro_similarities(texts, left, right, weight, threshold, effective_threads(n_jobs))


# ---------------------------------------------------------------------------------------------------------- operations


class EditOperation(NamedTuple):
    """One step on the way from text a to text b.

    action : "keep", "substitute", "delete" or "insert"
    place : where in a it happens, from 0; an insertion happens before that letter
    before : the letter of a; empty for an insertion
    after : the letter of b; empty for a deletion
    """

    action: Action
    place: int
    before: str
    after: str


@dataclass(frozen=True, repr=False)
class EditOperations(Sequence[EditOperation]):
    """The cheapest way from one text to another, from front to back; printed as an alignment.

    operations : every step, letters that are kept included
    distance : what they cost together
    """

    operations: tuple[EditOperation, ...]
    distance: float

    @overload
    def __getitem__(self, index: int) -> EditOperation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[EditOperation, ...]: ...
    def __getitem__(self, index: int | slice) -> EditOperation | tuple[EditOperation, ...]:
        return self.operations[index]

    def __len__(self) -> int:
        return len(self.operations)

    @property
    def changes(self) -> list[EditOperation]:
        """The steps that change something."""
        return [step for step in self.operations if step.action != "keep"]

    @property
    def summary(self) -> str:
        """The changes in words, such as "1 substitution (H to Y) + 1 insertion (w)"."""
        phrases = []
        for action, noun in (("substitute", "substitution"), ("delete", "deletion"), ("insert", "insertion")):
            steps = [step for step in self.operations if step.action == action]
            if steps:
                letters = ", ".join(" to ".join(filter(None, (step.before, step.after))) for step in steps)
                phrases.append(f"{len(steps)} {noun}{'' if len(steps) == 1 else 's'} ({letters})")
        return " + ".join(phrases) or "no change"

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        marks = {"keep": "|", "substitute": "x", "delete": "-", "insert": "+"}
        above = "".join(step.before or " " for step in self.operations)
        below = "".join(step.after or " " for step in self.operations)
        return f"{above}\n{''.join(marks[step.action] for step in self.operations)}\n{below}"


def edit_operations(a: str, b: str, *, insert: float = 1, delete: float = 1, substitute: float = 1) -> EditOperations:
    """The cheapest way to turn text a into text b, step by step, and the two texts one above the other.

    Several ways may cost the same. Walking back from the end of the table of `edit_distance`, a letter is kept or
    substituted where that is among the cheapest, else deleted, else inserted.

    >>> way = edit_operations("Hello", "Yellow")
    >>> str(way).splitlines()
    ['Hello ', 'x||||+', 'Yellow']
    >>> way.changes
    [EditOperation(action='substitute', place=0, before='H', after='Y'), EditOperation(action='insert', place=5, before='', after='w')]
    """  # noqa: E501
    who = "edit_operations"
    _check_two(who, a, b)
    costs = _costs(who, insert, delete, substitute)
    steps = _steps(who, a, b, costs)
    operations, i, j = [], 0, 0
    for code in steps.tolist():
        action = ACTIONS[code]
        before = "" if action == "insert" else a[i]
        after = "" if action == "delete" else b[j]
        operations.append(EditOperation(action, i, before, after))
        i, j = i + (action != "insert"), j + (action != "delete")
    price = dict(zip(("insert", "delete", "substitute"), costs, strict=True)) | {"keep": 0.0}
    return EditOperations(tuple(operations), _plain(math.fsum(price[step.action] for step in operations), costs))


class CommonSubsequence(NamedTuple):
    """The longest common subsequence of two texts: its length, and one such subsequence."""

    length: int
    text: str


def common_subsequence(a: str, b: str) -> CommonSubsequence:
    """The most letters that both texts have in the same order, not necessarily side by side.

    ``length = (|a| + |b| - edit_distance(a, b, substitute=2)) / 2``

    Of several longest ones that on the way of `edit_operations` with ``substitute=2`` is given.

    >>> common_subsequence("MacDonald", "McDonalds")
    CommonSubsequence(length=8, text='McDonald')
    """
    _check_two("common_subsequence", a, b)
    steps = _steps("common_subsequence", a, b, (1.0, 1.0, 2.0))
    positions = np.flatnonzero(steps[steps != ACTIONS.index("insert")] == ACTIONS.index("keep"))
    return CommonSubsequence(len(positions), "".join(a[i] for i in positions.tolist()))


def _steps(who: str, a: str, b: str, costs: tuple[float, float, float]) -> Array:
    if (len(a) + 1) * (len(b) + 1) > MOST_CELLS:
        actual = f"got {len(a):,} and {len(b):,} letters"
        fail(who, f"the product of the lengths must be at most {MOST_CELLS:,}", actual, "compare parts of the texts")
    return _core.edit_steps(a, b, *costs)


# ------------------------------------------------------------------------------------------------------------- reading


def _costs(who: str, insert: Any, delete: Any, substitute: Any) -> tuple[float, float, float]:
    costs = {"insert": insert, "delete": delete, "substitute": substitute}
    for name, value in costs.items():
        if not is_number(value) or not (0 <= value < math.inf):
            refuse(who, f"{name} must be a number of 0 or more", got(value))
    return float(insert), float(delete), float(substitute)


def _cutoff(who: str, cutoff: Any, costs: tuple[float, float, float]) -> int:
    if cutoff is None:
        return NO_CUTOFF
    if isinstance(cutoff, bool) or not isinstance(cutoff, int | np.integer) or cutoff < 0:
        refuse(who, "cutoff must be a whole number of 0 or more, or None", got(cutoff))
    if costs != (1, 1, 1):
        refuse(who, "cutoff is for costs of 1", f"got costs of {', '.join(f'{c:g}' for c in costs)}", "leave it out")
    return int(cutoff)


def _cut(distance: int, cutoff: int | None) -> int:
    return distance if cutoff is None else min(distance, int(cutoff) + 1)


def _are_whole(costs: tuple[float, float, float]) -> bool:
    return all(cost.is_integer() for cost in costs)


def _plain(distance: float, costs: tuple[float, float, float]) -> int | float:
    return int(distance) if _are_whole(costs) else distance


def _check_two(who: str, a: Any, b: Any) -> None:
    for name, text in (("a", a), ("b", b)):
        if not isinstance(text, str):
            fail_type(who, f"{name} must be text", got(text))


def _texts(who: str, values: Any, name: str) -> list[str]:
    """A list of texts from a list, an array or a column of a dataframe."""
    if isinstance(values, str | bytes) or not hasattr(values, "__len__") or isinstance(values, dict | set):
        fail_type(who, f"{name} must be a text or a list of texts, and both alike", got(values))
    plain = next((getattr(values, read) for read in ("tolist", "to_list", "to_pylist") if hasattr(values, read)), None)
    listed = list(values) if plain is None else plain()
    for position, text in enumerate(listed):
        if not isinstance(text, str):
            hint = "drop or fill it first" if is_missing(text) else "turn it into text with str"
            fail_type(who, f"{name} must hold texts", f"{got(text)} at place {position}", hint)
    return listed


def _pairs(who: str, a: Any, b: Any) -> tuple[_core.TextSet, Array, Array]:
    if isinstance(a, str) != isinstance(b, str):
        fail_type(who, "a and b must both be texts or both be lists", f"got {_what(a)} and {_what(b)}")
    first, second = _texts(who, a, "a"), _texts(who, b, "b")
    check_lengths(who, a=len(first), b=len(second))
    left = np.arange(len(first), dtype=np.int64)
    return _core.TextSet(first + second), left, left + len(first)


def _what(value: Any) -> str:
    return "a text" if isinstance(value, str) else f"a {type(value).__name__}"
