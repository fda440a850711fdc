"""The profile of a table: what is in each column, how large the table is, and how columns hang together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pellucid import _core
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.threads import effective_threads
from pellucid.base.types import Floats
from pellucid.data.coding import Coded
from pellucid.data.kinds import Kind
from pellucid.data.stored import n_bytes
from pellucid.quality._describe import BINS, TOP, Meaning, RawStats, describe
from pellucid.quality.accumulator import distance_shares
from pellucid.quality.associations import (
    PairSums,
    contingency,
    corrected_ratio,
    functions,
    lines,
    matrix,
    ratios,
    v_matrix,
)
from pellucid.quality.column import Column, TableStats, code_together, compute_stats
from pellucid.quality.described import Associations, ColumnProfile, Profile, WithTarget
from pellucid.quality.semantic_types import semantic_type
from pellucid.quality.semantic_types.conversion import to_numbers
from pellucid.quality.semantic_types.numbers import may_be_fractions
from pellucid.quality.summary import lengths_of

__all__ = ["profile"]

_FEW = 50  # a number with at most so many values may be told by a category, and tell one


def profile(
    table: Any,
    *,
    target: Any = None,
    associations: bool = True,
    corrected: bool = True,
    near_duplicates: bool = False,
    n_jobs: int | None = None,
) -> Profile:
    """Describes a table: the kind, the gaps and the key figures of each column, its size, double rows, associations.

    Each column of numbers is sorted once, by its digits; distinct values, modes, all quantiles and the histogram are
    read off the sorted values. Texts are hashed where they lie in memory. Columns are shared out among threads.

    The kind of a column, by the first rule that fits:

    ============  ======================================================================================================
    empty         no value is there
    constant      all values are the same
    time          stored as times, or text of which 95 % of the cells read as dates of one format
    flag          stored as true and false, the numbers 0 and 1, or two words for yes and no
    ordinal       stored as categories with an order
    nominal       stored as categories without order; or text in which values repeat: at most half as many different
                  ones as rows, or fewer than 20 rows
    identifier    numbers and texts that name things: recognized as such (``semantic``), or 20 rows or more with a value
                  each of its own, texts without blanks of at most 64 characters on average
    text          other text
    discrete      whole numbers
    continuous    other numbers
    ============  ======================================================================================================

    Text of which 95 % of the cells read as plain numbers (no leading noughts) has the kind of these numbers; the
    profile says so in ``reads_as`` and ``notes``. Lengths of time count as numbers of seconds. What the values mean
    (``semantic``: an identifier, a code, a year, an integer date, an ordinal scale, money, ...) is recognized from the
    values, with the column's name as support only; codes and identifiers have no mean, and integer dates are times.

    Parameters
    ----------
    table : dataframe (pandas, polars, pyarrow), NumPy or sparse matrix, list of rows
    target : name of the column that is to be predicted; the others are ranked by their association with it
    associations : whether to measure associations of pairs of columns and to look for columns that tell others
    corrected : whether Cramér's V, and the correlation ratio with the target, are corrected for bias
    near_duplicates : whether to look for rows that nearly equal another
    n_jobs : threads; None for all cores

    Returns
    -------
    Profile
        ``print`` gives text, a notebook shows a page, ``to_html`` writes it, ``to_dict`` gives plain values,
        ``profile["name"]`` is one column.

    See Also
    --------
    Accumulator : the same for a table that is read batch by batch

    Examples
    --------
    >>> found = profile([[1, 10.0], [2, 20.0], [2, 20.0], [3, 30.0], [7, 70.0]])
    >>> found["x0"].kind, found["x0"].numbers.mean, found["x0"].numbers.modes, found["x0"].numbers.skew
    ('discrete', 3.0, (2.0,), 'right-skewed')
    >>> found.duplicates
    1
    >>> print(found.associations.redundant[0])
    x1 = 0 + 10 * x0
    """
    threads = effective_threads(n_jobs)
    stats = compute_stats(table, "profile", target, threads)
    if isinstance(table, TableStats):  # somebody looks at the values too
        code_together(stats.columns, threads)
    columns = _described(stats, threads)
    target_index = None if stats.target is None else stats.target.place
    linked = _Linked(stats, columns, threads) if associations or target is not None else None
    return Profile(
        n_rows=stats.n_rows,
        n_columns=len(columns),
        bytes=n_bytes(stats.table),
        columns=columns,
        duplicates=int((stats.first_equal != np.arange(stats.n_rows)).sum()),
        near_duplicates=_near_duplicates(table, threads) if near_duplicates else None,
        distance_shares=distance_shares([column for column in columns if column.name != target]),
        associations=linked.all(corrected) if linked is not None and associations else None,
        target=target,
        with_target=linked.with_target(target_index, corrected)
        if linked is not None and target_index is not None
        else (),
    )


def associated_with_classes(stats: TableStats, target: str) -> tuple[WithTarget, ...]:
    """The other columns by their association with a target of classes, although they are stored as numbers: of class
    1 to 3, the order says nothing."""
    columns = _described(stats, 1)
    linked = _Linked(stats, columns, 1)
    index = next(column.place for column in columns if str(column.name) == target)
    linked.numbers.pop(index, None)
    linked.categories[index] = stats.columns[index].coded
    return linked.with_target(index, True)


def _described(stats: TableStats, threads: int) -> tuple[ColumnProfile, ...]:
    """The profile of every column, made once and kept with the look."""
    profiles: tuple[ColumnProfile, ...] | None = vars(stats).get("_described")
    if profiles is None:
        vars(stats)["_described"] = profiles = describe_columns(stats, threads)
    return profiles


def describe_columns(stats: TableStats, threads: int) -> tuple[ColumnProfile, ...]:
    """The profile of every column."""
    code_together([column for column in stats if column.is_text], threads)
    figures = {column.place: column.figures for column in stats if column.figures is not None}
    numbered = [column for column in stats if column.place not in figures and column.stored_numbers is not None]
    kernel_figures = _core.number_figures([column.cells for column in numbered], TOP, BINS, threads)
    figures.update(zip([column.place for column in numbered], kernel_figures, strict=True))
    return tuple(
        describe(_facts(column, figures.get(column.place)), _meaning(column, figures.get(column.place)))
        for column in stats
    )


def _meaning(column: Column, figures: dict[str, Any] | None) -> Meaning | None:
    if figures is not None and not figures["whole"] and not may_be_fractions(column.name):
        return None  # the distinct values of a measurement are not needed
    semantic = semantic_type(column)
    return None if semantic is None else Meaning(semantic, column.values, column.counts)


def _facts(column: Column, figures: dict[str, Any] | None) -> RawStats:
    if figures is not None and column.stored_numbers is not None:
        distinct = figures["distinct"] + sum(n > 0 for n in figures["infinite"])
        return RawStats(
            column.name, column.place, column.stored, column.n_rows, figures["missing"], distinct, figures,
            column.stored_numbers.unit,
        )  # fmt: skip
    values, counts = column.values.tolist(), column.counts
    return RawStats(
        column.name, column.place, column.stored, column.n_rows, column.n_rows - int(counts.sum()), len(values),
        values=values, counts=counts, lengths=lengths_of(values, counts) if column.stored == Kind.TEXT else None,
    )  # fmt: skip


def _near_duplicates(table: Any, threads: int) -> Any:
    from pellucid.quality import duplicates

    return duplicates.near_duplicates(table, n_jobs=threads)


# ------------------------------------------------------------------------------------------------------- associations


class _Linked:
    """Numbers and categories of a table, ready to be compared."""

    def __init__(self, stats: TableStats, columns: Sequence[ColumnProfile], threads: int) -> None:
        self.look, self.columns, self.threads = stats, columns, threads
        self.numbers = {c.place: self._floats(c) for c in columns if c.is_number or self._is_numbered_target(c)}
        self.categories = {c.place: stats.columns[c.place].coded for c in columns if c.is_category}
        self._sums: PairSums | None = None
        self._eta: Floats | None = None

    def _is_numbered_target(self, column: ColumnProfile) -> bool:
        """Is this a target of numbers that look like identifiers, such as the ranks 1 to n? It was chosen to be
        predicted, so they are quantities."""
        target = self.look.target
        return (
            target is not None
            and column.place == target.place
            and column.kind == "identifier"
            and column.stored == "number"
        )

    def _floats(self, column: ColumnProfile) -> Floats:
        stats = self.look.columns[column.place]
        if column.reads_as != "number":
            return stats.numbers
        if column.semantic is not None:
            values = to_numbers(stats.texts, stats.counts)
        else:
            values = np.array([_number_or_nan(text) for text in stats.texts])
        return np.asarray(np.append(values, np.nan)[stats.codes])  # code -1 looks up the last

    def names(self, places: Any) -> list[Any]:
        return [self.columns[j].name for j in places]

    @property
    def sums(self) -> PairSums:
        if self._sums is None:
            numbers = list(self.numbers.values())
            self._sums = PairSums.start(numbers, self.threads).add(numbers, self.threads)
        return self._sums

    def all(self, corrected: bool) -> Associations:
        names, groups = self.names(self.numbers), self.names(self.categories)
        r = self.sums.pearson
        redundant = lines(names, self.sums, r)
        v = v_matrix(groups, [coded.codes for coded in self.categories.values()], corrected, self.threads)
        self._eta = eta = ratios(list(self.categories.values()), list(self.numbers.values()), self.threads)
        redundant += self._functions({(pair.column, pair.of) for pair in redundant})
        return Associations(matrix(names, names, r), v, matrix(groups, names, eta), tuple(redundant))

    def _ratios_with(self, target: int) -> list[float]:
        """The correlation ratio of the target with every column of the other sort."""
        groups, numbers = list(self.categories), list(self.numbers)
        group_indices = [j for j in groups if target in self.numbers or j == target]
        number_indices = [j for j in numbers if target in self.categories or j == target]
        if self._eta is None:
            ratio_matrix = ratios(
                [self.categories[j] for j in group_indices], [self.numbers[j] for j in number_indices], self.threads
            )
        else:
            ratio_matrix = self._eta[
                np.ix_([groups.index(j) for j in group_indices], [numbers.index(j) for j in number_indices])
            ]
        return [float(eta) for eta in ratio_matrix.ravel()]

    def _functions(self, known_pairs: set[tuple[Any, Any]]) -> list[Any]:
        """Categories, and numbers with few values, that follow from others."""
        indices = [
            c.place for c in self.columns if c.is_category or (c.is_number and c.distinct <= _FEW and not c.reads_as)
        ]
        coded: list[Coded] = [self.look.columns[j].coded for j in indices]
        return functions(self.names(indices), coded, known_pairs)

    def _ratio_of(self, index: int, eta: float, category: int, number: int, corrected: bool) -> WithTarget:
        """The association of one column with the target, one of which is the category and the other the number."""
        name = self.columns[index].name
        if not corrected:
            return WithTarget(name, "correlation ratio", eta)
        value = corrected_ratio(eta, self.categories[category], self.numbers[number])
        return WithTarget(name, "bias-corrected correlation ratio", value)

    def with_target(self, target: int, corrected: bool) -> tuple[WithTarget, ...]:
        """The other columns, the most strongly associated first."""
        associations: list[WithTarget] = []
        if target in self.numbers:
            at = list(self.numbers).index(target)
            for name, r in zip(self.names(self.numbers), self.sums.pearson[at].tolist(), strict=True):
                associations.append(WithTarget(name, "Pearson's r", r))
            for j, eta in zip(self.categories, self._ratios_with(target), strict=True):
                associations.append(self._ratio_of(j, eta, j, target, corrected))
        elif target in self.categories:
            ours = self.categories[target]
            for j, eta in zip(self.numbers, self._ratios_with(target), strict=True):
                associations.append(self._ratio_of(j, eta, target, j, corrected))
            for j, coded in self.categories.items():
                v = contingency(ours.codes, coded.codes).v(corrected)
                name = "bias-corrected Cramér's V" if corrected else "Cramér's V"
                associations.append(WithTarget(self.columns[j].name, name, v))
        else:
            kind = self.columns[target].kind
            requirement = "target must be a column of numbers or categories"
            raise ParameterError(
                format_message("profile", requirement, actual=f"'{self.columns[target].name}' is of kind {kind}")
            )
        valid = [
            association
            for association in associations
            if association.column != self.columns[target].name and not np.isnan(association.value)
        ]
        return tuple(sorted(valid, key=lambda association: -abs(association.value)))


def _number_or_nan(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
