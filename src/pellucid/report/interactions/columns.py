"""What a column of a table of interactions may be: its values first, and its name as supporting evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pellucid.base.types import Array, Floats
from pellucid.data.kinds import Kind
from pellucid.quality.column import Column, TableStats


def words_of(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


BASKET_WORDS = words_of(
    "basket transaction transactions trans txn tid order invoice receipt ticket bill purchase session cart checkout "
    "voucher bon beleg rechnung bestellung warenkorb factura pedido ticket facture commande panier"
)
ITEM_WORDS = words_of(
    "item product article sku stock page url song track movie film book artist isbn asin upc ean description dish "
    "ingredient drug medication medicine course game joke restaurant hotel artikel produkt producto produit articulo "
    "what band album show series recipe title app video stockcode itemname itemdescription productname"
)
USER_WORDS = words_of(
    "user customer client member person visitor reader listener viewer buyer shopper household account reviewer critic "
    "subscriber kunde nutzer cliente usuario utilisateur userid customerid memberid uid cust patron"
)
RATING_WORDS = words_of(
    "rating ratings stars star score rate note bewertung puntuacion valoracion preference liking overall"
)
COUNT_WORDS = words_of(
    "plays play count counts clicks click views view visits visit listens quantity qty times frequency hits weight "
    "menge anzahl cantidad quantite units number amount listened watched downloads purchases"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+")
_UNNAMED = re.compile(r"(column|field|x|v|var|c|col)?_?[0-9]+|_c[0-9]+", re.IGNORECASE)
_DATE = re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([ T].*)?")
_EPOCHS = ((3e8, 4.2e9), (3e11, 4.2e12))  # seconds and milliseconds since 1970: 1979 to 2103
MAX_SCALE = 21  # values of a scale of ratings


@dataclass(frozen=True)
class Facts:
    """What is known of one column before its role is decided."""

    column: Column

    @property
    def name(self) -> str:
        return str(self.column.name)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the name in lower case, with and without a plural s."""
        words = [word.lower() for word in _WORD.findall(self.name)]
        return frozenset([*words, *(word.removesuffix("s") for word in words if len(word) > 3), self.name.lower()])

    @property
    def is_unnamed(self) -> bool:
        """Is the name only a number, as the reader gives it to a table without a header?"""
        return bool(_UNNAMED.fullmatch(self.name))

    @property
    def n_rows(self) -> int:
        return self.column.n_rows

    @cached_property
    def n_missing(self) -> int:
        return self.column.n_missing

    @cached_property
    def n_distinct(self) -> int:
        return len(self.column.values)

    @cached_property
    def codes(self) -> Array:
        """The number of the distinct value of each row; -1 where it is missing."""
        return np.asarray(self.column.codes, dtype=np.int64)

    @cached_property
    def values(self) -> Floats:
        """The distinct values of a column of numbers, in ascending order."""
        numbers = np.asarray(self.column.values, dtype=np.float64)
        return np.asarray(np.sort(numbers[np.isfinite(numbers)]))

    @cached_property
    def is_nearly_number(self) -> bool:
        """Is it a column of texts of which nearly all rows are numbers, or begin with one?"""
        if not self.column.is_text:
            return False
        n_numbers = sum(
            often
            for text, often in zip(self.column.texts, self.column.counts.tolist(), strict=True)
            if is_number(text.strip().partition(" ")[0])
        )
        return bool(n_numbers > 0.9 * (self.n_rows - self.n_missing))

    @cached_property
    def is_whole(self) -> bool:
        """Does it hold whole numbers and nothing else?"""
        return self.column.is_number and bool((self.values == np.floor(self.values)).all())

    @cached_property
    def is_time(self) -> bool:
        """Does it hold dates or times: stored as such, written as text, or seconds since 1970?"""
        if self.column.stored is Kind.TIME:
            return True
        if self.column.is_text:
            texts = self.column.texts[:200]
            return bool(texts) and all(_DATE.fullmatch(text.strip()) for text in texts)
        if not self.column.is_number or not self.n_distinct:
            return False
        low, high = self.values[0], self.values[-1]
        epoch = any(first <= low and high <= last for first, last in _EPOCHS)
        return epoch and self.n_distinct > 0.05 * self.n_rows and bool({"time", "timestamp", "date", "ts"} & self.words
            or self.is_unnamed)  # fmt: skip

    @cached_property
    def is_year(self) -> bool:
        """Are the values consecutive years?"""
        if not self.is_whole or self.n_distinct < 3:
            return False
        low, high = self.values[0], self.values[-1]
        return bool(low >= 1700 and high <= 2100 and self.n_distinct > 0.8 * (high - low + 1))

    @cached_property
    def is_identifier(self) -> bool:
        """Can the values name something: whole numbers or texts, neither times nor measurements?"""
        if self.is_time or self.is_year or self.n_distinct < 2:
            return False
        return self.is_whole or self.column.is_text

    @property
    def repeats(self) -> bool:
        """Does a value stand in several rows as a rule?"""
        return self.n_distinct <= 0.8 * (self.n_rows - self.n_missing)

    @cached_property
    def is_scale(self) -> bool:
        """Is it a scale of ratings: a few values at equal steps, none far from the others?"""
        if not self.column.is_number or not 3 <= self.n_distinct <= MAX_SCALE or self.n_missing > 0.2 * self.n_rows:
            return False
        steps = np.diff(self.values)
        ratio = steps / steps.min()
        return bool(np.abs(ratio - np.round(ratio)).max() < 1e-6 and ratio.sum() <= 2 * MAX_SCALE)

    @cached_property
    def is_count(self) -> bool:
        """Does it hold whole numbers of which most are small and none is missing?"""
        return self.is_whole and self.n_missing == 0 and self.n_distinct > 1 and float(self.values[-1]) > 0

    @cached_property
    def n_runs(self) -> int:
        """Groups of neighboring rows with the same value."""
        return 1 + int((np.diff(self.codes) != 0).sum()) if self.n_rows else 0

    @property
    def is_contiguous(self) -> bool:
        """Do the rows of a value stand together, as lines of an invoice do?"""
        return self.n_runs <= 1.02 * self.n_distinct


def is_number(text: str) -> bool:
    """Does a text read as a number?"""
    try:
        float(text)
    except ValueError:
        return False
    return True


def facts_of(stats: TableStats) -> list[Facts]:
    """The columns that have values; an index that merely counts the rows is left out."""
    all_facts = [Facts(column) for column in stats.columns]
    return [column_facts for column_facts in all_facts if column_facts.n_distinct and not is_row_index(column_facts)]


def is_row_index(facts: Facts) -> bool:
    """Does a column without a name, or called index, count the rows from 0 or 1?"""
    if not facts.is_whole or facts.n_distinct != facts.n_rows or facts.n_rows < 2:
        return False
    has_index_name = facts.is_unnamed or facts.words & {"index", "unnamed", "row"}
    counted = facts.values[0] in (0.0, 1.0) and facts.values[-1] - facts.values[0] + 1 == facts.n_rows
    return bool(has_index_name and counted)


def n_pairs(first: Facts, second: Facts) -> int:
    """How many different pairs of values two columns have in the rows where neither is missing."""
    return len(pair_codes(first, second)[1])


def pair_codes(first: Facts, second: Facts) -> tuple[Array, Array]:
    """Rows where neither column is missing, and the distinct pairs as numbers."""
    rows = np.flatnonzero((first.codes >= 0) & (second.codes >= 0))
    pairs = first.codes[rows] * (second.n_distinct + 1) + second.codes[rows]
    return rows, np.unique(pairs)


def determines(first: Facts, second: Facts, tolerance: float = 0.02) -> bool:
    """Has each value of the first column one value of the second?"""
    return n_pairs(first, second) <= (1 + tolerance) * first.n_distinct
