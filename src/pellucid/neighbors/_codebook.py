"""Where a codebook begins: how many vectors each class gets, and what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, format_message, noun_list, short_repr
from pellucid.base.randomness import uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design

# Streams of random numbers for the start; the epochs have those from 0 on.
_STREAM = 1 << 62
_ROUNDS = 20  # of k-means at most, where a class is split


def allot(n_prototypes: Any, how: str, sizes: Array, classes: Array, who: str) -> Array:
    """How many vectors each class gets: at least one, where it has rows."""
    k = len(classes)
    if not isinstance(n_prototypes, int | np.integer):
        return _listed(n_prototypes, classes, who)
    total = int(n_prototypes)
    if how == "each":
        return np.full(k, total)
    if total < k:
        requirement = "n_prototypes must be at least the number of classes"
        hint = "one vector a class is the least; allot='each' counts by class"
        raise ParameterError(
            format_message(who, requirement, actual=f"got n_prototypes={total} with {k} classes", hint=hint)
        )
    share = np.full(k, total / k) if how == "equal" else total * sizes / sizes.sum()
    given = np.maximum(1, np.floor(share)).astype(int)
    while given.sum() < total:  # to whom most is missing, the first of equals
        given[np.argmax(share - given)] += 1
    while given.sum() > total:  # from whom has most above its share
        given[np.argmax(np.where(given > 1, given - share, -np.inf))] -= 1
    return np.asarray(given)


def _listed(n_prototypes: Mapping[Any, int], classes: Array, who: str) -> Array:
    unknown = [label for label in n_prototypes if label not in classes.tolist()]
    if unknown or len(n_prototypes) < len(classes):
        requirement = "n_prototypes by label must name every class once"
        actual = f"got {short_repr(dict(n_prototypes))} with the classes {short_repr(classes.tolist())}"
        raise ParameterError(format_message(who, requirement, actual=actual))
    return np.array([n_prototypes[label] for label in classes.tolist()], dtype=int)


def given_codebook(init: Any, labels: Any, d: Design, classes: Array) -> tuple[Floats, Array]:
    """A codebook that the user brings, and the places of its labels among the classes."""
    who = d.who
    try:
        vectors = np.array(init, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ParameterError(
            format_message(who, "init must hold numbers, one row a vector", actual=f"got {short_repr(init)}")
        ) from None
    if vectors.ndim != 2 or vectors.shape[1] != d.n_cols or not len(vectors):
        requirement = f"init must have one row a vector and the {count(d.n_cols, 'column')} of X"
        raise ParameterError(format_message(who, requirement, actual=f"got shape {vectors.shape}"))
    if not np.isfinite(vectors).all():
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        raise ParameterError(
            format_message(who, "init must be finite", actual=f"NaN or infinity in {noun_list('row', bad)}")
        )
    if labels is None:
        hint = "init_labels=[...], one label a vector"
        raise ParameterError(
            format_message(who, "a given codebook needs the classes of its vectors", actual="got none", hint=hint)
        )
    wanted = np.asarray(labels).ravel().tolist()
    if len(wanted) != len(vectors):
        actual = f"got {len(wanted)} with {count(len(vectors), 'vector')}"
        raise ParameterError(format_message(who, "init_labels must have one label a vector", actual=actual))
    place = {label: k for k, label in enumerate(classes.tolist())}
    other = [label for label in wanted if label not in place]
    if other:
        actual = f"got {other[0]!r}; y has {short_repr(classes.tolist())}"
        raise DataError(format_message(who, "init_labels must be labels that y has", actual=actual))
    return vectors, np.array([place[label] for label in wanted], dtype=np.int32)


def first_codebook(
    init: str, given: Array, d: Design, codes: Array, present: Array, seed: int, threads: int
) -> tuple[Floats, Array]:
    """Vectors from the data, class by class; `present` says which rows count."""
    X, rows_of = d.numbers, [np.flatnonzero(present & (codes == k)) for k in range(len(given))]
    if init in ("rows", "means"):  # no row twice
        short_of = [k for k, rows in enumerate(rows_of) if not len(rows)]
        if short_of:
            requirement = f"init={init!r} takes vectors from rows of each class"
            hint = "init='range' or 'mixed', or a first part with every class"
            actual = f"class {d.classes[0].tolist()[short_of[0]]!r} has none here"
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
        given = np.minimum(given, [len(rows) for rows in rows_of])
    parts = []
    for k, rows in enumerate(rows_of):
        chance = _Chance(seed, k)
        m, everything = int(given[k]), np.flatnonzero(present)
        if init == "rows":
            parts.append(np.asarray(X[np.sort(chance.draw(rows, m))], dtype=np.float64))
        elif init == "means":
            parts.append(_split(np.ascontiguousarray(X[rows], dtype=np.float64), m, threads))
        elif init == "mixed":
            columns = [X[everything[chance.below(m, len(everything))], j] for j in range(d.n_cols)]
            parts.append(np.column_stack(columns).astype(np.float64))
        else:
            low, high = (np.asarray(f(X[everything], axis=0), dtype=np.float64) for f in (np.min, np.max))
            share = chance.uniform(m * d.n_cols).reshape(m, d.n_cols)
            parts.append(low * (1 - share) + high * share)
    return np.ascontiguousarray(np.vstack(parts)), np.repeat(np.arange(len(given)), given).astype(np.int32)


class _Chance:
    """Random numbers of one class."""

    def __init__(self, seed: int, k: int) -> None:
        self.seed, self.stream = seed, _STREAM + (k << 32)

    def uniform(self, n: int) -> Floats:
        self.stream += 1
        return uniform(self.seed, self.stream, n)

    def below(self, m: int, n: int) -> Array:
        return np.minimum((self.uniform(m) * n).astype(np.intp), n - 1)

    def draw(self, rows: Array, m: int) -> Array:
        """m of the rows, none twice."""
        return rows[np.argsort(self.uniform(len(rows)), kind="stable")[:m]]


def _split(rows: Floats, m: int, threads: int) -> Floats:
    """The mean of a class; or, for several vectors, means of its parts by k-means, which nothing random enters.

    The rows are ordered along the column with the largest spread and cut into m parts of equal size, whose means begin.
    """
    size = np.ldexp(1.0, min(1000, -int(np.frexp(np.abs(rows).max(initial=0.0))[1])))  # sums and squares stay in range
    rows = rows * size
    if m == 1:
        return np.asarray(rows.mean(axis=0)[None, :] / size)
    order = np.argsort(rows[:, np.argmax(rows.var(axis=0))], kind="stable")
    means = np.array([rows[group].mean(axis=0) for group in np.array_split(order, m)])
    before: Array | None = None
    for _ in range(_ROUNDS):
        numbers = _core.nearest_prototypes(_core.dense(rows), means, 1, 0, None, threads)[1][:, 0]
        if before is not None and np.array_equal(before, numbers):
            break
        before = numbers
        for v in np.unique(numbers):
            means[v] = rows[numbers == v].mean(axis=0)
    return np.asarray(means / size)
